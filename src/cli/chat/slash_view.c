/* Slash commands that only show something: the terminal's thread does them at once. */
#include "cli/chat/chat.h"

void slash_help(struct chat *c, struct str args)
{
	AUTO(buf_done) struct buf out = { 0 };

	(void)args;
	buf_addz(&out, "Commands:\n");
	for (size_t i = 0; i < slash_commands_n; i++) {
		const struct slash *s = &slash_commands[i];
		AUTO(free) char *head =
			xasprintf("/%s %s", s->name, *s->args == '[' ? "" : s->args);

		buf_addf(&out, "  %-12s %s\n", head, s->help);
	}
	slash_help_prompts(c, &out);
	buf_addz(&out, "\n@path in a prompt adds the file; Tab completes commands and paths.\n"
		       "Enter sends; \\ and Enter, Ctrl+J or Alt+Enter begin a new line.\n"
		       "Esc or Ctrl+C cancel what runs; Ctrl+C or Ctrl+D twice leave.\n"
		       "Shift+Tab goes through the approval modes, Ctrl+Y switches yolo.");
	chat_print(c, NULL, buf_str(&out));
}

void slash_about(struct chat *c, struct str args)
{
	(void)args;
	chat_printf(c, NULL,
		    "trotline %s\nmodel: %s (%s)\nproject: %s\nhome: %s\nsession: %s\n"
		    "hooks: %zu",
		    tl_version(), c->model ? c->model : c->run->model,
		    c->run->auth ? c->run->auth : "replayed answers", c->run->project, c->run->home,
		    c->session_id ? c->session_id : "-", tl_hooks_count(c->hooks));
}

void slash_settings(struct chat *c, struct str args)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(arena_done) struct arena a = { 0 };

	(void)args;
	for (size_t i = 0; *tl_hooks_file_get(c->hooks, i); i++)
		buf_addf(&out, "%s\n", tl_hooks_file_get(c->hooks, i));
	if (!out.n)
		buf_addz(&out, "No settings file was read.\n");
	buf_adds(&out, json_text(&a, c->run->settings, JSON_PRETTY));
	chat_print(c, NULL, buf_str(&out));
}

void slash_quit(struct chat *c, struct str args)
{
	(void)args;
	chat_quit(c, "exit");
}
