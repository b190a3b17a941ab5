// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_array: how many leading entries of an array belong to one folio?
 *
 * The helpers of unpinning and of the longterm check, called alone. Their
 * answer is compared with literals, and with an oracle that looks at the struct
 * page of each entry: for every small array of eight kinds of entries, and for
 * arrays around the number of entries that are compared at a time.
 */
#include "walk/gup_array.h"

/**
 * struct gup_array_row - an array, and how many entries belong to the first folio
 * @name:   what is special about it
 * @layout: the layout, whose entries are the array
 * @nr:     number of entries to ask for, 0 for all
 * @batch:  the answer, the same for the array of pages and that of their folios
 */
struct gup_array_row {
	const char *name;
	struct gup_layout layout;
	unsigned int nr;
	unsigned int batch;
};

static const struct gup_array_row gup_array_rows[] = {
	{ .name = "one small page", .layout = { "A0", "A0" },
	  .batch = 1 },
	{ .name = "whole folio", .layout = { "A2", "A0-3" },
	  .batch = 4 },
	{ .name = "one page of a folio", .layout = { "A2", "A2" },
	  .batch = 1 },
	{ .name = "from a tail page on", .layout = { "A3", "A5-7" },
	  .batch = 3 },
	{ .name = "neighbours of the same order",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .batch = 4 },
	{ .name = "second half and the neighbour",
	  .layout = { "A2 B2+", "A2-3 B0-3" }, .batch = 2 },
	{ .name = "small neighbour behind", .layout = { "A2 B0+", "A0-3 B0" },
	  .batch = 4 },
	{ .name = "small neighbours", .layout = { "A0 B0+ C0+", "A0 B0 C0" },
	  .batch = 1 },
	{ .name = "neighbour before", .layout = { "A2 B2+", "B0 A3 A2" },
	  .batch = 1 },
	{ .name = "backwards", .layout = { "A3", "A7-0" },
	  .batch = 8 },
	{ .name = "same tail page again and again",
	  .layout = { "A2", "A1 A1 A1 A0" }, .batch = 4 },
	{ .name = "gaps", .layout = { "A3", "A0 A2 A4 A6" },
	  .batch = 4 },
	{ .name = "wraps around in the folio",
	  .layout = { "A2", "A2-3 A0-1 A2-3" }, .batch = 6 },
	{ .name = "page in the middle copied on write",
	  .layout = { "A4 B0", "A0-6 B0 A8-15" }, .batch = 7 },
	{ .name = "interleaved folios", .layout = { "A2 B2", "A0 B0 A1 B1" },
	  .batch = 1 },
	{ .name = "hole", .layout = { "A3", "A0-2 . A4-7" },
	  .batch = 3 },
	{ .name = "error", .layout = { "A3", "A0-2 @ A4-7" },
	  .batch = 3 },
	{ .name = "hole behind a small page", .layout = { "A0", "A0 . A0" },
	  .batch = 1 },
	{ .name = "zero page", .layout = { "A0", "Z8 A0" },
	  .batch = 8 },
	{ .name = "small page again and again",
	  .layout = { "A0 B0+", "A0 A0 A0 B0" }, .batch = 3 },
	{ .name = "array ends before the folio", .layout = { "A4", "A0-15" },
	  .nr = 5, .batch = 5 },
	{ .name = "array ends at a multiple of eight",
	  .layout = { "A5", "A0-31" }, .nr = 16, .batch = 16 },
	{ .name = "array of one entry", .layout = { "A2", "A0-3" },
	  .nr = 1, .batch = 1 },
	{ .name = "scrambled", .layout = { "A2 B0", "A3 A1 B0 A2" },
	  .batch = 2 },
	{ .name = "order 9", .layout = { "A9 B0+", "A0-254 B0" },
	  .batch = 255 },
};

GUP_ROWS(gup_array_rows);

static void gup_array_pages(struct kunit *test)
{
	const struct gup_array_row *row = test->param_value;
	struct gup_array *array = gup_array_create(test, &row->layout, false);
	struct page **pages = array->fx->pages;

	KUNIT_EXPECT_EQ(test,
			gup_kunit_batch.nr_folio_pages(page_folio(pages[0]), pages,
						 row->nr ?: array->nr),
			row->batch);
}

static void gup_array_folios(struct kunit *test)
{
	const struct gup_array_row *row = test->param_value;
	struct gup_array *array = gup_array_create(test, &row->layout, true);

	KUNIT_EXPECT_EQ(test,
			gup_kunit_batch.nr_same_folios((struct folio **)array->fx->pages,
						 row->nr ?: array->nr),
			row->batch);
}

