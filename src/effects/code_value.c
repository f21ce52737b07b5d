#include "base/base64.h"
#include "base/utf8.h"
#include "effects/address.h"
#include "effects/code.h"

struct code_value value_number(struct arena *a, int64_t n)
{
	struct code_value v = value_text(arena_printf(a, "%lld", (long long)n));

	v.flags = VALUE_NUMBER;
	return v;
}

/* n times ten to the power of s. */
static bool exponent(struct str s, int64_t n, int64_t *ret)
{
	int64_t tens;

	if (!str_to_int(s, &tens) || tens < 0 || tens > 18)
		return false;
	for (; tens; tens--) {
		if (n > INT64_MAX / 32 || n < -INT64_MAX / 32)
			return false;
		n *= 10;
	}
	*ret = n;
	return true;
}

/* Decimal, 0x, 0o, 0b, with underscores; 1e6. */
bool value_int(const struct code_value *v, int64_t *ret)
{
	struct str s = v->text;
	bool minus = s.n && s.p[0] == '-';
	int64_t n = 0;
	int base = 10;
	size_t i = minus;

	if (v->kind != VALUE_TEXT || s.n == i || s.n > 24)
		return false;
	if (s.n > i + 2 && s.p[i] == '0' && strchr("xobXOB", s.p[i + 1])) {
		base = (s.p[i + 1] | 32) == 'x' ? 16 : (s.p[i + 1] | 32) == 'o' ? 8 : 2;
		i += 2;
	}
	for (; i < s.n; i++) {
		int d = char_hex(s.p[i]);

		if (s.p[i] == '_')
			continue;
		if (d == 14 && base == 10 && i + 1 < s.n)
			return i > minus && exponent(str_sub(s, i + 1, s.n), minus ? -n : n, ret);
		if (d < 0 || d >= base || n > INT64_MAX / 32)
			return false;
		n = n * base + d;
	}
	*ret = minus ? -n : n;
	return true;
}

bool value_is_few(const struct code_value *v)
{
	int64_t n;

	return (v->flags & VALUE_NUMBER) && value_int(v, &n) && n <= CODE_LOOP_MAX;
}

struct code_value value_list(struct arena *a, const struct code_value *items, size_t n)
{
	struct code_value v = { .kind = VALUE_LIST, .n = n };

	v.items = arena_raw(a, max_size(n, 1) * sizeof *v.items);
	for (size_t i = 0; i < n; i++) {
		v.items[i] = items[i];
		v.flags |= items[i].flags & VALUE_TAINTS;
	}
	return v;
}

struct code_value value_with(struct arena *a, struct code_value v, unsigned taints, unsigned depth)
{
	struct code_value result = v;

	if (v.kind == VALUE_LIST && depth) {
		result = value_list(a, v.items, v.n);
		result.type = v.type;
		result.key = v.key;
		for (unsigned i = 0; i < v.n; i++)
			result.items[i] = value_with(a, v.items[i], taints, depth - 1);
	}
	result.flags = v.flags | taints;
	return result;
}

/* ["Winter2024!", "Welcome1"]: what people choose. */
static bool are_passwords(const struct code_value *list)
{
	static const char *const usual[] = { "passw",    "winter",   "spring",  "summer", "autumn",
					     "welcome",  "qwerty",   "letmein", "admin",  "123456",
					     "changeme", "iloveyou", "dragon",  "monkey" };
	unsigned found = 0;

	if (list->kind != VALUE_LIST)
		return false;
	for (unsigned i = 0; i < list->n; i++) {
		const struct code_value *v = &list->items[i];
		bool digit = false, is_usual = false;

		if (v->kind != VALUE_TEXT || v->key.n || v->text.n < 5 || v->text.n > 24)
			return false;
		for (size_t k = 0; k < v->text.n; k++)
			digit |= char_is_digit(v->text.p[k]);
		for (size_t k = 0; digit && k < ARRAY_LEN(usual); k++)
			is_usual |= str_find_icase(v->text, str_from(usual[k]), 0) >= 0;
		found += is_usual;
	}
	return found >= 2;
}

struct code_value value_literal(struct arena *a, const struct code_value *items, size_t n)
{
	struct code_value v = value_list(a, items, n);

	return are_passwords(&v) ? value_with(a, v, VALUE_TRIED, 1) : v;
}

static bool is_any(const struct code_value *v)
{
	return v->kind == VALUE_LIST && (v->flags & VALUE_ANY);
}

