# SPDX-License-Identifier: GPL-2.0-only
"""A second work tree of the prepared tree, for looking at other steps of the series."""

from . import overlay, paths, ui
from .git import Git


class Worktree:
    """The second work tree of the prepared `tree`; it belongs to the tools alone."""

    def __init__(self, tree):
        """Make the work tree, or take up the one that is there."""
        self.tree = tree
        self.path = paths.cache() / f"{tree.name}-steps"
        self.git = Git(self.path)
        if self._usable():
            return
        paths.need_space(4, "a second work tree")
        progress = ui.Progress("making a second work tree")
        paths.remove(self.path)
        tree.git.run("worktree", "prune")
        tree.git.run("worktree", "add", "--quiet", "--detach", "--force", self.path,
                     tree.state["base"])
        progress.done()

    def go(self, commit):
        """Check out `commit` and lay the overlay; return the path."""
        self.git.run("checkout", "--quiet", "--force", "--detach", commit)
        manifest = self.tree.state.get("steps_overlay", {})
        self.tree.save(steps_overlay=overlay.force(self.path, manifest))
        return self.path

    def _usable(self):
        if not (self.path / ".git").is_file():
            return False
        code, lock, _ = self.git.attempt("rev-parse", "--git-path", "index.lock")
        if code == 0:       # we hold the lock of the cache, so this one is left from a crash
            (self.path / lock.strip()).unlink(missing_ok=True)
        return code == 0 and self.git.attempt("rev-parse", "--verify", "HEAD")[0] == 0
