# SPDX-License-Identifier: GPL-2.0-only
"""An initramfs with small programs of our own, built with the kernel's nolibc."""

from ..common import paths, proc
from ..common.errors import UserError
from . import build

SOURCES = paths.TOOLS / "initramfs"
ARCHIVE = "gup-initramfs.cpio"     # in the build directory


def program(tree, target, build_dir, log, name, flags=()):
    """Compile tools/initramfs/NAME.c and NAME_*.c with the headers of the built kernel.

    Return the path of the program. With `flags` for another word size there is no libgcc.
    """
    sources = sorted(SOURCES.glob(f"{name}_*.c"))
    output = build_dir / f"gup-{name}{''.join(flags)}"
    sources.insert(0, SOURCES / f"{name}.c")
    build.make(tree, target, build_dir, log, "headers", what="installing headers")
    compiler = [f"{target.cross_compile}gcc", "-Os", "-Wall", "-static", "-nostdlib",
                "-fno-asynchronous-unwind-tables", "-I", build_dir / "usr/include", "-I", tree,
                "-I", tree / "tools/include/nolibc",
                "-include", tree / "tools/include/nolibc/nolibc.h", *flags, "-o", output,
                *sources, *([] if flags else ["-lgcc"])]
    if proc.logged(compiler, log):
        raise UserError(f"cannot build {sources[0].name}", f"see {log}")
    return output


def pack(build_dir, entries, name=ARCHIVE):
    """Return the path of an archive of `entries`, lines as gen_init_cpio of the kernel has them."""
    archive = build_dir / name
    listed = archive.with_suffix(".list")
    listed.write_text("\n".join(entries) + "\n", encoding="utf-8")
    with open(archive, "wb") as file:
        if proc.finish(proc.start([build_dir / "usr/gen_init_cpio", listed], stdout=file)):
            raise UserError("cannot make the initramfs", f"see {listed}")
    return archive
