# SPDX-License-Identifier: GPL-2.0-only
"""`make kselftest`: the kernel's own tests of mm around GUP, unpatched and patched, side by side.

They are built from the prepared tree, once, and run under QEMU by tools/initramfs/tests.c. Whether
they pass is the kernel's business; a result that differs between the two kernels is ours.
"""

import fnmatch
import itertools
import re
from collections import Counter
from dataclasses import dataclass, field, replace

from ..common import paths, proc
from ..common.checks import Check
from ..common.errors import UserError
from ..run import initramfs, judge, kunit, machine
from ..tree import trees
from ..tree.worktree import Worktree, prune
from . import bench

# `migration` wants three CPUs or more, cow and gup_longterm memory for huge pages.
MACHINE = ("-smp", "4", "-m", "3072")
LIMIT = 300         # seconds for one program
# As in run_vmtests.sh, but with less memory for the many calls of gup_test.
MATRIX = [("-t", "-T", "-H"), ("-u", "-U", "-a", "-b", "-L"), ("-w", "-W"), ("-S", ""),
          ("-n 1", "-n 512", "-n 123", "-n -1")]
COMMANDS = [
    *(" ".join(["gup_test -m 16", *filter(None, chosen)]) for chosen in itertools.product(*MATRIX)),
    "gup_test -u -n 1", "gup_test -u -n -1", "gup_test -a -n 1", "gup_test -a -n -1",
    "gup_test -ct -F 0x1 0 19 0x1000", "gup_longterm", "cow", "mlock2-tests", "madv_populate",
    "memfd_secret", "hugetlb_dio", "khugepaged", "khugepaged -s 2", "khugepaged all:shmem",
    "khugepaged -s 4 all:shmem", "split_huge_page_test", "migration"]
LIBRARIES = {"sys/capability.h": "libcap-dev", "numa.h": "libnuma-dev",
             "liburing.h": "liburing-dev"}
BEGIN, END = re.compile(r"kunit-gup: begin (.*)"), re.compile(r"kunit-gup: end (\S+)")
RESULT = re.compile(r"(?:\[ *[\d.]+\] )?(not ok|ok) (\d+)\s*(.*)")
WORDS = {"ok": "pass", "not ok": "fail"}


@dataclass
class Outcome:
    """What one command did: how it ended, and its single results."""

    end: str = "never ended"
    results: dict = field(default_factory=dict)     # {(number, description): pass, fail or skip}

    def text(self):
        """Return a short summary."""
        counts = Counter(self.results.values())
        listed = ", ".join(f"{counts[word]} {word}" for word in ("pass", "fail", "skip")
                           if counts[word])
        return f"exit {self.end}" + (f": {listed}" if listed else "")


def run(target, kdir, step="", pattern=""):
    """Run the tests on the unpatched and the patched kernel; return the Checks.

    With `pattern`, only the commands that it matches.
    """
    commands = matching(pattern)
    tree = trees.prepare(kdir, strict=True)
    kernels = bench.choose(tree, step)
    variant = bench.adapted(target)       # the kernels of `make bench`, with more machine
    work = Worktree(tree)
    prune(work, variant.name, [kernel.slug for kernel in kernels])
    built = [(kernel, _build(work, variant, kernel)) for kernel in kernels]
    tests = built[-1][1] / "selftests"
    outcomes, problems = [], []
    booted = replace(variant, kernel_args=target.kernel_args, timeout=7200,
                     qemu_args=(*target.qemu_args, *MACHINE))
    for kernel, build_dir in built:
        text, wrong = _boot(work.path, booted, kernel, build_dir, tests, commands)
        outcomes.append(parse(text))
        problems.append(wrong)
    print(summary([kernel.name for kernel in kernels], outcomes, commands), flush=True)
    return [*checks(*outcomes, commands), Check("nothing new in the kernel's log",
                                      sorted(set(problems[1]) - set(problems[0])))]


def matching(pattern):
    """Return the commands that match `pattern`, all if it is empty."""
    return [c for c in COMMANDS if fnmatch.fnmatchcase(c, pattern or "*")]


def _build(work, variant, kernel):
    """Build a kernel and the tests of its tree; return the build directory."""
    build_dir = bench.build_kernel(work, variant, kernel)
    log = paths.fresh_log(f"build-kselftest-{kernel.name}")
    with work.at(kernel.commit, build_dir) as source:
        initramfs.program(source, variant, build_dir, log, "tests")
        _build_tests(source, variant, build_dir, log)
    return build_dir


