/* C6.10: hosts that take exit statuses away, each in a process of its own.  No denial is lost. */
#include "engine_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"

enum { TIMES = 5 };

/* ---- the hosts ---- */

static void ignores(void)
{
	(void)sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
}

static void waits_for_none(void)
{
	(void)sigaction(SIGCHLD,
			&(struct sigaction){ .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT },
			NULL);
}

static void reap_all(int sig)
{
	int saved = errno;

	(void)sig;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	errno = saved;
}

static void reaps_in_a_handler(void)
{
	(void)sigaction(SIGCHLD,
			&(struct sigaction){ .sa_handler = reap_all, .sa_flags = SA_RESTART },
			NULL);
}

static void *reap_forever(void *data)
{
	(void)data;
	for (;;)
		if (waitpid(-1, NULL, 0) < 0)
			(void)usleep(50);
	return NULL;
}

static void reaps_in_a_thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, reap_forever, NULL) != 0)
		exit(97);
}

static const struct host {
	const char *name;
	void (*be)(void);
	bool announced; /* by what sigaction() says */
} hosts[] = {
	{ "ignores", ignores, true },
	{ "waits-for-none", waits_for_none, true },
	{ "handler", reaps_in_a_handler, false },
	{ "thread", reaps_in_a_thread, false },
};

/* ---- the hooks ---- */

static const struct hook_case {
	const char *command;
	bool persistent;
	enum tl_class how;
	enum tl_verdict plain, guard;
	bool by_status; /* what it says is in its exit status */
} cases[] = {
	{ "echo '{\"decision\":\"deny\"}'", false, TL_CLASS_OK, TL_VERDICT_DENY, TL_VERDICT_DENY,
	  false },
	{ "exit 0", false, TL_CLASS_OK, TL_VERDICT_NONE, TL_VERDICT_NONE, true },
	{ "exit 1", false, TL_CLASS_WARNED, TL_VERDICT_NONE, TL_VERDICT_DENY, true },
	{ "echo no >&2; exit 2", false, TL_CLASS_BLOCKED, TL_VERDICT_DENY, TL_VERDICT_DENY, true },
	{ "kill -9 $$; sleep 10", false, TL_CLASS_SIGNALLED, TL_VERDICT_NONE, TL_VERDICT_DENY,
	  true },
	{ "cat >/dev/null; exit 2", false, TL_CLASS_BLOCKED, TL_VERDICT_DENY, TL_VERDICT_DENY,
	  true },
	{ "/bin/false", false, TL_CLASS_WARNED, TL_VERDICT_NONE, TL_VERDICT_DENY, true },
	{ "read -r line; exit 2", true, TL_CLASS_BLOCKED, TL_VERDICT_DENY, TL_VERDICT_DENY, true },
	{ "read -r line; echo '{\"seq\":1}'; exit 2", true, TL_CLASS_OK, TL_VERDICT_NONE,
	  TL_VERDICT_NONE, false },
};

static struct tl_hooks *load(const struct hook_case *c, bool guard, unsigned flags)
{
	AUTO(buf_done) struct buf quoted = { 0 };

	(void)json_write_str(&quoted, str_from(c->command));
	AUTO(free) char *settings = xasprintf(
		"{\"hooks\":{\"BeforeTool\":[{\"hooks\":[{\"type\":\"command\",\"name\":\"h\","
		"\"persistent\":%s,\"guard\":%s,\"command\":%s}]}]}}",
		c->persistent ? "true" : "false", guard ? "true" : "false", buf_z(&quoted));
	const struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "test", .text = settings,
			       .length = strlen(settings));
	const struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES | flags, .cwd = "/", .project_dir = "/",
				.home = "/", .sources = &source, .nsources = 1);
	struct tl_hooks *h = NULL;

	(void)tl_hooks_load(&o, &h, NULL);
	return h;
}

static const char *const class_text[] = { "ok", "blocked", "warned", "timed-out", "signalled" };

/* Whether it is as it would be in any other host; or, where that cannot be, closed. */
static bool holds(const struct hook_case *c, bool guard, unsigned flags, bool may_lose)
{
	const struct tl_event event =
		TL_EVENT_INIT(.name = "BeforeTool", .subject = "shell", .session_id = "s");
	struct tl_report r = TL_REPORT_INIT();
	struct tl_hooks *h = load(c, guard, flags);
	const struct tl_diagnostic *d;
	enum tl_verdict want = guard ? c->guard : c->plain;
	struct tl_outcome *o = NULL;
	bool ok, lost;

	if (tl_fire(h, &event, NULL, &o, NULL) < 0 || tl_outcome_report_get(o, 0, &r) < 0)
		return false;
	d = fx_outcome_diag(o, "hook-failed");
	lost = may_lose && r.how == TL_CLASS_WARNED && d && strstr(d->text, "TL_LOAD_HOST_REAPS");
	ok = lost ? !guard || r.verdict == TL_VERDICT_DENY : r.how == c->how && r.verdict == want;
	ok &= c->by_status || r.verdict >= want;
	if (!ok)
		(void)fprintf(stderr, "# %s: %s (%s), flags %u: %s %s: %s\n",
			      guard ? "guard" : "plain", c->command, class_text[c->how], flags,
			      tl_class_name(r.how), tl_verdict_name(r.verdict), d ? d->text : "");
	tl_outcome_free(o);
	tl_hooks_unref(h);
	return ok;
}

static int be_host(const char *name, bool kernel_tells)
{
	const struct host *host = hosts;
	bool ok = true;

	while (strcmp(host->name, name) != 0)
		host++;
	host->be();
	for (size_t i = 0; i < ARRAY_LEN(cases) * 4 * TIMES; i++) {
		unsigned flags = i & 1 ? TL_LOAD_HOST_REAPS : 0;

		ok &= holds(&cases[i / 4 % ARRAY_LEN(cases)], i & 2, flags,
			    !kernel_tells && !flags && !host->announced);
	}
	return ok ? 0 : 1;
}

static void c6_10_no_status_is_lost(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		const char *const args[] = { "host", hosts[i].name, NULL };

		assert_int_equal(fx_wait(fx_spawn_self(args)), 0);
	}
}

/* As before Linux 6.15: a shell reports, where it is known in time that somebody reaps. */
static void c6_10_nor_where_the_kernel_does_not_tell(void **state)
{
	(void)state;
	(void)setenv("TROTLINE_NO_PIDFD", "1", 1);
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		const char *const args[] = { "host", hosts[i].name, "old", NULL };

		assert_int_equal(fx_wait(fx_spawn_self(args)), 0);
	}
	(void)unsetenv("TROTLINE_NO_PIDFD");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c6_10_no_status_is_lost),
		ENGINE_TEST(c6_10_nor_where_the_kernel_does_not_tell),
	};

	if (argc > 2 && strcmp(argv[1], "host") == 0)
		return be_host(argv[2], argc == 3);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
