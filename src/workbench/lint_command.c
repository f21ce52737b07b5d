/* What is wrong with a hook's command: programs and scripts that are not there, or cannot run. */
#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "os/proc.h"
#include "workbench/lint.h"
#include "workbench/lint_shell.h"

enum { SCRIPT_MAX_BYTES = 1 << 20, SHELL_TIMEOUT_MS = 30000 };

/* Programs that run a script, and the letters of their options that take no value. */
static const struct interpreter {
	const char *name;
	const char *flags;
	bool shell;
} interpreters[] = {
	{ "bash", "aefhnuvx", true },
	{ "dash", "aefnuvx", true },
	{ "ksh", "aefnuvx", true },
	{ "node", "", false },
	{ "nodejs", "", false },
	{ "perl", "wTt", false },
	{ "php", "", false },
	{ "python", "BEIOSbdqsuv", false },
	{ "python3", "BEIOSbdqsuv", false },
	{ "ruby", "w", false },
	{ "sh", "aefnuvx", true },
	{ "zsh", "aefnuvx", true },
};

/* The hook that is being looked at. */
struct target {
	struct lint *l;
	const struct tl_hooks *hooks;
	const struct tl_hook *h;
	struct lint_place at;
	const struct shell_look *look;
	bool direct; /* no shell: a program and its arguments */
	bool moved; /* a cd came before: relative names mean something else */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct interpreter *interpreter_find(const char *program)
{
	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		if (strcmp(base_name(program), interpreters[i].name) == 0)
			return &interpreters[i];
	return NULL;
}

bool lint_is_interpreter(const char *program)
{
	return interpreter_find(program) != NULL;
}

static const char *value_of(struct str name, const void *data)
{
	static const char *const project[] = { "GEMINI_PROJECT_DIR",  "GEMINI_CWD",
					       "CLAUDE_PROJECT_DIR",  "TROTLINE_PROJECT_DIR",
					       "TABNINE_PROJECT_DIR", "TERMINAI_PROJECT_DIR" };
	const struct target *t = data;

	if (WORD_IN(name, project))
		return tl_hooks_project_dir(t->hooks);
	return str_eqz(name, "HOME") ? getenv("HOME") : NULL;
}

/* Which file the word means (free()), or NULL when that cannot be said. */
static char *resolve(const struct target *t, const char *word)
{
	AUTO(free) char *in_project = NULL;
	AUTO(free) char *here = NULL;

	if (word[0] != '/' && t->moved)
		return NULL;
	in_project = fs_absolute(tl_hooks_project_dir(t->hooks), word);
	here = fs_absolute(t->l->cwd, word);
	return fs_exists(here) && !fs_exists(in_project) ? MOVE(here) : MOVE(in_project);
}

/* ---- programs ---- */

/* (waits) What is not on PATH may be a builtin, which the shell knows best. */
static bool shell_knows(const struct lint *l, const char *name)
{
	const char *const argv[] = { base_name(l->shell), "-c", "command -v -- \"$1\"",
				     base_name(l->shell), name, NULL };
	AUTO(proc_done) struct proc p;
	struct err err;

	(void)proc_run(&p,
		       &(struct proc_spec){
			       .file = l->shell, .argv = argv, .timeout_ms = SHELL_TIMEOUT_MS },
		       NULL, &err);
	return p.result.end != PROC_EXITED || p.result.code == 0;
}

/* Does the command itself ask whether the program is there? */
static bool is_asked_for(const struct target *t, const char *name)
{
	for (size_t i = 0; i < t->look->n; i++) {
		const struct shell_command *c = &t->look->p[i];
		const char *first = c->words[0].text;

		if (strcmp(first, "command") != 0 && strcmp(first, "type") != 0 &&
		    strcmp(first, "which") != 0 && strcmp(first, "hash") != 0)
			continue;
		for (size_t k = 1; k < c->n; k++)
			if (strcmp(c->words[k].text, name) == 0)
				return true;
	}
	return false;
}

static void check_on_path(const struct target *t, const char *name, bool optional)
{
	AUTO(free) char *found = NULL;

	if (fs_find_program(name, getenv("PATH"), &found) || is_asked_for(t, name) ||
	    (!t->direct && shell_knows(t->l, name)))
		return;
	lint_add(t->l, optional ? TL_SEVERITY_WARNING : TL_SEVERITY_ERROR, "program-not-found",
		 &t->at, "the hook starts \"%s\", which is not on PATH", name);
}

/* ---- what stands in a script ---- */

/* The first line of text on stdout that cannot be JSON, or 0. */
static unsigned plain_echo(struct str text, const struct target *t)
{
	static const struct str elsewhere[] = {
		{ "exec >", 6 }, { "exec 1>", 7 }, { "TROTLINE_RESULT_FD", 18 }, { "<<", 2 }
	};
	unsigned number = 0;
	struct str line;

	for (size_t i = 0; i < ARRAY_LEN(elsewhere); i++)
		if (str_find(text, elsewhere[i], 0) >= 0)
			return 0;
	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		AUTO(arena_done) struct arena a = { 0 };
		struct shell_look look = { .arena = &a };
		bool plain = false;

		number++;
		line = str_trim(line);
		if (!str_starts(line, STR("echo ")) && !str_starts(line, STR("printf ")))
			continue;
		shell_look(&look, line, value_of, t);
		if (!look.lost && look.n && !look.p[0].piped && !look.p[0].redirected) {
			plain = true;
			for (size_t k = 0; k < look.p[0].n; k++)
				plain &= !look.p[0].words[k].opaque &&
					 !strchr(look.p[0].words[k].text, '{');
		}
		free(look.p);
		if (plain)
			return number;
	}
	return 0;
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

/* "#!/usr/bin/env python3" */
static void check_hash_bang(const struct target *t, const char *path, struct str line)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *found = NULL;
	struct str rest = str_trim(str_sub(line, 2, line.n)), word, next = { 0 };

