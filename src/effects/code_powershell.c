/*
 * PowerShell, and what cmd.exe is told: pipelines of commands, their aliases and parameters, text
 * that is joined and decoded, methods of .NET that reach files and the network.
 */
#include "effects/code_powershell.h"

static char peek(const struct ps *p, size_t ahead)
{
	return str_at(p->s, p->i + ahead);
}

static void blanks(struct ps *p, bool lines)
{
	for (;;) {
		char c = peek(p, 0);

		if (c == ' ' || c == '\t' || c == '\r' || (lines && (c == '\n' || c == ';')))
			p->i++;
		else if (c == '`' && (peek(p, 1) == '\n' || peek(p, 1) == '\r'))
			p->i += 2;
		else if (c == '#' && (p->i == 0 || strchr(" \t\n;{(", p->s.p[p->i - 1]))) {
			ptrdiff_t end = str_chr(p->s, '\n', p->i);

			p->i = end < 0 ? p->s.n : (size_t)end;
		} else if (c == '<' && peek(p, 1) == '#') {
			ptrdiff_t end = str_find(p->s, STR("#>"), p->i);

			p->i = end < 0 ? p->s.n : (size_t)end + 2;
		} else
			return;
	}
}

/* ---- variables ---- */

struct code_value *ps_variable(const struct ps *p, struct str name)
{
	for (struct ps_variable *v = *p->vars; v; v = v->next)
		if (str_eq_icase(v->name, name))
			return &v->value;
	return NULL;
}

void ps_set(struct ps *p, struct str name, struct code_value value)
{
	struct code_value *old = ps_variable(p, name);
	struct ps_variable *v;

	if (old) {
		*old = value;
		return;
	}
	if (*p->nvars >= PS_VARIABLES_MAX)
		return;
	v = ARENA_NEW(p->e->arena, struct ps_variable);
	*v = (struct ps_variable){ *p->vars, name, value };
	*p->vars = v;
	++*p->nvars;
}

static struct code_value variable_value(struct ps *p, struct str name)
{
	static const struct {
		const char *name, *below; /* of the home directory; "/": an absolute path */
	} known[] = {
		{ "HOME", "" },
		{ "env:HOME", "" },
		{ "env:USERPROFILE", "" },
		{ "env:HOMEPATH", "" },
		{ "env:APPDATA", "AppData/Roaming" },
		{ "env:LOCALAPPDATA", "AppData/Local" },
		{ "env:OneDrive", "OneDrive" },
		{ "PROFILE", ".config/powershell/profile.ps1" },
		{ "env:TEMP", "/tmp" },
		{ "env:TMP", "/tmp" },
		{ "env:SystemRoot", "/Windows" },
		{ "env:windir", "/Windows" },
		{ "env:SystemDrive", "/" },
		{ "env:ProgramFiles", "/usr/Program Files" },
		{ "env:ProgramData", "/usr/ProgramData" },
		{ "env:ComSpec", "cmd" },
		{ "null", "/dev/null" },
	};
	struct code_value *v = ps_variable(p, name);

	if (v)
		return *v;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eqz_icase(name, known[i].name)) {
			const char *b = known[i].below;

			if (b[0] == '/' || str_eqz_icase(name, "env:ComSpec"))
				return value_text(str_from(b));
			return value_text(b[0] ? arena_printf(p->e->arena, "%.*s/%s",
							      STR_ARG(effects_home(p->e)), b)
					       : effects_home(p->e));
		}
	if (str_eqz_icase(name, "PWD"))
		return value_text(effects_cwd(p->e));
	if (str_eqz_icase(name, "PSScriptRoot"))
		return value_text(effects_script_folder(p->e));
	return value_unknown(0);
}

/* $name, ${name}, $env:NAME: behind the dollar sign. */
static struct str variable_name(struct ps *p)
{
	size_t from = p->i;
	ptrdiff_t end;

	if (peek(p, 0) == '{') {
		end = str_chr(p->s, '}', p->i);
		p->i = end < 0 ? p->s.n : (size_t)end + 1;
		return str_sub(p->s, from + 1, end < 0 ? p->s.n : (size_t)end);
	}
	if (peek(p, 0) && strchr("?^$", peek(p, 0))) {
		p->i++;
		return str_sub(p->s, from, p->i);
	}
	while (char_is_word(peek(p, 0)) ||
	       (peek(p, 0) == ':' && char_is_word(peek(p, 1)) && p->i > from))
		p->i++;
	return str_sub(p->s, from, p->i);
}

