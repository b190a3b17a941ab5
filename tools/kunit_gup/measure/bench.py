# SPDX-License-Identifier: GPL-2.0-only
"""`make bench`: the same work end to end in kernels without KUnit, booted in turn.

Without an accelerator QEMU's instruction counter is the clock of the guest: a nanosecond there is
an instruction, and that is what is printed. It is never called time.
"""

import re
from dataclasses import dataclass, replace

from ..common import paths, ui
from ..common.errors import UserError
from ..publish import mailings
from ..run import build, initramfs, machine
from ..tree import patches, peers, trees
from ..tree.worktree import Worktree, build_directory, prune
from . import bench_uml, figures

# As a production kernel, but for GUP_TEST, which is what measures.
NO_KUNIT = ["CONFIG_KUNIT=n", "CONFIG_GUP_KUNIT_TEST=n"]
CONFIG = ["CONFIG_DEBUG_VM=n",
          "CONFIG_DEBUG_INFO_NONE=y", "CONFIG_DEBUG_FS=y", "CONFIG_GUP_TEST=y",
          "CONFIG_BLK_DEV_INITRD=y", "CONFIG_BINFMT_ELF=y", "CONFIG_PRINTK=y",
          "CONFIG_PROC_PAGE_MONITOR=y", "CONFIG_RANDOMIZE_BASE=n", "CONFIG_DEVTMPFS=y",
          "CONFIG_IO_URING=y", "CONFIG_BLK_DEV=y", "CONFIG_BLK_DEV_NULL_BLK=y",
          "CONFIG_MQ_IOSCHED_DEADLINE=y", "CONFIG_JUMP_LABEL=y"]
ICOUNT = ("-icount", "shift=0,sleep=off")
MEMORY = 2048               # MB of the guest
RUNS = 3                    # in one boot: now and then the kernel does something else meanwhile
PROBE = (["GUP_PROBE=1", "panic=-1"], "kunit-gup: booted")
CALIBRATION = re.compile(r"kunit-gup: calibration instructions=(\d+) ns=(\d+)")
RESULT = re.compile(r"kunit-gup: (op=.*)$", re.M)
ERROR = re.compile(r"kunit-gup: (?:error: )?(.*)")


@dataclass(frozen=True)
class Kernel:
    """A kernel to measure: its name in the tables and the commit it is built from."""

    name: str
    commit: str
    slug: str       # of its build directory
    suites: bool = False    # KUnit and the suites are built in, and none runs


def run(target, kdir, rounds, megabytes, step="", peer="", idle=False):
    """Measure the kernels without the series, with it up to `step` or whole, and with `peer`.

    With `idle` also the one with the series when KUnit and the suites are in it, and none runs.
    """
    tree = trees.prepare(kdir, strict=True)
    kernels = choose(tree, step, peer)
    if idle:
        kernels.insert(2, replace(kernels[1], name="idle", slug=f"{kernels[1].slug}-idle",
                                  suites=True))
    variant = adapted(target)
    work = Worktree(tree)
    prune(work, variant.name, [kernel.slug for kernel in kernels])
    built = [(kernel, build_kernel(work, adapted(target, kernel.suites), kernel))
             for kernel in kernels]
    guests = [(kernel, guest(work.path, variant, build_dir)) for kernel, build_dir in built]
    meter = settle([each for _, each in guests])
    rounds = rounds or (2 if meter == figures.INSTRUCTIONS else 7)
    samples = {kernel.name: [] for kernel in kernels}
    progress = ui.Progress("measuring")
    for number in range(1, rounds + 1):
        for kernel, each in guests:
            progress.update(f"round {number} of {rounds}, {kernel.name}")
            samples[kernel.name].append(boot(each, kernel.name, meter, megabytes))
    progress.done(f"{rounds} rounds")
    figures.Figures(target.name, meter, [kernel.name for kernel in kernels],
                    {name: figures.merge(boots) for name, boots in samples.items()}).publish()


