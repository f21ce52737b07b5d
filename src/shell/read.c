/*
 * The reader: recursive descent over the text, without tokens of its own, because what a character
 * means depends on where it is.  A line continuation is skipped by sh_peek() and sh_step(), so
 * that the rest sees none.  This file has lists and commands; reader.h says what the others have.
 */
#include "base/words.h"
#include "shell/reader.h"

static const struct sh_node *take_list(struct reader *r, unsigned ends, bool needed);
static struct sh_node *take_command(struct reader *r);

/* ---- simple commands ---- */

struct assigns {
	struct sh_assign *p;
	size_t n, cap;
};

/* NAME=value, NAME+=value, NAME[...]=value: from the first word of a command. */
static bool is_assignment(struct reader *r, const struct sh_word *w, struct sh_assign *ret)
{
	struct str raw = str_sub(r->text, w->at, w->end), rest;
	struct sh_piece *p;
	size_t n = 0, k = 0;

	while (n < raw.n && char_is_word(raw.p[n]))
		n++;
	if (!n || char_is_digit(raw.p[0]) || n >= raw.n || !strchr("=+[", raw.p[n]))
		return false;
	*ret = (struct sh_assign){ .name = str_sub(raw, 0, n), .subscript = raw.p[n] == '[' };
	/* The piece with the "=". */
	if (ret->subscript) {
		while (k < w->n && (w->p[k].quote != SH_BARE || w->p[k].kind != SH_TEXT ||
				    (str_find(w->p[k].text, STR("]="), 0) < 0 &&
				     str_find(w->p[k].text, STR("]+="), 0) < 0)))
			k++;
		if (k == w->n) {
			r->dubious |= str_chr(raw, ']', 0) < 0; /* a[1 + 2]=3 */
			return false;
		}
		for (size_t i = 0; i < k; i++) /* a[$(...)]=3 */
			r->dubious |= w->p[i].script || w->p[i].kind == SH_ARITH;
		ret->index = (struct sh_word){ .p = w->p, .n = k, .at = w->at, .end = w->end };
		/* What is in front of the bracket in the last piece: a[i]=, a[$x+1]= */
		p = ARENA_ARRAY(r->a, struct sh_piece, k + 1);
		memcpy(p, w->p, (k + 1) * sizeof *p);
		p[k].text = str_sub(p[k].text, 0, (size_t)str_chr(p[k].text, ']', 0));
		p[0].text = STR("");
		ret->index.p = p;
		ret->index.n = k + 1;
	}
	rest = w->p[k].text;
	ptrdiff_t eq = str_chr(rest, '=', ret->subscript ? (size_t)str_chr(rest, ']', 0) : 0);
	if (eq < 0 ||
	    (!ret->subscript && (size_t)eq != n && !((size_t)eq == n + 1 && raw.p[n] == '+')))
		return false;
	ret->append = eq > 0 && rest.p[eq - 1] == '+';
	p = ARENA_ARRAY(r->a, struct sh_piece, w->n - k + 2);
	memcpy(p + 1, w->p + k, (w->n - k) * sizeof *p);
	p[1].text = str_sub(rest, (size_t)eq + 1, rest.n);
	p[1].at += (size_t)eq + 1;
	/* ~ begins a home directory behind "=" and ":". */
	for (size_t i = 1; i <= w->n - k; i++)
		if (p[i].quote == SH_BARE && p[i].kind == SH_TEXT &&
		    ((i == 1 && str_starts(p[i].text, STR("~"))) ||
		     str_find(p[i].text, STR(":~"), 0) >= 0))
			p[i].kind = SH_TILDE;
	bool empty = p[1].text.n == 0;
	ret->value = (struct sh_word){ .p = p + 1 + empty,
				       .n = w->n - k - empty,
				       .at = p[1].at,
				       .end = w->end,
				       .quoted = w->quoted };
	return true;
}

