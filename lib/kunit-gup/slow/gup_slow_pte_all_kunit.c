// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_pte_all: every small table there is, for the slow path.
 *
 * The slow path walks over all tables of up to four entries, of twelve kinds,
 * with each kind of request and VMA, with and without the last entry, and is
 * compared with the oracle. Most kinds map the next page of the folio A, of
 * order 3, so that there are batches.
 */
#include <linux/irqflags.h>

#include "walk/gup_race.h"
#include "walk/gup_slow_pte.h"

#define GUP_FA_MAX_ENTRIES	4

/**
 * struct gup_fa_letter - what an entry can be
 * @name:  its letter
 * @folio: the folio, or '.' for a hole, '@' for a swap entry, 'Z'
 * @step:  from the page before to this one, in A; 1 is the next
 * @bits:  GUP_BIT_*
 */
struct gup_fa_letter {
	char name;
	char folio;
	int step;
	unsigned int bits;
};

static const struct gup_fa_letter gup_fa_letters[] = {
	/* The next page of A: writable, exclusive, shared, clean and old. */
	{ .name = 'n', .folio = 'A', .step = 1 },
	{ .name = 'r', .folio = 'A', .step = 1, .bits = GUP_BIT_RDONLY },
	{ .name = 's', .folio = 'A', .step = 1, .bits = GUP_BIT_SHARED },
	{ .name = 'c', .folio = 'A', .step = 1,
	  .bits = GUP_BIT_CLEAN | GUP_BIT_OLD },
	/* The same page again, and one is left out. */
	{ .name = 'o', .folio = 'A' },
	{ .name = 'u', .folio = 'A', .step = 2 },
	/* Of the neighbour of A, of a file, and a small folio. */
	{ .name = 'b', .folio = 'B', .step = 1 },
	{ .name = 'f', .folio = 'C', .step = 1, .bits = GUP_BIT_RDONLY },
	{ .name = 'm', .folio = 'D' },
	{ .name = 'z', .folio = 'Z', .bits = GUP_BIT_RDONLY },
	{ .name = '@', .folio = '@' },
	{ .name = '.', .folio = '.' },
};

/**
 * struct gup_fa_request - a kind of request
 * @name:     its name
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA, 0 for GUP_VM
 */
struct gup_fa_request {
	const char *name;
	unsigned int flags;
	vm_flags_t vm_flags;
};

static const struct gup_fa_request gup_fa_requests[] = {
	{ .name = "get", .flags = GUP_GET },
	{ .name = "get to write", .flags = GUP_GET_W },
	{ .name = "pin", .flags = GUP_PIN },
	{ .name = "pin to write", .flags = GUP_PIN_W },
	{ .name = "longterm pin", .flags = GUP_PIN_L },
	{ .name = "longterm pin of shared memory", .flags = GUP_PIN_L,
	  .vm_flags = GUP_VM | VM_SHARED | VM_MAYSHARE },
	{ .name = "touch and pin to write", .flags = GUP_PIN | GUP_TOUCH_W },
	{ .name = "touch and get", .flags = GUP_GET | FOLL_TOUCH },
	{ .name = "populate to write", .flags = GUP_TOUCH_W },
	{ .name = "populate by force", .flags = FOLL_TOUCH | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ },
	{ .name = "force to write", .flags = GUP_GET_W | FOLL_FORCE,
	  .vm_flags = GUP_VM_READ },
	{ .name = "dump", .flags = GUP_GET | FOLL_DUMP | FOLL_FORCE },
};

GUP_ROWS(gup_fa_requests);

static void gup_fa_set(struct gup_fixture *fx, unsigned int entry,
		       const struct gup_fa_letter *letter, unsigned int *next)
{
	const unsigned int mask = letter->folio == 'D' ? 0 : 7;
	struct page *page;
	unsigned int idx;

	if (letter->folio == '.' || letter->folio == '@') {
		gup_fixture_clear(fx, entry, letter->folio == '@');
		return;
	}
	if (letter->folio == 'Z') {
		gup_fixture_map(fx, entry, ZERO_PAGE(0), letter->bits |
							 GUP_BIT_SPECIAL);
		return;
	}

	/* @next counts from 1, for a page before the first. */
	idx = letter->folio - 'A';
	next[idx] += letter->step;
	page = gup_fixture_page(fx, letter->folio, (next[idx] - 1) & mask);
	gup_fixture_map(fx, entry, page, letter->bits);
}

/* Make table number @table of those with @nr entries, and its name. */
static void gup_fa_make(struct gup_fixture *fx, unsigned int table,
			unsigned int nr, char *name)
{
	unsigned int next[4] = {}, i;

	for (i = 0; i < nr; i++, table /= ARRAY_SIZE(gup_fa_letters)) {
		const struct gup_fa_letter *letter =
			&gup_fa_letters[table % ARRAY_SIZE(gup_fa_letters)];

		gup_fa_set(fx, i, letter, next);
		name[i] = letter->name;
	}
	name[nr] = 0;
}

static bool gup_fa_walk(struct gup_fixture *fx, unsigned int nr,
			struct gup_diff *diff)
{
	const struct gup_fa_request *request = fx->test->param_value;
	struct gup_walk walk = {
		.nr = nr,
		.flags = request->flags,
		.vm_flags = request->vm_flags,
		.walker = &gup_slow_pte,
	};

	return gup_walk_matches_oracle(fx, &walk, diff);
}

/*
 * Walk over a table, with and without the last entry. Interrupts are disabled
 * once, and nobody looks for stubs: this is run half a million times.
 */
static bool gup_fa_matches(struct gup_fixture *fx, unsigned int nr,
			   struct gup_diff *diff)
{
	unsigned long irq;
	bool matches;

	local_irq_save(irq);
	matches = gup_call_real(gup_fa_walk(fx, nr, diff) &&
				gup_fa_walk(fx, nr - 1, diff));
	local_irq_restore(irq);

	return matches;
}

static void gup_fa_tables(struct kunit *test)
{
	const struct gup_layout layout = { "A3 B3+ C3f D0", "." };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned int nr, table, tables = 1, walks = 0;
	char name[GUP_FA_MAX_ENTRIES + 1];
	struct gup_diff diff = {};

	for (nr = 1; nr <= GUP_FA_MAX_ENTRIES; nr++) {
		tables *= ARRAY_SIZE(gup_fa_letters);
		for (table = 0; table < tables; table++, walks += 2) {
			gup_fa_make(fx, table, nr, name);
			if (gup_fa_matches(fx, nr, &diff))
				continue;
			gup_expect_no_diff(test, &diff, name);
			return;
		}
		cond_resched();
	}
	kunit_info(test, "%u walks over %zu kinds of entries", walks,
		   ARRAY_SIZE(gup_fa_letters));
}

static struct kunit_case gup_slow_pte_all_cases[] = {
	GUP_CASE_ROWS(tables, gup_fa_tables, gup_fa_requests),
	{}
};

static struct kunit_suite gup_slow_pte_all_suite = {
	.name = "gup_slow_pte_all",
	.test_cases = gup_slow_pte_all_cases,
};

kunit_test_suite(gup_slow_pte_all_suite);
