/*
 * json_edit: the rules of docs/editing.md, and the layouts of registration-vectors.json, where
 * installing, updating and removing one hook must give exact bytes.  Install and uninstall as they
 * stand here only drive the primitives; they are not the product's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/json_edit.h"

static const char *source_file(struct arena *a, const char *path)
{
	const char *root = getenv("TEST_SOURCE_ROOT");

	return arena_printf(a, "%s/%s", root ? root : ".", path).p;
}

static struct str read_file(struct arena *a, const char *path)
{
	AUTO(buf_done) struct buf text = { 0 };
	FILE *f = fopen(source_file(a, path), "rb");
	size_t n;

	if (!f)
		fail_msg("%s cannot be read", path);
	while ((n = fread(buf_reserve(&text, 65536), 1, 65536, f)) > 0)
		text.n += n;
	(void)fclose(f);
	return arena_str(a, buf_str(&text));
}

static const struct json *value(struct arena *a, const char *text)
{
	const struct json *v = NULL;

	assert_return_code(json_parse(a, str_from(text), JSON_C, &v, NULL), 0);
	return v;
}

/* What is registered: one hook for one event. */
struct registration {
	const struct json *hook;
	struct str event, matcher, name, program;
};

static bool is_ours(const struct json *hook, const struct registration *reg)
{
	struct str command = json_get_str(hook, "command");

	if (!json_is(hook, J_OBJ) ||
	    !str_eqz(json_str(json_getz(hook, "type"), STR("command")), "command"))
		return false;
	if (json_getz(hook, "name"))
		return str_eq(json_get_str(hook, "name"), reg->name);
	return str_eq(command, reg->program) ||
	       (str_starts(command, reg->program) && command.p[reg->program.n] == ' ');
}

/* Counts our hooks; the place of number `wanted` goes to *ret_group and *ret_hook. */
static size_t find_ours(const struct json_edit *e, const struct registration *reg, size_t wanted,
			size_t *ret_group, size_t *ret_hook)
{
	const struct json *groups = json_get(json_getz(e->doc, "hooks"), reg->event), *hooks;
	size_t count = 0;

	for (size_t g = 0; json_at(groups, g); g++) {
		hooks = json_getz(json_at(groups, g), "hooks");
		for (size_t h = 0; json_at(hooks, h); h++) {
			if (!is_ours(json_at(hooks, h), reg) || count++ != wanted)
				continue;
			*ret_group = g;
			*ret_hook = h;
		}
	}
	return count;
}

static struct str group_path(struct arena *a, const struct registration *reg, size_t g)
{
	return arena_printf(a, "/hooks/%.*s/%zu", STR_ARG(reg->event), g);
}

static void drop(struct arena *a, struct json_edit *e, const struct registration *reg, size_t g,
		 size_t h)
{
	struct str group = group_path(a, reg, g), path = group;
	const struct json *hooks = json_getz(json_pointer(e->doc, group), "hooks");

	if (hooks->n > 1)
		path = arena_printf(a, "%.*s/hooks/%zu", STR_ARG(group), h);
	assert_int_equal(json_edit_remove(e, path, NULL), 1);
}

static void append_group(struct arena *a, struct json_edit *e, const struct registration *reg)
{
	const struct json *group = json_set(a, NULL, STR("matcher"), json_new_str(a, reg->matcher));
	struct str path = arena_printf(a, "/hooks/%.*s", STR_ARG(reg->event));

	group = json_set(a, group, STR("hooks"), json_new_arr(a, &reg->hook, 1));
	assert_int_equal(json_edit_append(e, path, group, NULL), 1);
}

static bool same_matcher(const struct json *group, struct str matcher)
{
	struct str m = json_get_str(group, "matcher");

	return str_eq(str_eqz(m, "*") ? STR("") : m, str_eqz(matcher, "*") ? STR("") : matcher);
}

