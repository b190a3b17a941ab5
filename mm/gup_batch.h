/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far does a batch of pages of one folio reach?
 *
 * GUP takes and gives back references for as many pages as it can at once. The
 * questions that decide how many are answered here, apart from the walkers that
 * ask them, so that each can be tested alone. Every answer is a number of
 * pages, and a walker that would get 1 every time does what it always did.
 */
#ifndef __MM_GUP_BATCH_H
#define __MM_GUP_BATCH_H

#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/pgtable.h>
#include <linux/unroll.h>

#include "internal.h"

/**
 * gup_nr_next_pages() - count entries of an array that are consecutive pages
 * @pages:  the array
 * @max_nr: the number of entries to look at, at least 1. All the pages that
 *          follow the first one, if they do, are in one folio.
 *
 * Context: Any. No &struct page is read.
 * Return: The number of leading entries, 1 to @max_nr.
 */
static inline unsigned long gup_nr_next_pages(struct page **pages,
					      unsigned long max_nr)
{
	const struct page *page = pages[0] + 1;
	unsigned long left = max_nr - 1;
	unsigned int i;

	/* With one count for all of them: sixteen with the first. */
	for (pages++; left >= 15; left -= 15, pages += 15, page += 15) {
		unrolled_full
		for (i = 0; i < 15; i++)
			if (pages[i] != page + i)
				return max_nr - left + i;
	}
	for (; left && *pages == page; left--, pages++)
		page++;

	return max_nr - left;
}

/*
 * gup_next_folio_entry() for a large folio, that has its struct pages from @first
 * on in @size bytes, once the next entry is known to be in it.
 */
static noinline __maybe_unused unsigned long
gup_next_large_folio_entry(unsigned long first, unsigned long size,
			   struct page **pages, unsigned long i,
			   unsigned long nr_entries)
{
	const unsigned long left = (first + size - (unsigned long)pages[i]) /
				   sizeof(struct page);

	/* Mostly, the rest of the folio follows, in order. */
	i += gup_nr_next_pages(pages + i, min(nr_entries - i, left));
	/* Backwards, repeated, or with gaps. */
	while (i < nr_entries && (unsigned long)pages[i] - first < size)
		i++;

	return i;
}

/**
 * gup_next_folio_entry() - find the entry of an array where another folio
 * begins
 * @folio:      the folio that pages[@i] belongs to
 * @pages:      the array
 * @i:          the entry
 * @nr_entries: the number of entries in the array, higher than @i
 *
 * The entries can be pages of the folio in any order and any number of times: a
 * small page over and over again is a batch as well. All pages of a folio have
 * their &struct page in one piece, in every memory model (see MAX_FOLIO_ORDER),
 * so the pointers tell, and the memory that they point to is not read. What is
 * no page at all (NULL, an error) is in no folio and ends the batch.
 *
 * Context: The caller holds a reference to @folio, or something else that keeps
 * it from being split. No lock needed.
 * Return: The first entry behind @i that is not in @folio, or @nr_entries.
 */
static inline unsigned long gup_next_folio_entry(const struct folio *folio,
						 struct page **pages,
						 unsigned long i,
						 unsigned long nr_entries)
{
	const unsigned long first = (unsigned long)&folio->page;
	unsigned long size = sizeof(struct page);

	if (folio_test_large(folio))
		size *= folio_large_nr_pages(folio);

	if (i + 1 == nr_entries || (unsigned long)pages[i + 1] - first >= size)
		return i + 1;
	if (size > 8 * sizeof(struct page))
		return gup_next_large_folio_entry(first, size, pages, i,
						  nr_entries);
	/* Page by page in folios that are not worth a call. */
	for (i += 2; i < nr_entries; i++)
		if ((unsigned long)pages[i] - first >= size)
			break;

	return i;
}

/**
 * gup_nr_same_folios() - count the leading entries of an array that are the same
 * @folios: the array
 * @max_nr: the number of entries, at least 1
 *
 * Context: Any. No &struct folio is read.
 * Return: The number of entries, 1 to @max_nr.
 */
static inline unsigned long gup_nr_same_folios(struct folio **folios,
					       unsigned long max_nr)
{
	unsigned long nr;

	for (nr = 1; nr < max_nr; nr++)
		if (folios[nr] != folios[0])
			break;

	return nr;
}

#ifdef CONFIG_MMU
/*
 * The most references that a guess is good for. A small folio with
 * GUP_PIN_COUNTING_BIAS references looks like a pinned one to
 * folio_maybe_dma_pinned(), and what was a large folio for the guess can be a small
 * one for the grab: one CPU must not make it look pinned without a pin.
 */
#define GUP_GUESS_MAX	(GUP_PIN_COUNTING_BIAS / 2)

