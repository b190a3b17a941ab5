// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_torn: an entry that changes all the time, and is read without the lock.
 *
 * Where an entry is two words (CONFIG_GUP_GET_PXX_LOW_HIGH), a reader can get the
 * first word of one value and the second word of another, and take them for a
 * value that was never there. A thread on another CPU sets an entry in turn to
 * two values that have the two halves of a third one, by way of no value, as it
 * must be. Whoever sees the third one has not read as it must be.
 *
 * Elsewhere an entry is one word, and the same must hold.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "gup_kunit.h"

#define GUP_TORN_READS	200000

/**
 * struct gup_torn - an entry that changes
 * @ptep:    the entry
 * @value:   the values that it has in turn
 * @changes: how often it changed, roughly
 */
struct gup_torn {
	pte_t *ptep;
	pte_t value[2];
	unsigned long changes;
};

static int gup_torn_writer(void *data)
{
	struct gup_torn *torn = data;
	unsigned long nr = 0;

	while (!kthread_should_stop()) {
		pte_clear(&init_mm, 0, torn->ptep);
		set_pte(torn->ptep, torn->value[nr % 2]);
		WRITE_ONCE(torn->changes, ++nr);
		if (nr % 1024 == 0)
			cond_resched();
	}

	return 0;
}

KUNIT_DEFINE_ACTION_WRAPPER(gup_torn_stop, kthread_stop, struct task_struct *);

/* Let the second entry of A3 change on another CPU, until the test ends. */
static struct gup_torn *gup_torn_start(struct kunit *test,
				       struct gup_fixture *fx)
{
	const vm_flags_t rwx = VM_READ | VM_WRITE | VM_EXEC | VM_SHARED;
	struct gup_torn *torn = kunit_kzalloc(test, sizeof(*torn), GFP_KERNEL);
	const unsigned int other = cpumask_last(cpu_online_mask);
	struct page *page = gup_fixture_page(fx, 'A', 1);
	struct task_struct *writer;
	pte_t pte;

	KUNIT_ASSERT_NOT_NULL(test, torn);
	torn->ptep = gup_fixture_ptep(fx, 1);
	/* On PAE, whether code may be executed is the top bit of the high word. */
	pte = pfn_pte(page_to_pfn(page), vm_get_page_prot(rwx));
	pte = pte_mkyoung(pte_mkdirty(pte_mkwrite_novma(pte)));
	if (pte_same(pte, gup_fixture_mk_pte(page, 0)))
		pte = pte_wrprotect(pte);
	torn->value[0] = pte;
	torn->value[1] = gup_fixture_mk_pte(page + 1, 0);
	set_pte(torn->ptep, pte);

	writer = kthread_create(gup_torn_writer, torn, "gup_torn");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, writer);
	kthread_bind(writer, other);
	wake_up_process(writer);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, gup_torn_stop,
							   writer));
	while (!READ_ONCE(torn->changes))
		msleep(1);

	return torn;
}

/* Read as @flags say; how often did the entry seem to continue the first one? */
static unsigned int gup_torn_reads(struct gup_fixture *fx, unsigned int flags)
{
	struct folio *folio = gup_fixture_folio(fx, 'A');
	pte_t *ptep = gup_fixture_ptep(fx, 0);
	const pte_t pte = ptep_get(ptep);
	unsigned int i, torn = 0;

	for (i = 0; i < GUP_TORN_READS; i++) {
		torn += gup_kunit_pte_batch(folio, ptep, pte, 2, flags) > 1;
		if (i % 1024 == 0)
			cond_resched();
	}

	return torn;
}

static struct gup_fixture *gup_torn_create(struct kunit *test)
{
	const struct gup_layout layout = { "A3", "A0-1" };
	struct gup_fixture *fx;

	if (!gup_kunit_gup.fast_pte_run)
		kunit_skip(test, "this tree goes page by page");
	if (num_online_cpus() < 2)
		kunit_skip(test, "nobody can change an entry with one CPU");

	fx = gup_fixture_create(test, &layout);
	KUNIT_ASSERT_EQ(test, 2, gup_kunit_pte_batch(gup_fixture_folio(fx, 'A'),
						     gup_fixture_ptep(fx, 0),
						     ptep_get(gup_fixture_ptep(fx, 0)),
						     2, GUP_KUNIT_LOCKLESS));

	return fx;
}

/* folio_pte_batch_flags(); what a plain read gets is only said. */
static void gup_torn_batch(struct kunit *test)
{
	struct gup_fixture *fx = gup_torn_create(test);
	struct gup_torn *torn = gup_torn_start(test, fx);

	KUNIT_EXPECT_EQ(test, 0, gup_torn_reads(fx, GUP_KUNIT_RESPECT_WRITE |
						    GUP_KUNIT_LOCKLESS));
	kunit_info(test, "%u of %u plain reads torn, %lu changes",
		   gup_torn_reads(fx, GUP_KUNIT_RESPECT_WRITE), GUP_TORN_READS,
		   READ_ONCE(torn->changes));
}

/* The quick comparison of gup_batch.h. */
static void gup_torn_same_entries(struct kunit *test)
{
	struct gup_fixture *fx = gup_torn_create(test);
	pte_t *ptep = gup_fixture_ptep(fx, 0);
	const pte_t pte = ptep_get(ptep);
	unsigned int i, seen = 0;

	gup_torn_start(test, fx);
	for (i = 0; i < GUP_TORN_READS; i++) {
		seen += gup_kunit_nr_same_ptes(ptep, pte, 2) > 1;
		if (i % 1024 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, 0, seen);
}

static struct kunit_case gup_torn_cases[] = {
	KUNIT_CASE_SLOW(gup_torn_batch),
	KUNIT_CASE_SLOW(gup_torn_same_entries),
	{}
};

struct kunit_suite gup_torn_suite = {
	.name = "gup_torn",
	.test_cases = gup_torn_cases,
};
