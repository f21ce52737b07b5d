/*
 * One tool name against 1,000 compiled matchers, next to the same with bare PCRE2: what planning
 * the hooks of one event costs.  Rounds alternate; the medians count.
 */
#include <stdio.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/regex.h"

enum { PATTERNS = 1000, ROUNDS = 301 };

static const char subject[] = "mcp_srv42_read_fi";

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

static double round_ours(struct regex *const *re, struct regex_scratch *scratch, size_t *hits)
{
	double began = now_us();

	for (size_t i = 0; i < PATTERNS; i++)
		*hits += regex_test(re[i], ((struct str){ subject, sizeof subject - 1 }),
				    scratch) == REGEX_YES;
	return now_us() - began;
}

static double round_bare(pcre2_code *const *code, pcre2_match_data *data, size_t *hits)
{
	double began = now_us();

	for (size_t i = 0; i < PATTERNS; i++)
		*hits += pcre2_match(code[i], (PCRE2_SPTR)subject, sizeof subject - 1, 0, 0, data,
				     NULL) >= 0;
	return now_us() - began;
}

static pcre2_code *bare_compile(const char *pattern)
{
	PCRE2_SIZE offset;
	int error;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &error, &offset, NULL);

	if (!code || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) < 0)
		abort();
	return code;
}

int main(void)
{
	static struct regex *re[PATTERNS];
	static pcre2_code *code[PATTERNS];
	static double ours[ROUNDS], bare[ROUNDS];
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	size_t hits[2] = { 0 };

	for (int i = 0; i < PATTERNS; i++) {
		AUTO(free) char *pattern = xasprintf("^mcp_srv%d_.*$|write_[a-f]%d", i, i);

		if (regex_compile(str_from(pattern), REGEX_JIT, &re[i], NULL) < 0)
			abort();
		code[i] = bare_compile(pattern);
	}
	for (size_t i = 0; i < ROUNDS; i++) {
		ours[i] = round_ours(re, scratch, &hits[0]);
		bare[i] = round_bare(code, data, &hits[1]);
	}
	if (hits[0] != ROUNDS || hits[1] != ROUNDS)
		abort();
	double o = median(ours), b = median(bare);
	printf("{\"name\": \"regex-1000\", \"unit\": \"us\", \"ours\": %.2f, ", o);
	printf("\"peer\": \"pcre2 jit\", \"theirs\": %.2f, \"ratio\": %.3f}\n", b, o / b);
	for (size_t i = 0; i < PATTERNS; i++) {
		regex_free(re[i]);
		pcre2_code_free(code[i]);
	}
	pcre2_match_data_free(data);
	return 0;
}
