// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_leaf: the slow path over folios that one PMD maps.
 *
 * There are three huge pages next to each other, Q, T and V. Q is mapped by
 * PTEs, since its PMD was split. Requests begin and end anywhere in them.
 */
#include <linux/mman.h>

#include "fixture/gup_lacks.h"
#include "walk/gup_mm_call.h"

#define GUP_LEAF_NR	(PMD_SIZE / PAGE_SIZE)
#define GUP_Q(page)	(page)
#define GUP_T(page)	(GUP_LEAF_NR + (page))
#define GUP_V(page)	(2 * GUP_LEAF_NR + (page))

/**
 * struct gup_leaf_row - a request
 * @name:  what is special about it
 * @flags: FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @call:  the function
 * @first: the first page
 * @nr:    number of pages; all are returned
 */
struct gup_leaf_row {
	const char *name;
	unsigned int flags;
	enum gup_mm_call call;
	unsigned int first;
	unsigned int nr;
};

static const struct gup_leaf_row gup_leaf_rows[] = {
	{ .name = "case 8 inside one pmd", .flags = GUP_GET,
	  .call = GUP_MM_LOCKED, .first = GUP_T(5), .nr = 3 },
	{ .name = "case 8 last three pages of one pmd and two of the next",
	  .flags = GUP_GET, .call = GUP_MM_LOCKED,
	  .first = GUP_T(GUP_LEAF_NR - 3), .nr = 5 },
	{ .name = "case 8 last page of one pmd and eight of the next",
	  .flags = GUP_GET, .call = GUP_MM_LOCKED,
	  .first = GUP_T(GUP_LEAF_NR - 1), .nr = 9 },
	{ .name = "case 8 from entries into a pmd", .flags = GUP_GET,
	  .call = GUP_MM_LOCKED, .first = GUP_Q(GUP_LEAF_NR - 3), .nr = 5 },
	{ .name = "case 8 inside entries", .flags = GUP_GET,
	  .call = GUP_MM_LOCKED, .first = GUP_Q(5), .nr = 3 },
	{ .name = "one whole pmd", .flags = GUP_PIN_W, .call = GUP_MM_LOCKED,
	  .first = GUP_T(0), .nr = GUP_LEAF_NR },
	{ .name = "first page of a pmd", .flags = GUP_PIN_W,
	  .call = GUP_MM_SLOW, .first = GUP_T(0), .nr = 1 },
	{ .name = "last page of a pmd", .flags = GUP_PIN_W, .call = GUP_MM_SLOW,
	  .first = GUP_T(GUP_LEAF_NR - 1), .nr = 1 },
	{ .name = "everything", .flags = GUP_PIN_W, .call = GUP_MM_SLOW,
	  .first = GUP_Q(0), .nr = 3 * GUP_LEAF_NR },
	{ .name = "everything for long", .flags = GUP_PIN_LW,
	  .call = GUP_MM_LOCKED, .first = GUP_Q(0), .nr = 3 * GUP_LEAF_NR },
	{ .name = "everything but the ends", .flags = GUP_PIN,
	  .call = GUP_MM_SLOW, .first = GUP_Q(1), .nr = 3 * GUP_LEAF_NR - 2 },
	{ .name = "split the pmd and go on in its entries",
	  .flags = GUP_GET | FOLL_SPLIT_PMD, .call = GUP_MM_LOCKED,
	  .first = GUP_T(5), .nr = 3 },
	{ .name = "split both pmds", .flags = GUP_PIN_W | FOLL_SPLIT_PMD,
	  .call = GUP_MM_SLOW, .first = GUP_T(GUP_LEAF_NR - 3), .nr = 5 },
};

GUP_ROWS(gup_leaf_rows);

static unsigned long gup_leaf_size(struct gup_mm *m, unsigned int entry)
{
	struct gup_kunit_entry e;

	gup_mm_read(m, entry, &e);

	return e.size;
}

/* Make three huge pages; the test is skipped if there are none. */
static struct gup_mm *gup_leaf_make(struct kunit *test, unsigned int flags)
{
	const unsigned int nr = 3 * GUP_LEAF_NR;
	unsigned long i;
	struct gup_mm *m;

	gup_skip_if(test, gup_mm_lacks_huge());
	gup_mm_set_orders(test, BIT(PMD_ORDER));
	m = gup_mm_map_private(test, nr, 0);
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.madvise(m->addr, 3 * PMD_SIZE,
						   MADV_HUGEPAGE), 0);
	for (i = 0; i < nr; i += GUP_LEAF_NR) {
		gup_mm_fault_in(m, i, flags);
		if (gup_leaf_size(m, i) != PMD_SIZE)
			kunit_skip(test, "the kernel gave no huge page");
	}
	gup_mm_keep(test, m->addr, nr);

	return m;
}

