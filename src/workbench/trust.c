/* trotline hooks trust: shows what a project's hooks run, and approves it as it is now (C7.4). */
#include "hooks/trust.h"
#include "hooks/confined.h"
#include "os/fs.h"
#include "workbench/approved.h"
#include "workbench/commands.h"
#include "workbench/folder.h"
#include "workbench/show.h"

enum { SHOWN_BYTES = 256 << 10 };

struct trust_args {
	struct load_args load;
	bool yes, list, show, revoke, sandbox, no_sandbox;
};

static const struct opt opts[] = {
	{ "yes", 'y', NULL, OPT_FLAG, offsetof(struct trust_args, yes), "approve without asking" },
	{ "list", 'l', NULL, OPT_FLAG, offsetof(struct trust_args, list),
	  "only list what is approved, new or changed" },
	{ "show", 's', NULL, OPT_FLAG, offsetof(struct trust_args, show),
	  "only list, with the text of the scripts" },
	{ "sandbox", 0, NULL, OPT_FLAG, offsetof(struct trust_args, sandbox),
	  "from now on, run the project's hooks in a sandbox" },
	{ "no-sandbox", 0, NULL, OPT_FLAG, offsetof(struct trust_args, no_sandbox),
	  "from now on, run them without one" },
	{ "revoke", 0, NULL, OPT_FLAG, offsetof(struct trust_args, revoke),
	  "forget what was approved, and that the folder is trusted" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct trust_args, load.dir),
	  "work in this directory instead of the current one" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct trust_args, load.json),
	  "print JSON, and never ask" },
};
const struct opt_set trust_opts = OPT_SET(opts, struct trust_args);

/* The state of the project's hooks. */
struct standing {
	size_t n; /* hooks of the project */
	size_t unapproved; /* new or changed */
	size_t gone; /* approved, and no longer in the settings */
	bool folder; /* the folder is trusted */
	bool off; /* folder trust is switched off */
	size_t free; /* hooks that say nothing about a sandbox */
	enum sandbox_project sandbox; /* whether these have one */
	bool by_settings; /* that cannot be chosen here */
};

static struct standing look(const struct tl_hooks *hooks)
{
	struct standing s = { .folder = tl_hooks_folder_trusted(hooks) };

	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		enum tl_trust_state t = tl_hooks_trust(hooks, i);

		s.n += t != TL_TRUST_NOT_PROJECT;
		s.unapproved += t == TL_TRUST_NEW || t == TL_TRUST_CHANGED;
	}
	for (size_t i = 0; i < hooks->nhooks; i++)
		s.free += confined_by_default(hooks->hooks[i]);
	s.sandbox = hooks->set.sandbox_project;
	s.by_settings = s.free && !hooks->set.sandbox_asked;
	/* The engine's words for a hook that runs unapproved, and for one that is gone. */
	for (size_t i = 0; i < tl_hooks_diagnostic_count(hooks); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(hooks, i, &d);
		s.off |= strcmp(d.code, "unapproved-hook") == 0;
		s.gone += strcmp(d.code, "approved-hook-gone") == 0;
	}
	return s;
}

/* ---- showing ---- */

static void show_foreign(struct sheet *p, enum style style, struct str bytes)
{
	AUTO(buf_done) struct buf text = { 0 };

	/* A shell skips NUL bytes; whoever reviews must see what follows one. */
	for (size_t i = 0; i < bytes.n; i++)
		buf_adds(&text, bytes.p[i] ? str_sub(bytes, i, i + 1) : STR("\\x00"));
	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	sheet_text(p, style, buf_z(&text), 6);
}

static void show_script(struct sheet *p, const struct hook *hook, size_t k)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct err err;
	size_t shown;

	if (trust_read_script(hook, k, &bytes, &err) < 0) {
		sheet_text(p, RED, err.text, 6);
		return;
	}
	shown = min_size(bytes.n, SHOWN_BYTES);
	show_foreign(p, DIM, str_sub(buf_str(&bytes), 0, shown));
	if (shown < bytes.n)
		sheet_f(p, YELLOW, "      (%zu more bytes are not shown)\n", bytes.n - shown);
}

