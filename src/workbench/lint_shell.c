#include "workbench/lint_shell.h"

#include "base/buf.h"
#include "base/vec.h"
#include "base/words.h"

/* Where the scanner is, and the command and the word that it is in. */
struct scan {
	struct shell_look *look;
	struct str text;
	size_t at;
	shell_value_fn *value;
	const void *data;
	struct buf word;
	bool in_word, opaque;
	bool skip_word; /* the next word is the target of a redirection */
	bool after_or; /* the command stands behind || */
	bool redirected;
	struct {
		struct shell_word *p;
		size_t n, cap;
	} words;
};

static char peek(const struct scan *s, size_t ahead)
{
	return s->at + ahead < s->text.n ? s->text.p[s->at + ahead] : '\0';
}

static bool is_assignment(const char *word)
{
	size_t n = 0;

	while (char_is_word(word[n]))
		n++;
	return n > 0 && !char_is_digit(word[0]) && word[n] == '=';
}

static void end_command(struct scan *s, bool before_or, bool piped)
{
	if (s->words.n) {
		*VEC_ADD(s->look) = (struct shell_command){
			.words = ARENA_ARRAY(s->look->arena, struct shell_word, s->words.n),
			.n = s->words.n,
			.optional = before_or || s->after_or,
			.piped = piped,
			.redirected = s->redirected,
		};
		memcpy(s->look->p[s->look->n - 1].words, s->words.p,
		       s->words.n * sizeof *s->words.p);
	}
	s->words.n = 0;
	s->after_or = before_or;
	s->redirected = false;
}

static void end_word(struct scan *s)
{
	/* Words after which a command still begins, and those that the scanner does not follow. */
	static const char *const before[] = { "!",     "do",    "done", "elif", "else", "env",
					      "esac",  "exec",  "fi",   "if",   "then", "time",
					      "until", "while", "{",    "}" };
	static const char *const hard[] = { "case", "for", "function", "select", "coproc" };
	const char *text;

	if (!s->in_word)
		return;
	text = arena_z(s->look->arena, buf_str(&s->word));
	buf_clear(&s->word);
	s->in_word = false;
	if (s->skip_word) {
		s->skip_word = false;
	} else if (s->words.n > 0) {
		*VEC_ADD(&s->words) = (struct shell_word){ text, s->opaque };
	} else if (!s->opaque && WORD_IN(str_from(text), hard)) {
		s->look->lost = true;
	} else if (!is_assignment(text) && (s->opaque || !WORD_IN(str_from(text), before))) {
		*VEC_ADD(&s->words) = (struct shell_word){ text, s->opaque };
	}
	s->opaque = false;
}

/* Skips what stands between brackets that nest, from the opening one on. */
static void skip_nested(struct scan *s, char open, char close)
{
	size_t depth = 0;

	s->opaque = true;
	for (; s->at < s->text.n; s->at++) {
		char c = s->text.p[s->at];

		if (c == '\\')
			s->at++;
		else if (c == open)
			depth++;
		else if (c == close && --depth == 0) {
			s->at++;
			return;
		}
	}
	s->look->lost = true;
}

static void take_variable(struct scan *s)
{
	bool brace = peek(s, 1) == '{';
	size_t from = s->at + 1 + brace, to = from;
	const char *value;

	while (to < s->text.n && char_is_word(s->text.p[to]))
		to++;
	value = to > from ? s->value(str_sub(s->text, from, to), s->data) : NULL;
	if (brace && (!value || to == s->text.n || s->text.p[to] != '}')) {
		s->at++;
		skip_nested(s, '{', '}');
		return;
	}
	s->opaque |= !value;
	buf_addz(&s->word, value ? value : "");
	s->at = max_size(to, from + (to == from && from < s->text.n)) + brace;
}

static void take_dollar(struct scan *s)
{
	s->in_word = true;
	if (peek(s, 1) == '(') {
		s->at++;
		skip_nested(s, '(', ')');
	} else if (peek(s, 1) == '\'' || peek(s, 1) == '"') {
		s->opaque = true;
		s->at++; /* the quote follows; what its escapes mean is not looked at */
	} else {
		take_variable(s);
	}
}

