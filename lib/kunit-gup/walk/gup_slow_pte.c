// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walk over the page table of a fixture with follow_page_pte(): one look-up
 * after the other, each from where the last one ended, as __get_user_pages()
 * does it. It does not matter here how many pages each look-up finds, only the
 * sum.
 */
#include <linux/err.h>

#include "fixture/gup_layout_check.h"
#include "walk/gup_race.h"
#include "walk/gup_slow_pte.h"

/* Store what one look-up has found; a wrong walker may find far too much. */
static void gup_slow_pte_store(struct gup_fixture *fx, struct page *page,
			       unsigned int first, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && first + i < PTRS_PER_PTE + 2; i++)
		fx->pages[GUP_PAGES_BEFORE + first + i] = page + i;
}

static vm_flags_t gup_slow_pte_vm_flags(const struct gup_walk *walk)
{
	return walk->vm_flags ?: GUP_VM;
}

static void gup_slow_pte_run(struct gup_fixture *fx, struct gup_walk *walk)
{
	const unsigned long addr = gup_fixture_addr(fx, walk->first);
	const unsigned long end = addr +
				  (walk->nr + walk->beyond) * PAGE_SIZE;
	unsigned int i, nr;
	struct page *page;

	vm_flags_init(fx->vma, gup_slow_pte_vm_flags(walk));
	walk->ret = 0;
	for (i = 0; i < walk->nr; i += nr) {
		nr = 1;
		page = gup_kunit_gup.follow_pte(fx->vma, addr + i * PAGE_SIZE,
						end, &fx->pmd, walk->flags, &nr);
		if (IS_ERR_OR_NULL(page)) {
			walk->ret = page ? PTR_ERR(page) : GUP_FAULT;
			break;
		}
		gup_slow_pte_store(fx, page, i, nr);
	}
	walk->pinned = i;
}

static unsigned int gup_slow_pte_predict(struct gup_fixture *fx,
					 const struct gup_walk *walk, int *ret)
{
	return gup_oracle_slow_walk(gup_fixture_ptep(fx, walk->first), walk->nr,
				    gup_slow_pte_vm_flags(walk), walk->flags,
				    ret);
}

/*
 * It marks a folio accessed, once or for each page; the second time does more
 * than to set the referenced bit.
 */
static bool gup_slow_pte_referenced(const struct gup_walk *walk, int taken,
				    bool referenced)
{
	if ((walk->flags & FOLL_TOUCH) && taken > 1)
		return true;

	return referenced == ((walk->flags & FOLL_TOUCH) && taken);
}

static bool gup_slow_pte_dirties(struct gup_fixture *fx,
				 const struct gup_walk *walk,
				 struct folio *folio)
{
	return gup_oracle_slow_dirties(gup_fixture_ptep(fx, walk->first),
				       walk->pinned, walk->flags, folio);
}

const struct gup_walker gup_slow_pte = {
	.run = gup_slow_pte_run,
	.oracle = gup_slow_pte_predict,
	.referenced = gup_slow_pte_referenced,
	.dirties = gup_slow_pte_dirties,
};

static void gup_slow_pte_expect_dirty(struct kunit *test, struct gup_fixture *fx,
				      const struct gup_slow_pte_row *row)
{
	const char *dirty = row->dirty ?: "";
	char letter, text[GUP_PROBLEM_TEXT];
	struct folio *folio;

	GUP_ASSERT_LAYOUT(test, gup_letters_problem(fx->folio, dirty, text),
			  row->layout.folios);
	for (letter = 'A'; fx->folio[letter - 'A'].kind; letter++) {
		folio = gup_fixture_folio(fx, letter);
		KUNIT_EXPECT_EQ_MSG(test, folio_test_dirty(folio),
				    !!strchr(dirty, letter), "folio %c", letter);
	}
}

static void gup_slow_pte_row_check(struct kunit *test, struct gup_fixture *fx,
				   const struct gup_slow_pte_row *row)
{
	struct gup_walk walk = {
		.first = row->first,
		.nr = row->nr ?: fx->nr - row->first,
		.beyond = row->beyond,
		.flags = row->flags,
		.walker = &gup_slow_pte,
		.vm_flags = row->vm_flags,
	};
	int ret;

	KUNIT_EXPECT_EQ_MSG(test, gup_slow_pte_predict(fx, &walk, &ret), row->gets,
			    "by the oracle");
	KUNIT_EXPECT_EQ_MSG(test, ret, row->ret, "by the oracle");

	gup_walk_run(fx, &walk);
	KUNIT_EXPECT_EQ(test, walk.pinned, row->gets);
	KUNIT_EXPECT_EQ(test, walk.ret, row->ret);
	gup_slow_pte_expect_dirty(test, fx, row);
	gup_walk_settle(fx, &walk, row->layout.ptes);
	KUNIT_EXPECT_EQ(test, fx->watch->overruns, 0);
}

/* Make entries for the zero page special, as a fault does. */
static void gup_slow_pte_mark_zero(struct gup_fixture *fx)
{
	unsigned int i;

	for (i = 0; i < fx->nr; i++) {
		pte_t *ptep = gup_fixture_ptep(fx, i);
		pte_t pte = ptep_get(ptep);

		if (pte_present(pte) && is_zero_pfn(pte_pfn(pte)))
			gup_kunit_set_pte(ptep, pte_mkspecial(pte));
	}
}

/**
 * gup_slow_pte_row_run() - make the layout of a row, and run its request
 * @test: the test, its parameter is a &struct gup_slow_pte_row
 */
void gup_slow_pte_row_run(struct kunit *test)
{
	const struct gup_slow_pte_row *row = test->param_value;
	struct gup_fixture *fx;

	gup_skip_if(test, gup_fixture_lacks(row->layout.folios,
					    row->layout.ptes));
	gup_skip_if(test, gup_fixture_lacks_hints(row->layout.ptes,
						  row->flags));
	fx = gup_fixture_create(test, &row->layout);
	gup_slow_pte_mark_zero(fx);
	gup_race_watch_slow(fx);
	gup_slow_pte_row_check(test, fx, row);
}
