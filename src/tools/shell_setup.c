#include "tools/shell_setup.h"

#include "os/fd.h"
#include "os/fs.h"
#include "os/proc.h"
#include "secrets/env_filter.h"
#include "shell/shell.h"

const char shell_setup_variable[] = "BASH_ENV=/proc/self/fd/3";
_Static_assert(PROC_RESULT_FD == 3, "the shell finds its code there");

const char *shell_find(struct arena *a, const char *const *env)
{
	static const char *const places[] = { "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash" };
	AUTO(free) char *path = NULL;

	if (fs_find_program("bash", env_get(env, "PATH"), &path))
		return arena_z(a, str_from(path));
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (fs_is_program(places[i]))
			return places[i];
	return "/bin/sh";
}

bool shell_takes_setup(const char *const *env)
{
	AUTO(arena_done) struct arena a = { 0 };

	return str_ends(str_from(shell_find(&a, env)), STR("/bash")) &&
	       !env_get(env, "POSIXLY_CORRECT");
}

int shell_setup_open(struct str code, const char *const *env, int *ret_fd, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	const char *own = env_get(env, "BASH_ENV");
	int fd;

	/*
	 * The shell has read all of it when the first line runs: programs that the command starts
	 * get neither the descriptor nor the variable.  A BASH_ENV of the user's own is put back,
	 * and counts.
	 */
	buf_addz(&text, "exec 3<&-\n");
	if (own && *own) {
		buf_addz(&text, "BASH_ENV=");
		sh_quote(&text, str_from(own));
		buf_addz(&text, "\n[ ! -r \"$BASH_ENV\" ] || . \"$BASH_ENV\"\n");
	} else {
		buf_addz(&text, "unset BASH_ENV\n");
	}
	buf_adds(&text, code);
	fd = fd_sealed("trotline-shell-setup", text.p, text.n);
	if (fd < 0)
		return err_errno(err, -fd, "keeping the code in memory");
	*ret_fd = fd;
	return 0;
}
