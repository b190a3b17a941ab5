// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_unpin: arrays of pages are unpinned in batches.
 *
 * Each entry is pinned by hand, and the array is given to one of the functions
 * that unpin. Then every folio has the references and pins that it had, each
 * page counts as one released pin, and a folio was marked dirty, under its
 * lock, once for each batch. The batches are compared with literals, and with
 * an oracle that looks at every page.
 */
#include "fixture/gup_lacks.h"
#include "fixture/gup_stat.h"
#include "walk/gup_array.h"

/**
 * struct gup_unpin_row - an array of pinned pages
 * @name:   what is special about it
 * @layout: the layout, whose entries are the array
 * @batches: how it is released
 * @clean:  for each batch of a clean folio of a file, its letter
 * @dirty:  the folios that are dirty before, by letter
 */
struct gup_unpin_row {
	const char *name;
	struct gup_layout layout;
	const char *batches;
	const char *clean;
	const char *dirty;
};

static const struct gup_unpin_row gup_unpin_rows[] = {
	{ .name = "one small page", .layout = { "A0f", "A0" },
	  .batches = "A1", .clean = "A" },
	{ .name = "whole folio", .layout = { "A4f", "A0-15" },
	  .batches = "A16", .clean = "A" },
	{ .name = "anonymous folio", .layout = { "A4", "A0-15" },
	  .batches = "A16", .clean = "" },
	{ .name = "order 1", .layout = { "A1f", "A0-1" },
	  .batches = "A2", .clean = "A" },
	{ .name = "order 9", .layout = { "A9f", "A0-255" },
	  .batches = "A256", .clean = "A" },
	{ .name = "part of a folio", .layout = { "A4f", "A5-9" },
	  .batches = "A5", .clean = "A" },
	{ .name = "page repeated", .layout = { "A2f", "A1 A1" },
	  .batches = "A2", .clean = "A" },
	{ .name = "backwards", .layout = { "A3f", "A7-0" },
	  .batches = "A8", .clean = "A" },
	{ .name = "scrambled and repeated", .layout = { "A2f", "A3 A1 A1 A0" },
	  .batches = "A4", .clean = "A" },
	{ .name = "neighbours", .layout = { "A2f B2f+", "A0-3 B0-3" },
	  .batches = "A4 B4", .clean = "AB" },
	{ .name = "second half and the neighbour",
	  .layout = { "A2f B2f+", "A2-3 B0-1" }, .batches = "A2 B2",
	  .clean = "AB" },
	{ .name = "small neighbours", .layout = { "A0f B0f+ C0f+", "A0 B0 C0" },
	  .batches = "A1 B1 C1", .clean = "ABC" },
	{ .name = "page in the middle copied on write",
	  .layout = { "A4f B0", "A0-6 B0 A8-15" }, .batches = "A7 B1 A8",
	  .clean = "AA" },
	{ .name = "interleaved folios",
	  .layout = { "A2f B2f", "A0 B0 A1 B1 A2 B2" },
	  .batches = "A1 B1 A1 B1 A1 B1", .clean = "ABABAB" },
	{ .name = "same folio met again",
	  .layout = { "A2f B0f", "A3 A1 B0 A2" }, .batches = "A2 B1 A1",
	  .clean = "ABA" },
	{ .name = "small page again and again",
	  .layout = { "A0f B0f+", "A0 A0 A0 B0" }, .batches = "A3 B1",
	  .clean = "AB" },
	{ .name = "zero pages", .layout = { "A1f", "Z8 A0-1 Z2" },
	  .batches = "Z8 A2 Z2", .clean = "A" },
	{ .name = "dirty already", .layout = { "A3f B0f C1f", "A0-7 B0 C0-1" },
	  .batches = "A8 B1 C2", .clean = "C", .dirty = "AB" },
	{ .name = "coalesced buffer of three folios",
	  .layout = { "A3 B3 C3", "A5-7 B0-7 C0-1" }, .batches = "A3 B8 C2",
	  .clean = "" },
	{ .name = "one folio in four vectors",
	  .layout = { "A2", "A3 A1 A1 A0" }, .batches = "A4", .clean = "" },
};

GUP_ROWS(gup_unpin_rows);

/* Entries without a page, where all trees take them. */
static const struct gup_unpin_row gup_unpin_null_rows[] = {
	{ .name = "nothing but holes", .layout = { "A0f", ".4" },
	  .batches = "", .clean = "" },
	{ .name = "holes first", .layout = { "A2f B0f", ".3 A0-3 B0" },
	  .batches = "A4 B1", .clean = "" },
};

