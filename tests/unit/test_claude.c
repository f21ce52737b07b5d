/*
 * The claude dialect (C3.7, C4.4): real hooks through tl_fire(), among them the
 * acceptance checks of 3.10.  Its cap on blocks of Stop is the host's business and not tested here.
 */
#include "claude_fixture.h"

/* ---- 3.10 ---- */

static void exit_2_denies_with_stderr(void **state)
{
	static const char *const scripts[] = { "rm-guard.sh", "rm-guard.py" };
	struct moment bad = shell_call("{\"command\":\"rm -rf /x\"}");
	struct moment good = shell_call("{\"command\":\"ls\"}");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		AUTO(shot_done) struct shot s = fire_script("PreToolUse", scripts[i], &bad);
		AUTO(shot_done) struct shot t = fire_script("PreToolUse", scripts[i], &good);

		assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_DENY);
		assert_string_equal(tl_outcome_reason(s.o), "rm -rf is not allowed here");
		assert_int_equal(s.r.how, TL_CLASS_BLOCKED);
		assert_int_equal(tl_outcome_verdict(t.o), TL_VERDICT_NONE);
		/* Plain text of a tool's hook is for the log, not for the user. */
		assert_string_equal(tl_outcome_message(t.o), "");
	}
}

static void exit_2_without_a_word_denies(void **state)
{
	struct setup c = { .event = "PreToolUse",
			   .command = "exit 2",
			   .extra = "\"name\":\"mute\"" };
	struct moment m = shell_call("{}");
	AUTO(shot_done) struct shot s = fire(&c, &m);

	(void)state;
	assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_DENY);
	assert_string_equal(tl_outcome_reason(s.o), "blocked by hook mute (exit 2, no message)");
}

static void other_exits_let_it_pass(void **state)
{
	static const char *const commands[] = { "echo oops >&2; exit 1", "echo oops >&2; exit 3" };
	struct moment m = shell_call("{}");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		AUTO(shot_done) struct shot s =
			fire(&(struct setup){ .event = "PreToolUse", .command = commands[i] }, &m);

		assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_NONE);
		assert_int_equal(s.r.how, TL_CLASS_WARNED);
		assert_non_null(strstr(s.r.message, "oops"));
	}
}

static void json_denies(void **state)
{
	struct moment m = { .event = "BeforeTool",
			    .subject = "write_file",
			    .fields = {
				    { "tool_input", "{\"file_path\":\"a\",\"content\":\"\"}" } } };
	AUTO(shot_done) struct shot s = fire_script("PreToolUse", "deny.mjs", &m);

	(void)state;
	assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_DENY);
	assert_string_equal(tl_outcome_reason(s.o), "no");
	assert_int_equal(s.r.how, TL_CLASS_OK);
}

static void matchers_use_claudes_names(void **state)
{
	static const struct {
		const char *matcher, *tool, *server, *name;
		bool fires;
	} cases[] = {
		{ "Edit|Write", "replace", NULL, NULL, true },
		{ "Edit|Write", "write_file", NULL, NULL, true },
		{ "Edit|Write", "read_file", NULL, NULL, false },
		{ "Edit", "NotebookEdit", NULL, NULL, false },
		{ "Edit.*", "NotebookEdit", NULL, NULL, true },
		{ "mcp__stock__.*", "mcp__stock__count", "stock", "count", true },
		{ "mcp__stock", "mcp__stock__count", "stock", "count", false },
		{ "Task", "invoke_agent", NULL, NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char def[64];
		(void)snprintf(def, sizeof def, "\"matcher\":\"%s\"", cases[i].matcher);
		struct moment m = { .event = "BeforeTool",
				    .subject = cases[i].tool,
				    .fields = { { "tool_input", "{}" } },
				    .server = cases[i].server,
				    .tool = cases[i].name };
		AUTO(shot_done) struct shot s = fire(
			&(struct setup){ .event = "PreToolUse", .command = "true", .def = def },
			&m);

		if ((s.r.state == TL_STATE_RAN) != cases[i].fires)
			fail_msg("%s on %s: %s", cases[i].matcher, cases[i].tool,
				 tl_state_name(s.r.state));
	}
}

static void plain_text_is_context_of_a_prompt(void **state)
{
	struct moment m = { .event = "BeforeAgent", .fields = { { "prompt", "\"hi\"" } } };
	AUTO(shot_done) struct shot s = fire_script("UserPromptSubmit", "branch.sh", &m);

	(void)state;
	assert_string_equal(tl_outcome_context(s.o), "branch: main");
	assert_string_equal(tl_outcome_message(s.o), "");
	assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_NONE);
}

