/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MOVE_PAGES_KINDS_H
#define MOVE_PAGES_KINDS_H

/* Pages of devices, of hugetlb, and of shared memory. */
void kinds(void);

/* Pages and arrays that userfaultfd watches. */
void userfaultfd(void);

#endif /* MOVE_PAGES_KINDS_H */
