# SPDX-License-Identifier: GPL-2.0-only
"""What tests need: a copy of the tools in a repository of its own, and a tiny kernel."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOOLS))


MAKEFILE = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n"
GUP = "".join(f"int line_{n};\n" for n in range(40))
KERNEL = {
    "Makefile": MAKEFILE,
    ".gitignore": ".*\n!.gitignore\n*.o\n",
    "mm/gup.c": GUP,
    "mm/Makefile": "obj-y += gup.o\n",
    "mm/other.c": "int other;\n",
}
PATCH = """From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: Some One <some.one@example.invalid>
Date: Mon, 30 Nov 2026 08:20:21 +0000
Subject: [PATCH] mm/gup: rename {old}

Why not.
---
 mm/gup.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/mm/gup.c b/mm/gup.c
--- a/mm/gup.c
+++ b/mm/gup.c
@@ -{start},3 +{start},3 @@
 int line_{before};
-int line_{old};
+int renamed_{old};
 int line_{after};
"""


def write(directory, files):
    """Write {name: text} below `directory`."""
    for name, text in files.items():
        path = Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def script(path, text):
    """Write an executable file."""
    write(path.parent, {path.name: text})
    path.chmod(0o755)


def rename_patch(line):
    """Return a patch that renames line_`line` in mm/gup.c."""
    return PATCH.format(old=line, before=line - 1, after=line + 1, start=line)


def alive(pid_file):
    """Return whether the process runs whose number is in `pid_file`; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid_file.read_text().strip()}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def fingerprint(directory):
    """Return {path: (mode, mtime, content hash)} of everything below `directory`."""
    found = {}
    for path in sorted(Path(directory).rglob("*")):
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(directory))] = (status.st_mode, status.st_mtime_ns, content)
    return found


class Sandbox(unittest.TestCase):
    """Gives each test a repository (its path has a space), a cache and a kernel tree."""

    def setUp(self):
        self.top = Path(tempfile.mkdtemp(prefix="kunit-gup-test-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.repo, self.kdir = self.top / "the repo", self.top / "linux"
        self.cache = self.top / "cache"
        ignored = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(TOOLS, self.repo / "tools", ignore=ignored)
        shutil.copy(TOOLS.parent / "Makefile", self.repo)
        write(self.repo, {"kunitconfig": "CONFIG_KUNIT=y\n", "mm/gup_batch.h": "/* new */\n",
                          "lib/kunit-gup/a_kunit.c": "/* a suite */\n",
                          "mm/patches/0001-mm-gup-rename-5.patch": rename_patch(5)})
        write(self.kdir, KERNEL)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.top),
                    "XDG_CACHE_HOME": str(self.cache), "KDIR": str(self.kdir)}

    def run_tool(self, command, good=True, **env):
        """Run one command; return its output. An error must be one line and no traceback."""
        done = subprocess.run([self.repo / "tools/kunit-gup", command], env=self.env | env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        self.assertNotIn("Traceback", done.stderr)
        self.assertNotIn("defect in the tools", done.stderr)
        if good:
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            return done.stdout
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"\Akunit-gup: error: [^\n]+\n\Z")
        return done.stderr

    def run_bad(self, command, **env):
        """Run a command that finds something wrong; return its output."""
        done = subprocess.run([self.repo / "tools/kunit-gup", command], env=self.env | env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        return done.stdout

    def interrupt(self, *pids, **env):
        """Run `prepare`, and press Ctrl-C when the files `pids` have numbers of processes.

        One line is said, and none of the processes is left.
        """
        def heed():     # a job in the background of a shell does not
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        run = subprocess.Popen([self.repo / "tools/kunit-gup", "prepare"], env=self.env | env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=heed)
        while not all(pid.exists() and pid.read_text().strip() for pid in pids):
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        time.sleep(0.4)
        run.send_signal(signal.SIGINT)      # while it ends its children
        _, err = run.communicate(timeout=20)
        self.assertEqual((run.returncode, err.strip().count("\n")), (130, 0), err)
        self.assertEqual([pid.name for pid in pids if alive(pid)], [])

    @property
    def tree(self):
        """Return the prepared tree."""
        found = [p for p in (self.cache / "kunit-gup").glob("tree*")
                 if not p.name.endswith(("-steps", ".new"))]
        self.assertEqual(len(found), 1)
        return found[0]

    def git(self, *args, cwd=None):
        """Run git as a user would, in the prepared tree or in `cwd`."""
        identity = [f"GIT_{role}_{key}={value}" for role in ("AUTHOR", "COMMITTER")
                    for key, value in (("NAME", "A User"), ("EMAIL", "user@example.invalid"))]
        env = dict(pair.split("=", 1) for pair in identity) | {"PATH": os.environ["PATH"],
                                                               "HOME": str(self.top)}
        return subprocess.run(["git", *args], cwd=cwd or self.tree, env=env, check=True,
                              capture_output=True, text=True).stdout

    def patches(self):
        """Return {name: content} of mm/patches."""
        return {p.name: p.read_text(encoding="utf-8")
                for p in (self.repo / "mm/patches").iterdir()}
