#include "mcp/challenge.h"

static bool is_token(char c)
{
	return char_is_word(c) || (c && strchr("!#$%&'*+-.^`|~", c));
}

static size_t skip(struct str s, size_t i, const char *these)
{
	while (i < s.n && s.p[i] && strchr(these, s.p[i]))
		i++;
	return i;
}

/* The value behind "=", its quotes taken off, cut at `size`; the place behind it. */
static size_t take_value(struct str s, size_t i, char *to, size_t size, size_t *ret_n)
{
	bool quoted = i < s.n && s.p[i] == '"';
	size_t n = 0;

	for (i += quoted; i < s.n; i++) {
		if (quoted ? s.p[i] == '"' : !is_token(s.p[i]) && !strchr(":/?=", s.p[i]))
			break;
		if (quoted && s.p[i] == '\\' && i + 1 < s.n)
			i++;
		if (n < size)
			to[n] = s.p[i];
		n++;
	}
	*ret_n = n;
	return i + (quoted && i < s.n);
}

/* Printable, and it fits. */
static void keep(char *to, size_t size, const char *value, size_t n)
{
	if (n >= size || *to)
		return;
	for (size_t i = 0; i < n; i++)
		if (value[i] < 0x21 || value[i] > 0x7e)
			return;
	memcpy(to, value, n);
	to[n] = '\0';
}

void challenge_read(struct str s, struct challenge *c)
{
	bool is_ours = false, had = c->bearer;
	char value[CHALLENGE_URL_MAX];

	for (size_t i = 0; i < s.n;) {
		size_t start = i = skip(s, i, " \t,"), after, n;

		while (i < s.n && is_token(s.p[i]))
			i++;
		if (i == start) {
			i++;
			continue;
		}
		struct str word = str_sub(s, start, i);
		after = skip(s, i, " \t");
		if (after < s.n && s.p[after] == '=') {
			i = take_value(s, skip(s, after + 1, " \t"), value, sizeof value, &n);
			if (!is_ours || n > sizeof value)
				continue;
			if (str_eqz_icase(word, "resource_metadata"))
				keep(c->metadata, sizeof c->metadata, value, n);
			else if (str_eqz_icase(word, "error"))
				keep(c->error, sizeof c->error, value, n);
			else if (str_eqz_icase(word, "scope") && !*c->scope)
				(void)scope_add(c->scope, sizeof c->scope,
						(struct str){ value, n });
			continue;
		}
		is_ours = !had && str_eqz_icase(word, "Bearer");
		had = had || is_ours;
	}
	c->bearer = had;
}

/* ---- scopes ---- */

bool scope_covers(struct str in, struct str scope)
{
	for (struct str word; str_split(&scope, ' ', &word);) {
		struct str rest = in, other;
		bool found = word.n == 0;

		while (!found && str_split(&rest, ' ', &other))
			found = str_eq(word, other);
		if (!found)
			return false;
	}
	return true;
}

bool scope_add(char *to, size_t size, struct str scope)
{
	for (size_t i = 0; i < scope.n; i++)
		if (scope.p[i] < ' ' || scope.p[i] >= 0x7f || strchr("\"\\", scope.p[i]))
			return false;
	for (struct str word; str_split(&scope, ' ', &word);) {
		size_t n = strlen(to);

		if (scope_covers(str_from(to), word))
			continue;
		if (n + 1 + word.n >= size)
			return false;
		if (n)
			to[n++] = ' ';
		memcpy(to + n, word.p, word.n);
		to[n + word.n] = '\0';
	}
	return true;
}
