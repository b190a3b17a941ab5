# SPDX-License-Identifier: GPL-2.0-only
"""Boot a kernel under QEMU, with an accelerator that was seen to boot it.

kunit.py always asks for KVM first, and waits out its whole limit where /dev/kvm opens but the
kernel hangs on it. So QEMU is started here, as kunit.py would.
"""

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from ..common import paths, proc, ui
from ..common.errors import UserError

PROBE_LIMIT = 10        # seconds in which a real accelerator boots the kernel
NO_TEST = "no_such_suite"
HUNG = "the kernel hung"     # a problem that begins so
BOOTED = "KTAP version 1"
ACCELERATORS = ("kvm", "hvf", "tcg")
READ_CONFIG = """
import dataclasses, json, sys
sys.path.insert(0, ".")
from importlib import import_module
config = import_module("kunit.qemu_configs." + sys.argv[1]).QEMU_ARCH
print(json.dumps(dataclasses.asdict(config)))
"""

_hung = {}      # (QEMU's program, accelerator): why it is not tried again


@dataclass
class Machine:
    """A built kernel and the arguments of QEMU for it."""

    target: object
    build_dir: Path
    config: dict            # what kunit.py knows of the architecture
    initrd: Path = None
    probe: tuple = None     # (boot arguments, text): it prints the text and ends at once
    accel: str = field(default="", init=False)

    def command(self, accel, kernel_args):
        """Return the command that boots the kernel with `kernel_args`."""
        append = [a.format(build_dir=self.build_dir) for a in self.target.kernel_args]
        append += [*kernel_args, self.config["kernel_command_line"]]
        return [self.target.qemu, "-nodefaults", "-m", "1024",
                "-kernel", self.build_dir / self.config["kernel_path"],
                "-append", " ".join(append), "-no-reboot", "-nographic", "-accel", accel,
                "-serial", self.config["serial"], *self.config["extra_qemu_params"],
                *self.target.qemu_args, *(["-initrd", self.initrd] if self.initrd else [])]

    def settle(self):
        """Choose the accelerator, unless that was done."""
        self.accel = self.accel or choose(self, os.environ.get("ACCEL", ""))

    def boot(self, log, kernel_args, on_line=None, prefix=()):
        """Boot, by the command `prefix` if there is one; return what went wrong, or nothing."""
        self.settle()
        limit = self.target.timeout
        command = [*prefix, *self.command(self.accel, kernel_args)]
        code = proc.logged(command, log, on_line, limit)
        if code is None:
            return [f"{HUNG}: it did not end within {limit} s under {self.accel}"]
        return [f"QEMU ended with code {code}: {proc.tail(log, 1).strip()}"] if code else []


def machine(tree, target, build_dir, initrd=None):
    """Return the Machine for the kernel that was built from the tree at the path `tree`."""
    _, out, _ = proc.capture([sys.executable, "-c", READ_CONFIG, target.arch],
                             cwd=tree / "tools/testing")
    return Machine(target, build_dir, json.loads(out), initrd)


def test_args(pattern=""):
    """Return the boot arguments that run the suites that match `pattern` and then end."""
    return [*([f"kunit.filter_glob={pattern}"] if pattern else []), "kunit.enable=1",
            "kunit_shutdown=reboot", "panic=-1", *seed_args()]


def seed():
    """Return the seed for random orders that GUP_SEED= gives, or nothing."""
    text = os.environ.get("GUP_SEED", "")
    if text and not (text.isascii() and text.isdigit() and int(text) < 1 << 32):
        raise UserError(f"GUP_SEED={text} is no seed",
                        "say GUP_SEED=42, or any number up to 4294967295 that a case printed")
    return text


def seed_args():
    """Return the boot arguments that give the suites a seed; UML and QEMU take the same."""
    return [f"gup_kunit.seed={seed()}"] if seed() else []


def choose(machine, wanted=""):
    """Return the accelerator for a machine: the one that is `wanted`, or one that boots it."""
    accel, why = _choice(machine, wanted)
    ui.note(f"accelerator for {machine.target.name}: {accel} ({why})")
    return accel


def _choice(machine, wanted):
    if wanted:
        return wanted, "ACCEL= says so"
    accel = "hvf" if sys.platform == "darwin" else "kvm"
    why = unusable(machine.target, accel) or _hung.get((machine.target.qemu, accel)) \
        or _probe(machine, accel)
    return ("tcg", why) if why else (accel, "it was seen to boot this kernel")


def unusable(target, accel, device="/dev/kvm"):
    """Return why the host's accelerator cannot be for `target`, or nothing."""
    if not target.is_native:
        return "this host has another architecture"
    if accel == "kvm" and not os.path.exists(device):
        return f"there is no {device}"
    if accel == "kvm" and not os.access(device, os.R_OK | os.W_OK):
        return f"{device} may not be opened"
    return ""


def _probe(machine, accel):
    """Boot without any test; return why the accelerator is no good, or nothing."""
    log = paths.fresh_log(f"probe-{machine.target.name}-{accel}")
    args, booted = machine.probe or (test_args(NO_TEST), BOOTED)
    code = proc.logged(machine.command(accel, args), log, limit=PROBE_LIMIT)
    text = paths.read(log)
    if code == 0 and booted in text:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = f"last '{lines[-1][:60]}'" if lines else "it said nothing"
    why = f"no boot by {accel} within {PROBE_LIMIT} s" if code is None else f"{accel} failed"
    why += f", {last}"
    return _hung.setdefault((machine.target.qemu, accel), why)
