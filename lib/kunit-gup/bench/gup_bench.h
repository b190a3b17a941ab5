/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures of many rounds, as tools/ reads them. */
#ifndef _GUP_BENCH_H
#define _GUP_BENCH_H

#include <linux/sched.h>
#include <linux/sort.h>

#include "gup_kunit.h"

static inline int gup_bench_cmp(const void *a, const void *b)
{
	return *(const u64 *)a < *(const u64 *)b ? -1 : 1;
}

/*
 * While time is taken, no test is current, so that the functions that a test can
 * replace do not look for a stub. Returns the test.
 */
static inline struct kunit *gup_bench_begin(void)
{
	struct kunit *test = current->kunit_test;

	current->kunit_test = NULL;

	return test;
}

static inline void gup_bench_end(struct kunit *test)
{
	current->kunit_test = test;
}

/* @ns has nanoseconds for @pages pages each; print picoseconds for one. */
static inline void gup_bench_report(struct kunit *test, const char *op,
				    unsigned int order, u64 *ns,
				    unsigned int rounds, unsigned int pages)
{
	sort(ns, rounds, sizeof(*ns), gup_bench_cmp, NULL);
	kunit_info(test,
		   "gup_bench: op=%s order=%u min_ps_per_page=%lu median_ps_per_page=%lu",
		   op, order, (unsigned long)div_u64(ns[0] * 1000, pages),
		   (unsigned long)div_u64(ns[rounds / 2] * 1000, pages));
}

#endif /* _GUP_BENCH_H */
