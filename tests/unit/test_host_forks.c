/*
 * Hosts that fork after they have loaded hooks (worker processes), and that cancel threads of
 * theirs: what waits for the next firing belongs to who has started it (C6.8, C6.9), and nothing of
 * a firing is left behind.
 */
#include "engine_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "os/clock.h"
#include "os/fd.h"

#undef fork /* hosts do it */

enum { ROUNDS = 20 };

/* Sanitizers need several times as much. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALL_STACK = 1 << 20 };
#else
enum { SMALL_STACK = 64 << 10 };
#endif

#define PERSISTENT                                                                                 \
	"#!/bin/sh\nwhile read -r q; do\n"                                                         \
	"seq=${q##*'\"seq\":'}; seq=${seq%%[,\\}]*}\n"                                             \
	"case $q in *forbidden*) say=deny;; *) say=allow;; esac\n"                                 \
	"echo \"{\\\"seq\\\":$seq,\\\"decision\\\":\\\"$say\\\","                                  \
	"\\\"systemMessage\\\":\\\"$$\\\"}\"\n"                                                    \
	"done\n"
#define ONCE                                                                                       \
	"#!/bin/sh\nread -r q\n"                                                                   \
	"case $q in *forbidden*) say=deny;; *) say=allow;; esac\n"                                 \
	"echo \"{\\\"decision\\\":\\\"$say\\\",\\\"systemMessage\\\":\\\"$$\\\"}\"\n"

/* Its end is announced. */
#define PYTHON                                                                                     \
	"#!/usr/bin/python3\nimport os, sys\n"                                                     \
	"say = 'deny' if 'forbidden' in sys.stdin.read() else 'allow'\n"                           \
	"print('{\"decision\":\"%s\",\"systemMessage\":\"%d\"}' % (say, os.getpid()))\n"

static const struct way {
	const char *script, *more;
	unsigned flags;
} ways[] = {
	{ PERSISTENT, "'guard': true, 'persistent': true", 0 },
	{ ONCE, "'guard': true, 'warm': 2", TL_LOAD_WARM },
	{ PYTHON, "'guard': true, 'warm': 2", TL_LOAD_WARM },
	{ ONCE, "'guard': true", 0 },
};

/* Its interpreter. */
static bool is_there(const struct way *w)
{
	return strcmp(w->script, PYTHON) != 0 || access("/usr/bin/python3", X_OK) == 0;
}

static struct tl_hooks *load(const struct way *w)
{
	const char *text =
		fx_settings("BeforeTool", fx_script("guard.sh", w->script), fx_json("%s", w->more));
	struct tl_source s = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "settings.json",
					    .text = text, .length = strlen(text));

	return FX_LOAD(.flags = TL_LOAD_NO_FILES | w->flags, .sources = &s, .nsources = 1);
}

/* Asserts nothing, as a fork of the test calls it, too; *ret_pid (NULL allowed) is who answered. */
static enum tl_verdict ask(struct tl_hooks *h, const char *json, uint64_t seq, long *ret_pid)
{
	struct tl_field field = { "tool_input", json, strlen(json) };
	struct tl_event event =
		TL_EVENT_INIT(.name = "BeforeTool", .subject = "shell", .session_id = "s",
			      .seq = seq, .fields = &field, .nfields = 1);
	AUTO(tl_outcome_free) struct tl_outcome *o = NULL;

	if (tl_fire(h, &event, NULL, &o, NULL) < 0)
		return TL_VERDICT_NONE;
	if (ret_pid)
		*ret_pid = strtol(tl_outcome_message(o), NULL, 10);
	return tl_outcome_verdict(o);
}

/* How many of the answers are wrong. */
static int ask_often(struct tl_hooks *h, const char *json, enum tl_verdict right)
{
	int wrong = 0;

	for (uint64_t i = 0; i < ROUNDS; i++)
		wrong += ask(h, json, i + 2, NULL) != right;
	return wrong;
}

static int exit_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Both ask at the same time, with the same numbers: neither gets what the other was told. */
static void c6_8_c6_9_a_fork_asks_processes_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		if (!is_there(&ways[i]))
			continue;
		AUTO(tl_hooks_unref) struct tl_hooks *h = load(&ways[i]);

		assert_int_equal(ask(h, "{\"a\":\"fine\"}", 1, NULL), TL_VERDICT_ALLOW);
		pid_t pid = fork();
		if (pid == 0)
			_exit(ask_often(h, "{\"a\":\"forbidden\"}", TL_VERDICT_DENY));
		assert_int_equal(ask_often(h, "{\"a\":\"fine\"}", TL_VERDICT_ALLOW), 0);
		assert_int_equal(exit_of(pid), 0);
	}
}

/* What a fork does with its copy of the snapshot, the processes of its parent do not notice. */
static void c6_8_c6_9_a_fork_ends_nothing_of_its_parent(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3 && is_there(&ways[i]); i++) {
		struct tl_hooks *h = load(&ways[i]);
		long before, after;
		int64_t since;
		pid_t pid;

		assert_int_equal(ask(h, "{}", 1, &before), TL_VERDICT_ALLOW);
		since = clock_us();
		pid = fork();
		if (pid == 0) {
			tl_hooks_end_session(h, "s");
			(void)ask(h, "{}", 2, NULL);
			tl_hooks_unref(h);
			_exit(clock_us() - since > (int64_t)WAIT_MS * 1000);
		}
		assert_int_equal(exit_of(pid), 0);
		assert_int_equal(ask(h, "{}", 2, &after), TL_VERDICT_ALLOW);
		if (!ways[i].flags)
			assert_int_equal(before, after);
		tl_hooks_unref(h);
	}
}

