# SPDX-License-Identifier: GPL-2.0-only
"""`make litmus`: the lockless steps of GUP-fast, as herd7 and the kernel's memory model see them.

Each test in lib/kunit-gup/litmus says what must come out. NAME-broken*.litmus differ from
NAME.litmus in one line, and show that it is needed.
"""

import re
import shutil
from pathlib import Path

from ..common import paths, proc, ui
from ..common.checks import Check
from ..common.errors import UserError
from ..tree import overlay, trees

DIRECTORY = "lib/kunit-gup/litmus"
MODEL = "tools/memory-model"            # in the tree; herd7 runs there
CONFIG = "linux-kernel.cfg"
RESULT = re.compile(r"^ \* Result: (Never|Sometimes|Always)$", re.M)
OBSERVED = re.compile(r"^Observation (\S+) (Never|Sometimes|Always)\b")
TWIN = re.compile(r"-broken(-[a-z0-9-]+)?$")
COMMENT = re.compile(r"\(\*\s.*?\*\)|//[^\n]*", re.S)     # and not READ_ONCE(*pte)
NAMED = re.compile(r"(?<![\w-])([a-z][a-z0-9-]*)\.litmus\b")
LIMIT = 600                             # seconds for one test
HOW = ("needs OCaml: `opam install herdtools7`, see tools/memory-model/README of a kernel; "
       "HERD=/path/herd7 names one")


def run(kdir=None, herd=""):
    """Check the files, and run each of them with herd7, if there is one; return the Checks."""
    texts = tests()
    found = rules(texts)
    program = find(herd)
    if not program:
        return [*found, Check("litmus tests", skipped=f"there is no herd7, which {HOW}")]
    model = trees.prepare(kdir).path / MODEL
    if not (model / CONFIG).exists():
        return [*found, Check("litmus tests", [f"the kernel tree has no {MODEL}/{CONFIG}"])]
    log = paths.fresh_log("litmus")
    progress = ui.Progress("running the litmus tests")
    for name, text in texts.items():
        progress.update(name)
        found.append(_outcome(name, text, program, model, log))
    progress.done(f"{len(texts)} tests")
    return found


def tests():
    """Return {name: text} of the litmus tests."""
    return {path.stem: paths.read(path)
            for path in sorted((paths.REPO / DIRECTORY).glob("*.litmus"))}


def find(herd=""):
    """Return the path of herd7, of HERD= or on PATH; None if there is none and none was named."""
    path = shutil.which(herd or "herd7")
    if not path and herd:
        raise UserError(f"HERD={herd} is no program", "name a herd7, or leave HERD= out")
    if path:
        path = Path(path).absolute()    # it runs in another directory
        code, out, err = proc.capture([path, "-version"], check=False)
        if code:
            why = ((err or out).strip().splitlines() or [f"exit code {code}"])[-1]
            raise UserError(f"{herd or path} does not start: {why}",
                            "install what it needs, or name another one with HERD=")
    return path


def _outcome(name, text, program, model, log):
    """Run one test; return its Check, with what herd7 says."""
    lines = []
    code = proc.logged([program, "-conf", CONFIG, paths.REPO / DIRECTORY / f"{name}.litmus"],
                       log, lines.append, LIMIT, cwd=model)
    said = [found[2] for found in map(OBSERVED.match, lines) if found and found[1] == name]
    check = Check(f"litmus {name}", detail=said[-1] if said else "")
    if code is None:
        check.problems = [f"herd7 was stopped after {LIMIT} seconds"]
    elif code or not said:
        last = [line.strip() for line in lines if line.strip()][-1:] or [f"exit code {code}"]
        check.problems = [f"herd7 gives no outcome: {last[0]}"]
    elif said[-1] != expectation(text):
        check.problems = [f"herd7 says {said[-1]}, the file {expectation(text) or 'nothing'}"]
    return check


def expectation(text):
    """Return what a test says must come out, or None."""
    found = RESULT.findall(text)
    return found[0] if len(found) == 1 else None


def rules(texts):
    """Return the Checks of the files alone."""
    page = paths.REPO / overlay.ELSEWHERE[overlay.PAGE]
    readme = paths.REPO / DIRECTORY / "README"
    return [Check("each litmus test says what comes out", _results(texts)),
            Check("each litmus test has a twin", _twins(texts)),
            Check("gup_batch.rst and README name each litmus test",
                  [*_named(texts, page), *_named(texts, readme, twins=False)])]


def _results(texts):
    problems = [] if texts else [f"{DIRECTORY} has none"]
    for name, text in texts.items():
        if not text.startswith(f"C {name}\n"):
            problems.append(f"{name}.litmus does not begin with 'C {name}'")
        want = "Sometimes" if TWIN.search(name) else "Never"
        if expectation(text) != want:
            problems.append(f"{name}.litmus has no line ' * Result: {want}'")
    return problems


def _twins(texts):
    """Return what is wrong with the pairs: one line must be all that a twin differs in."""
    problems, seen = [], set()
    for name in filter(TWIN.search, texts):
        right = TWIN.sub("", name)
        seen.add(right)
        if right not in texts:
            problems.append(f"{name}.litmus is the twin of no test: there is no {right}.litmus")
            continue
        one, two = _code(texts[right]), _code(texts[name])
        if one == two:
            problems.append(f"{name}.litmus does not differ from {right}.litmus")
        elif not any(a == b for a in _without_one(one) for b in _without_one(two)):
            problems.append(f"{name}.litmus differs from {right}.litmus in more than one line")
    return problems + [f"{name}.litmus has no twin {name}-broken.litmus"
                       for name in texts if not TWIN.search(name) and name not in seen]


def _without_one(lines):
    """Return `lines`, and what is left of them without one."""
    return [lines, *(lines[:i] + lines[i + 1:] for i in range(len(lines)))]


def _code(text):
    """Return the lines of a test without its name, comments and blank lines."""
    lines = [" ".join(line.split()) for line in COMMENT.sub("", text).splitlines()[1:]]
    return [line for line in lines if line]


def _named(texts, path, twins=True):
    """Return which tests the file at `path` does not name, and which it names that are not."""
    name = path.relative_to(paths.REPO)
    if not path.exists():
        return [f"{name} is missing"]
    said = set(NAMED.findall(paths.read(path)))
    missing = [test for test in texts if test not in said and (twins or not TWIN.search(test))]
    return [*(f"{name} does not name {test}.litmus" for test in missing),
            *(f"{name} names {test}.litmus, which is not there" for test in sorted(said)
              if test not in texts)]
