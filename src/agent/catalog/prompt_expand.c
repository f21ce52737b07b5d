/*
 * A command's prompt and the words behind its name become one text.
 *
 * The prompt is taken apart once, as its author wrote it: {{args}}, @{path}, !{command} and the
 * text between them.  What takes their place, be it from the user, a file or a command, is text and
 * is not looked at again, so nothing in it can run a command or name a file.
 */
#include "agent/catalog/prompt_commands.h"

#include "base/vec.h"
#include "base/words.h"
#include "shell/programs.h"
#include "shell/shell.h"

enum { WORDS_MAX = 20 };

enum piece_kind { PIECE_TEXT, PIECE_ARGS, PIECE_FILE, PIECE_SHELL };

struct piece {
	enum piece_kind kind;
	struct str text; /* as it is in the prompt */
	struct str inner; /* of @{} and !{}: between the braces */
	struct str out; /* what takes its place */
};

struct expansion {
	struct arena *a;
	const struct prompt_command *c;
	const struct prompt_expand *e;
	struct str args;
	struct str words[WORDS_MAX]; /* of the arguments, when the prompt has numbers for them */
	size_t nwords;
	size_t first; /* what a number without brackets counts from */
	struct {
		struct piece *p;
		size_t n, cap;
	} pieces;
	size_t bytes;
	struct err *err;
};

static void expansion_done(struct expansion *x)
{
	free(x->pieces.p);
}

DEFINE_AUTO(struct expansion, expansion_done)

static const struct str args_mark = STR("{{args}}");

/* ---- taking a plugin's Markdown apart ---- */

static const struct str all_mark = STR("$ARGUMENTS");

/* "$ARGUMENTS", "$ARGUMENTS[1]", "$1"; inner is the number. */
static struct piece dollar_at(struct str s, size_t i)
{
	struct str rest = str_sub(s, i, s.n);
	size_t n = all_mark.n;

	if (!str_starts(rest, all_mark)) {
		/* No sum of money. */
		if (rest.n < 2 || !char_is_digit(rest.p[1]) ||
		    (rest.n > 2 && (char_is_word(rest.p[2]) ||
				    (rest.p[2] == '.' && rest.n > 3 && char_is_digit(rest.p[3])))))
			return (struct piece){ 0 };
		return (struct piece){ .kind = PIECE_ARGS,
				       .text = str_sub(rest, 0, 2),
				       .inner = str_sub(rest, 1, 2) };
	}
	if (rest.n > n + 2 && rest.p[n] == '[' && char_is_digit(rest.p[n + 1]) &&
	    rest.p[n + 2] == ']')
		return (struct piece){ .kind = PIECE_ARGS,
				       .text = str_sub(rest, 0, n + 3),
				       .inner = str_sub(rest, n, n + 3) };
	if (rest.n > n && char_is_word(rest.p[n]))
		return (struct piece){ 0 };
	return (struct piece){ .kind = PIECE_ARGS, .text = str_sub(rest, 0, n) };
}

static struct piece markdown_at(struct str s, size_t i)
{
	bool begins = i == 0 || strchr(" \t\n\r(:-", s.p[i - 1]);
	ptrdiff_t end;

	if (s.p[i] == '$')
		return dollar_at(s, i);
	if (!begins)
		return (struct piece){ 0 };
	if (s.p[i] == '@') {
		/* @path at the beginning of a word. */
		size_t to = i + 1;

		while (to < s.n && (char_is_word(s.p[to]) || strchr("./~-+", s.p[to])))
			to++;
		while (to > i + 1 && s.p[to - 1] == '.')
			to--;
		if (to == i + 1)
			return (struct piece){ 0 };
		return (struct piece){ .kind = PIECE_FILE,
				       .text = str_sub(s, i, to),
				       .inner = str_sub(s, i + 1, to) };
	}
	end = s.p[i] == '!' && i + 1 < s.n && s.p[i + 1] == '`' ? str_chr(s, '`', i + 2) : -1;
	if (end < 0 || str_chr(str_sub(s, i, (size_t)end), '\n', 0) >= 0)
		return (struct piece){ 0 };
	return (struct piece){ .kind = PIECE_SHELL,
			       .text = str_sub(s, i, (size_t)end + 1),
			       .inner = str_trim(str_sub(s, i + 2, (size_t)end)) };
}

