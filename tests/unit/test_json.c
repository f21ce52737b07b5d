/* JSON: reading, printing, look-ups, making values, the streaming writer. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/utf8.h"
#include "json_cases.h"

static const struct json *value(struct arena *a, const char *text)
{
	const struct json *v = NULL;
	struct err err = { 0 };

	if (json_parse(a, str_from(text), JSON_C, &v, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return v;
}

static void check_printed(const struct json *v, unsigned style, const char *want)
{
	AUTO(arena_done) struct arena a = { 0 };

	assert_string_equal(json_text(&a, v, style).p, want);
}

static void check_case(const struct json_case *c, struct str text, unsigned flags)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v = NULL;
	struct err err = { 0 };
	int r = json_parse(&a, text, flags, &v, &err);

	if ((r >= 0) != (c->printed != NULL))
		fail_msg("%s: %s", c->name, r < 0 ? err.text : "accepted");
	if (r < 0) {
		assert_int_equal(r, -E_PARSE);
		assert_true(str_starts(str_from(err.text), STR("line ")));
		assert_null(v);
		return;
	}
	if (strcmp(json_text(&a, v, JSON_JS).p, c->printed) != 0)
		fail_msg("%s: printed %s", c->name, json_text(&a, v, JSON_JS).p);
}

static void texts_of_all_kinds(void **state)
{
	(void)state;
	assert_true(ARRAY_LEN(json_cases) >= 150);
	for (size_t i = 0; i < ARRAY_LEN(json_cases); i++) {
		const struct json_case *c = &json_cases[i];
		/* In a block of its own, so that a sanitizer sees a byte read too many. */
		char *block = malloc(c->text.n ? c->text.n : 1);

		assert_non_null(block);
		memcpy(block, c->text.p, c->text.n);
		check_case(c, (struct str){ block, c->text.n }, 0);
		check_case(c, (struct str){ block, c->text.n }, JSON_BORROW);
		free(block);
	}
}

