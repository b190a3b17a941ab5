/* SPDX-License-Identifier: GPL-2.0-only */
/* What move_pages() says about one address. */
#ifndef _GUP_ORACLE_NODES_H
#define _GUP_ORACLE_NODES_H

#include <linux/mm.h>

int gup_oracle_node(struct mm_struct *mm, unsigned long addr);

#endif /* _GUP_ORACLE_NODES_H */
