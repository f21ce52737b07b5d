#include "workbench/event_args.h"

#include "mcp/mcp.h"
#include "tools/registry.h"
#include "workbench/products.h"

/* A payload for every event, as a real session would send it. */
static const struct sample {
	const char *event, *subject, *fields;
} samples[] = {
	{ "BeforeTool", "run_shell_command", "{}" },
	{ "AfterTool", "run_shell_command",
	  "{\"tool_input\":{},\"tool_response\":{\"llmContent\":\"hello\\n\","
	  "\"returnDisplay\":\"hello\\n\"}}" },
	{ "BeforeAgent", NULL, "{\"prompt\":\"Explain what this project does.\"}" },
	{ "AfterAgent", NULL,
	  "{\"prompt\":\"Explain what this project does.\",\"prompt_response\":"
	  "\"It is a small example.\",\"stop_hook_active\":false}" },
	{ "BeforeModel", NULL,
	  "{\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
	  "\"content\":\"Explain what this project does.\"}],\"config\":{\"temperature\":1,"
	  "\"topP\":0.95,\"topK\":64}}}" },
	{ "BeforeToolSelection", NULL,
	  "{\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
	  "\"content\":\"Explain what this project does.\"}],\"config\":{}}}" },
	{ "AfterModel", NULL,
	  "{\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
	  "\"content\":\"Explain what this project does.\"}],\"config\":{}},\"llm_response\":"
	  "{\"text\":\"It is a small example.\",\"candidates\":[{\"content\":{\"role\":\"model\","
	  "\"parts\":[\"It is a small example.\"]},\"finishReason\":\"STOP\",\"index\":0}]}}" },
	{ "SessionStart", "startup", "{}" },
	{ "SessionEnd", "exit", "{}" },
	{ "Notification", "ToolPermission",
	  "{\"message\":\"Tool Shell requires execution\",\"details\":{\"type\":\"exec\","
	  "\"title\":\"Confirm Shell Command\",\"command\":\"ls\",\"rootCommand\":\"ls\"}}" },
	{ "PreCompress", "manual", "{}" },
	{ "Stop", NULL, "{\"stop_reason\":\"response_complete\",\"session_duration\":\"\"}" },
};

/* What somebody who comes from Claude Code types. */
static const struct {
	const char *claude, *ours;
} tool_names[] = {
	{ "Bash", "run_shell_command" },
	{ "Edit", "replace" },
	{ "Glob", "glob" },
	{ "Grep", "grep_search" },
	{ "LS", "list_directory" },
	{ "Read", "read_file" },
	{ "Task", "invoke_agent" },
	{ "TodoWrite", "write_todos" },
	{ "WebFetch", "web_fetch" },
	{ "WebSearch", "google_web_search" },
	{ "Write", "write_file" },
};

static const struct sample *sample_find(const char *event)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		if (strcmp(samples[i].event, event) == 0)
			return &samples[i];
	return NULL;
}

static int unknown_event(const char *name, struct err *err)
{
	const struct agent *claude = agent_source("claude");
	const struct agent_event *known = agent_event_find(claude, str_from(name));
	const char *names[ARRAY_LEN(samples)];
	AUTO(buf_done) struct buf all = { 0 };
	const char *near;

	if (known && known->gemini)
		return err_set(err, E_INVAL, "%s's %s is %s here", claude->title, name,
			       known->gemini);
	if (known)
		return err_set(err, E_INVAL, "%s's %s has no moment here", claude->title, name);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		names[i] = samples[i].event;
	near = str_nearest(str_from(name), names, ARRAY_LEN(names));
	if (near)
		return err_set(err, E_INVAL, "there is no event \"%s\"; did you mean %s?", name,
			       near);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	return err_set(err, E_INVAL, "there is no event \"%s\"; there are: %s", name, buf_z(&all));
}

static const struct json *sample_input(struct arena *a, const char *tool)
{
	const struct json *v = NULL;

	const struct tool *row = tool_find(str_from(tool));

	if (row && row->example)
		(void)json_parse(a, str_from(row->example), 0, &v, NULL);
	return v ? v : json_new_obj(a);
}

/* What a session says of the server, but for how it is reached. */
static const struct json *sample_context(struct arena *a, const struct event_args *args)
{
	const struct json *v = json_new_obj(a);

	v = json_set(a, v, STR("server_name"), json_new_str(a, str_from(args->mcp_server)));
	if (!args->mcp_tool)
		return v;
	return json_set(a, v, STR("tool_name"), json_new_str(a, str_from(args->mcp_tool)));
}

/* The name of the field that matchers look at: "tool_name", "source"...; "" when there is none. */
static const char *subject_field(const char *event)
{
	struct tl_event_info info = TL_EVENT_INFO_INIT();

	for (size_t i = 0; i < tl_event_count(); i++)
		if (tl_event_get(i, &info) == 0 && strcmp(info.name, event) == 0)
			return info.subject;
	return "";
}

