# SPDX-License-Identifier: GPL-2.0-only
"""What makes a run good or bad."""

import unittest
from xml.etree import ElementTree

import support  # noqa: F401 (sets the path)

from kunit_gup.common import checks
from kunit_gup.common.errors import UserError
from kunit_gup.run import judge, steps
from kunit_gup.run.judge import Result
from kunit_gup.tree import patches


def group(name, cases=(), groups=()):
    """Return a group as kunit.py writes it."""
    return {"name": name, "sub_groups": list(groups),
            "test_cases": [{"name": n, "status": s} for n, s in cases]}


def run_of(*rows):
    """Return the JSON of one suite `s`: a case `plain` and a case `table` with `rows`."""
    return group("KUnit Test Group", groups=[
        group("s", [("plain", "PASS")], [group("table", rows)])])


GOOD = run_of(("one row", "PASS"), ("two", "PASS"))
PLAN = {"s": {"plain": 1, "table": 2}}


class Judge(unittest.TestCase):
    """kunit.py's JSON and the kernel log."""

    def problems(self, json, log="", skips=(), plan=None):
        """Return the problems of a run as one text."""
        return "\n".join(judge.judge(judge.leaves(json), log, skips, plan).problems)

    def test_good_run(self):
        verdict = judge.judge(judge.leaves(GOOD), "all fine\n", (), PLAN)
        self.assertEqual((verdict.problems, verdict.totals), ([], (3, 0, 0)))

    def test_no_test(self):
        verdict = judge.judge([], "", (), None)
        self.assertEqual(verdict.totals, (0, 1, 0))

    def test_failure_and_crash(self):
        verdict = judge.judge(judge.leaves(run_of(("one", "FAIL"), ("two", "ERROR"))), "", ())
        self.assertEqual(verdict.totals, (1, 2, 0))

    def test_missing_suite_case_row(self):
        plan = {"s": {"plain": 1, "table": 3, "gone": 1}, "lost": {"x": 1}}
        text = self.problems(GOOD, plan=plan)
        for part in ("s.table: 2 of 3 rows", "s.gone: 0 of 1", "lost: suite is missing"):
            self.assertIn(part, text)

    def test_more_than_planned(self):
        self.assertIn("make plan", self.problems(GOOD, plan={"s": {"plain": 1, "table": 1}}))

    def test_skips(self):
        """A skip is good only if it is declared, by name or by the kernel's reason."""
        skipped = [Result(("s", "table", "one"), "SKIP", "no THP")]
        for declared in ({"name": "s"}, {"name": "s.table"}, {"name": "s.*"},
                         {"reason": "no THP"}, {"name": "s.table.one", "reason": "no THP"}):
            self.assertEqual(judge.judge(skipped, "", [declared]).problems, [])
        for declared in ({"name": "t"}, {"reason": "other"}, {"name": "s", "reason": "other"}):
            self.assertIn("s.table.one: skipped (no THP)",
                          judge.judge(skipped, "", [declared]).problems[0])

    def test_stale_skip(self):
        """A declared skip that does not happen is an error of an unfiltered run."""
        declared = [{"reason": "no THP"}]
        self.assertIn("did not happen", self.problems(GOOD, skips=declared, plan=PLAN))
        self.assertEqual(self.problems(GOOD, skips=declared), "")

    def test_skip_reasons(self):
        suite = ElementTree.fromstring(
            '<testsuite name="main"><testsuite name="s"><testcase name="a"/><testcase name="b">'
            "<skipped>no THP</skipped></testcase></testsuite></testsuite>")
        self.assertEqual(judge.skip_reasons(suite), {("s", "b"): "no THP"})

    def test_names(self):
        for bad in ("a#b", "a.b", "setup", "Upper", "x" * 128, "dash-ed"):
            self.assertTrue(self.problems(run_of((bad, "PASS"))), bad)
        self.assertIn("2 results", self.problems(run_of(("a", "PASS"), ("a", "PASS"))))

    def test_log(self):
        """Reports of the kernel fail the run, words in results do not."""
        for bad in ("WARNING: CPU: 0 PID: 1 at mm/gup.c:1", "BUG: KASAN: x", "INFO: task hung",
                    "UBSAN: shift-out-of-bounds in x", "kernel BUG at mm/gup.c:1!",
                    "WARNING: possible circular locking dependency detected"):
            self.assertIn("kernel log", self.problems(GOOD, log=f"ok\n[    1.0] {bad}\n"), bad)
        for good in ("    # case: WARNING: expected", "[    9.1][  T1]     ok 1 KASAN: x",
                     "kcsan: non-strict mode configured - use CONFIG_KCSAN_STRICT=y"):
            self.assertEqual(self.problems(GOOD, log=f"{good}\n"), "")

    def test_panic(self):
        """A kernel that panics in the middle: what is missing, and its last words."""
        text = self.problems(run_of(("one row", "PASS")), plan=PLAN, log=(
            "[    2.1] Kernel panic - not syncing: Fatal exception in interrupt\n"))
        self.assertEqual(text.splitlines(), [
            "kernel log: [    2.1] Kernel panic - not syncing: Fatal exception in interrupt",
            "s.table: 1 of 2 rows"])

    def test_plan_of(self):
        self.assertEqual(judge.plan_of(judge.leaves(GOOD)), PLAN)


