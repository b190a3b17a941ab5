/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folios in a real mm: what the suites use that go in by the exported functions
 * of mm/gup.c, or that need a VMA.
 *
 * The pictures of folios and entries are those of gup_kunit.h. What is different:
 *
 * - The folios come from the page allocator, are charged, counted and mapped as
 *   by a fault, and nobody but the page tables holds a reference to those that
 *   are anonymous. Their kinds "f", "h", "u", "s" and "k" are ordinary memory
 *   that says it is such; a reference of the fixture keeps them.
 * - "m" is anonymous memory that really is in ZONE_MOVABLE.
 * - "@" is a guard marker: nothing is there, and a fault ends with an error.
 * - "p" in an accessible VMA is an entry for NUMA balancing.
 * - "x" needs a VMA with "m" or "p" (below), takes no part in any counting, and
 *   its folio must be of a kind that the fixture keeps.
 * - "+": the folio must come to lie at a multiple of its size.
 * - No "b" (the kernel makes blocks by itself), "_" or "!".
 * - An anonymous page that is mapped twice must be shared: ":s" in both places.
 *
 * The VMAs are a third picture, next to each other, from the first entry on: words
 * of a number of pages and letters: r, w and x, what may be done; s shared memory
 * of shmem, m VM_MIXEDMAP, p VM_PFNMAP, i VM_IO, u VM_UFFD_RWP, d VM_DONTCOPY; g
 * nothing mapped at all. So "8rw 8r 4g". VM_MIXEDMAP, VM_PFNMAP, VM_IO and
 * VM_UFFD_RWP go to a whole VMA, so that its neighbours must be different in
 * another letter as well. Nobody hears of a fault there.
 */
#ifndef _GUP_MM_H
#define _GUP_MM_H

#include "gup_kunit.h"
#include "gup_kunit_mm.h"

/**
 * struct gup_mm_layout - a piece of an address space as pictures
 * @folios: the folios
 * @ptes:   the entries
 * @vmas:   the VMAs; NULL: one that is private, readable and writable, as long
 *          as the picture of the entries
 * @at:     index of the first entry in its page table; -1: so that the last entry
 *          of the layout is the last of a table. There may be more entries than
 *          one table has.
 */
struct gup_mm_layout {
	const char *folios;
	const char *ptes;
	const char *vmas;
	int at;
};

/**
 * struct gup_mm_seen - a folio, and who holds it beside the page tables
 * @folio: the folio
 * @refs:  references that are not those of a mapping
 * @pins:  pins in its counter; 0 if it has none
 * @taken: how many of its pages a call has returned
 * @mapped: whether any of its pages is mapped now
 */
struct gup_mm_seen {
	struct folio *folio;
	int refs;
	int pins;
	unsigned int taken;
	bool mapped;
};

/**
 * struct gup_mm - a piece of an address space
 * @test:    the test that it belongs to
 * @mm:      the address space, that of the thread of the test
 * @addr:    the address of the first entry
 * @nr:      the number of pages
 * @folio:   the folios of the layout, by letter; @refs says whether the fixture
 *           holds a reference
 * @start:   by letter, the address that the first page of an anonymous folio has,
 *           or would have
 * @file:    the mapping of the folios of a file
 * @secretmem: the mapping of the folios of secretmem
 * @shmem:   a file whose mapping is one of shmem, or NULL
 * @pages:   the array for a call, with room for @nr pages and GUP_MM_BEHIND more
 * @want:    by page asked for, what GUP-fast would have given before the call, or
 *           NULL where it would have stopped
 * @seen:    the folios before a call
 * @nr_seen: their number
 * @last_seen: the one that was looked for last
 */
struct gup_mm {
	struct kunit *test;
	struct mm_struct *mm;
	unsigned long addr;
	unsigned int nr;
	struct gup_folio folio[GUP_MAX_FOLIOS];
	unsigned long start[GUP_MAX_FOLIOS];
	struct address_space file;
	struct address_space secretmem;
	struct file *shmem;
	struct page **pages;
	struct page **want;
	struct gup_mm_seen *seen;
	unsigned int nr_seen;
	unsigned int last_seen;
};

/* Entries of the array behind the last page, to see what is too much. */
#define GUP_MM_BEHIND	4

/**
 * gup_mm_is_anon() - is a folio of a layout anonymous memory?
 * @gf: the folio
 *
 * That is held by its mappings only; memory of KSM is no such here.
 *
 * Context: Any.
 * Return: Whether it is.
 */
static inline bool gup_mm_is_anon(const struct gup_folio *gf)
{
	return gf->kind == 'a' || gf->kind == 'm';
}

/**
 * gup_mm_lacks_huge() - why there are not some huge pages at a time
 *
 * Context: Any.
 * Return: The reason to skip a test, or NULL.
 */
static inline const char *gup_mm_lacks_huge(void)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "no CONFIG_TRANSPARENT_HUGEPAGE";
	if (PTRS_PER_PTE > 1024)
		return "a huge page is larger than the memory of this suite";

	return NULL;
}

