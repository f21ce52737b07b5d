/* trotline hooks trust: shows what a project's hooks run, and approves it as it is now (C7.4). */
#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "os/fs.h"
#include "workbench/approved.h"

enum { SHOWN_BYTES = 256 << 10 };

struct trust_args {
	struct load_args load;
	bool yes, list, show, revoke;
};

static const struct opt opts[] = {
	{ "yes", 'y', NULL, OPT_FLAG, offsetof(struct trust_args, yes), "approve without asking" },
	{ "list", 'l', NULL, OPT_FLAG, offsetof(struct trust_args, list),
	  "only list what is approved, new or changed" },
	{ "show", 's', NULL, OPT_FLAG, offsetof(struct trust_args, show),
	  "only list, with the text of the scripts" },
	{ "revoke", 0, NULL, OPT_FLAG, offsetof(struct trust_args, revoke),
	  "forget what was approved, and that the folder is trusted" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct trust_args, load.dir),
	  "work in this directory instead of the current one" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct trust_args, load.json),
	  "print JSON, and never ask" },
};
const struct opt_set trust_opts = OPT_SET(opts, struct trust_args);

/* How the hooks of the project stand. */
struct standing {
	size_t n; /* hooks of the project */
	size_t unapproved; /* new or changed */
	bool folder; /* the folder is trusted */
	bool off; /* nobody is asked: folder trust is switched off */
};

static struct standing look(const struct tl_hooks *hooks)
{
	struct standing s = { .folder = tl_hooks_folder_trusted(hooks) };

	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		enum tl_trust_state t = tl_hooks_trust(hooks, i);

		s.n += t != TL_NOT_PROJECT;
		s.unapproved += t == TL_NEW || t == TL_CHANGED;
	}
	/* The engine's word for a hook that runs although nobody approved it. */
	for (size_t i = 0; i < tl_hooks_diagnostics(hooks); i++) {
		struct tl_diagnostic d = { .size = sizeof d };

		(void)tl_hooks_diagnostic(hooks, i, &d);
		s.off |= strcmp(d.code, "unapproved-hook") == 0;
	}
	return s;
}

static bool is_settled(const struct standing *s)
{
	return s->unapproved == 0 && s->folder;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static const char *trust_word(enum tl_trust_state t)
{
	static const char *const words[] = { "trusted", "new", "changed", "" };

	return words[t];
}

/* ---- showing ---- */

static void print_foreign(enum style style, struct str bytes)
{
	AUTO(buf_done) struct buf text = { 0 };

	/* A shell skips NUL bytes; whoever reviews must see what stands behind one. */
	for (size_t i = 0; i < bytes.n; i++)
		buf_adds(&text, bytes.p[i] ? str_sub(bytes, i, i + 1) : STR("\\x00"));
	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	out_text(style, buf_z(&text), 6);
}

static void print_script(const char *path)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct err err;
	size_t shown;

	if (fs_read(path, JSON_MAX_BYTES, &bytes, &err) < 0) {
		out_text(RED, err.text, 6);
		return;
	}
	shown = min_size(bytes.n, SHOWN_BYTES);
	print_foreign(DIM, str_sub(buf_str(&bytes), 0, shown));
	if (shown < bytes.n)
		out_f(YELLOW, "      (%zu more bytes are not shown)\n", bytes.n - shown);
}

/* Arguments, variables, a second filter: what the command says only half. */
static void print_definition(const char *definition)
{
	for (struct str rest = str_from(definition), line; str_split(&rest, '\n', &line);) {
		AUTO(free) char *z = xstrndup(line.p ? line.p : "", line.n);

		if (str_starts(line, STR("argument ")) || str_starts(line, STR("variable ")) ||
		    str_starts(line, STR("if ")))
			out_text(PLAIN, z, 4);
	}
}

static void print_diff(const struct tl_hooks *hooks, size_t i)
{
	AUTO(buf_done) struct buf diff = { 0 };

	if (!approved_diff(hooks, i, &diff))
		return;
	out_f(PLAIN, "    changed since it was approved:\n");
	for (struct str rest = buf_str(&diff), line; str_split(&rest, '\n', &line);)
		if (line.n)
			print_foreign(line.p[0] == '-'   ? RED
				      : line.p[0] == '+' ? GREEN
							 : DIM,
				      line);
}

static void print_hook(const struct tl_hooks *hooks, size_t i, const struct tl_hook *h,
		       bool scripts)
{
	AUTO(arena_done) struct arena a = { 0 };
	enum tl_trust_state t = tl_hooks_trust(hooks, i);

	out_f(t == TL_TRUSTED ? GREEN : YELLOW, "  %-8s", trust_word(t));
	out_f(BOLD, "%s", event_shown(h, &a));
	out_text(BOLD, h->name, 1);
	AUTO(free) char *place = xasprintf("%s:%u%s%s%s", short_path(hooks, h->file, &a), h->line,
					   *h->matcher ? "  matcher " : "", h->matcher,
					   h->state == TL_STATE_DISABLED ? "  (disabled)" : "");
	out_text(PLAIN, place, 4);
	if (strcmp(h->command, h->name) != 0)
		out_text(PLAIN, h->command, 4);
	print_definition(tl_hooks_definition(hooks, i));
	for (size_t k = 0; *tl_hooks_script(hooks, i, k); k++) {
		const char *path = tl_hooks_script(hooks, i, k);
		AUTO(free) char *script =
			xasprintf("script %s%s", short_path(hooks, path, &a), scripts ? ":" : "");

		out_text(CYAN, script, 4);
		if (scripts)
			print_script(path);
	}
	print_diff(hooks, i);
}

