#include "workbench/fixture.h"
#include "base/meant.h"

#include <assert.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "workbench/show.h"

enum { FIXTURE_MAX_BYTES = 16 << 20, SAVED_REGEX_CHARS = 200 };

static const char *const change_names[] = {
	[TL_CHANGE_TOOL_INPUT] = "tool_input",         [TL_CHANGE_LLM_REQUEST] = "llm_request",
	[TL_CHANGE_LLM_RESPONSE] = "llm_response",     [TL_CHANGE_TOOL_CONFIG] = "toolConfig",
	[TL_CHANGE_TAIL_CALL] = "tailToolCallRequest", [TL_CHANGE_TOOL_RESULT] = "tool_result",
};

/* What a fixture may call the verdict: those of the contract, and two that stand for several. */
static const char *const verdict_words[] = { "none", "allow", "ask", "deny", "pass", "stop" };

/* ---- reading ---- */

struct reader {
	struct arena *arena;
	const char *path;
	struct str text;
};

struct member {
	const char *name;
	enum json_type type;
	bool required;
};

enum {
	F_NAME,
	F_EVENT,
	F_SUBJECT,
	F_TOOL,
	F_MCP_SERVER,
	F_MCP_TOOL,
	F_FAILED,
	F_PAYLOAD,
	F_EXPECT,
	F_COUNT
};
static const struct member fixture_members[F_COUNT] = {
	[F_NAME] = { "name", J_STR, false },
	[F_EVENT] = { "event", J_STR, true },
	[F_SUBJECT] = { "subject", J_STR, false },
	[F_TOOL] = { "tool", J_STR, false },
	[F_MCP_SERVER] = { "mcpServer", J_STR, false },
	[F_MCP_TOOL] = { "mcpTool", J_STR, false },
	[F_FAILED] = { "failed", J_BOOL, false },
	[F_PAYLOAD] = { "payload", J_OBJ, false },
	[F_EXPECT] = { "expect", J_OBJ, true },
};

enum { X_VERDICT, X_STOP, X_REASON, X_MESSAGE, X_CONTEXT, X_OUTPUT, X_HOOKS, X_MAX_MS, X_COUNT };
static const struct member expect_members[X_COUNT] = {
	[X_VERDICT] = { "verdict", J_STR, false }, [X_STOP] = { "stop", J_BOOL, false },
	[X_REASON] = { "reason", J_STR, false },   [X_MESSAGE] = { "message", J_STR, false },
	[X_CONTEXT] = { "context", J_STR, false }, [X_OUTPUT] = { "output", J_OBJ, false },
	[X_HOOKS] = { "hooks", J_OBJ, false },     [X_MAX_MS] = { "maxMs", J_NUM, false },
};

/* Puts the place in front of the sentence that is in *err. */
static int at(const struct reader *in, size_t pos, struct err *err)
{
	struct json_where w = json_locate(in->text, pos);

	return err_locate(err, in->path, w.line, w.column);
}

/* "what "word"; did you mean "near"?" */
static int unknown(const struct reader *in, size_t pos, const char *what, struct str word,
		   const char *const *known, size_t n, struct err *err)
{
	(void)err_set(err, E_INVAL, "%s \"%.*s\"%s", what, STR_ARG(word),
		      meant_of(word, known, n).text);
	return at(in, pos, err);
}

static int check_type(const struct reader *in, const char *name, enum json_type type,
		      const struct json *v, struct err *err)
{
	if (v->type == type)
		return 0;
	(void)err_set(err, E_INVAL, "\"%s\" must be of type %s, this is %s", name,
		      json_type_name(&(struct json){ .type = (uint8_t)type }), json_what(v));
	return at(in, v->pos, err);
}

