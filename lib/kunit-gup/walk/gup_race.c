// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interfere with a walk at an exact step. The functions that make up the steps
 * are replaced by ones that call them, and change something before or after.
 *
 * All of this runs with IRQs disabled, in the middle of the walk, so there must
 * be no expectation here: what happened is looked at when the walk is over.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/irqflags.h>

#include "gup_kunit.h"

static struct gup_fixture *gup_current_fixture(void)
{
	return kunit_get_current_test()->priv;
}

/*
 * IRQs that are disabled are what keeps the page table, and the struct pages behind
 * it: not to be enabled at any step of a walk.
 */
static void gup_race_look_at_irqs(struct gup_fixture *fx)
{
	if (fx->fast && !irqs_disabled())
		fx->irqs_on++;
}

static void gup_race_step(enum gup_step step, bool here)
{
	struct gup_fixture *fx = gup_current_fixture();
	struct gup_race *race = fx->race;

	if (!here || !race || race->step != step || race->fired)
		return;
	race->fired++;
	race->change(fx, race->arg);
}

/* Where is the run that the race is about? */
static pte_t *gup_race_ptep(void)
{
	struct gup_fixture *fx = gup_current_fixture();

	return fx->race ? gup_fixture_ptep(fx, fx->race->entry) : NULL;
}

static struct folio *gup_grab_stub(struct page *page, int refs,
				   unsigned int flags)
{
	struct gup_fixture *fx = gup_current_fixture();
	pte_t *ptep = gup_race_ptep();
	const bool here = ptep && page == gup_oracle_page(ptep_get(ptep));
	struct folio *folio;

	gup_race_look_at_irqs(fx);
	if (fx->refuse >= 0 &&
	    page == gup_oracle_page(ptep_get(gup_fixture_ptep(fx, fx->refuse))))
		return NULL;

	gup_race_step(GUP_BEFORE_GRAB, here);
	folio = gup_call_real(gup_kunit_gup.grab_fast(page, refs, flags));
	if (folio) {
		fx->grabs++;
		fx->grabbed += refs;
	}
	gup_race_step(GUP_AFTER_GRAB, here);
	if (!gup_kunit_gup.fast_pte_batch)
		gup_race_step(GUP_IN_SCAN, here);

	return folio;
}

/* In two halves, so that something can happen between them. */
static unsigned int gup_run_stub(struct folio *folio, struct page *page,
				 pte_t *ptep, pte_t pte, unsigned int max_nr)
{
	const unsigned int half = max_nr / 2;
	const bool here = ptep == gup_race_ptep();
	unsigned int nr;

	gup_race_look_at_irqs(gup_current_fixture());
	if (!here || gup_current_fixture()->race->step != GUP_IN_SCAN || !half)
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

/**
 * gup_race_lacks() - why nothing can happen during a walk
 *
 * Context: Any.
 * Return: The reason to skip a test, or NULL.
 */
const char *gup_race_lacks(void)
{
	return NULL;
}

static int gup_accessible_stub(struct folio *folio)
{
	struct gup_fixture *fx = gup_current_fixture();
	const int entry = fx->inaccessible;
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

static void gup_put_uncounted_stub(struct folio *folio, int refs,
				   unsigned int flags)
{
	gup_race_look_at_irqs(gup_current_fixture());
	gup_call_void(gup_kunit_gup.put_uncounted(folio, refs, flags));
}

/**
 * gup_race_install() - watch the steps of walks, and let something happen
 * @fx:   the fixture, also with what is to fail: @fx->refuse, @fx->inaccessible
 * @race: what is to happen, or NULL to watch only
 *
 * Context: Process context, in the thread of the test. Until it ends.
 */
void gup_race_install(struct gup_fixture *fx, struct gup_race *race)
{
	fx->race = race;
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
					   gup_run_stub);
}

static int gup_grab_slow_stub(struct folio *folio, int refs, unsigned int flags)
{
	struct gup_fixture *fx = gup_current_fixture();
	struct page *page;
	int ret;

	if (fx->refuse >= 0) {
		page = gup_oracle_page(ptep_get(gup_fixture_ptep(fx, fx->refuse)));
		if (folio == page_folio(page))
			return -ENOMEM;
	}

	ret = gup_call_real(gup_kunit_gup.grab(folio, refs, flags));
	if (!ret) {
		fx->grabs++;
		fx->grabbed += refs;
	}

	return ret;
}

static unsigned int gup_follow_run_stub(struct folio *folio, struct page *page,
					pte_t *ptep, pte_t pte,
					unsigned int max_nr, unsigned int flags)
{
	struct gup_fixture *fx = gup_current_fixture();

	if (ptep + max_nr > fx->table + PTRS_PER_PTE)
		fx->overruns++;

	return gup_call_real(gup_kunit_gup.follow_pte_batch(folio, page, ptep, pte,
							  max_nr, flags));
}

/**
 * gup_race_watch_slow() - watch the steps of follow_page_pte()
 * @fx: the fixture, also with what is to fail: @fx->refuse, @fx->inaccessible
 *
 * Context: Process context, in the thread of the test. Until it ends.
 */
void gup_race_watch_slow(struct gup_fixture *fx)
{
	kunit_activate_static_stub(fx->test, gup_kunit_gup.grab,
				   gup_grab_slow_stub);
	kunit_activate_static_stub(fx->test, gup_kunit_gup.make_accessible,
				   gup_accessible_stub);
	if (gup_kunit_gup.follow_pte_batch)
		kunit_activate_static_stub(fx->test,
					   gup_kunit_gup.follow_pte_batch,
					   gup_follow_run_stub);
}

/**
 * gup_race_refuse_grab() - let the grab of a page fail
 * @fx:    the fixture, after gup_race_install()
 * @entry: the entry that maps the page
 *
 * As for a page of PCI peer-to-peer memory, which not every machine has.
 *
 * Context: Process context, in the thread of the test.
 */
void gup_race_refuse_grab(struct gup_fixture *fx, unsigned int entry)
{
	fx->refuse = entry;
}
