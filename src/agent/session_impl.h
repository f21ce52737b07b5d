/* What the files of a session share; no other file includes it. */
#pragma once

#include <pthread.h>

#include "agent/aside.h"
#include "agent/catalog/agent_defs.h"
#include "agent/catalog/skills.h"
#include "agent/hook_env.h"
#include "agent/repeat.h"
#include "agent/rows.h"
#include "agent/session.h"
#include "agent/toolbox.h"
#include "agent/trace.h"
#include "agent/watching.h"

struct contents {
	const struct json **p;
	size_t n, cap;
};

/* The model's list, as write_todos left it. */
struct todos {
	struct todo {
		char *text;
		unsigned id;
		bool done;
	} * p;
	size_t n, cap;
	unsigned last; /* number */
};

struct session {
	struct session_options o;
	struct turn *turn; /* that goes on; NULL between prompts */
	struct arena arena; /* the conversation and what lives as long */
	struct arena *memory; /* where the history is kept: this one, or a sub-agent's */
	const struct agent_def *agent; /* that the conversation belongs to; NULL = it is ours */
	const char *agent_id; /* of its call */
	struct transcript *main_transcript; /* while there is an agent: ours */
	const struct tl_hooks *looked_at; /* for hooks of the claude dialect: */
	bool speaks_claude;
	char *id, *temp_dir, *plans_dir;
	int64_t mode_since_us;
	struct contents history; /* contents, without the session context */
	const struct json *context_part; /* the <session_context> text part */
	const struct json *instructions; /* of MCP servers, a text part; NULL = none */
	struct str instruction; /* without what plan mode adds to it */
	const struct json *system; /* the system instruction, a content */
	struct context_options context;
	struct context_seen *seen;
	struct buf start_context; /* of SessionStart, wrapped, until the first prompt takes it */
	struct transcript *transcript;
	struct trace *trace; /* of what the model is sent; NULL = not wanted */
	struct tool_env tools;
	struct hook_env hook_env; /* what hooks of SessionStart put into the shell */
	struct toolbox *toolbox; /* as it is now; calls keep the one that they began with */
	struct {
		const char **p; /* NULL-terminated */
		size_t n, cap;
	} opened; /* directories of activated skills, which may be read */
	struct {
		const char **p; /* NULL-terminated */
		size_t n, cap;
	} active; /* names of these skills: their hooks run */
	struct {
		struct str *p; /* what the user's own commands said, for the next prompt */
		size_t n, cap;
	} shells;
	size_t resources; /* that MCP servers offer, without templates */
	struct stats stats;
	struct asides asides; /* events that the session does not wait for */
	struct agent_sink
		late; /* what hears of them: the session's own, also during a sub-agent's */
	const struct halt *halt;
	struct buf error; /* session_error() */
	pthread_mutex_t telling; /* of: */
	struct buf told; /* failures and odd answers of hooks that were said, a line each */
	uint64_t seq; /* of firings */
	int64_t last_call_ms; /* the time in the last id that a call was given */
	unsigned prompts; /* of the user */
	int requests; /* to the model, in this prompt */
	int64_t prompt_tokens; /* last reported size of the conversation, 0 = none */
	size_t history_bytes; /* of text in the history, for the estimate */
	bool start_stopped; /* a hook of SessionStart stopped the prompt that comes next */
	bool ended;
	bool end_lost; /* no reaper runs the hooks of the end */
	int64_t compress_failed_at; /* tokens, 0 = it did not */
	bool loops_allowed; /* model.disableLoopDetection */
	struct {
		struct loaded {
			char *path, *parent; /* parent: the file that includes it, or NULL */
		} * p;
		size_t n, cap;
	} loaded; /* context files that InstructionsLoaded has not told of */
	struct watching watching;
	struct {
		struct buf text, wrapped; /* what a hook wants the idle session to go on with */
		int left; /* how often it may, until the next prompt */
	} woken;
	struct todos todos; /* of the conversation, like its history */
	bool streaming; /* the model's answer is coming in */
	pthread_mutex_t asking; /* the provider, by tools that run at the same time */
};

