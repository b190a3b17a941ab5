// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_pte: what the slow path makes of a page table, under the PTL.
 *
 * Each row is a layout, a VMA and a request. follow_page_pte() is called again
 * and again until the end of the request; the pages, the error, the references
 * and the dirty folios are compared with the row, and with the oracle.
 */
#include "walk/gup_slow_pte.h"

/* Where a batch ends: the request, the table, the folio. */
static const struct gup_slow_pte_row bounds_rows[] = {
	{ .name = "one folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_PIN_W, .gets = 16 },
	{ .name = "small folios", .layout = { "A0 B0+ C0+", "A0 B0 C0" },
	  .flags = GUP_PIN_W, .gets = 3 },
	{ .name = "case 7 order 1", .layout = { "A1", "A0-1" },
	  .flags = GUP_PIN_W, .gets = 2 },
	{ .name = "end of the request inside the folio",
	  .layout = { "A4", "A0-15" }, .flags = GUP_PIN_W, .nr = 5, .gets = 5 },
	{ .name = "one page of a folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_GET_W, .first = 7, .nr = 1, .gets = 1 },
	{ .name = "start on a tail page", .layout = { "A4", "A0-15" },
	  .flags = GUP_PIN_W, .first = 5, .nr = 3, .gets = 3 },
	{ .name = "end of the table inside the folio",
	  .layout = { "A4", "A0-5", .at = -1 }, .flags = GUP_PIN_W,
	  .beyond = 10, .gets = 6 },
	{ .name = "last entry of the table", .layout = { "A4", "A3", .at = -1 },
	  .flags = GUP_GET_W, .beyond = 10, .gets = 1 },
	{ .name = "two folios side by side in memory",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .flags = GUP_GET_W, .gets = 8 },
	{ .name = "last page of one folio and first of its neighbour",
	  .layout = { "A2 B2+", "A2-3 B0-3" }, .flags = GUP_PIN_W, .gets = 6 },
	{ .name = "small folio behind a large one",
	  .layout = { "A2 B0+", "A0-3 B0" }, .flags = GUP_PIN_W, .gets = 5 },
	{ .name = "pages in reverse", .layout = { "A2", "A3-0" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "same page again", .layout = { "A2", "A3 A1 A1 A0" },
	  .flags = GUP_GET_W, .gets = 4 },
	{ .name = "page left out", .layout = { "A3", "A0-2 A4-7" },
	  .flags = GUP_PIN_W, .gets = 7 },
	{ .name = "hole in the middle", .layout = { "A3", "A0-3 . A5-7" },
	  .flags = GUP_PIN_W, .gets = 4, .ret = GUP_FAULT },
	{ .name = "swap entry in the middle", .layout = { "A3", "A0-3 @ A5-7" },
	  .flags = GUP_GET, .gets = 4, .ret = GUP_FAULT },
	{ .name = "hole first", .layout = { "A3", ". A1-7" },
	  .flags = GUP_GET, .gets = 0, .ret = GUP_FAULT },
	{ .name = "file folio", .layout = { "A3f", "A0-7" },
	  .flags = GUP_PIN_W, .gets = 8 },
	{ .name = "old and young", .layout = { "A3", "A0-2:o A3-5 A6-7:o" },
	  .flags = GUP_PIN_W, .gets = 8 },
	{ .name = "soft_dirty or not", .layout = { "A3", "A0-2:d A3-5 A6-7:d" },
	  .flags = GUP_PIN_W, .gets = 8 },
	{ .name = "two blocks of contiguous entries",
	  .layout = { "A5", "A0-31:b" }, .flags = GUP_PIN_W, .gets = 32 },
	{ .name = "from inside a block of contiguous entries",
	  .layout = { "A5", "A0-31:b" }, .flags = GUP_PIN_W, .first = 5,
	  .nr = 3, .gets = 3 },
};

GUP_ROWS(bounds_rows);

/* Decisions for each page: writing, unsharing, forcing. */
static const struct gup_slow_pte_row decide_rows[] = {
	{ .name = "read_only half and write",
	  .layout = { "A4", "A0-7 A8-15:s" }, .flags = GUP_PIN_W, .gets = 8,
	  .ret = GUP_FAULT },
	{ .name = "read_only half and read", .layout = { "A4", "A0-7 A8-15:s" },
	  .flags = GUP_GET, .gets = 16 },
	{ .name = "read_only half and pin to read",
	  .layout = { "A4", "A0-7 A8-15:s" }, .flags = GUP_PIN, .gets = 8,
	  .ret = -EMLINK },
	{ .name = "read_only first half and pin to read",
	  .layout = { "A4", "A0-7:r A8-15" }, .flags = GUP_PIN, .gets = 16 },
	{ .name = "first page to be unshared",
	  .layout = { "A3", "A0:s A1-7:r" }, .flags = GUP_PIN, .gets = 0,
	  .ret = -EMLINK },
	{ .name = "page in the middle to be unshared",
	  .layout = { "A3", "A0-2:r A3:s A4-7:r" }, .flags = GUP_PIN, .gets = 3,
	  .ret = -EMLINK },
	{ .name = "last page to be unshared", .layout = { "A3", "A0-6:r A7:s" },
	  .flags = GUP_PIN, .gets = 7, .ret = -EMLINK },
	{ .name = "get does not unshare",
	  .layout = { "A3", "A0-2:r A3:s A4-7:r" }, .flags = GUP_GET,
	  .gets = 8 },
	{ .name = "ksm is never exclusive", .layout = { "A0k", "A0:r" },
	  .flags = GUP_PIN, .gets = 0, .ret = -EMLINK },
	{ .name = "file and pin to read", .layout = { "A3f", "A0-7:r" },
	  .flags = GUP_PIN, .gets = 8 },
	{ .name = "file and longterm pin to read in private memory",
	  .layout = { "A3f", "A0-7:r" }, .flags = GUP_PIN_L, .gets = 0,
	  .ret = -EMLINK },
	{ .name = "file and longterm pin to read in shared memory",
	  .layout = { "A3f", "A0-7:r" }, .flags = GUP_PIN_L,
	  .vm_flags = GUP_VM | VM_SHARED | VM_MAYSHARE, .gets = 8 },
	{ .name = "anonymous and longterm pin to read",
	  .layout = { "A3", "A0-4:r A5:s A6-7:r" }, .flags = GUP_PIN_L,
	  .gets = 5, .ret = -EMLINK },
	{ .name = "force into exclusive pages", .layout = { "A3", "A0-7:r" },
	  .flags = GUP_PIN_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 8 },
	{ .name = "force into a page that is shared",
	  .layout = { "A3", "A0-3:r A4:s A5-7:r" },
	  .flags = GUP_PIN_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 4, .ret = GUP_FAULT },
	{ .name = "force into writable pages and then one that is shared",
	  .layout = { "A3", "A0-3 A4:s A5-7" }, .flags = GUP_GET_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 4, .ret = GUP_FAULT },
	{ .name = "force into a page that userfaultfd protects",
	  .layout = { "A3", "A0-3:r A4:rw A5-7:r" },
	  .flags = GUP_GET_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY | VM_UFFD_WP, .gets = 4,
	  .ret = GUP_FAULT },
	{ .name = "no force where it may be written",
	  .layout = { "A3", "A0-7:r" }, .flags = GUP_GET_W | FOLL_FORCE,
	  .gets = 0, .ret = GUP_FAULT },
	{ .name = "no force into shared memory", .layout = { "A3", "A0-7:r" },
	  .flags = GUP_GET_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SHARED | VM_MAYSHARE, .gets = 0,
	  .ret = GUP_FAULT },
	{ .name = "no force into file pages", .layout = { "A3f", "A0-7:r" },
	  .flags = GUP_GET_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 0, .ret = GUP_FAULT },
};

GUP_ROWS(decide_rows);

/* GUP_VM_READ has no VM_SOFTDIRTY, so soft-dirty bits matter if there are any. */
static const struct gup_slow_pte_row soft_dirty_rows[] = {
	{ .name = "force into soft_dirty pages", .layout = { "A3", "A0-7:r" },
	  .flags = GUP_PIN_W | FOLL_FORCE, .vm_flags = GUP_VM_READ, .gets = 8 },
	{ .name = "force into a page that is not soft_dirty",
	  .layout = { "A3", "A0-3:r A4:rd A5-7:r" },
	  .flags = GUP_PIN_W | FOLL_FORCE, .vm_flags = GUP_VM_READ, .gets = 4,
	  .ret = GUP_FAULT },
	{ .name = "nobody wants to know of soft_dirty",
	  .layout = { "A3", "A0-3:r A4:rd A5-7:r" },
	  .flags = GUP_PIN_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 8 },
};

GUP_ROWS(soft_dirty_rows);

static void gup_slow_pte_soft_dirty(struct kunit *test)
{
	if (!pgtable_supports_soft_dirty())
		kunit_skip(test, "no soft-dirty bits");
	gup_slow_pte_row_run(test);
}

static struct kunit_case gup_slow_pte_cases[] = {
	GUP_CASE_ROWS(bounds, gup_slow_pte_row_run, bounds_rows),
	GUP_CASE_ROWS(decide, gup_slow_pte_row_run, decide_rows),
	GUP_CASE_ROWS(soft_dirty, gup_slow_pte_soft_dirty, soft_dirty_rows),
	{}
};

static struct kunit_suite gup_slow_pte_suite = {
	.name = "gup_slow_pte",
	.test_cases = gup_slow_pte_cases,
};

kunit_test_suite(gup_slow_pte_suite);
