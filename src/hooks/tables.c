/* What bindings and tools ask the engine's tables and its payloads for. */
#include "hooks/api.h"
#include "hooks/dialects.h"
#include "hooks/payload.h"
#include "settings/places.h"

size_t tl_dialect_count(void)
{
	return DIALECT_COUNT;
}

int tl_dialect_get(size_t i, struct tl_dialect_info *ret_info)
{
	if (i >= DIALECT_COUNT)
		return -TL_E_NOTFOUND;
	const struct dialect *d = &dialects[i];
	const struct tl_dialect_info full = {
		.name = d->name,
		.timeout_unit_ms = d->timeout_unit_ms,
		.timeout_ms = d->timeout_ms,
		.nevents = d->nevents,
		.allow_approves = d->allow_approves,
		.sends_mode = d->sends_mode,
		.reads_transcript = d->reads_transcript,
		.env_file = d->env_file ? d->env_file : "",
	};

	api_copy_out(ret_info, &full, sizeof full);
	return 0;
}

int tl_dialect_find(const char *name, struct tl_dialect_info *ret_info)
{
	const struct dialect *d = name ? dialect_find(str_from(name)) : NULL;

	return d ? tl_dialect_get(d->id, ret_info) : -TL_E_NOTFOUND;
}

const char *tl_dialect_event_get(size_t dialect, size_t i, const char **ret_moment)
{
	if (dialect >= DIALECT_COUNT || i >= dialects[dialect].nevents)
		return "";
	const struct dialect_event *e = &dialects[dialect].events[i];

	if (ret_moment)
		*ret_moment = e->when == CASE_NEVER ? "" : events[e->moment].name;
	return e->name;
}

static const struct settings_place *place_at(size_t i)
{
	const struct settings_place *p = NULL;

	while ((p = place_next(p, NULL, PLACE_HOOKS)) && i)
		i--;
	return p;
}

size_t tl_place_count(void)
{
	size_t n = 0;

	while (place_at(n))
		n++;
	return n;
}

const char *tl_tool_called(const char *name)
{
	return tool_alias(str_from(name));
}

int tl_place_get(size_t i, struct tl_place *ret_place)
{
	const struct settings_place *p = place_at(i);

	if (!p)
		return -TL_E_NOTFOUND;
	const struct tl_place full = {
		.tier = p->tier,
		.dialect = p->dialect,
		.path = p->path,
		.override = p->override ? p->override : "",
		.on_request = p->use != PLACE_READ,
	};
	api_copy_out(ret_place, &full, sizeof full);
	return 0;
}

char *tl_event_payload(struct tl_hooks *h, const struct tl_event *event, const char *dialect,
		       struct tl_err *ret_err)
{
	const struct dialect *d = dialect_find(str_from(dialect ? dialect : "gemini"));
	AUTO(arena_done) struct arena a = { 0 };
	struct payload p = { 0 };
	struct err err = { 0 };
	struct firing f;
	int r = firing_init(&f, h, event, &a, &err);

	/* No dialect in particular: the host's own words. */
	const struct dialect_event *as = r == 0 && d ? dialect_event_of(d, f.event->id) : NULL;
	const struct dialect_event own = { .name = r == 0 ? f.event->name : "" };

	if (!dialect && !as)
		as = &own;
	if (r == 0 && !as)
		r = err_set(&err, E_NOTFOUND, "dialect \"%s\" has no %s",
			    dialect ? dialect : "gemini", event->name);
	if (r < 0) {
		(void)api_err(ret_err, &err, r);
		return NULL;
	}
	const struct hook hook = { .dialect = d, .as = as, .event = f.event };
	payload_make(&p, &f, &hook);
	struct str text = payload_flat(&p, &a);
	return xstrndup(text.p, text.n);
}
