#include "hooks/command.h"

#include "base/vec.h"
#include "os/fs.h"

/* Words that bash or a POSIX shell would not look for on PATH: builtins and keywords, sorted. */
static const char *const shell_words[] = {
	"!",         ".",        ":",       "[",       "[[",     "alias",   "bg",       "bind",
	"break",     "builtin",  "caller",  "case",    "cd",     "command", "compgen",  "complete",
	"compopt",   "continue", "coproc",  "declare", "dirs",   "disown",  "do",       "done",
	"echo",      "elif",     "else",    "enable",  "esac",   "eval",    "exec",     "exit",
	"export",    "false",    "fc",      "fg",      "fi",     "for",     "function", "getopts",
	"hash",      "help",     "history", "if",      "in",     "jobs",    "kill",     "let",
	"local",     "logout",   "mapfile", "popd",    "printf", "pushd",   "pwd",      "read",
	"readarray", "readonly", "return",  "select",  "set",    "shift",   "shopt",    "source",
	"suspend",   "test",     "then",    "time",    "times",  "trap",    "true",     "type",
	"typeset",   "ulimit",   "umask",   "unalias", "unset",  "until",   "wait",     "while",
	"{",         "}"
};

bool is_shell_word(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(shell_words); i++)
		if (str_eqz(name, shell_words[i]))
			return true;
	return false;
}

/* A reference to a variable at text[at] == '$': its name, and where it ends.  False for anything
 * else. */
static bool reference(struct str text, size_t at, struct str *ret_name, size_t *ret_end)
{
	bool brace = at + 1 < text.n && text.p[at + 1] == '{';
	size_t from = at + 1 + brace, to = from;

	while (to < text.n && char_is_word(text.p[to]))
		to++;
	if (to == from || char_is_digit(text.p[from]) ||
	    (brace && (to == text.n || text.p[to] != '}')))
		return false;
	*ret_name = str_sub(text, from, to);
	*ret_end = to + brace;
	return true;
}

/* ---- without a shell ---- */

/* Characters that mean themselves outside of quotes, wherever they stand in a word. */
static bool is_plain(char c)
{
	return char_is_word(c) || (c && strchr("./:@%+,-=", c)) || (unsigned char)c >= 0x80;
}

struct words {
	const char **p;
	size_t n, cap;
};

static void words_add(struct words *w, struct arena *a, struct buf *word)
{
	*VEC_ADD(w) = arena_z(a, buf_str(word));
	buf_clear(word);
}

/* One step of the splitter: a reference with its value.  False when a shell must look at it. */
static bool take_reference(struct str text, size_t *at, const struct vars *vars,
			   const struct hook *hook, struct buf *word)
{
	struct str name;
	size_t end;

	if (!reference(text, *at, &name, &end) || !vars_is_ours(vars, hook, name))
		return false;
	const char *value = vars_get(vars, hook, name);
	buf_addz(word, value);
	*at = end;
	return true;
}

/* What stands between quotes, when it stands for itself. */
static bool take_quoted(struct str text, size_t *at, const struct vars *vars,
			const struct hook *hook, struct buf *word)
{
	char quote = text.p[(*at)++];

	while (*at < text.n && text.p[*at] != quote) {
		char c = text.p[*at];

		if (c == '$') {
			/* In single quotes a reference needs the care of command_for_shell(). */
			if (quote == '\'' || !take_reference(text, at, vars, hook, word))
				return false;
			continue;
		}
		if (quote == '"' && (c == '\\' || c == '`' || c == '!'))
			return false;
		buf_addc(word, c);
		(*at)++;
	}
	if (*at == text.n)
		return false;
	(*at)++;
	return true;
}

bool command_words(struct arena *a, struct str text, const struct vars *vars,
		   const struct hook *hook, const char *const **ret_words, size_t *ret_n)
{
	AUTO(buf_done) struct buf word = { 0 };
	AUTO(free) const char **list = NULL;
	struct words w = { 0 };
	bool inside = false, ok = true;
	size_t i = 0;

	while (ok && i < text.n) {
		char c = text.p[i];

		if (c == ' ' || c == '\t') {
			if (inside)
				words_add(&w, a, &word);
			inside = false;
			i++;
			continue;
		}
		inside = true;
		if (c == '"' || c == '\'') {
			ok = take_quoted(text, &i, vars, hook, &word);
		} else if (c == '$') {
			ok = take_reference(text, &i, vars, hook, &word);
		} else {
			/* NAME=value before the program is an assignment. */
			ok = is_plain(c) && !(c == '=' && w.n == 0);
			buf_addc(&word, c);
			i++;
		}
	}
	if (ok && inside)
		words_add(&w, a, &word);
	list = w.p;
	if (!ok || w.n == 0)
		return false;
	const char **out = ARENA_ARRAY(a, const char *, w.n + 1);
	memcpy(out, w.p, w.n * sizeof *out);
	*ret_words = out;
	*ret_n = w.n;
	return true;
}

