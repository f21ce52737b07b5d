/* The public API as a host uses it: firing, stepping, cancelling, threads, odd hosts. */
#include "engine_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/clock.h"
#include "os/fs.h"

/* ---- runtime hooks ---- */

/* A function that says what it is given, and counts. */
struct speaker {
	const char *says;
	size_t length;
	int returns;
	atomic_int calls;
};

static int speak(struct tl_call *call, void *data)
{
	struct speaker *s = data;

	atomic_fetch_add(&s->calls, 1);
	if (call->length < 2 || call->payload[0] != '{' || call->payload[call->length - 1] != '\n')
		return 99;
	call->output = s->says;
	call->output_length = s->length;
	return s->returns;
}

static struct tl_hooks *load_speaker(struct speaker *s, struct tl_runtime_hook more)
{
	more.size = sizeof more;
	more.event = more.event ? more.event : "BeforeTool";
	more.name = "speaker";
	more.call = speak;
	more.data = s;
	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .runtime = &more, .nruntime = 1);
}

/* The whole table of what a function can say. */
static void runtime_hooks(void **state)
{
	static const struct {
		const char *says;
		size_t length;
		int returns;
		struct tl_runtime_hook hook;
		enum tl_class how;
		enum tl_verdict verdict;
		const char *reason;
	} cases[] = {
		{ NULL, 0, 0, { 0 }, TL_CLASS_OK, TL_VERDICT_NONE, "" },
		{ "", 0, 0, { 0 }, TL_CLASS_OK, TL_VERDICT_NONE, "" },
		{ "{\"decision\":\"deny\",\"reason\":\"no\"}",
		  0,
		  0,
		  { 0 },
		  TL_CLASS_OK,
		  TL_VERDICT_DENY,
		  "no" },
		{ "{\"decision\":\"ask\"}junk",
		  18,
		  0,
		  { 0 },
		  TL_CLASS_OK,
		  TL_VERDICT_ASK,
		  "No reason provided" },
		{ "fine", 0, 0, { 0 }, TL_CLASS_OK, TL_VERDICT_ALLOW, "" },
		{ NULL, 0, 1, { 0 }, TL_CLASS_WARNED, TL_VERDICT_NONE, "" },
		{ NULL, 0, -1, { 0 }, TL_CLASS_WARNED, TL_VERDICT_NONE, "" },
		{ "{\"decision\":\"deny\",\"reason\":\"no\"}",
		  0,
		  5,
		  { 0 },
		  TL_CLASS_WARNED,
		  TL_VERDICT_DENY,
		  "no" },
		{ NULL, 0, 1, { .guard = 1 }, TL_CLASS_WARNED, TL_VERDICT_DENY, "guard" },
		{ "text", 0, 0, { .guard = 1 }, TL_CLASS_BAD_OUTPUT, TL_VERDICT_DENY, "guard" },
		{ "{\"decision\":\"deny\"}",
		  0,
		  0,
		  { .observe = 1 },
		  TL_CLASS_OK,
		  TL_VERDICT_NONE,
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct speaker s = { cases[i].says, cases[i].length, cases[i].returns, 0 };
		AUTO(tl_hooks_unref) struct tl_hooks *h = load_speaker(&s, cases[i].hook);
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");

		assert_int_equal(atomic_load(&s.calls), 1);
		assert_int_equal(fx_report(o, 0).how, cases[i].how);
		assert_int_equal(fx_report(o, 0).hook->tier, TL_TIER_RUNTIME);
		assert_int_equal(tl_outcome_verdict(o), cases[i].verdict);
		fx_assert_has(tl_outcome_reason(o), cases[i].reason);
	}
}

/* Bad arguments are answers, not crashes. */
static void bad_arguments(void **state)
{
	struct speaker s = { 0 };
	struct tl_runtime_hook hooks[] = {
		{ .size = sizeof *hooks, .event = "BeforeTool", .call = speak },
		{ .size = sizeof *hooks, .event = "BeforeTool", .name = "", .call = speak },
		{ .size = sizeof *hooks, .event = "BeforeTool", .name = "x" },
		{ .size = sizeof *hooks, .name = "x", .call = speak },
		{ .size = sizeof *hooks, .event = "Stop", .name = "x", .call = speak },
		{ .size = sizeof *hooks, .event = "PreToolUse", .name = "x", .call = speak },
	};
	struct tl_source bad = TL_SOURCE_INIT(.dialect = "cobol", .text = "{}", .length = 2);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hooks); i++)
		assert_int_equal(
			FX_LOAD_ERR(.flags = TL_LOAD_NO_FILES, .runtime = &hooks[i], .nruntime = 1)
				.code,
			TL_E_INVAL);
	assert_int_equal(
		FX_LOAD_ERR(.flags = TL_LOAD_NO_FILES, .sources = &bad, .nsources = 1).code,
		TL_E_INVAL);
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_speaker(&s, (struct tl_runtime_hook){ 0 });
	static const struct {
		const char *name, *subject;
	} events[] = { { NULL, "x" },          { "", "x" },
		       { "beforetool", "x" },  { "PreToolUse", "x" },
		       { "BeforeTool", NULL }, { "SessionStart", NULL } };
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct tl_event e =
			TL_EVENT_INIT(.name = events[i].name, .subject = events[i].subject);
		struct tl_outcome *o = NULL;
		struct tl_err err = { 0 };

		assert_int_equal(tl_fire(h, &e, NULL, &o, &err), -TL_E_INVAL);
		assert_true(err.text[0]);
		assert_int_equal(tl_fire(h, &e, NULL, &o, NULL), -TL_E_INVAL);
		assert_int_equal(tl_why(h, &e, &o, NULL), -TL_E_INVAL);
		assert_null(tl_job_new(h, &e, NULL));
		assert_true(tl_wants(h, &e)); /* so that a host fires, and hears of it */
		assert_null(o);
	}
	const struct tl_field odd[] = { { NULL, "1", 1 }, { "tool_input", NULL, 1 } };
	for (size_t i = 0; i <= ARRAY_LEN(odd); i++) {
		struct tl_event e =
			TL_EVENT_INIT(.name = "BeforeTool", .subject = "x", .nfields = 1,
				      .fields = i < ARRAY_LEN(odd) ? &odd[i] : NULL);

		assert_int_equal(tl_fire(h, &e, NULL, NULL, NULL), -TL_E_INVAL);
	}
	/* Who asks has not made them yet. */
	assert_false(
		tl_wants(h, &(struct tl_event)TL_EVENT_INIT(.name = "BeforeModel", .nfields = 1)));
	assert_false(tl_wants(
		h, &(struct tl_event)TL_EVENT_INIT(.name = "PostToolBatch", .nfields = 1)));
	assert_int_equal(tl_fire(h, NULL, NULL, NULL, NULL), -TL_E_INVAL);
	assert_int_equal(tl_fire(NULL, &(struct tl_event)TL_EVENT_INIT(.name = "BeforeAgent"), NULL,
				 NULL, NULL),
			 -TL_E_INVAL);
	struct tl_hook k = TL_HOOK_INIT();
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();
	assert_int_equal(tl_hooks_get(h, 1, &k), -TL_E_NOTFOUND);
	assert_int_equal(tl_hooks_diagnostic_get(h, 0, &d), -TL_E_NOTFOUND);
	assert_int_equal(tl_hooks_trust(h, 7), TL_TRUST_NOT_PROJECT);
	tl_hooks_unref(NULL);
	tl_outcome_free(NULL);
	tl_cancel_free(NULL);
	assert_int_equal(atomic_load(&s.calls), 0);
}

