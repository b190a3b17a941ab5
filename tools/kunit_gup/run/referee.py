# SPDX-License-Identifier: GPL-2.0-only
"""`make kunit PEER=`: the suites judge another series, with the test access and without ours."""

import re
from collections import Counter, defaultdict

from ..common import paths, ui
from ..common.errors import UserError
from ..tree import patches, peers, trees
from ..tree.worktree import Worktree, build_directory
from . import build, judge, kunit, steps

SUITES = paths.REPO / "lib/kunit-gup/README"
KINDS = {"right": "as it should be", "wrong": "not as it should be, and 7.3 is",
         "as 7.3": "a fault that 7.3 has as well", "better": "right where 7.3 is not",
         "n/a": "about this project's own functions", "skipped": "this machine cannot have it"}
END = re.compile(r"^\s*(not )?ok \d+ (.*?)( # SKIP.*)?$")


def run(target, kdir, chosen, pattern=""):
    """Run the suites on each of the peers `chosen`, show the verdicts; return the totals."""
    tree, totals = trees.prepare(kdir, strict=True), Counter()
    for peer in peers.names(chosen):
        totals.update(_judge(tree, target, peer, pattern))
    return tuple(totals[kind] for kind in ("passed", "failed", "skipped"))


def _judge(tree, target, peer, pattern):
    name = peers.title(peer)
    commit, left = peers.with_access(tree, peer)
    for hunk in left:
        ui.note(f"{name}: without this of the test access, as it changes the same lines: {hunk}")
    work = Worktree(tree)
    build_dir = build_directory(work, steps.family(target), name)
    with work.at(commit, build_dir) as path:
        try:
            build.kunit_kernel(path, target, build_dir, paths.fresh_log(f"build-{name}"))
        except build.Failed as error:
            raise UserError(f"the suites do not build on PEER={peer}: {error}",
                            "it may lack a function that mm/gup_kunit_access.h names") from None
    plan = None if pattern else kunit.pinned_plan()
    verdict = kunit.boot(work.path, target, build_dir, name, pattern, plan=plan, quiet=True,
                         allowed=[{"name": "*"}])
    due = expectations(tree, target)
    kinds = {r: kind(r, due) for r in verdict.results}
    show(name, kinds, messages(verdict.results, paths.read(build_dir / "test.log")))
    for problem in verdict.problems:
        print(f"FAILED {name}: {problem}", flush=True)
    count = Counter(kinds.values())
    return {"passed": count["right"] + count["better"] + count["as 7.3"],
            "failed": count["wrong"] + len(verdict.problems),
            "skipped": count["n/a"] + count["skipped"]}


def expectations(tree, target):
    """Return what tools/steps.toml says about 7.3 with the test access alone."""
    slugs = [patches.slug(patch) for patch, _ in trees.tested_steps(tree)]
    return [entry for entry in steps.load(slugs, target.name) if 0 in entry["steps"]]


def kind(result, due):
    """Return which of KINDS a result is; `due` are the expectations of 7.3."""
    expected = {entry["result"] for entry in due if judge.matches(result, entry["row"])}
    if result.failed:
        return "as 7.3" if "fail" in expected else "wrong"
    if result.status == "SKIP":
        return "n/a" if "skip" in expected else "skipped"
    return "better" if "fail" in expected else "right"


def show(name, kinds, said):
    """Print the table of the suites, and the rows that are wrong with what the suite asks."""
    table = defaultdict(Counter)
    for result, its in kinds.items():
        table[result.path[0]][its] += 1
    width = max(map(len, table), default=0)
    print(f"\n{name}:\n{'':{width}}" + "".join(f"{each:>9}" for each in KINDS))
    for suite, count in table.items():
        print(f"{suite:{width}}" + "".join(f"{count[each] or '-':>9}" for each in KINDS))
    print("\n" + "\n".join(f"{each:<8} {text}" for each, text in KINDS.items()))
    asks, last = questions(paths.read(SUITES)), ""
    for result, its in kinds.items():
        if its != "wrong":
            continue
        if result.path[0] != last:
            last = result.path[0]
            print(f"\n{last} asks: {asks.get(last, '?')}")
        print(f"wrong {result.name}" + "".join(f"\n    {line}" for line in said.get(result, [])),
              flush=True)
    print(flush=True)


def questions(text):
    """Return {suite: what it asks} of lib/kunit-gup/README."""
    found = re.findall(r"^  (gup_\w+) +(.*\n(?: {20,}.*\n)*)", text, re.M)
    return {suite: " ".join(asked.split()) for suite, asked in found}


def messages(results, log):
    """Return {failed result: the lines that the kernel printed about it}."""
    found, lines, failed = {}, [], [r for r in results if r.failed]
    for line in log.splitlines():
        text = judge.STAMP.sub("", line)
        end = END.match(text)
        if not end:
            lines.append(text.strip())
            continue
        if failed and end[1] and end[2].strip() == failed[0].path[-1]:
            at = max((i for i, each in enumerate(lines) if " FAILED at " in each), default=-1)
            found[failed.pop(0)] = lines[at + 1:at + 3] if at >= 0 else []
        lines = []
    return found
