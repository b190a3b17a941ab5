# SPDX-License-Identifier: GPL-2.0-only
"""`make bench-compare A= B=`: the figures of two runs of make bench or bench-here, side by side."""

import json
from pathlib import Path

from ..common import paths, ui
from ..common.errors import UserError
from . import figures


def run(first, second):
    """Print a table for each meter and operation that both files have."""
    one, other = load(first), load(second)
    names = list(one) + list(other)
    if len(set(names)) < len(names):    # the same kernel twice, or kernels of the same name
        one = {f"A:{name}": values for name, values in one.items()}
        other = {f"B:{name}": values for name, values in other.items()}
    tables = compare(one | other)
    if not tables:
        raise UserError("the two files have no figure in common", "measure both by the same command")
    for each in tables:
        print(each.text())
    ui.note(summary(tables))


def load(name):
    """Return {kernel: {(meter, Key): value}} of a stored JSON."""
    try:
        return _kernels(json.loads(paths.read(Path(name))))
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{name} has no figures of make bench or make bench-here",
                        "name one of build/bench/*.json") from None


def _kernels(entries):
    found = {}
    for entry in entries:
        key = figures.Key(entry["op"], entry["access"], entry["pages_per_call"],
                          entry["folio_kb"], entry["mapping"])
        found.setdefault(entry["kernel"], {})[entry["meter"], key] = float(entry["value"])
    return found


def compare(kernels):
    """Return the Figures of what all `kernels` have, one for each meter."""
    common = [key for key in next(iter(kernels.values()), {})
              if all(key in values for values in kernels.values())]
    return [figures.Figures("comparison", meter, list(kernels),
                            {name: {key: [values[meter, key]] for which, key in common
                                    if which == meter} for name, values in kernels.items()})
            for meter in dict.fromkeys(meter for meter, _ in common)]


def summary(tables):
    """Return a sentence about where the last kernel is worst, compared with the first."""
    first, *_, last = tables[0].kernels
    worst, each, key = max(
        ((each.median(last, key) / each.median(first, key), each, key)
         for each in tables for key in each.values[first] if each.median(first, key)),
        key=lambda found: found[0])
    return (f"the worst of all cases: {last} takes {worst:.2f} times what {first} does, "
            f"{key.op}, {key.access}, {key.per_call} a call, {key.row}, {each.meter}")
