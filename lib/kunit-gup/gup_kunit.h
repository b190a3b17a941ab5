/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture and the oracle that the suites in this directory share.
 *
 * A layout is written down as two small pictures, of the folios and of the page
 * table entries that map their pages:
 *
 *	.folios = "A4 B1f"		an anonymous folio of order 4, A, and a file
 *					folio of order 1, B
 *	.ptes   = "A0-7 A8-15:s . B1"	the first half of A writable, the second
 *					read-only and shared, a hole, and the
 *					second page of B
 *
 * Folios: a letter, the order, what kind (one of f file, h shmem, u no mapping,
 * s secretmem, k KSM, m anonymous in ZONE_MOVABLE; nothing: anonymous), and
 * then any of: + right behind the folio before it, _ without a reference, ! with
 * a reference count that has overflowed.
 *
 * Entries: "A3", "A3-5", or downwards "A5-3"; "Z" the zero page; "." a hole;
 * "@" a swap entry; ".4" or "@4" or "Z4" four of them. After a colon what is
 * different from writable, young, dirty, and the page exclusive: r read-only,
 * s read-only and the page shared, o old, c clean, d soft-dirty the other way
 * round, p PROT_NONE, x special, b part of a block of contiguous entries, w
 * write-protected by userfaultfd.
 *
 * There is one space between two words. The letters of the folios follow each
 * other from A on. What has no meaning, or is not there, ends the test with a
 * message, see gup_layout_problem().
 */
#ifndef _GUP_KUNIT_H
#define _GUP_KUNIT_H

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

#include "gup_kunit_access.h"
#include "internal.h"	/* FOLL_PIN */

#define GUP_MAX_FOLIOS	26
#define GUP_POISON	((struct page *)0x5a5a5a5aUL)

/* A walk adds to pages that are there already: this many of them. */
#define GUP_PAGES_BEFORE	1

/*
 * References that a folio of a layout has before a walk, so many that it is not
 * freed by a walker that gives back too much.
 */
#define GUP_HELD		BIT(20)

/**
 * struct gup_folio - one folio of a layout
 * @page:   its first page
 * @order:  its order
 * @kind:   the letter of its kind, 'a' for anonymous
 * @behind: whether it begins right where the folio before it ends
 * @refs:   the references that it has before a walk
 * @block:  the block that it is made of
 */
struct gup_folio {
	struct page *page;
	unsigned int order;
	char kind;
	bool behind;
	int refs;
	struct gup_block *block;
};

/**
 * struct gup_block - contiguous memory that one or more folios are made of
 * @page:  its first page
 * @order: its order
 * @saved: the struct pages as they were before there were folios
 * @refs:  by first page of a folio, the references that it has before a walk
 * @taken: the same, pages of it that the walk returned
 */
struct gup_block {
	struct page *page;
	unsigned int order;
	struct page *saved;
	int *refs;
	int *taken;
};

struct gup_race;

/**
 * struct gup_fixture - folios, a page table that maps them, and a walk over it
 * @test:      the test that it belongs to, with @test->priv pointing back
 * @vma:       the VMA over @table, of an address space with nothing else in it
 * @table:     the page table
 * @pmd:       the entry that leads to @table
 * @slot:      what a walk finds when it looks at the pmd again
 * @at:        index of the first entry of the layout in @table
 * @nr:        number of entries in the layout
 * @folio:     the folios, by letter
 * @block:     the memory of the folios
 * @nr_blocks: number of blocks
 * @file:      the mapping of the folios of a file
 * @secretmem: the mapping of the folios of secretmem
 * @shmem:     a file whose mapping is one of shmem, or NULL
 * @pages:     the array that a walk fills: one page that is there before, room
 *             for the pages of a whole table, and some to see what was too much
 * @want:      the pages that the entries map before a walk
 * @zero_refs: references to the zero page before a walk
 * @race:      what is to happen during a walk, or NULL
 * @refuse:    the entry for which a grab is to fail, or -1
 * @inaccessible: the entry whose folio cannot be made accessible, or -1
 * @reads:     for each entry of the table, how often it was read without the
 *             lock, where stubs count that
 * @grabs:     number of successful grabs, where stubs count them
 * @grabbed:   number of references in them
 * @suite:     what a suite wants to find again from a stub
 * @overruns:  number of scans that were allowed beyond the table
 * @fast:      whether GUP-fast is walking
 * @irqs_on:   number of steps of GUP-fast with IRQs enabled, where stubs see them
 */
