/*
 * What an MCP server asks the user in the middle of a call: the Notification hook, a question a
 * field, and a last look at what is sent.  An address is shown whole before it is opened.
 */
#include "agent/session_impl.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "mcp/elicit.h"
#include "net/url.h"
#include "os/browser.h"

enum { LABEL_CHARS = 100 };

struct form {
	struct session *s;
	const char *server;
	const struct elicit *e;
	struct arena *a;
	const struct json *content;
	bool guarded; /* the call */
};

/* What the server says, in a line that asks nobody: no guard of the call has seen it (C4.8). */
static const char *shown(struct form *f, const char *before, const char *text, const char *after)
{
	return f->guarded ? "" : arena_printf(f->a, "%s%.200s%s", before, text, after).p;
}

static int ask(struct session *s, struct question *q)
{
	return s->o.sink.ask(s->o.sink.data, q);
}

/* ---- a form ---- */

/* The options of a field, what each of them means, and what is above them. */
struct choice {
	const char *label;
	const struct json *value; /* NULL: nothing is said, or it is typed */
	bool typed, declines;
};

struct choices {
	struct choice *p;
	size_t n, cap;
};

static void add_choice(struct choices *list, struct choice c)
{
	*VEC_ADD(list) = c;
}

static const char *label_of(struct form *f, const char *text)
{
	return arena_z(f->a, utf8_prefix(str_from(text), LABEL_CHARS));
}

static void add_choices(struct form *f, const struct elicit_field *field, struct choices *list,
			size_t *at)
{
	const struct json *preset = field->preset;

	if (field->type == ELICIT_BOOL) {
		add_choice(list, (struct choice){ "Yes", json_new_bool(f->a, true) });
		add_choice(list, (struct choice){ "No", json_new_bool(f->a, false) });
	}
	for (size_t i = 0; field->type == ELICIT_ONE && i < field->n; i++)
		add_choice(list, (struct choice){ label_of(f, field->options[i].title),
						  json_new_str(f->a, field->options[i].value) });
	for (size_t i = 0; preset && i < list->n; i++)
		if (json_equal(list->p[i].value, preset))
			*at = i;
	if (preset && !list->n)
		add_choice(list,
			   (struct choice){
				   label_of(f, arena_printf(f->a, "Take %s",
							    json_text(f->a, preset, JSON_COMPACT).p)
						       .p),
				   preset });
	else if (!field->required && !preset)
		add_choice(list, (struct choice){ "Leave it out" });
	add_choice(list, (struct choice){ "Decline to answer", .declines = true });
	if (field->type != ELICIT_BOOL && field->type != ELICIT_ONE)
		add_choice(list, (struct choice){ "Type it", .typed = true });
}

static struct str body_of(struct form *f, const struct elicit_field *field, const char *wrong)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addf(&out, "MCP server %s asks: %s\n", f->server, f->e->message);
	if (*field->about)
		buf_addf(&out, "%s\n", field->about);
	for (size_t i = 0; field->type == ELICIT_SOME && i < field->n; i++)
		buf_addf(&out, "  %zu. %s\n", i + 1, field->options[i].title);
	if (field->type == ELICIT_SOME)
		buf_addz(&out, "Type the numbers with commas between them.\n");
	if (*wrong)
		buf_addf(&out, "That does not fit: %s\n", wrong);
	return arena_str(f->a, buf_str(&out));
}

/* ELICIT_ACCEPT when the field has its value, or is left out. */
static enum elicit_action ask_field(struct form *f, const struct elicit_field *field)
{
	AUTO(free) struct choice *owned = NULL;
	struct choices list = { 0 };
	struct err err = { 0 };
	size_t at = 0;

	add_choices(f, field, &list, &at);
	owned = list.p;
	/* What must be typed is where the typing goes. */
	if (list.p[list.n - 1].typed && !list.p[0].value && field->required)
		at = list.n - 1;
	const char **labels = ARENA_ARRAY(f->a, const char *, list.n + 1);
	for (size_t i = 0; i < list.n; i++)
		labels[i] = list.p[i].label;
	for (;;) {
		struct question q = {
			.title = arena_printf(f->a, "%s (%s%s)", field->title,
					      elicit_wants(f->a, field),
					      field->required ? "" : ", optional"),
			.body = body_of(f, field, err.text),
			.options = labels,
			.at = at,
			.typed = list.p[list.n - 1].typed,
		};
		int chosen = ask(f->s, &q);
		AUTO(free) char *text = q.text;
		const struct json *v;

		if (chosen < 0 || (size_t)chosen >= list.n)
			return ELICIT_CANCEL;
		if (list.p[chosen].declines)
			return ELICIT_DECLINE;
		v = list.p[chosen].value;
		if (list.p[chosen].typed) {
			at = (size_t)chosen;
			if (elicit_typed(f->a, field, str_from(text ? text : ""), &v, &err) < 0)
				continue;
		}
		if (v)
			f->content = json_set(f->a, f->content, field->name, v);
		return ELICIT_ACCEPT;
	}
}