static void show_hook(struct sheet *p, const struct tl_hooks *hooks, size_t i, bool scripts)
{
	static const struct str told[] = {
		{ "argument ", 9 },
		{ "variable ", 9 },
		{ "if ", 3 },
		{ "watch ", 6 },
		{ "sandbox ", 8 },
		/* Of hooks that are no processes: all that makes them what they are. */
		{ "http {", 6 },
		{ "mcp_tool {", 10 },
		{ "prompt {", 8 },
		{ "agent {", 7 },
		{ "leads to ", 9 },
		{ "while the agent ", 16 },
		{ "once the skill ", 15 },
	};
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf diff = { 0 };
	const struct tl_hook *h = hook_at(hooks, i);
	enum tl_trust_state t = tl_hooks_trust(hooks, i);

	sheet_f(p, t == TL_TRUST_APPROVED ? GREEN : YELLOW, "  %-8s", trust_word(t));
	sheet_f(p, BOLD, "%s", event_shown(h, &a));
	sheet_text(p, BOLD, h->name, 1);
	sheet_text(p, PLAIN,
		   arena_printf(&a, "%s:%u%s%s%s", short_path(hooks, h->file, &a), h->line,
				*h->matcher ? "  matcher " : "", h->matcher,
				h->state == TL_STATE_DISABLED ? "  (disabled)" : "")
			   .p,
		   4);
	if (strcmp(h->command, h->name) != 0)
		sheet_rows(p, PLAIN, h->command, 4, 2);
	/* Arguments, variables, a second filter: the rest of what is approved. */
	for (struct str rest = str_from(tl_hooks_definition(hooks, i)), line;
	     str_split(&rest, '\n', &line);)
		for (size_t k = 0; k < ARRAY_LEN(told); k++)
			if (str_starts(line, told[k]))
				sheet_rows(p, PLAIN, arena_z(&a, line), 4, 2);
	for (size_t k = 0; *tl_hooks_script_get(hooks, i, k); k++) {
		const char *path = tl_hooks_script_get(hooks, i, k);
		/* What would take a script's place counts while it is not there, and so do
		 * directories that it imports from: only whoever wants all of it is told. */
		const char *what = !fs_exists(path)  ? "not there yet, watched:"
				   : fs_is_dir(path) ? "directory"
						     : NULL;

		if (what && !scripts)
			continue;
		sheet_text(p, CYAN,
			   arena_printf(&a, "%s %s%s", what ? what : "script",
					short_path(hooks, path, &a), scripts && !what ? ":" : "")
				   .p,
			   4);
		if (scripts && !what)
			show_script(p, hooks->hooks[i], k);
	}
	if (*h->unwatched)
		sheet_rows(p, YELLOW, arena_printf(&a, "unwatched: %s", h->unwatched).p, 4, 2);
	if (approved_diff(hooks, i, &diff))
		sheet_f(p, PLAIN, "    changed since it was approved:\n");
	for (struct str rest = buf_str(&diff), line; str_split(&rest, '\n', &line);)
		if (line.n)
			show_foreign(p,
				     line.p[0] == '-'   ? RED
				     : line.p[0] == '+' ? GREEN
							: DIM,
				     line);
}

/* Besides hooks: what an untrusted folder's files do not do. */
static void show_brings(struct sheet *p, const struct tl_hooks *hooks, const struct standing *s)
{
	enum { WHAT_AT = 12 };
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *rows = folder_brings(&a, hooks), *row;

	sheet_rows(p, BOLD,
		   arena_printf(&a,
				s->folder ? "%s is trusted and switches on:"
					  : "Trusting %s would switch on:",
				short_path(hooks, tl_hooks_project_dir(hooks), &a))
			   .p,
		   0, 2);
	for (size_t i = 0; (row = json_at(rows, i)); i++) {
		struct str names = json_get_str(row, "names"), path = json_get_str(row, "path");

		sheet_rows(p, PLAIN,
			   arena_printf(&a, "%-*.*s %.*s%s%.*s", WHAT_AT,
					STR_ARG(json_get_str(row, "what")), STR_ARG(path),
					names.n ? ": " : "", STR_ARG(names))
				   .p,
			   2, WHAT_AT + 1);
	}
	if (s->n)
		sheet_f(p, PLAIN, "  %-*s %zu, shown below\n", WHAT_AT, "hooks", s->n);
	sheet_f(p, PLAIN, "  %-*s auto_edit and yolo; default and plan need no trust\n", WHAT_AT,
		"modes");
	/* A rule of trustedFolders.json holds from its folder downwards. */
	if (!s->folder)
		sheet_f(p, PLAIN, "  %-*s %s\n", WHAT_AT, "folders",
			strcmp(tl_hooks_project_dir(hooks), "/") == 0
				? "every folder of this machine is below this one, and is then trusted"
				: "those below this one are then trusted as well");
}