struct code_value value_either(struct arena *a, struct code_value x, struct code_value y)
{
	struct code_value all[CODE_ALTERNATIVES_MAX], v;
	size_t n = 0;

	if (x.kind == y.kind && (x.kind != VALUE_LIST || x.items == y.items) &&
	    x.flags == y.flags && x.n == y.n && str_eq(x.text, y.text) && str_eq(x.type, y.type))
		return x;
	for (unsigned k = 0; k < 2; k++) {
		struct code_value *w = k ? &y : &x;
		size_t count = is_any(w) ? w->n : 1;

		for (size_t i = 0; i < count && n < ARRAY_LEN(all); i++)
			all[n++] = is_any(w) ? w->items[i] : *w;
		if (count > 1 && n == ARRAY_LEN(all))
			all[n - 1] = value_unknown(w->flags);
	}
	v = value_list(a, all, n);
	v.flags |= VALUE_ANY;
	if (str_eq(x.type, y.type)) /* either way it has the same methods */
		v.type = x.type;
	return v;
}

struct code_value value_item(const struct code_value *list, int64_t i)
{
	if (list->kind != VALUE_LIST)
		return value_unknown(list->flags);
	if (i < 0)
		i += list->n;
	if (i < 0 || i >= list->n)
		return value_unknown(list->flags);
	return list->items[i];
}

const struct code_value *value_member(const struct code_value *list, struct str key)
{
	if (list->kind == VALUE_LIST)
		for (unsigned i = 0; i < list->n; i++)
			if (list->items[i].key.n && str_eq(list->items[i].key, key))
				return &list->items[i];
	return NULL;
}

bool value_attribute(struct arena *a, const struct code_value *of, struct str key,
		     struct code_value *ret)
{
	const struct code_value *m = value_member(of, key);
	struct code_value one;
	bool found = m != NULL;

	if (found) {
		*ret = *m;
		ret->key = (struct str){ 0 };
	}
	for (unsigned i = 0; !m && is_any(of) && i < of->n; i++)
		if (!is_any(&of->items[i]) && value_attribute(a, &of->items[i], key, &one)) {
			*ret = found ? value_either(a, *ret, one) : one;
			found = true;
		}
	return found;
}

struct code_value value_part(struct arena *a, const struct code_value *of, unsigned i)
{
	struct code_value v;

	if (!is_any(of) || of->n == 0)
		return value_item(of, i);
	v = value_item(&of->items[0], i);
	for (unsigned k = 1; k < of->n; k++)
		v = value_either(a, v, value_item(&of->items[k], i));
	return v;
}

/* What has been put into a list under names that are not known: update(x). */
static unsigned taints_besides(const struct code_value *of)
{
	unsigned items = 0;

	for (unsigned i = 0; i < of->n; i++)
		items |= of->items[i].flags;
	return of->flags & VALUE_TAINTS & ~items;
}

struct code_value value_pairs(struct arena *a, const struct code_value *of)
{
	struct code_value pair[2], *items, v;
	unsigned more;

	if (of->kind != VALUE_LIST || (of->flags & VALUE_ANY))
		return *of;
	more = taints_besides(of);
	items = ARENA_ARRAY(a, struct code_value, of->n + 1);
	for (unsigned i = 0; i < of->n; i++) {
		pair[0] = of->items[i].key.n ? value_text(of->items[i].key) : value_number(a, i);
		pair[1] = of->items[i];
		pair[1].key = (struct str){ 0 };
		pair[1].flags |= more;
		items[i] = value_list(a, pair, 2);
	}
	v = value_list(a, items, of->n);
	v.flags |= (of->flags & VALUE_MANY) | more;
	return v;
}

struct code_value value_keys(struct arena *a, const struct code_value *of)
{
	struct code_value *items;

	if (of->kind != VALUE_LIST || (of->flags & VALUE_ANY) || !of->n || !of->items[0].key.n)
		return *of;
	items = ARENA_ARRAY(a, struct code_value, of->n);
	for (unsigned i = 0; i < of->n; i++)
		items[i] = value_text(of->items[i].key);
	return value_list(a, items, of->n);
}

struct code_value value_values(struct arena *a, const struct code_value *of)
{
	struct code_value v;

	if (of->kind != VALUE_LIST || (of->flags & VALUE_ANY))
		return *of;
	v = value_list(a, of->items, of->n);
	for (unsigned i = 0; i < v.n; i++)
		v.items[i].key = (struct str){ 0 };
	return v;
}

