#include "cli/mcp/mcp_guard_hooks.h"

#include <stdio.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "hosts/history.h"
#include "hosts/tools.h"
#include "mcp/guard_result.h"
#include "os/fs.h"
#include "os/thread.h"

enum {
	RUNNING_MAX = 64, /* firings at once; others wait */
	FIELDS = 6,
	ID_CHARS = 200,
};

struct guard_firing {
	struct message message;
	struct guard_hooks *owner;
	struct guard_call *call;
	struct tl_event event;
	struct tl_field fields[FIELDS];
	struct tl_cancel *cancel;
	struct thread *thread; /* NULL = it waits */
	struct tl_outcome *outcome; /* NULL: it failed */
	struct tl_err err;
	struct arena arena;
};

/* ---- events ---- */

static void add(struct guard_firing *f, const char *name, const struct json *v)
{
	struct str text = json_text(&f->arena, v, JSON_COMPACT);

	f->fields[f->event.nfields++] = (struct tl_field){ name, text.p, text.n };
}

/* What hooks are asked about, without what costs to make. */
static void describe(const struct guard_hooks *h, const struct guard_call *c, bool after,
		     struct arena *a, struct tl_event *e)
{
	struct tl_settings set = TL_SETTINGS_INIT(.single_mcp_names = 0);
	const char *tool = c->kind == GUARD_PROMPT ? "prompts/get" : c->name;

	tl_hooks_settings(h->hooks, &set);
	*e = (struct tl_event)TL_EVENT_INIT(.name = after ? "AfterTool" : "BeforeTool");
	if (c->kind == GUARD_RESOURCE) {
		e->subject = "read_mcp_resource";
		return;
	}
	e->subject = mcp_tool_name(a, set.single_mcp_names != 0, h->config->name, tool);
	e->mcp_server = h->config->name;
	e->mcp_tool = tool;
}

static void add_places(struct guard_firing *f)
{
	const struct guard_call *c = f->call;
	struct json_list paths = { 0 }, urls = { 0 };
	AUTO(free) char *path = c->kind == GUARD_RESOURCE ? host_uri_path(str_from(c->name)) : NULL;

	if (path && *path == '/') {
		AUTO(free) char *real = fs_resolve(path);

		json_list_add(&paths, json_pack_str(&f->arena, real ? real : path));
	} else if (c->kind == GUARD_RESOURCE) {
		json_list_add(&urls, json_pack_str(&f->arena, c->name));
	}
	add(f, "tool_paths", json_list_take(&f->arena, &paths));
	add(f, "tool_urls", json_list_take(&f->arena, &urls));
}

static void fill(struct guard_firing *f)
{
	const struct guard_call *c = f->call;
	bool after = c->phase == GUARD_AFTER;
	struct guard_hooks *h = f->owner;
	struct arena *a = &f->arena;
	const struct json *input = c->input;
	struct str failure;

	describe(h, c, after, a, &f->event);
	f->event.session_id = h->session;
	f->event.fields = f->fields;
	if (c->id)
		f->event.tool_call_id = arena_z(
			a, utf8_prefix(json_is(c->id, J_STR) ? json_str(c->id, STR(""))
							     : json_text(a, c->id, JSON_COMPACT),
				       ID_CHARS));
	if (c->kind == GUARD_RESOURCE)
		input = json_set(a, input, STR("serverName"), json_pack_str(a, h->config->name));
	add(f, "tool_input", input);
	add_places(f);
	add(f, "mcp_context",
	    mcp_config_context(a, h->config, c->kind == GUARD_RESOURCE ? NULL : f->event.mcp_tool));
	if (!after)
		return;
	add(f, "tool_response", guard_response(a, c));
	failure = guard_failure(a, c);
	if (failure.n) {
		f->event.failed = TL_FAILED_TOOL;
		add(f, "tool_error", json_new_str(a, failure));
	}
}

/* Would any hook run for a call that we know nothing of? */
static bool any(const struct guard_hooks *h, bool after)
{
	struct tl_hook hook = TL_HOOK_INIT();

	for (size_t i = 0; tl_hooks_get(h->hooks, i, &hook) >= 0; i++)
		if (hook.state == TL_STATE_WOULD_RUN &&
		    strcmp(hook.moment, after ? "AfterTool" : "BeforeTool") == 0)
			return true;
	return false;
}

bool guard_hooks_wants(const struct guard_hooks *h, const struct guard_call *c, bool after)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_event e;

	if (!c)
		return any(h, after);
	describe(h, c, after, &a, &e);
	if (tl_wants(h->hooks, &e))
		return true;
	e.failed = TL_FAILED_TOOL;
	return after && tl_wants(h->hooks, &e);
}

/* ---- firing ---- */

static void run(void *data)
{
	struct guard_firing *f = data;

	fill(f);
	(void)tl_fire(f->owner->hooks, &f->event, f->cancel, &f->outcome, &f->err);
	queue_push(f->owner->done, &f->message);
}

static void start(struct guard_firing *f)
{
	f->thread = f->cancel ? thread_start(run, f) : NULL;
	if (f->thread)
		return;
	/* Asked here it would delay others, for as long as it takes: the call is denied. */
	f->err = (struct tl_err){ .code = TL_E_SPAWN };
	(void)snprintf(f->err.text, sizeof f->err.text, "out of resources");
	queue_push(f->owner->done, &f->message);
}

