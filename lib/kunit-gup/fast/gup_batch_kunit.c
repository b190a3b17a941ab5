// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_batch: the helpers that say how far a batch reaches, called one by one.
 *
 * folio_pte_batch_flags() has to give the same answer with and without
 * FPB_LOCKLESS. gup_guess_nr_pages() gets folios that change while it looks at
 * them, and gup_nr_shareable() a page to be unshared at every place.
 */
#include "oracle/gup_oracle.h"
#include "walk/gup_race.h"

/**
 * struct gup_batch_row - a batch and its length
 * @name:   what is special about it
 * @layout: the layout
 * @first:  the entry where the batch begins
 * @max_nr: how many entries to look at, 0 for all that follow
 * @any:    length of the batch with nothing to respect
 * @write:  with the write bit to respect
 * @dirty:  with the dirty bit to respect
 */
struct gup_batch_row {
	const char *name;
	struct gup_layout layout;
	unsigned int first;
	unsigned int max_nr;
	unsigned int any, write, dirty;
};

static const struct gup_batch_row gup_batch_rows[] = {
	{ .name = "whole folio", .layout = { "A4", "A0-15" },
	  .any = 16, .write = 16, .dirty = 16 },
	{ .name = "folio and an empty entry", .layout = { "A2", "A0-3 .12" },
	  .any = 4, .write = 4, .dirty = 4 },
	{ .name = "end by max_nr", .layout = { "A4", "A0-15" },
	  .max_nr = 5, .any = 5, .write = 5, .dirty = 5 },
	{ .name = "max_nr 1", .layout = { "A4", "A0-15" },
	  .max_nr = 1, .any = 1, .write = 1, .dirty = 1 },
	{ .name = "from a tail page", .layout = { "A4", "A0-15" },
	  .first = 5, .any = 11, .write = 11, .dirty = 11 },
	{ .name = "last page", .layout = { "A4 B0", "A15 B0" },
	  .any = 1, .write = 1, .dirty = 1 },
	{ .name = "neighbour in memory", .layout = { "A2 B2+", "A0-3 B0-3" },
	  .any = 4, .write = 4, .dirty = 4 },
	{ .name = "neighbour in memory from the middle",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .first = 2, .any = 2, .write = 2,
	  .dirty = 2 },
	{ .name = "half read_only", .layout = { "A4", "A0-7 A8-15:r" },
	  .any = 16, .write = 8, .dirty = 16 },
	{ .name = "half writable", .layout = { "A4", "A0-7:r A8-15" },
	  .any = 16, .write = 8, .dirty = 16 },
	{ .name = "clean entry", .layout = { "A3", "A0-2 A3:c A4-7" },
	  .any = 8, .write = 8, .dirty = 3 },
	{ .name = "clean first entry", .layout = { "A3", "A0:c A1-7" },
	  .any = 8, .write = 8, .dirty = 1 },
	{ .name = "old entries", .layout = { "A3", "A0:o A1-2 A3:o A4-7" },
	  .any = 8, .write = 8, .dirty = 8 },
	{ .name = "bits that come and go",
	  .layout = { "A3", "A0 A1:o A2:oc A3:c A4:d A5 A6:r A7" }, .any = 8,
	  .write = 6, .dirty = 2 },
	{ .name = "descending", .layout = { "A2", "A3-0" },
	  .any = 1, .write = 1, .dirty = 1 },
	{ .name = "same page", .layout = { "A2", "A1 A1 A1" },
	  .any = 1, .write = 1, .dirty = 1 },
	{ .name = "page left out", .layout = { "A2", "A0-1 A3" },
	  .any = 2, .write = 2, .dirty = 2 },
	{ .name = "swap entry", .layout = { "A2", "A0-1 @ A3" },
	  .any = 2, .write = 2, .dirty = 2 },
	{ .name = "prot_none", .layout = { "A2", "A0-1 A2:p A3" },
	  .any = 2, .write = 2, .dirty = 2 },
	{ .name = "special", .layout = { "A2", "A0-1 A2:x A3" },
	  .any = 2, .write = 2, .dirty = 2 },
	{ .name = "contiguous block", .layout = { "A5", "A0-31:b ." },
	  .any = 32, .write = 32, .dirty = 32 },
	{ .name = "contiguous block end by max_nr",
	  .layout = { "A5", "A0-31:b ." }, .max_nr = 7, .any = 7, .write = 7,
	  .dirty = 7 },
	{ .name = "contiguous block from inside",
	  .layout = { "A5", "A0-31:b ." }, .first = 5, .any = 27, .write = 27,
	  .dirty = 27 },
	{ .name = "contiguous block from inside end by max_nr",
	  .layout = { "A5", "A0-31:b ." }, .first = 5, .max_nr = 3, .any = 3,
	  .write = 3, .dirty = 3 },
	{ .name = "contiguous block and a neighbour",
	  .layout = { "A5 B5+", "A0-31:b B0-31:b" }, .any = 32, .write = 32,
	  .dirty = 32 },
	{ .name = "contiguous block and single entries",
	  .layout = { "A6", "A0-31:b A32-40" }, .any = 32, .write = 32,
	  .dirty = 32 },
	{ .name = "order 9 in half a table", .layout = { "A9", "A0-255" },
	  .any = 256, .write = 256, .dirty = 256 },
};

