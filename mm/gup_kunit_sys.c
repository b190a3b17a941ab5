// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doors for the suites in lib/kunit-gup: system calls of the current task.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs_struct.h>
#include <linux/hugetlb.h>
#include <linux/kdev_t.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/syscalls.h>

#include <asm/syscall.h>

#include "gup_kunit_access.h"

/*
 * System calls, for the current task and the mm that it uses. Where they take
 * the registers of user space, by the name that the architecture gives them.
 */
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
#if defined(CONFIG_X86_64)
#define GUP_KUNIT_SYS(name)	__x64_sys_##name
#elif defined(CONFIG_X86_32)
#define GUP_KUNIT_SYS(name)	__ia32_sys_##name
#elif defined(CONFIG_ARM64)
#define GUP_KUNIT_SYS(name)	__arm64_sys_##name
#elif defined(CONFIG_S390)
#define GUP_KUNIT_SYS(name)	__s390x_sys_##name
#endif

long GUP_KUNIT_SYS(madvise)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(mprotect)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(mremap)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(memfd_secret)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(mlock)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(mknodat)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(swapon)(const struct pt_regs *regs);
long GUP_KUNIT_SYS(swapoff)(const struct pt_regs *regs);

static long gup_kunit_call(long (*fn)(const struct pt_regs *regs),
			   const unsigned long *args)
{
	struct pt_regs regs = {};

	syscall_set_arguments(current, &regs, args);

	return fn(&regs);
}

#define GUP_KUNIT_CALL(name, ...) ({					\
	const unsigned long args[6] = { __VA_ARGS__ };			\
									\
	gup_kunit_call(GUP_KUNIT_SYS(name), args);			\
})
#else
#define GUP_KUNIT_CALL(name, ...)	sys_##name(__VA_ARGS__)
#endif

/**
 * gup_kunit_madvise() - madvise(2)
 * @start:  where the range begins
 * @len:    its length in bytes
 * @advice: MADV_*
 *
 * Context: Process context with a user mm, no locks held.
 * Return: 0 or a negative error.
 */
long gup_kunit_madvise(unsigned long start, size_t len, int advice)
{
	return GUP_KUNIT_CALL(madvise, start, len, advice);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_madvise, "gup_kunit");

/**
 * gup_kunit_mprotect() - mprotect(2)
 * @start: where the range begins
 * @len:   its length in bytes
 * @prot:  PROT_*
 *
 * Context: Process context with a user mm, no locks held.
 * Return: 0 or a negative error.
 */
long gup_kunit_mprotect(unsigned long start, size_t len, unsigned long prot)
{
	return GUP_KUNIT_CALL(mprotect, start, len, prot);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mprotect, "gup_kunit");

/**
 * gup_kunit_mlock() - mlock(2)
 * @start: where the range begins
 * @len:   its length in bytes
 *
 * Context: Process context with a user mm, no locks held.
 * Return: 0 or a negative error.
 */
long gup_kunit_mlock(unsigned long start, size_t len)
{
	return GUP_KUNIT_CALL(mlock, start, len);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mlock, "gup_kunit");

/**
 * gup_kunit_mremap() - mremap(2) of a range to another place
 * @from: where it is
 * @len:  its length in bytes
 * @to:   where it goes to; what is mapped there is unmapped
 *
 * Context: Process context with a user mm, no locks held.
 * Return: The new address or a negative error.
 */
long gup_kunit_mremap(unsigned long from, size_t len, unsigned long to)
{
	return GUP_KUNIT_CALL(mremap, from, len, len,
			      MREMAP_MAYMOVE | MREMAP_FIXED, to);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mremap, "gup_kunit");

/**
 * gup_kunit_memfd_secret() - memfd_secret(2) and ftruncate(2)
 * @len: the size in bytes
 *
 * Context: Process context with a user mm, no locks held.
 * Return: The file, for the caller to put, or an error.
 */
struct file *gup_kunit_memfd_secret(size_t len)
{
	long fd = GUP_KUNIT_CALL(memfd_secret, 0);
	struct file *file;
	long ret;

	if (fd < 0)
		return ERR_PTR(fd);
	ret = ksys_ftruncate(fd, len, 0);
	file = fget(fd);
	close_fd(fd);
	if (!ret)
		return file;
	fput(file);

	return ERR_PTR(ret);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_memfd_secret, "gup_kunit");

/**
 * gup_kunit_memfd() - memfd_create(2) and ftruncate(2)
 * @flags: MFD_*
 * @len:   the size in bytes
 *
 * Context: Process context, no locks held.
 * Return: The file, for the caller to put, or an error.
 */
struct file *gup_kunit_memfd(unsigned int flags, loff_t len)
{
	struct file *file = memfd_alloc_file("gup_kunit", flags);
	int ret;

	if (IS_ERR(file))
		return file;
	ret = vfs_truncate(&file->f_path, len);
	if (!ret)
		return file;
	fput(file);

	return ERR_PTR(ret);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_memfd, "gup_kunit");

/**
 * gup_kunit_huge_pages() - how many huge pages are in the pool of a file of hugetlb
 * @file:     the file
 * @reserved: whether to count those that are reserved, instead of the free ones
 *
 * Context: Nobody else uses the pool.
 * Return: The number; 0 without hugetlb.
 */
long gup_kunit_huge_pages(struct file *file, bool reserved)
{
#ifdef CONFIG_HUGETLB_PAGE
	const struct hstate *h = hstate_file(file);

	return reserved ? h->resv_huge_pages : h->free_huge_pages;
#else
	return 0;
#endif
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_huge_pages, "gup_kunit");

/*
 * The name is a pointer where the call takes its arguments one by one, and a
 * register otherwise.
 */
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
#define GUP_KUNIT_NAME(name)	(name)
#else
#define GUP_KUNIT_NAME(name)	((const char __user *)(name))
#endif

/**
 * gup_kunit_mknod() - mknod(2)
 * @name: user address of the path
 * @mode: S_IF*, and the permissions
 * @dev:  the device
 *
 * Context: Process context with a user mm, no locks held.
 * Return: 0 or a negative error.
 */
long gup_kunit_mknod(unsigned long name, umode_t mode, dev_t dev)
{
	/* A kernel thread has a root of its own, where there is nothing. */
	scoped_with_init_fs()
		return GUP_KUNIT_CALL(mknodat, AT_FDCWD, GUP_KUNIT_NAME(name),
				      mode, new_encode_dev(dev));
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_mknod, "gup_kunit");

/**
 * gup_kunit_swap() - swapon(2) or swapoff(2)
 * @name: user address of the path
 * @on:   which
 *
 * Context: Process context with a user mm, no locks held.
 * Return: 0 or a negative error.
 */
long gup_kunit_swap(unsigned long name, bool on)
{
	scoped_with_init_fs() {
		if (on)
			return GUP_KUNIT_CALL(swapon, GUP_KUNIT_NAME(name), 0);

		return GUP_KUNIT_CALL(swapoff, GUP_KUNIT_NAME(name));
	}
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_swap, "gup_kunit");

/**
 * gup_kunit_open() - open a file to read and write it
 * @path: the path
 *
 * Context: Process context, no locks held.
 * Return: The file or an error.
 */
struct file *gup_kunit_open(const char *path)
{
	scoped_with_init_fs()
		return filp_open(path, O_RDWR | O_LARGEFILE, 0);
}
EXPORT_SYMBOL_FOR_MODULES(gup_kunit_open, "gup_kunit");
