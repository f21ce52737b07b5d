/*
 * Any text as shell text.  Everything lies inside of the text, what is quoted reads back as itself,
 * and reading is the same the second time.
 */
#include <stdint.h>

#include "shell/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void see_node(void *data, const struct sh_script *s, const struct sh_node *n)
{
	*(size_t *)data += 1;
	check(n->at <= n->end && n->end <= s->text.n);
}

static void see_piece(void *data, const struct sh_script *s, const struct sh_piece *p,
		      unsigned nested)
{
	*(size_t *)data += 1;
	check(p->at <= p->end && p->end <= s->text.n && nested <= 2 * SH_DEPTH_MAX);
	check((p->kind == SH_COMMAND || p->kind == SH_PROCESS) == (p->script != NULL));
}

static void check_quoting(struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf quoted = BUF_INIT(0);
	struct sh_script s;
	struct str back;

	if (memchr(text.p, '\0', text.n) || text.n > SH_TEXT_MAX / 8)
		return;
	buf_addz(&quoted, "x ");
	sh_quote(&quoted, text);
	check(sh_read(&s, &a, buf_str(&quoted)) && !s.dubious && s.first->nwords == 2);
	check(sh_value(&a, &s.first->words[1], NULL, &back) && str_eq(back, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = { n ? (const char *)data : "", n };
	size_t seen[2] = { 0 };
	struct sh_script s;

	for (size_t i = 0; i < 2; i++) {
		bool ok = sh_read(&s, &a, text);

		check(ok == !s.error && s.error_at <= n);
		sh_visit(&s, &(struct sh_visitor){
				     .node = see_node, .piece = see_piece, .data = &seen[i] });
	}
	check(seen[0] == seen[1]);
	(void)sh_substitutes(text);
	check_quoting(text);
	return 0;
}
