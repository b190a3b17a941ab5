# SPDX-License-Identifier: GPL-2.0-only
"""What the user sees while a command runs."""

import sys
import time

QUIET_INTERVAL = 15     # seconds between two progress lines when there is no terminal
TTY_INTERVAL = 0.2


def note(text):
    """Print one line that says what happens."""
    print(f"kunit-gup: {text}", flush=True)


class Progress:
    """A line that is updated on a terminal, and repeated now and then in a log."""

    def __init__(self, what):
        """Begin the step `what`; text in brackets is shown once."""
        self.what = what.partition(" (")[0]
        self.tty = sys.stdout.isatty()
        self.last = time.monotonic()
        self.begun = self.last
        if not self.tty:
            note(f"{what} ...")

    def update(self, text):
        """Show `text` as the state of the step, unless the last update was just now."""
        now = time.monotonic()
        if now - self.last < (TTY_INTERVAL if self.tty else QUIET_INTERVAL):
            return
        self.last = now
        line = f"kunit-gup: {self.what}: {text}"
        if self.tty:
            print(f"\r\033[K{line}", end="", flush=True)
        else:
            print(line, flush=True)

    def done(self, text=""):
        """End the step, with its duration."""
        if self.tty:
            print("\r\033[K", end="")
        detail = f"{text}, " if text else ""
        note(f"{self.what}: {detail}{time.monotonic() - self.begun:.0f} s")


class Silence(Progress):
    """Shows nothing."""

    def __init__(self):
        pass

    update = done = lambda self, text="": None
