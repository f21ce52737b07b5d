#include "agent/tell.h"

#include "base/json_pack.h"
#include "base/utf8.h"
#include "extensions/extension.h"
#include "tools/registry.h"

static const struct json *api_attributes(struct arena *a, const struct api_told *api)
{
	return json_pack(a, "model:z prompt_id:z role:z", api->rq->model, api->prompt_id,
			 api->role);
}

void tell_request(struct session *s, const struct api_told *api)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	at = api_attributes(&a, api);
	if (telemetry_prompts(tel))
		at = json_pack_more(&a, at, "request_text:s",
				    json_text(&a, api->rq->contents, JSON_COMPACT));
	AUTO(free) char *body = xasprintf("API request to %s.", api->rq->model);
	telemetry_event(tel, "api_request", body, at);
}

static void measure_api(struct telemetry *tel, struct arena *a, const struct api_told *api,
			int status)
{
	telemetry_measure(tel, "api.request.latency", api->ms, "ms",
			  json_pack(a, "model:z", api->rq->model));
	telemetry_count(tel, "api.request.count", 1,
			json_pack(a, "model:z status_code:i", api->rq->model, status));
}

void tell_response(struct session *s, const struct api_told *api)
{
	static const struct {
		const char *usage, *attribute, *type;
	} kinds[] = {
		{ "promptTokenCount", "input_token_count:f", "input" },
		{ "candidatesTokenCount", "output_token_count:f", "output" },
		{ "cachedContentTokenCount", "cached_content_token_count:f", "cache" },
		{ "thoughtsTokenCount", "thoughts_token_count:f", "thought" },
		{ "toolUsePromptTokenCount", "tool_token_count:f", "tool" },
		{ "totalTokenCount", "total_token_count:f", NULL },
	};
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *finish = xstrdup(api->finish ? api->finish : "");
	struct telemetry *tel = s->o.telemetry;
	const struct json *at, *reason;

	if (!telemetry_on(tel))
		return;
	at = json_pack_more(&a, api_attributes(&a, api), "duration_ms:f", api->ms);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		double n = json_num(json_getz(api->usage, kinds[i].usage), 0);

		at = json_pack_more(&a, at, kinds[i].attribute, n);
		if (kinds[i].type)
			telemetry_count(
				tel, "token.usage", n,
				json_pack(&a, "model:z type:z", api->rq->model, kinds[i].type));
	}
	for (char *c = finish; *c; c++)
		*c = char_lower(*c);
	reason = json_pack_str(&a, finish);
	at = json_pack_more(&a, at, "status_code:i http.status_code:i finish_reasons:j", 200, 200,
			    json_new_arr(&a, &reason, api->finish ? 1 : 0));
	if (telemetry_prompts(tel))
		at = json_pack_more(&a, at, "response_text:s",
				    json_text(&a, api->chunks, JSON_COMPACT));
	AUTO(free) char *body = xasprintf("API response from %s. Status: 200. Duration: %.0fms.",
					  api->rq->model, api->ms);
	telemetry_event(tel, "api_response", body, at);
	measure_api(tel, &a, api, 200);
}

void tell_error(struct session *s, const struct api_told *api, const char *text)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;
	int status = s->o.take_provider->status;
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	at = json_pack_more(&a, api_attributes(&a, api),
			    "error:z error.message:z error.type:z error_type:z model_name:z "
			    "duration:f duration_ms:f ?status_code:i ?http.status_code:i",
			    text, text, "Error", "Error", api->rq->model, api->ms, api->ms, status,
			    status);
	AUTO(free) char *body = xasprintf("API error for %s. Error: %s Duration: %.0fms.",
					  api->rq->model, text, api->ms);
	telemetry_event(tel, "api_error", body, at);
	measure_api(tel, &a, api, status);
}

void tell_retry(struct session *s, const struct retry_told *retry)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;

	if (!telemetry_on(tel))
		return;
	if (retry->delay_ms < 0) {
		telemetry_event(tel, "chat.content_retry_failure",
				"All attempts at an answer failed.",
				json_pack(&a, "model:z total_attempts:i final_error_type:z",
					  s->o.model, retry->attempt + 1, retry->error_type));
		telemetry_count(tel, "chat.content_retry_failure.count", 1, NULL);
		return;
	}
	telemetry_event(tel, "chat.content_retry", "The model is asked again.",
			json_pack(&a, "model:z attempt_number:i error_type:z retry_delay_ms:l",
				  s->o.model, retry->attempt, retry->error_type, retry->delay_ms));
	telemetry_count(tel, "chat.content_retry.count", 1, NULL);
}

