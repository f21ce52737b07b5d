/* Warm hooks (C6.9): the process of the next firing waits for it. */
#include "engine_fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"

/* Notes its process id, reads its input, notes that it has, and answers as `more` says. */
#define SCRIPT(more)                                                                               \
	"#!/bin/sh\n"                                                                              \
	"echo $$ >>started\n"                                                                      \
	"input=$(cat)\n"                                                                           \
	"echo $$ >>read\n" more "\necho \"{\\\"systemMessage\\\":\\\"$$\\\"}\"\n"

static struct tl_hooks *load_as(unsigned flags, const char *event, const char *script,
				const char *more)
{
	const char *text = fx_settings(event, fx_script("hook.sh", script), fx_json("%s", more));
	struct tl_source s = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "settings.json",
					    .text = text, .length = strlen(text));

	return FX_LOAD(.flags = TL_LOAD_NO_FILES | flags, .sources = &s, .nsources = 1);
}

static struct tl_hooks *load(const char *script, const char *more)
{
	return load_as(TL_LOAD_WARM, "BeforeTool", script, more);
}

static struct tl_outcome *fire(struct tl_hooks *h, const char *session, const char *cwd)
{
	const char *json = "{\"command\":\"ls\"}";
	struct tl_field field = { "tool_input", json, strlen(json) };

	return FX_FIRE(h, .name = "BeforeTool", .subject = "shell", .session_id = session,
		       .cwd = cwd, .fields = &field, .nfields = 1);
}

/* One firing that the hook answers with its process id. */
static long pid_of(struct tl_hooks *h, const char *session, bool warm)
{
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, session, NULL);
	struct tl_report r = fx_report(o, 0);

	assert_int_equal(r.how, TL_CLASS_OK);
	assert_int_equal(r.warm, warm);
	return strtol(r.message, NULL, 10);
}

/* The process ids in a file, once there are n; returns the last one. */
static long wait_pids(const char *file, size_t n)
{
	int64_t until = clock_us() + (int64_t)WAIT_MS * 1000;
	const char *path = fx_path(file);

	for (;;) {
		AUTO(buf_done) struct buf text = { 0 };
		size_t lines = 0, last = 0;

		(void)fs_read(path, 1 << 20, &text, NULL);
		for (size_t i = 0; i < text.n; i++)
			if (text.p[i] == '\n' && ++lines < n)
				last = i + 1;
		if (lines >= n)
			return strtol(buf_z(&text) + last, NULL, 10);
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
}

static void c6_9_the_process_that_waits_answers(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1");
	long waits;

	(void)state;
	assert_int_equal(fx_hook(h, 0).warm, 1);
	(void)pid_of(h, "s", false);
	for (size_t n = 2; n < 20; n++) {
		waits = wait_pids("project/started", n);
		assert_int_equal(pid_of(h, "s", true), waits);
	}
}

static void c6_9_as_many_as_it_says(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':8");

	(void)state;
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 9);
	for (int i = 0; i < 8; i++)
		(void)pid_of(h, "s", true);
	(void)wait_pids("project/started", 17);
}

static void c6_9_none_where_the_host_does_not_live_on(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_as(0, "BeforeTool", SCRIPT(""), "'warm':2");

	(void)state;
	(void)pid_of(h, "s", false);
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 2);
	assert_int_equal(strlen(fx_read("project/read")), strlen(fx_read("project/started")));
}

static void c6_9_the_session_begins_with_them(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1");
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "SessionStart", .subject = "startup", .session_id = "s");
	long waits = wait_pids("project/started", 1);

	(void)state;
	assert_non_null(o);
	assert_int_equal(pid_of(h, "s", true), waits);
}

/* What waits sees neither a question of another session nor the end of its own. */
static void c6_9_its_session_alone(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1");
	long of_a, of_b;

	(void)state;
	(void)pid_of(h, "a", false);
	of_a = wait_pids("project/started", 2);
	(void)pid_of(h, "b", false);
	of_b = wait_pids("project/started", 4);
	tl_hooks_end_session(h, "a");
	fx_wait_gone(of_a);
	assert_int_equal(kill((pid_t)of_b, 0), 0);
	assert_int_equal(pid_of(h, "b", true), of_b);
	assert_null(strstr(fx_read("project/read"), fx_fmt("%ld\n", of_a)));
}

