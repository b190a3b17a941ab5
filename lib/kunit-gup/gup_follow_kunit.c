// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_follow: what the slow path makes of a page table, with the PTL held.
 *
 * Each row is a table, a VMA and a request. follow_page_pte() is asked again and
 * again until it has been through, and the pages, why it stops, the references and
 * what became dirty are compared with literals and with the oracle, which looks at
 * one page after the other.
 */
#include "gup_kunit.h"

/**
 * struct gup_follow_row - a request on a layout
 * @name:     what is special about it
 * @layout:   the layout
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA, 0 for GUP_VM
 * @first:    the first entry asked for
 * @nr:       number of entries asked for, 0 for all that follow
 * @beyond:   how many pages the request goes beyond the table
 * @gets:     number of pages returned
 * @ret:      0, or why not more
 * @dirty:    the letters of the folios that are dirty afterwards
 */
struct gup_follow_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	vm_flags_t vm_flags;
	unsigned int first;
	unsigned int nr;
	unsigned int beyond;
	unsigned int gets;
	int ret;
	const char *dirty;
};

/* Where a run ends: the request, the table, the folio. */
static const struct gup_follow_row bounds_rows[] = {
	{
		.name = "one folio",
		.layout = { "A4", "A0-15" },
		.flags = GUP_PIN_W, .gets = 16,
	}, {
		.name = "small folios",
		.layout = { "A0 B0+ C0+", "A0 B0 C0" },
		.flags = GUP_PIN_W, .gets = 3,
	}, {
		.name = "order 1",
		.layout = { "A1", "A0-1" },
		.flags = GUP_PIN_W, .gets = 2,
	}, {
		.name = "end of the request inside the folio",
		.layout = { "A4", "A0-15" },
		.flags = GUP_PIN_W, .nr = 5, .gets = 5,
	}, {
		.name = "one page of a folio",
		.layout = { "A4", "A0-15" },
		.flags = GUP_GET_W, .first = 7, .nr = 1, .gets = 1,
	}, {
		.name = "start on a tail page",
		.layout = { "A4", "A0-15" },
		.flags = GUP_PIN_W, .first = 5, .nr = 3, .gets = 3,
	}, {
		.name = "end of the table inside the folio",
		.layout = { "A4", "A0-5", -1 },
		.flags = GUP_PIN_W, .beyond = 10, .gets = 6,
	}, {
		.name = "last entry of the table",
		.layout = { "A4", "A3", -1 },
		.flags = GUP_GET_W, .beyond = 10, .gets = 1,
	}, {
		.name = "two folios side by side in memory",
		.layout = { "A2 B2+", "A0-3 B0-3" },
		.flags = GUP_GET_W, .gets = 8,
	}, {
		.name = "last page of one folio and first of its neighbour",
		.layout = { "A2 B2+", "A2-3 B0-3" },
		.flags = GUP_PIN_W, .gets = 6,
	}, {
		.name = "small folio behind a large one",
		.layout = { "A2 B0+", "A0-3 B0" },
		.flags = GUP_PIN_W, .gets = 5,
	}, {
		.name = "pages in reverse",
		.layout = { "A2", "A3-0" },
		.flags = GUP_PIN_W, .gets = 4,
	}, {
		.name = "same page again",
		.layout = { "A2", "A3 A1 A1 A0" },
		.flags = GUP_GET_W, .gets = 4,
	}, {
		.name = "page left out",
		.layout = { "A3", "A0-2 A4-7" },
		.flags = GUP_PIN_W, .gets = 7,
	}, {
		.name = "hole in the middle",
		.layout = { "A3", "A0-3 . A5-7" },
		.flags = GUP_PIN_W, .gets = 4, .ret = GUP_FAULT,
	}, {
		.name = "swap entry in the middle",
		.layout = { "A3", "A0-3 @ A5-7" },
		.flags = GUP_GET, .gets = 4, .ret = GUP_FAULT,
	}, {
		.name = "hole first",
		.layout = { "A3", ". A1-7" },
		.flags = GUP_GET, .gets = 0, .ret = GUP_FAULT,
	}, {
		.name = "file folio",
		.layout = { "A3f", "A0-7" },
		.flags = GUP_PIN_W, .gets = 8,
	}, {
		.name = "old and young",
		.layout = { "A3", "A0-2:o A3-5 A6-7:o" },
		.flags = GUP_PIN_W, .gets = 8,
	}, {
		.name = "soft_dirty or not",
		.layout = { "A3", "A0-2:d A3-5 A6-7:d" },
		.flags = GUP_PIN_W, .gets = 8,
	}, {
		.name = "two blocks of contiguous entries",
		.layout = { "A5", "A0-31:b" },
		.flags = GUP_PIN_W, .gets = 32,
	}, {
		.name = "from inside a block of contiguous entries",
		.layout = { "A5", "A0-31:b" },
		.flags = GUP_PIN_W, .first = 5, .nr = 3, .gets = 3,
	},
};

