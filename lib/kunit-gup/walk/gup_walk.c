// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a walker over the page table of a fixture, and check all that it did: the
 * pages and their number, the rest of the array, the references and pins of
 * every folio, the referenced bits, the statistics. Then put the pages and
 * check again.
 */
#include <linux/irqflags.h>

#include "fixture/gup_stat.h"
#include "oracle/gup_oracle.h"
#include "walk/gup_race.h"
#include "walk/gup_walk.h"

/*
 * How many slots of the array are poisoned and checked. For a table of 512
 * entries it is the whole array; for one of 8192 that would take too long, and
 * a walker that goes too far writes the next slots first.
 */
static unsigned int gup_nr_slots(const struct gup_walk *walk)
{
	return min(walk->nr + 512, PTRS_PER_PTE) + 2;
}

/**
 * gup_walk_run() - call a walker for a part of the page table
 * @fx:   the fixture
 * @walk: what to ask for; filled with what comes out
 */
void gup_walk_run(struct gup_fixture *fx, struct gup_walk *walk)
{
	pte_t *ptep = gup_fixture_ptep(fx, walk->first);
	unsigned int i;

	gup_watch(fx)->irqs_on = 0;
	for (i = 0; i < GUP_PAGES_BEFORE + gup_nr_slots(walk); i++)
		fx->pages[i] = GUP_POISON;
	for (i = 0; i < walk->nr; i++, ptep++)
		fx->want[i] = gup_oracle_page(ptep_get(ptep));
	fx->zero_refs = page_ref_count(ZERO_PAGE(0));
	walk->acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	walk->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);

	walk->walker->run(fx, walk);

	walk->acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - walk->acquired;
	walk->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED) - walk->released;
}

/*
 * The array has what was there, the pages that the entries map or mapped before
 * the walk, and nothing else.
 */
static void gup_check_array(struct gup_fixture *fx, struct gup_walk *walk,
			    struct gup_diff *diff)
{
	struct page **pages = fx->pages + GUP_PAGES_BEFORE;
	unsigned int i;
	pte_t *ptep;

	gup_differs_page(diff, fx->folio, "entry before the array", 0,
			 fx->pages[0], GUP_POISON);
	if (walk->pinned < 0 || walk->pinned > walk->nr)
		gup_differs(diff, "number of pages", 0, walk->pinned, walk->nr);
	for (i = 0; i < walk->pinned && !diff->what; i++) {
		ptep = gup_fixture_ptep(fx, walk->first + i);
		if (pages[i] != gup_oracle_page(ptep_get(ptep)))
			gup_differs_page(diff, fx->folio, "page", i, pages[i],
					 fx->want[i]);
	}
	for (; i < gup_nr_slots(walk) && !diff->what; i++)
		if (pages[i] != GUP_POISON)
			gup_differs_page(diff, fx->folio,
					 "entry behind the pages", i, pages[i],
					 GUP_POISON);
}

/* For each folio, count its pages that the walk returned. */
static void gup_count_taken(struct gup_fixture *fx, struct gup_walk *walk)
{
	struct gup_block *block;
	struct page *page;
	unsigned int i;

	for (block = fx->block; block < fx->block + fx->nr_blocks; block++)
		memset(block->taken, 0, sizeof(*block->taken) << block->order);

	for (i = 0; i < walk->pinned; i++) {
		page = compound_head(fx->pages[GUP_PAGES_BEFORE + i]);
		for (block = fx->block; block < fx->block + fx->nr_blocks; block++)
			if (page >= block->page &&
			    page < block->page + (1U << block->order))
				block->taken[page - block->page]++;
	}
}

static void gup_check_folio(struct gup_fixture *fx, struct gup_walk *walk,
			    struct gup_block *block, unsigned int idx,
			    struct gup_diff *diff)
{
	const unsigned int flags = walk->flags;
	struct page *page = block->page + idx;
	struct folio *folio = page_folio(page);
	const int taken = block->taken[idx];
	int pins = 0;

	if (folio_has_pincount(folio))
		pins = atomic_read(&folio->_pincount);

	gup_differs(diff, "new references to the folio at", idx,
		    folio_ref_count(folio) - block->refs[idx],
		    taken * gup_oracle_refs_per_page(page, flags));
	gup_differs(diff, "pins of the folio at", idx, pins,
		    taken * gup_oracle_pins_per_page(page, flags));
	gup_differs(diff, "wrong referenced bit of the folio at", idx,
		    walk->walker->referenced(walk, taken,
					     folio_test_referenced(folio)),
		    true);
	gup_differs(diff, "dirty bit of the folio at", idx,
		    folio_test_dirty(folio),
		    walk->walker->dirties(fx, walk, folio));
}

static void gup_check_folios(struct gup_fixture *fx, struct gup_walk *walk,
			     struct gup_diff *diff)
{
	struct gup_block *block;
	unsigned int i;

	for (block = fx->block; block < fx->block + fx->nr_blocks; block++)
		for (i = 0; i < 1U << block->order; i++)
			if (!PageTail(block->page + i))
				gup_check_folio(fx, walk, block, i, diff);
}

