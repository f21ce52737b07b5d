/* The user changes the model: PreModelSwitch may deny it or ask, PostModelSwitch adds context. */
#include "agent/session_impl.h"
#include "model/alias.h"

static const char *name_of(const struct session *s, const char *model)
{
	return s->o.take_provider->foreign ? model : model_alias(model);
}

static struct tl_outcome *fire(struct session *s, const char *event, const char *from,
			       const char *to, const char *requested)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_field fields[] = {
		field_str(&a, "from_model", str_from(from)),
		field_str(&a, "requested_model", str_from(requested)),
		field_str(&a, "source", STR("command")),
		field_json(&a, "context_tokens", json_new_int(&a, s->prompt_tokens)),
	};

	return session_fire(s, &(struct fire_args){ .event = event,
						    .subject = to,
						    .fields = fields,
						    .nfields = ARRAY_LEN(fields) });
}

static bool user_agrees(struct session *s, const char *to, const struct tl_outcome *o)
{
	static const char *const options[] = { "Change the model", "Keep the model", NULL };
	AUTO(free) char *title = xasprintf("Change the model to %s?", to);
	struct question q = { .options = options,
			      .title = str_from(title),
			      .body = str_from(tl_outcome_reason(o)) };
	int chosen = s->o.sink.ask ? s->o.sink.ask(s->o.sink.data, &q) : -1;

	free(q.text);
	return chosen == 0;
}

/* (waits) Do all hooks agree? */
static bool is_allowed(struct session *s, const char *to, const char *requested, struct err *err)
{
	struct tl_outcome *o = fire(s, "PreModelSwitch", s->o.model, to, requested);
	enum end end = outcome_end(o);
	bool allowed = end == END_DONE;

	if (!allowed)
		(void)err_set(err, E_UNTRUSTED, "The model stays %s: %s", s->o.model,
			      end == END_BLOCKED   ? tl_outcome_reason(o)
			      : end == END_STOPPED ? tl_outcome_stop_reason(o)
						   : "the hooks were cancelled");
	if (end == END_BLOCKED && tl_outcome_verdict(o) == TL_VERDICT_ASK)
		allowed = user_agrees(s, to, o);
	tl_outcome_free(o);
	return allowed;
}

int session_switch_model(struct session *s, const char *requested, struct err *err)
{
	AUTO(free) char *from = xstrdup(s->o.model);
	AUTO(free) char *to = xstrdup(name_of(s, requested));
	struct tl_outcome *o;

	if (strcmp(from, to) == 0) {
		session_set_model(s, requested);
		return 0;
	}
	if (session_wants(s, "PreModelSwitch", to) && !is_allowed(s, to, requested, err))
		return -E_UNTRUSTED;
	session_set_model(s, requested);
	if (!session_wants(s, "PostModelSwitch", to))
		return 0;
	o = fire(s, "PostModelSwitch", from, to, requested);
	if (o)
		buf_addz(&s->start_context, tl_outcome_wrapped_context(o));
	tl_outcome_free(o);
	return 0;
}