struct code_value value_element(struct arena *a, const struct code_value *v)
{
	struct code_value one;

	if (v->kind == VALUE_TEXT && (v->flags & VALUE_WALKED)) {
		one = *v;
		one.key = (struct str){ 0 };
		return one;
	}
	if (v->kind == VALUE_NAME && v->items) /* standard input */
		return v->items[0];
	if (v->kind != VALUE_LIST || v->n == 0) {
		one = value_unknown(v->flags);
		if (str_eqz(v->type, "resource")) /* a collection of an SDK has its like in it */
			one.type = v->type;
		return one;
	}
	one = v->items[0];
	if (v->n <= CODE_ALTERNATIVES_MAX) {
		for (unsigned i = 1; i < v->n; i++)
			one = value_either(a, one, v->items[i]);
	} else {
		one = value_list(a, v->items, min_size(v->n, CODE_ELEMENTS_MAX));
		one.flags |= VALUE_ANY;
		if (v->n > CODE_ELEMENTS_MAX) /* any of the others */
			one.items[CODE_ELEMENTS_MAX - 1] = value_unknown(v->flags);
	}
	one.key = (struct str){ 0 };
	return one;
}

static struct str joined(struct arena *a, struct str x, struct str y, struct str z)
{
	size_t n = x.n + y.n + z.n;
	char *p;

	if (n > CODE_VALUE_MAX)
		return STR("\1");
	p = arena_raw(a, n + 1);
	if (x.n)
		memcpy(p, x.p, x.n);
	if (y.n)
		memcpy(p + x.n, y.p, y.n);
	if (z.n)
		memcpy(p + x.n + y.n, z.p, z.n);
	p[n] = '\0';
	return (struct str){ p, n };
}

struct str value_flat(struct arena *a, const struct code_value *v)
{
	(void)a;
	return v->kind == VALUE_TEXT ? v->text : STR("\1");
}

struct str value_host(const struct code_value *v)
{
	struct str host = v && v->kind == VALUE_TEXT ? address_host(v->text) : (struct str){ 0 };

	return str_chr(host, CODE_GAP, 0) >= 0 ? (struct str){ 0 } : host;
}

bool value_is_known(const struct code_value *v)
{
	return v->kind == VALUE_TEXT && str_chr(v->text, CODE_GAP, 0) < 0;
}

unsigned value_functions(const struct code_value *v)
{
	unsigned n = 0;

	while (is_any(v) && n < v->n && v->items[n].kind == VALUE_FUNCTION)
		n++;
	return v->kind == VALUE_FUNCTION ? 1 : is_any(v) && n == v->n ? n : 0;
}

const struct code_value *value_function(const struct code_value *v, unsigned i)
{
	return v->kind == VALUE_FUNCTION ? v : &v->items[i];
}

enum { JOINED = VALUE_TAINTS | VALUE_ITSELF | VALUE_WALKED | VALUE_CHOSEN | VALUE_RECURSIVE };

struct code_value value_join(struct arena *a, struct code_value x, struct str between,
			     struct code_value y)
{
	const struct code_value *any = is_any(&x) ? &x : is_any(&y) ? &y : NULL;
	struct code_value v;

	if (any) {
		struct code_value *all = ARENA_ARRAY(a, struct code_value, any->n);
		size_t n = 0;

		for (; n < any->n; n++) {
			struct code_value other = any == &x ? y : x;

			/* Alternatives on both sides: the other side's stay together as a gap. */
			if (is_any(&other))
				other = value_unknown(other.flags);
			all[n] = any == &x ? value_join(a, any->items[n], between, other)
					   : value_join(a, other, between, any->items[n]);
		}
		v = value_list(a, all, n);
		v.flags |= VALUE_ANY;
		return v;
	}
	v = value_text(joined(a, value_flat(a, &x), between, value_flat(a, &y)));
	v.flags = (x.flags | y.flags) & JOINED;
	return v;
}

struct code_value value_join_all(struct arena *a, struct code_value list, struct str between)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct code_value v;

	if (list.kind != VALUE_LIST || (list.flags & VALUE_ANY))
		return list.kind == VALUE_TEXT && between.n == 0 ? list : value_unknown(list.flags);
	v = value_text(STR(""));
	for (unsigned i = 0; i < list.n; i++) {
		if (i)
			buf_adds(&out, between);
		buf_adds(&out, value_flat(a, &list.items[i]));
		v.flags |= list.items[i].flags & JOINED;
	}
	v.text = out.full ? STR("\1") : arena_str(a, buf_str(&out));
	return v;
}

