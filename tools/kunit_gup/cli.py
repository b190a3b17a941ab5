# SPDX-License-Identifier: GPL-2.0-only
"""The commands behind `make`; each variable of make arrives in the environment."""

import errno
import signal
import sys
import traceback

from . import (bench, checks, commands, coverage, deps, everything, kernelci, kselftest, letters,
               lint, litmus, lock, measure, module_runs, move_pages, mutants, objects, options,
               paths, plot, proc, profile, readme, rebase, runner, selftest, series_check, static,
               steps, targets, tree, ui, variants)
from .errors import UserError
from .options import number, value as option


def main(argv):
    """Run one command; return the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(argv)
    except UserError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
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
        return COMMANDS[argv[0]]() or 0


def _target():
    """Return the one target that was asked for."""
    return targets.find(option("TARGET") or targets.default(), option("VARIANT"))


def _total(passed, failed, skipped):
    """Print the last line of a run; return the exit code."""
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0


def _kunit():
    chosen = targets.find_all(option("TARGET") or targets.default(), option("VARIANT"))
    deps.ensure(*chosen)
    return _total(*everything.suites(chosen, option("KDIR"), option("FILTER")))


def _plan():
    target = _target()
    deps.ensure(target)
    return _total(*runner.pin_plan(target, option("KDIR")).totals)


def _checks(found):
    """Show the `found` checks and the total; return the exit code."""
    for check in found:
        check.show()
    return _total(*checks.totals(found))


def _steps():
    target = _target()
    deps.ensure(target)
    return _checks(steps.run(target, option("KDIR"), option("STEP")))


def _coverage():
    target = _target()
    deps.ensure(target, programs=coverage.PROGRAMS)
    return _checks(coverage.run(target, option("KDIR")))


def _mutants():
    target = _target()
    deps.ensure(target)
    found = mutants.run(target, option("KDIR"), option("FILTER"))
    return _total(*checks.totals(found))


def _objects():
    deps.ensure(*objects.kernels())
    return _checks(objects.run(option("KDIR")))


def _bench():
    target = targets.find(option("TARGET", "x86_64"))
    deps.ensure(target, programs=plot.PROGRAMS)
    measure.run(target, option("KDIR"), number("ROUNDS", 2), number("MB", 256),
                option("STEP"), option("PEER"), option("KUNIT") == "idle")


def _bench_profile():
    target = targets.find(option("TARGET", "x86_64"))
    deps.ensure(target)
    profile.run(target, option("KDIR"), number("MB", 16), option("STEP"))


def _kselftest():
    target = targets.find(option("TARGET", "x86_64"))
    deps.ensure(target, headers=kselftest.LIBRARIES)
    return _checks(kselftest.run(target, option("KDIR"), option("STEP"), option("FILTER")))


def _bench_uml():
    rounds = number("ROUNDS", 7)
    target = _target()
    deps.ensure(target, programs=plot.PROGRAMS)
    bench.run(target, option("KDIR"), rounds, option("STEP"), option("STEPS") == "all")


def _check():
    target = _target()
    chosen = [target] if option("TARGET") else [t for t in targets.table().values() if t.check]
    deps.ensure(*chosen, *objects.kernels(), *(kernel for kernel, _ in commands.kernels().values()),
                programs=letters.PROGRAMS)
    return _total(*everything.run(target, chosen, option("KDIR"), option("HERD")))


def _series():
    deps.ensure(programs=letters.PROGRAMS)
    count = len(letters.write(option("KDIR")))
    ui.note(f"{count} patches and a cover letter: git am {letters.DIRECTORY}/*.patch; "
            "as plain diffs in plain/")


def _series_check():
    target = _target()
    deps.ensure(target, *series_check.needs(), programs=letters.PROGRAMS)
    return _checks(series_check.run(target, option("KDIR"), option("STEP")))


def _rebase_check():
    if not option("KDIR"):
        raise UserError("rebase-check needs another tree of Linux", "say KDIR=/path")
    return _checks(rebase.run(option("KDIR")))


def _kernelci():
    deps.ensure()
    return _checks(kernelci.run(option("KDIR")))


def _lint():
    return _checks(lint.run(option("KDIR")))


def _litmus():
    deps.ensure()
    return _checks(litmus.run(option("KDIR"), option("HERD")))


def _test():
    return _checks(selftest.run())


def _checkpatch():
    deps.ensure()
    return _checks(static.checkpatch(option("KDIR")))


def _w1():
    target = _target()
    deps.ensure(target)
    return _checks(static.warnings(target, option("KDIR")))


def _modules():
    target = _target()
    deps.ensure(target)
    return _checks(static.modules(target, option("KDIR")))


def _module_runs():
    name = option("TARGET", "x86_64")
    target = targets.find(name, option("VARIANT"))
    deps.ensure(target)
    verdicts = module_runs.run(target, option("KDIR"))
    return _total(*everything.added([verdict.totals for verdict in verdicts]))


def _build_variants():
    deps.ensure(*variants.chosen().values())
    return _checks(variants.run(option("KDIR")))


def _move_pages():
    target = targets.find(option("TARGET", "x86_64"), option("VARIANT"))
    deps.ensure(target)
    return _checks(move_pages.run(target, option("KDIR")))


def _check_all():
    booted, module, stepped = targets.rest(), targets.table()["x86_64"], _target()
    deps.ensure(stepped, *booted, module, *variants.chosen().values())
    return _total(*everything.rest(booted, module, stepped, option("KDIR"), COMMANDS))


def _table():
    ui.note(f"what ran where: {readme.write()}")


def _prepare():
    deps.ensure()
    ui.note(f"prepared tree: {tree.prepare(option('KDIR')).path}")


def _export():
    changed = tree.export(option("KDIR"))
    ui.note(f"exported: {', '.join(changed) if changed else 'nothing to bring back'}")


def _discard():
    ui.note(f"prepared tree as in the repository: {tree.discard(option('KDIR')).path}")


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
    "check": _check,
    "check-all": _check_all,
    "lint": _lint,
    "litmus": _litmus,
    "kernelci": _kernelci,
    "series": _series,
    "series-check": _series_check,
    "rebase-check": _rebase_check,
    "test": _test,
    "plan": _plan,
    "prepare": _prepare,
    "export": _export,
    "discard": _discard,
    "steps": _steps,
    "coverage": _coverage,
    "mutants": _mutants,
    "objects": _objects,
    "bench": _bench,
    "bench-profile": _bench_profile,
    "kselftest": _kselftest,
    "bench-uml": _bench_uml,
    "w1": _w1,
    "modules-check": _modules,
    "module-runs": _module_runs,
    "move-pages": _move_pages,
    "build-variants": _build_variants,
    "table": _table,
    "checkpatch": _checkpatch,
    "clean": _clean,
    "distclean": _distclean,
}
