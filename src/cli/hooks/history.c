#include "cli/hooks/history.h"

#include <stdio.h>
#include <sys/stat.h>

#include "os/fs.h"

enum { ROTATE_AT_BYTES = 8 << 20 };

/* One older file is kept: what is asked about is what happened lately. */
static void rotate(const char *path)
{
	AUTO(free) char *old = xasprintf("%s.1", path);
	struct stat st;

	if (lstat(path, &st) == 0 && st.st_size > ROTATE_AT_BYTES)
		(void)rename(path, old);
}

void history_keep(const struct tl_hooks *hooks, const struct tl_outcome *o)
{
	AUTO(free) char *dir = fs_join(tl_hooks_home(hooks), ".trotline");
	AUTO(free) char *path = fs_join(dir, "records.jsonl");
	AUTO(free) char *record = NULL;
	AUTO(buf_done) struct buf line = { 0 };
	static bool told;
	struct err err;
	int r;

	if (!*tl_hooks_home(hooks))
		return;
	record = tl_outcome_record(o);
	buf_addf(&line, "%s\n", record);
	r = fs_mkdirs(dir, 0700, &err);
	if (r >= 0) {
		rotate(path);
		r = fs_append(path, buf_str(&line), &err);
	}
	/* A session fires for each piece of an answer, and would say it as often. */
	if (r < 0 && !told)
		complain("the record of this firing is lost: %s", err.text);
	told |= r < 0;
}
