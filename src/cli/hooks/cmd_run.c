/* trotline hooks run: fires an event and shows what each hook said and what they decided together.
 */
#include <signal.h>
#include <stdio.h>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/hooks/reaper.h"
#include "cli/interrupt.h"
#include "workbench/event_args.h"
#include "workbench/fixture.h"
#include "workbench/history.h"

struct run_args {
	struct load_args load;
	struct event_args event;
	const char *save;
	const char *expect; /* of a reaper: reaper_digest() of the session that started it */
	bool all, no_record;
	bool changed; /* they are not the hooks that were expected: the project's are left out */
};

static const struct opt opts[] = {
	EVENT_OPTS(struct run_args),
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct run_args, all),
	  "also show the hooks that do not concern this event" },
	{ "save", 0, "FILE", OPT_STR, offsetof(struct run_args, save),
	  "write this firing as a fixture for: trotline hooks test" },
	{ "no-record", 0, NULL, OPT_FLAG, offsetof(struct run_args, no_record),
	  "do not add this firing to the records" },
	LOAD_OPTS(struct run_args),
};
const struct opt_set run_opts = OPT_SET(opts, struct run_args);

static const struct opt reap[] = {
	EVENT_OPTS(struct run_args),
	{ "no-record", 0, NULL, OPT_FLAG, offsetof(struct run_args, no_record),
	  "do not add this firing to the records" },
	{ "expect", 0, "DIGEST", OPT_STR, offsetof(struct run_args, expect),
	  "leave the project's hooks out when the hooks are not those" },
	LOAD_OPTS(struct run_args),
};
const struct opt_set reap_opts = OPT_SET(reap, struct run_args);

/* What they decided, as a word, a colour and an exit status. */
struct decision {
	const char *word;
	enum style style;
	int status;
};

static struct decision decide(const struct tl_outcome *o)
{
	static const struct decision by_verdict[] = {
		[TL_NONE] = { "allowed", GREEN, EXIT_OK },
		[TL_ALLOW] = { "allowed", GREEN, EXIT_OK },
		[TL_ASK] = { "asks the user", YELLOW, EXIT_ASKED },
		[TL_DENY] = { "denied", RED, EXIT_DENIED },
	};

	if (tl_outcome_stopped(o))
		return (struct decision){ "stopped", RED, EXIT_STOPPED };
	return by_verdict[tl_outcome_verdict(o)];
}

/* ---- for programs ---- */

static void json_change(struct jw *w, const struct tl_outcome *o)
{
	static const char *const names[] = {
		[TL_TOOL_INPUT] = "tool_input",         [TL_LLM_REQUEST] = "llm_request",
		[TL_LLM_RESPONSE] = "llm_response",     [TL_TOOL_CONFIG] = "toolConfig",
		[TL_TAIL_CALL] = "tailToolCallRequest",
	};
	const char *text = tl_outcome_change(o, TL_TOOL_RESULT);

	jw_key(w, "changes");
	jw_obj(w);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *json = tl_outcome_change(o, (enum tl_change)i);

		if (!json)
			continue;
		jw_key(w, names[i]);
		jw_raw(w, str_from(json));
	}
	if (text)
		jw_kv_z(w, "tool_result", text);
	jw_end(w);
}

/* What a hook printed, as valid UTF-8. */
static void json_output(struct jw *w, const char *key, struct str s)
{
	AUTO(buf_done) struct buf clean = { 0 };

	(void)utf8_add_clean(&clean, s);
	jw_kv_str(w, key, buf_str(&clean));
}

static void json_report(struct jw *w, const struct tl_report *r)
{
	jw_obj(w);
	json_hook(w, &r->hook);
	jw_kv_z(w, "state", tl_state_name(r->state));
	if (r->state == TL_STATE_RAN) {
		jw_kv_z(w, "class", tl_class_name(r->how));
		jw_kv_z(w, "verdict", tl_verdict_name(r->verdict));
		jw_kv_bool(w, "stop", r->stopped);
		jw_key(w, "exitCode");
		if (r->exit_code >= 0)
			jw_int(w, r->exit_code);
		else
			jw_null(w);
		if (r->signal)
			jw_kv_int(w, "signal", r->signal);
		jw_key(w, "ms");
		jw_num(w, (double)r->elapsed_us / 1000);
		jw_kv_z(w, "reason", r->reason);
		jw_kv_z(w, "message", r->message);
		json_output(w, "stdout", (struct str){ r->output, r->output_length });
		json_output(w, "stderr", (struct str){ r->errors, r->errors_length });
	} else {
		jw_kv_z(w, "why", r->why);
	}
	jw_end(w);
}

