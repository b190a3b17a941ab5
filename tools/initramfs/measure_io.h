/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEASURE_IO_H
#define MEASURE_IO_H

struct layout;

/* Measure reads from a device into the memory, and the registering of buffers. */
void measure_io(const struct layout *l, char *start);

#endif /* MEASURE_IO_H */
