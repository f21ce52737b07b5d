/* trotline hooks list: the hooks in run order. */
#include "cli/commands.h"

struct list_args {
	struct load_args load;
	bool all;
};

static const struct opt opts[] = {
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct list_args, all),
	  "also the hooks that are disabled, untrusted or the same as another" },
	LOAD_OPTS(struct list_args),
};
const struct opt_set list_opts = OPT_SET(opts, struct list_args);

static const char *trust_word(enum tl_trust_state t)
{
	static const char *const words[] = { "trusted", "new", "changed", "" };

	return words[t];
}

static void print_json(const struct tl_hooks *hooks, bool all)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };
	size_t hidden = 0, untrusted = 0;

	jw_obj(&w);
	jw_kv_z(&w, "project", tl_hooks_project_dir(hooks));
	jw_kv_bool(&w, "folderTrusted", tl_hooks_folder_trusted(hooks));
	jw_key(&w, "files");
	jw_arr(&w);
	for (size_t i = 0; *tl_hooks_file(hooks, i); i++)
		jw_z(&w, tl_hooks_file(hooks, i));
	jw_end(&w);
	jw_key(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = { .size = sizeof h };

		(void)tl_hooks_get(hooks, i, &h);
		untrusted += h.state == TL_STATE_UNTRUSTED;
		if (h.state != TL_STATE_WOULD_RUN && !all) {
			hidden++;
			continue;
		}
		jw_obj(&w);
		json_hook(&w, &h);
		jw_kv_bool(&w, "enabled", h.state == TL_STATE_WOULD_RUN);
		jw_kv_z(&w, "state", tl_state_name(h.state));
		if (*h.why)
			jw_kv_z(&w, "why", h.why);
		if (tl_hooks_trust(hooks, i) != TL_NOT_PROJECT) {
			jw_kv_z(&w, "trust", trust_word(tl_hooks_trust(hooks, i)));
			jw_kv_z(&w, "fingerprint", h.fingerprint);
		}
		jw_end(&w);
	}
	jw_end(&w);
	jw_kv_int(&w, "hidden", (int64_t)hidden);
	jw_kv_int(&w, "untrusted", (int64_t)untrusted);
	jw_end(&w);
	out_json(&out);
}

/* The dialect, with another agent's event also its name; then what is not as usual. */
static void print_marks(const struct tl_hook *h, const char *event, enum tl_trust_state trust)
{
	out_f(PLAIN, "  %s", h->dialect);
	if (strcmp(event, h->moment) != 0)
		out_f(PLAIN, " %s", event);
	if (h->guard)
		out_f(CYAN, "  guard");
	if (h->observe)
		out_f(CYAN, "  observes");
	if (h->sequential)
		out_f(PLAIN, "  sequential");
	if (h->persistent)
		out_f(PLAIN, "  persistent");
	if (!h->guard && strcmp(h->on_failure, "warn") != 0)
		out_f(PLAIN, "  on failure: %s", h->on_failure);
	if (*h->extension)
		out_f(PLAIN, "  of %s", h->extension);
	if (trust == TL_NEW || trust == TL_CHANGED)
		out_f(YELLOW, "  %s", trust_word(trust));
	if (h->state != TL_STATE_WOULD_RUN)
		out_f(YELLOW, "  %s: %s", tl_state_name(h->state), h->why);
}

static void print_hook(const struct tl_hooks *hooks, size_t i, const struct tl_hook *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool on = h->state == TL_STATE_WOULD_RUN;

	out_text(on ? BOLD : DIM, short_name(h, &a), 2);
	out_f(PLAIN, "    %-9s ", tl_tier_name(h->tier));
	if (h->line)
		out_f(PLAIN, "%s:%u", short_path(hooks, h->file, &a), h->line);
	if (*h->matcher)
		out_f(PLAIN, "  matcher %s", h->matcher);
	if (*h->if_rule)
		out_f(PLAIN, "  if %s", h->if_rule);
	out_f(PLAIN, "  timeout %g s", (double)h->timeout_ms / 1000);
	print_marks(h, event_configured(h, &a), tl_hooks_trust(hooks, i));
	out_f(PLAIN, "\n");
	if (*h->command && strcmp(h->command, h->name) != 0)
		out_text(DIM, h->command, 4);
}

/* Hooks of another agent that somebody may believe to be in this list. */
static void print_unread(const struct tl_hooks *hooks)
{
	for (size_t i = 0; i < tl_hooks_diagnostics(hooks); i++) {
		struct tl_diagnostic d = { .size = sizeof d };

		(void)tl_hooks_diagnostic(hooks, i, &d);
		if (strcmp(d.code, "unread-hooks") == 0)
			print_diagnostic(hooks, &d);
	}
}

static void print_text(const struct tl_hooks *hooks, bool all)
{
	const char *event = "";
	size_t hidden = 0, shown = 0, untrusted = 0;

	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = { .size = sizeof h };

		(void)tl_hooks_get(hooks, i, &h);
		untrusted += h.state == TL_STATE_UNTRUSTED;
		if (h.state != TL_STATE_WOULD_RUN && !all) {
			hidden++;
			continue;
		}
		if (strcmp(event, h.moment) != 0)
			out_f(PLAIN, "%s%s\n", shown ? "\n" : "", h.moment);
		event = h.moment;
		print_hook(hooks, i, &h);
		shown++;
	}
	if (!shown && !hidden)
		out_f(PLAIN, "No hooks are configured in %s.\nStart with: trotline hooks init\n",
		      tl_hooks_project_dir(hooks));
	if (hidden)
		out_f(PLAIN, "%s%zu hook%s not run; see: trotline hooks list --all\n",
		      shown ? "\n" : "", hidden, hidden == 1 ? " does" : "s do");
	if (untrusted)
		out_f(YELLOW,
		      "%zu of the project's hooks wait%s for your approval: trotline hooks trust\n",
		      untrusted, untrusted == 1 ? "s" : "");
	print_unread(hooks);
}

int cmd_list(const void *args_, int n, char **rest)
{
	const struct list_args *args = args_;
	struct tl_hooks *hooks;
	int status = load_hooks(&args->load, args->load.json, &hooks);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	if (args->load.json)
		print_json(hooks, args->all);
	else
		print_text(hooks, args->all);
	tl_hooks_unref(hooks);
	return EXIT_OK;
}
