/*
 * Any text as a shell command.  Parts have words that are there, and a rule for "ls" allows nothing
 * in which "evil" is run, or that is not understood.
 */
#include <stdint.h>

#include "policy/policy.h"
#include "policy/shell.h"
#include "tools/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_rule(struct str text, const struct sh_calls *s)
{
	const struct tool *shell = tool_find(STR("run_shell_command"));
	const char *allowed[] = { "run_shell_command(ls)", NULL };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(policy_free) struct policy *p = policy_new(
		&(struct policy_options){ .allowed = allowed, .interactive = true }, NULL);
	const struct json *args = json_set(&a, NULL, STR("command"), json_new_str(&a, text));

	if (!p)
		return;
	bool allows = policy_check(p, tool_subject(shell), args, &a, NULL) == POLICY_ALLOW;
	for (size_t i = 0; i < s->n && allows; i++)
		if (s->p[i].unknown || (s->p[i].n && str_eqz(s->p[i].words[0].text, "evil")))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(sh_calls_done) struct sh_calls s = { .arena = &a };
	struct str text = { (const char *)data, n };
	const struct sh_arg *words;
	size_t nwords;

	policy_calls(&s, text);
	if (s.n > SH_CALLS_MAX)
		abort();
	for (size_t i = 0; i < s.n; i++)
		(void)sh_call_text(&a, &s.p[i]);
	(void)shell_is_safe(&s);
	(void)shell_roots(&a, text);
	if (shell_prefix(&a, text, &words, &nwords) && nwords == 0)
		abort();
	check_rule(text, &s);
	return 0;
}
