/* trotline hooks run: fires an event, shows what each hook said and what they decided. */
#include <unistd.h>

#include "base/utf8.h"
#include "base/words.h"
#include "hooks/job.h"
#include "hosts/history.h"
#include "os/fd.h"
#include "workbench/commands.h"
#include "workbench/event_args.h"
#include "workbench/fixture.h"
#include "workbench/lint.h"
#include "workbench/reaper.h"
#include "workbench/show.h"

struct run_args {
	struct load_args load;
	struct event_args event;
	const char *save, *model, *recorded;
	bool aloud; /* a reaper that says at once what is shown to the user */
	const char *expect; /* of a reaper: reaper_digest() of the session that started it */
	bool all, no_record, show_payload, show_output;
	bool changed; /* they are not the hooks that were expected: the project's are left out */
};

static const struct opt opts[] = {
	EVENT_OPTS(struct run_args),
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct run_args, all),
	  "also show the hooks that do not concern this event" },
	{ "show-payload", 0, NULL, OPT_FLAG, offsetof(struct run_args, show_payload),
	  "also show what the hooks read on stdin" },
	{ "show-output", 'o', NULL, OPT_FLAG, offsetof(struct run_args, show_output),
	  "also show what each hook printed; stderr of one that failed, or that printed "
	  "nothing else, is always shown" },
	{ "model", 'm', "NAME", OPT_STR, offsetof(struct run_args, model),
	  "the model that prompt and agent hooks ask" },
	{ "fake-responses", 0, "FILE", OPT_STR, offsetof(struct run_args, recorded),
	  "recorded answers in its place, read from their beginning" },
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
	{ "model", 'm', "NAME", OPT_STR, offsetof(struct run_args, model),
	  "the model that prompt and agent hooks ask" },
	{ "fake-responses", 0, "FILE", OPT_STR, offsetof(struct run_args, recorded),
	  "recorded answers in its place, read from their beginning" },
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
		[TL_VERDICT_NONE] = { "allowed", GREEN, EXIT_OK },
		[TL_VERDICT_ALLOW] = { "allowed", GREEN, EXIT_OK },
		[TL_VERDICT_ASK] = { "asks the user", YELLOW, EXIT_ASKED },
		[TL_VERDICT_DENY] = { "denied", RED, EXIT_DENIED },
	};

	if (tl_outcome_stopped(o))
		return (struct decision){ "stopped", RED, EXIT_STOPPED };
	return by_verdict[tl_outcome_verdict(o)];
}

/* ---- for programs ---- */

static const struct {
	enum tl_change which;
	const char *name,
		*label; /* the label: what happens instead of what the agent had in mind */
} change_rows[] = {
	{ TL_CHANGE_TOOL_INPUT, "tool_input", "the tool runs with these arguments instead:" },
	{ TL_CHANGE_LLM_REQUEST, "llm_request", "the request becomes:" },
	{ TL_CHANGE_LLM_RESPONSE, "llm_response", "the model's answer is replaced by:" },
	{ TL_CHANGE_TOOL_CONFIG, "toolConfig", "tools that the model may call:" },
	{ TL_CHANGE_TAIL_CALL, "tailToolCallRequest", "the agent calls another tool:" },
	{ TL_CHANGE_TOOL_RESULT, "tool_result", "the tool's result becomes:" },
	{ TL_CHANGE_PERMISSIONS, "permissions", "for the rest of the session:" },
	{ TL_CHANGE_RETRY, "retry", "the model may try again:" },
	{ TL_CHANGE_ELICITATION, "elicitation", "the server is answered:" },
	{ TL_CHANGE_DISPLAY, "display", "what is shown becomes:" },
	{ TL_CHANGE_WATCH_PATHS, "watch_paths", "these files are also watched:" },
};

/* What a hook printed, as valid UTF-8. */
static struct str output(struct arena *a, const char *p, size_t n)
{
	AUTO(buf_done) struct buf clean = { 0 };

	(void)utf8_add_clean(&clean, (struct str){ p, n });
	return arena_str(a, buf_str(&clean));
}

