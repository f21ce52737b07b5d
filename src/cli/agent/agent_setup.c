/* What a run works with: hooks and their trust, settings, mode, skills, directories. */
#include "cli/agent/agent_run.h"

#include "agent/catalog/agent_defs.h"
#include "agent/catalog/hook_sources.h"
#include "agent/catalog/skills.h"
#include "base/env.h"
#include "base/path.h"
#include "base/words.h"
#include "cli/agent/env_file.h"
#include "cli/interrupt.h"
#include "extensions/extension.h"
#include "os/fs.h"
#include "settings/places.h"
#include "settings/settings.h"
#include "workbench/commands.h"
#include "workbench/folder.h"

/* Of notes only those that explain why hooks do not run. */
static bool is_told(const struct tl_diagnostic *d)
{
	return d->severity != TL_SEVERITY_NOTE || strcmp(d->code, "unread-hooks") == 0 ||
	       strcmp(d->code, "event-never-fires") == 0;
}

static void say_line(void *data, const char *line)
{
	struct run *r = data;

	output_say(&r->out, "%s", line);
}

/* C7.4: a headless run never goes on without the project's hooks in silence. */
static int refuse_untrusted(struct run *r)
{
	AUTO(buf_done) struct buf text = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < tl_hooks_count(r->hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(r->hooks, i, &h);
		if (h.state != TL_STATE_UNTRUSTED)
			continue;
		if (n++ == 0)
			buf_addf(&text, "%s%s has unapproved hooks; nothing was run:\n",
				 tl_hooks_folder_trusted(r->hooks)
					 ? ""
					 : "trotline is not running in a trusted "
					   "directory. ",
				 tl_hooks_project_dir(r->hooks));
		buf_addf(&text, "  - %s  %s  %s:%u  %s\n", event_shown(&h, &r->arena),
			 short_name(&h, &r->arena), short_path(r->hooks, h.file, &r->arena), h.line,
			 h.why);
	}
	if (!n)
		return EXIT_OK;
	buf_addz(&text, "Review and approve them: trotline hooks trust\n"
			"Or, for this run: --skip-trust (or GEMINI_CLI_TRUST_WORKSPACE=true) runs "
			"them, --no-project-hooks leaves them out");
	return run_finish(r, EXIT_UNTRUSTED,
			  &(struct run_end){ .type = "FatalUntrustedWorkspaceError",
					     .message = buf_z(&text),
					     .code = EXIT_UNTRUSTED });
}

static bool runs_unapproved(struct run *r, size_t i, struct tl_hook *ret_hook)
{
	enum tl_trust_state trust = tl_hooks_trust(r->hooks, i);

	(void)tl_hooks_get(r->hooks, i, ret_hook);
	return ret_hook->state == TL_STATE_WOULD_RUN &&
	       (trust == TL_TRUST_NEW || trust == TL_TRUST_CHANGED);
}

/* "  - NAME (EVENT, EVENT)", where the first hook of that name is. */
static void add_unapproved(struct run *r, size_t i, const struct tl_hook *first, struct buf *out)
{
	AUTO(buf_done) struct buf when = { 0 }, seen = { 0 };

	for (size_t k = 0; k < tl_hooks_count(r->hooks); k++) {
		struct tl_hook h = TL_HOOK_INIT();

		if (!runs_unapproved(r, k, &h) || strcmp(h.name, first->name) != 0)
			continue;
		if (k < i)
			return;
		if (word_in_text(str_from(h.event), buf_z(&seen)))
			continue;
		buf_addf(&seen, "%s ", h.event);
		buf_addf(&when, "%s%s", when.n ? ", " : "", h.event);
	}
	buf_addf(out, "  - %s (%s)\n", short_name(first, &r->arena), buf_z(&when));
}

