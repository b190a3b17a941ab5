// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_longterm_cma: a page block that belongs to CMA, in an ordinary zone.
 *
 * Its pages are for movable memory, and must not be pinned for long: GUP-fast
 * does not take them for a longterm pin, and the slow path moves them out of
 * the block. The test makes a block of CMA of one whose pages are all in use,
 * so that no free page is on a list for the wrong type.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/migrate.h>
#include <linux/mmzone.h>
#include <linux/pageblock-flags.h>
#include <linux/uaccess.h>

#include "fixture/gup_real.h"
#include "walk/gup_fast.h"
#include "walk/gup_mm_call.h"
#include "walk/gup_race.h"

/* All pages of a block or of two; A is pinned. */
#define GUP_CMA_PAGES	512
#define GUP_CMA_FOLIOS	"A4 B4u+ C5u+ D6u+ E7u+ F8u+"

/**
 * struct gup_cma - a page block that belongs to CMA for a while
 * @page:     its first page
 * @type:     what it belongs to otherwise
 * @isolated: how often a folio was to be isolated
 * @migrated: number of folios that were to be migrated
 */
struct gup_cma {
	struct page *page;
	int type;
	unsigned int isolated;
	unsigned int migrated;
};

static const char *gup_cma_lacks(void)
{
	if (!IS_ENABLED(CONFIG_CMA))
		return "no CONFIG_CMA";
	if (!IS_ENABLED(CONFIG_MEMORY_HOTPLUG))
		return "the type of a page block cannot be changed";
	if (pageblock_nr_pages > GUP_CMA_PAGES)
		return "a page block is larger than the memory of this suite";

	return NULL;
}

static void gup_cma_restore(void *data)
{
	struct gup_cma *cma = data;

	gup_kunit_mm.cma_end(cma->page, cma->type);
}

/* @page is the first of a block; all its pages are ours. */
static struct gup_cma *gup_cma_create(struct kunit *test, struct page *page)
{
	struct gup_cma *cma = gup_zalloc(test, 1, sizeof(*cma));

	KUNIT_ASSERT_TRUE(test, pageblock_aligned(page_to_pfn(page)));
	cma->page = page;
	cma->type = gup_kunit_mm.cma_begin(page);
	KUNIT_ASSERT_GE(test, cma->type, 0);
	gup_undo_later(test, gup_cma_restore, cma);
	KUNIT_ASSERT_FALSE(test,
			   gup_kunit_mm.longterm_pinnable(page_folio(page)));

	return cma;
}

static const struct gup_fast_row gup_cma_fast_rows[] = {
	{ .name = "longterm pin to write",
	  .layout = { GUP_CMA_FOLIOS, "A0-15" }, .flags = GUP_PIN_LW,
	  .stop = GUP_NO_GRAB },
	{ .name = "longterm pin to read", .layout = { GUP_CMA_FOLIOS, "A0-15" },
	  .flags = GUP_PIN_L, .stop = GUP_NO_GRAB },
	{ .name = "pin", .layout = { GUP_CMA_FOLIOS, "A0-15" },
	  .flags = GUP_PIN_W, .gets = 16 },
	{ .name = "get", .layout = { GUP_CMA_FOLIOS, "A0-15" },
	  .flags = GUP_GET_W, .gets = 16 },
};

GUP_ROWS(gup_cma_fast_rows);

static void gup_cma_fast(struct kunit *test)
{
	const struct gup_fast_row *row = test->param_value;
	struct gup_fixture *fx;

	gup_skip_if(test, gup_cma_lacks());
	fx = gup_fixture_create(test, &row->layout);
	gup_cma_create(test, gup_fixture_page(fx, 'A', 0));
	gup_fast_row_check(fx, row);
}

/**
 * struct gup_cma_row - a call of an exported function
 * @name:  what is special about it
 * @call:  the function
 * @flags: FOLL_* flags
 * @moves: whether the folio has to be moved out of the block
 */
struct gup_cma_row {
	const char *name;
	enum gup_mm_call call;
	unsigned int flags;
	bool moves;
};

static const struct gup_cma_row gup_cma_rows[] = {
	{ .name = "longterm pin", .call = GUP_MM_LOCKED, .flags = GUP_PIN_LW,
	  .moves = true },
	{ .name = "longterm pin unlocked", .call = GUP_MM_SLOW,
	  .flags = GUP_PIN_L, .moves = true },
	{ .name = "longterm pin fast", .call = GUP_MM_FAST, .flags = GUP_PIN_LW,
	  .moves = true },
	{ .name = "pin", .call = GUP_MM_LOCKED, .flags = GUP_PIN_W },
	{ .name = "pin fast", .call = GUP_MM_FAST, .flags = GUP_PIN_W },
};

