// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_pte_odd: as gup_slow_pte, for FOLL_TOUCH, unusual entries, and
 * failures.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>

#include "walk/gup_race.h"
#include "walk/gup_slow_pte.h"

/* Touching to write makes a folio dirty if an entry is clean. */
static const struct gup_slow_pte_row touch_rows[] = {
	{ .name = "all entries dirty", .layout = { "A2", "A0-3" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 4 },
	{ .name = "all entries clean", .layout = { "A2", "A0-3:c" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 4, .dirty = "A" },
	{ .name = "first entry dirty", .layout = { "A2", "A0 A1-3:c" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 4, .dirty = "A" },
	{ .name = "last entry clean", .layout = { "A4", "A0-14 A15:c" },
	  .flags = GUP_GET | GUP_TOUCH_W, .gets = 16, .dirty = "A" },
	{ .name = "first entry clean", .layout = { "A2", "A0:c A1-3" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 4, .dirty = "A" },
	{ .name = "clean entry behind the end", .layout = { "A2", "A0-2 A3:c" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .nr = 3, .gets = 3 },
	{ .name = "clean entry of another folio",
	  .layout = { "A2 B2+", "A0-3 B0-2 B3:c" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .dirty = "B" },
	{ .name = "clean and dirty in turn",
	  .layout = { "A3f", "A0 A1:c A2 A3:c A4 A5:c A6 A7:c" },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .dirty = "A" },
	{ .name = "write without touching", .layout = { "A2", "A0 A1-3:c" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "touch to read", .layout = { "A2", "A0:c A1 A2-3:c" },
	  .flags = GUP_PIN | FOLL_TOUCH, .gets = 4 },
	{ .name = "touch a small folio", .layout = { "A0", "A0" },
	  .flags = GUP_PIN | FOLL_TOUCH, .gets = 1 },
	{ .name = "populate to write", .layout = { "A2 B2", "A0 A1-3:c B0-3" },
	  .flags = GUP_TOUCH_W, .gets = 8, .dirty = "A" },
	{ .name = "populate to read", .layout = { "A2", "A0-1:r A2-3:s Z" },
	  .flags = FOLL_TOUCH | FOLL_FORCE, .gets = 5 },
	{ .name = "populate to write and one page read_only",
	  .layout = { "A2", "A0-1 A2:s A3" }, .flags = GUP_TOUCH_W, .gets = 2,
	  .ret = GUP_FAULT },
	{ .name = "populate in the middle of a folio",
	  .layout = { "A4", "A0-15" }, .flags = FOLL_TOUCH | FOLL_FORCE,
	  .first = 3, .nr = 9, .gets = 9 },
	{ .name = "block with one dirty entry",
	  .layout = { "A6", GUP_DIRTY_IN_BLOCKS },
	  .flags = GUP_PIN | GUP_TOUCH_W, .nr = 16, .gets = 16 },
	{ .name = "clean entries of a block with one dirty entry",
	  .layout = { "A6", GUP_DIRTY_IN_BLOCKS },
	  .flags = GUP_PIN | GUP_TOUCH_W, .first = 5, .nr = 8, .gets = 8 },
	{ .name = "clean block behind one with a dirty entry",
	  .layout = { "A6", GUP_DIRTY_IN_BLOCKS },
	  .flags = GUP_PIN | GUP_TOUCH_W, .first = 32, .nr = 16, .gets = 16,
	  .dirty = "A" },
	{ .name = "blocks with a dirty entry and clean ones",
	  .layout = { "A6", GUP_DIRTY_IN_BLOCKS },
	  .flags = GUP_PIN | GUP_TOUCH_W, .gets = 64, .dirty = "A" },
};

GUP_ROWS(touch_rows);

/* The zero page, holes, PROT_NONE, special entries. */
static const struct gup_slow_pte_row odd_rows[] = {
	{ .name = "zero pages and get", .layout = { "A2", "Z8:r" },
	  .flags = GUP_GET, .gets = 8 },
	{ .name = "zero pages and pin", .layout = { "A2", "Z8:r" },
	  .flags = GUP_PIN, .gets = 8 },
	{ .name = "zero pages and longterm pin", .layout = { "A2", "Z8:r" },
	  .flags = GUP_PIN_L, .gets = 0, .ret = -EMLINK },
	{ .name = "zero page to write", .layout = { "A2", "A0-1 Z:r" },
	  .flags = GUP_GET_W, .gets = 2, .ret = GUP_FAULT },
	{ .name = "zero page among others", .layout = { "A2", "A0-1 Z:r A3" },
	  .flags = GUP_PIN, .gets = 4 },
	{ .name = "dump a folio", .layout = { "A2", "A0-3" },
	  .flags = GUP_GET | FOLL_DUMP | FOLL_FORCE, .gets = 4 },
	{ .name = "dump up to a hole", .layout = { "A2", "A0-1 . A3" },
	  .flags = GUP_GET | FOLL_DUMP | FOLL_FORCE, .gets = 2,
	  .ret = -EFAULT },
	{ .name = "dump up to the zero page", .layout = { "A2", "A0-1 Z:r A3" },
	  .flags = GUP_GET | FOLL_DUMP | FOLL_FORCE, .gets = 2,
	  .ret = -EFAULT },
	{ .name = "dump up to a swap entry", .layout = { "A2", "A0-1 @ A3" },
	  .flags = GUP_GET | FOLL_DUMP | FOLL_FORCE, .gets = 2,
	  .ret = GUP_FAULT },
	{ .name = "hint for numa in the middle",
	  .layout = { "A2", "A0-1 A2:p A3" }, .flags = GUP_GET, .gets = 4 },
	{ .name = "hint for numa in the middle to be honoured",
	  .layout = { "A2", "A0-1 A2:p A3" },
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT, .gets = 2,
	  .ret = GUP_FAULT },
	{ .name = "hint for numa first", .layout = { "A2", "A0:p A1-3" },
	  .flags = GUP_GET, .gets = 4 },
	{ .name = "hint for numa everywhere", .layout = { "A2", "A0-3:p" },
	  .flags = GUP_PIN, .gets = 4 },
	{ .name = "no access at all with force", .layout = { "A2", "A0-3:p" },
	  .flags = GUP_GET | FOLL_FORCE | FOLL_HONOR_NUMA_FAULT,
	  .vm_flags = VM_MAYREAD | VM_MAYWRITE, .gets = 4 },
	{ .name = "special entry in the middle",
	  .layout = { "A2 B0+", "A0-1 B0:x A3" }, .flags = GUP_GET,
	  .vm_flags = GUP_VM | VM_MIXEDMAP, .gets = 2, .ret = -EEXIST },
	{ .name = "special entry for the next page of the folio",
	  .layout = { "A2", "A0-1 A2:x A3" }, .flags = GUP_GET,
	  .vm_flags = GUP_VM | VM_MIXEDMAP, .gets = 2, .ret = -EEXIST },
	{ .name = "special entry first", .layout = { "A2", "A0:x A1-3" },
	  .flags = GUP_PIN, .vm_flags = GUP_VM | VM_MIXEDMAP, .gets = 0,
	  .ret = -EEXIST },
	{ .name = "folio in a mixed map", .layout = { "A2f", "A0-3" },
	  .flags = GUP_PIN_W, .vm_flags = GUP_VM | VM_MIXEDMAP, .gets = 4 },
};

GUP_ROWS(odd_rows);

/* A page of the second folio cannot be taken; the pages of the first are kept. */
static void gup_slow_pte_fails(struct kunit *test, bool grab, int ret)
{
	const struct gup_layout layout = { "A2 B2+", "A0-3 B0-3" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct gup_walk walk = {
		.walker = &gup_slow_pte, .nr = 8, .flags = GUP_PIN_W,
	};

	gup_race_watch_slow(fx);
	if (grab)
		fx->watch->refuse = 6;
	else
		fx->watch->inaccessible = 6;

	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_EQ(test, walk.pinned, 4);
	KUNIT_EXPECT_EQ(test, walk.ret, ret);
	gup_walk_settle(fx, &walk, layout.ptes);
}

static void gup_slow_grab_fails(struct kunit *test)
{
	gup_slow_pte_fails(test, true, -ENOMEM);
}

/* This fails after the references of the whole batch were taken. */
static void gup_slow_accessible_fails(struct kunit *test)
{
	gup_slow_pte_fails(test, false, -EIO);
}

/* A get does not access the content, so it does not fail. */
static void gup_slow_get_needs_no_access(struct kunit *test)
{
	const struct gup_layout layout = { "A2", "A0-3" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct gup_walk walk = {
		.walker = &gup_slow_pte, .nr = 4, .flags = GUP_GET_W,
	};

	gup_race_watch_slow(fx);
	fx->watch->inaccessible = 0;
	gup_walk_expect_oracle(fx, &walk, layout.ptes);
}

static bool gup_slow_pte_note(const struct page *page)
{
	struct gup_fixture *fx = kunit_get_current_test()->priv;
	unsigned long *warned = fx->suite;

	if (!gup_call_real(gup_kunit_gup.may_be_pinned(page)))
		*warned |= BIT(page - gup_fixture_page(fx, 'A', 0));

	return true;
}

/* The check of CONFIG_DEBUG_VM looks at every page that is pinned. */
static void gup_slow_warned(struct kunit *test)
{
	const struct gup_layout layout = { "A2", "A0-3" };
	struct gup_walk walk = {
		.walker = &gup_slow_pte, .nr = 4, .flags = GUP_PIN_W,
	};
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned long warned = 0;

	if (!IS_ENABLED(CONFIG_DEBUG_VM))
		kunit_skip(test, "no CONFIG_DEBUG_VM");

	ClearPageAnonExclusive(gup_fixture_page(fx, 'A', 1));
	ClearPageAnonExclusive(gup_fixture_page(fx, 'A', 3));
	fx->suite = &warned;
	kunit_activate_static_stub(test, gup_kunit_gup.may_be_pinned,
				   gup_slow_pte_note);
	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_EQ(test, walk.pinned, 4);
	KUNIT_EXPECT_EQ(test, warned, BIT(1) | BIT(3));
	gup_walk_settle(fx, &walk, layout.ptes);
}

static const unsigned int gup_slow_pte_hooked[] = { 2, 0, 3 };

static struct page *gup_slow_pte_hook(struct vm_area_struct *vma,
				      unsigned long addr)
{
	struct gup_fixture *fx = kunit_get_current_test()->priv;
	const unsigned int i = (addr - gup_fixture_addr(fx, 0)) / PAGE_SIZE;

	return gup_fixture_page(fx, 'A', gup_slow_pte_hooked[i]);
}

/* Case 14, as in Xen: a hook of the VMA says which page an entry maps. */
static void gup_slow_find_normal_page(struct kunit *test)
{
	static const struct vm_operations_struct ops = {
		.find_normal_page = gup_slow_pte_hook,
	};
	/* The pages of A are mapped as well, to make them exclusive. */
	const struct gup_layout layout = { "A2 B2", "B0-2:x A0-3" };
	struct gup_walk walk = {
		.walker = &gup_slow_pte, .nr = 3, .flags = GUP_PIN_W,
	};
	struct gup_fixture *fx;
	struct folio *a, *b;
	unsigned int i;

	gup_skip_if(test, gup_fixture_lacks(layout.folios, layout.ptes));
	fx = gup_fixture_create(test, &layout);
	a = gup_fixture_folio(fx, 'A');
	b = gup_fixture_folio(fx, 'B');
	fx->vma->vm_ops = &ops;
	gup_walk_run(fx, &walk);

	KUNIT_ASSERT_EQ(test, walk.pinned, 3);
	for (i = 0; i < 3; i++)
		GUP_EXPECT_PAGE_AT(test, fx->folio,
				   fx->pages[GUP_PAGES_BEFORE + i],
				   gup_fixture_page(fx, 'A', gup_slow_pte_hooked[i]),
				   i);
	KUNIT_EXPECT_EQ(test, folio_ref_count(a), GUP_HELD + 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->_pincount), 3);
	KUNIT_EXPECT_EQ(test, folio_ref_count(b), GUP_HELD);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->_pincount), 0);
	gup_kunit_gup.put_folio(a, 3, walk.flags);
	KUNIT_EXPECT_EQ(test, folio_ref_count(a), GUP_HELD);
}

static struct kunit_case gup_slow_pte_odd_cases[] = {
	GUP_CASE_ROWS(touch, gup_slow_pte_row_run, touch_rows),
	GUP_CASE_ROWS(odd, gup_slow_pte_row_run, odd_rows),
	KUNIT_CASE(gup_slow_grab_fails),
	KUNIT_CASE(gup_slow_accessible_fails),
	KUNIT_CASE(gup_slow_get_needs_no_access),
	KUNIT_CASE(gup_slow_find_normal_page),
	KUNIT_CASE(gup_slow_warned),
	{}
};

static struct kunit_suite gup_slow_pte_odd_suite = {
	.name = "gup_slow_pte_odd",
	.test_cases = gup_slow_pte_odd_cases,
};

kunit_test_suite(gup_slow_pte_odd_suite);
