// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_mm: the fixture for a real mm, against literals.
 *
 * And simple calls of each exported function on it, for folios of several
 * sizes.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "oracle/gup_oracle.h"
#include "walk/gup_mm_call.h"

static void gup_mm_expect_page(struct kunit *test, struct gup_mm *m,
			       unsigned int entry, struct page *page, bool write)
{
	struct gup_kunit_entry e;

	KUNIT_EXPECT_TRUE_MSG(test, gup_mm_read(m, entry, &e), "entry %u", entry);
	GUP_EXPECT_PAGE_AT(test, m->folio, e.page, page, entry);
	KUNIT_EXPECT_TRUE_MSG(test, e.read, "entry %u", entry);
	KUNIT_EXPECT_EQ_MSG(test, e.write, write, "entry %u", entry);
	KUNIT_EXPECT_EQ_MSG(test, e.size, PAGE_SIZE, "entry %u", entry);
}

static void gup_mm_maps_pages(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4 B0f C2", "A0-2 A9:r . B0 C3:s Z @ C2-1:co",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_kunit_entry e;

	KUNIT_EXPECT_EQ(test, m->nr, 11);
	KUNIT_EXPECT_EQ(test, m->addr % PMD_SIZE, 0);
	gup_mm_expect_page(test, m, 0, gup_mm_page(m, 'A', 0), true);
	gup_mm_expect_page(test, m, 2, gup_mm_page(m, 'A', 2), true);
	gup_mm_expect_page(test, m, 3, gup_mm_page(m, 'A', 9), false);
	KUNIT_EXPECT_FALSE(test, gup_mm_read(m, 4, &e));
	KUNIT_EXPECT_EQ(test, e.size, 0);
	gup_mm_expect_page(test, m, 5, gup_mm_page(m, 'B', 0), true);
	gup_mm_expect_page(test, m, 6, gup_mm_page(m, 'C', 3), false);
	gup_mm_expect_page(test, m, 7, ZERO_PAGE(gup_mm_addr(m, 7)), false);
	KUNIT_EXPECT_FALSE(test, gup_mm_read(m, 8, &e));
	KUNIT_EXPECT_EQ(test, e.size, PAGE_SIZE);
	gup_mm_expect_page(test, m, 9, gup_mm_page(m, 'C', 2), true);
	KUNIT_EXPECT_TRUE(test, gup_mm_read(m, 9, &e));
	KUNIT_EXPECT_FALSE(test, pte_dirty(e.pte));
	KUNIT_EXPECT_FALSE(test, pte_young(e.pte));
	KUNIT_EXPECT_FALSE(test, gup_mm_read(m, 11, &e));
}

static void gup_mm_counts_mappings(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4 B0f C2", "A0-2 A9:r . B0 C3:s C3:s C2-1",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct folio *a = page_folio(gup_mm_page(m, 'A', 0));
	struct folio *b = page_folio(gup_mm_page(m, 'B', 0));
	struct folio *c = page_folio(gup_mm_page(m, 'C', 0));

	KUNIT_EXPECT_EQ(test, folio_order(a), 4);
	KUNIT_EXPECT_EQ(test, folio_ref_count(a), 4);
	KUNIT_EXPECT_EQ(test, folio_mapcount(a), 4);
	KUNIT_EXPECT_EQ(test, folio_order(b), 0);
	KUNIT_EXPECT_EQ(test, folio_ref_count(b), 2);
	KUNIT_EXPECT_EQ(test, folio_mapcount(b), 1);
	KUNIT_EXPECT_EQ(test, folio_ref_count(c), 4);
	KUNIT_EXPECT_EQ(test, folio_mapcount(c), 4);
	KUNIT_EXPECT_EQ(test, get_mm_counter_sum(m->mm, MM_ANONPAGES), 8);
	KUNIT_EXPECT_EQ(test, get_mm_counter_sum(m->mm, MM_FILEPAGES), 1);

	KUNIT_EXPECT_TRUE(test, folio_test_anon(a));
	KUNIT_EXPECT_TRUE(test, folio_test_lru(a));
	KUNIT_EXPECT_FALSE(test, folio_test_anon(b));
	KUNIT_EXPECT_TRUE(test, PageAnonExclusive(gup_mm_page(m, 'A', 9)));
	KUNIT_EXPECT_TRUE(test, PageAnonExclusive(gup_mm_page(m, 'C', 1)));
	KUNIT_EXPECT_FALSE(test, PageAnonExclusive(gup_mm_page(m, 'C', 3)));
}

