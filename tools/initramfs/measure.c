// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only program of the initramfs of `make bench`: measures in the kernel it runs on.
 *
 * It makes memory of each folio size, verifies it by the kernel's own counters, and lets the
 * kernel's gup_test (CONFIG_GUP_TEST) measure in it; move_pages(), direct reads and the buffers of
 * io_uring are measured from here. Each result is a line "kunit-gup: op=..." on the console, where
 * tools/kunit_gup/measure/bench.py takes it.
 * Built with the kernel's nolibc. GUP_MB=, GUP_RUNS= and GUP_ONLY= are kernel arguments.
 */
#include <mm/gup_test.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include "measure_common.h"
#include "measure_io.h"

#define THP		"/sys/kernel/mm/transparent_hugepage"
#define FOLL_WRITE	1
#define LOOPS		50000000UL

static const struct layout layouts[] = {
	{ 4, MAP_PTE },
	{ 16, MAP_PTE },
	{ 64, MAP_PTE },
	{ 1024, MAP_PTE },
	{ 2048, MAP_PTE },
	{ 2048, MAP_PMD },
	{ 2048, MAP_TLB },
};

static const struct op {
	const char *get;
	const char *put;
	unsigned long cmd;
} ops[] = {
	{ "get_fast", "put", GUP_FAST_BENCHMARK },
	{ "pin_fast", "unpin", PIN_FAST_BENCHMARK },
	{ "get_slow", NULL, GUP_BASIC_TEST },
	{ "pin_slow", NULL, PIN_BASIC_TEST },
	{ "pin_longterm", NULL, PIN_LONGTERM_BENCHMARK },
};

static const unsigned int per_calls[] = { 65536, 512, 1 };

static unsigned int runs;
static const char *only;		/* only this folio size, in kB */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path, "cannot write");
	close(fd);
}

/* Return the number after `key` in a file, or the file's first number without a key. */
static long read_number(const char *path, const char *key)
{
	static char text[8192];
	int fd = open(path, O_RDONLY);
	char *found = text;
	long len, total = 0;

	if (fd < 0)
		return -1;
	while ((len = read(fd, text + total, sizeof(text) - 1 - total)) > 0)
		total += len;
	close(fd);
	text[total] = '\0';
	if (key) {
		found = strstr(text, key);
		if (!found)
			return -1;
		found += strlen(key);
	}
	while (*found == ' ')
		found++;
	return atol(found);
}

static void thp_path(char *path, unsigned long kb, const char *file)
{
	snprintf(path, 128, THP "/hugepages-%lukB/%s", kb, file);
}

/* Let faults give folios of `kb` only; none of them for 0. */
static void enable(unsigned long kb)
{
	unsigned long other;
	char path[128];

	for (other = 8; other <= PMD / KB; other *= 2) {
		thp_path(path, other, "enabled");
		if (!access(path, W_OK))
			write_file(path, other == kb ? "always" : "never");
	}
}

static long folios(unsigned long kb)
{
	char path[128];

	thp_path(path, kb, "stats/nr_anon");
	return read_number(path, NULL);
}

/* The kernel has to say itself that all the memory is in folios of that size, and how mapped. */
static void verify(const struct layout *l, const long *before)
{
	long wanted, got, huge;
	unsigned long kb;

	for (kb = 8; kb <= PMD / KB; kb *= 2) {
		got = folios(kb) - before[kb];
		wanted = kb == l->kb && l->map != MAP_TLB ? size / KB / kb : 0;
		if (folios(kb) >= 0 && got != wanted) {
			printf("kunit-gup: %ld of %ld folios of %lu kB\n", got, wanted, kb);
			fail("memory", "not of the folio size that was asked for");
		}
	}
	huge = read_number("/proc/self/smaps_rollup", "AnonHugePages:");
	if (huge != (l->map == MAP_PMD ? (long)(size / KB) : 0))
		fail("memory", "not mapped as it was asked for");
	huge = read_number("/proc/self/smaps_rollup", "Private_Hugetlb:");
	if (huge != (l->map == MAP_TLB ? (long)(size / KB) : 0))
		fail("memory", "wrong amount of hugetlb");
}

/* Split every huge entry: protect one page of it, and undo that. */
static void split(char *start)
{
	char *p;

	for (p = start; p < start + size; p += PMD) {
		if (_syscall(__NR_mprotect, p, PAGE, PROT_READ) ||
		    _syscall(__NR_mprotect, p, PAGE, PROT_READ | PROT_WRITE))
			fail("mprotect", "failed");
		*p = 1;		/* the entry is writable and dirty again */
	}
}

static char *make(const struct layout *l, void **base, unsigned long *length)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	long before[PMD / KB + 1];
	unsigned long kb;
	char *start, *p;

	for (kb = 8; kb <= PMD / KB; kb *= 2)
		before[kb] = folios(kb);
	if (l->map == MAP_TLB) {
		char text[32];

		snprintf(text, sizeof(text), "%lu", size / PMD);
		write_file("/proc/sys/vm/nr_hugepages", text);
		flags |= MAP_HUGETLB;
	}
	enable(l->map == MAP_TLB ? 0 : l->kb);
	*length = l->map == MAP_TLB ? size : size + PMD;
	*base = mmap(NULL, *length, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (*base == MAP_FAILED)
		fail("mmap", "failed");
	start = (char *)(((unsigned long)*base + PMD - 1) & ~(PMD - 1));
	for (p = start; p < start + size; p += PAGE)
		*p = 1;
	enable(0);		/* khugepaged has nothing to do */
	if (l->map == MAP_PTE && l->kb == PMD / KB)
		split(start);
	verify(l, before);
	return start;
}

