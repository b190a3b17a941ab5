/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way for the suites in lib/kunit-gup to static and inline functions in mm/:
 * to call them, and to replace those that begin with KUNIT_STATIC_STUB_REDIRECT().
 */
#ifndef __MM_GUP_KUNIT_ACCESS_H
#define __MM_GUP_KUNIT_ACCESS_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>

struct folio_walk;
struct gup_node_pins;

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

/**
 * struct gup_kunit_gup - static functions of mm/gup.c
 * @fast_available:   gup_fast_available(), to be replaced only
 * @fast_pte_range:   gup_fast_pte_range(); IRQs disabled
 * @fast_pte_batch:   gup_fast_folio_pte_batch(), to be replaced; NULL where the tree
 *                    does not have it
 * @fast_pte_changed: gup_fast_pte_changed(), to be replaced
 * @grab_fast:        try_grab_folio_fast(); IRQs disabled
 * @put_folio:        gup_put_folio()
 * @put_uncounted:    __gup_put_folio(), which each put comes to, to be replaced;
 *                    NULL where that is @put_folio
 * @unpin_folio:      gup_unpin_folio(); NULL where the tree reads the struct page
 *                    of each entry of an array that it unpins
 * @fast_unpin:       gup_fast_unpin_user_pages()
 * @collect_longterm: collect_longterm_unpinnable_folios() for an array of pages
 *                    or folios; NULL without CONFIG_MIGRATION
 * @check_longterm:   check_and_migrate_movable_pages() or ..._folios(); the same
 * @follow_pte:       follow_page_pte()
 * @follow_pte_batch: follow_folio_pte_batch(), to be replaced; NULL where the tree does
 *                    not have it
 * @grab:             try_grab_folio()
 * @may_be_pinned:    gup_may_be_pinned(), to be replaced
 * @make_accessible:  gup_make_accessible(), to be replaced
 * @flush_pages:      gup_flush_pages(), to be replaced
 * @longterm_pinnable: gup_longterm_pinnable(), to be replaced
 *
 * Each is there to be called, and for kunit_activate_static_stub() to replace it.
 */
struct gup_kunit_gup {
	bool (*fast_available)(void);
	int (*fast_pte_range)(pmd_t pmd, pmd_t *pmdp, unsigned long addr,
			      unsigned long end, unsigned int flags,
			      struct page **pages, int *nr);
	unsigned int (*fast_pte_batch)(struct folio *folio, struct page *page,
				       pte_t *ptep, pte_t pte,
				       unsigned int max_nr);
	bool (*fast_pte_changed)(pmd_t pmd, pmd_t *pmdp, pte_t pte,
				 pte_t *ptep);
	struct folio *(*grab_fast)(struct page *page, int refs,
				   unsigned int flags);
	void (*put_folio)(struct folio *folio, int refs, unsigned int flags);
	bool (*put_uncounted)(struct folio *folio, int refs,
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
	unsigned int (*follow_pte_batch)(struct folio *folio, struct page *page,
					 pte_t *ptep, pte_t pte,
					 unsigned int max_nr, unsigned int flags);
	int (*grab)(struct folio *folio, int refs, unsigned int flags);
	bool (*may_be_pinned)(const struct page *page);
	int (*make_accessible)(struct folio *folio);
	void (*flush_pages)(struct vm_area_struct *vma, unsigned long addr,
			    struct page *page, unsigned int nr_pages);
	bool (*longterm_pinnable)(struct folio *folio);
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

/**
 * struct gup_kunit_batch - inline functions that say how far a batch reaches
 * @pte_batch:      folio_pte_batch_flags() without a VMA; the flags are
 *                  GUP_KUNIT_*
 * @guess_nr_pages: gup_guess_nr_pages()
 * @guess_nr_ptes:  gup_guess_nr_ptes()
 * @nr_same_ptes:   gup_nr_same_ptes()
 * @nr_exclusive:   gup_nr_exclusive()
 * @nr_shareable:   gup_nr_shareable()
 * @nr_folio_pages: gup_next_folio_entry(): how many entries of an array, from the
 *                  first on, are pages of a folio
 * @nr_same_folios: gup_nr_same_folios()
 *
 * mm/gup_batch.h and mm/internal.h say what they are to be given and return.
 */
struct gup_kunit_batch {
	unsigned int (*pte_batch)(struct folio *folio, pte_t *ptep, pte_t pte,
				  unsigned int max_nr, unsigned int flags);
	unsigned int (*guess_nr_pages)(unsigned long pfn, unsigned int max_nr);
	unsigned int (*guess_nr_ptes)(pte_t *ptep, pte_t pte,
				      unsigned int max_nr);
	unsigned int (*nr_same_ptes)(pte_t *ptep, pte_t pte,
				     unsigned int max_nr);
	unsigned int (*nr_exclusive)(struct folio *folio, struct page *page,
				     unsigned int max_nr, unsigned int flags);
	unsigned int (*nr_shareable)(struct folio *folio, struct page *page,
				     unsigned int max_nr, unsigned int flags);
	unsigned long (*nr_folio_pages)(struct folio *folio,
					struct page **pages,
					unsigned long max_nr);
	unsigned long (*nr_same_folios)(struct folio **folios,
					unsigned long max_nr);
};

extern const struct gup_kunit_batch gup_kunit_batch;

#endif /* __MM_GUP_KUNIT_ACCESS_H */
