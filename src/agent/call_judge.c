/* What is asked before a call runs and after it: hooks, policy and the user. */
#include <unistd.h>

#include "agent/call.h"
#include "agent/mcp_tools.h"
#include "base/json_pack.h"
#include "os/fs.h"

enum { TAILS_MAX = 16, LOOKS_MAX = 3, SINGLY_MAX = 200 };

static void not_found(struct session *s, struct call *c)
{
	const struct toolbox *box = s->toolbox;
	AUTO(free) const char **names = xcalloc(box->n, sizeof *names);
	struct str text;
	size_t n = 0;

	for (size_t i = 0; i < box->n; i++)
		if (tool_offered(s, box->p[i]))
			names[n++] = box->p[i]->name;
	text = tool_not_found(&c->arena, str_from(c->name), names, n);
	call_fail(c, "tool_not_registered", "%.*s", STR_ARG(text));
	/* People are told why; for the model the tool does not exist. */
	if (c->tool)
		c->shown_error = arena_printf(
			&c->arena,
			"%s is not offered in approval mode %s, or a policy takes it away.",
			c->tool->name, mode_name(s->o.mode));
	c->tool = NULL;
}

/* Takes what a firing says against the call, but for a question. */
static void take_denial(struct call *c, const struct tl_outcome *o)
{
	if (!o || tl_outcome_stopped(o) || tl_outcome_verdict(o) != TL_VERDICT_ASK)
		call_denied(c, o);
}

/* An outcome lets more through than another: it approves, says nothing, or asks. */
static int strictness(const struct tl_outcome *o)
{
	return tl_outcome_verdict(o) == TL_VERDICT_ASK ? 2 : !tl_outcome_approved(o);
}

/*
 * Hooks whose tool takes one file or address are asked about each of the others; the strictest
 * answer counts.
 */
static void before_others(struct turn *t, struct call *c, struct fire_args *event,
			  struct tl_outcome **o)
{
	size_t n = c->tool->touches ? max_size(c->paths->n, c->urls->n) : 0;

	for (event->nth = 1; event->nth < n && c->state == CALL_NEW; event->nth++) {
		struct tl_outcome *one;

		if (!session_wants_this(t->s, event))
			return;
		if (event->nth >= SINGLY_MAX) {
			call_fail(c, "policy_violation",
				  "The call touches %zu files; hooks are asked about each, at most "
				  "%d of a call. Name fewer.",
				  n, SINGLY_MAX);
			return;
		}
		one = session_fire(t->s, event);
		take_denial(c, one);
		if (c->state == CALL_NEW && tl_outcome_change(one, TL_CHANGE_TOOL_INPUT))
			call_fail(
				c, "policy_violation",
				"Hook %s changes one of several files or addresses; call the tool "
				"with that one alone.",
				outcome_changer(&c->arena, one, TL_CHANGE_TOOL_INPUT));
		if (one && strictness(one) > strictness(*o)) {
			struct tl_outcome *looser = *o;

			*o = one;
			one = looser;
		}
		if (c->state == CALL_NEW)
			buf_addz(&c->context, tl_outcome_wrapped_context(one));
		tl_outcome_free(one);
	}
}

static bool all_in(const struct json *some, const struct json *all)
{
	for (size_t i = 0; json_at(some, i); i++) {
		size_t k = 0;

		while (json_at(all, k) && !json_equal(json_at(some, i), json_at(all, k)))
			k++;
		if (!json_at(all, k))
			return false;
	}
	return true;
}

