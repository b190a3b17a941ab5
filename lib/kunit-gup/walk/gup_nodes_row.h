/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows for move_pages(): pages of all kinds, and entries without a page. */
#ifndef _GUP_NODES_ROW_H
#define _GUP_NODES_ROW_H

#include "walk/gup_nodes.h"

/* The most addresses in a row. */
#define GUP_NODES_MAX	1200

/**
 * enum gup_nodes_entry - an entry that takes the place of one for a page
 * @GUP_NODES_PAGE:      none
 * @GUP_NODES_SWAP:      a page in swap space
 * @GUP_NODES_MIGRATION: a page that is being migrated
 * @GUP_NODES_DEVICE:    a page that only a device can access
 * @GUP_NODES_POISONED:  a page whose memory is broken
 * @GUP_NODES_UFFD:      nothing, write-protected by userfaultfd
 * @GUP_NODES_UFFD_POISON: nothing, poisoned by userfaultfd
 */
enum gup_nodes_entry {
	GUP_NODES_PAGE,
	GUP_NODES_SWAP,
	GUP_NODES_MIGRATION,
	GUP_NODES_DEVICE,
	GUP_NODES_POISONED,
	GUP_NODES_UFFD,
	GUP_NODES_UFFD_POISON,
};

/**
 * struct gup_nodes_row - a query and what comes out
 * @name:   what is special about it
 * @layout: the address space
 * @ask:    the addresses
 * @want:   the status of each
 * @other:  a folio that is on another node, by letter
 * @device: a folio in ZONE_DEVICE, by letter
 * @entry:  what the entry @at becomes
 * @at:     its number
 */
struct gup_nodes_row {
	const char *name;
	struct gup_mm_layout layout;
	const char *ask;
	const char *want;
	char other;
	char device;
	enum gup_nodes_entry entry;
	unsigned int at;
};

void gup_nodes_row_run(struct kunit *test);
struct gup_mm *gup_nodes_make(struct kunit *test,
			      const struct gup_nodes_row *row);

#endif /* _GUP_NODES_ROW_H */
