/* The text as the reader sees it: joined lines, limits, blanks, and words that must be there. */
#include "shell/reader.h"

#include "base/stack.h"

enum { STACK_LEAST = 20 << 10 };

void sh_fail(struct reader *r, const char *why)
{
	if (!r->error) {
		r->error = why;
		r->error_at = min_size(r->at, r->end); /* behind a last backslash */
	}
	r->at = r->end;
}

void sh_fail_limit(struct reader *r, const char *why)
{
	r->limit |= !r->error;
	sh_fail(r, why);
}

void sh_spend(struct reader *r, size_t n)
{
	if (r->steps < n)
		sh_fail_limit(r, "the text is too complex");
	r->steps -= min_size(n, r->steps);
}

bool sh_enter(struct reader *r)
{
	if (++r->depth > SH_DEPTH_MAX || stack_left() < STACK_LEAST)
		sh_fail_limit(r, "the text is nested too deeply");
	return !r->error;
}

bool sh_at_text(const struct reader *r, const char *text)
{
	size_t i = 0;

	while (text[i] && sh_peek(r, i) == text[i])
		i++;
	return !text[i];
}

size_t sh_span(const struct reader *r, size_t ahead, bool (*is)(char c))
{
	size_t n = 0, i = sh_skip_joins(r, r->at);

	while (ahead-- && i < r->end)
		i = sh_skip_joins(r, i + 1);
	for (; i < r->end && is(r->text.p[i]); i = sh_skip_joins(r, i + 1))
		n++;
	return n;
}

bool sh_at_word(const struct reader *r, const char *word)
{
	return sh_at_text(r, word) && sh_is_meta(sh_peek(r, strlen(word)));
}

bool sh_take_word_if(struct reader *r, const char *word)
{
	if (!sh_at_word(r, word))
		return false;
	sh_step(r, strlen(word));
	return true;
}

void sh_skip_blanks(struct reader *r)
{
	while (sh_peek(r, 0) == ' ' || sh_peek(r, 0) == '\t')
		sh_step(r, 1);
	if (sh_peek(r, 0) == '#')
		while (r->at < r->end && r->text.p[r->at] != '\n')
			r->at++;
}
