// SPDX-License-Identifier: GPL-2.0-only
/*
 * What only the system call can show of move_pages(): the word size of the caller,
 * other processes, and which of them may be asked about. Run as /init, it asks as
 * a program of 64 bits, and lets /rows32 ask as one of 32 bits: the same source.
 *
 * Results go to the kernel log, from where tools/kunit_gup/run/move_pages.py
 * takes them. Built with the kernel's nolibc.
 */
#include <sys/mman.h>
#include "move_pages_common.h"
#include "move_pages_kinds.h"
#include "move_pages_overlap.h"

static char *memory;

/* Even pages are touched, odd ones are not. */
static void expect_every_other(const char *name, int pid, int nr)
{
	long ret = ask(pid, nr);
	int i, want;

	if (ret) {
		say(name, "result", ret, 0);
		return;
	}
	for (i = 0; i < nr; i++) {
		want = i % 2 ? -ENOENT : 0;
		if (want ? status[i] != want : status[i] < 0 || status[i] > 1) {
			say(name, "status", status[i], want);
			return;
		}
	}
	if (status[nr] != POISON)
		say(name, "status behind the last", status[nr], POISON);
	else
		say(name, NULL, 0, 0);
}

static void counts(void)
{
	static const int nr[] = { 0, 1, 15, 16, 17, 511, 512, 513, 1025 };
	char name[40];
	unsigned int i;

	for (i = 0; i < sizeof(nr) / sizeof(*nr); i++) {
		snprintf(name, sizeof(name), "%d addresses", nr[i]);
		expect_every_other(name, 0, nr[i]);
	}
}

static void errors(void)
{
	expect("nothing without arrays", _syscall(__NR_move_pages, 0, 0, 0, 0, 0, 0), 0);
	expect("addresses nowhere",
	       _syscall(__NR_move_pages, 0, 40, 0, 0, status, 0), -EFAULT);
	expect("statuses nowhere",
	       _syscall(__NR_move_pages, 0, 40, pages, 0, 0, 0), -EFAULT);
	expect("unknown flag",
	       _syscall(__NR_move_pages, 0, 1, pages, 0, status, 1 << 20), -EINVAL);
	expect("no such process", ask(99999, 1), -ESRCH);
}

/* A child that stays until it is told to go has the same pages at its addresses. */
static void processes(void)
{
	int child = fork();

	if (!child) {
		for (;;)
			sleep(1000);
	}
	expect_every_other("pages of a child", child, 700);
	if (!fork()) {
		_syscall(__NR_setuid, 1000);
		expect("process of somebody else", ask(child, 1), -EPERM);
		expect_every_other("own pages as somebody", 0, 700);
		exit(0);
	}
	waitpid(-1, NULL, 0);
	kill(child, 9);
	waitpid(child, NULL, 0);
	expect("process that has gone", ask(child, 1), -ESRCH);
}

/* 7.3 answers all groups of 16 that it can read before an array ends. */
static void arrays_end(void)
{
	static const int ends[] = { 0, 19, 100, 512, 531, 1030 };
	int end, i, size = 16 * 4096;
	const void **last;
	char name[48], *array = map(size + 4096, PROT_READ | PROT_WRITE, 0);
	unsigned int n;
	long ret, wrong;

	munmap(array + size, 4096);
	for (n = 0; n < sizeof(ends) / sizeof(*ends); n++) {
		end = ends[n];
		last = (const void **)(array + size) - end;
		memcpy(last, pages, end * sizeof(*last));
		for (i = 0; i <= NR; i++)
			status[i] = POISON;
		ret = _syscall(__NR_move_pages, 0, NR, last, 0, status, 0);
		for (i = 0, wrong = 0; i <= NR; i++)
			wrong += (status[i] == POISON) == (i < end / 16 * 16);
		snprintf(name, sizeof(name), "addresses end after %d", end);
		expect(name, ret == -EFAULT ? wrong : ret, 0);

		ret = _syscall(__NR_move_pages, 0, NR, pages, 0,
			       (int *)(array + size) - end, 0);
		for (i = 0, wrong = 0; i < end; i++)
			wrong += ((int *)(array + size) - end)[i] != (i % 2 ? -ENOENT : 0);
		snprintf(name, sizeof(name), "statuses end after %d", end);
		expect(name, ret == -EFAULT ? wrong : ret, 0);
	}
}

/* Huge pages are split and made again by others all the time. */
static void collapse(void)
{
	char *at = map(6 << 20, PROT_READ | PROT_WRITE, 0);
	int parent = getpid(), child, i, made = 0;
	long wrong = 0;

	at = (char *)(((unsigned long)at + (2 << 20) - 1) & ~((2UL << 20) - 1));
	for (i = 0; i < 1024; i++)
		at[i * 4096] = 1;
	child = fork();
	if (!child) {
		int fd = _syscall(__NR_pidfd_open, parent, 0);

		for (;;)
			collapse_of(fd, at + (i++ % 2 << 21));
	}
	for (i = 0; i < 400; i++) {
		made += !_syscall(__NR_madvise, at, 2 << 20, 25);
		wrong += wrong_answers(at, 1024, 4096, 0) != 0;
		_syscall(__NR_mprotect, at + 7 * 4096, 4096, PROT_READ);
		wrong += wrong_answers(at, 1024, 4096, 0) != 0;
		_syscall(__NR_mprotect, at + 7 * 4096, 4096, PROT_READ | PROT_WRITE);
	}
	kill(child, 9);
	waitpid(child, NULL, 0);
	expect("huge pages were made", made > 0, 1);
	expect("huge pages come and go", wrong, 0);
}

int main(int argc, char **argv)
{
	int i;

	open_log();
	bind_to(1);
	memory = mmap(NULL, NR * 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < NR; i++) {
		pages[i] = memory + i * 4096;
		if (i % 2 == 0)
			memory[i * 4096] = 1;
	}
	counts();
	errors();
	processes();
	arrays_end();
	overlap();
	kinds();
	userfaultfd();
	collapse();
	if (sizeof(long) == 8) {
		if (!fork()) {
			char *args[] = { "/rows32", NULL }, *env[] = { NULL };

			execve("/rows32", args, env);
			say("program of 32 bits", "cannot be run", errno, 0);
			exit(1);
		}
		waitpid(-1, NULL, 0);
		reboot(LINUX_REBOOT_CMD_RESTART);
	}

	return 0;
}
