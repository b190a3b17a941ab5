// SPDX-License-Identifier: GPL-2.0-only
/* Count what a walk by runs costs. */
#include "walk/gup_runs.h"

/**
 * gup_runs_lacks() - why nothing can be said about runs
 * @slow: whether about those of the slow path
 *
 * Context: Any.
 * Return: The reason to skip a test, or NULL.
 */
const char *gup_runs_lacks(bool slow)
{
	if (slow ? !gup_kunit_gup.follow_pte_batch : !gup_kunit_gup.fast_pte_batch)
		return "this tree goes page by page";

	return gup_race_lacks();
}

/**
 * gup_runs_row_run() - walk over the layout of a row, and count the grabs
 * @test: the test, its parameter is a &struct gup_runs_row
 * @slow: whether by follow_page_pte(), again and again, instead of GUP-fast
 *
 * Context: Process context, in the thread of the test.
 */
void gup_runs_row_run(struct kunit *test, bool slow)
{
	const struct gup_runs_row *row = test->param_value;
	struct gup_walk walk = {
		.flags = row->flags,
		.vm_flags = row->vm_flags,
		.slow = slow,
	};
	const char *lacks = gup_runs_lacks(slow);
	struct gup_diff diff = {};
	struct gup_fixture *fx;

	if (!lacks)
		lacks = gup_fixture_lacks(row->layout.folios, row->layout.ptes);
	if (lacks)
		kunit_skip(test, "%s", lacks);

	fx = gup_fixture_create(test, &row->layout);
	walk.nr = row->nr ?: fx->nr;
	if (slow)
		gup_race_watch_slow(fx);
	else
		gup_race_install(fx, NULL);
	gup_walk_run(fx, &walk);

	KUNIT_EXPECT_EQ(test, walk.pinned, row->gets);
	KUNIT_EXPECT_EQ(test, fx->grabs, row->grabs);
	KUNIT_EXPECT_EQ(test, fx->grabbed, row->grabbed);
	KUNIT_EXPECT_EQ(test, fx->overruns, 0);
	gup_walk_check(fx, &walk, &diff);
	gup_walk_undo(fx, &walk, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
}
