// SPDX-License-Identifier: GPL-2.0-only
/*
 * All the suites of the module, in the order in which they run: what the others
 * rely on comes first. A new suite gets a line here and one in the Makefile.
 */
#include "gup_follow.h"
#include "gup_mm.h"
#include "gup_real.h"
#include "gup_nodes.h"

kunit_test_suites(&gup_fixture_suite,
		  &gup_batch_suite,
		  &gup_fast_suite,
		  &gup_fast_folio_suite,
		  &gup_fast_cases_suite,
		  &gup_fast_all_suite,
		  &gup_fast_race_suite,
		  &gup_fast_runs_suite,
		  &gup_fast_entry_suite,
		  &gup_mm_suite,
		  &gup_real_suite,
		  &gup_real_partial_suite,
		  &gup_real_special_suite,
		  &gup_real_memfd_suite,
		  &gup_real_swap_suite,
		  &gup_real_race_suite,
		  &gup_torn_suite,
		  &gup_nodes_suite,
		  &gup_nodes_kinds_suite,
		  &gup_nodes_call_suite,
		  &gup_nodes_overlap_suite,
		  &gup_nodes_runs_suite,
		  &gup_array_suite,
		  &gup_unpin_suite,
		  &gup_unpin_edge_suite,
		  &gup_unpin_added_suite,
		  &gup_longterm_suite,
		  &gup_longterm_real_suite,
		  &gup_longterm_cma_suite,
		  &gup_follow_suite,
		  &gup_follow_odd_suite,
		  &gup_follow_all_suite,
		  &gup_follow_runs_suite,
		  &gup_protnone_suite,
		  &gup_slow_suite,
		  &gup_slow_cases_suite,
		  &gup_slow_leaf_suite,
		  &gup_slow_huge_suite,
		  &gup_slow_retry_suite,
		  &gup_slow_poison_suite,
#ifdef CONFIG_GUP_KUNIT_BENCH
		  &gup_bench_suite,
		  &gup_bench_array_suite,
		  &gup_bench_slow_suite,
#endif
);

MODULE_DESCRIPTION("KUnit tests for pinning user memory in batches");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
