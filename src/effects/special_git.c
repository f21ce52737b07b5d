/* git: what stands before its subcommand, and the commands that its words may hold. */
#include "shell/calls.h"

#include "effects/run.h"

/* A setting whose value is a command. */
static bool is_command_key(struct str key)
{
	static const char *const whole[] = {
		"core.pager",   "core.editor",   "core.sshcommand",        "core.fsmonitor",
		"core.askpass", "diff.external", "sequence.editor",        "credential.helper",
		"gpg.program",  "core.gitproxy", "interactive.difffilter", "core.hookspath"
	};
	static const char *const ends[] = { ".cmd",   ".command", ".textconv", ".driver",
					    ".clean", ".smudge",  ".process",  ".path" };
	struct buf lower = { 0 };
	bool found = false;

	for (size_t i = 0; i < key.n; i++)
		buf_addc(&lower,
			 key.p[i] >= 'A' && key.p[i] <= 'Z' ? (char)(key.p[i] + 32) : key.p[i]);
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		found |= str_eqz(buf_str(&lower), whole[i]);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		found |= str_ends(buf_str(&lower), str_from(ends[i]));
	buf_done(&lower);
	return found;
}

/* An alias: "!text" for a shell, or words of git. */
static void run_git_alias(struct run *r, const struct call *c, struct str value,
			  const struct str *rest, size_t nrest)
{
	struct str all[2] = { value, text_join(r, rest, nrest, ' ') };

	if (str_starts(value, STR("!")))
		all[0] = str_sub(value, 1, value.n);
	else
		all[0] = arena_printf(r->a, "git %.*s", STR_ARG(value));
	call_shell(r, c, nrest ? text_join(r, all, 2, ' ') : all[0]);
}

struct git_settings {
	struct fields key, value;
};

static void take_setting(struct run *r, struct git_settings *s, struct str setting)
{
	ptrdiff_t eq = str_chr(setting, '=', 0);

	if (eq < 0) /* alone it is "true" */
		eq = (ptrdiff_t)setting.n;
	field_add(r, &s->key, str_sub(setting, 0, (size_t)eq));
	field_add(r, &s->value, str_sub(setting, min_size((size_t)eq + 1, setting.n), setting.n));
}

/* Options of git itself; returns where the subcommand is. */
static size_t git_options(struct run *r, const struct call *c, struct git_settings *s)
{
	size_t i = 1;

	for (; i < c->n && c->words[i].n && c->words[i].p[0] == '-'; i++) {
		struct str w = c->words[i], next = i + 1 < c->n ? c->words[i + 1] : STR("");

		if (str_eqz(w, "-C")) {
			r->cwd = joined(r, next);
			i++;
		} else if (str_eqz(w, "-c")) {
			take_setting(r, s, next);
			i++;
		} else if (str_eqz(w, "--work-tree")) {
			r->cwd = joined(r, next);
			i++;
		} else if (str_starts(w, STR("--work-tree="))) {
			r->cwd = joined(r, str_sub(w, 12, w.n));
		} else if (str_eqz(w, "--git-dir") || str_eqz(w, "--namespace") ||
			   str_eqz(w, "--config-env") || str_eqz(w, "--super-prefix")) {
			i++;
		}
	}
	return min_size(i, c->n);
}

static void run_settings(struct run *r, const struct call *c, const struct git_settings *s,
			 size_t sub)
{
	for (size_t i = 0; i < s->key.n; i++) {
		struct str key = s->key.p[i];

		if (is_command_key(key) && !str_eqz(s->value.p[i], "cat")) {
			if (str_eqz(key, "core.hooksPath") || str_eqz(key, "core.hookspath"))
				call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
			else
				call_shell(r, c,
					   str_sub(s->value.p[i],
						   str_starts(s->value.p[i], STR("!")),
						   s->value.p[i].n));
		}
		if (sub < c->n && str_starts(key, STR("alias.")) &&
		    str_eq(str_sub(key, 6, key.n), c->words[sub]))
			run_git_alias(r, c, s->value.p[i], c->words + sub + 1, c->n - sub - 1);
	}
}

/* A setting that leads git to other files, addresses or checks. */
static bool is_leading_key(struct str key)
{
	return str_ends(key, STR(".insteadOf")) || str_ends(key, STR(".insteadof")) ||
	       str_ends(key, STR(".pushInsteadOf")) || str_eqz(key, "init.templateDir") ||
	       str_eqz(key, "include.path") || str_eqz(key, "http.sslVerify") ||
	       str_eqz(key, "http.proxy") || str_eqz(key, "protocol.ext.allow") ||
	       str_eqz(key, "safe.directory");
}