/* (a b c) behind NAME=. */
static void take_array(struct reader *r, struct sh_assign *to)
{
	struct words v = { 0 };
	struct sh_piece *p;
	struct sh_word w;

	to->array = true;
	sh_step(r, 1);
	for (sh_skip_newlines(r); sh_peek(r, 0) != ')' && !r->error; sh_skip_newlines(r)) {
		if (!sh_take_word(r, &w, IN_WORD)) {
			sh_fail(r, "an array is not ended");
			continue;
		}
		/* [x]=y, an item of an array, is no pattern. */
		if (w.n && w.p[0].kind == SH_GLOB && str_eqz(w.p[0].text, "[") &&
		    str_find(str_sub(r->text, w.at, w.end), STR("]="), 0) >= 0) {
			p = ARENA_ARRAY(r->a, struct sh_piece, w.n);
			memcpy(p, w.p, w.n * sizeof *p);
			p[0].kind = SH_TEXT;
			w.p = p;
		}
		*VEC_ADD(&v) = w;
	}
	sh_step(r, 1);
	struct sh_word *items = ARENA_ARRAY(r->a, struct sh_word, v.n + 1);
	if (v.n)
		memcpy(items, v.p, v.n * sizeof *items);
	to->items = items;
	to->nitems = v.n;
	free(v.p);
}

static void set_bodies(struct reader *r, struct sh_node *n, const struct bodies *v)
{
	const struct sh_node **p = ARENA_ARRAY(r->a, const struct sh_node *, v->n + 1);

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	n->bodies = p;
	n->nbodies = v->n;
}

static void set_redirects(struct reader *r, struct sh_node *n, struct redirects *v)
{
	struct sh_redirect *p = ARENA_ARRAY(r->a, struct sh_redirect, v->n + 1);

	/* A here-document is filled at the end of its line, where this copy must be known. */
	for (size_t i = 0; i < v->n; i++) {
		p[i] = *v->p[i];
		for (size_t k = 0; k < r->npending; k++)
			if (r->pending[k] == v->p[i])
				r->pending[k] = &p[i];
	}
	n->redirects = p;
	n->nredirects = v->n;
	free(v->p);
}

static void set_body(struct reader *r, struct sh_node *n, const struct sh_node *body)
{
	set_bodies(r, n, &(struct bodies){ .p = &body, .n = 1 });
}

/* name () compound-command */
static bool take_function_body(struct reader *r, struct sh_node *n, struct str name)
{
	const struct sh_node *body;

	n->kind = SH_FUNCTION;
	n->name = name;
	sh_skip_newlines(r);
	body = take_command(r);
	if (!r->error && body->kind == SH_SIMPLE)
		sh_fail(r, "a function has no body");
	set_body(r, n, body);
	return false;
}

/* rm !(keep): a pattern of bash with extglob, and an error without: the first reading counts. */
static bool is_extglob(const struct reader *r, const struct sh_word *w)
{
	return w->n && sh_peek(r, 0) == '(' && w->end == r->at &&
	       strchr("!@*+?", r->text.p[r->at - 1]);
}

/* Up to the bracket that ends it, and what is behind that: a star, whatever it leaves out. */
static void take_extglob(struct reader *r, struct sh_word *w)
{
	struct pieces v = { 0 };
	size_t depth = 0, at = r->at;
	struct str *last;

	for (size_t i = 0; i < w->n; i++)
		*VEC_ADD(&v) = w->p[i];
	last = &v.p[v.n - 1].text;
	if (last->n && strchr("!@+", last->p[last->n - 1]))
		last->n--;
	do {
		depth += sh_peek(r, 0) == '(';
		depth -= sh_peek(r, 0) == ')';
		sh_step(r, 1);
	} while (depth && r->at < r->end);
	sh_add_raw(r, &v, SH_GLOB, SH_BARE, at);
	v.p[v.n - 1].text = STR("*");
	sh_take_pieces(r, &v, IN_WORD);
	*w = sh_word_of(r, &v, w->at);
	free(v.p);
	r->dubious = true;
}

