/*
 * What an answer says: its members in the words of Gemini CLI, its strictest reading, and the texts
 * that every dialect's judge needs.
 */
#include "base/meant.h"
#include "hooks/result.h"

#include <stdarg.h>

#include "base/utf8.h"

#define DEFAULT_REASON STR("No reason provided")
enum { ANSWER_DEPTH_MAX = 4096 };

/* ---- texts ---- */

struct str clean_text(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };

	s = str_trim(s);
	if (!s.n)
		return STR("");
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
	diag_add(j->diags, severity, code, &j->hook->at, "hook \"%s\": %s",
		 hook_label(j->f->arena, j->hook), text);
	if (severity == TL_SEVERITY_WARNING && !j->wrong.n)
		j->wrong = arena_str(j->f->arena, str_from(text));
}

/* ---- reading the answer ---- */

const struct json *answer_get(const struct json *obj, const char *key)
{
	const struct json *v = json_getz(obj, key);

	return json_is(v, J_NULL) ? NULL : v;
}

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

/* The member when it has the type; another type is reported and NULL. */
static const struct json *judge_member(struct judging *j, const struct json *obj, const char *key,
				       enum json_type type)
{
	const struct json *v = json_getz(obj, key);

	if (!v || v->type == J_NULL)
		return NULL;
	if (v->type == type)
		return v;
	if (!judge_is_foreign(j, key))
		judge_note(j, TL_SEVERITY_WARNING, "wrong-type",
			   "\"%s\" must be %s, this is %s (ignored)", key,
			   json_what(&(struct json){ .type = (uint8_t)type }), json_what(v));
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
	/* A denial in capitals counts, which judge_note_strictest() says. */
	if (j->strictest.verdict == TL_VERDICT_NONE)
		judge_note(
			j, TL_SEVERITY_WARNING, "unknown-decision",
			"decision \"%.*s\" is not one of allow, approve, ask, deny, block; no opinion",
			STR_ARG(clean_text(j->f->arena, json_str(v, STR("")))));
	return TL_VERDICT_NONE;
}

void judge_ignored(struct judging *j, const char *what)
{
	judge_note(j, TL_SEVERITY_WARNING, "ignored-field", "\"%s\" has no effect on %s (ignored)",
		   what, j->hook->as->name);
}

/* C2.2, C4.9: BeforeToolSelection cannot be denied, so that a failure leaves no tools instead. */
bool judge_closes_tools(const struct judging *j)
{
	return j->f->event->honours & PART_TOOL_CONFIG && j->hook->on_failure > FAIL_WARN;
}

void judge_leave_no_tools(struct judging *j)
{
	struct arena *a = j->f->arena;

	j->r->change[TL_CHANGE_TOOL_CONFIG] =
		json_set(a, NULL, STR("mode"), json_new_str(a, STR("NONE")));
}

/* Hooks that are made for several agents say a thing in the words of each. */
static bool says_as_well(const struct json *obj, const char *meant, const struct json *v)
{
	static const struct str inner = { "hookSpecificOutput.", 19 };
	struct str name = str_from(meant);

	if (meant && str_starts(name, inner)) {
		obj = json_getz(obj, "hookSpecificOutput");
		name = str_sub(name, inner.n, name.n);
	}
	obj = meant ? json_get(obj, name) : NULL;
	return obj && json_equal(obj, v);
}

