/* JSON Schema: messages as Ajv words them, and the public test suite of draft 7 where installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "os/clock.h"
#include "os/fs.h"
#include "tools/schema_check.h"

static const struct row {
	const char *schema, *value, *message; /* NULL = valid */
} rows[] = {
	{ "true", "1", NULL },
	{ "false", "1", "params boolean schema is false" },
	{ "{\"type\":\"object\",\"required\":[\"x\"]}", "{}",
	  "params must have required property 'x'" },
	{ "{\"properties\":{\"x\":{\"type\":\"string\"}}}", "{\"x\":1}",
	  "params/x must be string" },
	{ "{\"properties\":{\"x\":{\"type\":\"integer\"}}}", "{\"x\":1.0}", NULL },
	{ "{\"properties\":{\"x\":{\"type\":\"integer\"}}}", "{\"x\":1.5}",
	  "params/x must be integer" },
	{ "{\"type\":[\"string\",\"null\"]}", "1", "params must be string,null" },
	{ "{\"type\":\"string\",\"nullable\":true}", "null", NULL },
	{ "{\"type\":\"strange\"}", "1", NULL },
	{ "{\"items\":{\"enum\":[\"a\",1]}}", "[1,\"a\",\"b\"]",
	  "params/2 must be equal to one of the allowed values" },
	{ "{\"minimum\":1}", "0", "params must be >= 1" },
	{ "{\"exclusiveMaximum\":1.5}", "1.5", "params must be < 1.5" },
	{ "{\"multipleOf\":0.1}", "0.3", NULL },
	{ "{\"multipleOf\":0.5}", "-1e308", NULL },
	{ "{\"multipleOf\":0.123456789}", "1e308", "params must be multiple of 0.123456789" },
	{ "{\"multipleOf\":1}", "9007199254740993", NULL },
	{ "{\"multipleOf\":1}", "1e999", "params must be multiple of 1" },
	{ "{\"multipleOf\":2}", "-3", "params must be multiple of 2" },
	{ "{\"multipleOf\":0.1}", "0.35", "params must be multiple of 0.1" },
	{ "{\"minLength\":2}", "\"\xf0\x9f\x98\x80\"",
	  "params must NOT have fewer than 2 characters" },
	{ "{\"maxItems\":1}", "[1,2]", "params must NOT have more than 1 items" },
	{ "{\"pattern\":\"^a\"}", "\"b\"", "params must match pattern \"^a\"" },
	{ "{\"pattern\":\"(\"}", "\"b\"", NULL },
	{ "{\"uniqueItems\":true}", "[1,{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]",
	  "params must NOT have duplicate items (items ## 1 and 2 are identical)" },
	{ "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "{\"a\":1,\"b\":2}",
	  "params must NOT have additional properties" },
	{ "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1",
	  "params must match a schema in anyOf" },
	{ "{\"oneOf\":[{},{}]}", "1", "params must match exactly one schema in oneOf" },
	{ "{\"not\":{}}", "1", "params must NOT be valid" },
	{ "{\"if\":{\"type\":\"number\"},\"then\":{\"minimum\":2}}", "1",
	  "params must match \"then\" schema" },
	{ "{\"$ref\":\"#/definitions/a~1b\",\"definitions\":{\"a/b\":{\"type\":\"null\"}}}", "1",
	  "params must be null" },
	{ "{\"$ref\":\"#/nowhere\"}", "1", NULL },
	{ "{\"$ref\":\"#\"}", "1", NULL }, /* in circles */
	{ "{\"not\":{\"$ref\":\"#\"}}", "1", NULL },
	{ "{\"format\":\"date-time\"}", "\"2026-01-27T10:00:00Z\"", NULL },
	{ "{\"format\":\"date-time\"}", "\"yesterday\"", "params must match format \"date-time\"" },
	{ "{\"format\":\"strange\"}", "\"x\"", NULL },
};

static const struct json *parse(struct arena *a, const char *text)
{
	const struct json *v;

	assert_int_equal(json_parse(a, str_from(text), 0, &v, NULL), 0);
	return v;
}

static void test_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct err err = { 0 };
		int r = schema_check(parse(&a, rows[i].schema), parse(&a, rows[i].value), "params",
				     &err);

		assert_int_equal(r, rows[i].message ? -E_PARSE : 0);
		assert_string_equal(err.text, rows[i].message ? rows[i].message : "");
	}
}

