// SPDX-License-Identifier: GPL-2.0-only
/* What all parts of the program that asks move_pages() need; see move_pages.c. */
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include "move_pages_common.h"

#ifdef __x86_64__
#define WORD	"64"
#else
#define WORD	"32"
#endif

static int log_fd;
const void *pages[NR + 1];
int status[NR + 1];

void open_log(void)
{
	log_fd = open("/kmsg", O_WRONLY);
}

void say(const char *name, const char *fault, long got, long want)
{
	char line[160];
	int len;

	if (fault)
		len = snprintf(line, sizeof(line),
			       "<5>move-pages: FAIL %s bits: %s: %s: got %ld, want %ld\n",
			       WORD, name, fault, got, want);
	else
		len = snprintf(line, sizeof(line),
			       "<5>move-pages: PASS %s bits: %s\n", WORD, name);
	write(log_fd, line, len);
}

long ask(int pid, unsigned long nr)
{
	int i;

	for (i = 0; i <= NR; i++)
		status[i] = POISON;

	return _syscall(__NR_move_pages, pid, nr, pages, 0, status, 0);
}

void expect(const char *name, long got, long want)
{
	say(name, got == want ? NULL : "result", got, want);
}

void *map(unsigned long size, int prot, int flags)
{
	return mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

void bind_to(unsigned long nodes)
{
	if (_syscall(__NR_set_mempolicy, nodes ? MPOL_BIND : MPOL_DEFAULT, nodes ? &nodes : NULL,
		     nodes ? 8 : 0))
		say("memory policy", "cannot be set", errno, 0);
}

long wrong_answers(const char *at, int nr, unsigned long step, int want)
{
	long ret, wrong = 0;
	int i;

	for (i = 0; i < nr; i++)
		pages[i] = at + i * step;
	ret = ask(0, nr);
	for (i = 0; i < nr; i++)
		wrong += status[i] != want;

	return ret ?: wrong;
}

long collapse_of(int pidfd, void *at)
{
	struct { void *base; unsigned long len; } range = { at, 2 << 20 };

	return _syscall(__NR_process_madvise, pidfd, &range, 1, 25, 0) == 2 << 20 ? 0 : 1;
}
