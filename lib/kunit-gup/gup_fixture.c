// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folios and a page table, made from the pictures that gup_kunit.h explains.
 *
 * The folios are made by hand, of pages that are split first: their struct pages
 * are saved, turned into the folios of the layout, and written back in the end.
 * So a folio can have any neighbour, can change its order while somebody looks
 * at it, and nothing that a test does to it reaches the page allocator.
 *
 * There are no expectations about GUP in here.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/pgalloc.h>
#include <linux/shmem_fs.h>
#include <linux/swapops.h>

#include "gup_kunit.h"
#include "gup_picture.h"

static const struct address_space_operations gup_file_aops = {
	.dirty_folio = noop_dirty_folio,
};

/* Where the page table would be in an address space; any multiple will do. */
#define GUP_TABLE_ADDR	(4 * PMD_SIZE)

KUNIT_DEFINE_ACTION_WRAPPER(gup_fput_wrapper, fput, struct file *);

static void gup_free_table(void *data)
{
	struct gup_fixture *fx = data;

	gup_kunit_free_table(fx->vma->vm_mm, fx->table);
}

/* An address space that consists of one page table, and one VMA over it. */
static void gup_make_mm(struct gup_fixture *fx)
{
	struct kunit *test = fx->test;
	struct mm_struct *mm;

	mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	spin_lock_init(&mm->page_table_lock);
	fx->vma = kunit_kzalloc(test, sizeof(*fx->vma), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fx->vma);
	fx->vma->vm_mm = mm;
	fx->vma->vm_start = GUP_TABLE_ADDR;
	fx->vma->vm_end = GUP_TABLE_ADDR + 2 * PMD_SIZE;

	fx->table = gup_kunit_alloc_table(mm);
	KUNIT_ASSERT_NOT_NULL(test, fx->table);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, gup_free_table,
							fx), 0);
	pmd_populate_kernel(&init_mm, &fx->pmd, fx->table);
	fx->slot = fx->pmd;
}

/* Put the pages back to what they were, and free them. */
static void gup_free_block(void *data)
{
	struct gup_block *block = data;
	const unsigned int nr = 1U << block->order;
	unsigned int i;

	memcpy(block->page, block->saved, nr * sizeof(*block->page));
	for (i = 0; i < nr; i++)
		__free_page(block->page + i);
}

static void gup_alloc_block(struct gup_fixture *fx, struct gup_block *block,
			    unsigned int order, gfp_t gfp)
{
	struct kunit *test = fx->test;
	const unsigned int nr = 1U << order;
	unsigned int i;

	block->order = order;
	block->saved = kunit_kmalloc_array(test, nr, sizeof(*block->saved),
					   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block->saved);
	block->refs = kunit_kmalloc_array(test, nr, sizeof(*block->refs),
					  GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block->refs);
	block->taken = kunit_kcalloc(test, nr, sizeof(*block->taken),
				     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block->taken);

	block->page = alloc_pages(gfp, order);
	KUNIT_ASSERT_NOT_NULL(test, block->page);
	if (order)
		split_page(block->page, order);
	memcpy(block->saved, block->page, nr * sizeof(*block->saved));
	for (i = 0; i < nr; i++)
		block->refs[i] = 1;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, gup_free_block,
							block), 0);
}

static void *gup_folio_mapping(struct gup_fixture *fx, char kind)
{
	switch (kind) {
	case 'f':
		return &fx->file;
	case 'h':
		return fx->shmem->f_mapping;
	case 's':
		return &fx->secretmem;
	case 'u':
		return NULL;
	case 'k':
		return (void *)((unsigned long)fx | FOLIO_MAPPING_KSM);
	default:
		return (void *)((unsigned long)fx | FOLIO_MAPPING_ANON);
	}
}

/* Turn 2^@order saved pages at @page into a folio of the kind of @gf. */
static void gup_make_folio(struct gup_fixture *fx, struct gup_folio *gf,
			   struct page *page, unsigned int order, int refs)
{
	const unsigned int nr = 1U << order;
	const unsigned long idx = page - gf->block->page;
	unsigned int i;

	memcpy(page, gf->block->saved + idx, nr * sizeof(*page));
	for (i = 1; i < nr; i++)
		set_page_count(page + i, 0);
	if (order)
		gup_kunit_prep_folio(page, order);
	/* Memory in use is up to date: flags that a guess may take for an order. */
	__set_bit(PG_uptodate, &page->flags.f);
	page->mapping = gup_folio_mapping(fx, gf->kind);
	for (i = 0; i < nr && gf->kind == 'm'; i++)
		set_page_zone(page + i, ZONE_MOVABLE);
	set_page_count(page, refs);
	gf->block->refs[idx] = refs;
}

