/* Operands of expressions: names and literals, with the members, indices and calls behind them. */
#include "effects/code_cloud.h"
#include "effects/code_reader.h"

static const char *const prefixes[] = { "not",    "new",    "await",  "typeof",  "void",  "delete",
					"yield",  "return", "async",  "defined", "clone", "throw",
					"local",  "my",     "our",    "const",   "let",   "var",
					"static", "raise",  "assert", "del",     "then" };
static const char *const stops[] = {
	"if",    "unless", "for", "foreach", "while",  "until", "in", "and", "or", "else", "elif",
	"elsif", "do",     "end", "except",  "rescue", "then",  "is", "of",  "as", "xor"
};

/* May an argument of a call without parentheses begin here? */
bool code_begins_argument(const struct code *c)
{
	const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);

	if (t->line && has(c, SYNTAX_LINES))
		return false;
	switch (t->kind) {
	case TOKEN_TEXT:
	case TOKEN_WORDS:
	case TOKEN_COMMAND:
	case TOKEN_NUMBER:
	case TOKEN_REGEX:
		return true;
	case TOKEN_NAME:
		return !TOKEN_IN(t, stops) && !token_is(t, "x") && !token_is(t, "eq") &&
		       !token_is(t, "ne") && !token_is(t, "cmp");
	default:
		break;
	}
	if (!t->space)
		return false;
	if (token_is(t, "<") && is_language(c, CODE_PERL))
		return true;
	if (token_is(t, "::") || token_is(t, "->"))
		return !next->space;
	return (token_is(t, "[") || token_is(t, ":") || token_is(t, "-") || token_is(t, "*") ||
		token_is(t, "&") || token_is(t, "\\")) &&
	       !next->space;
}

/* Names that hold more than their text: all of the environment, what a request brings. */
static const struct {
	const char *name;
	unsigned flags, languages; /* 0: any */
} tainted[] = {
	{ "os.environ", VALUE_SECRET },
	{ "process.env", VALUE_SECRET },
	{ "ENV", VALUE_SECRET },
	{ "%ENV", VALUE_SECRET },
	{ "$_ENV", VALUE_SECRET },
	{ "$_SERVER", VALUE_SECRET },
	{ "ENVIRON", VALUE_SECRET },
	{ "ProcessInfo.processInfo.environment", VALUE_SECRET },
	{ "$_GET", VALUE_FETCHED },
	{ "$_POST", VALUE_FETCHED },
	{ "$_REQUEST", VALUE_FETCHED },
	{ "$_COOKIE", VALUE_FETCHED },
	{ "request.args", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.form", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.values", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.data", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.json", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.get_json", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.get_data", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.query_params", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.body", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.GET", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "request.POST", VALUE_FETCHED, 1 << CODE_PYTHON },
	/* of a class that answers requests */
	{ "self.rfile", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "self.path", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "self.headers", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "self.request", VALUE_FETCHED, 1 << CODE_PYTHON },
	{ "req.body", VALUE_FETCHED, 1 << CODE_JAVASCRIPT },
	{ "req.query", VALUE_FETCHED, 1 << CODE_JAVASCRIPT },
	{ "ctx.query", VALUE_FETCHED, 1 << CODE_JAVASCRIPT },
	{ "ctx.request.body", VALUE_FETCHED, 1 << CODE_JAVASCRIPT },
	{ "params", VALUE_FETCHED, 1 << CODE_RUBY },
	{ "request.params", VALUE_FETCHED, 1 << CODE_RUBY },
	{ "request.body", VALUE_FETCHED, 1 << CODE_RUBY },
};

/* "flask.request.args" is a "request.args". */
static unsigned taints_of(const struct code *c, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(tainted); i++) {
		struct str one = str_from(tainted[i].name);

		if (str_starts(one, STR("self.")) && !c->handles)
			continue;
		if (str_ends(name, one) &&
		    (!tainted[i].languages || (tainted[i].languages >> c->g->language & 1)) &&
		    (name.n == one.n ||
		     (tainted[i].languages && name.p[name.n - one.n - 1] == '.')))
			return tainted[i].flags;
	}
	return 0;
}

/* A name that has no value. */
static struct code_value named(const struct code *c, struct str name)
{
	const struct code_function *f = code_function_find(c, name, false);
	struct code_value v = value_name(name), lines;

	if (is_language(c, CODE_AWK) && name.n > 1 && name.p[0] == '$') {
		v = value_text(str_sub(name, 1, name.n));
		return code_field(c, &v);
	}
	if (code_is_input(name)) { /* what a loop over it gives */
		lines = code_input(c, true);
		v.items = ARENA_NEW(c->e->arena, struct code_value);
		v.items[0] = lines;
		v.flags = lines.flags & VALUE_TAINTS;
	}
	if (f && f->act == GIVES_CONST && (f->flags & FN_OTHER) && f->type[0] && c->e->given &&
	    c->e->given->script.n) /* __file__ */
		return value_text(c->e->given->script);
	if (f && f->act == GIVES_CONST && (f->flags & FN_OTHER)) /* __dirname */
		return value_path(c->e->arena, value_text(effects_script_folder(c->e)),
				  value_text(str_from(f->type)));
	v.flags |= taints_of(c, name);
	if (c->sdk)
		v.flags |= cloud_client(c, name, &(struct code_args){ 0 });
	return v;
}

/* Of a parameter that has been one: nothing. */
static bool is_its_own_name(const struct code_value *v, struct str name)
{
	return v->kind == VALUE_NAME && str_eq(v->type, name);
}

/* A method of Ruby that is named, without arguments: the cursor is behind the name. */
static bool calls_itself(const struct code *c, const struct code_value *v, struct str name)
{
	const struct code_token *next = code_at(c, 0);

	return v->kind == VALUE_FUNCTION && str_eq(c->fns[v->n].name, name) &&
	       !(token_is(next, ".") &&
		 (token_is(code_at(c, 1), "call") || token_is(code_at(c, 1), "("))) &&
	       !token_is(next, "(") && !(token_is(next, "[") && !next->space) &&
	       !token_is(next, "=") && !token_is(next, "{") && !token_is(next, "do") &&
	       (next->line || token_is(next, ".") || !code_begins_argument(c)) &&
	       !c->fns[v->n].running;
}

static struct code_value call_here(struct code *c, struct code_value f, struct code_value *self,
				   unsigned at);

