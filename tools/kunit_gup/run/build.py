# SPDX-License-Identifier: GPL-2.0-only
"""Configure and build a kernel, showing how much of it is done."""

import json
import os
import re
import time

from ..common import paths, proc, ui
from ..common.errors import UserError
from . import uml

STEP_LINE = re.compile(r"^  [A-Z][A-Z0-9_ \[\]]* +\S")
ERROR_LINE = re.compile(r"error:|undefined reference|^ERROR|No rule to make|^Missing:")
# No git in the tree: its commits must not change the version, and so the objects.
ENVIRONMENT = {"GIT_DIR": "/dev/null", "KBUILD_BUILD_HOST": "kunit-gup",
               "KBUILD_BUILD_USER": "kunit-gup"}
COUNTS = "counts.json"     # beside the build directories


class Failed(UserError):
    """The compiler or the linker refused."""


def jobs():
    """Return how many jobs make may run."""
    return int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)))


def kunit_py(tree):
    """Return the start of a kunit.py command line for the tree at the path `tree`."""
    return ["python3", tree / "tools/testing/kunit/kunit.py"]


def configure(tree, target, build_dir, log, kunitconfig=None):
    """Let kunit.py write .config for the tree at the path `tree`."""
    command = [*kunit_py(tree), "config", f"--arch={target.arch}", f"--build_dir={build_dir}",
               f"--kunitconfig={kunitconfig or tree / 'lib/kunit-gup'}",
               *(f"--kconfig_add={line}" for line in target.config),
               *(f"--make_options={variable}" for variable in target.make)]
    if target.cross_compile:
        command.append(f"--cross_compile={target.cross_compile}")
    if proc.logged(command, log, env=proc.clean_env(**ENVIRONMENT)):
        _show(log)
        raise UserError(f"cannot configure {target.name}", f"see {log}")
    wrong = wrong_config(target.config, build_dir)
    if wrong:
        raise UserError(f"{target.name} was not configured as asked: {', '.join(wrong)}",
                        f"see {log}")


def wrong_config(config, build_dir):
    """Return the lines of `config` that the configured kernel does not have."""
    have = set(paths.read(build_dir / ".config").splitlines())
    last = dict(line.split("=", 1) for line in config)
    return [f"{key}={value} did not come out" for key, value in last.items()
            if (any(line.startswith(f"{key}=") for line in have) if value == "n"
                else f"{key}={value}" not in have)]


def not_built(tree, build_dir, sources):
    """Return {C file: the option that is off} of `sources` that this configuration leaves out."""
    on = set(re.findall(r"^(CONFIG_\w+)=[ym]$", paths.read(build_dir / ".config"), re.M))
    found = {}
    for name in (name for name in sources if name.endswith(".c")):
        makefile, target = tree / name, re.escape(name.rpartition("/")[2].removesuffix(".c"))
        makefile = makefile.parent / "Makefile"
        option = makefile.exists() and re.search(
            rf"^obj-\$\((CONFIG_\w+)\)\s*\+=.*(?<=\s){target}\.o\b", paths.read(makefile), re.M)
        if option and option[1] not in on:
            found[name] = option[1]
    return found


def make(tree, target, build_dir, log, *goals, what=None, quiet=False, env=None):
    """Run kernel make with a running count, unless `quiet`; return the compiler's warnings.

    The variables `env` are in the environment, where a makefile can add to them. How many files
    a new build directory takes is known from the last one of that name, or from the table.
    """
    fresh = not (build_dir / "vmlinux").exists() and "all" in goals
    share = Share(_counts().get(target.name, target.files) if fresh else 0)
    progress = ui.Silence() if quiet else \
        ui.Progress(f"{what or f'building {target.name}'} (log: {log})")
    count, warnings = 0, []

    def watch(line):
        nonlocal count
        if STEP_LINE.match(line):
            count += 1
            progress.update(f"{share.text(count)}, {line.split()[-1]}")
        elif "warning:" in line:
            warnings.append(line.rstrip())

    command = ["make", "-C", tree, f"ARCH={target.arch}", f"O={build_dir}", f"--jobs={jobs()}",
               f"CROSS_COMPILE={target.cross_compile}", *target.make, *goals]
    if proc.logged(command, log, watch, env=proc.clean_env(**ENVIRONMENT, **(env or {}))):
        _show(log)
        raise Failed(f"the build of {target.name} failed", f"see {log}")
    progress.done(f"{count} files")
    if fresh:
        paths.write_atomically(paths.cache() / "build" / COUNTS,
                               json.dumps(_counts() | {target.name: count}))
    return warnings


class Share:
    """The progress of a build of about `total` files; 0 if the number is not known."""

    def __init__(self, total, clock=time.monotonic):
        """Begin now."""
        self.total, self.clock, self.begun = total, clock, clock()

    def text(self, count):
        """Return the words for `count` files that are done."""
        if count >= self.total:
            return f"{count} files"
        text = f"{count} of about {self.total} files"
        if count * 20 < self.total:     # too early to tell
            return text
        left = (self.clock() - self.begun) / count * (self.total - count)
        return f"{text}, {left / 60:.0f} min left" if left >= 90 else f"{text}, {left:.0f} s left"


def _counts():
    """Return {name of a target: files of its last full build}."""
    path = paths.cache() / "build" / COUNTS
    return paths.stored(path)


def kunit_kernel(tree, target, build_dir, log):
    """Configure and build the kernel with the suites."""
    uml.look(target)
    configure(tree, target, build_dir, log)
    return make(tree, target, build_dir, log, "olddefconfig", "all")


def _show(log):
    """Print the lines of a failed build that say why."""
    lines = paths.read(log).splitlines()
    telling = [line for line in lines if ERROR_LINE.search(line)]
    print("\n".join(telling[:25] or lines[-25:]), flush=True)