/* The next part of a simple command; false when it is over. */
static bool take_item(struct reader *r, struct sh_node *n, struct words *words,
		      struct assigns *assigns, struct assigns *arrays, struct redirects *redirects)
{
	/* Builtins whose arguments may be arrays. */
	static const char *const declaring[] = { "declare", "export", "local", "readonly",
						 "typeset" };
	struct sh_assign as;
	struct sh_word w;
	size_t nfd;

	sh_skip_blanks(r);
	if (sh_at_redirection(r, &nfd)) {
		sh_take_redirection(r, redirects, nfd);
		return !r->error;
	}
	if (sh_peek(r, 0) == '(') {
		struct str name;

		if (words->n != 1 || assigns->n || redirects->n) {
			sh_fail(r, "unexpected (");
			return false;
		}
		name = str_sub(r->text, words->p[0].at, words->p[0].end);
		sh_step(r, 1);
		sh_skip_blanks(r);
		if (sh_peek(r, 0) != ')') {
			sh_fail(r, "unexpected (");
			return false;
		}
		sh_step(r, 1);
		words->n = 0;
		return take_function_body(r, n, name);
	}
	if (!sh_take_word(r, &w, IN_WORD))
		return false;
	if (words->n && is_extglob(r, &w))
		take_extglob(r, &w);
	bool first = words->n == 0, assignment = is_assignment(r, &w, &as);
	if (assignment && sh_peek(r, 0) == '(' && r->text.p[r->at - 1] == '=' &&
	    (first || WORD_IN(str_sub(r->text, words->p[0].at, words->p[0].end), declaring))) {
		take_array(r, &as);
		/* a=(1)#x: to bash the word goes on. */
		r->dubious |= r->at < r->end && !sh_is_meta(sh_peek(r, 0));
		if (!first) {
			*VEC_ADD(arrays) = as;
			*VEC_ADD(words) = w;
			r->dubious = true;
			return !r->error;
		}
	}
	if (first && assignment)
		*VEC_ADD(assigns) = as;
	else
		*VEC_ADD(words) = w;
	return true;
}

static const struct sh_assign *kept_assigns(struct reader *r, const struct assigns *v)
{
	struct sh_assign *p = v->n ? ARENA_ARRAY(r->a, struct sh_assign, v->n) : NULL;

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	return p;
}

static void take_simple(struct reader *r, struct sh_node *n)
{
	struct words words = { 0 };
	struct assigns assigns = { 0 }, arrays = { 0 };
	struct redirects redirects = { 0 };

	while (take_item(r, n, &words, &assigns, &arrays, &redirects))
		;
	if (!words.n && !assigns.n && !redirects.n && n->kind == SH_SIMPLE)
		sh_fail(r, "a command is missing");
	sh_set_words(r, n, &words);
	n->assigns = kept_assigns(r, &assigns);
	n->nassigns = assigns.n;
	n->arrays = kept_assigns(r, &arrays);
	n->narrays = arrays.n;
	if (n->kind == SH_SIMPLE)
		set_redirects(r, n, &redirects);
	else
		free(redirects.p);
	free(words.p);
	free(assigns.p);
	free(arrays.p);
}

/* ---- compound commands ---- */

static void take_if(struct reader *r, struct sh_node *n)
{
	struct bodies v = { 0 };
	bool more = true;

	n->kind = SH_IF;
	while (more && !r->error) {
		*VEC_ADD(&v) = take_list(r, END_THEN, true);
		sh_expect(r, "then", "an if has no then");
		*VEC_ADD(&v) = take_list(r, END_ELSE, true);
		more = sh_take_word_if(r, "elif");
	}
	if (sh_take_word_if(r, "else"))
		*VEC_ADD(&v) = take_list(r, END_FI, true);
	sh_expect(r, "fi", "an if has no fi");
	set_bodies(r, n, &v);
	free(v.p);
}

/* do ... done, or for loops { ... }. */
static const struct sh_node *take_do(struct reader *r, bool braces)
{
	const struct sh_node *body;

	sh_skip_newlines(r);
	if (braces && sh_take_word_if(r, "{")) {
		body = take_list(r, END_BRACE, true);
		sh_expect(r, "}", "unmatched {");
		return body;
	}
	sh_expect(r, "do", "a loop has no do");
	body = take_list(r, END_DONE, true);
	sh_expect(r, "done", "a loop has no done");
	return body;
}