/* Sorts the object's members into got[], which has one place for each row of the table. */
static int take_members(const struct reader *in, const struct json *obj, const struct member *table,
			size_t n, const struct json **got, struct err *err)
{
	const char *names[F_COUNT];

	static_assert((int)X_COUNT <= (int)F_COUNT, "names[] is for the longer table");
	for (size_t i = 0; i < n; i++)
		names[i] = table[i].name;
	for (size_t i = 0; i < obj->n; i++) {
		const struct json_member *m = &obj->members[i];
		size_t k = 0;

		while (k < n && !str_eqz(m->key, names[k]))
			k++;
		if (k == n)
			return unknown(in, m->pos, "unknown member", m->key, names, n, err);
		int r = check_type(in, names[k], table[k].type, &m->v, err);
		if (r < 0)
			return r;
		got[k] = &m->v;
	}
	for (size_t k = 0; k < n; k++)
		if (table[k].required && !got[k]) {
			(void)err_set(err, E_INVAL, "a fixture needs \"%s\"", names[k]);
			return at(in, obj->pos, err);
		}
	return 0;
}

static const char *text_of(struct arena *a, const struct json *v)
{
	return v ? arena_z(a, json_str(v, STR(""))) : NULL;
}

static int take_regex(const struct reader *in, const struct json *v, struct regex **ret_re,
		      struct err *err)
{
	if (!v || regex_compile(json_str(v, STR("")), 0, ret_re, err) == 0)
		return 0;
	return at(in, v->pos, err);
}

static int take_hooks(const struct reader *in, const struct json *v, struct err *err)
{
	/* Every word that can be expected of one hook: states, classes and verdicts. */
	const char *words[32];
	size_t n = 0;

	for (int i = TL_STATE_RAN; i <= TL_STATE_NOT_HERE; i++)
		words[n++] = tl_state_name((enum tl_state)i);
	for (int i = TL_CLASS_OK; i <= TL_CLASS_NOT_RUN; i++)
		words[n++] = tl_class_name((enum tl_class)i);
	for (int i = TL_VERDICT_NONE; i <= TL_VERDICT_DENY; i++)
		words[n++] = tl_verdict_name((enum tl_verdict)i);
	words[n++] = "pass";
	words[n++] = "stop";
	for (size_t i = 0; v && i < v->n; i++) {
		const struct json *word = &v->members[i].v;
		int r = check_type(in, "hooks", J_STR, word, err);

		if (r < 0)
			return r;
		if (!word_in(json_str(word, STR("")), words, n))
			return unknown(in, word->pos, "a hook cannot be", json_str(word, STR("")),
				       words, n, err);
	}
	return 0;
}

static int take_expect(const struct reader *in, const struct json *v, struct fixture *f,
		       struct err *err)
{
	const struct json *got[X_COUNT] = { 0 };
	int r = take_members(in, v, expect_members, X_COUNT, got, err);

	if (r < 0)
		return r;
	f->verdict = text_of(in->arena, got[X_VERDICT]);
	if (f->verdict && !WORD_IN(str_from(f->verdict), verdict_words))
		return unknown(in, got[X_VERDICT]->pos, "unknown verdict", str_from(f->verdict),
			       verdict_words, ARRAY_LEN(verdict_words), err);
	f->stop = got[X_STOP] ? json_is_true(got[X_STOP])
			      : f->verdict && strcmp(f->verdict, "stop") == 0;
	f->max_ms = json_num(got[X_MAX_MS], 0);
	if (got[X_MAX_MS] && !(f->max_ms > 0)) {
		(void)err_set(err, E_INVAL, "\"maxMs\" must be more than 0");
		return at(in, got[X_MAX_MS]->pos, err);
	}
	f->patterns = v;
	f->output = got[X_OUTPUT];
	f->hooks = got[X_HOOKS];
	r = take_regex(in, got[X_REASON], &f->reason, err);
	r = r < 0 ? r : take_regex(in, got[X_MESSAGE], &f->message, err);
	r = r < 0 ? r : take_regex(in, got[X_CONTEXT], &f->context, err);
	for (size_t i = 0; r >= 0 && f->output && i < f->output->n; i++) {
		const struct json_member *m = &f->output->members[i];

		if (!WORD_IN(m->key, change_names))
			return unknown(in, m->pos, "hooks cannot change", m->key, change_names,
				       ARRAY_LEN(change_names), err);
	}
	return r < 0 ? r : take_hooks(in, f->hooks, err);
}

