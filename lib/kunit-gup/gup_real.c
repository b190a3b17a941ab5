// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory as a process gets it: mapped, advised and touched, with folios as large
 * as the kernel gives them, which is verified.
 */
#include <linux/log2.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "gup_real.h"

KUNIT_DEFINE_ACTION_WRAPPER(gup_real_mmput, mmput, struct mm_struct *);

/**
 * gup_real_order() - the order of folios of a size
 * @test: the test, skipped if there are no such folios
 * @kb:   the size in kB
 *
 * Context: Process context, in the thread of the test.
 * Return: The order.
 */
unsigned int gup_real_order(struct kunit *test, unsigned int kb)
{
	const unsigned int order = ilog2(kb * SZ_1K / PAGE_SIZE ?: 1);

	if (order < 2 || (PAGE_SIZE << order) > PMD_SIZE || kb > SZ_32M / SZ_1K)
		kunit_skip(test, "no folios of %u kB with pages of %lu kB", kb,
			   PAGE_SIZE / SZ_1K);

	return order;
}

/**
 * gup_real_advise() - let the kernel take folios of one order only
 * @test:  the test, skipped if it takes none
 * @m:     the memory
 * @order: the order
 *
 * Context: Process context, in the thread of the test.
 */
void gup_real_advise(struct kunit *test, struct gup_mm *m, unsigned int order)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "no CONFIG_TRANSPARENT_HUGEPAGE");
	gup_mm_set_orders(test, BIT(order));
	KUNIT_ASSERT_EQ(test, gup_kunit_madvise(m->addr, m->nr * PAGE_SIZE,
						MADV_HUGEPAGE), 0);
}

/**
 * gup_real_touch() - write to pages
 * @test: the test
 * @addr: the first page
 * @nr:   their number
 *
 * Each gets its number, from 1 on: a page of zeroes may be taken away when a
 * large folio is split.
 *
 * Context: Process context, in the thread of the test.
 */
void gup_real_touch(struct kunit *test, unsigned long addr, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++, addr += PAGE_SIZE)
		KUNIT_ASSERT_EQ(test, put_user(i + 1, (u32 __user *)addr), 0);
}

/**
 * gup_real_verify() - is all of it in folios of the right size, mapped by PTEs?
 * @test:  the test, skipped if the kernel gave something else
 * @m:     the memory
 * @order: the order of the folios
 *
 * Context: Process context, in the thread of the test.
 */
void gup_real_verify(struct kunit *test, struct gup_mm *m, unsigned int order)
{
	struct gup_kunit_mm_entry e;
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		KUNIT_ASSERT_TRUE(test, gup_mm_read(m, i, &e));
		if (folio_order(page_folio(e.page)) != order)
			kunit_skip(test, "the kernel gave no folios of %lu kB",
				   (PAGE_SIZE << order) / SZ_1K);
		KUNIT_ASSERT_EQ(test, e.size, PAGE_SIZE);
	}
}

/* Map by PTEs what one PMD maps. */
static void gup_real_split_pmd(struct kunit *test, struct gup_mm *m)
{
	const unsigned long last = gup_mm_addr(m, m->nr - 1);

	gup_mm_keep(test, m->addr, m->nr);
	/* A border of a VMA in the middle of it does that, and the folio stays. */
	KUNIT_ASSERT_EQ(test, gup_kunit_mprotect(last, PAGE_SIZE, PROT_READ),
			0);
	KUNIT_ASSERT_EQ(test, gup_kunit_mprotect(last, PAGE_SIZE,
						 PROT_READ | PROT_WRITE), 0);
	/* The entry itself became writable by protection only; make it so. */
	gup_real_touch(test, m->addr, m->nr);
}

/* Where the kernel itself gives nobody a large folio: what a fault would make. */
static struct gup_mm *gup_real_made(struct kunit *test, unsigned int order)
{
	const unsigned int last = (1U << order) - 1;
	const bool two = last + 1 < PTRS_PER_PTE;
	char folios[16], ptes[32];
	const struct gup_mm_layout layout = {
		folios, ptes, .at = PTRS_PER_PTE - (1U << order),
	};
	struct gup_mm *m;

	snprintf(folios, sizeof(folios), two ? "A%u B%u" : "A%u", order, order);
	snprintf(ptes, sizeof(ptes), two ? "A0-%u B0-%u" : "A0-%u", last, last);
	m = gup_mm_create(test, &layout);
	gup_real_touch(test, m->addr, m->nr);

	return m;
}

static struct gup_mm *gup_real_fault_in(struct kunit *test, unsigned int order)
{
	const unsigned int size = 1U << order;
	const bool pmd = size == PTRS_PER_PTE;
	const unsigned int nr = pmd ? size : 2 * size;
	struct gup_mm *m;
	unsigned long addr;