static void print_hooks(const struct tl_hooks *hooks, const struct standing *s, bool scripts)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *head =
		xasprintf("Hooks of %s:", short_path(hooks, tl_hooks_project_dir(hooks), &a));

	out_text(BOLD, head, 0);
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = { .size = sizeof h };

		(void)tl_hooks_get(hooks, i, &h);
		if (tl_hooks_trust(hooks, i) != TL_NOT_PROJECT)
			print_hook(hooks, i, &h, scripts);
	}
	if (s->off)
		out_f(PLAIN, "Folder trust is switched off: these hooks run unapproved.\n");
	else if (!s->folder)
		out_f(PLAIN, "The folder is not trusted: none of these hooks runs.\n");
}

static void print_json(const struct tl_hooks *hooks, const struct standing *s)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_obj(&w);
	jw_kv_z(&w, "project", tl_hooks_project_dir(hooks));
	jw_kv_bool(&w, "folderTrusted", s->folder);
	jw_kv_bool(&w, "folderTrustOff", s->off);
	jw_kv_int(&w, "unapproved", (int64_t)s->unapproved);
	jw_key(&w, "hooks");
	jw_arr(&w);
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = { .size = sizeof h };

		(void)tl_hooks_get(hooks, i, &h);
		if (tl_hooks_trust(hooks, i) == TL_NOT_PROJECT)
			continue;
		jw_obj(&w);
		json_hook(&w, &h);
		jw_kv_z(&w, "trust", trust_word(tl_hooks_trust(hooks, i)));
		jw_kv_z(&w, "state", tl_state_name(h.state));
		jw_kv_z(&w, "script", h.script);
		jw_kv_z(&w, "fingerprint", h.fingerprint);
		jw_kv_z(&w, "definition", tl_hooks_definition(hooks, i));
		AUTO(buf_done) struct buf diff = { 0 };
		if (approved_diff(hooks, i, &diff))
			jw_kv_str(&w, "diff", buf_str(&diff));
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	out_json(&out);
}

static void print_settled(const struct tl_hooks *hooks, const struct standing *s)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *project = short_path(hooks, tl_hooks_project_dir(hooks), &a);
	AUTO(free) char *line =
		s->n == 0 ? xasprintf("%s has no hooks of its own; nothing to approve.", project)
			  : xasprintf("%s: its %zu hook%s %s approved; nothing to do.", project,
				      s->n, plural(s->n), s->n == 1 ? "is" : "are");

	out_text(PLAIN, line, 0);
	if (s->n == 0 && !s->folder)
		out_f(PLAIN, "The folder is not trusted: the agent reads neither its settings nor "
			     "its context files.\n");
}

/* ---- deciding ---- */

static bool ask(const struct tl_hooks *hooks, const struct standing *s)
{
	AUTO(free) char *line = NULL;
	size_t cap = 0;

	for (;;) {
		struct str answer;

		if (s->n == 0)
			out_f(PLAIN, "Trust this folder? [y/N] ");
		else if (s->n == 1)
			out_f(PLAIN, "Approve this hook? [y/N, s shows the script] ");
		else
			out_f(PLAIN, "Approve these %zu hooks? [y/N, s shows the scripts] ", s->n);
		(void)fflush(stdout);
		if (getline(&line, &cap, stdin) < 0) {
			out_f(PLAIN, "\n");
			return false;
		}
		answer = str_trim(str_from(line));
		if (s->n == 0 || !str_eqz(answer, "s"))
			return str_eqz(answer, "y") || str_eqz(answer, "yes");
		print_hooks(hooks, s, true);
	}
}

/* What was approved is what had been loaded; a script that changed meanwhile is held back again. */
static int check_again(const struct trust_args *args)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_hooks *hooks;
	int status = load_hooks(&args->load, true, &hooks);

	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = { .size = sizeof h };

		(void)tl_hooks_get(hooks, i, &h);
		if (h.state != TL_STATE_UNTRUSTED)
			continue;
		complain("%s %s is still held back: %s", event_shown(&h, &a), h.name, h.why);
		status = EXIT_UNTRUSTED;
	}
	if (status != EXIT_OK && !tl_hooks_folder_trusted(hooks))
		complain(
			"a rule of trustedFolders.json, or GEMINI_CLI_TRUST_WORKSPACE=false, keeps "
			"the folder untrusted");
	tl_hooks_unref(hooks);
	return status;
}

