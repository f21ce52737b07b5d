/* trotline mcp guard in front of the servers that other programs have configured. */
#pragma once

#include "workbench/settings_args.h"

/* Are all that --into names programs whose servers alone can be guarded? */
bool wrap_is_meant(const char *into);
/* Puts the guard in front of all servers in the files of --into, or takes it away again. */
int wb_wrap_servers(struct wb *wb, const struct settings_args *args, bool removing);
