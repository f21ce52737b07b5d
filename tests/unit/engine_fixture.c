#include "engine_fixture.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "temp.h"

struct engine_fixture fx;

static const char *vfmt(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);

static const char *vfmt(const char *fmt, va_list ap)
{
	char *text = xvasprintf(fmt, ap);
	const char *kept;

	kept = arena_z(&fx.arena, str_from(text));
	free(text);
	return kept;
}

const char *fx_fmt(const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = vfmt(fmt, ap);
	va_end(ap);
	return text;
}

static const char *with_double_quotes(const char *text)
{
	char *copy = arena_z(&fx.arena, str_from(text));

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	return copy;
}

const char *fx_json(const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = vfmt(fmt, ap);
	va_end(ap);
	return with_double_quotes(text);
}

void fx_setenv(const char *name, const char *value)
{
	const char *entry = value ? fx_fmt("%s=%s", name, value) : NULL;
	size_t n = strlen(name);

	for (size_t i = 0; i < fx.nenv; i++) {
		if (strncmp(fx.env[i], name, n) != 0 || fx.env[i][n] != '=')
			continue;
		fx.env[i] = entry ? entry : fx.env[--fx.nenv];
		fx.env[fx.nenv] = NULL;
		return;
	}
	if (!entry)
		return;
	assert_true(fx.nenv + 1 < FIXTURE_ENV_MAX);
	fx.env[fx.nenv++] = entry;
	fx.env[fx.nenv] = NULL;
}

int fx_setup(void **state)
{
	char dir[TEMP_SIZE];
	const char *path = getenv("PATH");

	(void)state;
	fx = (struct engine_fixture){ 0 };
	assert_int_equal(temp_make(dir), 0);
	fx.dir = arena_z(&fx.arena, str_from(dir));
	fx.home = fx_path("home");
	fx.project = fx_path("project");
	fx.system = fx_path("system");
	assert_int_equal(fs_mkdirs(fx.home, 0755, NULL), 0);
	assert_int_equal(fs_mkdirs(fx.project, 0755, NULL), 0);
	assert_int_equal(fs_mkdirs(fx.system, 0755, NULL), 0);
	fx_setenv("PATH", path ? path : "/usr/bin:/bin");
	fx_setenv("HOME", fx.home);
	/* What the machine of the test has must not matter. */
	fx_setenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH", fx_path("system/settings.json"));
	fx_setenv("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", fx_path("system/defaults.json"));
	fx_setenv("TROTLINE_SYSTEM_SETTINGS_PATH", fx_path("system/trotline.json"));
	fx_setenv("TABNINE_CLI_SYSTEM_SETTINGS_PATH", fx_path("system/tabnine.json"));
	fx.fds = temp_fds();
	return 0;
}

int fx_teardown(void **state)
{
	siginfo_t info;

	(void)state;
	assert_int_equal(temp_fds(), fx.fds);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
	(void)temp_remove(fx.dir);
	arena_done(&fx.arena);
	return 0;
}

/* ---- files ---- */

const char *fx_path(const char *path)
{
	return path[0] == '/' ? path : fx_fmt("%s/%s", fx.dir, path);
}

static const char *write_mode(const char *path, const char *text, unsigned mode)
{
	const char *full = fx_path(path);
	AUTO(free) char *parent = xstrndup(full, (size_t)(strrchr(full, '/') - full));
	FILE *f;

	assert_int_equal(fs_mkdirs(parent, 0755, NULL), 0);
	f = fopen(full, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fchmod(fileno(f), mode), 0);
	assert_int_equal(fclose(f), 0);
	return full;
}

const char *fx_write(const char *path, const char *text)
{
	return write_mode(path, text, 0644);
}

const char *fx_script(const char *path, const char *text)
{
	return write_mode(path, text, 0755);
}

const char *fx_read(const char *path)
{
	AUTO(buf_done) struct buf text = { 0 };

	assert_int_equal(fs_read(fx_path(path), 1 << 24, &text, NULL), 0);
	return arena_z(&fx.arena, buf_str(&text));
}

unsigned fx_mode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(fx_path(path), &st), 0);
	return st.st_mode & 07777;
}

/* ---- loading ---- */

static void fill_options(struct tl_options *o)
{
	o->size = sizeof *o;
	if (!o->cwd)
		o->cwd = fx.project;
	if (!o->project_dir)
		o->project_dir = fx.project;
	if (!o->env)
		o->env = fx.env;
}

struct tl_hooks *fx_load(struct tl_options o)
{
	struct tl_hooks *h = NULL;
	struct tl_err err = { 0 };

	fill_options(&o);
	if (tl_hooks_load(&o, &h, &err) < 0)
		fail_msg("tl_hooks_load: %s", err.text);
	return h;
}

struct tl_err fx_load_err(struct tl_options o)
{
	struct tl_hooks *h = NULL;
	struct tl_err err = { 0 };
	int r;

	fill_options(&o);
	r = tl_hooks_load(&o, &h, &err);
	assert_true(r < 0);
	assert_null(h);
	assert_int_equal(r, -err.code);
	assert_true(err.text[0]);
	return err;
}

