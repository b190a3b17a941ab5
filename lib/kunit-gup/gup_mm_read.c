// SPDX-License-Identifier: GPL-2.0-only
/*
 * A piece of address space as its page tables have it, one address after the
 * other: what the calls on it are compared with.
 */
#include "gup_mm.h"

/**
 * gup_mm_addr() - the address of a page
 * @m:     the piece of address space
 * @entry: its number
 *
 * Context: Any.
 * Return: The address.
 */
unsigned long gup_mm_addr(struct gup_mm *m, unsigned int entry)
{
	return m->addr + entry * PAGE_SIZE;
}

/**
 * gup_mm_read() - what the page tables say about a page
 * @m:     the piece of address space
 * @entry: its number; may be behind the end
 * @e:     to be filled in
 *
 * Context: Process context.
 * Return: Whether a page is mapped there.
 */
bool gup_mm_read(struct gup_mm *m, unsigned int entry,
		 struct gup_kunit_mm_entry *e)
{
	return gup_kunit_mm_read(m->mm, gup_mm_addr(m, entry), e);
}

/**
 * gup_mm_mapped() - the page that is mapped
 * @m:     the piece of address space
 * @entry: its number
 *
 * Context: Process context.
 * Return: The page, whatever may be done with it, or NULL.
 */
struct page *gup_mm_mapped(struct gup_mm *m, unsigned int entry)
{
	struct gup_kunit_mm_entry e;

	gup_mm_read(m, entry, &e);

	return e.page;
}

/**
 * gup_mm_oracle_fast() - what GUP-fast does at a page
 * @m:     the piece of address space
 * @entry: its number
 * @flags: FOLL_* flags, with FOLL_GET or FOLL_PIN
 *
 * Context: Process context.
 * Return: GUP_GO if it takes the page, else why it stops.
 */
enum gup_stop gup_mm_oracle_fast(struct gup_mm *m, unsigned int entry,
				 unsigned int flags)
{
	struct gup_kunit_mm_entry e;

	gup_mm_read(m, entry, &e);

	return gup_oracle_mapped(&e, flags);
}

/**
 * gup_mm_oracle_walk() - how far GUP-fast gets without faults
 * @m:     the piece of address space
 * @first: the first page
 * @nr:    the number of pages
 * @flags: FOLL_* flags, with FOLL_GET or FOLL_PIN
 *
 * Context: Process context.
 * Return: The number of pages that it returns.
 */
unsigned int gup_mm_oracle_walk(struct gup_mm *m, unsigned int first,
				unsigned int nr, unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (gup_mm_oracle_fast(m, first + i, flags) != GUP_GO)
			break;

	return i;
}