	addr = gup_mm_map(test, nr, PTRS_PER_PTE - size, NULL,
			  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
	m = gup_mm_adopt(test, addr, nr);
	gup_mm_enable_fast(test);
	gup_real_advise(test, m, order);
	gup_real_touch(test, addr, nr);
	if (pmd)
		gup_real_split_pmd(test, m);

	return m;
}

/**
 * gup_real_thp() - private memory in large folios, mapped by PTEs
 * @test:  the test, skipped if the kernel gives other folios
 * @order: their order
 *
 * Two folios, in the last part of one page table and in the first part of the
 * next; one folio, if it takes a page table of its own.
 *
 * Context: Process context, in the thread of the test.
 * Return: The memory.
 */
struct gup_mm *gup_real_thp(struct kunit *test, unsigned int order)
{
	struct gup_mm *m;

	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		m = gup_real_fault_in(test, order);
	else
		m = gup_real_made(test, order);
	gup_real_verify(test, m, order);

	return m;
}

/*
 * UML's set_ptes(), which fork() uses for large folios, goes on by the number of
 * entries left instead of by one, and so maps pages that belong to others.
 */
static bool gup_real_can_fork(struct kunit *test)
{
	pte_t *ptes, pte;

	if (!IS_ENABLED(CONFIG_UML))
		return true;
	pte = pfn_pte(page_to_pfn(ZERO_PAGE(0)), vm_get_page_prot(VM_READ));
	ptes = kunit_kcalloc(test, 3, sizeof(*ptes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ptes);
	set_ptes(current->mm, 0, ptes, pte, 3);

	return pte_pfn(ptes[2]) == pte_pfn(pte) + 2;
}

/**
 * gup_real_fork() - a child, which shares the memory until one of both writes
 * @test: the test, until whose end it lives; skipped if there can be none
 *
 * Context: Process context, in the thread of the test.
 * Return: The mm of the child.
 */
struct mm_struct *gup_real_fork(struct kunit *test)
{
	struct mm_struct *child;

	if (!gup_real_can_fork(test))
		kunit_skip(test, "set_ptes() maps wrong pages here");
	child = gup_kunit_fork();
	KUNIT_ASSERT_NOT_NULL(test, child);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, gup_real_mmput,
							child), 0);

	return child;
}

/**
 * gup_real_ask() - make a call, and expect what the oracle says
 * @test: the test
 * @m:    the memory
 * @ask:  the call
 *
 * Context: Process context, in the thread of the test.
 * Return: Whether all is well.
 */
bool gup_real_ask(struct kunit *test, struct gup_mm *m, struct gup_mm_ask *ask)
{
	struct gup_diff diff = {};

	if (gup_mm_run(m, ask, &diff))
		return true;
	KUNIT_FAIL(test,
		   "%s %lu: got %ld, want %ld (%u pages from %u, call %d, flags %#x)",
		   diff.what, diff.idx, diff.got, diff.want, ask->nr, ask->first,
		   ask->call, ask->flags);

	return false;
}

static bool gup_real_ask_range(struct kunit *test, struct gup_mm *m,
			       unsigned int first, unsigned int nr)
{
	static const struct gup_mm_ask asks[] = {
		{ .call = GUP_MM_ONLY, .flags = GUP_GET },
		{ .call = GUP_MM_ONLY, .flags = GUP_GET_W },
		{ .call = GUP_MM_FAST, .flags = GUP_GET },
		{ .call = GUP_MM_FAST, .flags = GUP_GET_W },
		{ .call = GUP_MM_FAST, .flags = GUP_PIN },
		{ .call = GUP_MM_FAST, .flags = GUP_PIN_W },
	};
	struct gup_mm_ask ask;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		ask = asks[i];
		ask.first = first;
		ask.nr = nr;
		if (!gup_real_ask(test, m, &ask))
			return false;
	}

	return true;
}

/**
 * gup_real_ask_all() - all calls, over whole, partial and unaligned ranges
 * @test: the test
 * @m:    the memory
 * @size: the pages of one folio in it
 *
 * What the calls do to the memory, the later ones find.
 *
 * Context: Process context, in the thread of the test.
 */
void gup_real_ask_all(struct kunit *test, struct gup_mm *m, unsigned int size)
{
	const unsigned int nr = m->nr;
	const struct {
		unsigned int first;
		unsigned int nr;
	} ranges[] = {
		{ .nr = nr },
		{ .nr = 1 },
		{ .first = nr - 1, .nr = 1 },
		{ .nr = size },
		{ .first = 1, .nr = size - 1 },
		{ .first = 1, .nr = nr - 1 },
		{ .nr = nr - 1 },
		{ .first = size / 2 - 1, .nr = nr / 2 + 1 },
		{ .first = size - 1, .nr = nr - size + 1 },
		{ .first = size / 2 + 1, .nr = 3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (!gup_real_ask_range(test, m, ranges[i].first, ranges[i].nr))
			return;
}
