# SPDX-License-Identifier: GPL-2.0-only
"""`make bench-profile`: where the instructions of each operation go, by function and instruction.

A plugin of QEMU (tools/qemu/count.c) counts every instruction of the kernel between the two looks
at the clock that the operation is measured with.
"""

import bisect
import itertools
import re
from collections import Counter

from ..common import paths, proc, ui
from ..common.errors import UserError
from ..tree import trees
from ..tree.worktree import Worktree, prune
from . import bench, figures

SOURCE = paths.TOOLS / "qemu/count.c"
SIZES = (4, 64)             # kB of a folio
TOP = 12                    # functions that are printed
LEAST = 0.05                # executions a page of an instruction that is listed
GETS = ("get_fast", "pin_fast", "get_slow", "pin_slow", "pin_longterm")
PUTS = ("put", "unpin")
SYSTEM_CALLS = {"x86_64": "__x64_sys_", "arm64": "__arm64_sys_"}


def run(target, kdir, megabytes, step=""):
    """Profile the unpatched kernel and that of `step` (or the last); print and store it."""
    tree = trees.prepare(kdir, strict=True)
    kernels = bench.choose(tree, step)
    variant = bench.adapted(target)
    work = Worktree(tree)
    prune(work, variant.name, [kernel.slug for kernel in kernels])
    built = [(kernel, bench.build_kernel(work, variant, kernel)) for kernel in kernels]
    plugin = _plugin(built[0][1])
    for kb in SIZES:
        found = [(kernel.name, *_counted(work.path, variant, kernel, build_dir, plugin, kb,
                                         megabytes)) for kernel, build_dir in built]
        for key in found[0][1]:
            print(_table(target.name, key, [(name, counts[key], symbols)
                                            for name, counts, symbols in found]))
        for (kernel, build_dir), (_, counts, symbols) in zip(built, found):
            _list(target, kernel, build_dir, counts, symbols)


def _plugin(build_dir):
    """Compile the plugin for QEMU on this host; return its path."""
    output, log = build_dir / "gup-count.so", paths.fresh_log("build-plugin")
    if proc.logged(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-fvisibility=hidden", "-o", output,
                    SOURCE], log):
        raise UserError(f"cannot build {SOURCE.name}", f"see {log}")
    return output


def _counted(source, variant, kernel, build_dir, plugin, kb, megabytes):
    """Boot with the plugin; return ({Key: {address: executions per page}}, Symbols)."""
    symbols = Symbols(paths.read(build_dir / "System.map"))
    guest = bench.guest(source, variant, build_dir)
    guest.accel, out = "tcg", build_dir / "gup-counts"
    meter = bench.settle([guest])
    begin, end = symbols.address["_text"], symbols.address["_etext"]
    marks = "".join(f",{kind}={address:x}"
                    for kind, address in _marks(build_dir, symbols, variant))
    guest.target = guest.target.variant(guest.target.name, qemu_args=(
        *guest.target.qemu_args, "-plugin",
        f"{plugin},start={begin:x},size={end - begin:x},out={out}{marks}"))
    progress = ui.Progress(f"counting in the {kernel.name} kernel, {kb} kB")
    results = bench.boot(guest, f"{kernel.name}-profile", meter, megabytes, only=str(kb),
                           runs=1)
    progress.done()
    pages = megabytes * 256
    return assign(list(results), read_windows(out), pages), symbols


def assign(keys, windows, pages):
    """Return {Key: {address: executions per page}}: results and windows come in the same order.

    What is given back after a slow operation has a window and no result.
    """
    found, rest = {}, iter(windows)
    for key, following in itertools.zip_longest(keys, keys[1:]):
        counts = next(rest, None)
        if key.op in GETS and (not following or following.op not in PUTS):
            next(rest, None)
        if counts is None:
            raise UserError("the plugin of QEMU missed an operation", "see build/logs")
        if key.access == "write" and key.per_call > 512 or key.op == "move_pages":
            found[key] = {address: count / pages for address, count in counts.items()}
    if next(rest, None) is not None:
        raise UserError("the plugin of QEMU counted an operation too many", "see build/logs")
    return found


def read_windows(path):
    """Return [{address: executions}] from the plugin's file."""
    found = []
    for line in path.read_text(encoding="ascii").splitlines():
        if line == "window":
            found.append({})
        else:
            address, count = line.split()
            found[-1][int(address, 16)] = int(count)
    return found


def _marks(build_dir, symbols, variant):
    """Return [(kind, address)]: where an operation begins and ends.

    gup_test looks at the clock before and after it, and so does the program that we run.
    """
    name = next(n for n in ("__gup_test_ioctl", "gup_test_ioctl") if n in symbols.address)
    text = _disassembly(build_dir, variant, name)
    clock = [int(a, 16) for a in
             re.findall(r"^\s*([0-9a-f]+):.*\b(?:call|bl)\b.*<ktime_get>", text, re.M)]
    if not clock:
        raise UserError("gup_test does not look at the clock in this kernel", "see vmlinux")
    prefix = SYSTEM_CALLS[variant.arch]
    return [*((kind, address) for address in clock for kind in ("begin", "end")),
            *(("begin", symbols.address[prefix + name])
              for name in ("move_pages", "pread64", "io_uring_enter", "io_uring_register")),
            ("end", symbols.address[f"{prefix}clock_gettime"])]


def _disassembly(build_dir, variant, function):
    return proc.capture([f"{variant.cross_compile}objdump", "-d", "--no-show-raw-insn",
                         f"--disassemble={function}", build_dir / "vmlinux"])[1]


class Symbols:
    """The functions of a kernel by address."""

    def __init__(self, text):
        """Read the text of System.map."""
        lines = [line.split() for line in text.splitlines()]
        self.address = {name: int(address, 16) for address, _, name in lines}
        code = {int(address, 16): name for address, kind, name in lines if kind in "tTwW"}
        self.starts = sorted(code)
        self.names = [code[start] for start in self.starts]

    def function(self, address):
        """Return the name of the function that an address is in."""
        return self.names[bisect.bisect_right(self.starts, address) - 1]

    def by_function(self, counts):
        """Return a Counter of the instructions of each function."""
        found = Counter()
        for address, count in counts.items():
            found[self.function(address)] += count
        return found


def _table(target, key, kernels):
    """Return the functions where a page costs most, for each kernel."""
    lines = ["", f"{target}: {key.op}, {key.access}, {key.row}, by function; "
             f"{figures.UNITS[figures.INSTRUCTIONS]}"]
    for name, counts, symbols in kernels:
        functions = symbols.by_function(counts)
        lines.append(f"  {name:<40}{functions.total():>9.2f}")
        lines += [f"    {function:<38}{count:>9.2f}"
                  for function, count in functions.most_common(TOP) if count >= LEAST]
    return "\n".join(lines)


def _list(target, kernel, build_dir, counts, symbols):
    """Write the disassembly of the functions that cost most, with executions per page."""
    for key, executed in counts.items():
        path = paths.results("bench", f"{target.name}-{kernel.name}-{key.op}-{key.folio_kb}.txt")
        parts = []
        for function, count in symbols.by_function(executed).most_common(TOP):
            if count < 1:
                break
            text = _disassembly(build_dir, target, function)
            parts += [f"{function}: {count:.2f} instructions per page",
                      *_annotated(text, executed)]
        paths.write_atomically(path, "\n".join(parts) + "\n")


def _annotated(text, executed):
    for line in text.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\t", line)
        count = executed.get(int(found[1], 16), 0) if found else 0
        if count >= LEAST:
            yield f"{count:>8.2f}  {line.strip()}"
