/*
 * Verdicts of the claude dialect (C3.7).  What its answers may have is in answers.c.
 */
#include "hooks/claude.h"
#include "base/json_pack.h"
#include "base/words.h"
#include "hooks/codex.h"

/* A valid answer under judgement; all zero when there is none. */
struct said {
	struct judging *j;
	const struct dialect_event *ev;
	const struct json *obj, *inner;
	enum tl_verdict verdict; /* DENY also for a mere comment */
	struct str reason; /* of the verdict; "" when it gave none */
};

static struct str text_of(const struct said *s, const struct json *obj, const char *key)
{
	return clean_text(s->j->f->arena, json_str(answer_get(obj, key), STR("")));
}

static void ignored(const struct said *s, const char *what)
{
	s->j->bad = true;
	if (!judge_is_foreign(s->j, what))
		judge_ignored(s->j, what);
}

/* A known member of the wrong type spoils the whole answer (C3.7). */
static bool types_are_right(struct judging *j, const struct json *obj)
{
	const struct json *inner = answer_get(obj, "hookSpecificOutput");
	const struct answer_member *m;

	for (size_t i = 0; (m = answer_member_at(i)); i++) {
		const struct json *v = answer_get(m->inner ? inner : obj, m->f.name);
		/* Elsewhere hookSpecificOutput.decision is another dialect's word. */
		bool other = m->parts == PART_REQUEST && !(j->hook->as->honours & PART_REQUEST);
		const char *why = !v || other || !(m->words & j->hook->dialect->words)
					  ? NULL
					  : field_misfit(j->f->arena, &m->f, v);

		if (!why && v && !other && m->words & j->hook->dialect->words)
			(void)judge_known(j, m, v, NULL);
		if (!why)
			continue;
		if (!judge_is_foreign(j, m->f.name))
			judge_note(j, TL_SEVERITY_WARNING, "wrong-type",
				   "\"%s\" %s; the whole answer is invalid", m->f.name, why);
		return false;
	}
	return true;
}

struct word {
	const char *word;
	enum tl_verdict verdict;
	bool foreign; /* Claude Code does not know it there */
};

static const struct word *word_find(const struct word *words, size_t n, struct str s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eqz(s, words[i].word))
			return &words[i];
	return NULL;
}

/* `decision`.  A denial in another dialect's word still is one; an approval is not. */
static void read_decision(struct said *s)
{
	static const struct word words[] = {
		{ "approve", TL_VERDICT_ALLOW, false }, { "block", TL_VERDICT_DENY, false },
		{ "allow", TL_VERDICT_NONE, true },     { "ask", TL_VERDICT_ASK, true },
		{ "deny", TL_VERDICT_DENY, true },
	};
	struct str said = text_of(s, s->obj, "decision");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!answer_get(s->obj, "decision"))
		return;
	/* Of a denial in other words judge_note_strictest() says that it counts. */
	if ((!w || w->foreign) && !judge_is_foreign(s->j, "decision"))
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "decision \"%.*s\" is not one of approve, block; %s", STR_ARG(said),
			   w && w->verdict ? "it counts" : "no opinion");
	s->j->bad |= !w || w->verdict == TL_VERDICT_NONE ||
		     (w->verdict == TL_VERDICT_ASK && !(s->ev->honours & PART_PERMISSION));
	if (!w || (w->verdict < TL_VERDICT_DENY && !(s->ev->honours & PART_PERMISSION)))
		return;
	s->verdict = w->verdict;
	s->reason = text_of(s, s->obj, "reason");
}

