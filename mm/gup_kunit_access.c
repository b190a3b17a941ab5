// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrappers of the inline functions that decide how far a batch reaches, for the
 * suites in lib/kunit-gup; gup_kunit_access.h describes them.
 */
#include <linux/export.h>
#include <linux/mm.h>

#include "internal.h"
#include "gup_batch.h"
#include "gup_kunit_access.h"

/* The suites also run on a tree that does not have this flag yet. */
#ifndef FPB_LOCKLESS
#define FPB_LOCKLESS	((__force fpb_t)0)
#endif

static unsigned int gup_kunit_pte_batch(struct folio *folio, pte_t *ptep, pte_t pte,
					unsigned int max_nr, unsigned int flags)
{
	fpb_t fpb = (__force fpb_t)0;

	if (flags & GUP_KUNIT_RESPECT_DIRTY)
		fpb |= FPB_RESPECT_DIRTY;
	if (flags & GUP_KUNIT_RESPECT_SOFT_DIRTY)
		fpb |= FPB_RESPECT_SOFT_DIRTY;
	if (flags & GUP_KUNIT_RESPECT_WRITE)
		fpb |= FPB_RESPECT_WRITE;
	if (flags & GUP_KUNIT_LOCKLESS)
		fpb |= FPB_LOCKLESS;

	return folio_pte_batch_flags(folio, NULL, ptep, &pte, max_nr, fpb);
}

static unsigned int gup_kunit_guess_nr_pages(unsigned long pfn, unsigned int max_nr)
{
	return gup_guess_nr_pages(pfn_to_page(pfn), max_nr);
}

static unsigned int gup_kunit_guess_nr_ptes(pte_t *ptep, pte_t pte,
					    unsigned int max_nr)
{
	return gup_guess_nr_ptes(ptep, pte, pte_page(pte), max_nr);
}

static unsigned int gup_kunit_nr_same_ptes(pte_t *ptep, pte_t pte, unsigned int max_nr)
{
	return gup_nr_same_ptes(ptep, pte, max_nr);
}

static unsigned int gup_kunit_nr_exclusive(struct folio *folio, struct page *page,
					   unsigned int max_nr, unsigned int flags)
{
	return gup_nr_exclusive(folio, page, max_nr, flags);
}

static unsigned int gup_kunit_nr_shareable(struct folio *folio, struct page *page,
					   unsigned int max_nr, unsigned int flags)
{
	return gup_nr_shareable(folio, page, max_nr, flags);
}

static unsigned long gup_kunit_nr_folio_pages(struct folio *folio, struct page **pages,
					      unsigned long max_nr)
{
	/* As the second entry of an array, whose first one nobody reads. */
	return gup_next_folio_entry(folio, pages - 1, 1, max_nr + 1) - 1;
}

static unsigned long gup_kunit_nr_same_folios(struct folio **folios,
					      unsigned long max_nr)
{
	return gup_nr_same_folios(folios, max_nr);
}

const struct gup_kunit_batch gup_kunit_batch = {
	.pte_batch = gup_kunit_pte_batch,
	.guess_nr_pages = gup_kunit_guess_nr_pages,
	.guess_nr_ptes = gup_kunit_guess_nr_ptes,
	.nr_same_ptes = gup_kunit_nr_same_ptes,
	.nr_exclusive = gup_kunit_nr_exclusive,
	.nr_shareable = gup_kunit_nr_shareable,
	.nr_folio_pages = gup_kunit_nr_folio_pages,
	.nr_same_folios = gup_kunit_nr_same_folios,
};
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_batch, "gup_kunit");
