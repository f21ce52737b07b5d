/* The session's thread: orders in, what there is to show out. */
#include <stdarg.h>

#include "agent/transcript/transcript.h"
#include "base/json_pack.h"
#include "cli/chat/chat.h"
#include "os/clock.h"
#include "tools/tool.h"

/* ---- the sink ---- */

static const struct str none;

static void on_text(void *data, struct str piece)
{
	worker_say(data, SAID_TEXT, 0, piece, none);
}

static void on_user(void *data, struct str prompt)
{
	(void)data;
	(void)prompt;
}

static void on_turn(void *data)
{
	worker_say(data, SAID_TURN, 0, none, none);
}

/* The line that counts down to the next attempt goes; what was shown stays, and is no answer. */
static void on_verdict(void *data, enum verdict_on_answer verdict)
{
	if (verdict == ANSWER_BROKE_OFF)
		worker_say(data, SAID_NOTE, NOTE_INFO,
			   STR("This answer broke off and is asked for again."), none);
}

/* One line about a call: what the tool says of it, or its arguments. */
static struct str about_call(struct arena *a, const struct tool *tool, const struct json *args)
{
	struct tool_call call = { .arena = a, .args = args };

	if (!args)
		return none;
	return tool && tool->describe ? tool->describe(&call) : json_text(a, args, JSON_COMPACT);
}

static void on_tool_use(void *data, const char *name, const char *id, const struct json *args)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct worker *w = data;
	const struct tool *tool = session_tool(w->session, str_from(name));

	worker_say_call(w, SAID_TOOL_USE,
			&(struct said_call){ .id = id,
					     .name = str_from(tool ? tool->display_name : name),
					     .text = about_call(&a, tool, args) });
}

static void on_output(void *data, const char *id, struct str piece)
{
	worker_say_call(data, SAID_OUTPUT, &(struct said_call){ .id = id, .name = piece });
}

static void on_retry(void *data, int attempt, int wait_ms, const char *why)
{
	AUTO(free) char *text = xasprintf("attempt %d failed: %s", attempt, why);

	worker_say(data, SAID_RETRY, clock_us() + (int64_t)wait_ms * 1000, str_from(text), none);
}

static void on_tool_result(void *data, const struct tool_report *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct worker *w = data;
	const struct tool *tool = session_tool(w->session, str_from(r->name)),
			  *ran = r->ran ? session_tool(w->session, str_from(r->ran)) : tool;
	struct str name = str_from(tool ? tool->display_name : r->name);
	int64_t status = json_int(json_getz(r->ended, "exit_code"), 0);
	int64_t sig = json_int(json_getz(r->ended, "signal"), 0);
	struct str end = STR(""); /* of a command that ended well, and of no command */

	if (status)
		end = arena_printf(&a, " (exit status %d)", (int)status);
	else if (sig)
		end = arena_printf(&a, " (signal %d)", (int)sig);
	if (r->ran)
		name = arena_printf(&a, "%s in place of %.*s", ran ? ran->display_name : r->ran,
				    STR_ARG(name));
	name = arena_printf(&a, "%.*s%.*s", STR_ARG(name), STR_ARG(end));
	worker_say_call(w, SAID_TOOL_RESULT,
			&(struct said_call){
				.id = r->id,
				.name = name,
				.text = r->ok ? r->output : r->error,
				.about = about_call(&a, ran, r->args),
				.details = r->ok && r->display
						   ? json_text(&a, r->display, JSON_COMPACT)
						   : none,
				.ok = r->ok && !end.n,
			});
}

static void on_agent_tool(void *data, const char *agent, const struct tool_report *r,
			  struct str about)
{
	struct worker *w = data;
	const struct tool *tool = session_tool(w->session, str_from(r->name));

	AUTO(free) char *head = xasprintf("%s: %s", agent, tool ? tool->display_name : r->name);
	worker_say(w, SAID_AGENT_TOOL, r->ok, str_from(head), r->ok ? about : r->error);
}

static void on_note(void *data, enum note_kind kind, struct str text)
{
	worker_say(data, SAID_NOTE, kind, text, none);
}

static void on_waiting(void *data, const char *what)
{
	worker_say(data, SAID_WAITING, 0, what ? str_from(what) : none, none);
}

