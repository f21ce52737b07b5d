/*
 * hooks install --into AGENT --mcp: each entry of a server becomes one of `trotline mcp guard` that
 * starts the same server, and back again (docs/mcp-guard.md).
 */
#include "workbench/wrap_servers.h"

#include "base/path.h"
#include "os/fs.h"
#include "os/proc.h"
#include "settings/home.h"
#include "workbench/show.h"

#define PROGRAM "trotline"
/* Headers may hold keys: they are in the environment, not among the arguments. */
#define HEADER_VARIABLE "TROTLINE_HEADER_"

/* Where a program has its servers. */
struct app {
	const char *name, *title;
	const char *user, *project; /* below the home directory, the project; NULL = no such */
	const char *root; /* a JSON pointer */
	const char *url; /* the key of an address */
	bool only; /* it has no hooks of its own */
};

static const struct app apps[] = {
	{ "claude", "Claude Code", ".claude.json", ".mcp.json", "/mcpServers", "url", false },
	{ "claude-desktop", "Claude Desktop", ".config/Claude/claude_desktop_config.json", NULL,
	  "/mcpServers", "url", true },
	{ "cursor", "Cursor", ".cursor/mcp.json", ".cursor/mcp.json", "/mcpServers", "url", false },
	{ "vscode", "VS Code", ".config/Code/User/mcp.json", ".vscode/mcp.json", "/servers", "url",
	  false },
	{ "windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", NULL, "/mcpServers",
	  "serverUrl", false },
};

/* One program's file. */
struct job {
	const struct app *app;
	const char *program; /* trotline, where it is */
	const char *home; /* of the user whose file it is; NULL = a project's, for anybody */
	bool removing;
	const struct json *names; /* of the servers that were changed */
	struct arena *arena;
};

static const struct app *app_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(apps); i++)
		if (str_eqz(name, apps[i].name))
			return &apps[i];
	return NULL;
}

bool wrap_is_meant(const char *into)
{
	bool all = into && *into;

	for (struct str rest = str_from(into), word; all && str_split(&rest, ',', &word);) {
		const struct app *app = app_find(str_trim(word));

		all = app && app->only;
	}
	return all;
}

/* ---- entries ---- */

static struct str item(const struct json *list, size_t i)
{
	return json_str(json_at(list, i), STR(""));
}

static bool is_trotline(const struct json *server, const char *command)
{
	struct str program = json_get_str(server, "command");
	const struct json *args = json_getz(server, "args");

	return (str_eqz(program, PROGRAM) || str_ends(program, STR("/" PROGRAM))) &&
	       json_is(args, J_ARR) && str_eqz(item(args, 0), "mcp") &&
	       str_eqz(item(args, 1), command);
}

static const char *url_key(const struct json *server)
{
	static const char *const keys[] = { "url", "httpUrl", "serverUrl" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_is(json_getz(server, keys[i]), J_STR))
			return keys[i];
	return NULL;
}

static const struct json *add_text(struct arena *a, const struct json *list, struct str s)
{
	return json_append(a, list, json_new_str(a, s));
}

/* ["mcp", "guard", "--name", NAME, "--home", HOME, more] */
static const struct json *guard_args(const struct job *j, struct arena *a, struct str name,
				     const char *more)
{
	const struct json *args = add_text(a, NULL, STR("mcp"));

	args = add_text(a, args, STR("guard"));
	args = add_text(a, args, STR("--name"));
	args = add_text(a, args, name);
	if (j->home) {
		args = add_text(a, args, STR("--home"));
		args = add_text(a, args, str_from(j->home));
	}
	return add_text(a, args, str_from(more));
}

static struct str variable(struct arena *a, size_t i)
{
	return arena_printf(a, HEADER_VARIABLE "%zu", i + 1);
}

