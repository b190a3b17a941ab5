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

#endif /* _GUP_PICTURE_H */
