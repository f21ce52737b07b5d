/*
 * trotline hooks why: which hooks would run, and why not the others; or what a denial that has
 * happened came from.  Runs nothing.
 */
#include "hosts/history.h"
#include "settings/home.h"
#include "workbench/commands.h"
#include "workbench/event_args.h"
#include "workbench/records.h"
#include "workbench/show.h"

struct why_args {
	struct load_args load;
	struct event_args event;
};

static const struct opt opts[] = {
	EVENT_OPTS(struct why_args),
	LOAD_OPTS(struct why_args),
};
const struct opt_set why_opts = OPT_SET(opts, struct why_args);

static void show(struct sheet *p, const struct tl_hooks *hooks, const struct tl_report *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool runs = r->state == TL_STATE_WOULD_RUN;

	sheet_f(p, runs ? GREEN : DIM, "%-10s", runs ? "runs" : tl_state_name(r->state));
	sheet_text(p, runs ? BOLD : PLAIN, short_name(r->hook, &a), 1);
	sheet_f(p, PLAIN, "%10s %s", "", tl_tier_name(r->hook->tier));
	if (r->hook->line)
		sheet_f(p, PLAIN, "  %s:%u", short_path(hooks, r->hook->file, &a), r->hook->line);
	sheet_f(p, PLAIN, "\n");
	if (!runs)
		sheet_text(p, DIM,
			   r->state == TL_STATE_NO_MATCH
				   ? arena_printf(&a, "%s: %s", r->why, r->hook->matcher).p
				   : r->why,
			   11);
}

/* Of hooks that ran.  The settings are left alone: they may be what is wrong. */
static int explain(struct wb *wb, const char *id)
{
	AUTO(records_done) struct records records = RECORDS_INIT;
	AUTO(free) char *home = NULL;
	struct arena *a = &wb->arena;
	struct json_list found = { 0 };
	const struct json *v;
	struct err err;

	if (home_find((const char *const *)environ, &home, &err) < 0 ||
	    records_open(&records, home, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	for (struct str rest = buf_str(&records.text); records_next(&rest, a, &v);) {
		if (!str_eqz(json_get_str(v, "id"), id))
			continue;
		record_show(&wb->sheet, a, home, v);
		json_list_add(&found, json_dup(a, v));
	}
	if (!found.n)
		return wb_fail(wb, EXIT_USAGE,
			       "no record has the id %s: it is of another home directory, or older "
			       "than what is kept in %s",
			       id, records.path);
	wb->value = json_pack(a, "id:z records:j", id, json_list_take(a, &found));
	return EXIT_OK;
}

int wb_why(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct why_args *args = args_;
	struct event_args event = args->event;
	struct arena *a = &wb->arena;
	struct json_list rows = { 0 };
	struct event_made m;
	struct tl_hooks *hooks;
	struct tl_outcome *o;
	struct err err;
	int status;

	(void)n;
	if (history_is_id(str_from(rest[0])))
		return explain(wb, rest[0]);
	event.dir = args->load.dir ? wb_path(wb, args->load.dir) : wb->cwd;
	if (event_make(wb, &m, a, rest[0], &event, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	status = wb_load(wb, &args->load, 0, &hooks);
	if (status != EXIT_OK)
		return status;
	if (!event_is_answered(hooks, &m))
		(void)event_make(wb, &m, a, "AfterAgent", &event, NULL);
	if (tl_why(hooks, &m.event, &o, NULL) == 0) {
		for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
			struct tl_report r = TL_REPORT_INIT();

			(void)tl_outcome_report_get(o, i, &r);
			show(&wb->sheet, hooks, &r);
			json_list_add(&rows, json_overlay(a,
							  json_pack(a, "state:z why:z",
								    tl_state_name(r.state), r.why),
							  hook_value(a, r.hook)));
		}
		if (!rows.n)
			sheet_f(&wb->sheet, PLAIN, "No hook is configured for this event.\n");
		wb->value = json_pack(a, "event:z subject:z hooks:j", m.event.name, m.event.subject,
				      json_list_take(a, &rows));
		tl_outcome_free(o);
	}
	tl_hooks_unref(hooks);
	return EXIT_OK;
}
