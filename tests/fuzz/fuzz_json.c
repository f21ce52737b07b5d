/* Any text, read with the flags of its first byte: the value survives being printed and read. */
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct json *read_again(struct arena *a, struct str text)
{
	const struct json *v = NULL;

	if (json_parse(a, text, 0, &v, NULL) < 0)
		abort();
	return v;
}

static void check(struct arena *a, const struct json *v)
{
	struct str plain = json_text(a, v, JSON_COMPACT), js = json_text(a, v, JSON_JS);
	const struct json *again = read_again(a, plain);

	if (!json_equal(v, again) || !json_equal(v, json_dup(a, v)) ||
	    !json_equal(v, read_again(a, json_text(a, v, JSON_PRETTY))))
		abort();
	if (!str_eq(plain, json_text(a, again, JSON_COMPACT)))
		abort();
	/* In JavaScript's form numbers that are too large are null, so values may differ here. */
	if (!str_eq(js, json_text(a, read_again(a, js), JSON_JS)))
		abort();
	(void)json_merge_patch(a, v, again);
	(void)json_overlay(a, v, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct json_where where = { 0 };
	const struct json *v = NULL;
	struct err err = { 0 };
	struct str text;

	if (n == 0)
		return 0;
	text = (struct str){ (const char *)data + 1, n - 1 };
	if (json_parse_at(&a, text, data[0] & (JSON_C | JSON_BORROW), NULL, &v, &where, &err) >= 0)
		check(&a, v);
	else if (!err.text[0] || where.line == 0 || where.pos > text.n)
		abort();
	return 0;
}
