#include "agent/catalog/hook_sources.h"

#include "agent/catalog/agent_defs.h"
#include "agent/catalog/skills.h"
#include "base/vec.h"

struct found {
	struct tl_source *p;
	size_t n, cap;
};

static void add(struct found *f, enum catalog_origin origin, struct tl_source s, struct str hooks)
{
	s.size = sizeof s;
	s.dialect = "claude";
	s.tier = origin == CATALOG_PROJECT     ? TL_TIER_PROJECT
		 : origin == CATALOG_EXTENSION ? TL_TIER_EXTENSION
					       : TL_TIER_USER;
	s.text = hooks.p;
	s.length = hooks.n;
	if (hooks.p)
		*VEC_ADD(f) = s;
}

/* What is broken, or overrides another one, is said where agents and skills are read to be used. */
static void find(struct found *f, struct arena *a, const struct tl_hooks *hooks,
		 const struct tl_options *o)
{
	struct tl_settings set = TL_SETTINGS_INIT();
	struct catalog_options from = { .home = tl_hooks_home(hooks),
					.project = tl_hooks_project_dir(hooks),
					.trusted = !(o->flags & TL_LOAD_NO_PROJECT) };
	const struct json *plugins = NULL;
	const struct skills *skills;
	const struct agents *agents;

	tl_hooks_settings(hooks, &set);
	(void)json_parse(a, arena_str(a, str_from(set.plugins)), 0, &plugins, NULL);
	from.extensions = extensions_read(
		a, &(struct extension_options){ .home = from.home,
						.project = from.project,
						.only = o->extensions,
						.untrusted = o->flags & TL_LOAD_NO_PROJECT,
						.plugins = plugins });
	agents = agents_read(a, &from);
	for (size_t i = 0; agents && i < agents->n; i++) {
		const struct agent_def *d = &agents->p[i];

		add(f, d->origin,
		    (struct tl_source){
			    .name = d->file, .agent = d->name, .extension = d->extension },
		    d->hooks);
	}
	skills = skills_read(a, &from);
	for (size_t i = 0; i < skills->n; i++) {
		const struct skill *s = &skills->p[i];

		add(f, s->origin,
		    (struct tl_source){
			    .name = s->file, .skill = s->name, .extension = s->extension },
		    s->hooks);
	}
}

int hooks_load_with_catalog(const struct tl_options *o, struct tl_hooks **ret_hooks,
			    struct tl_err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_hooks *hooks;
	struct found f = { 0 };
	struct tl_options all = *o;
	int r = tl_hooks_load(o, &hooks, err);

	if (r < 0 || o->flags & TL_LOAD_NO_FILES) {
		*ret_hooks = r < 0 ? NULL : hooks;
		return r;
	}
	for (size_t i = 0; i < o->nsources; i++)
		*VEC_ADD(&f) = o->sources[i];
	find(&f, &a, hooks, o);
	if (f.n > o->nsources) {
		tl_hooks_unref(hooks);
		all.sources = f.p;
		all.nsources = f.n;
		r = tl_hooks_load(&all, &hooks, err);
	}
	free(f.p);
	if (r == 0)
		*ret_hooks = hooks;
	return r;
}
