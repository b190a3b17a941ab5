# SPDX-License-Identifier: GPL-2.0-only
"""Each of our files includes what it uses, and not by way of another header that may drop it.

A configuration that changes one header must not be the first to find out. What <linux/mm.h> and
<kunit/test.h> must include is not asked for.
"""

import re
from pathlib import PurePath

HEADERS = {
    "kunit/static_stub.h": r"\bkunit_(de)?activate_static_stub\b",
    "kunit/test-bug.h": r"\bkunit_(get|fail)_current_test\(",
    "kunit/test.h": r"\bKUNIT_(EXPECT|ASSERT)_|\bstruct kunit \*",
    "linux/completion.h": r"\b(init_completion|wait_for_completion\w*|complete(_all)?)\(",
    "linux/delay.h": r"\b(msleep|fsleep|usleep_range|udelay|ndelay)\(",
    "linux/err.h": r"\b(IS_ERR(_OR_NULL|_VALUE)?|PTR_ERR(_OR_ZERO)?|ERR_PTR)\(",
    "linux/file.h": r"\b(fput|fget)\(",
    "linux/highmem.h": r"\bk(un)?map_local\w*\(|\bmem(cpy_(from|to)|set)_(page|folio)\(",
    "linux/hugetlb.h": r"\bhstate_\w+\(|\bhuge_pte\w*\(",
    "linux/irqflags.h": r"\blocal_irq_(save|restore|disable|enable)\(|\birqs_disabled\(",
    "linux/kthread.h": r"\bkthread_\w+\(",
    "linux/ktime.h": r"\bktime_get\w*\(",
    "linux/log2.h": r"\b(ilog2|is_power_of_2|round(up|down)_pow_of_two|order_base_2)\(",
    "linux/memremap.h": r"\bstruct dev_pagemap\b",
    "linux/mman.h": r"\b(PROT_(NONE|READ|WRITE|EXEC)|MADV_[A-Z]\w+|"
                    r"MAP_(SHARED|PRIVATE|ANONYMOUS|FIXED|POPULATE|NORESERVE|HUGETLB))\b",
    "linux/pgalloc.h": r"\b(pgd|p4d|pud|pmd|pte)_(alloc|free)\w*\(",
    "linux/prandom.h": r"\bprandom_\w+\(",
    "linux/random.h": r"\bget_random_\w+\(",
    "linux/sched/mm.h": r"\b(mmget\w*|mmput|mmgrab|mmdrop|memalloc_\w+)\(",
    "linux/sched/signal.h": r"\b(send_sig\w*|flush_signals|(fatal_)?signal_pending)\(",
    "linux/shmem_fs.h": r"\bshmem_\w+\(",
    "linux/sizes.h": r"\bSZ_\d+[KMG]\b",
    "linux/sort.h": r"\bsort\(",
    "linux/swapops.h": r"\b(swp_entry_to_pte|pte_to_swp_entry|make_\w+_entry|softleaf_\w+)\(",
    "linux/uaccess.h": r"\b(copy_(from|to)_user|(get|put)_user|clear_user)\(",
    "linux/vmalloc.h": r"\bv[mz]alloc\w*\(|\bvfree\(",
}
BROUGHT = {"kunit/test.h": {"linux/err.h"}}     # what a header must include
OURS = re.compile(r"lib/kunit-gup/(\w+/)?\w+\.[ch]|mm/gup_\w+\.[ch]")
INCLUDE = re.compile(r'#\s*include\s+[<"]([^>"]+)[>"]')


def problems(texts):
    """Return which of our files use what they do not include; `texts` is {path: content}."""
    ours = {PurePath(path).name: (path, text) for path, text in texts.items()
            if OURS.fullmatch(path)}
    found = []
    for name, (path, text) in sorted(ours.items()):
        have, code = included(name, ours), _code(text)
        found += [f"{path} uses {used[0].strip(' (*')} and does not include <{header}>"
                  for header, pattern in HEADERS.items()
                  if header not in have and (used := re.search(pattern, code))]
    return found


def included(name, ours, seen=()):
    """Return the headers that a file of ours includes in every configuration, by ours as well."""
    found, depth = set(), 0
    if name not in ours or name in seen:
        return found
    for line in ours[name][1].splitlines():
        if re.match(r"#\s*if", line):
            depth += 1
        elif re.match(r"#\s*endif", line):
            depth -= 1
        elif (header := INCLUDE.match(line)) and depth <= name.endswith(".h"):   # in its guard
            found |= {header[1], *BROUGHT.get(header[1], ()),
                      *included(PurePath(header[1]).name, ours, (*seen, name))}
    return found


def _code(text):
    """Return `text` without comments, strings and the names of other files."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
