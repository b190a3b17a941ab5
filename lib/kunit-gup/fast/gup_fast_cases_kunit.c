// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_cases: bugs that kernels really had, and some that were close.
 *
 * Each row is a layout, a request, and the result in numbers: the pages, the
 * references and pins of each folio, and the statistic. The numbers come from
 * the rules, not from the oracle, and are the same for a walker that goes page
 * by page. After the pages are put, all of them have to be zero.
 *
 * To add a row: a name, a layout (see gup_layout.h), the flags, .want. A row
 * asks for all entries, unless it has .first and .nr.
 */
#include <linux/pgalloc.h>

#include "walk/gup_fast.h"
#include "walk/gup_race.h"

#define GUP_CASES_FOLIOS	5

/**
 * struct gup_cases_counts - what comes out of a walk
 * @got:    number of pages returned, but for those in @pinned
 * @pinned: number of pages returned whose pins the statistic counts
 * @zero:   references to the zero page
 * @refs:   references to the folios A, B, ...
 * @pins:   pins in the counters of the folios A, B, ...
 */
struct gup_cases_counts {
	unsigned int got;
	unsigned int pinned;
	int zero;
	int refs[GUP_CASES_FOLIOS];
	int pins[GUP_CASES_FOLIOS];
};

/* The number of pages; the references to A, B, ..., and the pins if pinned. */
#define GOT(nr, ...)	{ .got = (nr), .refs = { __VA_ARGS__ } }
#define PINNED(nr, ...)	{ .pinned = (nr), .refs = { __VA_ARGS__ }, \
			  .pins = { __VA_ARGS__ } }

/* A folio of order 1 has no counter of pins on 32 bits. */
#define O1_REFS(nr)	((nr) * (IS_ENABLED(CONFIG_64BIT) ? 1 : 1024))
#define O1_PINS(nr)	((nr) * IS_ENABLED(CONFIG_64BIT))

#define IF_HUGETLB(yes, no)	(IS_ENABLED(CONFIG_HUGETLB_PAGE) ? (yes) : (no))

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
 */
struct gup_cases_row {
	const char *name;
	struct gup_layout layout;
	unsigned int flags;
	unsigned int first;
	unsigned int nr;
	void (*before)(struct gup_fixture *fx, unsigned int arg);
	struct gup_race race;
	struct gup_cases_counts want;
};

/* The pmd is present, but leads to another page than the table. */
static void other_pmd(struct gup_fixture *fx, unsigned int arg)
{
	pmd_populate_kernel(&init_mm, &fx->slot, page_address(fx->folio[0].page));
}

/* Make A a hugetlb folio, as far as GUP-fast can see. */
static void make_hugetlb(struct gup_fixture *fx, unsigned int arg)
{
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE))
		fx->folio[0].page->page_type = (unsigned int)PGTY_hugetlb << 24;
}

#define NO_MAPPING	{ "A0u B0u+ C0u+ D0u+", "A0 B0 C0 D0" }

