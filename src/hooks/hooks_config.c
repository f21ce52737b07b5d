/* Settings files: which there are, reading them, and the scalars that govern hooks. */
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/vec.h"
#include "base/words.h"
#include "hooks/api.h"
#include "hooks/config.h"
#include "hooks/keys.h"
#include "os/fs.h"
#include "settings/read.h"

enum { RETRIES_LIMIT = 1000 };

/* Whoever may write the system's settings may run commands as every user of the machine. */
static int check_system_file(struct tl_hooks *h, const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	if (st.st_mode & S_IWOTH)
		return err_set(err, E_CONFIG,
			       "%s: everybody may write this system settings file; chmod o-w it",
			       path);
	if (st.st_mode & S_IWGRP)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "writable-system-file",
			 &(struct place){ .file = path },
			 "the group may write this system settings file");
	return 0;
}

static int read_place(struct tl_hooks *h, const struct settings_place *p, struct err *err)
{
	struct source s = {
		.tier = p->tier,
		.dialect = dialect_find(str_from(p->dialect)),
		.weight = p->defaults ? TIER_DEFAULTS_WEIGHT : 0,
		.path = place_path(p, &h->dirs, &h->arena),
		.own = p->own,
		.trotlines = p->own,
	};
	int r = s.path ? settings_read(&h->arena, s.path, &s.text, &s.doc, err) : 0;

	if (r > 0 && tiers[p->tier].guarded_file && check_system_file(h, s.path, err) < 0)
		return -err->code;
	/* Whatever was in the user's or the system's is lost, as on a full disk. */
	if (r > 0 && !tiers[p->tier].foreign && str_trim(s.text).n == 0)
		return err_set_at(err, E_CONFIG, s.path, 1, 1,
				  "this settings file is empty; one without settings is {}");
	return r > 0 ? source_add(h, s, err) : r;
}

/* Those of .gemini are always read; another dialect's when hooksConfig.sources names it. */
static int read_places(struct tl_hooks *h, enum place_use use, unsigned own, unsigned foreign,
		       struct err *err)
{
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_HOOKS));) {
		unsigned wanted = own | (tiers[p->tier].foreign ? foreign : 0);
		enum place_use here = p->use;

		/* As another agent's hook we leave its files to it, and ask for others (C8.5). */
		if (h->agent_reads && !p->own)
			here = word_in_text(str_from(p->dialect), h->agent_reads) ? PLACE_FOREIGN
			       : p->use == PLACE_READ                             ? PLACE_WANTED
										  : p->use;
		if (here != use || !(wanted & 1u << dialect_find(str_from(p->dialect))->id))
			continue;
		if (read_place(h, p, err) >= 0)
			continue;
		if (!tiers[p->tier].foreign || !(h->load_flags & TL_LOAD_NO_PROJECT))
			return -err->code;
		diag_add(&h->diags, TL_SEVERITY_WARNING, "unusable-file", NULL, "%s", err->text);
	}
	return 0;
}

static int add_given(struct tl_hooks *h, const struct tl_source *given, struct err *err)
{
	struct tl_source s;
	size_t n;

	if (!api_has(given, offsetof(struct tl_source, agent)))
		return err_set(err, E_INVAL, "struct tl_source whose size is not set");
	api_copy_in(&s, sizeof s, given);
	const struct dialect *d = dialect_find(s.dialect ? str_from(s.dialect) : STR("gemini"));
	if (!d)
		return err_set(err, E_INVAL, "unknown dialect \"%s\"", s.dialect);
	AUTO(free) char *full = s.name ? fs_absolute(h->dirs.cwd, s.name) : NULL;
	const struct settings_place *place = full ? place_by_path(full, h->dirs.env, &n) : NULL;
	struct source src = {
		.tier = s.tier,
		.dialect = d,
		.path = arena_z(&h->arena, str_from(s.name ? s.name : "(given)")),
		.text = arena_str(&h->arena, (struct str){ s.text, s.length }),
		.agent = s.agent ? arena_z(&h->arena, str_from(s.agent)) : NULL,
		.skill = s.skill ? arena_z(&h->arena, str_from(s.skill)) : NULL,
		.own = !s.agent && !s.skill && !s.extension,
		.trotlines = place && place->own,
		.extension_name = s.extension ? arena_z(&h->arena, str_from(s.extension)) : NULL,
	};
	if (settings_parse(&h->arena, src.path, src.text, &src.doc, err) < 0)
		return -err->code;
	if ((src.agent || src.skill) && hooks_are_native(json_getz(src.doc, "hooks")))
		src.dialect = &dialects[DIALECT_GEMINI];
	return source_add(h, src, err);
}