class Choose(unittest.TestCase):
    """`make steps STEP=`: which steps are built."""

    def test_choose(self):
        """All of them, those that are named, or an error for one that is not there."""
        numbers = ["0001", "0002", "0003"]
        self.assertEqual(steps.choose(numbers, ""), numbers)
        self.assertEqual(steps.choose(numbers, "0003,0001"), ["0003", "0001"])
        with self.assertRaises(UserError):
            steps.choose(numbers, "0001,4")


class Steps(unittest.TestCase):
    """Expectations before a patch."""

    ROWS = [Result(("s", "c", "one"), "FAIL"), Result(("s", "c", "two"), "PASS"),
            Result(("s", "d"), "SKIP")]

    def check(self, row, result):
        """Return the differences with one expectation."""
        return steps.differences(self.ROWS, [{"row": row, "result": result, "until": "p"}])

    def test_expected_failure(self):
        """It explains the failing row, and nothing is left."""
        self.assertEqual(self.check("s.c.one", "fail"), [])

    def test_unexpected_failure(self):
        self.assertEqual(self.check("s.d", "skip"), ["s.c.one: FAIL"])

    def test_expected_failure_that_passes(self):
        """It is an error, so the table stays true."""
        self.assertIn("s.c.two: PASS, expected to fail until p", self.check("s.c", "fail"))

    def test_expectation_of_nothing(self):
        """A row that does not exist is an error."""
        self.assertIn("no such row", self.check("s.gone", "skip")[0])

    def test_turning(self):
        """Where expectations begin or end is where rows change; one from the start has no other."""
        due = [{"steps": range(0, 3)}, {"steps": range(2, 5)}, {"steps": range(4, 9)}]
        self.assertEqual(steps.turning(9, due), {0, 2, 3, 4, 5, 8})
        self.assertEqual(steps.turning(3, []), {0, 2})

    def test_target(self):
        """An expectation may be for one target only; all must be of patches that exist."""
        here = steps.load(self.slugs(), "i386-pae")
        self.assertEqual([e for e in here if e.get("target")],
                         [e for e in here if e not in steps.load(self.slugs(), "uml")])
        with self.assertRaisesRegex(UserError, "not in mm/patches"):
            steps.load(["other"], "uml")

    @staticmethod
    def slugs():
        """Return the patches."""
        return [patches.slug(patch) for patch in patches.patch_files()]


class Checks(unittest.TestCase):
    """Counting."""

    def test_totals(self):
        found = [checks.Check("a"), checks.Check("b", ["x"]), checks.Check("c", skipped="why")]
        self.assertEqual(checks.totals(found), (1, 1, 1))
