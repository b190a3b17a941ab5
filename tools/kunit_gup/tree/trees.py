# SPDX-License-Identifier: GPL-2.0-only
"""The prepared tree: a git work tree in the cache with the series committed and the overlay laid.

    gup/base        the pristine source
    gup/step-NNNN   after each patch
    gup             the branch with the whole series; edit and commit here, then export

What the tools know about it is in .git/kunit-gup.json, which is written after every change is
complete. A run that was interrupted before that does its work again.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from ..common import paths, ui
from ..common.errors import UserError
from ..common.git import Git
from . import kdirs, overlay, patches, source

STATE = Path(".git/kunit-gup.json")
# Content is taken as it is, whatever the attributes of the tree say.
ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n"


class Tree:
    """One prepared tree, with its git and its state."""

    def __init__(self, path, kdir=None):
        """Describe the tree at `path`, made from the user's `kdir` (a Kdir) or the package."""
        self.path = path
        self.kdir = kdir
        self.git = Git(path)
        self.state = paths.stored(path / STATE)
        self.base = self.state.get("base")          # the wanted ones, which take effect
        self.version = self.state.get("version")    # when the series applies to them
        self.origin = self.state.get("origin")

    @property
    def name(self):
        """Return the name of the tree inside the cache, also that of its build directories."""
        return self.path.name

    def save(self, **changes):
        """Store `changes` of the state."""
        self.state |= changes
        paths.write_atomically(self.path / STATE, json.dumps(self.state, indent=1))

    def describe(self):
        """Return the text that names the base in an error."""
        where = f"KDIR={self.kdir}" if self.kdir else source.wanted()["package"]
        return f"{where} is Linux {self.version}, the series is for {self.entry['base']}"

    @property
    def entry(self):
        """Return the table of tools/source.toml for the version of the tree."""
        return source.bases()[".".join((self.version or source.wanted()["version"]).split(".")[:2])]

    @property
    def patches(self):
        """Return the patch files for the version of the tree, in order."""
        return patches.patch_files_for(self.entry["version"])


def locate(kdir=None):
    """Return the Tree for `kdir` (or the package), prepared or not."""
    if not kdir:
        version = source.wanted()["version"]
        return Tree(paths.cache() / ("tree" if version == source.default() else f"tree-{version}"))
    found = kdirs.find(str(kdir))
    key = hashlib.sha256(str(found).encode()).hexdigest()[:12]
    return Tree(paths.cache() / f"tree-{key}", found)


def prepare(kdir=None, strict=False):
    """Bring the prepared tree up to date with source, series and overlay; return it.

    Edits in the tree that were not exported are never lost: they are reported, and refused where
    they are in the way or when `strict`.
    """
    tree = _based(locate(kdir))
    copy, edited, both = overlay.compare(tree.path, tree.state["overlay"])
    overlay.refuse(edited + strays(tree), both)
    _apply(tree, strict)
    _lay_overlay(tree, copy)
    return tree


def discard(kdir=None):
    """Make the prepared tree what the repository says, dropping every edit in it."""
    tree = _based(locate(kdir))
    for name in strays(tree):
        (tree.path / name).unlink()
    for unfinished in ("rebase-apply", "rebase-merge"):
        paths.remove(tree.path / ".git" / unfinished)
    tree.git.run("reset", "--quiet", "--hard")
    tree.git.run("checkout", "--quiet", "-B", patches.BRANCH)
    tree.save(tip=tree.git.commit_of("HEAD"), patches=None)
    _apply(tree, strict=False)
    tree.save(overlay=overlay.force(tree.path, tree.state["overlay"]))
    return tree


def export(kdir=None):
    """Write the commits of the branch and the overlay edits in the tree to the repository.

    Return the names of changed patches and overlay files.
    """
    tree = _based(locate(kdir))
    copy, edited, both = overlay.compare(tree.path, tree.state["overlay"])
    overlay.refuse([], both)
    problem = unfinished(tree)
    if problem:
        raise UserError(f"the prepared tree has {problem}", f"commit them in {tree.path} first")
    if committed(tree) and tree.state["patches"] != patches.digest(tree.base, tree.patches):
        raise UserError("mm/patches changed here, and so did the commits of the prepared tree",
                        "undo one side, or `make discard` to drop the tree's")
    _apply(tree, strict=False)
    changed = _export_series(tree)
    brought = edited + strays(tree)
    overlay.bring_back(tree.path, brought)
    _lay_overlay(tree, copy)
    return changed + brought