struct gup_mm *gup_mm_create(struct kunit *test,
			     const struct gup_mm_layout *layout);
struct gup_mm *gup_mm_create_or_skip(struct kunit *test,
				     const struct gup_mm_layout *layout);
struct gup_mm *gup_mm_adopt(struct kunit *test, unsigned long addr,
			    unsigned int nr);
const char *gup_mm_lacks(const struct gup_mm_layout *layout);
void gup_mm_enable_fast(struct kunit *test);
unsigned long gup_mm_map(struct kunit *test, unsigned int nr, int at,
			 struct file *file, unsigned long prot,
			 unsigned long flags);
void gup_mm_set_orders(struct kunit *test, unsigned long orders);
void gup_mm_keep(struct kunit *test, unsigned long addr, unsigned int nr);
unsigned long gup_mm_map_leaf(struct kunit *test, unsigned long pfn,
			      unsigned long size, vm_flags_t flags);

struct vm_area_struct *gup_mm_vma(struct gup_mm *m, unsigned long addr);
unsigned int gup_mm_count_vmas(const char *vmas);
void gup_mm_make_vmas(struct gup_mm *m, const char *vmas);
struct page *gup_mm_page(struct gup_mm *m, char letter, unsigned int idx);
unsigned long gup_mm_addr(struct gup_mm *m, unsigned int entry);

/**
 * enum gup_mm_call - which of the exported functions
 * @GUP_MM_FAST: get_user_pages_fast() or pin_user_pages_fast()
 * @GUP_MM_ONLY: get_user_pages_fast_only()
 * @GUP_MM_SLOW: get_user_pages_unlocked() or pin_user_pages_unlocked()
 * @GUP_MM_LOCKED: get_user_pages() or pin_user_pages(), mmap lock held
 */
enum gup_mm_call {
	GUP_MM_FAST,
	GUP_MM_ONLY,
	GUP_MM_SLOW,
	GUP_MM_LOCKED,
};

/**
 * struct gup_mm_ask - a call, and what came out
 * @call:     the function
 * @flags:    FOLL_* flags; FOLL_PIN or FOLL_GET says which of the two functions
 * @first:    the first page of the layout that is asked for
 * @nr:       the number of pages; may go beyond the layout
 * @ret:      what was returned
 * @acquired: change of NR_FOLL_PIN_ACQUIRED
 * @released: change of NR_FOLL_PIN_RELEASED
 */
struct gup_mm_ask {
	enum gup_mm_call call;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	long ret;
	long acquired;
	long released;
};

/* The oracle: the page table as it is, one address after the other. */
bool gup_mm_read(struct gup_mm *m, unsigned int entry,
		 struct gup_kunit_mm_entry *e);
struct page *gup_mm_mapped(struct gup_mm *m, unsigned int entry);
enum gup_stop gup_oracle_mapped(const struct gup_kunit_mm_entry *e,
				unsigned int flags);
enum gup_stop gup_mm_oracle_fast(struct gup_mm *m, unsigned int entry,
				 unsigned int flags);
unsigned int gup_mm_oracle_walk(struct gup_mm *m, unsigned int first,
				unsigned int nr, unsigned int flags);

/* A call: all in one, or the parts, around a call of another function. */
void gup_mm_before(struct gup_mm *m, struct gup_mm_ask *ask);
void gup_mm_call(struct gup_mm *m, struct gup_mm_ask *ask);
void gup_mm_after(struct gup_mm *m, struct gup_mm_ask *ask);
bool gup_mm_check(struct gup_mm *m, struct gup_mm_ask *ask,
		  struct gup_diff *diff);
bool gup_mm_undo(struct gup_mm *m, struct gup_mm_ask *ask,
		 struct gup_diff *diff);
bool gup_mm_run(struct gup_mm *m, struct gup_mm_ask *ask,
		struct gup_diff *diff);

/**
 * struct gup_mm_row - a call on a layout
 * @name:   what is special about it
 * @layout: the layout
 * @call:   the function
 * @flags:  FOLL_* flags, with FOLL_GET or FOLL_PIN
 * @first:  the first page asked for
 * @nr:     number of pages asked for, 0 for all that follow
 * @ret:    what is returned
 */
struct gup_mm_row {
	const char *name;
	struct gup_mm_layout layout;
	enum gup_mm_call call;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	long ret;
};

void gup_mm_row_run(struct kunit *test);

extern struct kunit_suite gup_mm_suite;
extern struct kunit_suite gup_slow_suite;
extern struct kunit_suite gup_slow_cases_suite;
extern struct kunit_suite gup_slow_leaf_suite;
extern struct kunit_suite gup_slow_huge_suite;
extern struct kunit_suite gup_slow_retry_suite;
extern struct kunit_suite gup_slow_poison_suite;
extern struct kunit_suite gup_bench_slow_suite;

#endif /* _GUP_MM_H */
