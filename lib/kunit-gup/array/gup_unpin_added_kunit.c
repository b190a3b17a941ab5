// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_unpin_added: pins that folio_add_pins() adds to a pin.
 *
 * iommufd does this with a folio of memfd_pin_folios(), to release parts of it
 * later. Each function that unpins has to release all of them.
 */
#include <kunit/test-bug.h>

#include "fixture/gup_fixture.h"
#include "fixture/gup_stat.h"
#include "oracle/gup_oracle.h"

/* The number of pins, with the first one. */
#define GUP_UNPIN_ADDED	512

static void gup_unpin_added_range(struct folio *folio)
{
	unpin_user_page_range_dirty_lock(&folio->page,
					 folio_nr_pages(folio), false);
}

static void gup_unpin_added_range_dirty(struct folio *folio)
{
	unpin_user_page_range_dirty_lock(&folio->page,
					 folio_nr_pages(folio), true);
	folio_clear_dirty(folio);
}

static void gup_unpin_added_each(struct folio *folio)
{
	unsigned int i;

	for (i = 0; i < GUP_UNPIN_ADDED; i++)
		unpin_folio(folio);
}

static void gup_unpin_added_folio(struct folio *folio)
{
	unpin_user_folio(folio, GUP_UNPIN_ADDED);
}

static void gup_unpin_added_folios(struct folio *folio)
{
	struct kunit *test = kunit_get_current_test();
	struct folio **folios;
	unsigned int i;

	folios = gup_zalloc(test, GUP_UNPIN_ADDED, sizeof(*folios));
	for (i = 0; i < GUP_UNPIN_ADDED; i++)
		folios[i] = folio;
	unpin_folios(folios, GUP_UNPIN_ADDED);
}

/**
 * struct gup_unpin_added_row - how added pins are released
 * @name:    how they are released
 * @folio:   the folio
 * @release: what releases them
 */
struct gup_unpin_added_row {
	const char *name;
	const char *folio;
	void (*release)(struct folio *folio);
};

static const struct gup_unpin_added_row gup_unpin_added_rows[] = {
	{ .name = "as a range", .folio = "A9f",
	  .release = gup_unpin_added_range },
	{ .name = "as a range and dirty", .folio = "A9f",
	  .release = gup_unpin_added_range_dirty },
	{ .name = "one by one", .folio = "A9f",
	  .release = gup_unpin_added_each },
	{ .name = "as one folio", .folio = "A9f",
	  .release = gup_unpin_added_folio },
	{ .name = "as an array of folios", .folio = "A9f",
	  .release = gup_unpin_added_folios },
	{ .name = "of a small folio one by one", .folio = "A0f",
	  .release = gup_unpin_added_each },
	{ .name = "of a small folio as an array of folios", .folio = "A0f",
	  .release = gup_unpin_added_folios },
};

GUP_ROWS(gup_unpin_added_rows);

static void gup_unpin_added(struct kunit *test)
{
	const struct gup_unpin_added_row *row = test->param_value;
	const struct gup_layout layout = { row->folio };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	struct folio *folio = gup_fixture_folio(fx, 'A');
	const int refs = gup_oracle_refs_per_page(&folio->page, FOLL_PIN);
	const int pins = gup_oracle_pins_per_page(&folio->page, FOLL_PIN);
	long acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	long released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);

	KUNIT_ASSERT_EQ(test, gup_kunit_gup.grab(folio, 1, FOLL_PIN), 0);
	KUNIT_ASSERT_EQ(test, folio_add_pins(folio, GUP_UNPIN_ADDED - 1), 0);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio),
			GUP_HELD + GUP_UNPIN_ADDED * refs);
	if (pins)
		KUNIT_EXPECT_EQ(test, atomic_read(&folio->_pincount),
				GUP_UNPIN_ADDED);
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - acquired,
			GUP_UNPIN_ADDED);

	row->release(folio);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), GUP_HELD);
	if (pins)
		KUNIT_EXPECT_EQ(test, atomic_read(&folio->_pincount), 0);
	KUNIT_EXPECT_EQ(test, gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released,
			GUP_UNPIN_ADDED);
}

static struct kunit_case gup_unpin_added_cases[] = {
	GUP_CASE_ROWS(release, gup_unpin_added, gup_unpin_added_rows),
	{}
};

static struct kunit_suite gup_unpin_added_suite = {
	.name = "gup_unpin_added",
	.test_cases = gup_unpin_added_cases,
};

kunit_test_suite(gup_unpin_added_suite);