	(void)str_split(&rest, ' ', &word);
	const char *program = arena_z(&a, str_trim(word));
	if (!*program)
		return;
	if (!fs_is_program(program)) {
		lint_add(t->l, TL_SEVERITY_ERROR, "no-interpreter", &t->at,
			 "%s begins with #!%s, and there is no such program", path, program);
		return;
	}
	if (strcmp(base_name(program), "env") != 0)
		return;
	while (str_split(&rest, ' ', &next) && (next.n == 0 || next.p[0] == '-'))
		;
	const char *name = arena_z(&a, next);
	if (next.n && !strchr(name, '=') && !fs_find_program(name, getenv("PATH"), &found))
		lint_add(t->l, TL_SEVERITY_ERROR, "no-interpreter", &t->at,
			 "%s begins with #!%s %s, and %s is not on PATH", path, program, name,
			 name);
}

static bool is_shell_script(struct str first)
{
	size_t from = first.n;

	while (from > 0 && first.p[from - 1] != '/' && first.p[from - 1] != ' ')
		from--;
	AUTO(free) char *name = xstrndup(first.p + from, first.n - from);
	const struct interpreter *in = interpreter_find(name);
	return in && in->shell;
}

static void check_guard_text(const struct target *t, const char *path, struct str text)
{
	unsigned line = t->h->guard ? plain_echo(text, t) : 0;

	if (line)
		lint_add(t->l, TL_SEVERITY_WARNING, "guard-prints-text", &t->at,
			 "%s:%u prints text: a guard must print one JSON object or nothing, "
			 "else it denies",
			 path, line);
}

