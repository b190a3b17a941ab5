// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_longterm: the longterm check of an array: which of its folios must not be
 * pinned for long, and what is done with them.
 *
 * Each row is an array of pages or folios, and says which folios are looked at
 * and in which order, for which the LRU caches are drained, and what is
 * isolated and migrated. The oracle has to say the same.
 */
#include "fixture/gup_stat.h"
#include "walk/gup_longterm.h"

static const struct gup_lt_row gup_lt_rows[] = {
	{ .name = "all pinnable", .layout = { "A2 B0 C1", "A0-3 B0 C0-1" },
	  .looks = "ABC" },
	{ .name = "one small page", .layout = { "A0", "A0" },
	  .not = "A", .looks = "A", .collected = 1, .drains = "A", .list = "A",
	  .ret = -EAGAIN },
	{ .name = "whole folio", .layout = { "A2", "A0-3" },
	  .not = "A", .looks = "A", .collected = 1, .drains = "A", .list = "A",
	  .ret = -EAGAIN },
	{ .name = "single tail page", .layout = { "A2", "A2" },
	  .not = "A", .looks = "A", .collected = 1, .drains = "A", .list = "A",
	  .ret = -EAGAIN },
	{ .name = "first unpinnable", .layout = { "A2 B2 C0", "A0-3 B0-3 C0" },
	  .not = "A", .looks = "ABC", .collected = 1, .drains = "A",
	  .list = "A", .ret = -EAGAIN },
	{ .name = "middle unpinnable", .layout = { "A2 B2 C0", "A0-3 B0-3 C0" },
	  .not = "B", .looks = "ABC", .collected = 1, .drains = "B",
	  .list = "B", .ret = -EAGAIN },
	{ .name = "last unpinnable", .layout = { "A2 B2 C0", "A0-3 B0-3 C0" },
	  .not = "C", .looks = "ABC", .collected = 1, .drains = "C",
	  .list = "C", .ret = -EAGAIN },
	{ .name = "all unpinnable", .layout = { "A2 B2 C0", "A0-3 B0-3 C0" },
	  .not = "ABC", .looks = "ABC", .collected = 3, .drains = "ABC",
	  .list = "ABC", .ret = -EAGAIN },
	{ .name = "case 20 scrambled with a foreign page",
	  .layout = { "A2 B0", "A3 A1 B0 A2" }, .not = "A", .looks = "ABA",
	  .collected = 2, .drains = "AA", .list = "A", .ret = -EAGAIN },
	{ .name = "interleaved folios", .layout = { "A1 B1", "A0 B0 A1 B1" },
	  .not = "B", .looks = "ABAB", .collected = 2, .drains = "BB",
	  .list = "B", .ret = -EAGAIN },
	{ .name = "neighbours", .layout = { "A2 B2+ C0+", "A0-3 B0-3 C0" },
	  .not = "B", .looks = "ABC", .collected = 1, .drains = "B",
	  .list = "B", .ret = -EAGAIN },
	{ .name = "neighbour before", .layout = { "A2 B2+", "B0-1 A3-2 B2-3" },
	  .not = "A", .looks = "BAB", .collected = 1, .drains = "A",
	  .list = "A", .ret = -EAGAIN },
	{ .name = "backwards", .layout = { "A3", "A7-0" },
	  .not = "A", .looks = "A", .collected = 1, .drains = "A", .list = "A",
	  .ret = -EAGAIN },
	{ .name = "page in the middle copied on write",
	  .layout = { "A4 B0", "A0-6 B0 A8-15" }, .not = "B", .looks = "ABA",
	  .collected = 1, .drains = "B", .list = "B", .ret = -EAGAIN },
	{ .name = "pinnable small page repeated",
	  .layout = { "A0", "A0 A0 A0" }, .looks = "A" },
	{ .name = "unpinnable small page repeated",
	  .layout = { "A0 B0", "A0 A0 A0 B0" }, .not = "A", .looks = "AB",
	  .collected = 1, .drains = "A", .list = "A", .ret = -EAGAIN },
	{ .name = "zero pages", .layout = { "A0", "Z8 A0 Z2" },
	  .not = "A", .looks = "ZAZ", .collected = 1, .drains = "A",
	  .list = "A", .ret = -EAGAIN },
	{ .name = "coherent memory of a device",
	  .layout = { "A0 B0 C2", "A0 B0 C0-3" }, .not = "BC", .coherent = "B",
	  .looks = "ABC", .collected = 2, .drains = "C", .list = "C",
	  .ret = -EAGAIN },
	{ .name = "coherent memory that stays",
	  .layout = { "A0 B0 C2", "A0 B0 C0-3" }, .not = "BC", .coherent = "B",
	  .stays = "B", .looks = "ABC", .collected = 2, .drains = "C",
	  .list = "C", .ret = -EBUSY },
	{ .name = "hugetlb", .layout = { "A0 B2", "A0 B0-3" },
	  .not = "B", .hugetlb = "B", .looks = "AB", .collected = 1,
	  .list = "B", .ret = -EAGAIN },
	{ .name = "hugetlb that cannot be isolated",
	  .layout = { "A0 B2", "A0 B0-3" }, .not = "B", .hugetlb = "B",
	  .stuck = "B", .looks = "AB", .collected = 1, .ret = -EAGAIN },
	{ .name = "case 21 cannot be isolated", .layout = { "A0", "A0" },
	  .not = "A", .stuck = "A", .looks = "A", .collected = 1, .drains = "A",
	  .ret = -EAGAIN },
	{ .name = "case 21 cannot be isolated beside a pinnable folio",
	  .layout = { "A2 B0", "B0 A0-3" }, .not = "B", .stuck = "B",
	  .looks = "BA", .collected = 1, .drains = "B", .ret = -EAGAIN },
	{ .name = "one of two cannot be isolated",
	  .layout = { "A2 B0", "B0 A0-3" }, .not = "AB", .stuck = "B",
	  .looks = "BA", .collected = 2, .drains = "BA", .list = "A",
	  .ret = -EAGAIN },
	{ .name = "migration fails", .layout = { "A2 B0", "A0-3 B0" },
	  .not = "A", .stays = "A", .looks = "AB", .collected = 1,
	  .drains = "A", .list = "A", .ret = -ENOMEM },
	{ .name = "every kind in one array",
	  .layout = { "A2 B0f C0 D1 E3f F0", "A0-3 Z2 B0 C0 D0-1 E2-5 F0 F0" },
	  .not = "BCDE", .coherent = "C", .hugetlb = "D", .looks = "AZBCDEF",
	  .collected = 4, .drains = "BE", .list = "BDE", .ret = -EAGAIN },
	{ .name = "every kind but hugetlb in one array",
	  .layout = { "A2 B0f C0 D3f E0", "A0-3 Z2 B0 C0 D2-5 E0 E0" },
	  .not = "BCD", .coherent = "C", .looks = "AZBCDE", .collected = 3,
	  .drains = "BD", .list = "BD", .ret = -EAGAIN },
	{ .name = "folios", .layout = { "A2 B0 C3", "A0 B0 C0" },
	  .folios = true, .not = "C", .looks = "ABC", .collected = 1,
	  .drains = "C", .list = "C", .ret = -EAGAIN },
	{ .name = "folio repeated", .layout = { "A2 B0", "A0-3 B0 A0" },
	  .folios = true, .not = "A", .looks = "ABA", .collected = 2,
	  .drains = "AA", .list = "A", .ret = -EAGAIN },
	{ .name = "order 9", .layout = { "A9 B0+", "A0-254 B0" },
	  .not = "B", .looks = "AB", .collected = 1, .drains = "B", .list = "B",
	  .ret = -EAGAIN },
};

