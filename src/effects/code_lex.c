#include "effects/code.h"

struct lexer {
	struct code_tokens *t;
	const struct code_grammar *g;
	struct str s;
	size_t i;
	unsigned indent, depth;
	bool line, space;
	/* Here-documents whose text begins on the next line: their tokens. */
	unsigned waiting[4], nwaiting;
};

static bool has(const struct lexer *l, unsigned syntax)
{
	return l->g->syntax & syntax;
}

static char peek(const struct lexer *l, size_t ahead)
{
	return str_at(l->s, l->i + ahead);
}

static bool looking_at(const struct lexer *l, const char *z)
{
	return str_starts(str_sub(l->s, l->i, l->s.n), str_from(z));
}

static bool begins_name(char c)
{
	return (char_is_word(c) && !char_is_digit(c)) || (unsigned char)c >= 0x80;
}

static bool is_in_name(char c)
{
	return char_is_word(c) || (unsigned char)c >= 0x80;
}

static struct code_token *add(struct lexer *l, enum code_token_kind kind, size_t from, size_t to)
{
	struct code_token *k = ARENA_ADD(l->t->arena, l->t);

	*k = (struct code_token){
		.kind = kind,
		.line = l->line || l->t->n == 1,
		.space = l->space || l->t->n == 1,
		.indent = l->indent,
		.at = from,
		.text = str_sub(l->s, from, to),
	};
	l->line = l->space = false;
	return k;
}

/* Is the last token an operand, so that "/" divides and "%" is no sigil? */
static bool after_operand(const struct lexer *l)
{
	static const char *const words[] = { "return", "and",   "or",     "not",    "if",
					     "in",     "case",  "typeof", "unless", "when",
					     "while",  "until", "split",  "grep",   "then",
					     "else",   "print", "delete", "join",   "yield" };
	const struct code_token *k = l->t->n ? &l->t->p[l->t->n - 1] : NULL;

	if (!k)
		return false;
	if (k->kind == TOKEN_OPERATOR)
		return k->text.n == 1 && strchr(")]}", k->text.p[0]);
	if (k->kind == TOKEN_NAME)
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (token_is(k, words[i]))
				return false;
	/* my %h, keys %h: no operator, which has as much space on both sides */
	if (k->kind == TOKEN_NAME && l->g->language == CODE_PERL && peek(l, 0) == '%')
		return strchr("$@%", k->text.p[0]) || !l->space || peek(l, 1) == ' ';
	return true;
}

/* The end of text that ends with `quote`, which backslashes and nested brackets protect. */
static size_t quoted_end(const struct lexer *l, size_t from, char open, char close, bool escapes)
{
	unsigned depth = 0;

	for (size_t i = from; i < l->s.n; i++) {
		char c = l->s.p[i];

		if (c == '\\' && escapes)
			i++;
		else if (c == close && depth-- == 0)
			return i;
		else if (c == open && open != close)
			depth++;
	}
	return l->s.n;
}

/* Behind the code in a text, "#{...}" or "{...}", which may hold the quote itself; 0 = no end. */
static size_t hole_end(const struct lexer *l, size_t from)
{
	unsigned braces = 0;

	for (size_t i = from; i < l->s.n; i++) {
		char c = l->s.p[i];

		if (c == '"' || c == '\'')
			i = quoted_end(l, i + 1, c, c, true);
		else if (c == '{')
			braces++;
		else if (c == '}' && --braces == 0)
			return i + 1;
	}
	return 0;
}

/* As quoted_end(), of a text with code in it. */
static size_t holed_end(const struct lexer *l, size_t from, char quote, enum code_parts parts)
{
	for (size_t i = from, after; i < l->s.n; i = after) {
		char c = l->s.p[i], next = str_at(l->s, i + 1);
		bool doubled = parts == PARTS_BRACES && c == '{' && next == '{';

		if (c == quote)
			return i;
		after = i + (c == '\\' || doubled ? 2 : 1);
		if (parts == PARTS_NAMES && c == '$' && next == '{') {
			size_t end = hole_end(l, i);

			/* What its own line does not end is text. */
			after = end && str_chr(str_sub(l->s, i, end), '\n', 0) < 0 ? end : i + 1;
		} else if (parts != PARTS_NAMES && !doubled &&
			   (parts == PARTS_BRACES ? c == '{' : c == '#' && next == '{')) {
			after = hole_end(l, i);
		}
		if (!after)
			break; /* no code that would run */
	}
	return quoted_end(l, from, quote, quote, true);
}