/**
 * gup_fixture_regroup() - split or merge what a folio of the layout is made of
 * @fx:     the fixture
 * @letter: the folio
 * @order:  order of the folios that it is to be now
 *
 * The pages, and what they are used for, stay the same; references and flags
 * are those of a new folio, and pages of anonymous folios are exclusive.
 *
 * Context: Any, also from a &struct gup_race. Nobody holds a reference.
 */
void gup_fixture_regroup(struct gup_fixture *fx, char letter,
			 unsigned int order)
{
	struct gup_folio *gf = &fx->folio[letter - 'A'];
	unsigned int i;

	for (i = 0; i < 1U << gf->order; i += 1U << order)
		gup_make_folio(fx, gf, gf->page + i, order, GUP_HELD);
	for (i = 0; i < 1U << gf->order && gf->kind == 'a'; i++)
		SetPageAnonExclusive(gf->page + i);
}

/**
 * gup_fixture_move_to_node() - let a folio of the layout be on a node
 * @fx:     the fixture
 * @letter: the folio
 * @nid:    the node
 *
 * Nothing but the flags of its pages says where a folio is.
 *
 * Context: Any. Nobody holds a reference.
 */
void gup_fixture_move_to_node(struct gup_fixture *fx, char letter, int nid)
{
	struct gup_folio *gf = &fx->folio[letter - 'A'];
	unsigned int i;

	for (i = 0; i < 1U << gf->order; i++)
		set_page_node(gf->page + i, nid);
}

static void gup_make_folios(struct gup_fixture *fx, const char *folios)
{
	struct gup_block *block = fx->block;
	unsigned int i, end, size, offset;

	gup_picture_folios(fx->test, folios, fx->folio);
	for (i = 0; i < GUP_MAX_FOLIOS && fx->folio[i].kind; i = end, block++) {
		size = 1U << fx->folio[i].order;
		for (end = i + 1; fx->folio[end].behind; end++)
			size += 1U << fx->folio[end].order;
		gup_alloc_block(fx, block, order_base_2(size),
				fx->folio[i].kind == 'm' ?
				GFP_HIGHUSER_MOVABLE : GFP_KERNEL);

		for (offset = 0; i < end; i++) {
			struct gup_folio *gf = &fx->folio[i];

			gf->block = block;
			gf->page = block->page + offset;
			gup_make_folio(fx, gf, gf->page, gf->order, gf->refs);
			offset += 1U << gf->order;
		}
	}
	fx->nr_blocks = block - fx->block;
}

/**
 * gup_fixture_map() - set one entry of the layout
 * @fx:    the fixture
 * @entry: the entry, counted from the first of the layout
 * @page:  the page to map
 * @bits:  GUP_BIT_* of the entry; whether the page is exclusive follows
 *
 * Context: Any.
 */
void gup_fixture_map(struct gup_fixture *fx, unsigned int entry,
		     struct page *page, unsigned int bits)
{
	if (PageAnonNotKsm(page)) {
		if (bits & GUP_BIT_SHARED)
			ClearPageAnonExclusive(page);
		else
			SetPageAnonExclusive(page);
	}
	gup_kunit_set_pte(gup_fixture_ptep(fx, entry),
			  gup_fixture_mk_pte(page, bits));
}

/**
 * gup_fixture_clear() - set one entry of the layout to one that maps nothing
 * @fx:    the fixture
 * @entry: the entry, counted from the first of the layout
 * @swap:  whether it becomes a swap entry, instead of a hole
 *
 * Context: Any.
 */
void gup_fixture_clear(struct gup_fixture *fx, unsigned int entry, bool swap)
{
	pte_t *ptep = gup_fixture_ptep(fx, entry);

	/* An empty entry need not be 0. */
	if (swap)
		set_pte(ptep, swp_entry_to_pte(swp_entry(0, 42)));
	else
		pte_clear(&init_mm, gup_fixture_addr(fx, entry), ptep);
}

static void gup_put_word(struct gup_fixture *fx, const struct gup_word *word,
			 unsigned int entry)
{
	const int step = word->last < word->first ? -1 : 1;
	struct page *page;
	unsigned int i;

	for (i = 0; i < word->nr; i++, entry++) {
		if (word->letter < 'A') {
			gup_fixture_clear(fx, entry, word->letter == '@');
			continue;
		}
		if (word->letter == 'Z')
			page = ZERO_PAGE(0);
		else
			page = gup_fixture_page(fx, word->letter,
						word->first + i * step);
		gup_fixture_map(fx, entry, page, word->bits);
	}
}