static void measure_gup(int fd, const struct layout *l, char *start, const struct op *op,
			unsigned int per_call, int write)
{
	struct gup_test arg = {
		.addr = (unsigned long)start,
		.size = size,
		.nr_pages_per_call = per_call,
		.gup_flags = write ? FOLL_WRITE : 0,
	};
	const char *access = write ? "write" : "read";

	if (ioctl(fd, op->cmd, &arg))
		fail(op->get, "ioctl failed");
	if (arg.size != size)
		fail(op->get, "did not get all pages");
	result(op->get, l, access, per_call, arg.get_delta_usec * 1000);
	if (op->put)
		result(op->put, l, access, per_call, arg.put_delta_usec * 1000);
}

/* Ask about `nr` of the addresses at a time. */
static void ask_move_pages(const char *op, const struct layout *l, void **addrs, int *status,
			   unsigned int per_call)
{
	unsigned long nr = size / PAGE, i, begin, ns;

	for (i = 0; i < nr; i++)
		status[i] = -1;
	begin = now();
	for (i = 0; i < nr; i += per_call)
		if (_syscall(__NR_move_pages, 0, per_call, addrs + i, NULL, status + i, 0))
			fail(op, "failed");
	ns = now() - begin;
	for (i = 0; i < nr; i++)
		if (status[i] < 0)
			fail(op, "a page without a node");
	result(op, l, "read", per_call, ns);
}

static void shuffle(void **addrs, unsigned long nr)
{
	unsigned long seed = 1, other;
	void *last;

	while (nr > 1) {
		seed = seed * 6364136223846793005UL + 1442695040888963407UL;
		other = (seed >> 33) % nr--;
		last = addrs[nr];
		addrs[nr] = addrs[other];
		addrs[other] = last;
	}
}

static void measure_move_pages(const struct layout *l, char *start)
{
	unsigned long nr = size / PAGE, i;
	unsigned long bytes = nr * (sizeof(void *) + sizeof(int));
	void **addrs = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int *status = (int *)(addrs + nr);

	if (addrs == MAP_FAILED)
		fail("mmap", "failed");
	for (i = 0; i < nr; i++)
		addrs[i] = start + i * PAGE;
	ask_move_pages("move_pages", l, addrs, status, nr);
	if (!only) {		/* a profile is one of that call */
		ask_move_pages("move_pages_single", l, addrs, status, 1);
		shuffle(addrs, nr);
		ask_move_pages("move_pages_random", l, addrs, status, nr);
	}
	munmap(addrs, bytes);
}

static void measure(int fd, const struct layout *l)
{
	unsigned int run, op, call, write;
	unsigned long length;
	void *base;
	char *start = make(l, &base, &length);

	for (run = 0; run < runs; run++) {
		for (call = 0; call < sizeof(per_calls) / sizeof(*per_calls); call++)
			for (op = 0; op < sizeof(ops) / sizeof(*ops); op++)
				for (write = 0; write < 2; write++)
					measure_gup(fd, l, start, &ops[op],
						    per_calls[call], write);
		measure_move_pages(l, start);
		measure_io(l, start);
	}
	munmap(base, length);
	if (l->map == MAP_TLB)
		write_file("/proc/sys/vm/nr_hugepages", "0");
}

/* How long known instructions take: one nanosecond each, when the clock counts instructions. */
static void calibrate(void)
{
	unsigned long begin = now(), n = LOOPS;

#if defined(__x86_64__)
	asm volatile("1: dec %0; jnz 1b" : "+r" (n) : : "cc");
#elif defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1; b.ne 1b" : "+r" (n) : : "cc");
#else
#error "two instructions a round, please"
#endif
	printf("kunit-gup: calibration instructions=%lu ns=%lu\n", 2 * LOOPS, now() - begin);
}

static unsigned long argument(const char *name, unsigned long standard)
{
	const char *text = getenv(name);

	return text ? atol(text) : standard;
}

int main(void)
{
	unsigned int i;
	int fd;

	printf("kunit-gup: booted\n");
	if (getenv("GUP_PROBE"))
		end();
	if (mount("none", "/proc", "proc", 0, NULL) || mount("none", "/sys", "sysfs", 0, NULL) ||
	    mount("none", "/sys/kernel/debug", "debugfs", 0, NULL) ||
	    mount("none", "/dev", "devtmpfs", 0, NULL))
		fail("mount", "failed");
	fd = open("/sys/kernel/debug/gup_test", O_RDWR);
	if (fd < 0)
		fail("gup_test", "not in this kernel");
	size = argument("GUP_MB", 256) * MB;
	runs = argument("GUP_RUNS", 1);
	only = getenv("GUP_ONLY");
	calibrate();
	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (!only || (unsigned long)atol(only) == layouts[i].kb)
			measure(fd, &layouts[i]);
	printf("kunit-gup: done\n");
	end();
}
