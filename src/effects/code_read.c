/* Statements, from top to bottom. */
#include "base/words.h"
#include "effects/code_act.h"
#include "effects/code_reader.h"

bool code_too_deep(struct code *c)
{
	if (c->nesting < CODE_NESTING_MAX && !effects_no_stack())
		return false;
	effects_unjudged(c->e, STR("(code that is nested too deeply)"));
	return true;
}

void code_run_range(struct code *c, unsigned to)
{
	unsigned end = c->end;

	if (!code_too_deep(c)) {
		c->nesting++;
		c->end = to;
		code_run(c);
		c->end = end;
		c->nesting--;
	}
	c->i = to;
}

/* const {a} = x; my ($a, $b) = @_; [a, b] = x: the cursor is at the bracket. */
static bool destructuring(struct code *c)
{
	const struct code_token *t = code_at(c, 0);
	unsigned close = t->match, from = c->i;
	struct code_value v;

	if (t->kind != TOKEN_OPERATOR || !close || close + 1 >= c->end ||
	    !token_is(&c->t[close + 1], "=") || token_is(t, "("))
		if (!(token_is(t, "(") &&
		      (has(c, SYNTAX_SIGILS) ||
		       (is_language(c, CODE_COMPILED) && from && /* val (a, b) = f() */
			word_in_text(c->t[from - 1].text, "var val let"))) &&
		      close && close + 1 < c->end && token_is(&c->t[close + 1], "=")))
			return false;
	c->i = close + 2;
	v = code_expression(c);
	if (token_is(t, "{")) {
		unsigned after = c->i;

		c->i = from;
		code_bind_members(c, v);
		c->i = after;
	} else {
		if (is_language(c, CODE_PERL) && v.kind == VALUE_TEXT &&
		    !str_eqz(v.type, TYPE_PROCESSES)) /* (@x, $y) = ("a") */
			v = value_list(c->e->arena, &v, 1);
		code_bind(c, from + 1, close,
			  v.kind == VALUE_LIST || (v.flags & VALUE_WALKED)
				  ? v
				  : value_unknown(v.flags));
	}
	return true;
}

/* self.a, self.b = x, y: where the names end, or 0 */
static unsigned attributes_end(const struct code *c)
{
	unsigned i = c->i;

	for (bool comma = false;; comma = true) {
		if (c->t[i].kind != TOKEN_NAME || !token_is(&c->t[i + 1], ".") ||
		    c->t[i + 2].kind != TOKEN_NAME || i + 3 >= c->end)
			return 0;
		i += 3;
		if (token_is(&c->t[i], "="))
			return comma ? i : 0;
		if (!token_is(&c->t[i], ","))
			return 0;
		i++;
	}
}

static bool several_attributes(struct code *c)
{
	unsigned from = c->i,
		 end = has(c, SYNTAX_INDENT) && c->i + 3 < c->end ? attributes_end(c) : 0;
	struct code_value v;

	if (!end)
		return false;
	c->i = end + 1;
	for (unsigned i = from; i < end; i += 4) {
		struct str of = c->t[i].text, key = c->t[i + 2].text;
		const struct code_value *object = code_variable(c, of);

		v = code_expression(c);
		skip(c, ",");
		if (object && object->kind == VALUE_LIST)
			code_put(c, of, key, v);
		else
			code_assign(
				c,
				arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(of), STR_ARG(key)),
				v);
	}
	return true;
}

/* a, b = x, y */
static bool several(struct code *c)
{
	unsigned i = c->i, from = c->i;
	struct code_value items[8];
	size_t n = 0;

	if (!has(c, SYNTAX_INDENT | SYNTAX_LONG_BRACKETS | SYNTAX_PERCENT) &&
	    !is_language(c, CODE_COMPILED))
		return false;
	while (i + 1 < c->end && c->t[i].kind == TOKEN_NAME && token_is(&c->t[i + 1], ","))
		i += 2;
	if (i == from || i + 1 >= c->end || c->t[i].kind != TOKEN_NAME ||
	    !(token_is(&c->t[i + 1], "=") || token_is(&c->t[i + 1], ":=")))
		return false;
	c->i = i + 2;
	do
		items[n++] = code_expression(c);
	while (n < ARRAY_LEN(items) && skip(c, ","));
	code_bind(c, from, i + 1, n == 1 ? items[0] : value_list(c->e->arena, items, n));
	return true;
}

