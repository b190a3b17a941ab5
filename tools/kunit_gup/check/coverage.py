# SPDX-License-Identifier: GPL-2.0-only
"""How much of what the series changes do the suites run? Lines and branches, by gcov on UML.

What counts is every function that a patch touches, and mm/gup_batch.h. Only the objects with
these are instrumented, so that the kernel is otherwise the one of `make kunit`.
"""

import json
import re
import shutil
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from ..common import paths, proc, ui
from ..common.checks import Check
from ..common.errors import UserError
from ..run import build, kunit
from ..tree import overlay, patches, trees

DATA = paths.TOOLS / "coverage.toml"
PROGRAMS = {"genhtml": "lcov", "gcov": "gcc"}
FLAGS = "--coverage -fprofile-update=atomic"
# UML's linker script leaves the destructors of gcov out, so nobody would write the counts.
LINK = {"LINK-y": "--coverage -Wl,-u,__gcov_dump -Wl,-fini=__gcov_dump"}
GOALS = {"lines": 98.0, "branches": 95.0}
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass
class Source:
    """What gcov counted in one file."""

    lines: dict = field(default_factory=lambda: defaultdict(int))   # number: times it ran
    branches: dict = field(default_factory=dict)    # number: lists of the times it went each way
    functions: dict = field(default_factory=dict)   # name: (first line, last line, times)


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
    if target.arch != "um":
        raise UserError(f"make coverage is for UML, not for {target.name}", "leave out TARGET=")
    tree = trees.prepare(kdir)
    build_dir = _build(tree, target)
    _boot(tree, target, build_dir)
    counted = _gcov(tree, build_dir)
    rules = load()
    lines = select(counted, changed(_diff(tree)), lambda name: _text(tree, name))
    problems = judge(lines, rules)
    _report(tree, lines, counted)
    return [*_figures(lines), Check("every line that does not run has an argument", problems)]


def _build(tree, target):
    """Build a kernel that counts; return its directory."""
    variant = target.variant(f"coverage-{target.name}")
    build_dir = _directory(tree, target, variant)
    log = paths.fresh_log(f"build-{variant.name}")
    build.configure(tree.path, variant, build_dir, log)
    flags = [f"CFLAGS_{Path(name).stem}.o={FLAGS}" for name in instrumented(_diff(tree))]
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
           and '#include "gup_batch.h"' in path.read_text(encoding="utf-8")]
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


def _gcov(tree, build_dir):
    """Return {file in the tree: Source} of all the counts."""
    found = defaultdict(Source)
    for data in sorted(build_dir.rglob("*.gcda")):
        _, out, _ = proc.capture(["gcov", "--json-format", "--branch-probabilities", "--stdout",
                                  f"--object-directory={data.parent}", data], cwd=build_dir)
        for document in out.splitlines():
            if document.strip():
                add(found, json.loads(document), tree.path)
    return found


def add(found, document, top):
    """Add what one object gave, gcov's JSON, to {file below `top`: Source}."""
    for entry in document["files"]:
        path = Path(document["current_working_directory"], entry["file"]).resolve()
        if not path.is_relative_to(top):
            continue
        source = found[str(path.relative_to(top))]
        for function in entry["functions"]:
            name, span = function["name"], (function["start_line"], function["end_line"])
            times = source.functions.get(name, (0, 0, 0))[2] + function["execution_count"]
            source.functions[name] = (*span, times)
        here = defaultdict(list)        # a function can be there several times, inlined
        for line in entry["lines"]:
            source.lines[line["line_number"]] += line["count"]
            here[line["line_number"]] += [branch["count"] for branch in line["branches"]]
        for number, counts in here.items():
            _add_branches(source.branches.setdefault(number, []), counts)


def _add_branches(known, counts):
    """Add the branches of a line in one object: to those of another that looks the same."""
    for other in known:
        if len(other) == len(counts):
            other[:] = [a + b for a, b in zip(other, counts)]
            return
    if counts:
        known.append(counts)


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
        texts = text_of(name)
        for function, (first, last, _) in sorted(source.functions.items(), key=lambda f: f[1]):
            span = range(first, last + 1)
            if "kunit" in function or not (whole or touched.get(name, set()) & set(span)):
                continue
            found += [Line(name, number, function, texts[number - 1].strip(),
                           source.lines[number], source.branches.get(number, []))
                      for number in span if number in source.lines]
    return list({(line.file, line.number): line for line in found}.values())


