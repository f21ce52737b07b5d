/*
 * trotline hooks migrate: hooks of other agents, translated and added to .gemini/settings.json
 * (docs/migrating.md).
 */
#include "base/path.h"
#include "base/toml.h"
#include "os/fs.h"
#include "policy/policy.h"
#include "workbench/commands.h"
#include "workbench/migrate.h"
#include "workbench/settings_args.h"

#define TARGET ".gemini/settings.json"

enum { EXIT_PARTLY = 3 }; /* some hooks could not be translated */

struct migrate_args {
	struct settings_args in;
	const char *from;
	bool from_claude;
};

static const struct opt opts[] = {
	{ "from-claude", 0, NULL, OPT_FLAG, offsetof(struct migrate_args, from_claude),
	  "migrate the hooks of Claude Code" },
	{ "from", 0, "AGENT", OPT_STR, offsetof(struct migrate_args, from),
	  "migrate those of " AGENT_SOURCES },
	SETTINGS_SCOPE_OPTS(struct migrate_args),
};
const struct opt_set migrate_opts = OPT_SET(opts, struct migrate_args);

struct job {
	struct wb *wb;
	const struct migrate_args *args;
	struct settings_target t; /* Gemini's file */
	struct migration m;
	char *files[2]; /* of the source */
	bool found[2];
	bool reads_source; /* hooksConfig.sources of the target names the agent */
	bool changed;
	struct buf diff;
};

static void job_done(struct job *j)
{
	settings_target_done(&j->t);
	migration_done(&j->m);
	free(j->files[0]);
	free(j->files[1]);
	buf_done(&j->diff);
}
DEFINE_AUTO(struct job, job_done)

/* ---- reading ---- */

static void find_files(struct job *j)
{
	size_t n = 0;

	for (const struct settings_place *p = NULL;
	     n < ARRAY_LEN(j->files) &&
	     (p = place_next_in(p, tier_of_scope(j->t.user), j->m.from->files, PLACE_HOOKS));)
		if (!p->own)
			j->files[n++] = settings_target_file(&j->t, p->path);
}

static int read_file(struct job *j, size_t i, struct err *err)
{
	const struct json *doc;
	struct str text;
	int r;

	if (!j->files[i])
		return 0;
	r = settings_read(&j->m.arena, j->files[i], &text, &doc, err);
	if (r <= 0)
		return r;
	j->found[i] = true;
	migration_add(&j->m, j->files[i], text, doc);
	return 0;
}

/* ---- writing ---- */

static bool has_hook(const struct json *groups, const struct group *g, const struct json *hook)
{
	struct str wanted = str_from(g->matcher);

	for (size_t i = 0; json_is(groups, J_ARR) && i < groups->n; i++) {
		const struct json *there = json_at(groups, i);
		struct str matcher = json_get_str(there, "matcher");
		const struct json *list = json_getz(there, "hooks");

		if (!str_eq(str_eqz(matcher, "*") ? STR("") : matcher, wanted))
			continue;
		for (size_t k = 0; json_is(list, J_ARR) && k < list->n; k++) {
			const struct json *h = json_at(list, k);

			/* With another filter it is another hook. */
			if (json_is(json_getz(h, "command"), J_STR) &&
			    json_equal(json_getz(h, "command"), json_getz(hook, "command")) &&
			    str_eq(json_get_str(h, "if"), json_get_str(hook, "if")))
				return true;
		}
	}
	return false;
}

/* The hooks of a definition that are not there yet, as one more definition. */
static int add_group(struct settings_change *c, struct job *j, const struct group *g,
		     struct err *err)
{
	struct arena *a = &c->arena;
	struct str path = pointer_join(a, STR("/hooks"), str_from(g->event));
	const struct json *list = json_new_arr(a, NULL, 0), *group = json_new_obj(a);

	for (size_t i = 0; i < g->n; i++) {
		struct migrated *it = &j->m.items.p[g->items[i]];
		bool there = has_hook(json_pointer(c->e.doc, path), g, g->hooks[i]);

		if (!there)
			list = list_add(a, list, g->hooks[i]);
		if (there && (it->status == MIGRATED || it->status == MIGRATED_WITH_LOSS))
			it->status = MIGRATED_BEFORE;
	}
	if (list->n == 0)
		return 0;
	if (g->matcher)
		group = json_set(a, group, STR("matcher"), json_new_str(a, str_from(g->matcher)));
	if (g->sequential)
		group = json_set(a, group, STR("sequential"), json_new_bool(a, true));
	return json_edit_append(&c->e, path, json_set(a, group, STR("hooks"), list), err);
}

