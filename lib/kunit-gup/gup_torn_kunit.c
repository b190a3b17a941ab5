// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_torn: an entry that comes and goes, and is read without the lock.
 *
 * Where an entry is two words (CONFIG_GUP_GET_PXX_LOW_HIGH), a reader can get the
 * first word while it is there and the second one when it has gone, and take both
 * for a value that was never there. A thread on another CPU sets and clears an
 * entry, and with its second word cleared the entry would continue a run. Whoever
 * sees that run has not read as it must be.
 *
 * Elsewhere an entry is one word, and the same must hold.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "gup_kunit.h"

#define GUP_TORN_READS	200000

/**
 * struct gup_torn - an entry that comes and goes
 * @ptep:    the entry
 * @pte:     its value, while it has one
 * @changes: how often it was set, roughly
 */
struct gup_torn {
	pte_t *ptep;
	pte_t pte;
	unsigned long changes;
};

static void gup_torn_nothing(void *info)
{
}

static int gup_torn_writer(void *data)
{
	const unsigned int reader = cpumask_first(cpu_online_mask);
	struct gup_torn *torn = data;
	unsigned long nr = 0;

	while (!kthread_should_stop()) {
		set_pte(torn->ptep, torn->pte);
		pte_clear(&init_mm, 0, torn->ptep);
		/* As when TLBs are flushed: wait for who has IRQs disabled. */
		smp_call_function_single(reader, gup_torn_nothing, NULL, 1);
		WRITE_ONCE(torn->changes, ++nr);
		if (nr % 1024 == 0)
			cond_resched();
	}

	return 0;
}

KUNIT_DEFINE_ACTION_WRAPPER(gup_torn_stop, kthread_stop, struct task_struct *);

/*
 * Two entries, of which the second comes and goes until the test ends. On PAE, the
 * top bit of its second word says that it may not be executed, as that of the
 * first entry does not.
 */
static struct gup_torn *gup_torn_start(struct kunit *test)
{
	const vm_flags_t rwx = VM_READ | VM_WRITE | VM_EXEC | VM_SHARED;
	struct gup_torn *torn = kunit_kzalloc(test, sizeof(*torn), GFP_KERNEL);
	const struct gup_layout layout = { "A3", "A0 ." };
	struct task_struct *writer;
	struct gup_fixture *fx;
	pte_t pte;

	if (!gup_kunit_gup.fast_pte_run)
		kunit_skip(test, "this tree goes page by page");
	if (num_online_cpus() < 2)
		kunit_skip(test, "nobody can change an entry with one CPU");

	KUNIT_ASSERT_NOT_NULL(test, torn);
	fx = gup_fixture_create(test, &layout);
	pte = pfn_pte(page_to_pfn(gup_fixture_page(fx, 'A', 0)),
		      vm_get_page_prot(rwx));
	pte = pte_mkyoung(pte_mkdirty(pte_mkwrite_novma(pte)));
	set_pte(gup_fixture_ptep(fx, 0), pte);
	torn->ptep = gup_fixture_ptep(fx, 1);
	torn->pte = gup_fixture_mk_pte(gup_fixture_page(fx, 'A', 1), 0);
	if (pte_same(torn->pte, pte_advance_pfn(pte, 1)))
		torn->pte = pte_wrprotect(torn->pte);

	writer = kthread_create(gup_torn_writer, torn, "gup_torn");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, writer);
	kthread_bind(writer, cpumask_last(cpu_online_mask));
	wake_up_process(writer);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, gup_torn_stop,
							   writer));
	while (!READ_ONCE(torn->changes))
		usleep_range(100, 1000);

	return torn;
}

/**
 * typedef gup_torn_reader - a function under test
 * @folio: the folio of the run
 * @ptep:  its first entry
 * @pte:   the value of that
 *
 * Return: The length of the run, at most 2.
 */
typedef unsigned int gup_torn_reader(struct folio *folio, pte_t *ptep, pte_t pte);

static unsigned int gup_torn_lockless(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_pte_batch(folio, ptep, pte, 2, GUP_KUNIT_LOCKLESS |
							GUP_KUNIT_RESPECT_WRITE);
}

static unsigned int gup_torn_plain(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_pte_batch(folio, ptep, pte, 2, GUP_KUNIT_RESPECT_WRITE);
}

static unsigned int gup_torn_same(struct folio *folio, pte_t *ptep, pte_t pte)
{
	return gup_kunit_nr_same_ptes(ptep, pte, 2);
}

/* How often does the second entry seem to continue the first one? */
static unsigned int gup_torn_reads(struct kunit *test, gup_torn_reader *reader)
{
	struct gup_fixture *fx = test->priv;
	struct folio *folio = gup_fixture_folio(fx, 'A');
	pte_t *ptep = gup_fixture_ptep(fx, 0);
	const pte_t pte = ptep_get(ptep);
	unsigned int i, torn = 0;
	unsigned long irq;

	for (i = 0; i < GUP_TORN_READS; i++) {
		local_irq_save(irq);
		torn += reader(folio, ptep, pte) > 1;
		local_irq_restore(irq);
		if (i % 1024 == 0)
			cond_resched();
	}

	return torn;
}

/* folio_pte_batch_flags(); what a plain read gets is only said. */
static void gup_torn_batch(struct kunit *test)
{
	struct gup_torn *torn = gup_torn_start(test);

	KUNIT_EXPECT_EQ(test, 0, gup_torn_reads(test, gup_torn_lockless));
	kunit_info(test, "%u of %u plain reads torn, %lu changes",
		   gup_torn_reads(test, gup_torn_plain), GUP_TORN_READS,
		   READ_ONCE(torn->changes));
}

/* The quick comparison of gup_batch.h. */
static void gup_torn_same_entries(struct kunit *test)
{
	gup_torn_start(test);
	KUNIT_EXPECT_EQ(test, 0, gup_torn_reads(test, gup_torn_same));
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
