/*
 * The beginning of a WebSocket (RFC 6455, part 4): one HTTP request, and the answer to it that
 * proves that the server has understood.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum {
	WS_KEY_SIZE = 25, /* 16 random bytes as base64, and a NUL */
	WS_ANSWER_MAX = 16 << 10, /* bytes of the answer's head */
};

struct ws_upgrade {
	const char *host; /* with the port, as in the address */
	const char *target; /* path and query */
	const char *const *headers; /* of the settings: "Name: value", NULL-terminated */
	char key[WS_KEY_SIZE];
};

/* False when the system has no random numbers. */
bool ws_upgrade_make_key(struct ws_upgrade *u);
void ws_upgrade_add_request(const struct ws_upgrade *u, struct buf *out);
/*
 * What has come so far: the length of the answer's head, behind which the frames begin; 0 while it
 * is not whole.  Negative when the server refuses, with its status (else 0) in *ret_status.
 */
int ws_upgrade_read(const struct ws_upgrade *u, struct str bytes, int *ret_status, struct err *err);