void tell_prompt(struct turn *t, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = t->s->o.telemetry;
	struct str typed = t->invocation.p ? t->invocation : text;
	size_t length = utf8_units(typed);
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	at = json_pack(&a, "prompt_length:n prompt_id:z", length, t->prompt_id);
	if (telemetry_prompts(tel))
		at = json_pack_more(&a, at, "prompt:s", typed);
	AUTO(free) char *body = xasprintf("User prompt. Length: %zu.", length);
	telemetry_event(tel, "user_prompt", body, at);
}

void tell_compression(struct session *s, int64_t before, int64_t after)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *at = json_pack(&a, "tokens_before:l tokens_after:l", before, after);
	AUTO(free) char *body =
		xasprintf("Chat compression (Saved %lld tokens)", (long long)(before - after));

	telemetry_event(s->o.telemetry, "chat_compression", body, at);
	telemetry_count(s->o.telemetry, "chat_compression", 1, at);
}

void tell_finished(struct session *s)
{
	AUTO(arena_done) struct arena a = { 0 };

	telemetry_event(
		s->o.telemetry, "conversation_finished", "Conversation finished.",
		json_pack(&a, "approvalMode:z turnCount:i", mode_name(s->o.mode), s->requests));
}

void tell_mode(struct session *s, const char *before, double ms)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;

	telemetry_event(tel, "plan.approval_mode_duration", "Approval mode ended.",
			json_pack(&a, "mode:z duration_ms:f", before, ms));
	telemetry_event(tel, "plan.approval_mode_switch", "Approval mode changed.",
			json_pack(&a, "from_mode:z to_mode:z", before, mode_name(s->o.mode)));
}

void tell_agent_start(struct session *s, const struct agent_told *agent)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *body = xasprintf("Agent %s started. ID: %s", agent->name, agent->id);

	telemetry_event(s->o.telemetry, "agent.start", body,
			json_pack(&a, "agent_id:z agent_name:z", agent->id, agent->name));
}

void tell_agent_finish(struct session *s, const struct agent_told *agent)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;
	const struct json *name = json_pack(&a, "agent_name:z", agent->name);
	AUTO(free) char *body =
		xasprintf("Agent %s finished. Reason: %s. Duration: %.0fms. Turns: %d.",
			  agent->name, agent->reason, agent->ms, agent->turns);

	telemetry_event(tel, "agent.finish", body,
			json_pack(&a,
				  "agent_id:z agent_name:z duration_ms:f turn_count:i "
				  "terminate_reason:z",
				  agent->id, agent->name, agent->ms, agent->turns, agent->reason));
	telemetry_count(tel, "agent.run.count", 1,
			json_pack_more(&a, name, "terminate_reason:z", agent->reason));
	telemetry_measure(tel, "agent.duration", agent->ms, "ms", name);
	telemetry_measure(tel, "agent.turns", agent->turns, "", name);
}

static const char *type_of(const struct tool_told *call)
{
	return call->mcp_server ? "mcp" : "native";
}

static void count_tool(struct telemetry *tel, struct arena *a, const struct tool_told *call)
{
	const struct json *name = json_pack(a, "function_name:s", call->name);

	telemetry_count(tel, "tool.call.count", 1,
			json_pack_more(a, name, "success:b ?decision:z tool_type:z",
				       !call->error_type, call->decision, type_of(call)));
	telemetry_measure(tel, "tool.call.latency", call->ms, "ms", name);
	if (call->lines_added)
		telemetry_count(tel, "lines.changed", call->lines_added,
				json_pack_more(a, name, "type:z", "added"));
	if (call->lines_removed)
		telemetry_count(tel, "lines.changed", call->lines_removed,
				json_pack_more(a, name, "type:z", "removed"));
}

/* Kinds of files that a name tells. */
static const struct {
	const char *extension, *mime, *language;
} kinds[] = {
	{ ".c", "text/x-c", "c" },
	{ ".h", "text/x-c", "c" },
	{ ".cc", "text/x-c", "cpp" },
	{ ".cpp", "text/x-c", "cpp" },
	{ ".css", "text/css", "css" },
	{ ".csv", "text/csv", NULL },
	{ ".go", NULL, "go" },
	{ ".html", "text/html", "html" },
	{ ".java", "text/x-java-source", "java" },
	{ ".js", "text/javascript", "javascript" },
	{ ".json", "application/json", "json" },
	{ ".md", "text/markdown", "markdown" },
	{ ".pdf", "application/pdf", NULL },
	{ ".php", NULL, "php" },
	{ ".png", "image/png", NULL },
	{ ".py", NULL, "python" },
	{ ".rb", NULL, "ruby" },
	{ ".rs", NULL, "rust" },
	{ ".sh", "application/x-sh", "shell" },
	{ ".sql", "application/sql", "sql" },
	{ ".toml", "application/toml", "toml" },
	{ ".ts", NULL, "typescript" },
	{ ".txt", "text/plain", NULL },
	{ ".xml", "text/xml", "xml" },
	{ ".yaml", "text/yaml", "yaml" },
	{ ".yml", "text/yaml", "yaml" },
};

