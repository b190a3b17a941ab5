// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that counts how often each instruction of the guest's kernel is executed
 * between two of them: `make bench` has the figures by function from it.
 *
 * Arguments: start=, size= (what is counted), out= (file), and begin= or end= (any number of times);
 * all numbers are hexadecimal. When an instruction that is an end is reached after one that is a
 * begin, a line "window" is written and a line "address count" for each instruction. One that
 * is both ends what it finds open, and else begins.
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
#define BEGIN 1
#define END 2

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum { CB_NO_REGS = 0 };		/* enum qemu_plugin_cb_flags */
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

static void write_counts(void)
{
	uint64_t i;

	fprintf(out, "window\n");
	for (i = 0; i < size; i++)
		if (counts[i])
			fprintf(out, "%llx %llu\n", (unsigned long long)(start + i),
				(unsigned long long)counts[i]);
	fflush(out);
}

static void reached(unsigned int vcpu, void *data)
{
	const struct mark *m = data;

	if (counting && (m->kind & END)) {
		write_counts();
		counting = false;
	} else if (!counting && (m->kind & BEGIN)) {
		madvise(counts, size * sizeof(*counts), MADV_DONTNEED);
		counting = true;
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

static bool argument(const char *arg)
{
	unsigned long long number;

	if (!strncmp(arg, "out=", 4))
		return (out = fopen(arg + 4, "w"));
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
	counts = mmap(NULL, size * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