/* ---- text ---- */

/* The end of a bracket that opens at the cursor; quotes in it count. */
static size_t bracket_end(const struct ps *p)
{
	unsigned depth = 0;
	char quote = '\0';

	for (size_t i = p->i; i < p->s.n; i++) {
		char c = p->s.p[i];

		if (c == '`' && quote != '\'')
			i++;
		else if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (strchr("({[", c) && c)
			depth++;
		else if (strchr(")}]", c) && c && --depth == 0)
			return i;
	}
	return p->s.n;
}

/* Behind the bracket or the text in quotes that begins at `i`. */
static size_t operand_end(const struct ps *p, size_t i)
{
	struct ps at = *p;
	char quote = p->s.p[i];

	at.i = i;
	if (quote != '\'' && quote != '"')
		return min_size(bracket_end(&at) + 1, p->s.n);
	for (i++; i < p->s.n && p->s.p[i] != quote; i++)
		i += p->s.p[i] == '`' && quote == '"';
	return min_size(i + 1, p->s.n);
}

/* Nothing deeper is read, nor more of the text than is bearable: what is there is not judged. */
static bool is_too_deep(struct ps *p, size_t n)
{
	if (p->depth < PS_DEPTH_MAX && *p->work >= n && !effects_no_stack())
		return false;
	effects_unjudged(p->e, p->words);
	return true;
}

/* What is in the bracket at the cursor, run as text of its own. */
static struct code_value run_bracket(struct ps *p)
{
	size_t end = bracket_end(p);
	struct ps inner = *p;
	struct code_value v;

	if (is_too_deep(p, end - p->i)) {
		p->i = min_size(end + 1, p->s.n);
		return value_unknown(0);
	}
	*p->work -= end - p->i;
	inner.s = str_sub(p->s, 0, end);
	inner.i = p->i + 1;
	inner.depth++;
	v = ps_statements(&inner);
	p->i = min_size(end + 1, p->s.n);
	return v;
}

static struct code_value quoted(struct ps *p, size_t end, bool expands)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct arena *a = p->e->arena;
	struct code_value v = value_text(STR("")), part;
	size_t whole = p->s.n;

	p->s.n = end;
	while (p->i < end) {
		char c = peek(p, 0);

		if (c == '`' && expands && p->i + 1 < end) {
			char next = peek(p, 1);

			buf_addc(&out, next == 'n' ? '\n' : next == 't' ? '\t' : next);
			p->i += 2;
		} else if ((c == '\'' && !expands && peek(p, 1) == '\'') ||
			   (c == '"' && expands && peek(p, 1) == '"')) {
			buf_addc(&out, c);
			p->i += 2;
		} else if (c == '$' && expands &&
			   (char_is_word(peek(p, 1)) || peek(p, 1) == '{' || peek(p, 1) == '(')) {
			p->i++;
			part = peek(p, 0) == '(' ? run_bracket(p)
						 : variable_value(p, variable_name(p));
			v = value_join(a, v, arena_str(a, buf_str(&out)), part);
			buf_clear(&out);
		} else {
			buf_addc(&out, c);
			p->i++;
		}
	}
	p->s.n = whole;
	return value_join(a, v, STR(""), value_text(arena_str(a, buf_str(&out))));
}

static struct code_value text_value(struct ps *p)
{
	char q = peek(p, 0);
	size_t end = p->i + 1;
	struct code_value v;

	if (q == '@') { /* here-strings */
		ptrdiff_t line = str_chr(p->s, '\n', p->i), close;

		q = peek(p, 1);
		close = line < 0 ? -1
				 : str_find(p->s, q == '"' ? STR("\n\"@") : STR("\n'@"),
					    (size_t)line);
		end = close < 0 ? p->s.n : (size_t)close;
		p->i = line < 0 ? end : (size_t)line + 1;
		v = quoted(p, end, q == '"');
		p->i = min_size(end + 3, p->s.n);
		return v;
	}
	while (end < p->s.n && (p->s.p[end] != q || (end + 1 < p->s.n && p->s.p[end + 1] == q))) {
		if (p->s.p[end] == q)
			end++;
		else if (p->s.p[end] == '`' && q == '"')
			end++;
		end++;
	}
	end = min_size(end, p->s.n);
	p->i++;
	v = quoted(p, end, q == '"');
	p->i = min_size(end + 1, p->s.n);
	return v;
}

