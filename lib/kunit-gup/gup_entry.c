// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page table entries of all kinds, and which kinds there are not in this kernel.
 */
#include <linux/mmzone.h>

#include "gup_kunit.h"
#include "gup_picture.h"

/**
 * gup_fixture_mk_pte() - make a page table entry as user space has them
 * @page: the page to map
 * @bits: GUP_BIT_*, what is different from writable, young and dirty
 *
 * Context: Any.
 * Return: The entry.
 */
pte_t gup_fixture_mk_pte(struct page *page, unsigned int bits)
{
	const vm_flags_t rw = VM_READ | VM_WRITE | VM_SHARED;
	pte_t pte;

	if (bits & GUP_BIT_PROT_NONE)
		return pfn_pte(page_to_pfn(page), vm_get_page_prot(VM_NONE));

	pte = pfn_pte(page_to_pfn(page), vm_get_page_prot(rw));
	pte = pte_mkyoung(pte_mkdirty(pte_mkwrite_novma(pte)));
	if (bits & (GUP_BIT_RDONLY | GUP_BIT_SHARED))
		pte = pte_wrprotect(pte);
	if (bits & GUP_BIT_OLD)
		pte = pte_mkold(pte);
	if (bits & GUP_BIT_CLEAN)
		pte = pte_mkclean(pte);
	if (bits & GUP_BIT_SOFT_DIRTY)
		pte = pte_soft_dirty(pte) ? pte_clear_soft_dirty(pte) :
					    pte_mksoft_dirty(pte);
	if (bits & GUP_BIT_SPECIAL)
		pte = pte_mkspecial(pte);
	if (bits & GUP_BIT_BLOCK)
		pte = gup_kunit_pte_mkcont(pte);
	if (bits & GUP_BIT_UFFD_WP)
		pte = pte_mkuffd(pte);

	return pte;
}

/**
 * gup_fixture_movable_node() - a node with memory in ZONE_MOVABLE
 *
 * Context: Any.
 * Return: The node, or NUMA_NO_NODE.
 */
int gup_fixture_movable_node(void)
{
	int nid;

	for_each_online_node(nid)
		if (populated_zone(NODE_DATA(nid)->node_zones + ZONE_MOVABLE))
			return nid;

	return NUMA_NO_NODE;
}

/**
 * gup_fixture_lacks() - what a layout needs and this kernel does not have
 * @folios: the picture of the folios
 * @ptes:   the picture of the entries
 *
 * Context: Any.
 * Return: The reason to skip a test with this layout, or NULL.
 */
const char *gup_fixture_lacks(const char *folios, const char *ptes)
{
	struct page *page = ZERO_PAGE(0);
	unsigned int bits;
	pte_t pte;

	bits = gup_picture_bits(ptes);
	pte = gup_fixture_mk_pte(page, GUP_BIT_PROT_NONE);
	if ((bits & GUP_BIT_PROT_NONE) && !pte_protnone(pte) &&
	    pte_access_permitted(pte, false))
		return "GUP-fast cannot tell PROT_NONE entries here";

	pte = gup_fixture_mk_pte(page, GUP_BIT_UFFD_WP);
	if ((bits & GUP_BIT_UFFD_WP) && !pte_uffd(pte))
		return "no entries protected by userfaultfd";

	pte = gup_fixture_mk_pte(page, GUP_BIT_SPECIAL);
	if ((bits & GUP_BIT_SPECIAL) && !pte_special(pte))
		return "no special entries without ARCH_HAS_PTE_SPECIAL";

	/* Layouts have blocks of 32 entries: one, or two of 16. */
	if ((bits & GUP_BIT_BLOCK) && GUP_KUNIT_CONT_PTES != 16 &&
	    GUP_KUNIT_CONT_PTES != 32)
		return "no contiguous entries of 16 or 32 pages";

	if (strchr(folios, 's') && !gup_kunit_secretmem_aops())
		return "no CONFIG_SECRETMEM";

	/* CMA looks at the zone of a page, so it must be a real one. */
	if (strchr(folios, 'm') && IS_ENABLED(CONFIG_CMA) &&
	    gup_fixture_movable_node() == NUMA_NO_NODE)
		return "no memory in ZONE_MOVABLE";

	return NULL;
}

/**
 * gup_fixture_lacks_hints() - why a request cannot meet hints for NUMA
 * @ptes:  the picture of the entries
 * @flags: FOLL_* flags of the request
 *
 * The slow path follows an entry of PROT_NONE unless it can tell it from others.
 *
 * Context: Any.
 * Return: The reason to skip a test, or NULL.
 */
const char *gup_fixture_lacks_hints(const char *ptes, unsigned int flags)
{
	const pte_t pte = gup_fixture_mk_pte(ZERO_PAGE(0), GUP_BIT_PROT_NONE);

	if ((flags & FOLL_HONOR_NUMA_FAULT) && !pte_protnone(pte) &&
	    (gup_picture_bits(ptes) & GUP_BIT_PROT_NONE))
		return "no hints for NUMA";

	return NULL;
}
