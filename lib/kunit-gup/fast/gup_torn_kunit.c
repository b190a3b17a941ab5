// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_torn: an entry of two words that changes between its words.
 *
 * With CONFIG_GUP_GET_PXX_LOW_HIGH, a reader without the lock can get one word
 * from before a change and the other one from after it, which together are a
 * value that was never there. A hardware breakpoint makes that happen each
 * time: it is hit when one word has been read, and changes the whole entry, as
 * another CPU could. The value that was never there would continue a batch, so
 * a reader that finds this batch has read a torn entry.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "fixture/gup_fixture.h"

#if defined(CONFIG_GUP_GET_PXX_LOW_HIGH) && defined(CONFIG_HAVE_HW_BREAKPOINT)

/**
 * struct gup_torn - an entry that changes when a word of it has been read
 * @fx:    the fixture: the batch begins at its first entry, and this is the second
 * @ptep:  the entry
 * @after: what it changes to
 * @armed: whether it is about to change
 */
struct gup_torn {
	struct gup_fixture *fx;
	pte_t *ptep;
	pte_t after;
	bool armed;
};

static void gup_torn_set(pte_t *ptep, pte_t pte)
{
	if (pte_none(pte))
		pte_clear(&init_mm, 0, ptep);
	else
		set_pte(ptep, pte);
}

static void gup_torn_hit(struct perf_event *bp, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	struct gup_torn *torn = bp->overflow_handler_context;

	if (!torn->armed)
		return;
	torn->armed = false;
	gup_torn_set(torn->ptep, torn->after);
}

static void gup_torn_unwatch(void *breakpoint)
{
	unregister_wide_hw_breakpoint((struct perf_event * __percpu *)breakpoint);
}

/* Make the first entry, and set a breakpoint on a word of the second. */
static struct gup_torn *gup_torn_watch(struct kunit *test, unsigned int word)
{
	struct gup_torn *torn = gup_zalloc(test, 1, sizeof(*torn));
	const struct gup_layout layout = { "A3", "A0 ." };
	struct perf_event * __percpu *breakpoint;
	struct perf_event_attr attr;

	torn->fx = gup_fixture_create(test, &layout);
	torn->ptep = gup_fixture_ptep(torn->fx, 1);

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)torn->ptep + word * sizeof(u32);
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_RW;
	breakpoint = register_wide_hw_breakpoint(&attr, gup_torn_hit, torn);
	KUNIT_ASSERT_FALSE(test, IS_ERR_PCPU(breakpoint));
	gup_undo_later(test, gup_torn_unwatch, (__force void *)breakpoint);

	return torn;
}

/**
 * typedef gup_torn_reader - a function under test
 * @folio: the folio of the batch
 * @ptep:  its first entry
 * @pte:   the value of that
 *
 * Return: The length of the batch, at most 2.
 */
typedef unsigned int gup_torn_reader(struct folio *folio, pte_t *ptep, pte_t pte);

static unsigned int gup_torn_plain(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_batch.pte_batch(folio, ptep, pte, 2, GUP_KUNIT_RESPECT_WRITE);
}

static unsigned int gup_torn_lockless(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_batch.pte_batch(folio, ptep, pte, 2, GUP_KUNIT_LOCKLESS |
							GUP_KUNIT_RESPECT_WRITE);
}

static unsigned int gup_torn_same(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_batch.nr_same_ptes(ptep, pte, 2);
}

static unsigned int gup_torn_guess(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_batch.guess_nr_ptes(ptep, pte, 2);
}

/* Does a reader find a batch while the entry changes? */
static bool gup_torn_read(struct kunit *test, struct gup_torn *torn,
			  gup_torn_reader *reader, pte_t before, pte_t after)
{
	struct folio *folio = gup_fixture_folio(torn->fx, 'A');
	pte_t *ptep = gup_fixture_ptep(torn->fx, 0);
	const pte_t pte = ptep_get(ptep);
	unsigned int nr;

	gup_torn_set(torn->ptep, before);
	torn->after = after;
	WRITE_ONCE(torn->armed, true);
	nr = reader(folio, ptep, pte);
	KUNIT_EXPECT_FALSE_MSG(test, READ_ONCE(torn->armed), "breakpoint not hit");
	WRITE_ONCE(torn->armed, false);

	return nr > 1;
}

/* As what would continue the batch, but 4 GB above: the second word differs. */
static pte_t gup_torn_above(struct gup_fixture *fx)
{
	const unsigned long pfn = page_to_pfn(gup_fixture_page(fx, 'A', 1));

	return pfn_pte(pfn + (1UL << (32 - PAGE_SHIFT)),
		       pte_pgprot(ptep_get(gup_fixture_ptep(fx, 0))));
}

/*
 * The compiler chooses in which order a plain read takes the words, so it is
 * torn by a breakpoint on one of them.
 */
static void gup_torn_entry(struct kunit *test)
{
	unsigned int word, plain = 0;

	if (!gup_kunit_gup.fast_pte_batch)
		kunit_skip(test, "this tree goes page by page");

	for (word = 0; word < 2; word++) {
		struct gup_torn *torn = gup_torn_watch(test, word);
		const pte_t there = gup_torn_above(torn->fx), gone = {};
		const pte_t before = word ? gone : there;
		const pte_t after = word ? there : gone;

		KUNIT_EXPECT_FALSE(test, gup_torn_read(test, torn, gup_torn_lockless,
						       before, after));
		KUNIT_EXPECT_FALSE(test, gup_torn_read(test, torn, gup_torn_same,
						       before, after));
		KUNIT_EXPECT_FALSE(test, gup_torn_read(test, torn, gup_torn_guess,
						       before, after));
		plain += gup_torn_read(test, torn, gup_torn_plain, before, after);
	}
	KUNIT_EXPECT_EQ_MSG(test, plain, 1, "a plain read is to be torn here");
}

#else

static void gup_torn_entry(struct kunit *test)
{
	kunit_skip(test, "no entries of two words, or no hardware breakpoints");
}

#endif

static struct kunit_case gup_torn_cases[] = {
	KUNIT_CASE(gup_torn_entry),
	{}
};

static struct kunit_suite gup_torn_suite = {
	.name = "gup_torn",
	.test_cases = gup_torn_cases,
};

kunit_test_suite(gup_torn_suite);
