#include "agent/tell.h"

#include "extensions/extension.h"
#include "tools/registry.h"

static const struct json *put(struct arena *a, const struct json *obj, const char *key,
			      const char *v)
{
	return json_set(a, obj, str_from(key), json_new_str(a, str_from(v)));
}

static const struct json *put_num(struct arena *a, const struct json *obj, const char *key,
				  double v)
{
	return json_set(a, obj, str_from(key), json_new_num(a, v));
}

static const struct json *api_attributes(struct arena *a, const struct api_told *api)
{
	const struct json *at = put(a, NULL, "model", api->rq->model);

	at = put(a, at, "prompt_id", api->prompt_id);
	return put(a, at, "role", api->role);
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
		at = json_set(&a, at, STR("request_text"),
			      json_new_str(&a, json_text(&a, api->rq->contents, JSON_COMPACT)));
	AUTO(free) char *body = xasprintf("API request to %s.", api->rq->model);
	telemetry_event(tel, "api_request", body, at);
}

static const struct {
	const char *usage, *attribute, *type;
} token_kinds[] = {
	{ "promptTokenCount", "input_token_count", "input" },
	{ "candidatesTokenCount", "output_token_count", "output" },
	{ "cachedContentTokenCount", "cached_content_token_count", "cache" },
	{ "thoughtsTokenCount", "thoughts_token_count", "thought" },
	{ "toolUsePromptTokenCount", "tool_token_count", "tool" },
	{ "totalTokenCount", "total_token_count", NULL },
};

static void measure_api(struct telemetry *tel, struct arena *a, const struct api_told *api,
			int status)
{
	const struct json *at = put(a, NULL, "model", api->rq->model);

	telemetry_measure(tel, "api.request.latency", api->ms, "ms", at);
	telemetry_count(tel, "api.request.count", 1, put_num(a, at, "status_code", status));
}

static const struct json *count_tokens(struct telemetry *tel, struct arena *a,
				       const struct json *at, const struct api_told *api)
{
	for (size_t i = 0; i < ARRAY_LEN(token_kinds); i++) {
		double n = json_num(json_get(api->usage, str_from(token_kinds[i].usage)), 0);

		at = put_num(a, at, token_kinds[i].attribute, n);
		if (token_kinds[i].type)
			telemetry_count(tel, "token.usage", n,
					put(a, put(a, NULL, "model", api->rq->model), "type",
					    token_kinds[i].type));
	}
	return at;
}

static const struct json *finish_reasons(struct arena *a, const char *finish)
{
	AUTO(free) char *lower = xstrdup(finish ? finish : "");
	const struct json *reason;

	for (char *c = lower; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	reason = json_new_str(a, arena_str(a, str_from(lower)));
	return json_new_arr(a, &reason, finish ? 1 : 0);
}

void tell_response(struct session *s, const struct api_told *api)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct arena *a = &arena;
	struct telemetry *tel = s->o.telemetry;
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	at = put_num(a, api_attributes(a, api), "duration_ms", api->ms);
	at = count_tokens(tel, a, at, api);
	at = put_num(a, put_num(a, at, "status_code", 200), "http.status_code", 200);
	at = json_set(a, at, STR("finish_reasons"), finish_reasons(a, api->finish));
	if (telemetry_prompts(tel))
		at = json_set(a, at, STR("response_text"),
			      json_new_str(a, json_text(a, api->chunks, JSON_COMPACT)));
	AUTO(free) char *body = xasprintf("API response from %s. Status: 200. Duration: %.0fms.",
					  api->rq->model, api->ms);
	telemetry_event(tel, "api_response", body, at);
	measure_api(tel, a, api, 200);
}

