/* From what hooks decided to the words of an agent (C8.1, C8.6). */
#include "hosts/answer.h"

#include "base/json_pack.h"
#include "base/utf8.h"
#include "hooks/claude.h"

/* C8.6: at most 64 KiB, and an agent that waits for more hangs. */
enum { STDERR_MAX_CHARS = (64 << 10) / 4 - 1 };

/* What several firings decided together, and what has been said of it. */
struct saying {
	struct host_call *c;
	struct arena *a;
	host_kinds on; /* the kind's bit */
	bool deny, ask, allow, stop;
	bool clash; /* two changed the same, each in its own way */
	struct str reason, stop_reason, context, message, terminal;
	bool clear;
	const struct json *args, *result, *request, *response, *tool_config, *elicited;
	const struct json *retry, *permissions, *tail_call;
	const struct json *answer, *watched;
	struct str text; /* what is printed as it is, where the agent reads no JSON */
};

static struct str lines(struct arena *a, struct str first, const char *second)
{
	if (!second || !*second)
		return first;
	return first.n ? arena_printf(a, "%.*s\n%s", STR_ARG(first), second)
		       : arena_str(a, str_from(second));
}

/*
 * Keeps what an earlier outcome changed where this one changes nothing; true when both did, each in
 * its own way: then neither is what both wanted.
 */
static bool change(struct saying *s, const struct tl_outcome *o, enum tl_change which,
		   const struct json **into)
{
	const char *text = tl_outcome_change(o, which);
	const struct json *v, *was = *into;

	if (!text || json_parse(s->a, str_from(text), 0, &v, NULL) < 0)
		return false;
	*into = v;
	return was && !str_eq(json_text(s->a, was, JSON_COMPACT), json_text(s->a, v, JSON_COMPACT));
}

/* A list that hooks gave replaces what the agent had: the files of matchers are in it, too. */
static void take_watched(struct saying *s, const struct tl_outcome *o)
{
	const char *text = tl_outcome_change(o, TL_CHANGE_WATCH_PATHS);
	const struct json *v;

	if (!text || json_parse(s->a, str_from(text), 0, &v, NULL) < 0)
		return;
	if (!s->watched)
		s->watched = s->c->watched;
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		s->watched = json_append(s->a, s->watched, json_at(v, i));
}

static void take(struct saying *s, const struct tl_outcome *o)
{
	enum tl_verdict v = tl_outcome_verdict(o);
	const char *result =
		tl_outcome_change(o, s->on & ON(SHOWN) ? TL_CHANGE_DISPLAY : TL_CHANGE_TOOL_RESULT);

	s->deny |= v == TL_VERDICT_DENY;
	s->ask |= v == TL_VERDICT_ASK;
	s->allow &= tl_outcome_approved(o) != 0;
	s->stop |= tl_outcome_stopped(o) != 0;
	if (v >= TL_VERDICT_ASK)
		s->reason = lines(s->a, s->reason, tl_outcome_reason(o));
	s->stop_reason = lines(s->a, s->stop_reason, tl_outcome_stop_reason(o));
	s->context = lines(s->a, s->context, tl_outcome_context(o));
	s->message = lines(s->a, s->message, tl_outcome_message(o));
	(void)change(s, o, TL_CHANGE_TOOL_INPUT, &s->args); /* settle_args() refuses several */
	if (result) {
		const struct json *was = s->result;

		s->result = json_new_copy(s->a, str_from(result));
		if (was && !str_eqz(json_str(was, STR("")), result))
			s->result =
				json_new_str(s->a, STR("[withheld: two hooks of different projects "
						       "changed this result in different ways]"));
	}
	s->clash |= change(s, o, TL_CHANGE_LLM_REQUEST, &s->request);
	s->clash |= change(s, o, TL_CHANGE_LLM_RESPONSE, &s->response);
	s->clash |= change(s, o, TL_CHANGE_TOOL_CONFIG, &s->tool_config);
	s->clash |= change(s, o, TL_CHANGE_ELICITATION, &s->elicited);
	s->clash |= change(s, o, TL_CHANGE_PERMISSIONS, &s->permissions);
	s->clash |= change(s, o, TL_CHANGE_TAIL_CALL, &s->tail_call);
	(void)change(s, o, TL_CHANGE_RETRY, &s->retry);
	s->clear |= tl_outcome_clear_context(o) != 0;
	s->terminal =
		arena_printf(s->a, "%.*s%s", STR_ARG(s->terminal), tl_outcome_terminal_sequence(o));
	take_watched(s, o);
}

