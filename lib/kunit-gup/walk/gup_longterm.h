/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The longterm check with a stub for each function of the rest of mm/ that it
 * calls.
 *
 * The stubs say whether a folio may be pinned, isolate it, drain the LRU caches,
 * and migrate it. So isolation and migration can fail, and there is a log of all
 * calls. The pins and the entries of the array are real. A folio that is coherent
 * memory of a device is one in ZONE_DEVICE, where there is that zone.
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
 * @looks:     the folios that are looked at, once for each time
 * @collected: the number of looks at a folio that may not be pinned
 * @drains:    for which folios the LRU caches are to be drained
 * @list:      the folios that are collected
 * @ret:       what the check returns
 *
 * 7.3 looks at repeated small pages each time, so these rows fail there.
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
 * @looks:     folios that were looked at, by letter
 * @drains:    folios for which the caches were drained
 * @list:      folios that were isolated
 * @migrated:  folios that were on the list to migrate
 * @putback:   folios that were put back
 * @drained:   where the state of the drain is kept
 * @nr_drains: how often it was kept in another place, or began again
 * @bad_refs:  how often the number of references of the caller was wrong
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
