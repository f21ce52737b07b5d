#include "shell/detach.h"

#include "base/words.h"
#include "shell/calls.h"

enum { NESTED_MAX = 8 };

/* Programs that start another one and end before it. */
static const struct detacher {
	const char *name;
	const char *options[6]; /* none = always */
	bool waits; /* the options are those with which it does not */
} detachers[] = {
	{ "at", { NULL } },
	{ "batch", { NULL } },
	{ "daemon", { "-f", "--foreground" }, true },
	{ "daemonize", { NULL } },
	{ "screen", { "-d", "-dm" } },
	{ "setsid", { "-w", "--wait" }, true },
	{ "ssh", { "-f" } },
	{ "start-stop-daemon", { "-b", "--background" } },
	{ "systemd-run", { "--wait", "--scope", "-P", "--pipe", "-t", "--pty" }, true },
};

/* They decide nothing, and read or prepare what others do. */
static const char *const data_programs[] = { "cat",    "cp",   "date", "false", "mkdir",
					     "mktemp", "mv",   "rm",   "sleep", "tee",
					     "touch",  "true", "sync", "chmod", NULL };
/* Builtins whose own status, or what they run, may be the answer. */
static const char *const deciding[] = { ".",  "builtin", "command", "eval", "exec", "exit",
					"fg", "return",  "source",  "wait", NULL };

struct seen {
	bool alone; /* something goes on in the background */
	bool decides; /* something in the foreground may have an opinion */
	unsigned nested;
};

static void see_text(struct seen *seen, struct str text);

static bool is_detacher(const struct sh_call *c)
{
	struct str name = c->n ? sh_file_name(c->words[0].text) : STR("");

	for (size_t i = 0; i < ARRAY_LEN(detachers); i++) {
		const struct detacher *d = &detachers[i];
		bool found = false;

		if (!str_eqz(name, d->name))
			continue;
		for (size_t k = 1; k < c->n && str_starts(c->words[k].text, STR("-")); k++)
			for (size_t o = 0; o < ARRAY_LEN(d->options) && d->options[o]; o++)
				found |= sh_option_fits(c->words[k].text, d->options[o]);
		return d->options[0] ? found != d->waits : true;
	}
	return false;
}

/* The text of sh -c, or .p NULL. */
static struct str shell_text(const struct sh_call *c)
{
	const struct sh_program *p = c->n ? sh_program_find(c->words[0].text) : NULL;

	for (size_t i = 1; p && p->starts == SH_STARTS_SHELL && i + 1 < c->n; i++) {
		if (!str_starts(c->words[i].text, STR("-")))
			break;
		if (sh_option_fits(c->words[i].text, "-c") && !c->words[i + 1].opaque)
			return c->words[i + 1].text;
	}
	return (struct str){ 0 };
}

/* One program with its words, wrappers (env, nohup, timeout) included. */
static void see_program(struct seen *seen, struct arena *a, const struct sh_arg *words, size_t n)
{
	AUTO(sh_calls_done) struct sh_calls calls = { .arena = a };
	struct str text = { 0 };

	sh_calls_program(&calls, words, n);
	for (size_t i = 0; i < calls.n; i++) {
		if (is_detacher(&calls.p[i])) {
			seen->alone = true;
			return;
		}
		if (!text.p)
			text = shell_text(&calls.p[i]);
	}
	if (text.p)
		see_text(seen, text);
	else
		seen->decides = true;
}

static bool is_redirected(const struct sh_node *n)
{
	for (size_t i = 0; i < n->nredirects; i++)
		if (str_starts(n->redirects[i].op, STR(">")) ||
		    str_starts(n->redirects[i].op, STR("&>")))
			return true;
	return false;
}

static void see_simple(struct seen *seen, const struct sh_node *n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct sh_arg *words = ARENA_ARRAY(&a, struct sh_arg, n->nwords + 1);
	size_t from = 0;

	for (size_t i = 0; i < n->nwords; i++)
		words[i].opaque = !sh_value(&a, &n->words[i], NULL, &words[i].text);
	while (from < n->nwords &&
	       (str_eqz(words[from].text, "exec") || str_eqz(words[from].text, "command")))
		from++;
	if (from >= n->nwords)
		return;

	struct str name = words[from].text;
	bool zero = from + 1 == n->nwords || str_eqz(words[from + 1].text, "0");

	if (str_eqz(name, "exit") && zero)
		return;
	if (str_eqz(name, "echo") || str_eqz(name, "printf"))
		seen->decides |= n->op != SH_PIPE && !is_redirected(n);
	else if (sh_is_among(name, deciding))
		seen->decides = true;
	else if (!sh_is_builtin(name) && !sh_is_among(sh_file_name(name), data_programs))
		see_program(seen, &a, words + from, n->nwords - from);
}

static void see_list(struct seen *seen, const struct sh_node *list)
{
	for (const struct sh_node *n = list; n; n = n->next) {
		const struct sh_node *last = n; /* of the list of && and || that it is in */

		while (last->op == SH_AND || last->op == SH_OR || last->op == SH_PIPE)
			last = last->next;
		if (n->kind == SH_COPROC || last->op == SH_BACKGROUND)
			seen->alone = true;
		else if (n->kind == SH_SIMPLE)
			see_simple(seen, n);
		else if (n->kind != SH_FUNCTION)
			for (size_t i = 0; i < n->nbodies; i++)
				see_list(seen, n->bodies[i]);
	}
}

static void see_text(struct seen *seen, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct sh_script s;

	if (++seen->nested > NESTED_MAX || !sh_read(&s, &a, text))
		seen->decides = true; /* bash complains, and its status says so */
	else
		see_list(seen, s.first);
	seen->nested--;
}

bool sh_detaches(struct str text)
{
	struct seen seen = { 0 };
	bool may = str_chr(text, '&', 0) >= 0 || str_find(text, STR("coproc"), 0) >= 0;

	/* Most commands have none of it, and need not be read. */
	for (size_t i = 0; i < ARRAY_LEN(detachers) && !may; i++)
		may = str_find(text, str_from(detachers[i].name), 0) >= 0;
	if (!may)
		return false;
	see_text(&seen, text);
	return seen.alone && !seen.decides;
}
