# SPDX-License-Identifier: GPL-2.0-only
"""The main job: prepare, build, boot, let kunit.py parse, judge."""

import json
import re
import sys
from collections import Counter
from xml.etree import ElementTree

from ..common import paths, proc, ui
from ..common.errors import UserError
from ..tree import trees
from . import build, judge, machine, uml

PLAN = paths.TOOLS / "plan.json"
RESULT_LINE = re.compile(r"(^|\s)(not )?ok \d")
NONE_CHOSEN = re.compile(r"^(\[[ 0-9.]+\](\[ *[TC]\d+\])? )?1\.\.0$", re.M)
END = 12    # lines of a log that are shown
TIMED_OUT = re.compile(r"timed out after \d+ seconds")     # says kunit.py of UML


class NoResults(UserError):
    """The kernel ended before there was anything that kunit.py could parse."""


def run(target, kdir=None, pattern="", strict=False, built=None):
    """Run the suites that match `pattern` on `target`; return the Verdict.

    If the kernel is there, `built` is (source, build directory).
    """
    source, build_dir = built or _build(target, kdir, strict)
    verdict = boot(source, target, build_dir, target.name, pattern,
                   plan=None if pattern else pinned_plan())
    report(verdict, build_dir / "test.log")
    return verdict


def _build(target, kdir, strict=False):
    """Build the kernel with the suites; return (source, build directory)."""
    uml.look(target)        # before anything is fetched
    tree = trees.prepare(kdir, strict)
    build_dir = paths.build(tree.name, target.name)
    build.kunit_kernel(tree.path, target, build_dir, paths.fresh_log(f"build-{target.name}"))
    return tree.path, build_dir


def boot(tree, target, build_dir, name, pattern="", plan=None, allowed=None, quiet=False,
         prefix=()):
    """Boot the built kernel once; return the Verdict.

    The results are stored as build/results/NAME.json, .junit.xml and .log. The command is run
    by `prefix`, if there is one.
    """
    stored = files(name)
    show = (lambda line: None) if quiet else sys.stdout.write
    problems, log = [], build_dir / "test.log"
    if target.qemu:
        guest = machine.machine(tree, target, build_dir)
        problems = run_qemu(guest, name, log, machine.test_args(pattern), prefix)
        parse(tree, target, log, stored, show)
    else:
        problems = _run_uml(tree, target, build_dir, stored, pattern, show, prefix)
    text = paths.read(log)
    paths.write_atomically(stored["log"], text)
    results = read_results(stored)
    if not results:
        problems.append(no_test(text, pattern))
        return judge.Verdict([], problems + judge.bad_log_lines(text))
    verdict = judge.judge(results, text, target.skip if allowed is None else allowed, plan)
    verdict.problems = problems + verdict.problems
    return verdict


def no_test(log, pattern):
    """Return the one problem of a run without any result: the end of the kernel's log, or why."""
    if NONE_CHOSEN.search(log):
        return f"no suite or case is named {pattern}" if pattern else "the kernel has no suite"
    lines = [line.rstrip() for line in log.splitlines() if line.strip()]
    return "\n    ".join(["no test ran; the end of the kernel's log:", *lines[-END:]])


def files(name):
    """Return {kind: path} of the results that will be stored as `name`; there are none yet."""
    stored = paths_of(name)
    for path in stored.values():
        path.unlink(missing_ok=True)
    return stored


def paths_of(name):
    """Return {kind: path} of the results that are stored as `name`."""
    return {kind: paths.results("results", f"{name}.{kind}")
            for kind in ("json", "junit.xml", "log")}


def run_qemu(guest, name, log, kernel_args, prefix=(), counted=RESULT_LINE):
    """Boot a machine with its console in the file `log`; return what went wrong.

    Lines that match `counted` are results.
    """
    log.write_text("", encoding="utf-8")
    guest.settle()
    progress, count = ui.Progress(f"running {name}"), 0

    def watch(line):
        nonlocal count
        if counted.search(line):
            count += 1
            progress.update(f"{count} results")

    problems = guest.boot(log, kernel_args, watch, prefix)
    progress.done(f"{count} results")
    return problems


