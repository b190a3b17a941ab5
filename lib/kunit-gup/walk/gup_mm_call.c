// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call the exported functions on a piece of address space, and compare the
 * result with the page tables, read address by address, and with the references
 * and pins that the folios had before.
 *
 * A call may fault in, copy or migrate pages, which changes the number of
 * mappings of a folio. So references of mappings are left out. A folio that is
 * not mapped any more may be freed, unless a page of it was returned.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/shmem_fs.h>

#include "fixture/gup_stat.h"
#include "oracle/gup_oracle.h"
#include "walk/gup_mm_call.h"

/* References that are neither of a mapping nor of the swap cache. */
static int gup_mm_other_refs(struct folio *folio)
{
	const int swap = folio_test_swapcache(folio) ? folio_nr_pages(folio) : 0;

	return folio_ref_count(folio) - folio_mapcount(folio) - swap;
}

static int gup_mm_pins(struct folio *folio)
{
	return gup_oracle_pins_per_page(&folio->page, FOLL_PIN) ?
		atomic_read(&folio->_pincount) : 0;
}

/* Begin with the folio that was found last: it often is the same or the next. */
static struct gup_mm_seen *gup_mm_find(struct gup_mm *m, struct folio *folio)
{
	unsigned int i, n;

	for (n = 0; n < m->nr_seen; n++) {
		i = (m->last_seen + n) % m->nr_seen;
		if (m->seen[i].folio != folio)
			continue;
		m->last_seen = i;
		return m->seen + i;
	}

	return NULL;
}

/* A folio that was not there before is new, and has no other references. */
static struct gup_mm_seen *gup_mm_see(struct gup_mm *m, struct folio *folio)
{
	struct gup_mm_seen *seen = gup_mm_find(m, folio);

	if (seen)
		return seen;
	m->last_seen = m->nr_seen;
	seen = m->seen + m->nr_seen++;
	*seen = (struct gup_mm_seen) { .folio = folio };

	return seen;
}

/**
 * gup_mm_before() - remember all folios before a call
 * @m:   the piece of address space
 * @ask: the call
 */
void gup_mm_before(struct gup_mm *m, struct gup_mm_ask *ask)
{
	struct gup_kunit_entry e;
	struct gup_mm_seen *seen;
	struct page *page;
	unsigned int i;

	KUNIT_ASSERT_LE(m->test, ask->nr, m->nr + GUP_MM_BEHIND);
	gup_kunit_mm.lru_drain();
	m->nr_seen = 0;
	m->last_seen = 0;
	for (i = 0; i < m->nr; i++) {
		page = gup_mm_mapped(m, i);
		if (!page)
			continue;
		seen = gup_mm_see(m, page_folio(page));
		seen->refs = gup_mm_other_refs(seen->folio);
		seen->pins = gup_mm_pins(seen->folio);
	}
	for (i = 0; i < ask->nr; i++) {
		gup_mm_read(m, ask->first + i, &e);
		m->want[i] = NULL;
		if (gup_oracle_mapped(&e, ask->flags) == GUP_GO)
			m->want[i] = e.page;
	}
	for (i = 0; i < m->nr + 2 * GUP_MM_BEHIND; i++)
		m->pages[i] = GUP_POISON;
	ask->acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	ask->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
}

/**
 * gup_mm_call() - call the function
 * @m:   the piece of address space
 * @ask: the call; its result goes there
 */
void gup_mm_call(struct gup_mm *m, struct gup_mm_ask *ask)
{
	const unsigned int flags = ask->flags & ~(FOLL_GET | FOLL_PIN);
	const unsigned long addr = gup_mm_addr(m, ask->first);
	const bool pin = ask->flags & FOLL_PIN;

	switch (ask->call) {
	case GUP_MM_FAST:
		ask->ret = (pin ? pin_user_pages_fast : get_user_pages_fast)
			(addr, ask->nr, flags, m->pages);
		break;
	case GUP_MM_ONLY:
		ask->ret = get_user_pages_fast_only(addr, ask->nr, flags,
						    m->pages);
		break;
	case GUP_MM_SLOW:
		ask->ret = (pin ? pin_user_pages_unlocked :
				  get_user_pages_unlocked)
			(addr, ask->nr, m->pages, flags);
		break;
	case GUP_MM_LOCKED:
		mmap_read_lock(m->mm);
		ask->ret = (pin ? pin_user_pages : get_user_pages)
			(addr, ask->nr, flags, m->pages);
		mmap_read_unlock(m->mm);
		break;
	}
}

