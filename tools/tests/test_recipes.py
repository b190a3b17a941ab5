# SPDX-License-Identifier: GPL-2.0-only
"""How README's recipes are read."""

import unittest
from types import SimpleNamespace

import support

from kunit_gup.check import recipes
from kunit_gup.common.errors import UserError

TEXT = """**A row.** Add

    { .name = "x" },
    { .name = "y" },

to `some_rows` in `lib/kunit-gup/a.c`.

    another

**A suite.** None.
## End
"""
ARRAYS = "other_rows[] = {\n\t{ 1 },\n};\n\nstatic some_rows[] = {\n\t{ 2 },\n};\n\nint x;\n"


def result(name, status):
    """Return a result of this name."""
    return SimpleNamespace(name=name, status=status, failed=status == "FAIL")


class Recipes(unittest.TestCase):
    """What is found in README, and made of it."""

    def test_row(self):
        """The first block of the recipe goes to the end of its array."""
        row = recipes.Row(recipes.recipe(TEXT, "A row"))
        self.assertEqual(row.name, "x")
        self.assertEqual(row.files(lambda _: ARRAYS), {"lib/kunit-gup/a.c": ARRAYS.replace(
            "\t{ 2 },\n", '\t{ 2 },\n\t{ .name = "x" },\n\t{ .name = "y" },\n')})
        with self.assertRaisesRegex(UserError, "no some_rows in lib/kunit-gup/a.c"):
            row.files(lambda _: "int x;\n")

    def test_suite(self):
        """The copy has another name, and a line behind that of the model."""
        suite = recipes.Suite("`lib/kunit-gup/b/gup_old_kunit.c`")
        files = suite.files({"lib/kunit-gup/b/gup_old_kunit.c": '.name = "r"\n.name = "gup_old"\n',
                             "lib/kunit-gup/Makefile": "x += b/gup_old_kunit.o\nend\n"}.get)
        self.assertEqual(files, {
            "lib/kunit-gup/b/gup_example_kunit.c": '.name = "r"\n.name = "gup_example"\n',
            "lib/kunit-gup/Makefile":
                "x += b/gup_old_kunit.o\nx += b/gup_example_kunit.o\nend\n"})
        self.assertTrue(suite.problems([]))
        self.assertEqual(suite.problems([result("r", "PASS")]), [])
        self.assertTrue(suite.problems([result("r", "SKIP")]))

    def test_lacking(self):
        """A recipe that is not there, or lacks something, is named."""
        with self.assertRaisesRegex(UserError, "README.md has no"):
            recipes.recipe(TEXT, "A base")
        with self.assertRaisesRegex(UserError, "lacks an example"):
            recipes.block(recipes.recipe(TEXT, "A suite"))

    def test_expected(self):
        """The row has to be there once, with the status; if it passes, so do others."""
        rows = [result("s.c.x", "PASS"), result("s.c.z", "FAIL")]
        self.assertEqual(recipes.expected(rows[:1], "x", "PASS"), [])
        self.assertEqual(recipes.expected(rows, "x", "PASS"), ["s.c.z: FAIL"])
        self.assertEqual(recipes.expected(rows, "x", "FAIL"), ["s.c.x: PASS, not FAIL"])
        self.assertEqual(recipes.expected(rows, "z", "FAIL"), [])
        self.assertEqual(recipes.expected(rows, "y", "PASS"), ["0 rows are named 'y'"])

    def test_sample(self):
        """The lines are looked for without time, indentation and number of the line."""
        lines = recipes.sample("A failing row looks like this.\n\n        # c: at a.c:1\n    got 3\n")
        self.assertEqual(lines, ["    # c: at a.c:1", "got 3"])
        self.assertEqual(recipes.missing(lines, "[10:11:12]   # c: at a.c:22\n[10:11:12] got 4\n"),
                         ["not printed: got 3"])

    def test_readme(self):
        """README has all four."""
        text = (support.TOOLS.parent / "README.md").read_text(encoding="utf-8")
        self.assertTrue(recipes.Row(recipes.recipe(text, "A row")).text)
        self.assertTrue(recipes.Suite(recipes.recipe(text, "A suite")).file)
        self.assertIn("[[mutant]]", recipes.block(recipes.recipe(text, "A mutation")))
        self.assertIn("[target.", recipes.block(recipes.recipe(text, "A target")))


if __name__ == "__main__":
    unittest.main()
