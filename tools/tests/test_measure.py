# SPDX-License-Identifier: GPL-2.0-only
"""`make bench` and `make bench-profile`: what is read from a guest, and what is made of it."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401 (sets the path)

from kunit_gup.common.errors import UserError
from kunit_gup.measure import bench, bench_profile, bench_uml, costs, figures

CONSOLE = """\
kunit-gup: calibration instructions=100000000 ns=100010000
kunit-gup: op=get_fast kb=64 map=pte access=write per_call=65536 pages=1000 ns=112000
kunit-gup: op=put kb=64 map=pte access=write per_call=65536 pages=1000 ns=30000
kunit-gup: op=get_slow kb=64 map=pte access=write per_call=65536 pages=1000 ns=400000
kunit-gup: op=move_pages kb=2048 map=pmd access=read per_call=1000 pages=1000 ns=377000
kunit-gup: done
"""
SYSTEM_MAP = """\
0000000000001000 T _text
0000000000001000 T first
0000000000001100 t second
0000000000001180 D data
0000000000002000 T third
"""


def key(op, kb=64, mapping="pte", access="write", per_call=65536):
    """Return a Key."""
    return figures.Key(op, access, per_call, kb, mapping)


class FiguresTest(unittest.TestCase):
    """Results of a boot, tables and objects."""

    def setUp(self):
        self.boot = figures.parse(bench.RESULT.findall(CONSOLE))
        faster = {k: v / 4 for k, v in self.boot.items()}
        self.figures = figures.Figures(
            "x86_64", figures.INSTRUCTIONS, ["unpatched", "patched"],
            {"unpatched": figures.merge([self.boot, self.boot]),
             "patched": figures.merge([faster, faster])})

    def test_per_page(self):
        self.assertEqual(self.boot[key("get_fast")], 112)
        self.assertEqual(self.boot[key("move_pages", 2048, "pmd", "read", 1000)], 377)

    def test_tables_have_ratio_and_meter(self):
        text = self.figures.text()
        self.assertRegex(text, r"64 kB +112\.00 +28\.00 +4\.00")
        self.assertIn("2048 kB by PMD", text)
        self.assertEqual(text.count("no measure of time"), 4)
        self.assertNotIn(" ns ", text)

    def test_objects(self):
        found = [o for o in self.figures.objects()
                 if o["kernel"] == "patched" and o["op"] == "get_fast"]
        self.assertEqual(found, [{
            "target": "x86_64", "kernel": "patched", "op": "get_fast", "folio_kb": 64,
            "mapping": "pte", "access": "write", "pages_per_call": 65536,
            "meter": "instructions", "value": 28, "min": 28, "max": 28,
            "unit": "guest instructions per page", "runs": 2}])

    def test_drawn(self):
        """Each operation has a picture, those that only read as well."""
        only_read = {key("vmsplice", access="read", per_call=16): 9.0}
        both = {key("get_fast", access="read"): 1.0, key("get_fast"): 2.0}
        drawn = {}
        with mock.patch.object(figures.plot, "svg", lambda path, *args: drawn.update(
                {path.name: args[3]})), mock.patch.object(figures.ui, "note"):
            figures.Figures("x86_64", figures.TIME, ["unpatched"],
                            {"unpatched": figures.merge([self.boot | only_read | both])}).draw()
        self.assertEqual(drawn["x86_64-vmsplice.svg"], {"unpatched": [9.0]})
        self.assertEqual(drawn["x86_64-get_fast.svg"], {"unpatched": [2.0]})

    def test_boots_that_differ(self):
        with self.assertRaises(UserError):
            figures.merge([self.boot, {}])

    def test_meter_is_checked(self):
        bench.check_meter(figures.INSTRUCTIONS, CONSOLE, "log")
        wrong = CONSOLE.replace("ns=100010000", "ns=150000000")
        bench.check_meter(figures.TIME, wrong, "log")
        with self.assertRaises(UserError):
            bench.check_meter(figures.INSTRUCTIONS, wrong, "log")


class BenchUmlTest(unittest.TestCase):
    """What the suites print on UML."""

    LOG = ("    # fast: gup_bench: op=get_fast order=4 min_ps_per_page={} median_ps_per_page={}\n"
           "    # other: op=x\n")

    def test_median_per_page(self):
        boots = [bench_uml.parse(self.LOG.format(1, median)) for median in (10000, 30000, 20000)]
        found = figures.Figures("uml", figures.TIME, ["unpatched"],
                                {"unpatched": figures.merge(boots)})
        self.assertEqual(found.median("unpatched", key("get_fast", per_call=512)), 20)

    def test_choose(self):
        steps = [(Path("0001-a.patch"), "a"), (Path("0002-b.patch"), "b"),
                 (Path("0003-c.patch"), "c")]
        self.assertEqual(bench_uml.choose(steps, "", True), steps)
        self.assertEqual(bench_uml.choose(steps, "", False), [steps[0], steps[2]])
        self.assertEqual(bench_uml.choose(steps, "0002", False), steps[:2])
        self.assertEqual(bench_uml.choose(steps, "0001", False), steps[:1])
        with self.assertRaisesRegex(UserError, "no STEP=0009 in mm/patches; known: 0001 0002"):
            bench_uml.choose(steps, "0009", False)


class ProfileTest(unittest.TestCase):
    """Counts of instructions and the functions they are in."""

    def test_functions(self):
        symbols = bench_profile.Symbols(SYSTEM_MAP)
        counts = {0x1000: 1, 0x10ff: 2, 0x1100: 3, 0x2004: 4}
        self.assertEqual(symbols.by_function(counts), {"first": 3, "second": 3, "third": 4})

    def test_windows_follow_the_results(self):
        keys = list(figures.parse(bench.RESULT.findall(CONSOLE)))
        found = bench_profile.assign(keys, [1, 2, 3, 4, 5])
        self.assertEqual(found, {keys[0]: 1, keys[1]: 2, keys[2]: 3, keys[3]: 5})

    def test_another_number_of_windows(self):
        keys = list(figures.parse(bench.RESULT.findall(CONSOLE)))
        for number in (1, 4, 6):
            with self.assertRaises(UserError):
                bench_profile.assign(keys, [1] * number)

    def test_file_of_the_plugin(self):
        """The spans of a region are added up."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "out"
            path.write_text("window\n10 3\nlines pages 2 5\nlines pages 1 1\nlines other 4 9\n"
                            "window\nlines other 0 0\n", encoding="ascii")
            first, second = bench_profile.read_windows(path)
        self.assertEqual(first, bench_profile.Window({16: 3}, {"pages": (3, 6), "other": (4, 9)}))
        self.assertEqual(second, bench_profile.Window({}, {"other": (0, 0)}))


