#include "workbench/folder.h"

#include "base/path.h"
#include "base/utf8.h"
#include "hooks/config.h"
#include "os/fs.h"
#include "secrets/secrets.h"

enum { LIST_MAX_BYTES = 8 << 20, NAMES_MAX = 200, ONE_MAX_CHARS = 80 };

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

static void add_name(struct arena *a, struct buf *names, size_t n, struct str name)
{
	struct str shown = utf8_without_middle(a, name, ONE_MAX_CHARS / 2, ONE_MAX_CHARS);

	if (n < NAMES_MAX)
		buf_addf(names, "%s%.*s", n ? ", " : "", STR_ARG(shown));
	else if (n == NAMES_MAX)
		buf_addz(names, ", ...");
}

static void add_servers(struct arena *a, struct json_list *rows, const char *shown,
			const struct json *named)
{
	static const char *const addresses[] = { "url", "httpUrl", "serverUrl", "tcp" };
	AUTO(buf_done) struct buf all = { 0 };

	for (size_t i = 0; json_is(named, J_OBJ) && i < named->n; i++) {
		const struct json *server = &named->members[i].v, *args = json_getz(server, "args");
		AUTO(buf_done) struct buf started = { 0 };

		buf_adds(&started, json_get_str(server, "command"));
		for (size_t k = 0; json_is(args, J_ARR) && k < args->n; k++)
			buf_addf(&started, " %.*s", STR_ARG(json_str(json_at(args, k), STR("?"))));
		for (size_t k = 0; !started.n && k < ARRAY_LEN(addresses); k++)
			buf_adds(&started, json_get_str(server, addresses[k]));
		add_name(a, &all, i,
			 started.n ? arena_printf(a, "%.*s (%s)", STR_ARG(named->members[i].key),
						  buf_z(&started))
				   : named->members[i].key);
	}
	if (all.n)
		add(a, rows, "MCP servers", shown, &all);
}

/* Without what looks like a secret: it is not needed to decide. */
static void add_variables(struct arena *a, struct json_list *rows, const char *shown,
			  const struct json *vars)
{
	AUTO(buf_done) struct buf all = { 0 };

	for (size_t i = 0; json_is(vars, J_OBJ) && i < vars->n; i++) {
		const struct json_member *m = &vars->members[i];
		struct str value = json_is(&m->v, J_STR) ? json_str(&m->v, STR(""))
							 : json_text(a, &m->v, JSON_COMPACT);
		AUTO(buf_done) struct buf clean = { 0 };

		(void)secrets_redact(&clean,
				     arena_printf(a, "%.*s=%.*s", STR_ARG(m->key), STR_ARG(value)),
				     SECRETS_DOUBT);
		add_name(a, &all, i, buf_str(&clean));
	}
	if (all.n)
		add(a, rows, "variables", shown, &all);
}

/* A file's keys; hooks are shown one by one, variables and servers in rows of their own. */
static void add_source(struct arena *a, struct json_list *rows, const struct tl_hooks *hooks,
		       const struct source *s)
{
	const char *shown = short_path(hooks, s->path, a), *env = s->dialect->env_key;
	bool servers = s->dialect->id == DIALECT_GEMINI;
	AUTO(buf_done) struct buf keys = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < s->doc->n; i++) {
		struct str key = s->doc->members[i].key;

		if (!str_eqz(key, "hooks") && !(servers && str_eqz(key, "mcpServers")) &&
		    !(env && str_eqz(key, env)))
			add_name(a, &keys, n++, key);
	}
	if (n)
		add(a, rows, "settings", shown, &keys);
	if (env)
		add_variables(a, rows, shown, json_getz(s->doc, env));
	if (servers)
		add_servers(a, rows, shown, json_getz(s->doc, "mcpServers"));
}

