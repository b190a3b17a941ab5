// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real_swap: large folios that are swapped out, as a whole or in part.
 *
 * The rows need a swap area: the suites as a module on a running system, or in
 * `make module-runs`, whose init turns one on.
 */
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/swap.h>

#include "walk/gup_real_call.h"

#define GUP_SWAP_PAGES	(SZ_4M / PAGE_SIZE)

/**
 * struct gup_swap_row - what is swapped out
 * @name:  in words
 * @kb:    size of the folios
 * @first: the first page to swap out
 * @nr:    the number of pages; 0 to the end
 */
struct gup_swap_row {
	const char *name;
	unsigned int kb;
	unsigned int first;
	unsigned int nr;
};

static const struct gup_swap_row gup_swap_rows[] = {
	{ .name = "16 kb one of two folios", .kb = 16, .first = 4 },
	{ .name = "16 kb a part", .kb = 16, .first = 1, .nr = 1 },
	{ .name = "64 kb one of two folios", .kb = 64, .first = 16 },
	{ .name = "64 kb a part", .kb = 64, .first = 5, .nr = 3 },
	{ .name = "2 mb a part", .kb = 2048, .first = 20, .nr = 10 },
};

GUP_ROWS(gup_swap_rows);

/* A folio must be split to swap out a part of it. */
static unsigned int gup_swap_order(struct kunit *test, unsigned int kb)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "no CONFIG_TRANSPARENT_HUGEPAGE");
	if (get_nr_swap_pages() < (long)GUP_SWAP_PAGES)
		kunit_skip(test, "no swap area");

	return gup_real_order(test, kb);
}

static void gup_swap_row(struct kunit *test)
{
	const struct gup_swap_row *row = test->param_value;
	const unsigned int order = gup_swap_order(test, row->kb);
	struct gup_mm *m = gup_real_thp(test, order);
	const unsigned int nr = row->nr ?: m->nr - row->first;

	gup_kunit_mm.lru_drain();
	KUNIT_EXPECT_EQ(test, gup_kunit_mm.madvise(gup_mm_addr(m, row->first),
						   nr * PAGE_SIZE, MADV_PAGEOUT),
			0);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET, row->first);
	gup_real_expect(m, GUP_MM_FAST, GUP_PIN_W, m->nr);
	gup_real_ask_all(test, m, 1U << order);
}

static struct kunit_case gup_real_swap_cases[] = {
	GUP_CASE_ROWS(swapped, gup_swap_row, gup_swap_rows),
	{}
};

static struct kunit_suite gup_real_swap_suite = {
	.name = "gup_real_swap",
	.test_cases = gup_real_swap_cases,
};

kunit_test_suite(gup_real_swap_suite);
