/*
 * What firing an event costs over starting its hooks by hand: a whole tl_fire(), from the event to
 * the merged outcome, against a bare posix_spawn of what the engine executes; and against a host on
 * Node.  All in turn; only the ratios carry over to other machines.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bare.h"
#include "base/buf.h"
#include "bench.h"
#include "trotline.h"

enum { KB = 1024, MB = 1024 * KB };

static char input[MB];
static char script[] = "/tmp/trotline-bench-XXXXXX";

/* ---- firing ---- */

struct firing_bench {
	struct tl_hooks *hooks;
	struct tl_field field;
};

/* `n` hooks of one event, all with this command. */
static struct tl_hooks *load(const char *command, size_t n)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "bench");
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES, .sources = &source, .nsources = 1);
	struct tl_hooks *hooks;
	struct tl_err err;

	buf_addz(&text, "{\"hooks\":{\"BeforeTool\":[{\"hooks\":[");
	for (size_t i = 0; i < n; i++)
		buf_addf(&text, "%s{\"type\":\"command\",\"name\":\"h%zu\",\"command\":\"%s\"}",
			 i ? "," : "", i, command);
	buf_addz(&text, "]}]}}");
	source.text = buf_z(&text);
	source.length = text.n;
	if (tl_hooks_load(&o, &hooks, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return hooks;
}

/* A tool_input of n bytes, {"content":"aaa..."}: with the rest of the payload a little more. */
static struct tl_field field_of(size_t n)
{
	static char json[MB + 64];
	static const char head[] = "{\"content\":\"";

	memset(json, 'a', n);
	memcpy(json, head, sizeof head - 1);
	memcpy(json + n - 2, "\"}", 2);
	return (struct tl_field){ "tool_input", json, n };
}

static void fire(void *data)
{
	const struct firing_bench *b = data;
	const struct tl_event event =
		TL_EVENT_INIT(.name = "BeforeTool", .subject = "write_file", .session_id = "bench",
			      .fields = &b->field, .nfields = 1);
	struct tl_report report = TL_REPORT_INIT();
	struct tl_outcome *o;
	struct tl_err err;

	if (tl_fire(b->hooks, &event, NULL, &o, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	(void)tl_outcome_report_get(o, tl_outcome_report_count(o) - 1, &report);
	if (report.state != TL_STATE_RAN || report.exit_code != 0) {
		(void)fprintf(stderr, "%s: %s\n", report.hook->command, report.message);
		exit(1);
	}
	tl_outcome_free(o);
}

static void bare(void *data)
{
	bare_run(data);
}

/* `command` as the settings have it; `argv` is what the engine makes of it. */
static void compare(const char *name, const char *command, const char *const *argv, size_t hooks,
		    size_t rounds)
{
	struct firing_bench b = { load(command, hooks), field_of(KB - 200) };
	struct bare_command c = { argv, input, KB, hooks };
	struct bench_pair pair = {
		.name = name,
		.peer = "bare posix_spawn",
		.ours = fire,
		.our_data = &b,
		.theirs = bare,
		.their_data = &c,
		.rounds = rounds,
	};

	bench_compare(&pair);
	tl_hooks_unref(b.hooks);
}

/* How a firing grows with the memory of the host: fork() would copy its page tables. */
static void compare_heaps(void)
{
	enum { BLOCKS = 6, EACH = 50 };
	static double with[BLOCKS * EACH], without[BLOCKS * EACH];
	struct firing_bench b = { load("/bin/true", 1), field_of(KB - 200) };
	size_t size = (size_t)1 << 30;

	for (size_t n = 0; n < BLOCKS * EACH; n += EACH) {
		for (size_t i = 0; i < EACH; i++)
			without[n + i] = bench_timed(fire, &b);
		char *heap = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		bench_must(heap != MAP_FAILED, "mmap");
		(void)madvise(heap, size, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < size; at += 4096)
			heap[at] = 1;
		for (size_t i = 0; i < EACH; i++)
			with[n + i] = bench_timed(fire, &b);
		(void)munmap(heap, size);
	}
	bench_print("fire-heap-1gb", "us", bench_quiet(with, BLOCKS * EACH), "ours, small heap",
		    bench_quiet(without, BLOCKS * EACH));
	tl_hooks_unref(b.hooks);
}

/* A big payload is made once for all hooks, so ten more hooks cost ten more pipes, not more. */
static void compare_payloads(void)
{
	static const char command[] = "cat >/dev/null; :";
	const char *const argv[] = { "/bin/bash", "-c", command, NULL };
	struct firing_bench b = { load(command, 10), field_of(MB) };
	struct bare_command c = { argv, input, MB, 10 };

	bench_compare(&(struct bench_pair){ "fire-10-input-1mb", "bare posix_spawn", fire, bare, &b,
					    &c, 40 });
	tl_hooks_unref(b.hooks);
}

/* ---- a host on Node ---- */

struct node {
	pid_t pid;
	FILE *in, *out;
};

static bool node_start(struct node *n, const char *command, const char *megabytes)
{
	const char *root = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *program = xasprintf("%s/bench/spawn.mjs", root ? root : ".");
	const char *const argv[] = { "node", program, megabytes, command, NULL };
	posix_spawn_file_actions_t fa;
	int in[2], out[2], r;

	bench_must(!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC), "pipe2");
	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_adddup2(&fa, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&fa, out[1], 1);
	r = posix_spawnp(&n->pid, argv[0], &fa, NULL, (char *const *)argv, environ);
	(void)posix_spawn_file_actions_destroy(&fa);
	(void)close(in[0]);
	(void)close(out[1]);
	n->in = fdopen(in[1], "w");
	n->out = fdopen(out[0], "r");
	bench_must(n->in && n->out, "fdopen");
	return r == 0;
}

static double node_once(struct node *n)
{
	char line[64];

	(void)fputs("\n", n->in);
	bench_must(!fflush(n->in) && fgets(line, sizeof line, n->out), "node bench/spawn.mjs");
	return strtod(line, NULL);
}

static void node_end(struct node *n)
{
	(void)fclose(n->in);
	(void)fclose(n->out);
	(void)waitpid(n->pid, NULL, 0);
}

/* The same command as a hook of ours, which needs no shell for it, and as a host on Node has it. */
static void compare_node(const char *name, const char *command, const char *megabytes)
{
	enum { WARM_UP = 30, ROUNDS = 150 };
	static double ours[ROUNDS], theirs[ROUNDS];
	struct firing_bench b = { load(command, 1), field_of(KB - 200) };
	struct node node;

	if (!node_start(&node, command, megabytes)) {
		(void)printf("%s: there is no node\n", name);
		tl_hooks_unref(b.hooks);
		return;
	}
	for (size_t i = 0; i < WARM_UP; i++)
		(void)node_once(&node);
	for (size_t i = 0; i < ROUNDS; i++) {
		ours[i] = bench_timed(fire, &b);
		theirs[i] = node_once(&node);
	}
	node_end(&node);
	bench_print(name, "us", bench_quiet(ours, ROUNDS), "node child_process",
		    bench_quiet(theirs, ROUNDS));
	tl_hooks_unref(b.hooks);
}

/* ---- */

static void make_script(void)
{
	static const char text[] = "#!/bin/sh\ncat >/dev/null\necho '{\"decision\":\"allow\"}'\n";
	int fd = mkostemp(script, O_CLOEXEC);

	bench_must(fd >= 0 && write(fd, text, sizeof text - 1) > 0 && !fchmod(fd, 0755), script);
	(void)close(fd);
}

int main(void)
{
	static const char shell_command[] = "cat >/dev/null; echo '{}'";
	const char *const bash_c[] = { "/bin/bash", "-c", shell_command, NULL };
	const char *const true_[] = { "/bin/true", NULL }, *const allow[] = { script, NULL };

	/* The bare ones need it: true does not read what it is sent. */
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	make_script();
	compare("fire-true", "/bin/true", true_, 1, 400);
	compare("fire-script", script, allow, 1, 300);
	compare("fire-bash-c", shell_command, bash_c, 1, 300);
	compare("fire-50-true", "/bin/true", true_, BARE_MAX, 60);
	compare("fire-50-script", script, allow, BARE_MAX, 40);
	compare_payloads();
	compare_heaps();
	compare_node("fire-node-true", "/bin/true", "0");
	compare_node("fire-node-script", script, "0");
	compare_node("fire-node-160mb", script, "160");
	(void)unlink(script);
	return 0;
}
