/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites in lib/kunit-gup need of mm/ to build and read a real address
 * space. Nothing of it is left in the kernel with CONFIG_GUP_KUNIT_ACCESS off.
 */
#ifndef __MM_GUP_KUNIT_MM_H
#define __MM_GUP_KUNIT_MM_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>

/**
 * struct gup_kunit_mm_entry - what the page tables say about one address
 * @size:     how much the entry maps, in bytes; 0 if there is none
 * @pte:      the entry, if @size is PAGE_SIZE
 * @page:     the page at the address, or NULL
 * @read:     whether user space may read there
 * @write:    whether user space may write there
 * @writable: the write bit alone
 * @special:  whether the entry is a special one
 */
struct gup_kunit_mm_entry {
	unsigned long size;
	pte_t pte;
	struct page *page;
	bool read;
	bool write;
	bool writable;
	bool special;
};

bool gup_kunit_mm_read(struct mm_struct *mm, unsigned long addr,
		       struct gup_kunit_mm_entry *e);
int gup_kunit_mm_prepare(struct vm_area_struct *vma, struct folio *folio);
void gup_kunit_mm_new_anon(struct folio *folio, struct vm_area_struct *vma,
			   unsigned long addr);
int gup_kunit_mm_map(struct vm_area_struct *vma, unsigned long addr,
		     struct page *page, pte_t pte, unsigned long rmap_addr,
		     bool exclusive);
struct folio *gup_kunit_mm_carve(struct page *page, unsigned int order);
int gup_kunit_mm_insert_pfn(struct vm_area_struct *vma, unsigned long addr,
			    unsigned long pfn, unsigned long size);
pte_t gup_kunit_mm_exchange(struct mm_struct *mm, unsigned long addr,
			    pte_t pte);
pmd_t gup_kunit_mm_exchange_pmd(struct mm_struct *mm, unsigned long addr,
				pmd_t pmd);
bool gup_kunit_is_huge_zero(const struct folio *folio);
unsigned long gup_kunit_mmap(unsigned long len, unsigned long prot,
			     unsigned long flags);
struct mm_struct *gup_kunit_fork(void);
void gup_kunit_migrate_begin(struct folio *folio);
void gup_kunit_migrate_end(struct folio *folio);
int gup_kunit_cma_begin(struct page *page);
void gup_kunit_cma_end(struct page *page, int type);

#endif /* __MM_GUP_KUNIT_MM_H */
