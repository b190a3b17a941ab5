# SPDX-License-Identifier: GPL-2.0-only
"""Without KUnit, the series changes the code of no object but those of the files it patches.

Only a patch that touches a header could. All of mm/ is built before and after each such patch and
compared function by function, as disassembly with relocations. Line numbers would differ wherever
a header grew, so __LINE__ is 0; the compiler may order functions anew, so each is a section; and
the numbers that __COUNTER__ gives to names are left out.

With KUnit, the hot functions have its static branches and nothing else: no call that they do not
make without it, also in a kernel that has the suites.
"""

import re
from collections import Counter
from pathlib import Path

from ..common import paths, proc
from ..common.checks import Check
from ..run import build, steps, targets
from ..tree import patches, trees
from ..tree.worktree import Worktree, build_directory, prune

CONFIG = ["CONFIG_KUNIT=n", "CONFIG_SMP=y", "CONFIG_COMPACTION=y", "CONFIG_MIGRATION=y",
          "CONFIG_TRANSPARENT_HUGEPAGE=y", "CONFIG_NUMA=y", "CONFIG_KSM=y", "CONFIG_USERFAULTFD=y",
          "CONFIG_DEBUG_VM=n", "CONFIG_DEBUG_INFO_NONE=y", "CONFIG_WERROR=n"]
KERNELS = tuple(targets.Target(f"objects-{t.arch}", t.arch, t.native, t.cross)
                for t in (targets.table()["uml"], targets.table()["x86_64"]))
FLAGS = "KCFLAGS=-Wno-builtin-macro-redefined -D__LINE__=0 -ffunction-sections"
CALL = re.compile(r"\bfolio_pte_batch(_flags)?\(")
ACCESS = re.compile(r"kunit", re.I)
# With KUnit: without the suites, and with them.
KUNIT = {"KUnit": ["CONFIG_KUNIT=y", "CONFIG_GUP_KUNIT_TEST=n"],
         "the suites": ["CONFIG_KUNIT=y", "CONFIG_GUP_KUNIT_TEST=y"]}
HOT = {"gup.o": ("gup_fast_pte_range", "gup_fast_large_ptes", "gup_fast_fallback", "follow_page_pte",
                 "follow_folio_pte_batch", "check_and_migrate_movable_pages_or_folios",
                 "collect_longterm_unpinnable_folios", "gup_fast_unpin_user_pages",
                 "unpin_user_pages", "unpin_folios"),
       "migrate.o": ("do_pages_stat", "do_pages_stat_array")}
# What a hot function (the first of each pair) may call with KUnit although it is inlined without.
SELDOM = {("do_pages_stat_array", "do_pages_stat_relock"): "each time the lock is given up",
          ("do_pages_stat_array", "do_pages_stat_end"): "once a chunk",
          ("do_pages_stat", "do_pages_stat_alloc"): "once a call",
          ("do_pages_stat", "do_pages_stat_array"): "once a chunk",
          ("do_pages_stat", "do_pages_stat_relock"): "each time the lock is given up",
          ("do_pages_stat", "do_pages_stat_end"): "once a chunk",
          ("follow_page_pte", "gup_put_folio"): "once at an error",
          ("check_and_migrate_movable_pages_or_folios", "gup_put_folio"): "before migration",
          ("check_and_migrate_movable_pages_or_folios", "collect_longterm_unpinnable_folios"):
              "once a call",
          ("gup_fast_fallback", "gup_fast_pte_range"): "once a page table",
          ("gup_fast_fallback", "gup_fast_available"): "once a call",
          ("gup_fast_fallback", "gup_fast_unpin_user_pages"): "at a walk to be done again"}
CALLED = re.compile(r"^\s*(?:call|jmp)\b.*\n\s+R_X86_64_\w+\s+(\S+?)[-+]0x", re.M)
INDIRECT = "__x86_indirect_thunk"
COUNTED = re.compile(r"(__UNIQUE_ID_\w+_)\d+\b")


