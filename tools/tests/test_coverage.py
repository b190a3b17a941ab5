# SPDX-License-Identifier: GPL-2.0-only
"""Counting what runs: which lines count, and what is said about those that do not."""

import re
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401 (sets the path)

from kunit_gup.check import coverage
from kunit_gup.common.errors import UserError

TEXT = {"mm/gup.c": "".join(f"{line}\n" for line in (
            "int changed(void)", "{", "added;", "if (b)", "added;", "}",
            "int shorter(void)", "{", "here;", "}", "int same(void)", "{", "line 13;", "}",
            "int gup_kunit_wrapper(void)", "{", "added;", "}")),
        "mm/gup_batch.h": "int helper(void)\n{\nhelper 3;\nif (helper 4)\n}\n"}
DIFF = """diff --git a/mm/gup.c b/mm/gup.c
--- a/mm/gup.c
+++ b/mm/gup.c
@@ -2,0 +3,3 @@ int changed(void)
+added
+added
+added
@@ -30,2 +9,0 @@ int shorter(void)
-removed
-removed
@@ -40,0 +17 @@ int gup_kunit_wrapper(void)
+added
"""
TRACE = """TN:
SF:mm/gup.c
FN:1,changed
FN:11,same
FNDA:1,changed
FNDA:0,same
DA:3,1
BRDA:4,0,0,3
BRDA:4,0,1,-
DA:4,3
DA:5,0
DA:9,2
DA:13,0
DA:17,1
LH:5
end_of_record
SF:mm/gup_batch.h
BRDA:4,0,0,4
BRDA:4,0,1,1
DA:3,1
DA:4,5
end_of_record
SF:/usr/include/x.h
DA:1,1
end_of_record
"""


def entry(text, **more):
    """Return an argument for a line of changed()."""
    return {"file": "mm/gup.c", "function": "changed", "text": text, "reason": "why"} | more


class Coverage(unittest.TestCase):
    """What is made of lcov's numbers."""

    @staticmethod
    def lines():
        """Return the lines that count."""
        return coverage.select(coverage.read(TRACE), coverage.changed(DIFF), TEXT.get)

    def test_changed(self):
        """Added lines, and the line before those that were removed."""
        self.assertEqual(coverage.changed(DIFF), {"mm/gup.c": {3, 4, 5, 9, 17}})

    def test_which_lines_count(self):
        """Those of changed functions and of the header; not of others, and of no wrapper."""
        self.assertEqual([(line.function, line.number, line.count) for line in self.lines()],
                         [("changed", 3, 1), ("changed", 4, 3), ("changed", 5, 0),
                          ("shorter", 9, 2), ("helper", 3, 1), ("helper", 4, 5)])

    def test_a_line_that_never_ran_is_a_problem(self):
        lines = self.lines()
        problems = coverage.judge(lines, coverage.Rules([], []))
        self.assertEqual(len(problems), 1)
        self.assertIn("mm/gup.c:5 in changed(): added;", problems[0])
        self.assertEqual(coverage.figures(lines), {"lines": (5, 6), "branches": (3, 4)})

    def test_an_argument(self):
        """It is no problem any more; with `elsewhere`, it is not counted either."""
        for more, figure in (({}, (5, 6)), ({"elsewhere": "x86_64"}, (5, 5))):
            lines = self.lines()
            rules = coverage.Rules([], [entry("added;", **more)])
            self.assertEqual(coverage.judge(lines, rules), [])
            self.assertEqual(coverage.figures(lines)["lines"], figure)

    def test_branches_left_out(self):
        for rules in (coverage.Rules([re.compile(r"^if \(b")], [entry("added;")]),
                      coverage.Rules([], [entry("added;"), entry("if (b)")])):
            lines = self.lines()
            self.assertEqual(coverage.judge(lines, rules), [])
            self.assertEqual(coverage.figures(lines)["branches"], (2, 2))

    def test_an_argument_that_is_no_longer_needed(self):
        """Nor is one for a line that does not exist."""
        for text in ("if (c)", "here;"):
            rules = coverage.Rules([], [entry("added;"), entry(text)])
            self.assertEqual(len(coverage.judge(self.lines(), rules)), 1)

    def test_report(self):
        """What is not counted is not in the report either."""
        lines = self.lines()
        coverage.judge(lines, coverage.Rules([re.compile("helper 4")],
                                             [entry("added;", elsewhere="x86_64")]))
        self.assertEqual(coverage.counted_only(TRACE, lines), """TN:
SF:mm/gup.c
FN:1,changed
FNDA:1,changed
DA:3,1
BRDA:4,0,0,3
BRDA:4,0,1,-
DA:4,3
DA:9,2
end_of_record
SF:mm/gup_batch.h
DA:3,1
DA:4,5
end_of_record
""")

    def test_the_table(self):
        """It can be read, and what is wrong with another is one line."""
        coverage.load()
        path = Path(self.enterContext(tempfile.TemporaryDirectory()), "x.toml")
        for text in ("[[line]]\nfile = 'x'\n", "[[branches]]\ntext = '('\nreason = 'x'\n", "="):
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(UserError):
                coverage.load(path)
