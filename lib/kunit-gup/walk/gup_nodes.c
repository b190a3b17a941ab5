// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask move_pages() for the nodes of addresses, and compare each with the
 * oracle.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "fixture/gup_layout.h"
#include "fixture/gup_layout_check.h"
#include "oracle/gup_oracle_nodes.h"
#include "walk/gup_mm_call.h"
#include "walk/gup_nodes.h"

/**
 * gup_nodes_create() - a query without addresses yet
 * @m:   the address space
 * @max: how many addresses there may be
 *
 * Return: The query.
 */
struct gup_nodes *gup_nodes_create(struct gup_mm *m, unsigned int max)
{
	struct gup_nodes *q = gup_zalloc(m->test, 1, sizeof(*q));

	q->m = m;
	q->max = max;
	q->addr = gup_zalloc(m->test, max + 1, sizeof(*q->addr));
	q->want = gup_zalloc(m->test, max + 1, sizeof(*q->want));
	q->got = gup_zalloc(m->test, max + 1, sizeof(*q->got));

	return q;
}

/**
 * gup_nodes_add() - one more address
 * @q:    the query
 * @addr: the address
 */
void gup_nodes_add(struct gup_nodes *q, unsigned long addr)
{
	KUNIT_ASSERT_LT(q->m->test, q->nr, q->max);
	q->want[q->nr] = gup_oracle_node(q->m->mm, addr);
	q->addr[q->nr++] = addr;
}

static unsigned long gup_nodes_page(struct gup_nodes *q, unsigned int entry,
				    const struct gup_word *word)
{
	unsigned long addr = gup_mm_addr(q->m, entry);

	if (gup_word_has(word, 'o'))
		addr += PAGE_SIZE / 3;
	if (gup_word_has(word, 'b'))
		addr += PAGE_SIZE - 1;
	if (gup_word_has(word, 'p'))
		addr |= 0x5aUL << (BITS_PER_LONG - 8);

	return addr;
}

/**
 * gup_nodes_add_addresses() - add the addresses of a text
 * @q:   the query
 * @ask: the text
 */
void gup_nodes_add_addresses(struct gup_nodes *q, const char *ask)
{
	struct gup_word word;
	unsigned long addr;
	char text[GUP_PROBLEM_TEXT];
	unsigned int i;
	int step;

	GUP_ASSERT_LAYOUT(q->m->test, gup_addresses_problem(ask, q->max, text),
			  ask);
	while (*ask) {
		ask = gup_layout_word(ask, &word);
		step = word.last < word.first ? -1 : 1;
		for (i = 0; i < word.nr; i++) {
			switch (word.letter) {
			case 'N':
				gup_nodes_add(q, 0);
				break;
			case 'K':
				gup_nodes_add(q, (unsigned long)q);
				break;
			case 'L':
				gup_nodes_add(q, TASK_SIZE - PAGE_SIZE);
				break;
			case 'E':
				gup_nodes_add(q, ULONG_MAX);
				break;
			default:
				addr = gup_nodes_page(q, word.first + i * step,
						      &word);
				gup_nodes_add(q, addr);
			}
		}
	}
}

/**
 * gup_nodes_lacks() - why a query cannot be made
 * @ask: the addresses, as text
 *
 * Return: The reason to skip a test, or NULL.
 */
const char *gup_nodes_lacks(const char *ask)
{
	if (!gup_kunit_stat.array)
		return "no CONFIG_MIGRATION";
	/* A small p is the mark of a tag. */
	if (!IS_ENABLED(CONFIG_64BIT) && strchr(ask, 'p'))
		return "no address tags on 32 bits";

	return NULL;
}

static int gup_nodes_status(struct gup_nodes *q, unsigned int i, char letter)
{
	struct gup_kunit_entry e = {};

	switch (letter) {
	case 'e':
		return -ENOENT;
	case 'f':
		return -EFAULT;
	}
	gup_kunit_mm.read(q->m->mm, q->addr[i], &e);

	return e.page ? page_to_nid(e.page) : GUP_NODES_POISON;
}

/**
 * gup_nodes_expect() - expect that the oracle says what a row says
 * @q:    the query
 * @want: the statuses, as text
 */
void gup_nodes_expect(struct gup_nodes *q, const char *want)
{
	int here = NUMA_NO_NODE, other = NUMA_NO_NODE;
	char text[GUP_PROBLEM_TEXT];
	unsigned int i = 0, nr;

	GUP_ASSERT_LAYOUT(q->m->test, gup_statuses_problem(want, q->nr, text),
			  want);
	for (; *want; want++) {
		for (nr = 0; *want >= '0' && *want <= '9'; want++)
			nr = nr * 10 + *want - '0';
		if (*want == ' ')
			continue;
		for (nr = max(nr, 1U); nr && i < q->nr; nr--, i++) {
			KUNIT_EXPECT_EQ_MSG(q->m->test, q->want[i],
					    gup_nodes_status(q, i, *want),
					    "oracle for address %u", i);
			if (*want == 'n')
				here = q->want[i];
			if (*want == 'o')
				other = q->want[i];
		}
		KUNIT_EXPECT_EQ_MSG(q->m->test, nr, 0, "more than was asked");
	}
	KUNIT_EXPECT_EQ(q->m->test, i, q->nr);
	if (other != NUMA_NO_NODE)
		KUNIT_EXPECT_NE(q->m->test, here, other);
}