/* @$x{qw(a b)}, $$x{a}: of what $x points at, not of %x */
static bool is_pointed_at(const struct code *c, const struct code_token *t)
{
	return t->at && t->at < c->text.n && strchr("@$", c->text.p[t->at - 1]);
}

/* A name: a keyword that begins an operand, a variable, or what it means. */
static struct code_value name_value(struct code *c)
{
	const struct code_token *t = code_at(c, 0);
	struct code_value v, *var;
	struct str name = t->text;

	if (code_function_literal(c, &v))
		return v;
	if (token_is(t, "try") && is_language(c, CODE_COMPILED) &&
	    (code_at(c, 1)->kind == TOKEN_NAME || token_is(code_at(c, 1), "?") ||
	     token_is(code_at(c, 1), "!"))) { /* try? f() of Swift */
		c->i += 1 + (token_is(code_at(c, 1), "?") || token_is(code_at(c, 1), "!"));
		return code_assignable(c, 8);
	}
	if (TOKEN_IN(t, prefixes) && code_variable(c, name)) {
		c->i++;
		c->lvalue = name;
		return *code_variable(c, name);
	}
	if (TOKEN_IN(t, prefixes) && !token_is(code_at(c, 1), "(") &&
	    !token_is(code_at(c, 1), "=") && !token_is(code_at(c, 1), ".")) {
		c->i++;
		v = code_assignable(c, 8);
		if (token_is(t, "typeof") || token_is(t, "defined") || token_is(t, "not"))
			v.flags &= ~(unsigned)VALUE_ITSELF;
		return v;
	}
	if (token_is(t, "new") && is_language(c, CODE_COMPILED) && token_is(code_at(c, 1), "(") &&
	    c->i > 2 && token_is(t - 1, "=") && t[-2].kind == TOKEN_NAME &&
	    t[-3].kind == TOKEN_NAME) { /* T x = new(...) of C# */
		c->i++;
		return call_here(c, value_name(t[-3].text), NULL, t->at);
	}
	if (TOKEN_IN(t, prefixes) && !token_is(t, "delete") && !token_is(t, "local") &&
	    !(token_is(t, "assert") && is_language(c, CODE_PHP)) && token_is(code_at(c, 1), "(")) {
		c->i++;
		return code_assignable(c, 8);
	}
	if (token_is(t, "do") && token_is(code_at(c, 1), "{")) {
		unsigned close, end = c->end;

		c->i++;
		close = closing_at(c);
		c->i++;
		c->end = close;
		c->last = value_unknown(0);
		code_run(c);
		c->end = end;
		c->i = min_size(close + 1, end);
		return c->last;
	}
	c->i++;
	if (has(c, SYNTAX_SIGILS) && name.n > 1 && c->i < c->end && is_language(c, CODE_PERL) &&
	    name.p[0] == '$' && !is_pointed_at(c, t)) {
		/* $x[0] is a part of @x, $x{y} of %x */
		const char *sigil = token_is(code_at(c, 0), "[")   ? "@"
				    : token_is(code_at(c, 0), "{") ? "%"
								   : NULL;

		if (sigil)
			name = arena_printf(c->e->arena, "%s%.*s", sigil,
					    STR_ARG(str_sub(name, 1, name.n)));
	}
	if (name.n > 1 && name.p[0] == '@' && token_is(code_at(c, 0), "{") &&
	    !code_at(c, 0)->space && is_language(c, CODE_PERL)) /* @x{qw(a b)}: of %x */
		name = arena_printf(c->e->arena, "%%%.*s", STR_ARG(str_sub(name, 1, name.n)));
	if (name.n > 1 && name.p[0] == '&' && is_language(c, CODE_PERL))
		name = str_sub(name, 1, name.n);
	c->lvalue = name;
	var = code_variable(c, name);
	if (is_language(c, CODE_RUBY) && (!var || is_its_own_name(var, name))) /* attr_reader */
		var = code_variable(c, arena_printf(c->e->arena, "@%.*s", STR_ARG(name))) ?: var;
	if (!var && is_language(c, CODE_COMPILED) && c->calls) { /* a field, in a method */
		const struct code_value *this = code_variable(c, STR("this"));

		if (this && this->kind == VALUE_LIST && value_member(this, name))
			return *value_member(this, name);
	}
	if (var && is_language(c, CODE_RUBY) && calls_itself(c, var, name)) {
		struct code_args none = { .at = t->at, .end = t->end };

		return code_call(c, *var, NULL, &none);
	}
	return var ? *var : named(c, name);
}

/* <> of Perl: what the files hold that the arguments name, or what is typed. */
static struct code_value read_arguments(struct code *c)
{
	static const struct code_function row = { .act = ACT_READ };
	const struct code_value *files = code_variable(c, STR("@ARGV"));
	struct code_args args = { .n = 1, .at = code_at(c, 0)->at, .end = code_at(c, 0)->at };

	if (!files || (files->kind == VALUE_LIST ? !files->n : files->kind != VALUE_TEXT))
		return code_input(c, true);
	args.p[0].value = files->kind == VALUE_LIST ? files->items[0] : *files;
	return code_act(c, &row, NULL, &args);
}

static struct code_value angle(struct code *c)
{
	unsigned i = c->i + 1;
	struct str inside;
	struct code_value v;

	while (i < c->end && i < c->i + 12 && !token_is(&c->t[i], ">"))
		i++;
	if (i >= c->end || !token_is(&c->t[i], ">")) {
		c->i++;
		return value_unknown(0);
	}
	inside = str_sub(c->text, c->t[c->i].at + 1, c->t[i].at);
	c->i = i + 1;
	if (str_eqz(inside, "ARGV") || !inside.n)
		return read_arguments(c);
	if (str_eqz(inside, "STDIN"))
		return code_input(c, true);
	if (str_chr(inside, '*', 0) < 0) { /* <$handle> */
		const struct code_value *handle = code_variable(c, inside);

		if (handle && (handle->flags & VALUE_WALKED)) /* what a program lists */
			return *handle;
		return value_unknown(handle ? handle->flags : 0);
	}
	v = value_text(inside);
	v.flags = VALUE_WALKED;
	return v;
}

