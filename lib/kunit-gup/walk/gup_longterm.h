/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The longterm check with everything replaced that it asks the rest of mm/ to do.
 *
 * Whether a folio may be pinned, whether it is memory of a device, its isolation,
 * the drain of the LRU caches, and the migration: so every target can have folios of
 * every kind, isolation and migration can fail, and everything that happens is in a
 * log. The pins and the entries of the array are the real ones.
 */
#ifndef _GUP_LONGTERM_H
#define _GUP_LONGTERM_H

#include "oracle/gup_oracle_longterm.h"
#include "walk/gup_array.h"

/**
 * struct gup_lt_row - a longterm check
 * @name:      what is special about it
 * @layout:    the layout, whose entries are the array
 * @folios:    whether the array has folios instead of pages
 * @not:       the folios that may not be pinned for long, by letter
 * @coherent:  those of them that are coherent memory of a device
 * @hugetlb:   those of them that are of hugetlb
 * @stuck:     those that cannot be isolated
 * @stays:     those whose migration fails
 * @looks:     the folios that are looked at, as batches of one look each
 * @collected: how often one of them may not be pinned
 * @drains:    for which folios the LRU caches are to be drained
 * @list:      the folios that are collected
 * @ret:       what the check returns
 *
 * @looks and @collected are for a tree that skips what is repeated.
 */
struct gup_lt_row {
	const char *name;
	struct gup_layout layout;
	bool folios;
	const char *not;
	const char *coherent;
	const char *hugetlb;
	const char *stuck;
	const char *stays;
	const char *looks;
	unsigned int collected;
	const char *drains;
	const char *list;
	long ret;
};

/**
 * struct gup_lt - a longterm check and what happens in it
 * @row:       what to do
 * @array:     the array
 * @looks:     by letter, folios that it was asked about
 * @drains:    folios for which the caches were to be drained
 * @list:      folios that were isolated
 * @migrated:  folios that were on the list to migrate
 * @putback:   folios that were put back
 * @drained:   where the state of the drain is kept
 * @nr_drains: how often that was another place than before, or began anew
 * @bad_refs:  how often the references that the caller has were wrong
 */
struct gup_lt {
	const struct gup_lt_row *row;
	struct gup_array *array;
	char looks[GUP_ARRAY_TEXT];
	char drains[GUP_ARRAY_TEXT];
	char list[GUP_ARRAY_TEXT];
	char migrated[GUP_ARRAY_TEXT];
	char putback[GUP_ARRAY_TEXT];
	enum lru_cache_drained *drained;
	unsigned int nr_drains;
	unsigned int bad_refs;
};

struct gup_lt *gup_lt_create(struct kunit *test, const struct gup_lt_row *row);
void gup_lt_predict(struct gup_lt *lt, struct gup_lt_want *want);
unsigned long gup_lt_collect(struct gup_lt *lt, char *listed, long *isolated);
long gup_lt_nr_isolated(void);

#endif /* _GUP_LONGTERM_H */
