# SPDX-License-Identifier: GPL-2.0-only
"""PEER=: another series for the same kernel, as it was mailed, and what it takes to test it.

A peer is a mailbox, a folder of mails in any order, or patch files separated by commas.
"""

import re
import shlex
import tempfile
from email import message_from_bytes, policy
from pathlib import Path

from ..common import paths
from ..common.errors import UserError
from . import patches, trees

PART = re.compile(r"\[[^\]]*?\b(\d+)/(\d+)\]")
PATCH = re.compile(rb"^diff --git |^--- \S", re.M)
CONFLICT = re.compile(r"^<{7}[^\n]*\n(.*?)^\|{7}[^\n]*\n(.*?)^={7}\n(.*?)^>{7}[^\n]*\n", re.M | re.S)


def names(text):
    """Return the peers of PEER=: separated by spaces, and quoted as in the shell."""
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise UserError(f"PEER={text} cannot be read: {error}", "quote it as in the shell") from None
    if len(set(map(title, found))) < len(found):
        raise UserError(f"PEER={text} has two series with the same name", "rename one")
    return found


def title(peer):
    """Return the short name of a peer: that of its first file or folder."""
    return "peer-" + re.sub(r"[^\w.-]", "-", Path(peer.split(",")[0]).stem)


def mails(peer):
    """Return the patches of a peer in the order in which they apply, as bytes."""
    found = []
    for name in peer.split(","):
        path = Path(name).expanduser()
        if path.is_dir():
            found += [mail for file in sorted(path.iterdir()) if file.is_file()
                      for mail in _split(file)]
        else:
            found += _split(path)
    found = [mail for mail in found if PATCH.search(mail)]      # no cover letter, no answers
    if not found:
        raise UserError(f"PEER={peer} has no patch in it", "give mails or patch files")
    return sorted(found, key=_number) if all(map(_number, found)) else found


def _split(path):
    """Return the mails in a file: one, or all of a mailbox."""
    text = path.read_bytes()
    if not text.startswith(b"From "):
        return [text]
    # From_ lines of git and of a mailbox end with the time of day and the year.
    return [part for part in re.split(rb"^(?=From \S+.* \d\d:\d\d:\d\d .*\d{4}\s*$)", text, flags=re.M)
            if part.strip()]


def _number(mail):
    """Return the n of [PATCH n/m] in the subject, 0 without one."""
    subject = message_from_bytes(mail.split(b"\n", 1)[1] if mail.startswith(b"From ") else mail,
                                 policy=policy.default)["subject"] or ""
    found = PART.search(" ".join(subject.split()))
    return int(found[1]) if found else 0


def commit(tree, peer):
    """Apply a peer to the base of the `tree`; return its last commit, which a ref keeps."""
    with tempfile.TemporaryDirectory() as directory:
        files = []
        for number, mail in enumerate(mails(peer), 1):
            files.append(Path(directory) / f"{Path(peer.split(',')[0]).stem}, patch {number}")
            files[-1].write_bytes(mail)
        found = patches.apply(tree.git, tree.state["base"], paths.cache() / "scratch",
                              tree.describe(), files)[-1]
    tree.git.run("update-ref", f"refs/gup-peers/{title(peer)}", found)
    return found


def with_access(tree, peer):
    """Return (commit, hunks left out): a peer with the test access merged into it.

    Where both change the same lines, the access gives way, so that what is tested is the peer's
    code; where both only add, both stay.
    """
    ours, theirs, base = trees.tested_steps(tree)[0][1], commit(tree, peer), tree.state["base"]
    left = []
    with patches.scratch_tree(tree.git, theirs, paths.cache() / "scratch") as work:
        for name in work.run("diff", "--name-only", base, ours).split():
            merged, lost = _merged(work, name, base, ours, theirs)
            left += [f"{name}: {hunk}" for hunk in lost]
            blob = work.run("hash-object", "-w", "--stdin", input=merged)
            work.run("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
        found = work.run("commit-tree", "-p", theirs, "-m", "test access", work.run("write-tree"))
    tree.git.run("update-ref", f"refs/gup-peers/{title(peer)}-tested", found)
    return found, left


def _merged(git, name, base, ours, theirs):
    """Return (text, hunks of `ours` that are left out) of a file."""
    texts = [git.attempt("show", f"{each}:{name}")[1] for each in (theirs, base, ours)]
    if texts[0] == texts[1]:
        return texts[2], []
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory) / kind for kind in ("peer", "base", "access")]
        for file, text in zip(files, texts):
            file.write_text(text, encoding="utf-8")
        return resolve(git.attempt("merge-file", "-p", "--diff3", *files)[1])


def resolve(text):
    """Return (text, hunks left out) of a merged file with conflicts; the first side goes before."""
    left = []

    def choose(found):
        peer, base, access = found.groups()
        if not base.strip():
            return access + peer
        left.append(" ".join(line.strip() for line in access.splitlines()[:3]))
        return peer

    return CONFLICT.sub(choose, text), left
