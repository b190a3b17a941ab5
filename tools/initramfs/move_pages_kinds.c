// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of move_pages.c that asks about what a test in the kernel cannot make, or only by
 * hand: mappings of devices, gigantic pages, and what userfaultfd does.
 */
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "move_pages_common.h"
#include "move_pages_kinds.h"

#define PMD	(2UL << 20)
#define PUD	(1UL << 30)
#define ROM	0xf0000		/* what the machine has at this address is no memory */
#define HUGE	(21 << 26)
#define GIGANTIC (30 << 26)

/* A page that was copied on write is one like any other; the rest are no pages at all. */
static void device(void)
{
	int fd = open("/mem", O_RDWR);
	char *at = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, ROM);
	char *touched = map(2 * PAGE, PROT_READ | PROT_WRITE, 0);
	static const int want[] = { 0, -ENOENT, -EFAULT, -ENOENT, 0, -ENOENT, -ENOENT, 0 };
	const void *ask_for[] = { touched, at + PAGE, NULL, touched + PAGE, touched, at + 2 * PAGE,
				  at + 3 * PAGE, touched };
	long wrong = 0;
	unsigned int i;

	if (at == MAP_FAILED) {
		say("mapping of a device", "cannot be mapped", errno, 0);
		return;
	}
	for (i = 0; i < 16; i++)
		(void)*(volatile char *)(at + i * PAGE);
	expect("mapping of a device", wrong_answers(at, 16, PAGE, -ENOENT), 0);

	touched[0] = 1;
	for (i = 0; i < 8; i++)
		pages[i] = ask_for[i];
	wrong += ask(0, 8) != 0;
	for (i = 0; i < 8; i++)
		wrong += status[i] != want[i];
	expect("mapping of a device between pages", wrong, 0);

	at[5 * PAGE] = 1;
	expect("copied page of a device", wrong_answers(at + 5 * PAGE, 1, PAGE, 0), 0);
	expect("its neighbours", wrong_answers(at + 3 * PAGE, 2, PAGE, -ENOENT) +
	       wrong_answers(at + 6 * PAGE, 10, PAGE, -ENOENT), 0);
}

static void hugetlb(void)
{
	char *huge = map(2 * PMD, PROT_READ | PROT_WRITE, MAP_HUGETLB | HUGE);
	char *gigantic;

	if (huge == MAP_FAILED) {
		say("hugetlb", "cannot be mapped", errno, 0);
		return;
	}
	huge[0] = 1;
	expect("page of hugetlb", wrong_answers(huge, 512, PAGE, 0), 0);
	expect("reserved page of hugetlb", wrong_answers(huge + PMD, 512, PAGE, -ENOENT), 0);

	bind_to(0);	/* there is one, wherever */
	gigantic = map(PUD, PROT_READ | PROT_WRITE, MAP_HUGETLB | GIGANTIC);
	if (gigantic == MAP_FAILED) {
		say("gigantic page", "cannot be mapped", errno, 0);
		return;
	}
	expect("reserved gigantic page", wrong_answers(gigantic, NR, 238 * PAGE, -ENOENT), 0);
	gigantic[PUD - 1] = 1;
	pages[0] = gigantic;
	ask(0, 1);
	expect("gigantic page is there", status[0] == 0 || status[0] == 1, 1);
	expect("gigantic page", wrong_answers(gigantic, NR, PAGE, status[0]), 0);
	expect("all over a gigantic page", wrong_answers(gigantic, NR, 238 * PAGE, status[0]), 0);
	munmap(gigantic, PUD);
	bind_to(1);
}

/* The page is there, but not for this process. */
static void shared(void)
{
	char *at = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	int i;

	if (!fork()) {
		for (i = 0; i < 16; i++)
			at[i * PAGE] = 1;
		exit(0);
	}
	waitpid(-1, NULL, 0);
	expect("shared memory that another process touched", wrong_answers(at, 16, PAGE, -ENOENT),
	       0);
	for (i = 0; i < 16; i++)
		at[i * PAGE] = 2;
	expect("shared memory", wrong_answers(at, 16, PAGE, 0), 0);
}

/* Memory that is bound to the other node. */
static void other_node(void)
{
	const unsigned long second = 2;
	char *there = map(NR * PAGE, PROT_READ | PROT_WRITE, 0);
	int i;

	expect("bind to another node",
	       _syscall(__NR_mbind, there, NR * PAGE, MPOL_BIND, &second, 8, 0), 0);
	for (i = 0; i < NR; i++)
		there[i * PAGE] = 1;
	expect("pages of another node", wrong_answers(there, NR, PAGE, 1), 0);
}

void kinds(void)
{
	device();
	hugetlb();
	shared();
	other_node();
}

static int watch(char *at, unsigned long size, int mode)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (unsigned long)at, size }, .mode = mode };
	int fd = _syscall(__NR_userfaultfd, 0);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		say("userfaultfd", "cannot watch", errno, 0);

	return fd;
}

/* Where a page that must not be written is given back, a marker stays. */
static void markers(void)
{
	char *at = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	struct uffdio_writeprotect wp = {
		.range = { (unsigned long)at, 16 * PAGE }, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int i, fd;

	for (i = 0; i < 16; i++)
		at[i * PAGE] = 1;
	fd = watch(at, 16 * PAGE, UFFDIO_REGISTER_MODE_WP);
	expect("protect pages", ioctl(fd, UFFDIO_WRITEPROTECT, &wp), 0);
	expect("protected pages", wrong_answers(at, 16, PAGE, 0), 0);
	_syscall(__NR_madvise, at, 16 * PAGE, MADV_DONTNEED);
	expect("markers of userfaultfd", wrong_answers(at, 16, PAGE, -ENOENT), 0);
	close(fd);
}

/*
 * The page for the answers comes from another process, and not before that had the mmap lock for
 * writing: nobody may hold it while the answers are copied.
 */
static void served(void)
{
	char *huge = map(2 * PMD, PROT_READ | PROT_WRITE, 0);
	int *answers = map(2 * PAGE, PROT_READ | PROT_WRITE, 0);
	struct uffdio_zeropage zero = { .range = { (unsigned long)answers, 2 * PAGE } };
	int fd = watch((char *)answers, 2 * PAGE, UFFDIO_REGISTER_MODE_MISSING);
	int parent = getpid(), child, i;
	struct uffd_msg msg;
	long wrong = 0;

	huge = (char *)(((unsigned long)huge + PMD - 1) & ~(PMD - 1));
	for (i = 0; i < 512; i++)
		huge[i * PAGE] = 1;
	child = fork();
	if (!child) {
		i = read(fd, &msg, sizeof(msg)) != sizeof(msg);
		i |= collapse_of(_syscall(__NR_pidfd_open, parent, 0), huge) != 0;
		i |= ioctl(fd, UFFDIO_ZEROPAGE, &zero) != 0;
		exit(i);
	}
	for (i = 0; i < NR; i++)
		pages[i] = huge + i % 512 * PAGE;
	wrong += _syscall(__NR_move_pages, 0, NR, pages, 0, answers, 0) != 0;
	waitpid(child, &i, 0);
	expect("process that serves the array", i, 0);
	for (i = 0; i < NR; i++)
		wrong += answers[i] != 0;
	expect("array that another process serves", wrong, 0);
	close(fd);
}

void userfaultfd(void)
{
	markers();
	served();
}
