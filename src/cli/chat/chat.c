/* The terminal's thread of an interactive session: the only loop, the only writer. */
#include "cli/chat/chat.h"

#include <poll.h>
#include <stdio.h>

#include "base/vec.h"
#include "cli/interrupt.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/thread.h"
#include "ui/clean.h"

enum {
	TICK_MS = 100, /* of the status line */
	AGAIN_US = 2000000, /* for the second Ctrl+C */
};

static void set_shell_mode(struct chat *c, bool on)
{
	c->shell_mode = on;
	screen_prompt(c->screen, on ? "! " : chat_prompt(c->mode));
	chat_print(c, "2",
		   on ? STR("Lines are commands of the shell now; ! alone or Esc ends that.")
		      : STR("Lines are prompts again."));
}

static void submit(struct chat *c, struct str text)
{
	struct str line = str_trim(text);
	size_t marks = 0;

	/* "!command" is run and the model told of it; of "!!command" it is not; "!" alone switches. */
	while (marks < 2 && marks < line.n && line.p[marks] == '!')
		marks++;
	if (marks || (c->shell_mode && !str_starts(line, STR("/")))) {
		line = str_trim(str_sub(line, marks, line.n));
		if (!line.n)
			set_shell_mode(c, !c->shell_mode);
		else
			chat_order(c, marks == 2 ? ORDER_SHELL_ALONE : ORDER_SHELL, NULL, line);
	} else if (!slash_run(c, text)) {
		chat_order(c, ORDER_PROMPT, NULL, text);
	}
}

/* ---- what the user does ---- */

/* The modes that Shift+Tab goes through. */
static void chat_next_mode(struct chat *c, const char *mode)
{
	static const char *const next[] = { [MODE_DEFAULT] = "auto_edit",
					    [MODE_AUTO_EDIT] = "plan",
					    [MODE_PLAN] = "default",
					    [MODE_YOLO] = "default" };
	static const struct slash change = { .on_session = slash_mode };

	if (c->ending)
		return;
	if (c->busy) {
		chat_print(c, "2",
			   STR("The mode can be changed once the agent is done; Esc cancels it."));
		return;
	}
	if (mode && c->mode == MODE_YOLO)
		mode = "default";
	if (!mode)
		mode = next[c->mode];
	if (c->mode == MODE_DEFAULT && strcmp(mode, "auto_edit") == 0 && !c->run->trusted) {
		chat_print(c, NULL,
			   STR("auto_edit needs a trusted folder; /trust shows what this one would "
			       "switch on, and trusts it."));
		mode = "plan";
	}
	chat_order(c, ORDER_COMMAND, &change, str_from(mode));
}

static void on_line(void *data, struct str text)
{
	struct chat *c = data;

	c->asked_to_quit_us = 0;
	if (c->ending)
		return;
	/* Leaving is possible at any time. */
	if (!c->busy || str_eqz(str_trim(text), "/quit") || str_eqz(str_trim(text), "/exit")) {
		submit(c, text);
		return;
	}
	*VEC_ADD(&c->ahead) = xstrndup(text.p, text.n);
	chat_print(c, "2", STR("  (when the agent is done)"));
}

static void cancel(struct chat *c)
{
	if (c->asking)
		chat_answer(c, CONFIRM_NO, NULL);
	if (!c->busy || halt_fired(&c->halt))
		return;
	halt_fire(&c->halt);
	chat_give_back(c);
}

static void on_escape(void *data)
{
	struct chat *c = data;

	if (c->shell_mode && !c->busy)
		set_shell_mode(c, false);
	else
		cancel(c);
}

static void ask_to_quit(struct chat *c, const char *key)
{
	int64_t now = clock_us();

	if (c->asked_to_quit_us && now - c->asked_to_quit_us < AGAIN_US) {
		chat_quit(c, "prompt_input_exit");
		return;
	}
	c->asked_to_quit_us = now;
	chat_printf(c, "2", "Press %s again to exit.", key);
}

static void on_interrupt(void *data, bool had_text)
{
	struct chat *c = data;

	if (c->ending)
		return;
	if (c->busy)
		cancel(c);
	else if (!had_text)
		ask_to_quit(c, "Ctrl+C");
}

static void on_eof(void *data)
{
	struct chat *c = data;

	if (!c->ending)
		ask_to_quit(c, "Ctrl+D");
}

static void on_key(void *data, const char *name)
{
	struct chat *c = data;

	if (strcmp(name, "shift-tab") == 0)
		chat_next_mode(c, NULL);
	else if (strcmp(name, "ctrl-y") == 0)
		chat_next_mode(c, "yolo");
	else if (strcmp(name, "ctrl-o") == 0)
		chat_unfold(c);
}

static void on_complete(void *data, struct str line, size_t cursor, struct buf *out)
{
	slash_complete(data, str_sub(line, 0, cursor), out);
}

/* ---- the loop ---- */

