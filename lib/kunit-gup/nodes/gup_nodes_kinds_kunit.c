// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_nodes_kinds: what move_pages() says about pages of all kinds, and about
 * entries without a page.
 *
 * A folio on another node or of a device is an ordinary one, with other flags
 * during the query. An entry without a page takes the place of one with a page.
 */
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "fixture/gup_layout_check.h"
#include "fixture/gup_mm_fill.h"
#include "walk/gup_nodes.h"

static const struct gup_nodes_row gup_nodes_kinds[] = {
	{ .name = "single folios between large ones",
	  .layout = { "A2 B0 C3 D0", "A0-3 B C0-7 D" }, .ask = "P0-13",
	  .want = "14n" },
	{ .name = "neighbours in memory", .layout = { "A2 B2+", "A0-3 B0-3" },
	  .ask = "P0-7", .want = "8n" },
	{ .name = "neighbour in memory on another node",
	  .layout = { "A2 B2+", "A0-3 B0-3" }, .ask = "P0-7", .want = "4n 4o",
	  .other = 'B' },
	{ .name = "other node in the middle",
	  .layout = { "A2 B0 C2", "A0-1 B A3 C0-3" }, .ask = "P0-7 P2 P0",
	  .want = "2n o 5n o n", .other = 'B' },
	{ .name = "nodes in turn", .layout = { "A2 B2", "A0 B1 A2 B3 B0 A1" },
	  .ask = "P0-5 P5-0", .want = "o n o 2n 2o 2n o n o", .other = 'A' },
	{ .name = "other node behind the last page of a folio",
	  .layout = { "A3 B3+ C0+", "A0 .4 A5-7 B0-7 C" },
	  .ask = "P5-16 P0 P16-5 P7 P8 P7", .want = "3n 8o 3n 8o 4n o n",
	  .other = 'B' },
	{ .name = "page of a folio in the place of another",
	  .layout = { "A2 B2", "A0-1 B2 A3 B0-1 . B3" }, .ask = "P0-7",
	  .want = "2n o n 2o e o", .other = 'B' },
	{ .name = "bits that differ",
	  .layout = { "A3", "A0 A1:o A2:c A3:r A4:oc A5:d A6 A7:r" },
	  .ask = "P0-7", .want = "8n" },
	{ .name = "shared pages", .layout = { "A3 B0", "A0-3:s A4-7 B:s B:s" },
	  .ask = "P0-9", .want = "10n" },
	{ .name = "file pages", .layout = { "A3f B0f", "A0-7 B A2-3" },
	  .ask = "P0-10", .want = "11n" },
	{ .name = "shmem pages", .layout = { "A2h", "A0-1 . A3" },
	  .ask = "P0-3", .want = "2n e n" },
	{ .name = "no mapping", .layout = { "A2u", "A0-3" }, .ask = "P0-3",
	  .want = "4n" },
	{ .name = "zero pages", .layout = { "A2", "A0-1 Z2 A2-3 Z" },
	  .ask = "P0-6 P2 P2 P0", .want = "2n 2f 2n f 2f n" },
	{ .name = "begin at a zero page", .layout = { "A2", "Z3 A0-3" },
	  .ask = "P0-6", .want = "3f 4n" },
	{ .name = "guards", .layout = { "A2", "@ A0-1 @2 A2" }, .ask = "P0-5",
	  .want = "e 2n 2e n" },
	{ .name = "prot_none", .layout = { "A3", "A0-7", "2rw 3 3rw" },
	  .ask = "P0-7", .want = "8n" },
	{ .name = "prot_none and nothing there",
	  .layout = { "A2", "A0-1 .2", "1rw 3" }, .ask = "P0-3",
	  .want = "2n 2e" },
	{ .name = "entries for numa balancing",
	  .layout = { "A3", "A0-1 A2-5:p A6-7" }, .ask = "P0-7 P4-2",
	  .want = "11n" },
	{ .name = "all for numa balancing", .layout = { "A3 B0", "A0-7:p B:p" },
	  .ask = "P0-8", .want = "9n" },
	{ .name = "special in a mixed mapping",
	  .layout = { "A3u", "A0-1 A2:x A3-4 A5-6:x A7", "8rwm" },
	  .ask = "P0-7 P2 P2", .want = "2n e 2n 2e n 2e" },
	{ .name = "all special in a pfn mapping",
	  .layout = { "A3u", "A0-7:x", "8rwp" }, .ask = "P0-7", .want = "8e" },
	{ .name = "copied page in a pfn mapping",
	  .layout = { "A2u B0", "A0-1:x B A3:x", "4rwp" }, .ask = "P0-3 P2",
	  .want = "2e n e n" },
	{ .name = "pfn mapping behind a hole",
	  .layout = { "A2u B0", "B .2 A0-1:x", "1rw 1g 1r 2rwp" },
	  .ask = "P0 P4 P1 P3 P2", .want = "n e f 2e" },
	{ .name = "swap entry", .layout = { "A3", "A0-7" }, .ask = "P0-7 P3 P3",
	  .want = "3n e 4n 2e", .entry = GUP_NODES_SWAP, .at = 3 },
	{ .name = "swap entry first", .layout = { "A3", "A0-7" }, .ask = "P0-7",
	  .want = "e 7n", .entry = GUP_NODES_SWAP },
	{ .name = "migration entry", .layout = { "A3", "A0-7" },
	  .ask = "P0-7 P7-0", .want = "3n e 8n e 3n",
	  .entry = GUP_NODES_MIGRATION, .at = 3 },
	{ .name = "device private entry", .layout = { "A3", "A0-7" },
	  .ask = "P0-7", .want = "4n e 3n", .entry = GUP_NODES_DEVICE,
	  .at = 4 },
	{ .name = "hwpoison entry", .layout = { "A0 B0 C0", "A B C" },
	  .ask = "P0-2", .want = "n e n", .entry = GUP_NODES_POISONED,
	  .at = 1 },
	{ .name = "marker of userfaultfd", .layout = { "A3", "A0-7" },
	  .ask = "P0-7 P2 P2", .want = "2n e 5n 2e", .entry = GUP_NODES_UFFD,
	  .at = 2 },
	{ .name = "marker of userfaultfd for an error",
	  .layout = { "A3", "A0-7" }, .ask = "P7-0", .want = "n e 6n",
	  .entry = GUP_NODES_UFFD_POISON, .at = 6 },
	{ .name = "single page of a device",
	  .layout = { "A0f B2", "B0-1 A B3" }, .ask = "P0-3 P2",
	  .want = "2n e n e", .device = 'A' },
	{ .name = "large folio of a device",
	  .layout = { "A2f B2", "B0-1 A0-3 B3" }, .ask = "P0-6",
	  .want = "2n 4e n", .device = 'A' },
	{ .name = "folio of a device first",
	  .layout = { "A2f B2", "A0-3 B0-3" }, .ask = "P0-7", .want = "4e 4n",
	  .device = 'A' },
};

