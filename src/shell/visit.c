/* Everything in a script, in the order of its text. */
#include "shell/shell.h"

static void visit_script(const struct sh_script *s, const struct sh_node *n,
			 const struct sh_visitor *v, unsigned nested);

static void visit_word(const struct sh_script *s, const struct sh_word *w,
		       const struct sh_visitor *v, unsigned nested)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct sh_piece *p = &w->p[i];

		if (v->piece)
			v->piece(v->data, s, p, nested);
		if (p->index)
			visit_word(s, p->index, v, nested + 1);
		if (p->operand)
			visit_word(s, p->operand, v, nested + 1);
		if (p->script)
			visit_script(p->script, p->script->first, v, nested + 1);
	}
}

static void visit_script(const struct sh_script *s, const struct sh_node *n,
			 const struct sh_visitor *v, unsigned nested)
{
	for (; n; n = n->next) {
		if (v->node)
			v->node(v->data, s, n);
		for (size_t i = 0; i < n->nassigns; i++) {
			visit_word(s, &n->assigns[i].index, v, nested + 1); /* arithmetic */
			visit_word(s, &n->assigns[i].value, v, nested);
			for (size_t k = 0; k < n->assigns[i].nitems; k++)
				visit_word(s, &n->assigns[i].items[k], v, nested);
		}
		for (size_t i = 0; i < n->nwords; i++)
			visit_word(s, &n->words[i], v, nested);
		for (size_t i = 0; i < n->narrays; i++)
			for (size_t k = 0; k < n->arrays[i].nitems; k++)
				visit_word(s, &n->arrays[i].items[k], v, nested);
		for (size_t i = 0; i < n->nbodies; i++)
			visit_script(s, n->bodies[i], v, nested);
		for (size_t i = 0; i < n->nredirects; i++) {
			visit_word(s, &n->redirects[i].target, v, nested);
			visit_word(s, &n->redirects[i].body, v, nested + 1);
		}
	}
}

void sh_visit(const struct sh_script *s, const struct sh_visitor *v)
{
	visit_script(s, s->first, v, 0);
}

/* ---- substitutions ---- */

static void see_substitution(void *data, const struct sh_script *s, const struct sh_piece *p,
			     unsigned nested)
{
	(void)s;
	(void)nested;
	*(bool *)data |= p->kind == SH_COMMAND || p->kind == SH_PROCESS;
}

bool sh_substitutes(struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct sh_script s;
	bool found = false;
	bool clear = sh_read(&s, &a, text) && !s.dubious;
	char before = '\0';

	sh_visit(&s, &(struct sh_visitor){ .piece = see_substitution, .data = &found });
	if (found || clear)
		return found;
	/* Whatever shells make of it: does anything look like one, line continuations aside? */
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '\\' && i + 1 < text.n && text.p[i + 1] == '\n') {
			i++;
			continue;
		}
		if (c == '`' || (c == '(' && before && strchr("$<>", before)) ||
		    (c == '{' && before == '$' && i + 1 < text.n &&
		     strchr(" \t\n|(\\", text.p[i + 1])))
			return true;
		before = c;
	}
	return false;
}