static void read_permission(struct said *s)
{
	static const struct word words[] = {
		{ "allow", TL_VERDICT_ALLOW, false },
		{ "ask", TL_VERDICT_ASK, false },
		{ "defer", TL_VERDICT_DENY, false },
		{ "deny", TL_VERDICT_DENY, false },
	};
	struct str said = text_of(s, s->inner, "permissionDecision");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!answer_get(s->inner, "permissionDecision"))
		return;
	if (!(s->ev->honours & PART_PERMISSION)) {
		ignored(s, "permissionDecision");
		return;
	}
	if (!w) {
		s->j->bad = true;
		if (judge_is_foreign(s->j, "permissionDecision"))
			return;
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "permissionDecision \"%.*s\" is not one of allow, ask, deny, defer",
			   STR_ARG(said));
		return;
	}
	if (w->verdict < s->verdict)
		return;
	struct str reason = text_of(s, s->inner, "permissionDecisionReason");
	s->verdict = w->verdict;
	if (reason.n || !s->reason.n)
		s->reason = reason.n ? reason : text_of(s, s->obj, "reason");
	if (!str_eqz(said, "defer"))
		return;
	/* Not now: the call does not run, and whoever goes on with the session decides. */
	s->j->r->stop = true;
	s->reason = arena_printf(s->j->f->arena, "The call was deferred%s%.*s",
				 s->reason.n ? ": " : "", STR_ARG(s->reason));
}

/* PermissionRequest: the answer in the user's place. */
static void read_request(struct said *s)
{
	static const struct word words[] = {
		{ "allow", TL_VERDICT_ALLOW, false },
		{ "deny", TL_VERDICT_DENY, false },
	};
	const struct json *decision = answer_get(s->inner, "decision");
	struct str said = text_of(s, decision, "behavior");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!decision)
		return;
	if (!(s->ev->honours & PART_REQUEST)) {
		ignored(s, "decision");
		return;
	}
	if (!w) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "behavior \"%.*s\" is not one of allow, deny", STR_ARG(said));
		return;
	}
	if (w->verdict < s->verdict)
		return;
	s->verdict = w->verdict;
	s->reason = text_of(s, decision, "message");
	s->j->r->stop =
		w->verdict == TL_VERDICT_DENY && json_is_true(answer_get(decision, "interrupt"));
}

static struct str lines(struct arena *a, struct str first, struct str second)
{
	if (!first.n || !second.n)
		return first.n ? first : second;
	return arena_printf(a, "%.*s\n%.*s", STR_ARG(first), STR_ARG(second));
}

static struct str reason_or_default(const struct said *s)
{
	struct str stop = s->obj ? text_of(s, s->obj, "stopReason") : STR("");
	struct str message = s->obj ? text_of(s, s->obj, "systemMessage") : STR("");

	if (s->reason.n)
		return s->reason;
	if (stop.n)
		return stop;
	return s->verdict == TL_VERDICT_ASK && message.n ? message : STR("No reason provided");
}

static void set_verdict(struct said *s)
{
	struct reply *r = s->j->r;

	if (s->verdict < TL_VERDICT_DENY) {
		r->verdict = s->verdict;
		r->approved =
			s->verdict == TL_VERDICT_ALLOW &&
			(s->j->hook->dialect->allow_approves || s->ev->honours & PART_REQUEST);
		r->reason = s->verdict == TL_VERDICT_ASK ? reason_or_default(s) : s->reason;
		return;
	}
	r->reason = reason_or_default(s);
	/* What Claude Code only comments on, this host can still withhold: a guard may. */
	if (s->j->hook->guard && !s->j->f->event->advisory) {
		r->verdict = TL_VERDICT_DENY;
		return;
	}
	switch (s->ev->blocks) {
	case BLOCK_DENY:
		r->verdict = TL_VERDICT_DENY;
		return;
	case BLOCK_COMMENT:
		r->context = cut_context(s->j->f->arena, r->reason);
		r->said = r->reason;
		return;
	case BLOCK_NOTICE:
		r->message = r->reason;
		judge_note(s->j, TL_SEVERITY_NOTE, "cannot-block", "nothing can be blocked on %s",
			   s->ev->name);
		return;
	case BLOCK_IGNORED:
		judge_note(s->j, TL_SEVERITY_NOTE, "cannot-block", "nothing can be blocked on %s",
			   s->ev->name);
		return;
	}
}