/* `path` is the file's for messages; `by` is NULL when the script is started directly. */
static void check_script_text(const struct target *t, const char *file, const char *path,
			      const struct interpreter *by)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct str text, first, rest;
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
	if (crlf && ((marked && !by) || (by && by->shell)))
		lint_add(t->l, TL_SEVERITY_ERROR, "crlf", &t->at,
			 "%s has CRLF line ends, which %s takes as part of the line", path,
			 by ? by->name : "the system");
	else if (!by && marked)
		check_hash_bang(t, path, first);
	else if (!by)
		lint_add(t->l, TL_SEVERITY_WARNING, "no-hash-bang", &t->at,
			 "%s has no #! line; a shell will try to read it", path);
	line = mentions_tty(text);
	if (line)
		lint_add(t->l, TL_SEVERITY_WARNING, "uses-tty", &t->at,
			 "%s:%u uses /dev/tty: the hook has no terminal", path, line);
	if (by ? by->shell : is_shell_script(first))
		check_guard_text(t, path, text);
}

/* ---- scripts ---- */

static void check_file(const struct target *t, const char *word, const struct interpreter *by)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *path = resolve(t, word);

	if (!path)
		return;
	const char *shown = short_path(t->hooks, path, &a);
	if (!fs_exists(path)) {
		lint_add(t->l, TL_SEVERITY_ERROR, "missing-script", &t->at,
			 "the hook starts %s, and there is no such file", shown);
		return;
	}
	if (fs_is_dir(path)) {
		lint_add(t->l, TL_SEVERITY_ERROR, "missing-script", &t->at,
			 "the hook starts %s, which is a directory", shown);
		return;
	}
	if (!by && !fs_is_program(path))
		lint_add(t->l, TL_SEVERITY_ERROR, "not-executable", &t->at,
			 "the hook starts %s, which is not executable; chmod +x it", shown);
	check_script_text(t, path, shown, by);
}

/* The word of `python3 -u script.py ...` that is the script; NULL when it cannot be told. */
static const struct shell_word *script_word(const struct shell_command *c,
					    const struct interpreter *in)
{
	for (size_t i = 1; i < c->n; i++) {
		const char *word = c->words[i].text;

		if (c->words[i].opaque)
			return NULL;
		if (word[0] != '-')
			return &c->words[i];
		if (!word[1] || word[1] == '-' || strspn(word + 1, in->flags) != strlen(word + 1))
			return NULL;
	}
	return NULL;
}

static void check_program(const struct target *t, const struct shell_command *c)
{
	const char *program = c->words[0].text;
	const struct interpreter *in = interpreter_find(program);
	const struct shell_word *script;

	if (c->words[0].opaque || !*program || program[0] == '-')
		return;
	if (strchr(program, '/'))
		check_file(t, program, NULL);
	else
		check_on_path(t, program, c->optional);
	script = in ? script_word(c, in) : NULL;
	if (script)
		check_file(t, script->text, in);
}

/* `echo text` in the command of a guard. */
static void check_guard_echo(const struct target *t, const struct shell_command *c)
{
	const char *program = c->words[0].text;

	if (!t->h->guard || c->piped || c->redirected ||
	    (strcmp(program, "echo") != 0 && strcmp(program, "printf") != 0))
		return;
	for (size_t i = 1; i < c->n; i++)
		if (c->words[i].opaque || strchr(c->words[i].text, '{'))
			return;
	lint_add(t->l, TL_SEVERITY_WARNING, "guard-prints-text", &t->at,
		 "the guard prints text: it must print one JSON object or nothing, else it denies");
}

/* ---- the command ---- */

/* ${NAME} of our variables is replaced in a program without a shell; of others nothing is known. */
static struct shell_word direct_word(struct arena *a, const struct target *t, struct str text)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct shell_word word = { 0 };

	for (size_t i = 0; i < text.n;) {
		ptrdiff_t end = str_starts(str_sub(text, i, text.n), STR("${"))
					? str_chr(text, '}', i)
					: -1;
		const char *value = end < 0 ? NULL : value_of(str_sub(text, i + 2, (size_t)end), t);

		word.opaque |= !value && text.p[i] == '$';
		if (value)
			buf_addz(&out, value);
		else
			buf_addc(&out, text.p[i]);
		i = value ? (size_t)end + 1 : i + 1;
	}
	word.text = arena_z(a, buf_str(&out));
	return word;
}

