/* Loading the configuration for a command, and saying what is wrong with it. */
#include <stdio.h>

#include "cli/cli.h"
#include "os/fs.h"

void print_diagnostic(const struct tl_hooks *hooks, const struct tl_diagnostic *d)
{
	AUTO(buf_done) struct buf line = { 0 };

	add_diagnostic(&line, hooks, d);
	complain("%s", buf_z(&line));
}

static int exit_for(int code)
{
	return code == TL_E_PARSE || code == TL_E_CONFIG ? EXIT_CONFIG
	       : code == TL_E_UNTRUSTED                  ? EXIT_UNTRUSTED
							 : EXIT_USAGE;
}

/* The first ones: a list that scrolls away tells nobody anything. */
static void print_diagnostics(const struct tl_hooks *hooks)
{
	enum { SHOWN_MAX = 20 };
	size_t n = 0;

	for (size_t i = 0; i < tl_hooks_diagnostics(hooks); i++) {
		struct tl_diagnostic d = { .size = sizeof d };

		(void)tl_hooks_diagnostic(hooks, i, &d);
		if (strcmp(d.code, "handler-not-run") == 0)
			continue; /* a session says so when it starts, and lint: not each command */
		if (d.severity != TL_NOTE && n++ < SHOWN_MAX)
			print_diagnostic(hooks, &d);
	}
	if (n > SHOWN_MAX)
		complain("%zu more of these; see: trotline hooks lint", n - SHOWN_MAX);
}

void json_error(const char *message, int status)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_obj(&w);
	jw_key(&w, "error");
	jw_obj(&w);
	jw_kv_int(&w, "status", status);
	jw_kv_z(&w, "message", message);
	jw_end(&w);
	jw_end(&w);
	out_json(&out);
}

/* "a,b" as a list. */
static const char *const *extension_names(const char *given, struct arena *a)
{
	struct str rest = str_from(given), word;
	const char **names = ARENA_ARRAY(a, const char *, rest.n + 2);
	size_t n = 0;

	if (!given)
		return NULL;
	while (str_split(&rest, ',', &word))
		if (str_trim(word).n)
			names[n++] = arena_z(a, str_trim(word));
	return names;
}

int load_hooks(const struct load_args *args, bool quiet, struct tl_hooks **ret_hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_err err;
	struct tl_options o = {
		.size = sizeof o,
		.cwd = args->dir,
		.extensions = extension_names(args->extensions, &a),
		.flags = (args->trust ? TL_LOAD_TRUST : 0) |
			 (args->no_project ? TL_LOAD_NO_PROJECT : 0),
	};

	if (args->dir && !fs_is_dir(args->dir)) {
		complain("%s: there is no such directory", args->dir);
		return EXIT_USAGE;
	}
	if (tl_hooks_load(&o, ret_hooks, &err) < 0) {
		complain("%s", err.text);
		if (args->json)
			json_error(err.text, exit_for(err.code));
		if (exit_for(err.code) == EXIT_CONFIG)
			(void)fputs("Please fix the configuration file and try again.\n", stderr);
		return exit_for(err.code);
	}
	if (!quiet)
		print_diagnostics(*ret_hooks);
	return EXIT_OK;
}

int check_trust(const struct tl_hooks *hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = { .size = sizeof h };

		(void)tl_hooks_get(hooks, i, &h);
		if (h.state != TL_STATE_UNTRUSTED)
			continue;
		if (n++ == 0)
			complain("%s has hooks that nobody approved; nothing was run:",
				 tl_hooks_project_dir(hooks));
		AUTO(buf_done) struct buf line = { 0 };
		buf_addf(&line, "  %s  %s  %s:%u  %s", event_shown(&h, &a), h.name,
			 short_path(hooks, h.file, &a), h.line, h.why);
		complain("%s", buf_z(&line));
	}
	if (n == 0)
		return EXIT_OK;
	(void)fputs("Look at them and approve them:   trotline hooks trust\n"
		    "or, for this run only:           --skip-trust (run them), --no-project-hooks "
		    "(leave them out)\n",
		    stderr);
	return EXIT_UNTRUSTED;
}
