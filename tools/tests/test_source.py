# SPDX-License-Identifier: GPL-2.0-only
"""Fetching and unpacking the source package, with an apt that is a script."""

import hashlib
import os
import shutil
import subprocess
import unittest

from support import KERNEL, Sandbox, script, write

from kunit_gup.tree import source

# Plays apt-get: which mirrors there are, the lists, and a download in two halves.
APT_GET = """#!/bin/sh
case "$*" in
*indextargets*)
	echo 'Other|Other|tst://third.invalid/|'
	echo 'Debian|Debian|tst://mirror.invalid/|'
	echo 'Debian|Debian-Security|tst://security.invalid/|' ;;
*update*)
	cat "$(sed -n 's/.*sourcelist "\\(.*\\)";/\\1/p' "$APT_CONFIG")" | tee "$WORLD/now" >> "$WORLD/sources"
	[ ! -e "$WORLD/offline" ] || { echo 'E: Failed to fetch tst: no route' >&2; exit 100; }
	[ ! -e "$WORLD/unsigned" ] || grep -qwf "$WORLD/signed" "$WORLD/now" ||
		{ echo 'E: The repository is not signed.' >&2; exit 100; } ;;
*download*)
	head -c 1000 "$WORLD/source.deb" > linux_1_all.deb
	[ ! -e "$WORLD/slow" ] || echo $$ > "$WORLD/pid"
	while [ -e "$WORLD/slow" ]; do sleep 0.1; done
	[ -e "$WORLD/cut" ] || cp "$WORLD/source.deb" linux_1_all.deb
	echo download >> "$WORLD/downloads" ;;
esac
"""
APT_CACHE = """#!/bin/sh
case "$1" in
pkgnames)
	printf '%s\\n' linux-source linux-source-7.10 linux-source-7.2
	! grep -qw sid "$WORLD/now" || echo linux-source-6.12
	exit ;;
esac
[ ! -e "$WORLD/has" ] || grep -qwf "$WORLD/has" "$WORLD/now" || exit 100
printf 'Package: x\\nVersion: 7.3.4-1\\nSize: %s\\nSHA256: %s\\n' SIZE HASH
"""