GUP_ROWS(gup_lt_rows);

static void gup_lt_expect(struct kunit *test, struct gup_lt *lt,
			  const struct gup_lt_want *want)
{
	KUNIT_EXPECT_STREQ(test, lt->looks, want->looks);
	KUNIT_EXPECT_STREQ(test, lt->drains, want->drains);
	KUNIT_EXPECT_STREQ(test, lt->list, want->list);
	KUNIT_EXPECT_EQ(test, lt->nr_drains, want->drains[0] != 0);
	KUNIT_EXPECT_EQ(test, lt->bad_refs, 0);
}

/* Only the first step: look, drain, isolate. */
static void gup_lt_run_collect(struct kunit *test)
{
	const struct gup_lt_row *row = test->param_value;
	struct gup_lt *lt = gup_lt_create(test, row);
	char listed[GUP_ARRAY_TEXT];
	struct gup_lt_want want;
	long isolated;

	gup_lt_predict(lt, &want);
	KUNIT_EXPECT_STREQ_MSG(test, want.looks, row->looks, "by the oracle");
	KUNIT_EXPECT_EQ_MSG(test, want.collected, row->collected, "by the oracle");
	KUNIT_EXPECT_STREQ_MSG(test, want.drains, row->drains ?: "",
			       "by the oracle");
	KUNIT_EXPECT_STREQ_MSG(test, want.list, row->list ?: "", "by the oracle");

	KUNIT_EXPECT_EQ(test, gup_lt_collect(lt, listed, &isolated),
			want.collected);
	gup_lt_expect(test, lt, &want);
	KUNIT_EXPECT_STREQ(test, listed, want.list);
	KUNIT_EXPECT_EQ(test, isolated, want.isolated);

	gup_array_expect(lt->array, 0, row->layout.ptes);
	KUNIT_EXPECT_MEMEQ(test, lt->array->fx->pages, lt->array->fx->want,
			   lt->array->nr * sizeof(struct page *));
}

