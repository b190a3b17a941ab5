// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow: the whole slow path, from the exported functions down, on a real mm.
 *
 * Runs end at borders that the page tables do not show, faults come in between,
 * pages are copied and unshared, and whatever the walk does by runs, the callers
 * get what they got when it went page by page.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>

#include "gup_mm.h"

/**
 * struct gup_slow_row - a call on a layout
 * @name:   what is special about it
 * @layout: the layout
 * @call:   the function
 * @flags:  FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @first:  the first page asked for
 * @nr:     number of pages asked for, 0 for all that follow
 * @ret:    what is returned
 * @of_a:   how many of the pages are pages of the folio A
 * @held:   whether there is one reference more to A, so that its pages cannot be
 *          used again and have to be copied
 * @dirty:  whether A is dirty afterwards
 */
struct gup_slow_row {
	const char *name;
	struct gup_mm_layout layout;
	enum gup_mm_call call;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	long ret;
	unsigned int of_a;
	bool held;
	bool dirty;
};

/* Where a run ends. */
static const struct gup_slow_row gup_slow_bounds_rows[] = {
	{
		.name = "whole folio",
		.layout = { "A4", "A0-15" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 16, .of_a = 16,
	}, {
		.name = "end of the request inside the folio",
		.layout = { "A4", "A0-15" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .first = 5, .nr = 3,
		.ret = 3, .of_a = 3,
	}, {
		.name = "one page",
		.layout = { "A4", "A0-15" },
		.call = GUP_MM_SLOW, .flags = GUP_GET_W, .first = 5, .nr = 1,
		.ret = 1, .of_a = 1,
	}, {
		.name = "small folios",
		.layout = { "B0 A0", "B0 A0 B0:s" },
		.call = GUP_MM_SLOW, .flags = GUP_GET, .ret = 3, .of_a = 1,
	}, {
		.name = "folio over two tables",
		.layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 6 },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 16, .of_a = 16,
	}, {
		.name = "end of a table inside the folio",
		.layout = { "A4", "A0-5", .at = -1 },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .nr = 10,
		.ret = 6, .of_a = 6,
	}, {
		.name = "case 11 readable up to the middle of the folio and get",
		.layout = { "A4", "A0-15", "8rw 8w" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .ret = 8, .of_a = 8,
	}, {
		.name = "case 11 readable up to the middle of the folio and pin",
		.layout = { "A4", "A0-15", "8rw 8w" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN, .ret = 8, .of_a = 8,
	}, {
		.name = "case 11 start where it is not readable",
		.layout = { "A4", "A0-15", "8rw 8w" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .first = 8,
		.ret = -EFAULT,
	}, {
		.name = "case 11 with force",
		.layout = { "A4", "A0-15", "8rw 8w" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET | FOLL_FORCE,
		.ret = 16, .of_a = 16,
	}, {
		.name = "case 11 three vmas that may all be read",
		.layout = { "A4", "A0-15", "5rw 6rwd 5rw" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 16, .of_a = 16,
	}, {
		.name = "writable up to the middle of the folio",
		.layout = { "A4", "A0-7 A8-15:r", "8rw 8r" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 8, .of_a = 8,
	}, {
		.name = "nothing mapped behind the vma",
		.layout = { "A4", "A0-7", "8rw 8g" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .nr = 16,
		.ret = 8, .of_a = 8,
	}, {
		.name = "device memory behind the vma",
		.layout = { "A4", "A0-7", "8rw 4rwdi" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 8, .of_a = 8,
	}, {
		.name = "neighbours in memory",
		.layout = { "A2 B2+", "A0-3 B0-3" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 8, .of_a = 4,
	}, {
		.name = "order 9",
		.layout = { "A9", "A0-511" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W,
		.ret = 512, .of_a = 512,
	},
};

KUNIT_ARRAY_PARAM_DESC(gup_slow_bounds, gup_slow_bounds_rows, name);

/* Page faults in the middle of a folio. */
static const struct gup_slow_row gup_slow_fault_rows[] = {
	{
		.name = "hole in the middle",
		.layout = { "A3", "A0-3 . A5-7" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 8, .of_a = 7,
	}, {
		.name = "hole in the middle without faults",
		.layout = { "A3", "A0-3 . A5-7" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W | FOLL_NOFAULT,
		.ret = 4, .of_a = 4,
	}, {
		.name = "start at a hole without faults",
		.layout = { "A3", "A0-3 . A5-7" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET | FOLL_NOFAULT,
		.first = 4, .ret = -EFAULT,
	}, {
		.name = "guard in the middle",
		.layout = { "A3", "A0-3 @ A5-7" },
		.call = GUP_MM_SLOW, .flags = GUP_GET_W, .ret = 4, .of_a = 4,
	}, {
		.name = "case 2 read_only half and write",
		.layout = { "A4", "A0-7 A8-15:s" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W,
		.ret = 16, .of_a = 8, .held = true,
	}, {
		.name = "case 3 read_only half and pin to read",
		.layout = { "A4", "A0-7:r A8-15:s" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN,
		.ret = 16, .of_a = 8, .held = true,
	}, {
		.name = "case 3 read_only half and get to read",
		.layout = { "A4", "A0-7:r A8-15:s" },
		.call = GUP_MM_SLOW, .flags = GUP_GET,
		.ret = 16, .of_a = 16, .held = true,
	}, {
		.name = "one page to be unshared in the middle",
		.layout = { "A3", "A0-2:r A3:s A4-7:r" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN,
		.ret = 8, .of_a = 7, .held = true,
	}, {
		.name = "one page to be unshared without faults",
		.layout = { "A3", "A0-2:r A3:s A4-7:r" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN | FOLL_NOFAULT,
		.ret = 3, .of_a = 3, .held = true,
	}, {
		.name = "force into read_only memory with a shared page",
		.layout = { "A3", "A0-3:r A4:s A5-7:r", "8r" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W | FOLL_FORCE,
		.ret = 8, .of_a = 7, .held = true,
	}, {
		.name = "small zero pages and get",
		.layout = { "A0", "Z8" },
		.call = GUP_MM_SLOW, .flags = GUP_GET, .ret = 8,
	}, {
		.name = "small zero pages and pin",
		.layout = { "A0", "Z8" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN, .ret = 8,
	}, {
		.name = "small zero pages and longterm pin",
		.layout = { "A0", "Z8" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_L, .ret = 8,
	}, {
		.name = "case 13 special entry without a page",
		.layout = { "A0 B0 C0 D0", "A0 B0 C0:x D0", "4rwm" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .ret = 2, .of_a = 1,
	}, {
		.name = "case 13 start at a special entry",
		.layout = { "A0 B0 C0 D0", "A0 B0 C0:x D0", "4rwm" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .first = 2,
		.ret = -EEXIST,
	}, {
		.name = "case 13 special entry for the next page of the folio",
		.layout = { "A2", "A0-1 A2:x A3", "4rwm" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .ret = 2, .of_a = 2,
	}, {
		.name = "case 18 hint for numa in the middle",
		.layout = { "A2", "A0-1 A2:p A3" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .ret = 4, .of_a = 4,
	}, {
		.name = "case 18 hint for numa first",
		.layout = { "A2", "A0:p A1-3" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET, .ret = 4, .of_a = 4,
	}, {
		.name = "case 18 hint for numa without faults",
		.layout = { "A2", "A0-1 A2:p A3" },
		.call = GUP_MM_LOCKED, .flags = GUP_GET | FOLL_NOFAULT,
		.ret = 4, .of_a = 4,
	}, {
		.name = "case 18 hint for numa to be honoured without faults",
		.layout = { "A2", "A0-1 A2:p A3" },
		.call = GUP_MM_LOCKED,
		.flags = GUP_GET | FOLL_HONOR_NUMA_FAULT | FOLL_NOFAULT,
		.ret = 2, .of_a = 2,
	}, {
		.name = "pin for long",
		.layout = { "A4 B0", "A0-15 B" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_LW, .ret = 17, .of_a = 16,
	}, {
		.name = "pin for long out of the movable zone",
		.layout = { "A4m B0m", "A0-15 B" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_LW, .ret = 17,
	}, {
		.name = "pin in the movable zone",
		.layout = { "A4m B0m", "A0-15 B" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 17, .of_a = 16,
	},
};

KUNIT_ARRAY_PARAM_DESC(gup_slow_faults, gup_slow_fault_rows, name);

/* The _unlocked functions touch, the others do not. */
static const struct gup_slow_row gup_slow_touch_rows[] = {
	{
		.name = "case 17 only the first entry is dirty",
		.layout = { "A2", "A0 A1-3:c" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W,
		.ret = 4, .of_a = 4, .dirty = true,
	}, {
		.name = "case 17 only the first entry is clean",
		.layout = { "A2", "A0:c A1-3" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W,
		.ret = 4, .of_a = 4, .dirty = true,
	}, {
		.name = "case 17 all entries dirty",
		.layout = { "A2", "A0-3" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 4, .of_a = 4,
	}, {
		.name = "case 17 without touching",
		.layout = { "A2", "A0 A1-3:c" },
		.call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 4, .of_a = 4,
	}, {
		.name = "clean entry behind the end",
		.layout = { "A2", "A0-2 A3:c" },
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W, .nr = 3,
		.ret = 3, .of_a = 3,
	},
};

KUNIT_ARRAY_PARAM_DESC(gup_slow_touch, gup_slow_touch_rows, name);

static struct gup_mm *gup_slow_make(struct kunit *test,
				    const struct gup_mm_layout *layout)
{
	const char *lacks = gup_mm_lacks(layout);

	if (lacks)
		kunit_skip(test, "%s", lacks);

	return gup_mm_create(test, layout);
}

static unsigned int gup_slow_of_a(struct gup_mm *m, long nr)
{
	const struct gup_folio *a = &m->folio[0];
	unsigned int of_a = 0;
	long i;

	for (i = 0; i < nr; i++)
		of_a += m->pages[i] >= a->page &&
			m->pages[i] < a->page + (1U << a->order);

	return of_a;
}

static void gup_slow_row_check(struct kunit *test, struct gup_mm *m,
			       const struct gup_slow_row *row)
{
	struct folio *a = page_folio(m->folio[0].page);
	struct gup_diff diff = {};
	struct gup_mm_ask ask = {
		.call = row->call,
		.flags = row->flags,
		.first = row->first,
		.nr = row->nr ?: m->nr - row->first,
	};

	folio_clear_dirty(a);
	gup_mm_before(m, &ask);
	gup_mm_call(m, &ask);
	gup_mm_after(m, &ask);
	KUNIT_EXPECT_EQ(test, ask.ret, row->ret);
	KUNIT_EXPECT_EQ(test, gup_slow_of_a(m, ask.ret), row->of_a);
	KUNIT_EXPECT_EQ(test, folio_test_dirty(a), row->dirty);
	gup_mm_check(m, &ask, &diff);
	gup_mm_undo(m, &ask, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
}

/* A is not in its mm any more when this row is over, and may be gone. */
static void gup_slow_row_run(struct kunit *test)
{
	const struct gup_slow_row *row = test->param_value;
	struct gup_mm *m = gup_slow_make(test, &row->layout);
	struct folio *a = page_folio(m->folio[0].page);

	if (row->held)
		folio_get(a);
	gup_slow_row_check(test, m, row);
	if (row->held)
		folio_put(a);
}

/* An address in the middle of a page, and a request far beyond the VMA. */
static void gup_slow_unaligned(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4", "A0-15" };
	struct gup_mm *m = gup_slow_make(test, &layout);
	const unsigned long addr = gup_mm_addr(m, 3) + PAGE_SIZE - 1;
	unsigned int i;
	long ret;

	ret = pin_user_pages_unlocked(addr, 5, m->pages, FOLL_WRITE);
	KUNIT_EXPECT_EQ(test, ret, 5);
	for (i = 0; (long)i < ret; i++)
		KUNIT_EXPECT_PTR_EQ(test, m->pages[i], gup_mm_page(m, 'A', 3 + i));
	if (ret > 0)
		unpin_user_pages(m->pages, ret);

	/* Its end would be the start again. */
	ret = get_user_pages_unlocked(addr, ULONG_MAX / PAGE_SIZE + 1, m->pages,
				      FOLL_WRITE);
	KUNIT_EXPECT_EQ(test, ret, 13);
	for (i = 0; (long)i < ret; i++)
		put_page(m->pages[i]);
}

static void gup_slow_expect_untouched(struct kunit *test, struct gup_mm *m,
				      struct folio *a, int refs)
{
	KUNIT_EXPECT_EQ(test, folio_ref_count(a) - folio_mapcount(a), refs);
	KUNIT_EXPECT_FALSE(test, folio_maybe_dma_pinned(a));
}

/* Without an array of pages: everything is mapped afterwards, nothing is held. */
static void gup_slow_populate(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4", "A0-3 . A5-7 A8:s A9-11 .2 A14-15",
	};
	struct gup_mm *m = gup_slow_make(test, &layout);
	struct folio *a = page_folio(gup_mm_page(m, 'A', 0));
	const int refs = folio_ref_count(a) - folio_mapcount(a);
	struct gup_kunit_mm_entry e;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 0, gup_kunit_madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_READ));
	gup_kunit_mm_drain();
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, gup_mm_read(m, i, &e), "page %u", i);
	gup_slow_expect_untouched(test, m, a, refs);

	KUNIT_EXPECT_EQ(test, 0, gup_kunit_madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_WRITE));
	gup_kunit_mm_drain();
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, gup_mm_read(m, i, &e) && e.write,
				      "page %u", i);
	gup_slow_expect_untouched(test, m, a, refs);
}

/* Special entries have no page, but that is none of the business of populate. */
static void gup_slow_populate_special(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A2 B0", "A0-1 B0:x A3 .", "5rwm",
	};
	struct gup_mm *m = gup_slow_make(test, &layout);
	struct gup_kunit_mm_entry e;

	KUNIT_EXPECT_EQ(test, 0, gup_kunit_madvise(m->addr, m->nr * PAGE_SIZE,
						   MADV_POPULATE_READ));
	KUNIT_EXPECT_TRUE(test, gup_mm_read(m, 4, &e));
}

static void gup_slow_count_flush(struct page *page)
{
	struct gup_mm *m = kunit_get_current_test()->priv;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		if (page == m->folio[0].page + i)
			m->want[i] = page;
}

/* No page of a run is forgotten. */
static void gup_slow_flushes_each_page(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4", "A0-15" };
	struct gup_mm *m = gup_slow_make(test, &layout);
	unsigned int i;
	long ret;

	if (gup_race_lacks())
		kunit_skip(test, "%s", gup_race_lacks());
	test->priv = m;
	kunit_activate_static_stub(test, gup_kunit_flush_page,
				   gup_slow_count_flush);
	ret = get_user_pages_unlocked(m->addr, m->nr, m->pages, FOLL_WRITE);
	KUNIT_EXPECT_EQ(test, ret, 16);
	for (i = 0; i < m->nr; i++)
		KUNIT_EXPECT_PTR_EQ_MSG(test, m->want[i], gup_mm_page(m, 'A', i),
					"page %u", i);
	for (i = 0; (long)i < ret; i++)
		put_page(m->pages[i]);
}

static int gup_slow_kill(struct folio *folio, int refs, unsigned int flags)
{
	sigaddset(&current->pending.signal, SIGKILL);
	set_thread_flag(TIF_SIGPENDING);

	folio_ref_add(folio, refs);

	return 0;
}

/* What was taken before the signal is returned, nothing is taken after it. */
static void gup_slow_fatal_signal(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A2 B2", "A0-3 B0-3" };
	struct gup_mm *m = gup_slow_make(test, &layout);
	long ret, i;

	if (gup_race_lacks())
		kunit_skip(test, "%s", gup_race_lacks());
	kunit_activate_static_stub(test, gup_kunit_gup.grab, gup_slow_kill);
	mmap_read_lock(m->mm);
	ret = get_user_pages(m->addr, m->nr, FOLL_WRITE, m->pages);
	mmap_read_unlock(m->mm);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_thread_flag(TIF_SIGPENDING);
	kunit_deactivate_static_stub(test, gup_kunit_gup.grab);

	/* One look-up: a page, or a run. */
	KUNIT_EXPECT_EQ(test, ret, gup_kunit_gup.follow_pte_run ? 4 : 1);
	for (i = 0; i < ret; i++)
		put_page(m->pages[i]);
	KUNIT_EXPECT_EQ(test, folio_ref_count(page_folio(gup_mm_page(m, 'A', 0))),
			4);
	KUNIT_EXPECT_EQ(test, folio_ref_count(page_folio(gup_mm_page(m, 'B', 0))),
			4);
}

static struct kunit_case gup_slow_cases[] = {
	GUP_CASE_ROWS(bounds, gup_slow_row_run, gup_slow_bounds),
	GUP_CASE_ROWS(faults, gup_slow_row_run, gup_slow_faults),
	GUP_CASE_ROWS(touch, gup_slow_row_run, gup_slow_touch),
	KUNIT_CASE(gup_slow_unaligned),
	KUNIT_CASE(gup_slow_populate),
	KUNIT_CASE(gup_slow_populate_special),
	KUNIT_CASE(gup_slow_flushes_each_page),
	KUNIT_CASE(gup_slow_fatal_signal),
	{}
};

struct kunit_suite gup_slow_suite = {
	.name = "gup_slow",
	.test_cases = gup_slow_cases,
};
