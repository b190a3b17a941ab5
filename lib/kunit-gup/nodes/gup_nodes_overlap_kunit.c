// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_nodes_overlap: the two arrays of move_pages() in one buffer, where they
 * overlap.
 *
 * 7.3 reads 16 addresses, writes 16 answers, and stops at the first fault. User
 * space can see which addresses are overwritten before they are read. A model
 * of that works on a copy of the buffer, and the result must be the same. One
 * page of the buffer may be a hole, or read-only.
 *
 * One thing differs from 7.3: up to 512 addresses are read before answers
 * overwrite them.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "fixture/gup_mm_fill.h"
#include "oracle/gup_oracle_nodes.h"
#include "walk/gup_nodes.h"

#define GUP_OVERLAP_CHUNK	16
#define GUP_OVERLAP_MAX		1025
#define GUP_OVERLAP_NEAR	SZ_4K
#define GUP_OVERLAP_FRONT	(4 * SZ_4K)
#define GUP_OVERLAP_BEHIND	(5 * SZ_4K)

/**
 * enum gup_overlap_kind - what is special about one page of the buffer
 * @GUP_OVERLAP_PLAIN:     nothing
 * @GUP_OVERLAP_HOLE:      nothing is mapped there
 * @GUP_OVERLAP_READ_ONLY: it cannot be written
 */
enum gup_overlap_kind {
	GUP_OVERLAP_PLAIN,
	GUP_OVERLAP_HOLE,
	GUP_OVERLAP_READ_ONLY,
};

static const char * const gup_overlap_kinds[] = { "nothing", "hole", "read-only" };

/**
 * struct gup_overlap - a buffer, and what should be in it; places are offsets
 * @q:       the addresses and the answer to each; the first are those of all pages
 * @user:    the buffer in user space
 * @size:    its size in bytes
 * @page:    the special page
 * @kind:    what is special about it
 * @model:   what should be in the buffer
 * @got:     what is in it
 * @unknown: from here to the special page, anything may have been written: how much
 *           of a copy is done before a fault depends on the size of the stores
 */
struct gup_overlap {
	struct gup_nodes *q;
	unsigned long user;
	size_t size;
	size_t page;
	enum gup_overlap_kind kind;
	u8 *model;
	u8 *got;
	size_t unknown;
};

static struct gup_overlap *gup_overlap_create(struct kunit *test)
{
	static const struct gup_mm_layout layout = {
		"A4 B0", "A0-15 . B", .at = PTRS_PER_PTE - 7,
	};
	struct gup_overlap *o = gup_zalloc(test, 1, sizeof(*o));
	unsigned int i;

	gup_skip_if(test, gup_nodes_lacks(""));
	o->q = gup_nodes_create(gup_mm_create(test, &layout), GUP_OVERLAP_MAX);
	for (i = 0; i < GUP_OVERLAP_MAX; i++)
		gup_nodes_add(o->q, gup_mm_addr(o->q->m, i % o->q->m->nr));
	o->page = round_up(GUP_OVERLAP_FRONT, PAGE_SIZE);
	o->size = o->page + PAGE_SIZE + round_up(GUP_OVERLAP_BEHIND, PAGE_SIZE);
	o->model = gup_zalloc(test, 1, o->size);
	o->got = gup_zalloc(test, 1, o->size);

	return o;
}

/* Map a buffer for the next calls. */
static void gup_overlap_map(struct gup_overlap *o, enum gup_overlap_kind kind)
{
	struct kunit *test = o->q->m->test;

	o->kind = kind;
	o->user = gup_mm_map(test, o->size / PAGE_SIZE, 0, NULL,
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS);
	if (kind == GUP_OVERLAP_HOLE)
		KUNIT_ASSERT_EQ(test, vm_munmap(o->user + o->page, PAGE_SIZE),
				0);
}

