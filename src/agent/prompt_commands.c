#include "agent/prompt_commands.h"

struct prompt_commands *prompt_commands_read(struct arena *a,
					     const struct prompt_commands_options *o)
{
	(void)o;
	return ARENA_NEW(a, struct prompt_commands);
}