/* False when the call is over.  The caller frees *ret_o. */
static bool before_tool(struct turn *t, struct call *c, struct tl_outcome **ret_o)
{
	struct fire_args event = call_event(t, c, "BeforeTool");
	const struct json *args, *paths, *urls;
	struct tl_field fields[CALL_FIELDS];
	struct tl_outcome *o;
	const char *by;
	bool unread;

	*ret_o = NULL;
	if (!session_wants_this(t->s, &event))
		return true;
	event.fields = fields;
	event.nfields = call_fields(t, c, fields);
	o = session_fire(t->s, &event);
	take_denial(c, o);
	*ret_o = o;
	if (c->state != CALL_NEW)
		return false;
	/* Of the whole call, whichever of its files is judged most strictly. */
	args = outcome_change(&c->arena, o, TL_CHANGE_TOOL_INPUT);
	by = outcome_changer(&c->arena, o, TL_CHANGE_TOOL_INPUT);
	unread = !args && tl_outcome_change(o, TL_CHANGE_TOOL_INPUT);
	before_others(t, c, &event, &o);
	*ret_o = o;
	if (c->state != CALL_NEW)
		return false;
	paths = c->paths;
	urls = c->urls;
	/* What the hooks changed in the arguments is checked again (C4.4). */
	if (unread) {
		call_fail(c, "policy_violation", "The arguments from hook %s cannot be read.", by);
		return false;
	}
	if (args) {
		c->args = args;
		c->changed = true;
		if (!call_check_args(t, c, by))
			return false;
		call_look_at_paths(c);
		/* Files that no hook was asked about. */
		if (c->tool->touches && !(all_in(c->paths, paths) && all_in(c->urls, urls))) {
			if (++c->looks < LOOKS_MAX) {
				tl_outcome_free(o);
				return before_tool(t, c, ret_o);
			}
			call_fail(
				c, "policy_violation",
				"Hook %s changes the files or addresses of the call again and again.",
				by);
			return false;
		}
	}
	if (c->tool->touches)
		c->run.paths = c->paths;
	buf_addz(&c->context, tl_outcome_wrapped_context(o));
	return true;
}

/* The user is asked; without one the call fails. */
static void ask_user(struct turn *t, struct call *c, const struct tl_outcome *o)
{
	bool by_hook = o && tl_outcome_verdict(o) == TL_VERDICT_ASK;
	const char *shown = by_hook ? outcome_said(&c->arena, o) : "";
	bool same;

	if (call_ask_hooks(t, c, o))
		return;
	if (!t->s->o.sink.confirm) {
		call_fail(
			c, "unhandled_exception",
			"Tool execution for \"%s\" requires user confirmation, which is not supported "
			"in non-interactive mode.%s%s",
			c->tool->display_name, *shown ? " A hook asks: " : "", shown);
		c->decision = "reject";
		return;
	}
	switch (call_confirm(t, c, shown, &same)) {
	case CONFIRM_CHANGED:
		c->state = CALL_CHANGED;
		break;
	case CONFIRM_ONCE:
	case CONFIRM_SESSION:
	case CONFIRM_SERVER:
	case CONFIRM_ALWAYS:
		c->decision = c->by_user ? "modify" : "accept";
		c->state = same ? CALL_READY : CALL_CHANGED;
		break;
	case CONFIRM_NO:
		call_fail(c, "cancelled",
			  "[Operation Cancelled] Reason: the user did not allow this call.");
		c->decision = "reject";
		c->state = CALL_REFUSED;
		return;
	}
	if (same)
		return;
	session_note(t->s, NOTE_WARNING,
		     "%s: what this is about changed while you were asked, so it is judged again.",
		     c->tool->display_name);
	if (++c->looks < LOOKS_MAX)
		return;
	call_fail(c, "policy_violation",
		  "What the call is about changed again and again while the user was asked.");
	c->decision = "reject";
}

/* The last word before the run: the policy's, and the user's where one of them wants it. */
static void ask_policy(struct turn *t, struct call *c, const struct tl_outcome *o)
{
	struct session *s = t->s;
	struct str why = { 0 };
	const char *server = c->run.server;
	struct policy_subject tool = tool_subject(c->tool);
	enum policy_decision d;
	bool asks, asks_hook;

	/* Rules about a server concern its resources, too. */
	if (server) {
		tool.mcp_server = server;
		tool.mcp_tool = tool.name;
	}
	d = (c->typed ? policy_check_typed : policy_check)(s->o.policy, tool, c->args, &c->arena,
							   &why);
	/* Where no person can be asked, a hook may be. */
	asks = d == POLICY_ASK || (d == POLICY_DENY && !s->o.interactive &&
				   policy_would_ask(s->o.policy, tool, c->args, &c->arena));
	if (c->tool->need == NEED_AGENTS &&
	    policy_denies_agent(s->o.policy,
				arena_z(&c->arena, json_get_str(c->args, "agent_name")))) {
		d = POLICY_DENY;
		asks = false;
	}
	asks_hook = o && tl_outcome_verdict(o) == TL_VERDICT_ASK;
	if (d == POLICY_DENY && asks && o && tl_outcome_approved(o)) {
		c->decision = "accept";
		c->state = CALL_READY;
	} else if (d == POLICY_DENY && asks && call_ask_hooks(t, c, o)) {
		c->decision = c->state == CALL_READY ? "accept" : "reject";
	} else if (d == POLICY_DENY) {
		call_fail(c, "policy_violation", "Tool execution denied by policy.%s%.*s",
			  why.n ? "\n" : "", STR_ARG(why));
		c->decision = "reject";
		call_tell_denied(t, c);
	} else if (asks_hook || (d == POLICY_ASK && !c->typed && !(o && tl_outcome_approved(o)))) {
		ask_user(t, c, o);
	} else {
		c->decision = "accept";
		c->state = CALL_READY;
	}
}

