/* trotline hooks history: the sessions of all agents that have records, a line each. */
#include <unistd.h>

#include "base/vec.h"
#include "settings/home.h"
#include "workbench/commands.h"
#include "workbench/records.h"

enum { LINES_DEFAULT = 20 };

struct history_args {
	const char *agent;
	int64_t lines;
	bool denied, json;
};

static const struct opt opts[] = {
	{ "lines", 'n', "N", OPT_INT, offsetof(struct history_args, lines),
	  "this many of the last sessions (default: 20)" },
	{ "agent", 'a', "AGENT", OPT_STR, offsetof(struct history_args, agent),
	  "of this agent only: codex, trotline, mcp-guard ..." },
	{ "denied", 0, NULL, OPT_FLAG, offsetof(struct history_args, denied),
	  "only those in which something was denied or stopped" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct history_args, json), "print JSON" },
};
const struct opt_set history_opts = OPT_SET(opts, struct history_args);

/* What its records come to; at first that of one record. */
struct session {
	struct str agent, id, cwd, from, to;
	size_t last; /* which record is its last */
	int firings, ran, denied, unasked;
};

struct sessions {
	struct session *p;
	size_t n, cap;
};

static int by_session(const void *a_, const void *b_)
{
	const struct session *a = a_, *b = b_;
	int r = str_cmp(a->agent, b->agent);

	r = r ? r : str_cmp(a->id, b->id);
	return r ? r : (a->last > b->last) - (a->last < b->last);
}

static int by_end(const void *a_, const void *b_)
{
	const struct session *a = a_, *b = b_;

	return (a->last > b->last) - (a->last < b->last);
}

/* One for each session, in the order of their ends. */
static void join(struct sessions *list)
{
	size_t n = 0;

	if (list->n)
		qsort(list->p, list->n, sizeof *list->p, by_session);
	for (size_t i = 0; i < list->n; i++) {
		struct session *s = &list->p[i], *into = n ? &list->p[n - 1] : NULL;

		if (!into || !str_eq(into->agent, s->agent) || !str_eq(into->id, s->id)) {
			list->p[n++] = *s;
			continue;
		}
		into->cwd = s->cwd.n ? s->cwd : into->cwd;
		into->from = into->from.n ? into->from : s->from;
		into->to = s->to.n ? s->to : into->to;
		into->last = s->last;
		into->firings += s->firings;
		into->ran += s->ran;
		into->denied += s->denied;
		into->unasked += s->unasked;
	}
	list->n = n;
	if (n)
		qsort(list->p, n, sizeof *list->p, by_end);
}

static void find(struct sessions *list, struct arena *a, struct str text,
		 const struct history_args *args)
{
	const struct json *v;
	size_t n = 0;

	while (text.n) {
		AUTO(arena_done) struct arena own = { 0 };

		if (!records_next(&text, &own, &v))
			break;
		if (!json_get_str(v, "session_id").n ||
		    (args->agent && !str_eqz(record_host(v), args->agent)))
			continue;
		struct str at = arena_str(a, json_get_str(v, "timestamp"));
		bool unasked = record_is_unasked(v);
		struct session s = {
			.agent = arena_str(a, record_host(v)),
			.id = arena_str(a, json_get_str(v, "session_id")),
			.cwd = arena_str(a, json_get_str(v, "cwd")),
			.from = at,
			.to = at,
			.last = list->n,
			.firings = !unasked,
			.ran = record_ran(v),
			.denied = record_denied(v),
			.unasked = unasked,
		};
		*VEC_ADD(list) = s;
	}
	join(list);
	for (size_t i = 0; i < list->n; i++)
		if (!args->denied || list->p[i].denied)
			list->p[n++] = list->p[i];
	list->n = n;
}

static const struct json *value(struct arena *a, const struct session *s)
{
	return json_pack(a,
			 "agent:s session_id:s ?cwd:s ?first:s ?last:s firings:i ran:i denied:i "
			 "?unasked:j",
			 s->agent, s->id, s->cwd, s->from, s->to, s->firings, s->ran, s->denied,
			 unasked_can_be_seen(s->agent) ? json_new_int(a, s->unasked) : NULL);
}

int wb_history(struct wb *wb, const void *args_, int n, char **rest)
{
	AUTO(records_done) struct records records = RECORDS_INIT;
	const struct history_args *args = args_;
	size_t most = args->lines > 0 ? (size_t)args->lines : LINES_DEFAULT;
	struct json_list list = { 0 };
	struct sessions found = { 0 };
	AUTO(free) char *home = NULL;
	struct err err;

	(void)n;
	(void)rest;
	if (args->lines < 0)
		return wb_fail(wb, EXIT_USAGE, "--lines is a number of lines");
	if (home_find((const char *const *)environ, &home, &err) < 0 ||
	    records_open(&records, home, &err) < 0 ||
	    records_check_host(&records, args->agent, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	find(&found, &wb->arena, buf_str(&records.text), args);
	for (size_t i = found.n > most ? found.n - most : 0; i < found.n; i++) {
		struct sheet *p = &wb->sheet;
		struct arena *a = &wb->arena;
		const struct session *s = &found.p[i];

		sheet_f(p, DIM, "%s", record_time(a, s->to));
		sheet_f(p, CYAN, "  %s", record_in_line(a, s->agent));
		sheet_f(p, BOLD, "  %s", record_in_line(a, s->id));
		sheet_f(p, PLAIN, "  %d event%s, %d with hooks", s->firings,
			s->firings == 1 ? "" : "s", s->ran);
		if (s->denied)
			sheet_f(p, RED, ", %d denied", s->denied);
		if (s->unasked)
			sheet_f(p, YELLOW, ", %d not asked about", s->unasked);
		sheet_f(p, DIM, s->cwd.n ? "  %s\n" : "%s\n", record_in_line(a, s->cwd));
		json_list_add(&list, value(&wb->arena, &found.p[i]));
	}
	if (!found.n)
		sheet_f(&wb->sheet, PLAIN, "No session has such records.\n");
	free(found.p);
	wb->value = json_pack(&wb->arena, "sessions:j", json_list_take(&wb->arena, &list));
	return EXIT_OK;
}