/* Modes and directories, which sessions find in the file. */
static int edit_settings(struct settings_change *c, const struct json *settings, struct err *err)
{
	static const char *const values[] = { "/general/defaultApprovalMode",
					      "/security/disableYoloMode" };
	struct str path = STR("/context/includeDirectories");
	const struct json *dirs = json_pointer(settings, path), *v;

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct str at = str_from(values[i]);

		v = json_pointer(settings, at);
		if (v && !json_equal(v, json_pointer(c->e.doc, at)) &&
		    json_edit_set(&c->e, at, v, err) < 0)
			return -err->code;
	}
	for (size_t i = 0; json_at(dirs, i); i++) {
		v = json_at(dirs, i);
		/* In a project from its root, which may be elsewhere on another machine. */
		struct str below =
			c->project ? path_below_str(str_from(c->project), json_str(v, STR("")))
				   : STR("");
		if (below.n)
			v = json_new_str(&c->arena, below);
		if (!json_holds(json_pointer(c->e.doc, path), json_str(v, STR("")), NULL) &&
		    json_edit_append(&c->e, path, v, err) < 0)
			return -err->code;
	}
	return 0;
}

static int edit(struct settings_change *c, void *data, struct err *err)
{
	struct job *j = data;
	const struct json *sources = json_pointer(c->e.doc, STR("/hooksConfig/sources"));
	struct str disabled = STR("/hooksConfig/disabled");

	j->reads_source = json_holds(sources, str_from(j->m.from->name), NULL);
	for (size_t i = 0; i < j->m.groups.n; i++)
		if (add_group(c, j, &j->m.groups.p[i], err) < 0)
			return -err->code;
	for (size_t i = 0; i < j->m.disabled.n; i++) {
		struct str name = j->m.disabled.p[i];

		if (!json_holds(json_pointer(c->e.doc, disabled), name, NULL) &&
		    json_edit_append(&c->e, disabled, json_new_str(&c->arena, name), err) < 0)
			return -err->code;
	}
	for (size_t i = 0; i < j->m.settings.n; i++)
		if (edit_settings(c, j->m.settings.p[i], err) < 0)
			return -err->code;
	/* The fork's events are in Gemini's own file: what was translated would run twice. */
	for (size_t i = j->m.from->at_home ? j->m.moved.n : 0; i-- > 0;) {
		const struct moved *moved = &j->m.moved.p[i];
		struct str event = pointer_join(&c->arena, STR("/hooks"), moved->event);
		const struct json *defs = json_pointer(c->e.doc, event);

		if (defs && defs->n > 1)
			event = pointer_item(&c->arena, event, moved->definition);
		if (json_edit_remove(&c->e, event, err) < 0)
			return -err->code;
	}
	return 0;
}

/* Adds the rules that deny and ask, or those that allow, and are not in the policy file yet. */
static int write_rules(struct job *j, bool strict, struct err *err)
{
	AUTO(free) char *path = settings_target_file(&j->t, rule_file(strict));
	AUTO(settings_change_done) struct settings_change c = settings_target_change(&j->t, path);
	AUTO(buf_done) struct buf old = { 0 }, text = { 0 };
	const struct json *doc, *there;
	bool any = false;
	int r = fs_read(path, TOML_BYTES_MAX, &old, err);

	r = r == -E_NOTFOUND ? 0 : r;
	r = r < 0 ? r : policy_check_text(path, buf_str(&old), err);
	r = r < 0 ? r : toml_parse(&j->m.arena, buf_str(&old), &doc, NULL, err);
	if (r < 0)
		return r;
	there = json_getz(doc, "rule");
	buf_adds(&text, buf_str(&old));
	if (!text.n)
		buf_addf(&text, "# From permissions of %s, by trotline hooks migrate\n",
			 j->m.from->title);
	for (size_t i = 0; i < j->m.rules.n; i++) {
		struct migrated_rule *rule = &j->m.rules.p[i];
		size_t k = 0;

		if (rule->left_out || rule->list->strict != strict)
			continue;
		while (json_at(there, k) &&
		       !str_eq(json_get_str(json_at(there, k), "name"), rule->name))
			k++;
		if (json_at(there, k)) {
			rule->it.status = MIGRATED_BEFORE;
			continue;
		}
		buf_addf(&text, "\n%.*s", STR_ARG(rule->toml));
		any = true;
	}
	if (!any)
		return 0;
	j->changed = true;
	r = settings_replace_text(&c, buf_str(&old), buf_str(&text), err);
	buf_adds(&j->diff, buf_str(&c.diff));
	return r;
}

