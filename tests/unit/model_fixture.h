/* tests/model/server.py as a child of the test program, and what tests of providers do with it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/types.h>

#include "model/provider.h"

struct fake_api {
	struct arena arena; /* for what the functions below return */
	char dir[64];
	pid_t pid;
	int in; /* the server ends with it, should the test die before fake_stop() */
	int port;
	unsigned answers;
	struct buf chunks; /* what provider_stream() passed on, one a line */
};

/* For cmocka: *state is the struct fake_api. */
int fake_start(void **state);
int fake_stop(void **state);
/*
 * Writes down the next answer.  type NULL = "text/event-stream"; then: "", "stall" or "cut".  In
 * all texts of JSON in these tests ' means ".
 */
void fake_answer(struct fake_api *f, int status, const char *type, const char *then,
		 const char *body);
/* What the n-th request (from 0) was: {path, body, headers}. */
const struct json *fake_asked(struct fake_api *f, unsigned n);
/* "http://127.0.0.1:PORT" + path */
const char *fake_url(struct fake_api *f, const char *path);
/* Streams into f->chunks, which are emptied first. */
int fake_stream(struct fake_api *f, struct provider *p, const struct model_request *rq,
		struct err *err);
/* {"contents", "system", "tools", "config", "toolConfig"} as a request to the model "m". */
struct model_request fake_request(struct fake_api *f, const char *json);

const struct json *fake_json(struct arena *a, const char *json);
void fake_assert_json(struct fake_api *f, const struct json *got, const char *expected);
