/* trotline hooks lint: everything that is wrong or suspicious in the configuration. */
#include <unistd.h>

#include "agent/catalog/hook_sources.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/words.h"
#include "os/fs.h"
#include "settings/read.h"
#include "workbench/commands.h"
#include "workbench/lint.h"

struct lint_args {
	struct load_args load;
	const char *dialect;
	bool strict;
};

static const struct opt opts[] = {
	{ "strict", 's', NULL, OPT_FLAG, offsetof(struct lint_args, strict),
	  "also exit with 1 for warnings" },
	{ "dialect", 'd', "NAME", OPT_STR, offsetof(struct lint_args, dialect),
	  "what the given files are written in: " DIALECT_NAMES },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct lint_args, load.dir),
	  "check the project of this directory instead of the current one" },
	{ "no-project-hooks", 0, NULL, OPT_FLAG, offsetof(struct lint_args, load.no_project),
	  "leave the project's hooks out" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct lint_args, load.json), "print JSON" },
};
const struct opt_set lint_opts = OPT_SET(opts, struct lint_args);

static size_t count(const struct lint *l, enum tl_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < l->found.n; i++)
		n += l->found.p[i].d.severity == severity;
	return n;
}

/* ---- the text of a file ---- */

/* "hooks_config", "Hooks": what the key is meant to be, or NULL. */
static const char *meant(struct str key)
{
	static const char *const right[] = { "hooks", "hooksConfig", "mcpServers" };
	static const char *const plain[] = { "hooks", "hooksconfig", "mcpservers" };
	char word[16];
	size_t n = 0;

	if (WORD_IN(key, right))
		return NULL;
	for (size_t i = 0; i < key.n && n < sizeof word; i++) {
		char c = key.p[i];

		if (!strchr("_- ", c))
			word[n++] = char_lower(c);
	}
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (str_distance((struct str){ word, n }, str_from(plain[i])) <= (i ? 2 : 1))
			return right[i];
	return NULL;
}

/* Keys next to "hooks" and "hooksConfig" that were meant to be one of them, or to be in one. */
static void check_top_keys(struct lint *l, const struct source *f)
{
	for (size_t i = 0; i < f->doc->n; i++) {
		const struct json_member *m = &f->doc->members[i];
		struct place at = source_place(f, &l->arena, m->pos, "%.*s", STR_ARG(m->key));
		const char *near = meant(m->key);

		if (near)
			lint_add(l, TL_SEVERITY_WARNING, "unknown-key", &at, "unknown key \"%s\"%s",
				 at.path, meant_as("", near).text);
		else if (json_is(&m->v, J_ARR) && event_find(m->key))
			lint_add(l, TL_SEVERITY_WARNING, "misplaced-event", &at,
				 "%s is outside of \"hooks\"; its hooks never run", at.path);
	}
}

/* Members of Claude's files that are not read here: one note names them all. */
static void check_without_effect(struct lint *l, const struct source *f)
{
	static const char *const read[] = {
		"$schema",
		"allowedHttpHookUrls",
		"disableAllHooks",
		"disabledMcpjsonServers",
		"enableAllProjectMcpServers",
		"enabledMcpjsonServers",
		"enabledPlugins",
		"env",
		"extraKnownMarketplaces", /* of enabledPlugins: where Claude Code has them from */
		"hooks",
		"hooksConfig",
		"httpHookAllowedEnvVars",
		"mcpServers", /* Claude Code does not read it there either */
		"permissions",
	};
	bool settings = f->dialect && f->dialect->words == WORDS_CLAUDE && !l->plugin &&
			f->tier != TL_TIER_EXTENSION && !f->agent && !f->skill;
	AUTO(buf_done) struct buf names = { 0 };
	size_t pos = 0;

	for (size_t i = 0; settings && i < f->doc->n; i++) {
		const struct json_member *m = &f->doc->members[i];

		if (WORD_IN(m->key, read) || meant(m->key) || event_find(m->key))
			continue;
		pos = names.n ? pos : m->pos;
		buf_addf(&names, "%s%.*s", names.n ? ", " : "", STR_ARG(m->key));
	}
	if (names.n) {
		struct place at = source_place(f, &l->arena, pos, "%s", "");

		lint_add(l, TL_SEVERITY_NOTE, "no-effect", &at,
			 "only Claude Code reads this: %.400s", buf_z(&names));
	}
}

