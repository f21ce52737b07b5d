/* Files and the clock: whole reads, safe replacement, locked appending, finding programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "temp.h"

static char dir[TEMP_SIZE];

static int make_dir(void **state)
{
	(void)state;
	return temp_make(dir);
}

static int remove_dir(void **state)
{
	(void)state;
	(void)temp_remove(dir);
	return 0;
}

/* A path in the directory of the test; four are usable at once. */
static const char *in_dir(const char *name)
{
	static char paths[4][128];
	static size_t next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, sizeof paths[0], "%s/%s", dir, name);
	return path;
}

static void put(const char *path, const char *text, unsigned mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	(void)close(fd);
}

static void assert_file(const char *path, const char *text)
{
	AUTO(buf_done) struct buf b = { 0 };

	assert_int_equal(fs_read(path, 1 << 20, &b, NULL), 0);
	assert_string_equal(buf_z(&b), text);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static size_t count_names(void)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	assert_int_equal(fs_list(dir, &names, NULL), 0);
	return names.n;
}

static void reads_whole_files(void **state)
{
	AUTO(buf_done) struct buf b = BUF_INIT(.max = 4);

	(void)state;
	put(in_dir("a"), "12345", 0600);
	buf_addz(&b, "0");
	assert_int_equal(fs_read(in_dir("a"), 5, &b, NULL), 0);
	assert_string_equal(buf_z(&b), "012345");
	assert_int_equal(b.max, 4);
	put(in_dir("empty"), "", 0600);
	assert_int_equal(fs_read(in_dir("empty"), 0, &b, NULL), 0);
	assert_int_equal(b.n, 6);
	assert_int_equal(fs_read("/proc/self/status", 1 << 20, &b, NULL), 0); /* says size 0 */
	assert_true(b.n > 100);
}

static void read_says_why_not(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };
	struct err err = { 0 };

	(void)state;
	buf_addz(&b, "x");
	put(in_dir("a"), "12345", 0600);
	assert_int_equal(fs_read(in_dir("a"), 4, &b, &err), -E_LIMIT);
	assert_int_equal(fs_read("/proc/self/status", 10, &b, &err), -E_LIMIT);
	assert_int_equal(fs_read(in_dir("none"), 4, &b, &err), -E_NOTFOUND);
	assert_non_null(strstr(err.text, "none: No such file"));
	assert_int_equal(fs_read(dir, 4, &b, &err), -E_IO);
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	assert_int_equal(fs_read(in_dir("fifo"), 4, &b, &err), -E_IO); /* at once */
	assert_string_equal(buf_z(&b), "x");
}

static void replaces_and_keeps_the_mode(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(fs_replace(in_dir("new"), STR("one"), 0640, NULL), 0);
	assert_file(in_dir("new"), "one");
	assert_int_equal(mode_of(in_dir("new")), 0640);
	assert_int_equal(chmod(in_dir("new"), 0751), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(in_dir("new"), 1, 2), 0);
	assert_int_equal(fs_replace(in_dir("new"), STR(""), 0600, NULL), 0);
	assert_file(in_dir("new"), "");
	assert_int_equal(mode_of(in_dir("new")), 0751);
	assert_int_equal(stat(in_dir("new"), &st), 0);
	if (geteuid() == 0)
		assert_true(st.st_uid == 1 && st.st_gid == 2);
	assert_int_equal(count_names(), 1);
}

