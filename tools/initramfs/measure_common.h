/* SPDX-License-Identifier: GPL-2.0-only */
/* What all parts of the program that measures need; see measure.c. */
#ifndef MEASURE_COMMON_H
#define MEASURE_COMMON_H

#define KB	1024UL
#define MB	(1024 * KB)
#define PAGE	page_size
#define HUGE	(2 * MB)	/* the largest folio; a huge page where a page has 4 kB */

enum map { MAP_PTE, MAP_PMD, MAP_TLB };

/* Memory of one folio size, and how it is mapped. */
struct layout {
	unsigned long kb;
	enum map map;
};

/* What the processor counts, where it has counters and the kernel gives them. */
enum counter { CYCLES, CACHE_MISSES, NR_COUNTERS };

/* What an operation took, between begin() and finish(). */
struct span {
	unsigned long ns;
	unsigned long counts[NR_COUNTERS];
};

extern unsigned long page_size;
extern unsigned long size;	/* of the memory that is measured, in bytes */
extern int counters[NR_COUNTERS];	/* file descriptors, or less than 0 */

/* End the program; as init, restart the machine, which ends QEMU. */
void end(int status);

/* Say what this kernel or machine lacks; init, which has to measure all, ends. */
void lacks(const char *what, const char *why);

/* End with an error. */
void fail(const char *what, const char *why);

/* Return the clock in nanoseconds, or instructions where that is what it counts. */
unsigned long now(void);

/* Ask the kernel for the counters of the processor. */
void open_counters(void);

/* Begin to measure an operation; finish() says what it took. */
void begin(struct span *span);
void finish(struct span *span);

/* Print what an operation took for all the memory; what is 0 was not counted. */
void result(const char *op, const struct layout *l, const char *access,
	    unsigned int per_call, const struct span *span);

#endif /* MEASURE_COMMON_H */