static size_t template_end(const struct lexer *l, size_t from)
{
	unsigned braces = 0;

	/* A template in a template's ${} is passed over. */
	for (size_t i = from; i < l->s.n; i++) {
		char c = l->s.p[i];

		if (c == '\\')
			i++;
		else if (c == '$' && i + 1 < l->s.n && l->s.p[i + 1] == '{')
			braces++, i++;
		else if (c == '{' && braces)
			braces++;
		else if (c == '}' && braces)
			braces--;
		else if (c == '`' && !braces)
			return i;
	}
	return l->s.n;
}

static struct code_token *text_token(struct lexer *l, size_t from, size_t to, size_t after,
				     enum code_escapes escapes, enum code_parts parts)
{
	struct code_token *k = add(l, TOKEN_TEXT, from, to);

	k->at = l->i;
	k->escapes = escapes;
	k->parts = parts;
	l->i = min_size(after, l->s.n);
	k->end = l->i;
	return k;
}

static enum code_parts parts_of(const struct lexer *l)
{
	if (l->g->language == CODE_COMPILED)
		return PARTS_NAMES;
	if (l->g->language == CODE_JULIA)
		return PARTS_DOLLARS;
	if (!has(l, SYNTAX_INTERPOLATES))
		return PARTS_NONE;
	return has(l, SYNTAX_PERCENT) ? PARTS_HASH_BRACES : PARTS_SIGILS;
}

/* A quote, with the letters of a prefix in front (Python's rb, f). */
static void lex_quoted(struct lexer *l, size_t prefix)
{
	struct str before = str_sub(l->s, l->i, l->i + prefix);
	size_t at = l->i + prefix, from = at + 1;
	char q = l->s.p[at];
	bool raw = false, parts = false;
	size_t to;

	for (size_t i = 0; i < before.n; i++) {
		raw |= (before.p[i] | 32) == 'r';
		parts |= (before.p[i] | 32) == 'f';
	}
	if (has(l, SYNTAX_TRIPLE) && at + 2 < l->s.n && l->s.p[at + 1] == q &&
	    l->s.p[at + 2] == q) {
		struct str three = str_sub(l->s, at, at + 3);
		size_t i = at + 3;

		while (i < l->s.n && !str_starts(str_sub(l->s, i, l->s.n), three))
			i += l->s.p[i] == '\\' ? 2 : 1;
		i = min_size(i, l->s.n);
		text_token(l, at + 3, i, i + 3, raw ? ESCAPES_NONE : ESCAPES_C,
			   parts ? PARTS_BRACES : parts_of(l));
		return;
	}
	if (q == '`' && has(l, SYNTAX_TEMPLATE)) {
		to = template_end(l, from);
		text_token(l, from, to, to + 1, ESCAPES_C, PARTS_DOLLAR_BRACES);
		return;
	}
	enum code_parts holes = parts ? PARTS_BRACES : q != '\'' ? parts_of(l) : PARTS_NONE;

	to = holes == PARTS_BRACES || holes == PARTS_HASH_BRACES || holes == PARTS_NAMES
		     ? holed_end(l, from, q, holes)
		     : quoted_end(l, from, q, q, true);
	if (q == '`')
		text_token(l, from, to, to + 1, ESCAPES_C, holes)->kind = TOKEN_COMMAND;
	else if (q == '\'' && has(l, SYNTAX_RAW_SINGLE))
		text_token(l, from, to, to + 1, ESCAPES_SINGLE, PARTS_NONE);
	else
		text_token(l, from, to, to + 1, raw ? ESCAPES_NONE : ESCAPES_C, holes);
}

static char closing(char open)
{
	const char *pair = strchr("()[]{}<>", open);

	return pair && open ? pair[1] : open;
}

