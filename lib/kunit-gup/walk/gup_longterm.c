// SPDX-License-Identifier: GPL-2.0-only
/* The longterm check with stubs and logs, see gup_longterm.h. */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/hugetlb.h>
#include <linux/memremap.h>
#include <linux/mm_inline.h>

#include "fixture/gup_lacks.h"
#include "fixture/gup_layout_check.h"
#include "fixture/gup_stat.h"
#include "walk/gup_longterm.h"
#include "gup_kunit_mm.h"

static struct gup_lt *gup_current_lt(void)
{
	struct gup_fixture *fx = kunit_get_current_test()->priv;

	return fx->suite;
}

static char gup_lt_letter(const struct folio *folio)
{
	return gup_array_letter(gup_current_lt()->array->fx, &folio->page);
}

static bool gup_lt_pinnable_stub(struct folio *folio)
{
	struct gup_lt *lt = gup_current_lt();

	gup_lt_add(lt->looks, gup_lt_letter(folio));

	return !gup_lt_in(lt->row->not, gup_lt_letter(folio));
}

static void gup_lt_drain_stub(const struct folio *folio, unsigned int extra_refs,
			      enum lru_cache_drained *drained)
{
	struct gup_lt *lt = gup_current_lt();

	gup_lt_add(lt->drains, gup_lt_letter(folio));
	lt->bad_refs += extra_refs != (folio_has_pincount(folio) ?
				       1 : GUP_PIN_COUNTING_BIAS);
	if (drained != lt->drained || *drained == LRU_CACHE_NOT_DRAINED)
		lt->nr_drains++;
	lt->drained = drained;
	*drained = LRU_CACHE_DRAINED_ALL;
}

/* Isolating takes a reference, and works once. */
static bool gup_lt_isolate(struct folio *folio)
{
	struct gup_lt *lt = gup_current_lt();
	const char letter = gup_lt_letter(folio);

	if (gup_lt_in(lt->row->stuck, letter) || gup_lt_in(lt->list, letter))
		return false;
	gup_lt_add(lt->list, letter);
	folio_get(folio);

	return true;
}

static bool gup_lt_isolate_hugetlb_stub(struct folio *folio,
					struct list_head *list)
{
	if (!gup_lt_isolate(folio))
		return false;
	list_add_tail(&folio->lru, list);

	return true;
}

/* Undo what isolating and its caller did. */
static void gup_lt_give_back(struct folio *folio, char *log)
{
	gup_lt_add(log, gup_lt_letter(folio));
	list_del(&folio->lru);
	if (!folio_test_hugetlb(folio))
		node_stat_mod_folio(folio,
				    NR_ISOLATED_ANON + folio_is_file_lru(folio),
				    -folio_nr_pages(folio));
	folio_put(folio);
}

static int gup_lt_migrate_stub(struct list_head *list, new_folio_t new_folio,
			       free_folio_t free_folio, unsigned long private,
			       enum migrate_mode mode, enum migrate_reason reason,
			       unsigned int *ret_succeeded)
{
	struct gup_lt *lt = gup_current_lt();
	struct folio *folio, *next;
	int stay = 0;

	list_for_each_entry_safe(folio, next, list, lru) {
		if (gup_lt_in(lt->row->stays, gup_lt_letter(folio))) {
			gup_lt_add(lt->migrated, gup_lt_letter(folio));
			stay++;
		} else {
			gup_lt_give_back(folio, lt->migrated);
		}
	}

	return stay;
}

static void gup_lt_putback_stub(struct list_head *list)
{
	struct folio *folio, *next;

	list_for_each_entry_safe(folio, next, list, lru)
		gup_lt_give_back(folio, gup_current_lt()->putback);
}

static int gup_lt_migrate_coherent_stub(struct folio *folio)
{
	const bool stays = gup_lt_in(gup_current_lt()->row->stays,
				     gup_lt_letter(folio));

	folio_put(folio);

	return stays ? -EBUSY : 0;
}

static void gup_lt_watch(struct kunit *test)
{
	kunit_activate_static_stub(test, gup_kunit_gup.longterm_pinnable,
				   gup_lt_pinnable_stub);
	kunit_activate_static_stub(test, gup_kunit_mm.lru_cache_drain,
				   gup_lt_drain_stub);
	kunit_activate_static_stub(test, gup_kunit_mm.isolate_lru, gup_lt_isolate);
	kunit_activate_static_stub(test, gup_kunit_mm.isolate_hugetlb,
				   gup_lt_isolate_hugetlb_stub);
	kunit_activate_static_stub(test, gup_kunit_mm.migrate_pages,
				   gup_lt_migrate_stub);
	kunit_activate_static_stub(test, gup_kunit_mm.putback_movable_pages,
				   gup_lt_putback_stub);
	if (gup_kunit_mm.migrate_device_coherent)
		kunit_activate_static_stub(test,
					   gup_kunit_mm.migrate_device_coherent,
					   gup_lt_migrate_coherent_stub);
}

