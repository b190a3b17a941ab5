# SPDX-License-Identifier: GPL-2.0-only
"""What is built but not booted: the tables [build.*] of tools/targets.toml, a Check for each."""

from ..common import paths
from ..common.checks import Check
from ..tree import trees
from . import build, targets


def chosen():
    """Return {name: Target} of the builds that this host can make."""
    table = targets.table()
    found = {name: targets.adapted(table[entry["target"]], f"build-{name}", entry)
             for name, entry in targets.builds().items()}
    return {name: target for name, target in found.items() if not target.why_not()}


def run(kdir=None, strict=False):
    """Build each of them; return one Check for each."""
    tree, usable = trees.prepare(kdir, strict), chosen()
    return [_check(tree, name, usable.get(name), entry)
            for name, entry in targets.builds().items()]


def _check(tree, name, target, entry):
    check = Check(f"build {name}")
    if not target:
        check.skipped = f"TARGET={entry['target']} cannot be built on this host"
        return check
    build_dir = paths.build(tree.name, target.name)
    log = paths.fresh_log(f"build-{target.name}")

    def make():
        build.configure(tree.path, target, build_dir, log)
        return build.make(tree.path, target, build_dir, log, "olddefconfig", *entry["goals"])

    check.detail = f"{' '.join(entry['goals'])} of {entry['target']}"
    if check.attempt(make).problems:    # only a file that is compiled anew warns again
        paths.remove(build_dir)
    return check
