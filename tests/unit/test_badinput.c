/*
 * Everything that a hook or a settings file can do wrong: each ends in the class of the contract
 * and in a clear message, nothing is lost (another hook's denial holds), nothing hangs.
 */
#include "engine_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"

/* A hook that misbehaves, and what becomes of it. */
static const struct bad_hook {
	const char *command, *more;
	enum tl_class how;
	enum tl_verdict verdict; /* its own */
	const char *message; /* is in the report's message */
	enum tl_class guard_how; /* the same as a guard, which denies but for TL_CLASS_OK */
} bad_hooks[] = {
	/* a missing program */
	{ "no_such_program", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 127, command not found",
	  TL_CLASS_WARNED },
	{ "./no_such_file", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 127", TL_CLASS_WARNED },
	{ "./not_executable", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 126, not executable",
	  TL_CLASS_WARNED },
	{ "./", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 126", TL_CLASS_WARNED },
	{ "if then", "", TL_CLASS_BLOCKED, TL_VERDICT_DENY, "",
	  TL_CLASS_BLOCKED }, /* bash: exit 2 */
	/* prints 100 MB: of text, of blanks, of JSON, on stderr */
	{ "head -c 100000000 /dev/zero", "", TL_CLASS_TOO_BIG, TL_VERDICT_NONE, "too much",
	  TL_CLASS_TOO_BIG },
	{ "head -c 100000000 /dev/zero | tr '\\0' ' '", "", TL_CLASS_TOO_BIG, TL_VERDICT_NONE,
	  "too much", TL_CLASS_TOO_BIG },
	{ "echo '{\"decision\":\"allow\",\"x\":\"'; head -c 100000000 /dev/zero | tr '\\0' x; "
	  "echo '\"}'",
	  "", TL_CLASS_TOO_BIG, TL_VERDICT_NONE, "too much", TL_CLASS_TOO_BIG },
	{ "head -c 100000000 /dev/zero >&2; exit 1", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 1",
	  TL_CLASS_WARNED },
	{ "head -c 100000000 /dev/zero >&2", "", TL_CLASS_OK, TL_VERDICT_NONE, "", TL_CLASS_OK },
	{ "head -c 100000000 /dev/zero >&$TROTLINE_RESULT_FD", "", TL_CLASS_TOO_BIG,
	  TL_VERDICT_NONE, "too much", TL_CLASS_TOO_BIG },
	/* never reads, closes stdin, closes everything */
	{ "true", "", TL_CLASS_OK, TL_VERDICT_NONE, "", TL_CLASS_OK },
	{ "exec <&-; echo '{}'", "", TL_CLASS_OK, TL_VERDICT_NONE, "", TL_CLASS_OK },
	{ "exec <&- >&- 2>&-; exit 1", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 1",
	  TL_CLASS_WARNED },
	{ "exec <&- >&- 2>&-; sleep 60", "'timeout':200", TL_CLASS_TIMED_OUT, TL_VERDICT_NONE,
	  "200 ms", TL_CLASS_TIMED_OUT },
	/* forks daemons that keep the pipes */
	{ "setsid sleep 50 & exit 1", "", TL_CLASS_WARNED, TL_VERDICT_NONE, "exit 1",
	  TL_CLASS_WARNED },
	{ "(setsid setsid sleep 50 &) ; echo '{}'", "", TL_CLASS_OK, TL_VERDICT_NONE, "",
	  TL_CLASS_OK },
	{ "sleep 50 & sleep 50 & sleep 50 & echo '{}'", "", TL_CLASS_OK, TL_VERDICT_NONE, "",
	  TL_CLASS_OK },
	/* all that could decide is in the background (C3.6) */
	{ "(while printf ' '; do sleep 0.01; done) & exit 0", "", TL_CLASS_OK, TL_VERDICT_NONE, "",
	  TL_CLASS_BAD_OUTPUT },
	/* is killed, stops itself */
	{ "kill -9 $$", "", TL_CLASS_SIGNALLED, TL_VERDICT_NONE, "signal 9", TL_CLASS_SIGNALLED },
	{ "kill -SEGV $$", "", TL_CLASS_SIGNALLED, TL_VERDICT_NONE, "signal 11",
	  TL_CLASS_SIGNALLED },
	{ "kill -9 -$$", "", TL_CLASS_SIGNALLED, TL_VERDICT_NONE, "signal 9", TL_CLASS_SIGNALLED },
	{ "kill -STOP $$", "'timeout':200", TL_CLASS_TIMED_OUT, TL_VERDICT_NONE, "200 ms",
	  TL_CLASS_TIMED_OUT },
	{ "echo '{\"decision\":\"allow\"}'; kill -9 $$", "", TL_CLASS_SIGNALLED, TL_VERDICT_NONE,
	  "signal 9", TL_CLASS_SIGNALLED },
	/* writes half a JSON, JSON after text, two JSON, JSON that is none, another type */
	{ "echo '{\"decision\":\"deny\",\"rea'", "", TL_CLASS_OK, TL_VERDICT_DENY, "",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo 'note'; echo '{\"decision\":\"deny\"}'", "", TL_CLASS_OK, TL_VERDICT_ALLOW, "note",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo '{}{\"decision\":\"deny\"}'", "", TL_CLASS_OK, TL_VERDICT_DENY, "",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo \"{'decision':'deny'}\"", "", TL_CLASS_OK, TL_VERDICT_DENY, "",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo '[{\"decision\":\"deny\"}]'", "", TL_CLASS_OK, TL_VERDICT_DENY, "",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo '{\"decision\":{\"decision\":\"deny\"}}'", "", TL_CLASS_OK, TL_VERDICT_DENY, "",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo '{\"decision\":\"DENY\"}'", "", TL_CLASS_OK, TL_VERDICT_DENY, "",
	  TL_CLASS_BAD_OUTPUT },
	{ "echo '{\"decision\":\"deny\"'; exit 1", "", TL_CLASS_WARNED, TL_VERDICT_DENY, "exit 1",
	  TL_CLASS_WARNED },
	/* deeper than any JSON that is read */
	{ "yes '[' | head -c 1000000 | tr -d '\\n'", "", TL_CLASS_BAD_OUTPUT, TL_VERDICT_NONE,
	  "too deeply", TL_CLASS_BAD_OUTPUT },
	/* writes NUL bytes and what is not UTF-8 */
	{ "printf 'a\\0b'", "", TL_CLASS_OK, TL_VERDICT_ALLOW,
	  "a\xef\xbf\xbd"
	  "b",
	  TL_CLASS_BAD_OUTPUT },
	{ "printf '\\0'", "", TL_CLASS_OK, TL_VERDICT_ALLOW, "\xef\xbf\xbd", TL_CLASS_BAD_OUTPUT },
	{ "printf '{\"decision\":\"allow\"}\\0'", "", TL_CLASS_OK, TL_VERDICT_ALLOW,
	  "{\"decision\"", TL_CLASS_BAD_OUTPUT },
	{ "printf '{\"systemMessage\":\"a\\\\u0000b\"}'", "", TL_CLASS_OK, TL_VERDICT_NONE,
	  "a\xef\xbf\xbd"
	  "b",
	  TL_CLASS_OK },
	{ "printf '\\377\\376bad'", "", TL_CLASS_OK, TL_VERDICT_ALLOW, "bad", TL_CLASS_BAD_OUTPUT },
	{ "printf 'a\\0b' >&2; exit 1", "", TL_CLASS_WARNED, TL_VERDICT_NONE,
	  "a\xef\xbf\xbd"
	  "b",
	  TL_CLASS_WARNED },
	{ "printf 'a\\0b' >&2; exit 2", "", TL_CLASS_BLOCKED, TL_VERDICT_DENY, "",
	  TL_CLASS_BLOCKED },
	/* escapes of terminals are text */
	{ "printf '\\033[2Jcleared'", "", TL_CLASS_OK, TL_VERDICT_ALLOW, "cleared",
	  TL_CLASS_BAD_OUTPUT },
};

/* Less than what daemons live. */
enum { ONE_RUN_MAX_US = 45 * 1000 * 1000 };

static const char *quoted(const char *text)
{
	AUTO(buf_done) struct buf out = { 0 };

	assert_int_equal(json_write_str(&out, str_from(text)), 0);
	return arena_z(&fx.arena, buf_str(&out));
}

/* The bad hook, and one that denies. */
static struct tl_hooks *load_both(const struct bad_hook *b, bool guard)
{
	const char *text = fx_fmt("{\"hooks\":{\"BeforeTool\":[{\"hooks\":["
				  "{\"type\":\"command\",\"name\":\"bad\",\"command\":%s%s%s%s},"
				  "{\"type\":\"command\",\"name\":\"good\","
				  "\"command\":\"echo other >&2; exit 2\"%s}]}]}}",
				  quoted(b->command), *b->more ? "," : "", fx_json("%s", b->more),
				  guard ? ",\"guard\":true" : "", guard ? ",\"guard\":true" : "");
	struct tl_source s = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "settings.json",
					    .text = text, .length = strlen(text));

	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .sources = &s, .nsources = 1);
}

