#include "agent/prompt_commands.h"

int prompt_command_expand(struct arena *a, const struct prompt_command *c, struct str args,
			  struct str invocation, const struct prompt_expand *e,
			  struct str *ret_prompt, struct err *err)
{
	(void)a, (void)args, (void)invocation, (void)e, (void)ret_prompt;
	return err_set(err, E_NOTFOUND, "there is no command /%s", c->name);
}
