/* Does resuming a recording take time in proportion to its calls? */
#include <sys/stat.h>

#include "base/buf.h"
#include "bench_run.h"

enum { ROUNDS = 7, CALLS = 5000 };

static char dir[] = "/tmp/trotline-bench-XXXXXX";

static char *write_file(const char *name, const struct buf *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");

	bench_must(f && fwrite(text->p, 1, text->n, f) == text->n && fclose(f) == 0, path);
	return path;
}

/* As a session writes it: each call in a message of its own, which is written twice. */
static char *write_recording(const char *name, size_t calls)
{
	static const char when[] = "2026-05-04T09:12:44.101Z";
	AUTO(buf_done) struct buf text = { 0 };

	buf_addf(&text,
		 "{\"sessionId\":\"617cda46-358f-44d5-97e9-%012zu\",\"projectHash\":\"x\","
		 "\"startTime\":\"%s\",\"lastUpdated\":\"%s\",\"kind\":\"main\"}\n"
		 "{\"id\":\"u\",\"timestamp\":\"%s\",\"type\":\"user\",\"content\":[{\"text\":"
		 "\"hi\"}]}\n",
		 calls, when, when, when);
	for (size_t i = 0; i < calls; i++)
		for (int twice = 0; twice < 2; twice++) {
			buf_addf(&text,
				 "{\"id\":\"m%zu\",\"timestamp\":\"%s\",\"type\":\"gemini\","
				 "\"content\":\"\",\"thoughts\":[],\"tokens\":null,\"model\":\"m\"",
				 i, when);
			if (twice)
				buf_addf(&text,
					 ",\"toolCalls\":[{\"name\":\"read_file\",\"args\":{\"file_"
					 "path\":\"a\"},\"id\":\"c%zu\",\"result\":[{"
					 "\"functionResponse\":{\"id\":\"c%zu\",\"name\":\"read_"
					 "file\",\"response\":{\"output\":\"x\"}}}],\"status\":"
					 "\"success\",\"timestamp\":\"%s\"}]",
					 i, i, when);
			buf_addz(&text, "}\n");
		}
	return write_file(name, &text);
}

int main(void)
{
	const char *trotline = getenv("TROTLINE");
	static double once[ROUNDS], twice[ROUNDS];
	AUTO(buf_done) struct buf answer = { 0 };
	long kb = 0;

	if (!trotline) {
		(void)fprintf(stderr, "TROTLINE is the program to start\n");
		return 1;
	}
	bench_must(mkdtemp(dir), dir);
	AUTO(free) char *home = xasprintf("HOME=%s", dir);
	AUTO(free) char *less = write_recording("less.jsonl", CALLS);
	AUTO(free) char *more = write_recording("more.jsonl", (size_t)2 * CALLS);
	buf_addz(&answer, "{\"method\":\"generateContentStream\",\"response\":[{\"candidates\":[{"
			  "\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"ok\"}]},"
			  "\"finishReason\":\"STOP\"}]}]}\n");
	AUTO(free) char *model = write_file("model.jsonl", &answer);
	char *env[] = { (char[]){ "PATH=/usr/bin:/bin" }, home, NULL };
	const char *const clean[] = { "/bin/rm", "-rf", dir, NULL };
	const char *const resume_less[] = {
		trotline, "-p", "go on", "--session-file", less, "--fake-responses", model, NULL
	};
	const char *const resume_more[] = {
		trotline, "-p", "go on", "--session-file", more, "--fake-responses", model, NULL
	};
	for (size_t i = 0; i < ROUNDS; i++) {
		once[i] = bench_run(dir, resume_less, NULL, env, &kb);
		twice[i] = bench_run(dir, resume_more, NULL, env, &kb);
	}
	bench_print("resume-10000", "us", bench_median(twice, ROUNDS), "resuming 5000",
		    bench_median(once, ROUNDS));
	(void)bench_run("/", clean, NULL, env, &kb);
	return 0;
}
