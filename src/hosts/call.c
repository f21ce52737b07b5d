/* From an agent's payload to what hooks are asked. */
#include <unistd.h>

#include "base/utf8.h"
#include "hooks/match.h"
#include "hosts/host.h"

enum { WORD_MAX_CHARS = 1000 };

/* ---- parts of a payload ---- */

static const struct json *part(const struct host_call *c, enum host_get what)
{
	unsigned on = 1u << host_kind_of(c);

	for (const struct host_place *p = c->host->places; p->at; p++) {
		const struct json *v = p->get == what && (!p->on || p->on & on)
					       ? json_pointer(c->payload, str_from(p->at))
					       : NULL;

		if (v && v->type != J_NULL)
			return v;
	}
	return NULL;
}

static struct str part_str(const struct host_call *c, enum host_get what)
{
	return json_str(part(c, what), STR(""));
}

/* A word for the event; NULL when the payload has none. */
static const char *part_z(struct host_call *c, enum host_get what)
{
	const struct json *v = part(c, what);

	if (json_is(v, J_NUM))
		return arena_z(&c->arena, (struct str){ v->s, v->n });
	/* They are in the environment of hooks, which must be able to start. */
	return json_is(v, J_STR) && v->n
		       ? arena_z(&c->arena, utf8_prefix(json_str(v, STR("")), WORD_MAX_CHARS))
		       : NULL;
}

/* ---- tools ---- */

static const struct host_tool *tool_find(const struct host *h, struct str name)
{
	for (const struct host_tool *t = h->tools; t->theirs; t++)
		if (str_eqz(name, t->theirs))
			return t;
	return NULL;
}

/* "mcp__server__tool" in its parts; false when it is none. */
static bool split_mcp(struct host_call *c, struct str name, struct tl_event *e)
{
	const struct host *h = c->host;
	struct str rest = h->mcp_prefix ? str_sub(name, strlen(h->mcp_prefix), name.n) : STR("");
	ptrdiff_t at = h->mcp_prefix && str_starts(name, str_from(h->mcp_prefix))
			       ? str_find(rest, str_from(h->mcp_between), 0)
			       : -1;

	if (at <= 0)
		return false;
	e->mcp_server = arena_z(&c->arena, str_sub(rest, 0, (size_t)at));
	e->mcp_tool =
		arena_z(&c->arena, str_sub(rest, (size_t)at + strlen(h->mcp_between), rest.n));
	return true;
}

static void name_tool(struct host_call *c, struct tl_event *e)
{
	struct str name = c->event->tool ? str_from(c->event->tool) : part_str(c, GET_TOOL);
	const char *server = part_z(c, GET_SERVER);

	/* First whose it is: a server may call its tool what the agent calls one of its own. */
	e->subject = arena_z(&c->arena, name);
	if (server || c->event->mcp) {
		const char *tool = part_z(c, GET_SERVER_TOOL);

		e->mcp_server = server ? server : c->host->name;
		e->mcp_tool = tool ? tool : e->subject;
	} else {
		c->tool = tool_find(c->host, name);
		if (c->tool)
			e->subject = c->tool->ours;
		if (c->tool || !split_mcp(c, name, e))
			return;
	}
	e->subject = arena_z(&c->arena, mcp_name(&c->arena, e->mcp_server, e->mcp_tool, false));
}

/* Some agents send an object as its text. */
static const struct json *as_object(struct host_call *c, const struct json *v)
{
	struct arena *a = &c->arena;
	const struct json *o;

	if (json_is(v, J_OBJ))
		return v;
	if (json_is(v, J_STR) && json_parse(a, json_str(v, STR("")), 0, &o, NULL) >= 0 &&
	    o->type == J_OBJ)
		return o;
	c->wrapped = true;
	return v ? json_set(a, NULL, STR("input"), v) : json_new_obj(a);
}

/* ---- fields ---- */

struct fields {
	struct host_call *c;
	struct tl_field *p;
	size_t n;
};

static void add(struct fields *f, const char *name, const struct json *v)
{
	struct str text = json_text(&f->c->arena, v, JSON_COMPACT);

	f->p[f->n++] = (struct tl_field){ name, text.p, text.n };
}

static void add_text(struct fields *f, const char *name, struct str s)
{
	add(f, name, json_new_str(&f->c->arena, s));
}

