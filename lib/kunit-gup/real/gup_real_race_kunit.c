// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real_race: pin memory while other threads change it.
 *
 * gup_fast_race makes a change at an exact step of one walk. Here, this thread
 * pins and unpins parts of a range by all functions, while others split and
 * collapse its folios, protect, move, migrate, reclaim, unmap and map it. The
 * first word of a page is zero, or says for which address it was written; one
 * more thread allocates memory and writes something else there. So that word
 * shows a page of another address, a stale page, or one that is freed too
 * early, and leaked references are found in the end. Sometimes GUP-fast pauses
 * between reading an entry and taking references, as when a hypervisor stops
 * the CPU, since a window of a few instructions is hard to hit.
 *
 * A row ends after enough calls and changes of each kind, or when its time is
 * up.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>

#include "fixture/gup_cpu.h"
#include "fixture/gup_mm.h"
#include "fixture/gup_stat.h"
#include "walk/gup_race.h"
#include "walk/gup_real_race.h"

#define GUP_RR_CALLS	500U
#define GUP_RR_CHANGES	5U
#define GUP_RR_SECONDS	10
#define GUP_RR_PAUSE_US	500
#define GUP_RR_SETTLE	50
#define GUP_RR_MINE	0x47550000U

/**
 * struct gup_rr_row - what is done during the pins
 * @name:    in words
 * @changes: the changes, a thread for each
 */
struct gup_rr_row {
	const char *name;
	const struct gup_rr_change *changes[GUP_RR_MAX_THREADS];
};

static const struct gup_rr_row gup_rr_rows[] = {
	{ .name = "split and remap",
	  .changes = { &gup_rr_splits, &gup_rr_remaps } },
	{ .name = "split and collapse",
	  .changes = { &gup_rr_splits, &gup_rr_collapses } },
	{ .name = "protect", .changes = { &gup_rr_protects } },
	{ .name = "move", .changes = { &gup_rr_moves } },
	{ .name = "migrate", .changes = { &gup_rr_migrates } },
	{ .name = "reclaim", .changes = { &gup_rr_reclaims } },
	{ .name = "unmap and map", .changes = { &gup_rr_remaps } },
	{
		.name = "all at once without huge pages",
		.changes = {
			&gup_rr_protects, &gup_rr_moves, &gup_rr_reclaims,
			&gup_rr_remaps,
		},
	},
	{
		.name = "all at once",
		.changes = {
			&gup_rr_splits, &gup_rr_collapses, &gup_rr_protects,
			&gup_rr_moves, &gup_rr_migrates, &gup_rr_reclaims,
			&gup_rr_remaps,
		},
	},
};

GUP_ROWS(gup_rr_rows);

static int gup_rr_thread(void *arg)
{
	struct gup_rr_thread *thread = arg;
	struct gup_rr *rr = thread->rr;

	kthread_use_mm(rr->mm);
	while (!kthread_should_stop()) {
		if (thread->change->act(rr, &thread->rnd))
			WRITE_ONCE(thread->done, thread->done + 1);
		cond_resched();
	}
	kthread_unuse_mm(rr->mm);

	return 0;
}

static void gup_rr_stop(void *arg)
{
	struct gup_rr *rr = arg;

	while (rr->nr_threads) {
		kthread_stop_put(rr->thread[--rr->nr_threads].task);
		mmput(rr->mm);
	}
	gup_kunit_mm.thp_orders(rr->orders);
}

static void gup_rr_start(struct kunit *test, struct gup_rr *rr,
			 const struct gup_rr_change *change)
{
	struct gup_rr_thread *thread = &rr->thread[rr->nr_threads];

	thread->rr = rr;
	thread->change = change;
	gup_seed_state(&thread->rnd, rr->seed, rr->nr_threads);
	thread->task = kthread_create(gup_rr_thread, thread, "gup_real_race");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread->task));
	get_task_struct(thread->task);
	/* It may live longer than this thread, which takes down its mm. */
	mmget(rr->mm);
	rr->nr_threads++;
	wake_up_process(thread->task);
}

static struct gup_rr *gup_rr_create(struct kunit *test)
{
	const unsigned long size = ALIGN(GUP_RR_PAGES * PAGE_SIZE, PMD_SIZE);
	struct gup_rr *rr = gup_zalloc(test, 1, sizeof(*rr));
	unsigned long addr;

