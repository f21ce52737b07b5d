/*
 * /hooks: the workbench inside a session.  Its arguments are a command of `trotline hooks`, on the
 * hooks of the session; without one it is the panel: the hooks by event, and what each has done.
 */
#include "base/vec.h"
#include "base/words.h"
#include "cli/chat/chat.h"
#include "os/clock.h"

enum { WORDS_MAX = 32, MUTE_MINUTES = 10 };

static struct wb make_wb(const struct worker *w)
{
	static const struct str nothing = { "", 0 };

	return (struct wb){ .cwd = w->run->cwd,
			    .hooks = w->run->hooks,
			    .cancel = w->halt->hooks,
			    .input = &nothing,
			    .trust = w->run->args->skip_trust,
			    .no_project = w->run->args->no_project_hooks,
			    .text = true };
}

static int call(struct wb *wb, const char *path, const struct command *commands, size_t ncommands,
		const char *const *words)
{
	const struct command *c = command_find(commands, ncommands, words[0]);
	char *argv[WORDS_MAX];
	int n = 0;

	if (!c)
		return command_unknown(wb, path, commands, ncommands, words[0]);
	for (; n + 1 < WORDS_MAX && words[n + 1]; n++)
		argv[n] = (char *)words[n + 1];
	argv[n] = NULL;
	return cli_call(wb, path, c, n, argv);
}

int slash_call(struct worker *w, const char *path, const struct command *commands, size_t ncommands,
	       const char *const *words)
{
	AUTO(wb_done) struct wb wb = make_wb(w);
	int status = call(&wb, path, commands, ncommands, words);

	worker_print(w, "%s%s", buf_z(&wb.sheet.out), buf_z(&wb.said));
	return status;
}

static int call_hooks(struct wb *wb, const char *const *words)
{
	return call(wb, "trotline hooks", hooks_commands, hooks_commands_n, words);
}

/* ---- the panel ---- */

static double num(const struct json *o, const char *key)
{
	return json_num(json_getz(o, key), 0);
}

static void add_hook(struct buf *out, const struct run *r, const struct tl_hook *h,
		     const struct json *reports)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool on = h->state == TL_STATE_WOULD_RUN;
	bool muted =
		h->state == TL_STATE_DISABLED && word_in(str_from(h->name), r->muted.p, r->muted.n);
	const char *event = h->listed_under;
	const struct json *row = NULL;

	buf_addf(out, "  %s [%s]\n", h->name,
		 on      ? "enabled"
		 : muted ? "muted: /hooks unmute"
			 : tl_state_name(h->state));
	if (*h->description)
		buf_addf(out, "      %s\n", h->description);
	buf_addf(out, "      Command: %s\n", h->command);
	buf_addf(out, "      Source: %s | Matcher: %s%s%s%s%s%s | Timeout: %g s\n",
		 tl_tier_name(h->tier), *h->matcher ? h->matcher : "*",
		 *h->if_rule ? " | If: " : "", h->if_rule, h->sequential ? " | Sequential" : "",
		 h->guard ? " | Guard" : "", h->persistent ? " | Persistent" : "",
		 (double)h->timeout_ms / 1000);
	buf_addf(out, "      %s:%u", short_path(r->hooks, h->file, &a), h->line);
	if (strcmp(h->event, h->moment) != 0) /* a migrated hook's file has our word */
		buf_addf(out, "  %s%s%s", h->dialect, strcmp(event, h->moment) == 0 ? "" : " ",
			 strcmp(event, h->moment) == 0 ? "" : event);
	buf_addc(out, '\n');
	if (!on && *h->why && !muted)
		buf_addf(out, "      %s\n", h->why);
	for (size_t i = 0; json_at(reports, i) && !row; i++)
		if (str_eqz(json_get_str(json_at(reports, i), "name"), h->name) &&
		    str_eqz(json_get_str(json_at(reports, i), "event"), h->moment))
			row = json_at(reports, i);
	if (num(row, "runs") < 1)
		return;
	buf_addf(out,
		 "      Ran %.0f time%s, %.0f failed, %.0f denied; last %.1f ms, p95 %.1f ms\n",
		 num(row, "runs"), num(row, "runs") > 1 ? "s" : "", num(row, "failed"),
		 num(row, "denied") + num(row, "stopped"), num(row, "lastMs"), num(row, "p95Ms"));
	if (json_get_str(row, "reason").n)
		buf_addf(out, "      Last reason: %.*s\n", STR_ARG(json_get_str(row, "reason")));
}