/**
 * gup_guess_nr_pages() - guess how many pages of a folio follow, lockless
 * @page:   the first page, as found in a page table entry
 * @max_nr: the most pages that the caller has a use for, at least 1
 *
 * GUP-fast asks before it holds a reference, in order to take all references
 * for a batch in one go. The page can be freed, split or become part of another
 * folio at any time, so the answer is a guess, good for the size of a grab and
 * nothing else: what it is right about must be found out afterwards, and what
 * it grabbed too much given back.
 *
 * As for compound_order(), whatever is read may be garbage. An order that no
 * folio has means that something is changing right now, and 1 is always a right
 * guess. What is read here can be read for the same reason as in page_folio():
 * the memory map of a page that was mapped does not go away under a walk. The
 * order is in the second struct page, which exists for every page that ever had
 * PG_head set.
 *
 * Context: Any, no reference to the folio and no lock needed. IRQs disabled in
 * GUP-fast.
 * Return: The guess, in pages, between 1 and @max_nr, and at most GUP_GUESS_MAX
 * where a page table has more entries than that.
 */
static inline unsigned int gup_guess_nr_pages(const struct page *page,
					      unsigned int max_nr)
{
	const struct page *head = compound_head(page);
	unsigned int order;
	unsigned long nr;

	/* The order may change as we read it: it is only part of a guess. */
	order = data_race(compound_order(head));
	/* Not to be read a second time after it was checked. */
	OPTIMIZER_HIDE_VAR(order);
	if (!order || order > MAX_FOLIO_ORDER)
		return 1;

	/* Folios are naturally aligned. */
	nr = 1UL << order;
	nr -= page_to_pfn(page) & (nr - 1);
	if (PTRS_PER_PTE > GUP_GUESS_MAX)
		nr = min_t(unsigned long, nr, GUP_GUESS_MAX);

	return min_t(unsigned long, nr, max_nr);
}

/**
 * gup_guess_nr_ptes() - guess how many entries map pages of one folio, lockless
 * @ptep:   the first entry
 * @pte:    its value, of a present page
 * @page:   that page
 * @max_nr: the most entries that the caller has a use for, at least 1
 *
 * gup_guess_nr_pages(), but for a look at the next entry: where a large folio is
 * mapped in single pages, because others were copied on write in between or only
 * some are writable again after a fork(), there is nothing to gain from the size
 * of the folio, and a grab that is much too high has to be given back each time.
 *
 * Context: IRQs disabled, or the PTL held. @ptep has @max_nr entries.
 * Return: The guess, in entries, between 1 and @max_nr.
 */
static inline unsigned int gup_guess_nr_ptes(pte_t *ptep, pte_t pte,
					     const struct page *page,
					     unsigned int max_nr)
{
	const unsigned int nr = gup_guess_nr_pages(page, max_nr);
	pte_t next;

	if (nr == 1 || pte_batch_hint(ptep, pte) > 1)
		return nr;

	next = ptep_get_lockless(ptep + 1);
	if (likely(pte_val(next) == pte_val(pte_advance_pfn(pte, 1))))
		return nr;
	if (pte_pfn(next) != pte_pfn(pte) + 1 ||
	    !pte_write(next) != !pte_write(pte))
		return 1;

	return nr;
}

/* gup_nr_same_ptes() for blocks of entries that stand for each other */
static inline unsigned int gup_nr_same_blocks(pte_t *ptep, pte_t pte,
					      unsigned int max_nr)
{
	unsigned int nr, hint;

	hint = pte_batch_hint(ptep, pte);
	for (nr = hint; nr < max_nr; nr += hint) {
		pte = pte_advance_pfn(pte, hint);
		ptep += hint;
		if (pte_val(ptep_get_lockless(ptep)) != pte_val(pte))
			break;
		hint = pte_batch_hint(ptep, pte);
	}

	return min(nr, max_nr);
}

/**
 * gup_nr_same_ptes() - count entries that differ in nothing but the page
 * @ptep:   the first entry
 * @pte:    its value, of a present page
 * @max_nr: the most entries to look at, at least 1; all in the folio of that page
 *
 * Entries that map consecutive pages with all bits the same: the quick part of
 * folio_pte_batch_flags(), and the same rules.
 *
 * The value that is expected grows by the same step from entry to entry. It is
 * not asked of pte_advance_pfn() each time, which has more to do for entries that
 * are not present. Where the page number is in several places of an entry, the
 * upper ones are the same for all of a folio, as that is naturally aligned.
 *
 * Context: The PTL held, or as for FPB_LOCKLESS.
 * Return: The number of entries, 1 to @max_nr.
 */
