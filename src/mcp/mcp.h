/*
 * MCP servers: programs that offer tools, prompts and resources to the model.  All of them are
 * started at once, each on its own thread, which owns its connection; to ask a server is to leave
 * a message in its inbox and wait for the answer.  A server delays only those who ask it.
 *
 *	struct mcp_servers *servers = mcp_servers_new(&options);
 *	(void)mcp_servers_wait(servers, cancel);	only where the first prompt needs them
 *	n = mcp_servers_tools(servers, &tools);
 *	r = mcp_call_tool(servers, tools[0].server, tools[0].tool, args, NULL, cancel, arena,
 *			  &result, err);
 *	mcp_servers_free(servers);
 *
 * Functions that wait may be called from any thread; mcp_servers_tools(), _prompts() and
 * _resources() from one thread, the session's.  Servers are not trusted: names, texts and schemas
 * come as they were sent, within limits (catalog.h), and are for the caller to clean before they
 * get to a terminal.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "mcp/elicit.h"

enum {
	MCP_TIMEOUT_MS = 600000, /* of a request, where `timeout` does not say */
	/* Of the handshake and of each list, where `timeout` does not say: a program may be
	 * downloaded before it answers (npx). */
	MCP_CONNECT_MS = 60000,
	MCP_CONNECT_MAX_MS = 600000, /* also where `timeout` says more */
	MCP_RESTARTS_MAX = 5, /* in a row, without MCP_STEADY_MS of life between them */
	MCP_STEADY_MS = 60000,
	MCP_NAME_MAX = 63, /* of a registered name */
};

struct mcp_servers;

/* Everything is copied, but for the callback's data. */
struct mcp_options {
	const struct json *settings; /* merged: mcpServers, mcp.*, security.*; NULL = none */
	const char *const *env; /* NULL-terminated */
	const char *cwd; /* absolute: where servers run, and the root that they are told of */
	const char *home; /* whose authorizations count; NULL = none do.  Outlives the servers. */
	bool unnamed; /* the settings do not have these servers: people know them by address */
	bool untrusted; /* the folder is: programs are not started */
	const struct json *enablement; /* of mcp_enablement_read(); NULL = none is disabled */
	const char *const *only; /* --allowed-mcp-server-names, NULL-terminated; NULL = all */
	int64_t request_ms; /* of a request, whatever `timeout` says; 0 = as it says */
	/*
	 * A state or a list has changed; called in a server's thread, must not wait and not call
	 * back.  NULL allowed.
	 */
	void (*on_change)(void *data);
	void *data;
};

enum mcp_state {
	MCP_CONNECTING, /* also while it waits to be restarted; reason says so */
	MCP_READY,
	MCP_FAILED, /* reason says why; mcp_server_restart() tries again */
	MCP_CLOSED, /* not to be used: excluded, or the folder is not trusted */
};

/* The rows are in transport.c. */
enum mcp_transport { MCP_STDIO, MCP_HTTP, MCP_SSE, MCP_HTTP_OR_SSE, MCP_TCP, MCP_TRANSPORTS };

/* Why a server is not ready, for those who give advice; the reason says it to people. */
enum mcp_why {
	MCP_WHY_OTHER, /* also when it is ready */
	MCP_WHY_NO_WAY, /* nothing in its settings says how it is reached */
	MCP_WHY_UNTRUSTED, /* the folder is */
	MCP_WHY_UNWANTED, /* excluded, not allowed, disabled */
	MCP_WHY_NO_PROGRAM,
	MCP_WHY_NOT_STARTED, /* the system refused to start the program */
	MCP_WHY_ENDED, /* the program did */
	MCP_WHY_VERSION, /* of the protocol: none that we speak, too */
	MCP_WHY_REFUSED, /* it answered, with an error */
	MCP_WHY_UNAUTHORIZED, /* 401 */
	MCP_WHY_FORBIDDEN, /* 403 */
	MCP_WHY_NO_PATH, /* 404 */
};

/* The user's authorization for a server (OAuth). */
enum mcp_auth_state {
	MCP_AUTH_NEVER, /* it has asked for none */
	MCP_AUTH_WANTED, /* it wants one, or does not accept the one that there was */
	MCP_AUTH_GIVEN,
	MCP_AUTH_MORE, /* and it wants more */
};

