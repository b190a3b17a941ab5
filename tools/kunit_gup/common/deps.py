# SPDX-License-Identifier: GPL-2.0-only
"""Host packages: find what is missing, install it where that is allowed."""

import importlib.util
import os
import shutil

from . import proc, ui
from .errors import UserError

PROGRAMS = {"flex": "flex", "bison": "bison", "bc": "bc", "cpio": "cpio", "depmod": "kmod",
            "gcc": "gcc", "make": "make", "git": "git", "xz": "xz-utils", "perl": "perl",
            "ld": "binutils", "openssl": "openssl"}
HEADERS = {"libelf.h": "libelf-dev", "openssl/ssl.h": "libssl-dev", "stdio.h": "libc6-dev"}


def ensure(*targets, programs=None, headers=None, modules=None):
    """Install the packages that a kernel build for the `targets` needs and that are missing.

    What else is needed is named by `programs`, `headers` and `modules` (of Python), as in the
    tables here.
    """
    programs = PROGRAMS | (programs or {}) | {
        program: package for target in targets if not target.why_not()
        for program, package in target.needs.items()}
    wanted = programs, HEADERS | (headers or {}), modules or {}
    missing = _missing(*wanted)
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", "--no-remove", *missing]
    if os.geteuid() or not shutil.which("apt-get"):
        raise UserError(f"these packages are missing: {' '.join(missing)}",
                        f"run: sudo {' '.join(command)}")
    progress = ui.Progress(f"installing {' '.join(missing)}")
    env = proc.clean_env(DEBIAN_FRONTEND="noninteractive")
    proc.capture(["apt-get", "-q", "update"], check=False, env=env)
    proc.capture(command, env=env)
    progress.done()
    still = _missing(*wanted)
    if still:
        raise UserError(f"{' '.join(still)} is still missing after apt-get install",
                        "look at the machine's apt, and whether python3 is Debian's")


def _missing(programs, headers, modules):
    sbin = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = {package for program, package in programs.items()
               if not shutil.which(program, path=sbin)}
    importlib.invalidate_caches()
    missing |= {package for module, package in modules.items()
                if not importlib.util.find_spec(module)}
    if shutil.which("gcc"):
        missing |= {package for header, package in headers.items() if not _has_header(header)}
    else:
        missing |= set(headers.values())
    return sorted(missing)


def _has_header(header):
    code, _, _ = proc.capture(["gcc", "-fsyntax-only", "-x", "c", "-"], check=False,
                              input=f"#include <{header}>\n")
    return code == 0