/* For `list`: the rules about all folders. */
static void show_rules(struct sheet *p, const struct tl_hooks *hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *rows = folder_rules(&a, hooks), *row;

	sheet_f(p, BOLD, "Folders:%s\n", rows->n ? "" : " none");
	for (size_t i = 0; (row = json_at(rows, i)); i++)
		sheet_text(
			p, PLAIN,
			arena_printf(&a, "%-12.*s %s", STR_ARG(json_get_str(row, "rule")),
				     short_path(hooks, arena_z(&a, json_get_str(row, "path")), &a))
				.p,
			2);
}

static void show_hooks(struct sheet *p, const struct tl_hooks *hooks, const struct standing *s,
		       bool scripts)
{
	AUTO(arena_done) struct arena a = { 0 };

	sheet_text(
		p, BOLD,
		arena_printf(&a, "Hooks of %s:", short_path(hooks, tl_hooks_project_dir(hooks), &a))
			.p,
		0);
	for (size_t i = 0; i < tl_hooks_count(hooks); i++)
		if (tl_hooks_trust(hooks, i) != TL_TRUST_NOT_PROJECT)
			show_hook(p, hooks, i, scripts);
	if (s->free && s->sandbox == SANDBOX_ON)
		sheet_prose(p, PLAIN,
			    s->free < s->n
				    ? "In a sandbox: they read the project, write nothing, have no "
				      "network, but for those with a sandbox of their own.\n"
				    : "In a sandbox: they read the project, write nothing, have no "
				      "network.\n");
	if (s->off)
		sheet_f(p, PLAIN, "Folder trust is switched off: these hooks run unapproved.\n");
	else if (!s->folder)
		sheet_f(p, PLAIN, "The folder is not trusted yet: none of these hooks runs.\n");
}

static const struct json *value(struct arena *a, const struct tl_hooks *hooks,
				const struct standing *s)
{
	struct json_list rows = { 0 };

	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		const struct tl_hook *h = hook_at(hooks, i);
		AUTO(buf_done) struct buf diff = { 0 };
		const struct json *v;

		if (tl_hooks_trust(hooks, i) == TL_TRUST_NOT_PROJECT)
			continue;
		v = json_pack_more(
			a, hook_value(a, h),
			"trust:z state:z script:z ?unwatched:z fingerprint:z definition:z",
			trust_word(tl_hooks_trust(hooks, i)), tl_state_name(h->state), h->script,
			h->unwatched, h->fingerprint, tl_hooks_definition(hooks, i));
		if (approved_diff(hooks, i, &diff))
			v = json_pack_more(a, v, "diff:s", buf_str(&diff));
		json_list_add(&rows, v);
	}
	static const char *const words[] = { "unset", "off", "on" };

	return json_pack(
		a,
		"project:z folderTrusted:b folderTrustOff:b unapproved:n sandbox:z hooks:j "
		"brings:j folders:j",
		tl_hooks_project_dir(hooks), s->folder, s->off, s->unapproved, words[s->sandbox],
		json_list_take(a, &rows), folder_brings(a, hooks), folder_rules(a, hooks));
}

/* ---- deciding ---- */

enum word { ANSWER_NO, ANSWER_YES, ANSWER_NEVER };