static void check_members(struct judging *j, const struct json *answer, bool inner)
{
	const struct json *obj = inner ? json_getz(answer, "hookSpecificOutput") : answer;
	struct arena *a = j->f->arena;
	enum words words = j->hook->dialect->words;
	/* A hook that passes its input on, as filters do, may have changed something in it; what is
	 * there because it was sent says nothing. */
	bool passed_on = !inner && !j->hook->guard &&
			 str_eqz(json_get_str(obj, "hook_event_name"), j->hook->as->name) &&
			 json_is(json_getz(obj, "session_id"), J_STR);

	for (size_t i = 0; json_is(obj, J_OBJ) && i < obj->n; i++) {
		const struct json_member *m = &obj->members[i];
		const struct answer_member *row = answer_member_find(words, inner, m->key);
		bool told = str_eq(m->key, j->strictest.under); /* as a foreign word */

		if (m->v.type == J_NULL) {
			/* A guard that could not say its change has not allowed it. */
			if (j->hook->guard && answer_is_change(inner, m->key)) {
				j->bad = true;
				judge_note(j, TL_SEVERITY_WARNING, "wrong-type", "\"%.*s\" is null",
					   STR_ARG(clean_text(a, m->key)));
			}
			continue;
		}
		if (!row && !told && !passed_on) {
			const char *meant = answer_meant(a, j->hook, inner, m->key);
			bool again = says_as_well(answer, meant, &m->v);

			j->bad = true;
			judge_note(j, again ? TL_SEVERITY_NOTE : TL_SEVERITY_WARNING,
				   again ? "said-elsewhere" : "unknown-field",
				   "\"%s%.*s\" has no effect%s", inner ? "hookSpecificOutput." : "",
				   STR_ARG(clean_text(a, m->key)),
				   again ? ", but says what another member says as well"
					 : meant_as("", meant).text);
		} else if (row && !row->parts && strcmp(row->f.text, "not supported") == 0) {
			j->bad = true;
			judge_ignored(j, row->f.name);
		}
	}
	if (passed_on)
		judge_note(j, TL_SEVERITY_NOTE, "input-passed-on",
			   "it prints its input, of which only members of an answer count");
}

void judge_members(struct judging *j, const struct json *obj)
{
	const struct json *so = json_getz(obj, "hookSpecificOutput");
	struct str event = json_get_str(so, "hookEventName");

	check_members(j, obj, false);
	check_members(j, obj, true);
	if (!event.n || str_eqz(event, j->hook->as->name) || str_eqz(event, j->f->event->name))
		return;
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "wrong-event",
		   "hookEventName is \"%.*s\", but this is %s; the answer counts",
		   STR_ARG(clean_text(j->f->arena, event)), j->hook->as->name);
}

static void stray_found(void *arg, struct str name, const char *meant)
{
	struct judging *j = arg;

	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "unknown-field",
		   "\"hookSpecificOutput.%.*s\" has no effect%s",
		   STR_ARG(clean_text(j->f->arena, name)), meant_as("", meant).text);
}

const struct json *judge_known(struct judging *j, const struct answer_member *m,
			       const struct json *v, const struct json *had)
{
	struct strays strays = { j->f->arena, stray_found, j };
	const struct json *known = field_known(&strays, &m->f, v, had);
	bool request = m->change == TL_CHANGE_LLM_REQUEST;

	/* A call without its arguments would be another one, and so would a restriction that cannot
	 * be read whole (C4.9). */
	if (known != v && (m->change == TL_CHANGE_TOOL_CONFIG || m->change == TL_CHANGE_TAIL_CALL))
		return NULL;
	if (request && known != v && json_getz(known, "toolConfig") &&
	    !json_equal(json_getz(known, "toolConfig"), json_getz(v, "toolConfig")))
		known = json_without(j->f->arena, known, STR("toolConfig"));
	return known;
}

/* A change of the event that the table knows, where it can be applied. */
static void read_change(struct judging *j, const struct json *so, const struct answer_member *m)
{
	const struct event *ev = j->f->event;
	const struct json *v = judge_member(j, so, m->f.name, J_OBJ);
	bool is_strict = j->hook->guard || j->hook->on_failure > FAIL_WARN;
	const struct json *had, *known;
	const char *why, *gap;

	if (!v)
		return;
	if (!(answer_honours(j->hook) & m->parts)) {
		j->bad = true;
		judge_ignored(j, m->f.name);
		return;
	}
	had = ev->chained && ev->change == m->change ? firing_current(j->f) : NULL;
	known = judge_known(j, m, v, had);
	if (!known || (known != v && is_strict))
		return;
	v = known;
	why = answer_misfit(j->f->arena, m, ev, v);
	if (!why && judge_closes_tools(j) && tool_config_is_empty(v))
		why = "allows an empty list of tools; \"mode\": \"NONE\" says that";
	gap = why ? NULL : answer_gap(j->f->arena, m->change, v, had, is_strict);
	if (!why && !(gap && is_strict))
		j->r->change[m->change] = v;
	why = why ? why : gap;
	if (!why)
		return;
	j->bad = true;
	judge_note(j, TL_SEVERITY_WARNING, "cannot-apply", "\"%s\"%s%s (%s)", m->f.name,
		   strchr(".[ ", *why) ? "" : " ", why,
		   judge_closes_tools(j)          ? "no tool is allowed"
		   : j->r->change[m->change] == v ? "the rest is applied"
						  : "ignored");
}

