/* /permissions: what the user allowed in dialogs, for this session and for all. */
#include "base/buf.h"
#include "cli/chat/chat.h"

static void list(struct worker *w, struct arena *a, const struct policy_saved *saved)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct policy_said said;
	bool headed = false;

	if (saved->n)
		buf_addf(&out, "In every session (~/.gemini/policies/%s):\n", POLICY_SAVED);
	for (size_t i = 0; i < saved->n; i++)
		buf_addf(&out, "%3zu. %.*s\n", i + 1, STR_ARG(saved->texts[i]));
	for (size_t i = 0; policy_said_get(w->run->policy, i, &said); i++) {
		struct str text = policy_said_text(a, &said);
		size_t k = 0;

		/* What is kept for every session is allowed in this one already. */
		while (k < saved->n && !str_eq(saved->texts[k], text))
			k++;
		if (k < saved->n)
			continue;
		if (!headed)
			buf_addz(&out, "In this session:\n");
		headed = true;
		buf_addf(&out, "%3zu. %.*s\n", saved->n + i + 1, STR_ARG(text));
	}
	if (!out.n) {
		worker_print(w, "You have not allowed anything for longer than once.");
		return;
	}
	worker_print(w, "%s/permissions forget NUMBER takes one back.", buf_z(&out));
}

static void forget(struct worker *w, struct arena *a, const struct policy_saved *saved, size_t n)
{
	struct policy_said said;
	struct str text;
	struct err err;

	if (n >= 1 && n <= saved->n) {
		text = saved->texts[n - 1];
		if (policy_saved_remove(w->run->home, text, &err) < 0) {
			worker_print(w, "%s", err.text);
			return;
		}
	} else if (n > saved->n && policy_said_get(w->run->policy, n - saved->n - 1, &said)) {
		text = arena_str(a, policy_said_text(a, &said));
	} else {
		worker_print(w, "/permissions has no such number.");
		return;
	}
	/* The same in the session, if it is one of its rules. */
	for (size_t i = 0; policy_said_get(w->run->policy, i, &said);)
		if (str_eq(policy_said_text(a, &said), text))
			policy_unsay(w->run->policy, i);
		else
			i++;
	/* The rules go with the policy that had them. */
	if (run_set_mode(w->run, w->session, w->run->mode, &err) < 0) {
		worker_print(w, "%s", err.text);
		return;
	}
	worker_print(w, "No longer allowed: %.*s.", STR_ARG(text));
}

void slash_permissions(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct policy_saved saved;
	struct str rest = args, word = { 0 };
	struct err err;
	int64_t n = 0;

	if (policy_saved_read(w->run->home, &a, &saved, &err) < 0)
		worker_print(w, "%s", err.text);
	if (!args.n || str_eqz(args, "list")) {
		list(w, &a, &saved);
		return;
	}
	(void)str_split(&rest, ' ', &word);
	if ((str_eqz(word, "forget") || str_eqz(word, "remove")) &&
	    str_to_int(str_trim(rest), &n) && n > 0)
		forget(w, &a, &saved, (size_t)n);
	else
		slash_usage(w, args, NULL);
}