/* s/x/code/e */
static void run_replacement(struct code *c, const struct code_token *t)
{
	struct str s = str_sub(c->text, t->at, t->end), flags;
	size_t end = s.n, from;
	char delimiter;

	while (end && char_is_word(s.p[end - 1]))
		end--;
	flags = str_sub(s, end, s.n);
	if (s.n < 4 || s.p[0] != 's' || end < 3 || str_chr(flags, 'e', 0) < 0)
		return;
	delimiter = s.p[end - 1];
	delimiter = delimiter == '}' ? '{' : delimiter == ')' ? '(' : delimiter;
	for (from = end - 1; from > 1 && (s.p[from - 1] != delimiter || s.p[from - 2] == '\\');)
		from--;
	code_run_text(c, str_sub(s, from, end - 1));
}

/* @app.post("/x"), @app.websocket("/x"): requests bring what the function behind it is given. */
static bool is_route(const struct code_token *from, const struct code_token *to)
{
	static const char *const names[] = { "route",  "get",       "post",      "put", "patch",
					     "delete", "websocket", "api_route", "head" };
	/* what others write, or a broker brings */
	static const char *const bots[] = { "bot",  "client", "dp",       "router", "sio",
					    "tree", "broker", "socketio", "mqtt" };
	static const char *const events[] = {
		"event",      "command", "message", "message_handler", "on_message",
		"on",         "listen",  "hears",   "slash_command",   "channel_post",
		"subscriber", "topic",   NULL
	};

	for (const struct code_token *t = from; t + 2 < to; t++)
		if (t[0].kind == TOKEN_NAME && TOKEN_IN(t, bots) && token_is(t + 1, ".") &&
		    TOKEN_IN(t + 2, events))
			return true;
	for (const struct code_token *t = from; t + 2 < to; t++)
		if (TOKEN_IN(t, names) && token_is(t + 1, "(") && t[2].kind == TOKEN_TEXT &&
		    str_starts(t[2].text, STR("/")))
			return true;
	return false;
}

/* -x, !x, &x, @x: the cursor is at the sign. */
static struct code_value prefixed(struct code *c)
{
	const struct code_token *t = code_at(c, 0);
	struct code_value v;

	c->i++;
	if (token_is(t, "@") && is_language(c, CODE_PYTHON) && !c->decorates) {
		c->decorates = true;
		c->mocks_before = c->nmocks;
	}
	v = code_assignable(c, 8);
	c->routes |= token_is(t, "@") && is_route(t, code_at(c, 0));
	if (token_is(t, "@") && is_language(c, CODE_PYTHON) && t[1].kind == TOKEN_NAME) {
		const struct code_value *own = code_variable(c, t[1].text);

		c->registers |= own && value_functions(own);
		if (value_functions(&v) && c->ndecorators < ARRAY_LEN(c->decorators))
			c->decorators[c->ndecorators++] = v;
	}
	if (token_is(t, "@") && v.kind == VALUE_NAME)
		c->simulated |= str_starts(v.type, STR("moto.mock"));
	if (token_is(t, "-") && (v.flags & VALUE_NUMBER))
		v = value_join(c->e->arena, value_text(STR("-")), STR(""), v),
		v.flags |= VALUE_NUMBER;
	else if (token_is(t, "!") || token_is(t, "~"))
		v = value_unknown(0);
	return v;
}

/* (int) $x of PHP, (TargetDataLine) line of Java and C# */
static bool is_cast(const struct code *c)
{
	static const char *const types[] = { "int",    "string", "array",  "bool",
					     "object", "float",  "integer" };
	const struct code_token *type = code_at(c, 1), *next = code_at(c, 3);

	if (!token_is(code_at(c, 0), "(") || !token_is(code_at(c, 2), ")"))
		return false;
	if (is_language(c, CODE_COMPILED))
		return type->kind == TOKEN_NAME && char_is_upper(type->text.p[0]) &&
		       char_is_lower(str_at(type->text, 1)) && next->kind == TOKEN_NAME &&
		       !next->line && !TOKEN_IN(next, stops);
	return is_language(c, CODE_PHP) && TOKEN_IN(type, types) && next->kind != TOKEN_END &&
	       !token_is(next, ";");
}

/* qw(a b), %w[a b] */
static struct code_value word_list(struct code *c, struct str rest)
{
	struct code_value words[64];
	size_t n = 0;

	while (n < ARRAY_LEN(words) && (rest = str_trim(rest)).n) {
		size_t k = 0;

		while (k < rest.n && !strchr(" \t\n", rest.p[k]))
			k++;
		words[n++] = value_text(str_sub(rest, 0, k));
		rest = str_sub(rest, k, rest.n);
	}
	return value_list(c->e->arena, words, n);
}

static struct code_value operand(struct code *c)
{
	const struct code_token *t = code_at(c, 0);
	struct code_value v;

	c->lvalue = (struct str){ 0 };
	if (code_arrow(c, &v))
		return v;
	switch ((enum code_token_kind)t->kind) {
	case TOKEN_END:
		return value_unknown(0);
	case TOKEN_NAME:
		return name_value(c);
	case TOKEN_NUMBER:
		c->i++;
		v = value_text(t->text);
		v.flags = VALUE_NUMBER;
		return v;
	case TOKEN_TEXT:
		c->i++;
		if (is_language(c, CODE_COMPILED) && !t->space && t > c->t &&
		    token_is(t - 1, "@")) {
			struct code_token raw = *t; /* @"C:\\x" of C# */

			raw.escapes = ESCAPES_NONE;
			return code_text_value(c, &raw);
		}
		v = code_text_value(c, t);
		while (code_at(c, 0)->kind == TOKEN_TEXT && !code_at(c, 0)->line &&
		       !has(c, SYNTAX_SIGILS)) {
			struct code_value next = code_text_value(c, code_at(c, 0));

			v = value_join(c->e->arena, v, STR(""), next);
			c->i++;
		}
		c->lvalue = (struct str){ 0 };
		return v;
	case TOKEN_COMMAND:
		c->i++;
		v = code_text_value(c, t);
		if (is_language(c, CODE_JULIA)) { /* run(`x`) runs it */
			v.type = STR(TYPE_PIPE);
			return v;
		}
		c->output = value_unknown(0);
		code_shell(c, &v);
		c->output.flags |= v.flags & VALUE_TAINTS;
		return c->output;
	case TOKEN_WORDS:
		c->i++;
		return word_list(c, t->text);
	case TOKEN_REGEX:
		c->i++;
		if (is_language(c, CODE_PERL))
			run_replacement(c, t);
		v = value_unknown(0);
		v.type = STR("regex");
		v.text = t->text;
		return v;
	case TOKEN_OPERATOR:
		break;
	}
	if (token_is(t, "...") && is_language(c, CODE_LUA)) {
		const struct code_value *rest = code_variable(c, STR("..."));

		c->i++;
		return rest ? *rest : value_unknown(0);
	}
	if (is_cast(c)) {
		c->i += 3;
		return code_operand(c);
	}
	if (token_is(t, "("))
		return code_group(c);
	if (token_is(t, "{") && code_function_literal(c, &v))
		return v;
	if (token_is(t, "[") || token_is(t, "{"))
		return code_items(c, token_is(t, "{"));
	if (token_is(t, "->") && code_function_literal(c, &v))
		return v;
	if (token_is(t, "<") && is_language(c, CODE_PERL))
		return angle(c);
	if (token_is(t, "<>") && is_language(c, CODE_PERL)) {
		c->i++;
		return read_arguments(c);
	}
	if (token_is(t, ":") && code_at(c, 1)->kind == TOKEN_NAME && !code_at(c, 1)->space &&
	    is_language(c, CODE_RUBY)) {
		c->i += 2;
		return value_text(c->t[c->i - 1].text);
	}
	if (strchr("-!+~*&\\@.:", t->text.p[0]) && t->text.n <= 3 && !token_is(t, "::") &&
	    (t->text.n == 1 || token_is(t, "...") || token_is(t, "**") || token_is(t, "++") ||
	     token_is(t, "--")))
		return prefixed(c);
	if (token_is(t, "::")) {
		c->i++;
		return operand(c);
	}
	return value_unknown(0);
}