struct code_value value_path(struct arena *a, struct code_value dir, struct code_value name)
{
	struct code_value v;

	if (name.kind == VALUE_TEXT && name.text.n && name.text.p[0] == '/')
		v = name;
	else if (dir.kind == VALUE_TEXT && dir.text.n == 0)
		v = name;
	else if (name.kind == VALUE_TEXT && (dir.flags & VALUE_WALKED) &&
		 (name.flags & VALUE_WALKED) && dir.kind == VALUE_TEXT &&
		 str_ends(dir.text, STR("/*")))
		v = dir; /* all below it is all below it */
	else
		v = value_join(a, dir,
			       dir.kind == VALUE_TEXT && str_ends(dir.text, STR("/")) ? STR("")
										      : STR("/"),
			       name);
	v.type = dir.type;
	v.flags |= (dir.flags | name.flags) & JOINED;
	return v;
}

bool code_unbase64(struct arena *a, struct str s, struct str *ret)
{
	char *p = arena_raw(a, s.n + 1);
	uint32_t bits = 0;
	unsigned have = 0;
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		int d = base64_digit(c);

		if (c == '=' || c == '\n' || c == '\r' || c == ' ')
			continue;
		if (d < 0)
			return false;
		bits = bits << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8) {
			have -= 8;
			p[n++] = (char)(bits >> have & 0xff);
		}
	}
	p[n] = '\0';
	*ret = (struct str){ p, n };
	return true;
}

bool code_unhex(struct arena *a, struct str s, struct str *ret)
{
	char *p = arena_raw(a, s.n / 2 + 1);
	size_t n = 0;
	int high = -1;

	for (size_t i = 0; i < s.n; i++) {
		int d = char_hex(s.p[i]);

		if (s.p[i] == ' ' || s.p[i] == '\n')
			continue;
		if (d < 0)
			return false;
		if (high < 0) {
			high = d;
		} else {
			p[n++] = (char)(high << 4 | d);
			high = -1;
		}
	}
	p[n] = '\0';
	*ret = (struct str){ p, n };
	return high < 0;
}

/* \xHH, \uHHHH, \u{H...}, octal; *i is behind the letter. */
static void unescape_code(struct buf *out, struct str s, size_t *i, char c)
{
	char utf8[4];
	uint32_t cp = 0;
	size_t max = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 3, n = 0;
	bool braces = *i < s.n && s.p[*i] == '{' && c != '0';

	if (braces) {
		max = 8;
		*i += 1;
	}
	if (char_is_digit(c)) {
		*i -= 1;
		for (; n < 3 && *i < s.n && s.p[*i] >= '0' && s.p[*i] <= '7'; n++)
			cp = cp * 8 + (uint32_t)(s.p[(*i)++] - '0');
	} else {
		for (; n < max && *i < s.n && char_hex(s.p[*i]) >= 0; n++)
			cp = cp << 4 | (uint32_t)char_hex(s.p[(*i)++]);
	}
	if (braces && *i < s.n && s.p[*i] == '}')
		*i += 1;
	if (cp == CODE_GAP || cp > 0x10ffff)
		buf_addc(out, CODE_GAP);
	else if (c == 'u' || c == 'U' || braces)
		buf_add(out, utf8, utf8_encode(cp, utf8));
	else
		buf_addc(out, (char)cp);
}

struct str code_unescape(struct arena *a, struct str s, enum code_escapes e)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (e == ESCAPES_NONE || str_chr(s, '\\', 0) < 0)
		return s;
	for (size_t i = 0; i < s.n;) {
		static const char letters[] = "n\nt\tr\re\033a\ab\bf\fv\v";
		char c = s.p[i++], next;
		const char *letter;

		if (c != '\\' || i == s.n) {
			buf_addc(&out, c);
			continue;
		}
		next = s.p[i++];
		if (e == ESCAPES_SINGLE) {
			if (next != '\\' && next != '\'')
				buf_addc(&out, '\\');
			buf_addc(&out, next);
			continue;
		}
		letter = next ? strchr(letters, next) : NULL;
		if (next == '\n')
			continue;
		if (next == 'x' || next == 'u' || next == 'U' || char_is_digit(next))
			unescape_code(&out, s, &i, next);
		else if (letter && (letter - letters) % 2 == 0)
			buf_addc(&out, letter[1]);
		else
			buf_addc(&out, next);
	}
	return arena_str(a, buf_str(&out));
}
