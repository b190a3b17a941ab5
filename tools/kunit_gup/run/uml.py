# SPDX-License-Identifier: GPL-2.0-only
"""What UML needs of its host, looked at before a kernel is built.

Its memory is a file that it maps executable: in TMPDIR, else in /dev/shm or /tmp. Where that is
mounted noexec it stops before any test, and where it is too small it ends by SIGBUS; a container
often has both. Two CPUs need filters of seccomp, which a container may forbid.
"""

import functools
import mmap
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ..common import paths, proc, ui
from ..common.errors import UserError

MEMORY = 1 << 30        # kunit.py gives UML mem=1G
USUAL = ("/dev/shm", "/tmp")    # where UML looks itself: the first that is a tmpfs, else the last
# Does with seccomp what arch/um/os-Linux/start_up.c does first.
FILTER = """
import ctypes, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(1, ctypes.addressof(code))
number = 317 if ctypes.sizeof(ctypes.c_void_p) == 8 else 354
libc.prctl(38, 1, 0, 0, 0)
if libc.syscall(436, 1 << 20, 0xffffffff, 0):
    sys.exit("close_range() is not allowed")
if libc.syscall(number, 1, 1, ctypes.byref(program)):
    sys.exit("filters of seccomp are not allowed")
"""


def look(target):
    """Stop if UML cannot run as `target` here; other targets are not for this host to decide."""
    if target.arch == "um":
        directory()
        if "seccomp=on" in target.kernel_args and not filters():
            raise UserError("UML has two CPUs only with filters of seccomp, and they are not "
                            "allowed here", "allow them (docker run --security-opt "
                            "seccomp=unconfined), or take TARGET=x86_64")


def environment():
    """Return the environment in which UML is run."""
    return proc.clean_env(TMPDIR=directory())


@functools.cache
def directory():
    """Return the directory for the memory of UML."""
    found, why = choose(candidates())
    if not found:
        raise UserError(
            f"no directory can hold the memory of UML, a file of {MEMORY >> 20} MB that is "
            f"mapped executable: {'; '.join(why)}",
            "name one with TMPDIR= (in a container: docker run --tmpfs /dev/shm:exec,size=2g)")
    if why:
        ui.note(f"the memory of UML is in {found} ({'; '.join(why)})")
    return found


def candidates():
    """Return the directories to look at, the best first: what was asked for, tmpfs, the rest."""
    named = [os.environ[name] for name in ("TMPDIR", "TMP", "TEMP") if os.environ.get(name)]
    return list(dict.fromkeys([*named, *USUAL, "/var/tmp", str(paths.cache())]))


def choose(directories, size=MEMORY):
    """Return (the first directory that can be used, or None; why not those before it)."""
    why = []
    for name in directories:
        problem = unfit(Path(name), size)
        if not problem:
            return name, why
        why.append(f"{name} {problem}")
    return None, why


def unfit(path, size):
    """Return why a directory cannot be used, or nothing."""
    try:
        free = os.statvfs(path)
        with tempfile.TemporaryFile(dir=path) as file:
            file.truncate(mmap.PAGESIZE)
            _map(file.fileno())
    except FileNotFoundError:
        return "is not there"
    except PermissionError as error:
        return "is mounted noexec" if error.filename is None else "cannot be written to"
    except OSError as error:
        return f"cannot be used ({error.strerror})"
    have = free.f_bavail * free.f_frsize
    return "" if have >= size else f"has {have >> 20} MB free"


def _map(fd):
    mmap.mmap(fd, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE,
              prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


@functools.cache
def filters():
    """Return whether a process may install a filter of seccomp, as UML does."""
    child = proc.start([sys.executable, "-c", FILTER], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return proc.finish(child) == 0