/* Copy the buffer, except for a hole. */
static void gup_overlap_copy(struct gup_overlap *o, bool to_user)
{
	const size_t second = o->page +
		(o->kind == GUP_OVERLAP_HOLE ? PAGE_SIZE : 0);
	const size_t at[] = { 0, second }, len[] = { o->page, o->size - second };
	unsigned long left = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		void __user *user = (void __user *)(o->user + at[i]);

		if (to_user)
			left += copy_to_user(user, o->model + at[i], len[i]);
		else
			left += copy_from_user(o->got + at[i], user, len[i]);
	}
	KUNIT_ASSERT_EQ(o->q->m->test, left, 0);
}

static void gup_overlap_protect(struct gup_overlap *o, unsigned long prot)
{
	if (o->kind != GUP_OVERLAP_READ_ONLY)
		return;
	KUNIT_ASSERT_EQ(o->q->m->test, gup_kunit_mm.mprotect(o->user + o->page,
							     PAGE_SIZE, prot), 0);
}

static void gup_overlap_fill(struct gup_overlap *o, size_t pages)
{
	memset(o->model, 0x5a, o->size);
	memcpy(o->model + pages, o->q->addr, o->q->nr * sizeof(*o->q->addr));
	o->unknown = o->page;
}

static bool gup_overlap_meets(struct gup_overlap *o, size_t at, size_t len)
{
	return o->kind != GUP_OVERLAP_PLAIN && at < o->page + PAGE_SIZE &&
	       at + len > o->page;
}

static int gup_overlap_answer(struct gup_nodes *q, unsigned long addr)
{
	const unsigned long page = (addr - q->m->addr) / PAGE_SIZE;

	return page < q->m->nr ? q->want[page] :
				 gup_oracle_node(q->m->mm, addr);
}

/* What 7.3 does, with its chunks of 16. */
static int gup_overlap_model(struct gup_overlap *o, size_t pages, size_t status)
{
	unsigned long addr[GUP_OVERLAP_CHUNK];
	int answer[GUP_OVERLAP_CHUNK];
	unsigned int done, nr, i;
	size_t from, to;

	for (done = 0; done < o->q->nr; done += nr) {
		nr = min(o->q->nr - done, GUP_OVERLAP_CHUNK);
		from = pages + done * sizeof(*addr);
		to = status + done * sizeof(*answer);
		if (o->kind == GUP_OVERLAP_HOLE &&
		    gup_overlap_meets(o, from, nr * sizeof(*addr)))
			return -EFAULT;
		memcpy(addr, o->model + from, nr * sizeof(*addr));
		for (i = 0; i < nr; i++)
			answer[i] = gup_overlap_answer(o->q, addr[i]);
		if (gup_overlap_meets(o, to, nr * sizeof(*answer))) {
			o->unknown = min(to, o->page);
			return -EFAULT;
		}
		memcpy(o->model + to, answer, nr * sizeof(*answer));
	}

	return 0;
}

static int gup_overlap_call(struct gup_overlap *o, size_t pages, size_t status)
{
	const struct gup_nodes_users users = { o->user + pages, o->user + status };
	int ret;

	gup_overlap_copy(o, true);
	gup_overlap_protect(o, PROT_READ);
	ret = gup_nodes_call(o->q, &users);
	gup_overlap_copy(o, false);
	gup_overlap_protect(o, PROT_READ | PROT_WRITE);

	return ret;
}

static bool gup_overlap_matches(struct gup_overlap *o, struct gup_diff *diff)
{
	size_t i;

	for (i = 0; i < o->size && !diff->what; i++) {
		if (i == o->unknown)
			i = o->page;
		if (i == o->page && o->kind == GUP_OVERLAP_HOLE)
			i += PAGE_SIZE;
		gup_differs(diff, "byte of the buffer", i, o->got[i], o->model[i]);
	}

	return !diff->what;
}

/**
 * struct gup_overlap_row - where the statuses are
 * @name:   as text
 * @status: they begin so many bytes behind the addresses
 * @after:  they begin where the addresses end
 */
struct gup_overlap_row {
	const char *name;
	long status;
	bool after;
};

/* Answers overwrite addresses that have been read, or none. */
static const struct gup_overlap_row gup_overlap_rows[] = {
	{ .name = "same place", .status = 0 },
	{ .name = "8 in front", .status = -8 },
	{ .name = "64 in front", .status = -64 },
	{ .name = "2048 in front", .status = -2048 },
	{ .name = "4096 in front", .status = -4096 },
	{ .name = "after the last", .after = true },
};