/* Blanks part words, but in quotes. */
static void split_words(struct expansion *x)
{
	char quote = '\0';
	AUTO(buf_done) struct buf word = { 0 };
	bool any = false;

	for (size_t i = 0; i <= x->args.n && x->nwords < WORDS_MAX; i++) {
		char c = i < x->args.n ? x->args.p[i] : ' ';

		if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
			if (any)
				x->words[x->nwords++] = arena_str(x->a, buf_str(&word));
			buf_clear(&word);
			any = false;
			continue;
		}
		any = true;
		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? '\0' : c;
		else
			buf_addc(&word, c);
	}
}

/* What "$1" and "[1]" stand for. */
static struct str argument(const struct expansion *x, struct str number)
{
	bool brackets = number.p[0] == '[';
	size_t i = (size_t)(number.p[brackets] - '0') - (brackets ? 0 : x->first);

	return i < x->nwords ? x->words[i] : STR("");
}

/* A command that says $1 has what the shell calls so; what says $ARGUMENTS is as {{args}} here. */
static struct str markdown_command(struct expansion *x, struct str inner)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool numbers = false;
	size_t i = 0;

	while (i < inner.n) {
		struct piece piece = inner.p[i] == '$' ? dollar_at(inner, i) : (struct piece){ 0 };

		if (!piece.text.n) {
			buf_addc(&out, inner.p[i++]);
			continue;
		}
		if (!piece.inner.n) {
			buf_adds(&out, args_mark);
		} else {
			bool brackets = piece.inner.p[0] == '[';

			buf_addf(&out, "${%d}",
				 piece.inner.p[brackets] - '0' + (brackets || !x->first));
			numbers = true;
		}
		i += piece.text.n;
	}
	if (numbers) {
		AUTO(buf_done) struct buf set = { 0 };

		buf_addz(&set, "set --");
		for (size_t k = 0; k < x->nwords; k++) {
			buf_addc(&set, ' ');
			sh_quote(&set, x->words[k]);
		}
		buf_addf(&set, "; %.*s", STR_ARG(buf_str(&out)));
		return arena_str(x->a, buf_str(&set));
	}
	return arena_str(x->a, buf_str(&out));
}

/* ---- taking apart ---- */

static struct piece piece_at(struct str s, size_t i)
{
	char next = str_at(s, i + 1);
	struct piece piece = { .kind = PIECE_TEXT };
	size_t end = 0, open = 0;

	if (str_starts(str_sub(s, i, s.n), args_mark)) {
		piece.kind = PIECE_ARGS;
		piece.text = args_mark;
	} else if ((s.p[i] == '@' || s.p[i] == '!') && next == '{') {
		/* Braces in it are balanced. */
		for (size_t k = i + 1; k < s.n && !end; k++) {
			open += s.p[k] == '{';
			if (s.p[k] == '}' && --open == 0)
				end = k + 1;
		}
		piece.kind = s.p[i] == '@' ? PIECE_FILE : PIECE_SHELL;
		piece.text = str_sub(s, i, end);
		piece.inner = end ? str_trim(str_sub(s, i + 2, end - 1)) : STR("");
	}
	return piece;
}

static int add_piece(struct expansion *x, struct piece piece)
{
	if (x->pieces.n == COMMAND_PIECES_MAX)
		return err_set(x->err, E_LIMIT, "its prompt has more than %d pieces",
			       COMMAND_PIECES_MAX);
	*VEC_ADD(&x->pieces) = piece;
	return 0;
}

