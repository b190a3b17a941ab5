# SPDX-License-Identifier: GPL-2.0-only
# Delegates only: everything is done by tools/kunit-gup.

export TARGET VARIANT ACCEL BASE KDIR FILTER WAIT JOBS ROUNDS MB PEER KUNIT STEP STEPS HERD \
	GUP_SEED A B MAILING

COMMANDS := kunit steps module-runs move-pages build-variants plan \
	prepare export discard rebase-check \
	check check-all test lint checkpatch w1 modules-check objects litmus recipes coverage \
	mutants \
	bench bench-profile bench-uml bench-here bench-compare figures \
	kselftest \
	series series-check kernelci table \
	clean distclean

.PHONY: help $(COMMANDS)
.NOTPARALLEL:

help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

$(COMMANDS):
	@command -v python3 >/dev/null || { \
		echo "kunit-gup: error: python3 is missing; run: apt-get install -y python3" >&2; \
		exit 1; }
	@tools/kunit-gup $@

#: run
#:   make kunit           build a kernel with the series and run the suites (the main job)
#:   make steps           the suites pass after every patch of the series
#:   make module-runs     the suites as a module: loaded, run, unloaded, twice (TARGET=x86_64)
#:   make move-pages      the system call, by programs of 64 and 32 bits (TARGET=x86_64)
#:   make build-variants  mm/ without THP, NUMA, migration, the suites or KUnit, and by LLVM
#:   make plan            run everything and pin which suites, cases and rows there must be
#:
#: edit
#:   make prepare         bring the prepared tree up to date
#:   make export          bring commits and edits made in the prepared tree back to this repository
#:   make discard         drop commits and edits made in the prepared tree
#:   make rebase-check    which patches do not apply to another Linux, and where (KDIR=)
#:
#: check
#:   make check           all that CI needs, on the targets that say so
#:   make check-all       the rest: other targets, debug variants, module, what is only built
#:   make test            tests of the tools
#:   make lint            rules for the files of this repository
#:   make checkpatch      checkpatch.pl --strict over patches and files
#:   make w1              no warning with W=1
#:   make modules-check   the suites build as a module
#:   make objects         the series leaves the object code of others alone
#:   make litmus          the lockless steps, by herd7 and the kernel's memory model
#:   make recipes         README's recipes for a row, a suite, a mutation, a target, in a copy
#:   make coverage        lines and branches of the changed code that the suites run, on UML
#:   make mutants         mistakes made on purpose: the suites must notice each (FILTER='scan-*')
#:
#: measure
#:   make bench           whole system calls, unpatched and patched (TARGET=x86_64)
#:   make bench-profile   where the instructions go; atomics, barriers, lines of data (TARGET=x86_64)
#:   make bench-uml       the walkers on UML, unpatched and patched
#:   make bench-here      the running kernel, as root: time, cycles and cache misses (TARGET=: a guest)
#:   make bench-compare   two files of figures, of two kernels or machines, side by side (A= B=)
#:   make figures         tools/pictures, from the last make bench and make bench-profile
#:   make kselftest       the kernel's own tests around GUP, unpatched and patched
#:
#: publish
#:   make series          build/series: mails for git am, in pieces (NAME/) and as a whole; diffs
#:   make series-check    each mail built as =y, =m and =n, booted, and read by checkpatch
#:   make kernelci        would KernelCI take tools/kernelci/, and keep the last results?
#:   make table           build/targets.md: which suites ran on which targets
#:
#: make clean             remove build/ and the build directories in the cache
#: make distclean         remove the cache too
#:
#: variables
#:   TARGET=x86_64        what to build and run, a table of tools/targets.toml; `all`: each of them
#:   VARIANT=kasan+ubsan  with debug variants, also tables of tools/targets.toml
#:   ACCEL=kvm|tcg        QEMU's accelerator, instead of one that was seen to boot the kernel
#:   BASE=7.2             take the Debian source of another version of tools/source.toml
#:   KDIR=/path           take this Linux (a tree, linux-7.3.4.tar.xz or REPOSITORY@TAG; only read)
#:   FILTER='gup_fast.*'  only these suites or cases (the plan is not compared); kselftest: programs
#:   GUP_SEED=42          repeat the random order of the suites, by the seed that a case printed
#:   JOBS=N               jobs of make; default: all CPUs
#:   WAIT=1               wait for another run instead of giving up
#:   ROUNDS=7             bench, bench-uml, bench-here: boots or runs of each kernel
#:   MB=256               bench, bench-here: how much memory is pinned
#:   PEER='mails/ b.mbox' other series for Linux 7.3 (also a.patch,b.patch): kunit: what the suites
#:                        say about them; bench, bench-profile: measure them as well
#:   A=, B=one.json       bench-compare: files of build/bench
#:   KUNIT=idle           bench: also with KUnit and the suites in the kernel, and none running
#:   STEP=NNNN            bench*, kselftest: the patch to measure instead of the last
#:   STEP=core            bench, bench-profile: a mailing of make series, with those before it
#:   STEP=NNNN,NNNN       steps: only after these patches; series-check: only these of build/series
#:   MAILING=core         series-check: compile each patch of one mailing, for five machines
#:   STEPS=all            bench-uml: one column for every patch
#:   HERD=/path/herd7     litmus: this herd7 instead of the one on PATH
#:   XDG_CACHE_HOME       the cache is kunit-gup/ below it; default ~/.cache
