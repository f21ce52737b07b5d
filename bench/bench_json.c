/*
 * JSON against json-c and cJSON: parsing and printing two documents of 10 MB, a conversation (long
 * strings with escapes, some of them Japanese, nested calls) and a list of small objects.  All
 * sides run in turn in the same process; the medians are printed, and the better of the two
 * libraries is "theirs".  Freeing is not counted: malloc() puts most of it off until somebody wants
 * a large piece, which would be us after a library that frees a million small ones, so the heap is
 * given back before each side's turn.
 */
#include <malloc.h>
#include <stdio.h>
#include <time.h>

#include "base/json.h"

#if HAVE_JSON_C
#define json_type json_c_type /* both have an enum of this name */
#include <json-c/json.h>
#undef json_type
#endif
#if HAVE_CJSON
#include <cjson/cJSON.h>
#endif

enum { ROUNDS = 11, SIZE = 10 * 1000 * 1000 };

enum side { OURS, OURS_JS, JSON_C_LIB, CJSON_LIB, N_SIDES };

struct times {
	double parse[N_SIDES][ROUNDS], dump[N_SIDES][ROUNDS];
};

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Always the same numbers: the documents do not change from run to run. */
static unsigned dice(unsigned sides)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % sides;
}

static void prose(struct jw *w, unsigned words)
{
	static const char *const pieces[] = {
		"the function ",
		"returns a value ",
		"\n\n```c\n",
		"\tif (x > 0)\n",
		"\"quoted\" ",
		"and then ",
		"C:\\path\\to ",
		"several words in one piece of text, as people write ",
		"\xe8\xa8\xad\xe5\xae\x9a\xe3\x82\x92 ",
		"of the ",
		"configuration ",
		"is read from the project's directory, ",
	};
	AUTO(buf_done) struct buf text = { 0 };

	for (unsigned i = 0; i < words; i++)
		buf_addz(&text, pieces[dice(ARRAY_LEN(pieces))]);
	jw_str(w, buf_str(&text));
}

static void tool_call(struct jw *w)
{
	jw_key(w, "functionCall");
	jw_obj(w);
	jw_kv_z(w, "name", "run_shell_command");
	jw_key(w, "args");
	jw_obj(w);
	jw_key(w, "command");
	prose(w, 5);
	jw_kv_bool(w, "background", dice(2));
	jw_key(w, "ranges");
	jw_arr(w);
	for (int i = 0; i < 4; i++) {
		jw_arr(w);
		jw_int(w, dice(5000));
		jw_int(w, dice(5000));
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
	jw_end(w);
}

static void history(struct buf *out)
{
	struct jw w = { .out = out };

	jw_arr(&w);
	for (int i = 0; out->n < SIZE; i++) {
		jw_obj(&w);
		jw_kv_z(&w, "role", i % 2 ? "model" : "user");
		jw_kv_int(&w, "timestamp", 1760000000000 + i * 977);
		jw_key(&w, "parts");
		jw_arr(&w);
		for (unsigned k = 1 + dice(3); k > 0; k--) {
			jw_obj(&w);
			jw_key(&w, "text");
			prose(&w, 20 + dice(200));
			if (dice(2))
				tool_call(&w);
			jw_key(&w, "score");
			jw_num(&w, dice(100000) / 1e5);
			jw_end(&w);
		}
		jw_end(&w);
		jw_end(&w);
	}
	jw_end(&w);
}

static void small_objects(struct buf *out)
{
	struct jw w = { .out = out };
	char name[24];

	jw_arr(&w);
	for (int i = 0; out->n < SIZE; i++) {
		(void)snprintf(name, sizeof name, "item-%d", i);
		jw_obj(&w);
		jw_kv_int(&w, "id", i);
		jw_kv_z(&w, "name", name);
		jw_kv_bool(&w, "active", dice(2));
		jw_key(&w, "price");
		jw_num(&w, dice(1000000) / 100.0);
		jw_key(&w, "tags");
		jw_arr(&w);
		jw_z(&w, "new");
		jw_z(&w, "sale");
		jw_end(&w);
		jw_key(&w, "parent");
		jw_null(&w);
		jw_end(&w);
	}
	jw_end(&w);
}

static void run_ours(struct str text, struct times *t, int round)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 }, js = { 0 };
	const struct json *v;
	double start = now_ms(), parsed, printed;

	if (json_parse(&a, text, 0, &v, NULL) < 0)
		abort();
	parsed = now_ms();
	(void)json_write(&out, v, JSON_COMPACT);
	printed = now_ms();
	(void)json_write(&js, v, JSON_JS);
	t->dump[OURS_JS][round] = now_ms() - printed;
	t->dump[OURS][round] = printed - parsed;
	t->parse[OURS][round] = parsed - start;
	if (!str_eq(buf_str(&out), text))
		abort();
}