/* ---- what the agent cannot say ---- */

static bool can(const struct saying *s, enum say_when when)
{
	for (const struct host_word *w = s->c->host->words; w->at; w++)
		if (w->when == when && w->on & s->on)
			return true;
	return false;
}

static void refuse(struct saying *s, struct str why)
{
	s->reason = s->deny ? lines(s->a, s->reason, why.p) : why;
	s->deny = true;
}

/* The arguments in the agent's own names.  One that cannot take them has to ask for them again. */
static void settle_args(struct saying *s)
{
	const struct host_call *c = s->c;
	const struct json *was, *theirs = NULL;

	if (!s->args || s->deny)
		return;
	if (c->n == 1 && c->snapshots == 1 && !c->wrapped && !c->event->tool && !c->event->mcp &&
	    json_parse(s->a, (struct str){ c->events->fields->json, c->events->fields->length }, 0,
		       &was, NULL) >= 0)
		theirs = c->host->same_fields
				 ? s->args
				 : host_args_theirs(s->a, c->tool, c->args, was, s->args);
	if (theirs && c->outer)
		theirs = json_set(s->a, c->outer, str_from(c->host->inner_args), theirs);
	if (!theirs || !can(s, SAY_REWRITE)) {
		refuse(s, arena_printf(s->a,
				       "A hook changed the arguments of this call, and %s cannot "
				       "apply that. Make the call again with these: %.*s",
				       c->host->title,
				       STR_ARG(json_text(s->a, theirs ? theirs : s->args,
							 JSON_COMPACT))));
		s->args = NULL;
		return;
	}
	s->args = theirs;
}

/* Before these a stop is a denial, as the agent may stop only after it. */
#define BEFORE (ON(TOOL) | ON(PROMPT) | ON(REQUEST) | ON(EXPANSION) | ON(AGENT_START) | ON(SWITCH))
#define ENDS (ON(STOP) | ON(AGENT_STOP) | ON(END))

/* Stricter where the agent has no word for it, never laxer. */
static void settle(struct saying *s)
{
	const char *title = s->c->host->title;

	if (s->stop && (s->on & BEFORE || (!(s->on & ENDS) && !can(s, SAY_STOP))))
		refuse(s, s->stop_reason.n ? s->stop_reason : STR("A hook stopped the session."));
	if (s->ask && !s->deny && !can(s, SAY_ASK))
		refuse(s, arena_printf(s->a,
				       "%.*s%sThe user has to agree, and %s lets no hook ask. Tell "
				       "the user, who can run it, or allow it in the settings of "
				       "the hook.",
				       STR_ARG(s->reason), s->reason.n ? "\n" : "", title));
	if (s->clash)
		refuse(s, STR("Hooks of different projects changed this in different ways."));
	settle_args(s);
	/* What hooks took out must not reach the model because the agent cannot replace it. */
	if (s->result && !s->deny && !can(s, SAY_RESULT))
		refuse(s, arena_printf(s->a,
				       "A hook changed this result, and %s cannot apply that. Use "
				       "what the hook left of it, nothing else:\n%.*s",
				       title, STR_ARG(json_str(s->result, STR("")))));
	if (s->deny && !s->reason.n)
		s->reason = STR("A hook denied this and gave no reason.");
	/* What would be lost goes where it is read. */
	if (s->deny && s->on & (ON(TOOL) | ON(FAILURE))) {
		s->reason = lines(s->a, s->reason, arena_z(s->a, s->context));
		s->context = STR("");
	}
	if (s->deny && !host_can_deny(s->c->host, s->c->event->kind)) {
		s->message = lines(s->a, s->message, arena_z(s->a, s->reason));
		s->context = lines(s->a, s->context, arena_z(s->a, s->reason));
	}
	if (s->deny)
		s->args = s->result = s->elicited = s->tail_call = NULL;
	if (s->deny || s->ask || !s->allow)
		s->permissions = NULL;
}