/* Names in hooksConfig.disabled that no hook has, and one nearly has: that one runs. */
static void check_disabled(struct lint *l, const struct tl_hooks *hooks, const struct source *f)
{
	const struct json *list = json_pointer(f->doc, STR("/hooksConfig/disabled"));
	bool some = json_is(list, J_ARR) && list->n;
	const char **names = ARENA_ARRAY(&l->arena, const char *, some ? hooks->nhooks + 1 : 1);

	for (size_t i = 0; some && i < hooks->nhooks; i++)
		names[i] = hooks->hooks[i]->id;
	for (size_t i = 0; some && i < list->n; i++) {
		const struct json *v = json_at(list, i);
		struct str word = json_str(v, STR(""));
		struct place at =
			source_place(f, &l->arena, v->pos, "hooksConfig.disabled[%zu]", i);
		struct meant near = meant_of(word, names, hooks->nhooks);

		if (*near.text && !word_in(word, names, hooks->nhooks))
			lint_add(l, TL_SEVERITY_WARNING, "unknown-hook", &at,
				 "no hook is called \"%.*s\"%s", STR_ARG(word), near.text);
	}
}

/* ---- hooks ---- */

static uint64_t hash_name(const struct hook *h)
{
	return str_hash(str_hash(STR_HASH, str_from(h->as->name)), str_from(h->id));
}

static bool same_name(const struct hook *a, const struct hook *b)
{
	return a->event == b->event && a->as == b->as && a->dialect == b->dialect &&
	       strcmp(a->id, b->id) == 0;
}

static uint64_t hash_hook(const struct hook *h)
{
	return str_hash(str_hash(str_hash(hash_name(h), str_from(h->command)), h->matcher.text),
			str_from(h->if_rule));
}

static bool same_hook(const struct hook *a, const struct hook *b)
{
	return same_name(a, b) && hook_same_command(a, b) &&
	       str_eq(a->matcher.text, b->matcher.text) &&
	       str_eq(str_from(a->if_rule), str_from(b->if_rule));
}

/* Another hook of the event that has the same name, or is the same hook. */
static void check_name(struct lint *l, const struct tl_hooks *hooks, struct hook_index *by_name,
		       struct hook_index *by_hook, const struct hook *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct hook *named = hook_index_first(by_name, h);
	const struct hook *equal = hook_index_first(by_hook, h);

	if (named && !hook_same_command(named, h))
		lint_add(l, TL_SEVERITY_WARNING, "same-name", &h->at,
			 "%s:%u has another command for %s with the name \"%s\"; "
			 "disabling one disables both",
			 short_path(hooks, named->at.file, &a), named->at.line, h->as->name, h->id);
	else if (equal && !h->dialect->keeps_duplicates)
		lint_add(l, TL_SEVERITY_NOTE, "duplicate", &h->at,
			 "hook \"%s\" is already in %s:%u; it runs once", h->id,
			 short_path(hooks, equal->at.file, &a), equal->at.line);
}

/* What loading found.  A session that goes on without a thing warns of it: here it is an error. */
static void add_loaded(struct lint *l, const struct tl_hooks *hooks)
{
	static const char *const errors[] = { "unknown-event", "unwatched-hook" };
	/* The first only says that we asked for TL_LOAD_TRUST; lint_all_policies() has the place of
	 * the second from the file itself. */
	static const char *const passed_over[] = { "unapproved-hook", "broken-policy" };

	for (size_t i = 0; i < hooks->diags.n; i++) {
		const struct diag *d = &hooks->diags.p[i];
		struct place at = { d->file, d->line, d->column, d->path };
		enum tl_severity severity = d->severity;
		size_t from = 0;

		while (from < hooks->sources.n && strcmp(hooks->sources.p[from].path, d->file) != 0)
			from++;
		if (WORD_IN(str_from(d->code), passed_over) ||
		    (from < hooks->sources.n && lint_leaves_out(l, hooks->sources.p[from].tier)))
			continue;
		if (severity != TL_SEVERITY_NOTE && WORD_IN(str_from(d->code), errors))
			severity = TL_SEVERITY_ERROR;
		lint_add(l, severity, d->code, &at, "%s", d->text);
	}
}

