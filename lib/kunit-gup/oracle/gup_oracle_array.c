// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for arrays of pages or folios: one entry after the other, with a
 * look at the struct page of each.
 */
#include "gup_diff.h"
#include "oracle/gup_oracle_array.h"

/**
 * gup_array_add_batch() - add a batch to a text of batches
 * @text:   the text, of %GUP_ARRAY_TEXT bytes
 * @letter: the folio
 * @nr:     the number of entries
 */
void gup_array_add_batch(char *text, char letter, unsigned long nr)
{
	const size_t len = strlen(text);

	snprintf(text + len, GUP_ARRAY_TEXT - len, "%s%c%lu", len ? " " : "",
		 letter, nr);
}

/**
 * gup_oracle_batches() - the batches of an array
 * @folio:   the folios by letter
 * @entries: the entries
 * @nr:      the number of entries
 * @text:    where the batches go, of %GUP_ARRAY_TEXT bytes
 */
void gup_oracle_batches(const struct gup_folio *folio, struct page **entries,
			unsigned int nr, char *text)
{
	struct page *head, *last = NULL;
	unsigned int i, size = 0;

	text[0] = 0;
	for (i = 0; i <= nr; i++) {
		head = NULL;
		if (i < nr && gup_array_is_page(entries[i]))
			head = compound_head(entries[i]);
		if (head != last && last)
			gup_array_add_batch(text, gup_page_letter(folio, last),
					    size);
		size = head == last ? size + 1 : 1;
		last = head;
	}
}

/**
 * gup_oracle_nr_same() - how many leading entries of an array are in one folio
 * @pages: the entries; the first one is a page
 * @nr:    the number of entries
 *
 * Return: The number of leading entries.
 */
unsigned int gup_oracle_nr_same(struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!gup_array_is_page(pages[i]) ||
		    compound_head(pages[i]) != compound_head(pages[0]))
			break;

	return i;
}
