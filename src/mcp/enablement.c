/*
 * ~/.gemini/mcp-server-enablement.json: servers that the user has switched off, without touching
 * the settings that define them.  {"name": {"enabled": false}}, names in small letters.
 */

#include "base/json_edit.h"
#include "mcp/mcp.h"
#include "os/fs.h"
#include "settings/edit.h"

enum { FILE_MAX = 1 << 20 };

static char *file_of(const char *home)
{
	return fs_join(home, ".gemini/mcp-server-enablement.json");
}

int mcp_enablement_read(struct arena *a, const char *home, const struct json **ret_v,
			struct err *err)
{
	AUTO(free) char *file = file_of(home);
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v;
	int r = fs_read(file, FILE_MAX, &text, err);

	if (r == -E_NOTFOUND) {
		*ret_v = json_new_obj(a);
		return 0;
	}
	r = r < 0 ? r : json_parse(a, arena_str(a, buf_str(&text)), JSON_C, &v, err);
	if (r < 0)
		return err_wrap(err, "%s", file);
	if (v->type != J_OBJ)
		return err_set(err, E_CONFIG, "%s: an object is expected", file);
	*ret_v = v;
	return 0;
}

/* The member that means the server; NULL when there is none. */
static const struct json_member *member_of(const struct json *enablement, const char *name)
{
	struct str s = str_trim(str_from(name));

	for (size_t i = 0; json_is(enablement, J_OBJ) && i < enablement->n; i++) {
		const struct json_member *m = &enablement->members[i];

		if (str_eq_icase(m->key, s))
			return m;
	}
	return NULL;
}

bool mcp_enablement_is_off(const struct json *enablement, const char *name)
{
	const struct json_member *m = member_of(enablement, name);

	return m && json_is_false(json_getz(&m->v, "enabled"));
}

int mcp_enablement_set(const char *home, const char *name, bool on, struct err *err)
{
	AUTO(free) char *file = file_of(home), *dir = fs_join(home, ".gemini");
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(json_edit_done) struct json_edit e = { 0 };
	AUTO(buf_done) struct buf old = { 0 };
	const struct json_member *m;
	int r = fs_read(file, FILE_MAX, &old, err);

	if (r < 0 && r != -E_NOTFOUND)
		return r;
	r = json_edit_open(&e, buf_str(&old), err);
	if (r < 0)
		return err_wrap(err, "%s", file);
	m = member_of(e.doc, name);
	struct str key = m ? m->key : str_trim(str_from(name));
	char *small = arena_z(&a, key);

	for (size_t i = 0; i < key.n; i++)
		small[i] = char_lower(small[i]);
	struct str path = pointer_join(&a, STR(""), (struct str){ small, key.n });
	if (on)
		r = m ? json_edit_remove(&e, path, err) : 0;
	else
		r = json_edit_set(&e, path,
				  json_set(&a, NULL, STR("enabled"), json_new_bool(&a, false)),
				  err);
	if (r < 0)
		return err_wrap(err, "%s", file);
	if (!e.changed)
		return 0;
	r = fs_mkdirs(dir, 0700, err);
	r = r < 0 ? r : fs_replace(file, json_edit_text(&e), 0600, err);
	return r < 0 ? r : 1;
}