/**
 * gup_mm_after() - remember what a call did to the statistics
 * @m:   the piece of address space
 * @ask: the call
 */
void gup_mm_after(struct gup_mm *m, struct gup_mm_ask *ask)
{
	ask->acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - ask->acquired;
	ask->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED) - ask->released;
	gup_kunit_mm.lru_drain();
}

/**
 * gup_mm_ask() - call the function, between gup_mm_before() and gup_mm_after()
 * @m:   the piece of address space
 * @ask: the call
 */
void gup_mm_ask(struct gup_mm *m, struct gup_mm_ask *ask)
{
	gup_mm_before(m, ask);
	gup_mm_call(m, ask);
	gup_mm_after(m, ask);
}

/* After all faults, the request must be allowed to have the page. */
static void gup_mm_check_page(struct gup_mm *m, struct gup_mm_ask *ask,
			      unsigned int i, struct gup_diff *diff)
{
	struct page *page = m->pages[i];
	struct gup_kunit_entry e;

	gup_mm_read(m, ask->first + i, &e);
	if (gup_differs_page(diff, m->folio, "page", i, page, e.page))
		return;
	if (m->want[i])
		gup_differs_page(diff, m->folio, "page that was there before", i,
				 page, m->want[i]);
	if ((ask->flags & (FOLL_WRITE | FOLL_FORCE)) == FOLL_WRITE)
		gup_differs(diff, "write access to page", i, e.write, true);
	if (folio_test_anon(page_folio(page)))
		gup_differs(diff, "page to be unshared", i,
			    gup_oracle_mapped(&e, ask->flags) == GUP_UNSHARE,
			    false);
}

/* The array has the pages that are mapped now; if possible, those from before. */
static void gup_mm_check_array(struct gup_mm *m, struct gup_mm_ask *ask,
			       struct gup_diff *diff)
{
	unsigned int i;

	if (ask->ret > (long)ask->nr)
		gup_differs(diff, "number of pages", 0, ask->ret, ask->nr);
	for (i = 0; (long)i < ask->ret && !diff->what; i++)
		gup_mm_check_page(m, ask, i, diff);
	/* Pages that could not be kept for long may still be in the array. */
	if (ask->flags & FOLL_LONGTERM)
		i = ask->nr;
	for (; i < m->nr + 2 * GUP_MM_BEHIND && !diff->what; i++)
		gup_differs_page(diff, m->folio, "entry behind the pages", i,
				 m->pages[i], GUP_POISON);
}

static void gup_mm_count_taken(struct gup_mm *m, struct gup_mm_ask *ask)
{
	unsigned int known = m->nr_seen, i;
	struct gup_mm_seen *seen;

	for (i = 0; i < m->nr_seen; i++)
		m->seen[i].taken = 0;
	for (i = 0; (long)i < ask->ret; i++)
		gup_mm_see(m, page_folio(m->pages[i]))->taken++;

	/* A new folio of shmem is in the page cache; of other files, anything goes. */
	for (seen = m->seen + known; seen < m->seen + m->nr_seen; seen++)
		if (folio_mapping(seen->folio) &&
		    shmem_mapping(folio_mapping(seen->folio)))
			seen->refs = folio_nr_pages(seen->folio);
		else if (!folio_test_anon(seen->folio))
			seen->refs = gup_mm_other_refs(seen->folio) -
				(int)seen->taken *
				gup_oracle_refs_per_page(&seen->folio->page,
							 ask->flags);
}

static void gup_mm_mark_mapped(struct gup_mm *m)
{
	struct gup_mm_seen *seen;
	struct page *page;
	unsigned int i;

	for (i = 0; i < m->nr_seen; i++)
		m->seen[i].mapped = false;
	for (i = 0; i < m->nr; i++) {
		page = gup_mm_mapped(m, i);
		seen = page ? gup_mm_find(m, page_folio(page)) : NULL;
		if (seen)
			seen->mapped = true;
	}
}

static void gup_mm_check_folios(struct gup_mm *m, unsigned int flags,
				struct gup_diff *diff)
{
	struct gup_mm_seen *seen;
	struct page *page;
	unsigned int i;
	int taken;

	gup_mm_mark_mapped(m);
	for (i = 0; i < m->nr_seen && !diff->what; i++) {
		seen = m->seen + i;
		page = &seen->folio->page;
		taken = seen->taken;
		if (!taken && !seen->mapped)
			continue;
		gup_differs(diff, "references of folio number", i,
			    gup_mm_other_refs(seen->folio), seen->refs +
			    taken * gup_oracle_refs_per_page(page, flags));
		gup_differs(diff, "pins of folio number", i,
			    gup_mm_pins(seen->folio), seen->pins +
			    taken * gup_oracle_pins_per_page(page, flags));
	}
}