def choose(tree, step, peer=""):
    """Return the Kernels: without the series, with it up to `step` or whole, with each `peer`.

    A `step` may also be the name of a mailing: with that, and what comes before it.
    """
    if step in mailings.names():
        patched = Kernel(step, mailings.tip(tree, step), f"mailing-{step}")
    else:
        patch, commit = trees.step(trees.steps(tree), step)
        patched = Kernel("patched", commit, patches.slug(patch))
    return [Kernel("unpatched", tree.state["base"], "unpatched"), patched,
            *(_peer(tree, each) for each in peers.names(peer))]


def _peer(tree, peer):
    """Return the Kernel with another series."""
    name = peers.title(peer)
    return Kernel(name, peers.commit(tree, peer), name)


def adapted(target, suites=False):
    """Return `target` with the configuration and the machine of the benchmark: one plain CPU.

    KUnit and the `suites` are built in, or not.
    """
    args = list(target.qemu_args)
    if "-smp" in args:
        at = args.index("-smp")
        del args[at:at + 2]
    config = CONFIG if suites else [*CONFIG, *NO_KUNIT]
    return target.variant(f"endtoend-{target.name}", config, [], timeout=1800,
                          qemu_args=(*args, "-smp", "1", "-m", str(MEMORY)))


def build_kernel(work, variant, kernel):
    """Build a kernel; return its build directory."""
    build_dir = build_directory(work, variant.name, kernel.slug)
    ui.note(f"kernel {kernel.name}: {kernel.slug}")
    log = paths.fresh_log(f"build-{variant.name}-{kernel.name}")
    with work.at(kernel.commit, build_dir) as source:
        build.configure(source, variant, build_dir, log)
        build.make(source, variant, build_dir, log, "olddefconfig", "all")
        init = initramfs.program(source, variant, build_dir, log, "measure")
    initramfs.pack(build_dir, ["dir /dev 0755 0 0", "nod /dev/console 0600 0 0 c 5 1",
                               "dir /proc 0755 0 0", "dir /sys 0755 0 0",
                               f"file /init {init} 0755 0 0"])
    return build_dir


def guest(source, variant, build_dir):
    """Return the Machine for a built kernel."""
    found = machine.machine(source, variant, build_dir, build_dir / initramfs.ARCHIVE)
    found.probe = PROBE
    return found


def settle(guests):
    """Let all guests use the accelerator that the first can use; return the meter."""
    first, *others = guests
    first.settle()
    for other in others:
        other.accel = first.accel
    if first.accel != "tcg":
        return figures.TIME
    for each in guests:
        each.target = each.target.variant(each.target.name,
                                          qemu_args=(*each.target.qemu_args, *ICOUNT))
    return figures.INSTRUCTIONS


def boot(each, name, meter, megabytes, only="", runs=RUNS):
    """Boot a guest once; return {Key: value} of its console, the median of some runs."""
    text, log = console(each, name, megabytes, only, runs)
    check_meter(meter, text, log)
    return figures.parse(RESULT.findall(text))


def console(each, name, megabytes, only="", runs=RUNS, more=()):
    """Boot a guest once, with `more` arguments; return what is on its console, and the log."""
    log = paths.fresh_log(f"bench-{each.target.name}-{name}")
    # With notices of the kernel in the middle of its lines, a result is none.
    args = ["panic=-1", "norandmaps", "loglevel=4", "kunit.enable=0", f"GUP_MB={megabytes}",
            f"GUP_RUNS={runs}", *([f"GUP_ONLY={only}"] if only else []), *more]
    problems = each.boot(log, args, prefix=bench_uml.pinned())
    return complete(name, paths.read(log).replace("\r", ""), log, problems), log


def complete(name, text, log, problems=()):
    """Return the `text` that the program in the `name` kernel has printed, if it was all."""
    if problems or "kunit-gup: done" not in text:
        problems = [*problems, *ERROR.findall(text)[-1:]]
        raise UserError(f"the {name} kernel was not measured: {'; '.join(problems)}",
                        f"see {log}")
    return text


def check_meter(meter, text, log):
    """Refuse an instruction counter that does not count instructions."""
    counted, shown = map(int, CALIBRATION.search(text).groups())
    if meter == figures.INSTRUCTIONS and abs(shown / counted - 1) > 0.01:
        raise UserError(f"the guest's clock moved {shown} ns in {counted} instructions",
                        f"see {log}")
