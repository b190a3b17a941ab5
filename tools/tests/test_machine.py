# SPDX-License-Identifier: GPL-2.0-only
"""Targets, and the machines that they are booted on."""

import contextlib
import io
import platform
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401 (sets the path)

from kunit_gup.check import check
from kunit_gup.common import proc
from kunit_gup.common.errors import UserError
from kunit_gup.publish import table
from kunit_gup.run import build, kunit, machine, module_runs, targets
from kunit_gup.run.judge import Result, Verdict
from kunit_gup.run.machine import Machine
from kunit_gup.run.targets import Target

CONFIG = {"kernel_path": "Image", "kernel_command_line": "console=ttyX", "serial": "stdio",
          "extra_qemu_params": []}


def on(host):
    """Return a context in which the host's machine is `host`."""
    return mock.patch.object(platform, "machine", return_value=host)


class Table(unittest.TestCase):
    """tools/targets.toml."""

    def test_whole_table(self):
        """Every target, variant and build can be made of its entry."""
        for target in targets.table().values():
            self.assertTrue(target.native and target.timeout and target.config, target)
            self.assertEqual(target.arch == "um", not target.qemu)
        for name in targets.variants():
            targets.varied(targets.table()["x86_64"], name)

    def test_variants_together(self):
        """Each adds its lines, and the longest time limit counts."""
        plain = targets.table()["x86_64"]
        both = targets.varied(plain, "kasan+ubsan")
        self.assertEqual((both.name, both.timeout), ("x86_64-kasan-ubsan", 900))
        self.assertEqual(both.config, (*plain.config,
                                       *targets.variants()["kasan"]["config"],
                                       *targets.variants()["ubsan"]["config"]))
        self.assertEqual(targets.varied(plain, "ubsan+kasan").timeout, 900)

    def test_rest(self):
        """`make check` and `make check-all` run every target and every variant."""
        table, rest = targets.table(), [t.name for t in targets.rest()]
        self.assertEqual([n for n, t in table.items() if not t.check and n not in rest], [])
        for name in targets.variants():
            self.assertEqual(sum(name in chosen.removeprefix("x86_64-") for chosen in rest), 1, name)

    def test_like(self):
        """Lists are added to those of the other target, and `check` is not taken over."""
        table = targets.table()
        small, large = table["arm64"], table["arm64-64k"]
        self.assertEqual(large.config, (*small.config, "CONFIG_ARM64_64K_PAGES=y"))
        self.assertEqual(large.qemu, small.qemu)
        self.assertEqual(large.qemu_args[:len(small.qemu_args)], small.qemu_args)
        self.assertEqual((small.check, large.check), (True, False))

    def test_any_host(self):
        """A host takes its own compiler for its own architecture, and a cross one else."""
        table = targets.table()
        with on("aarch64"):
            self.assertEqual(table["arm64"].needs, {"qemu-system-aarch64": "qemu-system-arm"})
            self.assertEqual(table["x86_64"].needs, {
                "qemu-system-x86_64": "qemu-system-x86",
                "x86_64-linux-gnu-gcc": "gcc-x86-64-linux-gnu"})
            self.assertEqual(targets.default(), "arm64")
            with self.assertRaises(UserError):
                targets.find("uml")
        with on("x86_64"):
            self.assertEqual(table["arm64"].cross_compile, "aarch64-linux-gnu-")
            self.assertEqual(table["i386-pae"].cross_compile, "")
            self.assertEqual(targets.default(), "uml")

    def test_all_on_any_host(self):
        """TARGET=all leaves out what the host cannot run, with one line, and runs the rest."""
        ran = []

        def kunit(target, *_):
            ran.append(target.name)
            return Verdict([Result(("s", "c"), "PASS")])

        with on("aarch64"), mock.patch.object(check.kunit, "run", kunit), \
                mock.patch.object(check.kernelci, "losses", lambda *_: []), \
                contextlib.redirect_stdout(io.StringIO()) as out:
            totals = check.suites(targets.find_all("all"))
        self.assertEqual(ran, [name for name in targets.table() if name != "uml"])
        self.assertEqual(totals, (len(ran), 0, 1))
        self.assertIn("skipped uml: User Mode Linux exists on x86 hosts only, and this is aarch64\n",
                      out.getvalue())

    def test_kernel_of_the_steps(self):
        """The suites run in the kernel that the steps have built, and no other target does."""
        ran = {}

        def kunit(target, _kdir, _pattern, _strict, built):
            ran[target.name] = built
            return Verdict([Result(("s", "c"), "PASS")])

        chosen = [targets.table()[name] for name in ("uml", "arm64")]
        with mock.patch.object(check.kunit, "run", kunit), on("x86_64"), \
                mock.patch.object(check.kernelci, "losses", lambda *_: []), \
                mock.patch.object(check.steps, "finished", lambda *_: "the kernel"), \
                contextlib.redirect_stdout(io.StringIO()):
            check.suites(chosen, strict=True, stepped=targets.find("uml"))
        self.assertEqual(ran, {"uml": "the kernel", "arm64": None})

    def test_native_kvm(self):
        """KVM is only for targets of the host's own architecture."""
        with on("aarch64"):
            for name, target in targets.table().items():
                native = name.startswith("arm64")
                self.assertEqual(machine.unusable(target, "kvm", "/dev/null") == "",
                                 native, name)

    def test_llvm(self):
        target = Target("t", "arm64", ("aarch64",), "aarch64-linux-gnu-", make=("LLVM=-19",))
        with on("x86_64"):
            self.assertEqual(target.cross_compile, "")

    def test_unknown(self):
        with self.assertRaisesRegex(UserError, "unknown TARGET=vax; known: .*arm64.* all"):
            targets.find("vax")
        with self.assertRaisesRegex(UserError, "unknown VARIANT=x; known: .*kasan"):
            targets.find("x86_64", "x")


