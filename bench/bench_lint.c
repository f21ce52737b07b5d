/* Does `trotline hooks lint` take time in proportion to the configuration? */
#include <sys/stat.h>

#include "base/buf.h"
#include "bench_run.h"

enum { ROUNDS = 7, MATCHERS = 2500 };

static char dir[] = "/tmp/trotline-bench-XXXXXX";

/* A file of n matchers: half of them of one command, half of many. */
static char *write_settings(size_t n)
{
	AUTO(buf_done) struct buf text = { 0 };
	char *path = xasprintf("%s/%zu.json", dir, n);
	FILE *f = fopen(path, "we");

	buf_addz(&text, "{ \"hooks\": { \"BeforeTool\": [\n");
	for (size_t i = 0; i < n; i++)
		buf_addf(&text,
			 "%s{ \"matcher\": \"write_file|^tool%zu$\", \"hooks\": [ { \"type\": "
			 "\"command\", \"command\": \"true %zu\" } ] }\n",
			 i ? "," : "", i, i % 2 ? i : 0);
	buf_addz(&text, "] } }\n");
	bench_must(f && fputs(buf_z(&text), f) >= 0 && fclose(f) == 0, path);
	return path;
}

int main(void)
{
	const char *trotline = getenv("TROTLINE");
	static double once[ROUNDS], twice[ROUNDS];
	long kb = 0;

	if (!trotline) {
		(void)fprintf(stderr, "TROTLINE is the program to start\n");
		return 1;
	}
	bench_must(mkdtemp(dir), dir);
	AUTO(free) char *home = xasprintf("HOME=%s", dir);
	AUTO(free) char *less = write_settings(MATCHERS);
	AUTO(free) char *more = write_settings((size_t)2 * MATCHERS);
	char *env[] = { (char[]){ "PATH=/usr/bin:/bin" }, home, NULL };
	const char *const lint_less[] = { trotline, "hooks", "lint", less, NULL };
	const char *const lint_more[] = { trotline, "hooks", "lint", more, NULL };
	for (size_t i = 0; i < ROUNDS; i++) {
		once[i] = bench_run(dir, lint_less, NULL, env, &kb);
		twice[i] = bench_run(dir, lint_more, NULL, env, &kb);
	}
	bench_print("lint-5000", "us", bench_median(twice, ROUNDS), "lint of 2500",
		    bench_median(once, ROUNDS));
	(void)remove(less);
	(void)remove(more);
	(void)remove(dir);
	return 0;
}
