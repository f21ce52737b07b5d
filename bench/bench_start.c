/* What starting the program costs, against the least that a process costs: wall time and memory. */
#include <sys/stat.h>

#include "bench_run.h"

enum { ROUNDS = 300 };

#define CALL(tool, input)                                                                          \
	"{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\","                                \
	"\"permission_mode\":\"default\",\"tool_name\":\"" tool "\",\"tool_input\":" input "}\n"
#define BASH_CALL CALL("Bash", "{\"command\":\"git status --short\"}")
#define GLOB_CALL CALL("Glob", "{\"pattern\":\"*.c\"}")

static char dir[] = "/tmp/trotline-bench-XXXXXX";

/* A program, and the file in `dir` that it reads. */
struct start {
	const char *const *argv;
	const char *in; /* NULL = nothing */
};

/* The peers' costs are added up; the last of them has no argv. */
static void compare(const char *name, struct start our, const char *peer, const struct start *peers)
{
	static double ours[ROUNDS], theirs[ROUNDS];
	AUTO(free) char *home = xasprintf("HOME=%s", dir);
	AUTO(free) char *rss_name = xasprintf("%s-rss", name);
	char *env[] = { (char[]){ "PATH=/usr/bin:/bin" }, home, NULL };
	long our_kb = 0, their_kb = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		if (i % 2 == 0)
			ours[i] = bench_run(dir, our.argv, our.in, env, &our_kb);
		theirs[i] = 0;
		for (const struct start *p = peers; p->argv; p++)
			theirs[i] += bench_run(dir, p->argv, p->in, env, &their_kb);
		if (i % 2 != 0)
			ours[i] = bench_run(dir, our.argv, our.in, env, &our_kb);
	}
	bench_print(name, "us", bench_quiet(ours, ROUNDS), peer, bench_quiet(theirs, ROUNDS));
	bench_print_alone(rss_name, "KiB", (double)our_kb);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	AUTO(free) char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");

	bench_must(f && fputs(text, f) >= 0 && fclose(f) == 0, path);
	bench_must(chmod(path, mode) == 0, path);
}

static void make_dir(const char *name)
{
	AUTO(free) char *path = xasprintf("%s/%s", dir, name);

	bench_must(mkdir(path, 0700) == 0, path);
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

	make_dir(".gemini");
	write_file(".gemini/settings.json", settings, 0644);
	write_file(".gemini/guard.sh", "#!/bin/sh\ncat >/dev/null\n", 0755);
}

/* The guards of a user, as the hook of another agent; and what that agent would do. */
static void make_guards(void)
{
	static const char settings[] =
		"{ \"hooks\": { \"PreToolUse\": [\n"
		"  { \"matcher\": \"Write|Edit\", \"hooks\": [ { \"type\": \"command\",\n"
		"    \"command\": \"/usr/bin/false\", \"guard\": true } ] },\n"
		"  { \"matcher\": \"Read\", \"hooks\": [ { \"type\": \"command\",\n"
		"    \"command\": \"grep -q secret\", \"guard\": true } ] },\n"
		"  { \"matcher\": \"mcp__.*\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"/usr/bin/false\", \"guard\": true } ] },\n"
		"  { \"matcher\": \"WebFetch\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"/usr/bin/false\", \"guard\": true } ] },\n"
		"  { \"matcher\": \"Task\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"/usr/bin/false\", \"guard\": true } ] },\n"
		"  { \"matcher\": \"Glob\", \"hooks\": [ { \"type\": \"command\",\n"
		"      \"command\": \"/bin/true\" } ] } ] } }\n";

	make_dir(".trotline");
	write_file(".trotline/settings.json", settings, 0600);
	write_file("bash.json", BASH_CALL, 0644);
	write_file("glob.json", GLOB_CALL, 0644);
}

/* All packs instead (C9.7). */
static void switch_packs_on(void)
{
	write_file(
		".trotline/settings.json",
		"{ \"guard\": { \"packs\": [ \"agents\", \"destructive\", \"git\", \"outside\",\n"
		"  \"publish\", \"secrets\", \"supply\" ] } }\n",
		0600);
}

int main(void)
{
	static const char *const least_argv[] = { "/bin/true", NULL };
	static const struct start least[] = { { .argv = least_argv }, { 0 } };
	const char *trotline = getenv("TROTLINE"), *safety_net = getenv("SAFETY_NET");
	const char *const version[] = { trotline, "--version", NULL };
	const char *const list[] = { trotline, "hooks", "list", NULL };
	AUTO(free) char *small = xasprintf("%s-hook", trotline ? trotline : "");
	const char *const hook[] = { small, "claude", NULL };
	const char *const hook_of_all[] = { trotline, "hook", "claude", NULL };
	const char *const net[] = { "/usr/bin/env", "node",          safety_net,
				    "hook",         "--claude-code", NULL };
	const struct start none = { hook, "bash.json" };

	if (!trotline) {
		(void)fprintf(stderr, "TROTLINE is the program to start\n");
		return 1;
	}
	bench_must(mkdtemp(dir), dir);
	make_project();
	compare("start-version", (struct start){ version }, "/bin/true", least);
	compare("start-hooks-list", (struct start){ list }, "/bin/true", least);
	make_guards();
	compare("hook-none", none, "/bin/true", least);
	compare("hook-of-all", (struct start){ hook_of_all, "bash.json" }, "/bin/true", least);
	compare("hook-one", (struct start){ hook, "glob.json" }, "hook-none and /bin/true",
		(struct start[]){ none, least[0], { 0 } });
	if (safety_net)
		compare("hook-safety-net", none, "cc-safety-net",
			(struct start[]){ { net, "bash.json" }, { 0 } });
	switch_packs_on();
	compare("hook-packs", none, "/bin/true", least);
	bench_must(bench_remove(dir), dir);
	return 0;
}
