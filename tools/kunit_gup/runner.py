# SPDX-License-Identifier: GPL-2.0-only
"""The main job: prepare, build, boot through kunit.py, judge."""

import json
import sys
from collections import Counter
from xml.etree import ElementTree

from . import build, judge, paths, proc, tree as trees, ui
from .errors import UserError

PLAN = paths.TOOLS / "plan.json"


def kunit(target, kdir=None, pattern="", strict=False):
    """Run the suites that match `pattern` on `target`; return the Verdict."""
    tree = trees.prepare(kdir, strict)
    build_dir = build.directory(tree.name, target.name)
    build.kunit_kernel(tree.path, target, build_dir, paths.fresh_log(f"build-{target.name}"))
    verdict = boot(tree.path, target, build_dir, target.name, pattern,
                   plan=None if pattern else pinned_plan())
    report(verdict, build_dir / "test.log")
    return verdict


def boot(tree, target, build_dir, name, pattern="", plan=None, allowed=None, quiet=False,
         prefix=()):
    """Boot the built kernel once through kunit.py; return the Verdict.

    The results are stored as build/results/NAME.json, .junit.xml and .log. The command is run
    by `prefix`, if there is one.
    """
    stored = {kind: paths.results("results", f"{name}.{kind}")
              for kind in ("json", "junit.xml", "log")}
    for path in stored.values():
        path.unlink(missing_ok=True)
    command = [*prefix, *build.kunit_py(tree), "exec", f"--arch={target.arch}", f"--build_dir={build_dir}",
               f"--kunitconfig={tree / 'lib/kunit-gup'}", f"--timeout={target.timeout}",
               f"--json={stored['json']}", f"--junit={stored['junit.xml']}",
               *(f"--kernel_args={a.format(build_dir=build_dir)}"
                 for a in target.kernel_args), *([pattern] if pattern else [])]
    show = (lambda line: None) if quiet else sys.stdout.write
    proc.logged(command, paths.fresh_log(f"kunit-{name}"), show)
    log = (build_dir / "test.log").read_text(encoding="utf-8", errors="replace")
    paths.write_atomically(stored["log"], log)
    if not stored["json"].exists():
        raise UserError(f"kunit.py gave no results for {name}",
                        f"see {paths.results('logs', f'kunit-{name}.log')}")
    reasons = judge.skip_reasons(ElementTree.parse(stored["junit.xml"]).getroot())
    results = judge.leaves(json.loads(stored["json"].read_text(encoding="utf-8")), reasons)
    return judge.judge(results, log, target.skip if allowed is None else allowed, plan)


def pinned_plan():
    """Return the pinned plan; without the file every case is one too many."""
    if not PLAN.exists():
        return {}
    return json.loads(PLAN.read_text(encoding="utf-8"))


def pin_plan(target, kdir=None):
    """Run everything and pin what ran as the new plan."""
    tree = trees.prepare(kdir)
    build_dir = build.directory(tree.name, target.name)
    build.kunit_kernel(tree.path, target, build_dir, paths.fresh_log(f"build-{target.name}"))
    verdict = boot(tree.path, target, build_dir, target.name)
    report(verdict, build_dir / "test.log")
    if verdict.problems or verdict.count("FAIL", "ERROR"):
        raise UserError("the run is not clean, so the plan was left as it is", "mend it first")
    plan = judge.plan_of(verdict.results)
    paths.write_atomically(PLAN, json.dumps(plan, indent=1, sort_keys=True) + "\n")
    ui.note(f"pinned {sum(map(len, plan.values()))} cases of {len(plan)} suites in {PLAN}")
    return verdict


def report(verdict, log):
    """Show what failed, what was skipped and why, and where the kernel log is."""
    for result in verdict.results:
        if result.status in ("FAIL", "ERROR"):
            print(f"{result.status} {result.name or '(a crash)'}")
    for problem in verdict.problems:
        print(f"PROBLEM {problem}")
    for reason, count in Counter(r.reason for r in verdict.results if r.status == "SKIP").items():
        print(f"skipped {count}: {reason}")
    ui.note(f"kernel log: {log}; results: {paths.RESULTS / 'results'}")
