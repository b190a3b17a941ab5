// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folios mapped into a real mm, as the pictures of gup_mm.h show them.
 *
 * They are as a fault would leave them: from the page allocator, on the LRU
 * lists, with their counts of mappings and references, so that the kernel can do
 * with them what it does with any, and takes them down at the end.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mman.h>
#include <linux/shmem_fs.h>
#include <linux/swapops.h>

#include "gup_mm.h"
#include "gup_picture.h"

static const struct address_space_operations gup_mm_aops = {
	.dirty_folio = noop_dirty_folio,
};

KUNIT_DEFINE_ACTION_WRAPPER(gup_mm_fput, fput, struct file *);

static struct folio *gup_mm_alloc_folio(const struct gup_folio *gf)
{
	const gfp_t gfp = GFP_HIGHUSER | __GFP_ZERO;

	if (gf->kind == 'm')
		return __folio_alloc_node(gfp | __GFP_MOVABLE, gf->order,
					  gup_fixture_movable_node());

	return folio_alloc(gfp, gf->order);
}

/*
 * The folios from @i to @end are neighbours: made of one piece of memory. To be
 * freed in the end, each must begin at a multiple of its size.
 */
static void gup_mm_carve(struct gup_mm *m, unsigned int i, unsigned int end)
{
	unsigned int n, order, size = 0;
	struct page *page;

	for (n = i; n < end; n++)
		size += 1U << m->folio[n].order;
	order = order_base_2(size);
	page = alloc_pages(GFP_HIGHUSER | __GFP_ZERO, order);
	KUNIT_ASSERT_NOT_NULL(m->test, page);

	split_page(page, order);
	for (n = size; n < 1U << order; n++)
		__free_page(page + n);
	for (; i < end; i++) {
		KUNIT_ASSERT_EQ(m->test, page_to_pfn(page) %
				(1UL << m->folio[i].order), 0);
		m->folio[i].page = page;
		if (m->folio[i].order)
			gup_kunit_mm_carve(page, m->folio[i].order);
		page += 1U << m->folio[i].order;
	}
}

static void *gup_mm_mapping(struct gup_mm *m, char kind)
{
	switch (kind) {
	case 'f':
		return &m->file;
	case 'h':
		return m->shmem->f_mapping;
	case 's':
		return &m->secretmem;
	case 'k':
		return (void *)((unsigned long)m | FOLIO_MAPPING_KSM);
	default:
		return NULL;
	}
}

static void gup_mm_make_folios(struct gup_mm *m, const char *folios)
{
	struct gup_folio *gf = m->folio;
	struct folio *folio;
	unsigned int i, end;

	gup_picture_folios(m->test, folios, gf);
	for (i = 0; i < GUP_MAX_FOLIOS && gf[i].kind; i = end) {
		for (end = i + 1; end < GUP_MAX_FOLIOS && gf[end].behind; end++)
			;
		if (end > i + 1) {
			gup_mm_carve(m, i, end);
			continue;
		}
		folio = gup_mm_alloc_folio(gf + i);
		KUNIT_ASSERT_NOT_NULL(m->test, folio);
		gf[i].page = &folio->page;
	}
	for (i = 0; i < GUP_MAX_FOLIOS && gf[i].kind; i++) {
		KUNIT_ASSERT_EQ(m->test, gf[i].refs, GUP_HELD);
		__folio_mark_uptodate(page_folio(gf[i].page));
		gf[i].page->mapping = gup_mm_mapping(m, gf[i].kind);
		if (gf[i].kind == 'm' &&
		    page_zonenum(gf[i].page) != ZONE_MOVABLE)
			kunit_skip(m->test, "%s",
				   gup_fixture_no_movable(m->test));
	}
}

/* The first page that is mapped says where the folio as a whole would be. */
static int gup_mm_new_anon(struct gup_mm *m, struct vm_area_struct *vma,
			   unsigned long addr, struct gup_folio *gf)
{
	struct folio *folio = page_folio(gf->page);
	int ret = gup_kunit_mm_prepare(vma, folio);

	if (!ret) {
		m->start[gf - m->folio] = addr;
		gup_kunit_mm_new_anon(folio, vma, addr);
		folio_add_lru(folio);
	}

	return ret;
}

