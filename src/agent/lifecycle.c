/* SessionStart and SessionEnd: their hooks, and the context that the former gives. */
#include "agent/session_impl.h"
#include "agent/tell.h"
#include "base/path.h"
#include "os/clock.h"

void session_forget_loaded(struct session *s)
{
	for (size_t i = 0; i < s->loaded.n; i++) {
		free(s->loaded.p[i].path);
		free(s->loaded.p[i].parent);
	}
	s->loaded.n = 0;
}

void session_tell_loaded(struct session *s, const char *reason, const char *trigger)
{
	AUTO(free) char *own = xasprintf("%s/.gemini", s->o.home ? s->o.home : "");

	for (size_t i = 0; i < s->loaded.n; i++) {
		const struct loaded *file = &s->loaded.p[i];
		struct fire_args args = { .event = "InstructionsLoaded",
					  .subject = file->parent ? "include" : reason,
					  .turn_id = s->turn ? s->turn->id : NULL };
		AUTO(arena_done) struct arena a = { 0 };
		struct tl_field fields[4];
		size_t n = 0;

		if (!session_wants_this(s, &args))
			continue;
		fields[n++] = field_str(&a, "file_path", str_from(file->path));
		fields[n++] = field_str(&a, "memory_type",
					path_below(own, file->path) ? STR("User") : STR("Project"));
		if (trigger)
			fields[n++] = field_str(&a, "trigger_file_path", str_from(trigger));
		if (file->parent)
			fields[n++] = field_str(&a, "parent_file_path", str_from(file->parent));
		args.fields = fields;
		args.nfields = n;
		tl_outcome_free(session_fire(s, &args));
	}
	session_forget_loaded(s);
}

/* (waits) What a run with --init or --maintenance is for. */
static bool setup(struct session *s, const char *env_file)
{
	struct fire_args args = { .event = "Setup", .subject = s->o.setup, .env_file = env_file };
	struct tl_outcome *o;

	if (!s->o.setup || !session_wants_this(s, &args))
		return false;
	o = session_fire(s, &args);
	s->o.setup = NULL;
	if (o)
		buf_addz(&s->start_context, tl_outcome_wrapped_context(o));
	tl_outcome_free(o);
	return o;
}

void session_start(struct session *s, const char *source)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_field fields[3] = { field_str(&a, "model", str_from(s->o.model)) };
	struct fire_args args = {
		.event = "SessionStart", .subject = source, .fields = fields, .nfields = 1
	};
	int64_t answered = transcript_answered_ms(s->transcript);
	struct tl_settings hooks = TL_SETTINGS_INIT();
	bool goes_on = strcmp(source, "compact") == 0, prepared;
	struct tl_outcome *o = NULL;
	struct err err;

	if (strcmp(source, "resume") == 0 && answered) {
		fields[args.nfields++] =
			field_json(&a, "context_tokens", json_new_int(&a, s->prompt_tokens));
		fields[args.nfields++] =
			field_json(&a, "seconds_since_last_response",
				   json_new_int(&a, (clock_wall_ms() - answered) / 1000));
	}
	s->ended = false;
	tl_hooks_settings(session_hooks(s), &hooks);
	s->woken.left = hooks.max_retries;
	session_keep_claude_log(s);
	/* No reason not to start: scripts test for CLAUDE_ENV_FILE. */
	if (hook_env_begin(&s->hook_env, session_hooks(s), goes_on, &s->tools, &args.env_file,
			   &err) < 0)
		session_note(s, NOTE_WARNING, "Hooks cannot set up the shell: %s", err.text);
	prepared = setup(s, args.env_file);
	if (session_wants_this(s, &args))
		o = session_fire(s, &args);
	if (hook_env_end(&s->hook_env, &s->tools, o || prepared, &err) < 0)
		session_note(s, NOTE_WARNING,
			     "What hooks wrote to CLAUDE_ENV_FILE does not count: %s", err.text);
	if (o) {
		buf_addz(&s->start_context, tl_outcome_wrapped_context(o));
		s->start_stopped = hooks_said(s, o) == END_STOPPED;
	}
	session_watch(s);
	session_watch_paths(s, o);
	tl_outcome_free(o);
	session_tell_loaded(s, "session_start", NULL);
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
	tl_hooks_end_session(session_hooks(s), s->id);
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

		/* It is a message of its own, as if the user had said it before. */
		(void)history_add(s, content_new(a, "user", parts));
		transcript_user(s->transcript, parts, NULL, false);
		buf_clear(&s->start_context);
	}
	context = arena_str(a, buf_str(&s->start_context));
	buf_clear(&s->start_context);
	return context;
}
