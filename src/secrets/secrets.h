/*
 * Secrets in text: keys, tokens and passwords, each of a format that formats.c lists.  What is
 * written to records, telemetry and diagnostics goes through here, and what guards judge.
 *
 *	struct secret_scan scan = { .text = text };
 *	for (struct secret s; secrets_next(&scan, &s);)
 *		... text.p[s.at] to text.p[s.end], s.format->name ...
 *
 * Takes time in proportion to the text, whatever is in it.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

enum secret_class {
	SECRET_ISSUED, /* a key or token in the form that its issuer gave it */
	SECRET_PRIVATE_KEY,
	SECRET_PASSWORD, /* of an address, a line of .netrc, a header */
	SECRET_HASH, /* of a password, from which it can be guessed */
	SECRET_ASSIGNED, /* a random value of something that is called a password, token or key */
};
enum { SECRET_CLASSES = SECRET_ASSIGNED + 1 };

struct secret_format {
	const char *id; /* "github-token", for policies and JSON */
	const char *name; /* "GitHub token", for people */
	enum secret_class class;
	/* How one is recognised; formats.h says it. */
	const char *anchor, *before, *after;
	unsigned char entropy, doubt;
	bool (*check)(struct str body);
};

struct secret {
	const struct secret_format *format;
	size_t at, end; /* the bytes of the text that are secret */
};

enum secrets_flags {
	/*
	 * When in doubt it is one: also what has the beginning of a well-known token and looks
	 * made up, broken off or wrong.  For records, where hiding too much costs nothing.
	 */
	SECRETS_DOUBT = 1 << 0,
	/*
	 * Only what is there as it is, not in several pieces or encoded: what a window finds,
	 * which has not read the rest.
	 */
	SECRETS_AS_THEY_ARE = 1 << 1,
};

struct secret_scan {
	struct str text;
	unsigned flags; /* enum secrets_flags */
	size_t at; /* what precedes it is done; 0 to begin with */
	size_t floor; /* where the last one ended */
	/* For texts that go on: what more text could change is left at .at, with false. */
	bool more;
};

/* The next one in the text, in order and without overlaps; false when there is none. */
bool secrets_next(struct secret_scan *scan, struct secret *ret);
/*
 * All of them, in order and without overlaps; returns how many.  The list is in the arena.  Also
 * those that a program puts together of literals: each piece is one of the list.
 */
size_t secrets_find(struct arena *a, struct str text, unsigned flags, const struct secret **ret);
/* Those that begin from text.p[at] to text.p[end]. */
size_t secrets_find_part(struct arena *a, struct str text, size_t at, size_t end, unsigned flags,
			 const struct secret **ret);
bool secret_in(struct str text, unsigned flags);
/* Appends the text without its encoding (%2F, \u002d, UTF-16); false when it has none. */
bool secrets_plain(struct str text, struct buf *out);
/* Appends the text with "[redacted: GitHub token]" in the place of each; returns how many. */
size_t secrets_redact(struct buf *out, struct str text, unsigned flags);
/* The same for text.p[at] to text.p[end], and no more: what is around it tells what it is. */
size_t secrets_redact_part(struct buf *out, struct str text, size_t at, size_t end, unsigned flags);

/* "issued", "private-key", "password", "hash", "assigned"; NULL = no more. */
const char *secret_class_name(unsigned i);
/* For rows in words: the formats, in the order of the table. */
const struct secret_format *secret_format_get(size_t i); /* NULL behind the last */

/*
 * A text that arrives in chunks, without its secrets.  What could be the beginning of one waits
 * until that is decided, so what was given out is never part of a secret, and the whole does not
 * depend on where the text was cut.  At most SECRET_WAITS_MAX bytes wait.
 *
 * All-zero is a window at the beginning of a text; secret_window_end() makes it one again.
 */
struct secret_window {
	/* Secrets are given out as they are, each of them whole: for who judges piece by piece. */
	bool whole;
	struct buf text; /* what is still looked at; the first .shown bytes were given out */
	size_t shown, at, floor;
	size_t enough; /* so many bytes before it is worth to look again */
	size_t found; /* so far, and what the first one was */
	const struct secret_format *first;
};

#define SECRET_WAITS_MAX ((size_t)72 << 10)

/* Appends to out what is decided by now. */
void secret_window_add(struct secret_window *w, struct str chunk, struct buf *out);
/* The text ends here: appends the rest. */
void secret_window_end(struct secret_window *w, struct buf *out);
/* The end of what was given out, as it came, and what waits. */
struct str secret_window_before(const struct secret_window *w);
struct str secret_window_waiting(const struct secret_window *w);
void secret_window_done(struct secret_window *w);

DEFINE_AUTO(struct secret_window, secret_window_done)
