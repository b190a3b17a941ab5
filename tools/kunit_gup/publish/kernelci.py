# SPDX-License-Identifier: GPL-2.0-only
"""`make kernelci`: would KernelCI take the jobs, and would it keep the results of a run?

The rules are those of kernelci-pipeline: its validation of config/, config/runtime/kunit.jinja2,
which maps kunit.py's JSON, and src/send_kcidb.py, which passes results on.
"""

import json
import re
import shlex

from ..common import paths, proc
from ..common.checks import Check
from ..common.errors import UserError
from ..run import build, judge, kunit, targets
from ..tree import source, trees

MODULES = {"yaml": "python3-yaml"}
FILE = paths.TOOLS / "kernelci" / "kunit-gup.yaml"
JOB_KEYS = {"template", "kind", "base_name", "image", "params", "rules", "kcidb_test_suite",
            "priority"}
JOB_NEEDS = {"template", "kind", "kcidb_test_suite"}
ENTRY_KEYS = {"job", "event", "runtime", "platforms", "rules"}
ENTRY_NEEDS = {"job", "event", "runtime"}
EVENT_NEEDS = {"channel", "state", "kind"}
PRIORITIES = ("low", "medium", "high")
STATUSES = ("PASS", "FAIL", "SKIP")     # the template knows no other, and ends at another
BODY_MAX = 32 << 20                     # bytes that the API takes since April 2026; 1 MiB before
PREFIX = "kunit.exec"
KCIDB_NAME = re.compile(r"[^A-Za-z0-9_-]")
LKFT_NAME = re.compile(r"[^a-z0-9]+")
# What the template puts into each node, with the longest values: a merge has a long message.
NODE = {
    "kind": "test", "state": "done", "result": "pass", "group": "kunit-gup-x86_64",
    "processed_by_kcidb_bridge": False,
    "data": {
        "kernel_revision": {
            "tree": "x" * 20, "url": "x" * 80, "branch": "x" * 30, "commit": "x" * 40,
            "describe": "x" * 40, "commit_tags": [], "commit_message": "x" * 8000,
            "tip_of_branch": True,
            "version": {"version": 7, "patchlevel": 3, "sublevel": 4, "extra": "x" * 20}},
        "kernel_type": None, "arch": "x86_64", "defconfig": None, "config_full": None,
        "compiler": None, "platform": "kubernetes", "runtime": "x" * 20},
}


def jobs(kdir=None):
    """Check the jobs; return the Checks."""
    config = load(paths.read(FILE))
    return [Check("KernelCI takes the keys of the jobs", key_problems(config)),
            Check("kunit.py takes the options of the jobs",
                  option_problems(config, trees.prepare(kdir).path))]


def load(text):
    """Return the content of a YAML file."""
    import yaml     # a package that deps.py installs (MODULES)
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"{FILE.name}: {' '.join(str(error).split())}", "mend it") from None


def run(kdir=None):
    """Check the jobs, and the results of the last run on each target; return the Checks."""
    checks = jobs(kdir)
    for name in targets.table():
        check = Check(f"KernelCI keeps the results of {name}")
        if kunit.paths_of(name)["json"].exists():
            check.problems = losses(name)
        else:
            check.skipped = f"there are none; `make kunit TARGET={name}` makes them"
        checks.append(check)
    return checks


def key_problems(config):
    """Return what the validation of kernelci-pipeline would refuse."""
    problems = []
    jobs, entries = config.get("jobs") or {}, config.get("scheduler") or []
    for name, job in jobs.items():
        problems += _keys(f"job {name}", job, JOB_KEYS, JOB_NEEDS)
        problems += _priority(name, job.get("priority", "medium"))
        problems += _rules(name, job.get("rules") or {})
        if "setup" in name:
            problems.append(f"job {name}: 'setup' in a name is dropped")
    for entry in entries:
        where = f"scheduler entry of {entry.get('job')}"
        problems += _keys(where, entry, ENTRY_KEYS, ENTRY_NEEDS)
        problems += _keys(f"{where}, event", entry.get("event") or {}, None, EVENT_NEEDS)
        if entry.get("job") not in jobs:
            problems.append(f"{where}: no such job")
    for name in jobs.keys() - {entry.get("job") for entry in entries}:
        problems.append(f"job {name}: never scheduled")
    return problems


def _keys(where, mapping, allowed, needed):
    unknown = sorted(mapping.keys() - allowed) if allowed else []
    return [f"{where}: unknown key {key}" for key in unknown] \
        + [f"{where}: no key {key}" for key in sorted(needed - mapping.keys())]