/* What JSONC allows is allowed by its flag only. */
static void comments_and_trailing_commas(void **state)
{
	static const struct {
		const char *text;
		unsigned needs;
		const char *printed;
	} cases[] = {
		{ "// a\n[1] // b", JSON_COMMENTS, "[1]" },
		{ "/* a */ { /**/ \"a\" /*b*/ : /* c */ 1 /* d */ } /* e */", JSON_COMMENTS,
		  "{\"a\":1}" },
		{ "[1,//x\r\n2]", JSON_COMMENTS, "[1,2]" },
		{ "[/* ] \" // */]", JSON_COMMENTS, "[]" },
		{ "/***/1", JSON_COMMENTS, "1" },
		{ "1//", JSON_COMMENTS, "1" },
		{ "[1,]", JSON_TRAILING_COMMAS, "[1]" },
		{ "{\"a\":[ ],\n}", JSON_TRAILING_COMMAS, "{\"a\":[]}" },
		{ "\xef\xbb\xbf{}", JSON_BOM, "{}" },
		{ "[1,/* x */]", JSON_COMMENTS | JSON_TRAILING_COMMAS, "[1]" },
		{ "[,]", 0, NULL },
		{ "{,}", 0, NULL },
		{ "[1,,]", 0, NULL },
		{ "/*", 0, NULL },
		{ "/* * /", 0, NULL },
		{ "[1/]", 0, NULL },
		{ "/ /\n1", 0, NULL },
		{ "/*/ 1", 0, NULL },
		{ "{'a':1}", 0, NULL },
		{ "{a:1}", 0, NULL },
		{ "\xef\xbb\xbf\xef\xbb\xbf{}", 0, NULL },
		{ " \xef\xbb\xbf{}", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (unsigned flags = 0; flags <= JSON_C; flags++) {
			AUTO(arena_done) struct arena a = { 0 };
			bool ok = cases[i].printed && (flags & cases[i].needs) == cases[i].needs;
			const struct json *v = NULL;
			int r;

			if (flags & JSON_BORROW)
				continue;
			r = json_parse(&a, str_from(cases[i].text), flags, &v, NULL);
			if ((r >= 0) != ok)
				fail_msg("%s with flags %u: %d", cases[i].text, flags, r);
			if (ok)
				check_printed(v, JSON_COMPACT, cases[i].printed);
		}
	}
}

static void messages(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "line 1, column 1: expected a value, found the end of the text" },
		{ "{\n\"a\": 1\n  x}",
		  "line 3, column 3: expected ',' or '}' after a member, found \"x\"" },
		{ "{\"a\":1 \"b\":2}",
		  "line 1, column 8: expected ',' or '}' after a member, found a string" },
		{ "[1 22]", "line 1, column 4: expected ',' or ']' after an item, found \"22\"" },
		{ "[1", "line 1, column 3: expected ',' or ']' after an item, "
			"found the end of the text" },
		{ "[truth]", "line 1, column 2: expected a value, found \"truth\"" },
		{ "{a: 1}", "line 1, column 2: expected a key in double quotes, found \"a\"" },
		{ "{\"a\" 1}", "line 1, column 6: expected ':' after a key, found \"1\"" },
		{ "[1,]", "line 1, column 4: trailing comma before ']'" },
		{ "[\"\xe6\x97\xa5\xf0\x9f\x98\x80\" x", "line 1, column 7: expected ',' or ']' "
							 "after an item, found \"x\"" },
		{ "[\n \"abc", "line 2, column 2: unterminated string" },
		{ "[\n \"abc\n]", "line 2, column 2: unterminated string "
				  "(a line break is \"\\n\")" },
		{ "[\"a\tb\"]",
		  "line 1, column 4: a control character in a string is written \"\\u0009\"" },
		{ "[\"a\\x\"]",
		  "line 1, column 4: \"\\x\" is not an escape; a backslash is written \"\\\\\"" },
		{ "\"\\u12x4\"", "line 1, column 2: \"\\u\" needs four hexadecimal digits" },
		{ "[1, 02]", "line 1, column 5: a number must not have leading zeros" },
		{ "-x", "line 1, column 2: expected a digit after '-', found \"x\"" },
		{ "1.",
		  "line 1, column 3: expected a digit after the point, found the end of the text" },
		{ "1e]", "line 1, column 3: expected a digit of the exponent, found \"]\"" },
		{ "{} {}", "line 1, column 4: expected the end of the text, found \"{\"" },
		{ "[\x1b]", "line 1, column 2: expected a value, found \"\\x1b\"" },
		{ "[1] // x", "line 1, column 5: expected the end of the text, found \"/\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *v;
		struct err err = { 0 };

		assert_int_equal(json_parse(&a, str_from(cases[i].text), 0, &v, &err), -E_PARSE);
		assert_string_equal(err.text, cases[i].message);
	}
}

static void an_unterminated_comment_points_at_its_start(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct json_where where = { 0 };
	const struct json *v;
	struct err err = { 0 };
	int r = json_parse_at(&a, STR("\xef\xbb\xbf{}\n  /* x\n\n"), JSON_C, NULL, &v, &where,
			      &err);

	(void)state;
	assert_int_equal(r, -E_PARSE);
	assert_string_equal(err.text, "unterminated comment");
	assert_int_equal(where.line, 2);
	assert_int_equal(where.column, 3);
	assert_int_equal(where.pos, 8);
}

static void places(void **state)
{
	struct str text = STR("{\n\"\xc3\xa9\": [1, 2]}");
	struct json_where where = json_locate(text, 12);
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v = value(&a, text.p);

	(void)state;
	assert_int_equal(where.line, 2);
	assert_int_equal(where.column, 10);
	assert_int_equal(json_locate(text, 9999).pos, text.n);
	assert_int_equal(json_member(v, STR("\xc3\xa9"))->pos, 2);
	assert_int_equal(json_pointer(v, STR("/\xc3\xa9/1"))->pos, 12);
}

static int parse_nested(unsigned depth, unsigned max_depth, const char *open, const char *close)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct json_limits limits = { .max_depth = max_depth };
	const struct json *v;

	for (unsigned i = 0; i < depth; i++)
		buf_addz(&text, open);
	for (unsigned i = 0; i < depth; i++)
		buf_addz(&text, close);
	return json_parse_at(&a, buf_str(&text), 0, &limits, &v, NULL, NULL);
}

