/*
 * trotline skills list, enable, disable: which skills there are, and skills.disabled of the
 * project's and the user's settings, edited in place.
 */
#include "cli/extensions/skill_commands.h"

#include <unistd.h>

#include "base/vec.h"
#include "extensions/extension.h"
#include "os/fs.h"
#include "settings/settings.h"

static const struct opt list_rows[] = {
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct skill_args, all),
	  "accepted for compatibility; no skills are built in" },
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

/* ---- reading ---- */

struct state {
	struct wb *wb;
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

static void say(void *wb, enum note_kind kind, const char *text)
{
	AUTO(free) char *line = xasprintf("%s%s", note_prefix(kind), text);

	wb_note(wb, line);
}

/* The settings and the skills as they are now. */
static int state_load(struct state *s, bool quiet)
{
	const struct skill_roots *r = &s->roots;
	const struct json *settings;
	struct err err;

	if (settings_load(&s->arena,
			  &(struct settings_dirs){ .dirs = skill_dirs(r), .trusted = r->trusted },
			  &settings, &err) < 0)
		return wb_fail_err(s->wb, EXIT_CONFIG, &err);
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
			.notes = { quiet ? NULL : say, s->wb } });
	return EXIT_OK;
}

static int state_start(struct state *s, const struct skill_args *args, bool quiet)
{
	int status = skill_roots_find(s->wb, args, &s->roots);

	return status == EXIT_OK ? state_load(s, quiet) : status;
}

/* ---- list ---- */

static int cmd_skills_list(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(state_done) struct state s = { .wb = wb };
	struct sheet *p = &wb->sheet;
	struct arena *a = &wb->arena;
	struct json_list rows = { 0 };
	bool some = false;
	int status = state_start(&s, args, false);
	const struct dirs dirs = skill_dirs(&s.roots);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	if (s.skills->off)
		sheet_f(p, PLAIN,
			"Skills are disabled: skills.enabled is false in the settings.\n");
	sheet_f(p, PLAIN, s.skills->n ? "Discovered Agent Skills:\n" : "No skills discovered.\n");
	for (size_t i = 0; i < s.skills->n; i++) {
		const struct skill *k = &s.skills->p[i];

		sheet_f(p, PLAIN, "\n");
		sheet_f(p, BOLD, "%s", k->name);
		sheet_f(p, k->disabled ? RED : GREEN, " [%s]\n",
			k->disabled ? "Disabled" : "Enabled");
		sheet_text(p, PLAIN, arena_printf(a, "Description: %s", k->description).p, 2);
		sheet_text(p, DIM, arena_printf(a, "Location:    %s", k->file).p, 2);
		json_list_add(&rows,
			      json_pack(a, "name:z description:z location:z scope:z enabled:b",
					k->name, k->description, k->file,
					catalog_origin_name(k->origin), !k->disabled));
	}
	/* Who has skills in the project must know why they are not listed. */
	for (const struct settings_place *at = NULL; (at = place_next(at, NULL, PLACE_SKILLS));) {
		const char *dir = place_path(at, &dirs, a);

		some |= tiers[at->tier].foreign && dir && fs_is_dir(dir);
	}
	if (some && !s.roots.trusted && !s.roots.at_home)
		sheet_f(p, PLAIN,
			"The skills of this folder are not read, because it is not trusted: "
			"trotline hooks trust\n");
	wb->value = json_pack(a, "enabled:b trusted:b skills:j", !s.skills->off, s.roots.trusted,
			      json_list_take(a, &rows));
	return EXIT_OK;
}

/* ---- enable, disable ---- */

struct place {
	const char *label, *project; /* project: NULL for the user's files */
	const char *path;
};

struct change {
	struct state state;
	const char *name;
	struct {
		struct place *p;
		size_t n, cap;
	} places;
	bool changed;
	struct buf where; /* "user (/home/me/.gemini/settings.json) and ..." */
};

static void change_done(struct change *c)
{
	free(c->places.p);
	buf_done(&c->where);
	state_done(&c->state);
}
DEFINE_AUTO(struct change, change_done)

static void add_places(struct change *c, enum tl_tier tier)
{
	const struct skill_roots *r = &c->state.roots;
	const struct dirs dirs = skill_dirs(r);

	for (const struct settings_place *p = NULL;
	     (p = place_next_in(p, tier, "gemini", PLACE_SETTINGS));) {
		const char *path = place_path(p, &dirs, &c->state.arena);

		if (path)
			*VEC_ADD(&c->places) =
				(struct place){ .label = tiers[tier].scope,
						.project = tiers[tier].foreign ? r->project : NULL,
						.path = path };
	}
}

