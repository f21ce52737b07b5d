/* What the files share that answer hooks' questions: hook_hosts.c starts one thread for each. */
#pragma once

#include "agent/hook_hosts.h"
#include "base/cancel.h"
#include "base/json.h"

enum { HOOK_ANSWER_MAX = 1 << 20 };

/* One question. */
struct hook_work {
	struct hook_hosts *all;
	const struct tl_question *question;
	const struct json *request;
	struct cancel *cancel;
	int64_t until_us; /* the deadline, which the engine keeps */
	struct arena *a; /* until it is answered */
	struct str answer;
};

/* The rows of hook_kinds. */
int hook_run_http(struct hook_work *work, struct err *err);
int hook_run_mcp_tool(struct hook_work *work, struct err *err);
int hook_run_prompt(struct hook_work *work, struct err *err);
int hook_run_agent(struct hook_work *work, struct err *err);

struct session;
/*
 * (waits) The session, to ask its model: one hook at a time, while the session itself waits for its
 * hooks.  NULL with *err when it cannot be asked.  Then: hook_hosts_model_done().
 */
struct session *hook_hosts_model(struct hook_work *work, struct err *err);
void hook_hosts_model_done(struct hook_work *work);

/* For hook_run_mcp_tool(): the session's servers, or those that were connected for the hook. */
struct mcp_servers *hook_hosts_servers(struct hook_hosts *h, const char *server, struct err *err);
