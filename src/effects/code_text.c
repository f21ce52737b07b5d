/* Text with parts that are code: f"{x}", `${x}`, "#{x}", "$x". */
#include "effects/code_reader.h"

/* The code in a text's ${...}: at its "{". */
static size_t part_end(struct str s, size_t i)
{
	unsigned depth = 0;

	for (; i < s.n; i++) {
		if (s.p[i] == '{' || s.p[i] == '[')
			depth++;
		else if ((s.p[i] == '}' || s.p[i] == ']') && --depth == 0)
			return i;
	}
	return s.n;
}

static struct code_value part_value(struct code *c, struct str text, bool python)
{
	struct code inner = *c;
	struct code_tokens t;
	struct code_value v;

	/* In front of a conversion: {x!r}, {x:>10}; {x=} */
	if (python)
		for (size_t i = 0, depth = 0; i < text.n; i++) {
			if (strchr("([{", text.p[i]) && text.p[i])
				depth++;
			else if (strchr(")]}", text.p[i]) && text.p[i] && depth)
				depth--;
			else if (!depth && (text.p[i] == ':' ||
					    (text.p[i] == '!' && str_sub(text, i + 1, i + 2).n &&
					     text.p[i + 1] != '='))) {
				text.n = i;
				break;
			}
		}
	if (c->budget < text.n)
		effects_unjudged(c->e, STR("(code that is nested too deeply)"));
	if (code_too_deep(c) || c->budget < text.n)
		return value_unknown(0);
	c->budget -= text.n;
	code_lex(&t, c->g, c->e, text);
	inner = *c;
	inner.text = text;
	inner.t = t.p;
	inner.i = 0;
	inner.end = t.n - 1;
	inner.nesting++;
	inner.statement = false;
	v = code_expression(&inner);
	/* All but the place belongs to the whole. */
	inner.text = c->text;
	inner.t = c->t;
	inner.i = c->i;
	inner.end = c->end;
	inner.nesting = c->nesting;
	inner.statement = c->statement;
	*c = inner;
	return v;
}

/* A variable in text: $x, ${x}, $x[0], $x->{y}, @x, {$x}. */
static struct code_value sigil_part(struct code *c, struct str s, size_t *i)
{
	size_t from = *i, to = from + 1;
	struct code_value v;

	if (s.p[from] == '{' || (to < s.n && s.p[to] == '{')) {
		size_t open = s.p[from] == '{' ? from : to, end = part_end(s, open);
		struct str inside = str_sub(s, open + 1, end);
		bool name = s.p[from] != '{' && inside.n && char_is_word(inside.p[0]);

		*i = min_size(end + 1, s.n);
		if (name)
			inside = arena_printf(c->e->arena, "%c%.*s", s.p[from], STR_ARG(inside));
		return part_value(c, inside, false);
	}
	while (to < s.n &&
	       (char_is_word(s.p[to]) || (s.p[to] == ':' && to + 2 < s.n && s.p[to + 1] == ':')))
		to++;
	while (to < s.n && (s.p[to] == '[' || s.p[to] == '{' ||
			    (s.p[to] == '-' && to + 2 < s.n && s.p[to + 1] == '>' &&
			     (strchr("[{", s.p[to + 2]) || is_language(c, CODE_PHP))))) {
		if (s.p[to] == '-') {
			to += 2;
			while (to < s.n && char_is_word(s.p[to]))
				to++;
		} else {
			to = min_size(part_end(s, to) + 1, s.n);
		}
	}
	v = part_value(c, str_sub(s, from, to), false);
	*i = to;
	return s.p[from] == '@' ? value_join_all(c->e->arena, v, STR(" ")) : v;
}

/* Code in a text: where it is, what follows it, and whether a format is behind a colon. */
struct hole {
	size_t from, to, after;
	bool format;
};

/*
 * ${x}, $x, {x}, \(x), where x is a variable, or where a function is called: what else looks like
 * that is text for a shell, or JSON.
 */
