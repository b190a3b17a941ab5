# SPDX-License-Identifier: GPL-2.0-only
"""`make w1`: what the series touches and adds is built with W=1, and its kernel-doc is read."""

from ..common import paths, proc
from ..common.checks import Check
from ..run import build
from ..tree import overlay, trees


def run(target, kdir=None):
    """Build what the series touches with W=1; return one Check for each object."""
    tree = trees.prepare(kdir)
    build_dir = paths.build(tree.name, f"w1-{target.name}")
    log = paths.fresh_log(f"build-w1-{target.name}")
    build.configure(tree.path, target, build_dir, log)
    sources = trees.own_files(tree)
    left_out = build.not_built(tree.path, build_dir, sources)
    objects = [name.removesuffix(".c") + ".o" for name in sorted(sources)
               if name.endswith(".c") and name not in left_out]
    for name in objects:        # only a file that is compiled anew warns
        (build_dir / name).unlink(missing_ok=True)
    lines = build.make(tree.path, target, build_dir, log, "olddefconfig", *objects, "W=1",
                       what="building with W=1")
    ours = [name for name in overlay.files() if name.endswith((".h", ".c"))]
    lines += proc.capture(["scripts/kernel-doc", "-none", "-Wall", *ours], check=False,
                          cwd=tree.path)[2].splitlines()
    own = {line for line in lines if any(f"{name}:" in line for name in sources)}
    return [Check(f"W=1 {name}", sorted(line for line in own if f"{name}:" in line),
                  skipped=f"{left_out[name]} is off" if name in left_out else "")
            for name in sorted(sources) if name.endswith((".c", ".h"))]
