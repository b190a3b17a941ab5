// SPDX-License-Identifier: GPL-2.0-only
/*
 * gup_slow_retry: page faults that give up the mmap lock, and the gate area.
 *
 * A fault handler maps the rest of a folio, drops the lock, and returns that
 * the fault has to be retried or is completed. Then one page is requested,
 * where a batch would be too much. The handler is set for a VMA that was
 * anonymous.
 */
#include <kunit/test-bug.h>
#include <linux/mm.h>

#include "fixture/gup_entry.h"
#include "walk/gup_mm_call.h"

#ifdef CONFIG_X86_VSYSCALL_EMULATION
#include <asm/vsyscall.h>
#endif

/**
 * struct gup_retry_row - what the handler says, and what the caller gets
 * @name:    what is special about it
 * @fault:   what the handler returns once
 * @flags:   FOLL_* flags
 * @ret:     what is returned
 */
struct gup_retry_row {
	const char *name;
	vm_fault_t fault;
	unsigned int flags;
	long ret;
};

static const struct gup_retry_row gup_retry_rows[] = {
	{ .name = "case 10 retry and pin", .fault = VM_FAULT_RETRY,
	  .flags = GUP_PIN, .ret = 8 },
	{ .name = "case 10 retry and get", .fault = VM_FAULT_RETRY,
	  .flags = GUP_GET, .ret = 8 },
	{ .name = "case 10 completed and pin", .fault = VM_FAULT_COMPLETED,
	  .flags = GUP_PIN, .ret = 8 },
	{ .name = "case 10 completed and pin for long",
	  .fault = VM_FAULT_COMPLETED, .flags = GUP_PIN_L, .ret = 8 },
	{ .name = "case 10 without waiting", .fault = VM_FAULT_RETRY,
	  .flags = GUP_PIN | FOLL_NOWAIT, .ret = 4 },
	{ .name = "the handler maps and keeps the lock",
	  .fault = VM_FAULT_NOPAGE, .flags = GUP_PIN, .ret = 8 },
};

GUP_ROWS(gup_retry_rows);

/**
 * struct gup_retry - what the handler needs
 * @m:      the piece of address space
 * @faults: how often it was called
 */
struct gup_retry {
	struct gup_mm *m;
	unsigned int faults;
};

/* Map the four missing pages, as another thread could. */
static void gup_retry_map(struct gup_retry *retry, struct vm_area_struct *vma)
{
	struct page *page;
	unsigned int i;

	for (i = 4; i < 8; i++) {
		page = gup_mm_page(retry->m, 'A', i);
		get_page(page);
		if (gup_kunit_mm.map(vma, gup_mm_addr(retry->m, i), page,
				     gup_fixture_mk_pte(page, 0),
				     gup_mm_addr(retry->m, i), true))
			put_page(page);
	}
}

static vm_fault_t gup_retry_fault(struct vm_fault *vmf)
{
	struct kunit *test = kunit_get_current_test();
	const struct gup_retry_row *row = test->param_value;
	struct gup_retry *retry = test->priv;
	const bool lets_go = row->fault & (VM_FAULT_RETRY | VM_FAULT_COMPLETED);

	if (!retry->faults++)
		gup_retry_map(retry, vmf->vma);
	if (!lets_go || !(vmf->flags & FAULT_FLAG_ALLOW_RETRY))
		return VM_FAULT_NOPAGE;
	if (!(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		mmap_read_unlock(vmf->vma->vm_mm);

	return row->fault | VM_FAULT_NOPAGE;
}

static const struct vm_operations_struct gup_retry_ops = {
	.fault = gup_retry_fault,
};

static void gup_retry_set_ops(struct gup_mm *m,
			      const struct vm_operations_struct *ops)
{
	mmap_write_lock(m->mm);
	find_vma(m->mm, m->addr)->vm_ops = ops;
	mmap_write_unlock(m->mm);
}

static void gup_retry_run(struct kunit *test)
{
	static const struct gup_mm_layout layout = { "A3", "A0-3 .4" };
	const struct gup_retry_row *row = test->param_value;
	struct gup_retry retry = {};
	struct gup_mm_ask ask = {
		.call = GUP_MM_SLOW, .flags = row->flags, .nr = 8,
	};
	unsigned int i;

	retry.m = gup_mm_create_or_skip(test, &layout);
	test->priv = &retry;
	gup_retry_set_ops(retry.m, &gup_retry_ops);
	gup_mm_ask(retry.m, &ask);
	gup_retry_set_ops(retry.m, NULL);

	KUNIT_EXPECT_EQ(test, retry.faults, 1);
	KUNIT_EXPECT_EQ(test, ask.ret, row->ret);
	for (i = 0; (long)i < ask.ret; i++)
		GUP_EXPECT_PAGE_AT(test, retry.m->folio, retry.m->pages[i],
				   gup_mm_page(retry.m, 'A', i), i);
	gup_mm_settle(retry.m, &ask, row->name);
}

/* The gate page is in no VMA of the mm, and has no neighbours. */
static void gup_retry_gate(struct kunit *test)
{
#ifdef CONFIG_X86_VSYSCALL_EMULATION
	struct page *pages[2] = { GUP_POISON, GUP_POISON };
	long ret;

	KUNIT_ASSERT_EQ(test, kunit_attach_mm(), 0);
	set_bit(MM_CONTEXT_HAS_VSYSCALL, &current->mm->context.flags);
	ret = get_user_pages_unlocked(VSYSCALL_ADDR, 2, pages, 0);
	if (ret == -EFAULT)
		kunit_skip(test, "no gate page that can be read");
	KUNIT_EXPECT_EQ(test, ret, 1);
	GUP_EXPECT_PAGE(test, NULL, pages[1], GUP_POISON);
	if (ret == 1)
		put_page(pages[0]);
	KUNIT_EXPECT_EQ(test, get_user_pages_unlocked(VSYSCALL_ADDR, 1, pages,
						      FOLL_WRITE), -EFAULT);
#else
	kunit_skip(test, "no gate page that can be read");
#endif
}

static struct kunit_case gup_slow_retry_cases[] = {
	GUP_CASE_ROWS(retry, gup_retry_run, gup_retry_rows),
	KUNIT_CASE(gup_retry_gate),
	{}
};

static struct kunit_suite gup_slow_retry_suite = {
	.name = "gup_slow_retry",
	.test_cases = gup_slow_retry_cases,
};

kunit_test_suite(gup_slow_retry_suite);
