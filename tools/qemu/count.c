// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that counts how often each instruction of the guest's kernel is executed
 * between two of them: `make bench` has the figures by function from it.
 *
 * Arguments: start=, size= (what is counted), out= (file), region=NAME:FROM:TO, and begin= or end=
 * (any number of times); all numbers are hexadecimal. When an instruction that is an end is
 * reached after one that is a begin, these lines are written: "window", "address count" for each
 * instruction, and for each region "lines NAME distinct all": how many lines of 64 bytes of it the
 * instructions read or wrote, and how often they read or wrote any. What is in no region is in
 * "other". An instruction that is both ends what it finds open, and else begins.
 *
 * Debian has no header for plugins, so that what is used of the interface is declared here.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define API __attribute__((visibility("default")))
#define MAX_MARKS 64
#define MAX_REGIONS 8
#define MAX_NAME 16
#define LINE 64			/* bytes of a cache line */
#define TABLE (1UL << 22)	/* places for the lines of a window, far more than it has */
#define BEGIN 1
#define END 2

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

typedef uint32_t qemu_plugin_meminfo_t;

enum { CB_NO_REGS = 0 };		/* enum qemu_plugin_cb_flags */
enum { MEM_RW = 3 };			/* enum qemu_plugin_mem_rw */
enum { INLINE_ADD_U64 = 0 };		/* enum qemu_plugin_op */

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
		void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		void (*cb)(unsigned int vcpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op,
		void *counter, uint64_t imm);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
		void (*cb)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
			   void *data), int flags, int rw, void *data);

API int qemu_plugin_version = 1;

static uint64_t start, size;
static uint64_t *counts;		/* one for each byte of the text; most are never touched */
static FILE *out;
static struct mark {
	uint64_t addr;
	int kind;
} marks[MAX_MARKS];
static unsigned int nr_marks;
static bool counting;

/* The last region has what is in no other. */
static struct region {
	char name[MAX_NAME];
	uint64_t from, to;
	uint64_t lines, all;
} regions[MAX_REGIONS + 1] = { { "other", 0, UINT64_MAX } };
static unsigned int nr_regions;
static uint64_t *seen;			/* lines, by hash; a line is never 0 */
static unsigned long nr_seen;

static void write_counts(void)
{
	uint64_t i;

	fprintf(out, "window\n");
	for (i = 0; i < size; i++)
		if (counts[i])
			fprintf(out, "%llx %llu\n", (unsigned long long)(start + i),
				(unsigned long long)counts[i]);
	for (i = 0; i <= nr_regions; i++)
		fprintf(out, "lines %s %llu %llu\n", regions[i].name,
			(unsigned long long)regions[i].lines, (unsigned long long)regions[i].all);
	fflush(out);
}

/* Return whether a line is a new one of this window. */
static bool is_new(uint64_t line)
{
	unsigned long at = (line * 0x9e3779b97f4a7c15UL) >> 42;

	while (seen[at] && seen[at] != line)
		at = (at + 1) % TABLE;
	if (seen[at])
		return false;
	if (++nr_seen == TABLE) {
		fprintf(stderr, "count: more lines in a window than there are places for\n");
		exit(1);
	}
	seen[at] = line;
	return true;
}

static void accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct region *r = regions;

	if (!counting)
		return;
	while (vaddr < r->from || vaddr >= r->to)
		r++;
	r->all++;
	r->lines += is_new(vaddr / LINE + 1);
}

static void begin(void)
{
	unsigned int i;

	madvise(counts, size * sizeof(*counts), MADV_DONTNEED);
	madvise(seen, TABLE * sizeof(*seen), MADV_DONTNEED);
	nr_seen = 0;
	for (i = 0; i <= nr_regions; i++) {
		regions[i].lines = 0;
		regions[i].all = 0;
	}
	counting = true;
}

static void reached(unsigned int vcpu, void *data)
{
	const struct mark *m = data;

	if (counting && (m->kind & END)) {
		write_counts();
		counting = false;
	} else if (!counting && (m->kind & BEGIN)) {
		begin();
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);
	unsigned int m;

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		if (addr - start >= size)
			continue;
		for (m = 0; m < nr_marks; m++)
			if (addr == marks[m].addr)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, reached, CB_NO_REGS,
								       &marks[m]);
		qemu_plugin_register_vcpu_insn_exec_inline(insn, INLINE_ADD_U64,
							   &counts[addr - start], 1);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, CB_NO_REGS, MEM_RW, NULL);
	}
}

static bool add_mark(uint64_t addr, int kind)
{
	unsigned int m;

	for (m = 0; m < nr_marks && marks[m].addr != addr; m++)
		;
	if (m == MAX_MARKS)
		return false;
	nr_marks += m == nr_marks;
	marks[m].addr = addr;
	marks[m].kind |= kind;
	return true;
}

static bool add_region(const char *text)
{
	struct region *r = &regions[nr_regions];
	unsigned long long from, to;

	if (nr_regions == MAX_REGIONS ||
	    sscanf(text, "%15[^:]:%llx:%llx", r->name, &from, &to) != 3)
		return false;
	r[1] = (struct region){ "other", 0, UINT64_MAX };
	r->from = from;
	r->to = to;
	nr_regions++;
	return true;
}

static void *zeroes(size_t length)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static bool argument(const char *arg)
{
	unsigned long long number;

	if (!strncmp(arg, "out=", 4))
		return (out = fopen(arg + 4, "w"));
	if (!strncmp(arg, "region=", 7))
		return add_region(arg + 7);
	if (sscanf(arg, "begin=%llx", &number) == 1)
		return add_mark(number, BEGIN);
	if (sscanf(arg, "end=%llx", &number) == 1)
		return add_mark(number, END);
	if (sscanf(arg, "start=%llx", &number) == 1)
		start = number;
	else if (sscanf(arg, "size=%llx", &number) == 1)
		size = number;
	else
		return false;
	return true;
}

API int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
			    char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		if (!argument(argv[i]))
			return 1;
	if (!size || !out || !nr_marks)
		return 1;
	counts = zeroes(size * sizeof(*counts));
	seen = zeroes(TABLE * sizeof(*seen));
	if (counts == MAP_FAILED || seen == MAP_FAILED)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
