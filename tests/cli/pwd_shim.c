/* Preloaded by tests: what the password database says is $PWD_HOME, and nothing without it. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int getpwuid_r(uid_t uid, struct passwd *entry, char *room,
						      size_t n, struct passwd **ret)
{
	const char *given = getenv("PWD_HOME"), *home = given && *given ? given : NULL;

	*entry = (struct passwd){ .pw_uid = uid, .pw_dir = room };
	*ret = home ? entry : NULL;
	return home && (size_t)snprintf(room, n, "%s", home) >= n ? ERANGE : 0;
}