	rr->pages = gup_zalloc(test, GUP_RR_PAGES, sizeof(*rr->pages));
	addr = gup_mm_mmap(test, 0, 4 * size, PROT_NONE);
	rr->mm = current->mm;
	rr->home = ALIGN(addr, PMD_SIZE);
	rr->away = rr->home + size;
	rr->orders = gup_kunit_mm.thp_orders(0);
	gup_undo_later(test, gup_rr_stop, rr);
	rr->seed = gup_seed(test);
	gup_seed_state(&rr->rnd, rr->seed, GUP_RR_MAX_THREADS);
	KUNIT_ASSERT_TRUE(test, gup_rr_map(rr, &rr->rnd, 0, GUP_RR_PAGES));

	return rr;
}

/**
 * struct gup_rr_call - a way to get at pages
 * @fn:    the function
 * @flags: its flags
 * @pin:   whether the pages are pinned
 */
struct gup_rr_call {
	int (*fn)(unsigned long addr, int nr, unsigned int flags,
		  struct page **pages);
	unsigned int flags;
	bool pin;
};

static int gup_rr_pin_slow(unsigned long addr, int nr, unsigned int flags,
			   struct page **pages)
{
	return pin_user_pages_unlocked(addr, nr, pages, flags);
}

static const struct gup_rr_call gup_rr_calls[] = {
	{ .fn = pin_user_pages_fast, .flags = FOLL_WRITE, .pin = true },
	{ .fn = pin_user_pages_fast, .flags = FOLL_WRITE | FOLL_LONGTERM,
	  .pin = true },
	{ .fn = pin_user_pages_fast, .pin = true },
	{ .fn = get_user_pages_fast, .flags = FOLL_WRITE },
	{ .fn = get_user_pages_fast_only, .flags = FOLL_WRITE },
	{ .fn = get_user_pages_fast_only },
	{ .fn = gup_rr_pin_slow, .flags = FOLL_WRITE, .pin = true },
};

/* Get the word of a page; with @write, set it if it is zero. */
static u32 gup_rr_word(struct page *page, u32 mark, bool write)
{
	u32 *word = kmap_local_page(page);
	u32 found = READ_ONCE(*word);

	if (!found && write)
		WRITE_ONCE(*word, mark);
	kunmap_local(word);

	return found;
}

static void gup_rr_look(struct gup_rr *rr, unsigned int first, int nr,
			bool write, const char *when)
{
	int i;

	for (i = 0; i < nr; i++) {
		const u32 mark = GUP_RR_MINE | (first + i);
		const u32 found = gup_rr_word(rr->pages[i], mark, write);

		if (found)
			gup_differs(&rr->diff, when, first + i, found, mark);
		if (i && page_folio(rr->pages[i]) == page_folio(rr->pages[i - 1]))
			rr->neighbours++;
	}
}

static void gup_rr_call(struct gup_rr *rr)
{
	struct rnd_state *rnd = &rr->rnd;
	const struct gup_rr_call *call =
		&gup_rr_calls[gup_rr_below(rnd, ARRAY_SIZE(gup_rr_calls))];
	const bool write = call->flags & FOLL_WRITE;
	const bool away = !gup_rr_below(rnd, 4);
	unsigned int first, nr;
	int got, i;

	gup_rr_choose(rnd, &first, &nr);
	got = call->fn(away ? gup_rr_away(rr, first) : gup_rr_home(rr, first),
		       nr, call->flags, rr->pages);
	if (got <= 0)
		return;
	rr->pinned += got;
	gup_rr_look(rr, first, got, write, "word of page");
	cond_resched();
	gup_rr_look(rr, first, got, write, "word of pinned page");

	if (call->pin) {
		unpin_user_pages_dirty_lock(rr->pages, got, write);
		return;
	}
	for (i = 0; i < got; i++)
		put_page(rr->pages[i]);
}

/* IRQs are disabled here. */
static struct folio *gup_rr_grab(struct page *page, int refs, unsigned int flags)
{
	struct gup_rr *rr = kunit_get_current_test()->priv;

	if (!gup_rr_below(&rr->rnd, 8))
		udelay(gup_rr_below(&rr->rnd, GUP_RR_PAUSE_US));

	return gup_call_real(gup_kunit_gup.grab_fast(page, refs, flags));
}

