/* SPDX-License-Identifier: GPL-2.0-only */
/* Compare values and pages, and show pages by the letters of a layout. */
#ifndef _GUP_DIFF_H
#define _GUP_DIFF_H

#include "gup_kunit.h"

/**
 * struct gup_name - a page as messages show it
 * @text: "A3", "Z", "poison", "no page", "error -14", or "another page"
 */
struct gup_name {
	char text[16];
};

struct gup_name gup_page_name(const struct gup_folio *folio, const void *page);
char gup_page_letter(const struct gup_folio *folio, const struct page *page);

/**
 * struct gup_diff - the first thing that was not as it should be
 * @what:  in words; NULL when all is well
 * @idx:   where: an entry of the table or of the array, or a page of a block
 * @got:   the value found
 * @want:  the value expected
 * @folio: NULL, or the folios by letter: the values are pages of them
 */
struct gup_diff {
	const char *what;
	unsigned long idx;
	long got;
	long want;
	const struct gup_folio *folio;
};

bool gup_differs(struct gup_diff *diff, const char *what, unsigned long idx,
		 long got, long want);
bool gup_differs_page(struct gup_diff *diff, const struct gup_folio *folio,
		      const char *what, unsigned long idx, const void *got,
		      const void *want);
void gup_expect_no_diff(struct kunit *test, const struct gup_diff *diff,
			const char *layout);

/*
 * GUP_EXPECT_PAGE() - compare two pages, NULL, errors or %GUP_POISON, and show
 *                     them by the letters of @folio
 * GUP_EXPECT_PAGE_AT() - the same in a loop, with the number of the page
 */
#define GUP_EXPECT_PAGE_AT(test, folio, got, want, idx) do {		\
	const void *__got = (got), *__want = (want);			\
	const struct gup_folio *__folio = (folio);			\
									\
	if (__got != __want)						\
		KUNIT_FAIL(test, "%s, number %ld: got %s, want %s",	\
			   #got, (long)(idx),				\
			   gup_page_name(__folio, __got).text,		\
			   gup_page_name(__folio, __want).text);	\
} while (0)

#define GUP_EXPECT_PAGE(test, folio, got, want) do {			\
	const void *__got = (got), *__want = (want);			\
	const struct gup_folio *__folio = (folio);			\
									\
	if (__got != __want)						\
		KUNIT_FAIL(test, "%s: got %s, want %s", #got,		\
			   gup_page_name(__folio, __got).text,		\
			   gup_page_name(__folio, __want).text);	\
} while (0)

#endif /* _GUP_DIFF_H */
