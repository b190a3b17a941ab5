# SPDX-License-Identifier: GPL-2.0-only
"""Where the memory of UML can be, and what else it needs of its host."""

import os
from unittest import mock

from support import Sandbox

from kunit_gup.common.errors import UserError
from kunit_gup.run import targets, uml


def noexec(_fd):
    """Map a file as on a mount with noexec."""
    raise PermissionError(1, "Operation not permitted")


class Directory(Sandbox):
    """The first directory that will do, and why not those before it."""

    def setUp(self):
        super().setUp()
        for function in (uml.directory, uml.filters):
            function.cache_clear()
            self.addCleanup(function.cache_clear)

    def test_good(self):
        """A directory with room in which a file can be mapped executable."""
        self.assertEqual(uml.choose([str(self.top)], 1), (str(self.top), []))

    def test_missing_and_small(self):
        """One that is not there, one that is too small, and then a good one."""
        gone = f"{self.top}/gone"
        found, why = uml.choose([gone, str(self.top)], 1)
        self.assertEqual((found, why), (str(self.top), [f"{gone} is not there"]))
        found, why = uml.choose([str(self.top)], 1 << 60)
        self.assertIsNone(found)
        self.assertRegex(why[0], r"has \d+ MB free$")

    def test_noexec(self):
        with mock.patch.object(uml, "_map", noexec):
            self.assertEqual(uml.choose([str(self.top)], 1),
                             (None, [f"{self.top} is mounted noexec"]))

    def test_order(self):
        """What the user names comes first, then what UML takes by itself."""
        with mock.patch.dict(os.environ, {"TMPDIR": "/mine"}):
            self.assertEqual(uml.candidates()[:3], ["/mine", "/dev/shm", "/tmp"])

    def test_nowhere(self):
        """One line that names each directory, why it will not do, and what to do."""
        uml_target = targets.table()["uml"]
        with mock.patch.object(uml, "_map", noexec), \
                self.assertRaisesRegex(UserError, "noexec; .*TMPDIR="):
            uml.look(uml_target)

    def test_no_filters(self):
        uml_target = targets.table()["uml"]
        with mock.patch.object(uml, "directory", lambda: "/x"), \
                mock.patch.object(uml, "filters", lambda: False), \
                self.assertRaisesRegex(UserError, "seccomp.*TARGET=x86_64"):
            uml.look(uml_target)

    def test_other_targets(self):
        with mock.patch.object(uml, "directory", lambda: self.fail("looked")):
            uml.look(targets.table()["x86_64"])