static const char *subject_of(struct arena *a, const struct sample *s, const char *field,
			      const struct json *payload, const struct event_args *args)
{
	const struct json *said = json_getz(payload, field);

	if (!s->subject)
		return NULL;
	if (args->tool || args->subject)
		return args->tool ? args->tool : args->subject;
	if (!json_is(said, J_STR) && args->mcp_server && args->mcp_tool &&
	    strcmp(field, "tool_name") == 0)
		return mcp_tool_name(a, false, args->mcp_server, args->mcp_tool);
	return json_is(said, J_STR) ? arena_z(a, json_str(said, STR(""))) : s->subject;
}

static int read_object(struct wb *wb, const char *arg, const char *what, struct arena *a,
		       const struct json **ret_v, struct err *err)
{
	int r = wb_json_arg(wb, arg, what, a, ret_v, err);

	if (r == 0 && !json_is(*ret_v, J_OBJ))
		return err_set(err, E_INVAL, "%s must be a JSON object, this is %s", what,
			       json_type_name(*ret_v));
	return r;
}

static void set_fields(struct event_made *m, struct arena *a, const char *subject_name)
{
	size_t n = 0;

	m->fields = ARENA_ARRAY(a, struct tl_field, m->payload->n);
	for (size_t i = 0; i < m->payload->n; i++) {
		const struct json_member *member = &m->payload->members[i];
		struct str text;

		if (str_eqz(member->key, subject_name))
			continue;
		text = json_text(a, &member->v, JSON_COMPACT);
		m->fields[n++] = (struct tl_field){ arena_z(a, member->key), text.p, text.n };
	}
	m->event.fields = m->fields;
	m->event.nfields = n;
}

/* What a host says of the session; the engine writes it from the event. */
static void take_text(struct arena *a, const struct json *payload, const char *key,
		      const char **into)
{
	const struct json *v = json_getz(payload, key);

	if (json_is(v, J_STR))
		*into = arena_z(a, json_str(v, STR("")));
}

/* The engine writes the base fields itself; a saved payload may have them all the same. */
static void take_base_fields(struct event_made *m, struct arena *a)
{
	static const char *const written[] = {
		"session_id",      "transcript_path", "cwd",
		"hook_event_name", "timestamp",       "schema_version",
		"permission_mode", "turn_id",         "seq",
		"agent_id",        "agent_type",
	};
	struct tl_event *e = &m->event;

	take_text(a, m->payload, "session_id", &e->session_id);
	take_text(a, m->payload, "transcript_path", &e->transcript_path);
	take_text(a, m->payload, "permission_mode", &e->permission_mode);
	take_text(a, m->payload, "turn_id", &e->turn_id);
	take_text(a, m->payload, "agent_id", &e->agent_id);
	take_text(a, m->payload, "agent_type", &e->agent_type);
	e->seq = (uint64_t)json_int(json_getz(m->payload, "seq"), 0);
	for (size_t i = 0; i < ARRAY_LEN(written); i++)
		m->payload = json_without(a, m->payload, str_from(written[i]));
}

const char *event_tool_remark(struct arena *a, const struct event_args *args)
{
	if (!args->tool || args->mcp_server)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(tool_names); i++)
		if (strcmp(args->tool, tool_names[i].claude) == 0)
			return arena_printf(a,
					    "Claude Code's %s is --tool %s here; no tool is called "
					    "%s",
					    tool_names[i].claude, tool_names[i].ours,
					    tool_names[i].claude)
				.p;
	return NULL;
}

int event_make(struct wb *wb, struct event_made *m, struct arena *a, const char *name,
	       const struct event_args *args, struct err *err)
{
	const struct sample *s = sample_find(name);
	const struct json *fields = NULL, *given = NULL, *input = NULL;
	const char *field;
	bool is_tool;
	int r;

	if (!s)
		return unknown_event(name, err);
	if (args->payload) {
		r = read_object(wb, args->payload, "--payload", a, &given, err);
		if (r < 0)
			return r;
	}
	if (args->input) {
		r = read_object(wb, args->input, "--input", a, &input, err);
		if (r < 0)
			return r;
	}
	(void)json_parse(a, str_from(s->fields), 0, &fields, NULL);
	field = subject_field(name);
	is_tool = strcmp(field, "tool_name") == 0;
	*m = (struct event_made){ .event = {
					  .size = sizeof m->event,
					  .name = s->event,
					  .subject = subject_of(a, s, field, given, args),
					  .session_id = args->session_id ? args->session_id
									 : "sample-session",
					  .mcp_server = args->mcp_server,
					  .mcp_tool = args->mcp_tool,
					  .failed = args->failed,
				  } };
	if (is_tool)
		fields = json_set(a, fields, STR("tool_input"),
				  input ? input : sample_input(a, m->event.subject));
	if (is_tool && args->mcp_server)
		fields = json_set(a, fields, STR("mcp_context"), sample_context(a, args));
	if (!is_tool && input)
		return err_set(err, E_INVAL, "--input is for tool events; use --payload for %s",
			       name);
	m->payload = given ? json_overlay(a, fields, given) : fields;
	take_base_fields(m, a);
	set_fields(m, a, field);
	return 0;
}
