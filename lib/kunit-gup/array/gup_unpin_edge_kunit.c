// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_unpin_edge: unpin every small array, and folios of two nodes; what
 * unpinning must not read, what it refuses, and what it warns of.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>

#include "fixture/gup_lacks.h"
#include "fixture/gup_stat.h"
#include "walk/gup_array.h"
#include "walk/gup_race.h"

/**
 * struct gup_unpin_node_row - an array of pages of two nodes
 * @name:   what is special about it
 * @layout: the layout: folio A is on the first node, and B on another
 * @here:   pins released on the first node
 * @there:  pins released on the other
 */
struct gup_unpin_node_row {
	const char *name;
	struct gup_layout layout;
	long here;
	long there;
};

static const struct gup_unpin_node_row gup_unpin_node_rows[] = {
	{ .name = "all on another node", .layout = { "A0f B2f", "B0-3" },
	  .there = 4 },
	{ .name = "one node after the other",
	  .layout = { "A2f B2f", "A0-3 B0-2" }, .here = 4, .there = 3 },
	{ .name = "nodes in turn", .layout = { "A2f B2f", "A0 B0 A1 B1 B2 A2" },
	  .here = 3, .there = 3 },
	{ .name = "zero pages between",
	  .layout = { "A0f B2f", "Z2 B0 Z A0 Z4" }, .here = 1, .there = 1 },
};

GUP_ROWS(gup_unpin_node_rows);

static void gup_unpin_nodes_pages(struct gup_array *array)
{
	unpin_user_pages(array->fx->pages, array->nr);
}

static void gup_unpin_nodes_dirty(struct gup_array *array)
{
	unpin_user_pages_dirty_lock(array->fx->pages, array->nr, true);
}

static void gup_unpin_nodes_fast(struct gup_array *array)
{
	gup_kunit_gup.fast_unpin(array->fx->pages, array->nr);
}

static void gup_unpin_nodes_folios(struct gup_array *array)
{
	unpin_folios((struct folio **)array->fx->pages, array->nr);
}

static void gup_unpin_nodes_run(struct kunit *test, bool folios,
				void (*unpin)(struct gup_array *array))
{
	const int here = first_online_node, there = next_online_node(here);
	const struct gup_unpin_node_row *row = test->param_value;
	const bool zero_was_dirty = PageDirty(ZERO_PAGE(0));
	struct gup_array *array;
	long before[2];

	if (there == MAX_NUMNODES)
		kunit_skip(test, "only one node");

	array = gup_array_create(test, &row->layout, folios);
	gup_fixture_move_to_node(array->fx, 'A', here);
	gup_fixture_move_to_node(array->fx, 'B', there);
	gup_array_watch(array);
	gup_array_pin(array);
	before[0] = gup_fixture_node_stat(here, NR_FOLL_PIN_RELEASED);
	before[1] = gup_fixture_node_stat(there, NR_FOLL_PIN_RELEASED);
	unpin(array);
	KUNIT_EXPECT_EQ(test, row->here + before[0],
			gup_fixture_node_stat(here, NR_FOLL_PIN_RELEASED));
	KUNIT_EXPECT_EQ(test, row->there + before[1],
			gup_fixture_node_stat(there, NR_FOLL_PIN_RELEASED));
	gup_array_expect(array, array->nr, row->layout.ptes);
	if (!zero_was_dirty)
		ClearPageDirty(ZERO_PAGE(0));
}

static void gup_unpin_nodes(struct kunit *test)
{
	gup_unpin_nodes_run(test, false, gup_unpin_nodes_pages);
	gup_unpin_nodes_run(test, false, gup_unpin_nodes_dirty);
	gup_unpin_nodes_run(test, false, gup_unpin_nodes_fast);
	gup_unpin_nodes_run(test, true, gup_unpin_nodes_folios);
}

#define GUP_UNPIN_LEN	5