/* '...': the engine makes our variables work in there, too. */
static void take_single(struct scan *s)
{
	s->in_word = true;
	for (s->at++; s->at < s->text.n && s->text.p[s->at] != '\'';) {
		size_t end = s->at + 1;

		while (s->text.p[s->at] == '$' && end < s->text.n && char_is_word(s->text.p[end]))
			end++;
		struct str name = str_sub(s->text, s->at + 1, end);
		const char *value =
			name.n && !str_eqz(name, "HOME") ? s->value(name, s->data) : NULL;
		if (value)
			buf_addz(&s->word, value);
		else
			buf_adds(&s->word, str_sub(s->text, s->at, end));
		s->at = end;
	}
	s->look->lost |= s->at >= s->text.n;
	s->at++;
}

static void take_backquote(struct scan *s)
{
	ptrdiff_t end = str_chr(s->text, '`', s->at + 1);

	s->in_word = s->opaque = true;
	s->look->lost |= end < 0;
	s->at = (size_t)end + 1;
}

static void take_double(struct scan *s)
{
	s->in_word = true;
	for (s->at++; !s->look->lost && s->at < s->text.n && s->text.p[s->at] != '"';) {
		char c = s->text.p[s->at];

		if (c == '$' && peek(s, 1) != '"' && peek(s, 1) != '\'') {
			take_dollar(s);
		} else if (c == '`') {
			take_backquote(s);
		} else {
			s->at += c == '\\' && s->at + 1 < s->text.n;
			buf_addc(&s->word, s->text.p[s->at++]);
		}
	}
	s->look->lost |= s->at >= s->text.n;
	s->at++;
}

static void take_redirection(struct scan *s)
{
	bool number = s->in_word && s->word.n == 1 && char_is_digit(s->word.p[0]);
	char c = s->text.p[s->at];

	if (peek(s, 1) == '(') {
		s->at++;
		skip_nested(s, '(', ')');
		s->in_word = true;
		return;
	}
	if (c == '<' && peek(s, 1) == '<' && peek(s, 2) != '<') {
		s->look->lost = true;
		return;
	}
	/* 2>file leaves stdout alone. */
	s->redirected |= c == '>' && !(number && s->word.p[0] != '1');
	if (number) {
		buf_clear(&s->word);
		s->in_word = false;
	}
	end_word(s);
	while (s->at < s->text.n && strchr("<>&|", s->text.p[s->at]))
		s->at++;
	s->skip_word = true;
}

/* A character that ends a command; "&>" was looked at before. */
static void take_operator(struct scan *s)
{
	char c = s->text.p[s->at];
	bool twice = peek(s, 1) == c;

	end_word(s);
	if (c == '(' && s->words.n) {
		s->look->lost = true; /* a function, or an array */
		return;
	}
	end_command(s, c == '|' && twice, c == '|' && !twice);
	s->at += 1 + (twice && (c == '|' || c == '&'));
}

static void skip_comment(struct scan *s)
{
	ptrdiff_t eol = str_chr(s->text, '\n', s->at);

	s->at = eol < 0 ? s->text.n : (size_t)eol;
}

static void take_plain(struct scan *s, char c)
{
	s->in_word = true;
	s->opaque |= strchr("*?[", c) != NULL;
	if (c == '\\' && peek(s, 1)) {
		s->at++;
		c = s->text.p[s->at];
	}
	if (c != '\n')
		buf_addc(&s->word, c);
	s->at++;
}

static void step(struct scan *s)
{
	char c = s->text.p[s->at];

	if (c == ' ' || c == '\t') {
		end_word(s);
		s->at++;
	} else if (c == '#' && !s->in_word) {
		skip_comment(s);
	} else if (c == '>' || c == '<' || (c == '&' && peek(s, 1) == '>')) {
		take_redirection(s);
	} else if (c && strchr("\n;&|()", c)) {
		take_operator(s);
	} else if (c == '\'') {
		take_single(s);
	} else if (c == '"') {
		take_double(s);
	} else if (c == '$') {
		take_dollar(s);
	} else if (c == '`') {
		take_backquote(s);
	} else if (c == '~' && !s->in_word && (peek(s, 1) == '/' || peek(s, 1) == '\0')) {
		const char *home = s->value(STR("HOME"), s->data);

		s->in_word = true;
		s->opaque = !home;
		buf_addz(&s->word, home ? home : "~");
		s->at++;
	} else {
		take_plain(s, c);
	}
}

void shell_look(struct shell_look *l, struct str text, shell_value_fn *value, const void *data)
{
	struct scan s = { .look = l, .text = text, .value = value, .data = data };

	while (s.at < text.n && !l->lost)
		step(&s);
	if (!l->lost) {
		end_word(&s);
		end_command(&s, false, false);
	}
	buf_done(&s.word);
	free(s.words.p);
}
