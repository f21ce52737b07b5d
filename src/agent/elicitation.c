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
};

static int ask(struct session *s, struct question *q)
{
	return s->o.sink.ask(s->o.sink.data, q);
}

static void announce(struct session *s, const struct tool_call *call, const char *server,
		     const struct elicit *e, struct arena *a)
{
	struct tl_field fields[] = {
		field_str(a, "message",
			  arena_printf(a, "MCP server %s asks: %s", server, e->message)),
		field_json(a, "details",
			   json_pack(a, "type:z serverName:z mode:z message:z ?url:z",
				     "elicitation", server, e->is_url ? "url" : "form", e->message,
				     e->url)),
	};

	(void)call;
	session_announce(s, &(struct fire_args){ .event = "Notification",
						 .subject = "Elicitation",
						 .fields = fields,
						 .nfields = ARRAY_LEN(fields),
						 .turn_id = s->turn ? s->turn->id : NULL });
}

/* ---- a form ---- */

/* The options of a field, what each of them means, and what stands above them. */
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
			     "this machine; declined: %.200s",
			     f->server, f->e->url);
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

/* One after another: calls that run beside each other have one terminal. */
int session_elicit(void *session, const struct tool_call *call, const char *server,
		   const struct elicit *e, struct arena *a, const struct json **ret_content)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	struct form f = { .s = session, .server = server, .e = e, .a = a };
	enum elicit_action action;

	pthread_mutex_lock(&one_at_a_time);
	announce(f.s, call, server, e, a);
	if (f.s->o.sink.ask) {
		action = e->is_url ? ask_url(&f) : ask_form(&f);
	} else {
		session_note(
			f.s, NOTE_WARNING,
			"MCP server %s asks the user something (%.200s); nobody is at a terminal, "
			"so that was declined",
			server, e->message);
		action = ELICIT_DECLINE;
	}
	pthread_mutex_unlock(&one_at_a_time);
	*ret_content = f.content;
	return (int)action;
}
