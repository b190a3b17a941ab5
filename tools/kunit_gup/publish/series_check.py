# SPDX-License-Identifier: GPL-2.0-only
"""`make series-check`: each patch of the mailed series is built in all ways, booted, and read."""

import tempfile
from pathlib import Path

from ..check import checkpatch
from ..common import paths, ui
from ..common.checks import Check
from ..common.errors import UserError
from ..run import build, judge, kunit, steps, targets
from ..tree import patches, trees
from ..tree.worktree import Worktree, build_directory, prune
from . import mailing, mailings, series

OURS = "CONFIG_GUP_KUNIT_TEST="
# Without tests, each patch of a mailing is compiled for all kinds of machines.
MACHINES = ("uml", "x86_64", "i386-pae", "arm64", "s390x")
NO_TESTS = ["CONFIG_KUNIT=n", "CONFIG_GUP_KUNIT_TEST=n"]


def run(target, kdir=None, only=""):
    """Write the series, and check each of its patches; return the Checks.

    With `only`, the numbers of mails separated by commas, only these patches.
    """
    mailed = series.write(kdir)
    tree, mails = trees.locate(kdir), series.mails(series.DIRECTORY)[1:]
    work = Worktree(tree, "series", overlaid=False)
    expected = steps.load([patches.slug(patch) for patch in tree.patches], target.name)
    wanted = steps.choose([mail.name[:4] for mail in mails], only, "build/series")
    chosen, number = [], -1
    for mail, step in zip(mails, mailed, strict=True):
        number += not step.subject      # a patch of new files changes nothing for the others
        if mail.name[:4] in wanted:
            chosen.append((mail, step, [e for e in expected if number in e["steps"]
                                        and e["row"].split(".")[0] in step.suites]))
    plan = kunit.pinned_plan()
    found = checkpatch.of_files(tree, [mail for mail, _, _ in chosen], "mail ")
    found += [_said(_boot(target, work, mail, step, plan, due)) for mail, step, due in chosen]
    return found + [_said(_build(entry, work, mail, step)) for entry in builds()
                    for mail, step, _ in chosen]


def alone(name, kdir=None):
    """Write the series, and compile each patch of the mailing `name`; return the Checks.

    What the mailing changes is built with W=1 after each of its patches, and all of mm/ in the end.
    """
    series.write(kdir)
    tree = trees.locate(kdir)
    one, = [each for each in mailings.build(tree) if each.name == name]
    before = tree.git.run("rev-parse", f"{one.patches[0].commit}~1")
    sources = [path for path in tree.git.run("diff", "--name-only", before,
                                             one.patches[-1].commit).split()
               if path.endswith(".c") and path.startswith("mm/")]
    found = checkpatch.of_files(tree, patches_of(name), f"{name} ")
    return found + [_said(check) for target in machines()
                    for check in _compiled(tree, target, one, sources)]


def machines():
    """Return those of MACHINES that this host can build for."""
    return [target for target in map(targets.table().get, MACHINES) if not target.why_not()]


def _compiled(tree, target, one, sources):
    """Build the `sources` after each patch of the mailing `one`; give the Checks."""
    work = Worktree(tree, "series", overlaid=False)
    target = target.variant(f"mailing-{target.name}", NO_TESTS)
    prune(work, target.name, [one.name])
    build_dir = build_directory(work, target.name, one.name)
    for patch in one.patches:
        subject = tree.git.run("log", "-1", "--format=%s", patch.commit)
        check = Check(f"{target.name}: {subject}", detail="built with W=1")
        log = paths.fresh_log(f"build-{target.name}-{one.name}")
        with work.at(patch.commit, build_dir) as source:
            check.attempt(lambda: _objects(source, target, build_dir, log, sources,
                                           patch is one.patches[-1]))
        yield check


