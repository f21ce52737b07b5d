/* Which modules a text imports, and under which names. */
#include "effects/code_cloud.h"
#include "effects/code_reader.h"

static struct str dotted(struct code *c)
{
	unsigned from = c->i;

	while (code_at(c, 0)->kind == TOKEN_NAME && token_is(code_at(c, 1), "."))
		c->i += 2;
	if (code_at(c, 0)->kind == TOKEN_NAME)
		c->i++;
	return c->i > from ? str_sub(c->text, c->t[from].at, c->t[c->i - 1].end)
			   : (struct str){ 0 };
}

void code_import_from(struct code *c)
{
	struct str module;

	while (skip(c, ".") || skip(c, "..") || skip(c, "..."))
		;
	module = dotted(c);
	if (!skip(c, "import"))
		return;
	skip(c, "(");
	if (skip(c, "*")) {
		if (c->nstars < ARRAY_LEN(c->stars))
			c->stars[c->nstars++] = module;
		return;
	}
	while (code_at(c, 0)->kind == TOKEN_NAME) {
		struct str name = code_at(c, 0)->text, as = name;

		c->i++;
		if (skip(c, "as"))
			as = code_at(c, 0)->text, c->i++;
		code_set(c, as,
			 value_name(arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(module),
						 STR_ARG(name))));
		if (!skip(c, ","))
			break;
	}
	skip(c, ")");
}

static void javascript_import(struct code *c)
{
	unsigned from = c->i, i = from;
	struct code_value module;

	while (i < c->end && c->t[i].kind != TOKEN_TEXT && !token_is(&c->t[i], ";") &&
	       !token_is(&c->t[i], "("))
		i++;
	if (i >= c->end || c->t[i].kind != TOKEN_TEXT)
		return;
	module = value_name(code_module(c->t[i].text));
	while (c->i < i) {
		if (token_is(code_at(c, 0), "{")) {
			code_bind_members(c, module);
			continue;
		}
		if (code_at(c, 0)->kind == TOKEN_NAME && !token_is(code_at(c, 0), "from") &&
		    !token_is(code_at(c, 0), "as"))
			code_set(c, code_at(c, 0)->text, module);
		c->i++;
	}
	c->i = i + 1;
}

/* What an SDK has, under the name that the text gives it; not what a test has instead. */
static void import_name(struct code *c, struct str module, struct str name)
{
	struct code_value v = value_name(module);

	if (!cloud_is_sdk(module) || str_find_icase(module, STR("fake"), 0) >= 0 ||
	    str_find_icase(module, STR("mock"), 0) >= 0)
		return;
	v.flags |= VALUE_REMOTE;
	if (name.n)
		code_set(c, name, v);
	else
		c->sdk = true;
}

/* "github.com/google/go-github/v60/github": the last part that is no version */
static struct str package_name(struct str path)
{
	struct str part, name = { 0 };

	while (str_split(&path, '/', &part))
		if (part.n < 2 || part.p[0] != 'v' || !char_is_digit(part.p[1]))
			name = part;
	return name;
}

/* import alias "path", import ( ... ) of Go: the cursor stays. */
static void go_import(struct code *c)
{
	unsigned end = token_is(code_at(c, 0), "(") ? closing_at(c) : min_size(c->i + 2, c->end);

	for (unsigned i = c->i; i < end; i++) {
		const struct code_token *t = &c->t[i];
		bool alias = i > c->i && t[-1].kind == TOKEN_NAME && !t->line;

		if (t->kind == TOKEN_TEXT)
			import_name(c, t->text, alias ? t[-1].text : package_name(t->text));
	}
}

/* using A.B, of which the table has something by its whole name. */
static void import_all(struct code *c, struct str module)
{
	bool known = false;

	if (c->nstars == ARRAY_LEN(c->stars))
		return;
	for (const struct code_function *f = c->g->functions; f->names && !known; f++)
		known = f->names[0] == module.p[0] && str_starts(str_from(f->names), module) &&
			f->names[module.n] == '.';
	if (known)
		c->stars[c->nstars++] = module;
}

/* import a.b.C, import a.b.*, using A.B, use a::{B, C}: the cursor stays. */
static void compiled_import(struct code *c, bool all)
{
	unsigned from = c->i + token_is(code_at(c, 0), "static"), i = from, close;
	struct str module;

	while (i < c->end && (i == from || !c->t[i].line) &&
	       (c->t[i].kind == TOKEN_NAME || token_is(&c->t[i], ".") || token_is(&c->t[i], "::")))
		i++;
	if (i == from || i >= c->end)
		return;
	module = str_sub(c->text, c->t[from].at, c->t[i - 1].end);
	if (!token_is(&c->t[i], "{")) {
		all |= token_is(&c->t[i], "*") || token_is(&c->t[i - 1], "_");
		import_name(c, module, all ? STR("") : c->t[i - 1].text);
		if (all)
			import_all(c, module);
		return;
	}
	close = min_size(c->t[i].match, c->end);
	for (; i < close; i++)
		if (c->t[i].kind == TOKEN_NAME)
			import_name(c,
				    arena_printf(c->e->arena, "%.*s%.*s", STR_ARG(module),
						 STR_ARG(c->t[i].text)),
				    c->t[i].text);
}

void code_import_compiled(struct code *c, const struct code_token *word)
{
	if (code_at(c, 0)->kind == TOKEN_TEXT || code_at(c, 1)->kind == TOKEN_TEXT ||
	    token_is(code_at(c, 0), "("))
		go_import(c);
	else
		compiled_import(c, token_is(word, "using"));
}

void code_import(struct code *c)
{
	if (!is_language(c, CODE_PYTHON)) {
		javascript_import(c);
		return;
	}
	do {
		struct str module = dotted(c);

		if (skip(c, "as") && code_at(c, 0)->kind == TOKEN_NAME) {
			code_set(c, code_at(c, 0)->text, value_name(module));
			c->i++;
		}
	} while (skip(c, ","));
}