static void post_tool_use_comments(void **state)
{
	struct moment m = { .event = "AfterTool",
			    .subject = "write_file",
			    .fields = {
				    { "tool_input", "{\"file_path\":\"a.c\",\"content\":\"\"}" },
				    { "tool_response", "{\"llmContent\":\"done\"}" } } };
	AUTO(shot_done) struct shot s = fire_script("PostToolUse", "lint.py", &m);

	(void)state;
	assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_NONE);
	assert_string_equal(tl_outcome_context(s.o), "lint failed");
	assert_null(tl_outcome_change(s.o, TL_CHANGE_TOOL_RESULT));
}

static void c4_4_updated_input_replaces(void **state)
{
	struct moment m =
		shell_call("{\"command\":\"rm\",\"dir_path\":\"sub\",\"description\":\"x\"}");
	AUTO(shot_done) struct shot s = fire_script("PreToolUse", "rewrite.mjs", &m);
	const char *now = tl_outcome_change(s.o, TL_CHANGE_TOOL_INPUT);

	(void)state;
	assert_non_null(now);
	assert_non_null(strstr(now, "\"command\":\"ls\""));
	assert_non_null(strstr(now, "\"dir_path\":\"sub\""));
	assert_null(strstr(now, "description"));
}

static void timeouts_are_seconds(void **state)
{
	struct setup c = { .event = "PreToolUse",
			   .command = "sleep 0.1; echo late >&2; exit 2",
			   .extra = "\"timeout\":50" };
	struct moment m = shell_call("{}");
	AUTO(shot_done) struct shot s = fire(&c, &m);

	(void)state;
	assert_int_equal(s.r.hook->timeout_ms, 50000);
	assert_string_equal(tl_outcome_reason(s.o), "late");
}

/* ---- verdicts (3.6, 3.7) ---- */