class Boot(support.Sandbox):
    """A QEMU that is a shell script."""

    def machine(self, script, limit=10):
        """Return a machine whose QEMU is `script`."""
        qemu = self.top / "qemu"
        support.script(qemu, f"#!/bin/sh\n{script}\n")
        target = Target("t", "x86_64", (platform.machine(),), qemu=str(qemu), timeout=limit)
        machine._hung.clear()
        return Machine(target, self.top, CONFIG)

    def choice(self, script, wanted="", device="/dev/null"):
        """Return the accelerator and why."""
        found = self.machine(script)
        with mock.patch.object(machine, "PROBE_LIMIT", 0.5), \
                mock.patch.object(machine, "unusable",
                                  lambda t, a, real=machine.unusable: real(t, a, device)), \
                mock.patch.object(machine.paths, "RESULTS", self.top):
            return machine._choice(found, wanted)

    def test_good_kvm(self):
        """It is taken when it booted the kernel, and only then."""
        self.assertEqual(self.choice("echo KTAP version 1")[0], "kvm")

    def test_bad_kvm(self):
        """One that hangs, fails or boots nothing gives way to TCG, and the reason is told."""
        for script, why in (("echo Linux; sleep 9", "within 0.5 s, last 'Linux'"),
                            ("sleep 9", "it said nothing"), ("echo no >&2; exit 1", "failed, last 'no'"),
                            ("exit 0", "failed")):
            accel, text = self.choice(script)
            self.assertEqual(accel, "tcg")
            self.assertIn(why, text)

    def test_no_kvm(self):
        self.assertEqual(self.choice("exit 0", device="/dev/none"), ("tcg", "there is no /dev/none"))

    def test_foreign_kvm(self):
        target = Target("t", "arm64", ("vax",))
        self.assertIn("another architecture", machine.unusable(target, "kvm"))

    def test_wanted(self):
        self.assertEqual(self.choice("exit 1", "kvm")[0], "kvm")

    def boot(self, script, limit=10):
        """Boot; return the problems and the console."""
        found, log = self.machine(script, limit), self.top / "log"
        found.accel = "tcg"
        with mock.patch.object(kunit.ui, "note"):
            problems = kunit.run_qemu(found, "t", log, machine.test_args("a.*"))
        return problems, log.read_text(encoding="utf-8")

    def test_boot(self):
        """The kernel is booted with the arguments of kunit.py."""
        problems, log = self.boot('echo "$@"')
        self.assertEqual(problems, [])
        for part in ("kunit.filter_glob=a.* kunit.enable=1", "kunit_shutdown=reboot panic=-1 console=ttyX",
                     "-no-reboot", "-accel tcg", f"-kernel {self.top}/Image"):
            self.assertIn(part, log)

    def test_hang(self):
        """A kernel that does not end is ended, and that is a problem."""
        problems, log = self.boot("echo here; sleep 60", 0.5)
        self.assertEqual(problems, ["the kernel hung: it did not end within 0.5 s under tcg"])
        self.assertEqual(log, "here\n")

    def test_qemu_fails(self):
        self.assertEqual(self.boot("echo no such machine >&2; exit 3")[0],
                         ["QEMU ended with code 3: no such machine"])


class Uml(support.Sandbox):
    """UML, which kunit.py boots: here a shell script."""

    def run_uml(self, script):
        """Return the problems of a boot."""
        support.write(self.top, {"kunit.sh": script})
        target = Target("t", "um", timeout=7)
        with mock.patch.object(kunit.build, "kunit_py", lambda tree: ["sh", tree / "kunit.sh"]), \
                mock.patch.object(kunit.paths, "RESULTS", self.top):
            return kunit._run_uml(self.top, target, self.top, kunit.files("t"), "",
                                   lambda line: None, ())

    def test_hang(self):
        """kunit.py ends a kernel that does not end, and says so."""
        self.assertEqual(self.run_uml("echo \"Command '['./linux']' timed out after 7 seconds\""),
                         ["the kernel hung: it did not end within 7 s"])

    def test_end(self):
        """A failing run is for the results to tell."""
        self.assertEqual(self.run_uml("echo ok; exit 1"), [])


