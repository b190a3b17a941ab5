# SPDX-License-Identifier: GPL-2.0-only
"""How much of what the series changes do the suites run? Lines and branches, by lcov on UML.

What counts is every function that a patch touches, and mm/gup_batch.h. Only the objects with
these are instrumented, so that the kernel is otherwise the one of `make kunit`.
"""

import json
import re
import shutil
from collections import defaultdict
from dataclasses import dataclass, field

from ..common import paths, proc, ui
from ..common.checks import Check
from ..common.errors import UserError
from ..run import build, kunit
from ..tree import overlay, patches, trees
from .code import functions

DATA = paths.TOOLS / "coverage.toml"
PROGRAMS = {"lcov": "lcov", "genhtml": "lcov", "gcov": "gcc"}
BRANCHES = ("--rc", "lcov_branch_coverage=1")
FLAGS = "--coverage -fprofile-update=atomic"
# UML's linker script leaves the destructors of gcov out, so nobody would write the counts.
LINK = {"LINK-y": "--coverage -Wl,-u,__gcov_dump -Wl,-fini=__gcov_dump"}
GOALS = {"lines": 98.0, "branches": 95.0}
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass
class Source:
    """What was counted in one file."""

    lines: dict = field(default_factory=dict)       # number: times it ran
    branches: dict = field(default_factory=lambda: defaultdict(list))   # number: times each way


@dataclass
class Line:
    """A line that counts, with what is said about it."""

    file: str
    number: int
    function: str
    text: str
    count: int
    branches: list
    counted: bool = True            # it can be reached here
    branches_counted: bool = True

    @property
    def where(self):
        """Return how the line is named in a problem."""
        return f"{self.file}:{self.number} in {self.function}(): {self.text}"


def run(target, kdir=None):
    """Build, boot and count; return the Checks."""
    tree = trees.prepare(kdir)
    build_dir = _build(tree, target)
    _boot(tree, target, build_dir)
    info = paths.results("results", "coverage.info")
    proc.capture(["lcov", "--quiet", *BRANCHES, "--capture", "--directory", build_dir,
                  "--output-file", info])
    trace = paths.read(info).replace(f"SF:{tree.path}/", "SF:")
    rules = load()
    lines = select(read(trace), changed(_diff(tree)), lambda name: paths.read(tree.path / name))
    problems = judge(lines, rules)
    paths.write_atomically(info, counted_only(trace, lines).replace("SF:", f"SF:{tree.path}/"))
    _report(tree, lines, info)
    return [*_figures(lines), Check("every line that does not run has an argument", problems)]


def _build(tree, target):
    """Build a kernel that counts; return its directory."""
    variant = target.variant(f"coverage-{target.name}")
    build_dir = _directory(tree, target, variant)
    log = paths.fresh_log(f"build-{variant.name}")
    build.configure(tree.path, variant, build_dir, log)
    names = [re.sub(r"^(mm|lib/kunit-gup)/", "", name) for name in instrumented(_diff(tree))]
    flags = [f"CFLAGS_{name.removesuffix('.c')}.o={FLAGS}" for name in names]
    # One goal only: for several, make asks a shell, which drops a variable of such a name.
    build.make(tree.path, variant, build_dir, log, *flags, "all", env=LINK)
    return build_dir


def _directory(tree, target, variant):
    """Return the build directory; a new one begins as a copy of that of `make kunit`."""
    build_dir, plain = (paths.build(tree.name, t.name) for t in (variant, target))
    if not build_dir.exists() and (plain / ".config").exists():
        unfinished = build_dir.with_name(f"{build_dir.name}.new")
        paths.remove(unfinished)
        proc.capture(["cp", "-a", "--reflink=auto", plain, unfinished])
        unfinished.rename(build_dir)
    return build_dir


def instrumented(diff):
    """Return the C files that are built to be counted."""
    own = [name for name, path in overlay.files().items() if name.endswith(".c")
           and '#include "gup_batch.h"' in paths.read(path)]
    return sorted([name for name in changed(diff) if name.endswith(".c")] + own)


def _boot(tree, target, build_dir):
    """Run all suites; the counts are written when the kernel ends."""
    for old in build_dir.rglob("*.gcda"):
        old.unlink()
    verdict = kunit.boot(tree.path, target, build_dir, f"coverage-{target.name}",
                          plan=kunit.pinned_plan(), quiet=True)
    if verdict.failures:
        raise UserError(f"the suites fail: {verdict.failures[0]}", "see `make kunit`")
    if not any(build_dir.rglob("*.gcda")):
        raise UserError("the kernel wrote no counts", f"see {build_dir / 'test.log'}")


def read(trace):
    """Return {file: Source} of a trace of lcov."""
    found, source = {}, None
    for line in trace.splitlines():
        kind, _, rest = line.partition(":")
        fields = rest.split(",")
        if kind == "SF":
            source = found.setdefault(rest, Source())
        elif kind == "DA":
            source.lines[int(fields[0])] = int(fields[1])
        elif kind == "BRDA":
            source.branches[int(fields[0])].append(int(fields[3].replace("-", "0")))
    return found


def _diff(tree):
    return tree.git.run("diff", "-U0", patches.BASE, "--", "*.c", "*.h")


def changed(diff):
    """Return {file: line numbers} that a diff without context adds, or beside which it removes."""
    found, name = defaultdict(set), ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line.removeprefix("+++ b/")
        elif match := HUNK.match(line):
            first, count = int(match[1]), int(match[2] or 1)
            found[name] |= set(range(first, first + max(count, 1)))
    return found