static void take_context(struct said *s)
{
	struct arena *a = s->j->f->arena;
	struct reply *r = s->j->r;
	struct str text =
		cut_context(a, json_str(answer_get(s->inner, "additionalContext"), STR("")));

	if (!text.n)
		return;
	if (s->ev->honours & PART_FEEDBACK) {
		r->reason = r->verdict == TL_VERDICT_DENY ? lines(a, r->reason, text) : text;
		r->verdict = TL_VERDICT_DENY;
	} else if (!(s->ev->honours & PART_CONTEXT)) {
		ignored(s, "additionalContext");
	} else if (r->verdict == TL_VERDICT_DENY && s->ev->honours & PART_TOOL_INPUT) {
		/* There will be no result that it could go with. */
		r->reason = lines(a, r->reason, text);
	} else {
		r->context = lines(a, r->context, text);
	}
}

/* To run what the hook wanted otherwise would be the looser reading. */
static void deny_rewrite(struct said *s, const struct json *input)
{
	struct arena *a = s->j->f->arena;
	struct str text = json_text(a, input, JSON_COMPACT);

	s->j->r->verdict = TL_VERDICT_DENY;
	s->j->r->approved = false;
	s->j->r->reason = cut_context(
		a, arena_printf(
			   a,
			   "A hook wants other arguments, which this call cannot be given. Make it "
			   "anew with: %.*s",
			   STR_ARG(text)));
}

static void take_input(struct said *s)
{
	bool request = s->ev->honours & PART_REQUEST;
	bool is_strict = s->j->hook->guard || s->j->hook->on_failure > FAIL_WARN;
	const struct json *decision = request ? answer_get(s->inner, "decision") : NULL;
	const struct json *input = answer_get(decision ? decision : s->inner, "updatedInput"),
			  *args;
	struct claude_call c;

	if (!input || s->j->r->verdict == TL_VERDICT_DENY)
		return;
	if (!(s->ev->honours & PART_TOOL_INPUT) && !(decision && s->j->r->approved)) {
		ignored(s, "updatedInput");
		return;
	}
	if (s->j->hook->dialect->tools == TOOLS_CODEX) {
		args = codex_args_to_host(s->j->f, input);
		if (args)
			s->j->r->change[TL_CHANGE_TOOL_INPUT] = args;
		else
			deny_rewrite(s, input);
		return;
	}
	claude_call_init(&c, s->j->f);
	args = claude_args_to_host(&c, input, firing_current(s->j->f));
	/* C3.9: the call that was allowed is another one than the call that is made. */
	if (c.refused || c.dropped.n) {
		s->j->bad = true;
		s->j->r->approved = false;
		if (s->j->r->verdict == TL_VERDICT_ALLOW)
			s->j->r->verdict = TL_VERDICT_NONE;
	}
	if (c.refused) {
		judge_note(s->j, TL_SEVERITY_WARNING, "cannot-rewrite",
			   "the arguments of %.*s cannot be rewritten here; ignored",
			   STR_ARG(c.tool));
		return;
	}
	if (c.dropped.n)
		judge_note(s->j, TL_SEVERITY_NOTE, "dropped-argument",
			   "%.*s has no use for these arguments: %.*s", STR_ARG(c.tool),
			   STR_ARG(c.dropped));
	if (!c.dropped.n || !is_strict)
		s->j->r->change[TL_CHANGE_TOOL_INPUT] = args;
}

static void take_result(struct said *s)
{
	const struct json *output = answer_get(s->inner, "updatedToolOutput");
	const struct json *mcp = answer_get(s->inner, "updatedMCPToolOutput");
	struct arena *a = s->j->f->arena;
	const char *why;

	if (mcp && (!(s->ev->honours & PART_RESULT) || !s->j->f->in.mcp_server)) {
		ignored(s, "updatedMCPToolOutput");
		mcp = NULL;
	}
	if (output && !(s->ev->honours & PART_RESULT)) {
		ignored(s, "updatedToolOutput");
		output = NULL;
	}
	why = output ? claude_result_misfit(str_from(s->j->f->in.subject),
					    s->j->f->in.mcp_server != NULL, output)
	      : mcp  ? claude_result_misfit(STR(""), true, mcp)
		     : NULL;
	if (why) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "cannot-apply", "\"%s\" %s; ignored",
			   output ? "updatedToolOutput" : "updatedMCPToolOutput", why);
		return;
	}
	output = output ? output : mcp;
	if (output)
		s->j->r->change[TL_CHANGE_TOOL_RESULT] =
			json_new_copy(a, claude_result_text(a, output));
}