/* Every array of five pages: of neighbours, repeated, and the zero page. */
static void gup_unpin_every_array(struct kunit *test)
{
	static const struct gup_layout layout = { "A2f B0f+ C1f D0f",
						  "A0 A1 A3 B0 C0 C1 Z" };
	struct gup_array *array = gup_array_create(test, &layout, false);
	const unsigned int kinds = array->nr;
	char text[GUP_ARRAY_TEXT];
	struct gup_diff diff = {};
	unsigned int all = 1, i, n, code;
	struct page *kind[7];

	memcpy(kind, array->fx->want, sizeof(kind));
	gup_array_watch(array);
	array->nr = GUP_UNPIN_LEN;
	for (i = 0; i < GUP_UNPIN_LEN; i++)
		all *= kinds;
	for (n = 0; n < all && !diff.what; n++) {
		for (i = 0, code = n; i < GUP_UNPIN_LEN; i++, code /= kinds)
			array->fx->pages[i] = kind[code % kinds];
		memcpy(array->fx->want, array->fx->pages,
		       GUP_UNPIN_LEN * sizeof(*kind));
		array->log[0] = 0;
		gup_oracle_batches(array->fx->folio, array->fx->want,
				   array->nr, text);
		gup_array_pin(array);
		unpin_user_pages(array->fx->pages, GUP_UNPIN_LEN);
		gup_array_check(array, array->nr, &diff);
		KUNIT_ASSERT_STREQ(test, array->log, text);
	}
	gup_expect_no_diff(test, &diff, text);
}

/* Of a batch, no struct page is read but that of the first entry and the folio's. */
static void gup_unpin_reads_first_only(struct kunit *test)
{
	static const struct gup_layout layout = { "A4f", "A0-15 A3-1" };
	struct gup_array *array = gup_array_create(test, &layout, false);
	struct folio *folio = gup_fixture_folio(array->fx, 'A');
	unsigned int i;

	if (!gup_kunit_gup.unpin_folio)
		kunit_skip(test, "this tree goes page by page");

	gup_array_watch(array);
	gup_array_pin(array);
	for (i = 2; i < 16; i++)
		clear_compound_head(folio_page(folio, i));
	unpin_user_pages(array->fx->pages, array->nr);
	for (i = 2; i < 16; i++)
		set_compound_head(folio_page(folio, i), &folio->page, 4);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), GUP_HELD);
	KUNIT_EXPECT_STREQ(test, array->log, "A19");
}

/* An error code instead of a number is refused, with a warning. */
static void gup_unpin_error(struct kunit *test)
{
	static const struct gup_layout layout = { "A2f", "A0-3" };
	struct gup_array *array = gup_array_create(test, &layout, false);

	gup_array_pin(array);
	kunit_warning_suppress(test) {
		unpin_user_pages(array->fx->pages, -EFAULT);
		unpin_folios((struct folio **)array->fx->pages, -ENOMEM);
		KUNIT_EXPECT_SUPPRESSED_WARNING_COUNT(test, 2);
	}
	gup_array_expect(array, 0, layout.ptes);
	unpin_user_pages(array->fx->pages, 0);
	gup_array_expect(array, 0, layout.ptes);
	unpin_user_pages(array->fx->pages, array->nr);
	gup_array_expect(array, array->nr, layout.ptes);
}

/**
 * struct gup_unpin_warn_row - pages that are no longer exclusive when unpinned
 * @name:   which of them
 * @layout: the layout
 * @warned: the pages to be warned of, in order
 */
struct gup_unpin_warn_row {
	const char *name;
	struct gup_layout layout;
	const char *warned;
};

static const struct gup_unpin_warn_row gup_unpin_warn_rows[] = {
	{
		.name = "none",
		.layout = { "A0 B2", "A0 B0-3" },
		.warned = "",
	}, {
		.name = "small folio",
		.layout = { "A0 B0 C0", "A0 B0:s C0" },
		.warned = "B0",
	}, {
		.name = "small folio behind a batch",
		.layout = { "A2 B0", "A0-3 B0:s" },
		.warned = "B0",
	}, {
		.name = "all pages but the first which stands for a huge page",
		.layout = { "A2", "A0 A1-3:s" },
		.warned = "",
	}, {
		.name = "first page",
		.layout = { "A2", "A0:s A1-3" },
		.warned = "A0",
	}, {
		.name = "first and last page",
		.layout = { "A3", "A0:s A1-6 A7:s" },
		.warned = "A0 A7",
	}, {
		.name = "pages in any order",
		.layout = { "A3", "A5 A2:s A0:s A6:s A1" },
		.warned = "A2 A0 A6",
	}, {
		.name = "one of two folios",
		.layout = { "A1 B1", "A0-1 B0:s B1:s A1" },
		.warned = "B0 B1",
	}, {
		.name = "file and zero page",
		.layout = { "A2f", "A0-3 Z2" },
		.warned = "",
	},
};

