#include "os/temp.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/fs.h"

int temp_write(struct str name, struct str bytes, char **ret_path, struct err *err)
{
	const char *where = getenv("TMPDIR");
	AUTO(free) char *dir = xasprintf("%s/trotline-XXXXXX", where && *where ? where : "/tmp");
	AUTO(free) char *plain = xstrndup(name.p ? name.p : "", min_size(name.n, 100));
	int r;

	/* A name that is a name: no path, nothing that hides it. */
	for (char *c = plain; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '_';
	bool usable = *plain && *plain != '.' && *plain != '-';

	if (!mkdtemp(dir))
		return err_errno(err, errno, "making a temporary directory %s", dir);
	char *path = fs_join(dir, usable ? plain : "file.txt");
	r = fs_replace(path, bytes, 0600, err);
	if (r < 0) {
		temp_remove(path);
		free(path);
		return r;
	}
	*ret_path = path;
	return 0;
}

void temp_remove(const char *path)
{
	AUTO(free) char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	(void)unlink(path);
	if (slash) {
		*slash = '\0';
		(void)rmdir(dir);
	}
}
