/* By its exit status, from what a hook left behind to what it says. */
#include "hooks/result.h"

#include "base/utf8.h"
#include "hooks/claude.h"
#include "hooks/command.h"
#include "hooks/confined.h"

enum { WARNING_STDERR_MAX = 500, WARNING_STDOUT_MAX = 100, SCAN_FOR_JSON_MAX = 64 << 10 };

/* ---- by exit status ---- */

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

static void judge_text(struct judging *j)
{
	const struct dialect *d = j->hook->dialect;
	struct str text = clean_text(j->f->arena, j->answer.text);

	/* Of a denial in it judge_note_strictest() tells. */
	if (j->strictest.verdict == TL_VERDICT_NONE && has_json_inside(j->f->arena, j->answer.text))
		judge_note(j, TL_SEVERITY_WARNING, "json-after-text",
			   j->answer.text.p[0] == '{'
				   ? "the output must be one JSON object and nothing else%s; it is "
				     "not read"
				   : "JSON after other text is not read%s",
			   judge_why_no_object(j));
	judge_strictest(j);
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
		judge_strictest(j);
		return;
	case ANSWER_TEXT:
		judge_text(j);
		return;
	case ANSWER_UNREADABLE:
		judge_strictest(j);
		return;
	}
}

static void judge_blocked(struct judging *j)
{
	bool denies = j->strictest.verdict == TL_VERDICT_DENY || j->strictest.stop;
	struct str reason =
		judge_blocked_reason(j, denies ? judge_own_reason(j, j->answer.obj) : STR(""));

	if (j->answer.kind == ANSWER_OBJECT)
		judge_object(j, j->answer.obj);
	if (answer_can_deny(j->hook)) {
		j->r->verdict = TL_VERDICT_DENY;
		j->r->reason = reason;
		return;
	}
	if (judge_closes_tools(j)) {
		if (!j->r->change[TL_CHANGE_TOOL_CONFIG])
			judge_leave_no_tools(j);
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
		judge_strictest(&inner);
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
	case PROC_WAITING:
	case PROC_NOT_STARTED:
		return TL_CLASS_NOT_STARTED;
	}
	return TL_CLASS_NOT_STARTED;
}

/* What is wrong with it in the words of the first warning, else what was printed instead. */
static struct str bad_output(const struct judging *j)
{
	struct arena *a = j->f->arena;

	if (j->wrong.n)
		return arena_printf(a, "its output: %.*s", STR_ARG(j->wrong));
	if (j->answer.kind != ANSWER_TEXT)
		return STR("its output must be one JSON object whose members can be applied, or "
			   "nothing");
	struct str text = clean_text(a, j->answer.text);
	ptrdiff_t eol = str_chr(text, '\n', 0);
	struct str line = str_sub(text, 0, eol < 0 ? text.n : (size_t)eol);
	return arena_printf(a, "it must print one JSON object or nothing, and printed: %.*s",
			    STR_ARG(utf8_prefix(line, WARNING_STDOUT_MAX)));
}

/* "exit 1", "timed out after 500 ms": what happened, in a few words. */
static struct str what_happened(const struct judging *j)
{
	struct arena *a = j->f->arena;
	const struct ending *e = j->end;

