// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the pictures that gup_kunit.h explains. What is made of them is up to the
 * fixtures: a table of its own, or a real mm.
 */
#include <linux/err.h>

#include "gup_kunit.h"
#include "gup_picture.h"

static unsigned int gup_parse_number(const char **s, unsigned int none)
{
	unsigned int n = 0;

	if (**s < '0' || **s > '9')
		return none;
	for (; **s >= '0' && **s <= '9'; (*s)++)
		n = n * 10 + **s - '0';

	return n;
}

/* Read "A4f+ ..." up to the end of the word. */
static const char *gup_parse_folio(struct kunit *test, const char *s,
				   struct gup_folio *folio)
{
	struct gup_folio *gf;

	KUNIT_ASSERT_TRUE(test, *s >= 'A' && *s < 'Z');
	gf = &folio[*s++ - 'A'];
	gf->kind = 'a';
	gf->refs = GUP_HELD;
	gf->order = gup_parse_number(&s, 0);
	for (; *s && *s != ' '; s++) {
		if (*s == '+')
			gf->behind = true;
		else if (*s == '_')
			gf->refs = 0;
		else if (*s == '!')
			gf->refs = INT_MIN / 2;
		else
			gf->kind = *s;
	}

	return s;
}

/**
 * gup_picture_folios() - read a picture of folios
 * @test:   the test, which ends here if there is no sense in it
 * @folios: the picture
 * @folio:  GUP_MAX_FOLIOS folios by letter, zeroed; to be filled in
 *
 * Context: Process context, in the thread of the test.
 */
void gup_picture_folios(struct kunit *test, const char *folios,
			struct gup_folio *folio)
{
	while (*folios) {
		folios = gup_parse_folio(test, folios, folio);
		folios += *folios == ' ';
	}
}

/* Letters after a colon, up to the end of the word. */
static const char *gup_parse_bits(const char *s, unsigned int *bits)
{
	static const char letters[] = "rsocdpxbw";
	const char *letter;

	*bits = 0;
	while (*s && *s != ' ') {
		letter = strchr(letters, *s++);
		if (letter)
			*bits |= BIT(letter - letters);
	}

	return s;
}

/**
 * gup_picture_word() - read a word of a picture of entries
 * @s:    the picture, from the word on
 * @word: to be filled in
 *
 * Context: Any.
 * Return: The next word, or the end of the picture.
 */
const char *gup_picture_word(const char *s, struct gup_word *word)
{
	const bool page = *s >= 'A' && *s < 'Z';

	word->letter = *s++;
	word->first = gup_parse_number(&s, page ? 0 : 1);
	word->last = word->first;
	word->nr = page ? 1 : word->first;
	if (*s == '-') {
		s++;
		word->last = gup_parse_number(&s, word->first);
		word->nr += abs((int)(word->last - word->first));
	}
	s = gup_parse_bits(s, &word->bits);

	return s + (*s == ' ');
}

/**
 * gup_picture_count() - how many entries a picture has
 * @ptes: the picture
 *
 * Context: Any.
 * Return: The number of entries.
 */
unsigned int gup_picture_count(const char *ptes)
{
	struct gup_word word;
	unsigned int nr = 0;

	while (*ptes) {
		ptes = gup_picture_word(ptes, &word);
		nr += word.nr;
	}

	return nr;
}

/**
 * gup_picture_bits() - the bits that any entry of a picture has
 * @ptes: the picture
 *
 * Context: Any.
 * Return: GUP_BIT_*.
 */
unsigned int gup_picture_bits(const char *ptes)
{
	struct gup_word word;
	unsigned int bits = 0;

	while (*ptes) {
		ptes = gup_picture_word(ptes, &word);
		bits |= word.bits;
	}

	return bits;
}

/**
 * gup_page_name() - what a picture calls a page
 * @folio: the folios by letter, or NULL if there are none
 * @page:  the page, NULL, an error, or %GUP_POISON; it is not read
 *
 * Context: Any.
 * Return: The name.
 */
struct gup_name gup_page_name(const struct gup_folio *folio, const void *page)
{
	const struct page *p = page;
	struct gup_name name = { "another page" };
	unsigned int i;

	if (!page)
		return (struct gup_name) { "no page" };
	if (page == GUP_POISON)
		return (struct gup_name) { "poison" };
	if (page == ZERO_PAGE(0))
		return (struct gup_name) { "Z" };
	if (IS_ERR(page))
		snprintf(name.text, sizeof(name.text), "error %ld",
			 PTR_ERR(page));
	for (i = 0; folio && i < GUP_MAX_FOLIOS && folio[i].kind; i++)
		if (folio[i].page && p >= folio[i].page &&
		    p < folio[i].page + (1U << folio[i].order))
			snprintf(name.text, sizeof(name.text), "%c%zu", 'A' + i,
				 (size_t)(p - folio[i].page));

	return name;
}