GUP_ROWS(gup_cma_rows);

static bool gup_cma_isolate(struct folio *folio)
{
	struct gup_cma *cma = kunit_get_current_test()->priv;

	cma->isolated++;

	return gup_call_real(gup_kunit_mm.isolate_lru(folio));
}

/* Restore the type before pages are freed. */
static int gup_cma_migrate(struct list_head *list, new_folio_t new_folio,
			   free_folio_t free_folio, unsigned long private,
			   enum migrate_mode mode, enum migrate_reason reason,
			   unsigned int *ret_succeeded)
{
	struct gup_cma *cma = kunit_get_current_test()->priv;

	cma->migrated += list_count_nodes(list);
	gup_cma_restore(cma);

	return gup_call_real(gup_kunit_mm.migrate_pages(list, new_folio,
						     free_folio, private, mode,
						     reason, ret_succeeded));
}

static struct gup_cma *gup_cma_watch(struct kunit *test, struct gup_mm *m)
{
	struct gup_cma *cma = gup_cma_create(test, gup_mm_page(m, 'A', 0));

	test->priv = cma;
	kunit_activate_static_stub(test, gup_kunit_mm.isolate_lru,
				   gup_cma_isolate);
	kunit_activate_static_stub(test, gup_kunit_mm.migrate_pages,
				   gup_cma_migrate);

	return cma;
}

static void gup_cma_expect_page(struct gup_mm *m, struct page *block,
				unsigned int i, bool moves)
{
	struct page *page = m->pages[i];
	u32 content = 0;

	KUNIT_EXPECT_EQ_MSG(m->test, page < block ||
			    page >= block + GUP_CMA_PAGES, moves, "page %u", i);
	KUNIT_EXPECT_EQ(m->test,
			get_user(content, (u32 __user *)gup_mm_addr(m, i)), 0);
	KUNIT_EXPECT_EQ_MSG(m->test, content, i + 1, "page %u", i);
}

static void gup_cma_moves(struct kunit *test)
{
	static const struct gup_mm_layout layout = { GUP_CMA_FOLIOS, "A0-15" };
	const struct gup_cma_row *row = test->param_value;
	struct gup_mm_ask ask = {
		.call = row->call, .flags = row->flags, .nr = 16,
	};
	struct gup_cma *cma;
	struct gup_mm *m;
	unsigned int i;

	gup_skip_if(test, gup_cma_lacks());
	m = gup_mm_create_or_skip(test, &layout);
	gup_real_touch(test, m->addr, m->nr);
	cma = gup_cma_watch(test, m);
	gup_mm_ask(m, &ask);
	KUNIT_ASSERT_EQ(test, ask.ret, 16);
	for (i = 0; i < 16; i++)
		gup_cma_expect_page(m, cma->page, i, row->moves);
	KUNIT_EXPECT_EQ(test, cma->isolated, row->moves);
	KUNIT_EXPECT_EQ(test, cma->migrated, row->moves);
	gup_mm_settle(m, &ask, layout.ptes);
}

/* With another reference, the folio cannot be moved, and no pin is left. */
static void gup_cma_held(struct kunit *test)
{
	static const struct gup_mm_layout layout = { GUP_CMA_FOLIOS, "A0-15" };
	struct gup_mm_ask ask = {
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_LW, .nr = 16,
	};
	struct gup_diff diff = {};
	struct gup_cma *cma;
	struct gup_mm *m;
	unsigned int i;

	gup_skip_if(test, gup_cma_lacks());
	m = gup_mm_create_or_skip(test, &layout);
	cma = gup_cma_watch(test, m);
	get_page(gup_mm_page(m, 'A', 7));
	gup_mm_run(m, &ask, &diff);
	put_page(gup_mm_page(m, 'A', 7));
	gup_expect_no_diff(test, &diff, layout.ptes);
	KUNIT_EXPECT_EQ(test, ask.ret, -ENOMEM);
	KUNIT_EXPECT_EQ(test, cma->isolated, 1);
	KUNIT_EXPECT_EQ(test, cma->migrated, 1);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_PTR_EQ(test, gup_mm_mapped(m, i),
				    gup_mm_page(m, 'A', i));
}

static struct kunit_case gup_longterm_cma_cases[] = {
	GUP_CASE_ROWS(fast, gup_cma_fast, gup_cma_fast_rows),
	GUP_CASE_ROWS(moves, gup_cma_moves, gup_cma_rows),
	KUNIT_CASE(gup_cma_held),
	{}
};

static struct kunit_suite gup_longterm_cma_suite = {
	.name = "gup_longterm_cma",
	.test_cases = gup_longterm_cma_cases,
};

kunit_test_suite(gup_longterm_cma_suite);
