#include "hooks/result.h"

#include <errno.h>
#include <stdarg.h>

#include "base/utf8.h"
#include "hooks/claude.h"

#define DEFAULT_REASON STR("No reason provided")
enum { ANSWER_DEPTH_MAX = 4096, WARNING_STDERR_MAX = 500, SCAN_FOR_JSON_MAX = 64 << 10 };

/* ---- texts ---- */

struct str clean_text(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };

	s = str_trim(s);
	(void)utf8_add_clean(&out, s);
	if (memchr(out.p ? out.p : "", 0, out.n)) {
		AUTO(buf_done) struct buf whole = { 0 };

		for (size_t i = 0; i < out.n; i++)
			buf_add(&whole, out.p[i] ? &out.p[i] : "\xef\xbf\xbd", out.p[i] ? 1 : 3);
		return arena_str(a, buf_str(&whole));
	}
	return arena_str(a, buf_str(&out));
}

struct str cut_context(struct arena *a, struct str s)
{
	struct str kept = utf8_prefix(s, CONTEXT_MAX_CHARS);

	if (kept.n == s.n)
		return clean_text(a, s);
	struct str clean = clean_text(a, kept);
	return arena_printf(a, "%.*s\n[... %zu more characters were left out]", STR_ARG(clean),
			    utf8_count(s) - CONTEXT_MAX_CHARS);
}

void judge_note(struct judging *j, enum tl_severity severity, const char *code, const char *fmt,
		...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	diag_add(j->diags, severity, code, &j->hook->at, "hook \"%s\": %s", j->hook->id, text);
}

/* ---- reading the answer ---- */

struct answer answer_read(struct arena *a, struct str bytes, bool unwrap)
{
	static const struct json_limits limits = { .max_depth = ANSWER_DEPTH_MAX };
	struct answer out = { .text = utf8_trim(bytes) };
	const struct json *v;
	int r;

	if (out.text.n == 0)
		return out;
	r = json_parse_at(a, out.text, 0, &limits, &v, NULL, NULL);
	if (r < 0) {
		out.kind = r == -E_LIMIT ? ANSWER_UNREADABLE : ANSWER_TEXT;
		return out;
	}
	if (unwrap && v->type == J_STR) {
		const struct json *inner;

		if (json_parse(a, json_str(v, STR("")), 0, &inner, NULL) < 0 ||
		    inner->type != J_OBJ) {
			out.kind = ANSWER_TEXT;
			return out;
		}
		out.text = json_str(v, STR(""));
		v = inner;
	}
	out.kind = v->type != J_OBJ        ? ANSWER_OTHER_JSON
		   : answer_is_too_deep(v) ? ANSWER_UNREADABLE
					   : ANSWER_OBJECT;
	out.obj = v->type == J_OBJ ? v : NULL;
	return out;
}

/* People print a line for themselves and then the JSON: it is not read, and they should know. */
static bool has_json_inside(struct arena *a, struct str text)
{
	const struct json *v;
	ptrdiff_t from = str_chr(text, '{', 0);
	size_t to = text.n;

	if (from < 0 || text.n > SCAN_FOR_JSON_MAX)
		return false;
	if (from == 0)
		return true; /* two objects, or one that is broken */
	while (to > (size_t)from && text.p[to - 1] != '}')
		to--;
	return json_parse(a, str_sub(text, (size_t)from, to), 0, &v, NULL) == 0 && v->type == J_OBJ;
}

const struct json *judge_member(struct judging *j, const struct json *obj, const char *key,
				enum json_type type)
{
	const struct json *v = json_getz(obj, key);

	if (!v || v->type == J_NULL)
		return NULL;
	if (v->type == type)
		return v;
	judge_note(j, TL_SEVERITY_WARNING, "wrong-type",
		   "\"%s\" must be a%s %s, this is %s; ignored", key,
		   type == J_OBJ || type == J_ARR ? "n" : "",
		   json_type_name(&(struct json){ .type = (uint8_t)type }), json_type_name(v));
	/* Whoever guards with a key that we cannot read must not be taken for silent. */
	j->bad = true;
	return NULL;
}

static struct str str_member(struct judging *j, const struct json *obj, const char *key)
{
	const struct json *v = judge_member(j, obj, key, J_STR);

	return v ? clean_text(j->f->arena, json_str(v, STR(""))) : STR("");
}