def _priority(name, value):
    good = value in PRIORITIES if isinstance(value, str) else 0 <= value <= 100
    return [] if good else [f"job {name}: priority {value}"]


def _rules(name, rules):
    """Return whether the job could run on a tree that is too old to have the suites."""
    least = rules.get("min_version") or {}
    have = (least.get("version", 0), least.get("patchlevel", 0))
    want = tuple(int(part) for part in source.default().split("."))
    return [] if have >= want else [f"job {name}: min_version is below {source.default()}"]


def option_problems(config, tree):
    """Return the options of jobs that not all three of config, build and exec take."""
    problems = []
    known = {command: _options(tree, command) for command in ("config", "build", "exec")}
    for name, job in (config.get("jobs") or {}).items():
        params = job.get("params") or {}
        args = params.get("args", "")
        if "'" in args:
            problems.append(f"job {name}: a single quote ends the string that args stand in")
        words = shlex.split(args)
        for option in [word.partition("=")[0] for word in words]:
            lacking = [command for command, options in known.items() if option not in options]
            if lacking:
                problems.append(f"job {name}: `kunit.py {lacking[0]}` has no {option}")
        problems += _directories(name, tree, words)
        if params.get("arch") not in {target.arch for target in targets.table().values()}:
            problems.append(f"job {name}: arch {params.get('arch')} is none that the suites ran on")
    return problems


def _directories(name, tree, words):
    given = [word.partition("=")[2] for word in words if word.startswith("--kunitconfig=")]
    lost = [path for path in given if not (tree / path / ".kunitconfig").is_file()]
    return [f"job {name}: no {path}/.kunitconfig in the tree" for path in lost] \
        + ([] if given else [f"job {name}: no --kunitconfig, so none of the suites"])


def _options(tree, command):
    _, out, _ = proc.capture([*build.kunit_py(tree), command, "--help"], cwd=tree)
    return set(re.findall(r"(?<![\w-])--[a-z_]+", out))


def losses(name):
    """Return what of the results of `name` in build/results would be lost on their way."""
    path = kunit.paths_of(name)["json"]
    if not path.exists():
        raise UserError(f"no results of {name}", f"`make kunit TARGET={name}` makes them")
    return result_problems(paths.stored(path), kunit.pinned_plan())


def body(group):
    """Return how many bytes are sent for a run: a node for each suite, case and row."""
    return len(json.dumps(_node(group, ())))


def _node(group, path):
    """Return the node of a group of kunit.py's JSON with those below, as the template makes it."""
    path = (*path, group["name"])
    leaves = [{"node": NODE | {"name": case["name"], "path": [*path, case["name"]]},
               "child_nodes": []} for case in group["test_cases"]]
    return {"node": NODE | {"name": group["name"], "path": list(path), "kind": "job"},
            "child_nodes": [*leaves, *(_node(sub, path) for sub in group["sub_groups"])]}


def result_problems(group, plan, most=BODY_MAX):
    """Return what of a run, in kunit.py's JSON, would be lost, and what is missing."""
    results = judge.leaves(group)
    problems = [f"{r.name or '(no name)'}: status {r.status}, at which all results are lost"
                for r in results if r.status not in STATUSES]
    problems += judge.bad_names(results) + _collisions(results) + _without_suite(results)
    if body(group) > most:
        problems.append(f"{body(group)} bytes of results; KernelCI takes {most}")
    return problems + judge.losses(plan, judge.plan_of(results))


def _collisions(results):
    """Return names that are one and the same in KCIDB, where other characters become _."""
    seen, problems = {}, []
    for result in dict.fromkeys(r.path for r in results):
        path = ".".join([PREFIX, *(KCIDB_NAME.sub("_", part) for part in result)])
        if path in seen:
            problems.append(f"'{'.'.join(seen[path])}' and '{'.'.join(result)}' are both {path}")
        seen.setdefault(path, result)
    return problems


def _without_suite(results):
    """Return names of rows that are the same for LKFT, which takes case and row, not the suite."""
    seen, problems = {}, []
    for path in dict.fromkeys(r.path for r in results if len(r.path) > 2):
        name = LKFT_NAME.sub("-", "_".join(path[1:]).lower())
        if seen.setdefault(name, path)[0] != path[0]:
            problems.append(f"'{'.'.join(seen[name])}' and '{'.'.join(path)}' are both {name} "
                            "for LKFT; rename a case")
    return problems
