/* SPDX-License-Identifier: GPL-2.0-only */
/* What a walk that looks at one page after the other does. */
#ifndef _GUP_ORACLE_H
#define _GUP_ORACLE_H

#include "gup_kunit.h"
#include "gup_kunit_mm.h"

/**
 * enum gup_stop - why a walk stops at an entry
 * @GUP_GO:       it does not
 * @GUP_NONE:     nothing there that this request may access
 * @GUP_SPECIAL:  a special entry
 * @GUP_NO_GRAB:  the folio cannot be grabbed
 * @GUP_REFUSED:  GUP-fast is not allowed to take such a folio
 * @GUP_UNSHARE:  the page has to be unshared first
 * @GUP_PMD:      the page table is not the one that the pmd leads to
 */
enum gup_stop {
	GUP_GO,
	GUP_NONE,
	GUP_SPECIAL,
	GUP_NO_GRAB,
	GUP_REFUSED,
	GUP_UNSHARE,
	GUP_PMD,
};

struct page *gup_oracle_page(pte_t pte);
int gup_oracle_refs_per_page(const struct page *page, unsigned int flags);
int gup_oracle_pins_per_page(const struct page *page, unsigned int flags);
enum gup_stop gup_oracle_entry(pte_t pte, unsigned int flags);
unsigned int gup_oracle_walk(pte_t *ptep, unsigned int nr, unsigned int flags,
			     enum gup_stop *stop);
enum gup_stop gup_oracle_mapped(const struct gup_kunit_entry *e,
				unsigned int flags);
unsigned int gup_oracle_mm_walk(struct mm_struct *mm, unsigned long addr,
				unsigned int nr, unsigned int flags);

#endif /* _GUP_ORACLE_H */
