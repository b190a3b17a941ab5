# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's files without the test access, for mailings that do not need the suites.

What the access consists of has few forms: includes, redirections to stubs, blocks that only
CONFIG_GUP_KUNIT_ACCESS builds, conditions that it opens, and functions that only wrap another one so
that it can be replaced; tools/series.toml has the latter.
"""

import re

from ..common.errors import UserError

OPTION = "CONFIG_GUP_KUNIT_ACCESS"
LEFT = re.compile(r"kunit", re.I)
# In this order; a line that stood apart takes one of the two empty lines around it along.
FORMS = (
    (re.compile(r'(?<=\n\n)#include <kunit/static_stub\.h>\n\n'), ""),
    (re.compile(r'^#include (<kunit/static_stub\.h>|"gup_kunit_access\.h")\n', re.M), ""),
    (re.compile(r"^\t+KUNIT_STATIC_STUB_REDIRECT\([^;]*\);\n\n?", re.M), ""),
    (re.compile(rf"^#if defined\((\w+)\) \|\| defined\({OPTION}\)$", re.M), r"#ifdef \1"),
    (re.compile(rf"/\* (\w+) \|\| {OPTION} \*/"), r"/* \1 */"),
    (re.compile(r"(?<=\n\n)#endif\s+/\* (\w+) \*/\n\n#ifdef \1\n"), ""),
    (re.compile(r"^#endif\s+/\* (\w+) \*/\n\n#ifdef \1\n", re.M), "\n"),
    (re.compile(r'^source "lib/kunit-gup/Kconfig"\n\n', re.M), ""),
    (re.compile(r"^obj-\$\(CONFIG_GUP_KUNIT_.*\n", re.M), ""),
    (re.compile(r"^F:\t(lib/kunit-gup/|mm/gup_kunit\*)\n", re.M), ""),
)
BLOCK = re.compile(rf"\n?^#ifdef {OPTION}\n", re.M)
CONDITION = re.compile(r"^#\s*(if|endif)", re.M)


def without(text, wrappers):
    """Return the `text` of a file of the kernel without the access.

    `wrappers` are [(text with the access, without it)], each to be replaced where it stands.
    """
    text = _without_blocks(text)
    for form, other in FORMS:
        text = form.sub(other, text)
    for old, new in wrappers:
        text = text.replace(old, new)
    return text


def _without_blocks(text):
    while found := BLOCK.search(text):
        depth, end = 1, found.end()
        while depth:
            condition = CONDITION.search(text, end)
            if not condition:
                raise UserError(f"an #ifdef {OPTION} has no end", "see the patches")
            depth += 1 if condition[1] == "if" else -1
            end = text.index("\n", condition.start()) + 1
        text = text[:found.start()] + text[end:]
    return text


def refuse_rest(name, before, text):
    """Stop if there is something of the access left that was not in the file `before`."""
    known = set(before.splitlines())
    rest = [line for line in text.splitlines() if LEFT.search(line) and line not in known]
    if rest:
        raise UserError(f"{name} without the test access still has: {rest[0].strip()}",
                        "see tools/kunit_gup/publish/access.py")
