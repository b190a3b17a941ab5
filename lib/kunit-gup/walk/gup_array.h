/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays of pages or folios, as GUP hands them out, and what is done with them.
 *
 * An array is the entries of a layout (see gup_kunit.h), one page each: "A0-3 Z B1".
 * "." is NULL, and "@" an error pointer. A run is written as the letter of its folio
 * and the number of entries, and several of them as "A4 Z1 B1".
 */
#ifndef _GUP_ARRAY_H
#define _GUP_ARRAY_H

#include "gup_kunit.h"

#define GUP_ARRAY_TEXT	256

/**
 * struct gup_array - an array, and a log of what happens to its folios
 * @fx:      the fixture, whose @pages is the array and @want a copy of it
 * @nr:      number of entries
 * @folios:  whether the entries are folios
 * @log:     what was released, as runs
 * @dirtied: the folios that were marked dirty, by letter
 * @unlocked: number of those that were not locked meanwhile
 * @released: NR_FOLL_PIN_RELEASED when the last of those was marked
 */
struct gup_array {
	struct gup_fixture *fx;
	unsigned int nr;
	bool folios;
	char log[GUP_ARRAY_TEXT];
	char dirtied[GUP_ARRAY_TEXT];
	unsigned int unlocked;
	long released;
};

struct gup_array *gup_array_create(struct kunit *test,
				   const struct gup_layout *layout, bool folios);
void gup_array_fill(struct gup_array *array);
char gup_array_letter(struct gup_fixture *fx, const struct page *page);
void gup_array_add_run(char *text, char letter, unsigned long nr);
void gup_array_reference(struct gup_array *array, char *text);
void gup_array_watch(struct gup_array *array);
void gup_array_pin(struct gup_array *array);
bool gup_array_check(struct gup_array *array, unsigned int first,
		     struct gup_diff *diff);
int gup_array_nr_counted(struct gup_array *array);
bool gup_array_is_page(const void *entry);
struct folio *gup_array_folio(struct gup_array *array, unsigned int i);
unsigned int gup_array_oracle(struct page **pages, unsigned int nr);

#endif /* _GUP_ARRAY_H */
