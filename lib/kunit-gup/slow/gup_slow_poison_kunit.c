// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_poison: an entry for a page that must not be accessed, in the middle
 * of a large folio.
 *
 * The entry is not present. So a walk ends in front of it, a call that begins
 * there gets the error of the page fault, and the pages behind it are as usual.
 */
#include <linux/mman.h>
#include <linux/swapops.h>

#include "walk/gup_mm_call.h"

/* The entry that must not be accessed. */
#define GUP_POISON_AT	5

/**
 * enum gup_poison_entry - what the entry is
 * @GUP_POISON_HWPOISON: the memory of the page is broken
 * @GUP_POISON_UFFDIO:   UFFDIO_POISON: userfaultfd wants an access to fail
 * @GUP_POISON_GUARD:    MADV_GUARD_INSTALL
 */
enum gup_poison_entry {
	GUP_POISON_HWPOISON,
	GUP_POISON_UFFDIO,
	GUP_POISON_GUARD,
};

/**
 * struct gup_poison_row - an entry that must not be accessed
 * @name:  what is special about it
 * @entry: the entry
 * @error: the error of a call with FOLL_HWPOISON that begins there
 */
struct gup_poison_row {
	const char *name;
	enum gup_poison_entry entry;
	long error;
};

static const struct gup_poison_row gup_poison_rows[] = {
	{ .name = "hwpoison entry", .entry = GUP_POISON_HWPOISON,
	  .error = -EHWPOISON },
	{ .name = "marker of uffdio_poison", .entry = GUP_POISON_UFFDIO,
	  .error = -EHWPOISON },
	{ .name = "guard marker", .entry = GUP_POISON_GUARD, .error = -EFAULT },
};

GUP_ROWS(gup_poison_rows);

/**
 * struct gup_poison - an address space with such an entry
 * @m:   the address space
 * @pte: the entry that was there before
 */
struct gup_poison {
	struct gup_mm *m;
	pte_t pte;
};

static pte_t gup_poison_mk_pte(enum gup_poison_entry entry, struct page *page)
{
	switch (entry) {
#ifdef CONFIG_MEMORY_FAILURE
	case GUP_POISON_HWPOISON:
		/* As make_hwpoison_entry(), which wants the page locked. */
		return swp_entry_to_pte(swp_entry(SWP_HWPOISON,
						  page_to_pfn(page)));
#endif
	case GUP_POISON_UFFDIO:
		return make_pte_marker(PTE_MARKER_POISONED);
	default:
		return make_pte_marker(PTE_MARKER_GUARD);
	}
}

static void gup_poison_put_back(void *data)
{
	struct gup_poison *poison = data;

	gup_kunit_mm.exchange(poison->m->mm,
			      gup_mm_addr(poison->m, GUP_POISON_AT),
			      poison->pte);
}

static struct gup_mm *gup_poison_create(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A4", "A0-15" };
	const struct gup_poison_row *row = test->param_value;
	struct gup_poison *poison;
	struct gup_mm *m;
	pte_t pte;

	if (row->entry == GUP_POISON_HWPOISON &&
	    !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		kunit_skip(test, "no CONFIG_MEMORY_FAILURE");
	poison = gup_zalloc(test, 1, sizeof(*poison));
	m = gup_mm_create_or_skip(test, &layout);
	pte = gup_poison_mk_pte(row->entry, gup_mm_page(m, 'A', GUP_POISON_AT));
	poison->m = m;
	poison->pte = gup_kunit_mm.exchange(m->mm,
					    gup_mm_addr(m, GUP_POISON_AT), pte);
	gup_undo_later(test, gup_poison_put_back, poison);

	return m;
}

/* Ask for all pages from @first on. */
static void gup_poison_expect(struct gup_mm *m, enum gup_mm_call call,
			      unsigned int flags, unsigned int first, long want)
{
	struct gup_mm_ask ask = {
		.call = call, .flags = flags, .first = first,
		.nr = m->nr - first,
	};
	struct gup_diff diff = {};

	gup_mm_run(m, &ask, &diff);
	gup_expect_no_diff(m->test, &diff, "A0-4 and A6-15");
	KUNIT_EXPECT_EQ_MSG(m->test, ask.ret, want, "from page %u on", first);
}

static void gup_poison_slow(struct kunit *test)
{
	static const unsigned int flags[] = { GUP_GET, GUP_PIN_W };
	const struct gup_poison_row *row = test->param_value;
	struct gup_mm *m = gup_poison_create(test);
	enum gup_mm_call call;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (call = GUP_MM_SLOW; call <= GUP_MM_LOCKED; call++) {
			gup_poison_expect(m, call, flags[i], 0, GUP_POISON_AT);
			gup_poison_expect(m, call, flags[i], GUP_POISON_AT,
					  -EFAULT);
			gup_poison_expect(m, call, flags[i] | FOLL_HWPOISON,
					  GUP_POISON_AT, row->error);
			gup_poison_expect(m, call, flags[i], GUP_POISON_AT + 1,
					  10);
		}
	}
}

static void gup_poison_fast(struct kunit *test)
{
	struct gup_mm *m = gup_poison_create(test);

	gup_poison_expect(m, GUP_MM_ONLY, GUP_GET_W, 0, GUP_POISON_AT);
	gup_poison_expect(m, GUP_MM_ONLY, GUP_GET_W, GUP_POISON_AT, 0);
	gup_poison_expect(m, GUP_MM_ONLY, GUP_GET_W, GUP_POISON_AT + 1, 10);
	gup_poison_expect(m, GUP_MM_FAST, GUP_PIN_W, 0, GUP_POISON_AT);
	gup_poison_expect(m, GUP_MM_FAST, GUP_PIN_W, GUP_POISON_AT, -EFAULT);
	gup_poison_expect(m, GUP_MM_FAST, GUP_PIN_W, GUP_POISON_AT + 1, 10);
}

static void gup_poison_populate(struct kunit *test)
{
	const struct gup_poison_row *row = test->param_value;
	struct gup_mm *m = gup_poison_create(test);

	KUNIT_EXPECT_EQ(test, row->error,
			gup_kunit_mm.madvise(m->addr, m->nr * PAGE_SIZE,
					  MADV_POPULATE_READ));
	KUNIT_EXPECT_EQ(test, row->error,
			gup_kunit_mm.madvise(m->addr, m->nr * PAGE_SIZE,
					  MADV_POPULATE_WRITE));
	gup_poison_expect(m, GUP_MM_LOCKED, GUP_PIN, 0, GUP_POISON_AT);
}

static struct kunit_case gup_slow_poison_cases[] = {
	GUP_CASE_ROWS(slow, gup_poison_slow, gup_poison_rows),
	GUP_CASE_ROWS(fast, gup_poison_fast, gup_poison_rows),
	GUP_CASE_ROWS(populate, gup_poison_populate, gup_poison_rows),
	{}
};

static struct kunit_suite gup_slow_poison_suite = {
	.name = "gup_slow_poison",
	.test_cases = gup_slow_poison_cases,
};

kunit_test_suite(gup_slow_poison_suite);