struct tl_hooks *fx_load_text(enum tl_tier tier, const char *dialect, const char *text)
{
	const char *json = with_double_quotes(text);
	struct tl_source s =
		TL_SOURCE_INIT(.tier = tier, .dialect = dialect, .name = "settings.json",
			       .text = json, .length = strlen(json));

	return FX_LOAD(.flags = TL_LOAD_NO_FILES | TL_LOAD_TRUST, .sources = &s, .nsources = 1);
}

const char *fx_settings(const char *event, const char *command, const char *more)
{
	AUTO(buf_done) struct buf quoted = { 0 };

	assert_int_equal(json_write_str(&quoted, str_from(command)), 0);
	return fx_fmt(
		"{\"hooks\":{\"%s\":[{\"hooks\":[{\"type\":\"command\",\"command\":%s%s%s}]}]}}",
		event, buf_z(&quoted), *more ? "," : "", with_double_quotes(more));
}

char **fx_hide_environment(void)
{
	char **before = environ;
	void *nowhere = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(nowhere, MAP_FAILED);
	environ = nowhere;
	return before;
}

void fx_show_environment(char **before)
{
	(void)munmap(environ, 1);
	environ = before;
}

struct tl_hooks *fx_load_command(const char *command, const char *more)
{
	const char *text = fx_settings("BeforeTool", command, more);
	struct tl_source s = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "settings.json",
					    .text = text, .length = strlen(text));

	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .sources = &s, .nsources = 1);
}

/* ---- firing ---- */

struct tl_outcome *fx_fire(struct tl_hooks *h, const struct tl_event *event)
{
	struct tl_outcome *o = NULL;
	struct tl_err err = { 0 };

	if (tl_fire(h, event, NULL, &o, &err) < 0)
		fail_msg("tl_fire: %s", err.text);
	return o;
}

static const struct tl_field ls[] = { { "tool_input", "{\"command\":\"ls\"}", 16 } };

struct tl_outcome *fx_fire_tool(struct tl_hooks *h, const char *tool)
{
	return FX_FIRE(h, .name = "BeforeTool", .subject = tool, .fields = ls, .nfields = 1);
}

enum tl_state fx_why(struct tl_hooks *h, const char *tool, size_t i)
{
	struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = tool);
	AUTO(tl_outcome_free) struct tl_outcome *o = NULL;

	assert_int_equal(tl_why(h, &event, &o, NULL), 0);
	return fx_report(o, i).state;
}

struct tl_report fx_report(const struct tl_outcome *o, size_t i)
{
	struct tl_report r = TL_REPORT_INIT();

	assert_int_equal(tl_outcome_report_get(o, i, &r), 0);
	return r;
}

struct tl_hook fx_hook(const struct tl_hooks *h, size_t i)
{
	struct tl_hook k = TL_HOOK_INIT();

	assert_int_equal(tl_hooks_get(h, i, &k), 0);
	return k;
}

static const struct tl_diagnostic *keep(const struct tl_diagnostic *d)
{
	struct tl_diagnostic *kept = ARENA_NEW(&fx.arena, struct tl_diagnostic);

	*kept = *d;
	return kept;
}

const struct tl_diagnostic *fx_diag(const struct tl_hooks *h, const char *code)
{
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

	for (size_t i = 0; tl_hooks_diagnostic_get(h, i, &d) == 0; i++)
		if (strcmp(d.code, code) == 0)
			return keep(&d);
	return NULL;
}

size_t fx_count_diags(const struct tl_hooks *h, const char *code)
{
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();
	size_t n = 0;

	for (size_t i = 0; tl_hooks_diagnostic_get(h, i, &d) == 0; i++)
		n += strcmp(d.code, code) == 0;
	return n;
}

const struct tl_diagnostic *fx_outcome_diag(const struct tl_outcome *o, const char *code)
{
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

	for (size_t i = 0; tl_outcome_diagnostic_get(o, i, &d) == 0; i++)
		if (strcmp(d.code, code) == 0)
			return keep(&d);
	return NULL;
}

const char *fx_output(struct tl_hooks *h)
{
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "run_shell_command");
	struct tl_report r = fx_report(o, 0);
	const char *text = arena_z(&fx.arena, (struct str){ r.output, r.output_length });

	tl_hooks_unref(h);
	return text;
}

pid_t fx_spawn_self(const char *const *args)
{
	const char *argv[16] = { "self" };
	size_t n = 1;
	pid_t pid;

	for (; *args; args++) {
		assert_true(n + 1 < ARRAY_LEN(argv));
		argv[n++] = *args;
	}
	assert_int_equal(
		posix_spawn(&pid, "/proc/self/exe", NULL, NULL, (char *const *)argv, environ), 0);
	return pid;
}

int fx_wait(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void fx_assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

void fx_assert_hasnt(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in: %s", part, text);
}

bool fx_is_over(long pid)
{
	AUTO(buf_done) struct buf stat = { 0 };

	return fs_read(fx_fmt("/proc/%ld/stat", pid), 4096, &stat, NULL) < 0 ||
	       strstr(buf_z(&stat), ") Z ");
}

void fx_wait_gone(long pid)
{
	int64_t until = clock_us() + (int64_t)WAIT_MS * 1000;

	while (!fx_is_over(pid)) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
}
