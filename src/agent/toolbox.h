/*
 * The tools of a session as they are at one moment: the built-in ones, the agent's own, those of
 * MCP servers.  A toolbox never changes.  It is counted by references: whoever keeps a row of it
 * keeps the toolbox, because servers change what they offer at any time.
 */
#pragma once

#include "agent/catalog/agent_defs.h"
#include "agent/catalog/skills.h"
#include "mcp/mcp.h"
#include "tools/tool.h"

struct toolbox {
	int refs; /* changed by __atomic functions only */
	struct arena arena; /* of the rows that are made for it */
	const struct tool **p;
	size_t n;
	const struct json **declared; /* one a tool, made when it is first wanted; else NULL */
	uint64_t hash; /* of what the servers offered */
};

struct toolbox_options {
	struct mcp_servers *mcp; /* NULL = none */
	const struct skills *skills; /* that activate_skill names; NULL = none */
	const struct agents *agents; /* the same of invoke_agent */
};

/* On the session's thread, as mcp_servers_tools(). */
struct toolbox *toolbox_new(const struct toolbox_options *o) MUST_CHECK;
struct toolbox *toolbox_ref(struct toolbox *b);
void toolbox_unref(struct toolbox *b); /* NULL allowed */
/* Makes *b anew when the servers offer something else than they did for it. */
void toolbox_refresh(struct toolbox **b, const struct toolbox_options *o);
/*
 * By name, by an alias, or by either form of the name of a server's tool (C5.2); NULL when there is
 * none.
 */
const struct tool *toolbox_find(const struct toolbox *b, struct str name);
/* Its declaration for the model, which lives as long as the toolbox. */
const struct json *toolbox_declaration(struct toolbox *b, size_t i);
