/* SPDX-License-Identifier: GPL-2.0-only */
/* What the longterm check does with the folios of an array. */
#ifndef _GUP_ORACLE_LONGTERM_H
#define _GUP_ORACLE_LONGTERM_H

#include "oracle/gup_oracle_array.h"

/**
 * struct gup_lt_ask - an array, and properties of its folios, by letter
 * @folio:    the folios
 * @entries:  the entries of the array
 * @nr:       their number
 * @folios:   whether they are folios
 * @not:      as in &struct gup_lt_row
 * @coherent: as in &struct gup_lt_row
 * @hugetlb:  as in &struct gup_lt_row
 * @stuck:    as in &struct gup_lt_row
 */
struct gup_lt_ask {
	const struct gup_folio *folio;
	struct page **entries;
	unsigned int nr;
	bool folios;
	const char *not;
	const char *coherent;
	const char *hugetlb;
	const char *stuck;
};

/**
 * struct gup_lt_want - what has to happen
 * @looks:     as in &struct gup_lt_row
 * @drains:    as in &struct gup_lt_row
 * @list:      as in &struct gup_lt_row
 * @collected: as in &struct gup_lt_row
 * @isolated:  change of the statistic of isolated pages
 */
struct gup_lt_want {
	char looks[GUP_ARRAY_TEXT];
	char drains[GUP_ARRAY_TEXT];
	char list[GUP_ARRAY_TEXT];
	unsigned int collected;
	long isolated;
};

bool gup_lt_in(const char *letters, char letter);
void gup_lt_add(char *text, char letter);
void gup_oracle_longterm(const struct gup_lt_ask *ask, struct gup_lt_want *want);

#endif /* _GUP_ORACLE_LONGTERM_H */
