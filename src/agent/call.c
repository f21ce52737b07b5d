#include "agent/call.h"

#include <stdarg.h>
#include <unistd.h>

#include "agent/mcp_resources.h"
#include "agent/mcp_tools.h"
#include "agent/tell.h"
#include "base/json_pack.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/fs.h"
#include "tools/schema_check.h"

enum { TAILS_MAX = 16, LOOKS_MAX = 3, SINGLY_MAX = 200 };

void call_init(struct turn *t, struct call *c, const struct json *part)
{
	struct arena *a = &t->arena;
	const struct json *asked = json_getz(part, "functionCall");
	const struct json *args = json_getz(asked, "args");
	struct str id = json_get_str(asked, "id");

	*c = (struct call){ .part = part, .asked = asked };
	c->name = arena_z(a, json_get_str(asked, "name"));
	c->id = arena_printf(a, "%s__%.*s", c->name, STR_ARG(id)).p;
	c->args = c->args_asked = json_is(args, J_OBJ) ? args : json_new_obj(a);
}

void call_done(struct call *c)
{
	buf_done(&c->context);
	arena_done(&c->arena);
	toolbox_unref(c->toolbox);
}

void call_fail(struct call *c, const char *type, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	c->result = (struct tool_result){ .error_type = type };
	c->result.error = c->shown_error = tool_clean(&c->arena, buf_str(&text));
	c->result.llm_content = c->result.display = json_new_str(&c->arena, c->result.error);
	c->state = CALL_OVER;
}

void call_cancelled(struct call *c)
{
	call_fail(c, NULL, "[Operation Cancelled] Reason: the user cancelled the operation.");
	c->result.error_type = "cancelled";
	c->state = CALL_CANCELLED;
}

void call_stop(struct call *c, const char *reason)
{
	call_fail(c, "stop_execution", "%s", reason);
	c->stopped_by = c->result.error;
	c->state = CALL_STOPPED;
}

void call_give_up(struct turn *t, struct call *c)
{
	if (halt_fired(t->s->halt))
		call_cancelled(c);
	else
		call_fail(c, "cancelled", "The agent was stopped before this tool ran.");
}

void call_refuse(struct call *c, int max)
{
	call_fail(c, "execution_failed",
		  "An answer may call at most %d tools; this call and those after it were not run.",
		  max);
}

/* ---- before ---- */

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
			c->tool->name, session_mode(s));
	c->tool = NULL;
}

bool call_check_args(struct turn *t, struct call *c, const char *by)
{
	struct str bad = json_get_str(c->asked, "invalidArguments");
	struct tool_result refused = { 0 };
	const struct json *schema;
	struct err err;

	if (!by && bad.n && !c->original) {
		call_fail(c, "invalid_tool_params",
			  "The arguments of the call are not a JSON object: %.*s",
			  (int)min_size(bad.n, 200), bad.p);
		return false;
	}
	if (json_parse(&c->arena, str_from(c->tool->parameters), 0, &schema, NULL) < 0)
		BUG();
	c->paths = c->urls = NULL;
	c->run = (struct tool_call){ .tool = c->tool,
				     .env = &t->s->tools,
				     .arena = &c->arena,
				     .args = c->args,
				     .id = c->id,
				     .typed = c->typed,
				     .server = resource_server(t->s->o.mcp, c->tool, c->args,
							       &c->arena),
				     .cancel = t->s->halt->work };
	if (schema_check(schema, c->args, "params", &err) < 0)
		refused.error = arena_str(&c->arena, str_from(err.text));
	else if (!c->tool->check || c->tool->check(&c->run, &refused))
		return true;
	if (by)
		call_fail(c, "invalid_tool_params",
			  "Tool parameter modification by hook failed validation: %.*s (hook %s)",
			  STR_ARG(refused.error), by);
	else
		call_fail(c, "invalid_tool_params", "%.*s", STR_ARG(refused.error));
	return false;
}

/* The files and addresses of the call, absolute and resolved (C2.11). */
static void look_at_paths(struct turn *t, struct call *c)
{
	(void)t;
	if (!c->paths)
		tool_touches(&c->run, &c->paths, &c->urls);
}