static long gup_mm_nr_counted(struct gup_mm *m, struct gup_mm_ask *ask)
{
	long i, nr = 0;

	for (i = 0; i < ask->ret && (ask->flags & FOLL_PIN); i++)
		nr += !is_zero_page(m->pages[i]);

	return nr;
}

/**
 * gup_mm_check() - does everything fit the number of pages?
 * @m:    the piece of address space
 * @ask:  the call, after gup_mm_after()
 * @diff: the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_mm_check(struct gup_mm *m, struct gup_mm_ask *ask,
		  struct gup_diff *diff)
{
	gup_mm_check_array(m, ask, diff);
	if (diff->what)
		return false;
	gup_mm_count_taken(m, ask);
	gup_mm_check_folios(m, ask->flags, diff);
	gup_differs(diff, "pins acquired and not released", 0,
		    ask->acquired - ask->released, gup_mm_nr_counted(m, ask));

	return !diff->what;
}

/**
 * gup_mm_undo() - give back what a call took, and see that nothing is left
 * @m:    the piece of address space
 * @ask:  the call, after gup_mm_check()
 * @diff: the first thing that is not as it should be
 *
 * Nothing is given back after a difference, since it may not be ours.
 *
 * Return: Whether all is well.
 */
bool gup_mm_undo(struct gup_mm *m, struct gup_mm_ask *ask,
		 struct gup_diff *diff)
{
	const long released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	const long counted = gup_mm_nr_counted(m, ask);
	long i;

	if (diff->what)
		return false;

	if (ask->flags & FOLL_PIN && ask->ret > 0)
		unpin_user_pages(m->pages, ask->ret);
	for (i = 0; i < ask->ret && !(ask->flags & FOLL_PIN); i++)
		put_page(m->pages[i]);
	gup_kunit_mm.lru_drain();

	gup_differs(diff, "pins released", 0,
		    gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released, counted);
	for (i = 0; i < m->nr_seen; i++)
		m->seen[i].taken = 0;
	gup_mm_check_folios(m, ask->flags, diff);

	return !diff->what;
}

/**
 * gup_mm_settle() - check a call, undo it, and fail the test if all is not well
 * @m:      the piece of address space
 * @ask:    the call, after gup_mm_after()
 * @layout: what to print along with a difference
 */
void gup_mm_settle(struct gup_mm *m, struct gup_mm_ask *ask, const char *layout)
{
	struct gup_diff diff = {};

	gup_mm_check(m, ask, &diff);
	gup_mm_undo(m, ask, &diff);
	gup_expect_no_diff(m->test, &diff, layout);
}

/* Without faults, a walk returns what the oracle says; with faults, maybe more. */
static void gup_mm_check_number(struct gup_mm_ask *ask, unsigned int walk,
				struct gup_diff *diff)
{
	if (ask->call == GUP_MM_ONLY)
		gup_differs(diff, "number of pages", 0, ask->ret, walk);
	else if (ask->call == GUP_MM_FAST && walk && ask->ret < (long)walk)
		gup_differs(diff, "number of pages, at least", 0, ask->ret,
			    walk);
}

/**
 * gup_mm_run() - make a call, compare it with the oracle, undo it
 * @m:    the piece of address space
 * @ask:  the call; its result, @ask->ret, is there afterwards
 * @diff: the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_mm_run(struct gup_mm *m, struct gup_mm_ask *ask,
		struct gup_diff *diff)
{
	unsigned int walk;

	diff->what = NULL;
	walk = gup_oracle_mm_walk(m->mm, gup_mm_addr(m, ask->first), ask->nr,
				  ask->flags);
	gup_mm_ask(m, ask);
	gup_mm_check_number(ask, walk, diff);
	if (gup_mm_check(m, ask, diff))
		gup_mm_undo(m, ask, diff);

	return !diff->what;
}

/**
 * gup_mm_row_run() - make the layout of a row, and its call
 * @test: the test, its parameter is a &struct gup_mm_row
 */
void gup_mm_row_run(struct kunit *test)
{
	const struct gup_mm_row *row = test->param_value;
	struct gup_diff diff = {};
	struct gup_mm_ask ask = {
		.call = row->call,
		.flags = row->flags,
		.first = row->first,
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &row->layout);

	ask.nr = row->nr ?: m->nr - row->first;
	gup_mm_run(m, &ask, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
	KUNIT_EXPECT_EQ(test, ask.ret, row->ret);
}