#if HAVE_JSON_C
static void run_json_c(struct str text, struct times *t, int round)
{
	struct json_tokener *tokener = json_tokener_new();
	double start = now_ms(), parsed;
	struct json_object *v = json_tokener_parse_ex(tokener, text.p, (int)text.n);
	size_t n;

	parsed = now_ms();
	if (!v || !json_object_to_json_string_length(v, JSON_C_TO_STRING_PLAIN, &n))
		abort();
	t->dump[JSON_C_LIB][round] = now_ms() - parsed;
	t->parse[JSON_C_LIB][round] = parsed - start;
	(void)json_object_put(v);
	json_tokener_free(tokener);
}
#endif

#if HAVE_CJSON
static void run_cjson(struct str text, struct times *t, int round)
{
	double start = now_ms(), parsed;
	cJSON *v = cJSON_ParseWithLength(text.p, text.n);
	char *printed;

	parsed = now_ms();
	printed = cJSON_PrintUnformatted(v);
	if (!printed)
		abort();
	t->dump[CJSON_LIB][round] = now_ms() - parsed;
	t->parse[CJSON_LIB][round] = parsed - start;
	cJSON_free(printed);
	cJSON_Delete(v);
}
#endif

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *ms)
{
	qsort(ms, ROUNDS, sizeof *ms, compare);
	return ms[ROUNDS / 2];
}

static void report(const char *what, const char *doc, double *ours, double (*all)[ROUNDS])
{
	double mine = median(ours);
	double json_c = median(all[JSON_C_LIB]), cjson = median(all[CJSON_LIB]);
	double best = json_c;

	if (HAVE_CJSON && (!HAVE_JSON_C || cjson < json_c))
		best = cjson;
	printf("{\"name\":\"json-%s-%s\",\"unit\":\"ms\",\"ours\":%.2f", what, doc, mine);
	if (HAVE_JSON_C)
		printf(",\"json_c_ms\":%.2f", json_c);
	if (HAVE_CJSON)
		printf(",\"cjson_ms\":%.2f", cjson);
	if (best > 0)
		printf(",\"peer\":\"%s\",\"theirs\":%.2f,\"ratio\":%.2f",
		       best < json_c || !HAVE_JSON_C ? "cJSON" : "json-c", best, mine / best);
	printf("}\n");
}

static void run(const char *doc, void (*make)(struct buf *))
{
	static struct times t;
	AUTO(buf_done) struct buf text = { 0 };

	make(&text);
	for (int i = 0; i < ROUNDS; i++) {
		(void)malloc_trim(0);
		run_ours(buf_str(&text), &t, i);
#if HAVE_JSON_C
		(void)malloc_trim(0);
		run_json_c(buf_str(&text), &t, i);
#endif
#if HAVE_CJSON
		(void)malloc_trim(0);
		run_cjson(buf_str(&text), &t, i);
#endif
	}
	report("parse", doc, t.parse[OURS], t.parse);
	report("dump", doc, t.dump[OURS], t.dump);
	report("dump-js", doc, t.dump[OURS_JS], t.dump);
}

int main(void)
{
	run("history", history);
	run("small", small_objects);
	return 0;
}
