# SPDX-License-Identifier: GPL-2.0-only
"""What is said while a kernel is built."""

import unittest

import support  # noqa: F401 (sets the path)

from kunit_gup.run import build


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