static void gup_leaf_split_q(struct kunit *test, struct gup_mm *m)
{
	gup_mm_fault_in(m, 0, FOLL_SPLIT_PMD);
	KUNIT_ASSERT_EQ(test, gup_leaf_size(m, 0), PAGE_SIZE);
}

static void gup_leaf_row_run(struct kunit *test)
{
	const struct gup_leaf_row *row = test->param_value;
	const bool splits = row->flags & FOLL_SPLIT_PMD;
	struct gup_mm *m = gup_leaf_make(test, FOLL_WRITE);
	struct gup_diff diff = {};
	struct gup_mm_ask ask = {
		.call = row->call,
		.flags = row->flags,
		.first = row->first,
		.nr = row->nr,
	};

	gup_leaf_split_q(test, m);
	gup_mm_run(m, &ask, &diff);
	gup_expect_no_diff(test, &diff, row->name);
	KUNIT_EXPECT_EQ(test, ask.ret, row->nr);
	/* A folio that has to move is split if there is no huge page for it. */
	if (row->flags & FOLL_LONGTERM)
		return;
	KUNIT_EXPECT_EQ(test, gup_leaf_size(m, GUP_T(0)),
			splits ? PAGE_SIZE : PMD_SIZE);
}

/* An address in the middle of a page, inside one PMD and into the next. */
static void gup_leaf_unaligned(struct kunit *test)
{
	struct gup_mm *m = gup_leaf_make(test, FOLL_WRITE);
	struct gup_mm_ask ask = {
		.flags = GUP_PIN_W,
		.first = GUP_T(GUP_LEAF_NR - 3),
	};
	struct gup_diff diff = {};
	unsigned long addr;

	for (ask.nr = 1; ask.nr <= 5; ask.nr++) {
		addr = gup_mm_addr(m, ask.first) + PAGE_SIZE - 1;
		gup_mm_before(m, &ask);
		ask.ret = pin_user_pages_unlocked(addr, ask.nr, m->pages,
						  FOLL_WRITE);
		gup_mm_after(m, &ask);
		KUNIT_EXPECT_EQ(test, ask.ret, ask.nr);
		gup_mm_check(m, &ask, &diff);
		gup_mm_undo(m, &ask, &diff);
	}
	gup_expect_no_diff(test, &diff, "unaligned");
}

/* Case 12: the huge zero folio twice; its references are those of any folio. */
static void gup_leaf_zero(struct kunit *test)
{
	struct gup_mm *m = gup_leaf_make(test, 0);
	const struct page *zero = gup_mm_mapped(m, 0);
	struct gup_mm_ask ask = {
		.call = GUP_MM_LOCKED,
		.flags = GUP_GET,
		.first = GUP_LEAF_NR - 3,
		.nr = 5,
	};
	unsigned int i;
	long ret;

	if (zero != gup_mm_mapped(m, GUP_LEAF_NR))
		kunit_skip(test, "the kernel gave no huge page");
	for (i = 0; i < 2; i++) {
		gup_mm_ask(m, &ask);
		KUNIT_EXPECT_EQ(test, ask.ret, 5);
		KUNIT_EXPECT_EQ(test, m->pages[2] - zero, GUP_LEAF_NR - 1);
		KUNIT_EXPECT_EQ(test, m->pages[3] - zero, 0);
		gup_mm_settle(m, &ask, "huge zero folio");
		ask.flags = GUP_PIN;
	}

	mmap_read_lock(m->mm);
	ret = get_user_pages(m->addr, 1, FOLL_DUMP, m->pages);
	mmap_read_unlock(m->mm);
	KUNIT_EXPECT_EQ(test, ret, -EFAULT);
}

static struct kunit_case gup_slow_leaf_cases[] = {
	GUP_CASE_ROWS(rows, gup_leaf_row_run, gup_leaf_rows),
	KUNIT_CASE(gup_leaf_unaligned),
	KUNIT_CASE(gup_leaf_zero),
	{}
};

static struct kunit_suite gup_slow_leaf_suite = {
	.name = "gup_slow_leaf",
	.test_cases = gup_slow_leaf_cases,
};

kunit_test_suite(gup_slow_leaf_suite);