/* Structs of an older host, which knows fewer members, are not written past their end. */
static void older_structs(void **state)
{
	struct {
		struct tl_hook k;
		char after[8];
	} old;
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("true", "");

	(void)state;
	memset(&old, 0x55, sizeof old);
	old.k.size = offsetof(struct tl_hook, tier);
	assert_int_equal(tl_hooks_get(h, 0, &old.k), 0);
	assert_string_equal(old.k.event, "BeforeTool");
	assert_int_equal(old.k.size, offsetof(struct tl_hook, tier));
	assert_int_equal(*(unsigned char *)&old.k.tier, 0x55);
	/* A newer host has more than we know. */
	struct {
		struct tl_event e;
		void *more[4];
	} new = { .e = { .size = sizeof new, .name = "BeforeTool", .subject = "x" },
		  .more = { (void *)1, (void *)1, (void *)1, (void *)1 } };
	assert_true(tl_wants(h, &new.e));
}

/* ---- stepping ---- */

static struct tl_outcome *step_to_end(struct tl_hooks *h, const struct tl_event *e, size_t room)
{
	AUTO(free) struct pollfd *fds = xcalloc(room, sizeof *fds);
	struct tl_outcome *o = NULL;
	struct tl_job *job = tl_job_new(h, e, NULL);
	int64_t end = clock_us() + WAIT_MS * 1000;
	size_t n = 0;
	int timeout_ms;

