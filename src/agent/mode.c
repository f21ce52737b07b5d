/* The approval mode: changing it, and what the model is told of it. */
#include "agent/session_impl.h"
#include "agent/tell.h"
#include "os/clock.h"

/* The system instruction, by the mode. */
void session_set_system(struct session *s)
{
	struct arena *a = &s->arena;
	bool plans = s->o.mode == MODE_PLAN && s->plans_dir;
	struct str more = plans ? context_plan_mode(a, s->plans_dir, s->o.interactive) : STR("");
	struct str text = arena_printf(a, "%.*s%.*s", STR_ARG(s->instruction), STR_ARG(more));

	s->system = json_with_text(a, content_new(a, "user", text_parts(a, text)));
}

void session_set_mode(struct session *s, enum approval_mode mode, struct policy *policy)
{
	const char *before = mode_name(s->o.mode);
	int64_t now = clock_us();
	bool changes = s->o.mode != mode;

	s->o.mode = mode;
	s->o.policy = policy;
	policy_set_agent(policy, s->agent ? s->agent->name : NULL);
	session_set_system(s);
	if (!changes)
		return;
	s->tools.plan_from = NULL;
	tell_mode(s, before, (double)(now - s->mode_since_us) / 1000);
	s->mode_since_us = now;
	if (s->o.sink.mode)
		s->o.sink.mode(s->o.sink.data, mode);
}

int session_take_mode(struct session *s, const char *name, struct err *err)
{
	const char *before = mode_name(s->o.mode);
	int r = s->o.change_mode(s->o.change_data, s, name, err);

	if (r == 0 && s->o.mode == MODE_PLAN)
		s->tools.plan_from = before;
	return r;
}
