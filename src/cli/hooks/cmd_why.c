/* trotline hooks why: which hooks would run, and why not the others.  Runs nothing. */
#include "cli/commands.h"
#include "workbench/event_args.h"

struct why_args {
	struct load_args load;
	struct event_args event;
};

static const struct opt opts[] = {
	EVENT_OPTS(struct why_args),
	LOAD_OPTS(struct why_args),
};
const struct opt_set why_opts = OPT_SET(opts, struct why_args);

static void print_json(const struct tl_outcome *o, const struct tl_event *event)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_obj(&w);
	jw_kv_z(&w, "event", event->name);
	jw_kv_z(&w, "subject", event->subject);
	jw_key(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < tl_outcome_reports(o); i++) {
		struct tl_report r = { .size = sizeof r };

		(void)tl_outcome_report(o, i, &r);
		jw_obj(&w);
		jw_kv_z(&w, "state", tl_state_name(r.state));
		jw_kv_z(&w, "why", r.why);
		json_hook(&w, &r.hook);
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	out_json(&out);
}

static void print_text(const struct tl_hooks *hooks, const struct tl_outcome *o)
{
	AUTO(arena_done) struct arena a = { 0 };

	for (size_t i = 0; i < tl_outcome_reports(o); i++) {
		struct tl_report r = { .size = sizeof r };
		bool runs;

		(void)tl_outcome_report(o, i, &r);
		runs = r.state == TL_STATE_WOULD_RUN;
		out_f(runs ? GREEN : DIM, "%-10s", runs ? "runs" : tl_state_name(r.state));
		out_text(runs ? BOLD : PLAIN, short_name(&r.hook, &a), 1);
		out_f(PLAIN, "%10s %s", "", tl_tier_name(r.hook.tier));
		if (r.hook.line)
			out_f(PLAIN, "  %s:%u", short_path(hooks, r.hook.file, &a), r.hook.line);
		out_f(PLAIN, "\n");
		if (runs)
			continue;
		AUTO(free) char *why = r.state == TL_STATE_NO_MATCH
					       ? xasprintf("%s: %s", r.why, r.hook.matcher)
					       : xasprintf("%s", r.why);
		out_text(DIM, why, 11);
	}
	if (tl_outcome_reports(o) == 0)
		out_f(PLAIN, "No hook is configured for this event.\n");
}

int cmd_why(const void *args_, int n, char **rest)
{
	const struct why_args *args = args_;
	AUTO(arena_done) struct arena a = { 0 };
	struct event_made m;
	struct tl_hooks *hooks;
	struct tl_outcome *o;
	struct err err;
	int status;

	(void)n;
	if (event_tool_remark(&a, &args->event))
		complain("%s", event_tool_remark(&a, &args->event));
	if (event_make(&m, &a, rest[0], &args->event, &err) < 0) {
		complain("%s", err.text);
		return EXIT_USAGE;
	}
	status = load_hooks(&args->load, args->load.json, &hooks);
	if (status != EXIT_OK)
		return status;
	if (tl_why(hooks, &m.event, &o, NULL) == 0) {
		if (args->load.json)
			print_json(o, &m.event);
		else
			print_text(hooks, o);
		tl_outcome_free(o);
	}
	tl_hooks_unref(hooks);
	return EXIT_OK;
}
