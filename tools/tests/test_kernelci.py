# SPDX-License-Identifier: GPL-2.0-only
"""What KernelCI would refuse, and what of a run it would lose."""

import copy
import importlib.util
import json
import unittest

from support import Sandbox, script, write

from kunit_gup.common.errors import UserError
from kunit_gup.publish import kernelci

needs_yaml = unittest.skipUnless(importlib.util.find_spec("yaml"),
                                 "python3-yaml is not installed; `make kernelci` installs it")
PLAN = {"gup_a": {"one": 1, "rows": 2}}


def group(name, cases=(), groups=()):
    """Return a group of kunit.py's JSON."""
    return {"name": name, "sub_groups": list(groups),
            "test_cases": [{"name": n, "status": s} for n, s in cases]}


def run_of(rows, one=("one", "PASS")):
    """Return the JSON of a run with these rows."""
    return group("KUnit Test Group", groups=[
        group("gup_a", [one], [group("rows", rows)])])


class Results(unittest.TestCase):
    """Each thing that loses results is found."""

    def problems(self, rows, one=("one", "PASS"), plan=None, **limit):
        """Return the problems of a run with these rows."""
        return kernelci.result_problems(run_of(rows, one), PLAN if plan is None else plan, **limit)

    def test_good_run(self):
        self.assertEqual(self.problems([("a row", "SKIP"), ("b_2", "FAIL")]), [])

    def test_status_error(self):
        """A crash has no name and a status that ends the template."""
        found = "\n".join(self.problems([("a", "PASS"), ("b", "PASS")], one=("", "ERROR")))
        self.assertIn("at which all results are lost", found)
        self.assertIn("without a name", found)
        self.assertIn("gup_a.one: 0 of 1 rows", found)

    def test_names(self):
        for name, what in (("a # b", "'a # b'"), ("a.b", "'a.b'"), ("the setup of it", "'setup'"),
                           ("x" * 128, "longer"), ("ü" * 100, "characters outside")):
            found = "\n".join(self.problems([(name, "PASS"), ("b", "PASS")]))
            self.assertIn(what, found, name)

    def test_twice(self):
        """The same name, or one that becomes the same."""
        self.assertIn("2 results with this name",
                      "\n".join(self.problems([("a", "PASS"), ("a", "PASS")])))
        self.assertIn("are both kunit.exec.gup_a.rows.a_b",
                      "\n".join(self.problems([("a b", "PASS"), ("a_b", "PASS")])))

    def test_too_much(self):
        rows = [("a", "PASS"), ("b", "PASS")]
        size = kernelci.body(run_of(rows))
        self.assertEqual(self.problems(rows, most=size), [])
        self.assertIn(f"{size} bytes", self.problems(rows, most=size - 1)[0])

    def test_size(self):
        """Two groups, three results and all of it: six nodes, each with the revision."""
        size = kernelci.body(run_of([("a", "PASS"), ("b", "PASS")]))
        self.assertGreater(size, 6 * len(json.dumps(kernelci.NODE)))
        self.assertLess(size, 6 * len(json.dumps(kernelci.NODE)) + 1000)

    def test_without_the_suite(self):
        """Rows of two suites whose cases and rows have the same names."""
        suites = [group(name, groups=[group(case, [("a row", "PASS")])])
                  for name, case in (("gup_a", "rows"), ("gup_b", "rows"), ("gup_c", "others"))]
        found = kernelci.result_problems(group("KUnit Test Group", groups=suites), {})
        self.assertEqual(len(found), 1, found)
        self.assertIn("'gup_a.rows.a row' and 'gup_b.rows.a row' are both rows-a-row", found[0])

    def test_too_little(self):
        self.assertEqual(self.problems([("a", "PASS")]), ["gup_a.rows: 1 of 2 rows"])
        self.assertEqual(self.problems([("a", "PASS"), ("b", "PASS")], plan={"gup_b": {"x": 1}}),
                         ["gup_b: suite is missing (1 cases)"])
        self.assertEqual(self.problems([("a", "PASS"), ("b", "PASS"), ("c", "PASS")]), [])