/* Never NULL.  Returns at once. */
struct mcp_servers *mcp_servers_new(const struct mcp_options *options) MUST_CHECK;
/* (waits) Ends all servers, at most some 3 s.  No call may be under way. */
void mcp_servers_free(struct mcp_servers *s);
/* (waits) Until no server is connecting for the first time; -E_CANCEL when the cancel fired. */
int mcp_servers_wait(struct mcp_servers *s, struct cancel *cancel);
/* (waits) The same for so long at most (-1: for ever); -E_AGAIN when that is over. */
int mcp_servers_wait_ms(struct mcp_servers *s, int timeout_ms, struct cancel *cancel);

enum { MCP_REASON_MAX = 256, MCP_WORD_MAX = 80, MCP_INSTRUCTIONS_MAX = 8 << 10 };

struct mcp_server_info {
	const char *name; /* lives as long as the servers */
	const char *description; /* "" when there is none */
	enum mcp_transport transport;
	enum mcp_state state;
	enum mcp_why why;
	bool trust; /* its tools need no confirmation */
	bool is_started; /* there is something to start: mcp_server_restart() tries again */
	enum mcp_auth_state auth;
	size_t ntools, nprompts, nresources;
	char reason[MCP_REASON_MAX]; /* one clean line, "" when there is nothing to say */
	/* By the last handshake, clean, "" when there was none or it did not say: the protocol's
	 * version, and what the server calls itself. */
	char protocol[MCP_WORD_MAX], own_name[MCP_WORD_MAX], own_version[MCP_WORD_MAX];
};

size_t mcp_servers_count(const struct mcp_servers *s);
/* i < mcp_servers_count(), in the order of the settings. */
void mcp_server_info(struct mcp_servers *s, size_t i, struct mcp_server_info *ret_info);
/*
 * enablement.c: what of ~/.gemini/mcp-server-enablement.json counts; an empty object where there is
 * none.
 */
int mcp_enablement_read(struct arena *a, const char *home, const struct json **ret_v,
			struct err *err);
bool mcp_enablement_is_off(const struct json *enablement, const char *name);
/* 1 when the file was written, 0 when it said so already. */
int mcp_enablement_set(const char *home, const char *name, bool on, struct err *err);

/*
 * What server i, which is ready, says about its use: valid UTF-8, made of its first
 * MCP_INSTRUCTIONS_MAX bytes, not trusted; "" for none.  In the arena; from any thread.
 */
struct str mcp_server_instructions(struct mcp_servers *s, size_t i, struct arena *a);
/* Appends what the server has said on stderr or as log messages, clean; its tail. */
int mcp_server_log(struct mcp_servers *s, const char *server, struct buf *out);
/*
 * Ends the server and starts it again; the result shows in its state.  -E_NOTFOUND; -E_CONFIG for
 * one that is not to be used.
 */
int mcp_server_restart(struct mcp_servers *s, const char *server, struct err *err);
/*
 * Ends the server, which is MCP_CLOSED until it is switched on; off says why (and lives as long as
 * the program), NULL switches it on.  1 when that changes something, else 0; -E_NOTFOUND.
 */
int mcp_server_switch(struct mcp_servers *s, const char *server, const char *off);

/* How the user is asked for an authorization. */
struct mcp_sign_in {
	bool no_browser; /* the address is only shown */
	bool unseen; /* nobody sees what is shown: without a browser there is nothing to wait for */
	int timeout_ms; /* that is waited for the user; 0 = five minutes */
	/* The address is to be opened in a browser, or has been. */
	void (*show)(void *data, const char *url, bool opened);
	void *data;
};

/*
 * (waits) Gets the user's authorization for the server, keeps it in ~/.trotline/mcp-oauth.json, and
 * connects anew.  -E_CONFIG for a server that OAuth is not for; -E_NOTFOUND for one that asks for
 * no authorization; -E_UNTRUSTED where it was refused, or somebody is not who they ought to be.
 */
int mcp_server_sign_in(struct mcp_servers *s, const char *server, const struct mcp_sign_in *how,
		       struct cancel *cancel, struct err *err);
/* Forgets it: 1, or 0 when there was none. */
int mcp_server_sign_out(struct mcp_servers *s, const char *server, struct err *err);

