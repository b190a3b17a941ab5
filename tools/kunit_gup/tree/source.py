# SPDX-License-Identifier: GPL-2.0-only
"""The kernel source: a signed Debian package, fetched by apt into a cache of our own.

The mirror and the keyring are those of the machine. All apt state is private, so the machine's
apt is not changed; apt itself checks the signatures and the hashes.
"""

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from ..common import paths, proc, ui
from ..common.errors import UserError

KEYRINGS = ("/usr/share/keyrings/debian-archive-keyring.gpg",
            "/usr/share/keyrings/debian-archive-keyring.pgp")

SOURCE = re.compile(r"linux-source-\d+\.\d+")
NOT_REACHED = "Failed to fetch"     # apt; of a suite that is not there it says something else


@functools.cache
def _table():
    return paths.table(paths.TOOLS / "source.toml")


@functools.cache
def bases():
    """Return {version: table} of tools/source.toml, the default first."""
    return {entry["version"]: entry for entry in _table()["base"]}


def default():
    """Return the version that mm/patches is for."""
    return next(iter(bases()))


def wanted():
    """Return the table of the base that BASE= names, or of the default."""
    return bases()[os.environ.get("BASE") or default()]


def kernel_version(makefile):
    """Return (major.minor, full version) as the text of a kernel's top Makefile says."""
    found = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL) *= *(\d+) *$", makefile, re.M))
    if "VERSION" not in found or "PATCHLEVEL" not in found:
        return None, None
    short = f"{found['VERSION']}.{found['PATCHLEVEL']}"
    sub = found.get("SUBLEVEL", "0")
    return short, short if sub == "0" else f"{short}.{sub}"


def package():
    """Return the path of the verified package, fetched if it is not in the cache."""
    directory = paths.cache() / "src"
    directory.mkdir(exist_ok=True)
    version = wanted()["version"]
    record = directory / ("package.json" if version == default() else f"package-{version}.json")
    if record.exists():
        entry = paths.stored(record)
        path = directory / entry["file"]
        if path.exists() and _sha256(path) == entry["sha256"]:
            return path
        ui.note(f"{path.name} in the cache is damaged; fetching it again")
        record.unlink()
    path = _fetch(directory)
    paths.write_atomically(record, json.dumps({"file": path.name, "sha256": _sha256(path)}))
    return path


def unpack(deb, destination, log):
    """Unpack the kernel tree inside the package `deb` into the new directory `destination`.

    Return the number of files and directories.
    """
    member = f"./usr/src/{wanted()['package']}.tar.xz"
    with open(log, "a", encoding="utf-8") as errors:
        outer = proc.start(["dpkg-deb", "--fsys-tarfile", deb],
                           stdout=subprocess.PIPE, stderr=errors)
        inner = proc.start(["tar", "-xOf", "-", member],
                           stdin=outer.stdout, stdout=subprocess.PIPE, stderr=errors)
    code, count = untar(deb.name, destination, log, ["--strip-components=1", "-Jf", "-"], inner)
    outer.stdout.close()
    if code | proc.finish(outer):
        raise UserError(f"cannot unpack {deb}", f"see {log}; `make distclean` fetches it again")
    return count


def untar(what, destination, log, options, source=None):
    """Unpack `what`, a tar file that `options` name, into the new directory `destination`.

    It may come from the process `source`. Return (exit code, number of files and directories).
    """
    destination.mkdir(parents=True)
    progress = ui.Progress(f"unpacking {what}")
    count = 0

    def counted(_line):
        nonlocal count
        count += 1
        progress.update(f"{count} files")

    code = proc.logged(["tar", "-xv", "-C", destination, "--no-same-owner", *options], log, counted,
                       **({"stdin": source.stdout} if source else {}))
    if source:
        source.stdout.close()
        code |= proc.finish(source)
    if code:
        proc.refuse_full_disk(proc.tail(log, 20))
    else:
        progress.done(f"{count} files")
    return code, count


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(directory):
    """Download the package from the first suite of the machine's Debian mirrors that has it."""
    paths.need_space(0.5, "the kernel source package")
    name, problem, there = wanted()["package"], "this machine's apt has no Debian mirror", {}
    for mirror in _mirrors():
        for suite in _table()["suites"]:
            apt = _Apt(directory / "apt", mirror, suite)
            progress = ui.Progress(f"looking for {name} in {suite}")
            wrong = apt.update()
            if wrong:
                progress.done("it cannot be read")
                problem = wrong
                if NOT_REACHED in wrong:
                    break       # nor will another suite be
                continue
            entry = apt.entry(name)
            progress.done(entry["Version"] if entry else "it is not there")
            if entry:
                return apt.download(name, entry, directory)
            for other in apt.sources():
                there.setdefault(other, []).append(suite)
        if there:
            raise UserError(*_moved_on(name, there))
    raise UserError(f"cannot get the kernel source: {problem}", f"check the network, or {_own()}")