static const struct gup_cases_row gup_cases_real_rows[] = {
	{ .name = "case 1 get", .layout = { "A4", "A0-15" },
	  .flags = GUP_GET_W, .before = other_pmd },
	{ .name = "case 1 pin", .layout = { "A4", "A0-15" },
	  .flags = GUP_PIN_W, .before = other_pmd },
	{ .name = "case 1 pin small folio", .layout = { "A0", "A0" },
	  .flags = GUP_PIN_W, .before = other_pmd },
	{ .name = "case 2 get", .layout = { "A4", "A0-7 A8-15:s" },
	  .flags = GUP_GET_W, .want = GOT(8, 8) },
	{ .name = "case 2 pin", .layout = { "A4", "A0-7 A8-15:s" },
	  .flags = GUP_PIN_W, .want = PINNED(8, 8) },
	{ .name = "case 2 from page 8", .layout = { "A4", "A0-7 A8-15:s" },
	  .flags = GUP_GET_W, .first = 8, .nr = 8 },
	{ .name = "case 3 pin", .layout = { "A4", "A0-7:r A8-15:s" },
	  .flags = GUP_PIN, .want = PINNED(8, 8) },
	{ .name = "case 3 get", .layout = { "A4", "A0-7:r A8-15:s" },
	  .flags = GUP_GET, .want = GOT(16, 16) },
	{ .name = "case 3 hugetlb", .layout = { "A4", "A0:r A1-15:s" },
	  .flags = GUP_PIN, .before = make_hugetlb,
	  .want = PINNED(IF_HUGETLB(16, 1), IF_HUGETLB(16, 1)) },
	{ .name = "case 3 hugetlb shared", .layout = { "A4", "A0:s A1-15:r" },
	  .flags = GUP_PIN, .first = 5, .before = make_hugetlb,
	  .want = PINNED(IF_HUGETLB(0, 11), IF_HUGETLB(0, 11)) },
	{ .name = "case 5 get", .layout = { "A2 B2+", "A0-3 B0-3" },
	  .flags = GUP_GET_W, .want = GOT(8, 4, 4) },
	{ .name = "case 5 pin", .layout = { "A2 B2+", "A0-3 B0-3" },
	  .flags = GUP_PIN_W, .want = PINNED(8, 4, 4) },
	{ .name = "case 5 from page 2", .layout = { "A2 B2+", "A0-3 B0-3" },
	  .flags = GUP_GET_W, .first = 2, .nr = 4, .want = GOT(4, 2, 2) },
	{ .name = "case 6 pin", .layout = NO_MAPPING,
	  .flags = GUP_PIN_W,
	  .want = { .pinned = 4, .refs = { 1024, 1024, 1024, 1024 } } },
	{ .name = "case 6 longterm pin", .layout = NO_MAPPING,
	  .flags = GUP_PIN_LW },
	{ .name = "case 6 get", .layout = NO_MAPPING,
	  .flags = GUP_GET_W, .want = GOT(4, 1, 1, 1, 1) },
	{ .name = "case 6 secretmem get", .layout = { "A0s", "A0" },
	  .flags = GUP_GET_W },
	{ .name = "case 6 secretmem pin", .layout = { "A0s", "A0" },
	  .flags = GUP_PIN_W },
	{ .name = "case 7 given back", .layout = { "A1h", "A0-1" },
	  .flags = GUP_PIN_W, .before = other_pmd },
	{ .name = "case 12 get", .layout = { "A0", "Z8:r" },
	  .flags = GUP_GET, .want = { .got = 8, .zero = 8 } },
	{ .name = "case 12 pin", .layout = { "A0", "Z8:r" },
	  .flags = GUP_PIN, .want = { .got = 8 } },
	{ .name = "case 12 longterm pin", .layout = { "A0", "Z8:r" },
	  .flags = GUP_PIN_L },
	{ .name = "case 12 special", .layout = { "A0", "Z8:rx" },
	  .flags = GUP_GET },
	{ .name = "case 13", .layout = { "A0 B0 C0 D0", "A0 B0 C0:x D0" },
	  .flags = GUP_GET, .want = GOT(2, 1, 1) },
	{ .name = "case 14", .layout = { "A2", "A2:x A0:x A3:x" },
	  .flags = GUP_PIN },
	{ .name = "case 18 get", .layout = { "A2", "A0-1 A2:p A3" },
	  .flags = GUP_GET, .want = GOT(2, 2) },
	{ .name = "case 22 last six entries",
	  .layout = { "A4", "A0-5", .at = -1 }, .flags = GUP_GET,
	  .want = GOT(6, 6) },
	{ .name = "case 22 the next table", .layout = { "A4", "A6-15" },
	  .flags = GUP_GET, .want = GOT(10, 10) },
	{ .name = "case 22 scrambled", .layout = { "A2", "A3 A1 A1 A0" },
	  .flags = GUP_GET, .want = GOT(4, 4) },
	{ .name = "io_uring", .layout = { "A3 B3 C3", "A5-7 B0-7 C0-1" },
	  .flags = GUP_PIN_W, .want = PINNED(13, 3, 8, 2) },
	{ .name = "io_uring scrambled", .layout = { "A2", "A3 A1 A1 A0" },
	  .flags = GUP_PIN_W, .want = PINNED(4, 4) },
};

GUP_ROWS(gup_cases_real_rows);

