// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real_swap: large folios that are swapped out, as a whole or in part.
 *
 * There is no user space to set up swap, so each test makes a device node for a
 * RAM disk, writes the header of a swap area, and turns it on.
 */
#include <linux/err.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/major.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/swap.h>
#include <linux/uaccess.h>

#include "walk/gup_real_call.h"

#define GUP_SWAP_PATH	"/gup_swap"
#define GUP_SWAP_PAGES	(SZ_4M / PAGE_SIZE)
#define GUP_SWAP_TRIES	100

static int gup_swap_format(struct kunit *test)
{
	union swap_header *header = gup_zalloc(test, 1, PAGE_SIZE);
	struct file *file;
	loff_t pos = 0;
	ssize_t ret;

	header->info.version = 1;
	header->info.last_page = GUP_SWAP_PAGES - 1;
	memcpy(header->magic.magic, "SWAPSPACE2", 10);

	file = gup_kunit_open(GUP_SWAP_PATH);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = kernel_write(file, header, PAGE_SIZE, &pos);
	filp_close(file, NULL);

	return ret == PAGE_SIZE ? 0 : -EIO;
}

/* Turn it on. Returns the user address of its name, to turn it off by. */
static unsigned long gup_swap_on(struct kunit *test)
{
	const unsigned long name = gup_mm_map(test, 1, 0, NULL,
					      PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS);
	unsigned int tries = 0;
	long ret;

	if (!IS_ENABLED(CONFIG_SWAP) || !IS_ENABLED(CONFIG_BLK_DEV_RAM))
		kunit_skip(test, "no CONFIG_SWAP with CONFIG_BLK_DEV_RAM");
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)name, GUP_SWAP_PATH,
					   sizeof(GUP_SWAP_PATH)), 0);
	ret = gup_kunit_mknod(name, S_IFBLK | 0600, MKDEV(RAMDISK_MAJOR, 0));
	if (ret != -EEXIST)
		KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_ASSERT_EQ(test, gup_swap_format(test), 0);
	/* The disk is closed a moment after swap is turned off. */
	while ((ret = gup_kunit_swap(name, true)) == -EBUSY &&
	       tries++ < GUP_SWAP_TRIES)
		msleep(20);
	KUNIT_ASSERT_EQ(test, ret, 0);

	return name;
}

/**
 * struct gup_swap_row - what is swapped out
 * @name:  in words
 * @kb:    size of the folios
 * @first: the first page to swap out
 * @nr:    the number of pages; 0 to the end
 */
struct gup_swap_row {
	const char *name;
	unsigned int kb;
	unsigned int first;
	unsigned int nr;
};

static const struct gup_swap_row gup_swap_rows[] = {
	{ .name = "16 kb one of two folios", .kb = 16, .first = 4 },
	{ .name = "16 kb a part", .kb = 16, .first = 1, .nr = 1 },
	{ .name = "64 kb one of two folios", .kb = 64, .first = 16 },
	{ .name = "64 kb a part", .kb = 64, .first = 5, .nr = 3 },
	{ .name = "2 mb a part", .kb = 2048, .first = 20, .nr = 10 },
};

GUP_ROWS(gup_swap_rows);

/* A folio must be split to swap out a part of it. */
static unsigned int gup_swap_order(struct kunit *test, unsigned int kb)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		kunit_skip(test, "no CONFIG_TRANSPARENT_HUGEPAGE");

	return gup_real_order(test, kb);
}

static void gup_swap_row(struct kunit *test)
{
	const struct gup_swap_row *row = test->param_value;
	const unsigned int order = gup_swap_order(test, row->kb);
	struct gup_mm *m = gup_real_thp(test, order);
	const unsigned long name = gup_swap_on(test);
	const unsigned int nr = row->nr ?: m->nr - row->first;

	gup_kunit_lru_drain();
	KUNIT_EXPECT_EQ(test, gup_kunit_madvise(gup_mm_addr(m, row->first),
						nr * PAGE_SIZE, MADV_PAGEOUT),
			0);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET, row->first);
	gup_real_expect(m, GUP_MM_FAST, GUP_PIN_W, m->nr);
	gup_real_ask_all(test, m, 1U << order);
	KUNIT_EXPECT_EQ(test, gup_kunit_swap(name, false), 0);
}

static struct kunit_case gup_real_swap_cases[] = {
	GUP_CASE_ROWS(swapped, gup_swap_row, gup_swap_rows),
	{}
};

static struct kunit_suite gup_real_swap_suite = {
	.name = "gup_real_swap",
	.test_cases = gup_real_swap_cases,
};

kunit_test_suite(gup_real_swap_suite);