/* The whole entry: how it is reached is another way altogether. */
static const struct json *wrapped_url(const struct job *j, struct arena *a, struct str name,
				      const struct json *server)
{
	static const char *const other[] = { "url", "httpUrl", "serverUrl", "headers", "type" };
	const struct json *headers = json_getz(server, "headers"), *v = server;
	const struct json *args = guard_args(j, a, name, "--url"), *env = json_getz(server, "env");

	args = add_text(a, args, json_get_str(server, url_key(server)));
	for (size_t i = 0; json_is(headers, J_OBJ) && i < headers->n; i++) {
		struct str key = variable(a, i);

		args = add_text(a, args, STR("-H"));
		args = add_text(a, args,
				arena_printf(a, "%.*s: $%.*s", STR_ARG(headers->members[i].key),
					     STR_ARG(key)));
		env = json_set(a, env, key, &headers->members[i].v);
	}
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		v = json_without(a, v, str_from(other[i]));
	if (json_getz(server, "type"))
		v = json_set(a, v, STR("type"), json_new_str(a, STR("stdio")));
	v = json_set(a, v, STR("command"), json_new_str(a, str_from(j->program)));
	v = json_set(a, v, STR("args"), args);
	return json_is(env, J_OBJ) ? json_set(a, v, STR("env"), env) : v;
}

/* ---- what is noted, so that it can be taken back ---- */

/* Not that of the server: that is for servers that we have added. */
static struct str note_name(struct arena *a, struct str server)
{
	return arena_printf(a, "guard of %.*s", STR_ARG(server));
}

static ptrdiff_t noted_at(struct settings_change *c, struct str server)
{
	struct str name = note_name(&c->arena, server);

	for (size_t i = 0; json_is(c->receipt.servers, J_ARR) && i < c->receipt.servers->n; i++) {
		const struct json *noted = json_at(c->receipt.servers, i);

		if (json_getz(noted, "wrapped") && str_eq(json_get_str(noted, "name"), name))
			return (ptrdiff_t)i;
	}
	return -1;
}

/* ---- editing ---- */

static int wrap(struct settings_change *c, const struct job *j, struct str path, struct str name,
		const struct json *server, struct err *err)
{
	const struct json *had = json_getz(server, "args"), *args;
	bool program = json_is(json_getz(server, "command"), J_STR);
	struct arena *a = &c->arena;
	int r;

	if (noted_at(c, name) < 0) {
		const struct json *headers = json_getz(server, "headers"), *kept = json_new_obj(a);
		const struct json *memory = server;

		/* The entry as it was, but for the values of headers, which stay in the file. */
		for (size_t i = 0; json_is(headers, J_OBJ) && i < headers->n; i++)
			kept = json_set(a, kept, headers->members[i].key, json_new_null(a));
		if (program)
			memory = json_new_bool(a, had != NULL);
		else if (json_is(headers, J_OBJ))
			memory = json_set(a, server, STR("headers"), kept);
		c->receipt.servers =
			list_add(a, c->receipt.servers,
				 json_pack(a, "name:s wrapped:j", note_name(a, name), memory));
	}
	if (!program)
		return json_edit_set(&c->e, path, wrapped_url(j, a, name, server), err);
	args = add_text(a, guard_args(j, a, name, "--"), json_get_str(server, "command"));
	for (size_t i = 0; json_is(had, J_ARR) && i < had->n; i++)
		args = json_append(a, args, json_at(had, i));
	r = json_edit_set(&c->e, pointer_join(a, path, STR("args")), args, err);
	return r < 0 ? r
		     : json_edit_set(&c->e, pointer_join(a, path, STR("command")),
				     json_new_str(a, str_from(j->program)), err);
}

/* Where the server's own words begin among the arguments; 0 = somebody has changed them. */
static size_t own_words(const struct json *args, const char *before)
{
	for (size_t i = 2; i < args->n; i++)
		if (str_eqz(item(args, i), before))
			return i + 1;
	return 0;
}

