# SPDX-License-Identifier: GPL-2.0-only
"""The suites pass with the test access alone and after every further patch."""


from ..common import paths, ui
from ..common.checks import Check
from ..common.errors import UserError
from ..tree import patches, trees
from ..tree.worktree import Worktree, build_directory, built, prune
from . import build, judge, kunit

DATA = paths.TOOLS / "steps.toml"


def run(target, kdir=None, only="", brief=False):
    """Build and boot every step of the series; return one Check for each.

    With `only`, the numbers of patches separated by commas, only these steps. When `brief`,
    instead, those where an expectation begins or ends, the first, and the last.
    """
    tree = trees.prepare(kdir, strict=True)
    pairs = trees.tested_steps(tree)
    wanted = choose([patches.number(patch) for patch, _ in pairs], only)
    expectations = load([patches.slug(patch) for patch, _ in pairs], target.name)
    if brief:
        wanted = [patches.number(pairs[index][0])
                  for index in turning(len(pairs), expectations)]
    plan, work = kunit.pinned_plan(), Worktree(tree)
    prune(work, family(target), [patches.slug(patch) for patch, _ in pairs])
    found = [_step(target, work, patch, commit, plan,
                   [e for e in expectations if index in e["steps"]])
             for index, (patch, commit) in enumerate(pairs) if patches.number(patch) in wanted]
    if brief:
        left = len(pairs) - len(found)
        found.append(Check(f"{left} steps", skipped="tools/steps.toml has no change for them; "
                                                    "`make steps` runs them"))
    return found


def finished(target, kdir=None):
    """Return (source, build directory) of the whole series as the steps built it, or None.

    It is the kernel of `make kunit`: the same sources in the second work tree.
    """
    tree = trees.prepare(kdir, strict=True)
    patch, commit = trees.steps(tree)[-1]
    build_dir = paths.build(tree.name, family(target)) / patches.slug(patch)
    if built(build_dir) != [commit] or not (build_dir / "vmlinux").exists():
        return None
    return Worktree(tree).path, build_dir


def turning(count, expectations):
    """Return which of `count` steps have other expectations than the one before, and the last."""
    begins = {step for entry in expectations
              for step in (entry["steps"].start, entry["steps"].stop)}
    return {0, count - 1} | begins & set(range(count))


def choose(numbers, only, where="mm/patches"):
    """Return the numbers in `only`, or all of them; they name patches in `where`."""
    wanted = only.split(",") if only else numbers
    for number in wanted:
        if number not in numbers:
            raise UserError(f"no STEP={number} in {where}", f"known: {' '.join(numbers)}")
    return wanted


def family(target):
    """Return the name of the build directories of the steps."""
    return f"steps-{target.name}"


def _step(target, work, patch, commit, plan, due):
    name = f"steps-{target.name}-{patches.number(patch)}"
    ui.note(f"step {patch.name}")
    build_dir = build_directory(work, family(target), patches.slug(patch))
    with work.at(commit, build_dir) as path:
        build.kunit_kernel(path, target, build_dir, paths.fresh_log(f"build-{name}"))
    skips = [{"name": e["row"]} for e in due if e["result"] == "skip"]
    verdict = kunit.boot(work.path, target, build_dir, name, plan=plan,
                          allowed=(*target.skip, *skips), quiet=True)
    problems = verdict.problems + differences(verdict.results, due)
    return Check(f"step {patch.name}", problems,
                 detail=f"{verdict.text()}; {len(due)} expectations")


def load(slugs, target):
    """Return the expectations of tools/steps.toml for the target with this name.

    Each has the indexes of its steps in `slugs`.
    """
    found = []
    for entry in paths.table(DATA).get("expect", []):
        if entry["result"] not in ("fail", "skip"):
            raise UserError(f"tools/steps.toml: result '{entry['result']}'", "say fail or skip")
        for slug in (entry["until"], entry.get("from", slugs[0])):
            if slug not in slugs:
                raise UserError(f"tools/steps.toml names the patch '{slug}', which is not in "
                                "mm/patches", f"known: {', '.join(slugs)}")
        named = entry.get("target", target)
        if target not in (named if isinstance(named, list) else [named]):
            continue
        first = slugs.index(entry.get("from", slugs[0]))
        found.append(entry | {"steps": range(first, slugs.index(entry["until"]))})
    return found


def differences(results, due):
    """Return where the failing and skipped rows are not those of the expectations `due`."""
    wanted = {"fail": "FAIL", "skip": "SKIP"}
    problems, explained = [], set()
    for entry in due:
        rows = [r for r in results if judge.matches(r, entry["row"])]
        if not rows:
            problems.append(f"{entry['row']}: expected to {entry['result']}, but no such row")
        for row in rows:
            explained.add(row)
            if row.status != wanted[entry["result"]]:
                problems.append(f"{row.name}: {row.status}, expected to {entry['result']} until "
                                f"{entry['until']}")
    return problems + [f"{r.name}: {r.status}" for r in results
                       if r.failed and r not in explained]
