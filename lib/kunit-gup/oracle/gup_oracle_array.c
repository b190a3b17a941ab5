// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for arrays of pages or folios: how far a folio reaches.
 *
 * One entry after the other, with a look at the struct page of each.
 */
#include "walk/gup_array.h"

/**
 * gup_array_reference() - the runs of an array, found by one entry at a time
 * @array: the array
 * @text:  where they go, of %GUP_ARRAY_TEXT bytes
 *
 * Context: The folios do not change.
 */
void gup_array_reference(struct gup_array *array, char *text)
{
	struct folio *folio, *last = NULL;
	unsigned int i, nr = 0;

	text[0] = 0;
	for (i = 0; i <= array->nr; i++) {
		folio = NULL;
		if (i < array->nr && gup_array_is_page(array->fx->want[i]))
			folio = gup_array_folio(array, i);
		if (folio != last && last)
			gup_array_add_run(text, gup_array_letter(array->fx,
								 &last->page), nr);
		nr = folio == last ? nr + 1 : 1;
		last = folio;
	}
}

/**
 * gup_array_oracle() - how many leading entries of an array are in one folio
 * @pages: the entries; the first one is a page
 * @nr:    the number of entries
 *
 * One entry at a time, with a look at the struct page of each.
 *
 * Context: The folios do not change.
 * Return: The number of leading entries.
 */
unsigned int gup_array_oracle(struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!gup_array_is_page(pages[i]) ||
		    compound_head(pages[i]) != compound_head(pages[0]))
			break;

	return i;
}
