/*
 * What the engine costs before anything runs: planning an event over 1,000 hooks, asking a plan
 * that is known, an event that no hook matches, and making payloads.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "bench.h"
#include "hooks/payload.h"

enum { HOOKS = 1000, ROUNDS = 301, CALLS = 1000, MB = 1 << 20 };

/* ---- counting allocations ---- */

#ifdef __GLIBC__
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static size_t allocations;

/* These take the place of the C library's, in it too. */
void *malloc(size_t n)
{
	allocations++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	allocations++;
	return __libc_realloc(p, n);
}
#endif

/* ---- 1,000 hooks with distinct matchers ---- */

static char *pattern(size_t i)
{
	return xasprintf("^mcp_srv%zu_.*$|write_[a-f]%zu", i, i);
}

static struct tl_hooks *load(void)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "bench");
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES, .sources = &source, .nsources = 1);
	struct tl_hooks *hooks;
	struct tl_err err;

	buf_addz(&text, "{\"hooks\":{\"BeforeTool\":[");
	for (size_t i = 0; i < HOOKS; i++) {
		AUTO(free) char *matcher = pattern(i);

		buf_addf(&text,
			 "%s{\"matcher\":\"%s\",\"hooks\":[{\"type\":\"command\","
			 "\"name\":\"h%zu\",\"command\":\"/bin/true\"}]}",
			 i ? "," : "", matcher, i);
	}
	buf_addz(&text, "]}}");
	source.text = buf_z(&text);
	source.length = text.n;
	if (tl_hooks_load(&o, &hooks, &err) < 0 || tl_hooks_count(hooks) != HOOKS) {
		(void)fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return hooks;
}

static struct tl_event event_of(const char *tool)
{
	return (struct tl_event)TL_EVENT_INIT(.name = "BeforeTool", .subject = tool,
					      .session_id = "bench");
}

static void compile(pcre2_code *codes[HOOKS])
{
	for (size_t i = 0; i < HOOKS; i++) {
		AUTO(free) char *text = pattern(i);
		PCRE2_SIZE offset;
		int error;

		codes[i] = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &error,
					 &offset, NULL);
		bench_must(codes[i] && pcre2_jit_compile(codes[i], PCRE2_JIT_COMPLETE) == 0, text);
	}
}

static size_t match_all(pcre2_code *const *codes, pcre2_match_data *data, const char *tool)
{
	size_t n = strlen(tool), hits = 0;

	for (size_t i = 0; i < HOOKS; i++)
		hits += pcre2_match(codes[i], (PCRE2_SPTR)tool, n, 0, 0, data, NULL) >= 0;
	return hits;
}

/* A tool that was not seen yet, which none or one of the hooks match, planned with tl_wants(). */
static void compare_first(struct tl_hooks *hooks, const char *name, const char *prefix)
{
	static pcre2_code *codes[HOOKS];
	static double ours[ROUNDS], bare[ROUNDS];
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	size_t found[2] = { 0 };

	bench_must(data != NULL, "pcre2");
	compile(codes);
	for (size_t i = 0; i < ROUNDS; i++) {
		AUTO(free) char *tool = xasprintf("%s_%zu", prefix, i);
		struct tl_event event = event_of(tool);
		double start = bench_now_us();

		found[0] += tl_wants(hooks, &event) != 0;
		ours[i] = bench_now_us() - start;
		start = bench_now_us();
		found[1] += match_all(codes, data, tool);
		bare[i] = bench_now_us() - start;
	}
	bench_must(found[0] == found[1], "the same hooks match");
	bench_print(name, "us", bench_median(ours, ROUNDS), "1,000 x pcre2 jit",
		    bench_median(bare, ROUNDS));
	for (size_t i = 0; i < HOOKS; i++)
		pcre2_code_free(codes[i]);
	pcre2_match_data_free(data);
}

/* ---- what is known already ---- */

static void wants_often(struct tl_hooks *hooks, const struct tl_event *event)
{
	for (size_t i = 0; i < CALLS; i++)
		(void)tl_wants(hooks, event);
}

static void fire_often(struct tl_hooks *hooks, const struct tl_event *event)
{
	for (size_t i = 0; i < CALLS; i++) {
		struct tl_outcome *o;

		if (tl_fire(hooks, event, NULL, &o, NULL) < 0)
			abort();
		tl_outcome_free(o);
	}
}

static void measure_known(const char *name, struct tl_hooks *hooks, const char *tool,
			  void (*often)(struct tl_hooks *, const struct tl_event *))
{
	AUTO(free) char *count_name = xasprintf("%s-allocations", name);
	struct tl_event event = event_of(tool);
	double us[ROUNDS];

	often(hooks, &event);
	allocations = 0;
	for (size_t i = 0; i < ROUNDS; i++) {
		double start = bench_now_us();

		often(hooks, &event);
		us[i] = (bench_now_us() - start) / CALLS;
	}
	bench_print_alone(count_name, "calls", (double)allocations);
	bench_print_alone(name, "us", bench_median(us, ROUNDS));
}

/* ---- payloads ---- */

static double make_payload(struct tl_hooks *hooks, size_t n)
{
	static char json[MB];
	const struct tl_field field = { "tool_input", json, n };
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_event event = event_of("write_file");
	struct firing f;
	struct payload p;
	double start;

	if (!json[0])
		memset(json, '1', sizeof json);
	event.fields = &field;
	event.nfields = 1;
	bench_must(firing_init(&f, hooks, &event, &a, NULL) == 0, "firing_init");
	start = bench_now_us();
	payload_make(&p, &f, hooks->hooks[0]);
	return bench_now_us() - start;
}

/* A field of the host is not copied, so its size does not matter. */
static void compare_payloads(struct tl_hooks *hooks)
{
	static double large[ROUNDS], small[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		large[i] = make_payload(hooks, MB);
		small[i] = make_payload(hooks, 1024);
	}
	bench_print("payload-1mb", "us", bench_median(large, ROUNDS), "ours, 1 KB",
		    bench_median(small, ROUNDS));
}

int main(void)
{
	struct tl_hooks *hooks = load();

	compare_first(hooks, "plan-1000-none", "read_file");
	compare_first(hooks, "plan-1000-one", "mcp_srv42_read_file");
	measure_known("plan-known", hooks, "mcp_srv42_read_file", wants_often);
	measure_known("fire-unmatched", hooks, "read_file", fire_often);
	compare_payloads(hooks);
	tl_hooks_unref(hooks);
	return 0;
}
