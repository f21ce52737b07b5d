/* The list of rules, which settings and files add to, and the names that rules give tools. */
#include "base/vec.h"
#include "policy/impl.h"

const char *policy_decision_name(enum policy_decision d)
{
	static const char *const names[] = {
		[POLICY_ALLOW] = "allow", [POLICY_ASK] = "ask", [POLICY_DENY] = "deny"
	};

	return names[d];
}

bool policy_is_shell(struct str name)
{
	return str_eqz(tool_current_name(name), "run_shell_command");
}

bool rule_looks_at_call(const struct rule *r)
{
	return r->members || r->effect || r->opaque || r->secrets;
}

void policy_add(struct policy *p, const struct rule *rule)
{
	size_t at = p->rules.n;

	(void)VEC_ADD(&p->rules);
	while (at > 0 && p->rules.p[at - 1].priority < rule->priority)
		at--;
	memmove(&p->rules.p[at + 1], &p->rules.p[at], (p->rules.n - 1 - at) * sizeof *rule);
	p->rules.p[at] = *rule;
}

const char *const *policy_names(struct policy *p, struct str name)
{
	const char **names = ARENA_ARRAY(&p->arena, const char *, 2);

	names[0] = arena_z(&p->arena, name);
	return names;
}

struct policy_rule policy_rule_get(const struct policy *p, size_t i)
{
	const struct rule *r = &p->rules.p[i];

	return (struct policy_rule){ .file = r->file,
				     .line = r->line,
				     .column = r->column,
				     .source = r->file   ? tiers[r->tier].name
					       : r->from ? r->from
							 : "built-in",
				     .priority = r->priority,
				     .decision = r->decision,
				     .tools = r->tools,
				     .server = r->server };
}

unsigned policy_said_modes(enum approval_mode mode)
{
	const unsigned modes = 1U << MODE_DEFAULT | 1U << MODE_AUTO_EDIT | 1U << MODE_YOLO;

	return mode == MODE_PLAN ? modes | 1U << MODE_PLAN : modes;
}
