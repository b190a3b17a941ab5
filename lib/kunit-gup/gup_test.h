/* SPDX-License-Identifier: GPL-2.0-only */
/* Skip a test, allocate for it, and undo what it did, each in one line. */
#ifndef _GUP_TEST_H
#define _GUP_TEST_H

#include <kunit/test.h>

/* Skip the test if there is a reason to; a reason may be NULL. */
static inline void gup_skip_if(struct kunit *test, const char *reason)
{
	if (reason)
		kunit_skip(test, "%s", reason);
}

/* An array of zeroes, until the test ends. */
static inline void *gup_zalloc(struct kunit *test, size_t nr, size_t size)
{
	void *array = kunit_kcalloc(test, nr, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, array);

	return array;
}

/* Call a function when the test ends, last in first out. */
static inline void gup_undo_later(struct kunit *test, kunit_action_t *undo,
				  void *arg)
{
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, undo, arg), 0);
}

#endif /* _GUP_TEST_H */
