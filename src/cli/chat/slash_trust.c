/* /trust: what the user allows this folder. */
#include "cli/chat/chat.h"
#include "workbench/commands.h"

static const struct command trust[] = { { .name = "trust",
					  .summary = "trust this folder",
					  .opts = &trust_opts,
					  .max_args = 2,
					  .work = wb_trust } };

/* The hooks and the modes follow at once; the other files are read when a session begins. */
static void heed(struct worker *w)
{
	struct run *r = w->run;
	bool before = r->trusted;
	struct tl_err tl_err;
	struct err err;

	if (run_reload_hooks(r, w->session, &tl_err) < 0) {
		worker_print(w, "The hooks stay as they were: %s", tl_err.text);
		return;
	}
	worker_hooks(w, tl_hooks_ref(r->hooks));
	r->trusted = tl_hooks_folder_trusted(r->hooks);
	if (!r->trusted && r->mode != MODE_DEFAULT && r->mode != MODE_PLAN &&
	    run_set_mode(r, w->session, MODE_DEFAULT, &err) == 0)
		worker_print(w, "The approval mode is now default.");
	if (r->trusted && !before)
		worker_print(w, "All approval modes and the hooks that you approved count now; "
				"settings, context files, commands, skills and servers count from "
				"the next start.");
}

void slash_trust(struct worker *w, struct str args)
{
	bool look = !args.n || str_eqz(args, "list") || str_eqz(args, "show");
	const char *option = look                      ? str_eqz(args, "show") ? "--show" : "--list"
			     : str_eqz(args, "revoke") ? "--revoke"
			     : str_eqz(args, "yes")    ? "--yes"
						       : NULL;
	const char *const words[] = { "trust", option, NULL };

	if (!option) {
		slash_usage(w, args, NULL);
		return;
	}
	(void)slash_call(w, "trotline", trust, 1, words);
	if (!look)
		heed(w);
	else if (!w->run->trusted)
		worker_print(w, "/trust yes trusts this folder as it is now.");
}
