/* trotline policy why: which rule decides about a call, and why the others do not. */
#include "agent/toolbox.h"
#include "hooks/config.h"
#include "workbench/commands.h"
#include "workbench/guard.h"
#include "workbench/policy_setup.h"
#include "workbench/show.h"
#include "workbench/tool_names.h"

struct why_args {
	struct load_args load;
	const char *mode, *agent;
	bool headless, all;
	struct opt_list policy, admin_policy, allowed_tools;
};

static const struct opt opts[] = {
	{ "approval-mode", 0, "MODE", OPT_STR, offsetof(struct why_args, mode),
	  "in this mode: default, auto_edit, yolo, plan" },
	{ "headless", 0, NULL, OPT_FLAG, offsetof(struct why_args, headless),
	  "without a terminal, where asking is denying" },
	{ "agent", 0, "NAME", OPT_STR, offsetof(struct why_args, agent),
	  "when this sub-agent calls it" },
	{ "allowed-tools", 0, "TOOL,...", OPT_LIST, offsetof(struct why_args, allowed_tools),
	  "as the agent's option" },
	{ "policy", 0, "PATH", OPT_LIST, offsetof(struct why_args, policy),
	  "as the agent's option" },
	{ "admin-policy", 0, "PATH", OPT_LIST, offsetof(struct why_args, admin_policy),
	  "as the agent's option" },
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct why_args, all),
	  "also show the built-in rules" },
	LOAD_OPTS(struct why_args),
};
const struct opt_set policy_why_opts = OPT_SET(opts, struct why_args);

static const char *const *list_of(struct arena *a, const struct opt_list *l)
{
	const char **list = ARENA_ARRAY(a, const char *, l->n + 1);

	memcpy(list, l->p, l->n * sizeof *list);
	return list;
}

/* "4.200", as docs/policy.md has it. */
static const char *priority_text(struct arena *a, int priority)
{
	return arena_printf(a, "%d.%03d", priority / 1000, priority % 1000).p;
}

static const struct json *rule_value(struct arena *a, const struct policy_rule *r, bool decides)
{
	const struct json *v = json_pack(a, "decides:b decision:z priority:z source:z ?file:z",
					 decides, policy_decision_name(r->decision),
					 priority_text(a, r->priority), r->source, r->file);

	if (r->file)
		v = json_pack_more(a, v, "line:u column:u", r->line, r->column);
	return json_pack_more(a, v, "?why:z", r->why);
}

/* Of the prefixes of one rule one line is enough. */
static bool is_same(const struct policy_rule *a, const struct policy_rule *b)
{
	return a->file && b->file && a->line == b->line && strcmp(a->file, b->file) == 0;
}

static const enum style styles[] = {
	[POLICY_ALLOW] = GREEN, [POLICY_ASK] = YELLOW, [POLICY_DENY] = RED
};

static void show(struct wb *wb, const struct tl_hooks *hooks, const struct policy_answer *answer,
		 bool all)
{
	struct sheet *p = &wb->sheet;
	struct arena *a = &wb->arena;

	sheet_f(p, styles[answer->decision], "%s", policy_decision_name(answer->decision));
	if (answer->decided < answer->n) {
		const struct policy_rule *r = &answer->rules[answer->decided];

		sheet_f(p, PLAIN, "  %s  %s, priority %s\n", rule_place(hooks, r, a),
			r->file ? r->source : "no file", priority_text(a, r->priority));
	} else {
		sheet_f(p, PLAIN, "  no rule fits\n");
	}
	if (answer->part.n)
		sheet_text(p, PLAIN, arena_printf(a, "because of: %.*s", STR_ARG(answer->part)).p,
			   2);
	if (answer->why.n)
		sheet_text(p, PLAIN, answer->why.p, 2);
	for (size_t i = 0; i < answer->n; i++) {
		const struct policy_rule *r = &answer->rules[i];

		if ((!all && !r->file && strcmp(r->source, "built-in") == 0) ||
		    (i > 0 && is_same(r, r - 1)) || i == answer->decided ||
		    (answer->decided < answer->n && is_same(r, &answer->rules[answer->decided])))
			continue;
		sheet_f(p, DIM, "%-6s%s  %s  %s\n", policy_decision_name(r->decision),
			priority_text(a, r->priority), rule_place(hooks, r, a), r->why);
	}
}

