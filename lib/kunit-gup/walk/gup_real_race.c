// SPDX-License-Identifier: GPL-2.0-only
/*
 * The changes of gup_real_race_kunit.c to memory while it is pinned, each made
 * by a thread of its own.
 */
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/mman.h>

#include "fixture/gup_lacks.h"
#include "walk/gup_real_race.h"

#define GUP_RR_BUSY_PAGES	48U
#define GUP_RR_FOREIGN		0xf0f0f0f0U

/**
 * gup_rr_choose() - choose a part of the range
 * @rnd:   where choices come from
 * @first: the first page
 * @nr:    the number of pages
 *
 * Mostly a small part, at the start of the range, where the other threads are,
 * too.
 */
void gup_rr_choose(struct rnd_state *rnd, unsigned int *first, unsigned int *nr)
{
	const bool busy = gup_rr_below(rnd, 8);

	*first = gup_rr_below(rnd, busy ? GUP_RR_BUSY_PAGES : GUP_RR_PAGES);
	*nr = 1 + gup_rr_below(rnd, busy ? GUP_RR_BUSY_PAGES :
					   GUP_RR_PAGES - *first);
}

/**
 * gup_rr_map() - map new memory, in place of what there was
 * @rr:    the race
 * @rnd:   where choices come from
 * @first: the first page
 * @nr:    the number of pages
 *
 * This also chooses new orders that folios may have, for all of the memory.
 *
 * Context: Process context, with the mm of the race, no locks held.
 * Return: Whether it could be mapped.
 */
bool gup_rr_map(struct gup_rr *rr, struct rnd_state *rnd, unsigned int first,
		unsigned int nr)
{
	const unsigned long addr = gup_rr_home(rr, first);
	const unsigned long orders = BIT(PMD_ORDER) | BIT(8) | BIT(4) | BIT(2);

	gup_kunit_mm.thp_orders(orders & prandom_u32_state(rnd));
	if (vm_mmap(NULL, addr, nr * PAGE_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, 0) != addr)
		return false;
	gup_kunit_mm.madvise(addr, nr * PAGE_SIZE, MADV_HUGEPAGE);

	return true;
}

static const char *gup_rr_lacks_nodes(void)
{
	return num_online_nodes() < 2 ? "only one node" : NULL;
}

/* Write to memory that others have freed, or will get. */
static bool gup_rr_reuse(struct gup_rr *rr, struct rnd_state *rnd)
{
	const unsigned int order = gup_rr_below(rnd, 5);
	struct page *page;
	unsigned int i;
	u32 *word;

	page = alloc_pages(GFP_HIGHUSER_MOVABLE | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY, order);
	if (!page)
		return false;
	for (i = 0; i < BIT(order); i++) {
		word = kmap_local_page(page + i);
		WRITE_ONCE(*word, GUP_RR_FOREIGN);
		kunmap_local(word);
	}
	__free_pages(page, order);

	return true;
}

static bool gup_rr_split(struct gup_rr *rr, struct rnd_state *rnd)
{
	unsigned int idx, nr, order;
	struct folio *folio;
	struct page *page;
	int ret = -EINVAL;

	gup_rr_choose(rnd, &idx, &nr);
	if (get_user_pages_fast_only(gup_rr_home(rr, idx), 1, 0, &page) != 1)
		return false;
	folio = page_folio(page);
	order = folio_order(folio);
	if (order && folio_test_anon(folio)) {
		order = gup_rr_below(rnd, order);
		/* Anonymous folios do not have order 1. */
		ret = gup_kunit_mm.split(folio, order == 1 ? 0 : order);
	}
	folio_put(folio);

	return !ret;
}

static bool gup_rr_collapse(struct gup_rr *rr, struct rnd_state *rnd)
{
	const unsigned int nr = GUP_RR_PAGES / PTRS_PER_PTE;
	const unsigned long addr = rr->home + gup_rr_below(rnd, nr) * PMD_SIZE;

	return !gup_kunit_mm.madvise(addr, PMD_SIZE, MADV_COLLAPSE);
}

static bool gup_rr_protect(struct gup_rr *rr, struct rnd_state *rnd)
{
	unsigned int first, nr;
	bool done;

	gup_rr_choose(rnd, &first, &nr);
	done = !gup_kunit_mm.mprotect(gup_rr_home(rr, first), nr * PAGE_SIZE,
				   PROT_READ);
	cond_resched();
	gup_kunit_mm.mprotect(gup_rr_home(rr, first), nr * PAGE_SIZE,
			   PROT_READ | PROT_WRITE);

	return done;
}

static bool gup_rr_move(struct gup_rr *rr, struct rnd_state *rnd)
{
	unsigned long home, away;
	unsigned int first, nr;

	gup_rr_choose(rnd, &first, &nr);
	home = gup_rr_home(rr, first);
	away = gup_rr_away(rr, first);
	if (gup_kunit_mm.mremap(home, nr * PAGE_SIZE, away) == away) {
		/* Leave it there for a while, to be found. */
		usleep_range(100, 1000);
		if (gup_kunit_mm.mremap(away, nr * PAGE_SIZE, home) == home)
			return true;
	}
	gup_rr_map(rr, rnd, first, nr);

	return false;
}

static bool gup_rr_migrate(struct gup_rr *rr, struct rnd_state *rnd)
{
	const int first = first_online_node;
	const int second = next_online_node(first);

	return gup_kunit_mm.migrate(rr->mm, first, second) >= 0 &&
	       gup_kunit_mm.migrate(rr->mm, second, first) >= 0;
}

static bool gup_rr_reclaim(struct gup_rr *rr, struct rnd_state *rnd)
{
	unsigned int first, nr;
	unsigned long addr;

	gup_rr_choose(rnd, &first, &nr);
	addr = gup_rr_home(rr, first);

	return !gup_kunit_mm.madvise(addr, nr * PAGE_SIZE, MADV_FREE) &&
	       !gup_kunit_mm.madvise(addr, nr * PAGE_SIZE, MADV_PAGEOUT);
}

static bool gup_rr_remap(struct gup_rr *rr, struct rnd_state *rnd)
{
	unsigned int first, nr;

	gup_rr_choose(rnd, &first, &nr);
	vm_munmap(gup_rr_home(rr, first), nr * PAGE_SIZE);
	cond_resched();

	return gup_rr_map(rr, rnd, first, nr);
}

const struct gup_rr_change gup_rr_reuses = {
	.act = gup_rr_reuse,
};

const struct gup_rr_change gup_rr_splits = {
	.act = gup_rr_split,
	.lacks = gup_mm_lacks_huge,
};

const struct gup_rr_change gup_rr_collapses = {
	.act = gup_rr_collapse,
	.lacks = gup_mm_lacks_huge,
};

const struct gup_rr_change gup_rr_protects = {
	.act = gup_rr_protect,
};

const struct gup_rr_change gup_rr_moves = {
	.act = gup_rr_move,
};

const struct gup_rr_change gup_rr_migrates = {
	.act = gup_rr_migrate,
	.lacks = gup_rr_lacks_nodes,
};

const struct gup_rr_change gup_rr_reclaims = {
	.act = gup_rr_reclaim,
};

const struct gup_rr_change gup_rr_remaps = {
	.act = gup_rr_remap,
};