	assert_non_null(job);
	while (!tl_job_step(job, n ? fds : NULL, n)) {
		assert_true(clock_us() < end);
		n = tl_job_fds(job, fds, room, &timeout_ms);
		if (n > room) {
			n = 0; /* no room for all of them: look again in a moment */
			(void)poll(NULL, 0, 1);
			continue;
		}
		assert_true(timeout_ms >= 0 || n > 0);
		if (poll(fds, n, timeout_ms) < 0)
			n = 0;
	}
	assert_int_equal(tl_job_step(job, NULL, 0), 1);
	assert_int_equal(tl_job_finish(job, &o, NULL), 0);
	return o;
}

/* The tables, and the payload without a firing. */
static void tables_are_readable(void **state)
{
	const struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool",
						.subject = "run_shell_command", .session_id = "s1");
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("cat >&2", "");
	AUTO(free) char *payload = tl_event_payload(h, &e, NULL, NULL);
	AUTO(free) char *claude = tl_event_payload(h, &e, "claude", NULL);
	struct tl_dialect_info d = TL_DIALECT_INFO_INIT();
	struct tl_place p = TL_PLACE_INIT();
	struct tl_err err;

	(void)state;
	fx_assert_has(payload, "\"hook_event_name\":\"BeforeTool\"");
	fx_assert_has(claude, "\"hook_event_name\":\"PreToolUse\"");
	assert_null(tl_event_payload(h, &e, "none", &err));
	assert_int_equal(err.code, TL_E_NOTFOUND);
	for (size_t i = 0; i < tl_dialect_count(); i++) {
		assert_int_equal(tl_dialect_get(i, &d), 0);
		assert_true(*d.name && *tl_dialect_event_get(i, d.nevents - 1, NULL));
		assert_int_equal(tl_dialect_find(d.name, &d), 0);
		assert_int_equal(d.allow_approves, strcmp(d.name, "claude") == 0);
		assert_int_equal(d.sends_mode,
				 strcmp(d.name, "claude") == 0 || strcmp(d.name, "codex") == 0);
		assert_int_equal(*d.env_file != 0, d.reads_transcript);
		assert_string_equal(tl_dialect_event_get(i, d.nevents, NULL), "");
	}
	assert_int_equal(tl_dialect_get(tl_dialect_count(), &d), -TL_E_NOTFOUND);
	assert_int_equal(tl_dialect_find("none", &d), -TL_E_NOTFOUND);
	assert_int_equal(tl_place_get(tl_place_count(), &p), -TL_E_NOTFOUND);
	assert_int_equal(tl_place_get(0, &p), 0);
	assert_true(*p.path);
}

/* Who wants no outcome gives NULL, to every function that has one. */
static void no_outcome_wanted(void **state)
{
	static const char *const tools[] = { "shell", "none" };
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("touch ran", "");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tools) * 2; i++) {
		const struct tl_event e = TL_EVENT_INIT(.name = i % 2 ? "BeforeTool" : "AfterTool",
							.subject = tools[i / 2]);

		assert_int_equal(tl_fire(h, &e, NULL, NULL, NULL), 0);
		assert_int_equal(tl_fire(h, &e, NULL, NULL, NULL), 0);
		assert_int_equal(tl_why(h, &e, NULL, NULL), 0);
		struct tl_job *job = tl_job_new(h, &e, NULL);

		while (!tl_job_step(job, NULL, 0))
			(void)poll(NULL, 0, 1);
		assert_int_equal(tl_job_finish(job, NULL, NULL), 0);
	}
}

/* The form for loops gives what tl_fire() gives, even with no room for descriptors. */
static void stepping_form(void **state)
{
	static const size_t rooms[] = { 64, 1 };
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_text(TL_TIER_USER, NULL,
			     "{'hooks':{'BeforeTool':[{'hooks':["
			     "{'type':'command','command':'cat >/dev/null; echo one >&2; exit 2'},"
			     "{'type':'command','command':'echo {}'},"
			     "{'type':'command','command':'echo two >&2; exit 2'}]}]}}");
	struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = "x");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rooms); i++) {
		AUTO(tl_outcome_free) struct tl_outcome *o = step_to_end(h, &e, rooms[i]);

		assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
		assert_string_equal(tl_outcome_reason(o), "one\ntwo");
	}
	struct tl_job *job = tl_job_new(h, &e, NULL);
	assert_int_equal(tl_job_fds(job, NULL, 0, NULL) > 0, 1);
	/* Not done: the hooks are ended, nothing is left behind. */
	assert_int_equal(tl_job_finish(job, NULL, NULL), -TL_E_CANCEL);
	struct tl_event none = TL_EVENT_INIT(.name = "AfterTool", .subject = "x");
	AUTO(tl_outcome_free) struct tl_outcome *o = step_to_end(h, &none, 4);
	assert_int_equal(tl_outcome_report_count(o), 0);
}

