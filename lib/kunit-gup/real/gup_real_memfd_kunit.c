// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real_memfd: memfd_pin_folios() over files of shmem and of hugetlb.
 *
 * It finds the folios in the page cache or allocates them, and returns an array
 * of folios, each of them once. If one must not be pinned for long, all are
 * unpinned, and the array is filled again.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/hugetlb.h>
#include <linux/log2.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <uapi/linux/memfd.h>

#include "fixture/gup_cpu.h"
#include "fixture/gup_real.h"
#include "fixture/gup_stat.h"
#include "oracle/gup_oracle.h"

/* Free the huge pages of a row before the next one begins. */
static void gup_memfd_fput(void *file)
{
	fput(file);
	flush_delayed_fput();
}

#define GUP_RW		(PROT_READ | PROT_WRITE)
#define GUP_MEMFD_MAX	64

/**
 * struct gup_memfd - a file, and the folios of it that are pinned
 * @test:     the test that it belongs to
 * @file:     the file
 * @folios:   the folios
 * @offset:   where the range begins in the first of them
 * @acquired: NR_FOLL_PIN_ACQUIRED before
 * @released: NR_FOLL_PIN_RELEASED before
 */
struct gup_memfd {
	struct kunit *test;
	struct file *file;
	struct folio *folios[GUP_MEMFD_MAX];
	pgoff_t offset;
	long acquired;
	long released;
};

/* A file of hugetlb if @flags say so, else of shmem. */
static struct gup_memfd *gup_memfd_create(struct kunit *test,
					  unsigned int flags, loff_t len,
					  const char *lacks)
{
	struct gup_memfd *f = gup_zalloc(test, 1, sizeof(*f));

	gup_fixture_bind();
	f->test = test;
	f->file = gup_kunit_mm.memfd("gup_kunit", flags);
	if (IS_ERR(f->file))
		kunit_skip(test, "%s", lacks);
	gup_undo_later(test, gup_memfd_fput, f->file);
	KUNIT_ASSERT_EQ(test, vfs_truncate(&f->file->f_path, len), 0);
	f->acquired = gup_fixture_stat(NR_FOLL_PIN_ACQUIRED);
	f->released = gup_fixture_stat(NR_FOLL_PIN_RELEASED);

	return f;
}

static long gup_memfd_pin(struct gup_memfd *f, loff_t start, loff_t end,
			  unsigned int max)
{
	unsigned int i;

	for (i = 0; i < GUP_MEMFD_MAX; i++)
		f->folios[i] = (struct folio *)GUP_POISON;
	f->offset = ULONG_MAX;

	return memfd_pin_folios(f->file, start, end, f->folios, max,
				&f->offset);
}

/* The number of pins now, by the statistic. */
static long gup_memfd_nr_pins(struct gup_memfd *f)
{
	return gup_fixture_stat(NR_FOLL_PIN_ACQUIRED) - f->acquired -
	       gup_fixture_stat(NR_FOLL_PIN_RELEASED) + f->released;
}

/* The folios of the file from the page @index on, one after the other. */
static void gup_memfd_expect(struct gup_memfd *f, unsigned int nr,
			     unsigned long index)
{
	struct folio *folio;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		folio = f->folios[i];
		KUNIT_EXPECT_EQ_MSG(f->test, folio->index, index, "folio %u",
				    i);
		KUNIT_EXPECT_TRUE(f->test, folio_maybe_dma_pinned(folio));
		KUNIT_EXPECT_NE_MSG(f->test, folio_zonenum(folio), ZONE_MOVABLE,
				    "folio %u", i);
		if (gup_oracle_pins_per_page(&folio->page, FOLL_PIN))
			KUNIT_EXPECT_EQ(f->test, atomic_read(&folio->_pincount),
					1);
		index += folio_nr_pages(folio);
	}
	KUNIT_EXPECT_PTR_EQ(f->test, (struct page *)f->folios[nr], GUP_POISON);
	KUNIT_EXPECT_EQ(f->test, gup_memfd_nr_pins(f), nr);
}

static void gup_memfd_unpin(struct gup_memfd *f, unsigned int nr)
{
	unsigned int i;

	unpin_folios(f->folios, nr);
	KUNIT_EXPECT_EQ(f->test, gup_memfd_nr_pins(f), 0);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_FALSE_MSG(f->test,
				       folio_maybe_dma_pinned(f->folios[i]),
				       "folio %u", i);
}

/**
 * struct gup_memfd_row - two huge pages of a file
 * @name:     what is special about it
 * @kb:       their size
 * @mapped:   whether they are mapped, and so reserved
 * @touched:  whether the first is there
 * @reserved: how many are reserved before
 * @taken:    how many are taken from the pool
 */
