/*
 * What a firing costs whose hook is there already: a persistent one (C6.8), a whole tl_fire()
 * against the same bytes written to the same program and a line read, and against a process that
 * does nothing; a warm one (C6.9), against the start of the same script, and against a process
 * of it that was started by hand and has waited: the hook's own work and end, which no host can
 * shorten.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

#include "bare.h"
#include "bench.h"
#include "os/fs.h"
#include "trotline.h"

enum { KB = 1024 };

/* This program again: the least that answers a line with a line. */
static char self[512];
static const char *const answering[] = { self, "answer", NULL };

static char question[KB];

/* Of scripts, and of what the engine writes for them. */
static char home[] = "/tmp/trotline-bench-XXXXXX";

struct bare_peer {
	pid_t pid;
	int in, out;
};

static struct bare_peer start(const char *const *argv)
{
	struct bare_peer p;
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	int in[2], out[2];

	bench_must(!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC), "pipe2");
	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_adddup2(&fa, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&fa, out[1], 1);
	(void)posix_spawnattr_init(&attr);
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	bench_must(!posix_spawn(&p.pid, argv[0], &fa, &attr, (char *const *)argv, environ),
		   argv[0]);
	(void)posix_spawn_file_actions_destroy(&fa);
	(void)posix_spawnattr_destroy(&attr);
	(void)close(in[0]);
	(void)close(out[1]);
	p.in = in[1];
	p.out = out[0];
	return p;
}

static void ask(void *data)
{
	const struct bare_peer *p = data;
	struct pollfd fd = { .fd = p->out, .events = POLLIN };
	char line[64];

	bench_must(write(p->in, question, KB) == KB, "write");
	bench_must(poll(&fd, 1, -1) == 1 && read(p->out, line, sizeof line) > 0, "read");
}

static int answer(void)
{
	static char line[64 * KB];

	while (fgets(line, sizeof line, stdin))
		bench_must(write(STDOUT_FILENO, "{}\n", 3) == 3, "write");
	return 0;
}

static struct tl_hooks *load(const char *hook)
{
	AUTO(free) char *text = xasprintf(
		"{\"hooks\":{\"BeforeTool\":[{\"hooks\":[{\"type\":\"command\",\"name\":\"h\",%s}]}]}}",
		hook);
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "bench",
						 .text = text, .length = strlen(text));
	struct tl_options o = TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES | TL_LOAD_WARM,
					      .sources = &source, .nsources = 1, .home = home);
	struct tl_hooks *hooks;

	bench_must(tl_hooks_load(&o, &hooks, NULL) == 0, "tl_hooks_load");
	return hooks;
}

static void fire(void *data)
{
	static char json[KB - 200];
	struct tl_field field = { "tool_input", json, sizeof json };
	const struct tl_event event =
		TL_EVENT_INIT(.name = "BeforeTool", .subject = "write_file", .session_id = "bench",
			      .fields = &field, .nfields = 1);
	struct tl_report report = TL_REPORT_INIT();
	struct tl_outcome *o;

	memset(json, 'a', sizeof json);
	json[0] = json[sizeof json - 1] = '"';
	bench_must(tl_fire(data, &event, NULL, &o, NULL) == 0, "tl_fire");
	(void)tl_outcome_report_get(o, 0, &report);
	bench_must(report.state == TL_STATE_RAN && report.how == TL_CLASS_OK, report.message);
	tl_outcome_free(o);
}

static void bare(void *data)
{
	bare_run(data);
}

/* ---- a warm hook ---- */

static const struct warm_script {
	const char *row, *row_waited, *file, *name, *code;
} scripts[] = {
	{ "fire-warm-node", "fire-warm-node-waited", "/usr/bin/node", "hook.cjs",
	  "let t = '';\n"
	  "process.stdin.on('data', (d) => (t += d)).on('end', () => {\n"
	  "  JSON.parse(t);\n"
	  "  console.log('{}');\n"
	  "});\n" },
	{ "fire-warm-python", "fire-warm-python-waited", "/usr/bin/python3", "hook.py",
	  "import json, re, sys\njson.load(sys.stdin)\nprint({})\n" },
};