/* C3.2 */
static enum tl_verdict read_decision(struct judging *j, const struct json *obj)
{
	static const struct {
		const char *word;
		enum tl_verdict verdict;
	} words[] = { { "allow", TL_VERDICT_ALLOW },
		      { "approve", TL_VERDICT_ALLOW },
		      { "ask", TL_VERDICT_ASK },
		      { "deny", TL_VERDICT_DENY },
		      { "block", TL_VERDICT_DENY } };
	const struct json *v = judge_member(j, obj, "decision", J_STR);

	if (!v)
		return TL_VERDICT_NONE;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eqz(json_str(v, STR("")), words[i].word))
			return words[i].verdict;
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "unknown-decision",
		   "decision \"%.*s\" is none of allow, approve, ask, deny, block; no opinion",
		   STR_ARG(clean_text(j->f->arena, json_str(v, STR("")))));
	return TL_VERDICT_NONE;
}

void judge_ignored(struct judging *j, const char *what)
{
	judge_note(j, TL_SEVERITY_WARNING, "ignored-field", "\"%s\" has no effect on %s; ignored",
		   what, j->hook->as->name);
}

/* C2.2, C4.9: on BeforeToolSelection nobody can deny, so that a failure leaves no tools instead. */
static bool closes_tools(const struct judging *j)
{
	return j->f->event->honours & PART_TOOL_CONFIG && j->hook->on_failure > FAIL_WARN;
}

static void leave_no_tools(struct judging *j)
{
	struct arena *a = j->f->arena;

	j->r->change[TL_CHANGE_TOOL_CONFIG] =
		json_set(a, NULL, STR("mode"), json_new_str(a, STR("NONE")));
}

static void note_unknown(struct judging *j, bool inner, struct str name)
{
	struct arena *a = j->f->arena;
	const char *meant = answer_meant(a, j->hook, inner, name);

	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "unknown-field", "\"%s%.*s\" has no effect%s%s%s",
		   inner ? "hookSpecificOutput." : "", STR_ARG(clean_text(a, name)),
		   meant ? "; did you mean \"" : "", meant ? meant : "", meant ? "\"?" : "");
}

static void judge_unusable(struct judging *j, const char *member)
{
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "wrong-type", "\"%s\" is null", member);
}

static void check_members(struct judging *j, const struct json *obj, bool inner)
{
	enum words words = answer_words(j->hook->dialect);

	for (size_t i = 0; json_is(obj, J_OBJ) && i < obj->n; i++) {
		const struct json_member *m = &obj->members[i];
		const struct answer_member *row = answer_member_find(words, inner, m->key);
		bool told = j->strictest.member &&
			    str_eqz(m->key, j->strictest.member); /* as a foreign word */

		if (m->v.type == J_NULL) {
			/* A guard that could not say its change has not allowed it. */
			if (j->hook->guard && row && row->change != CHANGES_NOTHING)
				judge_unusable(j, row->f.name);
			continue;
		}
		if (!row && !told)
			note_unknown(j, inner, m->key);
		else if (row && !row->parts && strcmp(row->f.text, "not supported") == 0)
			judge_ignored(j, row->f.name);
	}
}

void judge_members(struct judging *j, const struct json *obj)
{
	const struct json *so = json_getz(obj, "hookSpecificOutput");
	struct str event = json_get_str(so, "hookEventName");

	check_members(j, obj, false);
	check_members(j, so, true);
	if (!event.n || str_eqz(event, j->hook->as->name) || str_eqz(event, j->f->event->name))
		return;
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "wrong-event",
		   "hookEventName is \"%.*s\", but this is %s; the answer counts",
		   STR_ARG(clean_text(j->f->arena, event)), j->hook->as->name);
}

/* A filter that leaves no tool writes an empty list, which elsewhere means all of them. */
static bool is_empty_list(const struct json *config)
{
	const struct json *names = json_getz(config, "allowedFunctionNames");

	return names && !names->n && tool_mode_rank(json_get_str(config, "mode")) < 2;
}

