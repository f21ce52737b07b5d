/* A connection by WebSocket (the key `tcp`): libcurl connects, wslay frames. */
#include "mcp/link.h"
