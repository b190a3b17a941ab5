// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_folio: what GUP-fast makes of folios of all kinds.
 *
 * Rows are as in gup_fast. Here, a walk ends because of the folio, not of the
 * page table: it is shared with another process, of a file, secret, movable, or
 * has no reference.
 */
#include "fixture/gup_stat.h"
#include "walk/gup_fast.h"
#include "walk/gup_slow_pte.h"

/* A pin to read stops at a page that must be unshared. */
static const struct gup_fast_row gup_fast_unshare_rows[] = {
	{ .name = "page 0 of 16", .layout = { "A4", "A0:s A1-15:r" },
	  .flags = GUP_PIN, .gets = 0, .stop = GUP_UNSHARE },
	{ .name = "page 1 of 16", .layout = { "A4", "A0:r A1:s A2-15:r" },
	  .flags = GUP_PIN, .gets = 1, .stop = GUP_UNSHARE },
	{ .name = "page 8 of 16 and all behind it",
	  .layout = { "A4", "A0-7:r A8-15:s" }, .flags = GUP_PIN, .gets = 8,
	  .stop = GUP_UNSHARE },
	{ .name = "last page of 16", .layout = { "A4", "A0-14:r A15:s" },
	  .flags = GUP_PIN, .gets = 15, .stop = GUP_UNSHARE },
	{ .name = "clean page 1 of 4",
	  .layout = { "A2", "A0:rc A1:sc A2-3:rc" }, .flags = GUP_PIN,
	  .gets = 1, .stop = GUP_UNSHARE },
	{ .name = "no page of 16", .layout = { "A4", "A0-15:r" },
	  .flags = GUP_PIN, .gets = 16 },
	{ .name = "page behind the request",
	  .layout = { "A4", "A0-7:r A8-15:s" }, .flags = GUP_PIN, .nr = 8,
	  .gets = 8 },
	{ .name = "all pages for a get", .layout = { "A4", "A0-15:s" },
	  .flags = GUP_GET, .gets = 16 },
	{ .name = "all pages for a longterm get", .layout = { "A4", "A0-15:s" },
	  .flags = GUP_GET | FOLL_LONGTERM, .gets = 16 },
	{ .name = "small folio shared", .layout = { "A0 B0", "A0:r B0:s" },
	  .flags = GUP_PIN, .gets = 1, .stop = GUP_UNSHARE },
	{ .name = "second of two folios",
	  .layout = { "A2 B2", "A0-3:r B0-1:r B2-3:s" }, .flags = GUP_PIN,
	  .gets = 6, .stop = GUP_UNSHARE },
	{ .name = "page of ksm", .layout = { "A0 B0k", "A0:r B0:r" },
	  .flags = GUP_PIN, .gets = 1, .stop = GUP_UNSHARE },
	{ .name = "page of ksm for a get", .layout = { "A0 B0k", "A0:r B0:r" },
	  .flags = GUP_GET, .gets = 2 },
	{ .name = "file pages short_term", .layout = { "A2f", "A0-3:r" },
	  .flags = GUP_PIN, .gets = 4 },
	{ .name = "file pages longterm to read", .layout = { "A2f", "A0-3:r" },
	  .flags = GUP_PIN_L, .gets = 0, .stop = GUP_UNSHARE },
	{ .name = "file pages longterm to read but writable",
	  .layout = { "A2f", "A0-1 A2-3:r" }, .flags = GUP_PIN_L, .gets = 2,
	  .stop = GUP_UNSHARE },
	{ .name = "exclusive pages longterm to read",
	  .layout = { "A2", "A0-3:r" }, .flags = GUP_PIN_L, .gets = 4 },
};

GUP_ROWS(gup_fast_unshare_rows);

