/* Telemetry: switches, the outfile, the form of records, no secrets, metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "os/clock.h"
#include "os/fs.h"
#include "telemetry/telemetry.h"

#define SECRET "ghp_0123456789abcdefghijABCDEFGHIJ"
#define CLEAN "[redacted: GitHub token]"

enum { MAX_RECORDS = 4096 };

static char dir[64], outfile[128];
static char outfile_env[160];
static struct arena arena;

static char complaint[1024];
static unsigned complaints;

static void complain(void *data, const char *text)
{
	(void)data;
	complaints++;
	(void)snprintf(complaint, sizeof complaint, "%s", text);
}

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof dir, "/tmp/trotline-test-XXXXXX");
	complaints = 0;
	*complaint = '\0';
	if (!mkdtemp(dir))
		return -1;
	(void)snprintf(outfile, sizeof outfile, "%s/telemetry.log", dir);
	(void)snprintf(outfile_env, sizeof outfile_env, "GEMINI_TELEMETRY_OUTFILE=%s", outfile);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "telemetry.log",           "other.log", "link",
					     ".gemini/installation_id", ".gemini",   "" };

	(void)state;
	arena_done(&arena);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(free) char *path = fs_join(dir, names[i]);

		(void)remove(path);
	}
	return 0;
}

static const struct json *parse(const char *text)
{
	const struct json *v = NULL;

	assert_int_equal(json_parse(&arena, str_from(text), 0, &v, NULL), 0);
	return v;
}

static const char *text_at(const struct json *v, const char *pointer)
{
	return arena_z(&arena, json_str(json_pointer(v, str_from(pointer)), STR("(none)")));
}

static double number_at(const struct json *v, const char *pointer)
{
	return json_num(json_pointer(v, str_from(pointer)), -1);
}

/* With an environment of at most three entries besides the outfile. */
static struct telemetry *start(const char *settings, const char *e1, const char *e2)
{
	const char *env[] = { outfile_env, e1, e1 ? e2 : NULL, NULL };

	return telemetry_new(&(struct telemetry_options){
		.settings = settings ? parse(settings) : NULL,
		.env = env,
		.home = dir,
		.session_id = "session-1",
		.auth_type = "gemini-api-key",
		.complain = complain,
	});
}

static struct telemetry *start_on(void)
{
	struct telemetry *t = start(NULL, "GEMINI_TELEMETRY_ENABLED=true", NULL);

	assert_true(telemetry_on(t));
	return t;
}

/* The records of a file, split where readers split it: between } and { at the starts of lines. */
static size_t read_records(const char *path, const struct json *ret[MAX_RECORDS])
{
	AUTO(buf_done) struct buf text = { 0 };
	struct str rest;
	size_t n = 0;

	assert_int_equal(fs_read(path, 256 << 20, &text, NULL), 0);
	rest = arena_str(&arena, buf_str(&text));
	while (rest.n) {
		ptrdiff_t end = str_find(rest, STR("\n}\n"), 0);
		struct str one;

		assert_true(end >= 0 && n < MAX_RECORDS);
		one = str_sub(rest, 0, (size_t)end + 2);
		assert_int_equal(json_parse(&arena, one, 0, &ret[n], NULL), 0);
		/* Two spaces and nothing else. */
		assert_true(str_eq(json_text(&arena, ret[n], JSON_PRETTY), one));
		rest = str_sub(rest, one.n + 1, rest.n);
		n++;
	}
	return n;
}

/* The n-th record of the outfile. */
static const struct json *record(size_t n)
{
	static const struct json *records[MAX_RECORDS];

	assert_true(n < read_records(outfile, records));
	return records[n];
}

static size_t count_records(void)
{
	static const struct json *records[MAX_RECORDS];

	return read_records(outfile, records);
}

static void off_by_default_leaves_no_trace(void **state)
{
	static const char *const settings[] = {
		NULL,
		"{}",
		"{\"telemetry\": {}}",
		"{\"telemetry\": {\"enabled\": false}}",
		"{\"telemetry\": {\"enabled\": \"true\"}}",
		"{\"telemetry\": 1}",
	};
	AUTO(free) char *id = fs_join(dir, ".gemini/installation_id");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		struct telemetry *t = start(settings[i], NULL, NULL);

		assert_non_null(t);
		assert_false(telemetry_on(t) || telemetry_prompts(t));
		telemetry_event(t, "user_prompt", "User prompt.", parse("{\"prompt\": \"x\"}"));
		telemetry_count(t, "session.count", 1, NULL);
		telemetry_measure(t, "x", 1, "ms", NULL);
		telemetry_session(t, "session-2");
		telemetry_free(t);
	}
	assert_false(fs_exists(outfile) || fs_exists(id));
	assert_int_equal(complaints, 0);
	assert_false(telemetry_on(NULL));
	telemetry_event(NULL, "x", "x", NULL);
	telemetry_free(NULL);
}

