/*
 * Any text as a SKILL.md: it is refused with its place, or has a name and a description on one
 * line, and a body of valid UTF-8.
 */
#include <stdint.h>

#include "agent/catalog/skills.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_line(struct str s)
{
	if (s.n == 0 || utf8_valid(s) != s.n)
		abort();
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 32 || s.p[i] == 127)
			abort();
}

static void check_place(const char *text)
{
	size_t line = strspn(text, "0123456789");
	size_t column = text[line] == ':' ? strspn(text + line + 1, "0123456789") : 0;

	if (!line || !column || text[0] == '0' || text[line + 1] == '0' ||
	    strncmp(text + line + 1 + column, ": ", 2) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct front_matter front = { 0 };
	struct err err = { 0 };

	if (front_read(&a, (struct str){ (const char *)data, n }, &front, NULL, 0, &err) < 0) {
		check_place(err.text);
		return 0;
	}
	check_line(front.name);
	check_line(front.description);
	if (utf8_valid(front.body) != front.body.n)
		abort();
	return 0;
}
