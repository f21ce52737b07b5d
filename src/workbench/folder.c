#include "workbench/folder.h"

#include "base/words.h"
#include "os/fs.h"
#include "settings/places.h"

enum { LIST_MAX_BYTES = 8 << 20, NAMES_MAX = 12 };

static const struct json *read_object(struct arena *a, const char *path)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v;

	if (fs_read(path, LIST_MAX_BYTES, &text, NULL) < 0 ||
	    json_parse(a, arena_str(a, buf_str(&text)), JSON_C, &v, NULL) < 0 || !json_is(v, J_OBJ))
		return json_new_obj(a);
	return v;
}

static void add(struct arena *a, struct json_list *rows, const char *what, const char *path,
		const struct buf *names)
{
	json_list_add(rows, json_pack(a, "what:z ?path:z ?names:s", what, path, buf_str(names)));
}

static void add_name(struct buf *names, size_t n, struct str name)
{
	if (n < NAMES_MAX)
		buf_addf(names, "%s%.*s", n ? ", " : "", STR_ARG(name));
	else if (n == NAMES_MAX)
		buf_addz(names, ", ...");
}

/* Its keys; hooks are shown one by one, servers in a row of their own. */
static void add_settings(struct arena *a, struct json_list *rows, const char *shown,
			 const struct json *v)
{
	AUTO(buf_done) struct buf keys = { 0 }, servers = { 0 };
	const struct json *named = json_getz(v, "mcpServers");
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (!str_eqz(v->members[i].key, "hooks") &&
		    !str_eqz(v->members[i].key, "mcpServers"))
			add_name(&keys, n++, v->members[i].key);
	if (n)
		add(a, rows, "settings", shown, &keys);
	for (size_t i = 0; json_is(named, J_OBJ) && i < named->n; i++)
		add_name(&servers, i, named->members[i].key);
	if (servers.n)
		add(a, rows, "MCP servers", shown, &servers);
}

/* The names in a directory, those that begin with a dot left out. */
static void add_directory(struct arena *a, struct json_list *rows, const char *what,
			  const char *shown, const char *path)
{
	AUTO(buf_done) struct buf names = { 0 };
	char **list;
	size_t count, n = 0;

	if (fs_list(path, &list, &count, NULL) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (list[i][0] != '.')
			add_name(&names, n++, str_from(list[i]));
		free(list[i]);
	}
	free(list);
	if (n)
		add(a, rows, what, shown, &names);
}

/* Its servers start where Claude's files count. */
static void add_mcp_json(struct arena *a, struct json_list *rows, const struct tl_hooks *hooks)
{
	const struct settings_place *p = place_find(TL_TIER_PROJECT, "claude", PLACE_SERVERS);
	struct tl_settings set = TL_SETTINGS_INIT();
	AUTO(free) char *path = fs_join(tl_hooks_project_dir(hooks), p->path);

	tl_hooks_settings(hooks, &set);
	if (word_in_text(STR("claude"), set.sources))
		add_settings(a, rows, p->path, read_object(a, path));
}

const struct json *folder_brings(struct arena *a, const struct tl_hooks *hooks)
{
	static const struct {
		unsigned holds;
		const char *what;
	} kinds[] = {
		{ PLACE_POLICIES, "policies" },     { PLACE_SKILLS, "skills" },
		{ PLACE_AGENTS, "agents" },         { PLACE_COMMANDS, "commands" },
		{ PLACE_EXTENSIONS, "extensions" },
	};
	static const char *const files[][2] = {
		{ "context", "GEMINI.md" },
		{ "environment", ".gemini/.env" },
		{ "environment", ".env" },
	};
	const char *project = tl_hooks_project_dir(hooks);
	struct json_list rows = { 0 };

	for (const struct settings_place *p = NULL; (p = place_next(p, "gemini", ~0u));) {
		AUTO(free) char *path = fs_join(project, p->path);

		if (p->root != ROOT_PROJECT)
			continue;
		if (p->holds & PLACE_SETTINGS)
			add_settings(a, &rows, p->path, read_object(a, path));
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			if (p->holds & kinds[i].holds)
				add_directory(a, &rows, kinds[i].what, p->path, path);
	}
	add_mcp_json(a, &rows, hooks);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(free) char *path = fs_join(project, files[i][1]);

		if (fs_exists(path))
			add(a, &rows, files[i][0], files[i][1], &(struct buf){ 0 });
	}
	return json_list_take(a, &rows);
}

static const struct json *listed(struct arena *a, const struct tl_hooks *hooks)
{
	AUTO(free) char *path = fs_join(tl_hooks_home(hooks), ".gemini/trustedFolders.json");

	return read_object(a, path);
}

const struct json *folder_rules(struct arena *a, const struct tl_hooks *hooks)
{
	const struct json *list = listed(a, hooks);
	struct json_list rows = { 0 };

	for (size_t i = 0; i < list->n; i++)
		json_list_add(&rows, json_pack(a, "path:s rule:s", list->members[i].key,
					       json_str(&list->members[i].v, STR("?"))));
	return json_list_take(a, &rows);
}

bool folder_is_refused(const struct tl_hooks *hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *list = listed(&a, hooks);
	AUTO(free) char *real = fs_real(tl_hooks_project_dir(hooks));
	const char *env = getenv("GEMINI_CLI_TRUST_WORKSPACE");

	if (env && strcmp(env, "false") == 0)
		return true;
	return real && str_eqz(json_get_str(list, real), "DO_NOT_TRUST");
}