static void c6_9_the_snapshot_ends_all(void **state)
{
	struct tl_hooks *h = load(SCRIPT(""), "'warm':3");

	(void)state;
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 4);
	tl_hooks_unref(h);
	for (size_t n = 2; n <= 4; n++)
		fx_wait_gone(wait_pids("project/started", n));
	assert_int_equal(wait_pids("project/read", 1), wait_pids("project/started", 1));
}

static void c6_9_not_what_was_started_otherwise(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1");
	long waits;

	(void)state;
	(void)pid_of(h, "s", false);
	waits = wait_pids("project/started", 2);
	/* another directory */
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", fx.home);
	assert_false(fx_report(o, 0).warm);
	fx_wait_gone(waits);
}

/* It would look at what lies there, and not at what lies where the call is. */
static void c6_9_not_in_a_directory_that_was_moved(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1");
	AUTO(free) char *dir = xasprintf("%s/work", fx.home), *moved = xasprintf("%s.old", dir);

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	tl_outcome_free(fire(h, "s", dir));
	(void)wait_pids("home/work/started", 2);
	assert_int_equal(rename(dir, moved), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", dir);
	assert_false(fx_report(o, 0).warm);
}

static void c6_9_a_changed_script_is_what_runs(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1");

	(void)state;
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 2);
	(void)fx_script("hook.sh", SCRIPT("echo '{\"systemMessage\":\"new\"}'; exit 0"));
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", NULL);
	assert_string_equal(fx_report(o, 0).message, "new");
	assert_false(fx_report(o, 0).warm);
}

static void c6_9_a_guard_whose_script_changes_denies(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1,'guard':true");

	(void)state;
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 2);
	(void)fx_script("hook.sh", SCRIPT("exit 0"));
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", NULL);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
}

/* Each of these ends as it does from a fresh process. */
static void c6_9_the_same_verdicts(void **state)
{
	static const struct {
		const char *text;
		enum tl_class how;
		enum tl_verdict verdict;
	} cases[] = {
		{ "echo no >&2; exit 2", TL_CLASS_BLOCKED, TL_VERDICT_DENY },
		{ "echo '{\"decision\":\"deny\",\"reason\":\"no\"}'; exit 0", TL_CLASS_OK,
		  TL_VERDICT_DENY },
		{ "exit 1", TL_CLASS_WARNED, TL_VERDICT_DENY },
		{ "kill -9 $$", TL_CLASS_SIGNALLED, TL_VERDICT_DENY },
		{ "while :; do sleep 100; done", TL_CLASS_TIMED_OUT, TL_VERDICT_DENY },
		{ "head -c 9000000 /dev/zero | tr '\\\\0' x; exit 0", TL_CLASS_TOO_BIG,
		  TL_VERDICT_DENY },
		{ "echo text", TL_CLASS_BAD_OUTPUT, TL_VERDICT_DENY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *script = fx_fmt("#!/bin/sh\necho $$ >>started%zu\ncat >/dev/null\n%s\n",
					    i, cases[i].text);
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			load(script, "'warm':1,'guard':true,'timeout':400");

		for (size_t n = 0; n < 2; n++) {
			AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", NULL);
			struct tl_report r = fx_report(o, 0);

			assert_int_equal(r.warm, n);
			assert_int_equal(r.how, cases[i].how);
			assert_int_equal(tl_outcome_verdict(o), cases[i].verdict);
			(void)wait_pids(fx_fmt("project/started%zu", i), n + 2);
		}
	}
}

/* It has its whole time from the firing on, however long it has waited. */
static void c6_9_the_deadline_counts_from_the_firing(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1,'timeout':3000");
	int64_t from;

	(void)state;
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 2);
	from = clock_us();
	while (clock_us() - from < 3200000)
		(void)fd_sleep(NULL, 50);
	(void)pid_of(h, "s", true);
}

static void c6_9_who_ends_while_waiting_was_not_asked(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1,'guard':true");
	long waits;

	(void)state;
	(void)pid_of(h, "s", false);
	for (size_t n = 2; n < 8; n += 2) {
		waits = wait_pids("project/started", n);
		assert_int_equal(kill(-(pid_t)waits, SIGKILL), 0);
		fx_wait_gone(waits);
		assert_int_not_equal(pid_of(h, "s", false), waits);
	}
}

