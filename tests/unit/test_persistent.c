/* Persistent hooks (C6.8): one process, asked line by line. */
#include "engine_fixture.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"

/*
 * Answers with its process id and how often it was asked; each "case" of MORE can do otherwise, and
 * finds the question's number in $seq.
 */
#define COUNTER(more)                                                                              \
	"n=0\n"                                                                                    \
	"while read -r line; do n=$((n + 1)); seq=${line##*\\\"seq\\\":}; seq=${seq%%[,\\}]*}\n"   \
	"case $line in\n" more "*) echo \"{\\\"seq\\\":$seq,\\\"systemMessage\\\":\\\"$$ "         \
	"$n\\\"}\" ;;\nesac\ndone\n"

static struct tl_hooks *load_script(const char *text, const char *more)
{
	return fx_load_command(fx_script("hook.sh", fx_fmt("#!/bin/sh\n%s", text)),
			       fx_fmt("'persistent':true%s%s", *more ? "," : "", more));
}

/* BeforeTool with this command as input. */
static struct tl_outcome *ask(struct tl_hooks *h, const char *session, const char *command)
{
	const char *json = fx_json("{'command':'%s'}", command);
	struct tl_field field = { "tool_input", json, strlen(json) };

	return FX_FIRE(h, .name = "BeforeTool", .subject = "shell", .session_id = session,
		       .fields = &field, .nfields = 1, .seq = 7);
}

struct answer {
	long pid, n;
};

static struct answer pid_and_count(struct tl_hooks *h, const char *session, const char *command)
{
	AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, session, command);
	struct answer a = { 0 };
	struct tl_report r = fx_report(o, 0);

	assert_int_equal(r.how, TL_CLASS_OK);
	assert_int_equal(sscanf(r.message, "%ld %ld", &a.pid, &a.n), 2);
	return a;
}

static void c6_8_one_process_answers_one_firing_after_another(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(COUNTER(""), "");
	struct answer first = pid_and_count(h, "s", "ls");

	(void)state;
	for (long n = 2; n < 50; n++) {
		struct answer a = pid_and_count(h, "s", "ls");

		assert_int_equal(a.pid, first.pid);
		assert_int_equal(a.n, n);
	}
	assert_true(fx_hook(h, 0).persistent);
}

static void c6_8_each_session_has_its_own_and_its_end_is_theirs(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(COUNTER("") "echo over >>over\n", "");
	struct answer a = pid_and_count(h, "a", "ls"), b = pid_and_count(h, "b", "ls");

	(void)state;
	assert_int_not_equal(a.pid, b.pid);
	tl_hooks_end_session(h, "a");
	assert_string_equal(fx_read("project/over"), "over\n");
	fx_wait_gone(a.pid);
	assert_int_equal(pid_and_count(h, "b", "ls").pid, b.pid);
	assert_int_equal(pid_and_count(h, "a", "ls").n, 1);
}

static void c6_8_freeing_the_snapshot_ends_all(void **state)
{
	struct tl_hooks *h = load_script(COUNTER("") "echo over >>over\n", "");
	struct answer a = pid_and_count(h, "a", "ls"), b = pid_and_count(h, "b", "ls");

	(void)state;
	tl_hooks_unref(h);
	assert_string_equal(fx_read("project/over"), "over\nover\n");
	fx_wait_gone(a.pid);
	fx_wait_gone(b.pid);
}

static void c6_8_what_does_not_end_by_itself_is_ended_at_once(void **state)
{
	/* Its own second, and two between SIGTERM and SIGKILL: one after another 17 in all. */
	enum { SESSIONS = 8, ALONE_MS = 1000 + SESSIONS * 2000 };
	struct tl_hooks *h =
		load_script("trap '' TERM\n" COUNTER("") "while :; do sleep 1000; done\n", "");
	long pids[SESSIONS];
	int64_t start_us;

	(void)state;
	for (int i = 0; i < SESSIONS; i++)
		pids[i] = pid_and_count(h, fx_fmt("%d", i), "ls").pid;
	start_us = clock_us();
	tl_hooks_unref(h);
	assert_true(clock_us() - start_us < ALONE_MS * 1000LL);
	for (int i = 0; i < SESSIONS; i++)
		fx_wait_gone(pids[i]);
}

