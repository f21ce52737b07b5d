/*
 * trotline skills list, enable, disable: which skills there are, and skills.disabled of the
 * project's and the user's settings, edited in place.
 */
#include "cli/extensions/skill_commands.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "extensions/extension.h"
#include "os/fs.h"
#include "settings/settings.h"

static const struct opt list_rows[] = {
	{ "all", 0, NULL, OPT_FLAG, offsetof(struct skill_args, all),
	  "also the built-in ones, of which there are none" },
	LOAD_OPTS(struct skill_args),
};
static const struct opt_set list_opts = OPT_SET(list_rows, struct skill_args);

static const struct opt switch_rows[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct skill_args, scope),
	  "whose settings: workspace or user (default: disable in the workspace's, enable in "
	  "both)" },
	LOAD_OPTS(struct skill_args),
};
static const struct opt_set switch_set = OPT_SET(switch_rows, struct skill_args);

static struct dirs skill_dirs(const struct skill_roots *r)
{
	return (struct dirs){ .project = r->project,
			      .home = r->home,
			      .env = (const char *const *)environ };
}

/* ---- what there is ---- */

struct state {
	struct arena arena;
	struct skill_roots roots;
	struct skills *skills;
};

static void state_done(struct state *s)
{
	skill_roots_done(&s->roots);
	arena_done(&s->arena);
}
DEFINE_AUTO(struct state, state_done)

static void say(void *data, enum note_kind kind, const char *text)
{
	AUTO(free) char *line = xasprintf("%s%s", note_prefix(kind), text);

	(void)data;
	out_note(line);
}

/* The settings and the skills as they are now. */
static int state_load(struct state *s, bool quiet)
{
	const struct skill_roots *r = &s->roots;
	const struct json *settings;
	struct err err;

	if (settings_load(&s->arena,
			  &(struct settings_dirs){ .dirs = skill_dirs(r), .trusted = r->trusted },
			  &settings, &err) < 0) {
		complain("%s", err.text);
		return EXIT_CONFIG;
	}
	s->skills = skills_read(
		&s->arena,
		&(struct catalog_options){
			.home = r->home,
			.project = r->project,
			.trusted = r->trusted,
			.extensions = extensions_read(
				&s->arena, &(struct extension_options){ .home = r->home,
									.project = r->project }),
			.settings = settings,
			.notes = { quiet ? NULL : say, NULL } });
	return EXIT_OK;
}

static int state_start(struct state *s, const struct skill_args *args, bool quiet)
{
	int status = skill_roots_find(args, &s->roots);

	return status == EXIT_OK ? state_load(s, quiet) : status;
}

/* ---- list ---- */

static void print_json(const struct state *s)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_obj(&w);
	jw_kv_bool(&w, "enabled", !s->skills->off);
	jw_kv_bool(&w, "trusted", s->roots.trusted);
	jw_key(&w, "skills");
	jw_arr(&w);
	for (size_t i = 0; i < s->skills->n; i++) {
		const struct skill *k = &s->skills->p[i];

		jw_obj(&w);
		jw_kv_z(&w, "name", k->name);
		jw_kv_z(&w, "description", k->description);
		jw_kv_z(&w, "location", k->file);
		jw_kv_z(&w, "scope", catalog_origin_name(k->origin));
		jw_kv_bool(&w, "enabled", !k->disabled);
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	out_json(&out);
}

/* Who has skills in the project must know why they are not there. */
static void say_untrusted(const struct skill_roots *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct dirs dirs = skill_dirs(r);
	bool some = false;

	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SKILLS));) {
		const char *dir = place_path(p, &dirs, &a);

		some |= tiers[p->tier].foreign && dir && fs_is_dir(dir);
	}
	if (some && !r->trusted && !r->at_home)
		out_f(PLAIN, "The skills of this folder are not read, because it is not trusted: "
			     "trotline hooks trust\n");
}

static int cmd_skills_list(const void *args_, int n, char **rest)
{
	const struct skill_args *args = args_;
	AUTO(state_done) struct state s = { 0 };
	int status = state_start(&s, args, false);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	if (args->load.json) {
		print_json(&s);
		return EXIT_OK;
	}
	if (s.skills->off)
		out_f(PLAIN, "Skills are switched off: skills.enabled is false in the settings.\n");
	out_f(PLAIN, s.skills->n ? "Discovered Agent Skills:\n" : "No skills discovered.\n");
	for (size_t i = 0; i < s.skills->n; i++) {
		AUTO(free) char *description = NULL;
		AUTO(free) char *location = NULL;

		out_f(PLAIN, "\n");
		description = xasprintf("Description: %s", s.skills->p[i].description);
		location = xasprintf("Location:    %s", s.skills->p[i].file);
		out_f(BOLD, "%s", s.skills->p[i].name);
		out_f(s.skills->p[i].disabled ? RED : GREEN, " [%s]\n",
		      s.skills->p[i].disabled ? "Disabled" : "Enabled");
		out_text(PLAIN, description, 2);
		out_text(DIM, location, 2);
	}
	say_untrusted(&s.roots);
	return EXIT_OK;
}