/* The rules first: they restrict. */
static int migrate(struct job *j, struct err *err)
{
	AUTO(settings_unlock) int lock = settings_lock(j->t.roots.home, err);
	int r = lock;

	r = r < 0 ? r : write_rules(j, true, err);
	r = r < 0 ? r : write_rules(j, false, err);
	if (r < 0 || j->m.groups.n + j->m.disabled.n + j->m.settings.n == 0)
		return r;
	AUTO(settings_change_done)
	struct settings_change c = settings_target_change(&j->t, j->t.hooks_path);
	c.home = NULL; /* the hooks are the user's and never uninstalled */
	r = settings_apply(&c, edit, j, err);
	j->changed |= r > 0;
	buf_adds(&j->diff, buf_str(&c.diff));
	return r;
}

/* ---- saying it ---- */

static size_t count(const struct job *j, enum migrated_status s)
{
	size_t n = 0;

	for (size_t i = 0; i < j->m.items.n; i++)
		n += j->m.items.p[i].status == s;
	for (size_t i = 0; i < j->m.rules.n; i++)
		n += j->m.rules.p[i].it.status == s;
	return n;
}

/* The definitions that this hook became part of: "BeforeTool ^replace$". */
static const struct group *group_of(const struct job *j, size_t item, size_t *from)
{
	for (; *from < j->m.groups.n; ++*from) {
		const struct group *g = &j->m.groups.p[*from];

		for (size_t k = 0; k < g->n; k++)
			if (g->items[k] == item)
				return &j->m.groups.p[(*from)++];
	}
	return NULL;
}

static const struct json *remarks_value(struct arena *a, const struct remarks *list)
{
	struct json_list rows = { 0 };

	for (size_t i = 0; i < list->n; i++)
		json_list_add(&rows,
			      json_pack(a, "file:z line:u column:u text:z", list->p[i].file,
					list->p[i].line, list->p[i].column, list->p[i].text));
	return json_list_take(a, &rows);
}

static const char *const status_words[] = { "migrated", "loss", "present", "skipped" };

static const struct json *item_value(const struct job *j, size_t i)
{
	const struct migrated *it = &j->m.items.p[i];
	struct arena *a = &j->wb->arena;
	struct json_list to = { 0 };
	const struct group *g;

	for (size_t at = 0; (g = group_of(j, i, &at));) {
		const struct json *hook = NULL;

		for (size_t k = 0; k < g->n; k++)
			if (g->items[k] == i)
				hook = json_dup(a, g->hooks[k]);
		json_list_add(&to, json_pack(a, "event:z matcher:z ?hook:j", g->event,
					     g->matcher ? g->matcher : "", hook));
	}
	return json_pack(a,
			 "status:z file:z line:u column:u event:z matcher:s command:z to:j "
			 "remarks:j",
			 status_words[it->status], it->file, it->at.line, it->at.column, it->event,
			 it->matcher, it->command, json_list_take(a, &to),
			 remarks_value(a, &it->remarks));
}

static const struct json *value(const struct job *j)
{
	struct json_list sources = { 0 }, hooks = { 0 }, rules = { 0 };
	struct arena *a = &j->wb->arena;
	const struct json *v;

	for (size_t i = 0; i < ARRAY_LEN(j->files); i++)
		if (j->found[i])
			json_list_add(&sources, json_pack_str(a, j->files[i]));
	for (size_t i = 0; i < j->m.items.n; i++)
		json_list_add(&hooks, item_value(j, i));
	for (size_t i = 0; i < j->m.rules.n; i++) {
		const struct migrated_rule *rule = &j->m.rules.p[i];
		const struct migrated *it = &rule->it;

		json_list_add(&rules,
			      json_pack(a,
					"status:z file:z line:u column:u list:z rule:s ?to:z "
					"?toml:s remarks:j",
					status_words[it->status], it->file, it->at.line,
					it->at.column, rule->list->key, it->matcher, it->to,
					it->to ? rule->toml : STR(""),
					remarks_value(a, &it->remarks)));
	}
	v = json_pack(a,
		      "from:z sources:j file:z changed:b dryRun:b runsTwice:b hooks:j "
		      "permissions:j remarks:j",
		      j->m.from->name, json_list_take(a, &sources), j->t.hooks_path, j->changed,
		      j->args->in.dry_run, j->reads_source, json_list_take(a, &hooks),
		      json_list_take(a, &rules), remarks_value(a, &j->m.remarks));
	return j->args->in.dry_run ? json_pack_more(a, v, "diff:s", buf_str(&j->diff)) : v;
}

