/* Shows what the session says. */
#include <stdio.h>

#include "cli/chat/chat.h"
#include "os/clock.h"
#include "ui/marks.h"

/* ---- the answer ---- */

static void show_text(struct chat *c, struct said *said)
{
	AUTO(buf_done) struct buf out = { 0 };

	c->retry_at_us = 0;
	if (!c->answering)
		buf_addc(&out, '\n');
	c->answering = true;
	markdown_resize(c->markdown, screen_columns(c->screen));
	markdown_add(c->markdown, str_from(said->text), &out);
	if (out.n)
		screen_print(c->screen, buf_str(&out));
}

static void show_turn(struct chat *c, struct said *said)
{
	(void)said;
	chat_end_answer(c);
}

/* ---- notes ---- */

static void show_note(struct chat *c, struct said *said)
{
	static const struct {
		const char *sgr;
		enum mark mark;
	} looks[] = {
		[NOTE_INFO] = { "2", MARK_INFO },
		[NOTE_WARNING] = { "33", MARK_WARNING },
		[NOTE_ERROR] = { "31", MARK_FAILED },
		[NOTE_HOOK_MESSAGE] = { "35", MARK_INFO },
		[NOTE_BLOCKED] = { "33", MARK_WARNING },
		[NOTE_STOPPED] = { "33", MARK_WARNING },
		[NOTE_TOOL_STOPPED] = { "33", MARK_WARNING },
	};

	chat_end_answer(c);
	chat_printf(c, looks[said->number].sgr, "%s %s", mark(looks[said->number].mark),
		    said->text);
}

/* One line, which counts down; nothing of it stays. */
static void show_retry(struct chat *c, struct said *said)
{
	free(c->retry);
	c->retry = said->text;
	said->text = NULL;
	c->retry_at_us = said->number;
	if (screen_is_dumb(c->screen))
		chat_printf(c, "2", "%s %s", mark(MARK_INFO), c->retry);
}

static void show_waiting(struct chat *c, struct said *said)
{
	c->retry_at_us = 0;
	free(c->waiting);
	c->waiting = said->text;
	said->text = NULL;
	if (c->waiting && !said->number)
		c->status.since_us = clock_us();
}

static void show_state(struct chat *c, struct said *said)
{
	free(c->model);
	free(c->session_id);
	c->model = said->text;
	c->session_id = said->more;
	said->text = said->more = NULL;
	c->status.model = c->model;
	c->status.tokens = said->number;
}

static void show_mode(struct chat *c, struct said *said)
{
	c->mode = (enum approval_mode)said->number;
	screen_prompt(c->screen, c->shell_mode ? "! " : chat_prompt(c->mode));
}

static void show_muted(struct chat *c, struct said *said)
{
	c->unmute_at_us = said->number;
}

static void show_commands(struct chat *c, struct said *said)
{
	free(c->commands);
	c->commands = said->text;
	said->text = NULL;
}

static void show_resources(struct chat *c, struct said *said)
{
	free(c->resources);
	c->resources = said->text;
	said->text = NULL;
}

static void show_hooks(struct chat *c, struct said *said)
{
	tl_hooks_unref(c->hooks);
	c->hooks = said->hooks;
	said->hooks = NULL;
}

static void show_recent(struct chat *c, struct said *said)
{
	chat_end_answer(c);
	chat_show_recent(c, str_from(said->text));
}

static void show_print(struct chat *c, struct said *said)
{
	chat_end_answer(c);
	if (said->number)
		chat_print_markdown(c, str_from(said->text));
	else
		chat_print(c, NULL, str_from(said->text));
}

/* ---- ends ---- */

static const char *const ends[] = {
	[END_CANCELLED] = "Request cancelled.",
	[END_LIMIT] = "Reached max session turns for this session. Increase the number of turns "
		      "by specifying maxSessionTurns in settings.json.",
};

static void show_done(struct chat *c, struct said *said)
{
	size_t end = (size_t)said->number;

	chat_end_answer(c);
	c->busy = false;
	c->retry_at_us = 0;
	chat_tools_clear(c);
	if (end == END_FAILED || end == END_FATAL) {
		struct str text = str_from(said->text);
		ptrdiff_t first = str_chr(text, '\n', 0);
		struct str rest = first < 0 ? STR("") : str_sub(text, (size_t)first + 1, text.n);

		/* The first lines say it; what follows can be a whole request. */
		chat_printf(c, "31", "%s %.*s", mark(MARK_FAILED),
			    (int)(text.n - rest.n - (rest.n > 0)), text.p);
		chat_show_output(c, "31", rest, "error");
	} else if (end < ARRAY_LEN(ends) && ends[end]) {
		chat_print(c, "33", str_from(ends[end]));
	}
	/* The idle moment comes after an answer, not after a cancelled turn. */
	if (end != END_CANCELLED && !c->ending)
		c->idle_at_us = clock_us() + CHAT_IDLE_US;
}

static void show_command_done(struct chat *c, struct said *said)
{
	(void)said;
	chat_end_answer(c);
	c->busy = false;
}

static void show_ended(struct chat *c, struct said *said)
{
	chat_end_answer(c);
	c->over = true;
	c->exit_status = (int)said->number;
	screen_live(c->screen, STR(""), true);
	if (said->more && *said->more)
		chat_print(c, "31", str_from(said->more));
	chat_print(c, "1", STR("Agent powering down. Goodbye!"));
	if (said->text)
		chat_print(c, "2", str_from(said->text));
}

/* What the user has ordered comes first; then the session looks by itself. */
static void show_wake(struct chat *c, struct said *said)
{
	(void)said;
	if (!c->busy && !c->ending)
		chat_order(c, ORDER_WAKE, NULL, STR(""));
}

static void show_confirm(struct chat *c, struct said *said)
{
	(void)said;
	chat_end_answer(c);
}

static void show_terminal(struct chat *c, struct said *said)
{
	screen_sequence(c->screen, str_from(said->text));
}

void chat_show(struct chat *c, struct said *said)
{
	static void (*const show[])(struct chat * c, struct said * said) = {
		[SAID_TEXT] = show_text,
		[SAID_TURN] = show_turn,
		[SAID_TOOL_USE] = chat_tool_use,
		[SAID_OUTPUT] = chat_tool_output,
		[SAID_TOOL_RESULT] = chat_tool_result,
		[SAID_AGENT_TOOL] = chat_agent_tool,
		[SAID_RETRY] = show_retry,
		[SAID_NOTE] = show_note,
		[SAID_WAITING] = show_waiting,
		[SAID_CONFIRM] = show_confirm,
		[SAID_STATE] = show_state,
		[SAID_TERMINAL] = show_terminal,
		[SAID_MODE] = show_mode,
		[SAID_MUTED] = show_muted,
		[SAID_COMMANDS] = show_commands,
		[SAID_RESOURCES] = show_resources,
		[SAID_HOOKS] = show_hooks,
		[SAID_RECENT] = show_recent,
		[SAID_PRINT] = show_print,
		[SAID_DONE] = show_done,
		[SAID_COMMAND_DONE] = show_command_done,
		[SAID_WAKE] = show_wake,
		[SAID_ENDED] = show_ended,
	};

	show[said->what](c, said);
	if (said->what == SAID_CONFIRM)
		chat_ask(c, said);
	else
		said_free(&said->m);
}