static const struct json *report_value(struct arena *a, const struct tl_report *r)
{
	const struct json *v =
		json_pack_more(a, hook_value(a, r->hook), "state:z", tl_state_name(r->state));

	if (r->state != TL_STATE_RAN)
		return json_pack_more(a, v, "why:z", r->why);
	return json_pack_more(
		a, v,
		"class:z verdict:z stop:b exitCode:j ?signal:i ms:f reason:z message:z stdout:s "
		"stderr:s",
		tl_class_name(r->how), tl_verdict_name(r->verdict), r->stopped,
		r->exit_code >= 0 ? json_new_int(a, r->exit_code) : NULL, r->signal,
		(double)r->elapsed_us / 1000, r->reason, r->message,
		output(a, r->output, r->output_length), output(a, r->errors, r->errors_length));
}

static const struct json *outcome_value(struct arena *a, const struct tl_outcome *o)
{
	const struct json *all = json_new_obj(a), *v;

	for (size_t i = 0; i < ARRAY_LEN(change_rows); i++) {
		const char *text = tl_outcome_change(o, change_rows[i].which);

		if (!text)
			continue;
		if (change_rows[i].which == TL_CHANGE_TOOL_RESULT ||
		    json_parse(a, str_from(text), 0, &v, NULL) < 0)
			v = json_pack_str(a, text);
		all = json_set(a, all, str_from(change_rows[i].name), v);
	}
	return json_pack(a,
			 "decision:z verdict:z stop:b reason:z stopReason:z systemMessage:z "
			 "additionalContext:z clearContext:b suppressOutput:b changes:j",
			 decide(o).word, tl_verdict_name(tl_outcome_verdict(o)),
			 tl_outcome_stopped(o), tl_outcome_reason(o), tl_outcome_stop_reason(o),
			 tl_outcome_message(o), tl_outcome_context(o), tl_outcome_clear_context(o),
			 tl_outcome_suppressed(o), all);
}

/* ---- for people ---- */

static enum style verdict_style(const struct tl_report *r)
{
	static const enum style styles[] = { PLAIN, GREEN, YELLOW, RED };

	return r->stopped ? RED : styles[r->verdict];
}

/* A hook that crashed has let nothing pass; it had no say. */
static const char *verdict_word(const struct tl_report *r)
{
	if (r->stopped)
		return "stop";
	if (r->verdict != TL_VERDICT_NONE)
		return tl_verdict_name(r->verdict);
	return r->how < TL_CLASS_WARNED ? "pass" : r->how == TL_CLASS_WARNED ? "warn" : "fail";
}

/* What it printed, unless the line above it says all of it. */
static void show_printed(struct sheet *p, const char *what, const char *text, size_t n,
			 const char *said)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str clean = str_trim(output(&a, text, n));

	if (!clean.n || strstr(said, arena_z(&a, clean)))
		return;
	sheet_f(p, DIM, "         %s:\n", what);
	sheet_text(p, PLAIN, arena_z(&a, clean), 11);
}

/* Why a hook failed is often in its files: what lint says of it. */
static void show_findings(struct sheet *p, const struct tl_hooks *hooks, const struct tl_hook *hook)
{
	AUTO(lint_done) struct lint l = { .cwd = tl_hooks_project_dir(hooks) };
	size_t i = 0;

	while (i < hooks->nhooks && &hooks->infos[i] != hook)
		i++;
	if (i == hooks->nhooks || hooks->hooks[i]->handler || hooks->hooks[i]->policy)
		return;
	lint_command(&l, hooks, i, hook->command);
	for (i = 0; i < l.found.n; i++) {
		if (l.found.p[i].d.severity == TL_SEVERITY_NOTE)
			continue;
		sheet_f(p, CYAN, "         lint:");
		sheet_text(p, PLAIN, l.found.p[i].d.text, 1);
	}
}