static void tell_file(struct telemetry *tel, struct arena *a, const struct tool_told *call)
{
	const struct tool *tool = tool_find(call->name);
	const char *operation, *path = arena_z(a, json_get_str(call->args, "file_path"));
	struct str text = json_str(call->content, STR(""));
	struct str above = STR("\n--- FILE CONTENT (truncated) ---\n");
	ptrdiff_t at = -1;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	size_t lines = 1; /* as Gemini CLI counts: the empty one behind the last newline, too */
	const struct json *kind;

	if ((!call->display && !call->content) || !tool || !tool->path_arg ||
	    (tool->kind != TOOL_READ && tool->kind != TOOL_EDIT))
		return;
	operation = tool->kind == TOOL_READ                               ? "read"
		    : json_is_true(json_getz(call->display, "isNewFile")) ? "create"
									  : "update";
	/* What was shown of a file, without what is above a part of it. */
	if (str_starts(text, STR("IMPORTANT: The file content")))
		at = str_find(text, above, 0);
	if (at >= 0) {
		text = str_sub(text, (size_t)at + above.n, text.n);
		text.n -= str_ends(text, STR("\n"));
	}
	text = json_str(json_getz(call->display, "newContent"), text);
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	kind = json_pack(a, "operation:z lines:n", operation, lines);
	for (size_t i = 0; i < ARRAY_LEN(kinds) && dot > name; i++)
		if (strcmp(kinds[i].extension, dot) == 0)
			kind = json_pack_more(a, kind, "?mimetype:z ?programming_language:z",
					      kinds[i].mime, kinds[i].language);
	if (dot > name)
		kind = json_pack_more(a, kind, "extension:z", dot);
	AUTO(free) char *body = xasprintf("File operation: %s. Lines: %zu.", operation, lines);
	telemetry_event(tel, "file_operation", body,
			json_pack_more(a, kind, "tool_name:s", call->name));
	telemetry_count(tel, "file.operation.count", 1, kind);
}

/* The MCP server's name, and the extension that brings it. */
static const struct json *put_server(struct arena *a, const struct json *at,
				     const struct json *settings, const char *name)
{
	const struct json *server = json_get(json_getz(settings, "mcpServers"), str_from(name));
	const struct json *from = json_getz(server, EXTENSION_OF_SERVER);

	return json_pack_more(a, at, "?extension_name:s ?extension_id:s mcp_server_name:z",
			      json_get_str(from, "extension_name"),
			      json_get_str(from, "extension_id"), name);
}

void tell_tool(struct turn *t, const struct tool_told *call)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct arena *a = &arena;
	struct telemetry *tel = t->s->o.telemetry;
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	tell_file(tel, a, call);
	if (call->long_bytes)
		telemetry_event(
			tel, "tool_output_truncated",
			arena_printf(a, "Tool output truncated for %.*s.", STR_ARG(call->name)).p,
			json_pack(a,
				  "tool_name:s original_content_length:n "
				  "truncated_content_length:n threshold:n prompt_id:z",
				  call->name, call->long_bytes, call->content_length,
				  call->long_limit, t->prompt_id));
	if (call->strategy)
		telemetry_event(tel, "edit_strategy",
				arena_printf(a, "Edit Tool Strategy: %s", call->strategy).p,
				json_pack(a, "strategy:z", call->strategy));
	at = json_pack(a, "function_name:s", call->name);
	if (telemetry_prompts(tel))
		at = json_pack_more(a, at, "function_args:s",
				    json_text(a, call->args, JSON_PRETTY));
	at = json_pack_more(a, at, "duration_ms:f success:b ?decision:z prompt_id:z tool_type:z",
			    call->ms, !call->error_type, call->decision, t->prompt_id,
			    type_of(call));
	if (call->mcp_server)
		at = put_server(a, at, t->s->o.settings, call->mcp_server);
	if (call->error_type)
		at = json_pack_more(a, at, "error:s error.message:s error_type:z error.type:z",
				    call->error, call->error, call->error_type, call->error_type);
	at = json_pack_more(a, at, "content_length:n", call->content_length);
	if (call->metadata)
		at = json_pack_more(a, at, "metadata:s",
				    json_text(a, call->metadata, JSON_COMPACT));
	AUTO(free) char *body = xasprintf(
		"Tool call: %.*s.%s%s%s Success: %s. Duration: %.0fms.", STR_ARG(call->name),
		call->decision ? " Decision: " : "", call->decision ? call->decision : "",
		call->decision ? "." : "", call->error_type ? "false" : "true", call->ms);
	telemetry_event(tel, "tool_call", body, at);
	count_tool(tel, a, call);
}
