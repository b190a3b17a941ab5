# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: all that CI needs, in one total; and the suites on several targets."""

import time

from ..common import checks, ui
from ..common.checks import Check
from ..common.errors import UserError
from ..publish import kernelci, series_check
from ..run import build_variants, kunit, module_runs, steps
from . import checkpatch, commands, lint, litmus, modules_check, objects, recipes, test, w1


def run(target, chosen, kdir, herd=""):
    """Run every stage, also after one that failed; return (passed, failed, skipped).

    The code is checked as it is built for `target`, the suites run on each of the `chosen`.
    `herd` names a herd7.
    """
    stages = {
        "tests of the tools": test.run,
        "lint": lambda: lint.run(kdir),
        "litmus tests": lambda: litmus.run(kdir, herd),
        "KernelCI's rules": lambda: kernelci.jobs(kdir),
        "checkpatch": lambda: checkpatch.run(kdir),
        "the mailed series": lambda: series_check.written(kdir),
        "W=1": lambda: w1.run(target, kdir),
        "what other commands build": lambda: commands.builds(kdir),
        "modules": lambda: modules_check.run(target, kdir),
        "object code": lambda: objects.run(kdir, brief=True),
        "steps": lambda: steps.run(target, kdir, brief=True),
        "README's recipes": lambda: recipes.run(target, kdir),
    }
    return _stages(stages, chosen, kdir, stepped=target)


def rest(chosen, module, stepped, kdir, command):
    """Run what takes longer and differs less: `make check-all`; return the totals.

    The steps are built for the target `stepped`. Commands that are in no stage run by
    `command` of cli.py.
    """
    stages = {
        "every step": lambda: steps.run(stepped, kdir),
        "build variants": lambda: build_variants.run(kdir, strict=True),
        "suites as a module": lambda: module_runs.checks(module, kdir, strict=True),
        "hot functions": lambda: objects.idle(kdir),
        "each command": lambda: commands.shortest(command),
    }
    return _stages(stages, chosen, kdir)


def _stages(stages, chosen, kdir, stepped=None):
    """Run the `stages` and the suites on the `chosen` targets; return the totals.

    The steps have built the kernel for the target `stepped`.
    """
    found, lines = [], []
    for name, stage in stages.items():
        begun = time.monotonic()
        checked = _guarded(name, stage)
        lines.append(_line(name, checks.totals(checked), begun))
        found += checked
    totals = [checks.totals(found),
              suites(chosen, kdir, strict=True, before=lines, stepped=stepped)]
    print("\nSummary: what failed or was skipped")
    for check in found:
        if check.problems or check.skipped:
            check.show()
    return added(totals)


def added(totals):
    """Return the sum of triples (passed, failed, skipped)."""
    return tuple(map(sum, zip((0, 0, 0), *totals)))


def _guarded(name, stage):
    """Run a stage; an error that ends it is one failed check."""
    ui.note(f"--- {name}")
    try:
        found = stage()
    except UserError as error:
        found = [Check(name, [str(error)])]
    for check in found:
        check.show()
    return found


def _line(name, totals, begun):
    """Return the line about what began at `begun` and is done now."""
    return "{:<28}{:>6} passed, {} failed, {} skipped; {:.0f} s".format(
        name, *totals, time.monotonic() - begun)


def suites(chosen, kdir=None, pattern="", strict=False, before=(), stepped=None):
    """Run the suites on each of the `chosen` targets; return the totals of their leaves.

    One line for each is printed at the end, with those of the stages `before`.
    """
    if len(chosen) == 1 and not strict:
        return kunit.run(chosen[0], kdir, pattern).totals
    lines, totals = list(before), []
    for target in chosen:
        begun = time.monotonic()
        totals.append(_suites(target, kdir, pattern, strict, target == stepped))
        lines.append(_line(f"suites on {target.name}", totals[-1], begun))
    print("\n" + "\n".join(lines))
    return added(totals)


def _suites(target, kdir, pattern, strict, stepped=False):
    """Run the suites on one target of several: an error is its failure, and the next one runs."""
    ui.note(f"--- suites on {target.name}")
    if target.why_not():
        print(f"skipped {target.name}: {target.why_not()}", flush=True)
        return 0, 0, 1
    try:
        built = steps.finished(target, kdir) if stepped else None
        verdict = kunit.run(target, kdir, pattern, strict, built)
    except UserError as error:
        print(f"FAILED suites on {target.name}: {error}", flush=True)
        return 0, 1, 0
    differs = [] if pattern else kernelci.losses(target.name)
    for problem in differs:
        print(f"PROBLEM {problem}", flush=True)
    verdict.problems += differs
    return verdict.totals