GUP_ROWS(gup_unpin_null_rows);

/* Entries without a page, where 7.3 reads their struct page. */
static const struct gup_unpin_row gup_unpin_hole_rows[] = {
	{ .name = "hole behind a page", .layout = { "A2f", "A0-1 . A2-3" },
	  .batches = "A2 A2", .clean = "" },
	{ .name = "hole in the end", .layout = { "A2f B0f", "A0-3 B0 ." },
	  .batches = "A4 B1", .clean = "" },
};

GUP_ROWS(gup_unpin_hole_rows);

/* Consecutive pages, for unpin_user_page_range_dirty_lock(). */
static const struct gup_unpin_row gup_unpin_range_rows[] = {
	{ .name = "whole folio", .layout = { "A4f", "A0-15" },
	  .batches = "A16", .clean = "A" },
	{ .name = "two neighbours", .layout = { "A2f B2f+", "A0-3 B0-3" },
	  .batches = "A4 B4", .clean = "AB" },
	{ .name = "second half and part of the neighbour",
	  .layout = { "A2f B2f+", "A2-3 B0-2" }, .batches = "A2 B3",
	  .clean = "AB" },
	{ .name = "small neighbours",
	  .layout = { "A0f B0f+ C1f+", "A0 B0 C0-1" }, .batches = "A1 B1 C2",
	  .clean = "ABC" },
};

GUP_ROWS(gup_unpin_range_rows);

typedef void (*gup_unpin_fn)(struct gup_array *array);

static void gup_unpin_by_pages(struct gup_array *array)
{
	unpin_user_pages(array->fx->pages, array->nr);
}

static void gup_unpin_by_single_page(struct gup_array *array)
{
	unsigned int i;

	for (i = 0; i < array->nr; i++)
		unpin_user_page(array->fx->pages[i]);
}

static void gup_unpin_by_dirty_lock(struct gup_array *array)
{
	unpin_user_pages_dirty_lock(array->fx->pages, array->nr, true);
}

static void gup_unpin_by_clean(struct gup_array *array)
{
	unpin_user_pages_dirty_lock(array->fx->pages, array->nr, false);
}

static void gup_unpin_by_range_dirty(struct gup_array *array)
{
	unpin_user_page_range_dirty_lock(array->fx->pages[0], array->nr, true);
}

static void gup_unpin_by_range(struct gup_array *array)
{
	unpin_user_page_range_dirty_lock(array->fx->pages[0], array->nr, false);
}

static void gup_unpin_by_folios(struct gup_array *array)
{
	unpin_folios((struct folio **)array->fx->pages, array->nr);
}

static void gup_unpin_by_fast(struct gup_array *array)
{
	gup_kunit_gup.fast_unpin(array->fx->pages, array->nr);
}

/* Unpin the array of the row, and check that everything is as before. */
static void gup_unpin_check(struct kunit *test, struct gup_array *array,
			    gup_unpin_fn unpin, const char *batches)
{
	const long released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);

	gup_array_watch(array);
	gup_array_pin(array);
	unpin(array);

	KUNIT_EXPECT_EQ(test,
			gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released,
			gup_array_nr_counted(array));
	gup_array_expect(array, array->nr, batches);
	KUNIT_EXPECT_MEMEQ(test, array->fx->pages, array->fx->want,
			   (array->nr + 1) * sizeof(*array->fx->pages));
	KUNIT_EXPECT_STREQ(test, array->log, batches);
}

static void gup_unpin_set_dirty(struct gup_array *array, const char *letters)
{
	for (; letters && *letters; letters++)
		folio_set_dirty(gup_fixture_folio(array->fx, *letters));
}

/* Anonymous folios keep the dirty bit, and there is a log for those of a file. */
static void gup_unpin_expect_dirty(struct kunit *test, struct gup_array *array,
				   const struct gup_unpin_row *row, bool dirty)
{
	struct folio *folio;
	unsigned int i;

	KUNIT_EXPECT_STREQ(test, array->dirtied, dirty ? row->clean : "");
	KUNIT_EXPECT_EQ(test, array->unlocked, 0);
	for (i = 0; i < array->nr; i++) {
		if (!gup_array_is_page(array->fx->want[i]))
			continue;
		folio = array->folios ? (struct folio *)array->fx->want[i] :
					page_folio(array->fx->want[i]);
		if (folio_test_anon(folio))
			KUNIT_EXPECT_EQ(test, folio_test_dirty(folio), dirty);
		KUNIT_EXPECT_FALSE(test, folio_test_locked(folio));
	}
}

