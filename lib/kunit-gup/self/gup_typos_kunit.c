// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_typos: a typo in a layout is an error, and not another layout.
 *
 * Each row has texts of a layout that are wrong in one place, and the message.
 * Those without a message have all that may be in a layout. A test with such a
 * layout ends with the message, see GUP_ASSERT_LAYOUT().
 */
#include "fixture/gup_fixture.h"
#include "fixture/gup_layout_check.h"

/**
 * struct gup_typo_row - texts of a layout, and the message
 * @name:   what is wrong
 * @rules:  those of the fixture, NULL for a page table of its own
 * @folios: folios
 * @ptes:   entries
 * @max:    the most entries, pages, addresses or statuses; 0 for 512
 * @vmas:   VMAs
 * @ask:    addresses
 * @want:   statuses
 * @says:   the message, NULL if there is none
 *
 * A row has folios and entries, or one of the others.
 */
struct gup_typo_row {
	const char *name;
	const struct gup_layout_rules *rules;
	const char *folios;
	const char *ptes;
	unsigned int max;
	const char *vmas;
	const char *ask;
	const char *want;
	const char *says;
};

static const struct gup_typo_row gup_typo_rows[] = {
	{ .name = "all that there is",
	  .folios = "A4 B1f C0h D2m E0s F0k G0u H0_ I1+ J0f!+ K L!",
	  .ptes = "A0-7:rw A15-8 B1:socdpxb . .3 @ @2 Z Z2:r K L" },
	{ .name = "all that there is in a real mm", .rules = &gup_rules_mm,
	  .folios = "A4 B1f C0h D2m E0s F0k G0u H0 I1+ J0f+ K L",
	  .ptes = "A0-7:rw A15-8 B1:socdpx . .3 @ @2 Z Z2:r K L" },
	{ .name = "unknown kind", .folios = "A2 B1q",
	  .says = "\"B1q\": unknown kind q" },
	{ .name = "two kinds", .folios = "A2fh",
	  .says = "\"A2fh\": h is too much" },
	{ .name = "mark twice", .folios = "A2 B0+f+",
	  .says = "\"B0+f+\": f+ is too much" },
	{ .name = "mark and mark again", .folios = "A2 B0+!+",
	  .says = "\"B0+!+\": + twice" },
	{ .name = "no reference in a real mm", .rules = &gup_rules_mm,
	  .folios = "A2_", .says = "\"A2_\": unknown kind _" },
	{ .name = "behind nothing", .folios = "A2+",
	  .says = "\"A2+\": nothing to be behind" },
	{ .name = "folio by a small letter", .folios = "a2",
	  .says = "\"a2\": a is not the letter of a folio" },
	{ .name = "folio by the letter of the zero page", .folios = "Z",
	  .says = "\"Z\": Z is not the letter of a folio" },
	{ .name = "folio left out", .folios = "A2 C0",
	  .says = "\"C0\": the next folio is B" },
	{ .name = "folio twice", .folios = "A2 A0",
	  .says = "\"A0\": the next folio is B" },
	{ .name = "order too large", .folios = "A99",
	  .says = "\"A99\": order 99 is too large" },
	{ .name = "order beyond all numbers", .folios = "A4294967298",
	  .says = "\"A4294967298\": order 1000000 is too large" },
	{ .name = "space in front", .folios = " A2",
	  .says = "\"\": empty word" },
	{ .name = "two spaces", .folios = "A2", .ptes = "A0  A1",
	  .says = "\"\": empty word" },
	{ .name = "space behind", .folios = "A2", .ptes = "A0 ",
	  .says = "\"\": empty word" },
	{ .name = "unknown bit", .folios = "A2", .ptes = "A0:q A1",
	  .says = "\"A0:q\": unknown bit q" },
	{ .name = "unknown bit behind one that is known", .folios = "A2",
	  .ptes = "A0:rq", .says = "\"A0:rq\": unknown bit q" },
	{ .name = "bit twice", .folios = "A2", .ptes = "A0:ror",
	  .says = "\"A0:ror\": bit r twice" },
	{ .name = "colon without a bit", .folios = "A2", .ptes = "A0: A1",
	  .says = "\"A0:\": no bit" },
	{ .name = "bit without a colon", .folios = "A2", .ptes = "A0r",
	  .says = "\"A0r\": r is too much" },
	{ .name = "bits of a hole", .folios = "A2", .ptes = ".:r",
	  .says = "\".:r\": :r is too much" },
	{ .name = "block in a real mm", .rules = &gup_rules_mm, .folios = "A4",
	  .ptes = "A0-15:b", .says = "\"A0-15:b\": unknown bit b" },
	{ .name = "folio not declared", .folios = "A2", .ptes = "A0-3 B0",
	  .says = "\"B0\": folio B is not declared" },
	{ .name = "page beyond the folio", .folios = "A2", .ptes = "A9",
	  .says = "\"A9\": page 9 of a folio of 4" },
	{ .name = "first page beyond the folio", .folios = "A2 B0",
	  .ptes = "A0 A2-4", .says = "\"A2-4\": page 4 of a folio of 4" },
	{ .name = "falling from beyond the folio", .folios = "A2",
	  .ptes = "A4-0", .says = "\"A4-0\": page 4 of a folio of 4" },
	{ .name = "second page of a small folio", .folios = "A", .ptes = "A1",
	  .says = "\"A1\": page 1 of a folio of 1" },
	{ .name = "entry by a small letter", .folios = "A2", .ptes = "a0",
	  .says = "\"a0\": a is not an entry" },
	{ .name = "entry by no letter", .folios = "A2", .ptes = "A0 [1",
	  .says = "\"[1\": [ is not an entry" },
	{ .name = "nothing behind the dash", .folios = "A2", .ptes = "A0- A1",
	  .says = "\"A0-\": no number behind -" },
	{ .name = "nothing in front of the dash", .folios = "A2", .ptes = "A-3",
	  .says = "\"A-3\": no number in front of -" },
	{ .name = "garbage at the end", .folios = "A2", .ptes = "A0-1-2",
	  .says = "\"A0-1-2\": -2 is too much" },
	{ .name = "from hole to hole", .folios = "A2", .ptes = ".2-4",
	  .says = "\".2-4\": -4 is too much" },
	{ .name = "no hole", .folios = "A2", .ptes = ".0",
	  .says = "\".0\": none of them" },
	{ .name = "full table", .folios = "A1", .ptes = "A0-1 .510" },
	{ .name = "one entry too many", .folios = "A1", .ptes = "A0-1 .511 @",
	  .says = "\".511\": more than 512 entries" },
	{ .name = "number too large", .folios = "A1", .ptes = ".4294967297",
	  .says = "\".4294967297\": more than 512 entries" },
	{ .name = "vmas", .vmas = "4rw 4rwx 8r 1 2g 3s 3m 3p 3i 3u 3d" },
	{ .name = "unknown letter of a vma", .vmas = "4rw 4rq",
	  .says = "\"4rq\": unknown letter q" },
	{ .name = "vma without a number", .vmas = "4rw r",
	  .says = "\"r\": no number of pages" },
	{ .name = "vma without pages", .vmas = "0rw",
	  .says = "\"0rw\": none of them" },
	{ .name = "gap with letters", .vmas = "4rg",
	  .says = "\"4rg\": a gap is nothing else" },
	{ .name = "vma too large", .vmas = "513r",
	  .says = "\"513r\": more than 512 pages" },
	{ .name = "addresses", .ask = "P0 P3-1:o P4:b P1000:p N K L E" },
	{ .name = "unknown address", .ask = "P0 Q1",
	  .says = "\"Q1\": Q is not an address" },
	{ .name = "address by a small letter", .ask = "p0",
	  .says = "\"p0\": p is not an address" },
	{ .name = "address with a bit of entries", .ask = "P0:r",
	  .says = "\"P0:r\": unknown bit r" },
	{ .name = "address without a number", .ask = "P",
	  .says = "\"P\": no number of a page" },
	{ .name = "null with a number", .ask = "N4",
	  .says = "\"N4\": 4 is too much" },
	{ .name = "address too large", .ask = "P99999999",
	  .says = "\"P99999999\": the number is too large" },
	{ .name = "too many addresses", .ask = "P0-99 N", .max = 100,
	  .says = "\"N\": more than 100 addresses" },
	{ .name = "statuses", .want = "2n o 3e f", .max = 7 },
	{ .name = "unknown status", .want = "2n x", .max = 3,
	  .says = "\"x\": unknown status x" },
	{ .name = "number without a status", .want = "2n 3", .max = 5,
	  .says = "\"3\": no status" },
	{ .name = "no status at all", .want = "0n", .max = 5,
	  .says = "\"0n\": none of them" },
	{ .name = "statuses without a space", .want = "2nf", .max = 3,
	  .says = "\"2nf\": f is too much" },
	{ .name = "too few statuses", .want = "2n f", .max = 4,
	  .says = "\"2n\": 3 statuses for 4 addresses" },
	{ .name = "too many statuses", .want = "2n 3f", .max = 4,
	  .says = "\"3f\": more than 4 statuses" },
};

