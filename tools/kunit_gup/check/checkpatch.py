# SPDX-License-Identifier: GPL-2.0-only
"""`make checkpatch`: checkpatch.pl --strict over each patch and each new file."""

from concurrent.futures import ThreadPoolExecutor

from ..common import proc
from ..common.checks import Check
from ..run import build
from ..tree import overlay, trees

# Messages that do not apply here, and why.
IGNORED = {
    "FILE_PATH_CHANGES": "the first patch that needs new files has them in MAINTAINERS, as globs",
    "FUNCTION_ARGUMENTS": "it takes `const void __user * __user *pages` for one without a name",
}
COMMAND = ["perl", "scripts/checkpatch.pl", "--strict", "--no-signoff", "--terse", "--no-summary",
           "--show-types", "--color=never", f"--ignore={','.join(IGNORED)}"]


def run(kdir=None):
    """Run checkpatch.pl --strict over every patch and every new file; return the Checks."""
    tree = trees.prepare(kdir)
    names = [name for name in sorted(overlay.files()) if name != overlay.KUNITCONFIG]
    return of_files(tree, tree.patches) + _checkpatch(
        tree, [(name, ["--file", name]) for name in names])


def of_files(tree, files, kind=""):
    """Run checkpatch.pl --strict over the patch `files`, called a `kind`; return the Checks."""
    return _checkpatch(tree, [(f"{kind}{file.name}", [file]) for file in files])


def _checkpatch(tree, jobs):
    """Run checkpatch.pl for each (name, arguments) in `jobs`, several at a time."""
    with ThreadPoolExecutor(build.jobs()) as pool:
        return list(pool.map(lambda job: _read(tree, job[0], [*COMMAND, *job[1]]), jobs))


def _read(tree, name, command):
    """Run one command; return the Check of what it printed."""
    code, out, err = proc.capture(command, check=False, cwd=tree.path)
    lines = [line for line in out.splitlines() if line.strip()]     # stderr: helpers it lacks
    return Check(f"checkpatch {name}", (lines or err.splitlines()[-1:]) if code else [])