static void gup_mm_is_taken_down(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4 B0f C2 D0u E1h F0", "A0-7 A8-15:s B C0 C1:s D:r Z @ E1 F .",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	char letter;

	for (letter = 'A'; letter <= 'F'; letter++)
		get_page(gup_mm_page(m, letter, 0));
	KUNIT_EXPECT_EQ(test, vm_munmap(m->addr, m->nr * PAGE_SIZE), 0);
	gup_kunit_mm.lru_drain();
	for (letter = 'A'; letter <= 'F'; letter++) {
		const struct gup_folio *gf = &m->folio[letter - 'A'];
		struct folio *folio = page_folio(gf->page);

		KUNIT_EXPECT_EQ_MSG(test, folio_mapcount(folio), 0, "%c", letter);
		KUNIT_EXPECT_EQ_MSG(test, folio_ref_count(folio),
				    gup_mm_is_anon(gf) ? 1 : 2, "%c", letter);
		folio_put(folio);
	}
	KUNIT_EXPECT_EQ(test, get_mm_counter_sum(m->mm, MM_ANONPAGES), 0);
	KUNIT_EXPECT_EQ(test, get_mm_counter_sum(m->mm, MM_FILEPAGES), 0);
	KUNIT_EXPECT_EQ(test, get_mm_counter_sum(m->mm, MM_SHMEMPAGES), 0);
}

static void gup_mm_finds_places(struct kunit *test)
{
	static const struct gup_mm_layout behind = { "A0", "A", .at = 7 };
	static const struct gup_mm_layout end = { "A1", "A0-1", .at = -1 };
	static const struct gup_mm_layout two = {
		"A3", "A0-7", .at = PTRS_PER_PTE - 3,
	};
	struct gup_mm *m;

	m = gup_mm_create_or_skip(test, &behind);
	KUNIT_EXPECT_EQ(test, pte_index(m->addr), 7);
	m = gup_mm_create_or_skip(test, &end);
	KUNIT_EXPECT_EQ(test, pte_index(m->addr), PTRS_PER_PTE - 2);
	m = gup_mm_create_or_skip(test, &two);
	KUNIT_EXPECT_EQ(test, pte_index(m->addr), PTRS_PER_PTE - 3);
	KUNIT_EXPECT_EQ(test, pte_index(gup_mm_addr(m, 3)), 0);
	gup_mm_expect_page(test, m, 2, gup_mm_page(m, 'A', 2), true);
	gup_mm_expect_page(test, m, 3, gup_mm_page(m, 'A', 3), true);
}

static void gup_mm_makes_neighbours(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A1 B0+ C0+ D2+", "A0-1 B C D0-3",
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct page *a = gup_mm_page(m, 'A', 0);

	KUNIT_EXPECT_EQ(test, gup_mm_page(m, 'B', 0) - a, 2);
	KUNIT_EXPECT_EQ(test, gup_mm_page(m, 'C', 0) - a, 3);
	KUNIT_EXPECT_EQ(test, folio_order(page_folio(gup_mm_page(m, 'A', 1))), 1);
	KUNIT_EXPECT_EQ(test, folio_order(page_folio(gup_mm_page(m, 'B', 0))), 0);
	KUNIT_EXPECT_EQ(test, gup_mm_page(m, 'D', 0) - a, 4);
	KUNIT_EXPECT_EQ(test, folio_order(page_folio(gup_mm_page(m, 'D', 3))), 2);
	gup_mm_expect_page(test, m, 7, gup_mm_page(m, 'D', 3), true);
}

struct gup_mm_vma_seen {
	unsigned long start;
	unsigned long end;
	vm_flags_t flags;
};

static struct gup_mm_vma_seen gup_mm_see_vma(struct gup_mm *m,
					     unsigned int entry)
{
	const unsigned long addr = gup_mm_addr(m, entry);
	struct gup_mm_vma_seen seen = {};
	struct vm_area_struct *vma;

	mmap_read_lock(m->mm);
	vma = gup_mm_vma(m, addr);
	if (vma) {
		seen.start = (vma->vm_start - m->addr) / PAGE_SIZE;
		seen.end = (vma->vm_end - m->addr) / PAGE_SIZE;
		seen.flags = vma->vm_flags & (VM_READ | VM_WRITE | VM_SHARED |
					      VM_MIXEDMAP | VM_PFNMAP | VM_IO |
					      VM_DONTCOPY);
	}
	mmap_read_unlock(m->mm);

	return seen;
}

