# SPDX-License-Identifier: GPL-2.0-only
"""No command of the Makefile may rot: tools/commands.toml says how each is tried.

`make check` builds what is changed in the kernels that only some commands have, `make check-all`
runs these commands in their shortest form.
"""

import os
from unittest import mock

from ..common import paths, ui
from ..common.checks import Check
from ..measure import bench, bench_uml
from ..run import build, initramfs, module_runs, move_pages, targets
from ..tree import trees
from . import coverage

DATA = paths.TOOLS / "commands.toml"
SUITES = "lib/kunit-gup/"
# In the kernels of the other commands, the suites are compiled as in those of the stages.
OTHER_SUITES = ("bench-uml", "module-runs")
# Variables that mean one command, not all that `make check-all` runs.
OF_ONE = ("TARGET", "VARIANT", "FILTER", "STEP", "STEPS", "ROUNDS", "MB", "PEER",
          "KUNIT", "A", "B", "MAILING")


def table():
    """Return {command: entry}."""
    return paths.table(DATA)


def kernels():
    """Return {command: (Target, its programs for the initramfs)} of the kernels it builds."""
    known = targets.table()
    uml, x86 = known["uml"], known["x86_64"]
    found = {
        "bench": (bench.adapted(x86), [("measure",)]),
        "kselftest": (bench.adapted(x86), [("tests",)]),
        "bench-uml": (uml.variant("bench-uml", bench_uml.CONFIG), []),
        "coverage": (uml.variant("coverage-uml"), []),
        "move-pages": (x86.variant("x86_64-calls", move_pages.CONFIG),
                       [("move_pages",), ("move_pages", ("-m32",))]),
        "module-runs": (x86.variant("x86_64-module", module_runs.CONFIG), [("init",)]),
    }
    return {name: kernel for name, kernel in found.items() if not kernel[0].why_not()}


def builds(kdir=None):
    """Build what the series changes and adds in the kernels of the commands; return the Checks."""
    tree = trees.prepare(kdir)
    return [_built(tree, name, target, programs)
            for name, (target, programs) in kernels().items()]


def _built(tree, name, target, programs):
    check = Check(f"what make {name} builds")
    # One directory for an architecture: what no configuration changes is built once.
    build_dir = paths.build(tree.name, f"commands-{target.arch}")
    log = paths.fresh_log(f"build-commands-{name}")

    def make():
        build.configure(tree.path, target, build_dir, log)
        objects = _objects(tree, build_dir)
        goals = [*([SUITES] if name in OTHER_SUITES else []), *objects]
        flags = [f"CFLAGS_{os.path.basename(o)}={coverage.FLAGS}" for o in objects] \
            if name == "coverage" else []
        check.detail = ", ".join([f"{len(objects)} objects of mm/", *goals[:-len(objects)]])
        for some in ([[goal] for goal in goals] if flags else [goals]):     # see coverage._build()
            check.problems += build.make(tree.path, target, build_dir, log, *flags, *some,
                                         what=f"what make {name} builds")
        for program in programs:
            initramfs.program(tree.path, target, build_dir, log, *program)

    if check.attempt(make).problems:    # only a file that is compiled anew warns again
        paths.remove(build_dir)
    return check


def _objects(tree, build_dir):
    """Return the objects of mm/ with code of ours that this configuration builds."""
    sources = [name for name in trees.own_files(tree)
               if name.startswith("mm/") and name.endswith(".c")]
    left_out = build.not_built(tree.path, build_dir, sources)
    return sorted(name.removesuffix(".c") + ".o" for name in sources if name not in left_out)


def shortest(command):
    """Run each command that has a shortest form, by `command` of cli.py; return the Checks."""
    return [_run(name, entry["run"], command) for name, entry in table().items()
            if "run" in entry]


def _run(name, variables, command):
    words = " ".join(["make", name, *(f"{key}={value}" for key, value in variables.items())])
    ui.note(words)
    others = {key: value for key, value in os.environ.items() if key not in OF_ONE}
    with mock.patch.dict(os.environ, others | variables, clear=True):
        return Check(words).attempt(
            lambda: [f"it ended with {code}"] if (code := command(name)) else [])
