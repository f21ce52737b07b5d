/*
 * ConfigChange and FileChanged.  The files are looked at where the session pauses: before a
 * prompt, after tools, when it ends a turn, before the configuration is read anew, and, at a
 * terminal, when the kernel says that something happened to one of them.
 */
#include "agent/watching.h"

#include "agent/session_impl.h"
#include "base/path.h"
#include "os/fd.h"
#include "os/fs.h"
#include "settings/places.h"

enum watched_kind { WATCHED_FILE, WATCHED_CONFIG };

enum { WATCHED_MAX = 1000 };

struct paths {
	const char **p;
	size_t n, cap;
};

static void add_path(struct paths *list, const char *path)
{
	if (list->n < WATCHED_MAX)
		*VEC_ADD(list) = path;
}

/* ---- which ones ---- */

/* Is there a hook of the event at all, whatever its matcher? */
static bool has_hook(const struct session *s, const char *moment)
{
	for (size_t i = 0; i < tl_hooks_count(s->o.hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(s->o.hooks, i, &h);
		if (h.state == TL_STATE_WOULD_RUN && strcmp(h.moment, moment) == 0)
			return true;
	}
	return false;
}

static struct dirs dirs_of(const struct session *s)
{
	return (struct dirs){ .cwd = s->o.cwd,
			      .project = s->o.project,
			      .home = s->o.home ? s->o.home : "",
			      .env = s->o.env };
}

static const struct settings_place *next_settings(const struct settings_place *p)
{
	while ((p = place_next(p, NULL, PLACE_HOOKS | PLACE_SETTINGS)) && p->use == PLACE_FOREIGN)
		;
	return p;
}

void session_watch(struct session *s)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct watching *w = &s->watching;
	struct dirs dirs = dirs_of(s);
	struct paths files = { 0 }, config = { 0 };
	bool has_config = has_hook(s, "ConfigChange");

	if (!w->changes && !has_config && !has_hook(s, "FileChanged"))
		return;
	if (!w->changes)
		w->changes = changes_new();
	/* A matcher of FileChanged is the list of files itself: names in the current directory. */
	for (size_t i = 0; i < tl_hooks_count(s->o.hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();
		struct str rest, name;

		(void)tl_hooks_get(s->o.hooks, i, &h);
		if (h.state != TL_STATE_WOULD_RUN || strcmp(h.moment, "FileChanged") != 0)
			continue;
		rest = str_from(h.matcher);
		while (path_next_name(&rest, &name))
			add_path(&files, arena_printf(&a, "%s/%.*s", s->o.cwd, STR_ARG(name)).p);
	}
	for (size_t i = 0; i < w->asked.n; i++)
		add_path(&files, w->asked.p[i]);
	*VEC_ADD(&files) = NULL;
	changes_set(w->changes, WATCHED_FILE, files.p);
	free(files.p);
	for (const struct settings_place *p = NULL; has_config && (p = next_settings(p));) {
		const char *path = place_path(p, &dirs, &a);

		if (path)
			add_path(&config, path);
	}
	for (size_t i = 0; has_config && s->o.skills && i < s->o.skills->n; i++)
		add_path(&config, s->o.skills->p[i].file);
	*VEC_ADD(&config) = NULL;
	changes_set(w->changes, WATCHED_CONFIG, config.p);
	free(config.p);
}

static void forget_asked(struct watching *w)
{
	for (size_t i = 0; i < w->asked.n; i++)
		free(w->asked.p[i]);
	w->asked.n = 0;
}

void watching_done(struct watching *w)
{
	changes_free(w->changes);
	forget_asked(w);
	free(w->asked.p);
	for (size_t i = 0; i < w->refused.n; i++) {
		free(w->refused.p[i].path);
		free(w->refused.p[i].why);
	}
	free(w->refused.p);
}

/* watchPaths replaces what was asked for before. */
void session_watch_paths(struct session *s, const struct tl_outcome *o)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *paths = o ? outcome_change(&a, o, TL_CHANGE_WATCH_PATHS) : NULL;

	if (!json_is(paths, J_ARR))
		return;
	forget_asked(&s->watching);
	for (size_t i = 0; i < paths->n && i < WATCHED_MAX; i++) {
		const char *path = arena_z(&a, json_str(json_at(paths, i), STR("")));

		if (*path == '/')
			*VEC_ADD(&s->watching.asked) = xstrdup(path);
		else
			session_note(s, NOTE_WARNING,
				     "watchPaths of hook %s: \"%.200s\" is not an absolute path",
				     outcome_changer(&a, o, TL_CHANGE_WATCH_PATHS), path);
	}
	session_watch(s);
}