/* The same, if an address is larger than an answer. */
static const struct gup_overlap_row gup_overlap_near_rows[] = {
	{ .name = "8 behind", .status = 8 },
	{ .name = "64 behind", .status = 64 },
};

/* Answers overwrite addresses that 7.3 has not read yet. */
static const struct gup_overlap_row gup_overlap_ahead_rows[] = {
	{ .name = "72 behind", .status = 72 },
	{ .name = "128 behind", .status = 128 },
	{ .name = "1024 behind", .status = 1024 },
	{ .name = "2048 behind", .status = 2048 },
};

/* Where the addresses begin, and how many there are. */
static const size_t gup_overlap_offsets[] = { 0, 8, 0x10, 0x800, 0x810, 0xc00 };
static const unsigned int gup_overlap_counts[] = { 16, 17, 511, 512, 513, 1025 };

static bool gup_overlap_try(struct gup_overlap *o,
			    const struct gup_overlap_row *row, size_t pages)
{
	const size_t status = pages + (row->after ?
		o->q->nr * sizeof(*o->q->addr) : row->status);
	struct gup_diff diff = {};
	int ret, want;

	gup_overlap_fill(o, pages);
	ret = gup_overlap_call(o, pages, status);
	want = gup_overlap_model(o, pages, status);
	gup_differs(&diff, "result", 0, ret, want);
	if (!diff.what && gup_overlap_matches(o, &diff))
		return true;
	gup_expect_no_diff(o->q->m->test, &diff, gup_overlap_kinds[o->kind]);
	kunit_info(o->q->m->test, "%u addresses at %zu, statuses at %zu, page at %zu",
		   o->q->nr, pages, status, o->page);

	return false;
}

/* The addresses begin up to 12 kB in front of the special page, or in it. */
static bool gup_overlap_try_all(struct gup_overlap *o,
				const struct gup_overlap_row *row)
{
	unsigned int i, k, near;

	for (i = 0; i < ARRAY_SIZE(gup_overlap_counts); i++) {
		o->q->nr = gup_overlap_counts[i];
		for (k = 0; k < ARRAY_SIZE(gup_overlap_offsets) * 4; k++) {
			near = k % 4 * GUP_OVERLAP_NEAR;
			if (!gup_overlap_try(o, row, o->page - near +
					     gup_overlap_offsets[k / 4]))
				return false;
		}
	}

	return true;
}

static void as_7_3(struct kunit *test)
{
	const struct gup_overlap_row *row = test->param_value;
	struct gup_overlap *o = gup_overlap_create(test);
	enum gup_overlap_kind kind;

	if (row->status > 0 && sizeof(long) == sizeof(int))
		kunit_skip(test, "addresses have the size of answers");
	for (kind = GUP_OVERLAP_PLAIN; kind <= GUP_OVERLAP_READ_ONLY; kind++) {
		gup_overlap_map(o, kind);
		if (!gup_overlap_try_all(o, row))
			return;
	}
}

/* 512 addresses, or more if they have 8 bytes, are read in time. */
static void read_before_they_are_lost(struct kunit *test)
{
	const struct gup_overlap_row *row = test->param_value;
	struct gup_overlap *o = gup_overlap_create(test);
	const unsigned int max = sizeof(long) == sizeof(int) ? 512 : UINT_MAX;
	size_t pages, status;
	struct gup_diff diff = {};
	unsigned int i;

	gup_overlap_map(o, GUP_OVERLAP_PLAIN);
	for (i = 0; i < ARRAY_SIZE(gup_overlap_counts) && !diff.what; i++) {
		o->q->nr = min(gup_overlap_counts[i], max);
		pages = o->page + gup_overlap_offsets[i];
		status = pages + row->status * sizeof(long) / 8;
		gup_overlap_fill(o, pages);
		gup_differs(&diff, "result", 0,
			    gup_overlap_call(o, pages, status), 0);
		gup_nodes_fetch(o->q, o->user + status, o->q->nr);
		gup_nodes_matches(o->q, 0, o->q->nr, &diff);
	}
	gup_expect_no_diff(test, &diff, row->name);
}

