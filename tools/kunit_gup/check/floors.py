# SPDX-License-Identifier: GPL-2.0-only
"""No file includes what lies above it, and none in a circle; tools/floors.toml has the floors.

A C file and its header are one unit here: two C files that include each other's headers call each
other, which is a circle too.
"""

import ast
import re
from collections import defaultdict
from pathlib import PurePath

from ..common import paths
from ..common.checks import Check
from .code import functions

SUITES, MM = "lib/kunit-gup", "mm"
PROGRAMS = "tools/initramfs"
PACKAGE = "tools/kunit_gup"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)

DECLARED = re.compile(r"^(?!static\b)\w[\w \t*]*\b(\w+)\([^;{}()]*\);", re.M)


def table():
    """Return the content of tools/floors.toml."""
    return paths.table(paths.TOOLS / "floors.toml")


def checks(texts, floors=None):
    """Return the Checks of {path: text}, the files of this repository."""
    floors = floors or table()
    above, pairs, rings = [], [], []
    for tops in ((f"{SUITES}/", f"{MM}/gup_"), (f"{PROGRAMS}/",)):
        ours = {name: text for name, text in texts.items() if name.startswith(tops)}
        edges = includes(ours)
        above += _suites(edges, floors["suites"])
        alone = floors["suites"]["types"] + floors["suites"].get("inline", [])
        pairs += _pairs(ours, alone)
        units = defaultdict(set)
        for name, others in edges.items():
            units[_unit(name)].update(map(_unit, others))
        rings += circles(units)
    modules = imports({n: t for n, t in texts.items() if n.startswith(f"{PACKAGE}/")})
    return [Check("no file includes what lies above it",
                  above + _tools(modules, floors["tools"]["floors"])),
            Check("a header and a C file are a pair", pairs),
            Check("nothing includes in a circle", rings + circles(modules))]


def includes(texts):
    """Return {C file: [the files of ours that it includes]}."""
    ours = {name: text for name, text in texts.items() if name.endswith((".c", ".h"))}
    by_name = {PurePath(name).name: name for name in ours}
    return {name: [by_name[PurePath(header).name] for header in INCLUDE.findall(text)
                   if PurePath(header).name in by_name] for name, text in ours.items()}


def circles(graph):
    """Return one line for each circle in {name: [names]}."""
    found, done = [], set()

    def walk(name, path):
        if name in path:
            circle = path[path.index(name):]
            found.append(f"a circle: {' -> '.join([*circle, name])}")
        elif name not in done:
            for other in sorted(graph.get(name, ())):
                if other != name:
                    walk(other, [*path, name])
            done.add(name)

    for name in sorted(graph):
        walk(name, [])
    return found


def _unit(name):
    return name.rpartition(".")[0]


def _folder(name):
    """Return the folder of lib/kunit-gup in which a file lies; nothing if it lies in none."""
    inside = PurePath(name).parts[2:]
    return inside[0] if name.startswith(f"{SUITES}/") and len(inside) > 1 else ""


def _suites(edges, floors):
    """Return which files of lib/kunit-gup include what is not below them.

    Those in no folder are on the ground, as types are, once there are folders.
    """
    height = {folder: number for number, floor in enumerate(floors["floors"], 1)
              for folder in floor}
    types = {f"{SUITES}/{name}" for name in floors["types"]}
    folders = {_folder(name) for name in edges} - {""}
    found = [f"{SUITES}/{folder}/ is on no floor of tools/floors.toml"
             for folder in sorted(folders - height.keys())]

    def floor(name):
        if name.startswith(f"{MM}/"):
            return -1
        return 0 if name in types else height.get(_folder(name), 0)

    for name, others in sorted(edges.items()):
        for other in others if folders else ():
            if floor(other) > floor(name):
                found.append(f"{name} includes {other}, which lies above it")
            elif floor(other) == floor(name) > 0 and _folder(name) != _folder(other):
                found.append(f"{name} includes {other}, of another folder on the same floor")
    return found


def _pairs(texts, alone):
    """Return where a header and a C file are no pair: one for each, with the same functions.

    A suite has no header, and the headers `alone` have no C file.
    """
    found, names = [], {name for name in texts if name.endswith((".c", ".h"))}
    defined = {function: name for name in names if name.endswith(".c")
               for function in linked(texts[name])}
    folders = any(map(_folder, names))
    for name in sorted(names):
        unit = _unit(name)
        if name.removeprefix(f"{SUITES}/") in alone or name.startswith(f"{MM}/") \
                or not (folders or name.startswith(PROGRAMS)):
            continue
        if name.endswith(".h"):
            if f"{unit}.c" not in names:
                found.append(f"{name} has no {PurePath(unit).name}.c, and is not in tools/floors.toml")
            found += [f"{name} declares {function}(), which is in {defined[function]}"
                      for function in DECLARED.findall(texts[name])
                      if defined.get(function, f"{unit}.c") != f"{unit}.c"]
        elif folders and not name.endswith("_kunit.c") and f"{unit}.h" not in names:
            found.append(f"{name} has no header of its own")
    return found


def linked(text):
    """Return the functions that a C file has for others."""
    return [each.name for each in functions(text) if not each.head.startswith("static")]


def imports(texts):
    """Return {module: {modules of ours that it imports}} of the tools."""
    modules = {tuple(PurePath(name).with_suffix("").parts[2:]): text
               for name, text in texts.items() if name.endswith(".py")}
    found = {}
    for parts, text in modules.items():
        used = found.setdefault(".".join(parts), set())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = parts[:len(parts) - node.level] + tuple((node.module or "").split("."))
                base = tuple(filter(None, base))
                used |= {".".join(where) for alias in node.names
                         for where in ((*base, alias.name), base) if where in modules}
    return found


def _tools(modules, floors):
    """Return which modules import one of a package above their own."""
    height = {package: number for number, floor in enumerate(floors) for package in floor}

    def floor(module):
        package, dot, _ = module.partition(".")
        return height.get(package, len(floors)) if dot else len(floors)

    return [f"{PACKAGE}: {module} imports {other}, which lies above it"
            for module, others in sorted(modules.items()) for other in sorted(others)
            if floor(other) > floor(module)]