static int take_apart(struct expansion *x)
{
	struct str s = x->c->prompt;
	size_t from = 0, i = 0;
	int r = 0;

	if (x->c->markdown) {
		split_words(x);
		/* Both ways of counting are in use; whoever says $0 counts from there. */
		x->first =
			str_find(s, STR("$0"), 0) < 0 && str_find(s, STR("$ARGUMENTS[0]"), 0) < 0;
	}
	while (i < s.n && r == 0) {
		struct piece piece = x->c->markdown ? markdown_at(s, i) : piece_at(s, i);

		if (piece.kind == PIECE_TEXT) {
			i++;
			continue;
		}
		if (!piece.text.n)
			return err_set(x->err, E_PARSE,
				       "\"%.40s\" in its prompt has no closing \"}\"",
				       arena_z(x->a, str_sub(s, i, i + 40)));
		if (i > from)
			r = add_piece(x, (struct piece){ .text = str_sub(s, from, i) });
		if (r == 0)
			r = add_piece(x, piece);
		i += piece.text.n;
		from = i;
	}
	return r == 0 && from < s.n ? add_piece(x, (struct piece){ .text = str_sub(s, from, s.n) })
				    : r;
}

/* The text with something in the place of each {{args}}. */
static struct str with_args(struct expansion *x, struct str s, struct str args)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t from = 0;
	ptrdiff_t at;

	while ((at = str_find(s, args_mark, from)) >= 0) {
		buf_adds(&out, str_sub(s, from, (size_t)at));
		buf_adds(&out, args);
		from = (size_t)at + args_mark.n;
	}
	buf_adds(&out, str_sub(s, from, s.n));
	return arena_str(x->a, buf_str(&out));
}

/* ---- {{args}} in a shell's command ---- */

/* The placeholder of {{args}} while the command is read: as long, and no name of a variable. */
#define STAND_IN "%ARGSAR%"

/* Where one {{args}} is. */
struct spot {
	const struct sh_script *script;
	size_t at;
	const struct sh_piece *piece; /* of a word of the command itself; NULL = it is in none */
	bool evaluated; /* as arithmetic, in which a subscript may run commands */
};

static void on_piece(void *data, const struct sh_script *s, const struct sh_piece *p,
		     unsigned nested)
{
	struct spot *spot = data;

	if (s == spot->script && !nested && p->kind == SH_TEXT && p->at <= spot->at &&
	    spot->at + strlen(STAND_IN) <= p->end)
		spot->piece = p;
}

static struct str plain_word(const struct sh_node *n, size_t i)
{
	return i < n->nwords && n->words[i].n == 1 ? n->words[i].p[0].text : STR("");
}

/* Commands of bash that take names of variables, whose subscripts it evaluates as it does texts in
 * arithmetic.  With an option: only behind it, or in its place. */
static const struct evaluator {
	const char *name, *option;
} evaluators[] = {
	{ "[", "-v" },        { "compgen", NULL }, { "complete", NULL }, { "declare", NULL },
	{ "export", NULL },   { "getopts", NULL }, { "let", NULL },      { "local", NULL },
	{ "mapfile", NULL },  { "printf", "-v" },  { "read", NULL },     { "readarray", NULL },
	{ "readonly", NULL }, { "test", "-v" },    { "typeset", NULL },  { "unset", NULL },
	{ "wait", NULL },
};

static bool evaluates(const struct sh_node *n, size_t at)
{
	static const char *const prefixes[] = { "builtin", "command", "--", "-p" };
	size_t first = 0;

	while (first < n->nwords && WORD_IN(plain_word(n, first), prefixes))
		first++;
	for (size_t i = 0; i < ARRAY_LEN(evaluators); i++) {
		const struct evaluator *e = &evaluators[i];
		const struct sh_word *next = first + 1 < n->nwords ? &n->words[first + 1] : NULL;

		if (!str_eqz(plain_word(n, first), e->name))
			continue;
		if (!e->option)
			return true;
		/* What is typed may itself be the option of printf, with the name behind it. */
		if (e->name[0] == 'p' && next && at >= next->at && at - next->at <= 1)
			return true;
		for (size_t k = first + 1; k < n->nwords; k++) {
			struct str word = n->words[k].n ? n->words[k].p[0].text : STR("");

			if (str_starts(word, str_from(e->option)) || str_eqz(word, "-R"))
				return true;
		}
	}
	return false;
}

static void on_node(void *data, const struct sh_script *s, const struct sh_node *n)
{
	struct spot *spot = data;

	if (s == spot->script && n->at <= spot->at && spot->at < n->end)
		spot->evaluated |=
			n->kind == SH_TEST || n->kind == SH_LET || evaluates(n, spot->at);
	/* NAME=([...]=...) */
	for (size_t i = 0; s == spot->script && i < n->nassigns; i++)
		for (size_t k = 0; k < n->assigns[i].nitems; k++) {
			const struct sh_word *item = &n->assigns[i].items[k];

			spot->evaluated |= item->at <= spot->at && spot->at < item->end &&
					   s->text.p[item->at] == '[';
		}
}

