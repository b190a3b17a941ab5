// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doors for the suites in lib/kunit-gup to what is inline or static in mm/.
 * Exported to that module only; no logic of its own.
 */
#include <linux/export.h>
#include <linux/hugetlb.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/mempolicy.h>
#include <linux/pagemap.h>
#include <linux/pgalloc.h>
#include <linux/secretmem.h>
#include <linux/swap.h>

#include "gup_kunit_access.h"
#include "internal.h"
#include "gup_batch.h"

/* The suites also run on a tree that does not have this flag yet. */
#ifndef FPB_LOCKLESS
#define FPB_LOCKLESS	((__force fpb_t)0)
#endif

/**
 * gup_kunit_lockless_read() - an entry is about to be read, to be replaced
 * @ptep: the entry
 *
 * Context: Any.
 */
void gup_kunit_lockless_read(pte_t *ptep)
{
	GUP_KUNIT_STUB(gup_kunit_lockless_read, ptep);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_lockless_read, "gup_kunit");

/**
 * gup_kunit_make_accessible() - a folio is about to be pinned, to be replaced
 * @folio: the folio
 *
 * Context: Any.
 * Return: 0, or the error with which arch_make_folio_accessible() is to fail.
 */
int gup_kunit_make_accessible(struct folio *folio)
{
	GUP_KUNIT_STUB(gup_kunit_make_accessible, folio);

	return 0;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_make_accessible, "gup_kunit");

/**
 * gup_kunit_flush_page() - a page is about to be flushed, to be replaced
 * @page: the page
 *
 * Context: Any.
 */
void gup_kunit_flush_page(struct page *page)
{
	GUP_KUNIT_STUB(gup_kunit_flush_page, page);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_flush_page, "gup_kunit");

/**
 * gup_kunit_flush_anon() - an anonymous page is about to be flushed, to be replaced
 * @page: the page
 * @addr: the user address that maps it
 *
 * Context: Any.
 */
void gup_kunit_flush_anon(struct page *page, unsigned long addr)
{
	GUP_KUNIT_STUB(gup_kunit_flush_anon, page, addr);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_flush_anon, "gup_kunit");

/**
 * gup_kunit_warned() - a page is not as it must be, to be replaced
 * @page: the page
 *
 * Context: Any.
 * Return: Whether a test takes note of it, so that no warning is needed.
 */
bool gup_kunit_warned(const struct page *page)
{
	GUP_KUNIT_STUB(gup_kunit_warned, page);

	return false;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_warned, "gup_kunit");

/**
 * gup_kunit_pte_batch() - folio_pte_batch_flags(), without a VMA
 * @folio:  the large folio that the first entry maps
 * @ptep:   the first entry
 * @pte:    its value
 * @max_nr: the most entries to look at, at least 1
 * @flags:  GUP_KUNIT_* of the FPB_* flags to pass
 *
 * Context: The table does not change.
 * Return: The number of entries in the batch.
 */
unsigned int gup_kunit_pte_batch(struct folio *folio, pte_t *ptep, pte_t pte,
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
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_pte_batch, "gup_kunit");

/**
 * gup_kunit_guess_nr_pages() - gup_guess_nr_pages()
 * @pfn:    the first page
 * @max_nr: the most pages to guess
 *
 * Context: Any.
 * Return: The guess, in pages.
 */
unsigned int gup_kunit_guess_nr_pages(unsigned long pfn, unsigned int max_nr)
{
	return gup_guess_nr_pages(pfn_to_page(pfn), max_nr);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_guess_nr_pages, "gup_kunit");

/**
 * gup_kunit_guess_nr_ptes() - gup_guess_nr_ptes()
 * @ptep:   the first entry
 * @pte:    its value
 * @max_nr: the most entries to guess
 *
 * Context: The table does not go away.
 * Return: The guess, in entries.
 */
