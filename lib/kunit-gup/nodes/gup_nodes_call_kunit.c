// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_nodes_call: how the arrays of move_pages() are read and written.
 *
 * The query works in chunks. If one of the arrays ends in a hole, user space
 * can see how many statuses were written before: 7.3 reads and writes 16 at a
 * time. No call may fail because there is no memory.
 */
#include <kunit/static_stub.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/uaccess.h>

#include "fixture/gup_lacks.h"
#include "fixture/gup_mm_fill.h"
#include "oracle/gup_oracle_nodes.h"
#include "walk/gup_nodes.h"

#define GUP_NODES_CHUNK	16

/* A query about pages of all kinds, again and again. */
static struct gup_nodes *gup_nodes_of(struct kunit *test, unsigned int nr)
{
	static const struct gup_mm_layout layout = {
		"A4 B0 C2", "A0-15 . B Z C0-2 @ C3", .at = PTRS_PER_PTE - 10,
	};
	struct gup_nodes *q;
	struct gup_mm *m;
	unsigned int i;

	gup_skip_if(test, gup_nodes_lacks("") ?: gup_mm_lacks(&layout));
	m = gup_mm_create(test, &layout);
	q = gup_nodes_create(m, nr);
	for (i = 0; i < nr; i++)
		gup_nodes_add(q, gup_mm_addr(m, i % (m->nr + 1)));

	return q;
}

/**
 * struct gup_nodes_count - a number of addresses, or where an array ends
 * @name: as text
 * @nr:   the number of addresses
 * @end:  how many entries of the array can be accessed
 */
struct gup_nodes_count {
	const char *name;
	unsigned int nr;
	unsigned int end;
};

static const struct gup_nodes_count gup_nodes_counts[] = {
	{ .name = "0" },
	{ .name = "1", .nr = 1 },
	{ .name = "15", .nr = 15 },
	{ .name = "16", .nr = 16 },
	{ .name = "17", .nr = 17 },
	{ .name = "32", .nr = 32 },
	{ .name = "40", .nr = 40 },
	{ .name = "511", .nr = 511 },
	{ .name = "512", .nr = 512 },
	{ .name = "513", .nr = 513 },
	{ .name = "1023", .nr = 1023 },
	{ .name = "1024", .nr = 1024 },
	{ .name = "1025", .nr = 1025 },
	{ .name = "100000", .nr = 100000 },
};

static void number_of_addresses(struct kunit *test)
{
	const struct gup_nodes_count *row = test->param_value;
	struct gup_nodes *q = gup_nodes_of(test, row->nr);

	gup_nodes_run(q, row->name);
}

static void nothing_asked_for(struct kunit *test)
{
	const struct gup_nodes_users users = {};
	struct gup_nodes *q = gup_nodes_of(test, 0);

	KUNIT_EXPECT_EQ(test, gup_nodes_call(q, &users), 0);
}

static const struct gup_nodes_count gup_nodes_ends[] = {
	{ .name = "0 of 1", .nr = 1 },
	{ .name = "0 of 40", .nr = 40 },
	{ .name = "1 of 40", .nr = 40, .end = 1 },
	{ .name = "15 of 40", .nr = 40, .end = 15 },
	{ .name = "16 of 40", .nr = 40, .end = 16 },
	{ .name = "17 of 40", .nr = 40, .end = 17 },
	{ .name = "19 of 40", .nr = 40, .end = 19 },
	{ .name = "39 of 40", .nr = 40, .end = 39 },
	{ .name = "32 of 40", .nr = 40, .end = 32 },
	{ .name = "100 of 600", .nr = 600, .end = 100 },
	{ .name = "496 of 600", .nr = 600, .end = 496 },
	{ .name = "511 of 600", .nr = 600, .end = 511 },
	{ .name = "512 of 600", .nr = 600, .end = 512 },
	{ .name = "513 of 600", .nr = 600, .end = 513 },
	{ .name = "528 of 600", .nr = 600, .end = 528 },
	{ .name = "599 of 600", .nr = 600, .end = 599 },
	{ .name = "1030 of 1600", .nr = 1600, .end = 1030 },
};

/* The address of an array that has @end entries before a hole. */
static unsigned long gup_nodes_at_end(struct gup_nodes *q, unsigned int end,
				      size_t size)
{
	const unsigned int nr = DIV_ROUND_UP(end * size, PAGE_SIZE) + 1;
	const unsigned long addr = gup_mm_map(q->m->test, nr, 0, NULL,
					      PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS);

	return addr + nr * PAGE_SIZE - end * size;
}