static bool gup_rr_enough(struct gup_rr *rr)
{
	unsigned int i;

	for (i = 0; i < rr->nr_threads; i++)
		if (READ_ONCE(rr->thread[i].done) < GUP_RR_CHANGES)
			return false;

	return true;
}

/* References of the page at @addr that are not of mappings. */
static int gup_rr_extra_refs(unsigned long addr)
{
	struct folio *folio;
	struct page *page;
	int extra = 0;

	if (get_user_pages_fast_only(addr, 1, 0, &page) != 1)
		return 0;
	folio = page_folio(page);
	if (folio_test_anon(folio))
		extra = folio_ref_count(folio) - 1 - folio_mapcount(folio);
	put_page(page);

	return extra;
}

/* Others may take references for a moment; those that stay were leaked. */
static void gup_rr_expect_no_leak(struct kunit *test, struct gup_rr *rr)
{
	unsigned int i, tries = 0;
	int home, away;

	gup_kunit_mm.lru_drain();
	for (i = 0; i < GUP_RR_PAGES; i++) {
		for (;;) {
			home = gup_rr_extra_refs(gup_rr_home(rr, i));
			away = gup_rr_extra_refs(gup_rr_away(rr, i));
			if ((!home && !away) || tries++ == GUP_RR_SETTLE)
				break;
			msleep(20);
			gup_kunit_mm.lru_drain();
		}
		KUNIT_ASSERT_EQ_MSG(test, home, 0, "references of page %u", i);
		KUNIT_ASSERT_EQ_MSG(test, away, 0, "references of page %u, away", i);
	}
}

/* Make calls until there were enough, or the time is up. */
static void gup_rr_call_all(struct kunit *test, struct gup_rr *rr)
{
	const unsigned long end = jiffies + GUP_RR_SECONDS * HZ;
	unsigned int i, nr_threads, calls = 0;

	while (!rr->diff.what && time_before(jiffies, end) &&
	       (calls < GUP_RR_CALLS || !gup_rr_enough(rr))) {
		gup_rr_call(rr);
		calls++;
		cond_resched();
	}

	nr_threads = rr->nr_threads;
	kunit_release_action(test, gup_rr_stop, rr);
	/* A machine that is too slow has no time for all changes. */
	for (i = 0; i < nr_threads && calls >= GUP_RR_CALLS; i++)
		KUNIT_EXPECT_GT_MSG(test, rr->thread[i].done, 0, "change %u", i);
	kunit_info(test, "%u calls, %lu pages, %lu of the folio before\n",
		   calls, rr->pinned, rr->neighbours);
}

static void gup_real_race(struct kunit *test)
{
	const struct gup_rr_row *row = test->param_value;
	long acquired, released;
	struct gup_rr *rr;
	unsigned int i;

	for (i = 0; i < GUP_RR_MAX_THREADS && row->changes[i]; i++)
		if (row->changes[i]->lacks)
			gup_skip_if(test, row->changes[i]->lacks());

	gup_fixture_bind();
	acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);
	rr = gup_rr_create(test);
	test->priv = rr;
	kunit_activate_static_stub(test, gup_kunit_gup.grab_fast,
				   gup_rr_grab);
	gup_rr_start(test, rr, &gup_rr_reuses);
	for (i = 0; i < GUP_RR_MAX_THREADS && row->changes[i]; i++)
		gup_rr_start(test, rr, row->changes[i]);

	gup_rr_call_all(test, rr);
	gup_expect_no_diff(test, &rr->diff, row->name);
	KUNIT_EXPECT_GT(test, rr->pinned, 0);
	if (!gup_mm_lacks_huge())
		KUNIT_EXPECT_GT(test, rr->neighbours, 0);
	gup_rr_expect_no_leak(test, rr);
	acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - acquired;
	released = gup_fixture_stat(NR_FOLL_PIN_RELEASED) - released;
	KUNIT_EXPECT_EQ(test, acquired, released);
}

static struct kunit_case gup_real_race_cases[] = {
	{ .run_case = gup_real_race, .name = "gup_real_race",
	  .param_init = gup_rr_rows_init,
	  .generate_params = kunit_array_gen_params,
	  .attr.speed = KUNIT_SPEED_SLOW, .module_name = KBUILD_MODNAME },
	{}
};

static struct kunit_suite gup_real_race_suite = {
	.name = "gup_real_race",
	.test_cases = gup_real_race_cases,
};

kunit_test_suite(gup_real_race_suite);
