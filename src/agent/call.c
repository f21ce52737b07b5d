#include "agent/call.h"

#include <stdarg.h>

#include "agent/mcp_resources.h"
#include "agent/mcp_tools.h"
#include "agent/tell.h"
#include "base/json_pack.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/fs.h"
#include "tools/schema_check.h"

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

void call_look_anew(struct turn *t, struct call *c)
{
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
}

bool call_check_args(struct turn *t, struct call *c, const char *by)
{
	struct str bad = json_get_str(c->asked, "invalidArguments");
	struct tool_result refused = { 0 };
	const struct json *schema;
	struct err err;

	call_look_anew(t, c);
	if (!by && bad.n && !c->original) {
		call_fail(c, "invalid_tool_params",
			  "The arguments of the call are not a JSON object: %.*s",
			  (int)min_size(bad.n, 200), bad.p);
		return false;
	}
	if (json_parse(&c->arena, str_from(c->tool->parameters), 0, &schema, NULL) < 0)
		BUG();
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

void call_look_at_paths(struct call *c)
{
	if (!c->paths)
		tool_touches(&c->run, &c->paths, &c->urls);
}

bool call_leads_elsewhere(struct call *c)
{
	const struct json *paths, *urls;

	/* Who touches several is held to those that were judged. */
	if (!c->paths || c->tool->touches)
		return false;
	tool_touches(&c->run, &paths, &urls);
	return !json_equal(paths, c->paths) || !json_equal(urls, c->urls);
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
	call_look_at_paths(c);
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

void call_show_as(struct call *c, const char *what, const struct tl_outcome *o)
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
		call_show_as(c, "Agent execution stopped by hook", o);
		c->stopped_by = c->shown_error;
	} else if (end == END_BLOCKED) {
		call_fail(c, "policy_violation", "Tool execution blocked: %s",
			  tl_outcome_reason(o));
		call_show_as(c, "Tool execution blocked", o);
	}
}

void call_show(struct turn *t, struct call *c)
{
	const struct agent_sink *sink = &t->s->o.sink;

	if (!c->shown)
		sink->tool_use(sink->data, c->original ? c->original : c->name, c->id, c->args);
	c->shown = true;
}

/* ---- the run ---- */

void call_run(struct call *c)
{
	int64_t start = clock_us();

	if (call_leads_elsewhere(c)) {
		call_fail(c, "policy_violation",
			  "%.*s leads elsewhere than when the call was judged; it was not made.",
			  STR_ARG(json_get_str(c->args, c->tool->path_arg)));
		return;
	}
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

struct str call_content_text(struct arena *a, const struct json *content)
{
	return json_is(content, J_STR) ? json_str(content, STR("")) : parts_text(a, content);
}

const struct json *call_in_batch(struct turn *t, struct call *c, struct arena *a)
{
	struct tl_field fields[CALL_FIELDS];
	/* What was refused as the model sent it was never made ready to run. */
	size_t n = c->run.tool ? call_fields(t, c, fields) : 0;
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
					      : call_content_text(a, c->result.llm_content),
			 context);
}

/* ---- what is told of it ---- */

void call_report(struct turn *t, struct call *c)
{
	struct session *s = t->s;
	AUTO(arena_done) struct arena a = { 0 };
	bool ok = !c->result.error_type, ran = c->gave.llm_content && !c->gave.error_type;
	const char *name = c->tool ? c->tool->name : c->name;
	/* What the model got; of a failed call what people see. */
	struct str content = call_content_text(&a, ok ? c->result.llm_content : c->result.display);
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
