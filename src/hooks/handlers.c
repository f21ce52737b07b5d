#include "hooks/handlers.h"

#include "base/env.h"
#include "base/json_pack.h"
#include "base/wild.h"
#include "hooks/config.h"
#include "settings/expand.h"

enum { INPUT_MAX = 8 << 20 };

static struct str text_of(const struct object_value *got, int key)
{
	return str_trim(json_str(got[key].v, STR("")));
}

/* ---- http ---- */

/* Of "https://host:443/path" the bytes up to behind the host; 0 = it is no such address. */
static size_t url_host_end(struct str url)
{
	static const struct str schemes[] = { STR("http://"), STR("https://") };
	size_t from = 0, to;

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
		if (url.n > schemes[i].n && str_starts_icase(url, schemes[i]))
			from = schemes[i].n;
	for (to = from; from && to < url.n && !strchr("/?#", url.p[to]); to++)
		if (url.p[to] == '@' || url.p[to] == '\\')
			return 0;
	to = from;
	while (from && to < url.n && !strchr("/?#:", url.p[to]))
		to += url.p[to] == '[' && str_chr(url, ']', to) > 0
			      ? (size_t)str_chr(url, ']', to) - to
			      : 1;
	return to > from ? to : 0;
}

/* Does the pattern spell the address's host out, and not only match it? */
static bool names_host(struct str pattern, struct str url)
{
	size_t n = url_host_end(url);

	return str_starts_icase(pattern, str_sub(url, 0, n)) &&
	       (pattern.n == n || strchr(":/?#*", pattern.p[n]));
}

/* Do the lists of that tier's settings bind a hook? */
static bool binds(enum tl_tier list, enum tl_tier hook)
{
	return list == hook ||
	       (!tiers[list].foreign && tier_authority(list) > tier_authority(hook));
}

/*
 * Every tier at or above the hook's own that has a list must have the address in it; files of one
 * tier add up.  To places that are not public it leads only where a pattern names the host.
 */
static const char *url_is_barred(const struct handler_entry *e, struct str url)
{
	struct hook *hook = e->hook;

	for (int t = 0; t < TIERS; t++) {
		const char *barred_by = NULL;
		bool fits = false;

		for (size_t i = 0; i < e->h->sources.n && binds((enum tl_tier)t, hook->tier); i++) {
			const struct source *s = &e->h->sources.p[i];
			const struct json *list = json_getz(s->doc, HTTP_URLS_KEY);

			if (!list || s->tier != (enum tl_tier)t)
				continue;
			barred_by = s->path;
			for (size_t k = 0; json_is(list, J_ARR) && k < list->n; k++) {
				struct str p = json_str(json_at(list, k), STR(""));

				if (!wild_fits(p, url))
					continue;
				fits = true;
				if (tiers[t].restricts || !names_host(p, url))
					continue;
				hook->private_ok = true;
				if (tiers[t].foreign)
					hook->granted = arena_z(&e->h->arena, p);
			}
		}
		if (barred_by && !fits)
			return barred_by;
	}
	return NULL;
}

/* May the hook's headers hold this variable?  Its own list says so, and no list of settings that
 * binds it says otherwise. */
static bool may_hold(const struct handler_entry *e, struct str name)
{
	if (!json_holds(e->got[K_ALLOWED_ENV].v, name, NULL))
		return false;
	for (int t = 0; t < TIERS; t++) {
		bool said = false, fits = false;

		for (size_t i = 0; i < e->h->sources.n && binds((enum tl_tier)t, e->hook->tier);
		     i++) {
			const struct source *s = &e->h->sources.p[i];
			const struct json *list = json_getz(s->doc, HTTP_VARS_KEY);

			said |= list && s->tier == (enum tl_tier)t;
			fits |= s->tier == (enum tl_tier)t && json_holds(list, name, NULL);
		}
		if (said && !fits)
			return false;
	}
	return true;
}

/* A header's value is looked at once, when it is read, for the variables that it will not get. */
struct header_look {
	const struct handler_entry *e;
	struct str header;
};