/**
 * gup_fixture_set_ptes() - write the entries of the layout anew
 * @fx:   the fixture
 * @ptes: the picture of the entries
 *
 * Context: Any.
 */
void gup_fixture_set_ptes(struct gup_fixture *fx, const char *ptes)
{
	struct gup_word word;

	for (fx->nr = 0; *ptes; fx->nr += word.nr) {
		ptes = gup_picture_word(ptes, &word);
		gup_put_word(fx, &word, fx->nr);
	}
}

static void gup_assert_layout(struct kunit *test,
			      const struct gup_layout *layout)
{
	const unsigned int at = max(layout->at, 0);
	char text[GUP_PROBLEM_TEXT];

	KUNIT_ASSERT_GE(test, layout->at, -1);
	KUNIT_ASSERT_LT(test, layout->at, PTRS_PER_PTE);
	GUP_ASSERT_PICTURE(test,
			   gup_layout_problem(&gup_rules_table, layout->folios,
					      layout->ptes, PTRS_PER_PTE - at,
					      text),
			   layout->ptes ?: layout->folios);
}

/**
 * gup_fixture_create() - make what a layout shows
 * @test:   the test; its priv will point to the fixture
 * @layout: the layout; without entries, the table stays empty
 *
 * Everything is undone when the test ends.
 *
 * Context: Process context, in the thread of the test.
 * Return: The fixture. The test ends here if it cannot be made.
 */
struct gup_fixture *gup_fixture_create(struct kunit *test,
				       const struct gup_layout *layout)
{
	struct gup_fixture *fx = kunit_kzalloc(test, sizeof(*fx), GFP_KERNEL);
	const unsigned int nr = PTRS_PER_PTE + GUP_PAGES_BEFORE + 2;

	KUNIT_ASSERT_NOT_NULL(test, fx);
	gup_assert_layout(test, layout);
	gup_fixture_bind();
	test->priv = fx;
	fx->test = test;
	fx->refuse = -1;
	fx->inaccessible = -1;
	fx->file.a_ops = &gup_file_aops;
	fx->secretmem.a_ops = gup_kunit_secretmem_aops();
	fx->pages = kunit_kcalloc(test, nr, sizeof(*fx->pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fx->pages);
	fx->want = kunit_kcalloc(test, nr, sizeof(*fx->want), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fx->want);

	if (strchr(layout->folios, 'h')) {
		fx->shmem = shmem_kernel_file_setup("gup_kunit", PAGE_SIZE,
						    EMPTY_VMA_FLAGS);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fx->shmem);
		KUNIT_ASSERT_EQ(test,
				kunit_add_action_or_reset(test,
							  gup_fput_wrapper,
							  fx->shmem), 0);
	}

	gup_make_mm(fx);
	gup_make_folios(fx, layout->folios);
	fx->at = layout->at;
	if (layout->ptes) {
		if (layout->at < 0)
			fx->at = PTRS_PER_PTE - gup_picture_count(layout->ptes);
		gup_fixture_set_ptes(fx, layout->ptes);
	}

	return fx;
}

/**
 * gup_fixture_page() - a page of a folio of the layout
 * @fx:     the fixture
 * @letter: the folio
 * @idx:    the number of the page in it
 *
 * Context: Any.
 * Return: The page, no reference taken.
 */
struct page *gup_fixture_page(struct gup_fixture *fx, char letter,
			      unsigned int idx)
{
	return fx->folio[letter - 'A'].page + idx;
}

/**
 * gup_fixture_folio() - a folio of the layout
 * @fx:     the fixture
 * @letter: the folio
 *
 * Context: Any.
 * Return: The folio, no reference taken.
 */
struct folio *gup_fixture_folio(struct gup_fixture *fx, char letter)
{
	return page_folio(gup_fixture_page(fx, letter, 0));
}

/**
 * gup_fixture_ptep() - an entry of the layout
 * @fx:    the fixture
 * @entry: the entry, counted from the first of the layout
 *
 * Context: Any.
 * Return: The entry, in the page table.
 */
pte_t *gup_fixture_ptep(struct gup_fixture *fx, unsigned int entry)
{
	return fx->table + fx->at + entry;
}

/**
 * gup_fixture_addr() - the user address that an entry of the layout maps
 * @fx:    the fixture
 * @entry: the entry, counted from the first of the layout
 *
 * Context: Any.
 * Return: The address.
 */
unsigned long gup_fixture_addr(struct gup_fixture *fx, unsigned int entry)
{
	return GUP_TABLE_ADDR + (fx->at + entry) * PAGE_SIZE;
}