static struct gup_array *gup_unpin_row_array(struct kunit *test, bool folios)
{
	const struct gup_unpin_row *row = test->param_value;
	struct gup_array *array = gup_array_create(test, &row->layout, folios);
	char text[GUP_ARRAY_TEXT];

	gup_oracle_batches(array->fx->folio, array->fx->want,
			   array->nr, text);
	KUNIT_EXPECT_STREQ_MSG(test, text, row->batches, "by the oracle");
	gup_unpin_set_dirty(array, row->dirty);

	return array;
}

static void gup_unpin_run(struct kunit *test, gup_unpin_fn unpin, bool dirty)
{
	const bool zero_was_dirty = PageDirty(ZERO_PAGE(0));
	const struct gup_unpin_row *row = test->param_value;
	struct gup_array *array = gup_unpin_row_array(test, false);

	gup_unpin_check(test, array, unpin, row->batches);
	gup_unpin_expect_dirty(test, array, row, dirty);
	if (!zero_was_dirty)
		ClearPageDirty(ZERO_PAGE(0));
}

static void gup_unpin_pages(struct kunit *test)
{
	gup_unpin_run(test, gup_unpin_by_pages, false);
}

static void gup_unpin_holes(struct kunit *test)
{
	if (!gup_kunit_gup.unpin_folio)
		kunit_skip(test, "this tree goes page by page");
	gup_unpin_run(test, gup_unpin_by_pages, false);
}

static void gup_unpin_dirty_lock(struct kunit *test)
{
	gup_unpin_run(test, gup_unpin_by_dirty_lock, true);
}

static void gup_unpin_clean(struct kunit *test)
{
	gup_unpin_run(test, gup_unpin_by_clean, false);
}

static void gup_unpin_fast(struct kunit *test)
{
	gup_unpin_run(test, gup_unpin_by_fast, false);
}

static void gup_unpin_range_dirty(struct kunit *test)
{
	gup_unpin_run(test, gup_unpin_by_range_dirty, true);
}

static void gup_unpin_range_clean(struct kunit *test)
{
	gup_unpin_run(test, gup_unpin_by_range, false);
}

static void gup_unpin_folio_array(struct kunit *test)
{
	const struct gup_unpin_row *row = test->param_value;
	struct gup_array *array = gup_unpin_row_array(test, true);

	gup_unpin_check(test, array, gup_unpin_by_folios, row->batches);
	gup_unpin_expect_dirty(test, array, row, false);
}

/* With one page at a time, each batch is one page. */
static void gup_unpin_single_pages(struct kunit *test)
{
	struct gup_array *array = gup_unpin_row_array(test, false);
	char text[GUP_ARRAY_TEXT] = "";
	unsigned int i;

	for (i = 0; i < array->nr && strlen(text) < sizeof(text) - 4; i++)
		gup_array_add_batch(text, gup_array_letter(array->fx,
							   array->fx->want[i]), 1);
	array->nr = i;
	gup_unpin_check(test, array, gup_unpin_by_single_page, text);
}

static struct kunit_case gup_unpin_cases[] = {
	GUP_CASE_ROWS(unpin_pages, gup_unpin_pages, gup_unpin_rows),
	GUP_CASE_ROWS(pages_null, gup_unpin_pages, gup_unpin_null_rows),
	GUP_CASE_ROWS(pages_hole, gup_unpin_holes, gup_unpin_hole_rows),
	GUP_CASE_ROWS(dirty_lock, gup_unpin_dirty_lock, gup_unpin_rows),
	GUP_CASE_ROWS(dirty_lock_clean, gup_unpin_clean, gup_unpin_rows),
	GUP_CASE_ROWS(range_dirty, gup_unpin_range_dirty, gup_unpin_range_rows),
	GUP_CASE_ROWS(range_clean, gup_unpin_range_clean, gup_unpin_range_rows),
	GUP_CASE_ROWS(unpin_folios, gup_unpin_folio_array, gup_unpin_rows),
	GUP_CASE_ROWS(folios_null, gup_unpin_folio_array, gup_unpin_null_rows),
	GUP_CASE_ROWS(folios_hole, gup_unpin_folio_array, gup_unpin_hole_rows),
	GUP_CASE_ROWS(unpin_fast, gup_unpin_fast, gup_unpin_rows),
	GUP_CASE_ROWS(single_pages, gup_unpin_single_pages, gup_unpin_rows),
	{}
};

static struct kunit_suite gup_unpin_suite = {
	.name = "gup_unpin",
	.test_cases = gup_unpin_cases,
};

kunit_test_suite(gup_unpin_suite);
