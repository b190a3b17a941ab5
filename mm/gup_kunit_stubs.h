/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mm/gup.c asks other files to do with the folios of a longterm pin, with a
 * stub in front of each, so that a test can watch and replace it: UML has neither
 * ZONE_MOVABLE nor device memory, and nobody else counts how often the LRU caches
 * are drained. To be included by mm/gup.c only, after all other headers.
 */
#ifndef __MM_GUP_KUNIT_STUBS_H
#define __MM_GUP_KUNIT_STUBS_H

#include "gup_kunit_access.h"

#if defined(CONFIG_GUP_KUNIT_ACCESS) && !defined(CONFIG_GUP_KUNIT_BENCH)
#define folio_is_longterm_pinnable	gup_kunit_is_longterm_pinnable
#define folio_is_device_coherent	gup_kunit_is_device_coherent
#define folio_isolate_lru		gup_kunit_isolate_lru
#define folio_isolate_hugetlb		gup_kunit_isolate_hugetlb
#define lru_cache_drain_for_folio	gup_kunit_lru_cache_drain
#define migrate_device_coherent_folio	gup_kunit_migrate_device_coherent
#define migrate_pages			gup_kunit_migrate_pages
#define putback_movable_pages		gup_kunit_putback_movable_pages

/*
 * A page or folio that is not as it must be is warned of once, and then never
 * again: let a test see each, and keep the warning to itself.
 */
#undef VM_WARN_ON_ONCE_PAGE
#define VM_WARN_ON_ONCE_PAGE(cond, page)				\
	VM_WARN_ON_ONCE((cond) && !gup_kunit_warned(page))
#undef VM_WARN_ON_ONCE_FOLIO
#define VM_WARN_ON_ONCE_FOLIO(cond, folio)				\
	VM_WARN_ON_ONCE((cond) && !gup_kunit_warned(&(folio)->page))
#endif

#endif /* __MM_GUP_KUNIT_STUBS_H */