/* A result as the engine has it: what the model is told, and what the agent said beside it. */
static const struct json *result_ours(struct host_call *c)
{
	struct arena *a = &c->arena;
	const struct json *v = c->result, *o;
	struct str text = json_str(v, STR(""));

	if (json_is(v, J_OBJ) && json_getz(v, "llmContent"))
		return v;
	if (json_is(v, J_OBJ) && json_is(json_getz(v, "stdout"), J_STR)) {
		struct str err = json_get_str(v, "stderr");

		text = json_get_str(v, "stdout");
		if (err.n)
			text = arena_printf(a, "%.*s%s%.*s", STR_ARG(text), text.n ? "\n" : "",
					    STR_ARG(err));
	} else if (v && v->type != J_STR) {
		text = json_text(a, v, JSON_COMPACT);
	}
	o = json_is(v, J_OBJ) ? v : NULL;
	o = json_set(a, o, STR("llmContent"), json_new_str(a, text));
	return json_set(a, o, STR("returnDisplay"), json_new_str(a, text));
}

static void tool_fields(struct fields *f, const struct json *args, const struct tl_event *e)
{
	struct host_call *c = f->c;
	const struct json *error = part(c, GET_ERROR), *context;

	add(f, "tool_input", args);
	if (e->mcp_server) {
		context = json_set(&c->arena, NULL, STR("server_name"),
				   json_new_str(&c->arena, str_from(e->mcp_server)));
		add(f, "mcp_context",
		    json_set(&c->arena, context, STR("tool_name"),
			     json_new_str(&c->arena, str_from(e->mcp_tool))));
	}
	if (c->event->kind == KIND_TOOL)
		return;
	if (!c->result && error)
		c->result = error;
	add(f, "tool_response", result_ours(c));
	if (json_is(error, J_STR))
		add(f, "tool_error", error);
}

static void other_fields(struct fields *f)
{
	struct host_call *c = f->c;
	enum host_kind kind = c->event->kind;
	const struct json *prompt = part(c, GET_PROMPT);

	/* One that is no text is shown as its JSON: a guard looks for words. */
	if (kind == KIND_PROMPT || kind == KIND_STOP)
		add_text(f, "prompt",
			 json_str(prompt,
				  prompt ? json_text(&c->arena, prompt, JSON_COMPACT) : STR("")));
	if (kind == KIND_STOP) {
		add_text(f, "prompt_response", part_str(c, GET_RESPONSE));
		add(f, "stop_hook_active",
		    json_new_bool(&c->arena, json_is_true(part(c, GET_ACTIVE))));
	}
	if (kind == KIND_NOTICE) {
		add_text(f, "message", part_str(c, GET_MESSAGE));
		add(f, "details", json_new_obj(&c->arena));
	}
}

/* Of an agent whose members are ours: everything that is not in struct tl_event. */
static void same_fields(struct fields *f)
{
	static const char *const base[] = {
		"session_id",      "transcript_path", "cwd",
		"hook_event_name", "timestamp",       "schema_version"
	};
	const struct json *payload = f->c->payload;

	f->p = ARENA_ARRAY(&f->c->arena, struct tl_field, payload->n + 1);
	for (size_t i = 0; i < payload->n; i++) {
		const struct json_member *m = &payload->members[i];
		bool ours = false;

		for (size_t k = 0; k < ARRAY_LEN(base); k++)
			ours |= str_eqz(m->key, base[k]);
		for (const struct host_place *p = f->c->host->places; p->at; p++)
			ours |= p->get == GET_SUBJECT && str_eqz(m->key, p->at + 1);
		if (!ours && !str_eqz(m->key, "tool_name"))
			add(f, arena_z(&f->c->arena, m->key), &m->v);
	}
}

/* ---- the call ---- */

/* Claude Code's words for how much an agent may do without a question; others are passed on. */
static const char *mode_ours(const char *mode)
{
	static const struct {
		const char *theirs, *ours;
	} modes[] = {
		{ "acceptEdits", "auto_edit" },
		{ "bypassPermissions", "yolo" },
		{ "dontAsk", "yolo" },
	};

	for (size_t i = 0; mode && i < ARRAY_LEN(modes); i++)
		if (strcmp(mode, modes[i].theirs) == 0)
			return modes[i].ours;
	return mode;
}

static struct tl_event base_event(struct host_call *c)
{
	return (struct tl_event)TL_EVENT_INIT(
			.name = host_moment(c->event->kind), .session_id = part_z(c, GET_SESSION),
			.transcript_path = part_z(c, GET_TRANSCRIPT), .cwd = c->cwd,
			.turn_id = part_z(c, GET_TURN), .tool_call_id = part_z(c, GET_CALL),
			.permission_mode = mode_ours(part_z(c, GET_MODE)),
			.agent_id = part_z(c, GET_AGENT_ID),
			.agent_type = part_z(c, GET_AGENT_TYPE), .subject = part_z(c, GET_SUBJECT),
			.failed = c->event->kind == KIND_FAILURE ? TL_FAILED_TOOL : 0);
}

static void ask_about(struct host_call *c, struct tl_event e, const struct json *args)
{
	struct fields f = { c, ARENA_ARRAY(&c->arena, struct tl_field, 4), 0 };

	if (c->host->same_fields)
		same_fields(&f);
	else if (args)
		tool_fields(&f, args, &e);
	else
		other_fields(&f);
	e.fields = f.p;
	e.nfields = f.n;
	c->events[c->n++] = e;
}

