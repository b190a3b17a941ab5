# SPDX-License-Identifier: GPL-2.0-only
"""What a count of instructions does not show: atomics, barriers, and lines of data by region."""

import json
import re
from dataclasses import asdict, dataclass

from ..common import paths, proc
from ..common.errors import UserError

# By the names that objdump gives to instructions. On arm64, the store of a pair of exclusive
# instructions is what counts.
ATOMICS = {"x86_64": re.compile(r"lock (?!(?:or|add)[bwlq]? +\$0x0,\S*\(%[re]sp\))|xchg\w* .*\("),
           "arm64": re.compile(r"cas|swp|(?:ld|st)(?:add|clr|set|eor|[su]max|[su]min)|stl?xr")}
BARRIERS = {"x86_64": re.compile(r"mfence|lock (?:or|add)[bwlq]? +\$0x0,\S*\(%[re]sp\)"),
            "arm64": re.compile(r"dmb|dsb")}
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
PAGES, OTHER = "pages", "other"


@dataclass
class Cost:
    """What an operation costs for a page."""

    instructions: float
    atomics: float
    barriers: float
    page_lines: float       # lines of 64 bytes with struct pages
    other_lines: float      # and of all other data of the kernel and of the user
    accesses: float         # loads and stores, of any size


COLUMNS = {"instructions": "instr.", "atomics": "atomics", "barriers": "barriers",
           "page_lines": "pg lines", "other_lines": "others", "accesses": "accesses"}


def regions(arch, config):
    """Return the arguments for the plugin that say where the struct pages are."""
    if arch == "x86_64":    # with tables of four levels, and of five
        spans = [(0xffffea0000000000, 0xffffeb0000000000), (0xffd4000000000000, 0xffd6000000000000)]
    else:
        bits = int(re.search(r"^CONFIG_ARM64_VA_BITS=(\d+)$", config, re.M)[1])
        shift = int(re.search(r"^CONFIG_PAGE_SHIFT=(\d+)$", config, re.M)[1])
        mapped = (1 << bits) - (1 << min(bits, 48) - 1)
        end = (1 << 64) - (1 << 30)
        spans = [(end - (mapped >> (shift - 6)), end)]
    return "".join(f",region={PAGES}:{start:x}:{end:x}" for start, end in spans)


def special(build_dir, target):
    """Return (addresses of atomics, addresses of barriers) in the kernel."""
    text = proc.capture([f"{target.cross_compile}objdump", "-d", "--no-show-raw-insn",
                         build_dir / "vmlinux"])[1]
    return classified(text, target.arch)


def classified(text, arch):
    """Return (addresses of atomics, addresses of barriers) in what objdump printed."""
    found = [(int(match[1], 16), match[2]) for line in text.splitlines()
             if (match := INSTRUCTION.match(line))]
    return tuple({address for address, what in found if kind[arch].match(what)}
                 for kind in (ATOMICS, BARRIERS))


def cost(window, kinds, pages):
    """Return the Cost of a Window that is about this number of pages."""
    def executed(addresses):
        return sum(count for address, count in window.counts.items() if address in addresses)

    lines = {name: distinct for name, (distinct, _) in window.lines.items()}
    total = sum(all_ for _, all_ in window.lines.values())
    return Cost(*(value / pages for value in (
        sum(window.counts.values()), *map(executed, kinds), lines.get(PAGES, 0),
        lines.get(OTHER, 0), total)))


def check(costs):
    """Refuse {Key: Cost} in which an operation with a known cost has another.

    Giving back a reference to each of many small folios takes one atomic and one struct page each.
    """
    known = [each for key, each in costs.items() if (key.op, key.folio_kb) == ("put", 4)]
    wrong = [each for each in known if not (0.99 < each.atomics < 1.01 > each.page_lines > 0.99)]
    if wrong or not known:
        raise UserError("the plugin of QEMU does not count one atomic and one line of struct pages "
                        f"for a small folio that is given back: {wrong or 'nothing'}",
                        "see tools/qemu/count.c")


def publish(target, found):
    """Print and store {kernel: {Key: Cost}}."""
    for each in found.values():
        check(each)
    keys = sorted(next(iter(found.values())), key=lambda key: (key.op, key.folio_kb, key.mapping))
    lines = ["", f"{target}: per page; a line has 64 bytes",
             f"{'':<36}" + "".join(f"{each:>10}" for each in COLUMNS.values())]
    for key in keys:
        lines.append(f"{key.op}, {key.row}")
        lines += [f"    {kernel:<32}" + "".join(f"{getattr(costs[key], name):>10.3f}"
                                                for name in COLUMNS)
                  for kernel, costs in found.items()]
    print("\n".join(lines), flush=True)
    paths.write_atomically(paths.results("bench", f"{target}-costs.json"), json_of(target, found))


def json_of(target, found):
    """Return what is stored: an object for each kernel and operation."""
    return json.dumps([{"target": target, "kernel": kernel, "op": key.op, "folio_kb": key.folio_kb,
                        "mapping": key.mapping, "access": key.access,
                        "pages_per_call": key.per_call} |
                       {name: round(value, 4) for name, value in asdict(each).items()}
                       for kernel, costs in found.items() for key, each in costs.items()],
                      indent=1) + "\n"