/* Names are added to the first file; they may be in all of them. */
static int change_start(struct change *c, const struct skill_args *args, bool enable)
{
	const struct skill_roots *r = &c->state.roots;
	bool user = false;
	int status;

	status = state_start(&c->state, args, true);
	status = status == EXIT_OK ? skill_scope(c->state.wb, args, r, "workspace", &user) : status;
	if (status != EXIT_OK)
		return status;
	if (enable && !args->scope && !r->at_home) {
		add_places(c, TL_TIER_USER);
		add_places(c, TL_TIER_PROJECT);
	} else {
		add_places(c, tier_of_scope(user));
	}
	return EXIT_OK;
}

static bool is_listed(const struct json *doc, const char *name, size_t *ret_at)
{
	const struct json *list = json_pointer(doc, STR("/skills/disabled"));

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		struct str word = str_trim(json_str(json_at(list, i), STR("")));

		if (str_eqz_icase(word, name)) {
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
		const struct place *p = &c->places.p[i];
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

static int unknown(struct wb *wb, const struct skills *all, const char *word)
{
	const char **names = ARENA_ARRAY(&wb->arena, const char *, all->n + 1);

	for (size_t i = 0; i < all->n; i++)
		names[i] = all->p[i].name;
	return wb_fail_at(wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-skill" },
			  "no skill is called \"%s\"%s", word,
			  did_you_mean(&wb->arena, word, names, all->n));
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
	return wb_fail(c->state.wb, EXIT_USAGE, "%s",
		       !enabled ? "but it is still enabled: the settings of an untrusted folder do "
				  "not count; use --scope user"
		       : c->state.skills->off
			       ? "but skills.enabled is false, which disables all skills"
			       : "but it is still disabled, by settings that this did not change");
}

static int switch_skill(struct wb *wb, const struct skill_args *args, const char *word, bool enable)
{
	AUTO(change_done) struct change c = { .state.wb = wb };
	const char *message;
	const struct skill *k;
	struct err err;
	int status = change_start(&c, args, enable);

	if (status != EXIT_OK)
		return status;
	k = skill_find_any(c.state.skills, str_from(word));
	/* A list may name a skill that is gone. */
	if (!k && !enable)
		return unknown(wb, c.state.skills, word);
	c.name = k ? k->name : word;
	if (edit_places(&c, enable ? c.places.n : 1, enable ? remove_name : add_name, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (!k && !c.changed)
		return unknown(wb, c.state.skills, word);
	if (!c.changed)
		message = arena_printf(&wb->arena, "Skill \"%s\" is already %s.", c.name,
				       enable ? "enabled" : "disabled")
				  .p;
	else
		message = arena_printf(&wb->arena,
				       "Skill \"%s\" %s the disabled list in %s settings.", c.name,
				       enable ? "enabled by removing it from"
					      : "disabled by adding it to",
				       buf_z(&c.where))
				  .p;
	sheet_text(&wb->sheet, PLAIN, message, 0);
	wb->value = json_pack(&wb->arena, "name:z enabled:b changed:b message:z", c.name, enable,
			      c.changed, message);
	return check_effect(&c, enable);
}

static int cmd_skills_enable(struct wb *wb, const void *args, int n, char **rest)
{
	(void)n;
	return switch_skill(wb, args, rest[0], true);
}

static int cmd_skills_disable(struct wb *wb, const void *args, int n, char **rest)
{
	(void)n;
	return switch_skill(wb, args, rest[0], false);
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
	"~/.agents/skills, ~/.claude/skills) and, in a trusted folder, of the project\n"
	"(.gemini/skills, .agents/skills, .claude/skills).  Later ones override earlier ones\n"
	"of the same name.\n";

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
	  .work = cmd_skills_disable },
	{ .name = "enable",
	  .args = "NAME",
	  .summary = "let the model have a disabled skill again",
	  .opts = &switch_set,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_skills_enable },
	{ .name = "install",
	  .args = "SOURCE",
	  .summary = "copy skills from a directory or repository",
	  .text = install_text,
	  .opts = &skill_install_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_skills_install },
	{ .name = "link",
	  .args = "DIR",
	  .summary = "link skills of a directory",
	  .text = link_text,
	  .opts = &skill_link_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_skills_link },
	{ .name = "list",
	  .summary = "list the skills",
	  .text = list_text,
	  .opts = &list_opts,
	  .work = cmd_skills_list },
	{ .name = "uninstall",
	  .args = "NAME",
	  .summary = "remove an installed or linked skill",
	  .text = uninstall_text,
	  .opts = &skill_uninstall_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = cmd_skills_uninstall },
};
const size_t skills_commands_n = ARRAY_LEN(skills_commands);
