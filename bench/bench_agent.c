/*
 * What an agent turn costs: the program against the least that a client of a model does, and
 * against Gemini CLI when the environment's GEMINI_CLI says where it is.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bench.h"
#include "model_server.h"
#include "os/fs.h"

enum {
	TURN_ROUNDS = 60,
	CLI_ROUNDS = 5,
	CALL_ROUNDS = 5,
	CALLS = 110,
	EDGE = 10, /* the first ten calls, the last ten */
	STREAM_ROUNDS = 7,
	FEW_CHUNKS = 100,
	MANY_CHUNKS = 10100,
	HOOKED_FEW = 20,
	HOOKED_MANY = 620,
	CALLS_AT_ONCE = 10, /* for a conversation of many parts */
	LONG_PROMPT = 1 << 20,
};

static char dir[] = "/tmp/trotline-bench-XXXXXX";
static struct model_server *server;
static const char *trotline;
static char *bare_post, *base_url, *stream_url;

struct cost {
	double us;
	long kb;
};

/* ---- running ---- */

/*
 * Runs it in dir/work with dir as home; its input comes from dir/in, its output goes to dir/out,
 * its complaints to dir/err.  False when it fails.  Linux counts what we had in memory as the least
 * that a child had: we stay small.
 */
static bool run(const char *const *argv, struct cost *ret_cost)
{
	AUTO(free) char *home = xasprintf("HOME=%s", dir), *work = fs_join(dir, "work");
	AUTO(free) char *url = xasprintf("GOOGLE_GEMINI_BASE_URL=%s", base_url);
	AUTO(free) char *path = xasprintf("PATH=%s", getenv("PATH"));
	AUTO(free) char *in = fs_join(dir, "in"), *out = fs_join(dir, "out");
	AUTO(free) char *err = fs_join(dir, "err");
	char *env[] = { path,
			home,
			url,
			(char[]){ "GEMINI_API_KEY=dummy" },
			(char[]){ "GEMINI_CLI_TRUST_WORKSPACE=true" },
			NULL };
	posix_spawn_file_actions_t fa;
	struct rusage usage;
	int status;
	pid_t pid;
	double start = bench_now_us();

	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_addopen(&fa, 0, in, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&fa, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	(void)posix_spawn_file_actions_addopen(&fa, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	(void)posix_spawn_file_actions_addchdir_np(&fa, work);
	bench_must(!posix_spawn(&pid, argv[0], &fa, NULL, (char *const *)argv, env), argv[0]);
	(void)posix_spawn_file_actions_destroy(&fa);
	bench_must(wait4(pid, &status, 0, &usage) == pid, "wait4");
	*ret_cost = (struct cost){ bench_now_us() - start, usage.ru_maxrss };
	return status == 0;
}

/* Ends the program, with what it complained of, when the run failed or said something else. */
static struct cost must_run(const char *const *argv, const char *says)
{
	AUTO(free) char *out = fs_join(dir, "out"), *err = fs_join(dir, "err");
	AUTO(buf_done) struct buf said = { 0 }, complaint = { 0 };
	struct cost cost;
	bool ok = run(argv, &cost);

	(void)fs_read(out, 64 << 20, &said, NULL);
	if (ok && str_find(buf_str(&said), str_from(says), 0) >= 0)
		return cost;
	(void)fs_read(err, 1 << 20, &complaint, NULL);
	(void)fprintf(stderr, "%s did not say \"%s\" but: %.200s\n%s\n", argv[0], says,
		      buf_z(&said), buf_z(&complaint));
	exit(1);
}

static struct cost turn_of(const char *program)
{
	const char *const argv[] = {
		program, "-p", "go", "-m", "gemini-2.5-flash", "--approval-mode=yolo", NULL
	};

	return must_run(argv, "It is done.");
}

static void write_file(const char *name, struct str bytes)
{
	AUTO(free) char *path = fs_join(dir, name);
	struct err err;

	if (fs_replace(path, bytes, 0600, &err) >= 0)
		return;
	(void)fprintf(stderr, "%s\n", err.text);
	exit(1);
}

/* Whoever asks the network at the start, does not here. */
#define QUIET                                                                                      \
	"\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}},"                        \
	" \"privacy\": {\"usageStatisticsEnabled\": false},"                                       \
	" \"general\": {\"enableAutoUpdate\": false, \"enableAutoUpdateNotification\": false}"

/* One hook in the user's settings; NULL = none. */
static void write_settings(const char *event, const char *matcher, const char *command)
{
	AUTO(free) char *hooks = NULL, *settings = NULL;

	if (event)
		hooks = xasprintf(", \"hooks\": {\"%s\": [{\"matcher\": \"%s\", \"hooks\": ["
				  "{\"type\": \"command\", \"command\": \"%s\"}]}]}",
				  event, matcher, command);
	settings = xasprintf("{" QUIET "%s}\n", hooks ? hooks : "");
	write_file(".gemini/settings.json", str_from(settings));
}

/* ---- answers ---- */

struct script {
	struct buf bufs[CALLS + 1];
	struct str answers[CALLS + 1];
	size_t n;
};

static struct buf *next_answer(struct script *s)
{
	struct buf *b = &s->bufs[s->n++];

	bench_must(s->n <= ARRAY_LEN(s->bufs), "more answers than there is room for");
	model_answer_begin(b);
	return b;
}

static void add_read(struct buf *parts, size_t i)
{
	buf_addf(parts,
		 "%s{\"functionCall\": {\"id\": \"c%zu\", \"name\": \"read_file\","
		 " \"args\": {\"file_path\": \"file-%zu.txt\"}}}",
		 parts->n ? "," : "", i, i);
}

/* An answer with `n` calls, beginning at number `from`. */
static void add_calls(struct script *s, size_t from, size_t n)
{
	AUTO(buf_done) struct buf parts = { 0 };
	struct buf *b = next_answer(s);

	for (size_t i = 0; i < n; i++)
		add_read(&parts, from + i);
	model_answer_parts(b, buf_z(&parts));
	model_answer_end(b);
}

/* The last answer, in so many pieces that differ: a model that repeats itself is stopped. */
static void add_text(struct script *s, size_t chunks)
{
	struct buf *b = next_answer(s);

	for (size_t i = 1; i < chunks; i++) {
		AUTO(free) char *text = xasprintf("Sentence %zu of it, %zx. ", i, i * 2654435761U);

		model_answer_text(b, text);
	}
	model_answer_text(b, "It is done.");
	model_answer_end(b);
}

static void script_use(struct script *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->answers[i] = buf_str(&s->bufs[i]);
	model_server_script(server, s->answers, s->n);
}

static void script_done(struct script *s)
{
	model_server_script(server, NULL, 0);
	for (size_t i = 0; i < s->n; i++)
		buf_done(&s->bufs[i]);
}

DEFINE_AUTO(struct script, script_done)

/* ---- one turn ---- */

static struct cost bare_turn(void)
{
	AUTO(free) char *body = fs_join(dir, "body");
	const char *const argv[] = { bare_post, stream_url, body, NULL };

	return must_run(argv, "It is done.");
}

static void bench_turn(void)
{
	static double ours[TURN_ROUNDS], theirs[TURN_ROUNDS];
	AUTO(script_done) struct script s = { 0 };
	long kb = 0, bare_kb = 0;

	add_text(&s, 1);
	script_use(&s);
	(void)turn_of(trotline);
	write_file("body", model_server_first_body(server));
	for (size_t i = 0; i < TURN_ROUNDS; i++) {
		struct cost cost, bare;

		script_use(&s);
		if (i % 2 == 0)
			cost = turn_of(trotline);
		bare = bare_turn();
		if (i % 2 != 0)
			cost = turn_of(trotline);
		ours[i] = cost.us;
		theirs[i] = bare.us;
		kb = cost.kb > kb ? cost.kb : kb;
		bare_kb = bare.kb > bare_kb ? bare.kb : bare_kb;
	}
	bench_print("agent-turn", "us", bench_quiet(ours, TURN_ROUNDS), "one POST with libcurl",
		    bench_quiet(theirs, TURN_ROUNDS));
	bench_print("agent-turn-rss", "KiB", (double)kb, "one POST with libcurl", (double)bare_kb);
}

static void bench_gemini_cli(void)
{
	const char *cli = getenv("GEMINI_CLI");
	double ours[CLI_ROUNDS], theirs[CLI_ROUNDS];
	AUTO(script_done) struct script s = { 0 };
	long kb = 0, cli_kb = 0;

	/* Gemini CLI itself sets it to 1 for its children. */
	if (!cli || !strchr(cli, '/')) {
		(void)printf("GEMINI_CLI is not set: no comparison with Gemini CLI\n");
		return;
	}
	add_text(&s, 1);
	script_use(&s);
	(void)turn_of(cli);
	for (size_t i = 0; i < CLI_ROUNDS; i++) {
		struct cost cost, other;

		script_use(&s);
		cost = turn_of(trotline);
		other = turn_of(cli);
		ours[i] = cost.us;
		theirs[i] = other.us;
		kb = cost.kb > kb ? cost.kb : kb;
		cli_kb = other.kb > cli_kb ? other.kb : cli_kb;
	}
	bench_print("agent-turn-gemini", "us", bench_quiet(ours, CLI_ROUNDS), "Gemini CLI",
		    bench_quiet(theirs, CLI_ROUNDS));
	bench_print("agent-turn-gemini-rss", "KiB", (double)kb, "Gemini CLI", (double)cli_kb);
}

/* ---- tool calls ---- */

/* From an answer to the next request, for each but the last; returns how many. */
static size_t gaps(double *ret)
{
	const struct model_request_seen *seen;
	size_t n = model_server_seen(server, &seen);

	for (size_t i = 0; i + 1 < n; i++)
		ret[i] = seen[i + 1].came_us - seen[i].answered_us;
	return n ? n - 1 : 0;
}

/* The requests that were just seen, by their size, from the least client. */
static void bare_calls(struct script *s, double *ret)
{
	AUTO(free) char *filler = fs_join(dir, "filler"), *sizes = fs_join(dir, "sizes");
	const char *const argv[] = { bare_post, stream_url, filler, sizes, NULL };
	const struct model_request_seen *seen;
	size_t n = model_server_seen(server, &seen), most = 0;
	AUTO(buf_done) struct buf list = { 0 }, bytes = { 0 };

	for (size_t i = 0; i < n; i++) {
		buf_addf(&list, "%zu\n", seen[i].bytes);
		most = max_size(most, seen[i].bytes);
	}
	memset(buf_reserve(&bytes, most), ' ', most);
	bytes.n = most;
	write_file("filler", buf_str(&bytes));
	write_file("sizes", buf_str(&list));
	script_use(s);
	(void)must_run(argv, "It is done.");
	bench_must(gaps(ret) == CALLS, "a request for each size");
}

static void bench_calls(void)
{
	static double ours[CALL_ROUNDS * CALLS], theirs[CALL_ROUNDS * CALLS];
	static double first[CALL_ROUNDS * EDGE], last[CALL_ROUNDS * EDGE];
	AUTO(script_done) struct script s = { 0 };

	for (size_t i = 0; i < CALLS; i++)
		add_calls(&s, i, 1);
	add_text(&s, 1);
	for (size_t round = 0; round < CALL_ROUNDS; round++) {
		double *at = ours + round * CALLS;

		script_use(&s);
		(void)turn_of(trotline);
		bench_must(gaps(at) == CALLS, "a request for each call");
		memcpy(first + round * EDGE, at, EDGE * sizeof *at);
		memcpy(last + round * EDGE, at + CALLS - EDGE, EDGE * sizeof *at);
		bare_calls(&s, theirs + round * CALLS);
	}
	bench_print("agent-call", "us", bench_median(ours, ARRAY_LEN(ours)), "a POST of its size",
		    bench_median(theirs, ARRAY_LEN(theirs)));
	bench_print("agent-call-flat", "us", bench_median(last, ARRAY_LEN(last)),
		    "the first ten of 110", bench_median(first, ARRAY_LEN(first)));
}

/* ---- streams over a conversation of 1 MB ---- */

/* A turn of 1 MB, most of it in the prompt, that ends in so many pieces. */
static struct cost stream(size_t chunks)
{
	AUTO(script_done) struct script s = { 0 };

	for (size_t i = 0; i < CALLS; i += CALLS_AT_ONCE)
		add_calls(&s, i, CALLS_AT_ONCE);
	add_text(&s, chunks);
	script_use(&s);

	struct cost cost = turn_of(trotline);
	const struct model_request_seen *seen;
	size_t n = model_server_seen(server, &seen);

	if (n == s.n && seen[n - 1].bytes > 1000000)
		return cost;
	(void)fprintf(stderr, "%zu requests, the last one of %zu bytes: no conversation of 1 MB\n",
		      n, n ? seen[n - 1].bytes : 0);
	exit(1);
}

static void write_prompt(void)
{
	AUTO(buf_done) struct buf text = { 0 };

	for (size_t i = 0; text.n < LONG_PROMPT; i++)
		buf_addf(&text, "Line %zu of a prompt that is \"long\".\n", i);
	write_file("in", buf_str(&text));
}

static void bench_chunks(void)
{
	double few[STREAM_ROUNDS], many[STREAM_ROUNDS];

	write_prompt();
	write_settings("BeforeTool", "write_file", "false");
	for (size_t i = 0; i < STREAM_ROUNDS; i++) {
		few[i] = stream(FEW_CHUNKS).us;
		many[i] = stream(MANY_CHUNKS).us;
	}
	bench_print_alone("agent-chunk", "us",
			  (bench_quiet(many, STREAM_ROUNDS) - bench_quiet(few, STREAM_ROUNDS)) /
				  (MANY_CHUNKS - FEW_CHUNKS));
}

static void bench_hooked_chunks(void)
{
	struct cost few, many;

	/* Reads what it is given and says nothing. */
	write_settings("AfterModel", "*", "dd of=/dev/null bs=1M status=none");
	few = stream(HOOKED_FEW);
	many = stream(HOOKED_MANY);
	bench_print_alone("agent-chunk-hooked-memory", "KiB",
			  (double)(many.kb - few.kb) / (HOOKED_MANY - HOOKED_FEW));
	bench_print_alone("agent-chunk-hooked", "us",
			  (many.us - few.us) / (HOOKED_MANY - HOOKED_FEW));
}

/* ---- the place ---- */

static void make_place(void)
{
	static const char *const dirs[] = { ".gemini", "work" };

	bench_must(mkdtemp(dir) != NULL, dir);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		AUTO(free) char *path = fs_join(dir, dirs[i]);

		bench_must(mkdir(path, 0700) == 0, path);
	}
	for (size_t i = 0; i < CALLS; i++) {
		AUTO(free) char *name = xasprintf("work/file-%zu.txt", i);
		AUTO(free) char *line = xasprintf("This is file %zu.\n", i);

		write_file(name, str_from(line));
	}
	write_file("in", STR(""));
	write_settings(NULL, NULL, NULL);
}

static void remove_place(void)
{
	(void)bench_remove(dir);
}

/* bare_post stands beside us. */
static char *beside(const char *name)
{
	AUTO(free) char *self = fs_real("/proc/self/exe");
	char *slash = self ? strrchr(self, '/') : NULL;

	bench_must(slash != NULL, "/proc/self/exe");
	*slash = '\0';
	return fs_join(self, name);
}

int main(void)
{
	trotline = getenv("TROTLINE");
	if (!trotline) {
		(void)fprintf(stderr, "TROTLINE is the program to start\n");
		return 1;
	}
	make_place();
	(void)atexit(remove_place);
	server = model_server_new();
	bare_post = beside("bare_post");
	base_url = xasprintf("http://127.0.0.1:%d", model_server_port(server));
	stream_url = xasprintf("%s/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
			       base_url);
	bench_turn();
	bench_gemini_cli();
	bench_calls();
	bench_chunks();
	bench_hooked_chunks();
	model_server_free(server);
	free(bare_post);
	free(base_url);
	free(stream_url);
	return 0;
}
