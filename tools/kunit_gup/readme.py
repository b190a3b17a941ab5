# SPDX-License-Identifier: GPL-2.0-only
"""README's table of targets and suites: made from results, and held against those of each run.

A column is a suite, with the number of results that ran; the last one says what was skipped.
"""

from collections import Counter

from . import paths, runner, targets
from .errors import UserError

README = paths.REPO / "README.md"
HEAD = "| target | "


def table():
    """Return the table of the results of all targets, as stored by their last runs."""
    found = {name: stored(name) for name in targets.table()}
    found = {name: results for name, results in found.items() if results}
    if not found:
        raise UserError("there are no results yet", "run `make kunit TARGET=all` first")
    suites = sorted({r.path[0] for results in found.values() for r in results})
    head = [f"{HEAD}{' | '.join(suites)} | skipped |", f"|---|{'---:|' * len(suites)}---|"]
    return "\n".join(head + [line(name, results, suites) for name, results in found.items()])


def stored(name):
    """Return the results of the last run of a target, or nothing."""
    files = runner.paths_of(name)
    return runner.read_results(files) if files["json"].exists() else []


def line(name, results, suites):
    """Return the line of one target."""
    ran = Counter(r.path[0] for r in results if r.status != "SKIP")
    why = Counter(r.reason for r in results if r.status == "SKIP")
    skipped = "; ".join(f"{count}: {reason}" for reason, count in sorted(why.items()))
    cells = [f"`{name}`", *(str(ran[suite]) for suite in suites), skipped]
    return f"| {' | '.join(cells)} |"


def problems(name, results):
    """Return what README's line of a target says that the `results` do not."""
    lines = README.read_text(encoding="utf-8").splitlines() if README.exists() else []
    head = next((text for text in lines if text.startswith(HEAD)), None)
    if head is None or name not in targets.table():
        return []
    suites = [cell.strip() for cell in head.strip("| ").split("|")][1:-1]
    missing = {r.path[0] for r in results} - set(suites)
    want = line(name, results, suites)
    if want in lines and not missing:
        return []
    return [f"README's table is not what came out, see `make table`: {want}"]