void tell_error(struct session *s, const struct api_told *api, const char *text)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct arena *a = &arena;
	struct telemetry *tel = s->o.telemetry;
	int status = s->o.take_provider->status;
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	at = put(a, put(a, api_attributes(a, api), "error", text), "error.message", text);
	at = put(a, put(a, at, "error.type", "Error"), "error_type", "Error");
	at = put(a, at, "model_name", api->rq->model);
	at = put_num(a, put_num(a, at, "duration", api->ms), "duration_ms", api->ms);
	if (status)
		at = put_num(a, put_num(a, at, "status_code", status), "http.status_code", status);
	AUTO(free) char *body = xasprintf("API error for %s. Error: %s Duration: %.0fms.",
					  api->rq->model, text, api->ms);
	telemetry_event(tel, "api_error", body, at);
	measure_api(tel, a, api, status);
}

void tell_retry(struct session *s, const struct retry_told *retry)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;
	const struct json *model = put(&a, NULL, "model", s->o.model), *at;

	if (!telemetry_on(tel))
		return;
	if (retry->delay_ms < 0) {
		at = put_num(&a, model, "total_attempts", retry->attempt + 1);
		at = put(&a, at, "final_error_type", retry->error_type);
		telemetry_event(tel, "chat.content_retry_failure",
				"All attempts at an answer failed.", at);
		telemetry_count(tel, "chat.content_retry_failure.count", 1, NULL);
		return;
	}
	at = put_num(&a, model, "attempt_number", retry->attempt);
	at = put(&a, at, "error_type", retry->error_type);
	at = put_num(&a, at, "retry_delay_ms", (double)retry->delay_ms);
	telemetry_event(tel, "chat.content_retry", "The model is asked again.", at);
	telemetry_count(tel, "chat.content_retry.count", 1, NULL);
}

/* As JavaScript counts, in UTF-16. */
static size_t js_length(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		n += (c & 0xc0) != 0x80;
		n += c >= 0xf0;
	}
	return n;
}

void tell_prompt(struct turn *t, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = t->s->o.telemetry;
	struct str typed = t->invocation.p ? t->invocation : text;
	size_t length = js_length(typed);
	const struct json *at;

	if (!telemetry_on(tel))
		return;
	at = put_num(&a, NULL, "prompt_length", (double)length);
	at = put(&a, at, "prompt_id", t->prompt_id);
	if (telemetry_prompts(tel))
		at = json_set(&a, at, STR("prompt"), json_new_str(&a, typed));
	AUTO(free) char *body = xasprintf("User prompt. Length: %zu.", length);
	telemetry_event(tel, "user_prompt", body, at);
}

void tell_compression(struct session *s, int64_t before, int64_t after)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *at = put_num(&a, NULL, "tokens_before", (double)before);

	at = put_num(&a, at, "tokens_after", (double)after);
	AUTO(free) char *body =
		xasprintf("Chat compression (Saved %lld tokens)", (long long)(before - after));
	telemetry_event(s->o.telemetry, "chat_compression", body, at);
	telemetry_count(s->o.telemetry, "chat_compression", 1, at);
}

void tell_finished(struct session *s)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *at = put(&a, NULL, "approvalMode", session_mode(s));

	at = put_num(&a, at, "turnCount", s->requests);
	telemetry_event(s->o.telemetry, "conversation_finished", "Conversation finished.", at);
}

void tell_mode(struct session *s, const char *before, double ms)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;
	const struct json *at = put(&a, NULL, "mode", before);

	telemetry_event(tel, "plan.approval_mode_duration", "Approval mode ended.",
			put_num(&a, at, "duration_ms", ms));
	at = put(&a, put(&a, NULL, "from_mode", before), "to_mode", session_mode(s));
	telemetry_event(tel, "plan.approval_mode_switch", "Approval mode changed.", at);
}

static const struct json *agent_attributes(struct arena *a, const struct agent_told *agent)
{
	return put(a, put(a, NULL, "agent_id", agent->id), "agent_name", agent->name);
}

