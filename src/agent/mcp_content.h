/* What an MCP server sends, as the model may have it. */
#pragma once

#include "tools/tool.h"

enum { MCP_TEXT_CHARS = 40000 }; /* where tools.truncateToolOutputThreshold says nothing else */

/*
 * A text of a server as the model gets it: one that is longer than
 * tools.truncateToolOutputThreshold loses its middle, and is kept in a file.
 */
struct str mcp_fit(struct tool_call *call, struct tool_result *r, struct str text);
/* The call has failed with a text that may be the server's: only the model is told so. */
void mcp_fail(struct tool_call *call, struct tool_result *r, struct str text);
/*
 * Data of a server as a part for the model, in the arena; *bytes is that of all so far.  NULL, and
 * why, for what a service would refuse, with the whole conversation from then on.
 */
const struct json *mcp_media_part(struct arena *a, const struct json *mime, struct str data,
				  size_t *bytes, const char **ret_why);
#define MEDIA_LEFT_OUT "[Binary data was left out: %s.]"
