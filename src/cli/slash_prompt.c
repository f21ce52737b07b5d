/* Slash commands that are prompts: custom commands, skills and prompts of MCP servers. */
#include "cli/cli.h"