/* What goes on between a prompt and its answer. */
struct turn {
	struct session *s;
	struct arena arena; /* until the prompt is over */
	char id[96]; /* turn_id of payloads */
	const char *prompt_id; /* of telemetry */
	struct str typed; /* what the user wrote: `prompt` of payloads (C2.8) */
	const struct json *added; /* what else goes to the model: `prompt_parts` */
	struct str invocation; /* the line of a custom command; .p NULL = it is none */
	const struct json *user; /* the content in the history that the context goes with */
	struct str expanded; /* of UserPromptExpansion, wrapped */
	struct str context; /* the same of BeforeAgent behind it: belongs to this turn (C4.14) */
	const struct json *said; /* the texts of this attempt: `prompt_responses` (C2.9) */
	struct str final; /* what came after its last tool result: `prompt_response` */
	bool retry; /* stop_hook_active */
	const char *refused_by; /* the hooks that last sent an answer back, or stopped an agent */
	bool stopped; /* a hook stopped the agent at a request of our own, or in a sub-agent */
	bool refused; /* the user said no to a call of a sub-agent */
	struct str last; /* what the model said last */
	struct str result; /* of complete_task; .p NULL = it was not called */
	int requests; /* to the model */
	int64_t until_us; /* when a sub-agent's time is over; 0 = never */
	struct repeat_calls repeat;
};

/* note.c: what people are told. */

