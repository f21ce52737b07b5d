/* Editors, and the commands that they are given. */
#include "base/words.h"

#include "effects/run.h"

/* ed and its kin read commands: !text is for a shell. */
static bool run_ed(struct run *r, const struct call *c)
{
	struct str line;

	for (struct str rest = r->has_in ? r->in : STR("");
	     rest.n && str_split(&rest, '\n', &line);)
		if (str_starts(str_trim(line), STR("!")))
			call_shell(r, c, str_sub(str_trim(line), 1, line.n));
	return false;
}

/* "w", "wq", "x" behind a bar or alone: an editor's command that saves the file. */
static bool saves(struct str text)
{
	struct str one, verb;

	while (str_split(&text, '|', &one)) {
		one = str_trim(one);
		for (size_t n = 0; n <= one.n; n++)
			if (n == one.n || !((one.p[n] | 32) >= 'a' && (one.p[n] | 32) <= 'z')) {
				verb = str_sub(one, 0, n);
				break;
			}
		if (word_in_text(verb, "w wq x up update wa wqa xa write saveas"))
			return true;
	}
	return false;
}

static bool run_editor(struct run *r, const struct call *c)
{
	struct args a;
	bool writes = false;

	args_read(r, &a, c, "-c -S -u -T --cmd --eval -l --load");
	for (size_t i = 0; i < a.noptions; i++) {
		struct str v = a.options[i].value;
		ptrdiff_t bang = str_chr(v, '!', 0);

		writes |= v.n && saves(v);
		if (bang >= 0 && !str_starts(v, STR("set")))
			call_shell(r, c, str_sub(v, (size_t)bang + 1, v.n));
		else
			(void)presume_code(r, c, v, true);
	}
	for (size_t i = 0; i < a.noperands; i++)
		writes |= str_starts(a.operands[i], STR("+")) &&
			  saves(str_sub(a.operands[i], 1, a.operands[i].n));
	for (size_t i = 0; i < a.noperands; i++) {
		ptrdiff_t bang = str_chr(a.operands[i], '!', 0);

		if (a.operands[i].n && a.operands[i].p[0] == '+' && bang > 0)
			call_shell(r, c, str_sub(a.operands[i], (size_t)bang + 1, a.operands[i].n));
		else if (a.operands[i].n && a.operands[i].p[0] != '+')
			call_path(
				r, c,
				(struct effect){ .kind = writes ? EFFECT_OVERWRITE : EFFECT_READ },
				a.operands[i]);
	}
	return true;
}

const struct special special_editors[] = {
	{ "vi vim nvim view ex emacs nano gvim", run_editor },
	{ "ed red", run_ed },
	{ NULL, NULL },
};
