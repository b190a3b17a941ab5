# SPDX-License-Identifier: GPL-2.0-only
"""The oracles share no code with the batching that they judge.

What batches is worked out, not listed: the functions of mm/gup_batch.h, folio_pte_batch*(), and
do_pages_stat*() of move_pages(); from there on every function, macro and initialised member that
names one that batches, in mm/ and in the suites. None of these names may stand in an oracle,
however many wrappers there are in between.
"""

import re

from .code import functions, strip

# The files in which predictions are made; only there may a function have such a name.
FILES = re.compile(r"lib/kunit-gup/(oracle/\w+|(\w+/)?gup_(oracle\w*|mm_read))\.c")
PREDICTS = re.compile(r"gup_(?!\w*(?:matches|expect)_oracle)(\w+_)?(oracle|reference)(_\w+)?")
SUITES = re.compile(r"lib/kunit-gup/(\w+/)?\w+\.[ch]")
MM = ("gup", "internal", "migrate", "mlock", "util")    # where the series' changes are
CODE = re.compile(rf"(mm/(gup_kunit\w*|gup_batch|{'|'.join(MM)})|lib/kunit-gup/(\w+/)?\w+)\.[ch]")
HEADER = "mm/gup_batch.h"
ALWAYS = re.compile(r"\.?(folio_pte_batch|do_pages_stat)\w*$")

NAME = re.compile(r"(->|\.)?\s*\b([A-Za-z_]\w*)\s*(\()?")
MACRO = re.compile(r"^#\s*define\s+(\w+)(?:\(([^)]*)\))?((?:.*\\\n)*.*)$", re.M)
POINTER = re.compile(r"\(\*(?:const\s+)?(\w+)\)\s*\(")
DATA = re.compile(r"^\t[\w \t]+[ *](\w+)(?:\[\w*\])?;", re.M)
# Of an initialiser, and an assignment to a pointer that others call.
MEMBER = re.compile(r"\.(\w+)\s*=\s*([^,;{}]+)")
ASSIGNED = re.compile(r"(?<![.>\w])(\w+)\s*=\s*&?(\w+)\s*[;,]")


def problems(texts):
    """Return what is wrong in {name: text} of C files: the suites, and the code of mm/."""
    if HEADER not in texts:
        return [f"{HEADER} is missing"]
    code = {name: strip(text) for name, text in texts.items() if CODE.fullmatch(name)}
    oracles = {name for name in code if FILES.fullmatch(name)}
    if not oracles:
        return ["there are no oracles"]
    found = _misplaced(code, oracles)
    batching = _batching(code)
    own = {function for name in oracles for function in defined(code[name])}
    for name in sorted(oracles):
        for number, line in enumerate(code[name].splitlines(), 1):
            for word in sorted(names(line) - own):
                if word in batching or ALWAYS.match(word):
                    found.append(f"{name}:{number}: {word} batches"
                                 + (f", by {batching[word]}" if batching.get(word) else ""))
        if re.search(r'^#\s*include\s+"(.*/)?gup_batch\.h"', texts[name], re.M):
            found.append(f"{name}: includes gup_batch.h")
    return found


def defined(text):
    """Return {name: what it names} of the functions and macros in C without comments.

    Of a name that has several, by #if, all together.
    """
    found = {}
    for function in functions(text):
        found.setdefault(function.name, set()).update(names(function.body))
    for match in MACRO.finditer(text):
        found.setdefault(match[1], set()).update(names(match[3]) - names(match[2] or ""))
    return found


def names(text):
    """Return the names in C without comments: name, .member, and .member() where it is called."""
    found = set()
    for dot, name, call in NAME.findall(text):
        found.add(f".{name}" if dot else name)
        if dot and call:
            found.add(f".{name}()")
    return found


def _batching(code):
    """Return {name: by which other name} of all that batches."""
    uses = {}
    for text in code.values():
        for what, used in defined(text).items():
            uses.setdefault(what, set()).update(used)
        for what, value in MEMBER.findall(text):
            uses.setdefault(f".{what}()", set()).update(names(value))
        for what, value in ASSIGNED.findall(text):
            uses.setdefault(what, set()).add(value)
    pointers = {name for text in code.values() for name in POINTER.findall(text)}
    calls = {what for text in code.values() for what in defined(text)} | pointers \
        | {f".{name}()" for name in pointers}
    # To take the address is enough, unless data somewhere else has the same name.
    for name in pointers - {name for text in code.values() for name in DATA.findall(text)}:
        if f".{name}()" in uses:
            uses[f".{name}"] = {f".{name}()"}
            calls.add(f".{name}")
    batching = dict.fromkeys(defined(code[HEADER]), "")
    batching.pop("__MM_GUP_BATCH_H", None)
    grown = True
    while grown:
        grown = False
        for what in calls & uses.keys() - batching.keys():
            by = next((n for n in sorted(uses[what]) if n in batching or ALWAYS.match(n)), None)
            if by:
                batching[what] = by
                grown = True
    return batching


def _misplaced(code, oracles):
    """Return the predictions that are made in other files; a case may be about an oracle."""
    return [f"{name}: {each.name}() is a prediction, which only an oracle makes"
            for name, text in sorted(code.items())
            if SUITES.fullmatch(name) and name not in oracles for each in functions(text)
            if PREDICTS.fullmatch(each.name) and not each.args.startswith("struct kunit *test")]