void session_note(struct session *s, enum note_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Only in the transcript, as people were told already. */
void session_record_note(struct session *s, enum note_kind kind, struct str text);
void session_waiting(struct session *s, const char *what);

/* fire.c: events with the session's base fields. */

struct fire_args {
	const char *event, *subject;
	const struct tl_field *fields;
	size_t nfields;
	const char *turn_id, *call_id;
	const char *mcp_server, *mcp_tool; /* of an MCP tool; NULL = it is none */
	const char *env_file; /* of SessionStart; NULL = none */
	int failed; /* enum tl_failed */
	size_t nth; /* of several files or addresses (C2.11) */
	bool guards_only;
};

/*
 * (waits) Messages and failures of hooks were shown, and the record is kept.  NULL when it was
 * cancelled, or could not be fired at all (which was said): what it would have guarded must not
 * happen.
 */
struct tl_outcome *session_fire(struct session *s, const struct fire_args *args);
/* May a rule of Claude's permissions, or a hook in Claude's words, allow this tool? */
bool session_may_allow(const struct session *s, const struct fire_args *tool);
/* For an event that announces something: starts its hooks and goes on (C2.6). */
void session_announce(struct session *s, const struct fire_args *args);
/* (waits) What such hooks said is shown when they are done: returns how many go on. */
int session_asides_finish(struct session *s, int wait_ms);
/* (waits) SessionEnd here, when no other thread can run it. */
void session_fire_end(struct session *s, const char *reason, int wait_ms);
bool session_wants(struct session *s, const char *event, const char *subject);
/* Would a guard run, or a policy that looks for secrets?  Nothing is shown before them. */
bool session_is_guarded(struct session *s, const struct fire_args *args);
/* Would a policy look for secrets in it (C9.10)? */
bool session_seeks_secrets(struct session *s, const char *event);
/* Would a hook run whose denial counts?  Else the event can be announced. */
bool session_may_refuse(struct session *s, const struct fire_args *args);
bool session_wants_this(const struct session *s, const struct fire_args *args);
/* attach.c: context_options.withheld of a session. */
const char *session_withheld(void *data, struct arena *a, struct brought *b);
/* What is to be said between two steps: a lost transcript, hooks that are done. */
void session_check(struct session *s);
/* The hooks in force now: a mute may end within a turn. */
struct tl_hooks *session_hooks(const struct session *s);

/* outcomes.c: what goes into a firing, and what comes back. */

struct tl_field field_json(struct arena *a, const char *name, const struct json *v);
struct tl_field field_str(struct arena *a, const char *name, struct str v);
struct tl_field field_raw(const char *name, struct str json_text);
/*
 * What the hooks said of something that begins or that has come: END_DONE = nothing against it,
 * END_BLOCKED, END_STOPPED, or END_CANCELLED for NULL.  "ask" blocks: only before a tool runs can
 * the user be asked.
 */
enum end outcome_end(const struct tl_outcome *o);
/* The same, and people are told of a stop or a denial; after this, what comes of it. */
enum end hooks_said(struct session *s, const struct tl_outcome *o);
enum end hooks_said_and(struct session *s, const struct tl_outcome *o, const char *what_next);
/* For people: what the hooks that deny, ask or stop say, and which they are (C3.4). */
const char *outcome_said(struct arena *a, const struct tl_outcome *o);
/* The hooks that deny, ask or stop, with commas. */
const char *outcome_names(struct arena *a, const struct tl_outcome *o);
/* A line for people: what a hook said, and its name, which is its command when it has none. */
void outcome_add_said(struct buf *out, const struct tl_report *r);
/* Does a guard want the user to be asked? */
bool outcome_guard_asks(const struct tl_outcome *o);
/* Did a guard have its say? */
bool outcome_is_guarded(const struct tl_outcome *o);
/* The hook that made this change. */
const char *outcome_changer(struct arena *a, const struct tl_outcome *o, enum tl_change which);
/* The change as JSON; NULL when there is none. */
const struct json *outcome_change(struct arena *a, const struct tl_outcome *o,
				  enum tl_change which);

/* history.c */

/* The copy that the history keeps. */
const struct json *history_add(struct session *s, const struct json *content);
void history_clear(struct session *s);
/* {role, parts} */
const struct json *content_new(struct arena *a, const char *role, const struct json *parts);
const struct json *text_part(struct arena *a, struct str text);
/* An array of one. */
const struct json *text_parts(struct arena *a, struct str text);
/* The texts of all parts, joined. */
struct str parts_text(struct arena *a, const struct json *parts);
/* The conversation as it goes out: session context first, this turn's context, equal roles joined.
 */
const struct json *history_contents(struct turn *t, struct arena *a);
/* What hooks made of the results in such contents stays, also in the transcript (C4.6). */
void history_take_results(struct turn *t, const struct json *before, const struct json *after);

/* mode.c */

/* (waits) The mode that a tool asked for. */
int session_take_mode(struct session *s, const char *name, struct err *err);
/* The system instruction, by the mode. */
void session_set_system(struct session *s);

/* claude_transcript.c */

/* Where hooks of the claude dialect are, there is a transcript of their kind from now on. */
void session_keep_claude_log(struct session *s);

/* late.c */

/* What there is by now goes with the next prompt. */
void session_hear_late(struct session *s);
/* (waits, without a terminal) A hook in the background wants the model to go on with this. */
bool session_is_woken(struct session *s, struct arena *a, struct str *ret_text);

/* lifecycle.c */

/* (waits) InstructionsLoaded for each context file that was read since; trigger may be NULL. */
void session_tell_loaded(struct session *s, const char *reason, const char *trigger);
/* They were reported, or no report is wanted. */
void session_forget_loaded(struct session *s);

/* (waits) SessionEnd, unless it was fired. */
void session_fire_last(struct session *s, const char *reason);
/*
 * SessionStart's context, once: it goes in front of the first prompt or, at a terminal, into the
 * history before it; then it is "".
 */
struct str session_context_once(struct session *s, struct arena *a);

/*
 * session.c: a prompt of the user and all that belongs to it.  Between begin and end tools may be
 * called for the prompt itself, and whoever does so may end the turn without one.
 */
void turn_begin(struct turn *t, struct session *s);
/* Takes what the user typed, and returns what goes to the model in front of it. */
struct str turn_typed(struct turn *t, struct str prompt);
/* (waits) The parts are the prompt. */
enum end turn_prompt(struct turn *t, const struct json *parts, struct err *err);
/* (waits) The same with text of a hook that makes the model go on. */
enum end turn_go_on(struct turn *t, struct str text, struct err *err);
void turn_end(struct turn *t);

/* sub_agent.c: (waits) struct tool_env's run_agent; data is the session. */
void session_run_agent(void *data, struct tool_call *call, struct tool_result *r);

/*
 * sub_agent.c: (waits) the last text of a conversation of its own, which is neither shown nor
 * recorded; halt ends it.
 */
int session_ask_agent(struct session *s, const struct agent_def *def, struct str prompt,
		      const struct halt *halt, struct arena *a, struct str *ret_answer,
		      struct err *err);

/* turn.c: (waits) the model and its tools, until it has nothing left to call. */
enum end turn_answer(struct turn *t, struct err *err);
/* turn.c: one prompt, with the retries that AfterAgent asks for. */
enum end turn_run(struct turn *t, const struct json *parts, struct err *err);

/* ask.c: one request and its answer. */

/* Which tools the model may call, by BeforeToolSelection (C4.9). */
struct selection {
	bool none;
	const struct json *names; /* an array; NULL = all */
	const char *by; /* the hook that said so */
};

struct answer {
	const struct json *parts; /* what the model said, for the history (turn's arena) */
	const struct json *calls; /* array of parts with a functionCall */
	struct str text; /* what is visible of it */
	struct selection selection;
};

/* (waits) BeforeModel, BeforeToolSelection, the model, AfterModel for each chunk. */
enum end turn_ask(struct turn *t, struct answer *ret, struct err *err);
/*
 * (waits) A request of our own: only BeforeModel is asked, so that what a hook keeps from the model
 * stays out of summaries and searches, too.  -E_UNTRUSTED when a hook denied it, or stopped the
 * agent: then the turn is marked.  role: "utility_tool"...
 */
int session_ask_model(struct session *s, const char *role, const struct model_request *asked,
		      struct arena *a, const struct json **ret_response, struct err *err);
/* The same, ended by this cancel instead of the session's. */
int session_ask_model_for(struct session *s, const char *role, const struct model_request *asked,
			  struct cancel *cancel, struct arena *a, const struct json **ret_response,
			  struct err *err);
/* The text of a response's first candidate, without thoughts. */
struct str response_text(struct arena *a, const struct json *response);

/* offer.c: the tools that the model is told of. */

/* Made anew from what the session has. */
void session_make_toolbox(struct session *s);
/* What MCP servers offer now. */
void session_look_at_servers(struct session *s);
/* From now on tools may read in this directory. */
void session_open_dir(struct session *s, const char *dir);
/* From now on the hooks of this skill run. */
void session_activate(struct session *s, struct str skill);
/* The skills that were activated in what the history holds, and no others. */
void session_activate_again(struct session *s);
/* May the model be told of the tool? */
bool tool_offered(const struct session *s, const struct tool *t);
const struct json *tool_declarations(struct session *s, const struct selection *sel,
				     struct arena *a);
bool tool_selected(struct session *s, const struct selection *sel, struct str name);

/* watching.c */

/* What is watched, by the hooks that there are. */
void session_watch(struct session *s);
/* And by what they answered: `o` may be NULL. */
void session_watch_paths(struct session *s, const struct tl_outcome *o);
/* (waits) ConfigChange and FileChanged for what has changed since. */
void session_look_at_files(struct session *s);
void watching_done(struct watching *w);

/* todos.c */

void todos_done(struct todos *list);

/* calls.c: the tool calls of one answer. */

/* (waits) Runs them and adds their results to the history. */
enum end turn_calls(struct turn *t, const struct answer *answer, struct err *err);

/* elicitation.c: a tool's `elicit` (struct tool_env). */
int session_elicit(void *session, const struct tool_call *call, const char *server,
		   const struct elicit *e, struct arena *a, const struct json **ret_content);

/* compress.c */

/* (waits) PreCompress and a summary when the history is over its threshold (C2.7), or by force. */
void session_compress(struct session *s, struct turn *t, bool by_user);
/* The conversation so far is gone (clearContext), but for which skills are active. */
void session_forget(struct session *s, struct arena *a);