static void print_json(const struct tl_outcome *o, const struct tl_event *event, bool changed)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_obj(&w);
	jw_kv_z(&w, "event", event->name);
	jw_kv_z(&w, "subject", event->subject);
	if (changed)
		jw_kv_bool(&w, "changed", true);
	jw_key(&w, "outcome");
	jw_obj(&w);
	jw_kv_z(&w, "decision", decide(o).word);
	jw_kv_z(&w, "verdict", tl_verdict_name(tl_outcome_verdict(o)));
	jw_kv_bool(&w, "stop", tl_outcome_stopped(o));
	jw_kv_z(&w, "reason", tl_outcome_reason(o));
	jw_kv_z(&w, "stopReason", tl_outcome_stop_reason(o));
	jw_kv_z(&w, "systemMessage", tl_outcome_message(o));
	jw_kv_z(&w, "additionalContext", tl_outcome_context(o));
	jw_kv_bool(&w, "clearContext", tl_outcome_clear_context(o));
	jw_kv_bool(&w, "suppressOutput", tl_outcome_suppressed(o));
	json_change(&w, o);
	jw_end(&w);
	jw_key(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < tl_outcome_reports(o); i++) {
		struct tl_report r = { .size = sizeof r };

		(void)tl_outcome_report(o, i, &r);
		json_report(&w, &r);
	}
	jw_end(&w);
	jw_key(&w, "diagnostics");
	jw_arr(&w);
	for (size_t i = 0; i < tl_outcome_diagnostics(o); i++) {
		struct tl_diagnostic d = { .size = sizeof d };

		(void)tl_outcome_diagnostic(o, i, &d);
		json_diagnostic(&w, &d);
	}
	jw_end(&w);
	jw_end(&w);
	out_json(&out);
}

/* ---- for people ---- */

static bool is_shown(const struct tl_report *r, bool all)
{
	return all || (r->state != TL_STATE_NO_MATCH && r->state != TL_STATE_NOT_HERE);
}

static enum style verdict_style(const struct tl_report *r)
{
	static const enum style styles[] = { PLAIN, GREEN, YELLOW, RED };

	return r->stopped ? RED : styles[r->verdict];
}

static const char *verdict_word(const struct tl_report *r)
{
	return r->stopped ? "stop" : r->verdict == TL_NONE ? "pass" : tl_verdict_name(r->verdict);
}

static void print_report(const struct tl_hooks *hooks, const struct tl_report *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool ran = r->state == TL_STATE_RAN;

	if (ran)
		out_f(verdict_style(r), "  %-6s", verdict_word(r));
	else
		out_f(DIM, "  %-6s", "-");
	out_text(ran ? BOLD : DIM, short_name(&r->hook, &a), 1);
	out_f(PLAIN, "         %s", tl_tier_name(r->hook.tier));
	if (r->hook.line)
		out_f(PLAIN, "  %s:%u", short_path(hooks, r->hook.file, &a), r->hook.line);
	if (ran && r->exit_code > 0)
		out_f(PLAIN, "  %s (exit %d)", tl_class_name(r->how), r->exit_code);
	else
		out_f(PLAIN, "  %s", ran ? tl_class_name(r->how) : tl_state_name(r->state));
	if (ran)
		out_f(PLAIN, "  %.1f ms", (double)r->elapsed_us / 1000);
	if (ran && r->hook.observe)
		out_f(CYAN, "  only observes");
	out_f(PLAIN, "\n");
	if (!ran)
		out_text(DIM, r->why, 9);
	else if (*r->reason && (r->verdict >= TL_ASK || r->stopped))
		out_text(verdict_style(r), r->reason, 9);
	/* The reason of a failed hook's denial says what the warning would say again. */
	if (ran && *r->message && !(r->how >= TL_CLASS_WARNED && r->verdict >= TL_ASK))
		out_text(PLAIN, r->message, 9);
}