/* ---- enable, disable ---- */

struct place {
	const char *label, *project; /* project: NULL for the user's files */
	const char *path;
};

struct change {
	const struct skill_args *args;
	struct state state;
	const char *name;
	struct place places[4];
	size_t n;
	bool changed;
	struct buf where; /* "user (/home/me/.gemini/settings.json) and ..." */
};

static void change_done(struct change *c)
{
	buf_done(&c->where);
	state_done(&c->state);
}
DEFINE_AUTO(struct change, change_done)

static void add_places(struct change *c, bool user)
{
	const struct skill_roots *r = &c->state.roots;
	const struct dirs dirs = skill_dirs(r);

	for (const struct settings_place *p = NULL;
	     (p = place_next(p, "gemini", PLACE_SETTINGS));) {
		const char *path = place_path(p, &dirs, &c->state.arena);

		if (path && p->tier == (user ? TL_TIER_USER : TL_TIER_PROJECT))
			c->places[c->n++] = (struct place){ .label = user ? "user" : "workspace",
							    .project = user ? NULL : r->project,
							    .path = path };
	}
}

/* Names are added to the first file; they may stand in all of them. */
static int change_start(struct change *c, const struct skill_args *args, bool enable)
{
	const struct skill_roots *r = &c->state.roots;
	bool user = false;
	int status;

	c->args = args;
	status = state_start(&c->state, args, true);
	status = status == EXIT_OK ? skill_scope(args, r, "workspace", &user) : status;
	if (status != EXIT_OK)
		return status;
	if (enable && !args->scope && !r->at_home) {
		add_places(c, true);
		add_places(c, false);
	} else {
		add_places(c, user);
	}
	return EXIT_OK;
}

static bool is_listed(const struct json *doc, const char *name, size_t *ret_at)
{
	const struct json *list = json_pointer(doc, STR("/skills/disabled"));

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		struct str word = str_trim(json_str(json_at(list, i), STR("")));

		if (word.n == strlen(name) && strncasecmp(word.p, name, word.n) == 0) {
			*ret_at = i;
			return true;
		}
	}
	return false;
}

static int add_name(struct settings_change *s, void *data, struct err *err)
{
	struct change *c = data;
	size_t at;

	if (is_listed(s->e.doc, c->name, &at))
		return 0;
	return json_edit_append(&s->e, STR("/skills/disabled"),
				json_new_str(&s->arena, str_from(c->name)), err);
}

static int remove_name(struct settings_change *s, void *data, struct err *err)
{
	struct change *c = data;

	for (size_t at; is_listed(s->e.doc, c->name, &at);) {
		struct str path = pointer_item(&s->arena, STR("/skills/disabled"), at);

		if (json_edit_remove(&s->e, path, err) < 0)
			return -err->code;
	}
	return 0;
}

static int edit_places(struct change *c, size_t n, settings_edit_fn *edit, struct err *err)
{
	AUTO(settings_unlock) int lock = settings_lock(c->state.roots.home, err);

	if (lock < 0)
		return lock;
	for (size_t i = 0; i < n; i++) {
		const struct place *p = &c->places[i];
		AUTO(settings_change_done) struct settings_change s = { .path = p->path,
									.project = p->project };
		int r = settings_apply(&s, edit, c, err);

		if (r < 0)
			return r;
		if (r > 0)
			buf_addf(&c->where, "%s%s (%s)", c->where.n ? " and " : "", p->label,
				 p->path);
		c->changed |= r > 0;
	}
	return 0;
}

static int unknown(const struct skills *all, const char *word)
{
	AUTO(free) const char **names = xcalloc(all->n + 1, sizeof *names);
	const char *near;

	for (size_t i = 0; i < all->n; i++)
		names[i] = all->p[i].name;
	near = str_nearest(str_from(word), names, all->n);
	complain("there is no skill \"%s\"%s%s%s", word, near ? "; did you mean \"" : "",
		 near ? near : "", near ? "\"?" : "");
	return EXIT_USAGE;
}

static void print_change(const struct change *c, bool enabled, const char *message)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	if (!c->args->load.json) {
		out_text(PLAIN, message, 0);
		return;
	}
	jw_obj(&w);
	jw_kv_z(&w, "name", c->name);
	jw_kv_bool(&w, "enabled", enabled);
	jw_kv_bool(&w, "changed", c->changed);
	jw_kv_z(&w, "message", message);
	jw_end(&w);
	out_json(&out);
}