static const struct gup_cases_row gup_cases_close_rows[] = {
	{ .name = "small folio before a tail",
	  .layout = { "A0 B4", "A0 B5-15" }, .flags = GUP_PIN_W,
	  .want = { .pinned = 12, .refs = { 1024, 11 }, .pins = { 0, 11 } } },
	{
		.name = "neighbours of falling order",
		.layout = { "A3 B2+ C1+ D0+", "A6-7 B0-3 C0-1 D0" },
		.flags = GUP_PIN_W,
		.want = { .pinned = 9, .refs = { 2, 4, O1_REFS(2), 1024 },
			  .pins = { 2, 4, O1_PINS(2) } },
	},
	{ .name = "neighbours of rising order",
	  .layout = { "A0 B0+ C1+ D2+ E3+", "A0 B0 C0-1 D0-3 E0-6" },
	  .flags = GUP_GET_W, .want = GOT(15, 1, 1, 2, 4, 7) },
	{ .name = "all of the folio twice", .layout = { "A3", "A0-7 A0-7" },
	  .flags = GUP_PIN_W, .want = PINNED(16, 16) },
	{ .name = "shared folio behind", .layout = { "A2 B2", "A0-3:r B0-3:s" },
	  .flags = GUP_PIN, .nr = 4, .want = PINNED(4, 4) },
	{ .name = "shared page last", .layout = { "A3", "A0-2:r A3:s A4-7:r" },
	  .flags = GUP_PIN, .nr = 4, .want = PINNED(3, 3) },
	{ .name = "shared page before it", .layout = { "A3", "A0:s A1-7:r" },
	  .flags = GUP_PIN, .first = 1, .want = PINNED(7, 7) },
	{ .name = "writable read_only and shared in turn",
	  .layout = { "A3", "A0-1 A2-3:r A4-5 A6:s A7" }, .flags = GUP_PIN,
	  .want = PINNED(6, 6) },
	{
		.name = "order 1 half shared", .layout = { "A1", "A0:r A1:s" },
		.flags = GUP_PIN,
		.want = { .pinned = 1, .refs = { O1_REFS(1) },
			  .pins = { O1_PINS(1) } },
	},
	{ .name = "longterm to write anon shmem file",
	  .layout = { "A2 B2h C2f", "A0-3 B0-3 C0-3" }, .flags = GUP_PIN_LW,
	  .want = PINNED(8, 4, 4) },
	{ .name = "longterm to write large and no mapping",
	  .layout = { "A2 B2u", "A0-3 B0-3" }, .flags = GUP_PIN_LW,
	  .want = PINNED(4, 4) },
	{ .name = "longterm to read anon and shmem",
	  .layout = { "A2 B2h", "A0-3:r B0-3:r" }, .flags = GUP_PIN_L,
	  .want = PINNED(4, 4) },
	{ .name = "longterm movable", .layout = { "A2 B2m C2", "A0-1 B0-3 C0" },
	  .flags = GUP_PIN_L, .want = PINNED(2, 2) },
	{ .name = "longterm get", .layout = { "A2m B0 C2f", "A0-3 B0 C0-3" },
	  .flags = GUP_GET_W | FOLL_LONGTERM, .want = GOT(9, 4, 1, 4) },
};

GUP_ROWS(gup_cases_close_rows);

static void share_in_b(struct gup_fixture *fx, unsigned int idx)
{
	ClearPageAnonExclusive(gup_fixture_page(fx, 'B', idx));
}

static void split_b(struct gup_fixture *fx, unsigned int order)
{
	gup_fixture_regroup(fx, 'B', order);
}

/* Changes when the walk already has a batch that it keeps. */
static const struct gup_cases_row gup_cases_late_rows[] = {
	{ .name = "pmd in scan", .layout = { "A2 B4", "A0-3 B0-15" },
	  .race = { GUP_IN_SCAN, 4, other_pmd }, .flags = GUP_PIN_W,
	  .want = PINNED(4, 4) },
	{ .name = "pmd in the same folio", .layout = { "A3", "A0-3 A4-7:r" },
	  .race = { GUP_BEFORE_CHECK, 4, other_pmd }, .flags = GUP_PIN,
	  .want = PINNED(4, 4) },
	{ .name = "page shared", .layout = { "A2 B4", "A0-3:r B0-15:r" },
	  .race = { GUP_AFTER_CHECK, 4, share_in_b, 5 }, .flags = GUP_PIN,
	  .want = PINNED(9, 4, 5) },
	{
		.name = "split before grab", .layout = { "A2 B4", "A0-3 B0-15" },
		.race = { GUP_BEFORE_GRAB, 4, split_b, 1 }, .flags = GUP_PIN_W,
		.want = { .pinned = 20, .refs = { 4, O1_REFS(2) },
			  .pins = { 4, O1_PINS(2) } },
	},
};

GUP_ROWS(gup_cases_late_rows);

static void gup_cases_expect(struct kunit *test, struct gup_fixture *fx,
			     const struct gup_cases_counts *want)
{
	unsigned int i;

	for (i = 0; i < GUP_CASES_FOLIOS && fx->folio[i].kind; i++) {
		struct folio *folio = gup_fixture_folio(fx, 'A' + i);
		int pins = folio_has_pincount(folio) ?
			   atomic_read(&folio->_pincount) : 0;

		KUNIT_EXPECT_EQ_MSG(test, folio_ref_count(folio),
				    fx->folio[i].refs + want->refs[i],
				    "%c", 'A' + i);
		KUNIT_EXPECT_EQ_MSG(test, pins, want->pins[i], "%c", 'A' + i);
	}
	KUNIT_EXPECT_EQ(test, page_ref_count(ZERO_PAGE(0)) - fx->zero_refs,
			want->zero);
}