static bool is_as_expected(const struct bad_hook *b, bool guard)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_both(b, guard);
	int64_t start = clock_us();
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
	struct tl_report r = fx_report(o, 0);
	enum tl_class how = guard ? b->guard_how : b->how;
	enum tl_verdict verdict = !guard || how == TL_CLASS_OK ? b->verdict : TL_VERDICT_DENY;
	AUTO(free) char *record = tl_outcome_record(o);
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v;

	/* Its failure is one warning and is said in one sentence that names it. */
	bool failed = how != TL_CLASS_OK && how != TL_CLASS_BLOCKED;
	bool told = failed ? strstr(r.message, "\"bad\"") && fx_outcome_diag(o, "hook-failed")
			   : !fx_outcome_diag(o, "hook-failed");

	return r.how == how && r.verdict == verdict && told &&
	       (guard || strstr(r.message, b->message)) && clock_us() - start < ONE_RUN_MAX_US &&
	       tl_outcome_verdict(o) == TL_VERDICT_DENY && strstr(tl_outcome_reason(o), "other") &&
	       json_parse(&a, str_from(record), 0, &v, NULL) == 0;
}

static void describe(const struct bad_hook *b, bool guard)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_both(b, guard);
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
	struct tl_report r = fx_report(o, 0);

	print_error("%s%s\n  %s, %s: %s | %s\n", guard ? "(guard) " : "", b->command,
		    tl_class_name(r.how), tl_verdict_name(r.verdict), r.message,
		    tl_outcome_reason(o));
}

