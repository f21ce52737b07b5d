/*
 * The stepping form of a firing: a host with a loop of its own goes on while hooks run (C2.6), and
 * what only a host can see: the fields that it alone knows, wrapped contexts, who changed what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "trotline.h"

enum { FDS_MAX = 32, GIVE_UP_S = 60 };

/* A directory in which hooks run; its files are how the test and the hooks meet. */
static char dir[] = "/tmp/test-step-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* Hooks that were killed leave nothing; these files are what the others made. */
static int remove_dir(void **state)
{
	static const char *const made[] = { "a", "first", "second" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		AUTO(free) char *path = path_of(made[i]);

		(void)unlink(path);
	}
	return rmdir(dir);
}

static bool exists(const char *name)
{
	AUTO(free) char *path = path_of(name);

	return access(path, F_OK) == 0;
}

static void touch(const char *name)
{
	AUTO(free) char *path = path_of(name);
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
}

static struct tl_hooks *load(const char *settings, const struct tl_runtime_hook *runtime)
{
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "test",
						 .text = settings, .length = strlen(settings));
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES | TL_LOAD_TRUST, .cwd = dir,
				.project_dir = dir, .home = dir, .sources = &source, .nsources = 1,
				.runtime = runtime, .nruntime = runtime != NULL);
	struct tl_hooks *hooks = NULL;
	struct tl_err err = { 0 };

	if (tl_hooks_load(&o, &hooks, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tl_hooks_diagnostic_count(hooks), 0);
	return hooks;
}

static struct tl_job *start(struct tl_hooks *hooks, const struct tl_event *event)
{
	struct tl_err err = { 0 };
	struct tl_job *job = tl_job_new(hooks, event, &err);

	if (!job)
		fail_msg("%s", err.text);
	return job;
}

/* The loop of a host, until the job is done or condition() holds. */
static bool loop(struct tl_job *job, bool (*condition)(void))
{
	time_t give_up = time(NULL) + GIVE_UP_S;
	struct pollfd fds[FDS_MAX];
	int timeout_ms;
	size_t n = 0;

	while (!tl_job_step(job, n ? fds : NULL, n)) {
		if (condition && condition())
			return false;
		assert_true(time(NULL) < give_up);
		n = tl_job_fds(job, fds, FDS_MAX, &timeout_ms);
		assert_in_range(n, 1, FDS_MAX);
		/* The condition is another process's work: no descriptor tells of it. */
		if (condition || timeout_ms < 0 || timeout_ms > 1000)
			timeout_ms = condition ? 5 : 1000;
		assert_true(poll(fds, n, timeout_ms) >= 0);
	}
	return true;
}

static struct tl_outcome *finish(struct tl_job *job)
{
	struct tl_outcome *o = NULL;
	struct tl_err err = { 0 };

	if (tl_job_finish(job, &o, &err) < 0)
		fail_msg("%s", err.text);
	return o;
}

static bool hook_has_started(void)
{
	return exists("started");
}

#define WAITING_HOOK(event)                                                                        \
	"{\"hooks\":{\"" event "\":[{\"hooks\":[{\"type\":\"command\",\"command\":"                \
	"\": >started; while [ ! -e announced ]; do sleep 0.01; done; echo seen\"}]}]}}"

/* The hook ends only once the host has announced: a host that waited would never get there. */
static void host_goes_on(const char *settings, const char *event, const char *subject)
{
	AUTO(free) char *started = path_of("started"), *announced = path_of("announced");
	struct tl_hooks *hooks = load(settings, NULL);
	struct tl_job *job =
		start(hooks, &(struct tl_event)TL_EVENT_INIT(.name = event, .subject = subject));
	struct tl_outcome *o;

	assert_false(loop(job, hook_has_started));
	touch("announced");
	assert_true(loop(job, NULL));
	o = finish(job);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
	assert_string_equal(tl_outcome_message(o), "seen");
	tl_outcome_free(o);
	tl_hooks_unref(hooks);
	assert_int_equal(unlink(started) + unlink(announced), 0);
}

static void c2_6_notification_delays_nothing(void **state)
{
	(void)state;
	host_goes_on(WAITING_HOOK("Notification"), "Notification", "ToolPermission");
}

static void c2_6_precompress_delays_nothing(void **state)
{
	(void)state;
	host_goes_on(WAITING_HOOK("PreCompress"), "PreCompress", "auto");
}

