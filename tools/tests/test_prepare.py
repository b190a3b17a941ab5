# SPDX-License-Identifier: GPL-2.0-only
"""Preparing a tree from KDIR, and the way back."""

import fcntl
import json
import os
import subprocess
import time

from support import GUP, MAKEFILE, Sandbox, fingerprint, rename_patch, script, write


class Prepare(Sandbox):
    """What lies in the prepared tree, and what stays as it was."""

    def test_applies_series_and_lays_overlay(self):
        """The tree has the patch, the new files and the kunitconfig."""
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())
        self.assertEqual((self.tree / "mm/gup_batch.h").read_text(), "/* new */\n")
        self.assertEqual((self.tree / "lib/kunit-gup/.kunitconfig").read_text(),
                         "CONFIG_KUNIT=y\n")
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_user_tree_stays_as_it_is(self):
        """A git checkout with build output and local changes is only read."""
        self.git("init", "--quiet", cwd=self.kdir)
        self.git("add", "--all", cwd=self.kdir)
        self.git("commit", "--quiet", "-m", "base", cwd=self.kdir)
        write(self.kdir, {"mm/gup.o": "output", ".config": "CONFIG_X=y\n",
                          "mm/other.c": "int changed;\n", "mm/new.c": "int new;\n"})
        before = fingerprint(self.kdir)
        self.run_tool("prepare")
        self.run_tool("prepare")
        self.assertEqual(fingerprint(self.kdir), before)
        self.assertFalse((self.tree / "mm/gup.o").exists())
        self.assertFalse((self.tree / ".config").exists())
        self.assertEqual((self.tree / "mm/other.c").read_text(), "int changed;\n")
        self.assertTrue((self.tree / "mm/new.c").exists())

    def test_tracked_files_come_although_ignored(self):
        """What the user's git tracks belongs to the tree, whatever .gitignore says."""
        write(self.kdir, {"mm/blob.o": "tracked\n"})
        self.git("init", "--quiet", cwd=self.kdir)
        self.git("add", "--all", "--force", cwd=self.kdir)
        self.run_tool("prepare")
        self.assertEqual((self.tree / "mm/blob.o").read_text(), "tracked\n")

    def test_a_tree_whose_gitignore_leaves_out_everything(self):
        """As in Debian's package: all but the output of a build is taken."""
        write(self.kdir, {".gitignore": "/*\n", "mm/gup.o": "output", ".config": "CONFIG_X=y\n",
                          "include/generated/autoconf.h": "output"})
        before = fingerprint(self.kdir)
        self.run_tool("prepare")
        self.assertEqual(fingerprint(self.kdir), before)
        self.assertTrue((self.tree / "mm/gup.c").exists())
        for output in ("mm/gup.o", ".config", "include/generated/autoconf.h"):
            self.assertFalse((self.tree / output).exists())

    def test_change_of_the_user_tree_is_taken_up(self):
        self.run_tool("prepare")
        write(self.kdir, {"mm/other.c": "int later;\n"})
        self.run_tool("prepare")
        self.assertEqual((self.tree / "mm/other.c").read_text(), "int later;\n")

    def test_second_run_touches_nothing(self):
        """Nothing to do means no file is written, so nothing is built."""
        self.run_tool("prepare")
        before = {k: v for k, v in fingerprint(self.tree).items() if not k.startswith(".git")}
        self.run_tool("prepare")
        after = {k: v for k, v in fingerprint(self.tree).items() if not k.startswith(".git")}
        self.assertEqual(after, before)

    def test_new_patch_touches_only_its_files(self):
        """Applying the series anew keeps the time stamps of files that end up the same."""
        self.run_tool("prepare")
        stamp = (self.tree / "mm/gup.c").stat().st_mtime_ns
        changed = rename_patch(5).replace("mm/gup.c", "mm/other.c").replace("rename 5", "other")
        changed = changed[:changed.index("@@")] + "@@ -1 +1 @@\n-int other;\n+int more;\n"
        write(self.repo, {"mm/patches/0002-mm-other.patch": changed})
        self.run_tool("prepare")
        self.assertEqual((self.tree / "mm/other.c").read_text(), "int more;\n")
        self.assertEqual((self.tree / "mm/gup.c").stat().st_mtime_ns, stamp)
        self.assertEqual(len(self.git("tag", "--list", "gup/step-*").split()), 2)

    def test_removed_overlay_file_goes(self):
        """A file that left the repository leaves the tree."""
        self.run_tool("prepare")
        (self.repo / "mm/gup_batch.h").unlink()
        self.run_tool("prepare")
        self.assertFalse((self.tree / "mm/gup_batch.h").exists())

    def test_commits_are_reproducible(self):
        self.run_tool("prepare")
        first = self.git("rev-parse", "gup")
        self.run_tool("distclean")
        self.run_tool("prepare")
        self.assertEqual(self.git("rev-parse", "gup"), first)