def roundtrip_differences(tree):
    """Return the names of patch files that an export would change."""
    with tempfile.TemporaryDirectory() as directory:
        new = {f.name: f.read_bytes() for f in _exported(tree, directory)}
    old = {f.name: f.read_bytes() for f in patches.patch_files(_home(tree))}
    return sorted(n for n in old.keys() | new.keys() if old.get(n) != new.get(n))


def unfinished(tree):
    """Return what the tree has beside the commits of the branch, or None."""
    if tree.git.attempt("symbolic-ref", "--quiet", "HEAD")[1].strip() != "refs/heads/gup":
        return "a rebase or another branch in progress"
    if tree.git.run("status", "--porcelain", "--untracked-files=no"):
        return "changes that are not committed"
    return None


def committed(tree):
    """Return whether the branch has other commits than those that came from mm/patches."""
    return tree.git.commit_of("HEAD") != tree.state["tip"]


def strays(tree):
    """Return new files beside the overlay in the tree that are not in the repository yet."""
    tops = sorted({str(Path(name).parent) for name in tree.state["overlay"]})
    tops = [t for t in tops if (tree.path / t).is_dir()]
    if not tops:
        return []
    listed = tree.git.run("ls-files", "--others", "--exclude-standard", "-z", "--", *tops)
    return [n for n in listed.split("\0") if n and n not in tree.state["overlay"]
            and n not in overlay.files() and not overlay.NOT_OURS.search(Path(n).name)]


def steps(tree):
    """Return [(patch file, commit)] of the series in the tree."""
    return [(patch, tree.git.commit_of(f"gup/step-{patches.number(patch)}"))
            for patch in tree.patches]


def tested_steps(tree):
    """Return those of steps() with the suites: not what comes before the test access."""
    pairs = steps(tree)
    for index, (_, commit) in enumerate(pairs):
        if not tree.git.attempt("grep", "--quiet", "kunit-gup/", commit, "--", "lib/Makefile")[0]:
            return pairs[index:]
    raise UserError("no patch of mm/patches lets the suites in", "see its lib/Makefile")


def own_files(tree):
    """Return the files that the overlay adds or the series changes."""
    changed = tree.git.run("diff", "--name-only", patches.BASE, patches.BRANCH).split()
    return set(changed) | overlay.files().keys()


def step(pairs, number):
    """Return the one of `pairs`, as of steps(), with this number; the last without one."""
    for pair in reversed(pairs):
        if not number or patches.number(pair[0]) == number:
            return pair
    raise UserError(f"no STEP={number} in mm/patches",
                    f"known: {' '.join(patches.number(patch) for patch, _ in pairs)}")


# The source

def _based(tree):
    """Return the tree with its source committed as gup/base."""
    if not tree.kdir:
        if not tree.state:
            with _building(tree) as fresh:
                _from_package(fresh)
        return locate()
    origin = tree.kdir.origin
    if tree.state and origin and origin == tree.origin:
        return tree
    log = paths.fresh_log("prepare")
    with tree.kdir.opened(log) as top:
        _check_version(tree.kdir, top)
        if tree.state:
            _refresh(tree, top, origin)
            return tree
        with _building(tree) as fresh:
            fresh.origin = origin
            (_adopt if tree.kdir.unpacks else _import)(fresh, top, log)
    return locate(tree.kdir.given)


def _check_version(kdir, top):
    """Refuse a user's tree of another version before anything is made from it."""
    makefile = paths.read(top / "Makefile")
    short, full = source.kernel_version(makefile)
    patch = next(iter(patches.patch_files()), None)
    if short not in source.bases():
        known = source.bases().values()
        raise UserError(
            f"KDIR={kdir.given} is Linux {full or 'of unknown version'} (its Makefile says so), "
            f"the series from mm/patches/{patch.name if patch else ''} on is for Linux "
            f"{' and '.join(entry['base'] for entry in known)}",
            f"give a {' or '.join(entry['version'] for entry in known)} tree, or see with "
            "`make rebase-check` what would have to change")


