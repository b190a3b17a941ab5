// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_huge: the slow path over hugetlb pages, and over an entry of a PUD
 * that maps smaller folios.
 *
 * The exclusive bit of the first page of a hugetlb folio is that of all its
 * pages, so the result must not depend on the page where a request begins.
 */
#include <linux/mman.h>
#include <linux/sizes.h>

#include "fixture/gup_real.h"
#include "walk/gup_mm_call.h"

#define GUP_HUGE_NR	(PMD_SIZE / PAGE_SIZE)

/**
 * struct gup_huge_row - a request to two huge pages next to each other
 * @name:   what is special about it
 * @flags:  FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @call:   the function
 * @first:  the first page
 * @nr:     number of pages
 * @ret:    what is returned
 * @touch:  how many of the pages are touched before: none, or some of the first
 *          huge page, or more
 * @shared: whether a child has them, too
 * @same:   whether the pages are those that were there before
 */
struct gup_huge_row {
	const char *name;
	unsigned int flags;
	enum gup_mm_call call;
	unsigned int first;
	unsigned int nr;
	long ret;
	unsigned int touch;
	bool shared;
	bool same;
};

static const struct gup_huge_row gup_huge_rows[] = {
	{ .name = "inside one", .flags = GUP_GET, .call = GUP_MM_LOCKED,
	  .first = 5, .nr = 3, .ret = 3, .touch = 2 * GUP_HUGE_NR,
	  .same = true },
	{ .name = "last three pages of one and two of the next",
	  .flags = GUP_PIN, .call = GUP_MM_LOCKED, .first = GUP_HUGE_NR - 3,
	  .nr = 5, .ret = 5, .touch = 2 * GUP_HUGE_NR, .same = true },
	{ .name = "all", .flags = GUP_PIN_W, .call = GUP_MM_SLOW,
	  .nr = 2 * GUP_HUGE_NR, .ret = 2 * GUP_HUGE_NR,
	  .touch = 2 * GUP_HUGE_NR, .same = true },
	{ .name = "all but the ends", .flags = GUP_GET_W, .call = GUP_MM_SLOW,
	  .first = 1, .nr = 2 * GUP_HUGE_NR - 2, .ret = 2 * GUP_HUGE_NR - 2,
	  .touch = 2 * GUP_HUGE_NR, .same = true },
	{ .name = "all for long", .flags = GUP_PIN_LW, .call = GUP_MM_LOCKED,
	  .nr = 2 * GUP_HUGE_NR, .ret = 2 * GUP_HUGE_NR,
	  .touch = 2 * GUP_HUGE_NR },
	{ .name = "the second has to be faulted in", .flags = GUP_PIN_W,
	  .call = GUP_MM_SLOW, .first = GUP_HUGE_NR - 2, .nr = 4, .ret = 4,
	  .touch = 1 },
	{ .name = "the second may not be faulted in",
	  .flags = GUP_PIN_W | FOLL_NOFAULT, .call = GUP_MM_LOCKED,
	  .first = GUP_HUGE_NR - 2, .nr = 4, .ret = 2, .touch = 1,
	  .same = true },
	{ .name = "none is there and none may be faulted in",
	  .flags = GUP_GET | FOLL_NOFAULT, .call = GUP_MM_LOCKED, .first = 3,
	  .nr = 4, .ret = -EFAULT },
	{ .name = "case 3 get to read what a child shares", .flags = GUP_GET,
	  .call = GUP_MM_LOCKED, .first = GUP_HUGE_NR - 3, .nr = 5, .ret = 5,
	  .touch = 2 * GUP_HUGE_NR, .shared = true, .same = true },
	{ .name = "case 3 pin to read what a child shares", .flags = GUP_PIN,
	  .call = GUP_MM_LOCKED, .first = GUP_HUGE_NR - 3, .nr = 5, .ret = 5,
	  .touch = 2 * GUP_HUGE_NR, .shared = true },
	{ .name = "case 3 pin what a child shares without faults",
	  .flags = GUP_PIN | FOLL_NOFAULT, .call = GUP_MM_LOCKED,
	  .first = GUP_HUGE_NR - 3, .nr = 5, .ret = -EFAULT,
	  .touch = 2 * GUP_HUGE_NR, .shared = true },
};

GUP_ROWS(gup_huge_rows);

/* Two hugetlb pages of PMD_SIZE; the test is skipped if there are none. */
static struct gup_mm *gup_huge_make(struct kunit *test)
{
	return gup_mm_adopt(test, gup_mm_map_hugetlb(test, PMD_SIZE, 2),
			    2 * GUP_HUGE_NR);
}