int sources_read(struct tl_hooks *h, const struct tl_options *o, struct err *err)
{
	for (size_t i = 0; i < o->nsources; i++) {
		int r = add_given(
			h, (const void *)((const char *)o->sources + i * o->sources->size), err);
		if (r < 0)
			return r;
	}
	return o->flags & TL_LOAD_NO_FILES ? 0 : read_places(h, PLACE_READ, ~0u, 0, err);
}

/* Does a hook say this dialect, however deep?  Then the file's hooks were migrated. */
static bool speaks(const struct json *v, const char *name)
{
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		if (speaks(json_at(v, i), name))
			return true;
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++) {
		const struct json_member *m = &v->members[i];

		if ((str_eqz(m->key, "dialect") && str_eqz(json_str(&m->v, STR("")), name)) ||
		    speaks(&m->v, name))
			return true;
	}
	return false;
}

/* A file of the project with hooks that somebody may believe to run. */
static void note_unread(struct tl_hooks *h, const struct settings_place *p)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *path = place_path(p, &h->dirs, &h->arena), *name = p->dialect;
	struct str text;
	const struct json *doc, *hooks;
	struct json_where where;
	struct place at;

	if (!path || settings_read(&a, path, &text, &doc, NULL) <= 0)
		return;
	hooks = json_getz(doc, "hooks");
	if (!json_is(hooks, J_OBJ) || hooks->n == 0)
		return;
	for (size_t i = 0; i < h->sources.n; i++)
		if (speaks(json_getz(h->sources.p[i].doc, "hooks"), name))
			return;
	where = json_locate(text, hooks->pos);
	at = (struct place){ path, where.line, where.column, "hooks" };
	diag_add(&h->diags, TL_SEVERITY_NOTE, "unread-hooks", &at,
		 "these hooks do not run here. \"hooksConfig\": {\"sources\": [\"%s\"]} in "
		 ".gemini/settings.json runs them as they are; \"sources\": [] silences this note",
		 name);
}

static bool counts(const struct tl_hooks *h, const struct source *s)
{
	/* The settings of an untrusted folder do not steer other people's hooks, nor do those of a
	 * project whose hooks are left out. */
	return !tiers[s->tier].foreign ||
	       (h->folder_trusted && !(h->load_flags & TL_LOAD_NO_PROJECT));
}

/* The dialects that "sources" asks for, as bits.  What is no name and no list may mean any. */
static unsigned wanted_by(const struct json *list)
{
	unsigned all = 0, wanted = 0;

	for (size_t d = 0; d < ARRAY_LEN(dialects); d++) {
		struct str name = str_from(dialects[d].name), said = json_str(list, STR(""));

		all |= 1u << d;
		if (str_eq_icase(said, name))
			return 1u << d;
	}
	if (!json_is(list, J_ARR))
		return json_is(list, J_STR) ? 0 : all;
	for (size_t i = 0; i < list->n; i++)
		wanted |= json_is(json_at(list, i), J_ARR) ? all : wanted_by(json_at(list, i));
	return wanted;
}

int sources_read_wanted(struct tl_hooks *h, struct err *err)
{
	unsigned own = 0, foreign = 0;
	bool said = false;

	if (h->load_flags & TL_LOAD_NO_FILES)
		return 0;
	for (size_t i = 0; i < h->sources.n; i++) {
		const struct source *s = &h->sources.p[i];
		const struct json *list = json_pointer(s->doc, STR("/hooksConfig/sources"));

		if (!list || (!counts(h, s) && h->load_flags & TL_LOAD_NO_PROJECT))
			continue;
		said = true;
		/* Of a folder that is not trusted, too: whoever is asked about it must see
		 * these hooks (C7.4). */
		*(counts(h, s) ? &own : &foreign) |= wanted_by(list);
	}
	h->wanted = own;
	h->wanted_once_trusted = own | foreign;
	for (size_t d = 0; d < DIALECT_COUNT; d++)
		if (own & 1u << d)
			h->wanted_names = arena_printf(&h->arena, "%s%s%s",
						       h->wanted_names ? h->wanted_names : "",
						       h->wanted_names ? " " : "", dialects[d].name)
						  .p;
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_HOOKS));)
		if (p->use == PLACE_WANTED && tiers[p->tier].foreign && !said && !h->agent_reads &&
		    !(h->load_flags & TL_LOAD_NO_PROJECT))
			note_unread(h, p);
	return read_places(h, PLACE_WANTED, own, foreign, err);
}

/* ---- scalars ---- */

/* The next source in the order in which scalars override each other; NULL after the last. */
static const struct source *next_by_weight(const struct tl_hooks *h, const struct source *s)
{
	int weight = s ? s->weight : 0;

	for (const struct source *p = s ? s + 1 : h->sources.p; h->sources.n && weight <= TIERS;
	     p = h->sources.p, weight++)
		for (; p < h->sources.p + h->sources.n; p++)
			if (p->weight == weight)
				return p;
	return NULL;
}

