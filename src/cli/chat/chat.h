/*
 * An interactive session.  Two threads: the session works on one (chat_worker.c), the terminal and
 * all that the user does is the other's (chat.c), and they talk through two queues of messages.
 */
#pragma once

#include "cli/agent/agent_run.h"
#include "os/queue.h"
#include "ui/dialog.h"
#include "ui/markdown.h"
#include "ui/screen.h"
#include "ui/status.h"

enum { CHAT_IDLE_US = 1000000 }; /* stable idle before the Stop of the jpfork dialect */

struct chat;
struct slash;
struct question_kind;

/* ---- from the session to the terminal ---- */

enum said_what {
	SAID_TEXT, /* text: a piece of the answer */
	SAID_TURN, /* another request goes to the model */
	SAID_TOOL_USE, /* text: the tool, more: what it is asked, id */
	SAID_OUTPUT, /* text: what it writes, id */
	SAID_TOOL_RESULT, /* text: the tool, more: its output or error, about: what it was asked,
			     details, id; number: it went well */
	SAID_RETRY, /* text: why; number: when the model is asked again, of clock_us() */
	SAID_NOTE, /* text, number: enum note_kind */
	SAID_WAITING, /* text: for what; NULL = for nothing; number: it is the same as before */
	SAID_AGENT_TOOL, /* text: "NAME: Tool", more: about it, number: it succeeded */
	SAID_CONFIRM, /* text: the details as JSON, more: a hook's message, number: may be for the
			 session */
	SAID_STATE, /* text: the model, more: the session's id, number: tokens */
	SAID_TERMINAL, /* text: sequences that hooks want written */
	SAID_MODE, /* number: enum approval_mode */
	SAID_MUTED, /* number: until when, of clock_us() */
	SAID_COMMANDS, /* text: custom commands, "NAME\tDESCRIPTION\n" each */
	SAID_RESOURCES, /* text: what MCP servers offer, "SERVER:URI\tNAME\n" each */
	SAID_HOOKS, /* hooks: the new snapshot, a reference for the terminal */
	SAID_RECENT, /* text: what there was before, of transcript_recent() */
	SAID_PRINT, /* text: lines of a command, Markdown when number is set */
	SAID_DONE, /* number: enum end, text: the error */
	SAID_COMMAND_DONE,
	SAID_WAKE, /* the session wants ORDER_WAKE */
	SAID_ENDED, /* the session is over; text: the farewell's summary */
};

struct said {
	struct message m;
	enum said_what what;
	int64_t number;
	char *text, *more; /* its own; NULL allowed */
	char *id, *about; /* of a tool's call; the same */
	char *details; /* what its result shows, as JSON: a diff, todos; the same */
	struct tl_hooks *hooks;
};
void said_free(struct message *m);

/* ---- from the terminal to the session ---- */

enum order_what {
	ORDER_PROMPT,
	ORDER_COMMAND,
	ORDER_SHELL, /* text: the user's own command; the model is told with the next prompt */
	ORDER_SHELL_ALONE, /* the same; it is not */
	ORDER_CUSTOM, /* text: a line that is a custom command, or unknown */
	ORDER_SERVERS, /* what MCP servers offer has changed; from a server's thread */
	ORDER_TOLD, /* command: was done on the terminal's thread; telemetry is told of it */
	ORDER_IDLE,
	ORDER_WAKE, /* something has come for the session that waits */
	ORDER_END
};

struct order {
	struct message m;
	enum order_what what;
	const struct slash *command;
	const struct halt *halt; /* what Esc fires while this is done; NULL = nothing */
	char *text; /* the prompt, the command's arguments, the reason of the end */
};
void order_free(struct message *m);

/* ---- the session's side (chat_worker.c) ---- */

struct worker {
	struct run *run;
	struct queue *orders, *said, *answers;
	const struct halt *halt;
	const char *source; /* of SessionStart */
	struct {
		enum mcp_state *p;
		size_t n, cap;
	} servers; /* as the user was told of them; CONNECTING at first */
	char *answered; /* the answers to the questions of ask_user, until it takes them */
	struct bell *bell;
	struct session *session;
	const struct slash *command; /* that runs */
};

/* (waits) The thread: makes the session, does what it is ordered, ends. */
void worker_run(void *worker);
void worker_say(struct worker *w, enum said_what what, int64_t number, struct str text,
		struct str more);
