/* Secrets are taken out of what is written, also out of JSON that is held in strings. */
#include "secrets/secrets.h"
#include "telemetry/telemetry_impl.h"

enum {
	TEXT_DEPTH = 6, /* JSON in a string in JSON in a string... */
	VALUE_DEPTH = 16, /* attributes are flat; this is for what is not */
};

static bool clean_at(struct buf *out, struct str s, unsigned depth);

/*
 * May a secret of a JSON text be invisible as long as it is not decoded?  Other escapes end a word
 * as the character does that they stand for.
 */
static bool hides(struct str s)
{
	for (ptrdiff_t at = -1; (at = str_chr(s, '\\', (size_t)at + 1)) >= 0;)
		if ((size_t)at + 1 < s.n && (s.p[at + 1] == 'u' || s.p[at + 1] == '/'))
			return true;
	return false;
}

static bool clean_json(struct buf *out, struct str s, unsigned depth)
{
	const struct json *v;
	bool changed = false;

	for (size_t i = 0, n; i < s.n; i += n) {
		ptrdiff_t quote = str_chr(s, '"', i);
		size_t at = quote < 0 ? s.n : (size_t)quote;

		buf_adds(out, str_sub(s, i, at));
		i = at;
		if (at == s.n)
			break;
		for (n = 1; at + n < s.n && s.p[at + n] != '"';)
			n += s.p[at + n] == '\\' ? 2 : 1;
		n = min_size(n + 1, s.n - at);
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf clean = { 0 };
		struct str literal = str_sub(s, at, at + n);
		struct str text = str_sub(literal, 1, literal.n - 1);

		if (str_chr(text, '\\', 0) >= 0 &&
		    json_parse(&a, literal, JSON_BORROW, &v, NULL) == 0)
			text = json_str(v, text);
		if (clean_at(&clean, text, depth)) {
			(void)json_write_str(out, buf_str(&clean));
			changed = true;
		} else {
			buf_adds(out, literal);
		}
	}
	return changed;
}

static bool clean_at(struct buf *out, struct str s, unsigned depth)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = str_trim(s);
	bool secret = secret_in(s, SECRETS_DOUBT);
	const struct json *v;

	if (depth > 0 && (secret || hides(s)) && text.n > 1 && strchr("{[\"", text.p[0]) &&
	    json_parse(&a, text, JSON_BORROW, &v, NULL) == 0)
		return clean_json(out, s, depth - 1);
	if (secret)
		(void)secrets_redact(out, s, SECRETS_DOUBT);
	else
		buf_adds(out, s);
	return secret;
}

/* Returns whether there were secrets in it. */
static bool clean_attribute(struct buf *out, struct str s)
{
	return clean_at(out, s, TEXT_DEPTH);
}

void clean_put_str(struct jw *w, struct str s)
{
	AUTO(buf_done) struct buf clean = { 0 };

	if (!secret_in(s, SECRETS_DOUBT) && !hides(s)) {
		jw_str(w, s);
		return;
	}
	(void)clean_attribute(&clean, s);
	jw_str(w, buf_str(&clean));
}

static void put_at(struct jw *w, const struct json *v, unsigned depth);

static void put_at(struct jw *w, const struct json *v, unsigned depth)
{
	if (json_is(v, J_STR)) {
		clean_put_str(w, json_str(v, STR("")));
	} else if (depth == 0 && (json_is(v, J_OBJ) || json_is(v, J_ARR))) {
		jw_z(w, "...");
	} else if (json_is(v, J_OBJ)) {
		jw_obj(w);
		for (size_t i = 0; i < v->n; i++) {
			AUTO(buf_done) struct buf key = { 0 };

			(void)clean_attribute(&key, v->members[i].key);
			jw_keys(w, buf_str(&key));
			put_at(w, &v->members[i].v, depth - 1);
		}
		jw_end(w);
	} else if (json_is(v, J_ARR)) {
		jw_arr(w);
		for (size_t i = 0; i < v->n; i++)
			put_at(w, json_at(v, i), depth - 1);
		jw_end(w);
	} else {
		jw_json(w, v);
	}
}

void clean_put(struct jw *w, const struct json *v)
{
	put_at(w, v, VALUE_DEPTH);
}
