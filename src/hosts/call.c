/* From an agent's payload to what hooks are asked. */
#include <unistd.h>

#include "base/json_pack.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/words.h"
#include "hooks/events.h"
#include "hooks/match.h"
#include "hosts/tools.h"
#include "settings/mode.h"

enum { WORD_MAX_CHARS = 1000, READINGS_MAX = 16, SINGLY_MAX = 200, FIELDS_MAX = 16 };

/* ---- parts of a payload ---- */

static const struct json *part(const struct host_call *c, enum host_get what)
{
	host_kinds on = host_on(host_kind_of(c));

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

/* What a call may be: a tool of the agent's, or of a server. */
struct reading {
	const char *server, *tool; /* NULL = the agent's own */
	bool flat;
};

struct readings {
	struct reading p[READINGS_MAX];
	size_t n;
	bool too_many;
};

/* Every way in which the name is one of a server's tool, in the agent's spelling. */
static void read_as_mcp(struct host_call *c, struct str name, struct readings *r)
{
	const struct json *is =
		c->host->is_mcp_at ? json_pointer(c->payload, str_from(c->host->is_mcp_at)) : NULL;

	if (json_is(is, J_BOOL) && !json_is_true(is))
		return;
	for (const struct host_mcp *m = c->host->mcp; m && m->between; m++) {
		size_t from = strlen(m->prefix), between = strlen(m->between);
		ptrdiff_t at = (ptrdiff_t)from;
		bool found = false;

		if (!str_starts(name, str_from(m->prefix)))
			continue;
		while ((at = str_find(name, str_from(m->between), (size_t)at + 1)) > 0 &&
		       (size_t)at + between < name.n && (!found || m->unclear)) {
			found = true;
			r->too_many |= r->n == READINGS_MAX;
			if (r->too_many)
				return;
			struct str first = str_sub(name, from, (size_t)at);
			struct str last = str_sub(name, (size_t)at + between, name.n);

			r->p[r->n++] =
				(struct reading){ arena_z(&c->arena, m->tool_first ? last : first),
						  arena_z(&c->arena, m->tool_first ? first : last),
						  m->flat };
		}
		/* Two rows with the same beginning are two readings. */
		if (found && !(m[1].between && strcmp(m[1].prefix, m->prefix) == 0))
			return;
	}
}

/* First whose it is: a server may call its tool what the agent calls one of its own. */
static void read_name(struct host_call *c, struct str name, struct readings *r)
{
	const char *server = part_z(c, GET_SERVER);

	if (server || c->event->mcp) {
		const char *tool = part_z(c, GET_SERVER_TOOL);

		r->p[r->n++] = (struct reading){ server ? server : c->host->name,
						 tool ? tool : arena_z(&c->arena, name) };
		return;
	}
	c->tool = tool_find(c->host, name);
	if (!c->tool && !c->host->same_fields) {
		c->tool = host_tool_common(name, c->args);
		c->guessed = c->tool != NULL;
	} else if (c->tool && !c->event->tool) {
		c->tool = host_tool_with_common(&c->arena, c->tool, c->args);
	}
	if (c->tool)
		r->p[r->n++] = (struct reading){ 0 };
	if (!c->tool || c->guessed)
		read_as_mcp(c, name, r);
	if (!r->n)
		r->p[r->n++] = (struct reading){ 0 };
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

/* A tool that calls others: hooks are asked about the one that it calls. */
static void take_inner_args(struct host_call *c, struct str name)
{
	const struct host *h = c->host;

	if (!h->inner_args || !str_eq(json_get_str(c->args, h->inner_name), name) ||
	    !json_getz(c->args, h->inner_args))
		return;
	c->outer = c->args;
	c->args = as_object(c, json_getz(c->args, h->inner_args));
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

const struct host_text *host_text_of(const struct json *result)
{
	/* Of Claude Code and of Grok, which has the bytes again. */
	static const struct host_text places[] = { { "stdout", "stderr" },
						   { "output_for_prompt", "output" } };

	for (size_t i = 0; json_is(result, J_OBJ) && i < ARRAY_LEN(places); i++)
		if (json_is(json_getz(result, places[i].text), J_STR))
			return &places[i];
	return NULL;
}

/* A result as the engine has it: what the model is told, and what the agent said with it. */
static const struct json *result_ours(struct host_call *c)
{
	struct arena *a = &c->arena;
	const struct json *v = c->result, *o;
	const struct host_text *at = host_text_of(v);
	struct str text = json_str(v, STR(""));

	if (json_is(v, J_OBJ) && json_getz(v, "llmContent"))
		return v;
	if (at) {
		struct str err = json_get_str(v, at->more);

		text = json_get_str(v, at->text);
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

/* A word of the agent's, in another spelling of it (agentTranscriptPath) or in a row. */
static const struct json *told(const struct host_call *c, struct str name)
{
	const struct json *payload = c->payload;

	for (size_t i = 0; i < payload->n; i++)
		if (word_like(payload->members[i].key, name))
			return &payload->members[i].v;
	for (const struct host_arg *m = c->host->told; m && m->theirs; m++)
		if (str_eqz(name, m->ours))
			return json_getz(payload, m->theirs);
	return NULL;
}

/* The calls of a batch, each as hooks saw it by itself. */
static const struct json *batch_ours(struct host_call *c, const struct json *list)
{
	struct arena *a = &c->arena;
	struct json_list calls = { 0 };

	for (size_t i = 0; json_at(list, i); i++) {
		const struct json *one = json_at(list, i);
		struct str name = json_get_str(one, "tool_name");
		const struct host_tool *t = tool_find(c->host, name);
		const struct json *args = json_getz(one, "tool_input"), **ours;
		size_t n = 0;

		if (!json_is(one, J_OBJ))
			continue;
		ours = json_is(args, J_OBJ) ? host_args_ours(a, t, args, false, &n) : NULL;
		if (t)
			one = json_set(a, one, STR("tool_name"),
				       json_new_str(a, str_from(t->ours)));
		if (json_getz(one, "tool_use_id"))
			one = json_set(a, one, STR("tool_call_id"), json_getz(one, "tool_use_id"));
		for (size_t k = 0; ours && k < n; k++)
			json_list_add(&calls, json_set(a, one, STR("tool_input"), ours[k]));
		if (!ours)
			json_list_add(&calls, one);
	}
	return json_list_take(a, &calls);
}

/* What else the event has (section 2), from the members that are called so. */
static void told_fields(struct fields *f)
{
	struct host_call *c = f->c;
	const struct event *e = event_find(str_from(host_moment(c->event->kind)));
	struct str rest = str_from(e->input), word;

	while (str_split(&rest, ' ', &word)) {
		bool wanted = !str_ends(word, STR("?"));
		struct str name = str_sub(word, 0, word.n - !wanted);
		const struct json *v = told(c, name);

		/* These are in struct tl_event, or come from the call. */
		if ((e->subject && str_eqz(name, e->subject)) ||
		    str_starts(name, STR("tool_input")) || str_eqz(name, "tool_paths") ||
		    str_eqz(name, "tool_urls") || str_eqz(name, "tool_call_id") ||
		    str_eqz(name, "mcp_context"))
			continue;
		if (str_eqz(name, "tool_calls"))
			v = batch_ours(c, v);
		/* Hooks rely on it, and the agent does not say it. */
		if (!v && wanted && str_eqz(name, "stop_hook_active"))
			v = json_new_bool(&c->arena, false);
		else if (!v && wanted)
			v = str_eqz(name, "index") ? json_new_int(&c->arena, 0)
						   : json_new_str(&c->arena, STR(""));
		if (v && f->n < FIELDS_MAX)
			add(f, arena_z(&c->arena, name), v);
	}
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
	if (!(ON_RESULTS & host_on(c->event->kind))) {
		told_fields(f);
		return;
	}
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
	if (kind >= KIND_AGENT_START)
		told_fields(f);
	if (kind == KIND_NOTICE) {
		add_text(f, "message", part_str(c, GET_MESSAGE));
		add(f, "details", json_new_obj(&c->arena));
	}
}

/* Of an agent whose members are ours: everything that is not in struct tl_event. */
static void same_fields(struct fields *f, const struct json *args)
{
	static const char *const base[] = {
		"session_id",      "transcript_path", "cwd",
		"hook_event_name", "timestamp",       "schema_version"
	};
	const struct json *payload = f->c->payload;

	f->p = ARENA_ARRAY(&f->c->arena, struct tl_field, payload->n + 2);
	for (size_t i = 0; i < payload->n; i++) {
		const struct json_member *m = &payload->members[i];
		bool ours = false;

		for (size_t k = 0; k < ARRAY_LEN(base); k++)
			ours |= str_eqz(m->key, base[k]);
		for (const struct host_place *p = f->c->host->places; p->at; p++)
			ours |= p->get == GET_SUBJECT && str_eqz(m->key, p->at + 1);
		/* A call's arguments are an object, whatever was sent. */
		if (!ours && !str_eqz(m->key, "tool_name"))
			add(f, arena_z(&f->c->arena, m->key),
			    args && str_eqz(m->key, "tool_input") ? args : &m->v);
	}
}

/* ---- the call ---- */

/* Claude Code's words for how much an agent may do without a question; others are passed on. */
static const char *mode_ours(const char *mode)
{
	enum approval_mode ours;

	return mode && mode_find(str_from(mode), &ours) ? mode_name(ours) : mode;
}

/* An id that the main agent has, too, is no mark of a sub-agent. */
static const char *sub_agent(struct host_call *c)
{
	const struct host_place *p = c->host->places;

	while (p->at && p->get != GET_PARENT)
		p++;
	return p->at && !part_z(c, GET_PARENT) ? NULL : part_z(c, GET_AGENT_ID);
}

/* A matcher of FileChanged has names, and the payload a path. */
static const char *subject(struct host_call *c)
{
	const char *s = part_z(c, GET_SUBJECT);

	return s && c->event->kind == KIND_FILE ? path_name(s) : s;
}

static struct tl_event base_event(struct host_call *c)
{
	return (struct tl_event)
		TL_EVENT_INIT(.name = host_moment(c->event->kind),
			      .session_id = part_z(c, GET_SESSION),
			      .transcript_path = part_z(c, GET_TRANSCRIPT), .cwd = c->cwd,
			      .turn_id = part_z(c, GET_TURN), .tool_call_id = part_z(c, GET_CALL),
			      .permission_mode = mode_ours(part_z(c, GET_MODE)),
			      .agent_id = sub_agent(c), .agent_type = part_z(c, GET_AGENT_TYPE),
			      .subject = subject(c), .model = part_z(c, GET_MODEL),
			      .failed = c->event->kind == KIND_FAILURE ? TL_FAILED_TOOL : 0);
}

/* The patch that the call is, as the agent sent it. */
static void add_patch(struct host_call *c, struct tl_event *e)
{
	for (const struct host_arg *r = c->tool ? c->tool->args : NULL; r && r->theirs; r++) {
		const struct json *v = json_get(c->args, str_from(r->theirs));
		struct str text = json_str(v, STR(""));

		if (r->way != ARG_PATCH || !v || e->patch)
			continue;
		e->patch = text.p;
		e->patch_length = text.n;
	}
}

static void ask_about(struct host_call *c, struct tl_event e, const struct json *args)
{
	struct fields f = { c, ARENA_ARRAY(&c->arena, struct tl_field, FIELDS_MAX + 4), 0 };

	if (c->host->same_fields)
		same_fields(&f, args);
	else if (args)
		tool_fields(&f, args, &e);
	else
		other_fields(&f);
	if (args) {
		/* The files and addresses of the call (C2.11), unless the payload says them. */
		struct str tool = str_from(e.subject);
		bool same = c->host->same_fields;

		if (!same || !json_getz(c->payload, "tool_paths"))
			add(&f, "tool_paths", host_paths(&c->arena, c->env, c->cwd, tool, args));
		if (!same || !json_getz(c->payload, "tool_urls"))
			add(&f, "tool_urls", host_urls(&c->arena, tool, args));
	}
	e.fields = f.p;
	e.nfields = f.n;
	if ((c->n & (c->n - 1)) == 0) { /* 0 or a power of two: full */
		struct tl_event *more = ARENA_ARRAY(&c->arena, struct tl_event, c->n * 2 + 1);

		for (size_t i = 0; i < c->n; i++)
			more[i] = c->events[i];
		c->events = more;
	}
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

/* Asks again about each further file or address, where a hook's tool takes one (C2.11). */
static int ask_about_others(struct host_call *c, struct tl_event e, const struct json *args,
			    struct err *err)
{
	size_t n;

	if (strcmp(e.subject, "read_many_files") != 0 && strcmp(e.subject, "web_fetch") != 0)
		return 0;
	n = max_size(host_paths(&c->arena, c->env, c->cwd, str_from(e.subject), args)->n,
		     host_urls(&c->arena, str_from(e.subject), args)->n);
	if (n > SINGLY_MAX)
		return err_set(err, E_LIMIT,
			       "the call touches %zu files or addresses; hooks are asked about "
			       "each, at most %d of a call",
			       n, SINGLY_MAX);
	for (e.nth = 1; e.nth < n; e.nth++)
		ask_about(c, e, args);
	return 0;
}

static int ask_about_own(struct host_call *c, struct tl_event e, struct str name, struct err *err)
{
	size_t n;
	const struct json **ours =
		host_args_ours(&c->arena, c->tool, c->args, c->event->tool != NULL, &n);

	if (!ours)
		return err_set(
			err, E_LIMIT,
			"hooks cannot be asked about all of this call of \"%.*s\": a patch "
			"without a file, or more than 1000 files or commands, with a million arguments "
			"in all",
			STR_ARG(name));
	add_patch(c, &e);
	for (size_t i = 0; i < n; i++) {
		e.patch_part = e.patch ? i : 0;
		e.subject = c->tool ? c->tool->ours : arena_z(&c->arena, name);
		/* A patch that makes a file is one way to write it. */
		if (c->tool && strcmp(c->tool->ours, "replace") == 0 &&
		    json_getz(ours[i], "content") && !json_getz(ours[i], "old_string"))
			e.subject = "write_file";
		/* A matcher may know a name that we have only guessed at. */
		e.subject_also = c->guessed ? arena_z(&c->arena, name) : NULL;
		ask_about(c, e, ours[i]);
		if (ask_about_others(c, e, ours[i], err) < 0)
			return -err->code;
	}
	return 0;
}

static struct str hyphened(struct arena *a, const char *name)
{
	char *s = arena_z(a, str_from(name));

	for (char *p = s; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return str_from(s);
}

/* What else a matcher may call it: as the agent does, and as its server does, in both spellings. */
static const char *other_names(struct host_call *c, struct str name, const struct reading *r)
{
	struct arena *a = &c->arena;
	struct str parts[2][2] = { { str_from(r->server), hyphened(a, r->server) },
				   { str_from(r->tool), hyphened(a, r->tool) } };

	for (unsigned i = 1; r->flat && i < 4; i++)
		name = arena_printf(a, "%.*s\nmcp__%.*s__%.*s\nmcp_%.*s_%.*s", STR_ARG(name),
				    STR_ARG(parts[0][i & 1]), STR_ARG(parts[1][i >> 1]),
				    STR_ARG(parts[0][i & 1]), STR_ARG(parts[1][i >> 1]));
	return name.n ? arena_z(a, name) : NULL;
}

static int ask_about_tool(struct host_call *c, struct tl_event e, struct err *err)
{
	struct str name = c->event->tool ? str_from(c->event->tool) : part_str(c, GET_TOOL);
	struct readings r = { 0 };

	if (!name.n && !part(c, GET_SERVER_TOOL))
		return err_set(err, E_INVAL, "the payload does not name a tool");
	c->args = as_object(c, c->event->tool ? whole_args(c) : part(c, GET_ARGS));
	take_inner_args(c, name);
	c->partial = json_is_true(part(c, GET_PARTIAL));
	c->result = part(c, GET_RESULT);
	/* Programs differ in which of two they take. */
	if (json_has_repeats(c->args) && !(ON_RESULTS & host_on(c->event->kind)))
		return err_set(err, E_INVAL, "the arguments of the call name a member twice");
	read_name(c, name, &r);
	if (r.too_many)
		return err_set(err, E_LIMIT, "the name \"%.*s\" can be read in too many ways",
			       STR_ARG(name));
	for (size_t i = 0; i < r.n; i++) {
		if (!r.p[i].server) {
			if (ask_about_own(c, e, name, err) < 0)
				return -err->code;
			continue;
		}
		e.mcp_server = r.p[i].server;
		e.mcp_tool = r.p[i].tool;
		e.subject =
			arena_z(&c->arena, mcp_name(&c->arena, e.mcp_server, e.mcp_tool, false));
		e.subject_also = other_names(c, name, &r.p[i]);
		ask_about(c, e, c->args);
	}
	return 0;
}

bool host_is_stopping_again(const struct host_call *c)
{
	return c->payload && json_is_true(part(c, GET_ACTIVE));
}

static bool is_dir_name(const struct json *v)
{
	return json_is(v, J_STR) && v->n && v->s[0] == '/';
}

const char *host_dir(struct host_call *c, size_t nth)
{
	for (const struct host_place *p = c->host->places; c->payload && p->at; p++) {
		const struct json *v =
			p->get == GET_CWD ? json_pointer(c->payload, str_from(p->at)) : NULL;

		if (is_dir_name(v) && nth-- == 0)
			return arena_z(&c->arena, json_str(v, STR("")));
		for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
			if (is_dir_name(json_at(v, i)) && nth-- == 0)
				return arena_z(&c->arena, json_str(json_at(v, i), STR("")));
	}
	return NULL;
}

bool host_reads(const struct host *h, struct str key)
{
	for (const struct host_place *p = h->places; p->at; p++) {
		struct str at = str_from(p->at);
		ptrdiff_t slash = str_chr(at, '/', min_size(at.n, 1));

		if (at.n && str_eq(str_sub(at, 1, slash < 0 ? at.n : (size_t)slash), key))
			return true;
	}
	for (const struct host_arg *m = h->told; m && m->theirs; m++)
		if (str_eqz(key, m->theirs))
			return true;
	return h->same_fields;
}

enum host_kind host_kind_of(const struct host_call *c)
{
	return c->event ? c->event->kind : KIND_OTHER;
}

struct str host_session(const struct host_call *c)
{
	return c->payload ? part_str(c, GET_SESSION) : STR("");
}

bool host_ended(struct host_call *c, size_t nth, struct host_named *ret)
{
	enum host_kind kind = host_kind_of(c);
	const struct host_tool *t;
	const struct json *one;
	struct str name;

	if (ON_RESULTS & host_on(kind) && c->n && nth == 0) {
		*ret = (struct host_named){ str_from(c->events->tool_call_id), c->events->subject };
		return true;
	}
	one = kind == KIND_BATCH ? json_at(told(c, STR("tool_calls")), nth) : NULL;
	if (!one)
		return false;
	name = json_get_str(one, "tool_name");
	t = tool_find(c->host, name);
	*ret = (struct host_named){ json_get_str(one, "tool_call_id"),
				    t ? t->ours : arena_z(&c->arena, name) };
	if (!ret->id.n)
		ret->id = json_get_str(one, "tool_use_id");
	return true;
}

/* Was this asked about already, or is it not whole yet? */
static bool is_another_time(const struct host_call *c)
{
	const struct host_event *e = c->event;
	const struct json *v = e->once ? json_getz(c->payload, e->once_at) : NULL;

	return v && !str_eqz(json_is(v, J_STR) ? json_str(v, STR(""))
			     : json_is_true(v) ? STR("true")
					       : STR("false"),
			     e->once);
}

int host_call_read(struct host_call *c, const struct host *h, const char *event, struct str payload,
		   struct err *err)
{
	const struct host_event *said;
	struct tl_event e;
	struct str name;
	const struct json *prompt;

	*c = (struct host_call){ .host = h, .snapshots = 1, .id = c->id, .arena = c->arena };
	/* Known before anything can fail, so that a failure is answered in its words. */
	c->event = event ? host_event_find(h, str_from(event)) : NULL;
	if (json_parse(&c->arena, payload, JSON_BOM, &c->payload, err) < 0)
		return err_wrap(err, "the payload of %s", h->title);
	if (c->payload->type != J_OBJ)
		return err_set(err, E_INVAL, "the payload of %s is %s, not an object", h->title,
			       json_what(c->payload));
	name = part_str(c, GET_EVENT);
	said = name.n ? host_event_find(h, name) : NULL;
	if (c->payload->yes)
		return err_set(err, E_INVAL, "the payload of %s has a member twice", h->title);
	if (json_has_nul_name(c->payload))
		return err_set(err, E_INVAL, "the payload of %s has a NUL in a name", h->title);
	/* What an event may be called that we do not know.  What is none may have been any. */
	if (!said && (name.n ? !str_is_word(name, ".:/-") : !event))
		return err_set(err, E_INVAL, "the payload of %s does not name its event", h->title);
	if (c->event && said && said->kind != c->event->kind)
		return err_set(err, E_INVAL, "the payload of %s is of %s, not of %s", h->title,
			       said->name, event);
	/* A name of the command line that is new is none to go by when the payload has one. */
	c->event = c->event ? c->event : said;
	c->called = event ? str_from(event) : name;
	if (!host_moment(host_kind_of(c)) || is_another_time(c))
		return 0;
	/* The first directory of the payload that can be entered. */
	for (size_t i = 0; (c->cwd = host_dir(c, i)) && access(c->cwd, X_OK) < 0;)
		i++;
	e = base_event(c);
	if (ON_CALLS & host_on(c->event->kind))
		return ask_about_tool(c, e, err);
	if (!e.subject && event_find(str_from(e.name))->subject_kind != SUBJECT_NONE)
		e.subject = "";
	prompt = part(c, GET_PROMPT);
	if (c->event->kind == KIND_PROMPT && h->prompts_again && json_is(prompt, J_STR) &&
	    !prompt->n)
		return 0;
	ask_about(c, e, NULL);
	return 0;
}
