/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory as a process gets it: what the suites gup_real* share. */
#ifndef _GUP_REAL_H
#define _GUP_REAL_H

#include "gup_mm.h"

unsigned int gup_real_order(struct kunit *test, unsigned int kb);
void gup_real_advise(struct kunit *test, struct gup_mm *m, unsigned int order);
void gup_real_touch(struct kunit *test, unsigned long addr, unsigned int nr);
void gup_real_verify(struct kunit *test, struct gup_mm *m, unsigned int order);
struct gup_mm *gup_real_thp(struct kunit *test, unsigned int order);
bool gup_real_ask(struct kunit *test, struct gup_mm *m,
		  struct gup_mm_ask *ask);
void gup_real_ask_all(struct kunit *test, struct gup_mm *m, unsigned int size);
struct mm_struct *gup_real_fork(struct kunit *test);

extern struct kunit_suite gup_real_suite;
extern struct kunit_suite gup_real_partial_suite;
extern struct kunit_suite gup_real_special_suite;
extern struct kunit_suite gup_real_memfd_suite;
extern struct kunit_suite gup_real_swap_suite;

#endif /* _GUP_REAL_H */
