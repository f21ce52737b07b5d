/*
 * What a hook printed, judged and merged.  The first byte selects dialect, event, guard and
 * onFailure, the second the end of the process; then stdout, and behind a byte 0x1e stderr and the
 * result channel.  An exit with 2 always denies where something can be denied, a failed guard as
 * well, and every text that comes out is UTF-8 without NUL.
 */
#include "../unit/each_event.h"
#include "base/utf8.h"
#include "hooks/outcome.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const dialect_names[] = { "gemini", "jpfork", "claude", "codex" };

static void check_text(struct str s)
{
	if (!s.p || utf8_valid(s) != s.n || memchr(s.p, 0, s.n) || s.p[s.n] != '\0')
		abort();
}

/* Claude's document, and Codex's, let an exit with 2 deny on some events only. */
static bool exit_2_denies(const struct hook *hook)
{
	static const char *const blockable[] = { "PreToolUse", "UserPromptSubmit", "Stop" };

	for (size_t i = 0; i < ARRAY_LEN(blockable); i++)
		if (strcmp(hook->as->name, blockable[i]) == 0)
			return true;
	return hook->guard || !hook->dialect->payload;
}

static void check_reply(const struct reply *r, const struct hook *hook, bool blocked)
{
	check_text(r->reason);
	check_text(r->stop_reason);
	check_text(r->message);
	check_text(r->context);
	check_text(r->warning);
	if (!event_can_block(hook->event)) {
		if (r->verdict != TL_VERDICT_NONE || r->stop)
			abort();
		return;
	}
	if (blocked && exit_2_denies(hook) && r->verdict != TL_VERDICT_DENY)
		abort();
	if (hook->guard && r->how > TL_CLASS_BLOCKED && r->verdict < TL_VERDICT_ASK && !r->stop)
		abort();
	if (r->verdict == TL_VERDICT_DENY && !r->reason.n)
		abort();
}

static struct ending make_ending(uint8_t kind, struct str bytes)
{
	static const enum proc_end ends[] = { PROC_EXITED,  PROC_EXITED,    PROC_EXITED,
					      PROC_EXITED,  PROC_SIGNALLED, PROC_TIMED_OUT,
					      PROC_TOO_BIG, PROC_UNKNOWN };
	static const int codes[] = { 0, 2, 1, 127, 9, 0, 0, 0 };
	struct str parts[3] = { STR(""), STR(""), STR("") };

	for (size_t i = 0; i < ARRAY_LEN(parts) && str_split(&bytes, 0x1e, &parts[i]);)
		i++;
	return (struct ending){ .end = ends[kind % 8],
				.code = codes[kind % 8],
				.out = parts[0],
				.err = parts[1],
				.result = parts[2] };
}

static void run(struct tl_hooks *h, const struct hook *hook, const struct ending *end)
{
	static const struct tl_field fields[] = {
		{ "tool_input", "{\"command\":\"ls\",\"n\":1}", 22 },
		{ "llm_request",
		  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", 57 },
		{ "prompt", "\"hello\"", 7 },
		{ "tool_response", "{\"llmContent\":\"x\"}", 18 },
	};
	struct tl_event e = TL_EVENT_INIT(.name = hook->event->name, .subject = "startup",
					  .fields = fields, .nfields = ARRAY_LEN(fields));
	struct tl_outcome *o = NULL;
	struct firing f;
	size_t at = 0;

	if (tl_why(h, &e, &o, NULL) < 0)
		abort();
	while (at < o->nreports && o->reports[at].hook != hook)
		at++;
	if (at == o->nreports || firing_init(&f, h, &e, &o->arena, NULL) < 0)
		abort();
	o->reports[at].state = TL_STATE_RAN;
	reply_judge(&o->reports[at].reply, hook, &f, end, &o->diags);
	check_reply(&o->reports[at].reply, hook, end->end == PROC_EXITED && end->code == 2);
	merge_chained(o, &f, &at, 1);
	merge_outcome(o, &f);
	check_text(o->reason);
	check_text(o->wrapped);
	for (size_t i = 0; i < CHANGES; i++)
		if (o->change[i].p && i != TL_CHANGE_TOOL_RESULT) {
			const struct json *v;

			if (json_parse(&o->arena, o->change[i], 0, &v, NULL) < 0)
				abort();
		}
	free(tl_outcome_record(o));
	tl_outcome_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct tl_hooks *loaded[ARRAY_LEN(dialect_names)][2];
	size_t d, guard;

	if (n < 2)
		return 0;
	d = data[0] % ARRAY_LEN(dialect_names);
	guard = data[0] >> 7;
	if (!loaded[d][guard])
		loaded[d][guard] = hooks_on_each_event(dialect_names[d], guard);
	struct tl_hooks *h = loaded[d][guard];
	struct ending end = make_ending(data[1], (struct str){ (const char *)data + 2, n - 2 });
	run(h, h->hooks[data[0] / 4 % 32 % h->nhooks], &end);
	return 0;
}
