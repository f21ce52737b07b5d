#include "hosts/history.h"

#include <stdio.h>
#include <sys/stat.h>

#include "os/fs.h"

enum { ROTATE_AT_BYTES = 8 << 20 };

int history_keep(const struct tl_hooks *hooks, const struct tl_outcome *o, struct err *err)
{
	AUTO(free) char *dir = fs_join(tl_hooks_home(hooks), ".trotline");
	AUTO(free) char *path = fs_join(dir, "records.jsonl");
	AUTO(free) char *record = NULL;
	AUTO(buf_done) struct buf line = { 0 };
	int r;

	if (!*tl_hooks_home(hooks))
		return 0;
	record = tl_outcome_record(o);
	buf_addf(&line, "%s\n", record);
	r = fs_mkdirs(dir, 0700, err);
	if (r >= 0) {
		AUTO(free) char *old = xasprintf("%s.1", path);
		struct stat st;

		/* One older file is kept: what is asked about is what happened lately. */
		if (lstat(path, &st) == 0 && st.st_size > ROTATE_AT_BYTES)
			(void)rename(path, old);
		r = fs_append(path, buf_str(&line), err);
	}
	return r < 0 ? err_wrap(err, "the record of this firing is lost") : 0;
}