GUP_ROWS(gup_batch_rows);

/* The same answer however the entries are read. */
static void gup_batch_ask(struct kunit *test, struct gup_fixture *fx,
			  unsigned int respect, unsigned int want)
{
	static const unsigned int ways[] = { 0, GUP_KUNIT_LOCKLESS };
	const struct gup_batch_row *row = test->param_value;
	pte_t *ptep = gup_fixture_ptep(fx, row->first);
	struct folio *folio = page_folio(gup_oracle_page(ptep_get(ptep)));
	unsigned int i, nr = row->max_nr ?: fx->nr - row->first;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		KUNIT_EXPECT_EQ(test, want,
				gup_kunit_batch.pte_batch(folio, ptep, ptep_get(ptep),
						    nr, respect | ways[i]));
}

static void gup_batch_pte_batch(struct kunit *test)
{
	const struct gup_batch_row *row = test->param_value;
	struct gup_fixture *fx = gup_fixture_create_or_skip(test, &row->layout);

	gup_batch_ask(test, fx, 0, row->any);
	gup_batch_ask(test, fx, GUP_KUNIT_RESPECT_WRITE, row->write);
	gup_batch_ask(test, fx, GUP_KUNIT_RESPECT_DIRTY, row->dirty);
}

/* Any bit ends it, but the end of the folio does not: the caller knows that. */
static void gup_batch_same_entries(struct kunit *test)
{
	const struct gup_layout layout = { "A3 B0+", "A0-2 A3:o A4 A5-6:r A7 B0 ." };
	static const unsigned int want[] = { 3, 2, 1, 1, 1, 2, 1, 2, 1 };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned int i, nr;
	pte_t *ptep;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		ptep = gup_fixture_ptep(fx, i);
		nr = gup_kunit_batch.nr_same_ptes(ptep, ptep_get(ptep), 10 - i);
		KUNIT_EXPECT_EQ_MSG(test, nr, want[i], "entry %u", i);
		nr = gup_kunit_batch.nr_same_ptes(ptep, ptep_get(ptep), 2);
		KUNIT_EXPECT_EQ_MSG(test, nr, min(want[i], 2), "entry %u", i);
		nr = gup_kunit_batch.nr_same_ptes(ptep, ptep_get(ptep), 1);
		KUNIT_EXPECT_EQ_MSG(test, nr, 1, "entry %u", i);
	}
}

