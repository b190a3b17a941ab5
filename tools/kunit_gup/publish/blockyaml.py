# SPDX-License-Identifier: GPL-2.0-only
"""Reads the part of YAML that our own files use, so that no module for it must be installed.

Mappings and lists in block style, strings and numbers on one line, comments on lines of their own.
"""

import re

from ..common.errors import UserError

ENTRY = re.compile(r"([\w.-]+):(?: +(.*))?")


def load(text, name):
    """Return the content of a YAML file called `name`; what is outside of the part is an error."""
    lines = [(number, len(line) - len(line.lstrip(" ")), line.strip())
             for number, line in enumerate(text.splitlines(), 1)
             if line.strip() and not line.lstrip().startswith("#")]
    reader = _Reader(lines, name)
    value = reader.block(0)
    if reader.lines:
        reader.refuse("is not as deep as what it belongs to")
    return value


class _Reader:
    def __init__(self, lines, name):
        self.lines = lines
        self.name = name

    def refuse(self, why):
        number, _, text = self.lines[0]
        raise UserError(f"{self.name}:{number}: '{text}' {why}", "see tools/kunit_gup/blockyaml.py")

    def block(self, depth):
        """Read the mapping or list that begins here, at least `depth` deep."""
        if not self.lines or self.lines[0][1] < depth:
            return None
        deep = self.lines[0][1]
        items, entries = [], {}
        while self.lines and self.lines[0][1] == deep:
            number, _, text = self.lines[0]
            if text.startswith("- "):
                self.lines[0] = (number, deep + 2, text[2:])
                items.append(self.block(deep + 2) if ENTRY.fullmatch(text[2:]) else self._scalar())
            else:
                self._entry(entries, deep)
        if items and entries:
            raise UserError(f"{self.name}: a list and a mapping in one place", "part them")
        return items or entries

    def _entry(self, entries, deep):
        found = ENTRY.fullmatch(self.lines[0][2])
        if not found:
            self.refuse("is neither 'key: value' nor an item of a list")
        if found[1] in entries:
            self.refuse("is there twice")
        if found[2]:
            entries[found[1]] = self._value(found[2])
            self.lines.pop(0)
        else:
            self.lines.pop(0)
            entries[found[1]] = self.block(deep + 1)

    def _scalar(self):
        value = self._value(self.lines[0][2])
        self.lines.pop(0)
        return value

    def _value(self, text):
        if text[0] in "'\"":
            if len(text) < 2 or text[-1] != text[0] or text[0] in text[1:-1] or "\\" in text:
                self.refuse("has a string that is not plain between its quotes")
            return text[1:-1]
        if text[0] in "&*!|>%@`[{" or ": " in text or " #" in text:
            self.refuse("is YAML that is not understood here")
        return int(text) if text.isdigit() else text