KUNIT_ARRAY_PARAM_DESC(bounds, bounds_rows, name);

/* What is decided for each page: writing, unsharing, forcing. */
static const struct gup_follow_row decide_rows[] = {
	{
		.name = "read_only half and write",
		.layout = { "A4", "A0-7 A8-15:s" },
		.flags = GUP_PIN_W, .gets = 8, .ret = GUP_FAULT,
	}, {
		.name = "read_only half and read",
		.layout = { "A4", "A0-7 A8-15:s" },
		.flags = GUP_GET, .gets = 16,
	}, {
		.name = "read_only half and pin to read",
		.layout = { "A4", "A0-7 A8-15:s" },
		.flags = GUP_PIN, .gets = 8, .ret = -EMLINK,
	}, {
		.name = "read_only first half and pin to read",
		.layout = { "A4", "A0-7:r A8-15" },
		.flags = GUP_PIN, .gets = 16,
	}, {
		.name = "first page to be unshared",
		.layout = { "A3", "A0:s A1-7:r" },
		.flags = GUP_PIN, .gets = 0, .ret = -EMLINK,
	}, {
		.name = "page in the middle to be unshared",
		.layout = { "A3", "A0-2:r A3:s A4-7:r" },
		.flags = GUP_PIN, .gets = 3, .ret = -EMLINK,
	}, {
		.name = "last page to be unshared",
		.layout = { "A3", "A0-6:r A7:s" },
		.flags = GUP_PIN, .gets = 7, .ret = -EMLINK,
	}, {
		.name = "get does not unshare",
		.layout = { "A3", "A0-2:r A3:s A4-7:r" },
		.flags = GUP_GET, .gets = 8,
	}, {
		.name = "ksm is never exclusive",
		.layout = { "A0k", "A0:r" },
		.flags = GUP_PIN, .gets = 0, .ret = -EMLINK,
	}, {
		.name = "file and pin to read",
		.layout = { "A3f", "A0-7:r" },
		.flags = GUP_PIN, .gets = 8,
	}, {
		.name = "file and longterm pin to read in private memory",
		.layout = { "A3f", "A0-7:r" },
		.flags = GUP_PIN_L, .gets = 0, .ret = -EMLINK,
	}, {
		.name = "file and longterm pin to read in shared memory",
		.layout = { "A3f", "A0-7:r" },
		.flags = GUP_PIN_L, .vm_flags = GUP_VM | VM_SHARED | VM_MAYSHARE,
		.gets = 8,
	}, {
		.name = "anonymous and longterm pin to read",
		.layout = { "A3", "A0-4:r A5:s A6-7:r" },
		.flags = GUP_PIN_L, .gets = 5, .ret = -EMLINK,
	}, {
		.name = "force into exclusive pages",
		.layout = { "A3", "A0-7:r" },
		.flags = GUP_PIN_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 8,
	}, {
		.name = "force into a page that is shared",
		.layout = { "A3", "A0-3:r A4:s A5-7:r" },
		.flags = GUP_PIN_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SOFTDIRTY,
		.gets = 4, .ret = GUP_FAULT,
	}, {
		.name = "force into writable pages and then one that is shared",
		.layout = { "A3", "A0-3 A4:s A5-7" },
		.flags = GUP_GET_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SOFTDIRTY,
		.gets = 4, .ret = GUP_FAULT,
	}, {
		.name = "force into a page that userfaultfd protects",
		.layout = { "A3", "A0-3:r A4:rw A5-7:r" },
		.flags = GUP_GET_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SOFTDIRTY | VM_UFFD_WP,
		.gets = 4, .ret = GUP_FAULT,
	}, {
		.name = "no force where it may be written",
		.layout = { "A3", "A0-7:r" },
		.flags = GUP_GET_W | FOLL_FORCE, .gets = 0, .ret = GUP_FAULT,
	}, {
		.name = "no force into shared memory",
		.layout = { "A3", "A0-7:r" },
		.flags = GUP_GET_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SHARED | VM_MAYSHARE,
		.gets = 0, .ret = GUP_FAULT,
	}, {
		.name = "no force into file pages",
		.layout = { "A3f", "A0-7:r" },
		.flags = GUP_GET_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SOFTDIRTY,
		.gets = 0, .ret = GUP_FAULT,
	},
};

