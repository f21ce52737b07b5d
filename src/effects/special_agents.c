/* Agents whose environment, set before them, leads away from the settings that have their hooks. */
#include "base/agent_dirs.h"
#include "effects/run.h"

bool agent_run(struct run *r, const struct call *c)
{
	/* Besides those that move one folder: of all folders, and of settings files. */
	static const char *const others[] = {
		"HOME",
		"GEMINI_CLI_HOME",
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH",
		"GEMINI_DIR",
		"CURSOR_CONFIG_DIR",
		"OPENCODE_CONFIG",
		"OPENCODE_CONFIG_DIR",
		"OPENCLAW_HOME",
	};
	bool moved = false;

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		moved |= binding_find(r->vars, str_from(others[i])) != NULL;
	for (size_t i = 0; i < agent_dirs_n; i++)
		moved |= binding_find(r->vars, str_from(agent_dirs[i].variable)) != NULL;
	if (moved)
		call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
	return false;
}

/* As --skip-trust: what the folder brings counts, unseen. */
static bool run_trotline(struct run *r, const struct call *c)
{
	const struct binding *b = binding_find(r->vars, STR("GEMINI_CLI_TRUST_WORKSPACE"));

	if (b && !str_eqz(b->value, "false"))
		call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
	return false;
}

static bool run_gemini(struct run *r, const struct call *c)
{
	(void)run_trotline(r, c);
	return agent_run(r, c);
}

const struct special special_agents[] = {
	{ "trotline", run_trotline },
	{ "gemini qwen", run_gemini },
	{ "claude codex cursor-agent opencode copilot droid amp goose kilo pi cline crush openclaw kiro-cli "
	  "auggie grok devin openhands",
	  agent_run },
	{ NULL, NULL },
};