/* The timeout that also ends at `at`; 0 = no such time. */
static int sooner(int64_t at, int64_t now, int ms)
{
	int64_t left = at > now ? (at - now) / 1000 + 1 : 0;

	if (!at || (ms >= 0 && ms < left))
		return ms;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

static void loop(struct chat *c)
{
	while (!c->over) {
		struct pollfd fds[] = {
			{ .fd = screen_fd(c->screen), .events = POLLIN },
			{ .fd = screen_signal_fd(c->screen), .events = POLLIN },
			{ .fd = queue_fd(c->worker.said), .events = POLLIN },
			{ .fd = c->ending ? -1 : cancel_fd(c->leave.work), .events = POLLIN },
		};
		int ms = screen_timeout_ms(c->screen);
		int64_t now = clock_us();
		struct message *m;

		if ((c->busy || c->waiting) && (ms < 0 || ms > TICK_MS))
			ms = TICK_MS;
		(void)fd_poll(fds, ARRAY_LEN(fds),
			      sooner(c->unmute_at_us, now, sooner(c->idle_at_us, now, ms)));
		if (halt_fired(&c->leave))
			chat_quit(c, "other");
		if (screen_input(c->screen) < 0)
			chat_quit(c, "other");
		while ((m = queue_pop(c->worker.said)))
			chat_show(c, (struct said *)m);
		if (c->idle_at_us && clock_us() >= c->idle_at_us && !c->ending)
			chat_order(c, ORDER_IDLE, NULL, STR(""));
		if (c->unmute_at_us && clock_us() >= c->unmute_at_us && !c->busy && !c->ending) {
			static const struct slash change = { .on_session = slash_unmute };

			c->unmute_at_us = 0;
			chat_order(c, ORDER_COMMAND, &change, STR(""));
		}
		/* What was typed while the session was busy comes when it is not. */
		if (!c->busy && !c->ending && c->ahead.n) {
			AUTO(free) char *text = c->ahead.p[0];

			memmove(c->ahead.p, c->ahead.p + 1, --c->ahead.n * sizeof *c->ahead.p);
			if (c->first_unseen)
				chat_printf(c, "1", "> %s", text);
			c->first_unseen = false;
			submit(c, str_from(text));
		}
		chat_draw(c, false);
	}
}

/* ---- beginning and end ---- */

static void greet(struct chat *c)
{
	AUTO(arena_done) struct arena a = { 0 };
	chat_printf(c, "1", "trotline %s", tl_version());
	chat_printf(c, "2", "%s, %.*s; /help lists the commands.",
		    short_path(c->hooks, c->run->project, &a),
		    STR_ARG(hooks_summary(&a, c->hooks)));
}

static void chat_done(struct chat *c)
{
	tl_hooks_unref(c->hooks);
	screen_free(c->screen);
	markdown_free(c->markdown);
	bell_stop(c->worker.bell);
	queue_free(c->worker.orders, order_free);
	queue_free(c->worker.said, said_free);
	queue_free(c->worker.answers, confirm_free);
	if (c->question)
		said_free(&c->question->m);
	dialog_done(&c->dialog);
	chat_tools_done(c);
	for (size_t i = 0; i < c->ahead.n; i++)
		free(c->ahead.p[i]);
	free(c->ahead.p);
	free(c->waiting);
	free(c->model);
	free(c->session_id);
	free(c->commands);
	free(c->resources);
	halt_done(&c->halt);
}

DEFINE_AUTO(struct chat, chat_done)

static struct screen *open_screen(struct chat *c, struct err *err)
{
	AUTO(free) char *dir = fs_join(c->run->home, ".trotline");
	const char *history = arena_printf(&c->run->arena, "%s/history", dir).p;
	struct screen_options o = {
		.prompt = chat_prompt(c->mode),
		.placeholder = "  Type your message or @path/to/file",
		.history_path = history,
		.handler = { .data = c,
			     .line = on_line,
			     .escape = on_escape,
			     .interrupt = on_interrupt,
			     .eof = on_eof,
			     .key = on_key,
			     .complete = on_complete },
	};

	(void)fs_mkdirs(dir, 0700,
			NULL); /* without it inputs are not remembered, and nothing else */
	return screen_new(&o, err);
}

int chat_run(struct run *r, const char *first_prompt)
{
	static struct halt leave; /* for the signal handler, until the program has ended */
	AUTO(chat_done) struct chat c = { .run = r };
	struct thread *thread;
	struct err err;

	c.worker = (struct worker){ .run = r,
				    .orders = queue_new(),
				    .said = queue_new(),
				    .answers = queue_new(),
				    .source = r->resume_path ? "resume" : "startup" };
	if (!halt_init(&leave) || !halt_init(&c.halt) || !c.worker.orders || !c.worker.said ||
	    !c.worker.answers)
		return run_fail(r, EXIT_USAGE, "Error", "No file descriptor is left.");
	c.leave = leave;
	c.hooks = tl_hooks_ref(r->hooks);
	c.mode = r->mode;
	c.worker.halt = &c.halt;
	c.worker.bell = bell_new(&r->arena, c.worker.orders);
	r->on_servers = bell_ring;
	r->on_servers_data = c.worker.bell;
	interrupt_halt(&leave);
	c.screen = open_screen(&c, &err);
	if (!c.screen)
		return run_fail(r, EXIT_USAGE, "Error", "%s", err.text);
	c.markdown = markdown_new(&(struct markdown_style){ .columns = screen_columns(c.screen),
							    .color = screen_color(c.screen) });
	c.status = (struct status){ .model = r->model, .since_us = clock_us() };
	greet(&c);
	c.busy = true; /* SessionStart */
	thread = thread_start(worker_run, &c.worker);
	if (!thread)
		return run_fail(r, EXIT_USAGE, "Error", "No thread can be made.");
	if (first_prompt) {
		/* Behind what there was before. */
		c.first_unseen = r->resume_path != NULL;
		if (!c.first_unseen)
			chat_printf(&c, "1", "> %s", first_prompt);
		*VEC_ADD(&c.ahead) = xstrdup(first_prompt);
	}
	loop(&c);
	thread_join(thread);
	r->session = c.worker.session;
	return c.exit_status;
}
