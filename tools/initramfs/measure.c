// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only program of the initramfs of `make bench`: measures in the kernel it runs on.
 *
 * It makes memory of each folio size, verifies it by the kernel's own counters, and lets the
 * kernel's gup_test (CONFIG_GUP_TEST) measure in it; move_pages(), direct reads, the buffers of
 * io_uring, vmsplice() and process_vm_readv() are measured from here. Each result is a line "kunit-gup: op=..." on the console, where
 * tools/kunit_gup/measure/bench.py takes it.
 *
 * When it is not init (`make bench-here`, or GUP_HERE=1, which forks), it measures what the machine
 * has, says what it leaves out, and also counts cycles and cache misses. The caller puts the
 * settings of transparent and of reserved huge pages back.
 * Built with the kernel's nolibc. GUP_MB=, GUP_RUNS= and GUP_ONLY= are kernel arguments, or in the
 * environment.
 */
#include <mm/gup_test.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include "measure_calls.h"
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
static long strays;			/* folios of others that may come or go */
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

/* Let faults give folios of `kb` only, where that is advised; none of them for 0. */
static void enable(unsigned long kb)
{
	unsigned long other;
	char path[128];

	for (other = 8; other <= HUGE / KB; other *= 2) {
		thp_path(path, other, "enabled");
		if (!access(path, W_OK))
			write_file(path, other == kb ? "madvise" : "never");
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

	for (kb = 8; kb <= HUGE / KB; kb *= 2) {
		got = folios(kb) - before[kb];
		wanted = kb == l->kb && l->map != MAP_TLB ? size / KB / kb : 0;
		if (kb * KB <= PAGE)
			continue;
		/* The counters are the system's, and it may do something else. */
		if (folios(kb) >= 0 && labs(got - wanted) > strays) {
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

	for (p = start; p < start + size; p += HUGE) {
		if (_syscall(__NR_mprotect, p, PAGE, PROT_READ) ||
		    _syscall(__NR_mprotect, p, PAGE, PROT_READ | PROT_WRITE))
			fail("mprotect", "failed");
		*p = 1;		/* the entry is writable and dirty again */
	}
}

static char *make(const struct layout *l, void **base, unsigned long *length)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	long before[HUGE / KB + 1];
	unsigned long kb;
	char *start, *p;

	for (kb = 8; kb <= HUGE / KB; kb *= 2)
		before[kb] = folios(kb);
	if (l->map == MAP_TLB) {
		char text[32];

		snprintf(text, sizeof(text), "%lu", size / HUGE);
		write_file("/proc/sys/vm/nr_hugepages", text);
		flags |= MAP_HUGETLB;
	}
	enable(l->map == MAP_TLB ? 0 : l->kb);
	*length = l->map == MAP_TLB ? size : size + HUGE;
	*base = mmap(NULL, *length, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (*base == MAP_FAILED)
		fail("mmap", "failed");
	start = (char *)(((unsigned long)*base + HUGE - 1) & ~(HUGE - 1));
	/* Fails where the kernel has no transparent huge pages. */
	if (l->map != MAP_TLB && l->kb * KB > PAGE)
		_syscall(__NR_madvise, start, size, MADV_HUGEPAGE);
	for (p = start; p < start + size; p += PAGE)
		*p = 1;
	enable(0);		/* khugepaged has nothing to do */
	if (l->map == MAP_PTE && l->kb == HUGE / KB && PAGE == 4 * KB)
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
	struct span get = { 0 }, put = { 0 }, both;
	char name[32];

	begin(&both);
	if (ioctl(fd, op->cmd, &arg))
		fail(op->get, "ioctl failed");
	finish(&both);
	if (arg.size != size)
		fail(op->get, "did not get all pages");
	get.ns = arg.get_delta_usec * 1000;
	put.ns = arg.put_delta_usec * 1000;
	result(op->get, l, access, per_call, &get);
	if (op->put)
		result(op->put, l, access, per_call, &put);
	/* gup_test gives the pages back in the same call. */
	snprintf(name, sizeof(name), "%s+%s", op->get, op->put ? op->put : "back");
	if (getpid() != 1)
		result(name, l, access, per_call, &both);
}

/* Ask about `nr` of the addresses at a time. */
static void ask_move_pages(const char *op, const struct layout *l, void **addrs, int *status,
			   unsigned int per_call)
{
	unsigned long nr = size / PAGE, i;
	struct span span;

	for (i = 0; i < nr; i++)
		status[i] = -1;
	begin(&span);
	for (i = 0; i < nr; i += per_call)
		if (_syscall(__NR_move_pages, 0, per_call, addrs + i, NULL, status + i, 0))
			fail(op, "failed");
	finish(&span);
	for (i = 0; i < nr; i++)
		if (status[i] < 0)
			fail(op, "a page without a node");
	result(op, l, "read", per_call, &span);
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
		for (call = 0; fd >= 0 && call < sizeof(per_calls) / sizeof(*per_calls); call++)
			for (op = 0; op < sizeof(ops) / sizeof(*ops); op++)
				for (write = 0; write < 2; write++)
					measure_gup(fd, l, start, &ops[op],
						    per_calls[call], write);
		measure_move_pages(l, start);
		measure_io(l, start);
		measure_calls(l, start);
	}
	munmap(base, length);
	if (l->map == MAP_TLB)
		write_file("/proc/sys/vm/nr_hugepages", "0");
}

/* How long known instructions take: one nanosecond each, when the clock counts instructions. */
static void calibrate(void)
{
	unsigned long start = now(), n = LOOPS;

#if defined(__x86_64__)
	asm volatile("1: dec %0; jnz 1b" : "+r" (n) : : "cc");
#elif defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1; b.ne 1b" : "+r" (n) : : "cc");
#else
#error "two instructions a round, please"
#endif
	printf("kunit-gup: calibration instructions=%lu ns=%lu\n", 2 * LOOPS, now() - start);
}

static unsigned long argument(const char *name, unsigned long standard)
{
	const char *text = getenv(name);

	return text ? atol(text) : standard;
}

/* Can this kernel give memory of this layout? Init is told by verify() if it cannot. */
static int possible(const struct layout *l)
{
	char path[128], text[64];

	if (l->kb * KB < PAGE || (l->map != MAP_PTE && PAGE != 4 * KB))
		return 0;
	if (getpid() == 1 || l->kb * KB == PAGE)
		return 1;
	snprintf(text, sizeof(text), "folios of %lu kB", l->kb);
	thp_path(path, l->kb, "enabled");
	if (l->map == MAP_TLB)
		strcpy(path, "/proc/sys/vm/nr_hugepages");
	if (!access(path, W_OK))
		return 1;
	lacks(text, "not in this kernel");
	return 0;
}

static void measure_all(void)
{
	int fd = open("/sys/kernel/debug/gup_test", O_RDWR);
	unsigned int i;

	if (fd < 0)
		lacks("gup_test", "CONFIG_GUP_TEST and debugfs give it, to root");
	size = argument("GUP_MB", 256) * MB;
	runs = argument("GUP_RUNS", 1);
	only = getenv("GUP_ONLY");
	calibrate();
	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if ((!only || (unsigned long)atol(only) == layouts[i].kb) &&
		    possible(&layouts[i]))
			measure(fd, &layouts[i]);
	printf("kunit-gup: done\n");
}

/* Measure in a process that is not init. */
static void measure_here(void)
{
	strays = 16;
	open_counters();
	measure_all();
}

int main(void)
{
	int child, status;

	page_size = getpagesize();
	printf("kunit-gup: booted\n");
	if (getpid() != 1) {
		measure_here();
		return 0;
	}
	if (getenv("GUP_PROBE"))
		end(0);
	if (mount("none", "/proc", "proc", 0, NULL) || mount("none", "/sys", "sysfs", 0, NULL) ||
	    mount("none", "/sys/kernel/debug", "debugfs", 0, NULL) ||
	    mount("none", "/dev", "devtmpfs", 0, NULL))
		fail("mount", "failed");
	if (getenv("GUP_HERE")) {
		child = fork();
		if (!child) {
			measure_here();
			exit(0);
		}
		waitpid(child, &status, 0);
	} else {
		measure_all();
	}
	end(0);
}