@contextlib.contextmanager
def _building(tree):
    """Make a new tree under another name and rename it when it is whole."""
    temporary = tree.path.with_name(f"{tree.name}.new")
    for leftover in (temporary, tree.path):
        if leftover.exists():
            ui.note(f"removing an unfinished {leftover}")
            paths.remove(leftover)
    paths.need_space(6, "the prepared tree")
    yield Tree(temporary, tree.kdir)
    temporary.rename(tree.path)


def _from_package(tree):
    log = paths.fresh_log("prepare")
    count = source.unpack(source.package(), tree.path, log)
    _commit_all(tree, log, count)


def _adopt(tree, top, log):
    """Make what was unpacked the tree."""
    top.rename(tree.path)
    _commit_all(tree, log, sum(len(files) for _, _, files in os.walk(tree.path)))


def _commit_all(tree, log, count):
    """Commit the `count` files that are there as the source."""
    _init(tree)
    progress = ui.Progress("committing the source")
    added = iter(range(1, count + 1))
    code = tree.git.logged(log, lambda _: progress.update(f"{next(added, count)} of {count}"),
                           "add", "--all", "--force", "--verbose")
    if code:
        raise UserError("cannot commit the source", f"see {log}")
    commit = _commit_base(tree, tree.git.run("write-tree"))
    tree.git.run("update-ref", "refs/heads/gup", commit)
    progress.done()
    _first_state(tree, commit)


def _import(tree, top, _log):
    """Copy the user's tree by way of git, which only reads it."""
    progress = ui.Progress(f"reading {top}")
    tree.path.mkdir()
    _init(tree)
    commit = _commit_base(tree, _snapshot(tree, top))
    progress.done()
    progress = ui.Progress("checking out a copy")
    tree.git.run("checkout", "--quiet", "-B", patches.BRANCH, commit)
    progress.done()
    _first_state(tree, commit)


def _refresh(tree, top, origin):
    """Take up changes that the user made since the last run."""
    snapshot = _snapshot(tree, top)
    if snapshot == tree.git.run("rev-parse", f"{tree.state['base']}^{{tree}}"):
        tree.save(origin=origin)
        return
    ui.note(f"{tree.kdir} changed; taking it up")
    makefile = tree.git.run("show", f"{snapshot}:Makefile")
    tree.base, tree.version = _commit_base(tree, snapshot), source.kernel_version(makefile)[1]
    tree.origin = origin


# What a build leaves in a tree, as far as it would be in the way of another.
BUILD_OUTPUT = [f":(exclude,glob){name}" for name in (
    "**/*.o", "**/*.a", "**/*.ko", "**/*.cmd", "**/*.mod", "**/*.mod.c", "**/*.order",
    ".config", ".config.old", ".tmp_*", "include/config/**", "include/generated/**",
    "arch/*/include/generated/**", "Module.symvers", "System.map", "vmlinux")]


def _snapshot(tree, top):
    """Return the git tree of the files at `top`; of a user's tree, without its build output."""
    git = Git(top, f"--git-dir={tree.path}/.git", f"--work-tree={top}",
              GIT_INDEX_FILE=str(tree.path / ".git/kdir-index"))
    if tree.kdir.unpacks:
        git.run("add", "--all", "--force")
        return git.run("write-tree")
    git.run("add", "--all")
    if not git.run("ls-files", "--", "Makefile"):   # Debian's .gitignore leaves out everything
        git.run("add", "--all", "--force", "--", ".", *BUILD_OUTPUT)
    code, out, _ = Git(top).attempt("ls-files", "-z")
    tracked = [n for n in out.split("\0") if (top / n).is_file()] if code == 0 else []
    if tracked:
        git.run("--literal-pathspecs", "add", "--force", "--pathspec-from-file=-",
                "--pathspec-file-nul", input="\0".join(tracked))
    return git.run("write-tree")


def _init(tree):
    """Make the git repository of a new tree."""
    tree.git.run("init", "--quiet", "--template=")
    (tree.path / ".git/info").mkdir(exist_ok=True)
    (tree.path / ".git/info/attributes").write_text(ATTRIBUTES, encoding="utf-8")
    for key, value in (("gc.auto", "0"), ("core.looseCompression", "0"),
                       ("core.autocrlf", "false")):
        tree.git.run("config", key, value)


