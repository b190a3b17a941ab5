// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real_special: memory that is not private and anonymous: shmem, hugetlb, zero
 * pages, and memory of a driver.
 */
#include <linux/mman.h>
#include <linux/sizes.h>

#include "walk/gup_real_call.h"

#define GUP_RW	(PROT_READ | PROT_WRITE)

/* Small pages of shmem; a call has to fault in the second half. */
static void gup_special_shmem(struct kunit *test)
{
	const unsigned int nr = 16;
	unsigned long addr;
	struct gup_mm *m;

	addr = gup_mm_map(test, nr, PTRS_PER_PTE - nr / 2, NULL, GUP_RW,
			  MAP_SHARED | MAP_ANONYMOUS);
	m = gup_mm_adopt(test, addr, nr);
	gup_mm_enable_fast(test);
	gup_real_touch(test, addr, nr / 2);
	gup_real_expect(m, GUP_MM_FAST, GUP_PIN_LW, nr);
	gup_real_ask_all(test, m, nr / 2);
}

/* Large folios of shmem, where the boot arguments allow them. */
static void gup_special_shmem_large(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, 64);
	const unsigned int nr = 2U << order;
	unsigned long addr;
	struct gup_mm *m;

	addr = gup_mm_map(test, nr, PTRS_PER_PTE - nr / 2, NULL, GUP_RW,
			  MAP_SHARED | MAP_ANONYMOUS);
	m = gup_mm_adopt(test, addr, nr);
	gup_mm_enable_fast(test);
	gup_real_advise(test, m, order);
	gup_real_touch(test, addr, nr);
	gup_real_verify(test, m, order);
	gup_real_ask_all(test, m, nr / 2);
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.mprotect(gup_mm_addr(m, 3), PAGE_SIZE,
						    PROT_READ), 0);
	gup_real_ask_all(test, m, nr / 2);
}

static const struct gup_hugetlb_size {
	const char *name;
	unsigned int kb;
} gup_hugetlb_sizes[] = {
	{ .name = "64 kb", .kb = 64 },
	{ .name = "2 mb", .kb = 2048 },
	{ .name = "32 mb", .kb = 32 * 1024 },
};

GUP_ROWS(gup_hugetlb_sizes);

/* Two of them, or one if they are very large. On arm64, also contiguous ones. */
static void gup_special_hugetlb(struct kunit *test)
{
	const struct gup_hugetlb_size *size = test->param_value;
	const unsigned int one = size->kb * SZ_1K / PAGE_SIZE;
	const unsigned int nr = size->kb > 2048 ? one : 2 * one;
	struct gup_mm_ask ask = {
		.call = GUP_MM_FAST, .flags = GUP_PIN_W, .nr = nr,
	};
	struct gup_kunit_entry e;
	unsigned long addr;
	struct gup_mm *m;

	/* A gigantic one has nowhere to go if it lies in a movable zone. */
	if (one <= MAX_ORDER_NR_PAGES)
		ask.flags = GUP_PIN_LW;
	addr = gup_mm_map_hugetlb(test, one * PAGE_SIZE, nr / one);

	m = gup_mm_adopt(test, addr, nr);
	gup_mm_enable_fast(test);
	gup_real_touch(test, addr, nr);
	KUNIT_ASSERT_TRUE(test, gup_mm_read(m, nr - 1, &e));
	KUNIT_ASSERT_TRUE(test, folio_test_hugetlb(page_folio(e.page)));
	KUNIT_ASSERT_EQ(test, folio_nr_pages(page_folio(e.page)), one);

	gup_real_ask(test, m, &ask);
	KUNIT_EXPECT_EQ(test, ask.ret, nr);
	gup_real_ask_all(test, m, one);
}

