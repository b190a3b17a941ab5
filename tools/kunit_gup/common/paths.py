# SPDX-License-Identifier: GPL-2.0-only
"""Where things are: the repository, the cache and the results."""

import json
import os
import shutil
import tomllib
from pathlib import Path

from .errors import UserError

REPO = Path(__file__).resolve().parents[3]
PATCHES = REPO / "mm" / "patches"
TOOLS = REPO / "tools"
RESULTS = REPO / "build"


def cache():
    """Return the cache directory, made if missing; kernel make must be able to work in it."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(base) / "kunit-gup"
    if any(c.isspace() or c == ":" for c in str(path)):
        raise UserError(f"the cache path '{path}' has a space or a colon, which kernel make "
                        "refuses", "set XDG_CACHE_HOME to another directory")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the cache {path}: {error.strerror}",
                        "set XDG_CACHE_HOME to a directory that can be written") from None
    return path


def build(tree_name, target_name):
    """Return the directory in which a target is built, made if missing."""
    path = cache() / "build" / tree_name / target_name
    path.mkdir(parents=True, exist_ok=True)
    return path


def need_space(gigabytes, what):
    """Stop before `what` when fewer than `gigabytes` are free in the cache."""
    free = shutil.disk_usage(cache()).free / 1e9
    if free < gigabytes:
        raise UserError(f"{what} needs about {gigabytes} GB in {cache()}, {free:.1f} GB are free",
                        "make room or set XDG_CACHE_HOME to another disk")


def results(*parts):
    """Return a path below the result directory of the repository, its parent made."""
    path = RESULTS.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def fresh_log(name):
    """Return the path of an empty log below build/logs/."""
    path = results("logs", f"{name}.log")
    path.write_text("", encoding="utf-8")
    return path


def read(path):
    """Return the text of a file; bytes that are no text are replaced."""
    return path.read_text(encoding="utf-8", errors="replace")


def stored(path):
    """Return what is in a JSON file; an empty mapping if there is none."""
    return json.loads(read(path)) if path.exists() else {}


def table(path):
    """Return the content of a TOML file."""
    try:
        return tomllib.loads(read(path))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path.name}: {error}", "its head explains the fields") from None


def write_atomically(path, data):
    """Replace the file `path` by `data` (bytes or text), whole or not at all."""
    if isinstance(data, str):
        data = data.encode("utf-8")
    temporary = path.with_name(f".{path.name}.tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def remove(path):
    """Remove a directory tree if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.exists() or path.is_symlink():
        path.unlink()
