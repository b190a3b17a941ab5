# SPDX-License-Identifier: GPL-2.0-only
"""Rules for the files of this repository."""

import unittest

import support

from kunit_gup.check import lint, oracles

HEADER = """
#ifndef __MM_GUP_BATCH_H
#define __MM_GUP_BATCH_H
static inline unsigned int
gup_nr_things(struct page **pages,
	      unsigned int nr)
{
	return nr;
}

static noinline __maybe_unused int gup_more(int a)
{
	if (a) {
		a++;
	}
	return a;
}
#endif
"""
ACCESS = """
/* gup_nr_things() for the suites */
unsigned int gup_kunit_things(struct page **pages, unsigned int nr)
{
	return gup_nr_things(pages, nr);
}

unsigned int gup_kunit_harmless(struct page *page)
{
	return page_count(page);	/* not gup_nr_things() */
}
"""
WALKER = """
struct wrappers {
	int (*walk)(int a);
	int (*grab)(int a);
	int (*sum)(int a);
	int things;
};

struct count {
	long sum;
};

#ifdef CONFIG_ONE
static int gup_walk(int a)
{
	return gup_more(a);
}
#else
static int gup_walk(int a)
{
	return 0;
}
#endif

const struct wrappers wrappers = { .walk = gup_walk, .grab = try_grab, .sum = gup_walk,
	.things = 5 };
"""
ORACLE = """
/* It doesn't know gup_nr_things() or folio_pte_batch(). */
#include "gup_kunit.h"

int gup_oracle_page(struct page *page)
{
	pr_info("gup_more()");

	return %s;
}
"""
SUITE = """
static unsigned int ask(struct page **pages)
{
	return gup_kunit_things(pages, 5);
}

#define ASK_AGAIN(pages) \\
	ask(pages)

#define COUNT(gup_more)	((gup_more) + 1)

static void gup_things_oracle(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ASK_AGAIN(NULL), 0);
}
"""


def problems(prediction, **more):
    """Return what is wrong with an oracle that returns `prediction`."""
    files = {"mm/gup_batch.h": HEADER, "mm/gup_kunit_access.c": ACCESS, "mm/gup.c": WALKER,
             "lib/kunit-gup/gup_oracle.c": ORACLE % prediction,
             "lib/kunit-gup/gup_things_kunit.c": SUITE, "README.md": "gup_nr_things()"}
    return oracles.problems(files | more)


