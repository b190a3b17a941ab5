// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast_all: every small table there is.
 *
 * Rows test what somebody thought of. Here, GUP-fast walks over all tables of
 * up to five entries, of twelve kinds, with every kind of request, and is
 * compared with the oracle. Most kinds map the next page of the folio A, of
 * order 3, so that there are batches; two kinds break the order.
 */
#include <linux/irqflags.h>

#include "walk/gup_fast.h"
#include "walk/gup_race.h"

#define GUP_ALL_MAX_ENTRIES	5

/**
 * enum gup_letter - what an entry can be
 * @GUP_L_NEXT:    the next page of A
 * @GUP_L_RDONLY:  the same, read-only and exclusive
 * @GUP_L_SHARED:  the same, read-only and to be unshared
 * @GUP_L_OLD:     the same, old and clean
 * @GUP_L_SAME:    the page of A that the entry before has
 * @GUP_L_SKIP:    the page of A after the next
 * @GUP_L_BEHIND:  the next page of B, the neighbour of A in memory
 * @GUP_L_FILE:    the next page of a file folio, read-only
 * @GUP_L_SMALL:   a small folio
 * @GUP_L_ZERO:    the zero page, read-only
 * @GUP_L_SWAP:    a swap entry
 * @GUP_L_HOLE:    nothing
 * @GUP_L_NR:      number of letters
 */
enum gup_letter {
	GUP_L_NEXT,
	GUP_L_RDONLY,
	GUP_L_SHARED,
	GUP_L_OLD,
	GUP_L_SAME,
	GUP_L_SKIP,
	GUP_L_BEHIND,
	GUP_L_FILE,
	GUP_L_SMALL,
	GUP_L_ZERO,
	GUP_L_SWAP,
	GUP_L_HOLE,
	GUP_L_NR,
};

static const char gup_letters[] = "nrsocubfmz@.";

/* The next page of A, B and C. */
struct gup_all_cursor {
	unsigned int a;
	unsigned int b;
	unsigned int c;
};

static void gup_all_set(struct gup_fixture *fx, unsigned int entry,
			enum gup_letter letter, struct gup_all_cursor *next)
{
	static const unsigned int bits[GUP_L_NR] = {
		[GUP_L_RDONLY]	= GUP_BIT_RDONLY,
		[GUP_L_SHARED]	= GUP_BIT_SHARED,
		[GUP_L_OLD]	= GUP_BIT_OLD | GUP_BIT_CLEAN,
		[GUP_L_FILE]	= GUP_BIT_RDONLY,
		[GUP_L_ZERO]	= GUP_BIT_RDONLY,
	};
	struct page *page;

	switch (letter) {
	case GUP_L_BEHIND:
		page = gup_fixture_page(fx, 'B', next->b++);
		break;
	case GUP_L_FILE:
		page = gup_fixture_page(fx, 'C', next->c++);
		break;
	case GUP_L_SMALL:
		page = gup_fixture_page(fx, 'D', 0);
		break;
	case GUP_L_ZERO:
		page = ZERO_PAGE(0);
		break;
	case GUP_L_SWAP:
	case GUP_L_HOLE:
		gup_fixture_clear(fx, entry, letter == GUP_L_SWAP);
		return;
	case GUP_L_SAME:
		page = gup_fixture_page(fx, 'A', next->a ? next->a - 1 : 0);
		break;
	default:
		if (letter == GUP_L_SKIP)
			next->a++;
		page = gup_fixture_page(fx, 'A', next->a++ % 8);
		break;
	}
	gup_fixture_map(fx, entry, page, bits[letter]);
}

/* Make table number @table of those with @nr entries, and its name. */
static void gup_all_make(struct gup_fixture *fx, unsigned int table,
			 unsigned int nr, char *name)
{
	struct gup_all_cursor next = {};
	unsigned int i;

	for (i = 0; i < nr; i++, table /= GUP_L_NR) {
		gup_all_set(fx, i, table % GUP_L_NR, &next);
		name[i] = gup_letters[table % GUP_L_NR];
	}
	name[nr] = 0;
}

/*
 * Make each kind of request on a table. Interrupts are disabled once for all of
 * them, and nobody looks for stubs: this is run a million times.
 */
static bool gup_all_matches(struct gup_fixture *fx, unsigned int nr,
			    struct gup_diff *diff)
{
	static const unsigned int flags[] = {
		GUP_GET, GUP_GET_W, GUP_PIN, GUP_PIN_W
	};
	bool matches = true;
	unsigned long irq;
	unsigned int f;

	local_irq_save(irq);
	for (f = 0; f < ARRAY_SIZE(flags) && matches; f++) {
		struct gup_walk walk = {
			.walker = &gup_fast,
			.nr = nr, .flags = flags[f],
		};

		matches = gup_call_real(gup_walk_matches_oracle(fx, &walk, diff));
	}
	local_irq_restore(irq);
	if (!matches)
		kunit_info(fx->test, "flags %#x", flags[f - 1]);

	return matches;
}

static void gup_fast_all_tables(struct kunit *test)
{
	const struct gup_layout layout = { "A3 B3+ C3f D0", "." };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned int nr, table, tables = 1, walked = 0;
	char name[GUP_ALL_MAX_ENTRIES + 1];
	struct gup_diff diff = {};

	for (nr = 1; nr <= GUP_ALL_MAX_ENTRIES; nr++) {
		tables *= GUP_L_NR;
		for (table = 0; table < tables; table++, walked++) {
			gup_all_make(fx, table, nr, name);
			if (!gup_all_matches(fx, nr, &diff)) {
				gup_expect_no_diff(test, &diff, name);
				return;
			}
			cond_resched();
		}
	}
	kunit_info(test, "%u tables of %u kinds of entries", walked, GUP_L_NR);
}

static struct kunit_case gup_fast_all_cases[] = {
	KUNIT_CASE_SLOW(gup_fast_all_tables),
	{}
};

static struct kunit_suite gup_fast_all_suite = {
	.name = "gup_fast_all",
	.test_cases = gup_fast_all_cases,
};

kunit_test_suite(gup_fast_all_suite);
