# SPDX-License-Identifier: GPL-2.0-only
"""`make recipes`: README's recipes for a row, a suite, a mutation and a target are followed.

In the second work tree, so that neither the repository nor the prepared tree is touched. The
recipe for a patch is followed by the tests of the tools.
"""

import contextlib
import re
import tempfile
import textwrap
from pathlib import Path

from ..common import paths
from ..common.checks import Check
from ..common.errors import UserError
from ..run import build, kunit, steps, targets
from ..tree import trees
from ..tree.worktree import Worktree, build_directory
from . import mutants

README = paths.REPO / "README.md"
NAME = "example"


def run(target, kdir=None):
    """Follow the recipes on `target`; return the Checks."""
    tree = trees.prepare(kdir, strict=True)
    text = paths.read(README)
    row, suite = Row(recipe(text, "A row")), Suite(recipe(text, "A suite"))
    mutant = _mutant(block(recipe(text, "A mutation")))
    other = _target(block(recipe(text, "A target")))
    work = Worktree(tree)
    build_dir = build_directory(work, steps.family(target), "recipes")
    with work.at(tree.git.commit_of("HEAD"), build_dir) as path, _laid(path, row, suite, mutant):
        trial = _Trial(path, target, build_dir)
        build.kunit_kernel(path, target, build_dir, trial.log())
        good = trial.results("gup_fast")
        found = [Check("README's row", expected(good, row.name, "PASS")),
                 Check("README's suite", suite.problems(trial.results(suite.suite))),
                 trial.on(other)]
        file = path / mutant.file
        paths.write_atomically(file, mutant.apply(paths.read(file)))
        build.make(path, target, build_dir, trial.log(), "all")
        bad = trial.results(mutant.suites)
        found += [Check("README's row sees README's mutation", expected(bad, row.name, "FAIL")),
                  Check("README's failing row", missing(sample(text), trial.printed()))]
    return found


class _Trial:
    """The kernel that follows the recipes."""

    def __init__(self, path, target, build_dir):
        self.path, self.target, self.build_dir = path, target, build_dir

    def log(self):
        return paths.fresh_log("build-recipes")

    def printed(self):
        """Return what kunit.py printed about the last run."""
        return paths.read(paths.results("logs", "kunit-recipes.log"))

    def results(self, pattern, target=None):
        return kunit.boot(self.path, target or self.target, self.build_dir, "recipes", pattern,
                          quiet=True).results

    def on(self, other):
        """Boot the kernel as `other`, which differs in what is not built; return the Check."""
        check = Check("README's target")
        if (other.arch, other.config) != (self.target.arch, self.target.config):
            check.skipped = f"{other.name} is another kernel than {self.target.name}"
            return check
        results = self.results("gup_fast", other)
        check.problems = [f"{r.name}: FAIL" for r in results if r.failed]
        if not results:
            check.problems.append("no test ran")
        return check


class Row:
    """The recipe for a row."""

    def __init__(self, text):
        self.text = block(text)
        self.name = _find(r'\.name = "([^"]+)"', self.text, "the name of a row")
        self.array = _find(r"`(\w+_rows)`", text, "an array of rows")
        self.file = _find(r"`(lib/kunit-gup/\S+\.c)`", text, "the file of the array")

    def files(self, read):
        """Return {file: text}: the array with the row at its end."""
        text = read(self.file)
        found = re.search(rf"\b{self.array}\[\] = \{{.*?^(?=\}};)", text, re.M | re.S)
        if not found:
            raise UserError(f"README's row: no {self.array} in {self.file}", "name another")
        return {self.file: text[:found.end()] + textwrap.indent(self.text, "\t") + "\n"
                + text[found.end():]}


