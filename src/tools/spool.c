#include "tools/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "tools/files.h"

enum {
	CHAR_MAX_BYTES = 4,
	HEAD_PART = 5, /* a fifth of what is shown is the beginning: errors come last */
	STRING_MAX = 4096, /* bytes of a sequence like a window title */
	NAME_TRIES = 100,
};
#define LIMIT_MAX ((size_t)2 << 20)

void spool_init(struct spool *s, const char *dir, size_t limit_chars)
{
	*s = (struct spool){ .dir = dir, .fd = -1 };
	s->limit = limit_chars ? min_size(limit_chars, LIMIT_MAX) : LIMIT_MAX;
}

void spool_done(struct spool *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	buf_done(&s->head);
	buf_done(&s->tail);
	free(s->path);
	*s = (struct spool){ .fd = -1 };
}

/* ---- the file ---- */

bool spool_save(struct spool *s)
{
	struct err err;

	if (s->path || s->errnum)
		return s->errnum == 0;
	if (!s->dir) {
		s->errnum = ENOENT;
		return false;
	}
	(void)fs_mkdirs(s->dir, 0700, &err);
	s->errnum = EEXIST;
	for (int i = 0; i < NAME_TRIES && s->errnum == EEXIST; i++) {
		uint64_t random = 0;

		/* Where there is no randomness yet the time is enough: O_EXCL decides. */
		(void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
		random ^= (uint64_t)clock_us();
		AUTO(free) char *path = xasprintf("%s/run_shell_command-%016llx.txt", s->dir,
						  (unsigned long long)random);
		s->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			     0600);
		s->errnum = s->fd < 0 ? errno : 0;
		s->path = s->fd < 0 ? NULL : MOVE(path);
	}
	if (!s->errnum) /* nothing was in the tail before there was a file */
		s->errnum = -fd_write(s->fd, buf_str(&s->head), NULL);
	return s->errnum == 0;
}

/* ---- growing ---- */

void spool_add(struct spool *s, struct str bytes)
{
	size_t room = s->limit * CHAR_MAX_BYTES;
	size_t first = min_size(bytes.n, room - min_size(room, s->head.n));
	struct str rest = str_sub(bytes, first, bytes.n);

	s->total += bytes.n;
	if (rest.n && !s->path)
		(void)spool_save(s);
	buf_adds(&s->head, str_sub(bytes, 0, first));
	if (s->path && !s->errnum)
		s->errnum = -fd_write(s->fd, bytes, NULL);
	buf_adds(&s->tail, rest);
	/* Twice the room may pile up, so that moving it is cheap. */
	if (s->tail.n / 2 >= room)
		buf_drop(&s->tail, s->tail.n - room);
}

/* ---- showing ---- */

/* Where the escape sequence at s[0] ends. */
static size_t escape_length(struct str s)
{
	char kind = s.n > 1 ? s.p[1] : '\0';
	size_t i = 2;

	if (kind == '[') {
		while (i < s.n && (unsigned char)s.p[i] >= 0x20 && (unsigned char)s.p[i] < 0x40)
			i++;
		return min_size(i + 1, s.n);
	}
	if (kind && strchr("]PX^_", kind)) {
		for (; i < s.n && i < STRING_MAX; i++)
			if (s.p[i] == '\a' || (s.p[i] == '\\' && s.p[i - 1] == '\033'))
				return i + 1;
		return 1; /* it never ends: only the character that began it goes */
	}
	if (kind < 0x20 || kind == 0x7f)
		return 1;
	i = 1;
	while (i < s.n && (unsigned char)s.p[i] >= 0x20 && (unsigned char)s.p[i] < 0x30)
		i++;
	return min_size(i + 1, s.n);
}

struct str spool_clean(struct arena *a, struct str bytes)
{
	AUTO(buf_done) struct buf plain = { 0 };

	for (ptrdiff_t esc; (esc = str_chr(bytes, '\033', 0)) >= 0;) {
		buf_adds(&plain, str_sub(bytes, 0, (size_t)esc));
		bytes = str_sub(bytes, (size_t)esc, bytes.n);
		bytes = str_sub(bytes, escape_length(bytes), bytes.n);
	}
	buf_adds(&plain, bytes);
	return tool_clean(a, buf_str(&plain));
}

static struct str trim_end(struct str s)
{
	while (s.n && strchr(" \t\r\n\v\f", s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

static bool is_inside_char(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* "It is saved in ..." */
static struct str whereabouts(struct spool *s, struct arena *a)
{
	(void)spool_save(s);
	s->named = s->path != NULL;
	if (!s->path)
		return STR("It could not be saved.");
	if (s->errnum)
		return arena_printf(a, "A part of it is in %s (%s).", s->path, strerror(s->errnum));
	return arena_printf(a, "For the full output see: %s", s->path);
}

static struct str cut(struct spool *s, struct arena *a, struct str first, struct str last)
{
	size_t nhead = s->limit / HEAD_PART, ntail = s->limit - nhead;
	struct str head = utf8_prefix(first, nhead);
	size_t i = last.n;

	for (size_t k = 0; i > 0 && k < ntail; k++)
		for (i--; i > 0 && is_inside_char(last.p[i]);)
			i--;
	return arena_printf(a,
			    "Output too large: %zu bytes. Showing the first %zu and the last %zu "
			    "characters. %s\n%.*s\n\n... [the middle is left out] ...\n\n%.*s",
			    s->total, nhead, ntail, whereabouts(s, a).p, STR_ARG(head),
			    STR_ARG(str_sub(last, i, last.n)));
}

struct str spool_text(struct spool *s, struct arena *a)
{
	struct str bytes = buf_str(&s->head);
	enum text_encoding e = text_encoding(bytes);

	/* Nothing that is meant for a terminal is UTF-16. */
	if (e == TEXT_BINARY ||
	    ((e == TEXT_UTF16LE || e == TEXT_UTF16BE) && str_chr(bytes, '\0', 0) >= 0))
		return arena_printf(a, "[%zu bytes of binary output. %s]", s->total,
				    whereabouts(s, a).p);
	bytes = spool_clean(a, bytes);
	if (s->total > s->head.n) {
		size_t room = s->limit * CHAR_MAX_BYTES;
		struct str tail = buf_str(&s->tail);
		AUTO(buf_done) struct buf joined = { 0 };

		/* All of the end that is known: when the tail has just begun, the head belongs to
		 * it. */
		while (tail.n && tail.n >= room && is_inside_char(tail.p[0]))
			tail = str_sub(tail, 1, tail.n);
		if (tail.n < room)
			buf_adds(&joined, buf_str(&s->head));
		buf_adds(&joined, tail);
		return cut(s, a, bytes, trim_end(spool_clean(a, buf_str(&joined))));
	}
	bytes = trim_end(bytes);
	return utf8_count(bytes) > s->limit ? cut(s, a, bytes, bytes) : bytes;
}
