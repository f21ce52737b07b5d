/*
 * update_topic: what the model is about to do, for the user to see.  Nothing is kept: the latest
 * call in the conversation is the topic.
 */
#include "tools/files.h"
#include "tools/registry.h"

static struct str text_arg(struct tool_call *call, const char *name)
{
	return str_trim(tool_clean(call->arena, arg_str(call, name)));
}

static void update_topic(struct tool_call *call, struct tool_result *r)
{
	struct str intent = text_arg(call, "strategic_intent");
	struct str title = text_arg(call, "title");
	struct str summary = text_arg(call, "summary");
	AUTO(buf_done) struct buf out = { 0 };

	if (intent.n == 0) {
		tool_fail(call, r, "invalid_tool_params",
			  "The 'strategic_intent' parameter is empty.");
		return;
	}
	if (title.n)
		buf_addf(&out, "Current topic: %.*s\n", STR_ARG(title));
	if (summary.n)
		buf_addf(&out, "Summary: %.*s\n", STR_ARG(summary));
	buf_addf(&out, "Strategic intent: %.*s", STR_ARG(intent));
	tool_ok(call, r, buf_str(&out), buf_str(&out));
}

static struct str describe(struct tool_call *call)
{
	struct str title = text_arg(call, "title");

	return title.n ? title : text_arg(call, "strategic_intent");
}

const struct tool tool_update_topic = {
	.name = "update_topic",
	.display_name = "Update Topic",
	.description =
		"Tells the user what you are working on. Call it when a new part of the task "
		"begins, with a title and a summary of what was done before, and with one "
		"sentence on what comes next when the plan changes.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"strategic_intent\":{\"type\":\"string\",\"description\":\"One sentence: what "
		"is done next, and why.\"},"
		"\"title\":{\"type\":\"string\",\"description\":\"Title of the part that begins now.\"},"
		"\"summary\":{\"type\":\"string\",\"description\":\"What was done, in a few "
		"sentences.\"}," WAIT_PARAMETER "},\"required\":[\"strategic_intent\"]}",
	.kind = TOOL_THINK,
	.harmless = true,
	.run = update_topic,
	.describe = describe,
};