static void lint_snapshot(struct lint *l, const struct tl_hooks *hooks)
{
	AUTO(hook_index_done) struct hook_index by_name = { 0 };
	AUTO(hook_index_done) struct hook_index by_hook = { 0 };
	size_t known = l->found.n;

	for (size_t i = 0; i < hooks->sources.n; i++)
		if (!lint_leaves_out(l, hooks->sources.p[i].tier))
			lint_add_file(l, hooks->sources.p[i].path);
	add_loaded(l, hooks);
	l->root = hooks->dirs.project;
	l->servers = lint_known_servers(l, hooks);
	for (size_t i = 0; i < hooks->sources.n; i++) {
		if (lint_leaves_out(l, hooks->sources.p[i].tier))
			continue;
		check_top_keys(l, &hooks->sources.p[i]);
		check_without_effect(l, &hooks->sources.p[i]);
		check_disabled(l, hooks, &hooks->sources.p[i]);
		lint_servers(l, &hooks->sources.p[i]);
		lint_settings(l, &hooks->sources.p[i]);
	}
	if (!l->as_project)
		lint_extensions(l);
	hook_index_init(&by_name, hooks->nhooks, hash_name, same_name);
	hook_index_init(&by_hook, hooks->nhooks, hash_hook, same_hook);
	for (size_t i = 0; i < hooks->nhooks; i++) {
		const struct hook *h = hooks->hooks[i];

		if (lint_leaves_out(l, h->tier) || h->policy)
			continue;
		l->nhooks++;
		if (h->guard && h->observe)
			lint_add(l, TL_SEVERITY_WARNING, "guard-observes", &h->at,
				 "a guard with \"mode\": \"observe\" guards nothing");
		check_name(l, hooks, &by_name, &by_hook, h);
		lint_hook_sandbox(l, hooks, h);
		/* What loading cannot see: the server of an MCP tool. */
		struct str server = str_trim(json_get_str(h->own, "server"));
		if (!h->handler)
			lint_command(l, hooks, i, h->command);
		else if (server.n && l->servers && !json_get(l->servers, server))
			lint_add(l, h->guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
				 "unknown-server", &h->at, "no MCP server \"%.*s\"%s",
				 STR_ARG(server), lint_near_server(l, server));
	}
	lint_matchers(l, hooks);
	if (!l->as_project)
		lint_all_policies(l, hooks);
	for (size_t i = known; i < l->found.n; i++) {
		struct finding *f = &l->found.p[i];

		f->shown = arena_z(&l->arena, str_from(short_path(hooks, f->d.file, &l->arena)));
	}
}

/* ---- loading ---- */

/* EXIT_OK, also when the files cannot be used, which is a finding. */
static int lint_with(struct wb *wb, struct lint *l, const struct tl_options *o)
{
	struct tl_hooks *hooks;
	struct tl_err err;

	struct tl_options here = *o;

	/* Nothing is run, but what a session runs is no mistake. */
	wb_give_handlers(wb, &here);
	if (hooks_load_with_catalog(&here, &hooks, &err) == 0) {
		lint_snapshot(l, hooks);
		tl_hooks_unref(hooks);
		return EXIT_OK;
	}
	if (err.code == TL_E_INVAL)
		return wb_fail_tl(wb, EXIT_USAGE, &err);
	if (*err.file)
		lint_add_file(l, err.file);
	lint_add(l, TL_SEVERITY_ERROR, err.code == TL_E_PARSE ? "syntax" : "unusable",
		 &(struct place){ err.file, err.line, err.column, "" }, "%s",
		 err.text + err.sentence);
	struct finding *f = &l->found.p[l->found.n - 1];
	f->shown = path_shown(l->cwd, f->d.file);
	return EXIT_OK;
}

static int lint_file(struct wb *wb, struct lint *l, const char *file)
{
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *full = fs_absolute(here ? here : "/", file);
	size_t n;
	/* Whose settings the path says they are; what is above their directory is the project. */
	const struct settings_place *p = place_by_path(full, (const char *const *)environ, &n);
	AUTO(free) char *project = n ? xstrndup(full, n) : NULL;
	struct err err;

	if (str_ends(str_from(file), STR(".toml")) &&
	    !(p && str_ends(str_from(p->path), STR(".toml")))) {
		lint_policy_file(l, file);
		return EXIT_OK;
	}
	if (fs_read(file, SETTINGS_MAX_BYTES, &text, &err) < 0) {
		lint_add_file(l, file);
		lint_add(l, TL_SEVERITY_ERROR, "unreadable", &(struct place){ file, 0, 0, "" },
			 "%s", err_sentence(&err));
		return EXIT_OK;
	}
	struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_PROJECT,
			       .dialect = l->dialect ? l->dialect
					  : p        ? p->dialect
						     : "gemini",
			       .name = file, .text = buf_z(&text), .length = text.n);
	return lint_with(
		wb, l,
		&(struct tl_options)TL_OPTIONS_INIT(.cwd = l->cwd, .project_dir = project,
						    .flags = TL_LOAD_TRUST | TL_LOAD_NO_FILES,
						    .sources = &source, .nsources = 1));
}