static enum elicit_action ask_form(struct form *f)
{
	static const char *const options[] = { "Send it", "Decline to answer", NULL };
	enum elicit_action action = ELICIT_ACCEPT;
	struct question q = { .options = options };
	int chosen;

	f->content = json_new_obj(f->a);
	for (size_t i = 0; action == ELICIT_ACCEPT && i < f->e->n; i++)
		action = ask_field(f, &f->e->fields[i]);
	if (action != ELICIT_ACCEPT)
		return action;
	q.title = arena_printf(f->a, "Send this to MCP server %s?", f->server);
	q.body = arena_printf(f->a, "%s\n%s", f->e->message,
			      json_text(f->a, f->content, JSON_PRETTY).p);
	chosen = ask(f->s, &q);
	free(q.text);
	return chosen == 0 ? ELICIT_ACCEPT : chosen == 1 ? ELICIT_DECLINE : ELICIT_CANCEL;
}

/* ---- an address ---- */

static enum elicit_action ask_url(struct form *f)
{
	static const char *const options[] = { "Open it in the browser", "Decline", NULL };
	static const char *const after[] = { "It is done: go on", "Give up", NULL };
	struct question q = { .options = options };
	struct err err;
	struct url u;
	int chosen;

	if (url_read(f->a, f->e->url, &u, &err) < 0 || !url_is_private(&u)) {
		session_note(f->s, NOTE_WARNING,
			     "MCP server %s wants an address opened that is neither https nor on "
			     "this machine; declined%s",
			     f->server, shown(f, ": ", f->e->url, ""));
		return ELICIT_DECLINE;
	}
	q.title =
		arena_printf(f->a, "Open this address of %s for MCP server %s?", u.host, f->server);
	q.body = arena_printf(f->a, "%s\n%s", f->e->message, f->e->url);
	chosen = ask(f->s, &q);
	free(q.text);
	if (chosen != 0)
		return chosen == 1 ? ELICIT_DECLINE : ELICIT_CANCEL;
	q = (struct question){ .options = after,
			       .title = STR("Go on when you have answered there.") };
	q.body = browser_open(f->e->url, f->s->o.env, &err) < 0
			 ? arena_printf(f->a, "Open it yourself (%s):\n%s", err.text, f->e->url)
			 : arena_printf(f->a, "The browser shows %s", f->e->url);
	chosen = ask(f->s, &q);
	free(q.text);
	return chosen == 0 ? ELICIT_ACCEPT : ELICIT_CANCEL;
}

/* ---- hooks ---- */

enum { HOOK_FIELDS = 6 };

/* What both events tell of a question. */
static size_t question_fields(const struct form *f, struct tl_field *fields)
{
	size_t n = 0;

	fields[n++] = field_str(f->a, "mode", f->e->is_url ? STR("url") : STR("form"));
	if (*f->e->id)
		fields[n++] = field_str(f->a, "elicitation_id", str_from(f->e->id));
	return n;
}

static struct fire_args event_of(const struct form *f, const char *name)
{
	return (struct fire_args){ .event = name,
				   .subject = f->server,
				   .turn_id = f->s->turn ? f->s->turn->id : NULL };
}

/* An acceptance in the user's place holds only what the server has asked for. */
static bool takes_content(struct form *f, const struct json *said, const struct tl_outcome *o)
{
	const struct json *content = json_getz(said, "content"), *fits = NULL;
	struct err err;

	if (f->e->is_url)
		return true;
	if (elicit_content(f->a, f->e, content ? content : json_new_obj(f->a), &fits, &err) == 0) {
		f->content = fits;
		return true;
	}
	session_note(f->s, NOTE_WARNING,
		     "What hook %s answers MCP server %s does not fit its question: %s",
		     outcome_changer(f->a, o, TL_CHANGE_ELICITATION), f->server, err.text);
	return false;
}