static void c6_8_the_same_verdicts(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		load_script(COUNTER("*rm*) echo '{\"decision\":\"deny\",\"reason\":\"no rm\"}' ;;\n"
				    "*silent*) echo '{}' ;;\n"
				    "*change*) echo '{\"hookSpecificOutput\":"
				    "{\"tool_input\":{\"command\":\"ls\"}}}' ;;\n"),
			    "");
	struct tl_outcome *o = ask(h, "s", "rm");

	(void)state;
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_string_equal(tl_outcome_reason(o), "no rm");
	tl_outcome_free(o);
	o = ask(h, "s", "silent");
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
	tl_outcome_free(o);
	o = ask(h, "s", "change");
	assert_non_null(tl_outcome_change(o, TL_CHANGE_TOOL_INPUT));
	tl_outcome_free(o);
	assert_int_equal(pid_and_count(h, "s", "ls").n, 4);
}

/* What it fails with, for a guard and for a hook that only warns. */
static void assert_fails(const char *script, const char *more, enum tl_class how, const char *why)
{
	AUTO(tl_hooks_unref) struct tl_hooks *guard =
		load_script(script, fx_fmt("'guard':true%s%s", *more ? "," : "", more));
	AUTO(tl_outcome_free) struct tl_outcome *o = ask(guard, "s", "bad");

	assert_int_equal(fx_report(o, 0).how, how);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	fx_assert_has(tl_outcome_reason(o), why);
	tl_outcome_free(MOVE(o));
	/* It is started anew. */
	o = ask(guard, "s", "good");
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
	tl_outcome_free(MOVE(o));

	AUTO(tl_hooks_unref) struct tl_hooks *plain = load_script(script, more);
	o = ask(plain, "s", "bad");
	assert_int_equal(fx_report(o, 0).how, how);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
}

static void c6_8_a_process_that_dies_is_a_failure(void **state)
{
	(void)state;
	assert_fails(COUNTER("*bad*) exit 3 ;;\n"), "", TL_CLASS_WARNED, "exit 3");
	assert_fails(COUNTER("*bad*) kill -9 $$ ;;\n"), "", TL_CLASS_SIGNALLED, "signal 9");
	assert_fails(COUNTER("*bad*) exit 0 ;;\n"), "", TL_CLASS_BAD_OUTPUT,
		     "ended without an answer");
}

static void c6_8_deadline_of_each_answer(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *slow =
		load_script("read -r line; sleep 1000\n", "'guard':true,'timeout':300");
	AUTO(tl_outcome_free) struct tl_outcome *o = ask(slow, "s", "ls");

	(void)state;
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_TIMED_OUT);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	fx_assert_has(tl_outcome_reason(o), "no line with an answer after 300 ms");
}

static void c6_8_a_line_of_text_is_bad_output_of_a_guard(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *plain = load_script(
		COUNTER("*text*) echo; echo checking; echo '{\"decision\":\"deny\"}' ;;\n"), "");
	AUTO(tl_outcome_free) struct tl_outcome *o = ask(plain, "s", "text");

	(void)state;
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_OK);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_non_null(fx_outcome_diag(o, "stray-output"));
	tl_outcome_free(MOVE(o));

	AUTO(tl_hooks_unref) struct tl_hooks *guard =
		load_script(COUNTER("*bad*) echo checking; echo \"{\\\"seq\\\":$seq}\" ;;\n"
				    "*after*) printf '{\"seq\":%s}\\nchecked\\n' \"$seq\" ;;\n"),
			    "'guard':true");
	o = ask(guard, "s", "bad");
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_BAD_OUTPUT);
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	fx_assert_has(tl_outcome_reason(o), "a line that is not a JSON object");
	tl_outcome_free(MOVE(o));
	/* What follows an answer is of the next question, whenever it comes. */
	o = ask(guard, "s", "after");
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_OK);
	tl_outcome_free(MOVE(o));
	o = ask(guard, "s", "ls");
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_BAD_OUTPUT);
	tl_outcome_free(MOVE(o));
	o = ask(guard, "s", "ls");
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_OK);
}

static void c6_8_a_guard_gives_the_seq_back(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(
		COUNTER("*mine*) echo \"{\\\"seq\\\":$seq,\\\"decision\\\":\\\"allow\\\"}\" ;;\n"
			"*none*) echo '{\"decision\":\"allow\"}' ;;\n"
			"*other*) echo '{\"seq\":6,\"decision\":\"allow\"}' ;;\n"
			"*denied*) echo '{\"decision\":\"deny\",\"reason\":\"said\"}' ;;\n"),
		"'guard':true");
	static const char *const wrong[] = { "none", "mine", "other", "mine" };
	AUTO(tl_outcome_free) struct tl_outcome *o = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		bool right = strcmp(wrong[i], "mine") == 0;

		tl_outcome_free(MOVE(o));
		o = ask(h, "s", wrong[i]);
		assert_int_equal(tl_outcome_verdict(o), right ? TL_VERDICT_ALLOW : TL_VERDICT_DENY);
		assert_int_equal(fx_report(o, 0).how, right ? TL_CLASS_OK : TL_CLASS_BAD_OUTPUT);
		if (!right)
			fx_assert_has(tl_outcome_reason(o), "does not give back the \"seq\"");
	}
	tl_outcome_free(MOVE(o));
	o = ask(h, "s", "denied");
	assert_string_equal(tl_outcome_reason(o), "said");
}