class Refuse(Sandbox):
    """Bad input gives one line, and leaves everything as it was."""

    def test_wrong_version(self):
        write(self.kdir, {"Makefile": MAKEFILE.replace("= 3", "= 1")})
        error = self.run_tool("prepare", good=False)
        for part in ("7.1.4", "7.3", "0001-mm-gup-rename-5.patch", "Makefile"):
            self.assertIn(part, error)

    def test_patch_that_does_not_apply(self):
        """Found, wanted, patch and file are named; the tree keeps the last good series."""
        self.run_tool("prepare")
        good = self.git("rev-parse", "gup")
        write(self.repo, {"mm/patches/0002-bad.patch": rename_patch(5)})
        error = self.run_tool("prepare", good=False)
        for part in ("7.3.4", "0002-bad.patch", "mm/gup.c"):
            self.assertIn(part, error)
        self.assertEqual(self.git("rev-parse", "gup"), good)
        self.assertEqual(self.git("status", "--porcelain"), "")
        (self.repo / "mm/patches/0002-bad.patch").unlink()
        self.run_tool("prepare")

    def test_no_fuzz(self):
        """A hunk whose context differs is an error, not a guess."""
        write(self.kdir, {"mm/gup.c": GUP.replace("line_6;", "line_six;")})
        self.assertIn("does not apply to mm/gup.c", self.run_tool("prepare", good=False))

    def test_base_that_no_longer_fits(self):
        """The user's tree moved on; the error comes again until it is mended."""
        self.run_tool("prepare")
        write(self.kdir, {"mm/gup.c": "int nothing;\n"})
        for _ in range(2):
            self.assertIn("does not apply", self.run_tool("prepare", good=False))
        write(self.kdir, {"mm/gup.c": GUP})
        self.run_tool("prepare")

    def test_no_kernel_tree(self):
        self.assertIn("no kernel tree", self.run_tool("prepare", good=False, KDIR=str(self.top)))

    def test_overlay_file_that_exists(self):
        write(self.repo, {"mm/other.c": "int mine;\n"})
        error = self.run_tool("prepare", good=False)
        self.assertIn("mm/other.c", error)

    def test_unknown_target(self):
        self.assertIn("known: ", self.run_tool("kunit", good=False, TARGET="pdp11"))

    def test_cache_with_a_space(self):
        self.assertIn("XDG_CACHE_HOME", self.run_tool("prepare", good=False,
                                                      XDG_CACHE_HOME=str(self.top / "a b")))

    def test_second_run_at_the_same_time(self):
        """It gives up with one line, or waits when asked to."""
        self.run_tool("prepare")
        with open(self.cache / "kunit-gup/lock", "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("another run", self.run_tool("prepare", good=False))
            waiting = subprocess.Popen([self.repo / "tools/kunit-gup", "prepare"],
                                       env=self.env | {"WAIT": "1"}, stdout=subprocess.PIPE)
            time.sleep(0.3)
            self.assertIsNone(waiting.poll())
        waiting.communicate(timeout=30)
        self.assertEqual(waiting.returncode, 0)

    def test_full_disk_before_the_start(self):
        """Too little room is said before anything is written."""
        write(self.repo, {"tools/sitecustomize.py":
                          "import shutil\n"
                          "shutil.disk_usage = lambda p: type('Usage', (), {'free': 1e9})\n"})
        error = self.run_tool("prepare", good=False, PYTHONPATH=str(self.repo / "tools"))
        self.assertIn("GB", error)

    def test_what_is_removed_makes_room(self):
        """What an interrupted run left behind does not stand in the way of the next."""
        self.run_tool("prepare")
        stamp = self.tree / ".git/kunit-gup.json"
        stamp.unlink()
        write(self.tree, {"left": "here"})
        write(self.repo, {"tools/sitecustomize.py":
                          "import os, shutil\n"
                          f"left = {str(self.tree / 'left')!r}\n"
                          "shutil.disk_usage = lambda p: type('Usage', (), {\n"
                          "    'free': 1e9 if os.path.exists(left) else 9e9})\n"})
        self.run_tool("prepare", PYTHONPATH=str(self.repo / "tools"))
        self.assertTrue(stamp.exists())


class Interrupted(Sandbox):
    """A run that was ended at any point is made up for by the next."""

    def test_unfinished_tree_is_made_anew(self):
        """A tree without its stamp is not taken for one."""
        self.run_tool("prepare")
        (self.tree / ".git/kunit-gup.json").unlink()
        write(self.tree, {"mm/gup.c": "half\n"})
        write(self.tree.with_name(self.tree.name + ".new"), {"mm/gup.c": "half\n"})
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())

    def test_unfinished_change_of_the_series(self):
        """Files that were half written when the series changed are put right."""
        self.run_tool("prepare")
        stamp = self.tree / ".git/kunit-gup.json"
        state = json.loads(stamp.read_text())
        stamp.write_text(json.dumps(state | {"pending": state["tip"]}))
        write(self.tree, {"mm/gup.c": "half\n", ".git/index.lock": ""})
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())

    def test_ctrl_c(self):
        """One line, exit code 130, no child left, not even one with a session of its own."""
        script(self.top / "bin/git", f"#!/bin/sh\necho $$ > '{self.top}/pid'\n"
               "setsid sh -c 'echo $$ > \"$XDG_CACHE_HOME/away\"; sleep 60' &\nsleep 60\n")
        self.interrupt(self.top / "pid", self.cache / "away",
                       PATH=f"{self.top}/bin:{os.environ['PATH']}")
        self.run_tool("prepare")


