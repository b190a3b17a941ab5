# SPDX-License-Identifier: GPL-2.0-only
"""No file includes what lies above it, and none in a circle."""

import unittest

import support  # noqa: F401 (sets the path)

from kunit_gup.check import floors, lint

TABLE = {"suites": {"types": ["oracle/types.h"],
                    "floors": [["fixture", "oracle"], ["walk"], ["fast", "slow"]]},
         "tools": {"floors": [["common"], ["run"], ["check", "measure"]]}}
GOOD = {
    "mm/gup_batch.h": "",
    "lib/kunit-gup/oracle/types.h": '#include "gup_batch.h"',
    "lib/kunit-gup/fixture/page.h": "",
    "lib/kunit-gup/fixture/page.c": '#include "page.h"\n#include "oracle/types.h"',
    "lib/kunit-gup/walk/walk.h": '#include "fixture/page.h"',
    "lib/kunit-gup/walk/walk.c": '#include "walk.h"',
    "lib/kunit-gup/fast/all.h": "",
    "lib/kunit-gup/fast/all.c": '#include "all.h"',
    "lib/kunit-gup/fast/a_kunit.c": '#include "walk/walk.h"\n#include "all.h"',
    "tools/initramfs/x.c": '#include "x_io.h"\n\nvoid x(int a,\n       int b)\n{\n}\n',
    "tools/initramfs/x_io.h": "",
    "tools/initramfs/x_io.c": '#include "x_io.h"',
    "tools/kunit_gup/common/ui.py": "import sys",
    "tools/kunit_gup/run/build.py": "from ..common import ui",
    "tools/kunit_gup/check/lint.py": "from ..measure import bench\nfrom ..run.build import make",
    "tools/kunit_gup/measure/bench.py": "from . import plot",
    "tools/kunit_gup/measure/plot.py": "from ..common.ui import note",
    "tools/kunit_gup/cli.py": "from .check import lint",
}


def problems(*args):
    """Return the problems of all Checks."""
    return [problem for check in floors.checks(*args) for problem in check.problems]


class Floors(unittest.TestCase):
    """Each rule, broken once."""

    def test_good(self):
        """Nothing is wrong in the table's own example, nor in this repository."""
        self.assertEqual(problems(GOOD, TABLE), [])
        self.assertEqual(problems(lint.contents()[0]), [])

    def test_broken(self):
        """One more line in a file, and the problem that it makes."""
        for name, line, problem in (
                ("lib/kunit-gup/fixture/page.h", '#include "walk/walk.h"',
                 "lib/kunit-gup/fixture/page.h includes lib/kunit-gup/walk/walk.h, which lies above"),
                ("mm/gup_batch.h", '#include "page.h"',
                 "mm/gup_batch.h includes lib/kunit-gup/fixture/page.h, which lies above it"),
                ("lib/kunit-gup/oracle/types.h", '# include "page.h"',
                 "lib/kunit-gup/oracle/types.h includes lib/kunit-gup/fixture/page.h, which lies"),
                ("lib/kunit-gup/slow/b_kunit.c", '#include "fast/all.h"',
                 "slow/b_kunit.c includes lib/kunit-gup/fast/all.h, of another folder on the same"),
                ("lib/kunit-gup/all.h", '#include "fixture/page.h"',
                 "lib/kunit-gup/all.h includes lib/kunit-gup/fixture/page.h, which lies above it"),
                ("lib/kunit-gup/ground.h", "", "ground.h has no ground.c, and is not in tools/floors.toml"),
                ("lib/kunit-gup/odd/c_kunit.c", "", "lib/kunit-gup/odd/ is on no floor"),
                ("lib/kunit-gup/walk/more.h", "", "walk/more.h has no more.c, and is not in tools/floors.toml"),
                ("lib/kunit-gup/walk/more.c", "", "walk/more.c has no header of its own"),
                ("tools/initramfs/y.h", "", "tools/initramfs/y.h has no y.c"),
                ("tools/initramfs/x_io.h", "void x(int a,\n       int b);",
                 "tools/initramfs/x_io.h declares x(), which is in tools/initramfs/x.c"),
                ("tools/initramfs/x_io.c", '#include "x.h"',
                 "a circle: tools/initramfs/x -> tools/initramfs/x_io -> tools/initramfs/x"),
                ("lib/kunit-gup/flat.c", '#include "flat2.h"',
                 "a circle: lib/kunit-gup/flat -> lib/kunit-gup/flat2 -> lib/kunit-gup/flat"),
                ("tools/kunit_gup/common/ui.py", "def f():\n    from ..run import build",
                 "tools/kunit_gup: common.ui imports run.build, which lies above it"),
                ("tools/kunit_gup/check/lint.py", "from .. import cli",
                 "tools/kunit_gup: check.lint imports cli, which lies above it"),
                ("tools/kunit_gup/measure/bench.py", "from ..check.lint import run",
                 "a circle: check.lint -> measure.bench -> check.lint")):
            with self.subTest(problem):
                more = {"tools/initramfs/x.h": ""} if "x.h" in line else {}
                more |= {"lib/kunit-gup/flat2.h": '#include "flat.h"',
                         "lib/kunit-gup/flat.h": ""} if "flat" in name else {}
                found = problems(GOOD | more | {name: f"{GOOD.get(name, '')}\n{line}\n"},
                                        TABLE)
                self.assertIn(problem, "\n".join(found))
