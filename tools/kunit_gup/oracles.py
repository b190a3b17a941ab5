# SPDX-License-Identifier: GPL-2.0-only
"""The oracles share no code with the batching that they judge.

What batches is worked out, not listed: the functions of mm/gup_batch.h and folio_pte_batch*(),
and from there on every function, macro and initialised member that names one that batches, in
mm/ and in the suites. None of these names may stand in an oracle, wherever it is and however
many wrappers there are in between.
"""

import re

# The files in which predictions are made; only there may a function have such a name.
FILES = re.compile(r"lib/kunit-gup/gup_(oracle\w*|mm_read)\.c")
PREDICTS = re.compile(r"^gup_\w*(oracle|reference|predict)")
SUITES = re.compile(r"lib/kunit-gup/\w+\.[ch]")
CODE = re.compile(r"(mm/(gup_kunit\w*|gup_batch|gup|migrate|mlock|util)|lib/kunit-gup/\w+)\.[ch]")
HEADER = "mm/gup_batch.h"
ALWAYS = re.compile(r"folio_pte_batch\w*$")

# Comments first: an apostrophe in one begins no character constant.
NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
NAME = re.compile(r"[A-Za-z_]\w*")
# A definition begins in the first column, and so does the brace that ends it.
FUNCTION = re.compile(r"^(?![#}{\s])(?:[^;{}=()]|\((?=[^;{}]*\)[^;{}]*\())*?\b(\w+)\("
                      r"[^;{}]*\)[^;{}=()]*\n\{(.*?)^\}", re.M | re.S)
MACRO = re.compile(r"^#\s*define\s+(\w+)((?:.*\\\n)*.*)$", re.M)
# Of an initialiser, and an assignment to a pointer that others call.
MEMBER = re.compile(r"\.(\w+)\s*=\s*([^,;{}]+)")
ASSIGNED = re.compile(r"\b(\w+)\s*=\s*&?(\w+)\s*[;,]")


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
    for name in sorted(oracles):
        for number, line in enumerate(code[name].splitlines(), 1):
            for word in NAME.findall(line):
                if word in batching or ALWAYS.match(word):
                    found.append(f"{name}:{number}: {word} batches"
                                 + (f", by {batching[word]}" if batching.get(word) else ""))
        if re.search(r'^#\s*include\s+"gup_batch\.h"', texts[name], re.M):
            found.append(f"{name}: includes gup_batch.h")
    return found


def strip(text):
    """Return C without comments, strings and characters, on the same lines."""
    return NOISE.sub(lambda m: '""' if m[0][0] == '"' else "0" if m[0][0] == "'"
                     else "\n" * m[0].count("\n") or " ", text)


def functions(text):
    """Return {name: body} of the functions that are defined in C without comments."""
    return {m[1]: m[2] for m in FUNCTION.finditer(text)}


def _batching(code):
    """Return {name: by which other name} of all that batches."""
    uses = {}       # name: what it names
    for name, text in code.items():
        own = functions(text) | {m[1]: m[2] for m in MACRO.finditer(text)}
        for what, body in own.items():
            uses.setdefault(what, set()).update(NAME.findall(body))
        for pattern in (MEMBER, ASSIGNED):
            for what, value in pattern.findall(text):
                uses.setdefault(what, set()).update(NAME.findall(value))
    batching = dict.fromkeys(functions(code[HEADER]), "")
    # Variables and fields that have the name of a number do not stand for a function.
    callable_ = {n for text in code.values() for n in functions(text)} | _pointers(code) \
        | {m[1] for text in code.values() for m in MACRO.finditer(text)}
    grown = True
    while grown:
        grown = False
        for what, names in uses.items():
            by = next((n for n in sorted(names) if n in batching or ALWAYS.match(n)), None)
            if by and what not in batching and what in callable_:
                batching[what] = by
                grown = True
    return batching


def _pointers(code):
    """Return the names that are declared as pointers to functions."""
    return {m[1] for text in code.values() for m in re.finditer(r"\(\*(?:const\s+)?(\w+)\)\s*\(", text)}


def _misplaced(code, oracles):
    """Return the predictions that are made in other files."""
    return [f"{name}: {function}() belongs in lib/kunit-gup/gup_oracle_*.c"
            for name, text in sorted(code.items())
            if SUITES.fullmatch(name) and name not in oracles
            for function in functions(text)
            if PREDICTS.match(function) and not function.startswith("gup_fixture_")]
