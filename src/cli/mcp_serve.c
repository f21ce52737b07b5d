/* trotline mcp serve: the workbench of hooks as an MCP server on stdio. */
#include "cli/cli.h"