@unittest.skipUnless(shutil.which("dpkg-deb"), "needs dpkg-deb to make a package")
class Package(Sandbox):
    """The tree comes from a package when there is no KDIR."""

    def setUp(self):
        """Make a package and the scripts that serve it."""
        super().setUp()
        del self.env["KDIR"]
        name = source.wanted()["package"]
        stage = self.top / "stage"
        write(stage / name, KERNEL)
        write(stage / "deb", {"DEBIAN/control": "Package: x\nVersion: 7.3.4-1\n"
                              "Architecture: all\nMaintainer: x <x@example.invalid>\n"
                              "Description: x\n", "usr/src/keep": ""})
        subprocess.run(["tar", "-cJf", stage / f"deb/usr/src/{name}.tar.xz", "-C", stage, name],
                       check=True)
        subprocess.run(["dpkg-deb", "--build", stage / "deb", self.top / "source.deb"],
                       check=True, capture_output=True)
        data = (self.top / "source.deb").read_bytes()
        cache = APT_CACHE.replace("SIZE", str(len(data)))
        script(self.top / "bin/apt-get", APT_GET)
        script(self.top / "bin/apt-cache", cache.replace("HASH", hashlib.sha256(data).hexdigest()))
        self.env |= {"WORLD": str(self.top), "PATH": f"{self.top}/bin:{os.environ['PATH']}"}

    def flag(self, name, there=True):
        """Tell the scripts how to behave."""
        path = self.top / name
        path.touch() if there else path.unlink()

    def downloads(self):
        """Return how often the package was downloaded whole."""
        path = self.top / "downloads"
        return len(path.read_text().split()) if path.exists() else 0

    def test_tree_from_the_package(self):
        """Only the machine's main Debian mirror is asked, with its keyring."""
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())
        self.assertRegex((self.top / "sources").read_text(),
                         r"\Adeb \[signed-by=\S+\] tst://mirror.invalid/ trixie-backports main\n\Z")

    def asked(self):
        """Return the suites that were asked, in order."""
        lines = (self.top / "sources").read_text().splitlines()
        return [line.split()[-2] for line in lines if "mirror.invalid" in line]

    def test_another_suite(self):
        """Debian moved on: the next suite that has the package is as good, and signed too."""
        write(self.top, {"has": "sid\n", "signed": "sid\n"})
        self.flag("unsigned")
        self.assertIn("looking for linux-source-7.3 in sid: 7.3.4-1", self.run_tool("prepare"))
        self.assertEqual(self.asked()[0], "trixie-backports")
        self.assertEqual(self.asked()[-1], "sid")
        self.assertRegex((self.top / "sources").read_text(), r"\A(deb \[signed-by=\S+\] .*\n)+\Z")

    def test_no_suite_has_it(self):
        """What there is instead, and what to do with each; the error says what else there may be."""
        write(self.top, {"has": "none\n"})
        done = subprocess.run([self.repo / "tools/kunit-gup", "prepare"], env=self.env,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        there = [line for line in done.stdout.splitlines() if "there is" in line]
        self.assertEqual([line.split()[3] for line in there],
                         ["linux-source-6.12", "linux-source-7.2", "linux-source-7.10"])
        self.assertIn("in sid: `make rebase-check KDIR=linux-source-6.12.tar.xz`", there[0])
        self.assertIn("`make kunit BASE=7.2`", there[1])
        self.assertRegex(done.stderr, r"\Akunit-gup: error: there is no linux-source-7.3 in trixie-"
                         r"backports, .*; give Linux 7.3 with KDIR=: .*linux-7.3.4.tar.xz.*\n\Z")

    def test_unsigned(self):
        """A list without a good signature is no list."""
        write(self.top, {"signed": "none\n"})
        self.flag("unsigned")
        self.assertIn("is not signed", self.run_tool("prepare", good=False))
        self.assertEqual(self.downloads(), 0)

    def test_package_is_fetched_once(self):
        """A lost tree is made again from the cached package, without the network."""
        self.run_tool("prepare")
        shutil.rmtree(self.tree)
        self.flag("offline")
        self.run_tool("prepare")
        self.assertEqual(self.downloads(), 1)

    def test_damaged_package_is_fetched_again(self):
        self.run_tool("prepare")
        shutil.rmtree(self.tree)
        cached = next((self.cache / "kunit-gup/src").glob("*.deb"))
        cached.write_bytes(cached.read_bytes()[:-100])
        self.run_tool("prepare")
        self.assertEqual(self.downloads(), 2)

    def test_no_network(self):
        """One line, and the next run works once the network is there."""
        self.flag("offline")
        self.assertIn("no route", self.run_tool("prepare", good=False))
        self.assertEqual(self.asked(), ["trixie-backports"])
        self.flag("offline", False)
        self.run_tool("prepare")

    def test_cut_download(self):
        self.flag("cut")
        self.assertIn("damaged", self.run_tool("prepare", good=False))
        self.flag("cut", False)
        self.run_tool("prepare")

    def test_interrupted_download(self):
        """Ctrl-C ends apt too; the next run fetches anew."""
        self.flag("slow")
        self.interrupt(self.top / "pid")
        self.flag("slow", False)
        self.run_tool("prepare")

    def test_interrupted_unpack(self):
        write(self.cache / "kunit-gup/tree.new", {"mm/gup.c": "half\n"})
        self.run_tool("prepare")
        self.assertIn("renamed_5", (self.tree / "mm/gup.c").read_text())

    def test_disk_full_in_the_middle(self):
        """A child that met a full disk gives one line."""
        script(self.top / "bin/tar", "#!/bin/sh\necho 'tar: x: Cannot write: No space left on"
                                     " device' >&2\nexit 2\n")
        self.assertIn("disk is full", self.run_tool("prepare", good=False))
        (self.top / "bin/tar").unlink()
        self.run_tool("prepare")


class Version(unittest.TestCase):
    """What a Makefile says about the version."""

    def test_kernel_version(self):
        text = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\n"
        self.assertEqual(source.kernel_version(text), ("7.3", "7.3.4"))
        self.assertEqual(source.kernel_version(text.replace("4", "0")), ("7.3", "7.3"))
        self.assertEqual(source.kernel_version("all:\n"), (None, None))
