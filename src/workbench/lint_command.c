/* What is wrong with a hook's command: programs and scripts that are missing, or cannot run. */
#include "base/path.h"
#include "base/words.h"
#include "hooks/answers.h"
#include "hooks/command.h"
#include "os/fs.h"
#include "os/proc.h"
#include "shell/calls.h"
#include "workbench/lint.h"

enum { SCRIPT_MAX_BYTES = 1 << 20, SHELL_TIMEOUT_MS = 30000 };

/* The hook that is being looked at. */
struct target {
	struct lint *l;
	const struct tl_hooks *hooks;
	const struct hook *hook;
	struct place at;
	struct vars vars;
	struct sh_calls calls;
	bool moved; /* a cd came before: relative names mean something else */
	bool sets_path;
};

static enum sh_known variable(void *data, struct str name, struct str *ret)
{
	const struct target *t = data;
	const char *value = vars_get(&t->vars, t->hook, name);

	if (!value && str_eqz(name, "HOME"))
		value = tl_hooks_home(t->hooks);
	*ret = str_from(value);
	return value ? SH_KNOWN : SH_UNKNOWN;
}

/* ---- variables ---- */

/* One that nothing sets, though it looks like one that hooks get. */
static void check_variable(const struct target *t, struct str name)
{
	struct arena *a = t->calls.arena;
	const char *names[64], *known, *near;
	bool here, elsewhere = false;
	size_t n = 0;

	if (vars_get(&t->vars, t->hook, name) || getenv(arena_z(a, name)))
		return;
	for (size_t i = 0; (known = env_name_at(a, &t->vars, t->hook->dialect, i, &here)); i++) {
		if (here && str_eqz(name, known))
			return;
		elsewhere |= str_eqz(name, known);
		if (here && n < ARRAY_LEN(names))
			names[n++] = known;
	}
	near = name.n >= 6 ? str_nearest(name, names, n) : NULL;
	/* Many write $CLAUDE_TOOL_NAME, which was never there. */
	if (!near && !elsewhere && t->hook->dialect->claude_keys &&
	    (str_starts(name, STR("CLAUDE_TOOL_")) || str_starts(name, STR("CLAUDE_FILE_"))))
		lint_add(t->l, t->hook->guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
			 "unset-variable", &t->at,
			 "nothing sets $%.*s: the hook reads tool and arguments from its stdin",
			 STR_ARG(name));
	if (near || elsewhere)
		lint_add(t->l, t->hook->guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
			 "unset-variable", &t->at, "nothing sets $%.*s%s", STR_ARG(name),
			 near ? meant_as("$", near).text : " for this hook");
}

/* Who writes ${X:-...} knows that it may not be set. */
static void see_variable(void *data, const struct sh_script *s, const struct sh_piece *p,
			 unsigned nested)
{
	const struct target *t = data;
	bool assigned = t->calls.variables.lost;

	(void)s;
	(void)nested;
	if (p->kind != SH_VARIABLE || p->op.n || !sh_is_name(p->text))
		return;
	for (size_t i = 0; i < t->calls.variables.n; i++)
		assigned |= str_eq(t->calls.variables.p[i].name, p->text);
	if (!assigned)
		check_variable(t, p->text);
}

/* Of a program without a shell only ${NAME} means something. */
static void check_placeholders(const struct target *t, struct str word)
{
	for (ptrdiff_t at = 0, end; (at = str_find(word, STR("${"), (size_t)at)) >= 0; at = end) {
		struct str name = str_sub(word, (size_t)at + 2, word.n);

		end = str_chr(name, '}', 0);
		if (end < 0)
			return;
		name = str_sub(name, 0, (size_t)end);
		if (sh_is_name(name))
			check_variable(t, name);
		end += at + 2;
	}
}

/* ---- what a script says ---- */

static bool is_shell(const struct sh_program *p)
{
	return p && (p->starts == SH_STARTS_SHELL || p->starts == SH_STARTS_SOURCE);
}

