/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MOVE_PAGES_OVERLAP_H
#define MOVE_PAGES_OVERLAP_H

/* Both arrays in one buffer, over each other. */
void overlap(void);

#endif /* MOVE_PAGES_OVERLAP_H */
