// SPDX-License-Identifier: GPL-2.0-only
/* What all parts of the program that measures need; see measure.c. */
#include <linux/perf_event.h>
#include "measure_common.h"

static const char * const map_names[] = { "pte", "pmd", "hugetlb" };

static const char * const counter_names[] = { "cycles", "misses" };
static const unsigned long counter_events[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CACHE_MISSES
};

unsigned long page_size;
unsigned long size;
int counters[NR_COUNTERS] = { -1, -1 };

void end(int status)
{
	if (getpid() == 1)
		reboot(LINUX_REBOOT_CMD_RESTART);
	exit(status);
}

void fail(const char *what, const char *why)
{
	printf("kunit-gup: error: %s: %s\n", what, why);
	end(1);
}

void lacks(const char *what, const char *why)
{
	if (getpid() == 1)
		fail(what, why);
	printf("kunit-gup: left out: %s: %s\n", what, why);
}

unsigned long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000UL + ts.tv_nsec;
}

void open_counters(void)
{
	unsigned int i;

	for (i = 0; i < NR_COUNTERS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof(attr),
			.config = counter_events[i],
			.exclude_hv = 1,
		};

		counters[i] = _syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
		if (counters[i] < 0)
			lacks(counter_names[i], "perf has no such counter on this machine");
	}
}

static unsigned long count(unsigned int i)
{
	unsigned long value = 0;

	if (counters[i] >= 0 && read(counters[i], &value, sizeof(value)) != sizeof(value))
		fail(counter_names[i], "cannot read the counter");
	return value;
}

void begin(struct span *span)
{
	unsigned int i;

	for (i = 0; i < NR_COUNTERS; i++)
		span->counts[i] = count(i);
	span->ns = now();
}

void finish(struct span *span)
{
	unsigned int i;

	span->ns = now() - span->ns;
	for (i = 0; i < NR_COUNTERS; i++)
		span->counts[i] = count(i) - span->counts[i];
}

void result(const char *op, const struct layout *l, const char *access,
	    unsigned int per_call, const struct span *span)
{
	unsigned int i;

	if (per_call > size / PAGE)
		per_call = size / PAGE;
	printf("kunit-gup: op=%s kb=%lu map=%s access=%s per_call=%u pages=%lu ns=%lu",
	       op, l->kb, map_names[l->map], access, per_call, size / PAGE, span->ns);
	for (i = 0; i < NR_COUNTERS; i++)
		if (span->counts[i])
			printf(" %s=%lu", counter_names[i], span->counts[i]);
	printf("\n");
}