class Suite:
    """The recipe for a suite: another one under a new name."""

    def __init__(self, text):
        self.model = _find(r"`(lib/kunit-gup/\S+_kunit\.c)`", text, "a suite to copy")
        self.old = _find(r"gup_(\w+)_kunit\.c", self.model, "the name of a suite")
        self.file = self.model.replace(self.old, NAME)
        self.suite = f"gup_{NAME}"
        self.rows = 0

    def files(self, read):
        """Return {file: text}: the copy, and the Makefile with a line for it."""
        makefile, text = "lib/kunit-gup/Makefile", read(self.model)
        line = re.search(rf".*{self.old}_kunit\.o\n", made := read(makefile))
        self.rows = text.count(".name = ") - 1      # the last one is the suite's
        return {self.file: text.replace(self.old, NAME),
                makefile: made.replace(line[0], line[0] + line[0].replace(self.old, NAME))}

    def problems(self, results):
        """Return what is wrong with the results of the copy."""
        if len(results) < self.rows:
            return [f"{self.suite}: {len(results)} results, and {self.rows} rows"]
        return [f"{r.name}: {r.status}" for r in results if r.status != "PASS"]


def recipe(text, title):
    """Return the paragraphs of README behind this title."""
    found = re.search(rf"^\*\*{title}\.\*\*(.*?)(?=^\*\*|^## )", text, re.M | re.S)
    if not found:
        raise UserError(f"README.md has no '**{title}.**'", f"see {Path(__file__).name}")
    return found[1]


def block(text):
    """Return the first indented block of a recipe."""
    return textwrap.dedent(_find(r"((?:^    .*\n)+)", text, "an example")).rstrip()


def sample(text):
    """Return the lines of README that show a row which fails."""
    return block(text[text.index("A failing row looks like this."):]).splitlines()


def missing(lines, printed):
    """Return which of the `lines` were not printed; the number of a line of C may differ."""
    def same(line):
        return re.sub(r"\.c:\d+", ".c", line.strip())

    there = {same(re.sub(r"^\[[\d:]+\] ", "", line)) for line in printed.splitlines()}
    return [f"not printed: {line.strip()}" for line in lines if same(line) not in there]


def expected(results, name, status):
    """Return the problems if the row `name` does not have this status, and only it if PASS."""
    rows = [r for r in results if r.name.endswith(f".{name}")]
    if len(rows) != 1:
        return [f"{len(rows)} rows are named '{name}'"]
    if rows[0].status != status:
        return [f"{rows[0].name}: {rows[0].status}, not {status}"]
    return [f"{r.name}: FAIL" for r in results if r.failed] if status == "PASS" else []


def _find(pattern, text, what):
    found = re.search(pattern, text, re.M)
    if not found:
        raise UserError(f"README.md: a recipe lacks {what}", f"see {Path(__file__).name}")
    return found[1]


def _with(table, text):
    """Give the path of a copy of a table of tools/ with `text` at its end, in the context."""
    copy = tempfile.NamedTemporaryFile("w+", suffix=".toml", encoding="utf-8")
    copy.write(f"{paths.read(paths.TOOLS / table)}\n{text}\n")
    copy.flush()
    return copy


def _mutant(text):
    with _with("mutants.toml", text) as copy:
        return mutants.load(Path(copy.name))[-1]


def _target(text):
    with _with("targets.toml", text) as copy:
        return list(targets.table(Path(copy.name)).values())[-1]


@contextlib.contextmanager
def _laid(path, row, suite, mutant):
    """Lay what the recipes change into the tree at `path`, and put it back after the context."""
    def read(name):
        return paths.read(path / name)

    # The file that will be mutated is written too, so that it is newer than its mutated object.
    changed = row.files(read) | suite.files(read) | {mutant.file: read(mutant.file)}
    old = {name: read(name) for name in changed if (path / name).exists()}
    try:
        for name, text in changed.items():
            paths.write_atomically(path / name, text)
        yield
    finally:
        for name, text in old.items():
            paths.write_atomically(path / name, text)
        for name in changed.keys() - old.keys():
            (path / name).unlink(missing_ok=True)