/*
 * May a quoted text behind these words be a program?  "eval" and "sed" take one, "python3" only
 * behind -c, so that the arguments of its scripts may be quoted.
 */
static bool may_hold_code(struct str before)
{
	static const char *const take_code[] = { "alias", "awk", "gawk", "mawk", "sed" };
	bool interpreter = false;

	for (size_t i = 0, from = 0; i <= before.n; i++) {
		const struct sh_program *p;
		struct str word;

		if (i < before.n && (char_is_word(before.p[i]) || strchr("./-", before.p[i])))
			continue;
		word = str_sub(before, from, i);
		from = i + 1;
		p = word.n ? sh_program_find(word) : NULL;
		interpreter |= p && (p->starts == SH_STARTS_SHELL || p->starts == SH_STARTS_CODE ||
				     p->assigns);
		if (WORD_IN(word, take_code) ||
		    (p && (p->starts == SH_STARTS_TEXT || p->starts == SH_STARTS_TRAP ||
			   p->starts == SH_STARTS_ODDLY || p->more)))
			return true;
		if (interpreter && word.n > 1 && word.n < 5 && word.p[0] == '-' &&
		    word.p[1] != '-' &&
		    (memchr(word.p, 'c', word.n) || memchr(word.p, 'e', word.n) ||
		     memchr(word.p, 'r', word.n)))
			return true;
	}
	return false;
}

/* One word that is what the user typed, whatever quoting the author put around it. */
static int add_argument(struct expansion *x, struct spot *spot, struct buf *out)
{
	struct str before = str_sub(spot->script->text, 0, spot->at);
	bool joined = str_ends(before, STR("\\\n")) || str_ends(before, STR("\\"));
	enum sh_quote quote;

	sh_visit(spot->script, &(struct sh_visitor){ on_node, on_piece, spot });
	quote = spot->piece ? spot->piece->quote : SH_ANSI;
	if (spot->evaluated || quote == SH_ANSI || quote == SH_ESCAPED ||
	    (quote != SH_SINGLE && joined) || (quote == SH_BARE && str_ends(before, STR("$"))))
		return err_set(x->err, E_PARSE,
			       "{{args}} cannot be used at this place of a shell command; it goes "
			       "where a word could stand, outside $(...), `...` and <<");
	if (quote == SH_BARE) {
		if (x->args.n)
			sh_quote(out, x->args);
		return 0;
	}
	/* In quotes of the author, who may give them to a program that runs what is in them. */
	if (may_hold_code(before))
		return err_set(x->err, E_PARSE,
			       "{{args}} cannot be used in quotes where they may hold a program; "
			       "without the quotes it is one quoted word");
	buf_addc(out, quote == SH_SINGLE ? '\'' : '"');
	sh_quote(out, x->args);
	buf_addc(out, quote == SH_SINGLE ? '\'' : '"');
	return 0;
}

static int shell_command(struct expansion *x, struct str inner, struct str *ret_command)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str text = with_args(x, inner, STR(STAND_IN));
	struct sh_script script;
	size_t from = 0;
	ptrdiff_t at;
	int r = 0;

	if (str_chr(x->args, '\0', 0) >= 0)
		return err_set(x->err, E_INVAL, "the arguments have a NUL character");
	*ret_command = inner;
	if (str_find(inner, args_mark, 0) < 0)
		return 0;
	if (!sh_read(&script, x->a, text) || script.dubious)
		return err_set(
			x->err, E_PARSE,
			"{{args}} cannot be used in a shell command that cannot be parsed: %s",
			script.error ? script.error : "shells differ in how they read it");
	while ((at = str_find(inner, args_mark, from)) >= 0 && r == 0) {
		buf_adds(&out, str_sub(inner, from, (size_t)at));
		r = add_argument(x, &(struct spot){ .script = &script, .at = (size_t)at }, &out);
		from = (size_t)at + args_mark.n;
	}
	buf_adds(&out, str_sub(inner, from, inner.n));
	*ret_command = arena_str(x->a, buf_str(&out));
	return r;
}