KUNIT_ARRAY_PARAM_DESC(decide, decide_rows, name);

/* Only where the architecture has soft-dirty bits: GUP_VM_READ alone asks for them. */
static const struct gup_follow_row soft_dirty_rows[] = {
	{
		.name = "force into soft_dirty pages",
		.layout = { "A3", "A0-7:r" },
		.flags = GUP_PIN_W | FOLL_FORCE, .vm_flags = GUP_VM_READ,
		.gets = 8,
	}, {
		.name = "force into a page that is not soft_dirty",
		.layout = { "A3", "A0-3:r A4:rd A5-7:r" },
		.flags = GUP_PIN_W | FOLL_FORCE, .vm_flags = GUP_VM_READ,
		.gets = 4, .ret = GUP_FAULT,
	}, {
		.name = "nobody wants to know of soft_dirty",
		.layout = { "A3", "A0-3:r A4:rd A5-7:r" },
		.flags = GUP_PIN_W | FOLL_FORCE,
		.vm_flags = GUP_VM_READ | VM_SOFTDIRTY, .gets = 8,
	},
};

KUNIT_ARRAY_PARAM_DESC(soft_dirty, soft_dirty_rows, name);

/* Touching for a write makes a folio dirty if an entry is not. */
static const struct gup_follow_row touch_rows[] = {
	{
		.name = "all entries dirty",
		.layout = { "A2", "A0-3" },
		.flags = GUP_PIN | GUP_TOUCH_W, .gets = 4,
	}, {
		.name = "all entries clean",
		.layout = { "A2", "A0-3:c" },
		.flags = GUP_PIN | GUP_TOUCH_W, .gets = 4, .dirty = "A",
	}, {
		.name = "first entry dirty",
		.layout = { "A2", "A0 A1-3:c" },
		.flags = GUP_PIN | GUP_TOUCH_W, .gets = 4, .dirty = "A",
	}, {
		.name = "last entry clean",
		.layout = { "A4", "A0-14 A15:c" },
		.flags = GUP_GET | GUP_TOUCH_W, .gets = 16, .dirty = "A",
	}, {
		.name = "first entry clean",
		.layout = { "A2", "A0:c A1-3" },
		.flags = GUP_PIN | GUP_TOUCH_W, .gets = 4, .dirty = "A",
	}, {
		.name = "clean entry behind the end",
		.layout = { "A2", "A0-2 A3:c" },
		.flags = GUP_PIN | GUP_TOUCH_W, .nr = 3, .gets = 3,
	}, {
		.name = "clean entry of another folio",
		.layout = { "A2 B2+", "A0-3 B0-2 B3:c" },
		.flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .dirty = "B",
	}, {
		.name = "clean and dirty in turn",
		.layout = { "A3f", "A0 A1:c A2 A3:c A4 A5:c A6 A7:c" },
		.flags = GUP_PIN | GUP_TOUCH_W, .gets = 8, .dirty = "A",
	}, {
		.name = "write without touching",
		.layout = { "A2", "A0 A1-3:c" },
		.flags = GUP_PIN_W, .gets = 4,
	}, {
		.name = "touch to read",
		.layout = { "A2", "A0 A1-3:c" },
		.flags = GUP_PIN | FOLL_TOUCH, .gets = 4,
	}, {
		.name = "touch a small folio",
		.layout = { "A0", "A0" },
		.flags = GUP_PIN | FOLL_TOUCH, .gets = 1,
	}, {
		.name = "populate to write",
		.layout = { "A2 B2", "A0 A1-3:c B0-3" },
		.flags = GUP_TOUCH_W, .gets = 8, .dirty = "A",
	}, {
		.name = "populate to read",
		.layout = { "A2", "A0-1:r A2-3:s Z" },
		.flags = FOLL_TOUCH | FOLL_FORCE, .gets = 5,
	}, {
		.name = "populate to write and one page read_only",
		.layout = { "A2", "A0-1 A2:s A3" },
		.flags = GUP_TOUCH_W, .gets = 2, .ret = GUP_FAULT,
	}, {
		.name = "populate in the middle of a folio",
		.layout = { "A4", "A0-15" },
		.flags = FOLL_TOUCH | FOLL_FORCE, .first = 3, .nr = 9, .gets = 9,
	},
};

