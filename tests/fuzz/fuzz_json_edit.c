/*
 * Any JSONC text and one edit, both from the input: the first byte says what is done with which
 * value, the next three choose the path.  Whatever else the text says must stay.
 */
#include "base/json_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { HEAD = 4 };

/* Goes up to three steps into the document, to entries that exist or to a new one. */
static struct str choose_path(struct arena *a, const struct json *v, const uint8_t *choices)
{
	AUTO(buf_done) struct buf path = { 0 };

	for (int i = 0; i < HEAD - 1; i++) {
		size_t pick = choices[i] % 8;

		if (choices[i] & 0x80 && i)
			break;
		buf_addc(&path, '/');
		if (json_is(v, J_ARR) && v->n) {
			buf_addf(&path, "%zu", pick % v->n);
			v = json_at(v, pick % v->n);
		} else if (json_is(v, J_OBJ) && pick < v->n) {
			for (size_t k = 0; k < v->members[pick].key.n; k++) {
				char c = v->members[pick].key.p[k];

				buf_addz(&path, c == '~' ? "~0" : c == '/' ? "~1" : "");
				if (c != '~' && c != '/')
					buf_addc(&path, c);
			}
			v = &v->members[pick].v;
		} else {
			buf_addz(&path, "new");
			v = NULL;
		}
	}
	return arena_str(a, buf_str(&path));
}

static bool is_layout(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

/* Are the bytes of part, but for white space and commas, in whole in the same order? */
static bool contains(struct str whole, struct str part)
{
	size_t i = 0, k = 0;

	for (; k < part.n; k++) {
		if (is_layout(part.p[k]))
			continue;
		while (i < whole.n && whole.p[i] != part.p[k])
			i++;
		if (i++ == whole.n)
			return false;
	}
	return true;
}

/* The entries at the top that the path does not go through are what they were. */
static void check_others(const struct json *before, const struct json *after, struct str path)
{
	if (!json_is(before, J_OBJ))
		return;
	for (size_t i = 0; i < before->n; i++) {
		const struct json_member *m = &before->members[i];
		struct str rest = str_sub(path, 1, path.n), first = { 0 };

		(void)str_split(&rest, '/', &first);
		if (str_eq(first, m->key) || memchr(first.p, '~', first.n))
			continue;
		if (!json_equal(&m->v, json_get(after, m->key)))
			abort();
	}
}

static const struct json *choose_value(struct arena *a, unsigned choice)
{
	static const char *const values[] = {
		"1",
		"\"x\\n\"",
		"[]",
		"{}",
		"[1,\"b\"]",
		"{\"k\":[{\"l\":null}]}",
		"1e400",
		"[{\"long\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}]",
	};
	const struct json *v = NULL;

	if (json_parse(a, str_from(values[choice % ARRAY_LEN(values)]), 0, &v, NULL) < 0)
		abort();
	return v;
}

static bool in_list(const struct json *doc, struct str path)
{
	size_t n = path.n;

	while (n && path.p[n - 1] != '/')
		n--;
	return n && json_is(json_pointer(doc, str_sub(path, 0, n - 1)), J_ARR);
}

static int edit(struct json_edit *e, unsigned op, struct str path, const struct json *v,
		struct err *err)
{
	return op == 0   ? json_edit_set(e, path, v, err)
	       : op == 1 ? json_edit_append(e, path, v, err)
			 : json_edit_remove(e, path, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(json_edit_done) struct json_edit e = { 0 };
	struct err err = { 0 };
	struct str text, path, old;
	const struct json *before, *v;
	bool existed;
	int r;

	if (n < HEAD)
		return 0;
	text = (struct str){ (const char *)data + HEAD, n - HEAD };
	if (json_edit_open(&e, text, &err) < 0)
		return 0;
	before = json_dup(&a, e.doc);
	old = arena_str(&a, json_edit_text(&e));
	path = choose_path(&a, before, data + 1);
	v = choose_value(&a, data[0] / 3);
	existed = json_pointer(before, path) != NULL;
	r = edit(&e, data[0] % 3, path, v, &err);
	if (r < 0) {
		/* Only what the user's own values stand in the way of, or what gets too deep. */
		if ((err.code != E_CONFIG && err.code != E_LIMIT) ||
		    !str_eq(old, json_edit_text(&e)))
			abort();
		return 0;
	}
	check_others(before, e.doc, path);
	if (data[0] % 3 == 2 ? !contains(old, json_edit_text(&e))
			     : (!existed || data[0] % 3 == 1) && !contains(json_edit_text(&e), old))
		abort();
	/* Once more changes nothing; but appending does, and in a list the next item moves up. */
	if (data[0] % 3 == 0 || (data[0] % 3 == 2 && !in_list(before, path))) {
		old = arena_str(&a, json_edit_text(&e));
		if (edit(&e, data[0] % 3, path, v, &err) != 0 || !str_eq(old, json_edit_text(&e)))
			abort();
	}
	return 0;
}