static const char *look_at_variable(const void *data, struct str name, bool braced)
{
	const struct header_look *look = data;
	const struct handler_entry *e = look->e;

	(void)braced;
	if (!may_hold(e, name))
		diag_add(&e->h->diags, TL_SEVERITY_WARNING, "variable-not-allowed", &e->hook->at,
			 "the header \"%.*s\" has the variable %.*s, which %s: it is left empty",
			 STR_ARG(look->header), STR_ARG(name),
			 json_holds(e->got[K_ALLOWED_ENV].v, name, NULL)
				 ? HTTP_VARS_KEY " of the settings leaves out"
				 : "\"allowedEnvVars\" of the hook does not name");
	return NULL;
}

static bool is_header(struct str name, const struct json *value)
{
	static const char *const ours[] = { "Content-Length", "Transfer-Encoding", "Host" };
	struct str v = json_str(value, STR("\n"));

	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (str_eqz_icase(name, ours[i]))
			return false;
	return name.n && str_is_word(name, "!#$%&'*+-.^`|~") && !memchr(v.p, '\n', v.n) &&
	       !memchr(v.p, '\r', v.n) && !memchr(v.p, '\0', v.n);
}

static struct handler_fault check_http(const struct handler_entry *e)
{
	struct arena *a = &e->h->arena;
	const struct json *headers = e->got[K_HEADERS].v, *names = e->got[K_ALLOWED_ENV].v;
	struct str url = text_of(e->got, K_URL);
	const char **vars = ARENA_ARRAY(a, const char *, (names ? names->n : 0) + 1);
	const char *barred;
	size_t n = 0;

	/* Readers of addresses differ in what they make of other bytes. */
	if (!url_host_end(url) || !str_is_visible(url))
		return (struct handler_fault){ "bad-url",
					       "must be an address that begins with http:// or "
					       "https://, without a user name",
					       K_URL };
	for (size_t i = 0; headers && i < headers->n; i++) {
		const struct json_member *m = &headers->members[i];
		struct header_look look = { e, m->key };
		struct expansion x = { .value = look_at_variable, .data = &look };

		if (!is_header(m->key, &m->v))
			return (struct handler_fault){
				"bad-header",
				arena_printf(a, "\"%.*s\" is not a header with one line of text",
					     STR_ARG(m->key))
					.p,
				K_HEADERS
			};
		(void)expand(&x, a, json_str(&m->v, STR("")));
	}
	for (size_t i = 0; names && i < names->n; i++) {
		struct str name = json_str(json_at(names, i), STR(""));

		if (may_hold(e, name))
			vars[n++] = arena_z(a, name);
	}
	e->hook->vars = vars;
	barred = url_is_barred(e, url);
	if (barred)
		return (struct handler_fault){
			"url-not-allowed",
			arena_printf(a, HTTP_URLS_KEY " of %s does not allow this address", barred)
				.p,
			K_URL
		};
	return (struct handler_fault){ 0 };
}

static struct str label_http(struct arena *a, const struct object_value *got)
{
	(void)a;
	return text_of(got, K_URL);
}

static const char *header_variable(const void *data, struct str name, bool braced)
{
	const struct handler_asking *q = data;

	(void)braced;
	for (size_t i = 0; q->hook->vars[i]; i++)
		if (str_eqz(name, q->hook->vars[i]))
			return env_find(q->env, name);
	return NULL;
}

static const struct json *request_http(struct handler_asking *q)
{
	struct expansion x = { .value = header_variable, .data = q, .unset_is_empty = true };
	const struct json *headers = json_getz(q->hook->own, "headers");

	headers = headers ? expand_json(&x, q->a, headers) : json_new_obj(q->a);
	return json_pack(q->a, "url:s headers:j private:b",
			 str_trim(json_get_str(q->hook->own, "url")), headers, q->hook->private_ok);
}

/* ---- mcp_tool ---- */

static struct str label_mcp_tool(struct arena *a, const struct object_value *got)
{
	return arena_printf(a, "%.*s/%.*s", STR_ARG(text_of(got, K_SERVER)),
			    STR_ARG(text_of(got, K_TOOL)));
}

