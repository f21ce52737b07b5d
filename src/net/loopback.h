/*
 * One answer of a browser: a server on 127.0.0.1 that waits for a request of one path and then is
 * gone.  Whatever else asks it gets 404; a silent client keeps no other waiting.
 */
#pragma once

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

struct loopback {
	int fd; /* -1 = closed */
	int port;
};

/* port 0 = any that is free; -E_BUSY when another program has it. */
int loopback_open(struct loopback *l, int port, struct err *err);
void loopback_close(struct loopback *l);
DEFINE_AUTO(struct loopback, loopback_close)

struct loopback_wait {
	const char *path; /* of the request that is waited for, "/callback" */
	int timeout_ms;
	/*
	 * Its query; true when that is the answer, with what the browser shows in *page (a
	 * sentence).  False refuses it, and the waiting goes on: any page may send a browser here.
	 */
	bool (*take)(void *data, struct str query, const char **page);
	void *data;
};

/* (waits) 0; -E_CANCEL; -E_IO when the time is over. */
int loopback_wait(struct loopback *l, const struct loopback_wait *w, struct cancel *cancel,
		  struct err *err);
