/* trotline extensions: the table of its commands; list, enable, disable, config. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/extensions/extension_brings.h"
#include "cli/extensions/extensions.h"
#include "os/fs.h"

/* ---- list ---- */

struct list_args {
	const char *format, *dir;
	bool json;
};

static const struct opt list_rows[] = {
	{ "output-format", 'o', "FORMAT", OPT_STR, offsetof(struct list_args, format),
	  "text (the default) or json" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct list_args, dir),
	  "work in this directory instead of the current one" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct list_args, json), "print JSON" },
};
static const struct opt_set list_set = OPT_SET(list_rows, struct list_args);

/* The value outlives what is installed. */
static const struct json *kept(struct arena *a, const struct json *v)
{
	return v ? json_dup(a, v) : NULL;
}

static const struct json *extension_value(struct ext *x, const struct extension *e,
					  const struct brings *b)
{
	struct arena *a = &x->wb->arena;
	struct extension alone = *e;
	const struct extensions one = { .p = &alone, .n = 1 };
	/* Values of settings are not shown here. */
	const struct json *manifest = e->written, *counts;
	struct json_list files = { 0 };

	alone.chosen = true;
	alone.untrusted = false;
	for (const char *const *f = extensions_context_files(a, &one); *f; f++)
		json_list_add(&files, json_pack_str(a, *f));
	counts = json_pack(a, "hooks:n mcpServers:n skills:n commands:n",
			   brings_count(b, BRING_HOOK), brings_count(b, BRING_SERVER),
			   brings_count(b, BRING_SKILL), brings_count(b, BRING_COMMAND));
	return json_pack(a,
			 "name:z version:z ?description:z path:z contextFiles:j ?installMetadata:j "
			 "?mcpServers:j ?excludeTools:j isActive:b enabledUser:b "
			 "enabledWorkspace:b counts:j ?problem:z",
			 e->name, e->version, e->description, e->root, json_list_take(a, &files),
			 kept(a, e->install), kept(a, json_getz(manifest, "mcpServers")),
			 kept(a, json_getz(manifest, "excludeTools")), extension_is_active(e),
			 enablement_says(x, e->name, x->roots.home), e->enabled, counts,
			 e->problem);
}

static void show_one(struct ext *x, const struct extension *e, const struct brings *b)
{
	static const struct {
		enum bring_kind kind;
		const char *word;
	} told[] = {
		{ BRING_HOOK, "hook" },
		{ BRING_SERVER, "MCP server" },
		{ BRING_CONTEXT, "context file" },
		{ BRING_SKILL, "skill" },
		{ BRING_AGENT, "agent" },
		{ BRING_COMMAND, "command" },
		{ BRING_EXCLUDED, "excluded tool" },
		{ BRING_POLICY, "policy file" },
	};
	struct sheet *p = &x->wb->sheet;
	struct arena *a = &x->wb->arena;
	AUTO(buf_done) struct buf counts = { 0 };
	struct str from = json_get_str(e->install, "source");
	bool active = extension_is_active(e);

	sheet_text(p,
		   e->problem ? RED
		   : active   ? BOLD
			      : DIM,
		   arena_printf(a, "%s %s [%s]", e->name, *e->version ? e->version : "?",
				e->problem     ? "broken"
				: e->untrusted ? "untrusted"
				: active       ? "enabled"
					       : "disabled")
			   .p,
		   0);
	if (*e->description)
		sheet_text(p, PLAIN, e->description, 4);
	if (from.n)
		sheet_text(p, PLAIN,
			   arena_printf(a, "from %.*s (%.*s)", STR_ARG(from),
					STR_ARG(json_get_str(e->install, "type")))
				   .p,
			   4);
	sheet_text(p, PLAIN, e->root, 4);
	if (e->problem) {
		sheet_text(p, RED, e->problem, 4);
		return;
	}
	if (e->enabled != enablement_says(x, e->name, x->roots.home))
		sheet_f(p, PLAIN, "    %s in the user's scope\n",
			e->enabled ? "disabled" : "enabled");
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		size_t n = brings_count(b, told[i].kind);

		if (n)
			buf_addf(&counts, "%s%zu %s%s", counts.n ? ", " : "", n, told[i].word,
				 plural(n));
	}
	sheet_f(p, PLAIN, "    %s\n", counts.n ? buf_z(&counts) : "brings nothing");
	if (e->in_project)
		sheet_f(p, YELLOW, "    is in this project; used only if the project is trusted\n");
	if (settings_missing(e))
		sheet_f(p, YELLOW, "    %zu of its settings without a value\n",
			settings_missing(e));
}

