/*
 * trotline hooks enable, disable: hooksConfig.disabled of the project's and the user's settings,
 * edited in place.  The system's hooks are out of reach (C7.2).
 */
#include "base/vec.h"
#include "os/fs.h"
#include "settings/edit.h"
#include "workbench/commands.h"
#include "workbench/show.h"

struct switch_args {
	struct load_args load;
	const char *scope;
};

static const struct opt opts[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct switch_args, scope),
	  "whose settings: project or user (default: disable in the project's, enable in both)" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct switch_args, load.dir),
	  "work in this directory instead of the current one" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct switch_args, load.json), "print JSON" },
};
const struct opt_set switch_opts = OPT_SET(opts, struct switch_args);

/* A settings file that may hold the name. Names are added to .gemini/settings.json only. */
struct file {
	const struct tier *tier;
	const char *path;
	bool edited;
};

struct change {
	struct arena arena;
	struct wb *wb;
	const struct switch_args *args;
	bool user; /* when there is a --scope: it is the user's */
	struct tl_hooks *hooks;
	const char *name; /* as in the lists */
	struct {
		struct file *p;
		size_t n, cap;
	} files;
};

static const char *const list_paths[] = { "/hooksConfig/disabled", "/hooks/disabled" };

static void change_done(struct change *c)
{
	free(c->files.p);
	arena_done(&c->arena);
	tl_hooks_unref(c->hooks);
}
DEFINE_AUTO(struct change, change_done)

/* ---- editing ---- */

static int remove_name(struct settings_change *c, void *name, struct err *err)
{
	for (size_t k = 0; k < ARRAY_LEN(list_paths); k++)
		for (size_t i; json_holds(json_pointer(c->e.doc, str_from(list_paths[k])),
					  str_from(name), &i);) {
			struct str path = pointer_item(&c->arena, str_from(list_paths[k]), i);

			if (json_edit_remove(&c->e, path, err) < 0)
				return -err->code;
		}
	return 0;
}

static int add_name(struct settings_change *c, void *name, struct err *err)
{
	return json_edit_append(&c->e, str_from(list_paths[0]),
				json_new_str(&c->arena, str_from(name)), err);
}

/* Returns 1 when the file was changed. */
static int edit_file(const struct change *c, const struct file *f, settings_edit_fn *edit,
		     struct err *err)
{
	AUTO(settings_change_done) struct settings_change s = {
		.path = f->path,
		.project = f->tier->foreign ? tl_hooks_project_dir(c->hooks) : NULL,
	};
	AUTO(free) char *name = xstrdup(c->name);

	return settings_apply(&s, edit, name, err);
}

/* ---- hooks by name ---- */

/* Does a program or an argument of the command end with this file name? */
static bool runs_file(struct str command, struct str file)
{
	for (ptrdiff_t at = 0; (at = str_find(command, file, (size_t)at)) >= 0; at++) {
		size_t end = (size_t)at + file.n;
		bool begins = at == 0 || strchr("/ '\"", command.p[at - 1]);

		if (begins && (end == command.n || strchr(" '\";&|", command.p[end])))
			return true;
	}
	return false;
}

/* The lists hold names: a command, or a file that it runs, serves as the name of the hook. */
static const char *name_of(const struct tl_hooks *hooks, const char *word)
{
	const char *by_command = NULL, *by_file = NULL;
	const struct tl_hook *h;

	for (size_t i = 0; (h = hook_at(hooks, i)); i++) {
		if (strcmp(h->name, word) == 0)
			return h->name;
		if (!by_command && strcmp(h->command, word) == 0)
			by_command = h->name;
	}
	if (by_command || !*word)
		return by_command;
	/* One without a name of its own whose command runs this file, if there is only one. */
	for (size_t i = 0; (h = hook_at(hooks, i)); i++) {
		if (!str_starts(str_from(h->name), str_from(h->command)) ||
		    !runs_file(str_from(h->name), str_from(word)))
			continue;
		if (by_file && strcmp(by_file, h->name) != 0)
			return NULL;
		by_file = h->name;
	}
	return by_file;
}

static int unknown_hook(struct change *c, const char *word)
{
	size_t n = tl_hooks_count(c->hooks);
	const char **names = ARENA_ARRAY(&c->arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = hook_at(c->hooks, i)->name;
	return wb_fail_at(c->wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-hook" },
			  "no hook is called \"%s\"%s", word,
			  did_you_mean(&c->wb->arena, word, names, n));
}

static void show(const struct change *c, bool enabled, const char *message)
{
	struct json_list files = { 0 };
	struct arena *a = &c->wb->arena;
	bool changed;

	sheet_text(&c->wb->sheet, PLAIN, message, 0);
	for (size_t i = 0; i < c->files.n; i++)
		if (c->files.p[i].edited)
			json_list_add(&files, json_pack_str(a, c->files.p[i].path));
	changed = files.n > 0;
	c->wb->value = json_pack(a, "name:z enabled:b files:j changed:b message:z", c->name,
				 enabled, json_list_take(a, &files), changed, message);
}

/* What is in force now may differ from what was written. */
static int check_effect(const struct change *c, bool enabled)
{
	const struct tl_hook *h;
	struct tl_hooks *hooks;
	int status = wb_load(c->wb, &c->args->load, WB_QUIET | WB_FILES, &hooks);

	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; status == EXIT_OK && (h = hook_at(hooks, i)); i++) {
		struct wb_place at = place_of_hook("still-disabled", h);

		if (strcmp(h->name, c->name) != 0)
			continue;
		if (enabled && h->state == TL_STATE_DISABLED) {
			status = wb_fail_at(c->wb, EXIT_USAGE, &at, "but it does not run: %s",
					    h->why);
		} else if (!enabled && h->state == TL_STATE_WOULD_RUN &&
			   tiers[h->tier].own_switch) {
			wb_complain(
				c->wb,
				"the system's hook of this name cannot be disabled; it still runs");
		} else if (!enabled && h->state == TL_STATE_WOULD_RUN) {
			at.code = "still-enabled";
			status =
				wb_fail_at(c->wb, EXIT_USAGE, &at,
					   "but it still runs: the settings of an untrusted folder "
					   "do not count; use --scope user");
		}
	}
	tl_hooks_unref(hooks);
	return status;
}