/* Would a shell do something before or other than starting the program? */
static bool shell_is_special(const char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "BASH_ENV=", 9) == 0 || strncmp(*env, "BASH_FUNC_", 10) == 0 ||
		    strncmp(*env, "SHELLOPTS=", 10) == 0 || strncmp(*env, "BASHOPTS=", 9) == 0)
			return true;
	return false;
}

static const char *find_program(struct arena *a, const struct launch_request *rq, const char *word)
{
	const char *path = env_get(rq->env, "PATH");

	if (!strchr(word, '/')) {
		AUTO(free) char *found = NULL;

		if (is_shell_word(str_from(word)) || !path || !fs_find_program(word, path, &found))
			return NULL;
		return arena_z(a, str_from(found));
	}
	/* As it is: it is looked up in the directory that the hook starts in, links and all. */
	AUTO(free) char *full = word[0] == '/' ? xstrdup(word) : fs_join(rq->cwd, word);
	return fs_is_program(full) ? arena_z(a, str_from(word)) : NULL;
}

static void launch_args(struct launch *l, struct arena *a, const struct launch_request *rq);

void launch_prepare(struct launch *l, struct arena *a, const struct launch_request *rq)
{
	struct str command = str_from(rq->hook->command);
	const char *const *words;
	size_t n;

	if (rq->hook->args) {
		launch_args(l, a, rq);
		return;
	}
	if (!rq->hook->detached && !shell_is_special(rq->env) &&
	    command_words(a, command, rq->vars, rq->hook, &words, &n)) {
		const char *file = find_program(a, rq, words[0]);

		if (file) {
			*l = (struct launch){ .file = file, .argv = words, .direct = true };
			return;
		}
	}
	launch_with_shell(l, a, rq);
}

/* ---- with a shell ---- */

/* Programs that read their arguments or input as commands: a value in a quoted text would be code
 * there. */
static const char *const interpreters[] = {
	".",    "ash",    "awk",  "bash",    "chroot",   "dash", "env",    "eval",    "exec",
	"find", "ksh",    "node", "nsenter", "parallel", "perl", "python", "python3", "ruby",
	"sh",   "source", "ssh",  "su",      "sudo",     "trap", "watch",  "xargs",   "zsh"
};

/* Does any word of the command name one, however it is quoted? */
static bool runs_interpreter(struct str text)
{
	for (size_t i = 0, from = 0; i <= text.n; i++) {
		if (i < text.n && (char_is_word(text.p[i]) || strchr("./-", text.p[i])))
			continue;
		for (size_t k = from; k < i; k++)
			if (text.p[k] == '/')
				from = k + 1; /* the program of a path */
		for (size_t k = 0; k < ARRAY_LEN(interpreters); k++)
			if (str_eqz(str_sub(text, from, i), interpreters[k]))
				return true;
		from = i + 1;
	}
	return false;
}

/* Length of the single-quoted text from `at` (behind the quote) when it is a path and no more, else
 * 0. */
static size_t quoted_path(struct str text, size_t at)
{
	ptrdiff_t end = str_chr(text, '\'', at);

	if (end < 0)
		return 0;
	for (size_t i = at; i < (size_t)end; i++)
		if (!char_is_word(text.p[i]) && !strchr("$./-{}", text.p[i]))
			return 0;
	return (size_t)end - at;
}

enum { SHELL_DEPTH_MAX = 32 };

/*
 * Where a shell would be in the command: a stack of '"' (double quotes), '(' (a list of commands)
 * and
 * '`' (the same, the old way).
 */
struct shell_scan {
	struct str text;
	size_t at;
	char open[SHELL_DEPTH_MAX];
	size_t depth;
	bool lost; /* something that this scanner does not follow: leave the command alone */
	bool code; /* an interpreter is at work: single quotes are left alone */
	struct str here; /* delimiter of a here-document that begins on the next line, or .n 0 */
	const struct vars *vars;
	const struct hook *hook;
	struct buf out;
};