struct odd_config {
	struct tl_hooks *h;
	const struct source *s;
	const char *section; /* "hooksConfig.", "hooks." */
};

static void say_odd(void *data, const struct object_odd *odd)
{
	const struct odd_config *c = data;
	struct place at = source_place(c->s, &c->h->arena, odd->pos, "%s%s", c->section, odd->path);
	/* What should have made hooks stricter does. */
	const char *taken = odd->key == &config_keys[C_ON_FAILURE]        ? "; taken as \"deny\""
			    : odd->key == &config_keys[C_SANDBOX_PROJECT] ? "; taken as true"
									  : " (ignored)";

	diag_add(&c->h->diags, odd->error ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING, odd->code, &at,
		 "%s%s", odd->text, odd->error ? taken : "");
}

static void add_disabled(struct settings *set, const struct source *s, const struct json *list)
{
	for (size_t i = 0; list && i < list->n; i++) {
		if (!json_is(json_at(list, i), J_STR))
			continue;
		VEC_ROOM(set->disabled, set->ndisabled, set->disabled_cap);
		set->disabled[set->ndisabled++] =
			(struct disabled_name){ json_str(json_at(list, i), STR("")), s->path,
						s->tier };
	}
}

static void set_enabled(struct settings *set, const struct source *s, bool yes)
{
	set->enabled = yes;
	for (size_t t = 0; t < ARRAY_LEN(set->guards_enabled); t++)
		if (tier_switches_guards(s->tier, (enum tl_tier)t))
			set->guards_enabled[t] = yes;
}

/* Older spellings: an explicit false disables, a list is united (C7.3). */
static void merge_legacy(struct tl_hooks *h, const struct source *s)
{
	const struct json *hooks = json_getz(s->doc, "hooks");
	const struct json *tools = json_getz(s->doc, "tools");
	const struct json *old[] = { json_getz(hooks, "enabled"), json_getz(tools, "enableHooks") };
	const char *names[] = { "hooks.enabled", "tools.enableHooks" };
	const struct json *list = json_getz(hooks, "disabled");
	struct odd_config where = { h, s, "hooks." };
	struct object_value got[1];
	struct object_reader r = { .keys = &config_keys[C_DISABLED],
				   .n = 1,
				   .open = true,
				   .odd = say_odd,
				   .data = &where };

	for (size_t i = 0; i < ARRAY_LEN(old); i++) {
		if (!json_is(old[i], J_BOOL))
			continue;
		struct place at = source_place(s, &h->arena, old[i]->pos, "%s", names[i]);
		diag_add(&h->diags, TL_SEVERITY_WARNING, "legacy-key", &at,
			 "%s is an older spelling of hooksConfig.enabled%s", names[i],
			 old[i]->yes ? "; true changes nothing" : "; hooks are switched off");
		if (!old[i]->yes)
			set_enabled(&h->set, s, false);
	}
	if (json_is(list, J_ARR)) {
		struct place at = source_place(s, &h->arena, list->pos, "hooks.disabled");
		diag_add(&h->diags, TL_SEVERITY_WARNING, "legacy-key", &at,
			 "hooks.disabled is an older spelling of hooksConfig.disabled; both count");
		object_read(&r, hooks, got);
		add_disabled(&h->set, s, got[0].v);
	}
}

static void merge_hooks_config(struct tl_hooks *h, const struct source *s)
{
	static const struct object_key root = { .name = "hooksConfig", .type = J_OBJ };
	struct odd_config top = { h, s, "" }, inside = { h, s, "hooksConfig." };
	struct object_value config, got[CONFIG_KEYS];
	struct object_reader r = {
		.keys = &root, .n = 1, .open = true, .odd = say_odd, .data = &top
	};
	struct settings *set = &h->set;

	object_read(&r, s->doc, &config);
	r = (struct object_reader){
		.keys = config_keys, .n = CONFIG_KEYS, .odd = say_odd, .data = &inside
	};
	object_read(&r, config.v, got);
	if (got[C_ENABLED].v)
		set_enabled(set, s, got[C_ENABLED].v->yes);
	if (got[C_NOTIFICATIONS].v)
		set->notifications = got[C_NOTIFICATIONS].v->yes;
	add_disabled(set, s, got[C_DISABLED].v);
	for (size_t t = 0; t < ARRAY_LEN(set->on_failure); t++) {
		if (tier_authority((enum tl_tier)t) > tier_authority(s->tier))
			continue;
		if (got[C_ON_FAILURE].wrong)
			set->on_failure[t] = FAIL_DENY;
		else if (got[C_ON_FAILURE].v)
			set->on_failure[t] =
				on_failure_find(json_str(got[C_ON_FAILURE].v, STR("")));
	}
	if (got[C_MAX_RETRIES].v)
		set->max_retries = (int)json_num(got[C_MAX_RETRIES].v, 0);
	/* A project may ask for it; only others can do without. */
	if (got[C_SANDBOX_PROJECT].wrong || json_is_true(got[C_SANDBOX_PROJECT].v))
		set->sandbox_project = SANDBOX_ON;
	else if (got[C_SANDBOX_PROJECT].v && !tiers[s->tier].foreign)
		set->sandbox_project = SANDBOX_OFF;
	/* What goes on after an agent's call is the user's to decide. */
	if (got[C_RESIDENT].v && !tiers[s->tier].foreign)
		set->resident = got[C_RESIDENT].v->yes;
	if (got[C_DIALECT].v)
		set->claude_keys = dialect_find(json_str(got[C_DIALECT].v, STR("")));
}

