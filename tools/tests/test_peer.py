# SPDX-License-Identifier: GPL-2.0-only
"""PEER=: another series beside ours, on the same base."""

import subprocess
import sys

from support import Sandbox, rename_patch, write

CHOOSE = """
import sys
from kunit_gup.common import errors
from kunit_gup.measure import bench
from kunit_gup.tree import trees
try:
    for kernel in bench.choose(trees.prepare(sys.argv[1], strict=True), "", sys.argv[2]):
        print(kernel.name, kernel.slug, kernel.commit)
except errors.UserError as error:
    print(error)
"""


class Peer(Sandbox):
    """Which kernels are measured."""

    def choose(self, *files):
        """Return the lines that name the kernels, or the error."""
        done = subprocess.run([sys.executable, "-c", CHOOSE, self.kdir, ",".join(map(str, files))],
                              cwd=self.repo / "tools", env=self.env, capture_output=True,
                              text=True, check=True)
        return [line for line in done.stdout.splitlines() if not line.startswith("kunit-gup:")]

    def source(self, line):
        """Return mm/gup.c of the kernel in a line of choose()."""
        return self.git("show", f"{line.split()[2]}:mm/gup.c")

    def test_without(self):
        unpatched, patched = self.choose()
        self.assertEqual(unpatched.split()[:2], ["unpatched", "unpatched"])
        self.assertNotIn("renamed", self.source(unpatched))
        self.assertEqual(patched.split()[:2], ["patched", "mm-gup-rename-5"])
        self.assertIn("renamed_5", self.source(patched))

    def test_with(self):
        """The peer is on the base alone, and the prepared tree stays as it is."""
        write(self.top, {"other way.patch": rename_patch(20), "b.patch": rename_patch(30)})
        peer = self.choose(self.top / "other way.patch", self.top / "b.patch")[2]
        self.assertEqual(peer.split()[:2], ["peer-other-way", "peer-other-way"])
        text = self.source(peer)
        self.assertIn("renamed_20", text)
        self.assertIn("renamed_30", text)
        self.assertNotIn("renamed_5", text)
        self.assertNotIn("renamed_20", (self.tree / "mm/gup.c").read_text())

    def test_does_not_apply(self):
        write(self.top, {"bad.patch": rename_patch(20).replace("line_20", "line_77")})
        self.assertRegex("\n".join(self.choose(self.top / "bad.patch")),
                         r"\A[^\n]*bad\.patch does not apply to mm/gup\.c[^\n]*\Z")