static void take_while(struct reader *r, struct sh_node *n)
{
	struct bodies v = { 0 };

	n->kind = SH_WHILE;
	*VEC_ADD(&v) = take_list(r, END_DO, true);
	*VEC_ADD(&v) = take_do(r, false);
	set_bodies(r, n, &v);
	free(v.p);
}

static bool take_let(struct reader *r, struct sh_node *n)
{
	const struct sh_word *w;

	sh_step(r, 2);
	w = sh_try_arith(r);
	if (!w)
		return false;
	n->kind = SH_LET;
	n->words = w;
	n->nwords = 1;
	return true;
}

static void take_for(struct reader *r, struct sh_node *n)
{
	struct words v = { 0 };
	struct sh_word w;

	sh_skip_blanks(r);
	if (sh_at_text(r, "((")) {
		size_t at = r->at, semicolons = 0;

		if (!take_let(r, n)) {
			sh_fail(r, "unmatched (( of a loop");
			return;
		}
		for (size_t i = at; i < r->at; i++)
			semicolons += r->text.p[i] == ';';
		if (semicolons != 2) {
			sh_fail(r, "a loop needs two semicolons");
			return;
		}
		sh_skip_blanks(r);
		if (sh_peek(r, 0) == ';')
			sh_step(r, 1);
		set_body(r, n, take_do(r, true));
		return;
	}
	n->kind = SH_FOR;
	if (!sh_take_word(r, &w, IN_WORD)) {
		sh_fail(r, "a loop has no name");
		return;
	}
	n->name = str_sub(r->text, w.at, w.end);
	if (!sh_is_name(n->name))
		sh_fail(r, "a loop has no name");
	sh_skip_newlines(r);
	if (sh_take_word_if(r, "in")) {
		for (sh_skip_blanks(r); sh_take_word(r, &w, IN_WORD); sh_skip_blanks(r))
			*VEC_ADD(&v) = w;
		if (sh_peek(r, 0) != ';' && sh_peek(r, 0) != '\n')
			sh_fail(r, "a loop has no do");
	}
	if (sh_peek(r, 0) == ';')
		sh_step(r, 1);
	sh_set_words(r, n, &v);
	free(v.p);
	set_body(r, n, take_do(r, true));
}

static bool at_branch_end(const struct reader *r)
{
	return sh_peek(r, 0) == ';' && (sh_peek(r, 1) == ';' || sh_peek(r, 1) == '&');
}

static void take_branch(struct reader *r, struct words *v, struct bodies *bodies)
{
	struct sh_word w;

	if (sh_peek(r, 0) == '(')
		sh_step(r, 1);
	for (sh_skip_blanks(r); sh_take_word(r, &w, IN_WORD); sh_skip_blanks(r)) {
		*VEC_ADD(v) = w;
		sh_skip_blanks(r);
		if (sh_peek(r, 0) != '|')
			break;
		sh_step(r, 1);
	}
	if (sh_peek(r, 0) != ')') {
		sh_fail(r, "a branch of a case has no )");
		return;
	}
	sh_step(r, 1);
	*VEC_ADD(bodies) = take_list(r, END_CASE, false);
	sh_skip_newlines(r);
	if (at_branch_end(r))
		sh_step(r, sh_at_text(r, ";;&") ? 3 : 2);
	else if (!sh_at_word(r, "esac"))
		sh_fail(r, "a case has no esac");
}

static void take_case(struct reader *r, struct sh_node *n)
{
	struct words v = { 0 };
	struct bodies bodies = { 0 };
	struct sh_word w;

	n->kind = SH_CASE;
	sh_skip_blanks(r);
	if (sh_take_word(r, &w, IN_WORD))
		*VEC_ADD(&v) = w;
	else
		sh_fail(r, "a case has no word");
	sh_expect(r, "in", "a case has no in");
	for (sh_skip_newlines(r); !r->error && !sh_at_word(r, "esac"); sh_skip_newlines(r))
		take_branch(r, &v, &bodies);
	sh_expect(r, "esac", "a case has no esac");
	sh_set_words(r, n, &v);
	set_bodies(r, n, &bodies);
	free(v.p);
	free(bodies.p);
}