/* A difference at each place, since several entries are compared at a time. */
static void gup_batch_same_places(struct kunit *test)
{
	const struct gup_layout layout = { "A5", "A0-31" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	pte_t pte, *ptep = gup_fixture_ptep(fx, 0);
	const pte_t first = ptep_get(ptep);
	unsigned int i, nr;

	for (i = 1; i <= 32; i++)
		KUNIT_EXPECT_EQ(test, gup_kunit_batch.nr_same_ptes(ptep, first, i), i);

	for (i = 1; i < 32; i++) {
		pte = ptep_get(ptep + i);
		gup_kunit_set_pte(ptep + i, pte_wrprotect(pte));
		nr = gup_kunit_batch.nr_same_ptes(ptep, first, 32);
		gup_kunit_set_pte(ptep + i, pte);
		KUNIT_EXPECT_EQ_MSG(test, nr, i, "entry %u", i);
	}
}

static void gup_batch_guess(struct kunit *test)
{
	const struct gup_layout layout = { "A4 B1 C0 D9", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned long a = page_to_pfn(gup_fixture_page(fx, 'A', 0));
	unsigned long b = page_to_pfn(gup_fixture_page(fx, 'B', 0));
	unsigned long c = page_to_pfn(gup_fixture_page(fx, 'C', 0));
	unsigned long d = page_to_pfn(gup_fixture_page(fx, 'D', 0));

	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a, 512), 16);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a, 16), 16);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a, 15), 15);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a, 1), 1);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a + 1, 512), 15);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a + 9, 4), 4);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(a + 15, 512), 1);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(b, 512), 2);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(b + 1, 512), 1);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(c, 512), 1);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(d, 512), 512);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(d, 256), 256);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(d + 511, 512), 1);
	KUNIT_EXPECT_EQ(test,
			gup_kunit_batch.guess_nr_pages(page_to_pfn(ZERO_PAGE(0)),
						 512), 1);
}

/* No guess makes a small folio look pinned, however long the page table is. */
static void gup_batch_guess_limit(struct kunit *test)
{
	const struct gup_layout layout = { "A10", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	const unsigned long pfn = page_to_pfn(gup_fixture_page(fx, 'A', 0));
	const unsigned int table = PTRS_PER_PTE, most = min(table, 512U);

	KUNIT_EXPECT_LT(test, most, GUP_PIN_COUNTING_BIAS);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(pfn, table), most);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(pfn + 512, table), most);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(pfn + 1000, table), 24);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(pfn + 1, 200), 200);
}

