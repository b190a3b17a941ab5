# SPDX-License-Identifier: GPL-2.0-only
"""The mailed series, other bases, and how another tree fits."""

import os
import subprocess
import unittest
from unittest import mock

from support import GUP, MAKEFILE, Sandbox, fingerprint, rename_patch, write

from kunit_gup.publish import mailing
from kunit_gup.tree import rebase_check

TABLE = """
[options]
B = "lib/kunit-gup/b_kunit.c"
[[with]]
patch = "mm-gup-rename-5"
files = ["lib/kunit-gup/Kconfig", "mm/gup_batch.h"]
[[behind]]
patch = "mm-gup-rename-5"
subject = "lib/kunit-gup: first"
message = "First."
files = ["lib/kunit-gup/.kunitconfig", "lib/kunit-gup/Makefile", "lib/kunit-gup/a_*.c"]
[[behind]]
patch = "mm-gup-call-one"
subject = "lib/kunit-gup: second"
message = "Second."
files = ["lib/kunit-gup/b_kunit.c"]
"""


class Cut(unittest.TestCase):
    """What there is of a Makefile and a Kconfig while other files are not there."""

    def test_makefile(self):
        """An object is named from the folder of the Makefile, and an empty line goes."""
        text = "x-y := a.o fast/b.o\nx-y += fast/b.o\nx-y += other/b.o\n"
        self.assertEqual(mailing.cut("lib/x/Makefile", text, {"lib/x/fast/b.c", "lib/other/b.c"}),
                         "x-y := a.o\nx-y += other/b.o\n")

    def test_kconfig(self):
        text = "# x\n\nconfig A\n\tbool\n\nconfig B\n\tbool\n"
        with mock.patch.object(mailing, "table", lambda: {"options": {"B": "lib/x/b*.c"}}):
            self.assertEqual(mailing.cut("lib/x/Kconfig", text, {"lib/x/b2.c"}),
                             "# x\n\nconfig A\n\tbool\n")
            self.assertEqual(mailing.cut("lib/x/Kconfig", text, {"lib/x/c.c"}), text)

    def test_others(self):
        self.assertEqual(mailing.cut("lib/x/a.c", "b.o\n", {"lib/x/b.c"}), "b.o\n")


class Series(Sandbox):
    """`make series` in the small world."""

    def setUp(self):
        """Have two suites and the patches that they belong to."""
        super().setUp()
        self.populate()

    def populate(self):
        """Write the suites, the patches and the table."""
        call = rename_patch(20).replace("rename 20", "call one")
        write(self.repo, {
            "tools/series.toml": TABLE,
            "mm/patches/0002-mm-gup-call-one.patch": call,
            "lib/kunit-gup/Kconfig": "config A\n\tbool\n\nconfig B\n\tbool\n",
            "lib/kunit-gup/Makefile": "x-y := a_kunit.o\nx-y += b_kunit.o\n",
            "lib/kunit-gup/b_kunit.c": "/* b */\n"})

    @property
    def series(self):
        """Return the directory of the series."""
        return self.repo / "build/series"

    def test_git_am_gives_the_prepared_tree(self):
        """With all mails, the letter among them, on a pristine tree, by plain git."""
        self.run_tool("series")
        self.git("init", "--quiet", cwd=self.kdir)
        self.git("add", "--all", cwd=self.kdir)
        self.git("commit", "--quiet", "-m", "base", cwd=self.kdir)
        self.git("am", "--quiet", *sorted(map(str, self.series.glob("*.patch"))), cwd=self.kdir)
        for name in self.git("ls-files", cwd=self.kdir).split():
            self.assertEqual((self.kdir / name).read_bytes(), (self.tree / name).read_bytes(), name)
        for name in ("mm/gup_batch.h", "lib/kunit-gup/b_kunit.c", "lib/kunit-gup/.kunitconfig"):
            self.assertTrue((self.kdir / name).exists(), name)

    def test_order_and_growth(self):
        """Tests come behind what they test; Makefile and Kconfig grow with them."""
        self.run_tool("series")
        names = [p.name[5:-6] for p in sorted(self.series.glob("*.patch"))]
        self.assertEqual(names, ["cover-letter", "mm-gup-rename-5", "lib-kunit-gup-first",
                                 "mm-gup-call-one", "lib-kunit-gup-second"])
        texts = [p.read_text() for p in sorted(self.series.glob("*.patch"))]
        self.assertNotIn("b_kunit", texts[2])
        self.assertNotIn("config B", texts[1])
        self.assertIn("+config B", texts[4])
        self.assertIn("+++ b/mm/gup_batch.h", texts[1])
        self.assertIn("[PATCH 0/4]", texts[0])

    def test_plain_diffs(self):
        self.run_tool("series")
        for diff in sorted(self.series.glob("plain/*.diff")):
            subprocess.run(["patch", "-p1", "--force", "--quiet", "-i", diff], cwd=self.kdir,
                           check=True)
        self.assertEqual((self.kdir / "mm/gup.c").read_text(), (self.tree / "mm/gup.c").read_text())

    def test_same_bytes_again(self):
        self.run_tool("series")
        first = {name: entry[2] for name, entry in fingerprint(self.series).items()}
        self.run_tool("distclean")
        self.run_tool("series")
        self.assertEqual({n: e[2] for n, e in fingerprint(self.series).items()}, first)

    def test_file_in_no_patch(self):
        """A new file must be given a patch; the old series stays."""
        self.run_tool("series")
        before = fingerprint(self.series)
        write(self.repo, {"lib/kunit-gup/c_kunit.c": "/* c */\n"})
        self.assertIn("lib/kunit-gup/c_kunit.c is in no patch", self.run_tool("series", good=False))
        self.assertEqual(fingerprint(self.series), before)
        self.assertEqual(os.listdir(self.series.parent).count("series"), 1)

    def test_unknown_patch(self):
        """The table is about the patches that there are."""
        write(self.repo, {"tools/series.toml": TABLE.replace("mm-gup-call-one", "mm-gone")})
        error = self.run_tool("series", good=False)
        self.assertIn("mm-gone", error)
        self.assertIn("mm-gup-call-one", error)

    def test_header_that_comes_later(self):
        """A file may not come before what it includes."""
        write(self.repo, {"tools/series.toml": TABLE.replace("b_kunit.c\"]", "[bc].[ch]\"]")
                          .replace("b_kunit.c", "b.c"), "lib/kunit-gup/b.c": "/* b */\n",
                          "lib/kunit-gup/a_kunit.c": '#include "fast/c.h"\n',
                          "lib/kunit-gup/c.h": "/* c */\n"})
        (self.repo / "lib/kunit-gup/b_kunit.c").unlink()
        self.assertIn("lib/kunit-gup/a_kunit.c comes before fast/c.h, which it includes",
                      self.run_tool("series", good=False))

    def test_edits_that_are_not_exported(self):
        self.run_tool("prepare")
        write(self.tree, {"mm/gup.c": GUP})
        self.assertIn("make export", self.run_tool("series", good=False))