static void show_report(struct sheet *p, const struct tl_hooks *hooks, const struct tl_report *r,
			bool all_output)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool ran = r->state == TL_STATE_RAN, failed = ran && r->how >= TL_CLASS_WARNED;

	if (ran)
		sheet_f(p, failed && r->verdict == TL_VERDICT_NONE ? YELLOW : verdict_style(r),
			"  %-6s", verdict_word(r));
	else
		sheet_f(p, DIM, "  %-6s", "-");
	sheet_text(p, ran ? BOLD : DIM, short_name(r->hook, &a), 1);
	sheet_f(p, PLAIN, "         %s", tl_tier_name(r->hook->tier));
	if (r->hook->line)
		sheet_f(p, PLAIN, "  %s:%u", short_path(hooks, r->hook->file, &a), r->hook->line);
	if (ran && r->exit_code > 0)
		sheet_f(p, PLAIN, "  %s (exit %d)", tl_class_name(r->how), r->exit_code);
	else
		sheet_f(p, PLAIN, "  %s", ran ? tl_class_name(r->how) : tl_state_name(r->state));
	if (ran)
		sheet_f(p, PLAIN, "  %.1f ms", (double)r->elapsed_us / 1000);
	if (ran && r->hook->observe)
		sheet_f(p, CYAN, "  only observes");
	sheet_f(p, PLAIN, "\n");
	if (!ran)
		sheet_text(p, DIM, r->why, 9);
	else if (*r->reason && (r->verdict >= TL_VERDICT_ASK || r->stopped))
		sheet_text(p, verdict_style(r), r->reason, 9);
	/* The reason of a failed hook's denial says what the warning would say again. */
	if (ran && *r->message && !(failed && r->verdict >= TL_VERDICT_ASK))
		sheet_text(p, PLAIN, r->message, 9);
	if (all_output)
		show_printed(p, "stdout", r->output, r->output_length, "");
	if (all_output || failed)
		show_printed(p, "stderr", r->errors, r->errors_length,
			     all_output    ? ""
			     : *r->message ? r->message
					   : r->reason);
	else if (ran && r->how == TL_CLASS_OK && !r->output_length && r->verdict == TL_VERDICT_NONE)
		/* It ended with 0 and said nothing else: a denial that lacks its exit status. */
		show_printed(p, "stderr, which denies only with exit 2", r->errors,
			     r->errors_length, "");
	if (failed)
		show_findings(p, hooks, r->hook);
}

static void show_labelled(struct sheet *p, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	sheet_f(p, DIM, "%s\n", label);
	sheet_text(p, PLAIN, text, 2);
}

/* The reasons of those that decided, each once: several hooks may have the same. */
static const char *reasons_of(struct arena *a, const struct tl_outcome *o)
{
	const char **seen = ARENA_ARRAY(a, const char *, tl_outcome_report_count(o));
	bool stopped = tl_outcome_stopped(o);
	AUTO(buf_done) struct buf all = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		if (r.state != TL_STATE_RAN || r.hook->observe || !*r.reason ||
		    (stopped ? !r.stopped : r.verdict != tl_outcome_verdict(o)) ||
		    word_in(str_from(r.reason), seen, n))
			continue;
		buf_addf(&all, "%s%s", n ? "\n" : "", r.reason);
		seen[n++] = r.reason;
	}
	if (n && (stopped || tl_outcome_verdict(o) >= TL_VERDICT_ASK))
		return arena_z(a, buf_str(&all));
	return stopped ? tl_outcome_stop_reason(o) : tl_outcome_reason(o);
}

static void show_outcome(struct sheet *p, const struct tl_outcome *o)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct decision d = decide(o);
	const char *reason = reasons_of(&a, o);

	sheet_f(p, d.style, "%s%s", d.word, *reason ? ":" : "\n");
	if (*reason) {
		/* A text behind "WORD:", its further lines below its first one. */
		const char *eol = strchr(reason, '\n');
		AUTO(free) char *first =
			xstrndup(reason, eol ? (size_t)(eol - reason) : strlen(reason));

		sheet_text(p, PLAIN, first, 1);
		if (eol && eol[1])
			sheet_text(p, PLAIN, eol + 1, (int)strlen(d.word) + 2);
	}
	if (!tl_outcome_suppressed(o))
		show_labelled(p, "message to the user:", tl_outcome_message(o));
	show_labelled(p, "context for the agent:", tl_outcome_context(o));
	if (d.status == EXIT_OK || d.status == EXIT_ASKED)
		for (size_t i = 0; i < ARRAY_LEN(change_rows); i++)
			show_labelled(p, change_rows[i].label,
				      tl_outcome_change(o, change_rows[i].which));
	if (tl_outcome_clear_context(o))
		sheet_f(p, PLAIN, "the agent's memory of the conversation is cleared\n");
}

/* What the hooks that ran were sent, in each of their dialects. */
static const struct json *payloads(struct arena *a, struct tl_hooks *hooks,
				   const struct event_made *m, const struct tl_outcome *o)
{
	const struct json *all = json_new_obj(a), *v;

	for (size_t i = 0; i <= tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();
		const char *dialect = NULL;

		if (i < tl_outcome_report_count(o)) {
			(void)tl_outcome_report_get(o, i, &r);
			if (r.state != TL_STATE_RAN)
				continue;
			dialect = r.hook->dialect;
		} else if (all->n) {
			break;
		}
		if (dialect && json_getz(all, dialect))
			continue;
		AUTO(free) char *text = tl_event_payload(hooks, &m->event, dialect, NULL);
		if (text && json_parse(a, arena_str(a, str_from(text)), 0, &v, NULL) == 0)
			all = json_set(a, all, str_from(dialect ? dialect : "gemini"), v);
	}
	return all;
}

