# SPDX-License-Identifier: GPL-2.0-only
"""GUP_SEED= reaches every kernel that runs the suites."""

import os
import re
import unittest
from unittest import mock

import support

from kunit_gup import cli
from kunit_gup.common.errors import UserError
from kunit_gup.run import kunit, machine, module_runs
from kunit_gup.run.targets import Target


def seeded(text):
    """Return a context in which GUP_SEED= is `text`."""
    return mock.patch.dict(os.environ, {"GUP_SEED": text})


class Seed(unittest.TestCase):
    """From make to the command line of the kernel."""

    def test_make_passes_it(self):
        """The Makefile exports it, and `make help` has it."""
        text = (support.TOOLS.parent / "Makefile").read_text(encoding="utf-8")
        exported = re.search(r"^export (.*)$", text.replace("\\\n", " "), re.M)[1].split()
        self.assertIn("GUP_SEED", exported)
        self.assertRegex(text, r"(?m)^#:   GUP_SEED=\d+ ")

    def test_qemu(self):
        """QEMU gives it to the kernel as the parameter of the module."""
        with seeded("42"):
            self.assertIn("gup_kunit.seed=42", machine.test_args("a.*"))
        with seeded(""):
            self.assertEqual([a for a in machine.test_args() if "seed" in a], [])

    def test_uml(self):
        commands = []

        def logged(command, *_, **__):
            commands.append(command)
            return 0

        target = Target("uml", "um", ("x86_64",), timeout=1)
        tree, stored = support.TOOLS, {kind: support.TOOLS / kind
                                       for kind in ("json", "junit.xml", "log")}
        with mock.patch.object(kunit.proc, "logged", logged), \
                mock.patch.object(kunit.paths, "fresh_log", return_value=support.TOOLS / "README"), \
                mock.patch("pathlib.Path.read_text", return_value=""), seeded("7"):
            kunit._run_uml(tree, target, tree, stored, "", print, ())
        self.assertIn("--kernel_args=gup_kunit.seed=7", commands[0])

    def test_module(self):
        """The program that loads the module finds it in its environment."""
        with seeded("42"):
            self.assertEqual(module_runs.seed_args(), ["GUP_SEED=42"])
        with seeded(""):
            self.assertEqual(module_runs.seed_args(), [])

    def test_bad(self):
        """What is no seed is said before anything is built."""
        for text in ("x", "-1", "1.5", "4294967296", "0x10", "²"):
            with seeded(text), self.assertRaisesRegex(UserError, "GUP_SEED=.* is no seed"):
                cli._run(["lint"])
        for text in ("0", "1", "4294967295"):
            with seeded(text):
                self.assertEqual(machine.seed(), text)
