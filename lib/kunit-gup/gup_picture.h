/* SPDX-License-Identifier: GPL-2.0-only */
/* For the fixtures: the pictures of gup_kunit.h, word by word. */
#ifndef _GUP_PICTURE_H
#define _GUP_PICTURE_H

#include "gup_kunit.h"

/**
 * struct gup_word - a word in a picture of entries
 * @letter: the folio, or what else
 * @first:  its first page
 * @last:   its last page, may be the lower one
 * @nr:     number of entries
 * @bits:   GUP_BIT_*
 */
struct gup_word {
	char letter;
	unsigned int first;
	unsigned int last;
	unsigned int nr;
	unsigned int bits;
};

void gup_picture_folios(struct kunit *test, const char *folios,
			struct gup_folio *folio);
const char *gup_picture_word(const char *s, struct gup_word *word);
unsigned int gup_picture_count(const char *ptes);
unsigned int gup_picture_bits(const char *ptes);

/**
 * struct gup_picture_rules - what there may be in the pictures of a layout
 * @kinds: letters of the kinds of folios
 * @marks: what may stand behind them, each once
 * @bits:  letters behind a colon, for pages
 */
struct gup_picture_rules {
	const char *kinds;
	const char *marks;
	const char *bits;
};

/* For a table of its own, and for a real mm. */
extern const struct gup_picture_rules gup_rules_table;
extern const struct gup_picture_rules gup_rules_mm;

#define GUP_PROBLEM_TEXT	96

const char *gup_layout_problem(const struct gup_picture_rules *rules,
			       const char *folios, const char *ptes,
			       unsigned int max, char *text);
const char *gup_vmas_problem(const char *vmas, unsigned int max, char *text);
const char *gup_addresses_problem(const char *ask, unsigned int max,
				  char *text);
const char *gup_statuses_problem(const char *want, unsigned int max,
				 char *text);

const char *gup_letters_problem(const struct gup_folio *folio,
				const char *letters, char *text);

/* End the test if there is a problem, and show the picture. */
#define GUP_ASSERT_PICTURE(test, problem, picture) do {			\
	const char *__problem = (problem);				\
									\
	if (__problem)							\
		KUNIT_FAIL_AND_ABORT(test, "%s (in the picture %s)",	\
				     __problem, picture);		\
} while (0)

#endif /* _GUP_PICTURE_H */