/* References that multiply end, and accept. */
static void test_work_is_bounded(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *schema =
		"{\"allOf\":[{\"$ref\":\"#/d\"},{\"$ref\":\"#/d\"}],"
		"\"d\":{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}";
	int64_t start = clock_cpu_us();

	(void)state;
	assert_int_equal(schema_check(parse(&a, schema), parse(&a, "1"), "params", NULL), 0);
	assert_true(clock_cpu_us() - start < 20 * 1000 * 1000);
}

/* Each of these patterns takes a second of its own. */
static void test_patterns_are_bounded(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf schema = { 0 }, value = { 0 };
	int64_t start = clock_cpu_us();

	(void)state;
	buf_addz(&schema, "{\"allOf\":[");
	for (int i = 0; i < 100; i++)
		buf_addz(&schema, "{\"pattern\":\"(a|a){1,14}[cd]\"},");
	buf_addz(&schema, "{}]}");
	buf_addc(&value, '"');
	for (int i = 0; i < 50000; i++)
		buf_addc(&value, 'a');
	buf_addc(&value, '"');
	assert_int_equal(
		schema_check(parse(&a, buf_z(&schema)), parse(&a, buf_z(&value)), "params", NULL),
		0);
	assert_true(clock_cpu_us() - start < 60 * 1000 * 1000);
}

/* ---- the public suite ---- */

#define SUITE "/usr/share/json-schema-test-suite/tests/draft7"

/* What docs/tools.md says is not covered: other documents, and base URIs. */
static bool is_covered(struct str file, struct str group)
{
	static const char *const groups[] = {
		"remote ref, containing refs itself",
		"Recursive references between schemas",
		"refs with relative uris and defs",
		"relative refs with absolute uris and defs",
		"$ref prevents a sibling $id from changing the base uri",
		"Location-independent identifier with base URI change in subschema",
		"validate definition against metaschema",
	};

	if (str_eq(file, STR("refRemote.json")) || str_eq(file, STR("definitions.json")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (str_eqz(group, groups[i]))
			return false;
	return true;
}

struct score {
	unsigned passed, failed, skipped;
};

static void run_group(const char *file, const struct json *group, struct score *score)
{
	const struct json *tests = json_getz(group, "tests");
	struct str name = json_get_str(group, "description");

	for (size_t i = 0; i < tests->n; i++) {
		const struct json *test = json_at(tests, i);
		bool ok = schema_check(json_getz(group, "schema"), json_getz(test, "data"), "x",
				       NULL) == 0;
		bool right = ok == json_is_true(json_getz(test, "valid"));

		if (!is_covered(str_from(file), name)) {
			score->skipped++;
			continue;
		}
		score->passed += right;
		score->failed += !right;
		if (!right)
			print_error("%s: %.*s: %.*s\n", file, STR_ARG(name),
				    STR_ARG(json_get_str(test, "description")));
	}
}

static void test_public_suite(void **state)
{
	struct score score = { 0 };
	AUTO(fs_names_done) struct fs_names names = { 0 };

	(void)state;
	assert_int_equal(fs_list(SUITE, &names, NULL), 0);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf text = { 0 };
		AUTO(free) char *path = fs_join(SUITE, names.p[i]);
		const struct json *groups;

		if (fs_is_dir(path) || fs_read(path, 1 << 24, &text, NULL) < 0)
			continue;
		assert_int_equal(json_parse(&a, buf_str(&text), 0, &groups, NULL), 0);
		for (size_t k = 0; k < groups->n; k++)
			run_group(names.p[i], json_at(groups, k), &score);
	}
	print_message("# %u passed, %u failed, %u not covered\n", score.passed, score.failed,
		      score.skipped);
	assert_int_equal(score.failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_work_is_bounded),
		cmocka_unit_test(test_patterns_are_bounded),
		cmocka_unit_test(test_public_suite),
	};

	if (!fs_is_dir(SUITE)) /* a package that few have */
		cmocka_set_skip_filter("test_public_suite");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
