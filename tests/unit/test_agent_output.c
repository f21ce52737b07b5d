/* What the headless agent prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/agent/agent_output.h"
#include "cli/agent/plain.h"
#include "os/clock.h"

/* A run of the sink whose two streams are kept. */
struct run {
	struct output o;
	struct agent_sink sink;
	FILE *out, *err;
	char *out_text, *err_text;
	size_t out_n, err_n;
	struct stats stats;
	struct arena a;
};

static void run_begin(struct run *r, enum output_format format, bool raw)
{
	static const struct output_form *const forms[] = { &output_text, &output_json,
							   &output_stream };

	*r = (struct run){ 0 };
	r->out = open_memstream(&r->out_text, &r->out_n);
	r->err = open_memstream(&r->err_text, &r->err_n);
	output_init(&r->o,
		    &(struct output_options){
			    .form = forms[format], .raw = raw, .out = r->out, .err = r->err });
	r->sink = output_sink(&r->o);
	output_session(&r->o, "sid");
	output_begin(&r->o, "m1");
}

static void run_end(struct run *r, const struct run_end *end)
{
	static const struct run_end well;

	r->stats.start_us = clock_us();
	output_end(&r->o, end ? end : &well, &r->stats);
	output_done(&r->o);
	(void)fflush(r->out);
	(void)fflush(r->err);
}

static void run_done(struct run *r)
{
	(void)fclose(r->out);
	(void)fclose(r->err);
	free(r->out_text);
	free(r->err_text);
	stats_done(&r->stats);
	arena_done(&r->a);
}
DEFINE_AUTO(struct run, run_done)

static void say(struct run *r, const char *text)
{
	r->sink.text(&r->o, str_from(text));
}

static void note(struct run *r, enum note_kind kind, const char *text)
{
	r->sink.note(&r->o, kind, str_from(text));
}

static void tool(struct run *r, const struct tool_report *report, const char *args)
{
	const struct json *v;

	assert_int_equal(json_parse(&r->a, str_from(args), 0, &v, NULL), 0);
	r->sink.tool_use(&r->o, report->name, report->id, v);
	r->sink.tool_result(&r->o, report);
}

static const struct tool_report good = {
	.name = "glob", .id = "glob__1", .ok = true, .output = { "Found 2", 7 }
};
static const struct tool_report bad = { .name = "write_file",
					.id = "write_file__2",
					.error = { "Tool execution blocked: no", 26 } };

static void test_text(void **state)
{
	AUTO(run_done) struct run r;

	(void)state;
	run_begin(&r, OUTPUT_TEXT, false);
	r.sink.user(&r.o, STR("hi"));
	r.sink.turn(&r.o);
	say(&r, "Let me ");
	say(&r, "look");
	tool(&r, &good, "{}");
	tool(&r, &bad, "{}");
	note(&r, NOTE_HOOK_MESSAGE, "watch out");
	note(&r, NOTE_BLOCKED, "Agent execution blocked: why");
	note(&r, NOTE_STOPPED, "Agent execution stopped: why");
	note(&r, NOTE_WARNING, "Hook(s) [a] failed for event BeforeTool.");
	note(&r, NOTE_ERROR, "Model stream was empty \x1b[2J");
	r.sink.turn(&r.o);
	say(&r, "Done\n");
	run_end(&r, NULL);
	assert_string_equal(r.out_text, "Let me look\nDone\n");
	assert_string_equal(r.err_text,
			    "Error executing tool write_file: Tool execution blocked: no\n"
			    "Hook system message: watch out\n"
			    "[WARNING] Agent execution blocked: why\n"
			    "Agent execution stopped: why\n"
			    "[WARNING] Hook(s) [a] failed for event BeforeTool.\n"
			    "[ERROR] Model stream was empty \\x1b[2J\n");
}