static void depth_limit(void **state)
{
	(void)state;
	assert_int_equal(parse_nested(JSON_MAX_DEPTH, 0, "[", "]"), 0);
	assert_int_equal(parse_nested(JSON_MAX_DEPTH + 1, 0, "[", "]"), -E_LIMIT);
	assert_int_equal(parse_nested(JSON_MAX_DEPTH, 0, "[{\"a\":[]},", ""), -E_LIMIT);
	assert_int_equal(parse_nested(1, 2, "[[],[],{},[", "]]"), 0); /* next to it, not inside */
	assert_int_equal(parse_nested(1, 2, "[[],[],{},[[", "]]]"), -E_LIMIT);
	assert_int_equal(parse_nested(JSON_MAX_DEPTH, 0, "{\"a\":", "}"), -E_PARSE);
	assert_int_equal(parse_nested(JSON_MAX_DEPTH + 1, 0, "{\"a\":", "}"), -E_LIMIT);
	assert_int_equal(parse_nested(200000, 0, "[", ""), -E_LIMIT);
	assert_int_equal(parse_nested(200000, 0, "{\"a\":[", ""), -E_LIMIT);
	assert_int_equal(parse_nested(5000, 10000, "[", "]"), 0);
}

static void byte_limit(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct json_limits limits = { .max_bytes = 4 };
	const struct json *v;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(json_parse_at(&a, STR("[10]"), 0, &limits, &v, NULL, &err), 0);
	assert_int_equal(json_parse_at(&a, STR("[100]"), 0, &limits, &v, NULL, &err), -E_LIMIT);
	assert_string_equal(err.text,
			    "line 1, column 1: the text has 5 bytes, more than the limit of 4");
}

static void a_text_that_is_passed_on_loses_nothing(void **state)
{
	static const char text[] = "{\"b\":1.50,\"10\":9007199254740993,\"2\":1E400,\"a\":-0.0}";
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	check_printed(value(&a, text), JSON_COMPACT, text);
	check_printed(value(&a, text), JSON_JS,
		      "{\"2\":null,\"10\":9007199254740992,\"b\":1.5,\"a\":0}");
}

static void pretty(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	check_printed(value(&a, "{\"a\":[],\"b\":{},\"c\":[1,{\"d\":null}]}"), JSON_PRETTY,
		      "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n"
		      "      \"d\": null\n    }\n  ]\n}");
}

static void numbers_read(void **state)
{
	static const struct {
		const char *text;
		double d;
	} cases[] = {
		{ "0", 0 },
		{ "12.5", 12.5 },
		{ "-3", -3 },
		{ "1e3", 1000 },
		{ "0.1", 0.1 },
		{ "9007199254740993", 9007199254740992.0 },
		{ "5e-324", 5e-324 },
		{ "2.2250738585072011e-308", 2.225073858507201e-308 },
		{ "123456789012345.0000000000000000000000000", 123456789012345.0 },
		{ "0.0000000000000000000000123", 1.23e-23 },
		{ "1e999", INFINITY },
	};
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(json_num(value(&a, cases[i].text), -1) == cases[i].d);
	assert_true(signbit(json_num(value(&a, "-0"), 1)));
	assert_true(json_num(value(&a, "\"1\""), 7) == 7);
	assert_true(json_num(NULL, 7) == 7);
	assert_int_equal(json_int(value(&a, "-2.9"), 1), -2);
	assert_int_equal(json_int(value(&a, "9007199254740991"), 1), 9007199254740991);
	assert_int_equal(json_int(value(&a, "1e300"), 1), 9007199254740991);
	assert_int_equal(json_int(value(&a, "-1e999"), 1), -9007199254740991);
	assert_int_equal(json_int(value(&a, "\"1\""), 7), 7);
	assert_int_equal(json_int(NULL, 7), 7);
	assert_true(json_num_in_text(value(&a, "\" 1.5 \""), 7) == 1.5);
	assert_true(json_num_in_text(value(&a, "2"), 7) == 2);
	assert_true(json_num_in_text(value(&a, "\"\""), 7) == 7);
	assert_true(json_num_in_text(value(&a, "\"1x\""), 7) == 7);
	assert_true(json_num_in_text(value(&a, "\"1e\""), 7) == 7);
	assert_true(json_num_in_text(value(&a, "\"inf\""), 7) == 7);
	assert_true(json_num_in_text(NULL, 7) == 7);
}