static void show_payloads(struct sheet *p, struct arena *a, const struct json *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct str text = json_text(a, &all->members[i].v, JSON_PRETTY);

		sheet_f(p, DIM, "payload%s%.*s:\n", all->n > 1 ? ", " : "",
			all->n > 1 ? (int)all->members[i].key.n : 0, all->members[i].key.p);
		sheet_text(p, PLAIN, arena_z(a, text), 2);
		sheet_f(p, PLAIN, "\n");
	}
}

static int finish(struct wb *wb, const struct run_args *args, struct tl_hooks *hooks,
		  const struct event_made *m, const struct tl_outcome *o)
{
	struct arena *a = &wb->arena;
	struct sheet *p = &wb->sheet;
	struct json_list rows = { 0 }, found = { 0 };
	const struct json *sent = args->show_payload ? payloads(a, hooks, m, o) : NULL;
	size_t shown = 0;
	struct err err;

	if (sent)
		show_payloads(p, a, sent);
	if (!args->no_record && history_keep(hooks, NULL, NULL, o, &err) < 0)
		wb_complain(wb, "%s", err.text);
	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		json_list_add(&rows, report_value(a, &r));
		if (args->all || (r.state != TL_STATE_NO_MATCH && r.state != TL_STATE_NOT_HERE)) {
			show_report(p, hooks, &r, args->show_output);
			shown++;
		}
	}
	if (!shown)
		sheet_f(p, DIM, "  no hook concerns this event\n");
	if (rows.n > shown)
		sheet_f(p, DIM, "  (%zu more do%s not match; --all shows them)\n", rows.n - shown,
			rows.n - shown == 1 ? "es" : "");
	sheet_f(p, PLAIN, "\n");
	show_outcome(p, o);
	for (size_t i = 0; i < tl_outcome_diagnostic_count(o); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_outcome_diagnostic_get(o, i, &d);
		json_list_add(&found, diagnostic_value(a, &d));
		/* A failed hook's line says it already. */
		if (wb->text && strcmp(d.code, "hook-failed") != 0)
			wb_diagnostic(wb, hooks, &d);
	}
	/* In text they precede the event; what could not be used matters to programs, too. */
	for (size_t i = 0; i < tl_hooks_diagnostic_count(hooks); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(hooks, i, &d);
		if (d.severity == TL_SEVERITY_ERROR)
			json_list_add(&found, diagnostic_value(a, &d));
	}
	wb->value = json_pack(
		a, "event:z subject:z ?changed:b ?payloads:j outcome:j hooks:j diagnostics:j",
		m->event.name, m->event.subject, args->changed, sent, outcome_value(a, o),
		json_list_take(a, &rows), json_list_take(a, &found));
	if (args->save) {
		if (fixture_write(wb_path(wb, args->save), m, o, &err) < 0)
			return wb_fail_err(wb, EXIT_USAGE, &err);
		wb_note(wb,
			arena_printf(a, "Saved as a fixture; run it with: trotline hooks test %s",
				     args->save)
				.p);
	}
	return decide(o).status;
}

/* Loads the configuration; EXIT_OK when its hooks may run. */
static int prepare(struct wb *wb, const struct run_args *args, struct tl_hooks **ret_hooks)
{
	int status = wb_load(wb, &args->load, wb->json ? WB_QUIET : 0, ret_hooks);

	if (status != EXIT_OK || args->load.no_project)
		return status;
	status = wb_check_trust(wb, *ret_hooks);
	if (status != EXIT_OK)
		tl_hooks_unref(*ret_hooks);
	return status;
}

/*
 * The hooks of a session that has begun: who works in the project must not be able to add one, to
 * change one, or to silence those of the user by what it writes there.
 */
static int prepare_expected(struct wb *wb, struct run_args *args, struct tl_hooks **ret_hooks)
{
	if (!args->expect || args->load.no_project)
		return prepare(wb, args, ret_hooks);
	if (prepare(wb, args, ret_hooks) == EXIT_OK) {
		if (strcmp(reaper_digest(*ret_hooks, &wb->arena), args->expect) == 0)
			return EXIT_OK;
		tl_hooks_unref(*ret_hooks);
	}
	wb->failure = (struct str){ 0 }; /* what is wrong is not the answer yet */
	args->changed = args->load.no_project = true;
	return prepare(wb, args, ret_hooks);
}