static int cmd_list_them(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct list_args *args = args_;
	AUTO(ext_done) struct ext x = { 0 };
	struct json_list rows = { 0 };
	bool json = args->format && strcmp(args->format, "json") == 0;
	int status;

	(void)n, (void)rest;
	if (args->format && !json && strcmp(args->format, "text") != 0)
		return wb_fail_word(wb, "--output-format", "text or json", args->format);
	wb->json |= json;
	wb->text &= !wb->json;
	status = ext_open(&x, wb, args->dir);
	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; i < x.all->n; i++) {
		AUTO(brings_done) struct brings b = { 0 };
		const struct extension *e = &x.all->p[i];

		brings_read(&x.arena, e, e->dir, x.roots.project, &b);
		show_one(&x, e, &b);
		json_list_add(&rows, extension_value(&x, e, &b));
	}
	if (!x.all->n)
		sheet_f(&wb->sheet, PLAIN, "No extensions are installed.\n");
	wb->value = json_list_take(&wb->arena, &rows);
	return EXIT_OK;
}

/* ---- enable, disable ---- */

struct scope_args {
	const char *scope, *dir;
};

static const struct opt scope_rows[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct scope_args, scope),
	  "user (all projects in the home directory) or workspace (this project)" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct scope_args, dir),
	  "work in this directory instead of the current one" },
};
static const struct opt_set scope_set = OPT_SET(scope_rows, struct scope_args);

enum scope { SCOPE_USER, SCOPE_WORKSPACE, SCOPE_BOTH };

static int scope_of(struct wb *wb, const char *word, enum scope dflt, enum scope *ret_scope)
{
	bool user = false;
	int status = wb_scope(wb, word, &user);

	if (status == EXIT_OK)
		*ret_scope = !word ? dflt : user ? SCOPE_USER : SCOPE_WORKSPACE;
	return status;
}

static int switch_locked(struct ext *x, const char *name, enum scope scope, bool on,
			 struct err *err)
{
	AUTO(settings_unlock) int lock = settings_lock(x->roots.home, err);
	int r = lock < 0 ? lock : 0;

	if (r == 0 && scope != SCOPE_WORKSPACE)
		r = enablement_change(x, name, x->roots.home, on, err);
	/* All scopes: also here, where a rule of the project may say something else. */
	if (r == 0 && (scope == SCOPE_WORKSPACE ||
		       (scope == SCOPE_BOTH && enablement_says(x, name, x->roots.project) != on)))
		r = enablement_change(x, name, x->roots.project, on, err);
	return r;
}

static int switch_it(struct wb *wb, const struct scope_args *args, const char *name, bool on)
{
	AUTO(ext_done) struct ext x = { 0 };
	const char *word = on ? "enabled" : "disabled";
	const struct extension *e;
	enum scope scope;
	struct err err;
	int status = scope_of(wb, args->scope, on ? SCOPE_BOTH : SCOPE_USER, &scope);

	status = status != EXIT_OK ? status : ext_open(&x, wb, args->dir);
	if (status != EXIT_OK)
		return status;
	e = ext_find(&x, name);
	if (!e)
		return ext_unknown(&x, name);
	if (switch_locked(&x, e->name, scope, on, &err) < 0)
		return ext_failed(&x, &err);
	AUTO(free) char *line = xasprintf("Extension \"%s\" is %s %s%s.", e->name, word,
					  scope == SCOPE_WORKSPACE ? "in "
					  : scope == SCOPE_BOTH    ? "for the user and here"
								   : "for the user",
					  scope == SCOPE_WORKSPACE ? x.roots.project : "");
	sheet_text(&wb->sheet, PLAIN, line, 0);
	if (enablement_says(&x, e->name, x.roots.project) != on)
		wb_complain(wb, "in %s it is still %s: --scope workspace", x.roots.project,
			    on ? "disabled" : "enabled");
	return EXIT_OK;
}

