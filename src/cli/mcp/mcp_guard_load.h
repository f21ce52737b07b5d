/*
 * The hooks that trotline mcp guard asks: loaded when it starts, and again before the next message
 * when a file that decides about them has changed.
 */
#pragma once

#include "cli/mcp/mcp_guard_hooks.h"
#include "workbench/wb.h"

struct changes;

struct guard_load {
	const char *home; /* borrowed */
	struct wb wb; /* runs hooks that are no processes */
	struct changes *changes;
	uint64_t names; /* of the policies that there are */
};

/* Fills h->hooks; a negative code when settings cannot be used. */
int guard_load_open(struct guard_load *l, const char *home, struct guard_hooks *h,
		    struct tl_err *err);
/*
 * Reads what has changed; true when something had.  What cannot be used now denies every call,
 * until it can: h->problem.
 */
bool guard_load_refresh(struct guard_load *l, struct guard_hooks *h);
/* Behind the last firing. */
void guard_load_done(struct guard_load *l);
