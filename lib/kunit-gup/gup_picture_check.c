// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refuse pictures in which there is a typo.
 *
 * gup_picture.c reads what it knows and takes no notice of the rest, so that a row
 * would run as another one. Here, every character of a picture has to mean
 * something, and every page has to be there. The first word that does not is named,
 * with what is wrong.
 */
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/mmzone.h>

#include "gup_kunit.h"
#include "gup_picture.h"

const struct gup_picture_rules gup_rules_table = {
	.kinds = "fhuskm",
	.marks = "+_!",
	.bits = "rsocdpxbw",
};

const struct gup_picture_rules gup_rules_mm = {
	.kinds = "fhuskm",
	.marks = "+",
	.bits = "rsocdpxw",
};

/* Larger than anything that makes sense, and ten times it is still a number. */
#define GUP_MANY	1000000U

/**
 * struct gup_scan - how far a picture was looked at
 * @rules: what may be in it
 * @word:  the word
 * @s:     the next character
 * @text:  where a problem is written down
 * @order: the orders of the folios, by letter
 * @size:  pages of the folios that are neighbours, up to the last one
 * @nr:    number of folios so far
 * @sum:   number of entries, pages, addresses or statuses so far
 * @max:   the most there may be
 */
struct gup_scan {
	const struct gup_picture_rules *rules;
	const char *word;
	const char *s;
	char *text;
	unsigned int order[GUP_MAX_FOLIOS];
	unsigned int size;
	unsigned int nr;
	unsigned int sum;
	unsigned int max;
};

static __printf(2, 3) const char *
gup_problem(struct gup_scan *scan, const char *fmt, ...)
{
	const int len = strchrnul(scan->word, ' ') - scan->word;
	va_list args;
	int n;

	n = scnprintf(scan->text, GUP_PROBLEM_TEXT, "\"%.*s\": ", len,
		      scan->word);
	va_start(args, fmt);
	vsnprintf(scan->text + n, GUP_PROBLEM_TEXT - n, fmt, args);
	va_end(args);

	return scan->text;
}

static bool gup_at_end(const struct gup_scan *scan)
{
	return !*scan->s || *scan->s == ' ';
}

/* Is the next character one of @letters? Then go on to the one behind it. */
static bool gup_scan_letter(struct gup_scan *scan, const char *letters)
{
	if (!*scan->s || !strchr(letters, *scan->s))
		return false;
	scan->s++;

	return true;
}

static unsigned int gup_scan_number(struct gup_scan *scan, unsigned int none)
{
	unsigned int n = 0;

	if (!isdigit(*scan->s))
		return none;
	for (; isdigit(*scan->s); scan->s++)
		n = min(n * 10 + *scan->s - '0', GUP_MANY);

	return n;
}

/* Letters up to the end of the word, at least one, each once. */
static const char *gup_check_letters(struct gup_scan *scan, const char *letters,
				     const char *what)
{
	const char *first = scan->s;

	if (gup_at_end(scan))
		return gup_problem(scan, "no %s", what);
	while (gup_scan_letter(scan, letters))
		if (memchr(first, scan->s[-1], scan->s - first - 1))
			return gup_problem(scan, "%s %c twice", what,
					   scan->s[-1]);
	if (!gup_at_end(scan))
		return gup_problem(scan, "unknown %s %c", what, *scan->s);

	return NULL;
}

/* @nr more entries, or what the picture is made of. */
static const char *gup_check_sum(struct gup_scan *scan, unsigned int nr,
				 const char *what)
{
	if (!nr)
		return gup_problem(scan, "none of them");
	scan->sum += nr;
	if (nr > scan->max || scan->sum > scan->max)
		return gup_problem(scan, "more than %u %s", scan->max, what);

	return NULL;
}

/* All words of a picture: one space between two of them, and nowhere else. */
static const char *gup_check_words(struct gup_scan *scan, const char *picture,
				   const char *(*check)(struct gup_scan *scan))
{
	const char *problem = NULL;
	bool more = picture && *picture;

	for (scan->s = picture; more && !problem;) {
		scan->word = scan->s;
		if (gup_at_end(scan))
			return gup_problem(scan, "empty word");
		problem = check(scan);
		if (!problem && !gup_at_end(scan))
			problem = gup_problem(scan, "%.*s is too much",
					      (int)(strchrnul(scan->s, ' ') -
						    scan->s), scan->s);
		more = *scan->s;
		scan->s += more;
	}

	return problem;
}

