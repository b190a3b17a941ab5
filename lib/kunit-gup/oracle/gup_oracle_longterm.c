// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for the longterm check: what it does at each entry of the array.
 */
#include "walk/gup_longterm.h"

/* A folio that several entries in a row are of is looked at once. */
static bool gup_lt_looked_at(struct gup_array *array, unsigned int i)
{
	struct page **want = array->fx->want;

	return !i || compound_head(want[i]) != compound_head(want[i - 1]);
}

/**
 * gup_lt_reference() - what is to happen, worked out entry by entry
 * @lt:   the check
 * @want: filled with it
 *
 * Context: The folios do not change.
 */
void gup_lt_reference(struct gup_lt *lt, struct gup_lt_want *want)
{
	const struct gup_lt_row *row = lt->row;
	struct gup_array *array = lt->array;
	struct folio *folio;
	unsigned int i;
	char letter;

	memset(want, 0, sizeof(*want));
	for (i = 0; i < array->nr; i++) {
		if (!gup_lt_looked_at(array, i))
			continue;
		folio = page_folio(array->fx->want[i]);
		letter = gup_array_letter(array->fx, &folio->page);
		gup_lt_add(want->looks, letter);
		if (!gup_lt_in(row->not, letter))
			continue;
		want->collected++;
		if (gup_lt_in(row->coherent, letter))
			continue;
		if (!gup_lt_in(row->hugetlb, letter))
			gup_lt_add(want->drains, letter);
		if (gup_lt_in(row->stuck, letter) || gup_lt_in(want->list, letter))
			continue;
		gup_lt_add(want->list, letter);
		if (!gup_lt_in(row->hugetlb, letter))
			want->isolated += folio_nr_pages(folio);
	}
}
