/* An MCP server of ours in somebody else's settings: mcpServers.NAME. */
#include "workbench/registration.h"

static const struct str container = { "/mcpServers", 11 };

/* Keys that say how a server is reached: those of another transport must go. */
static const char *const transport_keys[] = { "command", "args", "cwd",     "url",
					      "httpUrl", "type", "headers", "tcp" };

static struct str server_path(struct settings_change *c, const char *name)
{
	return pointer_join(&c->arena, container, str_from(name));
}

/* What keeps its meaning may stay: "httpUrl" is an older spelling of url with type http. */
static bool is_same_place(const struct json *have, const struct json *want)
{
	struct str old = json_get_str(have, "httpUrl");

	return old.n && !json_getz(have, "url") && str_eq(old, json_get_str(want, "url")) &&
	       str_eqz(json_get_str(want, "type"), "http");
}

/* "stdio" is what a command means anyway; how a server is started may be nobody's business. */
static bool may_stay(const char *key, const struct json *have, const struct json *want)
{
	if (json_getz(want, key))
		return true;
	if (strcmp(key, "type") == 0)
		return str_eqz(json_get_str(have, "type"), "stdio") && json_getz(want, "command");
	return (strcmp(key, "cwd") == 0 && json_getz(want, "command")) ||
	       (strcmp(key, "headers") == 0 && json_getz(want, "url"));
}

static int drop_other_keys(struct settings_change *c, struct str path, const struct json *want,
			   struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(transport_keys); i++) {
		const struct json *have = json_pointer(c->e.doc, path);
		struct str key = str_from(transport_keys[i]);

		if (!json_get(have, key) || may_stay(transport_keys[i], have, want))
			continue;
		if (json_edit_remove(&c->e, pointer_join(&c->arena, path, key), err) < 0)
			return -err->code;
	}
	return 0;
}

/* env and headers: of these only our members are ours. */
static int set_members(struct settings_change *c, struct str path, const struct json *want,
		       struct err *err)
{
	for (size_t i = 0; i < want->n; i++) {
		const struct json_member *m = &want->members[i];
		struct str at = pointer_join(&c->arena, path, m->key);
		int r = m->v.type == J_OBJ ? set_members(c, at, &m->v, err)
					   : json_edit_set(&c->e, at, &m->v, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static int refresh(struct settings_change *c, struct str path, const struct json *want,
		   struct err *err)
{
	if (is_same_place(json_pointer(c->e.doc, path), want)) {
		want = json_without(&c->arena, want, STR("url"));
		want = json_without(&c->arena, want, STR("type"));
		return set_members(c, path, want, err);
	}
	if (drop_other_keys(c, path, want, err) < 0)
		return -err->code;
	return set_members(c, path, want, err);
}

static ptrdiff_t noted_at(const struct settings_change *c, const char *name)
{
	for (size_t i = 0; i < c->receipt.servers->n; i++)
		if (str_eqz(json_get_str(json_at(c->receipt.servers, i), "name"), name))
			return (ptrdiff_t)i;
	return -1;
}

static void note(struct settings_change *c, const char *name)
{
	struct arena *a = &c->arena;

	if (noted_at(c, name) < 0)
		c->receipt.servers =
			list_add(a, c->receipt.servers,
				 json_set(a, NULL, STR("name"), json_new_str(a, str_from(name))));
}

int server_install(struct settings_change *c, const struct server_reg *reg,
		   enum reg_status *ret_status, struct err *err)
{
	struct str path = server_path(c, reg->name);
	const struct json *have = json_pointer(c->e.doc, path);
	bool changed = c->e.changed;
	int r;

	c->e.changed = false;
	if (have && reg->is_ours && noted_at(c, reg->name) < 0 && !reg->is_ours(have)) {
		c->e.changed = changed;
		return err_set(err, E_CONFIG,
			       "mcpServers has another server \"%s\"; remove it first: trotline "
			       "mcp remove %s",
			       reg->name, reg->name);
	}
	if (!have)
		settings_note_containers(c, container);
	r = have ? refresh(c, path, reg->value, err) : json_edit_set(&c->e, path, reg->value, err);
	if (r < 0)
		return r;
	*ret_status = !have ? REG_INSTALLED : c->e.changed ? REG_UPDATED : REG_UNCHANGED;
	if (c->e.changed)
		note(c, reg->name);
	c->e.changed |= changed;
	return 0;
}

int server_uninstall(struct settings_change *c, const char *name, enum reg_status *ret_status,
		     struct err *err)
{
	ptrdiff_t noted = noted_at(c, name);
	int r = 0;

	/* The whole document is no object, or the servers are none: nothing of ours is in there. */
	if (json_is(json_pointer(c->e.doc, container), J_OBJ))
		r = json_edit_remove(&c->e, server_path(c, name), err);
	if (r < 0)
		return r;
	*ret_status = r ? REG_REMOVED : REG_ABSENT;
	if (noted >= 0)
		c->receipt.servers = list_drop(&c->arena, c->receipt.servers, (size_t)noted);
	return settings_prune(c, err);
}
