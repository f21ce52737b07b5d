#include "os/browser.h"

#include "base/arena.h"
#include "base/env.h"
#include "os/fs.h"
#include "os/proc.h"

enum { WORDS_MAX = 32, START_MS = 5000 };

/* The words of a command with the address in their places; how many. */
static size_t words_of(struct arena *a, struct str command, const char *url, const char **words)
{
	bool placed = false;
	size_t n = 0;

	for (struct str rest = command, word; n + 2 < WORDS_MAX && str_split(&rest, ' ', &word);) {
		ptrdiff_t at = str_find(word, STR("%s"), 0);

		if (!word.n)
			continue;
		placed |= at >= 0;
		words[n++] = at < 0 ? arena_z(a, word)
				    : arena_printf(a, "%.*s%s%.*s", (int)at, word.p, url,
						   STR_ARG(str_sub(word, (size_t)at + 2, word.n)))
					      .p;
	}
	if (n && !placed)
		words[n++] = url;
	return n;
}

int browser_open(const char *url, const char *const *env, struct err *err)
{
	const char *chosen = env_get(env, "BROWSER"), *path = env_get(env, "PATH");
	const char *display = env_get(env, "DISPLAY"), *wayland = env_get(env, "WAYLAND_DISPLAY");
	const char *words[WORDS_MAX];
	/* It lives on, and neither reads nor writes what is ours. */
	const char *argv[WORDS_MAX + 4] = { "sh", "-c", "\"$@\" >/dev/null 2>&1 </dev/null &",
					    "sh" };
	const struct proc_spec spec = {
		.file = "/bin/sh", .argv = argv, .envp = env, .timeout_ms = START_MS
	};
	AUTO(proc_done) struct proc p = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *program = NULL;
	struct str rest = str_from(chosen ? chosen : ""), first = rest;
	size_t n;

	(void)str_split(&rest, ':', &first);
	n = words_of(&a, first, url, words);
	if (!n && ((display && *display) || (wayland && *wayland)))
		n = words_of(&a, STR("xdg-open"), url, words);
	if (!n)
		return err_set(err, E_NOTFOUND, "no browser is known: $BROWSER names none");
	if (strchr(words[0], '/') ? !fs_is_program(words[0])
				  : !fs_find_program(words[0], path, &program))
		return err_set(err, E_NOTFOUND, "%s is not there", words[0]);
	memcpy(argv + 4, words, n * sizeof *words);
	return proc_run(&p, &spec, NULL, err);
}