#define GUP_ARRAY_LEN	5

/* Every array of five entries: pages of neighbours, the zero page, and holes. */
static void gup_array_every_array(struct kunit *test)
{
	const struct gup_layout layout = { "A2 B0+ C1 D0",
					   "A0 A1 A3 B0 C0 C1 Z ." };
	struct gup_array *array = gup_array_create(test, &layout, false);
	struct page *pages[GUP_ARRAY_LEN];
	const unsigned int kinds = array->nr;
	unsigned int all = 1, i, n, code, nr, got, checked = 0;

	for (i = 0; i < GUP_ARRAY_LEN; i++)
		all *= kinds;
	for (n = 0; n < all; n++) {
		for (i = 0, code = n; i < GUP_ARRAY_LEN; i++, code /= kinds)
			pages[i] = array->fx->want[code % kinds];
		if (!pages[0])
			continue;
		for (nr = 1; nr <= GUP_ARRAY_LEN; nr++, checked++) {
			got = gup_kunit_batch.nr_folio_pages(page_folio(pages[0]),
						       pages, nr);
			KUNIT_ASSERT_EQ_MSG(test, got, gup_oracle_nr_same(pages, nr),
					    "array %u, %u entries", n, nr);
		}
	}
	KUNIT_EXPECT_EQ(test, checked, all / kinds * (kinds - 1) * GUP_ARRAY_LEN);
}

/* Each odd entry at each place of an array of pages in order. */
static void gup_array_odd_entry(struct kunit *test, struct page **pages,
				struct page **odd, unsigned int nr)
{
	struct folio *folio = page_folio(pages[0]);
	struct page *saved;
	unsigned int at, i;

	for (at = 1; at < nr; at++) {
		saved = pages[at];
		for (i = 0; i < 4; i++) {
			pages[at] = odd[i];
			KUNIT_ASSERT_EQ_MSG(test,
					    gup_kunit_batch.nr_folio_pages(folio, pages, nr),
					    gup_oracle_nr_same(pages, nr),
					    "from %ld, %u entries, kind %u at %u",
					    folio_page_idx(folio, pages[0]), nr,
					    i, at);
		}
		pages[at] = saved;
	}
}

/*
 * A folio of 32 pages, from every page on, in arrays of every length up to and
 * into its neighbour, with one odd entry.
 */
static void gup_array_lengths(struct kunit *test)
{
	static const struct gup_layout layout = {
		"A5 B1+ C0", "A0-31 B0 B1 C0 A0 A31 ."
	};
	struct gup_array *array = gup_array_create(test, &layout, false);
	struct page **pages = array->fx->pages;
	unsigned int first, nr;

	for (first = 0; first < 32; first++)
		for (nr = 1; nr <= 34 - first; nr++)
			gup_array_odd_entry(test, pages + first, pages + 34, nr);
}

/* Only pointers are compared: the struct pages may have anything. */
static void gup_array_reads_pointers_only(struct kunit *test)
{
	static const struct gup_layout layout = { "A4", "A0-15 A3-1" };
	struct gup_array *array = gup_array_create(test, &layout, false);
	struct page **pages = array->fx->pages;
	struct folio *folio = page_folio(pages[0]);
	unsigned int i;

	/* The second page has the order of the folio. */
	for (i = 2; i < 16; i++)
		clear_compound_head(folio_page(folio, i));
	KUNIT_EXPECT_EQ(test,
			gup_kunit_batch.nr_folio_pages(folio, pages, array->nr), 19);

	for (i = 1; i < array->nr; i++) {
		pages[i] = GUP_POISON;
		KUNIT_EXPECT_EQ(test,
				gup_kunit_batch.nr_folio_pages(folio, pages,
							 array->nr), i);
		pages[i] = array->fx->want[i];
	}
}

static struct kunit_case gup_array_cases[] = {
	GUP_CASE_ROWS(pages, gup_array_pages, gup_array_rows),
	GUP_CASE_ROWS(folios, gup_array_folios, gup_array_rows),
	KUNIT_CASE(gup_array_every_array),
	KUNIT_CASE(gup_array_lengths),
	KUNIT_CASE(gup_array_reads_pointers_only),
	{}
};

static struct kunit_suite gup_array_suite = {
	.name = "gup_array",
	.test_cases = gup_array_cases,
};

kunit_test_suite(gup_array_suite);
