#include "workbench/event_args.h"
#include "base/meant.h"

#include <unistd.h>

#include "mcp/mcp.h"
#include "os/fs.h"
#include "tools/registry.h"
#include "tools/schema_check.h"
#include "workbench/products.h"
#include "workbench/tool_names.h"

static int unknown_event(const char *name, struct err *err)
{
	const char *near = dialect_event_nearest(str_from(name));
	AUTO(buf_done) struct buf all = { 0 };
	struct agent_event theirs;

	if (agent_event_find(agent_source("claude"), str_from(name), &theirs))
		return err_set(err, E_INVAL, "Claude Code's %s never fires here", name);
	if (near)
		return err_set(err, E_INVAL, "no event \"%s\"%s", name, meant_as("", near).text);
	for (size_t i = 0; i < EV_COUNT; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", events[i].name);
	return err_set(err, E_INVAL, "no event \"%s\"; the events are %s", name, buf_z(&all));
}

const char *event_names(struct arena *a)
{
	AUTO(buf_done) struct buf text = { 0 };
	size_t begin = 0;
	bool own = false;

	buf_addz(&text, "Events:");
	for (size_t i = 0; i < EV_COUNT; i++) {
		const struct dialect *d = dialect_of_runtime(str_from(events[i].name));

		if (!own && d && d->id == DIALECT_CLAUDE) {
			own = true;
			begin = text.n + 1;
			buf_addz(&text, ".\nOf the claude dialect alone:");
		} else if (i) {
			buf_addc(&text, ',');
		}
		bool fits = text.n - begin + 1 + strlen(events[i].name) < HELP_COLUMNS;
		buf_addc(&text, fits ? ' ' : '\n');
		begin = fits ? begin : text.n;
		buf_addz(&text, events[i].name);
	}
	buf_addz(&text, ".\n");
	return arena_z(a, buf_str(&text));
}

static const char *subject_of(struct arena *a, const struct event *e, const struct json *payload,
			      const struct event_args *args)
{
	const struct json *said = e->subject ? json_getz(payload, e->subject) : NULL;

	if (!e->subject)
		return NULL;
	/* By whatever name the model calls it, hooks are told its own. */
	const struct tool *own =
		args->tool && !args->mcp_server ? tool_find(str_from(args->tool)) : NULL;

	if (args->tool || args->subject)
		return own ? own->name : args->tool ? args->tool : args->subject;
	if (json_is(said, J_STR))
		return arena_z(a, json_str(said, STR("")));
	return args->mcp_server && args->mcp_tool && e->subject_kind == SUBJECT_TOOL
		       ? mcp_tool_name(a, false, args->mcp_server, args->mcp_tool)
		       : e->sample_subject;
}

static int read_object(struct wb *wb, const char *arg, const char *what, struct arena *a,
		       const struct json **ret_v, struct err *err)
{
	int r = wb_json_arg(wb, arg, what, a, ret_v, err);

	if (r == 0 && !json_is(*ret_v, J_OBJ))
		return err_set(err, E_INVAL, "%s must be a JSON object, this is %s", what,
			       json_what(*ret_v));
	if (r == 0 && json_has_nul_name(*ret_v))
		return err_set(err, E_INVAL, "%s has a NUL in a name", what);
	return r;
}

/* What we call the tool that has this name in Claude Code, or NULL. */
static const char *claude_tool(const char *name)
{
	const char *ours = tool_alias(str_from(name));
	const char *theirs = ours ? tool_name_in(TOOLS_CLAUDE, str_from(ours)) : NULL;

	/* Task is what Agent was called before. */
	return theirs && (strcmp(theirs, name) == 0 || strcmp(name, "Task") == 0) ? ours : NULL;
}

/*
 * What a host says of the session; the engine writes it from the event, but a saved payload may
 * have it all the same.
 */
static void take_base_fields(struct event_made *m, struct arena *a)
{
	static const char *const written[] = { "cwd", "hook_event_name", "timestamp",
					       "schema_version", "seq" };
	struct tl_event *e = &m->event;
	const struct {
		const char *key, **into;
	} texts[] = {
		{ "session_id", &e->session_id },
		{ "transcript_path", &e->transcript_path },
		{ "permission_mode", &e->permission_mode },
		{ "turn_id", &e->turn_id },
		{ "tool_call_id", &e->tool_call_id },
		{ "agent_id", &e->agent_id },
		{ "agent_type", &e->agent_type },
		{ "claude_transcript_path", &e->claude_transcript_path },
	};
	static const struct str key = STR("active_skills");
	const struct json *names;
	const char **list;

	e->seq = (uint64_t)json_int(json_getz(m->payload, "seq"), 1);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct json *v = json_getz(m->payload, texts[i].key);

		if (json_is(v, J_STR))
			*texts[i].into = arena_z(a, json_str(v, STR("")));
		m->payload = json_without(a, m->payload, str_from(texts[i].key));
	}
	for (size_t i = 0; i < ARRAY_LEN(written); i++)
		m->payload = json_without(a, m->payload, str_from(written[i]));
	/* The skills whose hooks run: the host knows them, and no payload has them. */
	names = json_get(m->payload, key);
	if (!json_is(names, J_ARR))
		return;
	list = ARENA_ARRAY(a, const char *, names->n + 1);
	for (size_t i = 0; i < names->n; i++)
		list[i] = arena_z(a, json_str(json_at(names, i), STR("")));
	m->event.skills = list;
	m->payload = json_without(a, m->payload, key);
}

