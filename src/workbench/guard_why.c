/* trotline guard why: what a call does, and which rule of which pack stops it.  Runs nothing. */
#include "base/vec.h"
#include "hooks/config.h"
#include "workbench/commands.h"
#include "workbench/guard.h"
#include "workbench/show.h"

struct why_args {
	struct load_args load;
	const char *tool;
	bool all;
};

static const struct opt opts[] = {
	{ "tool", 't', "TOOL", OPT_STR, offsetof(struct why_args, tool),
	  "a call of this tool; its arguments as JSON instead of the command" },
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct why_args, all),
	  "with all packs, not only with those that are on" },
	LOAD_OPTS(struct why_args),
};
const struct opt_set guard_why_opts = OPT_SET(opts, struct why_args);

static void show_effect(struct sheet *p, const struct effect *e)
{
	AUTO(buf_done) struct buf places = { 0 };

	for (unsigned i = 0; effect_place_name(i); i++)
		if (e->places & 1u << i)
			buf_addf(&places, "%s%s", places.n ? ", " : "", effect_place_name(i));
	sheet_f(p, PLAIN, e->target.n ? "  %-12s %.*s" : "  %s", effect_name(e->kind),
		STR_ARG(e->target));
	if (places.n)
		sheet_f(p, DIM, "  (%s)", buf_z(&places));
	sheet_f(p, DIM, "%s%s%s%s", e->recursive ? "  recursive" : "", e->forced ? "  forced" : "",
		e->remote ? "  remote" : "", e->maybe ? "  maybe" : "");
	sheet_f(p, DIM, e->presumed.n ? "  presumed: if %.*s runs it\n" : "\n",
		STR_ARG(e->presumed));
}

void guard_packs_on(const struct tl_hooks *hooks, bool all, struct guard_packs *g)
{
	for (size_t i = 0; i < packs_n; i++) {
		bool on = all;
		const struct tl_hook *h;

		for (size_t k = 0; !on && (h = hook_at(hooks, k)); k++)
			on = strcmp(h->type, "policy") == 0 && h->state == TL_STATE_WOULD_RUN &&
			     strcmp(h->name, packs[i].name) == 0;
		if (on)
			*VEC_ADD(g) = (struct guard_pack){ packs[i].name,
							   guard_pack_open(&packs[i], NULL, NULL) };
	}
}

static int explain(struct wb *wb, const struct why_args *args, const struct tl_hooks *hooks,
		   const struct json *line)
{
	static const enum style styles[] = {
		[POLICY_ALLOW] = GREEN, [POLICY_ASK] = YELLOW, [POLICY_DENY] = RED
	};
	AUTO(guard_packs_done) struct guard_packs g = { 0 };
	struct sheet *p = &wb->sheet;
	struct policy_call call;
	struct policy_verdict v;
	const struct effects *all;
	const char *pack;

	guard_packs_on(hooks, args->all, &g);
	if (!g.n)
		wb_complain(wb, "no pack is on here; --all asks them all, trotline guard on "
				"switches them on");
	guard_call_init(&call, line, tl_hooks_project_dir(hooks), tl_hooks_home(hooks), &wb->arena);
	call.world.env = hooks->env;
	guard_judge(&g, &call, hooks->exceptions.p, &v, &pack);
	all = call_effects(&call);
	sheet_f(p, styles[v.decision], "%s",
		v.decided ? policy_decision_name(v.decision) : "allow");
	if (v.decided)
		sheet_f(p, PLAIN, "  %.*s  %s:%u", STR_ARG(v.rule), v.file ? v.file : "", v.line);
	sheet_f(p, PLAIN, "\n");
	if (v.reason.n)
		sheet_text(p, PLAIN, v.reason.p, 2);
	sheet_f(p, BOLD, all->n ? "What it does:\n" : "It does nothing that a rule looks at.\n");
	for (size_t i = 0; i < all->n; i++)
		show_effect(p, &all->p[i]);
	if (all->opaque)
		sheet_f(p, YELLOW, "  Some of what it runs cannot be told.\n");
	wb->value = json_pack(
		&wb->arena, "verdict:z ?reason:s ?rule:s ?file:z ?line:u effects:j opaque:b",
		v.decided ? policy_decision_name(v.decision) : "allow", v.reason, v.rule, v.file,
		v.line, guard_effects_value(&wb->arena, all), all->opaque);
	return !v.decided || v.decision == POLICY_ALLOW ? EXIT_OK
	       : v.decision == POLICY_DENY              ? EXIT_DENIED
							: EXIT_ASKED;
}

int wb_guard_why(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct why_args *args = args_;
	struct arena *a = &wb->arena;
	const struct json *line, *input = json_new_obj(a);
	struct tl_hooks *hooks;
	struct err err;
	int status;

	(void)n;
	if (args->tool && wb_json_arg(wb, rest[0], "ARGS_JSON", a, &input, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	line = args->tool ? json_pack(a, "tool:z input:j", args->tool, input)
			  : json_pack(a, "command:z", rest[0]);
	status = wb_load(wb, &args->load, WB_QUIET, &hooks);
	if (status != EXIT_OK)
		return status;
	status = explain(wb, args, hooks, line);
	tl_hooks_unref(hooks);
	return status;
}
