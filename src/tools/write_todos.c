/* write_todos: the model's list of what is to be done.  Each call gives the whole list. */
#include "base/json_pack.h"
#include "tools/files.h"
#include "tools/registry.h"

static void write_todos(struct tool_call *call, struct tool_result *r)
{
	const struct json *todos = json_getz(call->args, "todos");
	struct json_list items = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct arena *a = call->arena;
	size_t in_progress = 0;

	for (size_t i = 0; i < todos->n; i++) {
		const struct json *todo = json_at(todos, i);

		in_progress += str_eqz(json_get_str(todo, "status"), "in_progress");
		if (str_trim(json_get_str(todo, "description")).n == 0) {
			tool_fail(call, r, "invalid_tool_params",
				  "Invalid parameters: the description of todo %zu is empty.",
				  i + 1);
			return;
		}
	}
	if (in_progress > 1) {
		tool_fail(call, r, "invalid_tool_params",
			  "Invalid parameters: Only one task can be \"in_progress\" at a time.");
		return;
	}
	if (todos->n == 0)
		buf_addz(&out, "Successfully cleared the todo list.");
	else
		buf_addz(&out, "Successfully updated the todo list. The current list is now:");
	for (size_t i = 0; i < todos->n; i++) {
		struct str text = json_get_str(json_at(todos, i), "description");
		struct str status = json_get_str(json_at(todos, i), "status");

		buf_addf(&out, "\n%zu. [%.*s] %.*s", i + 1, STR_ARG(status), STR_ARG(text));
		json_list_add(&items,
			      json_pack(a, "description:s status:s", tool_clean(a, text), status));
	}
	tool_ok(call, r, buf_str(&out), STR(""));
	r->display = json_pack(a, "todos:j", json_list_take(a, &items));
}

static struct str describe(struct tool_call *call)
{
	const struct json *todos = json_getz(call->args, "todos");
	size_t n = json_is(todos, J_ARR) ? todos->n : 0;

	if (n == 0)
		return STR("Cleared the todo list");
	return arena_printf(call->arena, "Set %zu todo%s", n, n == 1 ? "" : "s");
}

const struct tool tool_write_todos = {
	.name = "write_todos",
	.display_name = "WriteTodos",
	.description =
		"Keeps a list of the steps of a larger task, for you and for the user to see. "
		"Every call gives the whole list, which replaces the previous one; an empty list "
		"clears it. Mark a step as in_progress before you start it, one at a time, and "
		"as completed as soon as it is done. Not for tasks of one or two steps.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"todos\":{\"type\":\"array\","
		      "\"description\":\"The whole list.\",\"items\":{\"type\":\"object\","
		      "\"properties\":{"
		      "\"description\":{\"type\":\"string\",\"description\":\"What to do.\"},"
		      "\"status\":{\"type\":\"string\",\"enum\":[\"pending\",\"in_progress\","
		      "\"completed\",\"cancelled\",\"blocked\"]}},"
		      "\"required\":[\"description\",\"status\"],\"additionalProperties\":false}}},"
		      "\"required\":[\"todos\"],\"additionalProperties\":false}",
	.kind = TOOL_THINK,
	.harmless = true,
	.example = "{\"todos\":[{\"description\":\"write tests\",\"status\":\"pending\"}]}",
	.run = write_todos,
	.describe = describe,
};
