/*
 * Compiling and testing regular expressions.  Most matchers of hooks are plain words ("replace",
 * "^(read_file|glob)$"): those never reach PCRE2.  The others are translated (regex_translate.c)
 * and matched with limits.  A subject that is not ASCII is rewritten to one character a UTF-16 unit
 * first; a subject for the i flag is folded first.
 */
#include "base/regex.h"

#include <stdatomic.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"

enum {
	MATCH_LIMIT = 100000, /* backtracking steps from one start */
	HEAP_LIMIT_KIB = 32 << 10,
	TRANSLATION_MAX = 8 << 20,
	JIT_SIZE_MAX = 32 << 10, /* bytes of PCRE2 code; the machine code is many times that */
	WORDS_MAX = 64, /* more alternatives than this are faster in PCRE2 */
	SHORT_SUBJECT = 4 << 10, /* up to here one call; beyond, starts are tried in slices */
	SLICE_MIN = 64, /* starts in the first slice; doubled while slices are quick */
	SLICE_MAX = 1 << 16,
	SLICE_QUICK_US = 2000,
	LONG_SUBJECT_MS = 1000, /* all slices together */
};

/* A step may look at every byte of a long subject: steps times bytes are at most this. */
static const uint64_t long_work = 10000000000u;

struct word {
	struct str text;
	bool from_start, to_end;
	bool any_before, any_behind; /* ".*", which says something only with the anchor behind it */
};

struct regex {
	pcre2_code *code; /* NULL: words */
	bool icase;
	bool jit; /* machine code exists */
	struct buf translated; /* what code was made from */
	char *text; /* the words' memory */
	struct word *words;
	size_t n_words;
	struct str pattern;
	/* Of regex_later(): what the first test made, in whatever thread. */
	bool later;
	_Atomic(struct regex *) made;
};

struct regex_scratch {
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct buf subject; /* rewritten */
};

/* Words. */

/* What is left to read of a pattern, and the copy of its text being made. */
struct word_reader {
	struct str in;
	char *out;
	bool icase;
};

static bool reader_skip(struct word_reader *r, const char *z)
{
	if (!str_starts(r->in, str_from(z)))
		return false;
	r->in = str_sub(r->in, strlen(z), r->in.n);
	return true;
}

/* One alternative up to "|", ")", "$" or the end; false when it is more than a word. */
static bool reader_word(struct word_reader *r, struct word *word)
{
	word->text = (struct str){ r->out, 0 };
	word->any_before = reader_skip(r, ".*");
	while (r->in.n && !strchr("|)$", r->in.p[0])) {
		if (word->any_behind)
			return false;
		if (reader_skip(r, ".*")) {
			word->any_behind = true;
			continue;
		}
		char c = r->in.p[0];
		bool escaped = c == '\\';

		if (escaped) {
			if (r->in.n < 2 || !char_is_punct(r->in.p[1]))
				return false;
			c = r->in.p[1];
		} else if (strchr("^.*+?([]{}", c)) {
			return false;
		}
		*r->out++ = r->icase ? char_upper(c) : c;
		r->in = str_sub(r->in, 1 + escaped, r->in.n);
	}
	word->text.n = (size_t)(r->out - word->text.p);
	return true;
}

/* word|word..., each with its own ^ and $ unless they are around the group. */
static bool reader_words(struct word_reader *r, struct regex *re, bool in_group)
{
	do {
		struct word *word = &re->words[re->n_words];

		if (re->n_words == WORDS_MAX)
			return false;
		*word = (struct word){ .from_start = !in_group && reader_skip(r, "^") };
		if (!reader_word(r, word))
			return false;
		word->to_end = !in_group && reader_skip(r, "$");
		re->n_words++;
	} while (reader_skip(r, "|"));
	return true;
}

/* ^(word|word)$ with any of ^, ?: and $ left out. */
static bool reader_group(struct word_reader *r, struct regex *re)
{
	bool from_start = reader_skip(r, "^"), to_end;

	if (!reader_skip(r, "(?:") && !reader_skip(r, "("))
		return false;
	if (!reader_words(r, re, true) || !reader_skip(r, ")"))
		return false;
	to_end = reader_skip(r, "$");
	for (size_t i = 0; i < re->n_words; i++) {
		re->words[i].from_start = from_start;
		re->words[i].to_end = to_end;
	}
	return true;
}

