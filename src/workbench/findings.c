/* The list of what lint found. */
#include <stdarg.h>

#include "base/vec.h"
#include "workbench/lint.h"

static size_t file_index(const struct lint *l, const char *file)
{
	for (size_t i = 0; i < l->files.n; i++)
		if (strcmp(l->files.p[i], file) == 0)
			return i;
	return SIZE_MAX;
}

void lint_add_file(struct lint *l, const char *file)
{
	if (file_index(l, file) == SIZE_MAX)
		*VEC_ADD(&l->files) = arena_z(&l->arena, str_from(file));
}

void lint_add(struct lint *l, enum tl_severity severity, const char *code, const struct place *at,
	      const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	struct finding *f = VEC_ADD(&l->found);
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	*f = (struct finding){
		.d = { .size = sizeof f->d,
		       .severity = severity,
		       .code = code,
		       .file = arena_z(&l->arena, str_from(at->file)),
		       .line = at->line,
		       .column = at->column,
		       .path = arena_z(&l->arena, str_from(at->path)),
		       .text = arena_z(&l->arena, str_from(text)) },
		.file = file_index(l, at->file),
		.order = l->found.n,
	};
	f->shown = f->d.file;
}

static int by_place(const void *a_, const void *b_)
{
	const struct finding *a = a_, *b = b_;
	const size_t keys[][2] = { { a->file, b->file },
				   { a->d.line, b->d.line },
				   { a->d.column, b->d.column },
				   { a->order, b->order } };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* A file may be given twice, or be the project's and the user's: what it has is said once. */
void lint_sort(struct lint *l)
{
	size_t n = 0;

	if (l->found.n)
		qsort(l->found.p, l->found.n, sizeof *l->found.p, by_place);
	for (size_t i = 0; i < l->found.n; i++) {
		const struct finding *f = &l->found.p[i];
		bool said = false;

		for (size_t k = n; !said && k-- > 0 && n - k <= 16;) {
			const struct finding *had = &l->found.p[k];

			if (had->d.line != f->d.line || had->file != f->file)
				break;
			said = had->d.column == f->d.column &&
			       strcmp(had->d.code, f->d.code) == 0 &&
			       strcmp(had->d.file, f->d.file) == 0 &&
			       strcmp(had->d.text, f->d.text) == 0;
		}
		if (!said)
			l->found.p[n++] = l->found.p[i];
	}
	l->found.n = n;
}

void lint_done(struct lint *l)
{
	free(l->found.p);
	free(l->files.p);
	arena_done(&l->arena);
}