/* ---- the commands ---- */

/* With the files of the scopes that were asked for, the project's first. */
static int change_start(struct change *c, struct wb *wb, const struct switch_args *args)
{
	static const enum tl_tier order[] = { TL_TIER_PROJECT, TL_TIER_USER };
	int status;

	c->wb = wb;
	c->args = args;
	if (wb_scope(wb, args->scope, &c->user) != EXIT_OK)
		return EXIT_USAGE;
	status = wb_load(wb, &args->load, WB_QUIET | WB_FILES, &c->hooks);
	if (status != EXIT_OK)
		return status;
	const struct dirs dirs = hooks_dirs(c->hooks, NULL);
	bool at_home = dirs_at_home(&dirs), one = at_home || args->scope;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		const struct tier *tier = &tiers[order[i]];

		if (one && tier->foreign == (at_home || c->user))
			continue;
		for (const struct settings_place *p = NULL;
		     (p = place_next_in(p, order[i], "gemini", PLACE_HOOKS));) {
			const char *path = place_path(p, &dirs, &c->arena);

			if (path)
				*VEC_ADD(&c->files) = (struct file){ .tier = tier, .path = path };
		}
	}
	return EXIT_OK;
}

/* 1 when one of the files has the name in its list already. */
static int find_listed(const struct change *c, struct err *err)
{
	for (size_t i = 0; i < c->files.n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *doc = NULL;
		int r = settings_read(&a, c->files.p[i].path, NULL, &doc, err);

		if (r < 0)
			return r;
		for (size_t k = 0; k < ARRAY_LEN(list_paths); k++)
			if (json_holds(json_pointer(doc, str_from(list_paths[k])),
				       str_from(c->name), NULL))
				return 1;
	}
	return 0;
}

int wb_disable(struct wb *wb, const void *args_, int n, char **rest)
{
	AUTO(change_done) struct change c = { 0 };
	AUTO(free) char *message = NULL;
	const struct tl_hook *h;
	bool within_reach = false;
	struct err err;
	int status = change_start(&c, wb, args_), r;

	(void)n;
	if (status != EXIT_OK)
		return status;
	c.name = name_of(c.hooks, rest[0]);
	if (!c.name)
		return unknown_hook(&c, rest[0]);
	for (size_t i = 0; (h = hook_at(c.hooks, i)); i++)
		within_reach |= !tiers[h->tier].own_switch && strcmp(h->name, c.name) == 0;
	if (!within_reach)
		return wb_fail_at(wb, EXIT_USAGE, &(struct wb_place){ .code = "system-hook" },
				  "hook \"%s\" belongs to the system's settings and cannot be "
				  "disabled",
				  c.name);
	AUTO(settings_unlock) int lock = settings_lock(tl_hooks_home(c.hooks), &err);
	if (lock < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	r = find_listed(&c, &err);
	if (r == 0) {
		r = edit_file(&c, &c.files.p[0], add_name, &err);
		c.files.p[0].edited = r > 0;
	}
	if (r < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	message = c.files.p[0].edited
			  ? xasprintf("Hook \"%s\" disabled by adding it to the disabled list "
				      "in %s (%s) settings.",
				      c.name, c.files.p[0].tier->scope, c.files.p[0].path)
			  : xasprintf("Hook \"%s\" is already disabled.", c.name);
	show(&c, false, message);
	return check_effect(&c, false);
}

int wb_enable(struct wb *wb, const void *args_, int n, char **rest)
{
	AUTO(change_done) struct change c = { 0 };
	AUTO(buf_done) struct buf where = { 0 };
	AUTO(free) char *message = NULL;
	struct err err;
	int status = change_start(&c, wb, args_);

	(void)n;
	if (status != EXIT_OK)
		return status;
	c.name = name_of(c.hooks, rest[0]);
	if (!c.name)
		c.name = rest[0]; /* a list may name a hook that is gone */
	AUTO(settings_unlock) int lock = settings_lock(tl_hooks_home(c.hooks), &err);
	if (lock < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	for (size_t i = 0; i < c.files.n; i++) {
		const struct file *f = &c.files.p[i];
		int r = edit_file(&c, f, remove_name, &err);

		if (r < 0)
			return wb_fail_err(wb, EXIT_USAGE, &err);
		c.files.p[i].edited = r > 0;
		if (r > 0)
			buf_addf(&where, "%s%s (%s)", where.n ? " and " : "", f->tier->scope,
				 f->path);
	}
	if (!where.n && !name_of(c.hooks, c.name))
		return unknown_hook(&c, c.name);
	message = where.n ? xasprintf("Hook \"%s\" enabled by removing it from the disabled list "
				      "in %s settings.",
				      c.name, buf_z(&where))
			  : xasprintf("Hook \"%s\" is already enabled.", c.name);
	show(&c, true, message);
	return check_effect(&c, true);
}
