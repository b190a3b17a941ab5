# SPDX-License-Identifier: GPL-2.0-only
"""`make figures`: tools/pictures, from what make bench and make bench-profile have stored.

figures.md has a table for each target, kernel and kind of cost, and each case in which the series
costs more than the kernel without it.
"""

import json

from ..common import paths
from ..common.errors import UserError
from . import figures

DIRECTORY = paths.TOOLS / "pictures"
PAGE = DIRECTORY / "figures.md"
BASE = "unpatched"
OPS = {"get_fast": "get fast", "pin_fast": "pin fast", "get_slow": "get slow",
       "pin_longterm": "pin longterm", "unpin": "unpin", "move_pages": "`move_pages()`"}
ROWS = ((4, "pte"), (16, "pte"), (64, "pte"), (1024, "pte"), (2048, "pte"), (2048, "pmd"),
        (2048, "hugetlb"))
DRAWN = ("pin_fast", "pin_longterm", "unpin", "move_pages")
COUNTED = {name: f"{what} per page" for name, what in
           (("atomics", "Atomic operations"), ("page_lines", "Cache lines of struct pages"))}
WORSE = 1.005       # a ratio that is named
HEAD = """\
# What a page costs

Made by `make figures` from the last `make bench` and `make bench-profile` of each target: guest
instructions, counted by QEMU, of a kernel without KUnit. They say nothing about time: `make bench-here`
measures that. Each cell: Linux 7.3 → the kernel of the heading. Memory is written to (FOLL_WRITE), in
the longest calls.
"""


def run(names):
    """Write tools/pictures for those of the targets `names` that were measured."""
    stored = paths.RESULTS / "bench"
    parts = [HEAD]
    for name in names:
        if (stored / f"{name}.json").exists():
            measured = _load(stored / f"{name}.json")
            parts += page(name, measured, _load(stored / f"{name}-costs.json"))
            _figures(name, measured).draw(DIRECTORY, DRAWN)
    if len(parts) == 1:
        raise UserError("there are no figures yet", "run make bench, and make bench-profile")
    paths.write_atomically(PAGE, "\n".join(parts))


def _load(path):
    return json.loads(paths.read(path)) if path.exists() else []


def _figures(target, entries):
    """Return the Figures that were stored as `entries`."""
    values = {}
    for e in entries:
        values.setdefault(e["kernel"], {})[_key(e)] = [e["value"]]
    return figures.Figures(target, entries[0]["meter"], list(values), values)


def _key(e):
    return figures.Key(e["op"], e["access"], e["pages_per_call"], e["folio_kb"], e["mapping"])


def page(target, measured, counted):
    """Return the sections about one target."""
    parts = [f"## {target}\n"]
    parts += _tables("Instructions per page", measured, "value")
    for name, title in COUNTED.items():
        parts += _tables(title, counted, name)
    parts += ["\n".join(f"![{target}: {op}]({target}-{op}.svg)" for op in DRAWN) + "\n",
              _worse(measured)]
    return parts


def _tables(title, entries, name):
    """Return a table for each kernel but the one without the series."""
    values = {(e["kernel"], e["op"], e["folio_kb"], e["mapping"]): e[name]
              for e in sorted(entries, key=lambda e: e["pages_per_call"])
              if e["access"] == "write" or e["op"] == "move_pages"}
    found = []
    for kernel in dict.fromkeys(e["kernel"] for e in entries if e["kernel"] != BASE):
        lines = [f"| folio | {' | '.join(OPS.values())} |", "|---" * (len(OPS) + 1) + "|"]
        for row in ROWS:
            cells = [_cell(values, kernel, (op, *row)) for op in OPS]
            if any(cells):
                lines.append(f"| {figures.Key('', '', 0, *row).row} | {' | '.join(cells)} |")
        found.append(f"{title}, {kernel}:\n\n" + "\n".join(lines) + "\n")
    return found


def _cell(values, kernel, what):
    before, after = values.get((BASE, *what)), values.get((kernel, *what))
    return "" if before is None or after is None else f"{_short(before)} → {_short(after)}"


def _short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _worse(entries):
    """Return a list of the cases in which the series costs more."""
    values = {}
    for e in entries:
        values.setdefault(_key(e), {})[e["kernel"]] = e["value"]
    more = sorted(((each["patched"] / each[BASE], key, each) for key, each in values.items()
                   if each.get("patched", 0) > WORSE * each.get(BASE, 0) > 0),
                  key=lambda found: found[0], reverse=True)
    lines = [f"- {ratio:.3f}: {key.op}, {key.access}, {key.row}, {key.per_call} a call "
             f"({_short(each[BASE])} → {_short(each['patched'])})" for ratio, key, each in more]
    return ("Where the series costs more than 7.3, by ratio:\n\n" + "\n".join(lines) + "\n"
            if lines else "Nowhere does the series cost more than 7.3.\n")