KUNIT_ARRAY_PARAM_DESC(touch, touch_rows, name);

/* Entries that are no ordinary ones. */
static const struct gup_follow_row odd_rows[] = {
	{
		.name = "zero pages and get",
		.layout = { "A2", "Z8:r" },
		.flags = GUP_GET, .gets = 8,
	}, {
		.name = "zero pages and pin",
		.layout = { "A2", "Z8:r" },
		.flags = GUP_PIN, .gets = 8,
	}, {
		.name = "zero pages and longterm pin",
		.layout = { "A2", "Z8:r" },
		.flags = GUP_PIN_L, .gets = 0, .ret = -EMLINK,
	}, {
		.name = "zero page to write",
		.layout = { "A2", "A0-1 Z:r" },
		.flags = GUP_GET_W, .gets = 2, .ret = GUP_FAULT,
	}, {
		.name = "zero page among others",
		.layout = { "A2", "A0-1 Z:r A3" },
		.flags = GUP_PIN, .gets = 4,
	}, {
		.name = "dump a folio",
		.layout = { "A2", "A0-3" },
		.flags = GUP_GET | FOLL_DUMP | FOLL_FORCE, .gets = 4,
	}, {
		.name = "dump up to a hole",
		.layout = { "A2", "A0-1 . A3" },
		.flags = GUP_GET | FOLL_DUMP | FOLL_FORCE,
		.gets = 2, .ret = -EFAULT,
	}, {
		.name = "dump up to the zero page",
		.layout = { "A2", "A0-1 Z:r A3" },
		.flags = GUP_GET | FOLL_DUMP | FOLL_FORCE,
		.gets = 2, .ret = -EFAULT,
	}, {
		.name = "dump up to a swap entry",
		.layout = { "A2", "A0-1 @ A3" },
		.flags = GUP_GET | FOLL_DUMP | FOLL_FORCE,
		.gets = 2, .ret = GUP_FAULT,
	}, {
		.name = "hint for numa in the middle",
		.layout = { "A2", "A0-1 A2:p A3" },
		.flags = GUP_GET, .gets = 4,
	}, {
		.name = "hint for numa in the middle to be honoured",
		.layout = { "A2", "A0-1 A2:p A3" },
		.flags = GUP_GET | FOLL_HONOR_NUMA_FAULT,
		.gets = 2, .ret = GUP_FAULT,
	}, {
		.name = "hint for numa first",
		.layout = { "A2", "A0:p A1-3" },
		.flags = GUP_GET, .gets = 4,
	}, {
		.name = "hint for numa everywhere",
		.layout = { "A2", "A0-3:p" },
		.flags = GUP_PIN, .gets = 4,
	}, {
		.name = "no access at all with force",
		.layout = { "A2", "A0-3:p" },
		.flags = GUP_GET | FOLL_FORCE | FOLL_HONOR_NUMA_FAULT,
		.vm_flags = VM_MAYREAD | VM_MAYWRITE, .gets = 4,
	}, {
		.name = "special entry in the middle",
		.layout = { "A2 B0+", "A0-1 B0:x A3" },
		.flags = GUP_GET, .vm_flags = GUP_VM | VM_MIXEDMAP,
		.gets = 2, .ret = -EEXIST,
	}, {
		.name = "special entry for the next page of the folio",
		.layout = { "A2", "A0-1 A2:x A3" },
		.flags = GUP_GET, .vm_flags = GUP_VM | VM_MIXEDMAP,
		.gets = 2, .ret = -EEXIST,
	}, {
		.name = "special entry first",
		.layout = { "A2", "A0:x A1-3" },
		.flags = GUP_PIN, .vm_flags = GUP_VM | VM_MIXEDMAP,
		.gets = 0, .ret = -EEXIST,
	}, {
		.name = "folio in a mixed map",
		.layout = { "A2f", "A0-3" },
		.flags = GUP_PIN_W, .vm_flags = GUP_VM | VM_MIXEDMAP, .gets = 4,
	},
};

KUNIT_ARRAY_PARAM_DESC(odd, odd_rows, name);

static void gup_follow_expect_dirty(struct kunit *test, struct gup_fixture *fx,
				    const struct gup_follow_row *row)
{
	const char *dirty = row->dirty ?: "";
	char letter;

	for (letter = 'A'; fx->folio[letter - 'A'].kind; letter++)
		KUNIT_EXPECT_EQ_MSG(test, strchr(dirty, letter) != NULL,
				    folio_test_dirty(gup_fixture_folio(fx, letter)),
				    "folio %c", letter);
}

