/*
 * One MiB of source text, searched for secrets by the table, and for the beginnings alone with one
 * alternation of PCRE2 (JIT): the least that another scanner does.  Rounds alternate; the medians
 * count.  The text is made: lines of C with the words that the search has to look at.
 */
#include <stdio.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "secrets/formats.h"

enum { BYTES = 1 << 20, ROUNDS = 31 };

static double now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof *v, compare);
	return v[ROUNDS / 2];
}

/* Functions in C, each with two names that could be those of secrets. */
static void make_text(struct buf *text)
{
	for (size_t i = 0; text->n < BYTES; i++) {
		const char *name = secret_formats[i % secret_formats_n].name;

		buf_addf(text,
			 "/* What the %s of row %zu has to be; the caller owns the buffer. */\n"
			 "static int column_%zu(const struct table *t, size_t n, struct buf *out)\n"
			 "{\n\tconst struct cell *cell = &t->rows[n].cells[%zu];\n\n"
			 "\tif (!cell->width || n > t->count)\n\t\treturn -E_LIMIT;\n"
			 "\tfor (size_t i = 0; i < cell->width; i++)\n"
			 "\t\tbuf_addc(out, cell->text[i] == '%c' ? ' ' : cell->text[i]);\n"
			 "\tout->password = cell->password;\n"
			 "\treturn out->full ? -E_LIMIT : (int)cell->width;\n}\n\n",
			 name, i, i, i * 7, (char)('a' + i % 26));
	}
}

static pcre2_code *compile_anchors(void)
{
	AUTO(buf_done) struct buf pattern = { 0 };
	PCRE2_SIZE offset;
	int error;
	pcre2_code *code;

	for (size_t i = 0; i < secret_formats_n; i++)
		if (secret_formats[i].anchor && secret_formats[i].anchor[0])
			buf_addf(&pattern, "%s\\Q%s\\E", pattern.n ? "|" : "",
				 secret_formats[i].anchor);
	for (size_t i = 0; i < secret_readings_n; i++)
		buf_addf(&pattern, "|\\Q%s\\E", secret_readings[i].anchor);
	code = pcre2_compile((PCRE2_SPTR)buf_z(&pattern), PCRE2_ZERO_TERMINATED, 0, &error, &offset,
			     NULL);
	if (!code || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) < 0)
		abort();
	return code;
}

static double round_ours(struct str text, size_t *hits)
{
	double began = now_us();

	*hits += secret_in(text, 0);
	return now_us() - began;
}

static double round_pcre2(const pcre2_code *code, pcre2_match_data *data, struct str text,
			  size_t *hits)
{
	double began = now_us();
	PCRE2_SIZE at = 0;

	for (; pcre2_match(code, (PCRE2_SPTR)text.p, text.n, at, 0, data, NULL) >= 0; (*hits)++)
		at = pcre2_get_ovector_pointer(data)[1];
	return now_us() - began;
}

static double round_memchr(struct str text, size_t *hits)
{
	double began = now_us();

	/* A byte that is not there: what merely reading the text costs. */
	*hits += memchr(text.p, '\x01', text.n) != NULL;
	return now_us() - began;
}

int main(void)
{
	static double ours[ROUNDS], theirs[ROUNDS], least[ROUNDS];
	AUTO(buf_done) struct buf text = { 0 };
	pcre2_code *code = compile_anchors();
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	size_t hits[3] = { 0 };

	make_text(&text);
	for (size_t i = 0; i < ROUNDS; i++) {
		ours[i] = round_ours(buf_str(&text), &hits[0]);
		theirs[i] = round_pcre2(code, data, buf_str(&text), &hits[1]);
		least[i] = round_memchr(buf_str(&text), &hits[2]);
	}
	if (hits[0] || !hits[1] || hits[2])
		abort();
	double o = median(ours), t = median(theirs), m = median(least);

	printf("{\"name\": \"secrets-1mb\", \"unit\": \"us\", \"ours\": %.1f, ", o);
	printf("\"peer\": \"pcre2 jit, prefixes alone\", \"theirs\": %.1f, \"ratio\": %.3f}\n", t,
	       o / t);
	printf("%.0f MB/s; memchr() of the text takes %.1f us\n", (double)text.n / o, m);
	pcre2_code_free(code);
	pcre2_match_data_free(data);
	return 0;
}