/* Neighbours are allocated in one piece. */
static const char *gup_check_order(struct gup_scan *scan, unsigned int order,
				   bool behind)
{
	if (order > MAX_PAGE_ORDER)
		return gup_problem(scan, "order %u is too large", order);
	scan->size = (behind ? scan->size : 0) + (1U << order);
	if (order_base_2(scan->size) > MAX_PAGE_ORDER)
		return gup_problem(scan, "too many neighbours");
	scan->order[scan->nr++] = order;

	return NULL;
}

static const char *gup_check_folio(struct gup_scan *scan)
{
	const char letter = *scan->s++;
	unsigned int order;
	const char *marks;
	bool kind;

	if (letter < 'A' || letter >= 'Z')
		return gup_problem(scan, "%c is not the letter of a folio",
				   letter);
	if (letter - 'A' != scan->nr)
		return gup_problem(scan, "the next folio is %c",
				   'A' + scan->nr);
	order = gup_scan_number(scan, 0);
	kind = gup_scan_letter(scan, scan->rules->kinds);
	for (marks = scan->s; gup_scan_letter(scan, scan->rules->marks);)
		if (memchr(marks, scan->s[-1], scan->s - marks - 1))
			return gup_problem(scan, "%c twice", scan->s[-1]);
	if (!gup_at_end(scan) && !kind && scan->s == marks)
		return gup_problem(scan, "unknown kind %c", *scan->s);
	if (memchr(marks, '+', scan->s - marks) && letter == 'A')
		return gup_problem(scan, "nothing to be behind");

	return gup_check_order(scan, order,
			       memchr(marks, '+', scan->s - marks));
}

/* A number, or from one to another, up or down. */
static const char *gup_check_range(struct gup_scan *scan, unsigned int none,
				   unsigned int *first, unsigned int *last)
{
	*first = gup_scan_number(scan, none);
	*last = *first;
	if (!gup_scan_letter(scan, "-"))
		return NULL;
	*last = gup_scan_number(scan, GUP_MANY + 1);
	if (*last > GUP_MANY)
		return gup_problem(scan, "no number behind -");

	return NULL;
}

static const char *gup_check_pages(struct gup_scan *scan, char letter)
{
	const unsigned int folio = letter - 'A';
	const char *first_digit = scan->s;
	unsigned int first, last;
	const char *problem;

	if (folio >= scan->nr)
		return gup_problem(scan, "folio %c is not declared", letter);
	problem = gup_check_range(scan, 0, &first, &last);
	if (problem)
		return problem;
	if (scan->s != first_digit && !isdigit(*first_digit))
		return gup_problem(scan, "no number in front of -");
	if (max(first, last) >= 1U << scan->order[folio])
		return gup_problem(scan, "page %u of a folio of %u",
				   max(first, last), 1U << scan->order[folio]);

	return gup_check_sum(scan, abs((int)(last - first)) + 1, "entries");
}

static const char *gup_check_entry(struct gup_scan *scan)
{
	const char letter = *scan->s++;
	const char *problem;

	if (letter >= 'A' && letter < 'Z')
		problem = gup_check_pages(scan, letter);
	else if (letter == 'Z' || letter == '.' || letter == '@')
		problem = gup_check_sum(scan, gup_scan_number(scan, 1),
					"entries");
	else
		problem = gup_problem(scan, "%c is not an entry", letter);
	if (problem || letter < 'A' || !gup_scan_letter(scan, ":"))
		return problem;

	return gup_check_letters(scan, scan->rules->bits, "bit");
}

/**
 * gup_layout_problem() - what is wrong with the pictures of a layout
 * @rules:  what may be in them
 * @folios: the picture of the folios
 * @ptes:   that of the entries, or NULL
 * @max:    the most entries
 * @text:   room for %GUP_PROBLEM_TEXT bytes
 *
 * Context: Any.
 * Return: The first word that is wrong, and why, in @text; or NULL.
 */
const char *gup_layout_problem(const struct gup_picture_rules *rules,
			       const char *folios, const char *ptes,
			       unsigned int max, char *text)
{
	struct gup_scan scan = { .rules = rules, .text = text, .max = max };
	const char *problem;

	problem = gup_check_words(&scan, folios, gup_check_folio);
	if (!problem)
		problem = gup_check_words(&scan, ptes, gup_check_entry);

	return problem;
}

