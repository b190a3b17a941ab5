/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all files of the suites share: folios by letter, layouts, rows, and the
 * kinds of requests.
 *
 * The files are on floors, and a file includes only what is below its own:
 *
 *	fast/ slow/ array/ nodes/ real/ self/ bench/	the suites
 *	walk/		call a function, interfere, compare what comes out
 *	fixture/	folios and page tables from a layout, or a real mm
 *	oracle/		what should come out, page by page
 *	gup_*.h		what is in this folder
 *
 * Unless a function says otherwise, it is called in the thread of the test, in
 * process context and without locks.
 */
#ifndef _GUP_KUNIT_H
#define _GUP_KUNIT_H

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

#include "gup_kunit_access.h"
#include "gup_test.h"
#include "internal.h"	/* FOLL_PIN */

#define GUP_MAX_FOLIOS	26
#define GUP_POISON	((struct page *)0x5a5a5a5aUL)

/*
 * References that a folio of a layout has before a walk, so many that it is not
 * freed by a walker that gives back too much.
 */
#define GUP_HELD	BIT(20)

/**
 * struct gup_layout - folios and the entries that map them, see gup_layout.h
 * @folios: the folios
 * @ptes:   the entries
 * @at:     index of the first entry in the table; -1: so that the last entry of
 *          the layout is the last of the table
 */
struct gup_layout {
	const char *folios;
	const char *ptes;
	int at;
};

/**
 * struct gup_folio - one folio of a layout; the letter of the first is A
 * @page:   its first page
 * @order:  its order
 * @kind:   the letter of its kind, 'a' for anonymous; 0: there is no such folio
 * @behind: whether it begins right where the folio before it ends
 * @refs:   the references that it has before a walk
 * @block:  the memory that it is made of
 */
struct gup_folio {
	struct page *page;
	unsigned int order;
	char kind;
	bool behind;
	int refs;
	struct gup_block *block;
};

/* The kinds of requests by short names, for rows. */
#define GUP_GET		FOLL_GET
#define GUP_GET_W	(FOLL_GET | FOLL_WRITE)
#define GUP_PIN		FOLL_PIN
#define GUP_PIN_W	(FOLL_PIN | FOLL_WRITE)
#define GUP_PIN_L	(FOLL_PIN | FOLL_LONGTERM)
#define GUP_PIN_LW	(FOLL_PIN | FOLL_LONGTERM | FOLL_WRITE)
#define GUP_TOUCH_W	(FOLL_TOUCH | FOLL_WRITE)

/* The flags of an ordinary private VMA, and of one that may not be written. */
#define GUP_VM_READ	(VM_READ | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC)
#define GUP_VM		(GUP_VM_READ | VM_WRITE)

static inline void gup_row_desc(struct kunit *test, const void *row, char *desc)
{
	strscpy(desc, *(const char * const *)row, KUNIT_PARAM_DESC_SIZE);
}

/*
 * GUP_ROWS() - let an array of rows, each of which begins with its name, be the
 *              parameters of cases
 * GUP_CASE_ROWS() - a case that calls a function for each row of such an array
 *
 * KUnit prints how many rows there are, so that none can get lost unnoticed.
 */
#define GUP_ROWS(rows)							\
static int rows##_init(struct kunit *test)				\
{									\
	const typeof(rows) *__rows = &(rows);				\
									\
	kunit_register_params_array(test, *__rows, ARRAY_SIZE(*__rows),	\
				    gup_row_desc);			\
									\
	return 0;							\
}

#define GUP_CASE_ROWS(case_name, fn, rows)				\
	{ .run_case = fn, .name = #case_name, .param_init = rows##_init, \
	  .generate_params = kunit_array_gen_params,			\
	  .module_name = KBUILD_MODNAME }

#endif /* _GUP_KUNIT_H */
