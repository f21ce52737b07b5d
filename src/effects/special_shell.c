/* Builtins of shells: what changes where and how later commands run. */
#include "base/wild.h"
#include "base/words.h"
#include "shell/calls.h"

#include "effects/links.h"
#include "effects/run.h"

static bool run_cd(struct run *r, const struct call *c)
{
	const struct binding *path = binding_find(r->vars, STR("CDPATH"));
	struct str rest = path ? path->value : STR(""), first = { 0 };
	size_t i = 1;
	struct str to, before = r->cwd;

	while (i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-')
		i++;
	if (i >= c->n)
		to = str_eqz(c->words[0], "cd") ? variable(r, STR("HOME")) : ANY;
	else if (str_eqz(c->words[i], "-"))
		to = variable(r, STR("OLDPWD"));
	else
		to = c->words[i];
	if (str_eqz(c->words[0], "popd"))
		to = variable(r, STR("OLDPWD"));
	/* What it finds in the first folder of CDPATH. */
	if (to.n && !strchr("./", to.p[0]) && str_split(&rest, ':', &first) && first.n)
		to = arena_printf(r->a, "%.*s/%.*s", STR_ARG(first), STR_ARG(to));
	r->cwd = links_normal(r->a, joined(r, to));
	binding_set(r, &r->vars, STR("OLDPWD"), before);
	return true;
}

/* NAME, NAME[...], BASH_FUNC_NAME%% */
static bool is_variable(struct str name)
{
	ptrdiff_t open = str_chr(name, '[', 1);

	return sh_is_name(str_sub(name, 0, open < 0 ? name.n : (size_t)open));
}

/* export X=1, declare -a x, local y */
static bool run_declare(struct run *r, const struct call *c)
{
	bool refers = false, counts = false, keys = false;

	if (c->n < 2 || (c->n == 2 && (str_eqz(c->words[1], "-p") || str_eqz(c->words[1], "-x"))))
		run_emit(r, ENVIRONMENT);
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		ptrdiff_t eq = str_chr(w, '=', 0);
		struct str name = str_sub(w, 0, eq < 0 ? w.n : (size_t)eq);

		struct str value = eq < 0 ? STR("") : str_sub(w, (size_t)eq + 1, w.n);

		if (name.n && name.p[0] == '-') {
			refers |= str_chr(name, 'n', 0) > 0;
			counts |= str_chr(name, 'i', 0) > 0;
			keys |= str_chr(name, 'A', 0) > 0;
			continue;
		}
		if (str_ends(name, STR("+")))
			name.n--;
		run_subscripts(r, name);
		if (refers || counts)
			run_arithmetic(r, value);
		if (refers && sh_is_name(name))
			binding_set(r, &r->attributes, name, value);
		else if (keys && sh_is_name(name))
			binding_set(r, &r->attributes, name, (struct str){ "\4", 1 });
		else if (eq >= 0 && is_variable(name))
			variable_set(r, name, value);
	}
	return true;
}

static bool run_unset(struct run *r, const struct call *c)
{
	for (size_t i = 1; i < c->n; i++) {
		run_subscripts(r, c->words[i]);
		if (str_eqz(c->words[i], "HISTFILE"))
			call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
		binding_set(r, &r->vars, c->words[i], (struct str){ "\5", 1 });
	}
	return true;
}

static bool run_set(struct run *r, const struct call *c)
{
	size_t name = 1;

	while (name < c->n && c->words[name].n > 1 && c->words[name].p[0] == '-')
		name++;
	if (r->fish && name < c->n && sh_is_name(c->words[name])) { /* set -gx NAME WORD... */
		variable_set(r, c->words[name],
			     text_join(r, c->words + name + 1, c->n - name - 1, MARK_FIELD));
		return true;
	}
	if (c->n < 2)
		call_environment(r, c);
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i], next = i + 1 < c->n ? c->words[i + 1] : STR("");

		/* -e, -euo pipefail, -o errexit: from here on what fails is the end. */
		if (w.n > 1 && strchr("-+", w.p[0]) && !str_starts(w, STR("--")) &&
		    (str_chr(w, 'e', 0) > 0 || (str_ends(w, STR("o")) && str_eqz(next, "errexit"))))
			r->stops = w.p[0] == '-' && !r->caught;
		if (str_eqz(w, "+o") && str_eqz(next, "history"))
			call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
		if (str_eqz(w, "-o") || str_eqz(w, "+o")) {
			i++;
			continue;
		}
		if (str_eqz(w, "--") || (w.n && !strchr("-+", w.p[0]))) {
			i += str_eqz(w, "--");
			r->args = text_join(r, c->words + min_size(i, c->n),
					    c->n - min_size(i, c->n), MARK_FIELD);
			return true;
		}
	}
	return true;
}

static bool run_shift(struct run *r, const struct call *c)
{
	struct str part;

	(void)c;
	if (r->args.n)
		(void)str_split(&r->args, MARK_FIELD, &part);
	if (!r->args.p)
		r->args = STR("");
	return true;
}

