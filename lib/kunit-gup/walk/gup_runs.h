/* SPDX-License-Identifier: GPL-2.0-only */
/* What a walk by runs costs: what gup_fast_runs and gup_follow_runs share. */
#ifndef _GUP_RUNS_H
#define _GUP_RUNS_H

#include "gup_kunit.h"

/**
 * struct gup_runs_row - a layout and what a walk over it costs
 * @name:     what is special about it
 * @layout:   the layout
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA in the slow path, 0 for GUP_VM
 * @nr:       number of entries asked for, 0 for all
 * @gets:     number of pages returned
 * @grabs:    number of successful grabs
 * @grabbed:  number of references that they take
 */
struct gup_runs_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	vm_flags_t vm_flags;
	unsigned int nr;
	unsigned int gets;
	unsigned int grabs;
	unsigned int grabbed;
};

const char *gup_runs_lacks(bool slow);
void gup_runs_row_run(struct kunit *test, bool slow);

#endif /* _GUP_RUNS_H */
