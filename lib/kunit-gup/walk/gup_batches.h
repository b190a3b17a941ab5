/* SPDX-License-Identifier: GPL-2.0-only */
/* Count the grabs of a walk: for gup_fast_batch and gup_slow_pte_batch. */
#ifndef _GUP_BATCHES_H
#define _GUP_BATCHES_H

#include "walk/gup_walk.h"

/**
 * struct gup_batches_row - a layout, and the grabs of a walk over it
 * @name:     what is special about it
 * @layout:   the layout
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA in the slow path, 0 for GUP_VM
 * @nr:       number of entries asked for, 0 for all
 * @gets:     number of pages returned
 * @grabs:    number of successful grabs
 * @grabbed:  number of references that they take
 */
struct gup_batches_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	vm_flags_t vm_flags;
	unsigned int nr;
	unsigned int gets;
	unsigned int grabs;
	unsigned int grabbed;
};

const char *gup_batches_lacks(const struct gup_walker *walker);
void gup_batches_row_run(struct kunit *test, const struct gup_walker *walker);

#endif /* _GUP_BATCHES_H */