/**
 * gup_nodes_matches() - does the result match the oracle?
 * @q:     the query
 * @first: from this address on
 * @nr:    the number of addresses; all others must be untouched
 * @diff:  the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_nodes_matches(struct gup_nodes *q, unsigned int first,
		       unsigned int nr, struct gup_diff *diff)
{
	unsigned int i;

	for (i = 0; i <= q->nr && !diff->what; i++) {
		if (i >= first && i < first + nr)
			gup_differs(diff, "status", i, q->got[i], q->want[i]);
		else
			gup_differs(diff, "untouched status", i, q->got[i],
				    GUP_NODES_POISON);
	}

	return !diff->what;
}

static void gup_nodes_poison(struct gup_nodes *q)
{
	unsigned int i;

	for (i = 0; i <= q->nr; i++)
		q->got[i] = GUP_NODES_POISON;
}

/**
 * gup_nodes_array() - ask with arrays in the kernel
 * @q:    the query
 * @diff: the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_nodes_array(struct gup_nodes *q, struct gup_diff *diff)
{
	gup_nodes_poison(q);
	gup_kunit_stat.array(q->m->mm, q->nr, (const void __user **)q->addr,
			     q->got);

	return gup_nodes_matches(q, 0, q->nr, diff);
}

/**
 * gup_nodes_users() - put the arrays into user space
 * @q: the query
 *
 * Return: Their addresses.
 */
struct gup_nodes_users gup_nodes_users(struct gup_nodes *q)
{
	const unsigned long nr_pages =
		DIV_ROUND_UP((q->max + 1) * sizeof(*q->addr), PAGE_SIZE);
	struct kunit *test = q->m->test;
	struct gup_nodes_users users;

	users.pages = gup_mm_mmap(test, 0, 2 * nr_pages * PAGE_SIZE,
				  PROT_READ | PROT_WRITE);
	users.status = users.pages + nr_pages * PAGE_SIZE;

	gup_nodes_poison(q);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)users.pages, q->addr,
					   q->nr * sizeof(*q->addr)), 0);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)users.status, q->got,
					   (q->nr + 1) * sizeof(*q->got)), 0);

	return users;
}

/**
 * gup_nodes_call() - ask with arrays in user space
 * @q:     the query
 * @users: the arrays
 *
 * Return: 0 or an error.
 */
int gup_nodes_call(struct gup_nodes *q, const struct gup_nodes_users *users)
{
	return gup_kunit_stat.user(q->m->mm, q->nr,
				   (const void __user * __user *)users->pages,
				   (int __user *)users->status);
}

/**
 * gup_nodes_fetch() - copy the statuses from user space
 * @q:      the query
 * @status: the address of the array
 * @nr:     how many of them can be read
 */
void gup_nodes_fetch(struct gup_nodes *q, unsigned long status, unsigned int nr)
{
	gup_nodes_poison(q);
	KUNIT_ASSERT_EQ(q->m->test, copy_from_user(q->got,
						   (void __user *)status,
						   nr * sizeof(*q->got)), 0);
}

/**
 * gup_nodes_user() - ask with valid arrays in user space
 * @q:    the query
 * @diff: the first thing that is not as it should be
 *
 * Return: Whether all is well.
 */
bool gup_nodes_user(struct gup_nodes *q, struct gup_diff *diff)
{
	const struct gup_nodes_users users = gup_nodes_users(q);
	const int ret = gup_nodes_call(q, &users);

	gup_differs(diff, "result", 0, ret, 0);
	gup_nodes_fetch(q, users.status, q->nr + 1);

	return gup_nodes_matches(q, 0, q->nr, diff);
}

/**
 * gup_nodes_run() - ask in both ways, and check that no reference is left
 * @q:      the query
 * @layout: the entries, for messages
 */
void gup_nodes_run(struct gup_nodes *q, const char *layout)
{
	struct gup_mm_ask nothing = { .flags = FOLL_GET };
	struct gup_diff diff = {};

	gup_mm_before(q->m, &nothing);
	if (gup_nodes_array(q, &diff))
		gup_nodes_user(q, &diff);
	gup_mm_after(q->m, &nothing);
	if (!diff.what)
		gup_mm_check(q->m, &nothing, &diff);
	gup_expect_no_diff(q->m->test, &diff, layout);
}
