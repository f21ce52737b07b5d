/*
 * Any pattern on any subject: a byte of flags, the pattern up to a NUL, the subject.  What
 * translates must be what PCRE2 takes or refuses for its own limits, and words must answer the same
 * with and without a scratch.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void test(struct str pattern, struct str subject, unsigned flags)
{
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	AUTO(regex_free) struct regex *re = NULL;
	AUTO(buf_done) struct buf text = BUF_INIT(.max = 1 << 20);
	struct err err = { 0 };
	int translated = regex_translate(pattern, flags, &text, NULL);
	int compiled = regex_compile(pattern, flags, &re, &err);

	if (compiled < 0) {
		if (err.code != -compiled || !err.text[0])
			abort();
		if (compiled == -E_PARSE && translated != -E_PARSE)
			abort();
		return;
	}
	if (translated == -E_PARSE)
		abort();
	if (regex_test(re, subject, scratch) != regex_test(re, subject, NULL))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str rest = { (const char *)data, n }, pattern = { NULL, 0 };

	if (n == 0)
		return 0;
	rest = str_sub(rest, 1, n);
	if (!str_split(&rest, '\0', &pattern))
		return 0;
	/* Long subjects may take a second each, which is right and no use here. */
	rest.n = min_size(rest.n, 256);
	test(pattern, rest, data[0] & (REGEX_ICASE | REGEX_JIT));
	return 0;
}
