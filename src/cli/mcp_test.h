/* The halves of `trotline mcp test`: cmd_mcp_test.c connects, mcp_test_show.c tells. */
#pragma once

#include "cli/cli.h"
#include "mcp/mcp.h"

/* What is known of one server after all that could be asked of it. */
struct tested {
	struct mcp_server_info info;
	const char *target; /* the command line or address, without what looks like a secret */
	int64_t connect_us; /* -1: it did not get ready */
	int64_t ping_us; /* -1: it did not answer */
	char ping_error[MCP_REASON_MAX];
	bool late; /* it was waited for no longer */
};

struct test_shown {
	struct mcp_servers *servers;
	const struct tested *p;
	size_t n;
};

/* What a person can do about a server that is not ready. */
const char *test_advice(const struct tested *t);
void test_print_text(const struct test_shown *shown);
void test_print_json(const struct test_shown *shown);
/* The result of --call. */
void test_print_result(const struct mcp_result *r, bool json);