/* In the end, all pages are pinned and in the array, or none. */
static void gup_lt_expect_pins(struct kunit *test, struct gup_lt *lt, long ret)
{
	struct gup_array *array = lt->array;
	struct gup_fixture *fx = array->fx;
	unsigned int i;

	gup_array_expect(array, ret ? array->nr : 0, lt->row->layout.ptes);
	for (i = 0; i < array->nr; i++) {
		if (!ret)
			GUP_EXPECT_PAGE_AT(test, fx->folio, fx->pages[i],
					   fx->want[i], i);
		else if (ret == -EAGAIN)
			GUP_EXPECT_PAGE_AT(test, fx->folio, fx->pages[i], NULL,
					   i);
	}
	GUP_EXPECT_PAGE_AT(test, fx->folio, fx->pages[i], fx->want[i], i);
	GUP_EXPECT_PAGE_AT(test, fx->folio, fx->pages[i + 1], GUP_POISON, i + 1);
}

/* The whole check: the return value, the pins, the array, what is migrated. */
static void gup_lt_run_check(struct kunit *test)
{
	const struct gup_lt_row *row = test->param_value;
	struct gup_lt *lt = gup_lt_create(test, row);
	const long released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	const long isolated = gup_lt_nr_isolated();
	const bool busy = row->ret == -EBUSY;
	struct gup_lt_want want;
	const char *stays;
	long ret;

	gup_lt_predict(lt, &want);
	ret = gup_kunit_gup.check_longterm((void **)lt->array->fx->pages,
					   row->folios, lt->array->nr);

	KUNIT_EXPECT_EQ(test, ret, row->ret);
	gup_lt_expect(test, lt, &want);
	gup_lt_expect_pins(test, lt, ret);
	KUNIT_EXPECT_STREQ(test, lt->migrated, busy ? "" : want.list);
	stays = row->ret == -ENOMEM ? row->stays : "";
	KUNIT_EXPECT_STREQ(test, lt->putback, busy ? want.list : stays);
	KUNIT_EXPECT_EQ(test, gup_lt_nr_isolated(), isolated);
	KUNIT_EXPECT_EQ(test,
			gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released,
			row->ret ? gup_array_nr_counted(lt->array) : 0);
}

static struct kunit_case gup_longterm_cases[] = {
	GUP_CASE_ROWS(collect, gup_lt_run_collect, gup_lt_rows),
	GUP_CASE_ROWS(check, gup_lt_run_check, gup_lt_rows),
	{}
};

static struct kunit_suite gup_longterm_suite = {
	.name = "gup_longterm",
	.test_cases = gup_longterm_cases,
};

kunit_test_suite(gup_longterm_suite);
