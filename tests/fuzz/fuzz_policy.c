/*
 * Any text as a policy file: it is read, or refused with its place.  What was read answers
 * questions about a tool, and what it hides it denies.
 */
#include <stdint.h>

#include "base/toml.h"
#include "policy/impl.h"
#include "policy/judge.h"
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

/* C9.2: as a policy of the engine it is never refused, and says something about any call. */
static void judge(struct str text)
{
	const struct policy_source s = { .path = "f", .text = text, .tier = TL_TIER_USER };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(policy_free) struct policy *p = policy_open(&s);
	struct str root = STR("/home/u/p");
	struct policy_call call = {
		.event = "BeforeTool",
		.subject = policy_subject_of("run_shell_command", NULL, NULL),
		.input = json_set(&a, NULL, STR("command"), json_new_str(&a, STR("rm -rf ~"))),
		.world = { .cwd = root, .home = STR("/home/u"), .roots = &root, .nroots = 1 },
		.arena = &a
	};
	struct policy_verdict v;

	policy_judge(p, &call, NULL, &v);
	if (v.decided && v.decision != POLICY_ALLOW && !v.reason.n)
		abort();
	policy_comment(p, &call, &v);
	if (v.decided)
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
	judge(text);
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
