#include "hosts/host.h"

#include "base/words.h"
#include "hosts/rows.h"

const struct host_mcp host_mcp_usual[] = { { "mcp__", "__" }, { 0 } };

const struct host_event *host_event_find(const struct host *h, struct str name)
{
	const struct host_event *same = NULL, *like = NULL;

	for (const struct host_event *e = h->events; e->name; e++) {
		if (str_eqz(name, e->name))
			return e;
		if (str_eq_icase(name, str_from(e->name)))
			same = e;
		if (word_like(name, str_from(e->name)))
			like = e;
	}
	return same ? same : like;
}

unsigned host_timeout_ms(const struct host *h, struct str event)
{
	const char *brief = h->file.brief_events;

	return brief && word_in_text(event, brief) ? h->file.brief_ms : h->timeout_ms;
}

const char *host_moment(enum host_kind kind)
{
	static const char *const moments[KIND_COUNT] = {
		[KIND_TOOL] = "BeforeTool",
		[KIND_RESULT] = "AfterTool",
		[KIND_FAILURE] = "AfterTool",
		[KIND_PROMPT] = "BeforeAgent",
		[KIND_STOP] = "AfterAgent",
		[KIND_START] = "SessionStart",
		[KIND_END] = "SessionEnd",
		[KIND_NOTICE] = "Notification",
		[KIND_COMPRESS] = "PreCompress",
		[KIND_MODEL] = "BeforeModel",
		[KIND_SELECTION] = "BeforeToolSelection",
		[KIND_CHUNK] = "AfterModel",
		[KIND_AGENT_START] = "SubagentStart",
		[KIND_AGENT_STOP] = "SubagentStop",
		[KIND_BATCH] = "PostToolBatch",
		[KIND_REQUEST] = "PermissionRequest",
		[KIND_REFUSED] = "PermissionDenied",
		[KIND_EXPANSION] = "UserPromptExpansion",
		[KIND_COMPRESSED] = "PostCompact",
		[KIND_BROKEN] = "StopFailure",
		[KIND_INSTRUCTIONS] = "InstructionsLoaded",
		[KIND_SETUP] = "Setup",
		[KIND_SWITCH] = "PreModelSwitch",
		[KIND_SWITCHED] = "PostModelSwitch",
		[KIND_CONFIG] = "ConfigChange",
		[KIND_ELICITATION] = "Elicitation",
		[KIND_ELICITED] = "ElicitationResult",
		[KIND_TASK_CREATED] = "TaskCreated",
		[KIND_TASK_DONE] = "TaskCompleted",
		[KIND_SHOWN] = "MessageDisplay",
		[KIND_FILE] = "FileChanged",
		[KIND_DIRECTORY] = "DirectoryAdded",
	};

	return moments[kind];
}

bool host_names_calls(const struct host *h)
{
	return h->names_calls && h->proven;
}

bool host_can_deny(const struct host *h, enum host_kind kind)
{
	if (h->deaf & host_on(kind))
		return false;
	if (h->only_status)
		return true;
	for (const struct host_word *w = h->words; w->at; w++)
		if (w->when == SAY_DENY && w->on & host_on(kind))
			return true;
	return false;
}
