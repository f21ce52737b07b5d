/*
 * TypeScript without its types: the tokens of annotations, type arguments, modifiers and interfaces
 * are taken out before the text is read, an enum becomes the object that it is.  What is taken out
 * calls nothing, so that plain JavaScript which only looks like a type loses no call.
 */
#include "base/words.h"
#include "effects/code_reader.h"

enum { TYPE_TOKENS_MAX = 96, BODY_TOKENS_MAX = 1024 };

static bool is_one_of(const struct code_token *t, const char *words)
{
	return t->kind == TOKEN_NAME && word_in_text(t->text, words);
}

/* Another name may follow it in a type. */
static bool goes_on(const struct code_token *t)
{
	return is_one_of(t, "keyof typeof readonly infer extends is in asserts unique abstract");
}

static bool is_plain(const struct code_token *t)
{
	return t->kind == TOKEN_NUMBER ||
	       (t->kind == TOKEN_TEXT && t->parts != PARTS_DOLLAR_BRACES) ||
	       (t->kind == TOKEN_OPERATOR &&
		(token_is(t, "|") || token_is(t, "&") || token_is(t, ".") || token_is(t, ":") ||
		 token_is(t, "?") || token_is(t, "=>") || token_is(t, "...")));
}

/* From i on to `end` there is nothing but a type: where that end is; 0: something else is there. */
static unsigned type_end(const struct code_tokens *t, unsigned i, const char *end)
{
	unsigned depth = 0, angles = 0, last = min_size(t->n, i + TYPE_TOKENS_MAX);
	bool list = end[0] == '>';

	for (unsigned k = i; k < last; k++) {
		const struct code_token *p = &t->p[k], *before = k > i ? p - 1 : NULL;
		char c = p->kind == TOKEN_OPERATOR && p->text.n == 1 ? p->text.p[0] : '\0';

		if (!depth && !angles && before && token_is(p, end))
			return k;
		if (!depth && !angles && !list && (p->line || token_is(p, "=>")))
			return 0;
		if (token_is(p, ">>") && list && angles == 1 && !depth)
			return k;
		if (c == '<')
			angles++;
		else if (c == '>' && angles)
			angles--;
		else if (token_is(p, ">>") && angles > 1)
			angles -= 2;
		else if (c && strchr("([{", c) &&
			 (c != '(' || !before || before->kind != TOKEN_NAME))
			depth++;
		else if (c && strchr(")]}", c) && depth)
			depth--;
		else if ((c == ';' && depth) || (c == ',' && (depth || angles || list)) ||
			 (c == '=' && (angles || list)))
			continue;
		else if (p->kind == TOKEN_NAME && !token_is(p, "new") &&
			 (!before || before->kind != TOKEN_NAME || goes_on(before) || goes_on(p) ||
			  (depth && p->line)))
			continue;
		else if (!is_plain(p))
			return 0;
	}
	return 0;
}

/* f<T>(x), <T>(x) => y, class A<T>: where the arguments are closed, or 0. */
static unsigned type_arguments(const struct code_tokens *t, unsigned i)
{
	unsigned close = token_is(&t->p[i], "<") ? type_end(t, i + 1, ">") : 0;

	if (!close || close + 1 >= t->n)
		return 0;
	return token_is(&t->p[close + 1], "(") ||
			       (i > 1 && is_one_of(&t->p[i - 2], "class extends implements"))
		       ? close
		       : 0;
}

/* Does the bracket that closes at i hold the parameters of a function with types? */
static bool has_parameters(const struct code_tokens *t, unsigned i)
{
	unsigned depth = 0, typed = 0;

	for (unsigned k = i; k-- > 0 && i - k < TYPE_TOKENS_MAX;) {
		if (token_is(&t->p[k], ")"))
			depth++;
		else if (token_is(&t->p[k], "(") && !depth--)
			return typed || k + 1 == i;
		typed |= token_is(&t->p[k], ":");
	}
	return false;
}

/* `name: Type =` of a declaration or of a field. */
static bool is_declared(const struct code_tokens *t, unsigned name)
{
	const struct code_token *before = name ? &t->p[name - 1] : NULL;

	if (t->p[name].kind != TOKEN_NAME || !before ||
	    is_one_of(before, "const let var readonly static private protected public"))
		return t->p[name].kind == TOKEN_NAME;
	if (token_is(before, "{")) /* of a class, no pattern */
		return name > 1 && t->p[name - 2].kind == TOKEN_NAME &&
		       !is_one_of(&t->p[name - 2], "const let var return");
	return token_is(before, ";") || token_is(before, "}") ||
	       (t->p[name].line && before->kind != TOKEN_OPERATOR);
}

