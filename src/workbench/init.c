/* trotline hooks init: a first configuration and a first hook that works. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/words.h"
#include "hosts/plugins.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/proc.h"
#include "workbench/commands.h"
#include "workbench/init_files.h"
#include "workbench/registration.h"
#include "workbench/settings_args.h"

enum { COMPILE_TIMEOUT_MS = 60000 };

struct init_args {
	const char *language, *scope, *dir;
};

static const struct opt opts[] = {
	{ "language", 'l', "NAME", OPT_STR, offsetof(struct init_args, language),
	  "write the hook in sh (the default), python, node or c" },
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct init_args, scope),
	  "project (the default), or user: ~/.trotline/settings.json, whose hooks also run in other "
	  "agents" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct init_args, dir),
	  "work in this directory instead of the current one" },
};
const struct opt_set init_opts = OPT_SET(opts, struct init_args);

/* What one run of init is about. */
struct init {
	struct wb *wb;
	const char *top; /* the project, or the user's home directory */
	const char *project, *home; /* project: NULL = the user's own settings */
	const char *settings, *source, *program; /* below top */
	const char *name; /* of the hook */
	const struct init_language *language;
	size_t written, left_alone;
	bool looks; /* at the settings, before anything is written */
	/* Of the hook that is there already, the command and the name; NULL = no other one. */
	const char *other, *other_name;
};

/* ---- files ---- */

/* A directory; one of the project is not, by a symbolic link, a directory elsewhere. */
static int make_dir(const struct init *in, const char *name, struct err *err)
{
	AUTO(free) char *path = fs_join(in->top, name);
	AUTO(free) char *real = NULL;
	AUTO(free) char *top = fs_real(in->top);

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_errno(err, errno, "making %s", path);
	real = fs_real(path);
	if (!fs_is_dir(real) || (in->project && !path_below(top, real)))
		return err_set(err, E_INVAL, "%s is not a directory%s", path,
			       in->project ? " of the project" : "");
	return 0;
}

/* Writes a new file.  1 when it was written, 0 when there was one, which is left alone, or edited
 * by who calls. */
static int write_new(struct init *in, const char *name, struct str bytes, unsigned mode, bool edits,
		     struct err *err)
{
	AUTO(free) char *path = fs_join(in->top, name);
	AUTO(close) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	int r;

	if (fd < 0 && errno == EEXIST && edits)
		return 0;
	if (fd < 0 && errno == EEXIST) {
		in->left_alone++;
		sheet_f(&in->wb->sheet, YELLOW, "exists   ");
		sheet_f(&in->wb->sheet, PLAIN, "%s, left alone\n", name);
		return 0;
	}
	if (fd < 0)
		return err_errno(err, errno, "making %s", path);
	r = fd_write(fd, bytes, NULL);
	if (r < 0) {
		(void)unlink(path);
		return err_errno(err, -r, "writing %s", path);
	}
	in->written++;
	sheet_f(&in->wb->sheet, GREEN, "wrote    ");
	sheet_f(&in->wb->sheet, PLAIN, "%s\n", name);
	return 1;
}

/* ---- the settings ---- */

static const char *init_command(struct init *in)
{
	struct arena *a = &in->wb->arena;
	const char *by = in->language->by ? in->language->by : "";

	if (in->project)
		return arena_printf(a, "%s$GEMINI_PROJECT_DIR/%s", by, in->program).p;
	AUTO(free) char *path = fs_join(in->top, in->program);
	return arena_printf(a, "%s%.*s", by, STR_ARG(host_shell_quoted(a, str_from(path)))).p;
}

/* A user's has a name of its own: the project's may be switched off alone. */
static const char project_name[] = "block-dangerous", user_name[] = "block-dangerous-user";

/* The hook of one of these names that the settings have, in whatever language; NULL = none. */
static const struct json *find_hook(const struct json *doc)
{
	static const char *const names[] = { project_name, user_name };
	const struct json *groups = json_pointer(doc, STR("/hooks/BeforeTool"));

	for (size_t i = 0; json_is(groups, J_ARR) && i < groups->n; i++) {
		const struct json *hooks = json_getz(json_at(groups, i), "hooks");

		for (size_t k = 0; json_is(hooks, J_ARR) && k < hooks->n; k++)
			if (WORD_IN(json_get_str(json_at(hooks, k), "name"), names))
				return json_at(hooks, k);
	}
	return NULL;
}

/* Changes nothing: a script that the settings would not name is not worth writing. */
static int find_other(struct settings_change *c, void *data, struct err *err)
{
	struct init *in = data;
	const struct json *hook = find_hook(c->e.doc);
	struct str command = json_get_str(hook, "command");

	(void)err;
	if (command.n && !str_eqz(command, init_command(in))) {
		in->other = arena_z(&in->wb->arena, command);
		in->other_name = arena_z(&in->wb->arena, json_get_str(hook, "name"));
	}
	return 0;
}

