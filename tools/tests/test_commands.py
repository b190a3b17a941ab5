# SPDX-License-Identifier: GPL-2.0-only
"""tools/commands.toml: each command of the Makefile is tried, or there is a reason."""

import contextlib
import os
import unittest
from unittest import mock

import support

from kunit_gup import cli, options
from kunit_gup.check import commands, lint


class Table(unittest.TestCase):
    """What the table says is so."""

    def setUp(self):
        """Read the table, of the commands that there are."""
        self.table = {name: entry for name, entry in commands.table().items()
                      if name in lint.targets()}
        text = (support.TOOLS / "kunit_gup/check/check.py").read_text(encoding="utf-8")
        self.check = text[text.index("def run("):text.index("def rest(")]

    def test_complete(self):
        """Each command is in it, in the tools, and in `make help`."""
        self.assertEqual(lint.targets() - {"help"}, set(self.table))
        self.assertEqual(set(cli.COMMANDS), set(self.table))
        text = (support.TOOLS.parent / "Makefile").read_text(encoding="utf-8")
        for name in self.table:
            self.assertRegex(text, rf"(?m)^#: +make {name} ")

    def test_stage_or_reason(self):
        """A command is a stage of `make check`, or the table says why not."""
        for name, entry in self.table.items():
            with self.subTest(name):
                self.assertLessEqual(entry.keys(), {"stage", "built", "run", "reason"})
                self.assertEqual("stage" in entry, not entry.get("reason"))
                if entry.get("stage", "suites") != "suites":
                    self.assertIn(f'"{entry["stage"]}": ', self.check)

    def test_built(self):
        """What is said to be built is, by a stage of `make check`."""
        self.assertIn("commands.builds(", self.check)
        self.assertLessEqual(set(commands.kernels()),
                             {name for name, entry in self.table.items() if entry.get("built")})

    def test_shortest_form(self):
        """The variables of a shortest form are good ones."""
        for name, entry in self.table.items():
            # Their files are made by a command before them.
            if name not in ("series-check", "bench-compare") and "run" in entry:
                with self.subTest(name), contextlib.chdir(support.TOOLS.parent), \
                        mock.patch.dict(os.environ, entry["run"], clear=True):
                    options.check(name)

    def test_run(self):
        """A command sees the variables of its entry and no others; an error is a failed check."""
        seen = {}
        with mock.patch.dict(os.environ, {"STEP": "0001", "JOBS": "2"}), \
                mock.patch.object(commands.ui, "note", lambda _: None), \
                mock.patch.object(commands, "table", lambda: {"x": {"run": {"MB": "16"}}}):
            good, = commands.shortest(lambda name: seen.update(os.environ))
            bad, = commands.shortest(lambda name: 1)
        self.assertEqual([seen.get(key) for key in ("MB", "STEP", "JOBS")], ["16", None, "2"])
        self.assertEqual((good.problems, bad.problems), ([], ["it ended with 1"]))