/* Where a type ends that begins with the colon at i, or 0: none does. */
static unsigned annotation(const struct code_tokens *t, unsigned i)
{
	unsigned end = 0;

	if (!i || !token_is(&t->p[i], ":"))
		return 0;
	if (token_is(&t->p[i - 1], ")")) {
		end = type_end(t, i + 1, "{");
		if (!end && has_parameters(t, i - 1))
			end = type_end(t, i + 1, "=>");
		return end;
	}
	if (is_declared(t, i - 1))
		end = type_end(t, i + 1, "=");
	return end;
}

/* private, static readonly, ... in front of a member; parameters keep theirs. */
static bool is_modifier(const struct code_tokens *t, unsigned i)
{
	const struct code_token *p = &t->p[i], *next = p + 1, *before = i ? p - 1 : NULL;

	return is_one_of(p, "public private protected readonly static abstract override declare") &&
	       i + 1 < t->n && !next->line &&
	       (next->kind == TOKEN_NAME || token_is(next, "*") || token_is(next, "#")) &&
	       (!before || p->line || token_is(before, "{") || token_is(before, "}") ||
		token_is(before, ";")) &&
	       !(before && (token_is(before, "(") || token_is(before, ",")));
}

/* interface X<T> extends Y { ... }: where it is closed, or 0. */
static unsigned interface(const struct code_tokens *t, unsigned i)
{
	unsigned k = i + 2, depth = 0;

	if (!token_is(&t->p[i], "interface") || k >= t->n || t->p[i + 1].kind != TOKEN_NAME ||
	    t->p[i + 1].line)
		return 0;
	while (k < t->n && k < i + TYPE_TOKENS_MAX && !token_is(&t->p[k], "{") &&
	       (t->p[k].kind == TOKEN_NAME || strchr("<>,.=|", t->p[k].text.p[0])))
		k++;
	if (k >= t->n || !token_is(&t->p[k], "{"))
		return 0;
	for (unsigned last = min_size(t->n, k + BODY_TOKENS_MAX); k < last; k++) {
		if (token_is(&t->p[k], "{"))
			depth++;
		else if (token_is(&t->p[k], "}") && !--depth)
			return k;
	}
	return 0;
}

/* enum X { A = 'a', B = 'b' } is X = { A: 'a', B: 'b' }. */
static void enumeration(struct code_tokens *t, unsigned i)
{
	struct code_token word = t->p[i];

	if (!token_is(&word, "enum") || i + 2 >= t->n || t->p[i + 1].kind != TOKEN_NAME ||
	    !token_is(&t->p[i + 2], "{"))
		return;
	t->p[i] = t->p[i + 1];
	t->p[i].line = true;
	t->p[i].indent = word.indent;
	t->p[i + 1].kind = TOKEN_OPERATOR;
	t->p[i + 1].text = STR("=");
	for (unsigned k = i + 3, last = min_size(t->n, k + BODY_TOKENS_MAX);
	     k < last && !token_is(&t->p[k], "}"); k++)
		if (token_is(&t->p[k], "=") && t->p[k - 1].kind == TOKEN_NAME)
			t->p[k].text = STR(":");
}

void code_untype(struct code_tokens *t)
{
	unsigned to = 0;
	bool line = false;

	for (unsigned i = 0; i < t->n; i++) { /* `match` is where to go on */
		unsigned end = interface(t, i);

		if (!end && token_is(&t->p[i], "<"))
			end = type_arguments(t, i);
		if (!end && (end = annotation(t, i)))
			end--;
		if (!end && is_modifier(t, i))
			end = i;
		enumeration(t, i);
		t->p[i].match = end ? end + 1 : 0;
		i = max_size(i, end);
	}
	for (unsigned i = 0, next; i < t->n; i = next) {
		next = t->p[i].match;
		line |= t->p[i].line;
		if (next)
			continue;
		next = i + 1;
		t->p[to] = t->p[i];
		t->p[to++].line = line;
		line = false;
	}
	t->n = to;
}
