/* Putting a snapshot together: sources, scalars, trust, hooks in run order, each with its state. */
#include "hooks/config.h"

#include <unistd.h>

#include "base/vec.h"
#include "hooks/api.h"
#include "hooks/env.h"
#include "hooks/trust.h"
#include "os/fs.h"

int tier_authority(enum tl_tier t)
{
	static const int rank[] = { [TL_TIER_RUNTIME] = 4,
				    [TL_TIER_SYSTEM] = 3,
				    [TL_TIER_USER] = 2,
				    [TL_TIER_PROJECT] = 1,
				    [TL_TIER_EXTENSION] = 0 };

	return rank[t];
}

static int set_dirs(struct tl_hooks *h, const struct tl_options *o, struct err *err)
{
	extern char **environ;
	struct dirs *d = &h->dirs;
	AUTO(free) char *here = o->cwd ? fs_real(o->cwd) : getcwd(NULL, 0);
	AUTO(free) char *absolute = o->cwd ? fs_absolute("/", o->cwd) : NULL;
	AUTO(free) char *project = NULL;
	const char *home = o->home;

	if (!here && !absolute)
		return err_set(err, E_NOTFOUND, "the current directory does not exist any longer");
	d->env = o->env ? o->env : (const char *const *)environ;
	d->cwd = arena_z(&h->arena, str_from(here ? here : absolute ? absolute : "/"));
	if (!home)
		home = env_get(d->env, "GEMINI_CLI_HOME");
	if (!home || !*home)
		home = env_get(d->env, "HOME");
	/* A relative home would be a directory of the project. */
	bool usable = home && (*home == '/' || o->home);
	AUTO(free) char *full_home = usable ? fs_absolute(d->cwd, home) : xstrdup("");
	d->home = arena_z(&h->arena, str_from(full_home));
	project = o->project_dir ? fs_absolute(d->cwd, o->project_dir)
				 : project_find(d->cwd, d->home);
	d->project = arena_z(&h->arena, str_from(project));
	return 0;
}

/* The shell that commands are written for (C6.1). */
static void find_shell(struct tl_hooks *h)
{
	AUTO(free) char *found = NULL;
	const char *path = env_get(h->dirs.env, "PATH");

	h->shell = "/bin/sh";
	if (path && fs_find_program("bash", path, &found))
		h->shell = arena_z(&h->arena, str_from(found));
	else if (fs_is_program("/bin/bash"))
		h->shell = "/bin/bash";
}

static int copy_runtime(struct tl_hooks *h, const struct tl_options *o, struct err *err)
{
	h->runtime = ARENA_ARRAY(&h->arena, struct tl_runtime_hook, o->nruntime + 1);
	for (size_t i = 0; i < o->nruntime; i++) {
		struct tl_runtime_hook *r = &h->runtime[i];
		const char *given = (const char *)o->runtime + i * o->runtime->size;

		if (!api_has(given, sizeof *r))
			return err_set(err, E_INVAL, "a runtime hook whose size is not set");
		api_copy_in(r, sizeof *r, given);
		if (!r->name || !*r->name || !r->call)
			return err_set(err, E_INVAL, "a runtime hook needs a name and a function");
		if (!r->event || !dialect_event_find(&dialects[DIALECT_GEMINI], str_from(r->event)))
			return err_set(err, E_INVAL, "runtime hook %s: there is no event \"%s\"",
				       r->name, r->event ? r->event : "");
		r->name = arena_z(&h->arena, str_from(r->name));
		r->matcher = arena_z(&h->arena, str_from(r->matcher));
		r->event = arena_z(&h->arena, str_from(r->event));
	}
	return 0;
}

static void read_hooks(struct tl_hooks *h)
{
	static const enum tl_tier order[] = { TL_TIER_RUNTIME, TL_TIER_PROJECT, TL_TIER_USER,
					      TL_TIER_SYSTEM, TL_TIER_EXTENSION };

	hooks_read_runtime(h);
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (size_t i = 0; i < h->sources.n; i++)
			if (h->sources.p[i].tier == order[k])
				hooks_read(h, &h->sources.p[i]);
}

