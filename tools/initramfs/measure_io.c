// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of measure.c that does input and output: what drivers pin memory for.
 *
 * The device is null_blk, which has no data, so that all the cost is the kernel's.
 */
#include <linux/io_uring.h>
#include <sys/mman.h>
#include "measure_common.h"
#include "measure_io.h"

#define DEVICE	"/dev/nullb0"
#define ENTRIES	8
#define FIXED	256	/* pages of a read into a registered buffer */

/* An io_uring for one request at a time. */
struct ring {
	int fd;
	struct io_uring_sqe *entry;
	unsigned int *sq_tail, *cq_head;
	struct io_uring_cqe *results;
	unsigned int cq_mask;
};

static const unsigned int per_calls[] = { 256, 16, 1 };

static void *map(int fd, unsigned long length, unsigned long offset)
{
	void *found = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			   offset);

	if (found == MAP_FAILED)
		fail("io_uring", "cannot map a ring");
	return found;
}

/* Return whether there is an io_uring. */
static int open_ring(struct ring *ring)
{
	struct io_uring_params p = { 0 };
	char *queue;

	ring->fd = _syscall(__NR_io_uring_setup, ENTRIES, &p);
	if (ring->fd < 0) {
		lacks("io_uring", "not in this kernel, or forbidden");
		return 0;
	}
	queue = map(ring->fd, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe) +
		    p.sq_entries * sizeof(int), IORING_OFF_SQ_RING);
	ring->entry = map(ring->fd, p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring->sq_tail = (unsigned int *)(queue + p.sq_off.tail);
	ring->cq_head = (unsigned int *)(queue + p.cq_off.head);
	ring->cq_mask = *(unsigned int *)(queue + p.cq_off.ring_mask);
	ring->results = (struct io_uring_cqe *)(queue + p.cq_off.cqes);
	memset(queue + p.sq_off.array, 0, p.sq_entries * sizeof(int));	/* always entry 0 */
	return 1;
}

/* Read a block through the ring, maybe into the registered buffer; return how much was read. */
static long ring_read(struct ring *ring, int opcode, int fd, void *to, unsigned long length)
{
	unsigned int head = *ring->cq_head;
	long res;

	memset(ring->entry, 0, sizeof(*ring->entry));
	ring->entry->opcode = opcode;
	ring->entry->fd = fd;
	ring->entry->addr = (unsigned long)to;
	ring->entry->len = length;
	__atomic_store_n(ring->sq_tail, *ring->sq_tail + 1, __ATOMIC_RELEASE);
	if (_syscall(__NR_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -1;
	res = ring->results[head & ring->cq_mask].res;
	__atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
	return res;
}

static void measure_reads(const struct layout *l, char *start, unsigned int per_call,
			  struct ring *ring)
{
	unsigned long block = per_call * PAGE;
	int fd = open(DEVICE, O_RDONLY | O_DIRECT);
	struct span span;
	long got;
	char *p;

	if (fd < 0)
		return lacks(DEVICE, "cannot open; modprobe null_blk makes it");
	begin(&span);
	for (p = start; p < start + size; p += block) {
		got = ring ? ring_read(ring, IORING_OP_READ, fd, p, block) :
			     _syscall(__NR_pread64, fd, p, block, 0);
		if (got != (long)block)
			fail(DEVICE, "cannot read");
	}
	finish(&span);
	close(fd);
	result(ring ? "uring_read" : "direct_read", l, "write", per_call, &span);
}

/* Read all the memory into the registered buffer, where the device is. */
static void measure_fixed(const struct layout *l, char *start, struct ring *ring)
{
	unsigned long block = FIXED * PAGE;
	int fd = open(DEVICE, O_RDONLY | O_DIRECT);
	struct span span;
	char *p;

	if (fd < 0)
		return;
	begin(&span);
	for (p = start; p < start + size; p += block)
		if (ring_read(ring, IORING_OP_READ_FIXED, fd, p, block) != (long)block)
			fail(DEVICE, "cannot read into a registered buffer");
	finish(&span);
	close(fd);
	result("uring_read_fixed", l, "write", FIXED, &span);
}

/*
 * What io_uring does to keep a buffer: a longterm pin, and a look at each page; and
 * reads into it.
 */
static void measure_register(const struct layout *l, char *start, struct ring *ring)
{
	struct iovec buffer = { .iov_base = start, .iov_len = size };
	struct span pin, unpin;

	begin(&pin);
	if (_syscall(__NR_io_uring_register, ring->fd, IORING_REGISTER_BUFFERS, &buffer, 1))
		fail("io_uring", "cannot register a buffer");
	finish(&pin);
	result("register_buffer", l, "write", size / PAGE, &pin);
	measure_fixed(l, start, ring);
	begin(&unpin);
	if (_syscall(__NR_io_uring_register, ring->fd, IORING_UNREGISTER_BUFFERS, NULL, 0))
		fail("io_uring", "cannot unregister a buffer");
	finish(&unpin);
	result("unregister_buffer", l, "write", size / PAGE, &unpin);
}

void measure_io(const struct layout *l, char *start)
{
	struct ring ring;
	int has_ring = open_ring(&ring);
	unsigned int i;

	for (i = 0; i < sizeof(per_calls) / sizeof(*per_calls); i++) {
		measure_reads(l, start, per_calls[i], NULL);
		if (has_ring)
			measure_reads(l, start, per_calls[i], &ring);
	}
	if (has_ring) {
		measure_register(l, start, &ring);
		close(ring.fd);
	}
}