unsigned int gup_kunit_guess_nr_ptes(pte_t *ptep, pte_t pte,
				     unsigned int max_nr)
{
	return gup_guess_nr_ptes(ptep, pte, pte_page(pte), max_nr);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_guess_nr_ptes, "gup_kunit");

/**
 * gup_kunit_nr_same_ptes() - gup_nr_same_ptes()
 * @ptep:   the first entry
 * @pte:    its value
 * @max_nr: the most entries to look at
 *
 * Context: The table does not change.
 * Return: The number of entries.
 */
unsigned int gup_kunit_nr_same_ptes(pte_t *ptep, pte_t pte, unsigned int max_nr)
{
	return gup_nr_same_ptes(ptep, pte, max_nr);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_nr_same_ptes, "gup_kunit");

/**
 * gup_kunit_nr_exclusive() - gup_nr_exclusive()
 * @folio:  the folio of the pages
 * @page:   the first page, which needs no unsharing
 * @max_nr: the number of pages to look at
 * @flags:  FOLL_* flags
 *
 * Context: The caller holds a reference to @folio.
 * Return: The number of leading pages that need no unsharing.
 */
unsigned int gup_kunit_nr_exclusive(struct folio *folio, struct page *page,
				    unsigned int max_nr, unsigned int flags)
{
	return gup_nr_exclusive(folio, page, max_nr, flags);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_nr_exclusive, "gup_kunit");

/**
 * gup_kunit_nr_shareable() - gup_nr_shareable()
 * @folio:  the folio of the pages
 * @page:   the first page
 * @max_nr: the number of pages to look at
 * @flags:  FOLL_* flags
 *
 * Context: The caller holds a reference to @folio.
 * Return: The number of leading pages that need no unsharing.
 */
unsigned int gup_kunit_nr_shareable(struct folio *folio, struct page *page,
				    unsigned int max_nr, unsigned int flags)
{
	return gup_nr_shareable(folio, page, max_nr, flags);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_nr_shareable, "gup_kunit");

/**
 * gup_kunit_nr_folio_pages() - gup_next_folio_entry(), from the first entry on
 * @folio:  the folio of the first entry
 * @pages:  the array
 * @max_nr: the number of entries
 *
 * Context: Any.
 * Return: The number of leading entries that are pages of @folio.
 */
unsigned long gup_kunit_nr_folio_pages(struct folio *folio, struct page **pages,
				       unsigned long max_nr)
{
	/* As the second entry of an array, whose first one nobody reads. */
	return gup_next_folio_entry(folio, pages - 1, 1, max_nr + 1) - 1;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_nr_folio_pages, "gup_kunit");

/**
 * gup_kunit_nr_same_folios() - gup_nr_same_folios()
 * @folios: the array
 * @max_nr: the number of entries
 *
 * Context: Any.
 * Return: The number of leading entries that are the same.
 */
unsigned long gup_kunit_nr_same_folios(struct folio **folios,
				       unsigned long max_nr)
{
	return gup_nr_same_folios(folios, max_nr);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_nr_same_folios, "gup_kunit");

/**
 * gup_kunit_alloc_table() - allocate a page table, with its lock
 * @mm: the address space; not init_mm, whose tables have no lock
 *
 * Context: Process context, may sleep.
 * Return: The table, mapped for good, or NULL.
 */
pte_t *gup_kunit_alloc_table(struct mm_struct *mm)
{
	return pte_alloc_one_kernel(mm);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_alloc_table, "gup_kunit");

/**
 * gup_kunit_free_table() - free what gup_kunit_alloc_table() returned
 * @mm:    the address space
 * @table: the table
 *
 * Context: Process context.
 */
void gup_kunit_free_table(struct mm_struct *mm, pte_t *table)
{
	pte_free_kernel(mm, table);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_free_table, "gup_kunit");

/**
 * gup_kunit_prep_folio() - prep_compound_page()
 * @page:  the first page
 * @order: the order of the folio to be, not 0
 *
 * Context: Nobody else uses the pages.
 */