static void gup_follow_row_check(struct kunit *test, struct gup_fixture *fx,
				 const struct gup_follow_row *row)
{
	struct gup_walk walk = {
		.first = row->first,
		.nr = row->nr ?: fx->nr - row->first,
		.beyond = row->beyond,
		.flags = row->flags,
		.slow = true,
		.vm_flags = row->vm_flags,
	};
	struct gup_diff diff = {};
	int ret;

	KUNIT_EXPECT_EQ_MSG(test, gup_follow_oracle(fx, &walk, &ret), row->gets,
			    "by the oracle");
	KUNIT_EXPECT_EQ_MSG(test, ret, row->ret, "by the oracle");

	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_EQ(test, walk.pinned, row->gets);
	KUNIT_EXPECT_EQ(test, walk.ret, row->ret);
	gup_follow_expect_dirty(test, fx, row);
	gup_walk_check(fx, &walk, &diff);
	gup_walk_undo(fx, &walk, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
	KUNIT_EXPECT_EQ(test, fx->overruns, 0);
}

static void gup_follow_row_run(struct kunit *test)
{
	const struct gup_follow_row *row = test->param_value;
	const char *lacks = gup_fixture_lacks(row->layout.folios,
					      row->layout.ptes);
	struct gup_fixture *fx;

	if (lacks)
		kunit_skip(test, "%s", lacks);
	fx = gup_fixture_create(test, &row->layout);
	if (!gup_race_lacks())
		gup_race_watch_slow(fx);
	gup_follow_row_check(test, fx, row);
}

static void gup_follow_soft_dirty(struct kunit *test)
{
	if (!pgtable_supports_soft_dirty())
		kunit_skip(test, "no soft-dirty bits");
	gup_follow_row_run(test);
}

/* The page that cannot be taken is that of a second folio; the first is kept. */
static void gup_follow_fails(struct kunit *test, bool grab, int ret)
{
	const struct gup_layout layout = { "A2 B3+", "A0-3 B0-7" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct gup_walk walk = { .nr = 12, .flags = GUP_PIN_W, .slow = true };
	struct gup_diff diff = {};

	if (gup_race_lacks())
		kunit_skip(test, "%s", gup_race_lacks());
	gup_race_watch_slow(fx);
	if (grab)
		fx->refuse = 6;
	else
		fx->inaccessible = 6;

	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_EQ(test, walk.pinned, 4);
	KUNIT_EXPECT_EQ(test, walk.ret, ret);
	gup_walk_check(fx, &walk, &diff);
	gup_walk_undo(fx, &walk, &diff);
	gup_expect_no_diff(test, &diff, layout.ptes);
}

static void gup_follow_grab_fails(struct kunit *test)
{
	gup_follow_fails(test, true, -ENOMEM);
}

/* The references for all pages of the run have been taken before. */
static void gup_follow_accessible_fails(struct kunit *test)
{
	gup_follow_fails(test, false, -EIO);
}

/* A get does not access the content, so that it does not fail either. */
static void gup_follow_get_needs_no_access(struct kunit *test)
{
	const struct gup_layout layout = { "A2", "A0-3" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct gup_walk walk = { .nr = 4, .flags = GUP_GET_W, .slow = true };
	struct gup_diff diff = {};

	if (gup_race_lacks())
		kunit_skip(test, "%s", gup_race_lacks());
	gup_race_watch_slow(fx);
	fx->inaccessible = 0;
	gup_walk_matches_oracle(fx, &walk, &diff);
	gup_expect_no_diff(test, &diff, layout.ptes);
}

static struct kunit_case gup_follow_cases[] = {
	GUP_CASE_ROWS(bounds, gup_follow_row_run, bounds),
	GUP_CASE_ROWS(decide, gup_follow_row_run, decide),
	GUP_CASE_ROWS(soft_dirty, gup_follow_soft_dirty, soft_dirty),
	GUP_CASE_ROWS(touch, gup_follow_row_run, touch),
	GUP_CASE_ROWS(odd, gup_follow_row_run, odd),
	KUNIT_CASE(gup_follow_grab_fails),
	KUNIT_CASE(gup_follow_accessible_fails),
	KUNIT_CASE(gup_follow_get_needs_no_access),
	{}
};

struct kunit_suite gup_follow_suite = {
	.name = "gup_follow",
	.test_cases = gup_follow_cases,
};