static void pre_tool_use_answers(void **state)
{
	static const struct {
		const char *json;
		enum tl_verdict verdict;
		const char *reason;
		bool approved;
	} cases[] = {
		{ PRE("\"permissionDecision\":\"allow\""), TL_VERDICT_ALLOW, "", true },
		{ PRE("\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"sure?\""),
		  TL_VERDICT_ASK, "sure?", false },
		{ PRE("\"permissionDecision\":\"deny\""), TL_VERDICT_DENY, "No reason provided",
		  false },
		{ PRE("\"permissionDecision\":\"defer\""), TL_VERDICT_DENY, "The call was deferred",
		  false },
		{ PRE("\"permissionDecision\":\"deny\",\"permissionDecisionReason\":null"),
		  TL_VERDICT_DENY, "No reason provided", false },
		{ PRE("\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\","
		      "\"additionalContext\":\"try ls\""),
		  TL_VERDICT_DENY, "no\ntry ls", false },
		{ "{\"decision\":\"approve\",\"reason\":\"fine\"}", TL_VERDICT_ALLOW, "", true },
		{ "{\"decision\":\"block\",\"reason\":\"bad\"}", TL_VERDICT_DENY, "bad", false },
		{ "{\"decision\":\"deny\",\"reason\":\"bad\"}", TL_VERDICT_DENY, "bad", false },
		{ "{\"decision\":\"allow\"}", TL_VERDICT_NONE, "", false },
		{ "{\"decision\":\"block\",\"reason\":\"bad\",\"hookSpecificOutput\":"
		  "{\"permissionDecision\":\"allow\"}}",
		  TL_VERDICT_DENY, "bad", false },
		{ PRE("\"permissionDecision\":\"perhaps\""), TL_VERDICT_NONE, "", false },
		{ "{\"what\":1}", TL_VERDICT_NONE, "", false },
		{ "  \n {\"decision\":\"block\",\"reason\":\"bad\"}", TL_VERDICT_DENY, "bad",
		  false },
		/* The first character decides whether it is read; but a denial is never lost. */
		{ "checking {\"decision\":\"block\"}", TL_VERDICT_NONE, "", false },
		{ "[{\"decision\":\"block\"}]", TL_VERDICT_DENY, "[{\"decision\":\"block\"}]",
		  false },
		{ "\"{\\\\\"decision\\\\\":\\\\\"approve\\\\\"}\"", TL_VERDICT_NONE, "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(shot_done) struct shot s = said(cases[i].json);

		if (tl_outcome_verdict(s.o) != cases[i].verdict ||
		    strcmp(tl_outcome_reason(s.o), cases[i].reason) != 0 ||
		    tl_outcome_approved(s.o) != cases[i].approved || s.r.how != TL_CLASS_OK)
			fail_msg("%s: %s \"%s\" %d %s", cases[i].json,
				 tl_verdict_name(tl_outcome_verdict(s.o)), tl_outcome_reason(s.o),
				 tl_outcome_approved(s.o), tl_class_name(s.r.how));
		assert_string_equal(tl_outcome_message(s.o), "");
	}
}

/* Exit status against JSON, as a PreToolUse hook. */
static void exit_status_and_json(void **state)
{
	static const struct {
		const char *command;
		enum tl_verdict verdict;
		const char *reason;
		enum tl_class how;
	} cases[] = {
		{ "echo '{\"decision\":\"approve\"}'; echo no >&2; exit 2", TL_VERDICT_DENY, "no",
		  TL_CLASS_BLOCKED },
		{ "echo '{\"decision\":\"block\",\"reason\":\"json\"}'; echo no >&2; exit 2",
		  TL_VERDICT_DENY, "json", TL_CLASS_BLOCKED },
		{ "echo '{\"decision\":\"block\"}'; echo no >&2; exit 2", TL_VERDICT_DENY, "no",
		  TL_CLASS_BLOCKED },
		/* A wrong type spoils the answer, but never the exit status. */
		{ "echo '{\"decision\":\"block\",\"reason\":7}'; echo no >&2; exit 2",
		  TL_VERDICT_DENY, "no", TL_CLASS_BLOCKED },
		{ "echo '{\"decision\":\"block\",\"reason\":7}'", TL_VERDICT_DENY,
		  "No reason provided", TL_CLASS_OK },
		{ "echo '{\"decision\":\"approve\",\"reason\":7}'", TL_VERDICT_NONE, "",
		  TL_CLASS_WARNED },
		{ "echo '{\"decision\":\"block\",\"reason\":\"json\"}'; exit 1", TL_VERDICT_DENY,
		  "json", TL_CLASS_OK },
		{ "echo '{}'; exit 1", TL_VERDICT_NONE, "", TL_CLASS_OK },
		{ "echo text; exit 1", TL_VERDICT_NONE, "", TL_CLASS_WARNED },
		{ "kill -9 $$", TL_VERDICT_NONE, "", TL_CLASS_SIGNALLED },
	};
	struct moment m = shell_call("{}");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(shot_done) struct shot s = fire(
			&(struct setup){ .event = "PreToolUse", .command = cases[i].command }, &m);

		if (tl_outcome_verdict(s.o) != cases[i].verdict || s.r.how != cases[i].how ||
		    strcmp(tl_outcome_reason(s.o), cases[i].reason) != 0)
			fail_msg("%s: %s \"%s\" %s", cases[i].command,
				 tl_verdict_name(tl_outcome_verdict(s.o)), tl_outcome_reason(s.o),
				 tl_class_name(s.r.how));
	}
}

