# SPDX-License-Identifier: GPL-2.0-only
"""What KDIR= may be: a tree of Linux, a tarball of one, or a tag in a git repository.

Each is only read. A tarball and a tag are unpacked in the cache; what is unpacked is taken as a
whole or not at all, and again when the tarball changes or the tag moves.
"""

import contextlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..common import paths, proc
from ..common.errors import UserError
from ..common.git import Git, environment
from . import source

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tar.zst")
TROUBLE = re.compile(r"^(tar|xz|gzip|bzip2|zstd|fatal|error): .*", re.M)
OPTIONS = ("--no-same-permissions",)
UNPACKED = "unpacked"   # in the cache, whose lock is held
MAY_BE = "it may be a tree, a tarball (linux-7.3.4.tar.xz) or REPOSITORY@TAG"


@dataclass(frozen=True)
class Kdir:
    """What KDIR= names; `given` is the text itself."""

    given: str
    path: Path
    tag: str = ""

    def __str__(self):
        """Return what names it, the same for each way to say it."""
        return f"{self.path}@{self.tag}" if self.tag else str(self.path)

    @property
    def unpacks(self):
        """Return whether it must be unpacked first."""
        return bool(self.tag) or self.path.is_file()

    @property
    def origin(self):
        """Return a text that changes with the content; nothing for a tree, which is read."""
        if self.tag:
            return self._commit()
        if not self.path.is_file():
            return None
        status = self.path.stat()
        return " ".join(map(str, (status.st_size, status.st_mtime_ns, status.st_ctime_ns,
                                  status.st_ino)))

    def commit(self, snapshot):
        """Return the commit that is named or checked out, if its tree is `snapshot`."""
        if not self.tag and self.path.is_file():
            return None
        git, name = Git(self.path), self.tag or "HEAD"
        same = git.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{tree}}")[1].strip()
        return git.commit_of(name) if same == snapshot else None

    @contextlib.contextmanager
    def opened(self, log):
        """Give the top directory of the tree; one that was unpacked may be moved away."""
        if not self.unpacks:
            yield self.path
            return
        temporary = paths.cache() / UNPACKED
        paths.remove(temporary)
        paths.need_space(2, f"unpacking KDIR={self.given}")
        try:
            self._unpack(temporary, log)
            yield self._top(temporary)
        except Exception:
            paths.remove(temporary)
            raise
        paths.remove(temporary)

    def _unpack(self, directory, log):
        if not self.tag:
            code, _ = source.untar(self.path.name, directory, log, [*OPTIONS, "-f", self.path])
        else:
            with open(log, "a", encoding="utf-8") as errors:
                archive = proc.start([*Git(self.path).command, "archive", self._commit()],
                                     stdout=subprocess.PIPE, stderr=errors, env=environment())
            code, _ = source.untar(str(self), directory, log, [*OPTIONS, "-f", "-"], archive)
        if code:
            said = TROUBLE.search(paths.read(log))
            raise UserError(f"KDIR={self.given} cannot be unpacked whole: "
                            f"{said[0] if said else 'tar failed'}",
                            f"fetch it again, or see {log}")

    def _top(self, directory):
        """Return the tree inside of what was unpacked: all of it, or the one directory in it."""
        inside = list(directory.iterdir())
        for top in (directory, *(inside if len(inside) == 1 else ())):
            if is_tree(top):
                return top
        raise UserError(f"KDIR={self.given} is no kernel",
                        "it must have the top Makefile of Linux, at its top or one directory below")

    def _commit(self):
        found = Git(self.path).commit_of(self.tag)
        if not found:
            raise UserError(f"KDIR={self.given}: {self.path} has no tag {self.tag}",
                            "fetch it, or name another one")
        return found


def is_tree(path):
    """Return whether `path` has the top Makefile of a kernel."""
    try:
        text = paths.read(path / "Makefile")
    except (FileNotFoundError, NotADirectoryError):
        return False
    return source.kernel_version(text)[0] is not None


def find(given):
    """Return the Kdir that the text `given` names, which is there."""
    path = Path(given).expanduser()
    if path.is_dir():
        real = path.resolve()
        if not is_tree(real):
            git = Git(real).attempt("rev-parse", "--git-dir")[1].strip() in (".", ".git")
            raise UserError(f"KDIR={given} is no kernel tree",
                            f"name a tag of this repository: KDIR={given}@v{source.default()}"
                            if git else "it must have the top Makefile of Linux")
        return Kdir(given, real)
    if path.is_file():
        if not path.name.endswith(SUFFIXES):
            raise UserError(f"KDIR={given} is neither a tree nor a tarball", MAY_BE)
        return Kdir(given, path.resolve())
    place, at, tag = given.rpartition("@")
    repository = Path(place).expanduser()
    if at and tag and place and repository.is_dir():
        found = Kdir(given, repository.resolve(), tag)
        found.origin    # an error if there is no such tag
        return found
    raise UserError(f"there is no KDIR={given}", MAY_BE)