static enum word ask(struct wb *wb, const struct tl_hooks *hooks, const struct standing *s)
{
	const char *never = s->folder ? "" : ", never";
	AUTO(free) char *question =
		s->n == 0   ? xasprintf("Trust this folder? [y/N%s] ", never)
		: s->n == 1 ? xasprintf("Approve this hook? [y/N%s, s shows the script] ", never)
			    : xasprintf("Approve these %zu hooks? [y/N%s, s shows the scripts] ",
					s->n, never);

	for (;;) {
		AUTO(buf_done) struct buf line = { 0 };
		struct str answer;

		if (!wb->ask(wb, question, &line))
			return ANSWER_NO;
		answer = str_trim(buf_str(&line));
		if (!s->folder && str_eqz(answer, "never"))
			return ANSWER_NEVER;
		if (s->n == 0 || !str_eqz(answer, "s"))
			return str_eqz(answer, "y") || str_eqz(answer, "Y") ||
					       str_eqz(answer, "yes")
				       ? ANSWER_YES
				       : ANSWER_NO;
		show_hooks(&wb->sheet, hooks, s, true);
	}
}

/*
 * C6.15: asked once a project, and only where nothing else says it.  No answer changes nothing; on
 * a kernel without sandboxes the hooks would not run at all.
 */
static int choose_sandbox(struct wb *wb, const struct trust_args *args,
			  const struct tl_hooks *hooks, const struct standing *s)
{
	AUTO(buf_done) struct buf line = { 0 };
	bool said = args->sandbox || args->no_sandbox, yes = args->sandbox;
	struct str answer;
	struct err err;

	if (!said && (!s->free || s->by_settings || s->sandbox != SANDBOX_UNSAID || args->yes ||
		      !wb->ask || sandbox_check(sandbox_abi(), NULL) < 0))
		return EXIT_OK;
	if (!said) {
		if (!wb->ask(wb,
			     "Run them in a sandbox, where they read this project, write nothing "
			     "and have no network? [Y/n] ",
			     &line))
			return EXIT_OK;
		answer = str_trim(buf_str(&line));
		yes = !answer.n || str_starts(answer, STR("y")) || str_starts(answer, STR("Y"));
	}
	if (s->by_settings && s->free)
		wb_note(wb, "hooksConfig.sandboxProjectHooks in your settings counts, not this.");
	if (trust_keep_sandbox(hooks, yes, &err) < 0)
		return wb_fail(wb, EXIT_USAGE, "%s", err.text);
	sheet_f(&wb->sheet, PLAIN, "Its hooks run %s a sandbox from now on%s.\n",
		yes ? "in" : "without", yes ? "; one that needs more says so in \"sandbox\"" : "");
	return EXIT_OK;
}

/* What was approved is what had been loaded; a script that changed meanwhile is held back again. */
static int check_again(struct wb *wb, const struct trust_args *args)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct tl_hook *h;
	struct tl_hooks *hooks;
	int status = wb_load(wb, &args->load, WB_QUIET | WB_FILES, &hooks);

	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; (h = hook_at(hooks, i)); i++) {
		struct wb_place at = place_of_hook("unapproved-hook", h);

		if (h->state == TL_STATE_UNTRUSTED)
			status = wb_fail_at(wb, EXIT_UNTRUSTED, &at, "%s %s is still held back: %s",
					    event_shown(h, &a), h->name, h->why);
	}
	if (status != EXIT_OK && !tl_hooks_folder_trusted(hooks))
		wb_complain(wb, "a rule of trustedFolders.json, or "
				"GEMINI_CLI_TRUST_WORKSPACE=false, keeps the folder untrusted");
	tl_hooks_unref(hooks);
	return status;
}

