# SPDX-License-Identifier: GPL-2.0-only
"""The series in pieces that each can be judged alone: build/series/NAME/, by `make series`.

tools/series.toml says which patches a mailing takes, and which of them become one. All but the last
mailing, which brings the tests, are without the test access; what a patch of mm/patches changes in a
file is merged into what the mailings before it have made of it. The last commit has exactly the files
of the prepared tree.
"""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ..common import paths, proc
from ..common.errors import UserError
from ..tree import patches, trees
from . import access, mailing

REF = "refs/gup/mailings"
HEADER = "mm/gup_batch.h"       # comes with the first patch that includes it, and grows
INCLUDED = re.compile(r'^#include "gup_batch\.h"$', re.M)
DEFINED = re.compile(r"^(?:static\b[^;{(]*?[\s*])?(\w+)\(|^#define (\w+)", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


@dataclass
class Patch:
    """One patch of a mailing."""

    slugs: list             # of mm/patches
    subject: str = ""       # where it is not that of the last of them
    message: str = ""
    commit: str = ""


@dataclass
class Mailing:
    """Patches that are mailed together."""

    name: str
    behind: list            # names of the mailings that have to be there
    title: str = ""
    text: str = ""
    patches: list = field(default_factory=list)


def load(slugs):
    """Return the Mailings of tools/series.toml; each of the patches `slugs` must be in one."""
    found, given = [], []
    for entry in mailing.table().get("mailing", []):
        made = [Patch(each["patches"], each.get("subject", ""), each.get("message", "").strip())
                for each in entry.get("patch", [])]
        found.append(Mailing(entry["name"], entry.get("behind", []), entry.get("title", ""),
                             entry.get("text", "").strip(), made))
        given += [slug for each in made for slug in each.slugs]
    rest = [slug for slug in slugs if slug not in given]
    for slug in given:
        if slug not in slugs or given.count(slug) > 1:
            raise UserError(f"tools/series.toml: a mailing has the patch '{slug}', which is "
                            f"{'in another one, too' if slug in slugs else 'not in mm/patches'}",
                            f"those in none, beside the tests: {', '.join(rest)}")
    return found


def build(tree):
    """Make the commits of all mailings on the base of `tree`; return the Mailings."""
    originals = {patches.slug(patch): commit for patch, commit in trees.steps(tree)}
    mailings = load(list(originals))
    states = _States(tree, originals)
    stream = mailing.Stream(tree, REF, tree.state["base"])
    content = {}
    for each in (patch for one in mailings for patch in one.patches):
        content = states.applied(content, each.slugs)
        stream.begin(originals[each.slugs[-1]],
                     f"{each.subject}\n\n{each.message}" if each.subject else "")
        stream.lay(content)
    if mailings:
        _tests(mailings[-1], originals, stream)
    commits = iter(stream.write())
    for each in (patch for one in mailings for patch in one.patches):
        each.commit = next(commits)
    return mailings


def names():
    """Return the names of the mailings."""
    return [entry["name"] for entry in mailing.table().get("mailing", [])]


def tip(tree, name):
    """Return the commit with the mailing `name`, and with those before it."""
    one, = [each for each in build(tree) if each.name == name]
    return one.patches[-1].commit


def _tests(last, originals, stream):
    """Add the test access and the new files, as patches of the `last` mailing.

    A patch of mm/patches that new files come with, such as the access, leaves the kernel's files as
    they are in front of the next one of these.
    """
    slugs, commits = list(originals), list(originals.values())
    steps = [step for step in mailing.load(slugs) if step.files]
    ends = [slugs.index(step.slug) for step in steps if not step.subject][1:] + [len(slugs)]
    whole, present = mailing.texts(), set()
    for step in steps:
        present.update(step.files)
        stream.begin(originals[step.slug],
                     f"{step.subject}\n\n{step.message}" if step.subject else "")
        if not step.subject:
            stream.as_in(commits[ends.pop(0) - 1])
        stream.lay(mailing.cut_all(whole, present))
        last.patches.append(Patch([step.slug]))


def needed(mailings, one):
    """Return the mailings that `one` goes behind, and it, in their order."""
    names, grown = {one.name}, None
    while grown != names:
        grown = set(names)
        names |= {name for each in mailings if each.name in names for name in each.behind}
    return [each for each in mailings if each.name in names]


def backwards(mailings):
    """Return the mailings in the order that is most unlike theirs and still possible."""
    left, order = list(mailings), []
    while left:
        there = {each.name for each in order}
        chosen = [each for each in left if there.issuperset(each.behind)][-1]
        order.append(chosen)
        left.remove(chosen)
    return order


class _States:
    """The files of the kernel after each patch of mm/patches, without the test access."""

    def __init__(self, tree, originals):
        self.git, self.base = tree.git, tree.state["base"]
        self.commits = originals
        self.order = list(originals)
        self.wrappers = [(w["old"], w["new"]) for w in mailing.table().get("wrapper", [])]
        self.header = mailing.texts()[HEADER]
        self.known = {}

    def applied(self, content, slugs):
        """Return {file: text} with the patches `slugs` merged into `content`."""
        content = dict(content)
        for slug in slugs:
            place = self.order.index(slug)
            before = self.commits[self.order[place - 1]] if place else self.base
            after = self.commits[slug]
            for name in self.git.run("diff", "--name-only", "--diff-filter=M", before,
                                     after).split():
                old, new = self._text(before, name), self._text(after, name)
                if old != new:
                    content[name] = merged(content.get(name, self._text(self.base, name)),
                                           old, new, f"{slug}: {name}")
        if any(INCLUDED.search(text) for text in content.values()):
            content[HEADER] = used(self.header, "".join(
                text for name, text in content.items() if name != HEADER))
        return content

    def _text(self, commit, name):
        """Return a file in a commit, without the access."""
        if (commit, name) not in self.known:
            text = proc.capture([*self.git.command, "show", f"{commit}:{name}"],
                                env=self.git.env)[1]
            if commit != self.base:
                text = access.without(text, self.wrappers)
                access.refuse_rest(name, self._text(self.base, name), text)
            self.known[commit, name] = text
        return self.known[commit, name]


def merged(ours, old, new, what):
    """Return `ours` with the change from `old` to `new`."""
    if ours == old:
        return new
    with tempfile.TemporaryDirectory() as directory:
        names = [Path(directory, name) for name in ("ours", "old", "new")]
        for path, text in zip(names, (ours, old, new)):
            path.write_text(text, encoding="utf-8")
        code, out, _ = proc.capture(["git", "merge-file", "-p", "-q", *names], check=False)
    if code:
        raise UserError(f"{what} does not fit behind the mailings before it",
                        "see the order of [[mailing]] in tools/series.toml")
    return out


def used(header, sources):
    """Return a header with those of its functions and macros that the `sources` or it use."""
    parts = re.split(r"(\n\n(?=\S)|(?<=^#ifdef CONFIG_MMU)\n)", header, flags=re.M)
    blocks = [block + gap for block, gap in zip(parts[::2], [*parts[1::2], ""])]
    names = [{name for pair in DEFINED.findall(COMMENT.sub("", block)) for name in pair if name}
             if re.search(r"^(static|#define \w+\t)", COMMENT.sub("", block), re.M) else set()
             for block in blocks]
    kept = {index for index, mine in enumerate(names) if not mine}
    while True:
        text = COMMENT.sub("", sources + "".join(blocks[index] for index in kept))
        more = {index for index, mine in enumerate(names) if index not in kept
                and any(re.search(rf"\b{name}\b", text) for name in mine)}
        if not more:
            return "".join(blocks[index] for index in sorted(kept))
        kept |= more
