# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the code that need no boot: checkpatch, W=1, the suites as a module."""

import re
from concurrent.futures import ThreadPoolExecutor

from . import build, overlay, paths, proc, series, tree as trees
from .checks import Check
from .errors import UserError

IGNORE = paths.TOOLS / "checkpatch.ignore"


def checkpatch(kdir=None):
    """Run checkpatch.pl --strict over every patch and every new file; return the Checks."""
    tree = trees.prepare(kdir)
    names = [name for name in sorted(overlay.files()) if name != overlay.KUNITCONFIG]
    return checkpatch_files(tree, tree.patches) + _checkpatch(
        tree, [(name, ["--file", name]) for name in names])


def checkpatch_files(tree, patches, kind=""):
    """Run checkpatch.pl --strict over the files `patches`, called a `kind`; return the Checks."""
    return _checkpatch(tree, [(f"{kind}{patch.name}", [patch]) for patch in patches])


def _checkpatch_command():
    ignored = ",".join(kind for kind, _reason in exceptions())
    return ["perl", "scripts/checkpatch.pl", "--strict", "--no-signoff", "--terse",
            "--no-summary", "--show-types", "--color=never",
            *([f"--ignore={ignored}"] if ignored else [])]


def _checkpatch(tree, jobs):
    """Run checkpatch.pl for each (name, arguments) in `jobs`, several at a time."""
    command = _checkpatch_command()
    with ThreadPoolExecutor(build.jobs()) as pool:
        return list(pool.map(lambda job: _read(tree, job[0], [*command, *job[1]]), jobs))


def _read(tree, name, command):
    """Run one command; return the Check that what it printed makes."""
    code, out, err = proc.capture(command, check=False, cwd=tree.path)
    lines = [line for line in out.splitlines() if line.strip()]     # stderr: helpers it lacks
    return Check(f"checkpatch {name}", (lines or err.splitlines()[-1:]) if code else [])


def exceptions():
    """Return [(message type, reason)] of tools/checkpatch.ignore."""
    found = []
    for line in IGNORE.read_text(encoding="utf-8").splitlines():
        kind, _, reason = line.partition("  ")
        if line and not line.startswith("#"):
            if not reason.strip():
                raise UserError(f"tools/checkpatch.ignore: '{line}' has no reason",
                                "write TYPE, two spaces, and why")
            found.append((kind, reason.strip()))
    return found


def warnings(target, kdir=None):
    """Build what the series touches with W=1; return one Check for each object."""
    tree = trees.prepare(kdir)
    build_dir = build.directory(tree.name, f"w1-{target.name}")
    log = paths.fresh_log(f"build-w1-{target.name}")
    build.configure(tree.path, target, build_dir, log)
    sources = own_files(tree)
    objects = [name.removesuffix(".c") + ".o" for name in sorted(sources) if name.endswith(".c")]
    for name in objects:        # only a file that is compiled anew warns
        (build_dir / name).unlink(missing_ok=True)
    lines = build.make(tree.path, target, build_dir, log, "olddefconfig", *objects, "W=1",
                       what="building with W=1")
    lines += _kernel_doc(tree, [name for name in sources if name.endswith((".h", ".c"))])
    own = {line for line in lines if any(f"{name}:" in line for name in sources)}
    return [Check(f"W=1 {name}", sorted(line for line in own if f"{name}:" in line))
            for name in sorted(sources) if name.endswith((".c", ".h"))]


def own_files(tree):
    """Return the files that the overlay adds or the series changes."""
    changed = tree.git.run("diff", "--name-only", series.BASE, series.BRANCH).split()
    return set(changed) | overlay.files().keys()


def _kernel_doc(tree, names):
    ours = [name for name in names if name in overlay.files()]
    _, _, err = proc.capture(["scripts/kernel-doc", "-none", "-Wall", *ours], check=False,
                             cwd=tree.path)
    return err.splitlines()


def modules(target, kdir=None):
    """Build KUnit and the suites as modules; return the Checks."""
    tree = trees.prepare(kdir)
    variant = target.variant(f"modules-{target.name}", [
        "CONFIG_MODULES=y", "CONFIG_KUNIT=m", "CONFIG_GUP_KUNIT_TEST=m"])
    build_dir = build.directory(tree.name, variant.name)
    log = paths.fresh_log(f"build-{variant.name}")
    build.kunit_kernel(tree.path, variant, build_dir, log)
    module = build_dir / "lib/kunit-gup/gup_kunit.ko"
    warned = [line for line in log.read_text(encoding="utf-8").splitlines()
              if re.search(r"modpost: .*(gup|kunit)|WARNING: modpost", line)]
    return [Check("suites as a module", warned if module.exists() else [f"no {module}"])]
