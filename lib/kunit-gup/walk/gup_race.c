// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interfere with a walk at an exact step: stubs call the functions that they
 * replace, and change something before or after that.
 *
 * All of this runs in the middle of the walk with IRQs disabled, where there
 * must be no expectations. The tests check the results when the walk is over.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/irqflags.h>

#include "oracle/gup_oracle.h"
#include "walk/gup_race.h"

/**
 * gup_watch() - what happens during the walks over a fixture
 * @fx: the fixture
 *
 * Return: A structure that says so, at first nothing.
 */
struct gup_watch *gup_watch(struct gup_fixture *fx)
{
	if (!fx->watch) {
		fx->watch = gup_zalloc(fx->test, 1, sizeof(*fx->watch));
		fx->watch->refuse = -1;
		fx->watch->inaccessible = -1;
	}

	return fx->watch;
}

static struct gup_fixture *gup_current_fixture(void)
{
	return kunit_get_current_test()->priv;
}

/*
 * Disabled IRQs keep the page table from being freed, so they must stay
 * disabled at each step of GUP-fast.
 */
static void gup_race_look_at_irqs(struct gup_fixture *fx)
{
	if (fx->watch->fast && !irqs_disabled())
		fx->watch->irqs_on++;
}

static void gup_race_step(enum gup_step step, bool here)
{
	struct gup_fixture *fx = gup_current_fixture();
	struct gup_race *race = fx->watch->race;

	if (!here || !race || race->step != step || race->fired)
		return;
	race->fired++;
	race->change(fx, race->arg);
}

/* The first entry of the batch that the race is about. */
static pte_t *gup_race_ptep(void)
{
	struct gup_fixture *fx = gup_current_fixture();

	return fx->watch->race ? gup_fixture_ptep(fx, fx->watch->race->entry) : NULL;
}

static struct folio *gup_grab_stub(struct page *page, int refs,
				   unsigned int flags)
{
	struct gup_fixture *fx = gup_current_fixture();
	pte_t *ptep = gup_race_ptep();
	const bool here = ptep && page == gup_oracle_page(ptep_get(ptep));
	struct folio *folio;

	gup_race_look_at_irqs(fx);
	if (fx->watch->refuse >= 0 &&
	    page == gup_oracle_page(ptep_get(gup_fixture_ptep(fx, fx->watch->refuse))))
		return NULL;

	gup_race_step(GUP_BEFORE_GRAB, here);
	folio = gup_call_real(gup_kunit_gup.grab_fast(page, refs, flags));
	if (folio) {
		fx->watch->grabs++;
		fx->watch->grabbed += refs;
	}
	gup_race_step(GUP_AFTER_GRAB, here);
	if (!gup_kunit_gup.fast_pte_batch)
		gup_race_step(GUP_IN_SCAN, here);

	return folio;
}

/* Scan in two halves, so that something can happen between them. */
static unsigned int gup_batch_stub(struct folio *folio, struct page *page,
				   pte_t *ptep, pte_t pte, unsigned int max_nr)
{
	const unsigned int half = max_nr / 2;
	const bool here = ptep == gup_race_ptep();
	unsigned int nr;

	gup_race_look_at_irqs(gup_current_fixture());
	if (!here || gup_current_fixture()->watch->race->step != GUP_IN_SCAN || !half)
		return gup_call_real(gup_kunit_gup.fast_pte_batch(folio, page,
							ptep, pte, max_nr));

	nr = gup_call_real(gup_kunit_gup.fast_pte_batch(folio, page, ptep, pte,
							half));
	gup_race_step(GUP_IN_SCAN, true);
	if (nr == half)
		nr += gup_call_real(gup_kunit_gup.fast_pte_batch(folio,
				page + half - 1, ptep + half - 1,
				pte_advance_pfn(pte, half - 1),
				max_nr - half + 1)) - 1;

	return nr;
}

static bool gup_changed_stub(pmd_t pmd, pmd_t *pmdp, pte_t pte, pte_t *ptep)
{
	const bool here = ptep == gup_race_ptep();
	bool changed;

	gup_race_look_at_irqs(gup_current_fixture());
	gup_race_step(GUP_BEFORE_CHECK, here);
	changed = gup_call_real(gup_kunit_gup.fast_pte_changed(pmd, pmdp, pte,
							       ptep));
	gup_race_step(GUP_AFTER_CHECK, here);

	return changed;
}