/* ---- putting together ---- */

/* All of one kind, in their order; files come before commands, which may change them. */
static int expand_kind(struct expansion *x, enum piece_kind kind)
{
	for (size_t i = 0; i < x->pieces.n; i++) {
		struct piece *piece = &x->pieces.p[i];
		struct str command;
		int r = 0;

		if (piece->kind != kind)
			continue;
		if (kind == PIECE_TEXT) {
			piece->out = piece->text;
			if (x->e->text)
				r = x->e->text(x->e->data, piece->text, x->a, &piece->out, x->err);
		} else if (kind == PIECE_ARGS) {
			piece->out = piece->inner.n ? argument(x, piece->inner) : x->args;
		} else if (!piece->inner.n) {
			piece->out = STR("");
		} else if (kind == PIECE_FILE) {
			/* The arguments are what they are: a file of the workspace, or none. */
			struct str path = with_args(x, piece->inner, x->args);

			r = x->e->file(x->e->data, path, x->a, &piece->out, x->err);
			if (r == -E_NOTFOUND) {
				piece->out = x->c->markdown
						     ? piece->text
						     : arena_printf(x->a, "@{%.*s}", STR_ARG(path));
				r = 0;
			}
		} else if ((r = shell_command(x,
					      x->c->markdown ? markdown_command(x, piece->inner)
							     : piece->inner,
					      &command)) >= 0) {
			r = x->e->shell(x->e->data, command, x->a, &piece->out, x->err);
		}
		if (r < 0)
			return r;
		x->bytes += piece->out.n;
		if (x->bytes > COMMAND_PROMPT_MAX)
			return err_set(x->err, E_LIMIT, "its prompt gets longer than %zu MiB",
				       COMMAND_PROMPT_MAX >> 20);
	}
	return 0;
}

static int expand_file_command(struct expansion *x, struct str invocation, struct str *ret_prompt)
{
	static const enum piece_kind order[] = { PIECE_TEXT, PIECE_ARGS, PIECE_FILE, PIECE_SHELL };
	AUTO(buf_done) struct buf out = { 0 };
	int r = take_apart(x);

	for (size_t i = 0; i < ARRAY_LEN(order) && r >= 0; i++)
		r = expand_kind(x, order[i]);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->pieces.n; i++)
		buf_adds(&out, x->pieces.p[i].out);
	if (x->args.n && x->c->markdown) {
		bool used = false;

		for (size_t i = 0; i < x->pieces.n; i++)
			used |= x->pieces.p[i].kind == PIECE_ARGS ||
				(x->pieces.p[i].kind == PIECE_SHELL &&
				 str_chr(x->pieces.p[i].inner, '$', 0) >= 0);
		if (!used)
			buf_addf(&out, "\n\nARGUMENTS: %.*s", STR_ARG(x->args));
	} else if (x->args.n && str_find(x->c->prompt, args_mark, 0) < 0) {
		buf_addz(&out, "\n\n");
		buf_adds(&out, str_trim(invocation));
	}
	*ret_prompt = arena_str(x->a, buf_str(&out));
	return 0;
}

int prompt_command_expand(struct arena *a, const struct prompt_command *c, struct str args,
			  struct str invocation, const struct prompt_expand *e,
			  struct str *ret_prompt, struct err *err)
{
	AUTO(expansion_done) struct expansion x = {
		.a = a, .c = c, .e = e, .args = args, .err = err
	};
	const struct json *given, *messages;
	int r;

	if (c->origin != CATALOG_MCP)
		return expand_file_command(&x, invocation, ret_prompt);
	r = prompt_mcp_arguments(a, c->arguments, args, &given, err);
	if (r < 0)
		return r;
	r = mcp_get_prompt(e->mcp, c->server, c->prompt_name, given, e->cancel, a, &messages, err);
	if (r < 0)
		return r;
	*ret_prompt = prompt_mcp_text(a, messages);
	if (ret_prompt->n)
		return 0;
	return err_set(err, E_NOTFOUND, "the server %s gave an empty prompt", c->owner);
}
