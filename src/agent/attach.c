/*
 * What a prompt attaches (@path, @server:uri, @{path} of a command) is no call of the model, so
 * that no tool event fires for it; but a guard that keeps a file from the model means every way.
 */
#include "agent/mcp_tools.h"
#include "agent/session_impl.h"
#include "base/json_pack.h"

const char *session_withheld(void *data, struct arena *a, const char *tool, const struct json *args,
			     const char *server)
{
	struct session *s = data;
	struct fire_args event = { .event = "BeforeTool",
				   .subject = tool,
				   .turn_id = s->turn ? s->turn->id : NULL,
				   .guards_only = true };
	const struct json *path = json_getz(args, "file_path");
	const struct json *context =
		server && s->o.mcp ? mcp_context(a, s->o.mcp, server, NULL) : NULL;
	struct tl_field fields[4];
	struct tl_outcome *o;
	const char *why = NULL;

	if (!session_wants_this(s, &event))
		return NULL;
	fields[event.nfields++] = field_json(a, "tool_input", args);
	fields[event.nfields++] = field_json(
		a, "tool_paths", path ? json_append(a, NULL, path) : json_new_arr(a, NULL, 0));
	fields[event.nfields++] = field_json(a, "tool_urls", json_new_arr(a, NULL, 0));
	if (context)
		fields[event.nfields++] = field_json(a, "mcp_context", context);
	event.fields = fields;
	o = session_fire(s, &event);
	if (!o)
		why = "its guards could not be asked";
	else if (outcome_end(o) != END_DONE)
		why = outcome_said(a, o);
	else if (tl_outcome_change(o, TL_CHANGE_TOOL_INPUT))
		why = arena_printf(a, "hook %s wants another call in its place",
				   outcome_changer(a, o, TL_CHANGE_TOOL_INPUT))
			      .p;
	tl_outcome_free(o);
	return why;
}