/* ---- FileChanged ---- */

static void file_changed(struct session *s, const struct change *change, struct arena *a)
{
	static const char *const words[] = {
		[CHANGE_CHANGED] = "change", [CHANGE_ADDED] = "add", [CHANGE_UNLINKED] = "unlink"
	};
	struct tl_field fields[] = {
		field_str(a, "file_path", str_from(change->path)),
		field_str(a, "event", str_from(words[change->how])),
	};
	struct fire_args args = { .event = "FileChanged",
				  .subject = strrchr(change->path, '/') + 1,
				  .fields = fields,
				  .nfields = ARRAY_LEN(fields),
				  .turn_id = s->turn ? s->turn->id : NULL };
	struct tl_outcome *o;
	struct err err;

	if (!session_wants_this(s, &args))
		return;
	if (hook_env_begin(&s->hook_env, s->o.hooks, true, &s->tools, &args.env_file, &err) < 0)
		session_note(s, NOTE_WARNING, "Hooks cannot set up the shell: %s", err.text);
	o = session_fire(s, &args);
	if (hook_env_end(&s->hook_env, &s->tools, o, &err) < 0)
		session_note(s, NOTE_WARNING,
			     "What hooks wrote to CLAUDE_ENV_FILE does not count: %s", err.text);
	session_watch_paths(s, o);
	tl_outcome_free(o);
}

/* ---- ConfigChange ---- */

static const char *source_of(const struct session *s, const char *path)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct dirs dirs = dirs_of(s);

	for (const struct settings_place *p = NULL; (p = next_settings(p));) {
		const char *place = place_path(p, &dirs, &a);

		if (!place || strcmp(place, path) != 0)
			continue;
		return p->personal ? "local_settings" : tiers[p->tier].change_source;
	}
	return "skills";
}

/* No hook may refuse what the system's administrator changes. */
static void config_changed(struct session *s, const struct change *change, struct arena *a)
{
	const char *source = source_of(s, change->path);
	struct tl_field field = field_str(a, "file_path", str_from(change->path));
	struct fire_args args = { .event = "ConfigChange",
				  .subject = source,
				  .fields = &field,
				  .nfields = 1,
				  .turn_id = s->turn ? s->turn->id : NULL };
	struct watching *w = &s->watching;
	const char *why = NULL;
	struct tl_outcome *o;
	enum end end;
	size_t i = 0;

	if (session_wants_this(s, &args)) {
		o = session_fire(s, &args);
		end = outcome_end(o);
		if (end != END_DONE && strcmp(source, "policy_settings") != 0)
			why = arena_z(a,
				      str_from(end == END_BLOCKED   ? tl_outcome_reason(o)
					       : end == END_STOPPED ? tl_outcome_stop_reason(o)
								    : "its hooks were cancelled"));
		tl_outcome_free(o);
	}
	while (i < w->refused.n && strcmp(w->refused.p[i].path, change->path) != 0)
		i++;
	if (i < w->refused.n) {
		free(w->refused.p[i].path);
		free(w->refused.p[i].why);
		w->refused.p[i] = w->refused.p[--w->refused.n];
	}
	if (why)
		*VEC_ADD(&w->refused) = (struct refused){ xstrdup(change->path), xstrdup(why) };
	if (why)
		session_note(s, NOTE_BLOCKED, "A hook refuses the change of %s: %s", change->path,
			     why);
}

/* ---- when ---- */

void session_look_at_files(struct session *s)
{
	struct change change;
	size_t n = 0;

	if (!s->watching.changes)
		return;
	(void)changes_heard(s->watching.changes);
	/* A hook that changes the file it watches does not keep us here. */
	while (n++ < WATCHED_MAX && changes_next(s->watching.changes, &change)) {
		AUTO(arena_done) struct arena a = { 0 };

		change.path = arena_z(&a, str_from(change.path));
		if (change.kind == WATCHED_FILE)
			file_changed(s, &change, &a);
		else
			config_changed(s, &change, &a);
	}
}

int session_may_reload(struct session *s, struct err *err)
{
	session_look_at_files(s);
	if (!s->watching.refused.n)
		return 0;
	return err_set(
		err, E_UNTRUSTED,
		"The configuration stays as it is: a hook of ConfigChange refused the change "
		"of %s: %s",
		s->watching.refused.p[0].path, s->watching.refused.p[0].why);
}
