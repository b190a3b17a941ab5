// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_cases: faults that kernels really had, and some that were close.
 *
 * Each row is a layout, a request, and in numbers all that has to come out: the
 * pages, the references and pins of each folio, and the statistic. The numbers
 * come from the rules, not from the oracle; after the pages are put, all of them
 * have to be zero. They hold for a walker that goes page by page as well as for
 * one that goes by runs; where these differ, .runs is for the second.
 *
 * To add a row: a name, the pictures (see gup_kunit.h), the flags, .want. A row
 * asks for all entries, unless it has .first and .nr.
 */
#include <linux/irqflags.h>
#include <linux/pgalloc.h>

#include "gup_kunit.h"

#define GUP_CASES_FOLIOS	5

/* A pin of a folio of order 1: there is no counter for it on 32 bits. */
#define O1_REFS(nr)	(IS_ENABLED(CONFIG_64BIT) ? (nr) : (nr) * 1024)
#define O1_PINS(nr)	(IS_ENABLED(CONFIG_64BIT) ? (nr) : 0)

#define IF_HUGETLB(yes, no)	(IS_ENABLED(CONFIG_HUGETLB_PAGE) ? (yes) : (no))

/**
 * struct gup_cases_counts - what comes out of a walk
 * @gets: number of pages returned
 * @acq:  pins acquired and not released
 * @zero: references to the zero page
 * @refs: references to the folios A, B, ...
 * @pins: pins in the counters of the folios A, B, ...
 */
struct gup_cases_counts {
	unsigned int gets;
	int acq;
	int zero;
	int refs[GUP_CASES_FOLIOS];
	int pins[GUP_CASES_FOLIOS];
};

/**
 * struct gup_cases_row - a request and what comes out of it
 * @name:   what it stands for
 * @layout: the layout
 * @flags:  FOLL_* flags
 * @first:  the first entry asked for
 * @nr:     number of entries asked for, 0 for all that follow
 * @before: a change before the walk, or NULL
 * @race:   a change during the walk, if it has one
 * @want:   what comes out
 * @runs:   the same by a walker that goes by runs, if not @want
 */
struct gup_cases_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	void (*before)(struct gup_fixture *fx);
	struct gup_race race;
	struct gup_cases_counts want;
	struct gup_cases_counts runs;
};

static void free_table(void *table)
{
	pte_free_kernel(&init_mm, table);
}

/* The pmd leads to a copy of the table: not one entry is different. */
static void other_pmd(struct gup_fixture *fx)
{
	pte_t *table = pte_alloc_one_kernel(&init_mm);

	KUNIT_ASSERT_NOT_NULL(fx->test, table);
	KUNIT_ASSERT_EQ(fx->test, 0, kunit_add_action_or_reset(fx->test,
							       free_table, table));
	memcpy(table, fx->table, PTRS_PER_PTE * sizeof(*table));
	pmd_populate_kernel(&init_mm, &fx->slot, table);
}

/* A becomes one of hugetlb, as far as GUP-fast can see. */
static void make_hugetlb(struct gup_fixture *fx)
{
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE))
		fx->folio[0].page->page_type = (unsigned int)PGTY_hugetlb << 24;
}

static void clear_pmd(struct gup_fixture *fx, unsigned int arg)
{
	fx->slot = __pmd(0);
}

static void clear_entry(struct gup_fixture *fx, unsigned int entry)
{
	gup_fixture_clear(fx, entry, false);
}

static void protnone_entry(struct gup_fixture *fx, unsigned int entry)
{
	pte_t pte = ptep_get(gup_fixture_ptep(fx, entry));

	gup_fixture_map(fx, entry, gup_oracle_page(pte), GUP_BIT_PROT_NONE);
}

static void share_page_of_b(struct gup_fixture *fx, unsigned int idx)
{
	ClearPageAnonExclusive(gup_fixture_page(fx, 'B', idx));
}

static void truncate_b(struct gup_fixture *fx, unsigned int arg)
{
	gup_fixture_page(fx, 'B', 0)->mapping = NULL;
}

static void split_b(struct gup_fixture *fx, unsigned int order)
{
	gup_fixture_regroup(fx, 'B', order);
}