@dataclass
class Rules:
    """tools/coverage.toml, which explains itself."""

    branches: list
    lines: list


def load(path=None):
    """Return the rules and arguments of the table."""
    text = (path or DATA).read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
        rules = [re.compile(rule["text"]) for rule in data.get("branches", []) if rule["reason"]]
        lines = [entry for entry in data.get("line", [])
                 if entry["reason"] and entry["file"] and entry["function"] and entry["text"]]
    except (tomllib.TOMLDecodeError, KeyError, re.error) as error:
        raise UserError(f"tools/coverage.toml: {error}", "its head explains the fields") from None
    return Rules(rules, lines)


def judge(lines, rules):
    """Mark what does not count; return what is wrong with lines that did not run."""
    for line in lines:
        if any(rule.search(line.text) for rule in rules.branches):
            line.branches_counted = False
    lacking = [line for line in lines if not line.count
               or line.branches_counted and any(0 in counts for counts in line.branches)]
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
    ways = [count for line in own if line.branches_counted
            for counts in line.branches for count in counts]
    return {"lines": (sum(bool(line.count) for line in own), len(own)),
            "branches": (sum(bool(count) for count in ways), len(ways))}


def percent(part, whole):
    """Return how much that is, rounded down to a tenth."""
    return 1000 * part // whole / 10 if whole else 0.0


def _figures(lines):
    """Return the Checks of the goals; print the one line that says it all."""
    found = figures(lines)
    functions = {(line.file, line.function) for line in lines}
    left = sum(not line.counted for line in lines)
    ways = [count for line in lines for counts in line.branches for count in counts]
    ui.note("coverage: " + ", ".join(
        f"{part} of {whole} {what} ({percent(part, whole)} %)"
        for what, (part, whole) in found.items())
        + f" of {len(functions)} functions; not counted, each for a reason in "
        f"tools/coverage.toml: {left} lines, {len(ways) - found['branches'][1]} branches")
    return [Check(f"coverage of {what}", [] if percent(*found[what]) >= goal else
                  [f"{percent(*found[what])} %, which is less than {goal}"],
                  detail=f"{percent(*found[what])} %") for what, goal in GOALS.items()]


def _report(tree, lines, counted):
    """Write build/coverage/, HTML, and build/results/coverage.json."""
    info, html = paths.results("results", "coverage.info"), paths.RESULTS / "coverage"
    paths.write_atomically(info, tracefile(lines, counted, tree.path))
    fresh = html.with_name("coverage.new")
    paths.remove(fresh)
    proc.capture(["genhtml", "--quiet", "--branch-coverage", "--title", "kunit-gup", "--prefix",
                  tree.path, "--output-directory", fresh, info])
    paths.remove(html)
    shutil.move(fresh, html)
    missed = [line.where for line in lines if not line.count]
    ways = [f"{line.where} {counts}" for line in lines for counts in line.branches
            if line.count and line.branches_counted and 0 in counts]
    paths.write_atomically(paths.results("results", "coverage.json"), json.dumps(
        {"figures": figures(lines), "lines_never_run": missed, "branches_never_taken": ways},
        indent=1) + "\n")
    ui.note(f"as HTML: {html / 'index.html'}")


def tracefile(lines, counted, top):
    """Return the lines as a tracefile of lcov."""
    out, names = [], sorted({line.file for line in lines})
    for name in names:
        own = sorted((line for line in lines if line.file == name), key=lambda n: n.number)
        out += ["TN:kunit_gup", f"SF:{top / name}"]
        for function in sorted({line.function for line in own}):
            first, _, times = counted[name].functions[function]
            out += [f"FN:{first},{function}", f"FNDA:{times},{function}"]
        for line in own:
            if line.counted and line.branches_counted:
                ways = [count for counts in line.branches for count in counts]
                out += [f"BRDA:{line.number},0,{i},{count}" for i, count in enumerate(ways)]
        out += [f"DA:{line.number},{line.count}" for line in own if line.counted]
        out.append("end_of_record")
    return "\n".join(out) + "\n"


def _text(tree, name):
    return (tree.path / name).read_text(encoding="utf-8").splitlines()
