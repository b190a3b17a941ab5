# SPDX-License-Identifier: GPL-2.0-only
"""Comparing object code."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401 (sets the path)

from kunit_gup.check import objects


class Code(unittest.TestCase):
    """Two builds of a file are compared by what they do."""

    def build(self, text):
        """Compile `text`; return the path of the object."""
        directory = Path(tempfile.mkdtemp(dir=self.directory))
        (directory / "x.c").write_text(text, encoding="utf-8")
        subprocess.run(["gcc", "-O2", "-c", "x.c", "-ffunction-sections",
                        "-Wno-builtin-macro-redefined", "-D__LINE__=0"], cwd=directory, check=True,
                       capture_output=True)
        return directory / "x.o"

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def test_moved_lines_make_no_difference(self):
        one = self.build("int warn(int);\nint f(int a) { return warn(__LINE__) + a; }\n")
        two = self.build("/* more */\nint warn(int);\n\nint f(int a) { return warn(__LINE__) + a; }\n")
        self.assertEqual(objects.differences(one, two), [])

    def test_other_code_differs(self):
        """One instruction is enough, and so is another callee."""
        one = self.build("int g(int); int h(int);\nint f(int a) { return g(a + 1); }\n")
        for other in ("g(a + 2)", "h(a + 1)"):
            text = f"int g(int); int h(int);\nint f(int a) {{ return {other}; }}\n"
            self.assertEqual(objects.differences(one, self.build(text)), ["f"])

    def test_order_makes_no_difference(self):
        """Nor does the order in which the compiler writes functions."""
        texts = ["int f(int a) { return a + 1; }\n", "int g(int a) { return a * 3; }\n"]
        one, two = self.build("".join(texts)), self.build("".join(reversed(texts)))
        self.assertEqual(objects.differences(one, two), [])

    def test_names_of_counters_make_no_difference(self):
        """__COUNTER__ numbers the names that a macro makes; another name is another one."""
        lines = "Disassembly of section .text.f:\n\tjmp <__UNIQUE_ID_addressable_{}_{}+0x3>\n"
        self.assertEqual(*(objects.sections(lines.format("a", n)) for n in (868, 869)))
        self.assertNotEqual(*(objects.sections(lines.format(n, 868)) for n in "ab"))

    def test_access(self):
        """Symbols and strings of the test access are found."""
        self.assertEqual(objects.access(self.build("int f(void) { return 1; }\n")), [])
        self.assertEqual(objects.access(self.build("int gup_kunit_wrapper(void) { return 1; }\n")),
                         ["gup_kunit_wrapper"])


class Hot(unittest.TestCase):
    """What a function may call in a kernel with KUnit."""

    PLAIN = {".text.f": "\tcall   <f+0x5>\n\t\t\tR_X86_64_PLT32\tg-0x4\n"}
    BRANCH = f"\tcall   <f+0x5>\n\t\t\tR_X86_64_PLT32\t{objects.INDIRECT}_rax-0x4\n"

    def test_same_callees(self):
        """What is called without KUnit, also from a cold part of it, may be called with it."""
        cold = "\tjmp    <f+0x9>\n\t\t\tR_X86_64_PLT32\t.text.unlikely.f-0x4\n"
        self.assertEqual(objects.more("f", self.PLAIN[".text.f"] + cold, 0, self.PLAIN), [])

    def test_more_callees(self):
        """A function that was inlined is one call more."""
        text = "\tcall   <f+0x5>\n\t\t\tR_X86_64_PC32\t.text.inlined.constprop.0-0x4\n"
        self.assertEqual(objects.more("f", text, 0, self.PLAIN), ["it calls inlined()"])

    def test_pointers(self):
        """A static branch has two calls by pointers, and there are no others."""
        self.assertEqual(objects.more("f", 2 * self.BRANCH, 1, self.PLAIN), [])
        self.assertEqual(len(objects.more("f", 3 * self.BRANCH, 1, self.PLAIN)), 1)


class Around(unittest.TestCase):
    """What is built: a comparison has the state before it and the one after it."""

    def test_each(self):
        """Each patch that touches a header by itself, and the rest."""
        self.assertEqual(objects.around(list("abcde"), list("bcd"), list("bcd")), set("bcde"))

    def test_brief(self):
        """What may change code is by itself, with all before it in one."""
        self.assertEqual(objects.around(list("abcde"), list("bcd"), {"d": "why"}), set("cde"))
        self.assertEqual(objects.around(list("abcde"), list("bcd"), {}), set("e"))
        self.assertEqual(objects.around(list("abcde"), list("b"), {"b": "why"}), set("be"))
