// SPDX-License-Identifier: GPL-2.0-only
/*
 * A piece of a real address space: where it is, its VMAs, and how it ends. What
 * is mapped there is made in gup_mm_fill.c, and asked for in gup_mm_call.c.
 */
#include <kunit/static_stub.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>

#include "gup_mm.h"

static bool gup_mm_always(void)
{
	return true;
}

/**
 * gup_mm_enable_fast() - have GUP-fast, also where the architecture has none
 * @test: the test, for whose time it is
 *
 * Context: Process context, in the thread of the test.
 */
void gup_mm_enable_fast(struct kunit *test)
{
	if (!gup_race_lacks())
		kunit_activate_static_stub(test, gup_kunit_gup.fast_available,
					   gup_mm_always);
}

/*
 * This thread is not that of the test, whose own end takes down the mm: maybe at
 * this very moment. So the folios are unmapped here before they are given up.
 */
static void gup_mm_release(void *data)
{
	struct gup_mm *m = data;
	struct gup_folio *gf;

	kthread_use_mm(m->mm);
	vm_munmap(0, TASK_SIZE);
	gup_kunit_lru_drain();
	kthread_unuse_mm(m->mm);

	for (gf = m->folio; gf < m->folio + GUP_MAX_FOLIOS; gf++) {
		if (!gf->refs || !gf->page)
			continue;
		if (!gup_mm_is_anon(gf))
			gf->page->mapping = NULL;
		folio_put(page_folio(gf->page));
	}
	mmput(m->mm);
}

/**
 * gup_mm_adopt() - make calls on memory that is mapped already
 * @test: the test
 * @addr: the address
 * @nr:   the number of pages
 *
 * Context: Process context, in the thread of the test, which has an mm.
 * Return: The piece of address space, without folios that have letters.
 */
struct gup_mm *gup_mm_adopt(struct kunit *test, unsigned long addr,
			    unsigned int nr)
{
	const unsigned int room = nr + 2 * GUP_MM_BEHIND;
	struct gup_mm *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_NOT_NULL(test, current->mm);
	gup_fixture_bind();
	m->test = test;
	m->addr = addr;
	m->nr = nr;
	m->pages = kunit_kcalloc(test, room, sizeof(*m->pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->pages);
	m->want = kunit_kcalloc(test, room, sizeof(*m->want), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->want);
	m->seen = kunit_kcalloc(test, 2 * room, sizeof(*m->seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->seen);

	m->mm = current->mm;
	mmget(m->mm);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, gup_mm_release,
							m), 0);

	return m;
}

/**
 * gup_mm_map() - map a range at a place of its own in the page tables
 * @test:  the test
 * @nr:    the number of pages
 * @at:    the index of the first one in its page table; -1: so that the last one
 *         is the last of a table
 * @file:  the file, or NULL
 * @prot:  PROT_*
 * @flags: MAP_*
 *
 * Next to it, nothing is mapped.
 *
 * Context: Process context, in the thread of the test.
 * Return: The address. The test ends here if it cannot be mapped.
 */
unsigned long gup_mm_map(struct kunit *test, unsigned int nr, int at,
			 struct file *file, unsigned long prot,
			 unsigned long flags)
{
	const unsigned long len = (unsigned long)nr * PAGE_SIZE;
	const unsigned long room = ALIGN(len, PMD_SIZE) + 3 * PMD_SIZE;
	unsigned long base, addr;

	base = kunit_vm_mmap(test, NULL, 0, room, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
	KUNIT_ASSERT_NE(test, base, 0);
	KUNIT_ASSERT_LT(test, base, TASK_SIZE);

	addr = ALIGN(base, PMD_SIZE) + PMD_SIZE;
	if (at < 0)
		addr += ALIGN(len, PMD_SIZE) - len;
	else
		addr += at * PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, vm_munmap(base, room), 0);
	KUNIT_ASSERT_EQ(test, vm_mmap(file, addr, len, prot, flags | MAP_FIXED,
				      0), addr);

	return addr;
}

static void gup_mm_reset_orders(void *orders)
{
	gup_kunit_thp_orders((unsigned long)orders);
}

/**
 * gup_mm_set_orders() - choose the orders of folios for memory that is advised
 * @test:   the test, until whose end it stays so
 * @orders: a bit for each order
 *
 * Context: Process context, in the thread of the test.
 */
void gup_mm_set_orders(struct kunit *test, unsigned long orders)
{
	const unsigned long old = gup_kunit_thp_orders(orders);

	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test,
							gup_mm_reset_orders,
							(void *)old), 0);
}

/**
 * gup_mm_keep() - keep khugepaged away from memory that was filled as it is wanted
 * @test: the test
 * @addr: the first page
 * @nr:   the number of pages
 *
 * Since madvise() gave it work, it is on its way: it would copy the pages into
 * other folios. It has no say in memory that gets no huge pages any more, and
 * those that are there stay.
 *
 * Context: Process context, in the thread of the test.
 */
void gup_mm_keep(struct kunit *test, unsigned long addr, unsigned int nr)
{
	KUNIT_ASSERT_EQ(test, gup_kunit_madvise(addr, nr * PAGE_SIZE,
						MADV_NOHUGEPAGE), 0);
}

/**
 * gup_mm_map_leaf() - map memory by one large entry, as a driver does
 * @test:  the test
 * @pfn:   the first page, a multiple of what the entry maps
 * @size:  PMD_SIZE or PUD_SIZE; the architecture has such entries
 * @flags: VM_MIXEDMAP or VM_PFNMAP
 *
 * Context: Process context, in the thread of the test. No process has anonymous
 *          memory there.
 * Return: The address.
 */