struct gup_fixture {
	struct kunit *test;
	struct vm_area_struct *vma;
	pte_t *table;
	pmd_t pmd;
	pmd_t slot;
	unsigned int at;
	unsigned int nr;
	struct gup_folio folio[GUP_MAX_FOLIOS];
	struct gup_block block[GUP_MAX_FOLIOS];
	unsigned int nr_blocks;
	struct address_space file;
	struct address_space secretmem;
	struct file *shmem;
	struct page **pages;
	struct page **want;
	int zero_refs;
	struct gup_race *race;
	int refuse;
	int inaccessible;
	unsigned int *reads;
	unsigned int grabs;
	unsigned int grabbed;
	void *suite;
	unsigned int overruns;
	bool fast;
	unsigned int irqs_on;
};

/**
 * struct gup_layout - a fixture as a picture
 * @folios: the folios
 * @ptes:   the entries
 * @at:     index of the first entry in the table; -1: so that the last entry of
 *          the layout is the last of the table
 */
struct gup_layout {
	const char *folios;
	const char *ptes;
	int at;
};

struct gup_fixture *gup_fixture_create(struct kunit *test,
				       const struct gup_layout *layout);
struct folio *gup_fixture_folio(struct gup_fixture *fx, char letter);
struct page *gup_fixture_page(struct gup_fixture *fx, char letter,
			      unsigned int idx);
void gup_fixture_clear(struct gup_fixture *fx, unsigned int entry, bool swap);
void gup_fixture_set_ptes(struct gup_fixture *fx, const char *ptes);
pte_t *gup_fixture_ptep(struct gup_fixture *fx, unsigned int entry);
unsigned long gup_fixture_addr(struct gup_fixture *fx, unsigned int entry);
void gup_fixture_move_to_node(struct gup_fixture *fx, char letter, int nid);
void gup_fixture_regroup(struct gup_fixture *fx, char letter,
			 unsigned int order);
int gup_fixture_movable_node(void);
const char *gup_fixture_lacks(const char *folios, const char *ptes);
const char *gup_fixture_lacks_hints(const char *ptes, unsigned int flags);
long gup_fixture_stat(enum node_stat_item item);
const char *gup_fixture_no_movable(struct kunit *test);
long gup_fixture_node_stat(int nid, enum node_stat_item item);
void gup_fixture_bind(void);

/* The bits after the colon in a picture; the default is none of them. */
#define GUP_BIT_RDONLY		BIT(0)
#define GUP_BIT_SHARED		BIT(1)
#define GUP_BIT_OLD		BIT(2)
#define GUP_BIT_CLEAN		BIT(3)
#define GUP_BIT_SOFT_DIRTY	BIT(4)
#define GUP_BIT_PROT_NONE	BIT(5)
#define GUP_BIT_SPECIAL		BIT(6)
#define GUP_BIT_BLOCK		BIT(7)
#define GUP_BIT_UFFD_WP		BIT(8)

pte_t gup_fixture_mk_pte(struct page *page, unsigned int bits);
void gup_fixture_map(struct gup_fixture *fx, unsigned int entry,
		     struct page *page, unsigned int bits);

/**
 * enum gup_stop - why a walk stops at an entry
 * @GUP_GO:       it does not
 * @GUP_NONE:     nothing there that this request may access
 * @GUP_SPECIAL:  a special entry
 * @GUP_NO_GRAB:  the folio cannot be grabbed
 * @GUP_REFUSED:  GUP-fast is not allowed to take such a folio
 * @GUP_UNSHARE:  the page has to be unshared first
 * @GUP_PMD:      the page table is not the one that the pmd leads to
 */
enum gup_stop {
	GUP_GO,
	GUP_NONE,
	GUP_SPECIAL,
	GUP_NO_GRAB,
	GUP_REFUSED,
	GUP_UNSHARE,
	GUP_PMD,
};

enum gup_stop gup_oracle_entry(pte_t pte, unsigned int flags);
unsigned int gup_oracle_walk(struct gup_fixture *fx, unsigned int first,
			     unsigned int nr, unsigned int flags,
			     enum gup_stop *stop);