size_t call_fields(struct turn *t, struct call *c, struct tl_field *fields)
{
	const struct mcp_row *row = mcp_row_of(c->tool);
	/* The tools for resources concern a server without being one of its own. */
	const char *server = row ? row->server : c->run.server;
	const struct json *context = NULL;
	size_t n = 0;

	if (server && t->s->o.mcp)
		context = mcp_context(&c->arena, t->s->o.mcp, server, row ? row->name : NULL);
	if (!context && row)
		context = json_new_obj(&c->arena);
	look_at_paths(t, c);
	fields[n++] = field_json(&c->arena, "tool_input", c->args);
	fields[n++] =
		field_json(&c->arena, "tool_paths", c->result.paths ? c->result.paths : c->paths);
	fields[n++] = field_json(&c->arena, "tool_urls", c->urls);
	if (c->original)
		fields[n++] = field_str(&c->arena, "original_request_name", str_from(c->original));
	if (context)
		fields[n++] = field_json(&c->arena, "mcp_context", context);
	return n;
}

struct fire_args call_event(struct turn *t, struct call *c, const char *event)
{
	const struct mcp_row *row = mcp_row_of(c->tool);

	return (struct fire_args){ .event = event,
				   .subject = c->tool->name,
				   .turn_id = t->id,
				   .call_id = c->id,
				   .mcp_server = row ? row->server : NULL,
				   .mcp_tool = row ? row->name : NULL };
}

/* The model is told the reason, people also what it is the reason of, and which hook gives it. */
static void show_as(struct call *c, const char *what, const struct tl_outcome *o)
{
	c->shown_error = arena_printf(&c->arena, "%s: %s", what, outcome_said(&c->arena, o));
	c->result.display = json_new_str(&c->arena, c->shown_error);
}