static void gup_cases_run_row(struct kunit *test)
{
	const struct gup_cases_row *row = test->param_value;
	const unsigned int gets = row->want.got + row->want.pinned;
	struct gup_walk walk = {
		.walker = &gup_fast, .first = row->first, .flags = row->flags,
	};
	const struct gup_cases_counts nothing = {};
	struct gup_race race = row->race;
	struct gup_fixture *fx;

	fx = gup_fixture_create_or_skip(test, &row->layout);
	walk.nr = row->nr ?: fx->nr - row->first;
	if (row->before)
		row->before(fx, 0);
	if (race.change)
		gup_race_install(fx, &race);
	gup_walk_run(fx, &walk);
	fx->watch->race = NULL;

	KUNIT_EXPECT_EQ(test, race.fired, race.change ? 1 : 0);
	KUNIT_EXPECT_EQ(test, walk.pinned, gets);
	KUNIT_EXPECT_EQ(test, walk.ret, gets == walk.nr);
	KUNIT_EXPECT_EQ(test, walk.acquired - walk.released, row->want.pinned);
	gup_cases_expect(test, fx, &row->want);
	gup_walk_settle(fx, &walk, row->layout.ptes);
	gup_cases_expect(test, fx, &nothing);
}

/* Case 7: on 32 bits, a counter of pins would be in the next page. */
static void gup_cases_order_1(struct kunit *test)
{
	const struct gup_layout layout = { "A1h B0+ C0+", "A0-1" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	const struct gup_cases_counts want = {
		.refs = { O1_REFS(2) }, .pins = { O1_PINS(2) },
	};
	struct gup_walk walk = {
		.walker = &gup_fast, .nr = 2, .flags = GUP_PIN_W,
	};
	struct page *behind = gup_fixture_page(fx, 'B', 0);
	const struct page saved = *behind;

	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_EQ(test, walk.acquired - walk.released, 2);
	gup_cases_expect(test, fx, &want);
	KUNIT_EXPECT_MEMEQ(test, behind, &saved, sizeof(saved));
	gup_walk_settle(fx, &walk, layout.ptes);
}

/* Cases 2, 5 and 22: how far a batch reaches from an entry on. */
static void gup_cases_batch(struct kunit *test)
{
	static const struct {
		struct gup_layout layout;
		unsigned int first, min, max, flags, want;
	} rows[] = {
		{ .layout = { "A4", "A0-7 A8-15:s" }, .min = 16, .max = 16,
		  .flags = GUP_KUNIT_RESPECT_WRITE, .want = 8 },
		{ .layout = { "A4", "A0-7 A8-15:s" }, .min = 16, .max = 16,
		  .want = 16 },
		{ .layout = { "A2 B2+", "A0-3 B0-3" }, .min = 8, .max = 8,
		  .want = 4 },
		{ .layout = { "A2 B2+", "A0-3 B0-3" }, .first = 2, .min = 3,
		  .max = 6, .want = 2 },
		{ .layout = { "A2", "A0-3" }, .min = 5, .max = 16, .want = 4 },
		{ .layout = { "A4 B0", "A0-15 B0" }, .first = 5, .min = 11,
		  .max = 16, .want = 11 },
		{ .layout = { "A4", "A0-5", .at = -1 }, .min = 6, .max = 6,
		  .want = 6 },
		{ .layout = { "A2", "A3 A1 A1 A0" }, .first = 1, .min = 2,
		  .max = 3, .want = 1 },
	};
	unsigned int i, max_nr, nr;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct gup_fixture *fx = gup_fixture_create(test, &rows[i].layout);
		pte_t *ptep = gup_fixture_ptep(fx, rows[i].first);

		for (max_nr = rows[i].min; max_nr <= rows[i].max; max_nr++) {
			nr = gup_kunit_batch.pte_batch(gup_fixture_folio(fx, 'A'), ptep,
						 ptep_get(ptep), max_nr,
						 rows[i].flags);
			KUNIT_EXPECT_EQ_MSG(test, nr, rows[i].want,
					    "row %u max_nr %u", i, max_nr);
		}
	}
}

static struct kunit_case gup_fast_cases_cases[] = {
	GUP_CASE_ROWS(real, gup_cases_run_row, gup_cases_real_rows),
	GUP_CASE_ROWS(close, gup_cases_run_row, gup_cases_close_rows),
	GUP_CASE_ROWS(late, gup_cases_run_row, gup_cases_late_rows),
	KUNIT_CASE(gup_cases_order_1),
	KUNIT_CASE(gup_cases_batch),
	{}
};

static struct kunit_suite gup_fast_cases_suite = {
	.name = "gup_fast_cases",
	.test_cases = gup_fast_cases_cases,
};

kunit_test_suite(gup_fast_cases_suite);
