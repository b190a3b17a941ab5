// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_protnone: entries of PROT_NONE, as for NUMA balancing.
 *
 * x86 stores the frame number of such an entry inverted, so that the raw value
 * falls as the frame number rises. Pages in rising order have to be a batch,
 * and pages in falling order must not be one, although their raw values rise.
 *
 * Without FOLL_HONOR_NUMA_FAULT, the slow path takes the pages of such entries.
 * With it, and in GUP-fast, they end the walk. The number of batches is tested
 * in gup_slow_pte_batch and gup_fast_batch.
 */
#include "walk/gup_fast.h"
#include "walk/gup_slow_pte.h"

#define GUP_PN_ALL	{ "A4", "A0-15:p" }
#define GUP_PN_TWO	{ "A2 B2+", "A0-3:p B0-3:p" }
#define GUP_PN_FALLING	{ "A3", "A7-0:p" }
#define GUP_PN_HALF	{ "A4", "A0-7 A8-15:p" }

static const struct gup_slow_pte_row gup_pn_slow_rows[] = {
	{ .name = "whole folio", .layout = GUP_PN_ALL,
	  .flags = GUP_GET, .gets = 16 },
	{ .name = "whole folio and pin", .layout = GUP_PN_ALL,
	  .flags = GUP_PIN, .gets = 16 },
	{ .name = "two neighbours", .layout = GUP_PN_TWO,
	  .flags = GUP_GET, .gets = 8 },
	{ .name = "falling order", .layout = GUP_PN_FALLING,
	  .flags = GUP_GET, .gets = 8 },
	{ .name = "second half", .layout = GUP_PN_HALF,
	  .flags = GUP_GET, .gets = 16 },
	{ .name = "whole folio to be honoured", .layout = GUP_PN_ALL,
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT, .ret = GUP_FAULT },
	{ .name = "two neighbours to be honoured", .layout = GUP_PN_TWO,
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT, .ret = GUP_FAULT },
	{ .name = "falling order to be honoured", .layout = GUP_PN_FALLING,
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT, .ret = GUP_FAULT },
	{ .name = "second half to be honoured", .layout = GUP_PN_HALF,
	  .flags = GUP_GET | FOLL_HONOR_NUMA_FAULT, .gets = 8,
	  .ret = GUP_FAULT },
};

GUP_ROWS(gup_pn_slow_rows);

static const struct gup_fast_row gup_pn_fast_rows[] = {
	{ .name = "whole folio", .layout = GUP_PN_ALL,
	  .flags = GUP_GET, .stop = GUP_NONE },
	{ .name = "two neighbours", .layout = GUP_PN_TWO,
	  .flags = GUP_GET, .stop = GUP_NONE },
	{ .name = "falling order", .layout = GUP_PN_FALLING,
	  .flags = GUP_GET, .stop = GUP_NONE },
	{ .name = "second half", .layout = GUP_PN_HALF,
	  .flags = GUP_GET, .gets = 8, .stop = GUP_NONE },
	{ .name = "second half and pin", .layout = GUP_PN_HALF,
	  .flags = GUP_PIN, .gets = 8, .stop = GUP_NONE },
};

GUP_ROWS(gup_pn_fast_rows);

static struct kunit_case gup_protnone_cases[] = {
	GUP_CASE_ROWS(protnone_slow, gup_slow_pte_row_run, gup_pn_slow_rows),
	GUP_CASE_ROWS(protnone_fast, gup_fast_row_run, gup_pn_fast_rows),
	{}
};

static struct kunit_suite gup_protnone_suite = {
	.name = "gup_protnone",
	.test_cases = gup_protnone_cases,
};

kunit_test_suite(gup_protnone_suite);
