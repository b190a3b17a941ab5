# SPDX-License-Identifier: GPL-2.0-only
"""`make bench-profile`: where the instructions of each operation go, and what else they cost.

A plugin of QEMU (tools/qemu/count.c) counts every instruction of the kernel between the two looks
at the clock that the operation is measured with, and the lines of data that these touch.
"""

import bisect
import itertools
import re
from collections import Counter
from dataclasses import dataclass, field

from ..common import paths, proc, ui
from ..common.errors import UserError
from ..tree import trees
from ..tree.worktree import Worktree, prune
from . import bench, costs, figures

SOURCE = paths.TOOLS / "qemu/count.c"
SIZES = (4, 64, 2048)       # kB of a folio
TOP = 12                    # functions that are printed
LEAST = 0.05                # executions a page of an instruction that is listed
GETS = ("get_fast", "pin_fast", "get_slow", "pin_slow", "pin_longterm")
PUTS = ("put", "unpin")
SYSTEM_CALLS = {"x86_64": "__x64_sys_", "arm64": "__arm64_sys_"}


def run(target, kdir, megabytes, step="", peer=""):
    """Profile the kernels without the series, with it (up to `step`), with each `peer`."""
    tree = trees.prepare(kdir, strict=True)
    kernels = bench.choose(tree, step, peer)
    variant = bench.adapted(target)
    work = Worktree(tree)
    prune(work, variant.name, [kernel.slug for kernel in kernels])
    built = [(kernel, bench.build_kernel(work, variant, kernel)) for kernel in kernels]
    plugin = _plugin(built[0][1])
    found = {kernel.name: {} for kernel in kernels}
    kinds = [costs.special(build_dir, variant) for _, build_dir in built]
    for kb in SIZES:
        some = [(kernel.name, *_counted(work.path, variant, kernel, build_dir, plugin, kb,
                                        megabytes)) for kernel, build_dir in built]
        pages = megabytes * 256
        for (name, windows, _), its in zip(some, kinds):
            found[name] |= {key: costs.cost(each, its, pages) for key, each in windows.items()}
        counted = [(name, {key: {a: count / pages for a, count in each.counts.items()}
                           for key, each in windows.items()}, symbols)
                   for name, windows, symbols in some]
        for key in counted[0][1]:
            print(_table(target.name, key, [(name, counts[key], symbols)
                                            for name, counts, symbols in counted]))
        for (kernel, build_dir), (_, counts, symbols) in zip(built, counted):
            _list(target, kernel, build_dir, counts, symbols)
    costs.publish(target.name, found)


@dataclass
class Window:
    """What was counted of one operation."""

    counts: dict = field(default_factory=dict)      # {address: executions}
    lines: dict = field(default_factory=dict)       # {region: (distinct lines, accesses)}


def _plugin(build_dir):
    """Compile the plugin for QEMU on this host; return its path."""
    output, log = build_dir / "gup-count.so", paths.fresh_log("build-plugin")
    if proc.logged(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-fvisibility=hidden", "-o", output,
                    SOURCE], log):
        raise UserError(f"cannot build {SOURCE.name}", f"see {log}")
    return output


def _counted(source, variant, kernel, build_dir, plugin, kb, megabytes):
    """Boot with the plugin; return ({Key: Window}, Symbols)."""
    symbols = Symbols(paths.read(build_dir / "System.map"))
    guest = bench.guest(source, variant, build_dir)
    guest.accel, out = "tcg", build_dir / "gup-counts"
    meter = bench.settle([guest])
    begin, end = symbols.address["_text"], symbols.address["_etext"]
    marks = "".join(f",{kind}={address:x}"
                    for kind, address in _marks(build_dir, symbols, variant))
    guest.target = guest.target.variant(guest.target.name, qemu_args=(
        *guest.target.qemu_args, "-plugin",
        f"{plugin},start={begin:x},size={end - begin:x},out={out}{marks}"
        f"{costs.regions(variant.arch, paths.read(build_dir / '.config'))}"))
    progress = ui.Progress(f"counting in the {kernel.name} kernel, {kb} kB")
    results = bench.boot(guest, f"{kernel.name}-profile", meter, megabytes, only=str(kb),
                           runs=1)
    progress.done()
    return assign(list(results), read_windows(out)), symbols


def assign(keys, windows):
    """Return {Key: Window}: results and windows come in the same order.

    What is given back after a slow operation has a window and no result.
    """
    found, rest = {}, iter(windows)
    for key, following in itertools.zip_longest(keys, keys[1:]):
        window = next(rest, None)
        if key.op in GETS and (not following or following.op not in PUTS):
            next(rest, None)
        if window is None:
            raise UserError("the plugin of QEMU missed an operation", "see build/logs")
        if key.access == "write" and key.per_call > 512 or key.op == "move_pages":
            found[key] = window
    if next(rest, None) is not None:
        raise UserError("the plugin of QEMU counted an operation too many", "see build/logs")
    return found


def read_windows(path):
    """Return the Windows in the plugin's file."""
    found = []
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split()
        if line == "window":
            found.append(Window())
        elif words[0] == "lines":   # a region may have several spans
            before = found[-1].lines.get(words[1], (0, 0))
            found[-1].lines[words[1]] = tuple(map(sum, zip(before, map(int, words[2:]))))
        else:
            found[-1].counts[int(words[0], 16)] = int(words[1])
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
              for name in ("move_pages", "pread64", "io_uring_enter", "io_uring_register",
                           "vmsplice", "process_vm_readv")),
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
        path = paths.results("bench", f"{target.name}-{kernel.name}-{key.op}-"
                             f"{key.row.replace(' ', '-')}.txt")
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
