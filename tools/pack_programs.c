/*
 * pack_programs: the rows of src/effects/programs_*.c without pointers, for the programs to have:
 * what a start would relocate, whether a command is judged or not, is numbers here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "effects/run.h"

/* Earlier tables count first: of rows about a program, and of programs that a pattern may mean. */
static const struct {
	const struct program_rows *rows;
	bool remote;
} tables[] = {
	{ &programs_files },       { &programs_git },      { &programs_containers, true },
	{ &programs_cloud, true }, { &programs_system },   { &programs_network },
	{ &programs_database },    { &programs_packages }, { &programs_agents },
};

struct one {
	const struct program_row *row;
	size_t table;
};

static int compare(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	int k = str_cmp(row_name(x->row->pattern), row_name(y->row->pattern));

	if (k == 0)
		k = (x->table > y->table) - (x->table < y->table);
	return k ? k : x->row < y->row ? -1 : 1;
}

/* Where the text is, which is there once; 0: NULL. */
static uint32_t place(struct buf *texts, const char *z)
{
	size_t at = 1;

	if (!z)
		return 0;
	while (at < texts->n && strcmp(texts->p + at, z) != 0)
		at += strlen(texts->p + at) + 1;
	if (at == texts->n)
		buf_add(texts, z, strlen(z) + 1);
	return (uint32_t)at;
}

int main(void)
{
	AUTO(buf_done) struct buf texts = { 0 };
	struct {
		struct one *p;
		size_t n, cap;
	} all = { 0 };

	for (size_t k = 0; k < ARRAY_LEN(tables); k++)
		for (size_t i = 0; i < tables[k].rows->n; i++)
			*VEC_ADD(&all) = (struct one){ &tables[k].rows->p[i], k };
	qsort(all.p, all.n, sizeof *all.p, compare);
	buf_addc(&texts, '\0');
	(void)printf("#include \"effects/run.h\"\n\nconst struct packed_row packed_rows[] = {\n");
	for (size_t i = 0; i < all.n; i++) {
		const struct program_row *r = all.p[i].row;

		(void)printf("\t{ %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32
			     ", %u, %d, %zu, %d },\n",
			     place(&texts, r->pattern), place(&texts, r->target),
			     place(&texts, r->recursive), place(&texts, r->forced), r->places,
			     (int)r->kind, all.p[i].table, tables[all.p[i].table].remote);
	}
	(void)printf("};\nconst size_t packed_rows_n = ARRAY_LEN(packed_rows);\n\n"
		     "const char packed_texts[] =");
	for (size_t i = 0; i < texts.n; i++)
		(void)printf("%s\\%03o",
			     i % 24 ? ""
			     : i    ? "\"\n\t\""
				    : "\n\t\"",
			     (unsigned char)texts.p[i]);
	(void)printf("\";\n");
	free(all.p);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
