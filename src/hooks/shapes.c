/*
 * What is where something else belongs: reported and skipped, unless a guard is in it (C7.1, C3.6).
 */
#include <stdarg.h>

#include "hooks/hook_read.h"

/* Is a guard in it, however deep? */
bool hooks_hold_guard(const struct json *v)
{
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		if (hooks_hold_guard(json_at(v, i)))
			return true;
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++) {
		const struct json_member *m = &v->members[i];

		if (key_is_strict(m) || hooks_hold_guard(&m->v))
			return true;
	}
	return false;
}

void hooks_give_up(struct tl_hooks *h, const struct source *s, const struct place *at,
		   const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	if (h->fatal.code ||
	    (is_of_project(s->tier, s->extension) && h->load_flags & TL_LOAD_NO_PROJECT))
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	(void)err_set_at(&h->fatal, E_CONFIG, at->file, at->line, at->column, "%s", text);
}

void hooks_wrong_shape(struct tl_hooks *h, const struct source *s, const struct json *v,
		       const char *code, const struct place *at, const char *what)
{
	diag_add(&h->diags, TL_SEVERITY_ERROR, code, at, "%s; skipped (this is %s)", what,
		 json_what(v));
	/* JSON in a string is not looked into: a guard may be in it. */
	if (hooks_hold_guard(v) || str_chr(json_str(v, STR("")), '{', 0) >= 0)
		hooks_give_up(h, s, at, "%s: %s; it %s a guard", at->path, what,
			      json_is(v, J_STR) ? "may contain" : "contains");
}

const char *hooks_no_object(struct tl_hooks *h, const char *file)
{
	/* In the words of Gemini CLI. */
	return arena_printf(
		       &h->arena,
		       "Invalid hooks configuration in %s: \"hooks\" property must be an object",
		       file)
		.p;
}
