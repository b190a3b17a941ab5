# SPDX-License-Identifier: GPL-2.0-only
"""Decide from kunit.py's JSON and the kernel log whether a run is good.

kunit.py alone accepts a run that lost suites, skipped too much, or had warnings.
"""

import fnmatch
import re
from collections import Counter
from dataclasses import dataclass, field

NAME = re.compile(r"[a-z0-9_]+")
ROW_NAME = re.compile(r"[a-z0-9_ ]+")
NAME_MAX = 127
BAD_LOG = re.compile(r"WARNING:|BUG:|kernel BUG|KASAN: |KCSAN: |UBSAN: |INFO: |possible circular|"
                     r"Kernel panic|Oops|Unable to handle kernel")
# Lines in which the words stand without being a report.
HARMLESS_LOG = re.compile(r"KTAP|^\s*#|^\s*(not )?ok ")
STAMP = re.compile(r"^(\[[ 0-9.]+\](\[ *[TC]\d+\])? )?")


@dataclass(frozen=True)
class Result:
    """One leaf: a case, or a row of a parameterised case."""

    path: tuple         # (suite, case) or (suite, case, row)
    status: str         # PASS, FAIL, SKIP or ERROR
    reason: str = ""    # why it was skipped, in the kernel's words

    @property
    def failed(self):
        """Return whether it failed, or the kernel did."""
        return self.status in ("FAIL", "ERROR")

    @property
    def name(self):
        """Return the dotted name, as KernelCI would write it."""
        return ".".join(self.path)


@dataclass
class Verdict:
    """What a run gave, and what is wrong with it."""

    results: list
    problems: list = field(default_factory=list)

    def count(self, status):
        """Return how many leaves have the status."""
        return sum(r.status == status for r in self.results)

    @property
    def failed(self):
        """Return the leaves that failed."""
        return [r for r in self.results if r.failed]

    @property
    def failures(self):
        """Return every problem, and the name of every leaf that failed."""
        return self.problems + [f"{r.status} {r.name}" for r in self.failed]

    @property
    def totals(self):
        """Return (passed, failed, skipped); a problem counts as one that failed."""
        return self.count("PASS"), len(self.failures), self.count("SKIP")

    def text(self):
        """Return how many leaves passed, failed and were skipped, in words."""
        return (f"{self.count('PASS')} passed, {len(self.failed)} failed, "
                f"{self.count('SKIP')} skipped")


def leaves(group, reasons=None, path=()):
    """Return the results below a group of kunit.py's JSON; `reasons` are those of skips."""
    reasons = reasons or {}
    found = [Result((*path, case["name"]), case["status"],
                    reasons.get((*path, case["name"]), "")) for case in group["test_cases"]]
    for sub in group["sub_groups"]:
        found += leaves(sub, reasons, (*path, sub["name"]))
    return found


def skip_reasons(suite, path=()):
    """Return {path: reason} of the skips below a <testsuite> of kunit.py's JUnit file."""
    found = {}
    for child in suite:
        inner = (*path, child.get("name"))
        if child.tag == "testsuite":
            found |= skip_reasons(child, inner)
        elif child.find("skipped") is not None:
            found[inner] = (child.find("skipped").text or "").strip()
    return found


def plan_of(results):
    """Return {suite: {case: number of rows}}; a case without parameters has one."""
    plan = {}
    for result in results:
        if len(result.path) >= 2:
            suite = plan.setdefault(result.path[0], {})
            suite[result.path[1]] = suite.get(result.path[1], 0) + 1
    return plan


def judge(results, log, allowed_skips=(), plan=None):
    """Return the Verdict on a run: its results, kernel log, and the plan unless it was filtered."""
    skips = [r for r in results if r.status == "SKIP"]
    problems = [] if results else ["no test ran"]
    problems += bad_names(results)
    problems += [f"{r.name}: skipped ({r.reason}), and tools/targets.toml does not declare it"
                 for r in skips if not any(allows(entry, r) for entry in allowed_skips)]
    problems += bad_log_lines(log)
    if plan is not None:
        problems += [f"tools/targets.toml declares a skip that did not happen: {entry}"
                     for entry in allowed_skips if not any(allows(entry, r) for r in skips)]
        problems += plan_differences(plan, plan_of(results))
    return Verdict(results, problems)


def bad_names(results):
    """Return what is wrong with names: these rules are KernelCI's, which drops such results."""
    problems = []
    for name, count in Counter(r.path for r in results).items():
        if count > 1:
            problems.append(f"{'.'.join(name)}: {count} results with this name")
        shapes = [NAME, NAME, ROW_NAME][:len(name)] + [ROW_NAME] * (len(name) - 3)
        for part, shape in zip(name, shapes):
            if not part.strip():
                problems.append(f"{'.'.join(name[:-1])}: a result without a name")
            elif not shape.fullmatch(part):
                problems.append(f"{'.'.join(name)}: characters outside [a-z0-9_] in '{part}'")
            if "setup" in part:
                problems.append(f"{'.'.join(name)}: 'setup' in a name is dropped by KernelCI")
            if len(part) > NAME_MAX:
                problems.append(f"{'.'.join(name)}: longer than {NAME_MAX} characters")
    return problems


def bad_log_lines(log):
    """Return the lines of a kernel log that report a fault."""
    return [f"kernel log: {line.strip()}" for line in log.splitlines()
            if BAD_LOG.search(line) and not HARMLESS_LOG.search(STAMP.sub("", line))]


def losses(plan, found):
    """Return what the pinned plan has and did not run."""
    problems = []
    for suite, cases in plan.items():
        if suite not in found:
            problems.append(f"{suite}: suite is missing ({len(cases)} cases)")
            continue
        for case, rows in cases.items():
            have = found[suite].get(case, 0)
            if have < rows:
                problems.append(f"{suite}.{case}: {have} of {rows} rows")
    return problems


def plan_differences(plan, found):
    """Return how the cases that ran differ from the pinned plan."""
    problems = losses(plan, found)
    for suite, cases in found.items():
        for case, rows in cases.items():
            pinned = plan.get(suite, {}).get(case, 0)
            if rows > pinned:
                problems.append(f"{suite}.{case}: {rows} rows, {pinned} pinned; run `make plan`")
    return problems


def allows(entry, result):
    """Return whether a declared skip covers `result`: by name, and by the kernel's reason."""
    return matches(result, entry.get("name", "*")) \
        and entry.get("reason", result.reason) == result.reason


def matches(result, pattern):
    """Return whether `pattern` names the suite, the case or the row of `result`."""
    return any(fnmatch.fnmatchcase(".".join(result.path[:n]), pattern)
               for n in range(1, len(result.path) + 1))
