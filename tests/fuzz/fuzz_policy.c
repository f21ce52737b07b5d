/*
 * Any text as a policy file: it is read, or refused with its place.  What was read answers
 * questions about a tool, and what it hides it denies.
 */
#include <stdint.h>

#include "base/toml.h"
#include "policy/impl.h"
#include "tools/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ask(struct policy *p, const char *name)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct tool unlisted = { .name = name }, *t = tool_find(str_from(name));
	const struct json *args =
		json_set(&a, NULL, STR("command"), json_new_str(&a, STR("ls; git log")));

	t = t ? t : &unlisted;
	if (policy_check(p, tool_subject(t), args, &a, NULL) != POLICY_DENY &&
	    policy_hides(p, tool_subject(t)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(policy_free) struct policy *p = xcalloc(1, sizeof *p);
	struct str text = { (const char *)data, n };
	const struct json *doc;
	struct json_where where = { 0 };
	struct err err = { 0 };

	p->o.cwd = "/";
	if (toml_parse(&a, text, &doc, &where, &err) < 0 &&
	    (!err.text[0] || where.line == 0 || where.column == 0))
		abort();
	if (policy_read_text(p, "f", text, TL_TIER_USER, &err) < 0)
		return err.text[0] == 'f' ? 0 : (abort(), 0);
	ask(p, "run_shell_command");
	ask(p, "glob");
	ask(p, "mcp__s__t");
	return 0;
}