void call_prepare(struct turn *t, struct call *c, const struct selection *sel)
{
	struct session *s = t->s;

	c->state = CALL_NEW;
	toolbox_unref(c->toolbox);
	c->toolbox = toolbox_ref(s->toolbox);
	c->tool = toolbox_find(c->toolbox, str_from(c->name));
	/* For the user's own command it does not matter whether the model may have the shell. */
	if (!c->tool || !((c->typed && c->tool->command_arg) || tool_offered(s, c->tool)))
		not_found(s, c);
	else
		call_look_anew(t, c);
	if (c->tool && !tool_selected(s, sel, str_from(c->tool->name)))
		call_fail(c, "policy_violation",
			  "The tool %s may not be called now: hook %s allowed %s.", c->tool->name,
			  sel->by, sel->none ? "no tools" : "only others");
	if (c->state != CALL_NEW)
		return;
	/* What the user changed is judged like what the model asked for: no edit slips past a
	 * guard. */
	do {
		struct tl_outcome *o = NULL;

		c->state = CALL_NEW;
		buf_clear(&c->context);
		if (call_check_args(t, c, NULL) && before_tool(t, c, &o)) {
			call_show(t, c); /* as it would run */
			ask_policy(t, c, o);
		}
		tl_outcome_free(o);
	} while (c->state == CALL_CHANGED);
	todos_judge(t, c);
}

/* GEMINI.md files of the directory that was touched. */
static void discover(struct session *s, struct call *c)
{
	/* What a server calls a path, or reading, means nothing here. */
	if (c->result.error_type || c->tool->mcp_server ||
	    (c->tool->kind != TOOL_READ && c->tool->kind != TOOL_EDIT &&
	     c->tool->kind != TOOL_SEARCH))
		return;
	call_look_at_paths(c);
	/* Of a search also the files that it found. */
	const struct json *const touched[] = { c->paths, c->result.paths };
	const struct json *first = json_at(c->paths, 0);

	call_add_text(c, context_discover_all(&c->arena, &s->context, s->seen, touched,
					      ARRAY_LEN(touched)));
	session_tell_loaded(s, "nested_traversal",
			    first ? arena_z(&c->arena, json_str(first, STR(""))) : NULL);
}

static bool take_tail(struct turn *t, struct call *c, const struct tl_outcome *o)
{
	const struct json *tail = outcome_change(&t->arena, o, TL_CHANGE_TAIL_CALL), *args;

	if (!tail)
		return false;
	if (++c->tails > TAILS_MAX) {
		call_fail(c, "execution_failed",
			  "Hooks asked for more than %d tool calls in the place of one.",
			  TAILS_MAX);
		return false;
	}
	call_report(t, c);
	c->result.saved = NULL;
	c->result.paths = NULL;
	c->looks = 0;
	args = json_getz(tail, "args");
	c->gave = (struct tool_result){ 0 };
	if (!c->original)
		c->original = c->name;
	c->name = arena_z(&t->arena, json_get_str(tail, "name"));
	c->args = c->args_asked = json_is(args, J_OBJ) ? args : json_new_obj(&t->arena);
	c->changed = c->asked_hooks = false;
	c->permitted = NULL;
	buf_clear(&c->context);
	return true;
}

/* What AfterTool's hooks make of the result; true when another tool is to run in its place. */
static bool take_said(struct turn *t, struct call *c, const struct tl_outcome *o)
{
	const char *replaced = o ? tl_outcome_change(o, TL_CHANGE_TOOL_RESULT) : NULL;
	enum end end = outcome_end(o);

	if (end == END_CANCELLED) {
		call_cancelled(c);
	} else if (end == END_STOPPED) {
		call_stop(c, tl_outcome_stop_reason(o));
		call_show_as(c, "Agent execution stopped by hook", o);
		c->stopped_by = arena_str(&c->arena, str_from(outcome_said(&c->arena, o)));
	} else if (end == END_BLOCKED) {
		call_fail(c, "execution_failed", "%s", tl_outcome_reason(o));
		call_show_as(c, "Tool result blocked", o);
	}
	if (end != END_DONE)
		return false;
	if (take_tail(t, c, o))
		return true;
	/* In place of what the tool gave, be that a result or what it failed with. */
	if (replaced) {
		struct str text = arena_str(&c->arena, str_from(replaced));

		c->result.llm_content = c->result.display = json_new_str(&c->arena, text);
		c->result.saved = c->result.opens = c->result.activates = NULL;
		if (c->result.error_type)
			c->result.error = c->shown_error = text;
	}
	call_add_text(c, arena_str(&c->arena, str_from(tl_outcome_wrapped_context(o))));
	return false;
}

