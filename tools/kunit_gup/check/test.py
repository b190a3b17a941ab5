# SPDX-License-Identifier: GPL-2.0-only
"""The tests of the tools, as checks."""

import unittest

from ..common import paths
from ..common.checks import Check


class _Result(unittest.TestResult):
    """Collects one Check for each test."""

    def __init__(self):
        super().__init__()
        self.checks = []

    def _add(self, test, **kwargs):
        self.checks.append(Check(f"tool test {test.id()}", **kwargs))

    def addSuccess(self, test):         # noqa: N802 (names of unittest)
        """Take down a test that passed."""
        self._add(test)

    def addFailure(self, test, err):    # noqa: N802
        """Take down a test that failed."""
        self._add(test, problems=self._exc_info_to_string(err, test).splitlines())

    def addError(self, test, err):      # noqa: N802
        """Take down a test that broke."""
        self.addFailure(test, err)

    def addSubTest(self, test, subtest, err):   # noqa: N802
        """Take down a part of a test that failed."""
        if err is not None:
            self.addFailure(subtest, err)

    def addSkip(self, test, reason):    # noqa: N802
        """Take down a test that was skipped."""
        self._add(test, skipped=reason)


def run():
    """Run the tests in tools/tests; return the Checks."""
    result = _Result()
    unittest.defaultTestLoader.discover(str(paths.TOOLS / "tests"), pattern="test_*.py").run(result)
    return result.checks or [Check("tool tests", ["none found"])]