void settings_find_trust(struct tl_hooks *h)
{
	h->set.folder_trust = true;
	for (const struct source *s = NULL; (s = next_by_weight(h, s));) {
		const struct json *yes = json_pointer(s->doc, STR("/security/folderTrust/enabled"));

		/* A project does not decide whether it is trusted. */
		if (json_is(yes, J_BOOL) && !tiers[s->tier].foreign)
			h->set.folder_trust = yes->yes;
	}
}

static void merge_others(struct tl_hooks *h, const struct source *s)
{
	const struct json *security = json_getz(s->doc, "security");
	const struct json *redact = json_getz(security, "environmentVariableRedaction");
	const struct json *naming = json_getz(json_getz(s->doc, "mcp"), "toolNaming");
	bool foreign = tiers[s->tier].foreign;

	/* A project may ask for redaction, but not switch the user's off. */
	if (json_is(json_getz(redact, "enabled"), J_BOOL) &&
	    (!foreign || json_getz(redact, "enabled")->yes))
		h->set.redact = json_getz(redact, "enabled")->yes;
	if (json_is(json_getz(redact, "allowed"), J_ARR) && !foreign)
		h->set.redact_allowed = json_getz(redact, "allowed");
	if (json_is(json_getz(redact, "blocked"), J_ARR) && (!foreign || !h->set.redact_blocked))
		h->set.redact_blocked = json_getz(redact, "blocked");
	if (json_is(naming, J_STR))
		h->set.mcp_single = str_eqz(json_str(naming, STR("")), "single");
	/* Claude Code's own switch, for the hooks of its files. */
	if (s->dialect->off_key && json_is_true(json_getz(s->doc, s->dialect->off_key)) &&
	    (!h->set.claude_off ||
	     tier_authority(h->set.claude_off_tier) <= tier_authority(s->tier))) {
		h->set.claude_off = s->path;
		h->set.claude_off_tier = s->tier;
	}
}

/* Claude Code's plugins that this file switches on or off.  What a project switches off is kept as
 * such: it does not lose the user a guard (C7.2). */
static void merge_plugins(struct tl_hooks *h, const struct source *s)
{
	const char *key = s->dialect->plugins_key;
	const struct json *list = key ? json_getz(s->doc, key) : NULL, **all = &h->set.plugins;
	struct arena *a = &h->arena;

	for (size_t i = 0; json_is(list, J_OBJ) && i < list->n; i++) {
		const struct json_member *m = &list->members[i];
		bool off = json_is_false(&m->v);

		if (off && !json_get(*all, m->key))
			continue;
		if (off && !tiers[s->tier].foreign)
			*all = json_without(a, *all, m->key);
		else
			*all = json_set(a, *all, m->key,
					off ? json_new_str(a, STR("off")) : json_new_bool(a, true));
	}
}

void settings_merge(struct tl_hooks *h)
{
	bool folder_trust = h->set.folder_trust;
	const char *retries;
	int64_t n;

	h->set = (struct settings){
		.enabled = true,
		.notifications = true,
		.max_retries = 8,
		.folder_trust = folder_trust,
	};
	for (const struct source *s = NULL; (s = next_by_weight(h, s));)
		if (counts(h, s))
			settings_env_merge(h, s);
	h->dirs.env = env_with(&h->arena, h->dirs.env, h->set.own_env.p);
	/* C4.11; Claude Code's variable, for those who set it. */
	retries = env_get(h->dirs.env, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP");
	if (retries && str_to_int(str_from(retries), &n) && n >= 0 && n <= RETRIES_LIMIT)
		h->set.max_retries = (int)n;
	for (size_t t = 0; t < TIERS; t++)
		h->set.guards_enabled[t] = true;
	for (const struct source *s = NULL; (s = next_by_weight(h, s));) {
		if (!counts(h, s))
			continue;
		merge_hooks_config(h, s);
		merge_legacy(h, s);
		merge_others(h, s);
		merge_plugins(h, s);
	}
	h->set.plugins_text =
		h->set.plugins ? json_text(&h->arena, h->set.plugins, JSON_COMPACT).p : "{}";
}
