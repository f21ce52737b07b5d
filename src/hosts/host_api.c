/* Other agents' hook protocols for programs that link the library. */
#include "hooks/api.h"
#include "hooks/config.h"
#include "hosts/answer.h"
#include "hosts/concern.h"

/* The texts end with NUL and live in the arena. */
struct tl_host_answer {
	struct arena arena;
	const char *out, *err;
	int status;
	bool denied;
};

size_t tl_host_count(void)
{
	return hosts_n;
}

int tl_host_get(size_t i, struct tl_host_info *ret_info)
{
	if (!api_has(ret_info, sizeof *ret_info))
		return -TL_E_INVAL;
	if (i >= hosts_n)
		return -TL_E_NOTFOUND;
	const struct tl_host_info info = { .size = sizeof info,
					   .name = hosts[i]->name,
					   .title = hosts[i]->title,
					   .timeout_ms = hosts[i]->timeout_ms };

	api_copy_out(ret_info, &info, sizeof info);
	return 0;
}

/* Asks about one event after the other until one is denied. */
static int ask(struct host_call *c, struct tl_hooks *hooks, struct tl_cancel *cancel,
	       struct host_answer *ret, struct tl_err *err)
{
	struct tl_outcome **outcomes = ARENA_ARRAY(&c->arena, struct tl_outcome *, c->n + 1);
	size_t n = 0;
	int r = 0;

	*ret = (struct host_answer){ 0 };
	while (n < c->n && !ret->denied) {
		r = tl_fire(hooks, &c->events[n], cancel, &outcomes[n], err);
		if (r < 0)
			break;
		n++;
		host_answer(c, outcomes, n, ret);
	}
	if (r == 0 && n == 0)
		host_answer(c, NULL, 0, ret);
	/* They hold texts that the answer shows. */
	ret->out = arena_str(&c->arena, ret->out);
	ret->err = arena_str(&c->arena, ret->err);
	for (size_t i = 0; i < n; i++)
		tl_outcome_free(outcomes[i]);
	return r;
}

int tl_host_fire(struct tl_hooks *hooks, const char *agent, const char *event, const char *payload,
		 size_t length, struct tl_cancel *cancel, struct tl_host_answer **ret_answer,
		 struct tl_err *ret_err)
{
	API_WHOLE;
	const struct host *h = agent ? host_find(str_from(agent)) : NULL;
	struct host_call c = { .host = h };
	struct tl_host_answer *answer;
	struct host_answer said;
	struct tl_err problem;
	struct err err;
	int r;

	if (!hooks || !h || !payload || !ret_answer)
		return api_err(ret_err, &err,
			       err_set(&err, E_INVAL,
				       "tl_host_fire() needs hooks, an agent that "
				       "tl_host_get() names, a payload and an answer"));
	c.env = hooks->env;
	r = host_call_read(&c, h, event, (struct str){ payload, length ? length : strlen(payload) },
			   &err);
	if (r < 0)
		r = api_err(&problem, &err, r);
	else if ((r = host_check_whole(&c, hooks, &err)) < 0)
		r = api_err(&problem, &err, r);
	else
		r = ask(&c, hooks, cancel, &said, &problem);
	if (r < 0) {
		host_deny(&c, arena_printf(&c.arena, "trotline: %s", problem.text), &said);
		if (ret_err)
			*ret_err = problem;
	}
	answer = xcalloc(1, sizeof *answer);
	answer->out = arena_z(&c.arena, said.out);
	answer->err = arena_z(&c.arena, said.err);
	answer->status = said.status;
	answer->denied = said.denied;
	answer->arena = c.arena;
	*ret_answer = answer;
	return r;
}

const char *tl_host_answer_out(const struct tl_host_answer *answer)
{
	return answer->out;
}

const char *tl_host_answer_err(const struct tl_host_answer *answer)
{
	return answer->err;
}

int tl_host_answer_status(const struct tl_host_answer *answer)
{
	return answer->status;
}

int tl_host_answer_denied(const struct tl_host_answer *answer)
{
	return answer->denied;
}

void tl_host_answer_free(struct tl_host_answer *answer)
{
	if (!answer)
		return;
	arena_done(&answer->arena);
	free(answer);
}