static bool leaves_stdout(const struct sh_node *n)
{
	for (size_t i = 0; i < n->nredirects; i++) {
		const struct sh_redirect *r = &n->redirects[i];

		if (str_eqz(r->op, "&>") || str_eqz(r->op, "&>>") ||
		    (str_starts(r->op, STR(">")) && (!r->fd.n || str_eqz(r->fd, "1"))))
			return true;
	}
	return n->op == SH_PIPE;
}

static bool is_command(const struct sh_node *n, const char *name)
{
	return n->kind == SH_SIMPLE && n->nwords && n->words[0].n == 1 &&
	       str_eqz(n->words[0].p[0].text, name);
}

/* The first echo or printf of text that cannot be JSON, and is not the reason of an exit with 2. */
static const struct sh_node *find_plain_echo(struct arena *a, const struct sh_node *list)
{
	for (const struct sh_node *n = list; n; n = n->next)
		if (is_command(n, "exit") && n->nwords > 1 &&
		    !(n->words[1].n == 1 && str_eqz(n->words[1].p[0].text, "0")))
			return NULL;
	for (const struct sh_node *n = list; n; n = n->next) {
		const struct sh_node *found = NULL;
		bool plain = is_command(n, "echo") || is_command(n, "printf");

		if (leaves_stdout(n) && is_command(n, "exec"))
			return NULL; /* what follows is printed elsewhere */
		if (leaves_stdout(n) || n->kind == SH_FUNCTION)
			continue;
		for (size_t i = 0; plain && i < n->nwords; i++) {
			struct str text;

			plain = sh_value(a, &n->words[i], NULL, &text) && str_chr(text, '{', 0) < 0;
		}
		for (size_t i = 0; i < n->nbodies && !found; i++)
			found = find_plain_echo(a, n->bodies[i]);
		if (plain || found)
			return plain ? n : found;
	}
	return NULL;
}

/* Of a guard's command (path NULL), or of the script that it starts. */
static void check_guard_text(const struct target *t, const char *path, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct sh_node *echo;
	struct sh_script s;

	if (!t->hook->guard || str_find(text, STR("TROTLINE_RESULT_FD"), 0) >= 0 ||
	    !sh_read(&s, &a, text) || !(echo = find_plain_echo(&a, s.first)))
		return;
	if (!path)
		lint_add(t->l, TL_SEVERITY_WARNING, "guard-prints-text", &t->at,
			 "the guard prints text: it must print one JSON object or nothing, else "
			 "it denies");
	else
		lint_add(t->l, TL_SEVERITY_WARNING, "guard-prints-text", &t->at,
			 "%s:%u prints text: a guard must print one JSON object or nothing, "
			 "else it denies",
			 path, json_locate(text, echo->at).line);
}

/* The line that mentions the terminal outside of a comment, or 0. */
static unsigned mentions_tty(struct str text)
{
	unsigned number = 0;
	struct str line;

	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		number++;
		line = str_trim(line);
		if (!str_starts(line, STR("#")) && !str_starts(line, STR("//")) &&
		    str_find(line, STR("/dev/tty"), 0) >= 0)
			return number;
	}
	return 0;
}

/*
 * "#!/usr/bin/env python3": what runs the script.  Complains of a program that is missing, unless
 * the script is an argument anyway.
 */
static const struct sh_program *check_hash_bang(const struct target *t, struct arena *a,
						const char *path, struct str line, bool started)
{
	AUTO(free) char *found = NULL;
	struct str rest = str_trim(str_sub(line, 2, line.n)), word, next = { 0 };

	(void)str_split(&rest, ' ', &word);
	const char *program = arena_z(a, str_trim(word));
	if (started && *program && !fs_is_program(program)) {
		lint_add(t->l, TL_SEVERITY_ERROR, "no-interpreter", &t->at,
			 "%s begins with #!%s, but that program does not exist", path, program);
		return NULL;
	}
	if (strcmp(path_name(program), "env") != 0)
		return sh_program_find(str_from(program));
	while (str_split(&rest, ' ', &next) && (next.n == 0 || next.p[0] == '-'))
		;
	const char *name = arena_z(a, next);
	if (started && next.n && !strchr(name, '=') &&
	    !fs_find_program(name, getenv("PATH"), &found))
		lint_add(t->l, TL_SEVERITY_ERROR, "no-interpreter", &t->at,
			 "%s begins with #!%s %s, but %s is not on PATH", path, program, name,
			 name);
	return sh_program_find(next);
}

