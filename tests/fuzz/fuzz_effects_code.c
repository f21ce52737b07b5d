/*
 * Any text as code of every language.  The effects are the same the second time, memory is bounded
 * by the length of the text, and every effect has a kind.
 */
#include <stdint.h>

#include "effects/effects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static size_t effects_in(enum code_language lang, struct str text)
{
	static const struct str roots[] = { { "/home/user/project", 18 } };
	const struct effects_world world = { .cwd = STR("/home/user/project"),
					     .home = STR("/home/user"),
					     .roots = roots,
					     .nroots = 1 };
	AUTO(arena_done) struct arena a = { 0 };
	struct effects e = { .arena = &a, .world = &world };

	effects_of_code(&e, lang, text, STR("make x"));
	check(e.n <= EFFECTS_MAX && e.depth == 0);
	for (size_t i = 0; i < e.n; i++)
		check(effect_name(e.p[i].kind) != NULL);
	return e.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str text = { n ? (const char *)data : "", n };

	for (int lang = CODE_PYTHON; lang <= CODE_OTHER; lang++)
		check(effects_in((enum code_language)lang, text) ==
		      effects_in((enum code_language)lang, text));
	return 0;
}
