# SPDX-License-Identifier: GPL-2.0-only
"""`make series`: build/series, the mailed series as files for `git am` and for `patch`; and the same
in pieces, build/series/NAME/, the mailings of tools/series.toml.

All are applied to the pristine tree, in every way, before they are put into place.
"""

import tempfile
from pathlib import Path

from ..common import paths, proc, ui
from ..common.errors import UserError
from ..tree import patches, source, trees
from . import mailing, mailings

DIRECTORY = paths.RESULTS / "series"
LETTER = paths.TOOLS / "cover-letter.txt"
LETTER_NAME = "0000-cover-letter.patch"
PROGRAMS = {"patch": "patch"}
PLAIN_MAX = 32      # files that services for patch sets take

COVER = """From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: {author}
Date: {date}
Subject: [PATCH {zero}/{count}] {title}

{text}

{shortlog}
{base}

Who it is for, and how to mail it, from the top of a kernel tree:

    git send-email --suppress-cc=all \\
      --to-cmd='scripts/get_maintainer.pl --nogit --nogit-fallback --norolestats --nol' \\
      --cc-cmd='scripts/get_maintainer.pl --nogit --nogit-fallback --norolestats --nom --nor' \\
      SERIES/*.patch

The renames below change nothing. They let git am take this letter with the
rest, and get_maintainer.pl find out who it is for.
---
{stat}

{renames}"""
RENAME = "diff --git a/{0} b/{0}\nsimilarity index 100%\nrename from {0}\nrename to {0}\n"


def write(kdir=None):
    """Write build/series for the package or the user's tree; return the Steps."""
    tree = trees.prepare(kdir, strict=True)
    progress = ui.Progress("making the commits of the series")
    steps = mailing.build(tree)
    progress.done(f"{len(steps)} patches")
    DIRECTORY.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".series-", dir=DIRECTORY.parent) as temporary:
        made = Path(temporary) / "series"
        _write_mail(tree, steps, made)
        _write_plain(tree, steps, made)
        pieces = _write_mailings(tree, made)
        _check_mail(tree, made)
        _check_plain(tree, made / "plain")
        if pieces:
            _check_mailings(tree, made, pieces)
        paths.remove(DIRECTORY)
        made.rename(DIRECTORY)
    return steps


def mails(directory):
    """Return the files of a series in order, the cover letter first."""
    return sorted(directory.glob("*.patch"))


def _write_mail(tree, steps, directory):
    options = [o for o in patches.FORMAT if o != "--no-numbered"]
    tree.git.run(*options, "--numbered", "--output-directory", directory,
                 f"{tree.state['base']}..{mailing.REF}")
    title, _, text = paths.read(LETTER).strip().partition("\n\n")
    whole = f"{tree.state['base']}..{mailing.REF}"
    (directory / LETTER_NAME).write_text(_cover(tree, whole, len(steps), title, text),
                                         encoding="utf-8")


def _write_mailings(tree, directory):
    """Write each mailing into a folder of its own; return the Mailings."""
    before, found = tree.state["base"], mailings.build(tree)
    options = [o for o in patches.FORMAT if o != "--no-numbered"]
    for one in found:
        whole = f"{before}..{one.patches[-1].commit}"
        tree.git.run(*options, "--numbered", "--output-directory", directory / one.name, whole)
        if len(one.patches) > 1:
            text = _cover(tree, whole, len(one.patches), one.title, one.text, one.behind)
            (directory / one.name / LETTER_NAME).write_text(text, encoding="utf-8")
        before = one.patches[-1].commit
    return found


def _cover(tree, whole, count, title, text, behind=()):
    """Return the cover letter of the commits `whole`; it is the same for the same base."""
    author, date = tree.git.run("log", "-1", "--date=rfc", "--format=%an <%ae>%n%ad",
                                whole.split("..")[1]).split("\n")
    changed = tree.git.run("diff", "--name-only", "--diff-filter=M", *whole.split("..")).split()
    return COVER.format(
        author=author, date=date, count=count, zero="0" * len(str(count)), title=title, text=text,
        shortlog=tree.git.run("shortlog", "-w76,2,4", "--no-merges", whole) + "\n",
        base=_base(tree, behind),
        stat=tree.git.run("diff", "--stat=76", "--no-renames",
                          *whole.split("..")).rstrip(),
        renames="".join(RENAME.format(name) for name in changed))