static void gup_mm_makes_vmas(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4", "A0-7", "4rw 4r 2g 3rws 2rwm 1rp 1wi 2rwd", .at = 5,
	};
	static const struct gup_mm_vma_seen want[] = {
		{ .end = 4, .flags = VM_READ | VM_WRITE },
		{ .start = 4, .end = 8, .flags = VM_READ },
		{ },
		{ .start = 10, .end = 13,
		  .flags = VM_READ | VM_WRITE | VM_SHARED },
		{ .start = 13, .end = 15,
		  .flags = VM_READ | VM_WRITE | VM_MIXEDMAP },
		{ .start = 15, .end = 16, .flags = VM_READ | VM_PFNMAP },
		{ .start = 16, .end = 17, .flags = VM_WRITE | VM_IO },
		{ .start = 17, .end = 19,
		  .flags = VM_READ | VM_WRITE | VM_DONTCOPY },
	};
	static const unsigned int entry[] = { 3, 4, 9, 10, 14, 15, 16, 18 };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct gup_mm_vma_seen seen;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, m->nr, 19);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		seen = gup_mm_see_vma(m, entry[i]);
		KUNIT_EXPECT_EQ_MSG(test, seen.start, want[i].start, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, seen.end, want[i].end, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, seen.flags, want[i].flags, "%u", i);
	}
}

/* The oracle against literals: how far GUP-fast gets from each page on. */
static void gup_mm_oracle(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A3 B0f", "A0-2 A3:s A4:r . B0 B0:r @ A7",
	};
	static const struct {
		unsigned int flags;
		unsigned int gets[10];
	} want[] = {
		{ .flags = GUP_GET, .gets = { 5, 4, 3, 2, 1, 0, 2, 1, 0, 1 } },
		{ .flags = GUP_GET_W,
		  .gets = { 3, 2, 1, 0, 0, 0, 1, 0, 0, 1 } },
		{ .flags = GUP_PIN, .gets = { 3, 2, 1, 0, 1, 0, 2, 1, 0, 1 } },
		{ .flags = GUP_PIN_W,
		  .gets = { 3, 2, 1, 0, 0, 0, 1, 0, 0, 1 } },
		{ .flags = GUP_PIN_L,
		  .gets = { 3, 2, 1, 0, 1, 0, 1, 0, 0, 1 } },
		{ .flags = GUP_PIN_LW,
		  .gets = { 3, 2, 1, 0, 0, 0, 0, 0, 0, 1 } },
	};
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	unsigned int i, entry, gets;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		for (entry = 0; entry < m->nr; entry++) {
			gets = gup_oracle_mm_walk(m->mm, gup_mm_addr(m, entry),
						  m->nr - entry, want[i].flags);
			KUNIT_EXPECT_EQ_MSG(test, gets, want[i].gets[entry],
					    "flags %#x, entry %u",
					    want[i].flags, entry);
		}
	}
}

static void gup_mm_expect_noticed(struct gup_mm *m, struct gup_mm_ask *ask,
				  const char *what)
{
	struct gup_diff diff = {};

	KUNIT_EXPECT_FALSE(m->test, gup_mm_check(m, ask, &diff));
	KUNIT_EXPECT_STREQ(m->test, diff.what, what);
}

/* Faults of a kernel that must be noticed. */
static void gup_mm_notices_faults(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A2 B0", "A0-3 B" };
	struct gup_mm *m = gup_mm_create_or_skip(test, &layout);
	struct folio *a = page_folio(gup_mm_page(m, 'A', 0));
	struct gup_mm_ask ask = {
		.call = GUP_MM_SLOW, .flags = GUP_PIN_W, .nr = 5,
	};
	struct gup_diff diff = {};

	gup_mm_ask(m, &ask);
	KUNIT_ASSERT_EQ(test, ask.ret, 5);
	KUNIT_EXPECT_TRUE(test, gup_mm_check(m, &ask, &diff));

	folio_get(a);
	gup_mm_expect_noticed(m, &ask, "references of folio number");
	folio_put(a);

	m->nr_seen = 2;
	swap(m->pages[0], m->pages[1]);
	gup_mm_expect_noticed(m, &ask, "page");
	swap(m->pages[0], m->pages[1]);

	m->pages[5] = m->pages[4];
	gup_mm_expect_noticed(m, &ask, "entry behind the pages");
	m->pages[5] = GUP_POISON;

	ask.acquired++;
	gup_mm_expect_noticed(m, &ask, "pins acquired and not released");
	ask.acquired--;

	gup_mm_settle(m, &ask, layout.ptes);
}

