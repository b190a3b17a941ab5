// SPDX-License-Identifier: GPL-2.0-only
/* What all parts of the program that measures need; see measure.c. */
#include "measure_common.h"

static const char * const map_names[] = { "pte", "pmd", "hugetlb" };

unsigned long size;

void end(void)
{
	reboot(LINUX_REBOOT_CMD_RESTART);
	exit(1);
}

void fail(const char *what, const char *why)
{
	printf("kunit-gup: error: %s: %s\n", what, why);
	end();
}

unsigned long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000UL + ts.tv_nsec;
}

void result(const char *op, const struct layout *l, const char *access,
	    unsigned int per_call, unsigned long value)
{
	if (per_call > size / PAGE)
		per_call = size / PAGE;
	printf("kunit-gup: op=%s kb=%lu map=%s access=%s per_call=%u pages=%lu ns=%lu\n",
	       op, l->kb, map_names[l->map], access, per_call, size / PAGE, value);
}
