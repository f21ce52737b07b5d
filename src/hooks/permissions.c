/*
 * `permissions` of Claude Code's settings (C7.8).  A rule is a hook before tools that answers
 * without a process: what denies or asks is a guard, so that nothing below it can lift it, and what
 * allows answers only where it surely fits.
 */
#include "base/json_pack.h"
#include "hooks/claude.h"
#include "hooks/hook_read.h"

static int answer(struct tl_call *call, void *text)
{
	call->output = text;
	return 0;
}

/* `after`: about the result of a search, whose files are known then, in words that hide it. */
static void add_rule(struct tl_hooks *h, const struct source *s, const struct claude_list *list,
		     const char *rule, const struct place *at, bool after)
{
	struct arena *a = &h->arena;
	const struct dialect *d = after ? &dialects[DIALECT_GEMINI] : s->dialect;
	enum event_id id = after ? EV_AFTER_TOOL : EV_BEFORE_TOOL;
	const char *name = arena_printf(a, "permissions.%s: %s", list->key, rule).p;
	struct str why = arena_printf(a, "%s (%s:%u)", name, at->file, at->line);
	const struct json *said =
		after ? json_pack(a, "decision:z reason:s", list->key, why)
		      : json_pack(a, "hookSpecificOutput:j",
				  json_pack(a,
					    "hookEventName:z permissionDecision:z "
					    "permissionDecisionReason:s",
					    "PreToolUse", list->key, why));
	struct tl_runtime_hook *r = ARENA_NEW(a, struct tl_runtime_hook);
	struct hook *hook = ARENA_NEW(a, struct hook);
	bool off = !list->strict && tiers[s->tier].foreign && !h->folder_trusted;

	*r = (struct tl_runtime_hook){ .name = name,
				       .call = answer,
				       .data = (void *)json_text(a, said, JSON_COMPACT).p };
	*hook = (struct hook){
		.event = &events[id],
		.as = dialect_event_of(d, id),
		.dialect = d,
		.tier = s->tier,
		.name = name,
		.id = name,
		.command = "",
		.description = "",
		.if_rule = rule,
		.is_rule = true,
		.surely = !list->strict,
		.guard = list->strict,
		.on_failure = list->strict ? FAIL_DENY : FAIL_WARN,
		.at = *at,
		.matcher_at = *at,
		.fingerprint = "",
		.script = "",
		.trust = TL_TRUST_NOT_PROJECT,
		.state = off ? TL_STATE_DISABLED : TL_STATE_WOULD_RUN,
		.why = off ? "the folder is not trusted" : "",
		.runtime = r,
	};
	matcher_init(&hook->matcher, a, hook->event, d, after ? STR("^grep_search$") : STR(""), at,
		     &h->diags);
	hook_add(h, hook);
}

/* What denies or asks and cannot be read may not be left out. */
static void misfit(struct tl_hooks *h, const struct claude_list *list, const struct place *at,
		   const char *what)
{
	diag_add(&h->diags, TL_SEVERITY_ERROR, "wrong-type", at, "%s", what);
	if (list->strict && !h->fatal.code)
		(void)err_set_at(&h->fatal, E_CONFIG, at->file, at->line, at->column, "%s: %s",
				 at->path, what);
}

/* A rule that is not written as rules are: what denies or asks is read strictly. */
static void check_rule(struct tl_hooks *h, const struct claude_list *list, const char *text,
		       const struct place *at)
{
	struct claude_rule r = claude_rule_read(str_from(text));
	struct str rest = str_trim(str_sub(r.rest, str_starts(r.rest, STR(":")), r.rest.n));
	const char *meant = "";

	if (!r.odd && !r.rest.n)
		return;
	if (!r.odd && (!rest.n || str_eqz(rest, "*")))
		meant = arena_printf(&h->arena, "; did you mean \"%.*s\"?", STR_ARG(r.name)).p;
	else if (!r.odd && !r.pattern.p)
		meant = arena_printf(&h->arena, "; did you mean \"%.*s(%.*s)\"?", STR_ARG(r.name),
				     STR_ARG(rest))
				.p;
	if (!list->strict)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "bad-rule", at,
			 "\"%s\" is no rule, and allows nothing%s", text, meant);
	else if (r.odd)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "bad-rule", at,
			 "\"%s\" is no rule, and counts for every tool", text);
	else
		diag_add(&h->diags, TL_SEVERITY_WARNING, "bad-rule", at,
			 "\"%s\" is no rule, and counts for %.*s as a whole%s", text,
			 STR_ARG(r.name), meant);
}

void permissions_read(struct tl_hooks *h, const struct source *s)
{
	const char *key = s->dialect->permissions_key;
	const struct json *all = key ? json_getz(s->doc, key) : NULL;

	for (size_t i = 0; all && i < CLAUDE_LISTS; i++) {
		const struct json *list = json_getz(all, claude_lists[i].key);
		struct place at = source_place(s, &h->arena, list ? list->pos : all->pos, "%s.%s",
					       key, claude_lists[i].key);

		if (!json_is(all, J_OBJ)) {
			misfit(h, &claude_lists[i], &at, "permissions are an object of lists");
			return;
		}
		if (list && !json_is(list, J_ARR))
			misfit(h, &claude_lists[i], &at, "must be an array of rules");
		for (size_t k = 0; json_is(list, J_ARR) && k < list->n; k++) {
			const struct json *v = json_at(list, k);
			struct place rule = source_place(s, &h->arena, v->pos, "%s.%s[%zu]", key,
							 claude_lists[i].key, k);

			const char *text = arena_z(&h->arena, str_trim(json_str(v, STR(""))));

			if (*text) {
				add_rule(h, s, &claude_lists[i], text, &rule, false);
				check_rule(h, &claude_lists[i], text, &rule);
			} else {
				misfit(h, &claude_lists[i], &rule,
				       "a rule is a text, such as Bash(git *)");
			}
			if (i == 0 && str_starts(str_from(text), STR("Read(")))
				add_rule(h, s, &claude_lists[i], text, &rule, true);
		}
	}
}
