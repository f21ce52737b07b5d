#include "hooks/outcome.h"

/* Of a hook that has not run. */
static struct report report_new(const struct plan *p, size_t i)
{
	struct str none = STR("");

	return (struct report){
		.hook = p->hooks[i],
		.state = (enum tl_state)p->states[i],
		.why = plan_why(p, i),
		.copy = p->copies && p->copies[i],
		.reply = { .how = TL_CLASS_NOT_RUN,
			   .exit_code = -1,
			   .reason = none,
			   .stop_reason = none,
			   .message = none,
			   .context = none,
			   .terminal = none,
			   .warning = none,
			   .out = none,
			   .err = none },
	};
}

static struct tl_outcome *outcome_bare(const struct plan *p)
{
	struct tl_outcome *o = xcalloc(1, sizeof *o);
	struct str none = STR("");

	o->diags.arena = &o->arena;
	o->reason = o->stop_reason = o->message = o->context = o->wrapped = o->terminal = none;
	for (size_t i = 0; i < CHANGES; i++)
		o->changed_by[i] = -1;
	o->event = p->event->name;
	o->subject = o->session_id = o->turn_id = o->agent = o->cwd = "";
	o->nreports = p->n;
	for (size_t i = 0; i < p->diags.n; i++) {
		const struct diag *d = &p->diags.p[i];
		struct place at = { d->file, d->line, d->column, d->path };

		diag_add(&o->diags, d->severity, d->code, &at, "%s", d->text);
	}
	return o;
}

struct tl_outcome *outcome_new(struct tl_hooks *h, const struct plan *p)
{
	struct tl_outcome *o = outcome_bare(p);

	o->hooks = hooks_ref(h);
	o->reports = arena_raw(&o->arena, p->n * sizeof *o->reports);
	for (size_t i = 0; i < p->n; i++) {
		o->reports[i] = report_new(p, i);
		/* The plan may be forgotten before the outcome is. */
		if (p->whys && p->whys[i])
			o->reports[i].why = arena_z(&o->arena, str_from(p->whys[i]));
	}
	return o;
}

struct tl_outcome *outcome_of_plan(struct tl_hooks *h, const struct plan *p)
{
	struct tl_outcome *o;

	if (p->nrun)
		return NULL;
	o = outcome_bare(p);
	o->hooks = h;
	o->plan = p;
	return o;
}

struct report outcome_report(const struct tl_outcome *o, size_t i)
{
	return o->plan ? report_new(o->plan, i) : o->reports[i];
}

void outcome_describe(struct tl_outcome *o, const struct firing *f)
{
	const struct tl_event *in = &f->in;

	o->subject = arena_z(&o->arena, str_from(in->subject));
	o->session_id = arena_z(&o->arena, str_from(f->session_id));
	o->turn_id = arena_z(&o->arena, str_from(in->turn_id));
	o->agent = arena_z(&o->arena, str_from(in->agent_type));
	o->cwd = arena_z(&o->arena, str_from(f->cwd));
	o->seq = in->seq;
}

void outcome_destroy(struct tl_outcome *o)
{
	if (!o)
		return;
	diags_done(&o->diags);
	arena_done(&o->arena);
	free(o);
}

void tl_outcome_free(struct tl_outcome *o)
{
	API_WHOLE;
	struct tl_hooks *h;

	if (!o)
		return;
	h = o->hooks;
	if (!o->plan)
		outcome_destroy(o);
	hooks_unref(h);
}

enum tl_verdict tl_outcome_verdict(const struct tl_outcome *o)
{
	return o->verdict;
}

int tl_outcome_stopped(const struct tl_outcome *o)
{
	return o->stop;
}

const char *tl_outcome_reason(const struct tl_outcome *o)
{
	return o->reason.p;
}

const char *tl_outcome_stop_reason(const struct tl_outcome *o)
{
	return o->stop_reason.p;
}

const char *tl_outcome_message(const struct tl_outcome *o)
{
	return o->message.p;
}

const char *tl_outcome_context(const struct tl_outcome *o)
{
	return o->context.p;
}

const char *tl_outcome_wrapped_context(const struct tl_outcome *o)
{
	return o->wrapped.p;
}

const char *tl_outcome_change(const struct tl_outcome *o, enum tl_change which)
{
	return (size_t)which < CHANGES ? o->change[which].p : NULL;
}

int tl_outcome_changed_by(const struct tl_outcome *o, enum tl_change which)
{
	return (size_t)which < CHANGES ? o->changed_by[which] : -1;
}

const char *tl_outcome_terminal_sequence(const struct tl_outcome *o)
{
	return o->terminal.p;
}

int tl_outcome_clear_context(const struct tl_outcome *o)
{
	return o->clear_context;
}

int tl_outcome_suppressed(const struct tl_outcome *o)
{
	return o->suppressed;
}

int tl_outcome_approved(const struct tl_outcome *o)
{
	return o->approved;
}

size_t tl_outcome_report_count(const struct tl_outcome *o)
{
	return o->nreports;
}

size_t tl_outcome_diagnostic_count(const struct tl_outcome *o)
{
	return o->diags.n;
}

int tl_outcome_diagnostic_get(const struct tl_outcome *o, size_t i, struct tl_diagnostic *d)
{
	return diag_get(&o->diags, i, d);
}

int tl_outcome_report_get(const struct tl_outcome *o, size_t i, struct tl_report *ret)
{
	if (i >= o->nreports)
		return -TL_E_NOTFOUND;
	const struct report r = outcome_report(o, i);
	const struct reply *y = &r.reply;
	bool hidden = y->suppress && y->verdict < TL_VERDICT_ASK;
	struct tl_report full = {
		.hook = &o->hooks->infos[r.hook->index],
		.state = r.state,
		.why = r.why,
		.how = y->how,
		.verdict = y->verdict,
		.stopped = y->stop,
		.exit_code = y->exit_code,
		.signal = y->signal,
		.elapsed_us = y->elapsed_us,
		.warm = y->warm,
		.reason = y->stop ? y->stop_reason.p : y->reason.p,
		.said = y->said.p ? y->said.p : "",
		.message = y->message.n && !hidden ? y->message.p : y->warning.p,
		.output = hidden ? "" : y->out.p,
		.errors = hidden ? "" : y->err.p,
		.output_length = hidden ? 0 : y->out.n,
		.errors_length = hidden ? 0 : y->err.n,
	};
	if (r.saw.p)
		full.saw = (struct tl_field){ r.hook->event->chained, r.saw.p, r.saw.n };
	api_copy_out(ret, &full, sizeof full);
	return 0;
}