static void run_git_config(struct run *r, const struct call *c, const struct args *a)
{
	size_t i = 1;

	if (a->noperands > 1 && (str_eqz(a->operands[1], "set") || str_eqz(a->operands[1], "add")))
		i = 2;
	if (a->noperands < i + 2 ||
	    args_option(a, "--get|--list|-l|--unset|--get-all|--get-regexp"))
		return;
	if (str_starts(a->operands[i], STR("alias."))) {
		if (str_starts(a->operands[i + 1], STR("!"))) {
			call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
			call_shell(r, c, str_sub(a->operands[i + 1], 1, a->operands[i + 1].n));
		}
		return;
	}
	if (is_command_key(a->operands[i]) || is_leading_key(a->operands[i]))
		call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	if (str_eqz(a->operands[i], "core.hooksPath") || str_eqz(a->operands[i], "core.hookspath"))
		call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
	else if (is_command_key(a->operands[i]) && str_chr(a->operands[i + 1], ' ', 0) > 0)
		call_shell(r, c,
			   str_sub(a->operands[i + 1], str_starts(a->operands[i + 1], STR("!")),
				   a->operands[i + 1].n));
}

/* Options of subcommands whose value is a command. */
static void run_git_commands(struct run *r, const struct call *c, const struct args *a)
{
	static const char commands[] =
		"--exec|--extcmd|--tree-filter|--index-filter|--msg-filter|"
		"--parent-filter|--commit-filter|--env-filter|--tag-name-filter|"
		"--upload-pack|--receive-pack|--open-files-in-pager";
	struct str sub = a->operands[0], one;

	for (size_t i = 0; i < a->noptions; i++)
		for (struct str rest = str_from(commands); str_split(&rest, '|', &one);)
			if (str_eq(a->options[i].name, one) && a->options[i].has_value)
				call_shell(r, c, a->options[i].value);
	for (size_t i = 1; i + 1 < c->n; i++)
		if ((str_eqz(sub, "rebase") || str_eqz(sub, "difftool")) &&
		    str_eqz(c->words[i], "-x"))
			call_shell(r, c, c->words[i + 1]);
	if (str_eqz(sub, "bisect") && a->noperands > 2 && str_eqz(a->operands[1], "run"))
		call_rest(r, c, a->at[2]);
	if (str_eqz(sub, "submodule") && a->noperands > 2 && str_eqz(a->operands[1], "foreach"))
		call_shell(r, c, text_join(r, a->operands + 2, a->noperands - 2, ' '));
	if (str_eqz(sub, "clone") && a->noperands > 1) {
		struct str dir = a->noperands > 2 ? a->operands[2] : sh_file_name(a->operands[1]);

		if (a->noperands == 2 && str_ends(dir, STR(".git")))
			dir.n -= 4;
		fetched_add(r, dir);
	}
	if (str_eqz(sub, "config"))
		run_git_config(r, c, a);
	if (str_eqz(sub, "apply") || str_eqz(sub, "am"))
		git_patch(r, c, a);
	for (size_t i = 1; i < a->noperands; i++)
		if (str_starts(a->operands[i], STR("ext::")))
			call_shell(r, c, str_sub(a->operands[i], 5, a->operands[i].n));
}

static void git_output(struct run *r, const struct args *a)
{
	if (a->noperands && str_eqz(a->operands[0], "rev-parse") &&
	    args_option(a, "--show-toplevel"))
		run_emit(r, r->e->world->nroots ? r->e->world->roots[0] : ANY);
	else
		run_emit(r, ANY);
}

static bool run_git(struct run *r, const struct call *c)
{
	struct git_settings settings = { 0 };
	struct run inner = *r;
	size_t sub = git_options(&inner, c, &settings);
	struct fields words = { 0 };
	struct call plain;
	struct args a;

	run_settings(&inner, c, &settings, sub);
	if (sub >= c->n)
		return true;
	field_add(r, &words, STR("git"));
	for (size_t i = sub; i < c->n; i++)
		field_add(r, &words, c->words[i]);
	plain = (struct call){ words.p, words.n };
	args_of(r, &a, &plain, STR("git"));
	if (!a.noperands)
		return true;
	run_git_commands(&inner, &plain, &a);
	git_output(r, &a);
	inner.out = NULL;
	(void)programs_apply(&inner, &plain, STR("git"));
	return true;
}

const struct special special_git[] = {
	{ "git", run_git },
	{ NULL, NULL },
};
