# SPDX-License-Identifier: GPL-2.0-only
"""The table of targets, tools/targets.toml."""

import platform
from dataclasses import dataclass, field, replace

from ..common import paths
from ..common.errors import UserError

ALL = "all"     # TARGET=all is each of them


@dataclass(frozen=True)
class Target:
    """One way to build and boot the suites; tools/targets.toml explains the fields."""

    name: str
    arch: str
    native: tuple = ()
    cross: str = ""
    qemu: str = ""
    qemu_args: tuple = ()
    config: tuple = ()
    kernel_args: tuple = ()
    timeout: int = 300
    programs: dict = field(default_factory=dict)
    make: tuple = ()
    files: int = 0
    check: bool = False
    skip: tuple = ()

    @property
    def is_native(self):
        """Return whether this host compiles for the target without a cross compiler."""
        return platform.machine() in self.native

    @property
    def cross_compile(self):
        """Return CROSS_COMPILE= for kernel make on this host."""
        return "" if self.is_native or self.llvm else self.cross

    @property
    def llvm(self):
        """Return whether LLVM builds the kernel, which needs no cross compiler."""
        return any(variable.startswith("LLVM=") for variable in self.make)

    @property
    def needs(self):
        """Return {program: package} of what this host needs for the target."""
        found = dict(self.programs)
        if self.qemu:
            found[self.qemu] = self.qemu_package
        if self.cross_compile:
            prefix = self.cross_compile.rstrip("-")
            found[f"{prefix}-gcc"] = f"gcc-{prefix.replace('_', '-')}"
        return found

    @property
    def qemu_package(self):
        """Return the Debian package with QEMU's program."""
        kind = self.qemu.removeprefix("qemu-system-")
        package = {"x86_64": "x86", "i386": "x86", "aarch64": "arm"}.get(kind, kind)
        return f"qemu-system-{package}"

    def why_not(self):
        """Return why this host cannot run the target, or nothing."""
        if self.arch == "um" and not self.is_native:
            return (f"User Mode Linux exists on x86 hosts only, and this is {platform.machine()}")
        return ""

    def variant(self, name, config=(), kernel_args=None, **changes):
        """Return this target under another name, with more config lines or other arguments."""
        return replace(self, name=name, config=self.config + tuple(config),
                       kernel_args=self.kernel_args if kernel_args is None else tuple(kernel_args),
                       **changes)


def table(path=None):
    """Return {name: Target}, of another file if there is a `path`."""
    entries = _tables("target", path)
    return {name: Target(name, **_resolved(entries, name)) for name in entries}


def variants():
    """Return {name: entry} of the debug variants."""
    return _tables("variant")


def builds():
    """Return {name: entry} of what is only built."""
    return _tables("build")


def find(name, variant=""):
    """Return the target `name` as changed by the `variant`, or say which there are."""
    target = _known("TARGET", name, table())
    if target.why_not():
        raise UserError(f"no TARGET={name} here: {target.why_not()}", "choose another TARGET=")
    return varied(target, variant) if variant else target


def find_all(name, variant=""):
    """Return the targets that `name` stands for."""
    return list(table().values()) if name == ALL else [find(name, variant)]


def varied(target, name):
    """Return `target` with the debug variant `name`, or several that are joined by +."""
    for part in name.split("+"):
        target = adapted(target, f"{target.name}-{part}", _known("VARIANT", part, variants()))
    return target


def rest():
    """Return the targets that `make check-all` boots: those that `make check` does not."""
    known = table()
    return [t for t in known.values() if not t.check] + [
        varied(known[name], variant) for name, chosen in _tables("check_all").items()
        for variant in chosen]


def adapted(target, name, entry):
    """Return `target` under another name, with what the `entry` of a variant adds to it."""
    lists = ("config", "kernel_args", "qemu_args", "make", "skip")
    changes = {key: (*getattr(target, key), *value) if key in lists else value
               for key, value in entry.items() if key not in ("target", "goals")}
    changes["timeout"] = max(target.timeout, entry.get("timeout", 0))
    return replace(target, name=name, **changes)


def default():
    """Return the name of the target that is run when none is named."""
    usable = [t for t in table().values() if t.check and not t.why_not()]
    return next((t.name for t in usable if t.is_native), usable[0].name)


def _known(variable, name, known):
    if name not in known:
        also = f", {ALL}" if variable == "TARGET" else ""
        raise UserError(f"unknown {variable}={name}", f"known: {', '.join(sorted(known))}{also}")
    return known[name]


def _tables(kind, path=None):
    return paths.table(path or paths.TOOLS / "targets.toml").get(kind, {})


def _resolved(entries, name):
    """Return the fields of one target, those that it takes from another included."""
    entry = _frozen(entries[name])
    parent = entry.pop("like", None)
    if not parent:
        return entry
    base = _resolved(entries, parent)
    base.pop("check", None)
    return base | {key: base.get(key, ()) + value if isinstance(value, tuple) else value
                   for key, value in entry.items()}


def _frozen(entry):
    return {key: tuple(value) if isinstance(value, list) else value
            for key, value in entry.items()}
