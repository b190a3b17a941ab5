// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for move_pages(): what it says about one address.
 *
 * For each address, first the VMA, and then the page tables from the top.
 */
#include <linux/memremap.h>
#include <linux/mm.h>

#include "gup_kunit_mm.h"
#include "oracle/gup_oracle_nodes.h"

/**
 * gup_oracle_node() - what 7.3 says about one address
 * @mm:   the address space
 * @addr: the address
 *
 * Return: The status.
 */
int gup_oracle_node(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	struct gup_kunit_entry e;
	vm_flags_t flags = 0;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	if (vma)
		flags = vma->vm_flags;
	mmap_read_unlock(mm);
	if (!vma)
		return -EFAULT;

	if (!gup_kunit_mm.read(mm, addr, &e))
		return -ENOENT;
	if (is_zero_page(e.page) ||
	    (e.size > PAGE_SIZE && e.page && gup_kunit_mm.is_huge_zero(page_folio(e.page))))
		return -EFAULT;
	/* Other special entries are for the huge zero page, or for no page. */
	if (e.special)
		return flags & (VM_PFNMAP | VM_MIXEDMAP) ? -ENOENT : -EFAULT;
	if (is_zone_device_page(e.page))
		return -ENOENT;

	return page_to_nid(e.page);
}