static int cmd_enable_it(struct wb *wb, const void *args, int n, char **rest)
{
	(void)n;
	return switch_it(wb, args, rest[0], true);
}

static int cmd_disable_it(struct wb *wb, const void *args, int n, char **rest)
{
	(void)n;
	return switch_it(wb, args, rest[0], false);
}

/* ---- install, link, uninstall, update ---- */

static const struct opt install_rows[] = {
	{ "ref", 0, "REF", OPT_STR, offsetof(struct install_args, ref),
	  "the branch, tag or commit of a repository" },
	{ "auto-update", 0, NULL, OPT_FLAG, offsetof(struct install_args, auto_update),
	  "note that Gemini CLI may update it by itself; trotline never does" },
	{ "pre-release", 0, NULL, OPT_FLAG, offsetof(struct install_args, pre_release),
	  "note that Gemini CLI may take pre-releases" },
	{ "consent", 0, NULL, OPT_FLAG, offsetof(struct install_args, consent),
	  "agree to what it brings without being asked" },
	{ "skip-settings", 0, NULL, OPT_FLAG, offsetof(struct install_args, skip_settings),
	  "do not ask for its settings" },
};
static const struct opt_set install_set = OPT_SET(install_rows, struct install_args);

static int cmd_install_one(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(ext_done) struct ext x = { 0 };
	int status = ext_open(&x, wb, NULL);

	return status == EXIT_OK ? ext_install(&x, rest[0], n > 1 ? rest[1] : NULL, args) : status;
}

static const struct opt link_rows[] = {
	{ "consent", 0, NULL, OPT_FLAG, offsetof(struct install_args, consent),
	  "agree to what it brings without being asked" },
};
static const struct opt_set link_set = OPT_SET(link_rows, struct install_args);

static int cmd_link_one(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct install_args *args = args_;
	AUTO(ext_done) struct ext x = { 0 };
	int status = ext_open(&x, wb, NULL);

	return status == EXIT_OK ? ext_link(&x, rest[0], n > 1 ? rest[1] : NULL, args->consent)
				 : status;
}

struct all_args {
	bool all, consent;
};

static const struct opt uninstall_rows[] = {
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct all_args, all), "remove all of them" },
};
static const struct opt_set uninstall_set = OPT_SET(uninstall_rows, struct all_args);
static const struct opt update_rows[] = {
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct all_args, all), "update all of them" },
	{ "consent", 0, NULL, OPT_FLAG, offsetof(struct all_args, consent),
	  "agree to changed hooks and servers without being asked" },
};
static const struct opt_set update_set = OPT_SET(update_rows, struct all_args);

static int check_names(struct wb *wb, const struct all_args *args, int n, const char *verb)
{
	if ((n > 0) != args->all)
		return EXIT_OK;
	return args->all ? wb_fail(wb, EXIT_USAGE, "--all goes without names")
			 : wb_fail(wb, EXIT_USAGE,
				   "which one?  trotline extensions %s NAME, or --all", verb);
}

static int each(struct ext *x, const struct all_args *args, int n, char **rest,
		int (*fn)(struct ext *x, const struct extension *e, const struct all_args *args))
{
	const struct extensions *all = x->all;
	int worst = EXIT_OK;

	for (int i = 0; i < n; i++) {
		const struct extension *e = ext_find(x, rest[i]);
		int status = e ? fn(x, e, args) : ext_unknown(x, rest[i]);

		worst = status != EXIT_OK ? status : worst;
		ext_read(x);
	}
	for (size_t i = 0; args->all && i < all->n; i++) {
		int status = fn(x, &all->p[i], args);

		worst = status != EXIT_OK ? status : worst;
	}
	if (args->all && !all->n)
		sheet_f(&x->wb->sheet, PLAIN, "No extensions are installed.\n");
	return worst;
}