static void each_bad_hook(bool guard)
{
	size_t failed = 0;

	(void)fx_write("project/not_executable", "#!/bin/sh\n");
	for (size_t i = 0; i < ARRAY_LEN(bad_hooks); i++) {
		if (is_as_expected(&bad_hooks[i], guard))
			continue;
		describe(&bad_hooks[i], guard);
		failed++;
	}
	assert_int_equal(failed, 0);
}

static void bad_hooks_end_in_their_class(void **state)
{
	(void)state;
	each_bad_hook(false);
}

/* C3.6: a broken guard does not open the door. */
static void bad_guards_deny(void **state)
{
	(void)state;
	each_bad_hook(true);
}

/* Milliseconds until the end of a hook that ignores SIGTERM once it is that far. */
static int64_t ignore_sigterm(int timeout_ms)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_command("trap '' TERM; while :; do sleep 1; done",
				fx_fmt("'timeout':%d,'onFailure':'deny'", timeout_ms));
	int64_t start = clock_us();
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	int64_t ms = (clock_us() - start) / 1000;

	assert_int_equal(fx_report(o, 0).how, TL_CLASS_TIMED_OUT);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	fx_assert_has(tl_outcome_reason(o), fx_fmt("%d ms", timeout_ms));
	assert_true(ms >= timeout_ms && ms < WAIT_MS);
	return ms;
}

/* C6.3: one that ignores SIGTERM is killed after the grace time. */
static void c6_3_ignores_sigterm(void **state)
{
	int timeout_ms = 100;

	(void)state;
	while (ignore_sigterm(timeout_ms) < timeout_ms + 2000) {
		timeout_ms *= 3;
		assert_true(timeout_ms < 30000);
	}
}

/* Half a JSON says so; JSON behind text is pointed at. */
static void hints_for_the_author(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_command("echo note; echo '{\"decision\":\"deny\"}'", "");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");

	(void)state;
	assert_non_null(fx_outcome_diag(o, "json-after-text"));
	fx_assert_has(fx_outcome_diag(o, "json-after-text")->text,
		      "JSON after other text is not read");
	assert_string_equal(fx_outcome_diag(o, "json-after-text")->file, "settings.json");
}