static void addresses_end(struct kunit *test)
{
	const struct gup_nodes_count *row = test->param_value;
	struct gup_nodes *q = gup_nodes_of(test, row->nr);
	struct gup_nodes_users users = gup_nodes_users(q);
	struct gup_diff diff = {};

	users.pages = gup_nodes_at_end(q, row->end, sizeof(*q->addr));
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)users.pages, q->addr,
					   row->end * sizeof(*q->addr)), 0);
	KUNIT_EXPECT_EQ(test, gup_nodes_call(q, &users), -EFAULT);
	gup_nodes_fetch(q, users.status, q->nr + 1);
	gup_nodes_matches(q, 0, rounddown(row->end, GUP_NODES_CHUNK), &diff);
	gup_expect_no_diff(test, &diff, row->name);
}

static void statuses_end(struct kunit *test)
{
	const struct gup_nodes_count *row = test->param_value;
	struct gup_nodes *q = gup_nodes_of(test, row->nr);
	struct gup_nodes_users users = gup_nodes_users(q);
	struct gup_diff diff = {};

	users.status = gup_nodes_at_end(q, row->end, sizeof(*q->got));
	KUNIT_EXPECT_EQ(test, gup_nodes_call(q, &users), -EFAULT);
	/*
	 * 7.3 writes 16 at a time. Of those that meet the hole, some may be
	 * written: that depends on the size of the stores, as on arm64.
	 */
	gup_nodes_fetch(q, users.status, round_down(row->end, 16));
	gup_nodes_matches(q, 0, round_down(row->end, 16), &diff);
	gup_expect_no_diff(test, &diff, row->name);
}

static void statuses_read_only(struct kunit *test)
{
	struct gup_nodes *q = gup_nodes_of(test, 600);
	struct gup_nodes_users users = gup_nodes_users(q);
	struct gup_diff diff = {};

	KUNIT_ASSERT_EQ(test, gup_kunit_mm.mprotect(users.status, PAGE_SIZE,
						    PROT_READ), 0);
	KUNIT_EXPECT_EQ(test, gup_nodes_call(q, &users), -EFAULT);
	gup_nodes_fetch(q, users.status, q->nr + 1);
	gup_nodes_matches(q, 0, 0, &diff);
	gup_expect_no_diff(test, &diff, "600");
}

/* Both arrays in one place: each address is read before it is overwritten. */
static void arrays_in_one_place(struct kunit *test)
{
	struct gup_nodes *q = gup_nodes_of(test, 1100);
	struct gup_nodes_users users = gup_nodes_users(q);
	struct gup_diff diff = {};

	users.status = users.pages;
	KUNIT_EXPECT_EQ(test, gup_nodes_call(q, &users), 0);
	gup_nodes_fetch(q, users.status, q->nr);
	gup_nodes_matches(q, 0, q->nr, &diff);
	gup_expect_no_diff(test, &diff, "1100");
}

/* Ask for the page of the statuses: it is not there before the first write. */
static void asked_for_the_statuses(struct kunit *test)
{
	struct gup_nodes *q = gup_nodes_of(test, 40);
	struct gup_nodes_users users;
	unsigned long addr;

	addr = gup_mm_mmap(test, 0, PAGE_SIZE, PROT_READ | PROT_WRITE);
	q->addr[3] = addr;
	users = gup_nodes_users(q);
	users.status = addr;
	KUNIT_EXPECT_EQ(test, gup_nodes_call(q, &users), 0);
	gup_nodes_fetch(q, addr, q->nr);
	KUNIT_EXPECT_EQ(test, q->got[3], -ENOENT);
	KUNIT_EXPECT_GE(test, gup_oracle_node(q->m->mm, addr), 0);
}

static unsigned int gup_nodes_counted;

static void *gup_nodes_no_memory(void)
{
	gup_nodes_counted++;

	return NULL;
}

static void no_memory(struct kunit *test)
{
	const struct gup_nodes_count *row = test->param_value;
	struct gup_nodes *q = gup_nodes_of(test, row->nr);

	if (!gup_kunit_stat.alloc)
		kunit_skip(test, "this tree allocates no memory");
	gup_nodes_counted = 0;
	kunit_activate_static_stub(test, gup_kunit_stat.alloc,
				   gup_nodes_no_memory);
	gup_nodes_run(q, row->name);
	KUNIT_EXPECT_EQ(test, gup_nodes_counted, row->nr > GUP_NODES_CHUNK);
}