static void with(struct code *c, const struct code_token *opener)
{
	unsigned mocks = c->nmocks, end;
	size_t n;
	bool raises = false;

	skip(c, "(");
	do {
		struct code_value v = code_assignable(c, 2);

		raises |= str_eqz(v.type, "raises");

		if (skip(c, "as") && code_at(c, 0)->kind == TOKEN_NAME) {
			code_set(c, code_at(c, 0)->text, v);
			c->i++;
		}
	} while (skip(c, ","));
	skip(c, ")");
	if ((c->nmocks <= mocks && !raises) || !token_is(code_at(c, 0), ":"))
		return;
	/* What a test replaces in the block, or says that it is refused. */
	end = code_block_end(c, opener);
	n = c->e->n;
	raises = raises && mocks_may_raise(c, code_at(c, 0)->text);
	code_run_range(c, end);
	c->nmocks = mocks;
	if (raises)
		c->e->n = n;
}

static void print(struct code *c)
{
	bool was = c->in_print;
	struct code_value v, to;

	c->in_print = true;
	do
		v = code_assignable(c, 6);
	while (skip(c, ","));
	if (token_is(code_at(c, 0), ">") || token_is(code_at(c, 0), ">>")) {
		struct code_args args = { .at = code_at(c, 0)->at, .n = 2 };
		bool append = token_is(code_at(c, 0), ">>");

		c->i++;
		args.p[0].value = code_assignable(c, 6);
		args.p[1].value = v;
		args.end = c->t[c->i - 1].end;
		(void)code_act(c,
			       &(struct code_function){ .act = append ? ACT_WRITE : ACT_OVERWRITE },
			       NULL, &args);
	} else if (skip(c, "|")) {
		skip(c, "&");
		to = code_assignable(c, 6);
		if (to.kind == VALUE_TEXT && v.kind == VALUE_TEXT)
			code_piped(c, &v, to.text);
		else
			code_shell(c, &to);
	}
	c->in_print = was;
}

static void expression_statement(struct code *c)
{
	do {
		if (destructuring(c))
			continue;
		c->last = code_expression(c);
	} while (skip(c, ","));
}

enum {
	P = 1 << CODE_PYTHON,
	J = 1 << CODE_JAVASCRIPT | 1 << CODE_MONGO,
	L = 1 << CODE_PERL,
	R = 1 << CODE_RUBY,
	H = 1 << CODE_PHP,
	U = 1 << CODE_LUA,
	A = 1 << CODE_AWK,
	G = 1 << CODE_COMPILED,
	S = 1 << CODE_R,
	T = 1 << CODE_JULIA
};

enum word_kind {
	WORD_SKIP,
	WORD_SKIP_LINE, /* up to ";" */
	WORD_SKIP_REST, /* of the line */
	WORD_DEFINITION,
	WORD_IF,
	WORD_WHILE,
	WORD_FOR,
	WORD_RETURN,
	WORD_WITH,
	WORD_PRINT,
	WORD_IMPORT,
	WORD_USE,
	WORD_FROM,
};