/* The files and addresses that the call touches, as a session says them (C2.11). */
static const struct json *with_places(struct arena *a, const char *cwd, const struct tool *t,
				      const struct json *input, const struct json *fields)
{
	AUTO(free) char *real = fs_real(cwd);
	const char *const roots[] = { real ? real : cwd, NULL };
	const struct tool_env env = { .cwd = roots[0], .roots = roots };
	struct tool_call call = { .tool = t, .env = &env, .arena = a, .args = input };
	const struct json *none = json_new_arr(a, NULL, 0), *paths = none, *urls = none, *schema;
	struct err err;

	if (t && json_parse(a, str_from(t->parameters), 0, &schema, NULL) == 0 &&
	    schema_check(schema, input, "params", &err) == 0)
		tool_touches(&call, &paths, &urls);
	return json_pack_more(a, fields, "tool_paths:j tool_urls:j", paths, urls);
}

/* What a session says of a tool that ended, besides its result. */
static const struct json *result_fields(struct arena *a, const struct tool *t, bool failed,
					const struct json *fields)
{
	static const char why[] = "It did not work.";

	if (failed) {
		const struct json *response =
			json_pack(a, "llmContent:z returnDisplay:z error:j", why, why,
				  json_pack(a, "message:z type:z", why, "execution_failed"));

		fields = json_set(a, fields, STR("tool_response"), response);
		return json_set(a, fields, STR("tool_error"), json_pack_str(a, why));
	}
	if (t && t->command_arg) {
		/* As a session words what a command printed: hooks look into it. */
		const struct json *response =
			json_pack(a, "llmContent:z returnDisplay:z",
				  "<untrusted_context>\nOutput: hello\nProcess Group PGID: 4242\n"
				  "</untrusted_context>",
				  "hello");

		fields = json_set(a, fields, STR("tool_response"), response);
		fields = json_set(a, fields, STR("exit_code"), json_new_int(a, 0));
	}
	return fields;
}

bool event_is_answered(const struct tl_hooks *hooks, const struct event_made *m)
{
	struct tl_hook hook = TL_HOOK_INIT();
	bool found = false;

	for (size_t i = 0; tl_hooks_get(hooks, i, &hook) == 0; i++) {
		if (strcmp(hook.moment, m->event.name) == 0)
			return true;
		found |= strcmp(hook.moment, "AfterAgent") == 0 &&
			 strcmp(hook.event, m->event.name) == 0;
	}
	return !found;
}

int event_make(struct wb *wb, struct event_made *m, struct arena *a, const char *name,
	       const struct event_args *given_args, struct err *err)
{
	const struct dialect_event *theirs =
		dialect_event_find(dialect_find(STR("claude")), str_from(name));
	const struct event *e = event_find(str_from(name));
	struct event_args own = *given_args, *args = &own;
	const struct json *fields = json_new_obj(a), *given = NULL, *input = NULL;
	AUTO(free) char *here = getcwd(NULL, 0);
	const char *unknown;
	size_t n = 0;

	if (args->tool && !args->mcp_server && claude_tool(args->tool))
		args->tool = claude_tool(args->tool);
	else if (args->tool && !args->mcp_server && wb &&
		 (unknown = tool_unknown(a, str_from(args->tool))))
		wb_complain(wb, "--tool: %s", unknown);
	if (!e && (!theirs || theirs->when == CASE_NEVER))
		return unknown_event(name, err);
	if (!e) {
		e = &events[theirs->moment];
		args->failed |= theirs->when == CASE_FAILURE;
	}
	if ((args->payload && read_object(wb, args->payload, "--payload", a, &given, err) < 0) ||
	    (args->input && read_object(wb, args->input, "--input", a, &input, err) < 0))
		return -err->code;
	if (input && e->subject_kind != SUBJECT_TOOL)
		return err_set(err, E_INVAL, "--input is for tool events; use --payload for %s",
			       name);
	if (e->sample)
		(void)json_parse(a, str_from(e->sample), 0, &fields, NULL);
	*m = (struct event_made){ .event = {
					  .size = sizeof m->event,
					  .name = e->name,
					  .subject = subject_of(a, e, given, args),
					  .session_id = args->session_id ? args->session_id
									 : "sample-session",
					  .mcp_server = args->mcp_server,
					  .mcp_tool = args->mcp_tool,
					  .failed = args->failed,
				  } };
	if (e->subject_kind == SUBJECT_TOOL) {
		const struct tool *row = tool_find(str_from(m->event.subject));

		if (!input && row && row->example)
			(void)json_parse(a, str_from(row->example), 0, &input, NULL);
		input = input ? input : json_new_obj(a);
		fields = json_set(a, fields, STR("tool_input"), input);
		fields = with_places(a,
				     args->dir ? args->dir
				     : here    ? here
					       : "/",
				     row,
				     given && json_is(json_getz(given, "tool_input"), J_OBJ)
					     ? json_getz(given, "tool_input")
					     : input,
				     fields);
		if (e->id == EV_AFTER_TOOL)
			fields = result_fields(a, row, args->failed, fields);
		/* What a session says of the server, but for how it is reached. */
		if (args->mcp_server)
			fields = json_set(a, fields, STR("mcp_context"),
					  json_pack(a, "server_name:z ?tool_name:z",
						    args->mcp_server, args->mcp_tool));
	}
	m->payload = given ? json_overlay(a, fields, given) : fields;
	take_base_fields(m, a);
	m->fields = ARENA_ARRAY(a, struct tl_field, m->payload->n);
	for (size_t i = 0; i < m->payload->n; i++) {
		const struct json_member *member = &m->payload->members[i];
		struct str text = json_text(a, &member->v, JSON_COMPACT);

		if (!e->subject || !str_eqz(member->key, e->subject))
			m->fields[n++] =
				(struct tl_field){ arena_z(a, member->key), text.p, text.n };
	}
	m->event.fields = m->fields;
	m->event.nfields = n;
	return 0;
}
