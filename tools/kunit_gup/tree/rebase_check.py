# SPDX-License-Identifier: GPL-2.0-only
"""`make rebase-check`: where the series does not apply to another tree, which is only read."""

import re
import shutil
import tempfile
from pathlib import Path

from ..common import paths, proc, ui
from ..common.checks import Check
from ..common.git import environment
from . import kdirs, overlay, patches, source

TOUCHED = re.compile(r"^diff --git a/(\S+) b/", re.M)
HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? .*?@@ ?(.*)$", re.M)


def run(kdir):
    """Try each patch on the tree at `kdir`; return one Check for each, and one for new files."""
    found = kdirs.find(kdir)
    with found.opened(paths.fresh_log("rebase-check")) as top:
        return _tried(found, top)


def _tried(found, top):
    makefile = paths.read(top / "Makefile")
    short, full = source.kernel_version(makefile)
    known = short in source.bases()
    wanted = patches.patch_files_for(short) if known else patches.patch_files()
    ui.note(f"KDIR={found.given} is Linux {full}; trying the patches for "
            f"{source.bases()[short if known else source.default()]['base']}")
    with tempfile.TemporaryDirectory(dir=paths.cache()) as scratch:
        _copy(top, Path(scratch), wanted)
        tried = [_try(Path(scratch), patch) for patch in wanted]
    return [*tried, _new_files(top)]


def _copy(top, scratch, wanted):
    """Copy the files that the `wanted` patches touch."""
    names = {name for patch in wanted
             for name in TOUCHED.findall(paths.read(patch))}
    for name in sorted(names):
        if (top / name).is_file():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(top / name, scratch / name)


def _try(scratch, patch):
    """Apply what fits of a patch; return the Check that names each hunk that does not."""
    command = ["git", "apply", "--reject", "--verbose", "--whitespace=nowarn", patch.resolve()]
    code, out, err = proc.capture(command, check=False, cwd=scratch,
                                  env=environment(GIT_CEILING_DIRECTORIES=str(scratch.parent)))
    problems = rejected(err + out, paths.read(patch))
    if code and not problems:
        problems = [(err.strip().splitlines() or ["git apply failed"])[-1]]
    return Check(f"{patch.name} applies", problems)


def rejected(output, patch):
    """Return what `git apply --reject` could not do, as file, hunk and its place in the base."""
    problems, name = [], ""
    for line in output.splitlines():
        now = re.match(r"^Applying patch (\S+) with \d+ reject", line)
        gone = re.match(r"^error: ([^\s:]+): (No such file or directory|already exists.*)", line)
        hunk = re.match(r"^Rejected hunk #(\d+)\.", line)
        name = now[1] if now else name
        if gone:
            problems.append(f"{gone[1]}: {gone[2][0].lower()}{gone[2][1:]}")
        elif hunk:
            problems.append(f"{name}: hunk {hunk[1]}{_place(patch, name, int(hunk[1]))}")
    return problems


def _place(patch, name, number):
    """Return where the hunk `number` of a file is in the tree that the patch was made for."""
    part = patch.partition(f"diff --git a/{name} ")[2].partition("\ndiff --git ")[0]
    found = HUNK.findall(part)
    if number > len(found):
        return ""
    line, function = found[number - 1]
    return f", line {line}" + (f", {function}" if function else "")


def _new_files(top):
    """Check that the new files are new."""
    there = [f"{name} exists" for name in sorted(overlay.files()) if (top / name).exists()]
    return Check("the new files are new", there)
