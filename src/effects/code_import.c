/* Which modules a text imports, and under which names. */
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