static __always_inline unsigned int
gup_nr_same_ptes(pte_t *ptep, pte_t pte, unsigned int max_nr)
{
	typeof(pte_val(pte)) step, val = pte_val(pte);
	unsigned int i, left = max_nr - 1;

	/* The last entry of a block has no hint, but what follows it may have. */
	if (pte_batch_hint(ptep, pte) > 1 || pte_batch_hint(ptep + 1, pte) > 1)
		return gup_nr_same_blocks(ptep, pte, max_nr);

	step = pte_val(pte_advance_pfn(pte, 1)) - val;
	val += step;

	/* With one count for all of them: sixteen with the first, or eight. */
	for (ptep++; left >= 15; left -= 15, ptep += 15) {
		unrolled_full
		for (i = 0; i < 15; i++, val += step)
			if (pte_val(ptep_get_lockless(ptep + i)) != val)
				return max_nr - left + i;
	}
	if (!left)
		return max_nr;
	if (left >= 7) {
		unrolled_full
		for (i = 0; i < 7; i++, val += step)
			if (pte_val(ptep_get_lockless(ptep + i)) != val)
				return max_nr - left + i;
		left -= 7;
		ptep += 7;
	}
	for (; left; left--, ptep++, val += step)
		if (pte_val(ptep_get_lockless(ptep)) != val)
			break;

	return max_nr - left;
}

/*
 * folio_pte_batch_flags() for those that did without it so far: not inlined, as
 * a function that has the address of an entry pays for a stack protector.
 */
static noinline __maybe_unused unsigned int
gup_nr_more_ptes(struct folio *folio, pte_t *ptep, pte_t pte,
		 unsigned int max_nr, fpb_t fpb)
{
	return folio_pte_batch_flags(folio, NULL, ptep, &pte, max_nr, fpb);
}

/**
 * gup_nr_ptes() - count the entries that map consecutive pages of a folio
 * @folio:  the large folio
 * @page:   the first page, of @folio
 * @ptep:   the first entry
 * @pte:    its value, of @page, which is present
 * @max_nr: the most entries to look at, at least 1
 * @fpb:    what else they must have in common, as for folio_pte_batch_flags()
 *
 * folio_pte_batch_flags(), but with gup_nr_same_ptes() for as long as that goes.
 *
 * Context: As folio_pte_batch_flags().
 * Return: The number of entries, 1 to @max_nr.
 */
static __always_inline unsigned int
gup_nr_ptes(struct folio *folio, struct page *page, pte_t *ptep, pte_t pte,
	    unsigned int max_nr, fpb_t fpb)
{
	unsigned int nr;

	max_nr = min_t(unsigned long, max_nr, folio_large_nr_pages(folio) -
		       folio_page_idx(folio, page));

	nr = gup_nr_same_ptes(ptep, pte, max_nr);
	if (nr < max_nr)
		nr += gup_nr_more_ptes(folio, ptep + nr - 1,
				       pte_advance_pfn(pte, nr - 1),
				       max_nr - nr + 1, fpb) - 1;

	return nr;
}

/**
 * gup_nr_exclusive() - how many pages need no unsharing if the first needs none
 * @folio:  the folio that all the pages belong to
 * @page:   the first page, for which gup_must_unshare() says no
 * @max_nr: the number of pages to look at, at least 1; all in @folio
 * @flags:  gup flags: these are the FOLL_* flag values
 *
 * Only the pages of an anonymous folio can differ, and not in hugetlb, where the
 * head page speaks for all.
 *
 * Context: As gup_must_unshare(), which the caller asked after it read the page
 *          table entries of all the pages.
 * Return: The number of leading pages that need no unsharing, 1 to @max_nr.
 */
static inline unsigned int gup_nr_exclusive(struct folio *folio,
					    struct page *page,
					    unsigned int max_nr,
					    unsigned int flags)
{
	unsigned int nr;

	if ((flags & (FOLL_WRITE | FOLL_PIN)) != FOLL_PIN ||
	    !folio_test_anon(folio) || folio_test_hugetlb(folio))
		return max_nr;

	for (nr = 1; nr < max_nr; nr++)
		if (!PageAnonExclusive(page + nr))
			break;

	return nr;
}

/**
 * gup_nr_shareable() - how many pages can be pinned without unsharing first
 * @folio:  the folio that all the pages belong to
 * @page:   the first page
 * @max_nr: the number of pages to look at, at least 1; all in @folio
 * @flags:  gup flags: these are the FOLL_* flag values
 *
 * gup_must_unshare() for a batch of pages that are mapped read-only, without a
 * VMA as in GUP-fast. The barrier in the first gup_must_unshare() orders all
 * the page table entries, which the caller read before, against all the
 * exclusive bits, which are read after it.
 *
 * Context: The caller holds a reference (FOLL_GET) or a pin (FOLL_PIN) on
 * @folio, and read the page table entries after it took that. No lock needed.
 * Return: The number of leading pages that need no unsharing, 0 to @max_nr.
 */
static inline unsigned int gup_nr_shareable(struct folio *folio,
					    struct page *page,
					    unsigned int max_nr,
					    unsigned int flags)
{
	if (gup_must_unshare(NULL, flags, page))
		return 0;

	return gup_nr_exclusive(folio, page, max_nr, flags);
}

#endif /* CONFIG_MMU */
#endif /* __MM_GUP_BATCH_H */
