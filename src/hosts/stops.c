#include "hosts/stops.h"

#include <sha2.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/fs.h"

enum { COUNT_MAX_BYTES = 16, KEY_CHARS = 32 };

/* A name that no session can choose. */
static char *path_of(const char *home, struct str session)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];

	(void)SHA256Data((const uint8_t *)session.p, session.n, hex);
	return xasprintf("%s/.trotline/stops/%.*s", home, KEY_CHARS, hex);
}

unsigned stops_add(const char *home, struct str session)
{
	AUTO(free) char *path = path_of(home, session);
	AUTO(free) char *dir = fs_join(home, ".trotline/stops");
	AUTO(buf_done) struct buf text = { 0 };
	int64_t n = 0;

	if (!*home || !fs_exists(home))
		return 0;
	if (fs_read(path, COUNT_MAX_BYTES, &text, NULL) < 0 ||
	    !str_to_int(str_trim(buf_str(&text)), &n) || n < 0)
		n = 0;
	n++;
	buf_clear(&text);
	buf_addf(&text, "%lld\n", (long long)n);
	if (fs_mkdirs(dir, 0700, NULL) < 0 || fs_replace(path, buf_str(&text), 0600, NULL) < 0)
		return 0;
	return (unsigned)n;
}

void stops_forget(const char *home, struct str session)
{
	AUTO(free) char *path = path_of(home, session);

	if (*home)
		(void)unlink(path);
}