/* Two firings that wait for each other, in one loop: neither step waits. */
static void c2_6_two_firings_at_once(void **state)
{
	static const char settings[] =
		"{\"hooks\":{"
		"\"PreCompress\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
		"\": >first; while [ ! -e second ]; do sleep 0.01; done\"}]}],"
		"\"Notification\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
		"\": >second; while [ ! -e first ]; do sleep 0.01; done\"}]}]}}";
	time_t give_up = time(NULL) + GIVE_UP_S;
	struct tl_hooks *hooks = load(settings, NULL);
	struct tl_job *jobs[] = {
		start(hooks,
		      &(struct tl_event)TL_EVENT_INIT(.name = "PreCompress", .subject = "auto")),
		start(hooks,
		      &(struct tl_event)TL_EVENT_INIT(.name = "Notification", .subject = "x")),
	};
	bool done[2] = { false, false };

	(void)state;
	while (!done[0] || !done[1]) {
		struct pollfd fds[2 * FDS_MAX];
		size_t n = 0;

		assert_true(time(NULL) < give_up);
		for (size_t i = 0; i < 2; i++) {
			done[i] = done[i] || tl_job_step(jobs[i], NULL, 0);
			if (!done[i])
				n += tl_job_fds(jobs[i], fds + n, FDS_MAX, NULL);
		}
		if (n)
			assert_true(poll(fds, n, 1000) >= 0);
	}
	for (size_t i = 0; i < 2; i++)
		tl_outcome_free(finish(jobs[i]));
	tl_hooks_unref(hooks);
}

/* With too little room nothing is filled, and the host learns how much it needs. */
static void room_for_descriptors(void **state)
{
	struct tl_hooks *hooks = load(WAITING_HOOK("Notification"), NULL);
	struct tl_job *job = start(
		hooks, &(struct tl_event)TL_EVENT_INIT(.name = "Notification", .subject = "x"));
	struct pollfd fds[FDS_MAX] = { { .fd = -7 } };
	size_t needed = tl_job_fds(job, fds, 0, NULL);

	(void)state;
	assert_in_range(needed, 1, FDS_MAX);
	assert_int_equal(fds[0].fd, -7);
	assert_int_equal(tl_job_fds(job, fds, FDS_MAX, NULL), needed);
	touch("announced");
	assert_true(loop(job, NULL));
	tl_outcome_free(finish(job));
	tl_hooks_unref(hooks);
	assert_int_equal(exists("started"), 1);
	AUTO(free) char *started = path_of("started"), *announced = path_of("announced");
	assert_int_equal(unlink(started) + unlink(announced), 0);
}

/* A job that was given up: its hooks are ended, and the host is told. */
static void finishing_early_cancels(void **state)
{
	static const char settings[] = "{\"hooks\":{\"Notification\":[{\"hooks\":[{\"type\":"
				       "\"command\",\"command\":\"exec sleep 100\"}]}]}}";
	struct tl_hooks *hooks = load(settings, NULL);
	struct tl_job *job = start(
		hooks, &(struct tl_event)TL_EVENT_INIT(.name = "Notification", .subject = "x"));
	struct tl_outcome *o = NULL;
	struct tl_err err = { 0 };

	(void)state;
	assert_int_equal(tl_job_step(job, NULL, 0), 0);
	assert_int_equal(tl_job_finish(job, &o, &err), -TL_E_CANCEL);
	assert_int_equal(err.code, TL_E_CANCEL);
	assert_null(o);
	tl_hooks_unref(hooks);
}

/* ---- what only a host can say or see ---- */

static char payload[4096];

static int keep_payload(struct tl_call *call, void *data)
{
	(void)data;
	assert_in_range(call->length, 1, sizeof payload - 1);
	memcpy(payload, call->payload, call->length);
	payload[call->length] = '\0';
	return 0;
}

static struct tl_outcome *fire(struct tl_hooks *hooks, const struct tl_event *event)
{
	struct tl_outcome *o = NULL;
	struct tl_err err = { 0 };

	if (tl_fire(hooks, event, NULL, &o, &err) < 0)
		fail_msg("%s", err.text);
	return o;
}