static void on_terminal(void *data, struct str sequences)
{
	worker_say(data, SAID_TERMINAL, 0, sequences, none);
}

static void on_progress(void *data, const char *what)
{
	worker_say(data, SAID_WAITING, 1, str_from(what), none);
}

static void on_mode(void *data, int mode)
{
	worker_say(data, SAID_MODE, mode, none, none);
}

/* A cancelled turn brings no answer: that is a no. */
static enum confirm_answer on_confirm(void *data, struct confirmation *c)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct worker *w = data;
	struct message *m;
	enum confirm_answer answer = CONFIRM_NO;
	struct str why = str_from(c->hook_message);
	const struct json *details;

	if (c->agent)
		why = arena_printf(&a, "The agent %s asks.%s%s", c->agent,
				   *c->hook_message ? "\n" : "", c->hook_message);
	details = c->always.n ? json_set(&a, c->details, STR("always"), json_new_str(&a, c->always))
			      : json_without(&a, c->details, STR("always"));
	worker_say(w, SAID_CONFIRM, c->can_always, json_text(&a, details, JSON_COMPACT), why);
	m = queue_wait(w->answers, w->halt->work);
	if (m) {
		answer = ((struct confirm_message *)m)->answer;
		c->changed = ((struct confirm_message *)m)->changed;
	}
	free(m);
	/* The question was whether it may run: with the answers it has done so. */
	if (str_eqz(json_get_str(c->details, "type"), "ask_user") && c->changed) {
		free(w->answered);
		w->answered = MOVE(c->changed);
		return CONFIRM_ONCE;
	}
	return answer;
}

/* On the tool's thread, while the session waits for it. */
static int on_questions(void *data, const struct json *questions, struct arena *a,
			const struct json **ret_answers, struct cancel *cancel)
{
	struct worker *w = data;
	struct message *m;

	if (!w->answered) { /* a rule allows the tool: no question was asked yet */
		worker_say(w, SAID_CONFIRM, 0,
			   json_text(a, json_pack(a, "type:z questions:j", "ask_user", questions),
				     JSON_COMPACT),
			   none);
		m = queue_wait(w->answers, cancel);
		w->answered = m ? ((struct confirm_message *)m)->changed : NULL;
		free(m);
	}
	AUTO(free) char *text = MOVE(w->answered);

	return text && *text ? json_parse(a, arena_str(a, str_from(text)), 0, ret_answers, NULL)
			     : -E_CANCEL;
}

static int on_ask(void *data, struct question *q)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *options = json_new_arr(&a, NULL, 0);
	struct worker *w = data;
	struct message *m;
	int chosen = 0;

	for (size_t i = 0; q->options[i]; i++)
		options = json_append(&a, options, json_new_str(&a, str_from(q->options[i])));
	options = json_pack(&a, "type:z title:s body:s at:n typed:b options:j", CHAT_QUESTION,
			    q->title, q->body, q->at, q->typed, options);
	worker_say(w, SAID_CONFIRM, 0, json_text(&a, options, JSON_COMPACT), none);
	m = queue_wait(w->answers, w->halt->work);
	if (m) {
		chosen = (int)((struct confirm_message *)m)->answer;
		q->text = ((struct confirm_message *)m)->changed;
	}
	free(m);
	return chosen - 1;
}

static struct agent_sink sink_of(struct worker *w)
{
	return (struct agent_sink){
		.data = w,
		.text = on_text,
		.user = on_user,
		.turn = on_turn,
		.verdict = on_verdict,
		.tool_use = on_tool_use,
		.tool_result = on_tool_result,
		.questions = on_questions,
		.output = on_output,
		.retry = on_retry,
		.agent_tool = on_agent_tool,
		.note = on_note,
		.late = on_note,
		.confirm = on_confirm,
		.ask = on_ask,
		.waiting = on_waiting,
		.progress = on_progress,
		.terminal = on_terminal,
		.mode = on_mode,
	};
}

/* ---- orders ---- */

static void say_done(struct worker *w, enum end end, const struct err *err)
{
	const char *whole = session_error(w->session);

	worker_state(w);
	worker_say(w, SAID_DONE, end, str_from(*whole ? whole : err->text), none);
}