/* ---- what follows an operand ---- */

static bool is_all_names(struct str s)
{
	static const char *const scopes[] = {
		"",       "builtins",       "__builtins__", "sys.modules", "globalThis", "global",
		"window", "self.__class__", "_G",           "Kernel",      "GLOBALS",    "$GLOBALS"
	};

	for (size_t i = 0; i < ARRAY_LEN(scopes); i++)
		if (str_eqz(s, scopes[i]))
			return true;
	return false;
}

enum { NAME_MAX_BYTES = 512 };

/* items(), keys() and each(), of any object that has keys. */
static bool gives_keys(const struct code *c, struct str name)
{
	struct str any = arena_printf(c->e->arena, ".%.*s", STR_ARG(name));
	const struct code_function *f = code_function_find(c, any, true);

	return f && (f->act == GIVES_PAIRS || f->act == GIVES_KEYS || f->act == CALLS_WITH_ITEMS);
}

/* A class whose methods have been read; not for texts with very many. */
static bool is_class(const struct code *c, struct str name)
{
	bool upper = name.n && char_is_upper(name.p[0]);

	for (unsigned i = 0; upper && i < c->nfns && i < CODE_ELEMENTS_MAX; i++)
		if (str_eq(c->fns[i].class, name))
			return true;
	return false;
}

/* [].map.constructor, "".at.constructor: the cursor is behind it. */
static bool is_method_of_literal(const struct code *c)
{
	const struct code_token *t = &c->t[c->i];

	return c->i > 4 && token_is(t - 2, ".") && t[-3].kind == TOKEN_NAME &&
	       token_is(t - 4, ".") && (token_is(t - 5, "]") || t[-5].kind == TOKEN_TEXT);
}

/* $_POST["password"]: a field of a form, which lies in another file. */
static bool is_typed_password(const struct code_value *of, struct str name)
{
	if (!(of->flags & VALUE_FETCHED) || !str_starts(of->type, STR("$_")))
		return false;
	return str_find_icase(name, STR("passw"), 0) >= 0 ||
	       word_in_text(name, "pass pwd pw pin Pass PASS card_number cardnumber cvv cvc otp");
}

/* WalkDir(root, t.visit) of Go: a method that is not called here. */
static struct code_value *method_value(struct code *c, struct str name)
{
	struct code_value *v = is_language(c, CODE_COMPILED) && !token_is(code_at(c, 0), "(")
				       ? code_variable(c, name)
				       : NULL;

	return v && v->kind == VALUE_FUNCTION && c->fns[v->n].self.n ? v : NULL;
}

struct code_value code_member(struct code *c, const struct code_value *of, struct str name)
{
	struct code_value *var, v;

	if (value_attribute(c->e->arena, of, name, &v))
		return v;
	if (str_eqz(of->type, TYPE_EMULATOR))
		return *of;
	if (str_eqz(name, "constructor") && is_language(c, CODE_JAVASCRIPT) &&
	    (of->kind == VALUE_FUNCTION || is_method_of_literal(c)))
		return value_name(STR("Function")); /* (async () => {}).constructor(text) */
	if (str_eqz(of->type, "file") &&
	    word_in_text(name, "canonicalFile absoluteFile")) /* itself */
		return *of;
	if (str_eqz(name, "ArgumentList") && is_language(c, CODE_COMPILED)) {
		v = value_unknown(0);
		v.type = name;
		return v;
	}
	if (of->kind == VALUE_UNKNOWN && !of->type.n &&
	    c->nclasses) { /* api.client, of its class */
		var = code_variable(c, arena_printf(c->e->arena, "%s.%.*s",
						    is_language(c, CODE_PYTHON) ? "self" : "this",
						    STR_ARG(name)));
		if (var && !value_functions(var) && (var->type.n || (var->flags & VALUE_CLIENT)) &&
		    var->kind != VALUE_NAME)
			return *var;
	}
	if (of->kind != VALUE_NAME || of->type.n > NAME_MAX_BYTES) {
		var = method_value(c, name);
		if (var)
			return *var;
		v = value_unknown(of->flags);
		v.flags |= cloud_kept(c->e->arena, name, of->flags);
		return v;
	}
	if (str_eqz(name, "__dict__") ||
	    (str_eqz(name, "default") && !is_language(c, CODE_COMPILED)))
		return *of;
	if ((of->flags & VALUE_SECRET) && !gives_keys(c, name) &&
	    !code_function_find(
		    c, arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(of->type), STR_ARG(name)),
		    false)) { /* process.env.HOME */
		const struct code_function *f = code_function_find(c, of->type, false);
		struct code_args args = { .p = { { .value = value_text(name) } }, .n = 1 };

		if (is_language(c, CODE_PYTHON) || is_language(c, CODE_RUBY))
			return value_unknown(VALUE_SECRET); /* os.environ.copy, ENV.to_h */
		c->lvalue =
			arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(of->type), STR_ARG(name));
		if (f && f->act == GIVES_ENV)
			return code_act(c, f, NULL, &args);
	}
	c->lvalue = is_all_names(of->type) ? name
					   : arena_printf(c->e->arena, "%.*s.%.*s",
							  STR_ARG(of->type), STR_ARG(name));
	var = code_variable(c, c->lvalue);
	if (!var &&
	    (str_eqz(of->type, "self") || str_eqz(of->type, "cls") || str_eqz(of->type, "this") ||
	     str_eqz(of->type, "$this") || is_class(c, of->type))) {
		var = code_variable(c, name); /* what the body of the class has set */
		if (!var && is_language(c, CODE_PHP))
			var = code_variable(c, arena_printf(c->e->arena, "$%.*s", STR_ARG(name)));
		var = var && !value_functions(var) &&
				      (var->kind == VALUE_LIST || var->kind == VALUE_TEXT ||
				       (var->flags & VALUE_CLIENT))
			      ? var
			      : NULL;
		if (var && var->kind == VALUE_LIST) /* what it gets is the object's from now on */
			code_set(c, c->lvalue, *var), var = code_variable(c, c->lvalue);
	}
	if (var)
		return *var;
	if (is_language(c, CODE_COMPILED) && !token_is(code_at(c, 0), "(")) { /* of Swift */
		const struct code_function *f = code_function_find(c, c->lvalue, false);

		if (f && f->act == GIVES_HOME)
			return code_act(c, f, NULL, &(struct code_args){ 0 });
	}
	var = method_value(c, name);
	if (var)
		return *var;
	v = named(c, c->lvalue);
	v.flags |= of->flags & (VALUE_FETCHED | VALUE_REMOTE);
	v.flags |= cloud_kept(c->e->arena, name, of->flags);
	v.flags |= is_typed_password(of, name) ? VALUE_TYPED : 0;
	return v;
}

