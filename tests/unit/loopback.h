/* A server of tests/ in Python, on a port of loopback; it ends with its stdin. */
#pragma once

#include <sys/types.h>

struct loopback {
	pid_t pid;
	int in; /* its stdin */
	int port;
};

/* script: below tests/, such as "net/server.py"; args end with NULL, NULL = none. */
void loopback_start(struct loopback *s, const char *script, const char *const *args);