def _moved_on(name, there):
    """Say what can be done with the packages that are `there`; return the words of the error."""
    ours = {entry["package"]: entry["version"] for entry in bases().values()}
    for other in sorted(there, key=_numbers):
        what = f"`make kunit BASE={ours[other]}` takes it" if other in ours else \
            f"`make rebase-check KDIR={other}.tar.xz` (the file in it) says which patches differ"
        ui.note(f"there is {other} in {', '.join(there[other])}: {what}")
    return f"there is no {name} in {', '.join(_table()['suites'])}", _own()


def _own():
    """Return what to do without Debian's package."""
    version = wanted()
    return (f"give Linux {version['version']} with KDIR=: a tree, a tarball as "
            f"linux-{version['base']}.tar.xz, or REPOSITORY@v{version['base']}")


def _numbers(name):
    return [int(number) for number in re.findall(r"\d+", name)]


def _mirrors():
    """Return the archive URIs of the machine's apt sources, the surest first."""
    if not shutil.which("apt-get"):
        raise UserError("this machine has no apt to fetch the kernel source with",
                        _own())
    form = "$(ORIGIN)|$(LABEL)|$(REPO_URI)|$(SITE)"
    sure, unsure = [], []
    for line in proc.capture(["apt-get", "indextargets", "--format", form])[1].splitlines():
        origin, label, uri, _site = line.split("|", 3)
        if (origin, label) == ("Debian", "Debian"):
            sure.append(uri)
        elif not origin or origin.startswith("$("):     # never updated: try it, apt checks
            unsure.append(uri)
    return list(dict.fromkeys(u for u in sure + unsure if not u.startswith("cdrom:")))


class _Apt:
    """A private apt configuration in `directory`, with a `suite` of `mirror` as its only source."""

    def __init__(self, directory, mirror, suite):
        keyring = next((k for k in KEYRINGS if Path(k).exists()), None)
        if not keyring:
            raise UserError("the keyring of the Debian archive is missing",
                            "install debian-archive-keyring")
        for part in ("lists/partial", "cache/archives/partial", "download"):
            (directory / part).mkdir(parents=True, exist_ok=True)
        (directory / "status").write_text("", encoding="utf-8")
        (directory / "sources.list").write_text(
            f"deb [signed-by={keyring}] {mirror} {suite} main\n", encoding="utf-8")
        (directory / "apt.conf").write_text(
            f'Dir::State "{directory}";\n'
            f'Dir::State::status "{directory}/status";\n'
            f'Dir::State::lists "{directory}/lists";\n'
            f'Dir::Cache "{directory}/cache";\n'
            f'Dir::Etc::sourcelist "{directory}/sources.list";\n'
            'Dir::Etc::sourceparts "-";\n'
            'Dir::Etc::preferences "-";\n'
            'Dir::Etc::preferencesparts "-";\n'
            'APT::Get::List-Cleanup "0";\n'
            'Acquire::Languages "none";\n'
            'Acquire::Retries "3";\n'
            'APT::Sandbox::User "root";\n', encoding="utf-8")
        self.directory = directory
        self.env = proc.clean_env(APT_CONFIG=str(directory / "apt.conf"))

    def update(self):
        """Read the lists; return what went wrong, or None."""
        code, _, err = proc.capture(["apt-get", "-q", "-o", "APT::Update::Error-Mode=any",
                                     "update"], check=False, env=self.env)
        proc.refuse_full_disk(err)
        lines = [line for line in err.splitlines() if line.startswith(("E:", "W:"))]
        if code == 0:
            return None
        return (lines or ["apt-get update failed"])[0].removeprefix("E: ").rstrip()

    def entry(self, name):
        """Return the fields of the newest package `name`, or None."""
        code, out, _ = proc.capture(["apt-cache", "show", "--no-all-versions", name],
                                    check=False, env=self.env)
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", out, re.M))
        return fields if code == 0 and "Size" in fields else None

    def sources(self):
        """Return the names of all packages with a kernel source."""
        out = proc.capture(["apt-cache", "pkgnames", "linux-source-"], check=False,
                           env=self.env)[1]
        return [name for name in out.split() if SOURCE.fullmatch(name)]

    def download(self, name, entry, destination):
        """Download `name` and move the finished file to `destination`; return its path."""
        size = int(entry["Size"])
        partial = self.directory / "download"
        progress = ui.Progress(f"downloading {name} {entry['Version']}")
        child = proc.start(["apt-get", "-q", "download", name], cwd=partial, env=self.env,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while True:
            try:
                _, err = child.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                have = sum(f.stat().st_size for f in partial.iterdir())
                progress.update(f"{have} of {size} bytes, {100 * have // size} %")
        if proc.finish(child):
            proc.refuse_full_disk(err)
            reason = (err.strip().splitlines() or ["apt-get download failed"])[0]
            raise UserError(f"cannot download {name}: {reason}",
                            "check the network and run the same command again")
        found = next(f for f in partial.iterdir() if f.suffix == ".deb")
        if found.stat().st_size != size or _sha256(found) != entry["SHA256"]:
            found.unlink()
            raise UserError(f"the download of {name} is damaged", "run the same command again")
        progress.done(f"{size} bytes")
        return found.rename(destination / found.name)
