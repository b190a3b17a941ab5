/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites in lib/kunit-gup reach inside mm/: doors, and stubs through
 * which a test interferes at an exact step. No logic of its own. With
 * CONFIG_GUP_KUNIT_ACCESS off nothing of it is left in the kernel.
 *
 * To be included before mm/internal.h, whose functions read page tables as well.
 */
#ifndef __MM_GUP_KUNIT_ACCESS_H
#define __MM_GUP_KUNIT_ACCESS_H

#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/migrate.h>
#include <linux/pgtable.h>
#include <linux/swap.h>

#ifdef CONFIG_GUP_KUNIT_ACCESS
void gup_kunit_lockless_read(pte_t *ptep);
int gup_kunit_make_accessible(struct folio *folio);
void gup_kunit_flush_page(struct page *page);
void gup_kunit_flush_anon(struct page *page, unsigned long addr);
bool gup_kunit_warned(const struct page *page);
#endif

/*
 * GUP_KUNIT_STUB() - let a test replace the function that starts with it
 * GUP_KUNIT_STUB_ADDR() - the address of such a function, for the test
 *
 * KUNIT_STATIC_STUB_REDIRECT() for the functions in the hot path: not in every
 * kernel that has KUnit, and not in one that is to measure them. There, the
 * address is not taken either, since that keeps a function from being inlined.
 */
#if defined(CONFIG_GUP_KUNIT_ACCESS) && !defined(CONFIG_GUP_KUNIT_BENCH)
#include <kunit/static_stub.h>
#define GUP_KUNIT_STUB(fn, args...)	KUNIT_STATIC_STUB_REDIRECT(fn, ##args)
#define GUP_KUNIT_STUB_ADDR(fn)		(fn)

/**
 * gup_kunit_ptep_get_lockless() - let a test see each entry that is read without
 *                                 the lock, right before that
 * @ptep: the entry
 *
 * On most architectures nothing else tells ptep_get_lockless() from ptep_get().
 *
 * Context: As of ptep_get_lockless().
 * Return: What ptep_get_lockless() returns.
 */
static inline pte_t gup_kunit_ptep_get_lockless(pte_t *ptep)
{
	gup_kunit_lockless_read(ptep);

	return ptep_get_lockless(ptep);
}

#undef ptep_get_lockless
#define ptep_get_lockless gup_kunit_ptep_get_lockless

/**
 * gup_kunit_arch_make_folio_accessible() - let a test fail where most
 *                                          architectures have nothing that could
 * @folio: the folio
 *
 * Context: As of arch_make_folio_accessible(); IRQs may be disabled.
 * Return: 0, or an error.
 */
static inline int gup_kunit_arch_make_folio_accessible(struct folio *folio)
{
	const int ret = gup_kunit_make_accessible(folio);

	return ret ?: arch_make_folio_accessible(folio);
}

#undef arch_make_folio_accessible
#define arch_make_folio_accessible gup_kunit_arch_make_folio_accessible

/**
 * gup_kunit_flush_dcache_page() - let a test see each page that is flushed, where
 *                                 there is nothing to do
 * @page: the page
 *
 * Context: As of flush_dcache_page().
 */
static inline void gup_kunit_flush_dcache_page(struct page *page)
{
	gup_kunit_flush_page(page);
	flush_dcache_page(page);
}

#undef flush_dcache_page
#define flush_dcache_page gup_kunit_flush_dcache_page

/**
 * gup_kunit_flush_anon_page() - the same for anonymous pages, by address
 * @vma:  the VMA
 * @page: the page
 * @addr: the user address that maps it
 *
 * Context: As of flush_anon_page().
 */
static inline void gup_kunit_flush_anon_page(struct vm_area_struct *vma,
					     struct page *page,
					     unsigned long addr)
{
	gup_kunit_flush_anon(page, addr);
	flush_anon_page(vma, page, addr);
}

#undef flush_anon_page
#define flush_anon_page gup_kunit_flush_anon_page
#else
#define GUP_KUNIT_STUB(...)		do { } while (0)
#define GUP_KUNIT_STUB_ADDR(...)	NULL
#endif

#ifdef CONFIG_GUP_KUNIT_ACCESS
/*
 * Entries that are one block for the TLB, and stand for each other. set_pte()
 * takes the bit away that says so.
 */