static int approve(const struct trust_args *args, const struct tl_hooks *hooks,
		   const struct standing *s)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_err err;

	approved_keep(hooks);
	if (tl_trust_approve(hooks, &err) < 0) {
		complain("%s", err.text);
		return EXIT_USAGE;
	}
	if (args->load.json)
		return check_again(args);
	AUTO(free) char *store = fs_join(tl_hooks_home(hooks), ".trotline/trusted_hooks.json");
	AUTO(free) char *folders = fs_join(tl_hooks_home(hooks), ".gemini/trustedFolders.json");
	if (s->n == 0) {
		AUTO(free) char *line = xasprintf("The folder is trusted now; remembered in %s.",
						  short_path(hooks, folders, &a));
		out_text(PLAIN, line, 0);
		return check_again(args);
	}
	AUTO(free) char *text =
		xasprintf("Approved %zu hook%s of %s.\n"
			  "Remembered: what they are, in %s; the folder, in %s.\n"
			  "A hook or script that changes must be approved again.",
			  s->n, plural(s->n), short_path(hooks, tl_hooks_project_dir(hooks), &a),
			  short_path(hooks, store, &a), short_path(hooks, folders, &a));
	out_text(PLAIN, text, 0);
	return check_again(args);
}

static int refuse(const struct standing *s)
{
	size_t n = s->unapproved ? s->unapproved : s->n;

	(void)fflush(stdout); /* what this is about stands before it, in a pipe, too */
	if (n == 0) {
		(void)fputs("Trust it without being asked: trotline hooks trust --yes\n", stderr);
		return EXIT_OK;
	}
	complain("nothing was approved; %zu hook%s %s to be: look at %s, then", n, plural(n),
		 n == 1 ? "has" : "have", n == 1 ? "it" : "them");
	(void)fputs("  trotline hooks trust --show    shows the scripts\n"
		    "  trotline hooks trust --yes     approves without asking\n",
		    stderr);
	return EXIT_UNTRUSTED;
}

static int decide(const struct trust_args *args, const struct tl_hooks *hooks)
{
	struct standing s = look(hooks);
	bool only_look = (args->list || args->show) && !args->yes;

	if (args->load.json)
		print_json(hooks, &s);
	else if (s.n == 0 || (is_settled(&s) && !args->list && !args->show))
		print_settled(hooks, &s);
	else
		print_hooks(hooks, &s, args->show);
	if (only_look || is_settled(&s))
		return EXIT_OK;
	if (args->yes)
		return approve(args, hooks, &s);
	if (s.off)
		return EXIT_OK;
	if (args->load.json)
		return s.n ? EXIT_UNTRUSTED : EXIT_OK;
	if (!isatty(STDIN_FILENO))
		return refuse(&s);
	if (ask(hooks, &s))
		return approve(args, hooks, &s);
	out_f(PLAIN, "Nothing was approved.\n");
	return s.n ? EXIT_UNTRUSTED : EXIT_OK;
}

/* ---- taking it back ---- */

static void print_revoked(const struct trust_args *args, const struct tl_hooks *hooks,
			  int forgotten)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *project = short_path(hooks, tl_hooks_project_dir(hooks), &a);
	AUTO(free) char *line =
		xasprintf("Forgot the approval of %d hook%s; %s is not trusted any longer.",
			  forgotten, plural((size_t)forgotten), project);
	struct tl_hooks *now;

	out_text(PLAIN, line, 0);
	if (load_hooks(&args->load, true, &now) != EXIT_OK)
		return;
	if (look(now).off)
		out_f(YELLOW, "Folder trust is switched off: its hooks run all the same.\n");
	else if (tl_hooks_folder_trusted(now))
		out_f(YELLOW, "The folder is still trusted, by a folder above it or the settings; "
			      "new hooks must be approved all the same.\n");
	tl_hooks_unref(now);
}

static int take_back(const struct trust_args *args, const struct tl_hooks *hooks)
{
	struct tl_err err;
	int forgotten;

	approved_forget(hooks);
	forgotten = tl_trust_revoke(hooks, &err);

	if (forgotten < 0) {
		complain("%s", err.text);
		return EXIT_USAGE;
	}
	if (args->load.json)
		out_f(PLAIN, "{\"revoked\": %d}\n", forgotten);
	else
		print_revoked(args, hooks, forgotten);
	return EXIT_OK;
}

int cmd_trust(const void *args_, int n, char **rest)
{
	const struct trust_args *args = args_;
	struct tl_hooks *hooks;
	int status;

	(void)n;
	(void)rest;
	if (args->revoke && (args->yes || args->list || args->show)) {
		complain("--revoke goes without --yes, --list and --show");
		return EXIT_USAGE;
	}
	status = load_hooks(&args->load, args->load.json, &hooks);
	if (status != EXIT_OK)
		return status;
	status = args->revoke ? take_back(args, hooks) : decide(args, hooks);
	tl_hooks_unref(hooks);
	return status;
}
