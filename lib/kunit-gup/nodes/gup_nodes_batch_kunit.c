// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_nodes_batch: a query of move_pages() answers many addresses with one walk
 * down the page tables: all, in any order, that are in one VMA and one page
 * table or huge page. Only a walk that begins where nothing is mapped answers
 * just one.
 *
 * A query drops the lock of the page table after 128 addresses and the mmap
 * lock after 16, if somebody waits for it; the VMAs may be others then.
 */
#include <kunit/static_stub.h>
#include <linux/mman.h>

#include "fixture/gup_lacks.h"
#include "fixture/gup_mm_fill.h"
#include "walk/gup_nodes.h"

/**
 * struct gup_nodes_walks - a query and its walks
 * @name:   what is special about it
 * @layout: the address space
 * @ask:    the addresses
 * @walks:  the number of walks
 */
struct gup_nodes_walks {
	const char *name;
	struct gup_mm_layout layout;
	const char *ask;
	unsigned int walks;
};

static const struct gup_nodes_walks gup_nodes_walks[] = {
	{ .name = "single folios", .layout = { "A0 B0 C0", "A B C" },
	  .ask = "P0-2", .walks = 1 },
	{ .name = "large folio", .layout = { "A4", "A0-15" }, .ask = "P0-15",
	  .walks = 1 },
	{ .name = "half a page table", .layout = { "A8", "A0-255" },
	  .ask = "P0-255", .walks = 1 },
	{ .name = "two page tables",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 8 }, .ask = "P0-15",
	  .walks = 2 },
	{ .name = "two page tables in turn",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 8 },
	  .ask = "P0 P8 P1 P9", .walks = 4 },
	{ .name = "any order", .layout = { "A4 B0", "A0-15 B" },
	  .ask = "P16-0 P3 P3 P9:o P1", .walks = 1 },
	{ .name = "holes", .layout = { "A3", "A0-2 . A4-5 @ A7" },
	  .ask = "P0-7 P3 P6", .walks = 1 },
	{ .name = "begin at holes", .layout = { "A3", ".2 A2-7" },
	  .ask = "P0-7", .walks = 3 },
	{ .name = "two vmas", .layout = { "A3", "A0-7", "4rw 4r" },
	  .ask = "P0-7", .walks = 2 },
	{ .name = "zero pages", .layout = { "A1", "A0 Z2 A1" }, .ask = "P0-3",
	  .walks = 1 },
};

/* How many addresses were answered by the walk for another. */
static unsigned int gup_nodes_answered;

static unsigned long gup_nodes_count_more(struct folio_walk *fw,
					  struct vm_area_struct *vma,
					  unsigned long nr_pages,
					  const void __user **pages, int *status)
{
	struct kunit *test = current->kunit_test;
	unsigned long nr;

	current->kunit_test = NULL;
	nr = gup_kunit_stat.more(fw, vma, nr_pages, pages, status);
	current->kunit_test = test;
	gup_nodes_answered += nr - 1;

	return nr;
}

/* Nobody waits. */
static unsigned long gup_nodes_go_on(struct mm_struct *mm, spinlock_t *ptl,
				     unsigned long i, unsigned long nr_pages)
{
	return nr_pages;
}

/* Somebody always waits. */
static unsigned int gup_nodes_ended;

static unsigned long gup_nodes_go_no_further(struct mm_struct *mm,
					     spinlock_t *ptl, unsigned long i,
					     unsigned long nr_pages)
{
	gup_nodes_ended += i < nr_pages;

	return i;
}

