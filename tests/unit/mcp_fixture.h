/* tests/mcp/server.py as an MCP server of the settings, and calls to it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/types.h>

#include "loopback.h"
#include "mcp/mcp.h"

enum { MCP_DEADLINE_MS = 60000, MCP_UNIT_MS = 20 };

/* One set of servers for a test; what a call has brought. */
struct mcp_test {
	struct arena arena;
	struct mcp_servers *servers;
	const char *cwd;
	const char *const *env;
	bool untrusted;
	const char *const *only;
	struct cancel *cancel;
	struct mcp_sink sink;
	struct mcp_result result;
	struct err err;
	int changes; /* how often on_change was called; by __atomic functions */
	int fds_before;
};
extern struct mcp_test mx;

int mcp_set_up(void **state);
/* Nothing is left: no process, no descriptor. */
int mcp_tear_down(void **state);

/* Starts the servers of these settings (JSON; each %S is replaced by the scripted server's path).
 */
void mcp_begin(const char *settings);
/* The same with one server "s" with these arguments ("\"endless\""), and waits for it. */
void mcp_begin_one(const char *args, const char *more);
/* State and reason of server i. */
struct mcp_server_info mcp_about(size_t i);
/* Waits until server i is in this state. */
void mcp_wait_state(size_t i, enum mcp_state state);
/* Waits until the log of the server has this. */
void mcp_wait_log(const char *server, const char *part);
const struct mcp_tool *mcp_find_tool(const char *name);
/* mcp_call_tool("s", tool) with arguments as JSON (NULL = none). */
int mcp_do(const char *tool, const char *args);
/*
 * Cancels a call that the server never answers, again and again until the server has heard of one:
 * on a busy machine a call may be cancelled before it was sent, and then the server is not told.
 */
void mcp_cancel_calls(void);
/* The text of the first block of the last result. */
const char *mcp_text(void);
void mcp_assert_says(const char *part);

/* A server of tests/mcp on loopback, for all tests of a program. */
void mcp_web_stop(struct loopback *web);
/* What http://127.0.0.1:PORT + path answers, for free(). */
char *mcp_web_get(const struct loopback *web, const char *path);
/* As mcp_tear_down(), which knows of no server but the tests'. */
int mcp_web_tear_down(void **state);