/* C7.4: unapproved hooks that run, because the folder is trusted without asking, are shown. */
static void show_unapproved(struct run *r)
{
	AUTO(buf_done) struct buf text = { 0 }, files = { 0 };

	for (size_t i = 0; i < tl_hooks_count(r->hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		if (!runs_unapproved(r, i, &h))
			continue;
		add_unapproved(r, i, &h, &text);
		const char *file = short_path(r->hooks, h.file, &r->arena);
		if (str_find(buf_str(&files), str_from(file), 0) < 0)
			buf_addf(&files, "%s%s", files.n ? ", " : "", file);
	}
	if (text.n)
		output_say(&r->out,
			   "WARNING: The following project-level hooks have been detected in this "
			   "workspace:\n%s\n"
			   "They run because this folder is trusted without asking. Please review\n"
			   "%s; \"trotline hooks trust\" approves them.",
			   buf_z(&text), buf_z(&files));
}

int setup_load_hooks(struct run *r, const struct words *muted, struct tl_hooks **ret_hooks,
		     struct tl_err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "/hooks mute");
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_WARM | TL_LOAD_HOST_POLICIES |
					 (r->args->skip_trust ? TL_LOAD_TRUST : 0) |
					 (r->args->no_project_hooks ? TL_LOAD_NO_PROJECT : 0),
				.cwd = r->cwd, .sources = &source, .nsources = muted && muted->n,
				.extensions = r->args->extensions.p, .watchdog = cli_watchdog);

	/* hooksConfig.disabled of muted hooks: the user's word, in no file. */
	jw_obj(&w);
	jw_key(&w, "hooksConfig");
	jw_obj(&w);
	jw_key(&w, "disabled");
	jw_arr(&w);
	for (size_t i = 0; muted && i < muted->n; i++)
		jw_z(&w, muted->p[i]);
	jw_end(&w);
	jw_end(&w);
	jw_end(&w);
	source.text = buf_z(&text);
	source.length = text.n;
	if (!r->hosts)
		r->hosts = hook_hosts_new(&(struct hook_hosts_options){ .kinds = hook_kinds });
	o.handlers = hook_hosts_rows(r->hosts, &o.nhandlers);
	return hooks_load_with_catalog(&o, ret_hooks, err);
}

/*
 * At a terminal the user sees what the folder would switch on and is asked; a refusal leaves it
 * out.  Whoever has said "never" is not asked again.
 */
static int ask_for_trust(struct run *r)
{
	AUTO(free) void *args = xcalloc(1, trust_opts.size);
	AUTO(wb_done) struct wb wb = cli_wb(false);
	struct tl_hook h = TL_HOOK_INIT();
	struct tl_hooks *hooks;
	struct tl_err err;
	bool untrusted = false;

	for (size_t i = 0; i < tl_hooks_count(r->hooks); i++)
		untrusted |= tl_hooks_get(r->hooks, i, &h) == 0 && h.state == TL_STATE_UNTRUSTED;
	if (folder_is_refused(r->hooks) || (!untrusted && tl_hooks_folder_trusted(r->hooks)))
		return EXIT_OK;
	if (cli_show(&wb, wb_trust(&wb, args, 0, NULL)) != EXIT_OK)
		output_warn(&r->out, "The hooks of this project do not run.");
	if (setup_load_hooks(r, NULL, &hooks, &err) == 0) {
		tl_hooks_unref(r->hooks);
		r->hooks = hooks;
	}
	return halt_fired(r->halt) ? interrupt_status() : EXIT_OK;
}