static bool names_part(struct code *c, struct str s, size_t i, struct hole *h)
{
	char next = str_at(s, i + 1);
	size_t name;
	unsigned depth = 0;

	if ((s.p[i] == '$' && next == '{') || (s.p[i] == '\\' && next == '('))
		h->from = i + 2;
	else if ((s.p[i] == '$' || s.p[i] == '{') && char_is_word(next) && !char_is_digit(next))
		h->from = i + 1;
	else
		return false;
	h->format = s.p[i] == '{';
	for (name = h->from; name < s.n && char_is_word(s.p[name]);)
		name++;
	h->to = h->after = name;
	if (h->from == i + 1 && s.p[i] == '$')
		return code_variable(c, str_sub(s, h->from, name)) != NULL;
	for (size_t k = i + (h->from > i + 1); k < s.n; k++) {
		depth += s.p[k] == '{' || s.p[k] == '(';
		if ((s.p[k] == '}' || s.p[k] == ')') && --depth == 0) {
			h->to = k;
			h->after = k + 1;
			return name > h->from &&
			       (code_variable(c, str_sub(s, h->from, name)) ||
				(!h->format && str_chr(str_sub(s, h->from, h->to), '(', 0) >= 0));
		}
	}
	return false;
}

/* $x, $(x) of Julia */
static bool dollar_part(struct str s, size_t i, struct hole *h)
{
	char next = str_at(s, i + 1);
	unsigned depth = 0;

	*h = (struct hole){ .from = i + 1 + (next == '(') };
	if (s.p[i] != '$' || !(next == '(' || (char_is_word(next) && !char_is_digit(next))))
		return false;
	for (h->to = h->from; h->to < s.n; h->to++) {
		depth += s.p[h->to] == '(';
		if (next != '(' ? !char_is_word(s.p[h->to]) : s.p[h->to] == ')' && depth-- == 0)
			break;
	}
	h->after = min_size(h->to + (next == '('), s.n);
	return true;
}

static bool begins_part(enum code_parts parts, struct str s, size_t i)
{
	char c = s.p[i], next = str_at(s, i + 1);

	switch (parts) {
	case PARTS_NONE:
	case PARTS_NAMES:
	case PARTS_DOLLARS:
		return false;
	case PARTS_BRACES:
		return c == '{' && next != '{';
	case PARTS_DOLLAR_BRACES:
		return c == '$' && next == '{';
	case PARTS_HASH_BRACES:
		return c == '#' && next == '{';
	case PARTS_SIGILS:
		return ((c == '$' || c == '@') &&
			((char_is_word(next) && !(c == '@' && char_is_digit(next))) ||
			 next == '{')) ||
		       (c == '{' && next == '$');
	}
	return false;
}

struct code_value code_text_value(struct code *c, const struct code_token *t)
{
	struct arena *a = c->e->arena;
	struct code_value v = value_text(STR(""));
	size_t from = 0, i = 0;
	bool any = false, named;
	struct hole h;

	while (t->parts != PARTS_NONE && i < t->text.n) {
		struct code_value part, text;

		named = (t->parts == PARTS_NAMES && names_part(c, t->text, i, &h)) ||
			(t->parts == PARTS_DOLLARS && dollar_part(t->text, i, &h));
		if (!named && t->text.p[i] == '\\' && t->escapes != ESCAPES_NONE) {
			i += 2;
			continue;
		}
		if ((t->parts == PARTS_BRACES || t->parts == PARTS_NAMES) && i + 1 < t->text.n &&
		    t->text.p[i] == '{' && t->text.p[i + 1] == '{') {
			i += 2;
			continue;
		}
		if (!named && !begins_part(t->parts, t->text, i)) {
			i++;
			continue;
		}
		text = value_text(code_unescape(a, str_sub(t->text, from, i), t->escapes));
		if (named) {
			part = part_value(c, str_sub(t->text, h.from, h.to), h.format);
			i = h.after;
		} else if (t->parts == PARTS_SIGILS) {
			part = sigil_part(c, t->text, &i);
		} else {
			size_t open = i + (t->parts != PARTS_BRACES);
			size_t end = part_end(t->text, open);

			part = part_value(c, str_sub(t->text, open + 1, end),
					  t->parts == PARTS_BRACES);
			i = min_size(end + 1, t->text.n);
		}
		v = value_join(a, any ? value_join(a, v, STR(""), text) : text, STR(""), part);
		any = true;
		from = i;
	}
	if (!any)
		return value_text(code_unescape(a, t->text, t->escapes));
	return value_join(
		a, v, STR(""),
		value_text(code_unescape(a, str_sub(t->text, from, t->text.n), t->escapes)));
}
