/* TOML: what it means as JSON, and where what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/toml.h"

static const struct row {
	const char *toml, *json; /* or "LINE:COLUMN" */
} rows[] = {
	{ "", "{}" },
	{ "# nothing\r\n\n", "{}" },
	{ "a = 1\nb.c.\"d e\" = -2\nb.f = true",
	  "{\"a\":1,\"b\":{\"c\":{\"d e\":-2},\"f\":true}}" },
	{ "a = 0x1F\nb = 0o17\nc = 0b11\nd = +1_000", "{\"a\":31,\"b\":15,\"c\":3,\"d\":1000}" },
	{ "a = \"x\\t\\\"\\u00e9\\U0001F600\"", "{\"a\":\"x\\t\\\"\xc3\xa9\xf0\x9f\x98\x80\"}" },
	{ "a = 'C:\\x'", "{\"a\":\"C:\\\\x\"}" },
	{ "a = \"\"\"\nx\n  \\\n   y\"\"\"\"\"", "{\"a\":\"x\\n  y\\\"\\\"\"}" },
	{ "a = '''\r\nx\\n'''", "{\"a\":\"x\\\\n\"}" },
	{ "a = [ 1, # one\n [ 'x', ],\n]", "{\"a\":[1,[\"x\"]]}" },
	{ "a = { b = 1, c.d = {} }", "{\"a\":{\"b\":1,\"c\":{\"d\":{}}}}" },
	{ "[a.b]\nx = 1\n[a]\ny = 2", "{\"a\":{\"b\":{\"x\":1},\"y\":2}}" },
	{ "[[a]]\nx = 1\n[a.b]\ny = 2\n[[a]]", "{\"a\":[{\"x\":1,\"b\":{\"y\":2}},{}]}" },
	{ "a = 1\na = 2", "2:1" },
	{ "[a]\n[a]", "2:2" },
	{ "a.b = 1\n[a]", "2:2" },
	{ "a = {}\n[a.b]", "2:2" },
	{ "a = []\n[[a]]", "2:3" },
	{ "[a]\nb.c = 1\n[a.b]", "3:4" },
	{ "a = 1 b = 2", "1:7" },
	{ "a = \"x\ny\"", "1:7" },
	{ "a = \"x", "1:5" },
	{ "a = \"\\q\"", "1:7" },
	{ "a = \"\\ud800\"", "1:8" },
	{ "a = 1.5\nb = -0.25\nc = 1e3\nd = +1_0.5E-1_0\ne = 0.0",
	  "{\"a\":1.5,\"b\":-0.25,\"c\":1e3,\"d\":10.5E-10,\"e\":0.0}" },
	{ "a = [inf, -inf, nan]", "{\"a\":[\"inf\",\"-inf\",\"nan\"]}" },
	{ "a = 2024-02-29\nb = 07:32:00.5\nc = 1979-05-27 07:32:00Z\nd = 1979-05-27T00:32:00.99-07:00",
	  "{\"a\":\"2024-02-29\",\"b\":\"07:32:00.5\",\"c\":\"1979-05-27 07:32:00Z\","
	  "\"d\":\"1979-05-27T00:32:00.99-07:00\"}" },
	{ "a = 1.", "1:5" },
	{ "a = .5", "1:5" },
	{ "a = 01.5", "1:5" },
	{ "a = 1._5", "1:5" },
	{ "a = 1e", "1:5" },
	{ "a = 2025-02-29", "1:5" },
	{ "a = 2025-13-01", "1:5" },
	{ "a = 24:00:00", "1:5" },
	{ "a = 07:32:00.", "1:5" },
	{ "a = 2025-01-01T07:32:00+24:00", "1:5" },
	{ "a = 2025-01-01x", "1:15" },
	{ "a = infinite", "1:5" },
	{ "a = 01", "1:5" },
	{ "a = 1__0", "1:6" },
	{ "a = 9223372036854775808", "1:5" },
	{ "a = yes", "1:5" },
	{ "a = [1 2]", "1:8" },
	{ "a = { b = 1,}", "1:13" },
	{ "a =", "1:4" },
	{ "= 1", "1:1" },
	{ "a\x01 = 1", "1:2" },
	{ "# \xff", "1:3" },
	{ "x\r", "1:2" },
};

static void toml_as_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *v = NULL;
		struct json_where where = { 0 };
		struct err err = { 0 };
		int r = toml_parse(&a, str_from(rows[i].toml), &v, &where, &err);
		struct str got = r < 0 ? arena_printf(&a, "%u:%u", where.line, where.column)
				       : json_text(&a, v, JSON_COMPACT);

		if (!str_eqz(got, rows[i].json))
			fail_msg("%s\ngives %s, not %s (%s)", rows[i].toml, got.p, rows[i].json,
				 err.text);
	}
}

static void toml_limits(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf deep = { 0 }, path = { 0 }, large = { 0 };
	const struct json *v;

	(void)state;
	buf_addz(&deep, "a = ");
	for (int i = 0; i < 100; i++) {
		buf_addz(&deep, "[");
		buf_addz(&path, "a.");
	}
	buf_addz(&path, "b = 1");
	while (large.n <= TOML_BYTES_MAX)
		buf_addz(&large, "# comment\n");
	assert_int_equal(toml_parse(&a, buf_str(&deep), &v, NULL, NULL), -E_LIMIT);
	assert_int_equal(toml_parse(&a, buf_str(&path), &v, NULL, NULL), -E_PARSE);
	assert_int_equal(toml_parse(&a, buf_str(&large), &v, NULL, NULL), -E_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toml_as_json),
		cmocka_unit_test(toml_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
