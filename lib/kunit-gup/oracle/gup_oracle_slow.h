/* SPDX-License-Identifier: GPL-2.0-only */
/* What the slow path makes of page table entries, one by one. */
#ifndef _GUP_ORACLE_SLOW_H
#define _GUP_ORACLE_SLOW_H

#include "gup_kunit.h"

/* The walk needs a page fault. */
#define GUP_FAULT	(-EAGAIN)

int gup_oracle_slow(pte_t pte, vm_flags_t vm_flags, unsigned int flags);
unsigned int gup_oracle_slow_walk(pte_t *ptep, unsigned int nr,
				  vm_flags_t vm_flags, unsigned int flags,
				  int *ret);
bool gup_oracle_slow_dirties(pte_t *ptep, unsigned int nr, unsigned int flags,
			     struct folio *folio);

#endif /* _GUP_ORACLE_SLOW_H */
