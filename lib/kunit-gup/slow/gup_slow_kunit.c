// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow: the whole slow path, from the exported functions down, on a real
 * mm.
 *
 * Batches end at borders of VMAs, which page tables do not show; pages are
 * faulted in, copied and unshared in between. The callers have to get the same
 * pages as from a walk that goes page by page.
 */
#include "fixture/gup_lacks.h"
#include "walk/gup_mm_call.h"

/**
 * struct gup_slow_row - a call on a layout
 * @name:   what is special about it
 * @layout: the layout
 * @call:   the function
 * @flags:  FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @first:  the first page asked for
 * @nr:     number of pages asked for, 0 for all that follow
 * @ret:    what is returned
 * @of_a:   how many of the pages are pages of the folio A
 * @held:   whether there is one reference more to A, so that its pages cannot be
 *          used again and have to be copied
 * @dirty:  whether A is dirty afterwards
 */
struct gup_slow_row {
	const char *name;
	struct gup_mm_layout layout;
	enum gup_mm_call call;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	long ret;
	unsigned int of_a;
	bool held;
	bool dirty;
};

/* Where a batch ends. */
static const struct gup_slow_row gup_slow_bounds_rows[] = {
	{ .name = "whole folio", .layout = { "A4", "A0-15" },
	  .call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 16, .of_a = 16 },
	{ .name = "end of the request inside the folio",
	  .layout = { "A4", "A0-15" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .first = 5, .nr = 3, .ret = 3, .of_a = 3 },
	{ .name = "one page", .layout = { "A4", "A0-15" },
	  .call = GUP_MM_SLOW, .flags = GUP_GET_W, .first = 5, .nr = 1,
	  .ret = 1, .of_a = 1 },
	{ .name = "small folios", .layout = { "A0 B0 C0+", "A B C" },
	  .call = GUP_MM_SLOW, .flags = GUP_GET_W, .ret = 3, .of_a = 1 },
	{ .name = "folio over two tables",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 6 },
	  .call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 16, .of_a = 16 },
	{ .name = "end of a table inside the folio",
	  .layout = { "A4", "A0-5", .at = -1 }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .nr = 10, .ret = 6, .of_a = 6 },
	{ .name = "case 11 readable up to the middle of the folio and get",
	  .layout = { "A4", "A0-15", "8rw 8w" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET, .ret = 8, .of_a = 8 },
	{ .name = "case 11 readable up to the middle of the folio and pin",
	  .layout = { "A4", "A0-15", "8rw 8w" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN, .ret = 8, .of_a = 8 },
	{ .name = "case 11 start where it is not readable",
	  .layout = { "A4", "A0-15", "8rw 8w" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET, .first = 8, .ret = -EFAULT },
	{ .name = "case 11 with force", .layout = { "A4", "A0-15", "8rw 8w" },
	  .call = GUP_MM_LOCKED, .flags = GUP_GET | FOLL_FORCE, .ret = 16,
	  .of_a = 16 },
	{ .name = "case 11 three vmas that may all be read",
	  .layout = { "A4", "A0-15", "5rw 6rwd 5rw" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .ret = 16, .of_a = 16 },
	{ .name = "writable up to the middle of the folio",
	  .layout = { "A4", "A0-7 A8-15:r", "8rw 8r" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN_W, .ret = 8, .of_a = 8 },
	{ .name = "nothing mapped behind the vma",
	  .layout = { "A4", "A0-7", "8rw 8g" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .nr = 16, .ret = 8, .of_a = 8 },
	{ .name = "device memory behind the vma",
	  .layout = { "A4", "A0-7", "8rw 4rwdi" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .ret = 8, .of_a = 8 },
	{ .name = "case 13 start in device memory",
	  .layout = { "A4", "A0-7", "8rw 4rwdi" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .first = 8, .ret = -EFAULT },
	{ .name = "case 13 a pfn mapping behind the vma",
	  .layout = { "A4", "A0-7", "8rw 4rwdp" }, .call = GUP_MM_SLOW,
	  .flags = GUP_GET, .ret = 8, .of_a = 8 },
	{ .name = "case 13 start in a pfn mapping",
	  .layout = { "A4", "A0-7", "8rw 4rwdp" }, .call = GUP_MM_SLOW,
	  .flags = GUP_GET, .first = 8, .ret = -EFAULT },
	{ .name = "case 5 neighbours in memory",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .ret = 8, .of_a = 4 },
	{ .name = "order 9", .layout = { "A9", "A0-511" },
	  .call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 512, .of_a = 512 },
};

GUP_ROWS(gup_slow_bounds_rows);

/* Page faults in the middle of a folio. */
static const struct gup_slow_row gup_slow_fault_rows[] = {
	{ .name = "hole in the middle", .layout = { "A3", "A0-3 . A5-7" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 8, .of_a = 7 },
	{ .name = "hole in the middle without faults",
	  .layout = { "A3", "A0-3 . A5-7" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN_W | FOLL_NOFAULT, .ret = 4, .of_a = 4 },
	{ .name = "start at a hole without faults",
	  .layout = { "A3", "A0-3 . A5-7" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET | FOLL_NOFAULT, .first = 4, .ret = -EFAULT },
	{ .name = "guard in the middle", .layout = { "A3", "A0-3 @ A5-7" },
	  .call = GUP_MM_SLOW, .flags = GUP_GET_W, .ret = 4, .of_a = 4 },
	{ .name = "case 2 read_only half and write",
	  .layout = { "A4", "A0-7 A8-15:s" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN_W, .ret = 16, .of_a = 8, .held = true },
	{ .name = "case 3 read_only half and pin to read",
	  .layout = { "A4", "A0-7:r A8-15:s" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN, .ret = 16, .of_a = 8, .held = true },
	{ .name = "case 3 read_only half and get to read",
	  .layout = { "A4", "A0-7:r A8-15:s" }, .call = GUP_MM_SLOW,
	  .flags = GUP_GET, .ret = 16, .of_a = 16, .held = true },
	{ .name = "one page to be unshared in the middle",
	  .layout = { "A3", "A0-2:r A3:s A4-7:r" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN, .ret = 8, .of_a = 7, .held = true },
	{ .name = "one page to be unshared without faults",
	  .layout = { "A3", "A0-2:r A3:s A4-7:r" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN | FOLL_NOFAULT, .ret = 3, .of_a = 3, .held = true },
	{ .name = "force into read_only memory with a shared page",
	  .layout = { "A3", "A0-3:r A4:s A5-7:r", "8r" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W | FOLL_FORCE, .ret = 8, .of_a = 7, .held = true },
	{ .name = "small zero pages and get", .layout = { "A2", "A0-1 Z8 A3" },
	  .call = GUP_MM_SLOW, .flags = GUP_GET, .ret = 11, .of_a = 3 },
	{ .name = "small zero pages and pin", .layout = { "A2", "A0-1 Z8 A3" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN, .ret = 11, .of_a = 3 },
	{ .name = "small zero pages and longterm pin",
	  .layout = { "A2", "A0-1 Z8 A3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_L, .ret = 11, .of_a = 3 },
	{ .name = "case 6 pages of a driver and pin",
	  .layout = { "A0u B0u+ C0u+ D0u+", "A B C D", "4rwm" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 4, .of_a = 1 },
	{ .name = "case 6 pages of a driver and longterm pin",
	  .layout = { "A0u B0u+ C0u+ D0u+", "A B C D", "4rwm" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_LW, .ret = 4, .of_a = 1 },
	{ .name = "case 13 special entry without a page",
	  .layout = { "A0 B0 C0 D0", "A0 B0 C0:x D0", "4rwm" },
	  .call = GUP_MM_LOCKED, .flags = GUP_GET, .ret = 2, .of_a = 1 },
	{ .name = "case 13 start at a special entry",
	  .layout = { "A0 B0 C0 D0", "A0 B0 C0:x D0", "4rwm" },
	  .call = GUP_MM_LOCKED, .flags = GUP_GET, .first = 2, .ret = -EEXIST },
	{ .name = "case 13 special entry for the next page of the folio",
	  .layout = { "A2", "A0-1 A2:x A3", "4rwm" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET, .ret = 2, .of_a = 2 },
	{ .name = "case 18 hint for numa in the middle",
	  .layout = { "A2", "A0-1 A2:p A3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET, .ret = 4, .of_a = 4 },
	{ .name = "case 18 hint for numa first",
	  .layout = { "A2", "A0:p A1-3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET, .ret = 4, .of_a = 4 },
	{ .name = "case 18 hint for numa without faults",
	  .layout = { "A2", "A0-1 A2:p A3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET | FOLL_NOFAULT, .ret = 4, .of_a = 4 },
	{ .name = "case 18 hint for numa to be honoured without faults",
	  .layout = { "A2", "A0-1 A2:p A3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT | FOLL_NOFAULT, .ret = 2,
	  .of_a = 2 },
	{ .name = "case 18 hint for numa to be honoured",
	  .layout = { "A2", "A0-1 A2:p A3" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT, .ret = 4, .of_a = 4 },
	{ .name = "case 18 protected by userfaultfd in the middle",
	  .layout = { "A2", "A0-1 A2:p A3", "4rwu" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET | FOLL_NOFAULT, .ret = 2, .of_a = 2 },
	{ .name = "case 18 protected by userfaultfd first",
	  .layout = { "A2", "A0:p A1-3", "4rwu" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN | FOLL_NOFAULT, .ret = -EFAULT },
	{ .name = "pin for long", .layout = { "A4 B0", "A0-15 B" },
	  .call = GUP_MM_LOCKED, .flags = GUP_PIN_LW, .ret = 17, .of_a = 16 },
	{ .name = "pin for long out of the movable zone",
	  .layout = { "A4m B0m", "A0-15 B" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_LW, .ret = 17 },
	{ .name = "pin in the movable zone", .layout = { "A4m B0m", "A0-15 B" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 17, .of_a = 16 },
};

GUP_ROWS(gup_slow_fault_rows);

/* The _unlocked functions touch, the others do not. */
static const struct gup_slow_row gup_slow_touch_rows[] = {
	{ .name = "case 17 only the first entry is dirty",
	  .layout = { "A2", "A0 A1-3:c" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN_W, .ret = 4, .of_a = 4, .dirty = true },
	{ .name = "case 17 only the first entry is clean",
	  .layout = { "A2", "A0:c A1-3" }, .call = GUP_MM_SLOW,
	  .flags = GUP_PIN_W, .ret = 4, .of_a = 4, .dirty = true },
	{ .name = "case 17 all entries dirty", .layout = { "A2", "A0-3" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 4, .of_a = 4 },
	{ .name = "case 17 without touching", .layout = { "A2", "A0 A1-3:c" },
	  .call = GUP_MM_LOCKED, .flags = GUP_PIN_W, .ret = 4, .of_a = 4 },
	{ .name = "clean entry behind the end", .layout = { "A2", "A0-2 A3:c" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_W, .nr = 3, .ret = 3,
	  .of_a = 3 },
};

GUP_ROWS(gup_slow_touch_rows);

static unsigned int gup_slow_of_a(struct gup_mm *m, long nr)
{
	const struct gup_folio *a = &m->folio[0];
	unsigned int of_a = 0;
	long i;

	for (i = 0; i < nr; i++)
		of_a += m->pages[i] >= a->page &&
			m->pages[i] < a->page + (1U << a->order);

	return of_a;
}

static void gup_slow_row_check(struct kunit *test, struct gup_mm *m,
			       const struct gup_slow_row *row)
{
	struct folio *a = page_folio(m->folio[0].page);
	struct gup_mm_ask ask = {
		.call = row->call,
		.flags = row->flags,
		.first = row->first,
		.nr = row->nr ?: m->nr - row->first,
	};

	folio_clear_dirty(a);
	gup_mm_ask(m, &ask);
	KUNIT_EXPECT_EQ(test, ask.ret, row->ret);
	KUNIT_EXPECT_EQ(test, gup_slow_of_a(m, ask.ret), row->of_a);
	/* A folio that was migrated is not A any more. */
	if (row->of_a)
		KUNIT_EXPECT_EQ(test, folio_test_dirty(a), row->dirty);
	gup_mm_settle(m, &ask, row->layout.ptes);
}

/* A may be unmapped and freed when the row is over. */
static void gup_slow_row_run(struct kunit *test)
{
	const struct gup_slow_row *row = test->param_value;
	struct gup_mm *m = gup_mm_create_or_skip(test, &row->layout);
	struct folio *a = page_folio(m->folio[0].page);

	gup_skip_if(test, gup_fixture_lacks_hints(row->layout.ptes, row->flags));
	if (row->held)
		folio_get(a);
	gup_slow_row_check(test, m, row);
	if (row->held)
		folio_put(a);
}

static struct kunit_case gup_slow_cases[] = {
	GUP_CASE_ROWS(vma_bounds, gup_slow_row_run, gup_slow_bounds_rows),
	GUP_CASE_ROWS(faults, gup_slow_row_run, gup_slow_fault_rows),
	GUP_CASE_ROWS(real_touch, gup_slow_row_run, gup_slow_touch_rows),
	{}
};

static struct kunit_suite gup_slow_suite = {
	.name = "gup_slow",
	.test_cases = gup_slow_cases,
};

kunit_test_suite(gup_slow_suite);
