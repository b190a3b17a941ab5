# SPDX-License-Identifier: GPL-2.0-only
"""A second work tree of the prepared tree, for building other steps of the series.

The commits of mm/patches get the new files of the repository laid; those of the mailed series
have them.

Each step has a build directory of its own, but all share this work tree. So that going from step
to step does not make every object look old, the time stamps of the files that the series touches
are set for the build directory at hand: new where the file differs from what was built there.
"""

import contextlib
import json
import os

from ..common import paths, proc, ui
from ..common.git import Git
from . import overlay

BUILT = "gup-built.json"    # in a build directory: the commits that its objects may come from


class Worktree:
    """The second work tree of the prepared `tree`; it belongs to the tools alone."""

    def __init__(self, tree, kind="steps", overlaid=True):
        """Make the work tree of this kind, or take up the one that is there."""
        self.tree = tree
        self.overlaid = overlaid
        self.path = paths.cache() / f"{tree.name}-{kind}"
        self.git = Git(self.path)
        if self._usable():
            return
        paths.need_space(6, "a second work tree with its builds")
        progress = ui.Progress("making a second work tree")
        paths.remove(self.path)
        tree.git.run("worktree", "prune")
        tree.git.run("worktree", "add", "--quiet", "--detach", "--force", self.path,
                     tree.state["base"])
        progress.done()

    @contextlib.contextmanager
    def at(self, commit, build_dir):
        """Check out `commit`, to build it in `build_dir` inside the context."""
        stamp, earlier = build_dir / BUILT, built(build_dir)
        before = self.git.commit_of("HEAD")
        self.git.run("checkout", "--quiet", "--force", "--detach", commit)
        if self.overlaid:
            manifest = self.tree.state.get("steps_overlay", {})
            self.tree.save(steps_overlay=overlay.force(self.path, manifest))
        self._set_times(before, commit, earlier)
        paths.write_atomically(stamp, json.dumps([*earlier, commit]))
        yield self.path
        paths.write_atomically(stamp, json.dumps([commit]))

    def _set_times(self, before, commit, earlier):
        """Make the files new that differ between `commit` and any of `earlier`, and others old."""
        new = set().union(*(self._changed(other, commit) for other in earlier))
        old = (self.path / ".git").stat().st_mtime      # older than every build from here
        for name in new | self._changed(self.tree.state["base"], commit) \
                | self._changed(before, commit):
            if (self.path / name).exists():
                os.utime(self.path / name, None if name in new else (old, old))

    def _changed(self, one, other):
        return set(self.git.run("diff", "--name-only", one, other).split())

    def _usable(self):
        if not (self.path / ".git").is_file():
            return False
        code, lock, _ = self.git.attempt("rev-parse", "--git-path", "index.lock")
        if code == 0:       # we hold the lock of the cache, so this one is left from a crash
            (self.path / lock.strip()).unlink(missing_ok=True)
        return code == 0 and self.git.attempt("rev-parse", "--verify", "HEAD")[0] == 0


def build_directory(work, family, name):
    """Return the build directory `name` of a `family` that differ only a little.

    A new one begins as a copy of the one that was finished last, most likely the step before.
    """
    top = paths.build(work.tree.name, family)
    if not (top / name).exists():
        temporary = top / "unfinished"      # no name that prune() keeps
        paths.remove(temporary)
        finished = [p for p in top.iterdir() if len(built(p)) == 1]
        if finished:
            latest = max(finished, key=lambda p: (p / BUILT).stat().st_mtime)
            proc.capture(["cp", "-a", "--reflink=auto", latest, temporary])
        else:
            temporary.mkdir()
        temporary.rename(top / name)
    return top / name


def prune(work, family, names):
    """Remove the build directories of a family that are not `names`, or of commits long gone."""
    for path in paths.build(work.tree.name, family).iterdir():
        if path.name not in names or not _known(work, path):
            paths.remove(path)


def _known(work, path):
    stamp = path / BUILT
    return stamp.exists() and stamp.stat().st_mtime >= (work.path / ".git").stat().st_mtime \
        and all(work.git.commit_of(c) for c in built(path))


def built(path):
    """Return the commits that the objects in a build directory may come from."""
    stamp = path / BUILT
    return paths.stored(stamp)
