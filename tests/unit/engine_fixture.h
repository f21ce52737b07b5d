/*
 * What the tests of the engine share: a world of their own for each test (home, project, system
 * directory, environment), settings written down with ' for ", and firing.  A test must leave
 * neither a descriptor nor a child behind.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/json.h"
#include "trotline.h"

enum { FIXTURE_ENV_MAX = 48, WAIT_MS = 60000 };

extern struct engine_fixture {
	struct arena arena; /* of this test */
	const char *dir, *home, *project, *system; /* absolute, the last three are inside of dir */
	const char *env[FIXTURE_ENV_MAX]; /* what fx_load() gives to the engine */
	size_t nenv;
	int fds;
} fx;

#define ENGINE_TEST(test)                                                                          \
	{                                                                                          \
#test, test, fx_setup, fx_teardown, NULL                                           \
	}

int fx_setup(void **state);
int fx_teardown(void **state);

/* A text of this test. */
const char *fx_fmt(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same with every ' turned into ", for JSON. */
const char *fx_json(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Sets a variable of the environment that the engine is given; NULL removes it. */
void fx_setenv(const char *name, const char *value);

/* Paths are relative to fx.dir unless absolute; directories are made. */
const char *fx_path(const char *path);
const char *fx_write(const char *path, const char *text);
const char *fx_script(const char *path, const char *text); /* mode 0755 */
const char *fx_read(const char *path); /* asserts that it is there */
unsigned fx_mode(const char *path); /* permission bits */

/* Fills cwd, project_dir, home and env where they are not given. */
#define FX_LOAD(...) fx_load((struct tl_options){ __VA_ARGS__ })
struct tl_hooks *fx_load(struct tl_options o);
/* Must fail; returns its error. */
#define FX_LOAD_ERR(...) fx_load_err((struct tl_options){ __VA_ARGS__ })
struct tl_err fx_load_err(struct tl_options o);
/* One settings text (with ' for "), no files. */
struct tl_hooks *fx_load_text(enum tl_tier tier, const char *dialect, const char *text);
/* One hook of the user on BeforeTool, whatever the command is; more members as JSON, "" = none. */
struct tl_hooks *fx_load_command(const char *command, const char *more);
/* The same as settings text. */
const char *fx_settings(const char *event, const char *command, const char *more);

/*
 * Until it is given back, whoever looks at the environment of this process is ended: a host's other
 * threads may be changing it.
 */
char **fx_hide_environment(void);
void fx_show_environment(char **before);

#define FX_FIRE(h, ...) fx_fire((h), &(struct tl_event)TL_EVENT_INIT(__VA_ARGS__))
struct tl_outcome *fx_fire(struct tl_hooks *h, const struct tl_event *event);
/* BeforeTool of this tool with the input {"command":"ls"}. */
struct tl_outcome *fx_fire_tool(struct tl_hooks *h, const char *tool);
/* The state of the i-th hook for this tool, without running anything. */
enum tl_state fx_why(struct tl_hooks *h, const char *tool, size_t i);

struct tl_report fx_report(const struct tl_outcome *o, size_t i);
struct tl_hook fx_hook(const struct tl_hooks *h, size_t i);
/* The first diagnostic with this code, or NULL. */
const struct tl_diagnostic *fx_diag(const struct tl_hooks *h, const char *code);
const struct tl_diagnostic *fx_outcome_diag(const struct tl_outcome *o, const char *code);
size_t fx_count_diags(const struct tl_hooks *h, const char *code);
/* What a single hook printed for a firing of BeforeTool; everything is freed but the text. */
const char *fx_output(struct tl_hooks *h);

/*
 * Runs this test program again with these arguments (NULL-terminated), for what a host can only be
 * in a process of its own; main() must look for them.  fx_wait() returns the exit status.
 */
pid_t fx_spawn_self(const char *const *args);
int fx_wait(pid_t pid);

void fx_assert_has(const char *text, const char *part);
void fx_assert_hasnt(const char *text, const char *part);
/* Has the process ended?  What ended is reaped when it is asked again.  The second waits for it. */
bool fx_is_over(long pid);
void fx_wait_gone(long pid);

static inline void auto_tl_hooks_unref(struct tl_hooks **p)
{
	tl_hooks_unref(*p);
}

static inline void auto_tl_outcome_free(struct tl_outcome **p)
{
	tl_outcome_free(*p);
}