/* `path` is the file's for messages; `by` is NULL when the script is started directly. */
static void check_script_text(const struct target *t, const char *file, const char *path,
			      const struct sh_program *by)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf bytes = { 0 };
	struct str text, first, rest;
	const struct sh_program *reads = by;
	unsigned line;

	if (fs_read(file, SCRIPT_MAX_BYTES, &bytes, NULL) < 0)
		return;
	text = rest = buf_str(&bytes);
	if (memchr(text.p, '\0', min_size(text.n, 512)))
		return;
	if (!str_split(&rest, '\n', &first))
		first = STR("");
	bool crlf = str_ends(first, STR("\r")), marked = str_starts(first, STR("#!"));

	first = str_trim(first);
	crlf = crlf && (by ? is_shell(by) : marked);
	if (crlf)
		lint_add(t->l, TL_SEVERITY_ERROR, "crlf", &t->at,
			 "%s has CRLF line ends, which %s takes as part of the line; remove them "
			 "with: sed -i 's/\\r$//' %s",
			 path, by ? "the shell" : "the system", path);
	else if (!by && !marked)
		lint_add(t->l, TL_SEVERITY_WARNING, "no-hash-bang", &t->at,
			 "%s does not say what runs it; begin it with a line such as #!/bin/sh",
			 path);
	if (!by && marked)
		reads = check_hash_bang(t, &a, path, first, !crlf);
	line = mentions_tty(text);
	if (line)
		lint_add(t->l, TL_SEVERITY_WARNING, "uses-tty", &t->at,
			 "%s:%u uses /dev/tty: the hook has no terminal", path, line);
	if (is_shell(reads))
		check_guard_text(t, path, text);
	lint_script(t->l, t->hook, &t->at, path, text);
}

/* ---- programs and scripts ---- */

struct wanted {
	struct target *t;
	struct str word;
	bool found;
};

/* [[ -x ./f ]], or a function of that name. */
static void see_node(void *data, const struct sh_script *s, const struct sh_node *n)
{
	struct wanted *w = data;
	const struct sh_values values = { variable, NULL, w->t, false };
	struct str text;

	(void)s;
	w->found |= n->kind == SH_FUNCTION && str_eq(n->name, w->word);
	for (size_t i = 0; n->kind == SH_TEST && i < n->nwords; i++)
		w->found |= sh_value(w->t->calls.arena, &n->words[i], &values, &text) &&
			    str_eq(text, w->word);
}

/*
 * Is it a function, or does the text itself ask whether it is there before it starts it:
 * [ -x ./f ] && ./f, command -v jq || exit 0?
 */
static bool is_expected(struct target *t, struct str word)
{
	static const char *const asking[] = { "[", "command", "hash", "test", "type", "which" };
	struct wanted w = { .t = t, .word = word };

	if (t->calls.script.first)
		sh_visit(&t->calls.script, &(struct sh_visitor){ .node = see_node, .data = &w });
	for (size_t i = 0; !w.found && i < t->calls.n; i++) {
		const struct sh_call *c = &t->calls.p[i];

		for (size_t k = 1; k < c->n && WORD_IN(c->words[0].text, asking); k++)
			w.found |= str_eq(c->words[k].text, word);
	}
	return w.found;
}