/* A hook that never reads answers all the same, each firing with a process of its own. */
static void c6_9_a_hook_that_does_not_read(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load("#!/bin/sh\nexit 2\n", "'warm':4");

	(void)state;
	for (int i = 0; i < 50; i++) {
		AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", NULL);

		assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	}
}

/*
 * It gives up waiting, with a status that would let the call through, after it was asked and before
 * it has read anything.
 */
static void c6_9_an_end_without_reading_is_no_answer(void **state)
{
	static const char script[] = "#!/bin/sh\nmode=$(cat mode)\necho $$ >>started\n"
				     "[ \"$mode\" = deny ] && { cat >/dev/null; exit 2; }\n"
				     "while [ ! -e go ]; do sleep 0.01; done\nexit 0\n";
	const char *json = "{\"command\":\"ls\"}";
	struct tl_field field = { "tool_input", json, strlen(json) };
	struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = "shell",
					      .session_id = "s", .fields = &field, .nfields = 1);
	AUTO(tl_hooks_unref) struct tl_hooks *h = NULL;
	AUTO(tl_outcome_free) struct tl_outcome *o = NULL;
	struct tl_job *job;
	struct pollfd fds[16];
	int timeout_ms;
	size_t n = 0;

	(void)state;
	(void)fx_write("project/mode", "leave");
	h = load(script, "'warm':1,'guard':true");
	AUTO(tl_outcome_free) struct tl_outcome *start =
		FX_FIRE(h, .name = "SessionStart", .subject = "startup", .session_id = "s");
	assert_non_null(start);
	(void)wait_pids("project/started", 1);
	(void)fx_write("project/mode", "deny");
	job = tl_job_new(h, &event, NULL);
	assert_non_null(job);
	(void)fx_write("project/go", "");
	while (!tl_job_step(job, n ? fds : NULL, n)) {
		n = tl_job_fds(job, fds, ARRAY_LEN(fds), &timeout_ms);
		(void)poll(fds, n, timeout_ms);
	}
	assert_int_equal(tl_job_finish(job, &o, NULL), 0);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_false(fx_report(o, 0).warm);
}

static void c6_9_not_for_longer_than_it_says(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':1,'warmSeconds':1");
	int64_t from;

	(void)state;
	(void)pid_of(h, "s", false);
	(void)wait_pids("project/started", 2);
	from = clock_us();
	while (clock_us() - from < 1100000)
		(void)fd_sleep(NULL, 20);
	(void)pid_of(h, "s", false);
}

static void c6_9_a_notification_is_in_its_environment(void **state)
{
	const char *text = fx_json("{'hooks':{'Notification':[{'hooks':[{'type':'command',"
				   "'command':'%s','warm':1}]}]}}",
				   fx_script("hook.sh", SCRIPT("")));
	struct tl_source s =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .dialect = "jpfork", .name = "settings.json",
			       .text = text, .length = strlen(text));
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		FX_LOAD(.flags = TL_LOAD_NO_FILES | TL_LOAD_WARM, .sources = &s, .nsources = 1);

	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *json = fx_json("'message %d'", i);
		struct tl_field field = { "message", json, strlen(json) };
		AUTO(tl_outcome_free) struct tl_outcome *o =
			FX_FIRE(h, .name = "Notification", .subject = "idle", .session_id = "s",
				.fields = &field, .nfields = 1);

		assert_false(fx_report(o, 0).warm);
	}
}

static void c6_9_counts_from_one_to_eight(void **state)
{
	static const struct {
		const char *more;
		int warm;
		bool odd;
	} cases[] = {
		{ "'warm':1", 1, false },
		{ "'warm':8", 8, false },
		{ "'warm':0", 0, true },
		{ "'warm':9", 0, true },
		{ "'warm':1.5", 0, true },
		{ "'warm':-1", 0, true },
		{ "'warm':1,'warmSeconds':0", 1, true },
		{ "'warm':1,'warmSeconds':86400", 1, false },
		{ "'warm':1,'warmSeconds':86401", 1, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), cases[i].more);

		assert_int_equal(fx_hook(h, 0).warm, cases[i].warm);
		assert_int_equal(fx_count_diags(h, "bad-value"), cases[i].odd);
	}
	AUTO(tl_hooks_unref) struct tl_hooks *h = load(SCRIPT(""), "'warm':2,'persistent':true");
	assert_int_equal(fx_hook(h, 0).warm, 0);
	assert_int_equal(fx_count_diags(h, "no-effect"), 1);
}

