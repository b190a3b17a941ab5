# SPDX-License-Identifier: GPL-2.0-only
"""The litmus tests, and what is made of the answers of herd7."""

import unittest

import support

from kunit_gup.check import litmus

TEST = """C {name}

(*
 * Result: {result}
 *
 * P0 reads (*x twice, it says.
 *)

{{ }}

P0(int *x)
{{
	int r0;
	int r1;

{code}}}

exists (0:r0=1 /\\ 0:r1=0) (* Bad. *)
"""
CODE = ("\tr0 = READ_ONCE(*x);\t// (a)\n", "\tsmp_rmb();\n", "\tr1 = READ_ONCE(*y);\n",
        "\tsmp_rmb();\n")
HERD = """#!/bin/sh
# Says what the test wants, unless its name is in a variable.
if [ "$1" = -version ]; then echo 7.58; exit 0; fi
[ "$1 $2" = "-conf linux-kernel.cfg" ] && [ -e "$2" ] || exit 2
name=$(basename "$3" .litmus)
case "$name" in
"$ODD") echo "Observation $name Always 1 0"; exit 0 ;;
"$MUTE") echo "Error: no such thing"; exit 1 ;;
esac
echo "Test $name Allowed"
echo "Observation $name $(sed -n 's/^ \\* Result: //p' "$3") 0 4"
"""


def test(name, result="Never", code=CODE):
    """Return the text of a litmus test."""
    return TEST.format(name=name, result=result, code="".join(code))


def files(texts):
    """Return {path: text} of tests, and of the two that name them."""
    names = "\n".join(f"``{name}.litmus``" for name in texts)
    return {"mm/gup_batch.rst": names, "lib/kunit-gup/litmus/README": names,
            **{f"lib/kunit-gup/litmus/{name}.litmus": text for name, text in texts.items()}}


class Pairs(unittest.TestCase):
    """A twin differs in one line from the test that it is for."""

    def problems(self, code, name="one-broken"):
        """Return what is said about a pair whose twin has `code`."""
        return litmus._twins({"one": test("one"), name: test(name, "Sometimes", code)})

    def test_one_line(self):
        """A line can be left out, even if there is another one like it, replaced, or moved."""
        for code in (CODE[:1] + CODE[2:], CODE[:3], (CODE[0], "\tbarrier();\n", *CODE[2:]),
                     (CODE[2], *CODE[:2], CODE[3]), (*CODE, "\tsmp_rmb();\n")):
            self.assertEqual(self.problems(code), [], code)
            self.assertEqual(self.problems(code, "one-broken-no-rmb"), [], code)

    def test_more_than_one_line(self):
        for code in (CODE[2:], CODE[:2], ("\tr0 = 1;\n", CODE[1], "\tr1 = 1;\n", CODE[3]),
                     (CODE[2], CODE[0], CODE[1]), (CODE[2], CODE[1], CODE[0], CODE[3])):
            self.assertEqual(self.problems(code), [
                "one-broken.litmus differs from one.litmus in more than one line"], code)

    def test_no_line(self):
        self.assertEqual(self.problems(("\tr0  =  READ_ONCE(*x);\t// (b)\n", *CODE[1:])),
                         ["one-broken.litmus does not differ from one.litmus"])

    def test_code_is_no_comment(self):
        """An argument that begins with a star does not begin a comment."""
        self.assertIn("r0 = READ_ONCE(*x);", litmus._code(test("one")))
        self.assertNotIn("it says", " ".join(litmus._code(test("one"))))

    def test_alone(self):
        self.assertEqual(litmus._twins({"one": test("one")}),
                         ["one.litmus has no twin one-broken.litmus"])
        self.assertEqual(litmus._twins({"one-broken": test("one-broken", "Sometimes")}), [
            "one-broken.litmus is the twin of no test: there is no one.litmus"])


