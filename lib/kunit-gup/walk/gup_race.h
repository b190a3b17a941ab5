/* SPDX-License-Identifier: GPL-2.0-only */
/* Interfere with a walk at an exact step, and count its steps. */
#ifndef _GUP_RACE_H
#define _GUP_RACE_H

#include "fixture/gup_fixture.h"
#include "fixture/gup_lacks.h"

/**
 * enum gup_step - a step of the walk at which a test interferes
 * @GUP_BEFORE_GRAB:  the entry has been read, no reference is held
 * @GUP_AFTER_GRAB:   the references have been taken, nothing else was read
 * @GUP_IN_SCAN:      the first half of the batch has been read; the same as
 *                    GUP_AFTER_GRAB where the walker does not look for batches
 * @GUP_BEFORE_CHECK: all of the batch has been read
 * @GUP_AFTER_CHECK:  the pmd and the entry have been read again
 */
enum gup_step {
	GUP_BEFORE_GRAB,
	GUP_AFTER_GRAB,
	GUP_IN_SCAN,
	GUP_BEFORE_CHECK,
	GUP_AFTER_CHECK,
};

/**
 * struct gup_race - something that happens during a walk
 * @step:   when, for the batch that begins at @entry
 * @entry:  an entry of the layout
 * @change: what happens; IRQs are disabled, so no expectations in it
 * @arg:    for @change
 * @fired:  number of times that it happened
 */
struct gup_race {
	enum gup_step step;
	unsigned int entry;
	void (*change)(struct gup_fixture *fx, unsigned int arg);
	unsigned int arg;
	unsigned int fired;
};

/**
 * struct gup_watch - what happens during the walks over a fixture
 * @race:         what has to happen, or NULL
 * @refuse:       the entry whose page cannot be grabbed, or -1; as for PCI
 *                peer-to-peer memory, which not every machine has
 * @inaccessible: the entry whose folio cannot be made accessible, or -1
 * @grabs:        number of successful grabs, where stubs count them
 * @grabbed:      number of references in them
 * @overruns:     number of scans that were allowed beyond the table
 * @fast:         whether GUP-fast is walking
 * @irqs_on:      number of steps of GUP-fast with IRQs enabled, where stubs see
 *                them
 */
struct gup_watch {
	struct gup_race *race;
	int refuse;
	int inaccessible;
	unsigned int grabs;
	unsigned int grabbed;
	unsigned int overruns;
	bool fast;
	unsigned int irqs_on;
};

struct gup_watch *gup_watch(struct gup_fixture *fx);
void gup_race_install(struct gup_fixture *fx, struct gup_race *race);
void gup_race_watch_slow(struct gup_fixture *fx);

/*
 * gup_call_real() - call a function from its own stub
 *
 * Without a current test, there is no stub.
 */
#define gup_call_real(call) ({						\
	struct kunit *__test = current->kunit_test;			\
									\
	current->kunit_test = NULL;					\
	typeof(call) __ret = call;					\
	current->kunit_test = __test;					\
	__ret;								\
})

/* The same for a function that returns nothing. */
#define gup_call_void(call) do {					\
	struct kunit *__test = current->kunit_test;			\
									\
	current->kunit_test = NULL;					\
	call;								\
	current->kunit_test = __test;					\
} while (0)

#endif /* _GUP_RACE_H */