static const struct {
	const char *word;
	unsigned languages;
	enum word_kind kind;
} words[] = {
	{ "import", P | J, WORD_IMPORT },
	{ "from", P, WORD_FROM },
	{ "def", P | R, WORD_DEFINITION },
	{ "function", J | H | U | T, WORD_DEFINITION },
	{ "func", G, WORD_DEFINITION },
	{ "fn", G, WORD_DEFINITION },
	{ "fun", G, WORD_DEFINITION },
	{ "sub", L, WORD_DEFINITION },
	{ "if", P | J | L | R | H | U | A | G | S | T, WORD_IF },
	{ "elif", P, WORD_IF },
	{ "elsif", L | R, WORD_IF },
	{ "elseif", H | U | T, WORD_IF },
	{ "unless", L | R, WORD_IF },
	{ "while", P | J | L | R | H | U | A | G | S | T, WORD_WHILE },
	{ "until", L | R, WORD_WHILE },
	{ "for", P | J | L | R | H | U | A | G | S | T, WORD_FOR },
	{ "foreach", L | H | G, WORD_FOR },
	{ "return", P | J | L | R | H | U | A | G | S | T, WORD_RETURN },
	{ "yield", P | J | H, WORD_RETURN },
	{ "with", P, WORD_WITH },
	{ "print", A, WORD_PRINT },
	{ "printf", A, WORD_PRINT },
	{ "use", L | H, WORD_SKIP_LINE },
	{ "no", L, WORD_SKIP_LINE },
	{ "package", L, WORD_SKIP_LINE },
	{ "namespace", H, WORD_SKIP_LINE },
	{ "const", J | H | G | T, WORD_SKIP },
	{ "let", J | G | T, WORD_SKIP },
	{ "var", J | G, WORD_SKIP },
	{ "val", G, WORD_SKIP },
	{ "mut", G, WORD_SKIP },
	{ "final", G, WORD_SKIP },
	{ "def", G, WORD_SKIP },
	{ "defer", G, WORD_SKIP },
	{ "go", G, WORD_SKIP },
	{ "import", G, WORD_USE },
	{ "package", G, WORD_SKIP },
	{ "use", G, WORD_USE },
	{ "using", G, WORD_USE },
	{ "my", L, WORD_SKIP },
	{ "our", L, WORD_SKIP },
	{ "local", L | U | T, WORD_SKIP },
	{ "async", P | J, WORD_SKIP },
	{ "export", J, WORD_SKIP },
	{ "public", H | R | G, WORD_SKIP },
	{ "private", H | R | G, WORD_SKIP },
	{ "static", J | H | G, WORD_SKIP },
	{ "do", J | L | R | H | U | A, WORD_SKIP },
	{ "then", R | U, WORD_SKIP },
	{ "else", P | J | L | R | H | U | A | G | S | T, WORD_SKIP },
	{ "try", P | J | H | G | T, WORD_SKIP },
	{ "finally", P | J | H | T, WORD_SKIP },
	{ "begin", R | T, WORD_SKIP },
	{ "repeat", S, WORD_SKIP },
	{ "catch", T, WORD_SKIP },
	{ "global", T, WORD_SKIP },
	{ "using", T, WORD_SKIP_REST },
	{ "module", T, WORD_SKIP_REST },
	{ "end", R | U | T, WORD_SKIP },
	{ "BEGIN", L | A | R, WORD_SKIP },
	{ "END", L | A | R, WORD_SKIP },
};

static void if_head(struct code *c)
{
	unsigned to = code_head_end(c, c->i);

	/* if (condition) statement */
	if (token_is(code_at(c, 0), "(") && !has(c, SYNTAX_INDENT | SYNTAX_END) &&
	    c->t[c->i].match && c->t[c->i].match < c->end)
		to = c->t[c->i].match + 1;
	code_condition(c, to);
}

/* let name: Type = value; the cursor is behind the word. */
static void declared(struct code *c)
{
	unsigned i = c->i + 2;
	struct str name = code_at(c, 0)->text;

	if (is_language(c, CODE_COMPILED) && code_at(c, 0)->kind == TOKEN_NAME &&
	    token_is(code_at(c, 1), "[") && !code_at(c, 1)->line &&
	    code_at(c, 1)->match == i) { /* var name []T */
		code_set(c, name, value_list(c->e->arena, NULL, 0));
		return;
	}
	if (!has(c, SYNTAX_TEMPLATE) || code_at(c, 0)->kind != TOKEN_NAME ||
	    !token_is(code_at(c, 1), ":"))
		return;
	while (i < c->end && !c->t[i].line && !token_is(&c->t[i], "=") && !token_is(&c->t[i], ";"))
		i = c->t[i].match > i ? c->t[i].match + 1 : i + 1;
	if (i >= c->end || !token_is(&c->t[i], "="))
		return;
	c->i = i + 1;
	code_assign(c, name, code_expression(c));
}

/* func(x int) { ... }(1) is an expression, func (r *T) name(x int) { ... } defines a method. */
static bool is_function_expression(const struct code *c)
{
	unsigned close = code_at(c, 0)->match;

	return is_language(c, CODE_COMPILED) && token_is(code_at(c, 0), "(") && close > c->i &&
	       close + 2 < c->end &&
	       !(c->t[close + 1].kind == TOKEN_NAME && token_is(&c->t[close + 2], "("));
}

/* do "x.pl"; the cursor is behind the word */
static void do_file(struct code *c)
{
	static const struct code_function row = { .act = ACT_UNSEEN };
	struct code_args args = { .n = 1, .at = code_at(c, 0)->at, .end = code_at(c, 0)->end };

	if (code_at(c, 0)->kind != TOKEN_TEXT && code_at(c, 0)->kind != TOKEN_NAME)
		return;
	args.p[0].value = code_expression(c);
	(void)code_act(c, &row, NULL, &args);
}

