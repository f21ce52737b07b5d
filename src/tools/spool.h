/*
 * The output of a command as it grows: its beginning and its end in memory, and all of it in a file
 * as soon as it is more than may be shown.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

struct spool {
	const char *dir; /* where the file goes; NULL = nowhere */
	size_t limit; /* characters that may be shown */
	size_t total; /* bytes */
	struct buf head, tail; /* the first bytes, and then the last */
	char *path; /* of the file, or NULL */
	int fd; /* open at its end; -1 */
	int errnum; /* why the file is not whole, or 0 */
	bool named; /* spool_text() has named the path: it must stay */
};

/* limit_chars 0 = as much as memory allows. */
void spool_init(struct spool *s, const char *dir, size_t limit_chars);
void spool_done(struct spool *s);
void spool_add(struct spool *s, struct str bytes);
/* From now on the file holds everything; false when it cannot (errnum). */
bool spool_save(struct spool *s);
/*
 * For the model: no escape sequences of terminals, no white space at the end, malformed UTF-8 as
 * U+FFFD; too long: beginning, end, and where the rest is; of bytes that are no text, only how
 * many.
 */
struct str spool_text(struct spool *s, struct arena *a);
/* The same for a text that is at hand. */
struct str spool_clean(struct arena *a, struct str bytes);

DEFINE_AUTO(struct spool, spool_done)