/* The number of pages that were returned and whose pins are counted. */
static int gup_nr_counted(struct gup_fixture *fx, struct gup_walk *walk)
{
	int i, nr = 0;

	for (i = 0; i < walk->pinned && (walk->flags & FOLL_PIN); i++)
		nr += !is_zero_page(fx->pages[GUP_PAGES_BEFORE + i]);

	return nr;
}

/**
 * gup_walk_check() - does everything fit the number of pages?
 * @fx:   the fixture
 * @walk: what came out of gup_walk_run()
 * @diff: the first thing that is not as it should be
 *
 * The number itself may be wrong.
 *
 * Return: Whether all is well.
 */
bool gup_walk_check(struct gup_fixture *fx, struct gup_walk *walk,
		    struct gup_diff *diff)
{
	const int counted = gup_nr_counted(fx, walk);
	const int zeroes = walk->flags & FOLL_GET ? 1 : 0;
	int i, nr_zero = 0;

	gup_differs(diff, "steps with IRQs enabled", 0, fx->watch->irqs_on, 0);

	gup_check_array(fx, walk, diff);
	if (diff->what)
		return false;

	gup_count_taken(fx, walk);
	gup_check_folios(fx, walk, diff);

	for (i = 0; i < walk->pinned; i++)
		nr_zero += is_zero_page(fx->pages[GUP_PAGES_BEFORE + i]);
	gup_differs(diff, "references of the zero page", 0,
		    page_ref_count(ZERO_PAGE(0)), fx->zero_refs + nr_zero * zeroes);

	gup_differs(diff, "pins acquired and not released", 0,
		    walk->acquired - walk->released, counted);
	if (walk->acquired < counted)
		gup_differs(diff, "pins acquired", 0, walk->acquired, counted);

	return !diff->what;
}

/**
 * gup_walk_undo() - put the pages of a walk, and check that nothing is left
 * @fx:   the fixture
 * @walk: what came out of gup_walk_run()
 * @diff: the first thing that is not as it should be
 *
 * Nothing is put after a difference, since it may not be ours.
 *
 * Return: Whether all is well.
 */
bool gup_walk_undo(struct gup_fixture *fx, struct gup_walk *walk,
		   struct gup_diff *diff)
{
	const long released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	const int counted = gup_nr_counted(fx, walk);
	unsigned long irq;
	int i;

	if (diff->what)
		return false;

	/* Each put would disable interrupts, which is a system call on UML. */
	local_irq_save(irq);
	for (i = 0; i < walk->pinned; i++) {
		struct folio *folio = page_folio(fx->pages[GUP_PAGES_BEFORE + i]);

		if (walk->flags & (FOLL_GET | FOLL_PIN))
			gup_kunit_gup.put_folio(folio, 1, walk->flags);
		folio_clear_referenced(folio);
		folio_clear_dirty(folio);
	}
	local_irq_restore(irq);

	gup_differs(diff, "pins released", 0,
		    gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released, counted);
	walk->pinned = 0;
	gup_count_taken(fx, walk);
	gup_check_folios(fx, walk, diff);
	gup_differs(diff, "references of the zero page", 0,
		    page_ref_count(ZERO_PAGE(0)), fx->zero_refs);

	return !diff->what;
}

/**
 * gup_walk_settle() - check a walk, undo it, and fail the test if all is not well
 * @fx:     the fixture
 * @walk:   what came out of gup_walk_run()
 * @layout: what to print along with a difference
 */
void gup_walk_settle(struct gup_fixture *fx, struct gup_walk *walk,
		     const char *layout)
{
	struct gup_diff diff = {};

	gup_walk_check(fx, walk, &diff);
	gup_walk_undo(fx, walk, &diff);
	gup_expect_no_diff(fx->test, &diff, layout);
}

/**
 * gup_walk_matches_oracle() - run a walk, compare it with the oracle, undo it
 * @fx:   the fixture
 * @walk: what to ask for; filled with what comes out, but for @walk->pinned,
 *        which is the number that the oracle says
 * @diff: the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_walk_matches_oracle(struct gup_fixture *fx, struct gup_walk *walk,
			     struct gup_diff *diff)
{
	int pinned, ret;

	diff->what = NULL;
	pinned = walk->walker->oracle(fx, walk, &ret);
	gup_walk_run(fx, walk);
	gup_differs(diff, "number of pages", 0, walk->pinned, pinned);
	gup_differs(diff, "return value", 0, walk->ret, ret);
	gup_walk_check(fx, walk, diff);
	gup_walk_undo(fx, walk, diff);
	walk->pinned = pinned;

	return !diff->what;
}

/**
 * gup_walk_expect_oracle() - the same, and fail the test if there is a difference
 * @fx:     the fixture
 * @walk:   what to ask for
 * @layout: what to print along with it
 */
void gup_walk_expect_oracle(struct gup_fixture *fx, struct gup_walk *walk,
			    const char *layout)
{
	struct gup_diff diff = {};

	gup_walk_matches_oracle(fx, walk, &diff);
	gup_expect_no_diff(fx->test, &diff, layout);
}
