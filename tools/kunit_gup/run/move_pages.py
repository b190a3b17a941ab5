# SPDX-License-Identifier: GPL-2.0-only
"""What only the system call shows of move_pages(): tools/initramfs/move_pages.c, in QEMU.

It asks as a program of 64 bits, and as one of 32.
"""

import re

from ..common import paths
from ..common.checks import Check
from ..tree import trees
from . import build, initramfs, judge, kunit, machine

CONFIG = ["CONFIG_BLK_DEV_INITRD=y", "CONFIG_BINFMT_ELF=y", "CONFIG_PRINTK=y",
          "CONFIG_IA32_EMULATION=y", "CONFIG_DEVMEM=y"]
KERNEL_ARGS = ["kunit.enable=0", "panic=-1", "printk.devkmsg=on", "hugepagesz=1G", "hugepages=1"]
QEMU_ARGS = ("-cpu", "qemu64,+pdpe1gb", "-m", "6144")      # a page of 1 GB, where nothing lies
ROWS = 60       # of each word size
WORDS = (64, 32)
RESULT = re.compile(r"move-pages: (PASS|FAIL) (\d+) bits: ([^:\n]*)(.*)")


def run(target, kdir=None, strict=False):
    """Build and boot; return a Check for each row."""
    tree = trees.prepare(kdir, strict)
    target = target.variant(f"{target.name}-calls", CONFIG, timeout=900,
                            qemu_args=(*target.qemu_args, *QEMU_ARGS))
    build_dir = paths.build(tree.name, target.name)
    log = paths.fresh_log(f"build-{target.name}")
    build.kunit_kernel(tree.path, target, build_dir, log)
    files = [f"file {there} {initramfs.program(tree.path, target, build_dir, log, *how)} 0755 0 0"
             for there, *how in (("/init", "move_pages"), ("/rows32", "move_pages", ("-m32",)))]
    guest = machine.machine(tree.path, target, build_dir, initramfs.pack(
        build_dir, ["nod /kmsg 0600 0 0 c 1 11", "nod /mem 0600 0 0 c 1 1", *files],
        "gup-move-pages.cpio"))
    problems = kunit.run_qemu(guest, target.name, build_dir / "test.log", KERNEL_ARGS)
    text = paths.read(build_dir / "test.log")
    return [Check("move_pages() in QEMU", problems + judge.bad_log_lines(text) + missing(text)),
            *rows(text)]


def rows(text):
    """Return a Check for each row in a kernel log."""
    return [Check(f"{word} bits: {name.strip()}", [rest.strip(": \r")] if result == "FAIL" else [])
            for result, word, name, rest in RESULT.findall(text)]


def missing(text):
    """Return what is wrong with the number of rows in a kernel log."""
    found = [int(word) for _, word, _, _ in RESULT.findall(text)]
    return [f"{found.count(word)} of {ROWS} rows of {word} bits" for word in WORDS
            if found.count(word) != ROWS]