void call_denied(struct call *c, const struct tl_outcome *o)
{
	enum end end = outcome_end(o);

	if (end == END_CANCELLED) {
		call_cancelled(c);
	} else if (end == END_STOPPED) {
		call_stop(c, arena_printf(&c->arena, "Agent execution stopped by hook: %s",
					  tl_outcome_stop_reason(o))
				     .p);
		show_as(c, "Agent execution stopped by hook", o);
		c->stopped_by = c->shown_error;
	} else if (end == END_BLOCKED) {
		call_fail(c, "policy_violation", "Tool execution blocked: %s",
			  tl_outcome_reason(o));
		show_as(c, "Tool execution blocked", o);
	}
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

	*ret_o = NULL;
	if (!session_wants_this(t->s, &event))
		return true;
	event.fields = fields;
	event.nfields = call_fields(t, c, fields);
	o = session_fire(t->s, &event);
	take_denial(c, o);
	if (c->state == CALL_NEW)
		before_others(t, c, &event, &o);
	*ret_o = o;
	if (c->state != CALL_NEW)
		return false;
	paths = c->paths;
	urls = c->urls;
	/* What the hooks changed in the arguments is checked again (C4.4). */
	args = outcome_change(&c->arena, o, TL_CHANGE_TOOL_INPUT);
	by = outcome_changer(&c->arena, o, TL_CHANGE_TOOL_INPUT);
	if (!args && tl_outcome_change(o, TL_CHANGE_TOOL_INPUT)) {
		call_fail(c, "policy_violation", "The arguments from hook %s cannot be read.", by);
		return false;
	}
	if (args) {
		c->args = args;
		c->changed = true;
		if (!call_check_args(t, c, by))
			return false;
		look_at_paths(t, c);
		/* Files that nobody was asked about. */
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
	switch (call_confirm(t, c, shown)) {
	case CONFIRM_CHANGED:
		c->state = CALL_CHANGED;
		break;
	case CONFIRM_ONCE:
	case CONFIRM_SESSION:
	case CONFIRM_SERVER:
	case CONFIRM_ALWAYS:
		c->decision = c->by_user ? "modify" : "accept";
		c->state = CALL_READY;
		break;
	case CONFIRM_NO:
		call_fail(c, "cancelled",
			  "[Operation Cancelled] Reason: the user did not allow this call.");
		c->decision = "reject";
		c->state = CALL_REFUSED;
		break;
	}
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

void call_show(struct turn *t, struct call *c)
{
	const struct agent_sink *sink = &t->s->o.sink;

	if (!c->shown)
		sink->tool_use(sink->data, c->original ? c->original : c->name, c->id, c->args);
	c->shown = true;
}

/* Whether the model may have the shell is another question. */
static bool is_typed_command(const struct call *c)
{
	return c->typed && c->tool->command_arg;
}

void call_prepare(struct turn *t, struct call *c, const struct selection *sel)
{
	struct session *s = t->s;

	c->state = CALL_NEW;
	toolbox_unref(c->toolbox);
	c->toolbox = toolbox_ref(s->toolbox);
	c->tool = toolbox_find(c->toolbox, str_from(c->name));
	if (!c->tool || !(is_typed_command(c) || tool_offered(s, c->tool)))
		not_found(s, c);
	else if (!tool_selected(s, sel, str_from(c->tool->name)))
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

/* ---- the run ---- */

void call_run(struct call *c)
{
	int64_t start = clock_us();

	c->result = (struct tool_result){ 0 };
	c->tool->run(&c->run, &c->result);
	c->ms = (double)(clock_us() - start) / 1000;
	c->state = CALL_OVER;
	/* The frame around what a server said is for the model. */
	c->shown_error = c->tool->mcp_server && c->result.error_type
				 ? json_str(c->result.display, c->result.error)
				 : c->result.error;
	c->gave = c->result;
	c->fatal = c->result.error_type && strcmp(c->result.error_type, "no_space_left") == 0;
}

/* ---- after ---- */

void call_add_text(struct call *c, struct str more)
{
	const struct json *content = c->result.llm_content, **parts;
	struct arena *a = &c->arena;

	if (!more.n)
		return;
	if (c->result.error_type) {
		c->result.error =
			arena_printf(a, "%.*s\n\n%.*s", STR_ARG(c->result.error), STR_ARG(more));
	} else if (!json_is(content, J_ARR)) {
		more = arena_printf(a, "%.*s\n\n%.*s", STR_ARG(json_str(content, STR(""))),
				    STR_ARG(more));
		c->result.llm_content = json_new_str(a, more);
	} else {
		parts = ARENA_ARRAY(a, const struct json *, content->n + 1);
		for (size_t i = 0; i < content->n; i++)
			parts[i] = json_at(content, i);
		parts[content->n] = text_part(a, arena_printf(a, "\n\n%.*s", STR_ARG(more)));
		c->result.llm_content = json_new_arr(a, parts, content->n + 1);
	}
}

/* GEMINI.md files of the directory that was touched. */
static void discover(struct session *s, struct call *c)
{
	/* What a server calls a path, or reading, means nothing here. */
	if (c->result.error_type || c->tool->mcp_server ||
	    (c->tool->kind != TOOL_READ && c->tool->kind != TOOL_EDIT &&
	     c->tool->kind != TOOL_SEARCH))
		return;
	look_at_paths(s->turn, c);
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
		show_as(c, "Agent execution stopped by hook", o);
		c->stopped_by = arena_str(&c->arena, str_from(outcome_said(&c->arena, o)));
	} else if (end == END_BLOCKED) {
		call_fail(c, "execution_failed", "%s", tl_outcome_reason(o));
		show_as(c, "Tool result blocked", o);
	}
	if (end != END_DONE)
		return false;
	if (take_tail(t, c, o))
		return true;
	if (replaced && !c->result.error_type) {
		c->result.llm_content = c->result.display =
			json_new_str(&c->arena, arena_str(&c->arena, str_from(replaced)));
		c->result.saved = c->result.opens = c->result.activates = NULL;
	}
	call_add_text(c, arena_str(&c->arena, str_from(tl_outcome_wrapped_context(o))));
	return false;
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

/* The texts of a result, with what hooks added. */
static struct str content_text(struct arena *a, const struct json *content)
{
	return json_is(content, J_STR) ? json_str(content, STR("")) : parts_text(a, content);
}

const struct json *call_in_batch(struct turn *t, struct call *c, struct arena *a)
{
	struct tl_field fields[CALL_FIELDS];
	size_t n = c->tool ? call_fields(t, c, fields) : 0;
	const struct json *context = NULL;

	if (n && strcmp(fields[n - 1].name, "mcp_context") == 0)
		(void)json_parse(a, (struct str){ fields[n - 1].json, fields[n - 1].length }, 0,
				 &context, NULL);
	return json_pack(a,
			 "tool_name:z tool_input:j ?tool_paths:j ?tool_urls:j tool_call_id:z "
			 "tool_response:s ?mcp_context:j",
			 c->tool ? c->tool->name : c->name, c->args,
			 c->result.paths ? c->result.paths : c->paths, c->urls, c->id,
			 c->result.error_type ? c->result.error
					      : content_text(a, c->result.llm_content),
			 context);
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
		t->result = arena_str(&t->arena, content_text(&t->arena, c->result.llm_content));
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

/* ---- what is told of it ---- */

void call_report(struct turn *t, struct call *c)
{
	struct session *s = t->s;
	AUTO(arena_done) struct arena a = { 0 };
	bool ok = !c->result.error_type, ran = c->gave.llm_content && !c->gave.error_type;
	const char *name = c->tool ? c->tool->name : c->name;
	/* What the model got; of a failed call what people see. */
	struct str content = content_text(&a, ok ? c->result.llm_content : c->result.display);
	struct tool_stats *stats = stats_tool(&s->stats, name);

	stats->calls++;
	stats->ok += ok;
	stats->failed += !ok;
	stats->ms += c->ms;
	stats->accept += c->decision && strcmp(c->decision, "accept") == 0;
	stats->reject += c->decision && strcmp(c->decision, "reject") == 0;
	s->stats.lines_added += c->result.lines_added;
	s->stats.lines_removed += c->result.lines_removed;
	tell_tool(t, &(struct tool_told){ .name = str_from(name),
					  .args = c->args,
					  .decision = c->decision,
					  .error_type = c->result.error_type,
					  .error = c->result.error,
					  .metadata = c->result.metadata,
					  .strategy = c->gave.strategy,
					  .long_bytes = c->gave.long_bytes,
					  .long_limit = c->gave.long_limit,
					  .mcp_server = c->tool ? c->tool->mcp_server : NULL,
					  .ms = c->ms,
					  .content_length = content.n,
					  .content = ran ? c->gave.llm_content : NULL,
					  .display = ran ? c->gave.display : NULL,
					  .lines_added = c->result.lines_added,
					  .lines_removed = c->result.lines_removed });
}

static bool is_text(const struct json *part)
{
	return json_is(json_getz(part, "text"), J_STR);
}

/* The texts of a list of parts, a line break between them. */
static struct str joined_text(struct arena *a, const struct json *content, size_t *ret_others)
{
	AUTO(buf_done) struct buf out = { 0 };

	*ret_others = 0;
	for (size_t i = 0; i < content->n; i++) {
		const struct json *p = json_at(content, i);
		bool plain = json_is(p, J_STR);

		if (!plain && !is_text(p)) {
			++*ret_others;
			continue;
		}
		if (out.n)
			buf_addc(&out, '\n');
		buf_adds(&out, plain ? json_str(p, STR("")) : json_get_str(p, "text"));
	}
	if (!out.n && *ret_others)
		buf_addf(&out, "Binary content provided (%zu item(s)).", *ret_others);
	return arena_str(a, buf_str(&out));
}

/*
 * The result of a server's tool without sound and film, which the service does not take with a
 * function's response, and with a line that says so.
 */
static const struct json *without_media(struct arena *a, const struct json *content)
{
	const struct json **kept = ARENA_ARRAY(a, const struct json *, content->n + 1);
	size_t n = 1;

	for (size_t i = 0; i < content->n; i++) {
		const struct json *data = json_getz(json_at(content, i), "inlineData");
		struct str mime = json_get_str(data, "mimeType");

		if (!str_starts(mime, STR("audio/")) && !str_starts(mime, STR("video/")))
			kept[n++] = json_at(content, i);
	}
	if (n == content->n + 1)
		return content;
	kept[0] = text_part(a, STR("[Audio and video of this result cannot be sent to you.]"));
	return json_new_arr(a, kept, n);
}

void call_response(struct arena *a, const struct call *c, struct contents *parts)
{
	const struct json *content = c->result.llm_content, *id = json_getz(c->asked, "id");
	const char *asked = c->original ? c->original : c->name;
	bool failed = c->result.error_type != NULL;
	size_t others = 0;
	struct str text;

	if (json_is(content, J_ARR) && c->tool && c->tool->mcp_server)
		content = without_media(a, content);
	text = failed                    ? c->result.error
	       : json_is(content, J_ARR) ? joined_text(a, content, &others)
					 : json_str(content, STR(""));
	*VEC_ADD(parts) =
		json_pack(a, "functionResponse:j",
			  json_pack(a, "?id:j name:z response:j", json_is(id, J_STR) ? id : NULL,
				    asked, json_pack(a, failed ? "error:s" : "output:s", text)));
	for (size_t i = 0; others && i < content->n; i++)
		if (!json_is(json_at(content, i), J_STR) && !is_text(json_at(content, i)))
			*VEC_ADD(parts) = json_dup(a, json_at(content, i));
}