/* An unfinished job that is cancelled: the outcome is an error, all processes are gone. */
static void cancelled_job(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("sleep 60; true", "");
	struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = "x");
	struct tl_job *job = tl_job_new(h, &e, NULL);
	struct tl_outcome *o = NULL;
	struct tl_err err = { 0 };
	struct pollfd fds[16];
	int timeout_ms;

	(void)state;
	assert_int_equal(tl_job_step(job, NULL, 0), 0);
	tl_job_cancel(job);
	while (!tl_job_step(job, NULL, 0)) {
		size_t n = tl_job_fds(job, fds, ARRAY_LEN(fds), &timeout_ms);
		(void)poll(fds, (nfds_t)n, timeout_ms);
	}
	assert_int_equal(tl_job_finish(job, &o, &err), -TL_E_CANCEL);
	assert_null(o);
	assert_int_equal(err.code, TL_E_CANCEL);
}

struct fire_later {
	struct tl_cancel *cancel;
	const char *when; /* a file: the moment that it exists */
};

static void *cancel_when(void *data)
{
	struct fire_later *f = data;
	int64_t end = clock_us() + WAIT_MS * 1000;

	while (!fs_exists(f->when) && clock_us() < end)
		(void)poll(NULL, 0, 1);
	tl_cancel_fire(f->cancel);
	return NULL;
}

/* C6.3: cancelling ends a hook within the grace time, even when its process ignores nothing. */
static void c6_3_cancel_while_firing(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_command("touch started; sleep 1000", "'timeout':1000000");
	struct tl_cancel *root = tl_cancel_new(NULL), *cancel = tl_cancel_new(root);
	struct fire_later later = { root, fx_path("project/started") };
	struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = "x");
	struct tl_outcome *o = NULL;
	struct tl_err err = { 0 };
	int64_t start = clock_us();
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, cancel_when, &later), 0);
	assert_int_equal(tl_fire(h, &e, cancel, &o, &err), -TL_E_CANCEL);
	assert_true(clock_us() - start < WAIT_MS * 1000);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_true(tl_cancel_fired(cancel));
	assert_null(o);
	tl_cancel_free(cancel);
	tl_cancel_free(root);
}

/* One that was fired before keeps hooks from running to their end. */
static void cancelled_before_firing(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("sleep 60", "");
	AUTO(tl_hooks_unref)
	struct tl_hooks *quick = fx_load_command(fx_fmt("touch %s", fx_path("ran")), "");
	struct tl_cancel *cancel = tl_cancel_new(NULL);
	struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = "x");
	struct tl_outcome *o = NULL;

	(void)state;
	tl_cancel_fire(cancel);
	assert_int_equal(tl_fire(h, &e, cancel, &o, NULL), -TL_E_CANCEL);
	/* Nor does it depend on how fast they are. */
	for (int i = 0; i < 20; i++)
		assert_int_equal(tl_fire(quick, &e, cancel, &o, NULL), -TL_E_CANCEL);
	assert_int_not_equal(access(fx_path("ran"), F_OK), 0);
	tl_cancel_free(cancel);
}

/* ---- threads ---- */

enum { THREADS = 8, ROUNDS = 12 };

struct thread_work {
	struct tl_hooks *hooks;
	int right;
};

static void *fire_many(void *data)
{
	static const struct tl_field f[] = { { "tool_input", "{\"a\":1}", 7 } };
	struct thread_work *w = data;

	for (int i = 0; i < ROUNDS; i++) {
		char tool[32];
		(void)snprintf(tool, sizeof tool, "tool_%d", i);
		struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = tool,
						  .fields = f, .nfields = 1);
		struct tl_outcome *o = NULL;
		char *record;

		if (tl_fire(w->hooks, &e, NULL, &o, NULL) < 0)
			continue;
		record = tl_outcome_record(o);
		w->right += tl_outcome_verdict(o) == TL_VERDICT_DENY && strstr(record, tool) &&
			    strcmp(tl_outcome_reason(o), "spoken\nwritten") == 0 &&
			    strcmp(tl_outcome_change(o, TL_CHANGE_TOOL_INPUT), "{\"a\":2}") == 0;
		free(record);
		tl_outcome_free(o);
		e.name = "AfterTool";
		if (tl_fire(w->hooks, &e, NULL, &o, NULL) == 0)
			tl_outcome_free(o);
	}
	tl_hooks_unref(w->hooks);
	return NULL;
}

