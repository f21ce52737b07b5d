/* Decoders of OAuth: challenges, places of metadata, addresses, forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/challenge.h"
#include "mcp/oauth_meta.h"

static void test_challenges(void **state)
{
	static const struct {
		const char *header;
		bool bearer;
		const char *metadata, *scope, *error;
	} cases[] = {
		{ "Bearer", true, "", "", "" },
		{ "bearer realm=x", true, "", "", "" },
		{ "Basic realm=\"Bearer scope=evil\"", false, "", "", "" },
		{ "Bearer scope=\"a b\"", true, "", "a b", "" },
		{ "Bearer scope=\"a  b a\", error=invalid_token", true, "", "a b",
		  "invalid_token" },
		{ "BEARER Scope = \"a\" , ERROR = \"x\"", true, "", "a", "x" },
		{ "Bearer resource_metadata=\"https://h/p?a=b\"", true, "https://h/p?a=b", "", "" },
		{ "Bearer resource_metadata=https://h/p", true, "https://h/p", "", "" },
		{ "Basic scope=evil, Bearer scope=good, DPoP scope=worse", true, "", "good", "" },
		{ "Negotiate abc==, Bearer error=e", true, "", "", "e" },
		{ "Bearer scope=a, Bearer scope=b", true, "", "a", "" },
		{ "Bearer scope=\"a\\\"b\"", true, "", "", "" },
		{ "Bearer error=\"a b\"", true, "", "", "" },
		{ "Bearer scope=\"a", true, "", "a", "" },
		{ "", false, "", "", "" },
		{ ",,= =,", false, "", "", "" },
		{ "BearerX scope=a", false, "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct challenge c = { 0 };

		challenge_read(str_from(cases[i].header), &c);
		assert_int_equal(c.bearer, cases[i].bearer);
		assert_string_equal(c.metadata, cases[i].metadata);
		assert_string_equal(c.scope, cases[i].scope);
		assert_string_equal(c.error, cases[i].error);
	}
}

static void test_scopes(void **state)
{
	char scope[8] = "";

	(void)state;
	assert_true(scope_add(scope, sizeof scope, STR("a b")));
	assert_true(scope_add(scope, sizeof scope, STR("b c")));
	assert_string_equal(scope, "a b c");
	assert_false(scope_add(scope, sizeof scope, STR("four")));
	assert_false(scope_add(scope, sizeof scope, STR("\"")));
	assert_string_equal(scope, "a b c");
	assert_true(scope_covers(str_from(scope), STR("c  a")));
	assert_false(scope_covers(str_from(scope), STR("a d")));
	assert_true(scope_covers(STR(""), STR("")));
}

static void test_addresses(void **state)
{
	static const struct {
		const char *text;
		bool good, is_private;
		const char *same; /* url_text() */
	} cases[] = {
		{ "https://Example.com", true, true, "https://example.com" },
		{ "https://example.com:443/a/../b?c", true, true, "https://example.com/b?c" },
		{ "http://example.com/", true, false, "http://example.com" },
		{ "http://localhost:1/x", true, true, "http://localhost:1/x" },
		{ "http://127.9.9.9/", true, true, "http://127.9.9.9" },
		{ "http://[::1]:80/", true, true, "http://[::1]" },
		{ "http://localhost.evil.example/", true, false, "http://localhost.evil.example" },
		{ "http://127.0.0.1.evil.example/", true, false, "http://127.0.0.1.evil.example" },
		{ "https://u@example.com/", .good = false },
		{ "https://example.com/#f", .good = false },
		{ "ftp://example.com/", .good = false },
		{ "file:///etc/passwd", .good = false },
		{ "https://example.com/a b", .good = false },
		{ "https://example.com/\x1b[2J", .good = false },
		{ "", .good = false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct url u;

		assert_int_equal(url_read(&a, cases[i].text, &u, NULL) == 0, cases[i].good);
		if (!cases[i].good)
			continue;
		assert_int_equal(url_is_private(&u), cases[i].is_private);
		assert_string_equal(url_text(&a, &u), cases[i].same);
	}
}

static void test_below(void **state)
{
	static const struct {
		const char *inner, *outer;
		bool is;
	} cases[] = {
		{ "https://h/a/b", "https://h/a", true },   { "https://h/a", "https://h/a/", true },
		{ "https://h/ab", "https://h/a", false },   { "https://h/a", "https://h", true },
		{ "https://h:8443/a", "https://h", false }, { "http://h/a", "https://h/a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct url inner, outer;

		assert_int_equal(url_read(&a, cases[i].inner, &inner, NULL), 0);
		assert_int_equal(url_read(&a, cases[i].outer, &outer, NULL), 0);
		assert_int_equal(url_is_below(&inner, &outer), cases[i].is);
	}
}

static void test_forms(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct str v = { 0 };

	(void)state;
	url_escape(&out, STR("a b/\xc3\xa4-._~"));
	assert_string_equal(buf_z(&out), "a%20b%2F%C3%A4-._~");
	assert_true(url_form_get(&a, STR("x=1&st%61te=a+b%26%4&y"), "state", &v));
	assert_true(str_eqz(v, "a b&%4"));
	assert_true(url_form_get(&a, STR("x=1&y"), "y", &v));
	assert_int_equal(v.n, 0);
	assert_false(url_form_get(&a, STR("x=1&y"), "z", &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_challenges), cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_addresses),  cmocka_unit_test(test_below),
		cmocka_unit_test(test_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
