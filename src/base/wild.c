/*
 * Braces are written out first; each alternative is split at its slashes.  Stars are matched by
 * going back to the last one only, within a segment and, for **, over segments: what the part
 * before the last star matched first is never wrong to keep.
 */
#include "base/wild.h"

#include <ctype.h>

#include "base/utf8.h"
#include "base/vec.h"

enum { BRACE_DEPTH_MAX = 64, EXPANDED_MAX = 1 << 20 };

struct alternative {
	struct str *segments;
	size_t n;
};

struct wild {
	struct alternative *alternatives;
	size_t n;
	unsigned flags;
};

struct expansion {
	struct arena *arena;
	struct {
		struct str *p;
		size_t n, cap;
	} done;
	size_t bytes; /* written so far, finished or not */
};

static size_t skip_escape(struct str s, size_t i)
{
	return s.p[i] == '\\' && i + 1 < s.n ? i + 1 : i;
}

/* The brace at `open` with its end and its first comma; false when it is none that alternates. */
static bool brace_find(struct str s, size_t open, size_t *ret_close)
{
	size_t depth = 0;
	bool comma = false;

	for (size_t i = open; i < s.n; i++) {
		i = skip_escape(s, i);
		if (i > open && s.p[i - 1] == '\\')
			continue;
		depth += s.p[i] == '{';
		comma |= s.p[i] == ',' && depth == 1;
		if (s.p[i] != '}' || --depth > 0)
			continue;
		*ret_close = i;
		return comma;
	}
	return false;
}

static bool brace_first(struct str s, size_t *ret_open, size_t *ret_close)
{
	size_t tries = 0;

	for (size_t i = 0; i < s.n; i++) {
		size_t at = skip_escape(s, i);

		if (at == i && s.p[i] == '{' && tries++ < BRACE_DEPTH_MAX &&
		    brace_find(s, i, ret_close)) {
			*ret_open = i;
			return true;
		}
		i = at;
	}
	return false;
}

/* Where the alternative that starts at `from` ends: at a comma or at `close`. */
static size_t alternative_end(struct str s, size_t from, size_t close)
{
	size_t depth = 0;

	for (size_t i = from; i < close; i++) {
		size_t at = skip_escape(s, i);

		if (at == i) {
			if (s.p[i] == ',' && depth == 0)
				return i;
			depth += s.p[i] == '{';
			depth -= s.p[i] == '}';
		}
		i = at;
	}
	return close;
}

static int expand(struct expansion *x, struct str s, unsigned depth, struct err *err)
{
	size_t open, close;

	if (x->done.n == WILD_ALTERNATIVES_MAX || x->bytes > EXPANDED_MAX ||
	    depth > BRACE_DEPTH_MAX)
		return err_set(err, E_LIMIT, "the braces expand to too many patterns");
	if (!brace_first(s, &open, &close)) {
		*VEC_ADD(&x->done) = s;
		return 0;
	}
	for (size_t from = open + 1; from <= close;) {
		size_t end = alternative_end(s, from, close);
		struct str t = arena_printf(x->arena, "%.*s%.*s%.*s", STR_ARG(str_sub(s, 0, open)),
					    STR_ARG(str_sub(s, from, end)),
					    STR_ARG(str_sub(s, close + 1, s.n)));
		int r;

		x->bytes += t.n + 1;
		r = expand(x, t, depth + 1, err);
		if (r < 0)
			return r;
		from = end + 1;
	}
	return 0;
}

/* ---- classes ---- */