void tell_agent_start(struct session *s, const struct agent_told *agent)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *body = xasprintf("Agent %s started. ID: %s", agent->name, agent->id);

	telemetry_event(s->o.telemetry, "agent.start", body, agent_attributes(&a, agent));
}

void tell_agent_finish(struct session *s, const struct agent_told *agent)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *tel = s->o.telemetry;
	const struct json *name = put(&a, NULL, "agent_name", agent->name);
	const struct json *at = put_num(&a, agent_attributes(&a, agent), "duration_ms", agent->ms);
	AUTO(free) char *body =
		xasprintf("Agent %s finished. Reason: %s. Duration: %.0fms. Turns: %d.",
			  agent->name, agent->reason, agent->ms, agent->turns);

	at = put_num(&a, at, "turn_count", agent->turns);
	telemetry_event(tel, "agent.finish", body, put(&a, at, "terminate_reason", agent->reason));
	telemetry_count(tel, "agent.run.count", 1,
			put(&a, name, "terminate_reason", agent->reason));
	telemetry_measure(tel, "agent.duration", agent->ms, "ms", name);
	telemetry_measure(tel, "agent.turns", agent->turns, "", name);
}

static const struct json *tool_failure(struct arena *a, const struct json *at,
				       const struct tool_told *call)
{
	const struct json *text = json_new_str(a, call->error);

	at = json_set(a, at, STR("error"), text);
	at = json_set(a, at, STR("error.message"), text);
	at = put(a, at, "error_type", call->error_type);
	return put(a, at, "error.type", call->error_type);
}

static const char *type_of(const struct tool_told *call)
{
	return call->mcp_server ? "mcp" : "native";
}

static void count_tool(struct telemetry *tel, struct arena *a, const struct tool_told *call)
{
	const struct json *name =
		json_set(a, NULL, STR("function_name"), json_new_str(a, call->name));
	const struct json *at =
		json_set(a, name, STR("success"), json_new_bool(a, !call->error_type));

	if (call->decision)
		at = put(a, at, "decision", call->decision);
	telemetry_count(tel, "tool.call.count", 1, put(a, at, "tool_type", type_of(call)));
	telemetry_measure(tel, "tool.call.latency", call->ms, "ms", name);
	if (call->lines_added)
		telemetry_count(tel, "lines.changed", call->lines_added,
				put(a, name, "type", "added"));
	if (call->lines_removed)
		telemetry_count(tel, "lines.changed", call->lines_removed,
				put(a, name, "type", "removed"));
}

/* "create", "read", "update"; NULL for a tool that opens no single file. */
static const char *file_operation(const struct tool_told *call)
{
	const struct tool *t = tool_find(call->name);

	if (!t || !t->path_arg || (t->kind != TOOL_READ && t->kind != TOOL_EDIT))
		return NULL;
	if (t->kind == TOOL_READ)
		return "read";
	return json_is_true(json_getz(call->display, "isNewFile")) ? "create" : "update";
}

/* As Gemini CLI counts: the empty one behind the last newline is one, too. */
static size_t lines_of(struct str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
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

static const struct json *put_kind(struct arena *a, const struct json *at, const char *extension)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].extension, extension) != 0)
			continue;
		if (kinds[i].mime)
			at = put(a, at, "mimetype", kinds[i].mime);
		if (kinds[i].language)
			at = put(a, at, "programming_language", kinds[i].language);
	}
	return put(a, at, "extension", extension);
}

/* What was shown of a file, without what stands above a part of it. */
static struct str shown_of(struct str content)
{
	struct str above = STR("\n--- FILE CONTENT (truncated) ---\n");
	ptrdiff_t at = -1;

	if (str_starts(content, STR("IMPORTANT: The file content")))
		at = str_find(content, above, 0);
	if (at < 0)
		return content;
	content = str_sub(content, (size_t)at + above.n, content.n);
	if (content.n && content.p[content.n - 1] == '\n')
		content.n--;
	return content;
}

