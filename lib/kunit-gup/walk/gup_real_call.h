/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls on memory as a process gets it: what the suites gup_real* share. */
#ifndef _GUP_REAL_CALL_H
#define _GUP_REAL_CALL_H

#include "fixture/gup_real.h"
#include "walk/gup_mm_call.h"

bool gup_real_ask(struct kunit *test, struct gup_mm *m,
		  struct gup_mm_ask *ask);
void gup_real_expect(struct gup_mm *m, enum gup_mm_call call,
		     unsigned int flags, long want);
void gup_real_ask_all(struct kunit *test, struct gup_mm *m, unsigned int size);

#endif /* _GUP_REAL_CALL_H */