/* The same firing asks guards again when one changed the input: each question has its number. */
static void c6_8_no_number_is_asked_twice(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(
		COUNTER("*twice*) echo \"{\\\"seq\\\":$seq}\"; echo \"{\\\"seq\\\":$seq}\" ;;\n"
			"*rm*) echo \"{\\\"seq\\\":$seq,\\\"decision\\\":\\\"deny\\\"}\" ;;\n"),
		"'guard':true");

	(void)state;
	for (int i = 0; i < 10; i++) {
		AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, "s", i % 2 ? "rm" : "twice");

		assert_int_equal(tl_outcome_verdict(o), i % 2 ? TL_VERDICT_DENY : TL_VERDICT_NONE);
		assert_int_equal(fx_report(o, 0).how, TL_CLASS_OK);
	}
}

/* A denial is never lost, whatever else is wrong. */
static void c6_8_a_denial_counts_all_the_same(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(
		COUNTER("*two*) printf '{\"decision\":\"deny\",\"reason\":\"never\"}\\n{}\\n' ;;\n"
			"*exit*) echo said >&2; exit 2 ;;\n"),
		"");
	AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, "s", "two");

	(void)state;
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_string_equal(tl_outcome_reason(o), "never");
	tl_outcome_free(MOVE(o));
	o = ask(h, "s", "exit");
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_BLOCKED);
	assert_string_equal(tl_outcome_reason(o), "said");
}

/* Its last answer is one, whatever it exits with; then it is started again. */
static void c6_8_a_hook_that_answers_once(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(
		"read -r line; echo \"{\\\"systemMessage\\\":\\\"$$ 1\\\"}\"; exit 3\n", "");
	struct answer a = pid_and_count(h, "s", "ls");

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct answer b;

		fx_wait_gone(a.pid);
		b = pid_and_count(h, "s", "ls");
		assert_int_not_equal(b.pid, a.pid);
		a = b;
	}
}

/* Who speaks by its end has spoken: a denial must not lead to a pause, in which nothing denies. */
static void c6_8_an_end_that_answers_is_no_failure(void **state)
{
	static const char *const ends[] = {
		"read -r line; echo no >&2; exit 2\n",
		"read -r line; printf '{\"decision\":\"deny\",\"reason\":\"no\"}'\n",
		"read -r line; printf '{\"decision\":\"deny\",\"reason\":\"no\"}'; exit 1\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(ends[i], "");

		for (int n = 0; n < 4; n++) {
			AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, "s", "ls");

			assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
			assert_string_equal(tl_outcome_reason(o), "no");
		}
	}
}

static void c6_8_too_much_without_a_line(void **state)
{
	(void)state;
	assert_fails(COUNTER("*bad*) yes | tr -d '\\n' | head -c 9000000 ;;\n"), "",
		     TL_CLASS_TOO_BIG, "printed too much");
}

static void c6_8_one_line_whatever_the_host_gives(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(COUNTER(""), "");

	(void)state;
	assert_int_equal(pid_and_count(h, "s", "x',\n\t'more':\n'y").n, 1);
	assert_int_equal(pid_and_count(h, "s", "ls").n, 2);
}

/* More than a pipe holds, both ways. */
static void c6_8_big_questions_and_answers(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		load_script("while read -r line; do printf '{\"systemMessage\":\"%d ' ${#line}\n"
			    "head -c 300000 /dev/zero | tr '\\0' x\necho '\"}'; done\n",
			    "");
	AUTO(free) char *big = xcalloc(1, 200001);

	(void)state;
	memset(big, 'a', 200000);
	for (int i = 0; i < 3; i++) {
		AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, "s", big);
		struct tl_report r = fx_report(o, 0);

		assert_int_equal(r.how, TL_CLASS_OK);
		assert_true(strtol(r.message, NULL, 10) > 200000);
		assert_true(strlen(r.message) > 300000);
	}
}

struct thread {
	pthread_t id;
	struct tl_hooks *h;
	struct tl_outcome *o;
};

static void *fire(void *data)
{
	struct thread *t = data;
	struct tl_event event =
		TL_EVENT_INIT(.name = "BeforeTool", .subject = "shell", .session_id = "s");

	(void)tl_fire(t->h, &event, NULL, &t->o, NULL);
	return NULL;
}