struct cancelled {
	struct tl_hooks *h;
	_Atomic int asked;
};

static void *ask_for_ever(void *data)
{
	struct cancelled *c = data;

	while (c->h) {
		(void)ask(c->h, "{\"a\":\"forbidden\"}", 0, NULL);
		c->asked++;
		pthread_testcancel();
	}
	return NULL;
}

/* The fixture looks for descriptors and children, the sanitizer for memory. */
static void a_cancelled_thread_leaves_nothing_behind(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		if (!is_there(&ways[i]))
			continue;
		AUTO(tl_hooks_unref) struct tl_hooks *h = load(&ways[i]);

		for (int k = 0; k < ROUNDS; k++) {
			struct cancelled c = { h, 0 };
			pthread_t thread;

			assert_int_equal(pthread_create(&thread, NULL, ask_for_ever, &c), 0);
			(void)fd_sleep(NULL, k % 7);
			assert_int_equal(pthread_cancel(thread), 0);
			assert_int_equal(pthread_join(thread, NULL), 0);
			assert_true(c.asked > 0); /* what had begun was ended */
		}
		assert_int_equal(ask(h, "{\"a\":\"forbidden\"}", 0, NULL), TL_VERDICT_DENY);
	}
}

/* ---- small stacks ---- */

struct small {
	struct tl_hooks *h;
	const char *json;
	enum tl_verdict verdict;
	int r;
};

static void *fire_small(void *data)
{
	struct small *s = data;
	struct tl_field field = { "tool_input", s->json, strlen(s->json) };
	struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = "run_shell_command",
					      .fields = &field, .nfields = 1);
	AUTO(tl_outcome_free) struct tl_outcome *o = NULL;

	s->r = tl_fire(s->h, &event, NULL, &o, NULL);
	if (s->r == 0) {
		free(tl_outcome_record(o));
		s->verdict = tl_outcome_verdict(o);
	}
	return NULL;
}

static const char *nested(const char *before, const char *open, const char *core, const char *close,
			  const char *after, int n)
{
	struct buf b = { 0 };

	buf_addz(&b, before);
	for (int i = 0; i < n; i++)
		buf_addz(&b, open);
	buf_addz(&b, core);
	for (int i = 0; i < n; i++)
		buf_addz(&b, close);
	buf_addz(&b, after);
	const char *text = fx_fmt("%s", buf_z(&b));
	buf_done(&b);
	return text;
}

/* However deep the brackets are, and however small the stack: no crash, and the guards deny. */
static void what_is_nested_fits_into_a_small_stack(void **state)
{
	static const struct {
		const char *before, *open, *core, *close, *after;
	} inputs[] = {
		{ "{\"command\":\"rm -rf ~\",\"a\":", "[", "1", "]", "}" },
		{ "{\"command\":\"rm -rf ~\",\"a\":", "{\"a\":", "1", "}", "}" },
		{ "{\"command\":\"", "$(", "rm -rf ~", ")", "\"}" },
		{ "{\"command\":\"", "{ ( ", "rm -rf ~", "; ); }", "\"}" },
		{ "{\"command\":\"rm -rf ~;", "eval ", "rm -rf ~", "", "\"}" },
		{ "{\"command\":\"rm -rf ~; python3 -c '", "f(", "", ")", "'\"}" },
	};
	static const int depths[] = { 10, 60, 120, 500, 4000 };
	const char *text = fx_json(
		"{'guard': {'packs': ['destructive']}, 'hooks': {'BeforeTool': "
		"[{'hooks': [{'type': 'command', 'command': '%s'}]}]}}",
		fx_script("answer", nested("#!/bin/sh\necho '{\"a\":", "[", "", "]", "}'\n", 500)));
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "settings.json",
						 .text = text, .length = strlen(text));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(inputs) * ARRAY_LEN(depths); i++) {
		size_t k = i / ARRAY_LEN(depths);
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			FX_LOAD(.flags = TL_LOAD_NO_FILES, .sources = &source, .nsources = 1);
		struct small s = { h,
				   nested(inputs[k].before, inputs[k].open, inputs[k].core,
					  inputs[k].close, inputs[k].after,
					  depths[i % ARRAY_LEN(depths)]),
				   TL_VERDICT_NONE, -1 };
		pthread_attr_t attr;
		pthread_t thread;

		assert_int_equal(pthread_attr_init(&attr), 0);
		assert_int_equal(pthread_attr_setstacksize(&attr, SMALL_STACK), 0);
		assert_int_equal(pthread_create(&thread, &attr, fire_small, &s), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(pthread_attr_destroy(&attr), 0);
		assert_int_equal(s.r, 0);
		assert_int_equal(s.verdict, TL_VERDICT_DENY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c6_8_c6_9_a_fork_asks_processes_of_its_own),
		ENGINE_TEST(c6_8_c6_9_a_fork_ends_nothing_of_its_parent),
		ENGINE_TEST(a_cancelled_thread_leaves_nothing_behind),
		ENGINE_TEST(what_is_nested_fits_into_a_small_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
