/*
 * TaskCreated and TaskCompleted: what is new in the model's list of todos.  They fire before
 * write_todos runs, when nothing else is against the call, so that a hook which refuses one keeps
 * the list as it is.  A todo is known by its text.
 */
#include "agent/call.h"
#include "base/vec.h"
#include "tools/registry.h"

void todos_done(struct todos *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->p[i].text);
	free(list->p);
	*list = (struct todos){ 0 };
}

static const struct todo *find(const struct todos *list, struct str text)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eqz(text, list->p[i].text))
			return &list->p[i];
	return NULL;
}

static struct str text_of(const struct json *todo)
{
	return str_trim(json_get_str(todo, "description"));
}

static bool is_done(const struct json *todo)
{
	return str_eqz(json_get_str(todo, "status"), "completed");
}

/* (waits) False when a hook refused it, and the call is over. */
static bool fire(struct turn *t, struct call *c, const char *event, unsigned id, struct str text)
{
	struct fire_args args = { .event = event, .turn_id = t->id, .nfields = 2 };
	struct tl_field fields[2];
	struct tl_outcome *o;
	enum end end;

	if (!session_wants_this(t->s, &args))
		return true;
	fields[0] = field_str(&c->arena, "task_id", arena_printf(&c->arena, "%u", id));
	fields[1] = field_str(&c->arena, "task_subject", tool_clean(&c->arena, text));
	args.fields = fields;
	o = session_fire(t->s, &args);
	end = outcome_end(o);
	if (end == END_CANCELLED)
		call_cancelled(c);
	else if (end != END_DONE)
		call_fail(c, "policy_violation", "%s of \"%.*s\" was refused by a hook: %s", event,
			  (int)min_size(text.n, 200), text.p, outcome_said(&c->arena, o));
	tl_outcome_free(o);
	return end == END_DONE;
}

void todos_judge(struct turn *t, struct call *c)
{
	const struct todos *before = &t->s->todos;
	const struct json *todos = json_getz(c->args, "todos"), *todo;
	unsigned id = before->last;

	if (c->state != CALL_READY || c->tool != &tool_write_todos)
		return;
	for (size_t i = 0; (todo = json_at(todos, i)); i++) {
		const struct todo *known = find(before, text_of(todo));
		unsigned number = known ? known->id : ++id;

		if (!known && !fire(t, c, "TaskCreated", number, text_of(todo)))
			return;
		if (is_done(todo) && !(known && known->done) &&
		    !fire(t, c, "TaskCompleted", number, text_of(todo)))
			return;
	}
}

void todos_keep(struct session *s, const struct call *c)
{
	const struct json *todos = json_getz(c->args, "todos"), *todo;
	struct todos now = { .last = s->todos.last };

	if (c->tool != &tool_write_todos || c->result.error_type)
		return;
	for (size_t i = 0; (todo = json_at(todos, i)); i++) {
		struct str text = text_of(todo);
		const struct todo *known = find(&s->todos, text);

		*VEC_ADD(&now) = (struct todo){ .text = xstrndup(text.p, text.n),
						.id = known ? known->id : ++now.last,
						.done = is_done(todo) };
	}
	todos_done(&s->todos);
	s->todos = now;
}