static const char *gup_check_vma(struct gup_scan *scan)
{
	const char *problem, *letters;

	if (!isdigit(*scan->s))
		return gup_problem(scan, "no number of pages");
	problem = gup_check_sum(scan, gup_scan_number(scan, 0), "pages");
	letters = scan->s;
	if (!problem && !gup_at_end(scan))
		problem = gup_check_letters(scan, "rwxsmpiudg", "letter");
	if (!problem && memchr(letters, 'g', scan->s - letters) &&
	    scan->s - letters > 1)
		problem = gup_problem(scan, "a gap is nothing else");

	return problem;
}

/**
 * gup_vmas_problem() - what is wrong with a picture of VMAs
 * @vmas: the picture, see gup_mm.h; may be NULL
 * @max:  the most pages
 * @text: room for %GUP_PROBLEM_TEXT bytes
 *
 * Context: Any.
 * Return: The first word that is wrong, and why, in @text; or NULL.
 */
const char *gup_vmas_problem(const char *vmas, unsigned int max, char *text)
{
	struct gup_scan scan = { .text = text, .max = max };

	return gup_check_words(&scan, vmas, gup_check_vma);
}

static const char *gup_check_address(struct gup_scan *scan)
{
	const char letter = *scan->s++;
	unsigned int first, last;
	const char *problem;

	if (strchr("NKLE", letter))
		return gup_check_sum(scan, 1, "addresses");
	if (letter != 'P')
		return gup_problem(scan, "%c is not an address", letter);
	if (!isdigit(*scan->s))
		return gup_problem(scan, "no number of a page");
	problem = gup_check_range(scan, 0, &first, &last);
	if (!problem && max(first, last) >= GUP_MANY)
		problem = gup_problem(scan, "the number is too large");
	if (!problem)
		problem = gup_check_sum(scan, abs((int)(last - first)) + 1,
					"addresses");
	if (problem || !gup_scan_letter(scan, ":"))
		return problem;

	return gup_check_letters(scan, "obp", "bit");
}

/**
 * gup_addresses_problem() - what is wrong with a picture of addresses
 * @ask:  the picture, see gup_nodes.h
 * @max:  the most addresses
 * @text: room for %GUP_PROBLEM_TEXT bytes
 *
 * Context: Any.
 * Return: The first word that is wrong, and why, in @text; or NULL.
 */
const char *gup_addresses_problem(const char *ask, unsigned int max, char *text)
{
	struct gup_scan scan = { .text = text, .max = max };

	return gup_check_words(&scan, ask, gup_check_address);
}

static const char *gup_check_status(struct gup_scan *scan)
{
	const unsigned int nr = gup_scan_number(scan, 1);

	if (gup_at_end(scan))
		return gup_problem(scan, "no status");
	if (!gup_scan_letter(scan, "noef"))
		return gup_problem(scan, "unknown status %c", *scan->s);

	return gup_check_sum(scan, nr, "statuses");
}

/**
 * gup_statuses_problem() - what is wrong with a picture of statuses
 * @want: the picture, see gup_nodes.h
 * @max:  the number of addresses that were asked for
 * @text: room for %GUP_PROBLEM_TEXT bytes
 *
 * Context: Any.
 * Return: The first word that is wrong, and why, in @text; or NULL.
 */
const char *gup_statuses_problem(const char *want, unsigned int max, char *text)
{
	struct gup_scan scan = { .text = text, .max = max };
	const char *problem;

	problem = gup_check_words(&scan, want, gup_check_status);
	if (!problem && scan.sum != max) {
		scan.word = want;
		problem = gup_problem(&scan, "%u statuses for %u addresses",
				      scan.sum, max);
	}

	return problem;
}

/**
 * gup_letters_problem() - what is wrong with a list of folios
 * @folio:   the folios by letter
 * @letters: the list, or NULL; 'Z' may be in it
 * @text:    room for %GUP_PROBLEM_TEXT bytes
 *
 * Context: Any.
 * Return: The first letter that no folio has, in @text; or NULL.
 */
const char *gup_letters_problem(const struct gup_folio *folio,
				const char *letters, char *text)
{
	const char *s;

	for (s = letters; s && *s; s++) {
		if (*s == 'Z' || (*s >= 'A' && *s < 'Z' && folio[*s - 'A'].kind))
			continue;
		snprintf(text, GUP_PROBLEM_TEXT, "\"%s\": there is no folio %c",
			 letters, *s);
		return text;
	}

	return NULL;
}