/* C3.5 on every class: what onFailure makes of it. */
static void on_failure_of_every_class(void **state)
{
	static const struct {
		const char *command, *more;
		enum tl_class how;
	} cases[] = {
		{ "exit 1", "", TL_CLASS_WARNED },
		{ "kill -9 $$", "", TL_CLASS_SIGNALLED },
		{ "sleep 60", ",'timeout':100", TL_CLASS_TIMED_OUT },
		{ "head -c 9000000 /dev/zero", "", TL_CLASS_TOO_BIG },
	};
	static const struct {
		const char *on_failure;
		enum tl_verdict verdict;
	} ways[] = { { "warn", TL_VERDICT_NONE },
		     { "ask", TL_VERDICT_ASK },
		     { "deny", TL_VERDICT_DENY } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases) * ARRAY_LEN(ways); i++) {
		size_t c = i / ARRAY_LEN(ways), w = i % ARRAY_LEN(ways);
		AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(
			cases[c].command,
			fx_fmt("'onFailure':'%s'%s", ways[w].on_failure, cases[c].more));
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");

		assert_int_equal(fx_report(o, 0).how, cases[c].how);
		assert_int_equal(tl_outcome_verdict(o), ways[w].verdict);
	}
}

/* NUL bytes in a settings file, escaped or not: no text is cut at them in silence. */
static void nul_in_settings(void **state)
{
	static const char *const texts[] = {
		"'hooks':[{'type':'command','command':'true\\u0000; exit 2'}]",
		"'hooks':[{'type':'command','command':'true','name':'a\\u0000b'}]",
		"'hooks':[{'type':'command','command':'true','env':{'A\\u0000':'b'}}]",
		"'hooks':[{'type':'command','command':'true','env':{'A':'b\\u0000c'}}]",
		"'matcher':'a\\u0000','hooks':[{'type':'command','command':'true'}]",
	};
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(
			TL_TIER_USER, NULL, fx_fmt("{'hooks':{'BeforeTool':[{%s}]}}", texts[i]));

		/* A matcher with NUL is odd, but says what it says. */
		if (tl_hooks_diagnostic_count(h) > 0 || strstr(texts[i], "matcher"))
			continue;
		print_error("in silence: %s\n", texts[i]);
		failed++;
	}
	static const char raw[] = "{\"hooks\":\0{}}";
	struct tl_source s = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "n.json", .text = raw,
					    .length = sizeof raw - 1);
	struct tl_err err = FX_LOAD_ERR(.flags = TL_LOAD_NO_FILES, .sources = &s, .nsources = 1);
	assert_int_equal(err.code, TL_E_PARSE);
	assert_int_equal(failed, 0);
}

/* Many mistakes in one file: each is reported, what is right stays. */
static void a_file_full_of_mistakes(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)state;
	buf_addz(&text, "{'hooks':{'BeforeTool':[{'hooks':[");
	for (int i = 0; i < 500; i++)
		buf_addf(&text, "%d,{'type':'command','command':'true','name':'n%d'},", i, i);
	buf_addz(&text, "]}]}}");
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(TL_TIER_USER, NULL, buf_z(&text));
	assert_int_equal(tl_hooks_count(h), 500);
	assert_int_equal(fx_count_diags(h, "wrong-type"), 500);
}

/* The working directory is gone: the class says that nothing was started. */
static void no_working_directory(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("true", "'guard':true");
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "BeforeTool", .subject = "x", .cwd = fx_path("gone"));

	(void)state;
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_NOT_STARTED);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	fx_assert_has(fx_report(o, 0).message, "not started");
}

/* An input that is no JSON is the host's mistake; hooks still get their bytes and nothing breaks.
 */
static void broken_fields(void **state)
{
	static const char *const texts[] = { "", "{", "\"\\ud800\"", "[1,", "nul", "{\"a\":1}}" };
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_text(TL_TIER_USER, NULL,
			     "{'hooks':{'BeforeTool':[{'sequential':true,'hooks':["
			     "{'type':'command','command':'echo {\\\"hookSpecificOutput\\\":"
			     "{\\\"tool_input\\\":{\\\"b\\\":2}}}'},"
			     "{'type':'command','command':'cat >/dev/null; exit 2'}]}]}}");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct tl_field f = { "tool_input", texts[i], strlen(texts[i]) };
		AUTO(tl_outcome_free) struct tl_outcome *o = FX_FIRE(
			h, .name = "BeforeTool", .subject = "x", .fields = &f, .nfields = 1);

		assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(bad_hooks_end_in_their_class),
		ENGINE_TEST(bad_guards_deny),
		ENGINE_TEST(c6_3_ignores_sigterm),
		ENGINE_TEST(hints_for_the_author),
		ENGINE_TEST(on_failure_of_every_class),
		ENGINE_TEST(nul_in_settings),
		ENGINE_TEST(a_file_full_of_mistakes),
		ENGINE_TEST(no_working_directory),
		ENGINE_TEST(broken_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