static void replaces_what_a_link_points_to(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdir(in_dir("sub"), 0700), 0);
	put(in_dir("sub/real"), "old", 0600);
	assert_int_equal(symlink("sub/second", in_dir("first")), 0);
	assert_int_equal(symlink("real", in_dir("sub/second")), 0);
	assert_int_equal(fs_replace(in_dir("first"), STR("new"), 0600, NULL), 0);
	assert_file(in_dir("sub/real"), "new");
	assert_int_equal(lstat(in_dir("first"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(unlink(in_dir("sub/real")), 0);
	assert_int_equal(fs_replace(in_dir("first"), STR("made"), 0600, NULL), 0);
	assert_file(in_dir("sub/real"), "made");
	assert_int_equal(symlink("loop", in_dir("loop")), 0);
	assert_int_equal(fs_replace(in_dir("loop"), STR("x"), 0600, NULL), -E_IO);
}

static void failed_replacement_changes_nothing(void **state)
{
	struct rlimit old, low;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_xfsz;
	AUTO(free) char *big = xcalloc(1, 100001);

	(void)state;
	memset(big, 'x', 100000);
	put(in_dir("a"), "old", 0600);
	assert_int_equal(fs_replace(dir, STR("x"), 0600, NULL), -E_IO);
	assert_int_equal(fs_replace("/dev/null", STR("x"), 0600, NULL), -E_IO);
	assert_int_equal(fs_replace(in_dir("none/a"), STR("x"), 0600, NULL), -E_NOTFOUND);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){ .rlim_cur = 50000, .rlim_max = old.rlim_max };
	(void)sigaction(SIGXFSZ, &ignore, &old_xfsz);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	int r = fs_replace(in_dir("a"), str_from(big), 0600, NULL);
	int r_append = fs_append(in_dir("a"), str_from(big), NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	(void)sigaction(SIGXFSZ, &old_xfsz, NULL);
	assert_int_equal(r, -E_IO);
	assert_int_equal(r_append, -E_IO);
	assert_file(in_dir("a"), "old");
	assert_int_equal(count_names(), 1);
}

struct appender {
	const char *path;
	char line[64];
};

static void *append_many(void *arg)
{
	const struct appender *a = arg;

	for (int i = 0; i < 100; i++)
		if (fs_append(a->path, str_from(a->line), NULL) < 0)
			return NULL;
	return arg;
}

static void appends_whole_records(void **state)
{
	const char *path = in_dir("log");
	AUTO(buf_done) struct buf b = { 0 };
	struct appender appenders[4];
	pthread_t threads[4];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct appender *a = &appenders[i];

		*a = (struct appender){ .path = path };
		memset(a->line, 'a' + (int)i, 62);
		a->line[62] = '\n';
		assert_int_equal(pthread_create(&threads[i], NULL, append_many, a), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		void *good = NULL;

		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_non_null(good);
	}
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(fs_read(path, 1 << 20, &b, NULL), 0);
	for (struct str rest = buf_str(&b), line; str_split(&rest, '\n', &line) && line.n; n++)
		assert_true(line.n == 62 && line.p[0] == line.p[61]);
	assert_int_equal(n, 400);
}

/* Whoever keeps the lock, a record is neither late nor lost. */
static void append_waits_not_long(void **state)
{
	const char *path = in_dir("log");
	const int64_t wait_us = FS_APPEND_WAIT_MS * INT64_C(1000);
	int64_t start;

	(void)state;
	assert_int_equal(fs_append(path, STR("a\n"), NULL), 0);
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	start = clock_us();
	assert_int_equal(fs_append(path, STR("b\n"), NULL), 0);
	assert_true(clock_us() - start >= wait_us);
	assert_true(clock_us() - start < 20 * wait_us); /* a busy machine, not a lock */
	fd_close(&fd);
	assert_int_equal(fs_append(path, STR("c\n"), NULL), 0);
	assert_file(path, "a\nb\nc\n");
}

static void append_refuses_links(void **state)
{
	(void)state;
	put(in_dir("real"), "", 0600);
	assert_int_equal(symlink("real", in_dir("link")), 0);
	assert_int_equal(fs_append(in_dir("link"), STR("x"), NULL), -E_IO);
	assert_file(in_dir("real"), "");
}

static void lock_is_exclusive(void **state)
{
	struct err err = { 0 };
	int64_t start;
	int fd, again;

	(void)state;
	fd = fs_lock(in_dir("lock"), 0, &err);
	assert_true(fd >= 0);
	assert_int_equal(mode_of(in_dir("lock")), 0600);
	start = clock_us();
	assert_int_equal(fs_lock(in_dir("lock"), 50, &err), -E_BUSY);
	assert_true(clock_us() - start >= 50000);
	(void)close(fd);
	again = fs_lock(in_dir("lock"), 0, &err);
	assert_true(again >= 0);
	assert_true(fcntl(again, F_GETFD) & FD_CLOEXEC);
	(void)close(again);
}

static void makes_directories(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(fs_mkdirs(in_dir("a/b//c/"), 0700, NULL), 0);
	assert_int_equal(fs_mkdirs(in_dir("a/b/c"), 0700, NULL), 0);
	assert_int_equal(mode_of(in_dir("a/b")), 0700);
	put(in_dir("file"), "", 0600);
	assert_int_equal(fs_mkdirs(in_dir("file/x"), 0700, &err), -E_IO);
	assert_int_equal(fs_mkdirs(in_dir("file"), 0700, &err), -E_IO);
	assert_true(fs_is_dir(in_dir("a")) && !fs_is_dir(in_dir("file")) &&
		    !fs_is_dir(in_dir("none")));
	assert_true(fs_exists(in_dir("file")) && !fs_exists(in_dir("none")));
}

static void finds_programs_as_execvp(void **state)
{
	const char *const find[][2] = {
		/* PATH with %s for the directory, where it is found */
		{ "%s/one:%s/two", "two" }, /* in one: not executable; in two: fine */
		{ "%s/dirs:%s/two", "two" }, /* a directory is no program */
		{ "/nonexistent:%s/two/", "two" },
		{ "%s/two::.", "two" },
		{ ":%s/two", NULL }, /* the current directory comes first */
		{ ".:%s/two", NULL },
		{ "%s/one:two:%s/two", NULL },
		{ "%s/one", NULL },
		{ "", NULL },
	};

	(void)state;
	assert_int_equal(fs_mkdirs(in_dir("dirs/prog"), 0700, NULL), 0);
	assert_int_equal(fs_mkdirs(in_dir("one"), 0700, NULL), 0);
	assert_int_equal(fs_mkdirs(in_dir("two"), 0700, NULL), 0);
	put(in_dir("one/prog"), "", 0644);
	put(in_dir("two/prog"), "", 0755);
	for (size_t i = 0; i < ARRAY_LEN(find); i++) {
		AUTO(buf_done) struct buf path = { 0 };
		AUTO(free) char *found = NULL;

		for (const char *at = find[i][0]; *at; at++) {
			if (str_starts(str_from(at), STR("%s")) && at++)
				buf_addz(&path, dir);
			else
				buf_addc(&path, *at);
		}
		assert_int_equal(fs_find_program("prog", buf_z(&path), &found), find[i][1] != NULL);
		if (found)
			assert_string_equal(found, in_dir("two/prog"));
	}
	char *none = NULL;
	assert_false(fs_find_program("prog", NULL, &none));
	assert_false(fs_find_program("", "/bin", &none));
	assert_false(fs_find_program("./sh", "/bin", &none));
	assert_null(none);
	assert_false(fs_is_program(dir));
}

static void paths_by_text(void **state)
{
	static const char *const absolute[][3] = {
		{ "/a/b", "c", "/a/b/c" },  { "/a/b", "/c/./d//e/", "/c/d/e" },
		{ "/a/b", "../c", "/a/c" }, { "/a/b", "../../../c", "/c" },
		{ "/a/b", "..", "/a" },     { "/a", "..", "/" },
		{ "/", ".", "/" },          { "/", "", "/" },
		{ "/a/b", "", "/a/b" },     { "/a", "..b/...", "/a/..b/..." },
	};
	static const char *const joined[][3] = {
		{ "/a", "b", "/a/b" }, { "/a/", "b", "/a/b" }, { "/a//", "/b", "/a/b" },
		{ "/", "b", "/b" },    { "", "b", "b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(absolute); i++) {
		AUTO(free) char *path = fs_absolute(absolute[i][0], absolute[i][1]);

		assert_string_equal(path, absolute[i][2]);
	}
	for (size_t i = 0; i < ARRAY_LEN(joined); i++) {
		AUTO(free) char *path = fs_join(joined[i][0], joined[i][1]);

		assert_string_equal(path, joined[i][2]);
	}
	AUTO(free) char *real = fs_real("/usr/../tmp/.");
	assert_string_equal(real, "/tmp");
	assert_null(fs_real("/nonexistent"));
}

static void lists_sorted_by_bytes(void **state)
{
	static const char *const expected[] = { ".hidden", "B", "a", "\xc3\xa4" };
	AUTO(fs_names_done) struct fs_names names = { 0 }, none = { 0 };

	(void)state;
	for (size_t i = ARRAY_LEN(expected); i-- > 0;)
		put(in_dir(expected[i]), "", 0600);
	assert_int_equal(fs_list(dir, &names, NULL), 0);
	assert_int_equal(names.n, ARRAY_LEN(expected));
	for (size_t i = 0; i < names.n; i++)
		assert_string_equal(names.p[i], expected[i]);
	assert_int_equal(fs_list(in_dir("none"), &none, NULL), -E_NOTFOUND);
	assert_int_equal(mkdir(in_dir("empty"), 0700), 0);
	assert_int_equal(fs_list(in_dir("empty"), &none, NULL), 0);
	assert_int_equal(none.n, 0);
}

/* Expected values: new Date(ms).toISOString() of Node 20. */
static void dates_as_javascript(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} dates[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ -1, "1969-12-31T23:59:59.999Z" },
		{ 951782400123, "2000-02-29T00:00:00.123Z" },
		{ 253402300799999, "9999-12-31T23:59:59.999Z" },
		{ 253402300800000, "+010000-01-01T00:00:00.000Z" },
		{ -62167219200000, "0000-01-01T00:00:00.000Z" },
		{ -62167219200001, "-000001-12-31T23:59:59.999Z" },
		{ 8640000000000000, "+275760-09-13T00:00:00.000Z" },
	};
	char text[CLOCK_ISO_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(dates); i++) {
		clock_iso_at(dates[i].ms, text);
		assert_string_equal(text, dates[i].text);
	}
	clock_iso_at(INT64_MAX, text);
	clock_iso_at(INT64_MIN, text);
	clock_iso(text);
	assert_int_equal(strlen(text), 24);
	assert_true(clock_wall_ms() > 1700000000000);
}

/* ---- what killed writers leave ---- */

static void sweeps_what_nobody_holds(void **state)
{
	static const char *const kept[] = { ".trotline-0123456789abcdef.tm",
					    ".trotline-0123456789abcde.tmp",
					    ".trotline-0123456789abcdef0.tmp",
					    ".trotline-0123456789abcdeg.tmp",
					    "trotline-0123456789abcdef.tmp",
					    ".trotline-12-abcdef",
					    "settings.json" };
	const char *stale = ".trotline-0123456789abcdef.tmp",
		   *held = ".trotline-00000000000000ff.tmp",
		   *link = ".trotline-aaaaaaaaaaaaaaaa.tmp",
		   *below = ".trotline-bbbbbbbbbbbbbbbb.tmp";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		assert_int_equal(fs_replace(in_dir(kept[i]), STR("x"), 0600, NULL), 0);
	assert_int_equal(fs_replace(in_dir(stale), STR("x"), 0600, NULL), 0);
	assert_int_equal(fs_replace(in_dir(held), STR("x"), 0600, NULL), 0);
	assert_int_equal(symlink("settings.json", in_dir(link)), 0);
	assert_int_equal(mkdir(in_dir(below), 0700), 0);
	AUTO(close) int fd = open(in_dir(held), O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	fs_sweep(dir);
	fs_sweep(in_dir("absent"));
	assert_false(fs_exists(in_dir(stale)));
	assert_true(fs_exists(in_dir(held)) && fs_exists(in_dir(link)) && fs_is_dir(in_dir(below)));
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		assert_true(fs_exists(in_dir(kept[i])));
	fd_close(&fd);
	fs_sweep(dir);
	assert_false(fs_exists(in_dir(held)));
}

static void *replace_often(void *failed)
{
	static atomic_int next;
	char path[128];

	(void)snprintf(path, sizeof path, "%s/file-%d", dir, atomic_fetch_add(&next, 1));
	for (int i = 0; i < 100; i++)
		if (fs_replace(path, STR("text"), 0600, NULL) < 0)
			atomic_fetch_add((atomic_int *)failed, 1);
	return NULL;
}

/* Sweeping takes nothing away from those who are writing, at whatever moment it comes. */
static void sweeping_disturbs_no_writer(void **state)
{
	pthread_t threads[4];
	atomic_int failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, replace_often, &failed), 0);
	for (int i = 0; i < 3000; i++)
		fs_sweep(dir);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(failed, 0);
}

