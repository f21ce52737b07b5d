#include "settings/settings.h"

#include "base/words.h"
#include "settings/expand.h"
#include "settings/project_rules.h"
#include "settings/read.h"

/* ---- what forbids something, and what a project may not undo ---- */

/* Lists that forbid or ask: those of all tiers count together. */
static const char *const strict_lists[][2] = {
	{ "tools", "exclude" },
	{ "tools", "confirmationRequired" },
	{ "mcp", "excluded" },
	{ "skills", "disabled" },
};

static const struct json *member(const struct json *v, const char *const path[2])
{
	return json_getz(json_get(v, str_from(path[0])), path[1]);
}

static const struct json *with_member(struct arena *a, const struct json *v,
				      const char *const path[2], const struct json *new)
{
	const struct json *inner = json_getz(v, path[0]);

	inner = json_set(a, json_is(inner, J_OBJ) ? inner : NULL, str_from(path[1]), new);
	return json_set(a, v, str_from(path[0]), inner);
}

/* The strict lists of before, with what is new in those of after; something that is no list is left
 * to whoever reads it. */
static const struct json *unite_lists(struct arena *a, const struct json *before,
				      const struct json *file, const struct json *after)
{
	for (size_t k = 0; k < ARRAY_LEN(strict_lists); k++) {
		const struct json *old = member(before, strict_lists[k]);
		const struct json *new = member(file, strict_lists[k]);
		bool both = json_is(old, J_ARR) && json_is(new, J_ARR);
		const struct json **items;
		size_t n = 0;

		if (!json_is(old, J_ARR) || (new && !both && !json_is(new, J_NULL)))
			continue;
		items = ARENA_ARRAY(a, const struct json *, old->n + (both ? new->n : 0) + 1);
		while (n < old->n) {
			items[n] = json_at(old, n);
			n++;
		}
		for (size_t i = 0; both && i < new->n; i++)
			items[n++] = json_at(new, i);
		after = with_member(a, after, strict_lists[k], json_new_arr(a, items, n));
	}
	return after;
}

/*
 * A project may ask for more security where the user says nothing.  What the user says, it does not
 * change, and no variable is let through to commands because a project says so.
 */
static const struct json *keep_security(struct arena *a, const struct json *before,
					const struct json *file, const struct json *after)
{
	static const char *const redaction[2] = { "security", "environmentVariableRedaction" };
	static const struct str key = { "security", 8 };
	const struct json *users = json_get(before, key), *projects = json_get(file, key);

	if (json_is(member(file, redaction), J_OBJ))
		projects = json_get(
			with_member(a, file, redaction,
				    json_without(a, member(file, redaction), STR("allowed"))),
			key);
	if (!json_is(users, J_OBJ))
		return json_is(projects, J_OBJ) ? json_set(a, after, key, projects) : after;
	return json_set(a, after, key,
			json_is(projects, J_OBJ) ? json_merge_patch(a, projects, users) : users);
}

/*
 * A server that the project defines and somebody else, too, is the later one's alone: no trust, no
 * header and no variable of the one goes with an address of the other.  *granted forgets those that
 * are the project's no longer.
 */
static const struct json *whole_servers(struct arena *a, const struct json *file,
					const struct json *before, const struct json *after,
					bool projects, const struct json **granted)
{
	static const char *const projects_own[2] = { SETTINGS_OF_PROJECT, SETTINGS_SERVERS };
	const struct str key = STR(SETTINGS_SERVERS);
	const struct json *servers = json_get(file, key), *own = member(before, projects_own);
	const struct json *merged = json_get(after, key), *names = json_get(*granted, key);

	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json_member *m = &servers->members[i];

		if (projects == (json_get(own, m->key) != NULL))
			continue;
		if (m->v.type != J_NULL)
			merged = json_set(a, merged, m->key, json_merge_patch(a, NULL, &m->v));
		if (!projects && names)
			names = json_without(a, names, m->key);
	}
	if (names)
		*granted = json_set(a, *granted, key, names);
	return json_is(servers, J_OBJ) ? json_set(a, after, key, merged) : after;
}

/* The user's lists are one, a project's another one; what an administrator says replaces it. */
static const struct json *keep_granted(struct arena *a, const struct json *before,
				       const struct json *granted, const struct json *file,
				       bool projects)
{
	static const char *const allowed[2] = { "tools", "allowed" };
	const struct json *old = json_getz(before, SETTINGS_OF_PROJECT);

	if (projects && old && granted)
		return json_merge_patch(a, old, granted);
	if (projects || !member(file, allowed) || !member(old, allowed))
		return granted ? granted : old;
	return json_set(a, old, STR("tools"),
			json_without(a, json_getz(old, "tools"), STR("allowed")));
}

