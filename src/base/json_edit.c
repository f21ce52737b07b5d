/*
 * Editing JSONC texts: paths, what may be changed, and the proof after each change that the new
 * text means what the old one meant but for the edited entry.  The bytes are json_layout.c's.
 */
#include "base/json_edit.h"

#include "base/json_impl.h"
#include "base/json_layout.h"
#include "base/json_pack.h"
#include "base/vec.h"

/* One change being made; everything in it lives as long as the scratch arena. */
struct change {
	struct arena *scratch;
	struct layout layout;
	struct str *tokens; /* of the path */
	size_t n;
	/* How far the path exists: the value after `used` tokens. */
	const struct span *at;
	size_t used;
	size_t index; /* of `at` in its container */
	const struct span *container; /* NULL for the root */
};

static const struct span *child_of(const struct span *s, struct str token, size_t *ret_index)
{
	size_t i;

	if (s->kind == '[') {
		if (!json_pointer_index(token, &i) || i >= s->n)
			return NULL;
		*ret_index = i;
		return &s->kids[i];
	}
	/* Of a repeated key the last one counts for every reader. */
	for (i = s->n; i > 0; i--) {
		if (str_eq(s->kids[i - 1].key, token)) {
			*ret_index = i - 1;
			return &s->kids[i - 1];
		}
	}
	return NULL;
}

static int split_path(struct change *c, struct str path, struct err *err)
{
	AUTO(buf_done) struct buf token = { 0 };
	struct str rest = str_sub(path, 1, path.n), raw;
	struct {
		struct str *p;
		size_t n, cap;
	} list = { 0 };
	int r = 0;

	if (path.n == 0)
		return 0;
	if (path.p[0] != '/')
		return err_set(err, E_INVAL, "\"%.*s\" is not a path", STR_ARG(path));
	while (r == 0 && str_split(&rest, '/', &raw)) {
		if (!json_pointer_token(raw, &token))
			r = err_set(err, E_INVAL, "\"%.*s\" is not a path", STR_ARG(path));
		*VEC_ADD(&list) = arena_str(c->scratch, buf_str(&token));
	}
	c->n = list.n;
	c->tokens = ARENA_ARRAY(c->scratch, struct str, list.n);
	memcpy(c->tokens, list.p, list.n * sizeof *list.p);
	free(list.p);
	return r;
}

/* Finds how far the path exists. */
static int change_open(struct change *c, const struct json_edit *e, struct str path,
		       struct err *err)
{
	const struct span *kid;
	int r = split_path(c, path, err);

	if (r < 0)
		return r;
	layout_open(c->scratch, buf_str(&e->text), &c->layout);
	c->at = c->layout.root;
	for (c->used = 0; c->used < c->n; c->used++) {
		size_t index;

		kid = child_of(c->at, c->tokens[c->used], &index);
		if (!kid)
			break;
		c->container = c->at;
		c->index = index;
		c->at = kid;
	}
	return 0;
}

static int conflict(const struct change *c, const char *wanted, struct err *err)
{
	struct json_where where = json_locate(c->layout.text, c->at->start);
	struct str name = c->used ? c->tokens[c->used - 1] : STR("the document");
	char first = c->layout.text.p[c->at->start];
	const char *kind = first == '{'                   ? "an object"
			   : first == '['                 ? "a list"
			   : first == '"'                 ? "a string"
			   : first == 't' || first == 'f' ? "true or false"
			   : first == 'n'                 ? "null"
							  : "a number";

	return err_set(err, E_CONFIG, "line %u, column %u: \"%.*s\" must be %s, but it is %s",
		       where.line, where.column, STR_ARG(name), wanted, kind);
}

static const struct json *with_item(struct arena *a, const struct json *arr, size_t i,
				    const struct json *v)
{
	size_t n = arr->n + (i == arr->n);
	const struct json **items = ARENA_ARRAY(a, const struct json *, n);

	for (size_t k = 0; k < n; k++)
		items[k] = k == i ? v : &arr->items[k];
	return json_new_arr(a, items, n);
}

/*
 * What the document should be after the change: old in which the value after `depth` tokens of the
 * path is v, or is missing when v is NULL.  A depth past an array's last index adds an item.
 */
static const struct json *changed(const struct change *c, const struct json *old, size_t i,
				  size_t depth, const struct json *v)
{
	struct arena *a = c->scratch;
	struct str token;
	size_t index;

	if (i == depth)
		return v;
	token = c->tokens[i];
	if (old->type == J_ARR) {
		if (!json_pointer_index(token, &index) || index > old->n)
			index = old->n;
		if (!v && i + 1 == depth) {
			const struct json **items = ARENA_ARRAY(a, const struct json *, old->n);
			size_t n = 0;

			for (size_t k = 0; k < old->n; k++)
				if (k != index)
					items[n++] = &old->items[k];
			return json_new_arr(a, items, n);
		}
		return with_item(a, old, index, changed(c, json_at(old, index), i + 1, depth, v));
	}
	if (!v && i + 1 == depth)
		return json_without(a, old, token);
	return json_set(a, old, token, changed(c, json_get(old, token), i + 1, depth, v));
}

/* Takes the new text when it means what it should. */
static int take_text(struct json_edit *e, struct buf *text, const struct json *wanted,
		     struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	const struct json *doc;
	int r = json_parse(&arena, buf_str(text), JSON_C, &doc, err);

	if (r < 0)
		return err_wrap(err, "the edited text");
	if (!json_equal(doc, wanted))
		return err_set(err, E_INVAL, "the edited text does not mean what it should");
	buf_done(&e->text);
	arena_done(&e->arena);
	e->text = *text;
	e->arena = arena;
	e->doc = doc;
	e->changed = true;
	*text = (struct buf){ 0 };
	arena = (struct arena){ 0 };
	return 1;
}

