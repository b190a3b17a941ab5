/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that threads change while it is pinned. */
#ifndef _GUP_REAL_RACE_H
#define _GUP_REAL_RACE_H

#include <linux/kthread.h>

#include "fixture/gup_seed.h"
#include "gup_diff.h"
#include "gup_kunit_mm.h"

#define GUP_RR_PAGES	1024U

struct gup_rr;

/**
 * struct gup_rr_change - a change to the range
 * @act:   make it once, somewhere; returns whether it was made
 * @lacks: why it cannot be done in this kernel; NULL if it always can
 */
struct gup_rr_change {
	bool (*act)(struct gup_rr *rr, struct rnd_state *rnd);
	const char *(*lacks)(void);
};

/**
 * struct gup_rr_thread - a thread that makes changes of one kind
 * @rr:     the race that it takes part in
 * @change: what it does
 * @task:   its task
 * @rnd:    for its choices
 * @done:   number of changes made
 */
struct gup_rr_thread {
	struct gup_rr *rr;
	struct rnd_state rnd;
	const struct gup_rr_change *change;
	struct task_struct *task;
	unsigned int done;
};

#define GUP_RR_MAX_THREADS	8

/**
 * struct gup_rr - memory, and the threads that change it
 * @mm:         the mm
 * @home:       where the range is; aligned to a huge page
 * @away:       where parts of it are moved to, a page out of alignment
 * @orders:     the orders for madvise() before
 * @seed:       the seed of all choices
 * @rnd:        for the choices of the calls
 * @pages:      the array that a call fills
 * @thread:     the threads that make changes
 * @nr_threads: number of them
 * @pinned:     number of pages that the calls returned
 * @neighbours: number of times that a page was behind one of the same folio
 * @diff:       what was wrong with a page
 */
struct gup_rr {
	struct mm_struct *mm;
	unsigned long home;
	unsigned long away;
	unsigned long orders;
	u32 seed;
	struct rnd_state rnd;
	struct page **pages;
	struct gup_rr_thread thread[GUP_RR_MAX_THREADS];
	unsigned int nr_threads;
	unsigned long pinned;
	unsigned long neighbours;
	struct gup_diff diff;
};

static inline unsigned int gup_rr_below(struct rnd_state *rnd,
					unsigned int ceil)
{
	return prandom_u32_state(rnd) % ceil;
}

/* The address of a page of the range, and where it is moved to. */
static inline unsigned long gup_rr_home(struct gup_rr *rr, unsigned int idx)
{
	return rr->home + idx * PAGE_SIZE;
}

static inline unsigned long gup_rr_away(struct gup_rr *rr, unsigned int idx)
{
	return rr->away + (idx + 1) * PAGE_SIZE;
}

void gup_rr_choose(struct rnd_state *rnd, unsigned int *first, unsigned int *nr);
bool gup_rr_map(struct gup_rr *rr, struct rnd_state *rnd, unsigned int first,
		unsigned int nr);

extern const struct gup_rr_change gup_rr_reuses;
extern const struct gup_rr_change gup_rr_splits;
extern const struct gup_rr_change gup_rr_collapses;
extern const struct gup_rr_change gup_rr_protects;
extern const struct gup_rr_change gup_rr_moves;
extern const struct gup_rr_change gup_rr_migrates;
extern const struct gup_rr_change gup_rr_reclaims;
extern const struct gup_rr_change gup_rr_remaps;

#endif /* _GUP_REAL_RACE_H */