static void check_number(double d, const char *want)
{
	AUTO(buf_done) struct buf out = { 0 };

	json_write_num(&out, d);
	assert_string_equal(buf_z(&out), want);
}

static void numbers_printed(void **state)
{
	(void)state;
	check_number(0.0, "0");
	check_number(-0.0, "0");
	check_number(NAN, "null");
	check_number(-INFINITY, "null");
	check_number(1e21, "1e+21");
	check_number(123456789012345680000.0, "123456789012345680000");
	check_number(1e-6, "0.000001");
	check_number(1.5e-7, "1.5e-7");
	check_number(5e-324, "5e-324");
	check_number(1.7976931348623157e308, "1.7976931348623157e+308");
	check_number(-0.1, "-0.1");
	check_number(0.1 + 0.2, "0.30000000000000004");
	/* Powers of two: the nearest decimal of 16 digits may not read back, its neighbour does. */
	check_number(ldexp(1, -44), "5.684341886080802e-14");
	check_number(ldexp(1, 976), "6.386688990511104e+293");
	check_number(ldexp(1, -1022), "2.2250738585072014e-308");
}

/* C: a host with a decimal comma must not change what we read or print. */
static void numbers_do_not_depend_on_the_locale(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
		print_message("# no German locale here: only the C locale was tried\n");
	check_printed(value(&a, "[0.30000000000000004,1.7976931348623157e308]"), JSON_JS,
		      "[0.30000000000000004,1.7976931348623157e+308]");
	(void)setlocale(LC_ALL, "C");
}

static void many_members(struct buf *text, int n)
{
	buf_addc(text, '{');
	for (int i = 0; i < n; i++)
		buf_addf(text, "%s\"key-%d\":%d", i ? "," : "", i, i);
	buf_addc(text, '}');
}

static void look_ups_in_objects_of_all_sizes(void **state)
{
	(void)state;
	for (int n = 0; n < 300; n += n < 40 ? 1 : 37) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf text = { 0 };
		const struct json *v;

		many_members(&text, n);
		v = value(&a, buf_z(&text));
		assert_int_equal(v->n, n);
		for (int i = 0; i < n; i++)
			assert_true(json_num(json_get(v, arena_printf(&a, "key-%d", i)), -1) == i);
		assert_null(json_getz(v, "key-"));
		assert_null(json_getz(v, ""));
		assert_true(json_equal(v, json_dup(&a, v)));
		v = json_set(&a, v, STR("key-0"), json_new_bool(&a, true));
		assert_true(json_is_true(json_getz(v, "key-0")));
		assert_int_equal(v->n, n ? n : 1);
		v = json_without(&a, v, STR("key-0"));
		assert_null(json_getz(v, "key-0"));
	}
}

static double seconds_to_parse(struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct timespec from, to;
	const struct json *v;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_return_code(json_parse(&a, text, 0, &v, NULL), 0);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_int_equal(v->n, 100000);
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/*
 * Keys that collide in the usual unseeded hashes: "Aa" and "BB" are equal for h * 31 + c, and all
 * keys have the same length and ends.  Quadratic behaviour would take minutes.
 */
static void colliding_keys_parse_in_linear_time(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)state;
	buf_addc(&text, '{');
	for (int i = 0; i < 100000; i++) {
		buf_addz(&text, i ? ",\"k" : "\"k");
		for (int bit = 0; bit < 17; bit++)
			buf_addz(&text, i >> bit & 1 ? "Aa" : "BB");
		buf_addz(&text, "k\":1");
	}
	buf_addc(&text, '}');
	assert_true(seconds_to_parse(buf_str(&text)) < 20);
}

