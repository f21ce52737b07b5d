/* trotline hooks report: what each hook did in a session, from the records. */
#include "base/path.h"
#include "base/vec.h"
#include "workbench/commands.h"
#include "workbench/records.h"
#include "workbench/show.h"

enum { REASON_SHOWN = 200 };

struct report_args {
	struct load_args load;
	const char *session;
	bool last;
};

static const struct opt opts[] = {
	{ "session", 's', "ID", OPT_STR, offsetof(struct report_args, session),
	  "report on this session (default: the last one that has a record)" },
	{ "last", 0, NULL, OPT_FLAG, offsetof(struct report_args, last),
	  "the record of the session's last firing in which a hook ran, whole" },
	LOAD_OPTS(struct report_args),
};
const struct opt_set report_opts = OPT_SET(opts, struct report_args);

/* What hooks give, as records call it, and what it means. */
static const struct {
	const char *name, *text;
} gifts[] = {
	{ "context", "added context" },
	{ "tool_input", "rewrote the arguments" },
	{ "llm_request", "changed the request" },
	{ "llm_response", "replaced the answer" },
	{ "tool_config", "chose the tools" },
	{ "tail_call", "called another tool" },
	{ "tool_result", "replaced the result" },
	{ "clear_context", "cleared the context" },
	{ "permissions", "gave permissions" },
	{ "retry", "let the model try again" },
	{ "elicitation", "answered a server" },
	{ "display", "changed what is shown" },
	{ "watch_paths", "named files to watch" },
};

/* One hook of one event, over all firings of the session. */
struct row {
	struct str event, name, file, reason, last_failure;
	unsigned line;
	int runs, asked, denied, stopped, failed, told;
	int not_run, no_match; /* the second is a part of the first */
	int gave[ARRAY_LEN(gifts)];
	double us;
	struct {
		double *p;
		size_t n, cap;
	} times; /* of each run, in microseconds */
};

struct rows {
	struct row *p;
	size_t n, cap;
	int firings;
	struct str cwd, host; /* where the session was, and whose, of its last record */
	struct unasked unasked;
};

static struct row *row_of(struct rows *rows, struct str event, const struct json *hook)
{
	struct str name = json_get_str(hook, "name");

	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->p[i].event, event) && str_eq(rows->p[i].name, name))
			return &rows->p[i];
	*VEC_ADD(rows) = (struct row){ .event = event, .name = name };
	return &rows->p[rows->n - 1];
}

static void add_run(struct row *row, const struct json *record, const struct json *hook)
{
	struct str verdict = json_get_str(hook, "verdict"), how = json_get_str(hook, "class");
	bool stop = json_is_true(json_getz(hook, "stop"));
	bool observes = json_is_true(json_getz(hook, "observe"));
	const struct json *changed, *gave;

	row->runs++;
	*VEC_ADD(&row->times) = json_num(json_getz(hook, "us"), 0);
	row->us += row->times.p[row->times.n - 1];
	row->stopped += stop && !observes;
	row->denied += !stop && !observes && str_eqz(verdict, "deny");
	row->asked += !stop && !observes && str_eqz(verdict, "ask");
	if (json_get_str(hook, "reason").n)
		row->reason = json_get_str(hook, "reason");
	if (!str_eqz(how, "ok") && !str_eqz(how, "blocked")) {
		row->failed++;
		row->last_failure = json_get_str(hook, "warning");
	} else {
		row->told += json_get_str(hook, "message").n > 0;
	}
	/* A gift counts when the outcome has it; context and clearing are not listed there. */
	changed = json_pointer(record, STR("/outcome/changed"));
	gave = json_getz(hook, "gave");
	for (size_t i = 0; i < ARRAY_LEN(gifts); i++) {
		bool listed = strcmp(gifts[i].name, "context") != 0 &&
			      strcmp(gifts[i].name, "clear_context") != 0;

		struct str name = str_from(gifts[i].name);

		if (json_holds(gave, name, NULL) && (!listed || json_holds(changed, name, NULL)))
			row->gave[i]++;
	}
}

