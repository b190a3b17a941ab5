// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_fast: what GUP-fast makes of a page table that does not change.
 *
 * Each row is a layout, a request, and the number of pages that it gets. The
 * oracle has to say the same number. Then pages, references, pins, referenced
 * bits and statistics are compared with the oracle for every folio, before and
 * after the pages are put.
 *
 * To add a row: a name, a layout (see gup_layout.h), the flags, .gets. A row
 * asks for all entries, unless it has .first and .nr.
 */
#include "walk/gup_fast.h"
#include "walk/gup_race.h"

/* Where a batch ends: the request, the folio, the table, an entry. */
static const struct gup_fast_row gup_fast_end_rows[] = {
	{ .name = "order 0", .layout = { "A0", "A0" },
	  .flags = GUP_GET_W, .gets = 1 },
	{ .name = "order 0 pin", .layout = { "A0", "A0" },
	  .flags = GUP_PIN_W, .gets = 1 },
	{ .name = "order 1 get", .layout = { "A1", "A0-1" },
	  .flags = GUP_GET_W, .gets = 2 },
	{ .name = "order 1 pin", .layout = { "A1", "A0-1" },
	  .flags = GUP_PIN_W, .gets = 2 },
	{ .name = "order 1 pin on page cache", .layout = { "A1h", "A0-1" },
	  .flags = GUP_PIN_W, .gets = 2 },
	{ .name = "order 2", .layout = { "A2", "A0-3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "request ends inside the folio", .layout = { "A4", "A0-15" },
	  .flags = GUP_PIN_W, .nr = 7, .gets = 7 },
	{ .name = "request ends with the folio",
	  .layout = { "A4 B0", "A0-15 B0" }, .flags = GUP_PIN_W, .nr = 16,
	  .gets = 16 },
	{ .name = "request ends behind the folio",
	  .layout = { "A4 B0", "A0-15 B0" }, .flags = GUP_PIN_W, .gets = 17 },
	{ .name = "request of one page inside the folio",
	  .layout = { "A4", "A0-15" }, .flags = GUP_GET_W, .first = 5, .nr = 1,
	  .gets = 1 },
	{ .name = "starts on a tail page", .layout = { "A3", "A5-7" },
	  .flags = GUP_PIN_W, .gets = 3 },
	{ .name = "starts on the last page", .layout = { "A3 B3", "A7 B0-7" },
	  .flags = GUP_GET_W, .gets = 9 },
	{ .name = "last entries of the table",
	  .layout = { "A4", "A0-5", .at = -1 }, .flags = GUP_PIN_W, .gets = 6 },
	{ .name = "neighbours in memory are two folios",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .flags = GUP_GET_W, .gets = 8 },
	{ .name = "neighbours in memory pinned",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .flags = GUP_PIN_W, .gets = 8 },
	{ .name = "neighbours in memory from the middle",
	  .layout = { "A2 B2+", "A2-3 B0-1" }, .flags = GUP_GET_W, .gets = 4 },
	{ .name = "small neighbours in memory do not merge",
	  .layout = { "A0 B0+ C0+ D0+", "A0 B0 C0 D0" }, .flags = GUP_PIN_W,
	  .gets = 4 },
	{ .name = "same page twice", .layout = { "A2", "A0 A1 A1 A2" },
	  .flags = GUP_GET_W, .gets = 4 },
	{ .name = "same page in all entries", .layout = { "A2", "A2 A2 A2 A2" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "descending pages", .layout = { "A2", "A3-0" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "scrambled pages", .layout = { "A2", "A3 A1 A1 A0" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "one page left out", .layout = { "A3", "A0-2 A4-7" },
	  .flags = GUP_PIN_W, .gets = 7 },
	{ .name = "two folios in turn", .layout = { "A2 B2", "A0 B1 A2 B3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "a copied page in the middle",
	  .layout = { "A3 B0", "A0-2 B0 A4-7" }, .flags = GUP_PIN_W,
	  .gets = 8 },
	{ .name = "the folio again after another one",
	  .layout = { "A2 B0", "A0-3 B0 A0-3" }, .flags = GUP_PIN_W,
	  .gets = 9 },
	{ .name = "hole in the middle", .layout = { "A2", "A0-1 . A3" },
	  .flags = GUP_PIN_W, .gets = 2, .stop = GUP_NONE },
	{ .name = "hole behind the folio", .layout = { "A2", "A0-3 .12" },
	  .flags = GUP_GET_W, .gets = 4, .stop = GUP_NONE },
	{ .name = "hole at the start", .layout = { "A2", ". A1-3" },
	  .flags = GUP_GET_W, .gets = 0, .stop = GUP_NONE },
	{ .name = "swap entry in the middle", .layout = { "A2", "A0-1 @ A3" },
	  .flags = GUP_PIN_W, .gets = 2, .stop = GUP_NONE },
	{ .name = "prot_none in the middle", .layout = { "A2", "A0-1 A2:p A3" },
	  .flags = GUP_GET, .gets = 2, .stop = GUP_NONE },
	{ .name = "prot_none at the start", .layout = { "A2", "A0:p A1-3" },
	  .flags = GUP_GET, .gets = 0, .stop = GUP_NONE },
	{ .name = "special in the middle", .layout = { "A2", "A0-1 A2:x A3" },
	  .flags = GUP_GET_W, .gets = 2, .stop = GUP_SPECIAL },
	{ .name = "contiguous block", .layout = { "A5 B0", "A0-31:b B0" },
	  .flags = GUP_PIN_W, .gets = 33 },
	{ .name = "request ends inside a contiguous block",
	  .layout = { "A5", "A0-31:b" }, .flags = GUP_PIN_W, .nr = 7,
	  .gets = 7 },
	{ .name = "request inside a contiguous block",
	  .layout = { "A5", "A0-31:b" }, .flags = GUP_GET_W, .first = 5,
	  .nr = 3, .gets = 3 },
	{ .name = "request behind the start of a contiguous block",
	  .layout = { "A5 B0", "A0-31:b B0" }, .flags = GUP_PIN_W, .first = 5,
	  .gets = 28 },
	{ .name = "contiguous block and a neighbour",
	  .layout = { "A5 B5+", "A0-31:b B0-31:b" }, .flags = GUP_PIN_W,
	  .gets = 64 },
	{ .name = "contiguous block before single entries",
	  .layout = { "A6", "A0-31:b A32-40" }, .flags = GUP_PIN_W,
	  .gets = 41 },
	{ .name = "special at the start", .layout = { "A2", "A0:x A1-3" },
	  .flags = GUP_PIN_W, .gets = 0, .stop = GUP_SPECIAL },
};

GUP_ROWS(gup_fast_end_rows);

/* Which bits of an entry end a batch, and which do not. */
static const struct gup_fast_row gup_fast_bits_rows[] = {
	{ .name = "read_only half get to write",
	  .layout = { "A4", "A0-7 A8-15:s" }, .flags = GUP_GET_W, .gets = 8,
	  .stop = GUP_NONE },
	{ .name = "read_only half pin to write",
	  .layout = { "A4", "A0-7 A8-15:s" }, .flags = GUP_PIN_W, .gets = 8,
	  .stop = GUP_NONE },
	{ .name = "read_only half from its start",
	  .layout = { "A4", "A0-7 A8-15:s" }, .flags = GUP_GET_W, .first = 8,
	  .gets = 0, .stop = GUP_NONE },
	{ .name = "read_only half get to read",
	  .layout = { "A4", "A0-7 A8-15:s" }, .flags = GUP_GET, .gets = 16 },
	{ .name = "read_only half pin to read",
	  .layout = { "A4", "A0-7 A8-15:r" }, .flags = GUP_PIN, .gets = 16 },
	{ .name = "writable half behind a read_only one",
	  .layout = { "A4", "A0-7:r A8-15" }, .flags = GUP_PIN, .gets = 16 },
	{ .name = "read_only page in the middle",
	  .layout = { "A2", "A0 A1:r A2-3" }, .flags = GUP_GET_W, .gets = 1,
	  .stop = GUP_NONE },
	{ .name = "read_only page in the middle read",
	  .layout = { "A2", "A0 A1:r A2-3" }, .flags = GUP_PIN, .gets = 4 },
	{ .name = "old first entry", .layout = { "A2", "A0:o A1-3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "old entry in the middle", .layout = { "A2", "A0-1 A2:o A3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "clean first entry", .layout = { "A2", "A0:c A1-3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "clean entry in the middle",
	  .layout = { "A2", "A0-1 A2:c A3" }, .flags = GUP_GET_W, .gets = 4 },
	{ .name = "soft_dirty first entry", .layout = { "A2", "A0:d A1-3" },
	  .flags = GUP_PIN_W, .gets = 4 },
	{ .name = "soft_dirty entry in the middle",
	  .layout = { "A2", "A0-1 A2:d A3" }, .flags = GUP_GET_W, .gets = 4 },
	{ .name = "young clean and soft_dirty all mixed",
	  .layout = { "A3", "A0:oc A1:d A2:ocd A3 A4:c A5:o A6:od A7:cd" },
	  .flags = GUP_PIN_W, .gets = 8 },
};

GUP_ROWS(gup_fast_bits_rows);

/**
 * struct gup_length - a request inside a folio
 * @order: order of the folio
 * @first: its first page that is mapped
 * @nr:    number of pages asked for
 */
struct gup_length {
	unsigned int order;
	unsigned int first;
	unsigned int nr;
};

/* From the first, a middle and the last page; up to the end, past it, or less. */
static const struct gup_length gup_lengths[] = {
	{ .nr = 1 },
	{ .nr = 2 },
	{ .order = 1, .nr = 1 },
	{ .order = 1, .nr = 2 },
	{ .order = 1, .nr = 3 },
	{ .order = 1, .first = 1, .nr = 1 },
	{ .order = 1, .first = 1, .nr = 2 },
	{ .order = 2, .nr = 3 },
	{ .order = 2, .nr = 4 },
	{ .order = 2, .nr = 5 },
	{ .order = 2, .first = 1, .nr = 3 },
	{ .order = 2, .first = 2, .nr = 1 },
	{ .order = 2, .first = 3, .nr = 1 },
	{ .order = 2, .first = 3, .nr = 2 },
	{ .order = 4, .nr = 15 },
	{ .order = 4, .nr = 16 },
	{ .order = 4, .nr = 17 },
	{ .order = 4, .first = 7, .nr = 8 },
	{ .order = 4, .first = 7, .nr = 9 },
	{ .order = 4, .first = 7, .nr = 10 },
	{ .order = 4, .first = 15, .nr = 1 },
	{ .order = 4, .first = 15, .nr = 2 },
	{ .order = 7, .nr = 127 },
	{ .order = 7, .nr = 128 },
	{ .order = 7, .first = 64, .nr = 64 },
	{ .order = 7, .first = 127, .nr = 1 },
	{ .order = 9, .nr = 255 },
	{ .order = 9, .nr = 256 },
	{ .order = 9, .first = 255, .nr = 255 },
	{ .order = 9, .first = 511, .nr = 1 },
	{ .order = 9, .nr = 511 },
	{ .order = 9, .nr = 512 },
	{ .order = 9, .first = 256, .nr = 256 },
};

static void gup_lengths_desc(struct kunit *test, const void *row, char *desc)
{
	const struct gup_length *len = row;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u page %u nr %u",
		 len->order, len->first, len->nr);
}

static int gup_lengths_init(struct kunit *test)
{
	kunit_register_params_array(test, gup_lengths, ARRAY_SIZE(gup_lengths),
				    gup_lengths_desc);

	return 0;
}

/* Map the pages of A from @len->first on, and then that of B. */
static void gup_fast_length(struct kunit *test)
{
	static const unsigned int flags[] = { GUP_GET, GUP_GET_W, GUP_PIN, GUP_PIN_W };
	const struct gup_length *len = test->param_value;
	char folios[16];
	const struct gup_layout layout = { folios, NULL };
	struct gup_fixture *fx;
	unsigned int i, left;

	if (len->nr > PTRS_PER_PTE)
		kunit_skip(test, "a page table has only %u entries",
			   (unsigned int)PTRS_PER_PTE);

	snprintf(folios, sizeof(folios), "A%u B0", len->order);
	fx = gup_fixture_create(test, &layout);
	left = (1U << len->order) - len->first;
	for (i = 0; i < len->nr; i++)
		gup_fixture_map(fx, i, i < left ?
				gup_fixture_page(fx, 'A', len->first + i) :
				gup_fixture_page(fx, 'B', 0), 0);

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct gup_walk walk = {
			.walker = &gup_fast, .nr = len->nr, .flags = flags[i],
		};

		gup_walk_expect_oracle(fx, &walk, folios);
		KUNIT_EXPECT_EQ(test, walk.pinned, len->nr);
	}
}

/* If the pmd leads to another table by now, nothing is taken. */
static void gup_fast_other_pmd(struct kunit *test)
{
	static const unsigned int flags[] = { GUP_GET_W, GUP_PIN_W };
	const struct gup_layout layout = { "A4 B0", "B0 A0-15" };
	struct gup_fixture *fx = gup_fixture_create(test, &layout);
	unsigned int i;

	fx->slot = __pmd(0);
	for (i = 0; i < 2 * ARRAY_SIZE(flags); i++) {
		struct gup_walk walk = {
			.walker = &gup_fast,
			.first = i % 2, .nr = 16, .flags = flags[i / 2],
		};

		gup_walk_expect_oracle(fx, &walk, layout.ptes);
		KUNIT_EXPECT_EQ(test, walk.pinned, 0);
	}
}

static struct kunit_case gup_fast_cases[] = {
	GUP_CASE_ROWS(batch_length, gup_fast_length, gup_lengths),
	GUP_CASE_ROWS(batch_ends, gup_fast_row_run, gup_fast_end_rows),
	GUP_CASE_ROWS(entry_bits, gup_fast_row_run, gup_fast_bits_rows),
	KUNIT_CASE(gup_fast_other_pmd),
	{}
};

static struct kunit_suite gup_fast_suite = {
	.name = "gup_fast",
	.test_cases = gup_fast_cases,
};

kunit_test_suite(gup_fast_suite);