static void print_panel(struct worker *w, struct str rest)
{
	const char *const words[] = { "report", "--session", session_id(w->session), NULL };
	AUTO(wb_done) struct wb wb = make_wb(w);
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *reports =
		call_hooks(&wb, words) == 0 ? json_getz(wb.value, "hooks") : NULL;
	const char *event = "";
	size_t n = tl_hooks_count(w->run->hooks);

	(void)rest;
	if (n)
		buf_addz(&out, "Configured Hooks\n"
			       "Hooks run commands on this machine with your rights; review "
			       "those\nthat others wrote.\n");
	for (size_t i = 0; i < n; i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(w->run->hooks, i, &h);
		if (strcmp(h.moment, event) != 0)
			buf_addf(&out, "\n%s\n", h.moment);
		event = h.moment;
		add_hook(&out, w->run, &h, reports);
	}
	buf_addz(&out, n ? "\n/hooks enable, disable and mute NAME switch one; /hooks why EVENT "
			   "explains;\n/hooks last shows the last firing, /hooks report sums up."
			 : "No hooks configured.");
	worker_print(w, "%s", buf_z(&out));
}

/* ---- switching ---- */

/* A new snapshot, with a reference for the terminal. */
static bool reload(struct worker *w)
{
	struct tl_err err;

	if (run_reload_hooks(w->run, w->session, &err) < 0) {
		worker_print(w, "The hooks are unchanged: %s", err.text);
		return false;
	}
	worker_hooks(w, tl_hooks_ref(w->run->hooks));
	return true;
}

static void switch_all(struct worker *w, bool enable)
{
	size_t n = tl_hooks_count(w->run->hooks), changed = 0;

	for (size_t i = 0; i < n; i++) {
		struct tl_hook h = TL_HOOK_INIT();
		AUTO(wb_done) struct wb wb = make_wb(w);

		(void)tl_hooks_get(w->run->hooks, i, &h);
		if ((h.state == TL_STATE_DISABLED) != enable)
			continue;
		const char *const words[] = { enable ? "enable" : "disable", h.name, NULL };
		changed += call_hooks(&wb, words) == 0;
	}
	if (n == 0)
		worker_print(w, "No hooks configured.");
	else if (changed)
		worker_print(w, "%s %zu hook(s) successfully.", enable ? "Enabled" : "Disabled",
			     changed);
	else
		worker_print(w, "All hooks are already %s.", enable ? "enabled" : "disabled");
}

/* By the user's word, which a hook may refuse: whatever else was changed would count, too. */
static bool reload_if_allowed(struct worker *w)
{
	bool allowed = worker_may_reload(w);

	return allowed && reload(w);
}

static void reload_told(struct worker *w, struct str rest)
{
	(void)rest;
	if (reload_if_allowed(w))
		worker_print(w, "Reloaded the hooks.");
}

/* A name may contain blanks: it is the rest of the line. */
static bool switch_hooks(struct worker *w, struct str verb, struct str name)
{
	bool all_on = str_eqz(verb, "enable-all") || str_eqz(verb, "enableall");
	bool all_off = str_eqz(verb, "disable-all") || str_eqz(verb, "disableall");
	const char *one = str_eqz(verb, "enable") ? "enable" : "disable";
	AUTO(free) char *word = xstrndup(name.p ? name.p : "", name.n);
	const char *const words[] = { one, word, NULL };

	if (all_on || all_off) {
		switch_all(w, all_on);
	} else if (!str_eqz(verb, one)) {
		return false;
	} else if (!name.n) {
		worker_print(w, "Usage: /hooks %s <hook-name>", one);
		return true;
	} else {
		(void)slash_call(w, "trotline hooks", hooks_commands, hooks_commands_n, words);
	}
	(void)reload_if_allowed(w);
	return true;
}

/* ---- muting ---- */

