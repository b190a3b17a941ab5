# SPDX-License-Identifier: GPL-2.0-only
"""Read what tools/initramfs/move_pages.c says."""

import unittest

import support  # noqa: F401
from kunit_gup.run import move_pages

GOOD = "[    1.5] move-pages: PASS 64 bits: 15 addresses\r\n"
BAD = "[    1.5] move-pages: FAIL 32 bits: pages of a child: result: got -1, want 0\r\n"


class MovePagesTest(unittest.TestCase):
    """Rows are found in a kernel log, and missed when they are not there."""

    def test_rows(self):
        """A row that passes has no problem, one that fails says why."""
        good, bad = move_pages.rows(GOOD + BAD)
        self.assertEqual((good.name, good.problems), ("64 bits: 15 addresses", []))
        self.assertEqual(bad.name, "32 bits: pages of a child")
        self.assertEqual(bad.problems, ["result: got -1, want 0"])

    def test_missing(self):
        self.assertEqual(move_pages.missing(GOOD * move_pages.ROWS),
                         [f"0 of {move_pages.ROWS} rows of 32 bits"])
        self.assertEqual(len(move_pages.missing(GOOD)), 2)
