// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_longterm_real: longterm pins of memory that has to be moved for them.
 *
 * Anonymous memory of a process comes from ZONE_MOVABLE, if there is one. A
 * longterm pin must move it to another zone, with its content, and count all
 * pins and isolated pages. There are no stubs here but to enable GUP-fast.
 * Pages that were just touched are in the LRU caches of the CPU, which must be
 * drained to move them.
 */
#include <kunit/static_stub.h>
#include <linux/highmem.h>
#include <linux/mman.h>
#include <linux/sizes.h>

#include "fixture/gup_cpu.h"
#include "fixture/gup_lacks.h"
#include "fixture/gup_mm.h"
#include "fixture/gup_stat.h"
#include "gup_diff.h"

#define GUP_LR_PAGES	64U

/**
 * struct gup_lr - some memory of a process
 * @addr:     its address
 * @before:   the pages behind it before it is pinned
 * @pages:    the pages that are pinned
 * @isolated: NR_ISOLATED_ANON before
 * @acquired: NR_FOLL_PIN_ACQUIRED before
 * @released: NR_FOLL_PIN_RELEASED before
 */
struct gup_lr {
	unsigned long addr;
	struct page *before[GUP_LR_PAGES];
	struct page *pages[GUP_LR_PAGES + 1];
	long isolated;
	long acquired;
	long released;
};

/**
 * struct gup_lr_row - a request for longterm pins
 * @name:    what is special about it
 * @order:   the order of the folios, 0 for small pages
 * @fast:    whether to ask the fast function
 * @first:   the first page that is asked for
 * @nr:      number of pages
 * @settled: number of pages from @first on that were pinned for long before
 */
struct gup_lr_row {
	const char *name;
	unsigned int order;
	bool fast;
	unsigned int first;
	unsigned int nr;
	unsigned int settled;
};

static const struct gup_lr_row gup_lr_rows[] = {
	{ .name = "one page", .nr = 1 },
	{ .name = "small pages", .nr = 64 },
	{ .name = "small pages fast", .fast = true, .nr = 64 },
	{ .name = "last page only", .nr = 16, .settled = 15 },
	{ .name = "last page only fast", .fast = true, .nr = 16, .settled = 15 },
	{ .name = "nothing to move", .nr = 16, .settled = 16 },
	{ .name = "large folios", .order = 4, .nr = 64 },
	{ .name = "large folios fast", .order = 4, .fast = true, .nr = 64 },
	{ .name = "parts of large folios", .order = 4, .first = 5, .nr = 30 },
	{ .name = "tail page of a large folio", .order = 4, .first = 17, .nr = 1 },
};

GUP_ROWS(gup_lr_rows);

static bool gup_lr_is_movable(const struct page *page)
{
	return page_zonenum(page) == ZONE_MOVABLE;
}

static unsigned char gup_lr_byte(unsigned int i)
{
	return 3 * i + 1;
}

static const char *gup_lr_lacks(unsigned int order)
{
	if (!IS_ENABLED(CONFIG_MIGRATION))
		return "no CONFIG_MIGRATION";
	if (gup_fixture_movable_node() == NUMA_NO_NODE)
		return "no memory in ZONE_MOVABLE";
	if (order && !IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "no CONFIG_TRANSPARENT_HUGEPAGE";

	return NULL;
}

/* Fault in all pages, and fill them. */
static void gup_lr_fill(struct kunit *test, struct gup_lr *r)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, get_user_pages_unlocked(r->addr, GUP_LR_PAGES,
						      r->before, FOLL_WRITE),
			(long)GUP_LR_PAGES);
	for (i = 0; i < GUP_LR_PAGES; i++) {
		void *at = kmap_local_page(r->before[i]);

		memset(at, gup_lr_byte(i), PAGE_SIZE);
		kunmap_local(at);
		put_page(r->before[i]);
	}
}

static struct gup_lr *gup_lr_create(struct kunit *test, unsigned int order)
{
	const size_t len = 2 * GUP_LR_PAGES * PAGE_SIZE;
	struct gup_lr *r = gup_zalloc(test, 1, sizeof(*r));
	unsigned int i;

	gup_skip_if(test, gup_lr_lacks(order));
	gup_fixture_bind();
	r->addr = gup_mm_mmap(test, 0, len, PROT_READ | PROT_WRITE);
	r->addr = ALIGN(r->addr, GUP_LR_PAGES * PAGE_SIZE);

	gup_mm_set_orders(test, order ? BIT(order) : 0);
	if (order)
		KUNIT_EXPECT_EQ(test,
				gup_kunit_mm.madvise(r->addr,
						  GUP_LR_PAGES * PAGE_SIZE,
						  MADV_HUGEPAGE), 0);
	gup_lr_fill(test, r);