/* ---- expressions ---- */

static bool in_bareword(char c)
{
	return c && !strchr(" \t\r\n|;&(){},'\"<>`$", c);
}

static struct code_value bareword(struct ps *p)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct arena *a = p->e->arena;
	struct code_value v = value_text(STR("")), part;

	for (;;) {
		char c = peek(p, 0);

		if (c == '`' && peek(p, 1)) {
			buf_addc(&out, peek(p, 1));
			p->i += 2;
		} else if (in_bareword(c)) {
			buf_addc(&out, c);
			p->i++;
		} else if (c == '$' && (char_is_word(peek(p, 1)) || strchr("({", peek(p, 1))) &&
			   peek(p, 1)) {
			p->i++;
			part = peek(p, 0) == '(' ? run_bracket(p)
						 : variable_value(p, variable_name(p));
			v = value_join(a, v, arena_str(a, buf_str(&out)), part);
			buf_clear(&out);
		} else if (c == '\'' || c == '"') {
			part = text_value(p);
			v = value_join(a, v, arena_str(a, buf_str(&out)), part);
			buf_clear(&out);
		} else if (c == '$') {
			buf_addc(&out, c);
			p->i++;
		} else {
			break;
		}
	}
	return value_join(a, v, STR(""), value_text(arena_str(a, buf_str(&out))));
}

static struct code_value block_value(struct ps *p)
{
	size_t end = bracket_end(p);
	struct code_value v = value_text(str_sub(p->s, p->i + 1, end));

	v.type = STR("block");
	p->i = min_size(end + 1, p->s.n);
	return v;
}

/* @{ a = 1; b = x }: the cursor is at the bracket. */
static struct code_value hash_value(struct ps *p)
{
	size_t end = bracket_end(p), n = 0;
	struct code_value items[CODE_ARGS_MAX], key;
	struct ps inner = *p;

	inner.s = str_sub(p->s, 0, end);
	inner.i = p->i + 1;
	inner.depth++;
	while (inner.i < end && !is_too_deep(&inner, 8)) {
		size_t at = inner.i;

		*p->work -= 8;
		blanks(&inner, true);
		key = peek(&inner, 0) == '\'' || peek(&inner, 0) == '"' ? text_value(&inner)
									: bareword(&inner);
		blanks(&inner, false);
		if (peek(&inner, 0) == '=' && n < ARRAY_LEN(items)) {
			inner.i++;
			blanks(&inner, false);
			items[n] = ps_pipeline(&inner);
			items[n++].key = key.kind == VALUE_TEXT ? key.text : STR("");
		}
		if (inner.i == at)
			inner.i++;
	}
	p->i = min_size(end + 1, p->s.n);
	return value_list(p->e->arena, items, n);
}

/* (a, b): the arguments of a method. */
static size_t method_arguments(struct ps *p, struct code_value *args, size_t max)
{
	size_t end = bracket_end(p), n = 0;
	struct ps inner = *p;

	inner.s = str_sub(p->s, 0, end);
	inner.i = p->i + 1;
	inner.depth++;
	while (inner.i < end && !is_too_deep(&inner, 0)) {
		size_t at = inner.i;
		struct code_value v;

		blanks(&inner, true);
		inner.argument = true;
		v = ps_expression(&inner, false);
		if (n < max && inner.i > at)
			args[n++] = v;
		blanks(&inner, true);
		if (inner.i < end && (peek(&inner, 0) == ',' || inner.i == at))
			inner.i++;
	}
	p->i = min_size(end + 1, p->s.n);
	return n;
}

/* [Type]::Member, [char]65, [Type]value */
static struct code_value typed(struct ps *p)
{
	size_t end = bracket_end(p);
	struct str type = str_sub(p->s, p->i + 1, end), member;
	struct code_value v, args[4];
	size_t from, n = 0;
	int64_t number;