static int approve(struct wb *wb, const struct trust_args *args, const struct tl_hooks *hooks,
		   const struct standing *s)
{
	struct arena *a = &wb->arena;
	struct tl_err err;
	int status;

	approved_keep(hooks);
	if (tl_trust_approve(hooks, &err) < 0)
		return wb_fail_tl(wb, EXIT_USAGE, &err);
	AUTO(free) char *store = fs_join(tl_hooks_home(hooks), ".trotline/trusted_hooks.json");
	AUTO(free) char *folders = fs_join(tl_hooks_home(hooks), ".gemini/trustedFolders.json");
	const char *folder = short_path(hooks, folders, a);
	if (s->gone)
		sheet_f(&wb->sheet, PLAIN, "Forgot %zu hook%s that %s gone.\n", s->gone,
			plural(s->gone), s->gone == 1 ? "is" : "are");
	sheet_text(
		&wb->sheet, PLAIN,
		s->n == 0
			? arena_printf(a, "The folder is trusted now; remembered in %s.", folder).p
			: arena_printf(a,
				       "Approved %zu hook%s of %s.\n"
				       "Remembered: the hooks in %s, the folder in %s.\n"
				       "A hook or script that changes must be approved again.",
				       s->n, plural(s->n),
				       short_path(hooks, tl_hooks_project_dir(hooks), a),
				       short_path(hooks, store, a), folder)
				  .p,
		0);
	status = choose_sandbox(wb, args, hooks, s);
	return status == EXIT_OK ? check_again(wb, args) : status;
}

static int refuse(struct wb *wb, const struct standing *s)
{
	size_t n = s->unapproved ? s->unapproved : s->n;

	if (n == 0) {
		wb_note(wb, "Trust it without being asked: trotline hooks trust --yes");
		return EXIT_OK;
	}
	(void)wb_fail(wb, EXIT_UNTRUSTED,
		      "nothing was approved; %zu hook%s still %s approval: look at %s, then", n,
		      plural(n), n == 1 ? "needs" : "need", n == 1 ? "it" : "them");
	wb_note(wb, "  trotline hooks trust --show    shows the scripts\n"
		    "  trotline hooks trust --yes     approves without asking");
	return EXIT_UNTRUSTED;
}

/*
 * Commands of an agent find this in their environment; what it would approve is what is there to
 * watch it.  The pack agents denies such a command before it runs.
 */
static bool asks_an_agent(void)
{
	const char *set = getenv("GEMINI_CLI");

	return set && *set;
}

static int decide(struct wb *wb, const struct trust_args *args, const struct tl_hooks *hooks)
{
	struct standing s = look(hooks);
	bool settled = s.unapproved == 0 && s.gone == 0 && s.folder;
	bool only_look = (args->list || args->show) && !args->yes;
	struct tl_err err;

	wb->value = value(&wb->arena, hooks, &s);
	if (only_look || (!settled && !s.off))
		show_brings(&wb->sheet, hooks, &s);
	if (s.n == 0 || (settled && !args->list && !args->show)) {
		AUTO(arena_done) struct arena a = { 0 };
		const char *project = short_path(hooks, tl_hooks_project_dir(hooks), &a);
		AUTO(free) char *line =
			s.n == 0 ? xasprintf("%s has no hooks%s.", project,
					     s.gone ? " any longer" : "; nothing to approve")
				 : xasprintf("%s: its %zu hook%s %s approved; nothing to do.",
					     project, s.n, plural(s.n), s.n == 1 ? "is" : "are");

		sheet_text(&wb->sheet, PLAIN, line, 0);
		if (s.n == 0 && !s.folder)
			sheet_prose(
				&wb->sheet, PLAIN,
				"The folder is not trusted yet: the agent reads neither its settings nor "
				"its context files.\n");
	} else {
		show_hooks(&wb->sheet, hooks, &s, args->show);
	}
	if (args->list)
		show_rules(&wb->sheet, hooks);
	if (only_look || settled)
		return settled && (args->sandbox || args->no_sandbox)
			       ? choose_sandbox(wb, args, hooks, &s)
			       : EXIT_OK;
	if (asks_an_agent() && (args->yes || wb->ask))
		return wb_fail(wb, EXIT_UNTRUSTED,
			       "nothing was approved: this is a command of an agent (GEMINI_CLI is "
			       "set), and an agent does not approve what watches it; run it in a "
			       "terminal of your own, or /trust yes in a session");
	if (args->yes)
		return approve(wb, args, hooks, &s);
	if (s.off)
		return EXIT_OK;
	if (wb->json)
		return s.n ? EXIT_UNTRUSTED : EXIT_OK;
	if (!wb->ask)
		return refuse(wb, &s);
	switch (ask(wb, hooks, &s)) {
	case ANSWER_YES:
		return approve(wb, args, hooks, &s);
	case ANSWER_NEVER:
		if (tl_trust_refuse(hooks, &err) < 0)
			return wb_fail_tl(wb, EXIT_USAGE, &err);
		sheet_f(&wb->sheet, PLAIN,
			"You are not asked again; \"trotline trust\" trusts the folder later.\n");
		return s.n ? EXIT_UNTRUSTED : EXIT_OK;
	case ANSWER_NO:
		break;
	}
	sheet_f(&wb->sheet, PLAIN, "Nothing was approved.\n");
	return s.n ? EXIT_UNTRUSTED : EXIT_OK;
}

