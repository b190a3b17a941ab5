// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fixture: the fixture and the oracle of the other suites, against
 * literals.
 *
 * A layout has to become the folios and entries that it describes, and the
 * oracle has to follow the rules of mm/gup.c, before a result of other suites
 * means anything. So all values here are written by hand.
 */
#include <linux/err.h>

#include "fixture/gup_seed.h"
#include "walk/gup_fast.h"

static void gup_fixture_makes_folios(struct kunit *test)
{
	const struct gup_layout layout = { "A4 B1f C0u D2+ E0_ F0k", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct folio *a = gup_fixture_folio(fx, 'A');
	struct folio *b = gup_fixture_folio(fx, 'B');

	KUNIT_EXPECT_EQ(test, folio_nr_pages(a), 16);
	KUNIT_EXPECT_TRUE(test, folio_test_anon(a));
	KUNIT_EXPECT_EQ(test, folio_ref_count(a), GUP_HELD);
	GUP_EXPECT_PAGE(test, fx->folio,
			&page_folio(gup_fixture_page(fx, 'A', 15))->page,
			&a->page);
	KUNIT_EXPECT_EQ(test, folio_nr_pages(b), 2);
	KUNIT_EXPECT_FALSE(test, folio_test_anon(b));
	KUNIT_EXPECT_PTR_EQ(test, b->mapping, &fx->file);
	KUNIT_EXPECT_NULL(test, gup_fixture_folio(fx, 'C')->mapping);
	KUNIT_EXPECT_EQ(test, folio_order(gup_fixture_folio(fx, 'C')), 0);
	KUNIT_EXPECT_EQ(test, folio_ref_count(gup_fixture_folio(fx, 'E')), 0);
	KUNIT_EXPECT_TRUE(test, folio_test_anon(gup_fixture_folio(fx, 'F')));
	KUNIT_EXPECT_FALSE(test, PageAnonNotKsm(gup_fixture_page(fx, 'F', 0)));
}

static void gup_fixture_makes_neighbours(struct kunit *test)
{
	const struct gup_layout layout = { "A2 B2+ C0+", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct page *a = gup_fixture_page(fx, 'A', 0);

	KUNIT_EXPECT_EQ(test, gup_fixture_page(fx, 'B', 0) - a, 4);
	KUNIT_EXPECT_EQ(test, gup_fixture_page(fx, 'C', 0) - a, 8);
	KUNIT_EXPECT_PTR_NE(test, page_folio(a + 3), page_folio(a + 4));
}

static void gup_expect_mapped(struct gup_fixture *fx, pte_t pte,
			      unsigned int idx)
{
	GUP_EXPECT_PAGE(fx->test, fx->folio, gup_oracle_page(pte),
			gup_fixture_page(fx, 'A', idx));
}

static void gup_fixture_makes_entries(struct kunit *test)
{
	const struct gup_layout layout = { "A2 B0", "A2-3 .2 B0:rc @ A1-0:s" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	pte_t *ptep = fx->table;

	KUNIT_EXPECT_EQ(test, fx->nr, 8);
	gup_expect_mapped(fx, ptep_get(ptep), 2);
	KUNIT_EXPECT_TRUE(test, pte_write(ptep_get(ptep)));
	KUNIT_EXPECT_TRUE(test, pte_dirty(ptep_get(ptep)));
	KUNIT_EXPECT_TRUE(test, pte_young(ptep_get(ptep)));
	gup_expect_mapped(fx, ptep_get(ptep + 1), 3);
	KUNIT_EXPECT_TRUE(test, pte_none(ptep_get(ptep + 2)));
	KUNIT_EXPECT_TRUE(test, pte_none(ptep_get(ptep + 3)));
	KUNIT_EXPECT_FALSE(test, pte_write(ptep_get(ptep + 4)));
	KUNIT_EXPECT_FALSE(test, pte_dirty(ptep_get(ptep + 4)));
	KUNIT_EXPECT_FALSE(test, pte_present(ptep_get(ptep + 5)));
	KUNIT_EXPECT_FALSE(test, pte_none(ptep_get(ptep + 5)));
	gup_expect_mapped(fx, ptep_get(ptep + 6), 1);
	gup_expect_mapped(fx, ptep_get(ptep + 7), 0);
	KUNIT_EXPECT_FALSE(test, PageAnonExclusive(gup_fixture_page(fx, 'A', 0)));
	KUNIT_EXPECT_TRUE(test, PageAnonExclusive(gup_fixture_page(fx, 'A', 3)));
	KUNIT_EXPECT_TRUE(test, pte_none(ptep_get(ptep + 8)));
}

static void gup_fixture_fills_the_end(struct kunit *test)
{
	const struct gup_layout layout = { "A2", "A0-2", .at = -1 };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);

	KUNIT_EXPECT_EQ(test, fx->at, PTRS_PER_PTE - 3);
	KUNIT_EXPECT_EQ(test, pte_index(gup_fixture_addr(fx, 2)),
			PTRS_PER_PTE - 1);
	KUNIT_EXPECT_TRUE(test, pte_none(fx->table[PTRS_PER_PTE - 4]));
	KUNIT_EXPECT_TRUE(test, pte_present(fx->table[PTRS_PER_PTE - 3]));
	KUNIT_EXPECT_TRUE(test, pte_present(fx->table[PTRS_PER_PTE - 1]));
}

static void gup_fixture_regroups(struct kunit *test)
{
	const struct gup_layout layout = { "A3", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct page *page = gup_fixture_page(fx, 'A', 0);

	gup_fixture_regroup(fx, 'A', 1);
	KUNIT_EXPECT_EQ(test, folio_nr_pages(page_folio(page + 5)), 2);
	GUP_EXPECT_PAGE(test, fx->folio, &page_folio(page + 5)->page, page + 4);
	KUNIT_EXPECT_EQ(test, page_ref_count(page + 4), GUP_HELD);

	gup_fixture_regroup(fx, 'A', 0);
	KUNIT_EXPECT_FALSE(test, PageCompound(page + 5));
	KUNIT_EXPECT_TRUE(test, PageAnonExclusive(page + 5));
	KUNIT_EXPECT_EQ(test, page_ref_count(page + 5), GUP_HELD);

	gup_fixture_regroup(fx, 'A', 3);
	GUP_EXPECT_PAGE(test, fx->folio, &page_folio(page + 7)->page, page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page + 5), 0);
}

static void gup_fixture_names_pages(struct kunit *test)
{
	const struct gup_layout layout = { "A4 B0+ C1", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	const struct {
		const void *page;
		const char *name;
	} rows[] = {
		{ .page = gup_fixture_page(fx, 'A', 0), .name = "A0" },
		{ .page = gup_fixture_page(fx, 'A', 15), .name = "A15" },
		{ .page = gup_fixture_page(fx, 'B', 0), .name = "B0" },
		{ .page = gup_fixture_page(fx, 'C', 1), .name = "C1" },
		/* Allocated with A and B, but of no folio. */
		{ .page = gup_fixture_page(fx, 'B', 0) + 1,
		  .name = "another page" },
		{ .page = ZERO_PAGE(0), .name = "Z" },
		{ .page = GUP_POISON, .name = "poison" },
		{ .page = ERR_PTR(-EFAULT), .name = "error -14" },
		{ .name = "no page" },
	};
	struct gup_diff diff = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_STREQ(test,
				   gup_page_name(fx->folio, rows[i].page).text,
				   rows[i].name);
	KUNIT_EXPECT_STREQ(test, gup_page_name(NULL, rows[0].page).text,
			   "another page");

	gup_differs_page(&diff, fx->folio, "page", 3, NULL, NULL);
	KUNIT_EXPECT_NULL(test, diff.what);
	gup_differs_page(&diff, fx->folio, "page", 3, rows[0].page, NULL);
	KUNIT_EXPECT_PTR_EQ(test, diff.folio, &fx->folio[0]);
	KUNIT_EXPECT_EQ(test, diff.got, (long)rows[0].page);
}

/* A seed has to give the same numbers on every machine. */
static void gup_fixture_repeats_seeds(struct kunit *test)
{
	static const struct {
		u32 seed;
		u32 stream;
		const char *order;
	} rows[] = {
		{ .seed = 1, .order = "6620198840212949" },
		{ .seed = 42, .order = "5692974759439646" },
		{ .seed = 42, .stream = 1, .order = "6481981516792663" },
	};
	struct rnd_state rnd;
	char order[17] = "";
	unsigned int r, i;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		gup_seed_state(&rnd, rows[r].seed, rows[r].stream);
		for (i = 0; i < strlen(rows[r].order); i++)
			order[i] = '0' + prandom_u32_state(&rnd) % 10;
		KUNIT_EXPECT_STREQ(test, order, rows[r].order);
	}
	KUNIT_EXPECT_EQ(test, gup_seed_choose(42), 42);
	KUNIT_EXPECT_NE(test, gup_seed_choose(0), 0);
	KUNIT_EXPECT_NE(test, gup_seed_choose(0), gup_seed_choose(0));
}

/**
 * struct gup_entry_row - what the oracle has to say of one entry
 * @name:   what kind of entry
 * @layout: the folios, and the entry
 * @get:    what happens to a get to read
 * @get_w:  to a get to write
 * @pin:    to a pin to read
 * @pin_w:  to a pin to write
 * @pin_l:  to a longterm pin to read
 * @pin_lw: to a longterm pin to write
 */
struct gup_entry_row {
	const char *name;
	struct gup_layout layout;
	enum gup_stop get, get_w, pin, pin_w, pin_l, pin_lw;
};

static const struct gup_entry_row gup_entry_rows[] = {
	{ .name = "writable", .layout = { "A2", "A1" } },
	{ .name = "read_only exclusive", .layout = { "A2", "A1:r" },
	  .get_w = GUP_NONE, .pin_w = GUP_NONE, .pin_lw = GUP_NONE },
	{ .name = "read_only shared", .layout = { "A2", "A1:s" },
	  .get_w = GUP_NONE, .pin_w = GUP_NONE, .pin_lw = GUP_NONE,
	  .pin = GUP_UNSHARE, .pin_l = GUP_UNSHARE },
	{ .name = "hole", .layout = { "A2", "." },
	  .get = GUP_NONE, .get_w = GUP_NONE, .pin = GUP_NONE,
	  .pin_w = GUP_NONE, .pin_l = GUP_NONE, .pin_lw = GUP_NONE },
	{ .name = "swap entry", .layout = { "A2", "@" },
	  .get = GUP_NONE, .get_w = GUP_NONE, .pin = GUP_NONE,
	  .pin_w = GUP_NONE, .pin_l = GUP_NONE, .pin_lw = GUP_NONE },
	{ .name = "prot_none", .layout = { "A2", "A0:p" },
	  .get = GUP_NONE, .get_w = GUP_NONE, .pin = GUP_NONE,
	  .pin_w = GUP_NONE, .pin_l = GUP_NONE, .pin_lw = GUP_NONE },
	{ .name = "special", .layout = { "A2", "A0:x" },
	  .get = GUP_SPECIAL, .get_w = GUP_SPECIAL, .pin = GUP_SPECIAL,
	  .pin_w = GUP_SPECIAL, .pin_l = GUP_SPECIAL, .pin_lw = GUP_SPECIAL },
	{ .name = "file", .layout = { "A2f", "A1" },
	  .pin_lw = GUP_REFUSED },
	{ .name = "file read_only", .layout = { "A2f", "A1:r" },
	  .get_w = GUP_NONE, .pin_w = GUP_NONE, .pin_lw = GUP_NONE,
	  .pin_l = GUP_UNSHARE },
	{ .name = "shmem", .layout = { "A0h", "A0" } },
	{ .name = "no mapping", .layout = { "A0u", "A0" },
	  .pin_lw = GUP_REFUSED },
	{ .name = "secretmem", .layout = { "A0s", "A0" },
	  .get = GUP_REFUSED, .get_w = GUP_REFUSED, .pin = GUP_REFUSED,
	  .pin_w = GUP_REFUSED, .pin_l = GUP_REFUSED, .pin_lw = GUP_REFUSED },
	{ .name = "movable", .layout = { "A2m", "A0" },
	  .pin_l = GUP_NO_GRAB, .pin_lw = GUP_NO_GRAB },
	{ .name = "without a reference", .layout = { "A2_", "A0" },
	  .get = GUP_NO_GRAB, .get_w = GUP_NO_GRAB, .pin = GUP_NO_GRAB,
	  .pin_w = GUP_NO_GRAB, .pin_l = GUP_NO_GRAB, .pin_lw = GUP_NO_GRAB },
	{ .name = "zero page", .layout = { "A2", "Z:r" },
	  .get_w = GUP_NONE, .pin_w = GUP_NONE, .pin_lw = GUP_NONE,
	  .pin_l = GUP_UNSHARE },
};

GUP_ROWS(gup_entry_rows);

static void gup_fixture_oracle_entry(struct kunit *test)
{
	const struct gup_entry_row *row = test->param_value;
	struct gup_fixture *fx = gup_fixture_create_or_skip(test, &row->layout);
	pte_t pte;

	pte = ptep_get(gup_fixture_ptep(fx, 0));
	KUNIT_EXPECT_EQ(test, gup_oracle_entry(pte, GUP_GET), row->get);
	KUNIT_EXPECT_EQ(test, gup_oracle_entry(pte, GUP_GET_W), row->get_w);
	KUNIT_EXPECT_EQ(test, gup_oracle_entry(pte, GUP_PIN), row->pin);
	KUNIT_EXPECT_EQ(test, gup_oracle_entry(pte, GUP_PIN_W), row->pin_w);
	KUNIT_EXPECT_EQ(test, gup_oracle_entry(pte, GUP_PIN_L), row->pin_l);
	KUNIT_EXPECT_EQ(test, gup_oracle_entry(pte, GUP_PIN_LW), row->pin_lw);
}

static void gup_fixture_oracle_walks(struct kunit *test)
{
	const struct gup_layout layout = { "A2 B0", "A0-3 B0 . A0" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	enum gup_stop stop;

	KUNIT_EXPECT_EQ(test, gup_fast_gets(fx, 0, 7, GUP_GET, &stop), 5);
	KUNIT_EXPECT_EQ(test, stop, GUP_NONE);
	KUNIT_EXPECT_EQ(test, gup_fast_gets(fx, 0, 5, GUP_GET, &stop), 5);
	KUNIT_EXPECT_EQ(test, stop, GUP_GO);
	KUNIT_EXPECT_EQ(test, gup_fast_gets(fx, 3, 1, GUP_GET, &stop), 1);
	KUNIT_EXPECT_EQ(test, gup_fast_gets(fx, 6, 1, GUP_GET, &stop), 1);
	fx->slot = __pmd(0);
	KUNIT_EXPECT_EQ(test, gup_fast_gets(fx, 0, 5, GUP_GET, &stop), 0);
	KUNIT_EXPECT_EQ(test, stop, GUP_PMD);
}

/* On 32-bit, a folio of two pages has no counter of pins. */
static void gup_fixture_oracle_counts(struct kunit *test)
{
	const int order1 = IS_ENABLED(CONFIG_64BIT) ? 1 : 1024;
	const struct gup_layout layout = { "A0 B1 C2", NULL };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct page *a = gup_fixture_page(fx, 'A', 0);
	struct page *b = gup_fixture_page(fx, 'B', 1);
	struct page *c = gup_fixture_page(fx, 'C', 3);

	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(a, GUP_GET), 1);
	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(a, GUP_PIN), 1024);
	KUNIT_EXPECT_EQ(test, gup_oracle_pins_per_page(a, GUP_PIN), 0);
	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(b, GUP_GET), 1);
	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(b, GUP_PIN), order1);
	KUNIT_EXPECT_EQ(test, gup_oracle_pins_per_page(b, GUP_PIN), order1 == 1);
	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(c, GUP_PIN), 1);
	KUNIT_EXPECT_EQ(test, gup_oracle_pins_per_page(c, GUP_PIN), 1);
	KUNIT_EXPECT_EQ(test, gup_oracle_pins_per_page(c, GUP_GET), 0);
	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(ZERO_PAGE(0), GUP_PIN), 0);
	KUNIT_EXPECT_EQ(test, gup_oracle_refs_per_page(ZERO_PAGE(0), GUP_GET), 1);
}