	if (str_starts_icase(type, STR("System.")))
		type = str_sub(type, 7, type.n);
	p->i = min_size(end + 1, p->s.n);
	if (peek(p, 0) == ':' && peek(p, 1) == ':') {
		from = p->i += 2;
		while (char_is_word(peek(p, 0)))
			p->i++;
		member = str_sub(p->s, from, p->i);
		if (peek(p, 0) == '(')
			n = method_arguments(p, args, ARRAY_LEN(args));
		return ps_static(p, type, member, args, n);
	}
	blanks(p, false);
	v = ps_operand(p);
	if (str_eqz_icase(type, "char") && value_int(&v, &number) && number > 0 && number < 128)
		return value_text(arena_printf(p->e->arena, "%c", (char)number));
	if (str_eqz_icase(type, "char[]") && v.kind == VALUE_LIST)
		for (unsigned i = 0; i < v.n; i++)
			if (value_int(&v.items[i], &number) && number > 0 && number < 128)
				v.items[i] =
					value_text(arena_printf(p->e->arena, "%c", (char)number));
	if (str_eqz_icase(type, "scriptblock"))
		v.type = STR("block");
	return v;
}

struct code_value ps_operand(struct ps *p)
{
	char c = peek(p, 0);
	struct code_value v;
	size_t from = p->i;

	if (c == '\'' || c == '"' || (c == '@' && (peek(p, 1) == '\'' || peek(p, 1) == '"'))) {
		v = text_value(p);
	} else if (c == '$' && peek(p, 1) == '(') {
		p->i++;
		v = run_bracket(p);
	} else if (c == '$') {
		p->i++;
		v = variable_value(p, variable_name(p));
		if ((peek(p, 0) == '\\' || peek(p, 0) == '/') && in_bareword(peek(p, 1))) {
			struct code_value rest = bareword(p); /* $HOME\x */

			v = value_join(p->e->arena, v, STR(""), rest);
		}
	} else if (c == '(') {
		v = run_bracket(p);
	} else if (c == '@' && (peek(p, 1) == '(' || peek(p, 1) == '{')) {
		p->i++;
		v = peek(p, 0) == '(' ? run_bracket(p) : hash_value(p);
		v.type = (struct str){ 0 };
	} else if (c == '{') {
		v = block_value(p);
	} else if (c == '[') {
		v = typed(p);
	} else if (char_is_digit(c)) {
		while (char_is_word(peek(p, 0)))
			p->i++;
		v = value_text(str_sub(p->s, from, p->i));
		v.flags = VALUE_NUMBER;
	} else {
		v = bareword(p);
	}
	for (;;) { /* .Member, .Method(...), [index] */
		struct code_value args[4];
		struct str name;
		size_t n = 0, at = p->i;
		bool called;

		if (peek(p, 0) == '[' && c != '@') {
			(void)method_arguments(p, args, 1);
			if (v.kind == VALUE_LIST && !(v.flags & VALUE_ANY))
				v = value_element(p->e->arena, &v);
			continue;
		}
		if (peek(p, 0) != '.' || !char_is_word(peek(p, 1)) || (c != '[' && in_bareword(c)))
			return v;
		p->i++;
		from = p->i;
		while (char_is_word(peek(p, 0)))
			p->i++;
		name = str_sub(p->s, from, p->i);
		called = peek(p, 0) == '(';
		if (called)
			n = method_arguments(p, args, ARRAY_LEN(args));
		v = ps_method(p, v, name, called, args, n, str_sub(p->s, at, p->i));
	}
}

static struct code_value operated(struct ps *p, struct str op, struct code_value x,
				  struct code_value y)
{
	struct arena *a = p->e->arena;

	if (str_eqz_icase(op, "+")) {
		if (x.kind == VALUE_LIST && y.kind == VALUE_LIST)
			return value_either(a, x, y);
		return value_join(a, x, STR(""), y);
	}
	if (str_eqz_icase(op, "-join"))
		return value_join_all(a, x, y.kind == VALUE_TEXT ? y.text : STR(""));
	if (str_eqz_icase(op, "-f")) {
		struct code_value v = value_text(STR(""));
		size_t from = 0;

		for (size_t i = 0; x.kind == VALUE_TEXT && i + 2 < x.text.n; i++)
			if (x.text.p[i] == '{' && char_is_digit(x.text.p[i + 1])) {
				struct code_value part =
					y.kind == VALUE_LIST ? value_item(&y, x.text.p[i + 1] - '0')
							     : y;

				v = value_join(a, v, str_sub(x.text, from, i), part);
				while (i < x.text.n && x.text.p[i] != '}')
					i++;
				from = i + 1;
			}
		return value_join(a, v, STR(""), value_text(str_sub(x.text, from, x.text.n)));
	}
	if ((str_eqz_icase(op, "-replace") || str_eqz_icase(op, "-creplace")) &&
	    y.kind == VALUE_LIST && y.n == 2)
		return ps_replaced(p, x, y.items[0], y.items[1]);
	if (str_eqz_icase(op, "-split"))
		return x;
	return value_unknown(x.flags | y.flags);
}

