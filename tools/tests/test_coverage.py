# SPDX-License-Identifier: GPL-2.0-only
"""Counting what runs: which lines count, and what is said about those that do not."""

import re
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

import support  # noqa: F401 (sets the path)

from kunit_gup.check import coverage
from kunit_gup.common.errors import UserError

DIFF = """diff --git a/mm/gup.c b/mm/gup.c
--- a/mm/gup.c
+++ b/mm/gup.c
@@ -10,0 +11,2 @@ int changed(void)
+added
+added
@@ -30,2 +40,0 @@ int shorter(void)
-removed
-removed
"""
TOP = Path("/linux")
TEXT = {"mm/gup.c": [f"line {n};" for n in range(1, 61)],
        "mm/gup_batch.h": [f"helper {n};" for n in range(1, 11)]}


def counts(number, count, *branches):
    """Return a line as gcov has it."""
    return {"line_number": number, "count": count, "branches": [{"count": b} for b in branches]}


def document(*files):
    """Return what gcov says of an object."""
    return {"current_working_directory": "/linux/build", "files": [
        {"file": name, "lines": lines, "functions": [
            {"name": function, "start_line": first, "end_line": last, "execution_count": 1}
            for function, first, last in functions]} for name, functions, lines in files]}


def entry(text, **more):
    """Return an argument for a line of changed()."""
    return {"file": "mm/gup.c", "function": "changed", "text": text, "reason": "why"} | more


class Coverage(unittest.TestCase):
    """What is made of gcov's numbers."""

    def setUp(self):
        """Count two objects that share a header."""
        self.found = defaultdict(coverage.Source)
        functions = [("changed", 10, 14), ("shorter", 38, 42), ("same", 50, 55),
                     ("gup_kunit_door", 11, 12)]
        coverage.add(self.found, document(
            ("../mm/gup.c", functions, [counts(10, 1), counts(11, 0), counts(12, 3, 3, 0),
                                        counts(40, 2), counts(51, 0)]),
            ("../mm/gup_batch.h", [("helper", 1, 4)], [counts(2, 0), counts(3, 4, 4, 0)]),
            ("/usr/include/x.h", [("x", 1, 2)], [counts(1, 1)])), TOP)
        coverage.add(self.found, document(
            ("../mm/gup_batch.h", [("helper", 1, 4)], [counts(2, 1), counts(3, 1, 0, 1)])), TOP)

    def lines(self):
        """Return the lines that count."""
        return coverage.select(self.found, coverage.changed(DIFF), TEXT.get)

    def test_changed(self):
        """Added lines, and the line before those that were removed."""
        self.assertEqual(coverage.changed(DIFF), {"mm/gup.c": {11, 12, 40}})

    def test_which_lines_count(self):
        """Those of changed functions and of the header; not of others, and of no door."""
        self.assertEqual([(line.function, line.number) for line in self.lines()],
                         [("changed", 10), ("changed", 11), ("changed", 12), ("shorter", 40),
                          ("helper", 2), ("helper", 3)])

    def test_objects_are_added_up(self):
        """A line runs if it does in one object, and so for each way that it goes."""
        helper = [line for line in self.lines() if line.function == "helper"]
        self.assertEqual([line.count for line in helper], [1, 5])
        self.assertEqual(helper[1].branches, [[4, 1]])

    def test_unequal_branches_stay_apart(self):
        """The compiler made something else of the line."""
        known = []
        for numbers in ([1, 0], [1, 0, 0], [0, 2]):
            coverage._add_branches(known, numbers)
        self.assertEqual(known, [[1, 2], [1, 0, 0]])

    def test_a_line_that_never_ran_is_a_problem(self):
        """It is named."""
        lines = self.lines()
        problems = coverage.judge(lines, coverage.Rules([], []))
        self.assertEqual(len(problems), 1)
        self.assertIn("mm/gup.c:11 in changed(): line 11;", problems[0])
        self.assertEqual(coverage.figures(lines), {"lines": (5, 6), "branches": (3, 4)})

    def test_an_argument(self):
        """It is no problem any more; with `elsewhere`, it is not counted either."""
        for more, figure in (({}, (5, 6)), ({"elsewhere": "x86_64"}, (5, 5))):
            lines = self.lines()
            rules = coverage.Rules([], [entry("line 11;", **more)])
            self.assertEqual(coverage.judge(lines, rules), [])
            self.assertEqual(coverage.figures(lines)["lines"], figure)

    def test_branches_left_out(self):
        """By a rule, or by an argument."""
        for rules in (coverage.Rules([re.compile("^line 12")], [entry("line 11;")]),
                      coverage.Rules([], [entry("line 11;"), entry("line 12;")])):
            lines = self.lines()
            self.assertEqual(coverage.judge(lines, rules), [])
            self.assertEqual(coverage.figures(lines)["branches"], (2, 2))

    def test_an_argument_that_is_no_longer_needed(self):
        """Nor is one for a line that does not exist."""
        for text in ("line 10;", "line 60;"):
            rules = coverage.Rules([], [entry("line 11;"), entry(text)])
            self.assertEqual(len(coverage.judge(self.lines(), rules)), 1)

    def test_tracefile(self):
        """What is not counted is not in the report either."""
        lines = self.lines()
        coverage.judge(lines, coverage.Rules([], [entry("line 11;", elsewhere="x86_64")]))
        text = coverage.tracefile(lines, self.found, TOP)
        self.assertIn("SF:/linux/mm/gup.c\nFN:10,changed\nFNDA:1,changed\n", text)
        self.assertNotIn("DA:11,", text)
        self.assertIn("BRDA:12,0,1,0\n", text)
        self.assertEqual(text.count("end_of_record"), 2)

    def test_the_table(self):
        """It can be read, and what is wrong with another is one line."""
        coverage.load()
        path = Path(self.enterContext(tempfile.TemporaryDirectory()), "x.toml")
        for text in ("[[line]]\nfile = 'x'\n", "[[branches]]\ntext = '('\nreason = 'x'\n", "="):
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(UserError):
                coverage.load(path)


if __name__ == "__main__":
    unittest.main()