class Costs(unittest.TestCase):
    """Atomics, barriers, lines."""

    def test_x86(self):
        """A locked or of nothing to the stack is a barrier; xchg is an atomic with memory only."""
        text = """ffffffff81000000 <f>:
ffffffff81000000:\tlock xadd %eax,(%rdx)
ffffffff81000001:\tlock orl $0x0,-0x4(%rsp)
ffffffff81000002:\tlock addl $0x0,-0x4(%rsp)
ffffffff81000003:\txchg   %ax,%ax
ffffffff81000004:\txchg   %rax,(%rdi)
ffffffff81000005:\tmfence
ffffffff81000006:\tlock orl $0x10,0x8(%rsp)
ffffffff81000007:\tmov    %rax,(%rdi)
"""
        self.assertEqual([{a & 15 for a in kind} for kind in costs.classified(text, "x86_64")],
                         [{0, 4, 6}, {1, 2, 5}])

    def test_arm64(self):
        """LSE, the store of a pair, and barriers; no ordinary or acquiring load."""
        text = "".join(f"ffff80008000000{i}:\t{what}\n" for i, what in enumerate((
            "ldaddal w0, w1, [x2]", "stadd w0, [x1]", "casal x0, x1, [x2]", "ldaxr w0, [x1]",
            "stlxr w2, w0, [x1]", "ldr w0, [x1]", "ldar w0, [x1]", "str w0, [x1]", "dmb ish",
            "stp x0, x1, [sp]")))
        self.assertEqual([{a & 15 for a in kind} for kind in costs.classified(text, "arm64")],
                         [{0, 1, 2, 4}, {8}])

    def test_cost(self):
        """What is counted, for one page of ten."""
        window = bench_profile.Window({1: 100, 2: 10, 3: 5}, {"pages": (10, 30), "other": (20, 90)})
        self.assertEqual(costs.cost(window, ({2}, {3}), 10),
                         costs.Cost(11.5, 1, 0.5, 1, 2, 12))

    def test_known(self):
        """What a put costs is known, so that a plugin that counts wrong is noticed."""
        put = key("put", kb=4)
        costs.check({put: costs.Cost(19, 1.001, 0, 1, 0, 9)})
        for wrong in ({}, {put: costs.Cost(19, 2, 0, 1, 0, 9)}, {put: costs.Cost(19, 1, 0, 0, 0, 9)}):
            with self.assertRaisesRegex(UserError, "does not count one atomic"):
                costs.check(wrong)

    def test_arm64_regions(self):
        """The map of struct pages ends 1 GB below the end, for each size of addresses."""
        for bits, shift, start in ((48, 12, "fffffdffc0000000"), (52, 16, "fffffc1fc0000000")):
            config = f"CONFIG_ARM64_VA_BITS={bits}\nCONFIG_PAGE_SHIFT={shift}\n"
            with self.subTest(bits=bits):
                self.assertEqual(costs.regions("arm64", config),
                                 f",region=pages:{start}:ffffffffc0000000")