def _commit_base(tree, snapshot):
    return tree.git.run("commit-tree", snapshot, "-m", "Linux, as it comes")


def _first_state(tree, commit):
    makefile = paths.read(tree.path / "Makefile")
    tree.git.run("tag", patches.BASE, commit)
    tree.save(version=source.kernel_version(makefile)[1], base=commit, tip=commit, patches=None,
              pending=None, overlay={}, origin=tree.origin)


# The series

def _apply(tree, strict):
    """Apply mm/patches anew if it changed since the last time."""
    _recover(tree)
    wanted = patches.digest(tree.base, tree.patches)
    if wanted == tree.state["patches"]:
        problem = unfinished(tree) or (committed(tree) and "commits that are not exported")
        if problem and strict:
            raise UserError(f"the prepared tree has {problem}", "`make export` or `make discard`")
        if problem:
            ui.note(f"note: the prepared tree has {problem}; they are part of this run")
        return
    _refuse_edits(tree)
    progress = ui.Progress("applying mm/patches")
    commits = patches.apply(tree.git, tree.base, paths.cache() / "scratch",
                           tree.describe(), tree.patches)
    tip = commits[-1] if commits else tree.base
    tree.save(pending=tip)
    # A file that was only touched is no reason for git to refuse.
    tree.git.attempt("update-index", "-q", "--refresh")
    tree.git.run("reset", "--quiet", "--keep", tip)
    tree.git.run("tag", "-f", patches.BASE, tree.base)
    patches.mark(tree.git, commits, tree.patches)
    tree.save(tip=tip, patches=wanted, pending=None, base=tree.base, version=tree.version,
              origin=tree.origin)
    progress.done(f"{len(commits)} patches")


def _recover(tree):
    """Finish a change of the work tree that was interrupted (it was clean when that began)."""
    if tree.state["pending"]:
        (tree.path / ".git/index.lock").unlink(missing_ok=True)
        tree.git.run("reset", "--quiet", "--hard", tree.state["pending"])
        tree.save(tip=tree.state["pending"], patches=None, pending=None)


def _refuse_edits(tree):
    _recover(tree)
    problem = unfinished(tree) or (committed(tree) and "commits that are not exported")
    if problem:
        raise UserError(f"the prepared tree {tree.path} has {problem}, and its base or mm/patches "
                        "changed", "`make export` or `make discard`")


def _export_series(tree):
    """Write the branch to mm/patches; return the names of the patches that changed."""
    commits = patches.commits(tree.git)
    directory = Path(tempfile.mkdtemp(dir=paths.cache()))
    try:
        changed = patches.install(_exported(tree, directory), _home(tree))
    finally:
        shutil.rmtree(directory)
    patches.mark(tree.git, commits, tree.patches)
    tree.save(tip=tree.git.commit_of("HEAD"), patches=patches.digest(tree.base, tree.patches))
    return changed


def _home(tree):
    """Return the directory of the patches for the version of the tree alone."""
    version = tree.entry["version"]
    return paths.PATCHES if version == source.default() else paths.PATCHES / version


def _exported(tree, directory):
    """Export the branch into the empty `directory`; return the files that go into _home()."""
    files = patches.export(tree.git, directory)
    if _home(tree) == paths.PATCHES:
        return files
    return patches.special(tree.git, files, patches.commits(tree.git))


# The overlay

def _lay_overlay(tree, copy):
    """Copy what changed here into the tree, and let git in the tree ignore all of it."""
    _refuse_existing(tree)
    overlay.lay(tree.path, copy)
    manifest = overlay.current()
    exclude = "".join(f"/{name}\n" for name in sorted(manifest))
    (tree.path / ".git/info/exclude").write_text(exclude, encoding="utf-8")
    if manifest != tree.state["overlay"]:
        tree.save(overlay=manifest)


def _refuse_existing(tree):
    new = overlay.files().keys() - tree.state["overlay"].keys()
    if not new:
        return
    tracked = tree.git.run("ls-files", "--", *sorted(new)).split("\n")
    if tracked != [""]:
        raise UserError(f"{tracked[0]} exists in the source already",
                        "an existing kernel file changes only by a patch in mm/patches")