static void c6_8_firings_at_once_do_not_wait_for_each_other(void **state)
{
	/* None answers before all were asked. */
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		load_script("while read -r line; do : >asked.$$\n"
			    "until [ \"$(ls | grep -c asked)\" -ge 4 ]; do sleep 0.01; done\n"
			    "echo \"{\\\"systemMessage\\\":\\\"$$\\\"}\"; done\n",
			    "");
	struct thread threads[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		threads[i] = (struct thread){ .h = h };
		assert_int_equal(pthread_create(&threads[i].id, NULL, fire, &threads[i]), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		pthread_join(threads[i].id, NULL);
		assert_int_equal(fx_report(threads[i].o, 0).how, TL_CLASS_OK);
		tl_outcome_free(threads[i].o);
	}
}

static void c6_8_restarts_with_a_back_off(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		load_script("echo x >>starts; exit 1\n", "'guard':true");

	(void)state;
	for (int i = 0; i < 5; i++) {
		AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, "s", "ls");

		assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
		if (fx_report(o, 0).how == TL_CLASS_NOT_STARTED)
			fx_assert_has(tl_outcome_reason(o),
				      "times in a row, and is started again in");
		if (i < 2)
			assert_int_equal(fx_report(o, 0).how, TL_CLASS_WARNED);
	}
	fx_assert_has(fx_read("project/starts"), "x\nx\n");
}

static void c6_8_cancelled_in_the_middle(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_script(
		COUNTER("*long*) echo $$ >pid.new; mv pid.new pid; sleep 1000 ;;\n"), "");
	const char *json = fx_json("{'command':'long'}");
	struct tl_field field = { "tool_input", json, strlen(json) };
	struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = "shell",
					      .session_id = "s", .fields = &field, .nfields = 1);
	struct answer before = pid_and_count(h, "s", "ls");
	struct tl_job *job;

	(void)state;
	job = tl_job_new(h, &event, NULL);
	assert_non_null(job);
	while (access(fx_path("project/pid"), F_OK) < 0) {
		struct pollfd fds[8];
		size_t n = tl_job_fds(job, fds, ARRAY_LEN(fds), NULL);

		(void)poll(fds, n, 5);
		assert_int_equal(tl_job_step(job, fds, n), 0);
	}
	assert_int_equal(strtol(fx_read("project/pid"), NULL, 10), before.pid);
	assert_int_equal(tl_job_finish(job, NULL, NULL), -TL_E_CANCEL);
	fx_wait_gone(before.pid);
	/* Which is no failure of it. */
	assert_int_equal(pid_and_count(h, "s", "ls").n, 1);
}

static void c6_8_no_result_pipe_and_a_mark_in_the_environment(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		load_script("while read -r line; do echo \"{\\\"systemMessage\\\":"
			    "\\\"${TROTLINE_RESULT_FD-none} $TROTLINE_PERSISTENT\\\"}\"; done\n",
			    "");
	AUTO(tl_outcome_free) struct tl_outcome *o = ask(h, "s", "ls");

	(void)state;
	assert_string_equal(fx_report(o, 0).message, "none 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c6_8_one_process_answers_one_firing_after_another),
		ENGINE_TEST(c6_8_each_session_has_its_own_and_its_end_is_theirs),
		ENGINE_TEST(c6_8_freeing_the_snapshot_ends_all),
		ENGINE_TEST(c6_8_what_does_not_end_by_itself_is_ended_at_once),
		ENGINE_TEST(c6_8_the_same_verdicts),
		ENGINE_TEST(c6_8_a_process_that_dies_is_a_failure),
		ENGINE_TEST(c6_8_deadline_of_each_answer),
		ENGINE_TEST(c6_8_a_line_of_text_is_bad_output_of_a_guard),
		ENGINE_TEST(c6_8_a_guard_gives_the_seq_back),
		ENGINE_TEST(c6_8_no_number_is_asked_twice),
		ENGINE_TEST(c6_8_a_denial_counts_all_the_same),
		ENGINE_TEST(c6_8_a_hook_that_answers_once),
		ENGINE_TEST(c6_8_an_end_that_answers_is_no_failure),
		ENGINE_TEST(c6_8_too_much_without_a_line),
		ENGINE_TEST(c6_8_one_line_whatever_the_host_gives),
		ENGINE_TEST(c6_8_big_questions_and_answers),
		ENGINE_TEST(c6_8_firings_at_once_do_not_wait_for_each_other),
		ENGINE_TEST(c6_8_restarts_with_a_back_off),
		ENGINE_TEST(c6_8_cancelled_in_the_middle),
		ENGINE_TEST(c6_8_no_result_pipe_and_a_mark_in_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