/* Repeated keys in an object with an index, too: the first place, the last value. */
static void repeated_keys(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v;

	(void)state;
	buf_addz(&text, "{\"x\":0");
	for (int i = 1; i <= 1000; i++)
		buf_addf(&text, ",\"x\":%d,\"y%d\":1", i, i % 3);
	buf_addz(&text, "}");
	v = value(&a, buf_z(&text));
	check_printed(v, 0, "{\"x\":1000,\"y1\":1,\"y2\":1,\"y0\":1}");
	assert_true(json_num(json_getz(v, "x"), 0) == 1000);
}

static void pointers(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v =
		value(&a, "{\"a\":[10,{\"b\":1}],\"\":2,\"~/\":3,\"0\":4,\"m\":{\"\":5}}");
	static const struct {
		const char *pointer;
		double n;
	} cases[] = {
		{ "/a/0", 10 }, { "/a/1/b", 1 },  { "/", 2 },
		{ "/~0~1", 3 }, { "/0", 4 },      { "/m/", 5 },
		{ "/a/2", -1 }, { "/a/00", -1 },  { "/a/-1", -1 },
		{ "/a/-", -1 }, { "a", -1 },      { "/~2", -1 },
		{ "/~", -1 },   { "/a/0/x", -1 }, { "/a/99999999999999999999", -1 },
		{ "/a/", -1 },  { "//", -1 },
	};

	(void)state;
	assert_ptr_equal(json_pointer(v, STR("")), v);
	assert_null(json_pointer(NULL, STR("/a")));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(json_num(json_pointer(v, str_from(cases[i].pointer)), -1) ==
			    cases[i].n);
}

static void equality(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
		{ "5", "5.0", true },
		{ "5", "5.5", false },
		{ "0", "-0", true },
		{ "1", "true", false },
		{ "1e400", "1e500", false },
		{ "1e400", "1e400", true },
		{ "null", "false", false },
		{ "\"a\"", "\"\\u0061\"", true },
		{ "\"\"", "null", false },
		{ "[]", "{}", false },
		{ "[1,2]", "[2,1]", false },
		{ "[1]", "[1,1]", false },
		{ "{\"a\":1,\"b\":[{}]}", "{\"b\":[{}],\"a\":1}", true },
		{ "{\"a\":1}", "{\"b\":1}", false },
		{ "{\"a\":null}", "{\"b\":null}", false },
	};
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct json *x = value(&a, cases[i].a), *y = value(&a, cases[i].b);

		assert_int_equal(json_equal(x, y), cases[i].equal);
		assert_int_equal(json_equal(y, x), cases[i].equal);
		assert_true(json_equal(x, json_dup(&a, x)));
	}
	assert_true(json_equal(NULL, NULL));
	assert_false(json_equal(NULL, value(&a, "null")));
}

/* C4.4: merging member by member is one level deep, and null is a value. */
static void overlay(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	check_printed(json_overlay(&a, value(&a, "{\"a\":1,\"b\":{\"x\":1},\"c\":3}"),
				   value(&a, "{\"d\":4,\"b\":{\"y\":2},\"c\":null}")),
		      0, "{\"a\":1,\"b\":{\"y\":2},\"c\":null,\"d\":4}");
	check_printed(json_overlay(&a, NULL, value(&a, "{\"a\":1}")), 0, "{\"a\":1}");
	check_printed(json_overlay(&a, value(&a, "{\"a\":1}"), NULL), 0, "{\"a\":1}");
}