static void wrong_types_spoil_the_answer(void **state)
{
	AUTO(shot_done) struct shot s =
		said(PRE("\"permissionDecision\":\"allow\",\"updatedInput\":[1]"));

	(void)state;
	assert_true(has_diagnostic(&s, "wrong-type"));
	assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_NONE);
	assert_null(tl_outcome_change(s.o, TL_CHANGE_TOOL_INPUT));
	assert_int_equal(s.r.how, TL_CLASS_WARNED);
}

static void json_after_text_is_reported(void **state)
{
	AUTO(shot_done) struct shot s = said("hello {\"decision\":\"block\"}");

	(void)state;
	assert_true(has_diagnostic(&s, "json-after-text"));
}

static void stop_message_and_exit_2_together(void **state)
{
	struct setup c = { .event = "PreToolUse",
			   .command = "echo '{\"continue\":false,\"stopReason\":\"enough\","
				      "\"systemMessage\":\"note\"}'; echo no >&2; exit 2" };
	struct moment m = shell_call("{}");
	AUTO(shot_done) struct shot s = fire(&c, &m);

	(void)state;
	assert_true(tl_outcome_stopped(s.o));
	assert_string_equal(tl_outcome_stop_reason(s.o), "enough");
	assert_string_equal(tl_outcome_message(s.o), "note");
	assert_string_equal(tl_outcome_reason(s.o), "no");
}

/* C3.6 */
static void a_guard_that_does_not_speak_json_denies(void **state)
{
	static const char *const commands[] = { "echo all good", "echo '{\"decision\":1}'",
						"echo '{\"decision\":\"perhaps\"}'", "exit 1" };
	struct moment m = shell_call("{}");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		AUTO(shot_done) struct shot s = fire(&(struct setup){ .event = "PreToolUse",
								      .command = commands[i],
								      .extra = "\"guard\":true" },
						     &m);

		if (tl_outcome_verdict(s.o) != TL_VERDICT_DENY)
			fail_msg("%s", commands[i]);
	}
}