/* An untrusted folder's files have no effect: say so to those who wrote them. */
static void say_unread(struct run *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf names = { 0 };
	const struct json *rows = folder_brings(&a, r->hooks), *row;
	/* One with hooks alone is no row. */
	const struct settings_place *p = place_find(TL_TIER_PROJECT, "gemini", PLACE_SETTINGS);
	AUTO(free) char *path = fs_join(r->project, p->path);
	struct str before = str_from(fs_exists(path) ? p->path : "");
	struct tl_hook h = TL_HOOK_INIT();
	size_t n = before.n > 0;
	bool denies = false;

	/* C7.8: what a project's `permissions` deny counts in every folder. */
	for (size_t i = 0; tl_hooks_get(r->hooks, i, &h) == 0; i++)
		denies |= h.tier == TL_TIER_PROJECT && h.state == TL_STATE_WOULD_RUN;
	buf_adds(&names, before);
	for (size_t i = 0; (row = json_at(rows, i)); i++) {
		struct str shown = json_get_str(row, "path");

		if (!str_eq(shown, before))
			buf_addf(&names, "%s%.*s", n++ ? ", " : "", STR_ARG(shown));
		before = shown;
	}
	if (n)
		output_warn(&r->out,
			    "%s %s not read%s because this folder is not trusted: "
			    "\"trotline trust\" trusts it, --skip-trust for this run",
			    buf_z(&names), n == 1 ? "is" : "are",
			    denies ? ", apart from denials," : ",");
}

/* One line about what Gemini CLI would do, and we do not. */
static void say_in_vain(struct run *r)
{
	AUTO(buf_done) struct buf names = { 0 };

	for (const struct setting_in_vain *v = NULL; (v = settings_in_vain(r->settings, v));)
		buf_addf(&names, "%s%s", names.n ? ", " : "", v->name);
	if (names.n)
		output_warn(&r->out,
			    "No effect in trotline: %s (\"trotline hooks lint\" says where)",
			    buf_z(&names));
}

int setup_configuration(struct run *r)
{
	static const char hint[] = "Please fix the configuration file and try again.";
	/* Looking at what exists runs no hook. */
	bool only_looks =
		r->args->list_sessions || r->args->delete_session || r->args->list_extensions;
	struct settings_dirs from = { .complain = output_complain, .data = &r->out };
	struct run_end end = { .type = "FatalConfigError", .hint = hint, .code = EXIT_CONFIG };
	struct tl_settings set = TL_SETTINGS_INIT();
	struct tl_err load_err;
	struct err err;
	int status;

	if (setup_load_hooks(r, NULL, &r->hooks, &load_err) < 0) {
		if (load_err.code != TL_E_PARSE && load_err.code != TL_E_CONFIG)
			end = (struct run_end){ .type = "Error", .code = EXIT_USAGE };
		if (!load_err.file[0])
			end.hint = NULL;
		end.message = load_err.text;
		return run_finish(r, end.code, &end);
	}
	diagnostics_say(r->hooks, is_told, say_line, r);
	if (!only_looks && !r->args->no_project_hooks) {
		status = r->interactive ? ask_for_trust(r) : refuse_untrusted(r);
		if (status != EXIT_OK)
			return status;
		show_unapproved(r);
	}
	/* Copies: a session may load other hooks. */
	r->home = arena_z(&r->arena, str_from(tl_hooks_home(r->hooks)));
	r->project = arena_z(&r->arena, str_from(tl_hooks_project_dir(r->hooks)));
	r->trusted = tl_hooks_folder_trusted(r->hooks);
	places_sweep(&(struct dirs){ .home = r->home, .project = r->project });
	env_files_read(r);
	run_read_extensions(r);
	if (!r->trusted && !only_looks)
		say_unread(r);
	from.dirs = run_dirs(r);
	from.trusted = r->trusted;
	tl_hooks_settings(r->hooks, &set);
	from.sources = arena_z(&r->arena, str_from(set.sources));
	r->server_env = env_with(&r->arena, r->env, set.env);
	r->tool_env = env_with(&r->arena, r->server_env, set.project_env);
	from.below = r->extensions ? extensions_settings(&r->arena, r->extensions) : NULL;
	if (settings_load(&r->arena, &from, &r->settings, &err) == 0) {
		if (!only_looks)
			say_in_vain(r);
		return EXIT_OK;
	}
	end.message = err.text;
	return run_finish(r, end.code, &end);
}

/* ---- approval mode ---- */

