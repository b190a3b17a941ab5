// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_nodes_runs: how many walks down the page tables a query of move_pages()
 * takes. One is good for all that is in one VMA and one page table, or huge page,
 * in whatever order; only where it begins at nothing, it answers nothing else.
 */
#include <kunit/static_stub.h>

#include "gup_nodes.h"

/**
 * struct gup_nodes_walks - a query and its walks
 * @name:   what is special about it
 * @layout: the address space
 * @ask:    the addresses
 * @walks:  the number of walks
 */
struct gup_nodes_walks {
	const char *name;
	struct gup_mm_layout layout;
	const char *ask;
	unsigned int walks;
};

static const struct gup_nodes_walks gup_nodes_walks[] = {
	{
		.name = "single folios",
		.layout = { "A0 B0 C0", "A B C" }, .ask = "P0-2", .walks = 1,
	}, {
		.name = "large folio",
		.layout = { "A4", "A0-15" }, .ask = "P0-15", .walks = 1,
	}, {
		.name = "half a page table",
		.layout = { "A8", "A0-255" }, .ask = "P0-255", .walks = 1,
	}, {
		.name = "two page tables",
		.layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 8 },
		.ask = "P0-15", .walks = 2,
	}, {
		.name = "two page tables in turn",
		.layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 8 },
		.ask = "P0 P8 P1 P9", .walks = 4,
	}, {
		.name = "any order",
		.layout = { "A4 B0", "A0-15 B" }, .ask = "P16-0 P3 P3 P9:o P1",
		.walks = 1,
	}, {
		.name = "holes",
		.layout = { "A3", "A0-2 . A4-5 @ A7" }, .ask = "P0-7 P3 P6",
		.walks = 1,
	}, {
		.name = "begin at holes",
		.layout = { "A3", ".2 A2-7" }, .ask = "P0-7", .walks = 3,
	}, {
		.name = "two vmas",
		.layout = { "A3", "A0-7", "4rw 4r" }, .ask = "P0-7", .walks = 2,
	}, {
		.name = "zero pages",
		.layout = { "A1", "A0 Z2 A1" }, .ask = "P0-3", .walks = 1,
	},
};

/* How many addresses were answered along with another. */
static unsigned int gup_nodes_answered;

static unsigned long gup_nodes_count_more(struct folio_walk *fw,
					  struct vm_area_struct *vma,
					  unsigned long nr_pages,
					  const void __user **pages, int *status)
{
	struct kunit *test = current->kunit_test;
	unsigned long nr;

	current->kunit_test = NULL;
	nr = gup_kunit_stat.more(fw, vma, nr_pages, pages, status);
	current->kunit_test = test;
	gup_nodes_answered += nr - 1;

	return nr;
}

static void walks(struct kunit *test)
{
	const struct gup_nodes_walks *row = test->param_value;
	const char *lacks = gup_nodes_lacks(row->ask) ?:
		gup_mm_lacks(&row->layout) ?: gup_race_lacks();
	struct gup_diff diff = {};
	struct gup_nodes *q;

	if (lacks)
		kunit_skip(test, "%s", lacks);
	if (!gup_kunit_stat.more)
		kunit_skip(test, "one walk for each address");
	q = gup_nodes_create(gup_mm_create(test, &row->layout), PTRS_PER_PTE);
	gup_nodes_add_picture(q, row->ask);
	gup_nodes_answered = 0;
	kunit_activate_static_stub(test, gup_kunit_stat.more,
				   gup_nodes_count_more);
	gup_nodes_array(q, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
	KUNIT_EXPECT_EQ(test, q->nr - gup_nodes_answered, row->walks);
}

KUNIT_ARRAY_PARAM_DESC(gup_nodes_walks, gup_nodes_walks, name);

static struct kunit_case gup_nodes_runs_cases[] = {
	GUP_CASE_ROWS(walks, walks, gup_nodes_walks),
	{}
};

struct kunit_suite gup_nodes_runs_suite = {
	.name = "gup_nodes_runs",
	.test_cases = gup_nodes_runs_cases,
};
