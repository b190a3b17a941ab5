// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_pte_batch: the slow path works in batches, with one grab for each.
 *
 * The other suites also pass with a walker that goes page by page. This one
 * does not: it tests the number of grabs, how many references they take, and
 * how often a folio is marked accessed.
 */
#include "walk/gup_batches.h"
#include "walk/gup_slow_pte.h"

static const struct gup_batches_row gup_slow_pte_batch_rows[] = {
	{ .name = "whole folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_PIN_W, .gets = 16, .grabs = 1, .grabbed = 16 },
	{ .name = "half a table", .layout = { "A9", "A0-255" },
	  .flags = GUP_PIN_W, .gets = 256, .grabs = 1, .grabbed = 256 },
	{ .name = "half the folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_GET_W, .nr = 8, .gets = 8, .grabs = 1, .grabbed = 8 },
	{ .name = "two neighbours", .layout = { "A2 B2+", "A2-3 B0-3" },
	  .flags = GUP_PIN_W, .gets = 6, .grabs = 2, .grabbed = 6 },
	{ .name = "small folios", .layout = { "A0 B0+ C0+", "A0 B0 C0" },
	  .flags = GUP_PIN_W, .gets = 3, .grabs = 3, .grabbed = 3 },
	{ .name = "populate", .layout = { "A4", "A0-15" },
	  .flags = GUP_TOUCH_W, .gets = 16, .grabs = 1, .grabbed = 16 },
	{ .name = "read_only and exclusive", .layout = { "A4", "A0-15:r" },
	  .flags = GUP_PIN, .gets = 16, .grabs = 1, .grabbed = 16 },
	{ .name = "read_only and shared but not pinned",
	  .layout = { "A4", "A0-7:r A8-15:s" }, .flags = GUP_GET, .gets = 16,
	  .grabs = 1, .grabbed = 16 },
	{ .name = "read_only and of a file", .layout = { "A3f", "A0-7:r" },
	  .flags = GUP_PIN, .gets = 8, .grabs = 1, .grabbed = 8 },
	{ .name = "up to a page to be unshared",
	  .layout = { "A3", "A0-2:r A3:s A4-7:r" }, .flags = GUP_PIN, .gets = 3,
	  .grabs = 1, .grabbed = 3 },
	{ .name = "bits to ignore do not end it",
	  .layout = { "A3", "A0:o A1:d A2:c A3:oc A4-7" }, .flags = GUP_PIN_W,
	  .gets = 8, .grabs = 1, .grabbed = 8 },
	{ .name = "the first clean entry begins a batch",
	  .layout = { "A3", "A0-2 A3:c A4 A5:c A6-7" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .grabs = 2, .grabbed = 8 },
	{ .name = "a clean entry first",
	  .layout = { "A3", "A0:c A1-2 A3:c A4 A5:c A6-7" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .grabs = 1, .grabbed = 8 },
	{ .name = "clean entries of a folio that is dirty by now",
	  .layout = { "A3 B0", "A0:c B0 A2 A3:c A4-7" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .grabs = 3, .grabbed = 8 },
	{ .name = "force looks at each page", .layout = { "A2", "A0-3:r" },
	  .flags = GUP_PIN_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 4, .grabs = 4,
	  .grabbed = 4 },
	{ .name = "force into writable pages", .layout = { "A2", "A0-3" },
	  .flags = GUP_PIN_W | FOLL_FORCE, .gets = 4, .grabs = 1,
	  .grabbed = 4 },
	{ .name = "contiguous block", .layout = { "A5", "A0-31:b" },
	  .flags = GUP_PIN_W, .gets = 32, .grabs = 1, .grabbed = 32 },
	{ .name = "one dirty entry speaks for its block",
	  .layout = { "A6", GUP_DIRTY_IN_BLOCKS },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 64, .grabs = 2,
	  .grabbed = 64 },
	{ .name = "hints for numa", .layout = { "A2", "A0-3:p" },
	  .flags = GUP_PIN, .gets = 4, .grabs = 1, .grabbed = 4 },
	{ .name = "hints for numa over a whole folio",
	  .layout = { "A4", "A0-15:p" }, .flags = GUP_GET, .gets = 16,
	  .grabs = 1, .grabbed = 16 },
	{ .name = "hints for numa over two neighbours",
	  .layout = { "A2 B2+", "A0-3:p B0-3:p" }, .flags = GUP_GET, .gets = 8,
	  .grabs = 2, .grabbed = 8 },
	{ .name = "hints for numa in falling order",
	  .layout = { "A3", "A7-0:p" }, .flags = GUP_GET, .gets = 8, .grabs = 8,
	  .grabbed = 8 },
	{ .name = "hints for numa over half a folio",
	  .layout = { "A4", "A0-7 A8-15:p" }, .flags = GUP_GET, .gets = 16,
	  .grabs = 2, .grabbed = 16 },
};

GUP_ROWS(gup_slow_pte_batch_rows);

static void gup_slow_pte_grabs(struct kunit *test)
{
	gup_batches_row_run(test, &gup_slow_pte);
}

/* Marked accessed twice, the folio would be active, or not referenced. */
static void gup_slow_accessed_once(struct kunit *test)
{
	static const struct gup_layout layout = { "A2", "A0-3" };
	struct gup_walk walk = {
		.nr = 4, .flags = GUP_PIN | FOLL_TOUCH, .walker = &gup_slow_pte,
	};
	struct gup_fixture *fx;
	struct folio *folio;

	gup_skip_if(test, gup_batches_lacks(&gup_slow_pte));
	fx = gup_fixture_create(test, &layout);
	folio = gup_fixture_folio(fx, 'A');
	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_active(folio));
	gup_walk_settle(fx, &walk, layout.ptes);
}

static struct kunit_case gup_slow_pte_batch_cases[] = {
	GUP_CASE_ROWS(slow_grabs, gup_slow_pte_grabs, gup_slow_pte_batch_rows),
	KUNIT_CASE(gup_slow_accessed_once),
	{}
};

static struct kunit_suite gup_slow_pte_batch_suite = {
	.name = "gup_slow_pte_batch",
	.test_cases = gup_slow_pte_batch_cases,
};

kunit_test_suite(gup_slow_pte_batch_suite);
