#include "base/agent_dirs.h"

#include "base/util.h"

const struct agent_dir agent_dirs[] = {
	{ ".claude", "CLAUDE_CONFIG_DIR", "" },
	{ ".claude.json", "CLAUDE_CONFIG_DIR", ".claude.json" },
	{ ".codex", "CODEX_HOME", "" },
	{ ".copilot", "COPILOT_HOME", "" },
	{ ".qwen", "QWEN_HOME", "" },
	{ ".factory", "FACTORY_HOME_OVERRIDE", ".factory" },
	{ ".kiro", "KIRO_HOME", "" },
	{ ".cline", "CLINE_DIR", "" },
	{ ".pi/agent", "PI_CODING_AGENT_DIR", "" },
	{ ".openclaw", "OPENCLAW_STATE_DIR", "" },
	{ ".config/crush", "CRUSH_GLOBAL_CONFIG", "" },
	{ ".config/crush", "XDG_CONFIG_HOME", "crush" },
	{ ".config/opencode", "XDG_CONFIG_HOME", "opencode" },
	{ ".config/kilo", "XDG_CONFIG_HOME", "kilo" },
	{ ".config/goose", "XDG_CONFIG_HOME", "goose" },
	{ ".config/Claude", "XDG_CONFIG_HOME", "Claude" },
	{ ".config/Code", "XDG_CONFIG_HOME", "Code" },
};
const size_t agent_dirs_n = ARRAY_LEN(agent_dirs);
