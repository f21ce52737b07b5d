/* Editors, and the commands that they are given. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

/* %, 1,$, 'a,'b, :silent!: what stands in front of a command. */
static struct str without_range(struct str text)
{
	static const char *const modifiers[] = { "silent! ", "silent ",    "sil! ",
						 "sil ",     "noautocmd ", "keepalt " };

	while (text.n && (char_is_digit(text.p[0]) || strchr(": \t%$.,;+-'", text.p[0])))
		text = str_sub(text, 1, text.n);
	for (size_t i = 0; i < ARRAY_LEN(modifiers); i++)
		if (str_starts(text, str_from(modifiers[i])))
			return str_trim(str_sub(text, strlen(modifiers[i]), text.n));
	return text;
}

/*
 * One command of ex or ed; true: it saves the file.  `w FILE` and `saveas FILE` write another one,
 * `!`, `w !` and `r !` start a shell.
 */
static bool ex_command(struct run *r, const struct call *c, struct str text)
{
	struct str rest = without_range(str_trim(text)), verb = rest;
	size_t n = 0;
	bool writes;

	while (n < rest.n && char_is_letter(rest.p[n]))
		n++;
	verb.n = n;
	rest = str_sub(rest, n, rest.n);
	writes = word_in_text(verb, "w wq x up update wa wqa xa write sav saveas W");
	if (writes && str_starts(rest, STR("!")) && rest.n > 1 && rest.p[1] == ' ') /* w! FILE */
		rest = str_sub(rest, 1, rest.n);
	rest = str_trim(rest);
	if (str_starts(rest, STR("!")) && (!verb.n || writes || word_in_text(verb, "r read"))) {
		call_shell(r, c, str_sub(rest, 1, rest.n));
		return writes && rest.n == 1;
	}
	if (!writes || !rest.n)
		return writes;
	while (rest.n && strchr("> ", rest.p[0]))
		rest = str_sub(rest, 1, rest.n);
	if (str_starts(rest, STR("~/"))) /* the editor knows it, too */
		rest = arena_printf(r->a, "%.*s%.*s", STR_ARG(variable(r, STR("HOME"))),
				    (int)rest.n - 1, rest.p + 1);
	call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, rest);
	return false;
}

/* Commands with bars between them; what follows "!" is one with all its bars. */
static bool ex_commands(struct run *r, const struct call *c, struct str text)
{
	bool writes = false;
	struct str one;

	for (struct str rest = text; rest.n;) {
		struct str here = rest;

		if (!str_split(&rest, '|', &one))
			break;
		if (str_find(str_trim(one), STR("!"), 0) >= 0)
			return writes | ex_command(r, c, here);
		writes |= ex_command(r, c, one);
	}
	return writes;
}

/* Those that standard input holds, a line each. */
static bool ex_lines(struct run *r, const struct call *c)
{
	bool writes = false;
	struct str line;

	for (struct str rest = r->has_in && value_known(r->in) ? r->in : STR("");
	     rest.n && str_split(&rest, '\n', &line);)
		writes |= ex_command(r, c, line);
	return writes;
}

static void edits(struct run *r, const struct call *c, struct str path, bool writes)
{
	if (path.n)
		call_path(r, c, (struct effect){ .kind = writes ? EFFECT_OVERWRITE : EFFECT_READ },
			  path);
}

static bool run_ed(struct run *r, const struct call *c)
{
	bool writes = ex_lines(r, c);
	struct args a;

	args_read(r, &a, c, "-p --prompt");
	for (size_t i = 0; i < a.noperands; i++)
		edits(r, c, a.operands[i], writes);
	return false;
}

static bool run_editor(struct run *r, const struct call *c)
{
	struct args a;
	bool writes = false;

	args_read(r, &a, c, "-c -S -u -T --cmd --eval -l --load");
	for (size_t i = 0; i < a.noptions; i++) {
		struct str v = a.options[i].value;

		if (!v.n)
			continue;
		if (str_chr(v, '!', 0) < 0)
			(void)presume_code(r, c, v, true);
		writes |= ex_commands(r, c, v);
	}
	for (size_t i = 0; i < a.noperands; i++)
		if (str_starts(a.operands[i], STR("+")))
			writes |= ex_commands(r, c, str_sub(a.operands[i], 1, a.operands[i].n));
	if (args_option(&a, "-s") || str_eqz(sh_file_name(c->words[0]), "ex"))
		writes |= ex_lines(r, c);
	for (size_t i = 0; i < a.noperands; i++)
		if (!str_starts(a.operands[i], STR("+")))
			edits(r, c, a.operands[i], writes);
	return true;
}

const struct special special_editors[] = {
	{ "vi vim nvim view ex emacs nano gvim", run_editor },
	{ "ed red", run_ed },
	{ NULL, NULL },
};