/* ---- hooks that announce their end ---- */

/*
 * Announces by itself what the interpreter announces for others, and goes on as `more` says when it
 * was let go.
 */
#define ANNOUNCES(said, status, more)                                                              \
	"#!/usr/bin/python3\n"                                                                     \
	"import os, sys, time\n"                                                                   \
	"def note(file):\n"                                                                        \
	"    with open(file, 'a') as f: f.write('%d\\n' % os.getpid())\n"                          \
	"note('started')\n"                                                                        \
	"sys.stdin.read()\n"                                                                       \
	"print('" said "', flush=True)\n"                                                          \
	"os.write(4, b'exit " status "\\n')\n"                                                     \
	"os.read(4, 1)\n" more

static bool has_python(void)
{
	return access("/usr/bin/python3", X_OK) == 0;
}

/* What waits is there. */
static long wait_for_next(struct tl_hooks *h)
{
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "SessionStart", .subject = "startup", .session_id = "s");

	assert_non_null(o);
	return wait_pids("project/started", 1);
}

/* The host does nothing more, and all the same the process is reaped when it has ended. */
static void c6_9_what_it_announces_is_the_answer(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = NULL;
	long pid;

	(void)state;
	if (!has_python())
		skip();
	h = load(ANNOUNCES("", "2", "note('went')\n"), "'warm':1,'guard':true");
	pid = wait_for_next(h);
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", NULL);
	struct tl_report r = fx_report(o, 0);
	assert_true(r.warm);
	assert_int_equal(r.how, TL_CLASS_BLOCKED);
	assert_int_equal(r.exit_code, 2);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_int_equal(wait_pids("project/went", 1), pid);
	fx_wait_gone(pid);
}

static void c6_9_the_snapshot_waits_for_an_announced_end(void **state)
{
	struct tl_hooks *h = NULL;

	(void)state;
	if (!has_python())
		skip();
	h = load(ANNOUNCES("", "0", "time.sleep(0.2)\nnote('went')\n"), "'warm':1");
	(void)wait_for_next(h);
	tl_outcome_free(fire(h, "s", NULL));
	tl_hooks_unref(h);
	assert_true(fs_exists(fx_path("project/went")));
}

static void c6_9_the_snapshot_does_not_wait_for_ever(void **state)
{
	struct tl_hooks *h = NULL;
	long pid;

	(void)state;
	if (!has_python())
		skip();
	h = load(ANNOUNCES("", "0", "time.sleep(1000)\n"), "'warm':1");
	pid = wait_for_next(h);
	tl_outcome_free(fire(h, "s", NULL));
	assert_int_equal(kill((pid_t)pid, 0), 0);
	tl_hooks_unref(h);
	assert_int_equal(kill((pid_t)pid, 0), -1);
}

static void c6_9_the_deadline_holds_for_what_has_announced(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = NULL;
	long pid;

	(void)state;
	if (!has_python())
		skip();
	h = load(ANNOUNCES("", "0", "time.sleep(1000)\n"), "'warm':1,'timeout':1000");
	pid = wait_for_next(h);
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, "s", NULL);
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_OK);
	assert_int_equal(kill((pid_t)pid, 0), 0);
	fx_wait_gone(pid);
}