/* The operator that reaches into an object here, or 0 tokens. */
static unsigned access_length(const struct code *c)
{
	const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);

	if (t->kind != TOKEN_OPERATOR || next->kind == TOKEN_END)
		return 0;
	if (token_is(t, "->") || token_is(t, "?."))
		return !is_language(c, CODE_JULIA);
	if (is_language(c, CODE_R))
		return (token_is(t, "$") || token_is(t, "@")) && next->kind == TOKEN_NAME;
	if (token_is(t, "::") && next->kind == TOKEN_NAME)
		return 1;
	if (token_is(t, "*") && token_is(next, ".") && !next->space && !t->space &&
	    is_language(c, CODE_COMPILED))
		return 2; /* files*.delete() of Groovy */
	if (token_is(t, "&") && token_is(next, ".") && !next->space)
		return 2;
	if (token_is(t, ".") && !has(c, SYNTAX_DOT_JOINS) &&
	    (next->kind == TOKEN_NAME || (token_is(next, "(") && is_language(c, CODE_RUBY))))
		return 1; /* x.y, f.(x) */
	return token_is(t, ":") && is_language(c, CODE_LUA) && next->kind == TOKEN_NAME &&
	       (token_is(code_at(c, 2), "(") || code_at(c, 2)->kind == TOKEN_TEXT);
}

/* { db in ..., { x -> ...: the cursor is at the bracket. */
static bool takes_parameters(const struct code *c)
{
	return code_at(c, 1)->kind == TOKEN_NAME && !token_is(code_at(c, 1), "case") &&
	       (token_is(code_at(c, 2), "in") || token_is(code_at(c, 2), "->"));
}

/* .forEach { }, .eachFile { }, .withWriter { } */
static bool takes_block(const struct code_function *row)
{
	return row->act >= CALLS_WITH_SELF || row->act == GIVES_ENTRIES ||
	       row->act == GIVES_CHOSEN || row->act == ACT_READ || row->act == ACT_OVERWRITE ||
	       row->act == ACT_FETCH ||
	       (row->act == GIVES_SELF && (row->type || (row->flags & FN_OTHER)));
}

/* Does a call begin here, of what has just been read? */
static bool begins_call(const struct code *c, const struct code_value *v, bool method)
{
	const struct code_token *t = code_at(c, 0);
	bool callable = v->kind == VALUE_NAME || v->kind == VALUE_FUNCTION ||
			v->kind == VALUE_CLASS || method;

	if (t->line && has(c, SYNTAX_LINES))
		return false;
	if (token_is(t, "("))
		return !(has(c, SYNTAX_ADJACENT_JOINS) && t->space);
	if (!callable)
		return false;
	if (is_language(c, CODE_COMPILED) && token_is(t, "{") && method && t->match > c->i &&
	    (takes_parameters(c) ||
	     (t[-1].kind == TOKEN_NAME && !c->in_print && cloud_destroys(c->e->arena, t[-1].text))))
		return true; /* queue.write { db in ... } */
	if (is_language(c, CODE_COMPILED) && token_is(t, "{") && method && t->match > c->i &&
	    code_function_find(c, v->type, true)) /* .forEach { it.delete() } */
		return takes_block(code_function_find(c, v->type, true));
	if (t->kind == TOKEN_TEXT && !t->space && t->parts == PARTS_DOLLAR_BRACES)
		return true;
	if (is_language(c, CODE_COMPILED) && t->kind == TOKEN_TEXT && t->space &&
	    (method || v->kind == VALUE_FUNCTION))
		return true; /* sql.execute "..." of Groovy */
	if (is_language(c, CODE_COMPILED) && !method && v->kind == VALUE_NAME && t->space &&
	    word_in_text(v->type, "println print"))
		return code_begins_argument(c); /* of Groovy */
	if (is_language(c, CODE_LUA))
		return t->kind == TOKEN_TEXT || token_is(t, "{");
	if (!t->space && !token_is(t, "<"))
		return false;
	if (has(c, SYNTAX_BARE_CALLS)) {
		if ((token_is(t, "{") || token_is(t, "do")) && !c->in_print)
			return t->match > c->i;
		return code_begins_argument(c);
	}
	if (is_language(c, CODE_PHP)) { /* include 'x.php', echo $x */
		const struct code_function *f =
			v->kind == VALUE_NAME ? code_function_find(c, v->type, false) : NULL;

		return f && (f->act == ACT_UNSEEN || f->act == ACT_SHOW) && code_begins_argument(c);
	}
	if (token_is(t, "{"))
		return str_eqz(v->type, "grep") || str_eqz(v->type, "map") ||
		       str_eqz(v->type, "sort") || str_eqz(v->type, "exec") ||
		       str_eqz(v->type, "system") || str_eqz(v->type, "bless");
	return has(c, SYNTAX_KNOWN_BARE_CALLS) && v->kind == VALUE_NAME && v->type.n &&
	       v->type.p[0] != '$' && code_begins_argument(c);
}

