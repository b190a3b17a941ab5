// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_cases: the slow path on a real mm, for what does not fit into rows:
 * odd addresses, no array of pages, signals.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "fixture/gup_lacks.h"
#include "walk/gup_mm_call.h"

static void gup_slow_expect_batch(struct kunit *test, struct gup_mm *m,
				  unsigned long addr, unsigned long nr, long want)
{
	const unsigned int first = (addr - m->addr) / PAGE_SIZE;
	long ret, i;

	for (i = 0; i < m->nr; i++)
		m->pages[i] = GUP_POISON;
	ret = pin_user_pages_unlocked(addr, nr, m->pages, FOLL_WRITE);
	KUNIT_EXPECT_EQ(test, ret, want);
	for (i = 0; i < ret; i++)
		GUP_EXPECT_PAGE_AT(test, m->folio, m->pages[i],
				   gup_mm_page(m, 'A', first + i), i);
	if (ret > 0)
		unpin_user_pages(m->pages, ret);
	if (want < m->nr)
		GUP_EXPECT_PAGE_AT(test, m->folio, m->pages[want], GUP_POISON,
				   want);
}

/* An address in the middle of a page, up to each page, and far beyond the VMA. */
static void gup_slow_unaligned(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4", "A0-15" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	const unsigned long addr = gup_mm_addr(m, 3) + PAGE_SIZE - 1;
	unsigned int nr;

	for (nr = 1; nr <= 13; nr++)
		gup_slow_expect_batch(test, m, addr, nr, nr);
	gup_slow_expect_batch(test, m, addr, 14, 13);
	/* The end would be the start again, or beyond the address space. */
	gup_slow_expect_batch(test, m, addr, ULONG_MAX / PAGE_SIZE + 1, 13);
	gup_slow_expect_batch(test, m, addr, ULONG_MAX, 13);
}

static void gup_slow_expect_untouched(struct kunit *test, struct gup_mm *m,
				      struct folio *a, int refs)
{
	KUNIT_EXPECT_EQ(test, folio_ref_count(a) - folio_mapcount(a), refs);
	KUNIT_EXPECT_FALSE(test, folio_maybe_dma_pinned(a));
}

/* Without an array of pages: all pages get mapped, and no reference is taken. */
static void gup_slow_populate(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4", "A0-3 . A5-7 A8:s A9-11 .2 A14-15",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct folio *a = page_folio(gup_mm_page(m, 'A', 0));
	const int refs = folio_ref_count(a) - folio_mapcount(a);
	struct gup_kunit_entry e;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_READ), 0);
	gup_kunit_mm.lru_drain();
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, gup_mm_read(m, i, &e), "page %u", i);
	gup_slow_expect_untouched(test, m, a, refs);

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_WRITE), 0);
	gup_kunit_mm.lru_drain();
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, gup_mm_read(m, i, &e) && e.write,
				      "page %u", i);
	gup_slow_expect_untouched(test, m, a, refs);
}

/* Locked memory is mapped, writable where it can be, without other references. */
static void gup_slow_mlock(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4", "A0-3 . A5-7 A8:s A9-11 .2 A14-15 .2", "16rw 2r",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct folio *a = page_folio(gup_mm_page(m, 'A', 0));
	const int refs = folio_ref_count(a) - folio_mapcount(a);
	struct gup_kunit_entry e;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.mlock(m->addr, m->nr * PAGE_SIZE), 0);
	gup_kunit_mm.lru_drain();
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, gup_mm_read(m, i, &e) &&
				      e.write == (i < 16), "page %u", i);
	/* A small folio in locked memory is mlocked itself. */
	KUNIT_EXPECT_TRUE(test, gup_mm_read(m, 12, &e) &&
			  folio_test_mlocked(page_folio(e.page)));
	gup_slow_expect_untouched(test, m, a, refs);
}

/* Special entries have no page, which does not stop populate. */
static void gup_slow_populate_special(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A2 B0", "A0-1 B0:x A3 .", "5rwm",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_kunit_entry e;

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_READ), 0);
	KUNIT_EXPECT_TRUE(test, gup_mm_read(m, 4, &e));
}

/* Pages before memory of a device get mapped, and then there is an error. */
static void gup_slow_populate_pfnmap(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A2", "A0-1 . A3 .2", "4rw 2rwdp",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_kunit_entry e;

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_READ), -EINVAL);
	KUNIT_EXPECT_TRUE(test, gup_mm_read(m, 2, &e));
	KUNIT_EXPECT_FALSE(test, gup_mm_read(m, 4, &e));
}