class Module(unittest.TestCase):
    """The log of a module that was loaded twice."""

    LOG = ("KTAP version 1\n1..0\nkunit-gup: run 1 begins 0\nKTAP version 1\nok 1 a\n"
           "kunit-gup: run 1 loaded 0\nkunit-gup: run 1 unloaded 0\n"
           "kunit-gup: run 2 begins 0\nok 1 b\nkunit-gup: run 2 loaded 0\n")

    def test_parts(self):
        self.assertEqual(module_runs.part(self.LOG, 1), "KTAP version 1\nok 1 a\n")
        self.assertEqual(module_runs.part(self.LOG, 2), "ok 1 b\n")

    def test_faults(self):
        self.assertEqual(module_runs.faults(self.LOG),
                         ["run 2 of the module was not unloaded: it never got there"])
        whole = self.LOG + "kunit-gup: run 2 unloaded -16\n"
        self.assertEqual(module_runs.faults(whole),
                         ["run 2 of the module was not unloaded: error -16"])
        self.assertEqual(module_runs.faults(whole.replace("-16", "0")), [])


class Builds(support.Sandbox):
    """What is only built."""

    def configure(self, text, *config):
        """Let a kunit.py that writes `text` as .config configure a target with `config`."""
        script = f"printf '{text}' > {self.top}/.config"
        support.write(self.top, {"kunit.sh": script})
        with mock.patch.object(build, "kunit_py", lambda tree: ["sh", tree / "kunit.sh"]):
            build.configure(self.top, Target("t", "um", config=config), self.top,
                            self.top / "log")

    def test_configure(self):
        """A kernel without what its table asks for is refused, even if kunit.py accepts it."""
        self.configure("CONFIG_KASAN=y\\n", "CONFIG_KASAN=y")
        with self.assertRaisesRegex(UserError, "t was not .* asked: CONFIG_KASAN=y did not come"):
            self.configure("# CONFIG_KASAN is not set\\n", "CONFIG_KASAN=y")

    def test_wrong_config(self):
        """An option that did not come out as wanted is named, and the last line counts."""
        (self.top / ".config").write_text("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=y\n",
                                          encoding="utf-8")
        config = ("CONFIG_B=y", "CONFIG_A=y", "CONFIG_B=n", "CONFIG_C=n", "CONFIG_D=m")
        self.assertEqual(build.wrong_config(config, self.top),
                         ["CONFIG_C=n did not come out", "CONFIG_D=m did not come out"])


class RanWhere(support.Sandbox):
    """What ran where."""

    RESULTS = [Result(("a", "x"), "PASS"), Result(("b", "y", "one"), "PASS"),
               Result(("b", "y", "two"), "SKIP", "no THP")]
    TABLE = ("| ran on | uml | vax |\n|---|---:|---:|\n| `a` | 1 |  |\n| `b` | 1 | 3 |\n"
             "| skipped: no THP | 1 |  |\n")
    plan = {"a": {"x": 1}, "b": {"y": 2}}

    def written(self, have=("uml",)):
        """Return the table of the targets that ran."""
        with mock.patch.object(table.paths, "RESULTS", self.top), \
                mock.patch.object(table.targets, "table", lambda: ("uml", "vax")), \
                mock.patch.object(table.kunit, "pinned_plan", lambda: self.plan), \
                mock.patch.object(table, "stored",
                                  lambda name: self.RESULTS if name in have else []):
            return table.write().read_text(encoding="utf-8")

    def test_render(self):
        columns = {"uml": table.column(self.RESULTS), "vax": {"b": "3"}}
        self.assertEqual(table.render(columns), self.TABLE)

    def test_write(self):
        """A column for each target that ran, all of it."""
        self.assertEqual(self.written().splitlines()[0], "| ran on | uml |")
        self.assertEqual(self.written(("uml", "vax")).splitlines()[0], "| ran on | uml | vax |")
        with self.assertRaisesRegex(UserError, "there are no results yet"):
            self.written(())
        self.plan = {"a": {"x": 1}}
        with self.assertRaisesRegex(UserError, "uml was not one of all suites"):
            self.written()


class Limit(unittest.TestCase):
    """A limit of time for a command."""

    def test_in_time(self):
        self.assertEqual(proc.logged(["true"], Path("/dev/null"), limit=30), 0)

    def test_what_it_started_is_killed(self):
        """A kernel that heeds no other signal, in a group of its own; kunit.py goes on."""
        with tempfile.NamedTemporaryFile("r") as log:
            deaf = "trap : TERM; while :; do sleep 60; done"
            command = ["sh", "-c", f"setsid sh -c '{deaf}'; echo went on"]
            self.assertIsNone(proc.logged(command, log.name, limit=0.5, end=proc.kill_below))
            self.assertIn("went on", log.read())


class Arch(unittest.TestCase):
    """What a log cannot tell kunit.py."""

    def test_filled_in(self):
        group = {"arch": "", "sub_groups": [{"arch": "", "sub_groups": []}]}
        self.assertEqual(kunit.with_arch(group, "arm64"), {
            "arch": "arm64", "sub_groups": [{"arch": "arm64", "sub_groups": []}]})