static bool is_started(const struct guard_firing *f)
{
	return f->thread || f->err.code;
}

static void start_some(struct guard_hooks *h)
{
	size_t running = 0;

	for (size_t i = 0; i < h->firings.n; i++)
		running += is_started(h->firings.p[i]);
	for (size_t i = 0; i < h->firings.n && running < RUNNING_MAX; i++)
		if (!is_started(h->firings.p[i])) {
			start(h->firings.p[i]);
			running++;
		}
}

void guard_hooks_fire(struct guard_hooks *h, struct guard_call *c)
{
	struct guard_firing *f = xcalloc(1, sizeof *f);

	f->owner = h;
	f->call = c;
	f->cancel = tl_cancel_new(NULL);
	*VEC_ADD(&h->firings) = f;
	start_some(h);
}

void guard_hooks_cancel(struct guard_hooks *h, struct guard_call *c)
{
	for (size_t i = 0; i < h->firings.n; i++)
		if (h->firings.p[i]->call == c && h->firings.p[i]->cancel)
			tl_cancel_fire(h->firings.p[i]->cancel);
}

/* ---- what was said ---- */

static struct str lines(struct arena *a, const char *first, const char *second)
{
	return arena_printf(a, "%s%s%s", first, *first && *second ? "\n" : "", second);
}

static void say_why(struct arena *a, const struct tl_outcome *o, struct guard_word *w)
{
	const char *reason = tl_outcome_reason(o);

	w->deny = true;
	if (tl_outcome_stopped(o))
		w->reason = lines(a,
				  *tl_outcome_stop_reason(o) ? tl_outcome_stop_reason(o)
							     : "A hook stopped the session.",
				  "");
	else if (tl_outcome_verdict(o) == TL_VERDICT_DENY)
		w->reason =
			lines(a, *reason ? reason : "A hook denied this and gave no reason.", "");
	else
		w->reason = lines(a, reason,
				  "A hook wants the user to be asked, which cannot be done between "
				  "a program and an MCP server. Ask the user to do it, or to allow "
				  "it in the hook's settings.");
	/* What would be lost goes where it is read. */
	w->reason = lines(a, w->reason.p, tl_outcome_wrapped_context(o));
}

static void judge(const struct guard_firing *f, struct guard_word *w)
{
	struct arena *a = &f->call->arena;
	const struct tl_outcome *o = f->outcome;
	bool after = f->call->phase == GUARD_AFTER;
	const char *input, *result;

	*w = (struct guard_word){ 0 };
	if (!o) {
		w->deny = true;
		w->reason = arena_printf(a, "trotline mcp guard: cannot ask the hooks: %s",
					 f->err.text);
		return;
	}
	if (tl_outcome_stopped(o) || tl_outcome_verdict(o) >= TL_VERDICT_ASK) {
		say_why(a, o, w);
		return;
	}
	if (tl_outcome_change(o, TL_CHANGE_TAIL_CALL)) {
		w->deny = true;
		w->reason = STR("A hook wants another tool to be called in place of this one, "
				"which cannot be done between a program and an MCP server.");
		return;
	}
	w->context = lines(a, tl_outcome_wrapped_context(o), "");
	input = after ? NULL : tl_outcome_change(o, TL_CHANGE_TOOL_INPUT);
	result = after ? tl_outcome_change(o, TL_CHANGE_TOOL_RESULT) : NULL;
	if (input && (json_parse(a, lines(a, input, ""), 0, &w->input, NULL) < 0 ||
		      w->input->type != J_OBJ)) {
		w->deny = true;
		w->reason = STR("A hook changed the arguments into something that is no object.");
	}
	if (result)
		w->result = json_new_str(a, lines(a, result, ""));
}

static void tell_user(const struct guard_hooks *h, const struct tl_outcome *o)
{
	struct err err;

	if (o && *tl_outcome_message(o))
		complain("%s", tl_outcome_message(o));
	if (o && !h->no_record && tl_outcome_report_count(o) && history_keep(h->hooks, o, &err) < 0)
		complain("%s", err.text);
}

static void firing_free(struct guard_firing *f)
{
	thread_join(f->thread);
	tl_outcome_free(f->outcome);
	tl_cancel_free(f->cancel);
	arena_done(&f->arena);
	free(f);
}

struct guard_call *guard_hooks_take(struct guard_hooks *h, struct guard_word *ret)
{
	struct message *m = queue_pop(h->done);
	struct guard_firing *f = (struct guard_firing *)m;
	struct guard_call *c;
	size_t i = 0;

	if (!m)
		return NULL;
	while (h->firings.p[i] != f)
		i++;
	memmove(&h->firings.p[i], &h->firings.p[i + 1],
		(--h->firings.n - i) * sizeof(struct guard_firing *));
	judge(f, ret);
	tell_user(h, f->outcome);
	c = f->call;
	firing_free(f);
	start_some(h);
	return c;
}

void guard_hooks_done(struct guard_hooks *h)
{
	free(h->firings.p);
}
