/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to a walker over the page table of a fixture, and their results. */
#ifndef _GUP_WALK_H
#define _GUP_WALK_H

#include "fixture/gup_fixture.h"
#include "gup_diff.h"

struct gup_walk;

/**
 * struct gup_walker - a function that walks over a page table
 * @run:        makes the walk; fills in the return value and the number of pages
 * @oracle:     returns how many pages it should be; @ret: the return value
 * @referenced: may a folio have this referenced bit, if @taken of its pages were
 *              returned?
 * @dirties:    is a folio dirty after the walk?
 */
struct gup_walker {
	void (*run)(struct gup_fixture *fx, struct gup_walk *walk);
	unsigned int (*oracle)(struct gup_fixture *fx,
			       const struct gup_walk *walk, int *ret);
	bool (*referenced)(const struct gup_walk *walk, int taken,
			   bool referenced);
	bool (*dirties)(struct gup_fixture *fx, const struct gup_walk *walk,
			struct folio *folio);
};

/**
 * struct gup_walk - a request to a walker, and what came out
 * @walker:   the walker
 * @first:    the first entry of the layout that is asked for
 * @nr:       number of entries
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA in the slow path, 0 for GUP_VM
 * @beyond:   by how many pages the request goes beyond the table, in the slow path;
 *            @nr goes up to its end then
 * @ret:      what the walker returned
 * @pinned:   number of pages that it says it stored
 * @acquired: change of NR_FOLL_PIN_ACQUIRED
 * @released: change of NR_FOLL_PIN_RELEASED
 */
struct gup_walk {
	const struct gup_walker *walker;
	unsigned int first;
	unsigned int nr;
	unsigned int flags;
	vm_flags_t vm_flags;
	unsigned int beyond;
	int ret;
	int pinned;
	long acquired;
	long released;
};

void gup_walk_run(struct gup_fixture *fx, struct gup_walk *walk);
bool gup_walk_check(struct gup_fixture *fx, struct gup_walk *walk,
		    struct gup_diff *diff);
bool gup_walk_undo(struct gup_fixture *fx, struct gup_walk *walk,
		   struct gup_diff *diff);
void gup_walk_settle(struct gup_fixture *fx, struct gup_walk *walk,
		     const char *layout);
bool gup_walk_matches_oracle(struct gup_fixture *fx, struct gup_walk *walk,
			     struct gup_diff *diff);
void gup_walk_expect_oracle(struct gup_fixture *fx, struct gup_walk *walk,
			    const char *layout);

#endif /* _GUP_WALK_H */
