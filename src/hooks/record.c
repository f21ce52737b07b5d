/* The record of a firing (C7.5): one line of JSON that answers "why", without secrets. */
#include "base/utf8.h"
#include "hooks/outcome.h"
#include "secrets/secrets.h"

enum { OUTPUT_MAX = 4096, OUTPUT_SLACK = 8192 };

/* Valid UTF-8 only: half a character or surrogate would be refused by those who read records. */
static void clean_str(struct jw *w, const char *key, struct str s)
{
	AUTO(buf_done) struct buf valid = { 0 };

	(void)utf8_add_clean(&valid, s);
	jw_kv_str(w, key, buf_str(&valid));
}

static void redacted(struct jw *w, const char *key, struct str s)
{
	AUTO(buf_done) struct buf clean = { 0 };

	if (!s.n)
		return;
	(void)secrets_redact(&clean, s, SECRETS_DOUBT);
	clean_str(w, key, buf_str(&clean));
}

/* Redacted before it is cut: half a token is not recognised. */
static void output(struct jw *w, const char *key, struct str s)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str part = str_sub(s, 0, OUTPUT_MAX + OUTPUT_SLACK);

	(void)secrets_redact(&clean, part, SECRETS_DOUBT);
	/* What is behind the part may end the word that it ends in. */
	while (part.n < s.n && clean.n && (unsigned char)clean.p[clean.n - 1] > ' ')
		clean.n--;
	if (clean.n)
		clean_str(w, key, str_sub(buf_str(&clean), 0, OUTPUT_MAX));
}

static void place(struct jw *w, const char *file, unsigned line)
{
	if (!*file)
		return;
	jw_kv_z(w, "file", file);
	if (line)
		jw_kv_int(w, "line", line);
}

/* By enum tl_change. */
static const char *const change_names[] = {
	[TL_CHANGE_TOOL_INPUT] = "tool_input",     [TL_CHANGE_LLM_REQUEST] = "llm_request",
	[TL_CHANGE_LLM_RESPONSE] = "llm_response", [TL_CHANGE_TOOL_CONFIG] = "tool_config",
	[TL_CHANGE_TAIL_CALL] = "tail_call",       [TL_CHANGE_TOOL_RESULT] = "tool_result",
	[TL_CHANGE_PERMISSIONS] = "permissions",   [TL_CHANGE_RETRY] = "retry",
	[TL_CHANGE_ELICITATION] = "elicitation",   [TL_CHANGE_DISPLAY] = "display",
	[TL_CHANGE_WATCH_PATHS] = "watch_paths",
};
_Static_assert(ARRAY_LEN(change_names) == CHANGES, "every change has a name in records");

static void write_hook(struct jw *w, const struct report *r)
{
	const struct hook *hook = r->hook;
	const struct reply *y = &r->reply;

	jw_obj(w);
	redacted(w, "name", str_from(hook->id));
	jw_kv_z(w, "tier", tl_tier_name(hook->tier));
	jw_kv_z(w, "dialect", hook->dialect->name);
	place(w, hook->at.file, hook->at.line);
	jw_kv_z(w, "state", tl_state_name(r->state));
	if (r->state != TL_STATE_RAN) {
		redacted(w, "why", str_from(r->why));
		jw_end(w);
		return;
	}
	jw_kv_z(w, "class", tl_class_name(y->how));
	jw_kv_z(w, "verdict", tl_verdict_name(y->verdict));
	if (y->stop)
		jw_kv_bool(w, "stop", true);
	if (hook->guard)
		jw_kv_bool(w, "guard", true);
	if (hook->observe)
		jw_kv_bool(w, "observe", true);
	if (y->exit_code >= 0)
		jw_kv_int(w, "exit", y->exit_code);
	if (y->signal)
		jw_kv_int(w, "signal", y->signal);
	jw_kv_int(w, "us", y->elapsed_us);
	if (y->warm)
		jw_kv_bool(w, "warm", true);
	/* What the hook wanted to add or change; what came of it is in the outcome. */
	jw_key(w, "gave");
	jw_arr(w);
	if (y->context.n)
		jw_z(w, "context");
	for (size_t i = 0; i < CHANGES; i++)
		if (y->change[i])
			jw_z(w, change_names[i]);
	if (y->clear_context)
		jw_z(w, "clear_context");
	jw_end(w);
	redacted(w, "reason", y->stop ? y->stop_reason : y->reason);
	redacted(w, "warning", y->warning);
	/* C4.10: never a denial. */
	if (!y->suppress || y->verdict >= TL_VERDICT_ASK) {
		redacted(w, "message", y->message);
		output(w, "stdout", y->out);
		output(w, "stderr", y->err);
	}
	jw_end(w);
}

static void write_outcome(struct jw *w, const struct tl_outcome *o)
{
	jw_key(w, "outcome");
	jw_obj(w);
	jw_kv_z(w, "verdict", tl_verdict_name(o->verdict));
	jw_kv_bool(w, "stop", o->stop);
	redacted(w, "reason", o->reason);
	redacted(w, "stop_reason", o->stop_reason);
	if (!o->suppressed)
		redacted(w, "message", o->message);
	jw_key(w, "changed");
	jw_arr(w);
	for (size_t i = 0; i < CHANGES; i++)
		if (o->change[i].p)
			jw_z(w, change_names[i]);
	jw_end(w);
	jw_end(w);
}

char *tl_outcome_record(const struct tl_outcome *o)
{
	struct buf out = { 0 };
	struct jw w = { .out = &out };
	char now[CLOCK_ISO_SIZE];

	jw_obj(&w);
	jw_kv_int(&w, "version", 1);
	jw_kv_z(&w, "event", o->event);
	redacted(&w, "subject", str_from(o->subject));
	redacted(&w, "session_id", str_from(o->session_id));
	redacted(&w, "turn_id", str_from(o->turn_id));
	if (*o->agent)
		redacted(&w, "agent", str_from(o->agent));
	if (o->seq)
		jw_kv_int(&w, "seq", (int64_t)o->seq);
	/* An outcome that is shared by all firings without hooks has no time of its own. */
	if (!o->timestamp[0])
		clock_iso(now);
	jw_kv_z(&w, "timestamp", o->timestamp[0] ? o->timestamp : now);
	if (*o->cwd)
		jw_kv_z(&w, "cwd", o->cwd);
	jw_kv_int(&w, "us", o->elapsed_us);
	write_outcome(&w, o);
	jw_key(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < o->nreports; i++) {
		const struct report r = outcome_report(o, i);

		write_hook(&w, &r);
	}
	jw_end(&w);
	jw_key(&w, "diagnostics");
	jw_arr(&w);
	for (size_t i = 0; i < o->diags.n; i++) {
		const struct diag *d = &o->diags.p[i];

		jw_obj(&w);
		jw_kv_z(&w, "code", d->code);
		place(&w, d->file, d->line);
		redacted(&w, "text", str_from(d->text));
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	return buf_take(&out);
}