/* One more of what a loop over the call gives. */
static struct code_value yielded(struct code *c, struct code_value v)
{
	const struct code_value *of = &c->returned;
	bool more = of->kind == VALUE_LIST && !(of->flags & VALUE_ANY);
	struct code_value all[CODE_ALTERNATIVES_MAX], list;
	unsigned n = 0;

	for (; more && n < of->n && n + 1 < ARRAY_LEN(all); n++)
		all[n] = of->items[n];
	if (c->chosen_level && (v.flags & VALUE_WALKED)) /* if wanted(p): yield p */
		v.flags |= VALUE_CHOSEN;
	all[n++] = v;
	list = value_list(c->e->arena, all, n);
	list.flags |= c->loop_level ? VALUE_MANY : of->flags & VALUE_MANY;
	return more || of->kind == VALUE_UNKNOWN ? list : value_either(c->e->arena, *of, list);
}

/* x, y: a tuple */
static struct code_value several_values(struct code *c)
{
	struct code_value items[CODE_ARGS_MAX];
	size_t n = 0;

	do
		items[n++] = code_expression(c);
	while (n < ARRAY_LEN(items) && token_is(code_at(c, 0), ",") && !code_at(c, 0)->line &&
	       skip(c, ","));
	return n == 1 ? items[0] : value_list(c->e->arena, items, n);
}

static void keyword(struct code *c, enum word_kind kind, const struct code_token *t)
{
	struct code_value v;
	bool all;

	switch (kind) {
	case WORD_SKIP:
		declared(c);
		if (token_is(t, "do") && is_language(c, CODE_PERL))
			do_file(c);
		break;
	case WORD_SKIP_LINE:
		while (c->i < c->end && !token_is(code_at(c, 0), ";") &&
		       !token_is(code_at(c, 0), "{"))
			c->i++;
		break;
	case WORD_SKIP_REST:
		while (c->i < c->end && !code_at(c, 0)->line)
			c->i++;
		break;
	case WORD_DEFINITION:
		if (is_function_expression(c)) {
			c->i--;
			(void)code_expression(c);
		} else {
			code_definition(c, t);
		}
		break;
	case WORD_IF:
		if_head(c);
		break;
	case WORD_WHILE:
		code_loop_while(c, t);
		break;
	case WORD_FOR:
		code_loop_for(c, t);
		break;
	case WORD_RETURN:
		/* yield* x, yield from x: what x gives */
		all = token_is(t, "yield") &&
		      (token_is(code_at(c, 0), "*") || token_is(code_at(c, 0), "from"));
		c->i += all;
		v = is_language(c, CODE_PYTHON) ? several_values(c) : code_expression(c);
		if (token_is(t, "yield") && !all) {
			c->returned = yielded(c, v);
			break;
		}
		c->returned = c->returned.kind == VALUE_UNKNOWN
				      ? v
				      : value_either(c->e->arena, c->returned, v);
		break;
	case WORD_WITH:
		with(c, t);
		break;
	case WORD_PRINT:
		print(c);
		break;
	case WORD_IMPORT:
		code_import(c);
		break;
	case WORD_USE:
		code_import_compiled(c, t);
		break;
	case WORD_FROM:
		code_import_from(c);
		break;
	}
}

/* What begins some tokens ahead; the cursor stays. */
static struct code_value value_behind(struct code *c, unsigned ahead)
{
	unsigned at = c->i;
	struct code_value v;

	c->i += ahead;
	v = code_expression(c);
	c->i = at;
	return v;
}

/* print $handle "text", print {$handle} $text: to a shell, or without end. */
static void print_to_handle(struct code *c)
{
	const struct code_token *to = code_at(c, 1), *text = code_at(c, 2);
	struct code_args args = { .n = 1, .at = code_at(c, 0)->at, .end = text->end };
	struct code_value *var, socket;
	unsigned behind = 2;
	bool handle = str_starts(to->text, STR("$")) && !text->line &&
		      (text->kind == TOKEN_TEXT || text->kind == TOKEN_NAME);

	if (text->kind == TOKEN_END)
		return;
	if (c->forever && (handle || token_is(to, "{")))
		effects_add(c->e, &(struct effect){ .kind = EFFECT_EXHAUST,
						    .words = str_sub(c->text, args.at, args.end) });
	if (token_is(to, "{") && token_is(code_at(c, 3), "}")) { /* print {$handle} $text */
		to = code_at(c, 2);
		text = code_at(c, 4);
		behind = 4;
	}
	if (to->kind != TOKEN_NAME || text->kind == TOKEN_OPERATOR || text->line)
		return;
	var = code_variable(c, to->text);
	if (var && str_eqz(var->type, "socket")) {
		socket = *var;
		args.p[0].value = value_behind(c, behind);
		(void)code_act(c, &(struct code_function){ .act = ACT_SEND, .arg = ARG_SELF },
			       &socket, &args);
	} else if (c->shell) {
		args.p[0].value = text->kind == TOKEN_TEXT ? code_text_value(c, text)
							   : value_behind(c, behind);
		(void)code_act(
			c,
			&(struct code_function){ .act = ACT_TELL,
						 .flags = text->kind == TOKEN_TEXT ? 0 : FN_OTHER },
			NULL, &args);
	}
}

