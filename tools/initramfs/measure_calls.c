// SPDX-License-Identifier: GPL-2.0-only
/* The part of measure.c about system calls that pin memory while they splice or copy it. */
#include <sys/mman.h>
#include "measure_calls.h"
#include "measure_common.h"

#define SPLICED	16	/* pages that a new pipe has room for */
#define COPIED	256	/* pages that are copied at a time */

static void measure_vmsplice(const struct layout *l, char *start)
{
	struct iovec part = { .iov_len = SPLICED * PAGE };
	int ends[2], null = open("/dev/null", O_WRONLY);
	struct span span;
	char *p;

	if (null < 0 || _syscall(__NR_pipe2, ends, 0))
		fail("vmsplice", "no pipe, or no /dev/null");
	begin(&span);
	for (p = start; p < start + size; p += part.iov_len) {
		part.iov_base = p;
		if (_syscall(__NR_vmsplice, ends[1], &part, 1, 0) != (long)part.iov_len ||
		    _syscall(__NR_splice, ends[0], NULL, null, NULL, part.iov_len, 0) !=
		    (long)part.iov_len)
			fail("vmsplice", "failed");
	}
	finish(&span);
	close(ends[0]);
	close(ends[1]);
	close(null);
	result("vmsplice", l, "read", SPLICED, &span);
}

/* From this process to itself, which the kernel treats as any other. */
static void measure_process_vm_readv(const struct layout *l, char *start)
{
	struct iovec to = { .iov_len = COPIED * PAGE }, from = to;
	int pid = getpid();
	struct span span;

	to.iov_base = mmap(NULL, to.iov_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	if (to.iov_base == MAP_FAILED)
		fail("mmap", "failed");
	memset(to.iov_base, 1, to.iov_len);
	begin(&span);
	for (from.iov_base = start; (char *)from.iov_base < start + size;
	     from.iov_base = (char *)from.iov_base + from.iov_len)
		if (_syscall(__NR_process_vm_readv, pid, &to, 1, &from, 1, 0) != (long)to.iov_len)
			fail("process_vm_readv", "failed");
	finish(&span);
	munmap(to.iov_base, to.iov_len);
	result("process_vm_readv", l, "read", COPIED, &span);
}

void measure_calls(const struct layout *l, char *start)
{
	measure_vmsplice(l, start);
	measure_process_vm_readv(l, start);
}