def select(counted, touched, text_of):
    """Return the Lines that count: those of functions that the series touches or brings.

    What it touches outside mm/ is called from objects that are not instrumented.
    """
    found = []
    for name, source in sorted(counted.items()):
        if not name.startswith("mm/"):
            continue
        whole = name in overlay.files() and name.startswith("mm/") and "kunit" not in name
        text = text_of(name)
        for function in functions(text):
            first = text.count("\n", 0, function.start) + 1
            span = range(first, first + text.count("\n", function.start, function.end) + 1)
            if "kunit" in function.name or not (whole or touched.get(name, set()) & set(span)):
                continue
            found += [Line(name, number, function.name, text.splitlines()[number - 1].strip(),
                           source.lines[number], source.branches[number])
                      for number in span if number in source.lines]
    return found


@dataclass
class Rules:
    """tools/coverage.toml, which explains itself."""

    branches: list
    lines: list


def load(path=None):
    """Return the rules and arguments of the table."""
    data = paths.table(path or DATA)
    try:
        rules = [re.compile(rule["text"]) for rule in data.get("branches", []) if rule["reason"]]
        lines = [entry for entry in data.get("line", [])
                 if entry["reason"] and entry["file"] and entry["function"] and entry["text"]]
    except (KeyError, re.error) as error:
        raise UserError(f"tools/coverage.toml: {error}", "its head explains the fields") from None
    return Rules(rules, lines)


def judge(lines, rules):
    """Mark what does not count; return what is wrong with lines that did not run."""
    for line in lines:
        if any(rule.search(line.text) for rule in rules.branches):
            line.branches_counted = False
    lacking = [line for line in lines if not line.count
               or line.branches_counted and 0 in line.branches]
    argued, problems = set(), []
    for entry in rules.lines:
        found = [line for line in lacking if (line.file, line.function, line.text)
                 == (entry["file"], entry["function"], entry["text"])]
        if len(found) != 1:
            problems.append(f"tools/coverage.toml: '{entry['text']}' in {entry['function']}() is "
                            f"not one line that lacks anything, but {len(found)}; mend the entry")
        for line in found:
            argued.add(line.where)
            line.branches_counted = False
            line.counted = bool(line.count) or not entry.get("elsewhere")
    return problems + [f"{line.where}: never run; add a row that runs it, or say in "
                       "tools/coverage.toml why there is none"
                       for line in lacking if not line.count and line.where not in argued]


def figures(lines):
    """Return {what: (run, all)} of the lines and branches that count."""
    own = [line for line in lines if line.counted]
    ways = [count for line in own if line.branches_counted for count in line.branches]
    return {"lines": (sum(bool(line.count) for line in own), len(own)),
            "branches": (sum(bool(count) for count in ways), len(ways))}


def percent(part, whole):
    """Return how much that is, rounded down to a tenth."""
    return 1000 * part // whole / 10 if whole else 0.0


def _figures(lines):
    """Return the Checks of the goals; print the one line that says it all."""
    found = figures(lines)
    names = {(line.file, line.function) for line in lines}
    left = sum(not line.counted for line in lines)
    ways = sum(len(line.branches) for line in lines)
    ui.note("coverage: " + ", ".join(
        f"{part} of {whole} {what} ({percent(part, whole)} %)"
        for what, (part, whole) in found.items())
        + f" of {len(names)} functions; not counted, each for a reason in "
        f"tools/coverage.toml: {left} lines, {ways - found['branches'][1]} branches")
    return [Check(f"coverage of {what}", [] if percent(*found[what]) >= goal else
                  [f"{percent(*found[what])} %, which is less than {goal}"],
                  detail=f"{percent(*found[what])} %") for what, goal in GOALS.items()]


def _report(tree, lines, info):
    """Write build/coverage/, HTML of the trace `info`, and build/results/coverage.json."""
    html = paths.RESULTS / "coverage"
    fresh = html.with_name("coverage.new")
    paths.remove(fresh)
    proc.capture(["genhtml", "--quiet", *BRANCHES, "--title", "kunit-gup", "--prefix",
                  tree.path, "--output-directory", fresh, info])
    paths.remove(html)
    shutil.move(fresh, html)
    missed = [line.where for line in lines if not line.count]
    ways = [f"{line.where} {line.branches}" for line in lines
            if line.count and line.branches_counted and 0 in line.branches]
    paths.write_atomically(paths.results("results", "coverage.json"), json.dumps(
        {"figures": figures(lines), "lines_never_run": missed, "branches_never_taken": ways},
        indent=1) + "\n")
    ui.note(f"as HTML: {html / 'index.html'}")


def counted_only(trace, lines):
    """Return what a trace of lcov says of the lines and branches that count."""
    own = {(line.file, line.number): line for line in lines if line.counted}
    named = {(line.file, line.function) for line in own.values()}
    out, name = [], ""
    for text in trace.splitlines():
        kind, _, rest = text.partition(":")
        first, _, last = rest.partition(",")
        if kind == "SF":
            name = rest
        if kind in ("TN", "SF", "end_of_record") \
                or kind in ("FN", "FNDA") and (name, last) in named \
                or kind == "DA" and (name, int(first)) in own \
                or kind == "BRDA" and (name, int(first)) in own \
                and own[name, int(first)].branches_counted:
            out.append(text)
    return re.sub(r"^(TN:.*\n)?SF:.*\nend_of_record\n", "", "\n".join(out) + "\n", flags=re.M)
