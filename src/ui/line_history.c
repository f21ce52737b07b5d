#include "ui/line_history.h"

#include <readline/history.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/fs.h"

void line_history_load(const char *path, size_t max)
{
	AUTO(buf_done) struct buf file = { 0 }, entry = { 0 };
	struct err err;
	struct str line;
	size_t lines = 0;

	if (fs_read(path, 8 * (size_t)HISTORY_FILE_MAX, &file, &err) < 0)
		return;
	for (size_t i = 0; i < file.n; i++)
		lines += file.p[i] == '\n';
	size_t skip = lines > max ? lines - max : 0, from = 0;

	for (struct str rest = buf_str(&file); rest.n > 0 && str_split(&rest, '\n', &line);) {
		bool old = skip > 0 || file.n - from > HISTORY_FILE_MAX / 2;

		if (old) {
			skip -= skip > 0;
			from += line.n + 1;
			continue;
		}
		buf_clear(&entry);
		for (size_t k = 0; k < line.n; k++) {
			bool escaped = line.p[k] == '\\' && k + 1 < line.n;

			k += escaped;
			if (line.p[k]) /* a line of readline ends at NUL */
				buf_addc(&entry, escaped && line.p[k] == 'n' ? '\n' : line.p[k]);
		}
		if (entry.n > 0)
			add_history(buf_z(&entry));
	}
	if (lines <= 2 * max && file.n <= HISTORY_FILE_MAX)
		return;
	/* Shortened under the lock that appending takes, on the same file. */
	AUTO(close) int fd = fs_lock(path, 0, &err);
	struct str keep = str_sub(buf_str(&file), from, file.n);

	/* Somebody has added to it, or holds it: another time. */
	if (fd < 0 || lseek(fd, 0, SEEK_END) != (off_t)file.n)
		return;
	if (pwrite(fd, keep.p, keep.n, 0) == (ssize_t)keep.n)
		(void)!ftruncate(fd, (off_t)keep.n);
}

void line_history_append(const char *path, const char *text)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct err err;

	if (strlen(text) > HISTORY_ENTRY_MAX)
		return;
	for (; *text; text++) {
		if (*text == '\n')
			buf_addz(&out, "\\n");
		else if (*text == '\\')
			buf_addz(&out, "\\\\");
		else
			buf_addc(&out, *text);
	}
	buf_addc(&out, '\n');
	(void)fs_append(path, buf_str(&out), &err);
}

bool line_history_wants(const char *text)
{
	const HIST_ENTRY *last =
		history_length > 0 ? history_get(history_base + history_length - 1) : NULL;

	return str_trim(str_from(text)).n > 0 && (!last || strcmp(last->line, text) != 0);
}