static const char *shown_path(const struct job *j, const char *path)
{
	return path_shown(j->t.user ? j->t.roots.home : j->t.roots.project, path);
}

static void show_remarks(const struct job *j, const struct remarks *list, int indent)
{
	for (size_t i = 0; i < list->n; i++) {
		AUTO(buf_done) struct buf line = { 0 };

		buf_addf(&line, "%s:%u:%u: %s", shown_path(j, list->p[i].file), list->p[i].line,
			 list->p[i].column, list->p[i].text);
		sheet_text(&j->wb->sheet, PLAIN, buf_z(&line), indent);
	}
}

/* `to`: "BeforeTool ^replace$", or a file. */
static void show_item(const struct job *j, const struct migrated *it, struct str to)
{
	static const enum style styles[] = { GREEN, YELLOW, DIM, RED };
	AUTO(buf_done) struct buf line = { 0 };
	static const char *const names[] = { "migrated", "migrated with loss", "already there",
					     "not migrated" };

	buf_addf(&line, "%s:%u  %s%s%.*s%.*s", shown_path(j, it->file), it->at.line, it->event,
		 it->matcher.n ? " " : "", STR_ARG(it->matcher), STR_ARG(to));
	sheet_f(&j->wb->sheet, styles[it->status], "%-19s", names[it->status]);
	sheet_text(&j->wb->sheet, PLAIN, buf_z(&line), 0);
	if (*it->command)
		sheet_text(&j->wb->sheet, DIM, it->command, 8);
	show_remarks(j, &it->remarks, 8);
}

static void next_steps(const struct job *j)
{
	const char *home = j->t.user ? "~/" : "";

	if (j->reads_source)
		sheet_f(&j->wb->sheet, YELLOW,
			"hooksConfig.sources names %s, so that each of them would run twice: "
			"take it out.\n",
			j->m.from->name);
	if (j->args->in.dry_run || !j->changed)
		return;
	if (j->m.items.n == 0) {
		sheet_f(&j->wb->sheet, GREEN, "\xe2\x9c\x93 Permissions successfully migrated\n\n");
	} else {
		sheet_f(&j->wb->sheet, GREEN,
			"\xe2\x9c\x93 Hooks successfully migrated to %s%s\n\n", home, TARGET);
		sheet_f(&j->wb->sheet, PLAIN,
			"Migration complete! Please review the migrated hooks in %s%s\n", home,
			TARGET);
	}
	sheet_f(&j->wb->sheet, PLAIN, "Next:\n");
	if (!j->t.user)
		sheet_f(&j->wb->sheet, PLAIN,
			"  trotline hooks trust             look at them and approve them\n");
	sheet_f(&j->wb->sheet, PLAIN,
		"  trotline hooks lint              what is wrong or suspicious\n"
		"  trotline hooks run BeforeTool    try them\n");
	if (j->m.rules.n)
		sheet_f(&j->wb->sheet, PLAIN,
			"  trotline policy why TOOL ARGS    which of the rules decides about a call\n");
}