/*
 * Where Gemini CLI had these lists before its settings had sections.  What they forbid is forbidden
 * all the same; of two spellings in one file that in the section allows.
 */
static const struct json *with_old_keys(struct arena *a, const struct settings_dirs *d,
					const char *path, const struct json *v)
{
	static const struct {
		const char *old, *at[2];
		bool strict;
	} keys[] = {
		{ "excludeTools", { "tools", "exclude" }, true },
		{ "coreTools", { "tools", "core" }, false },
		{ "allowedTools", { "tools", "allowed" }, false },
		{ "allowMCPServers", { "mcp", "allowed" }, false },
		{ "excludeMCPServers", { "mcp", "excluded" }, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct json *old = json_getz(v, keys[i].old), *new = member(v, keys[i].at);
		AUTO(free) char *text = NULL;

		if (!json_is(old, J_ARR))
			continue;
		text = xasprintf("%s: %s is the old name of %s.%s%s", path, keys[i].old,
				 keys[i].at[0], keys[i].at[1],
				 new && !keys[i].strict ? ", which counts" : " and counts");
		if (d->complain)
			d->complain(d->data, text);
		for (size_t k = 0; keys[i].strict && json_is(new, J_ARR) && k < new->n; k++)
			old = json_append(a, old, json_at(new, k));
		if (!new || keys[i].strict)
			v = with_member(a, v, keys[i].at, old);
	}
	return v;
}

static int add_file(struct arena *a, const struct settings_dirs *d, const struct settings_place *p,
		    const struct json **merged, struct err *err)
{
	struct expansion x = expand_from(d->dirs.env);
	const struct json *before = *merged, *granted = NULL, *v, *servers;
	const char *path = place_path(p, &d->dirs, a);
	bool foreign = tiers[p->tier].foreign;
	int r = path ? settings_read(a, path, NULL, &v, err) : 0;

	if (r <= 0)
		return r;
	x.skip = "hooks"; /* their commands are the shell's to expand */
	v = json_without(a, expand_json(&x, a, v), STR(SETTINGS_OF_PROJECT));
	v = json_without(a, v, STR(SETTINGS_OF_MCP_JSON));
	if (p->holds & PLACE_SETTINGS)
		v = with_old_keys(a, d, path, v);
	servers = json_getz(v, SETTINGS_SERVERS);
	if (servers && !json_is(servers, J_OBJ) && !json_is(servers, J_NULL)) {
		/* A list, say: it must not take the servers of other files away, unseen. */
		AUTO(free) char *text =
			xasprintf("%s: " SETTINGS_SERVERS_SHAPE, path, json_type_name(servers));

		if (d->complain)
			d->complain(d->data, text);
		v = json_without(a, v, STR(SETTINGS_SERVERS));
	}
	if (!(p->holds & (PLACE_SETTINGS | PLACE_SERVERS)))
		v = settings_of_claude(a, d, path, before, v, p->tier);
	if (!(p->holds & (PLACE_SETTINGS | PLACE_HOOKS)))
		v = settings_of_mcp_json(a, d, path, before, v);
	if (p->holds & PLACE_SERVERS && foreign)
		v = settings_of_project(a, d, path, before, v, &granted);
	*merged = unite_lists(a, before, v, json_merge_patch(a, before, v));
	if (foreign)
		*merged = keep_security(a, before, v, *merged);
	granted = keep_granted(a, before, granted, v, foreign);
	*merged = whole_servers(a, v, before, *merged, foreign, &granted);
	if (granted)
		*merged = json_set(a, *merged, STR(SETTINGS_OF_PROJECT), granted);
	return 0;
}

/* Values of the environment are theirs as they are of settings. */
static const struct json *with_below(struct arena *a, const struct settings_dirs *d,
				     const struct json *merged)
{
	struct expansion x = expand_from(d->dirs.env);
	const struct json *servers = json_getz(d->below, SETTINGS_SERVERS);
	const struct json *exclude = member(d->below, strict_lists[0]);
	const struct json *own = json_getz(merged, SETTINGS_SERVERS);

	servers = servers ? expand_json(&x, a, servers) : NULL;
	if (servers && (!own || own->type == J_OBJ)) {
		/* Behind those of the settings: where names of tools meet, the first has it. */
		for (size_t i = 0; own && i < own->n; i++)
			servers = json_without(a, servers, own->members[i].key);
		merged = json_set(a, merged, STR(SETTINGS_SERVERS),
				  own ? json_overlay(a, own, servers) : servers);
	}
	if (!exclude)
		return merged;
	const struct json *tools = with_member(a, json_new_obj(a), strict_lists[0], exclude);
	return unite_lists(a, tools, merged, json_merge_patch(a, tools, merged));
}

/* Does it count, and have settings that are read here? */
static bool is_claudes(const struct settings_dirs *d, const struct settings_place *p)
{
	return p->claude && d->sources && word_in_text(str_from(p->dialect), d->sources);
}

int settings_load(struct arena *a, const struct settings_dirs *d, const struct json **ret_settings,
		  struct err *err)
{
	const struct json *merged = json_new_obj(a);
	struct str key;
	const struct json *own, *kept;
	struct err why;

	for (const struct settings_place *p = NULL;
	     (p = place_next(p, NULL, PLACE_SETTINGS | PLACE_HOOKS));) {
		bool counts = p->holds & PLACE_SETTINGS ? p->use == PLACE_READ : is_claudes(d, p);
		int r = counts && (d->trusted || !tiers[p->tier].foreign)
				? add_file(a, d, p, &merged, err)
				: 0;

		if (r < 0)
			return r;
	}
	/*
	 * .mcp.json, behind all settings that say something about it.  It holds no guard: what
	 * cannot be read is said, and that is all.
	 */
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SERVERS));)
		if (tiers[p->tier].foreign && d->trusted && is_claudes(d, p) &&
		    add_file(a, d, p, &merged, &why) < 0 && d->complain)
			d->complain(d->data, why.text);
	merged = json_without(a, merged, STR(SETTINGS_OF_MCP_JSON));
	/* Only servers of extensions have it: no other entry may hide from hooks what it runs. */
	key = STR(SETTINGS_SERVERS);
	own = json_get(merged, key);
	kept = own;
	for (size_t i = 0; json_is(own, J_OBJ) && i < own->n; i++)
		if (json_getz(&own->members[i].v, SETTINGS_SECRETS))
			kept = json_set(a, kept, own->members[i].key,
					json_without(a, &own->members[i].v, STR(SETTINGS_SECRETS)));
	*ret_settings = with_below(a, d, kept == own ? merged : json_set(a, merged, key, kept));
	return 0;
}

