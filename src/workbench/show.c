/* The words that every command has for hooks, diagnostics and paths. */
#include "workbench/show.h"

#include "base/path.h"
#include "base/utf8.h"
#include "hooks/config.h"

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

	if (path_shown(project, path) != path)
		return path_shown(project, path);
	return below && *below ? arena_printf(a, "~/%s", below).p : path;
}

const char *short_name(const struct tl_hook *h, struct arena *a)
{
	enum { SHOWN_CHARS = 72, HEAD_CHARS = 20 };
	struct str name = str_from(h->name), rest = name, line, shown;

	(void)str_split(&rest, '\n', &line);
	/* What tells one command from another is rarely in the middle. */
	shown = utf8_without_middle(a, line, HEAD_CHARS, SHOWN_CHARS);
	return shown.n == name.n
		       ? h->name
		       : arena_printf(a, "%.*s%s", STR_ARG(shown), line.n < name.n ? "..." : "").p;
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
