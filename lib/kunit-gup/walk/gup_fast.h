/* SPDX-License-Identifier: GPL-2.0-only */
/* GUP-fast over the page table of a fixture. */
#ifndef _GUP_FAST_H
#define _GUP_FAST_H

#include "oracle/gup_oracle.h"
#include "walk/gup_walk.h"

extern const struct gup_walker gup_fast;

/**
 * struct gup_fast_row - a request on a layout
 * @name:   what is special about it
 * @layout: the layout
 * @flags:  FOLL_* flags
 * @first:  the first entry asked for
 * @nr:     number of entries asked for, 0 for all that follow
 * @gets:   number of pages returned
 * @stop:   why not more
 */
struct gup_fast_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	unsigned int gets;
	enum gup_stop stop;
};

unsigned int gup_fast_gets(struct gup_fixture *fx, unsigned int first,
			   unsigned int nr, unsigned int flags,
			   enum gup_stop *stop);
void gup_fast_row_check(struct gup_fixture *fx, const struct gup_fast_row *row);
void gup_fast_row_run(struct kunit *test);

#endif /* _GUP_FAST_H */