/* The members of an event of one tool are in the outermost of the places: others are the call's. */
static const struct json *whole_args(const struct host_call *c)
{
	const struct json *found = NULL;

	for (const struct host_place *p = c->host->places; p->at; p++)
		if (p->get == GET_ARGS && json_pointer(c->payload, str_from(p->at)))
			found = json_pointer(c->payload, str_from(p->at));
	return found;
}

static int ask_about_tool(struct host_call *c, struct tl_event e, struct err *err)
{
	const struct json **ours;
	const struct json *args;
	size_t n;

	name_tool(c, &e);
	if (!*e.subject)
		return err_set(err, E_INVAL, "the payload does not name a tool");
	args = c->event->tool ? whole_args(c) : part(c, GET_ARGS);
	c->args = as_object(c, args);
	c->result = part(c, GET_RESULT);
	ours = host_args_ours(&c->arena, c->tool, c->args, c->event->tool != NULL, &n);
	if (!ours)
		return err_set(err, E_LIMIT,
			       "hooks cannot be asked about all of this call of \"%s\": a patch "
			       "without a file, or more than 1000 files or commands",
			       e.subject);
	c->events = ARENA_ARRAY(&c->arena, struct tl_event, n + 1);
	for (size_t i = 0; i < n; i++) {
		/* A patch that makes a file is one way to write it. */
		if (c->tool && strcmp(c->tool->ours, "replace") == 0)
			e.subject =
				json_getz(ours[i], "content") && !json_getz(ours[i], "old_string")
					? "write_file"
					: c->tool->ours;
		ask_about(c, e, ours[i]);
	}
	return 0;
}

bool host_is_stopping_again(const struct host_call *c)
{
	return c->payload && json_is_true(part(c, GET_ACTIVE));
}

const char *host_dir(struct host_call *c, size_t nth)
{
	for (const struct host_place *p = c->host->places; c->payload && p->at; p++) {
		const struct json *v =
			p->get == GET_CWD ? json_pointer(c->payload, str_from(p->at)) : NULL;

		if (json_is(v, J_STR) && v->n && v->s[0] == '/' && nth-- == 0)
			return arena_z(&c->arena, json_str(v, STR("")));
	}
	return NULL;
}

/* The first directory of the payload that can be entered, or what is left of its path. */
static const char *enterable(struct host_call *c)
{
	const char *dir;

	for (size_t i = 0; (dir = host_dir(c, i)); i++)
		if (access(dir, X_OK) == 0)
			return dir;
	return NULL;
}

enum host_kind host_kind_of(const struct host_call *c)
{
	return c->event ? c->event->kind : KIND_OTHER;
}

struct str host_session(const struct host_call *c)
{
	return c->payload ? part_str(c, GET_SESSION) : STR("");
}

int host_call_read(struct host_call *c, const struct host *h, const char *event, struct str payload,
		   struct err *err)
{
	const struct host_event *said;
	struct tl_event e;
	struct str name;
	const struct json *prompt;

	*c = (struct host_call){ .host = h, .arena = c->arena };
	/* Known before anything can fail, so that a failure is answered in its words. */
	c->event = event ? host_event_find(h, str_from(event)) : NULL;
	if (json_parse(&c->arena, payload, JSON_BOM, &c->payload, err) < 0)
		return err_wrap(err, "the payload of %s", h->title);
	if (c->payload->type != J_OBJ)
		return err_set(err, E_INVAL, "the payload of %s is %s, not an object", h->title,
			       json_type_name(c->payload));
	name = part_str(c, GET_EVENT);
	said = name.n ? host_event_find(h, name) : NULL;
	if (!event && !name.n)
		return err_set(err, E_INVAL, "the payload of %s does not name its event", h->title);
	if (c->event && said && said->kind != c->event->kind)
		return err_set(err, E_INVAL, "the payload of %s is of %s, not of %s", h->title,
			       said->name, event);
	c->event = event ? c->event : said;
	if (!host_moment(host_kind_of(c)))
		return 0;
	c->cwd = enterable(c);
	e = base_event(c);
	if (ON_TOOLS & 1u << c->event->kind)
		return ask_about_tool(c, e, err);
	/* Some fire again for what goes to the model after a tool: no user has typed anything. */
	prompt = part(c, GET_PROMPT);
	if (c->event->kind == KIND_PROMPT && !h->same_fields &&
	    (!prompt || (prompt->type == J_STR && !prompt->n)))
		return 0;
	c->events = ARENA_ARRAY(&c->arena, struct tl_event, 1);
	ask_about(c, e, NULL);
	return 0;
}
