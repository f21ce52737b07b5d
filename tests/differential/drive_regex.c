/*
 * The C side of tests/differential/test_regex.mjs, a line in, a line out; text is hexadecimal UTF-8
 * with lone surrogates in three bytes.
 *
 *	S <hex>			adds a subject; no answer
 *	P <i|-> <hex>		-> "ok 0110...", a digit a subject (L = gave up, ! = the interpreter
 *				and the machine code disagree), or "parse <text>" or "limit <text>"
 *	F <hex>			-> hex of the text folded for the i flag
 */
#include <stdio.h>

#include "base/regex.h"
#include "base/vec.h"

static struct {
	struct str *p;
	size_t n, cap;
} subjects;

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct str unhex(const char *z)
{
	char *out = xmalloc(strlen(z) / 2 + 1);
	size_t n = 0;

	for (; hex_digit(z[0]) >= 0 && hex_digit(z[1]) >= 0; z += 2)
		out[n++] = (char)(hex_digit(z[0]) << 4 | hex_digit(z[1]));
	return (struct str){ out, n };
}

static void test_all(const struct regex *interpreted, const struct regex *machine,
		     struct regex_scratch *scratch)
{
	static const char digits[] = "01L";

	fputs("ok ", stdout);
	for (size_t i = 0; i < subjects.n; i++) {
		enum regex_result a = regex_test(interpreted, subjects.p[i], scratch);
		enum regex_result b = regex_test(machine, subjects.p[i], scratch);

		if (a == REGEX_LIMIT || b == REGEX_LIMIT)
			putchar('L');
		else
			putchar(a == b ? digits[a] : '!');
	}
	putchar('\n');
}

static void do_pattern(const char *line, struct regex_scratch *scratch)
{
	AUTO(regex_free) struct regex *interpreted = NULL;
	AUTO(regex_free) struct regex *machine = NULL;
	unsigned flags = line[0] == 'i' ? REGEX_ICASE : 0;
	struct str pattern = unhex(line + 2);
	struct err err = { 0 };
	int r = regex_compile(pattern, flags, &interpreted, &err);

	if (r < 0)
		printf("%s %s\n", r == -E_PARSE ? "parse" : "limit", err.text);
	else if (regex_compile(pattern, flags | REGEX_JIT, &machine, &err) < 0)
		printf("ok !\n");
	else
		test_all(interpreted, machine, scratch);
	free((char *)pattern.p);
}

static void do_fold(const char *line)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str s = unhex(line);

	(void)regex_add_units(&out, s, REGEX_ICASE);
	for (size_t i = 0; i < out.n; i++)
		printf("%02x", (unsigned char)out.p[i]);
	putchar('\n');
	free((char *)s.p);
}

int main(void)
{
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	AUTO(free) char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0) {
		if (line[0] == 'S')
			*VEC_ADD(&subjects) = unhex(line + 2);
		else if (line[0] == 'P')
			do_pattern(line + 2, scratch);
		else if (line[0] == 'F')
			do_fold(line + 2);
	}
	for (size_t i = 0; i < subjects.n; i++)
		free((char *)subjects.p[i].p);
	free(subjects.p);
	return 0;
}
