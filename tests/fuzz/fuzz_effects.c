/*
 * Any text as a command.  It ends soon and stays inside of its limits, the same text has the same
 * effects, and a shell in a wrapper takes none of them away.
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
	(void)a;
	*ret_text = *(const struct str *)data;
	return path.n % 2 == 0 && ret_text->n < 4096;
}

static struct effects effects_in(struct arena *a, struct effects_world *world, struct str text)
{
	struct effects e = { .arena = a, .world = world };

	effects_of_shell(&e, text);
	check(e.n <= EFFECTS_MAX && e.depth == 0 && !e.remote && !e.maybe);
	for (size_t i = 0; i < e.n; i++) {
		check(e.p[i].kind < EFFECT_COUNT);
		check(value_known(e.p[i].target) && value_known(e.p[i].words));
		check(e.p[i].kind != EFFECT_OPAQUE || e.opaque);
	}
	return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const wrappers[] = { "sh -c ", "env A=1 bash -c ", "nohup eval ",
						"true && sh -c " };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf behind = { 0 };
	struct str text = { n ? (const char *)data : "", n }, roots[] = { STR("/home/user/x") };
	struct effects_world world = { .cwd = STR("/home/user/x"),
				       .home = STR("/home/user"),
				       .roots = roots,
				       .nroots = 1,
				       .read = read_same,
				       .data = &text };
	struct effects plain;

	/* `sh -c -x` has one more option. */
	if (n > 16 << 10 || (n && strchr("-+", text.p[0])))
		return 0;
	/* Behind another command: only a whole text is read as PowerShell by its looks. */
	buf_addz(&behind, "true\n");
	buf_adds(&behind, text);
	(void)effects_in(&a, &world, text);
	plain = effects_in(&a, &world, buf_str(&behind));
	for (size_t i = 0; i < ARRAY_LEN(wrappers); i++) {
		AUTO(buf_done) struct buf wrapped = { 0 };
		struct effects e;

		buf_addz(&wrapped, wrappers[i]);
		sh_quote(&wrapped, text);
		e = effects_in(&a, &world, buf_str(&wrapped));
		for (size_t k = 0; k < plain.n && !e.opaque; k++) {
			bool found = false;

			for (size_t m = 0; m < e.n && !found; m++)
				found = e.p[m].kind == plain.p[k].kind &&
					e.p[m].places == plain.p[k].places;
			check(found);
		}
	}
	return 0;
}
