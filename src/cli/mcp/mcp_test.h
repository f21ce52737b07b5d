/*
 * The parts of `trotline mcp test`: mcp_test_servers.c finds out which servers are meant,
 * cmd_mcp_test.c connects, mcp_test_show.c tells.
 */
#pragma once

#include "agent/halt.h"
#include "cli/cli.h"
#include "mcp/mcp.h"
#include "os/queue.h"

#define GIVEN_NAME "test" /* of a server that is not configured */

struct test_args {
	struct load_args load;
	const char *call, *call_args, *answer;
	struct opt_list headers;
	int64_t timeout;
};

/* What is known of one server after all that could be asked of it. */
struct tested {
	struct mcp_server_info info;
	size_t index; /* of mcp_server_info() */
	const char *target; /* the command line or address, without what looks like a secret */
	int64_t connect_us; /* -1: it did not get ready */
	int64_t ping_us; /* -1: it did not answer */
	char ping_error[MCP_REASON_MAX];
	bool late; /* it was waited for no longer */
};

struct test {
	const struct test_args *args;
	struct arena arena;
	struct tl_hooks *hooks;
	const char *cwd; /* absolute */
	bool trusted;
	bool takes_commands; /* a server may also be given by its command */
	bool given; /* the server is one that was given, and not configured */
	bool unread; /* some file has servers that do not count */
	const struct json *settings; /* with the servers that are tested, and no others */
	const struct json *enablement; /* which are switched off */
	const struct json *answer; /* to what servers ask during --call; NULL = none was given */
	struct halt *halt;
	struct queue *changes;
	struct mcp_servers *servers;
	struct tested *p;
	size_t n;
};

/* Loads the hooks and reads the settings as a session does; the exit status, after an error. */
int test_open(struct test *t);
void test_done(struct test *t);
DEFINE_AUTO(struct test, test_done)
/* Leaves the servers that the arguments mean; the exit status after having said what is wrong. */
int test_choose(struct test *t, int n, char **rest);
/* (waits) Starts them and waits for them; the exit status, not EXIT_OK after an interrupt. */
int test_start(struct test *t);
/* Explains why servers in untrusted settings are missing; false when none are. */
bool test_say_unread(const struct test *t);
/* Does some file have mcpServers that are no object?  That was said. */
bool test_has_misshapen(const struct test *t);

struct test_shown {
	struct mcp_servers *servers;
	const struct tested *p;
	size_t n;
};

void test_print_text(const struct test_shown *shown);
void test_print_json(const struct test_shown *shown);
/* (waits) See struct mcp_sink; data is the struct test. */
enum elicit_action test_ask(void *data, const char *server, const struct elicit *e, struct arena *a,
			    const struct json **ret_content);
/* The result of --call. */
void test_print_result(const struct mcp_result *r, bool json);