/* Two huge pages, and four pages that are not mapped. */
static struct gup_mm *gup_nodes_huge_make(struct kunit *test,
					  unsigned int gup_flags)
{
	const unsigned int nr = 2 * PTRS_PER_PTE;
	struct gup_kunit_entry e;
	struct gup_mm *m;

	gup_skip_if(test, gup_mm_lacks_huge());
	gup_mm_set_orders(test, BIT(PMD_ORDER));
	m = gup_mm_map_private(test, nr + 4, 0);
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.madvise(m->addr, nr * PAGE_SIZE,
						   MADV_HUGEPAGE), 0);
	gup_mm_fault_in(m, 0, gup_flags);
	gup_mm_fault_in(m, PTRS_PER_PTE, gup_flags);
	KUNIT_ASSERT_TRUE(test, gup_mm_read(m, PTRS_PER_PTE, &e));
	if (e.size != PMD_SIZE)
		kunit_skip(test, "the kernel gave no huge page");
	gup_mm_keep(test, m->addr, nr);

	return m;
}

/* Ask for all pages and one more, in order, and again in another order. */
static struct gup_nodes *gup_nodes_ask_all(struct gup_mm *m)
{
	struct gup_nodes *q = gup_nodes_create(m, 2 * (m->nr + 1));
	unsigned int i;

	for (i = 0; i < m->nr + 1; i++)
		gup_nodes_add(q, gup_mm_addr(m, i));
	for (i = m->nr + 1; i--;)
		gup_nodes_add(q, gup_mm_addr(m, i * 11 % (m->nr + 1)));

	return q;
}

static void gup_nodes_huge(struct kunit *test, unsigned int gup_flags,
			   int status)
{
	struct gup_mm *m = gup_nodes_huge_make(test, gup_flags);
	struct gup_nodes *q = gup_nodes_ask_all(m);
	struct gup_kunit_entry e;

	KUNIT_EXPECT_EQ(test, q->want[5],
			status ?: page_to_nid(gup_mm_mapped(m, 5)));
	gup_nodes_run(q, "two huge pages");
	KUNIT_ASSERT_TRUE(test, gup_mm_read(m, 0, &e));
	KUNIT_EXPECT_EQ(test, e.size, PMD_SIZE);
}

static void huge_pages(struct kunit *test)
{
	gup_nodes_huge(test, FOLL_WRITE, 0);
}

static void huge_zero_pages(struct kunit *test)
{
	gup_nodes_huge(test, 0, -EFAULT);
}

/**
 * struct gup_nodes_pmd - the entry of a huge page, to be put back
 * @m:   the address space, which begins with the huge page
 * @pmd: the entry
 */
struct gup_nodes_pmd {
	struct gup_mm *m;
	pmd_t pmd;
};

static void gup_nodes_pmd_back(void *data)
{
	struct gup_nodes_pmd *old = data;

	gup_kunit_mm.exchange_pmd(old->m->mm, old->m->addr, old->pmd);
}

/* Without a check of references, as for memory without counted mappings. */
static void gup_nodes_expect_all(struct gup_nodes *q, const char *layout)
{
	struct gup_diff diff = {};

	if (gup_nodes_array(q, &diff))
		gup_nodes_user(q, &diff);
	gup_expect_no_diff(q->m->test, &diff, layout);
}

/* One of two huge pages has a migration entry. */
static void huge_page_that_migrates(struct kunit *test)
{
	struct gup_nodes_pmd *old;
	struct gup_nodes *q;
	struct gup_mm *m;
	swp_entry_t entry;

	old = gup_zalloc(test, 1, sizeof(*old));
	m = gup_nodes_huge_make(test, FOLL_WRITE);
	if (!thp_migration_supported())
		kunit_skip(test, "no migration entries for huge pages");
	entry = make_readable_migration_entry(page_to_pfn(gup_mm_mapped(m, 0)));
	old->m = m;
	old->pmd = gup_kunit_mm.exchange_pmd(m->mm, m->addr,
					     swp_entry_to_pmd(entry));
	gup_undo_later(test, gup_nodes_pmd_back, old);
	q = gup_nodes_ask_all(m);
	KUNIT_EXPECT_EQ(test, q->want[PTRS_PER_PTE - 1], -ENOENT);
	KUNIT_EXPECT_GE(test, q->want[PTRS_PER_PTE], 0);
	gup_nodes_expect_all(q, "huge page that migrates");
}

/* A physical address without memory, as of registers of a device. */
static unsigned long gup_nodes_device_pfn(unsigned long nr)
{
	unsigned long pfn = 0;

	while (pfn_valid(pfn) || pfn_valid(pfn + nr - 1))
		pfn += nr;

	return pfn;
}

