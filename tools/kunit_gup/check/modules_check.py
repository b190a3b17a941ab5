# SPDX-License-Identifier: GPL-2.0-only
"""`make modules-check`: KUnit and the suites build as modules."""

import re

from ..common import paths
from ..common.checks import Check
from ..run import build
from ..tree import trees


def run(target, kdir=None):
    """Build KUnit and the suites as modules; return the Checks."""
    tree = trees.prepare(kdir)
    variant = target.variant(f"modules-{target.name}", [
        "CONFIG_MODULES=y", "CONFIG_KUNIT=m", "CONFIG_GUP_KUNIT_TEST=m"])
    build_dir = paths.build(tree.name, variant.name)
    log = paths.fresh_log(f"build-{variant.name}")
    build.kunit_kernel(tree.path, variant, build_dir, log)
    module = build_dir / "lib/kunit-gup/gup_kunit.ko"
    warned = [line for line in paths.read(log).splitlines()
              if re.search(r"modpost: .*(gup|kunit)|WARNING: modpost", line)]
    return [Check("suites as a module", warned if module.exists() else [f"no {module}"])]
