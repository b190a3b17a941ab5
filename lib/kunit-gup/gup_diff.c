// SPDX-License-Identifier: GPL-2.0-only
/* Compare values and pages, and keep the first difference. */
#include <linux/err.h>

#include "gup_diff.h"

/**
 * gup_page_letter() - the letter of the folio that a page belongs to
 * @folio: the folios by letter
 * @page:  the page; it is not read
 *
 * Return: The letter, 'Z' for the zero page, '?' for none of the folios.
 */
char gup_page_letter(const struct gup_folio *folio, const struct page *page)
{
	unsigned int i;

	if (page == ZERO_PAGE(0))
		return 'Z';
	for (i = 0; i < GUP_MAX_FOLIOS && folio[i].kind; i++)
		if (folio[i].page && page >= folio[i].page &&
		    page < folio[i].page + (1U << folio[i].order))
			return 'A' + i;

	return '?';
}

/**
 * gup_page_name() - the name of a page in a layout
 * @folio: the folios by letter, or NULL if there are none
 * @page:  the page, NULL, an error, or %GUP_POISON; it is not read
 *
 * Return: The name.
 */
struct gup_name gup_page_name(const struct gup_folio *folio, const void *page)
{
	const struct page *p = page;
	struct gup_name name = { "another page" };
	char letter;

	if (!page)
		return (struct gup_name) { "no page" };
	if (page == GUP_POISON)
		return (struct gup_name) { "poison" };
	if (page == ZERO_PAGE(0))
		return (struct gup_name) { "Z" };
	if (IS_ERR(page))
		snprintf(name.text, sizeof(name.text), "error %ld",
			 PTR_ERR(page));
	letter = folio ? gup_page_letter(folio, page) : '?';
	if (letter != '?')
		snprintf(name.text, sizeof(name.text), "%c%zu", letter,
			 (size_t)(p - folio[letter - 'A'].page));

	return name;
}

/**
 * gup_differs() - compare two values, and keep the first difference
 * @diff: where it is kept
 * @what: what the values are, in words
 * @idx:  where they are from
 * @got:  the value found
 * @want: the value expected
 *
 * Return: Whether there was a difference, here or before.
 */
bool gup_differs(struct gup_diff *diff, const char *what, unsigned long idx,
		 long got, long want)
{
	if (got == want || diff->what)
		return diff->what;

	*diff = (struct gup_diff) {
		.what = what,
		.idx = idx,
		.got = got,
		.want = want,
	};

	return true;
}

/**
 * gup_differs_page() - gup_differs() for pages, that are shown by their letters
 * @diff:  where it is kept
 * @folio: the folios by letter
 * @what:  what the pages are, in words
 * @idx:   where they are from
 * @got:   the page found; it may be NULL, an error, or %GUP_POISON
 * @want:  the page expected, the same
 *
 * Context: Any. The folios stay until the difference was shown.
 * Return: Whether there was a difference, here or before.
 */
bool gup_differs_page(struct gup_diff *diff, const struct gup_folio *folio,
		      const char *what, unsigned long idx, const void *got,
		      const void *want)
{
	if (!diff->what && gup_differs(diff, what, idx, (long)got, (long)want))
		diff->folio = folio;

	return diff->what;
}

/**
 * gup_expect_no_diff() - fail the test if there is a difference
 * @test:   the test
 * @diff:   the difference
 * @layout: what to print along with it
 *
 * Context: Process context, no locks.
 */
void gup_expect_no_diff(struct kunit *test, const struct gup_diff *diff,
			const char *layout)
{
	if (!diff->what)
		return;
	if (diff->folio)
		KUNIT_FAIL(test, "%s %lu: got %s, want %s (%s)", diff->what,
			   diff->idx,
			   gup_page_name(diff->folio, (void *)diff->got).text,
			   gup_page_name(diff->folio, (void *)diff->want).text,
			   layout);
	else
		KUNIT_FAIL(test, "%s %lu: got %ld, want %ld (%s)", diff->what,
			   diff->idx, diff->got, diff->want, layout);
}