static bool in_quotes(const struct shell_scan *s)
{
	return s->depth && s->open[s->depth - 1] == '"';
}

static void push(struct shell_scan *s, char c)
{
	s->lost |= s->depth == SHELL_DEPTH_MAX;
	if (!s->lost)
		s->open[s->depth++] = c;
}

static void copy_to(struct shell_scan *s, size_t end)
{
	end = min_size(end, s->text.n);
	buf_add(&s->out, s->text.p + s->at, end - s->at);
	s->at = end;
}

static bool known_reference(const struct shell_scan *s, struct str *ret_name, size_t *ret_end)
{
	return reference(s->text, s->at, ret_name, ret_end) &&
	       vars_is_ours(s->vars, s->hook, *ret_name);
}

/* The variables of an extension are written in braces and mean their value wherever they stand. */
static bool is_extension_variable(struct str name)
{
	return str_eqz(name, "extensionPath") || str_eqz(name, "workspacePath");
}

/*
 * '...': in a path, references of the short form are taken out of the quotes, which would keep them
 * from working.  Any other text may be code for somebody, and is left alone.
 */
static void scan_single(struct shell_scan *s)
{
	bool path = !s->code && quoted_path(s->text, s->at + 1) > 0;
	struct str name;
	size_t end;

	copy_to(s, s->at + 1);
	while (s->at < s->text.n && s->text.p[s->at] != '\'') {
		if (s->text.p[s->at] == '$' && path && known_reference(s, &name, &end) &&
		    (s->text.p[s->at + 1] != '{' || is_extension_variable(name))) {
			buf_addf(&s->out, "'\"${%.*s}\"'", STR_ARG(name));
			s->at = end;
		} else {
			copy_to(s, s->at + 1);
		}
	}
	copy_to(s, s->at + 1);
}

/* $'...', where a backslash escapes the quote. */
static void scan_ansi(struct shell_scan *s)
{
	copy_to(s, s->at + 2);
	while (s->at < s->text.n && s->text.p[s->at] != '\'')
		copy_to(s, s->at + (s->text.p[s->at] == '\\' ? 2 : 1));
	copy_to(s, s->at + 1);
}

static void scan_dollar(struct shell_scan *s)
{
	char next = s->at + 1 < s->text.n ? s->text.p[s->at + 1] : 0;
	struct str name;
	size_t end;

	if (next == '(' && s->at + 2 < s->text.n && s->text.p[s->at + 2] == '(') {
		ptrdiff_t close = str_find(s->text, STR("))"), s->at);

		copy_to(s, close < 0 ? s->text.n : (size_t)close + 2);
	} else if (next == '(') {
		copy_to(s, s->at + 2);
		push(s, '(');
	} else if (next == '\'' && !in_quotes(s)) {
		scan_ansi(s);
	} else if (!in_quotes(s) && known_reference(s, &name, &end)) {
		buf_addf(&s->out, "\"${%.*s}\"", STR_ARG(name));
		s->at = end;
	} else {
		copy_to(s, s->at + 1);
	}
}

static bool starts_word(const struct shell_scan *s)
{
	return s->at == 0 || strchr(" \t\n;|&()", s->text.p[s->at - 1]);
}

/* <<WORD, <<-'WORD', and <<< which is no here-document. */
static void scan_here(struct shell_scan *s)
{
	size_t from, to;

	if (str_starts(str_sub(s->text, s->at, s->text.n), STR("<<<"))) {
		copy_to(s, s->at + 3);
		return;
	}
	from = s->at + 2;
	while (from < s->text.n && strchr("- \t'\"\\", s->text.p[from]))
		from++;
	for (to = from; to < s->text.n && (char_is_word(s->text.p[to]) || s->text.p[to] == '.');)
		to++;
	s->lost |= to == from || s->here.n; /* two of them on a line: leave it */
	s->here = str_sub(s->text, from, to);
	if (to < s->text.n && strchr("'\"", s->text.p[to]))
		to++;
	copy_to(s, to);
}

/* The text of a here-document, to the line that ends it, as it is. */
static void copy_here(struct shell_scan *s)
{
	struct str rest = str_sub(s->text, s->at + 1, s->text.n), line;
	size_t end = s->at + 1;

	while (str_split(&rest, '\n', &line)) {
		end += line.n + 1;
		while (line.n && line.p[0] == '\t')
			line = str_sub(line, 1, line.n);
		if (str_eq(line, s->here))
			break;
	}
	s->here = (struct str){ 0 };
	copy_to(s, end);
}

