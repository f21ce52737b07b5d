/* The words that every command has for hooks, diagnostics and paths. */
#include "workbench/show.h"

#include "base/path.h"
#include "base/utf8.h"
#include "hooks/config.h"
#include "policy/policy.h"

const char *did_you_mean_key(struct arena *a, const char *word, const struct json *obj)
{
	size_t n = json_is(obj, J_OBJ) ? obj->n : 0;
	const char **names = ARENA_ARRAY(a, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = arena_z(a, obj->members[i].key);
	return did_you_mean(a, word, names, n);
}

const struct tl_hook *hook_at(const struct tl_hooks *hooks, size_t i)
{
	return i < hooks->nhooks ? &hooks->infos[i] : NULL;
}

bool event_info_find(struct str name, struct tl_event_info *ret_info)
{
	struct tl_event_info info = TL_EVENT_INFO_INIT();

	for (size_t i = 0; tl_event_get(i, &info) == 0; i++) {
		if (!str_eqz(name, info.name))
			continue;
		*ret_info = info;
		return true;
	}
	return false;
}

struct wb_place place_of_hook(const char *code, const struct tl_hook *h)
{
	return (struct wb_place){ code, h->file, h->line, h->column, h->name };
}

const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

const char *short_path(const struct tl_hooks *hooks, const char *path, struct arena *a)
{
	const char *project = tl_hooks_project_dir(hooks), *home = tl_hooks_home(hooks);
	const char *below = strcmp(home, "/") != 0 ? path_below(home, path) : NULL;

	/* Below the root directory are all. */
	if (strcmp(project, "/") != 0 && path_shown(project, path) != path)
		return path_shown(project, path);
	return below && *below ? arena_printf(a, "~/%s", below).p : path;
}

const char *rule_place(const struct tl_hooks *hooks, const struct policy_rule *r, struct arena *a)
{
	if (!r->file)
		return r->source;
	return arena_printf(a, "%s:%u", hooks ? short_path(hooks, r->file, a) : r->file, r->line).p;
}

const char *short_name(const struct tl_hook *h, struct arena *a)
{
	enum { SHOWN_CHARS = 72, HEAD_CHARS = 20 };

	/* What tells one command from another is rarely in the middle. */
	return arena_z(a, utf8_without_middle(a, str_from(h->name), HEAD_CHARS, SHOWN_CHARS));
}

struct str hooks_summary(struct arena *a, const struct tl_hooks *hooks)
{
	AUTO(buf_done) struct buf when = { 0 };
	const char *last = "";
	size_t n = 0;

	for (size_t i = 0; i < hooks->nhooks; i++) {
		const struct tl_hook *h = &hooks->infos[i];

		if (h->state != TL_STATE_WOULD_RUN)
			continue;
		n++;
		if (strcmp(h->moment, last) != 0)
			buf_addf(&when, "%s%s", when.n ? ", " : ": ", h->moment);
		last = h->moment;
	}
	return arena_printf(a, "%zu hook%s%.*s", n, plural(n), STR_ARG(buf_str(&when)));
}

const char *event_shown(const struct tl_hook *h, struct arena *a)
{
	return strcmp(h->listed_under, h->moment) == 0
		       ? h->listed_under
		       : arena_printf(a, "%s (%s)", h->listed_under, h->moment).p;
}

void add_diagnostic(struct buf *out, const struct tl_hooks *hooks, const struct tl_diagnostic *d)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (*d->file)
		buf_addz(out, short_path(hooks, d->file, &a));
	if (d->line)
		buf_addf(out, ":%u:%u", d->line, d->column);
	buf_addf(out, "%s%s: %s", out->n ? ": " : "", tl_severity_name(d->severity), d->text);
}

const char *trust_word(enum tl_trust_state t)
{
	static const char *const words[] = { "trusted", "new", "changed", "" };

	return words[t];
}

enum { SAID_MAX = 20, KINDS_MAX = 32, OF_A_KIND_MAX = 3 };

struct diagnostic_kind {
	const char *code, *file;
	size_t n;
	bool said;
};

/* Its kind, which is added while there is room; NULL for one that is said by itself. */
static struct diagnostic_kind *kind_of(struct diagnostic_kind kinds[KINDS_MAX],
				       const struct tl_diagnostic *d)
{
	struct diagnostic_kind *k = kinds;

	if (d->severity != TL_SEVERITY_WARNING || !*d->file)
		return NULL;
	for (; k < kinds + KINDS_MAX && k->code; k++)
		if (strcmp(k->code, d->code) == 0 && strcmp(k->file, d->file) == 0)
			return k;
	if (k == kinds + KINDS_MAX)
		return NULL;
	*k = (struct diagnostic_kind){ .code = d->code, .file = d->file };
	return k;
}

void diagnostics_say(const struct tl_hooks *hooks, bool (*wanted)(const struct tl_diagnostic *d),
		     void (*say)(void *data, const char *line), void *data)
{
	struct diagnostic_kind kinds[KINDS_MAX] = { 0 }, *k;
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();
	AUTO(buf_done) struct buf rest = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < tl_hooks_diagnostic_count(hooks); i++)
		if (tl_hooks_diagnostic_get(hooks, i, &d) == 0 && wanted(&d) &&
		    (k = kind_of(kinds, &d)) != NULL)
			k->n++;
	for (size_t i = 0; i < tl_hooks_diagnostic_count(hooks); i++) {
		AUTO(buf_done) struct buf line = { 0 };

		if (tl_hooks_diagnostic_get(hooks, i, &d) < 0 || !wanted(&d))
			continue;
		k = kind_of(kinds, &d);
		if ((k && k->said) || n++ >= SAID_MAX)
			continue;
		add_diagnostic(&line, hooks, &d);
		if (k && k->n > OF_A_KIND_MAX) {
			k->said = true;
			buf_addf(&line, " (and %zu more like it; see: trotline hooks lint)",
				 k->n - 1);
		}
		say(data, buf_z(&line));
	}
	if (n > SAID_MAX)
		buf_addf(&rest, "%zu more of these; see: trotline hooks lint", n - SAID_MAX);
	if (rest.n)
		say(data, buf_z(&rest));
}

const struct json *diagnostic_value(struct arena *a, const struct tl_diagnostic *d)
{
	const struct json *v = json_pack(a, "severity:z code:z ?file:z",
					 tl_severity_name(d->severity), d->code, d->file);

	if (d->line)
		v = json_pack_more(a, v, "line:u column:u", d->line, d->column);
	return json_pack_more(a, v, "?path:z text:z", d->path, d->text);
}

const struct json *hook_value(struct arena *a, const struct tl_hook *h)
{
	const char *moment = strcmp(h->event, h->moment) == 0 ? NULL : h->moment;

	return json_pack(
		a,
		"name:z event:z ?moment:z dialect:z tier:z ?extension:z ?agent:z ?skill:z matcher:z ?if:z "
		"type:z command:z ?description:z file:z line:u column:u path:z timeoutMs:l "
		"sequential:b guard:b persistent:b warm:u observe:b onFailure:z ?sandbox:z",
		h->name, h->event, moment, h->dialect, tl_tier_name(h->tier), h->extension,
		h->agent, h->skill, h->matcher, h->if_rule, h->type, h->command, h->description,
		h->file, h->line, h->column, h->path, (int64_t)h->timeout_ms, h->sequential,
		h->guard, h->persistent, (unsigned)h->warm, h->observe, h->on_failure, h->sandbox);
}
