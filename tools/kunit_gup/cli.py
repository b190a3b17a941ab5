# SPDX-License-Identifier: GPL-2.0-only
"""The commands behind `make`; each variable of make arrives in the environment."""

import errno
import signal
import sys
import traceback

from . import options
from .check import (check, checkpatch, commands, coverage, lint, litmus, modules_check, mutants,
                    objects, recipes, test, w1)
from .common import checks, deps, lock, paths, proc, ui
from .common.errors import UserError
from .measure import (bench, bench_compare, bench_here, bench_profile, bench_uml, kselftest,
                      page, plot)
from .options import number, value as option
from .publish import kernelci, series, series_check, table
from .run import build_variants, kunit, module_runs, move_pages, referee, steps, targets
from .tree import rebase_check, trees


def main(argv):
    """Run one command; return the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(argv)
    except UserError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        for each in (signal.SIGINT, signal.SIGTERM):    # a second one does not stop the end
            signal.signal(each, signal.SIG_IGN)
        proc.kill_children()
        print("\nkunit-gup: interrupted; run the same command to go on", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _fail("the disk is full; make room and run the same command again")
        return _fail(f"{error.strerror or error}: {error.filename or ''}")
    except Exception as error:      # a defect of the tools: keep the trace, show one line
        log = paths.fresh_log("crash")
        log.write_text(traceback.format_exc(), encoding="utf-8")
        return _fail(f"defect in the tools: {error!r}; please report it with {log}")
    finally:
        proc.kill_children()


def _fail(text):
    sys.stdout.flush()
    print(f"kunit-gup: error: {text}", file=sys.stderr)
    return 1


def _run(argv):
    if len(argv) != 1 or argv[0] not in COMMANDS:
        raise UserError(f"unknown command {' '.join(argv)}", f"known: {' '.join(COMMANDS)}")
    options.check(argv[0])
    with lock.hold(wait=option("WAIT") not in ("", "0")):
        return command(argv[0])


def command(name):
    """Run the command `name`, and show what came of it; return the exit code.

    It gives Checks, or totals, or a text to show, or nothing.
    """
    result = COMMANDS[name]()
    if isinstance(result, str):
        ui.note(result)
        return 0
    if result is None:
        return 0
    if isinstance(result, list):
        for each in result:
            each.show()
        result = checks.totals(result)
    passed, failed, skipped = result
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0


def _ready(*chosen, **needs):
    """Install what the `chosen` targets and the command need; return the first target."""
    deps.ensure(*chosen, **needs)
    return chosen[0] if chosen else None


def _target(standard=""):
    """Return the one target that was asked for."""
    return targets.find(option("TARGET") or standard or targets.default(), option("VARIANT"))


def _kdir():
    return option("KDIR")


def _kunit():
    chosen = targets.find_all(option("TARGET") or targets.default(), option("VARIANT"))
    deps.ensure(*chosen)
    if option("PEER"):
        return referee.run(chosen[0], _kdir(), option("PEER"), option("FILTER"))
    return check.suites(chosen, _kdir(), option("FILTER"))


def _check():
    target = _target()
    chosen = [target] if option("TARGET") else [t for t in targets.table().values() if t.check]
    deps.ensure(*chosen, *objects.kernels(), *(kernel for kernel, _ in commands.kernels().values()),
                programs=series.PROGRAMS, modules=kernelci.MODULES)
    return check.run(target, chosen, _kdir(), option("HERD"))


def _check_all():
    booted, module, stepped = targets.rest(), targets.table()["x86_64"], _target()
    deps.ensure(stepped, *booted, module, *objects.kernels(), *build_variants.chosen().values())
    return check.rest(booted, module, stepped, _kdir(), command)


def _bench():
    bench.run(_ready(_target("x86_64"), programs=plot.PROGRAMS), _kdir(), number("ROUNDS", 2),
              number("MB", 256), option("STEP"), option("PEER"), option("KUNIT") == "idle")


def _bench_here():
    target = _target() if option("TARGET") else None
    deps.ensure(*([target] if target else []))
    bench_here.run(_kdir(), number("ROUNDS", 2), number("MB", 256), target)


def _bench_compare():
    if not (option("A") and option("B")):
        raise UserError("bench-compare needs two files of figures",
                        "say A=build/bench/ONE.json B=build/bench/OTHER.json")
    bench_compare.run(option("A"), option("B"))


def _bench_uml():
    bench_uml.run(_ready(_target(), programs=plot.PROGRAMS), _kdir(), number("ROUNDS", 7),
                  option("STEP"), option("STEPS") == "all")


def _series():
    deps.ensure(programs=series.PROGRAMS)
    count = len(series.write(_kdir()))
    return (f"{count} patches and a cover letter: git am {series.DIRECTORY}/*.patch; "
            "as plain diffs in plain/")


def _series_check():
    target = _ready(_target(), *series_check.needs(), programs=series.PROGRAMS)
    if option("MAILING"):
        deps.ensure(*series_check.machines())
        return series_check.alone(option("MAILING"), _kdir())
    return series_check.run(target, _kdir(), option("STEP"))


def _rebase_check():
    if not _kdir():
        raise UserError("rebase-check needs another tree of Linux", "say KDIR=/path")
    return rebase_check.run(_kdir())


def _export():
    changed = trees.export(_kdir())
    return "\n    ".join(["exported:", *changed]) if changed else "exported: nothing to bring back"


def _with_deps(function, **needs):
    """Return `function`, called when what every build needs is there, and what it `needs`."""
    def run():
        deps.ensure(**needs)
        return function()
    return run


def _clean():
    for path in (paths.RESULTS, paths.cache() / "build"):
        paths.remove(path)


def _distclean():
    _clean()
    for path in paths.cache().iterdir():
        if path.name != "lock":
            paths.remove(path)


COMMANDS = {
    "kunit": _kunit,
    "plan": lambda: kunit.pin_plan(_ready(_target()), _kdir()).totals,
    "steps": lambda: steps.run(_ready(_target()), _kdir(), option("STEP")),
    "module-runs": lambda: module_runs.totals(_ready(_target("x86_64")), _kdir()),
    "move-pages": lambda: move_pages.run(_ready(_target("x86_64")), _kdir()),
    "build-variants": lambda: (deps.ensure(*build_variants.chosen().values())
                               or build_variants.run(_kdir())),

    "prepare": _with_deps(lambda: f"prepared tree: {trees.prepare(_kdir()).path}"),
    "export": _export,
    "discard": lambda: f"prepared tree as in the repository: {trees.discard(_kdir()).path}",
    "rebase-check": _rebase_check,

    "check": _check,
    "check-all": _check_all,
    "test": test.run,
    "lint": lambda: lint.run(_kdir()),
    "litmus": _with_deps(lambda: litmus.run(_kdir(), option("HERD"))),
    "checkpatch": _with_deps(lambda: checkpatch.run(_kdir())),
    "w1": lambda: w1.run(_ready(_target()), _kdir()),
    "modules-check": lambda: modules_check.run(_ready(_target()), _kdir()),
    "objects": lambda: deps.ensure(*objects.kernels()) or objects.run(_kdir()),
    "recipes": lambda: recipes.run(_ready(_target()), _kdir()),
    "coverage": lambda: coverage.run(_ready(_target(), programs=coverage.PROGRAMS), _kdir()),
    "mutants": lambda: mutants.run(_ready(_target()), _kdir(), option("FILTER")),

    "bench": _bench,
    "bench-profile": lambda: bench_profile.run(_ready(_target("x86_64")), _kdir(),
                                               number("MB", 16), option("STEP"), option("PEER")),
    "bench-uml": _bench_uml,
    "bench-here": _bench_here,
    "bench-compare": _bench_compare,
    "figures": _with_deps(lambda: page.run(options.WHOLE) or f"what a page costs: {page.PAGE}",
                          programs=plot.PROGRAMS),
    "kselftest": lambda: kselftest.run(_ready(_target("x86_64"), headers=kselftest.LIBRARIES),
                                       _kdir(), option("STEP"), option("FILTER")),

    "series": _series,
    "series-check": _series_check,
    "kernelci": _with_deps(lambda: kernelci.run(_kdir()), modules=kernelci.MODULES),
    "table": lambda: f"what ran where: {table.write()}",

    "clean": _clean,
    "distclean": _distclean,
}
