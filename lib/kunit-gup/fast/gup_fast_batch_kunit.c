// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_batch: GUP-fast works in batches, with one grab for each.
 *
 * The other suites also pass with a walker that goes page by page. This one
 * does not: it tests the number of grabs, how many references they take, and
 * that the statistic counts only what the walk keeps.
 */
#include "walk/gup_batches.h"
#include "walk/gup_fast.h"
#include "walk/gup_race.h"

static const struct gup_batches_row gup_fast_batch_rows[] = {
	{ .name = "whole folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_PIN_W, .gets = 16, .grabs = 1, .grabbed = 16 },
	{ .name = "whole folio read_only", .layout = { "A4", "A0-15:r" },
	  .flags = GUP_PIN, .gets = 16, .grabs = 1, .grabbed = 16 },
	{ .name = "half the folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_GET_W, .nr = 8, .gets = 8, .grabs = 1, .grabbed = 8 },
	{ .name = "from a tail page on", .layout = { "A4", "A10-15" },
	  .flags = GUP_PIN_W, .gets = 6, .grabs = 1, .grabbed = 6 },
	{ .name = "two folios", .layout = { "A4 B2", "A0-15 B0-3" },
	  .flags = GUP_PIN_W, .gets = 20, .grabs = 2, .grabbed = 20 },
	{ .name = "two neighbours", .layout = { "A2 B2+", "A2-3 B0-3" },
	  .flags = GUP_GET_W, .gets = 6, .grabs = 2, .grabbed = 6 },
	{ .name = "small folios", .layout = { "A0 B0+ C0+", "A0 B0 C0" },
	  .flags = GUP_PIN_W, .gets = 3, .grabs = 3, .grabbed = 3 },
	{ .name = "bits to ignore do not end it",
	  .layout = { "A3", "A0:o A1:d A2:c A3:oc A4-7" }, .flags = GUP_PIN_W,
	  .gets = 8, .grabs = 1, .grabbed = 8 },
	{ .name = "write bit ends it", .layout = { "A3", "A0-3 A4-7:r" },
	  .flags = GUP_PIN, .gets = 8, .grabs = 2, .grabbed = 12 },
	{ .name = "unshare ends it", .layout = { "A3", "A0-4:r A5:s A6-7:r" },
	  .flags = GUP_PIN, .gets = 5, .grabs = 2, .grabbed = 8 + 3 },
	{ .name = "hole ends it", .layout = { "A3", "A0-2 . A4-7" },
	  .flags = GUP_PIN_W, .gets = 3, .grabs = 1, .grabbed = 8 },
	{ .name = "last entries of the table",
	  .layout = { "A4", "A0-5", .at = -1 }, .flags = GUP_PIN_W, .gets = 6,
	  .grabs = 1, .grabbed = 6 },
	{ .name = "single pages in turn",
	  .layout = { "A3 B3", "A0 B0 A1 B1 A2 B2 A3 B3" }, .flags = GUP_PIN_W,
	  .gets = 8, .grabs = 8, .grabbed = 8 },
	{ .name = "single pages by write bit",
	  .layout = { "A3", "A0 A1:r A2 A3:r A4 A5:r A6 A7:r" },
	  .flags = GUP_PIN, .gets = 8, .grabs = 8, .grabbed = 8 },
	{ .name = "contiguous block", .layout = { "A5", "A0-31:b" },
	  .flags = GUP_PIN_W, .gets = 32, .grabs = 1, .grabbed = 32 },
	{ .name = "hint for numa ends it", .layout = { "A4", "A0-7 A8-15:p" },
	  .flags = GUP_GET, .gets = 8, .grabs = 1, .grabbed = 16 },
	{ .name = "shared pages for a get",
	  .layout = { "A4", "A0-7:s A8-15:r" }, .flags = GUP_GET, .gets = 16,
	  .grabs = 1, .grabbed = 16 },
};

GUP_ROWS(gup_fast_batch_rows);

static void gup_fast_batch_grabs(struct kunit *test)
{
	gup_batches_row_run(test, &gup_fast);
}

/* Only what is kept is counted, and nothing is counted twice. */
static void gup_batch_statistic(struct kunit *test)
{
	static const struct gup_layout layouts[] = {
		{ .folios = "A4", .ptes = "A0-15" },
		{ .folios = "A3", .ptes = "A0-2 . A4-7" },
		{ .folios = "A2 B0 C2", .ptes = "A0-3 B0 C0-1" },
		{ .folios = "A3", .ptes = "A0-4:r A5:s A6-7:r" },
		{ .folios = "A2 B2f", .ptes = "A0-3:r B0-3:r" },
		{ .folios = "A2", .ptes = "A0-1:r Z3:r A2:r" },
	};
	unsigned int i;

	if (!gup_kunit_gup.put_uncounted)
		kunit_skip(test, "this tree counts every grab");

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct gup_fixture *fx = gup_fixture_create(test, &layouts[i]);
		struct gup_walk walk = {
			.walker = &gup_fast, .nr = fx->nr, .flags = GUP_PIN,
		};
		struct gup_diff diff = {};

		gup_walk_run(fx, &walk);
		KUNIT_EXPECT_EQ_MSG(test, walk.released, 0, "%s",
				    layouts[i].ptes);
		gup_walk_check(fx, &walk, &diff);
		gup_walk_undo(fx, &walk, &diff);

		fx->slot = __pmd(0);
		gup_walk_run(fx, &walk);
		KUNIT_EXPECT_EQ_MSG(test, walk.acquired, 0, "%s",
				    layouts[i].ptes);
		gup_walk_check(fx, &walk, &diff);
		gup_expect_no_diff(test, &diff, layouts[i].ptes);
	}
}

/*
 * Of a block of contiguous entries, the first is read and stands for all. What the
 * others are makes no difference; only a test makes such a block.
 */
static void gup_batch_reads_blocks(struct kunit *test)
{
	const struct gup_layout layout = { "A5 B0", "A0-31:b B0" };
	struct gup_walk walk = {
		.walker = &gup_fast, .nr = 33, .flags = GUP_PIN_W,
	};
	struct gup_fixture *fx;
	unsigned int i, want;

	gup_skip_if(test, gup_batches_lacks(&gup_fast));
	fx = gup_fixture_create_or_skip(test, &layout);
	for (i = 1; i < 32; i++) {
		pte_t *ptep = gup_fixture_ptep(fx, i);
		const pte_t pte = ptep_get(ptep);

		gup_fixture_clear(fx, i, false);
		gup_walk_run(fx, &walk);
		gup_kunit_set_pte(ptep, pte);
		/* The first entry of a block is looked at, and ends the walk. */
		want = i % GUP_KUNIT_CONT_PTES ? walk.nr : i;
		KUNIT_EXPECT_EQ_MSG(test, walk.pinned, want, "no entry %u", i);
		gup_walk_settle(fx, &walk, layout.ptes);
	}
}

static struct kunit_case gup_fast_batch_cases[] = {
	GUP_CASE_ROWS(grabs, gup_fast_batch_grabs, gup_fast_batch_rows),
	KUNIT_CASE(gup_batch_statistic),
	KUNIT_CASE(gup_batch_reads_blocks),
	{}
};

static struct kunit_suite gup_fast_batch_suite = {
	.name = "gup_fast_batch",
	.test_cases = gup_fast_batch_cases,
};

kunit_test_suite(gup_fast_batch_suite);