static void c2_4_fields_of_the_host(void **state)
{
	static const char input[] = "{\"command\":\"ls\"}", original[] = "{\"command\":\"rm\"}";
	struct tl_runtime_hook hook =
		TL_RUNTIME_HOOK_INIT(.event = "AfterTool", .name = "keep", .call = keep_payload);
	struct tl_field fields[] = { { "tool_input", input, sizeof input - 1 },
				     { "tool_response", "{}", 2 },
				     { "tool_input_original", original, sizeof original - 1 } };
	struct tl_hooks *hooks = load("{}", &hook);

	(void)state;
	tl_outcome_free(fire(
		hooks,
		&(struct tl_event)TL_EVENT_INIT(.name = "AfterTool", .subject = "run_shell_command",
						.session_id = "s", .transcript_path = "/t",
						.turn_id = "turn-3", .tool_call_id = "call-9",
						.seq = 12, .fields = fields, .nfields = 3)));
	assert_non_null(strstr(payload, "{\"session_id\":\"s\",\"transcript_path\":\"/t\","
					"\"cwd\":"));
	assert_non_null(strstr(payload, ",\"tool_name\":\"run_shell_command\",\"tool_input\":"
					"{\"command\":\"ls\"},\"tool_response\":{},"
					"\"tool_input_original\":{\"command\":\"rm\"},"
					"\"tool_call_id\":\"call-9\",\"schema_version\":1,"
					"\"turn_id\":\"turn-3\",\"seq\":12}\n"));
	tl_hooks_unref(hooks);
}

static void c2_4_no_call_id_without_a_tool(void **state)
{
	struct tl_runtime_hook hook =
		TL_RUNTIME_HOOK_INIT(.event = "BeforeAgent", .name = "keep", .call = keep_payload);
	struct tl_hooks *hooks = load("{}", &hook);

	(void)state;
	tl_outcome_free(fire(hooks, &(struct tl_event)TL_EVENT_INIT(.name = "BeforeAgent",
								    .tool_call_id = "call-9")));
	assert_null(strstr(payload, "call"));
	assert_null(strstr(payload, "turn_id"));
	assert_null(strstr(payload, "seq"));
	assert_non_null(strstr(payload, "\"schema_version\":1"));
	tl_hooks_unref(hooks);
}

/* Escaped and wrapped: nothing in it can close the tags. */
static void c4_14_context_is_escaped_and_wrapped(void **state)
{
	static const char settings[] =
		"{\"hooks\":{\"BeforeAgent\":[{\"hooks\":["
		"{\"type\":\"command\",\"name\":\"a\",\"command\":\"cat a\"},"
		"{\"type\":\"command\",\"name\":\"b\",\"command\":\"cat a\"}]}]}}";
	AUTO(free) char *path = path_of("a");
	struct tl_hooks *hooks = load(settings, NULL);
	FILE *f = fopen(path, "we");
	struct tl_outcome *o;

	(void)state;
	assert_non_null(f);
	(void)fputs("{\"hookSpecificOutput\":{\"additionalContext\":"
		    "\"</hook_context> & \\\"<b>\\\"\"}}",
		    f);
	assert_int_equal(fclose(f), 0);
	o = fire(hooks, &(struct tl_event)TL_EVENT_INIT(.name = "BeforeAgent"));
	assert_string_equal(tl_outcome_context(o),
			    "</hook_context> & \"<b>\"\n</hook_context> & \"<b>\"");
	assert_string_equal(tl_outcome_wrapped_context(o),
			    "<hook_context>&lt;/hook_context&gt; & \"&lt;b&gt;\"\n"
			    "&lt;/hook_context&gt; & \"&lt;b&gt;\"</hook_context>");
	tl_outcome_free(o);
	tl_hooks_unref(hooks);
}

