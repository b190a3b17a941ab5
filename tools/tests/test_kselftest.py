# SPDX-License-Identifier: GPL-2.0-only
"""kselftest on two kernels: what is read from a console, and what counts as a difference."""

import unittest

import support  # noqa: F401 (sets the path)

from kunit_gup.measure import kselftest

CONSOLE = """\
kunit-gup: begin /cow
TAP version 13
1..3
# [RUN] Basic COW after fork() ... with base page
ok 1 No leak from parent into child
[    3.141592] not ok 2 Basic COW
ok 3 # SKIP MADV_PAGEOUT did not work, is swap enabled?
# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:1 error:0

kunit-gup: end 1
kunit-gup: begin /migration
TAP version 13

kunit-gup: end hung
kunit-gup: begin /khugepaged all:shmem
"""


class KselftestTest(unittest.TestCase):
    """The parser and the comparison."""

    def setUp(self):
        self.found = kselftest.parse(CONSOLE)

    def test_results(self):
        cow = self.found["cow"]
        self.assertEqual(cow.end, "1")
        self.assertEqual(list(cow.results.values()), ["pass", "fail", "skip"])
        self.assertEqual(cow.text(), "exit 1: 1 pass, 1 fail, 1 skip")

    def test_hang_and_dead_kernel(self):
        self.assertEqual(self.found["migration"].end, "hung")
        self.assertEqual(self.found["khugepaged all:shmem"].end, "never ended")

    def test_same(self):
        self.assertEqual(kselftest.differences(self.found["cow"], self.found["cow"]), [])

    def test_no_result_is_no_agreement(self):
        self.assertTrue(kselftest.differences(kselftest.Outcome(), kselftest.Outcome()))

    def test_one_result_differs(self):
        other = kselftest.parse(CONSOLE.replace("not ok 2", "ok 2"))["cow"]
        self.assertEqual(kselftest.differences(self.found["cow"], other),
                         ["2 Basic COW: fail, patched pass"])

    def test_one_hangs(self):
        other = kselftest.parse(CONSOLE.replace("end 1", "end hung"))["cow"]
        self.assertEqual(kselftest.differences(self.found["cow"], other),
                         ["ended 1, patched hung"])

    def test_a_result_is_missing(self):
        other = kselftest.parse(CONSOLE.replace("ok 1 No leak", "# 1 No leak"))["cow"]
        self.assertEqual(len(kselftest.differences(self.found["cow"], other)), 1)