/* "${tool_input.file_path}": what the payload has there; what is no string as JSON. */
struct input_values {
	struct handler_asking *q;
	const struct json *payload;
};

static const char *input_value(const void *data, struct str name, bool braced)
{
	const struct input_values *in = data;
	const struct json *v = in->payload;
	struct str rest = name, key, text;

	if (!braced)
		return NULL;
	while (v && str_split(&rest, '.', &key)) {
		int64_t i;

		v = json_is(v, J_ARR) && str_to_int(key, &i) && i >= 0 ? json_at(v, (size_t)i)
								       : json_get(v, key);
	}
	if (!v || v->type == J_NULL)
		return "";
	text = v->type == J_STR ? json_str(v, STR("")) : json_text(in->q->a, v, JSON_COMPACT);
	if (memchr(text.p, '\0', text.n))
		in->q->wrong = "a value that it takes from the event has a NUL in it";
	return arena_z(in->q->a, text);
}

static const struct json *request_mcp_tool(struct handler_asking *q)
{
	const struct json *own = q->hook->own, *input = json_getz(own, "input");
	struct input_values in = { .q = q };
	struct expansion x = {
		.value = input_value, .data = &in, .any_name = true, .room = INPUT_MAX
	};

	if (json_parse(q->a, q->payload, JSON_BORROW, &in.payload, NULL) < 0)
		q->wrong = "the event cannot be read";
	input = input ? expand_json(&x, q->a, input) : json_new_obj(q->a);
	if (x.full)
		q->wrong = "its input is too large with what it takes from the event";
	return json_pack(q->a, "server:s tool:s input:j", str_trim(json_get_str(own, "server")),
			 str_trim(json_get_str(own, "tool")), input);
}

/* ---- prompt and agent ---- */

static struct str label_prompt(struct arena *a, const struct object_value *got)
{
	(void)a;
	return text_of(got, K_PROMPT);
}

/* The event between marks that nothing in it can end: "<" is an escape in its texts. */
static struct str marked_payload(struct handler_asking *q)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str event = str_trim(q->payload);

	buf_addz(&out, "<hook_input>\n");
	for (size_t i = 0; i < event.n; i++)
		if (event.p[i] == '<' || event.p[i] == '>')
			buf_addf(&out, "\\u%04x", event.p[i]);
		else
			buf_addc(&out, event.p[i]);
	buf_addz(&out, "\n</hook_input>");
	return arena_str(q->a, buf_str(&out));
}

static const struct json *request_prompt(struct handler_asking *q)
{
	static const struct str mark = STR("$ARGUMENTS");
	struct str text = json_get_str(q->hook->own, "prompt"), event = marked_payload(q);
	AUTO(buf_done) struct buf out = { 0 };
	size_t from = 0, n = 0;

	for (ptrdiff_t at; (at = str_find(text, mark, from)) >= 0; n++) {
		buf_adds(&out, str_sub(text, from, (size_t)at));
		/* Once is enough of a large event. */
		buf_adds(&out, n ? STR("the <hook_input> above") : event);
		from = (size_t)at + mark.n;
	}
	buf_adds(&out, str_sub(text, from, text.n));
	if (!n)
		buf_addf(&out, "\n\n%.*s", STR_ARG(event));
	return json_pack(q->a, "prompt:s ?model:s", buf_str(&out),
			 str_trim(json_get_str(q->hook->own, "model")));
}

