// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real: GUP-fast over large folios that the kernel gave. Where it gives
 * none, the fixture makes them.
 *
 * Whole, partial and unaligned ranges, by each function. gup_real_partial
 * changes such memory, and gup_real_special has other kinds of memory.
 */
#include <linux/mman.h>
#include <linux/sizes.h>

#include "walk/gup_real_call.h"

struct gup_real_size {
	const char *name;
	unsigned int kb;
};

static const struct gup_real_size gup_real_sizes[] = {
	{ .name = "16 kb", .kb = 16 },
	{ .name = "64 kb", .kb = 64 },
	{ .name = "1 mb", .kb = 1024 },
	{ .name = "2 mb", .kb = 2048 },
};

GUP_ROWS(gup_real_sizes);

static void gup_real_private(struct kunit *test)
{
	const struct gup_real_size *size = test->param_value;
	const unsigned int order = gup_real_order(test, size->kb);
	struct gup_mm *m = gup_real_thp(test, order);

	gup_real_ask_all(test, m, 1U << order);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET_W, m->nr);
	/* Nothing needed a fault, so the folios are still the same. */
	gup_real_verify(test, m, order);
}

/* Memory in ZONE_MOVABLE must be moved before it is pinned for long. */
static void gup_real_longterm(struct kunit *test)
{
	const struct gup_real_size *size = test->param_value;
	const unsigned int order = gup_real_order(test, size->kb);
	struct gup_mm *m = gup_real_thp(test, order);
	unsigned int i;

	gup_real_expect(m, GUP_MM_FAST, GUP_PIN_LW, m->nr);
	for (i = 0; i < m->nr; i++)
		if (page_zonenum(gup_mm_mapped(m, i)) == ZONE_MOVABLE)
			break;
	KUNIT_EXPECT_EQ(test, i, m->nr);
}

/* Mapped by a PMD. */
static void gup_real_by_pmd(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, PMD_SIZE / SZ_1K);
	const unsigned int nr = 1U << order;
	struct gup_kunit_entry e;
	struct gup_mm *m;

	m = gup_mm_map_private(test, nr, 0);
	gup_real_advise(test, m, order);
	gup_real_touch(test, m->addr, nr);
	KUNIT_ASSERT_TRUE(test, gup_mm_read(m, 3, &e));
	if (e.size != PMD_SIZE)
		kunit_skip(test, "the kernel maps nothing by PMD");
	gup_real_ask_all(test, m, nr);
	KUNIT_EXPECT_TRUE(test, gup_mm_read(m, 3, &e));
	KUNIT_EXPECT_EQ(test, e.size, PMD_SIZE);
}

static struct kunit_case gup_real_cases[] = {
	GUP_CASE_ROWS(private, gup_real_private, gup_real_sizes),
	GUP_CASE_ROWS(longterm, gup_real_longterm, gup_real_sizes),
	KUNIT_CASE(gup_real_by_pmd),
	{}
};

static struct kunit_suite gup_real_suite = {
	.name = "gup_real",
	.test_cases = gup_real_cases,
};

kunit_test_suite(gup_real_suite);