/* What an MCP server is answered in the user's place; not to accept is to deny. */
static void take_elicitation(struct said *s)
{
	static const struct word words[] = {
		{ "accept", TL_VERDICT_ALLOW, false },
		{ "decline", TL_VERDICT_DENY, false },
		{ "cancel", TL_VERDICT_DENY, false },
	};
	struct reply *r = s->j->r;
	struct arena *a = s->j->f->arena;
	struct str said = text_of(s, s->inner, "action");
	const struct json *content = answer_get(s->inner, "content");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!answer_get(s->inner, "action") || !(s->ev->honours & PART_ELICIT))
		return;
	if (!w) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "action \"%.*s\" is not one of accept, decline, cancel", STR_ARG(said));
		return;
	}
	if (w->verdict == TL_VERDICT_DENY && r->verdict < TL_VERDICT_DENY) {
		r->verdict = TL_VERDICT_DENY;
		r->reason = reason_or_default(s);
	}
	r->change[TL_CHANGE_ELICITATION] = json_pack(a, "action:s ?content:j", said, content);
}

/* A value that the host takes as it is, where the event has it. */
static void take_plain(struct said *s, enum answer_part part, const char *name,
		       enum tl_change change)
{
	const struct json *v = answer_get(s->inner, name);

	if (v && s->ev->honours & part)
		s->j->r->change[change] = v;
	else if (v)
		ignored(s, name);
}

static void take_stop(struct said *s)
{
	struct reply *r = s->j->r;
	struct str reason = text_of(s, s->obj, "stopReason");

	if (!json_is_false(answer_get(s->obj, "continue")) && !r->stop)
		return;
	if (!(s->ev->honours & PART_STOP)) {
		ignored(s, "continue");
		return;
	}
	r->stop = true;
	if (!reason.n)
		reason = s->reason.n ? s->reason : text_of(s, s->obj, "reason");
	r->stop_reason = reason.n ? reason : STR("No reason provided");
}

static const char *ours(struct str tool, const void *data)
{
	(void)data;
	return tool_alias(tool);
}

/* What no other dialect has. */
static void take_claudes(struct said *s)
{
	const struct json *terminal = answer_get(s->obj, "terminalSequence");
	struct str sequence = json_str(terminal, STR(""));
	struct reply *r = s->j->r;
	const struct json *retry = answer_get(s->inner, "retry");
	const struct json *rules =
		answer_get(answer_get(s->inner, "decision"), "updatedPermissions");

	take_result(s);
	/* With a permission that was given, rules for those to come. */
	if (s->ev->honours & PART_REQUEST && r->approved && rules && rules->n)
		r->change[TL_CHANGE_PERMISSIONS] = claude_rules(s->j->f->arena, rules, ours, NULL);
	if (retry && !(s->ev->honours & PART_RETRY))
		ignored(s, "retry");
	else if (json_is_true(retry))
		r->change[TL_CHANGE_RETRY] = retry;
	take_elicitation(s);
	take_plain(s, PART_DISPLAY, "displayContent", TL_CHANGE_DISPLAY);
	take_plain(s, PART_WATCH, "watchPaths", TL_CHANGE_WATCH_PATHS);
	/* To a terminal: titles, notices and the bell, nothing that moves or asks. */
	if (terminal && terminal_is_harmless(sequence)) {
		r->terminal = arena_str(s->j->f->arena, sequence);
	} else if (terminal) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "cannot-apply",
			   "\"terminalSequence\" may hold OSC 0, 1, 2, 9, 99 and 777 and BEL "
			   "alone, at most %d bytes; ignored",
			   TERMINAL_MAX);
	}
}

/* ---- text ---- */