@needs_yaml
class Jobs(unittest.TestCase):
    """The file that is shipped is good, and each mistake in it is found."""

    def setUp(self):
        self.config = kernelci.load(kernelci.FILE.read_text(encoding="utf-8"))
        self.name, self.job = next(iter(self.config["jobs"].items()))

    def broken(self, change):
        """Return the problems after `change` of a copy of the configuration and its first job."""
        config = copy.deepcopy(self.config)
        change(config, config["jobs"][self.name])
        return "\n".join(kernelci.key_problems(config))

    def test_as_shipped(self):
        """Keys are good, and a file that is no YAML is one line."""
        self.assertEqual(kernelci.key_problems(self.config), [])
        with self.assertRaisesRegex(UserError, r"^kunit-gup.yaml: [^\n]*line 2[^\n]*$"):
            kernelci.load("a: 1\nb: c: d\n")

    def test_mistakes_in_keys(self):
        for change, what in (
                (lambda c, j: j.update(timeout=300), "unknown key timeout"),
                (lambda c, j: j.pop("kcidb_test_suite"), "no key kcidb_test_suite"),
                (lambda c, j: j.update(priority="urgent"), "priority urgent"),
                (lambda c, j: j.update(priority=101), "priority 101"),
                (lambda c, j: j["rules"].pop("min_version"), "min_version"),
                (lambda c, j: j["rules"]["min_version"].update(patchlevel=2), "min_version"),
                (lambda c, j: c["scheduler"].pop(0), "never scheduled"),
                (lambda c, j: c["scheduler"][0].update(job="gone"), "no such job"),
                (lambda c, j: c["scheduler"][0]["event"].pop("kind"), "no key kind"),
                (lambda c, j: c["scheduler"][0].update(when="now"), "unknown key when")):
            self.assertIn(what, self.broken(change))


class Options(Sandbox):
    """The options of a job go to three commands of kunit.py."""

    HELP = """import argparse, sys
parser = argparse.ArgumentParser()
parser.add_argument("--kunitconfig")
parser.add_argument("--qemu_args")
if sys.argv[1] != "config":
    parser.add_argument("--timeout")
parser.parse_args(sys.argv[2:])
"""

    def problems(self, args, arch="x86_64"):
        """Return the problems of a job with these arguments."""
        write(self.kdir, {"tools/testing/kunit/kunit.py": self.HELP,
                          "lib/kunit-gup/.kunitconfig": ""})
        return kernelci.option_problems({"jobs": {"j": {"params": {"arch": arch, "args": args}}}},
                                        self.kdir)

    def test_options(self):
        good = '--kunitconfig=lib/kunit-gup --qemu_args="-smp 2"'
        self.assertEqual(self.problems(good), [])
        for args, what in ((f"{good} --timeout=9", "`kunit.py config` has no --timeout"),
                           (f"{good} --kernel_args=a", "has no --kernel_args"),
                           (f"{good} --qemu_args='-smp 2'", "single quote"),
                           ("--kunitconfig=lib/gone", "no lib/gone/.kunitconfig"),
                           ("", "none of the suites")):
            self.assertIn(what, "\n".join(self.problems(args)))
        self.assertIn("arch vax", "\n".join(self.problems(good, "vax")))

    @needs_yaml
    def test_command(self):
        """`make kernelci` looks at the results that there are, and skips where there are none."""
        write(self.kdir, {"tools/testing/kunit/kunit.py": self.HELP.replace(
            '"--timeout"', '"--kconfig_add"').replace('!= "config"', '!= "x"')})
        write(self.repo, {"build/results/uml.json": json.dumps(run_of([("a", "PASS")])),
                          "tools/plan.json": json.dumps(PLAN)})
        error = self.run_bad("kernelci")
        self.assertIn("gup_a.rows: 1 of 2 rows", error)
        self.assertIn("skipped KernelCI keeps the results of x86_64", error)

    def test_no_yaml(self):
        """Where it is missing it is installed, or named."""
        write(self.repo, {"tools/sitecustomize.py": "import sys\nsys.modules['yaml'] = None\n"})
        script(self.repo / "bin/apt-get", "#!/bin/sh\n")
        self.assertRegex(
            self.run_tool("kernelci", good=False, PYTHONPATH=str(self.repo / "tools"),
                          PATH=f"{self.repo}/bin:{self.env['PATH']}"),
            "(python3-yaml is still missing|packages are missing:.* python3-yaml)")
