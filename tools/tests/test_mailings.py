# SPDX-License-Identifier: GPL-2.0-only
"""The series in pieces, and the kernel's files without the test access."""

import unittest

import test_series
from support import Sandbox

from kunit_gup.common.errors import UserError
from kunit_gup.publish import access, mailings

WITH = """\
#include <linux/mm.h>

#include <kunit/static_stub.h>

#include "internal.h"
#include "gup_kunit_access.h"

/* Only to be replaced. */
static int wrapper(void)
{
	KUNIT_STATIC_STUB_REDIRECT(wrapper);

	return real();
}

#if defined(CONFIG_A) || defined(CONFIG_GUP_KUNIT_ACCESS)
static int walk(int a, int b)
{
	int i;

	KUNIT_STATIC_STUB_REDIRECT(walk, a,
				   b);

	return wrapper();
}
#endif /* CONFIG_A || CONFIG_GUP_KUNIT_ACCESS */

#ifdef CONFIG_GUP_KUNIT_ACCESS
#ifdef CONFIG_B
static int more;
#endif
const struct gup_kunit_gup gup_kunit_gup = {
	.walk = walk,
};
#endif
"""
WITHOUT = """\
#include <linux/mm.h>

#include "internal.h"

#ifdef CONFIG_A
static int walk(int a, int b)
{
	int i;

	return real();
}
#endif /* CONFIG_A */
"""
WRAPPERS = [("/* Only to be replaced. */\nstatic int wrapper(void)\n{\n\treturn real();\n}\n\n", ""),
            ("wrapper(", "real(")]
HEADER = """\
/* What is used of it. */
#ifndef H
#define H

#ifdef CONFIG_MMU
/* How many. */
#define MOST	8

/* One, not most(). */
static inline int
one(int a)
{
	a++;

	return a < MOST;
}

/* More. */
static inline int most(int a)
{
	return one(a);
}

#endif /* CONFIG_MMU */
#endif
"""


class Access(unittest.TestCase):
    """Each form of the test access goes, and nothing else."""

    def test_all_forms(self):
        self.assertEqual(access.without(WITH, WRAPPERS), WITHOUT)

    def test_nothing_to_do(self):
        self.assertEqual(access.without(WITHOUT, WRAPPERS), WITHOUT)

    def test_part_of_a_condition(self):
        """What was opened between two parts of a condition is one part again."""
        for before in ("}\n\n", "}\n"):
            text = (f"#ifdef CONFIG_N\n{before}#endif /* CONFIG_N */\n\n#if defined(CONFIG_N) || "
                    "defined(CONFIG_GUP_KUNIT_ACCESS)\nint b;\n#endif /* CONFIG_N */\n")
            self.assertEqual(access.without(text, []),
                             "#ifdef CONFIG_N\n}\n\nint b;\n#endif /* CONFIG_N */\n")

    def test_block_without_an_end(self):
        with self.assertRaisesRegex(UserError, "has no end"):
            access.without("#ifdef CONFIG_GUP_KUNIT_ACCESS\nint a;\n", [])

    def test_rest_is_refused(self):
        """A form that is not known stops the mailing; what the kernel has itself does not."""
        access.refuse_rest("mm/a.c", "#include <kunit/test.h>\n", "#include <kunit/test.h>\n")
        with self.assertRaisesRegex(UserError, "mm/a.c without .* still has: gup_kunit_see"):
            access.refuse_rest("mm/a.c", "", "int a;\n\tgup_kunit_see(a);\n")


class Pieces(unittest.TestCase):
    """The header that grows, changes that are merged, and the order."""

    def test_used(self):
        """Functions and macros come when they are called, those that they need with them."""
        self.assertEqual(mailings.used(HEADER, "int x = most(1);"), HEADER)
        one = mailings.used(HEADER, "int x = one(1); /* most(x) */")
        self.assertIn("MOST\t8", one)
        self.assertIn("one(int a)", one)
        self.assertNotIn("/* More. */", one)
        none = mailings.used(HEADER, "int x;")
        self.assertEqual(none, "/* What is used of it. */\n#ifndef H\n#define H\n\n"
                               "#ifdef CONFIG_MMU\n#endif /* CONFIG_MMU */\n#endif\n")

    def test_merged(self):
        lines = [f"line {number}\n" for number in range(12)]
        old, new, ours = "".join(lines), "".join([*lines[:10], "new\n"]), "".join(["a\n", *lines])
        self.assertEqual(mailings.merged(old, old, new, "x"), new)
        self.assertEqual(mailings.merged(ours, old, new, "x"), "a\n" + new)
        with self.assertRaisesRegex(UserError, "slug: mm/a.c does not fit behind"):
            mailings.merged(ours.replace("line 10", "other"), old, new, "slug: mm/a.c")

    def test_order(self):
        """What a mailing needs comes before it, and backwards is as far from that as can be."""
        a, b, c, d = (mailings.Mailing(name, behind) for name, behind in
                      (("a", []), ("b", ["a"]), ("c", []), ("d", ["b"])))
        self.assertEqual(mailings.needed([a, b, c, d], d), [a, b, d])
        self.assertEqual(mailings.needed([a, b, c, d], c), [c])
        self.assertEqual(mailings.backwards([a, b, c, d]), [c, a, b, d])


class Written(Sandbox):
    """`make series` in the small world of test_series.py, with mailings."""

    MAILINGS = """
[[mailing]]
name = "core"
[[mailing.patch]]
patches = ["mm-gup-call-one"]
subject = "mm/gup: call"
message = "One."
[[mailing]]
name = "tests"
behind = ["core"]
title = "lib/kunit-gup: tests"
text = "Some."
"""

    def setUp(self):
        """Have the suites and patches, and two mailings."""
        super().setUp()
        test_series.Series.populate(self)
        (self.repo / "tools/series.toml").write_text(test_series.TABLE + self.MAILINGS, encoding="utf-8")
        self.series = self.repo / "build/series"

    def names(self, name):
        """Return the names of the mails in a mailing."""
        return [path.name[5:-6] for path in sorted((self.series / name).glob("*.patch"))]

    def test_folders(self):
        """A patch that was behind another one stands alone, with its own message."""
        self.run_tool("series")
        self.assertEqual(self.names("core"), ["mm-gup-call"])
        self.assertEqual(self.names("tests"), ["cover-letter", "mm-gup-rename-5",
                                               "lib-kunit-gup-first", "lib-kunit-gup-second"])
        text = next((self.series / "core").glob("0001*")).read_text(encoding="utf-8")
        self.assertIn("\n\nOne.\n---\n", text)
        self.assertNotIn("renamed_5", text)
        letter = (self.series / "tests/0000-cover-letter.patch").read_text(encoding="utf-8")
        self.assertIn("Subject: [PATCH 0/3] lib/kunit-gup: tests\n\nSome.\n", letter)
        self.assertIn("It goes behind core.", letter)

    def test_unknown_patch(self):
        for old, new, says in (("mm-gup-call-one\"]", "mm-gone\"]", "not in mm/patches"),
                               ("\"mm-gup-call-one\"]", "\"mm-gup-call-one\", \"mm-gup-call-one\"]",
                                "in another one, too")):
            text = test_series.TABLE + self.MAILINGS.replace(old, new)
            (self.repo / "tools/series.toml").write_text(text, encoding="utf-8")
            self.assertIn(says, self.run_tool("series", good=False))


if __name__ == "__main__":
    unittest.main()