static void check_file(struct target *t, struct str word, const struct sh_program *by)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *name = arena_z(&a, word), *wrong = NULL;

	if ((name[0] != '/' && t->moved) || is_expected(t, word))
		return;
	AUTO(free) char *in_project = fs_absolute(tl_hooks_project_dir(t->hooks), name);
	AUTO(free) char *here = fs_absolute(t->l->cwd, name);
	const char *path = fs_exists(here) && !fs_exists(in_project) ? here : in_project;
	const char *shown = short_path(t->hooks, path, &a);
	bool module = by && by->starts == SH_STARTS_CODE; /* node ./x is ./x.js, or what is in it */

	if (!fs_exists(path))
		wrong = module && !strchr(path_name(path), '.') ? "" : ", which does not exist";
	else if (fs_is_dir(path))
		wrong = module ? "" : ", which is a directory";
	if (wrong && *wrong)
		lint_add(t->l, TL_SEVERITY_ERROR, "missing-script", &t->at, "the hook starts %s%s",
			 shown, wrong);
	if (wrong)
		return;
	if (!by && !fs_is_program(path))
		lint_add(t->l, TL_SEVERITY_ERROR, "not-executable", &t->at,
			 "the hook starts %s, which is not executable; chmod +x it", shown);
	check_script_text(t, path, shown, by);
}

/* Is it looked for on the PATH that we know? */
static bool uses_our_path(const struct target *t, const struct sh_call *c)
{
	static const char *const others[] = { "busybox", "chroot", "doas",
					      "pkexec",  "sudo",   "toybox" };

	for (size_t i = 0; c->node && i < c->node->nassigns; i++)
		if (str_eqz(c->node->assigns[i].name, "PATH"))
			return false;
	for (const struct sh_call *by = c->by; by; by = by->by)
		for (size_t i = 0; i < by->n; i++)
			if (str_starts(by->words[i].text, STR("PATH=")) ||
			    (i == 0 && WORD_IN(sh_file_name(by->words[0].text), others)))
				return false;
	return !t->sets_path;
}

/* Programs that end with another status than what they start: with 2 a hook denies. */
static void check_status(const struct target *t, const struct sh_call *c)
{
	static const struct {
		const char *program, *word; /* NULL = any */
		const char *what;
	} rows[] = {
		{ "go", "run",
		  "\"go run\" ends with 1 when its program ends with 2, which then does not deny; "
		  "start what \"go build\" makes, or answer in JSON" },
		{ "make", NULL, "make ends with 2 when anything in it fails, which denies" },
		{ "gmake", NULL, "make ends with 2 when anything in it fails, which denies" },
	};

	/* x || y has a status of its own. */
	for (size_t i = 0; i < ARRAY_LEN(rows) && !c->optional; i++)
		if (str_eqz(sh_file_name(c->words[0].text), rows[i].program) &&
		    (!rows[i].word || sh_call_is(c, 1, rows[i].word)) &&
		    answer_honours(t->hook) & PART_DECISION)
			lint_add(t->l, t->hook->guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
				 "exit-status", &t->at, "%s", rows[i].what);
}

static void check_call(struct target *t, const struct sh_call *c)
{
	struct str name = c->n ? c->words[0].text : STR("");
	AUTO(free) char *found = NULL;

	if (sh_call_is(c, 0, "cd") || sh_call_is(c, 0, "pushd"))
		t->moved = true;
	/* What is in another text may be for another machine, or never run. */
	if (!name.n || c->unknown || c->words[0].opaque || c->depth || name.p[0] == '-')
		return;
	for (const struct sh_call *by = c->by; by; by = by->by) {
		const struct sh_program *p = sh_program_find(by->words[0].text);

		if (!p || p->elsewhere)
			return;
	}
	const char *z = arena_z(t->calls.arena, name);
	if (strchr(z, '/'))
		check_file(t, name, NULL);
	else if (uses_our_path(t, c) && !(!t->hook->args && sh_is_builtin(name)) &&
		 !fs_find_program(z, getenv("PATH"), &found) && !is_expected(t, name))
		lint_add(t->l, c->optional ? TL_SEVERITY_WARNING : TL_SEVERITY_ERROR,
			 "program-not-found", &t->at,
			 "the hook starts \"%s\", which is not on PATH", z);

	check_status(t, c);
	const struct sh_program *p = sh_program_find(name);
	bool code = false;
	size_t i = p ? sh_call_script(c, p, &code) : 0;
	if (i && i != SIZE_MAX &&
	    !(p->starts == SH_STARTS_SOURCE &&
	      !memchr(c->words[i].text.p, '/', c->words[i].text.n)))
		check_file(t, c->words[i].text, p);
}

