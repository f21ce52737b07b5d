/* Options that start something, of programs which do something else. */
#include "base/words.h"

#include "effects/run.h"

/* Options whose value is a command, or holds one behind a word. */
static const struct {
	const char *names, *options, *before;
} runs_options[] = {
	{ "ssh autossh sftp scp", "-o", "ProxyCommand" },
	{ "ssh autossh sftp scp", "-o", "LocalCommand" },
	{ "ssh autossh sftp scp", "-o", "KnownHostsCommand" },
	{ "sftp", "-S|-D", "" },
	{ "sort gsort", "--compress-program", "" },
	{ "ag bat batcat delta", "--pager", "" },
	{ "npm pnpm", "--script-shell", "" },
	{ "tcpdump", "-z", "" },
	{ "fzf sk", "--preview", "" },
	{ "fzf sk", "--bind", "(" },
	{ "man", "-P|-H|--pager|--html", "" },
	{ "zip", "-TT|--unzip-command", "" },
	{ "split", "--filter", "" },
};

static void run_option(struct run *r, const struct call *c, size_t i, struct str option,
		       const char *before)
{
	struct str w = c->words[i], value = { 0 };

	if (str_eq(w, option) && i + 1 < c->n)
		value = c->words[i + 1];
	else if (str_starts(w, option) && w.n > option.n)
		value = str_sub(w, option.n + (w.p[option.n] == '='), w.n);
	if (str_eqz(str_from(before), "(")) { /* ctrl-x:execute(rm {}) */
		ptrdiff_t open = str_chr(value, '(', 0);

		if (open > 0 && str_find(str_sub(value, 0, (size_t)open), STR("preview"), 0) < 0)
			run_inner(r, str_sub(value, (size_t)open + 1,
					     value.n - (value.p[value.n - 1] == ')')));
		return;
	}
	if (!value.n || !str_starts(value, str_from(before)))
		return;
	value = str_sub(value, strlen(before), value.n);
	while (*before && value.n && strchr("= \t", value.p[0]))
		value = str_sub(value, 1, value.n);
	run_inner(r, value);
}

/* ssh -R, -fNR: a port here for the other side. */
static bool opens_tunnel(const struct call *c)
{
	static const char valued[] = "BbcDEeFIiJLlmOopQSWw";

	for (size_t i = 1; i < c->n && str_ends(c->words[0], STR("ssh")); i++) {
		struct str w = c->words[i];

		if (w.n < 2 || w.p[0] != '-')
			continue;
		for (size_t k = 1; k < w.n; k++) {
			if (w.p[k] == 'R')
				return true;
			if (strchr(valued, w.p[k])) {
				i += k + 1 == w.n;
				break;
			}
		}
	}
	return false;
}

void options_run(struct run *r, const struct call *c)
{
	struct str option;

	for (size_t k = 0; k < ARRAY_LEN(runs_options); k++)
		for (size_t i = 1; i < c->n && word_in_text(c->words[0], runs_options[k].names);
		     i++)
			for (struct str rest = str_from(runs_options[k].options);
			     str_split(&rest, '|', &option);)
				run_option(r, c, i, option, runs_options[k].before);
}

static bool run_options(struct run *r, const struct call *c)
{
	special_fn *next = wrapper_special(c->words[0]);

	options_run(r, c);
	if (str_eqz(c->words[0], "man"))
		return true;
	if (str_eqz(c->words[0], "sftp"))
		return run_transfer(r, c);
	if (opens_tunnel(c))
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_SEND, .target = STR("reverse tunnel") });
	return next && next(r, c);
}

const struct special special_options[] = {
	{ "ssh autossh sftp man zip split", run_options },
	{ NULL, NULL },
};