static int gup_mm_map_page(struct gup_mm *m, struct gup_folio *gf,
			   struct vm_area_struct *vma, unsigned long addr,
			   unsigned long idx, unsigned int bits)
{
	const bool exclusive = gup_mm_is_anon(gf) && !(bits & GUP_BIT_SHARED);
	const unsigned long offset = idx * PAGE_SIZE;
	struct page *page = gf->page + idx;
	const pte_t pte = gup_fixture_mk_pte(page, bits);
	int ret = 0;

	if (bits & GUP_BIT_BLOCK)
		return -EINVAL;
	if (bits & GUP_BIT_SPECIAL)
		return gup_kunit_mm_map(vma, addr, NULL, pte, 0, false);
	if (gup_mm_is_anon(gf) && !m->start[gf - m->folio])
		ret = gup_mm_new_anon(m, vma, addr - offset, gf);
	/* Two mappings, and one of them says that there is none but it. */
	else if (gup_mm_is_anon(gf) && PageAnonExclusive(page))
		ret = -EEXIST;
	if (ret)
		return ret;

	get_page(page);
	ret = gup_kunit_mm_map(vma, addr, page, pte,
			       m->start[gf - m->folio] + offset, exclusive);
	if (ret)
		put_page(page);

	return ret;
}

static int gup_mm_put_word(struct gup_mm *m, const struct gup_word *word,
			   unsigned long addr)
{
	const int step = word->last < word->first ? -1 : 1;
	struct vm_area_struct *vma;
	struct gup_folio *gf;
	unsigned int i;
	int ret = 0;
	pte_t pte;

	for (i = 0; i < word->nr && !ret; i++, addr += PAGE_SIZE) {
		vma = gup_mm_vma(m, addr);
		if (!vma && word->letter != '.')
			return -EFAULT;
		switch (word->letter) {
		case '.':
			break;
		case '@':
			pte = make_pte_marker(PTE_MARKER_GUARD);
			ret = gup_kunit_mm_map(vma, addr, NULL, pte, 0, false);
			break;
		case 'Z':
			pte = gup_fixture_mk_pte(ZERO_PAGE(addr), word->bits |
						 GUP_BIT_RDONLY | GUP_BIT_CLEAN |
						 GUP_BIT_SPECIAL);
			ret = gup_kunit_mm_map(vma, addr, NULL, pte, 0, false);
			break;
		default:
			gf = &m->folio[word->letter - 'A'];
			ret = gup_mm_map_page(m, gf, vma, addr,
					      word->first + i * step, word->bits);
		}
	}

	return ret;
}

static void gup_mm_set_ptes(struct gup_mm *m, const char *ptes)
{
	unsigned long addr = m->addr;
	struct gup_word word;
	int ret = 0;

	mmap_write_lock(m->mm);
	for (; *ptes && !ret; addr += word.nr * PAGE_SIZE) {
		ptes = gup_picture_word(ptes, &word);
		ret = gup_mm_put_word(m, &word, addr);
	}
	mmap_write_unlock(m->mm);
	KUNIT_ASSERT_EQ_MSG(m->test, ret, 0, "entry %lu",
			    (addr - m->addr) / PAGE_SIZE);
}

/* From here on, anonymous folios live as long as they are mapped. */
static void gup_mm_leave_folios(struct gup_mm *m)
{
	struct gup_folio *gf;

	for (gf = m->folio; gf < m->folio + GUP_MAX_FOLIOS; gf++) {
		if (!gf->kind || !gup_mm_is_anon(gf))
			continue;
		gf->refs = 0;
		folio_put(page_folio(gf->page));
	}
	gup_kunit_lru_drain();
}

/* Closed after everything that says it belongs to this file is unmapped. */
static struct file *gup_mm_shmem(struct kunit *test)
{
	struct file *file = shmem_kernel_file_setup("gup_kunit", PAGE_SIZE,
						    EMPTY_VMA_FLAGS);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, gup_mm_fput,
							file), 0);

	return file;
}

/* More pages than any layout has, whatever the size of a page table. */
#define GUP_MM_MAX_PAGES	8192