/* What exit 2 with "why" on stderr does on each event (3.6). */
static void exit_2_per_event(void **state)
{
	static const struct {
		const char *event;
		struct moment moment;
		enum tl_verdict verdict;
		const char *reason, *context, *message;
	} cases[] = {
		{ "PostToolUse",
		  { .event = "AfterTool", .subject = "glob" },
		  TL_VERDICT_NONE,
		  "",
		  "why",
		  "" },
		{ "PostToolUseFailure",
		  { .event = "AfterTool", .subject = "glob", .failed = 1 },
		  TL_VERDICT_NONE,
		  "",
		  "why",
		  "" },
		{ "UserPromptSubmit", { .event = "BeforeAgent" }, TL_VERDICT_DENY, "why", "", "" },
		{ "Stop", { .event = "AfterAgent" }, TL_VERDICT_DENY, "why", "", "" },
		{ "SubagentStart",
		  { .event = "SubagentStart", .subject = "scout" },
		  TL_VERDICT_NONE,
		  "",
		  "",
		  "why" },
		{ "SubagentStop",
		  { .event = "SubagentStop", .subject = "scout" },
		  TL_VERDICT_DENY,
		  "why",
		  "",
		  "" },
		{ "PermissionRequest",
		  { .event = "PermissionRequest", .subject = "glob" },
		  TL_VERDICT_DENY,
		  "why",
		  "",
		  "" },
		{ "PermissionDenied",
		  { .event = "PermissionDenied", .subject = "glob" },
		  TL_VERDICT_NONE,
		  "",
		  "",
		  "" },
		{ "PostToolBatch", { .event = "PostToolBatch" }, TL_VERDICT_DENY, "why", "", "" },
		{ "SessionStart",
		  { .event = "SessionStart", .subject = "startup" },
		  TL_VERDICT_NONE,
		  "",
		  "",
		  "why" },
		{ "SessionEnd",
		  { .event = "SessionEnd", .subject = "exit" },
		  TL_VERDICT_NONE,
		  "",
		  "",
		  "why" },
		{ "PreCompact",
		  { .event = "PreCompress", .subject = "auto" },
		  TL_VERDICT_DENY,
		  "why",
		  "",
		  "" },
		{ "Notification",
		  { .event = "Notification", .subject = "ToolPermission" },
		  TL_VERDICT_NONE,
		  "",
		  "",
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(shot_done) struct shot s =
			fire(&(struct setup){ .event = cases[i].event,
					      .command = "echo why >&2; exit 2" },
			     &cases[i].moment);

		if (tl_outcome_verdict(s.o) != cases[i].verdict ||
		    strcmp(tl_outcome_reason(s.o), cases[i].reason) != 0 ||
		    strcmp(tl_outcome_context(s.o), cases[i].context) != 0 ||
		    strcmp(tl_outcome_message(s.o), cases[i].message) != 0)
			fail_msg("%s: %s \"%s\" \"%s\" \"%s\"", cases[i].event,
				 tl_verdict_name(tl_outcome_verdict(s.o)), tl_outcome_reason(s.o),
				 tl_outcome_context(s.o), tl_outcome_message(s.o));
	}
}

static void stop_feedback_makes_the_agent_go_on(void **state)
{
	struct setup c = { .event = "Stop",
			   .command = "echo '{\"hookSpecificOutput\":"
				      "{\"additionalContext\":\"more\"}}'" };
	struct moment m = { .event = "AfterAgent" };
	AUTO(shot_done) struct shot s = fire(&c, &m);

	(void)state;
	assert_int_equal(tl_outcome_verdict(s.o), TL_VERDICT_DENY);
	assert_string_equal(tl_outcome_reason(s.o), "more");
}

static void results_are_replaced(void **state)
{
	static const struct {
		const char *json, *result;
		bool mcp;
	} cases[] = {
		{ "{\"updatedToolOutput\":\"short\"}", "short", false },
		{ "{\"updatedToolOutput\":\"\"}", "", false },
		{ "{\"updatedToolOutput\":{\"stdout\":\"a\",\"stderr\":\"b\"}}", "a\nb", false },
		{ "{\"updatedToolOutput\":{\"content\":\"text\"}}", "text", false },
		{ "{\"updatedToolOutput\":{\"n\":1}}", "{\"n\":1}", false },
		{ "{\"updatedToolOutput\":7}", NULL, false },
		{ "{\"updatedToolOutput\":[1]}", NULL, false },
		{ "{\"updatedToolOutput\":false}", NULL, false },
		{ "{\"updatedMCPToolOutput\":7}", NULL, true },
		{ "{\"updatedMCPToolOutput\":\"x\"}", NULL, false },
		{ "{\"updatedMCPToolOutput\":[{\"type\":\"text\",\"text\":\"x\"}]}", "x", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char command[256];
		struct moment m = { .event = "AfterTool",
				    .subject = "t",
				    .fields = { { "tool_response", "{\"llmContent\":\"long\"}" } },
				    .server = cases[i].mcp ? "s" : NULL,
				    .tool = cases[i].mcp ? "t" : NULL };
		(void)snprintf(command, sizeof command, "echo '{\"hookSpecificOutput\":%s}'",
			       cases[i].json);
		AUTO(shot_done) struct shot s =
			fire(&(struct setup){ .event = "PostToolUse", .command = command }, &m);
		const char *result = tl_outcome_change(s.o, TL_CHANGE_TOOL_RESULT);

		if (!result != !cases[i].result || (result && strcmp(result, cases[i].result) != 0))
			fail_msg("%s: %s", cases[i].json, result ? result : "nothing");
	}
}

/* C4.14 */
static void long_context_is_cut(void **state)
{
	struct setup c = { .event = "SessionStart",
			   .command = "head -c 20000 /dev/zero | tr '\\0' x" };
	struct moment m = { .event = "SessionStart", .subject = "startup" };
	AUTO(shot_done) struct shot s = fire(&c, &m);

	(void)state;
	assert_in_range(strlen(tl_outcome_context(s.o)), 10000, 10100);
	assert_non_null(strstr(tl_outcome_context(s.o), "10000 more characters"));
}

/* ---- payloads (3.5): the hook says on stderr what it was given ---- */

static void payload_is(const char *event, const struct moment *m, const char *const *parts)
{
	AUTO(shot_done) struct shot s =
		fire(&(struct setup){ .event = event, .command = "cat >&2" }, m);
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v;

	assert_int_equal(s.r.state, TL_STATE_RAN);
	assert_int_equal(s.r.errors[s.r.errors_length - 1], '\n');
	assert_int_equal(json_parse(&a, str_from(s.r.errors), 0, &v, NULL), 0);
	assert_true(str_eqz(json_get_str(v, "hook_event_name"), event));
	for (size_t i = 0; parts[i]; i++)
		if (!strstr(s.r.errors, parts[i]))
			fail_msg("%s: no %s in %s", event, parts[i], s.r.errors);
}

#define PARTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void payload_of_tools(void **state)
{
	struct moment pre = { .event = "BeforeTool",
			      .subject = "replace",
			      .fields = { { "tool_input",
					    "{\"file_path\":\"src/a.ts\",\"instruction\":"
					    "\"rename\",\"old_string\":\"foo\","
					    "\"new_string\":\"bar\"}" } } };
	struct moment mcp = { .event = "BeforeTool",
			      .subject = "mcp_s_t",
			      .server = "s",
			      .tool = "t",
			      .fields = { { "tool_input", "{\"path\":\"x\"}" },
					  { "mcp_context", "{\"server_name\":\"s\"}" } } };
	struct moment post = { .event = "AfterTool",
			       .subject = "run_shell_command",
			       .fields = { { "tool_input",
					     "{\"command\":\"ls\",\"is_background\":true}" },
					   { "tool_response", "{\"llmContent\":[{\"text\":\"a\"},"
							      "{\"text\":\"b\"}]}" } } };
	struct moment failed = {
		.event = "AfterTool",
		.subject = "glob",
		.failed = 1,
		.fields = { { "tool_input", "{\"pattern\":\"*\"}" },
			    { "tool_response", "{\"llmContent\":\"\",\"error\":{"
					       "\"message\":\"boom\",\"type\":\"cancelled\"}}" } }
	};

	(void)state;
	payload_is("PreToolUse", &pre,
		   PARTS("\"session_id\":\"7d1c\"", "\"transcript_path\":\"/t.json\"",
			 "\"cwd\":\"/\"", "\"permission_mode\":\"acceptEdits\"",
			 "\"tool_use_id\":\"toolu_c12\"", "\"tool_name\":\"Edit\"",
			 "\"file_path\":\"/src/a.ts\"", "\"replace_all\":false",
			 "\"instruction\":\"rename\"", "\"tool_call_id\":\"c12\"",
			 "\"timestamp\":\"", "\"schema_version\":1"));
	payload_is("PreToolUse", &mcp,
		   PARTS("\"tool_name\":\"mcp__s__t\"", "\"tool_input\":{\"path\":\"x\"}",
			 "\"mcp_context\":{\"server_name\":\"s\"}"));
	payload_is(
		"PostToolUse", &post,
		PARTS("\"run_in_background\":true",
		      "\"tool_response\":{\"stdout\":\"a\\nb\",\"stderr\":\"\",\"interrupted\":false,"
		      "\"isImage\":false}"));
	payload_is("PostToolUseFailure", &failed,
		   PARTS("\"error\":\"boom\"", "\"is_interrupt\":true"));
}

static void payload_of_other_events(void **state)
{
	struct moment prompt = { .event = "BeforeAgent", .fields = { { "prompt", "\"hi\"" } } };
	struct moment stop = { .event = "AfterAgent",
			       .fields = { { "prompt_response", "\"bye\"" },
					   { "stop_hook_active", "true" } } };
	struct moment note = { .event = "Notification",
			       .subject = "ToolPermission",
			       .fields = { { "message", "\"may I\"" },
					   { "details", "{\"title\":\"Shell\"}" } } };
	struct moment start = { .event = "SessionStart",
				.subject = "resume",
				.fields = { { "model", "\"m1\"" } } };
	struct moment end = { .event = "SessionEnd", .subject = "exit" };
	struct moment compact = { .event = "PreCompress", .subject = "manual" };
	struct moment agent = { .event = "AfterTool",
				.subject = "invoke_agent",
				.fields = { { "tool_input", "{\"agent_name\":\"scout\"}" },
					    { "tool_response", "{\"llmContent\":\"found\"}" } } };
	struct moment began = { .event = "SubagentStart", .subject = "scout" };
	struct moment ended = { .event = "SubagentStop",
				.subject = "scout",
				.fields = { { "agent_transcript_path", "\"/t\"" },
					    { "stop_hook_active", "true" },
					    { "last_assistant_message", "\"found\"" } } };

	(void)state;
	payload_is("UserPromptSubmit", &prompt, PARTS("\"prompt\":\"hi\""));
	payload_is("Stop", &stop,
		   PARTS("\"stop_hook_active\":true", "\"last_assistant_message\":\"bye\"",
			 "\"background_tasks\":[]", "\"session_crons\":[]"));
	payload_is("Notification", &note,
		   PARTS("\"message\":\"may I\"", "\"title\":\"Shell\"",
			 "\"notification_type\":\"permission_prompt\""));
	payload_is("SessionStart", &start, PARTS("\"source\":\"resume\"", "\"model\":\"m1\""));
	payload_is("SessionEnd", &end, PARTS("\"reason\":\"other\""));
	payload_is("PreCompact", &compact,
		   PARTS("\"trigger\":\"manual\"", "\"custom_instructions\":\"\""));
	payload_is("SubagentStart", &began, PARTS("\"agent_type\":\"scout\""));
	payload_is("SubagentStop", &ended,
		   PARTS("\"agent_type\":\"scout\"", "\"stop_hook_active\":true",
			 "\"agent_transcript_path\":\"/t\"",
			 "\"last_assistant_message\":\"found\""));
	payload_is("PostToolUse", &agent,
		   PARTS("\"tool_name\":\"Agent\"",
			 "\"tool_response\":{\"status\":\"completed\",\"agentId\":\"c12\","
			 "\"agentType\":\"scout\",\"prompt\":\"\",\"content\":"
			 "[{\"type\":\"text\",\"text\":\"found\"}],\"totalDurationMs\":0}"));
}

/* C4.12: what an earlier hook made of the arguments is what the next one reads. */
static void c4_12_sequential_hooks_see_changes(void **state)
{
	static const char text[] =
		"{\"hooks\":{\"PreToolUse\":[{\"sequential\":true,\"hooks\":["
		"{\"type\":\"command\",\"command\":\"echo '{\\\"hookSpecificOutput\\\":"
		"{\\\"updatedInput\\\":{\\\"file_path\\\":\\\"/y\\\",\\\"limit\\\":3}}}'\"},"
		"{\"type\":\"command\",\"command\":\"cat >&2\"}]}]}}";
	struct tl_field field = { "tool_input", "{\"file_path\":\"x\"}", 17 };
	struct tl_event ev = TL_EVENT_INIT(.name = "BeforeTool", .subject = "read_file",
					   .fields = &field, .nfields = 1);
	struct shot s = { .hooks = load(text), .r.size = sizeof s.r };

	(void)state;
	assert_int_equal(tl_fire(s.hooks, &ev, NULL, &s.o, NULL), 0);
	assert_int_equal(tl_outcome_report_get(s.o, 1, &s.r), 0);
	assert_non_null(strstr(s.r.errors, "\"file_path\":\"/y\""));
	assert_non_null(strstr(s.r.errors, "\"limit\":3"));
	assert_non_null(strstr(tl_outcome_change(s.o, TL_CHANGE_TOOL_INPUT), "\"end_line\":3"));
	shot_done(&s);
}

/* Of this dialect, at this event, where the word counts and is waited for. */
static void env_file_is_for_session_start(void **state)
{
	static const struct {
		const char *settings, *event, *subject, *dialect;
		bool has;
	} cases[] = {
		{ "SessionStart", "SessionStart", "startup", "", true },
		{ "SessionStart", "SessionStart", "startup", ",\"mode\":\"observe\"", false },
		{ "Setup", "Setup", "init", "", true },
		{ "SessionEnd", "SessionEnd", "exit", "", false },
		{ "PreToolUse", "BeforeTool", "glob", "", false },
		{ "SessionStart", "SessionStart", "startup", ",\"dialect\":\"gemini\"", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct str text = arena_printf(
			&a,
			"{\"hooks\":{\"%s\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
			"\"echo ${CLAUDE_ENV_FILE-unset}; exit 1\"%s}]}]}}",
			cases[i].settings, cases[i].dialect);
		struct tl_hooks *hooks = load(text.p);
		struct tl_event ev =
			TL_EVENT_INIT(.name = cases[i].event, .subject = cases[i].subject,
				      .env_file = "/the/file");
		struct tl_report r = TL_REPORT_INIT();
		struct tl_outcome *o;

		assert_int_equal(tl_fire(hooks, &ev, NULL, &o, NULL), 0);
		assert_int_equal(tl_outcome_report_get(o, 0, &r), 0);
		assert_string_equal(r.output, cases[i].has ? "/the/file\n" : "unset\n");
		tl_outcome_free(o);
		/* A host of before the member was there. */
		ev.size = offsetof(struct tl_event, env_file);
		assert_int_equal(tl_fire(hooks, &ev, NULL, &o, NULL), 0);
		assert_int_equal(tl_outcome_report_get(o, 0, &r), 0);
		assert_string_equal(r.output, "unset\n");
		tl_outcome_free(o);
		tl_hooks_unref(hooks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_2_denies_with_stderr),
		cmocka_unit_test(exit_2_without_a_word_denies),
		cmocka_unit_test(other_exits_let_it_pass),
		cmocka_unit_test(json_denies),
		cmocka_unit_test(matchers_use_claudes_names),
		cmocka_unit_test(plain_text_is_context_of_a_prompt),
		cmocka_unit_test(post_tool_use_comments),
		cmocka_unit_test(c4_4_updated_input_replaces),
		cmocka_unit_test(timeouts_are_seconds),
		cmocka_unit_test(pre_tool_use_answers),
		cmocka_unit_test(exit_status_and_json),
		cmocka_unit_test(wrong_types_spoil_the_answer),
		cmocka_unit_test(json_after_text_is_reported),
		cmocka_unit_test(stop_message_and_exit_2_together),
		cmocka_unit_test(a_guard_that_does_not_speak_json_denies),
		cmocka_unit_test(exit_2_per_event),
		cmocka_unit_test(stop_feedback_makes_the_agent_go_on),
		cmocka_unit_test(results_are_replaced),
		cmocka_unit_test(long_context_is_cut),
		cmocka_unit_test(payload_of_tools),
		cmocka_unit_test(payload_of_other_events),
		cmocka_unit_test(c4_12_sequential_hooks_see_changes),
		cmocka_unit_test(env_file_is_for_session_start),
	};

	return cmocka_run_group_tests_name("claude", tests, NULL, NULL);
}