/* References to all zero pages: on s390, there are several. */
static int gup_special_zero_refs(struct gup_mm *m)
{
	struct page *page;
	unsigned int i, n;
	int refs = 0;

	for (i = 0; i < m->nr; i++) {
		page = ZERO_PAGE(gup_mm_addr(m, i));
		for (n = 0; n < i; n++)
			if (ZERO_PAGE(gup_mm_addr(m, n)) == page)
				break;
		if (n == i)
			refs += page_ref_count(page);
	}

	return refs;
}

/* A longterm pin gets memory that a later write goes to as well. */
static void gup_special_expect_no_zero(struct gup_mm *m, unsigned int first,
				       unsigned int nr)
{
	struct gup_mm_ask ask = {
		.call = GUP_MM_FAST, .flags = GUP_PIN_L,
		.first = first, .nr = nr,
	};
	struct page *page;
	unsigned int i;

	gup_real_ask(m->test, m, &ask);
	KUNIT_EXPECT_EQ(m->test, ask.ret, nr);
	for (i = 0; i < nr; i++) {
		page = gup_mm_mapped(m, first + i);
		KUNIT_EXPECT_FALSE(m->test, is_zero_page(page));
		KUNIT_EXPECT_FALSE(m->test,
				   gup_kunit_mm.is_huge_zero(page_folio(page)));
	}
}

static void gup_special_zero_pages(struct kunit *test)
{
	static const struct {
		enum gup_mm_call call;
		unsigned int flags;
		int refs;
	} want[] = {
		{ .call = GUP_MM_SLOW, .flags = GUP_GET, .refs = 8 },
		{ .call = GUP_MM_SLOW, .flags = GUP_PIN },
		{ .call = GUP_MM_FAST, .flags = GUP_GET, .refs = 8 },
		{ .call = GUP_MM_FAST, .flags = GUP_PIN },
	};
	struct gup_mm_ask ask;
	unsigned int w, i;
	struct gup_mm *m;
	int refs;

	m = gup_mm_map_private(test, 8, 0);
	for (w = 0; w < ARRAY_SIZE(want); w++) {
		ask = (struct gup_mm_ask) {
			.call = want[w].call, .flags = want[w].flags, .nr = 8,
		};
		refs = gup_special_zero_refs(m);
		gup_mm_ask(m, &ask);
		KUNIT_EXPECT_EQ(test, gup_special_zero_refs(m) - refs,
				want[w].refs);
		KUNIT_ASSERT_EQ(test, ask.ret, 8);
		for (i = 0; i < 8; i++)
			KUNIT_ASSERT_TRUE(test, is_zero_page(m->pages[i]));
		for (i = 0; i < 8 && want[w].refs; i++)
			put_page(m->pages[i]);
		if (!want[w].refs)
			unpin_user_pages(m->pages, 8);
		KUNIT_EXPECT_EQ(test, gup_special_zero_refs(m), refs);
	}
	gup_special_expect_no_zero(m, 0, 8);
}

/* Map the huge zero folio twice. */
static struct gup_mm *gup_special_huge_zero(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, PMD_SIZE / SZ_1K);
	const unsigned int nr = 2U << order;
	struct gup_mm_ask ask = { .call = GUP_MM_SLOW, .flags = GUP_GET, .nr = 1 };
	struct gup_kunit_entry e;
	struct gup_mm *m;

	m = gup_mm_map_private(test, nr, 0);
	gup_real_advise(test, m, order);
	gup_real_ask(test, m, &ask);
	ask.first = nr / 2;
	gup_real_ask(test, m, &ask);
	KUNIT_ASSERT_TRUE(test, gup_mm_read(m, nr - 1, &e));
	if (e.size != PMD_SIZE || !gup_kunit_mm.is_huge_zero(page_folio(e.page)))
		kunit_skip(test, "the kernel gave no huge zero folio");

	return m;
}