static void read_specific(struct judging *j, const struct json *obj)
{
	const struct json *so = judge_member(j, obj, "hookSpecificOutput", J_OBJ), *v;
	unsigned honours = answer_honours(j->hook);
	const struct answer_member *m;

	for (size_t i = 0; so && (m = answer_member_at(i)); i++)
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
	if (v && honours & PART_CLEAR_CONTEXT) {
		j->r->clear_context = v->yes;
	} else if (v) {
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

struct str judge_own_reason(struct judging *j, const struct json *obj)
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
		own,
		judge_own_reason(j, err.obj),
		clean_text(a, err.text),
		judge_own_reason(j, j->answer.obj),
		out,
	};

	for (size_t i = 0; i < ARRAY_LEN(found); i++)
		if (found[i].n)
			return found[i];
	return arena_printf(a, "blocked by hook %s (exit 2, no message)", hook_label(a, j->hook));
}

bool judge_is_foreign(const struct judging *j, const char *member)
{
	const struct strictest *w = &j->strictest;

	return w->verdict != TL_VERDICT_NONE && !w->own && str_eqz(w->under, member);
}

/* How a hook says a denial of its event. */
static const char *denial_words(const struct hook *hook)
{
	static const struct {
		enum answer_part part;
		const char *words;
	} rows[] = {
		{ PART_REQUEST, "hookSpecificOutput.decision: {\"behavior\": \"deny\"}" },
		{ PART_ELICIT, "hookSpecificOutput.action: \"decline\"" },
		{ PART_PERMISSION, "hookSpecificOutput.permissionDecision: \"deny\"" },
	};

	for (size_t i = 0; hook->dialect->words == WORDS_CLAUDE && i < ARRAY_LEN(rows); i++)
		if (answer_honours(hook) & rows[i].part)
			return rows[i].words;
	return hook->dialect->denial;
}

const char *judge_why_no_object(const struct judging *j)
{
	struct arena *a = j->f->arena;
	struct str text = j->answer.text;
	const struct json *v;
	struct err err;

	/* What begins as an object is one that is broken. */
	if (text.n && text.p[0] == '{' && json_parse(a, text, 0, &v, &err) < 0)
		return arena_printf(a, " (%s)", err.text).p;
	return "";
}

/* C3.10, C3.11: what counts although it is not where the dialect looks. */
void judge_note_strictest(struct judging *j)
{
	const struct strictest *w = &j->strictest;
	struct arena *a = j->f->arena;

	if (w->repeated.p) {
		j->bad = true;
		judge_note(j, TL_SEVERITY_WARNING, "repeated-member",
			   "\"%.*s\" occurs more than once in the answer; of a decision the "
			   "strictest counts, else the last",
			   STR_ARG(clean_text(a, w->repeated)));
	}
	if (w->verdict == TL_VERDICT_NONE || w->own)
		return;
	j->bad = true;
	if (j->answer.kind == ANSWER_TEXT) {
		judge_note(
			j, TL_SEVERITY_WARNING, "foreign-word",
			"the output must be one JSON object and nothing else%s; \"%s\" in it %s, "
			"which counts",
			judge_why_no_object(j), w->member,
			w->verdict == TL_VERDICT_DENY ? "denies" : "asks");
		return;
	}
	judge_note(j, TL_SEVERITY_WARNING, "foreign-word",
		   "the answer %s by \"%s\", which counts; the %s dialect says %s",
		   w->verdict == TL_VERDICT_DENY ? "denies" : "asks", w->member,
		   j->hook->dialect->name, denial_words(j->hook));
}

/* The strictest reading, over what the dialect's own words said. */
void judge_strictest(struct judging *j)
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
	if (judge_closes_tools(j) && (w->verdict >= TL_VERDICT_ASK || w->stop))
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
	(void)judge_member(j, obj, "seq", J_NUM);
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
	judge_strictest(j);
}
