/* The words that every command has for hooks, diagnostics and paths. */
#include "workbench/show.h"

#include <stdio.h>

#include "base/path.h"
#include "base/utf8.h"
#include "os/fs.h"

enum { INPUT_MAX_BYTES = 64 << 20 };

const char *did_you_mean(struct arena *a, const char *word, const char *const *names, size_t n)
{
	const char *near = str_nearest(str_from(word), names, n);

	return near ? arena_printf(a, "; did you mean \"%s\"?", near).p : "";
}

const char *did_you_mean_key(struct arena *a, const char *word, const struct json *obj)
{
	size_t n = json_is(obj, J_OBJ) ? obj->n : 0;
	const char **names = ARENA_ARRAY(a, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = arena_z(a, obj->members[i].key);
	return did_you_mean(a, word, names, n);
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
	enum { SHOWN_CHARS = 60 };
	struct str name = str_from(h->name), rest = name, line, shown;

	(void)str_split(&rest, '\n', &line);
	shown = utf8_prefix(line, SHOWN_CHARS);
	return shown.n == name.n ? h->name : arena_printf(a, "%.*s...", STR_ARG(shown)).p;
}

const char *event_configured(const struct tl_hook *h, struct arena *a)
{
	struct str path = str_from(h->path), before = STR("hooks.");
	ptrdiff_t end = str_chr(path, '[', 0);

	if (!str_starts(path, before) || end <= (ptrdiff_t)before.n)
		return h->event;
	return arena_z(a, str_sub(path, before.n, (size_t)end));
}

const char *event_shown(const struct tl_hook *h, struct arena *a)
{
	const char *event = event_configured(h, a);

	return strcmp(event, h->moment) == 0 ? event
					     : arena_printf(a, "%s (%s)", event, h->moment).p;
}

const char *severity_word(enum tl_severity s)
{
	static const char *const words[] = { "note", "warning", "error" };

	return (size_t)s < ARRAY_LEN(words) ? words[s] : "note";
}

void add_diagnostic(struct buf *out, const struct tl_hooks *hooks, const struct tl_diagnostic *d)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (*d->file)
		buf_addz(out, short_path(hooks, d->file, &a));
	if (d->line)
		buf_addf(out, ":%u:%u", d->line, d->column);
	buf_addf(out, "%s%s: %s", out->n ? ": " : "", severity_word(d->severity), d->text);
}

void json_diagnostic(struct jw *w, const struct tl_diagnostic *d)
{
	jw_obj(w);
	jw_kv_z(w, "severity", severity_word(d->severity));
	jw_kv_z(w, "code", d->code);
	if (*d->file)
		jw_kv_z(w, "file", d->file);
	if (d->line) {
		jw_kv_int(w, "line", d->line);
		jw_kv_int(w, "column", d->column);
	}
	if (*d->path)
		jw_kv_z(w, "path", d->path);
	jw_kv_z(w, "text", d->text);
	jw_end(w);
}

void json_hook(struct jw *w, const struct tl_hook *h)
{
	jw_kv_z(w, "name", h->name);
	jw_kv_z(w, "event", h->event);
	if (strcmp(h->event, h->moment) != 0)
		jw_kv_z(w, "moment", h->moment);
	jw_kv_z(w, "dialect", h->dialect);
	jw_kv_z(w, "tier", tl_tier_name(h->tier));
	if (*h->extension)
		jw_kv_z(w, "extension", h->extension);
	jw_kv_z(w, "matcher", h->matcher);
	if (*h->if_rule)
		jw_kv_z(w, "if", h->if_rule);
	jw_kv_z(w, "command", h->command);
	if (*h->description)
		jw_kv_z(w, "description", h->description);
	jw_kv_z(w, "file", h->file);
	jw_kv_int(w, "line", h->line);
	jw_kv_int(w, "column", h->column);
	jw_kv_z(w, "path", h->path);
	jw_kv_int(w, "timeoutMs", h->timeout_ms);
	jw_kv_bool(w, "sequential", h->sequential);
	jw_kv_bool(w, "guard", h->guard);
	jw_kv_bool(w, "persistent", h->persistent);
	jw_kv_bool(w, "observe", h->observe);
	jw_kv_z(w, "onFailure", h->on_failure);
}

static int read_all(FILE *f, struct buf *out, struct err *err)
{
	char chunk[65536];
	size_t n;

	while (!out->full && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_add(out, chunk, n);
	return out->full ? err_set(err, E_LIMIT, "the input is larger than %d MiB",
				   INPUT_MAX_BYTES >> 20)
			 : 0;
}

int read_json_arg(const char *arg, const char *what, struct arena *a, const struct json **ret_v,
		  struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(.max = INPUT_MAX_BYTES);
	const char *from = what;
	int r = 0;

	if (strcmp(arg, "-") == 0) {
		from = "stdin";
		r = read_all(stdin, &text, err);
	} else if (arg[0] == '@') {
		from = arg + 1;
		r = fs_read(arg + 1, INPUT_MAX_BYTES, &text, err);
	} else {
		buf_addz(&text, arg);
	}
	if (r < 0)
		return err_wrap(err, "%s", what);
	r = json_parse(a, buf_str(&text), JSON_C, ret_v, err);
	return r < 0 ? err_wrap(err, "%s", from) : 0;
}