/**
 * struct gup_slow_flushes - how often each page was flushed
 * @m:       the piece of address space, all of it pages of folio A
 * @flushed: by page, with the address that maps it
 */
struct gup_slow_flushes {
	struct gup_mm *m;
	unsigned int flushed[16];
};

static void gup_slow_count(struct vm_area_struct *vma, unsigned long addr,
			   struct page *page, unsigned int nr_pages)
{
	struct gup_slow_flushes *flushes = kunit_get_current_test()->priv;
	struct gup_mm *m = flushes->m;
	unsigned int i, j;

	for (i = 0; i < nr_pages; i++)
		for (j = 0; j < 16; j++)
			flushes->flushed[j] +=
				page + i == gup_mm_page(m, 'A', j) &&
				addr + i * PAGE_SIZE == gup_mm_addr(m, j);
}

/* No page of a batch is forgotten. */
static void gup_slow_flushes_each_page(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4", "A0-15" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_slow_flushes flushes = { .m = m };
	unsigned int i;
	long ret;

	test->priv = &flushes;
	kunit_activate_static_stub(test, gup_kunit_gup.flush_pages,
				   gup_slow_count);
	ret = get_user_pages_unlocked(m->addr, m->nr, m->pages, FOLL_WRITE);
	KUNIT_EXPECT_EQ(test, ret, 16);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ_MSG(test, flushes.flushed[i], 1, "page %u", i);
	for (i = 0; (long)i < ret; i++)
		put_page(m->pages[i]);
}

/*
 * On arm64, a bit of a folio says that its instructions can be fetched. A flush
 * takes it away, whether the request is the whole folio or a part of it.
 */
static void gup_slow_flushes_the_folio(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4 B0", "A0-15 B0" };
	static const struct { unsigned int first, nr; } requests[] = {
		{ 0, 17 }, { 0, 16 }, { 0, 15 }, { 15, 2 }, { 3, 4 }, { 16, 1 },
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct folio *a = page_folio(gup_mm_page(m, 'A', 0));
	struct folio *b = page_folio(gup_mm_page(m, 'B', 0));
	unsigned int i;
	long ret;

	if (!IS_ENABLED(CONFIG_ARM64))
		kunit_skip(test, "no bit of a folio for the instruction cache");

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		const unsigned int first = requests[i].first, nr = requests[i].nr;
		bool a_keeps, b_keeps;

		set_bit(PG_arch_1, &a->flags.f);
		set_bit(PG_arch_1, &b->flags.f);
		ret = get_user_pages_unlocked(gup_mm_addr(m, first), nr, m->pages,
					      FOLL_WRITE);
		KUNIT_EXPECT_EQ(test, ret, nr);
		a_keeps = test_bit(PG_arch_1, &a->flags.f);
		b_keeps = test_bit(PG_arch_1, &b->flags.f);
		KUNIT_EXPECT_EQ_MSG(test, a_keeps, first == 16,
				    "%u pages from %u", nr, first);
		KUNIT_EXPECT_EQ_MSG(test, b_keeps, first + nr < 17,
				    "%u pages from %u", nr, first);
		while (ret > 0)
			put_page(m->pages[--ret]);
	}
}

static int gup_slow_kill(struct folio *folio, int refs, unsigned int flags)
{
	sigaddset(&current->pending.signal, SIGKILL);
	set_thread_flag(TIF_SIGPENDING);

	folio_ref_add(folio, refs);

	return 0;
}

/* Pages from before the signal are returned, and no more are taken. */
static void gup_slow_fatal_signal(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A2 B2", "A0-3 B0-3" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	long ret, i;

	kunit_activate_static_stub(test, gup_kunit_gup.grab, gup_slow_kill);
	mmap_read_lock(m->mm);
	ret = get_user_pages(m->addr, m->nr, FOLL_WRITE, m->pages);
	mmap_read_unlock(m->mm);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_thread_flag(TIF_SIGPENDING);
	kunit_deactivate_static_stub(test, gup_kunit_gup.grab);

	/* One look-up: a page, or a batch. */
	KUNIT_EXPECT_EQ(test, ret, gup_kunit_gup.follow_pte_batch ? 4 : 1);
	for (i = 0; i < ret; i++)
		put_page(m->pages[i]);
	KUNIT_EXPECT_EQ(test, folio_ref_count(page_folio(gup_mm_page(m, 'A', 0))),
			4);
	KUNIT_EXPECT_EQ(test, folio_ref_count(page_folio(gup_mm_page(m, 'B', 0))),
			4);
}