class Bases(Sandbox):
    """Another version takes what replaces a patch for it."""

    def setUp(self):
        """Have a tree of 7.2 to which the patch does not apply."""
        super().setUp()
        write(self.kdir, {"Makefile": MAKEFILE.replace("= 3", "= 2"),
                          "mm/gup.c": GUP.replace("int line_6;", "int line_six;")})
        self.own = self.repo / "mm/patches/7.2/0001-mm-gup-rename-5.patch"

    def write_own(self):
        """Write the patch for 7.2."""
        write(self.own.parent, {self.own.name: rename_patch(5).replace("line_6", "line_six")})

    def test_version_chooses_the_patch(self):
        """The one in mm/patches/7.2 applies, and is no new file of the kernel."""
        self.assertIn("0001-mm-gup-rename-5.patch", self.run_tool("prepare", good=False))
        self.write_own()
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())
        self.assertFalse((self.tree / "mm/patches").exists())

    def test_export_keeps_only_what_must_differ(self):
        """A patch that is the same for both is not written for 7.2."""
        self.write_own()
        write(self.repo, {"mm/patches/0002-mm-gup-rename-20.patch": rename_patch(20)})
        self.run_tool("prepare")
        self.run_tool("export")
        self.assertEqual([p.name for p in self.own.parent.iterdir()], [self.own.name])
        self.assertIn("line_six", self.own.read_text())
        self.assertNotIn("line_six", self.patches_of_default())

    def patches_of_default(self):
        """Return the text of the patches for the default version."""
        return "".join(p.read_text() for p in (self.repo / "mm/patches").glob("*.patch"))

    def test_replaces_nothing(self):
        self.write_own()
        self.own.rename(self.own.with_name("0001-mm-gone.patch"))
        self.assertIn("replaces no patch", self.run_tool("prepare", good=False))

    def test_base_and_kdir(self):
        """Both say what to take, and an unknown one is named."""
        self.assertIn("KDIR", self.run_tool("prepare", good=False, BASE="7.2"))
        self.assertIn("known: 7.3, 7.2", self.run_tool("prepare", good=False, BASE="6.1", KDIR=""))


class Rebase(Sandbox):
    """`make rebase-check` names patch, file and hunk, and only reads."""

    def test_newer_tree(self):
        write(self.repo, {"mm/patches/0002-mm-gup-rename-20.patch": rename_patch(20)})
        write(self.kdir, {"Makefile": MAKEFILE.replace("= 3", "= 4"),
                          "mm/gup.c": GUP.replace("int line_6;", "int line_six;")})
        before = fingerprint(self.kdir)
        out = self.run_bad("rebase-check")
        self.assertIn("FAILED 0001-mm-gup-rename-5.patch applies\n    mm/gup.c: hunk 1, line 5\n", out)
        self.assertIn("ok 0002-mm-gup-rename-20.patch applies", out)
        self.assertIn("2 passed, 1 failed", out)
        self.assertEqual(fingerprint(self.kdir), before)

    def test_all_is_well(self):
        self.run_tool("rebase-check")

    def test_file_is_gone_and_new_file_exists(self):
        (self.kdir / "mm/gup.c").unlink()
        write(self.kdir, {"mm/gup_batch.h": "theirs\n"})
        out = self.run_bad("rebase-check")
        self.assertIn("mm/gup.c: no such file", out)
        self.assertIn("mm/gup_batch.h exists", out)

    def test_no_tree(self):
        self.env["KDIR"] = str(self.top)
        self.assertIn("no kernel tree", self.run_tool("rebase-check", good=False))
        self.assertIn("KDIR=", self.run_tool("rebase-check", good=False, KDIR=""))

    def test_place_of_a_hunk(self):
        """The line and the function in the tree that the patch was made for."""
        patch = "diff --git a/f b/f\n@@ -1,2 +1,2 @@\n@@ -7 +7 @@ int g(void)\n-a\n+b\n"
        found = rebase_check.rejected("Applying patch f with 1 reject...\nRejected hunk #2.\n", patch)
        self.assertEqual(found, ["f: hunk 2, line 7, int g(void)"])
