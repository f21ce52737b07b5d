/* The types of hooks that are no processes: one row each (C6.11). */
#include "agent/hook_work.h"

const struct hook_kind hook_kinds[HOOK_KINDS] = {
	{ "http", hook_run_http, false },
	{ "mcp_tool", hook_run_mcp_tool, false },
	{ "prompt", hook_run_prompt, true },
	{ "agent", hook_run_agent, true },
};

static int start_nothing(void *data, const struct tl_question *q, struct tl_ask *ask,
			 struct tl_err *err)
{
	(void)data;
	(void)q;
	(void)ask;
	err->code = TL_E_NOTFOUND;
	(void)snprintf(err->text, sizeof err->text, "hooks of this type do not run here");
	return -TL_E_NOTFOUND;
}

const struct tl_handler *hook_kinds_known(size_t *ret_n)
{
	static const struct tl_handler known[] = {
		TL_HANDLER_INIT(.type = "http", .start = start_nothing),
		TL_HANDLER_INIT(.type = "mcp_tool", .start = start_nothing),
		TL_HANDLER_INIT(.type = "prompt", .start = start_nothing),
		TL_HANDLER_INIT(.type = "agent", .start = start_nothing),
	};

	_Static_assert(ARRAY_LEN(known) == HOOK_KINDS, "a row a type");
	*ret_n = ARRAY_LEN(known);
	return known;
}
