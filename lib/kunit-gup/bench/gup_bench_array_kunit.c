// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_bench_array: the time for a page of an array, in the longterm check and
 * when it is unpinned.
 *
 * As gup_bench, for the array that a walk has filled. All pages of folios of
 * one order are checked many times, and may be pinned; or they are unpinned,
 * after they were pinned with the clock off. For hugetlb, the folio is of order
 * 9, with the page type of hugetlb if the kernel has that.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>

#include "bench/gup_bench.h"
#include "walk/gup_array.h"
#include "gup_kunit_mm.h"

#define GUP_BENCH_ORDER		9
#define GUP_BENCH_WALKS		64
#define GUP_BENCH_ROUNDS	301

/**
 * struct gup_bench_array_op - what is measured
 * @name:    its name in the output
 * @call:    the function that is measured
 * @pins:    whether @call releases pins
 * @mosaic:  whether every second page is one of another folio
 * @hugetlb: whether the folio is one of hugetlb
 */
struct gup_bench_array_op {
	const char *name;
	void (*call)(struct page **pages, unsigned int nr);
	bool pins;
	bool mosaic;
	bool hugetlb;
};

static void gup_bench_longterm(struct page **pages, unsigned int nr)
{
	LIST_HEAD(list);

	gup_kunit_gup.collect_longterm(&list, (void **)pages, false, nr);
}

static void gup_bench_unpin(struct page **pages, unsigned int nr)
{
	unpin_user_pages(pages, nr);
}

static const struct gup_bench_array_op gup_bench_array_ops[] = {
	{ .name = "longterm_check", .call = gup_bench_longterm },
	{ .name = "longterm_mosaic", .call = gup_bench_longterm,
	  .mosaic = true },
	{ .name = "longterm_hugetlb", .call = gup_bench_longterm,
	  .hugetlb = true },
	{ .name = "unpin", .call = gup_bench_unpin, .pins = true },
	{ .name = "unpin_mosaic", .call = gup_bench_unpin, .pins = true,
	  .mosaic = true },
	{ .name = "unpin_hugetlb", .call = gup_bench_unpin, .pins = true,
	  .hugetlb = true },
};

GUP_ROWS(gup_bench_array_ops);

static void gup_bench_array_pin(struct gup_array *array)
{
	unsigned int w;

	for (w = 0; w < GUP_BENCH_WALKS; w++)
		gup_array_pin(array);
}

static u64 gup_bench_array_round(struct gup_array *array)
{
	const struct gup_bench_array_op *op = array->fx->test->param_value;
	unsigned long irq;
	struct kunit *test;
	unsigned int w;
	u64 start, ns;

	if (op->pins)
		gup_bench_array_pin(array);

	test = gup_bench_begin();
	local_irq_save(irq);
	start = ktime_get_ns();
	for (w = 0; w < GUP_BENCH_WALKS; w++)
		op->call(array->fx->pages, array->nr);
	ns = ktime_get_ns() - start;
	local_irq_restore(irq);
	gup_bench_end(test);

	return ns;
}

static void gup_bench_array_order(struct kunit *test, struct gup_array *array,
				  unsigned int order, u64 *ns)
{
	const struct gup_bench_array_op *op = test->param_value;
	unsigned int i;

	gup_fixture_regroup(array->fx, 'A', order);
	gup_fixture_regroup(array->fx, 'B', order);
	if (op->hugetlb)
		gup_kunit_mm.set_hugetlb(gup_fixture_folio(array->fx, 'A'));
	for (i = 0; i < array->fx->nr; i++)
		gup_fixture_map(array->fx, i,
				gup_fixture_page(array->fx, op->mosaic && i % 2 ?
						 'B' : 'A', i), 0);
	gup_array_fill(array);

	for (i = 0; i < GUP_BENCH_ROUNDS; i++) {
		ns[i] = gup_bench_array_round(array);
		cond_resched();
	}
	gup_array_expect(array, array->nr, op->name);

	gup_bench_report(test, op->name, order, ns, GUP_BENCH_ROUNDS,
			 array->nr * GUP_BENCH_WALKS);
}

static void gup_bench_array_run(struct kunit *test)
{
	const struct gup_bench_array_op *op = test->param_value;
	const struct gup_layout layout = { "A9 B9", NULL };
	struct gup_array *array;
	unsigned int order;
	u64 *ns;

	array = gup_array_create(test, &layout, false);
	array->fx->nr = min(512U, PTRS_PER_PTE);
	ns = gup_zalloc(test, GUP_BENCH_ROUNDS, sizeof(*ns));
	for (order = op->hugetlb ? GUP_BENCH_ORDER : 0;
	     order <= GUP_BENCH_ORDER; order++)
		gup_bench_array_order(test, array, order, ns);
}

static struct kunit_case gup_bench_array_cases[] = {
	GUP_CASE_ROWS(array, gup_bench_array_run, gup_bench_array_ops),
	{}
};

static struct kunit_suite gup_bench_array_suite = {
	.name = "gup_bench_array",
	.test_cases = gup_bench_array_cases,
};

kunit_test_suite(gup_bench_array_suite);
