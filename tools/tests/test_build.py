# SPDX-License-Identifier: GPL-2.0-only
"""What is built, and what is said meanwhile."""

import tempfile
import unittest
from pathlib import Path

from support import write

from kunit_gup.run import build

MAKEFILE = """obj-y := always.o
obj-$(CONFIG_ON)\t+= on.o other.o
obj-$(CONFIG_OFF) += more.o off.o
"""


class Share(unittest.TestCase):
    """How far it is, and for how long yet."""

    def setUp(self):
        """Make a build of 600 files, and a clock."""
        self.now = 0
        self.share = build.Share(600, lambda: self.now)

    def test_share(self):
        """After a third of the files it takes twice as long again."""
        self.now = 60
        self.assertEqual(self.share.text(200), "200 of about 600 files, 2 min left")
        self.now = 90
        self.assertEqual(self.share.text(400), "400 of about 600 files, 45 s left")

    def test_nothing_to_go_by(self):
        """Too early, more than there should be, or nobody knows: no guess."""
        self.assertEqual(self.share.text(20), "20 of about 600 files")
        self.assertEqual(self.share.text(601), "601 files")
        self.assertEqual(build.Share(0).text(7), "7 files")


class NotBuilt(unittest.TestCase):
    """Files that the configuration does not build."""

    def test_options(self):
        """Only a file whose option is off, with the option."""
        with tempfile.TemporaryDirectory() as directory:
            top = Path(directory)
            write(top, {"mm/Makefile": MAKEFILE,
                        "build/.config": "CONFIG_ON=y\n# CONFIG_OFF is not set\n"})
            names = [f"mm/{name}.c" for name in ("always", "on", "other", "off", "more", "new")]
            self.assertEqual(build.not_built(top, top / "build", [*names, "mm/off.h", "fast/a.c"]),
                             {"mm/off.c": "CONFIG_OFF", "mm/more.c": "CONFIG_OFF"})


if __name__ == "__main__":
    unittest.main()