/* Folios that GUP-fast must not take, or not with these flags. */
static const struct gup_fast_row gup_fast_folio_rows[] = {
	{ .name = "zero page get", .layout = { "A0", "Z:r" },
	  .flags = GUP_GET, .gets = 1 },
	{ .name = "zero page pin", .layout = { "A0", "Z:r" },
	  .flags = GUP_PIN, .gets = 1 },
	{ .name = "zero pages in a row", .layout = { "A0", "Z8:r" },
	  .flags = GUP_GET, .gets = 8 },
	{ .name = "zero page among others get",
	  .layout = { "A2", "A0-1:r Z:r A3:r" }, .flags = GUP_GET, .gets = 4 },
	{ .name = "zero page among others pin",
	  .layout = { "A2", "A0-1:r Z:r A3:r" }, .flags = GUP_PIN, .gets = 4 },
	{ .name = "zero page longterm", .layout = { "A0", "A0:r Z:r" },
	  .flags = GUP_PIN_L, .gets = 1, .stop = GUP_UNSHARE },
	{ .name = "zero page special", .layout = { "A2", "A0-1:r Z8:rx" },
	  .flags = GUP_GET, .gets = 2, .stop = GUP_SPECIAL },
	{ .name = "file pages longterm to write", .layout = { "A2f", "A0-3" },
	  .flags = GUP_PIN_LW, .gets = 0, .stop = GUP_REFUSED },
	{ .name = "file pages longterm to write behind others",
	  .layout = { "A2 B2f", "A0-3 B0-3" }, .flags = GUP_PIN_LW, .gets = 4,
	  .stop = GUP_REFUSED },
	{ .name = "file pages to write", .layout = { "A2f", "A0-3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "shmem longterm to write", .layout = { "A2h", "A0-3" },
	  .flags = GUP_PIN_LW, .gets = 4 },
	{ .name = "secretmem get", .layout = { "A0 B0s", "A0 B0" },
	  .flags = GUP_GET, .gets = 1, .stop = GUP_REFUSED },
	{ .name = "secretmem pin", .layout = { "A0s", "A0" },
	  .flags = GUP_PIN_W, .gets = 0, .stop = GUP_REFUSED },
	{ .name = "no mapping pin",
	  .layout = { "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" }, .flags = GUP_PIN_W,
	  .gets = 4 },
	{ .name = "no mapping get",
	  .layout = { "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" }, .flags = GUP_GET_W,
	  .gets = 4 },
	{ .name = "no mapping longterm to write",
	  .layout = { "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" },
	  .flags = GUP_PIN_LW, .gets = 0, .stop = GUP_REFUSED },
	{ .name = "movable longterm", .layout = { "A2 B2m", "A0-3 B0-3" },
	  .flags = GUP_PIN_LW, .gets = 4, .stop = GUP_NO_GRAB },
	{ .name = "movable short_term", .layout = { "A2m", "A0-3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "movable longterm get", .layout = { "A2m", "A0-3" },
	  .flags = GUP_GET_W | FOLL_LONGTERM, .gets = 4 },
	{ .name = "no reference on the first folio",
	  .layout = { "A2_", "A0-3" }, .flags = GUP_GET_W, .gets = 0,
	  .stop = GUP_NO_GRAB },
	{ .name = "no reference on the second folio",
	  .layout = { "A2 B0_", "A0-3 B0" }, .flags = GUP_PIN_W, .gets = 4,
	  .stop = GUP_NO_GRAB },
};

GUP_ROWS(gup_fast_folio_rows);

/* A folio whose refcount has overflowed is refused, with one warning. */
static void gup_fast_refcount_overflow(struct kunit *test)
{
	const struct gup_layout layout = { "A0 B2!", "A0 B0-3" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct gup_walk walk = {
		.walker = &gup_fast, .nr = 5, .flags = GUP_PIN_W,
	};
	struct gup_diff diff = {};

	kunit_warning_suppress(test) {
		gup_walk_matches_oracle(fx, &walk, &diff);
		KUNIT_EXPECT_LE(test, KUNIT_SUPPRESSED_WARNING_COUNT(), 1);
	}
	KUNIT_EXPECT_EQ(test, walk.pinned, 1);
	gup_expect_no_diff(test, &diff, layout.ptes);
}

/* A referenced bit that is set stays, and is set on every folio. */
static void gup_fast_already_referenced(struct kunit *test)
{
	const struct gup_layout layout = { "A2 B2", "A0-3 B0-3" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct gup_walk walk = {
		.walker = &gup_fast, .nr = 8, .flags = GUP_GET_W,
	};

	folio_set_referenced(gup_fixture_folio(fx, 'A'));
	gup_walk_expect_oracle(fx, &walk, layout.ptes);
	KUNIT_EXPECT_EQ(test, walk.pinned, 8);
}

/* On s390, a folio may be inaccessible because it belongs to a guest. */
static void gup_fast_not_accessible(struct kunit *test)
{
	static const unsigned int flags[] = { GUP_PIN_W, GUP_PIN, GUP_GET_W };
	const struct gup_layout layout = { "A2 B2 C0", "A0-3 B0-3 C0" };
	struct gup_fixture *fx;
	unsigned int i, first;

	if (!IS_ENABLED(CONFIG_S390))
		kunit_skip(test, "every folio is accessible to devices");

	fx = gup_fixture_create(test, &layout);
	/* A large one cannot belong to a guest, so s390 warns of it. */
	set_bit(PG_arch_1, &gup_fixture_folio(fx, 'B')->flags.f);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (first = 0; first < 8; first += 2) {
			struct gup_walk walk = {
				.walker = &gup_fast,
				.first = first, .nr = 9 - first, .flags = flags[i],
			};

			kunit_warning_suppress(test)
				gup_walk_expect_oracle(fx, &walk, layout.ptes);
			KUNIT_EXPECT_EQ(test, walk.pinned,
					walk.flags & FOLL_GET ? walk.nr :
					first < 4 ? 4 - first : 0);
		}
	}
}

/**
 * struct gup_fast_node_row - a walk over folios of two nodes
 * @name:   what is special about it
 * @layout: the layout: folio A is on the first node, and B on another
 * @here:   pins on the first node
 * @there:  pins on the other
 */
struct gup_fast_node_row {
	const char *name;
	struct gup_layout layout;
	long here;
	long there;
};

static const struct gup_fast_node_row gup_fast_node_rows[] = {
	{ .name = "all on another node", .layout = { "A0 B2", "B0-3" },
	  .there = 4 },
	{ .name = "one node after the other",
	  .layout = { "A2 B2", "A0-3 B0-2" }, .here = 4, .there = 3 },
	{ .name = "nodes in turn", .layout = { "A2 B2", "A0 B1 A2 B3 B0 A1" },
	  .here = 3, .there = 3 },
	{ .name = "single pages in turn", .layout = { "A0 B0", "A B A B B" },
	  .here = 2, .there = 3 },
	{ .name = "references given back on another node",
	  .layout = { "A2 B3", "A0-3 B0-1 . B3-7" }, .here = 4, .there = 2 },
};

GUP_ROWS(gup_fast_node_rows);

static long gup_fast_node_pins(int nid)
{
	return gup_fixture_node_stat(nid, NR_FOLL_PIN_ACQUIRED) -
	       gup_fixture_node_stat(nid, NR_FOLL_PIN_RELEASED);
}

/* The pins are counted on the node of each page, by both walkers. */
static void gup_fast_nodes(struct kunit *test)
{
	const struct gup_walker * const walkers[] = { &gup_fast, &gup_slow_pte };
	const int here = first_online_node, there = next_online_node(here);
	const struct gup_fast_node_row *row = test->param_value;
	struct gup_fixture *fx;
	unsigned int w;
	long before[2];

	if (there == MAX_NUMNODES)
		kunit_skip(test, "only one node");

	fx = gup_fixture_create(test, &row->layout);
	gup_fixture_move_to_node(fx, 'A', here);
	gup_fixture_move_to_node(fx, 'B', there);
	before[0] = gup_fast_node_pins(here);
	before[1] = gup_fast_node_pins(there);
	for (w = 0; w < ARRAY_SIZE(walkers); w++) {
		struct gup_walk walk = {
			.walker = walkers[w], .nr = fx->nr, .flags = GUP_PIN_W,
		};

		gup_walk_run(fx, &walk);
		KUNIT_EXPECT_EQ(test, gup_fast_node_pins(here),
				before[0] + row->here);
		KUNIT_EXPECT_EQ(test, gup_fast_node_pins(there),
				before[1] + row->there);
		gup_walk_settle(fx, &walk, row->layout.ptes);
		KUNIT_EXPECT_EQ(test, gup_fast_node_pins(here), before[0]);
		KUNIT_EXPECT_EQ(test, gup_fast_node_pins(there), before[1]);
	}
}

static struct kunit_case gup_fast_folio_cases[] = {
	GUP_CASE_ROWS(unshare, gup_fast_row_run, gup_fast_unshare_rows),
	GUP_CASE_ROWS(folio_kinds, gup_fast_row_run, gup_fast_folio_rows),
	KUNIT_CASE(gup_fast_refcount_overflow),
	KUNIT_CASE(gup_fast_already_referenced),
	KUNIT_CASE(gup_fast_not_accessible),
	GUP_CASE_ROWS(two_nodes, gup_fast_nodes, gup_fast_node_rows),
	{}
};

static struct kunit_suite gup_fast_folio_suite = {
	.name = "gup_fast_folio",
	.test_cases = gup_fast_folio_cases,
};

kunit_test_suite(gup_fast_folio_suite);
