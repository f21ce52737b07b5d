#include "settings/home.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/agent_dirs.h"
#include "base/env.h"
#include "os/fs.h"

enum { ENTRY_MAX_BYTES = 1 << 20 };

static int check(const char *path, const char *from, struct err *err)
{
	struct stat st;
	int errnum = stat(path, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;

	if (errnum == 0)
		return 0;
	return err_set(err, E_CONFIG,
		       "%s: this home directory (%s) cannot be used: %s. Your settings, and the "
		       "guards in them, are unknown without it",
		       path, from, strerror(errnum));
}

/* The home directory of whoever runs this, by the password database; NULL when it has none. */
static char *registered_home(void)
{
	for (size_t n = 1024; n <= ENTRY_MAX_BYTES; n *= 4) {
		AUTO(free) char *room = xcalloc(n, 1);
		struct passwd entry, *found = NULL;
		int r = getpwuid_r(geteuid(), &entry, room, n, &found);

		if (r == ERANGE)
			continue;
		return r == 0 && found && found->pw_dir && found->pw_dir[0] == '/'
			       ? xstrdup(found->pw_dir)
			       : NULL;
	}
	return NULL;
}

int home_find(const char *const *env, char **ret_home, struct err *err)
{
	const char *from = "GEMINI_CLI_HOME", *given = env_get(env, from);
	AUTO(free) char *home = NULL;
	int r;

	if (given && *given && *given != '/')
		return err_set(err, E_CONFIG,
			       "GEMINI_CLI_HOME is \"%s\", which is not an absolute path: your "
			       "settings, and the guards in them, are unknown without a home "
			       "directory",
			       given);
	if (!given || !*given) {
		from = "HOME";
		given = env_get(env, from);
	}
	if (given && *given == '/') {
		home = fs_absolute("/", given);
	} else {
		from = "of the password database";
		home = registered_home();
	}
	if (!home)
		return err_set(err, E_CONFIG,
			       "no home directory: HOME is not an absolute path, and the "
			       "password database has none for user %u. Your settings, and the "
			       "guards in them, are unknown without it; set HOME",
			       (unsigned)geteuid());
	r = check(home, from, err);
	if (r < 0)
		return r;
	*ret_home = MOVE(home);
	return 0;
}

int home_missing(struct err *err)
{
	AUTO(free) char *home = NULL;
	int r = home_find((const char *const *)environ, &home, err);

	return r < 0 ? r : err_set(err, E_NOTFOUND, "no home directory; set HOME");
}

int home_installed(const char *dir, const char *const *env, char **ret_home, struct err *err)
{
	int r;

	if (!dir)
		return home_find(env, ret_home, err);
	if (*dir != '/')
		return err_set(err, E_CONFIG, "--home %s is not an absolute path", dir);
	r = check(dir, "--home; install it again if yours has moved", err);
	if (r < 0)
		return r;
	*ret_home = fs_absolute("/", dir);
	return 0;
}

char *home_file(const char *home, const char *const *env, const char *name)
{
	for (size_t i = 0; i < agent_dirs_n; i++) {
		struct str folder = str_from(agent_dirs[i].folder);
		const char *to = env_get(env, agent_dirs[i].variable);

		if (to && *to == '/' && str_starts(str_from(name), folder) &&
		    (!name[folder.n] || name[folder.n] == '/')) {
			AUTO(free) char *top = fs_absolute(to, agent_dirs[i].below);

			return name[folder.n] ? fs_join(top, name + folder.n + 1) : MOVE(top);
		}
	}
	return fs_join(home, name);
}