static void print_labelled(const char *label, const char *text)
{
	if (!text || !*text)
		return;
	out_f(DIM, "%s\n", label);
	out_text(PLAIN, text, 2);
}

/* What happens instead of what the agent had in mind. */
static void print_changes(const struct tl_outcome *o)
{
	static const struct {
		enum tl_change which;
		const char *label;
	} rows[] = {
		{ TL_TOOL_INPUT, "the tool runs with these arguments instead:" },
		{ TL_LLM_REQUEST, "the request becomes:" },
		{ TL_LLM_RESPONSE, "the model's answer is replaced by:" },
		{ TL_TOOL_CONFIG, "tools that the model may call:" },
		{ TL_TAIL_CALL, "the agent calls another tool:" },
		{ TL_TOOL_RESULT, "the tool's result becomes:" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		print_labelled(rows[i].label, tl_outcome_change(o, rows[i].which));
}

/* A text behind "WORD:", its further lines below its first one. */
static void print_after(const char *word, const char *text)
{
	const char *eol = strchr(text, '\n');
	AUTO(free) char *first = xstrndup(text, eol ? (size_t)(eol - text) : strlen(text));

	out_text(PLAIN, first, 1);
	if (eol && eol[1])
		out_text(PLAIN, eol + 1, (int)strlen(word) + 2);
}

static void print_outcome(const struct tl_outcome *o)
{
	struct decision d = decide(o);
	const char *reason =
		tl_outcome_stopped(o) ? tl_outcome_stop_reason(o) : tl_outcome_reason(o);

	out_f(d.style, "%s%s", d.word, *reason ? ":" : "\n");
	if (*reason)
		print_after(d.word, reason);
	if (!tl_outcome_suppressed(o))
		print_labelled("message to the user:", tl_outcome_message(o));
	print_labelled("context for the agent:", tl_outcome_context(o));
	if (d.status == EXIT_OK || d.status == EXIT_ASKED)
		print_changes(o);
	if (tl_outcome_clear_context(o))
		out_f(PLAIN, "the agent's memory of the conversation is cleared\n");
}

static void print_head(const struct tl_event *event)
{
	out_f(BOLD, "%s", event->name);
	if (event->subject) {
		AUTO(buf_done) struct buf input = { 0 };

		buf_addz(&input, event->subject);
		for (size_t i = 0; i < event->nfields; i++)
			if (strcmp(event->fields[i].name, "tool_input") == 0)
				buf_addf(&input, " %s", event->fields[i].json);
		out_text(PLAIN, buf_z(&input), 1);
	} else {
		out_f(PLAIN, "\n");
	}
	out_f(PLAIN, "\n");
}

static void print_text(const struct tl_hooks *hooks, const struct tl_outcome *o, bool all)
{
	size_t shown = 0, hidden = 0;

	for (size_t i = 0; i < tl_outcome_reports(o); i++) {
		struct tl_report r = { .size = sizeof r };

		(void)tl_outcome_report(o, i, &r);
		if (is_shown(&r, all)) {
			print_report(hooks, &r);
			shown++;
		} else {
			hidden++;
		}
	}
	if (!shown)
		out_f(DIM, "  no hook concerns this event\n");
	if (hidden)
		out_f(DIM, "  (%zu more do%s not match; --all shows them)\n", hidden,
		      hidden == 1 ? "es" : "");
	out_f(PLAIN, "\n");
	print_outcome(o);
	(void)fflush(stdout);
	for (size_t i = 0; i < tl_outcome_diagnostics(o); i++) {
		struct tl_diagnostic d = { .size = sizeof d };

		(void)tl_outcome_diagnostic(o, i, &d);
		/* A failed hook's line says it already. */
		if (strcmp(d.code, "hook-failed") != 0)
			print_diagnostic(hooks, &d);
	}
}

static int report(const struct run_args *args, struct tl_hooks *hooks, const struct event_made *m,
		  const struct tl_outcome *o)
{
	struct err err;

	if (!args->no_record && history_keep(hooks, o, &err) < 0)
		complain("%s", err.text);
	if (args->load.json)
		print_json(o, &m->event, args->changed);
	else
		print_text(hooks, o, args->all);
	if (args->save) {
		if (fixture_write(args->save, m, o, &err) < 0) {
			complain("%s", err.text);
			return EXIT_USAGE;
		}
		(void)fprintf(stderr, "Saved as a fixture; run it with: trotline hooks test %s\n",
			      args->save);
	}
	return decide(o).status;
}

/* Loads the configuration; EXIT_OK when its hooks may run. */
static int prepare(const struct run_args *args, struct tl_hooks **ret_hooks)
{
	int status = load_hooks(&args->load, args->load.json, ret_hooks);

	if (status != EXIT_OK || args->load.no_project)
		return status;
	status = check_trust(*ret_hooks);
	if (status != EXIT_OK && args->load.json)
		json_error("the project has hooks that nobody approved", status);
	if (status != EXIT_OK)
		tl_hooks_unref(*ret_hooks);
	return status;
}

/*
 * The hooks of a session that has begun: who works in the project must not be able to add one, to
 * change one, or to silence those of the user by what it writes there.
 */
static int prepare_expected(struct run_args *args, struct tl_hooks **ret_hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct run_args first = *args;
	int status;

	if (!args->expect || args->load.no_project)
		return prepare(args, ret_hooks);
	first.load.json = false; /* what is wrong is not the answer yet */
	status = prepare(&first, ret_hooks);
	if (status == EXIT_OK && strcmp(reaper_digest(*ret_hooks, &a), args->expect) == 0)
		return status;
	if (status == EXIT_OK)
		tl_hooks_unref(*ret_hooks);
	args->changed = args->load.no_project = true;
	return prepare(args, ret_hooks);
}

static int fire(struct run_args *args, const struct event_made *m)
{
	struct tl_hooks *hooks;
	struct tl_outcome *o;
	struct tl_err err;
	int status = prepare_expected(args, &hooks);

	if (status != EXIT_OK)
		return status;
	if (!args->load.json) {
		/* Before the hooks run, as they may take their time. */
		print_head(&m->event);
		(void)fflush(stdout);
	}
	if (tl_fire(hooks, &m->event, interrupt_cancel(), &o, &err) < 0) {
		complain("%s", err.text);
		status = err.code == TL_E_CANCEL ? interrupt_status() : EXIT_USAGE;
	} else {
		status = report(args, hooks, m, o);
		tl_outcome_free(o);
	}
	tl_hooks_unref(hooks);
	return status;
}

static int make_event(struct event_made *m, struct arena *a, const char *name,
		      const struct run_args *args)
{
	struct err err;

	if (event_tool_remark(a, &args->event))
		complain("%s", event_tool_remark(a, &args->event));
	if (event_make(m, a, name, &args->event, &err) == 0)
		return EXIT_OK;
	complain("%s", err.text);
	return EXIT_USAGE;
}

int cmd_run(const void *args_, int n, char **rest)
{
	struct run_args args = *(const struct run_args *)args_;
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_hooks *hooks;
	struct event_made m;
	int status = make_event(&m, &a, rest[0], &args);

	(void)n;
	if (status != EXIT_OK)
		return status;
	if (strcmp(m.event.name, "SessionEnd") != 0 || args.save)
		return fire(&args, &m);
	/* Say here what keeps the hooks from running; they themselves run under the reaper. */
	status = prepare(&args, &hooks);
	if (status != EXIT_OK)
		return status;
	tl_hooks_unref(hooks);
	return reaper_fire(&args.load, &m, !args.no_record);
}

int cmd_reap(const void *args_, int n, char **rest)
{
	struct run_args args = *(const struct run_args *)args_;
	AUTO(arena_done) struct arena a = { 0 };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct event_made m;
	int status = make_event(&m, &a, rest[0], &args);

	(void)n;
	/* Whoever started us may be gone by the time there is something to say. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	return status != EXIT_OK ? status : fire(&args, &m);
}
