/*
 * Any text as a command: made safe for a shell, split into words.  Words
 * that need no shell have no unquoted character that a shell would act on, and none of them holds a
 * reference.
 */
#include "hooks/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_words(struct arena *a, struct str command, const struct vars *vars,
			const struct hook *hook)
{
	const char *const *words;
	size_t n = 0, total = 0;

	if (!command_words(a, command, vars, hook, &words, &n))
		return;
	if (n == 0 || words[n])
		abort();
	for (size_t i = 0; i < n; i++)
		total += strlen(words[i]);
	/* Every word is a part of the command, but for the values that were put in. */
	size_t values = 0;
	for (size_t i = 0; i < command.n; i++)
		values += command.p[i] == '$';
	if (total > command.n + values * strlen(vars->v[0].value))
		abort();
	command = str_trim(command);
	for (size_t i = 0; i < command.n; i++)
		if (strchr("`;&|<>()\n\\", command.p[i]) && command.p[i] &&
		    !memchr(command.p, '\'', command.n) && !memchr(command.p, '"', command.n))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct vars vars = {
		.v = { { "GEMINI_PROJECT_DIR", "/a b'c\"$(touch x)" }, { "GEMINI_CWD", "/c d" } },
		.n = 2,
	};
	AUTO(arena_done) struct arena a = { 0 };
	struct str command = { (const char *)data, n };
	struct hook hook = { .command = arena_z(&a, command) };

	struct str safe = command_for_shell(&a, command, &vars, &hook);
	/* A value is never put into the text. */
	if (str_find(safe, STR("$(touch x)"), 0) >= 0 &&
	    str_find(command, STR("$(touch x)"), 0) < 0)
		abort();
	check_words(&a, command, &vars, &hook);
	return 0;
}