struct said_call {
	const char *id;
	struct str name, text, about, details;
	bool ok;
};
void worker_say_call(struct worker *w, enum said_what what, const struct said_call *call);
void worker_print(struct worker *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void worker_hooks(struct worker *w, struct tl_hooks *take_hooks);
/* What a session that is resumed had said last. */
void worker_show_recent(struct worker *w, const char *path);
/* Model, tokens and id, after something may have changed them. */
void worker_state(struct worker *w);

/* The type of a SAID_CONFIRM that is a struct question. */
#define CHAT_QUESTION "question"

/* An answer to SAID_CONFIRM. */
struct confirm_message {
	struct message m;
	enum confirm_answer answer; /* of a question: the option's number from 1, 0 = none */
	char *changed; /* of CONFIRM_CHANGED */
};
void confirm_free(struct message *m);

/* ---- slash commands (slash.c) ---- */

struct slash {
	const char *name, *aliases; /* "/clear", "new" */
	const char *args, *help;
	/* One of them: on the terminal's thread, or, when nothing else goes on, on the session's.
	 */
	void (*on_terminal)(struct chat *c, struct str args);
	void (*on_session)(struct worker *w, struct str args);
	void (*complete)(struct chat *c, struct str args, struct buf *out);
};

/* slash_prompt.c: servers ring when what they offer changes, until it is stopped. */
struct bell *bell_new(struct arena *a, struct queue *orders);
void bell_ring(void *bell);
void bell_stop(struct bell *b); /* NULL allowed */
/* Reads the custom commands and tells the terminal. */
void worker_read_commands(struct worker *w, bool with_complaints);
void worker_look_at_servers(struct worker *w);
/* (waits) May the configuration be read anew?  Says why not. */
bool worker_may_reload(struct worker *w);
/* (waits) False when there is no such command, or it only shows something, which was done. */
bool worker_prompt_command(struct worker *w, struct str line, enum end *ret_end, struct err *err);
/* Of the names that the terminal was told of. */
void slash_complete_prompts(struct chat *c, struct str typed, struct buf *out);
void slash_help_prompts(struct chat *c, struct buf *out);
/* Of @SERVER:URI. */
void slash_complete_resources(struct chat *c, struct str typed, struct buf *out);
void slash_custom(struct worker *w, struct str args);
/* Can it be completed?  Names with control characters cannot be typed. */
bool slash_can_offer(const char *name);
/* By its name or an alias; NULL = none. */
const struct slash *slash_find(struct str name);
/* Which of its verbs the arguments begin with; empty = with none. */
struct str slash_verb(const struct slash *s, struct str args);
/* For people whose words the command does not know, or who left some out; more may be NULL. */
void slash_usage(struct worker *w, struct str args, const char *more);

/* Is the line a command?  Then it is done, or ordered, or said to be unknown. */
bool slash_run(struct chat *c, struct str line);
void slash_complete(struct chat *c, struct str line, struct buf *out);
extern const struct slash slash_commands[];
extern const size_t slash_commands_n;

/* The commands themselves: slash_NAME.c. */
void slash_clear(struct worker *w, struct str args);
void slash_compress(struct worker *w, struct str args);
void slash_stats(struct worker *w, struct str args);
void slash_tools(struct worker *w, struct str args);
void slash_mcp(struct worker *w, struct str args);
/* A line for each server that has become ready, has ended or has failed since the last call. */
void slash_mcp_news(struct worker *w);
/* Its next state is worth a line. */
void slash_mcp_forget(struct worker *w, const char *name);
void slash_directory(struct worker *w, struct str args);
void slash_memory(struct worker *w, struct str args);
void slash_model(struct worker *w, struct str args);
void slash_resume(struct worker *w, struct str args);
void slash_export(struct worker *w, struct str args);
void slash_mode(struct worker *w, struct str args);
void slash_trust(struct worker *w, struct str args);
void slash_permissions(struct worker *w, struct str args);
void slash_unmute(struct worker *w, struct str args);
void slash_hooks(struct worker *w, struct str args);
/* Runs a command of this program on the session's hooks, and prints its output. */
int slash_call(struct worker *w, const char *path, const struct command *commands, size_t ncommands,
	       const char *const *words);
/* Those of the words that begin so. */
void slash_complete_words(const char *const *words, size_t n, struct str typed, struct buf *out);
void slash_skills(struct worker *w, struct str args);
void slash_skills_complete(struct chat *c, struct str args, struct buf *out);
void slash_hooks_complete(struct chat *c, struct str args, struct buf *out);
void slash_extensions(struct worker *w, struct str args);
void slash_extensions_complete(struct chat *c, struct str args, struct buf *out);
void slash_help(struct chat *c, struct str args);
void slash_about(struct chat *c, struct str args);
void slash_settings(struct chat *c, struct str args);
void slash_quit(struct chat *c, struct str args);

/* ---- the terminal's side (chat.c) ---- */

struct chat {
	struct run *run;
	struct tl_hooks *hooks; /* a reference of its own: the session may load others */
	enum approval_mode mode; /* as the session said last */
	struct screen *screen;
	struct markdown *markdown;
	struct worker worker;
	struct halt halt; /* of what the session is doing */
	struct halt leave; /* fired by signals */
	bool busy; /* the session is doing something */
	bool ending, over;
	int exit_status;
	bool answering; /* a piece of the answer has been shown */
	struct status status;
	char *waiting, *model, *session_id;
	char *commands; /* of SAID_COMMANDS */
	char *resources; /* of SAID_RESOURCES */
	int64_t unmute_at_us; /* when muted hooks are heard again; 0 = none is muted */
	int64_t idle_at_us; /* when the jpfork Stop is due; 0 = not */
	int64_t asked_to_quit_us; /* the last Ctrl+C or Ctrl+D at rest */
	struct dialog dialog;
	bool asking;
	struct said *question; /* what the dialog is about */
	const struct question_kind *question_kind;
	const struct json *question_details;
	struct arena question_arena; /* until it is answered */
	size_t asked; /* which question of ask_user */
	unsigned chosen; /* of several choices, a bit each */
	const struct json *given; /* the answers so far */
	bool shell_mode; /* lines are commands of the shell */
	struct {
		char **p;
		size_t n, cap;
	} ahead; /* typed while the session was busy */
	struct {
		struct shown_call *p; /* that run, chat_live.c */
		size_t n, cap;
	} calls;
	struct buf folded; /* what is not on the screen of the last results, rendered */
	bool unfolded; /* output is shown whole */
	char *doing; /* the todo that is in progress; NULL = none */
	char *retry; /* why the model is asked again */
	int64_t retry_at_us; /* when; 0 = it is not */
	bool first_unseen; /* the first of them comes from the command line, and is not shown yet */
};

/* (waits) The interactive session from its greeting to its farewell; the exit status. */
int chat_run(struct run *r, const char *first_prompt);
void chat_order(struct chat *c, enum order_what what, const struct slash *command, struct str text);
void chat_quit(struct chat *c, const char *reason);
/* The mark before the input. */
const char *chat_prompt(enum approval_mode mode);
/* Lines that stay; foreign text is cleaned.  `sgr` is a colour ("2", "1;31"), NULL = none. */
void chat_print(struct chat *c, const char *sgr, struct str text);
/* The rows of that: broken between words, continued ones below the text of the first. */
void chat_add_wrapped(const struct chat *c, const char *sgr, struct str text, struct buf *out);
void chat_printf(struct chat *c, const char *sgr, const char *fmt, ...) PRINTF_LIKE(3, 4);
void chat_print_markdown(struct chat *c, struct str text);

/* slash_session.c: the statistics of a session, for people. */
void stats_add_text(struct buf *out, const struct stats *stats);

/* chat_live.c: calls of tools while they run. */
struct shown_call {
	char *id, *name, *about;
	struct buf out; /* the end of what it wrote */
	size_t gone; /* lines before that */
};
struct shown_call *chat_call_find(struct chat *c, const char *id);
void chat_call_forget(struct shown_call *s);
/* "Shell  npm test", with as much of it as a line can say. */
void chat_add_head(struct buf *out, const char *name, const char *about, size_t columns);
void chat_tool_output(struct chat *c, struct said *said);
/* The calls that run, with the end of their output, and what is being done. */
void chat_tools_live(struct chat *c, struct buf *out);
/* None runs any more. */
void chat_tools_clear(struct chat *c);
void chat_tools_done(struct chat *c);

/* chat_tools.c: calls of tools begin, and what came of them. */
void chat_tool_use(struct chat *c, struct said *said);
void chat_tool_result(struct chat *c, struct said *said);
/* The first lines of what came out; what is not shown can be unfolded. */
void chat_show_output(struct chat *c, const char *sgr, struct str text, const char *title);
void chat_agent_tool(struct chat *c, struct said *said);
/* Ctrl+O: output is shown whole from now on, also what was folded last; or folded again. */
void chat_unfold(struct chat *c);

/* chat_show.c: what the session said, on the screen. */
void chat_show(struct chat *c, struct said *said);
/* chat_screen.c: the answer that was being written is whole. */
void chat_end_answer(struct chat *c);
/* The live part: the open block, the dialog, the status line. */
void chat_draw(struct chat *c, bool now);
/* What was typed ahead goes back into the input line, as it does whenever a turn is cancelled. */
void chat_give_back(struct chat *c);
/* chat_recent.c: SAID_RECENT */
void chat_show_recent(struct chat *c, struct str json);
/* chat_ask.c: the dialog of a confirmation; takes the message. */
void chat_question(struct chat *c);
void chat_ask(struct chat *c, struct said *take_question);
/* chat_questions.c: false when it is another question. */
bool chat_ask_questions(struct chat *c);
void chat_answer(struct chat *c, enum confirm_answer answer, char *take_changed);