/* Values joined by commas and operators.  A word of a command has no operators. */
struct code_value ps_expression(struct ps *p, bool word)
{
	struct code_value items[32], v;
	size_t n = 0;
	bool argument = p->argument;

	p->argument = false;
	if (is_too_deep(p, 0)) {
		p->i = p->s.n;
		return value_unknown(0);
	}
	p->depth++;
	if (!word && peek(p, 0) == '-' && str_eqz_icase(str_sub(p->s, p->i, p->i + 5), "-join")) {
		p->i += 5;
		blanks(p, false);
		v = ps_expression(p, false);
		p->depth--;
		return value_join_all(p->e->arena, v, STR(""));
	}
	for (;;) {
		size_t at = p->i;

		v = ps_operand(p);
		while (!word) {
			size_t from, start = p->i;
			struct str op;
			struct code_value y;

			blanks(p, false);
			from = p->i;
			if (peek(p, 0) == '+' || peek(p, 0) == '*') {
				p->i++;
			} else if (peek(p, 0) == '-' && char_is_word(peek(p, 1))) {
				for (p->i++; char_is_word(peek(p, 0));)
					p->i++;
			} else {
				p->i = start;
				break;
			}
			op = str_sub(p->s, from, p->i);
			blanks(p, false);
			y = str_eqz_icase(op, "+") || str_eqz_icase(op, "*")
				    ? ps_operand(p)
				    : ps_expression(p, true);
			v = operated(p, op, v, y);
		}
		if (n < ARRAY_LEN(items) && p->i > at)
			items[n++] = v;
		at = p->i;
		if (n)
			blanks(p, false);
		if (peek(p, 0) != ',' || n == 0 || argument) {
			p->i = at;
			break;
		}
		p->i++;
		blanks(p, true);
	}
	p->depth--;
	return n == 1 ? items[0] : n ? value_list(p->e->arena, items, n) : value_unknown(0);
}

/* ---- commands ---- */

static bool ends_command(const struct ps *p)
{
	char c = peek(p, 0);

	return !c || strchr("|;\n&)}", c);
}

static bool is_parameter(const struct ps *p)
{
	return peek(p, 0) == '-' && (char_is_word(peek(p, 1)) || peek(p, 1) == '-') &&
	       !char_is_digit(peek(p, 1));
}

/* @x: the items are words, and with keys parameters. */
static void splat(struct ps_command *c, struct code_value v, struct arena *a)
{
	unsigned n = v.kind == VALUE_LIST && !(v.flags & VALUE_ANY) ? v.n : 1;

	for (unsigned i = 0; i < n && c->n < PS_WORDS_MAX; i++) {
		struct ps_word *w = &c->word[c->n++];

		*w = (struct ps_word){ .has_value = true };
		w->value = v.kind == VALUE_LIST ? v.items[i] : v;
		if (w->value.key.n)
			w->parameter = arena_printf(a, "-%.*s", STR_ARG(w->value.key));
	}
}

/* Words up to the end of a command. */
static void read_words(struct ps *p, struct ps_command *c)
{
	for (blanks(p, false); !ends_command(p); blanks(p, false)) {
		size_t at = p->i;
		struct ps_word *w = &c->word[c->n];

		if (peek(p, 0) == '>' || (peek(p, 0) == '<') ||
		    (char_is_digit(peek(p, 0)) && peek(p, 1) == '>') ||
		    (peek(p, 0) == '*' && peek(p, 1) == '>')) {
			bool append;

			while (peek(p, 0) != '>' && peek(p, 0) != '<')
				p->i++;
			p->i++;
			append = peek(p, 0) == '>';
			p->i += append;
			if (peek(p, 0) == '&') {
				p->i += 2;
				continue;
			}
			blanks(p, false);
			c->redirect = ps_expression(p, true);
			c->append = append;
			continue;
		}
		if (peek(p, 0) == '@' && char_is_word(peek(p, 1))) {
			p->i++;
			splat(c, variable_value(p, variable_name(p)), p->e->arena);
			continue;
		}
		if (c->n == PS_WORDS_MAX) {
			(void)ps_expression(p, true);
			if (p->i == at)
				p->i++;
			continue;
		}
		*w = (struct ps_word){ 0 };
		if (is_parameter(p)) {
			while (peek(p, 0) && !strchr(" \t\r\n|;&)}:=", peek(p, 0)))
				p->i++;
			w->parameter = str_sub(p->s, at, p->i);
			if (peek(p, 0) == ':' && peek(p, 1) != '\\') {
				p->i++;
				w->value = ps_expression(p, true);
				w->has_value = true;
			} else if (peek(p, 0) == ':' || peek(p, 0) == '=') {
				p->i++;
			}
		} else {
			w->value = ps_expression(p, true);
			w->has_value = true;
		}
		if (p->i == at)
			p->i++;
		else
			c->n++;
	}
	c->source = str_trim(str_sub(p->s, c->at, p->i));
}