static bool is_known_bare(const struct code *c, const struct code_value *v)
{
	const struct code_function *f =
		v->kind == VALUE_NAME ? code_function_find(c, v->type, false) : NULL;

	return f && !(f->flags & FN_NEVER_BARE);
}

static struct code_value call_here(struct code *c, struct code_value f, struct code_value *self,
				   unsigned at)
{
	struct code_args args = { .at = at, .of = c->of };

	c->of = (struct str){ 0 };
	if (is_language(c, CODE_PHP) && token_is(code_at(c, 0), "(") &&
	    token_is(code_at(c, 1), "...") && token_is(code_at(c, 2), ")")) { /* unlink(...) */
		c->i += 3;
		return f;
	}
	if (c->piped) /* x |> f(y) */
		args.p[args.n++].value = *c->piped;
	c->piped = NULL;
	if (token_is(code_at(c, 0), "(")) {
		code_arguments(c, &args, ")");
	} else if (is_language(c, CODE_LUA) || code_at(c, 0)->parts == PARTS_DOLLAR_BRACES) {
		if (code_at(c, 0)->parts == PARTS_DOLLAR_BRACES && f.kind == VALUE_NAME) {
			struct str tag = arena_printf(c->e->arena, "%.*s`", STR_ARG(f.type));

			f.type = code_function_find(c, tag, false) ? tag : f.type;
		}
		args.p[args.n++].value = operand(c);
		args.end = c->i ? c->t[c->i - 1].end : 0;
	} else if (token_is(code_at(c, 0), "{") && str_eqz(f.type, "bless")) {
		args.p[args.n++].value = code_items(c, true);
		code_arguments(c, &args, NULL);
	} else if (token_is(code_at(c, 0), "{") && is_language(c, CODE_PERL)) {
		unsigned body = c->i;
		struct str named = arena_printf(c->e->arena, "%.*s {}", STR_ARG(f.type));

		if (f.kind == VALUE_NAME && code_function_find(c, named, false)) {
			f.type = named;
			c->i++;
			args.p[args.n++].value = code_expression(c);
			c->i = min_size(c->t[body].match + 1, c->end);
		} else
			args.p[args.n++].value = code_function_at(c, body, body, body);
		code_arguments(c, &args, NULL);
	} else if (!token_is(code_at(c, 0), "{") && !token_is(code_at(c, 0), "do")) {
		code_arguments(c, &args, NULL);
	}
	if (is_language(c, CODE_COMPILED) && token_is(code_at(c, 0), "{") &&
	    (args.n == 0 || (self && args.n < CODE_ARGS_MAX && !code_at(c, 0)->line)) &&
	    closing_at(c) < c->end)
		args.p[args.n++].value = code_block_literal(c);
	if (is_language(c, CODE_JULIA) && token_is(code_at(c, 0), "do") && args.n < CODE_ARGS_MAX &&
	    closing_at(c) < c->end)
		args.p[args.n++] = (struct code_arg){ .value = code_block_literal(c) };
	if (is_language(c, CODE_RUBY) && !c->in_print && args.n < CODE_ARGS_MAX &&
	    (token_is(code_at(c, 0), "{") || token_is(code_at(c, 0), "do")) &&
	    closing_at(c) < c->end && !(code_at(c, 0)->line))
		args.p[args.n++].value = code_block_literal(c);
	return code_call(c, f, self, &args);
}

/* map(os.path.expanduser, names), require("cap").Cap: handed on, not called. */
static bool is_given(const struct code *c, const struct code_function *row, struct str name)
{
	if (is_language(c, CODE_JAVASCRIPT) && row->act == GIVES_OBJECT)
		return char_is_upper(name.p[0]);
	return is_language(c, CODE_PYTHON) &&
	       (row->act == GIVES_EXPANDED || row->act == GIVES_PATH || row->act == GIVES_PARENT ||
		row->act == GIVES_NAME);
}

/* A function of a table, or one of several, which something holds. */
static bool may_be_called(const struct code *c, const struct code_value *v)
{
	bool any = v->kind == VALUE_LIST && (v->flags & VALUE_ANY) && v->n;

	for (unsigned i = 0; any && i < v->n; i++)
		if (v->items[i].kind == VALUE_FUNCTION || may_be_called(c, &v->items[i]))
			return true;
	return v->kind == VALUE_NAME && v->type.n && code_function_find(c, v->type, false);
}

/* A method or an attribute of an object: its name is at the cursor. */
static struct code_value of_object(struct code *c, struct code_value self, unsigned at)
{
	struct str name = code_at(c, 0)->text;
	struct code_value f, v;
	const struct code_function *row;
	struct str of = c->lvalue;
	bool has_it = value_attribute(c->e->arena, &self, name, &v);