/* The examples of RFC 7396, appendix A. */
static void merge_patch(void **state)
{
	static const char *const cases[][3] = {
		{ "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
		{ "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
		{ "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
		{ "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
		  "{\"a\":{\"b\":\"d\"}}" },
		{ "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
		{ "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
		{ "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
		{ "{\"a\":\"foo\"}", "null", "null" },
		{ "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
		{ "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
		{ "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
		{ "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
	};
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_printed(json_merge_patch(&a, value(&a, cases[i][0]), value(&a, cases[i][1])),
			      0, cases[i][2]);
}

static void values_made(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *obj = json_new_obj(&a), *items[3];

	(void)state;
	check_printed(obj, JSON_PRETTY, "{}");
	items[0] = json_new_str(&a, STR("\xed\xa0\xbd\xed\xb8\x80 \xff\"\x01"));
	items[1] = json_new_num(&a, 0.1);
	items[2] = NULL;
	obj = json_set(&a, obj, STR("l\n"), json_new_arr(&a, items, 3));
	obj = json_set(&a, obj, STR("i"), json_new_int(&a, INT64_MIN));
	obj = json_set(&a, obj, STR("n"), json_new_num(&a, NAN));
	obj = json_set(&a, obj, STR("b"), json_new_bool(&a, false));
	check_printed(obj, 0,
		      "{\"l\\n\":[\"\xf0\x9f\x98\x80 \xef\xbf\xbd\\\"\\u0001\",0.1,null],"
		      "\"i\":-9223372036854775808,\"n\":null,\"b\":false}");
	assert_ptr_equal(json_without(&a, obj, STR("zz")), obj);
	check_printed(json_new_arr(&a, NULL, 0), 0, "[]");
	assert_string_equal(json_type_name(obj), "object");
	assert_string_equal(json_type_name(NULL), "nothing");
}

static void check_same(const struct json *v, const struct json *w)
{
	static const unsigned styles[] = { JSON_COMPACT, JSON_PRETTY, JSON_JS,
					   JSON_PRETTY | JSON_JS };
	AUTO(arena_done) struct arena a = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(styles); i++)
		check_printed(w, styles[i], json_text(&a, v, styles[i]).p);
	assert_true(json_equal(v, w));
}

/* What knows its text is written as before, in every style, and so is what is made of it. */
static void values_that_know_their_texts(void **state)
{
	static const char text[] = "{\"b\":[1.50,\"\\n\"],\"2\":{\"x\":null},\"1\":\"t\"}";
	AUTO(arena_done) struct arena a = { 0 }, own = { 0 };
	const struct json *plain = value(&a, text), *v = json_with_text(&a, plain);
	const struct json *pair[] = { plain, plain }, *known[] = { v, v }, *copy;

	(void)state;
	assert_true(v->written);
	check_same(plain, v);
	assert_ptr_equal(json_with_text(&a, v), v);
	check_same(json_new_arr(&a, pair, 2), json_new_arr(&a, known, 2));
	check_same(json_set(&a, NULL, STR("in"), plain), json_set(&a, NULL, STR("in"), v));
	/* What differs, or may differ, does not know a text. */
	check_same(json_set(&a, plain, STR("b"), plain), json_set(&a, v, STR("b"), v));
	check_same(json_without(&a, plain, STR("b")), json_without(&a, v, STR("b")));
	check_same(json_overlay(&a, plain, value(&a, "{\"b\":0}")),
		   json_overlay(&a, v, value(&a, "{\"b\":0}")));
	check_same(json_merge_patch(&a, plain, value(&a, "{\"2\":{\"y\":1}}")),
		   json_merge_patch(&a, v, value(&a, "{\"2\":{\"y\":1}}")));
	/* A copy is on its own. */
	copy = json_dup(&own, json_new_arr(&a, known, 2));
	arena_done(&a);
	assert_true(json_at(copy, 1)->written);
	plain = value(&a, text);
	check_same(plain, json_at(copy, 1));
}

static void not_every_value_keeps_a_text(void **state)
{
	static const char *const texts[] = { "{}", "[1]", "\"s\"", "null" };
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *wide = NULL, *v;

	(void)state;
	assert_null(json_with_text(&a, NULL));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		v = value(&a, texts[i]);
		assert_ptr_equal(json_with_text(&a, v), v);
	}
	for (int i = 0; i < 40; i++)
		wide = json_set(&a, wide, arena_printf(&a, "k%d", i), json_new_int(&a, i));
	v = json_with_text(&a, wide);
	check_same(wide, v);
	check_same(wide, json_dup(&a, v));
	assert_int_equal(json_num(json_getz(json_dup(&a, v), "k39"), 0), 39);
}

static void look_ups_accept_anything(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *s = value(&a, "\"a\\u0000b\"");

	(void)state;
	assert_null(json_getz(NULL, "a"));
	assert_null(json_getz(s, "a"));
	assert_null(json_at(s, 0));
	assert_true(str_eq(json_str(s, STR("")), STR("a\0b")));
	assert_true(str_eq(json_str(NULL, STR("d")), STR("d")));
	assert_false(json_is_false(NULL));
	assert_null(json_dup(&a, NULL));
}

/* C: a document owns its strings unless it was asked to borrow them. */
static void documents_own_their_text(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	char text[] = "{\"key\":[\"plain\",12]}";
	const struct json *v;

	(void)state;
	assert_return_code(json_parse(&a, str_from(text), 0, &v, NULL), 0);
	memset(text, 'x', sizeof text - 1);
	check_printed(v, 0, "{\"key\":[\"plain\",12]}");
}

static void writing_stops_at_the_maximum(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v = value(&a, "{\"key\":[\"text\",1,\"t\\n\"]}");
	size_t n = json_text(&a, v, 0).n;

	(void)state;
	for (size_t max = 4; max < n + 4; max++) {
		AUTO(buf_done) struct buf out = BUF_INIT(.max = max);

		buf_addz(&out, "old");
		assert_int_equal(json_write(&out, v, 0), max < n + 3 ? -E_LIMIT : 0);
		assert_int_equal(out.full, max < n + 3);
		assert_int_equal(out.n, max < n + 3 ? 3 : n + 3);
	}
}

static void streaming(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 }, lines = { 0 };
	struct jw w = { .out = &out }, p = { .out = &lines, .pretty = true };

	(void)state;
	for (struct jw *to = &w; to; to = to == &w ? &p : NULL) {
		jw_obj(to);
		jw_kv_z(to, "z", NULL);
		jw_kv_str(to, "s", STR("a\0\""));
		jw_key(to, "list");
		jw_arr(to);
		jw_int(to, -5);
		jw_num(to, 0.5);
		jw_obj(to);
		jw_end(to);
		jw_json(to, value(&a, "{\"x\":[1]}"));
		jw_json(to, NULL);
		jw_end(to);
		jw_kv_bool(to, "b", true);
		jw_kv_int(to, "i", 1);
		jw_keys(to, STR("r"));
		jw_raw(to, STR("[]"));
		jw_members(to, json_new_obj(&a));
		jw_members(to, value(&a, "{\"m\":1,\"\\n\":{}}"));
		jw_members(to, json_with_text(&a, value(&a, "{\"o\":[1]}")));
		jw_kv_int(to, "p", 2);
		jw_end(to);
	}
	assert_string_equal(buf_z(&out), "{\"z\":null,\"s\":\"a\\u0000\\\"\",\"list\":[-5,0.5,{},"
					 "{\"x\":[1]},null],\"b\":true,\"i\":1,\"r\":[],\"m\":1,"
					 "\"\\n\":{},\"o\":[1],\"p\":2}");
	check_printed(value(&a, buf_z(&out)), JSON_PRETTY, buf_z(&lines));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_all_kinds),
		cmocka_unit_test(comments_and_trailing_commas),
		cmocka_unit_test(messages),
		cmocka_unit_test(an_unterminated_comment_points_at_its_start),
		cmocka_unit_test(places),
		cmocka_unit_test(depth_limit),
		cmocka_unit_test(byte_limit),
		cmocka_unit_test(a_text_that_is_passed_on_loses_nothing),
		cmocka_unit_test(pretty),
		cmocka_unit_test(numbers_read),
		cmocka_unit_test(numbers_printed),
		cmocka_unit_test(numbers_do_not_depend_on_the_locale),
		cmocka_unit_test(look_ups_in_objects_of_all_sizes),
		cmocka_unit_test(colliding_keys_parse_in_linear_time),
		cmocka_unit_test(repeated_keys),
		cmocka_unit_test(pointers),
		cmocka_unit_test(equality),
		cmocka_unit_test(overlay),
		cmocka_unit_test(merge_patch),
		cmocka_unit_test(values_made),
		cmocka_unit_test(values_that_know_their_texts),
		cmocka_unit_test(not_every_value_keeps_a_text),
		cmocka_unit_test(look_ups_accept_anything),
		cmocka_unit_test(documents_own_their_text),
		cmocka_unit_test(writing_stops_at_the_maximum),
		cmocka_unit_test(streaming),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