/* What the event's matchers look at. */
static const char *subject_of(const char *event)
{
	struct tl_event_info info = { .subject = "" };

	(void)event_info_find(str_from(event), &info);
	return info.subject;
}

static int take_event(const struct reader *in, const struct json *const *got, struct fixture *f,
		      struct err *err)
{
	struct arena *a = in->arena;
	const struct json *subject = got[F_TOOL] ? got[F_TOOL] : got[F_SUBJECT];
	const char *event = text_of(a, got[F_EVENT]);
	const char *field = subject_of(event);
	struct event_args args = {
		.payload = got[F_PAYLOAD] ? json_text(a, got[F_PAYLOAD], JSON_COMPACT).p : NULL,
		.subject = text_of(a, subject),
		.mcp_server = text_of(a, got[F_MCP_SERVER]),
		.mcp_tool = text_of(a, got[F_MCP_TOOL]),
		.failed = json_is_true(got[F_FAILED]),
	};

	if (event_make(NULL, &f->made, a, event, &args, err) < 0)
		return at(in, got[F_EVENT]->pos, err);
	if (got[F_TOOL] && strcmp(field, "tool_name") != 0)
		(void)err_set(err, E_INVAL, "\"tool\" is for tool events, not for %s", event);
	else if (subject && !*field)
		(void)err_set(err, E_INVAL, "%s has no subject", event);
	else
		return 0;
	return at(in, subject->pos, err);
}

/* index < 0: the file is this one fixture. */
static int take_fixture(const struct reader *in, const struct json *v, int index, struct fixture *f,
			struct err *err)
{
	struct json_where w = json_locate(in->text, v->pos);
	const struct json *got[F_COUNT] = { 0 };
	int r;

	if (!json_is(v, J_OBJ)) {
		(void)err_set(err, E_INVAL, "a fixture is an object, this is %s", json_what(v));
		return at(in, v->pos, err);
	}
	r = take_members(in, v, fixture_members, F_COUNT, got, err);
	r = r < 0 ? r : take_event(in, got, f, err);
	r = r < 0 ? r : take_expect(in, got[F_EXPECT], f, err);
	if (r < 0)
		return r;
	f->file = in->path;
	f->line = w.line;
	f->column = w.column;
	f->name = text_of(in->arena, got[F_NAME]);
	if (!f->name) {
		const char *subject = f->made.event.subject;
		struct str number = index < 0 ? STR("") : arena_printf(in->arena, "[%d]", index);

		f->name =
			arena_printf(in->arena, "%s%s: %s%s%s", in->path, number.p,
				     f->made.event.name, subject ? " " : "", subject ? subject : "")
				.p;
	}
	return 0;
}

static void fixture_done(struct fixture *f)
{
	regex_free(f->reason);
	regex_free(f->message);
	regex_free(f->context);
}

static int add_fixture(struct fixtures *set, const struct reader *in, const struct json *v,
		       int index, struct err *err)
{
	struct fixture f = { 0 };
	int r = take_fixture(in, v, index, &f, err);

	if (r < 0)
		fixture_done(&f);
	else
		*VEC_ADD(set) = f;
	return r;
}

static void drop_from(struct fixtures *set, size_t n)
{
	while (set->n > n)
		fixture_done(&set->p[--set->n]);
}

