/* A project with a home directory next to it, for the tests of what the model is told. */
#pragma once

#include "agent/context/context.h"
#include "base/buf.h"
#include "tools_fixture.h"

struct context_fixture {
	struct arena arena; /* of the test */
	char home[100];
	struct buf complaints; /* a line each */
	struct context_options o;
};

extern struct context_fixture cx;

int context_setup(void **state);
int context_teardown(void **state);
/* JSON with ' for ". */
void settings(const char *text);
/* A file in the directory that is not the project; home/ is the home directory. */
void put_outside(const char *name, const char *text);
const char *complaints(void);
void assert_hasnt(const char *text, const char *part);
size_t count(const char *text, const char *part);