	for (i = 0; i < GUP_LR_PAGES; i++) {
		if (folio_order(page_folio(r->before[i])) != order)
			kunit_skip(test, "the kernel gave no folios of %lu kB",
				   (PAGE_SIZE << order) / SZ_1K);
		if (!gup_lr_is_movable(r->before[i]))
			kunit_skip(test, "%s", gup_fixture_no_movable(test));
		r->pages[i] = GUP_POISON;
	}
	r->pages[i] = GUP_POISON;
	r->isolated = gup_fixture_stat(NR_ISOLATED_ANON);
	r->acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	r->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);

	return r;
}

static long gup_lr_pin(struct gup_lr *r, unsigned int first, unsigned int nr,
		       bool fast)
{
	const unsigned long addr = r->addr + first * PAGE_SIZE;

	if (fast)
		return pin_user_pages_fast(addr, nr, FOLL_WRITE | FOLL_LONGTERM,
					   r->pages);

	return pin_user_pages_unlocked(addr, nr, r->pages,
				       FOLL_WRITE | FOLL_LONGTERM);
}

/* No page is isolated, and all pins are counted. */
static void gup_lr_expect_counts(struct kunit *test, struct gup_lr *r,
				 long pinned)
{
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_ISOLATED_ANON), r->isolated);
	KUNIT_EXPECT_EQ(test,
			gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - r->acquired -
			gup_fixture_stat(NR_FOLL_PIN_RELEASED) + r->released,
			pinned);
}

static void gup_lr_expect_page(struct kunit *test, struct page *page,
			       unsigned int i)
{
	void *at, *wrong;

	KUNIT_EXPECT_FALSE_MSG(test, gup_lr_is_movable(page), "page %u", i);
	KUNIT_EXPECT_TRUE(test, folio_maybe_dma_pinned(page_folio(page)));
	at = kmap_local_page(page);
	wrong = memchr_inv(at, gup_lr_byte(i), PAGE_SIZE);
	kunmap_local(at);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "content of page %u", i);
}

static void gup_lr_moves(struct kunit *test)
{
	const struct gup_lr_row *row = test->param_value;
	struct gup_lr *r = gup_lr_create(test, row->order);
	struct page *settled[GUP_LR_PAGES];
	unsigned int i;

	if (row->fast)
		gup_mm_enable_fast(test);
	if (row->settled) {
		KUNIT_ASSERT_EQ(test, row->settled,
				gup_lr_pin(r, row->first, row->settled, false));
		memcpy(settled, r->pages, sizeof(settled));
		unpin_user_pages(r->pages, row->settled);
	}

	KUNIT_ASSERT_EQ(test, row->nr,
			gup_lr_pin(r, row->first, row->nr, row->fast));
	for (i = 0; i < row->nr; i++)
		gup_lr_expect_page(test, r->pages[i], row->first + i);
	GUP_EXPECT_PAGE(test, NULL, r->pages[GUP_LR_PAGES], GUP_POISON);
	KUNIT_EXPECT_MEMEQ(test, r->pages, settled,
			   row->settled * sizeof(*settled));
	gup_lr_expect_counts(test, r, row->nr);
	unpin_user_pages(r->pages, row->nr);
	gup_lr_expect_counts(test, r, 0);
}

/* A page with another reference cannot be moved, and no pin is left. */
static void gup_lr_held(struct kunit *test)
{
	struct gup_lr *r = gup_lr_create(test, 0);
	unsigned int i;

	get_page(r->before[3]);
	KUNIT_EXPECT_EQ(test, gup_lr_pin(r, 0, 8, false), -ENOMEM);
	KUNIT_EXPECT_FALSE(test,
			   folio_maybe_dma_pinned(page_folio(r->before[3])));
	put_page(r->before[3]);
	gup_lr_expect_counts(test, r, 0);

	KUNIT_EXPECT_EQ(test, gup_lr_pin(r, 0, 8, false), 8);
	for (i = 0; i < 8; i++)
		gup_lr_expect_page(test, r->pages[i], i);
	unpin_user_pages(r->pages, 8);
	gup_lr_expect_counts(test, r, 0);
}

static struct kunit_case gup_longterm_real_cases[] = {
	GUP_CASE_ROWS(moves, gup_lr_moves, gup_lr_rows),
	KUNIT_CASE(gup_lr_held),
	{}
};

static struct kunit_suite gup_longterm_real_suite = {
	.name = "gup_longterm_real",
	.test_cases = gup_longterm_real_cases,
};

kunit_test_suite(gup_longterm_real_suite);
