# SPDX-License-Identifier: GPL-2.0-only
"""Git with nothing of the user's configuration, so that results are the same everywhere."""

from . import proc

IDENTITY = {"NAME": "kunit-gup", "EMAIL": "kunit-gup@example.invalid", "DATE": "@0 +0000"}

CONFIG = {
    "advice.detachedHead": "false",
    "core.abbrev": "12",
    "core.autocrlf": "false",
    "core.hooksPath": "/dev/null",
    "core.looseCompression": "0",
    "core.fsync": "none",
    "core.quotePath": "false",
    "gc.auto": "0",
    "init.defaultBranch": "gup",
    "maintenance.auto": "false",
    "safe.directory": "*",
}


def environment(**extra):
    """Return the environment in which every git command of the tools runs."""
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0",
           "GIT_TERMINAL_PROMPT": "0"}
    for role in ("AUTHOR", "COMMITTER"):
        env.update({f"GIT_{role}_{key}": value for key, value in IDENTITY.items()})
    return proc.clean_env(**(env | extra))


class Git:
    """The git repository at `path`, or a work tree elsewhere with `options` that say so."""

    def __init__(self, path, *options, **env):
        """Run in `path`, with global git `options` and additional environment variables."""
        settings = [a for key, value in CONFIG.items() for a in ("-c", f"{key}={value}")]
        self.command = ["git", "-C", path, *settings, *options]
        self.env = environment(**env)

    def run(self, *args, **kwargs):
        """Run a git command; return its output without the last newline."""
        return proc.capture([*self.command, *args], env=self.env, **kwargs)[1].rstrip("\n")

    def attempt(self, *args):
        """Run a git command that may fail; return (exit code, stdout, stderr)."""
        return proc.capture([*self.command, *args], check=False, env=self.env)

    def logged(self, log, on_line, *args):
        """Run a long git command with its output in `log`; return the exit code."""
        return proc.logged([*self.command, *args], log, on_line, env=self.env)

    def commit_of(self, name):
        """Return the commit that `name` stands for, or None."""
        code, out, _ = self.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return out.strip() if code == 0 else None
