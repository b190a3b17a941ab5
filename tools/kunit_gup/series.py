# SPDX-License-Identifier: GPL-2.0-only
"""The patch series: files in mm/patches on one side, commits on gup/base on the other."""

import hashlib
import re
from pathlib import Path

from . import paths, ui
from .errors import UserError

BASE = "gup/base"
BRANCH = "gup"
AM = ("am", "--quiet", "--no-3way", "--no-scissors", "--keep-cr", "--keep-non-patch",
      "--committer-date-is-author-date", "--whitespace=nowarn")
FORMAT = ("format-patch", "--quiet", "--no-signature", "--zero-commit", "--no-numbered",
          "--no-renames", "--no-color", "--abbrev=12", "--diff-algorithm=myers", "--stat=80")


def patch_files(directory=None):
    """Return the patch files in order."""
    found = sorted((directory or paths.PATCHES).glob("*.patch"))
    bad = [f.name for f in found if not re.match(r"\d{4}-", f.name)]
    if bad:
        raise UserError(f"mm/patches/{bad[0]} has no number", "name it NNNN-subject.patch")
    return found


def number(patch):
    """Return the NNNN of a patch file."""
    return patch.name[:4]


def slug(patch):
    """Return the name of a patch file without number and suffix; it survives renumbering."""
    return patch.name[5:].removesuffix(".patch")


def digest(base, files=None):
    """Return a hash of the series together with the commit it is applied to."""
    whole = hashlib.sha256(base.encode())
    for path in patch_files() if files is None else files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def apply(git, base, scratch, describe, files=None):
    """Apply the series (or other `files`) to `base` in a `scratch` work tree.

    Return the commits, one a patch.

    The scratch work tree has no files: git takes what a patch touches from the index. So the
    prepared tree is not disturbed, and only its really changed files are written later.
    `describe` is the text for the base in an error.
    """
    _drop(git, scratch)
    git.run("worktree", "add", "--quiet", "--no-checkout", "--detach", scratch, base)
    work = type(git)(scratch)
    work.run("read-tree", base)
    commits = []
    try:
        for patch in patch_files() if files is None else files:
            code, out, err = work.attempt(*AM, patch)
            if code:
                raise _does_not_apply(patch, out + err, describe)
            commits.append(work.commit_of("HEAD"))
    finally:
        _drop(git, scratch)
    return commits


def _drop(git, scratch):
    paths.remove(scratch)
    git.run("worktree", "prune")


def _does_not_apply(patch, output, describe):
    found = re.findall(r"^error: (?:patch failed: )?([^\s:]+):", output, re.M)
    where = f"does not apply to {found[0]}" if found else "is no mail-format patch"
    name = f"mm/patches/{patch.name}" if patch.parent == paths.PATCHES else patch
    return UserError(f"{describe}; {name} {where}",
                     "nothing was changed")


def mark(git, commits, files):
    """Point the tags gup/step-NNNN at the commits of the series, and drop older ones."""
    old = git.run("tag", "--list", "gup/step-*").split()
    new = {f"gup/step-{number(p)}": c for p, c in zip(files, commits, strict=True)}
    for name in set(old) - new.keys():
        git.run("tag", "-d", name)
    for name, commit in new.items():
        if git.commit_of(name) != commit:
            git.run("tag", "-f", name, commit)


def commits(git, base=BASE, tip=BRANCH):
    """Return the commits after `base` up to `tip`, in order; merges are refused."""
    if git.run("rev-list", "--merges", f"{base}..{tip}"):
        raise UserError("the branch gup has a merge", "rebase it to a straight line of commits")
    return git.run("rev-list", "--reverse", f"{base}..{tip}").split()


def export(git, directory):
    """Write the branch as patch files into the empty `directory`; return them in order."""
    git.run(*FORMAT, "--output-directory", directory, f"{BASE}..{BRANCH}")
    return patch_files(Path(directory))


def install(files):
    """Make mm/patches hold exactly the exported `files`; return the names that changed."""
    new = {f.name: f.read_bytes() for f in files}
    paths.PATCHES.mkdir(parents=True, exist_ok=True)
    old = {f.name: f.read_bytes() for f in patch_files()}
    for name, data in new.items():
        if old.get(name) != data:
            paths.write_atomically(paths.PATCHES / name, data)
    for name in old.keys() - new.keys():
        (paths.PATCHES / name).unlink()
    changed = sorted(n for n in old.keys() | new.keys() if old.get(n) != new.get(n))
    ui.note(f"mm/patches: {', '.join(changed) if changed else 'nothing changed'}")
    return changed