static void show(struct job *j)
{
	for (size_t i = 0; i < ARRAY_LEN(j->files); i++)
		if (j->found[i]) {
			sheet_f(&j->wb->sheet, PLAIN, "Found %s settings in: ", j->m.from->title);
			sheet_text(&j->wb->sheet, PLAIN, j->files[i], 0);
		}
	show_remarks(j, &j->m.remarks, 0);
	if (j->m.items.n == 0)
		sheet_f(&j->wb->sheet, PLAIN, "No hooks found in %s settings to migrate.\n",
			j->m.from->title);
	else
		sheet_f(&j->wb->sheet, PLAIN, "Migrating %zu hook event(s)...\n", j->m.events);
	for (size_t i = 0; i < j->m.items.n; i++) {
		AUTO(buf_done) struct buf to = { 0 };
		const struct group *g;

		for (size_t at = 0; (g = group_of(j, i, &at));)
			buf_addf(&to, " -> %s%s%s", g->event, g->matcher ? " " : "",
				 g->matcher ? g->matcher : "");
		show_item(j, &j->m.items.p[i], buf_str(&to));
	}
	for (size_t i = 0; i < j->m.rules.n; i++) {
		const struct migrated *it = &j->m.rules.p[i].it;
		AUTO(buf_done) struct buf to = { 0 };

		if (it->to)
			buf_addf(&to, " -> %s%s", j->t.user ? "~/" : "", it->to);
		show_item(j, it, buf_str(&to));
	}
	if (j->m.items.n + j->m.rules.n + j->m.settings.n == 0)
		return;
	sheet_f(&j->wb->sheet, PLAIN,
		"%zu migrated, %zu with loss, %zu already there, %zu not migrated\n",
		count(j, MIGRATED), count(j, MIGRATED_WITH_LOSS), count(j, MIGRATED_BEFORE),
		count(j, NOT_MIGRATED));
	if (j->diff.n)
		sheet_text(&j->wb->sheet, PLAIN, buf_z(&j->diff), 0);
	next_steps(j);
}

/* ---- the command ---- */

static int no_files(const struct job *j)
{
	struct arena *a = &j->wb->arena;

	(void)wb_fail(j->wb, EXIT_USAGE, "%s",
		      strcmp(j->m.from->name, "claude") == 0
			      ? arena_printf(a,
					     "No Claude Code settings found in .claude directory. "
					     "Expected settings.json%s",
					     j->t.user ? "" : " or settings.local.json")
					.p
			      : arena_printf(a, "No %s settings found: expected %s",
					     j->m.from->title, j->files[0])
					.p);
	if (!j->t.user)
		wb_complain(j->wb, "start in the folder of the project, or use --scope user");
	return EXIT_USAGE;
}

static int find_source(struct wb *wb, const struct migrate_args *args,
		       const struct agent **ret_from)
{
	if (!args->from && !args->from_claude)
		return wb_fail(wb, EXIT_USAGE,
			       "from where? For example: trotline hooks migrate --from-claude "
			       "--dry-run");
	*ret_from = agent_source(args->from ? args->from : "claude");
	if (*ret_from && args->from_claude && strcmp((*ret_from)->name, "claude") != 0)
		*ret_from = NULL;
	if (*ret_from)
		return EXIT_OK;
	if (args->from && !agent_source(args->from))
		return wb_fail_word(wb, "--from", AGENT_SOURCES, args->from);
	return wb_fail(wb, EXIT_USAGE, "--from %s and --from-claude: one at a time", args->from);
}

int wb_migrate(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct migrate_args *args = args_;
	AUTO(job_done) struct job j = { .wb = wb, .args = args };
	struct str text;
	struct err err;
	int status = find_source(wb, args, &j.m.from);

	(void)n;
	(void)rest;
	if (status == EXIT_OK)
		status = settings_target_find(wb, &args->in, &j.t);
	if (status != EXIT_OK)
		return status;
	j.m.user = j.t.user;
	j.m.home = j.t.roots.home;
	j.m.project = j.t.user ? j.t.roots.home : j.t.roots.project;
	find_files(&j);
	if (settings_read(&j.m.arena, j.t.hooks_path, &text, &j.m.before, &err) < 0)
		return settings_failed(wb, &err);
	for (size_t i = 0; i < ARRAY_LEN(j.files); i++)
		if (read_file(&j, i, &err) < 0)
			return settings_failed(wb, &err);
	if (!j.found[0] && !j.found[1])
		return no_files(&j);
	if (j.m.groups.n + j.m.disabled.n + j.m.rules.n + j.m.settings.n > 0 &&
	    migrate(&j, &err) < 0)
		return settings_failed(wb, &err);
	wb->value = value(&j);
	show(&j);
	return count(&j, NOT_MIGRATED) || j.m.remarks.n ? EXIT_PARTLY : EXIT_OK;
}