/* What is no text hides the text of a chunk, and says nothing about the calls in it. */
static const char *odd_part(const struct json *response)
{
	const struct json *candidates = json_getz(response, "candidates"), *c, *part;

	for (size_t i = 0; (c = json_at(candidates, i)); i++)
		for (size_t k = 0; (part = json_at(json_pointer(c, STR("/content/parts")), k)); k++)
			if (!json_is(part, J_STR) && !json_is(json_getz(part, "text"), J_STR))
				return ".candidates has a part that is not a text";
	return NULL;
}

/* A change of the event that the table knows, where it can be applied. */
static void read_change(struct judging *j, const struct json *so, const struct answer_member *m)
{
	const struct event *ev = j->f->event;
	const struct json *v = judge_member(j, so, m->f.name, J_OBJ);
	const char *why;

	if (!v)
		return;
	if (!(answer_honours(j->hook) & m->parts)) {
		j->bad = true;
		judge_ignored(j, m->f.name);
		return;
	}
	why = answer_misfit(j->f->arena, m, ev, v,
			    ev->chained && ev->change == m->change ? firing_current(j->f) : NULL);
	if (!why && closes_tools(j) && is_empty_list(v))
		why = "allows an empty list of tools; \"mode\": \"NONE\" says that";
	if (!why && m->change == TL_CHANGE_LLM_RESPONSE &&
	    (j->hook->guard || j->hook->on_failure > FAIL_WARN))
		why = odd_part(v);
	if (!why) {
		j->r->change[m->change] = v;
		return;
	}
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "cannot-apply", "\"%s\"%s%s; %s", m->f.name,
		   *why == '.' || *why == '[' ? "" : " ", why,
		   closes_tools(j) ? "no tool is allowed" : "ignored");
}

static void read_specific(struct judging *j, const struct json *obj)
{
	const struct json *so = judge_member(j, obj, "hookSpecificOutput", J_OBJ), *v;
	unsigned honours = answer_honours(j->hook);
	const struct answer_member *m;

	for (size_t i = 0; (m = answer_member_at(i)); i++)
		if (m->words & WORDS_GEMINI && m->inner && m->change != CHANGES_NOTHING)
			read_change(j, so, m);
	v = judge_member(j, so, "additionalContext", J_STR);
	if (v && honours & PART_CONTEXT) {
		j->r->context = cut_context(j->f->arena, json_str(v, STR("")));
	} else if (v) {
		j->bad = true;
		judge_ignored(j, "additionalContext");
	}
	/* Both places are in use; the inner one wins. */
	v = judge_member(j, so, "clearContext", J_BOOL);
	if (!v)
		v = judge_member(j, obj, "clearContext", J_BOOL);
	if (v && honours & PART_CLEAR_CONTEXT)
		j->r->clear_context = v->yes;
	else if (v) {
		j->bad = true;
		judge_ignored(j, "clearContext");
	}
	if (j->r->change[TL_CHANGE_TOOL_CONFIG] && j->strictest.repeated.p && j->strictest.mode > 0)
		j->r->change[TL_CHANGE_TOOL_CONFIG] =
			json_set(j->f->arena, j->r->change[TL_CHANGE_TOOL_CONFIG], STR("mode"),
				 json_new_str(j->f->arena,
					      j->strictest.mode == 2 ? STR("NONE") : STR("ANY")));
}

struct str judge_reason(struct judging *j)
{
	static const char *const names[] = { "reason",       "permissionDecisionReason",
					     "message",      "agent_message",
					     "user_message", "stopReason" };
	const struct json *so = json_getz(j->answer.obj, "hookSpecificOutput");
	const struct json *places[] = { j->answer.obj, so, json_getz(so, "decision") };

	for (size_t p = 0; p < ARRAY_LEN(places); p++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			struct str text =
				clean_text(j->f->arena, json_get_str(places[p], names[i]));

			if (text.n)
				return text;
		}
	return j->answer.obj
		       ? STR("")
		       : clean_text(j->f->arena, utf8_prefix(j->answer.text, CONTEXT_MAX_CHARS));
}

