# SPDX-License-Identifier: GPL-2.0-only
"""The overlay: the new kernel files of the repository, laid into a tree at the same path.

The manifest (path -> hash at the last sync) tells which side was edited since.
"""

import hashlib
import re
import shutil

from ..common import paths
from ..common.errors import UserError

KUNITCONFIG = "lib/kunit-gup/.kunitconfig"
PAGE = "Documentation/mm/gup_batch.rst"
ELSEWHERE = {KUNITCONFIG: "kunitconfig", PAGE: "mm/gup_batch.rst"}   # where they are here
SUITE = re.compile(r"struct kunit_suite \w+ = \{\s*\.name = \"(\w+)\"")
NOT_OURS = re.compile(r"~$|^\.#|^#.*#$|\.(orig|rej|swp|o|mod|cmd|tmp)$")


def files():
    """Return {path in the tree: path in the repository} of every overlay file."""
    found = {name: paths.REPO / here for name, here in ELSEWHERE.items()
             if (paths.REPO / here).exists()}
    for top in ("mm", "lib"):
        for path in sorted((paths.REPO / top).rglob("*")):
            if path.is_file() and paths.PATCHES not in path.parents \
                    and path not in found.values() and not NOT_OURS.search(path.name):
                found[path.relative_to(paths.REPO).as_posix()] = path
    return found


def suites(text):
    """Return the names of the suites in the text of a file."""
    return SUITE.findall(text)


def digest(path):
    """Return the hash of a file's content, or None if there is no file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def compare(tree, manifest):
    """Return ({path: source} to copy or delete, [edited in the tree], [edited on both sides])."""
    ours = files()
    copy, edited, both = {}, [], []
    for name in sorted(ours.keys() | manifest.keys()):
        here, there = digest(ours[name]) if name in ours else None, digest(tree / name)
        last = manifest.get(name)
        if here == there:
            continue
        if there == last:
            copy[name] = ours.get(name)
        elif here == last:
            edited.append(name)
        else:
            both.append(name)
    return copy, edited, both


def lay(tree, changes):
    """Copy (or, without a source, delete) each of the `changes` into `tree`."""
    for name, source in changes.items():
        target = tree / name
        if source is None:
            target.unlink(missing_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.tmp")
        shutil.copyfile(source, temporary)
        temporary.replace(target)


def force(tree, manifest):
    """Make the overlay in `tree` that of the repository, whatever was edited there."""
    ours = files()
    lay(tree, {name: ours.get(name) for name in ours.keys() | manifest.keys()
               if name not in ours or digest(ours[name]) != digest(tree / name)})
    return current()


def current():
    """Return the manifest of the repository's files as they are now."""
    return {name: digest(source) for name, source in files().items()}


def refuse(edited, both):
    """Raise the error for files that were edited in the tree."""
    if both:
        raise UserError(f"{', '.join(both)} changed both here and in the prepared tree",
                        "undo one side, or `make discard` to drop the tree's")
    if edited:
        raise UserError(f"{', '.join(edited)} edited in the prepared tree",
                        "`make export` brings it back, `make discard` drops it")


def bring_back(tree, names):
    """Copy the files `names` from the tree into the repository (or delete them here)."""
    ours = files()
    for name in names:
        target = ours.get(name, paths.REPO / ELSEWHERE.get(name, name))
        if (tree / name).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            paths.write_atomically(target, (tree / name).read_bytes())
        else:
            target.unlink(missing_ok=True)
