// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the suites in lib/kunit-gup need of mm/ to make folios, page tables and
 * address spaces, and to change and read them; gup_kunit_mm.h describes it.
 */
#include <linux/export.h>
#include <linux/hugetlb.h>
#include <linux/memcontrol.h>
#include <linux/memfd.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmzone.h>
#include <linux/page-isolation.h>
#include <linux/pagemap.h>
#include <linux/pgalloc.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/secretmem.h>
#include <linux/swap.h>
#include <linux/uprobes.h>

#include <asm/tlb.h>

#include "internal.h"
#include "vma.h"
#include "gup_kunit_mm.h"

static struct page *gup_kunit_page(unsigned long pfn, unsigned long addr,
				   unsigned long size)
{
	pfn += (addr & (size - 1)) >> PAGE_SHIFT;

	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

/* Returns whether the walk goes on, into a page table. */
static bool gup_kunit_read_pud(pud_t *pudp, unsigned long addr,
			       struct gup_kunit_entry *e)
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
			       struct gup_kunit_entry *e)
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
			       unsigned long addr, struct gup_kunit_entry *e)
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

static bool gup_kunit_read(struct mm_struct *mm, unsigned long addr,
			   struct gup_kunit_entry *e)
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

static int gup_kunit_prepare(struct vm_area_struct *vma, struct folio *folio)
{
	if (!folio)
		return anon_vma_prepare(vma);

	return mem_cgroup_charge(folio, vma->vm_mm, GFP_KERNEL);
}

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

static int gup_kunit_map(struct vm_area_struct *vma, unsigned long addr,
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

static void gup_kunit_new_anon(struct folio *folio, struct vm_area_struct *vma,
			       unsigned long addr)
{
	__folio_set_swapbacked(folio);
	folio->mapping = (void *)((unsigned long)vma->anon_vma |
				  FOLIO_MAPPING_ANON);
	/* What lies before the VMA is negative, and has to stay so. */
	folio->index = linear_anon_page_index(vma, vma->vm_start) +
		       ((long)(addr - vma->vm_start) >> PAGE_SHIFT);
}

static struct folio *gup_kunit_carve(struct page *page, unsigned int order)
{
	unsigned int i;

	for (i = 1; i < 1U << order; i++)
		set_page_count(page + i, 0);
	prep_compound_page(page, order);

	return page_rmappable_folio(page);
}

static int gup_kunit_insert_pfn(struct vm_area_struct *vma, unsigned long addr,
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

static pte_t gup_kunit_exchange(struct mm_struct *mm, unsigned long addr, pte_t pte)
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

static pmd_t gup_kunit_exchange_pmd(struct mm_struct *mm, unsigned long addr,
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

static bool gup_kunit_is_huge_zero(const struct folio *folio)
{
	return is_huge_zero_folio(folio);
}

static bool gup_kunit_longterm_pinnable(struct folio *folio)
{
	return folio_is_longterm_pinnable(folio);
}

static struct mm_struct *gup_kunit_fork(void)
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

static void gup_kunit_migrate_begin(struct folio *folio)
{
	folio_lock(folio);
#ifdef CONFIG_MIGRATION
	try_to_migrate(folio, 0);
#endif
}

static void gup_kunit_migrate_end(struct folio *folio)
{
#ifdef CONFIG_MIGRATION
	remove_migration_ptes(folio, folio, 0);
#endif
	folio_unlock(folio);
}

static int gup_kunit_cma_begin(struct page *page)
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

static void gup_kunit_cma_end(struct page *page, int type)
{
#if defined(CONFIG_CMA) && defined(CONFIG_MEMORY_HOTPLUG)
	init_pageblock_migratetype(page, type, false);
#endif
}

static pte_t *gup_kunit_alloc_table(struct mm_struct *mm)
{
	return pte_alloc_one_kernel(mm);
}

static void gup_kunit_free_table(struct mm_struct *mm, pte_t *table)
{
	pte_free_kernel(mm, table);
}

static void gup_kunit_set_hugetlb(struct folio *folio)
{
#ifdef CONFIG_HUGETLB_PAGE
	__folio_set_hugetlb(folio);
#endif
}

static const struct address_space_operations *gup_kunit_secretmem_aops(void)
{
#ifdef CONFIG_SECRETMEM
	return &secretmem_aops;
#else
	return NULL;
#endif
}

static unsigned long gup_kunit_thp_orders(unsigned long orders)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	return xchg(&huge_anon_orders_madvise, orders);
#else
	return 0;
#endif
}

static int gup_kunit_split(struct folio *folio, unsigned int order)
{
	int ret;

	if (!folio_trylock(folio))
		return -EAGAIN;
	ret = folio_test_large(folio) ? split_folio_to_order(folio, order) :
					-EINVAL;
	folio_unlock(folio);

	return ret;
}

static int gup_kunit_migrate(struct mm_struct *mm, int from, int to)
{
	const nodemask_t nodes_from = nodemask_of_node(from);
	const nodemask_t nodes_to = nodemask_of_node(to);

	return do_migrate_pages(mm, &nodes_from, &nodes_to, MPOL_MF_MOVE);
}

static int gup_kunit_madvise(unsigned long start, size_t len, int advice)
{
	return do_madvise(current->mm, start, len, advice);
}

/* mprotect(2), without what security modules and drivers have to say. */
static int gup_kunit_mprotect(unsigned long start, size_t len, unsigned long prot)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma, *prev;
	const unsigned long end = start + len;
	unsigned long at = start;
	struct mmu_gather tlb;
	vm_flags_t flags;
	int ret = 0;

	VMA_ITERATOR(vmi, mm, start);

	mmap_write_lock(mm);
	vma = vma_find(&vmi, end);
	prev = vma_prev(&vmi);
	if (vma && start > vma->vm_start)
		prev = vma;
	tlb_gather_mmu(&tlb, mm);
	for_each_vma_range(vmi, vma, end) {
		flags = (vma->vm_flags & ~VM_ACCESS_FLAGS) |
			calc_vm_prot_bits(prot, 0);
		ret = vma->vm_start > at ? -ENOMEM :
		      mprotect_fixup(&vmi, &tlb, vma, &prev, at,
				     min(vma->vm_end, end), flags);
		if (ret)
			break;
		at = vma_iter_end(&vmi);
	}
	tlb_finish_mmu(&tlb);
	mmap_write_unlock(mm);
	if (!ret && at < end)
		ret = -ENOMEM;

	return ret;
}

static int gup_kunit_mlock(unsigned long start, size_t len)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, mm, start);

	mmap_write_lock(mm);
	for_each_vma_range(vmi, vma, start + len) {
		vma_start_write(vma);
		vm_flags_set(vma, VM_LOCKED);
		mm->locked_vm += vma_pages(vma);
	}
	mmap_write_unlock(mm);

	return __mm_populate(start, len, 0);
}