/* Loading reads it; nothing later does. */
static void c6_6_the_environment_is_read_once(void **state)
{
	static const char *const kinds[] = { "", "'persistent':true,", "'warm':true," };
	const char *command = fx_script("guard", "#!/bin/sh\nwhile read -r q; do\n"
						 "echo '{\"decision\":\"deny\"}'\ndone\n");
	const char *watchdog[] = { "/bin/sh", "-c", "read end", NULL };
	int denied = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const char *text =
			fx_settings("BeforeTool", command, fx_json("%s'guard':true", kinds[i]));
		struct tl_source s =
			TL_SOURCE_INIT(.tier = TL_TIER_USER, .text = text, .length = strlen(text));
		AUTO(tl_hooks_unref)
		struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_NO_FILES | TL_LOAD_WARM,
					     .sources = &s, .nsources = 1, .watchdog = watchdog);
		char **before = fx_hide_environment();

		for (int k = 0; k < 3; k++) {
			AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "read_file");

			denied += tl_outcome_verdict(o) == TL_VERDICT_DENY;
		}
		fx_show_environment(before);
	}
	assert_int_equal(denied, 9);
}

static void c6_6_a_given_environment_is_all_that_counts(void **state)
{
	const char *const env[] = { "HOME=/", "PATH=/usr/bin:/bin", NULL };
	struct tl_options o = TL_OPTIONS_INIT(.env = env, .cwd = "/");
	char **before = fx_hide_environment();
	struct tl_hooks *h = NULL;
	struct tl_err err;
	int r = tl_hooks_load(&o, &h, &err);

	(void)state;
	fx_show_environment(before);
	tl_hooks_unref(h);
	assert_int_equal(r, 0);
}

/* Eight threads fire on one snapshot, which the first owner gives up meanwhile. */
static void threads_fire_at_once(void **state)
{
	struct speaker s = { .says = "{\"decision\":\"deny\",\"reason\":\"spoken\"}" };
	struct tl_runtime_hook runtime =
		TL_RUNTIME_HOOK_INIT(.event = "BeforeTool", .name = "s", .matcher = "tool_\\d+",
				     .call = speak, .data = &s);
	const char *text =
		fx_settings("BeforeTool",
			    "cat >/dev/null; echo '{\"decision\":\"deny\",\"reason\":\"written\","
			    "\"hookSpecificOutput\":{\"tool_input\":{\"a\":2}}}'",
			    "");
	struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .text = text, .length = strlen(text));
	struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_NO_FILES, .sources = &source, .nsources = 1,
				     .runtime = &runtime, .nruntime = 1);
	struct thread_work work[THREADS];
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		work[i] = (struct thread_work){ tl_hooks_ref(h), 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, fire_many, &work[i]), 0);
	}
	tl_hooks_unref(h);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(work[i].right, ROUNDS);
	}
	assert_int_equal(atomic_load(&s.calls), THREADS * ROUNDS);
}

/* Two engines in one process know nothing of each other. */
static void two_engines(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *a = fx_load_command("echo a >&2; exit 2", "");
	AUTO(tl_hooks_unref) struct tl_hooks *b = fx_load_command("echo b >&2; exit 2", "");
	struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = "x");
	struct tl_job *ja = tl_job_new(a, &e, NULL), *jb = tl_job_new(b, &e, NULL);
	struct tl_outcome *oa = NULL, *ob = NULL;
	int done = 0;

	(void)state;
	while (done != 3) {
		done |= tl_job_step(ja, NULL, 0) | tl_job_step(jb, NULL, 0) << 1;
		(void)poll(NULL, 0, 1);
	}
	assert_int_equal(tl_job_finish(ja, &oa, NULL), 0);
	assert_int_equal(tl_job_finish(jb, &ob, NULL), 0);
	assert_string_equal(tl_outcome_reason(oa), "a");
	assert_string_equal(tl_outcome_reason(ob), "b");
	tl_outcome_free(oa);
	tl_outcome_free(ob);
}

/* Outcomes and jobs keep the snapshot alive. */
static void outcomes_hold_their_snapshot(void **state)
{
	struct tl_hooks *h = fx_load_command("exit 2", "'name':'keeper'");
	struct tl_event e = TL_EVENT_INIT(.name = "BeforeTool", .subject = "x");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	AUTO(tl_outcome_free) struct tl_outcome *none =
		FX_FIRE(h, .name = "AfterTool", .subject = "x");
	AUTO(tl_outcome_free) struct tl_outcome *later = NULL;
	struct tl_job *job = tl_job_new(h, &e, NULL);

	(void)state;
	tl_hooks_unref(h);
	while (!tl_job_step(job, NULL, 0))
		(void)poll(NULL, 0, 1);
	assert_int_equal(tl_job_finish(job, &later, NULL), 0);
	assert_string_equal(fx_report(o, 0).hook->name, "keeper");
	assert_string_equal(fx_report(later, 0).hook->name, "keeper");
	assert_int_equal(tl_outcome_report_count(none), 0);
}

