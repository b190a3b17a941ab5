# SPDX-License-Identifier: GPL-2.0-only
"""The series as it is mailed: mm/patches and the new files as commits, in the order of a review.

tools/series.toml says which new files come with a patch, and which in patches of their own behind
one. The last commit has exactly the files of the prepared tree.
"""

import fnmatch
import re
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from ..common import paths, proc
from ..common.errors import UserError
from ..tree import overlay, patches, trees
from . import grow

TABLE = paths.TOOLS / "series.toml"
HELPERS = "mm/gup_batch.h"      # comes function by function, as the walkers begin to call them
REF = "refs/gup/series"
SUITE = re.compile(r"^struct kunit_suite (\w+) = \{\n\t\.name = \"(\w+)\"", re.M)


@dataclass
class Step:
    """One patch of the mailed series: one of mm/patches with its new files, or new files alone."""

    slug: str               # of the patch in mm/patches that it is or comes behind
    files: list             # the new files that come with it
    subject: str = ""       # where it is not in mm/patches
    message: str = ""
    commit: str = ""
    suites: list = field(default_factory=list)  # the suites that there are with it


def load(slugs):
    """Return the Steps of tools/series.toml for the patches with these slugs."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    known = sorted(overlay.files())
    named = [entry["patch"] for kind in ("with", "behind") for entry in table.get(kind, [])]
    for slug in named:
        if slug not in slugs:
            raise UserError(f"tools/series.toml names the patch '{slug}', which is not in "
                            "mm/patches", f"known: {', '.join(slugs)}")
    steps = []
    for slug in slugs:
        mine = [e for e in table.get("with", []) if e["patch"] == slug]
        steps.append(Step(slug, [f for e in mine for f in _matching(e["files"], known)]))
        steps += [Step(slug, _matching(e["files"], known), e["subject"], e["message"].strip())
                  for e in table.get("behind", []) if e["patch"] == slug]
    _refuse_gaps(steps, known)
    return steps, table["grow"]


def _matching(patterns, known):
    found = []
    for pattern in patterns:
        names = fnmatch.filter(known, pattern)
        if not names:
            raise UserError(f"tools/series.toml: no file '{pattern}'", "name one that there is")
        found += names
    return found


def _refuse_gaps(steps, known):
    given = [name for step in steps for name in step.files] + [HELPERS]
    for name in known:
        if given.count(name) != 1:
            how = "in no patch" if name not in given else "in more than one patch"
            raise UserError(f"{name} is {how} of the series", "give it one in tools/series.toml")


def build(tree):
    """Make the commits of the mailed series on the base of `tree`; return the Steps."""
    pairs = trees.steps(tree)
    steps, growing = load([patches.slug(patch) for patch, _ in pairs])
    originals = {patches.slug(patch): commit for patch, commit in pairs}
    growth, stream = _Growth(tree, growing), _Stream(tree, REF, tree.state["base"])
    for step in steps:
        original = originals[step.slug]
        laid = growth.add(step, original)
        step.suites = [suite for text in laid.values() for _, suite in SUITE.findall(text)]
        stream.commit(original, laid, step)
    growth.refuse_leftovers()
    for step, commit in zip(steps, stream.write(), strict=True):
        step.commit = commit
    return steps


def prepared(tree):
    """Return the git tree of the prepared tree with its new files."""
    stream = _Stream(tree, "refs/gup/prepared", tree.state["base"])
    stream.commit(patches.BRANCH, {name: path.read_text(encoding="utf-8")
                                  for name, path in overlay.files().items()}, Step("", []))
    return tree.git.run("rev-parse", f"{stream.write()[-1]}^{{tree}}")


class _Growth:
    """Knows what there is of the new files after each step."""

    def __init__(self, tree, growing):
        self.tree = tree
        self.growing = growing
        self.ours = overlay.files()
        self.present = []           # the new files that there are
        self.laid = {}              # {name: text} of them
        self.helpers = set()        # the functions of HELPERS that are called

    def text(self, name):
        """Return the whole content of a new file."""
        return self.ours[name].read_text(encoding="utf-8")

    def add(self, step, original):
        """Go on to a step, behind or as the commit `original`; return {name: text} as it is then.

        What is for the tests only grows with them.
        """
        if not step.subject:
            self._look_for_helpers(original)
        self.present += step.files
        absent = self._absent()
        for name in self.present:
            if name not in self.laid or name in step.files or step.subject or name == HELPERS:
                text = self.text(name)
                if name in self.growing:
                    text = grow.cut(name, text, absent)
                self.laid[name] = text
        return self.laid

    def _look_for_helpers(self, original):
        """Find out which helpers the kernel's own files call from this commit on."""
        if HELPERS not in self.ours:
            return
        git = self.tree.git
        changed = git.run("diff", "--name-only", self.tree.state["base"], original).split()
        words = set().union(*(grow.words_of(git.run("show", f"{original}:{name}"))
                              for name in changed if name.endswith((".c", ".h"))))
        self.helpers |= grow.needed(self.text(HELPERS), words)
        if self.helpers and HELPERS not in self.present:
            self.present.append(HELPERS)

    def _absent(self):
        """Return the words for what is not there yet."""
        absent = set()
        for name, path in self.ours.items():
            if name in self.present:
                continue
            base = path.name
            absent |= {base, base.removesuffix(".c") + ".o"}
            if base.endswith(".c"):
                absent |= {variable for variable, _ in SUITE.findall(self.text(name))}
        if HELPERS in self.ours:
            absent |= grow.functions(self.text(HELPERS)).keys() - self.helpers
        return absent | _options(absent)

    def refuse_leftovers(self):
        """Stop if something is not whole at the end."""
        for name in self.present:
            if self.laid[name] != self.text(name):
                raise UserError(f"{name} is not whole at the end of the series",
                                "something in it is for what no file of the kernel calls, or "
                                "needs a patch of its own at the end of tools/series.toml")


