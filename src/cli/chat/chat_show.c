/* Shows what the session says. */
#include <stdio.h>

#include "cli/chat/chat.h"
#include "os/clock.h"
#include "ui/clean.h"
#include "ui/rich.h"
#include "ui/width.h"

enum { RESULT_LINES = 5, LIVE_BYTES = 64 << 10 };

/* ---- the answer ---- */

static void end_answer(struct chat *c)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (!c->answering)
		return;
	c->answering = false;
	markdown_end(c->markdown, &out);
	buf_addc(&out, '\n');
	screen_print(c->screen, buf_str(&out));
}

static void show_text(struct chat *c, struct said *said)
{
	AUTO(buf_done) struct buf out = { 0 };

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
	end_answer(c);
}

/* ---- tools ---- */

static void show_tool_use(struct chat *c, struct said *said)
{
	AUTO(buf_done) struct buf line = { 0 };
	struct str about = str_from(said->more);
	size_t columns = screen_columns(c->screen);

	end_answer(c);
	clean_add_line(&line, about);
	about = text_fit(buf_str(&line), columns > 30 ? columns - 20 : 10);
	chat_printf(c, "36", "o %s  %.*s", said->text, STR_ARG(about));
}

/* The first lines of what came out. */
static void show_output(struct chat *c, const char *sgr, struct str text)
{
	size_t n = 0;

	text = str_trim(text);
	for (struct str rest = text, line; text.n && str_split(&rest, '\n', &line); n++) {
		if (n == RESULT_LINES) {
			chat_print(c, "2", STR("    ..."));
			return;
		}
		chat_printf(c, sgr, "    %.*s", STR_ARG(line));
	}
}

static void show_tool_result(struct chat *c, struct said *said)
{
	end_answer(c);
	chat_printf(c, said->number ? "32" : "31", "%s %s", said->number ? "✓" : "x", said->text);
	show_output(c, said->number ? "2" : "31", str_from(said->more));
}

/* One line, however much it did. */
static void show_agent_tool(struct chat *c, struct said *said)
{
	struct str rest = str_from(said->more), line = STR("");

	end_answer(c);
	(void)str_split(&rest, '\n', &line);
	chat_printf(c, said->number ? "2" : "31", "  %s %s %.*s", said->number ? "✓" : "x",
		    said->text, STR_ARG(line));
}

/* ---- notes ---- */

static void show_note(struct chat *c, struct said *said)
{
	static const struct {
		const char *sgr, *mark;
	} looks[] = {
		[NOTE_INFO] = { "2", "ℹ " },          [NOTE_WARNING] = { "33", "⚠ " },
		[NOTE_ERROR] = { "31", "✕ " },        [NOTE_HOOK_MESSAGE] = { "35", "ℹ " },
		[NOTE_BLOCKED] = { "33", "⚠ " },      [NOTE_STOPPED] = { "33", "⚠ " },
		[NOTE_TOOL_STOPPED] = { "33", "⚠ " },
	};

	end_answer(c);
	chat_printf(c, looks[said->number].sgr, "%s%s", looks[said->number].mark, said->text);
}

static void show_waiting(struct chat *c, struct said *said)
{
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
	screen_prompt(c->screen, chat_prompt(c->mode));
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

/* Output of a command, wrapped between words; continued lines keep the indent. */
static void print_wrapped(struct chat *c, struct str text)
{
	AUTO(rich_done) struct rich clean = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	size_t columns = screen_columns(c->screen);

	for (struct str rest = text, line; str_split(&rest, '\n', &line);) {
		size_t indent = 0;

		rich_clear(&clean);
		clean_add_line(&clean.text, line);
		while (indent < clean.text.n && clean.text.p[indent] == ' ')
			indent++;
		indent = indent < columns / 2 ? indent : 0;
		struct rich_lines l = rich_lines(&clean, indent, clean.text.n, 0);
		do {
			bool more = rich_next(&l, columns - indent);

			buf_addf(&out, "%*s%.*s\n", more ? (int)indent : 0, "",
				 more ? (int)l.line.n : 0, more ? l.line.p : "");
		} while (l.at < l.to);
	}
	screen_print(c->screen, buf_str(&out));
}

static void show_recent(struct chat *c, struct said *said)
{
	end_answer(c);
	chat_show_recent(c, str_from(said->text));
}

static void show_print(struct chat *c, struct said *said)
{
	end_answer(c);
	if (said->number)
		chat_print_markdown(c, str_from(said->text));
	else
		print_wrapped(c, str_from(said->text));
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

	end_answer(c);
	c->busy = false;
	if (end == END_FAILED || end == END_FATAL) {
		struct str text = str_from(said->text);
		ptrdiff_t first = str_chr(text, '\n', 0);
		struct str rest = first < 0 ? STR("") : str_sub(text, (size_t)first + 1, text.n);

		/* The first lines say it; what follows can be a whole request. */
		chat_printf(c, "31", "✕ %.*s", (int)(text.n - rest.n - (rest.n > 0)), text.p);
		show_output(c, "31", rest);
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
	end_answer(c);
	c->busy = false;
}

static void show_ended(struct chat *c, struct said *said)
{
	end_answer(c);
	c->over = true;
	c->exit_status = (int)said->number;
	screen_live(c->screen, STR(""), true);
	if (said->more && *said->more)
		chat_print(c, "31", str_from(said->more));
	chat_print(c, "1", STR("Agent powering down. Goodbye!"));
	if (said->text)
		chat_print(c, "2", str_from(said->text));
}

static void show_confirm(struct chat *c, struct said *said)
{
	(void)said;
	end_answer(c);
}

void chat_show(struct chat *c, struct said *said)
{
	static void (*const show[])(struct chat * c, struct said * said) = {
		[SAID_TEXT] = show_text,
		[SAID_TURN] = show_turn,
		[SAID_TOOL_USE] = show_tool_use,
		[SAID_TOOL_RESULT] = show_tool_result,
		[SAID_AGENT_TOOL] = show_agent_tool,
		[SAID_NOTE] = show_note,
		[SAID_WAITING] = show_waiting,
		[SAID_CONFIRM] = show_confirm,
		[SAID_STATE] = show_state,
		[SAID_MODE] = show_mode,
		[SAID_MUTED] = show_muted,
		[SAID_COMMANDS] = show_commands,
		[SAID_RESOURCES] = show_resources,
		[SAID_HOOKS] = show_hooks,
		[SAID_RECENT] = show_recent,
		[SAID_PRINT] = show_print,
		[SAID_DONE] = show_done,
		[SAID_COMMAND_DONE] = show_command_done,
		[SAID_ENDED] = show_ended,
	};

	show[said->what](c, said);
	if (said->what == SAID_CONFIRM)
		chat_ask(c, said);
	else
		said_free(&said->m);
}