/* List<String> x = ..., String[] x = ...: where the name is; else the cursor. */
static unsigned behind_type(const struct code *c)
{
	unsigned i = c->i + 1;

	if (!token_is(code_at(c, 1), "<") && !token_is(code_at(c, 1), "["))
		return c->i;
	while (i + 1 < c->end && i < c->i + 16 && !c->t[i].line) {
		const struct code_token *t = &c->t[i];

		if (t->kind == TOKEN_NAME && token_is(t + 1, "=") &&
		    strchr(">]", t[-1].text.p[0]) && t[-1].kind == TOKEN_OPERATOR)
			return i;
		if (t->kind != TOKEN_NAME && !strchr("<>[],.?", t->text.p[0]))
			return c->i;
		i++;
	}
	return c->i;
}

/* { a: x } of Ruby, where a statement begins: no block does. */
static bool is_hash(const struct code *c)
{
	return is_language(c, CODE_RUBY) && code_at(c, 0)->line && token_is(code_at(c, 0), "{") &&
	       code_at(c, 1)->kind != TOKEN_OPERATOR &&
	       (token_is(code_at(c, 2), ":") || token_is(code_at(c, 2), "=>"));
}

static void statement(struct code *c)
{
	const struct code_token *t = code_at(c, 0);

	if (t->line && has(c, SYNTAX_INDENT) && t->indent + 1 + c->base != c->level) {
		c->level = c->base + t->indent + 1;
		c->block++;
	}
	if (c->nenviron)
		code_environ_leave(c);
	if (c->level < c->loop_level || c->i >= c->loop_end)
		c->loop_level = 0;
	if (c->level < c->chosen_level) {
		c->chosen_level = 0;
		c->chosen_suffix = (struct str){ 0 };
	}
	if (t->kind == TOKEN_OPERATOR && t->text.n == 1 && strchr("{};:,)]", t->text.p[0]) &&
	    !is_hash(c) && !destructuring(c)) {
		if (t->text.p[0] == '{' || t->text.p[0] == '}') {
			c->level += t->text.p[0] == '{' ? 1 : c->level ? -1 : 0;
			c->block++;
		}
		c->i++;
		return;
	}
	if (token_is(t, "*") && is_language(c, CODE_JAVASCRIPT) &&
	    code_at(c, 1)->kind == TOKEN_NAME) {
		c->i++; /* *method() { ... } */
		t = code_at(c, 0);
	}
	if (t->kind == TOKEN_NAME) {
		if (has(c, SYNTAX_END) && (t->match > c->i || token_is(t, "end"))) {
			c->level += token_is(t, "end") ? (c->level ? -1 : 0) : 1;
			c->block++;
		}
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if ((words[i].languages >> c->g->language & 1) &&
			    token_is(t, words[i].word) && !token_is(code_at(c, 1), "=") &&
			    !(token_is(code_at(c, 1), ".") && words[i].kind != WORD_FROM) &&
			    !(token_is(code_at(c, 1), "(") && words[i].kind == WORD_IMPORT)) {
				if (words[i].kind != WORD_SKIP && code_modified(c))
					return;
				c->i++;
				keyword(c, words[i].kind, t);
				return;
			}
		if (is_language(c, CODE_JULIA) && code_short_definition(c))
			return;
		if (code_method(c)) {
			code_definition(c, code_at(c, 0));
			return;
		}
		if (is_language(c, CODE_COMPILED))
			c->i = behind_type(c);
		if (token_is(t, "type") && is_language(c, CODE_COMPILED) &&
		    code_at(c, 1)->kind == TOKEN_NAME && token_is(code_at(c, 2), "struct")) {
			code_struct(c);
			return;
		}
		if (is_language(c, CODE_COMPILED))
			code_record(c);
		if (token_is(t, "class") && code_at(c, 1)->kind == TOKEN_NAME) {
			unsigned at = c->i;

			c->class = code_at(c, 1)->text;
			c->i = code_head_end(c, c->i);
			code_class(c, at + 1);
			for (; at < c->i; at++)
				c->serves |=
					str_ends(c->t[at].text, STR("SimpleHTTPRequestHandler")),
					c->handles |=
					c->t[at].kind == TOKEN_NAME &&
					str_ends(c->t[at].text, STR("RequestHandler"));
			if (is_language(c, CODE_PYTHON))
				code_class_fields(c, t);
			return;
		}
	}
	if (is_language(c, CODE_PERL) && str_starts(t->text, STR("print")))
		print_to_handle(c);
	if (code_modified(c) || several_attributes(c) || several(c))
		return;
	expression_statement(c);
}

