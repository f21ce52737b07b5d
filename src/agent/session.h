/*
 * A session: one conversation, its hooks, its model, its tools.  It belongs to the thread that made
 * it; what it is doing is ended with the halt that was given to it, from any thread.
 *
 *	session_new() ─► session_start() ─► session_prompt()... ─► session_end() ─► session_free()
 */
#pragma once

#include "agent/context/context.h"
#include "agent/halt.h"
#include "agent/hook_hosts.h"
#include "agent/sink.h"
#include "agent/stats.h"
#include "agent/transcript/transcript.h"
#include "mcp/mcp.h"
#include "model/provider.h"
#include "policy/policy.h"
#include "telemetry/telemetry.h"
#include "tools/tool.h"
#include "trotline.h"

struct session;

/* Everything borrowed until session_free(), except what is marked. */
struct session_options {
	struct tl_hooks *hooks;
	/* Replace `hooks` once no hook is muted any longer; NULL = nothing is muted. */
	struct tl_hooks *unmuted;
	int64_t unmute_at_us;
	struct hook_hosts *hosts; /* runs those that are no processes; NULL = they do not run */
	const struct json *settings; /* merged */
	struct provider *take_provider; /* becomes the session's, also when session_new() fails */
	const char *model;
	const char *home, *cwd, *project;
	const char *const *env;
	const char *const *tool_env; /* that commands get; NULL = the same */
	const char *session_id; /* NULL = a new one */
	bool unrecorded; /* for questions of hooks alone: no transcript */
	const char *resume_path; /* a recording to continue, NULL = none */
	struct policy *policy; /* made by the owner, who knows the flags */
	struct mcp_servers *mcp; /* the owner's; NULL = none */
	const struct skills *skills; /* NULL = none */
	const struct agents *agents; /* that the model may start; NULL = none */
	const char *const *extension_files; /* context files of extensions, or NULL */
	enum approval_mode mode;
	/*
	 * A tool asks for another mode: the owner makes its policy and calls session_set_mode().
	 * NULL = the mode stays.
	 */
	int (*change_mode)(void *data, struct session *s, const char *mode, struct err *err);
	void *change_data;
	const char *const *roots; /* further workspace directories, NULL-terminated; or NULL */
	const struct sandbox_rules *sandbox; /* of what the model runs; NULL = none */
	struct telemetry *telemetry;
	struct agent_sink sink;
	const struct halt *halt;
	bool interactive, trusted;
	bool debug; /* what is odd about answers of hooks is said each time */
	const char *setup; /* "init", "maintenance": Setup fires first; NULL = it does not */
	/* Keeps the record of a firing (C7.5); NULL = not kept. */
	void (*record)(void *data, const struct tl_outcome *o);
	void *record_data;
	/*
	 * The command that fires an event in a process of its own, NULL-terminated ("trotline",
	 * "hooks", "reap", "--json", "--payload=-"...; the program is /proc/self/exe): for the
	 * events in the background (C2.3, C2.6).  NULL = they are fired here and waited for.
	 */
	const char *const *reaper;
};

/* How a prompt ended, a request to the model, or the calls of an answer. */
enum end {
	END_DONE,
	END_BLOCKED, /* a hook refused it */
	END_STOPPED, /* a hook stopped the agent */
	END_CANCELLED,
	END_LIMIT, /* model.maxSessionTurns: exit 53 */
	END_LOOP, /* the model repeated itself: a warning was shown */
	END_BROKEN, /* four invalid answers: the error was shown, exit 0 */
	END_FAILED, /* err says why */
	END_FATAL, /* a tool failed fatally: no space left; err says it */
};

struct session *session_new(const struct session_options *o, struct err *err) MUST_CHECK;
void session_free(struct session *s);
/* (waits) Fires SessionStart (startup, resume, clear) and keeps its context for the first prompt.
 */
void session_start(struct session *s, const char *source);
/*
 * (waits) One prompt of the user to one final answer.  @path references are resolved here.  Empty
 * prompt: the context of SessionStart alone is the prompt; session_has_context() tells
 * whether there is any.
 */