def _run_uml(tree, target, build_dir, stored, pattern, show, prefix):
    """Boot UML through kunit.py, which writes test.log and the results; return what went wrong."""
    command = [*prefix, *build.kunit_py(tree), "exec", f"--arch={target.arch}",
               f"--build_dir={build_dir}", f"--kunitconfig={tree / 'lib/kunit-gup'}",
               f"--timeout={target.timeout}", *_outputs(stored),
               *(f"--kernel_args={a.format(build_dir=build_dir)}"
                 for a in (*target.kernel_args, *machine.seed_args())),
               *([pattern] if pattern else [])]
    log = paths.fresh_log(f"kunit-{_name(stored)}")
    # kunit.py ends a kernel that hangs by SIGTERM alone, and waits for ever if it does not heed it.
    code = proc.logged(command, log, show, limit=target.timeout + 20, end=proc.kill_below,
                       env=uml.environment())
    if code is None or TIMED_OUT.search(paths.read(log)):
        return [f"{machine.HUNG}: it did not end within {target.timeout} s"]
    return []


def parse(tree, target, log, stored, show):
    """Let kunit.py make the results of a kernel's log."""
    command = [*build.kunit_py(tree), "parse", *_outputs(stored), log]
    proc.logged(command, paths.fresh_log(f"kunit-{_name(stored)}"), show)
    if stored["json"].exists():     # from a log alone, it does not know the architecture
        group = paths.stored(stored["json"])
        paths.write_atomically(stored["json"], json.dumps(with_arch(group, target.arch), indent=4))


def with_arch(group, arch):
    """Return a group of kunit.py's JSON with the architecture filled in, also in its groups."""
    return group | {"arch": arch,
                    "sub_groups": [with_arch(sub, arch) for sub in group["sub_groups"]]}


def read_results(stored):
    """Return the results that kunit.py stored."""
    if not stored["json"].exists() or not stored["junit.xml"].exists():
        raise NoResults(f"kunit.py gave no results for {_name(stored)}",
                        f"see {paths.results('logs', f'kunit-{_name(stored)}.log')}")
    reasons = judge.skip_reasons(ElementTree.parse(stored["junit.xml"]).getroot())
    return judge.leaves(paths.stored(stored["json"]), reasons)


def _outputs(stored):
    return [f"--json={stored['json']}", f"--junit={stored['junit.xml']}"]


def _name(stored):
    return stored["log"].stem


def pinned_plan():
    """Return the pinned plan; without the file every case is one too many."""
    return paths.stored(PLAN)


def pin_plan(target, kdir=None):
    """Run everything and pin what ran as the new plan."""
    source, build_dir = _build(target, kdir)
    verdict = boot(source, target, build_dir, target.name)
    report(verdict, build_dir / "test.log")
    if verdict.failures:
        raise UserError("the run is not clean, so the plan was left as it is", "mend it first")
    plan = judge.plan_of(verdict.results)
    paths.write_atomically(PLAN, json.dumps(plan, indent=1, sort_keys=True) + "\n")
    ui.note(f"pinned {sum(map(len, plan.values()))} cases of {len(plan)} suites in {PLAN}")
    return verdict


def report(verdict, log):
    """Show what failed, what was skipped and why, and where the kernel log is."""
    for result in verdict.failed:
        print(f"{result.status} {result.name or '(a crash)'}")
    for problem in verdict.problems:
        print(f"PROBLEM {problem}")
    for reason, count in Counter(r.reason for r in verdict.results if r.status == "SKIP").items():
        print(f"skipped {count}: {reason}")
    bad = f"{len(verdict.failures)} failures, " if verdict.failures else ""
    ui.note(f"{bad}kernel log: {log}; results: {paths.RESULTS / 'results'}")