def run(kdir=None, brief=False):
    """Build mm/ of both kernels around each patch that touches a header; return the Checks.

    When `brief`, around all such patches between two that may change code: a failure does not
    name one of them then.
    """
    tree = trees.prepare(kdir, strict=True)
    work, ends = Worktree(tree), _ends(tree, brief)
    for kernel in kernels():
        prune(work, kernel.name, [name for name, _ in ends])
    found = [check for kernel in kernels() for check in _kernel(tree, work, kernel, ends)]
    return found if brief else found + idle(kdir)


def kernels():
    """Return the kernels that this host can build."""
    return [kernel for kernel in KERNELS if not kernel.why_not()]


def _ends(tree, brief):
    """Return [(name, commit)] to build: the base, each patch that touches a header, the tip."""
    pairs = [(patches.slug(patch), commit) for patch, commit in trees.steps(tree)]
    headers = [slug for slug, commit in pairs
               if any(name.endswith(".h") for name in _changed(tree, f"{commit}~1", commit))]
    chosen = around([slug for slug, _ in pairs], headers, exceptions() if brief else headers)
    return [("base", tree.state["base"]), *(pair for pair in pairs if pair[0] in chosen)]


def around(slugs, headers, apart):
    """Return which of the patches `slugs` to build: the last, and those of `headers` that are
    `apart` from the others, for which what is before them is one of these.
    """
    chosen = {slugs[-1]}
    for slug in headers:
        if slug in apart:
            chosen.add(slug)
            earlier = [s for s in headers if slugs.index(s) < slugs.index(slug)]
            chosen.update(earlier[-1:])
    return chosen


def _kernel(tree, work, kernel, ends):
    patched = {_object(name) for name in _changed(tree, patches.BASE, patches.BRANCH)}
    accepted = exceptions()
    built = [(name, _build(work, kernel, name, commit)) for name, commit in ends]
    checks = []
    for (_, before), (name, after) in zip(built, built[1:]):
        compared = {o.name for o in after.glob("*.o") if (before / o.name).exists()} - patched
        problems = [f"{o}: {', '.join(found)}" for o in sorted(compared)
                    if (found := differences(before / o, after / o, kernel.cross_compile))]
        check = Check(f"{kernel.name}: {name} changes the code of no other object", problems,
                      detail=f"{len(compared)} compared, callers of folio_pte_batch() among them: "
                             f"{' '.join(sorted(_callers(work.path) & compared))}")
        if problems and name in accepted:
            check.skipped = f"{accepted[name]} ({'; '.join(problems)})"
        checks.append(check)
    left = [f"{o}: {line}" for o in sorted(patched) if (built[-1][1] / o).exists()
                  for line in access(built[-1][1] / o, kernel.cross_compile)]
    return [*checks, Check(f"{kernel.name}: no test access without KUnit", left)]


def idle(kdir=None):
    """Build the hot functions without KUnit, with it, and with the suites; return the Checks."""
    tree = trees.prepare(kdir, strict=True)
    kernel, = [k for k in kernels() if k.arch == "x86_64"] or [None]
    if not kernel:
        return [Check("the cost of KUnit", skipped="no compiler for x86_64")]
    build_dir, log = paths.build(tree.name, "objects-idle"), paths.fresh_log("objects-idle")
    def built(what, config):
        _configure(tree.path, kernel, build_dir, log, config)
        build.make(tree.path, kernel, build_dir, log, FLAGS, *(f"mm/{o}" for o in HOT),
                   what=f"{kernel.name}, {what}")
        return {o: (code(build_dir / "mm" / o, kernel.cross_compile),
                    branches(build_dir / "mm" / o, kernel.cross_compile)) for o in HOT}

    plain, checks = built("without KUnit", []), []
    for what, config in KUNIT.items():
        for o, (found, branches_of) in built(what, config).items():
            for function in HOT[o]:
                section = f".text.{function}"
                if section in found:
                    nr = branches_of[section]
                    checks.append(Check(
                        f"{kernel.name}: {function}() with {what} calls nothing more",
                        more(function, found[section], nr, plain[o][0]),
                        detail=f"static branches of KUnit: {nr}"))
    return checks