static int add_hook(struct settings_change *c, void *data, struct err *err)
{
	struct init *in = data;
	enum reg_status status;
	struct hook_reg reg = {
		.name = in->name,
		.event = "BeforeTool",
		.matcher = "run_shell_command",
		.hook = json_pack(&in->wb->arena, "name:z type:z command:z timeout:i guard:b",
				  in->name, "command", init_command(in), 5000, true),
	};

	return find_hook(c->e.doc) ? 0 : hook_install(c, &reg, &status, err);
}

/* Settings that are there get the hook, and keep every other byte. */
static int edit_settings(struct init *in, struct err *err)
{
	const char *name = in->settings;
	AUTO(free) char *path = fs_join(in->top, name);
	AUTO(settings_change_done) struct settings_change c = { .path = path,
								.project = in->project,
								.home = in->home };
	AUTO(settings_unlock) int lock = -1;
	struct stat st;
	int r;

	bool there = lstat(path, &st) == 0;
	if (in->looks && (!there || S_ISLNK(st.st_mode)))
		return 0;
	if (there && S_ISLNK(st.st_mode)) {
		in->left_alone++;
		sheet_f(&in->wb->sheet, YELLOW, "exists   ");
		sheet_f(&in->wb->sheet, PLAIN, "%s is a link, left alone\n", name);
		return 0;
	}
	lock = settings_lock(in->home, err);
	r = lock < 0 ? lock : settings_apply(&c, in->looks ? find_other : add_hook, in, err);
	if (r < 0 || in->looks)
		return r;
	in->written += r > 0;
	in->left_alone += r == 0;
	sheet_f(&in->wb->sheet, r > 0 ? GREEN : YELLOW, r > 0 ? "edited   " : "exists   ");
	sheet_f(&in->wb->sheet, PLAIN, r > 0 ? "%s: BeforeTool has the hook\n" : "%s, left alone\n",
		name);
	return 0;
}

/* ---- a hook that must be compiled ---- */

/* (waits) */
static int compile(struct init *in, const char *source, const char *program, struct err *err)
{
	const char *const argv[] = { "cc", "-O2", "-o", program, source, NULL };
	AUTO(free) char *path = fs_join(in->top, program);
	AUTO(free) char *cc = NULL;
	AUTO(proc_done) struct proc p = { 0 };
	struct stat st;

	if (lstat(path, &st) == 0) {
		in->left_alone++;
		sheet_f(&in->wb->sheet, YELLOW, "exists   ");
		sheet_f(&in->wb->sheet, PLAIN,
			"%s, left alone; to compile it again: cc -O2 -o %s %s\n", program, program,
			source);
		return 0;
	}
	if (!fs_find_program("cc", getenv("PATH"), &cc)) {
		sheet_f(&in->wb->sheet, YELLOW, "missing  ");
		sheet_f(&in->wb->sheet, PLAIN,
			"cc: compile the hook before it is used: cc -O2 -o %s %s\n", program,
			source);
		return 0;
	}
	if (proc_run(&p,
		     &(struct proc_spec){ .file = cc,
					  .argv = argv,
					  .cwd = in->top,
					  .timeout_ms = COMPILE_TIMEOUT_MS },
		     NULL, err) < 0)
		return err_wrap(err, "cc");
	if (p.result.end != PROC_EXITED || p.result.code != 0)
		return err_set(err, E_IO, "cc -O2 -o %s %s failed: %s", program, source,
			       buf_z(&p.result.err));
	in->written++;
	sheet_f(&in->wb->sheet, GREEN, "compiled ");
	sheet_f(&in->wb->sheet, PLAIN, "%s\n         with: cc -O2 -o %s %s\n", program, program,
		source);
	return 0;
}

/* ---- the command ---- */

static int write_files(struct init *in, struct err *err)
{
	const struct init_language *lang = in->language;
	AUTO(buf_done) struct buf settings = { 0 };
	int r, made;

	in->looks = true;
	r = edit_settings(in, err);
	in->looks = false;
	if (r < 0 || in->other)
		return r;
	r = make_dir(in, in->project ? ".gemini" : ".trotline", err);
	r = r < 0 ? r : make_dir(in, in->project ? ".gemini/hooks" : ".trotline/hooks", err);
	if (r < 0)
		return r;
	buf_addz(&settings, init_settings_head);
	for (size_t i = 0; i < tl_event_count(); i++) {
		struct tl_event_info info = TL_EVENT_INFO_INIT();

		(void)tl_event_get(i, &info);
		if (strcmp(info.name, "BeforeTool") != 0 && strcmp(info.name, "Stop") != 0)
			buf_addf(&settings, "    //   %-20s %s\n", info.name, info.summary);
	}
	buf_addz(&settings, init_settings_body);
	buf_addf(&settings, "%s\n            \"name\": \"%s\",\n", in->name, in->name);
	buf_addz(&settings, init_settings_named);
	(void)json_write_str(&settings, str_from(init_command(in)));
	buf_addz(&settings, init_settings_tail);
	made = write_new(in, in->settings, buf_str(&settings), 0644, true, err);
	if (made < 0)
		return made;
	r = write_new(in, in->source, str_from(lang->text), lang->compiled ? 0644 : 0755, false,
		      err);
	if (r < 0)
		return r;
	if (lang->compiled && compile(in, in->source, in->program, err) < 0)
		return -err->code;
	return made ? 0 : edit_settings(in, err);
}

