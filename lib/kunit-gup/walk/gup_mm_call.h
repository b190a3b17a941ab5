/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the exported functions on a real mm. */
#ifndef _GUP_MM_CALL_H
#define _GUP_MM_CALL_H

#include "fixture/gup_mm_fill.h"
#include "gup_diff.h"

/**
 * enum gup_mm_call - which of the exported functions
 * @GUP_MM_FAST: get_user_pages_fast() or pin_user_pages_fast()
 * @GUP_MM_ONLY: get_user_pages_fast_only()
 * @GUP_MM_SLOW: get_user_pages_unlocked() or pin_user_pages_unlocked()
 * @GUP_MM_LOCKED: get_user_pages() or pin_user_pages(), mmap lock held
 */
enum gup_mm_call {
	GUP_MM_FAST,
	GUP_MM_ONLY,
	GUP_MM_SLOW,
	GUP_MM_LOCKED,
};

/**
 * struct gup_mm_ask - a call, and what came out
 * @call:     the function
 * @flags:    FOLL_* flags; FOLL_PIN or FOLL_GET says which of the two functions
 * @first:    the first page of the layout that is asked for
 * @nr:       the number of pages; may go beyond the layout
 * @ret:      what was returned
 * @acquired: change of NR_FOLL_PIN_ACQUIRED
 * @released: change of NR_FOLL_PIN_RELEASED
 */
struct gup_mm_ask {
	enum gup_mm_call call;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	long ret;
	long acquired;
	long released;
};

void gup_mm_before(struct gup_mm *m, struct gup_mm_ask *ask);
void gup_mm_call(struct gup_mm *m, struct gup_mm_ask *ask);
void gup_mm_after(struct gup_mm *m, struct gup_mm_ask *ask);
bool gup_mm_check(struct gup_mm *m, struct gup_mm_ask *ask,
		  struct gup_diff *diff);
bool gup_mm_undo(struct gup_mm *m, struct gup_mm_ask *ask,
		 struct gup_diff *diff);
void gup_mm_ask(struct gup_mm *m, struct gup_mm_ask *ask);
void gup_mm_settle(struct gup_mm *m, struct gup_mm_ask *ask,
		   const char *layout);
bool gup_mm_run(struct gup_mm *m, struct gup_mm_ask *ask,
		struct gup_diff *diff);

/**
 * struct gup_mm_row - a call on a layout
 * @name:   what is special about it
 * @layout: the layout
 * @call:   the function
 * @flags:  FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @first:  the first page asked for
 * @nr:     number of pages asked for, 0 for all that follow
 * @ret:    what is returned
 */
struct gup_mm_row {
	const char *name;
	struct gup_mm_layout layout;
	enum gup_mm_call call;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	long ret;
};

void gup_mm_row_run(struct kunit *test);

#endif /* _GUP_MM_CALL_H */