static void switched_off_costs_nanoseconds(void **state)
{
	struct telemetry *t = start(NULL, NULL, NULL);
	int64_t began = clock_cpu_us();

	(void)state;
	for (int i = 0; i < 1000000; i++)
		telemetry_event(t, "hook_call", "Hook call", NULL);
	/* Some 2 ns each; this is far more, for sanitizers and slow machines. */
	assert_true(clock_cpu_us() - began < 1000000);
	telemetry_free(t);
}

static void environment_overrides_settings(void **state)
{
	static const struct {
		const char *settings, *e1, *e2;
		bool on, prompts;
	} cases[] = {
		{ "{\"telemetry\": {\"enabled\": true}}", NULL, NULL, true, true },
		{ "{\"telemetry\": {\"enabled\": true, \"logPrompts\": false}}", NULL, NULL, true,
		  false },
		{ NULL, "GEMINI_TELEMETRY_ENABLED=1", NULL, true, true },
		{ NULL, "GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_LOG_PROMPTS=false", true,
		  false },
		{ NULL, "GEMINI_TELEMETRY_ENABLED=1", "GEMINI_TELEMETRY_LOG_PROMPTS=0", true,
		  false },
		{ "{\"telemetry\": {\"enabled\": false, \"logPrompts\": false}}",
		  "GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_LOG_PROMPTS=1", true, true },
		{ "{\"telemetry\": {\"enabled\": true}}", "GEMINI_TELEMETRY_ENABLED=false", NULL,
		  false, false },
		{ "{\"telemetry\": {\"enabled\": true}}", "GEMINI_TELEMETRY_ENABLED=0", NULL, false,
		  false },
		{ "{\"telemetry\": {\"enabled\": true}}", "GEMINI_TELEMETRY_ENABLED=", NULL, false,
		  false },
		{ NULL, "GEMINI_TELEMETRY_ENABLED=perhaps", NULL, false, false },
		{ NULL, "GEMINI_TELEMETRY_ENABLED_NOT=1", NULL, false, false },
		{ "{\"telemetry\": {\"enabled\": true}}", "GEMINI_TELEMETRY_LOG_PROMPTS=no", NULL,
		  true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct telemetry *t = start(cases[i].settings, cases[i].e1, cases[i].e2);

		assert_int_equal(telemetry_on(t), cases[i].on);
		assert_int_equal(telemetry_prompts(t), cases[i].prompts);
		telemetry_free(t);
	}
	assert_int_equal(complaints, 0);
}

static void without_an_outfile_nothing_is_kept(void **state)
{
	static const char *const outfiles[] = { NULL, "GEMINI_TELEMETRY_OUTFILE=" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(outfiles); i++) {
		const char *env[] = { "GEMINI_TELEMETRY_ENABLED=1", outfiles[i], NULL };
		/* An empty variable takes the setting away. */
		const char *settings = i == 0 ? "{}" : "{\"telemetry\": {\"outfile\": \"/x\"}}";
		struct telemetry *t = telemetry_new(&(struct telemetry_options){
			.settings = parse(settings), .env = env, .complain = complain });

		assert_false(telemetry_on(t));
		telemetry_free(t);
	}
	assert_int_equal(complaints, 0);
}

static void the_outfile_of_the_settings_counts(void **state)
{
	AUTO(free) char *other = fs_join(dir, "other.log");
	AUTO(free) char *settings =
		xasprintf("{\"telemetry\": {\"enabled\": true, \"outfile\": \"%s\"}}", other);
	struct telemetry *t;

	(void)state;
	t = telemetry_new(&(struct telemetry_options){ .settings = parse(settings) });
	assert_true(telemetry_on(t));
	telemetry_free(t);
	assert_true(fs_exists(other));
	/* The environment's comes first. */
	(void)remove(other);
	t = start(settings, NULL, NULL);
	telemetry_free(t);
	assert_true(fs_exists(outfile) && !fs_exists(other));
}

static void a_record_has_the_form_that_readers_know(void **state)
{
	struct telemetry *t = start_on();
	const struct json *v;
	int64_t before = clock_wall_ms();

	(void)state;
	telemetry_event(t, "hook_call", "Hook call BeforeTool.x succeeded in 3ms",
			parse("{\"hook_event_name\": \"BeforeTool\", \"duration_ms\": 2.75,"
			      " \"success\": true, \"finish_reasons\": [\"stop\"]}"));
	/* It is in the file before anything is closed. */
	v = record(0);
	assert_string_equal(text_at(v, "/attributes/event.name"), "gemini_cli.hook_call");
	assert_string_equal(text_at(v, "/attributes/session.id"), "session-1");
	assert_string_equal(text_at(v, "/attributes/auth_type"), "gemini-api-key");
	assert_int_equal(strlen(text_at(v, "/attributes/installation.id")), 36);
	assert_int_equal(strlen(text_at(v, "/attributes/event.timestamp")), 24);
	assert_true(json_is_false(json_pointer(v, STR("/attributes/interactive"))));
	assert_string_equal(text_at(v, "/attributes/hook_event_name"), "BeforeTool");
	assert_true(json_is_true(json_pointer(v, STR("/attributes/success"))));
	assert_string_equal(text_at(v, "/attributes/finish_reasons/0"), "stop");
	assert_true(number_at(v, "/attributes/duration_ms") == 2.75);
	assert_string_equal(text_at(v, "/_body"), "Hook call BeforeTool.x succeeded in 3ms");
	assert_true(number_at(v, "/_attributesCount") == 10);
	assert_true(number_at(v, "/_droppedAttributesCount") == 0);
	assert_string_equal(text_at(v, "/instrumentationScope/name"), "gemini-cli");
	assert_true(number_at(v, "/hrTime/0") >= (double)(before / 1000));
	assert_true(number_at(v, "/hrTime/1") < 1e9 && number_at(v, "/hrTimeObserved/1") < 1e9);
	assert_string_equal(text_at(v, "/resource/_rawAttributes/3/0"), "session.id");
	telemetry_event(t, "gen_ai.client.inference.operation.details", "Details.", NULL);
	assert_string_equal(text_at(record(1), "/attributes/event.name"),
			    "gen_ai.client.inference.operation.details");
	telemetry_free(t);
}

static void another_session_after_clear(void **state)
{
	struct telemetry *t = start_on();

	(void)state;
	telemetry_event(t, "user_prompt", "1", NULL);
	telemetry_session(t, "session-2");
	telemetry_event(t, "user_prompt", "2", NULL);
	telemetry_free(t);
	assert_string_equal(text_at(record(0), "/attributes/session.id"), "session-1");
	assert_string_equal(text_at(record(1), "/attributes/session.id"), "session-2");
}

/* The only attribute "x" of a record made of this text. */
static const char *through(const char *text)
{
	struct telemetry *t = start_on();
	const struct json *x = json_new_str(&arena, str_from(text));
	const char *ret;

	telemetry_event(t, "tool_call", "x", json_set(&arena, NULL, STR("x"), x));
	ret = text_at(record(0), "/attributes/x");
	telemetry_free(t);
	assert_int_equal(remove(outfile), 0);
	return ret;
}

static void secrets_are_redacted_in_every_string(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct telemetry *t = start_on();

	(void)state;
	telemetry_event(t, "user_prompt", "Prompt with " SECRET,
			parse("{\"prompt\": \"use " SECRET " now\", \"list\": [\"" SECRET "\"],"
			      " \"deep\": {\"" SECRET "\": {\"a\": [\"x\", \"" SECRET "\"]}}}"));
	telemetry_count(t, "x", 1, parse("{\"by\": \"" SECRET "\"}"));
	telemetry_free(t);
	assert_int_equal(fs_read(outfile, 1 << 20, &text, NULL), 0);
	assert_string_equal(text_at(record(0), "/attributes/prompt"), "use " CLEAN " now");
	assert_string_equal(text_at(record(0), "/_body"), "Prompt with " CLEAN);
	assert_string_equal(text_at(record(0), "/attributes/list/0"), CLEAN);
	assert_string_equal(text_at(record(0), "/attributes/deep/" CLEAN "/a/1"), CLEAN);
	assert_string_equal(
		text_at(record(1), "/scopeMetrics/0/metrics/1/dataPoints/0/attributes/by"), CLEAN);
	assert_true(str_find(buf_str(&text), STR(SECRET), 0) < 0);
}

static void json_in_a_string_stays_json(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{ "{\"a\": \"" SECRET "\", \"n\": 1.50}", "{\"a\": \"" CLEAN "\", \"n\": 1.50}" },
		/* The form is kept, as far as there is nothing to redact. */
		{ "{\n  \"a\" : [ \"\\u0041 " SECRET "\", \"\\u0041\" ]\n}\n",
		  "{\n  \"a\" : [ \"A " CLEAN "\", \"\\u0041\" ]\n}\n" },
		/* A PEM block without an end takes its string, not the rest of the text. */
		{ "{\"a\": \"-----BEGIN RSA PRIVATE KEY-----\\nMIIE\", \"b\": 2}",
		  "{\"a\": \"[redacted: private key]\", \"b\": 2}" },
		/* JSON in a string in JSON in a string. */
		{ "{\"a\": \"{\\\"k\\\": \\\"-----BEGIN X-----\\\", \\\"l\\\": 3}\"}",
		  "{\"a\": \"{\\\"k\\\": \\\"[redacted: private key]\\\", \\\"l\\\": 3}\"}" },
		/* Hidden by escapes. */
		{ "[\"\\u0067hp_0123456789abcdefghijABCDEF\"]", "[\"" CLEAN "\"]" },
		{ "[\"https:\\/\\/me:pass@host\\/x\"]",
		  "[\"https://[redacted: password in a URL]@host/x\"]" },
		{ "{\"" SECRET "\": null}", "{\"" CLEAN "\": null}" },
		{ "\"" SECRET "\"", "\"" CLEAN "\"" },
		/* No JSON. */
		{ "{\"a\": \"" SECRET "\"", "{\"a\": \"" CLEAN "\"" },
		{ "log: " SECRET "\n{\"a\": 1}", "log: " CLEAN "\n{\"a\": 1}" },
		{ "plain \\u0041 {", "plain \\u0041 {" },
		{ "", "" },
		{ "{\"a\": 1}", "{\"a\": 1}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(through(cases[i].text), cases[i].clean);
}

static void a_string_of_any_bytes(void **state)
{
	struct telemetry *t = start_on();
	const struct json *x = json_new_str(&arena, STR("a\0b\xff\x1b[31m\n}\n{\n"));

	(void)state;
	telemetry_event(t, "tool_call", "x", json_set(&arena, NULL, STR("x"), x));
	telemetry_free(t);
	assert_int_equal(count_records(), 2);
	assert_int_equal(json_pointer(record(0), STR("/attributes/x"))->n, 16);
}

static void attributes_that_are_too_deep_are_cut(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct telemetry *t = start_on();

	(void)state;
	buf_addz(&text, "{\"x\":");
	for (int i = 0; i < 400; i++)
		buf_addc(&text, '[');
	for (int i = 0; i < 400; i++)
		buf_addc(&text, ']');
	buf_addc(&text, '}');
	telemetry_event(t, "tool_call", "x", parse(buf_z(&text)));
	telemetry_free(t);
	assert_int_equal(count_records(), 2);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void a_new_outfile_is_private_and_an_old_one_kept(void **state)
{
	mode_t mask = umask(0);

	(void)state;
	telemetry_free(start_on());
	(void)umask(mask);
	assert_int_equal(mode_of(outfile), 0600);
	assert_int_equal(chmod(outfile, 0644), 0);
	telemetry_free(start_on());
	assert_int_equal(mode_of(outfile), 0644);
	assert_int_equal(count_records(), 2);
}

static void links_are_followed_to_files_only(void **state)
{
	AUTO(free) char *other = fs_join(dir, "other.log");
	int fd;

	(void)state;
	assert_int_equal(symlink(other, outfile), 0);
	telemetry_free(start(NULL, "GEMINI_TELEMETRY_ENABLED=1", NULL));
	assert_int_equal(complaints, 1);
	assert_false(fs_exists(other));
	fd = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && close(fd) == 0);
	telemetry_free(start_on());
	assert_int_equal(count_records(), 1);
}

static void an_outfile_that_cannot_be_opened_is_told_once(void **state)
{
	struct telemetry *t;

	(void)state;
	(void)snprintf(outfile_env, sizeof outfile_env, "GEMINI_TELEMETRY_OUTFILE=%s/no/x", dir);
	t = start(NULL, "GEMINI_TELEMETRY_ENABLED=1", NULL);
	assert_false(telemetry_on(t));
	telemetry_event(t, "user_prompt", "x", NULL);
	telemetry_free(t);
	assert_int_equal(complaints, 1);
	assert_non_null(strstr(complaint, "/no/x: No such file or directory"));
	(void)snprintf(outfile_env, sizeof outfile_env, "GEMINI_TELEMETRY_OUTFILE=%s", dir);
	t = start(NULL, "GEMINI_TELEMETRY_ENABLED=1", NULL);
	assert_false(telemetry_on(t));
	telemetry_free(t);
	assert_int_equal(complaints, 2);
	/* A pipe could hold the agent. */
	assert_int_equal(mkfifo(outfile, 0600), 0);
	(void)snprintf(outfile_env, sizeof outfile_env, "GEMINI_TELEMETRY_OUTFILE=%s", outfile);
	int reader = open(outfile, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	t = start(NULL, "GEMINI_TELEMETRY_ENABLED=1", NULL);
	assert_false(telemetry_on(t));
	telemetry_free(t);
	assert_int_equal(close(reader), 0);
	assert_int_equal(complaints, 3);
}

static void a_full_disk_is_told_once(void **state)
{
	struct telemetry *t;

	(void)state;
	(void)snprintf(outfile_env, sizeof outfile_env, "GEMINI_TELEMETRY_OUTFILE=/dev/full");
	t = start_on();
	for (int i = 0; i < 3; i++)
		telemetry_event(t, "user_prompt", "x", NULL);
	assert_false(telemetry_on(t));
	telemetry_free(t);
	assert_int_equal(complaints, 1);
	assert_non_null(strstr(complaint, "No space left on device"));
}

static void a_record_that_does_not_fit_leaves_no_half_of_it(void **state)
{
	struct rlimit old, small;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	struct telemetry *t = start_on();

	(void)state;
	telemetry_event(t, "user_prompt", "fits", NULL);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ .rlim_cur = 1500, .rlim_max = old.rlim_max };
	(void)sigaction(SIGXFSZ, &ignore, &before);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	telemetry_event(t, "user_prompt", "does not fit", NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	(void)sigaction(SIGXFSZ, &before, NULL);
	assert_false(telemetry_on(t));
	telemetry_free(t);
	assert_int_equal(complaints, 1);
	assert_int_equal(count_records(), 1);
}

static void the_installation_id_is_kept(void **state)
{
	AUTO(free) char *path = fs_join(dir, ".gemini/installation_id");
	AUTO(buf_done) struct buf text = { 0 };
	struct telemetry *t;

	(void)state;
	for (int i = 0; i < 2; i++) {
		t = start_on();
		telemetry_event(t, "user_prompt", "x", NULL);
		telemetry_free(t);
	}
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(fs_read(path, 100, &text, NULL), 0);
	assert_int_equal(text.n, 36);
	assert_int_equal(text.p[14], '4');
	assert_string_equal(text_at(record(0), "/attributes/installation.id"), buf_z(&text));
	assert_string_equal(text_at(record(2), "/attributes/installation.id"), buf_z(&text));
}

static void an_installation_id_that_cannot_be_kept_is_tolerated(void **state)
{
	AUTO(free) char *gemini = fs_join(dir, ".gemini");
	struct telemetry *t;

	(void)state;
	assert_int_equal(fs_replace(gemini, STR("a file"), 0600, NULL), 0);
	t = start_on();
	telemetry_event(t, "user_prompt", "x", NULL);
	telemetry_free(t);
	assert_int_equal(complaints, 0);
	assert_int_equal(strlen(text_at(record(0), "/attributes/installation.id")), 36);
}

static void what_else_stands_in_the_id_file_is_left_alone(void **state)
{
	AUTO(free) char *gemini = fs_join(dir, ".gemini");
	AUTO(free) char *path = fs_join(gemini, "installation_id");
	AUTO(buf_done) struct buf text = { 0 }, big = { 0 };

	(void)state;
	assert_int_equal(mkdir(gemini, 0700), 0);
	assert_int_equal(fs_replace(path, STR("not an id!\n"), 0600, NULL), 0);
	telemetry_free(start_on());
	assert_int_equal(fs_read(path, 100, &text, NULL), 0);
	assert_string_equal(buf_z(&text), "not an id!\n");
	while (big.n < 1000)
		buf_addz(&big, "much ");
	assert_int_equal(fs_replace(path, buf_str(&big), 0600, NULL), 0);
	telemetry_free(start_on());
	buf_clear(&text);
	assert_int_equal(fs_read(path, 2000, &text, NULL), 0);
	assert_int_equal(text.n, 1000);
}

static const struct json *metric(const struct json *v, const char *name)
{
	const struct json *all = json_pointer(v, STR("/scopeMetrics/0/metrics"));

	for (size_t i = 0; all && i < all->n; i++)
		if (strcmp(text_at(json_at(all, i), "/descriptor/name"), name) == 0)
			return json_at(all, i);
	fail_msg("no metric %s", name);
	return NULL;
}

static void counters_are_put_together_by_attributes(void **state)
{
	struct telemetry *t = start_on();
	const struct json *m;

	(void)state;
	telemetry_count(t, "token.usage", 5, parse("{\"model\": \"m\", \"type\": \"input\"}"));
	telemetry_count(t, "token.usage", 7, parse("{\"type\": \"input\", \"model\": \"m\"}"));
	telemetry_count(t, "token.usage", 1, parse("{\"model\": \"m\", \"type\": \"output\"}"));
	telemetry_free(t);
	m = metric(record(0), "gemini_cli.token.usage");
	assert_string_equal(text_at(m, "/descriptor/type"), "COUNTER");
	assert_true(number_at(m, "/descriptor/valueType") == 0);
	assert_true(number_at(m, "/aggregationTemporality") == 1);
	assert_true(number_at(m, "/dataPointType") == 3);
	assert_true(json_is_true(json_getz(m, "isMonotonic")));
	assert_int_equal(json_getz(m, "dataPoints")->n, 2);
	assert_true(number_at(m, "/dataPoints/0/value") == 12);
	assert_true(number_at(m, "/dataPoints/1/value") == 1);
	assert_string_equal(text_at(m, "/dataPoints/0/attributes/type"), "input");
	assert_string_equal(text_at(m, "/dataPoints/0/attributes/session.id"), "session-1");
	assert_int_equal(json_pointer(m, STR("/dataPoints/0/startTime"))->n, 2);
	assert_true(number_at(m, "/dataPoints/0/startTime/0") <=
		    number_at(m, "/dataPoints/0/endTime/0"));
	/* At least one record a run, with the count of sessions. */
	m = metric(record(0), "gemini_cli.session.count");
	assert_true(number_at(m, "/dataPoints/0/value") == 1);
	assert_string_equal(text_at(record(0), "/scopeMetrics/0/scope/name"), "gemini-cli");
}

static void histograms_count_by_bucket(void **state)
{
	static const double values[] = { 0, 5, 5.5, 100, 20000 };
	struct telemetry *t = start_on();
	const struct json *m, *counts;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		telemetry_measure(t, "tool.call.latency", values[i], "ms",
				  parse("{\"function_name\": \"glob\"}"));
	telemetry_free(t);
	m = metric(record(0), "gemini_cli.tool.call.latency");
	assert_string_equal(text_at(m, "/descriptor/type"), "HISTOGRAM");
	assert_string_equal(text_at(m, "/descriptor/unit"), "ms");
	assert_true(number_at(m, "/descriptor/valueType") == 1);
	assert_true(number_at(m, "/dataPointType") == 0);
	assert_null(json_getz(m, "isMonotonic"));
	assert_true(number_at(m, "/dataPoints/0/value/min") == 0);
	assert_true(number_at(m, "/dataPoints/0/value/max") == 20000);
	assert_true(number_at(m, "/dataPoints/0/value/sum") == 20110.5);
	assert_true(number_at(m, "/dataPoints/0/value/count") == 5);
	counts = json_pointer(m, STR("/dataPoints/0/value/buckets/counts"));
	assert_int_equal(json_pointer(m, STR("/dataPoints/0/value/buckets/boundaries"))->n, 15);
	assert_string_equal(json_text(&arena, counts, JSON_COMPACT).p,
			    "[1,1,1,0,0,0,1,0,0,0,0,0,0,0,0,1]");
}

static void points_of_a_metric_have_a_limit(void **state)
{
	struct telemetry *t = start_on();
	const struct json *m, *points;

	(void)state;
	for (int i = 0; i < 2500; i++)
		telemetry_count(t, "file.operation.count", 1,
				json_set(&arena, NULL, STR("lines"), json_new_int(&arena, i)));
	telemetry_free(t);
	m = metric(record(0), "gemini_cli.file.operation.count");
	points = json_getz(m, "dataPoints");
	assert_int_equal(points->n, 2000);
	assert_true(number_at(json_at(points, 1999), "/value") == 501);
	assert_true(json_is_true(
		json_pointer(json_at(points, 1999), STR("/attributes/otel.metric.overflow"))));
}

enum { WRITERS = 4, EVENTS = 100 };

static void *write_events(void *data)
{
	struct telemetry *t = data;
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };

	for (int i = 0; i < EVENTS; i++) {
		const struct json *x = json_new_str(&a, buf_str(&text));

		telemetry_event(t, "tool_call", "x", json_set(&a, NULL, STR("x"), x));
		telemetry_count(t, "tool.call.count", 1, NULL);
		if (i % 10 == 0)
			telemetry_session(t, "session-1");
		for (int k = 0; k < 40; k++)
			buf_addz(&text, "many bytes");
	}
	return NULL;
}

/* Two objects have two descriptors, as two processes have. */
static void records_of_many_writers_stay_whole(void **state)
{
	struct telemetry *t[2] = { start_on(), start_on() };
	pthread_t threads[WRITERS];
	const struct json *last;

	(void)state;
	for (size_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_events, t[i % 2]), 0);
	for (size_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	telemetry_free(t[0]);
	telemetry_free(t[1]);
	assert_int_equal(count_records(), WRITERS * EVENTS + 2);
	last = metric(record(WRITERS * EVENTS + 1), "gemini_cli.tool.call.count");
	assert_true(number_at(last, "/dataPoints/0/value") == WRITERS / 2 * EVENTS);
}

/* What names a hook when its command may not be told. */
static void hook_names_without_arguments(void **state)
{
	static const struct {
		const char *command, *name;
	} cases[] = {
		{ "/a/b/check.sh --x", "check.sh" },
		{ "check.sh", "check.sh" },
		{ "  python3\t/x/y.py", "python3" },
		{ "\"$GEMINI_PROJECT_DIR/.gemini/guard.sh\" --token x", "guard.sh" },
		{ "'/with space/run it.sh' now", "run it.sh" },
		{ "TOKEN=hunter2 A='b c' ./send.sh", "send.sh" },
		{ "C:\\hooks\\check.exe /q", "check.exe" },
		{ "", "unknown-command" },
		{ "   ", "unknown-command" },
		{ "/", "unknown-command" },
		{ "A=b", "unknown-command" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str name = telemetry_hook_name(str_from(cases[i].command));

		assert_string_equal(arena_z(&arena, name), cases[i].name);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(off_by_default_leaves_no_trace),
		TEST(switched_off_costs_nanoseconds),
		TEST(environment_overrides_settings),
		TEST(without_an_outfile_nothing_is_kept),
		TEST(the_outfile_of_the_settings_counts),
		TEST(a_record_has_the_form_that_readers_know),
		TEST(another_session_after_clear),
		TEST(secrets_are_redacted_in_every_string),
		TEST(json_in_a_string_stays_json),
		TEST(a_string_of_any_bytes),
		TEST(attributes_that_are_too_deep_are_cut),
		TEST(a_new_outfile_is_private_and_an_old_one_kept),
		TEST(links_are_followed_to_files_only),
		TEST(an_outfile_that_cannot_be_opened_is_told_once),
		TEST(a_full_disk_is_told_once),
		TEST(a_record_that_does_not_fit_leaves_no_half_of_it),
		TEST(the_installation_id_is_kept),
		TEST(an_installation_id_that_cannot_be_kept_is_tolerated),
		TEST(what_else_stands_in_the_id_file_is_left_alone),
		TEST(counters_are_put_together_by_attributes),
		TEST(histograms_count_by_bucket),
		TEST(points_of_a_metric_have_a_limit),
		TEST(records_of_many_writers_stay_whole),
		TEST(hook_names_without_arguments),
	};

	return cmocka_run_group_tests_name("telemetry", tests, NULL, NULL);
}
