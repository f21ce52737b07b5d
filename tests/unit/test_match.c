/* Matchers (contract section 5): what a hook concerns, by the public API. */
#include "engine_fixture.h"

#include "hooks/config.h"
#include "os/clock.h"

/* One hook with this matcher on this event, in this dialect. */
static struct tl_hooks *with_matcher(const char *dialect, const char *event, const char *matcher,
				     const char *more)
{
	AUTO(buf_done) struct buf m = { 0 };

	assert_int_equal(json_write_str(&m, str_from(matcher)), 0);
	const char *text = fx_fmt("{\"hooks\":{\"%s\":[{\"matcher\":%s,"
				  "\"hooks\":[{\"type\":\"command\",\"command\":\"true\"%s%s}]}]}}",
				  event, buf_z(&m), *more ? "," : "", more);
	struct tl_source s =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .dialect = dialect, .name = "settings.json",
			       .text = text, .length = strlen(text));
	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .sources = &s, .nsources = 1);
}

static bool wants(struct tl_hooks *h, const char *event, const char *subject)
{
	struct tl_event e = TL_EVENT_INIT(.name = event, .subject = subject);

	return tl_wants(h, &e);
}

static bool matches(const char *dialect, const char *event, const char *matcher,
		    const char *subject)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = with_matcher(dialect, event, matcher, "");

	return wants(h, event, subject);
}

/* C5.1: trimmed; absent, empty and * are everything; else an unanchored pattern that minds case. */
static void c5_1_tool_matchers(void **state)
{
	static const struct {
		const char *dialect, *event, *matcher, *subject;
		bool yes;
	} cases[] = {
		{ "gemini", "BeforeTool", "", "write_file", true },
		{ "gemini", "BeforeTool", "   ", "write_file", true },
		{ "gemini", "BeforeTool", "*", "write_file", true },
		{ "gemini", "BeforeTool", " \t* ", "write_file", true },
		{ "gemini", "BeforeTool", " write_file ", "write_file", true },
		{ "gemini", "BeforeTool", "write_file", "my_write_file_2", true },
		{ "gemini", "AfterTool", "write", "write_file", true },
		{ "gemini", "BeforeTool", "^write$", "write_file", false },
		{ "gemini", "BeforeTool", "WRITE_FILE", "write_file", false },
		{ "tabnine", "BeforeTool", "WRITE_FILE", "write_file", false },
		{ "terminai", "BeforeTool", "write_.*|replace", "replace", true },
		{ "gemini", "BeforeTool", "^(?!write)", "replace", true },
		{ "gemini", "BeforeTool", "^(?!write)", "write_file", false },
		{ "gemini", "BeforeTool", "\\bfile\\b", "write_file", false },
		{ "jpfork", "PreToolUse", "WRITE_FILE", "write_file", true },
		{ "gemini", "BeforeTool", "[", "a[b", false },
		{ "gemini", "BeforeTool", "[", "[", true },
		{ "gemini", "BeforeTool", "*foo", "*foo", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			with_matcher(cases[i].dialect, cases[i].event, cases[i].matcher, "");
		const char *event =
			strcmp(cases[i].event, "AfterTool") ? "BeforeTool" : "AfterTool";

		if (wants(h, event, cases[i].subject) != cases[i].yes)
			fail_msg("%s: \"%s\" against \"%s\"", cases[i].dialect, cases[i].matcher,
				 cases[i].subject);
	}
}

/* C5.1: an absent matcher and null are everything. */
static void c5_1_absent_is_everything(void **state)
{
	static const char *const texts[] = {
		"'hooks':[{'type':'command','command':'true'}]",
		"'matcher':null,'hooks':[{'type':'command','command':'true'}]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(
			TL_TIER_USER, NULL, fx_fmt("{'hooks':{'BeforeTool':[{%s}]}}", texts[i]));

		assert_true(wants(h, "BeforeTool", "anything"));
	}
}

/* C5.1: a pattern that does not compile is said at load, with its place. */
static void c5_1_invalid_pattern_is_reported(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = with_matcher("gemini", "BeforeTool", "a(b", "");
	const struct tl_diagnostic *d = fx_diag(h, "invalid-regex");

	(void)state;
	assert_non_null(d);
	assert_string_equal(d->path, "hooks.BeforeTool[0].matcher");
	assert_string_equal(d->file, "settings.json");
	assert_int_equal(d->line, 1);
	fx_assert_has(d->text, "literally");
	assert_true(wants(h, "BeforeTool", "a(b"));
	assert_false(wants(h, "BeforeTool", "ab"));
}