/* Brings the first hook of ours up to date; false when it had to leave its group. */
static bool refresh(struct arena *a, struct json_edit *e, const struct registration *reg, size_t g,
		    size_t h)
{
	struct str path = group_path(a, reg, g);
	const struct json *group = json_pointer(e->doc, path);

	if (!same_matcher(group, reg->matcher)) {
		if (json_getz(group, "hooks")->n > 1) {
			drop(a, e, reg, g, h);
			return false;
		}
		assert_int_equal(json_edit_set(e, arena_printf(a, "%s/matcher", path.p),
					       json_new_str(a, reg->matcher), NULL),
				 1);
	}
	for (size_t i = 0; i < reg->hook->n; i++) {
		const struct json_member *m = &reg->hook->members[i];

		assert_true(json_edit_set(e,
					  arena_printf(a, "%s/hooks/%zu/%.*s", path.p, h,
						       STR_ARG(m->key)),
					  &m->v, NULL) >= 0);
	}
	return true;
}

static struct str install(struct arena *a, struct str before, const struct registration *reg,
			  const char **ret_status)
{
	AUTO(json_edit_done) struct json_edit e = { 0 };
	size_t g = 0, h = 0, n;

	assert_return_code(json_edit_open(&e, before, NULL), 0);
	n = find_ours(&e, reg, 0, &g, &h);
	*ret_status = n ? "UPDATED" : "INSTALLED";
	for (size_t i = n; i > 1; i--) {
		size_t last_g = 0, last_h = 0;

		(void)find_ours(&e, reg, i - 1, &last_g, &last_h);
		drop(a, &e, reg, last_g, last_h);
	}
	if (n == 0 || !refresh(a, &e, reg, g, h))
		append_group(a, &e, reg);
	if (!e.changed)
		*ret_status = "UNCHANGED";
	return arena_str(a, json_edit_text(&e));
}

static bool lists(const struct json *created, struct str name)
{
	for (size_t i = 0; json_at(created, i); i++)
		if (str_eq(json_str(json_at(created, i), STR("")), name))
			return true;
	return false;
}

/* Removes what we made when it is empty and holds no comment. */
static void prune(struct json_edit *e, struct str path, const struct json *created, struct str name)
{
	const struct json *v = json_pointer(e->doc, path);
	struct str text = json_edit_text(e);
	ptrdiff_t end;

	if (!v || v->n || !lists(created, name))
		return;
	end = str_chr(text, v->type == J_ARR ? ']' : '}', v->pos);
	if (str_trim(str_sub(text, v->pos + 1, (size_t)end)).n == 0)
		assert_int_equal(json_edit_remove(e, path, NULL), 1);
}

static struct str uninstall(struct arena *a, struct str before, const struct registration *reg,
			    const struct json *created)
{
	AUTO(json_edit_done) struct json_edit e = { 0 };
	size_t g = 0, h = 0, n;

	assert_return_code(json_edit_open(&e, before, NULL), 0);
	while ((n = find_ours(&e, reg, 0, &g, &h)) > 0) {
		(void)find_ours(&e, reg, n - 1, &g, &h);
		drop(a, &e, reg, g, h);
	}
	prune(&e, arena_printf(a, "/hooks/%.*s", STR_ARG(reg->event)), created, reg->event);
	prune(&e, STR("/hooks"), created, STR("hooks"));
	return arena_str(a, json_edit_text(&e));
}

static void check_text(const struct json *vector, const char *what, struct str got)
{
	struct str want = json_get_str(vector, what);

	if (!str_eq(want, got))
		fail_msg("%.*s: %s\n-- wanted\n%.*s\n-- got\n%.*s\n",
			 STR_ARG(json_str(json_getz(vector, "case"), STR("?"))), what,
			 STR_ARG(want), STR_ARG(got));
}

static void check_status(const struct json *vector, const char *what, const char *got)
{
	check_text(vector, what, str_from(got));
}

