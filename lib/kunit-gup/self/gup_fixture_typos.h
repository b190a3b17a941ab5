/* SPDX-License-Identifier: GPL-2.0-only */
/* A part of the suite gup_fixture that has a file of its own. */
#ifndef _GUP_FIXTURE_TYPOS_H
#define _GUP_FIXTURE_TYPOS_H

#include "gup_kunit.h"

const void *gup_typos_gen_params(struct kunit *test, const void *prev,
				 char *desc);
void gup_fixture_refuses_typos(struct kunit *test);
void gup_fixture_refuses_letters(struct kunit *test);

#endif /* _GUP_FIXTURE_TYPOS_H */
