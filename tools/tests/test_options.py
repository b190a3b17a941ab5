# SPDX-License-Identifier: GPL-2.0-only
"""A bad value of a make variable is refused at once, by one line that names the good ones."""

import unittest
import unittest.mock

from support import TOOLS, Sandbox

from kunit_gup import options

BAD = (
    ("kunit", "TARGET", "vax", "known: uml, x86_64, .*, all"),
    ("steps", "TARGET", "all", "make steps does not take TARGET=all; it takes uml, x86_64"),
    ("bench", "TARGET", "uml", "make bench does not take TARGET=uml; it takes x86_64, arm64"),
    ("move-pages", "TARGET", "arm64", "it takes x86_64"),
    ("coverage", "TARGET", "x86_64", "it takes uml"),
    ("module-runs", "TARGET", "uml", "it takes x86_64"),
    ("kunit", "VARIANT", "kasan+x", "unknown VARIANT=x; known: .*kasan, kcsan"),
    ("kunit", "ACCEL", "xen", "known: kvm, hvf, tcg"),
    ("kunit", "BASE", "6.1", "known: 7.3, 7.2"),
    ("kunit", "KDIR", "/no/such/tree", "it may be a tree, a tarball .* or REPOSITORY@TAG"),
    ("kunit", "FILTER", "gup_fats", "it takes a suite, or suite.case, .*: .*gup_fast "),
    ("kunit", "FILTER", "gup_fast.gup_no_such_case", "it takes a case of gup_fast: "),
    ("mutants", "FILTER", "no-such-mutation", "known: "),
    ("kselftest", "FILTER", "no_such_program", "it takes a command, .*madv_populate"),
    ("kunit", "JOBS", "many", "it takes a number from 1 to "),
    ("kunit", "JOBS", "0", "it takes a number from 1 to "),
    ("kunit", "WAIT", "maybe", "known: 0, 1"),
    ("bench", "ROUNDS", "0", "it takes a number from 1 to "),
    ("bench-uml", "ROUNDS", "-1", "it takes a number from 1 to "),
    ("bench", "MB", "1", "it takes an even number from 16 to 1024"),
    ("bench", "MB", "17", "it takes an even number from 16 to 1024"),
    ("bench-profile", "MB", "4096", "it takes an even number from 16 to 1024"),
    ("bench", "PEER", "none.patch", "it takes mailboxes, folders"),
    ("bench", "KUNIT", "busy", "known: idle"),
    ("bench-compare", "A", "none.json", "it takes a file of make bench or make bench-here"),
    ("bench-compare", "B", "none.json", "it takes a file of make bench or make bench-here"),
    ("bench", "STEP", "9999", "it takes a number from 0001 to 0001"),
    ("bench", "STEP", "0001,0001", "it takes a number from "),
    ("steps", "STEP", "0001,0002", "it takes numbers separated by commas, from "),
    ("bench-uml", "STEPS", "some", "known: all"),
    ("series-check", "MAILING", "none", "unknown MAILING=none"),
    ("kunit", "GUP_SEED", "odd", "say GUP_SEED=42, or any number up to "),
    ("litmus", "HERD", "/no/such/herd7", "name a herd7, or leave HERD= out"),
)
GOOD = (
    ("kunit", {"TARGET": "all"}),
    ("kunit", {"FILTER": "gup_f*"}),
    ("kunit", {"FILTER": "gup_fast.*"}),
    ("kunit", {"VARIANT": "kasan+ubsan", "TARGET": "x86_64"}),
    ("bench", {"MB": "16", "ROUNDS": "1", "TARGET": "arm64"}),
    ("steps", {"STEP": "0001"}),
    ("bench-uml", {"STEPS": "all"}),
)


class Options(Sandbox):
    """The command line, in a repository of its own; nothing is prepared."""

    def test_bad_values(self):
        """One line names the variable, the value and what it takes, and no tree is made."""
        for command, name, text, says in BAD:
            with self.subTest(command=command, name=name, text=text):
                env = {"KDIR": ""} if name == "BASE" else {}
                error = self.run_tool(command, good=False, **env, **{name: text})
                self.assertRegex(error, says)
                self.assertIn(name, error)
        self.assertEqual(list(self.cache.glob("kunit-gup/*")), [])

    def test_good_values(self):
        for command, env in GOOD:
            with self.subTest(command=command, **env), \
                    unittest.mock.patch.dict("os.environ", env, clear=True):
                options.check(command)

    def test_each_variable(self):
        """Each variable that the Makefile hands on has a check, and a bad value here."""
        text = (TOOLS.parent / "Makefile").read_text(encoding="utf-8")
        text = text.replace("\\\n", " ")
        line = next(line for line in text.splitlines() if line.startswith("export "))
        exported = line.split()[1:]
        self.assertEqual(set(exported), set(options.CHECKS))
        self.assertEqual({name for _, name, _, _ in BAD}, set(exported))
