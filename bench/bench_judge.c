/* What it takes to tell the effects of a command: the samples of tests/data/effects. */
#include "bench.h"
#include "effects/effects.h"
#include "os/fs.h"

enum { ROUNDS = 51, COMMANDS_MAX = 2048 };

static const char *const files[] = { "data.txt", "files.txt", "flow.txt", "programs.txt" };

static double judged(struct str command)
{
	static const struct str roots[] = { { "/home/user/project", 18 } };
	struct effects_world world = {
		.cwd = roots[0], .home = STR("/home/user"), .roots = roots, .nroots = 1
	};
	double took[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct effects e = { .arena = &a, .world = &world };
		double began = bench_now_us();

		effects_of_shell(&e, command);
		took[i] = bench_now_us() - began;
	}
	return bench_quiet(took, ROUNDS);
}

int main(void)
{
	const char *root = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *dir = fs_join(root ? root : ".", "tests/data/effects");
	static double us[COMMANDS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(free) char *path = fs_join(dir, files[i]);
		AUTO(buf_done) struct buf text = { 0 };
		struct str line;

		if (fs_read(path, 1 << 20, &text, NULL) < 0)
			return 1;
		for (struct str rest = buf_str(&text); str_split(&rest, '\n', &line);) {
			ptrdiff_t colon = str_find(line, STR(": "), 0);

			if (colon > 0 && line.p[0] != '#' && line.p[0] != '@' && n < COMMANDS_MAX)
				us[n++] = judged(str_sub(line, (size_t)colon + 2, line.n));
		}
	}
	bench_print_alone("judge-command", "us", bench_median(us, n));
	bench_print_alone("judge-command-worst", "us", us[n - 1]);
	return 0;
}