/* ---- commands ---- */

static void take_brackets(struct reader *r, struct sh_node *n)
{
	if (sh_peek(r, 1) == '(') {
		size_t at = r->at;

		if (take_let(r, n))
			return;
		r->at = at;
		r->dubious = true;
	}
	n->kind = SH_SUBSHELL;
	sh_step(r, 1);
	set_body(r, n, take_list(r, END_PAREN, true));
	if (sh_peek(r, 0) == ')')
		sh_step(r, 1);
	else
		sh_fail(r, "unmatched (");
}

static void take_group(struct reader *r, struct sh_node *n)
{
	n->kind = SH_GROUP;
	set_body(r, n, take_list(r, END_BRACE, true));
	sh_expect(r, "}", "unmatched {");
}

static void take_function(struct reader *r, struct sh_node *n)
{
	struct sh_word w;

	sh_skip_blanks(r);
	if (!sh_take_word(r, &w, IN_WORD)) {
		sh_fail(r, "a function has no name");
		return;
	}
	sh_skip_blanks(r);
	if (sh_peek(r, 0) == '(') {
		sh_step(r, 1);
		sh_skip_blanks(r);
		if (sh_peek(r, 0) != ')') {
			sh_fail(r, "unexpected (");
			return;
		}
		sh_step(r, 1);
	}
	(void)take_function_body(r, n, str_sub(r->text, w.at, w.end));
}

