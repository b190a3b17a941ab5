# SPDX-License-Identifier: GPL-2.0-only
"""What there is of a new file while others are not there yet.

Some new files grow with the mailed series: a list of objects, of suites, of helpers. What speaks
of something absent is left out of them: a declaration or function in C, an object in a Makefile,
an option in a Kconfig.
"""

import re

WORD = re.compile(r"\w+")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
BEGIN = re.compile(r"[A-Za-z_]")
LISTED = re.compile(r"\s+&(\w+),")
INCLUDE = re.compile(r'#include "([^"]+)"')
OBJECT = re.compile(r" (\w+)\.o\b")
EMPTY_IF = re.compile(r"^#ifdef .*\n#endif\n", re.M)


def cut(name, text, absent):
    """Return what there is of the file `name` without the `absent` words, or None if nothing is."""
    if name.endswith("Makefile"):
        return _makefile(text, absent)
    if name.endswith("Kconfig"):
        return _kconfig(text, absent)
    return _source(text, absent)


def functions(text):
    """Return {name: words of its code} of the functions in a C file."""
    return {_name(block): _words(block) for block in _blocks(text)
            if not isinstance(block, str) and block[-1].startswith("}") and _name(block)}


def needed(text, words):
    """Return the functions of a C file that code with these `words` calls, and what they call."""
    calls, found = functions(text), set()
    new = calls.keys() & words
    while new:
        found |= new
        new = (calls.keys() & set().union(*(calls[name] for name in new))) - found
    return found


def words_of(text):
    """Return the words of the code in a C file."""
    return set(WORD.findall(COMMENT.sub(" ", text)))


def _makefile(text, absent):
    lines = []
    for line in text.splitlines():
        kept = OBJECT.sub(lambda m: "" if f"{m[1]}.o" in absent else m[0], line)
        if kept == line or not kept.endswith("="):
            lines.append(kept)
    return "\n".join(lines) + "\n"


def _kconfig(text, absent):
    parts = re.split(r"^(?=config )", text, flags=re.M)
    kept = [part for part in parts if not part.startswith("config ")
            or part.split()[1] not in absent]
    return "".join(kept).rstrip("\n") + "\n"


def _source(text, absent):
    lines = [line for line in text.splitlines(True) if not _speaks_of(line.rstrip("\n"), absent)]
    if "".join(lines) != text:      # the end of a list may have gone
        text = EMPTY_IF.sub("", "".join(lines)).replace(",\n);", ");")
    blocks, absent, all_of_it = _blocks(text), set(absent), 0
    while all_of_it != len(absent):     # until no more functions have to go
        all_of_it = len(absent)
        for block in blocks:
            if not isinstance(block, str) and _words(block) & absent:
                absent |= {_name(block)} - {None}
    kept = [block for block in blocks if isinstance(block, str) or not _words(block) & absent]
    had = any(not isinstance(block, str) for block in blocks)
    if had and all(isinstance(block, str) for block in kept):
        return None
    out = []
    for block in kept:
        for line in [block] if isinstance(block, str) else block:
            if line or not out or out[-1]:      # no two empty lines on end
                out.append(line)
    return "\n".join(out).rstrip("\n") + "\n"


def _speaks_of(line, absent):
    found = LISTED.fullmatch(line) or INCLUDE.match(line)
    return bool(found) and found[1] in absent


def _blocks(text):
    """Return the parts of a C file: lines, and lists of lines that are one declaration each.

    The comment above a declaration belongs to it.
    """
    parts, lines, i = [], text.splitlines(), 0
    while i < len(lines):
        if not BEGIN.match(lines[i]):
            parts.append(lines[i])
            i += 1
            continue
        block = _comment_above(parts)
        while True:
            block.append(lines[i])
            i += 1
            if _ends(block) or i == len(lines):
                break
        parts.append(block)
    return parts


def _ends(block):
    last = block[-1]
    if last.startswith("}"):
        return True
    opened = any(line == "{" or line.endswith(("{", "({")) for line in block)
    return not opened and last.endswith(";")


def _comment_above(parts):
    """Take the comment off the end of `parts`; return its lines."""
    if not parts or not isinstance(parts[-1], str) or not parts[-1].endswith("*/"):
        return []
    taken = []
    while parts and isinstance(parts[-1], str):
        taken.insert(0, parts.pop())
        if taken[0].startswith("/*"):
            break
    return taken


def _name(block):
    """Return the name of the function that a block declares, or None; macros are in capitals."""
    found = re.search(r"\b([a-z_]\w*)\(", COMMENT.sub(" ", "\n".join(block)))
    return found[1] if found else None


def _words(block):
    return words_of("\n".join(block))