class _Stream:
    """Commits for git fast-import, which needs neither index nor work tree."""

    def __init__(self, tree, ref, base):
        self.git = tree.git
        self.ref = ref
        self.base = base
        self.parts = [f"reset {ref}\nfrom {base}\n\n"]
        self.count = 0

    def commit(self, original, laid, step):
        """Add a commit with the kernel's files as in `original`, and the new files `laid`."""
        name, mail, date, message = self.git.run(
            "log", "-1", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", original).split("\0")
        if step.subject:
            message = f"{step.subject}\n\n{step.message}"
        who = f"{name} <{mail}> {date}"
        self.count += 1
        self.parts.append(f"commit {self.ref}\nmark :{self.count}\nauthor {who}\ncommitter {who}\n"
                          f"{_data(message.rstrip() + chr(10))}")
        for line in self.git.run("diff", "--raw", "--no-abbrev", "--no-renames", self.base,
                                 original).splitlines():
            (_, mode, _, blob, _), path = line.split("\t")[0].split(), line.split("\t")[1]
            self.parts.append(f"D {path}\n" if mode == "000000" else f"M {mode} {blob} {path}\n")
        self.parts += [f"M 100644 inline {path}\n{_data(text)}" for path, text in laid.items()]

    def write(self):
        """Make the commits; return their names in order."""
        with tempfile.TemporaryDirectory() as directory:
            marks = Path(directory) / "marks"
            self.git.run("fast-import", "--quiet", "--force", f"--export-marks={marks}",
                         input="".join(self.parts))
            found = dict(line.split() for line in marks.read_text(encoding="utf-8").splitlines())
        return [found[f":{number}"] for number in range(1, self.count + 1)]


def _data(text):
    return f"data {len(text.encode())}\n{text}\n"


def _options(absent):
    """Return the Kconfig options that wait for a file."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8")).get("options", {})
    return {option for option, name in table.items() if name.rpartition("/")[2] in absent}


def plain(tree, before, after):
    """Return the difference between two commits as a plain unified diff."""
    return proc.capture([*tree.git.command, "diff", "--no-renames", "--no-color", "--abbrev=12",
                         "--diff-algorithm=myers", before, after], env=tree.git.env)[1]
