# SPDX-License-Identifier: GPL-2.0-only
"""The suites as a module: loaded, run, unloaded, and all that again in the same kernel.

The kernel has KUnit built in; its only user space is tools/initramfs/init.c.
"""

import re

from ..common import paths, ui
from ..common.checks import Check
from ..tree import trees
from . import build, initramfs, judge, kunit, machine

RUNS = (1, 2)       # as many as init.c makes
NO_SWAP = "no swap area"    # no reason to skip here: init.c turns one on
CONFIG = ["CONFIG_MODULES=y", "CONFIG_MODULE_UNLOAD=y", "CONFIG_GUP_KUNIT_TEST=m",
          "CONFIG_BLK_DEV_INITRD=y", "CONFIG_BINFMT_ELF=y", "CONFIG_PRINTK=y"]


def run(target, kdir=None, strict=False):
    """Build and boot; return the Verdicts of the runs."""
    tree = trees.prepare(kdir, strict)
    target = target.variant(f"{target.name}-module", CONFIG)
    build_dir = paths.build(tree.name, target.name)
    log = paths.fresh_log(f"build-{target.name}")
    warned = build.kunit_kernel(tree.path, target, build_dir, log)
    init = initramfs.program(tree.path, target, build_dir, log, "init")
    archive = initramfs.pack(build_dir, [
        "nod /kmsg 0600 0 0 c 1 11", "nod /swap 0600 0 0 b 1 0", f"file /init {init} 0755 0 0",
        f"file /gup_kunit.ko {build_dir / 'lib/kunit-gup/gup_kunit.ko'} 0644 0 0"])
    guest = machine.machine(tree.path, target, build_dir, archive)
    problems = kunit.run_qemu(guest, target.name, build_dir / "test.log",
                               ["kunit.enable=1", "panic=-1", *seed_args()])
    text = paths.read(build_dir / "test.log")
    verdicts = [_verdict(tree.path, target, number, text) for number in RUNS]
    verdicts[0].problems += [line for line in warned if "gup" in line]
    verdicts[0].problems += problems + judge.bad_log_lines(text) + faults(text)
    for number, verdict in zip(RUNS, verdicts):
        ui.note(f"run {number} of the module: {verdict.count('PASS')} passed")
        kunit.report(verdict, build_dir / "test.log")
    return verdicts


def totals(target, kdir=None):
    """Return the totals of both runs."""
    return tuple(map(sum, zip(*(verdict.totals for verdict in run(target, kdir)))))


def checks(target, kdir=None, strict=False):
    """Return one Check for each run of the module."""
    return [Check(f"suites as a module, run {number}", verdict.failures,
                  detail=f"{verdict.count('PASS')} passed")
            for number, verdict in zip(RUNS, run(target, kdir, strict))]


def seed_args():
    """Return the boot arguments that are variables of init's environment: a seed, or nothing."""
    return [f"GUP_SEED={machine.seed()}"] if machine.seed() else []


def part(text, number):
    """Return what a kernel log says while the module is loaded for the run `number`."""
    _, _, rest = text.partition(f"kunit-gup: run {number} begins")
    return rest.partition(f"kunit-gup: run {number} loaded")[0].partition("\n")[2]


def faults(text):
    """Return what went wrong with loading and unloading."""
    found = {(int(number), what): int(err) for number, what, err in
             re.findall(r"kunit-gup: run (\d+) (loaded|unloaded) (-?\d+)", text)}
    return [f"run {number} of the module was not {what}: "
            + (f"error {found[number, what]}" if (number, what) in found else "it never got there")
            for number in RUNS for what in ("loaded", "unloaded") if found.get((number, what))
            or (number, what) not in found]


def _verdict(tree, target, number, text):
    name = f"{target.name}-run{number}"
    stored = kunit.files(name)
    paths.write_atomically(stored["log"], part(text, number))
    kunit.parse(tree, target, stored["log"], stored, lambda line: None)
    skips = [rule for rule in target.skip if rule["reason"] != NO_SWAP]
    return judge.judge(kunit.read_results(stored), "", skips, kunit.pinned_plan())
