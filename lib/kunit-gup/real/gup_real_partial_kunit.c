// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_real_partial: large folios of which a part was unmapped, protected,
 * moved, shared with a child, or migrated, by system calls.
 *
 * Each row changes two folios that are mapped next to each other, in two page
 * tables, and says how far GUP-fast gets, and what a whole call returns. Then
 * all calls are made over all ranges, and compared with the oracle.
 */
#include <linux/highmem.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "fixture/gup_lacks.h"
#include "walk/gup_real_call.h"

/* Numbers of pages, counted from the end of the memory. */
#define GUP_ALL			0
#define GUP_ALL_BUT(n)		(-(n))

/**
 * struct gup_partial_row - a change, and what a call gets then
 * @name:   in words
 * @kb:     size of the folios
 * @change: the change; returns the memory as it is now
 * @read:   how far GUP-fast gets, to read
 * @write:  how far GUP-fast gets, to write
 * @flags:  of the whole call
 * @ret:    what the whole call returns
 * @same:   how many pages in it are those that were mapped first
 * @needs:  a layout of what kind of entries the kernel must have, or NULL
 */
struct gup_partial_row {
	const char *name;
	unsigned int kb;
	struct gup_mm *(*change)(struct kunit *test, struct gup_mm *m);
	int read;
	int write;
	unsigned int flags;
	int ret;
	int same;
	const char *needs;
};

static struct gup_mm *gup_partial_unmap(struct kunit *test, struct gup_mm *m)
{
	KUNIT_ASSERT_EQ(test, vm_munmap(gup_mm_addr(m, 3), 3 * PAGE_SIZE), 0);

	return m;
}

static struct gup_mm *gup_partial_discard(struct kunit *test, struct gup_mm *m)
{
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.madvise(gup_mm_addr(m, 3),
						   3 * PAGE_SIZE, MADV_DONTNEED),
			0);

	return m;
}

static struct gup_mm *gup_partial_protect(struct kunit *test, struct gup_mm *m)
{
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.mprotect(gup_mm_addr(m, 2),
						    5 * PAGE_SIZE, PROT_READ), 0);

	return m;
}

static struct gup_mm *gup_partial_forbid(struct kunit *test, struct gup_mm *m)
{
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.mprotect(gup_mm_addr(m, 2), PAGE_SIZE,
						    PROT_NONE), 0);

	return m;
}

/* Move it to where no folio is aligned, and one is in two page tables. */
static struct gup_mm *gup_partial_move(struct kunit *test, struct gup_mm *m)
{
	const size_t len = m->nr * PAGE_SIZE;
	unsigned long to;

	to = gup_mm_map(test, m->nr, PTRS_PER_PTE - 3, NULL, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	KUNIT_ASSERT_EQ(test, to, gup_kunit_mm.mremap(m->addr, len, to));

	return gup_mm_adopt(test, to, m->nr);
}

/* Exchange two pages of the two folios. */
static struct gup_mm *gup_partial_mosaic(struct kunit *test, struct gup_mm *m)
{
	const unsigned int half = m->nr / 2;
	unsigned long aside;

	aside = gup_mm_map(test, 2, 0, NULL, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	KUNIT_ASSERT_EQ(test, aside,
			gup_kunit_mm.mremap(gup_mm_addr(m, half), PAGE_SIZE, aside));
	KUNIT_ASSERT_EQ(test, gup_mm_addr(m, half),
			gup_kunit_mm.mremap(gup_mm_addr(m, 1), PAGE_SIZE,
					 gup_mm_addr(m, half)));
	KUNIT_ASSERT_EQ(test, gup_mm_addr(m, 1),
			gup_kunit_mm.mremap(aside, PAGE_SIZE, gup_mm_addr(m, 1)));

	return m;
}

/* Share all pages but the first two with a child. */
static struct gup_mm *gup_partial_share(struct kunit *test, struct gup_mm *m)
{
	const unsigned long own = 2 * PAGE_SIZE;

	KUNIT_ASSERT_EQ(test, gup_kunit_mm.madvise(m->addr, own, MADV_DONTFORK),
			0);
	gup_real_fork(test);
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.madvise(m->addr, own, MADV_DOFORK), 0);

	return m;
}

/* The same, and make all entries read-only. */
static struct gup_mm *gup_partial_share_rdonly(struct kunit *test,
					       struct gup_mm *m)
{
	gup_partial_share(test, m);
	KUNIT_ASSERT_EQ(test, gup_kunit_mm.mprotect(m->addr, m->nr * PAGE_SIZE,
						    PROT_READ), 0);

