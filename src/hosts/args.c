/* Arguments of tools, between an agent's names and ours. */
#include "hosts/host.h"

#include "base/utf8.h"
#include "hooks/patch.h"

enum {
	CALLS_MAX = 1000,
	MEMBERS_MAX = 1 << 20, /* of all these calls together */
};

/* One translation under way: a list of objects that grows where one call means several. */
struct turning {
	struct arena *a;
	const struct json **calls;
	size_t n;
	bool too_many; /* or nothing that could be shown: hooks cannot be asked about all of it */
};

struct str host_arg_member(const struct host_arg *r)
{
	struct str name = str_from(r->theirs);
	ptrdiff_t slash = r->way == ARG_NESTED ? str_chr(name, '/', 0) : -1;

	return slash > 0 ? str_sub(name, 0, (size_t)slash) : name;
}

/* Every call so far times every item of the list. */
static bool multiply(struct turning *t, size_t items)
{
	const struct json **more;

	t->too_many |= items > CALLS_MAX / t->n || items * t->n * t->calls[0]->n > MEMBERS_MAX;
	if (t->too_many)
		return false;
	more = ARENA_ARRAY(t->a, const struct json *, t->n *items + 1);
	for (size_t k = 0; k < items; k++)
		for (size_t i = 0; i < t->n; i++)
			more[k * t->n + i] = t->calls[i];
	t->calls = more;
	t->n *= items;
	return true;
}

/* Two arguments that mean the same but differ: the agent takes one, so both are asked about. */
static void set_all(struct turning *t, const char *ours, const struct json *v)
{
	size_t from = 0;

	for (size_t i = 0; i < t->n && !from; i++) {
		const struct json *had = json_get(t->calls[i], str_from(ours));

		from = had && !json_equal(had, v) ? t->n : 0;
	}
	if (from && !multiply(t, 2))
		return;
	for (size_t i = from; i < t->n; i++)
		t->calls[i] = json_set(t->a, t->calls[i], str_from(ours), v);
}

/* The rows from `r` on that are about one list: an object for each of its items. */
static void set_each(struct turning *t, const struct host_arg *r, const struct json *list)
{
	struct str name = host_arg_member(r);
	/* What another argument said stays a call of its own. */
	size_t before = t->n, kept = json_get(t->calls[0], str_from(r->ours)) ? before : 0;

	if (!multiply(t, list->n + (kept > 0)))
		return;
	for (size_t i = kept; i < t->n; i++) {
		const struct json *item = json_at(list, (i - kept) / before);

		for (const struct host_arg *row = r; row->theirs; row++) {
			const struct json *v = item;

			if (row->way != r->way || !str_eq(host_arg_member(row), name))
				continue;
			if (row->way == ARG_NESTED)
				v = json_get(item, str_sub(str_from(row->theirs), name.n + 1,
							   strlen(row->theirs)));
			if (!v && json_is(item, J_STR))
				v = item;
			if (v)
				t->calls[i] = json_set(t->a, t->calls[i], str_from(row->ours), v);
		}
	}
}

static void set_patch(struct turning *t, const struct json *v)
{
	size_t n;
	const struct json **files = patch_files(t->a, json_str(v, STR("")), &n);

	t->too_many |= n == 0;
	if (!n || !multiply(t, n))
		return;
	for (size_t i = 0; i < t->n; i++)
		t->calls[i] = json_overlay(t->a, t->calls[i], files[i]);
}

static void take_row(struct turning *t, const struct host_arg *rows, const struct host_arg *r,
		     const struct json *args)
{
	const struct json *v = json_get(args, host_arg_member(r)), *list;
	double first;

	/* Rows of one list are taken together, with the first. */
	for (const struct host_arg *before = rows; before < r; before++)
		if (r->way == ARG_NESTED && before->way == ARG_NESTED &&
		    str_eq(host_arg_member(before), host_arg_member(r)))
			return;
	if (!v)
		return;
	switch (r->way) {
	case ARG_SAME:
		set_all(t, r->ours, v);
		return;
	case ARG_COUNT:
		/* So many lines: which one is the last? */
		first = json_num(json_getz(args, "offset"), 1);
		if (json_is(v, J_NUM))
			v = json_new_num(t->a, (first > 0 ? first : 1) + json_num(v, 0) - 1);
		set_all(t, r->ours, v);
		return;
	case ARG_PATCH:
		set_patch(t, v);
		return;
	case ARG_EACH:
	case ARG_NESTED:
		/* Some agents send a list as the text of it. */
		if (json_is(v, J_STR) && v->n && v->s[0] == '[' &&
		    json_parse(t->a, json_str(v, STR("")), 0, &list, NULL) >= 0)
			v = list;
		if (!json_is(v, J_ARR))
			v = json_append(t->a, NULL, v);
		if (v->n)
			set_each(t, r, v);
		return;
	}
}