static enum elicit_action refusal(const struct json *said)
{
	return str_eqz(json_get_str(said, "action"), "cancel") ? ELICIT_CANCEL : ELICIT_DECLINE;
}

/* (waits) Elicitation: true when hooks have answered. */
static bool hooks_answer(struct form *f, enum elicit_action *ret)
{
	struct fire_args args = event_of(f, "Elicitation");
	struct tl_field fields[HOOK_FIELDS];
	const struct json *said;
	struct tl_outcome *o;
	bool answered = true;

	if (!session_wants_this(f->s, &args))
		return false;
	args.fields = fields;
	args.nfields = question_fields(f, fields);
	fields[args.nfields++] = field_str(f->a, "message", str_from(f->e->message));
	if (f->e->is_url)
		fields[args.nfields++] = field_str(f->a, "url", str_from(f->e->url));
	if (f->e->schema)
		fields[args.nfields++] = field_json(f->a, "requested_schema", f->e->schema);
	o = session_fire(f->s, &args);
	said = o ? outcome_change(f->a, o, TL_CHANGE_ELICITATION) : NULL;
	if (!o)
		*ret = ELICIT_CANCEL;
	else if (tl_outcome_verdict(o) == TL_VERDICT_DENY || tl_outcome_stopped(o))
		*ret = refusal(said);
	else if (said && tl_outcome_verdict(o) < TL_VERDICT_ASK && takes_content(f, said, o))
		*ret = ELICIT_ACCEPT;
	else
		answered = false;
	tl_outcome_free(o);
	return answered;
}

/* (waits) ElicitationResult: what was accepted may be changed or declined, a refusal stays one. */
static enum elicit_action hooks_judge(struct form *f, enum elicit_action action)
{
	struct fire_args args = event_of(f, "ElicitationResult");
	struct tl_field fields[HOOK_FIELDS];
	const struct json *said;
	struct tl_outcome *o;

	if (!session_wants_this(f->s, &args))
		return action;
	args.fields = fields;
	args.nfields = question_fields(f, fields);
	fields[args.nfields++] = field_str(f->a, "action", str_from(elicit_actions[action]));
	if (action == ELICIT_ACCEPT && f->content)
		fields[args.nfields++] = field_json(f->a, "content", f->content);
	o = session_fire(f->s, &args);
	said = o ? outcome_change(f->a, o, TL_CHANGE_ELICITATION) : NULL;
	if (!o)
		action = ELICIT_CANCEL;
	else if (action == ELICIT_ACCEPT &&
		 (tl_outcome_verdict(o) >= TL_VERDICT_ASK || tl_outcome_stopped(o)))
		action = refusal(said);
	else if (action == ELICIT_ACCEPT && json_getz(said, "content") &&
		 !takes_content(f, said, o))
		action = ELICIT_DECLINE;
	tl_outcome_free(o);
	return action;
}

/* One after another: calls that run at the same time have one terminal. */
int session_elicit(void *session, const struct tool_call *call, const char *server,
		   const struct elicit *e, struct arena *a, const struct json **ret_content)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	struct form f = {
		.s = session, .server = server, .e = e, .a = a, .guarded = call->env->guarded
	};
	enum elicit_action action;
	pthread_mutex_lock(&one_at_a_time);
	if (!hooks_answer(&f, &action)) {
		struct tl_field fields[] = {
			field_str(a, "message",
				  arena_printf(a, "MCP server %s asks: %s", server, e->message)),
			field_json(a, "details",
				   json_pack(a, "type:z serverName:z mode:z message:z ?url:z",
					     "elicitation", server, e->is_url ? "url" : "form",
					     e->message, e->url)),
		};

		session_announce(
			f.s, &(struct fire_args){ .event = "Notification",
						  .subject = "Elicitation",
						  .fields = fields,
						  .nfields = ARRAY_LEN(fields),
						  .turn_id = f.s->turn ? f.s->turn->id : NULL });
		action = ELICIT_DECLINE;
		if (f.s->o.sink.ask)
			action = e->is_url ? ask_url(&f) : ask_form(&f);
		else
			session_note(f.s, NOTE_WARNING,
				     "MCP server %s asks the user something%s; no terminal to "
				     "ask at, so that was declined",
				     server, shown(&f, " (", e->message, ")"));
	}
	action = hooks_judge(&f, action);
	pthread_mutex_unlock(&one_at_a_time);
	*ret_content = action == ELICIT_ACCEPT ? f.content : NULL;
	return (int)action;
}