static uint32_t fold(uint32_t c, unsigned flags)
{
	return (flags & WILD_ICASE) && c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static uint32_t char_at(struct str s, size_t i, size_t *ret_len)
{
	if ((unsigned char)s.p[i] < 0x80) {
		*ret_len = 1;
		return (unsigned char)s.p[i];
	}
	return utf8_decode(s.p + i, s.n - i, true, ret_len);
}

static const struct named_class {
	const char *name;
	int (*has)(int c);
} named_classes[] = {
	{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
	{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower }, { "print", isprint },
	{ "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit },
};

/* [:name:] at i?  Its length, and whether c is in it; 0 when it is something else. */
static size_t named_class(struct str p, size_t i, uint32_t c, unsigned flags, bool *in)
{
	struct str rest = str_sub(p, i, p.n);
	ptrdiff_t end = str_starts(rest, STR("[:")) ? str_find(rest, STR(":]"), 2) : -1;

	if (end < 0)
		return 0;
	for (size_t k = 0; k < ARRAY_LEN(named_classes); k++) {
		const struct named_class *n = &named_classes[k];

		if (!str_eqz(str_sub(rest, 2, (size_t)end), n->name))
			continue;
		if (c < 0x80)
			*in |= n->has((int)c) ||
			       ((flags & WILD_ICASE) && char_is_letter(c) && n->has((int)(c ^ 32)));
	}
	return (size_t)end + 2;
}

/* One character of a class; a backslash takes the next one as it is. */
static uint32_t class_char(struct str p, size_t *i)
{
	size_t len;
	uint32_t c;

	if (p.p[*i] == '\\' && *i + 1 < p.n)
		(*i)++;
	c = char_at(p, *i, &len);
	*i += len;
	return c;
}

/* Is c in the class whose '[' is at p[i]?  *ret_len is the length of the class, 0 when unclosed. */
static bool class_has(struct str p, size_t i, uint32_t c, unsigned flags, size_t *ret_len)
{
	size_t start = i++;
	bool in = false, not = i < p.n && (p.p[i] == '!' || p.p[i] == '^');
	uint32_t folded = fold(c, flags);

	i += not ;
	for (size_t first = i; i < p.n && (p.p[i] != ']' || i == first);) {
		size_t named = named_class(p, i, c, flags, &in);

		if (named) {
			i += named;
			continue;
		}
		uint32_t low = class_char(p, &i), high = low;
		if (i + 1 < p.n && p.p[i] == '-' && p.p[i + 1] != ']') {
			i++;
			high = class_char(p, &i);
		}
		in |= c >= low && c <= high;
		in |= folded >= fold(low, flags) && folded <= fold(high, flags) &&
		      (flags & WILD_ICASE);
	}
	*ret_len = i < p.n ? i + 1 - start : 0;
	return in != not ;
}

/* ---- compiling ---- */

/* Empty segments and "." say nothing and are left out; to git they are names that nothing has. */
static void split(struct arena *a, struct str text, unsigned flags, struct alternative *alt)
{
	size_t max = 1;

	for (size_t i = 0; i < text.n; i++)
		max += text.p[i] == '/';
	*alt = (struct alternative){ .segments = ARENA_ARRAY(a, struct str, max) };
	for (size_t from = 0; from <= text.n;) {
		size_t end = from, len = 0;

		/* To git a slash in a class is not the end of the segment. */
		for (; end < text.n && text.p[end] != '/'; len = 0) {
			if ((flags & WILD_GIT) && text.p[end] == '[')
				(void)class_has(text, end, 0, flags, &len);
			end = len ? end + len : skip_escape(text, end) + 1;
		}
		end = min_size(end, text.n);
		struct str part = str_sub(text, from, end);

		if ((flags & WILD_GIT) || (part.n && !str_eq(part, STR("."))))
			alt->segments[alt->n++] = part;
		from = end + 1;
	}
}

int wild_compile(struct arena *a, struct str text, unsigned flags, const struct wild **ret_p,
		 struct err *err)
{
	struct expansion x = { .arena = a };
	struct wild *p;
	int r = 0;

	if (text.n > WILD_MAX)
		return err_set(err, E_LIMIT, "the pattern is longer than %d bytes", WILD_MAX);
	if (memchr(text.n ? text.p : "-", '\0', text.n ? text.n : 1))
		return err_set(err, E_PARSE, "the pattern contains a NUL character");
	text = arena_str(a, text);
	if (flags & WILD_GIT)
		*VEC_ADD(&x.done) = text;
	else
		r = expand(&x, text, 0, err);
	if (r == 0) {
		p = ARENA_NEW(a, struct wild);
		*p = (struct wild){ .n = x.done.n, .flags = flags };
		p->alternatives = ARENA_ARRAY(a, struct alternative, x.done.n);
		for (size_t i = 0; i < x.done.n; i++)
			split(a, x.done.p[i], flags, &p->alternatives[i]);
		*ret_p = p;
	}
	free(x.done.p);
	return r;
}

/* ---- matching ---- */

struct matching {
	unsigned flags;
	size_t steps; /* left */
};

/* Does the pattern's element at p[*pi] match the character at s[*si]?  Then both move on. */
static bool match_one(const struct matching *m, struct str p, size_t *pi, struct str s, size_t *si)
{
	size_t plen = 1, slen, class_len = 0, at = *pi;
	uint32_t c = char_at(s, *si, &slen);
	bool yes = p.p[at] == '?';

	if (p.p[at] == '[') {
		yes = class_has(p, at, c, m->flags, &class_len);
		plen = class_len;
		if (class_len == 0 && (m->flags & WILD_GIT))
			return false;
	}
	if (!yes && class_len == 0) {
		if (p.p[at] == '\\' && at + 1 < p.n)
			at++;
		else if (p.p[at] == '\\' && (m->flags & WILD_GIT))
			return false;
		uint32_t want = char_at(p, at, &plen);
		yes = fold(want, m->flags) == fold(c, m->flags) && plen == slen &&
		      (c != 0xfffd || memcmp(p.p + at, s.p + *si, slen) == 0);
		plen += at - *pi;
	} else if (class_len == 0 && p.p[at] == '[') {
		plen = 1;
	}
	if (!yes)
		return false;
	*pi += plen;
	*si += slen;
	return true;
}

static bool match_segment(struct matching *m, struct str p, struct str s)
{
	size_t pi = 0, si = 0, star = SIZE_MAX, star_at = 0, len;

	while (si < s.n) {
		if (m->steps == 0)
			return false;
		m->steps--;
		if (pi < p.n && p.p[pi] == '*') {
			star = ++pi;
			star_at = si;
			continue;
		}
		if (pi < p.n && match_one(m, p, &pi, s, &si))
			continue;
		if (star == SIZE_MAX)
			return false;
		(void)char_at(s, star_at, &len);
		si = star_at += len;
		pi = star;
	}
	while (pi < p.n && p.p[pi] == '*')
		pi++;
	return pi == p.n;
}

/* The segment of s that starts at i (up to the next slash). */
static struct str segment_at(struct str s, size_t i)
{
	ptrdiff_t slash = str_chr(s, '/', i);

	return str_sub(s, i, slash < 0 ? s.n : (size_t)slash);
}

static bool match_path(struct matching *m, const struct alternative *alt, struct str path)
{
	size_t pi = 0, si = 0, star = SIZE_MAX, star_at = 0;

	/* si is where a segment starts; path.n + 1 once all are used up. */
	while (si <= path.n && m->steps > 0) {
		struct str segment = segment_at(path, si);

		m->steps--;
		if (pi < alt->n && str_eq(alt->segments[pi], STR("**"))) {
			star = ++pi;
			star_at = si;
			if (pi == alt->n)
				return true; /* at least this segment is left */
			continue;
		}
		if (pi < alt->n && match_segment(m, alt->segments[pi], segment)) {
			pi++;
			si += segment.n + 1;
			continue;
		}
		if (star == SIZE_MAX)
			return false;
		pi = star;
		si = star_at += segment_at(path, star_at).n + 1;
	}
	return m->steps > 0 && pi == alt->n && alt->n > 0;
}

bool wild_match(const struct wild *p, struct str path)
{
	struct matching m = { .flags = p->flags, .steps = WILD_STEPS_MAX };

	for (size_t i = 0; i < p->n; i++)
		if (match_path(&m, &p->alternatives[i], path))
			return true;
	return false;
}

bool wild_has_slash(struct str text)
{
	return str_chr(text, '/', 0) >= 0;
}

/* Only the last star is ever moved: what those before it took first is never wrong to keep. */
bool wild_fits_as(struct str pattern, struct str text, const struct wild_notation *as)
{
	size_t i = 0, k = 0, star = SIZE_MAX, back = 0;

	while (k < text.n) {
		char c = str_at(pattern, i);
		unsigned sign = i < pattern.n ? as->sign[(unsigned char)c] : 0;

		if (sign == WILD_ANY_NUMBER) {
			star = i++;
			back = k;
		} else if (i < pattern.n &&
			   (sign == WILD_ONE || c == text.p[k] ||
			    (as->icase && char_lower(c) == char_lower(text.p[k])))) {
			i++;
			k++;
		} else if (star == SIZE_MAX) {
			return false;
		} else {
			i = star + 1;
			k = ++back;
		}
	}
	while (i < pattern.n && as->sign[(unsigned char)pattern.p[i]] == WILD_ANY_NUMBER)
		i++;
	return i == pattern.n;
}

bool wild_fits(struct str pattern, struct str text)
{
	static const struct wild_notation plain = { .sign = { ['*'] = WILD_ANY_NUMBER } };
	char last = pattern.n ? pattern.p[pattern.n - 1] : '*';

	/* Most texts that do not fit are told by their ends. */
	if (last != '*' && (!text.n || text.p[text.n - 1] != last))
		return false;
	return wild_fits_as(pattern, text, &plain);
}

bool wild_in(struct str text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wild_fits(str_from(list[i]), text))
			return true;
	return false;
}