const struct json **host_args_ours(struct arena *a, const struct host_tool *tool,
				   const struct json *args, bool only_rows, size_t *ret_n)
{
	const struct host_arg *rows = tool ? tool->args : NULL;
	bool patched = false, patch = false;
	struct turning t = { .a = a, .calls = ARENA_ARRAY(a, const struct json *, 1), .n = 1 };

	t.calls[0] = only_rows ? json_new_obj(a) : args;
	for (const struct host_arg *r = rows; r && r->theirs; r++)
		t.calls[0] = json_without(a, t.calls[0], host_arg_member(r));
	for (const struct host_arg *r = rows; r && r->theirs; r++) {
		patch |= r->way == ARG_PATCH;
		patched |= r->way == ARG_PATCH && json_get(args, str_from(r->theirs));
		take_row(&t, rows, r, args);
	}
	*ret_n = t.n;
	return t.too_many || patch != patched ? NULL : t.calls;
}

/* The row for one of our names: the one that the agent's own arguments use, else the first. */
static const struct host_arg *row_of(const struct host_tool *tool, struct str ours,
				     const struct json *args)
{
	const struct host_arg *first = NULL;

	for (const struct host_arg *r = tool ? tool->args : NULL; r && r->theirs; r++) {
		if (!r->ours || !str_eqz(ours, r->ours))
			continue;
		if (json_get(args, host_arg_member(r)))
			return r;
		first = first ? first : r;
	}
	return first;
}

/*
 * What came out of a patch goes back into one that says all that this one said: the patch that we
 * would make of what hooks saw is the agent's own.  NULL: another one would lose something.
 */
static const struct json *patched(struct arena *a, const struct host_arg *row,
				  const struct json *args, const struct json *was,
				  const struct json *now)
{
	struct str had = utf8_trim(json_get_str(args, row->theirs)), text = patch_of(a, now);
	const struct json **files;
	size_t n;

	files = patch_files(a, text, &n);
	if (!str_eq(had, utf8_trim(patch_of(a, was))) || n != 1 ||
	    !json_equal(json_getz(files[0], "file_path"), json_getz(now, "file_path")))
		return NULL;
	return json_set(a, args, str_from(row->theirs), json_new_str(a, text));
}

const struct json *host_args_theirs(struct arena *a, const struct host_tool *tool,
				    const struct json *args, const struct json *was,
				    const struct json *now)
{
	const struct json *out = args;

	if (!json_is(now, J_OBJ))
		return NULL;
	for (const struct host_arg *r = tool ? tool->args : NULL; r && r->theirs; r++)
		if (r->way == ARG_PATCH && json_get(args, str_from(r->theirs)))
			return json_equal(was, now) ? args : patched(a, r, args, was, now);
	for (size_t i = 0; i < was->n; i++) {
		const struct host_arg *r = row_of(tool, was->members[i].key, args);

		if (!json_get(now, was->members[i].key))
			out = json_without(a, out, r ? host_arg_member(r) : was->members[i].key);
	}
	for (size_t i = 0; i < now->n; i++) {
		const struct json_member *m = &now->members[i];
		const struct host_arg *r = row_of(tool, m->key, args);
		const struct json *had = json_get(was, m->key), *v = &m->v;

		if (had && json_equal(had, v))
			continue;
		if (r && r->way == ARG_NESTED)
			return NULL;
		if (r && r->way == ARG_EACH) {
			if (!json_is(json_get(args, host_arg_member(r)), J_ARR))
				return NULL;
			v = json_append(a, NULL, v);
		}
		if (r && r->way == ARG_COUNT) {
			double first = json_num(json_getz(now, "start_line"), 1);
			double lines = json_num(v, 0) - (first > 0 ? first : 1) + 1;

			if (!json_is(v, J_NUM) || lines < 1)
				return NULL;
			v = json_new_num(a, lines);
		}
		out = json_set(a, out, r ? host_arg_member(r) : m->key, v);
	}
	/* Another first line makes another number of lines. */
	for (const struct host_arg *r = tool ? tool->args : NULL; r && r->theirs; r++)
		if (r->way == ARG_COUNT && json_get(args, str_from(r->theirs)) &&
		    !json_equal(json_getz(was, "start_line"), json_getz(now, "start_line")))
			return NULL;
	return out;
}