/* C5.1: lifecycle matchers are compared exactly, whole or alternative by alternative. */
static void c5_1_lifecycle_is_exact(void **state)
{
	static const struct {
		const char *event, *matcher, *subject;
		bool yes;
	} cases[] = {
		{ "SessionStart", "startup", "startup", true },
		{ "SessionStart", " startup ", "startup", true },
		{ "SessionStart", "start", "startup", false },
		{ "SessionStart", "start.*", "startup", false },
		{ "SessionStart", "Startup", "startup", false },
		{ "SessionStart", "startup|resume", "resume", true },
		{ "SessionStart", "startup | resume", "resume", true },
		{ "SessionStart", "startup|resume", "clear", false },
		{ "SessionStart", "*", "clear", true },
		{ "SessionEnd", "exit|logout", "logout", true },
		{ "SessionEnd", "exit|logout", "other", false },
		{ "PreCompress", "auto", "auto", true },
		{ "PreCompress", "auto", "manual", false },
		{ "Notification", "ToolPermission", "ToolPermission", true },
		{ "Notification", "ToolPermission", "idle_prompt", false },
		{ "Notification", "idle_prompt|ToolPermission", "idle_prompt", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (matches("gemini", cases[i].event, cases[i].matcher, cases[i].subject) !=
		    cases[i].yes)
			fail_msg("%s \"%s\" against \"%s\"", cases[i].event, cases[i].matcher,
				 cases[i].subject);
}

/* C5.1: a matcher that can never match gets a diagnostic, one that can does not. */
static void c5_1_never_matching_is_reported(void **state)
{
	static const struct {
		const char *event, *matcher;
		bool never;
	} cases[] = {
		{ "SessionStart", "start.*", true },   { "SessionStart", "startup|x", false },
		{ "SessionEnd", "startup", true },     { "SessionEnd", "|", true },
		{ "PreCompress", "Auto", true },       { "PreCompress", "manual", false },
		{ "Notification", "whatever", false }, { "BeforeTool", "never", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			with_matcher("gemini", cases[i].event, cases[i].matcher, "");
		const struct tl_diagnostic *d = fx_diag(h, "never-matches");

		if (!!d != cases[i].never)
			fail_msg("%s \"%s\"", cases[i].event, cases[i].matcher);
		if (d)
			assert_string_equal(d->path, fx_fmt("hooks.%s[0].matcher", cases[i].event));
	}
}

/* C5.1: agent and model events have nothing to match; the matcher is ignored, with a note. */
static void c5_1_agent_and_model_matchers_are_ignored(void **state)
{
	static const char *const names[] = { "BeforeAgent", "AfterAgent", "BeforeModel",
					     "BeforeToolSelection", "AfterModel" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			with_matcher("gemini", names[i], "zzz[", "");
		const struct tl_diagnostic *d = fx_diag(h, "matcher-ignored");

		assert_non_null(d);
		assert_int_equal(d->severity, TL_SEVERITY_NOTE);
		assert_true(wants(h, names[i], NULL));
	}
}

/* C5.2: both spellings of an MCP tool match, whichever the host calls it by. */
static void c5_2_both_spellings_match(void **state)
{
	static const char *const matchers[] = { "mcp__my_server__do_it", "mcp_my_server_do_it",
						"^mcp__my_server__", "^mcp_my_server_", "do_it$" };
	static const char *const subjects[] = { "mcp__my_server__do_it", "mcp_my_server_do_it" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(matchers); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			with_matcher("gemini", "BeforeTool", matchers[i], "");

		for (size_t k = 0; k < ARRAY_LEN(subjects); k++) {
			struct tl_event e =
				TL_EVENT_INIT(.name = "BeforeTool", .subject = subjects[k],
					      .mcp_server = "my_server", .mcp_tool = "do_it");

			if (!tl_wants(h, &e))
				fail_msg("%s against %s", matchers[i], subjects[k]);
		}
		/* Even a host that does not say whose tool it is. */
		assert_true(wants(h, "BeforeTool", "mcp__my_server__do_it"));
		assert_false(wants(h, "BeforeTool", "mcp__other__tool"));
	}
}

/* C5.2: the other spelling of a name that was cleaned or cut is cleaned and cut, too. */
static void c5_2_cleaned_names_match(void **state)
{
#define FIFTY "12345678901234567890123456789012345678901234567890"
	static const struct {
		const char *server, *tool, *long_name, *short_name;
	} cases[] = {
		{ "my server", "do/it", "mcp__my_server__do_it", "mcp_my_server_do_it" },
		{ "s", "\xf0\x9f\x98\x80.x", "mcp__s____.x", "mcp_s___.x" },
		{ "server", FIFTY "abcd",
		  "mcp__server__12345678901234567...56789012345678901234567890abcd",
		  "mcp_server_1234567890123456789...56789012345678901234567890abcd" },
		/* Only one of them is too long. */
		{ "server", FIFTY "ab",
		  "mcp__server__12345678901234567...3456789012345678901234567890ab",
		  "mcp_server_" FIFTY "ab" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *const names[] = { cases[i].long_name, cases[i].short_name };

		for (size_t k = 0; k < 4; k++) {
			AUTO(tl_hooks_unref) struct tl_hooks *h =
				with_matcher("gemini", "BeforeTool", names[k / 2], "");
			struct tl_event e =
				TL_EVENT_INIT(.name = "BeforeTool", .subject = names[k % 2],
					      .mcp_server = cases[i].server,
					      .mcp_tool = cases[i].tool);

			if (!tl_wants(h, &e))
				fail_msg("%s against %s", names[k / 2], names[k % 2]);
		}
	}
}

/* C5.2: the payload has the name that the host uses, and mcp_context as it came. */
static void c5_2_payload_has_name_and_context(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("cat", "");
	static const char context[] = "{\"server_name\":\"s\",\"tool_name\":\"t\"}";
	struct tl_field f[] = { { "tool_input", "{}", 2 },
				{ "mcp_context", context, sizeof context - 1 } };
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "BeforeTool", .subject = "mcp_s_t", .mcp_server = "s",
			.mcp_tool = "t", .fields = f, .nfields = 2);

	(void)state;
	fx_assert_has(fx_report(o, 0).output, "\"tool_name\":\"mcp_s_t\"");
	fx_assert_has(fx_report(o, 0).output, context);
}

/* C5.2: mcp.toolNaming: "single" is understood; anything else is the long name. */
static void c5_2_tool_naming(void **state)
{
	static const struct {
		const char *text;
		bool single;
	} cases[] = {
		{ "{'mcp':{'toolNaming':'single'}}", true },
		{ "{'mcp':{'toolNaming':'double'}}", false },
		{ "{'mcp':{'toolNaming':7}}", false },
		{ "{}", false },
	};
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			fx_load_text(TL_TIER_USER, NULL, cases[i].text);

		assert_int_equal(h->set.mcp_single, cases[i].single);
	}
	assert_string_equal(mcp_name(&a, "s", "t", true).p, "mcp_s_t");
	assert_string_equal(mcp_name(&a, "s", "t", false).p, "mcp__s__t");
}

/* C5.3: other products' names of tools match, and the author is told. */
static void c5_3_aliases_match(void **state)
{
	static const struct {
		const char *alias, *tool;
	} cases[] = {
		{ "edit_file", "replace" },
		{ "edit", "replace" },
		{ "Edit", "replace" },
		{ "search_file_content", "grep_search" },
		{ "grep", "grep_search" },
		{ "Grep", "grep_search" },
		{ "Bash", "run_shell_command" },
		{ "Write", "write_file" },
		{ "Read", "read_file" },
		{ "Glob", "glob" },
		{ "LS", "list_directory" },
		{ "ls", "list_directory" },
		{ "WebFetch", "web_fetch" },
		{ "WebSearch", "google_web_search" },
		{ "TodoWrite", "write_todos" },
		{ "AskUserQuestion", "ask_user" },
		{ "Task", "invoke_agent" },
		{ "delegate_to_agent", "invoke_agent" },
		{ "Agent", "invoke_agent" },
		{ "Skill", "activate_skill" },
		{ "EnterPlanMode", "enter_plan_mode" },
		{ "ExitPlanMode", "exit_plan_mode" },
		{ "^(Bash|Write)$", "write_file" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			with_matcher("gemini", "BeforeTool", cases[i].alias, "");
		const struct tl_diagnostic *d = fx_diag(h, "tool-alias");

		if (!d || !wants(h, "BeforeTool", cases[i].tool))
			fail_msg("%s for %s", cases[i].alias, cases[i].tool);
		assert_false(wants(h, "BeforeTool", "save_memory"));
	}
}

/* C5.3: every name of a long list counts: a guard of eight tools guards eight tools. */
static void c5_3_many_aliases_in_one_matcher(void **state)
{
	static const char *const tools[] = { "run_shell_command", "write_file",  "read_file",
					     "replace",           "glob",        "web_fetch",
					     "google_web_search", "invoke_agent" };
	AUTO(tl_hooks_unref) struct tl_hooks *h = with_matcher(
		"gemini", "BeforeTool", "Bash|Write|Read|Edit|Glob|WebFetch|WebSearch|Task", "");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (!wants(h, "BeforeTool", tools[i]))
			fail_msg("%s is not matched", tools[i]);
}

/* C5.3: one foreign name can stand for two tools. */
static void c5_3_read_is_both_readers(void **state)
{
	(void)state;
	assert_true(matches("gemini", "BeforeTool", "Read", "read_file"));
	assert_true(matches("gemini", "BeforeTool", "Read", "read_many_files"));
}

/* C5.3: no note where the name is only a part of a word. */
static void c5_3_no_note_without_alias(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		with_matcher("gemini", "BeforeTool", "write_file|my_edit_tool|Bashful", "");

	(void)state;
	assert_null(fx_diag(h, "tool-alias"));
	assert_false(wants(h, "BeforeTool", "replace"));
}

/* A name for which this pattern needs more steps than the limit allows. */
#define SLOW_PATTERN "^(([a-z])+.)+[A-Z]([a-z])+$"
#define SLOW_SUBJECT                                                                               \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* C5.4: the match limit counts as a match for a guard and for onFailure:deny, else as none. */
static void c5_4_match_limit(void **state)
{
	static const struct {
		const char *more;
		bool yes;
	} cases[] = {
		{ "", false },
		{ "\"onFailure\":\"warn\"", false },
		{ "\"onFailure\":\"ask\"", false },
		{ "\"onFailure\":\"deny\"", true },
		{ "\"guard\":true", true },
		{ "\"guard\":true,\"onFailure\":\"warn\"", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			with_matcher("gemini", "BeforeTool", SLOW_PATTERN, cases[i].more);
		AUTO(tl_outcome_free) struct tl_outcome *o = NULL;
		struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = SLOW_SUBJECT);
		int64_t start = clock_cpu_us();

		assert_int_equal(tl_why(h, &e, &o, NULL), 0);
		assert_true(clock_cpu_us() - start < 20 * 1000 * 1000);
		assert_non_null(fx_outcome_diag(o, "match-limit"));
		if ((fx_report(o, 0).state == TL_STATE_WOULD_RUN) != cases[i].yes)
			fail_msg("%s", cases[i].more);
	}
}

/* C5.4: a pattern that cannot be expressed here is decided the same way, and said at load. */
static void c5_4_pattern_too_long(void **state)
{
	AUTO(buf_done) struct buf big = { 0 };

	(void)state;
	while (big.n <= REGEX_PATTERN_MAX)
		buf_addz(&big, "abcdefgh|");
	AUTO(tl_hooks_unref) struct tl_hooks *plain =
		with_matcher("gemini", "BeforeTool", buf_z(&big), "");
	AUTO(tl_hooks_unref) struct tl_hooks *guard =
		with_matcher("gemini", "BeforeTool", buf_z(&big), "\"guard\":true");
	assert_non_null(fx_diag(plain, "regex-limit"));
	assert_false(wants(plain, "BeforeTool", "x"));
	assert_true(wants(guard, "BeforeTool", "x"));
}

/* C5.4: matching starts no process and, known once, needs no time. */
static void c5_4_matching_runs_nothing(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("touch ran", "");

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_true(wants(h, "BeforeTool", "write_file"));
	assert_int_equal(access(fx_path("project/ran"), F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c5_1_tool_matchers),
		ENGINE_TEST(c5_1_absent_is_everything),
		ENGINE_TEST(c5_1_invalid_pattern_is_reported),
		ENGINE_TEST(c5_1_lifecycle_is_exact),
		ENGINE_TEST(c5_1_never_matching_is_reported),
		ENGINE_TEST(c5_1_agent_and_model_matchers_are_ignored),
		ENGINE_TEST(c5_2_both_spellings_match),
		ENGINE_TEST(c5_2_cleaned_names_match),
		ENGINE_TEST(c5_2_payload_has_name_and_context),
		ENGINE_TEST(c5_2_tool_naming),
		ENGINE_TEST(c5_3_aliases_match),
		ENGINE_TEST(c5_3_many_aliases_in_one_matcher),
		ENGINE_TEST(c5_3_read_is_both_readers),
		ENGINE_TEST(c5_3_no_note_without_alias),
		ENGINE_TEST(c5_4_match_limit),
		ENGINE_TEST(c5_4_pattern_too_long),
		ENGINE_TEST(c5_4_matching_runs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
