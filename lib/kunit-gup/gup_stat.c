// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the nodes, exact to the last unit. */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>

#include "gup_kunit.h"

static long gup_stat_cpus(int nid, enum node_stat_item item)
{
	struct per_cpu_nodestat __percpu *stats = NODE_DATA(nid)->per_cpu_nodestats;
	long sum = 0;
	int cpu;

	for_each_online_cpu(cpu)
		sum += per_cpu_ptr(stats, cpu)->vm_node_stat_diff[item];

	return sum;
}

/**
 * gup_fixture_node_stat() - the exact value of a counter of one node
 * @nid:  the node
 * @item: the counter
 *
 * The value of the node alone lags behind by what the CPUs have not added yet.
 * A CPU that is about to do so shows in neither place for an instant; to have
 * none of them do it, all tests run on one CPU, with IRQs disabled here.
 *
 * Context: A thread after gup_fixture_bind().
 * Return: The value.
 */
long gup_fixture_node_stat(int nid, enum node_stat_item item)
{
	const atomic_long_t *node = &NODE_DATA(nid)->vm_stat[item];
	unsigned long irq;
	long before, sum;

	local_irq_save(irq);
	do {
		before = atomic_long_read(node);
		sum = before + gup_stat_cpus(nid, item);
	} while (before != atomic_long_read(node));
	local_irq_restore(irq);

	return sum;
}

/**
 * gup_fixture_stat() - the exact value of a counter, all nodes together
 * @item: the counter
 *
 * Context: A thread after gup_fixture_bind().
 * Return: The value.
 */
long gup_fixture_stat(enum node_stat_item item)
{
	long sum = 0;
	int nid;

	for_each_online_node(nid)
		sum += gup_fixture_node_stat(nid, item);

	return sum;
}

/**
 * gup_fixture_bind() - keep this thread on the CPU where all tests run
 *
 * Context: Process context, in the thread of the test.
 */
void gup_fixture_bind(void)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
}

/**
 * gup_fixture_no_movable() - why memory is not in ZONE_MOVABLE as it should be
 * @test: the test
 *
 * The log says how much of the zone is free on each node: none on the node of
 * this CPU may be why.
 *
 * Context: Process context.
 * Return: The reason to skip the test.
 */
const char *gup_fixture_no_movable(struct kunit *test)
{
	struct zone *zone;
	int nid;

	for_each_online_node(nid) {
		zone = &NODE_DATA(nid)->node_zones[ZONE_MOVABLE];
		kunit_info(test, "node %d: %lu of %lu pages free, this is node %d\n",
			   nid, zone_page_state(zone, NR_FREE_PAGES),
			   zone_managed_pages(zone), numa_node_id());
	}

	return "the kernel gave no memory of ZONE_MOVABLE";
}
