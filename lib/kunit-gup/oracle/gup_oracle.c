// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle: what a walk that looks at one page after the other returns.
 *
 * It looks at the page table and the folios, takes no reference, and knows
 * nothing of batches: it must not share code with what it tests. The rules are
 * those that 7.3 applies to each page, in the same order.
 */
#include <linux/memremap.h>
#include <linux/shmem_fs.h>

#include "oracle/gup_oracle.h"

/**
 * gup_oracle_page() - the page that an entry maps
 * @pte: the entry
 *
 * Return: The page, or NULL if the entry maps none.
 */
struct page *gup_oracle_page(pte_t pte)
{
	return pte_present(pte) ? pfn_to_page(pte_pfn(pte)) : NULL;
}

/* Does the folio have a counter of pins? */
static bool gup_oracle_has_pincount(const struct folio *folio)
{
	if (!folio_test_large(folio))
		return false;

	return sizeof(long) == 8 || folio_order(folio) != 1;
}

/**
 * gup_oracle_refs_per_page() - references for one page of a request
 * @page:  the page
 * @flags: FOLL_* flags
 *
 * Context: The folio does not change.
 * Return: The number of references to the folio of @page.
 */
int gup_oracle_refs_per_page(const struct page *page, unsigned int flags)
{
	if (flags & FOLL_GET)
		return 1;
	if (!(flags & FOLL_PIN) || is_zero_page(page))
		return 0;

	return gup_oracle_has_pincount(page_folio(page)) ? 1 : 1024;
}

/**
 * gup_oracle_pins_per_page() - pins for one page in the counter of the folio
 * @page:  the page
 * @flags: FOLL_* flags
 *
 * Context: The folio does not change.
 * Return: The number of pins.
 */
int gup_oracle_pins_per_page(const struct page *page, unsigned int flags)
{
	return (flags & FOLL_PIN) && gup_oracle_has_pincount(page_folio(page));
}

static bool gup_oracle_can_grab(struct folio *folio, unsigned int flags)
{
	if (!(flags & FOLL_PCI_P2PDMA) && is_pci_p2pdma_page(&folio->page))
		return false;
	if (flags & FOLL_PIN) {
		if (is_zero_folio(folio))
			return true;
		if ((flags & FOLL_LONGTERM) &&
		    !gup_kunit_mm.longterm_pinnable(folio))
			return false;
	}

	return folio_ref_count(folio) > 0;
}

/* No secretmem; and for longterm pins to write, no files with writeback. */
static bool gup_oracle_allows(struct folio *folio, unsigned int flags)
{
	const unsigned int longterm_write = FOLL_PIN | FOLL_LONGTERM | FOLL_WRITE;
	const bool strict = (flags & longterm_write) == longterm_write;
	const unsigned long mapping = (unsigned long)folio->mapping;
	const struct address_space *as = folio->mapping;

	if (folio_test_hugetlb(folio))
		return true;
	if (!mapping)
		return !strict;
	if (mapping & FOLIO_MAPPING_FLAGS)
		return true;
	if (gup_kunit_mm.secretmem_aops() && !folio_test_large(folio) &&
	    as->a_ops == gup_kunit_mm.secretmem_aops())
		return false;

	return !strict || shmem_mapping(folio->mapping);
}

/* A pin to read must also see what the process writes later. */
static bool gup_oracle_must_unshare(struct page *page, unsigned int flags)
{
	struct folio *folio = page_folio(page);

	if (!(flags & FOLL_PIN) || (flags & FOLL_WRITE))
		return false;
	if (!folio_test_anon(folio))
		return flags & FOLL_LONGTERM;
	if (folio_test_hugetlb(folio))
		page = &folio->page;

	return !test_bit(PG_anon_exclusive, &page->flags.f);
}

/*
 * On s390, a bit says that a folio may belong to a guest and be inaccessible to
 * devices; a large folio with it is not made accessible.
 */
static bool gup_oracle_is_accessible(struct folio *folio)
{
	return !IS_ENABLED(CONFIG_S390) ||
	       !test_bit(PG_arch_1, &folio->flags.f);
}

/* What a walk does at a page to which it has access. */
static enum gup_stop gup_oracle_take(struct page *page, bool writable,
				     unsigned int flags)
{
	if (!gup_oracle_can_grab(page_folio(page), flags))
		return GUP_NO_GRAB;
	if (!gup_oracle_allows(page_folio(page), flags))
		return GUP_REFUSED;
	if (!writable && gup_oracle_must_unshare(page, flags))
		return GUP_UNSHARE;
	if ((flags & FOLL_PIN) && !gup_oracle_is_accessible(page_folio(page)))
		return GUP_REFUSED;

	return GUP_GO;
}

/**
 * gup_oracle_entry() - what a walk does at one entry
 * @pte:   the entry
 * @flags: FOLL_* flags
 *
 * Context: Neither the entry nor the folio changes.
 * Return: GUP_GO if it takes the page, else why it stops.
 */
enum gup_stop gup_oracle_entry(pte_t pte, unsigned int flags)
{
	if (pte_protnone(pte) || !pte_access_permitted(pte, flags & FOLL_WRITE))
		return GUP_NONE;
	if (pte_special(pte))
		return GUP_SPECIAL;

	return gup_oracle_take(gup_oracle_page(pte), pte_write(pte), flags);
}

/**
 * gup_oracle_mapped() - what a walk does at one address of a real mm
 * @e:     what the page tables say about it
 * @flags: FOLL_* flags
 *
 * Context: Neither the page tables nor the folio change.
 * Return: GUP_GO if it takes the page, else why it stops.
 */
enum gup_stop gup_oracle_mapped(const struct gup_kunit_entry *e,
				unsigned int flags)
{
	if (!e->page || !((flags & FOLL_WRITE) ? e->write : e->read))
		return GUP_NONE;
	if (e->special)
		return GUP_SPECIAL;

	return gup_oracle_take(e->page, e->writable, flags);
}

/**
 * gup_oracle_walk() - how far a walk over a page table gets
 * @ptep:  the first entry that is asked for
 * @nr:    number of entries
 * @flags: FOLL_* flags
 * @stop:  why it stops, GUP_GO if it gets to the end
 *
 * Context: The entries do not change.
 * Return: The number of pages that it returns.
 */
unsigned int gup_oracle_walk(pte_t *ptep, unsigned int nr, unsigned int flags,
			     enum gup_stop *stop)
{
	unsigned int i;

	*stop = GUP_GO;
	for (i = 0; i < nr; i++) {
		*stop = gup_oracle_entry(ptep_get(ptep + i), flags);
		if (*stop != GUP_GO)
			break;
	}

	return i;
}

/**
 * gup_oracle_mm_walk() - how far GUP-fast gets in a real mm without faults
 * @mm:    the mm
 * @addr:  the first address
 * @nr:    the number of pages
 * @flags: FOLL_* flags, with FOLL_GET or FOLL_PIN
 *
 * Return: The number of pages that it returns.
 */
unsigned int gup_oracle_mm_walk(struct mm_struct *mm, unsigned long addr,
				unsigned int nr, unsigned int flags)
{
	struct gup_kunit_entry e;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		gup_kunit_mm.read(mm, addr + i * PAGE_SIZE, &e);
		if (gup_oracle_mapped(&e, flags) != GUP_GO)
			break;
	}

	return i;
}