void gup_kunit_prep_folio(struct page *page, unsigned int order)
{
	prep_compound_page(page, order);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_prep_folio, "gup_kunit");

/**
 * gup_kunit_set_hugetlb() - give a folio the type of hugetlb, if there is that
 * @folio: the folio, of order 1 or higher
 *
 * Context: Nobody else uses the folio.
 */
void gup_kunit_set_hugetlb(struct folio *folio)
{
#ifdef CONFIG_HUGETLB_PAGE
	__folio_set_hugetlb(folio);
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_set_hugetlb, "gup_kunit");

/**
 * gup_kunit_secretmem_aops() - what makes a mapping one of secretmem
 *
 * Context: Any.
 * Return: The operations, or NULL without CONFIG_SECRETMEM.
 */
const struct address_space_operations *gup_kunit_secretmem_aops(void)
{
#ifdef CONFIG_SECRETMEM
	return &secretmem_aops;
#else
	return NULL;
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_secretmem_aops, "gup_kunit");

/**
 * gup_kunit_thp_orders() - set which orders MADV_HUGEPAGE allows for anonymous
 *			    memory, beside those that it inherits
 * @orders: a bit for each order
 *
 * Context: Any; the setting is global.
 * Return: What was set before; 0 without CONFIG_TRANSPARENT_HUGEPAGE.
 */
unsigned long gup_kunit_thp_orders(unsigned long orders)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	return xchg(&huge_anon_orders_madvise, orders);
#else
	return 0;
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_thp_orders, "gup_kunit");

/**
 * gup_kunit_split() - split a large folio, if that can be done now
 * @folio: the folio
 * @order: the order of the folios that it becomes
 *
 * Context: Process context, no locks held; the caller holds a reference, which
 *	    stays with the first of the folios.
 * Return: 0 or a negative error.
 */
int gup_kunit_split(struct folio *folio, unsigned int order)
{
	int ret;

	if (!folio_trylock(folio))
		return -EAGAIN;
	ret = folio_test_large(folio) ? split_folio_to_order(folio, order) :
					-EINVAL;
	folio_unlock(folio);

	return ret;
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_split, "gup_kunit");

/**
 * gup_kunit_migrate() - move the memory of an mm from a node to another
 * @mm:   the mm
 * @from: the node where the memory is
 * @to:   the node where it is to be
 *
 * Context: Process context, no locks held.
 * Return: The number of pages that stayed, or a negative error.
 */
int gup_kunit_migrate(struct mm_struct *mm, int from, int to)
{
	const nodemask_t nodes_from = nodemask_of_node(from);
	const nodemask_t nodes_to = nodemask_of_node(to);

	return do_migrate_pages(mm, &nodes_from, &nodes_to, MPOL_MF_MOVE);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_migrate, "gup_kunit");

/**
 * gup_kunit_lru_drain() - let nobody but its owners hold references to a folio
 *
 * What was added to the LRU lists lately, or is about to move in them, is held by
 * a CPU, and the thread need not be on that one any more.
 *
 * Context: Process context, no locks held.
 */
void gup_kunit_lru_drain(void)
{
	lru_add_drain_all();
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_lru_drain, "gup_kunit");

/**
 * gup_kunit_is_longterm_pinnable() - folio_is_longterm_pinnable()
 * @folio: the folio
 *
 * Context: Any.
 * Return: Whether the folio may be pinned for long.
 */
bool gup_kunit_is_longterm_pinnable(struct folio *folio)
{
	GUP_KUNIT_STUB(gup_kunit_is_longterm_pinnable, folio);

	return folio_is_longterm_pinnable(folio);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_is_longterm_pinnable, "gup_kunit");

/**
 * gup_kunit_is_device_coherent() - folio_is_device_coherent()
 * @folio: the folio
 *
 * Context: Any.
 * Return: Whether the folio is coherent memory of a device.
 */