/* C3.10, C3.11: what counts although it does not stand where the dialect looks. */
static void note_strictest(struct judging *j)
{
	const struct strictest *w = &j->strictest;
	struct arena *a = j->f->arena;

	if (w->repeated.p) {
		j->bad = true;
		judge_note(j, TL_SEVERITY_WARNING, "repeated-member",
			   "\"%.*s\" stands more than once in the answer; of a decision the "
			   "strictest counts, else the last",
			   STR_ARG(clean_text(a, w->repeated)));
	}
	if (w->verdict == TL_VERDICT_NONE || w->own)
		return;
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "foreign-word",
		   "the answer %s by \"%s\", which counts; the %s dialect says %s",
		   w->verdict == TL_VERDICT_DENY ? "denies" : "asks", w->member,
		   j->hook->dialect->name,
		   answer_words(j->hook->dialect) == WORDS_GEMINI
			   ? "\"decision\": \"deny\""
			   : "hookSpecificOutput.permissionDecision: \"deny\", or \"decision\": "
			     "\"block\"");
}

/* The strictest reading, over what the dialect's own words said. */
static void take_strictest(struct judging *j)
{
	const struct strictest *w = &j->strictest;
	struct reply *r = j->r;
	unsigned honours = answer_honours(j->hook);

	if (w->verdict > r->verdict && honours & PART_DECISION) {
		struct str reason = judge_reason(j);

		r->verdict = w->verdict;
		r->reason = reason.n ? reason : DEFAULT_REASON;
	}
	if (w->stop && !r->stop && honours & PART_STOP) {
		r->stop = true;
		struct str reason = judge_reason(j);

		r->stop_reason = reason.n ? reason : DEFAULT_REASON;
	}
	/* Where nothing can be denied, a denial closes what it can. */
	if (closes_tools(j) && (w->verdict >= TL_VERDICT_ASK || w->stop))
		j->bad = true;
}

void judge_object(struct judging *j, const struct json *obj)
{
	struct str reason = str_member(j, obj, "reason");
	struct str stop_reason = str_member(j, obj, "stopReason");
	struct str message = str_member(j, obj, "systemMessage");
	const struct json *go_on = judge_member(j, obj, "continue", J_BOOL);
	enum tl_verdict verdict = read_decision(j, obj);
	unsigned honours = answer_honours(j->hook);
	struct reply *r = j->r;

	if (honours & PART_DECISION)
		r->verdict = verdict;
	else if (verdict != TL_VERDICT_NONE)
		judge_ignored(j, "decision");
	if (json_is_false(go_on) && honours & PART_STOP)
		r->stop = true;
	else if (json_is_false(go_on))
		judge_ignored(j, "continue");
	if (honours & PART_MESSAGE)
		r->message = message;
	else if (message.n)
		judge_ignored(j, "systemMessage");
	r->suppress = json_is_true(judge_member(j, obj, "suppressOutput", J_BOOL));
	/* C3.4: one text for the agent, one for the user. */
	if (r->verdict >= TL_VERDICT_ASK)
		r->reason = reason.n ? reason : stop_reason.n ? stop_reason : DEFAULT_REASON;
	else
		r->reason = reason;
	if (r->verdict == TL_VERDICT_ASK && !reason.n && message.n)
		r->reason = message;
	if (r->stop)
		r->stop_reason = stop_reason.n ? stop_reason : reason.n ? reason : DEFAULT_REASON;
	read_specific(j, obj);
	judge_members(j, obj);
	take_strictest(j);
}

/* ---- by exit status ---- */

/* Prose is a message, whatever it quotes; what begins as JSON was meant as an answer. */
static bool begins_as_json(struct str text)
{
	text = str_trim(text);
	return text.n && strchr("{[\"", text.p[0]);
}

static void judge_text(struct judging *j)
{
	const struct dialect *d = j->hook->dialect;
	struct str text = clean_text(j->f->arena, j->answer.text);

	if (has_json_inside(j->f->arena, j->answer.text))
		judge_note(j, TL_SEVERITY_WARNING, "json-after-text",
			   "JSON after other text is not read");
	take_strictest(j);
	if (j->hook->guard) {
		j->bad = true;
		return;
	}
	if (j->r->verdict >= TL_VERDICT_ASK || j->r->stop)
		return;
	if (d->plain != PLAIN_MESSAGE)
		return;
	if (event_can_block(j->f->event))
		j->r->verdict = TL_VERDICT_ALLOW;
	if (j->f->event->honours & PART_MESSAGE)
		j->r->message = text;
}

