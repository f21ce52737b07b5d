/* trotline mcp test: connects to a server and tells what it offers. */
#include "cli/cli.h"
