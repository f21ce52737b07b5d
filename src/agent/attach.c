/*
 * What goes to the model without a call of its (@path, @server:uri, @{path} of a command, context
 * files, instructions that are files): no tool event fires for it, but a guard that keeps a file or
 * a secret from the model means every way.
 */
#include "agent/mcp_tools.h"
#include "agent/session_impl.h"
#include "base/json_pack.h"

const char *session_withheld(void *data, struct arena *a, struct brought *b)
{
	struct session *s = data;
	struct fire_args event = { .event = b->content ? "AfterTool" : "BeforeTool",
				   .subject = b->tool,
				   .turn_id = s->turn ? s->turn->id : NULL,
				   .guards_only = true };
	enum tl_change another = b->content ? TL_CHANGE_TAIL_CALL : TL_CHANGE_TOOL_INPUT;
	const struct json *path = json_getz(b->args, "file_path");
	const struct json *context =
		b->server && s->o.mcp ? mcp_context(a, s->o.mcp, b->server, NULL) : NULL;
	struct tl_field fields[5];
	struct tl_outcome *o;
	const char *why = NULL;

	if (!session_wants_this(s, &event))
		return NULL;
	fields[event.nfields++] = field_json(a, "tool_input", b->args);
	fields[event.nfields++] = field_json(
		a, "tool_paths", path ? json_append(a, NULL, path) : json_new_arr(a, NULL, 0));
	fields[event.nfields++] = field_json(a, "tool_urls", json_new_arr(a, NULL, 0));
	if (context)
		fields[event.nfields++] = field_json(a, "mcp_context", context);
	if (b->content)
		fields[event.nfields++] =
			field_json(a, "tool_response",
				   json_pack(a, "llmContent:j returnDisplay:z", b->content, ""));
	event.fields = fields;
	o = session_fire(s, &event);
	if (!o) {
		why = "its guards could not be asked";
	} else if (outcome_end(o) != END_DONE) {
		why = outcome_said(a, o);
	} else if (tl_outcome_change(o, another)) {
		why = arena_printf(a, "hook %s wants another call in its place",
				   outcome_changer(a, o, another))
			      .p;
	} else if (b->content) {
		/* Of what was read, what guards leave. */
		const char *left = tl_outcome_change(o, TL_CHANGE_TOOL_RESULT);

		if (left)
			b->content = json_new_copy(a, str_from(left));
		b->said = arena_str(a, str_from(tl_outcome_wrapped_context(o)));
	}
	tl_outcome_free(o);
	return why;
}