#ifdef CONFIG_ARM64_CONTPTE
#define GUP_KUNIT_CONT_PTES		CONT_PTES
#define gup_kunit_pte_mkcont		pte_mkcont
#define gup_kunit_set_pte		__set_pte
#else
#define GUP_KUNIT_CONT_PTES		1
#define gup_kunit_pte_mkcont(pte)	(pte)
#define gup_kunit_set_pte		set_pte
#endif

struct address_space_operations;
struct folio_walk;
struct gup_node_pins;

/**
 * struct gup_kunit_gup - static functions of mm/gup.c
 * @fast_available:   gup_fast_available(), to be replaced only
 * @fast_pte_range:   gup_fast_pte_range(); IRQs disabled
 * @fast_pte_run:     gup_fast_pte_run(), to be replaced; NULL where the tree
 *                    does not have it
 * @fast_pte_changed: gup_fast_pte_changed(), to be replaced
 * @grab_fast:        try_grab_folio_fast(); IRQs disabled
 * @put_folio:        gup_put_folio()
 * @put_uncounted:    gup_put_folio_uncounted(), to be replaced; NULL where the
 *                    tree does not have it
 * @unpin_folio:      gup_unpin_folio(), to be replaced; NULL where the tree
 *                    unpins with gup_put_folio()
 * @fast_unpin:       gup_fast_unpin_user_pages()
 * @collect_longterm: collect_longterm_unpinnable_folios() for an array of pages
 *                    or folios; NULL without CONFIG_MIGRATION
 * @check_longterm:   check_and_migrate_movable_pages() or ..._folios(); the same
 * @follow_pte:       follow_page_pte()
 * @follow_pte_run:   follow_pte_run(), to be replaced; NULL where the tree does
 *                    not have it
 * @grab:             try_grab_folio()
 * @counts_what_it_keeps: whether the walk leaves out of the statistic what it
 *                    gives back
 * @skips_repeats:    whether the longterm check looks once at a small page or a
 *                    folio that the array has several times in a row
 * @reads_first_only: whether unpinning reads no &struct page of a run but that
 *                    of the first, and of the folio
 *
 * Each entry is both the door to call the function, and the name under which
 * kunit_activate_static_stub() knows it.
 */
struct gup_kunit_gup {
	bool (*fast_available)(void);
	int (*fast_pte_range)(pmd_t pmd, pmd_t *pmdp, unsigned long addr,
			      unsigned long end, unsigned int flags,
			      struct page **pages, int *nr);
	unsigned int (*fast_pte_run)(struct folio *folio, struct page *page,
				     pte_t *ptep, pte_t pte,
				     unsigned int max_nr);
	bool (*fast_pte_changed)(pmd_t pmd, pmd_t *pmdp, pte_t pte,
				 pte_t *ptep);
	struct folio *(*grab_fast)(struct page *page, int refs,
				   unsigned int flags);
	void (*put_folio)(struct folio *folio, int refs, unsigned int flags);
	void (*put_uncounted)(struct folio *folio, int refs,
			      unsigned int flags);
	void (*unpin_folio)(struct folio *folio, int refs,
			    struct gup_node_pins *pins);
	void (*fast_unpin)(struct page **pages, unsigned long npages);
	unsigned long (*collect_longterm)(struct list_head *list,
					  void **entries, bool has_folios,
					  long nr);
	long (*check_longterm)(void **entries, bool has_folios, long nr);
	struct page *(*follow_pte)(struct vm_area_struct *vma,
				   unsigned long address, unsigned long end,
				   pmd_t *pmd, unsigned int flags,
				   unsigned int *nr_pages);
	unsigned int (*follow_pte_run)(struct folio *folio, struct page *page,
				       pte_t *ptep, pte_t pte,
				       unsigned int max_nr, unsigned int flags);
	int (*grab)(struct folio *folio, int refs, unsigned int flags);
	bool counts_what_it_keeps;
	bool skips_repeats;
	bool reads_first_only;
};

extern const struct gup_kunit_gup gup_kunit_gup;

/**
 * struct gup_kunit_stat - static functions of mm/migrate.c; none without
 *                         CONFIG_MIGRATION
 * @array: do_pages_stat_array()
 * @user:  do_pages_stat()
 * @more:  do_pages_stat_more(), to be replaced; NULL where the tree does not have
 *         it
 * @alloc: do_pages_stat_alloc(), the same
 * @end:   do_pages_stat_end(), the same
 * @relock: do_pages_stat_relock(), the same
 */
