# SPDX-License-Identifier: GPL-2.0-only
"""`make bench-uml`: time in the walkers, in kernels of several steps of the series on one CPU.

The suites gup_bench* measure inside one boot, and print a line for each operation and order. The
kernels are booted in turn, so that what the machine does meanwhile hits all of them.
"""

import os
import re
import shutil

from ..common import paths, ui
from ..common.errors import UserError
from ..run import build, kunit
from ..tree import patches, trees
from ..tree.worktree import Worktree, build_directory, prune
from .figures import TIME, Figures, Key, merge

LINE = re.compile(r"# .*\bgup_bench: (op=.*)$", re.M)
# Pages in each call: all that a page table of UML maps.
TABLE = 512
# As a production kernel: no checks that cost time in the walkers. One CPU, as nothing races.
CONFIG = ["CONFIG_GUP_KUNIT_BENCH=y", "CONFIG_DEBUG_VM=n", "CONFIG_DEBUG_INFO_NONE=y"]


def run(target, kdir, rounds, step, every_step):
    """Measure the first step against `step` (or the last, or all); print and store the result."""
    tree = trees.prepare(kdir, strict=True)
    steps = choose(trees.tested_steps(tree), step, every_step)
    args = [arg for arg in target.kernel_args if not arg.startswith("ncpus=")]
    variant = target.variant(f"bench-{target.name}", CONFIG, [*args, "ncpus=1"])
    work = Worktree(tree)
    prune(work, variant.name, [patches.slug(patch) for patch in patches.patch_files()])
    kernels = [(patch, _build(work, variant, patch, commit)) for patch, commit in steps]
    names = ["unpatched", *(["patched"] if len(steps) == 2 else
                            [f"step {patches.number(patch)}" for patch, _ in steps[1:]])]
    samples = {name: [] for name in names}
    progress = ui.Progress("measuring")
    for number in range(1, rounds + 1):
        for name, (patch, build_dir) in zip(names, kernels):
            progress.update(f"round {number} of {rounds}, step {patches.number(patch)}")
            samples[name].append(_boot(work.path, variant, build_dir, patch))
    progress.done(f"{rounds} rounds")
    Figures(target.name, TIME, names,
            {name: merge(boots) for name, boots in samples.items()}).publish()


def choose(steps, step, every_step):
    """Return the (patch, commit) pairs to measure; the first is the unpatched walker."""
    if len(steps) < 2 and not step:
        ui.note("the series has one step only; it is measured against itself")
    return steps if every_step else list(dict.fromkeys([steps[0], trees.step(steps, step)]))


def parse(log):
    """Return {Key: the median, in nanoseconds a page} from a kernel log."""
    found = {}
    for text in LINE.findall(log):
        fields = dict(word.split("=", 1) for word in text.split())
        key = Key(fields["op"], "write", TABLE, 4 << int(fields["order"]), "pte")
        found[key] = int(fields["median_ps_per_page"]) / 1000
    return found


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
    figures = parse(paths.read(build_dir / "test.log"))
    if verdict.failures or not figures:
        kunit.report(verdict, build_dir / "test.log")
        raise UserError(f"the benchmark of {patch.name} gave no figures",
                        f"see {paths.results('results', f'{name}.log')}")
    return figures


def pinned():
    """Return the start of a command that runs on one CPU, if there is taskset."""
    if not shutil.which("taskset"):
        return []
    return ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]
