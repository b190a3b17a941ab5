# SPDX-License-Identifier: GPL-2.0-only
"""PEER=: another series beside ours, on the same base."""

import shlex
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

    def choose(self, *files, between=","):
        """Return the lines that name the kernels, or the error."""
        done = subprocess.run([sys.executable, "-c", CHOOSE, self.kdir,
                               between.join(shlex.quote(str(file)) for file in files)],
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
                         r"\A[^\n]*bad, patch 1 does not apply to mm/gup\.c[^\n]*\Z")

    def test_several(self):
        """A space between two peers: a kernel for each."""
        write(self.top, {"a.patch": rename_patch(20), "b.patch": rename_patch(30)})
        one, two = self.choose(self.top / "a.patch", self.top / "b.patch", between=" ")[2:]
        self.assertIn("renamed_20", self.source(one))
        self.assertNotIn("renamed_20", self.source(two))
        self.assertIn("renamed_30", self.source(two))

    def mail(self, line, subject):
        """Return a mail as in a mailbox."""
        body = rename_patch(line).split("\n", 1)[1]
        return "From 0123 Mon Sep 17 00:00:00 2001\n" + \
            "\n".join(f"Subject: {subject}" if text.startswith("Subject:") else text
                      for text in body.split("\n"))

    def test_folder_and_mailbox(self):
        """Mails in any order, with a cover letter and an answer, in files or in one."""
        cover = "From 0 Mon Sep 17 00:00:00 2001\nSubject: [PATCH v2 0/2] x\n\n> From me\n"
        first = self.mail(20, "[PATCH v2 1/2] mm/gup: a")
        second = self.mail(20, "[PATCH v2 2/2] mm/gup: b").replace("renamed_20", "again_20") \
            .replace("line_20", "renamed_20")
        write(self.top, {"mails/a": second, "mails/b": cover, "mails/c": first,
                         "box.mbox": f"{second}\n{cover}\n{first}\n"})
        for name in ("mails", "box.mbox"):
            with self.subTest(name):
                self.assertIn("again_20", self.source(self.choose(self.top / name)[2]))

    def test_same_name(self):
        write(self.top, {"one/a.patch": rename_patch(20), "two/a.patch": rename_patch(30)})
        self.assertRegex("\n".join(self.choose(self.top / "one/a.patch", self.top / "two/a.patch",
                                               between=" ")), "two series with the same name")

    def test_no_patch(self):
        write(self.top, {"text": "nothing\n"})
        self.assertRegex("\n".join(self.choose(self.top / "text")), "has no patch in it")