/**
 * struct gup_nodes_undo - what a folio or an entry was before
 * @m:    the address space
 * @gf:   the folio
 * @node: its node
 * @zone: its zone
 * @addr: the address of the entry
 * @pte:  the entry
 */
struct gup_nodes_undo {
	struct gup_mm *m;
	struct gup_folio *gf;
	int node;
	enum zone_type zone;
	unsigned long addr;
	pte_t pte;
};

/* Only the flags of its pages say where a folio is. */
static void gup_nodes_place(struct gup_folio *gf, enum zone_type zone, int node)
{
	unsigned int i;

	for (i = 0; i < 1U << gf->order; i++) {
		set_page_zone(gf->page + i, zone);
		set_page_node(gf->page + i, node);
	}
}

static void gup_nodes_put_back(void *data)
{
	struct gup_nodes_undo *undo = data;

	if (undo->gf)
		gup_nodes_place(undo->gf, undo->zone, undo->node);
	else
		gup_kunit_mm.exchange(undo->m->mm, undo->addr, undo->pte);
}

static struct gup_nodes_undo *gup_nodes_undo(struct gup_mm *m)
{
	struct gup_nodes_undo *undo = gup_zalloc(m->test, 1, sizeof(*undo));

	undo->m = m;

	return undo;
}

static void gup_nodes_undo_later(struct gup_nodes_undo *undo)
{
	struct kunit *test = undo->m->test;

	gup_undo_later(test, gup_nodes_put_back, undo);
}

static void gup_nodes_move(struct gup_mm *m, char letter, bool device)
{
	struct gup_nodes_undo *undo = gup_nodes_undo(m);

	undo->gf = &m->folio[letter - 'A'];
	undo->zone = page_zonenum(undo->gf->page);
	undo->node = page_to_nid(undo->gf->page);
#ifdef CONFIG_ZONE_DEVICE
	if (device)
		gup_nodes_place(undo->gf, ZONE_DEVICE, undo->node);
	else
#endif
		gup_nodes_place(undo->gf, undo->zone, 1 - undo->node);
	gup_nodes_undo_later(undo);
}