static void judge_success(struct judging *j)
{
	switch (j->answer.kind) {
	case ANSWER_EMPTY:
		return;
	case ANSWER_OBJECT:
		judge_object(j, j->answer.obj);
		return;
	case ANSWER_OTHER_JSON:
		judge_note(j, TL_SEVERITY_WARNING, "not-an-object",
			   "the output is JSON but not an object; no opinion");
		j->bad = true;
		take_strictest(j);
		return;
	case ANSWER_TEXT:
		judge_text(j);
		return;
	case ANSWER_UNREADABLE:
		take_strictest(j);
		return;
	}
}

static struct str reason_in(struct judging *j, const struct json *obj)
{
	struct str reason = json_get_str(obj, "reason");

	if (!reason.n)
		reason = json_get_str(obj, "stopReason");
	return clean_text(j->f->arena, reason);
}

struct str judge_blocked_reason(struct judging *j, struct str own)
{
	struct arena *a = j->f->arena;
	struct answer err = answer_read(a, j->end->err, j->hook->dialect->unwraps_string);
	struct str out = j->answer.kind == ANSWER_OBJECT ? STR("") : clean_text(a, j->answer.text);
	struct str found[] = {
		own, reason_in(j, err.obj), clean_text(a, err.text), reason_in(j, j->answer.obj),
		out,
	};

	for (size_t i = 0; i < ARRAY_LEN(found); i++)
		if (found[i].n)
			return found[i];
	return arena_printf(a, "blocked by hook %s (exit 2, no message)", j->hook->id);
}

static void judge_blocked(struct judging *j)
{
	bool denies = j->strictest.verdict == TL_VERDICT_DENY || j->strictest.stop;
	struct str reason = judge_blocked_reason(j, denies ? reason_in(j, j->answer.obj) : STR(""));

	if (j->answer.kind == ANSWER_OBJECT)
		judge_object(j, j->answer.obj);
	if (event_can_block(j->f->event)) {
		j->r->verdict = TL_VERDICT_DENY;
		j->r->reason = reason;
		return;
	}
	if (closes_tools(j)) {
		if (!j->r->change[TL_CHANGE_TOOL_CONFIG])
			leave_no_tools(j);
		return;
	}
	judge_note(j, TL_SEVERITY_NOTE, "cannot-block", "exit 2 blocks nothing on %s",
		   j->f->event->name);
	if (j->f->event->honours & PART_MESSAGE && !j->r->message.n)
		j->r->message = reason;
}

/* A hook that printed a denial and then crashed meant the denial. */
static void judge_warned(struct judging *j)
{
	struct reply said = *j->r;
	struct judging inner = *j;

	inner.r = &said;
	if (j->answer.kind == ANSWER_OBJECT)
		judge_object(&inner, j->answer.obj);
	else
		take_strictest(&inner);
	if (said.verdict < TL_VERDICT_ASK && !said.stop)
		return;
	j->r->verdict = said.verdict < TL_VERDICT_ASK ? TL_VERDICT_NONE : said.verdict;
	j->r->reason = said.reason;
	j->r->stop = said.stop;
	j->r->stop_reason = said.stop_reason;
	j->r->message = said.message;
	if (j->misfit)
		judge_note(j, TL_SEVERITY_WARNING, "json-on-failure",
			   "its JSON counts all the same");
	else
		judge_note(j, TL_SEVERITY_WARNING, "json-on-failure",
			   "it failed with exit %d, and its JSON still counts", j->end->code);
}

/* ---- classes ---- */

static enum tl_class class_of(const struct ending *e)
{
	switch (e->end) {
	case PROC_ANSWERED:
		return e->misfit ? TL_CLASS_BAD_OUTPUT : TL_CLASS_OK;
	case PROC_EXITED:
		return e->misfit      ? TL_CLASS_BAD_OUTPUT
		       : e->code == 0 ? TL_CLASS_OK
		       : e->code == 2 ? TL_CLASS_BLOCKED
				      : TL_CLASS_WARNED;
	case PROC_UNKNOWN:
		return TL_CLASS_WARNED;
	case PROC_SIGNALLED:
		return TL_CLASS_SIGNALLED;
	case PROC_TIMED_OUT:
		return TL_CLASS_TIMED_OUT;
	case PROC_CANCELLED:
		return TL_CLASS_CANCELLED;
	case PROC_TOO_BIG:
		return TL_CLASS_TOO_BIG;
	case PROC_RUNNING:
	case PROC_UNHEARD:
	case PROC_NOT_STARTED:
		return TL_CLASS_NOT_STARTED;
	}
	return TL_CLASS_NOT_STARTED;
}