/* C7.2, C7.3 */
static void disable(struct tl_hooks *h, struct hook *hook)
{
	const struct settings *set = &h->set;
	bool system = hook->tier == TL_TIER_SYSTEM;

	if (!(system || hook->guard ? set->guards_enabled[hook->tier] : set->enabled)) {
		hook->state = TL_STATE_DISABLED;
		hook->why = "hooks are switched off (hooksConfig.enabled)";
		return;
	}
	for (size_t i = 0; i < set->ndisabled; i++) {
		const struct disabled_name *d = &set->disabled[i];
		bool below = tier_authority(d->tier) < tier_authority(hook->tier);

		if (!str_eqz(d->name, hook->id))
			continue;
		/* Names are united over the tiers (C7.3), but a guard is not for those below it. */
		if (below && (hook->guard || system || hook->tier == TL_TIER_RUNTIME)) {
			diag_add(&h->diags, TL_WARNING, "not-disabled", &hook->at,
				 "\"%s\" is not disabled: hooksConfig.disabled of %s is of a "
				 "lower tier",
				 hook->id, d->file);
			continue;
		}
		hook->state = TL_STATE_DISABLED;
		hook->why =
			arena_printf(&h->arena, "disabled by hooksConfig.disabled in %s", d->file)
				.p;
		return;
	}
}

/* Groups the hooks by event, keeping the run order. */
static void index_hooks(struct tl_hooks *h)
{
	struct hook **sorted = xcalloc(h->nhooks, sizeof *sorted);
	size_t n = 0;

	for (size_t ev = 0; ev < EV_COUNT; ev++) {
		h->by_event[ev].p = sorted + n;
		for (size_t i = 0; i < h->nhooks; i++)
			if (h->hooks[i]->event->id == (enum event_id)ev)
				sorted[n++] = h->hooks[i];
		h->by_event[ev].n = (size_t)(sorted + n - h->by_event[ev].p);
	}
	free(h->hooks);
	h->hooks = sorted;
	for (size_t i = 0; i < n; i++)
		h->hooks[i]->index = i;
}

int config_load(struct tl_hooks *h, const struct tl_options *o, struct err *err)
{
	int r;

	h->diags.arena = &h->arena;
	r = set_dirs(h, o, err);
	r = r < 0 ? r : copy_runtime(h, o, err);
	r = r < 0 ? r : sources_read(h, o, err);
	if (r < 0)
		return r;
	/* Whether the project's scalars count depends on trust, which depends on the others'
	 * scalars. */
	h->diag_mark = h->diags.n;
	settings_merge(h);
	trust_folder(h);
	settings_merge(h);
	h->diags.n = h->diag_mark;
	r = sources_read_wanted(h, err);
	if (r < 0)
		return r;
	h->diag_mark = h->diags.n;
	settings_merge(h);
	r = h->load_flags & TL_LOAD_NO_FILES ? 0 : hooks_add_extensions(h, o->extensions, err);
	if (r < 0)
		return r;
	read_hooks(h);
	if (h->fatal.code) {
		*err = h->fatal;
		return -h->fatal.code;
	}
	for (size_t i = 0; i < h->nhooks; i++)
		disable(h, h->hooks[i]);
	trust_hooks(h);
	index_hooks(h);
	find_shell(h);
	h->env = env_inherited(&h->arena, h->dirs.env, &h->set);
	h->dirs.env = h->env; /* the caller's is not borrowed any longer */
	return 0;
}

void config_done(struct tl_hooks *h)
{
	for (size_t i = 0; i < h->nhooks; i++)
		matcher_done(&h->hooks[i]->matcher);
	free(h->hooks);
	free(h->sources.p);
	free(h->set.disabled);
	diags_done(&h->diags);
	arena_done(&h->arena);
}
