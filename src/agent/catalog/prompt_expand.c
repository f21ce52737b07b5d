/*
 * A command's prompt and the words behind its name become one text (host.md H6.4, H6.5).
 *
 * The prompt is taken apart once, as its author wrote it: {{args}}, @{path}, !{command} and the
 * text between them.  What takes their place, be it from the user, a file or a command, is text and
 * is not looked at again, so nothing in it can run a command or name a file.
 */
#include "agent/catalog/prompt_commands.h"

#include "base/vec.h"
#include "shell/shell.h"

enum piece_kind { PIECE_TEXT, PIECE_ARGS, PIECE_FILE, PIECE_SHELL };

struct piece {
	enum piece_kind kind;
	struct str text; /* as it stands in the prompt */
	struct str inner; /* of @{} and !{}: between the braces */
	struct str out; /* what takes its place */
};

struct expansion {
	struct arena *a;
	const struct prompt_command *c;
	const struct prompt_expand *e;
	struct str args;
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

/* ---- taking apart ---- */

/* The end of what begins with "@{" or "!{" at i, braces in it balanced; 0 = there is none. */
static size_t closing(struct str s, size_t i)
{
	size_t open = 0;

	for (i++; i < s.n; i++) {
		if (s.p[i] == '{')
			open++;
		else if (s.p[i] == '}' && --open == 0)
			return i + 1;
	}
	return 0;
}

static struct piece piece_at(struct str s, size_t i)
{
	char next = i + 1 < s.n ? s.p[i + 1] : '\0';
	struct piece piece = { .kind = PIECE_TEXT };
	size_t end;

