#include "hooks/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "hooks/api.h"
#include "hooks/config.h"

void diag_add(struct diags *d, enum tl_severity severity, const char *code, const struct place *at,
	      const char *fmt, ...)
{
	static const struct place nowhere = { .file = "", .path = "" };
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (!at)
		at = &nowhere;
	*VEC_ADD(d) = (struct diag){
		.severity = severity,
		.file = at->file ? at->file : "",
		.line = at->line,
		.column = at->column,
		.path = at->path ? at->path : "",
		.code = code,
		.text = arena_z(d->arena, str_from(text)),
	};
}

void diags_done(struct diags *d)
{
	free(d->p);
	*d = (struct diags){ 0 };
}

int diag_get(const struct diags *list, size_t i, struct tl_diagnostic *ret)
{
	if (i >= list->n)
		return -TL_E_NOTFOUND;
	const struct diag *d = &list->p[i];
	struct tl_diagnostic full = {
		.severity = d->severity,
		.file = d->file,
		.line = d->line,
		.column = d->column,
		.path = d->path,
		.code = d->code,
		.text = d->text,
	};
	api_copy_out(ret, &full, sizeof full);
	return 0;
}

const char *hook_label(struct arena *a, const struct hook *hook)
{
	enum { LABEL_CHARS = 100, HEAD_CHARS = 30 };
	struct str name = str_from(hook->id);

	return *hook->name ? hook->id
			   : arena_z(a, utf8_without_middle(a, name, HEAD_CHARS, LABEL_CHARS));
}