static void gup_huge_row_run(struct kunit *test)
{
	const struct gup_huge_row *row = test->param_value;
	struct gup_mm *m = gup_huge_make(test);
	struct gup_diff diff = {};
	struct page *before[2];
	struct gup_mm_ask ask = {
		.call = row->call,
		.flags = row->flags,
		.first = row->first,
		.nr = row->nr,
	};
	long i;

	gup_real_touch(test, m->addr, row->touch);
	if (row->shared)
		gup_real_fork(test);
	for (i = 0; i < 2; i++)
		before[i] = gup_mm_mapped(m, i * GUP_HUGE_NR);

	gup_mm_ask(m, &ask);
	KUNIT_EXPECT_EQ(test, ask.ret, row->ret);
	for (i = 0; i < ask.ret && row->same; i++)
		gup_differs(&diff, "number in its huge page of page", i,
			    m->pages[i] - before[(row->first + i) / GUP_HUGE_NR],
			    (row->first + i) % GUP_HUGE_NR);
	for (i = 0; i < ask.ret && row->shared && !row->same; i++)
		gup_differs(&diff, "page that the child has", i,
			    page_folio(m->pages[i]) ==
			    page_folio(before[(row->first + i) / GUP_HUGE_NR]),
			    false);
	gup_expect_no_diff(test, &diff, row->name);
	gup_mm_settle(m, &ask, row->name);
}

/**
 * struct gup_pud_row - a request to what one entry of a PUD maps
 * @name:  what is special about it
 * @flags: FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @first: the first page, in two folios of four pages
 * @nr:    number of pages, at most eight
 */
struct gup_pud_row {
	const char *name;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
};

static const struct gup_pud_row gup_pud_rows[] = {
	{ .name = "one page", .flags = GUP_GET, .first = 2, .nr = 1 },
	{ .name = "one folio", .flags = GUP_PIN_W, .first = 0, .nr = 4 },
	{
		.name = "case 16 last page of one folio and two of the next",
		.flags = GUP_PIN, .first = 3, .nr = 3,
	}, {
		.name = "case 16 both and get",
		.flags = GUP_GET_W, .first = 0, .nr = 8,
	},
};

GUP_ROWS(gup_pud_rows);

static void gup_pud_free(void *page)
{
	folio_put(page_folio((struct page *)page + 4));
	folio_put(page_folio((struct page *)page));
}

/* Two folios of four pages each, next to each other. */
static struct page *gup_pud_folios(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);

	KUNIT_ASSERT_NOT_NULL(test, page);
	split_page(page, 3);
	gup_kunit_mm.carve(page, 2);
	gup_kunit_mm.carve(page + 4, 2);
	gup_undo_later(test, gup_pud_free, page);

	return page;
}

/* All references are those of the folio of the first page; give them back. */
static void gup_pud_expect_refs(struct kunit *test, struct page *page,
				const struct gup_pud_row *row, long ret)
{
	struct folio *other = page_folio(page + (row->first < 4 ? 4 : 0));
	struct folio *folio = page_folio(page + row->first);
	const bool pin = row->flags & FOLL_PIN;

	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 1 + ret);
	KUNIT_EXPECT_EQ(test, atomic_read(&folio->_pincount), pin ? ret : 0);
	KUNIT_EXPECT_EQ(test, folio_ref_count(other), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->_pincount), 0);
	if (ret > 0 && pin)
		unpin_user_folio(folio, ret);
	else if (ret > 0)
		folio_put_refs(folio, ret);
}

/*
 * Case 16: all references go to the folio of the first page, which is wrong if
 * the folios are smaller than the entry. That is old, and tested here because a
 * batch of entries must not do it as well.
 */
static void gup_pud_row_run(struct kunit *test)
{
	const struct gup_pud_row *row = test->param_value;
	const unsigned int flags = row->flags & ~(FOLL_GET | FOLL_PIN);
	const bool pin = row->flags & FOLL_PIN;
	struct page *page, *pages[9];
	unsigned long addr, pfn;
	long ret, i;

	/* The check would stop where mapped pages are allocated and freed. */
	if (!IS_ENABLED(CONFIG_ARCH_SUPPORTS_PUD_PFNMAP) ||
	    IS_ENABLED(CONFIG_PAGE_TABLE_CHECK))
		kunit_skip(test, "a PUD cannot map memory of a driver");
	page = gup_pud_folios(test);
	pfn = ALIGN_DOWN(page_to_pfn(page), PUD_SIZE / PAGE_SIZE);
	addr = gup_mm_map_leaf(test, pfn, PUD_SIZE, VM_MIXEDMAP);
	addr += (page_to_pfn(page) - pfn + row->first) * PAGE_SIZE;
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = GUP_POISON;

	KUNIT_EXPECT_EQ(test, get_user_pages_fast_only(addr, row->nr, flags,
						       pages), 0);
	ret = (pin ? pin_user_pages_unlocked : get_user_pages_unlocked)
		(addr, row->nr, pages, flags);
	KUNIT_EXPECT_EQ(test, ret, row->nr);
	for (i = 0; i < ret; i++)
		KUNIT_EXPECT_EQ(test, pages[i] - page, row->first + i);
	GUP_EXPECT_PAGE(test, NULL, pages[row->nr], GUP_POISON);

	gup_pud_expect_refs(test, page, row, ret);
}

static struct kunit_case gup_slow_huge_cases[] = {
	GUP_CASE_ROWS(hugetlb, gup_huge_row_run, gup_huge_rows),
	GUP_CASE_ROWS(pud, gup_pud_row_run, gup_pud_rows),
	{}
};

static struct kunit_suite gup_slow_huge_suite = {
	.name = "gup_slow_huge",
	.test_cases = gup_slow_huge_cases,
};

kunit_test_suite(gup_slow_huge_suite);
