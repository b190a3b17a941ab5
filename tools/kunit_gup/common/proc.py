# SPDX-License-Identifier: GPL-2.0-only
"""Child processes: a clean environment, a log, and none left behind."""

import glob
import os
import signal
import subprocess
import threading
import time

from .errors import UserError

# Variables that would change how kernel make, git or kunit.py behave.
DROPPED = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MAKEFILES", "ARCH", "SUBARCH",
           "CROSS_COMPILE", "KBUILD_OUTPUT", "O", "C", "W", "V", "LLVM", "KCFLAGS", "KCPPFLAGS",
           "CFLAGS", "LDFLAGS", "CPPFLAGS", "INSTALL_MOD_PATH", "TARGET", "KDIR", "FILTER",
           "ROUNDS", "MB", "PEER", "STEP", "STEPS", "WAIT", "JOBS", "VARIANT", "ACCEL",
           "GREP_OPTIONS", "CDPATH", "BASE", "HERD", "A", "B",
           "MAILING")

_children = set()
_inherited = []


def inherit(fd):
    """Keep `fd` open in every child from now on (a lock lives as long as its last child)."""
    _inherited.append(fd)


def clean_env(**extra):
    """Return the environment for a child: reproducible, without our own variables."""
    env = {k: v for k, v in os.environ.items()
           if k not in DROPPED and not k.startswith("GIT_")}
    env.update(LC_ALL="C", PYTHONDONTWRITEBYTECODE="1", **extra)
    return env


def start(argv, **kwargs):
    """Start `argv` in a session of its own, without stdin, so that it can be ended as a group."""
    kwargs.setdefault("env", clean_env())
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    try:
        child = subprocess.Popen([str(a) for a in argv], start_new_session=True,
                                 pass_fds=_inherited, **kwargs)
    except FileNotFoundError as error:
        raise UserError(f"{argv[0]} is not installed", f"install it ({error.strerror})") from None
    _children.add(child)
    return child


def finish(child):
    """Wait for `child` and return its exit code."""
    code = child.wait()
    _children.discard(child)
    return code


def kill_children():
    """End every child that is still there, with its group and all its descendants.

    A UML kernel leaves the group of its parent, so the group is not enough.
    """
    doomed = [pid for child in _children for pid in _descendants(child.pid)]
    for sig in (signal.SIGTERM, signal.SIGKILL):
        for child in _children:
            _kill(os.killpg, child.pid, sig)
        for pid in doomed:
            _kill(os.kill, pid, sig)
        if _children and sig == signal.SIGTERM:
            time.sleep(0.5)
    for child in _children:
        child.wait()
    _children.clear()


def kill_group(child):
    """Kill `child` and its group."""
    _kill(os.killpg, child.pid, signal.SIGKILL)


def kill_below(child):
    """Kill what `child` has started, so that it can say what came of that."""
    for pid in _descendants(child.pid):
        _kill(os.kill, pid, signal.SIGKILL)


def _end(child, late, how):
    late.set()
    how(child)


def _kill(how, pid, sig):
    try:
        how(pid, sig)
    except ProcessLookupError:
        pass


def _descendants(pid):
    """Return the processes below `pid`, from /proc."""
    below = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                parent = file.read().rpartition(")")[2].split()[1]
        except OSError:
            continue        # it is gone
        below.setdefault(int(parent), []).append(int(path.split("/")[2]))
    found = list(below.get(pid, []))
    for child in found:     # grows while it is walked
        found += below.get(child, [])
    return found


def capture(argv, check=True, input=None, **kwargs):
    """Run `argv`; return (exit code, stdout, stderr) as text. With `check`, failure is an error."""
    child = start(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                  text=True, errors="replace",
                  **({"stdin": subprocess.PIPE} if input is not None else {}), **kwargs)
    out, err = child.communicate(input)
    code = finish(child)
    if check and code:
        refuse_full_disk(err)
        lines = (err or out).strip().splitlines() or ["no message"]
        raise UserError(f"{' '.join(str(a) for a in argv[:4])} failed ({code}): {lines[-1]}")
    return code, out, err


def logged(argv, log, on_line=None, limit=None, end=kill_group, **kwargs):
    """Run `argv` with all output appended to the file `log`; return the exit code.

    Every line is also handed to `on_line`. What runs longer than `limit` seconds is killed by
    `end`, and the code is None.
    """
    with open(log, "a", encoding="utf-8", errors="replace") as file:
        child = start(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                      text=True, errors="replace", **kwargs)
        late = threading.Event()
        timer = threading.Timer(limit or 0, _end, (child, late, end))
        timer.daemon = True     # an interrupted run does not wait for it
        if limit:
            timer.start()
        for line in child.stdout:
            file.write(line)
            if on_line:
                on_line(line)
        timer.cancel()
        code = finish(child)
    if late.is_set():
        return None
    if code:
        refuse_full_disk(tail(log, 50))
    return code


def tail(path, count):
    """Return the last `count` lines of a file as one text."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-count:])


def refuse_full_disk(text):
    """Raise the error for a full disk if `text` shows that a command met one."""
    if "No space left on device" in text:
        raise UserError("the disk is full", "make room and run the same command again")
