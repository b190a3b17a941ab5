# SPDX-License-Identifier: GPL-2.0-only
"""The one kind of error that a user sees."""


class UserError(Exception):
    """Something that the user can act on; shown as one line, never as a traceback."""

    def __init__(self, what, remedy=""):
        """Say `what` is wrong and, if known, the `remedy`."""
        super().__init__(f"{what}; {remedy}" if remedy else what)