/* The names in a directory, those that begin with a dot left out. */
static void add_directory(struct arena *a, struct json_list *rows, const char *what,
			  const char *shown, const char *path)
{
	AUTO(buf_done) struct buf names = { 0 };
	AUTO(fs_names_done) struct fs_names list = { 0 };
	size_t n = 0;

	if (fs_list(path, &list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (list.p[i][0] != '.')
			add_name(a, &names, n++, str_from(list.p[i]));
	if (n)
		add(a, rows, what, shown, &names);
}

static void add_file(struct arena *a, struct json_list *rows, const struct tl_hooks *hooks,
		     const char *what, const char *path)
{
	if (fs_exists(path))
		add(a, rows, what, short_path(hooks, path, a), &(struct buf){ 0 });
}

/* The files of one directory that the model is given at the start, by the names of all settings. */
static void add_context(struct arena *a, struct json_list *rows, const struct tl_hooks *hooks,
			const char *dir)
{
	bool said = false;

	for (size_t i = 0; i < hooks->sources.n; i++) {
		const struct json *v =
			json_pointer(hooks->sources.p[i].doc, STR("/context/fileName"));
		size_t n = json_is(v, J_ARR) ? v->n : v ? 1 : 0;

		for (size_t k = 0; k < n; k++) {
			struct str name = json_str(json_is(v, J_ARR) ? json_at(v, k) : v, STR(""));
			AUTO(free) char *path = fs_join(dir, arena_z(a, name));

			said = true;
			if (name.n)
				add_file(a, rows, hooks, "context", path);
		}
	}
	AUTO(free) char *usual = fs_join(dir, "GEMINI.md");
	if (!said)
		add_file(a, rows, hooks, "context", usual);
}

/* Files of the directories from the current one up to the project. */
static void add_files_on_the_way(struct arena *a, struct json_list *rows,
				 const struct tl_hooks *hooks)
{
	static const char *const env[] = { ".gemini/.env", ".env" };
	const char *project = tl_hooks_project_dir(hooks);
	AUTO(free) char *dir =
		xstrdup(path_below(project, hooks->dirs.cwd) ? hooks->dirs.cwd : project);
	bool read = false;

	while (path_below(project, dir)) {
		add_context(a, rows, hooks, dir);
		for (size_t i = 0; !read && i < ARRAY_LEN(env); i++) {
			AUTO(free) char *path = fs_join(dir, env[i]);

			read = fs_exists(path);
			add_file(a, rows, hooks, "environment", path);
		}
		if (strcmp(dir, project) == 0)
			break;
		*strrchr(dir, '/') = '\0';
	}
}

const struct json *folder_brings(struct arena *a, const struct tl_hooks *hooks)
{
	static const struct {
		unsigned holds;
		const char *what;
	} kinds[] = {
		{ PLACE_POLICIES, "policies" },
		{ PLACE_SKILLS, "skills" },
		{ PLACE_AGENTS, "agents" },
		{ PLACE_COMMANDS, "commands" },
	};
	const struct settings_place *servers = place_find(TL_TIER_PROJECT, "claude", PLACE_SERVERS);
	AUTO(free) char *mcp_json = fs_join(tl_hooks_project_dir(hooks), servers->path);
	struct json_list rows = { 0 };

	for (size_t i = 0; i < hooks->sources.n; i++) {
		const struct source *s = &hooks->sources.p[i];

		if (tiers[s->tier].foreign && !s->agent && !s->skill)
			add_source(a, &rows, hooks, s);
	}
	/* The servers of .mcp.json start where Claude's files count. */
	if (hooks->wanted_once_trusted & 1u << DIALECT_CLAUDE)
		add_servers(a, &rows, servers->path,
			    json_getz(read_object(a, mcp_json), "mcpServers"));
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (const struct settings_place *p = NULL;
		     (p = place_next(p, NULL, kinds[i].holds));) {
			AUTO(free) char *path = fs_join(tl_hooks_project_dir(hooks), p->path);

			if (p->root == ROOT_PROJECT)
				add_directory(a, &rows, kinds[i].what, p->path, path);
		}
	add_files_on_the_way(a, &rows, hooks);
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