static const struct gup_cases_row gup_cases_real_rows[] = {
	{
		.name = "case 1 get", .layout = { "A4", "A0-15" },
		.flags = GUP_GET_W, .before = other_pmd,
	}, {
		.name = "case 1 pin", .layout = { "A4", "A0-15" },
		.flags = GUP_PIN_W, .before = other_pmd,
	}, {
		.name = "case 1 pin small folio", .layout = { "A0", "A0" },
		.flags = GUP_PIN_W, .before = other_pmd,
	}, {
		.name = "case 2 get", .layout = { "A4", "A0-7 A8-15:s" },
		.flags = GUP_GET_W, .want = { .gets = 8, .refs = { 8 } },
	}, {
		.name = "case 2 pin", .layout = { "A4", "A0-7 A8-15:s" },
		.flags = GUP_PIN_W,
		.want = { .gets = 8, .refs = { 8 }, .pins = { 8 }, .acq = 8 },
	}, {
		.name = "case 2 from page 8", .layout = { "A4", "A0-7 A8-15:s" },
		.flags = GUP_GET_W, .first = 8, .nr = 8,
	}, {
		.name = "case 3 pin", .layout = { "A4", "A0-7:r A8-15:s" },
		.flags = GUP_PIN,
		.want = { .gets = 8, .refs = { 8 }, .pins = { 8 }, .acq = 8 },
	}, {
		.name = "case 3 get", .layout = { "A4", "A0-7:r A8-15:s" },
		.flags = GUP_GET, .want = { .gets = 16, .refs = { 16 } },
	}, {
		.name = "case 3 hugetlb exclusive by its head page",
		.layout = { "A4", "A0:r A1-15:s" },
		.flags = GUP_PIN, .before = make_hugetlb,
		.want = { .gets = IF_HUGETLB(16, 1), .acq = IF_HUGETLB(16, 1),
			  .refs = { IF_HUGETLB(16, 1) },
			  .pins = { IF_HUGETLB(16, 1) } },
	}, {
		.name = "case 3 hugetlb shared by its head page",
		.layout = { "A4", "A0:s A1-15:r" },
		.flags = GUP_PIN, .first = 5, .before = make_hugetlb,
		.want = { .gets = IF_HUGETLB(0, 11), .acq = IF_HUGETLB(0, 11),
			  .refs = { IF_HUGETLB(0, 11) },
			  .pins = { IF_HUGETLB(0, 11) } },
	}, {
		.name = "case 5 get", .layout = { "A2 B2+", "A0-3 B0-3" },
		.flags = GUP_GET_W, .want = { .gets = 8, .refs = { 4, 4 } },
	}, {
		.name = "case 5 pin", .layout = { "A2 B2+", "A0-3 B0-3" },
		.flags = GUP_PIN_W,
		.want = { .gets = 8, .refs = { 4, 4 }, .pins = { 4, 4 }, .acq = 8 },
	}, {
		.name = "case 5 from page 2", .layout = { "A2 B2+", "A0-3 B0-3" },
		.flags = GUP_GET_W, .first = 2, .nr = 4,
		.want = { .gets = 4, .refs = { 2, 2 } },
	}, {
		.name = "case 6 pin",
		.layout = { "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" },
		.flags = GUP_PIN_W,
		.want = { .gets = 4, .refs = { 1024, 1024, 1024, 1024 }, .acq = 4 },
	}, {
		.name = "case 6 longterm pin",
		.layout = { "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" },
		.flags = GUP_PIN_LW,
	}, {
		.name = "case 6 get",
		.layout = { "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" },
		.flags = GUP_GET_W, .want = { .gets = 4, .refs = { 1, 1, 1, 1 } },
	}, {
		.name = "case 6 secretmem pin", .layout = { "A0s B0s+", "A0 B0" },
		.flags = GUP_PIN_W,
	}, {
		.name = "case 6 secretmem longterm pin",
		.layout = { "A0s B0s+", "A0 B0" }, .flags = GUP_PIN_LW,
	}, {
		.name = "case 6 secretmem get", .layout = { "A0s B0s+", "A0 B0" },
		.flags = GUP_GET_W,
	}, {
		.name = "case 7 pin", .layout = { "A1h", "A0-1" },
		.flags = GUP_PIN_W,
		.want = { .gets = 2, .refs = { O1_REFS(2) }, .pins = { O1_PINS(2) },
			  .acq = 2 },
	}, {
		.name = "case 7 given back", .layout = { "A1h", "A0-1" },
		.flags = GUP_PIN_W, .before = other_pmd,
	}, {
		.name = "case 12 get", .layout = { "A0", "Z8:r" },
		.flags = GUP_GET, .want = { .gets = 8, .zero = 8 },
	}, {
		.name = "case 12 pin", .layout = { "A0", "Z8:r" },
		.flags = GUP_PIN, .want = { .gets = 8 },
	}, {
		.name = "case 12 longterm pin", .layout = { "A0", "Z8:r" },
		.flags = GUP_PIN_L,
	}, {
		.name = "case 12 special", .layout = { "A0", "Z8:rx" },
		.flags = GUP_GET,
	}, {
		.name = "case 13", .layout = { "A0 B0 C0 D0", "A0 B0 C0:x D0" },
		.flags = GUP_GET, .want = { .gets = 2, .refs = { 1, 1 } },
	}, {
		.name = "case 14", .layout = { "A2", "A2:x A0:x A3:x" },
		.flags = GUP_PIN,
	}, {
		.name = "case 18 get", .layout = { "A2", "A0-1 A2:p A3" },
		.flags = GUP_GET, .want = { .gets = 2, .refs = { 2 } },
	}, {
		.name = "case 18 pin", .layout = { "A2", "A0-1 A2:p A3" },
		.flags = GUP_PIN,
		.want = { .gets = 2, .refs = { 2 }, .pins = { 2 }, .acq = 2 },
	}, {
		.name = "case 22 last six entries", .layout = { "A4", "A0-5", -1 },
		.flags = GUP_GET, .want = { .gets = 6, .refs = { 6 } },
	}, {
		.name = "case 22 the next table", .layout = { "A4", "A6-15" },
		.flags = GUP_GET, .want = { .gets = 10, .refs = { 10 } },
	}, {
		.name = "case 22 scrambled", .layout = { "A2", "A3 A1 A1 A0" },
		.flags = GUP_GET, .want = { .gets = 4, .refs = { 4 } },
	}, {
		.name = "io_uring buffer",
		.layout = { "A3 B3 C3", "A5-7 B0-7 C0-1" }, .flags = GUP_PIN_W,
		.want = { .gets = 13, .refs = { 3, 8, 2 }, .pins = { 3, 8, 2 },
			  .acq = 13 },
	}, {
		.name = "io_uring scrambled", .layout = { "A2", "A3 A1 A1 A0" },
		.flags = GUP_PIN_W,
		.want = { .gets = 4, .refs = { 4 }, .pins = { 4 }, .acq = 4 },
	},
};

KUNIT_ARRAY_PARAM_DESC(gup_cases_real, gup_cases_real_rows, name);
