# SPDX-License-Identifier: GPL-2.0-only
"""`make bench-here`: the program of `make bench` on the running kernel, or in one guest.

It is no init there: it measures what the kernel has, says what it leaves out, and counts cycles and
cache misses where perf has counters for them. The settings of huge pages are put back in the end.
"""

import contextlib
import json
import os
import re
from pathlib import Path

from ..common import paths, proc, ui
from ..common.errors import UserError
from ..run import initramfs, targets
from ..tree import patches, trees
from ..tree.worktree import Worktree
from . import bench, bench_uml, figures

MACHINES = {"x86_64": "x86_64", "aarch64": "arm64"}
THP = Path("/sys/kernel/mm/transparent_hugepage")
RESERVED = Path("/proc/sys/vm/nr_hugepages")
CHOSEN = re.compile(r"\[(\w+)\]")
LEFT_OUT = re.compile(r"kunit-gup: (left out: .*)")


def run(kdir, rounds, megabytes, target=None):
    """Measure here, or in a guest of `target` with the series; print tables and store them."""
    tree = trees.prepare(kdir, strict=True)
    if target:
        name, texts = f"here-{target.name}", _guest(tree, target, rounds, megabytes)
        kernel = "patched"
    else:
        name = kernel = os.uname().release
        texts = _here(tree, rounds, megabytes)
    for line in dict.fromkeys(line for text in texts for line in LEFT_OUT.findall(text)):
        ui.note(line)
    boots = [bench.RESULT.findall(text) for text in texts]
    if not all(boots):
        raise UserError("nothing was measured", "see build/logs")
    found = [figures.Figures(name, meter, [kernel],
                             {kernel: figures.merge([figures.parse(lines, field)
                                                     for lines in boots])})
             for meter, field in figures.FIELDS.items() if figures.parse(boots[0], field)]
    print("\n".join(each.text() for each in found))
    path = paths.results("bench", f"{name}.json")
    stored = [entry for each in found for entry in each.objects()]
    paths.write_atomically(path, json.dumps(stored, indent=1) + "\n")
    ui.note(f"figures: {path}; make bench-compare A=ONE.json B=OTHER.json sets two side by side")


def _here(tree, rounds, megabytes):
    """Return what the program prints on this machine, a text for each round."""
    if os.geteuid():
        raise UserError("make bench-here opens gup_test and sets which huge pages there are, "
                        "which needs root", "run: sudo make bench-here")
    target = targets.table()[machine(os.uname().machine)]
    room(paths.read(Path("/proc/meminfo")), megabytes)
    log = paths.fresh_log("bench-here")
    program = initramfs.program(tree.path, target, paths.build(tree.name, "here"), log, "measure")
    progress = ui.Progress("measuring")
    with kept(settings()):
        texts = []
        for number in range(1, rounds + 1):
            progress.update(f"round {number} of {rounds}")
            texts.append(_once(program, megabytes))
    progress.done(f"{rounds} rounds")
    return texts


def _once(program, megabytes):
    """Run the program; it has ended when the settings are put back, whatever happens."""
    log = paths.fresh_log("bench-here-run")
    env = proc.clean_env(GUP_MB=str(megabytes), GUP_RUNS=str(bench.RUNS))
    with open(log, "w", encoding="utf-8") as file:
        child = proc.start([*bench_uml.pinned(), program], stdout=file, env=env)
        try:
            proc.finish(child)
        except BaseException:
            proc.kill_group(child)
            child.wait()
            raise
    return bench.complete("running", paths.read(log), log)


def machine(name):
    """Return the target whose program runs on a machine with this name."""
    if name not in MACHINES:
        raise UserError(f"the program of make bench does not know {name}",
                        f"it runs on {', '.join(MACHINES)}")
    return MACHINES[name]


def room(meminfo, megabytes):
    """Refuse to pin more than a third of what /proc/meminfo calls available."""
    available = int(re.search(r"^MemAvailable:\s+(\d+) kB$", meminfo, re.M)[1]) // 1024
    if 3 * megabytes > available:
        raise UserError(f"MB={megabytes} is too much for {available} MB of available memory",
                        f"say MB={available // 6 * 2} or less")


def settings(thp=THP, reserved=RESERVED):
    """Return {file: its value} of all that the program sets."""
    found = {path: CHOSEN.search(paths.read(path))[1]
             for path in sorted(thp.glob("hugepages-*kB/enabled"))}
    if reserved.exists():
        found[reserved] = paths.read(reserved).strip()
    return found


@contextlib.contextmanager
def kept(values):
    """Put the `values` of settings() back in the end."""
    try:
        yield
    finally:
        for path, value in values.items():
            path.write_text(value + "\n", encoding="ascii")


def _guest(tree, target, rounds, megabytes):
    """Return what the program prints in a guest, as a child of init."""
    patch, commit = trees.steps(tree)[-1]
    kernel, variant = bench.Kernel("patched", commit, patches.slug(patch)), bench.adapted(target)
    work = Worktree(tree)
    guest = bench.guest(work.path, variant, bench.build_kernel(work, variant, kernel))
    guest.settle()
    return [bench.console(guest, "here", megabytes, more=["GUP_HERE=1"])[0]
            for _ in range(rounds)]
