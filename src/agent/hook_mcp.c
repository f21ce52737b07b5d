/* A hook that is a tool of an MCP server: its text is the answer. */
#include "agent/hook_work.h"
#include "os/clock.h"

int hook_run_mcp_tool(struct hook_work *work, struct err *err)
{
	const char *server = arena_z(work->a, json_get_str(work->request, "server"));
	const char *tool = arena_z(work->a, json_get_str(work->request, "tool"));
	struct mcp_servers *servers = hook_hosts_servers(work->all, server, err);
	struct mcp_result result = { 0 };
	AUTO(buf_done) struct buf texts = { 0 };
	const struct json *block;
	struct str text;
	int r;

	if (!servers)
		return -E_NOTFOUND;
	/* One that is being started will be there soon; the deadline is the engine's. */
	r = mcp_servers_wait(servers, work->cancel);
	r = r == -E_CANCEL ? err_set(err, E_CANCEL, "the server %s is not ready yet", server)
			   : mcp_call_tool(servers, server, tool, json_getz(work->request, "input"),
					   NULL, work->cancel, work->a, &result, err);
	if (r < 0)
		return r;
	for (size_t i = 0; (block = json_at(result.content, i)); i++)
		if (str_eqz(json_get_str(block, "type"), "text")) {
			buf_addz(&texts, texts.n ? "\n" : "");
			buf_adds(&texts, json_get_str(block, "text"));
		}
	text = !texts.n && result.structured ? json_text(work->a, result.structured, JSON_COMPACT)
					     : arena_str(work->a, buf_str(&texts));
	if (result.is_error)
		return err_set(err, E_IO, "the tool %s of the server %s failed%s%.*s", tool, server,
			       text.n ? ": " : "", STR_ARG(text));
	if (text.n > HOOK_ANSWER_MAX)
		return err_set(err, E_LIMIT, "the answer is longer than %d bytes", HOOK_ANSWER_MAX);
	work->answer = text;
	return 0;
}