static void gup_fixture_expect_noticed(struct gup_fixture *fx,
				       struct gup_walk *walk)
{
	struct gup_diff diff = {};

	KUNIT_EXPECT_FALSE(fx->test, gup_walk_check(fx, walk, &diff));
}

/* Faults that the checks of a walk have to notice. */
static void gup_fixture_notices_faults(struct kunit *test)
{
	const struct gup_layout layout = { "A2", "A0-3" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct folio *a = gup_fixture_folio(fx, 'A');
	struct gup_walk walk = {
		.walker = &gup_fast, .nr = 4, .flags = GUP_PIN_W,
	};
	struct gup_diff diff = {};

	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_TRUE(test, gup_walk_check(fx, &walk, &diff));

	folio_ref_inc(a);
	gup_fixture_expect_noticed(fx, &walk);
	folio_ref_sub_and_test(a, 1);
	atomic_dec(&a->_pincount);
	gup_fixture_expect_noticed(fx, &walk);
	atomic_inc(&a->_pincount);

	folio_clear_referenced(a);
	gup_fixture_expect_noticed(fx, &walk);
	folio_set_referenced(a);

	swap(fx->pages[1], fx->pages[2]);
	gup_fixture_expect_noticed(fx, &walk);
	swap(fx->pages[1], fx->pages[2]);

	fx->pages[5] = fx->pages[4];
	gup_fixture_expect_noticed(fx, &walk);
	fx->pages[5] = GUP_POISON;

	walk.acquired++;
	gup_fixture_expect_noticed(fx, &walk);
	walk.acquired--;

	folio_ref_inc(a);
	KUNIT_EXPECT_FALSE(test, gup_walk_undo(fx, &walk, &diff));
	folio_ref_sub_and_test(a, 1);
}

static struct kunit_case gup_fixture_cases[] = {
	KUNIT_CASE(gup_fixture_makes_folios),
	KUNIT_CASE(gup_fixture_makes_neighbours),
	KUNIT_CASE(gup_fixture_makes_entries),
	KUNIT_CASE(gup_fixture_fills_the_end),
	KUNIT_CASE(gup_fixture_regroups),
	KUNIT_CASE(gup_fixture_names_pages),
	KUNIT_CASE(gup_fixture_repeats_seeds),
	GUP_CASE_ROWS(oracle_entry, gup_fixture_oracle_entry, gup_entry_rows),
	KUNIT_CASE(gup_fixture_oracle_walks),
	KUNIT_CASE(gup_fixture_oracle_counts),
	KUNIT_CASE(gup_fixture_notices_faults),
	{}
};

static struct kunit_suite gup_fixture_suite = {
	.name = "gup_fixture",
	.test_cases = gup_fixture_cases,
};

kunit_test_suite(gup_fixture_suite);

MODULE_DESCRIPTION("KUnit tests for pinning user memory in batches");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