static void check_vector(struct arena *a, const struct json *all, const struct json *vector)
{
	struct registration reg = {
		.hook = json_getz(all, "hook"), .event = STR("BeforeTool"),
		.matcher = STR("write_file|replace"), .name = STR("guard"),
		.program = STR("/opt/acme/hookd"),
	}, update = reg;
	struct str before = json_get_str(vector, "before"), text;
	const char *status;

	update.hook = json_getz(all, "hook_update");
	text = install(a, before, &reg, &status);
	check_status(vector, "install_status", status);
	check_text(vector, "after_install", text);
	check_text(vector, "after_install", install(a, text, &reg, &status));
	check_status(vector, "reinstall_status", status);
	text = install(a, text, &update, &status);
	check_status(vector, "update_status", status);
	check_text(vector, "after_update", text);
	text = uninstall(a, text, &reg, json_getz(vector, "created"));
	check_text(vector, "after_uninstall", text);
	assert_int_equal(json_is_true(json_getz(vector, "uninstall_restores_before")),
			 str_eq(text, before));
}

static void registration_vectors(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *all, *vectors;
	size_t n = 0;

	(void)state;
	all = value(&a, read_file(&a, "tests/data/json/registration-vectors.json").p);
	vectors = json_getz(all, "vectors");
	for (; json_at(vectors, n); n++)
		check_vector(&a, all, json_at(vectors, n));
	assert_int_equal(n, 22);
}

/* One change: 's'et, 'a'ppend or 'r'emove. */
struct edit_case {
	char op;
	const char *before, *path, *v, *after;
};

static int apply(struct arena *a, struct json_edit *e, const struct edit_case *c, struct err *err)
{
	if (c->op == 'r')
		return json_edit_remove(e, str_from(c->path), err);
	return (c->op == 's' ? json_edit_set : json_edit_append)(e, str_from(c->path),
								 value(a, c->v), err);
}

static void check_edits(const struct edit_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(json_edit_done) struct json_edit e = { 0 };
		struct err err = { 0 };
		int r;

		assert_return_code(json_edit_open(&e, str_from(cases[i].before), &err), 0);
		r = apply(&a, &e, &cases[i], &err);
		if (r < 0)
			fail_msg("case %zu: %s", i, err.text);
		if (!str_eqz(json_edit_text(&e), cases[i].after))
			fail_msg("case %zu:\n%.*s\n-- wanted\n%s\n", i, STR_ARG(json_edit_text(&e)),
				 cases[i].after);
		assert_int_equal(r, strcmp(cases[i].before, cases[i].after) != 0);
		assert_int_equal(e.changed, r);
	}
}