/*
 * Whether bytes of the text can be sought in the bytes of any subject as they are: not U+FFFD,
 * which also replaces malformed bytes, no surrogates, no characters of two units, and no folding
 * but that of ASCII.
 */
static bool is_plain(struct str pattern, bool icase)
{
	if (utf8_valid(pattern) < pattern.n || str_find(pattern, STR("\xef\xbf\xbd"), 0) >= 0)
		return false;
	for (size_t i = 0; i < pattern.n; i++)
		if (!pattern.p[i] || (unsigned char)pattern.p[i] >= (icase ? 0x80 : 0xf0))
			return false;
	return true;
}

static void words_clear(struct regex *re)
{
	free(re->words);
	free(re->text);
	re->words = NULL;
	re->text = NULL;
	re->n_words = 0;
}

/* What word_test() can tell from one look: "^.*a" and "a.*$" take a search line by line. */
static bool words_are_simple(const struct regex *re)
{
	for (size_t i = 0; i < re->n_words; i++) {
		const struct word *word = &re->words[i];

		if (word->from_start ? word->any_before : word->to_end && word->any_behind)
			return false;
	}
	return true;
}

static bool words_parse(struct regex *re, struct str pattern)
{
	struct word_reader r = { .in = pattern, .icase = re->icase };

	if (!is_plain(pattern, re->icase))
		return false;
	r.out = re->text = xmalloc(pattern.n + 1);
	re->words = xcalloc(WORDS_MAX, sizeof *re->words);
	if (reader_group(&r, re) && !r.in.n && words_are_simple(re))
		return true;
	re->n_words = 0;
	r.in = pattern;
	r.out = re->text;
	if (reader_words(&r, re, false) && !r.in.n && words_are_simple(re)) {
		re->words = xrealloc(re->words, re->n_words * sizeof *re->words);
		return true;
	}
	words_clear(re);
	return false;
}

static bool word_test(const struct word *word, struct str subject)
{
	/* What "." does not match. */
	static const char *const line_ends[] = { "\n", "\r", "\xe2\x80\xa8", "\xe2\x80\xa9" };

	if (!word->from_start)
		return word->to_end ? str_ends(subject, word->text)
				    : str_find(subject, word->text, 0) >= 0;
	if (!str_starts(subject, word->text))
		return false;
	struct str behind = str_sub(subject, word->text.n, subject.n);
	return !word->to_end || !(word->any_behind ? TEXT_HAS(behind, line_ends) : behind.n > 0);
}

static enum regex_result words_test(const struct regex *re, struct str subject)
{
	for (size_t i = 0; i < re->n_words; i++)
		if (word_test(&re->words[i], subject))
			return REGEX_YES;
	return REGEX_NO;
}

/* PCRE2. */

static pcre2_code *code_new(struct str translated, uint32_t options, int *ret_error)
{
	const uint32_t always = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_MATCH_UNSET_BACKREF |
				PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	PCRE2_SIZE offset;
	pcre2_code *code;

	if (!context)
		abort();
	(void)pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	(void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	code = pcre2_compile((PCRE2_SPTR)translated.p, translated.n, always | options, ret_error,
			     &offset, context);
	pcre2_compile_context_free(context);
	return code;
}

/* Makes machine code where that is worth it and right. */
static bool code_jit(pcre2_code *code)
{
	uint32_t back_references = 0;
	PCRE2_SIZE size = 0;

	(void)pcre2_pattern_info(code, PCRE2_INFO_SIZE, &size);
	(void)pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &back_references);
	/* The machine code of 10.42 errs in repeated references to unset groups: (a)?\1{1,2}?b */
	return size <= JIT_SIZE_MAX && !back_references &&
	       pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
}

