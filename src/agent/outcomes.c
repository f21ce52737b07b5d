/* What goes into a firing and what comes back: fields; who decided what, and what is changed. */
#include "agent/session_impl.h"
#include "base/utf8.h"

/* Of a hook's name: the end of a long command tells it from the others. */
enum { NAME_CHARS = 60, NAME_HEAD_CHARS = 15 };

struct tl_field field_raw(const char *name, struct str text)
{
	return (struct tl_field){ name, text.p, text.n };
}

struct tl_field field_json(struct arena *a, const char *name, const struct json *v)
{
	return field_raw(name, json_text(a, v, JSON_COMPACT));
}

struct tl_field field_str(struct arena *a, const char *name, struct str v)
{
	return field_json(a, name, json_new_str(a, v));
}

enum end outcome_end(const struct tl_outcome *o)
{
	if (!o)
		return END_CANCELLED;
	if (tl_outcome_stopped(o))
		return END_STOPPED;
	return tl_outcome_verdict(o) >= TL_VERDICT_ASK ? END_BLOCKED : END_DONE;
}

static struct str shown_name(struct arena *a, const struct tl_hook *hook)
{
	return utf8_without_middle(a, str_from(hook->name), NAME_HEAD_CHARS, NAME_CHARS);
}

void outcome_add_said(struct buf *out, const struct tl_report *r)
{
	AUTO(arena_done) struct arena a = { 0 };

	buf_addz(out, out->n ? "\n" : "");
	utf8_add_uncoloured(out, str_from(r->said));
	buf_addf(out, " [%.*s]", STR_ARG(shown_name(&a, r->hook)));
}

const char *outcome_said(struct arena *a, const struct tl_outcome *o)
{
	AUTO(buf_done) struct buf all = { 0 };
	struct tl_report r = TL_REPORT_INIT();

	for (size_t i = 0; i < tl_outcome_report_count(o); i++)
		if (tl_outcome_report_get(o, i, &r) == 0 && r.state == TL_STATE_RAN &&
		    !r.hook->observe && *r.said &&
		    (r.stopped || r.verdict == tl_outcome_verdict(o)))
			outcome_add_said(&all, &r);
	if (!all.n)
		buf_addz(&all,
			 tl_outcome_stopped(o) ? tl_outcome_stop_reason(o) : tl_outcome_reason(o));
	return arena_str(a, buf_str(&all)).p;
}

const char *outcome_names(struct arena *a, const struct tl_outcome *o)
{
	AUTO(buf_done) struct buf all = { 0 };
	struct tl_report r = TL_REPORT_INIT();

	for (size_t i = 0; o && i < tl_outcome_report_count(o); i++)
		if (tl_outcome_report_get(o, i, &r) == 0 && r.state == TL_STATE_RAN &&
		    !r.hook->observe &&
		    (tl_outcome_stopped(o) ? r.stopped : r.verdict == tl_outcome_verdict(o)))
			buf_addf(&all, "%s%.*s", all.n ? ", " : "", STR_ARG(shown_name(a, r.hook)));
	return arena_str(a, buf_str(&all)).p;
}

enum end hooks_said_and(struct session *s, const struct tl_outcome *o, const char *what_next)
{
	AUTO(arena_done) struct arena a = { 0 };
	enum end end = outcome_end(o);
	bool stopped = end == END_STOPPED;

	if (end != END_STOPPED && end != END_BLOCKED)
		return end;
	if (!stopped && tl_outcome_verdict(o) == TL_VERDICT_ASK)
		what_next = " (a hook wants the user to be asked, which is possible only before a "
			    "tool call)";
	session_note(s, stopped ? NOTE_STOPPED : NOTE_BLOCKED, "Agent execution %s: %s%s",
		     stopped ? "stopped" : "blocked", outcome_said(&a, o),
		     stopped ? "" : what_next);
	return end;
}

enum end hooks_said(struct session *s, const struct tl_outcome *o)
{
	return hooks_said_and(s, o, "");
}

static bool guard_said(const struct tl_outcome *o, enum tl_verdict at_least)
{
	struct tl_report r = TL_REPORT_INIT();

	for (size_t i = 0; i < tl_outcome_report_count(o); i++)
		if (tl_outcome_report_get(o, i, &r) == 0 && r.state == TL_STATE_RAN &&
		    r.hook->guard && !r.hook->observe && r.verdict >= at_least)
			return true;
	return false;
}

bool outcome_is_guarded(const struct tl_outcome *o)
{
	return guard_said(o, TL_VERDICT_NONE);
}

bool outcome_guard_asks(const struct tl_outcome *o)
{
	return guard_said(o, TL_VERDICT_ASK);
}

const char *outcome_changer(struct arena *a, const struct tl_outcome *o, enum tl_change which)
{
	struct tl_report r = TL_REPORT_INIT();
	int i = tl_outcome_changed_by(o, which);

	if (i < 0 || tl_outcome_report_get(o, (size_t)i, &r) < 0)
		return "a hook";
	return arena_z(a, str_from(r.hook->name));
}

const struct json *outcome_change(struct arena *a, const struct tl_outcome *o, enum tl_change which)
{
	const char *text = tl_outcome_change(o, which);
	const struct json *v = NULL;

	if (text)
		(void)json_parse(a, str_from(text), 0, &v, NULL);
	return v;
}
