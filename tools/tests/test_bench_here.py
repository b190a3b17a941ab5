# SPDX-License-Identifier: GPL-2.0-only
"""`make bench-here` and `make bench-compare`: what is refused, put back, read and set side by side."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401 (sets the path)

from kunit_gup.common.errors import UserError
from kunit_gup.measure import bench, bench_compare, bench_here, figures

OUTPUT = """\
kunit-gup: booted
kunit-gup: left out: misses: perf has no such counter on this machine
kunit-gup: calibration instructions=100000000 ns=33000000
kunit-gup: op=pin_fast kb=64 map=pte access=write per_call=512 pages=100 ns=1000
kunit-gup: op=unpin kb=64 map=pte access=write per_call=512 pages=100 ns=500
kunit-gup: op=pin_fast+unpin kb=64 map=pte access=write per_call=512 pages=100 ns=1600 cycles=4000
kunit-gup: done
"""


class Output(unittest.TestCase):
    """What the program prints where it is not init."""

    def test_each_meter_has_its_own_lines(self):
        lines = bench.RESULT.findall(OUTPUT)
        self.assertEqual({key.op: value for key, value in figures.parse(lines).items()},
                         {"pin_fast": 10, "unpin": 5, "pin_fast+unpin": 16})
        self.assertEqual({key.op: value for key, value in figures.parse(lines, "cycles").items()},
                         {"pin_fast+unpin": 40})
        self.assertEqual(figures.parse(lines, "misses"), {})

    def test_left_out(self):
        self.assertEqual(len(bench_here.LEFT_OUT.findall(OUTPUT)), 1)

    def test_an_end_in_the_middle_is_refused(self):
        with self.assertRaisesRegex(UserError, "memory: not of the folio size"):
            bench.complete("running", "kunit-gup: booted\nkunit-gup: error: memory: "
                           "not of the folio size that was asked for\n", "log")


class Machine(unittest.TestCase):
    """The user's machine: refused where it will not do, and left as it was."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.thp, self.reserved = Path(directory.name, "thp"), Path(directory.name, "nr_hugepages")
        support.write(self.thp, {"hugepages-64kB/enabled": "always inherit [madvise] never\n",
                                 "hugepages-2048kB/enabled": "always [inherit] madvise never\n"})
        self.reserved.write_text("7\n", encoding="ascii")

    def test_settings_are_put_back(self):
        paths = [self.thp / "hugepages-64kB/enabled", self.reserved]
        with self.assertRaises(KeyboardInterrupt):
            with bench_here.kept(bench_here.settings(self.thp, self.reserved)):
                for path in paths:
                    path.write_text("changed\n", encoding="ascii")
                raise KeyboardInterrupt
        self.assertEqual([path.read_text(encoding="ascii") for path in paths],
                         ["madvise\n", "7\n"])
        self.assertEqual((self.thp / "hugepages-2048kB/enabled").read_text(encoding="ascii"),
                         "inherit\n")

    def test_no_huge_pages(self):
        self.assertEqual(bench_here.settings(self.thp / "none", self.reserved / "none"), {})

    def test_room(self):
        meminfo = "MemTotal: 9000000 kB\nMemAvailable:    307200 kB\n"
        bench_here.room(meminfo, 100)
        with self.assertRaisesRegex(UserError, "say MB=100 or less"):
            bench_here.room(meminfo, 102)

    def test_unknown_machine(self):
        self.assertEqual(bench_here.machine("aarch64"), "arm64")
        with self.assertRaisesRegex(UserError, "does not know riscv64"):
            bench_here.machine("riscv64")

    def test_not_root(self):
        with mock.patch("os.geteuid", return_value=1000):
            with self.assertRaisesRegex(UserError, "needs root.*sudo make bench-here"):
                bench_here._here(None, 1, 16)

    def test_killed_before_settings_are_put_back(self):
        """Ctrl-C ends the program first: it would go on setting what was put back."""
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory, "slow")
            support.script(program, "#!/bin/sh\necho $$ > \"$0.pid\"\nexec sleep 60\n")
            with mock.patch("kunit_gup.measure.bench_here.proc.finish",
                            side_effect=KeyboardInterrupt), \
                    mock.patch("kunit_gup.measure.bench_here.paths.fresh_log",
                               return_value=Path(directory, "log")), \
                    mock.patch("kunit_gup.measure.bench_here.bench_uml.pinned", return_value=[]):
                with self.assertRaises(KeyboardInterrupt):
                    bench_here._once(program, 16)
            pid = Path(f"{program}.pid")
            self.assertFalse(pid.exists() and Path("/proc", pid.read_text().strip()).exists())


def entry(kernel, value, op="unpin", kb=64, meter="time"):
    """Return a figure as it is stored."""
    return {"kernel": kernel, "op": op, "folio_kb": kb, "mapping": "pte", "access": "write",
            "pages_per_call": 512, "meter": meter, "value": value}


class Compare(unittest.TestCase):
    """Two files side by side."""

    def file(self, *entries):
        """Return the path of a file with these figures."""
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(entries, file)
        self.addCleanup(Path(file.name).unlink)
        return file.name

    def test_common_figures(self):
        one, other = (bench_compare.load(self.file(*entries)) for entries in (
            [entry("7.3", 8), entry("7.3", 40, "pin_fast"), entry("7.3", 16, meter="cycles")],
            [entry("7.4", 4), entry("7.4", 32, meter="cycles"), entry("7.4", 3, kb=16)]))
        tables = bench_compare.compare(one | other)
        self.assertEqual([each.meter for each in tables], ["time", "cycles"])
        self.assertRegex(tables[0].text(), r"64 kB +8\.00 +4\.00 +2\.00")
        self.assertNotIn("pin_fast", tables[0].text())
        self.assertIn("7.4 takes 2.00 times what 7.3 does, unpin, write, 512 a call, 64 kB, cycles",
                      bench_compare.summary(tables))

    def test_same_kernel_twice(self):
        one = self.file(entry("7.3", 8))
        with mock.patch("builtins.print") as printed, mock.patch("kunit_gup.common.ui.note"):
            bench_compare.run(one, one)
        self.assertRegex(printed.call_args[0][0], r"A:7\.3 +B:7\.3")

    def test_nothing_in_common(self):
        one, other = self.file(entry("7.3", 8)), self.file(entry("7.4", 8, "put"))
        with self.assertRaisesRegex(UserError, "no figure in common"):
            bench_compare.run(one, other)

    def test_other_json(self):
        for text in ("{", "[1]", '[{"op": "unpin"}]', '{"a": 1}'):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                with self.assertRaisesRegex(UserError, "has no figures of make bench"):
                    bench_compare.load(file.name)


if __name__ == "__main__":
    unittest.main()