/* ---- taking it back ---- */

static int take_back(struct wb *wb, const struct trust_args *args, const struct tl_hooks *hooks)
{
	struct arena *a = &wb->arena;
	bool trusted = tl_hooks_folder_trusted(hooks);
	const char *path = short_path(hooks, tl_hooks_project_dir(hooks), a);
	struct tl_hooks *now;
	struct tl_err err;
	int forgotten;

	approved_forget(hooks);
	forgotten = tl_trust_revoke(hooks, &err);
	if (forgotten < 0)
		return wb_fail_tl(wb, EXIT_USAGE, &err);
	wb->value = json_pack(a, "revoked:i", forgotten);
	sheet_text(&wb->sheet, PLAIN,
		   !forgotten && !trusted
			   ? arena_printf(a, "%s was not trusted; nothing to forget.", path).p
			   : arena_printf(a,
					  "Forgot the approval of %d hook%s; %s is not trusted "
					  "any longer.",
					  forgotten, plural((size_t)forgotten), path)
				     .p,
		   0);
	if (wb->json || wb_load(wb, &args->load, WB_QUIET | WB_FILES, &now) != EXIT_OK)
		return EXIT_OK;
	if (look(now).off)
		sheet_f(&wb->sheet, YELLOW,
			"Folder trust is switched off: its hooks run all the same.\n");
	else if (tl_hooks_folder_trusted(now))
		sheet_f(&wb->sheet, YELLOW,
			"The folder is still trusted, by a folder above it or the settings; "
			"new hooks must be approved all the same.\n");
	tl_hooks_unref(now);
	return EXIT_OK;
}

int wb_trust(struct wb *wb, const void *args_, int n, char **rest)
{
	struct trust_args own = *(const struct trust_args *)args_;
	const struct trust_args *args = &own;
	struct tl_hooks *hooks;
	int status, i = 0;

	/* What others write as commands is an option here. */
	if (n > 0 && strcmp(rest[0], "list") == 0)
		own.list = ++i;
	else if (n > 0 && strcmp(rest[0], "revoke") == 0)
		own.revoke = ++i;
	if (n > i + 1 || (n > i && own.load.dir))
		return wb_fail(wb, EXIT_USAGE, "trust: one argument too many: %s", rest[n - 1]);
	if (n > i && !fs_is_dir(wb_path(wb, rest[i]))) {
		static const struct command words[] = { { .name = "list" },
							{ .name = "revoke" },
							{ .name = "--yes" } };

		return wb_fail(wb, EXIT_USAGE, "%s: no such directory%s", rest[i],
			       meant_as("", command_meant(words, ARRAY_LEN(words), rest[i])).text);
	}
	if (n > i)
		own.load.dir = rest[i];
	if (args->sandbox && args->no_sandbox)
		return wb_fail(wb, EXIT_USAGE, "--sandbox and --no-sandbox exclude each other");
	if (args->revoke && (args->yes || args->list || args->show))
		return wb_fail(wb, EXIT_USAGE, "--revoke goes without --yes, --list and --show");
	status = wb_load(wb, &args->load, WB_FILES, &hooks);
	if (status != EXIT_OK)
		return status;
	status = args->revoke ? take_back(wb, args, hooks) : decide(wb, args, hooks);
	tl_hooks_unref(hooks);
	return status;
}
