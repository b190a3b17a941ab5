# SPDX-License-Identifier: GPL-2.0-only
"""The variables of `make help`: each is looked at before anything is built, and refused by one
sentence that names the values it takes.
"""

import fnmatch
import os
import re
from pathlib import Path

from .check import litmus, mutants
from .common import paths
from .common.errors import UserError
from .measure import kselftest
from .publish import mailings, series
from .run import machine, targets
from .tree import kdirs, overlay, patches, peers, source

MB = range(16, 1025, 2)     # pinned by `make bench`: folios of 2 MB, in a guest of 2 GB
ROUNDS = range(1, 101)
JOBS = range(1, 1025)
MEASURED = ("x86_64", "arm64")      # tools/initramfs/measure.c knows their instructions
WHOLE = (*MEASURED, "arm64-64k")
TARGETS = {"bench": WHOLE, "bench-profile": MEASURED, "bench-here": WHOLE,
           "kselftest": MEASURED,
           "move-pages": ("x86_64",), "coverage": ("uml",)}


def value(name, standard=""):
    """Return the make variable `name`."""
    return os.environ.get(name) or standard


def number(name, standard):
    """Return the make variable `name`, a number that was checked."""
    return int(value(name, str(standard)))


def check(command):
    """Refuse what `command` cannot take."""
    if value("BASE") and value("KDIR"):
        raise UserError("BASE= and KDIR= both say which tree to take", "give one of them")
    for name, good in CHECKS.items():
        if value(name):
            good(command, value(name))


def _refuse(name, text, takes):
    raise UserError(f"{name}={text} is not taken", f"it takes {takes}")


def _unknown(name, text, known):
    raise UserError(f"unknown {name}={text}", f"known: {', '.join(known)}")


def _numbers(name, known):
    even = "an even number" if known.step == 2 else "a number"

    def good(_command, text):
        if not text.isascii() or not text.isdigit() or int(text) not in known:
            _refuse(name, text, f"{even} from {known[0]} to {known[-1]}")
    return good


def _one_of(name, known):
    def good(_command, text):
        if text not in known():
            _unknown(name, text, known())
    return good


def _target(command, text):
    table = targets.table()
    if command == "module-runs":
        known = [name for name in table if table[name].qemu]
    else:
        known = TARGETS.get(command, [*table, *([targets.ALL] if command == "kunit" else [])])
    if text in known:
        return
    if text in (*table, targets.ALL):
        raise UserError(f"make {command} does not take TARGET={text}",
                        f"it takes {', '.join(known)}")
    _unknown("TARGET", text, known)


def _variant(_command, text):
    for part in text.split("+"):
        if part not in targets.variants():
            _unknown("VARIANT", part, targets.variants())
    if value("TARGET") == targets.ALL:
        raise UserError(f"VARIANT={text} goes with one TARGET=", "name it")


def _kdir(_command, text):
    kdirs.find(text)


def _peer(command, text):
    if command == "kunit" and value("TARGET") == targets.ALL:
        raise UserError("PEER= goes with one TARGET=", "name it")
    for name in (part for peer in peers.names(text) for part in peer.split(",")):
        if not Path(name).expanduser().exists():
            _refuse("PEER", text, "mailboxes, folders of mails, or patch files separated by commas, "
                    f"and there is no {name}")


def _figures(name):
    def good(_command, text):
        if not Path(text).is_file():
            _refuse(name, text, "a file of make bench or make bench-here, such as "
                    "build/bench/x86_64.json")
    return good


def _step(command, text):
    known = [patches.number(patch) for patch in patches.patch_files()]
    if command in ("bench", "bench-profile") and text in mailings.names():
        return
    if command == "series-check":
        if not series.DIRECTORY.is_dir():
            return      # it writes the mails first, and then looks
        known = [mail.name[:4] for mail in series.mails(series.DIRECTORY)[1:]]
    many = command in ("steps", "series-check", "check")
    wrong = [one for one in (text.split(",") if many else [text]) if one not in known]
    if wrong:
        _refuse("STEP", text, f"{'numbers separated by commas,' if many else 'a number'} "
                f"from {known[0]} to {known[-1]}")


def _filter(command, text):
    if command == "mutants":
        mutants.select(mutants.load(), text)
    elif command == "kselftest" and not kselftest.matching(text):
        programs = dict.fromkeys(command.split()[0] for command in kselftest.COMMANDS)
        _refuse("FILTER", text, "a command, with * for any letters, that begins with one of: "
                + " ".join(programs))
    elif command == "kunit":
        suites, _, case = text.partition(".")
        known = suite_names()
        chosen = [name for name in known if fnmatch.fnmatchcase(name, suites)]
        if not chosen:
            _refuse("FILTER", text, f"a suite, or suite.case, with * for any letters: "
                    f"{' '.join(sorted(known))}")
        if case and not fnmatch.filter(case_names(chosen), case):
            _refuse("FILTER", text, f"a case of {' '.join(chosen)}: "
                    f"{' '.join(sorted(_plan(chosen)))}")


def suite_names():
    """Return the names of the suites in the repository, and of those that are pinned."""
    found = set(_pinned())
    for path in _suites():
        found |= set(overlay.suites(paths.read(path)))
    return found


def case_names(suites):
    """Return the pinned cases of `suites`, and each word of their files, since one may be new."""
    found = set(_plan(suites))
    for path in _suites():
        found |= set(re.findall(r"\w+", paths.read(path)))
    return found


def _suites():
    return (paths.REPO / "lib/kunit-gup").rglob("*_kunit.c")


def _pinned():
    plan = paths.TOOLS / "plan.json"
    return paths.stored(plan)


def _plan(suites):
    return {case for suite in suites for case in _pinned().get(suite, {})}


CHECKS = {
    "TARGET": _target,
    "VARIANT": _variant,
    "ACCEL": _one_of("ACCEL", lambda: machine.ACCELERATORS),
    "BASE": _one_of("BASE", source.bases),
    "KDIR": _kdir,
    "FILTER": _filter,
    "JOBS": _numbers("JOBS", JOBS),
    "WAIT": _one_of("WAIT", lambda: ("0", "1")),
    "ROUNDS": _numbers("ROUNDS", ROUNDS),
    "MB": _numbers("MB", MB),
    "PEER": _peer,
    "A": _figures("A"),
    "B": _figures("B"),
    "KUNIT": _one_of("KUNIT", lambda: ("idle",)),
    "STEP": _step,
    "MAILING": _one_of("MAILING", mailings.names),
    "STEPS": _one_of("STEPS", lambda: ("all",)),
    "GUP_SEED": lambda _command, _text: machine.seed(),
    "HERD": lambda _command, text: litmus.find(text),
}
