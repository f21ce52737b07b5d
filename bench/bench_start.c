/* What starting the program costs, against the least that a process costs: wall time and memory. */
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bench.h"

enum { ROUNDS = 300 };

static char dir[] = "/tmp/trotline-bench-XXXXXX";

/* Runs it in `dir` with its output thrown away; returns microseconds. */
static double run(const char *const *argv, char *const *env, long *max_kb)
{
	posix_spawn_file_actions_t fa;
	struct rusage usage;
	int status;
	pid_t pid;
	double start = bench_now_us();

	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	(void)posix_spawn_file_actions_addchdir_np(&fa, dir);
	bench_must(!posix_spawn(&pid, argv[0], &fa, NULL, (char *const *)argv, env), argv[0]);
	(void)posix_spawn_file_actions_destroy(&fa);
	bench_must(wait4(pid, &status, 0, &usage) == pid, "wait4");
	start = bench_now_us() - start;
	bench_must(status == 0, argv[0]);
	*max_kb = usage.ru_maxrss > *max_kb ? usage.ru_maxrss : *max_kb;
	return start;
}

static void compare(const char *name, const char *const *argv)
{
	static double ours[ROUNDS], theirs[ROUNDS];
	static const char *const floor[] = { "/bin/true", NULL };
	AUTO(free) char *home = xasprintf("HOME=%s", dir);
	AUTO(free) char *rss_name = xasprintf("%s-rss", name);
	char *env[] = { (char[]){ "PATH=/usr/bin:/bin" }, home, NULL };
	long our_kb = 0, their_kb = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		if (i % 2 == 0)
			ours[i] = run(argv, env, &our_kb);
		theirs[i] = run(floor, env, &their_kb);
		if (i % 2 != 0)
			ours[i] = run(argv, env, &our_kb);
	}
	bench_print(name, "us", bench_quiet(ours, ROUNDS), "/bin/true",
		    bench_quiet(theirs, ROUNDS));
	bench_print_alone(rss_name, "KiB", (double)our_kb);
}

/* A project with five hooks, two of them scripts of its own. */
static void make_project(void)
{
	static const char settings[] =
		"{ \"hooks\": { // five\n"
		"  \"BeforeTool\": [\n"
		"    { \"matcher\": \"run_shell_command\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \".gemini/guard.sh\", \"guard\": true } ] },\n"
		"    { \"matcher\": \"write_file|replace\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"$GEMINI_PROJECT_DIR/.gemini/guard.sh w\" } ] },\n"
		"    { \"matcher\": \"mcp_.*\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"grep -q secret\", \"mode\": \"observe\" } ] } ],\n"
		"  \"AfterAgent\": [ { \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"make test\", \"timeout\": 120000 } ] } ],\n"
		"  \"SessionStart\": [ { \"matcher\": \"startup\", \"hooks\": [\n"
		"    { \"type\": \"command\", \"command\": \"echo '{}'\" } ] } ] } }\n";
	AUTO(free) char *gemini = xasprintf("%s/.gemini", dir);
	AUTO(free) char *file = xasprintf("%s/settings.json", gemini);
	AUTO(free) char *guard = xasprintf("%s/guard.sh", gemini);
	FILE *f;

	bench_must(mkdir(gemini, 0755) == 0, gemini);
	f = fopen(file, "we");
	bench_must(f && fputs(settings, f) >= 0 && fclose(f) == 0, file);
	f = fopen(guard, "we");
	bench_must(f && fputs("#!/bin/sh\ncat >/dev/null\n", f) >= 0 && fclose(f) == 0, guard);
	bench_must(chmod(guard, 0755) == 0, guard);
}

static void remove_project(void)
{
	static const char *const names[] = { "/.gemini/settings.json", "/.gemini/guard.sh",
					     "/.gemini", "" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(free) char *path = xasprintf("%s%s", dir, names[i]);

		(void)remove(path);
	}
}

int main(void)
{
	const char *trotline = getenv("TROTLINE");
	const char *const version[] = { trotline, "--version", NULL };
	const char *const list[] = { trotline, "hooks", "list", NULL };

	if (!trotline) {
		(void)fprintf(stderr, "TROTLINE is the program to start\n");
		return 1;
	}
	bench_must(mkdtemp(dir), dir);
	make_project();
	compare("start-version", version);
	compare("start-hooks-list", list);
	remove_project();
	return 0;
}
