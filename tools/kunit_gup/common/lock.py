# SPDX-License-Identifier: GPL-2.0-only
"""One run at a time per cache."""

import contextlib
import fcntl
import os

from . import paths, proc, ui
from .errors import UserError


@contextlib.contextmanager
def hold(wait=False):
    """Hold the lock of the cache; with `wait`, queue behind the run that has it."""
    path = paths.cache() / "lock"
    with open(path, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _busy(file, wait)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        proc.inherit(file.fileno())
        yield


def _busy(file, wait):
    file.seek(0)
    holder = file.read().strip() or "unknown"
    if not wait:
        raise UserError(f"another run (process {holder}) holds the lock {file.name}",
                        "let it finish, or set WAIT=1 to queue behind it")
    ui.note(f"waiting for the run of process {holder}")
    fcntl.flock(file, fcntl.LOCK_EX)