static void gup_mm_assert_layout(struct kunit *test,
				 const struct gup_mm_layout *layout)
{
	char text[GUP_PROBLEM_TEXT];

	KUNIT_ASSERT_GE(test, layout->at, -1);
	KUNIT_ASSERT_LT(test, layout->at, PTRS_PER_PTE);
	GUP_ASSERT_PICTURE(test,
			   gup_layout_problem(&gup_rules_mm, layout->folios,
					      layout->ptes, GUP_MM_MAX_PAGES,
					      text),
			   layout->ptes);
	GUP_ASSERT_PICTURE(test,
			   gup_vmas_problem(layout->vmas, GUP_MM_MAX_PAGES,
					    text),
			   layout->vmas);
}

/**
 * gup_mm_create() - make what a layout shows, in the mm of this thread
 * @test:   the test
 * @layout: the layout
 *
 * Everything is undone when the test ends. An anonymous folio that the layout
 * does not map is gone on return.
 *
 * Context: Process context, in the thread of the test.
 * Return: The piece of address space. The test ends here if it cannot be made.
 */
struct gup_mm *gup_mm_create(struct kunit *test,
			     const struct gup_mm_layout *layout)
{
	unsigned int nr = gup_picture_count(layout->ptes);
	struct file *shmem = NULL;
	unsigned long addr;
	struct gup_mm *m;

	gup_mm_assert_layout(test, layout);
	if (strchr(layout->folios, 'h'))
		shmem = gup_mm_shmem(test);
	if (layout->vmas)
		nr = max(nr, gup_mm_count_vmas(layout->vmas));
	addr = gup_mm_map(test, nr, layout->at, NULL, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS);
	m = gup_mm_adopt(test, addr, nr);
	gup_mm_enable_fast(test);
	m->file.a_ops = &gup_mm_aops;
	m->secretmem.a_ops = gup_kunit_secretmem_aops();
	m->shmem = shmem;

	gup_mm_make_vmas(m, layout->vmas);
	gup_mm_make_folios(m, layout->folios);
	gup_mm_set_ptes(m, layout->ptes);
	gup_mm_leave_folios(m);

	return m;
}

/**
 * gup_mm_lacks() - what a layout needs and this kernel does not have
 * @layout: the layout
 *
 * Context: Any.
 * Return: The reason to skip a test with this layout, or NULL.
 */
const char *gup_mm_lacks(const struct gup_mm_layout *layout)
{
	if (strchr(layout->folios, 'm') &&
	    gup_fixture_movable_node() == NUMA_NO_NODE)
		return "no memory in ZONE_MOVABLE";
	if (strchr(layout->folios, 'k') && !IS_ENABLED(CONFIG_KSM))
		return "no CONFIG_KSM";
	/* What is unmapped in part waits in a list, which is not there then. */
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) &&
	    !has_transparent_hugepage() && strpbrk(layout->folios, "123456789"))
		return "a machine without transparent huge pages";
	if (layout->vmas && strchr(layout->vmas, 'u') && !VM_UFFD_RWP)
		return "no entries protected by userfaultfd";
	if (!IS_ENABLED(CONFIG_HAVE_GUP_FAST) && gup_race_lacks())
		return gup_race_lacks();

	return gup_fixture_lacks(layout->folios, layout->ptes);
}

/**
 * gup_mm_create_or_skip() - make what a layout shows, where that is possible
 * @test:   the test
 * @layout: the layout
 *
 * Context: Process context, in the thread of the test.
 * Return: The piece of address space. The test ends here if this kernel lacks
 *         something that the layout needs, with the reason, or if it cannot be made.
 */
struct gup_mm *gup_mm_create_or_skip(struct kunit *test,
				     const struct gup_mm_layout *layout)
{
	const char *lacks = gup_mm_lacks(layout);

	if (lacks)
		kunit_skip(test, "%s", lacks);

	return gup_mm_create(test, layout);
}

/**
 * gup_mm_page() - a page of a folio of the layout
 * @m:      the piece of address space
 * @letter: the folio
 * @idx:    the number of the page in it
 *
 * Context: Any.
 * Return: The page, no reference taken.
 */
struct page *gup_mm_page(struct gup_mm *m, char letter, unsigned int idx)
{
	return m->folio[letter - 'A'].page + idx;
}