/* ---- odd hosts, each in a process of its own ---- */

static int denies(void)
{
	struct tl_hooks *h = fx_load_command("cat >/dev/null; echo no >&2; exit 2", "");
	struct tl_outcome *o = fx_fire_tool(h, "x");
	int ok =
		tl_outcome_verdict(o) == TL_VERDICT_DENY && strcmp(tl_outcome_reason(o), "no") == 0;

	tl_outcome_free(o);
	tl_hooks_unref(h);
	return ok;
}

/* Without standard descriptors: a hook's pipes must not become 0, 1 or 2 by accident. */
static int host_without_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		(void)close(fd);
	return denies() && denies() ? 0 : 1;
}

/* With every signal blocked, as threads of servers are; hooks must still be killable. */
static int host_blocks_signals(void)
{
	sigset_t all, now;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	struct tl_hooks *h = fx_load_command("grep SigBlk /proc/self/status", "");
	struct tl_outcome *o = fx_fire_tool(h, "x");
	bool ok = strstr(fx_report(o, 0).output, "SigBlk:\t0000000000000000") != NULL;

	tl_outcome_free(o);
	tl_hooks_unref(h);
	(void)sigprocmask(SIG_SETMASK, NULL, &now);
	return ok && sigismember(&now, SIGTERM) ? 0 : 1;
}

/* With a full table of descriptors: said so, nothing hangs, nothing is leaked. */
static int host_without_room(void)
{
	struct tl_hooks *h = fx_load_command("true", "'guard':true");
	int fds[4096];
	size_t n = 0;

	while (n < ARRAY_LEN(fds)) {
		fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fds[n] < 0)
			break;
		n++;
	}
	struct tl_outcome *o = fx_fire_tool(h, "x");
	bool ok = n == ARRAY_LEN(fds) || (fx_report(o, 0).how == TL_CLASS_NOT_STARTED &&
					  tl_outcome_verdict(o) == TL_VERDICT_DENY);
	while (n--)
		(void)close(fds[n]);
	tl_outcome_free(o);
	tl_hooks_unref(h);
	return ok ? 0 : 1;
}

/* Prints nothing, changes neither signal handlers nor the directory nor the mask. */
static int host_is_not_touched(void)
{
	struct sigaction before[32], after;
	char here[4096], there[4096];
	sigset_t mask, mask_after;

	for (int s = 1; s < 32; s++)
		(void)sigaction(s, NULL, &before[s]);
	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	if (!getcwd(here, sizeof here) || !denies())
		return 1;
	struct tl_hooks *h = fx_load_command("echo {{{; echo warn >&2; kill -9 $$", "");
	tl_outcome_free(fx_fire_tool(h, "x"));
	tl_hooks_unref(h);
	for (int s = 1; s < 32; s++) {
		(void)sigaction(s, NULL, &after);
		if (after.sa_handler != before[s].sa_handler)
			return 2;
	}
	(void)sigprocmask(SIG_SETMASK, NULL, &mask_after);
	if (!getcwd(there, sizeof there) || strcmp(here, there) != 0)
		return 3;
	for (int s = 1; s < 32; s++)
		if (sigismember(&mask, s) != sigismember(&mask_after, s))
			return 4;
	return 0;
}

static const struct host {
	const char *name;
	int (*be)(void);
} hosts[] = {
	{ "descriptors", host_without_descriptors },
	{ "blocks", host_blocks_signals },
	{ "room", host_without_room },
	{ "untouched", host_is_not_touched },
};

static int be_host(const char *name, const char *dir)
{
	int r = 99;

	fx.dir = fx.project = fx.home = dir;
	fx_setenv("PATH", "/usr/bin:/bin");
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++)
		if (strcmp(hosts[i].name, name) == 0)
			r = hosts[i].be();
	arena_done(&fx.arena);
	return r;
}

static void odd_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		const char *args[] = { "host", hosts[i].name, fx.project, NULL };
		int status = fx_wait(fx_spawn_self(args));

		if (status)
			fail_msg("%s: %d", hosts[i].name, status);
	}
}