struct gup_kunit_stat {
	void (*array)(struct mm_struct *mm, unsigned long nr_pages,
		      const void __user **pages, int *status);
	int (*user)(struct mm_struct *mm, unsigned long nr_pages,
		    const void __user * __user *pages, int __user *status);
	unsigned long (*more)(struct folio_walk *fw, struct vm_area_struct *vma,
			      unsigned long nr_pages,
			      const void __user **pages, int *status);
	void *(*alloc)(void);
	unsigned long (*end)(struct mm_struct *mm, spinlock_t *ptl,
			     unsigned long i, unsigned long nr_pages);
	bool (*relock)(struct mm_struct *mm);
};

#ifdef CONFIG_MIGRATION
extern const struct gup_kunit_stat gup_kunit_stat;
#else
static const struct gup_kunit_stat gup_kunit_stat __maybe_unused;
#endif

/* The FPB_* flags of mm/internal.h by the names that the suites use. */
#define GUP_KUNIT_RESPECT_DIRTY		BIT(0)
#define GUP_KUNIT_RESPECT_SOFT_DIRTY	BIT(1)
#define GUP_KUNIT_RESPECT_WRITE		BIT(2)
#define GUP_KUNIT_LOCKLESS		BIT(3)

unsigned int gup_kunit_pte_batch(struct folio *folio, pte_t *ptep, pte_t pte,
				 unsigned int max_nr, unsigned int flags);
unsigned int gup_kunit_guess_nr_pages(unsigned long pfn, unsigned int max_nr);
unsigned int gup_kunit_guess_nr_ptes(pte_t *ptep, pte_t pte,
				     unsigned int max_nr);
unsigned int gup_kunit_nr_same_ptes(pte_t *ptep, pte_t pte,
				    unsigned int max_nr);
unsigned int gup_kunit_nr_exclusive(struct folio *folio, struct page *page,
				    unsigned int max_nr, unsigned int flags);
unsigned int gup_kunit_nr_shareable(struct folio *folio, struct page *page,
				    unsigned int max_nr, unsigned int flags);
unsigned long gup_kunit_nr_folio_pages(struct folio *folio, struct page **pages,
				       unsigned long max_nr);
unsigned long gup_kunit_nr_same_folios(struct folio **folios,
				       unsigned long max_nr);
pte_t *gup_kunit_alloc_table(struct mm_struct *mm);
void gup_kunit_free_table(struct mm_struct *mm, pte_t *table);
void gup_kunit_prep_folio(struct page *page, unsigned int order);
void gup_kunit_set_hugetlb(struct folio *folio);
const struct address_space_operations *gup_kunit_secretmem_aops(void);
unsigned long gup_kunit_thp_orders(unsigned long orders);
int gup_kunit_split(struct folio *folio, unsigned int order);
int gup_kunit_migrate(struct mm_struct *mm, int from, int to);
void gup_kunit_lru_drain(void);
long gup_kunit_madvise(unsigned long start, size_t len, int advice);
long gup_kunit_mprotect(unsigned long start, size_t len, unsigned long prot);
long gup_kunit_mlock(unsigned long start, size_t len);
struct file *gup_kunit_memfd_secret(size_t len);
struct file *gup_kunit_memfd(unsigned int flags, loff_t len);
long gup_kunit_huge_pages(struct file *file, bool reserved);
long gup_kunit_mknod(unsigned long name, umode_t mode, dev_t dev);
long gup_kunit_swap(unsigned long name, bool on);
struct file *gup_kunit_open(const char *path);
long gup_kunit_mremap(unsigned long from, size_t len, unsigned long to);

/* What the longterm check calls in other files, to be replaced. */
bool gup_kunit_is_longterm_pinnable(struct folio *folio);
bool gup_kunit_is_device_coherent(const struct folio *folio);
bool gup_kunit_isolate_lru(struct folio *folio);
bool gup_kunit_isolate_hugetlb(struct folio *folio, struct list_head *list);
void gup_kunit_lru_cache_drain(const struct folio *folio,
			       unsigned int extra_refs,
			       enum lru_cache_drained *drained);
int gup_kunit_migrate_device_coherent(struct folio *folio);
int gup_kunit_migrate_pages(struct list_head *list, new_folio_t new_folio,
			    free_folio_t free_folio, unsigned long private,
			    enum migrate_mode mode, enum migrate_reason reason,
			    unsigned int *ret_succeeded);
void gup_kunit_putback_movable_pages(struct list_head *list);

#endif /* CONFIG_GUP_KUNIT_ACCESS */
#endif /* __MM_GUP_KUNIT_ACCESS_H */
