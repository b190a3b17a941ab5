// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_race: what GUP-fast makes of a page table that changes under it.
 *
 * A walk takes a few hundred instructions, too few to wait for a race: each row
 * changes something at exactly one step, by a stub. A walker that works in
 * batches may return another number of pages (.gets_batch) than one that goes
 * entry by entry (.gets), but the references, pins, referenced bits and
 * statistics of every folio have to fit that number.
 *
 * To add a row: a layout, the step, the first entry of the batch that it is
 * about, and a function that changes something. It runs with IRQs disabled.
 */
#include "walk/gup_fast.h"
#include "walk/gup_race.h"

/**
 * struct gup_race_row - a change during a walk
 * @name:      what changes, and when
 * @layout:    the layout
 * @race:      the change
 * @before:    a change before the walk, or NULL
 * @arg:       for @before
 * @gets:      number of pages returned by a walker that goes entry by entry
 * @gets_batch: the same by one that works in batches, if not @gets
 * @fresh:     the pages are those that the entries map after the change; else
 *             they may also be those from before
 */
struct gup_race_row {
	const char *name;
	struct gup_layout layout;
	struct gup_race race;
	void (*before)(struct gup_fixture *fx, unsigned int arg);
	unsigned int arg;
	unsigned int gets;
	unsigned int gets_batch;
	bool fresh;
};

/* As when a THP collapse takes the page table away. */
static void clear_pmd(struct gup_fixture *fx, unsigned int arg)
{
	fx->slot = __pmd(0);
}

static void clear_entry(struct gup_fixture *fx, unsigned int entry)
{
	gup_fixture_clear(fx, entry, false);
}

static void wrprotect_entry(struct gup_fixture *fx, unsigned int entry)
{
	pte_t *ptep = gup_fixture_ptep(fx, entry);

	set_pte(ptep, pte_wrprotect(ptep_get(ptep)));
}

/* As fork() does for a whole folio, from the first entry on. */
static void wrprotect_from(struct gup_fixture *fx, unsigned int entry)
{
	for (; entry < fx->nr; entry++)
		wrprotect_entry(fx, entry);
}

static void remap_entry(struct gup_fixture *fx, unsigned int entry)
{
	gup_fixture_map(fx, entry, gup_fixture_page(fx, 'B', 0), 0);
}

static void make_young(struct gup_fixture *fx, unsigned int entry)
{
	pte_t *ptep = gup_fixture_ptep(fx, entry);

	set_pte(ptep, pte_mkyoung(ptep_get(ptep)));
}

static void split_to(struct gup_fixture *fx, unsigned int order)
{
	gup_fixture_regroup(fx, 'A', order);
}

/* Split it, and unmap all pages. */
static void split_and_unmap(struct gup_fixture *fx, unsigned int order)
{
	unsigned int i;

	split_to(fx, order);
	for (i = 0; i < fx->nr; i++)
		clear_entry(fx, i);
}

/* Free it: its pages have no references, and no entry maps them. */
static void free_folio(struct gup_fixture *fx, unsigned int arg)
{
	struct gup_folio *gf = &fx->folio[0];
	unsigned int i;

	split_to(fx, 0);
	for (i = 0; i < 1U << gf->order; i++) {
		set_page_count(gf->page + i, 0);
		gf->block->refs[gf->page - gf->block->page + i] = 0;
	}
	for (i = 0; i < fx->nr; i++)
		clear_entry(fx, i);
}

/* As if it were no folio any more, with anything where the order was. */
static void garbage_order(struct gup_fixture *fx, unsigned int order)
{
	struct folio *folio = gup_fixture_folio(fx, 'A');

	folio->_flags_1 = (folio->_flags_1 & ~0xffUL) | order;
}

static void restore_order(struct gup_fixture *fx, unsigned int order)
{
	garbage_order(fx, fx->folio[0].order);
}

#define A16	{ "A4 B0", "A0-15" }
#define B_A16	{ "A4 B0", "B0 A0-15" }