static int uninstall_one(struct ext *x, const struct extension *e, const struct all_args *args)
{
	(void)args;
	return ext_uninstall(x, e);
}

static int update_one(struct ext *x, const struct extension *e, const struct all_args *args)
{
	return ext_update(x, e, args->consent);
}

static int cmd_uninstall_some(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(ext_done) struct ext x = { 0 };
	int status = check_names(wb, args, n, "uninstall");

	status = status == EXIT_OK ? ext_open(&x, wb, NULL) : status;
	return status == EXIT_OK ? each(&x, args, n, rest, uninstall_one) : status;
}

static int cmd_update_some(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(ext_done) struct ext x = { 0 };
	int status = check_names(wb, args, n, "update");

	status = status == EXIT_OK ? ext_open(&x, wb, NULL) : status;
	return status == EXIT_OK ? each(&x, args, n, rest, update_one) : status;
}

/* ---- config ---- */

static const struct opt config_rows[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct scope_args, scope),
	  "user (the default), or workspace: what counts in this project alone" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct scope_args, dir),
	  "work in this directory instead of the current one" },
};
static const struct opt_set config_set = OPT_SET(config_rows, struct scope_args);

static int configure(struct ext *x, const struct extension *e, struct settings_wanted wanted)
{
	const struct json *all = json_getz(e->manifest, "settings");
	struct err err;

	if (e->problem)
		return wb_fail(x->wb, EXIT_USAGE, "%s", e->problem);
	if (!json_is(all, J_ARR) || !all->n) {
		sheet_f(&x->wb->sheet, PLAIN, "\"%s\" has no settings.\n", e->name);
		return EXIT_OK;
	}
	wanted.dir = wanted.dir ? wanted.dir : e->root;
	return settings_ask(x->wb, e, &wanted, &err) < 0 ? ext_failed(x, &err) : EXIT_OK;
}

/* The workspace's: the project's .env, as release 0.61.0 has it. */
static int open_workspace(struct ext *x, const char *dir, struct settings_wanted *wanted)
{
	struct tl_hooks *hooks;
	int status = wb_load(x->wb, &(struct load_args){ .dir = dir }, WB_QUIET, &hooks);

	if (status != EXIT_OK)
		return status;
	if (strcmp(x->roots.project, x->roots.home) == 0) {
		status = wb_fail(x->wb, EXIT_USAGE,
				 "the home directory is not a project: --scope user");
	} else if (!tl_hooks_folder_trusted(hooks)) {
		status =
			wb_fail(x->wb, EXIT_USAGE,
				"this folder is not trusted: its .env is ignored; \"trotline hooks "
				"trust\" trusts it");
	}
	tl_hooks_unref(hooks);
	wanted->dir = x->roots.project;
	wanted->project = true;
	x->options.project_env = true;
	ext_read(x);
	return status;
}

static int cmd_config(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct scope_args *args = args_;
	AUTO(ext_done) struct ext x = { 0 };
	struct settings_wanted wanted = { .again = true, .only = n > 1 ? rest[1] : NULL };
	const struct extension *e;
	enum scope scope;
	int status = scope_of(wb, args->scope, SCOPE_USER, &scope);

	status = status == EXIT_OK ? ext_open(&x, wb, args->dir) : status;
	if (status == EXIT_OK && scope == SCOPE_WORKSPACE)
		status = open_workspace(&x, args->dir, &wanted);
	if (status != EXIT_OK)
		return status;
	if (n == 0) {
		bool some = false;

		for (size_t i = 0; i < x.all->n && status == EXIT_OK; i++)
			if (settings_missing(&x.all->p[i])) {
				sheet_text(&x.wb->sheet, BOLD, x.all->p[i].name, 0);
				status = configure(&x, &x.all->p[i], wanted);
				some = true;
			}
		if (!some)
			sheet_f(&x.wb->sheet, PLAIN,
				"No extension has a setting without a value.\n");
		return status;
	}
	e = ext_find(&x, rest[0]);
	return e ? configure(&x, e, wanted) : ext_unknown(&x, rest[0]);
}

