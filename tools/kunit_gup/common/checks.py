# SPDX-License-Identifier: GPL-2.0-only
"""The result of one check of the tools, as `make check` counts and prints it."""

from dataclasses import dataclass, field

from .errors import UserError


@dataclass
class Check:
    """One check: good without problems, or skipped for a reason."""

    name: str
    problems: list = field(default_factory=list)
    skipped: str = ""
    detail: str = ""

    def attempt(self, function):
        """Call `function`, which returns problems; an error is one more. Return the Check."""
        try:
            self.problems += function() or []
        except UserError as error:
            self.problems.append(str(error))
        return self

    def show(self):
        """Print the result and each problem."""
        if self.skipped:
            print(f"skipped {self.name}: {self.skipped}", flush=True)
            return
        detail = f": {self.detail}" if self.detail else ""
        print(f"{'FAILED' if self.problems else 'ok'} {self.name}{detail}", flush=True)
        for problem in self.problems:
            print(f"    {problem}", flush=True)


def totals(checks):
    """Return (passed, failed, skipped)."""
    skipped = sum(bool(c.skipped) for c in checks)
    failed = sum(bool(c.problems) for c in checks if not c.skipped)
    return len(checks) - skipped - failed, failed, skipped