static bool run_eval(struct run *r, const struct call *c)
{
	size_t from = c->n > 1 && str_eqz(c->words[1], "--") ? 2 : 1;
	struct str text = text_join(r, c->words + from, c->n - from, ' ');
	struct run inner = *r;

	if (!str_trim(text).n)
		return true;
	if (value_known(text)) { /* what it sets lasts */
		run_text(r, text);
		return true;
	}
	call_shell(&inner, c, text);
	return true;
}

static bool run_source(struct run *r, const struct call *c)
{
	struct str text;
	struct run inner = *r;

	if (c->n < 2)
		return true;
	if (is_input_path(c->words[1])) {
		if (r->has_in)
			call_input(r, c, CODE_SHELL);
		return true;
	}
	if (effects_places(r->e, c->words[1], r->cwd) & PLACE_SECRET)
		r->e->state->secrets = true;
	if (!file_read(r, c->words[1], &text)) {
		/* Its variables are set; what it runs is of the user's own setup. */
		if (!value_known(c->words[1]))
			call_add(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true });
		else
			call_path(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true },
				  c->words[1]);
		return true;
	}
	inner.args = text_join(r, c->words + 2, c->n - 2, MARK_FIELD);
	call_shell(&inner, c, text);
	if (value_known(text)) { /* once more for what it sets, which costs but a moment */
		r->vars = inner.vars;
		r->functions = inner.functions;
	}
	return true;
}

static bool run_alias_set(struct run *r, const struct call *c)
{
	if (c->n > 2 && str_chr(c->words[1], '=', 0) < 0) /* alias x rm -rf: of csh and fish */
		binding_set(r, &r->aliases, c->words[1], text_join(r, c->words + 2, c->n - 2, ' '));
	for (size_t i = 1; i < c->n; i++) {
		ptrdiff_t eq = str_chr(c->words[i], '=', 1);

		if (eq > 0)
			binding_set(r, &r->aliases, str_sub(c->words[i], 0, (size_t)eq),
				    str_sub(c->words[i], (size_t)eq + 1, c->words[i].n));
	}
	return true;
}

/* Names of elements of arrays: test -v 'a[...]', wait -p 'a[...]', let 'a[...]=1' */
static bool run_tested(struct run *r, const struct call *c)
{
	bool counts = str_eqz(c->words[0], "let");

	for (size_t i = 1; i < c->n; i++)
		if (counts)
			run_arithmetic(r, c->words[i]);
		else if (str_eqz(c->words[i - 1], "-v") || str_eqz(c->words[i - 1], "-p"))
			run_subscripts(r, c->words[i]);
	return true;
}

/* complete -C COMMAND, compgen -F FUNCTION, bind -x '"KEY": COMMAND' */
static bool run_completion(struct run *r, const struct call *c)
{
	for (size_t i = 1; i + 1 < c->n; i++) {
		struct str next = c->words[i + 1];
		ptrdiff_t colon = str_chr(next, ':', 0);

		if (str_eqz(c->words[i], "-C"))
			call_shell(r, c, next);
		else if (str_eqz(c->words[i], "-F"))
			run_call(r, &next, 1);
		else if (str_eqz(c->words[i], "-W"))
			run_prompt(r, next);
		else if (str_eqz(c->words[i], "-x") && colon > 0)
			call_shell(r, c, str_sub(next, (size_t)colon + 1, next.n));
	}
	return true;
}

/* enable -f FILE NAME: code that this shell loads. */
static bool run_enable(struct run *r, const struct call *c)
{
	for (size_t i = 1; i + 1 < c->n; i++)
		if (str_eqz(c->words[i], "-f"))
			call_path(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN },
				  c->words[i + 1]);
	return true;
}

/* fc -s: the last line once more; fc -e EDITOR: in it, and then as it is left. */
static bool run_fc(struct run *r, const struct call *c)
{
	const struct binding *b = binding_find(r->vars, STR("!"));
	struct args a;

	args_read(r, &a, c, "-e");
	if (args_option(&a, "-l"))
		return true;
	if (args_option(&a, "-e"))
		call_shell(r, c, args_option(&a, "-e")->value);
	call_shell(r, c, b ? b->value : ANY);
	return true;
}

/* hash -p /bin/rm x: x is that program. */
static bool run_hash(struct run *r, const struct call *c)
{
	if (c->n > 3 && str_eqz(c->words[1], "-p"))
		binding_set(r, &r->aliases, c->words[3], c->words[2]);
	return true;
}

static bool run_type(struct run *r, const struct call *c)
{
	run_emit(r, c->words[c->n - 1]);
	return true;
}

static bool run_trap(struct run *r, const struct call *c)
{
	size_t i = c->n > 1 && str_eqz(c->words[1], "--") ? 2 : 1;

	if (i + 1 < c->n && !str_eqz(c->words[i], "-"))
		trap_set(r, c->words[i]);
	return true;
}

static bool run_nothing(struct run *r, const struct call *c)
{
	(void)r;
	(void)c;
	return true;
}