static void add_record(struct rows *rows, struct arena *a, const struct json *record)
{
	const struct json *hooks = json_getz(record, "hooks");

	rows->cwd = json_get_str(record, "cwd");
	rows->host = record_host(record);
	if (record_is_unasked(record)) {
		unasked_add(&rows->unasked, a, record);
		return;
	}
	rows->firings++;
	for (size_t i = 0; json_at(hooks, i); i++) {
		const struct json *hook = json_at(hooks, i);
		struct row *row = row_of(rows, json_get_str(record, "event"), hook);
		struct str state = json_get_str(hook, "state");

		row->file = json_get_str(hook, "file");
		row->line = (unsigned)json_num(json_getz(hook, "line"), 0);
		if (str_eqz(state, "ran")) {
			add_run(row, record, hook);
			continue;
		}
		row->not_run++;
		row->no_match += str_eqz(state, "no-match");
	}
}

/* ---- for people ---- */

static void add_count(struct buf *out, const char *what, int n)
{
	if (n)
		buf_addf(out, "%s%s%s", out->n ? ", " : "", what, n == 1 ? "" : " ");
	if (n > 1)
		buf_addf(out, "%d times", n);
}

static void show_row(struct sheet *p, const struct tl_hooks *hooks, const struct row *row)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf did = { 0 };
	bool hard = row->denied || row->stopped;

	add_count(&did, "denied", row->denied);
	add_count(&did, "stopped the agent", row->stopped);
	add_count(&did, "asked the user", row->asked);
	for (size_t i = 0; i < ARRAY_LEN(gifts); i++)
		add_count(&did, gifts[i].text, row->gave[i]);
	add_count(&did, "told the user something", row->told);
	add_count(&did, "failed", row->failed);
	sheet_text(p, BOLD, arena_z(&a, row->name), 1);
	sheet_f(p, PLAIN, "   %.*s, ran %d time%s", STR_ARG(row->event), row->runs,
		row->runs == 1 ? "" : "s");
	if (row->runs)
		sheet_f(p, PLAIN, ", %.1f ms on average", row->us / 1000 / row->runs);
	if (row->no_match)
		sheet_f(p, PLAIN, ", did not match %d time%s", row->no_match,
			row->no_match == 1 ? "" : "s");
	if (row->not_run > row->no_match)
		sheet_f(p, PLAIN, ", left out %d time%s", row->not_run - row->no_match,
			row->not_run - row->no_match == 1 ? "" : "s");
	sheet_f(p, DIM, "   %s:%u\n", short_path(hooks, arena_z(&a, row->file), &a), row->line);
	if (row->runs)
		sheet_text(p,
			   hard          ? RED
			   : row->failed ? YELLOW
			   : did.n       ? GREEN
					 : DIM,
			   did.n ? buf_z(&did) : "no opinion", 3);
	if (row->reason.n && (hard || row->asked))
		sheet_text(p, PLAIN, arena_z(&a, str_sub(row->reason, 0, REASON_SHOWN)), 3);
	if (row->last_failure.n)
		sheet_text(p, YELLOW, arena_z(&a, str_sub(row->last_failure, 0, REASON_SHOWN)), 3);
}

static void show(struct sheet *p, const struct tl_hooks *hooks, struct str session,
		 const struct rows *rows)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (!rows->n && !rows->unasked.calls) {
		sheet_f(p, PLAIN, "No record of hooks%s.\n", session.n ? " in this session" : "");
		return;
	}
	sheet_f(p, PLAIN, str_eqz(rows->host, "trotline") ? "Session" : "Session of %s",
		arena_z(&a, rows->host));
	sheet_text(p, PLAIN, arena_z(&a, session), 1);
	/* The last session may have been one of another project. */
	if (rows->cwd.n && !path_below_str(str_from(tl_hooks_project_dir(hooks)), rows->cwd).p) {
		sheet_f(p, PLAIN, "in");
		sheet_text(p, PLAIN, arena_z(&a, rows->cwd), 1);
	}
	sheet_f(p, PLAIN, "%d event%s with hooks\n", rows->firings, rows->firings == 1 ? "" : "s");
	unasked_show(p, &a, &rows->unasked);
	sheet_f(p, PLAIN, "\n");
	for (size_t i = 0; i < rows->n; i++)
		show_row(p, hooks, &rows->p[i]);
}

/* ---- for programs ---- */