/* It has said that it answers later: what it says until its end counts, however soon that is. */
static void asynchronous(const char *pause)
{
	const char *script =
		fx_fmt("#!/usr/bin/python3\nimport os, sys, time\n"
		       "with open('started', 'a') as f: f.write('%%d\\n' %% os.getpid())\n"
		       "sys.stdin.read()\nprint('{\"async\": true}', flush=True)\n"
		       "%s\nprint('{\"systemMessage\": \"late\"}')\n",
		       pause);
	const char *text, *json = "{\"command\":\"ls\"}";
	struct tl_field field = { "tool_input", json, strlen(json) };
	struct tl_source s;
	struct tl_late *late = NULL;
	int64_t until = clock_us() + (int64_t)WAIT_MS * 1000;

	text = fx_json("{'hooks':{'PreToolUse':[{'hooks':[{'type':'command','command':'%s',"
		       "'warm':1}]}]}}",
		       fx_script("hook.sh", script));
	s = (struct tl_source)TL_SOURCE_INIT(.tier = TL_TIER_USER, .dialect = "claude",
					     .name = "settings.json", .text = text,
					     .length = strlen(text));
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		FX_LOAD(.flags = TL_LOAD_NO_FILES | TL_LOAD_WARM, .sources = &s, .nsources = 1);
	(void)wait_for_next(h);
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "BeforeTool", .subject = "shell", .session_id = "s",
			.fields = &field, .nfields = 1);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
	while (tl_late_get(h, "s", 0, NULL, &late) == 0) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
	assert_string_equal(tl_late_message(late), "late");
	tl_late_free(late);
}

static void c6_9_an_asynchronous_hook_is_over_when_it_has_ended(void **state)
{
	(void)state;
	if (!has_python())
		skip();
	asynchronous("time.sleep(0.2)");
	asynchronous("");
}

/* An unmodified hook, many times in a row: each answer is that of its own payload. */
static void c6_9_many_answers_in_a_row(void **state)
{
	static const char script[] =
		"#!/usr/bin/env python3\nimport os, sys\n"
		"with open('started', 'a') as f: f.write('%d\\n' % os.getpid())\n"
		"sys.exit('forbidden' if 'rm' in sys.stdin.read() else None)\n";
	AUTO(tl_hooks_unref) struct tl_hooks *h = NULL;

	(void)state;
	if (!has_python())
		skip();
	h = load(script, "'warm':2,'guard':true");
	(void)wait_for_next(h);
	for (size_t i = 0; i < 20; i++) {
		const char *json = i % 3 ? "{\"command\":\"ls\"}" : "{\"command\":\"rm x\"}";
		struct tl_field field = { "tool_input", json, strlen(json) };
		AUTO(tl_outcome_free) struct tl_outcome *o =
			FX_FIRE(h, .name = "BeforeTool", .subject = "shell", .session_id = "s",
				.fields = &field, .nfields = 1);

		assert_int_equal(tl_outcome_verdict(o) == TL_VERDICT_DENY, i % 3 == 0);
		if (i % 4 == 0)
			(void)wait_pids("project/started", i + 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c6_9_the_process_that_waits_answers),
		ENGINE_TEST(c6_9_as_many_as_it_says),
		ENGINE_TEST(c6_9_none_where_the_host_does_not_live_on),
		ENGINE_TEST(c6_9_the_session_begins_with_them),
		ENGINE_TEST(c6_9_its_session_alone),
		ENGINE_TEST(c6_9_the_snapshot_ends_all),
		ENGINE_TEST(c6_9_not_what_was_started_otherwise),
		ENGINE_TEST(c6_9_not_in_a_directory_that_was_moved),
		ENGINE_TEST(c6_9_a_changed_script_is_what_runs),
		ENGINE_TEST(c6_9_a_guard_whose_script_changes_denies),
		ENGINE_TEST(c6_9_the_same_verdicts),
		ENGINE_TEST(c6_9_the_deadline_counts_from_the_firing),
		ENGINE_TEST(c6_9_who_ends_while_waiting_was_not_asked),
		ENGINE_TEST(c6_9_a_hook_that_does_not_read),
		ENGINE_TEST(c6_9_an_end_without_reading_is_no_answer),
		ENGINE_TEST(c6_9_not_for_longer_than_it_says),
		ENGINE_TEST(c6_9_a_notification_is_in_its_environment),
		ENGINE_TEST(c6_9_counts_from_one_to_eight),
		ENGINE_TEST(c6_9_what_it_announces_is_the_answer),
		ENGINE_TEST(c6_9_the_snapshot_waits_for_an_announced_end),
		ENGINE_TEST(c6_9_the_snapshot_does_not_wait_for_ever),
		ENGINE_TEST(c6_9_the_deadline_holds_for_what_has_announced),
		ENGINE_TEST(c6_9_an_asynchronous_hook_is_over_when_it_has_ended),
		ENGINE_TEST(c6_9_many_answers_in_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
