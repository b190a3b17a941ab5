// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_bench_slow: the time for a page in the slow path.
 *
 * As gup_bench, but by the exported functions on a real mm, with the mmap lock
 * held: 512 pages of folios of each order, mapped by PTEs. These are at most 16
 * folios of a file, mapped again and again.
 */
#include <linux/ktime.h>

#include "bench/gup_bench.h"
#include "fixture/gup_mm_fill.h"

#define GUP_BS_ORDER	9
#define GUP_BS_PAGES	512U
#define GUP_BS_FOLIOS	16U
#define GUP_BS_WALKS	16
#define GUP_BS_ROUNDS	101
#define GUP_BS_LAYOUT	(8 * GUP_BS_PAGES)

/**
 * struct gup_bs_op - what is measured
 * @name:  its name in the output
 * @flags: FOLL_* flags, with FOLL_GET or FOLL_PIN
 */
struct gup_bs_op {
	const char *name;
	unsigned int flags;
};

static const struct gup_bs_op gup_bs_ops[] = {
	{ .name = "get_slow", .flags = GUP_GET_W },
	{ .name = "pin_slow", .flags = GUP_PIN_W },
	{ .name = "pin_longterm", .flags = GUP_PIN_LW },
};

GUP_ROWS(gup_bs_ops);

/* The layout of all pages, in folios of @order. */
static struct gup_mm_layout gup_bs_layout(struct kunit *test, unsigned int order)
{
	char *folios = gup_zalloc(test, 1, GUP_BS_LAYOUT);
	char *ptes = gup_zalloc(test, 1, GUP_BS_LAYOUT);
	const unsigned int nr = GUP_BS_PAGES >> order;
	unsigned int i, f = 0, p = 0;

	for (i = 0; i < min(nr, GUP_BS_FOLIOS); i++)
		f += scnprintf(folios + f, GUP_BS_LAYOUT - f, "%s%c%uf",
			       i ? " " : "", 'A' + i, order);
	for (i = 0; i < nr; i++)
		p += scnprintf(ptes + p, GUP_BS_LAYOUT - p, "%s%c0-%u",
			       i ? " " : "", 'A' + i % GUP_BS_FOLIOS,
			       (1U << order) - 1);

	return (struct gup_mm_layout) { .folios = folios, .ptes = ptes };
}

/* Nanoseconds for one round, with all references put; 0 if a call failed. */
static u64 gup_bs_round(struct gup_mm *m, unsigned int flags)
{
	const unsigned int public = flags & ~(FOLL_GET | FOLL_PIN);
	const bool pin = flags & FOLL_PIN;
	u64 start, ns;
	unsigned int w, i;
	long ret = m->nr;
	struct kunit *test;

	test = gup_bench_begin();
	mmap_read_lock(m->mm);
	start = ktime_get_ns();
	for (w = 0; w < GUP_BS_WALKS && ret == (long)m->nr; w++)
		ret = (pin ? pin_user_pages : get_user_pages)
			(m->addr, m->nr, public, m->pages);
	ns = ktime_get_ns() - start;
	mmap_read_unlock(m->mm);
	gup_bench_end(test);
	if (ret != (long)m->nr)
		return 0;

	for (i = 0; i < m->nr; i++)
		gup_kunit_gup.put_folio(page_folio(m->pages[i]), GUP_BS_WALKS,
					flags);

	return ns;
}

static void gup_bs_order(struct kunit *test, unsigned int order, u64 *ns)
{
	const struct gup_mm_layout layout = gup_bs_layout(test, order);
	const struct gup_bs_op *op = test->param_value;
	struct gup_mm *m = gup_mm_create(test, &layout);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, m->nr, GUP_BS_PAGES);
	for (i = 0; i < GUP_BS_ROUNDS; i++) {
		ns[i] = gup_bs_round(m, op->flags);
		KUNIT_ASSERT_NE(test, ns[i], 0);
		cond_resched();
	}
	gup_bench_report(test, op->name, order, ns, GUP_BS_ROUNDS,
			 GUP_BS_PAGES * GUP_BS_WALKS);
}

static void gup_bench_slow(struct kunit *test)
{
	unsigned int order;
	u64 *ns;

	ns = gup_zalloc(test, GUP_BS_ROUNDS, sizeof(*ns));
	for (order = 0; order <= GUP_BS_ORDER; order++)
		gup_bs_order(test, order, ns);
}

static struct kunit_case gup_bench_slow_cases[] = {
	GUP_CASE_ROWS(slow, gup_bench_slow, gup_bs_ops),
	{}
};

static struct kunit_suite gup_bench_slow_suite = {
	.name = "gup_bench_slow",
	.test_cases = gup_bench_slow_cases,
};

kunit_test_suite(gup_bench_slow_suite);
