/* The rows of table.c, a file a family. */
#pragma once

#include "hosts/host.h"

/* claude_family.c: what Claude Code says, with differences. */
extern const struct host host_claude, host_codex, host_qwen, host_droid, host_auggie, host_vscode;
/* decisions.c: {"decision": ..., "reason": ...} or an exit status. */
extern const struct host host_gemini, host_devin, host_grok, host_goose, host_crush, host_openhands,
	host_kiro, host_windsurf;
/* others.c: words of their own. */
extern const struct host host_copilot, host_cursor, host_antigravity, host_cline;
/* shims.c: plugins that we install speak to us. */
extern const struct host host_opencode, host_kilo, host_pi, host_openclaw, host_amp;

/* How most agents call the tools of servers. */
extern const struct host_mcp host_mcp_usual[];

/* Lists of arguments, for rows of tools. */
#define ARGS(...)                                                                                  \
	(const struct host_arg[])                                                                  \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
