/* "Does this path lie in that directory?": by text (base/path.h) and in the file system (os/fs.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "os/fs.h"
#include "temp.h"

static uint32_t seed = 1;

static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static const char *pick(const char *const *from, size_t n)
{
	return from[next_random((uint32_t)n)];
}

/* ---- by text ---- */

static void test_opinions(void **state)
{
	static const struct {
		const char *dir, *path, *below; /* NULL: elsewhere */
	} cases[] = {
		{ "/a", "/a", "" },
		{ "/a", "/a/", "" },
		{ "/a/", "/a", "" },
		{ "/a", "/a/b", "b" },
		{ "/a/", "/a//b/c", "b/c" },
		{ "//a/.", "/./a/./b", "b" },
		{ "/", "/", "" },
		{ "/", "/a", "a" },
		{ "/a", "/ab", NULL },
		{ "/a", "/", NULL },
		{ "/a", "/A/b", NULL },
		{ "/a/b", "/a", NULL },
		{ "/a", "/a/../a/b", NULL },
		{ "/a", "/a/b/..", NULL },
		{ "/a/..", "/a/b", NULL },
		{ "/a", "/a/...", "..." },
		{ "/a", "/a/..b", "..b" },
		{ "", "/a", NULL },
		{ "/a", "", NULL },
		{ "a", "a/b", NULL },
		{ ".", "./b", NULL },
		{ NULL, "/a", NULL },
		{ "/a", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = path_below(cases[i].dir, cases[i].path);

		if (!got || !cases[i].below ? got != cases[i].below : strcmp(got, cases[i].below))
			fail_msg("%s in %s: %s", cases[i].path, cases[i].dir, got ? got : "NULL");
	}
	assert_string_equal(path_shown("/a", "/a/b"), "b");
	assert_string_equal(path_shown("/a", "/a"), "/a");
	assert_string_equal(path_shown("/a", "/b"), "/b");
	assert_string_equal(path_name("/a/b"), "b");
	assert_string_equal(path_name("b"), "b");
}

static void make_text(char *path, size_t size)
{
	static const char *const parts[] = { "a", "b", "ab", "A", ".", "", "a", "b", "...", ".." };
	uint32_t n = next_random(5);
	size_t used = (size_t)snprintf(path, size, "%s", next_random(12) ? "/" : "");

	for (uint32_t i = 0; i < n; i++)
		used += (size_t)snprintf(path + used, size - used, "%s%s",
					 pick(parts, 10 - !next_random(4)),
					 i + 1 < n || next_random(3) == 0 ? "/" : "");
}

/* The oracle writes both as "/a/b/", so that a prefix is the answer; "" for what has none. */
static const char *canonical(char *out, const char *path)
{
	char copy[64], *save = NULL;
	size_t n = 0;

	if (path[0] != '/')
		return NULL;
	(void)snprintf(copy, sizeof copy, "%s", path);
	out[n++] = '/';
	for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (strcmp(part, "..") == 0)
			return NULL;
		if (strcmp(part, ".") != 0)
			n += (size_t)snprintf(out + n, 80 - n, "%s/", part);
	}
	out[n] = '\0';
	return out;
}

static void test_text_against_oracle(void **state)
{
	size_t inside = 0;

	(void)state;
	for (int i = 0; i < 80000; i++) {
		char dir[64], path[64], room[2][80], room_below[80];
		const char *d, *p, *got;
		bool wanted;

		make_text(dir, sizeof dir);
		make_text(path, sizeof path);
		d = canonical(room[0], dir);
		p = canonical(room[1], path);
		wanted = d && p && strncmp(d, p, strlen(d)) == 0;
		got = path_below(dir, path);
		if (wanted != (got != NULL))
			fail_msg("%s in %s: %s", path, dir, got ? got : "no");
		inside += wanted;
		/* What is below is the rest of the oracle's text. */
		if (got) {
			(void)snprintf(room_below, sizeof room_below, "/%s", got);
			char again[80];
			assert_string_equal(canonical(again, room_below), p + strlen(d) - 1);
		}
	}
	assert_in_range(inside, 5000, 100000);
}

/* ---- in the file system ---- */

static char top[64];

static int make_tree(void **state)
{
	static const char *const dirs[] = { "in", "in/d", "in/d/e", "inner", "out", "out/d" };
	static const char *const links[][2] = {
		{ "../out", "in/leave" },
		{ "../in/d", "out/enter" },
		{ "d/e", "in/deep" },
		{ "..", "in/d/up" },
		{ "../../out/new", "in/d/dangling" },
		{ "../in/new", "out/made" },
		{ "loop", "in/loop" },
		{ "../..", "in/d/e/two" },
		{ "none/../../out/x", "in/odd" },
	};

	(void)state;
	(void)snprintf(top, sizeof top, "/tmp/trotline-test-XXXXXX");
	assert_non_null(mkdtemp(top));
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		AUTO(free) char *path = fs_join(top, dirs[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		AUTO(free) char *path = fs_join(top, links[i][1]);
		assert_int_equal(symlink(links[i][0], path), 0);
	}
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	return temp_remove(top);
}

static void make_path(struct buf *path)
{
	static const char *const parts[] = { "in",    "d",    "e",   "out",      "leave",
					     "enter", "deep", "up",  "dangling", "made",
					     "loop",  "two",  "odd", "inner",    "..",
					     ".",     "",     "new", "IN",       "none" };

	buf_addz(path, top);
	for (uint32_t i = 0, n = 1 + next_random(6); i < n; i++)
		buf_addf(path, "/%s", pick(parts, ARRAY_LEN(parts)));
}

/* The oracle is the kernel: opens or makes the file, and looks where it is. */
static bool where_it_is(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool made = fd < 0;
	char link[40];
	ssize_t n;

	if (made)
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) /* through a link to what does not exist: O_EXCL refuses those */
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, ret, size - 1);
	close(fd);
	assert_true(n > 0);
	ret[n] = '\0';
	if (made)
		assert_int_equal(unlink(ret), 0);
	return true;
}

/* Where a path leads is said before it is made. */
static void test_files_against_kernel(void **state)
{
	AUTO(free) char *in = fs_join(top, "in");
	AUTO(free) char *crooked = xasprintf("%s/out/../in/d/up/", top);
	size_t inside = 0, opened = 0;

	(void)state;
	for (int i = 0; i < 8000; i++) {
		AUTO(buf_done) struct buf path = { 0 };
		char real[256];
		bool said;

		make_path(&path);
		said = fs_is_in(in, buf_z(&path));
		assert_int_equal(fs_is_in(crooked, buf_z(&path)), said);
		if (!where_it_is(buf_z(&path), real, sizeof real))
			continue;
		opened++;
		inside += said;
		if (said != (strncmp(real, in, strlen(in)) == 0 &&
			     (real[strlen(in)] == '/' || !real[strlen(in)])))
			fail_msg("%s is %s: said %d", buf_z(&path), real, said);
	}
	assert_in_range(opened, 1000, 8000);
	assert_in_range(inside, 100, opened - 100);
	assert_false(fs_is_in(in, "in"));
	assert_false(fs_is_in("/none/such", "/none/such/x"));
	assert_false(fs_is_in(NULL, in));
	assert_true(fs_is_in("/", in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opinions),
		cmocka_unit_test(test_text_against_oracle),
		cmocka_unit_test_setup_teardown(test_files_against_kernel, make_tree, remove_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