unsigned long gup_mm_map_leaf(struct kunit *test, unsigned long pfn,
			      unsigned long size, vm_flags_t flags)
{
	struct vm_area_struct *vma;
	unsigned long addr;
	int ret = -ENOMEM;

	KUNIT_ASSERT_EQ(test, kunit_attach_mm(), 0);
	addr = gup_kunit_mmap(2 * size, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_NORESERVE);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	mmap_write_lock(current->mm);
	vma = vma_lookup(current->mm, addr);
	addr = ALIGN(addr, size);
	if (vma) {
		vm_flags_set(vma, flags);
		ret = gup_kunit_mm_insert_pfn(vma, addr, pfn, size);
	}
	mmap_write_unlock(current->mm);
	KUNIT_ASSERT_EQ(test, ret, 0);

	return addr;
}

/**
 * gup_mm_vma() - the VMA of an address
 * @m:    the piece of address space
 * @addr: the address
 *
 * Context: The caller holds the mmap lock.
 * Return: The VMA, or NULL.
 */
struct vm_area_struct *gup_mm_vma(struct gup_mm *m, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(m->mm, addr);

	return vma && vma->vm_start <= addr ? vma : NULL;
}

/* A VMA of a picture: a number of pages, and what it is. */
static const char *gup_mm_parse_vma(const char *s, unsigned int *nr,
				    const char **letters)
{
	for (*nr = 0; *s >= '0' && *s <= '9'; s++)
		*nr = *nr * 10 + *s - '0';
	for (*letters = s; *s && *s != ' '; s++)
		;

	return s + (*s == ' ');
}

static bool gup_mm_letter(const char *letters, char letter)
{
	for (; *letters && *letters != ' '; letters++)
		if (*letters == letter)
			return true;

	return false;
}

/**
 * gup_mm_count_vmas() - how many pages a picture of VMAs has
 * @vmas: the picture
 *
 * Context: Any.
 * Return: The number of pages.
 */
unsigned int gup_mm_count_vmas(const char *vmas)
{
	unsigned int sum = 0, nr;
	const char *letters;

	while (*vmas) {
		vmas = gup_mm_parse_vma(vmas, &nr, &letters);
		sum += nr;
	}

	return sum;
}

static int gup_mm_make_vma(unsigned long addr, unsigned long len,
			   const char *letters)
{
	unsigned long prot = 0, ret;

	prot |= gup_mm_letter(letters, 'r') ? PROT_READ : 0;
	prot |= gup_mm_letter(letters, 'w') ? PROT_WRITE : 0;
	prot |= gup_mm_letter(letters, 'x') ? PROT_EXEC : 0;
	if (gup_mm_letter(letters, 'g'))
		return vm_munmap(addr, len);
	if (gup_mm_letter(letters, 's')) {
		ret = vm_mmap(NULL, addr, len, prot,
			      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, 0);
		if (ret != addr)
			return ret;
	}
	if (gup_mm_letter(letters, 'd') &&
	    gup_kunit_madvise(addr, len, MADV_DONTFORK))
		return -EINVAL;

	return gup_kunit_mprotect(addr, len, prot);
}

/* After all of them are made, as a VMA of this kind is not split by mprotect(). */
static int gup_mm_flag_vma(struct gup_mm *m, unsigned long addr,
			   unsigned long len, const char *letters)
{
	struct vm_area_struct *vma;
	vm_flags_t flags = 0;
	int ret = 0;

	flags |= gup_mm_letter(letters, 'm') ? VM_MIXEDMAP : 0;
	flags |= gup_mm_letter(letters, 'p') ? VM_PFNMAP : 0;
	flags |= gup_mm_letter(letters, 'i') ? VM_IO : 0;
	flags |= gup_mm_letter(letters, 'u') ? VM_UFFD_RWP : 0;
	if (!flags)
		return 0;

	mmap_write_lock(m->mm);
	vma = gup_mm_vma(m, addr);
	if (vma && vma->vm_start == addr && vma->vm_end == addr + len)
		vm_flags_set(vma, flags);
	else
		ret = -EINVAL;
	mmap_write_unlock(m->mm);

	return ret;
}

/**
 * gup_mm_make_vmas() - make one VMA to those of a picture
 * @m:    the piece of address space
 * @vmas: the picture, or NULL to leave it as it is
 *
 * They begin as one VMA with one root of its anonymous memory, so that a folio
 * can be mapped across the border between two of them.
 *
 * Context: Process context, in the thread of the test.
 */
void gup_mm_make_vmas(struct gup_mm *m, const char *vmas)
{
	const char *letters, *s;
	unsigned long len, addr;
	unsigned int nr;
	int ret;

	mmap_write_lock(m->mm);
	ret = gup_kunit_mm_prepare(gup_mm_vma(m, m->addr), NULL);
	mmap_write_unlock(m->mm);
	KUNIT_ASSERT_EQ(m->test, ret, 0);

	for (s = vmas, addr = m->addr; s && *s; addr += len) {
		s = gup_mm_parse_vma(s, &nr, &letters);
		len = nr * PAGE_SIZE;
		KUNIT_ASSERT_EQ(m->test, gup_mm_make_vma(addr, len, letters),
				0);
	}
	for (s = vmas, addr = m->addr; s && *s; addr += len) {
		s = gup_mm_parse_vma(s, &nr, &letters);
		len = nr * PAGE_SIZE;
		KUNIT_ASSERT_EQ(m->test, gup_mm_flag_vma(m, addr, len, letters),
				0);
	}
}