static const struct gup_mm_row gup_mm_rows[] = {
	{ .name = "get fast", .layout = { "A4 B2 C0", "A0-15 B0-3 C" },
	  .call = GUP_MM_FAST, .flags = GUP_GET_W, .ret = 21 },
	{ .name = "get fast only", .layout = { "A4 B2 C0", "A0-15 B0-3 C" },
	  .call = GUP_MM_ONLY, .flags = GUP_GET_W, .ret = 21 },
	{ .name = "pin fast", .layout = { "A4 B2 C0", "A0-15 B0-3 C" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .ret = 21 },
	{ .name = "get slow", .layout = { "A4 B2 C0", "A0-15 B0-3 C" },
	  .call = GUP_MM_SLOW, .flags = GUP_GET_W, .ret = 21 },
	{ .name = "pin slow", .layout = { "A4 B2 C0", "A0-15 B0-3 C" },
	  .call = GUP_MM_SLOW, .flags = GUP_PIN_W, .ret = 21 },
	{ .name = "get with the lock held",
	  .layout = { "A4 B2 C0", "A0-15 B0-3 C" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_GET_W, .ret = 21 },
	{ .name = "pin with the lock held",
	  .layout = { "A4 B2 C0", "A0-15 B0-3 C" }, .call = GUP_MM_LOCKED,
	  .flags = GUP_PIN_W, .ret = 21 },
	{ .name = "pin for long", .layout = { "A4 B2 C0", "A0-15 B0-3 C" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_LW, .ret = 21 },
	{ .name = "a part over two tables",
	  .layout = { "A4", "A0-15", .at = PTRS_PER_PTE - 6 },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .first = 2, .nr = 9,
	  .ret = 9 },
	{ .name = "a hole is filled", .layout = { "A4 B0", "A0-3 . A5-7 B" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .ret = 9 },
	{ .name = "shared pages are copied", .layout = { "A2", "A0-1 A2-3:s" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .ret = 4 },
	{ .name = "shared pages are unshared",
	  .layout = { "A2", "A0-1:r A2-3:s" }, .call = GUP_MM_FAST,
	  .flags = GUP_PIN, .ret = 4 },
	{ .name = "a guard ends it", .layout = { "A2", "A0-1 @ A3" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .ret = 2 },
	{ .name = "begin at a guard", .layout = { "A2", "A0-1 @ A3" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .first = 2, .ret = -EFAULT },
	{ .name = "an entry for numa balancing",
	  .layout = { "A2", "A0-1 A2:p A3" }, .call = GUP_MM_ONLY,
	  .flags = GUP_GET, .ret = 2 },
	{ .name = "memory of ksm", .layout = { "A0k", "A:r" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .ret = 1 },
	{ .name = "more than there is", .layout = { "A2", "A0-3" },
	  .call = GUP_MM_FAST, .flags = GUP_PIN_W, .nr = 6, .ret = 4 },
	{ .name = "for long out of the movable zone",
	  .layout = { "A2m B0m", "A0-3 B" }, .call = GUP_MM_FAST,
	  .flags = GUP_PIN_LW, .ret = 5 },
};

GUP_ROWS(gup_mm_rows);

static struct kunit_case gup_mm_cases[] = {
	KUNIT_CASE(gup_mm_maps_pages),
	KUNIT_CASE(gup_mm_counts_mappings),
	KUNIT_CASE(gup_mm_is_taken_down),
	KUNIT_CASE(gup_mm_finds_places),
	KUNIT_CASE(gup_mm_makes_neighbours),
	KUNIT_CASE(gup_mm_makes_vmas),
	KUNIT_CASE(gup_mm_oracle),
	KUNIT_CASE(gup_mm_notices_faults),
	GUP_CASE_ROWS(calls, gup_mm_row_run, gup_mm_rows),
	{}
};

static struct kunit_suite gup_mm_suite = {
	.name = "gup_mm",
	.test_cases = gup_mm_cases,
};

kunit_test_suite(gup_mm_suite);
