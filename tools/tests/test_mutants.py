# SPDX-License-Identifier: GPL-2.0-only
"""Mutations: where they go, and what is made of a run with one."""

import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401 (sets the path)

from kunit_gup.check import mutants
from kunit_gup.common import paths
from kunit_gup.common.errors import UserError
from kunit_gup.run import build, judge, kunit, targets

FILE = """/* f() does it. */
static int f(int a);

static int f(int a)
{
	if (a > 1)
		return g(a,
			 1);
	return 0;
}

#ifdef OTHER
static noinline unsigned long
g(int a, int b)
{
	return a > 1;
}
#else
static int g(int a, int b)
{
	return f(a);
}
#endif
"""


def mutant(old, new="", **more):
    """Return a mutation of x.c."""
    return mutants.Mutant(**({"name": "one", "file": "x.c", "old": old, "new": new} | more))


def verdict(*rows, problems=()):
    """Return the Verdict of a run with these rows, (status, suite, case)."""
    return judge.Verdict([judge.Result(tuple(path), status) for status, *path in rows],
                         list(problems))


class Text(unittest.TestCase):
    """A mutation changes exactly one place."""

    def test_white_space(self):
        self.assertIn("return 7;\n\treturn 0;",
                      mutant("return g(a, 1);", "return 7;").apply(FILE))

    def test_function(self):
        """The text is looked for in each definition, not in declarations and comments."""
        self.assertEqual([each.name for each in mutants.functions(FILE)], ["f", "g", "g"])
        changed = mutant("a > 1", "a < 1", function="g").apply(FILE)
        self.assertIn("return a < 1;", changed)
        self.assertIn("if (a > 1)", changed)

    def test_not_once(self):
        for wrong in (mutant("a > 2"), mutant("a > 1"), mutant("a", function="h"),
                      mutant("f(a)", function="f")):
            with self.assertRaisesRegex(UserError, r"^tools/mutants.toml: one: "):
                wrong.apply(FILE)


class Table(unittest.TestCase):
    """tools/mutants.toml."""

    def load(self, text):
        """Load a table with this text."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        path = Path(directory, "mutants.toml")
        path.write_text(text, encoding="utf-8")
        return mutants.load(path)

    def test_ours(self):
        """It has what it should, and each target exists."""
        found = mutants.load()
        self.assertGreaterEqual(len(found), 60)
        self.assertLessEqual({m.target for m in found}, targets.table().keys())

    def test_mistakes(self):
        good = '[[mutant]]\nname = "a-1"\nfile = "x"\nold = "y"\n'
        self.assertEqual(len(self.load(good)), 1)
        for text in (good + good, good + "sweet = 1\n", '[[mutant]]\nname = "a"\n', "x",
                     good.replace("a-1", "A 1")):
            with self.assertRaises(UserError):
                self.load(text)

    def test_misfits(self):
        """An entry whose text the code does not have, or has twice, is named."""
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "x.c").write_text(FILE, encoding="utf-8")
        table = [mutant("a > 1", name="twice", file="x.c"), mutant("a > 2", name="none", file="x.c"),
                 mutant("a > 1", name="good", function="g", file="x.c")]
        found = mutants.misfits(types.SimpleNamespace(path=directory), table)
        self.assertEqual([line.split(":")[1].strip() for line in found], ["twice", "none"])

    def test_select(self):
        """By names, and in the order of files, so that as little as possible is built."""
        all_of_them = [mutant("", name="a-1", file="x"), mutant("", name="b-1", file="y"),
                       mutant("", name="a-2", file="y"), mutant("", name="b-2", file="x")]
        self.assertEqual([m.name for m in mutants.select(all_of_them, "")],
                         ["a-1", "b-2", "b-1", "a-2"])
        self.assertEqual([m.name for m in mutants.select(all_of_them, "a-* b-2")],
                         ["a-1", "b-2", "a-2"])
        with self.assertRaisesRegex(UserError, "FILTER=c-"):
            mutants.select(all_of_them, "c-*")


class Outcomes(unittest.TestCase):
    """What the suites made of it."""

    def test_kinds(self):
        passed, failed = ("PASS", "s", "a"), ("FAIL", "s", "b")
        for run, kind, by, rows in (
                (verdict(passed), "survived", "", 0),
                (verdict(passed, failed, ("FAIL", "t", "c")), "killed", "s.b", 2),
                (verdict(passed, problems=["kernel log: WARNING: x"]), "killed",
                 "kernel log: WARNING: x", 0),
                (verdict(failed, problems=["kernel log: Kernel panic - not syncing"]), "crash",
                 "s.b", 1),
                (verdict(passed, problems=["the kernel hung: it did not end within 3 s"]), "hang",
                 "the kernel hung: it did not end within 3 s", 0)):
            outcome = mutants.outcome_of(run)
            self.assertEqual((outcome.kind, outcome.by, outcome.rows), (kind, by, rows))

    def test_problems(self):
        """A survivor, and what is called equivalent and is not."""
        killed, survived = mutants.Outcome("killed", "s.a", 1), mutants.Outcome("survived")
        same = mutant("x", equivalent="why")
        self.assertEqual(mutants.verdict_on(mutant("x"), killed), ([], "killed by s.a"))
        self.assertEqual(len(mutants.verdict_on(mutant("x"), survived)[0]), 1)
        self.assertEqual(mutants.verdict_on(same, survived), ([], "equivalent: why"))
        self.assertEqual(len(mutants.verdict_on(same, killed)[0]), 1)


class Bench(unittest.TestCase):
    """One mutation after the other in a work tree."""

    def setUp(self):
        top = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file, work = top / "x.c", mock.Mock(path=top)
        self.file.write_text(FILE, encoding="utf-8")
        self.bench = mutants._Bench(work, mock.Mock(), top)
        self.bench.target.name = "uml"
        self.enterContext(mock.patch.object(paths, "fresh_log"))
        self.make = self.enterContext(mock.patch.object(build, "make"))
        self.boot = self.enterContext(mock.patch.object(kunit, "boot"))

    def test_all_suites_if_those_named_notice_nothing(self):
        """The file is mutated meanwhile, and as before afterwards."""
        self.make.side_effect = lambda *_, **__: self.assertIn("a < 1", self.file.read_text())
        self.boot.side_effect = [verdict(("PASS", "s", "a")), verdict(("FAIL", "t", "b"))]
        check, entry = self.bench.check(mutant("a > 1", "a < 1", function="f", suites="s*"))
        self.assertEqual((check.problems, entry["outcome"], entry["by"]), ([], "killed", "t.b"))
        self.assertEqual([call.args[4] for call in self.boot.call_args_list], ["s*", ""])
        self.assertEqual(self.file.read_text(), FILE)

    def test_it_does_not_build(self):
        self.make.side_effect = build.Failed("no", "see")
        check, entry = self.bench.check(mutant("a > 1", "a ==", function="f"))
        self.assertEqual((len(check.problems), entry["outcome"]), (1, "build error"))

    def test_interrupted(self):
        """The file is put back, and the next run knows what its objects may come from."""
        self.make.side_effect = KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.bench.check(mutant("a > 1", "a < 1", function="f"))
        self.assertEqual(self.file.read_text(), FILE)
        self.assertEqual((self.file.parent / mutants.MUTATED).read_text(), '["x.c"]')