static void judge_text(struct judging *j, const struct dialect_event *ev)
{
	static const char *const keys[] = { "\"hookSpecificOutput\"", "\"decision\"",
					    "\"continue\"" };
	struct str text = j->answer.text;

	if (!text.n)
		return;
	/* A line for people and then the JSON.  Of a denial in it judge_note_strictest() tells. */
	if (TEXT_HAS(text, keys) && j->strictest.verdict == TL_VERDICT_NONE)
		judge_note(j, TL_SEVERITY_WARNING, "json-after-text",
			   "the output must be one JSON object and nothing else%s; it is not read",
			   judge_why_no_object(j));
	j->bad = true;
	if (!j->hook->guard && j->r->how == TL_CLASS_OK && ev->honours & PART_TEXT)
		j->r->context = cut_context(j->f->arena, text);
}

/* A denial in other words than the answer's own, or with another value, is still a denial. */
static void take_strictest(struct said *s)
{
	const struct strictest *w = &s->j->strictest;

	s->j->r->stop |= w->stop && s->ev->honours & PART_STOP;
	if (w->verdict <= s->verdict ||
	    (w->verdict < TL_VERDICT_DENY && !(s->ev->honours & PART_PERMISSION)))
		return;
	s->verdict = w->verdict;
	if (!s->reason.n)
		s->reason = judge_reason(s->j);
}

/* It denies and asks as it says; what it allows, Codex would not have taken from it. */
static void note_objection(struct said *s, const char *objection)
{
	s->j->bad = true;
	judge_note(s->j, TL_SEVERITY_WARNING, "codex-refuses",
		   "Codex would refuse this answer (%s) and go on without it; here what it denies "
		   "counts, and what it allows does not",
		   objection);
	if (s->verdict == TL_VERDICT_ALLOW)
		s->verdict = TL_VERDICT_NONE;
}

void claude_judge(struct judging *j)
{
	const struct dialect *d = j->hook->dialect;
	const char *objection = d->words == WORDS_CODEX ? codex_objection(j) : NULL;
	struct said s = { .j = j, .ev = j->hook->as, .reason = STR("") };
	bool failed = j->r->how == TL_CLASS_WARNED && !d->json_on_failure;
	bool valid = j->answer.kind == ANSWER_OBJECT && types_are_right(j, j->answer.obj);

	if (valid) {
		s.obj = j->answer.obj;
		s.inner = answer_get(s.obj, "hookSpecificOutput");
		read_decision(&s);
		read_permission(&s);
		read_request(&s);
	} else if (j->answer.kind != ANSWER_OBJECT) {
		judge_text(j, s.ev);
	} else {
		j->bad = true;
	}
	take_strictest(&s);
	if (objection)
		note_objection(&s, objection);
	if (j->r->how == TL_CLASS_BLOCKED) {
		/* Exit 2: the answer's own reason to block, else stderr. */
		s.reason =
			judge_blocked_reason(j, s.verdict == TL_VERDICT_DENY ? s.reason : STR(""));
		s.verdict = TL_VERDICT_DENY;
	} else if (!valid && s.verdict < TL_VERDICT_DENY) {
		j->r->how = j->answer.kind == ANSWER_OBJECT ? TL_CLASS_WARNED : j->r->how;
	} else if (!j->hook->guard && !failed)
		j->r->how =
			TL_CLASS_OK; /* the JSON alone decides; a guard that failed has failed */
	set_verdict(&s);
	if (valid && failed) {
		take_stop(&s);
		return;
	}
	if (valid) {
		struct str message = text_of(&s, s.obj, "systemMessage");

		/* Everything but the verdict, which may change what it means. */
		take_stop(&s);
		take_context(&s);
		take_input(&s);
		if (d->words == WORDS_CLAUDE)
			take_claudes(&s);
		judge_members(j, s.obj);
		if (message.n)
			j->r->message = lines(j->f->arena, j->r->message, message);
		if (json_is_true(answer_get(s.obj, "async")) && !s.verdict && !j->r->stop) {
			j->bad = true;
			judge_note(
				j, TL_SEVERITY_WARNING, "async-answer",
				"\"async\" is for hooks that are not guards, in their first line");
		}
	}
}
