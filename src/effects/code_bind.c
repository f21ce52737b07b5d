/* What stands in front of "=", "in" or "of": the names that get a value, or its parts. */
#include "effects/code_act.h"
#include "effects/code_reader.h"

/* One of the names in front of "=", "in" or "of", or a bracket with names in it. */
struct target {
	unsigned at;
	bool rest; /* gets all others: [a, ...b], a, *b */
};

enum { TARGETS_MAX = 8 };

static size_t read_targets(const struct code *c, unsigned from, unsigned to, struct target *to_bind)
{
	static const char *const declaring[] = { "my",  "our",   "const", "let",
						 "var", "local", "auto",  "final" };
	size_t n = 0;
	bool rest = false;

	for (unsigned i = from; i < to && n < TARGETS_MAX; i++) {
		const struct code_token *t = &c->t[i];
		bool bracket = t->kind == TOKEN_OPERATOR && t->match > i && t->match < to;
		bool declares = false;

		if (token_is(t, ":") || token_is(t, "=")) { /* a type, a default */
			while (i + 1 < to && !token_is(&c->t[i + 1], ","))
				i++;
			continue;
		}
		rest |= token_is(t, "...") || token_is(t, "*");
		declares |= TOKEN_IN(t, declaring);
		if (!bracket && (t->kind != TOKEN_NAME || declares))
			continue;
		to_bind[n++] = (struct target){ i, rest };
		rest = false;
		if (bracket)
			i = t->match;
	}
	return n;
}

/* {a, b: c}, {a as b}: names of a module, or members of a value; the cursor is at "{". */
void code_bind_members(struct code *c, struct code_value of)
{
	unsigned close = c->t[c->i].match ? min_size(c->t[c->i].match, c->end) : c->end;
	unsigned end = c->end;

	c->i++;
	while (c->i < close) {
		const struct code_token *t = code_at(c, 0);
		struct code_value m, other;
		struct str as = t->text;

		if (t->kind != TOKEN_NAME) {
			c->i++;
			continue;
		}
		c->i++;
		if (skip(c, ":") || skip(c, "as"))
			as = code_at(c, 0)->text, c->i++;
		if (!value_attribute(c->e->arena, &of, t->text, &m))
			m = of.kind == VALUE_NAME
				    ? value_name(arena_printf(c->e->arena, "%.*s.%.*s",
							      STR_ARG(of.type), STR_ARG(t->text)))
				    : value_unknown(of.flags);
		if (has(c, SYNTAX_TEMPLATE) && skip(c, "=")) { /* { a = "default" } */
			c->end = close;
			other = code_assignable(c, 2);
			c->end = end;
			m = m.kind == VALUE_UNKNOWN || m.kind == VALUE_NAME
				    ? value_with(c->e->arena, other, m.flags & VALUE_TAINTS, 1)
				    : value_either(c->e->arena, m, other);
		}
		code_set(c, as, m);
		while (c->i < close && !skip(c, ","))
			c->i++;
	}
	c->i = min_size(close + 1, c->end);
}

static void bind_target(struct code *c, const struct target *t, struct code_value v)
{
	const struct code_token *token = &c->t[t->at];
	unsigned was = c->i;

	if (token->kind != TOKEN_OPERATOR) {
		code_set(c, token->text, v);
	} else if (token_is(token, "{")) {
		c->i = t->at;
		code_bind_members(c, v);
		c->i = was;
	} else if (c->nesting < CODE_NESTING_MAX) {
		c->nesting++;
		code_bind(c, t->at + 1, token->match, v);
		c->nesting--;
	}
}

/* The names in a range of tokens get the value, or its parts when there are several. */
void code_bind(struct code *c, unsigned from, unsigned to, struct code_value v)
{
	struct target all[TARGETS_MAX];
	size_t n = read_targets(c, from, to, all);
	bool several = v.kind == VALUE_LIST && !(v.flags & VALUE_ANY); /* not: one of several */
	bool inside = from && token_is(&c->t[from - 1], "[") && has(c, SYNTAX_TEMPLATE);
	bool lists = false;

	for (unsigned i = 0; v.kind == VALUE_LIST && !several && i < v.n; i++)
		lists |= v.items[i].kind == VALUE_LIST && !(v.items[i].flags & VALUE_ANY);
	if (n > 1 && has(c, SYNTAX_SIGILS | SYNTAX_LONG_BRACKETS) && !several &&
	    !str_eqz(v.type, TYPE_PROCESSES)) { /* not: pid, name = line.split */
		/* foreach (x as $key => $value), for k, v in pairs(x) */
		for (size_t i = 0; i + 1 < n; i++)
			bind_target(c, &all[i], value_unknown(v.flags));
		bind_target(c, &all[n - 1], v);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct str name = c->t[all[i].at].text;

		bool rest = all[i].rest || /* my ($class, %options) = @_ */
			    (i && is_language(c, CODE_PERL) && strchr("%@", name.p[0]));

		if (several && n > 1 && rest && i < v.n)
			bind_target(c, &all[i], value_list(c->e->arena, v.items + i, v.n - i));
		else if ((n > 1 && !several && lists) || (n == 1 && inside && (several || lists)))
			bind_target(c, &all[i], value_part(c->e->arena, &v, (unsigned)i));
		else if (several && n == 1 && name.p[0] == '$')
			bind_target(c, &all[i], value_item(&v, 0));
		else if (several && n > 1 && !(name.p[0] == '@' && i == 0))
			bind_target(c, &all[i], value_item(&v, (int64_t)i));
		else
			bind_target(c, &all[i], v);
		v.flags &= ~(unsigned)VALUE_ITSELF; /* value, ok = LookupEnv(name) */
	}
}
