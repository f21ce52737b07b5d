/*
 * Entries of ours in somebody else's settings: a hook, an MCP server.  Which one is ours, putting
 * it in, bringing it up to date, taking it out; the rest of the file keeps its bytes.
 */
#pragma once

#include "settings/edit.h"

enum reg_status { REG_UNCHANGED, REG_INSTALLED, REG_UPDATED, REG_REMOVED, REG_ABSENT };
const char *reg_status_name(enum reg_status s); /* "installed" */

struct hook_reg {
	const char *name; /* its identity */
	const char *event; /* as this file calls it; uninstalling, NULL = all events */
	const char *matcher; /* NULL = all */
	bool star; /* "all" is written as "*", not left out */
	bool with_server; /* noted, so that uninstalling it takes the server along */
	/*
	 * The members that we manage: type, command, and what else was asked for.  Others that
	 * somebody has added stay.  NULL when uninstalling.
	 */
	const struct json *hook;
	/* A hook without a name is ours when it has this command, or runs this program. */
	const char *command, *program; /* NULL = no such thing */
};

int hook_install(struct settings_change *c, const struct hook_reg *reg, enum reg_status *ret_status,
		 struct err *err);
/* *ret_server becomes true when the last hook that brought the MCP server along is gone. */
int hook_uninstall(struct settings_change *c, const struct hook_reg *reg,
		   enum reg_status *ret_status, bool *ret_server, struct err *err);

struct server_reg {
	const char *name;
	const struct json *value; /* the members that we manage */
	/* Whether an entry of this name that we did not write may be brought up to date. */
	bool (*is_ours)(const struct json *server); /* NULL = yes */
};

int server_install(struct settings_change *c, const struct server_reg *reg,
		   enum reg_status *ret_status, struct err *err);
int server_uninstall(struct settings_change *c, const char *name, enum reg_status *ret_status,
		     struct err *err);
