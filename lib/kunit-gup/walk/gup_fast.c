// SPDX-License-Identifier: GPL-2.0-only
/* GUP-fast over the page table of a fixture. */
#include <linux/irqflags.h>

#include "walk/gup_fast.h"
#include "walk/gup_race.h"

static void gup_fast_run(struct gup_fixture *fx, struct gup_walk *walk)
{
	const unsigned long addr = gup_fixture_addr(fx, walk->first);
	struct gup_watch *watch = gup_watch(fx);
	int nr = GUP_PAGES_BEFORE;
	unsigned long irq;

	watch->irqs_on = 0;
	watch->fast = true;
	local_irq_save(irq);
	walk->ret = gup_kunit_gup.fast_pte_range(fx->pmd, &fx->slot, addr,
						 addr + walk->nr * PAGE_SIZE,
						 walk->flags, fx->pages, &nr);
	watch->irqs_on += !irqs_disabled();
	local_irq_restore(irq);
	watch->fast = false;
	walk->pinned = nr - GUP_PAGES_BEFORE;
}

/**
 * gup_fast_gets() - how far GUP-fast gets, by the oracle
 * @fx:    the fixture
 * @first: the first entry of the layout that is asked for
 * @nr:    number of entries
 * @flags: FOLL_* flags
 * @stop:  why it stops, GUP_GO if it gets to the end
 *
 * Return: The number of pages that it returns.
 */
unsigned int gup_fast_gets(struct gup_fixture *fx, unsigned int first,
			   unsigned int nr, unsigned int flags,
			   enum gup_stop *stop)
{
	const unsigned int gets =
		gup_oracle_walk(gup_fixture_ptep(fx, first), nr, flags, stop);

	/* The pages of another table are given back. */
	if (!gets || pmd_val(fx->pmd) == pmd_val(fx->slot))
		return gets;
	*stop = GUP_PMD;

	return 0;
}

static unsigned int gup_fast_predict(struct gup_fixture *fx,
				     const struct gup_walk *walk, int *ret)
{
	enum gup_stop stop;
	unsigned int gets;

	gets = gup_fast_gets(fx, walk->first, walk->nr, walk->flags, &stop);
	*ret = stop == GUP_GO;

	return gets;
}

/* It sets the referenced bit, whatever the request. */
static bool gup_fast_referenced(const struct gup_walk *walk, int taken,
				bool referenced)
{
	return referenced == (taken > 0);
}

static bool gup_fast_dirties(struct gup_fixture *fx,
			     const struct gup_walk *walk, struct folio *folio)
{
	return false;
}

const struct gup_walker gup_fast = {
	.run = gup_fast_run,
	.oracle = gup_fast_predict,
	.referenced = gup_fast_referenced,
	.dirties = gup_fast_dirties,
};

/**
 * gup_fast_row_check() - make the request of a row, on a layout that is there
 * @fx:  the fixture
 * @row: the row, which the oracle has to agree with
 */
void gup_fast_row_check(struct gup_fixture *fx, const struct gup_fast_row *row)
{
	struct gup_walk walk = {
		.walker = &gup_fast,
		.first = row->first,
		.nr = row->nr ?: fx->nr - row->first,
		.flags = row->flags,
	};
	struct kunit *test = fx->test;
	enum gup_stop stop;
	unsigned int gets;

	KUNIT_ASSERT_LT(test, row->first, fx->nr);
	KUNIT_ASSERT_LE(test, fx->at + walk.first + walk.nr, PTRS_PER_PTE);
	gets = gup_fast_gets(fx, walk.first, walk.nr, walk.flags, &stop);
	KUNIT_EXPECT_EQ_MSG(test, gets, row->gets, "by the oracle");
	KUNIT_EXPECT_EQ_MSG(test, stop, row->stop, "by the oracle");
	gup_walk_expect_oracle(fx, &walk, row->layout.ptes);
}

/**
 * gup_fast_row_run() - make the layout of a row, and its request
 * @test: the test, its parameter is a &struct gup_fast_row
 */
void gup_fast_row_run(struct kunit *test)
{
	const struct gup_fast_row *row = test->param_value;

	gup_fast_row_check(gup_fixture_create_or_skip(test, &row->layout), row);
}
