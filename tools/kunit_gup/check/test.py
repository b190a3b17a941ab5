# SPDX-License-Identifier: GPL-2.0-only
"""`make test`: the tests of the tools, a Check for each."""

import unittest

from ..common import paths
from ..common.checks import Check


def run():
    """Run the tests in tools/tests; return the Checks."""
    found = unittest.defaultTestLoader.discover(str(paths.TOOLS / "tests"), pattern="test_*.py")
    return [_run(test) for test in _each(found)] or [Check("tool tests", ["none found"])]


def _each(suite):
    """Return the single tests of a suite."""
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return [test for part in suite for test in _each(part)]


def _run(test):
    result = unittest.TestResult()
    test.run(result)
    problems = [text for _, text in result.errors + result.failures]
    return Check(f"tool test {test.id()}", "".join(problems).splitlines(),
                 skipped="; ".join(reason for _, reason in result.skipped))
