/*
 * Any text as the file of a sub-agent: it is refused with its place, or has a name, a description
 * on one line, an instruction of valid UTF-8, and limits that end.
 */
#include <stdint.h>

#include "agent/catalog/agent_defs.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_line(const char *s)
{
	if (!*s || utf8_valid(str_from(s)) != strlen(s))
		abort();
	for (; *s; s++)
		if ((unsigned char)*s < 32 || *s == 127)
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

static void check_def(const struct agent_def *def)
{
	check_line(def->name);
	check_line(def->description);
	if (def->body.n == 0 || utf8_valid(def->body) != def->body.n)
		abort();
	if (def->max_turns < 1 || def->max_minutes < 1 || def->temperature > 2)
		abort();
	for (const char *const *tool = def->tools; tool && *tool; tool++)
		check_line(*tool);
	if (def->model)
		check_line(def->model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct agent_def def = { 0 };
	struct err err = { 0 };

	if (agent_read(&a, (struct str){ (const char *)data, n }, &def, &err) < 0)
		check_place(err.text);
	else
		check_def(&def);
	return 0;
}
