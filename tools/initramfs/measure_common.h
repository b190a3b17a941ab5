/* SPDX-License-Identifier: GPL-2.0-only */
/* What all parts of the program that measures need; see measure.c. */
#ifndef MEASURE_COMMON_H
#define MEASURE_COMMON_H

#define KB	1024UL
#define MB	(1024 * KB)
#define PAGE	(4 * KB)	/* every target of the benchmark has these */
#define PMD	(2 * MB)

enum map { MAP_PTE, MAP_PMD, MAP_TLB };

/* Memory of one folio size, and how it is mapped. */
struct layout {
	unsigned long kb;
	enum map map;
};

extern unsigned long size;	/* of the memory that is measured, in bytes */

/* Restart the machine, which ends QEMU. */
void end(void);

/* End with an error. */
void fail(const char *what, const char *why);

/* Return the clock in nanoseconds, or instructions where that is what it counts. */
unsigned long now(void);

/* Print how long an operation took for all the memory. */
void result(const char *op, const struct layout *l, const char *access,
	    unsigned int per_call, unsigned long value);

#endif /* MEASURE_COMMON_H */
