/*
 * What a client and a server say to `trotline mcp guard`; a line that begins with S is the
 * server's.  Hooks deny the tools whose names begin with d, and results that contain "secret".
 * No denied call is sent, whichever of two equal keys one reads; all that goes out is JSON, and
 * every call ends once.
 */
#include "mcp/guard.h"
#include "mcp/guard_result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct host {
	struct guard guard;
	struct {
		struct guard_call *p[GUARD_CALLS_MAX];
		size_t n;
	} waiting;
};

static bool is_ours(const struct guard_call *c)
{
	return c->kind != GUARD_NONE && (*c->name == 'd' || *c->name == 's');
}

static bool wants(void *data, const struct guard_call *c, bool after)
{
	(void)data;
	(void)after;
	return !c || is_ours(c);
}

static void fire(void *data, struct guard_call *c)
{
	struct host *h = data;

	h->waiting.p[h->waiting.n++] = c;
}

static void cancel(void *data, struct guard_call *c)
{
	const struct host *h = data;
	size_t i = 0;

	while (i < h->waiting.n && h->waiting.p[i] != c)
		i++;
	if (i == h->waiting.n)
		abort();
}

/* As one would read it who takes the first of two keys, or the last. */
static const struct json *read_as(const struct json *v, const char *key, bool first)
{
	const struct json *found = NULL;

	for (size_t i = 0; v && v->type == J_OBJ && i < v->n; i++)
		if (str_eqz(v->members[i].key, key) && !(first && found))
			found = &v->members[i].v;
	return found;
}

static void check_sent(const struct json *v)
{
	for (int how = 0; how < 8; how++) {
		const struct json *method = read_as(v, "method", how & 1);
		const struct json *name = read_as(read_as(v, "params", how & 2), "name", how & 4);

		if (str_eqz(json_str(method, STR("")), "tools/call") &&
		    str_starts(json_str(name, STR("")), STR("d")))
			abort();
	}
}

static int send_on(void *data, struct str text, int64_t number, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *doc;

	(void)data;
	(void)number;
	(void)err;
	if (!str_trim(text).n)
		return 0;
	if (json_parse(&a, text, JSON_REPEATS, &doc, NULL) < 0)
		abort();
	check_sent(doc);
	for (size_t i = 0; doc->type == J_ARR && i < doc->n; i++)
		check_sent(json_at(doc, i));
	return 0;
}

static bool changed(void *data)
{
	(void)data;
	return true;
}

static void agreed(void *data, struct str version)
{
	(void)data;
	(void)version;
}

static void note(void *data, const char *text)
{
	(void)data;
	(void)text;
}

static void say_one(struct host *h, bool rewrite)
{
	struct guard_call *c = h->waiting.p[--h->waiting.n];
	struct guard_word w = { .deny = *c->name == 'd', .reason = STR("no") };

	if (c->phase == GUARD_AFTER) {
		const struct json *v = guard_response(&c->arena, c);

		w.deny = str_find(json_text(&c->arena, v, JSON_COMPACT), STR("secret"), 0) >= 0;
		w.context = STR("more");
	} else if (rewrite) {
		w.input = json_set(&c->arena, c->input, STR("name"),
				   json_new_str(&c->arena, STR("s")));
	}
	guard_said(&h->guard, c, &w);
}

static void check_out(struct host *h)
{
	for (struct str rest = buf_str(&h->guard.out), line; str_split(&rest, '\n', &line);) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *doc;

		if (str_trim(line).n && json_parse(&a, line, 0, &doc, NULL) < 0)
			abort();
	}
	buf_clear(&h->guard.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct guard_host host = {
		changed, wants, fire, cancel, send_on, agreed, note
	};
	static struct host h;
	struct str rest = { (const char *)data, n }, line;

	h.waiting.n = 0;
	guard_init(&h.guard, &host, &h);
	while (str_split(&rest, '\n', &line)) {
		if (str_starts(line, STR("S")))
			guard_server(&h.guard, str_sub(line, 1, line.n));
		else if (str_starts(line, STR("L")))
			guard_client_long(&h.guard, line);
		else
			guard_client(&h.guard, line);
		if (h.waiting.n > 3)
			say_one(&h, line.n % 2);
		check_out(&h);
	}
	while (h.waiting.n)
		say_one(&h, false);
	guard_gone(&h.guard, "gone");
	check_out(&h);
	if (h.guard.calls.n)
		abort();
	guard_done(&h.guard);
	return 0;
}