static bool at_compound(const struct reader *r)
{
	static const char *const words[] = { "{",   "if",   "while", "until",
					     "for", "case", "[[",    "select" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (sh_at_word(r, words[i]))
			return true;
	return sh_peek(r, 0) == '(';
}

static void take_coproc(struct reader *r, struct sh_node *n)
{
	struct reader before;
	struct sh_word w;

	n->kind = SH_COPROC;
	sh_skip_blanks(r);
	before = *r;
	if (!at_compound(r) && sh_take_word(r, &w, IN_WORD)) {
		sh_skip_blanks(r);
		if (!at_compound(r))
			*r = before;
		else
			n->name = str_sub(r->text, w.at, w.end);
	}
	set_body(r, n, take_command(r));
}

/* What the grammar, and not a program, owns at the beginning of a command. */
static const struct {
	const char *word;
	void (*take)(struct reader *r, struct sh_node *n);
} keywords[] = {
	{ "{", take_group },       { "[[", sh_take_test },  { "if", take_if },
	{ "while", take_while },   { "until", take_while }, { "for", take_for },
	{ "select", take_for },    { "case", take_case },   { "function", take_function },
	{ "coproc", take_coproc },
};

static const char *const misplaced[] = { "then", "elif", "else", "fi", "do", "done", "esac", "}" };

static void take_prefixes(struct reader *r, struct sh_node *n)
{
	for (;;) {
		sh_skip_blanks(r);
		if (sh_take_word_if(r, "!")) {
			n->negated = !n->negated;
		} else if (sh_take_word_if(r, "time")) {
			n->timed = true;
			sh_skip_blanks(r);
			(void)sh_take_word_if(r, "-p");
			sh_skip_blanks(r);
			(void)sh_take_word_if(r, "--");
		} else {
			return;
		}
	}
}

static struct sh_node *take_command(struct reader *r)
{
	struct sh_node *n = ARENA_NEW(r->a, struct sh_node);
	bool found = false;

	sh_spend(r, 12); /* for the memory */
	if (!sh_enter(r))
		return n;
	take_prefixes(r, n);
	n->at = sh_skip_joins(r, r->at);
	for (size_t i = 0; i < ARRAY_LEN(misplaced); i++)
		if (sh_at_word(r, misplaced[i]))
			sh_fail(r, "unexpected keyword");
	for (size_t i = 0; i < ARRAY_LEN(keywords) && !found; i++) {
		found = sh_take_word_if(r, keywords[i].word);
		if (found)
			keywords[i].take(r, n);
	}
	if (!found && sh_peek(r, 0) == '(')
		take_brackets(r, n);
	else if (!found)
		take_simple(r, n);
	if (n->kind != SH_SIMPLE && n->kind != SH_COPROC && n->kind != SH_FUNCTION) {
		struct redirects v = { 0 };
		size_t nfd;

		for (sh_skip_blanks(r); !r->error && sh_at_redirection(r, &nfd); sh_skip_blanks(r))
			sh_take_redirection(r, &v, nfd);
		set_redirects(r, n, &v);
	}
	n->end = r->at;
	r->depth--;
	return n;
}

static bool at_list_end(const struct reader *r, unsigned ends)
{
	static const struct {
		unsigned end;
		const char *words[4];
	} rows[] = {
		{ END_BRACE, { "}" } },
		{ END_THEN, { "then" } },
		{ END_ELSE, { "elif", "else", "fi" } },
		{ END_FI, { "fi" } },
		{ END_DO, { "do" } },
		{ END_DONE, { "done" } },
		{ END_CASE, { "esac" } },
	};

	if (!sh_peek(r, 0) || ((ends & END_PAREN) && sh_peek(r, 0) == ')') ||
	    ((ends & END_CASE) && at_branch_end(r)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; (ends & rows[i].end) && rows[i].words[k]; k++)
			if (sh_at_word(r, rows[i].words[k]))
				return true;
	return false;
}

/* The operator behind a command; SH_END when there is none. */
static enum sh_op take_operator(struct reader *r)
{
	static const struct {
		const char *text;
		enum sh_op op;
	} ops[] = { { "&&", SH_AND }, { "||", SH_OR },        { "|&", SH_PIPE },
		    { "|", SH_PIPE }, { "&", SH_BACKGROUND }, { ";", SH_THEN } };

	sh_skip_blanks(r);
	if (sh_peek(r, 0) == '\n')
		return SH_THEN;
	if (at_branch_end(r))
		return SH_END;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (sh_at_text(r, ops[i].text)) {
			sh_step(r, strlen(ops[i].text));
			return ops[i].op;
		}
	return SH_END;
}

/* Commands up to what ends the list, which stays; NULL when there is none. */
static const struct sh_node *take_list(struct reader *r, unsigned ends, bool needed)
{
	const struct sh_node *first = NULL;
	struct sh_node *last = NULL;

	for (sh_skip_newlines(r); !r->error && !at_list_end(r, ends); sh_skip_newlines(r)) {
		struct sh_node *n;

		if (last && last->op == SH_PIPE && sh_at_word(r, "!"))
			sh_fail(r, "! inside a pipeline");
		n = take_command(r);
		if (r->error)
			break;
		if (last)
			last->next = n;
		else
			first = n;
		last = n;
		n->op = take_operator(r);
		if (n->op == SH_END)
			break;
	}
	if (last && !r->error && (last->op == SH_AND || last->op == SH_OR || last->op == SH_PIPE))
		sh_fail(r, "a command is missing");
	if (needed && !first)
		sh_fail(r, "a list of commands is empty");
	return first;
}

bool sh_read(struct sh_script *ret, struct arena *a, struct str text)
{
	struct reader r = { .list = take_list, .a = a, .text = text, .end = text.n };

	*ret = (struct sh_script){ .text = text };
	r.steps = text.n * 16 + 4096;
	if (text.n > SH_TEXT_MAX)
		sh_fail_limit(&r, "the text is too long");
	else if (text.n && memchr(text.p, '\0', text.n))
		sh_fail(&r, "the text has a NUL character");
	else
		ret->first = take_list(&r, 0, false);
	if (!r.error && r.at < r.end)
		sh_fail(&r, "unexpected text");
	r.dubious |= r.npending > 0;
	ret->error = r.error;
	ret->error_at = r.error_at;
	ret->limit = r.limit;
	ret->dubious = r.dubious;
	return !r.error;
}