GUP_ROWS(gup_unpin_warn_rows);

static bool gup_unpin_note(const struct page *page)
{
	struct gup_fixture *fx = kunit_get_current_test()->priv;
	const char letter = gup_array_letter(fx, page);
	struct gup_array *array = fx->suite;

	/* The log of batches has room for pages as well. */
	if (!gup_call_real(gup_kunit_gup.may_be_pinned(page)))
		gup_array_add_batch(array->log, letter,
				    page - fx->folio[letter - 'A'].page);

	return true;
}

/* The check of CONFIG_DEBUG_VM looks at every page that it must look at. */
static void gup_unpin_warned(struct kunit *test)
{
	const struct gup_unpin_warn_row *row = test->param_value;
	struct gup_array *array;
	bool dirty = false;

	if (!IS_ENABLED(CONFIG_DEBUG_VM))
		kunit_skip(test, "no CONFIG_DEBUG_VM");

	array = gup_array_create(test, &row->layout, false);
	kunit_activate_static_stub(test, gup_kunit_gup.may_be_pinned,
				   gup_unpin_note);
	do {
		array->log[0] = 0;
		gup_array_pin(array);
		if (dirty)
			unpin_user_pages_dirty_lock(array->fx->pages, array->nr,
						    true);
		else
			unpin_user_pages(array->fx->pages, array->nr);
		KUNIT_EXPECT_STREQ(test, array->log, row->warned);
		gup_array_expect(array, array->nr, row->layout.ptes);
		dirty = !dirty;
	} while (dirty);
	ClearPageDirty(ZERO_PAGE(0));
}

/* A dirty folio is not made dirty again. */
static void gup_unpin_dirty_already(struct kunit *test)
{
	static const struct gup_layout layout = { "A2f", "A0-3" };
	struct gup_array *array = gup_array_create(test, &layout, false);
	struct folio *folio = gup_fixture_folio(array->fx, 'A');

	gup_array_watch(array);
	folio_set_dirty(folio);
	gup_array_pin(array);
	unpin_user_pages_dirty_lock(array->fx->pages, array->nr, true);
	gup_array_expect(array, array->nr, layout.ptes);
	gup_array_pin(array);
	unpin_user_page_range_dirty_lock(array->fx->pages[0], array->nr, true);
	gup_array_expect(array, array->nr, layout.ptes);
	folio_clear_dirty(folio);
	KUNIT_EXPECT_STREQ(test, array->dirtied, "");
}

/* Released pins are counted before the wait for the lock of a clean folio. */
static void gup_unpin_counted_before_lock(struct kunit *test)
{
	static const struct gup_layout layout = { "A2f B0f+", "A0-3 B0" };
	struct gup_array *array = gup_array_create(test, &layout, false);
	long before;

	gup_array_watch(array);
	gup_array_pin(array);
	before = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	unpin_user_pages_dirty_lock(array->fx->pages, array->nr, true);
	KUNIT_EXPECT_STREQ(test, array->dirtied, "AB");
	KUNIT_EXPECT_EQ(test, array->released - before, 4);

	array->dirtied[0] = 0;
	gup_array_pin(array);
	before = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	unpin_user_page_range_dirty_lock(array->fx->pages[0], array->nr, true);
	KUNIT_EXPECT_STREQ(test, array->dirtied, "AB");
	KUNIT_EXPECT_EQ(test, array->released - before, 4);
}

static struct kunit_case gup_unpin_edge_cases[] = {
	GUP_CASE_ROWS(nodes, gup_unpin_nodes, gup_unpin_node_rows),
	KUNIT_CASE(gup_unpin_every_array),
	KUNIT_CASE(gup_unpin_reads_first_only),
	KUNIT_CASE(gup_unpin_error),
	GUP_CASE_ROWS(warned, gup_unpin_warned, gup_unpin_warn_rows),
	KUNIT_CASE(gup_unpin_dirty_already),
	KUNIT_CASE(gup_unpin_counted_before_lock),
	{}
};

static struct kunit_suite gup_unpin_edge_suite = {
	.name = "gup_unpin_edge",
	.test_cases = gup_unpin_edge_cases,
};

kunit_test_suite(gup_unpin_edge_suite);
