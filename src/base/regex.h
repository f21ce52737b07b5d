/*
 * Regular expressions as JavaScript's RegExp (no flags but i) reads them, on PCRE2: a translator
 * turns the JavaScript pattern into an equivalent PCRE2 one, or refuses what JavaScript refuses.
 * Matching is bounded, so a pattern from a project cannot hang the host (C5.4).
 *
 * A struct regex is immutable after compilation and may be used by any number of threads at once,
 * each with its own scratch.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct regex;
struct regex_scratch; /* working memory of matches, one per thread or per planning */

enum regex_flags {
	REGEX_ICASE = 1 << 0,
	REGEX_JIT = 1 << 1, /* compile to machine code where the machine allows; slower to build */
};

enum regex_result { REGEX_NO, REGEX_YES, REGEX_LIMIT /* gave up; see C5.4 */ };

/*
 * Compiles a JavaScript pattern.  -E_PARSE when JavaScript would throw a SyntaxError, and -E_LIMIT
 * for the few valid patterns that PCRE2 cannot express (variable-length lookbehind); the text says
 * what is wrong and at which character.
 */
int regex_compile(struct str pattern, unsigned flags, struct regex **ret_re, struct err *err);
void regex_free(struct regex *re);
/* RegExp.prototype.test: unanchored search. scratch may be NULL (slower). The subject may be any bytes. */
enum regex_result regex_test(const struct regex *re, struct str subject,
			     struct regex_scratch *scratch);
struct regex_scratch *regex_scratch_new(void) MUST_CHECK;
void regex_scratch_free(struct regex_scratch *s);
/* The translation by itself, for tests and the fuzz target. */
int regex_translate(struct str pattern, struct buf *out, struct err *err);

DEFINE_AUTO_PTR(struct regex, regex_free)
DEFINE_AUTO_PTR(struct regex_scratch, regex_scratch_free)