/* Adds v, in what is missing of the path, to the deepest container that exists. */
static int add(struct json_edit *e, const struct change *c, const struct json *v, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct str token = c->tokens[c->used];
	size_t index = c->at->n;

	if (c->at->kind == '"')
		return conflict(c, "an object", err);
	if (c->at->kind == '[') {
		bool next = json_pointer_index(token, &index) && index == c->at->n;

		if (!next && !(str_eqz(token, "-") && c->used + 1 == c->n))
			return conflict(c, "an object", err);
	}
	for (size_t i = c->n; i > c->used + 1; i--)
		v = json_set(c->scratch, NULL, c->tokens[i - 1], v);
	layout_append(&c->layout, c->at, token, v, &text);
	return take_text(e, &text, changed(c, e->doc, 0, c->used + 1, v), err);
}

int json_edit_set(struct json_edit *e, struct str path, const struct json *v, struct err *err)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct change c = { .scratch = &scratch };
	int r = change_open(&c, e, path, err);

	if (r < 0)
		return r;
	if (c.n == 0)
		return err_set(err, E_INVAL, "the whole document cannot be set");
	if (c.used < c.n)
		return add(e, &c, v, err);
	if (json_equal(json_pointer(e->doc, path), v))
		return 0;
	layout_replace(&c.layout, c.at, v, &text);
	return take_text(e, &text, changed(&c, e->doc, 0, c.n, v), err);
}

int json_edit_append(struct json_edit *e, struct str path, const struct json *v, struct err *err)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct change c = { .scratch = &scratch };
	const struct json *old;
	int r = change_open(&c, e, path, err);

	if (r < 0)
		return r;
	if (c.used < c.n)
		return add(e, &c, json_new_arr(&scratch, &v, 1), err);
	if (c.at->kind != '[')
		return conflict(&c, "a list", err);
	old = json_pointer(e->doc, path);
	layout_append(&c.layout, c.at, STR(""), v, &text);
	return take_text(e, &text, changed(&c, e->doc, 0, c.n, with_item(&scratch, old, old->n, v)),
			 err);
}

int json_edit_prepend(struct json_edit *e, struct str path, const struct json *v, struct err *err)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct change c = { .scratch = &scratch };
	struct json_list items = { 0 };
	const struct json *old;
	int r = change_open(&c, e, path, err);

	if (r < 0)
		return r;
	if (c.used < c.n || c.at->kind != '[' || !layout_prepend(&c.layout, c.at, v, &text))
		return json_edit_append(e, path, v, err);
	old = json_pointer(e->doc, path);
	json_list_add(&items, v);
	for (size_t i = 0; json_at(old, i); i++)
		json_list_add(&items, json_at(old, i));
	return take_text(e, &text, changed(&c, e->doc, 0, c.n, json_list_take(&scratch, &items)),
			 err);
}

/* Of a repeated key all are removed: else an earlier one would come into force. */
static int remove_once(struct json_edit *e, struct str path, struct err *err)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct change c = { .scratch = &scratch };
	const struct json *wanted, *twin = NULL;
	int r = change_open(&c, e, path, err);

	if (r < 0)
		return r;
	if (c.n == 0)
		return err_set(err, E_INVAL, "the whole document cannot be removed");
	if (c.used < c.n)
		return 0;
	for (size_t i = 0; i < c.index && c.container->kind == '{'; i++) {
		const struct span *s = &c.container->kids[i];
		struct str value = str_sub(c.layout.text, s->start, s->end);

		if (str_eq(s->key, c.at->key) &&
		    json_parse(&scratch, value, JSON_C, &twin, err) < 0)
			BUG(); /* it is a part of a text that was parsed */
	}
	wanted = changed(&c, e->doc, 0, c.n, twin);
	layout_remove(&c.layout, c.container, c.index, &text);
	r = take_text(e, &text, wanted, err);
	return r < 0 ? r : 1 + (twin != NULL);
}

int json_edit_remove(struct json_edit *e, struct str path, struct err *err)
{
	int r;

	do
		r = remove_once(e, path, err);
	while (r > 1);
	return r;
}

int json_edit_open(struct json_edit *e, struct str text, struct err *err)
{
	struct str bom = str_starts(text, STR("\xef\xbb\xbf")) ? STR("\xef\xbb\xbf") : STR("");
	struct json_where where;
	int r;

	*e = (struct json_edit){ 0 };
	if (utf8_valid(text) < text.n) {
		where = json_locate(text, utf8_valid(text));
		return err_set(err, E_PARSE, "line %u, column %u: this is not valid UTF-8",
			       where.line, where.column);
	}
	if (str_trim(str_sub(text, bom.n, text.n)).n == 0) {
		buf_adds(&e->text, bom);
		buf_addz(&e->text, "{}\n");
	} else {
		buf_adds(&e->text, text);
	}
	r = json_parse(&e->arena, buf_str(&e->text), JSON_C, &e->doc, err);
	if (r < 0)
		json_edit_done(e);
	return r;
}

void json_edit_done(struct json_edit *e)
{
	buf_done(&e->text);
	arena_done(&e->arena);
	*e = (struct json_edit){ 0 };
}