static void test_text_end(void **state)
{
	AUTO(run_done) struct run r;
	struct run_end end = { "Error", "No more mock responses\n{\n}", "Try again", 1 };

	(void)state;
	run_begin(&r, OUTPUT_TEXT, false);
	say(&r, "half");
	run_end(&r, &end);
	assert_string_equal(r.out_text, "half\n");
	assert_string_equal(r.err_text, "No more mock responses\n{\n}\nTry again\n");
}

static const struct json *parse(struct run *r, const char *text)
{
	const struct json *v = NULL;

	assert_int_equal(json_parse(&r->a, str_from(text), 0, &v, NULL), 0);
	return v;
}

static const char *at(struct run *r, const struct json *v, const char *pointer)
{
	v = json_pointer(v, str_from(pointer));
	return v ? json_text(&r->a, v, JSON_COMPACT).p : "(none)";
}

static void test_json(void **state)
{
	AUTO(run_done) struct run r;
	const struct json *v;

	(void)state;
	run_begin(&r, OUTPUT_JSON, false);
	r.sink.turn(&r.o);
	say(&r, "first");
	tool(&r, &bad, "{}");
	note(&r, NOTE_HOOK_MESSAGE, "a {brace}");
	note(&r, NOTE_STOPPED, "Agent execution stopped: why");
	note(&r, NOTE_TOOL_STOPPED, "Agent execution stopped: tool");
	r.sink.turn(&r.o);
	say(&r, "sec");
	say(&r, "ond\n");
	r.stats.lines_added = 3;
	stats_model(&r.stats, "m1")->all.prompt = 7;
	stats_model(&r.stats, "m1")->all.cached = 2;
	run_end(&r, NULL);
	v = parse(&r, r.out_text);
	assert_true(str_starts(str_from(r.out_text), STR("{\n  \"session_id\": \"sid\",\n")));
	assert_int_equal(r.out_text[r.out_n - 1], '}');
	assert_string_equal(at(&r, v, "/response"), "\"second\\n\"");
	assert_string_equal(at(&r, v, "/stats/models/m1/tokens/input"), "5");
	assert_string_equal(at(&r, v, "/stats/files/totalLinesAdded"), "3");
	assert_string_equal(at(&r, v, "/warnings"), "[\"Agent execution stopped: why\"]");
	assert_string_equal(at(&r, v, "/error"), "(none)");
	assert_string_equal(r.err_text, "Error executing tool write_file: Tool execution blocked: "
					"no\n"
					"Hook system message: a {brace}\n"
					"Agent execution stopped: tool\n");
}

/* A synthetic answer follows the note */
static void test_json_blocked(void **state)
{
	AUTO(run_done) struct run r, s;

	(void)state;
	run_begin(&r, OUTPUT_JSON, false);
	say(&r, "secret");
	note(&r, NOTE_BLOCKED, "Agent execution blocked: no");
	run_end(&r, NULL);
	assert_string_equal(at(&r, parse(&r, r.out_text), "/response"), "\"\"");
	assert_string_equal(at(&r, parse(&r, r.out_text), "/warnings/0"),
			    "\"Agent execution blocked: no\"");
	run_begin(&s, OUTPUT_JSON, false);
	note(&s, NOTE_BLOCKED, "Agent execution blocked: no");
	say(&s, "instead");
	run_end(&s, NULL);
	assert_string_equal(at(&s, parse(&s, s.out_text), "/response"), "\"instead\"");
}

/* From the first brace to the last one, stderr is the object. */
static void test_json_failed(void **state)
{
	AUTO(run_done) struct run r;
	struct run_end end = { "FatalInputError", "broken {\"x\"}", "a hint", 42 };
	const struct json *v;
	char *from, *to;

	(void)state;
	run_begin(&r, OUTPUT_JSON, false);
	note(&r, NOTE_HOOK_MESSAGE, "{\"not\": \"this\"}");
	run_end(&r, &end);
	assert_int_equal(r.out_n, 0);
	from = strchr(r.err_text, '{');
	to = strrchr(r.err_text, '}');
	assert_true(from && to && from < to);
	to[1] = '\0';
	v = parse(&r, from);
	assert_string_equal(at(&r, v, ""),
			    "{\"session_id\":\"sid\",\"error\":{\"type\":\"FatalInputError\","
			    "\"message\":\"broken {\\\"x\\\"}\",\"code\":42}}");
}

