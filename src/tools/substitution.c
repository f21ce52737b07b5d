/*
 * A reader of shell quoting: a stack of what is open, and a list of here-documents whose text comes
 * after the line.  It never has to know what a command is.  Mistakes must fall on the safe side: a
 * quote that is open here and not in the shell would hide what follows.  Hence `tangled`: from a
 * place that shells read differently, quoting is not believed any more.
 */
#include "tools/substitution.h"

enum {
	DEPTH_MAX = 64,
	HEREDOCS_MAX = 16,
	WORD_MAX = 256,
};

enum mode {
	PLAIN,
	DOUBLE, /* "..." */
	BRACE, /* ${...} */
	ARITH, /* ((...)), $((...)): level counts the parentheses */
};

struct heredoc {
	char end[WORD_MAX];
	size_t n;
	bool quoted, tabs; /* <<- */
};

struct reader {
	struct str s;
	size_t i;
	struct {
		enum mode mode;
		int level;
	} stack[DEPTH_MAX];
	size_t depth;
	struct heredoc heredocs[HEREDOCS_MAX];
	size_t nheredocs;
	char before; /* the character before i, line continuations left out; \n at the start */
	bool found, tangled;
};

static char at(const struct reader *r, size_t i)
{
	return i < r->s.n ? r->s.p[i] : '\0';
}

/* The shell joins lines before it looks at characters. */
static size_t skip_joins(const struct reader *r, size_t i)
{
	while (at(r, i) == '\\' && at(r, i + 1) == '\n')
		i += 2;
	return i;
}

/* Is c the next character after the one at i?  Then *ret_after is where it ends. */
static bool next_is(const struct reader *r, size_t i, char c, size_t *ret_after)
{
	size_t next = skip_joins(r, i + 1);

	if (at(r, next) != c)
		return false;
	*ret_after = next + 1;
	return true;
}

static bool looks_like_one(const struct reader *r, size_t i)
{
	char c = at(r, i);
	size_t after;

	if (c == '$' && next_is(r, i, '{', &after)) /* ${ command; } of bash 5.3 */
		return at(r, skip_joins(r, after)) &&
		       strchr(" \t\n|(", at(r, skip_joins(r, after)));
	return c == '`' || ((c == '$' || c == '<' || c == '>') && next_is(r, i, '(', &after));
}

static bool anywhere(const struct reader *r)
{
	for (size_t i = 0; i < r->s.n; i++)
		if (looks_like_one(r, i))
			return true;
	return false;
}

static enum mode mode(const struct reader *r)
{
	return r->stack[r->depth].mode;
}

static void push(struct reader *r, enum mode m)
{
	if (r->depth + 1 == DEPTH_MAX) {
		r->tangled = true;
		return;
	}
	r->stack[++r->depth].mode = m;
	r->stack[r->depth].level = 2;
}

/* ---- here-documents ---- */

/* The word after << as the shell compares it with lines; i is behind it then. */
static void read_heredoc(struct reader *r, size_t i)
{
	struct heredoc *h = &r->heredocs[r->nheredocs];
	char quote = '\0', c;

	*h = (struct heredoc){ 0 };
	i = skip_joins(r, i);
	if (at(r, i) == '-') {
		h->tabs = true;
		i++;
	}
	while (at(r, i) == ' ' || at(r, i) == '\t')
		i++;
	for (; (c = at(r, i)) && (quote || !strchr(" \t\n;&|<>()", c)); i++) {
		if (c == '\n' || strchr("$`", c) || h->n + 1 == WORD_MAX ||
		    (c == '\\' && (quote == '"' || at(r, i + 1) == '\n')))
			r->tangled = true;
		if (r->tangled)
			return;
		if (c == quote) {
			quote = '\0';
		} else if (!quote && (c == '\'' || c == '"')) {
			quote = c;
			h->quoted = true;
		} else if (!quote && c == '\\') {
			h->quoted = true;
			h->end[h->n++] = at(r, ++i);
		} else {
			h->end[h->n++] = c;
		}
	}
	r->i = i;
	r->before = 'x';
	r->tangled = quote || ++r->nheredocs == HEREDOCS_MAX;
}

/* The line at i without its newline; *ret_next is where the next one begins. */
static struct str line_at(const struct reader *r, size_t i, size_t *ret_next)
{
	ptrdiff_t nl = str_chr(r->s, '\n', i);
	size_t end = nl < 0 ? r->s.n : (size_t)nl;

	*ret_next = nl < 0 ? end : end + 1;
	return str_sub(r->s, i, end);
}

static bool ends_joined(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[line.n - 1 - n] == '\\')
		n++;
	return n % 2 == 1;
}

static void read_text(struct reader *r, struct str line)
{
	size_t start = (size_t)(line.p - r->s.p);

	for (size_t i = start; i < start + line.n; i++) {
		if (at(r, i) == '\\')
			i++;
		else if (at(r, i) != '<' && at(r, i) != '>' && looks_like_one(r, i))
			r->found = true;
	}
}