static int by_size(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

static const struct json *row_value(struct arena *a, struct row *row)
{
	size_t n = row->times.n;
	double last = n ? row->times.p[n - 1] : 0, p95 = 0;
	const struct json *gave = json_new_obj(a);

	if (n) {
		qsort(row->times.p, n, sizeof *row->times.p, by_size);
		p95 = row->times.p[n * 95 / 100]; /* 95 of 100 runs stay below it */
	}
	for (size_t k = 0; k < ARRAY_LEN(gifts); k++)
		if (row->gave[k])
			gave = json_set(a, gave, str_from(gifts[k].name),
					json_new_int(a, row->gave[k]));
	return json_pack(a,
			 "name:s event:s file:s line:u runs:i notRun:i denied:i stopped:i asked:i "
			 "failed:i gave:j ms:f lastMs:f p95Ms:f ?reason:s ?failure:s",
			 row->name, row->event, row->file, row->line, row->runs, row->not_run,
			 row->denied, row->stopped, row->asked, row->failed, gave, row->us / 1000,
			 last / 1000, p95 / 1000, row->reason, row->last_failure);
}

/*
 * The records that are looked at: of one session in one project. Different projects may use the
 * same name, as every `hooks run` does that names none.
 */
struct choice {
	const char *project;
	struct str session; /* "" = any, until one is chosen */
	bool elsewhere; /* not of our project, which has none: those of the directory `cwd` */
	struct str cwd;
};

static bool is_chosen(const struct choice *c, const struct json *record)
{
	struct str cwd = json_get_str(record, "cwd"), session = json_get_str(record, "session_id");

	if (!session.n || (c->session.n && !str_eq(session, c->session)))
		return false;
	return c->elsewhere ? str_eq(cwd, c->cwd)
			    : path_below_str(str_from(c->project), cwd).p != NULL;
}

/* That of the last record of the project, else the last of all; half a line at the end does not
 * count. */
static void choose(struct choice *c, struct arena *a, struct str text)
{
	struct str ours = { 0 }, other = { 0 };
	const struct json *v;

	for (struct str rest = text; records_next(&rest, a, &v);) {
		struct str session = json_get_str(v, "session_id");

		if (is_chosen(c, v)) {
			ours = session;
		} else if (session.n && (!c->session.n || str_eq(session, c->session))) {
			other = session;
			c->cwd = json_get_str(v, "cwd");
		}
	}
	c->elsewhere = !ours.n && other.n;
	c->session = ours.n ? ours : other.n ? other : c->session;
}

/* The session's last record in which a hook ran, whole. */
static int report_last(struct wb *wb, struct str text, const struct choice *c)
{
	const struct json *last = NULL, *v;
	struct arena *a = &wb->arena;

	for (struct str rest = text; records_next(&rest, a, &v);)
		if (is_chosen(c, v) && record_ran(v))
			last = v;
	wb->value = last ? json_dup(a, last) : json_new_null(a);
	json_visible(&wb->sheet.out, json_text(a, wb->value, JSON_PRETTY));
	buf_addc(&wb->sheet.out, '\n');
	return EXIT_OK;
}

static int report_all(struct wb *wb, const struct tl_hooks *hooks, struct str text,
		      const struct choice *c)
{
	struct json_list list = { 0 };
	struct arena *a = &wb->arena;
	struct rows rows = { 0 };
	const struct json *v;

	for (struct str rest = text; records_next(&rest, a, &v);)
		if (is_chosen(c, v))
			add_record(&rows, a, v);
	show(&wb->sheet, hooks, c->session, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		json_list_add(&list, row_value(a, &rows.p[i]));
		free(rows.p[i].times.p);
	}
	wb->value =
		json_pack(a, "session_id:s agent:s cwd:s firings:i ?unasked:j hooks:j", c->session,
			  rows.host, rows.cwd, rows.firings,
			  unasked_can_be_seen(rows.host) ? unasked_value(a, &rows.unasked) : NULL,
			  json_list_take(a, &list));
	free(rows.p);
	return EXIT_OK;
}

int wb_report(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct report_args *args = args_;
	AUTO(records_done) struct records records = RECORDS_INIT;
	struct tl_hooks *hooks;
	struct choice c;
	struct err err;
	int status = wb_load(wb, &args->load, WB_QUIET, &hooks);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	c = (struct choice){ .project = tl_hooks_project_dir(hooks),
			     .session = str_from(args->session) };
	if (records_open(&records, tl_hooks_home(hooks), &err) < 0) {
		status = wb_fail_err(wb, EXIT_USAGE, &err);
	} else {
		struct str text = buf_str(&records.text);

		choose(&c, &wb->arena, text);
		status = args->last ? report_last(wb, text, &c) : report_all(wb, hooks, text, &c);
	}
	tl_hooks_unref(hooks);
	return status;
}
