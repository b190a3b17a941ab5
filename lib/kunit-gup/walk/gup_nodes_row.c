// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make the address space of a row, see gup_nodes_row.h, and ask.
 *
 * A folio on another node or of a device is an ordinary one, with other flags
 * during the query. An entry without a page takes the place of one with a page.
 */
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "fixture/gup_layout_check.h"
#include "fixture/gup_mm_fill.h"
#include "walk/gup_nodes_row.h"

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
