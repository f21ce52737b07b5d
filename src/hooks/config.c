/* Putting a snapshot together: sources, scalars, trust, hooks in run order, each with its state. */
#include "base/words.h"

#include <unistd.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "hooks/api.h"
#include "hooks/confined.h"
#include "hooks/env.h"
#include "hooks/handlers.h"
#include "hooks/policies.h"
#include "hooks/trust.h"
#include "os/fs.h"
#include "settings/home.h"

static int set_dirs(struct tl_hooks *h, const struct tl_options *o, struct err *err)
{
	extern char **environ;
	struct dirs *d = &h->dirs;
	AUTO(free) char *here = o->cwd ? fs_real(o->cwd) : getcwd(NULL, 0);
	AUTO(free) char *absolute = o->cwd ? fs_absolute("/", o->cwd) : NULL;
	AUTO(free) char *project = NULL, *home = NULL, *outer = NULL;

	if (!here && !absolute)
		return err_set(err, E_NOTFOUND, "the current directory does not exist any longer");
	d->env = o->env ? o->env : (const char *const *)environ;
	d->cwd = arena_z(&h->arena, str_from(here ? here : absolute ? absolute : "/"));
	if (o->home && *o->home)
		home = fs_absolute(d->cwd, o->home);
	else if (home_find(d->env, &home, err) < 0 && !(h->load_flags & TL_LOAD_NO_FILES))
		return -err->code;
	d->home = arena_z(&h->arena, str_from(home));
	project = o->project_dir ? fs_absolute(d->cwd, o->project_dir)
				 : project_find(d->cwd, d->home);
	d->project = arena_z(&h->arena, str_from(project));
	/* One project, one set of settings: what a directory above has is not lost in silence. */
	if (!o->project_dir && !(h->load_flags & TL_LOAD_NO_FILES))
		outer = project_outer(d->project, d->home);
	if (outer)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "outer-settings", NULL,
			 "the settings and hooks of %s do not apply here, because %s has its own; "
			 "start there, or put guards into the user's settings",
			 outer, d->project);
	return 0;
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
		if (!r->event || !dialect_of_runtime(str_from(r->event)))
			return err_set(err, E_INVAL, "runtime hook %s: unknown event \"%s\"",
				       r->name, r->event ? r->event : "");
		r->name = arena_z(&h->arena, str_from(r->name));
		r->matcher = arena_z(&h->arena, str_from(r->matcher));
		r->event = arena_z(&h->arena, str_from(r->event));
	}
	return 0;
}

static int copy_handlers(struct tl_hooks *h, const struct tl_options *o, struct err *err)
{
	h->handlers = ARENA_ARRAY(&h->arena, struct tl_handler, o->nhandlers + 1);
	for (size_t i = 0; i < o->nhandlers; i++) {
		const char *given = (const char *)o->handlers + i * o->handlers->size;
		struct tl_handler *r = &h->handlers[i];

		if (!api_has(given, sizeof *r))
			return err_set(err, E_INVAL, "a handler whose size is not set");
		api_copy_in(r, sizeof *r, given);
		const struct handler *row = handler_find(str_from(r->type));
		if (!row || !r->start)
			return err_set(err, E_INVAL,
				       "a handler needs a function and a type: \"%s\" is none",
				       r->type ? r->type : "");
		r->type = row->type;
	}
	return 0;
}

/* C7.2, C7.3 */
static void disable(struct tl_hooks *h, struct hook *hook)
{
	const struct settings *set = &h->set;
	const struct tier *tier = &tiers[hook->tier];

	if (!(tier->own_switch || hook->guard ? set->guards_enabled[hook->tier] : set->enabled)) {
		hook->state = TL_STATE_DISABLED;
		hook->why = "hooks are switched off (hooksConfig.enabled)";
		return;
	}
	if (!set->enabled)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "not-disabled", &hook->at,
			 "\"%s\" is not disabled: hooksConfig.enabled of a lower tier does not "
			 "switch it off",
			 hook_label(&h->arena, hook));
	for (size_t i = 0; i < set->ndisabled; i++) {
		const struct disabled_name *d = &set->disabled[i];
		bool below = hook->guard ? !tier_switches_guards(d->tier, hook->tier)
					 : tier_authority(d->tier) < tier_authority(hook->tier);

		/* By its command alone, too, where its arguments are part of what it is called. */
		if (!str_eqz(d->name, hook->id) &&
		    !(!*hook->name && hook->args && str_eqz(d->name, hook->command)))
			continue;
		/* Names are united over the tiers (C7.3), but a guard is not for those below it. */
		if (below && (hook->guard || tier->own_names)) {
			diag_add(&h->diags, TL_SEVERITY_WARNING, "not-disabled", &hook->at,
				 "\"%s\" is not disabled: hooksConfig.disabled of %s is of a "
				 "lower tier",
				 hook_label(&h->arena, hook), d->file);
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
	AUTO(free) char *found = NULL;
	const char *path;
	bool extensions;

	h->diags.arena = &h->arena;
	r = set_dirs(h, o, err);
	r = r < 0 ? r : copy_runtime(h, o, err);
	r = r < 0 ? r : copy_handlers(h, o, err);
	r = r < 0 ? r : sources_read(h, o, err);
	if (r < 0)
		return r;
	/* Whether the project's scalars count depends on trust, which the others' decide. */
	settings_find_trust(h);
	trust_folder(h);
	r = sources_read_wanted(h, err);
	if (r < 0)
		return r;
	settings_merge(h);
	/* They are Gemini CLI's: as the hook of another agent we read them like its files. */
	extensions = !h->agent_reads || (h->wanted & 1u << DIALECT_GEMINI &&
					 !word_in_text(STR("gemini"), h->agent_reads));
	if (extensions && !(h->load_flags & TL_LOAD_NO_FILES))
		r = hooks_add_extensions(h, o->extensions, err);
	if (r < 0)
		return r;
	hooks_read_runtime(h);
	for (int order = 0; order < TIERS; order++)
		for (size_t i = 0; i < h->sources.n; i++)
			if (tiers[h->sources.p[i].tier].order == order)
				hooks_read(h, &h->sources.p[i]);
	policies_read(h);
	if (h->fatal.code) {
		*err = h->fatal;
		return -h->fatal.code;
	}
	for (size_t i = 0; i < h->nhooks; i++)
		disable(h, h->hooks[i]);
	trust_hooks(h);
	policies_settle(h);
	confine_hooks(h);
	index_hooks(h);
	/* The shell that commands are written for (C6.1). */
	path = env_get(h->dirs.env, "PATH");
	h->shell = "/bin/sh";
	if (path && fs_find_program("bash", path, &found))
		h->shell = arena_z(&h->arena, str_from(found));
	else if (fs_is_program("/bin/bash"))
		h->shell = "/bin/bash";
	h->env = env_inherited(&h->arena, h->dirs.env, &h->set);
	h->dirs.env = h->env; /* the caller's is not borrowed any longer */
	return 0;
}

void config_done(struct tl_hooks *h)
{
	for (size_t i = 0; i < h->nhooks; i++)
		matcher_done(&h->hooks[i]->matcher);
	free(h->hooks);
	policies_done(h);
	free(h->sources.p);
	free(h->set.disabled);
	free(h->set.own_env.p);
	free(h->set.project_env.p);
	diags_done(&h->diags);
	arena_done(&h->arena);
}
