/* Redirections, and the here-documents that begin behind a line. */
#include "shell/reader.h"

/* The line at i as a shell compares it with a delimiter, and where the next one begins. */
static struct str here_line(struct reader *r, const struct sh_redirect *h, size_t *at)
{
	AUTO(buf_done) struct buf line = { 0 };
	size_t i = *at, from = i;

	while (i < r->end && r->text.p[i] != '\n') {
		bool slash = !h->literal && r->text.p[i] == '\\' && i + 1 < r->end;

		if (slash && r->text.p[i + 1] == '\n') {
			buf_adds(&line, str_sub(r->text, from, i));
			from = i + 2;
			r->dubious = true;
		}
		i += slash ? 2 : 1;
	}
	*at = min_size(i + 1, r->end);
	if (line.n || from != i)
		buf_adds(&line, str_sub(r->text, from, i));
	return r->dubious ? arena_str(r->a, buf_str(&line)) : str_sub(r->text, from, i);
}

static void take_body(struct reader *r, struct sh_redirect *h)
{
	AUTO(buf_done) struct buf delimiter = { 0 };
	struct str end, line;
	size_t from = r->at, to = from, next = from;
	struct pieces v = { 0 };
	bool found = false;

	for (size_t i = 0; i < h->target.n; i++) {
		const struct sh_piece *p = &h->target.p[i];

		r->dubious |= p->script || p->kind == SH_VARIABLE || p->kind == SH_ARITH;
		buf_adds(&delimiter, p->text);
	}
	end = arena_str(r->a, buf_str(&delimiter));
	while (next < r->end && !found) {
		to = next;
		line = here_line(r, h, &next);
		while (h->tabs && line.n && line.p[0] == '\t')
			line = str_sub(line, 1, line.n);
		found = str_eq(line, end);
	}
	if (!found) {
		r->dubious = true; /* bash takes the rest, and warns */
		to = r->end;
	}
	size_t whole = r->end;
	r->end = to;
	if (h->literal) {
		r->at = to;
		sh_add_raw(r, &v, SH_TEXT, SH_SINGLE, from);
	} else if (sh_enter(r)) {
		sh_take_pieces(r, &v, IN_BODY);
		r->depth--;
	}
	h->body = sh_word_of(r, &v, from);
	free(v.p);
	r->end = whole;
	r->at = r->error ? whole : next;
}

void sh_skip_newlines(struct reader *r)
{
	for (sh_skip_blanks(r); sh_peek(r, 0) == '\n'; sh_skip_blanks(r)) {
		size_t n = r->npending;

		/* A line end, and the here-documents that begin behind it. */
		sh_step(r, 1);
		r->npending = 0;
		for (size_t i = 0; i < n && !r->error; i++)
			take_body(r, r->pending[i]);
	}
}

bool sh_at_redirection(const struct reader *r, size_t *ret_fd)
{
	size_t n = 0;

	if (sh_peek(r, 0) == '{') {
		n = 1 + sh_span(r, 1, char_is_word);
		n = sh_peek(r, n) == '}' && n > 1 ? n + 1 : 0;
	} else {
		n = sh_span(r, 0, char_is_digit);
	}
	char c = sh_peek(r, n), next = sh_peek(r, n + 1);
	*ret_fd = n;
	return ((c == '<' || c == '>') && next != '(') || (n == 0 && c == '&' && next == '>');
}

void sh_take_redirection(struct reader *r, struct redirects *list, size_t nfd)
{
	/* Longest first. */
	static const char *const ops[] = { "&>>", "<<<", "<<-", "&>", "<<", ">>",
					   ">|",  "<>",  "<&",  ">&", "<",  ">" };
	struct sh_redirect *h = ARENA_NEW(r->a, struct sh_redirect);
	size_t k = 0;

	h->at = sh_skip_joins(r, r->at);
	sh_step(r, nfd);
	h->fd = str_sub(r->text, h->at, r->at);
	while (!sh_at_text(r, ops[k]))
		k++;
	sh_step(r, strlen(ops[k]));
	h->op = str_from(ops[k]);
	sh_skip_blanks(r);
	if (!sh_take_word(r, &h->target, IN_WORD)) {
		sh_fail(r, "a redirection leads nowhere");
		return;
	}
	h->end = r->at;
	*VEC_ADD(list) = h;
	if (!str_starts(h->op, STR("<<")) || str_eqz(h->op, "<<<"))
		return;
	h->tabs = str_eqz(h->op, "<<-");
	h->op = STR("<<");
	h->literal = h->target.quoted;
	if (r->npending == SH_HEREDOCS_MAX)
		sh_fail_limit(r, "too many here-documents");
	else
		r->pending[r->npending++] = h;
}

void sh_expect(struct reader *r, const char *word, const char *why)
{
	sh_skip_newlines(r);
	if (!sh_take_word_if(r, word))
		sh_fail(r, why);
}
