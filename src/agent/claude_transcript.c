/* The session's transcripts as Claude Code's hooks read them: which there are, and where. */
#include "agent/transcript/claude_log.h"

#include "agent/hook_dialect.h"
#include "agent/mcp_tools.h"
#include "agent/session_impl.h"

/* Once for each snapshot: nothing is written without a reader. */
static bool speaks_claude(struct session *s)
{
	struct tl_hook h = TL_HOOK_INIT();

	if (s->looked_at == s->o.hooks)
		return s->speaks_claude;
	s->looked_at = s->o.hooks;
	s->speaks_claude = false;
	for (size_t i = 0; !s->speaks_claude && tl_hooks_get(s->o.hooks, i, &h) == 0; i++)
		s->speaks_claude =
			h.state == TL_STATE_WOULD_RUN && hook_dialect(&h).reads_transcript;
	return s->speaks_claude;
}

static void server_of(void *data, const char *tool, const char **ret_server, const char **ret_name)
{
	const struct session *s = data;
	const struct tool *t = toolbox_find(s->toolbox, str_from(tool));
	const struct mcp_row *row = t ? mcp_row_of(t) : NULL;

	if (row) {
		*ret_server = row->server;
		*ret_name = row->name;
	}
}

static void keep(struct session *s, struct transcript *t, const char *agent_id)
{
	AUTO(free) char *id = transcript_safe_id(s->id, SIZE_MAX);
	AUTO(free) char *agent = agent_id ? transcript_safe_id(agent_id, SIZE_MAX) : NULL;
	/* A sub-agent's is below its session's, as in Claude Code. */
	AUTO(free) char *path =
		agent ? xasprintf("%s/claude/%s/subagents/agent-%s.jsonl", s->temp_dir, id, agent)
		      : xasprintf("%s/claude/%s.jsonl", s->temp_dir, id);
	struct claude_log_options o = {
		.hooks = s->o.hooks,
		.path = path,
		.session_id = s->id,
		.cwd = s->o.cwd,
		.agent_id = agent_id,
		.server_of = server_of,
		.data = s,
	};
	struct err err;

	if (!t || *transcript_claude_path(t) || transcript_mirror(t, &o, &err) == 0)
		return;
	s->speaks_claude = false; /* said once */
	session_note(s, NOTE_WARNING, "Hooks of the claude dialect get no transcript: %s",
		     err.text);
}

void session_keep_claude_log(struct session *s)
{
	if (!s->temp_dir || !speaks_claude(s))
		return;
	if (s->agent)
		keep(s, s->main_transcript, NULL);
	keep(s, s->transcript, s->agent ? s->agent_id : NULL);
}