static void do_prompt(struct worker *w, const struct order *order)
{
	struct err err = { 0 };

	say_done(w, session_prompt(w->session, str_from(order->text), &err), &err);
}

static void do_shell(struct worker *w, const struct order *order)
{
	struct err err = { 0 };

	say_done(w,
		 session_shell(w->session, str_from(order->text), order->what == ORDER_SHELL, &err),
		 &err);
}

static void do_command(struct worker *w, const struct order *order)
{
	w->command = order->command;
	order->command->on_session(w, str_from(order->text));
	if (order->command->name)
		run_tell_slash(w->run, str_from(order->command->name),
			       slash_verb(order->command, str_from(order->text)), true);
	worker_state(w);
	worker_say(w, SAID_COMMAND_DONE, 0, none, none);
}

static void do_custom(struct worker *w, const struct order *order)
{
	struct err err = { 0 };
	enum end end;

	if (worker_prompt_command(w, str_from(order->text), &end, &err)) {
		say_done(w, end, &err);
		return;
	}
	worker_state(w);
	worker_say(w, SAID_COMMAND_DONE, 0, none, none);
}

static void do_servers(struct worker *w, const struct order *order)
{
	(void)order;
	worker_look_at_servers(w);
	slash_mcp_news(w);
}

static void do_told(struct worker *w, const struct order *order)
{
	run_tell_slash(w->run, str_from(order->command->name), none, true);
}

static void do_idle(struct worker *w, const struct order *order)
{
	(void)order;
	session_idle(w->session);
}

static void do_wake(struct worker *w, const struct order *order)
{
	struct err err = { 0 };
	enum end end;

	(void)order;
	if (session_wake(w->session, &end, &err)) {
		say_done(w, end, &err);
		return;
	}
	worker_say(w, SAID_COMMAND_DONE, 0, none, none);
}

/* SessionEnd fires on the hooks of the files: a process that outlives us reads nothing else. */
static void do_end(struct worker *w, const struct order *order)
{
	run_unmute_hooks(w->run, w->session);
	session_end(w->session, order->text);
}

static void (*const orders[])(struct worker *w, const struct order *order) = {
	[ORDER_SHELL] = do_shell,     [ORDER_SHELL_ALONE] = do_shell, [ORDER_PROMPT] = do_prompt,
	[ORDER_COMMAND] = do_command, [ORDER_CUSTOM] = do_custom,     [ORDER_SERVERS] = do_servers,
	[ORDER_TOLD] = do_told,       [ORDER_IDLE] = do_idle,         [ORDER_WAKE] = do_wake,
	[ORDER_END] = do_end,
};

void worker_run(void *worker)
{
	struct worker *w = worker;
	struct err err = { 0 };
	AUTO(buf_done) struct buf out = { 0 };

	w->session = run_make_session(w->run, sink_of(w), w->halt, &err);
	if (!w->session) {
		worker_say(w, SAID_ENDED, EXIT_INPUT, none, str_from(err.text));
		return;
	}
	worker_state(w);
	worker_read_commands(w, true);
	if (w->run->resume_path)
		worker_show_recent(w, w->run->resume_path);
	session_start(w->session, w->source);
	worker_say(w, SAID_COMMAND_DONE, 0, none, none);
	for (;;) {
		/* The terminal knows by the order that we are busy, and what Esc ends. */
		if (session_wait(w->session, queue_fd(w->orders)))
			worker_say(w, SAID_WAKE, 0, none, none);
		struct order *order = (struct order *)queue_wait(w->orders, NULL);
		bool last = order->what == ORDER_END;
		struct message *m;

		/* Stale answers belong to a question that was cancelled. */
		while ((m = queue_pop(w->answers)))
			confirm_free(m);
		if (order->halt) {
			session_set_halt(w->session, order->halt);
			w->halt = order->halt;
		}
		orders[order->what](w, order);
		order_free(&order->m);
		if (last)
			break;
	}
	stats_add_text(&out, session_stats(w->session));
	worker_say(w, SAID_ENDED, 0, buf_str(&out), none);
	free(w->servers.p);
	free(w->answered);
}