/* Nothing was noted: what the guard has not put in is the server's own. */
static const struct json *without_guard(struct arena *a, const struct app *app,
					const struct json *server, const struct json *url,
					size_t nheaders)
{
	static const char *const ours[] = { "command", "args", "type", "env" };
	const struct json *v = json_set(a, NULL, str_from(app->url), url),
			  *env = json_getz(server, "env");
	const struct json *rest = server;

	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		rest = json_without(a, rest, str_from(ours[i]));
	for (size_t i = 0; json_is(env, J_OBJ) && i < nheaders; i++)
		env = json_without(a, env, variable(a, i));
	v = json_overlay(a, v, rest);
	return json_is(env, J_OBJ) && env->n ? json_set(a, v, STR("env"), env) : v;
}

static const struct json *unwrapped_url(struct arena *a, const struct app *app,
					const struct json *server, const struct json *memory)
{
	const struct json *args = json_getz(server, "args"), *env = json_getz(server, "env");
	const struct json *headers = NULL, *v = json_is(memory, J_OBJ) ? memory : NULL;
	size_t at = own_words(args, "--url"), n = 0;

	for (size_t i = at + 1; i + 1 < args->n; i += 2) {
		struct str value = item(args, i + 1), name;
		const struct json *secret = json_get(env, variable(a, n));

		if (!str_eqz(item(args, i), "-H") || !str_split(&value, ':', &name))
			break;
		headers = json_set(a, headers, name,
				   secret ? secret : json_new_str(a, str_trim(value)));
		n++;
	}
	if (!v)
		v = without_guard(a, app, server, json_at(args, at), n);
	return headers ? json_set(a, v, STR("headers"), headers) : v;
}

static int unwrap(struct settings_change *c, const struct app *app, struct str path,
		  struct str name, const struct json *server, struct err *err)
{
	const struct json *args = json_getz(server, "args"), *memory = NULL;
	ptrdiff_t at = noted_at(c, name);
	size_t words = own_words(args, "--"), url = own_words(args, "--url");

	if ((!words || words >= args->n) && (!url || url >= args->n))
		return err_set(err, E_CONFIG,
			       "the server \"%.*s\" was changed since the guard was put in front "
			       "of it; mend it by hand",
			       STR_ARG(name));
	if (at >= 0) {
		memory = json_getz(json_at(c->receipt.servers, (size_t)at), "wrapped");
		c->receipt.servers = list_drop(&c->arena, c->receipt.servers, (size_t)at);
	}
	if (words && words < args->n) {
		struct arena *a = &c->arena;
		struct str args_path = pointer_join(a, path, STR("args"));
		const struct json *rest = json_new_arr(a, NULL, 0);
		int r;

		for (size_t i = words + 1; i < args->n; i++)
			rest = json_append(a, rest, json_at(args, i));
		r = rest->n || json_is_true(memory) ? json_edit_set(&c->e, args_path, rest, err)
						    : json_edit_remove(&c->e, args_path, err);
		return r < 0 ? r
			     : json_edit_set(&c->e, pointer_join(a, path, STR("command")),
					     json_at(args, words), err);
	}
	return json_edit_set(&c->e, path, unwrapped_url(&c->arena, app, server, memory), err);
}

static int edit(struct settings_change *c, void *data, struct err *err)
{
	struct job *j = data;
	struct arena *a = &c->arena;
	const struct json *servers =
		json_dup(a, json_pointer(c->e.doc, str_from(j->app->root))
				    ? json_pointer(c->e.doc, str_from(j->app->root))
				    : json_new_obj(a));

	j->names = json_new_arr(j->arena, NULL, 0);
	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		struct str name = servers->members[i].key;
		const struct json *server = &servers->members[i].v;
		struct str path = pointer_join(a, str_from(j->app->root), name);
		bool guarded = is_trotline(server, "guard");
		bool known = json_is(json_getz(server, "command"), J_STR) || url_key(server);
		int r;

		if (guarded != j->removing || !known || is_trotline(server, "serve"))
			continue;
		r = j->removing ? unwrap(c, j->app, path, name, server, err)
				: wrap(c, j, path, name, server, err);
		if (r < 0)
			return r;
		j->names = add_text(j->arena, j->names, arena_str(j->arena, name));
	}
	return 0;
}