/* ---- the command ---- */

/*
 * (waits) A command that the shell cannot read never runs, and ends with 2, which denies.  Where
 * the reader gives up, the shell itself is asked: -n runs nothing, and what the environment says
 * to shells is kept away from it.
 */
static void check_syntax(const struct target *t)
{
	const char *const argv[] = { path_name(t->hooks->shell), "-n", "-c", "--",
				     t->hook->command,           NULL };
	static const char *const env[] = { "LC_ALL=C", NULL };
	AUTO(proc_done) struct proc p;
	struct err err;

	(void)proc_run(&p,
		       &(struct proc_spec){ .file = t->hooks->shell,
					    .argv = argv,
					    .envp = env,
					    .timeout_ms = SHELL_TIMEOUT_MS },
		       NULL, &err);
	if (p.result.end == PROC_EXITED && p.result.code != 0)
		lint_add(t->l, TL_SEVERITY_ERROR, "shell-syntax", &t->at,
			 "the shell cannot read the command: %s", t->calls.script.error);
}

void lint_command(struct lint *l, const struct tl_hooks *hooks, size_t index, const char *command)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct hook hook = *hooks->hooks[index];
	struct target t = { .l = l, .hooks = hooks, .hook = &hook, .at = hook.at };
	const struct sh_values values = { variable, NULL, &t, false };
	bool tty = str_find(str_from(command), STR("/dev/tty"), 0) >= 0;
	size_t n = 0;

	struct env_pair roots[] = { { "CLAUDE_PLUGIN_ROOT", l->plugin ? l->plugin->dir : "" } };

	hook.command = command;
	if (l->plugin && !hook.extension) {
		hook.extension = l->plugin;
		hook.env = roots;
		hook.nenv = 1;
	}
	t.calls = (struct sh_calls){ .arena = &a, .values = &values, .track = true };
	vars_fill(&t.vars, &a, hooks, hook.dialect, l->cwd, "");
	if (hook.args) {
		while (hook.args[n])
			n++;
		struct sh_arg *words = ARENA_ARRAY(&a, struct sh_arg, n + 1);
		for (size_t i = 0; i <= n; i++) {
			const char *word = i ? hook.args[i - 1] : command;

			check_placeholders(&t, str_from(word));
			words[i].text = command_argument(&a, &t.vars, &hook, word);
			words[i].opaque = str_chr(words[i].text, '$', 0) >= 0;
			tty |= strstr(word, "/dev/tty") != NULL;
		}
		sh_calls_program(&t.calls, words, n + 1);
	} else {
		sh_calls_read(&t.calls, command_for_shell(&a, str_from(command), &t.vars, &hook));
		if (t.calls.script.error)
			check_syntax(&t);
		check_guard_text(&t, NULL, str_from(command));
	}
	if ((hook.guard || hook.on_failure > FAIL_WARN) && command_detaches(&hook))
		lint_add(l, TL_SEVERITY_ERROR, "guard-detaches", &t.at,
			 "the command leaves the guard in the background and ends before it has "
			 "decided, so every call is denied");
	for (size_t i = 0; i < t.calls.variables.n; i++)
		t.sets_path |= str_eqz(t.calls.variables.p[i].name, "PATH");
	if (t.calls.script.first)
		sh_visit(&t.calls.script,
			 &(struct sh_visitor){ .piece = see_variable, .data = &t });
	for (size_t i = 0; i < t.calls.n; i++)
		check_call(&t, &t.calls.p[i]);
	lint_script(l, &hook, &t.at, NULL, str_from(command));
	if (tty)
		lint_add(l, TL_SEVERITY_WARNING, "uses-tty", &t.at,
			 "the hook uses /dev/tty: it has no terminal");
	sh_calls_done(&t.calls);
}