static void appending(void **state)
{
	static const struct edit_case cases[] = {
		{ 's', "{}", "/a", "1", "{\n  \"a\": 1\n}" },
		{ 's', "{\"b\":{}}", "/b/a", "[1,{\"x\":2}]", "{\"b\":{\"a\": [1, {\"x\": 2}]}}" },
		{ 's', "{\n\t\"a\": 1\n}\n", "/b/c/d", "true",
		  "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": {\n\t\t\t\"d\": true\n\t\t}\n\t}\n}\n" },
		{ 's', "{\r\n  \"a\": 1\r\n}\r\n", "/b", "[]",
		  "{\r\n  \"a\": 1,\r\n  \"b\": []\r\n}\r\n" },
		{ 's', "{\n  \"a\": 1, // why\n}", "/b", "2",
		  "{\n  \"a\": 1, // why\n  \"b\": 2,\n}" },
		{ 's', "{\n  \"a\": 1 // why\n}", "/b", "2",
		  "{\n  \"a\": 1, // why\n  \"b\": 2\n}" },
		{ 's', "{\n  // nothing yet\n}", "/b", "2", "{\n  // nothing yet\n  \"b\": 2\n}" },
		{ 's', "\xef\xbb\xbf{\"a\": 1}", "/b", "2", "\xef\xbb\xbf{\"a\": 1, \"b\": 2}" },
		{ 's', "{\"a\": [1, 2,]}", "/a/2", "3", "{\"a\": [1, 2, 3,]}" },
		{ 's', "{\"a\": [1, 2]}", "/a/-", "3", "{\"a\": [1, 2, 3]}" },
		{ 'a', "{\"a\": [1, 2]}", "/a", "3", "{\"a\": [1, 2, 3]}" },
		{ 'a', "[\n    1\n]", "", "{\"a\":{}}",
		  "[\n    1,\n    {\n        \"a\": {}\n    }\n]" },
		{ 'a', "", "/hooksConfig/disabled", "\"x\"",
		  "{\n  \"hooksConfig\": {\n    \"disabled\": [\"x\"]\n  }\n}\n" },
		{ 's', "{\"a~/b\": {}}", "/a~0~1b/c", "1", "{\"a~/b\": {\"c\": 1}}" },
		{ 's', "{\"a\":1}", "/", "2", "{\"a\":1, \"\": 2}" },
	};

	(void)state;
	check_edits(cases, ARRAY_LEN(cases));
}

static void replacing(void **state)
{
	static const struct edit_case cases[] = {
		{ 's', "{\"a\": 1 /* x */}", "/a", "{\"b\":[1]}", "{\"a\": {\"b\": [1]} /* x */}" },
		{ 's', "{\n \"a\": 1 // x\n}", "/a", "{\"b\":1}",
		  "{\n \"a\": {\n  \"b\": 1\n } // x\n}" },
		{ 's', "{\"a\": 5.0}", "/a", "5", "{\"a\": 5.0}" },
		{ 's', "{\"a\": {\"x\":1,\"y\":2}}", "/a", "{\"y\":2,\"x\":1}",
		  "{\"a\": {\"x\":1,\"y\":2}}" },
		{ 's', "{\"a\": [1,2]}", "/a", "[2,1]", "{\"a\": [2, 1]}" },
		{ 's', "{\"a\": 1, \"a\": 2}", "/a", "3", "{\"a\": 1, \"a\": 3}" },
		{ 's', "{\"\\u0061\": 1}", "/a", "\"\\u00e9\\ud800\"",
		  "{\"\\u0061\": \"\xc3\xa9\\ud800\"}" },
	};

	(void)state;
	check_edits(cases, ARRAY_LEN(cases));
}

static void removing(void **state)
{
	static const struct edit_case cases[] = {
		{ 'r', "{\"a\": 1}", "/a", NULL, "{}" },
		{ 'r', "{\"a\": 1, \"b\": 2}", "/a", NULL, "{\"b\": 2}" },
		{ 'r', "{\"a\": 1, \"b\": 2}", "/b", NULL, "{\"a\": 1}" },
		{ 'r', "{\n  \"a\": 1,\n  // mine\n  \"b\": 2\n}\n", "/b", NULL,
		  "{\n  \"a\": 1\n  // mine\n}\n" },
		{ 'r', "{\n  \"a\": 1, // mine\n  \"b\": 2\n}\n", "/a", NULL,
		  "{\n  // mine\n  \"b\": 2\n}\n" },
		{ 'r', "{\n  \"a\": 1 // c\n  , \"b\": 2\n}", "/a", NULL,
		  "{\n  // c\n \"b\": 2\n}" },
		{ 'r', "{\r\n\"a\": 1 // c\r\n,\r\n\"b\": 2}", "/a", NULL,
		  "{\r\n// c\r\n\"b\": 2}" },
		{ 'r', "{\"a\": 1 /* c */, \"b\": 2}", "/a", NULL, "{/* c */ \"b\": 2}" },
		{ 'r', "{\"a\": 1, \"a\": 2, \"a\": {}}", "/a", NULL, "{}" },
		{ 'r', "[1, [2], 3]", "/1/0", NULL, "[1, [], 3]" },
		{ 'r', "{\"a\": 1}", "/b", NULL, "{\"a\": 1}" },
		{ 'r', "{\"a\": 1}", "/a/b/c", NULL, "{\"a\": 1}" },
		{ 'r', "{\r\n\t\"a\": 1,\r\n\t\"b\": 2,\r\n}", "/a", NULL,
		  "{\r\n\t\"b\": 2,\r\n}" },
	};

	(void)state;
	check_edits(cases, ARRAY_LEN(cases));
}

/* The user's value is never replaced to make room for ours. */
static void refusals(void **state)
{
	static const struct {
		struct edit_case c;
		int code;
		const char *text;
	} cases[] = {
		{ { 's', "{\n  \"a\": [1]\n}", "/a/b", "1", NULL },
		  E_CONFIG,
		  "line 2, column 8: \"a\" must be an object, but it is a list" },
		{ { 's', "{\"a\": \"x\"}", "/a/b", "1", NULL },
		  E_CONFIG,
		  "line 1, column 7: \"a\" must be an object, but it is a string" },
		{ { 'a', "{\"a\": {}}", "/a", "1", NULL },
		  E_CONFIG,
		  "line 1, column 7: \"a\" must be a list, but it is an object" },
		{ { 'a', "{\"a\": null}", "/a", "1", NULL },
		  E_CONFIG,
		  "line 1, column 7: \"a\" must be a list, but it is null" },
		{ { 's', "[1]", "/a", "1", NULL },
		  E_CONFIG,
		  "line 1, column 1: \"the document\" must be an object, but it is a list" },
		{ { 's', "7", "/a", "1", NULL },
		  E_CONFIG,
		  "line 1, column 1: \"the document\" must be an object, but it is a number" },
		{ { 's', "[1]", "/3", "1", NULL }, E_CONFIG, NULL },
		{ { 's', "{}", "", "1", NULL }, E_INVAL, "the whole document cannot be set" },
		{ { 's', "{}", "a", "1", NULL }, E_INVAL, "\"a\" is not a path" },
		{ { 'r', "{}", "/a~2", NULL, NULL }, E_INVAL, "\"/a~2\" is not a path" },
		{ { 'r', "{}", "", NULL, NULL }, E_INVAL, "the whole document cannot be removed" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(json_edit_done) struct json_edit e = { 0 };
		struct err err = { 0 };

		assert_return_code(json_edit_open(&e, str_from(cases[i].c.before), &err), 0);
		assert_int_equal(apply(&a, &e, &cases[i].c, &err), -cases[i].code);
		if (cases[i].text)
			assert_string_equal(err.text, cases[i].text);
		assert_true(str_eqz(json_edit_text(&e), cases[i].c.before));
		assert_false(e.changed);
	}
}

static void texts_that_are_not_opened(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "{\"a\": 'x'}", "line 1, column 7: expected a value, found \"'\"" },
		{ "{\n\"a\": \"\xff\"}", "line 2, column 7: this is not valid UTF-8" },
		{ "{} x", "line 1, column 4: expected the end of the text, found \"x\"" },
		{ "// only a comment",
		  "line 1, column 18: expected a value, found the end of the text" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json_edit_done) struct json_edit e = { 0 };
		struct err err = { 0 };

		assert_int_equal(json_edit_open(&e, str_from(cases[i].text), &err), -E_PARSE);
		assert_string_equal(err.text, cases[i].message);
	}
}

/* An edit that cannot be (too deep to be read again) leaves the text as it was. */
static void a_change_that_fails_leaves_the_text(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(json_edit_done) struct json_edit e = { 0 };
	AUTO(buf_done) struct buf path = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < JSON_MAX_DEPTH + 1; i++)
		buf_addz(&path, "/x");
	assert_return_code(json_edit_open(&e, STR("{}"), &err), 0);
	assert_int_equal(json_edit_set(&e, buf_str(&path), value(&a, "1"), &err), -E_LIMIT);
	assert_true(str_eqz(json_edit_text(&e), "{}"));
	assert_int_equal(e.doc->n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registration_vectors),
		cmocka_unit_test(appending),
		cmocka_unit_test(replacing),
		cmocka_unit_test(removing),
		cmocka_unit_test(refusals),
		cmocka_unit_test(texts_that_are_not_opened),
		cmocka_unit_test(a_change_that_fails_leaves_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