/* The engine prints nothing of its own and nothing of its hooks. */
static void nothing_is_printed(void **state)
{
	const char *args[] = { "host", "untouched", fx.project, NULL };
	int saved[2] = { dup(1), dup(2) };
	int out = open(fx_path("printed"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_true(dup2(out, 1) == 1 && dup2(out, 2) == 2);
	int status = fx_wait(fx_spawn_self(args));
	assert_true(dup2(saved[0], 1) == 1 && dup2(saved[1], 2) == 2);
	(void)close(saved[0]);
	(void)close(saved[1]);
	(void)close(out);
	assert_int_equal(status, 0);
	assert_string_equal(fx_read("printed"), "");
}

/* ---- C6.2 to C6.5 through tl_fire (tests/unit/test_proc.c has the details) ---- */

/* C6.2: a session and group of its own, real pipes, no descriptor but the documented ones. */
static void c6_2_own_session_and_descriptors(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(
		"cat >/dev/null; [ $(ps -o sid= -p $$) -eq $$ ] &&"
		" [ $(ps -o pgid= -p $$) -eq $$ ] && echo own;"
		"for f in /proc/$$/fd/*; do echo ${f##*/}:$(readlink $f | cut -d: -f1); done",
		"");
	int leak = open("/dev/null", O_RDONLY);
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	const char *out = fx_report(o, 0).output;

	(void)state;
	(void)close(leak);
	if (access("/bin/ps", X_OK) == 0 || access("/usr/bin/ps", X_OK) == 0)
		fx_assert_has(out, "own\n");
	fx_assert_has(out, "0:pipe\n");
	fx_assert_has(out, "1:pipe\n");
	fx_assert_has(out, "2:pipe\n");
	fx_assert_has(out, "3:pipe\n"); /* TROTLINE_RESULT_FD, C3.8 */
}

/* C6.2: an unread payload of megabytes is no error. */
static void c6_2_big_payload_unread(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("exit 0", "");
	AUTO(free) char *json = xmalloc(4 << 20);
	struct tl_field f = { "tool_input", json, 4 << 20 };

	(void)state;
	memset(json, 'x', 4 << 20);
	json[0] = json[(4 << 20) - 1] = '"';
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "BeforeTool", .subject = "x", .fields = &f, .nfields = 1);
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_OK);
	AUTO(tl_hooks_unref) struct tl_hooks *count = fx_load_command("wc -c", "");
	AUTO(tl_outcome_free) struct tl_outcome *all =
		FX_FIRE(count, .name = "BeforeTool", .subject = "x", .fields = &f, .nfields = 1);
	assert_true(strtol(fx_report(all, 0).output, NULL, 10) > 4 << 20);
}

/* C6.3: the deadline covers output and exit; the group is ended. */
static void c6_3_deadline(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(
		"(sleep 1000; touch survived) & echo '{\"decision\":\"deny\"}'; sleep 1000",
		"'timeout':300");
	int64_t start = clock_us();
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	int64_t us = clock_us() - start;

	(void)state;
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_TIMED_OUT);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
	fx_assert_has(fx_report(o, 0).message, "300 ms");
	assert_true(us > 250 * 1000 && us < WAIT_MS * 1000);
}

/* C6.4: a grandchild that holds the pipes delays nothing. */
static void c6_4_grandchild_delays_nothing(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_command("setsid sleep 1000 & echo $! >left; "
				"echo '{\"decision\":\"deny\",\"reason\":\"r\"}'",
				"");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");

	(void)state;
	assert_string_equal(tl_outcome_reason(o), "r");
	/* It lives on. */
	assert_int_equal(kill((pid_t)strtol(fx_read("project/left"), NULL, 10), SIGKILL), 0);
}

/* C6.5: stdout over 8 MiB is too-big, stderr keeps its tail. */
static void c6_5_limits(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_command("head -c 20000000 /dev/zero", "'onFailure':'deny'");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	AUTO(tl_hooks_unref) struct tl_hooks *e =
		fx_load_command("head -c 20000000 /dev/zero >&2; echo the end >&2; exit 1", "");
	AUTO(tl_outcome_free) struct tl_outcome *p = fx_fire_tool(e, "x");
	struct tl_report r = fx_report(p, 0);

	(void)state;
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_TOO_BIG);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_int_equal(r.how, TL_CLASS_WARNED);
	assert_true(r.errors_length < 9 << 20);
	assert_memory_equal(r.errors + r.errors_length - 8, "the end\n", 8);
}

/* ---- from JSON to JSON ---- */

static const struct json *fired(struct tl_hooks *h, const char *event)
{
	struct tl_err err = { 0 };
	AUTO(free) char *text = tl_fire_json(h, fx_json("%s", event), 0, NULL, &err);
	const struct json *v = NULL;

	if (!text)
		fail_msg("%s: %s", event, err.text);
	assert_int_equal(json_parse(&fx.arena, arena_str(&fx.arena, str_from(text)), 0, &v, NULL),
			 0);
	return v;
}

