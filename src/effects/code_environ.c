/* The environment that code sets, for itself and for what it starts. */
#include "effects/code_act.h"

#include "shell/shell.h"

static bool is_open(const struct code *c, const struct code_setting *s)
{
	return s->level <= c->level;
}

void code_environ_set(struct code *c, struct str name, const struct code_value *v)
{
	struct code_setting *s = &c->environ[c->nenviron];

	if (!name.n || str_chr(name, CODE_GAP, 0) >= 0)
		return;
	/* What a block sets is not sure behind it, and neither is what was there before. */
	for (unsigned i = 0; i < c->nenviron; i++)
		if (str_eq(c->environ[i].name, name) && c->environ[i].level < c->level)
			c->environ[i].known = false;
		else if (str_eq(c->environ[i].name, name))
			s = &c->environ[i];
	if (s == &c->environ[ARRAY_LEN(c->environ)])
		return;
	c->nenviron += s == &c->environ[c->nenviron];
	*s = (struct code_setting){
		.name = name, .value = v->text, .level = c->level, .known = v->kind == VALUE_TEXT
	};
}

/* os.environ.update(x), update(A="b"), {**os.environ, "A": "b"} */
void code_environ_set_all(struct code *c, const struct code_value *items)
{
	for (unsigned i = 0; items->kind == VALUE_LIST && i < items->n; i++)
		code_environ_set(c, items->items[i].key, &items->items[i]);
}

bool code_environ_find(const struct code *c, struct str name, struct str *ret_value)
{
	for (unsigned i = c->nenviron; i-- > 0;)
		if (str_eq(c->environ[i].name, name) && is_open(c, &c->environ[i])) {
			*ret_value = c->environ[i].value;
			return c->environ[i].known;
		}
	return false;
}

void code_environ_leave(struct code *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->nenviron; i++)
		if (is_open(c, &c->environ[i]))
			c->environ[n++] = c->environ[i];
	c->nenviron = n;
}

void code_environ_return(struct code *c, unsigned level)
{
	for (unsigned i = 0; i < c->nenviron; i++)
		if (c->environ[i].level == c->base)
			c->environ[i].level = level;
}

struct str code_home(const struct code *c)
{
	struct str home;

	return code_environ_find(c, STR("HOME"), &home) && home.n && home.p[0] == '/'
		       ? home
		       : effects_home(c->e);
}

static void add_export(struct buf *out, struct str name, struct str value)
{
	for (size_t i = 0; i < name.n; i++)
		if (!char_is_word(name.p[i]))
			return;
	buf_addf(out, "export %.*s=", STR_ARG(name));
	sh_quote(out, value);
	buf_addz(out, "; ");
}

struct str code_environ_exports(const struct code *c)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	const struct code_value *child = c->child;

	for (unsigned i = 0; i < c->nenviron; i++)
		if (c->environ[i].known && is_open(c, &c->environ[i]))
			add_export(&out, c->environ[i].name, c->environ[i].value);
	for (unsigned i = 0; child && child->kind == VALUE_LIST && i < child->n; i++)
		if (child->items[i].key.n && child->items[i].kind == VALUE_TEXT)
			add_export(&out, child->items[i].key, child->items[i].text);
	return arena_str(c->e->arena, buf_str(&out));
}