/* Whoever started the reaper shows it at once (C2.6); it may be gone by now. */
static void hear(void *data, const struct job_heard *heard)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str line =
		json_text(&a,
			  json_pack(&a, "heard:j",
				    json_pack(&a, "hook:n name:z message:s", heard->report,
					      heard->name, heard->message)),
			  JSON_COMPACT);

	(void)data;
	(void)fd_write(STDOUT_FILENO, arena_printf(&a, "%.*s\n", STR_ARG(line)), NULL);
}

static int fire_aloud(struct wb *wb, struct tl_hooks *hooks, const struct event_made *m,
		      struct tl_outcome **ret, struct tl_err *err)
{
	static const struct job_listener listener = { hear, NULL };
	struct tl_job *job = tl_job_new(hooks, &m->event, err);

	if (!job)
		return -(int)err->code;
	job_run(job, (struct cancel *)wb_cancel(wb), &listener);
	return tl_job_finish(job, ret, err);
}

static int fire(struct wb *wb, struct run_args *args, struct event_made *m)
{
	struct tl_hooks *hooks;
	struct tl_outcome *o;
	struct tl_err err;
	int status = prepare_expected(wb, args, &hooks);

	if (status != EXIT_OK)
		return status;
	if (!event_is_answered(hooks, m))
		(void)event_make(wb, m, &wb->arena, "AfterAgent", &args->event, NULL);
	sheet_f(&wb->sheet, BOLD, "%s", m->event.name);
	if (m->event.subject) {
		AUTO(buf_done) struct buf input = { 0 };

		buf_addz(&input, m->event.subject);
		for (size_t i = 0; i < m->event.nfields; i++)
			if (strcmp(m->event.fields[i].name, "tool_input") == 0)
				buf_addf(&input, " %s", m->event.fields[i].json);
		sheet_text(&wb->sheet, PLAIN, buf_z(&input), 1);
	} else {
		sheet_f(&wb->sheet, PLAIN, "\n");
	}
	sheet_f(&wb->sheet, PLAIN, "\n");
	wb_flush(wb); /* before the hooks run, as they may take their time */
	if ((args->aloud ? fire_aloud(wb, hooks, m, &o, &err)
			 : tl_fire(hooks, &m->event, wb_cancel(wb), &o, &err)) < 0) {
		status = wb_fail_tl(wb, EXIT_USAGE, &err);
		wb->cancelled = err.code == TL_E_CANCEL;
	} else {
		status = finish(wb, args, hooks, m, o);
		tl_outcome_free(o);
	}
	tl_hooks_unref(hooks);
	return status;
}

static void take_options(struct wb *wb, struct run_args *args)
{
	args->event.dir = args->load.dir ? wb_path(wb, args->load.dir) : wb->cwd;
	wb->model_name = args->model;
	wb->recorded_model = args->recorded ? wb_path(wb, args->recorded) : NULL;
}

int wb_run(struct wb *wb, const void *args_, int n, char **rest)
{
	struct run_args args = *(const struct run_args *)args_;
	struct tl_hooks *hooks;
	struct event_made m;
	struct err err;
	int status;

	(void)n;
	take_options(wb, &args);
	if (event_make(wb, &m, &wb->arena, rest[0], &args.event, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (strcmp(m.event.name, "SessionEnd") != 0 || args.save)
		return fire(wb, &args, &m);
	/* Say here what keeps the hooks from running; they themselves run under the reaper. */
	status = prepare(wb, &args, &hooks);
	if (status != EXIT_OK)
		return status;
	tl_hooks_unref(hooks);
	return reaper_fire(wb, &args.load, &m, !args.no_record);
}

int wb_reap(struct wb *wb, const void *args_, int n, char **rest)
{
	struct run_args args = *(const struct run_args *)args_;
	struct event_made m;
	struct err err;

	(void)n;
	take_options(wb, &args);
	if (event_make(wb, &m, &wb->arena, rest[0], &args.event, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	args.aloud = wb->json && args.expect;
	wb->flush = NULL; /* whoever started us may be gone by the time there is something to say */
	return fire(wb, &args, &m);
}