static struct code_value command(struct ps *p, struct code_value name, struct code_value *in)
{
	struct ps_command c = { .at = p->start };
	struct code_value v;

	c.name = name;
	read_words(p, &c);
	v = ps_run_command(p, &c, in);
	if (c.redirect.kind != VALUE_UNKNOWN)
		ps_path(p, &c,
			(struct effect){ .kind = c.append ? EFFECT_WRITE : EFFECT_OVERWRITE },
			&c.redirect);
	return v;
}

struct code_value ps_run_block(struct ps *p, struct str block, const struct code_value *item)
{
	struct ps inner = *p;

	if (is_too_deep(p, block.n))
		return value_unknown(0);
	*p->work -= block.n;
	if (item) {
		ps_set(p, STR("_"), *item);
		ps_set(p, STR("PSItem"), *item);
	}
	inner.s = block;
	inner.i = 0;
	inner.depth++;
	return ps_statements(&inner);
}

static struct str word_at(const struct ps *p)
{
	size_t n = 0;

	while (char_is_word(peek(p, n)) || peek(p, n) == '-')
		n++;
	return str_sub(p->s, p->i, p->i + n);
}

static bool run_here(struct ps *p)
{
	struct code_value block;

	blanks(p, true);
	if (peek(p, 0) != '{')
		return false;
	block = block_value(p);
	(void)ps_run_block(p, block.text, NULL);
	return true;
}

void ps_each(struct ps *p, struct str name, const struct code_value *over, struct str block)
{
	struct code_value one = value_element(p->e->arena, over);
	bool known = over->kind == VALUE_LIST && !(over->flags & VALUE_ANY) && over->n > 1 &&
		     over->n <= CODE_LOOP_MAX;

	for (unsigned i = 0; i < (known ? over->n : 1); i++) {
		one = known ? over->items[i] : over->kind == VALUE_TEXT ? *over : one;
		if (name.n)
			ps_set(p, name, one);
		(void)ps_run_block(p, block, name.n ? NULL : &one);
	}
}

/* foreach ($x in y) { }; the cursor is behind the word. */
static void loop(struct ps *p)
{
	size_t end = bracket_end(p);
	struct ps head = *p;
	struct str name = { 0 };
	struct code_value over = value_unknown(0), block;

	head.s = str_sub(p->s, 0, end);
	head.i++;
	head.depth++;
	blanks(&head, true);
	if (peek(&head, 0) == '$') {
		head.i++;
		name = variable_name(&head);
	}
	blanks(&head, true);
	if (str_eqz_icase(word_at(&head), "in")) {
		head.i += 2;
		over = ps_statements(&head);
	}
	p->i = min_size(end + 1, p->s.n);
	blanks(p, true);
	if (peek(p, 0) != '{')
		return;
	block = block_value(p);
	ps_each(p, name.n ? name : STR("_"), &over, block.text);
}

static bool assignment(struct ps *p, struct code_value *ret);