#ifdef CONFIG_ZONE_DEVICE
static struct dev_pagemap gup_lt_pagemap = { .type = MEMORY_DEVICE_COHERENT };

/* Memory of a device, until the fixture restores the page. */
static void gup_lt_make_coherent(struct folio *folio)
{
	set_page_zone(&folio->page, ZONE_DEVICE);
	folio->pgmap = &gup_lt_pagemap;
}
#else
static void gup_lt_make_coherent(struct folio *folio)
{
}
#endif

static const char *gup_lt_lacks(const struct gup_lt_row *row)
{
	if (!gup_kunit_gup.collect_longterm)
		return "no CONFIG_MIGRATION";
	if (row->hugetlb && !IS_ENABLED(CONFIG_HUGETLB_PAGE))
		return "no CONFIG_HUGETLB_PAGE";
	if (row->coherent && !gup_kunit_mm.migrate_device_coherent)
		return "no CONFIG_ZONE_DEVICE";

	return NULL;
}

static void gup_lt_assert_row(struct kunit *test, struct gup_fixture *fx,
			      const struct gup_lt_row *row)
{
	const char * const lists[] = {
		row->not, row->coherent, row->hugetlb, row->stuck, row->stays,
		row->drains, row->list,
	};
	char text[GUP_PROBLEM_TEXT];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		GUP_ASSERT_LAYOUT(test,
				  gup_letters_problem(fx->folio, lists[i],
						      text),
				   row->layout.folios);
}

/**
 * gup_lt_create() - make the array of a row, pin it, and install the stubs
 * @test: the test, skipped if this kernel lacks something
 * @row:  the row
 *
 * Return: The check, which was not made yet.
 */
struct gup_lt *gup_lt_create(struct kunit *test, const struct gup_lt_row *row)
{
	const char *lacks = gup_lt_lacks(row);
	const char *letter;
	struct gup_lt *lt;

	if (lacks)
		kunit_skip(test, "%s", lacks);

	lt = gup_zalloc(test, 1, sizeof(*lt));
	lt->row = row;
	lt->array = gup_array_create(test, &row->layout, row->folios);
	lt->array->fx->suite = lt;
	gup_lt_assert_row(test, lt->array->fx, row);
	for (letter = row->hugetlb; letter && *letter; letter++)
		gup_kunit_mm.set_hugetlb(gup_fixture_folio(lt->array->fx, *letter));
	for (letter = row->coherent; letter && *letter; letter++)
		gup_lt_make_coherent(gup_fixture_folio(lt->array->fx, *letter));
	gup_lt_watch(test);
	gup_array_pin(lt->array);

	return lt;
}

/**
 * gup_lt_predict() - what the oracle says of a check
 * @lt:   the check
 * @want: filled with it
 */
void gup_lt_predict(struct gup_lt *lt, struct gup_lt_want *want)
{
	const struct gup_lt_ask ask = {
		.folio = lt->array->fx->folio,
		.entries = lt->array->fx->want,
		.nr = lt->array->nr,
		.folios = lt->array->folios,
		.not = lt->row->not,
		.coherent = lt->row->coherent,
		.hugetlb = lt->row->hugetlb,
		.stuck = lt->row->stuck,
	};

	gup_oracle_longterm(&ask, want);
}

/**
 * gup_lt_nr_isolated() - the number of isolated pages, by the statistic
 *
 * Context: A thread after gup_fixture_bind().
 * Return: The number.
 */
long gup_lt_nr_isolated(void)
{
	return gup_fixture_stat(NR_ISOLATED_ANON) +
	       gup_fixture_stat(NR_ISOLATED_FILE);
}

/**
 * gup_lt_collect() - make only the first step of the check, and undo it
 * @lt:       the check
 * @listed:   filled with the folios on the list, of %GUP_ARRAY_TEXT bytes
 * @isolated: filled with the change of the statistic of isolated pages
 *
 * Return: The number that was collected.
 */
unsigned long gup_lt_collect(struct gup_lt *lt, char *listed, long *isolated)
{
	const long before = gup_lt_nr_isolated();
	struct folio *folio;
	unsigned long collected;
	LIST_HEAD(list);

	collected = gup_kunit_gup.collect_longterm(&list,
						   (void **)lt->array->fx->pages,
						   lt->row->folios, lt->array->nr);
	*isolated = gup_lt_nr_isolated() - before;
	listed[0] = 0;
	list_for_each_entry(folio, &list, lru)
		gup_lt_add(listed, gup_lt_letter(folio));
	gup_lt_putback_stub(&list);

	return collected;
}
