# SPDX-License-Identifier: GPL-2.0-only
"""Do the suites notice mistakes? Each mutation of tools/mutants.toml must make them fail.

The mutations are made one after the other in the second work tree, and share a build directory,
so that only what includes the mutated file is compiled anew. The file is put back after each.
"""

import fnmatch
import json
import os
import re
import time
from collections import Counter
from dataclasses import asdict, dataclass

from ..common import paths, ui
from ..common.checks import Check, totals
from ..common.errors import UserError
from ..run import build, kunit, machine
from ..tree import trees
from ..tree.worktree import Worktree, build_directory, prune
from .code import functions

DATA = paths.TOOLS / "mutants.toml"
REPORT = "mutants.json"
MUTATED = "gup-mutated.json"    # in a build directory: files that its objects may be mutated of
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PANIC = re.compile(r"Kernel panic|Oops|kernel BUG|Unable to handle kernel")
SPARE = 30                      # seconds that a boot may take beyond three times the clean one


@dataclass(frozen=True)
class Mutant:
    """One mutation; tools/mutants.toml explains the fields."""

    name: str
    file: str
    old: str
    new: str = ""
    function: str = ""
    suites: str = ""
    target: str = "uml"
    equivalent: str = ""

    def apply(self, text):
        """Return `text`, the content of the file, mutated."""
        spans = [(0, len(text))] if not self.function else [
            (each.start, each.end) for each in functions(text) if each.name == self.function]
        if not spans:
            raise self.error(f"there is no function {self.function}() in {self.file}")
        pattern = re.compile(r"\s+".join(map(re.escape, self.old.split())))
        found = [match for start, end in spans for match in pattern.finditer(text, start, end)]
        if len(found) != 1:
            where = f"{self.function}() of {self.file}" if self.function else self.file
            raise self.error(f"the old text stands {len(found)} times in {where}")
        return text[:found[0].start()] + self.new + text[found[0].end():]

    def error(self, what):
        """Return the error for this entry of the table."""
        return UserError(f"tools/mutants.toml: {self.name}: {what}")


@dataclass(frozen=True)
class Outcome:
    """What the suites made of a mutation."""

    kind: str           # survived, killed, crash, hang
    by: str = ""        # the first row that failed, or what else was wrong
    rows: int = 0       # how many rows failed
    suites: tuple = ()  # the suites that they are of

    def __str__(self):
        if self.kind == "survived":
            return self.kind
        what = "killed by" if self.kind == "killed" else f"{self.kind}:"
        return f"{what} {self.by}" + (f" ({self.rows} rows)" if self.rows > 1 else "")


def run(target, kdir=None, pattern=""):
    """Run the mutations whose names match `pattern`, and show each; return the totals."""
    chosen = select(load(), pattern)
    own = [m for m in chosen if m.target == target.name]
    tree = trees.prepare(kdir, strict=True)
    _must_apply(tree, chosen)   # also those of other targets, as it costs nothing
    _store(target, None)
    found = [Check(f"mutant {mutant.name}", skipped=f"it takes TARGET={mutant.target}")
             for mutant in chosen if mutant not in own]
    for check in found:
        check.show()
    if own:
        found += _run(tree, target, own, complete=not pattern)
    return totals(found)


def _must_apply(tree, mutants):
    """Refuse a table with entries that do not fit the code; name them all."""
    wrong = misfits(tree, mutants)
    for problem in wrong:
        print(problem)
    if wrong:
        raise UserError(f"entries of tools/mutants.toml that do not fit the code: {len(wrong)}",
                        "mend them")


def misfits(tree, mutants):
    """Return what is wrong with those of the `mutants` that do not fit the code in `tree`."""
    wrong = []
    for mutant in mutants:
        try:
            mutant.apply(_read(tree.path / mutant.file, mutant))
        except UserError as error:
            wrong.append(str(error))
    return wrong


def _run(tree, target, mutants, complete):
    begun = time.monotonic()
    work, family = Worktree(tree), f"mutants-{target.name}"
    prune(work, family, ["mutated"])
    build_dir = build_directory(work, family, "mutated")
    with work.at(tree.git.commit_of("HEAD"), build_dir):
        bench = _Bench(work, target.variant(family), build_dir)
        bench.clean()
        found = []
        for mutant in mutants:
            check, entry = bench.check(mutant)
            check.show()
            found.append((check, entry))
    _store(target, {"complete": complete, "seconds": round(time.monotonic() - begun),
                    "mutants": [entry for _, entry in found]})
    kinds = Counter(entry["outcome"] for _, entry in found)
    ui.note(f"{', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}; "
            f"{time.monotonic() - begun:.0f} s; {paths.results('results', REPORT)}")
    return [check for check, _ in found]


