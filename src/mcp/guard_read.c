#include "mcp/guard_read.h"

#include "base/utf8.h"

enum { LONG_S = 0x17f, KELVIN = 0x212a, NO_BREAK = 0xa0, BOM = 0xfeff, REPLACEMENT = 0xfffd };

/* ---- spellings ---- */

static bool is_dropped(uint32_t cp)
{
	return cp <= ' ' || (cp >= 0x7f && cp <= NO_BREAK) || cp == BOM || cp == REPLACEMENT ||
	       (cp >= 0xd800 && cp <= 0xdfff) || utf8_is_hidden(cp);
}

/* In small letters, as those fold who do not tell them apart, without what some leave out. */
static struct str folded(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t at = 0, n; at < s.n; at += n) {
		uint32_t cp = utf8_decode(s.p + at, s.n - at, true, &n);
		char bytes[4];

		if (!cp)
			break; /* where a text of C ends */
		if (is_dropped(cp))
			continue;
		cp = cp == LONG_S ? 's' : cp == KELVIN ? 'k' : cp;
		if (cp >= 'A' && cp <= 'Z')
			cp += 'a' - 'A';
		buf_add(&out, bytes, utf8_encode(cp, bytes));
	}
	return arena_str(a, buf_str(&out));
}

/* `word` is in small letters. */
static bool alike(struct str s, const char *word)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (str_eqz(s, word))
		return true;
	return !str_is_of(s, "abcdefghijklmnopqrstuvwxyz") && str_eqz(folded(&a, s), word);
}

/* ---- members ---- */

struct found {
	size_t n; /* members that could be it */
	const struct json *v; /* the only one, in its right spelling */
};

static struct found find(const struct json *v, const char *key, const char *folded_key)
{
	struct found f = { 0 };

	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++) {
		const struct json_member *m = &v->members[i];

		if (!str_eqz(m->key, key) && !alike(m->key, folded_key))
			continue;
		f.n++;
		f.v = f.n == 1 && str_eqz(m->key, key) ? &m->v : NULL;
	}
	return f;
}

static bool is_clear(struct found f)
{
	return !f.n || f.v;
}

static const struct method {
	const char *name, *key, *folded_key;
	enum guard_kind kind;
} methods[] = {
	{ "tools/call", "name", "name", GUARD_TOOL },
	{ "resources/read", "uri", "uri", GUARD_RESOURCE },
	{ "prompts/get", "name", "name", GUARD_PROMPT },
	{ "tasks/result", "taskId", "taskid", GUARD_TASK },
};

/* The method by any reading: the first that is one of ours. */
static const struct method *any_method(const struct json *v)
{
	const struct method *m = NULL;

	for (size_t i = 0; !m && i < v->n; i++) {
		const struct json *name = &v->members[i].v;

		/* A list of one text is that text where JavaScript looks it up. */
		while (json_is(name, J_ARR) && name->n == 1)
			name = json_at(name, 0);
		if (!alike(v->members[i].key, "method"))
			continue;
		for (size_t k = 0; !m && k < ARRAY_LEN(methods); k++)
			if (alike(json_str(name, STR("")), methods[k].name))
				m = &methods[k];
	}
	return m;
}

/* No reader makes another name of it. */
static bool is_whole_name(const struct json *v)
{
	struct str s = json_str(v, STR(""));
	size_t n;

	if (!s.n || utf8_trim(s).n != s.n)
		return false;
	for (size_t at = 0; at < s.n; at += n) {
		uint32_t cp = utf8_decode(s.p + at, s.n - at, true, &n);

		if (cp != ' ' && is_dropped(cp))
			return false;
	}
	return true;
}