	c->i++;
	if (name.p[0] == '$' && is_language(c, CODE_PERL) && code_variable(c, name)) {
		v = *code_variable(c, name); /* $x->$method(...) */
		if (value_functions(&v) && token_is(code_at(c, 0), "("))
			return call_here(c, v, &self, at);
		name = value_is_known(&v) ? v.text : name;
	}
	if (self.kind == VALUE_CLASS && str_eqz(name, "new")) /* Ruby */
		return self;
	v = code_member(c, &self, name);
	/* An attribute that has a value, or a name. */
	if (self.kind == VALUE_NAME && v.kind != VALUE_NAME) {
		if (v.kind == VALUE_FUNCTION && begins_call(c, &v, true))
			return call_here(c, v, NULL, at);
		return v;
	}
	if (v.kind == VALUE_FUNCTION && begins_call(c, &v, true))
		return call_here(c, v, has_it && is_language(c, CODE_JAVASCRIPT) ? &self : NULL,
				 at);
	if (has_it && str_eqz(v.type, TYPE_EMULATOR)) /* { remove: jest.fn() } */
		self = v;
	else if (has_it && may_be_called(c, &v) && begins_call(c, &v, true))
		return call_here(c, v, NULL, at); /* job.act(path), where act is os.RemoveAll */
	f = self.kind == VALUE_NAME ? v
				    : value_name(arena_printf(c->e->arena, "%.*s.%.*s",
							      STR_ARG(self.type), STR_ARG(name)));
	if (begins_call(c, &f, true)) {
		struct str lvalue = c->lvalue;
		struct code_value result;

		c->of = of;
		result = call_here(c, f, &self, at);
		c->lvalue = lvalue;
		c->lvalue.n = 0;
		return result;
	}
	if ((has_it && v.kind == VALUE_FUNCTION && c->fns[v.n].property) ||
	    (is_language(c, CODE_PERL) && !token_is(code_at(c, 0), "="))) { /* $x->remove; */
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		return code_call(c, has_it && v.kind == VALUE_FUNCTION ? v : f, &self, &none);
	}
	if (self.kind == VALUE_NAME && v.kind == VALUE_NAME && (v.flags & VALUE_FETCHED))
		return v; /* request.body */
	if (has_it)
		return v;
	if (self.kind == VALUE_LIST || self.kind == VALUE_UNKNOWN || str_eqz(self.type, "this") ||
	    str_eqz(self.type, "self")) { /* @property of Python */
		const struct code_value *var = code_variable(c, name);
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		if (var && value_functions(var) && c->fns[value_function(var, 0)->n].property)
			return code_call(c, *var, &self, &none);
		if (var && value_functions(var) && v.kind == VALUE_UNKNOWN)
			return *var; /* submit(runner.run, x) */
	}
	row = code_function_find(c, f.type, self.kind == VALUE_NAME ? false : true);
	if (row && row->act < GIVES_SELF && is_language(c, CODE_COMPILED) &&
	    word_in_text(name, "text bytes") &&
	    !token_is(code_at(c, 0), "=")) { /* new URL("...").text of Groovy */
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		return code_act(c, row, &self, &none);
	}
	if (!row && has(c, SYNTAX_BARE_CALLS))
		row = code_function_find(c, f.type, true);
	if (row && row->act >= GIVES_SELF &&
	    (row->act < GIVES_MODULE || row->act == GIVES_CONST || row->act == GIVES_FACT ||
	     (row->act == GIVES_KEYS && is_language(c, CODE_COMPILED))) &&
	    !(self.kind == VALUE_NAME && (row->act == GIVES_ENV || is_given(c, row, name)))) {
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		return code_act(c, row, &self, &none);
	}
	if (has(c, SYNTAX_BARE_CALLS) && !token_is(code_at(c, 0), "=")) {
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		if (!row && !((self.flags & VALUE_CLIENT) == VALUE_REMOTE &&
			      cloud_destroys_there(c, name, &none)))
			return v;
		return row ? code_act(c, row, &self, &none) : code_call(c, f, &self, &none);
	}
	/* map(client.delete, names), forEach(file::delete): it is handed on, and called there */
	if (self.kind != VALUE_NAME &&
	    (token_is(code_at(c, 0), ",") || code_at(c, 0)->kind == TOKEN_END) && row &&
	    row->act < GIVES_SELF)
		return code_bind_function(c, (struct code_bound){ .of = self, .name = name });
	return v;
}

/* Task, of Task{Name: "x"} */
static bool is_type_name(const struct code_token *t)
{
	return t->kind == TOKEN_NAME && char_is_upper(t->text.p[0]);
}

static const struct code_value *struct_of(struct code *c, const struct code_token *t)
{
	const struct code_value *v = t->kind == TOKEN_NAME ? code_variable(c, t->text) : NULL;

	return v && v->kind == VALUE_CLASS ? v : NULL;
}

/* Fields have the names that the type gives them: job{path, os.Remove} */
static struct code_value with_fields(struct code *c, struct code_value v,
				     const struct code_value *class)
{
	if (v.kind != VALUE_LIST || (v.flags & VALUE_ANY) || v.n > class->n || !v.n ||
	    v.items[0].key.n)
		return v;
	v = value_list(c->e->arena, v.items, v.n);
	for (unsigned i = 0; i < v.n; i++)
		v.items[i].key = class->items[i].text;
	return v;
}

/* job{...}, []job{{...}, {...}}: the cursor is at the bracket. */
static struct code_value composite(struct code *c)
{
	const struct code_token *open = code_at(c, 0), *name = open - 1;
	const struct code_value *class = struct_of(c, name);
	bool list = c->i > 1 && name->kind == TOKEN_NAME && token_is(name - 1, "]");
	struct code_value v = code_items(c, token_is(open, "{"));

	if (!class || v.kind != VALUE_LIST)
		return v;
	for (unsigned i = 0; list && i < v.n; i++) {
		struct str key = v.items[i].key;

		v.items[i] = with_fields(c, v.items[i], class);
		v.items[i].key = key;
	}
	return list ? v : with_fields(c, v, class);
}

/* How many tokens a type of Go has that begins there: job, *pkg.Job, func(string) error. */
static unsigned type_length(const struct code *c, unsigned ahead)
{
	unsigned n = ahead;

	while (token_is(code_at(c, n), "*"))
		n++;
	if (token_is(code_at(c, n), "func") && token_is(code_at(c, n + 1), "(") &&
	    code_at(c, n + 1)->match > c->i + n) {
		n = code_at(c, n + 1)->match + 1 - c->i;
		if (token_is(code_at(c, n), "(") && code_at(c, n)->match > c->i + n)
			return code_at(c, n)->match + 1 - c->i - ahead;
	}
	while (code_at(c, n)->kind == TOKEN_NAME && !code_at(c, n)->line) {
		n++;
		if (!token_is(code_at(c, n), "."))
			break;
		n++;
	}
	return n - ahead;
}

/* Job { program: x } of Rust; not where the type is defined */
static bool is_struct_literal(const struct code *c)
{
	static const char *const words[] = { "struct", "enum",      "class",     "impl",  "for",
					     "trait",  "interface", "extension", "object" };
	const struct code_token *t = code_at(c, 0);

	return token_is(t, "{") && c->i > 1 && is_type_name(t - 1) && !TOKEN_IN(t - 2, words) &&
	       !token_is(t - 2, ":") && !token_is(t - 2, "->") &&
	       code_at(c, 1)->kind == TOKEN_NAME && token_is(code_at(c, 2), ":") &&
	       !code_at(c, 2)->space;
}

/*
 * []string{"a"}, new String[] {"a"}, map[string]string{"a": "b"}, vec!["a"]: the cursor goes to the
 * bracket of the items.
 */
