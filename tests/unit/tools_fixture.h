/* A workspace in /tmp and calls of tools in it, as the agent makes them: checked against the
 * schema. */
#pragma once

#include "os/fs.h"
#include "tools/registry.h"

struct tools_fixture {
	char dir[64]; /* real */
	char outside[64];
	char temp[64];
	const char *roots[3];
	struct tool_env env;
	struct arena arena; /* of the last call */
	struct cancel *cancel; /* for the next calls; NULL */
	struct tool_result result;
};

extern struct tools_fixture fx;

int tools_setup(void **state);
int tools_teardown(void **state);
/* Calls a tool; args is JSON with ' for ". */
void call(const char *name, const char *args);
/* The content that the model sees (parts as JSON), or the error. */
const char *content(void);
const char *error_type(void); /* "" for success */
/* A member of the display object as text (strings as they are). */
const char *display(const char *pointer);
/* Files of the workspace; names are relative to it. */
void put(const char *name, const char *text);
void put_bytes(const char *name, struct str bytes);
struct str get(const char *name);
const char *at(const char *name); /* absolute; four are usable at once */
void assert_has(const char *text, const char *part);
void put_lines(const char *name, int n); /* "line 1", "line 2"... */
/* Printed into one of four buffers. */
const char *format(const char *fmt, ...) PRINTF_LIKE(1, 2);
void assert_content(const char *expected); /* of a success */
void assert_fails(const char *type, const char *part);
void assert_file(const char *name, const char *text);