static const struct gup_race_row gup_race_rows[] = {
	{ .name = "pmd before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, clear_pmd }, .gets = 0 },
	{ .name = "pmd after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, clear_pmd }, .gets = 0 },
	{ .name = "pmd in scan", .layout = A16,
	  .race = { GUP_IN_SCAN, 0, clear_pmd }, .gets = 0 },
	{ .name = "pmd after scan", .layout = A16,
	  .race = { GUP_BEFORE_CHECK, 0, clear_pmd }, .gets = 0 },
	{ .name = "pmd after check", .layout = A16,
	  .race = { GUP_AFTER_CHECK, 0, clear_pmd }, .gets = 1,
	  .gets_batch = 16 },
	{ .name = "pmd before grab of the second batch", .layout = B_A16,
	  .race = { GUP_BEFORE_GRAB, 1, clear_pmd }, .gets = 1 },
	{ .name = "pmd after scan of the second batch", .layout = B_A16,
	  .race = { GUP_BEFORE_CHECK, 1, clear_pmd }, .gets = 1 },
	{ .name = "pmd after scan of a small folio", .layout = B_A16,
	  .race = { GUP_BEFORE_CHECK, 0, clear_pmd }, .gets = 0 },
	{ .name = "first entry cleared before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, clear_entry, 0 }, .gets = 0 },
	{ .name = "first entry cleared after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, clear_entry, 0 }, .gets = 0 },
	{ .name = "first entry cleared in scan", .layout = A16,
	  .race = { GUP_IN_SCAN, 0, clear_entry, 0 }, .gets = 0 },
	{ .name = "first entry cleared after scan", .layout = A16,
	  .race = { GUP_BEFORE_CHECK, 0, clear_entry, 0 }, .gets = 0 },
	{ .name = "first entry cleared after check", .layout = A16,
	  .race = { GUP_AFTER_CHECK, 0, clear_entry, 0 }, .gets = 16 },
	{ .name = "first entry to another page before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, remap_entry, 0 }, .gets = 0 },
	{ .name = "first entry to another page after scan", .layout = A16,
	  .race = { GUP_BEFORE_CHECK, 0, remap_entry, 0 }, .gets = 0 },
	{ .name = "first entry write protected after scan", .layout = A16,
	  .race = { GUP_BEFORE_CHECK, 0, wrprotect_entry, 0 }, .gets = 0 },
	{ .name = "first entry of a small folio cleared before grab",
	  .layout = B_A16, .race = { GUP_BEFORE_GRAB, 0, clear_entry, 0 },
	  .gets = 0 },
	{ .name = "later entry cleared before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, clear_entry, 5 }, .gets = 5 },
	{ .name = "later entry cleared after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, clear_entry, 5 }, .gets = 5 },
	{ .name = "later entry cleared in scan behind it", .layout = A16,
	  .race = { GUP_IN_SCAN, 0, clear_entry, 5 }, .gets = 5,
	  .gets_batch = 16 },
	{ .name = "later entry cleared in scan ahead of it", .layout = A16,
	  .race = { GUP_IN_SCAN, 0, clear_entry, 12 }, .gets = 12 },
	{ .name = "later entry cleared after scan", .layout = A16,
	  .race = { GUP_BEFORE_CHECK, 0, clear_entry, 5 }, .gets = 5,
	  .gets_batch = 16 },
	{ .name = "last entry cleared after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, clear_entry, 15 }, .gets = 15 },
	{ .name = "later entry to another page after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, remap_entry, 5 }, .gets = 16,
	  .fresh = true },
	{ .name = "later entry write protected after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, wrprotect_entry, 5 }, .gets = 5 },
	{ .name = "all write protected after grab", .layout = A16,
	  .race = { GUP_AFTER_GRAB, 0, wrprotect_from, 0 }, .gets = 0 },
	{ .name = "all but the first write protected in scan", .layout = A16,
	  .race = { GUP_IN_SCAN, 0, wrprotect_from, 1 }, .gets = 1,
	  .gets_batch = 8 },
	{ .name = "later entry becomes young after grab",
	  .layout = { "A4 B0", "A0-4 A5:o A6-15" },
	  .race = { GUP_AFTER_GRAB, 0, make_young, 5 }, .gets = 16 },
	{ .name = "first entry becomes young after scan",
	  .layout = { "A4 B0", "A0:o A1-15" },
	  .race = { GUP_BEFORE_CHECK, 0, make_young, 0 }, .gets = 0 },
	{ .name = "split and mapped again before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, split_to, 0 }, .gets = 16 },
	{ .name = "split to order 2 and mapped again before grab",
	  .layout = A16, .race = { GUP_BEFORE_GRAB, 0, split_to, 2 },
	  .gets = 16 },
	{ .name = "split to order 1 from a tail before grab",
	  .layout = { "A4 B0", "A3-15" },
	  .race = { GUP_BEFORE_GRAB, 0, split_to, 1 }, .gets = 13 },
	{ .name = "split and unmapped before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, split_and_unmap, 0 }, .gets = 0 },
	{ .name = "split to order 2 and unmapped before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, split_and_unmap, 2 }, .gets = 0 },
	{ .name = "merged before grab", .layout = A16,
	  .before = split_to, .arg = 0,
	  .race = { GUP_BEFORE_GRAB, 0, split_to, 4 }, .gets = 16 },
	{ .name = "merged from a tail before grab",
	  .layout = { "A4 B0", "A3-15" }, .before = split_to, .arg = 1,
	  .race = { GUP_BEFORE_GRAB, 0, split_to, 4 }, .gets = 13 },
	{ .name = "order too large when guessed", .layout = A16,
	  .before = garbage_order, .arg = 6,
	  .race = { GUP_BEFORE_GRAB, 0, restore_order }, .gets = 16 },
	{ .name = "order absurdly large when guessed", .layout = A16,
	  .before = garbage_order, .arg = 0xff,
	  .race = { GUP_BEFORE_GRAB, 0, restore_order }, .gets = 16 },
	{ .name = "order of a word when guessed", .layout = A16,
	  .before = garbage_order, .arg = BITS_PER_LONG,
	  .race = { GUP_BEFORE_GRAB, 0, restore_order }, .gets = 16 },
	{ .name = "order too small when guessed", .layout = A16,
	  .before = garbage_order, .arg = 1,
	  .race = { GUP_BEFORE_GRAB, 0, restore_order }, .gets = 16 },
	{ .name = "order too small for the page when guessed",
	  .layout = { "A4 B0", "A9-15" }, .before = garbage_order, .arg = 3,
	  .race = { GUP_BEFORE_GRAB, 0, restore_order }, .gets = 7 },
	{ .name = "order 0 when guessed", .layout = A16,
	  .before = garbage_order, .arg = 0,
	  .race = { GUP_BEFORE_GRAB, 0, restore_order }, .gets = 16 },
	{ .name = "freed before grab", .layout = A16,
	  .race = { GUP_BEFORE_GRAB, 0, free_folio }, .gets = 0 },
	{ .name = "freed before grab of the second batch", .layout = B_A16,
	  .race = { GUP_BEFORE_GRAB, 1, free_folio }, .gets = 1 },
};

GUP_ROWS(gup_race_rows);

static void gup_race_run_row(struct kunit *test, unsigned int flags)
{
	const struct gup_race_row *row = test->param_value;
	struct gup_race race = row->race;
	struct gup_walk walk = { .walker = &gup_fast, .flags = flags };
	unsigned int gets = row->gets;
	struct gup_diff diff = {};
	struct gup_fixture *fx;
	int i;

	if (gup_kunit_gup.fast_pte_batch && row->gets_batch)
		gets = row->gets_batch;

	fx = gup_fixture_create(test, &row->layout);
	walk.nr = fx->nr;
	if (row->before)
		row->before(fx, row->arg);
	gup_race_install(fx, &race);
	gup_walk_run(fx, &walk);
	fx->watch->race = NULL;

	KUNIT_EXPECT_EQ(test, race.fired, 1);
	KUNIT_EXPECT_EQ(test, walk.pinned, gets);
	KUNIT_EXPECT_EQ(test, walk.ret, gets == walk.nr);
	for (i = 0; i < walk.pinned && row->fresh; i++)
		gup_differs_page(&diff, fx->folio, "page after the change", i,
				 fx->pages[GUP_PAGES_BEFORE + i],
				 gup_oracle_page(ptep_get(gup_fixture_ptep(fx, i))));
	gup_expect_no_diff(test, &diff, row->name);
	gup_walk_settle(fx, &walk, row->name);
}

static void gup_race_get(struct kunit *test)
{
	gup_race_run_row(test, GUP_GET_W);
}

static void gup_race_pin(struct kunit *test)
{
	gup_race_run_row(test, GUP_PIN_W);
}

/* A grab fails, as for PCI peer-to-peer memory, at the first page or later. */
static void gup_race_grab_fails(struct kunit *test)
{
	const struct gup_layout layout = { "A2 B2 C0", "A0-3 B0-3 C0" };
	static const unsigned int at[] = { 0, 4, 8 };
	struct gup_fixture *fx;
	unsigned int i;

	fx = gup_fixture_create(test, &layout);
	gup_race_install(fx, NULL);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		struct gup_walk walk = {
			.walker = &gup_fast, .nr = 9, .flags = GUP_PIN_W,
		};

		fx->watch->refuse = at[i];
		gup_walk_run(fx, &walk);
		KUNIT_EXPECT_EQ(test, walk.pinned, at[i]);
		KUNIT_EXPECT_EQ(test, walk.ret, 0);
		gup_walk_settle(fx, &walk, layout.ptes);
	}
}

/* A folio cannot be made accessible: a small one, a large one, a later one. */
static void gup_race_not_accessible(struct kunit *test)
{
	static const unsigned int flags[] = { GUP_PIN_W, GUP_PIN, GUP_GET_W };
	const struct gup_layout layout = { "A0 B2 C2", "A0 B0-3 C0-3" };
	static const unsigned int at[] = { 0, 1, 5 };
	struct gup_fixture *fx;
	unsigned int i, f;

	fx = gup_fixture_create(test, &layout);
	gup_race_install(fx, NULL);
	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		for (i = 0; i < ARRAY_SIZE(at); i++) {
			struct gup_walk walk = {
				.walker = &gup_fast, .nr = 9, .flags = flags[f],
			};
			const int gets = walk.flags & FOLL_PIN ? at[i] : 9;

			fx->watch->inaccessible = at[i];
			gup_walk_run(fx, &walk);
			KUNIT_EXPECT_EQ(test, walk.pinned, gets);
			KUNIT_EXPECT_EQ(test, walk.ret, gets == 9);
			gup_walk_settle(fx, &walk, layout.ptes);
		}
	}
}

static struct kunit_case gup_fast_race_cases[] = {
	GUP_CASE_ROWS(get, gup_race_get, gup_race_rows),
	GUP_CASE_ROWS(pin, gup_race_pin, gup_race_rows),
	KUNIT_CASE(gup_race_grab_fails),
	KUNIT_CASE(gup_race_not_accessible),
	{}
};

static struct kunit_suite gup_fast_race_suite = {
	.name = "gup_fast_race",
	.test_cases = gup_fast_race_cases,
};

kunit_test_suite(gup_fast_race_suite);
