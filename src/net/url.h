/* Addresses of the web, taken apart by the library that will connect to them. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum { URL_MAX = 8 << 10 };

/* All texts are in the arena and never NULL; scheme and host are in small letters. */
struct url {
	const char *scheme; /* "http" or "https" */
	const char *host; /* "[::1]" keeps its brackets */
	int port;
	const char *path; /* "/" at least; dots are resolved */
	const char *query; /* without "?"; "" when there is none */
	const char *origin; /* "https://host", with its port where that is not the usual one */
};

/*
 * -E_INVAL for what is no address of http or https, is longer than URL_MAX, holds a control
 * character or a blank, a user name or a fragment; the sentence does not repeat it.
 */
int url_read(struct arena *a, const char *text, struct url *ret_url, struct err *err);
/* Safe from listeners: https, or the machine itself. */
bool url_is_private(const struct url *u);
/* "localhost", 127.0.0.0/8, ::1 */
bool url_is_loopback(const struct url *u);
/* Origin, path and query: the one text of all that mean the same. */
const char *url_text(struct arena *a, const struct url *u);
/* Is the path of `inner` that of `outer` or one below it, on the same server? */
bool url_is_below(const struct url *inner, const struct url *outer);
/* Appends the text as a part of a query or form: all but letters, digits and -._~ is %XX. */
void url_escape(struct buf *out, struct str text);
/*
 * The value of a form's or query's member, with its escapes undone, in the arena; false when there
 * is none.
 */
bool url_form_get(struct arena *a, struct str form, const char *name, struct str *ret_value);
