// SPDX-License-Identifier: GPL-2.0-only
/* The seed of random and shuffled orders, see gup_seed.h. */
#include <linux/hash.h>
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "gup_seed.h"

static unsigned int gup_seed_wanted;
module_param_named(seed, gup_seed_wanted, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of random orders; 0: another one for each case");

/**
 * gup_seed_choose() - the seed that is wanted, or any
 * @wanted: the seed, 0 for any
 *
 * Context: Any.
 * Return: The seed, not 0.
 */
u32 gup_seed_choose(u32 wanted)
{
	return wanted ?: get_random_u32() | 1;
}

/**
 * gup_seed() - the seed for a case, and a line that says how to have it again
 * @test: the test; it calls this once
 *
 * Context: Process context.
 * Return: The seed.
 */
u32 gup_seed(struct kunit *test)
{
	const u32 seed = gup_seed_choose(gup_seed_wanted);

	kunit_info(test, "seed %u: GUP_SEED=%u repeats this\n", seed, seed);

	return seed;
}

/**
 * gup_seed_state() - begin an order
 * @rnd:    filled with the state
 * @seed:   the seed
 * @stream: which one of the orders that one seed gives, one for each thread
 *
 * Context: Any.
 */
void gup_seed_state(struct rnd_state *rnd, u32 seed, u32 stream)
{
	prandom_seed_state(rnd, seed ^ (stream * GOLDEN_RATIO_32));
}
