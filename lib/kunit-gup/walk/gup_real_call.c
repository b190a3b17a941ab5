// SPDX-License-Identifier: GPL-2.0-only
/* Calls on memory as a process gets it, over all kinds of ranges. */
#include "walk/gup_real_call.h"

/**
 * gup_real_ask() - make a call, and expect what the oracle says
 * @test: the test
 * @m:    the memory
 * @ask:  the call
 *
 * Return: Whether all is well.
 */
bool gup_real_ask(struct kunit *test, struct gup_mm *m, struct gup_mm_ask *ask)
{
	struct gup_diff diff = {};

	if (gup_mm_run(m, ask, &diff))
		return true;
	KUNIT_FAIL(test,
		   "%s %lu: got %ld, want %ld (%u pages from %u, call %d, flags %#x)",
		   diff.what, diff.idx, diff.got, diff.want, ask->nr, ask->first,
		   ask->call, ask->flags);

	return false;
}

/**
 * gup_real_expect() - call a function for all of the memory
 * @m:     the memory
 * @call:  the function
 * @flags: FOLL_* flags
 * @want:  what has to be returned
 */
void gup_real_expect(struct gup_mm *m, enum gup_mm_call call,
		     unsigned int flags, long want)
{
	struct gup_mm_ask ask = { .call = call, .flags = flags, .nr = m->nr };

	gup_real_ask(m->test, m, &ask);
	KUNIT_EXPECT_EQ(m->test, ask.ret, want);
}

static bool gup_real_ask_range(struct kunit *test, struct gup_mm *m,
			       unsigned int first, unsigned int nr)
{
	static const struct gup_mm_ask asks[] = {
		{ .call = GUP_MM_ONLY, .flags = GUP_GET },
		{ .call = GUP_MM_ONLY, .flags = GUP_GET_W },
		{ .call = GUP_MM_FAST, .flags = GUP_GET },
		{ .call = GUP_MM_FAST, .flags = GUP_GET_W },
		{ .call = GUP_MM_FAST, .flags = GUP_PIN },
		{ .call = GUP_MM_FAST, .flags = GUP_PIN_W },
	};
	struct gup_mm_ask ask;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		ask = asks[i];
		ask.first = first;
		ask.nr = nr;
		if (!gup_real_ask(test, m, &ask))
			return false;
	}

	return true;
}

/**
 * gup_real_ask_all() - all calls, over whole, partial and unaligned ranges
 * @test: the test
 * @m:    the memory
 * @size: the pages of one folio in it
 *
 * Later calls find the memory as earlier ones left it.
 */
void gup_real_ask_all(struct kunit *test, struct gup_mm *m, unsigned int size)
{
	const unsigned int nr = m->nr;
	const struct {
		unsigned int first;
		unsigned int nr;
	} ranges[] = {
		{ .nr = nr },
		{ .nr = 1 },
		{ .first = nr - 1, .nr = 1 },
		{ .nr = size },
		{ .first = 1, .nr = size - 1 },
		{ .first = 1, .nr = nr - 1 },
		{ .nr = nr - 1 },
		{ .first = size / 2 - 1, .nr = nr / 2 + 1 },
		{ .first = size - 1, .nr = nr - size + 1 },
		{ .first = size / 2 + 1, .nr = 3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (!gup_real_ask_range(test, m, ranges[i].first, ranges[i].nr))
			return;
}
