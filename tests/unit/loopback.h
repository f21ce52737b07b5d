/* A server of tests/ in Python, on a port of loopback; it ends with its stdin. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct loopback {
	pid_t pid;
	int in; /* its stdin */
	int port;
};

/* script: below tests/, such as "net/server.py"; args end with NULL, NULL = none. */
void loopback_start(struct loopback *s, const char *script, const char *const *args);

/* The certificate of a server at 127.0.0.1, and its key: new files, made by openssl. */
void loopback_certificate(const char *cert, const char *key);
/* Without it no test that needs one can run. */
bool loopback_has_openssl(void);