/* {"ok": true}, or {"ok": false, "reason": "..."}, in a block of code or not, and nothing else. */
static const char *answer_prompt(struct arena *a, const struct hook *hook, struct str *answer)
{
	static const char misfit[] = "the model's answer is not {\"ok\": true}, or {\"ok\": false, "
				     "\"reason\": \"...\"}";
	struct str text = str_trim(*answer), reason;
	const struct json *v, *ok, *why;
	/* As in Claude Code a prompt that refuses what a tool has done ends the turn, unless it
	 * says that the model is told and goes on.  Agents only comment. */
	bool ends_turn = hook->event->id == EV_AFTER_TOOL && hook->as->when == CASE_SUCCESS &&
			 strcmp(hook->handler->type, "prompt") == 0 &&
			 !json_is_true(json_getz(hook->own, "continueOnBlock"));

	if (str_starts(text, STR("```")) && str_ends(text, STR("```")) && text.n > 6) {
		text = str_sub(text, 3, text.n - 3);
		if (str_starts(text, STR("json")))
			text = str_sub(text, 4, text.n);
	}
	if (json_parse(a, text, 0, &v, NULL) < 0 || !json_is(v, J_OBJ) || v->yes)
		return misfit;
	ok = json_getz(v, "ok");
	why = json_getz(v, "reason");
	if (!json_is(ok, J_BOOL) || (why && !json_is(why, J_STR) && !json_is(why, J_NULL)))
		return misfit;
	reason = str_trim(json_str(why, STR("")));
	if (!reason.n)
		reason = STR("the model did not agree, and gave no reason");
	v = json_pack(a, "decision:z reason:s", "block", reason);
	if (ends_turn)
		v = json_set(a, v, STR("continue"), json_new_bool(a, false));
	*answer = ok->yes ? STR("") : json_text(a, v, JSON_COMPACT);
	return NULL;
}

/* ---- the rows ---- */

static const struct handler handlers[] = {
	{ .type = "http",
	  .key = KEY_HTTP,
	  .needs = { K_URL },
	  .owns = { K_URL, K_HEADERS, K_ALLOWED_ENV },
	  .label = label_http,
	  .check = check_http,
	  .request = request_http },
	{ .type = "mcp_tool",
	  .key = KEY_MCP_TOOL,
	  .needs = { K_SERVER, K_TOOL },
	  .owns = { K_SERVER, K_TOOL, K_INPUT },
	  .label = label_mcp_tool,
	  .request = request_mcp_tool },
	{ .type = "prompt",
	  .key = KEY_PROMPT,
	  .needs = { K_PROMPT },
	  .owns = { K_PROMPT, K_MODEL, K_CONTINUE_ON_BLOCK },
	  .timeout_ms = 30000,
	  .label = label_prompt,
	  .request = request_prompt,
	  .answer = answer_prompt },
	{ .type = "agent",
	  .key = KEY_PROMPT,
	  .needs = { K_PROMPT },
	  .owns = { K_PROMPT, K_MODEL },
	  .timeout_ms = 60000,
	  .label = label_prompt,
	  .request = request_prompt,
	  .answer = answer_prompt },
};

const struct handler *handler_at(size_t i)
{
	return i < ARRAY_LEN(handlers) ? &handlers[i] : NULL;
}

const struct handler *handler_find(struct str type)
{
	for (size_t i = 0; i < ARRAY_LEN(handlers); i++)
		if (str_eqz(type, handlers[i].type))
			return &handlers[i];
	return NULL;
}

struct handler_fault handler_read(const struct handler_entry *e, const struct handler *row)
{
	struct arena *a = &e->h->arena;
	const struct json *own = json_new_obj(a);
	struct hook *hook = e->hook;

	for (size_t i = 0; i < ARRAY_LEN(row->owns) && row->owns[i]; i++)
		if (e->got[row->owns[i]].v)
			own = json_set(a, own, str_from(hook_keys[row->owns[i]].name),
				       e->got[row->owns[i]].v);
	hook->handler = row;
	hook->own = own;
	hook->own_text = json_text(a, own, JSON_COMPACT).p;
	hook->command = arena_z(a, row->label(a, e->got));
	for (size_t i = 0; i < ARRAY_LEN(row->needs) && row->needs[i]; i++) {
		const char *name = hook_keys[row->needs[i]].name;

		if (!e->got[row->needs[i]].wrong && !text_of(e->got, row->needs[i]).n)
			return (struct handler_fault){
				"missing-key",
				arena_printf(a, "a hook of type \"%s\" needs \"%s\"", row->type,
					     name)
					.p,
				row->needs[i]
			};
	}
	for (size_t i = 0; i < ARRAY_LEN(row->owns) && row->owns[i]; i++)
		if (e->got[row->owns[i]].wrong) /* that was said already */
			return (struct handler_fault){ 0 };
	return row->check ? row->check(e) : (struct handler_fault){ 0 };
}