int setup_mode(struct run *r)
{
	const char *given = r->args->yolo ? "yolo" : r->args->approval_mode;
	const char *set =
		settings_str(&r->arena, r->settings, "/general/defaultApprovalMode", NULL);

	if (given) {
		(void)mode_find(str_from(given), &r->mode);
	} else if (set && (!mode_find(str_from(set), &r->mode) || r->mode == MODE_YOLO)) {
		r->mode = MODE_DEFAULT;
		output_warn(&r->out,
			    "general.defaultApprovalMode: \"%s\" is not accepted in "
			    "settings; the mode is default",
			    set);
	}
	if (r->mode == MODE_YOLO && settings_bool(r->settings, "/security/disableYoloMode", false))
		return run_fail(r, EXIT_CONFIG, "FatalConfigError",
				"Cannot start in YOLO mode: security.disableYoloMode forbids it");
	/* Plan allows less: it needs no trust, and is never loosened. */
	if (r->mode != MODE_DEFAULT && r->mode != MODE_PLAN && !r->trusted) {
		r->mode = MODE_DEFAULT;
		output_warn(&r->out,
			    "The approval mode is default, because this folder "
			    "is not trusted; \"trotline trust\" trusts it, --skip-trust for "
			    "this run");
	}
	if (r->mode == MODE_YOLO)
		output_say(&r->out, "YOLO mode is enabled. All tool calls will be automatically "
				    "approved.");
	return EXIT_OK;
}

/* ---- skills and agents ---- */

struct catalog_options run_catalog(const struct run *r, const struct note_sink *notes)
{
	return (struct catalog_options){ .home = r->home,
					 .project = r->project,
					 .trusted = r->trusted,
					 .extensions = r->extensions,
					 .settings = r->settings,
					 .notes = *notes };
}

int setup_skills(struct run *r)
{
	const struct catalog_options o =
		run_catalog(r, &(struct note_sink){ output_note, &r->out });

	/* Looking at sessions needs none. */
	if (r->args->list_sessions || r->args->delete_session)
		return EXIT_OK;
	r->skills = skills_read(&r->arena, &o);
	r->agents = agents_read(&r->arena, &o);
	return EXIT_OK;
}

/* ---- directories ---- */

const char *run_add_root(struct run *r, const char *dir, struct err *err)
{
	AUTO(free) char *absolute = NULL, *real = NULL;

	if (dir[0] == '~' && (dir[1] == '/' || !dir[1]))
		absolute = xasprintf("%s%s", r->home, dir + 1);
	else
		absolute = fs_absolute(r->cwd, dir);
	real = fs_real(absolute);
	if (!real || !fs_is_dir(real)) {
		(void)err_set(err, E_NOTFOUND, "%s: no such directory", dir);
		return NULL;
	}
	*err = (struct err){ 0 };
	for (size_t i = 0; i < r->roots.n; i++)
		if (strcmp(r->roots.p[i], real) == 0)
			return NULL;
	words_add(&r->roots, arena_z(&r->arena, str_from(real)));
	return r->roots.p[r->roots.n - 1];
}

static void add_root(struct run *r, const char *dir)
{
	struct err err;

	if (!run_add_root(r, dir, &err) && err.code)
		output_warn(&r->out, "%s (ignored)", err.text);
}

void setup_roots(struct run *r)
{
	const struct json *more = json_pointer(r->settings, STR("/context/includeDirectories"));

	/* Who begins below the root of a trusted project works in all of it. */
	add_root(r, r->trusted && path_below(r->project, r->cwd) ? r->project : r->cwd);
	for (size_t i = 0; json_is(more, J_ARR) && i < more->n; i++)
		if (json_is(&more->items[i], J_STR))
			add_root(r, arena_z(&r->arena, json_str(&more->items[i], STR(""))));
	for (size_t i = 0; i < r->args->include_directories.n; i++)
		add_root(r, r->args->include_directories.p[i]);
}
