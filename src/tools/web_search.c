/* google_web_search: the model's service searches (grounding), the answer names its sources. */
#include "tools/files.h"
#include "tools/registry.h"
#include "tools/web.h"

static void web_search(struct tool_call *call, struct tool_result *r)
{
	struct arena *a = call->arena;
	const char *query = tool_clean(a, arg_str(call, "query")).p;
	const struct json *response;
	struct err err = { 0 };
	struct str answer, text;

	if (str_trim(str_from(query)).n == 0) {
		tool_fail(call, r, "invalid_tool_params", "The 'query' parameter is empty.");
		return;
	}
	if (cancel_fired(call->cancel) ||
	    web_ask(call, str_from(query), "googleSearch", &response, &err) < 0) {
		if (err.code == E_CANCEL || cancel_fired(call->cancel))
			tool_fail(call, r, "web_search_failed",
				  "The search for \"%s\" was cancelled.", query);
		else
			tool_fail(call, r, "web_search_failed", "The search for \"%s\" failed: %s",
				  query, err.text);
		return;
	}
	answer = web_answer(a, response);
	if (answer.n == 0) {
		tool_ok(call, r,
			arena_printf(a, "No search results or information found for query: \"%s\"",
				     query),
			STR("No information found."));
		return;
	}
	text = arena_printf(a, "Web search results for \"%s\":\n\n%s", query, answer.p);
	tool_ok(call, r, tool_untrusted(a, text),
		arena_printf(a, "Search results for \"%s\" returned.", query));
}

static struct str describe(struct tool_call *call)
{
	return arena_printf(call->arena, "Searching the web for: \"%s\"",
			    tool_clean(call->arena, arg_str(call, "query")).p);
}

const struct tool tool_google_web_search = {
	.name = "google_web_search",
	.display_name = "GoogleSearch",
	.description =
		"Searches the web with Google and answers with what it found and the sources. Use "
		"it for anything newer than your knowledge, or that must be looked up.",
	.parameters = "{\"type\":\"object\",\"properties\":{"
		      "\"query\":{\"type\":\"string\",\"description\":\"What to search for.\"}},"
		      "\"required\":[\"query\"]}",
	.kind = TOOL_SEARCH,
	/* Not read_only, although it changes nothing: a provider answers one request at a time. */
	.harmless = true,
	.example = "{\"query\":\"weather in Lisbon\"}",
	.run = web_search,
	.describe = describe,
};
