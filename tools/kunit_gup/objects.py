# SPDX-License-Identifier: GPL-2.0-only
"""Without KUnit, the series changes the code of no object but those of the files it patches.

All of mm/ is built at gup/base and at the tip, and compared as disassembly with relocations.
Line numbers would differ wherever a header grew, so __LINE__ is 0 in both builds.
"""

import re
import shutil
from pathlib import Path

from . import build, overlay, paths, proc, series, tree as trees, ui
from .checks import Check
from .targets import Target
from .worktree import Worktree

CONFIG = ["CONFIG_KUNIT=n", "CONFIG_SMP=y", "CONFIG_COMPACTION=y", "CONFIG_MIGRATION=y",
          "CONFIG_TRANSPARENT_HUGEPAGE=y", "CONFIG_NUMA=y", "CONFIG_KSM=y", "CONFIG_USERFAULTFD=y",
          "CONFIG_DEBUG_VM=n", "CONFIG_DEBUG_INFO_NONE=y", "CONFIG_WERROR=n"]
KERNELS = (Target("objects-um", "um"), Target("objects-x86_64", "x86_64"))
FLAGS = "KCFLAGS=-Wno-builtin-macro-redefined -D__LINE__=0"
CALL = re.compile(r"\bfolio_pte_batch(_flags)?\(")
DOOR = re.compile(r"kunit", re.I)


def run(kdir=None):
    """Build both kernels at both ends of the series; return the Checks."""
    tree = trees.prepare(kdir, strict=True)
    work = Worktree(tree)
    return [check for kernel in KERNELS for check in _kernel(tree, work, kernel)]


def _kernel(tree, work, kernel):
    build_dir = build.directory(tree.name, kernel.name)
    log = paths.fresh_log(kernel.name)
    for end in (series.BASE, series.BRANCH):
        source = work.go(end)
        _configure(source, kernel, build_dir, log)
        build.make(source, kernel, build_dir, log, FLAGS, "mm/", what=f"{kernel.name} at {end}")
        _keep(build_dir, end)
    before, after = (build_dir / _kept(end) for end in (series.BASE, series.BRANCH))
    patched = _patched(tree)
    compared = [o.name for o in sorted(after.glob("*.o"))
                if o.name not in patched and (before / o.name).exists()]
    different = [name for name in compared if code(before / name) != code(after / name)]
    callers = _callers(work.path) - patched - {f"{Path(n).stem}.o" for n in overlay.files()}
    built = sorted(callers & set(compared))
    return [
        Check(f"{kernel.name}: {len(compared)} unpatched objects of mm/ are unchanged", different,
              detail=f"callers of folio_pte_batch() among them: {' '.join(built)}; not in this "
                     f"configuration: {' '.join(sorted(callers - set(built))) or 'none'}"),
        Check(f"{kernel.name}: no test access without KUnit",
              [f"{name}: {line}" for name in sorted(patched) if (after / name).exists()
               for line in doors(after / name)]),
    ]


def _configure(source, kernel, build_dir, log):
    what = f"configuring {kernel.name}"
    build.make(source, kernel, build_dir, log, "defconfig", what=what)
    with open(build_dir / ".config", "a", encoding="utf-8") as file:
        file.write("\n".join(CONFIG) + "\n")
    build.make(source, kernel, build_dir, log, "olddefconfig", what=what)


def _kept(end):
    return f"kept-{end.rpartition('/')[2]}"


def _keep(build_dir, end):
    """Set the objects of one end of the series aside."""
    kept = build_dir / _kept(end)
    paths.remove(kept)
    kept.mkdir()
    for path in (build_dir / "mm").glob("*.o"):
        shutil.copyfile(path, kept / path.name)


def _patched(tree):
    """Return the objects whose own source the series changes."""
    changed = tree.git.run("diff", "--name-only", series.BASE, series.BRANCH, "--", "mm/*.c")
    return {name.removeprefix("mm/").replace(".c", ".o") for name in changed.split()}


def _callers(source):
    """Return the objects whose source calls folio_pte_batch() or its variants."""
    return {path.name.replace(".c", ".o") for path in (source / "mm").glob("*.c")
            if CALL.search(path.read_text(encoding="utf-8", errors="replace"))}


def code(path):
    """Return the code of an object: every executable section, with relocations."""
    _, out, _ = proc.capture(["objdump", "-d", "-r", "--no-show-raw-insn", path])
    return out.split("\n", 3)[-1]       # without the name of the file


def doors(path):
    """Return the symbols and strings of an object that speak of KUnit."""
    _, symbols, _ = proc.capture(["nm", path])
    _, strings, _ = proc.capture(["strings", "--all", path])
    return sorted({line.split()[-1] for line in (symbols + strings).splitlines()
                   if DOOR.search(line)})
