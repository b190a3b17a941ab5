// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_nodes: what move_pages() says about addresses in any order.
 *
 * The statuses of a row are compared with the oracle, and the oracle with the
 * results of do_pages_stat_array(), and of do_pages_stat() with arrays in user
 * space. No reference to a folio may be left.
 */
#include <linux/mm.h>

#include "fixture/gup_mm_fill.h"
#include "fixture/gup_seed.h"
#include "walk/gup_nodes_row.h"

static const struct gup_nodes_row gup_nodes_orders[] = {
	{ .name = "consecutive pages of single folios",
	  .layout = { "A0 B0 C0 D0", "A B C D" }, .ask = "P0-3", .want = "4n" },
	{ .name = "whole folio", .layout = { "A4", "A0-15" }, .ask = "P0-15",
	  .want = "16n" },
	{ .name = "part of a folio", .layout = { "A4", ".3 A3-9 ." },
	  .ask = "P3-10", .want = "7n e" },
	{ .name = "part of what is mapped", .layout = { "A4", "A0-15" },
	  .ask = "P5-8", .want = "4n" },
	{ .name = "descending", .layout = { "A3 B0", "A0-7 . B" },
	  .ask = "P10-0", .want = "f n e 8n" },
	{ .name = "mapped descending", .layout = { "A2", ".3 A3-0" },
	  .ask = "P3-6", .want = "4n" },
	{ .name = "one page again and again", .layout = { "A2", "A0-3" },
	  .ask = "P1 P1 P1 P1 P2 P2", .want = "6n" },
	{ .name = "a hole again and again", .layout = { "A2", "A0-1 . A3" },
	  .ask = "P2 P2 P1 P2 P2", .want = "2e n 2e" },
	{ .name = "two regions in turn", .layout = { "A2 B2", "A0-3 B0-3" },
	  .ask = "P0 P4 P1 P5 P2 P6 P3 P7", .want = "8n" },
	{ .name = "every other page", .layout = { "A3", "A0-7" },
	  .ask = "P0 P2 P4 P6 P1 P3 P5 P7", .want = "8n" },
	{ .name = "in the middle of pages", .layout = { "A3 B0", "A0-7 . B" },
	  .ask = "P0-10:o", .want = "8n e n f" },
	{ .name = "last bytes of pages", .layout = { "A3 B0", "A0-7 . B" },
	  .ask = "P0-10:b", .want = "8n e n f" },
	{ .name = "aligned and not in turn", .layout = { "A3", "A0-7" },
	  .ask = "P0 P1:o P2 P3:b P4:b P5:b P6:o P7", .want = "8n" },
	{ .name = "hole inside a vma", .layout = { "A3", "A0-2 . A4-5 . A7" },
	  .ask = "P0-7", .want = "3n e 2n e n" },
	{ .name = "hole between vmas",
	  .layout = { "A3", "A0-2 .2 A5-7", "3rw 2g 3rw" }, .ask = "P0-7",
	  .want = "3n 2f 3n" },
	{ .name = "hole at the end of a vma",
	  .layout = { "A3", "A0-2 .3 A6-7", "4rw 1g 1rw 2rw" }, .ask = "P0-7",
	  .want = "3n e f e 2n" },
	{ .name = "adjacent vmas share a folio",
	  .layout = { "A3", "A0-7", "4rw 4r" }, .ask = "P0-7", .want = "8n" },
	{ .name = "behind the end and before the begin",
	  .layout = { "A1", "A0-1" }, .ask = "P1 P2 P3 P2 P1 P0",
	  .want = "n 3f 2n" },
	{ .name = "end of a page table",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 7 }, .ask = "P0-15",
	  .want = "16n" },
	{ .name = "end of a page table descending",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 7 }, .ask = "P15-0",
	  .want = "16n" },
	{ .name = "two page tables in turn",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 8 },
	  .ask = "P0 P8 P1 P9 P7 P8 P15 P0", .want = "8n" },
	{ .name = "same place in another page table",
	  .layout = { "A0 B0", "A .600 B" }, .ask = "P0 P512 P601 P89 P0",
	  .want = "n e n e n" },
	{ .name = "page table missing", .layout = { "A0 B0", "A .1300 B" },
	  .ask = "P0 P700-705 P1301 P600", .want = "n 6e n e" },
	{ .name = "no page table at all", .layout = { "", ".16" },
	  .ask = "P0-16", .want = "16e f" },
	{ .name = "last pages of a page table",
	  .layout = { "A2", "A0-3", .at = -1 }, .ask = "P0-4", .want = "4n f" },
	{ .name = "longer than a chunk",
	  .layout = { "A9 B9 C2", "A0-511 B0-511 . C0-3" }, .ask = "P0-1028",
	  .want = "1024n e 4n" },
	{ .name = "longer than a chunk and not aligned",
	  .layout = { "A9 B9 C2", "C0-3 . B0-511 A0-511", .at = 77 },
	  .ask = "P0-1028:o", .want = "4n e 1024n" },
	{ .name = "no page of user space", .layout = { "A1", "A0-1" },
	  .ask = "N P0 K P1 E L N", .want = "f n f n 3f" },
	{ .name = "tagged", .layout = { "A1", "A0-1" },
	  .ask = "P0 P0:p P1:p P1", .want = "n 2f n" },
	{
		.name = "mosaic",
		.layout = { "A4 B0 C2 D2f E1 F0",
			    "A0-6 . B A8 Z C0-3 @ D0 D2-3 .3 E0-1 F",
			    "19rw 1g 5rw" },
		.ask = "P0-24", .want = "7n e 2n f 4n e 3n f 2e 3n",
	},
};

