/* Differences: the text of hunks, and that they turn one text into the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/diff.h"
#include "os/clock.h"

static const struct row {
	const char *before, *after, *hunks;
} rows[] = {
	{ "", "", "" },
	{ "a\n", "a\n", "" },
	{ "", "a\n", "@@ -0,0 +1,1 @@\n+a\n" },
	{ "a\n", "", "@@ -1,1 +0,0 @@\n-a\n" },
	{ "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n" },
	{ "a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n" },
	{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n5\n6\n7\n8\n9\n",
	  "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+x\n 5\n 6\n 7\n" },
	/* Six equal lines between two changes: one hunk; seven: two. */
	{ "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
	  "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n" },
	{ "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
	  "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n" },
};

static void test_hunks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf out = { 0 };
		struct diff d;

		diff_lines(&a, str_from(rows[i].before), str_from(rows[i].after), &d);
		assert_int_equal(diff_add_hunks(&out, &d, 3), 0);
		assert_string_equal(buf_z(&out), rows[i].hunks);
	}
}

/* The new text, made of the old one and the changes. */
static void assert_rebuilds(struct str before, struct str after, size_t *ret_cost)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct diff d;
	size_t x = 0;

	diff_lines(&a, before, after, &d);
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_change *c = &d.changes[i];

		assert_true(c->old_at >= x && (i == 0 || c->old_at > x));
		for (; x < c->old_at; x++)
			buf_adds(&out, d.old_lines[x]);
		for (size_t k = 0; k < c->new_n; k++)
			buf_adds(&out, d.new_lines[c->new_at + k]);
		x += c->old_n;
		*ret_cost += c->old_n + c->new_n;
	}
	for (; x < d.old_n; x++)
		buf_adds(&out, d.old_lines[x]);
	assert_true(str_eq(buf_str(&out), after));
}

static uint32_t seed = 1;

static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void random_text(struct buf *out, size_t lines, uint32_t kinds)
{
	buf_clear(out);
	for (size_t i = 0; i < lines; i++)
		buf_addf(out, "%u\n", next_random(kinds));
}

/* The shortest edit by the table that every textbook has. */
static size_t shortest(struct str a, struct str b)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct diff d;
	size_t row[65] = { 0 };

	diff_lines(&arena, a, b, &d);
	assert_true(d.new_n < 64);
	for (size_t j = 0; j <= d.new_n; j++)
		row[j] = j;
	for (size_t i = 1; i <= d.old_n; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= d.new_n; j++) {
			size_t up = row[j];

			row[j] = str_eq(d.old_lines[i - 1], d.new_lines[j - 1])
					 ? corner
					 : 1 + min_size(up, row[j - 1]);
			corner = up;
		}
	}
	return row[d.new_n];
}

static void test_random_texts_are_rebuilt_with_least_changes(void **state)
{
	AUTO(buf_done) struct buf before = { 0 };
	AUTO(buf_done) struct buf after = { 0 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t cost = 0;

		random_text(&before, next_random(40), 1 + next_random(12));
		random_text(&after, next_random(40), 1 + next_random(12));
		assert_rebuilds(buf_str(&before), buf_str(&after), &cost);
		assert_int_equal(cost, shortest(buf_str(&before), buf_str(&after)));
	}
}

static void test_unrelated_texts_take_no_time(void **state)
{
	AUTO(buf_done) struct buf before = { 0 };
	AUTO(buf_done) struct buf after = { 0 };
	int64_t start = clock_cpu_us();
	size_t cost = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		buf_addf(&before, "%d\n", i);
		buf_addf(&after, "x%d\n", i);
	}
	assert_rebuilds(buf_str(&before), buf_str(&after), &cost);
	assert_int_equal(cost, 40000);
	/* The same few lines all over: the search has something to follow, and the cap stops it. */
	random_text(&before, 20000, 50);
	random_text(&after, 20000, 50);
	assert_rebuilds(buf_str(&before), buf_str(&after), &cost);
	assert_true(clock_cpu_us() - start < 60 * 1000 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hunks),
		cmocka_unit_test(test_random_texts_are_rebuilt_with_least_changes),
		cmocka_unit_test(test_unrelated_texts_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
