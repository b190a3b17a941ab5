# SPDX-License-Identifier: GPL-2.0-only
"""Rules for the files of this repository that no other tool knows."""

import re

from ..common import paths, proc
from ..common.checks import Check
from ..common.git import IDENTITY
from ..tree import trees
from . import floors, includes, mutants, oracles

# What must stand nowhere: names of package mirrors, and paths of one machine.
FORBIDDEN = {
    "a host of a package mirror": re.compile(r"[a-z]\.debian\.(org|net)\b"),
    "a path of one machine": re.compile(r"(?<![\w.~*}$-])/(work|root|home)/"),
}
# Whoever sends a patch is its author, and nobody before.
AUTHOR = re.compile(rf"^From: (?!{IDENTITY['NAME']} <{re.escape(IDENTITY['EMAIL'])}>$)")
COMMANDS = ("make kunit", "make check")
# What a reader of a failure or of a row cannot be asked to guess.
EXPECTED_FIRST = re.compile(
    r"\bKUNIT_(?:EXPECT|ASSERT)_[A-Z_]+\([^,()]+,\s*(?:0|-?\d+|-E[A-Z]+|NULL|true|false),\s*\w+\(")
POSITIONAL = re.compile(r"^[ \t]+\{ \"[^\"\n]*\",.*\}", re.M)


def run(kdir=None):
    """Return one Check for each rule."""
    texts, binaries = contents()
    tree = trees.prepare(kdir, strict=True)
    return [
        Check("no binary file", binaries),
        *(Check(f"nowhere {what}", _grep(texts, pattern)) for what, pattern in FORBIDDEN.items()),
        Check("no author of a patch but kunit-gup", _grep(
            {n: t for n, t in texts.items() if n.startswith("mm/patches/")}, AUTHOR)),
        Check("every file includes what it uses", includes.problems(texts)),
        *floors.checks(texts),
        Check("the oracles batch nothing", oracles.problems(texts | _kernel_code(tree.path))),
        Check("the actual value comes first, then the expected one",
              rows(texts, EXPECTED_FIRST)),
        Check("rows name their members", rows(texts, POSITIONAL)),
        readme(),
        Check("each mutation fits the code", mutants.misfits(tree, mutants.load())),
        Check("mm/patches is what an export writes",
              [f"mm/patches/{name} differs; run `make export`"
               for name in trees.roundtrip_differences(tree)]),
    ]


def _kernel_code(tree):
    """Return {name: text} of the kernel's files, in the prepared tree, that may batch."""
    found = (tree / "mm" / f"{name}.{kind}" for name in oracles.MM for kind in "ch")
    return {f"mm/{path.name}": paths.read(path)
            for path in found if path.exists()}


def rows(texts, pattern):
    """Return where C files of the suites have what `pattern` finds, also over several lines."""
    return [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {' '.join(match[0].split())}"
            for name, text in sorted(texts.items())
            if name.startswith("lib/kunit-gup/") and name.endswith(".c")
            for match in pattern.finditer(text)]


def readme():
    """Check that README names the two commands, and only targets that exist."""
    path = paths.REPO / "README.md"
    if not path.exists():
        return Check("README's commands exist", ["README.md is missing"])
    text = paths.read(path)
    problems = [f"README.md does not name `{c}`" for c in COMMANDS if c not in text]
    for target in sorted(set(re.findall(r"`make ([a-z][a-z0-9-]*)", text))):
        if target not in targets():
            problems.append(f"README.md names `make {target}`, which is no target")
    return Check("README's commands exist", problems)


def targets():
    """Return the targets of the Makefile."""
    text = paths.read(paths.REPO / "Makefile").replace("\\\n", " ")
    commands = re.search(r"^COMMANDS := (.*)$", text, re.M)
    return {"help", *commands[1].split()}


def contents():
    """Return ({name: text}, [binary files]) of what is or would be committed."""
    listed = proc.capture(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached",
                           "--others", "--exclude-standard"], cwd=paths.REPO)[1]
    texts, binaries = {}, []
    for name in filter(None, listed.split("\0")):
        path = paths.REPO / name
        if not path.is_file():
            continue
        data = path.read_bytes()
        if b"\0" in data:
            binaries.append(name)
        else:
            texts[name] = data.decode("utf-8", errors="replace")
    return texts, binaries


def _grep(texts, pattern):
    return [f"{name}:{number}: {line.strip()}" for name, text in sorted(texts.items())
            for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]
