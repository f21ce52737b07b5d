/* Firing hooks from a session: base fields, what the user sees of them, telemetry. */
#include <stdarg.h>

#include "agent/session_impl.h"

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

void session_note(struct session *s, enum note_kind kind, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = {0};
	va_list ap;

	va_start(ap, fmt);
	(void)buf_vaddf(&text, fmt, ap);
	va_end(ap);
	s->o.sink.note(s->o.sink.data, kind, buf_str(&text));
}

void session_note_end(struct session *s, enum note_kind kind, const struct tl_outcome *o)
{
	const char *message = tl_outcome_message(o);
	const char *reason =
		kind == NOTE_STOPPED ? tl_outcome_stop_reason(o) : tl_outcome_reason(o);

	session_note(s, kind, "Agent execution %s: %s",
		     kind == NOTE_STOPPED ? "stopped" : "blocked", *message ? message : reason);
}

static const char *mode_name(enum approval_mode mode)
{
	static const char *const names[] = { "default", "auto_edit", "yolo", "plan" };

	return names[mode];
}

static struct tl_event event_of(struct session *s, const struct fire_args *args)
{
	return (struct tl_event){
		.size = sizeof(struct tl_event),
		.name = args->event,
		.subject = args->subject,
		.session_id = s->id,
		.transcript_path = transcript_path(s->transcript),
		.cwd = s->o.cwd,
		.turn_id = args->turn_id,
		.tool_call_id = args->call_id,
		.permission_mode = mode_name(s->o.mode),
		.failed = args->failed,
		.fields = args->fields,
		.nfields = args->nfields,
	};
}

bool session_wants(struct session *s, const char *event, const char *subject)
{
	struct fire_args args = { .event = event, .subject = subject };
	struct tl_event e = event_of(s, &args);

	return tl_wants(s->o.hooks, &e);
}

/* ---- what the user sees ---- */

static bool has_failed(const struct tl_report *r)
{
	return r->state == TL_STATE_RAN && r->how >= TL_CLASS_WARNED &&
	       r->how != TL_CLASS_CANCELLED;
}

static void show_failures(struct session *s, const struct fire_args *args,
			  const struct tl_outcome *o)
{
	AUTO(buf_done) struct buf names = {0};

	for (size_t i = 0; i < tl_outcome_reports(o); i++) {
		struct tl_report r = { .size = sizeof r };

		(void)tl_outcome_report(o, i, &r);
		if (!has_failed(&r))
			continue;
		(void)buf_addf(&names, "%s%s", names.n ? ", " : "", r.hook.name);
		session_note(s, NOTE_WARNING, "%s", r.message);
	}
	if (names.n)
		session_note(s, NOTE_WARNING, "Hook(s) [%s] failed for event %s.", buf_z(&names),
			     args->event);
}

/* ---- telemetry (host.md J5) ---- */

/* The payload as the hook got it, for the record. */
static const struct json *payload_json(struct session *s, struct arena *a,
				       const struct fire_args *args)
{
	const struct json *v = json_new_obj(a), *field;

	v = json_set(a, v, STR("session_id"), json_new_str(a, str_from(s->id)));
	v = json_set(a, v, STR("hook_event_name"), json_new_str(a, str_from(args->event)));
	v = json_set(a, v, STR("cwd"), json_new_str(a, str_from(s->o.cwd)));
	for (size_t i = 0; i < args->nfields; i++) {
		const struct tl_field *f = &args->fields[i];

		if (json_parse(a, (struct str){ f->json, f->length }, 0, &field, NULL) == 0)
			v = json_set(a, v, str_from(f->name), field);
	}
	return v;
}

/* Without prompts only the program's name is told: /a/b/check.sh --x is check.sh. */
static struct str hook_name(struct session *s, struct str name)
{
	struct str rest = name, word = name;

