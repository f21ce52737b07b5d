/*
 * Any pattern on any path: a byte of flags, the pattern up to a NUL, the path.  A pattern without
 * special characters matches itself; the same text as ignore rules must be readable, too.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/wild.h"
#include "tools/ignore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("*?[]{}\\!/.", s.p[i]))
			return false;
	return s.n > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str rest = { (const char *)data, n }, text = { NULL, 0 };
	const struct wild *p;
	struct ignore ig = { 0 };

	if (n == 0)
		return 0;
	rest = str_sub(rest, 1, n);
	if (!str_split(&rest, '\0', &text))
		return 0;
	rest.n = rest.p ? min_size(rest.n, 512) : 0;
	if (wild_compile(&a, text, data[0] & (WILD_ICASE | WILD_GIT), &p, NULL) == 0) {
		(void)wild_match(p, rest);
		if (is_plain(text) && !wild_match(p, text))
			abort();
	}
	ignore_add(&ig, str_sub(text, 0, 4096));
	(void)ignore_check(&ig, rest, data[0] & 4);
	ignore_done(&ig);
	return 0;
}
