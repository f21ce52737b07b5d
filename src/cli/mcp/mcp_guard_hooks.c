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
	struct tl_hooks *hooks[HOST_ROOTS_MAX]; /* those of its time */
	size_t snapshots;
	struct tl_outcome *outcomes[HOST_ROOTS_MAX]; /* of the snapshots that were asked */
	size_t asked;
	struct tl_err err; /* why the next could not be asked */
	struct arena arena;
};

/* ---- events ---- */

static void add(struct guard_firing *f, const char *name, const struct json *v)
{
	struct str text = json_text(&f->arena, v, JSON_COMPACT);

	f->fields[f->event.nfields++] = (struct tl_field){ name, text.p, text.n };
}

static const char *tool_of(const struct guard_call *c)
{
	return c->kind == GUARD_PROMPT ? "prompts/get" : c->name;
}

/* The tool as the settings of this snapshot spell it. */
static const char *subject(const struct guard_hooks *h, const struct tl_hooks *hooks,
			   const struct guard_call *c, struct arena *a)
{
	struct tl_settings set = TL_SETTINGS_INIT(.single_mcp_names = 0);

	if (c->kind == GUARD_RESOURCE)
		return "read_mcp_resource";
	tl_hooks_settings(hooks, &set);
	return mcp_tool_name(a, set.single_mcp_names != 0, h->config->name, tool_of(c));
}

/* What hooks are asked about, without what costs to make and the subject. */
static void describe(const struct guard_hooks *h, const struct guard_call *c, bool after,
		     struct tl_event *e)
{
	*e = (struct tl_event)TL_EVENT_INIT(.name = after ? "AfterTool" : "BeforeTool");
	if (c->kind == GUARD_RESOURCE)
		return;
	e->mcp_server = h->config->name;
	e->mcp_tool = tool_of(c);
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

	describe(h, c, after, &f->event);
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

/* How many snapshots have a hook for that moment, which may concern any call. */
static size_t count(struct tl_hooks *const *hooks, size_t snapshots, bool after)
{
	const char *moment = after ? "AfterTool" : "BeforeTool";
	size_t n = 0;

	for (size_t i = 0; i < snapshots; i++) {
		struct tl_hook hook = TL_HOOK_INIT();
		bool any = false;

		for (size_t k = 0; !any && tl_hooks_get(hooks[i], k, &hook) >= 0; k++)
			any = hook.state == TL_STATE_WOULD_RUN && strcmp(hook.moment, moment) == 0;
		n += any;
	}
	return n;
}

bool guard_hooks_wants(const struct guard_hooks *h, const struct guard_call *c, bool after)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_event e;

	if (*h->problem)
		return true;
	if (!c)
		return count(h->hooks, h->snapshots, after) > 0;
	for (size_t i = 0; i < h->snapshots; i++) {
		describe(h, c, after, &e);
		e.subject = subject(h, h->hooks[i], c, &a);
		if (tl_wants(h->hooks[i], &e))
			return true;
		e.failed = TL_FAILED_TOOL;
		if (after && tl_wants(h->hooks[i], &e))
			return true;
	}
	return false;
}

/* ---- firing ---- */

static bool denies(const struct tl_outcome *o)
{
	return tl_outcome_stopped(o) || tl_outcome_verdict(o) == TL_VERDICT_DENY;
}

/* Each snapshot, until one has denied. */
static void run(void *data)
{
	struct guard_firing *f = data;
	struct guard_hooks *h = f->owner;
	bool denied = false;

	fill(f);
	while (f->asked != f->snapshots && !denied) {
		struct tl_hooks *hooks = f->hooks[f->asked];
		struct tl_outcome *o;

		f->event.subject = subject(h, hooks, f->call, &f->arena);
		if (tl_fire(hooks, &f->event, f->cancel, &o, &f->err) < 0)
			break;
		f->outcomes[f->asked++] = o;
		denied = denies(o);
	}
	queue_push(h->done, &f->message);
}

static void fail(struct guard_firing *f, int code, const char *why)
{
	f->err = (struct tl_err){ .code = code };
	(void)snprintf(f->err.text, sizeof f->err.text, "%.*s", (int)sizeof f->err.text - 1, why);
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
	for (size_t i = 0; i < h->firings.n && running < RUNNING_MAX; i++) {
		struct guard_firing *f = h->firings.p[i];

		if (is_started(f))
			continue;
		running++;
		f->thread = f->cancel && !f->err.code ? thread_start(run, f) : NULL;
		if (f->thread)
			continue;
		/* Asked here it would delay others, for as long as it takes: the call is denied. */
		if (!f->err.code)
			fail(f, TL_E_SPAWN, "out of resources");
		queue_push(h->done, &f->message);
	}
}