static int code_compile(struct regex *re, struct str pattern, unsigned flags, struct err *err)
{
	int error;

	re->translated.max = TRANSLATION_MAX;
	int r = regex_translate(pattern, flags, &re->translated, err);
	if (r < 0)
		return r;
	re->code = code_new(buf_str(&re->translated), 0, &error);
	if (!re->code) {
		PCRE2_UCHAR text[160];

		if (error == PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH)
			return err_set(
				err, E_LIMIT,
				"regular expression: variable-length lookbehind is not supported");
		if (pcre2_get_error_message(error, text, sizeof text) < 0)
			text[0] = '\0';
		return err_set(err, E_LIMIT, "regular expression: not supported: %s",
			       (const char *)text);
	}
	re->jit = flags & REGEX_JIT && code_jit(re->code);
	return 0;
}

static struct regex *regex_new(struct str pattern, unsigned flags)
{
	struct regex *re = xcalloc(1, sizeof *re);

	re->icase = flags & REGEX_ICASE;
	re->pattern.p = memcpy(xmalloc(pattern.n + 1), pattern.n ? pattern.p : "", pattern.n);
	re->pattern.n = pattern.n;
	return re;
}

int regex_compile(struct str pattern, unsigned flags, struct regex **ret_re, struct err *err)
{
	AUTO(regex_free) struct regex *re = regex_new(pattern, flags);

	pattern = re->pattern;
	if (pattern.n > REGEX_PATTERN_MAX || !words_parse(re, pattern)) {
		int r = code_compile(re, pattern, flags, err);
		if (r < 0)
			return r;
	}
	*ret_re = MOVE(re);
	return 0;
}

struct regex *regex_later(struct str pattern, unsigned flags)
{
	struct regex *re = regex_new(pattern, flags);

	re->jit = flags & REGEX_JIT;
	re->later = true;
	return re;
}

struct str regex_pattern(const struct regex *re)
{
	return re->pattern;
}

/* Threads that come first at once each make one, and all but one give theirs up. */
static const struct regex *regex_made(const struct regex *re)
{
	_Atomic(struct regex *) *made = (_Atomic(struct regex *) *)&re->made;
	struct regex *got = atomic_load_explicit(made, memory_order_acquire), *mine;
	const unsigned flags = (re->icase ? REGEX_ICASE : 0) | (re->jit ? REGEX_JIT : 0);

	if (got || regex_compile(re->pattern, flags, &mine, NULL) < 0)
		return got;
	if (atomic_compare_exchange_strong(made, &got, mine))
		return mine;
	regex_free(mine);
	return got;
}

void regex_free(struct regex *re)
{
	if (!re)
		return;
	regex_free(atomic_load(&re->made));
	free((char *)re->pattern.p);
	pcre2_code_free(re->code);
	buf_done(&re->translated);
	words_clear(re);
	free(re);
}

struct regex_scratch *regex_scratch_new(void)
{
	struct regex_scratch *s = xcalloc(1, sizeof *s);

	s->data = pcre2_match_data_create(1, NULL);
	s->context = pcre2_match_context_create(NULL);
	if (!s->data || !s->context)
		abort();
	(void)pcre2_set_match_limit(s->context, MATCH_LIMIT);
	(void)pcre2_set_depth_limit(s->context, MATCH_LIMIT);
	(void)pcre2_set_heap_limit(s->context, HEAP_LIMIT_KIB);
	return s;
}

void regex_scratch_free(struct regex_scratch *s)
{
	if (!s)
		return;
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	buf_done(&s->subject);
	free(s);
}

static enum regex_result result_of(int rc)
{
	return rc >= 0 ? REGEX_YES : rc == PCRE2_ERROR_NOMATCH ? REGEX_NO : REGEX_LIMIT;
}

static int match_from(const pcre2_code *code, bool jit, struct str subject, size_t start,
		      struct regex_scratch *s)
{
	PCRE2_SPTR p = (PCRE2_SPTR)subject.p;
	int rc;

	if (jit) {
		/* The subject is known to be well-formed, so the checks of pcre2_match can go. */
		rc = pcre2_jit_match(code, p, subject.n, start, 0, s->data, s->context);
		if (rc != PCRE2_ERROR_JIT_STACKLIMIT)
			return rc;
	}
	return pcre2_match(code, p, subject.n, start, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, s->data,
			   s->context);
}

/* Of this thread: whether a pattern matches is not to depend on what else the machine does. */
static int64_t now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/*
 * PCRE2's limit counts from every start anew, which in a long subject adds up to minutes.  So the
 * starts are tried in slices with a look at the clock between them.
 */