static pte_t gup_nodes_mk_entry(enum gup_nodes_entry entry, struct page *page)
{
	switch (entry) {
	case GUP_NODES_MIGRATION:
		return swp_entry_to_pte(make_readable_migration_entry(page_to_pfn(page)));
	case GUP_NODES_UFFD:
		return make_pte_marker(PTE_MARKER_UFFD_WP);
	case GUP_NODES_UFFD_POISON:
		return make_pte_marker(PTE_MARKER_POISONED);
	case GUP_NODES_DEVICE:
		return swp_entry_to_pte(make_readable_device_private_entry(page_to_pfn(page)));
#ifdef CONFIG_MEMORY_FAILURE
	case GUP_NODES_POISONED:
		/* As make_hwpoison_entry(), which wants the page locked. */
		return swp_entry_to_pte(swp_entry(SWP_HWPOISON,
						  page_to_pfn(page)));
#endif
	default:
		return swp_entry_to_pte(swp_entry(0, 42));
	}
}

static void gup_nodes_change(struct gup_mm *m, const struct gup_nodes_row *row)
{
	struct gup_nodes_undo *undo = gup_nodes_undo(m);
	struct page *page = gup_mm_mapped(m, row->at);

	KUNIT_ASSERT_NOT_NULL(m->test, page);
	undo->addr = gup_mm_addr(m, row->at);
	undo->pte = gup_kunit_mm.exchange(m->mm, undo->addr,
					  gup_nodes_mk_entry(row->entry, page));
	gup_nodes_undo_later(undo);
}

static const char *gup_nodes_row_lacks(const struct gup_nodes_row *row)
{
	if (row->other && num_online_nodes() < 2)
		return "only one node";
	if (row->device && !IS_ENABLED(CONFIG_ZONE_DEVICE))
		return "no CONFIG_ZONE_DEVICE";
	if (row->entry == GUP_NODES_DEVICE &&
	    !IS_ENABLED(CONFIG_DEVICE_PRIVATE))
		return "no CONFIG_DEVICE_PRIVATE";
	if (row->entry == GUP_NODES_POISONED &&
	    !IS_ENABLED(CONFIG_MEMORY_FAILURE))
		return "no CONFIG_MEMORY_FAILURE";

	return gup_nodes_lacks(row->ask) ?: gup_mm_lacks(&row->layout);
}

/**
 * gup_nodes_make() - make the address space of a row
 * @test: the test
 * @row:  the row
 *
 * Return: The address space. The test ends here if it cannot be made.
 */
struct gup_mm *gup_nodes_make(struct kunit *test,
			      const struct gup_nodes_row *row)
{
	const char letters[] = { row->other ?: 'Z', row->device ?: 'Z', 0 };
	char text[GUP_PROBLEM_TEXT];
	struct gup_mm *m;

	gup_skip_if(test, gup_nodes_row_lacks(row));
	m = gup_mm_create(test, &row->layout);
	GUP_ASSERT_LAYOUT(test, gup_letters_problem(m->folio, letters, text),
			  row->layout.folios);
	KUNIT_ASSERT_LT(test, row->at, m->nr);
	if (row->other)
		gup_nodes_move(m, row->other, false);
	if (row->device)
		gup_nodes_move(m, row->device, true);
	if (row->entry)
		gup_nodes_change(m, row);

	return m;
}

/**
 * gup_nodes_row_run() - make the address space of a row, and ask
 * @test: the test, its parameter is a &struct gup_nodes_row
 */
void gup_nodes_row_run(struct kunit *test)
{
	const struct gup_nodes_row *row = test->param_value;
	struct gup_mm *m = gup_nodes_make(test, row);
	struct gup_nodes *q = gup_nodes_create(m, GUP_NODES_MAX);

	gup_nodes_add_addresses(q, row->ask);
	gup_nodes_expect(q, row->want);
	gup_nodes_run(q, row->layout.ptes);
}

GUP_ROWS(gup_nodes_kinds);

static struct kunit_case gup_nodes_kinds_cases[] = {
	GUP_CASE_ROWS(kinds, gup_nodes_row_run, gup_nodes_kinds),
	{}
};

static struct kunit_suite gup_nodes_kinds_suite = {
	.name = "gup_nodes_kinds",
	.test_cases = gup_nodes_kinds_cases,
};

kunit_test_suite(gup_nodes_kinds_suite);