void guard_hooks_fire(struct guard_hooks *h, struct guard_call *c)
{
	struct guard_firing *f = xcalloc(1, sizeof *f);

	f->owner = h;
	f->call = c;
	f->cancel = tl_cancel_new(NULL);
	for (; f->snapshots < h->snapshots; f->snapshots++)
		f->hooks[f->snapshots] = tl_hooks_ref(h->hooks[f->snapshots]);
	*VEC_ADD(&h->firings) = f;
	if (*h->problem) {
		fail(f, TL_E_CONFIG, h->problem);
		queue_push(h->done, &f->message);
		return;
	}
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

static void deny(struct guard_word *w, struct str reason)
{
	w->deny = true;
	w->reason = reason;
}

/* What hooks have changed, which those of another folder have not seen. */
static void take_changes(const struct guard_firing *f, const struct tl_outcome *o,
			 struct guard_word *w)
{
	struct arena *a = &f->call->arena;
	bool after = f->call->phase == GUARD_AFTER;
	const char *input = after ? NULL : tl_outcome_change(o, TL_CHANGE_TOOL_INPUT);
	const char *result = after ? tl_outcome_change(o, TL_CHANGE_TOOL_RESULT) : NULL;

	if (tl_outcome_change(o, TL_CHANGE_TAIL_CALL))
		deny(w, STR("A hook wants another tool to be called in place of this one, "
			    "which cannot be done between a program and an MCP server."));
	else if ((input || result) && count(f->hooks, f->snapshots, after) > 1)
		deny(w, STR("A hook changed this, and hooks of another project around it would "
			    "have to be asked about the change, which cannot be done."));
	else if (input && (json_parse(a, lines(a, input, ""), 0, &w->input, NULL) < 0 ||
			   w->input->type != J_OBJ))
		deny(w, STR("A hook changed the arguments into something that is not an object."));
	else if (result)
		w->result = json_new_str(a, lines(a, result, ""));
}

static void judge_all(const struct guard_firing *f, struct guard_word *w)
{
	struct arena *a = &f->call->arena;
	const struct tl_outcome *o;

	*w = (struct guard_word){ 0 };
	/* Were all asked that could have denied? */
	if (!f->asked || (f->asked != f->snapshots && !denies(f->outcomes[f->asked - 1]))) {
		deny(w,
		     arena_printf(a, "trotline mcp guard: cannot ask the hooks: %s", f->err.text));
		return;
	}
	/* The strictest that was said. */
	o = f->outcomes[0];
	for (size_t i = 1; i < f->asked; i++)
		if (denies(f->outcomes[i]) ||
		    tl_outcome_verdict(f->outcomes[i]) > tl_outcome_verdict(o))
			o = f->outcomes[i];
	if (denies(o) || tl_outcome_verdict(o) >= TL_VERDICT_ASK) {
		say_why(a, o, w);
		return;
	}
	for (size_t i = 0; i < f->asked && !w->deny; i++) {
		w->context = lines(a, arena_z(a, w->context),
				   tl_outcome_wrapped_context(f->outcomes[i]));
		take_changes(f, f->outcomes[i], w);
	}
}

static void judge(const struct guard_firing *f, struct guard_word *w)
{
	const struct guard_hooks *h = f->owner;
	char id[HISTORY_ID_SIZE];
	bool kept = false; /* it is in the records */

	history_id(id);
	for (size_t i = 0; i < f->asked; i++) {
		const struct tl_outcome *o = f->outcomes[i];
		struct err err;
		int r = 0;

		if (*tl_outcome_message(o))
			complain("%s", tl_outcome_message(o));
		if (!h->no_record && tl_outcome_report_count(o))
			r = history_keep(f->hooks[i], id, "mcp-guard", o, &err);
		if (r < 0)
			complain("%s", err.text);
		kept |= r > 0;
	}
	judge_all(f, w);
	if (w->deny && kept)
		w->reason = arena_printf(&f->call->arena, "%.*s\nWhy: trotline hooks why %s",
					 STR_ARG(w->reason), id);
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
	c = f->call;
	thread_join(f->thread);
	for (i = 0; i < f->asked; i++)
		tl_outcome_free(f->outcomes[i]);
	for (i = 0; i < f->snapshots; i++)
		tl_hooks_unref(f->hooks[i]);
	tl_cancel_free(f->cancel);
	arena_done(&f->arena);
	free(f);
	start_some(h);
	return c;
}

void guard_hooks_done(struct guard_hooks *h)
{
	free(h->firings.p);
}