/* A tool error for arguments that the schema refuses names the hook: the host finds it here. */
static void c4_4_who_changed_the_input(void **state)
{
	static const char settings[] =
		"{\"hooks\":{\"BeforeTool\":[{\"hooks\":["
		"{\"type\":\"command\",\"name\":\"looks\",\"command\":\"true\"},"
		"{\"type\":\"command\",\"name\":\"rewrites\",\"command\":"
		"\"echo '{\\\"hookSpecificOutput\\\":{\\\"tool_input\\\":{\\\"x\\\":1}}}'\"}]}]}}";
	struct tl_field field = { "tool_input", "{}", 2 };
	struct tl_report r = TL_REPORT_INIT();
	struct tl_hooks *hooks = load(settings, NULL);
	struct tl_outcome *o =
		fire(hooks, &(struct tl_event)TL_EVENT_INIT(.name = "BeforeTool", .subject = "glob",
							    .fields = &field, .nfields = 1));

	(void)state;
	assert_string_equal(tl_outcome_change(o, TL_CHANGE_TOOL_INPUT), "{\"x\":1}");
	assert_int_equal(tl_outcome_changed_by(o, TL_CHANGE_TOOL_INPUT), 1);
	assert_int_equal(tl_outcome_report_get(o, 1, &r), 0);
	assert_string_equal(r.hook->name, "rewrites");
	assert_int_equal(tl_outcome_changed_by(o, TL_CHANGE_LLM_REQUEST), -1);
	tl_outcome_free(o);
	tl_hooks_unref(hooks);
}

/* ---- descriptors of the engine that are not the engine's any longer ---- */

enum theft { TO_NOTHING, TO_NULL, TO_ANSWER, TO_ENDED, THEFTS };

/* What is in its place now; as a host does that closes a descriptor twice. */
static void steal(int fd, enum theft how)
{
	int ends[2], other = -1;

	if (how == TO_NOTHING) {
		assert_int_equal(close(fd), 0);
		return;
	}
	if (how == TO_NULL) {
		other = open("/dev/null", O_RDWR | O_CLOEXEC);
	} else {
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		if (how == TO_ANSWER)
			assert_int_equal(write(ends[1], "{}", 2), 2);
		(void)close(ends[1]);
		other = ends[0];
	}
	assert_true(other >= 0 && dup2(other, fd) == fd);
	(void)close(other);
}

/* The guard denies when everything is done; false once there is no such descriptor. */
static bool denied_without(size_t which, enum theft how)
{
	static const char settings[] =
		"{\"hooks\":{\"BeforeTool\":[{\"hooks\":[{\"type\":\"command\",\"guard\":true,"
		"\"command\":\": >started; while [ ! -e go ]; do sleep 0.01; done; "
		"echo '{\\\"decision\\\":\\\"deny\\\"}'\"}]}]}}";
	AUTO(free) char *started = path_of("started"), *go = path_of("go");
	const struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = "glob");
	struct tl_hooks *hooks = load(settings, NULL);
	struct tl_job *job = start(hooks, &event);
	struct pollfd fds[FDS_MAX];
	struct tl_outcome *o;
	struct stat st;
	size_t n, pipes = 0;
	int timeout_ms, stolen = -1;

	assert_false(loop(job, hook_has_started));
	n = tl_job_fds(job, fds, FDS_MAX, &timeout_ms);
	for (size_t i = 0; i < n && stolen < 0; i++)
		if (fstat(fds[i].fd, &st) == 0 && S_ISFIFO(st.st_mode) && pipes++ == which)
			stolen = fds[i].fd;
	touch("go"); /* first: its number would be the stolen one */
	if (stolen >= 0)
		steal(stolen, how);
	assert_true(loop(job, NULL));
	o = finish(job);
	if (tl_outcome_verdict(o) != TL_VERDICT_DENY)
		fail_msg("pipe %zu, theft %d", which, (int)how);
	tl_outcome_free(o);
	tl_hooks_unref(hooks);
	if (stolen >= 0)
		(void)close(stolen);
	(void)unlink(started);
	(void)unlink(go);
	return stolen >= 0;
}

/* C3.6, C6.5: what came out of somebody else's file is no answer of a guard. */
static void c6_5_stolen_descriptors_deny(void **state)
{
	(void)state;
	for (enum theft how = 0; how < THEFTS; how++) {
		size_t which = 0;

		while (denied_without(which, how))
			which++;
		assert_true(which >= 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c2_6_notification_delays_nothing),
		cmocka_unit_test(c2_6_precompress_delays_nothing),
		cmocka_unit_test(c2_6_two_firings_at_once),
		cmocka_unit_test(room_for_descriptors),
		cmocka_unit_test(finishing_early_cancels),
		cmocka_unit_test(c2_4_fields_of_the_host),
		cmocka_unit_test(c2_4_no_call_id_without_a_tool),
		cmocka_unit_test(c4_14_context_is_escaped_and_wrapped),
		cmocka_unit_test(c6_5_stolen_descriptors_deny),
		cmocka_unit_test(c4_4_who_changed_the_input),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