/* A path below the project's or the user's folder of settings. */
static const char *below(struct init *in, const char *name)
{
	return arena_printf(&in->wb->arena, "%s/%s", in->project ? ".gemini" : ".trotline", name).p;
}

static const struct init_language *language_find(struct wb *wb, const char *name)
{
	for (size_t i = 0; i < init_languages_n; i++)
		if (strcmp(name, init_languages[i].name) == 0)
			return &init_languages[i];
	(void)wb_fail_word(wb, "--language", "sh, python, node or c", name);
	return NULL;
}

/* The project and the home directory, as the engine finds them; *ret_hooks is unref()ed. */
static int find_project(struct wb *wb, const char *dir, bool user, struct tl_hooks **ret_hooks)
{
	const char *path = dir ? wb_path(wb, dir) : wb->cwd;
	struct tl_hooks *hooks;
	struct tl_err err;

	if (dir && !fs_is_dir(path))
		return wb_fail(wb, EXIT_USAGE, "%s: no such directory", dir);
	if (tl_hooks_load(
		    &(struct tl_options)TL_OPTIONS_INIT(.cwd = path, .flags = TL_LOAD_NO_FILES),
		    &hooks, &err) < 0)
		return wb_fail_tl(wb, EXIT_USAGE, &err);
	AUTO(free) char *home = fs_real(tl_hooks_home(hooks));
	AUTO(free) char *project = fs_real(tl_hooks_project_dir(hooks));
	bool is_home = home && project && strcmp(home, project) == 0;
	if (user && !home) {
		tl_hooks_unref(hooks);
		return wb_fail_home(wb);
	}
	if (!user && (is_home || strcmp(tl_hooks_project_dir(hooks), "/") == 0)) {
		tl_hooks_unref(hooks);
		return wb_fail(wb, EXIT_USAGE,
			       "this is %s; start in the folder of a project, or use --scope user",
			       is_home ? "your home directory" : "the root directory");
	}
	*ret_hooks = hooks;
	return EXIT_OK;
}

int wb_init(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct init_args *args = args_;
	struct init in = { .wb = wb };
	bool user = false;
	struct tl_hooks *hooks = NULL;
	struct err err;
	int status;

	(void)n;
	(void)rest;
	in.language = language_find(wb, args->language ? args->language : "sh");
	if (wb_scope(wb, args->scope, &user) != EXIT_OK)
		return EXIT_USAGE;
	status = in.language ? find_project(wb, args->dir, user, &hooks) : EXIT_USAGE;
	if (status != EXIT_OK || !hooks)
		return status;
	in.project = user ? NULL : tl_hooks_project_dir(hooks);
	in.home = tl_hooks_home(hooks);
	in.name = user ? user_name : project_name;
	in.top = user ? in.home : in.project;
	in.settings = below(&in, "settings.json");
	in.source = below(&in, in.language->source);
	in.program = below(&in, in.language->program);
	sheet_f(&wb->sheet, BOLD, "In %s:\n", in.top);
	if (write_files(&in, &err) < 0)
		status = settings_failed(wb, &err);
	else if (in.other)
		sheet_f(&wb->sheet, PLAIN,
			"%s has the hook \"%s\" already:\n  %s\nNothing was written. To begin again, %s\n",
			in.settings, in.other_name, in.other,
			user ? "take it out of this file first."
			     : "first: trotline hooks uninstall block-dangerous");
	else if (!in.written)
		sheet_f(&wb->sheet, PLAIN, "Nothing to do.\n");
	else
		sheet_f(&wb->sheet, PLAIN,
			"\nNext:\n%s"
			"  trotline hooks run BeforeTool --tool run_shell_command --input "
			"'{\"command\":\"rm -rf /\"}'\n"
			"  trotline hooks lint     whenever you have changed something\n%s",
			user ? "" : "  trotline hooks trust    look at the hook and approve it\n",
			user ? "  trotline hooks install --into claude,codex    also run it in "
			       "other agents\n"
			     : "");
	tl_hooks_unref(hooks);
	return status;
}
