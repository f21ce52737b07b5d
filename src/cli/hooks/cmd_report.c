/* trotline hooks report: what each hook did in a session, from the records. */
#include <stdio.h>

#include "base/path.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "os/fs.h"

enum { RECORDS_MAX_BYTES = 64 << 20, REASON_SHOWN = 200 };

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
	{ "context", "added context" },           { "tool_input", "rewrote the arguments" },
	{ "llm_request", "changed the request" }, { "llm_response", "replaced the answer" },
	{ "tool_config", "chose the tools" },     { "tail_call", "called another tool" },
	{ "tool_result", "replaced the result" }, { "clear_context", "cleared the context" },
};

/* One hook of one event, over all firings of the session. */
struct row {
	struct str event, name, file, reason, last_failure;
	unsigned line;
	int runs, asked, denied, stopped, failed, not_run;
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
	struct str cwd; /* where the session was, of its last record */
};

static int read_records(const struct tl_hooks *hooks, struct buf *out, struct err *err)
{
	AUTO(free) char *dir = fs_join(tl_hooks_home(hooks), ".trotline");
	AUTO(free) char *path = fs_join(dir, "records.jsonl");
	AUTO(free) char *old = xasprintf("%s.1", path);
	int r = fs_read(old, RECORDS_MAX_BYTES, out, err);

	if (r < 0 && r != -E_NOTFOUND)
		return r;
	r = fs_read(path, RECORDS_MAX_BYTES, out, err);
	return r == -E_NOTFOUND ? 0 : r;
}

static struct str text_of(const struct json *obj, const char *key)
{
	return json_get_str(obj, key);
}

static bool parse(struct arena *a, struct str line, const struct json **ret)
{
	return line.n && json_parse(a, line, JSON_BORROW, ret, NULL) == 0;
}

/* The session of the last record; half a line at the end is nobody's. */
static struct str last_session(struct arena *a, struct str text)
{
	struct str last = { 0 };
	const struct json *v;

	for (struct str rest = text, line; str_split(&rest, '\n', &line);)
		if (parse(a, line, &v) && text_of(v, "session_id").n)
			last = text_of(v, "session_id");
	return last;
}

static struct row *row_of(struct rows *rows, struct str event, const struct json *hook)
{
	struct str name = text_of(hook, "name");

	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->p[i].event, event) && str_eq(rows->p[i].name, name))
			return &rows->p[i];
	*VEC_ADD(rows) = (struct row){ .event = event, .name = name };
	return &rows->p[rows->n - 1];
}

static bool holds(const struct json *words, const char *word)
{
	for (size_t i = 0; json_at(words, i); i++)
		if (str_eqz(json_str(json_at(words, i), STR("")), word))
			return true;
	return false;
}

/* A gift counts when the outcome has it; context and clearing are not listed there. */
static void add_gifts(struct row *row, const struct json *record, const struct json *hook)
{
	const struct json *changed = json_pointer(record, STR("/outcome/changed"));
	const struct json *gave = json_getz(hook, "gave");

	for (size_t i = 0; i < ARRAY_LEN(gifts); i++) {
		bool listed = strcmp(gifts[i].name, "context") != 0 &&
			      strcmp(gifts[i].name, "clear_context") != 0;

		if (holds(gave, gifts[i].name) && (!listed || holds(changed, gifts[i].name)))
			row->gave[i]++;
	}
}

static void add_run(struct row *row, const struct json *record, const struct json *hook)
{
	struct str verdict = text_of(hook, "verdict"), how = text_of(hook, "class");
	bool stop = json_is_true(json_getz(hook, "stop"));
	bool observes = json_is_true(json_getz(hook, "observe"));

	row->runs++;
	*VEC_ADD(&row->times) = json_num(json_getz(hook, "us"), 0);
	row->us += row->times.p[row->times.n - 1];
	row->stopped += stop && !observes;
	row->denied += !stop && !observes && str_eqz(verdict, "deny");
	row->asked += !stop && !observes && str_eqz(verdict, "ask");
	if (text_of(hook, "reason").n)
		row->reason = text_of(hook, "reason");
	if (!str_eqz(how, "ok") && !str_eqz(how, "blocked")) {
		row->failed++;
		row->last_failure = text_of(hook, "warning");
	}
	add_gifts(row, record, hook);
}

