// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_bench: the time for a page.
 *
 * This is no test, and does not fail for being slow. GUP-fast walks over a full
 * page table many times, with IRQs disabled, for folios of each order; the
 * references are put when the clock is off. It prints the minimum and the
 * median of many rounds in picoseconds for a page, for tools/ to compare
 * kernels. The numbers mean nothing by themselves.
 *
 * In a mosaic, no page is behind the one before it in the same folio, as after
 * many copies on write: each batch is one page, and every guess is wrong. It
 * shows the cost of batching where it gains nothing.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>

#include "bench/gup_bench.h"
#include "fixture/gup_fixture.h"

#define GUP_BENCH_ORDER		9
#define GUP_BENCH_PAGES		512U
#define GUP_BENCH_WALKS		16
#define GUP_BENCH_ROUNDS	301

/**
 * struct gup_bench_op - what is measured
 * @name:   its name in the output
 * @flags:  FOLL_* flags
 * @mosaic: whether every second page is one of another folio
 */
struct gup_bench_op {
	const char *name;
	unsigned int flags;
	bool mosaic;
};

static const struct gup_bench_op gup_bench_ops[] = {
	{ .name = "get_fast", .flags = GUP_GET_W },
	{ .name = "pin_fast", .flags = GUP_PIN_W },
	{ .name = "get_mosaic", .flags = GUP_GET_W, .mosaic = true },
	{ .name = "pin_mosaic", .flags = GUP_PIN_W, .mosaic = true },
};

GUP_ROWS(gup_bench_ops);

/* Nanoseconds for one round, all references put again. */
static u64 gup_bench_round(struct gup_fixture *fx, unsigned int nr,
			   unsigned int flags)
{
	const unsigned long addr = gup_fixture_addr(fx, 0);
	unsigned long irq;
	unsigned int i, w;
	struct kunit *test;
	int pinned = 0;
	u64 start, ns;

	test = gup_bench_begin();
	local_irq_save(irq);
	start = ktime_get_ns();
	for (w = 0; w < GUP_BENCH_WALKS; w++) {
		pinned = 0;
		gup_kunit_gup.fast_pte_range(fx->pmd, &fx->slot, addr,
					     addr + nr * PAGE_SIZE, flags,
					     fx->pages, &pinned);
	}
	ns = ktime_get_ns() - start;
	local_irq_restore(irq);
	gup_bench_end(test);

	for (i = 0; i < pinned; i++)
		gup_kunit_gup.put_folio(page_folio(fx->pages[i]),
					GUP_BENCH_WALKS, flags);

	return pinned == nr ? ns : 0;
}

static void gup_bench_order(struct kunit *test, struct gup_fixture *fx,
			    unsigned int order, u64 *ns)
{
	const struct gup_bench_op *op = test->param_value;
	const unsigned int nr = min(GUP_BENCH_PAGES, PTRS_PER_PTE);
	unsigned int i;

	gup_fixture_regroup(fx, 'A', order);
	gup_fixture_regroup(fx, 'B', order);
	for (i = 0; i < nr; i++)
		gup_fixture_map(fx, i, gup_fixture_page(fx, op->mosaic && i % 2 ?
							'B' : 'A', i), 0);

	for (i = 0; i < GUP_BENCH_ROUNDS; i++) {
		ns[i] = gup_bench_round(fx, nr, op->flags);
		KUNIT_ASSERT_NE(test, ns[i], 0);
		cond_resched();
	}
	gup_bench_report(test, op->name, order, ns, GUP_BENCH_ROUNDS,
			 nr * GUP_BENCH_WALKS);
}

static void gup_bench_fast(struct kunit *test)
{
	const struct gup_layout layout = { "A9 B9", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned int order;
	u64 *ns;

	ns = gup_zalloc(test, GUP_BENCH_ROUNDS, sizeof(*ns));
	for (order = 0; order <= GUP_BENCH_ORDER; order++)
		gup_bench_order(test, fx, order, ns);
}

static struct kunit_case gup_bench_cases[] = {
	GUP_CASE_ROWS(fast, gup_bench_fast, gup_bench_ops),
	{}
};

static struct kunit_suite gup_bench_suite = {
	.name = "gup_bench",
	.test_cases = gup_bench_cases,
};

kunit_test_suite(gup_bench_suite);