static void scan_unquoted(struct shell_scan *s, char c)
{
	if (c == '\'') {
		scan_single(s);
		return;
	}
	if (c == '#' && starts_word(s)) {
		ptrdiff_t eol = str_chr(s->text, '\n', s->at);

		copy_to(s, eol < 0 ? s->text.n : (size_t)eol);
		return;
	}
	if (c == '<' && str_starts(str_sub(s->text, s->at, s->text.n), STR("<<"))) {
		scan_here(s);
		return;
	}
	if (c == '\n' && s->here.n) {
		copy_here(s);
		return;
	}
	if (c == '(')
		push(s, '(');
	else if (c == ')' && s->depth)
		s->depth--;
	copy_to(s, s->at + 1);
}

struct str command_for_shell(struct arena *a, struct str text, const struct vars *vars,
			     const struct hook *hook)
{
	struct shell_scan s = {
		.text = text, .vars = vars, .hook = hook, .code = runs_interpreter(text)
	};

	while (s.at < text.n && !s.lost) {
		char c = text.p[s.at];

		if (c == '\\') {
			copy_to(&s, s.at + 2);
		} else if (c == '$') {
			scan_dollar(&s);
		} else if (c == '"') {
			copy_to(&s, s.at + 1);
			if (in_quotes(&s))
				s.depth--;
			else
				push(&s, '"');
		} else if (c == '`') {
			copy_to(&s, s.at + 1);
			if (s.depth && s.open[s.depth - 1] == '`')
				s.depth--;
			else
				push(&s, '`');
		} else if (in_quotes(&s)) {
			copy_to(&s, s.at + 1);
		} else {
			scan_unquoted(&s, c);
		}
	}
	struct str out = arena_str(a, s.lost ? text : buf_str(&s.out));
	buf_done(&s.out);
	return out;
}

void launch_with_shell(struct launch *l, struct arena *a, const struct launch_request *rq)
{
	struct str command = command_for_shell(a, str_from(rq->hook->command), rq->vars, rq->hook);
	const char **argv = ARENA_ARRAY(a, const char *, 4);
	const char *name = strrchr(rq->shell, '/');

	/* What is not waited for goes on without us; stdin stays the payload. */
	if (rq->hook->detached)
		command = arena_printf(a, "{ %s\n} <&0 >/dev/null 2>&1 &", command.p);
	argv[0] = name ? name + 1 : rq->shell;
	argv[1] = "-c";
	argv[2] = command.p;
	*l = (struct launch){ .file = rq->shell, .argv = argv };
}

/* Claude's `args`: no shell; ${NAME} of our variables is replaced in every element. */
static const char *substitute(struct arena *a, const struct launch_request *rq, const char *s)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str text = str_from(s), name;
	size_t end;

	for (size_t i = 0; i < text.n;) {
		const char *value = NULL;

		if (text.p[i] == '$' && reference(text, i, &name, &end) && text.p[i + 1] == '{')
			value = vars_get(rq->vars, rq->hook, name);
		if (value) {
			buf_addz(&out, value);
			i = end;
		} else {
			buf_addc(&out, text.p[i++]);
		}
	}
	return arena_z(a, buf_str(&out));
}

/* The program of a command without a shell: a path, or what is on PATH, never the directory's own.
 */
static const char *find_argument_program(struct arena *a, const struct launch_request *rq,
					 const char *word)
{
	const char *path = env_get(rq->env, "PATH");
	AUTO(free) char *found = NULL;

	if (strchr(word, '/'))
		return word;
	return path && fs_find_program(word, path, &found) ? arena_z(a, str_from(found)) : NULL;
}

static void launch_args(struct launch *l, struct arena *a, const struct launch_request *rq)
{
	size_t n = 0;

	while (rq->hook->args[n])
		n++;
	const char **argv = ARENA_ARRAY(a, const char *, n + 2);
	argv[0] = substitute(a, rq, rq->hook->command);
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = substitute(a, rq, rq->hook->args[i]);
	*l = (struct launch){ .file = find_argument_program(a, rq, argv[0]),
			      .argv = argv,
			      .direct = true };
}

/* ---- for looking at, not for running ---- */

/* Programs whose arguments are data: changing those changes nothing of what runs. */
static const char *const data_tools[] = { "[",     "cat",  "chmod", "cp",   "cut",    "date",
					  "diff",  "echo", "false", "git",  "grep",   "head",
					  "jq",    "ls",   "mkdir", "mv",   "printf", "pwd",
					  "rm",    "sed",  "sort",  "tail", "tee",    "test",
					  "touch", "tr",   "true",  "uniq", "wc" };

