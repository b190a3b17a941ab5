# SPDX-License-Identifier: GPL-2.0-only
"""README's table of targets and suites: made from results, and held against those of each run.

A column is a target. A row is a suite, with the number of results that ran, or the reason of a
skip, with the number of results that it hit. A cell is empty where there is none.
"""

from collections import Counter

from . import judge, paths, runner, targets
from .errors import UserError

README = paths.REPO / "README.md"
HEAD = "| ran on | "
SKIPPED = "skipped: "
UPDATE = "run `make kunit TARGET=all` and `make table`"


def update():
    """Write the table of the last results of all targets to README; return what changed."""
    text = README.read_text(encoding="utf-8")
    old, columns = block(text), parse(block(text))
    for name in targets.table():
        results = stored(name)
        if results and judge.plan_differences(runner.pinned_plan(), judge.plan_of(results)):
            raise UserError(f"the last run of {name} was not one of all suites", UPDATE)
        if results:
            columns[name] = column(results)
        elif name not in columns:
            raise UserError(f"there are no results of {name} yet", UPDATE)
    new = render({name: columns[name] for name in targets.table()})
    if not old:
        raise UserError(f"README has no line that begins with '{HEAD}'", "say where the table goes")
    paths.write_atomically(README, text.replace(old, new))
    return old != new


def stored(name):
    """Return the results of the last run of a target, or nothing."""
    files = runner.paths_of(name)
    return runner.read_results(files) if files["json"].exists() else []


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


def block(text):
    """Return the lines of the table in `text`, or nothing."""
    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.startswith(HEAD)), len(lines))
    last = first
    while last < len(lines) and lines[last].startswith("|"):
        last += 1
    return "".join(lines[first:last])


def parse(table):
    """Return the columns {target: {row: cell}} of a table that render() wrote."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in table.splitlines()]
    if not lines:
        return {}
    found = {name: {} for name in lines[0][1:]}
    for row, *cells in lines[2:]:
        for name, cell in zip(found, cells):
            if cell:
                found[name][row.strip("`")] = cell
    return found


def problems(name, results):
    """Return what README's column of a target says that the `results` do not."""
    if name not in targets.table():
        return []
    says = parse(block(README.read_text(encoding="utf-8"))).get(name)
    if says is None:
        return [f"README's table has no {name}: {UPDATE}"]
    came = column(results)
    return [f"README's table has {says.get(row, 'none')} for '{row}' on {name}, "
            f"{came.get(row, 'none')} came out: {UPDATE}"
            for row in sorted(says.keys() | came.keys()) if says.get(row) != came.get(row)]