	switch (j->r->how) {
	case TL_CLASS_WARNED:
		if (e->failure)
			return clean_text(a, str_from(e->failure));
		if (e->end == PROC_EXITED && e->code == 0)
			return STR("its JSON is not valid");
		return e->end == PROC_UNKNOWN
			       ? STR("its exit status is lost, because the host reaps "
				     "all children; it should load hooks with TL_LOAD_HOST_REAPS")
			       : arena_printf(a, "exit %d%s", e->code,
					      e->code == 127   ? ", command not found"
					      : e->code == 126 ? ", not executable"
							       : "");
	case TL_CLASS_TIMED_OUT:
		return arena_printf(a, "%s after %lld ms",
				    j->hook->persistent ? "no line with an answer" : "timed out",
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
		if (judge_closes_tools(j))
			return STR("its output has no valid toolConfig");
		return bad_output(j);
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

/* Whoever asks and changes something asks about the change: without it the question is none. */
static bool asks_about_less(const struct judging *j)
{
	const struct json *so = json_getz(j->answer.obj, "hookSpecificOutput");
	const struct json *places[] = { j->answer.obj, so };

	if (j->r->verdict != TL_VERDICT_ASK)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(j->r->change); i++)
		if (j->r->change[i])
			return false;
	for (size_t p = 0; p < ARRAY_LEN(places); p++)
		for (size_t i = 0; json_is(places[p], J_OBJ) && i < places[p]->n; i++)
			if (answer_is_change(p == 1, places[p]->members[i].key))
				return true;
	return false;
}

/* One warning with everything that helps, and what onFailure makes of it (C3.5). */
static void judge_failure(struct judging *j)
{
	struct arena *a = j->f->arena;
	struct str what = what_happened(j);
	struct str err = utf8_prefix(clean_text(a, j->end->err), WARNING_STDERR_MAX);
	bool no_tools = judge_closes_tools(j);
	/* Which path it was refused only the program can tell; what it may reach is known. */
	const char *sandbox = confined_words(j->hook, j->f->h, a);

	j->r->warning =
		arena_printf(a, "hook \"%s\" failed%s: %.*s%s%s%.*s", hook_label(a, j->hook),
			     no_tools && !j->hook->observe ? ", so that no tool is allowed" : "",
			     STR_ARG(what), sandbox, err.n ? ": " : "", STR_ARG(err));
	diag_add(j->diags, TL_SEVERITY_WARNING, "hook-failed", &j->hook->at, "%.*s",
		 STR_ARG(j->r->warning));
	if (no_tools)
		judge_leave_no_tools(j);
	bool answered = j->r->verdict == TL_VERDICT_DENY ||
			(j->r->verdict == TL_VERDICT_ASK && !asks_about_less(j));
	if (!answer_can_deny(j->hook) || j->r->stop || answered || j->hook->on_failure <= FAIL_WARN)
		return;
	j->r->verdict = j->hook->on_failure == FAIL_DENY ? TL_VERDICT_DENY : TL_VERDICT_ASK;
	j->r->reason = arena_printf(a, "%s \"%s\" failed (%.*s%s)%s%.*s",
				    j->hook->guard ? "guard" : "hook", hook_label(a, j->hook),
				    STR_ARG(what), sandbox, err.n ? ": " : "", STR_ARG(err));
}

static struct strictest read_strictest(struct arena *a, const struct hook *hook,
				       const struct answer *answer)
{
	struct strictest out = { .mode = -1 };

	if (answer->obj) {
		answer_strictest(a, hook, answer->text, answer->obj, &out);
		return out;
	}
	answer_strictest_text(a, answer->text, &out);
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
		.warm = end->warm,
		.exit_code = end->end == PROC_EXITED ? end->code : -1,
		.signal = end->end == PROC_SIGNALLED ? end->code : 0,
		.out = end->out,
		.err = end->err,
		.reason = STR(""),
		.stop_reason = STR(""),
		.message = STR(""),
		.said = STR(""),
		.context = STR(""),
		.warning = STR(""),
		.terminal = STR(""),
	};
	if (r->how == TL_CLASS_CANCELLED || hook->detached)
		return;
	if (r->how <= TL_CLASS_WARNED || end->misfit)
		j.answer = answer_read(f->arena, output, hook->dialect->unwraps_string);
	if (r->how == TL_CLASS_OK && j.answer.kind == ANSWER_EMPTY && !j.misfit &&
	    (hook->guard || hook->on_failure > FAIL_WARN) && command_detaches(hook)) {
		r->how = TL_CLASS_BAD_OUTPUT;
		j.misfit = "its command leaves the program in the background and ends before "
			   "the program has decided";
	}
	j.strictest = read_strictest(f->arena, hook, &j.answer);
	judge_note_strictest(&j);
	if (j.answer.kind == ANSWER_UNREADABLE && r->how != TL_CLASS_BLOCKED) {
		r->how = TL_CLASS_BAD_OUTPUT;
		judge_strictest(&j);
	}
	if (r->how <= TL_CLASS_WARNED && hook->dialect->words != WORDS_GEMINI)
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
		       (j.strictest.own || j.strictest.verdict == TL_VERDICT_NONE) &&
		       !asks_about_less(&j);
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

/* C3.4: "reason" and "stopReason", whichever of them the agent is told. */
static void collect_said(struct reply *r, const struct hook *hook, struct arena *a,
			 struct str output)
{
	AUTO(buf_done) struct buf all = { 0 };

	if (r->verdict < TL_VERDICT_ASK && !r->stop && !r->said.n)
		return;
	const struct json *obj = answer_read(a, output, hook->dialect->unwraps_string).obj;
	const struct str texts[] = {
		r->stop ? r->stop_reason : STR(""),
		r->verdict >= TL_VERDICT_ASK ? r->reason : STR(""),
		clean_text(a, json_get_str(obj, "stopReason")),
		clean_text(a, json_get_str(obj, "reason")),
	};

	buf_adds(&all, r->said);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].n && str_find(buf_str(&all), texts[i], 0) < 0)
			buf_addf(&all, "%s%.*s", all.n ? "\n" : "", STR_ARG(texts[i]));
	r->said = arena_str(a, buf_str(&all));
}

static void judge_both(struct reply *r, const struct hook *hook, struct firing *f,
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
	strictest = read_strictest(f->arena, hook, &said);
	if (strictest.verdict == TL_VERDICT_NONE && !strictest.stop)
		return;
	judge_output(&other, hook, f, end, end->out, &quiet);
	diags_done(&quiet);
	diag_add(diags, TL_SEVERITY_WARNING, "denial-on-stdout", &hook->at,
		 "hook \"%s\": it answers on the result channel, and denies on stdout; the denial "
		 "counts",
		 hook_label(f->arena, hook));
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

void reply_judge(struct reply *r, const struct hook *hook, struct firing *f,
		 const struct ending *end, struct diags *diags)
{
	judge_both(r, hook, f, end, diags);
	r->redact = end->redact;
	/* C4.10 */
	if (r->clear_context && r->verdict < TL_VERDICT_DENY && !r->stop)
		diag_add(diags, TL_SEVERITY_WARNING, "ignored-field", &hook->at,
			 "hook \"%s\": \"clearContext\" has an effect only with a denial or a "
			 "stop",
			 hook_label(f->arena, hook));
	collect_said(r, hook, f->arena, str_trim(end->result).n ? end->result : end->out);
}