struct mcp_tool {
	const char *name; /* as the model sees it: mcp_tool_name() */
	const char *server, *tool; /* as they are called in the settings and by the server */
	const char *title, *description; /* "" when there is none */
	const struct json *schema; /* inputSchema, an object, unchanged */
	const struct json *annotations; /* an object, or NULL */
	bool trust; /* of its server */
	bool read_only; /* annotations.readOnlyHint */
	uint64_t hash; /* of all that the server said of it */
};

struct mcp_prompt {
	const char *server, *name, *title, *description;
	const struct json *arguments; /* an array, or NULL */
};

struct mcp_resource {
	const char *server, *uri, *name, *title, *description, *mime_type; /* "" when not given */
	bool is_template; /* uri is an RFC 6570 template */
};

/*
 * What the servers that are ready offer, in the order of the settings.  The arrays and all they
 * point to stay as they are until the next call of the same function.  Of several tools with one
 * registered name the first counts; a name that an earlier server may have is not given away while
 * that one is started.
 */
size_t mcp_servers_tools(struct mcp_servers *s, const struct mcp_tool **ret_tools);
size_t mcp_servers_prompts(struct mcp_servers *s, const struct mcp_prompt **ret_prompts);
size_t mcp_servers_resources(struct mcp_servers *s, const struct mcp_resource **ret_resources);
/* The same as copies in the arena; from any thread. */
size_t mcp_servers_copy_resources(struct mcp_servers *s, struct arena *a,
				  const struct mcp_resource **ret_resources);

/* Hears of a call, on the thread that waits for it; may be NULL. */
struct mcp_sink {
	/* total < 0 = not known; message may be empty, and is as the server sent it */
	void (*progress)(void *data, double progress, double total, struct str message);
	void *data;
	/*
	 * (waits) The server asks the user something (elicit.h).  With ELICIT_ACCEPT *ret_content
	 * is what fills the form, in the arena; what it leaves out gets its default.  NULL: nobody
	 * is there, and it is cancelled.
	 */
	enum elicit_action (*ask)(void *data, const char *server, const struct elicit *e,
				  struct arena *a, const struct json **ret_content);
};

struct mcp_result {
	const struct json *content; /* an array of content blocks, as they came */
	const struct json *structured; /* structuredContent, or NULL */
	bool is_error; /* the tool has failed, and content says how (mcp_tool_error) */
};

/*
 * (waits) All of these return 0; -E_NOTFOUND for an unknown server; -E_AGAIN for one that is not
 * ready; -E_CANCEL once the cancel (NULL allowed) has fired and the server was told; or another
 * code and a sentence: the server has refused, has ended, was silent for longer than its timeout.
 * Results are in the arena.
 */
int mcp_call_tool(struct mcp_servers *s, const char *server, const char *tool,
		  const struct json *args, const struct mcp_sink *sink, struct cancel *cancel,
		  struct arena *a, struct mcp_result *ret_result, struct err *err);
/* The array `contents` of resources/read. */
int mcp_read_resource(struct mcp_servers *s, const char *server, const char *uri,
		      struct cancel *cancel, struct arena *a, const struct json **ret_contents,
		      struct err *err);
/* The array `messages` of prompts/get; args is an object of strings, or NULL. */
int mcp_get_prompt(struct mcp_servers *s, const char *server, const char *prompt,
		   const struct json *args, struct cancel *cancel, struct arena *a,
		   const struct json **ret_messages, struct err *err);
int mcp_ping(struct mcp_servers *s, const char *server, struct cancel *cancel, struct err *err);

/*
 * mcp__SERVER__TOOL (C5.2), or mcp_SERVER_TOOL when single, as every provider accepts it: other
 * characters than A-Z a-z 0-9 _ . : - are "_", and of more than MCP_NAME_MAX the first 30, "..."
 * and the last 30 are left.
 */
const char *mcp_tool_name(struct arena *a, bool single, const char *server, const char *tool);
/*
 * mcp_context of a tool's events: server_name, tool_name, and of command, args, cwd, url and
 * tcp what is configured.  NULL for an unknown server.
 */
const struct json *mcp_context(struct arena *a, const struct mcp_servers *s, const char *server,
			       const char *tool);

DEFINE_AUTO_PTR(struct mcp_servers, mcp_servers_free)
