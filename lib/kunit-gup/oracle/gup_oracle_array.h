/* SPDX-License-Identifier: GPL-2.0-only */
/* The batches of an array of pages or folios. */
#ifndef _GUP_ORACLE_ARRAY_H
#define _GUP_ORACLE_ARRAY_H

#include <linux/err.h>

#include "gup_kunit.h"

/* Batches as text: "A4 Z1 B1", the letter of a folio and a number of entries. */
#define GUP_ARRAY_TEXT	256

void gup_array_add_batch(char *text, char letter, unsigned long nr);

/* Entries may also be NULL or errors. */
static inline bool gup_array_is_page(const void *entry)
{
	return !IS_ERR_OR_NULL(entry);
}

void gup_oracle_batches(const struct gup_folio *folio, struct page **entries,
			unsigned int nr, char *text);
unsigned int gup_oracle_nr_same(struct page **pages, unsigned int nr);

#endif /* _GUP_ORACLE_ARRAY_H */