def _base(tree, behind=()):
    """Return the lines that say what the series applies to, and behind which others."""
    snapshot = tree.git.run("rev-parse", f"{tree.state['base']}^{{tree}}")
    lines = [f"It applies to Linux {tree.version}" + (
        "" if tree.kdir else f" of Debian, {source.package().stem.rpartition('_')[0]}") + ".",
        f"base-tree: {snapshot}"]
    commit = tree.kdir and tree.kdir.commit(snapshot)
    if commit:
        lines.append(f"base-commit: {commit}")
    if behind:
        lines.insert(1, f"It goes behind {', '.join(behind)}.")
    return "\n".join(lines)


def _write_plain(tree, steps, directory):
    """Write the diffs without mail; the last one has all that is beyond PLAIN_MAX."""
    names = [path.name.removesuffix(".patch") for path in mails(directory)][1:]
    plain = directory / "plain"
    plain.mkdir()
    before = tree.state["base"]
    for number, (name, step) in enumerate(zip(names, steps, strict=True), 1):
        after = step.commit if number < PLAIN_MAX else steps[-1].commit
        (plain / f"{name}.diff").write_text(mailing.plain(tree, before, after), encoding="utf-8")
        before = after
        if number == PLAIN_MAX:
            break


def _check_mail(tree, directory):
    """Apply the mails to the pristine tree; it must become the prepared tree, byte for byte."""
    progress = ui.Progress("applying the series to the pristine tree")
    with patches.scratch_tree(tree.git, tree.state["base"], paths.cache() / "scratch") as work:
        code, out, err = work.attempt("am", "--quiet", *mails(directory))
        if code:
            raise UserError(f"git am does not take the series: {(err or out).splitlines()[0]}",
                            "build/series is as it was")
        got = work.run("rev-parse", "HEAD^{tree}")
    want = mailing.prepared(tree)
    if got != want:
        differ = tree.git.run("diff", "--name-only", got, want).split()
        raise UserError(f"the series does not give the prepared tree: {', '.join(differ)} differ",
                        "build/series is as it was")
    progress.done(f"{len(mails(directory))} mails, tree {got[:12]} as prepared")


def _check_mailings(tree, directory, pieces):
    """Apply each mailing to the pristine tree, behind those that it needs, and all backwards."""
    progress = ui.Progress("applying the mailings to the pristine tree")
    for some in [*(mailings.needed(pieces, one) for one in pieces), mailings.backwards(pieces)]:
        progress.update(", ".join(one.name for one in some))
        with patches.scratch_tree(tree.git, tree.state["base"], paths.cache() / "scratch") as work:
            for one in some:
                code, out, err = work.attempt("am", "--quiet", *mails(directory / one.name))
                if code:
                    raise UserError(f"git am does not take the mailing {one.name}: "
                                    f"{(err or out).splitlines()[0]}", "build/series is as it was")
            got = work.run("rev-parse", "HEAD^{tree}")
        if len(some) == len(pieces) and got != mailing.prepared(tree):
            raise UserError("the mailings do not give the prepared tree: "
                            f"{', '.join(one.name for one in some)}", "build/series is as it was")
    progress.done(f"{len(pieces)} mailings")


def _check_plain(tree, directory):
    """Apply the diffs with patch to the files that they are about, and compare those."""
    files = sorted(directory.glob("*.diff"))
    base, tip = tree.state["base"], mailing.REF
    old = tree.git.run("diff", "--name-only", "--diff-filter=MD", "--no-renames", base, tip).split()
    new = tree.git.run("diff", "--name-only", "--no-renames", base, tip).split()
    with tempfile.TemporaryDirectory(dir=paths.cache()) as temporary:
        top = Path(temporary)
        for name in old:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(_content(tree, base, name), encoding="utf-8")
        for path in files:
            code, out, err = proc.capture(["patch", "-p1", "--force", "--quiet", "-d", top,
                                           "-i", path], check=False)
            if code or out.strip():
                why = (out or err).strip().splitlines()[0]
                raise UserError(f"plain/{path.name} does not apply with patch: {why}",
                                "build/series is as it was")
        found = sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file())
        wrong = sorted(set(found) ^ set(new)) or [
            name for name in new
            if paths.read(top / name) != _content(tree, tip, name)]
    if wrong:
        raise UserError(f"the plain diffs do not give the prepared tree: {', '.join(wrong)} differ",
                        "build/series is as it was")


def _content(tree, commit, name):
    return proc.capture([*tree.git.command, "show", f"{commit}:{name}"], env=tree.git.env)[1]