/* "exit 1", "no end after 500 ms": what happened, in a few words. */
static struct str what_happened(const struct judging *j)
{
	struct arena *a = j->f->arena;
	const struct ending *e = j->end;

	switch (j->r->how) {
	case TL_CLASS_WARNED:
		if (e->end == PROC_EXITED && e->code == 0)
			return STR("its JSON is not valid");
		return e->end == PROC_UNKNOWN
			       ? STR("its exit status is lost, because the host reaps "
				     "all children; it should load hooks with TL_LOAD_HOST_REAPS")
			       : arena_printf(a, "exit %d%s", e->code,
					      e->code == 127   ? " (command not found)"
					      : e->code == 126 ? " (not executable)"
							       : "");
	case TL_CLASS_TIMED_OUT:
		return arena_printf(a, "no %s after %lld ms",
				    j->hook->persistent ? "answer, which is a line," : "end",
				    (long long)j->hook->timeout_ms);
	case TL_CLASS_SIGNALLED:
		return arena_printf(a, "killed by signal %d (%s)", e->code, strsignal(e->code));
	case TL_CLASS_NOT_STARTED:
		return arena_printf(a, "not started: %s",
				    e->not_started ? e->not_started : "unknown");
	case TL_CLASS_BAD_OUTPUT:
		if (j->misfit)
			return str_from(j->misfit);
		if (j->answer.kind == ANSWER_UNREADABLE)
			return STR("its JSON is nested too deeply to be read");
		if (closes_tools(j))
			return STR("its output is no toolConfig that can be read");
		return STR(
			"its output is not what it may print on this event: one JSON object with "
			"members that can be applied, or nothing");
	case TL_CLASS_TOO_BIG:
		return STR("it printed too much");
	case TL_CLASS_OK:
	case TL_CLASS_BLOCKED:
	case TL_CLASS_CANCELLED:
	case TL_CLASS_NOT_RUN:
		break;
	}
	return STR("");
}

static bool is_failure(enum tl_class c)
{
	return c == TL_CLASS_WARNED || c == TL_CLASS_TIMED_OUT || c == TL_CLASS_SIGNALLED ||
	       c == TL_CLASS_NOT_STARTED || c == TL_CLASS_BAD_OUTPUT || c == TL_CLASS_TOO_BIG;
}

/* One warning with everything that helps, and what onFailure makes of it (C3.5). */
static void judge_failure(struct judging *j)
{
	struct arena *a = j->f->arena;
	struct str what = what_happened(j);
	struct str err = utf8_prefix(clean_text(a, j->end->err), WARNING_STDERR_MAX);
	bool no_tools = closes_tools(j);

	j->r->warning =
		arena_printf(a, "hook \"%s\" failed%s: %.*s%s%.*s", j->hook->id,
			     no_tools && !j->hook->observe ? ", so that no tool is allowed" : "",
			     STR_ARG(what), err.n ? ": " : "", STR_ARG(err));
	diag_add(j->diags, TL_SEVERITY_WARNING, "hook-failed", &j->hook->at, "%.*s",
		 STR_ARG(j->r->warning));
	if (no_tools)
		leave_no_tools(j);
	if (!event_can_block(j->f->event) || j->r->stop || j->r->verdict >= TL_VERDICT_ASK ||
	    j->hook->on_failure <= FAIL_WARN)
		return;
	j->r->verdict = j->hook->on_failure == FAIL_DENY ? TL_VERDICT_DENY : TL_VERDICT_ASK;
	j->r->reason =
		arena_printf(a, "%s \"%s\" failed (%.*s)%s%.*s", j->hook->guard ? "guard" : "hook",
			     j->hook->id, STR_ARG(what), err.n ? ": " : "", STR_ARG(err));
}

static struct strictest read_strictest(struct arena *a, const struct dialect *d,
				       const struct answer *answer)
{
	struct strictest out = { .mode = -1 };

	if (answer->obj)
		answer_strictest(a, d, answer->text, answer->obj, &out);
	else if (begins_as_json(answer->text))
		answer_strictest_text(answer->text, &out);
	return out;
}

