// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_follow_all: every small table there is, for the slow path.
 *
 * All tables of up to four entries over an alphabet of entries, in each kind of
 * VMA that makes a difference and with every kind of request, whole and without
 * the last entry. What comes out is compared with the oracle. The pages of the
 * folio A, of order 3, go up by themselves, so that runs come about.
 */
#include "gup_follow.h"

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
	{ 'n', 'A', 1, 0 },				/* the next page */
	{ 'r', 'A', 1, GUP_BIT_RDONLY },		/* exclusive */
	{ 's', 'A', 1, GUP_BIT_SHARED },
	{ 'c', 'A', 1, GUP_BIT_CLEAN | GUP_BIT_OLD },
	{ 'o', 'A', 0, 0 },				/* the same page again */
	{ 'u', 'A', 2, 0 },				/* one is left out */
	{ 'b', 'B', 1, 0 },				/* of the neighbour of A */
	{ 'f', 'C', 1, GUP_BIT_RDONLY },		/* of a file */
	{ 'm', 'D', 0, 0 },				/* a small folio */
	{ 'z', 'Z', 0, GUP_BIT_RDONLY },
	{ '@', '@', 0, 0 },
	{ '.', '.', 0, 0 },
};

/**
 * struct gup_fa_request - a kind of request
 * @name:     its name
 * @flags:    FOLL_* flags
 * @vm_flags: flags of the VMA
 */
struct gup_fa_request {
	const char *name;
	unsigned int flags;
	vm_flags_t vm_flags;
};

static const struct gup_fa_request gup_fa_requests[] = {
	{ "get", GUP_GET, GUP_VM },
	{ "get to write", GUP_GET_W, GUP_VM },
	{ "pin", GUP_PIN, GUP_VM },
	{ "pin to write", GUP_PIN_W, GUP_VM },
	{ "longterm pin", GUP_PIN_L, GUP_VM },
	{ "longterm pin of shared memory", GUP_PIN_L,
	  GUP_VM | VM_SHARED | VM_MAYSHARE },
	{ "touch and pin to write", GUP_PIN | GUP_TOUCH_W, GUP_VM },
	{ "touch and get", GUP_GET | FOLL_TOUCH, GUP_VM },
	{ "populate to write", GUP_TOUCH_W, GUP_VM },
	{ "populate by force", FOLL_TOUCH | FOLL_FORCE, GUP_VM_READ },
	{ "force to write", GUP_GET_W | FOLL_FORCE, GUP_VM_READ },
	{ "dump", GUP_GET | FOLL_DUMP | FOLL_FORCE, GUP_VM },
};

KUNIT_ARRAY_PARAM_DESC(gup_fa, gup_fa_requests, name);

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

	/* @next counts from 1, so that there is a page before the first. */
	idx = letter->folio - 'A';
	next[idx] += letter->step;
	page = gup_fixture_page(fx, letter->folio, (next[idx] - 1) & mask);
	gup_fixture_map(fx, entry, page, letter->bits);
}

/* Table number @table of those with @nr entries, and its name. */
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

static bool gup_fa_matches(struct gup_fixture *fx, unsigned int nr,
			   struct gup_diff *diff)
{
	const struct gup_fa_request *request = fx->test->param_value;
	struct gup_walk walk = {
		.nr = nr,
		.flags = request->flags,
		.vm_flags = request->vm_flags,
		.slow = true,
	};

	return gup_walk_matches_oracle(fx, &walk, diff);
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
			if (gup_fa_matches(fx, nr, &diff) &&
			    gup_fa_matches(fx, nr - 1, &diff))
				continue;
			gup_expect_no_diff(test, &diff, name);
			return;
		}
		cond_resched();
	}
	kunit_info(test, "%u walks over %zu kinds of entries", walks,
		   ARRAY_SIZE(gup_fa_letters));
}

static struct kunit_case gup_follow_all_cases[] = {
	GUP_CASE_ROWS(tables, gup_fa_tables, gup_fa),
	{}
};

struct kunit_suite gup_follow_all_suite = {
	.name = "gup_follow_all",
	.test_cases = gup_follow_all_cases,
};
