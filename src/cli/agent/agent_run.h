/*
 * One run of the headless agent, and its steps.  Each step returns EXIT_OK, or the exit status of
 * the run after it has said why; what a step makes is freed at the end of the run.
 */
#pragma once

#include "agent/hook_hosts.h"
#include "agent/session.h"
#include "cli/agent/agent_options.h"
#include "cli/agent/agent_output.h"
#include "cli/cli.h"

struct run {
	const struct agent_options *args;
	struct arena arena; /* what lives as long as the run */
	struct output out;
	struct progress *progress;
	const struct halt *halt;

	const char *const *env; /* ours */
	/* With what settings set: of MCP servers, and of the tools, where a project has its say. */
	const char *const *server_env, *const *tool_env;
	struct words dotenv; /* "NAME=value" of .env files: for ourselves only */
	const char *cwd, *home, *project;
	int cwd_errno; /* why there is no cwd */
	struct tl_hooks *hooks;
	struct hook_hosts *hosts; /* who runs those of them that are no processes */
	struct words muted; /* names of hooks that the user does not want to hear for a while */
	struct tl_hooks *unmuted; /* the hooks without that; NULL = nothing is muted */
	int64_t unmute_at_us;
	const struct extensions *extensions; /* never NULL after setup_configuration() */
	const struct skills *skills; /* the same */
	const struct agents *agents; /* that the model may start; NULL = none */
	const struct prompt_commands *commands; /* after run_read_commands() */
	struct arena commands_arena;
	_Atomic bool trusted; /* /trust changes it while the terminal looks */
	bool unrecorded; /* see struct session_options */
	bool interactive; /* a person sits at a terminal */
	/* Names that custom commands cannot take. */
	bool (*is_taken)(void *data, struct str name);
	const struct json *settings; /* merged */
	enum approval_mode mode;
	struct words roots; /* directories in which tools may work */
	const struct sandbox_rules *sandbox; /* of what the model runs; NULL = none */

	const char *model, *auth; /* auth: "gemini-api-key", "openai", NULL for replayed answers */
	const char *auth_type; /* how one would be signed in, here or not; NULL = not at all */
	struct provider *provider; /* becomes the session's */

	const char *id; /* of the session */
	const char *resume_path; /* NULL = a new one */

	struct policy *policy;
	struct mcp_servers *mcp; /* NULL = none is configured */
	void (*on_servers)(void *data); /* see struct mcp_options; set before the session is */
	void *on_servers_data;
	struct telemetry *telemetry;
	struct agent_sink sink; /* the session's */
	struct session *session;
	struct buf input; /* stdin */
};

/* cmd_agent.c: both borrowed; every run that has begun ends with run_done(). */
void run_begin(struct run *r, const struct agent_options *args, const struct halt *halt,
	       const struct output_options *output);
void run_done(struct run *r);

/* hook_model.c: see struct wb. */
struct session *hook_model_open(struct wb *wb, struct err *err);
void hook_model_close(struct wb *wb);

/* (waits) The headless agent, top to bottom; returns the exit status. */
int cmd_agent(const struct agent_options *args);

static inline struct dirs run_dirs(const struct run *r)
{
	return (struct dirs){
		.cwd = r->cwd, .project = r->project, .home = r->home, .env = r->env
	};
}
/* run.c: the value in the environment, else in .env files; NULL when it is not set or empty. */
const char *run_env(const struct run *r, const char *name);
bool run_env_is_true(const struct run *r, const char *name);
/* Ends the output, in its form, with the reason of a failure; returns `status`. */
int run_finish(struct run *r, int status, const struct run_end *end);
int run_fail(struct run *r, int status, const char *type, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* "default", "auto_edit", "yolo", "plan" and back. */

/* agent_session.c: the session with this sink; the policy of a mode; another mode from now on. */
struct session *run_make_session(struct run *r, struct agent_sink sink, const struct halt *halt,
				 struct err *err);
struct policy *run_policy(struct run *r, enum approval_mode mode, struct err *err);
/* The hooks as the files have them now, from now on. */
int run_reload_hooks(struct run *r, struct session *s, struct tl_err *err);
/* Those that were read with the muted ones: no file is looked at. */
void run_unmute_hooks(struct run *r, struct session *s);
int run_set_mode(struct run *r, struct session *s, enum approval_mode mode, struct err *err);

/* agent_extensions.c: run->extensions as they are now; what -e says, as one word or NULL. */
void run_read_extensions(struct run *r);
const char *run_extension_words(struct run *r);
int list_extensions(struct run *r);

/* agent_telemetry.c */
void run_tell_configuration(struct run *r);
/* A slash command was done, on the session's thread. */
void run_tell_slash(struct run *r, struct str command, struct str subcommand, bool ok);

/* agent_setup.c: hooks, trust and settings; then what follows from the settings. */
int setup_configuration(struct run *r);
/* The skills and sub-agents that there are, by the settings. */
int setup_skills(struct run *r);
/* Where they, and custom commands, are looked for. */
struct catalog_options run_catalog(const struct run *r, const struct note_sink *notes);
int setup_mode(struct run *r);
/* The hooks as the files have them now, without those of these names (NULL = none). */
int setup_load_hooks(struct run *r, const struct words *muted, struct tl_hooks **ret_hooks,
		     struct tl_err *err);
void setup_roots(struct run *r);
/* A directory more that tools may work in, as it is called now; NULL with err->code 0 when it was
 * one already, else with an error. */
const char *run_add_root(struct run *r, const char *dir, struct err *err);
int setup_sandbox(struct run *r); /* agent_sandbox.c; after setup_roots() */
/* agent_model.c: which model, whose, and with what key. */
int setup_model(struct run *r);
/* cmd_sessions.c: a new session or an old one; the flags that only list or delete. */
int setup_session(struct run *r);
int list_sessions(struct run *r);
/* "5 minutes ago", "Just now" */
enum { AGE_SIZE = 40 };
void session_age(int64_t then_ms, char out[AGE_SIZE]);
int delete_session(struct run *r, const char *which);

/* agent_prompt.c: (waits) text piped in; the prompt made of it. */
int prompt_read_stdin(struct run *r);
struct str prompt_make(struct run *r);
/* Is it the name of one of Gemini CLI's commands that we do not have? */
bool prompt_names_command(struct str name);
/* Is it a slash command that only an interactive session knows? */
bool prompt_is_command(const struct run *r, struct str prompt, struct str *ret_command);
/* Custom commands, skills and prompts of MCP servers as they are now, into run->commands. */
void run_read_commands(struct run *r, const struct note_sink *notes);
/* (waits) The prompt goes to the session; when it is such a command, what that becomes. */
enum end prompt_send(struct run *r, struct str prompt, struct err *err);