static bool is_data_tool(struct str program)
{
	for (size_t i = 0; i < ARRAY_LEN(data_tools); i++)
		if (str_eqz(program, data_tools[i]))
			return true;
	return false;
}

enum { ROUGH_DEPTH_MAX = 2, ROUGH_HELD_MAX = 16 };

/* A word that may name what runs, and where in a simple command the next one stands. */
struct rough {
	struct buf word;
	bool at_program, data, redirected, from_file;
	const struct vars *vars;
	const struct hook *hook;
	unsigned depth;
	const char **out;
	size_t n, max;
	/* Arguments of a data tool, until it is known whether an interpreter reads what it prints.
	 */
	const char *held[ROUGH_HELD_MAX];
	size_t nheld;
};

static void rough_split(struct rough *r, struct arena *a, struct str text);

/* A quoted word with blanks may be a command of its own: bash -c './hook.sh now'. */
static void rough_inner(struct rough *r, struct arena *a, struct str word)
{
	struct rough inner = { .at_program = true,
			       .vars = r->vars,
			       .hook = r->hook,
			       .depth = r->depth + 1,
			       .out = r->out,
			       .n = r->n,
			       .max = r->max };

	if (r->depth == ROUGH_DEPTH_MAX || str_chr(word, ' ', 0) < 0)
		return;
	rough_split(&inner, a, arena_str(a, word));
	r->n = inner.n;
}

static void rough_word(struct rough *r, struct arena *a)
{
	struct str w = buf_str(&r->word);
	bool keep = r->at_program ? !is_data_tool(w) : !r->data || r->from_file;

	if (w.n == 0)
		return;
	if (r->at_program) {
		r->data = is_data_tool(w);
		/* cat script | bash */
		for (size_t i = 0; runs_interpreter(w) && i < r->nheld && r->n < r->max; i++)
			r->out[r->n++] = r->held[i];
		r->nheld = 0;
	} else if (r->data && !r->redirected && r->nheld < ROUGH_HELD_MAX) {
		r->held[r->nheld++] = arena_z(a, w);
	}
	if (keep && !r->redirected && r->n < r->max) {
		r->out[r->n++] = arena_z(a, w);
		rough_inner(r, a, w);
	}
	/* The script of jq -f, sed -f. */
	r->from_file = str_eqz(w, "-f") || str_eqz(w, "--from-file");
	if (!r->redirected)
		r->at_program = false;
	r->redirected = false;
	buf_clear(&r->word);
}

/* One character outside of quotes. */
static void rough_char(struct rough *r, struct arena *a, struct str text, size_t *at)
{
	char c = text.p[(*at)++];

	if (c == ' ' || c == '\t') {
		rough_word(r, a);
	} else if (c && strchr("\n;|&()`", c)) {
		rough_word(r, a);
		r->at_program = true;
		r->redirected = false;
		if (c != '|')
			r->nheld = 0;
	} else if (c == '>' || (c == '<' && *at < text.n && text.p[*at] == '<')) {
		rough_word(r, a);
		r->redirected = true;
		*at += c == '<';
	} else if (c == '<') {
		rough_word(r, a); /* a script may come in through stdin */
	} else if (c == '\\' && *at < text.n) {
		buf_addc(&r->word, text.p[(*at)++]);
	} else {
		buf_addc(&r->word, c);
	}
}

static void rough_split(struct rough *r, struct arena *a, struct str text)
{
	char quote = 0;

	for (size_t i = 0; i < text.n;) {
		char c = text.p[i];

		if (c == '$' && take_reference(text, &i, r->vars, r->hook, &r->word))
			continue;
		if ((c == '"' || c == '\'') && (!quote || quote == c)) {
			quote = quote ? 0 : c;
			i++;
		} else if (quote && c != '`') {
			buf_addc(&r->word, c);
			i++;
		} else {
			rough_char(r, a, text, &i);
		}
	}
	rough_word(r, a);
	buf_done(&r->word);
}

size_t command_rough_words(struct arena *a, struct str text, const struct vars *vars,
			   const struct hook *hook, const char **out, size_t max)
{
	struct rough r = { .at_program = true, .vars = vars, .hook = hook, .out = out, .max = max };

	rough_split(&r, a, text);
	return r.n;
}
