# SPDX-License-Identifier: GPL-2.0-only
"""The patch series: files in mm/patches on one side, commits on gup/base on the other."""

import contextlib
import hashlib
import re
import tempfile
from pathlib import Path

from ..common import paths, ui
from ..common.errors import UserError

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


def patch_files_for(version):
    """Return the patch files for a version; mm/patches/VERSION replaces those of the same name."""
    own = {slug(f): f for f in patch_files(paths.PATCHES / version)}
    common = patch_files()
    found = [own.pop(slug(f), f) for f in common]
    if own:
        name = next(iter(own.values())).name
        raise UserError(f"mm/patches/{version}/{name} replaces no patch of mm/patches",
                        "give it the name of one, or remove it")
    moved = [f for f, other in zip(found, common) if f.name != other.name]
    if moved:
        raise UserError(f"mm/patches/{version}/{moved[0].name} has another number in mm/patches",
                        "`make export` renames it")
    return found


def number(patch):
    """Return the NNNN of a patch file."""
    return patch.name[:4]


def slug(patch):
    """Return the name of a patch file without number and suffix; it survives renumbering."""
    return patch.name[5:].removesuffix(".patch")


def digest(base, files):
    """Return a hash of the series together with the commit it is applied to."""
    whole = hashlib.sha256(base.encode())
    for path in files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def apply(git, base, scratch, describe, files):
    """Apply the patches `files` to `base` in a `scratch` work tree.

    Return the commits, one a patch. `describe` is the text for the base in an error.
    """
    commits = []
    with scratch_tree(git, base, scratch) as work:
        for patch in files:
            code, out, err = work.attempt(*AM, patch)
            if code:
                raise _does_not_apply(patch, out + err, describe)
            commits.append(work.commit_of("HEAD"))
    return commits


@contextlib.contextmanager
def scratch_tree(git, base, scratch):
    """Give the git of a work tree at `scratch`, with `base` checked out, inside the context.

    It has no files: git takes what a patch touches from the index. So the prepared tree is not
    disturbed, and only its really changed files are written later.
    """
    _drop(git, scratch)
    git.run("worktree", "add", "--quiet", "--no-checkout", "--detach", scratch, base)
    work = type(git)(scratch)
    work.run("read-tree", base)
    try:
        yield work
    finally:
        _drop(git, scratch)


def _drop(git, scratch):
    paths.remove(scratch)
    git.run("worktree", "prune")


def _does_not_apply(patch, output, describe):
    found = re.findall(r"^error: (?:patch failed: )?([^\s:]+):", output, re.M)
    where = f"does not apply to {found[0]}" if found else "is no mail-format patch"
    name = patch.relative_to(paths.REPO) if paths.PATCHES in patch.parents else patch
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


def special(git, files, commits):
    """Return the exported `files` that need more than the one of the same name in mm/patches.

    `commits` are those that the files were exported from.
    """
    common = {slug(f): f for f in patch_files()}
    unknown = [f.name for f in files if slug(f) not in common]
    if unknown:
        raise UserError(f"{unknown[0]} is not in mm/patches",
                        "make the commit in the tree of the default base first")
    return [f for f, commit in zip(files, commits, strict=True)
            if not _gives(git, common[slug(f)], commit)]


def _gives(git, patch, commit):
    """Return whether a patch file, applied to the commit before it, gives the commit."""
    index = type(git)(git.command[2], GIT_INDEX_FILE=".git/special-index")
    index.run("read-tree", f"{commit}~1")
    return index.attempt("apply", "--cached", "--whitespace=nowarn", patch)[0] == 0 \
        and index.run("write-tree") == git.run("rev-parse", f"{commit}^{{tree}}") \
        and _message(git, paths.read(patch)) \
        == git.run("log", "-1", "--format=%B", commit).strip()


def _message(git, mail):
    """Return the commit message in a mail, as git am would have it."""
    with tempfile.TemporaryDirectory() as directory:
        body = Path(directory) / "body"
        info = git.run("mailinfo", "-k", body, Path(directory) / "patch", input=mail)
        subject = re.search(r"^Subject: (?:\[PATCH\] )?(.*)$", info, re.M)[1]
        return f"{subject}\n\n{paths.read(body)}".strip()


def install(files, directory=None):
    """Make mm/patches hold exactly the exported `files`; return the names that changed.

    A patch for another version is renumbered with the one that it replaces.
    """
    directory = directory or paths.PATCHES
    new = {f.name: f.read_bytes() for f in files}
    directory.mkdir(parents=True, exist_ok=True)
    old = {f.name: f.read_bytes() for f in patch_files(directory)}
    for name, data in new.items():
        if old.get(name) != data:
            paths.write_atomically(directory / name, data)
    for name in old.keys() - new.keys():
        (directory / name).unlink()
    if directory == paths.PATCHES:
        _renumber({slug(f): f.name for f in files})
    changed = sorted(n for n in old.keys() | new.keys() if old.get(n) != new.get(n))
    ui.note(f"{directory.relative_to(paths.REPO)}: {len(changed)} files changed")
    return changed


def _renumber(names):
    for path in sorted(paths.PATCHES.glob("*/*.patch")):
        if names.get(slug(path), path.name) != path.name:
            path.rename(path.with_name(names[slug(path)]))