/* Every three addresses of the mosaic, which may be the same. */
static void any_three_addresses(struct kunit *test)
{
	const struct gup_nodes_row *mosaic =
		&gup_nodes_orders[ARRAY_SIZE(gup_nodes_orders) - 1];
	struct gup_diff diff = {};
	struct gup_nodes *q;
	struct gup_mm *m;
	unsigned int i;

	gup_skip_if(test, gup_nodes_lacks(""));
	m = gup_mm_create(test, &mosaic->layout);
	q = gup_nodes_create(m, 3);
	for (i = 0; i < 26 * 26 * 26 && !diff.what; i++) {
		q->nr = 0;
		gup_nodes_add(q, gup_mm_addr(m, i % 26));
		gup_nodes_add(q, gup_mm_addr(m, i / 26 % 26));
		gup_nodes_add(q, gup_mm_addr(m, i / 26 / 26));
		gup_nodes_array(q, &diff);
	}
	gup_expect_no_diff(test, &diff, mosaic->layout.ptes);
}

/* Sequences of any length, direction and stride, from anywhere. */
static void any_order_of_addresses(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A9 B5 C0 D2f E1 F6",
		"B0-31 .7 A0-511 C Z2 D0-3 . E0-1 @ F0-62 .40 F63", .at = 100,
	};
	struct gup_diff diff = {};
	struct rnd_state rnd;
	struct gup_nodes *q;
	struct gup_mm *m;
	unsigned int i, n;
	int at, step;

	gup_skip_if(test, gup_nodes_lacks(""));
	m = gup_mm_create(test, &layout);
	q = gup_nodes_create(m, GUP_NODES_MAX);
	gup_seed_state(&rnd, gup_seed(test), 0);
	for (i = 0; i < 60 && !diff.what; i++) {
		for (q->nr = 0; q->nr < GUP_NODES_MAX - 40;) {
			at = prandom_u32_state(&rnd) % (m->nr + 2);
			step = (int)(prandom_u32_state(&rnd) % 8) - 2;
			step = step > 1 ? 1 : step;
			for (n = prandom_u32_state(&rnd) % 40; n; n--) {
				gup_nodes_add(q, gup_mm_addr(m, at));
				at = clamp(at + step, 0, (int)m->nr + 1);
			}
		}
		gup_nodes_array(q, &diff);
	}
	gup_expect_no_diff(test, &diff, layout.ptes);
}

GUP_ROWS(gup_nodes_orders);

static struct kunit_case gup_nodes_cases[] = {
	GUP_CASE_ROWS(orders, gup_nodes_row_run, gup_nodes_orders),
	KUNIT_CASE(any_three_addresses),
	KUNIT_CASE(any_order_of_addresses),
	{}
};

static struct kunit_suite gup_nodes_suite = {
	.name = "gup_nodes",
	.test_cases = gup_nodes_cases,
};

kunit_test_suite(gup_nodes_suite);