struct page *gup_oracle_page(pte_t pte);
int gup_oracle_refs_per_page(const struct page *page, unsigned int flags);
int gup_oracle_pins_per_page(const struct page *page, unsigned int flags);
int gup_oracle_follow(pte_t pte, vm_flags_t vm_flags, unsigned int flags);

/* The oracle's answer where nothing is mapped that can be taken: -EAGAIN. */
#define GUP_FAULT	(-EAGAIN)

/**
 * struct gup_name - a page as messages show it
 * @text: "A3", "Z", "poison", "no page", "error -14", or "another page"
 */
struct gup_name {
	char text[16];
};

struct gup_name gup_page_name(const struct gup_folio *folio, const void *page);

/**
 * struct gup_diff - the first thing that was not as it should be
 * @what:  in words; NULL when all is well
 * @idx:   where: an entry of the table or of the array, or a page of a block
 * @got:   the value found
 * @want:  the value expected
 * @folio: NULL, or the folios by letter: the values are pages of them
 */
struct gup_diff {
	const char *what;
	unsigned long idx;
	long got;
	long want;
	const struct gup_folio *folio;
};

bool gup_differs(struct gup_diff *diff, const char *what, unsigned long idx,
		 long got, long want);
bool gup_differs_page(struct gup_diff *diff, const struct gup_folio *folio,
		      const char *what, unsigned long idx, const void *got,
		      const void *want);

/*
 * GUP_EXPECT_PAGE() - compare two pages, NULL, errors or %GUP_POISON, and show
 *                     them by the letters of @folio
 * GUP_EXPECT_PAGE_AT() - the same in a loop, with the number of the page
 */
#define GUP_EXPECT_PAGE_AT(test, folio, got, want, idx) do {		\
	const void *__got = (got), *__want = (want);			\
	const struct gup_folio *__folio = (folio);			\
									\
	if (__got != __want)						\
		KUNIT_FAIL(test, "%s, number %ld: got %s, want %s",	\
			   #got, (long)(idx),				\
			   gup_page_name(__folio, __got).text,		\
			   gup_page_name(__folio, __want).text);	\
} while (0)

#define GUP_EXPECT_PAGE(test, folio, got, want) do {			\
	const void *__got = (got), *__want = (want);			\
	const struct gup_folio *__folio = (folio);			\
									\
	if (__got != __want)						\
		KUNIT_FAIL(test, "%s: got %s, want %s", #got,		\
			   gup_page_name(__folio, __got).text,		\
			   gup_page_name(__folio, __want).text);	\
} while (0)

/**
 * struct gup_walk - a request to a walker, and what came out
 * @first:    the first entry of the layout that is asked for
 * @nr:       number of entries
 * @flags:    FOLL_* flags
 * @slow:     ask follow_page_pte(), again and again, instead of GUP-fast
 * @vm_flags: flags of the VMA, where @slow
 * @beyond:   how many pages more than @nr there are to the end of the request,
 *            where @slow: @nr goes up to the end of the table then
 * @ret:      what the walker returned; where @slow, 0, an error, or GUP_FAULT
 * @pinned:   number of pages that it says it stored
 * @acquired: change of NR_FOLL_PIN_ACQUIRED
 * @released: change of NR_FOLL_PIN_RELEASED
 */
struct gup_walk {
	unsigned int first;
	unsigned int nr;
	unsigned int flags;
	bool slow;
	vm_flags_t vm_flags;
	unsigned int beyond;
	int ret;
	int pinned;
	long acquired;
	long released;
};

void gup_walk_run(struct gup_fixture *fx, struct gup_walk *walk);
bool gup_walk_check(struct gup_fixture *fx, struct gup_walk *walk,
		    struct gup_diff *diff);
bool gup_walk_undo(struct gup_fixture *fx, struct gup_walk *walk,
		   struct gup_diff *diff);
void gup_follow_run(struct gup_fixture *fx, struct gup_walk *walk);
unsigned int gup_follow_oracle(struct gup_fixture *fx, struct gup_walk *walk,
			       int *ret);
bool gup_follow_makes_dirty(struct gup_fixture *fx, struct gup_walk *walk,
			    struct folio *folio);
bool gup_walk_matches_oracle(struct gup_fixture *fx, struct gup_walk *walk,
			     struct gup_diff *diff);
void gup_expect_no_diff(struct kunit *test, const struct gup_diff *diff,
			const char *layout);

