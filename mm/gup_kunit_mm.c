// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doors for the suites in lib/kunit-gup: map a page as a fault does, and read the
 * page tables of an address.
 */
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmzone.h>
#include <linux/page-isolation.h>
#include <linux/pagemap.h>
#include <linux/pgalloc.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>
#include <linux/syscalls.h>
#include <linux/uprobes.h>

#include "gup_kunit_mm.h"
#include "internal.h"

static struct page *gup_kunit_page(unsigned long pfn, unsigned long addr,
				   unsigned long size)
{
	pfn += (addr & (size - 1)) >> PAGE_SHIFT;

	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

/* Returns whether the walk goes on, into a page table. */
static bool gup_kunit_read_pud(pud_t *pudp, unsigned long addr,
			       struct gup_kunit_mm_entry *e)
{
	const pud_t pud = pudp_get(pudp);

	if (!pud_present(pud))
		return false;
#ifdef CONFIG_PGTABLE_HAS_HUGE_LEAVES
	if (pud_leaf(pud)) {
		e->size = PUD_SIZE;
		e->page = gup_kunit_page(pud_pfn(pud), addr, PUD_SIZE);
		e->read = pud_access_permitted(pud, false);
		e->write = pud_access_permitted(pud, true);
		e->writable = pud_write(pud);
		e->special = pud_special(pud);
		return false;
	}
#endif
	return true;
}

static bool gup_kunit_read_pmd(pmd_t *pmdp, unsigned long addr,
			       struct gup_kunit_mm_entry *e)
{
	const pmd_t pmd = pmdp_get_lockless(pmdp);

	if (!pmd_present(pmd))
		return false;
#ifdef CONFIG_PGTABLE_HAS_HUGE_LEAVES
	if (pmd_leaf(pmd)) {
		e->size = PMD_SIZE;
		e->page = gup_kunit_page(pmd_pfn(pmd), addr, PMD_SIZE);
		e->read = !pmd_protnone(pmd) &&
			  pmd_access_permitted(pmd, false);
		e->write = !pmd_protnone(pmd) &&
			   pmd_access_permitted(pmd, true);
		e->writable = pmd_write(pmd);
		e->special = pmd_special(pmd);
		return false;
	}
#endif
	return true;
}

static void gup_kunit_read_pte(struct mm_struct *mm, pmd_t *pmdp,
			       unsigned long addr, struct gup_kunit_mm_entry *e)
{
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	ptep = pte_offset_map_lock(mm, pmdp, addr, &ptl);
	if (!ptep)
		return;
	e->pte = ptep_get(ptep);
	pte_unmap_unlock(ptep, ptl);

	e->size = pte_none(e->pte) ? 0 : PAGE_SIZE;
	if (!pte_present(e->pte))
		return;
	e->page = gup_kunit_page(pte_pfn(e->pte), addr, PAGE_SIZE);
	e->read = !pte_protnone(e->pte) && pte_access_permitted(e->pte, false);
	e->write = !pte_protnone(e->pte) && pte_access_permitted(e->pte, true);
	e->writable = pte_write(e->pte);
	e->special = pte_special(e->pte);
}

/**
 * gup_kunit_mm_read() - what do the page tables say about an address?
 * @mm:   the address space
 * @addr: the address
 * @e:    to be filled in
 *
 * Page tables of any kind, also those of hugetlb. Nothing but reads.
 *
 * Context: Nobody else changes this part of the address space.
 * Return: Whether a page is mapped there.
 */
bool gup_kunit_mm_read(struct mm_struct *mm, unsigned long addr,
		       struct gup_kunit_mm_entry *e)
{
	pgd_t *pgdp = pgd_offset(mm, addr);
	p4d_t *p4dp;
	pud_t *pudp;
	pmd_t *pmdp;

	memset(e, 0, sizeof(*e));
	if (pgd_none(pgdp_get(pgdp)))
		return false;
	p4dp = p4d_offset(pgdp, addr);
	if (p4d_none(p4dp_get(p4dp)))
		return false;
	pudp = pud_offset(p4dp, addr);
	if (!gup_kunit_read_pud(pudp, addr, e))
		return e->page;
	pmdp = pmd_offset(pudp, addr);
	if (gup_kunit_read_pmd(pmdp, addr, e))
		gup_kunit_read_pte(mm, pmdp, addr, e);

	return e->page;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_read, "gup_kunit");

/**
 * gup_kunit_mm_prepare() - what comes before an anonymous folio is mapped
 * @vma:   where it is to be mapped
 * @folio: the new folio, charged here; or NULL, then only @vma is prepared
 *
 * Context: The caller holds the mmap lock.
 * Return: 0 or an error.
 */
int gup_kunit_mm_prepare(struct vm_area_struct *vma, struct folio *folio)
{
	if (!folio)
		return anon_vma_prepare(vma);

	return mem_cgroup_charge(folio, vma->vm_mm, GFP_KERNEL);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_prepare, "gup_kunit");

static void gup_kunit_add_rmap(struct vm_area_struct *vma, struct page *page,
			       unsigned long rmap_addr, bool exclusive)
{
	struct folio *folio = page_folio(page);

	if (!folio_test_anon(folio)) {
		folio_add_file_rmap_ptes(folio, page, 1, vma);
		return;
	}
	folio_add_anon_rmap_ptes(folio, page, 1, vma, rmap_addr,
				 exclusive ? RMAP_EXCLUSIVE : RMAP_NONE);
}

/**
 * gup_kunit_mm_map() - map one page of a folio
 * @vma:       where
 * @addr:      the address
 * @page:      the page; the caller gives a reference away
 * @pte:       the entry; it is special if nothing is to be counted
 * @rmap_addr: for a page of an anonymous folio, where it would be if the folio
 *             were mapped as a whole. A page that is somewhere else, as after
 *             mremap(), works but is not found by its folio.
 * @exclusive: whether an anonymous page becomes exclusive
 *
 * Context: The caller holds the mmap lock.
 * Return: 0 or an error.
 */
int gup_kunit_mm_map(struct vm_area_struct *vma, unsigned long addr,
		     struct page *page, pte_t pte, unsigned long rmap_addr,
		     bool exclusive)
{
	struct mm_struct *mm = vma->vm_mm;
	spinlock_t *ptl;	/* of the page table */
	pte_t *ptep;

	ptep = get_locked_pte(mm, addr, &ptl);
	if (!ptep)
		return -ENOMEM;
	if (!pte_none(ptep_get(ptep))) {
		pte_unmap_unlock(ptep, ptl);
		return -EBUSY;
	}
	if (page) {
		gup_kunit_add_rmap(vma, page, rmap_addr, exclusive);
		inc_mm_counter(mm, mm_counter(page_folio(page)));
	}
	set_pte_at(mm, addr, ptep, pte);
	update_mmu_cache(vma, addr, ptep);
	pte_unmap_unlock(ptep, ptl);

	return 0;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_map, "gup_kunit");

/**
 * gup_kunit_mm_new_anon() - make a new folio an anonymous one
 * @folio: the folio, not on a list yet
 * @vma:   where it will be mapped
 * @addr:  the address of its first page, which may lie before @vma
 *
 * As folio_add_new_anon_rmap(), but nothing is mapped yet, so that parts of it
 * can be, or of a large one by page table entries.
 *
 * Context: The caller holds the mmap lock.
 */
void gup_kunit_mm_new_anon(struct folio *folio, struct vm_area_struct *vma,
			   unsigned long addr)
{
	__folio_set_swapbacked(folio);
	folio->mapping = (void *)((unsigned long)vma->anon_vma |
				  FOLIO_MAPPING_ANON);
	/* What lies before the VMA is negative, and has to stay so. */
	folio->index = linear_anon_page_index(vma, vma->vm_start) +
		       ((long)(addr - vma->vm_start) >> PAGE_SHIFT);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_new_anon, "gup_kunit");

/**
 * gup_kunit_mm_carve() - make a folio of single pages
 * @page:  the first page; each has a reference of its own
 * @order: order of the folio, not 0
 *
 * Context: Nobody else uses the pages.
 * Return: The folio, with one reference.
 */
struct folio *gup_kunit_mm_carve(struct page *page, unsigned int order)
{
	unsigned int i;

	for (i = 1; i < 1U << order; i++)
		set_page_count(page + i, 0);
	prep_compound_page(page, order);

	return page_rmappable_folio(page);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_carve, "gup_kunit");

/**
 * gup_kunit_mm_insert_pfn() - map memory by one large entry, as a driver does
 * @vma:  where; VM_MIXEDMAP or VM_PFNMAP
 * @addr: the address, a multiple of @size
 * @pfn:  the first page, the same; nothing is counted
 * @size: PMD_SIZE or PUD_SIZE
 *
 * Context: The caller holds the mmap lock.
 * Return: 0, or -EOPNOTSUPP where there are no such entries, or another error.
 */
int gup_kunit_mm_insert_pfn(struct vm_area_struct *vma, unsigned long addr,
			    unsigned long pfn, unsigned long size)
{
	struct vm_fault vmf = { .vma = vma, .address = addr };
	struct mm_struct *mm = vma->vm_mm;
	vm_fault_t ret = 0;
	p4d_t *p4dp;

	p4dp = p4d_alloc(mm, pgd_offset(mm, addr), addr);
	vmf.pud = p4dp ? pud_alloc(mm, p4dp, addr) : NULL;
	if (!vmf.pud)
		return -ENOMEM;
#ifdef CONFIG_ARCH_SUPPORTS_PUD_PFNMAP
	if (size == PUD_SIZE)
		ret = vmf_insert_pfn_pud(&vmf, pfn, true);
#endif
#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
	if (size == PMD_SIZE) {
		vmf.pmd = pmd_alloc(mm, vmf.pud, addr);
		if (!vmf.pmd)
			return -ENOMEM;
		ret = vmf_insert_pfn_pmd(&vmf, pfn, true);
	}
#endif
	if (!ret)
		return -EOPNOTSUPP;

	return ret == VM_FAULT_NOPAGE ? 0 : -EINVAL;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_insert_pfn, "gup_kunit");

/**
 * gup_kunit_mm_exchange() - put another entry in the place of one
 * @mm:   the address space
 * @addr: the address, which has a page table
 * @pte:  the new entry; nothing is counted, so the old one has to come back
 *
 * Context: Process context. Nobody accesses the page.
 * Return: The old entry.
 */
pte_t gup_kunit_mm_exchange(struct mm_struct *mm, unsigned long addr, pte_t pte)
{
	pte_t *ptep, old;
	spinlock_t *ptl; /* that of the page table */

	mmap_read_lock(mm);
	ptep = get_locked_pte(mm, addr, &ptl);
	old = ptep_get(ptep);
	set_pte_at(mm, addr, ptep, pte);
	pte_unmap_unlock(ptep, ptl);
	mmap_read_unlock(mm);

	return old;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_exchange, "gup_kunit");

/**
 * gup_kunit_mm_exchange_pmd() - put another entry in the place of a huge page's
 * @mm:   the address space
 * @addr: the first address of the huge page
 * @pmd:  the new entry; nothing is counted, so the old one has to come back
 *
 * Context: Process context. Nobody accesses the pages.
 * Return: The old entry; none without huge pages.
 */
pmd_t gup_kunit_mm_exchange_pmd(struct mm_struct *mm, unsigned long addr,
				pmd_t pmd)
{
	pmd_t old = __pmd(0);
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	spinlock_t *ptl;	/* of the entry */
	pmd_t *pmdp;

	mmap_read_lock(mm);
	pmdp = mm_find_pmd(mm, addr);
	if (pmdp) {
		ptl = pmd_lock(mm, pmdp);
		old = pmdp_get(pmdp);
		set_pmd_at(mm, addr, pmdp, pmd);
		spin_unlock(ptl);
	}
	mmap_read_unlock(mm);
#endif
	return old;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm_exchange_pmd, "gup_kunit");

/**
 * gup_kunit_is_huge_zero() - is_huge_zero_folio(), which a module cannot ask
 * @folio: the folio
 *
 * Context: Any.
 * Return: Whether it is the huge zero folio.
 */
bool gup_kunit_is_huge_zero(const struct folio *folio)
{
	return is_huge_zero_folio(folio);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_is_huge_zero, "gup_kunit");

/**
 * gup_kunit_mmap() - mmap(2) of anonymous memory, also that of hugetlb
 * @len:   the length
 * @prot:  PROT_*
 * @flags: MAP_*
 *
 * Context: Process context, with an mm.
 * Return: The address, or an error.
 */
unsigned long gup_kunit_mmap(unsigned long len, unsigned long prot,
			     unsigned long flags)
{
	return ksys_mmap_pgoff(0, len, prot, flags | MAP_ANONYMOUS, -1, 0);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mmap, "gup_kunit");

/**
 * gup_kunit_fork() - what fork(2) does to the memory
 *
 * Context: Process context, with an mm.
 * Return: The mm of the child, for which there is no task; or NULL.
 */
struct mm_struct *gup_kunit_fork(void)
{
	struct mm_struct *mm = mm_alloc();
	int ret;

	if (!mm)
		return NULL;
	mm->task_size = current->mm->task_size;
	uprobe_start_dup_mmap();
	ret = dup_mmap(mm, current->mm);
	uprobe_end_dup_mmap();
	if (!ret)
		return mm;
	mmput(mm);

	return NULL;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_fork, "gup_kunit");

/**
 * gup_kunit_migrate_begin() - begin to migrate a folio
 * @folio: the folio
 *
 * From here on, nobody gets at it: a fault waits until the end.
 *
 * Context: Process context. The caller holds a reference until the end.
 */
void gup_kunit_migrate_begin(struct folio *folio)
{
	folio_lock(folio);
#ifdef CONFIG_MIGRATION
	try_to_migrate(folio, 0);
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_migrate_begin, "gup_kunit");

/**
 * gup_kunit_migrate_end() - leave a folio where it is
 * @folio: the folio
 *
 * Context: Process context.
 */
void gup_kunit_migrate_end(struct folio *folio)
{
#ifdef CONFIG_MIGRATION
	remove_migration_ptes(folio, folio, 0);
#endif
	folio_unlock(folio);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_migrate_end, "gup_kunit");

/**
 * gup_kunit_cma_begin() - let a page block belong to CMA
 * @page: the first page of the block
 *
 * Nothing is moved or counted, as there is nothing in it that is free.
 *
 * Context: The caller has all the pages of the block, and frees none until the end.
 * Return: The type of the block before, or -EOPNOTSUPP.
 */
int gup_kunit_cma_begin(struct page *page)
{
	/* Without hotplug, the function is gone once the kernel has booted. */
#if defined(CONFIG_CMA) && defined(CONFIG_MEMORY_HOTPLUG)
	const int type = get_pageblock_migratetype(page);

	init_pageblock_migratetype(page, MIGRATE_CMA, false);

	return type;
#else
	return -EOPNOTSUPP;
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_cma_begin, "gup_kunit");

/**
 * gup_kunit_cma_end() - let a page block be of the type that it was of
 * @page: the first page of the block
 * @type: what gup_kunit_cma_begin() returned
 *
 * Context: As gup_kunit_cma_begin().
 */
void gup_kunit_cma_end(struct page *page, int type)
{
#if defined(CONFIG_CMA) && defined(CONFIG_MEMORY_HOTPLUG)
	init_pageblock_migratetype(page, type, false);
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_cma_end, "gup_kunit");