	if (str_starts(str_sub(s, i, s.n), args_mark)) {
		piece.kind = PIECE_ARGS;
		piece.text = args_mark;
	} else if ((s.p[i] == '@' || s.p[i] == '!') && next == '{') {
		end = closing(s, i);
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

	while (i < s.n && r == 0) {
		struct piece piece = piece_at(s, i);

		if (piece.kind == PIECE_TEXT) {
			i++;
			continue;
		}
		if (!piece.text.n)
			return err_set(x->err, E_PARSE,
				       "there is no \"}\" for \"%.40s\" in its prompt",
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

/* ---- {{args}} in a shell's command ---- */

enum quoting { BARE, SINGLE, DOUBLE, COMMENT, UNCLEAR };

/*
 * Where in a command of the shell a place is, as far as that is certain.  From a here-document, a
 * substitution or a quoting with escapes of its own on nothing is: such places are refused.
 */
struct quoter {
	enum quoting where;
	bool escaped; /* by a backslash right before */
	bool dollar; /* a bare $ right before: $'...' */
	bool word; /* within a word: # begins no comment */
	bool code; /* a word before says that quoted text is code */
};

static bool bare_is_unclear(struct str s, size_t i)
{
	struct str rest = str_sub(s, i, s.n);

	return rest.p[0] == '`' || str_starts(rest, STR("$(")) || str_starts(rest, STR("${")) ||
	       str_starts(rest, STR("$[")) || str_starts(rest, STR("$'")) ||
	       str_starts(rest, STR("((")) || str_starts(rest, STR("<(")) ||
	       str_starts(rest, STR(">(")) || str_starts(rest, STR("\\\n")) ||
	       (str_starts(rest, STR("<<")) && !str_starts(rest, STR("<<<")));
}

static size_t quoter_bare(struct quoter *q, struct str s, size_t i)
{
	char c = s.p[i];

	q->dollar = c == '$';
	if (bare_is_unclear(s, i))
		q->where = UNCLEAR;
	else if (c == '\'' || c == '"')
		q->where = c == '\'' ? SINGLE : DOUBLE;
	else if (c == '#' && !q->word)
		q->where = COMMENT;
	else if (c == '\\')
		q->escaped = true;
	q->word = !strchr(" \t\n;|&()<>", c);
	return str_starts(str_sub(s, i, s.n), STR("<<<")) ? 3 : 1;
}

static size_t quoter_double(struct quoter *q, struct str s, size_t i)
{
	struct str rest = str_sub(s, i, s.n);

	if (rest.p[0] == '"')
		q->where = BARE;
	else if (rest.p[0] == '`' || str_starts(rest, STR("$(")) || str_starts(rest, STR("${")) ||
		 str_starts(rest, STR("$[")))
		q->where = UNCLEAR;
	else if (rest.p[0] == '\\')
		q->escaped = true;
	return 1;
}

/* Goes over a part of the command that its author wrote. */
static void quoter_over(struct quoter *q, struct str s)
{
	for (size_t i = 0; i < s.n && q->where != UNCLEAR;) {
		size_t step = 1;

		if (q->escaped)
			q->escaped = false;
		else if (q->where == BARE)
			step = quoter_bare(q, s, i);
		else if (q->where == DOUBLE)
			step = quoter_double(q, s, i);
		else if (q->where == SINGLE && s.p[i] == '\'')
			q->where = BARE;
		else if (q->where == COMMENT && s.p[i] == '\n')
			*q = (struct quoter){ .where = BARE, .code = q->code };
		i += step;
	}
}

/* "sh -c", "perl -ne", "eval", "ssh": there quoted text is a program, or becomes one. */
static bool is_word_of(struct str word, const char *const *names)
{
	for (; *names; names++)
		if (str_eqz(word, *names))
			return true;
	return false;
}

static bool has_code_flag(struct str word)
{
	if (word.n < 2 || word.n > 4 || word.p[0] != '-' || word.p[1] == '-')
		return false;
	return str_chr(word, 'c', 1) > 0 || str_chr(word, 'e', 1) > 0 || str_chr(word, 'r', 1) > 0;
}

static bool runs_code(struct str command)
{
	static const char *const always[] = { "eval", "ssh",   "trap", "alias", "awk",
					      "gawk", "mawk",  "sed",  "xargs", "parallel",
					      "su",   "watch", NULL };
	static const char *const with_flag[] = { "sh",      "bash", "dash", "zsh",  "ksh",
						 "fish",    "csh",  "ash",  "perl", "python",
						 "python3", "ruby", "node", "php",  "lua",
						 "env",     NULL };
	bool interpreter = false;
	size_t from = 0;

	for (size_t i = 0; i <= command.n; i++) {
		struct str word;

		if (i < command.n && (char_is_word(command.p[i]) || command.p[i] == '-'))
			continue;
		word = str_sub(command, from, i);
		from = i + 1;
		interpreter |= is_word_of(word, with_flag);
		if (is_word_of(word, always) || (interpreter && has_code_flag(word)))
			return true;
	}
	return false;
}

/* One word that is what the user typed, whatever quoting the author put around it. */
static int add_argument(struct expansion *x, const struct quoter *q, struct buf *out)
{
	bool within = q->where == SINGLE || q->where == DOUBLE;
	char quote = q->where == SINGLE ? '\'' : '"';

	if (q->where == COMMENT || q->where == UNCLEAR || q->escaped || (q->dollar && !within))
		return err_set(x->err, E_PARSE,
			       "{{args}} cannot stand at this place of a shell command; it goes "
			       "where a word could stand, outside of $(...), `...` and <<");
	if (within && q->code)
		return err_set(x->err, E_PARSE,
			       "{{args}} cannot stand in quotes where they may hold a program; "
			       "without the quotes it is one quoted word");
	if (within)
		buf_addc(out, quote);
	if (x->args.n || within)
		sh_quote(out, x->args);
	if (within)
		buf_addc(out, quote);
	return 0;
}

static int shell_command(struct expansion *x, struct str inner, struct str *ret_command)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct quoter q = { .where = BARE };
	size_t from = 0;
	ptrdiff_t at;
	int r;

	if (str_chr(x->args, '\0', 0) >= 0)
		return err_set(x->err, E_INVAL, "the arguments have a NUL character");
	while ((at = str_find(inner, args_mark, from)) >= 0) {
		struct str part = str_sub(inner, from, (size_t)at);

		quoter_over(&q, part);
		q.code |= runs_code(str_sub(inner, 0, (size_t)at));
		buf_adds(&out, part);
		r = add_argument(x, &q, &out);
		if (r < 0)
			return r;
		q.word = true;
		q.dollar = false;
		from = (size_t)at + args_mark.n;
	}
	buf_adds(&out, str_sub(inner, from, inner.n));
	*ret_command = arena_str(x->a, buf_str(&out));
	return 0;
}

/* ---- putting together ---- */

static int expand_shell(struct expansion *x, struct piece *piece)
{
	struct str command = { 0 };
	int r = shell_command(x, piece->inner, &command);

	return r < 0 ? r : x->e->shell(x->e->data, command, x->a, &piece->out, x->err);
}

/* In a path the arguments are what they are: it leads to a file of the workspace, or nowhere. */
static struct str with_args(struct expansion *x, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t from = 0;
	ptrdiff_t at;

	while ((at = str_find(s, args_mark, from)) >= 0) {
		buf_adds(&out, str_sub(s, from, (size_t)at));
		buf_adds(&out, x->args);
		from = (size_t)at + args_mark.n;
	}
	buf_adds(&out, str_sub(s, from, s.n));
	return arena_str(x->a, buf_str(&out));
}

static int expand_file(struct expansion *x, struct piece *piece)
{
	struct str path = with_args(x, piece->inner);
	int r = x->e->file(x->e->data, path, x->a, &piece->out, x->err);

	if (r != -E_NOTFOUND)
		return r;
	piece->out = arena_printf(x->a, "@{%.*s}", STR_ARG(path));
	return 0;
}

/* All of one kind, in their order; files come before commands, which may change them (H6.5). */
static int expand_kind(struct expansion *x, enum piece_kind kind)
{
	for (size_t i = 0; i < x->pieces.n; i++) {
		struct piece *piece = &x->pieces.p[i];
		int r = 0;

		if (piece->kind != kind)
			continue;
		if (kind == PIECE_TEXT)
			piece->out = piece->text;
		else if (kind == PIECE_ARGS)
			piece->out = x->args;
		else if (!piece->inner.n)
			piece->out = STR("");
		else
			r = kind == PIECE_FILE ? expand_file(x, piece) : expand_shell(x, piece);
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
	if (x->args.n && str_find(x->c->prompt, args_mark, 0) < 0) {
		buf_addz(&out, "\n\n");
		buf_adds(&out, str_trim(invocation));
	}
	*ret_prompt = arena_str(x->a, buf_str(&out));
	return 0;
}

static int expand_mcp(struct expansion *x, struct str *ret_prompt)
{
	const struct json *args, *messages;
	int r = prompt_mcp_arguments(x->a, x->c->arguments, x->args, &args, x->err);

	if (r < 0)
		return r;
	r = mcp_get_prompt(x->e->mcp, x->c->server, x->c->prompt_name, args, x->e->cancel, x->a,
			   &messages, x->err);
	if (r < 0)
		return r;
	*ret_prompt = prompt_mcp_text(x->a, messages);
	if (ret_prompt->n)
		return 0;
	return err_set(x->err, E_NOTFOUND, "the server %s gave an empty prompt", x->c->owner);
}

int prompt_command_expand(struct arena *a, const struct prompt_command *c, struct str args,
			  struct str invocation, const struct prompt_expand *e,
			  struct str *ret_prompt, struct err *err)
{
	AUTO(expansion_done) struct expansion x = {
		.a = a, .c = c, .e = e, .args = args, .err = err
	};

	return c->origin == CATALOG_MCP ? expand_mcp(&x, ret_prompt)
					: expand_file_command(&x, invocation, ret_prompt);
}