struct gup_memfd_row {
	const char *name;
	unsigned int kb;
	bool mapped;
	bool touched;
	long reserved;
	long taken;
};

static const struct gup_memfd_row gup_memfd_rows[] = {
	{ .name = "2 mb never mapped", .kb = 2048, .taken = 2 },
	{ .name = "2 mb mapped and never touched", .kb = 2048, .mapped = true,
	  .reserved = 2, .taken = 2 },
	{ .name = "2 mb first page touched", .kb = 2048, .mapped = true,
	  .touched = true, .reserved = 1, .taken = 1 },
	{ .name = "64 kb never mapped", .kb = 64, .taken = 2 },
	{ .name = "64 kb mapped and never touched", .kb = 64, .mapped = true,
	  .reserved = 2, .taken = 2 },
};

GUP_ROWS(gup_memfd_rows);

/*
 * Huge pages from boot may be in a movable zone, and cannot be used for memory
 * to be pinned for long. Touch two, and let a longterm pin move them to another
 * zone.
 */
static void gup_memfd_fill_pool(struct kunit *test, unsigned long size)
{
	struct page *pages[2];
	unsigned long addr;
	int i;

	addr = gup_mm_map_hugetlb(test, size, 2);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, put_user(1, (u32 __user *)(addr + i * size)),
				0);
		KUNIT_ASSERT_EQ(test,
				pin_user_pages_unlocked(addr + i * size, 1,
							pages + i, FOLL_WRITE |
							FOLL_LONGTERM), 1);
	}
	unpin_user_pages(pages, 2);
	KUNIT_ASSERT_EQ(test, vm_munmap(addr, 2 * size), 0);
}

static struct gup_memfd *gup_memfd_hugetlb_file(struct kunit *test,
						const struct gup_memfd_row *row)
{
	const unsigned long size = row->kb * SZ_1K;
	const unsigned int flags = MFD_HUGETLB | ilog2(size) << MFD_HUGE_SHIFT;
	struct gup_memfd *f;
	unsigned long addr;
	char lacks[40];

	snprintf(lacks, sizeof(lacks), "no huge pages of %u kB", row->kb);
	flush_delayed_fput();
	gup_memfd_fill_pool(test, size);
	f = gup_memfd_create(test, flags, 2 * size, lacks);
	if (!row->mapped)
		return f;
	addr = gup_mm_map(test, 2 * size / PAGE_SIZE, 0, f->file, GUP_RW,
			  MAP_SHARED);
	if (row->touched)
		KUNIT_ASSERT_EQ(test, put_user(1, (u32 __user *)addr), 0);

	return f;
}

/* How many huge pages are free in the pool of the file, and how many reserved? */
static void gup_memfd_pool(struct gup_memfd *f, long *free, long *reserved)
{
#ifdef CONFIG_HUGETLB_PAGE
	const struct hstate *h = hstate_file(f->file);

	*free = h->free_huge_pages;
	*reserved = h->resv_huge_pages;
#endif
}

static void gup_memfd_hugetlb(struct kunit *test)
{
	const struct gup_memfd_row *row = test->param_value;
	struct gup_memfd *f = gup_memfd_hugetlb_file(test, row);
	const unsigned long size = row->kb * SZ_1K;
	long free = 0, reserved = 0, free_now = 0, reserved_now = 0;

	gup_memfd_pool(f, &free, &reserved);
	KUNIT_ASSERT_EQ(test, gup_memfd_pin(f, 0, 2 * size - 1, 8), 2);
	KUNIT_EXPECT_EQ(test, f->offset, 0);
	gup_memfd_expect(f, 2, 0);
	gup_memfd_pool(f, &free_now, &reserved_now);
	KUNIT_EXPECT_EQ(test, reserved - reserved_now, row->reserved);
	KUNIT_EXPECT_EQ(test, free - free_now, row->taken);
	gup_memfd_unpin(f, 2);

	KUNIT_ASSERT_EQ(test, gup_memfd_pin(f, size + PAGE_SIZE, 2 * size - 1,
					    8), 1);
	KUNIT_EXPECT_EQ(test, f->offset, PAGE_SIZE);
	gup_memfd_expect(f, 1, size / PAGE_SIZE);
	gup_memfd_unpin(f, 1);
	KUNIT_ASSERT_EQ(test, gup_memfd_pin(f, 0, 2 * size - 1, 1), 1);
	gup_memfd_expect(f, 1, 0);
	gup_memfd_unpin(f, 1);
	KUNIT_EXPECT_EQ(test, gup_memfd_pin(f, 0, 2 * size, 8), -EINVAL);
	gup_memfd_expect(f, 0, 0);
}