void guard_read(const struct json *v, struct guard_reading *ret)
{
	struct found method = find(v, "method", "method"), id = find(v, "id", "id");
	struct found result = find(v, "result", "result"), error = find(v, "error", "error");
	struct found params = find(v, "params", "params"), name, args, task;
	const struct method *m;

	*ret = (struct guard_reading){ .calls = method.n, .answers = result.n || error.n };
	if (!json_is(v, J_OBJ))
		return;
	ret->clear = is_clear(method) && is_clear(id) && is_clear(result) && is_clear(error) &&
		     is_clear(params) && !(method.n && (result.n || error.n)) &&
		     (!method.n || json_is(method.v, J_STR));
	ret->method = json_str(method.v, STR(""));
	ret->id = id.v;
	ret->params = params.v;
	ret->result = result.v;
	ret->error = error.v;
	m = any_method(v);
	if (!m)
		return;
	ret->kind = m->kind;
	name = find(params.v, m->key, m->folded_key);
	args = find(params.v, "arguments", "arguments");
	task = find(params.v, "task", "task");
	ret->named = ret->clear && str_eqz(ret->method, m->name) && json_is(params.v, J_OBJ) &&
		     is_clear(args) && is_clear(task) && is_whole_name(name.v);
	ret->name = json_str(name.v, STR(""));
	ret->args = args.v;
	ret->detached = task.n > 0;
}

static int compare(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

bool guard_has_alike_keys(struct arena *a, const struct json *v)
{
	struct str *keys;

	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		if (guard_has_alike_keys(a, json_at(v, i)))
			return true;
	if (!json_is(v, J_OBJ))
		return false;
	keys = ARENA_ARRAY(a, struct str, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		keys[i] = folded(a, v->members[i].key);
		if (guard_has_alike_keys(a, &v->members[i].v))
			return true;
	}
	qsort(keys, v->n, sizeof *keys, compare);
	for (size_t i = 1; i < v->n; i++)
		if (str_eq(keys[i - 1], keys[i]))
			return true;
	return false;
}

bool guard_has_repeats(const struct json *v)
{
	bool repeats = json_is(v, J_OBJ) && v->yes;

	for (size_t i = 0; !repeats && json_is(v, J_ARR) && i < v->n; i++)
		repeats = guard_has_repeats(json_at(v, i));
	for (size_t i = 0; !repeats && json_is(v, J_OBJ) && i < v->n; i++)
		repeats = guard_has_repeats(&v->members[i].v);
	return repeats;
}

/* ---- ids ---- */

static bool as_number(const struct json *v, double *ret)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str s = str_trim(json_str(v, STR("")));
	const struct json *inner = v;

	if (json_is(v, J_STR) && s.n && json_parse(&a, s, 0, &inner, NULL) < 0)
		return false;
	*ret = json_num(inner, 0);
	return json_is(inner, J_NUM) || !json_is(v, J_STR) || !s.n;
}

bool guard_ids_alike(const struct json *a, const struct json *b)
{
	double x, y;

	if (json_equal(a, b))
		return true;
	return as_number(a, &x) && as_number(b, &y) && x == y;
}

void guard_each_id(const struct json *v, void (*fn)(void *data, const struct json *id), void *data)
{
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		if (alike(v->members[i].key, "id"))
			fn(data, &v->members[i].v);
}

/* ---- texts ---- */

size_t guard_value_end(struct str text, size_t pos)
{
	size_t depth = 0, at = pos;

	while (at < text.n) {
		char c = text.p[at];

		if (c == '"') {
			for (at++; at < text.n && text.p[at] != '"'; at++)
				at += text.p[at] == '\\';
			at = min_size(at + 1, text.n);
			if (!depth)
				return at;
			continue;
		}
		if (!depth && at > pos && strchr(",]} \t\r\n", c))
			return at;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
		if (!depth && (c == '}' || c == ']'))
			return at;
	}
	return at;
}

const struct json *guard_guess_id(struct arena *a, struct str text)
{
	const struct json *id = NULL, *v;
	ptrdiff_t at = 0;

	/* The outermost one is near one of the ends; that of a tail is the last. */
	while ((at = str_find(text, STR("\"id\""), (size_t)at)) >= 0) {
		size_t from = (size_t)at + 4, end;

		while (from < text.n && strchr(" \t\r:", text.p[from]))
			from++;
		end = guard_value_end(text, from);
		if (json_parse(a, str_sub(text, from, end), 0, &v, NULL) >= 0 &&
		    (v->type == J_STR || v->type == J_NUM))
			id = v;
		at++;
	}
	return id;
}
