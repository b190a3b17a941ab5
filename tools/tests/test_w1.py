# SPDX-License-Identifier: GPL-2.0-only
"""What W=1 leaves out."""

import tempfile
import unittest
from pathlib import Path

from support import write

from kunit_gup.check import w1

MAKEFILE = """obj-y := always.o
obj-$(CONFIG_ON)\t+= on.o other.o
obj-$(CONFIG_OFF) += more.o off.o
"""


class NotBuilt(unittest.TestCase):
    """Files that the configuration does not build."""

    def test_options(self):
        """Only a file whose option is off, with the option."""
        with tempfile.TemporaryDirectory() as directory:
            top = Path(directory)
            write(top, {"mm/Makefile": MAKEFILE,
                        "build/.config": "CONFIG_ON=y\n# CONFIG_OFF is not set\n"})
            names = [f"mm/{name}.c" for name in ("always", "on", "other", "off", "more", "new")]
            self.assertEqual(w1.not_built(top, top / "build", [*names, "mm/off.h", "fast/a.c"]),
                             {"mm/off.c": "CONFIG_OFF", "mm/more.c": "CONFIG_OFF"})


if __name__ == "__main__":
    unittest.main()