static void tell_file(struct telemetry *tel, struct arena *a, const struct tool_told *call)
{
	const char *operation = call->display || call->content ? file_operation(call) : NULL;
	struct str path = json_get_str(call->args, "file_path");
	struct str text = json_str(json_getz(call->display, "newContent"),
				   shown_of(json_str(call->content, STR(""))));
	const char *slash = strrchr(arena_z(a, path), '/');
	const char *name = slash ? slash + 1 : arena_z(a, path), *dot = strrchr(name, '.');
	size_t lines = lines_of(text);
	const struct json *at, *kind;

	if (!operation)
		return;
	kind = put_num(a, put(a, NULL, "operation", operation), "lines", (double)lines);
	if (dot && dot > name)
		kind = put_kind(a, kind, dot);
	at = json_set(a, kind, STR("tool_name"), json_new_str(a, call->name));
	AUTO(free) char *body = xasprintf("File operation: %s. Lines: %zu.", operation, lines);
	telemetry_event(tel, "file_operation", body, at);
	telemetry_count(tel, "file.operation.count", 1, kind);
}

/* Its name, and the extension that brings it. */
static const struct json *put_server(struct arena *a, const struct json *at,
				     const struct json *settings, const char *name)
{
	static const char *const keys[] = { "extension_name", "extension_id" };
	const struct json *server = json_get(json_getz(settings, "mcpServers"), str_from(name));
	const struct json *from = json_getz(server, EXTENSION_OF_SERVER);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_is(json_getz(from, keys[i]), J_STR))
			at = json_set(a, at, str_from(keys[i]), json_getz(from, keys[i]));
	return put(a, at, "mcp_server_name", name);
}

static void tell_cut(struct turn *t, const struct tool_told *call)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *at = json_set(&a, NULL, STR("tool_name"), json_new_str(&a, call->name));

	at = put_num(&a, at, "original_content_length", (double)call->long_bytes);
	at = put_num(&a, at, "truncated_content_length", (double)call->content_length);
	at = put_num(&a, at, "threshold", (double)call->long_limit);
	AUTO(free) char *body = xasprintf("Tool output truncated for %.*s.", STR_ARG(call->name));
	telemetry_event(t->s->o.telemetry, "tool_output_truncated", body,
			put(&a, at, "prompt_id", t->prompt_id));
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
		tell_cut(t, call);
	if (call->strategy)
		telemetry_event(tel, "edit_strategy",
				arena_printf(a, "Edit Tool Strategy: %s", call->strategy).p,
				put(a, NULL, "strategy", call->strategy));
	at = json_set(a, NULL, STR("function_name"), json_new_str(a, call->name));
	if (telemetry_prompts(tel))
		at = json_set(a, at, STR("function_args"),
			      json_new_str(a, json_text(a, call->args, JSON_PRETTY)));
	at = put_num(a, at, "duration_ms", call->ms);
	at = json_set(a, at, STR("success"), json_new_bool(a, !call->error_type));
	if (call->decision)
		at = put(a, at, "decision", call->decision);
	at = put(a, put(a, at, "prompt_id", t->prompt_id), "tool_type", type_of(call));
	if (call->mcp_server)
		at = put_server(a, at, t->s->o.settings, call->mcp_server);
	if (call->error_type)
		at = tool_failure(a, at, call);
	at = put_num(a, at, "content_length", (double)call->content_length);
	if (call->metadata)
		at = json_set(a, at, STR("metadata"),
			      json_new_str(a, json_text(a, call->metadata, JSON_COMPACT)));
	AUTO(free) char *body = xasprintf(
		"Tool call: %.*s.%s%s%s Success: %s. Duration: %.0fms.", STR_ARG(call->name),
		call->decision ? " Decision: " : "", call->decision ? call->decision : "",
		call->decision ? "." : "", call->error_type ? "false" : "true", call->ms);
	telemetry_event(tel, "tool_call", body, at);
	count_tool(tel, a, call);
}
