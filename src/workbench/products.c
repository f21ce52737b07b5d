#include "workbench/products.h"

static const struct agent agents[] = {
	{ "gemini", "Gemini CLI", &dialects[DIALECT_GEMINI], "gemini", "GEMINI",
	  .is_target = true },
	{ "trotline", "trotline", &dialects[DIALECT_GEMINI], "gemini", "GEMINI", .is_target = true,
	  .own = true },
	{ "tabnine", "Tabnine CLI", &dialects[DIALECT_TABNINE], "tabnine", "TABNINE",
	  .is_target = true, .is_source = true },
	{ "terminai", "TerminaI", &dialects[DIALECT_TERMINAI], "terminai", "TERMINAI",
	  .is_target = true, .is_source = true },
	{ "claude", "Claude Code", &dialects[DIALECT_CLAUDE], "claude", "CLAUDE", .is_target = true,
	  .is_source = true },
	{ "codex", "Codex", &dialects[DIALECT_CODEX], "codex", "CODEX", .is_source = true },
	{ "jpfork", "Gemini CLI fork", &dialects[DIALECT_JPFORK], "gemini", "GEMINI",
	  .is_source = true, .at_home = true },
};

static const struct agent *agent_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(agents); i++)
		if (strcmp(agents[i].name, name) == 0)
			return &agents[i];
	return NULL;
}

const struct agent *agent_target(const char *name)
{
	const struct agent *a = agent_find(name);

	return a && a->is_target ? a : NULL;
}

bool agent_is_read(const struct agent *agent)
{
	return agent->dialect->id == DIALECT_GEMINI;
}

const struct agent *agent_source(const char *name)
{
	const struct agent *a = agent_find(name);

	return a && a->is_source ? a : NULL;
}

/* ---- events ---- */

#define NO_EVENT "Gemini CLI has no such event"
#define TOO_OFTEN "Gemini CLI also fires it for tools that failed"
#define COMPRESSES "Gemini CLI compresses whatever PreCompress says; here a refusal counts"
#define OLD_TABNINE                                                                                \
	"an event of the older Tabnine agent, whose hooks block with every exit status but 0"

/* Where an event of Gemini CLI is not quite the one of the dialect, or there is none. */
static const struct {
	enum dialect_id dialect;
	const char *name;
	enum event_id to; /* EV_COUNT = none */
	const char *loss;
} exceptions[] = {
	{ DIALECT_CLAUDE, "PostToolUse", EV_AFTER_TOOL, TOO_OFTEN },
	{ DIALECT_CLAUDE, "SubAgentStop", EV_SUBAGENT_STOP, NULL },
	{ DIALECT_CLAUDE, "PreCompact", EV_PRE_COMPRESS, COMPRESSES },
	{ DIALECT_CLAUDE, "PostToolUseFailure", EV_COUNT,
	  "AfterTool also fires for tools that succeeded; look at tool_response.error there" },
	{ DIALECT_CODEX, "PostToolUse", EV_AFTER_TOOL, TOO_OFTEN },
	{ DIALECT_CODEX, "PreCompact", EV_PRE_COMPRESS, COMPRESSES },
	{ DIALECT_JPFORK, "PostToolUse", EV_AFTER_TOOL, TOO_OFTEN },
	{ DIALECT_JPFORK, "Stop", EV_AFTER_AGENT,
	  "AfterAgent fires with each answer and waits for the hook; Stop fired after a second "
	  "of idleness" },
	{ DIALECT_JPFORK, "SubagentStop", EV_COUNT, "it never fired" },
	{ DIALECT_TABNINE, "before-agent", EV_COUNT, OLD_TABNINE },
	{ DIALECT_TABNINE, "after-agent", EV_COUNT, OLD_TABNINE },
	{ DIALECT_TABNINE, "before-model", EV_COUNT, OLD_TABNINE },
	{ DIALECT_TABNINE, "after-model", EV_COUNT, OLD_TABNINE },
	{ DIALECT_TABNINE, "before-tool", EV_COUNT, OLD_TABNINE },
	{ DIALECT_TABNINE, "after-tool", EV_COUNT, OLD_TABNINE },
	{ DIALECT_TABNINE, "on-error", EV_COUNT, OLD_TABNINE },
};

bool agent_event_find(const struct agent *agent, struct str name, struct agent_event *ret)
{
	const struct dialect_event *e = dialect_event_find(agent->dialect, name);

	for (size_t i = 0; i < ARRAY_LEN(exceptions); i++)
		if (exceptions[i].dialect == agent->dialect->id &&
		    str_eqz(name, exceptions[i].name)) {
			*ret = (struct agent_event){ exceptions[i].name,
						     exceptions[i].to == EV_COUNT
							     ? NULL
							     : &events[exceptions[i].to],
						     exceptions[i].loss };
			return true;
		}
	if (e && e->when == CASE_NEVER)
		*ret = (struct agent_event){ e->name, NULL, NO_EVENT };
	else if (e)
		*ret = (struct agent_event){ e->name, &events[e->moment], NULL };
	return e != NULL;
}

const char *agent_event_name(const struct agent *agent, const char *event)
{
	const struct event *ours = event_find(str_from(event));
	const struct dialect_event *e = ours ? dialect_event_of(agent->dialect, ours->id) : NULL;
	struct agent_event own;

	return agent_event_find(agent, str_from(event), &own) ? own.name : e ? e->name : NULL;
}

/* ---- tools ---- */

const char *agent_tool(struct arena *a, const struct agent *agent, struct str name)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool claude = agent->dialect->tools == TOOLS_CLAUDE;
	const char *theirs;
	struct tool_alias t;

	for (size_t i = 0; (theirs = tool_called_at(agent->dialect->tools, name, i)); i++)
		buf_addf(&out, "%s%s", out.n ? "|" : "", theirs);
	for (size_t i = 0; !out.n && tool_alias_at(i, &t); i++)
		if (str_eqz(name, t.alias))
			buf_addf(&out, "%s%s", out.n ? "|" : "", t.canonical);
	if (out.n)
		return arena_z(a, buf_str(&out));
	return claude && tool_is_claudes(name) ? "" : NULL;
}
