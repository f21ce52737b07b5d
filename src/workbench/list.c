/* trotline hooks list: the hooks in run order. */
#include "workbench/commands.h"
#include "workbench/show.h"

struct list_args {
	struct load_args load;
	bool all;
};

static const struct opt opts[] = {
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct list_args, all),
	  "also disabled, untrusted and duplicate hooks" },
	LOAD_OPTS(struct list_args),
};
const struct opt_set list_opts = OPT_SET(opts, struct list_args);

/* The dialect, with another agent's event also its name; then what is not as usual. */
static void show_marks(struct sheet *p, const struct tl_hook *h, const char *event,
		       enum tl_trust_state trust)
{
	sheet_f(p, PLAIN, "  %s", h->dialect);
	if (strcmp(event, h->moment) != 0)
		sheet_f(p, PLAIN, " %s", event);
	if (strcmp(h->type, "command") != 0)
		sheet_f(p, PLAIN, "  %s", h->type);
	if (h->guard)
		sheet_f(p, CYAN, "  guard");
	if (h->observe)
		sheet_f(p, CYAN, "  observes");
	if (h->sequential)
		sheet_f(p, PLAIN, "  sequential");
	if (h->persistent)
		sheet_f(p, PLAIN, "  persistent");
	if (*h->sandbox)
		sheet_f(p, PLAIN, "  sandboxed");
	if (h->warm)
		sheet_f(p, PLAIN, "  warm: %d", h->warm);
	if (!h->guard && strcmp(h->on_failure, "warn") != 0)
		sheet_f(p, PLAIN, "  on failure: %s", h->on_failure);
	if (*h->extension)
		sheet_f(p, PLAIN, "  of %s", h->extension);
	if (*h->agent || *h->skill)
		sheet_f(p, PLAIN, *h->agent ? "  in the agent %s" : "  with the skill %s",
			*h->agent ? h->agent : h->skill);
	if (trust == TL_TRUST_NEW || trust == TL_TRUST_CHANGED)
		sheet_f(p, YELLOW, "  %s", trust_word(trust));
	if (*h->unwatched)
		sheet_f(p, YELLOW, "  unwatched");
	/* "disabled: disabled by ..." says it twice. */
	if (h->state != TL_STATE_WOULD_RUN) {
		bool said = str_starts(str_from(h->why), str_from(tl_state_name(h->state)));

		sheet_f(p, YELLOW, "  %s%s%s", said ? "" : tl_state_name(h->state),
			said ? "" : ": ", h->why);
	}
}

static void show_hook(struct sheet *p, const struct tl_hooks *hooks, size_t i,
		      const struct tl_hook *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool on = h->state == TL_STATE_WOULD_RUN;
	size_t n = strlen(h->command);

	sheet_text(p, on ? BOLD : DIM, short_name(h, &a), 2);
	sheet_f(p, PLAIN, "    %-9s ", tl_tier_name(h->tier));
	if (h->line)
		sheet_f(p, PLAIN, "%s:%u", short_path(hooks, h->file, &a), h->line);
	if (*h->matcher)
		sheet_f(p, PLAIN, "  matcher %s", h->matcher);
	if (*h->if_rule)
		sheet_f(p, PLAIN, "  if %s", h->if_rule);
	/* Rules run in no time. */
	if (h->timeout_ms && strcmp(h->type, "policy") != 0)
		sheet_f(p, PLAIN, "  timeout %g s", (double)h->timeout_ms / 1000);
	show_marks(p, h, h->listed_under, tl_hooks_trust(hooks, i));
	sheet_f(p, PLAIN, "\n");
	/* Is it called by its command, with the arguments or without? */
	if (*h->command &&
	    (strncmp(h->name, h->command, n) != 0 || (h->name[n] && h->name[n] != ' ')))
		sheet_text(p, DIM, h->command, 4);
}

static const struct json *row(struct arena *a, const struct tl_hooks *hooks, size_t i,
			      const struct tl_hook *h)
{
	enum tl_trust_state trust = tl_hooks_trust(hooks, i);
	const struct json *v =
		json_pack_more(a, hook_value(a, h), "enabled:b state:z ?why:z",
			       h->state == TL_STATE_WOULD_RUN, tl_state_name(h->state), h->why);

	if (trust != TL_TRUST_NOT_PROJECT)
		v = json_pack_more(a, v, "trust:z fingerprint:z", trust_word(trust),
				   h->fingerprint);
	return json_pack_more(a, v, "?unwatched:z", h->unwatched);
}

static void show_rest(struct wb *wb, const struct tl_hooks *hooks, size_t shown, size_t hidden,
		      size_t untrusted)
{
	struct sheet *p = &wb->sheet;

	if (!shown && !hidden)
		sheet_f(p, PLAIN,
			"No hooks are configured in %s.\nStart with: trotline hooks init\n",
			tl_hooks_project_dir(hooks));
	if (hidden)
		sheet_f(p, PLAIN, "%s%zu hook%s not run; see: trotline hooks list --all\n",
			shown ? "\n" : "", hidden, hidden == 1 ? " does" : "s do");
	if (untrusted)
		sheet_f(p, YELLOW,
			"%zu of the project's hooks wait%s for %s approval: trotline hooks trust\n",
			untrusted, untrusted == 1 ? "s" : "",
			wb->for_model ? "the user's" : "your");
	/* Hooks of another agent that somebody may believe to be in this list. */
	for (size_t i = 0; i < tl_hooks_diagnostic_count(hooks); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(hooks, i, &d);
		if (strcmp(d.code, "unread-hooks") == 0)
			wb_diagnostic(wb, hooks, &d);
	}
}

int wb_list(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct list_args *args = args_;
	struct json_list files = { 0 }, rows = { 0 };
	size_t hidden = 0, untrusted = 0;
	const char *event = "";
	struct tl_hooks *hooks;
	int status = wb_load(wb, &args->load, 0, &hooks);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; *tl_hooks_file_get(hooks, i); i++)
		json_list_add(&files, json_pack_str(&wb->arena, tl_hooks_file_get(hooks, i)));
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		const struct tl_hook *h = hook_at(hooks, i);

		untrusted += h->state == TL_STATE_UNTRUSTED;
		if (h->state != TL_STATE_WOULD_RUN && !args->all) {
			hidden++;
			continue;
		}
		if (strcmp(event, h->moment) != 0)
			sheet_f(&wb->sheet, PLAIN, "%s%s\n", rows.n ? "\n" : "", h->moment);
		event = h->moment;
		show_hook(&wb->sheet, hooks, i, h);
		json_list_add(&rows, row(&wb->arena, hooks, i, h));
	}
	if (wb->text)
		show_rest(wb, hooks, rows.n, hidden, untrusted);
	wb->value = json_pack(&wb->arena,
			      "project:z folderTrusted:b files:j hooks:j hidden:n untrusted:n",
			      tl_hooks_project_dir(hooks), tl_hooks_folder_trusted(hooks),
			      json_list_take(&wb->arena, &files), json_list_take(&wb->arena, &rows),
			      hidden, untrusted);
	tl_hooks_unref(hooks);
	return EXIT_OK;
}