def _programs():
    return sorted({command.split()[0] for command in COMMANDS})


def _build_tests(source, variant, build_dir, log):
    output = build_dir / "selftests"
    output.mkdir(exist_ok=True)
    command = ["make", "-C", source / "tools/testing/selftests/mm", f"OUTPUT={output}",
               f"ARCH={variant.arch}", f"CROSS_COMPILE={variant.cross_compile}",
               f"KHDR_INCLUDES=-isystem {build_dir / 'usr/include'}", "EXTRA_CFLAGS=-static",
               *(output / name for name in _programs())]
    if proc.logged(command, log, env=proc.clean_env()):
        raise UserError("the kernel's tests cannot be built", f"see {log}")


def _boot(source, variant, kernel, build_dir, tests, commands):
    """Boot a kernel with the tests; return (console, problems)."""
    listed = build_dir / "gup-commands"
    listed.write_text("".join(f"{LIMIT} /{command}\n" for command in commands), encoding="ascii")
    archive = initramfs.pack(build_dir, [
        "dir /dev 0755 0 0", "nod /dev/console 0600 0 0 c 5 1", "dir /proc 0755 0 0",
        "dir /sys 0755 0 0", "dir /tmp 0777 0 0", f"file /tests {listed} 0644 0 0",
        f"file /init {build_dir / 'gup-tests'} 0755 0 0",
        *(f"file /{name} {tests / name} 0755 0 0" for name in _programs())], "gup-tests.cpio")
    guest = machine.machine(source, variant, build_dir, archive)
    guest.accel = "tcg"
    log = paths.fresh_log(f"kselftest-{kernel.name}")
    problems = kunit.run_qemu(guest, f"{len(commands)} commands in the {kernel.name} kernel", log,
                              ["panic=-1"], counted=END)
    text = paths.read(log).replace("\r", "")
    return text, problems + judge.bad_log_lines(text)


def parse(text):
    """Return {command: Outcome} from a console."""
    found, current = {}, None
    for line in text.splitlines():
        if begun := BEGIN.search(line):
            current = found[begun[1].removeprefix("/")] = Outcome()
        elif current and (ended := END.search(line)):
            current.end, current = ended[1], None
        elif current and (result := RESULT.fullmatch(line.strip())):
            description, _, directive = result[3].partition("# SKIP")
            word = "skip" if "# SKIP" in result[3] else WORDS[result[1]]
            current.results[int(result[2]), description.strip(" -")] = word
    return found


def summary(names, outcomes, commands):
    """Return the two runs side by side; the many calls of gup_test are one line."""
    first, second = outcomes
    lines = ["", f"{'kselftest mm':<36}{names[0]:<44}{names[1]}"]
    grouped = [c for c in commands if c.startswith("gup_test -m 16")]
    lines.append(f"{f'gup_test, {len(grouped)} ways':<36}"
                 + "".join(f"{_group(o, grouped):<44}" for o in outcomes).rstrip())
    for command in commands:
        if command not in grouped:
            lines.append(f"{command:<36}{first.get(command, Outcome()).text():<44}"
                         f"{second.get(command, Outcome()).text()}")
    return "\n".join(lines)


def _group(outcomes, commands):
    counts = Counter(outcomes.get(command, Outcome()).text() for command in commands)
    return "; ".join(f"{number} x {text}" for text, number in sorted(counts.items()))


def checks(first, second, commands):
    """Return a Check for each command: the same results in both kernels."""
    return [Check(f"kselftest {command}: the same on both kernels",
                  differences(first.get(command, Outcome()), second.get(command, Outcome())))
            for command in commands]


def differences(first, second):
    """Return how two Outcomes differ, or why they say nothing."""
    if not first.results and not second.results:
        return ["no result from either kernel"]
    found = [] if first.end == second.end else [f"ended {first.end}, patched {second.end}"]
    for key in sorted(first.results.keys() | second.results.keys()):
        old, new = first.results.get(key, "missing"), second.results.get(key, "missing")
        if old != new:
            found.append(f"{key[0]} {key[1]}: {old}, patched {new}")
    return found