/* Their texts, at the beginning of a line. */
static void skip_heredocs(struct reader *r)
{
	for (size_t k = 0; k < r->nheredocs; k++) {
		const struct heredoc *h = &r->heredocs[k];
		bool joined = false;

		while (r->i < r->s.n) {
			struct str line = line_at(r, r->i, &r->i), bare = line;

			while (h->tabs && bare.n && bare.p[0] == '\t')
				bare = str_sub(bare, 1, bare.n);
			if (!joined && str_eq(bare, (struct str){ h->end, h->n }))
				break;
			joined = !h->quoted && ends_joined(line);
			if (!h->quoted)
				read_text(r, line);
		}
	}
	r->nheredocs = 0;
}

/* ---- quotes and the rest ---- */

static void skip_single(struct reader *r)
{
	ptrdiff_t end = str_chr(r->s, '\'', r->i + 1);

	r->i = end < 0 ? r->s.n : (size_t)end + 1;
	r->before = '\'';
}

/* $'...': other shells than bash do not know it, and end it elsewhere when it has a \'. */
static void skip_ansi(struct reader *r, size_t i)
{
	for (; i < r->s.n && at(r, i) != '\''; i++)
		if (at(r, i) == '\\' && at(r, ++i) == '\'')
			r->tangled = true;
	r->i = i + 1;
	r->before = '\'';
}

static void skip_comment(struct reader *r)
{
	size_t next;

	r->i += line_at(r, r->i, &next).n;
}

static bool starts_word(char before)
{
	return strchr(" \t\n;&|()<>", before) != NULL;
}

static void dollar(struct reader *r)
{
	size_t after, more;

	if (next_is(r, r->i, '(', &after)) {
		if (!next_is(r, after - 1, '(', &more)) {
			r->found = true;
			return;
		}
		push(r, ARITH);
		r->i = more;
	} else if (looks_like_one(r, r->i)) {
		r->found = true;
	} else if (next_is(r, r->i, '{', &after)) {
		push(r, BRACE);
		r->i = after;
	} else if (next_is(r, r->i, '\'', &after) && (mode(r) == PLAIN || mode(r) == BRACE)) {
		if (mode(r) == BRACE)
			r->tangled = true;
		skip_ansi(r, after);
		return;
	} else if (next_is(r, r->i, '[', &after)) {
		r->tangled = true; /* old arithmetic */
	} else {
		r->i++;
	}
	r->before = '$';
}

static void quote(struct reader *r, char c)
{
	bool nested = mode(r) == BRACE && r->depth > 1;

	if (mode(r) == ARITH || nested) {
		r->tangled = true;
	} else if (c == '\'' && mode(r) != DOUBLE) {
		skip_single(r);
		return;
	} else if (c == '"' && mode(r) == DOUBLE) {
		r->depth--;
	} else if (c == '"') {
		push(r, DOUBLE);
	}
	r->i++;
	r->before = c;
}

/* In a[1<<2]= the two characters begin no here-document. */
static bool in_subscript(const struct reader *r)
{
	for (size_t i = r->i; i > 0 && !strchr(" \t\n;&|", at(r, i - 1)); i--)
		if (at(r, i - 1) == '[')
			return true;
	return false;
}

static void less(struct reader *r)
{
	size_t after, more;

	r->before = '<';
	if (mode(r) != PLAIN || !next_is(r, r->i, '<', &after)) {
		r->i++;
	} else if (next_is(r, after - 1, '<', &more)) {
		r->i = more; /* <<<word */
	} else if (in_subscript(r)) {
		r->tangled = true;
	} else {
		read_heredoc(r, after);
	}
}

static void parenthesis(struct reader *r, char c)
{
	size_t after;

	if (mode(r) == ARITH) {
		int level = r->stack[r->depth].level += c == '(' ? 1 : -1;

		/* "$((a) )" is a command in parentheses. */
		if (level == 1 && !next_is(r, r->i, ')', &after))
			r->tangled = true;
		if (level == 0)
			r->depth--;
	} else if (mode(r) == PLAIN && c == '(' && next_is(r, r->i, '(', &after)) {
		push(r, ARITH);
		r->i = after - 1;
	}
	r->i++;
	r->before = c;
}

static void other(struct reader *r, char c)
{
	r->i++;
	if (c == '}' && mode(r) == BRACE)
		r->depth--;
	if (c == '\n' && mode(r) == PLAIN)
		skip_heredocs(r);
	r->before = c;
}

static void step(struct reader *r)
{
	char c;

	r->i = skip_joins(r, r->i);
	c = at(r, r->i);
	if (r->i >= r->s.n)
		return;
	if (c == '\\') {
		r->i += 2;
		r->before = c;
	} else if (c == '`' || (c != '$' && mode(r) != DOUBLE && looks_like_one(r, r->i))) {
		r->found = true;
	} else if (c == '$') {
		dollar(r);
	} else if (c == '\'' || c == '"') {
		quote(r, c);
	} else if (c == '#' && mode(r) == PLAIN && starts_word(r->before)) {
		skip_comment(r);
	} else if (c == '<') {
		less(r);
	} else if (c == '(' || c == ')') {
		parenthesis(r, c);
	} else {
		other(r, c);
	}
}

bool shell_substitutes(struct str command)
{
	struct reader r = { .s = command, .before = '\n' };

	while (r.i < command.n && !r.found && !r.tangled)
		step(&r);
	return r.found || (r.tangled && anywhere(&r));
}
