// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of move_pages.c that lays both arrays over each other, with a page in the buffer that is
 * not there or cannot be written. As lib/kunit-gup/gup_nodes_overlap_kunit.c, but for both word
 * sizes: an address of 32 bits is no larger than an answer. A model of what 7.3 does, 16 addresses
 * after the other, says what has to be in the buffer.
 */
#include <sys/mman.h>
#include "move_pages_common.h"
#include "move_pages_overlap.h"

#define CHUNK		16
#define ASKED		16		/* pages that are asked for; odd ones are not there */
#define SPECIAL		(4 * PAGE)	/* the special page of the buffer */
#define SIZE		(10 * PAGE)
#define AFTER		0x10000		/* the answers begin where the addresses end */

enum kind { PLAIN, HOLE, READ_ONLY };

static char model[SIZE], got[SIZE];
static char *asked, *buffer;
static enum kind kind;
static long unknown;			/* from here to the special page anything may be */

static int answer(unsigned long addr)
{
	const unsigned long page = (addr - (unsigned long)asked) / PAGE;

	return page >= ASKED ? -EFAULT : page % 2 ? -ENOENT : 0;
}

static int meets(long at, long len)
{
	return kind != PLAIN && at < (long)(SPECIAL + PAGE) && at + len > (long)SPECIAL;
}

static long predict(long from, long to, int nr)
{
	unsigned long addr[CHUNK];
	int out[CHUNK], n, i;

	for (; nr; nr -= n, from += n * sizeof(*addr), to += n * sizeof(*out)) {
		n = nr < CHUNK ? nr : CHUNK;
		if (kind == HOLE && meets(from, n * sizeof(*addr)))
			return -EFAULT;
		memcpy(addr, model + from, n * sizeof(*addr));
		for (i = 0; i < n; i++)
			out[i] = answer(addr[i]);
		if (meets(to, n * sizeof(*out))) {
			unknown = to < (long)SPECIAL ? to : (long)SPECIAL;
			return -EFAULT;
		}
		memcpy(model + to, out, n * sizeof(*out));
	}

	return 0;
}

static void make(enum kind which)
{
	kind = which;
	buffer = map(SIZE, PROT_READ | PROT_WRITE, 0);
	if (kind == HOLE)
		munmap(buffer + SPECIAL, PAGE);
}

static void copy(char *to, const char *from)
{
	memcpy(to, from, SPECIAL);
	if (kind == HOLE)
		memcpy(to + SPECIAL + PAGE, from + SPECIAL + PAGE, SIZE - SPECIAL - PAGE);
	else
		memcpy(to + SPECIAL, from + SPECIAL, SIZE - SPECIAL);
}

static long call(long from, long to, int nr)
{
	const unsigned long size = sizeof(void *);
	long ret;
	int i;

	memset(model, 0x5a, SIZE);
	for (i = 0; i < nr; i++)
		*(void **)(model + from + i * size) = asked + i % ASKED * PAGE;
	copy(buffer, model);
	if (kind == READ_ONLY)
		_syscall(__NR_mprotect, buffer + SPECIAL, PAGE, PROT_READ);
	ret = _syscall(__NR_move_pages, 0, nr, buffer + from, 0, buffer + to, 0);
	if (kind == READ_ONLY)
		_syscall(__NR_mprotect, buffer + SPECIAL, PAGE, PROT_READ | PROT_WRITE);
	copy(got, buffer);

	return ret;
}

static int differs(long from, long to, int nr)
{
	const long behind = SPECIAL + (kind == HOLE ? PAGE : 0);
	const long ret = call(from, to, nr);

	unknown = SPECIAL;
	return ret != predict(from, to, nr) || memcmp(got, model, unknown) ||
	       memcmp(got + behind, model + behind, SIZE - behind);
}

/* Return how many calls do not give what 7.3 gives, with the answers `ahead` of the addresses. */
static long wrong_calls(long ahead)
{
	static const int offsets[] = { 0, 8, 0x10, 0x800, 0x810, 0xc00 };
	static const int counts[] = { 16, 17, 511, 512, 513, 1025 };
	long from, to, wrong = 0;
	unsigned int o, n, near;
	enum kind which;

	for (which = PLAIN; which <= READ_ONLY; which++) {
		make(which);
		for (o = 0; o < sizeof(offsets) / sizeof(*offsets); o++)
			for (n = 0; n < sizeof(counts) / sizeof(*counts); n++)
				for (near = 0; near <= 3; near++) {
					from = SPECIAL - near * PAGE + offsets[o];
					to = from + (ahead == AFTER ?
					     counts[n] * (long)sizeof(void *) : ahead);
					wrong += differs(from, to, counts[n]);
				}
		munmap(buffer, SIZE);
	}

	return wrong;
}

/* Return how many answers are those to the addresses asked for. */
static long right_answers(enum kind which, long from, long ahead, int nr, long ret)
{
	long right = 0;
	int i;

	make(which);
	if (call(from, from + ahead, nr) != ret)
		right = -NR;
	munmap(buffer, SIZE);
	for (i = 0; i < nr; i++) {
		if (ret && from + ahead + (i + 1) * (long)sizeof(int) > (long)SPECIAL)
			break;
		right += *(int *)(got + from + ahead + i * sizeof(int)) ==
			 (i % 2 ? -ENOENT : 0);
	}

	return right;
}

void overlap(void)
{
	int i;

	asked = map(ASKED * PAGE, PROT_READ | PROT_WRITE, 0);
	for (i = 0; i < ASKED; i += 2)
		asked[i * PAGE] = 1;
	expect("arrays in one place", wrong_calls(0), 0);
	expect("statuses 8 bytes in front", wrong_calls(-8), 0);
	expect("statuses 64 bytes in front", wrong_calls(-64), 0);
	expect("statuses 2048 bytes in front", wrong_calls(-2048), 0);
	expect("statuses 4096 bytes in front", wrong_calls(-4096), 0);
	expect("statuses after the addresses", wrong_calls(AFTER), 0);
	expect("600 addresses before a page to read only",
	       right_answers(READ_ONLY, SPECIAL - PAGE + 0x810, 0, 600, -EFAULT), 508);
	expect("300 addresses before a page to read only",
	       right_answers(READ_ONLY, SPECIAL - PAGE + 0xc00, 0, 300, -EFAULT), 256);
	/* 7.3 takes its own answers for addresses here. */
	expect("statuses 1024 bytes behind the first address",
	       right_answers(PLAIN, PAGE, 1024, 512, 0), 512);
}