static void walks(struct kunit *test)
{
	const struct gup_nodes_walks *row = test->param_value;
	struct gup_diff diff = {};
	struct gup_nodes *q;

	gup_skip_if(test, gup_nodes_lacks(row->ask));
	if (!gup_kunit_stat.more)
		kunit_skip(test, "this tree has one walk for each address");
	q = gup_nodes_create(gup_mm_create_or_skip(test, &row->layout),
			     PTRS_PER_PTE);
	gup_nodes_add_addresses(q, row->ask);
	gup_nodes_answered = 0;
	kunit_activate_static_stub(test, gup_kunit_stat.more,
				   gup_nodes_count_more);
	if (gup_kunit_stat.end)
		kunit_activate_static_stub(test, gup_kunit_stat.end,
					   gup_nodes_go_on);
	gup_nodes_array(q, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
	KUNIT_EXPECT_EQ(test, q->nr - gup_nodes_answered, row->walks);
}

static const struct gup_nodes_walks gup_nodes_waits[] = {
	{ .name = "127", .layout = { "A8", "A0-255" }, .ask = "P0-126",
	  .walks = 1 },
	{ .name = "128", .layout = { "A8", "A0-255" }, .ask = "P0-127",
	  .walks = 1 },
	{ .name = "129", .layout = { "A8", "A0-255" }, .ask = "P0-128",
	  .walks = 2 },
	{ .name = "256 descending", .layout = { "A8", "A0-255" },
	  .ask = "P255-0", .walks = 2 },
	{ .name = "holes and zero pages",
	  .layout = { "A3 B6", "A0-7 . Z2 . B0-63" }, .ask = "P0-75 P0-75",
	  .walks = 2 },
};

/* A walk ends after 128 addresses if somebody waits; the answers are the same. */
static void page_table_lock(struct kunit *test)
{
	const struct gup_nodes_walks *row = test->param_value;
	struct gup_diff diff = {};
	struct gup_nodes *q;

	gup_skip_if(test, gup_nodes_lacks(row->ask));
	if (!gup_kunit_stat.end)
		kunit_skip(test, "this tree takes 16 addresses at a time");
	q = gup_nodes_create(gup_mm_create_or_skip(test, &row->layout),
			     PTRS_PER_PTE);
	gup_nodes_add_addresses(q, row->ask);
	gup_nodes_ended = 0;
	kunit_activate_static_stub(test, gup_kunit_stat.end,
				   gup_nodes_go_no_further);
	gup_nodes_array(q, &diff);
	gup_expect_no_diff(test, &diff, row->layout.ptes);
	KUNIT_EXPECT_EQ(test, gup_nodes_ended + 1, row->walks);
}

static unsigned int gup_nodes_relocked;
static unsigned long gup_nodes_unmap_addr;

/* Drop the lock, and the first time, unmap a page. */
static bool gup_nodes_let_unmap(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	if (!gup_nodes_relocked++ && gup_nodes_unmap_addr)
		vm_munmap(gup_nodes_unmap_addr, PAGE_SIZE);
	mmap_read_lock(mm);

	return true;
}

static void gup_nodes_let_others(struct kunit *test, unsigned long unmap)
{
	if (!gup_kunit_stat.relock)
		kunit_skip(test, "this tree takes 16 addresses at a time");
	gup_nodes_relocked = 0;
	gup_nodes_unmap_addr = unmap;
	kunit_activate_static_stub(test, gup_kunit_stat.relock,
				   gup_nodes_let_unmap);
}

/* 500 addresses with one walk each: the lock is dropped after every 16. */
static void mmap_lock(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4 B4", "A0-15 . B0-15", .at = PTRS_PER_PTE - 16,
	};
	struct gup_diff diff = {};
	struct gup_nodes *q;
	unsigned int i;

	gup_skip_if(test, gup_mm_lacks(&layout));
	q = gup_nodes_create(gup_mm_create(test, &layout), 500);
	for (i = 0; i < 500; i++)
		gup_nodes_add(q, gup_mm_addr(q->m, i % 2 * 17 + i % 15));
	gup_nodes_let_others(test, 0);
	gup_nodes_array(q, &diff);
	gup_expect_no_diff(test, &diff, "two page tables in turn");
	KUNIT_EXPECT_EQ(test, gup_nodes_relocked, 31);
}

/* No page is mapped, and from the 17th answer on there is no VMA. */
static void vma_that_goes(struct kunit *test)
{
	struct gup_diff diff = {};
	struct gup_nodes *q;
	unsigned long addr;
	unsigned int i;

	gup_skip_if(test, gup_nodes_lacks(""));
	addr = gup_mm_map(test, 1, 0, NULL, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS);
	q = gup_nodes_create(gup_mm_adopt(test, addr, 1), 40);
	for (i = 0; i < 40; i++)
		gup_nodes_add(q, addr);
	gup_nodes_expect(q, "40e");
	for (i = 16; i < 40; i++)
		q->want[i] = -EFAULT;
	gup_nodes_let_others(test, addr);
	gup_nodes_array(q, &diff);
	gup_expect_no_diff(test, &diff, "unmapped after 16");
	KUNIT_EXPECT_EQ(test, gup_nodes_relocked, 2);
}

GUP_ROWS(gup_nodes_walks);
GUP_ROWS(gup_nodes_waits);

static struct kunit_case gup_nodes_batch_cases[] = {
	GUP_CASE_ROWS(walks, walks, gup_nodes_walks),
	GUP_CASE_ROWS(page_table_lock, page_table_lock, gup_nodes_waits),
	KUNIT_CASE(mmap_lock),
	KUNIT_CASE(vma_that_goes),
	{}
};

static struct kunit_suite gup_nodes_batch_suite = {
	.name = "gup_nodes_batch",
	.test_cases = gup_nodes_batch_cases,
};

kunit_test_suite(gup_nodes_batch_suite);