class Oracles(unittest.TestCase):
    """They share no code with what they judge, by no name."""

    def test_good(self):
        """What looks at one page is no problem, nor are comments, strings and fields."""
        for good in ("page_count(page)", "gup_kunit_harmless(page)", "wrappers.grab(1)",
                     "wrappers.things", "count->sum", "COUNT(2)", "row->more", "row->walks", "walk"):
            self.assertEqual(problems(good), [], good)

    def test_every_helper(self):
        """Every function of the header is known, as it is there."""
        for name in ("gup_nr_things", "gup_more"):
            self.assertEqual(problems(f"{name}(page)"),
                             [f"lib/kunit-gup/gup_oracle.c:9: {name} batches"])

    def test_kernel(self):
        """So is folio_pte_batch() in all its forms, and the batching of move_pages()."""
        for name in ("folio_pte_batch", "folio_pte_batch_flags", "do_pages_stat_more"):
            self.assertEqual(problems(f"{name}(page)"),
                             [f"lib/kunit-gup/gup_oracle.c:9: {name} batches"])

    def test_wrappers(self):
        """Wrappers of wrappers, macros, and members that point at them."""
        for what, name, by in (("gup_kunit_things(page, 1)", "gup_kunit_things", "gup_nr_things"),
                               ("ask(page)", "ask", "gup_kunit_things"),
                               ("ASK_AGAIN(page)", "ASK_AGAIN", "ask"),
                               ("gup_walk(1)", "gup_walk", "gup_more"),
                               ("other(d->walk)", ".walk", ".walk()"),
                               ("wrappers.sum(1)", ".sum()", "gup_walk")):
            self.assertEqual(problems(what),
                             [f"lib/kunit-gup/gup_oracle.c:9: {name} batches, by {by}"], what)

    def test_address_taken(self):
        self.assertEqual(len(problems("other(gup_more)")), 1)

    def test_include(self):
        text = '#include "gup_batch.h"\n' + ORACLE % "0"
        self.assertEqual(problems("0", **{"lib/kunit-gup/gup_oracle_more.c": text}),
                         ["lib/kunit-gup/gup_oracle_more.c: includes gup_batch.h"])

    def test_all_oracles(self):
        for name in ("gup_oracle_slow", "gup_oracle_nodes", "oracle/gup_x", "gup_mm_read"):
            found = problems("0", **{f"lib/kunit-gup/{name}.c": ORACLE % "ask(page)"})
            self.assertEqual(found, [f"lib/kunit-gup/{name}.c:9: ask batches, by gup_kunit_things"])

    def test_elsewhere(self):
        """A prediction in another file is not looked at, so it must not be there."""
        text = "int gup_%s(struct page *page)\n{\n\treturn 0;\n}\n"
        for name in ("nodes_reference", "lt_oracle", "mm_oracle_fast"):
            self.assertEqual(problems("0", **{"lib/kunit-gup/gup_x.c": text % name}),
                             [f"lib/kunit-gup/gup_x.c: gup_{name}() is a prediction, which "
                              "only an oracle makes"])
        for name in ("already_referenced", "walk_matches_oracle", "walk_expect_oracle", "preference"):
            self.assertEqual(problems("0", **{"lib/kunit-gup/gup_x.c": text % name}), [])

    def test_nothing_to_look_at(self):
        """Without the header or without an oracle, nothing was checked."""
        self.assertEqual(oracles.problems({}), ["mm/gup_batch.h is missing"])
        self.assertEqual(oracles.problems({"mm/gup_batch.h": HEADER}), ["there are no oracles"])

    def test_real_header(self):
        """The functions of mm/gup_batch.h are found, and nothing else."""
        text = (support.TOOLS.parent / "mm/gup_batch.h").read_text(encoding="utf-8")
        found = oracles.defined(text).keys() - {"__MM_GUP_BATCH_H",
                                                               "GUP_GUESS_MAX"}
        self.assertEqual(len(found), text.count("\n{\n"))
        self.assertLessEqual({"gup_nr_ptes", "gup_next_folio_entry", "gup_nr_shareable"}, found)


class Rows(unittest.TestCase):
    """What a reader cannot be asked to guess."""

    def found(self, pattern, text):
        """Return what is found in a C file of the suites, and nowhere else."""
        self.assertEqual(lint.rows({"mm/gup.c": text, "README.md": text}, pattern), [])
        return lint.rows({"lib/kunit-gup/a.c": text}, pattern)

    def test_expected_first(self):
        """A call that stands behind a constant is the actual value."""
        for text in ("\tKUNIT_ASSERT_EQ(test, 0, copy(to));", "\tKUNIT_EXPECT_EQ(q->m->test, -EINVAL,\n"
                     "\t\t\tmadvise(addr));", "\tKUNIT_EXPECT_PTR_EQ_MSG(test, NULL, find(x), \"a\");"):
            self.assertEqual(self.found(lint.EXPECTED_FIRST, f"\n{text}\n"),
                             ["lib/kunit-gup/a.c:2: " + self.shown(text)])
        for text in ("\tKUNIT_ASSERT_EQ(test, copy(to), 0);", "\tKUNIT_EXPECT_EQ(test, a, want(5));",
                     "\tKUNIT_EXPECT_EQ_MSG(test, a, 0, name(row));"):
            self.assertEqual(self.found(lint.EXPECTED_FIRST, text), [])

    @staticmethod
    def shown(text):
        """Return what the message has of a call: up to the actual value."""
        return " ".join(text.split()).rpartition("(")[0] + "("

    def test_positional(self):
        """A row has names, but for the two strings of a layout."""
        self.assertEqual(self.found(lint.POSITIONAL, 'x[] = {\n\t{ "15 of 40", 40, 15 },\n'),
                         ['lib/kunit-gup/a.c:2: { "15 of 40", 40, 15 }'])
        for text in ('\t{ .name = "0" },', '\t\t.layout = { "A2", "A0-3" },'):
            self.assertEqual(self.found(lint.POSITIONAL, text), [])
