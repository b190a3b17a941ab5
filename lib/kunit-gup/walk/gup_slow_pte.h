/* SPDX-License-Identifier: GPL-2.0-only */
/* The slow path over the page table of a fixture. */
#ifndef _GUP_SLOW_PTE_H
#define _GUP_SLOW_PTE_H

#include "oracle/gup_oracle_slow.h"
#include "walk/gup_walk.h"

extern const struct gup_walker gup_slow_pte;

/**
 * struct gup_slow_pte_row - a request on a layout
 * @name:     what is special about it
 * @layout:   the layout
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA, 0 for GUP_VM
 * @first:    the first entry asked for
 * @nr:       number of entries asked for, 0 for all that follow
 * @beyond:   how many pages the request goes beyond the table
 * @gets:     number of pages returned
 * @ret:      0, or why not more
 * @dirty:    the letters of the folios that are dirty afterwards
 */
struct gup_slow_pte_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	vm_flags_t vm_flags;
	unsigned int first;
	unsigned int nr;
	unsigned int beyond;
	unsigned int gets;
	int ret;
	const char *dirty;
};

/*
 * The entries of a folio of order 6, in blocks of 16 or of 32. All are clean
 * and old, except for one dirty and one young entry in each block of the first
 * half.
 */
#define GUP_DIRTY_IN_BLOCKS	"A0-2:ocb A3:ob A4-8:ocb A9:cb A10-15:ocb "	\
				"A16-18:ocb A19:ob A20-24:ocb A25:cb A26-31:ocb " \
				"A32-63:ocb"

void gup_slow_pte_row_run(struct kunit *test);

#endif /* _GUP_SLOW_PTE_H */