	if (telemetry_prompts(s->o.telemetry))
		return name;
	(void)str_split(&rest, ' ', &word);
	for (size_t i = word.n; i > 0; i--)
		if (word.p[i - 1] == '/')
			return str_sub(word, i, word.n);
	return word.n ? word : STR("unknown-command");
}

static const struct json *put_str(struct arena *a, const struct json *obj, const char *key,
				  struct str v)
{
	return json_set(a, obj, str_from(key), json_new_str(a, v));
}

static void record_report(struct session *s, const struct fire_args *args,
			  const struct tl_report *r)
{
	AUTO(arena_done) struct arena a = {0};
	const struct json *at = json_new_obj(&a), *out;
	struct str name = hook_name(s, str_from(r->hook.name));
	struct str printed = { r->output, r->output_length };
	bool ok = r->exit_code == 0;

	at = put_str(&a, at, "hook_event_name", str_from(args->event));
	at = put_str(&a, at, "hook_type", *r->hook.command ? STR("command") : STR("runtime"));
	at = put_str(&a, at, "hook_name", name);
	at = json_set(&a, at, STR("duration_ms"),
		      json_new_num(&a, (double)r->elapsed_us / 1000));
	at = json_set(&a, at, STR("success"), json_new_bool(&a, ok));
	if (r->exit_code >= 0)
		at = json_set(&a, at, STR("exit_code"), json_new_int(&a, r->exit_code));
	if (telemetry_prompts(s->o.telemetry)) {
		at = put_str(&a, at, "hook_input",
			     json_text(&a, payload_json(s, &a, args), JSON_PRETTY));
		at = put_str(&a, at, "hook_output",
			     json_parse(&a, printed, 0, &out, NULL) == 0
				     ? json_text(&a, out, JSON_PRETTY)
				     : printed);
		at = put_str(&a, at, "stdout", printed);
		at = put_str(&a, at, "stderr", (struct str){ r->errors, r->errors_length });
	}
	if (has_failed(r))
		at = put_str(&a, at, "error", str_from(r->message));
	AUTO(free) char *body = xasprintf("Hook call %s.%.*s %s in %.0fms", args->event,
					  STR_ARG(name), ok ? "succeeded" : "failed",
					  (double)r->elapsed_us / 1000);
	telemetry_event(s->o.telemetry, "hook_call", body, at);
	at = json_new_obj(&a);
	at = put_str(&a, at, "hook_event_name", str_from(args->event));
	at = put_str(&a, at, "hook_name", name);
	at = json_set(&a, at, STR("success"), json_new_bool(&a, ok));
	telemetry_count(s->o.telemetry, "hook_call.count", 1, at);
	telemetry_measure(s->o.telemetry, "hook_call.latency", (double)r->elapsed_us / 1000, "ms",
			  at);
}

static void record(struct session *s, const struct fire_args *args, const struct tl_outcome *o)
{
	if (!telemetry_on(s->o.telemetry))
		return;
	for (size_t i = 0; i < tl_outcome_reports(o); i++) {
		struct tl_report r = { .size = sizeof r };

		(void)tl_outcome_report(o, i, &r);
		if (r.state == TL_STATE_RAN)
			record_report(s, args, &r);
	}
}

struct tl_outcome *session_fire(struct session *s, const struct fire_args *args)
{
	struct tl_event e = event_of(s, args);
	struct tl_outcome *o = NULL;

	e.seq = ++s->seq;
	if (s->o.sink.waiting && tl_wants(s->o.hooks, &e))
		s->o.sink.waiting(s->o.sink.data, args->event);
	if (tl_fire(s->o.hooks, &e, s->hook_cancel, &o, NULL) < 0)
		return NULL;
	if (s->o.sink.waiting)
		s->o.sink.waiting(s->o.sink.data, NULL);
	record(s, args, o);
	show_failures(s, args, o);
	if (*tl_outcome_message(o) && !tl_outcome_suppressed(o))
		session_note(s, NOTE_HOOK_MESSAGE, "%s", tl_outcome_message(o));
	return o;
}