/* Ask for the last pages of what one entry maps. */
static void gup_nodes_leaf(struct kunit *test, unsigned long size)
{
	const unsigned int nr = 30;
	unsigned long addr, pfn;
	struct gup_nodes *q;

	pfn = gup_nodes_device_pfn(size / PAGE_SIZE);
	addr = gup_mm_map_leaf(test, pfn, size, VM_PFNMAP);
	addr += size - nr * PAGE_SIZE;
	q = gup_nodes_ask_all(gup_mm_adopt(test, addr, nr - 1));
	gup_nodes_expect(q, "60e");
	gup_nodes_expect_all(q, "memory of a driver");
}

static void pmd_of_a_driver(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP))
		kunit_skip(test, "a PMD cannot map memory of a driver");
	gup_nodes_leaf(test, PMD_SIZE);
}

static void pud_of_a_driver(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_ARCH_SUPPORTS_PUD_PFNMAP))
		kunit_skip(test, "a PUD cannot map memory of a driver");
	gup_nodes_leaf(test, PUD_SIZE);
}

static const struct gup_nodes_hugetlb {
	const char *name;
	unsigned int kb;
} gup_nodes_hugetlb[] = {
	{ .name = "64 kb", .kb = 64 },
	{ .name = "2 mb", .kb = 2048 },
	{ .name = "32 mb", .kb = 32 * 1024 },
};

/* A hugetlb page, with contiguous entries on arm64, and one that is not there. */
static void hugetlb(struct kunit *test)
{
	const struct gup_nodes_hugetlb *size = test->param_value;
	const unsigned int one = size->kb * SZ_1K / PAGE_SIZE;
	const unsigned int nr = one + 16;
	struct gup_nodes *q;
	unsigned long addr;
	struct gup_mm *m;
	unsigned int i;

	addr = gup_mm_map_hugetlb(test, size->kb * SZ_1K, 2);
	m = gup_mm_adopt(test, addr, nr);
	gup_mm_fault_in(m, 0, FOLL_WRITE);
	q = gup_nodes_create(m, 2 * nr);
	for (i = 0; i < nr; i++)
		gup_nodes_add(q, gup_mm_addr(m, i));
	for (i = 0; i < nr; i++)
		gup_nodes_add(q, gup_mm_addr(m, i * 7 % nr));
	KUNIT_EXPECT_EQ(test, q->want[one - 1],
			page_to_nid(gup_mm_mapped(m, 0)));
	KUNIT_EXPECT_EQ(test, q->want[one], -ENOENT);
	gup_nodes_run(q, size->name);
}

/* The last page of user space is a page like any other. */
static void last_page_of_user_space(struct kunit *test)
{
	const unsigned long addr = TASK_SIZE - 2 * PAGE_SIZE;
	struct gup_nodes *q;
	struct gup_mm *m;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, kunit_attach_mm(), 0);
	KUNIT_ASSERT_EQ(test, vm_mmap(NULL, addr, 2 * PAGE_SIZE,
				      PROT_READ | PROT_WRITE,
				      MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS,
				      0), addr);
	m = gup_mm_adopt(test, addr, 2);
	gup_mm_fault_in(m, 1, FOLL_WRITE);
	q = gup_nodes_create(m, 13);
	for (i = 0; i < 12; i++)
		gup_nodes_add(q, gup_mm_addr(m, i % 3));
	gup_nodes_add(q, ULONG_MAX);
	gup_nodes_expect(q, "e n f e n f e n f e n f f");
	gup_nodes_run(q, "last page");
}

GUP_ROWS(gup_nodes_counts);
GUP_ROWS(gup_nodes_ends);
GUP_ROWS(gup_nodes_hugetlb);

static struct kunit_case gup_nodes_call_cases[] = {
	GUP_CASE_ROWS(number_of_addresses, number_of_addresses,
		      gup_nodes_counts),
	KUNIT_CASE(nothing_asked_for),
	GUP_CASE_ROWS(addresses_end, addresses_end, gup_nodes_ends),
	GUP_CASE_ROWS(statuses_end, statuses_end, gup_nodes_ends),
	KUNIT_CASE(statuses_read_only),
	KUNIT_CASE(arrays_in_one_place),
	KUNIT_CASE(asked_for_the_statuses),
	GUP_CASE_ROWS(no_memory, no_memory, gup_nodes_counts),
	KUNIT_CASE(huge_pages),
	KUNIT_CASE(huge_zero_pages),
	KUNIT_CASE(huge_page_that_migrates),
	KUNIT_CASE(pmd_of_a_driver),
	KUNIT_CASE(pud_of_a_driver),
	GUP_CASE_ROWS(hugetlb_nodes, hugetlb, gup_nodes_hugetlb),
	KUNIT_CASE(last_page_of_user_space),
	{}
};

static struct kunit_suite gup_nodes_call_suite = {
	.name = "gup_nodes_call",
	.test_cases = gup_nodes_call_cases,
};

kunit_test_suite(gup_nodes_call_suite);
