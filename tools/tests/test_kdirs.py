# SPDX-License-Identifier: GPL-2.0-only
"""KDIR= as a tarball, and as a tag of a git repository."""

import os
import subprocess

from support import KERNEL, MAKEFILE, Sandbox, script, write

from kunit_gup.tree import kdirs

# Plays tar, and hangs half way.
TAR = """#!/bin/sh
while [ "$1" != -C ]; do shift; done
mkdir -p "$2/linux/mm" && echo half > "$2/linux/mm/gup.c"
echo $$ > "$WORLD/pid"
sleep 60
"""


class Kdirs(Sandbox):
    """What is made of each."""

    def setUp(self):
        super().setUp()
        self.tarball = self.top / "linux-7.3.4.tar.gz"
        self.tar("-C", self.top, "linux")
        self.env["KDIR"] = str(self.tarball)

    def tar(self, *what):
        """Make the tarball."""
        subprocess.run(["tar", "-czf", self.tarball, *what], check=True)

    def left(self):
        """Return what is in the cache."""
        return sorted(p.name for p in (self.cache / "kunit-gup").glob("*") if p.name != "lock")

    def repository(self, bare=False):
        """Make a repository with a tag, and something else that is checked out."""
        where = self.top / "history"
        self.git("init", "--quiet", where, cwd=self.top)
        write(where, KERNEL)
        self.git("add", "--all", cwd=where)
        self.git("commit", "--quiet", "-m", "Linux 7.3.4", cwd=where)
        self.git("tag", "-a", "-m", "Linux 7.3.4", "v7.3.4", cwd=where)
        self.git("rm", "--quiet", "-r", ".", cwd=where)
        self.git("commit", "--quiet", "-m", "nothing", cwd=where)
        return where


class Good(Kdirs):
    """As good as a tree."""

    def test_same_as_a_tree(self):
        """The same commits, though it was unpacked; nothing else stays, and it is done once."""
        self.assertIn("unpacking linux-7.3.4.tar.gz", self.run_tool("prepare"))
        self.assertEqual(self.left(), [self.tree.name])
        of_tarball = self.git("rev-parse", "gup")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertNotIn("unpacking", self.run_tool("prepare"))
        self.run_tool("distclean")
        self.run_tool("prepare", KDIR=str(self.kdir))
        self.assertEqual(self.git("rev-parse", "gup"), of_tarball)

    def test_change(self):
        """It is taken up, also from a tarball without a directory on top."""
        self.run_tool("prepare")
        write(self.kdir, {"mm/other.c": "int later;\n"})
        self.tar("-C", self.kdir, ".")
        self.assertIn("taking it up", self.run_tool("prepare"))
        self.assertEqual((self.tree / "mm/other.c").read_text(), "int later;\n")
        self.assertEqual(self.left(), [self.tree.name])
        os.utime(self.tarball)
        self.assertNotIn("taking it up", self.run_tool("prepare"))

    def test_interrupted(self):
        """Ctrl-C leaves no tar behind, and what is half is not taken for a whole."""
        script(self.top / "bin/tar", TAR)
        self.interrupt(self.top / "pid", WORLD=str(self.top),
                       PATH=f"{self.top}/bin:{os.environ['PATH']}")
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())
        self.assertEqual(self.left(), [self.tree.name])

    def test_tag(self):
        """The tag counts, not what is checked out; the letter names its commit."""
        where = self.repository()
        commit = self.git("rev-parse", "v7.3.4^{commit}", cwd=where).strip()
        self.env["KDIR"] = f"{where}@v7.3.4"
        snapshot = self.git("rev-parse", "v7.3.4^{tree}", cwd=where).strip()
        self.assertEqual(kdirs.find(self.env["KDIR"]).commit(snapshot), commit)
        self.assertIsNone(kdirs.find(str(self.tarball)).commit(snapshot))
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())
        self.assertNotIn("unpacking", self.run_tool("prepare"))
        self.git("checkout", "--quiet", "v7.3.4", cwd=where)
        write(where, {"mm/other.c": "int later;\n"})
        self.git("commit", "--quiet", "-a", "-m", "later", cwd=where)
        self.git("tag", "-f", "v7.3.4", cwd=where)
        self.assertIn("taking it up", self.run_tool("prepare"))
        self.assertEqual((self.tree / "mm/other.c").read_text(), "int later;\n")
        self.assertNotEqual(self.git("rev-parse", "v7.3.4^{commit}", cwd=where).strip(), commit)

    def test_rebase_check(self):
        """It takes one too, of any version, and leaves nothing."""
        write(self.kdir, {"Makefile": MAKEFILE.replace("= 3", "= 4")})
        self.tar("-C", self.top, "linux")
        self.assertIn("ok 0001-mm-gup-rename-5.patch applies", self.run_tool("rebase-check"))
        self.assertEqual(self.left(), [])


class Bad(Kdirs):
    """One line, and nothing is left behind."""

    def refused(self, want, **env):
        """Expect an error with the words `want`."""
        self.assertRegex(self.run_tool("prepare", good=False, **env), want)
        self.assertEqual(self.left(), [])

    def test_cut(self):
        """A truncated file is not taken, however much of it can be read."""
        write(self.kdir, {"random": "".join(str(hash(str(n))) for n in range(9999))})
        self.tar("-C", self.top, "linux")
        self.tarball.write_bytes(self.tarball.read_bytes()[:-2000])
        self.refused("cannot be unpacked whole: gzip: .*; fetch it again")
        self.tar("-C", self.top, "linux")
        self.run_tool("prepare")

    def test_no_kernel(self):
        """Neither at its top nor in its only directory."""
        self.tar("-C", self.kdir, "mm")
        self.refused("KDIR=.* is no kernel; it must have the top Makefile")

    def test_other_version(self):
        write(self.kdir, {"Makefile": MAKEFILE.replace("= 3", "= 1")})
        self.tar("-C", self.top, "linux")
        self.refused("is Linux 7.1.4 .*rebase-check")

    def test_what_it_may_be(self):
        """Something else, nothing at all, a repository without a tree, and no such tag."""
        where = self.repository()
        write(self.top, {"a.zip": ""})
        for given, want in (("a.zip", "neither a tree nor a tarball; it may be"),
                            ("gone.tar.xz", "there is no KDIR=.*gone.tar.xz; it may be"),
                            ("history", "is no kernel tree; name a tag .*KDIR=.*history@v7.3"),
                            ("history@v7.9", "has no tag v7.9")):
            self.refused(want, KDIR=f"{self.top}/{given}")
        self.assertTrue(where.exists())