/* Judges one of the two things that a hook can write. */
static void judge_output(struct reply *r, const struct hook *hook, struct firing *f,
			 const struct ending *end, struct str output, struct diags *diags)
{
	struct judging j = {
		.r = r, .hook = hook, .f = f, .end = end, .diags = diags, .misfit = end->misfit
	};

	*r = (struct reply){
		.how = class_of(end),
		.elapsed_us = end->elapsed_us,
		.exit_code = end->end == PROC_EXITED ? end->code : -1,
		.signal = end->end == PROC_SIGNALLED ? end->code : 0,
		.out = end->out,
		.err = end->err,
		.reason = STR(""),
		.stop_reason = STR(""),
		.message = STR(""),
		.context = STR(""),
		.warning = STR(""),
	};
	if (r->how == TL_CLASS_CANCELLED || hook->detached)
		return;
	if (r->how <= TL_CLASS_WARNED || end->misfit)
		j.answer = answer_read(f->arena, output, hook->dialect->unwraps_string);
	j.strictest = read_strictest(f->arena, hook->dialect, &j.answer);
	note_strictest(&j);
	if (j.answer.kind == ANSWER_UNREADABLE && r->how != TL_CLASS_BLOCKED) {
		r->how = TL_CLASS_BAD_OUTPUT;
		take_strictest(&j);
	}
	if (r->how <= TL_CLASS_WARNED && hook->dialect->strict_types)
		claude_judge(&j);
	else if (r->how == TL_CLASS_OK)
		judge_success(&j);
	else if (r->how == TL_CLASS_BLOCKED)
		judge_blocked(&j);
	else if (r->how == TL_CLASS_WARNED || j.misfit)
		judge_warned(&j);
	/* C3.6: an answer of a guard that cannot be read whole is no answer; a denial still is one.
	 */
	bool decided = (r->verdict >= TL_VERDICT_ASK || r->stop) && !j.strictest.repeated.p &&
		       (j.strictest.own || j.strictest.verdict == TL_VERDICT_NONE);
	if ((hook->guard || hook->on_failure > FAIL_WARN) && j.bad && r->how == TL_CLASS_OK &&
	    !decided) {
		r->how = TL_CLASS_BAD_OUTPUT;
		r->approved = false;
		memset(r->change, 0, sizeof r->change);
	}
	/* Exit 2 denies, even of a process that had to be ended. */
	if ((r->how == TL_CLASS_TOO_BIG || r->how == TL_CLASS_TIMED_OUT) && end->exited &&
	    end->code == 2)
		judge_blocked(&j);
	if (is_failure(r->how))
		judge_failure(&j);
}

void reply_judge(struct reply *r, const struct hook *hook, struct firing *f,
		 const struct ending *end, struct diags *diags)
{
	/* C3.8; a line break alone says nothing. */
	bool channel = str_trim(end->result).n > 0;
	struct diags quiet = { .arena = f->arena };
	struct strictest strictest;
	struct answer said;
	struct reply other;

	judge_output(r, hook, f, end, channel ? end->result : end->out, diags);
	if (!channel || r->how == TL_CLASS_CANCELLED || hook->detached)
		return;
	/* Text for the record decides nothing, but a denial in it is one (C3.11). */
	said = answer_read(f->arena, end->out, hook->dialect->unwraps_string);
	strictest = read_strictest(f->arena, hook->dialect, &said);
	if (strictest.verdict == TL_VERDICT_NONE && !strictest.stop)
		return;
	judge_output(&other, hook, f, end, end->out, &quiet);
	diags_done(&quiet);
	diag_add(diags, TL_SEVERITY_WARNING, "denial-on-stdout", &hook->at,
		 "hook \"%s\": it answers on the result channel, and denies on stdout; the denial "
		 "counts",
		 hook->id);
	if (other.verdict > r->verdict) {
		r->verdict = other.verdict;
		r->reason = other.reason;
		r->approved = false;
	}
	if (other.stop && !r->stop)
		r->stop_reason = other.stop_reason;
	r->stop |= other.stop;
	if (other.change[TL_CHANGE_TOOL_CONFIG])
		r->change[TL_CHANGE_TOOL_CONFIG] = other.change[TL_CHANGE_TOOL_CONFIG];
	/* Where it happened already, a denial is a comment. */
	if (!r->context.n)
		r->context = other.context;
	if (!r->message.n)
		r->message = other.message;
}