static int gup_slow_refuse(struct folio *folio, int refs, unsigned int flags)
{
	struct gup_mm *m = kunit_get_current_test()->priv;

	if (folio == page_folio(gup_mm_page(m, 'B', 0)))
		return -ENOMEM;
	folio_ref_add(folio, refs);

	return 0;
}

/* If a grab fails, the pages before it are returned, or the error. */
static void gup_slow_refused(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A2 B2", "A0-3 B0-3" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	long ret, err, i;

	test->priv = m;
	kunit_activate_static_stub(test, gup_kunit_gup.grab, gup_slow_refuse);
	mmap_read_lock(m->mm);
	ret = get_user_pages(m->addr, m->nr, FOLL_WRITE, m->pages);
	err = get_user_pages(gup_mm_addr(m, 4), 4, FOLL_WRITE, m->want);
	mmap_read_unlock(m->mm);
	kunit_deactivate_static_stub(test, gup_kunit_gup.grab);

	KUNIT_EXPECT_EQ(test, ret, 4);
	KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	for (i = 0; i < ret; i++)
		put_page(m->pages[i]);
}

/* Populating may end inside a folio. */
static void gup_slow_populate_part(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A2", "A0-3 .4" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_kunit_entry e;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(m->addr, 2 * PAGE_SIZE,
						   MADV_POPULATE_READ), 0);
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, gup_mm_read(m, i, &e), i < 4,
				    "page %u", i);
}

/* Populating returns an error that depends on the VMA. */
static void gup_slow_populate_refused(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A1 B1", "A0-1 .2 B0-1", "2rw 2g 2r",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);

	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(m->addr, 2 * PAGE_SIZE,
						   MADV_POPULATE_WRITE), 0);
	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(gup_mm_addr(m, 2),
						   2 * PAGE_SIZE,
						   MADV_POPULATE_READ), -ENOMEM);
	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(gup_mm_addr(m, 4),
						   2 * PAGE_SIZE,
						   MADV_POPULATE_WRITE), -EINVAL);
}

/* Far away from all other memory, there are no page tables yet. */
static void gup_slow_far_away(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A0", "A0" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	unsigned long addr;

	addr = gup_mm_mmap(test, m->addr + 3UL * SZ_512M, 2 * PAGE_SIZE,
			   PROT_READ | PROT_WRITE);
	KUNIT_ASSERT_EQ(test, pin_user_pages_unlocked(addr, 2, m->pages,
						      FOLL_WRITE), 2);
	KUNIT_EXPECT_PTR_NE(test, m->pages[0], m->pages[1]);
	unpin_user_pages(m->pages, 2);
}

/* Case 11: GUP-fast sees no VMA, and takes what the page table allows. */
static void gup_slow_fast_sees_no_vma(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4", "A0-15", "8rw 8w" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_mm_ask ask = { .call = GUP_MM_FAST, .flags = GUP_GET, .nr = 16 };
	struct gup_diff diff = {};

	gup_mm_enable_fast(test);
	gup_mm_run(m, &ask, &diff);
	gup_expect_no_diff(test, &diff, layout.ptes);
	KUNIT_EXPECT_EQ(test, ask.ret, 16);
}

static struct kunit_case gup_slow_cases_cases[] = {
	KUNIT_CASE(gup_slow_unaligned),
	KUNIT_CASE(gup_slow_populate),
	KUNIT_CASE(gup_slow_mlock),
	KUNIT_CASE(gup_slow_populate_special),
	KUNIT_CASE(gup_slow_populate_pfnmap),
	KUNIT_CASE(gup_slow_flushes_each_page),
	KUNIT_CASE(gup_slow_flushes_the_folio),
	KUNIT_CASE(gup_slow_fatal_signal),
	KUNIT_CASE(gup_slow_refused),
	KUNIT_CASE(gup_slow_populate_part),
	KUNIT_CASE(gup_slow_populate_refused),
	KUNIT_CASE(gup_slow_far_away),
	KUNIT_CASE(gup_slow_fast_sees_no_vma),
	{}
};

static struct kunit_suite gup_slow_cases_suite = {
	.name = "gup_slow_cases",
	.test_cases = gup_slow_cases_cases,
};

kunit_test_suite(gup_slow_cases_suite);
