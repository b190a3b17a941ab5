// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_entry: the functions that callers of GUP-fast see, on a real mm.
 *
 * The other suites start the walk in a page table that they made. Here
 * get_user_pages_fast() and its variants are called on memory that was mapped
 * and touched as by user space. Where the architecture has no GUP-fast, it is
 * turned on for the test.
 */
#include <kunit/static_stub.h>
#include <linux/mman.h>

#include "fixture/gup_cpu.h"
#include "fixture/gup_lacks.h"
#include "fixture/gup_mm.h"
#include "fixture/gup_stat.h"
#include "gup_diff.h"

#define GUP_ENTRY_PAGES	8

/* Room for a walk that goes too far and takes what else is mapped. */
#define GUP_ENTRY_SLOTS	(4 * GUP_ENTRY_PAGES)

/**
 * struct gup_entry - some mapped memory, and an array to fill
 * @addr:  its address
 * @pages: the array, poisoned
 */
struct gup_entry {
	unsigned long addr;
	struct page *pages[GUP_ENTRY_SLOTS];
};

static void gup_entry_poison(struct gup_entry *e)
{
	unsigned int i;

	for (i = 0; i < GUP_ENTRY_SLOTS; i++)
		e->pages[i] = GUP_POISON;
}

static int gup_entry_init(struct kunit *test)
{
	struct gup_entry *e = gup_zalloc(test, 1, sizeof(*e));

	gup_fixture_bind();
	test->priv = e;
	gup_mm_enable_fast(test);

	return 0;
}

/* Private memory, with all pages faulted in. */
static struct gup_entry *gup_entry_map(struct kunit *test)
{
	struct gup_entry *e = test->priv;
	unsigned int i;
	long nr;

	e->addr = gup_mm_mmap(test, 0, GUP_ENTRY_PAGES * PAGE_SIZE,
			      PROT_READ | PROT_WRITE);
	nr = get_user_pages_unlocked(e->addr, GUP_ENTRY_PAGES, e->pages,
				     FOLL_WRITE);
	KUNIT_ASSERT_EQ(test, nr, GUP_ENTRY_PAGES);
	for (i = 0; i < GUP_ENTRY_PAGES; i++)
		put_page(e->pages[i]);
	gup_entry_poison(e);

	return e;
}

/* No page may be returned; if one is, give it back. */
static void gup_entry_expect_none(struct kunit *test, int ret, int want,
				  bool pinned)
{
	struct gup_entry *e = test->priv;
	int i;

	KUNIT_EXPECT_EQ(test, ret, want);
	GUP_EXPECT_PAGE(test, NULL, e->pages[0], GUP_POISON);
	for (i = 0; i < ret; i++) {
		if (pinned)
			unpin_user_page(e->pages[i]);
		else
			put_page(e->pages[i]);
	}
	gup_entry_poison(e);
}

static void gup_entry_expect_nothing(struct kunit *test, int nr_pages, int want)
{
	struct gup_entry *e = gup_entry_map(test);
	int ret;

	ret = get_user_pages_fast(e->addr, nr_pages, FOLL_WRITE, e->pages);
	gup_entry_expect_none(test, ret, want, false);
	ret = get_user_pages_fast_only(e->addr, nr_pages, FOLL_WRITE, e->pages);
	gup_entry_expect_none(test, ret, want, false);
	ret = pin_user_pages_fast(e->addr, nr_pages, FOLL_WRITE, e->pages);
	gup_entry_expect_none(test, ret, want, true);
}

static void nr_pages_zero(struct kunit *test)
{
	gup_entry_expect_nothing(test, 0, 0);
}

static void nr_pages_negative(struct kunit *test)
{
	gup_entry_expect_nothing(test, -1, 0);
}

static void nr_pages_most_negative(struct kunit *test)
{
	gup_entry_expect_nothing(test, INT_MIN, 0);
}

/* The size in bytes of so many pages overflows 32 bits: to 0, or a few pages. */
static void pages_for_33_bits(struct kunit *test)
{
	const int nr_pages = 1 << (32 - PAGE_SHIFT);

	if (BITS_PER_LONG > 32)
		kunit_skip(test, "the size of a request cannot overflow 64 bits");

	gup_entry_expect_nothing(test, nr_pages, -EOVERFLOW);
	gup_entry_expect_nothing(test, nr_pages + 1, -EOVERFLOW);
	gup_entry_expect_nothing(test, nr_pages + GUP_ENTRY_PAGES, -EOVERFLOW);
}