/* ---- the words ---- */

/* `v` at a JSON pointer of plain names. */
static const struct json *put(struct arena *a, const struct json *obj, struct str at,
			      const struct json *v)
{
	ptrdiff_t slash = str_chr(at, '/', 1);
	struct str key = str_sub(at, 1, slash < 0 ? at.n : (size_t)slash);

	if (slash >= 0)
		v = put(a, json_get(obj, key), str_sub(at, (size_t)slash, at.n), v);
	return json_set(a, obj, key, v);
}

/* A result in the shape of the one that it replaces. */
static const struct json *shaped(const struct saying *s, struct str text)
{
	const struct json *was = s->c->result, *v = json_new_str(s->a, text), *same;
	const struct host_text *at = host_text_of(was);

	if (!at) {
		/* A hook saw the JSON of what has no text, and changed a part of that. */
		if ((json_is(was, J_OBJ) || json_is(was, J_ARR)) &&
		    json_parse(s->a, text, 0, &same, NULL) == 0 && json_is(same, was->type))
			return same;
		return v;
	}
	was = json_set(s->a, was, str_from(at->text), v);
	return json_set(s->a, was, str_from(at->more),
			json_is(json_getz(was, at->more), J_ARR) ? json_new_arr(s->a, NULL, 0)
								 : json_new_str(s->a, STR("")));
}

/* The agent's name of a tool. */
static const char *theirs(struct str ours, const void *tools)
{
	for (const struct host_tool *t = tools; t->theirs; t++)
		if (str_eqz(ours, t->ours))
			return t->theirs;
	return NULL;
}

static const struct json *value(const struct saying *s, const struct host_word *w)
{
	switch (w->what) {
	case WHAT_WORD:
		return json_new_str(s->a, str_from(w->word));
	case WHAT_YES:
	case WHAT_NO:
		return json_new_bool(s->a, w->what == WHAT_YES);
	case WHAT_REASON:
		return json_new_str(s->a, s->reason);
	case WHAT_ARGS:
		return s->args;
	case WHAT_RESULT:
		return s->result ? shaped(s, json_str(s->result, STR(""))) : NULL;
	case WHAT_REASON_AS_RESULT:
		return shaped(s, s->reason);
	case WHAT_CONTEXT:
		return json_new_str(s->a, s->context);
	case WHAT_MESSAGE:
		return json_new_str(s->a, s->message);
	case WHAT_STOP_REASON:
		return json_new_str(s->a, s->stop_reason.n ? s->stop_reason : s->reason);
	case WHAT_REQUEST:
		return s->request;
	case WHAT_RESPONSE:
		return s->response;
	case WHAT_TOOL_CONFIG:
		return s->tool_config;
	case WHAT_ACTION:
		return json_getz(s->elicited, "action");
	case WHAT_CONTENT:
		return json_getz(s->elicited, "content");
	case WHAT_WATCHED:
		return s->watched;
	case WHAT_RETRY:
		return s->retry;
	case WHAT_PERMISSIONS:
		return s->permissions
			       ? claude_rules(s->a, s->permissions, theirs, s->c->host->tools)
			       : NULL;
	case WHAT_TAIL_CALL:
		return s->tail_call;
	case WHAT_CLEAR:
		return s->clear ? json_new_bool(s->a, true) : NULL;
	case WHAT_TERMINAL:
		return s->terminal.n ? json_new_str(s->a, s->terminal) : NULL;
	}
	return NULL;
}