/* Pin a folio, add a pin for each other page, and release them as a range. */
static void gup_memfd_add_pins(struct kunit *test)
{
	const struct gup_memfd_row *row = &gup_memfd_rows[0];
	struct gup_memfd *f = gup_memfd_hugetlb_file(test, row);
	const unsigned int nr = row->kb * SZ_1K / PAGE_SIZE;
	struct folio *folio;
	int refs;

	KUNIT_ASSERT_EQ(test, gup_memfd_pin(f, 0, row->kb * SZ_1K - 1, 8), 1);
	folio = f->folios[0];
	refs = folio_ref_count(folio);
	KUNIT_EXPECT_EQ(test, folio_add_pins(folio, nr - 1), 0);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), refs + (int)nr - 1);
	KUNIT_EXPECT_EQ(test, gup_memfd_nr_pins(f), nr);
	unpin_user_page_range_dirty_lock(&folio->page, nr, true);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), refs - 1);
	KUNIT_EXPECT_EQ(test, gup_memfd_nr_pins(f), 0);
}

/* The first and the last third were filled; the second was a hole. */
static void gup_memfd_expect_content(struct gup_mm *m)
{
	const unsigned int third = m->nr / 3;
	u32 __user *at;
	unsigned int i;
	u32 content;

	for (i = 0; i < m->nr; i++) {
		at = (u32 __user *)gup_mm_addr(m, i);
		content = 0;
		KUNIT_EXPECT_EQ(m->test, get_user(content, at), 0);
		KUNIT_EXPECT_EQ_MSG(m->test, content,
				    i / third == 1 ? 0 : i % third + 1,
				    "page %u", i);
	}
}

static void gup_memfd_pin_hole(struct gup_memfd *f, struct gup_mm *m,
			       unsigned int nr)
{
	struct kunit *test = f->test;
	unsigned int again;

	for (again = 0; again < 2; again++) {
		KUNIT_ASSERT_EQ(test, nr,
				gup_memfd_pin(f, 0, m->nr * PAGE_SIZE - 1,
					      GUP_MEMFD_MAX));
		KUNIT_EXPECT_EQ(test, f->offset, 0);
		gup_memfd_expect(f, nr, 0);
		gup_memfd_unpin(f, nr);
	}
	gup_memfd_expect_content(m);
}

static void gup_memfd_shmem(struct kunit *test)
{
	struct gup_memfd *f = gup_memfd_create(test, 0, 12 * PAGE_SIZE,
					       "no CONFIG_MEMFD_CREATE");
	struct gup_mm *m;

	m = gup_mm_adopt(test, gup_mm_map(test, 12, PTRS_PER_PTE - 6, f->file,
					  GUP_RW, MAP_SHARED), 12);
	gup_real_touch(test, m->addr, 4);
	gup_real_touch(test, gup_mm_addr(m, 8), 4);
	gup_memfd_pin_hole(f, m, 12);
}

/* A large folio, a hole that is filled page by page, and a large folio. */
static void gup_memfd_shmem_large(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, 64), nr = 1U << order;
	struct gup_memfd *f = gup_memfd_create(test, 0, 3 * nr * PAGE_SIZE,
					       "no CONFIG_MEMFD_CREATE");
	struct gup_mm *m;

	m = gup_mm_adopt(test, gup_mm_map(test, 3 * nr, PTRS_PER_PTE - nr,
					  f->file, GUP_RW, MAP_SHARED), 3 * nr);
	gup_real_advise(test, m, order);
	gup_real_touch(test, m->addr, nr);
	gup_real_touch(test, gup_mm_addr(m, 2 * nr), nr);
	if (folio_order(page_folio(gup_mm_mapped(m, 0))) != order ||
	    folio_order(page_folio(gup_mm_mapped(m, 2 * nr))) != order)
		kunit_skip(test, "the kernel gave no folios of 64 kB");
	gup_memfd_pin_hole(f, m, 1 + nr + 1);
}

static struct kunit_case gup_real_memfd_cases[] = {
	GUP_CASE_ROWS(hugetlb, gup_memfd_hugetlb, gup_memfd_rows),
	KUNIT_CASE(gup_memfd_add_pins),
	KUNIT_CASE(gup_memfd_shmem),
	KUNIT_CASE(gup_memfd_shmem_large),
	{}
};

static struct kunit_suite gup_real_memfd_suite = {
	.name = "gup_real_memfd",
	.test_cases = gup_real_memfd_cases,
};

kunit_test_suite(gup_real_memfd_suite);