int fixtures_read(struct fixtures *set, const char *path, struct err *err)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct reader in = { .arena = &set->arena, .path = arena_z(&set->arena, str_from(path)) };
	const struct json *doc;
	struct json_where w;
	size_t before = set->n;
	int r = fs_read(path, FIXTURE_MAX_BYTES, &bytes, err);

	if (r == -E_NOTFOUND)
		return err_set(err, E_NOTFOUND,
			       "%s: no such file; a fixture is made with: trotline hooks "
			       "run EVENT --save FILE",
			       path);
	if (r < 0)
		return r;
	in.text = arena_str(&set->arena, buf_str(&bytes));
	if (json_parse_at(in.arena, in.text, JSON_C, NULL, &doc, &w, err) < 0)
		return err_locate(err, path, w.line, w.column);
	set->is_list = json_is(doc, J_ARR);
	if (!set->is_list)
		return add_fixture(set, &in, doc, -1, err);
	for (size_t i = 0; i < doc->n; i++) {
		r = add_fixture(set, &in, json_at(doc, i), (int)i, err);
		if (r < 0) {
			drop_from(set, before);
			return r;
		}
	}
	return 0;
}

void fixtures_done(struct fixtures *set)
{
	drop_from(set, 0);
	free(set->p);
	arena_done(&set->arena);
	*set = (struct fixtures){ 0 };
}

/* ---- writing ---- */

/* A regular expression that finds the text, or its beginning when it is long. */
static void write_regex(struct jw *w, const char *key, const char *text)
{
	struct str s = utf8_prefix(str_from(text), SAVED_REGEX_CHARS);
	AUTO(buf_done) struct buf re = { 0 };

	if (s.n == 0)
		return;
	for (size_t i = 0; i < s.n; i++) {
		if (strchr("^$\\.*+?()[]{}|/", s.p[i]))
			buf_addc(&re, '\\');
		buf_addc(&re, s.p[i]);
	}
	jw_kv_str(w, key, buf_str(&re));
}

static void write_changes(struct jw *w, const struct tl_outcome *o)
{
	bool some = false;

	for (size_t i = 0; i < ARRAY_LEN(change_names); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const char *text = tl_outcome_change(o, (enum tl_change)i);
		const struct json *v;

		if (!text)
			continue;
		if (!some) {
			jw_key(w, "output");
			jw_obj(w);
		}
		some = true;
		if (i == TL_CHANGE_TOOL_RESULT || json_parse(&a, str_from(text), 0, &v, NULL) < 0)
			v = json_new_str(&a, str_from(text));
		jw_key(w, change_names[i]);
		jw_json(w, v);
	}
	if (some)
		jw_end(w);
}

/* What the project's hooks said.  The user's own are not there on other people's machines. */
static void write_hooks(struct jw *w, const struct tl_outcome *o)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *hooks = NULL;

	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();
		const char *word;

		(void)tl_outcome_report_get(o, i, &r);
		if (r.state != TL_STATE_RAN || !tiers[r.hook->tier].foreign)
			continue;
		word = r.how == TL_CLASS_OK || r.how == TL_CLASS_BLOCKED
			       ? tl_verdict_name(r.verdict)
			       : tl_class_name(r.how);
		hooks = json_set(&a, hooks, str_from(r.hook->name),
				 json_new_str(&a, str_from(word)));
	}
	if (!hooks)
		return;
	jw_key(w, "hooks");
	jw_json(w, hooks);
}

static void write_event(struct jw *w, const struct event_made *m)
{
	const struct tl_event *e = &m->event;
	const char *field = subject_of(e->name);
	bool is_tool = strcmp(field, "tool_name") == 0;
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *payload = json_without(&a, m->payload, str_from(field));

	jw_kv_z(w, "event", e->name);
	if (e->subject)
		jw_kv_z(w, is_tool ? "tool" : "subject", e->subject);
	if (e->mcp_server)
		jw_kv_z(w, "mcpServer", e->mcp_server);
	if (e->mcp_tool)
		jw_kv_z(w, "mcpTool", e->mcp_tool);
	if (e->failed)
		jw_kv_bool(w, "failed", true);
	if (e->session_id && strcmp(e->session_id, "sample-session") != 0)
		payload = json_set(&a, payload, STR("session_id"),
				   json_new_str(&a, str_from(e->session_id)));
	jw_key(w, "payload");
	jw_json(w, payload);
}