bool gup_kunit_is_device_coherent(const struct folio *folio)
{
	GUP_KUNIT_STUB(gup_kunit_is_device_coherent, folio);

	return folio_is_device_coherent(folio);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_is_device_coherent, "gup_kunit");

/**
 * gup_kunit_isolate_lru() - folio_isolate_lru()
 * @folio: the folio
 *
 * Context: As folio_isolate_lru().
 * Return: Whether the folio was isolated.
 */
bool gup_kunit_isolate_lru(struct folio *folio)
{
	GUP_KUNIT_STUB(gup_kunit_isolate_lru, folio);

	return folio_isolate_lru(folio);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_isolate_lru, "gup_kunit");

/**
 * gup_kunit_isolate_hugetlb() - folio_isolate_hugetlb()
 * @folio: the folio
 * @list:  where it goes
 *
 * Context: As folio_isolate_hugetlb().
 * Return: Whether the folio was isolated.
 */
bool gup_kunit_isolate_hugetlb(struct folio *folio, struct list_head *list)
{
	GUP_KUNIT_STUB(gup_kunit_isolate_hugetlb, folio, list);

	return folio_isolate_hugetlb(folio, list);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_isolate_hugetlb, "gup_kunit");

/**
 * gup_kunit_lru_cache_drain() - lru_cache_drain_for_folio()
 * @folio:      the folio
 * @extra_refs: references that the caller holds
 * @drained:    what was drained already
 *
 * Context: As lru_cache_drain_for_folio().
 */
void gup_kunit_lru_cache_drain(const struct folio *folio,
			       unsigned int extra_refs,
			       enum lru_cache_drained *drained)
{
	GUP_KUNIT_STUB(gup_kunit_lru_cache_drain, folio, extra_refs, drained);

	lru_cache_drain_for_folio(folio, extra_refs, drained);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_lru_cache_drain, "gup_kunit");

/**
 * gup_kunit_migrate_device_coherent() - migrate_device_coherent_folio()
 * @folio: the folio
 *
 * Context: As migrate_device_coherent_folio().
 * Return: 0, or an error.
 */
int gup_kunit_migrate_device_coherent(struct folio *folio)
{
	GUP_KUNIT_STUB(gup_kunit_migrate_device_coherent, folio);

#ifdef CONFIG_DEVICE_MIGRATION
	return migrate_device_coherent_folio(folio);
#else
	return -EBUSY;
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_migrate_device_coherent, "gup_kunit");

/**
 * gup_kunit_migrate_pages() - migrate_pages()
 * @list:          the folios
 * @new_folio:     gives a folio to migrate to
 * @free_folio:    takes it back
 * @private:       for @new_folio and @free_folio
 * @mode:          how to migrate
 * @reason:        why
 * @ret_succeeded: number of folios that were migrated, or NULL
 *
 * Context: As migrate_pages().
 * Return: The number of folios that were not migrated, or an error.
 */
int gup_kunit_migrate_pages(struct list_head *list, new_folio_t new_folio,
			    free_folio_t free_folio, unsigned long private,
			    enum migrate_mode mode, enum migrate_reason reason,
			    unsigned int *ret_succeeded)
{
	GUP_KUNIT_STUB(gup_kunit_migrate_pages, list, new_folio, free_folio,
		       private, mode, reason, ret_succeeded);

	return migrate_pages(list, new_folio, free_folio, private, mode, reason,
			     ret_succeeded);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_migrate_pages, "gup_kunit");

/**
 * gup_kunit_putback_movable_pages() - putback_movable_pages()
 * @list: the folios
 *
 * Context: As putback_movable_pages().
 */
void gup_kunit_putback_movable_pages(struct list_head *list)
{
	GUP_KUNIT_STUB(gup_kunit_putback_movable_pages, list);

	putback_movable_pages(list);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_putback_movable_pages, "gup_kunit");