/* Says one thing in all the rows that there are for it. */
static void say(struct saying *s, enum say_when when, bool yes)
{
	for (const struct host_word *w = s->c->host->words; yes && w->at; w++) {
		const struct json *v =
			w->when == when && w->on & s->on &&
					(!w->pascal || char_is_upper(s->c->event->name[0]))
				? value(s, w)
				: NULL;

		if (!v)
			continue;
		if (*w->at)
			s->answer = put(s->a, s->answer, str_from(w->at), v);
		else
			s->text = json_str(v, STR(""));
	}
}

/* The object that names its event, where it has been made. */
static void name_event(struct saying *s)
{
	struct str at = s->c->host->event_at ? str_from(s->c->host->event_at) : STR("");
	struct str inner = at;

	while (inner.n && inner.p[--inner.n] != '/')
		;
	if (at.n && json_pointer(s->answer, inner))
		s->answer =
			put(s->a, s->answer, at, json_new_str(s->a, str_from(s->c->event->name)));
}

static void write_answer(struct saying *s, struct host_answer *ret)
{
	const struct host *h = s->c->host;
	bool deny = s->deny && host_can_deny(h, s->c->event->kind);

	if (deny && s->c->is_kept)
		s->reason = arena_printf(s->a, "%.*s\nWhy: trotline hooks why %s",
					 STR_ARG(s->reason), s->c->id);
	say(s, SAY_DENY, deny);
	say(s, SAY_ASK, s->ask && !s->deny);
	say(s, SAY_ALLOW, s->allow && !s->ask && !s->deny && !s->stop);
	say(s, SAY_REWRITE, s->args != NULL);
	say(s, SAY_RESULT, s->result || s->elicited);
	say(s, SAY_CONTEXT, s->context.n);
	say(s, SAY_MESSAGE, s->message.n);
	say(s, SAY_CHANGE, true);
	say(s, SAY_WATCH, s->watched != NULL);
	say(s, SAY_STOP, s->stop);
	say(s, SAY_NOTHING, !s->answer);
	name_event(s);
	*ret = (struct host_answer){ .out = s->text,
				     .denied = deny,
				     .binding = deny || s->ask || s->stop || s->args || s->result ||
						s->elicited };
	if (s->answer && s->answer->n && !h->only_status)
		ret->out = json_text(s->a, s->answer, JSON_COMPACT);
	if (!deny)
		return;
	ret->err = utf8_prefix(s->reason, STDERR_MAX_CHARS);
	ret->status = h->by_json & s->on ? 0 : HOST_DENIED;
	if (h->only_status)
		ret->out = STR("");
}

void host_answer(struct host_call *c, struct tl_outcome *const *outcomes, size_t n,
		 struct host_answer *ret)
{
	/* What hooks were not asked about is not allowed. */
	struct saying s = { .c = c,
			    .a = &c->arena,
			    .on = host_on(host_kind_of(c)),
			    .allow = n > 0 && n == c->n * c->snapshots,
			    .message = c->notice };

	*ret = (struct host_answer){ 0 };
	if (!host_moment(host_kind_of(c)))
		return;
	if (s.on & ON(START))
		s.watched = c->watched;
	for (size_t i = 0; i < n; i++)
		take(&s, outcomes[i]);
	settle(&s);
	write_answer(&s, ret);
	if (!ret->err.n && !can(&s, SAY_MESSAGE))
		ret->err = c->notice;
}

void host_deny(struct host_call *c, struct str reason, struct host_answer *ret)
{
	static const struct host_event unread = { .name = "", .kind = KIND_TOOL };
	bool known = c->event != NULL;
	struct saying s = { .c = c, .a = &c->arena, .deny = true, .reason = reason };

	/* Of what could not be read only this much is sure: an agent that hears JSON alone must. */
	if (!known)
		c->event = &unread;
	s.on = host_on(c->event->kind);
	*ret = (struct host_answer){ 0 };
	if (host_can_deny(c->host, c->event->kind))
		write_answer(&s, ret);
	if (!known) {
		if (!c->host->only_json)
			ret->out = STR("");
		c->event = NULL;
	}
}