static int gup_accessible_stub(struct folio *folio)
{
	struct gup_fixture *fx = gup_current_fixture();
	const int entry = fx->watch->inaccessible;
	struct page *page;

	gup_race_look_at_irqs(fx);
	if (entry < 0)
		return 0;
	page = gup_oracle_page(ptep_get(gup_fixture_ptep(fx, entry)));

	return folio == page_folio(page) ? -EIO : 0;
}

static void gup_put_stub(struct folio *folio, int refs, unsigned int flags)
{
	gup_race_look_at_irqs(gup_current_fixture());
	gup_call_void(gup_kunit_gup.put_folio(folio, refs, flags));
}

static bool gup_put_uncounted_stub(struct folio *folio, int refs,
				   unsigned int flags)
{
	gup_race_look_at_irqs(gup_current_fixture());
	return gup_call_real(gup_kunit_gup.put_uncounted(folio, refs, flags));
}

/**
 * gup_race_install() - watch the steps of GUP-fast, and let something happen
 * @fx:   the fixture; its &struct gup_watch also says what has to fail
 * @race: what is to happen, or NULL to watch only
 *
 * Until the test ends.
 */
void gup_race_install(struct gup_fixture *fx, struct gup_race *race)
{
	gup_watch(fx)->race = race;
	kunit_activate_static_stub(fx->test, gup_kunit_gup.grab_fast,
				   gup_grab_stub);
	kunit_activate_static_stub(fx->test, gup_kunit_gup.fast_pte_changed,
				   gup_changed_stub);
	kunit_activate_static_stub(fx->test, gup_kunit_gup.make_accessible,
				   gup_accessible_stub);
	kunit_activate_static_stub(fx->test, gup_kunit_gup.put_folio,
				   gup_put_stub);
	if (gup_kunit_gup.put_uncounted)
		kunit_activate_static_stub(fx->test,
					   gup_kunit_gup.put_uncounted,
					   gup_put_uncounted_stub);
	if (gup_kunit_gup.fast_pte_batch)
		kunit_activate_static_stub(fx->test, gup_kunit_gup.fast_pte_batch,
					   gup_batch_stub);
}

static int gup_grab_slow_stub(struct folio *folio, int refs, unsigned int flags)
{
	struct gup_fixture *fx = gup_current_fixture();
	struct page *page;
	int ret;

	if (fx->watch->refuse >= 0) {
		page = gup_oracle_page(ptep_get(gup_fixture_ptep(fx, fx->watch->refuse)));
		if (folio == page_folio(page))
			return -ENOMEM;
	}

	ret = gup_call_real(gup_kunit_gup.grab(folio, refs, flags));
	if (!ret) {
		fx->watch->grabs++;
		fx->watch->grabbed += refs;
	}

	return ret;
}

static unsigned int gup_slow_batch_stub(struct folio *folio, struct page *page,
					pte_t *ptep, pte_t pte,
					unsigned int max_nr, unsigned int flags)
{
	struct gup_fixture *fx = gup_current_fixture();

	if (ptep + max_nr > fx->table + PTRS_PER_PTE)
		fx->watch->overruns++;

	return gup_call_real(gup_kunit_gup.follow_pte_batch(folio, page, ptep, pte,
							  max_nr, flags));
}

/**
 * gup_race_watch_slow() - watch the steps of follow_page_pte()
 * @fx: the fixture; its &struct gup_watch also says what has to fail
 *
 * Until the test ends.
 */
void gup_race_watch_slow(struct gup_fixture *fx)
{
	gup_watch(fx);
	kunit_activate_static_stub(fx->test, gup_kunit_gup.grab,
				   gup_grab_slow_stub);
	kunit_activate_static_stub(fx->test, gup_kunit_gup.make_accessible,
				   gup_accessible_stub);
	if (gup_kunit_gup.follow_pte_batch)
		kunit_activate_static_stub(fx->test,
					   gup_kunit_gup.follow_pte_batch,
					   gup_slow_batch_stub);
}
