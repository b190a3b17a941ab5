/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays of pages or folios, as GUP hands them out, and what is done with them.
 *
 * An array is the entries of a layout, one page each: "A0-3 Z B1". "." is NULL,
 * and "@" an error pointer.
 */
#ifndef _GUP_ARRAY_H
#define _GUP_ARRAY_H

#include "fixture/gup_fixture.h"
#include "gup_diff.h"
#include "oracle/gup_oracle_array.h"

/**
 * struct gup_array - an array, and a log of what happens to its folios
 * @fx:      the fixture, whose @pages is the array and @want a copy of it
 * @nr:      number of entries
 * @folios:  whether the entries are folios
 * @log:     what was released, batch by batch
 * @dirtied: the folios that were marked dirty, by letter
 * @unlocked: number of those that were not locked then
 * @released: NR_FOLL_PIN_RELEASED when the last of those was marked dirty
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
void gup_array_watch(struct gup_array *array);
void gup_array_pin(struct gup_array *array);
int gup_array_nr_counted(struct gup_array *array);
bool gup_array_check(struct gup_array *array, unsigned int first,
		     struct gup_diff *diff);
void gup_array_expect(struct gup_array *array, unsigned int first,
		      const char *layout);

static inline char gup_array_letter(struct gup_fixture *fx,
				    const struct page *page)
{
	return gup_page_letter(fx->folio, page);
}

#endif /* _GUP_ARRAY_H */