class Export(Sandbox):
    """From the prepared tree back into the repository."""

    def setUp(self):
        """Begin with an exported, so normalised, series of two patches."""
        super().setUp()
        write(self.repo, {"mm/patches/0002-mm-gup-rename-20.patch": rename_patch(20)})
        self.run_tool("prepare")
        self.run_tool("export")

    def edit(self, old, new):
        """Change mm/gup.c in the prepared tree."""
        path = self.tree / "mm/gup.c"
        path.write_text(path.read_text().replace(old, new))

    def test_round_trip_is_lossless(self):
        """Prepare and export give the same bytes, in a fresh cache too."""
        before = self.patches()
        self.assertEqual(len(before), 2)
        self.run_tool("export")
        self.run_tool("distclean")
        self.run_tool("prepare")
        self.run_tool("export")
        self.assertEqual(self.patches(), before)

    def test_author_date_and_brackets_survive(self):
        """Mail headers and a subject with brackets come back as they were."""
        self.edit("int line_30;", "int thirty;")
        self.git("commit", "--quiet", "-am", "[RFC] mm/gup: [x] thirty\n\n- a list\n\n# no comment",
                 "--date=2001-02-03T04:05:06+0700", "--author=Jörg Ä <j@example.invalid>")
        self.run_tool("export")
        before = self.patches()
        self.run_tool("distclean")
        self.run_tool("export")
        self.assertEqual(self.patches(), before)
        text = before["0003-RFC-mm-gup-x-thirty.patch"]
        self.assertIn("Sat, 3 Feb 2001 04:05:06 +0700", text)
        self.assertIn("[PATCH] [RFC] mm/gup: [x] thirty", text)
        self.assertIn("# no comment", text)

    def test_commit_becomes_a_patch(self):
        """A new commit gets a number, and the tree counts as exported."""
        self.edit("int line_30;", "int thirty;")
        self.git("commit", "--quiet", "-am", "mm/gup: thirty")
        self.run_tool("export")
        self.assertIn("0003-mm-gup-thirty.patch", self.patches())
        self.assertNotIn("note:", self.run_tool("prepare"))

    def test_dropped_commit_drops_the_patch(self):
        self.git("reset", "--quiet", "--hard", "HEAD~1")
        self.run_tool("export")
        self.assertEqual(list(self.patches()), ["0001-mm-gup-rename-5.patch"])

    def test_uncommitted_change_is_not_exported(self):
        self.edit("int line_30;", "int thirty;")
        self.assertIn("not committed", self.run_tool("export", good=False))

    def test_edits_in_the_way_of_new_patches(self):
        self.edit("int line_30;", "int thirty;")
        self.git("commit", "--quiet", "-am", "mm/gup: thirty")
        (self.repo / "mm/patches/0002-mm-gup-rename-20.patch").unlink()
        self.assertIn("make discard", self.run_tool("prepare", good=False))
        self.assertIn("make discard", self.run_tool("export", good=False))
        self.assertIn("thirty", (self.tree / "mm/gup.c").read_text())
        self.run_tool("discard")
        self.assertNotIn("thirty", (self.tree / "mm/gup.c").read_text())
        self.assertEqual(len(self.patches()), 1)

    def test_overlay_edit_is_brought_back(self):
        """An edited and a new file in the tree stop a run until they are exported."""
        write(self.tree, {"mm/gup_batch.h": "/* edited */\n", "lib/kunit-gup/b_kunit.c": "b\n"})
        error = self.run_tool("prepare", good=False)
        self.assertIn("lib/kunit-gup/b_kunit.c", error)
        self.assertIn("mm/gup_batch.h", error)
        self.run_tool("export")
        self.assertEqual((self.repo / "mm/gup_batch.h").read_text(), "/* edited */\n")
        self.assertEqual((self.repo / "lib/kunit-gup/b_kunit.c").read_text(), "b\n")
        self.run_tool("prepare")

    def test_kunitconfig_edit_is_brought_back(self):
        write(self.tree, {"lib/kunit-gup/.kunitconfig": "CONFIG_KUNIT=m\n"})
        self.run_tool("export")
        self.assertEqual((self.repo / "kunitconfig").read_text(), "CONFIG_KUNIT=m\n")

    def test_overlay_edit_on_both_sides(self):
        write(self.tree, {"mm/gup_batch.h": "/* there */\n"})
        write(self.repo, {"mm/gup_batch.h": "/* here */\n"})
        for command in ("prepare", "export"):
            self.assertIn("both", self.run_tool(command, good=False))
        self.run_tool("discard")
        self.assertEqual((self.tree / "mm/gup_batch.h").read_text(), "/* here */\n")

    def test_rebase_in_progress(self):
        """A branch that is being rebased is no series yet."""
        self.git("checkout", "--quiet", "--detach")
        self.assertIn("rebase", self.run_tool("export", good=False))