	return m;
}

static const struct gup_partial_row gup_partial_rows[] = {
	{ .name = "16 kb partly unmapped", .kb = 16,
	  .change = gup_partial_unmap, .read = 3, .write = 3,
	  .flags = GUP_PIN_W, .ret = 3, .same = 3 },
	{ .name = "64 kb partly unmapped", .kb = 64,
	  .change = gup_partial_unmap, .read = 3, .write = 3,
	  .flags = GUP_PIN_W, .ret = 3, .same = 3 },
	{ .name = "2 mb partly unmapped", .kb = 2048,
	  .change = gup_partial_unmap, .read = 3, .write = 3,
	  .flags = GUP_PIN_W, .ret = 3, .same = 3 },
	{ .name = "64 kb partly discarded", .kb = 64,
	  .change = gup_partial_discard, .read = 3, .write = 3,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = GUP_ALL_BUT(3) },
	{ .name = "64 kb partly read only", .kb = 64,
	  .change = gup_partial_protect, .read = GUP_ALL, .write = 2,
	  .flags = GUP_PIN_W, .ret = 2, .same = 2 },
	{ .name = "64 kb partly read only read", .kb = 64,
	  .change = gup_partial_protect, .read = GUP_ALL, .write = 2,
	  .flags = GUP_PIN, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "2 mb partly read only", .kb = 2048,
	  .change = gup_partial_protect, .read = GUP_ALL, .write = 2,
	  .flags = GUP_PIN_W, .ret = 2, .same = 2 },
	{ .name = "64 kb partly no access", .kb = 64,
	  .change = gup_partial_forbid, .read = 2, .write = 2, .flags = GUP_GET,
	  .ret = 2, .same = 2, .needs = ".:p" },
	{ .name = "16 kb moved out of alignment", .kb = 16,
	  .change = gup_partial_move, .read = GUP_ALL, .write = GUP_ALL,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "64 kb moved out of alignment", .kb = 64,
	  .change = gup_partial_move, .read = GUP_ALL, .write = GUP_ALL,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "1 mb moved out of alignment", .kb = 1024,
	  .change = gup_partial_move, .read = GUP_ALL, .write = GUP_ALL,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "2 mb moved out of alignment", .kb = 2048,
	  .change = gup_partial_move, .read = GUP_ALL, .write = GUP_ALL,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "64 kb with two pages exchanged", .kb = 64,
	  .change = gup_partial_mosaic, .read = GUP_ALL, .write = GUP_ALL,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "64 kb partly shared write", .kb = 64,
	  .change = gup_partial_share, .read = GUP_ALL, .write = 2,
	  .flags = GUP_PIN_W, .ret = GUP_ALL, .same = 2 },
	{ .name = "64 kb partly shared read", .kb = 64,
	  .change = gup_partial_share, .read = GUP_ALL, .write = 2,
	  .flags = GUP_PIN, .ret = GUP_ALL, .same = 2 },
	{ .name = "64 kb partly shared get to read", .kb = 64,
	  .change = gup_partial_share, .read = GUP_ALL, .write = 2,
	  .flags = GUP_GET, .ret = GUP_ALL, .same = GUP_ALL },
	{ .name = "64 kb partly shared with equal bits", .kb = 64,
	  .change = gup_partial_share_rdonly, .read = GUP_ALL, .write = 0,
	  .flags = GUP_PIN, .ret = GUP_ALL, .same = 2 },
	{ .name = "2 mb partly shared with equal bits", .kb = 2048,
	  .change = gup_partial_share_rdonly, .read = GUP_ALL, .write = 0,
	  .flags = GUP_PIN, .ret = GUP_ALL, .same = 2 },
};

GUP_ROWS(gup_partial_rows);

static struct page **gup_partial_remember(struct kunit *test, struct gup_mm *m)
{
	struct page **first;
	unsigned int i;

	first = gup_zalloc(test, m->nr, sizeof(*first));
	for (i = 0; i < m->nr; i++)
		first[i] = gup_mm_mapped(m, i);

	return first;
}

/* Is this one of the pages that were mapped first? */
static bool gup_partial_was_there(struct page **first, unsigned int nr,
				  struct page *page)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (first[i] == page)
			return true;

	return false;
}

/* The whole call, before other calls change the folios again. */
static void gup_partial_call(struct kunit *test, struct gup_mm *m,
			     const struct gup_partial_row *row,
			     struct page **first)
{
	struct gup_mm_ask ask = {
		.call = GUP_MM_FAST, .flags = row->flags, .nr = m->nr,
	};
	struct gup_diff diff = {};
	unsigned int same = 0;
	long i;

	gup_mm_ask(m, &ask);
	gup_mm_check(m, &ask, &diff);
	for (i = 0; i < ask.ret; i++)
		same += gup_partial_was_there(first, m->nr, m->pages[i]);
	gup_mm_undo(m, &ask, &diff);