/* What the packs that are on say, which are asked before the policy; the stricter of the two. */
static enum policy_decision ask_packs(struct wb *wb, const struct tl_hooks *hooks, const char *name,
				      const struct json *args, enum policy_decision decision)
{
	AUTO(guard_packs_done) struct guard_packs g = { 0 };
	struct arena *a = &wb->arena;
	struct sheet *p = &wb->sheet;
	struct policy_call call;
	struct policy_verdict v;
	const char *pack;

	guard_packs_on(hooks, false, &g);
	if (!g.n)
		return decision;
	guard_call_init(&call, json_pack(a, "tool:z input:j", name, args),
			tl_hooks_project_dir(hooks), tl_hooks_home(hooks), a);
	call.world.env = hooks->env;
	guard_judge(&g, &call, hooks->exceptions.p, &v, &pack);
	sheet_f(p, PLAIN, "Packs that are on: ");
	if (!v.decided) {
		sheet_f(p, PLAIN, "no rule fits\n");
		return decision;
	}
	sheet_f(p, styles[v.decision], "%s", policy_decision_name(v.decision));
	sheet_f(p, PLAIN, "  %s  %s:%u\n", arena_z(a, v.rule), v.file, v.line);
	if (v.reason.n)
		sheet_text(p, PLAIN, v.reason.p, 2);
	wb->value = json_pack_more(a, wb->value, "guard:j",
				   json_pack(a, "decision:z pack:z rule:s file:z line:u ?reason:s",
					     policy_decision_name(v.decision),
					     arena_z(a, str_from(pack)), v.rule,
					     arena_z(a, str_from(v.file)), v.line, v.reason));
	return v.decision > decision ? v.decision : decision;
}

/* The row of the tool; one of a server, or an unknown one, is only a name. */
static const struct tool *find_tool(struct wb *wb, const struct toolbox *tools, const char *name)
{
	const struct tool *t = toolbox_find(tools, str_from(name));
	struct tool *row;

	if (t)
		return t;
	row = arena_raw(&wb->arena, sizeof *row);
	*row = (struct tool){ .name = name, .kind = TOOL_EXECUTE };
	return row;
}

static int explain(struct wb *wb, const struct why_args *args, const struct tl_hooks *hooks,
		   const char *name, const struct json *call)
{
	AUTO(tool_names_done) struct tool_names names = { 0 };
	AUTO(policy_free) struct policy *policy = NULL;
	struct arena *a = &wb->arena;
	struct policy_setup setup = {
		.hooks = hooks,
		.trusted = (tl_hooks_folder_trusted(hooks) || args->load.trust) &&
			   !args->load.no_project,
		.o = { .policies = list_of(a, &args->policy),
		       .admin_policies = list_of(a, &args->admin_policy),
		       .allowed = list_of(a, &args->allowed_tools),
		       .interactive = !args->headless },
	};
	struct policy_answer answer;
	enum policy_decision decision;
	struct json_list rules = { 0 };
	struct err err;

	if (args->mode && !mode_find(str_from(args->mode), &setup.o.mode))
		return wb_fail_word(wb, "--approval-mode", "default, auto_edit, yolo or plan",
				    args->mode);
	policy = policy_setup(&setup, a, &err);
	if (!policy)
		return wb_fail_err(wb, EXIT_CONFIG, &err);
	policy_set_agent(policy, args->agent);
	if (!setup.trusted && !args->load.no_project)
		wb_complain(
			wb,
			"%s is not trusted, so the tools and rules of its settings do not count",
			tl_hooks_project_dir(hooks));
	tool_names_init(&names);
	policy_explain(policy, tool_subject(find_tool(wb, names.tools, name)), call, a, &answer);
	for (size_t i = 0; i < answer.n; i++)
		json_list_add(&rules, rule_value(a, &answer.rules[i], i == answer.decided));
	wb->value =
		json_pack(a, "tool:z decision:z ?why:z ?part:z rules:j", name,
			  policy_decision_name(answer.decision), answer.why.n ? answer.why.p : NULL,
			  answer.part.n ? answer.part.p : NULL, json_list_take(a, &rules));
	show(wb, hooks, &answer, args->all);
	decision = ask_packs(wb, hooks, name, call, answer.decision);
	/* Without a person a question of a pack is a denial, too. */
	if (decision == POLICY_ASK && args->headless)
		decision = POLICY_DENY;
	return decision == POLICY_ALLOW  ? EXIT_OK
	       : decision == POLICY_DENY ? EXIT_DENIED
					 : EXIT_ASKED;
}

int wb_policy_why(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct why_args *args = args_;
	const struct json *call = json_new_obj(&wb->arena);
	const char *unknown = tool_unknown(&wb->arena, str_from(rest[0]));
	struct tl_hooks *hooks;
	struct err err;
	int status;

	if (unknown)
		return wb_fail_at(wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-tool" },
				  "%s", unknown);
	if (n > 1 && wb_json_arg(wb, rest[1], "ARGS_JSON", &wb->arena, &call, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (!json_is(call, J_OBJ))
		return wb_fail(wb, EXIT_USAGE, "the arguments are a JSON object, this is %s",
			       json_what(call));
	status = wb_load(wb, &args->load, WB_QUIET, &hooks);
	if (status != EXIT_OK)
		return status;
	status = explain(wb, args, hooks, rest[0], call);
	tl_hooks_unref(hooks);
	return status;
}