/* What the library asks instead of the one of libc. */
static bool blind;

char *realpath(const char *path, char *to)
{
	static char *(*libc)(const char *, char *);

	if (blind) {
		errno = ENOMEM;
		return NULL;
	}
	if (!libc)
		*(void **)&libc = dlsym(RTLD_NEXT, "realpath");
	return libc(path, to);
}

/* C8.2: a guard that cannot look at a path says so, and does not look for ever. */
static void a_path_that_cannot_be_seen_is_nowhere(void **state)
{
	char *resolved;

	(void)state;
	blind = true;
	resolved = fs_resolve(in_dir("a/b/c"));
	assert_false(fs_is_in("/", in_dir("a")));
	blind = false;
	assert_null(resolved);
	assert_true(fs_is_in(dir, in_dir("a")));
}

int main(void)
{
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		IN_DIR(reads_whole_files),
		IN_DIR(read_says_why_not),
		IN_DIR(replaces_and_keeps_the_mode),
		IN_DIR(replaces_what_a_link_points_to),
		IN_DIR(failed_replacement_changes_nothing),
		IN_DIR(appends_whole_records),
		IN_DIR(append_waits_not_long),
		IN_DIR(append_refuses_links),
		IN_DIR(sweeps_what_nobody_holds),
		IN_DIR(sweeping_disturbs_no_writer),
		IN_DIR(lock_is_exclusive),
		IN_DIR(makes_directories),
		IN_DIR(finds_programs_as_execvp),
		cmocka_unit_test(paths_by_text),
		IN_DIR(lists_sorted_by_bytes),
		cmocka_unit_test(dates_as_javascript),
		IN_DIR(a_path_that_cannot_be_seen_is_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