/* Line n of what was written, without its timestamp. */
static const char *line(struct run *r, size_t n)
{
	struct str rest = str_from(r->out_text), l = { 0 };
	const struct json *v;

	for (size_t i = 0; i <= n; i++)
		assert_true(str_split(&rest, '\n', &l));
	v = parse(r, arena_z(&r->a, l));
	assert_int_equal(json_get_str(v, "timestamp").n, 24);
	return json_text(&r->a, json_without(&r->a, v, STR("timestamp")), JSON_COMPACT).p;
}

static void test_stream(void **state)
{
	static const char *const wanted[] = {
		"{\"type\":\"init\",\"session_id\":\"sid\",\"model\":\"m1\"}",
		"{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}",
		"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\\nb\","
		"\"delta\":true}",
		"{\"type\":\"tool_use\",\"tool_name\":\"glob\",\"tool_id\":\"glob__1\","
		"\"parameters\":{\"pattern\":\"*\"}}",
		"{\"type\":\"tool_result\",\"tool_id\":\"glob__1\",\"status\":\"success\","
		"\"output\":\"Found 2\"}",
		"{\"type\":\"tool_use\",\"tool_name\":\"write_file\",\"tool_id\":\"write_file__2\","
		"\"parameters\":{}}",
		"{\"type\":\"tool_result\",\"tool_id\":\"write_file__2\",\"status\":\"error\","
		"\"error\":{\"type\":\"TOOL_EXECUTION_ERROR\",\"message\":\"Tool execution "
		"blocked: no\"}}",
		"{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"Agent execution "
		"blocked: why\"}",
		"{\"type\":\"error\",\"severity\":\"error\",\"message\":\"bad stream\"}",
	};
	AUTO(run_done) struct run r;
	const struct json *v;

	(void)state;
	run_begin(&r, OUTPUT_STREAM, false);
	r.sink.user(&r.o, STR("hi"));
	r.sink.turn(&r.o);
	say(&r, "a\nb");
	tool(&r, &good, "{\"pattern\":\"*\"}");
	tool(&r, &bad, "{}");
	note(&r, NOTE_BLOCKED, "Agent execution blocked: why");
	note(&r, NOTE_ERROR, "bad stream");
	note(&r, NOTE_STOPPED, "Agent execution stopped: why");
	run_end(&r, NULL);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		assert_string_equal(line(&r, i), wanted[i]);
	v = parse(&r, line(&r, ARRAY_LEN(wanted)));
	assert_string_equal(at(&r, v, "/status"), "\"success\"");
	assert_string_equal(at(&r, v, "/error"), "(none)");
	assert_string_equal(at(&r, v, "/stats/tool_calls"), "0");
	assert_string_equal(r.err_text, "Error executing tool write_file: Tool execution blocked: "
					"no\n"
					"Agent execution stopped: why\n");
}

static void test_stream_failed(void **state)
{
	AUTO(run_done) struct run r;
	struct run_end end = { "FatalTurnLimitedError", "Reached it", NULL, 53 };
	const struct json *v;

	(void)state;
	run_begin(&r, OUTPUT_STREAM, false);
	run_end(&r, &end);
	v = parse(&r, line(&r, 1));
	assert_string_equal(at(&r, v, "/status"), "\"error\"");
	assert_string_equal(at(&r, v, "/error"),
			    "{\"type\":\"FatalTurnLimitedError\",\"message\":\"Reached it\"}");
	assert_string_equal(r.err_text, "Reached it\n");
}