static void fire_json_says_what_the_outcome_does(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(
		fx_script("say", "#!/bin/sh\ncat >/dev/null\necho '{\"hookSpecificOutput\":"
				 "{\"tool_input\":{\"command\":\"pwd\"},"
				 "\"additionalContext\":\"c\"}}'\n"),
		"");
	AUTO(tl_hooks_unref) struct tl_hooks *guard =
		fx_load_command("echo no >&2; exit 2", "'guard':true,'name':'g'");
	const struct json *v =
		fired(h, "{'event':'BeforeTool','subject':'run_shell_command','session_id':'s1',"
			 "'turn_id':null,'seq':7,'fields':{'tool_input':{'command':'ls'}}}");

	(void)state;
	assert_true(str_eqz(json_get_str(v, "verdict"), "none"));
	assert_true(str_eqz(json_get_str(v, "context"), "c"));
	assert_true(str_eqz(json_str(json_pointer(v, STR("/changes/tool_input/command")), STR("")),
			    "pwd"));
	assert_int_equal(json_getz(v, "hooks")->n, 1);
	v = fired(guard, "{'event':'BeforeTool','subject':'x','fields':{'tool_input':{}}}");
	assert_true(str_eqz(json_get_str(v, "verdict"), "deny"));
	assert_true(str_eqz(json_get_str(v, "reason"), "no"));
	assert_true(json_is_true(json_pointer(v, STR("/hooks/0/guard"))));
	assert_true(str_eqz(json_str(json_pointer(v, STR("/hooks/0/class")), STR("")), "blocked"));
}

/* What is not exactly an event fires nothing: a misspelt subject would match no guard. */
static void fire_json_refuses_odd_events(void **state)
{
	static const struct {
		const char *event;
		int code;
		unsigned column;
	} cases[] = {
		{ "", TL_E_PARSE, 0 },
		{ "{", TL_E_PARSE, 0 },
		{ "[]", TL_E_INVAL, 0 },
		{ "{}", TL_E_INVAL, 1 },
		{ "{'event':7}", TL_E_INVAL, 10 },
		{ "{'event':'BeforeTool'}", TL_E_INVAL, 0 },
		{ "{'event':'Nonsense'}", TL_E_INVAL, 0 },
		{ "{'event':'BeforeTool','subjct':'x'}", TL_E_INVAL, 23 },
		{ "{'event':'BeforeTool','subject':['x']}", TL_E_INVAL, 33 },
		{ "{'event':'BeforeTool','subject':'a','subject':'b'}", TL_E_INVAL, 0 },
		{ "{'event':'BeforeTool','subject':'x','fields':'y'}", TL_E_INVAL, 46 },
		{ "{'event':'BeforeTool','subject':'x','seq':-1}", TL_E_INVAL, 43 },
		{ "{'event':'BeforeTool','subject':'x','fields':{'tool_input':{},'tool_input':{}}}",
		  TL_E_INVAL, 0 },
		{ "{'event':'BeforeTool','subject':'x','fields':{'tool_input':{},"
		  "'tool_input\\u0000':{}}}",
		  TL_E_INVAL, 0 },
		{ "{'event':'BeforeTool','subject':'a\\u0000b'}", TL_E_INVAL, 33 },
	};
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("exit 2", "");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tl_err err = { 0 };
		char *text = tl_fire_json(h, fx_json("%s", cases[i].event), 0, NULL, &err);

		if (text || err.code != cases[i].code ||
		    (cases[i].column && err.column != cases[i].column))
			fail_msg("%s: %s, code %d, column %u", cases[i].event,
				 text ? text : err.text, err.code, err.column);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(runtime_hooks),
		ENGINE_TEST(bad_arguments),
		ENGINE_TEST(older_structs),
		ENGINE_TEST(no_outcome_wanted),
		ENGINE_TEST(tables_are_readable),
		ENGINE_TEST(stepping_form),
		ENGINE_TEST(cancelled_job),
		ENGINE_TEST(c6_3_cancel_while_firing),
		ENGINE_TEST(cancelled_before_firing),
		ENGINE_TEST(c6_6_the_environment_is_read_once),
		ENGINE_TEST(c6_6_a_given_environment_is_all_that_counts),
		ENGINE_TEST(threads_fire_at_once),
		ENGINE_TEST(two_engines),
		ENGINE_TEST(outcomes_hold_their_snapshot),
		ENGINE_TEST(odd_hosts),
		ENGINE_TEST(nothing_is_printed),
		ENGINE_TEST(c6_2_own_session_and_descriptors),
		ENGINE_TEST(c6_2_big_payload_unread),
		ENGINE_TEST(c6_3_deadline),
		ENGINE_TEST(c6_4_grandchild_delays_nothing),
		ENGINE_TEST(c6_5_limits),
		ENGINE_TEST(fire_json_says_what_the_outcome_does),
		ENGINE_TEST(fire_json_refuses_odd_events),
	};

	if (argc == 4 && strcmp(argv[1], "host") == 0)
		return be_host(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