/* Claude's `args`: one program, started as it stands there. */
static void look_direct(struct shell_look *look, struct target *t, const struct json *args)
{
	struct shell_command *c = VEC_ADD(look);

	t->direct = true;
	*c = (struct shell_command){
		.words = ARENA_ARRAY(look->arena, struct shell_word, args->n + 1),
		.n = args->n + 1,
	};
	c->words[0] = direct_word(look->arena, t, str_from(t->h->command));
	for (size_t i = 0; i < args->n; i++)
		c->words[i + 1] = direct_word(look->arena, t, json_str(json_at(args, i), STR("")));
}

/* What the shell says of a command that it cannot read: "bash: -c: line 1: unexpected EOF ...". */
static struct str shell_complaint(struct str said)
{
	struct str line;
	ptrdiff_t at;

	(void)str_split(&said, '\n', &line);
	at = str_find(line, STR("line "), 0);
	at = str_find(line, STR(": "), at < 0 ? 0 : (size_t)at);
	return str_trim(at < 0 ? line : str_sub(line, (size_t)at + 2, line.n));
}

/*
 * (waits) A command that the shell cannot read never runs, and ends with 2, which denies.  -n reads
 * and runs nothing; what the environment says to shells is kept away from it.
 */
static void check_syntax(const struct target *t)
{
	const char *const argv[] = {
		base_name(t->l->shell), "-n", "-c", "--", t->h->command, NULL
	};
	static const char *const env[] = { "LC_ALL=C", NULL };
	AUTO(proc_done) struct proc p;
	struct str said;
	struct err err;

	(void)proc_run(&p,
		       &(struct proc_spec){ .file = t->l->shell,
					    .argv = argv,
					    .envp = env,
					    .timeout_ms = SHELL_TIMEOUT_MS },
		       NULL, &err);
	if (p.result.end != PROC_EXITED || p.result.code == 0)
		return;
	said = shell_complaint(buf_str(&p.result.err));
	lint_add(t->l, TL_SEVERITY_ERROR, "shell-syntax", &t->at,
		 "the shell cannot read the command: %.*s", STR_ARG(said));
}

void lint_command(struct lint *l, const struct tl_hooks *hooks, const struct tl_hook *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct shell_look look = { .arena = &a };
	struct target t = {
		.l = l,
		.hooks = hooks,
		.h = h,
		.look = &look,
		.at = { .file = h->file, .path = h->path, .line = h->line, .column = h->column }
	};
	const struct lint_file *f;
	const struct json *args = json_getz(lint_value(l, h->file, str_from(h->path), &f), "args");
	bool tty = str_find(str_from(h->command), STR("/dev/tty"), 0) >= 0;

	if (strcmp(h->dialect, "claude") == 0 && json_is(args, J_ARR)) {
		look_direct(&look, &t, args);
	} else {
		shell_look(&look, str_from(h->command), value_of, &t);
		if (strpbrk(h->command, "\"'`()|&;<>{}$\\"))
			check_syntax(&t);
	}
	for (size_t i = 0; i < look.n; i++) {
		const struct shell_command *c = &look.p[i];

		check_program(&t, c);
		check_guard_echo(&t, c);
		for (size_t k = 1; t.direct && k < c->n; k++)
			tty |= strstr(c->words[k].text, "/dev/tty") != NULL;
		t.moved |= strcmp(c->words[0].text, "cd") == 0 ||
			   strcmp(c->words[0].text, "pushd") == 0;
	}
	if (tty)
		lint_add(l, TL_SEVERITY_WARNING, "uses-tty", &t.at,
			 "the hook uses /dev/tty: it has no terminal");
	free(look.p);
}