def _objects(source, target, build_dir, log, sources, last):
    """Build the objects of `sources` with W=1, and at the `last` patch mm/; return problems."""
    build.configure(source, target, build_dir, log)
    left_out = build.not_built(source, build_dir, sources)
    objects = [name.removesuffix(".c") + ".o" for name in sources if name not in left_out]
    for name in objects:        # only a file that is compiled anew warns
        (build_dir / name).unlink(missing_ok=True)
    what = f"building {target.name}"
    found = build.make(source, target, build_dir, log, "olddefconfig", *objects, "W=1", what=what)
    own = [line for line in found if any(f"{name}:" in line for name in sources)]
    return own + (build.make(source, target, build_dir, log, "mm/", what=what) if last else [])


def written(kdir=None):
    """Write the series, which applies it, and ask checkpatch about each mail; return the Checks.

    The mails of the last mailing, the tests, are those of the whole series.
    """
    mailed, tree = series.write(kdir), trees.locate(kdir)
    return [Check("the mailed series gives the prepared tree", detail=f"{len(mailed)} patches"),
            *checkpatch.of_files(tree, series.mails(series.DIRECTORY)[1:], "mail "),
            *(check for name in mailings.names()[:-1]
              for check in checkpatch.of_files(tree, patches_of(name), f"{name} "))]


def patches_of(name):
    """Return the mails of a mailing but its letter."""
    return [path for path in series.mails(series.DIRECTORY / name)
            if path.name != series.LETTER_NAME]


def _said(check):
    ui.note(f"{check.name}: {check.detail if not check.problems else 'FAILED'}")
    return check


def builds():
    """Return the ways to build each step, of tools/series.toml."""
    return [entry for entry in mailing.table()["build"]
            if not targets.table()[entry["target"]].why_not()]


def needs():
    """Return the targets that are built for."""
    return [targets.table()[entry["target"]] for entry in builds()]


def _boot(target, work, mail, step, plan, due):
    """Build the kernel with the suites of a step and run them; return the Check."""
    name = f"series-{target.name}-{mail.name[:4]}"
    problems, build_dir = _make(target, work, step, f"series-{target.name}", ["all"], name)
    if problems or not step.suites:
        return Check(f"{target.name}: {mail.name}", problems, detail="built; there is no suite yet")
    skips = [{"name": e["row"]} for e in due if e["result"] == "skip"]
    verdict = kunit.boot(work.path, target, build_dir, name, allowed=(*target.skip, *skips),
                          quiet=True)
    pinned = {suite: cases for suite, cases in plan.items() if suite in step.suites}
    problems = (verdict.problems + steps.differences(verdict.results, due)
                + judge.plan_differences(pinned, judge.plan_of(verdict.results)))
    return Check(f"{target.name}: {mail.name}", problems,
                 detail=f"{verdict.text()}, {len(pinned)} suites")


def _build(entry, work, mail, step):
    """Build a step in one of the other ways; return the Check."""
    target = targets.table()[entry["target"]].variant(entry["name"], entry.get("config", []))
    goals = [g for g in entry["goals"] if step.suites or g != "lib/kunit-gup/"]
    problems, _ = _make(target, work, step, f"series-{entry['name']}-built", goals,
                        f"series-{entry['name']}-{mail.name[:4]}")
    return Check(f"{entry['name']}: {mail.name}", problems, detail="built")


def _make(target, work, step, family, goals, name):
    """Build `goals` of a step; return (problems, the build directory)."""
    prune(work, family, ["all"])
    build_dir = build_directory(work, family, "all")
    log = paths.fresh_log(f"build-{name}")
    with work.at(step.commit, build_dir) as source, tempfile.TemporaryDirectory() as temporary:
        target, kunitconfig = _config(target, step, Path(temporary))
        try:
            build.configure(source, target, build_dir, log, kunitconfig)
            return build.make(source, target, build_dir, log, "olddefconfig", *goals,
                              what=f"building {name}"), build_dir
        except UserError as error:
            return [str(error)], build_dir


def _config(target, step, directory):
    """Return target and kunitconfig without the suites' options where there are none yet."""
    lines = paths.read(paths.REPO / "kunitconfig").splitlines()
    if not step.suites:
        lines = [line for line in lines if not line.startswith(OURS)]
        target = target.variant(target.name, config=[])
        kept = tuple(line for line in target.config if not line.startswith(OURS))
        target = targets.replace(target, config=kept)
    (directory / ".kunitconfig").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target, directory
