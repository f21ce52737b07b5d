/*
 * Any text as the file that a program runs, and as the target of links.  It ends soon and stays
 * inside of its limits, and the same text has the same effects.
 */
#include <stdint.h>

#include "effects/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool read_same(void *data, struct str path, struct arena *a, struct str *ret_text)
{
	(void)path;
	(void)a;
	*ret_text = *(const struct str *)data;
	return true;
}

/* The first line, of every third path. */
static bool link_same(void *data, struct str path, struct arena *a, struct str *ret_target)
{
	struct str rest = *(const struct str *)data;

	(void)a;
	return str_split(&rest, '\n', ret_target) && ret_target->n && path.n % 3 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const commands[] = {
		"make all",
		"just build",
		"task build",
		"tox",
		"ninja",
		"cmake -P x",
		"cmake .",
		"docker compose up",
		"git x",
		"git commit -m x",
		"npm test; npm install",
		"node .",
		"composer install",
		"go run x.go",
		"go generate x.go",
		"cargo build",
		"gcc x.c; ./a.out",
		"python3 -m x",
		"pytest",
		"rake",
		"vim -S x",
		"sed -f x a",
		"gdb -x x",
		"tmux source x",
		"screen -c x",
		"psql -f x",
		"sqlite3 a '.read x'",
		"sh x",
		"node x.js",
		"perl x.pl",
		"php x.php",
		"rm -rf a/b/c a/../d/* ./e/",
		"cd a/b && rm -rf ../c/*",
		"cp -a a b; rm -rf b/*",
	};
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = { n ? (const char *)data : "", n }, roots[] = { STR("/home/user/x") };
	struct str command;
	size_t effects = 0;
	struct effects_world world = { .cwd = STR("/home/user/x"),
				       .home = STR("/home/user"),
				       .roots = roots,
				       .nroots = 1,
				       .read = read_same,
				       .link = link_same,
				       .data = &text };

	if (!n || n > 8 << 10)
		return 0;
	command = str_from(commands[data[0] % ARRAY_LEN(commands)]);
	text = str_sub(text, 1, n);
	for (int i = 0; i < 2; i++) {
		struct effects e = { .arena = &a, .world = &world };

		effects_of_shell(&e, command);
		check(e.n <= EFFECTS_MAX && e.depth == 0 && !e.remote && !e.maybe);
		check(i == 0 || e.n == effects);
		effects = e.n;
		for (size_t k = 0; k < e.n; k++)
			check(value_known(e.p[k].target) && value_known(e.p[k].words));
	}
	return 0;
}
