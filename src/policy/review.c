/* What rules there are, and whether each can decide anything: for people who write them. */
#include "policy/impl.h"

size_t policy_rule_count(const struct policy *p)
{
	return p->rules.n;
}

/* Does `above` fit whatever `r` fits, of a tool that both are about? */
static bool covers(const struct rule *above, const struct rule *r)
{
	if (above->command || above->args || above->fits || rule_looks_at_call(above) ||
	    (above->said && r->decision == POLICY_DENY))
		return false;
	if (!above->prefix)
		return true;
	if (!r->prefix || r->nprefix < above->nprefix)
		return false;
	for (size_t i = 0; i < above->nprefix; i++)
		if (!str_eq(above->prefix[i].text, r->prefix[i].text))
			return false;
	return true;
}

/* In one mode: true when the rule decides something. */
static bool is_used(const struct policy *p, size_t i, const struct policy_subject *tools, size_t n,
		    bool *concerned, size_t *by)
{
	const struct rule *r = &p->rules.p[i], *above;

	for (size_t k = 0; k < n; k++) {
		if (policy_unconcerned(p, r, &tools[k]))
			continue;
		*concerned = true;
		/* The first rule that always decides about the tool before this one. */
		for (above = p->rules.p; above < r; above++)
			if (!policy_unconcerned(p, above, &tools[k]) && covers(above, r))
				break;
		if (above == r)
			return true;
		*by = (size_t)(above - p->rules.p);
	}
	return false;
}

enum policy_use policy_rule_use(struct policy *p, size_t i, const struct policy_subject *tools,
				size_t n, size_t *ret_by)
{
	static const enum approval_mode modes[] = { MODE_DEFAULT, MODE_AUTO_EDIT, MODE_YOLO,
						    MODE_PLAN };
	const struct rule *r = &p->rules.p[i];
	struct policy_options had = p->o;
	const char *agent = p->agent;
	bool elsewhere =
		r->never || r->comments || (r->events && !(r->events & 1U << POLICY_BEFORE_TOOL));
	bool concerned = elsewhere, used = elsewhere;

	p->agent = r->agents ? r->agents[0] : NULL;
	for (size_t m = 0; !used && m < ARRAY_LEN(modes); m++)
		for (int interactive = 0; !used && interactive < 2; interactive++) {
			p->o.mode = modes[m];
			p->o.interactive = interactive;
			used = is_used(p, i, tools, n, &concerned, ret_by);
		}
	p->o = had;
	p->agent = agent;
	return used ? RULE_USED : concerned ? RULE_SHADOWED : RULE_NEVER_FITS;
}
