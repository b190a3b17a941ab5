# SPDX-License-Identifier: GPL-2.0-only
"""Measure the walkers: kernels of several steps of the series, booted in turn on one CPU.

The suites gup_bench and gup_bench_array measure inside one boot and print one line for each
operation and order. Alternating the kernels spreads what the machine does meanwhile over all of them.
"""

import json
import os
import re
import shutil
import statistics

from ..common import paths, ui
from ..common.errors import UserError
from ..run import build, kunit
from ..tree import patches, trees
from ..tree.worktree import Worktree, build_directory, prune
from . import plot
from .figures import METERS, TIME, UNITS

LINE = re.compile(r"# .*\bgup_bench: (op=.*)$", re.M)
# Pages in each call: all that a page table of UML maps.
TABLE = 512
# As a production kernel: no checks that cost time in the walkers. One CPU, as nothing races.
CONFIG = ["CONFIG_GUP_KUNIT_BENCH=y", "CONFIG_DEBUG_VM=n", "CONFIG_DEBUG_INFO_NONE=y"]


def run(target, kdir, rounds, step, every_step):
    """Measure the first step against `step` (or the last, or all); print and store the result."""
    tree = trees.prepare(kdir, strict=True)
    steps = choose(trees.steps(tree), step, every_step)
    variant = target.variant(f"bench-{target.name}", CONFIG, _one_cpu(target.kernel_args))
    work = Worktree(tree)
    prune(work, variant.name, [patches.slug(patch) for patch in patches.patch_files()])
    kernels = [(patch, _build(work, variant, patch, commit)) for patch, commit in steps]
    samples = {patch: [] for patch, _ in steps}
    progress = ui.Progress("measuring")
    for number in range(1, rounds + 1):
        for patch, build_dir in kernels:
            progress.update(f"round {number} of {rounds}, step {patches.number(patch)}")
            samples[patch].append(_boot(work.path, variant, build_dir, patch))
    progress.done(f"{rounds} rounds")
    figures = [(patch, merge(samples[patch])) for patch, _ in steps]
    print(table(figures))
    _store(target.name, figures, rounds)
    _draw(target.name, figures)


def choose(steps, step, every_step):
    """Return the (patch, commit) pairs to measure; the first is the unpatched walker."""
    if len(steps) < 2 and not step:
        ui.note("the series has one step only; it is measured against itself")
    if every_step:
        return steps
    chosen = [s for s in steps if patches.number(s[0]) == step] if step else steps[-1:]
    if not chosen:
        raise UserError(f"no STEP={step} in mm/patches",
                        f"known: {' '.join(patches.number(p) for p, _ in steps)}")
    return list(dict.fromkeys([steps[0], *chosen]))


def parse(log):
    """Return {(op, order): (minimum, median)} in picoseconds a page, from a kernel log."""
    found = {}
    for text in LINE.findall(log):
        fields = dict(word.split("=", 1) for word in text.split())
        found[fields["op"], int(fields["order"])] = (int(fields["min_ps_per_page"]),
                                                     int(fields["median_ps_per_page"]))
    return found


def merge(boots):
    """Return {(op, order): (minimum, median)} over boots: least minimum, median of medians."""
    keys = set(boots[0])
    if any(set(boot) != keys for boot in boots):
        raise UserError("the boots did not measure the same operations", "see build/results")
    return {key: (min(boot[key][0] for boot in boots),
                  statistics.median(boot[key][1] for boot in boots)) for key in sorted(keys)}


def table(figures):
    """Return the figures as text: nanoseconds a page, and unpatched divided by patched."""
    (first, base), *others = figures
    head = f"{'ns per page':<24}{'unpatched ' + patches.number(first):>18}"
    head += "".join(f"{'step ' + patches.number(patch):>18}{'ratio':>8}" for patch, _ in others)
    lines = [head, f"{'op':<18}{'order':>6}" + f"{'min':>9}{'median':>9}"
             + f"{'min':>9}{'median':>9}{'':>8}" * len(others)]
    for key in base:
        row = f"{key[0]:<18}{key[1]:>6}" + _cells(base[key])
        for _, figure in others:
            row += _cells(figure[key]) + f"{base[key][1] / max(figure[key][1], 1):>8.2f}"
        lines.append(row)
    return "\n".join(lines)


def _cells(pair):
    return "".join(f"{ps / 1000:>9.3f}" for ps in pair)


def _one_cpu(kernel_args):
    return [arg for arg in kernel_args if not arg.startswith("ncpus=")] + ["ncpus=1"]


def _build(work, variant, patch, commit):
    """Build the kernel of one step; return its build directory."""
    build_dir = build_directory(work, variant.name, patches.slug(patch))
    ui.note(f"step {patch.name}")
    log = paths.fresh_log(f"build-{variant.name}-{patches.number(patch)}")
    with work.at(commit, build_dir) as source:
        build.kunit_kernel(source, variant, build_dir, log)
    return build_dir


def _boot(source, variant, build_dir, patch):
    name = f"bench-{patches.number(patch)}"
    verdict = kunit.boot(source, variant, build_dir, name, pattern="gup_bench*", quiet=True,
                          prefix=pinned())
    figures = parse((build_dir / "test.log").read_text(encoding="utf-8", errors="replace"))
    if verdict.problems or verdict.count("FAIL", "ERROR") or not figures:
        kunit.report(verdict, build_dir / "test.log")
        raise UserError(f"the benchmark of {patch.name} gave no figures",
                        f"see {paths.results('results', f'{name}.log')}")
    return figures


def pinned():
    """Return the start of a command that runs on one CPU, if there is taskset."""
    if not shutil.which("taskset"):
        return []
    return ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]


def _named(figures):
    """Return (name, figures) of each kernel, by the names that `make bench` uses."""
    names = ["unpatched", *(["patched"] if len(figures) == 2 else
                            [f"step {patches.number(patch)}" for patch, _ in figures[1:]])]
    return list(zip(names, (figure for _, figure in figures)))


def _store(target, figures, rounds):
    path = paths.results("bench", f"{target}.json")
    entries = [{"target": target, "kernel": name, "op": op, "folio_kb": 4 << order,
                "mapping": "pte", "access": "write", "pages_per_call": TABLE,
                "meter": TIME, "value": median / 1000, "min": minimum / 1000,
                "unit": UNITS[TIME], "runs": rounds}
               for name, figure in _named(figures)
               for (op, order), (minimum, median) in figure.items()]
    paths.write_atomically(path, json.dumps(entries, indent=1) + "\n")
    ui.note(f"figures: {path}")


def _draw(target, figures):
    """Draw a picture of each operation: build/bench/TARGET-OP.svg."""
    base = figures[0][1]
    for op in dict.fromkeys(op for op, _ in base):
        orders = [order for other, order in base if other == op]
        plot.svg(paths.results("bench", f"{target}-{op}.svg"), f"{target}: {op}\\n{METERS[TIME]}",
                 UNITS[TIME], [f"{4 << order} kB" for order in orders],
                 {name: [figure[op, order][1] / 1000 for order in orders]
                  for name, figure in _named(figures)})
    ui.note(f"pictures: {paths.results('bench', f'{target}-*.svg')}")
