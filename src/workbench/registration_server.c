/* An MCP server of ours in somebody else's settings: mcpServers.NAME. */
#include "workbench/registration.h"

#include "mcp/transport.h"

static const struct str container = { "/mcpServers", 11 };

static struct str server_path(struct settings_change *c, const char *name)
{
	return pointer_join(&c->arena, container, str_from(name));
}

static int drop_key(struct settings_change *c, struct str path, const char *key,
		    const struct json *want, struct err *err)
{
	if (!json_getz(json_pointer(c->e.doc, path), key) || json_getz(want, key))
		return 0;
	return json_edit_remove(&c->e, pointer_join(&c->arena, path, str_from(key)), err);
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
	const struct json *have = json_pointer(c->e.doc, path);
	struct str old = json_get_str(have, "httpUrl");
	bool program = json_getz(want, "command");
	/* "stdio" is what a command means anyway. */
	bool keeps_type = program && str_eqz(json_get_str(have, "type"), "stdio");
	int r = 0;

	/* What keeps its meaning may stay: "httpUrl" is an older spelling of url with type http. */
	if (old.n && !json_getz(have, "url") && str_eq(old, json_get_str(want, "url")) &&
	    str_eqz(json_get_str(want, "type"), "http")) {
		want = json_without(&c->arena, want, STR("url"));
		want = json_without(&c->arena, want, STR("type"));
		return set_members(c, path, want, err);
	}
	/* Keys of another transport go; how a program is started may stay, and so may headers. */
	for (size_t i = 0; r >= 0 && i < mcp_ways_n; i++)
		r = drop_key(c, path, mcp_ways[i].key, want, err);
	for (size_t i = 0; r >= 0 && i < mcp_side_keys_n; i++) {
		const struct mcp_side_key *k = &mcp_side_keys[i];

		if (k->reaches && !(k->optional && k->program == program) &&
		    !(keeps_type && strcmp(k->name, "type") == 0))
			r = drop_key(c, path, k->name, want, err);
	}
	return r < 0 ? r : set_members(c, path, want, err);
}

static ptrdiff_t noted_at(const struct settings_change *c, const char *name)
{
	for (size_t i = 0; i < c->receipt.servers->n; i++)
		if (str_eqz(json_get_str(json_at(c->receipt.servers, i), "name"), name))
			return (ptrdiff_t)i;
	return -1;
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
	if (c->e.changed) {
		struct arena *a = &c->arena;

		if (noted_at(c, reg->name) < 0)
			c->receipt.servers =
				list_add(a, c->receipt.servers,
					 json_set(a, NULL, STR("name"),
						  json_new_str(a, str_from(reg->name))));
	}
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