/* Cut at every place into two pieces */
static void test_control_sequences(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "\xc3\xa4\xf0\x9f\x98\x80\n\ttab", "\xc3\xa4\xf0\x9f\x98\x80\n\ttab" },
		{ "\x1b[31mred\x1b[0m", "red" },
		{ "\x1b]0;title\x07rest", "rest" },
		{ "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link" },
		{ "\x1bPq#0;2\x1b\\sixel", "sixel" },
		{ "\x1b(Bset", "set" },
		{ "\x1b"
		  "7save",
		  "save" },
		{ "\x1b\x1b[1mtwice", "twice" },
		{ "\xc2\x9b"
		  "31mc1",
		  "c1" },
		{ "\xc2\x9dtitle\xc2\x9c"
		  "end",
		  "end" },
		{ "a\rb\r\nc\r", "ab\r\nc" },
		{ "bell\x07 back\x08 del\x7f nul", "bell back del nul" },
		{ "\x1b]never\nends", "\nends" },
		{ "\x1b[31", "" },
		{ "\xff\xc3(", "\xef\xbf\xbd\xef\xbf\xbd(" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str in = str_from(cases[i].in);

		for (size_t cut = 0; cut <= in.n; cut++) {
			AUTO(buf_done) struct buf out = { 0 };
			struct plain p = { 0 };

			plain_add(&p, str_sub(in, 0, cut), &out);
			plain_add(&p, str_sub(in, cut, in.n), &out);
			assert_string_equal(buf_z(&out), cases[i].out);
		}
	}
}

static void test_endless_sequence(void **state)
{
	AUTO(buf_done) struct buf out = { 0 }, in = { 0 };
	struct plain p = { 0 };

	(void)state;
	buf_addz(&in, "\x1b]");
	for (int i = 0; i < 5000; i++)
		buf_addc(&in, 'x');
	plain_add(&p, buf_str(&in), &out);
	assert_true(out.n > 800 && out.n < 1000);
}

static void test_raw(void **state)
{
	AUTO(run_done) struct run r;

	(void)state;
	run_begin(&r, OUTPUT_TEXT, true);
	say(&r, "\x1b[31mred\x1b[0m\n");
	run_end(&r, NULL);
	assert_string_equal(r.out_text, "\x1b[31mred\x1b[0m\n");
}

/* A reader that has gone ends the session, quietly. */
static void test_closed_stdout(void **state)
{
	AUTO(run_done) struct run r;
	struct halt halt;
	int ends[2];
	FILE *gone;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	(void)close(ends[0]);
	gone = fdopen(ends[1], "w");
	assert_true(halt_init(&halt));
	run_begin(&r, OUTPUT_TEXT, false);
	r.o.options.out = gone;
	r.o.options.halt = &halt;
	say(&r, "text");
	assert_true(r.o.closed);
	assert_int_equal(r.o.write_error, 0);
	assert_true(halt_fired(&halt));
	say(&r, "more");
	run_end(&r, NULL);
	assert_string_equal(r.err_text, "");
	halt_done(&halt);
	(void)fclose(gone);
}

static void test_progress_line(void **state)
{
	char text[256];

	(void)state;
	progress_line(text, sizeof text, "model", 2500, 80);
	assert_string_equal(text + 2, "model 2s");
	progress_line(text, sizeof text, "run\x1b[2Jshell", 61000, 80);
	assert_string_equal(text + 2, "run\\x1b[2Jshell 1m 01s");
	progress_line(text, sizeof text, "a very long name of a tool", 1000, 16);
	assert_true(strlen(text) < 16);
	/* Not on a terminal: nothing at all. */
	assert_null(progress_new(stdout));
	progress_set(NULL, "x");
	progress_free(NULL);
}

int main(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_end),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_blocked),
		cmocka_unit_test(test_json_failed),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stream_failed),
		cmocka_unit_test(test_control_sequences),
		cmocka_unit_test(test_endless_sequence),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_closed_stdout),
		cmocka_unit_test(test_progress_line),
	};

	(void)sigaction(SIGPIPE, &ignore, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
