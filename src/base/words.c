#include "base/words.h"

bool word_in(struct str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n && list[i]; i++)
		if (str_eqz(word, list[i]))
			return true;
	return false;
}

bool text_has(struct str text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_find(text, str_from(list[i]), 0) >= 0)
			return true;
	return false;
}

bool text_begins(struct str text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(text, str_from(list[i])))
			return true;
	return false;
}

bool text_ends(struct str text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_ends(text, str_from(list[i])))
			return true;
	return false;
}

/* By hand, since every call of a program is looked up in dozens of such texts. */
bool word_in_text(struct str word, const char *text)
{
	while (word.n && *text) {
		size_t n = 0;

		while (n < word.n && text[n] == word.p[n] && text[n] && text[n] != ' ')
			n++;
		if (n == word.n && (!text[n] || text[n] == ' '))
			return true;
		for (text += n; *text && *text != ' ';)
			text++;
		text += *text == ' ';
	}
	return false;
}

bool word_is_one_icase(struct str word, const char *words)
{
	for (const char *p = words;; p++) {
		size_t n = strcspn(p, "|");
		bool star = n && p[n - 1] == '*';
		struct str one = { p, n - star };

		if (star ? str_starts_icase(word, one) : str_eq_icase(word, one))
			return true;
		p += n;
		if (!*p)
			return false;
	}
}

bool text_has_one_icase(struct str text, const char *words)
{
	struct str rest = str_from(words), one;

	while (str_split(&rest, '|', &one))
		if (str_find_icase(text, one, 0) >= 0)
			return true;
	return false;
}

bool word_like(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a.n && !char_is_alnum(a.p[i]))
			i++;
		while (k < b.n && !char_is_alnum(b.p[k]))
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if (char_lower(a.p[i]) != char_lower(b.p[k]))
			return false;
	}
}

/* Each member of a call is looked up in all roles: only what begins alike is compared. */
bool word_like_in_text(struct str word, const char *text)
{
	while (word.n && !char_is_alnum(word.p[0]))
		word = str_sub(word, 1, word.n);
	while (word.n && *text) {
		const char *end = strchrnul(text, ' ');

		if ((char_lower(*text) == char_lower(word.p[0]) || !char_is_alnum(*text)) &&
		    word_like(word, (struct str){ text, (size_t)(end - text) }))
			return true;
		text = end + (*end == ' ');
	}
	return false;
}