/* What is asked and has ended. */
static void end(void *data)
{
	const struct bare_peer *p = data;
	char bytes[64];

	bench_must(write(p->in, question, KB) == KB && close(p->in) == 0, "write");
	while (read(p->out, bytes, sizeof bytes) > 0)
		continue;
	bench_must(waitpid(p->pid, NULL, 0) == p->pid && close(p->out) == 0, "waitpid");
}

/*
 * The next process has to be there: what is measured is a person's pace, not a flood; and nothing
 * else may be starting meanwhile, on the one processor that there is.
 */
static double rested(void (*fn)(void *), void *data)
{
	enum { PAUSE_MS = 250 };

	(void)poll(NULL, 0, PAUSE_MS);
	return bench_timed(fn, data);
}

static void warm_row(const struct warm_script *s)
{
	enum { ROUNDS = 40 };
	AUTO(free) char *script = xasprintf("%s/%s", home, s->name);
	const char *const argv[] = { s->file, script, NULL };
	struct bare_command cold = { argv, question, sizeof question, 1 };
	AUTO(free) char *hook = xasprintf("\"warm\":1,\"command\":\"%s %s\"", s->file, script);
	double ours[ROUNDS], waited[ROUNDS], theirs[ROUNDS];
	struct bare_peer waiting;
	struct tl_hooks *hooks;

	if (access(s->file, X_OK) < 0)
		return;
	bench_must(fs_replace(script, str_from(s->code), 0600, NULL) == 0, script);
	hooks = load(hook);
	fire(hooks);
	for (size_t i = 0; i < ROUNDS; i++) {
		ours[i] = rested(fire, hooks);
		theirs[i] = rested(bare, &cold);
		waiting = start(argv);
		waited[i] = rested(end, &waiting);
	}
	bench_print(s->row, "us", bench_quiet(ours, ROUNDS), "bare posix_spawn of it",
		    bench_quiet(theirs, ROUNDS));
	bench_print(s->row_waited, "us", bench_quiet(ours, ROUNDS), "a process that had waited",
		    bench_quiet(waited, ROUNDS));
	tl_hooks_unref(hooks);
}

/* On one processor, all of them: whether two processes share one decides more than what they do. */
static void stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	bench_must(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

int main(int argc, char **argv)
{
	const char *const true_[] = { "/bin/true", NULL };
	struct bare_command nothing = { true_, question, KB, 1 };
	struct bare_peer peer;
	struct tl_hooks *hooks;

	if (argc > 1 && strcmp(argv[1], "answer") == 0)
		return answer();
	bench_must(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc/self/exe");
	bench_must(mkdtemp(home) != NULL, home);
	stay_here();
	peer = start(answering);
	AUTO(free) char *persistent =
		xasprintf("\"persistent\":true,\"command\":\"%s answer\"", self);
	hooks = load(persistent);
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	memset(question, 'a', KB - 1);
	question[KB - 1] = '\n';
	bench_compare(&(struct bench_pair){ "fire-persistent", "write and read", fire, ask, hooks,
					    &peer, 2000 });
	bench_compare(&(struct bench_pair){ "fire-persistent-true", "bare posix_spawn", fire, bare,
					    hooks, &nothing, 400 });
	tl_hooks_unref(hooks);
	(void)close(peer.in);
	(void)waitpid(peer.pid, NULL, 0);
	memset(question, ' ', sizeof question);
	memcpy(question, "{}", 2);
	/* It doubles what Node takes to start, which is nothing that we would save. */
	(void)unsetenv("NODE_EXTRA_CA_CERTS");
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
		warm_row(&scripts[i]);
	bench_must(bench_remove(home), home);
	return 0;
}
