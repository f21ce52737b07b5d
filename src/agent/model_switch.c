/* The user changes the model: PreModelSwitch may deny it or ask, PostModelSwitch adds context. */
#include "agent/session_impl.h"
#include "model/alias.h"

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

/* (waits) Do all hooks agree, or does the user where one of them asks? */
static bool is_allowed(struct session *s, const char *to, const char *requested, struct err *err)
{
	static const char *const options[] = { "Change the model", "Keep the model", NULL };
	AUTO(free) char *title = xasprintf("Change the model to %s?", to);
	struct tl_outcome *o = fire(s, "PreModelSwitch", s->o.model, to, requested);
	enum end end = outcome_end(o);
	bool allowed = end == END_DONE;

	if (!allowed)
		(void)err_set(err, E_UNTRUSTED, "The model stays %s: %s", s->o.model,
			      end == END_BLOCKED   ? tl_outcome_reason(o)
			      : end == END_STOPPED ? tl_outcome_stop_reason(o)
						   : "the hooks were cancelled");
	if (end == END_BLOCKED && tl_outcome_verdict(o) == TL_VERDICT_ASK && s->o.sink.ask) {
		struct question q = { .options = options,
				      .title = str_from(title),
				      .body = str_from(tl_outcome_reason(o)) };

		allowed = s->o.sink.ask(s->o.sink.data, &q) == 0;
		free(q.text);
	}
	tl_outcome_free(o);
	return allowed;
}

int session_switch_model(struct session *s, const char *requested, struct err *err)
{
	AUTO(free) char *from = xstrdup(s->o.model);
	AUTO(free) char *to =
		xstrdup(s->o.take_provider->foreign ? requested : model_alias(requested));
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