/* What the guess may read while a folio is made, split or freed. */
static void gup_batch_guess_garbage(struct kunit *test)
{
	const struct gup_layout layout = { "A4", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct page *page = gup_fixture_page(fx, 'A', 0);
	const unsigned long pfn = page_to_pfn(page);
	struct folio *folio = page_folio(page);
	const unsigned long flags = folio->_flags_1 & ~0xffUL;
	unsigned int order, guess;

	for (order = 0; order <= 0xff; order++) {
		const unsigned long most = order > MAX_FOLIO_ORDER ? 1 :
					   min(512UL, 1UL << order);

		folio->_flags_1 = flags | order;
		guess = gup_kunit_batch.guess_nr_pages(pfn + 9, 512);
		KUNIT_EXPECT_GE_MSG(test, guess, 1, "order %u", order);
		KUNIT_EXPECT_LE_MSG(test, guess, most, "order %u", order);
	}
	folio->_flags_1 = flags | 4;

	/* PG_head is set before the order is, and before the tail pages are. */
	gup_fixture_regroup(fx, 'A', 0);
	__set_bit(PG_head, &page->flags.f);
	KUNIT_EXPECT_EQ(test, gup_kunit_batch.guess_nr_pages(pfn + 9, 512), 1);
	guess = gup_kunit_batch.guess_nr_pages(pfn, 512);
	KUNIT_EXPECT_GE(test, guess, 1);
	KUNIT_EXPECT_LE(test, guess, 512);
	__clear_bit(PG_head, &page->flags.f);
}

/* The guess is one page, unless the next entry maps the next page alike. */
static void gup_batch_guess_entries(struct kunit *test)
{
	const struct gup_layout layout = { "A3 B3", "A0-1 B2 A3 . A5:o A6:c A7:r" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	static const unsigned int want[] = { 7, 1, 1, 1, 0, 3, 1, 1 };
	unsigned int i, guess;
	pte_t *ptep;

	for (i = 0; i < fx->nr; i++) {
		ptep = gup_fixture_ptep(fx, i);
		if (!want[i])
			continue;
		guess = gup_kunit_batch.guess_nr_ptes(ptep, ptep_get(ptep),
						min(7, 8 - i));
		KUNIT_EXPECT_EQ_MSG(test, guess, want[i], "entry %u", i);
	}
}

/**
 * struct gup_share_row - pages, and how many of them need no unsharing
 * @name:   what is special about them
 * @layout: the layout
 * @flags:  FOLL_* flags
 * @nr:     number of leading pages
 */
struct gup_share_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	unsigned int nr;
};

static const struct gup_share_row gup_share_rows[] = {
	{ .name = "first page shared", .layout = { "A3", "A0:s A1-7:r" },
	  .flags = GUP_PIN, .nr = 0 },
	{ .name = "second page shared", .layout = { "A3", "A0:r A1:s A2-7:r" },
	  .flags = GUP_PIN, .nr = 1 },
	{ .name = "page in the middle shared",
	  .layout = { "A3", "A0-3:r A4:s A5-7:r" }, .flags = GUP_PIN, .nr = 4 },
	{ .name = "last page shared", .layout = { "A3", "A0-6:r A7:s" },
	  .flags = GUP_PIN, .nr = 7 },
	{ .name = "none shared", .layout = { "A3", "A0-7:r" },
	  .flags = GUP_PIN, .nr = 8 },
	{ .name = "all shared", .layout = { "A3", "A0-7:s" },
	  .flags = GUP_PIN, .nr = 0 },
	{ .name = "all shared for a get", .layout = { "A3", "A0-7:s" },
	  .flags = GUP_GET, .nr = 8 },
	{ .name = "all shared for a pin to write", .layout = { "A3", "A0-7:s" },
	  .flags = GUP_PIN_W, .nr = 8 },
	{ .name = "small folio", .layout = { "A0", "A0:r" },
	  .flags = GUP_PIN, .nr = 1 },
	{ .name = "small folio shared", .layout = { "A0", "A0:s" },
	  .flags = GUP_PIN, .nr = 0 },
	{ .name = "file", .layout = { "A3f", "A0-7:r" },
	  .flags = GUP_PIN, .nr = 8 },
	{ .name = "file longterm", .layout = { "A3f", "A0-7:r" },
	  .flags = GUP_PIN_L, .nr = 0 },
	{ .name = "anonymous longterm", .layout = { "A3", "A0-5:r A6-7:s" },
	  .flags = GUP_PIN_L, .nr = 6 },
};

GUP_ROWS(gup_share_rows);

static void gup_batch_shareable(struct kunit *test)
{
	const struct gup_share_row *row = test->param_value;
	struct gup_fixture *fx = gup_fixture_create(test, &row->layout);
	unsigned int nr;

	nr = gup_kunit_batch.nr_shareable(gup_fixture_folio(fx, 'A'),
				    gup_fixture_page(fx, 'A', 0), fx->nr,
				    row->flags);
	KUNIT_EXPECT_EQ(test, nr, row->nr);
}

static struct kunit_case gup_batch_cases[] = {
	GUP_CASE_ROWS(pte_batch, gup_batch_pte_batch, gup_batch_rows),
	KUNIT_CASE(gup_batch_same_entries),
	KUNIT_CASE(gup_batch_same_places),
	KUNIT_CASE(gup_batch_guess),
	KUNIT_CASE(gup_batch_guess_limit),
	KUNIT_CASE(gup_batch_guess_garbage),
	KUNIT_CASE(gup_batch_guess_entries),
	GUP_CASE_ROWS(shareable, gup_batch_shareable, gup_share_rows),
	{}
};

static struct kunit_suite gup_batch_suite = {
	.name = "gup_batch",
	.test_cases = gup_batch_cases,
};

kunit_test_suite(gup_batch_suite);