/* param([string]$x = ..., ...): what nobody gives has its default; the cursor is at the bracket. */
static void defaults(struct ps *p)
{
	size_t close = bracket_end(p);
	struct ps one = *p;
	struct code_value v;

	for (one.i = p->i + 1; one.i < close; one.i++) {
		char c = one.s.p[one.i];
		struct ps name = one;
		size_t end = one.i;

		if (c != '$') { /* a type, an attribute, a comma */
			one.i = c && strchr("([{", c) ? bracket_end(&one) : one.i;
			continue;
		}
		while (end < close && one.s.p[end] != ',')
			end = strchr("([{'\"", one.s.p[end]) ? operand_end(&one, end) : end + 1;
		name.i++;
		if (!ps_variable(p, variable_name(&name))) {
			name = one;
			name.s = str_sub(one.s, 0, end);
			name.depth++;
			if (!is_too_deep(&name, end - one.i))
				(void)assignment(&name, &v);
		}
		one.i = end;
	}
	p->i = min_size(close + 1, p->s.n);
}

/* if, while, foreach, function...; false: it is a command. */
static bool keyword(struct ps *p)
{
	static const char *const heads[] = { "if",    "elseif", "while", "switch",
					     "until", "for",    "catch", "param" };
	static const char *const bodies[] = { "else",  "try",     "finally", "do",
					      "begin", "process", "end" };
	struct str w = word_at(p);

	if (str_eqz_icase(w, "foreach") && str_trim(str_sub(p->s, p->i + 7, p->i + 12)).n &&
	    str_trim(str_sub(p->s, p->i + 7, p->i + 12)).p[0] == '(') {
		p->i += 7;
		blanks(p, false);
		loop(p);
		return true;
	}
	if (str_eqz_icase(w, "function") || str_eqz_icase(w, "filter")) {
		struct code_value name, body;
		struct str parameters = { 0 };

		p->i += w.n;
		blanks(p, false);
		name = bareword(p);
		blanks(p, true);
		if (peek(p, 0) == '(') {
			size_t end = min_size(bracket_end(p) + 1, p->s.n);

			parameters = str_sub(p->s, p->i, end);
			p->i = end;
		}
		blanks(p, true);
		if (peek(p, 0) == '{' && name.kind == VALUE_TEXT) {
			body = block_value(p);
			if (parameters.n)
				body.text = arena_printf(p->e->arena, "param%.*s\n%.*s",
							 STR_ARG(parameters), STR_ARG(body.text));
			ps_set(p, name.text, body);
		}
		return true;
	}
	if (str_eqz_icase(w, "return") || str_eqz_icase(w, "throw")) {
		p->i += w.n;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (str_eqz_icase(w, heads[i]) && p->i + w.n < p->s.n &&
		    strchr(" (\n{", peek(p, w.n))) {
			p->i += w.n;
			blanks(p, true);
			if (peek(p, 0) == '(' && str_eqz_icase(w, "param"))
				defaults(p);
			else if (peek(p, 0) == '(')
				(void)run_bracket(p);
			(void)run_here(p);
			return true;
		}
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
		if (str_eqz_icase(w, bodies[i]) && p->i + w.n < p->s.n &&
		    strchr(" {\n", peek(p, w.n))) {
			p->i += w.n;
			(void)run_here(p);
			return true;
		}
	return false;
}

/* $x = ..., $x += ... */
static bool assignment(struct ps *p, struct code_value *ret)
{
	struct ps ahead = *p;
	struct code_value *of;
	struct str name;
	bool more, element = false;

	if (peek(p, 0) != '$')
		return false;
	ahead.i++;
	name = variable_name(&ahead);
	while (peek(&ahead, 0) == '[') { /* $x[...] = ... */
		ahead.i = min_size(bracket_end(&ahead) + 1, ahead.s.n);
		element = true;
	}
	while (peek(&ahead, 0) == '.' && char_is_word(peek(&ahead, 1)))
		for (ahead.i++; char_is_word(peek(&ahead, 0));)
			ahead.i++;
	blanks(&ahead, false);
	more = peek(&ahead, 0) == '+' && peek(&ahead, 1) == '=';
	if (!more && (peek(&ahead, 0) != '=' || peek(&ahead, 1) == '='))
		return false;
	p->i = ahead.i + 1 + more;
	blanks(p, true);
	*ret = ps_pipeline(p);
	if (more)
		*ret = value_join(p->e->arena, variable_value(p, name), STR(""), *ret);
	of = element ? ps_variable(p, name) : NULL;
	if (of)
		of->flags |= ret->flags & VALUE_TAINTS;
	else
		ps_set(p, name, *ret);
	return true;
}

/* One command or expression of a pipeline; `in`: what comes from the one before, or NULL. */
static struct code_value element(struct ps *p, struct code_value *in)
{
	char c = peek(p, 0);
	struct code_value v;

	p->start = p->i;
	if ((c == '&' ||
	     (c == '.' && (peek(p, 1) == ' ' || peek(p, 1) == '{' || peek(p, 1) == '('))) &&
	    peek(p, 1) != '&') {
		p->i++;
		blanks(p, false);
		if (peek(p, 0) == '{') {
			v = block_value(p);
			v = ps_run_block(p, v.text, in);
			return v;
		}
		v = ps_operand(p);
		return command(p, v, in);
	}
	if (assignment(p, &v))
		return v;
	if (c && (strchr("$\"'([@", c) || char_is_digit(c) || c == '-') && !is_parameter(p))
		return ps_expression(p, false);
	if (str_eqz_icase(str_sub(p->s, p->i, p->i + 5), "-join"))
		return ps_expression(p, false);
	if (c == '{')
		return block_value(p);
	return command(p, bareword(p), in);
}

struct code_value ps_pipeline(struct ps *p)
{
	struct code_value v = value_unknown(0);
	bool first = true;

	for (;;) {
		struct code_value in = v;
		size_t at = p->i;

		blanks(p, !first);
		if (p->i >= p->s.n)
			return v;
		v = element(p, first ? NULL : &in);
		first = false;
		blanks(p, false);
		if (peek(p, 0) != '|' || peek(p, 1) == '|' || p->i == at)
			return v;
		p->i++;
	}
}

struct code_value ps_statements(struct ps *p)
{
	struct code_value v = value_unknown(0);

	while (p->i < p->s.n) {
		size_t at = p->i;

		blanks(p, true);
		if (p->i >= p->s.n)
			break;
		if (!keyword(p))
			v = ps_pipeline(p);
		blanks(p, false);
		if ((peek(p, 0) == '&' && peek(p, 1) == '&') ||
		    (peek(p, 0) == '|' && peek(p, 1) == '|'))
			p->i += 2;
		else if (p->i == at || (peek(p, 0) && strchr(")},", peek(p, 0))))
			p->i++;
	}
	return v;
}

void code_read_powershell(struct effects *e, struct str text, struct str words)
{
	struct ps_variable *vars = NULL;
	unsigned nvars = 0;
	size_t work = 4 * CODE_TEXT_MAX;
	struct ps p = { .e = e, .vars = &vars, .nvars = &nvars, .work = &work, .words = words };
	struct ps_seen seen = { 0 };
	struct str cwd = e->cwd;

	p.seen = &seen;
	p.s = str_sub(text, 0, CODE_TEXT_MAX);
	(void)ps_statements(&p);
	e->cwd = cwd;
	if (text.n > CODE_TEXT_MAX)
		effects_unjudged(e, words);
}

/* base64 of UTF-16 */
static bool decoded(struct arena *a, struct str text, struct str *ret)
{
	struct str s = str_trim(text), bytes;
	char *p;
	size_t n = 0;

	if (!code_unbase64(a, s, &bytes) || bytes.n < 4 || bytes.n % 2)
		return false;
	p = arena_raw(a, bytes.n / 2 + 1);
	for (size_t i = 0; i + 1 < bytes.n; i += 2) {
		if (bytes.p[i + 1] != 0)
			return false;
		p[n++] = bytes.p[i];
	}
	*ret = (struct str){ p, n };
	return true;
}

/* No bracket or quote is left open: nothing was cut off. */
static bool is_whole(struct str code)
{
	char quote = '\0';
	int open = 0;

	for (size_t i = 0; i < code.n; i++) {
		char z = code.p[i];

		if (z == '`')
			i++;
		else if (quote)
			quote = z == quote ? '\0' : quote;
		else if (z == '"' || z == '\'')
			quote = z;
		else
			open += (strchr("([{", z) != NULL) - (strchr(")]}", z) != NULL);
	}
	return !quote && open <= 0;
}

/* What cannot be told of it was hidden. */
void code_read_powershell_encoded(struct effects *e, struct str text, struct str words)
{
	struct str code = STR("");
	bool known = decoded(e->arena, str_sub(text, 0, CODE_TEXT_MAX), &code);

	if (!known || !is_whole(code))
		effects_add(e, &(struct effect){ .kind = EFFECT_RUN_UNSEEN, .words = words });
	if (known)
		code_read_powershell(e, code, words);
	if (text.n > CODE_TEXT_MAX)
		effects_unjudged(e, words);
}