/* q(), qw(), %w[], s///: `skip` bytes, then a delimiter. */
static void lex_delimited(struct lexer *l, size_t skip, enum code_token_kind kind, bool plain,
			  unsigned parts)
{
	char open = peek(l, skip);
	size_t from = l->i + skip + 1, to = quoted_end(l, from, open, closing(open), true);
	struct code_token *k;
	size_t after = to + 1;

	if (parts == 2) { /* s and tr have a second part */
		if (closing(open) != open) {
			while (after < l->s.n && strchr(" \t\n", l->s.p[after]))
				after++;
			after++;
		}
		after = quoted_end(l, min_size(after, l->s.n), open, closing(open), true) + 1;
	}
	k = text_token(l, from, to, after, plain ? ESCAPES_SINGLE : ESCAPES_C,
		       plain ? PARTS_NONE : parts_of(l));
	k->kind = kind;
	if (kind == TOKEN_REGEX)
		while (begins_name(peek(l, 0)))
			l->i++;
	k->end = l->i;
}

static bool delimits(char c)
{
	return c > ' ' && c < 0x7f && !char_is_word(c) && c != ',' && c != ';' && c != ')';
}

/* q, qq, qw, qx, m, s, tr, y, qr with a delimiter. */
static bool lex_perl_quote(struct lexer *l)
{
	static const struct {
		const char *name;
		unsigned char kind, plain, parts;
	} quotes[] = {
		{ "qw", TOKEN_WORDS, true, 1 },    { "qq", TOKEN_TEXT, false, 1 },
		{ "qx", TOKEN_COMMAND, false, 1 }, { "qr", TOKEN_REGEX, true, 1 },
		{ "q", TOKEN_TEXT, true, 1 },      { "m", TOKEN_REGEX, true, 1 },
		{ "s", TOKEN_REGEX, true, 2 },     { "tr", TOKEN_REGEX, true, 2 },
		{ "y", TOKEN_REGEX, true, 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(quotes); i++) {
		size_t n = strlen(quotes[i].name);

		if (!looking_at(l, quotes[i].name) || is_in_name(peek(l, n)))
			continue;
		while (peek(l, n) == ' ' && strchr("{([<", peek(l, n + 1)) && peek(l, n + 1))
			n++;
		if (!delimits(peek(l, n)) || peek(l, n) == '}' ||
		    /* $x{s} */ (peek(l, n) == '=' && peek(l, n + 1) == '>') ||
		    (peek(l, n) == '=' && quotes[i].kind == TOKEN_REGEX))
			return false;
		lex_delimited(l, n, quotes[i].kind, quotes[i].plain, quotes[i].parts);
		return true;
	}
	return false;
}

static bool lex_ruby_percent(struct lexer *l)
{
	char k = peek(l, 1);

	if (after_operand(l) && !(l->space && peek(l, 2) != ' '))
		return false;
	if (k && strchr("wWiI", k) && delimits(peek(l, 2)))
		lex_delimited(l, 2, TOKEN_WORDS, true, 1);
	else if (k == 'x' && delimits(peek(l, 2)))
		lex_delimited(l, 2, TOKEN_COMMAND, false, 1);
	else if (k && strchr("qQr", k) && delimits(peek(l, 2)))
		lex_delimited(l, 2, k == 'r' ? TOKEN_REGEX : TOKEN_TEXT, k == 'q', 1);
	else if (k && strchr("([{", k))
		lex_delimited(l, 1, TOKEN_TEXT, false, 1);
	else
		return false;
	return true;
}

/* <<EOT, <<~"EOT", <<<'EOT': its text is filled in where the line ends. */
static bool lex_heredoc(struct lexer *l)
{
	size_t i = 2;
	bool quoted, plain;
	struct code_token *k;
	size_t from;

	if (has(l, SYNTAX_PERCENT) && peek(l, i) == ' ') /* io << "x" of Ruby */
		return false;
	if (peek(l, i) == '<')
		i++;
	while (peek(l, i) && strchr("~- ", peek(l, i)) && i < 5)
		i++;
	quoted = peek(l, i) == '"' || peek(l, i) == '\'';
	plain = peek(l, i) == '\'';
	if (quoted)
		i++;
	from = l->i + i;
	if (!begins_name(peek(l, i)) || l->nwaiting == ARRAY_LEN(l->waiting) ||
	    (!quoted && after_operand(l) && i == 2 && l->space))
		return false;
	while (is_in_name(peek(l, i)))
		i++;
	k = text_token(l, from, l->i + i, l->i + i + quoted, plain ? ESCAPES_NONE : ESCAPES_C,
		       plain ? PARTS_NONE : parts_of(l));
	k->at = from;
	l->waiting[l->nwaiting++] = l->t->n - 1;
	return true;
}

/* The line end has been read: the here-documents that begin there. */
static void lex_heredoc_bodies(struct lexer *l)
{
	for (unsigned w = 0; w < l->nwaiting; w++) {
		struct code_token *k = &l->t->p[l->waiting[w]];
		struct str name = k->text;
		size_t from = l->i, to = l->s.n;

		while (l->i < l->s.n) {
			ptrdiff_t end = str_chr(l->s, '\n', l->i);
			struct str line = str_sub(l->s, l->i, end < 0 ? l->s.n : (size_t)end);
			struct str word = str_trim(line);
			size_t at = l->i;

			l->i = end < 0 ? l->s.n : (size_t)end + 1;
			if (str_starts(word, name) &&
			    (word.n == name.n || !is_in_name(word.p[name.n]))) {
				to = at;
				break;
			}
		}
		k->text = str_sub(l->s, from, to);
	}
	l->nwaiting = 0;
}

static void lex_name(struct lexer *l, size_t sigil)
{
	size_t n = sigil;
	bool dollars = l->g->language == CODE_JAVASCRIPT || l->g->language == CODE_MONGO;
	size_t from = l->i;
	struct code_token *k;

	while (is_in_name(peek(l, n)) || (dollars && peek(l, n) == '$') ||
	       (l->g->language == CODE_R && peek(l, n) == '.') ||
	       (has(l, SYNTAX_PERL_QUOTES) && peek(l, n) == ':' && peek(l, n + 1) == ':' &&
		begins_name(peek(l, n + 2))))
		n += peek(l, n) == ':' ? 2 : 1;
	if (peek(l, n + 1) != '=' &&
	    ((has(l, SYNTAX_PERCENT) && peek(l, n) && strchr("?!", peek(l, n))) ||
	     (l->g->language == CODE_JULIA && peek(l, n) == '!')))
		n++;
	l->i += n;
	if (l->g->language == CODE_R && looking_at(l, "::")) { /* of a package */
		l->i += looking_at(l, ":::") ? 3 : 2;
		return;
	}
	k = add(l, TOKEN_NAME, from, l->i);
	k->end = l->i;
	if (l->g->language == CODE_R && str_chr(k->text, '.', 0) >= 0) {
		char *p = arena_z(l->t->arena, k->text); /* file.remove: "file_remove" */

		for (size_t i = 0; i < k->text.n; i++)
			p[i] = p[i] == '.' ? '_' : p[i];
		k->text.p = p;
	}
}

static bool lex_sigil(struct lexer *l)
{
	char c = peek(l, 0), next = peek(l, 1);
	size_t from = l->i;

	if ((c == '%' && after_operand(l)) || (c != '$' && l->g->language == CODE_PHP) ||
	    ((c == '%' || c == '&') && has(l, SYNTAX_PERCENT)))
		return false;
	if (c == '&' && (after_operand(l) || !begins_name(next)))
		return false;
	if (c == '$' && next == '#' && (begins_name(peek(l, 2)) || peek(l, 2) == '{'))
		l->i++; /* the last index: as good as the array */
	if (begins_name(peek(l, 1)) || peek(l, 1) == ':') {
		lex_name(l, 1);
		l->t->p[l->t->n - 1].text = str_sub(l->s, from, l->i);
		return true;
	}
	if (has(l, SYNTAX_PERL_QUOTES) && (c == '$' || c == '@') && next && strchr("{$", next)) {
		/* ${...}, @{...}, $$x: what they point at is as good */
		if (next == '$' && !begins_name(peek(l, 2)))
			l->i++;
		l->i++;
		return true;
	}
	if (c == '$' && (char_is_digit(next) || (next && strchr("!@&0;/\\,.|\"'<>()[]$", next)))) {
		l->i += 2;
		add(l, TOKEN_NAME, from, l->i)->end = l->i;
		return true;
	}
	if (c == '@' && has(l, SYNTAX_PERCENT) && next == '@' && begins_name(peek(l, 2))) {
		lex_name(l, 2);
		return true;
	}
	return false;
}

static void lex_operator(struct lexer *l)
{
	static const char *const operators[] = {
		"===", "!==", "**=", "||=", "&&=", "?\?=", "//=", ">>=", "<<=", "...",
		"<=>", "=>",  "->",  "::",  "?.",  "**",   "==",  "!=",  "<=",  ">=",
		"&&",  "||",  "?\?", "+=",  "-=",  "*=",   "/=",  ".=",  "|=",  "%=",
		"..",  "=~",  "!~",  "<<",  ">>",  ":=",   "++",  "--",  "//",  "~=",
	};
	size_t n = 1;

	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (looking_at(l, operators[i])) {
			n = strlen(operators[i]);
			break;
		}
	l->i += n;
	add(l, TOKEN_OPERATOR, l->i - n, l->i)->end = l->i;
}

static bool lex_comment(struct lexer *l)
{
	char c = peek(l, 0);
	bool line = (c == '#' && has(l, SYNTAX_HASH)) ||
		    (c == '/' && peek(l, 1) == '/' && has(l, SYNTAX_SLASHES)) ||
		    (c == '-' && peek(l, 1) == '-' && has(l, SYNTAX_DASHES));
	ptrdiff_t end = -1;

	if (c == '/' && peek(l, 1) == '*' && has(l, SYNTAX_SLASHES)) {
		end = str_find(l->s, STR("*/"), l->i + 2);
		l->i = end < 0 ? l->s.n : (size_t)end + 2;
		return true;
	}
	if (!line)
		return false;
	if (looking_at(l, "--[[")) {
		end = str_find(l->s, STR("]]"), l->i + 4);
		l->i = end < 0 ? l->s.n : (size_t)end + 2;
		return true;
	}
	end = str_chr(l->s, '\n', l->i);
	l->i = end < 0 ? l->s.n : (size_t)end;
	return true;
}

/* =pod ... =cut, =begin ... =end, __END__ */
static bool lex_line_comment(struct lexer *l)
{
	bool pod = has(l, SYNTAX_PERL_QUOTES | SYNTAX_PERCENT) && peek(l, 0) == '=' &&
		   begins_name(peek(l, 1));
	ptrdiff_t end;

	if ((pod || has(l, SYNTAX_PERL_QUOTES | SYNTAX_PERCENT)) && looking_at(l, "__END__")) {
		l->i = l->s.n;
		return true;
	}
	if (!pod)
		return false;
	end = str_find(l->s, has(l, SYNTAX_PERCENT) ? STR("\n=end") : STR("\n=cut"), l->i);
	l->i = end < 0 ? l->s.n : (size_t)end + 5;
	return true;
}

static void lex_blank(struct lexer *l)
{
	char c = peek(l, 0);

	l->space = true;
	l->i++;
	if (c != '\n')
		return;
	lex_heredoc_bodies(l);
	if (l->depth == 0 || !has(l, SYNTAX_INDENT))
		l->line = true;
	l->indent = 0;
	while (peek(l, 0) == ' ' || peek(l, 0) == '\t')
		l->indent += peek(l, 0) == '\t' ? 8 : 1, l->i++;
	if (lex_line_comment(l))
		l->space = true;
}

/* Letters in front of a Python quote. */
static size_t prefix_length(const struct lexer *l)
{
	size_t n = 0;

	while (n < 3 && peek(l, n) && strchr("rRbBfFuU", peek(l, n)))
		n++;
	return n && (peek(l, n) == '\'' || peek(l, n) == '"') ? n : 0;
}

/* $"..." and @"..." of C#, &'a and <'a of Rust: the mark means nothing. */
static bool skips_mark(const struct lexer *l)
{
	char c = peek(l, 0), next = peek(l, 1), before = l->i ? l->s.p[l->i - 1] : '\0';

	if (c == '$' || c == '@')
		return next == '"' || ((next == '$' || next == '@') && peek(l, 2) == '"');
	return c == '\'' && begins_name(next) && peek(l, 2) != '\'' &&
	       (before == '&' || before == '<');
}

/* x <- y, x %>% f(), \\(x) y of R; x' and 'c' of Julia. */
static bool lex_other(struct lexer *l)
{
	static const struct {
		enum code_language language;
		const char *is, *as;
	} operators[] = {
		{ CODE_R, "<<-", "=" },  { CODE_R, "<-", "=" },    { CODE_R, "%>%", "|>" },
		{ CODE_R, "|>", "|>" },  { CODE_R, "%in%", "in" }, { CODE_JULIA, "|>", "|>" },
		{ CODE_R, "\\(", NULL },
	};

	if (l->g->language == CODE_JULIA && peek(l, 0) == '\'' &&
	    (after_operand(l) || peek(l, 2) != '\'')) {
		l->i++; /* a matrix the other way round */
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		struct code_token *k;

		if (operators[i].language != l->g->language || !looking_at(l, operators[i].is))
			continue;
		k = add(l, operators[i].as ? TOKEN_OPERATOR : TOKEN_NAME, l->i, l->i);
		k->text = str_from(operators[i].as ? operators[i].as : "function");
		l->i += operators[i].as ? strlen(operators[i].is) : 1;
		k->end = l->i;
		return true;
	}
	return false;
}

static void lex_one(struct lexer *l)
{
	char c = peek(l, 0);

	if ((l->g->language == CODE_R || l->g->language == CODE_JULIA) && lex_other(l))
		return;
	if (c <= ' ' && c >= 0) {
		lex_blank(l);
	} else if (c == '\\' && (peek(l, 1) == '\n' || peek(l, 1) == '\r')) {
		l->i += 2;
		l->space = true;
	} else if (c == '?' && peek(l, 1) == '>' && l->g->language == CODE_PHP) {
		ptrdiff_t end = str_find(l->s, STR("<?"), l->i);

		l->i = end < 0 ? l->s.n : (size_t)end + 2;
		add(l, TOKEN_OPERATOR, 0, 0)->text = STR(";");
	} else if (lex_comment(l)) {
		l->space = true;
	} else if (has(l, SYNTAX_TRIPLE) && prefix_length(l)) {
		lex_quoted(l, prefix_length(l));
	} else if (l->g->language == CODE_COMPILED && skips_mark(l)) {
		l->i++;
	} else if (c == '"' || c == '\'' ||
		   (c == '`' && has(l, SYNTAX_TEMPLATE | SYNTAX_BACKQUOTE))) {
		lex_quoted(l, 0);
	} else if (has(l, SYNTAX_LONG_BRACKETS) && c == '[' && peek(l, 1) == '[') {
		ptrdiff_t end = str_find(l->s, STR("]]"), l->i + 2);
		size_t to = end < 0 ? l->s.n : (size_t)end;

		text_token(l, l->i + 2, to, to + 2, ESCAPES_NONE, PARTS_NONE);
	} else if (has(l, SYNTAX_PERL_QUOTES) && strchr("qmsty", c) &&
		   !(l->t->n && token_is(&l->t->p[l->t->n - 1], "->")) && lex_perl_quote(l)) {
	} else if (has(l, SYNTAX_PERCENT) && c == '%' && lex_ruby_percent(l)) {
	} else if (has(l, SYNTAX_HEREDOC) && c == '<' && peek(l, 1) == '<' && lex_heredoc(l)) {
	} else if (has(l, SYNTAX_SIGILS) && strchr("$@%&", c) && lex_sigil(l)) {
	} else if (begins_name(c) ||
		   (c == '$' && !has(l, SYNTAX_SIGILS) && l->g->language != CODE_R) ||
		   (c == '#' && l->g->language == CODE_JAVASCRIPT && begins_name(peek(l, 1)))) {
		lex_name(l, c == '$' || c == '#'); /* this.#name */
	} else if (char_is_digit(c)) {
		size_t n = 1;

		while (is_in_name(peek(l, n)) ||
		       (peek(l, n) == '.' && char_is_digit(peek(l, n + 1))))
			n++;
		l->i += n;
		add(l, TOKEN_NUMBER, l->i - n, l->i)->end = l->i;
	} else if (has(l, SYNTAX_REGEX) && c == '/' && !after_operand(l)) {
		lex_delimited(l, 0, TOKEN_REGEX, true, 1);
	} else {
		if (strchr("([{", c))
			l->depth++;
		else if (strchr(")]}", c) && l->depth)
			l->depth--;
		lex_operator(l);
	}
}

static bool is_opener(const struct code_grammar *g, const struct code_token *t, unsigned i,
		      bool inside)
{
	const struct code_token *k = &t[i];

	if (inside && g->language == CODE_JULIA && (token_is(k, "for") || token_is(k, "if")))
		return false; /* [f(x) for x in y if z] */
	if (k->kind != TOKEN_NAME || (i && token_is(&t[i - 1], ".")))
		return false;
	if (token_is(k, "do"))
		return true; /* but not the one of a loop: see there */
	if (g->language == CODE_RUBY && !k->line && i && !token_is(&t[i - 1], ";") &&
	    !token_is(&t[i - 1], "=") &&
	    (token_is(k, "if") || token_is(k, "unless") || token_is(k, "while") ||
	     token_is(k, "until")))
		return false; /* a modifier */
	for (const char *const *w = g->openers; *w; w++)
		if (token_is(k, *w))
			return true;
	return false;
}

/* Which bracket closes which, where a block ends, and the loops in brackets; false: not of all. */
static bool match(struct code_tokens *t, const struct code_grammar *g)
{
	unsigned open[CODE_NESTING_MAX * 4], n = 0;
	bool loop_do = false; /* the "do" that comes belongs to a loop */
	bool all = true;

	for (unsigned i = 0; i + 1 < t->n; i++) {
		struct code_token *k = &t->p[i];
		char c = k->kind == TOKEN_OPERATOR && k->text.n == 1 ? k->text.p[0] : '\0';

		if (c && strchr("([{", c)) {
			all &= n < ARRAY_LEN(open);
			if (n < ARRAY_LEN(open))
				open[n++] = i;
		} else if (c && strchr(")]}", c)) {
			if (n && t->p[open[n - 1]].kind == TOKEN_OPERATOR)
				t->p[open[--n]].match = i;
		} else if (token_is(k, "for") && n && !t->p[open[n - 1]].loop && i &&
			   i > open[n - 1] + 1) {
			t->p[open[n - 1]].loop = i;
		}
		if (!(g->syntax & SYNTAX_END))
			continue;
		if (k->line)
			loop_do = false;
		if (is_opener(g, t->p, i, n && t->p[open[n - 1]].kind == TOKEN_OPERATOR)) {
			if (token_is(k, "do") && loop_do) {
				loop_do = false;
				continue;
			}
			all &= n < ARRAY_LEN(open);
			if (n < ARRAY_LEN(open))
				open[n++] = i;
			loop_do |=
				token_is(k, "while") || token_is(k, "for") || token_is(k, "until");
		} else if (token_is(k, "end") && n && t->p[open[n - 1]].kind == TOKEN_NAME) {
			t->p[open[--n]].match = i;
		}
	}
	return all;
}

void code_lex(struct code_tokens *t, const struct code_grammar *g, struct effects *e,
	      struct str text)
{
	struct lexer l = { .t = t, .g = g, .s = text };

	*t = (struct code_tokens){ .arena = e->arena, .text = text };
	while (l.i < l.s.n)
		lex_one(&l);
	l.line = true;
	add(&l, TOKEN_END, text.n, text.n)->end = text.n;
	if (g->language == CODE_JAVASCRIPT)
		code_untype(t);
	if (!match(t, g))
		effects_unjudged(e, STR("(code that is nested too deeply)"));
}
