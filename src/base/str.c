#include "base/str.h"

enum { DISTANCE_MAX = 64 };

int str_cmp(struct str a, struct str b)
{
	size_t n = min_size(a.n, b.n);
	int r = n ? memcmp(a.p, b.p, n) : 0;

	if (r)
		return r;
	return a.n < b.n ? -1 : a.n > b.n;
}

int str_cmp_icase(struct str a, struct str b)
{
	for (size_t i = 0; i < min_size(a.n, b.n); i++) {
		int r = (unsigned char)char_lower(a.p[i]) - (unsigned char)char_lower(b.p[i]);

		if (r)
			return r;
	}
	return a.n < b.n ? -1 : a.n > b.n;
}

bool str_starts_icase(struct str s, struct str prefix)
{
	size_t i = 0;

	if (s.n < prefix.n)
		return false;
	while (i < prefix.n && char_lower(s.p[i]) == char_lower(prefix.p[i]))
		i++;
	return i == prefix.n;
}

bool str_ends_icase(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_starts_icase(str_sub(s, s.n - suffix.n, s.n), suffix);
}

bool str_eq_icase(struct str a, struct str b)
{
	return a.n == b.n && str_starts_icase(a, b);
}

bool str_eqz_icase(struct str a, const char *z)
{
	return str_eq_icase(a, str_from(z));
}

struct str str_trim(struct str s)
{
	while (s.n && char_is_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && char_is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_is_of(struct str s, const char *bytes)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr(bytes, s.p[i]))
			return false;
	return true;
}

bool str_has_blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
			return true;
	return false;
}

ptrdiff_t str_chr(struct str s, char c, size_t from)
{
	const char *hit = from < s.n ? memchr(s.p + from, c, s.n - from) : NULL;

	return hit ? hit - s.p : -1;
}

ptrdiff_t str_find(struct str s, struct str needle, size_t from)
{
	const char *hit;

	if (from > s.n)
		return -1;
	if (needle.n == 0)
		return (ptrdiff_t)from;
	if (needle.n > s.n - from)
		return -1;
	hit = memmem(s.p + from, s.n - from, needle.p, needle.n);
	return hit ? hit - s.p : -1;
}

struct str str_behind_last(struct str s, struct str label)
{
	struct str rest = { 0 }, line = STR("");

	for (ptrdiff_t at = 0; (at = str_find(s, label, (size_t)at)) >= 0; at++)
		rest = str_sub(s, (size_t)at + label.n, s.n);
	(void)str_split(&rest, '\n', &line);
	return line;
}

ptrdiff_t str_find_icase(struct str s, struct str needle, size_t from)
{
	char first = needle.n ? char_lower(needle.p[0]) : '\0';

	for (; from + needle.n <= s.n; from++)
		if (!needle.n || (char_lower(s.p[from]) == first &&
				  str_starts_icase(str_sub(s, from, s.n), needle)))
			return (ptrdiff_t)from;
	return -1;
}

bool str_is_word(struct str s, const char *also)
{
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_word(s.p[i]) && (!s.p[i] || !strchr(also, s.p[i])))
			return false;
	return true;
}

bool str_is_visible(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f)
			return false;
	return true;
}

bool str_split(struct str *rest, char sep, struct str *ret_part)
{
	ptrdiff_t at;

	if (!rest->p)
		return false;
	at = str_chr(*rest, sep, 0);
	if (at < 0) {
		*ret_part = *rest;
		*rest = (struct str){ 0 };
		return true;
	}
	*ret_part = str_sub(*rest, 0, (size_t)at);
	*rest = str_sub(*rest, (size_t)at + 1, rest->n);
	return true;
}

bool str_is_date(struct str s)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	static const char form[] = "yyyy-mm-dd";
	int year = 0, month = 0, day = 0;

	if (s.n != strlen(form))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int *part = form[i] == 'y' ? &year : form[i] == 'm' ? &month : &day;

		if (form[i] == '-' ? s.p[i] != '-' : !char_is_digit(s.p[i]))
			return false;
		if (form[i] != '-')
			*part = *part * 10 + s.p[i] - '0';
	}
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1] + (month == 2 && leap);
}

bool str_to_int(struct str s, int64_t *ret_v)
{
	bool neg = s.n && s.p[0] == '-';
	int64_t v = 0;
	size_t i = neg;

	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, s.p[i] - '0', &v))
			return false;
	}
	if (!neg && v == INT64_MIN)
		return false;
	*ret_v = neg ? v : -v;
	return true;
}

size_t str_distance(struct str a, struct str b)
{
	size_t rows[3][DISTANCE_MAX + 1];
	size_t *prev2 = rows[0], *prev = rows[1], *cur = rows[2];

	if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
		return DISTANCE_MAX + 1;
	for (size_t j = 0; j <= b.n; j++)
		prev[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *spare = prev2;

		cur[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			bool same = char_lower(a.p[i - 1]) == char_lower(b.p[j - 1]);
			size_t d = min_size(min_size(prev[j] + 1, cur[j - 1] + 1),
					    prev[j - 1] + !same);

			if (i > 1 && j > 1 && char_lower(a.p[i - 1]) == char_lower(b.p[j - 2]) &&
			    char_lower(a.p[i - 2]) == char_lower(b.p[j - 1]))
				d = min_size(d, prev2[j - 2] + 1);
			cur[j] = d;
		}
		prev2 = prev;
		prev = cur;
		cur = spare;
	}
	return prev[b.n];
}

const char *str_nearest(struct str word, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	size_t best_d = DISTANCE_MAX + 1;

	for (size_t i = 0; i < n; i++) {
		size_t d = str_distance(word, str_from(candidates[i]));

		if (d < best_d) {
			best_d = d;
			best = candidates[i];
		}
	}
	/* A third of the word may be wrong; more is another word. */
	return best && best_d <= max_size(1, word.n / 3) ? best : NULL;
}

uint64_t str_hash(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}