/* From every page on, every number of pages up to the end. */
static void get_from_every_page(struct kunit *test)
{
	struct gup_entry *e = gup_entry_map(test);
	unsigned int first, nr, i;
	int ret;

	for (first = 0; first < GUP_ENTRY_PAGES; first++) {
		for (nr = 1; nr <= GUP_ENTRY_PAGES - first; nr++) {
			gup_entry_poison(e);
			ret = get_user_pages_fast_only(e->addr + first * PAGE_SIZE,
						       nr, FOLL_WRITE, e->pages);
			KUNIT_ASSERT_EQ(test, ret, nr);
			GUP_EXPECT_PAGE_AT(test, NULL, e->pages[nr], GUP_POISON, nr);
			for (i = 0; i < nr; i++)
				put_page(e->pages[i]);
		}
	}
}

static void pin_all_pages(struct kunit *test)
{
	const long acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	const long released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	struct gup_entry *e = gup_entry_map(test);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, pin_user_pages_fast(e->addr, GUP_ENTRY_PAGES,
						  FOLL_WRITE, e->pages),
			GUP_ENTRY_PAGES);
	GUP_EXPECT_PAGE(test, NULL, e->pages[GUP_ENTRY_PAGES], GUP_POISON);
	for (i = 0; i < GUP_ENTRY_PAGES; i++) {
		struct folio *folio = page_folio(e->pages[i]);

		KUNIT_EXPECT_TRUE(test, folio_maybe_dma_pinned(folio));
	}
	unpin_user_pages(e->pages, GUP_ENTRY_PAGES);
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - acquired,
			GUP_ENTRY_PAGES);
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released,
			GUP_ENTRY_PAGES);
}

/* A request for more than is mapped gets what is mapped. */
static void get_past_the_end(struct kunit *test)
{
	struct gup_entry *e = gup_entry_map(test);
	unsigned int i;
	int nr;

	nr = get_user_pages_fast_only(e->addr + 5 * PAGE_SIZE, GUP_ENTRY_PAGES,
				      FOLL_WRITE, e->pages);
	KUNIT_EXPECT_EQ(test, nr, 3);
	for (i = 0; (int)i < nr; i++)
		put_page(e->pages[i]);
}

/* As if fork() began during the walk: pages might be shared from here on. */
static struct folio *gup_entry_fork(struct page *page, int refs,
				    unsigned int flags)
{
	struct kunit *test = current->kunit_test;
	struct folio *folio;

	current->kunit_test = NULL;
	folio = gup_kunit_gup.grab_fast(page, refs, flags);
	current->kunit_test = test;
	raw_write_seqcount_begin(&current->mm->write_protect_seq);
	raw_write_seqcount_end(&current->mm->write_protect_seq);

	return folio;
}

static void gup_entry_expect_pins(struct kunit *test, int ret,
				  const long *before, long acquired)
{
	struct gup_entry *e = test->priv;
	int i;

	KUNIT_ASSERT_EQ(test, ret, GUP_ENTRY_PAGES);
	gup_kunit_mm.lru_drain();		/* it holds references */
	for (i = 0; i < ret; i++)
		KUNIT_EXPECT_EQ(test, page_ref_count(e->pages[i]),
				1 + GUP_PIN_COUNTING_BIAS);
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - before[0],
			acquired);
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_FOLL_PIN_RELEASED) - before[1],
			acquired - GUP_ENTRY_PAGES);
	unpin_user_pages(e->pages, ret);
	gup_entry_poison(e);
}

/* The pins of GUP-fast are given back, and the slow path pins again. */
static void pin_during_fork(struct kunit *test)
{
	struct gup_entry *e = gup_entry_map(test);
	long before[2];
	int ret;

	kunit_activate_static_stub(test, gup_kunit_gup.grab_fast, gup_entry_fork);
	before[0] = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	before[1] = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	ret = pin_user_pages_fast(e->addr, GUP_ENTRY_PAGES, FOLL_WRITE, e->pages);
	gup_entry_expect_pins(test, ret, before, 2 * GUP_ENTRY_PAGES);
	kunit_deactivate_static_stub(test, gup_kunit_gup.grab_fast);

	before[0] = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	before[1] = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	raw_write_seqcount_begin(&current->mm->write_protect_seq);
	ret = pin_user_pages_fast(e->addr, GUP_ENTRY_PAGES, FOLL_WRITE, e->pages);
	raw_write_seqcount_end(&current->mm->write_protect_seq);
	gup_entry_expect_pins(test, ret, before, GUP_ENTRY_PAGES);
}

static struct kunit_case gup_fast_entry_cases[] = {
	KUNIT_CASE(nr_pages_zero),
	KUNIT_CASE(nr_pages_negative),
	KUNIT_CASE(nr_pages_most_negative),
	KUNIT_CASE(pages_for_33_bits),
	KUNIT_CASE(get_from_every_page),
	KUNIT_CASE(pin_all_pages),
	KUNIT_CASE(get_past_the_end),
	KUNIT_CASE(pin_during_fork),
	{}
};

static struct kunit_suite gup_fast_entry_suite = {
	.name = "gup_fast_entry",
	.init = gup_entry_init,
	.test_cases = gup_fast_entry_cases,
};

kunit_test_suite(gup_fast_entry_suite);
