# SPDX-License-Identifier: GPL-2.0-only
"""The figures of `make bench` and `make bench-uml`: parsed, merged, as tables and as JSON."""

import json
import statistics
from dataclasses import dataclass
from typing import NamedTuple

from ..common import paths, ui
from ..common.errors import UserError
from . import plot

INSTRUCTIONS = "instructions"
TIME = "time"
CYCLES = "cycles"
MISSES = "cache misses"
UNITS = {INSTRUCTIONS: "guest instructions per page", TIME: "ns per page",
         CYCLES: "cycles per page", MISSES: "cache misses per page"}
# What the program prints of each on a machine; a guest's clock may count instructions.
FIELDS = {TIME: "ns", CYCLES: "cycles", MISSES: "misses"}
HUGE_KB = 2048
MAPPINGS = ("pte", "pmd", "hugetlb")
METERS = {INSTRUCTIONS: "counted by QEMU, no measure of time", TIME: "measured time",
          CYCLES: "counted by the processor", MISSES: "counted by the processor"}


# What a page cannot cost less than, in instructions: what is read and written for it.
FLOOR = ("floor: a load and a store", 2)
FLOORS = {"unpin": ("floor: a load", 1), "put": ("floor: a load and an atomic", 2)}


class Key(NamedTuple):
    """What was measured."""

    op: str
    access: str
    per_call: int
    folio_kb: int
    mapping: str

    @property
    def row(self):
        """Return the name of the folio in a table."""
        how = {"pmd": " by PMD", "hugetlb": " hugetlb"}.get(self.mapping, "")
        if self.mapping == "pte" and self.folio_kb == HUGE_KB:
            how = " by PTEs"
        return f"{self.folio_kb} kB{how}"


@dataclass
class Figures:
    """The figures of some kernels, the unpatched one first."""

    target: str
    meter: str
    kernels: list
    values: dict        # {kernel: {Key: [one value for each boot]}}

    def publish(self):
        """Print the tables, store the figures, and draw them."""
        print(self.text())
        path = paths.results("bench", f"{self.target}.json")
        paths.write_atomically(path, json.dumps(self.objects(), indent=1) + "\n")
        ui.note(f"figures: {path}")
        self.draw()

    def text(self):
        """Return one table for each operation."""
        tables = {}
        for key in self.values[self.kernels[0]]:
            tables.setdefault(key[:3], []).append(key)
        return "\n".join(self._table(*what, keys) for what, keys in tables.items())

    def _table(self, op, access, per_call, keys):
        pages = "page" if per_call == 1 else "pages"
        head, *others = self.kernels
        lines = ["", f"{self.target}: {op}, {access}, {per_call} {pages} a call",
                 f"{UNITS[self.meter]} ({METERS[self.meter]})",
                 f"{'folio':<16}{head:>14}" + "".join(f"{n:>14}{'ratio':>8}" for n in others)]
        for key in keys:
            base = self.median(head, key)
            line = f"{key.row:<16}{base:>14.2f}"
            for name in others:
                value = self.median(name, key)
                line += f"{value:>14.2f}{base / value if value else 0:>8.2f}"
            lines.append(line)
        return "\n".join(lines)

    def median(self, kernel, key):
        """Return the median over the boots of a kernel."""
        return statistics.median(self.values[kernel][key])

    def objects(self):
        """Return what is stored: one object for each kernel and figure."""
        return [{"target": self.target, "kernel": kernel, "op": key.op, "folio_kb": key.folio_kb,
                 "mapping": key.mapping, "access": key.access, "pages_per_call": key.per_call,
                 "meter": self.meter, "value": round(statistics.median(values), 3),
                 "min": round(min(values), 3), "max": round(max(values), 3),
                 "unit": UNITS[self.meter], "runs": len(values)}
                for kernel in self.kernels for key, values in self.values[kernel].items()]

    def draw(self, directory=None, ops=None):
        """Draw each operation, or these `ops`, for the longest calls: build/bench/TARGET-OP.svg."""
        directory = directory or paths.results("bench", "x").parent
        for op in ops or dict.fromkeys(key.op for key in self.values[self.kernels[0]]):
            keys = [key for key in self.values[self.kernels[0]] if key.op == op]
            keys = [key for key in keys if key.access == "write"] or keys
            longest = max(key.per_call for key in keys)
            keys = [key for key in keys if key.per_call == longest]
            plot.svg(directory / f"{self.target}-{op}.svg", f"{self.target}: {op}, {longest} pages a call\\n{METERS[self.meter]}",
                     UNITS[self.meter], [key.row for key in keys],
                     {name: [self.median(name, key) for key in keys] for name in self.kernels},
                     FLOORS.get(op, FLOOR) if self.meter == INSTRUCTIONS else None)
        ui.note(f"drawings: {directory}/{self.target}-*.svg")


def parse(lines, field="ns"):
    """Return {Key: value of the `field` per page} from the result lines of one boot."""
    found = {}
    for line in lines:
        fields = dict(word.split("=", 1) for word in line.split())
        if field not in fields:
            continue
        key = Key(fields["op"], fields["access"], int(fields["per_call"]), int(fields["kb"]),
                  fields["map"])
        found.setdefault(key, []).append(int(fields[field]) / int(fields["pages"]))
    return {key: statistics.median(values) for key, values in found.items()}


def merge(boots):
    """Return {Key: [value of each boot]}."""
    if any(boot.keys() != boots[0].keys() for boot in boots):
        raise UserError("the boots did not measure the same operations", "see build/logs")
    order = {mapping: place for place, mapping in enumerate(MAPPINGS)}
    return {key: [boot[key] for boot in boots]
            for key in sorted(boots[0], key=lambda key: (*key[:4], order.get(key.mapping)))}