#ifndef gup_kunit_copy_vma	/* as it is on 7.3 */
static struct vm_area_struct *
gup_kunit_copy_vma(struct vm_area_struct **vmap, unsigned long to, size_t len,
		   unsigned long from, bool *need_rmap_locks)
{
	return copy_vma(vmap, to, len, linear_page_index(*vmap, from),
			__linear_anon_page_index(*vmap, from), need_rmap_locks,
			false);
}
#endif

/* Move page tables as mremap(2) does, where nothing is in the way. */
static int gup_kunit_move(struct vm_area_struct *vma, unsigned long from,
			  size_t len, unsigned long to)
{
	struct mm_struct *mm = vma->vm_mm;
	const vm_flags_t flags = vma->vm_flags;

	PAGETABLE_MOVE(pmc, NULL, NULL, from, to, len);

	vma_start_write(vma);
	pmc.new = gup_kunit_copy_vma(&vma, to, len, from, &pmc.need_rmap_locks);
	if (!pmc.new)
		return -ENOMEM;
	/* What do_munmap() is about to take off again. */
	vm_stat_account(mm, flags, len >> PAGE_SHIFT);
	if (flags & VM_ACCOUNT)
		vm_acct_memory(len >> PAGE_SHIFT);
	pmc.old = vma;
	if (move_page_tables(&pmc) < len)
		return -ENOMEM;

	return do_munmap(mm, from, len, NULL);
}

static long gup_kunit_mremap(unsigned long from, size_t len, unsigned long to)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret;

	mmap_write_lock(mm);
	ret = do_munmap(mm, to, len, NULL);
	vma = ret ? NULL : vma_lookup(mm, from);
	if (!vma || vma->vm_end < from + len)
		ret = ret ?: -EFAULT;
	else
		ret = gup_kunit_move(vma, from, len, to);
	mmap_write_unlock(mm);

	return ret ?: to;
}

const struct gup_kunit_mm gup_kunit_mm = {
	.alloc_table = gup_kunit_alloc_table,
	.free_table = gup_kunit_free_table,
	.prep_folio = prep_compound_page,
	.carve = gup_kunit_carve,
	.set_hugetlb = gup_kunit_set_hugetlb,
	.secretmem_aops = gup_kunit_secretmem_aops,
	.is_huge_zero = gup_kunit_is_huge_zero,
	.longterm_pinnable = gup_kunit_longterm_pinnable,
	.split = gup_kunit_split,
	.thp_orders = gup_kunit_thp_orders,
	.lru_drain = lru_add_drain_all,
	.cma_begin = gup_kunit_cma_begin,
	.cma_end = gup_kunit_cma_end,

	.read = gup_kunit_read,
	.prepare = gup_kunit_prepare,
	.new_anon = gup_kunit_new_anon,
	.map = gup_kunit_map,
	.insert_pfn = gup_kunit_insert_pfn,
	.exchange = gup_kunit_exchange,
	.exchange_pmd = gup_kunit_exchange_pmd,

	.memfd = memfd_alloc_file,
	.madvise = gup_kunit_madvise,
	.mprotect = gup_kunit_mprotect,
	.mlock = gup_kunit_mlock,
	.mremap = gup_kunit_mremap,
	.fork = gup_kunit_fork,
	.migrate = gup_kunit_migrate,
	.migrate_begin = gup_kunit_migrate_begin,
	.migrate_end = gup_kunit_migrate_end,

	.isolate_lru = folio_isolate_lru,
	.isolate_hugetlb = folio_isolate_hugetlb,
	.lru_cache_drain = lru_cache_drain_for_folio,
	.migrate_pages = migrate_pages,
	.putback_movable_pages = putback_movable_pages,
#ifdef CONFIG_DEVICE_MIGRATION
	.migrate_device_coherent = migrate_device_coherent_folio,
#endif
};
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mm, "gup_kunit");
