/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queries of move_pages(): for each address of an array, it returns the node of
 * the page or an error, the status.
 *
 * The address space has a layout of gup_mm.h. The addresses are a text, too:
 * "P3" is the address of page 3, "P0-7" and "P7-0" are eight of them; pages
 * behind the layout are allowed. After a colon: o an address in the middle of
 * the page, b its last byte, p one with a tag in its top byte. "N" is NULL, "K"
 * an address of the kernel, "L" the last page of user space, "E" the last byte
 * of all.
 *
 * And so are the statuses: "n" the node of the page, "o" the other node, "e"
 * -ENOENT, "f" -EFAULT; "16n" sixteen of them.
 */
#ifndef _GUP_NODES_H
#define _GUP_NODES_H

#include "fixture/gup_mm.h"
#include "gup_diff.h"

/* No query returns this. */
#define GUP_NODES_POISON	0x5a5a5a5a

/**
 * struct gup_nodes - a query
 * @m:    the address space
 * @nr:   the number of addresses
 * @max:  the most addresses that it has room for
 * @addr: the addresses
 * @want: what the oracle says about each
 * @got:  what came out; poison behind the last one
 */
struct gup_nodes {
	struct gup_mm *m;
	unsigned int nr;
	unsigned int max;
	unsigned long *addr;
	int *want;
	int *got;
};

struct gup_nodes *gup_nodes_create(struct gup_mm *m, unsigned int max);
void gup_nodes_add(struct gup_nodes *q, unsigned long addr);
void gup_nodes_add_addresses(struct gup_nodes *q, const char *ask);
void gup_nodes_expect(struct gup_nodes *q, const char *want);
bool gup_nodes_matches(struct gup_nodes *q, unsigned int first,
		       unsigned int nr, struct gup_diff *diff);
bool gup_nodes_array(struct gup_nodes *q, struct gup_diff *diff);
bool gup_nodes_user(struct gup_nodes *q, struct gup_diff *diff);
void gup_nodes_run(struct gup_nodes *q, const char *layout);
const char *gup_nodes_lacks(const char *ask);

/**
 * struct gup_nodes_users - the two arrays in user space
 * @pages:  the addresses
 * @status: what comes out, poisoned
 */
struct gup_nodes_users {
	unsigned long pages;
	unsigned long status;
};

struct gup_nodes_users gup_nodes_users(struct gup_nodes *q);
int gup_nodes_call(struct gup_nodes *q, const struct gup_nodes_users *users);
void gup_nodes_fetch(struct gup_nodes *q, unsigned long status,
		     unsigned int nr);

#endif /* _GUP_NODES_H */