	gup_expect_no_diff(test, &diff, row->name);
	KUNIT_EXPECT_EQ(test, ask.ret,
			row->ret > 0 ? row->ret : m->nr + row->ret);
	KUNIT_EXPECT_EQ(test, same,
			row->same > 0 ? row->same : m->nr + row->same);
}

static void gup_partial_row(struct kunit *test)
{
	const struct gup_partial_row *row = test->param_value;
	const unsigned int order = gup_real_order(test, row->kb);
	const bool none = row->change == gup_partial_share_rdonly;
	struct page **first;
	struct gup_mm *m;

	gup_skip_if(test, gup_fixture_lacks("", row->needs ?: ""));
	m = gup_real_thp(test, order);
	first = gup_partial_remember(test, m);
	m = row->change(test, m);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET, row->read ?: m->nr);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET_W, row->write ?: none ? 0 : m->nr);
	gup_partial_call(test, m, row, first);
	gup_real_ask_all(test, m, 1U << order);
}

/*
 * One of the two folios has migration entries. A call must not wait for it,
 * since this thread migrates it.
 */
static void gup_partial_migrates(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, 64);
	const unsigned int nr = 1U << order;
	struct gup_mm *m = gup_real_thp(test, order);
	struct folio *folio = page_folio(gup_mm_mapped(m, nr));

	if (!IS_ENABLED(CONFIG_MIGRATION))
		kunit_skip(test, "no CONFIG_MIGRATION");
	folio_get(folio);
	gup_kunit_mm.migrate_begin(folio);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET, nr);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET_W, nr);
	gup_kunit_mm.migrate_end(folio);
	folio_put(folio);
	gup_real_expect(m, GUP_MM_ONLY, GUP_GET, m->nr);
	gup_real_ask_all(test, m, nr);
}

static u32 gup_partial_first_word(struct page *page)
{
	u32 *data = kmap_local_page(page);
	const u32 seen = READ_ONCE(*data);

	kunmap_local(data);

	return seen;
}

/* The process sees the pinned pages, and its child does not. */
static void gup_partial_pins_own_copy(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, 64);
	struct gup_mm *m = gup_real_thp(test, order);
	unsigned int i;
	int nr;

	gup_partial_share(test, m);
	nr = pin_user_pages_fast(m->addr, m->nr, 0, m->pages);
	KUNIT_EXPECT_EQ(test, nr, m->nr);
	gup_real_touch(test, m->addr, m->nr);
	for (i = 0; (int)i < nr; i++) {
		if (gup_partial_first_word(m->pages[i]) != i + 1)
			break;
		if (put_user(i + 1000, (u32 __user *)gup_mm_addr(m, i)))
			break;
		if (gup_partial_first_word(m->pages[i]) != i + 1000)
			break;
	}
	KUNIT_EXPECT_EQ(test, i, m->nr);
	if (nr > 0)
		unpin_user_pages(m->pages, nr);
}

/* Case 2: the child does not see what is written to pinned pages. */
static void gup_partial_child_keeps_data(struct kunit *test)
{
	const unsigned int order = gup_real_order(test, 64);
	struct gup_mm *m = gup_real_thp(test, order);
	struct mm_struct *child = gup_real_fork(test);
	struct gup_kunit_entry e;
	unsigned int i;
	u32 *data;
	int nr;

	nr = pin_user_pages_fast(m->addr, m->nr, FOLL_WRITE, m->pages);
	KUNIT_EXPECT_EQ(test, nr, m->nr);
	for (i = 0; (int)i < nr; i++) {
		data = kmap_local_page(m->pages[i]);
		*data = i + 1000;
		kunmap_local(data);
	}
	for (i = 0; i < m->nr; i++) {
		gup_kunit_mm.read(child, gup_mm_addr(m, i), &e);
		if (!e.page || gup_partial_first_word(e.page) != i + 1)
			break;
		if (gup_partial_first_word(gup_mm_mapped(m, i)) != i + 1000)
			break;
	}
	KUNIT_EXPECT_EQ(test, i, m->nr);
	if (nr > 0)
		unpin_user_pages(m->pages, nr);
}

static struct kunit_case gup_real_partial_cases[] = {
	GUP_CASE_ROWS(partial, gup_partial_row, gup_partial_rows),
	KUNIT_CASE(gup_partial_migrates),
	KUNIT_CASE(gup_partial_pins_own_copy),
	KUNIT_CASE(gup_partial_child_keeps_data),
	{}
};

static struct kunit_suite gup_real_partial_suite = {
	.name = "gup_real_partial",
	.test_cases = gup_real_partial_cases,
};

kunit_test_suite(gup_real_partial_suite);
