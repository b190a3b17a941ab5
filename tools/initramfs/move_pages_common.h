/* SPDX-License-Identifier: GPL-2.0-only */
/* What all parts of the program that asks move_pages() need; see move_pages.c. */
#ifndef MOVE_PAGES_COMMON_H
#define MOVE_PAGES_COMMON_H

#define NR	1100
#define PAGE	4096UL
#define POISON	0x5a5a5a5a

extern const void *pages[NR + 1];
extern int status[NR + 1];

/* Open the kernel log, before any row. */
void open_log(void);

/* Log a row: it passes without a `fault`. */
void say(const char *name, const char *fault, long got, long want);

/* Log a row that is nothing but a result. */
void expect(const char *name, long got, long want);

/* Ask about `pages`, with poison in `status`. */
long ask(int pid, unsigned long nr);

/* Return how many of `nr` answers, each `step` bytes from the last, are not `want`. */
long wrong_answers(const char *at, int nr, unsigned long step, int want);

/* Map anonymous private memory. */
void *map(unsigned long size, int prot, int flags);

/* Take memory only from the nodes of a mask; 0: from any. */
void bind_to(unsigned long nodes);

/* Let khugepaged's work be done, which needs the mmap lock for writing, by another process. */
long collapse_of(int pidfd, void *at);

#endif /* MOVE_PAGES_COMMON_H */