GUP_ROWS(gup_typo_rows);

static const char *gup_typo_problem(const struct gup_typo_row *row, char *text)
{
	const unsigned int max = row->max ?: 512;

	if (row->vmas)
		return gup_vmas_problem(row->vmas, max, text);
	if (row->ask)
		return gup_addresses_problem(row->ask, max, text);
	if (row->want)
		return gup_statuses_problem(row->want, max, text);

	return gup_layout_problem(row->rules ?: &gup_rules_table, row->folios,
				  row->ptes, max, text);
}

static void gup_typos_refused(struct kunit *test)
{
	const struct gup_typo_row *row = test->param_value;
	char text[GUP_PROBLEM_TEXT];

	KUNIT_EXPECT_STREQ(test, gup_typo_problem(row, text) ?: "no problem",
			   row->says ?: "no problem");
}

/* The same for lists of folios. */
static void gup_typos_refused_letters(struct kunit *test)
{
	static const struct {
		const char *letters;
		const char *says;
	} rows[] = {
		{ .says = "no problem" },
		{ .letters = "", .says = "no problem" },
		{ .letters = "BAZ", .says = "no problem" },
		{ .letters = "AC", .says = "\"AC\": there is no folio C" },
		{ .letters = "a", .says = "\"a\": there is no folio a" },
		{ .letters = "A B", .says = "\"A B\": there is no folio  " },
		{ .letters = "[", .says = "\"[\": there is no folio [" },
	};
	const struct gup_layout layout = { "A2 B0", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	char text[GUP_PROBLEM_TEXT];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_STREQ(test,
				   gup_letters_problem(fx->folio,
						       rows[i].letters, text) ?:
				   "no problem", rows[i].says);
}

static struct kunit_case gup_typos_cases[] = {
	GUP_CASE_ROWS(refuses_typos, gup_typos_refused, gup_typo_rows),
	KUNIT_CASE(gup_typos_refused_letters),
	{}
};

static struct kunit_suite gup_typos_suite = {
	.name = "gup_typos",
	.test_cases = gup_typos_cases,
};

kunit_test_suite(gup_typos_suite);
