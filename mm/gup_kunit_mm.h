/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites in lib/kunit-gup need of mm/ to make folios, page tables and
 * address spaces, and to change and read them.
 */
#ifndef __MM_GUP_KUNIT_MM_H
#define __MM_GUP_KUNIT_MM_H

#include <linux/migrate.h>
#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/swap.h>

struct address_space_operations;

/**
 * struct gup_kunit_entry - what the page tables say about one address
 * @size:     how much the entry maps, in bytes; 0 if there is none
 * @pte:      the entry, if @size is PAGE_SIZE
 * @page:     the page at the address, or NULL
 * @read:     whether user space may read there
 * @write:    whether user space may write there
 * @writable: the write bit alone
 * @special:  whether the entry is a special one
 */
struct gup_kunit_entry {
	unsigned long size;
	pte_t pte;
	struct page *page;
	bool read;
	bool write;
	bool writable;
	bool special;
};

/**
 * struct gup_kunit_mm - functions of mm/ that are not exported, and some of ours
 * @alloc_table: a page table with its lock, mapped for good, or NULL; not for
 *               init_mm, whose tables have no lock
 * @free_table:  frees it
 * @prep_folio:  prep_compound_page()
 * @carve:       makes a folio of an order above 0 of pages with a reference each,
 *               which nobody else uses; returns it with one reference
 * @set_hugetlb: makes a folio of order 1 or higher one of hugetlb, if there is that
 * @secretmem_aops: what makes a mapping one of secretmem, or NULL
 * @is_huge_zero: is_huge_zero_folio()
 * @longterm_pinnable: folio_is_longterm_pinnable()
 * @split:       splits a folio to an order, 0 or an error; the reference of the
 *               caller stays with the first of the new folios
 * @thp_orders:  sets the orders that MADV_HUGEPAGE allows for anonymous memory, in
 *               the whole system; returns those before
 * @lru_drain:   lru_add_drain_all(): nobody but its owners holds a folio then
 * @cma_begin:   makes the page block of a page one of CMA; the caller has all of
 *               its pages. Returns the type before, or -EOPNOTSUPP
 * @cma_end:     gives it back the type before
 *
 * @read:        what the page tables say about an address, hugetlb included;
 *               nobody changes them. Returns whether a page is mapped there
 * @prepare:     what comes before a new anonymous folio is mapped, or, if it is
 *               NULL, before any is; with the mmap lock. 0 or an error
 * @new_anon:    makes a folio, not on any list, an anonymous one whose first page
 *               belongs at an address, which may lie in front of the VMA; nothing
 *               is mapped yet. With the mmap lock
 * @map:         maps one page by an entry, with the mmap lock; 0 or an error. The
 *               caller gives away a reference. An anonymous page has the address in
 *               the folio's own place beside the one where it is, and becomes
 *               exclusive or not. Without a page nothing is counted
 * @insert_pfn:  maps memory of a VM_PFNMAP or VM_MIXEDMAP VMA by one entry of PMD_SIZE
 *               or PUD_SIZE, with the mmap lock; 0 or an error, -EOPNOTSUPP where
 *               there are no such entries
 * @exchange:    puts an entry in the place of the one that it returns; nothing is
 *               counted, so the old one has to come back
 * @exchange_pmd: the same for the entry of a huge page; none without huge pages
 *
 * @memfd:       memfd_alloc_file()
 * @madvise:     madvise(2)
 * @mprotect:    mprotect(2)
 * @mlock:       locks the VMAs of a range, as a whole, and faults its pages in
 * @mremap:      mremap(2) to an address, where it unmaps what there is
 * @fork:        what fork(2) does to the memory: the mm of a child without a task, or
 *               NULL
 * @migrate:     do_migrate_pages(), from a node to another
 * @migrate_begin: locks a folio, to which the caller holds a reference, and puts
 *               entries of migration in the place of those that map it
 * @migrate_end: undoes that
 *
 * @isolate_lru:     folio_isolate_lru(), to be replaced
 * @isolate_hugetlb: folio_isolate_hugetlb(), to be replaced
 * @lru_cache_drain: lru_cache_drain_for_folio(), to be replaced
 * @migrate_pages:   migrate_pages(), to be replaced
 * @putback_movable_pages: putback_movable_pages(), to be replaced
 * @migrate_device_coherent: migrate_device_coherent_folio(), to be replaced; NULL
 *               without CONFIG_DEVICE_MIGRATION
 *
 * All for process context; what is like a system call is for a thread that uses a
 * user mm, with no locks held.
 */
struct gup_kunit_mm {
	pte_t *(*alloc_table)(struct mm_struct *mm);
	void (*free_table)(struct mm_struct *mm, pte_t *table);
	void (*prep_folio)(struct page *page, unsigned int order);
	struct folio *(*carve)(struct page *page, unsigned int order);
	void (*set_hugetlb)(struct folio *folio);
	const struct address_space_operations *(*secretmem_aops)(void);
	bool (*is_huge_zero)(const struct folio *folio);
	bool (*longterm_pinnable)(struct folio *folio);
	int (*split)(struct folio *folio, unsigned int order);
	unsigned long (*thp_orders)(unsigned long orders);
	void (*lru_drain)(void);
	int (*cma_begin)(struct page *page);
	void (*cma_end)(struct page *page, int type);

	bool (*read)(struct mm_struct *mm, unsigned long addr,
		     struct gup_kunit_entry *e);
	int (*prepare)(struct vm_area_struct *vma, struct folio *folio);
	void (*new_anon)(struct folio *folio, struct vm_area_struct *vma,
			 unsigned long addr);
	int (*map)(struct vm_area_struct *vma, unsigned long addr,
		   struct page *page, pte_t pte, unsigned long rmap_addr,
		   bool exclusive);
	int (*insert_pfn)(struct vm_area_struct *vma, unsigned long addr,
			  unsigned long pfn, unsigned long size);
	pte_t (*exchange)(struct mm_struct *mm, unsigned long addr, pte_t pte);
	pmd_t (*exchange_pmd)(struct mm_struct *mm, unsigned long addr,
			      pmd_t pmd);

	struct file *(*memfd)(const char *name, unsigned int flags);
	int (*madvise)(unsigned long start, size_t len, int advice);
	int (*mprotect)(unsigned long start, size_t len, unsigned long prot);
	int (*mlock)(unsigned long start, size_t len);
	long (*mremap)(unsigned long from, size_t len, unsigned long to);
	struct mm_struct *(*fork)(void);
	int (*migrate)(struct mm_struct *mm, int from, int to);
	void (*migrate_begin)(struct folio *folio);
	void (*migrate_end)(struct folio *folio);

	bool (*isolate_lru)(struct folio *folio);
	bool (*isolate_hugetlb)(struct folio *folio, struct list_head *list);
	void (*lru_cache_drain)(const struct folio *folio,
				unsigned int extra_refs,
				enum lru_cache_drained *drained);
	int (*migrate_pages)(struct list_head *list, new_folio_t new_folio,
			     free_folio_t free_folio, unsigned long private,
			     enum migrate_mode mode, enum migrate_reason reason,
			     unsigned int *ret_succeeded);
	void (*putback_movable_pages)(struct list_head *list);
	int (*migrate_device_coherent)(struct folio *folio);
};

extern const struct gup_kunit_mm gup_kunit_mm;

#endif /* __MM_GUP_KUNIT_MM_H */
