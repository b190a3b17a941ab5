/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that pin memory while they splice or copy it. */
#ifndef MEASURE_CALLS_H
#define MEASURE_CALLS_H

struct layout;

/* Measure in the memory at `start`. */
void measure_calls(const struct layout *l, char *start);

#endif /* MEASURE_CALLS_H */