/**
 * struct gup_overlap_literal - a result of 7.3 on x86_64
 * @name:   as text
 * @kind:   what is special about the page that begins 4 kB behind @pages
 * @nr:     the number of addresses
 * @pages:  where they begin
 * @status: the statuses begin so many bytes behind
 * @ret:    the result
 * @right:  how many answers are those to the addresses asked for
 * @model:  the answers of the model are counted, not those of the call
 */
struct gup_overlap_literal {
	const char *name;
	enum gup_overlap_kind kind;
	unsigned int nr;
	size_t pages;
	size_t status;
	int ret;
	unsigned int right;
	bool model;
};

static const struct gup_overlap_literal gup_overlap_literals[] = {
	{ .name = "600 at 0x810 meet a page to read only",
	  .kind = GUP_OVERLAP_READ_ONLY, .nr = 600, .pages = 0x810,
	  .ret = -EFAULT, .right = 496 },
	{ .name = "300 at 0xc00 meet a page to read only",
	  .kind = GUP_OVERLAP_READ_ONLY, .nr = 300, .pages = 0xc00,
	  .ret = -EFAULT, .right = 256 },
	{ .name = "model of 600 at 0x810", .kind = GUP_OVERLAP_READ_ONLY,
	  .model = true, .nr = 600, .pages = 0x810, .ret = -EFAULT,
	  .right = 496 },
	{ .name = "model of 300 at 0xc00", .kind = GUP_OVERLAP_READ_ONLY,
	  .model = true, .nr = 300, .pages = 0xc00, .ret = -EFAULT,
	  .right = 256 },
	{ .name = "model of 64 behind", .nr = 600, .status = 64, .right = 600,
	  .model = true },
	{ .name = "model of 128 behind", .nr = 600, .status = 128, .right = 592,
	  .model = true },
	{ .name = "model of 2048 behind", .nr = 600, .status = 2048,
	  .right = 352, .model = true },
};

static void literals(struct kunit *test)
{
	const struct gup_overlap_literal *row = test->param_value;
	struct gup_overlap *o = gup_overlap_create(test);
	const size_t pages = o->page - GUP_OVERLAP_NEAR + row->pages;
	const size_t status = pages + row->status;
	unsigned int i, right = 0;
	int ret, found;

	if (row->model && row->status && sizeof(long) == sizeof(int))
		kunit_skip(test, "addresses have the size of answers");
	gup_overlap_map(o, row->kind);
	o->q->nr = row->nr;
	gup_overlap_fill(o, pages);
	if (row->model)
		ret = gup_overlap_model(o, pages, status);
	else
		ret = gup_overlap_call(o, pages, status);
	KUNIT_EXPECT_EQ(test, ret, row->ret);
	/* Not those of the chunk that meets the special page. */
	for (i = 0; i < (row->ret ? row->right : row->nr); i++) {
		found = *(int *)((row->model ? o->model : o->got) + status +
				 i * sizeof(found));
		right += found == o->q->want[i];
	}
	KUNIT_EXPECT_EQ(test, right, row->right);
}

GUP_ROWS(gup_overlap_rows);
GUP_ROWS(gup_overlap_near_rows);
GUP_ROWS(gup_overlap_ahead_rows);
GUP_ROWS(gup_overlap_literals);

static struct kunit_case gup_nodes_overlap_cases[] = {
	GUP_CASE_ROWS(literals, literals, gup_overlap_literals),
	GUP_CASE_ROWS(as_7_3, as_7_3, gup_overlap_rows),
	GUP_CASE_ROWS(near, as_7_3, gup_overlap_near_rows),
	GUP_CASE_ROWS(ahead, read_before_they_are_lost, gup_overlap_ahead_rows),
	{}
};

static struct kunit_suite gup_nodes_overlap_suite = {
	.name = "gup_nodes_overlap",
	.test_cases = gup_nodes_overlap_cases,
};

kunit_test_suite(gup_nodes_overlap_suite);
