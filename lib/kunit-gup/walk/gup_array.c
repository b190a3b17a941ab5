// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make arrays of pages or folios, pin their entries, and check their folios.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/err.h>

#include "fixture/gup_stat.h"
#include "oracle/gup_oracle.h"
#include "walk/gup_array.h"
#include "walk/gup_race.h"

static void *gup_array_entry(struct gup_array *array, unsigned int i)
{
	pte_t pte = ptep_get(gup_fixture_ptep(array->fx, i));
	struct page *page;

	if (pte_none(pte))
		return NULL;
	if (!pte_present(pte))
		return ERR_PTR(-EFAULT);
	page = gup_oracle_page(pte);

	return array->folios ? (void *)page_folio(page) : page;
}

/**
 * gup_array_fill() - fill the array from the entries of the layout, again
 * @array: the array
 */
void gup_array_fill(struct gup_array *array)
{
	struct gup_fixture *fx = array->fx;
	unsigned int i;

	array->nr = fx->nr;
	for (i = 0; i < fx->nr; i++)
		fx->pages[i] = gup_array_entry(array, i);
	/* More of the same behind the end, which must not be read. */
	if (i)
		fx->pages[i++] = fx->pages[fx->nr - 1];
	for (; i < PTRS_PER_PTE + GUP_PAGES_BEFORE + 2; i++)
		fx->pages[i] = GUP_POISON;
	memcpy(fx->want, fx->pages, i * sizeof(*fx->want));
	array->log[0] = 0;
	array->dirtied[0] = 0;
	array->unlocked = 0;
}

/**
 * gup_array_create() - make the folios of a layout, and an array of its entries
 * @test:   the test
 * @layout: the layout
 * @folios: whether the array has folios instead of pages
 *
 * Return: The array. The test ends here if it cannot be made.
 */
struct gup_array *gup_array_create(struct kunit *test,
				   const struct gup_layout *layout, bool folios)
{
	struct gup_array *array = gup_zalloc(test, 1, sizeof(*array));

	array->fx = gup_fixture_create(test, layout);
	array->fx->suite = array;
	array->fx->zero_refs = page_ref_count(ZERO_PAGE(0));
	array->folios = folios;
	gup_array_fill(array);

	return array;
}

static struct gup_array *gup_current_array(void)
{
	struct gup_fixture *fx = kunit_get_current_test()->priv;

	return fx->suite;
}

static void gup_array_log(struct folio *folio, int refs)
{
	struct gup_array *array = gup_current_array();

	gup_array_add_batch(array->log, gup_array_letter(array->fx, &folio->page),
			    refs);
}

static void gup_put_stub(struct folio *folio, int refs, unsigned int flags)
{
	gup_array_log(folio, refs);
	gup_call_void(gup_kunit_gup.put_folio(folio, refs, flags));
}

static bool gup_put_uncounted_stub(struct folio *folio, int refs,
				   unsigned int flags)
{
	gup_array_log(folio, refs);
	return gup_call_real(gup_kunit_gup.put_uncounted(folio, refs, flags));
}

static bool gup_array_dirty_folio(struct address_space *mapping,
				  struct folio *folio)
{
	struct gup_array *array = gup_current_array();
	const size_t len = strlen(array->dirtied);

	if (len + 1 < sizeof(array->dirtied)) {
		array->dirtied[len] = gup_array_letter(array->fx, &folio->page);
		array->dirtied[len + 1] = 0;
	}
	array->unlocked += !folio_test_locked(folio);
	array->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);

	return false;
}

/* The folio stays clean, so that it is seen each time it is marked dirty. */
static const struct address_space_operations gup_array_aops = {
	.dirty_folio = gup_array_dirty_folio,
};

/**
 * gup_array_watch() - log what is released and what is marked dirty
 * @array: the array
 *
 * Only folios of kind f are in the log of what is marked dirty. The log ends
 * with the test.
 */
void gup_array_watch(struct gup_array *array)
{
	struct kunit *test = array->fx->test;

	array->fx->file.a_ops = &gup_array_aops;
	kunit_activate_static_stub(test, gup_kunit_gup.put_folio, gup_put_stub);
	if (gup_kunit_gup.put_uncounted)
		kunit_activate_static_stub(test, gup_kunit_gup.put_uncounted,
					   gup_put_uncounted_stub);
}

/**
 * gup_array_pin() - pin every page of an array, one by one and by hand
 * @array: the array
 *
 * This is not in the statistic.
 */
void gup_array_pin(struct gup_array *array)
{
	struct folio *folio;
	unsigned int i;

	for (i = 0; i < array->nr; i++) {
		if (!gup_array_is_page(array->fx->want[i]))
			continue;
		folio = page_folio(array->fx->want[i]);
		folio_ref_add(folio, gup_oracle_refs_per_page(&folio->page,
							      FOLL_PIN));
		if (gup_oracle_pins_per_page(&folio->page, FOLL_PIN))
			atomic_inc(&folio->_pincount);
	}
}

/**
 * gup_array_nr_counted() - how many entries have a pin that is counted
 * @array: the array
 *
 * Return: The number of pages that are not the zero page.
 */
int gup_array_nr_counted(struct gup_array *array)
{
	unsigned int i, nr = 0;

	for (i = 0; i < array->nr; i++)
		nr += gup_array_is_page(array->fx->want[i]) &&
		      !is_zero_folio(page_folio(array->fx->want[i]));

	return nr;
}

static void gup_array_check_folio(struct gup_array *array, unsigned int letter,
				  int pinned, struct gup_diff *diff)
{
	struct gup_folio *gf = &array->fx->folio[letter];
	struct folio *folio = page_folio(gf->page);
	int pins = 0;

	if (folio_has_pincount(folio))
		pins = atomic_read(&folio->_pincount);
	gup_differs(diff, "new references to the folio", letter,
		    folio_ref_count(folio) - gf->refs,
		    pinned * gup_oracle_refs_per_page(gf->page, FOLL_PIN));
	gup_differs(diff, "pins of the folio", letter, pins,
		    pinned * gup_oracle_pins_per_page(gf->page, FOLL_PIN));
}

/**
 * gup_array_check() - do the folios have the pins of some entries, and no other?
 * @array: the array
 * @first: the first of the entries that are pinned, up to the last
 * @diff:  the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_array_check(struct gup_array *array, unsigned int first,
		     struct gup_diff *diff)
{
	struct gup_fixture *fx = array->fx;
	int pinned[GUP_MAX_FOLIOS] = {};
	unsigned int i;
	char letter;

	for (i = first; i < array->nr; i++) {
		if (!gup_array_is_page(fx->want[i]))
			continue;
		letter = gup_array_letter(fx, &page_folio(array->fx->want[i])->page);
		pinned[letter - 'A']++;
	}
	for (i = 0; i < GUP_MAX_FOLIOS && fx->folio[i].kind; i++)
		gup_array_check_folio(array, i, pinned[i], diff);
	gup_differs(diff, "references of the zero page", 0,
		    page_ref_count(ZERO_PAGE(0)), fx->zero_refs);

	return !diff->what;
}

/**
 * gup_array_expect() - the same, and fail the test if there is a difference
 * @array:  the array
 * @first:  the first of the entries that are pinned, up to the last
 * @layout: what to print along with a difference
 */
void gup_array_expect(struct gup_array *array, unsigned int first,
		      const char *layout)
{
	struct gup_diff diff = {};

	gup_array_check(array, first, &diff);
	gup_expect_no_diff(array->fx->test, &diff, layout);
}
