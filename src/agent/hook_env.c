#include "agent/hook_env.h"

#include "agent/hook_dialect.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/temp.h"
#include "tools/shell_setup.h"

enum { CODE_MAX_BYTES = 1 << 20 };

static void drop_file(struct hook_env *e)
{
	if (e->path)
		temp_remove(e->path);
	free(e->path);
	e->path = NULL;
}

static void close_code(struct tool_env *te)
{
	if (te->shell_setup > 0)
		fd_close(&te->shell_setup);
	te->shell_setup = 0;
}

void hook_env_done(struct hook_env *e)
{
	drop_file(e);
	buf_done(&e->code);
}

/* Hooks of other dialects do not know the variable. */
static bool is_wanted(const struct tl_hooks *hooks)
{
	static const char *const moments[] = { "SessionStart", "Setup", "FileChanged" };

	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(hooks, i, &h);
		for (size_t k = 0; k < ARRAY_LEN(moments); k++)
			if (h.state == TL_STATE_WOULD_RUN && !h.observe &&
			    strcmp(h.moment, moments[k]) == 0 && *hook_dialect(&h).env_file)
				return true;
	}
	return false;
}

int hook_env_begin(struct hook_env *e, const struct tl_hooks *hooks, bool goes_on,
		   struct tool_env *te, const char **ret_path, struct err *err)
{
	int r;

	*ret_path = NULL;
	if (!goes_on) {
		buf_clear(&e->code);
		close_code(te);
	}
	if (!is_wanted(hooks) || !shell_takes_setup(te->env))
		return 0;
	r = temp_write(STR("claude-env.sh"), buf_str(&e->code), &e->path, err);
	if (r < 0)
		return r;
	*ret_path = e->path;
	return 0;
}

int hook_env_end(struct hook_env *e, struct tool_env *te, bool fired, struct err *err)
{
	int r;

	if (!fired)
		drop_file(e);
	if (!e->path)
		return 0;
	buf_clear(&e->code);
	close_code(te);
	r = fs_read_nofollow(e->path, CODE_MAX_BYTES, &e->code, err);
	if (r >= 0 && str_chr(buf_str(&e->code), '\0', 0) >= 0) {
		buf_clear(&e->code);
		r = err_set(err, E_PARSE, "%s: holds a NUL character", e->path);
	}
	drop_file(e);
	if (r < 0)
		return r == -E_NOTFOUND ? 0 : r; /* a hook that removed the file wants nothing */
	return e->code.n ? shell_setup_open(buf_str(&e->code), te->env, &te->shell_setup, err) : 0;
}