void code_run(struct code *c)
{
	while (c->i < c->end) {
		unsigned at = c->i;

		statement(c);
		if (c->i <= at)
			c->i = at + 1;
	}
}

void code_run_text(struct code *c, struct str text)
{
	struct code was = *c;
	struct code_tokens t;

	if (effects_too_deep(c->e) || code_too_deep(c) || c->budget < text.n) {
		effects_unjudged(c->e, c->words);
		return;
	}
	c->budget -= text.n;
	c->e->depth++;
	code_lex(&t, c->g, c->e, text);
	c->text = text;
	c->t = t.p;
	c->i = 0;
	c->end = t.n - 1;
	c->loop_end = CODE_NO_END;
	c->nesting++;
	code_hoist(c);
	code_run(c);
	c->e->depth--;
	c->text = was.text;
	c->t = was.t;
	c->i = was.i;
	c->end = was.end;
	c->loop_level = was.loop_level;
	c->loop_end = was.loop_end;
	c->nesting = was.nesting;
	c->level = was.level;
	c->block++;
}

/* Functions that nothing has called: of tests, which call others, or of all.  False: too much. */
static bool read_uncalled(struct code *c, bool tests)
{
	struct code_setting before[ARRAY_LEN(c->environ)];
	unsigned nenviron = c->nenviron;
	bool done = true;

	memcpy(before, c->environ, sizeof before);
	for (unsigned i = 0; i < c->nfns; i++) {
		struct code_value f = { .kind = VALUE_FUNCTION, .n = i };

		if (c->fns[i].called || mocks_is_way_back(c, &c->fns[i]) ||
		    (tests && !c->fns[i].decorated && !str_starts(c->fns[i].name, STR("test"))))
			continue;
		(void)code_call_defined(c, &f, NULL, 0);
		c->nenviron = nenviron;
		memcpy(c->environ, before, sizeof before);
		done &= c->fns[i].called;
	}
	return done;
}

void code_read(struct effects *e, const struct code_grammar *g, struct str text, struct str words_)
{
	struct code_tokens t;
	struct code c = { .e = e,
			  .g = g,
			  .words = words_,
			  .text = text,
			  .found = ARENA_ARRAY(e->arena, struct code_found, CODE_FOUND) };
	struct str cwd = e->cwd;
	const struct code_value *main_function;
	size_t from = e->n;
	bool maybe = e->maybe;
	bool cut = text.n > CODE_TEXT_MAX;

	c.text.n = text.n = min_size(text.n, CODE_TEXT_MAX);
	code_lex(&t, g, e, text);
	c.t = t.p;
	c.end = t.n - 1;
	c.budget = 8 * text.n + 20000;
	c.times = 1;
	c.level = c.base = !has(&c, SYNTAX_INDENT); /* a loop at the top is in no block yet */
	code_given(&c);
	code_hoist(&c);
	code_run(&c);
	main_function = is_language(&c, CODE_COMPILED)
				? code_variable(&c, STR("main")) ?: code_variable(&c, STR("Main"))
				: NULL;
	if (main_function && main_function->kind == VALUE_FUNCTION)
		(void)code_call_defined(&c, main_function, NULL, 0);
	code_told(&c);
	c.uncalled = e->maybe = true;
	cut |= !read_uncalled(&c, true);
	cut |= !read_uncalled(&c, false);
	e->cwd = cwd;
	e->maybe = maybe;
	if (c.names_told && !c.secret_used)
		effects_undo(e, from, 1u << EFFECT_READ);
	if (cut)
		effects_unjudged(e, words_);
}