/* What is in force now may differ from what was written. */
static int check_effect(struct change *c, bool enabled)
{
	const struct skill *k;

	if (state_load(&c->state, true) != EXIT_OK)
		return EXIT_CONFIG;
	k = skill_find_any(c->state.skills, str_from(c->name));
	if (!k || k->disabled != enabled)
		return EXIT_OK;
	if (!enabled)
		complain("but it is still enabled: the settings of a folder that is not trusted "
			 "do not count; use --scope user");
	else if (c->state.skills->off)
		complain("but skills.enabled is false: there are no skills");
	else
		complain("but it is still disabled, by settings that this did not change");
	return EXIT_USAGE;
}

static int switch_skill(const struct skill_args *args, const char *word, bool enable)
{
	AUTO(change_done) struct change c = { 0 };
	AUTO(free) char *message = NULL;
	const struct skill *k;
	struct err err;
	int status = change_start(&c, args, enable);

	if (status != EXIT_OK)
		return status;
	k = skill_find_any(c.state.skills, str_from(word));
	/* A list may name a skill that is gone. */
	if (!k && !enable)
		return unknown(c.state.skills, word);
	c.name = k ? k->name : word;
	if (edit_places(&c, enable ? c.n : 1, enable ? remove_name : add_name, &err) < 0) {
		complain("%s", err.text);
		return EXIT_USAGE;
	}
	if (!k && !c.changed)
		return unknown(c.state.skills, word);
	if (!c.changed)
		message = xasprintf("Skill \"%s\" is already %s.", c.name,
				    enable ? "enabled" : "disabled");
	else
		message = xasprintf("Skill \"%s\" %s the disabled list in %s settings.", c.name,
				    enable ? "enabled by removing it from"
					   : "disabled by adding it to",
				    buf_z(&c.where));
	print_change(&c, enable, message);
	return check_effect(&c, enable);
}

static int cmd_skills_enable(const void *args, int n, char **rest)
{
	(void)n;
	return switch_skill(args, rest[0], true);
}

static int cmd_skills_disable(const void *args, int n, char **rest)
{
	(void)n;
	return switch_skill(args, rest[0], false);
}

/* ---- the table ---- */

static const char install_text[] =
	"Copies the skills of a directory, or of a repository that git clones: SKILL.md in it, in\n"
	"its sub-directories, or in those of its directory skills/.  You are shown what they are\n"
	"and asked first.\n"
	"\n"
	"  trotline skills install https://example.com/skills.git --path review\n"
	"  trotline skills install ./skills/review\n"
	"  trotline skills install ./team-skills --path review --scope workspace --consent\n";

static const char link_text[] =
	"Puts a symbolic link in the place of a copy, so that changes of the source count at\n"
	"once.  In a project only sources inside of it can be linked.\n"
	"\n"
	"  trotline skills link ~/src/my-skill\n";

static const char list_text[] =
	"Lists the skills of this directory: those of extensions, of the user (~/.gemini/skills,\n"
	"~/.agents/skills) and, in a trusted folder, of the project (.gemini/skills,\n"
	".agents/skills).  Later ones override earlier ones of the same name.\n";

static const char uninstall_text[] =
	"Removes a skill from ~/.gemini/skills, or, with --scope workspace, from .gemini/skills.\n"
	"Of a linked one only the link goes.\n";

const struct command skills_commands[] = {
	{ .name = "disable",
	  .args = "NAME",
	  .summary = "keep a skill from the model",
	  .opts = &switch_set,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_skills_disable },
	{ .name = "enable",
	  .args = "NAME",
	  .summary = "let the model have a disabled skill again",
	  .opts = &switch_set,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_skills_enable },
	{ .name = "install",
	  .args = "SOURCE",
	  .summary = "copy skills from a directory or repository",
	  .text = install_text,
	  .opts = &skill_install_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_skills_install },
	{ .name = "link",
	  .args = "DIR",
	  .summary = "link skills of a directory",
	  .text = link_text,
	  .opts = &skill_link_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_skills_link },
	{ .name = "list",
	  .summary = "list the skills",
	  .text = list_text,
	  .opts = &list_opts,
	  .run = cmd_skills_list },
	{ .name = "uninstall",
	  .args = "NAME",
	  .summary = "remove an installed or linked skill",
	  .text = uninstall_text,
	  .opts = &skill_uninstall_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_skills_uninstall },
};
const size_t skills_commands_n = ARRAY_LEN(skills_commands);
