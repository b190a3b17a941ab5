// SPDX-License-Identifier: GPL-2.0-only
/* Count the grabs of a walk in batches. */
#include "walk/gup_batches.h"
#include "walk/gup_race.h"
#include "walk/gup_slow_pte.h"

/**
 * gup_batches_lacks() - why the batches of a walker cannot be tested
 * @walker: the walker
 *
 * Return: The reason to skip a test, or NULL.
 */
const char *gup_batches_lacks(const struct gup_walker *walker)
{
	if (walker == &gup_slow_pte ? !gup_kunit_gup.follow_pte_batch :
				      !gup_kunit_gup.fast_pte_batch)
		return "this tree goes page by page";

	return NULL;
}

/**
 * gup_batches_row_run() - walk over the layout of a row, and count the grabs
 * @test:   the test, its parameter is a &struct gup_batches_row
 * @walker: the walker
 */
void gup_batches_row_run(struct kunit *test, const struct gup_walker *walker)
{
	const struct gup_batches_row *row = test->param_value;
	struct gup_walk walk = {
		.walker = walker,
		.flags = row->flags,
		.vm_flags = row->vm_flags,
	};
	struct gup_fixture *fx;

	gup_skip_if(test, gup_batches_lacks(walker));
	fx = gup_fixture_create_or_skip(test, &row->layout);
	walk.nr = row->nr ?: fx->nr;
	if (walker == &gup_slow_pte)
		gup_race_watch_slow(fx);
	else
		gup_race_install(fx, NULL);
	gup_walk_run(fx, &walk);

	KUNIT_EXPECT_EQ(test, walk.pinned, row->gets);
	KUNIT_EXPECT_EQ(test, fx->watch->grabs, row->grabs);
	KUNIT_EXPECT_EQ(test, fx->watch->grabbed, row->grabbed);
	KUNIT_EXPECT_EQ(test, fx->watch->overruns, 0);
	gup_walk_settle(fx, &walk, row->layout.ptes);
}
