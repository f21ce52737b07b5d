/* A model that goes round in circles is noticed, one that writes tables is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agent/repeat.h"

static bool says(const char *piece, int times)
{
	struct repeat r = { 0 };
	bool found = false;

	for (int i = 0; i < times && !found; i++)
		found = repeat_text(&r, str_from(piece));
	repeat_done(&r);
	return found;
}

static void a_sentence_over_and_over(void **state)
{
	(void)state;
	assert_true(says("I will now look at the file again. ", 200));
	/* In small chunks, too: where they end does not matter. */
	assert_false(says("I will now look at the file again. ", 10));
}

static void rules_and_short_periods_are_text(void **state)
{
	(void)state;
	assert_false(says("--------------------------------", 500));
	assert_false(says("|---|---|", 500));
	assert_false(says("0, 0, 0, 0, ", 500));
}

static void text_that_goes_on(void **state)
{
	struct repeat r = { 0 };
	char line[80];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		int n = snprintf(line, sizeof line, "Line %d says something else: %d.\n", i, i * i);

		assert_false(repeat_text(&r, (struct str){ line, (size_t)n }));
	}
	repeat_done(&r);
}

static const struct json *object(struct arena *a, const char *text)
{
	const struct json *v = NULL;

	assert_int_equal(json_parse(a, str_from(text), 0, &v, NULL), 0);
	return v;
}

static void the_fifth_equal_call(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct repeat_calls r = { 0 };
	const struct json *args = object(&a, "{\"pattern\":\"*.c\"}");

	(void)state;
	for (int i = 1; i < REPEAT_CALLS_MAX; i++)
		assert_false(repeat_call(&r, STR("glob"), args));
	assert_true(repeat_call(&r, STR("glob"), args));
}

static void other_arguments_or_another_tool_begin_anew(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct repeat_calls r = { 0 };
	const struct json *one = object(&a, "{\"pattern\":\"*.c\"}");
	const struct json *two = object(&a, "{\"pattern\":\"*.h\"}");

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_false(repeat_call(&r, STR("glob"), i % 2 ? one : two));
		assert_false(repeat_call(&r, STR("list_directory"), one));
	}
}

static bool calls(struct repeat_calls *r, struct arena *a, int i)
{
	return repeat_call(r, STR("read_file"), json_set(a, NULL, STR("n"), json_new_int(a, i)));
}

static void cycles_of_up_to_four(void **state)
{
	(void)state;
	for (int length = 1; length <= REPEAT_CYCLE_MAX + 1; length++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct repeat_calls r = { 0 };
		bool found = false;

		for (int i = 0; i < length * REPEAT_CALLS_MAX; i++) {
			assert_false(found);
			found = calls(&r, &a, i % length);
		}
		assert_int_equal(found, length <= REPEAT_CYCLE_MAX);
	}
}

static void a_hundred_different_calls(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct repeat_calls r = { 0 };

	(void)state;
	for (int i = 0; i < 110; i++)
		assert_false(calls(&r, &a, i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_over_and_over),
		cmocka_unit_test(rules_and_short_periods_are_text),
		cmocka_unit_test(text_that_goes_on),
		cmocka_unit_test(the_fifth_equal_call),
		cmocka_unit_test(other_arguments_or_another_tool_begin_anew),
		cmocka_unit_test(cycles_of_up_to_four),
		cmocka_unit_test(a_hundred_different_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
