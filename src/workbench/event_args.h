/*
 * An event from the command line: what was given, and a sensible sample for everything that was
 * not.
 */
#pragma once

#include "base/options.h"
#include "workbench/wb.h"

struct event_args {
	const char *tool, *input, *payload, *subject, *mcp_server, *mcp_tool, *session_id;
	bool failed;
	const char *dir; /* where relative names begin; NULL = here */
};

#define EVENT_OPTS(type)                                                                           \
	{ "tool",                                                                                  \
	  't',                                                                                     \
	  "NAME",                                                                                  \
	  OPT_STR,                                                                                 \
	  offsetof(type, event.tool),                                                              \
	  "the tool of a tool event (default: run_shell_command)" },                               \
		{ "input",                                                                         \
		  'i',                                                                             \
		  "JSON",                                                                          \
		  OPT_STR,                                                                         \
		  offsetof(type, event.input),                                                     \
		  "the tool's arguments: JSON, @FILE, or - for stdin" },                           \
		{ "payload",                                                                       \
		  'p',                                                                             \
		  "JSON",                                                                          \
		  OPT_STR,                                                                         \
		  offsetof(type, event.payload),                                                   \
		  "fields of the event, over the sample's: JSON, @FILE, or - for stdin" },         \
		{ "subject",                                                                       \
		  0,                                                                               \
		  "WORD",                                                                          \
		  OPT_STR,                                                                         \
		  offsetof(type, event.subject),                                                   \
		  "source, reason, trigger or notification_type of the other events" },            \
		{ "mcp-server",                                                                    \
		  0,                                                                               \
		  "NAME",                                                                          \
		  OPT_STR,                                                                         \
		  offsetof(type, event.mcp_server),                                                \
		  "the tool belongs to this MCP server" },                                         \
		{ "mcp-tool",                                                                      \
		  0,                                                                               \
		  "NAME",                                                                          \
		  OPT_STR,                                                                         \
		  offsetof(type, event.mcp_tool),                                                  \
		  "the tool's name on that server" },                                              \
		{ "failed",                                                                        \
		  0,                                                                               \
		  NULL,                                                                            \
		  OPT_FLAG,                                                                        \
		  offsetof(type, event.failed),                                                    \
		  "AfterTool: the tool failed" },                                                  \
	{                                                                                          \
		"session", 's', "ID", OPT_STR, offsetof(type, event.session_id),                   \
			"session_id of the payload (default: sample-session)"                      \
	}

/* The event with its fields; everything lives in the arena. */
struct event_made {
	struct tl_event event;
	struct tl_field *fields;
	const struct json *payload; /* the event's fields as one object, for saving and showing */
};

/*
 * False for Stop where hooks have it in Claude's words only, in which it is AfterAgent: the event
 * is to be made of that.
 */
bool event_is_answered(const struct tl_hooks *hooks, const struct event_made *m);
/*
 * Fills *m; -E_INVAL or -E_PARSE with a sentence.  Names of events and tools may be Claude Code's.
 * Without a wb nothing is complained of.
 */
int event_make(struct wb *wb, struct event_made *m, struct arena *a, const char *name,
	       const struct event_args *args, struct err *err);

/* All events that can be given, in lines as help has them. */
const char *event_names(struct arena *a);