def more(function, text, nr, plain):
    """Return what a hot function with `nr` branches calls, and does not call in `plain`.

    If it is inlined there, what any function of `plain` calls is known.
    """
    section = f".text.{function}"
    same = [plain[section]] if section in plain else plain.values()
    known = {name for other in same for name in calls(other)} | {function}
    known |= {callee for caller, callee in SELDOM if caller == function}
    problems = [f"it calls {name}()" for name in sorted(calls(text) - known)]
    # Each branch leads to the look for a stub, and to the stub.
    if text.count(INDIRECT) > 2 * nr + sum(other.count(INDIRECT) for other in plain.values()):
        problems.append("it calls by more pointers than the branches account for")
    return problems


def calls(text):
    """Return the names of the functions that the code `text` calls."""
    names = {name.removeprefix(".text.").removeprefix("unlikely.") for name in CALLED.findall(text)}
    return {name.split(".")[0] for name in names if not name.startswith((".", "__x86_"))}


def branches(path, cross=""):
    """Return {section: number of static branches in it that ask whether a test runs}."""
    _, out, _ = proc.capture([f"{cross}objdump", "-r", "-j", "__jump_table", path])
    values = [line.split()[2] for line in out.splitlines() if "R_X86_64_PC" in line]
    where = [value.split("+")[0] for value, key in zip(values[::3], values[2::3])
             if key.startswith("kunit_running")]
    return Counter(where)


def exceptions():
    """Return {slug: reason} of the patches in tools/steps.toml that may change others' code."""
    return {entry["patch"]: entry["reason"]
            for entry in paths.table(steps.DATA).get("changes_code", [])}


def _build(work, kernel, name, commit):
    """Build mm/ at one commit; return the directory of the objects."""
    build_dir = build_directory(work, kernel.name, name)
    log = paths.fresh_log(f"{kernel.name}-{name}")
    with work.at(commit, build_dir) as source:
        _configure(source, kernel, build_dir, log)
        build.make(source, kernel, build_dir, log, FLAGS, "mm/", what=f"{kernel.name}, {name}")
    return build_dir / "mm"


def _configure(source, kernel, build_dir, log, config=()):
    what = f"configuring {kernel.name}"
    build.make(source, kernel, build_dir, log, "defconfig", what=what)
    with open(build_dir / ".config", "a", encoding="utf-8") as file:
        file.write("\n".join([*CONFIG, *config]) + "\n")
    build.make(source, kernel, build_dir, log, "olddefconfig", what=what)


def _changed(tree, one, other):
    """Return the files that differ between two commits."""
    return tree.git.run("diff", "--name-only", one, other).split()


def _object(name):
    return f"{Path(name).stem}.o" if name.startswith("mm/") and name.endswith(".c") else name


def _callers(source):
    """Return the objects whose source calls folio_pte_batch() or its variants."""
    return {_object(f"mm/{path.name}") for path in (source / "mm").glob("*.c")
            if CALL.search(paths.read(path))}


def code(path, cross=""):
    """Return {function: disassembly with relocations} of an object with a section for each.

    The names of the binutils that know its architecture begin with `cross`.
    """
    _, out, _ = proc.capture([f"{cross}objdump", "-d", "-r", "--no-show-raw-insn",
                              "--no-addresses", path])
    return sections(out)


def sections(text):
    """Return {function: its code} of what objdump printed."""
    text = COUNTED.sub(r"\1N", text)
    parts = re.split(r"^Disassembly of section (\S+):\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2])))


def differences(one, other, cross=""):
    """Return the functions whose code differs between two objects."""
    before, after = code(one, cross), code(other, cross)
    return sorted(name.removeprefix(".text.") for name in before.keys() | after.keys()
                  if before.get(name) != after.get(name))


def access(path, cross=""):
    """Return the symbols and strings of an object that have `kunit` in them."""
    _, symbols, _ = proc.capture([f"{cross}nm", path])
    _, strings, _ = proc.capture(["strings", "--all", path])
    return sorted({line.split()[-1].removeprefix(".text.")
                   for line in (symbols + strings).splitlines()
                   if ACCESS.search(line)})