#define IN_VAIN(section, key)                                                                      \
	{                                                                                          \
		STR("/" section "/" key), section "." key                                          \
	}
#define IN_VAIN_BELOW(section, inner, key)                                                         \
	{                                                                                          \
		STR("/" section "/" inner "/" key), section "." inner "." key                      \
	}

static const struct setting_in_vain in_vain[] = {
	IN_VAIN("security", "allowedExtensions"),
	IN_VAIN("security", "blockGitExtensions"),
	IN_VAIN("security", "disableAlwaysAllow"),
	IN_VAIN("security", "enableConseca"),
	IN_VAIN("security", "toolSandboxing"),
	IN_VAIN_BELOW("context", "fileFiltering", "customIgnoreFilePaths"),
	IN_VAIN_BELOW("general", "checkpointing", "enabled"),
	IN_VAIN("general", "vimMode"),
	IN_VAIN("model", "summarizeToolOutput"),
	IN_VAIN("modelConfigs", "customAliases"),
	IN_VAIN("modelConfigs", "customOverrides"),
	IN_VAIN("tools", "callCommand"),
	IN_VAIN("tools", "discoveryCommand"),
};

const struct setting_in_vain *settings_in_vain(const struct json *s,
					       const struct setting_in_vain *after)
{
	const struct setting_in_vain *end = in_vain + ARRAY_LEN(in_vain);

	for (const struct setting_in_vain *v = after ? after + 1 : in_vain; v < end; v++) {
		const struct json *said = json_pointer(s, v->pointer);

		/* false, "", [] and {} ask for nothing. */
		if (json_is_true(said) || (json_is(said, J_STR) && json_str(said, STR("")).n) ||
		    ((json_is(said, J_ARR) || json_is(said, J_OBJ)) && said->n))
			return v;
	}
	return NULL;
}

const char *settings_str(struct arena *a, const struct json *s, const char *pointer,
			 const char *dflt)
{
	const struct json *v = json_pointer(s, str_from(pointer));

	return json_is(v, J_STR) ? arena_z(a, json_str(v, STR(""))) : dflt;
}

double settings_num(const struct json *s, const char *pointer, double dflt)
{
	return json_num(json_pointer(s, str_from(pointer)), dflt);
}

bool settings_bool(const struct json *s, const char *pointer, bool dflt)
{
	const struct json *v = json_pointer(s, str_from(pointer));

	return json_is(v, J_BOOL) ? v->yes : dflt;
}