/**
 * struct gup_row - a request on a layout
 * @name:   what is special about it
 * @layout: the layout
 * @flags:  FOLL_* flags
 * @first:  the first entry asked for
 * @nr:     number of entries asked for, 0 for all that follow
 * @gets:   number of pages returned
 * @stop:   why not more
 */
struct gup_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	unsigned int gets;
	enum gup_stop stop;
};

void gup_row_run(struct kunit *test);

/**
 * enum gup_step - a step of the walk at which a test interferes
 * @GUP_BEFORE_GRAB:  the entry has been read, no reference is held
 * @GUP_AFTER_GRAB:   the references have been taken, nothing else was read
 * @GUP_IN_SCAN:      the first half of the run has been read; the same as
 *                    GUP_AFTER_GRAB where the walker does not look for runs
 * @GUP_BEFORE_CHECK: all of the run has been read
 * @GUP_AFTER_CHECK:  the pmd and the entry have been read again
 */
enum gup_step {
	GUP_BEFORE_GRAB,
	GUP_AFTER_GRAB,
	GUP_IN_SCAN,
	GUP_BEFORE_CHECK,
	GUP_AFTER_CHECK,
};

/**
 * struct gup_race - something that happens during a walk
 * @step:   when, for the run that begins at @entry
 * @entry:  an entry of the layout
 * @change: what happens; IRQs are disabled, so no expectations in it
 * @arg:    for @change
 * @fired:  number of times that it happened
 */
struct gup_race {
	enum gup_step step;
	unsigned int entry;
	void (*change)(struct gup_fixture *fx, unsigned int arg);
	unsigned int arg;
	unsigned int fired;
};

void gup_race_install(struct gup_fixture *fx, struct gup_race *race);
void gup_race_count_reads(struct gup_fixture *fx);
void gup_race_watch_slow(struct gup_fixture *fx);
void gup_race_refuse_grab(struct gup_fixture *fx, unsigned int entry);
const char *gup_race_lacks(void);

/*
 * gup_call_real() - call a function from what replaces it
 *
 * Without a test, there is no replacement for it.
 */
#define gup_call_real(call) ({						\
	struct kunit *__test = current->kunit_test;			\
									\
	current->kunit_test = NULL;					\
	typeof(call) __ret = call;					\
	current->kunit_test = __test;					\
	__ret;								\
})

/* The same for a function that returns nothing. */
#define gup_call_void(call) do {					\
	struct kunit *__test = current->kunit_test;			\
									\
	current->kunit_test = NULL;					\
	call;								\
	current->kunit_test = __test;					\
} while (0)

/* The kinds of requests by short names, for rows. */
#define GUP_GET		FOLL_GET
#define GUP_GET_W	(FOLL_GET | FOLL_WRITE)
#define GUP_PIN		FOLL_PIN
#define GUP_PIN_W	(FOLL_PIN | FOLL_WRITE)
#define GUP_PIN_L	(FOLL_PIN | FOLL_LONGTERM)
#define GUP_PIN_LW	(FOLL_PIN | FOLL_LONGTERM | FOLL_WRITE)
#define GUP_TOUCH_W	(FOLL_TOUCH | FOLL_WRITE)

/* The flags of an ordinary private VMA, and of one that may not be written. */
#define GUP_VM_READ	(VM_READ | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC)
#define GUP_VM		(GUP_VM_READ | VM_WRITE)

/*
 * GUP_ROWS() - make an array of rows, which have a .name, the parameters of cases
 * GUP_CASE_ROWS() - a case that runs a function for each row
 *
 * KUnit prints how many rows there are to come, so that none gets lost unseen.
 */
#define GUP_ROWS(rows)							\
static void rows##_desc(struct kunit *test, const void *row, char *desc) \
{									\
	const typeof((rows)[0]) *__row = row;				\
									\
	strscpy(desc, __row->name, KUNIT_PARAM_DESC_SIZE);		\
}									\
									\
static int rows##_init(struct kunit *test)				\
{									\
	kunit_register_params_array(test, rows, ARRAY_SIZE(rows),	\
				    rows##_desc);			\
									\
	return 0;							\
}

#define GUP_CASE_ROWS(case_name, fn, rows)				\
	{ .run_case = fn, .name = #case_name, .param_init = rows##_init, \
	  .generate_params = kunit_array_gen_params,			\
	  .module_name = KBUILD_MODNAME }

#endif /* _GUP_KUNIT_H */
