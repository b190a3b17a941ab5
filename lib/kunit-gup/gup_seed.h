/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where random and shuffled orders come from, and how to have one again.
 *
 * Each case that has one prints a line with its seed, "seed 42: GUP_SEED=42
 * repeats this". To have the same order again, give the seed to the module:
 *
 *	make kunit GUP_SEED=42				UML and QEMU alike
 *	kunit.py run --kernel_args=gup_kunit.seed=42	the same by hand
 *	gup_kunit.seed=42				on any kernel's command line
 *	modprobe gup_kunit seed=42
 *
 * 0, or nothing, is a new seed for each case.
 */
#ifndef _GUP_SEED_H
#define _GUP_SEED_H

#include <kunit/test.h>
#include <linux/prandom.h>

u32 gup_seed_choose(u32 wanted);
u32 gup_seed(struct kunit *test);
void gup_seed_state(struct rnd_state *rnd, u32 seed, u32 stream);

#endif /* _GUP_SEED_H */