static int match_slices(const pcre2_code *code, bool jit, struct str subject,
			struct regex_scratch *s)
{
	int64_t began = now_us(), before = began, now;
	size_t n = SLICE_MIN, start = 0, last;
	int rc = PCRE2_ERROR_NOMATCH;

	for (; start <= subject.n && rc == PCRE2_ERROR_NOMATCH; start = last + 1) {
		if (before - began > LONG_SUBJECT_MS * 1000)
			return PCRE2_ERROR_MATCHLIMIT;
		/* The next slice must not begin within a character. */
		last = min_size(start + n - 1, subject.n);
		while (last + 1 < subject.n && (subject.p[last + 1] & 0xc0) == 0x80)
			last++;
		(void)pcre2_set_offset_limit(s->context, last);
		rc = match_from(code, jit, subject, start, s);
		now = now_us();
		n = now - before > SLICE_QUICK_US ? max_size(n / 2, 1) : min_size(n * 2, SLICE_MAX);
		before = now;
	}
	return rc;
}

static bool is_ascii(struct str s)
{
	size_t i = 0;
	uint64_t w;

	for (; i + sizeof w <= s.n; i += sizeof w) {
		memcpy(&w, s.p + i, sizeof w);
		if (w & 0x8080808080808080u)
			return false;
	}
	for (; i < s.n; i++)
		if (s.p[i] & 0x80)
			return false;
	return true;
}

/* Whether the bytes are already one character a unit and nothing is malformed. */
static bool is_units(struct str s)
{
	if (is_ascii(s))
		return true;
	if (utf8_valid(s) < s.n)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0xf0)
			return false;
	return true;
}

static enum regex_result code_test(const struct regex *re, struct str subject,
				   struct regex_scratch *s)
{
	if (subject.n > SHORT_SUBJECT) {
		/*
		 * A limit on the start must be known when the code is made, and then slows down
		 * every short match; so the code for slices is made here, which next to a long
		 * subject costs little.
		 */
		const uint64_t steps = long_work / subject.n;
		pcre2_code *code;
		int rc;

		code = code_new(buf_str(&re->translated), PCRE2_USE_OFFSET_LIMIT, &rc);
		if (!code)
			return REGEX_LIMIT;
		if (steps < MATCH_LIMIT)
			(void)pcre2_set_match_limit(s->context, (uint32_t)steps);
		rc = match_slices(code, re->jit && code_jit(code), subject, s);
		(void)pcre2_set_match_limit(s->context, MATCH_LIMIT);
		(void)pcre2_set_offset_limit(s->context, PCRE2_UNSET);
		pcre2_code_free(code);
		return result_of(rc);
	}
	return result_of(match_from(re->code, re->jit, subject, 0, s));
}

enum regex_result regex_test(const struct regex *re, struct str subject,
			     struct regex_scratch *scratch)
{
	AUTO(regex_scratch_free) struct regex_scratch *own = NULL;

	if (re->later)
		re = regex_made(re);
	if (!re)
		return REGEX_LIMIT;
	if (!subject.p)
		subject = STR("");
	if (!re->code && !re->icase)
		return words_test(re, subject);
	if (!scratch)
		scratch = own = regex_scratch_new();
	if (!re->icase && is_units(subject))
		return code_test(re, subject, scratch);
	/* For a subject that must be rewritten first. */
	buf_clear(&scratch->subject);
	if (!re->code || is_ascii(subject)) {
		char *to = buf_reserve(&scratch->subject, subject.n);

		/* The words of the i flag are ASCII, so only that is folded and bytes stay
		 * bytes. */
		for (size_t i = 0; i < subject.n; i++)
			to[i] = char_is_lower(subject.p[i]) ? (char)(subject.p[i] - 32)
							    : subject.p[i];
		scratch->subject.n += subject.n;
	} else {
		(void)regex_add_units(&scratch->subject, subject, re->icase ? REGEX_ICASE : 0);
	}
	subject = buf_str(&scratch->subject);
	return re->code ? code_test(re, subject, scratch) : words_test(re, subject);
}