/* "/hooks mute NAME MINUTES": disabled in this session only, for that long. */
static void mute(struct worker *w, struct str args)
{
	int64_t minutes = MUTE_MINUTES, at_us;
	struct tl_hook h = TL_HOOK_INIT();
	struct str name = args;
	size_t n = 0;

	for (size_t i = args.n; i > 0; i--)
		if (args.p[i - 1] == ' ' && str_to_int(str_sub(args, i, args.n), &minutes)) {
			name = str_trim(str_sub(args, 0, i));
			break;
		}
	if (!name.n || minutes <= 0) {
		worker_print(w, "Usage: /hooks mute <hook-name> [minutes]");
		return;
	}
	while (tl_hooks_get(w->run->hooks, n, &h) == 0 && !str_eqz(name, h.name))
		n++;
	if (n == tl_hooks_count(w->run->hooks)) {
		worker_print(w, "Unknown hook \"%.*s\"; /hooks lists them.", STR_ARG(name));
		return;
	}
	if (!worker_may_reload(w))
		return;
	words_add(&w->run->muted, arena_z(&w->run->arena, name));
	at_us = clock_us() + minutes * 60000000;
	/* None is silent for longer than was said of it. */
	if (!w->run->unmuted || at_us < w->run->unmute_at_us)
		w->run->unmute_at_us = at_us;
	if (!reload(w)) {
		w->run->muted.n--;
		return;
	}
	worker_say(w, SAID_MUTED, w->run->unmute_at_us, (struct str){ 0 }, (struct str){ 0 });
	worker_print(
		w,
		"Hook \"%.*s\" is muted for %lld minutes%s; hooks of the system are not affected.",
		STR_ARG(name), (long long)minutes,
		at_us > w->run->unmute_at_us ? ", or until another one is heard again" : "");
}

void slash_unmute(struct worker *w, struct str args)
{
	(void)args;
	run_unmute_hooks(w->run, w->session);
	worker_hooks(w, tl_hooks_ref(w->run->hooks));
	worker_print(w, "All hooks are unmuted.");
}

/* ---- the command ---- */

/* Words with single or double quotes as in a shell, without its other syntax. */
static size_t split_words(struct arena *a, struct str args, const char **words, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < args.n && n + 1 < max;) {
		AUTO(buf_done) struct buf word = { 0 };
		char quote = 0;

		while (i < args.n && args.p[i] == ' ')
			i++;
		if (i == args.n)
			break;
		for (; i < args.n && (quote || args.p[i] != ' '); i++) {
			char ch = args.p[i];

			if (quote ? ch == quote : ch == '"' || ch == '\'')
				quote = quote ? 0 : ch;
			else
				buf_addc(&word, ch);
		}
		words[n++] = arena_z(a, buf_str(&word));
	}
	words[n] = NULL;
	return n;
}

void slash_hooks(struct worker *w, struct str args)
{
	static const struct {
		const char *verbs;
		void (*run)(struct worker *w, struct str rest);
	} own[] = {
		{ "list show panel", print_panel },
		{ "mute", mute },
		{ "unmute", slash_unmute },
		{ "reload", reload_told },
	};
	AUTO(arena_done) struct arena a = { 0 };
	const char *words[WORDS_MAX];
	size_t n = split_words(&a, args, words, WORDS_MAX - 4);
	struct str verb = n ? str_from(words[0]) : STR("list");
	struct str rest = str_trim(str_sub(args, verb.n, args.n));

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (word_in_text(verb, own[i].verbs)) {
			own[i].run(w, rest);
			return;
		}
	if (switch_hooks(w, verb, rest))
		return;
	if (str_eqz(verb, "last"))
		words[0] = "report", words[n++] = "--last";
	if (strcmp(words[0], "report") == 0) {
		words[n++] = "--session";
		words[n++] = session_id(w->session);
	}
	words[n] = NULL;
	(void)slash_call(w, "trotline hooks", hooks_commands, hooks_commands_n, words);
}

void slash_hooks_complete(struct chat *c, struct str args, struct buf *out)
{
	static const char *const verbs[] = { "list",    "why",        "run",         "last",
					     "report",  "lint",       "reload",      "enable",
					     "disable", "enable-all", "disable-all", "mute",
					     "unmute" };
	bool enable = str_starts(args, STR("enable "));
	bool disable = str_starts(args, STR("disable ")) || str_starts(args, STR("mute "));
	struct str typed = str_trim(str_sub(args, (size_t)str_chr(args, ' ', 0) + 1, args.n));

	if (!enable && !disable)
		slash_complete_words(verbs, ARRAY_LEN(verbs), args, out);
	for (size_t i = 0; (enable || disable) && i < tl_hooks_count(c->hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(c->hooks, i, &h);
		if ((h.state == TL_STATE_DISABLED) == enable &&
		    str_starts(str_from(h.name), typed) && slash_can_offer(h.name))
			buf_addf(out, "%s\t%s\n", h.name, h.event);
	}
}