static void gup_special_huge_zero_folio(struct kunit *test)
{
	static const struct {
		enum gup_mm_call call;
		unsigned int flags;
		int ret;
	} want[] = {
		{ .call = GUP_MM_ONLY, .flags = GUP_GET },
		{ .call = GUP_MM_SLOW, .flags = GUP_GET, .ret = 5 },
		{ .call = GUP_MM_SLOW, .flags = GUP_PIN, .ret = 5 },
		{ .call = GUP_MM_FAST, .flags = GUP_GET, .ret = 5 },
		{ .call = GUP_MM_FAST, .flags = GUP_PIN, .ret = 5 },
	};
	struct gup_mm *m = gup_special_huge_zero(test);
	struct page *zero = gup_mm_mapped(m, 0);
	struct gup_kunit_entry e;
	struct gup_mm_ask ask;
	unsigned int w, i;

	KUNIT_ASSERT_TRUE(test, gup_mm_read(m, 0, &e));
	for (w = 0; w < ARRAY_SIZE(want); w++) {
		ask = (struct gup_mm_ask) {
			.call = want[w].call, .flags = want[w].flags,
			.first = m->nr / 2 - 3, .nr = 5,
		};
		gup_real_ask(test, m, &ask);
		/* GUP-fast stops at it where there are special PMDs. */
		KUNIT_EXPECT_EQ(test, ask.ret, e.special ? want[w].ret : 5);
		for (i = 0; (int)i < ask.ret; i++)
			KUNIT_EXPECT_EQ(test, m->pages[i] - zero,
					(ask.first + i) % (m->nr / 2));
	}
	gup_special_expect_no_zero(m, m->nr / 2 - 3, 5);
}

/* What drivers map: special entries, or pages without a mapping. */
static const struct gup_mm_row gup_driver_rows[] = {
	{ .name = "only up to a special entry",
	  .layout = { "A2 B0u", "A0-1 B:x A3", "4rwm" }, .call = GUP_MM_ONLY,
	  .flags = GUP_GET_W, .ret = 2 },
	{ .name = "fast up to a special entry",
	  .layout = { "A2 B0u", "A0-1 B:x A3", "4rwm" }, .call = GUP_MM_FAST,
	  .flags = GUP_PIN_W, .ret = 2 },
	{ .name = "slow up to a special entry",
	  .layout = { "A2 B0u", "A0-1 B:x A3", "4rwm" }, .call = GUP_MM_SLOW,
	  .flags = GUP_GET, .ret = 2 },
	{ .name = "begin at a special entry",
	  .layout = { "A2 B0u", "A0-1 B:x A3", "4rwm" }, .call = GUP_MM_SLOW,
	  .flags = GUP_GET, .first = 2, .ret = -EEXIST },
	{ .name = "a mapping of pfns",
	  .layout = { "A0u B0u", "A:x B:x", "2rwp" }, .call = GUP_MM_FAST,
	  .flags = GUP_PIN_W, .ret = -EFAULT },
	{ .name = "a mapping of a device",
	  .layout = { "A0u B0u", "A:x B:x", "2rwpi" }, .call = GUP_MM_FAST,
	  .flags = GUP_GET, .ret = -EFAULT },
	{ .name = "pages of a driver in a mixed map",
	  .layout = { "A0u B0u+ C0u+ D0u+", "A B C D", "4rwm" },
	  .call = GUP_MM_ONLY, .flags = GUP_GET_W, .ret = 4 },
};

GUP_ROWS(gup_driver_rows);

static struct kunit_case gup_real_special_cases[] = {
	KUNIT_CASE(gup_special_shmem),
	KUNIT_CASE(gup_special_shmem_large),
	GUP_CASE_ROWS(pin_hugetlb, gup_special_hugetlb, gup_hugetlb_sizes),
	KUNIT_CASE(gup_special_zero_pages),
	KUNIT_CASE(gup_special_huge_zero_folio),
	GUP_CASE_ROWS(driver, gup_mm_row_run, gup_driver_rows),
	{}
};

static struct kunit_suite gup_real_special_suite = {
	.name = "gup_real_special",
	.test_cases = gup_real_special_cases,
};

kunit_test_suite(gup_real_special_suite);