static bool items_follow(struct code *c, unsigned first)
{
	const struct code_token *t = code_at(c, 0), *before;
	unsigned ahead;

	if (c->i == first) /* nothing was read that they could be of */
		return false;
	before = &c->t[c->i - 1]; /* at the end, t is none of them */
	ahead = token_is(before, "]") ? type_length(c, 0) : 0;
	if (token_is(t, "!") && token_is(code_at(c, 1), "[") && !t->space &&
	    token_is(before, "vec")) {
		c->i++;
		return true;
	}
	if (!token_is(code_at(c, ahead), "{") || t->line ||
	    !(token_is(before, "]") || is_struct_literal(c) ||
	      (!t->space && (is_type_name(before) || struct_of(c, before)))))
		return false;
	c->i += ahead;
	return true;
}

/* get<string>(url) of TypeScript: how many tokens are no more than a type, or 0. */
static unsigned type_arguments(const struct code *c)
{
	bool fish = c->i && is_language(c, CODE_COMPILED) && token_is(&c->t[c->i - 1], "::");

	if (!token_is(code_at(c, 0), "<") || code_at(c, 0)->space)
		return 0;
	for (unsigned n = 1; n < 12; n++) {
		const struct code_token *t = code_at(c, n);

		if (token_is(t, ">") || token_is(t, ">>"))
			return token_is(code_at(c, n + 1), "(") ||
					       (token_is(code_at(c, n + 1), ".") &&
						is_language(c, CODE_COMPILED))
				       ? n + 1
				       : 0;
		if (t->kind != TOKEN_NAME && !(fish && (token_is(t, "(") || token_is(t, ")"))) &&
		    !strchr("[],|.<", t->text.n ? t->text.p[0] : ';'))
			return 0;
	}
	return 0;
}

/* x! of TypeScript and Swift, println!(x) and x? of Rust: it changes nothing of x. */
static bool is_assertion(const struct code *c)
{
	const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);

	if (t->space || t->kind != TOKEN_OPERATOR)
		return false;
	if (token_is(t, "!"))
		return is_language(c, CODE_JAVASCRIPT) || is_language(c, CODE_COMPILED);
	return token_is(t, "?") && is_language(c, CODE_COMPILED) &&
	       (next->line || next->kind == TOKEN_END ||
		(next->kind == TOKEN_OPERATOR && strchr(".;,){", next->text.p[0])));
}

struct code_value code_operand(struct code *c)
{
	unsigned at = code_at(c, 0)->at, first = c->i, elements = 0;
	struct code_value v = operand(c);
	struct str name = c->lvalue, attribute = { 0 };

	c->holder = (struct str){ 0 };
	if (c->i == first)
		return v;
	for (;;) {
		const struct code_token *t = code_at(c, 0);
		unsigned n = access_length(c);
		bool more = !t->line || !has(c, SYNTAX_LINES);

		if (n && (more || token_is(t, ".") || token_is(t, "?.") || token_is(t, "&"))) {
			c->i += n;
			if (code_at(c, 0)->kind == TOKEN_NAME &&
			    !(has(c, SYNTAX_DOT_JOINS) && code_at(c, 0)->text.p[0] == '$')) {
				attribute = v.kind == VALUE_NAME ? (struct str){ 0 }
								 : code_at(c, 0)->text;
				v = of_object(c, v, at);
				continue;
			}
			if (token_is(code_at(c, 0), "(") || token_is(code_at(c, 0), "[") ||
			    token_is(code_at(c, 0), "{"))
				continue; /* ?.( ?.[ ->[ ->{ */
			if (token_is(code_at(c, 0), "@") || token_is(code_at(c, 0), "*"))
				c->i++;
			v = value_unknown(v.flags);
			continue;
		}
		if (is_language(c, CODE_COMPILED) && items_follow(c, first)) {
			v = composite(c);
			continue;
		}
		if (token_is(t, "[") && more &&
		    !(t->space && has(c, SYNTAX_BARE_CALLS) && v.kind == VALUE_NAME)) {
			name = elements || !c->lvalue.n ? name : c->lvalue; /* self.x[k] */
			v = code_subscript(c, v);
			elements++;
			continue;
		}
		if (token_is(t, "{") && !t->space && is_language(c, CODE_PERL) && c->i > first &&
		    (c->t[c->i - 1].kind == TOKEN_NAME || token_is(&c->t[c->i - 1], "->") ||
		     token_is(&c->t[c->i - 1], "}") || token_is(&c->t[c->i - 1], "]"))) {
			v = code_subscript(c, v);
			elements++;
			continue;
		}
		if ((is_language(c, CODE_JAVASCRIPT) || is_language(c, CODE_COMPILED)) &&
		    type_arguments(c)) {
			c->i += type_arguments(c);
			continue;
		}
		if (begins_call(c, &v, false) &&
		    (token_is(t, "(") || !has(c, SYNTAX_KNOWN_BARE_CALLS) ||
		     is_known_bare(c, &v))) {
			v = call_here(c, v, NULL, at);
			c->lvalue = (struct str){ 0 };
			continue;
		}
		if ((token_is(t, "++") || token_is(t, "--")) && more) {
			c->i++;
			v = value_unknown(0);
			continue;
		}
		if (more && is_assertion(c)) {
			c->i++;
			continue;
		}
		break;
	}
	if (attribute.n && c->lvalue.n && token_is(code_at(c, 0), "=")) { /* x.y = z */
		c->holder = c->lvalue;
		c->holder_key = attribute;
		c->lvalue = (struct str){ 0 };
	} else if (elements && name.n && !c->lvalue.n) {
		c->holder = name;
		c->holder_key = elements == 1 ? c->holder_key : (struct str){ 0 };
	}
	/* A function of the table that needs no arguments: Perl's `fork`, Ruby's `fork`. */
	if (v.kind == VALUE_NAME && c->i == first + 1 &&
	    has(c, SYNTAX_KNOWN_BARE_CALLS | SYNTAX_BARE_CALLS) && is_known_bare(c, &v) &&
	    !token_is(code_at(c, 0), "=") && !token_is(code_at(c, 0), "=>") &&
	    !(first && (token_is(&c->t[first - 1], "\\") ||
			token_is(&c->t[first - 1], "&")))) { /* \&rmtree is not called yet */
		struct code_args none = { .at = at, .end = c->t[first].end };

		v = code_call(c, v, NULL, &none);
	}
	return v;
}