/* Signal 0 only asks whether a process is there. */
static bool asks_if_there(const struct call *c)
{
	bool pkill = str_eqz(c->words[0], "pkill"); /* to which -s is a session */

	for (size_t i = 1; i < c->n; i++) {
		if (str_eqz(c->words[i], "-0") || str_eqz(c->words[i], "--signal=0"))
			return true;
		if (i + 1 < c->n && str_eqz(c->words[i + 1], "0") &&
		    (str_eqz(c->words[i], "--signal") || (!pkill && str_eqz(c->words[i], "-s")) ||
		     (str_eqz(c->words[0], "kill") && str_eqz(c->words[i], "-n"))))
			return true;
	}
	return false;
}

static bool run_pkill(struct run *r, const struct call *c)
{
	struct args a;
	bool user, forced, pgrep = str_eqz(c->words[0], "pgrep") || str_eqz(c->words[0], "pidof");

	args_read(r, &a, c,
		  "-u -U -t -g -G -P -s -F -y -o_ --signal --euid --uid --terminal --parent "
		  "--pgroup --group --session --user --older-than --younger-than");
	for (size_t i = 1; i < c->n; i++) /* -KILL is a signal */
		if (sh_is_among(c->words[i], (const char *const[]){ "-l", "-L", "--list", NULL }))
			return true;
	if (asks_if_there(c))
		return true;
	user = args_option(&a, "-u|-U|--euid|--uid|--user|-t|--terminal|-g|-v|--inverse") ||
	       (str_eqz(c->words[0], "pkill") && args_option(&a, "-s|--session"));
	forced = args_option(&a, "-9|-K") != NULL;
	for (size_t i = 0; i < a.noperands || (i == 0 && user); i++) {
		struct str name = i < a.noperands ? a.operands[i] : STR("");

		if (pgrep) {
			run_emit(r, user || effects_is_broad_process(name) ? STR("-1 ") : ANY);
			continue;
		}
		if (effects_is_watch(name))
			call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_KILL,
					  .target = value_shown(r->a, name),
					  .forced = forced,
					  .recursive = (user && !name.n) ||
						       effects_is_broad_process(name),
					  .maybe = !value_known(name) });
	}
	return true;
}

/* What /proc/[0-9]* and seq 65535 give. */
static bool is_any_number(struct str pid)
{
	bool star = false;

	for (size_t i = 0; i < pid.n; i++) {
		star |= pid.p[i] == MARK_STAR;
		if (pid.p[i] != MARK_STAR && pid.p[i] != MARK_ONE && !char_is_digit(pid.p[i]))
			return false;
	}
	return star;
}

static bool run_kill(struct run *r, const struct call *c)
{
	if (asks_if_there(c))
		return true;
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];

		if (str_eqz(w, "-l") || str_eqz(w, "-L"))
			return true;
		if (str_eqz(w, "-s") || str_eqz(w, "-n") || str_eqz(w, "--signal")) {
			i++;
			continue;
		}
		/* -1 is a signal where it comes first, and everything where it comes last. */
		if (w.n && w.p[0] == '-' && (i == 1 || !char_is_digit(w.p[w.n > 1])))
			if (!(i == 1 && c->n == 2))
				continue;
		if (is_any_number(w))
			w = STR("-1");
		if (r->trapped && str_eqz(w, "0"))
			continue;
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_KILL,
					  .target = value_shown(r->a, w),
					  .forced = str_eqz(c->words[1], "-9") ||
						    str_eqz(c->words[1], "-KILL") ||
						    str_eqz(c->words[1], "-SIGKILL"),
					  /* all that one may end; what holds all others */
					  .recursive = word_in_text(w, "-1 1 0"),
					  .maybe = !value_known(w) });
	}
	return true;
}

static bool run_history(struct run *r, const struct call *c)
{
	if (c->n > 2 && str_eqz(c->words[1], "-s"))
		binding_set(r, &r->vars, STR("!"), text_join(r, c->words + 2, c->n - 2, ' '));
	for (size_t i = 1; i < c->n && !str_eqz(c->words[i], "-s"); i++)
		if (sh_option_fits(c->words[i], "-c") || sh_option_fits(c->words[i], "-d"))
			call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
	run_emit(r, STR("\7\22\10")); /* keys in it, and commands that cannot be told */
	return true;
}

const struct special special_shell[] = {
	{ "cd pushd popd chdir", run_cd },
	{ "export declare local typeset readonly", run_declare },
	{ "unset", run_unset },
	{ "set", run_set },
	{ "shift", run_shift },
	{ "eval", run_eval },
	{ "source .", run_source },
	{ "alias", run_alias_set },
	{ "trap", run_trap },
	{ "hash", run_hash },
	{ "type", run_type },
	{ "kill", run_kill },
	{ "pkill killall pgrep pidof", run_pkill },
	{ "history", run_history },
	{ "[ test wait let", run_tested },
	{ "complete compgen bind", run_completion },
	{ "enable", run_enable },
	{ "fc", run_fc },
	{ "true false : [[ return exit break continue shopt ulimit umask getopts compopt jobs fg bg disown logout times caller unalias "
	  "sleep info whatis apropos help whereis tldr",
	  run_nothing },
	{ NULL, NULL },
};
