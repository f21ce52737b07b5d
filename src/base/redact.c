#include "base/redact.h"

#include "base/err.h"

/* How tokens of well-known issuers begin, and how many more characters make one. */
static const struct {
	const char *prefix;
	size_t more;
} shapes[] = {
	{ "ghp_", 16 },        { "gho_", 16 },    { "ghu_", 16 },    { "ghs_", 16 }, { "ghr_", 16 },
	{ "github_pat_", 16 }, { "glpat-", 16 },  { "AIzaSy", 20 },  { "AKIA", 12 }, { "ASIA", 12 },
	{ "eyJ", 24 },         { "sk_live_", 8 }, { "sk_test_", 8 }, { "sk-", 20 },  { "xoxb-", 8 },
	{ "xoxp-", 8 },        { "xoxa-", 8 },    { "xoxr-", 8 },    { "npm_", 20 },
};

/* Length of the token at s.p when it has a known shape, else 0. */
static size_t token_at(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct str prefix = str_from(shapes[i].prefix);

		if (!str_starts(s, prefix))
			continue;
		for (n = prefix.n;
		     n < s.n && (char_is_word(s.p[n]) || s.p[n] == '-' || s.p[n] == '.' ||
				 s.p[n] == '+' || s.p[n] == '/' || s.p[n] == '=');)
			n++;
		if (n >= prefix.n + shapes[i].more)
			return n;
	}
	return 0;
}

/* A PEM block from its first line to its last, else 0. */
static size_t pem_at(struct str s)
{
	ptrdiff_t end, line;

	if (!str_starts(s, STR("-----BEGIN ")))
		return 0;
	end = str_find(s, STR("-----END "), 0);
	line = end < 0 ? -1 : str_find(s, STR("-----"), (size_t)end + 9);
	return line < 0 ? s.n : (size_t)line + 5;
}

/* The "user:password" of a URL whose "://" stands at s.p, else 0; *ret_from is where it begins. */
static size_t credentials_at(struct str s)
{
	size_t n = 3;
	bool colon = false;

	if (!str_starts(s, STR("://")))
		return 0;
	for (; n < s.n && s.p[n] > ' ' && !strchr("/?#\"'<>@", s.p[n]); n++)
		colon |= s.p[n] == ':';
	return colon && n < s.n && s.p[n] == '@' ? n : 0;
}

/* The first secret at or after i; *ret_n is its length, 0 when there is none. */
static size_t next_secret(struct str s, size_t i, size_t *ret_n)
{
	*ret_n = 0;
	for (; i < s.n; i++) {
		char c = s.p[i];

		/* What no secret begins with needs no further look. */
		if (LIKELY(c != '-' && c != ':' && c != 'A' && c != 'e' && c != 'g' && c != 'n' &&
			   c != 's' && c != 'x'))
			continue;
		struct str rest = str_sub(s, i, s.n);
		/* The letter of an escape (\n) before it is no part of the word. */
		if (c == ':')
			*ret_n = credentials_at(rest);
		else if (i == 0 || !char_is_word(s.p[i - 1]) || (i > 1 && s.p[i - 2] == '\\'))
			*ret_n = token_at(rest);
		if (!*ret_n && c == '-')
			*ret_n = pem_at(rest);
		if (*ret_n)
			break;
	}
	return i;
}

bool secret_in(struct str s)
{
	size_t n;

	(void)next_secret(s, 0, &n);
	return n > 0;
}

int redact_add(struct buf *out, struct str s)
{
	for (size_t i = 0, at, n; i < s.n; i = at + n) {
		at = next_secret(s, i, &n);
		buf_add(out, s.p + i, at - i);
		if (n)
			buf_addz(out, s.p[at] == ':' ? "://***" : "***");
	}
	return out->full ? -E_LIMIT : 0;
}
