/* SessionStart and SessionEnd: their hooks, and the context that the former gives. */
#include "agent/session_impl.h"
#include "agent/tell.h"
#include "os/clock.h"

void session_start(struct session *s, const char *source)
{
	struct fire_args args = { .event = "SessionStart", .subject = source };
	bool goes_on = strcmp(source, "compact") == 0;
	struct tl_outcome *o = NULL;
	struct err err;

	s->ended = false;
	/* No reason not to start: scripts test for CLAUDE_ENV_FILE. */
	if (hook_env_begin(&s->hook_env, s->o.hooks, goes_on, &s->tools, &args.env_file, &err) < 0)
		session_note(s, NOTE_WARNING, "Hooks cannot set up the shell: %s", err.text);
	if (session_wants_this(s, &args))
		o = session_fire(s, &args);
	if (hook_env_end(&s->hook_env, &s->tools, o != NULL, &err) < 0)
		session_note(s, NOTE_WARNING,
			     "What hooks wrote to CLAUDE_ENV_FILE does not count: %s", err.text);
	if (!o)
		return;
	buf_addz(&s->start_context, tl_outcome_wrapped_context(o));
	tl_outcome_free(o);
}

bool session_has_context(const struct session *s)
{
	return s->start_context.n > 0;
}

void session_fire_last(struct session *s, const char *reason)
{
	int left;

	if (s->ended)
		return;
	s->ended = true;
	session_announce(s, &(struct fire_args){ .event = "SessionEnd", .subject = reason });
	left = session_asides_finish(s, clock_end_wait());
	if (s->end_lost)
		session_fire_end(s, reason, clock_end_wait());
	s->end_lost = false;
	tl_hooks_end_session(s->o.hooks, s->id);
	if (left)
		session_note(s, NOTE_INFO,
			     "Hooks of the session's end go on by themselves; their record will be "
			     "in ~/.trotline/records.jsonl");
}

void session_end(struct session *s, const char *reason)
{
	bool first = !s->ended;

	session_fire_last(s, reason);
	if (first)
		tell_finished(s);
	session_check(s);
}

void session_idle(struct session *s)
{
	struct tl_field fields[] = { field_raw("stop_reason", STR("\"response_complete\"")),
				     field_raw("session_duration", STR("\"\"")) };

	session_announce(s, &(struct fire_args){ .event = "Stop",
						 .fields = fields,
						 .nfields = ARRAY_LEN(fields) });
}

struct str session_context_once(struct session *s, struct arena *a)
{
	struct str context;

	if (s->start_context.n && s->o.interactive) {
		const struct json *parts = text_parts(a, buf_str(&s->start_context));

		/* It stands by itself, as if the user had said it before. */
		(void)history_add(s, content_new(a, "user", parts));
		transcript_user(s->transcript, parts, NULL);
		buf_clear(&s->start_context);
	}
	context = arena_str(a, buf_str(&s->start_context));
	buf_clear(&s->start_context);
	return context;
}
