# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: all that CI needs, in one total."""

from . import checks, lint, objects, runner, selftest, static, steps, ui
from .checks import Check
from .errors import UserError


def run(target, kdir):
    """Run every stage, whatever an earlier one gave; return (passed, failed, skipped)."""
    stages = {
        "tests of the tools": selftest.run,
        "lint": lambda: lint.run(kdir),
        "checkpatch": lambda: static.checkpatch(kdir),
        "W=1": lambda: static.warnings(target, kdir),
        "modules": lambda: static.modules(target, kdir),
        "object code": lambda: objects.run(kdir),
        "steps": lambda: steps.run(target, kdir),
    }
    found = [check for name, stage in stages.items() for check in _guarded(name, stage)]
    totals = [checks.totals(found), _kunit(target, kdir)]
    print("\nSummary: what failed or was skipped")
    for check in found:
        if check.problems or check.skipped:
            check.show()
    return tuple(map(sum, zip(*totals)))


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


def _kunit(target, kdir):
    """Run the suites; return the totals of their leaves."""
    ui.note("--- suites")
    try:
        return runner.kunit(target, kdir, strict=True).totals
    except UserError as error:
        print(f"FAILED suites: {error}")
        return 0, 1, 0
