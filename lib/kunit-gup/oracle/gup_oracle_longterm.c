// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle for the longterm check: what it does at each entry of the array.
 */
#include "gup_diff.h"
#include "oracle/gup_oracle_longterm.h"

/**
 * gup_lt_in() - is a folio in a list?
 * @letters: the list, or NULL
 * @letter:  the folio
 *
 * Return: Whether it is.
 */
bool gup_lt_in(const char *letters, char letter)
{
	return letters && letter && strchr(letters, letter);
}

/**
 * gup_lt_add() - add a folio to a list
 * @text:   the list, of %GUP_ARRAY_TEXT bytes
 * @letter: the folio
 */
void gup_lt_add(char *text, char letter)
{
	const size_t len = strlen(text);

	if (len + 1 < GUP_ARRAY_TEXT) {
		text[len] = letter;
		text[len + 1] = 0;
	}
}

/* A folio that several entries in a row are of is looked at once. */
static bool gup_lt_looked_at(const struct gup_lt_ask *ask, unsigned int i)
{
	return !i || compound_head((struct page *)ask->entries[i]) !=
		     compound_head((struct page *)ask->entries[i - 1]);
}

/**
 * gup_oracle_longterm() - what has to happen, entry by entry
 * @ask:  the array
 * @want: filled with it
 */
void gup_oracle_longterm(const struct gup_lt_ask *ask, struct gup_lt_want *want)
{
	struct folio *folio;
	unsigned int i;
	char letter;

	memset(want, 0, sizeof(*want));
	for (i = 0; i < ask->nr; i++) {
		if (!gup_lt_looked_at(ask, i))
			continue;
		folio = page_folio(ask->entries[i]);
		letter = gup_page_letter(ask->folio, &folio->page);
		gup_lt_add(want->looks, letter);
		if (!gup_lt_in(ask->not, letter))
			continue;
		want->collected++;
		if (gup_lt_in(ask->coherent, letter))
			continue;
		if (!gup_lt_in(ask->hugetlb, letter))
			gup_lt_add(want->drains, letter);
		if (gup_lt_in(ask->stuck, letter) || gup_lt_in(want->list, letter))
			continue;
		gup_lt_add(want->list, letter);
		if (!gup_lt_in(ask->hugetlb, letter))
			want->isolated += folio_nr_pages(folio);
	}
}