/* ---- the command ---- */

static void show(struct wb *wb, const struct job *j, const struct settings_change *c)
{
	struct sheet *p = &wb->sheet;

	if (c->diff.n) {
		sheet_text(p, PLAIN, buf_z(&((struct settings_change *)c)->diff), 0);
		return;
	}
	sheet_f(p, PLAIN, "%s: %s", j->app->title,
		!j->names->n  ? "no server to change in "
		: j->removing ? "the guard is gone from "
			      : "the guard is in front of ");
	for (size_t i = 0; i < j->names->n; i++)
		sheet_f(p, BOLD, "%s%.*s", i ? ", " : "", STR_ARG(item(j->names, i)));
	if (j->names->n)
		sheet_f(p, PLAIN, " in ");
	sheet_text(p, PLAIN, c->path, 0);
}

static int change(struct wb *wb, struct job *j, const struct settings_roots *roots, bool user,
		  bool dry_run, const struct json **list)
{
	AUTO(free)
	char *path = user ? home_file(roots->home, (const char *const *)environ, j->app->user)
			  : fs_join(roots->project, j->app->project);
	AUTO(settings_unlock) int lock = -1;
	AUTO(settings_change_done)
	struct settings_change c = { .path = path,
				     .project = user ? NULL : roots->project,
				     .home = roots->home,
				     .dry_run = dry_run };
	struct err err;

	lock = settings_lock(roots->home, &err);
	if (lock < 0 || settings_apply(&c, edit, j, &err) < 0)
		return settings_failed(wb, &err);
	*list = json_append(&wb->arena, *list,
			    json_pack(&wb->arena, "agent:z status:z file:z scope:z servers:j",
				      j->app->name,
				      !j->names->n  ? "unchanged"
				      : j->removing ? "removed"
						    : "installed",
				      arena_z(&wb->arena, str_from(path)),
				      user ? "user" : "project", j->names));
	show(wb, j, &c);
	return EXIT_OK;
}

int wb_wrap_servers(struct wb *wb, const struct settings_args *args, bool removing)
{
	AUTO(settings_roots_done) struct settings_roots roots = { 0 };
	AUTO(free) char *program = fs_real(OWN_PROGRAM);
	AUTO(buf_done) struct buf names = { 0 };
	const struct json *list = json_new_arr(&wb->arena, NULL, 0);
	bool user;
	int status;

	if (!args->into)
		return wb_fail(wb, EXIT_USAGE, "whose servers? --into claude-desktop,vscode");
	status = settings_roots_of_agents(wb, args, &roots, &user);
	if (status != EXIT_OK)
		return status;
	for (struct str rest = str_from(args->into), word; str_split(&rest, ',', &word);) {
		struct job j = { .app = app_find(str_trim(word)),
				 .program = program ? program : PROGRAM,
				 .home = user ? roots.home : NULL,
				 .removing = removing,
				 .arena = &wb->arena };

		for (size_t i = 0; !j.app && i < ARRAY_LEN(apps); i++)
			buf_addf(&names, "%s%s", i ? ", " : "", apps[i].name);
		if (!j.app)
			return wb_fail(
				wb, EXIT_USAGE,
				"the guard cannot be put in front of the servers of "
				"\"%.*s\"%s; it knows the files of %s. docs/mcp-guard.md shows "
				"what to write",
				STR_ARG(str_trim(word)),
				meant_among(str_trim(word), buf_z(&names)).text, buf_z(&names));
		if (!(user ? j.app->user : j.app->project))
			return wb_fail(wb, EXIT_USAGE, "%s has no such file for a project",
				       j.app->title);
		status = change(wb, &j, &roots, user, args->dry_run, &list);
		wb->value = list;
		if (status != EXIT_OK)
			return status;
	}
	wb->value = list;
	return EXIT_OK;
}