static const struct opt validate_rows[] = {
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct validate_args, json), "print JSON" },
};
static const struct opt_set validate_set = OPT_SET(validate_rows, struct validate_args);

/* ---- the table ---- */

const struct command extensions_commands[] = {
	{ .name = "install",
	  .args = "SOURCE [PLUGIN]",
	  .summary = "copy an extension or plugin from a directory or a repository",
	  .text = "SOURCE is a directory, or what git clones: https://, ssh://, git@HOST:PATH, "
		  "file://.\n"
		  "It holds an extension of Gemini CLI, a plugin of Claude Code, or a marketplace "
		  "of which\nPLUGIN is one; PLUGIN@SOURCE is the same.\n"
		  "What it brings is shown first; without a \"y\" nothing is installed.\n"
		  "\n"
		  "  trotline extensions install ./my-extension\n"
		  "  trotline extensions install https://example.com/team/guards.git --ref v2\n"
		  "  trotline extensions install ./marketplace formatter\n",
	  .opts = &install_set,
	  .min_args = 1,
	  .max_args = 2,
	  .work = cmd_install_one },
	{ .name = "uninstall",
	  .args = "NAME...",
	  .summary = "remove extensions",
	  .text = "Of a linked one only the link is removed.\n",
	  .opts = &uninstall_set,
	  .max_args = -1,
	  .work = cmd_uninstall_some },
	{ .name = "list",
	  .summary = "show what is installed and whether it is enabled here",
	  .opts = &list_set,
	  .work = cmd_list_them },
	{ .name = "update",
	  .args = "[NAME]",
	  .summary = "bring extensions up to date",
	  .text = "They are fetched from where they were installed from.  What would change of "
		  "hooks, MCP\n"
		  "servers, scripts, policies and excluded tools is shown and asked for first.\n",
	  .opts = &update_set,
	  .max_args = 1,
	  .work = cmd_update_some },
	{ .name = "disable",
	  .args = "NAME",
	  .summary = "switch an extension off (for the user, unless --scope says otherwise)",
	  .opts = &scope_set,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_disable_it },
	{ .name = "enable",
	  .args = "NAME",
	  .summary = "switch an extension on (for the user and here, unless --scope is given)",
	  .opts = &scope_set,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_enable_it },
	{ .name = "link",
	  .args = "PATH [PLUGIN]",
	  .summary = "use an extension or plugin in the directory where it is written",
	  .opts = &link_set,
	  .min_args = 1,
	  .max_args = 2,
	  .work = cmd_link_one },
	{ .name = "new",
	  .args = "PATH [TEMPLATE]",
	  .summary = "make a small extension to begin with",
	  .text = "TEMPLATE is hooks, mcp-server, skills, custom-commands or exclude-tools; "
		  "without\none only the manifest is written.  The extension has the directory's "
		  "name.\n"
		  "\n"
		  "  trotline extensions new ./my-guards hooks\n"
		  "  trotline extensions validate ./my-guards\n"
		  "  trotline extensions link ./my-guards\n",
	  .min_args = 1,
	  .max_args = 2,
	  .work = cmd_extension_new },
	{ .name = "validate",
	  .args = "PATH",
	  .summary = "check an extension before it is published",
	  .opts = &validate_set,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_extension_validate },
	{ .name = "config",
	  .args = "[NAME [SETTING]]",
	  .summary = "set values of an extension's settings",
	  .text = "Without NAME it asks for each setting of any extension that has no value yet.  A "
		  "setting is named\n"
		  "by its name or its variable.  Values are kept in .env in the extension's "
		  "directory, readable\n"
		  "only by you; Gemini CLI looks for sensitive ones in the system's keyring.\n"
		  "With --scope workspace they are kept in the project's .env, and used if the project "
		  "is trusted.\n",
	  .opts = &config_set,
	  .max_args = 2,
	  .work = cmd_config },
};
const size_t extensions_commands_n = ARRAY_LEN(extensions_commands);
