# SPDX-License-Identifier: GPL-2.0-only
"""The series as it is mailed: mm/patches and the new files as commits, in the order of a review.

tools/series.toml says which new files come with a patch, and which in patches of their own behind
one. A file comes whole; only a Makefile and a Kconfig grow, by the lines about files that are not
there yet. The last commit has exactly the files of the prepared tree.
"""

import fnmatch
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ..common import paths, proc
from ..common.errors import UserError
from ..tree import overlay, patches, trees

TABLE = paths.TOOLS / "series.toml"
REF = "refs/gup/series"
OBJECT = re.compile(r" ([\w/]+)\.o\b")
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.M)
SUITES_ON = "config GUP_KUNIT_TEST\n"       # without it in a Kconfig, no suite is built


@dataclass
class Step:
    """One patch of the mailed series: one of mm/patches with its new files, or new files alone."""

    slug: str               # of the patch in mm/patches that it is or comes behind
    files: list             # the new files that come with it
    subject: str = ""       # where it is not in mm/patches
    message: str = ""
    commit: str = ""
    suites: list = field(default_factory=list)  # the suites that there are with it


def table():
    """Return the content of tools/series.toml."""
    return paths.table(TABLE)


def load(slugs):
    """Return the Steps of tools/series.toml for the patches with these slugs."""
    entries, known = table(), sorted(overlay.files())
    for slug in (e["patch"] for kind in ("with", "behind") for e in entries.get(kind, [])):
        if slug not in slugs:
            raise UserError(f"tools/series.toml names the patch '{slug}', which is not in "
                            "mm/patches", f"known: {', '.join(slugs)}")
    steps = []
    for slug in slugs:
        mine = [e for e in entries.get("with", []) if e["patch"] == slug]
        steps.append(Step(slug, [f for e in mine for f in _matching(e["files"], known)]))
        steps += [Step(slug, _matching(e["files"], known), e["subject"], e["message"].strip())
                  for e in entries.get("behind", []) if e["patch"] == slug]
    given = [name for step in steps for name in step.files]
    for name in known:
        if given.count(name) != 1:
            how = "in no patch" if name not in given else "in more than one patch"
            raise UserError(f"{name} is {how} of the series", "give it one in tools/series.toml")
    return steps


def _matching(patterns, known):
    found = []
    for pattern in patterns:
        names = fnmatch.filter(known, pattern)
        if not names:
            raise UserError(f"tools/series.toml: no file '{pattern}'", "name one that there is")
        found += names
    return found


def build(tree):
    """Make the commits of the mailed series on the base of `tree`; return the Steps."""
    originals = {patches.slug(patch): commit for patch, commit in trees.steps(tree)}
    steps, whole, present = load(list(originals)), texts(), set()
    stream = Stream(tree, REF, tree.state["base"])
    for step in steps:
        present.update(step.files)
        laid = cut_all(whole, present)
        _refuse_early(step, laid, whole.keys() - present)
        if any(SUITES_ON in text for name, text in laid.items() if name.endswith("Kconfig")):
            step.suites = [suite for text in laid.values() for suite in overlay.suites(text)]
        stream.commit(originals[step.slug], laid, step)
    for step, commit in zip(steps, stream.write(), strict=True):
        step.commit = commit
    return steps


def prepared(tree):
    """Return the git tree of the prepared tree with its new files."""
    stream = Stream(tree, "refs/gup/prepared", tree.state["base"])
    stream.commit(patches.BRANCH, texts(), Step("", []))
    return tree.git.run("rev-parse", f"{stream.write()[-1]}^{{tree}}")


def texts():
    """Return {name: text} of the new files of the repository."""
    return {name: path.read_text(encoding="utf-8") for name, path in overlay.files().items()}


def cut_all(whole, present):
    """Return {name: text} of the new files that are `present`, of {name: text} of the `whole`."""
    return {name: cut(name, whole[name], whole.keys() - present) for name in sorted(present)}


def cut(name, text, absent):
    """Return a new file as it is while the files `absent` are not there yet."""
    if name.endswith("/Makefile"):
        return _makefile(text, {str(PurePath(other).relative_to(PurePath(name).parent))
                                for other in absent
                                if PurePath(name).parent in PurePath(other).parents})
    if name.endswith("/Kconfig"):
        waiting = {option for option, pattern in table().get("options", {}).items()
                   if fnmatch.filter(absent, pattern)}
        parts = re.split(r"^(?=config )", text, flags=re.M)
        kept = [part for part in parts if not part.startswith("config ")
                or part.split()[1] not in waiting]
        return "".join(kept).rstrip("\n") + "\n"
    return text


def _makefile(text, absent):
    """Return a Makefile without the objects of the files `absent`, named from its folder."""
    lines = []
    for line in text.splitlines():
        kept = OBJECT.sub(lambda m: "" if f"{m[1]}.c" in absent else m[0], line)
        if kept == line or not kept.endswith("="):
            lines.append(kept)
    return "\n".join(lines) + "\n"


def _refuse_early(step, laid, absent):
    """Stop if a file comes before a header of ours that it includes."""
    late = {PurePath(name).name for name in absent} - {PurePath(name).name for name in laid}
    for name in step.files:
        for header in INCLUDE.findall(laid[name]) if name.endswith((".c", ".h")) else ():
            if PurePath(header).name in late:
                raise UserError(f"{name} comes before {header}, which it includes",
                                "put them in order in tools/series.toml")


class Stream:
    """Commits for git fast-import, which needs neither index nor work tree."""

    def __init__(self, tree, ref, base):
        self.git = tree.git
        self.ref = ref
        self.base = base
        self.parts = [f"reset {ref}\nfrom {base}\n\n"]
        self.count = 0

    def commit(self, original, laid, step):
        """Add a commit with the kernel's files as in `original`, and the new files `laid`."""
        self.begin(original, f"{step.subject}\n\n{step.message}" if step.subject else "")
        self.as_in(original)
        self.lay(laid)

    def as_in(self, original):
        """Let the kernel's files be as in `original`."""
        for line in self.git.run("diff", "--raw", "--no-abbrev", "--no-renames", self.base,
                                 original).splitlines():
            (_, mode, _, blob, _), path = line.split("\t")[0].split(), line.split("\t")[1]
            self.parts.append(f"D {path}\n" if mode == "000000" else f"M {mode} {blob} {path}\n")

    def begin(self, original, message=""):
        """Begin a commit with the author and the date of `original`, and its message or another."""
        name, mail, date, own = self.git.run(
            "log", "-1", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", original).split("\0")
        who = f"{name} <{mail}> {date}"
        self.count += 1
        self.parts.append(f"commit {self.ref}\nmark :{self.count}\nauthor {who}\ncommitter {who}\n"
                          f"{_data((message or own).rstrip() + chr(10))}")

    def lay(self, laid):
        """Let the files {name: text} be in the commit, as they are in all after it."""
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


def plain(tree, before, after):
    """Return the difference between two commits as a plain unified diff."""
    return proc.capture([*tree.git.command, "diff", "--no-renames", "--no-color", "--abbrev=12",
                         "--diff-algorithm=myers", before, after], env=tree.git.env)[1]