int lint_file_alone(struct wb *wb, struct lint *l, const char *file)
{
	int status;

	l->as_project = true;
	status = lint_file(wb, l, file);
	lint_sort(l);
	return status;
}

/* ---- printing ---- */

static const struct json *value(struct wb *wb, const struct lint *l)
{
	struct json_list files = { 0 }, found = { 0 };
	struct arena *a = &wb->arena;

	for (size_t i = 0; i < l->files.n; i++)
		json_list_add(&files, json_pack_str(a, l->files.p[i]));
	for (size_t i = 0; i < l->found.n; i++)
		json_list_add(&found, diagnostic_value(a, &l->found.p[i].d));
	return json_pack(a, "files:j diagnostics:j errors:n warnings:n", json_list_take(a, &files),
			 json_list_take(a, &found), count(l, TL_SEVERITY_ERROR),
			 count(l, TL_SEVERITY_WARNING));
}

static void show(struct sheet *p, const struct lint *l)
{
	static const enum style styles[] = {
		[TL_SEVERITY_NOTE] = CYAN, [TL_SEVERITY_WARNING] = YELLOW, [TL_SEVERITY_ERROR] = RED
	};
	size_t errors = count(l, TL_SEVERITY_ERROR), warnings = count(l, TL_SEVERITY_WARNING);

	for (size_t i = 0; i < l->found.n; i++) {
		const struct finding *f = &l->found.p[i];
		AUTO(buf_done) struct buf place = { 0 }, text = { 0 };

		(void)utf8_add_visible(&place, str_from(f->shown), false);
		if (f->d.line)
			buf_addf(&place, ":%u:%u", f->d.line, f->d.column);
		(void)utf8_add_visible(&text, str_from(f->d.text), false);
		sheet_f(p, BOLD, "%s%s", buf_z(&place), place.n ? ": " : "");
		sheet_f(p, styles[f->d.severity], "%s: ", tl_severity_name(f->d.severity));
		sheet_f(p, PLAIN, "%s [%s]\n", buf_z(&text), f->d.code);
	}
	if (errors || warnings)
		sheet_f(p, PLAIN, "%zu error%s, %zu warning%s\n", errors, plural(errors), warnings,
			plural(warnings));
	else
		sheet_f(p, GREEN, "%zu hook%s in %zu file%s: no problems found.\n", l->nhooks,
			plural(l->nhooks), l->files.n, plural(l->files.n));
}

int wb_lint(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct lint_args *args = args_;
	AUTO(lint_done) struct lint l = { 0 };
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *cwd = fs_absolute(wb->cwd ? wb->cwd
					   : here  ? here
						   : "/",
					   args->load.dir ? args->load.dir : ".");
	int status = EXIT_OK;

	if (!here && !wb->cwd)
		return wb_fail(wb, EXIT_USAGE, "the current directory does not exist any longer");
	if (!fs_is_dir(cwd))
		return wb_fail(wb, EXIT_USAGE, "%s: no such directory", args->load.dir);
	if (n == 0 && args->dialect)
		return wb_fail(wb, EXIT_USAGE,
			       "--dialect belongs to files: trotline hooks lint --dialect %s FILE",
			       args->dialect);
	l.cwd = cwd;
	l.dialect = args->dialect;
	l.as_project = n > 0;
	l.no_project = n == 0 && (args->load.no_project || wb->no_project);
	/* Nothing is run, so an untrusted folder's settings are looked at like any others. */
	if (n == 0)
		status = lint_with(
			wb, &l,
			&(struct tl_options)
				TL_OPTIONS_INIT(.cwd = cwd,
						.flags = TL_LOAD_TRUST |
							 (l.no_project ? TL_LOAD_NO_PROJECT : 0)));
	for (int i = 0; i < n && status == EXIT_OK; i++)
		status = lint_file(wb, &l, wb_path(wb, rest[i]));
	if (status != EXIT_OK)
		return status;
	lint_sort(&l);
	wb->value = value(wb, &l);
	show(&wb->sheet, &l);
	return count(&l, TL_SEVERITY_ERROR) || (args->strict && count(&l, TL_SEVERITY_WARNING))
		       ? EXIT_USAGE
		       : EXIT_OK;
}
