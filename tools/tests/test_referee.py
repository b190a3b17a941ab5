# SPDX-License-Identifier: GPL-2.0-only
"""`make kunit PEER=`: what the suites say about another series."""

import contextlib
import io
import unittest

import support  # noqa: F401 (sets the path)

from kunit_gup.common import paths
from kunit_gup.run import judge, referee
from kunit_gup.tree import peers

LOG = """[    1.0] KTAP version 1
    # Subtest: s
        # Subtest: c
    # c: EXPECTATION FAILED at lib/a.c:7
status 0: got 2, want 0 (x)
        not ok 1 one
    # c: EXPECTATION FAILED at lib/a.c:7
other
    # c: EXPECTATION FAILED at lib/a.c:8
status 1: got 3, want 0 (y)
and more
and even more
        not ok 2 two
        ok 3 three # SKIP why
    not ok 1 c
"""


def result(path, status):
    """Return a Result of this dotted name."""
    return judge.Result(tuple(path.split(".")), status)


class Kind(unittest.TestCase):
    """What a result means."""

    def test_each(self):
        """By what 7.3 makes of the row."""
        due = [{"row": "s.old", "result": "fail"}, {"row": "s.own.*", "result": "skip"}]
        for path, status, wanted in (
                ("s.c", "PASS", "right"), ("s.c", "FAIL", "wrong"), ("s.c", "ERROR", "wrong"),
                ("s.c", "SKIP", "skipped"), ("s.old", "FAIL", "as 7.3"), ("s.old", "PASS", "better"),
                ("s.own.row", "SKIP", "n/a"), ("s.own.row", "FAIL", "wrong")):
            with self.subTest(path=path, status=status):
                self.assertEqual(referee.kind(result(path, status), due), wanted)


class Show(unittest.TestCase):
    """What is printed."""

    def test_messages(self):
        """The lines of the last failure of a row."""
        one, two = result("s.c.one", "FAIL"), result("s.c.two", "FAIL")
        self.assertEqual(referee.messages([one, two, result("s.c.three", "SKIP")], LOG),
                         {one: ["status 0: got 2, want 0 (x)"],
                          two: ["status 1: got 3, want 0 (y)", "and more"]})

    def test_table(self):
        """A line for each suite, and each wrong row below what its suite asks."""
        row = result("gup_fast.c.row", "FAIL")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            referee.show("peer-x", {row: "wrong", result("gup_fast.c", "PASS"): "right"},
                         {row: ["got 1"]})
        self.assertRegex(out.getvalue(), r"gup_fast +1 +1 +- +- +- +-\n")
        self.assertRegex(out.getvalue(),
                         r"gup_fast asks: what GUP-fast .*\nwrong gup_fast.c.row\n    got 1\n")

    def test_questions(self):
        """Each suite of the plan has one."""
        asked = referee.questions(paths.read(referee.SUITES))
        self.assertEqual(paths.stored(paths.TOOLS / "plan.json").keys() - asked.keys(), set())


class Merge(unittest.TestCase):
    """Where the test access and a peer meet."""

    CONFLICT = "a\n<<<<<<< peer\np\n||||||| base\n{}=======\nq\nr\n>>>>>>> access\nb\n"

    def test_both_add(self):
        """Both stay, the access in front."""
        self.assertEqual(peers.resolve(self.CONFLICT.format("")), ("a\nq\nr\np\nb\n", []))

    def test_same_lines(self):
        """The access gives way, and says what with."""
        self.assertEqual(peers.resolve(self.CONFLICT.format("o\n")), ("a\np\nb\n", ["q r"]))


if __name__ == "__main__":
    unittest.main()
