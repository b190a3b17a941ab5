# SPDX-License-Identifier: GPL-2.0-only
"""The table of targets, tools/targets.toml."""

import platform
import tomllib
from dataclasses import dataclass, replace

from . import paths
from .errors import UserError


@dataclass(frozen=True)
class Target:
    """One way to build and boot the suites."""

    name: str
    arch: str
    config: tuple = ()
    kernel_args: tuple = ()
    timeout: int = 300
    skip: tuple = ()

    @property
    def kernel_arch(self):
        """Return ARCH= for kernel make."""
        return {"x86_64": "x86", "i386": "x86"}.get(self.arch, self.arch)

    def variant(self, name, config=(), kernel_args=None):
        """Return this target under another name, with more config lines or other arguments."""
        return replace(self, name=name, config=self.config + tuple(config),
                       kernel_args=self.kernel_args if kernel_args is None else tuple(kernel_args))


def table():
    """Return {name: Target}."""
    text = (paths.TOOLS / "targets.toml").read_text(encoding="utf-8")
    return {name: Target(name, **{k: tuple(v) if isinstance(v, list) else v
                                  for k, v in entry.items()})
            for name, entry in tomllib.loads(text).items()}


def find(name):
    """Return the target `name`, or say which there are."""
    known = table()
    if name not in known:
        raise UserError(f"unknown TARGET={name}", f"known: {', '.join(sorted(known))}")
    target = known[name]
    if target.arch == "um" and platform.machine() not in ("x86_64", "i686"):
        raise UserError(f"TARGET={name} is User Mode Linux, which exists on x86 hosts only, and this "
                        f"is {platform.machine()}", "choose another TARGET=")
    return target