class _Bench:
    """The work tree and the build directory in which mutations are tried."""

    def __init__(self, work, target, build_dir):
        self.work, self.target, self.build_dir = work, target, build_dir
        self.mutated = set()
        self.plan = kunit.pinned_plan()

    def clean(self):
        """Build without a mutation, and see that the suites pass; take the time of a boot."""
        journal = self.build_dir / MUTATED
        for name in paths.stored(journal):
            if (self.work.path / name).exists():    # newer than what was built of its mutation
                os.utime(self.work.path / name)
        build.kunit_kernel(self.work.path, self.target, self.build_dir, self._log())
        journal.unlink(missing_ok=True)
        begun = time.monotonic()
        verdict = self._boot(plan=self.plan)
        if verdict.failures:
            raise UserError(f"the suites fail without a mutation: {verdict.failures[0]}",
                            "see `make kunit`")
        limit = round(3 * (time.monotonic() - begun)) + SPARE
        self.target = self.target.variant(self.target.name,
                                          timeout=min(limit, self.target.timeout))
        ui.note(f"without a mutation, {verdict.count('PASS')} pass; each boot is "
                f"stopped after {self.target.timeout} s")

    def check(self, mutant):
        """Try one mutation; return its Check, and its entry of the report."""
        begun, check = time.monotonic(), Check(f"mutant {mutant.name}")
        entry = asdict(mutant)
        try:
            outcome = self._try(mutant)
        except build.Failed as error:
            check.problems.append(f"it does not build, so it proves nothing: {error}")
            return check, entry | {"outcome": "build error"}
        check.problems, check.detail = verdict_on(mutant, outcome)
        return check, entry | asdict(outcome) | {
            "outcome": "equivalent" if mutant.equivalent and outcome.kind == "survived"
                       else outcome.kind,
            "seconds": round(time.monotonic() - begun, 1)}

    def _try(self, mutant):
        """Build the mutation, boot its suites and, if it survives these, all of them."""
        path = self.work.path / mutant.file
        original = _read(path, mutant)
        self.mutated.add(mutant.file)
        paths.write_atomically(self.build_dir / MUTATED, json.dumps(sorted(self.mutated)))
        try:
            paths.write_atomically(path, mutant.apply(original))
            build.make(self.work.path, self.target, self.build_dir, self._log(), "all", quiet=True)
            outcome = None
            if mutant.suites:
                outcome = self._outcome(mutant.suites)
            if not outcome or outcome.kind == "survived":
                outcome = self._outcome()
            return outcome
        finally:
            paths.write_atomically(path, original)

    def _outcome(self, pattern=""):
        try:
            return outcome_of(self._boot(pattern, None if pattern else self.plan))
        except kunit.NoResults as error:
            return Outcome("crash", str(error))

    def _boot(self, pattern="", plan=None):
        return kunit.boot(self.work.path, self.target, self.build_dir, self.target.name, pattern,
                           plan=plan, quiet=True)

    def _log(self):
        return paths.fresh_log(f"build-{self.target.name}")


def outcome_of(verdict):
    """Return the Outcome of a run with a mutation."""
    failed = verdict.failed
    if not verdict.failures:
        return Outcome("survived")
    kind = "killed"
    if any(problem.startswith(machine.HUNG) for problem in verdict.problems):
        kind = "hang"
    elif any(PANIC.search(problem) for problem in verdict.problems):
        kind = "crash"
    named = [r for r in failed if r.name]
    first = named[0].name if named else (verdict.problems or ["(no name)"])[0]
    return Outcome(kind, first, len(failed), tuple(dict.fromkeys(r.path[0] for r in named)))


def verdict_on(mutant, outcome):
    """Return the problems with an Outcome, and the words for it."""
    if not mutant.equivalent:
        problems = [] if outcome.kind != "survived" else [
            f"no suite noticed {mutant.old!r} -> {mutant.new!r} in {mutant.file}: add a row that "
            "fails, or say in tools/mutants.toml why it makes no difference"]
        return problems, str(outcome)
    if outcome.kind == "survived":
        return [], f"equivalent: {mutant.equivalent}"
    return [f"declared equivalent ({mutant.equivalent}), but it makes a difference"], str(outcome)


def load(path=None):
    """Return the mutations of the table."""
    try:
        found = [Mutant(**entry) for entry in paths.table(path or DATA).get("mutant", [])]
    except TypeError as error:
        raise UserError(f"tools/mutants.toml: {error}", "its head explains the fields") from None
    for name, count in Counter(m.name for m in found).items():
        if count > 1 or not NAME.fullmatch(name):
            raise UserError(f"tools/mutants.toml: '{name}' is no good name or is there twice",
                            "small letters, numbers and - between them")
    return found


def select(mutants, pattern):
    """Return the mutations whose names match one of `pattern`, all if it is empty; by file."""
    chosen = [m for m in mutants if not pattern
              or any(fnmatch.fnmatchcase(m.name, one) for one in pattern.split())]
    if not chosen:
        raise UserError(f"no mutation of tools/mutants.toml matches FILTER={pattern}",
                        f"known: {' '.join(m.name for m in mutants)}")
    order = {name: number for number, name in enumerate(dict.fromkeys(m.file for m in chosen))}
    return sorted(chosen, key=lambda m: order[m.file])


def _read(path, mutant):
    if not path.is_file():
        raise mutant.error(f"there is no {mutant.file}")
    return paths.read(path)


def _store(target, entry):
    """Put the report on one target into the file, or take it out."""
    path = paths.results("results", REPORT)
    report = paths.stored(path)
    report.pop(target.name, None)
    if entry:
        report[target.name] = entry
    paths.write_atomically(path, json.dumps(report, indent=1) + "\n")
