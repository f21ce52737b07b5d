/*
 * Any text as a SKILL.md: it is refused with its place, or has a name and a description on one
 * line, and a body of valid UTF-8.  Its hooks are refused with their place, or are JSON with no
 * line more than the text has.
 */
#include <stdint.h>

#include "agent/catalog/front_hooks.h"
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

static size_t count_lines(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static void check_hooks(struct arena *a, struct str text)
{
	struct err err = { 0 };
	const struct json *v;
	struct str hooks;
	int r = front_hooks_read(a, text, &hooks, &err);

	if (r < 0)
		check_place(err.text);
	if (r > 0 && (json_parse(a, hooks, 0, &v, NULL) < 0 || !json_getz(v, "hooks") ||
		      count_lines(hooks) > count_lines(text)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct front_matter front = { 0 };
	struct err err = { 0 };

	check_hooks(&a, (struct str){ (const char *)data, n });
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
