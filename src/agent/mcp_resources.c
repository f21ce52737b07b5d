/* list_mcp_resources and read_mcp_resource (host.md H5.9). */
#include "agent/rows.h"
#include "mcp/mcp.h"

static void run(struct tool_call *call, struct tool_result *r)
{
	tool_fail(call, r, "mcp_resource_not_found", "There is no such resource.");
}

const struct tool tool_list_mcp_resources = {
	.name = "list_mcp_resources",
	.display_name = "List MCP Resources",
	.description = "Lists the resources of MCP servers.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"serverName\":{\"type\":\"string\"}}}",
	.kind = TOOL_READ,
	.read_only = true,
	.run = run,
};

const struct tool tool_read_mcp_resource = {
	.name = "read_mcp_resource",
	.display_name = "Read MCP Resource",
	.description = "Reads a resource of an MCP server.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\"}},"
		      "\"required\":[\"uri\"]}",
	.kind = TOOL_READ,
	.read_only = true,
	.run = run,
};