bool call_is_guarded(struct turn *t, struct call *c)
{
	static const int ends[] = { 0, TL_FAILED_EXIT, TL_FAILED_TOOL };
	struct fire_args event = call_event(t, c, "AfterTool");
	bool guarded = false;

	for (size_t i = 0; i < ARRAY_LEN(ends) && !guarded; i++) {
		event.failed = ends[i];
		guarded = session_is_guarded(t->s, &event);
	}
	return guarded;
}

/* AfterTool; true as above. */
static bool after_tool(struct turn *t, struct call *c)
{
	struct fire_args event = call_event(t, c, "AfterTool");
	const struct json *code = json_getz(c->result.ended, "exit_code");
	const struct json *sig = json_getz(c->result.ended, "signal");
	struct tl_field fields[CALL_FIELDS + 6];
	struct tl_outcome *o;
	bool tail;
	size_t n;
	struct arena *a = &c->arena;
	const struct tool_result *r = &c->result;

	discover(t->s, c);
	call_add_text(c, buf_str(&c->context));
	event.failed = c->result.error_type            ? TL_FAILED_TOOL
		       : sig || json_int(code, 0) != 0 ? TL_FAILED_EXIT
						       : 0;
	if (halt_fired(t->s->halt))
		call_cancelled(c);
	if (halt_fired(t->s->halt) || !session_wants_this(t->s, &event))
		return false;
	n = call_fields(t, c, fields);
	fields[n++] = field_json(
		a, "tool_response",
		json_pack(a, "llmContent:j returnDisplay:j ?error:j", r->llm_content,
			  r->display ? r->display : json_pack_str(a, ""),
			  r->error_type ? json_pack(a, "message:s type:z", r->error, r->error_type)
					: NULL));
	if (c->changed)
		fields[n++] = field_json(&c->arena, "tool_input_original", c->args_asked);
	if (c->result.error_type)
		fields[n++] = field_str(&c->arena, "tool_error", c->result.error);
	else if (event.failed)
		fields[n++] = field_str(&c->arena, "tool_error",
					arena_printf(&c->arena, "the command ended with %s %d",
						     sig ? "signal" : "exit status",
						     (int)json_int(sig ? sig : code, 0)));
	if (code)
		fields[n++] = field_json(&c->arena, "exit_code", code);
	if (sig)
		fields[n++] = field_json(&c->arena, "signal", sig);
	fields[n++] = field_json(&c->arena, "duration_ms", json_new_num(&c->arena, c->ms));
	event.fields = fields;
	event.nfields = n;
	o = session_fire(t->s, &event);
	tail = take_said(t, c, o);
	tl_outcome_free(o);
	return tail;
}

bool call_after(struct turn *t, struct call *c)
{
	const char *saved = c->result.saved;
	int left = c->result.left_pid;
	bool changed = c->changed, tail, ok;
	struct err err;

	todos_keep(t->s, c);
	tail = after_tool(t, c);
	ok = !tail && !c->result.error_type;
	/* Only for the model: hooks know what they did. */
	if (changed && ok)
		call_add_text(c,
			      STR("[System] Tool input parameters were modified by a hook before "
				  "execution."));
	if (c->result.opens && ok)
		session_open_dir(t->s, c->result.opens);
	if (c->result.activates && ok)
		session_activate(t->s, str_from(c->result.activates));
	if (c->tool == &tool_complete_task && ok)
		t->result =
			arena_str(&t->arena, call_content_text(&t->arena, c->result.llm_content));
	if (c->result.mode && ok && session_take_mode(t->s, c->result.mode, &err) < 0)
		call_fail(c, "execution_failed", "%s", err.text);
	/* A withheld result must not be found in a file, either. */
	if (saved && !c->result.saved)
		(void)unlink(saved);
	/* Nor by asking a process whose start was refused. */
	if (left && c->result.error_type)
		background_end(t->s->tools.background, left);
	return tail;
}