enum end session_prompt(struct session *s, struct str prompt, struct err *err);
/*
 * (waits) A shell command that the user typed: hooks and policy see it as run_shell_command, but
 * there are no questions.  for_model: what it says goes to the model with the next prompt.
 */
enum end session_shell(struct session *s, struct str command, bool for_model, struct err *err);
bool session_has_context(const struct session *s);
/* The whole sentence behind END_FAILED and END_BROKEN, which err may have cut; else "". */
const char *session_error(const struct session *s);
/* (waits) Fires SessionEnd, once, whatever the number of calls; waits at most 1.5 s (C2.3). */
void session_end(struct session *s, const char *reason);
/* (waits) /clear: SessionEnd(clear), a new id, transcript and conversation, SessionStart(clear). */
void session_clear(struct session *s);
/* (waits) /compress: PreCompress(manual) and a summary; the line for the user goes to the sink as
 * NOTE_INFO. */
void session_compress_now(struct session *s);

/* (waits) /resume: SessionEnd(other), the recording's conversation, SessionStart(resume). */
int session_resume(struct session *s, const char *path, struct err *err);
/*
 * (waits) Until fd can be read, false; or true when something has come for a session that has
 * nothing to do: a watched file has changed, or a background hook wants it to go on.
 */
bool session_wait(struct session *s, int fd);
/* (waits) Does it: true when there was a turn, and *ret_end says how it ended. */
bool session_wake(struct session *s, enum end *ret_end, struct err *err);
/* The idle moment of the jpfork dialect (Stop): its hooks are started and not waited for. */
void session_idle(struct session *s);
/* For what comes: another model (a name or an alias), another mode with the policy that was made
 * for it. */
void session_set_model(struct session *s, const char *model);
/* (waits) The same by the user's word: PreModelSwitch may keep the model, -E_UNTRUSTED and why. */
int session_switch_model(struct session *s, const char *model, struct err *err);
/*
 * (waits) A directory more: all of them from now on, borrowed, and the new one for DirectoryAdded.
 */
void session_set_roots(struct session *s, const char *const *roots, const char *added);
void session_set_mode(struct session *s, enum approval_mode mode, struct policy *policy);
/* Other hooks from now on, and what fires those that outlive us; both are borrowed. */
void session_set_hooks(struct session *s, struct tl_hooks *hooks, const char *const *reaper);
/* The hooks with nothing muted, in force from at_us (clock_us) on; NULL = nothing is muted. */
void session_set_unmuted(struct session *s, struct tl_hooks *unmuted, int64_t at_us);
/* (waits) The configuration is about to be read anew: -E_UNTRUSTED when a hook of ConfigChange has
 * refused a change of it. */
int session_may_reload(struct session *s, struct err *err);
/* Other skills from now on (borrowed, NULL = none); what the model is told changes, too. */
void session_set_skills(struct session *s, const struct skills *skills);
/* Context files were changed: what the model is told is put together anew. */
void session_reload_context(struct session *s);
/* (waits) What transcript_recent() gives, as MessageDisplay's hooks leave it. */
const struct json *session_display_again(struct session *s, const struct json *recent,
					 struct arena *a);
/* The conversation as contents, in the arena; and its size in tokens as last reported, 0 = unknown.
 */
const struct json *session_conversation(const struct session *s, struct arena *a);
int64_t session_tokens(const struct session *s);
/* The texts of context files that the model is told (/memory show). */
struct str session_memory(struct session *s, struct arena *a);
/* The tools that the model is told of: {name, description} (/tools). */
const struct json *session_tools(struct session *s, struct arena *a);
/* Built-in or of an MCP server, by any of its names; NULL when there is none. */
const struct tool *session_tool(const struct session *s, struct str name);

/* What the user presses to end the next prompt; owners that go on after a cancelled one give a new
 * one. */
void session_set_halt(struct session *s, const struct halt *halt);

const char *session_id(const struct session *s);
const char *session_transcript(const struct session *s); /* its path, "" for none */
const char *session_model(const struct session *s);
struct stats *session_stats(struct session *s);