static void add_record(struct rows *rows, const struct json *record)
{
	const struct json *hooks = json_getz(record, "hooks");

	rows->firings++;
	rows->cwd = text_of(record, "cwd");
	for (size_t i = 0; json_at(hooks, i); i++) {
		const struct json *hook = json_at(hooks, i);
		struct row *row = row_of(rows, text_of(record, "event"), hook);

		row->file = text_of(hook, "file");
		row->line = (unsigned)json_num(json_getz(hook, "line"), 0);
		if (str_eqz(text_of(hook, "state"), "ran"))
			add_run(row, record, hook);
		else
			row->not_run++;
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

static void print_row(const struct tl_hooks *hooks, const struct row *row)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf did = { 0 };
	bool hard = row->denied || row->stopped;

	add_count(&did, "denied", row->denied);
	add_count(&did, "stopped the agent", row->stopped);
	add_count(&did, "asked the user", row->asked);
	for (size_t i = 0; i < ARRAY_LEN(gifts); i++)
		add_count(&did, gifts[i].text, row->gave[i]);
	add_count(&did, "failed", row->failed);
	out_text(BOLD, arena_z(&a, row->name), 1);
	out_f(PLAIN, "   %.*s, ran %d time%s", STR_ARG(row->event), row->runs,
	      row->runs == 1 ? "" : "s");
	if (row->runs)
		out_f(PLAIN, ", %.1f ms each", row->us / 1000 / row->runs);
	if (row->not_run)
		out_f(PLAIN, ", did not concern %d", row->not_run);
	out_f(DIM, "   %s:%u\n", short_path(hooks, arena_z(&a, row->file), &a), row->line);
	if (row->runs)
		out_text(hard          ? RED
			 : row->failed ? YELLOW
			 : did.n       ? GREEN
				       : DIM,
			 did.n ? buf_z(&did) : "had nothing to say", 3);
	if (row->reason.n && (hard || row->asked))
		out_text(PLAIN, arena_z(&a, str_sub(row->reason, 0, REASON_SHOWN)), 3);
	if (row->last_failure.n)
		out_text(YELLOW, arena_z(&a, str_sub(row->last_failure, 0, REASON_SHOWN)), 3);
}

static void print_text(const struct tl_hooks *hooks, struct str session, const struct rows *rows)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (!rows->n) {
		out_f(PLAIN, "No record of hooks%s.\n", session.n ? " in this session" : "");
		return;
	}
	out_f(PLAIN, "Session");
	out_text(PLAIN, arena_z(&a, session), 1);
	/* The last session may have been one of another project. */
	if (rows->cwd.n && !path_below_str(str_from(tl_hooks_project_dir(hooks)), rows->cwd).p) {
		out_f(PLAIN, "in");
		out_text(PLAIN, arena_z(&a, rows->cwd), 1);
	}
	out_f(PLAIN, "%d moment%s with hooks\n\n", rows->firings, rows->firings == 1 ? "" : "s");
	for (size_t i = 0; i < rows->n; i++)
		print_row(hooks, &rows->p[i]);
}

/* ---- for programs ---- */

static int by_size(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

/* The last time, and the one that 95 of 100 runs stay below. */
static void json_times(struct jw *w, struct row *row)
{
	double last = row->times.n ? row->times.p[row->times.n - 1] : 0;

	if (row->times.n)
		qsort(row->times.p, row->times.n, sizeof *row->times.p, by_size);
	jw_key(w, "lastMs");
	jw_num(w, last / 1000);
	jw_key(w, "p95Ms");
	jw_num(w, row->times.n ? row->times.p[row->times.n * 95 / 100] / 1000 : 0);
}

static void print_json(struct str session, struct rows *rows)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_obj(&w);
	jw_kv_str(&w, "session_id", session);
	jw_kv_str(&w, "cwd", rows->cwd);
	jw_kv_int(&w, "firings", rows->firings);
	jw_key(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < rows->n; i++) {
		struct row *row = &rows->p[i];

		jw_obj(&w);
		jw_kv_str(&w, "name", row->name);
		jw_kv_str(&w, "event", row->event);
		jw_kv_str(&w, "file", row->file);
		jw_kv_int(&w, "line", row->line);
		jw_kv_int(&w, "runs", row->runs);
		jw_kv_int(&w, "notRun", row->not_run);
		jw_kv_int(&w, "denied", row->denied);
		jw_kv_int(&w, "stopped", row->stopped);
		jw_kv_int(&w, "asked", row->asked);
		jw_kv_int(&w, "failed", row->failed);
		jw_key(&w, "gave");
		jw_obj(&w);
		for (size_t k = 0; k < ARRAY_LEN(gifts); k++)
			if (row->gave[k])
				jw_kv_int(&w, gifts[k].name, row->gave[k]);
		jw_end(&w);
		jw_key(&w, "ms");
		jw_num(&w, row->us / 1000);
		json_times(&w, row);
		if (row->reason.n)
			jw_kv_str(&w, "reason", row->reason);
		if (row->last_failure.n)
			jw_kv_str(&w, "failure", row->last_failure);
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	out_json(&out);
}

static bool has_run(const struct json *record)
{
	const struct json *hooks = json_getz(record, "hooks");

	for (size_t i = 0; json_at(hooks, i); i++)
		if (str_eqz(text_of(json_at(hooks, i), "state"), "ran"))
			return true;
	return false;
}

static void print_last(struct arena *a, struct str text, struct str session)
{
	const struct json *last = NULL, *v;
	AUTO(buf_done) struct buf out = { 0 };

	for (struct str rest = text, line; str_split(&rest, '\n', &line);)
		if (parse(a, line, &v) && str_eq(text_of(v, "session_id"), session) && has_run(v))
			last = v;
	(void)json_write(&out, last ? last : json_new_null(a), JSON_PRETTY);
	out_json(&out);
}

int cmd_report(const void *args_, int n, char **rest)
{
	const struct report_args *args = args_;
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct rows rows = { 0 };
	struct tl_hooks *hooks;
	const struct json *v;
	struct str session;
	struct err err;
	int status = load_hooks(&args->load, true, &hooks);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	if (read_records(hooks, &text, &err) < 0) {
		complain("%s", err.text);
		tl_hooks_unref(hooks);
		return EXIT_USAGE;
	}
	session = args->session ? str_from(args->session) : last_session(&a, buf_str(&text));
	if (args->last) {
		print_last(&a, buf_str(&text), session);
		tl_hooks_unref(hooks);
		return EXIT_OK;
	}
	for (struct str lines = buf_str(&text), line; str_split(&lines, '\n', &line);)
		if (parse(&a, line, &v) && str_eq(text_of(v, "session_id"), session))
			add_record(&rows, v);
	if (args->load.json)
		print_json(session, &rows);
	else
		print_text(hooks, session, &rows);
	for (size_t i = 0; i < rows.n; i++)
		free(rows.p[i].times.p);
	free(rows.p);
	tl_hooks_unref(hooks);
	return EXIT_OK;
}
