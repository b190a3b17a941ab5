// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for the slow path: what it makes of page table entries, one by
 * one.
 *
 * The rules are those that 7.3 applies to each page under the PTL, in the same
 * order. It knows nothing of batches, and takes no reference.
 */
#include "oracle/gup_oracle.h"
#include "oracle/gup_oracle_slow.h"

/* With FOLL_FORCE, private memory may be written that is not writable. */
static bool gup_oracle_forced(pte_t pte, struct page *page, vm_flags_t vm_flags,
			      unsigned int flags)
{
	if (!(flags & FOLL_FORCE) || !page)
		return false;
	if (vm_flags & (VM_SHARED | VM_MAYSHARE | VM_WRITE))
		return false;
	if (!(vm_flags & VM_MAYWRITE))
		return false;
	if (!folio_test_anon(page_folio(page)) ||
	    !test_bit(PG_anon_exclusive, &page->flags.f))
		return false;

	/* The first write must be noticed. */
	if (pgtable_supports_soft_dirty() && !(vm_flags & VM_SOFTDIRTY) &&
	    !pte_soft_dirty(pte))
		return false;

	return !((vm_flags & VM_UFFD_WP) && pte_uffd(pte));
}

/* A pin to read must also see what the process writes later. */
static bool gup_oracle_unshares(struct page *page, vm_flags_t vm_flags,
				unsigned int flags)
{
	struct folio *folio = page_folio(page);

	if (!(flags & FOLL_PIN) || (flags & FOLL_WRITE))
		return false;
	if (!folio_test_anon(folio))
		return (flags & FOLL_LONGTERM) && !(vm_flags & VM_SHARED) &&
		       (vm_flags & VM_MAYWRITE);
	if (folio_test_hugetlb(folio))
		page = &folio->page;

	return !test_bit(PG_anon_exclusive, &page->flags.f);
}

static bool gup_oracle_slow_takes_protnone(vm_flags_t vm_flags, unsigned int flags)
{
	const bool accessible = vm_flags & (VM_READ | VM_WRITE | VM_EXEC);

	if ((vm_flags & VM_UFFD_RWP) && accessible)
		return false;

	return !(flags & FOLL_HONOR_NUMA_FAULT) || !accessible;
}

/**
 * gup_oracle_slow() - what the slow path does at one entry
 * @pte:      the entry
 * @vm_flags: the flags of its VMA, which is anonymous
 * @flags:    FOLL_* flags
 *
 * Context: Neither the entry nor the folio changes.
 * Return: 0 if it takes the page; GUP_FAULT if there has to be a page fault,
 *         -EMLINK if that is to unshare the page; or the error it ends with.
 */
int gup_oracle_slow(pte_t pte, vm_flags_t vm_flags, unsigned int flags)
{
	struct page *page = gup_oracle_page(pte);
	const bool zero = page && is_zero_page(page);
	const bool normal = page && !zero && !pte_special(pte);

	if (pte_none(pte))
		return flags & FOLL_DUMP ? -EFAULT : GUP_FAULT;
	if (!page)
		return GUP_FAULT;
	if (pte_protnone(pte) && !gup_oracle_slow_takes_protnone(vm_flags, flags))
		return GUP_FAULT;
	if ((flags & FOLL_WRITE) && !pte_write(pte) &&
	    !gup_oracle_forced(pte, normal ? page : NULL, vm_flags, flags))
		return GUP_FAULT;
	if (!normal && (flags & FOLL_DUMP))
		return -EFAULT;
	if (!normal && !zero)
		return -EEXIST;
	if (!pte_write(pte) && gup_oracle_unshares(page, vm_flags, flags))
		return -EMLINK;

	return 0;
}

/**
 * gup_oracle_slow_walk() - how far such a walk gets
 * @ptep:     the first entry
 * @nr:       the number of entries
 * @vm_flags: the flags of the VMA
 * @flags:    FOLL_* flags
 * @ret:      0 if it gets to the end, else why it stops
 *
 * Context: The entries do not change.
 * Return: The number of pages that it returns.
 */
unsigned int gup_oracle_slow_walk(pte_t *ptep, unsigned int nr,
				  vm_flags_t vm_flags, unsigned int flags,
				  int *ret)
{
	unsigned int i;

	*ret = 0;
	for (i = 0; i < nr; i++) {
		*ret = gup_oracle_slow(ptep_get(ptep + i), vm_flags, flags);
		if (*ret)
			break;
	}

	return i;
}

/**
 * gup_oracle_slow_dirties() - is a folio dirty after a walk?
 * @ptep:  the first entry of which the page was returned
 * @nr:    the number of entries
 * @flags: FOLL_* flags
 * @folio: the folio, not dirty before
 *
 * Context: The entries do not change.
 * Return: Whether it is: the walk touched a clean entry of it in order to
 * write.
 */
bool gup_oracle_slow_dirties(pte_t *ptep, unsigned int nr, unsigned int flags,
			     struct folio *folio)
{
	pte_t pte;

	if ((flags & GUP_TOUCH_W) != GUP_TOUCH_W)
		return false;

	for (; nr; nr--, ptep++) {
		pte = ptep_get(ptep);
		if (!pte_dirty(pte) && page_folio(gup_oracle_page(pte)) == folio)
			return true;
	}

	return false;
}