int fixture_write(const char *path, const struct event_made *m, const struct tl_outcome *o,
		  struct err *err)
{
	const char *verdict = tl_verdict_name(tl_outcome_verdict(o));
	const char *reason = tl_outcome_reason(o), *subject = m->event.subject;
	AUTO(fixtures_done) struct fixtures old = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };
	struct err why;

	if (fs_exists(path) && fixtures_read(&old, path, &why) < 0)
		return err_set(err, E_INVAL, "%s exists and is not a fixture; it is left alone: %s",
			       path, why.text);
	if (old.is_list)
		return err_set(err, E_INVAL, "%s holds a list of %zu fixtures; give another file",
			       path, old.n);
	AUTO(free) char *name =
		xasprintf("%s%s%s: %s", m->event.name, subject ? " " : "", subject ? subject : "",
			  tl_outcome_stopped(o) ? "stop" : verdict);
	jw_obj(&w);
	jw_kv_z(&w, "name", name);
	write_event(&w, m);
	jw_key(&w, "expect");
	jw_obj(&w);
	jw_kv_z(&w, "verdict", verdict);
	if (tl_outcome_stopped(o))
		jw_kv_bool(&w, "stop", true);
	write_regex(&w, "reason", *reason ? reason : tl_outcome_stop_reason(o));
	write_regex(&w, "message", tl_outcome_message(o));
	write_regex(&w, "context", tl_outcome_context(o));
	write_changes(&w, o);
	write_hooks(&w, o);
	jw_end(&w);
	jw_end(&w);
	buf_addc(&out, '\n');
	return fs_replace(path, buf_str(&out), 0644, err);
}

/* ---- comparing ---- */

static void add_problem(struct problems *list, const char *what, const char *expected,
			const char *got)
{
	*VEC_ADD(list) = (struct problem){ what, expected, got };
}

static bool verdict_is(const char *word, enum tl_verdict v, bool stopped)
{
	if (strcmp(word, "stop") == 0)
		return stopped;
	if (strcmp(word, "pass") == 0)
		return v <= TL_VERDICT_ALLOW && !stopped;
	return strcmp(word, tl_verdict_name(v)) == 0;
}

static bool finds(const struct regex *re, const char *text)
{
	return regex_test(re, str_from(text), NULL) == REGEX_YES;
}

/* other: a second text that may be meant, looked at when it is not empty. */
static void check_text(const struct fixture *f, const struct regex *re, const char *what,
		       const char *text, const char *other, struct arena *a, struct problems *list)
{
	const struct json *pattern = json_getz(f->patterns, what);
	const char *got = *text ? text : other;

	if (!re || finds(re, text) || (*other && finds(re, other)))
		return;
	add_problem(list, what, arena_printf(a, "/%.*s/", STR_ARG(json_str(pattern, STR("")))).p,
		    *got ? arena_z(a, str_from(got)) : "(nothing)");
}

/* A hook that crashed or was ended has let nothing pass. */
static bool has_failed(const struct tl_report *r)
{
	return r->state == TL_STATE_RAN && r->how > TL_CLASS_WARNED;
}

/* The first hook that failed, and how; or NULL. */
static const char *failed_hook(const struct tl_outcome *o, struct arena *a)
{
	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		if (has_failed(&r))
			return arena_printf(a, "hook \"%s\" %s", r.hook->name, tl_class_name(r.how))
				.p;
	}
	return NULL;
}

