# SPDX-License-Identifier: GPL-2.0-only
"""`make table`: what ran where, from the last results of each target.

A column is a target. A row is a suite, with the number of results that ran, or the reason of a
skip, with the number of results that it hit. A cell is empty where there is none.
"""

from collections import Counter

from ..common import paths
from ..common.errors import UserError
from ..run import judge, kunit, targets

FILE = "targets.md"
HEAD = "| ran on | "
SKIPPED = "skipped: "


def write():
    """Write the table of the last results to build/; return its path."""
    columns = {}
    for name in targets.table():
        results = stored(name)
        if results and judge.plan_differences(kunit.pinned_plan(), judge.plan_of(results)):
            raise UserError(f"the last run of {name} was not one of all suites",
                            f"run `make kunit TARGET={name}`")
        if results:
            columns[name] = column(results)
    if not columns:
        raise UserError("there are no results yet", "run `make kunit TARGET=all`")
    path = paths.results(FILE)
    paths.write_atomically(path, render(columns))
    return path


def stored(name):
    """Return the results of the last run of a target, or nothing."""
    files = kunit.paths_of(name)
    return kunit.read_results(files) if files["json"].exists() else []


def column(results):
    """Return {row: cell} of one target."""
    ran = Counter(r.path[0] for r in results if r.status != "SKIP" and r.path[1:])
    why = Counter(f"{SKIPPED}{r.reason}" for r in results if r.status == "SKIP")
    return {row: str(count) for row, count in [*sorted(ran.items()), *sorted(why.items())]}


def render(columns):
    """Return the lines of the table with the `columns` {target: {row: cell}}."""
    rows = {row for cells in columns.values() for row in cells}
    rows = sorted(rows, key=lambda row: (row.startswith(SKIPPED), row))
    lines = [f"{HEAD}{' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for row in rows:
        name = row if row.startswith(SKIPPED) else f"`{row}`"
        cells = [cells.get(row, "") for cells in columns.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "".join(f"{line}\n" for line in lines)
