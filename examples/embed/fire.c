/*
 * Asks the hooks of the current project about one shell command:  ./fire 'rm -rf /'
 * Exit status 0: it may run, 1: it may not, 2: the hooks could not be asked.
 */
#include <stdio.h>
#include <string.h>
#include <trotline.h>

/* A real host has a JSON library; ours takes commands without ", \ and control characters. */
static const char *tool_input(const char *command)
{
	static char json[4096];

	(void)snprintf(json, sizeof json, "{\"command\":\"%s\"}", command);
	return json;
}

int main(int argc, char **argv)
{
	const char *input = tool_input(argc > 1 ? argv[1] : "ls");
	struct tl_field field = { "tool_input", input, strlen(input) };
	struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = "run_shell_command",
					      .fields = &field, .nfields = 1);
	/* There is nobody to ask here: without approval of the project's hooks do not go on. */
	struct tl_options options = TL_OPTIONS_INIT(.flags = TL_LOAD_REFUSE_UNTRUSTED);
	struct tl_hooks *hooks;
	struct tl_outcome *o;
	struct tl_err err;
	int allowed;

	if (tl_hooks_load(&options, &hooks, &err) < 0) {
		fprintf(stderr, "fire: %s\n", err.text);
		return 2;
	}
	if (tl_fire(hooks, &event, NULL, &o, &err) < 0) {
		fprintf(stderr, "fire: %s\n", err.text);
		tl_hooks_unref(hooks);
		return 2;
	}
	/* A stop ends the whole turn, so it is looked at first. */
	allowed = !tl_outcome_stopped(o) && tl_outcome_verdict(o) <= TL_VERDICT_ALLOW;
	if (allowed)
		printf("allowed\n");
	else
		printf("%s: %s\n",
		       tl_outcome_stopped(o) ? "stop" : tl_verdict_name(tl_outcome_verdict(o)),
		       tl_outcome_stopped(o) ? tl_outcome_stop_reason(o) : tl_outcome_reason(o));
	tl_outcome_free(o);
	tl_hooks_unref(hooks);
	return !allowed;
}
