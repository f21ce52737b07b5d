/* What a server's WWW-Authenticate says about bearer tokens (RFC 9110, 6750, 9728). */
#pragma once

#include "base/str.h"

enum { CHALLENGE_URL_MAX = 2048, CHALLENGE_SCOPE_MAX = 1024, CHALLENGE_ERROR_MAX = 64 };

/* Of the first Bearer challenge; a parameter that is absent, malformed or too long is "". */
struct challenge {
	bool bearer; /* there is one */
	char metadata[CHALLENGE_URL_MAX]; /* resource_metadata */
	char scope[CHALLENGE_SCOPE_MAX]; /* words with one blank between them */
	char error[CHALLENGE_ERROR_MAX];
};

/* Adds what one header's value says to *c, which is all-zero at first. */
void challenge_read(struct str value, struct challenge *c);
/* Appends the words of RFC 6749's scope that *to does not have; false when there is no room or it
 * is no scope. */
bool scope_add(char *to, size_t size, struct str scope);
/* Are all words of `scope` in `in`? */
bool scope_covers(struct str in, struct str scope);
