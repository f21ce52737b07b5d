/*
 * extension-enablement.json: for each extension a list "overrides" of rules.  A rule is a directory
 * with a slash at its end; a star behind it means all that is below, and "!" before it switches
 * off.  The last rule that fits decides.
 */
#include "base/json_edit.h"
#include "base/path.h"
#include "base/wild.h"
#include "extensions/extension.h"

/* As the rules write a directory: with a slash at both ends. */
static struct str with_slashes(struct arena *a, struct str path)
{
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	while (path.n && path.p[0] == '/')
		path = str_sub(path, 1, path.n);
	return path.n ? arena_printf(a, "/%.*s/", STR_ARG(path)) : STR("/");
}

static bool is_off(struct str rule)
{
	return str_starts(rule, STR("!"));
}

/* The directories of a rule, without its "!". */
static struct str rule_path(struct str rule)
{
	return str_sub(rule, is_off(rule), rule.n);
}

bool enablement_is_on(const struct json *enablement, struct str name, struct str path)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *rules = json_getz(json_get(enablement, name), "overrides");
	struct str at = with_slashes(&a, path);
	bool on = true;

	for (size_t i = 0; json_is(rules, J_ARR) && i < rules->n; i++) {
		struct str rule = json_str(json_at(rules, i), STR(""));

		struct str dir = rule_path(rule);
		/* `at` has slashes at both ends; a rule may lack the last one. */
		bool open = !str_ends(dir, STR("/")) && !str_ends(dir, STR("*"));

		if (rule.n &&
		    (wild_fits(dir, at) || (open && wild_fits(dir, str_sub(at, 0, at.n - 1)))))
			on = !is_off(rule);
	}
	return on;
}

/* The pointer to a member of the file: names are valid, so nothing in them needs an escape. */
static struct str pointer_to(struct arena *a, struct str name, const char *rest)
{
	return arena_printf(a, "/%.*s%s", STR_ARG(name), rest);
}

int enablement_set(struct str old_text, struct str name, const char *path, bool on, struct buf *out,
		   struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(json_edit_done) struct json_edit e = { 0 };
	const struct json **items;
	size_t n = 0;
	int r = json_edit_open(&e, old_text, err);

	if (r < 0)
		return r;
	if (!extension_name_is_valid(name))
		return err_set(err, E_INVAL, "invalid extension name \"%.*s\"", STR_ARG(name));
	const struct json *old = json_getz(json_get(e.doc, name), "overrides");
	struct str dir = with_slashes(&a, path ? str_from(path) : STR("/"));
	items = ARENA_ARRAY(&a, const struct json *, (json_is(old, J_ARR) ? old->n : 0) + 1);
	for (size_t i = 0; json_is(old, J_ARR) && i < old->n; i++)
		if (!path_below_str(dir, rule_path(json_str(json_at(old, i), STR("")))).p)
			items[n++] = json_at(old, i);
	struct str rule = arena_printf(&a, "%s%.*s*", on ? "" : "!", STR_ARG(dir));
	items[n++] = json_new_str(&a, rule);
	const struct json *rules = json_dup(&a, json_new_arr(&a, items, n));
	r = json_edit_set(&e, pointer_to(&a, name, "/overrides"), rules, err);
	if (r < 0)
		return r;
	buf_adds(out, json_edit_text(&e));
	return 0;
}

int enablement_forget(struct str old_text, struct str name, struct buf *out, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(json_edit_done) struct json_edit e = { 0 };
	int r = json_edit_open(&e, old_text, err);

	if (r < 0)
		return r;
	if (json_get(e.doc, name))
		r = json_edit_remove(&e, pointer_to(&a, name, ""), err);
	if (r < 0)
		return r;
	buf_adds(out, json_edit_text(&e));
	return 0;
}
