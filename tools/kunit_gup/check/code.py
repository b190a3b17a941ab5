# SPDX-License-Identifier: GPL-2.0-only
"""The functions in a C file, found by the kernel's layout of code."""

import functools
import re
from dataclasses import dataclass

# Comments first: an apostrophe in one begins no character constant.
NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
# A definition begins in the first column, and so does the brace that ends it.
FUNCTION = re.compile(r"^(?![#}{\s])(?:[^;{}=()]|\((?=[^;{}]*\)[^;{}]*\())*?\b(\w+)\("
                      r"([^;{}]*)\)[^;{}=()]*\n\{(.*?)^\}", re.M | re.S)


@dataclass(frozen=True)
class Function:
    """A definition, at text[start:end]."""

    name: str
    head: str       # what stands before its name
    args: str
    body: str
    start: int
    end: int


def strip(text):
    """Return C without comments, and with empty strings and characters, at the same offsets."""
    def blank(match):
        found = match[0]
        if found[0] == '"':
            return f'"{" " * (len(found) - 2)}"'
        return re.sub(r"[^\n]", " ", found) if found[0] == "/" else "0".ljust(len(found))
    return NOISE.sub(blank, text)


@functools.cache
def functions(text):
    """Return the Functions that are defined in a C file; of two by #if, both."""
    return [Function(match[1], match[0][:match.start(1) - match.start()], match[2], match[3],
                     *match.span()) for match in FUNCTION.finditer(strip(text))]
