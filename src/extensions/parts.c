/* What all active extensions together bring. */
#include <sha2.h>

#include "base/json_pack.h"
#include "base/vec.h"
#include "extensions/extension_impl.h"
#include "os/fs.h"
#include "settings/settings.h"

enum { PARTS_MAX = 1000, SECRETS_MAX = 100, SECRET_MIN = 4 };

static const struct json *part(const struct extension *e, const char *name)
{
	return extension_is_active(e) ? json_getz(e->manifest, name) : NULL;
}

/* ---- servers ---- */

static const struct json *one_server(struct arena *a, const struct extension *e,
				     const struct json *server)
{
	const struct json *v = json_without(a, server, STR("trust")), *env = NULL, *said;

	v = json_without(a, v, STR(SETTINGS_SECRETS));
	if (e->env) {
		const struct json *values[SECRETS_MAX];
		size_t n = 0;

		/* The values that are in the server's arguments and addresses, and in no record. */
		for (const char *const *p = e->env; *p && n < SECRETS_MAX; p++) {
			const char *value = *p + strcspn(*p, "=") + 1;

			if (strlen(value) >= SECRET_MIN)
				values[n++] = json_new_str(a, str_from(value));
		}
		v = json_set(a, v, STR(SETTINGS_SECRETS), json_new_arr(a, values, n));
	}
	/* Of telemetry. */
	v = json_set(a, v, STR(EXTENSION_OF_SERVER),
		     json_pack(a, "extension_name:z extension_id:z", e->name, extension_id(a, e)));
	if (!json_getz(v, "command"))
		return v;
	/* Where it is, the values of its settings, then what the manifest says itself. */
	if (e->is_plugin)
		env = json_pack(a, "CLAUDE_PLUGIN_ROOT:z ?CLAUDE_PLUGIN_DATA:z", e->dir, e->data);
	for (const char *const *p = e->env; p && *p; p++) {
		struct str name = { *p, strcspn(*p, "=") };

		env = json_set(a, env, name, json_new_str(a, str_from(*p + name.n + 1)));
	}
	said = json_getz(v, "env");
	if (json_is(said, J_OBJ))
		env = json_overlay(a, env, said);
	return env ? json_set(a, v, STR("env"), env) : v;
}

const struct json *extensions_servers(struct arena *a, const struct extensions *all)
{
	struct {
		struct json_member *p;
		size_t n, cap;
	} list = { 0 };
	const struct json *out = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const struct json *servers = part(&all->p[i], "mcpServers");

		for (size_t k = 0; json_is(servers, J_OBJ) && k < servers->n; k++) {
			const struct json_member *m = &servers->members[k];
			bool there = false;

			for (size_t j = 0; j < list.n; j++)
				there |= str_eq(list.p[j].key, m->key);
			if (there || !json_is(&m->v, J_OBJ) || list.n == PARTS_MAX)
				continue;
			*VEC_ADD(&list) = *m;
			list.p[list.n - 1].v = *one_server(a, &all->p[i], &m->v);
		}
	}
	if (list.n)
		out = json_new_members(a, list.p, list.n);
	free(list.p);
	return out;
}

/* ---- context files ---- */

struct paths {
	const char **p;
	size_t n, cap;
};

static void add_context(struct paths *out, struct arena *a, const struct extension *e,
			struct str name)
{
	const char *path;

	if (!name.n || memchr(name.p, '\0', name.n) || out->n == PARTS_MAX)
		return;
	path = extension_path(a, e, arena_z(a, name));
	if (path && !fs_is_dir(path))
		*VEC_ADD(out) = path;
}

const char *const *extensions_context_files(struct arena *a, const struct extensions *all)
{
	struct paths out = { 0 };
	const char **copy;

	for (size_t i = 0; i < all->n; i++) {
		const struct extension *e = &all->p[i];
		const struct json *names = part(e, "contextFileName");

		if (!extension_is_active(e))
			continue;
		if (!json_is(names, J_ARR))
			add_context(&out, a, e, json_str(names, STR("GEMINI.md")));
		for (size_t k = 0; json_is(names, J_ARR) && k < names->n; k++)
			add_context(&out, a, e, json_str(json_at(names, k), STR("")));
	}
	copy = ARENA_ARRAY(a, const char *, out.n + 1);
	if (out.n)
		memcpy(copy, out.p, out.n * sizeof *copy);
	free(out.p);
	return copy;
}

/* ---- excluded tools ---- */

const struct json *extensions_excluded_tools(struct arena *a, const struct extensions *all)
{
	struct {
		const struct json **p;
		size_t n, cap;
	} out = { 0 };
	const struct json *list = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const struct json *names = part(&all->p[i], "excludeTools");

		for (size_t k = 0; json_is(names, J_ARR) && k < names->n; k++)
			if (json_is(json_at(names, k), J_STR) && out.n < PARTS_MAX)
				*VEC_ADD(&out) = json_at(names, k);
	}
	if (out.n)
		list = json_new_arr(a, out.p, out.n);
	free(out.p);
	return list;
}

const struct json *extensions_settings(struct arena *a, const struct extensions *all)
{
	const struct json *servers = extensions_servers(a, all);
	const struct json *exclude = extensions_excluded_tools(a, all), *v = json_new_obj(a);

	if (servers)
		v = json_set(a, v, STR("mcpServers"), servers);
	return exclude ? json_set(a, v, STR("tools"), json_set(a, NULL, STR("exclude"), exclude))
		       : v;
}

/* ---- identity ---- */

const char *extension_id(struct arena *a, const struct extension *e)
{
	struct str from = json_str(json_getz(e->install, "source"), str_from(e->name));
	char hex[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)from.p, from.n);
	SHA256End(&ctx, hex);
	return arena_z(a, str_from(hex));
}
