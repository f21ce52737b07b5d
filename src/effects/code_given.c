/* What code is given when it starts: arguments, variables of the environment, standard input. */
#include "effects/code_reader.h"

enum { LINES_MAX = CODE_ALTERNATIVES_MAX };

static unsigned taints(const struct effects_given *g)
{
	return (g->fetched ? VALUE_FETCHED : 0) | (g->secret ? VALUE_SECRET : 0);
}

struct code_value code_input(const struct code *c, bool lines)
{
	const struct effects_given *g = c->e->given;
	struct code_value all[LINES_MAX], v;
	struct str line, rest = g ? g->in : STR("");
	size_t n = 0;

	if (!g || !g->has_in)
		return value_unknown(g ? taints(g) : 0);
	while (rest.n && rest.p[rest.n - 1] == '\n')
		rest.n--;
	v = value_text(rest);
	v.flags = taints(g);
	if (!lines || str_chr(rest, '\n', 0) < 0)
		return v;
	while (n < LINES_MAX && str_split(&rest, '\n', &line)) {
		all[n] = v;
		all[n++].text = line;
	}
	if (rest.n) /* all others at once */
		all[n - 1].text = (struct str){ all[n - 1].text.p,
						(size_t)(rest.p + rest.n - all[n - 1].text.p) };
	v = value_list(c->e->arena, all, n);
	v.flags |= VALUE_ANY;
	return v;
}

bool code_is_input(struct str name)
{
	static const char *const names[] = {
		"sys.stdin",  "STDIN",     "$stdin",      "ARGF",     "$<",
		"/dev/stdin", "/dev/fd/0", "php://stdin", "io.stdin", "sys.stdin.buffer",
		"fileinput"
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eqz(name, names[i]))
			return true;
	return false;
}

bool code_environment(const struct code *c, struct str name, struct str *ret_value)
{
	const struct effects_given *g = c->e->given;

	return g && g->variable && g->variable(g->data, name, ret_value);
}

/* The names of the arguments, and what is in front of them: the program, the script. */
static const struct {
	enum code_language language;
	const char *name;
	bool program, script;
} lists[] = {
	{ CODE_PYTHON, "sys.argv", false, true },
	{ CODE_JAVASCRIPT, "process.argv", true, false },
	{ CODE_JAVASCRIPT, "Bun.argv", true, false },
	{ CODE_JAVASCRIPT, "Deno.args", false, false },
	{ CODE_PERL, "@ARGV", false, false },
	{ CODE_RUBY, "ARGV", false, false },
	{ CODE_RUBY, "$*", false, false },
	{ CODE_PHP, "$argv", false, true },
	{ CODE_LUA, "arg", false, false },
	{ CODE_JULIA, "ARGS", false, false },
	{ CODE_AWK, "ARGV", false, true },
};

static void set_arguments(struct code *c, const struct effects_given *g)
{
	struct code_value *items = ARENA_ARRAY(c->e->arena, struct code_value, g->nargs + 2);

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		size_t n = 0;

		if (!is_language(c, lists[i].language))
			continue;
		if (lists[i].program)
			items[n++] = value_text(STR("node"));
		if (lists[i].script || (lists[i].program && g->script.n))
			items[n++] = value_text(g->script);
		for (size_t k = 0; k < g->nargs; k++)
			items[n++] = value_text(g->args[k]);
		code_set(c, str_from(lists[i].name), value_list(c->e->arena, items, n));
	}
}

void code_given(struct code *c)
{
	const struct effects_given *g = c->e->given;

	if (!g)
		return;
	if (g->has_args)
		set_arguments(c, g);
	if (g->has_in && (is_language(c, CODE_PERL) || is_language(c, CODE_RUBY)))
		code_set(c, STR("$_"), code_input(c, true));
	for (size_t i = 0; i < g->nset; i++)
		code_set(c, g->names[i], value_text(g->values[i]));
}

/* $0, $1 of awk: the line, and its parts. */
struct code_value code_field(const struct code *c, const struct code_value *index)
{
	struct code_value v = code_input(c, true);
	size_t i = 0, from;
	int64_t n;

	if (v.kind != VALUE_TEXT || !value_int(index, &n))
		return v.kind == VALUE_TEXT || v.kind == VALUE_LIST
			       ? value_unknown(v.flags & VALUE_TAINTS)
			       : v;
	if (n == 0)
		return v;
	for (;;) {
		while (i < v.text.n && strchr(" \t", v.text.p[i]))
			i++;
		for (from = i; i < v.text.n && !strchr(" \t", v.text.p[i]);)
			i++;
		if (from == i || --n == 0)
			break;
	}
	v.text = str_sub(v.text, from, i);
	return v;
}

struct str effects_script_folder(const struct effects *e)
{
	struct str cwd = effects_cwd(e);
	struct str script = e->given ? e->given->script : STR("");
	size_t n = script.n;

	while (n && script.p[n - 1] != '/')
		n--;
	if (!n || str_chr(script, CODE_GAP, 0) >= 0)
		return cwd;
	script = str_sub(script, 0, n > 1 ? n - 1 : 1);
	return script.p[0] == '/'
		       ? script
		       : arena_printf(e->arena, "%.*s/%.*s", STR_ARG(cwd), STR_ARG(script));
}
