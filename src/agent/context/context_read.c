/* What the parts of the context share: roots, reading, and complaints about what cannot be read. */
#include <errno.h>
#include <sys/stat.h>

#include "agent/context/context_impl.h"
#include "base/json_pack.h"
#include "os/fd.h"
#include "os/fs.h"
#include "tools/files.h"

static size_t add_root(struct arena *a, const char **roots, size_t n, const char *path)
{
	AUTO(free) char *real = path ? fs_real(path) : NULL;

	if (!real)
		return n;
	for (size_t i = 0; i < n; i++)
		if (strcmp(roots[i], real) == 0)
			return n;
	roots[n] = arena_z(a, str_from(real));
	return n + 1;
}

const char *const *context_roots(struct arena *a, const struct context_options *o)
{
	const char **roots;
	size_t n = 0;

	while (o->roots && o->roots[n])
		n++;
	roots = ARENA_ARRAY(a, const char *, n + 2);
	n = add_root(a, roots, 0, o->project ? o->project : o->cwd);
	for (const char *const *root = o->roots; root && *root; root++)
		n = add_root(a, roots, n, *root);
	return roots;
}

int context_read(struct arena *a, const char *real_path, size_t max, struct str *ret_text,
		 bool *ret_cut)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	enum text_encoding encoding;
	struct stat st;
	AUTO(close) int fd = file_open_regular(real_path, &st);
	ssize_t n;

	if (fd < 0)
		return -fd;
	do {
		n = fd_read(fd, &bytes, min_size(max + 1 - bytes.n, 64 << 10));
		if (n < 0)
			return (int)-n;
	} while (n > 0 && bytes.n <= max);
	*ret_cut = bytes.n > max;
	if (*ret_cut) {
		const char *end = memrchr(bytes.p, '\n', max);

		bytes.n = end ? (size_t)(end - bytes.p) + 1 : max;
	}
	encoding = text_encoding(buf_str(&bytes));
	if (encoding == TEXT_BINARY)
		return EILSEQ;
	*ret_text = text_decode(a, arena_str(a, buf_str(&bytes)), encoding);
	return 0;
}

const char *context_withheld(const struct context_options *o, struct arena *a, struct brought *b)
{
	return o->withheld ? o->withheld(o->notes.data, a, b) : NULL;
}

const char *context_left(const struct context_options *o, struct arena *a, const char *path,
			 struct str *text)
{
	struct brought file = { .tool = "read_file" };
	const char *why;

	if (!o->withheld || !path)
		return NULL;
	file.args = json_pack(a, "file_path:z", path);
	file.content = json_new_str(a, *text);
	why = context_withheld(o, a, &file);
	if (!why)
		*text = json_str(file.content, STR(""));
	return why;
}
