// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for move_pages(): what it says about one address.
 *
 * First the VMA, then the page tables from the top, for each address anew.
 */
#include <linux/memremap.h>
#include <linux/mm.h>

#include "walk/gup_nodes.h"

/**
 * gup_nodes_reference() - what 7.3 says about one address
 * @m:    the address space
 * @addr: the address
 *
 * Context: Process context, in the thread of the test.
 * Return: The status.
 */
int gup_nodes_reference(struct gup_mm *m, unsigned long addr)
{
	struct gup_kunit_entry e;
	vm_flags_t flags = 0;
	bool found;

	mmap_read_lock(m->mm);
	found = gup_mm_vma(m, addr);
	if (found)
		flags = gup_mm_vma(m, addr)->vm_flags;
	mmap_read_unlock(m->mm);
	if (!found)
		return -EFAULT;

	if (!gup_kunit_mm.read(m->mm, addr, &e))
		return -ENOENT;
	if (is_zero_page(e.page) ||
	    (e.size > PAGE_SIZE && e.page && gup_kunit_mm.is_huge_zero(page_folio(e.page))))
		return -EFAULT;
	/* What else is special is the huge zero page, or no page of the VM's. */
	if (e.special)
		return flags & (VM_PFNMAP | VM_MIXEDMAP) ? -ENOENT : -EFAULT;
	if (is_zone_device_page(e.page))
		return -ENOENT;

	return page_to_nid(e.page);
}
