# SPDX-License-Identifier: GPL-2.0-only
"""`make figures`: the page about what a page costs."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401 (sets the path)

from kunit_gup.common.errors import UserError
from kunit_gup.measure import page


def entry(kernel, value, op="pin_fast", kb=64, per_call=512, access="write", **more):
    """Return a figure as it is stored."""
    return {"kernel": kernel, "op": op, "folio_kb": kb, "mapping": "pte", "access": access,
            "pages_per_call": per_call, "value": value, **more}


MEASURED = [entry("unpatched", 163.2), entry("patched", 21.06),
            entry("unpatched", 170, per_call=1), entry("patched", 174.25, per_call=1),
            entry("unpatched", 500, access="read"), entry("patched", 400, access="read"),
            entry("unpatched", 542.8, "move_pages", 4, 65536, "read"),
            entry("patched", 59.07, "move_pages", 4, 65536, "read"),
            entry("peer", 37.1), entry("patched", 1, "uring_read")]
COUNTED = [entry("unpatched", 0, atomics=3.1875, page_lines=1),
           entry("patched", 0, atomics=0.125, page_lines=0.125)]


class Page(unittest.TestCase):
    """Tables in figures.md."""

    def setUp(self):
        self.text = "\n".join(page.page("x86_64", MEASURED, COUNTED))

    def test_longest_calls_that_write(self):
        self.assertIn("Instructions per page, patched:", self.text)
        self.assertIn("| 64 kB |  | 163 → 21.1 |", self.text)
        self.assertIn("| 4 kB |  |  |  |  |  | 543 → 59.1 |", self.text)

    def test_each_kernel_has_a_table(self):
        self.assertIn("Instructions per page, peer:", self.text)
        self.assertIn("| 64 kB |  | 163 → 37.1 |", self.text)

    def test_counts(self):
        self.assertIn("| 64 kB |  | 3.19 → 0.125 |", self.text)
        self.assertIn("| 64 kB |  | 1 → 0.125 |", self.text)

    def test_worse_cases(self):
        """Each case that costs more is named, and no other; what one kernel lacks is none."""
        self.assertIn("\n- 1.025: pin_fast, write, 64 kB, 1 a call (170 → 174)\n", self.text)
        self.assertEqual(self.text.count("\n- "), 1)
        self.assertIn("Nowhere", page.page("x86_64", MEASURED[:2], [])[-1])

    def test_targets_that_were_measured(self):
        with tempfile.TemporaryDirectory() as directory, \
                mock.patch.object(page.paths, "RESULTS", Path(directory)), \
                mock.patch.object(page, "DIRECTORY", Path(directory)), \
                mock.patch.object(page, "PAGE", Path(directory, "figures.md")):
            with self.assertRaisesRegex(UserError, "run make bench"):
                page.run(["x86_64", "arm64"])
            support.write(directory, {"bench/arm64.json": json.dumps(
                [entry(kernel, 8, op, meter="time") for kernel in ("unpatched", "patched")
                 for op in page.DRAWN])})
            drawn = []
            with mock.patch.object(page.figures.plot, "svg",
                                   lambda path, *_: drawn.append(path.name)), \
                    mock.patch.object(page.figures.ui, "note"):
                page.run(["x86_64", "arm64"])
            text = Path(directory, "figures.md").read_text(encoding="utf-8")
            self.assertIn("## arm64", text)
            self.assertNotIn("x86_64", text)
            self.assertEqual(drawn, [f"arm64-{op}.svg" for op in page.DRAWN])


if __name__ == "__main__":
    unittest.main()
