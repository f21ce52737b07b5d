#include "claude_fixture.h"

void shot_done(struct shot *s)
{
	tl_outcome_free(s->o);
	tl_hooks_unref(s->hooks);
}

static const char *data_dir(void)
{
	static char dir[1024];
	const char *root = getenv("TEST_SOURCE_ROOT");

	(void)snprintf(dir, sizeof dir, "%s/tests/data/claude", root ? root : ".");
	return dir;
}

struct tl_hooks *load(const char *text)
{
	struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .dialect = "claude", .name = "test",
			       .text = text, .length = strlen(text));
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES, .cwd = "/", .home = "/home/ana",
				.sources = &source, .nsources = 1);
	struct tl_hooks *hooks = NULL;
	struct tl_err err = { 0 };

	if (tl_hooks_load(&o, &hooks, &err) < 0)
		fail_msg("%s", err.text);
	return hooks;
}

struct tl_hooks *load_hook(const struct setup *c)
{
	AUTO(buf_done) struct buf text = { 0 };

	buf_addf(&text,
		 "{\"hooks\":{\"%s\":[{%s%s\"hooks\":[{\"type\":\"command\",\"command\":", c->event,
		 c->def ? c->def : "", c->def ? "," : "");
	(void)json_write_str(&text, str_from(c->command));
	buf_addf(&text, "%s%s}]}]}}", c->extra ? "," : "", c->extra ? c->extra : "");
	return load(buf_z(&text));
}

struct shot fire(const struct setup *c, const struct moment *m)
{
	struct tl_field fields[FIELDS_MAX];
	struct tl_event ev =
		TL_EVENT_INIT(.name = m->event, .subject = m->subject, .session_id = "7d1c",
			      .transcript_path = "/t.json", .fields = fields,
			      .mcp_server = m->server, .mcp_tool = m->tool, .failed = m->failed,
			      .permission_mode = "auto_edit");
	struct shot s = { .hooks = load_hook(c) };
	struct tl_err err = { 0 };

	if (strstr(m->event, "Tool"))
		ev.tool_call_id = "c12";
	for (; ev.nfields < FIELDS_MAX && m->fields[ev.nfields][0]; ev.nfields++)
		fields[ev.nfields] =
			(struct tl_field){ m->fields[ev.nfields][0], m->fields[ev.nfields][1],
					   strlen(m->fields[ev.nfields][1]) };
	if (tl_fire(s.hooks, &ev, NULL, &s.o, &err) < 0)
		fail_msg("%s", err.text);
	s.r.size = sizeof s.r;
	assert_int_equal(tl_outcome_report_get(s.o, 0, &s.r), 0);
	return s;
}

struct shot fire_script(const char *event, const char *script, const struct moment *m)
{
	const char *dot = strrchr(script, '.');
	const char *language = strcmp(dot, ".py") == 0    ? "python3"
			       : strcmp(dot, ".mjs") == 0 ? "node"
							  : "sh";
	AUTO(free) char *found = NULL;
	char command[1200];

	if (!fs_find_program(language, getenv("PATH"), &found))
		fail_msg("%s is missing: tools/deps check", language);
	(void)snprintf(command, sizeof command, "%s/%s", data_dir(), script);
	return fire(&(struct setup){ .event = event, .command = command }, m);
}

struct moment shell_call(const char *args)
{
	return (struct moment){ .event = "BeforeTool",
				.subject = "run_shell_command",
				.fields = { { "tool_input", args } } };
}

struct shot said(const char *json)
{
	AUTO(buf_done) struct buf command = { 0 };
	struct moment m = shell_call("{\"command\":\"ls\"}");

	buf_addf(&command, "printf '%%s' '%s'", json);
	return fire(&(struct setup){ .event = "PreToolUse", .command = buf_z(&command) }, &m);
}

bool has_diagnostic(const struct shot *s, const char *code)
{
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

	for (size_t i = 0; tl_outcome_diagnostic_get(s->o, i, &d) == 0; i++)
		if (strcmp(d.code, code) == 0)
			return true;
	return false;
}