class Texts(unittest.TestCase):
    """Each file says what comes out."""

    def test_result(self):
        """Never for a test, Sometimes for a twin, once, and the name of the file."""
        good = {"one": test("one"), "one-broken-x": test("one-broken-x", "Sometimes")}
        self.assertEqual(litmus._results(good), [])
        for name, text, said in (
                ("one", test("one", "Sometimes"), "one.litmus has no line ' * Result: Never'"),
                ("one", test("one", "Maybe"), "one.litmus has no line ' * Result: Never'"),
                ("one", test("one") + " * Result: Never\n",
                 "one.litmus has no line ' * Result: Never'"),
                ("one-broken", test("one-broken"),
                 "one-broken.litmus has no line ' * Result: Sometimes'"),
                ("one", test("two"), "one.litmus does not begin with 'C one'")):
            self.assertEqual(litmus._results({name: text}), [said])
        self.assertEqual(litmus._results({}), ["lib/kunit-gup/litmus has none"])

    def test_here(self):
        texts = litmus.tests()
        self.assertEqual([c.problems for c in litmus.rules(texts)], [[], [], []])
        self.assertGreater(len(texts), 60)


class Run(support.Sandbox):
    """The command, with a herd7 that is a script."""

    def setUp(self):
        super().setUp()
        self.texts = {"one": test("one"),
                      "one-broken": test("one-broken", "Sometimes", CODE[:3])}
        support.write(self.repo, files(self.texts))
        support.write(self.kdir, {"tools/memory-model/linux-kernel.cfg": ""})
        self.herd = self.top / "herd7"
        support.script(self.herd, HERD)
        self.env["HERD"] = str(self.herd)

    def test_all_as_expected(self):
        """One check for each test, with what came out, and those of the files."""
        lines = self.run_tool("litmus").splitlines()
        self.assertIn("ok litmus one: Never", lines)
        self.assertIn("ok litmus one-broken: Sometimes", lines)
        self.assertEqual(lines[-1], "5 passed, 0 failed, 0 skipped")

    def test_other_outcome(self):
        """What herd7 says is compared with the file, and an error is no outcome."""
        lines = self.run_bad("litmus", ODD="one", MUTE="one-broken").splitlines()
        self.assertIn("    herd7 says Always, the file Never", lines)
        self.assertIn("    herd7 gives no outcome: Error: no such thing", lines)
        self.assertEqual(lines[-1], "3 passed, 2 failed, 0 skipped")

    def test_names(self):
        """The page names each test, README each but the twins, and both no others."""
        support.write(self.repo, {"mm/gup_batch.rst": "``one.litmus`` NAME-broken.litmus",
                                  "lib/kunit-gup/litmus/README": "one.litmus two.litmus\n"})
        lines = self.run_bad("litmus").splitlines()
        at = lines.index("FAILED gup_batch.rst and README name each litmus test")
        self.assertEqual(lines[at + 1:at + 3], [
            "    mm/gup_batch.rst does not name one-broken.litmus",
            "    lib/kunit-gup/litmus/README names two.litmus, which is not there"])

    def test_no_herd7(self):
        """Without herd7, one line says so and how to get one; the files are checked."""
        del self.env["HERD"]
        lines = self.run_tool("litmus").splitlines()
        skipped = [line for line in lines if line.startswith("skipped")]
        self.assertEqual(len(skipped), 1)
        self.assertRegex(skipped[0], "^skipped litmus tests: there is no herd7, .*opam.*HERD=")
        self.assertEqual(lines[-1], "3 passed, 0 failed, 1 skipped")

    def test_on_path(self):
        del self.env["HERD"]
        self.env["PATH"] = f"{self.top}:{self.env['PATH']}"
        self.assertIn("ok litmus one: Never", self.run_tool("litmus"))

    def test_bad_herd(self):
        """A HERD= that is not there, or does not start, is one line."""
        self.assertIn("HERD=/nowhere/herd7 is no program",
                      self.run_tool("litmus", good=False, HERD="/nowhere/herd7"))
        self.herd.write_text("#!/bin/sh\necho libgmp.so.10: cannot open >&2; exit 127\n")
        self.assertIn("does not start: libgmp.so.10: cannot open",
                      self.run_tool("litmus", good=False))
        self.herd.write_text("no program\n")
        self.herd.chmod(0o644)
        self.assertIn("is no program", self.run_tool("litmus", good=False))

    def test_tree_without_model(self):
        """A tree without the memory model is said to be one."""
        (self.kdir / "tools/memory-model/linux-kernel.cfg").unlink()
        self.assertIn("    the kernel tree has no tools/memory-model/linux-kernel.cfg",
                      self.run_bad("litmus").splitlines())
