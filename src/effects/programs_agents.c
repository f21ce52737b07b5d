/*
 * Agents that are started without their hooks, and what changes their settings or hides them.
 * Sorted by program; run.h has the notation.
 */
#include "effects/run.h"

/* clang-format off */
#define AGENT_PLACES \
	"~*/.trotline*|~*/.claude*|~*/.codex*|~*/.gemini*|~*/.cursor*|" \
	"~.trotline*|~.claude*|~.codex*|~.gemini*|~.cursor*"
/* clang-format on */

static const struct program_row rows[] = {
	{ "amp --dangerously-allow-all", EFFECT_GUARD_OFF },
	{ "claude --settings|--setting-sources|--bare", EFFECT_GUARD_OFF },
	{ "codex -c=*hooks*|--config=*hooks*|--disable=*hooks*|-c=*danger-full-access*|-s=danger-full-access|--sandbox=danger-full-access",
	  EFFECT_GUARD_OFF },
	{ "copilot --allow-all-tools|--allow-all|--yolo", EFFECT_GUARD_OFF },
	{ "cursor-agent -f|--force|--yolo", EFFECT_GUARD_OFF },
	{ "droid --skip-permissions-unsafe", EFFECT_GUARD_OFF },
	{ "gemini -y|--approval-mode=yolo|--no-hooks|--skip-trust", EFFECT_GUARD_OFF },
	{ "gh alias set ~!*", EFFECT_PERSIST },
	{ "gh alias import", EFFECT_PERSIST },
	{ "mount !-l|--help " AGENT_PLACES, EFFECT_GUARD_OFF },
	{ "qwen -y|--yolo|--approval-mode=yolo", EFFECT_GUARD_OFF },
	{ "trotline -y|--yolo|--approval-mode=yolo|--skip-trust|--no-project-hooks",
	  EFFECT_GUARD_OFF },
	{ "trotline mcp add|remove|enable|disable", EFFECT_PERSIST },
	{ "trotline extensions|skills install|uninstall|update|link|enable|disable|config",
	  EFFECT_PERSIST },
	{ "trotline hooks install|enable", EFFECT_PERSIST },
	{ "umount " AGENT_PLACES, EFFECT_GUARD_OFF },
};

const struct program_rows programs_agents = { rows, ARRAY_LEN(rows) };