static bool report_is(const struct tl_report *r, const char *word)
{
	if (strcmp(word, "pass") == 0 && has_failed(r))
		return false;
	if (strcmp(word, tl_state_name(r->state)) == 0)
		return true;
	if (r->state != TL_STATE_RAN)
		return strcmp(word, tl_class_name(TL_CLASS_NOT_RUN)) == 0;
	return strcmp(word, tl_class_name(r->how)) == 0 || verdict_is(word, r->verdict, r->stopped);
}

/* A name may stand for several hooks of the event: one of them must be as expected. */
static void check_hook(const struct tl_outcome *o, const char *name, const char *word,
		       struct arena *a, struct problems *list)
{
	AUTO(free) const char **names = xcalloc(tl_outcome_report_count(o) + 1, sizeof *names);
	const char *what = arena_printf(a, "hooks.%s", name).p;
	AUTO(buf_done) struct buf got = { 0 };
	size_t n = tl_outcome_report_count(o);

	for (size_t i = 0; i < n; i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		names[i] = r.hook->name;
		if (strcmp(r.hook->name, name) != 0)
			continue;
		if (report_is(&r, word))
			return;
		buf_addf(&got, "%s%s", got.n ? "; " : "", tl_state_name(r.state));
		if (r.state == TL_STATE_RAN)
			buf_addf(&got, ", %s, %s", tl_class_name(r.how),
				 tl_verdict_name(r.verdict));
	}
	if (!got.n)
		buf_addf(&got, "no such hook on this event%s",
			 meant_of(str_from(name), names, n).text);
	add_problem(list, what, word, arena_z(a, buf_str(&got)));
}

void fixture_check(const struct fixture *f, const struct tl_outcome *o, double elapsed_ms,
		   struct arena *a, struct problems *list)
{
	bool stopped = tl_outcome_stopped(o);
	enum tl_verdict v = tl_outcome_verdict(o);
	const char *failed =
		f->verdict && strcmp(f->verdict, "pass") == 0 ? failed_hook(o, a) : NULL;

	if (failed)
		add_problem(list, "verdict", f->verdict, failed);
	else if (f->verdict && !verdict_is(f->verdict, v, stopped))
		add_problem(
			list, "verdict", f->verdict,
			arena_printf(a, "%s%s", tl_verdict_name(v), stopped ? ", stopped" : "").p);
	else if (stopped != f->stop)
		add_problem(list, "stop", f->stop ? "true" : "false", stopped ? "true" : "false");
	check_text(f, f->reason, "reason", tl_outcome_reason(o), tl_outcome_stop_reason(o), a,
		   list);
	check_text(f, f->message, "message", tl_outcome_message(o), "", a, list);
	check_text(f, f->context, "context", tl_outcome_context(o), "", a, list);
	for (size_t i = 0; f->output && i < ARRAY_LEN(change_names); i++) {
		const struct json *want = json_getz(f->output, change_names[i]);
		const char *text = tl_outcome_change(o, (enum tl_change)i);
		const struct json *got = json_new_null(a);

		if (!want)
			continue;
		if (text && (i == TL_CHANGE_TOOL_RESULT ||
			     json_parse(a, str_from(text), 0, &got, NULL) < 0))
			got = json_new_copy(a, str_from(text));
		if (json_equal(want, got))
			continue;
		add_problem(list, arena_printf(a, "output.%s", change_names[i]).p,
			    json_is(want, J_NULL) ? "(no change)" : json_text(a, want, 0).p,
			    text ? json_text(a, got, 0).p : "(no change)");
	}
	for (size_t i = 0; f->hooks && i < f->hooks->n; i++)
		check_hook(o, arena_z(a, f->hooks->members[i].key),
			   arena_z(a, json_str(&f->hooks->members[i].v, STR(""))), a, list);
	if (f->max_ms > 0 && elapsed_ms > f->max_ms)
		add_problem(list, "maxMs", arena_printf(a, "at most %g ms", f->max_ms).p,
			    arena_printf(a, "%.1f ms", elapsed_ms).p);
}
