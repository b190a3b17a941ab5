# SPDX-License-Identifier: GPL-2.0-only
"""Each of our C files includes what it uses."""

import unittest

import support  # noqa: F401 (sets the path)

from kunit_gup.check import includes

USE = "\tkunit_activate_static_stub(test, one, other);\n"
STUB = "#include <kunit/static_stub.h>\n"


class Includes(unittest.TestCase):
    """What is used and not included is named."""

    def problems(self, text, header="", guard="#ifndef _X_H\n{}#endif\n"):
        """Return the problems of a file that includes a header of ours."""
        return includes.problems({"lib/kunit-gup/a_kunit.c": '#include "x.h"\n' + text,
                                  "lib/kunit-gup/x.h": guard.format(header)})

    def test_missing(self):
        """The file, the name and the header are in the line."""
        self.assertEqual(self.problems(USE), [
            "lib/kunit-gup/a_kunit.c uses kunit_activate_static_stub and does not include "
            "<kunit/static_stub.h>"])

    def test_there(self):
        """The file includes it, or a header of ours does."""
        self.assertEqual(self.problems(STUB + USE), [])
        self.assertEqual(self.problems(USE, STUB), [])
        self.assertEqual(includes.problems({
            "lib/kunit-gup/fast/a_kunit.c": '#include "walk/x.h"\n' + USE,
            "lib/kunit-gup/walk/x.h": f"#ifndef _X_H\n{STUB}#endif\n"}), [])

    def test_by_chance(self):
        """A header that one configuration only brings does not count."""
        self.assertTrue(self.problems(USE, f"#ifdef CONFIG_X\n{STUB}#endif\n"))
        self.assertTrue(self.problems(f"#ifdef CONFIG_X\n{STUB}#endif\n{USE}"))

    def test_words(self):
        """What is named in a comment or a string is not used."""
        self.assertEqual(self.problems("/* sort() */\nf(\"SZ_4M\");\n"), [])

    def test_brought(self):
        self.assertTrue(self.problems("x = IS_ERR(y);\n"))
        self.assertEqual(self.problems("#include <kunit/test.h>\nx = IS_ERR(y);\n"), [])
