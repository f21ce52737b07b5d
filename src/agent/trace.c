#include "agent/trace.h"

#include "agent/transcript/transcript.h"
#include "base/json_pack.h"
#include "os/clock.h"
#include "os/fs.h"

enum { INLINE_MAX_BYTES = 1000 };

struct trace {
	char *dir, *log;
};

/* What cannot be written is left out: no work depends on it. */
static void write_line(const struct trace *t, const char *part, const char *what,
		       const struct json *details)
{
	AUTO(arena_done) struct arena a = { 0 };
	char now[CLOCK_ISO_SIZE];

	clock_iso(now);
	(void)fs_append(t->log,
			arena_printf(&a, "[%s] [%s] %s | Details: %.*s\n", now, part, what,
				     STR_ARG(json_text(&a, details, JSON_COMPACT))),
			NULL);
}

void trace_event(struct trace *t, const char *part, const char *what, const struct json *details)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *all = json_new_obj(&a);
	char id[TRANSCRIPT_ID_SIZE];

	for (size_t i = 0; t && i < details->n; i++) {
		const struct json *v = &details->members[i].v;
		struct str key = details->members[i].key, name;

		/* What is long is a file of its own below assets/. */
		if (json_text(&a, v, JSON_COMPACT).n > INLINE_MAX_BYTES) {
			transcript_id_new(id);
			name = arena_printf(&a, "%lld-%s-%.*s.json", (long long)clock_wall_ms(), id,
					    STR_ARG(key));
			(void)fs_append(arena_printf(&a, "%s/assets/%.*s", t->dir, STR_ARG(name)).p,
					json_text(&a, v, JSON_PRETTY), NULL);
			write_line(t, part, arena_printf(&a, "Saved asset: %.*s", STR_ARG(key)).p,
				   json_pack(&a, "assetId:s", name));
			v = json_pack(&a, "$asset:s", name);
		}
		all = json_set(&a, all, key, v);
	}
	if (t)
		write_line(t, part, what, all);
}

struct trace *trace_new(const char *dir, const char *session_id)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *assets = dir && *dir ? fs_join(dir, "assets") : NULL;
	struct trace *t;

	if (!assets || fs_mkdirs(assets, 0700, NULL) < 0)
		return NULL;
	t = xcalloc(1, sizeof *t);
	t->dir = xstrdup(dir);
	t->log = fs_join(dir, "trace.log");
	trace_event(t, "SYSTEM", "Context Tracer Initialized",
		    json_pack(&a, "sessionId:z", session_id));
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	free(t->dir);
	free(t->log);
	free(t);
}
