/*
 * Regular expressions as JavaScript's RegExp (no flags but i) reads them, on PCRE2: a translator
 * turns the JavaScript pattern into an equivalent PCRE2 one, or refuses what JavaScript refuses.
 * Matching is bounded, so a pattern from a project cannot hang the host (C5.4).
 *
 * A struct regex is immutable after compilation and may be used by any number of threads at once,
 * each with its own scratch.
 *
 * Patterns and subjects are UTF-8 (lone surrogates in three bytes allowed) and are matched as
 * JavaScript does it, by UTF-16 units: /^..$/ matches one emoji.  Malformed bytes are U+FFFD.
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

enum { REGEX_PATTERN_MAX = 64 << 10 }; /* bytes; longer patterns are -E_LIMIT */

/*
 * Compiles a JavaScript pattern.  -E_PARSE when JavaScript would throw a SyntaxError, and -E_LIMIT
 * for the few valid patterns that PCRE2 cannot express (variable-length lookbehind, a back
 * reference whose group a repetition resets, programs over 64 KiB); the text says what is wrong
 * and at which character.
 */
int regex_compile(struct str pattern, unsigned flags, struct regex **ret_re, struct err *err);
/*
 * The same for a pattern that is known to be valid, such as one of the program's own: what costs
 * time is done by the first test.  Such a regex may be used by any number of threads, too.  If the
 * pattern is wrong after all, each test gives REGEX_LIMIT.
 */
struct regex *regex_later(struct str pattern, unsigned flags) MUST_CHECK;
/* The pattern that it was given; valid as long as the regex is. */
struct str regex_pattern(const struct regex *re);
void regex_free(struct regex *re);
/*
 * RegExp.prototype.test: unanchored search.  scratch may be NULL (slower).  Subjects up to 4 KiB
 * are bounded by steps alone, so a test always gives the same answer; longer ones by steps and by
 * about a second.
 */
enum regex_result regex_test(const struct regex *re, struct str subject,
			     struct regex_scratch *scratch);
struct regex_scratch *regex_scratch_new(void) MUST_CHECK;
void regex_scratch_free(struct regex_scratch *s);
/*
 * The translation by itself, for tests and the fuzz target; of flags only REGEX_ICASE counts.  The
 * PCRE2 text is for a subject from regex_add_units().
 */
int regex_translate(struct str pattern, unsigned flags, struct buf *out, struct err *err);
/*
 * Appends the subject as the translated pattern expects it: one UTF-16 unit a character (surrogates
 * as three bytes each), malformed bytes as U+FFFD, all of it folded to upper case for REGEX_ICASE.
 */
int regex_add_units(struct buf *out, struct str subject, unsigned flags);

DEFINE_AUTO_PTR(struct regex, regex_free)
DEFINE_AUTO_PTR(struct regex_scratch, regex_scratch_free)
