/* [[ ]]: its words, as far as they can be told apart. */
#include "base/words.h"
#include "shell/reader.h"

static void take_condition(struct reader *r, struct words *v);

static bool at_close(const struct reader *r)
{
	return sh_at_word(r, "]]") || sh_peek(r, 0) == ')' || sh_at_text(r, "&&") ||
	       sh_at_text(r, "||");
}

/* "< x", "-eq x", "=~ x", or nothing. */
static void take_comparison(struct reader *r, struct words *v)
{
	static const char *const binary[] = { "=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
					      "-le", "-gt", "-ge", "-nt", "-ot", "-ef" };
	struct str raw = { 0 };
	struct sh_word op, w;

	if (at_close(r))
		return;
	if (sh_peek(r, 0) == '<' || sh_peek(r, 0) == '>') {
		sh_step(r, 1);
	} else {
		if (sh_take_word(r, &op, IN_WORD) && !op.quoted)
			raw = str_sub(r->text, op.at, op.end);
		if (!WORD_IN(raw, binary)) {
			sh_fail(r, "unknown operator in [[");
			return;
		}
	}
	sh_skip_blanks(r);
	if (sh_at_word(r, "]]") || !sh_take_word(r, &w, str_eqz(raw, "=~") ? IN_REGEX : IN_WORD))
		sh_fail(r, "unmatched [[");
	else
		*VEC_ADD(v) = w;
}

static void take_primary(struct reader *r, struct words *v)
{
	struct sh_word w;

	for (sh_skip_newlines(r); sh_take_word_if(r, "!"); sh_skip_newlines(r))
		;
	if (sh_peek(r, 0) == '(') {
		sh_step(r, 1);
		if (sh_enter(r))
			take_condition(r, v);
		r->depth--;
		if (sh_peek(r, 0) != ')')
			sh_fail(r, "unmatched ( in [[");
		sh_step(r, 1);
		return;
	}
	if (sh_at_word(r, "]]") || !sh_take_word(r, &w, IN_WORD)) {
		sh_fail(r, "[[ has no condition");
		return;
	}
	struct str raw = str_sub(r->text, w.at, w.end);
	*VEC_ADD(v) = w;
	sh_skip_newlines(r);
	if (!w.quoted && raw.n == 2 && raw.p[0] == '-' &&
	    strchr("abcdefghkLNnoOpGrRsStuvwxz", raw.p[1])) {
		if (at_close(r) || !sh_take_word(r, &w, IN_WORD))
			return; /* a text alone */
		*VEC_ADD(v) = w;
		sh_skip_newlines(r);
		if (!at_close(r))
			sh_fail(r, "unknown operator in [[");
		return;
	}
	take_comparison(r, v);
	sh_skip_newlines(r);
}

static void take_condition(struct reader *r, struct words *v)
{
	for (;;) {
		take_primary(r, v);
		sh_skip_newlines(r);
		if (r->error || (!sh_at_text(r, "&&") && !sh_at_text(r, "||")))
			return;
		sh_step(r, 2);
	}
}

void sh_take_test(struct reader *r, struct sh_node *n)
{
	struct words v = { 0 };

	n->kind = SH_TEST;
	take_condition(r, &v);
	sh_expect(r, "]]", "unmatched [[");
	sh_set_words(r, n, &v);
	free(v.p);
}
