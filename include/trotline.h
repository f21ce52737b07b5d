/*
 * libtrotline: the hook engine of trotline.
 *
 * Hooks are programs (or functions of the host) that a host runs at fixed moments and that may
 * observe, change, deny or stop what happens.  The engine loads hook configurations, plans which
 * hooks a moment concerns, runs them, judges their answers and merges them into one outcome.
 *
 *	struct tl_hooks *hooks;
 *	struct tl_outcome *o;
 *	tl_hooks_load(&(struct tl_options)TL_OPTIONS_INIT(), &hooks, &err);
 *	tl_fire(hooks, &(struct tl_event)TL_EVENT_INIT(.name = "BeforeTool",
 *	        .subject = "run_shell_command", .fields = fields, .nfields = 1), NULL, &o, &err);
 *	if (tl_outcome_verdict(o) == TL_VERDICT_DENY)
 *		refuse(tl_outcome_reason(o));
 *	tl_outcome_free(o);
 *	tl_hooks_unref(hooks);
 *
 * "Section" below means one of docs/contract.md, whose rules say what the engine does.
 *
 * Rules of the whole API
 * - Text is UTF-8 and NUL-terminated unless it comes with a length.  Times are milliseconds
 *   unless the name says otherwise.
 * - The engine prints nothing, installs no signal handler, reaps no process but its own, keeps no
 *   process-wide state and starts no thread where pidfd_open(2) exists.  Out of memory aborts the
 *   process.
 * - A struct tl_hooks is immutable: any number of threads may fire on one at once.  A job or an
 *   outcome belongs to one thread at a time.
 * - After fork() both processes may fire on a snapshot that was loaded before; what waits for its
 *   next firing stays the parent's.  Jobs and cancel objects are of one process, and
 *   no thread may be inside of the library when another one forks to go on without exec.
 * - tl_hooks_load() reads the environment where it is not given one: no other thread may change it
 *   meanwhile (setenv(3)).  Nothing else looks at it, and hooks inherit that of the load.
 * - A thread that is cancelled (pthread_cancel) ends when the call is over.
 * - What there are several of is enumerated in one way: X_count() says how many, X_get(i) fills the
 *   struct and returns 0, or -TL_E_NOTFOUND past the end; of strings it returns the i-th, "" past the
 *   end.
 * - A struct with a `size` member is filled by designated initialisers: size = sizeof the struct,
 *   members left out are zero and mean the default.  Later versions add members at the end.
 * - Pointers are never NULL unless their comment says "NULL".  Two that may always be: `err`, and
 *   `ret_outcome`, for those who want to have fired and nothing more (the outcome is freed).
 * - Functions that can fail return 0 or more on success and a negative TL_E_ code otherwise, and
 *   then fill *err (which may be NULL).
 */
#ifndef TROTLINE_H
#define TROTLINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && __GNUC__ >= 4
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

#define TL_VERSION_MAJOR 0
#define TL_VERSION_MINOR 2
#define TL_VERSION_PATCH 0

struct pollfd; /* <poll.h> */
struct tl_hooks;
struct tl_outcome;
struct tl_job;
struct tl_cancel;
struct tl_ask;

/* "0.2.0": the version of the library that is running. */
TL_API const char *tl_version(void);

/*
 * How a struct with a size begins its life: struct tl_event e = TL_EVENT_INIT(.name = "Stop");
 * the same for one that the library fills: struct tl_hook h = TL_HOOK_INIT();
 */
#define TL_INIT(type, ...)                                                                         \
	{                                                                                          \
		.size = sizeof(struct type), __VA_ARGS__                                           \
	}

/* ---- errors ---- */

enum tl_error {
	TL_E_INVAL = 1, /* a bad argument */
	TL_E_IO = 2, /* a file or directory cannot be read or written */
	TL_E_PARSE = 3, /* a settings file is not JSON; the place is in the error */
	TL_E_LIMIT = 4, /* something is larger than the engine accepts */
	TL_E_CONFIG = 5, /* a settings file is JSON but cannot be used */
	TL_E_NOTFOUND = 6, /* unknown: an index, an extension, an agent */
	TL_E_CANCEL = 7, /* the cancel object was fired */
	TL_E_SPAWN = 8, /* a process cannot be started */
	TL_E_UNTRUSTED = 9, /* project hooks exist and may not run */
	TL_E_BUSY = 10, /* another process holds the lock */
};

struct tl_err {
	int code; /* TL_E_..., 0 = none */
	char text[500]; /* for a person: "FILE:LINE:COLUMN: sentence", or the sentence alone */
	char file[1024]; /* the place on its own; "" = none, or a name that is longer */
	unsigned line, column; /* 0 = none; the first is 1, columns are bytes */
	unsigned sentence; /* text + sentence is the sentence without the place */
};

/* ---- words of the contract ---- */

/* What a hook, or all of them together, say (section 1).  Ordered: the larger is the stricter. */
enum tl_verdict {
	TL_VERDICT_NONE = 0,
	TL_VERDICT_ALLOW = 1,
	TL_VERDICT_ASK = 2,
	TL_VERDICT_DENY = 3
};

/* Where a hook was configured (section 1), in run order. */
enum tl_tier { TL_TIER_RUNTIME, TL_TIER_PROJECT, TL_TIER_USER, TL_TIER_SYSTEM, TL_TIER_EXTENSION };

/* How a run of a hook ended (section 1). */
enum tl_class {
	TL_CLASS_OK,
	TL_CLASS_BLOCKED, /* exit 2 */
	TL_CLASS_WARNED, /* another exit status, or one that the host took away */
	TL_CLASS_TIMED_OUT,
	TL_CLASS_SIGNALLED,
	TL_CLASS_NOT_STARTED,
	/* A guard that printed something else than JSON, JSON that is nested too deeply, or what is
	 * no answer of a persistent hook. */
	TL_CLASS_BAD_OUTPUT,
	TL_CLASS_TOO_BIG,
	TL_CLASS_CANCELLED,
	TL_CLASS_NOT_RUN, /* see the state */
};

/* Why a hook ran or did not. */
enum tl_state {
	TL_STATE_RAN,
	TL_STATE_WOULD_RUN, /* in tl_why(): it would run */
	TL_STATE_NO_MATCH, /* the matcher does not match */
	TL_STATE_DISABLED, /* by hooksConfig, its name or its command */
	TL_STATE_UNTRUSTED, /* an unapproved hook of a project, or an untrusted folder */
	TL_STATE_DUPLICATE, /* the same name and command ran already */
	TL_STATE_SKIPPED, /* an earlier hook had denied or stopped */
	/* its dialect's event does not happen in this firing (success or failure only), or its
	 * sub-agent does not run, its skill is not active */
	TL_STATE_NOT_HERE,
};

/* ---- configuration ---- */

/* A configuration that does not come from the usual files. */
struct tl_source {
	size_t size;
	enum tl_tier tier;
	const char *dialect; /* the name of one (tl_dialects()); NULL = gemini */
	const char *name; /* for messages; a path, or whatever says where it is from */
	const char *text; /* JSON with comments, in the shape of a settings file */
	size_t length;
	/*
	 * Whose front matter it is: its hooks run while that sub-agent runs, or once that skill is
	 * active (struct tl_event).  In an agent's a Stop is the end of the agent.  NULL = always.
	 */
	const char *agent, *skill;
	const char *extension; /* the active extension that it is from; NULL = none */
};
#define TL_SOURCE_INIT(...) TL_INIT(tl_source, __VA_ARGS__)

/* What a runtime hook is given and gives back. */
struct tl_call {
	const char *payload; /* the same JSON object that a command hook reads on stdin */
	size_t length;
	/*
	 * The answer: the same JSON object that a command hook prints.  The engine copies it when
	 * the function returns.  NULL = no opinion.
	 */
	const char *output;
	size_t output_length; /* 0 = strlen(output) */
};

/*
 * A hook that is a function of the host.  It is called on the thread that fires, runs to its end
 * and so delays the others; it must be safe to call from several threads when several fire.  Return
 * 0, or anything else to report a failure (class TL_CLASS_WARNED).
 */
struct tl_runtime_hook {
	size_t size;
	const char *event; /* "BeforeTool" ... */
	const char *name; /* required: identity for disabling, records and messages */
	const char *matcher; /* as in settings; NULL = all */
	int guard; /* when it fails, what it guards is denied */
	int observe; /* it is asked, and its answer changes nothing */
	int (*call)(struct tl_call *call, void *data);
	void *data;
};
#define TL_RUNTIME_HOOK_INIT(...) TL_INIT(tl_runtime_hook, __VA_ARGS__)

/*
 * A hook that is no process is a question to the host.  What is asked is in `request`, a
 * JSON object by the type of the hook:
 *
 *	http: {"url", "headers": {}, "private"}, a POST of the payload; private says that the
 *		address may be one that is not public
 *	mcp_tool: {"server", "tool", "input": {}}
 *	prompt, agent: {"prompt", "model"?}, with the event in the prompt
 *
 * The answer is the text that a command would have printed (of prompt and agent: the model's).
 * Everything lives until tl_ask_answer().
 */
struct tl_question {
	size_t size;
	const struct tl_hook *hook;
	const char *type;
	const char *request, *payload;
	size_t request_length, payload_length;
	const char *session_id, *cwd;
	int64_t timeout_ms; /* which the engine keeps */
	/* Fired when the time is over, or the firing cancelled: end, and answer all the same. */
	struct tl_cancel *cancel;
};

/* Who runs the hooks of a type. */
struct tl_handler {
	size_t size;
	const char *type; /* "http", "mcp_tool", "prompt", "agent" */
	/*
	 * Begins, on the thread that fires, and does not wait.  After 0 tl_ask_answer() is called
	 * exactly once: from any thread, also before this returns.  After a negative code it is
	 * not, and err->text says why the hook was not started.
	 */
	int (*start)(void *data, const struct tl_question *question, struct tl_ask *ask,
		     struct tl_err *err);
	void *data;
};
#define TL_HANDLER_INIT(...) TL_INIT(tl_handler, __VA_ARGS__)

/*
 * The answer, which is copied; the question is gone then.  failure (NULL = none) is a sentence why
 * there is none: the hook has failed (TL_CLASS_WARNED).  Any thread.  A firing waits two seconds
 * for those that it has cancelled; a later answer is dropped.
 */
TL_API void tl_ask_answer(struct tl_ask *ask, const char *output, size_t length,
			  const char *failure);

enum tl_load_flags {
	TL_LOAD_NO_FILES = 1 << 0, /* only `sources` and `runtime` */
	TL_LOAD_TRUST = 1 << 1, /* the caller vouches for the project: folder trust and fingerprints
				   are not asked */
	TL_LOAD_NO_PROJECT = 1 << 2, /* leave the hooks of the project out */
	/* With project hooks in an untrusted folder fail with TL_E_UNTRUSTED instead of leaving
	   them out. */
	TL_LOAD_REFUSE_UNTRUSTED = 1 << 3,
	/*
	 * Other code of the host reaps all children (waitpid(-1), in a thread or a handler of
	 * SIGCHLD), and so takes exit statuses away.  From Linux 6.15 on the kernel tells them all
	 * the same; elsewhere each hook is then started by a shell that reports how it ended.  A
	 * host that ignores SIGCHLD or sets SA_NOCLDWAIT need not say so.
	 */
	TL_LOAD_HOST_REAPS = 1 << 4,
	/*
	 * Only the hooks of the project run.  For a further folder of a workspace: the others run
	 * with the first.
	 */
	TL_LOAD_ONLY_PROJECT = 1 << 5,
	/*
	 * The host lives on from firing to firing: processes of hooks that say "warm" are started
	 * ahead of time, after a firing of SessionStart and after each of their own, by a thread of
	 * the snapshot's, which no signal reaches.
	 */
	TL_LOAD_WARM = 1 << 6,
	/* The host judges Gemini CLI's policy files (.gemini/policies) itself: they are left out.
	 */
	TL_LOAD_HOST_POLICIES = 1 << 7,
	/*
	 * The host fires for one call and ends: what only hooks that run need is done when they are
	 * about to.  The files behind a user's guard are looked for then, and tl_hook.unwatched
	 * does not name the guards whose files cannot be told.
	 */
	TL_LOAD_ONE_CALL = 1 << 8,
};

struct tl_options {
	size_t size;
	unsigned flags; /* enum tl_load_flags */
	const char *cwd; /* NULL = the process's */
	const char *project_dir; /* NULL = found from cwd (docs/configuration.md) */
	const char *home; /* NULL = GEMINI_CLI_HOME, HOME, or the password database */
	const char *const *env; /* environment that hooks inherit, NULL = the process's at load */
	const struct tl_source *sources;
	size_t nsources;
	const struct tl_runtime_hook *runtime;
	size_t nruntime;
	/*
	 * Names of the only extensions that are active, enabled or not, NULL-terminated; "none" =
	 * no extension.  NULL = those that are enabled.  A name that is not installed is
	 * TL_E_NOTFOUND.
	 */
	const char *const *extensions;
	/*
	 * The path and arguments, NULL-terminated, of a program that is started with the first hook
	 * and keeps the deadlines of hooks should the host be killed: `trotline --watch-hooks`.
	 * NULL = none; hooks then outlive a killed host for as long as they like.
	 */
	const char *const *watchdog;
	/*
	 * Who runs the hooks that are no processes, a row a type.  Hooks of a type that has none do
	 * not run: a diagnostic says so ("handler-not-run"), and a guard denies.
	 */
	const struct tl_handler *handlers;
	size_t nhandlers;
	/*
	 * Who fires is the hook of another agent: only trotline's own settings files are read, and
	 * of other programs' those whose dialect "sources" names, without the dialects named here
	 * (separated by blanks; "" = none), because the agent runs the hooks of those files itself.
	 * NULL = the files of docs/configuration.md.
	 */
	const char *agent_reads;
	/*
	 * For a host that fires once and ends: the path and an argument, NULL-terminated, of the
	 * program that keeps processes of warm hooks for all such hosts, which is started
	 * where settings say "resident" and it does not run yet: `trotline --keep-hooks`.
	 */
	const char *const *keeper;
};
#define TL_OPTIONS_INIT(...) TL_INIT(tl_options, __VA_ARGS__)

/*
 * Reads the configuration (sections 5 to 7) into a new snapshot with one reference.  A broken
 * settings file fails (TL_E_PARSE, TL_E_CONFIG); a broken entry is left out and reported by
 * tl_hooks_diagnostic_get().  Nothing of *o is borrowed but runtime[].call and .data.
 */
TL_API int tl_hooks_load(const struct tl_options *o, struct tl_hooks **ret_hooks,
			 struct tl_err *err);
/* One more reference to the same snapshot, which is returned.  Any thread. */
TL_API struct tl_hooks *tl_hooks_ref(struct tl_hooks *hooks);
/*
 * NULL allowed; any thread.  The last reference frees; outcomes and jobs hold references of their
 * own, so that it may be tl_outcome_free() that does.  Then processes of persistent and warm hooks
 * that are still there end as in tl_hooks_end_session() (waits).  A hook that went on by itself
 * (async) is left running: its process is the host's to reap.
 */
TL_API void tl_hooks_unref(struct tl_hooks *hooks);
/*
 * (waits) To be called when a session is over, SessionEnd included: the processes of its persistent
 * hooks get the end of their input, all at once, 1 s to end by themselves, then SIGTERM,
 * 2 s, and SIGKILL; what waits for its first question is killed.  A process that is being
 * asked meanwhile stays, until this is called again or the snapshot is freed.  session_id is that
 * of struct tl_event (NULL = "").  Any thread; without persistent and warm hooks it costs nothing.
 */
TL_API void tl_hooks_end_session(struct tl_hooks *hooks, const char *session_id);

enum tl_severity { TL_SEVERITY_NOTE, TL_SEVERITY_WARNING, TL_SEVERITY_ERROR };

/* Something in the configuration, or in the answer of a hook, that its author should know. */
struct tl_diagnostic {
	size_t size;
	enum tl_severity severity;
	const char *file; /* "" when it has no place */
	unsigned line, column; /* 0 = none */
	const char *path; /* "hooks.BeforeTool[0].hooks[1].timeout", or "" */
	const char *code; /* stable short name, "unknown-key" */
	const char *text; /* one sentence */
};
#define TL_DIAGNOSTIC_INIT(...) TL_INIT(tl_diagnostic, __VA_ARGS__)

TL_API size_t tl_hooks_diagnostic_count(const struct tl_hooks *hooks);
/*
 * Fills *ret_diagnostic, whose size the caller has set, with strings that are borrowed from the
 * snapshot; returns 0 or -TL_E_NOTFOUND.
 */
TL_API int tl_hooks_diagnostic_get(const struct tl_hooks *hooks, size_t i,
				   struct tl_diagnostic *ret_diagnostic);

/* One configured hook; strings are borrowed from the snapshot. */
struct tl_hook {
	size_t size;
	const char *event; /* as its dialect calls it: "PreToolUse" in a claude or jpfork file */
	const char *moment; /* the host's event that it listens to: "BeforeTool" */
	const char *dialect;
	enum tl_tier tier;
	const char *name; /* its identity: name, else command */
	/* Of a hook that is no process its address, its server and tool, or its prompt; "" for a
	 * runtime hook. */
	const char *command;
	const char *description;
	const char *matcher; /* "" = all */
	const char *file;
	unsigned line, column;
	const char *path; /* "hooks.BeforeTool[0].hooks[0]" */
	int64_t timeout_ms;
	int sequential, guard, observe;
	const char *on_failure; /* "warn", "ask", "deny" */
	enum tl_state state; /* TL_STATE_WOULD_RUN, _DISABLED, _UNTRUSTED or _DUPLICATE */
	const char *why; /* a sentence about the state, "" for TL_STATE_WOULD_RUN */
	const char *fingerprint; /* hex, "" unless it is a project's */
	const char *
		script; /* the file of the project that the command starts, "" when there is none */
	const char *extension; /* the extension that it is from, "" = of none */
	const char *if_rule; /* claude dialect: its second filter, "Bash(git *)"; "" = none */
	int persistent; /* one process answers all firings of a session */
	/* Why an approval cannot cover all files that it runs; "" = it covers them. */
	const char *unwatched;
	/* As its file calls the event: where a hook has a "dialect", not always what .event is. */
	const char *listed_under;
	/* "command", "runtime", "policy", or that of a handler: "http", "mcp_tool", "prompt", "agent". */
	const char *type;
	const char *status_message; /* to be shown while it runs; "" = its name */
	/* It runs only while this sub-agent runs, or once this skill is active; "" = always. */
	const char *agent, *skill;
	/* What its sandbox lets it reach, "reads ..., writes ..., no network"; "" = it has none. */
	const char *sandbox;
	int warm; /* how many processes are started ahead of time; 0 = none */
	/* Non-zero for a policy that looks for secrets in what the event is about.  A host that
	 * fires for pieces of a text must cut no secret in two. */
	int secrets;
	/* Non-zero when it may deny or stop what its event is about.  Of an event that is advisory
	 * only some can, and a host that waits for none else need not wait. */
	int can_refuse;
};
#define TL_HOOK_INIT(...) TL_INIT(tl_hook, __VA_ARGS__)

/* All hooks of the snapshot in run order, grouped by event. */
TL_API size_t tl_hooks_count(const struct tl_hooks *hooks);
/* Fills *ret_hook, whose size the caller has set; returns 0 or -TL_E_NOTFOUND. */
TL_API int tl_hooks_get(const struct tl_hooks *hooks, size_t i, struct tl_hook *ret_hook);
/* The directories that were used, and every settings file that was read; borrowed. */
TL_API const char *tl_hooks_project_dir(const struct tl_hooks *hooks);
TL_API const char *tl_hooks_home(const struct tl_hooks *hooks);
TL_API size_t tl_hooks_file_count(const struct tl_hooks *hooks);
TL_API const char *tl_hooks_file_get(const struct tl_hooks *hooks, size_t i);

/* What hooksConfig and its kin say to the host rather than to the engine. */
struct tl_settings {
	size_t size;
	/* Zero when hooks are switched off; those of the system tier may run all the same. */
	int enabled;
	int notifications; /* show which hooks are running */
	int max_retries; /* how often AfterAgent may reject the answers to one prompt */
	int single_mcp_names; /* name MCP tools mcp_<server>_<tool> */
	const char *plugins; /* enabledPlugins of Claude's files, as a JSON object of what counts */
	/*
	 * What Claude's files set for what the host starts, "NAME=value", NULL-terminated:
	 * the user's and the system's, and a trusted project's, which are not for the user's
	 * servers.  Hooks have them already.
	 */
	const char *const *env, *const *project_env;
	const char *sources; /* the dialects that hooksConfig.sources names, with blanks between */
};
#define TL_SETTINGS_INIT(...) TL_INIT(tl_settings, __VA_ARGS__)
/* Fills *ret_settings, whose size the caller has set, with borrowed strings. */
TL_API void tl_hooks_settings(const struct tl_hooks *hooks, struct tl_settings *ret_settings);

/* ---- firing ---- */

/* One member of the payload besides the base fields: "tool_input", "prompt", "llm_request"... */
struct tl_field {
	const char *name;
	const char *json; /* one JSON value without line breaks outside of strings; not
			     NUL-terminated */
	size_t length;
};

/*
 * How a tool failed (the member `failed` of struct tl_event).  Dialects differ in whether a command
 * that ends with another exit status than 0 is a failed tool: Claude Code says so, Gemini CLI does
 * not.
 */
enum tl_failed {
	TL_FAILED_TOOL = 1, /* the tool could not do what it was asked to */
	TL_FAILED_EXIT = 2, /* its command ended with another status than 0, or by a signal */
};

/* One occurrence of an event (section 2).  Everything is borrowed until the firing is over. */
struct tl_event {
	size_t size;
	/* One of the eleven, "Stop" (the idle moment of the jpfork dialect), or one of those that only
	 * the claude dialect has (section 2, tl_event_get()). */
	const char *name;
	/*
	 * What matchers look at: the tool's name, or source, reason, trigger, notification_type,
	 * agent_type.
	 * The payload gets it under that name.  NULL for agent and model events.
	 */
	const char *subject;
	const char *session_id, *transcript_path; /* "" when NULL */
	const char *cwd; /* NULL = the snapshot's */
	const char *turn_id, *tool_call_id; /* left out when NULL */
	uint64_t seq; /* number of the firing in the session; left out when 0 */
	const char *mcp_server, *mcp_tool; /* of an MCP tool, as its server names it */
	const char *permission_mode; /* "default", "auto_edit", "plan", "yolo"; NULL = default */
	/*
	 * AfterTool: TL_FAILED_TOOL or TL_FAILED_EXIT, or 0.  BeforeAgent: TL_FAILED_TOOL when the
	 * prompt came from a hook.
	 */
	int failed;
	const struct tl_field *fields;
	size_t nfields;
	/*
	 * SessionStart, Setup: a file for shell code that the host will run before each shell
	 * command of the session; hooks of the claude dialect find it as CLAUDE_ENV_FILE.  Not
	 * those whose word changes nothing (observe), nor background hooks (async).
	 * NULL = none.
	 */
	const char *env_file;
	/* Inside a sub-agent: the call that started it, and its kind; NULL = not inside of one. */
	const char *agent_id, *agent_type;
	/*
	 * The conversation so far in the form of Claude Code's transcripts, for hooks of the
	 * claude dialect, and that of a sub-agent, for SubagentStop.  NULL = transcript_path, and
	 * the field agent_transcript_path.
	 */
	const char *claude_transcript_path, *claude_agent_path;
	/*
	 * Milliseconds for the whole firing: a hook that runs then has timed out, however long it
	 * may run by its own settings; ending it may take two seconds more.  0 = no such limit.
	 */
	unsigned timeout_ms;
	/*
	 * Tool events whose call touches several files or addresses (the fields tool_paths and
	 * tool_urls): which of them hooks are asked about whose dialect's tool takes one.  At 0 all
	 * hooks are asked, at the others these alone; the host fires once for each.
	 */
	size_t nth;
	/*
	 * Tool events: other names that matchers may know the tool by, a line each, for a host
	 * whose own name of it says more than the subject; NULL = none.
	 */
	const char *subject_also;
	/* The skills that the session has activated, NULL-terminated; NULL = none. */
	const char *const *skills;
	const char *model; /* that answers, for hooks that are told with every event; or NULL */
	/*
	 * Tool events: the text of a patch that was one call, for which the host fires once for
	 * each file (NULL = none), and which of these this is.  Hooks of the codex dialect see it
	 * whole, with the first one alone.
	 */
	const char *patch;
	size_t patch_length, patch_part;
	/*
	 * Non-zero: only guards are asked, and rules that redact.  For what is about to be shown
	 * without a call that other hooks expect to see the end of, such as a file that the user
	 * attaches to a prompt.
	 */
	int guards_only;
};
#define TL_EVENT_INIT(...) TL_INIT(tl_event, __VA_ARGS__)

/*
 * Non-zero when a hook would run, or when the event cannot be fired at all (tl_fire() says why):
 * zero means that nothing would happen.  For hosts to which making the fields is work.  It
 * takes less than a microsecond once the pair of event and subject has been seen.
 */
TL_API int tl_wants(struct tl_hooks *hooks, const struct tl_event *event);

/*
 * (waits) Fires the event: plans, runs, judges, merges (sections 3 to 6).  Hooks that fail do not
 * make this function fail; their class and what onFailure makes of it are in the outcome.  cancel
 * may be NULL; firing it ends all hooks, waits for them, and returns -TL_E_CANCEL.  An event that
 * no hook matches costs no allocation.
 */
TL_API int tl_fire(struct tl_hooks *hooks, const struct tl_event *event, struct tl_cancel *cancel,
		   struct tl_outcome **ret_outcome, struct tl_err *err);

/*
 * (waits) The same from JSON to JSON, for bindings of other languages: any thread, the same cancel
 * object (NULL allowed).  `json` is one object of `length` bytes (0 = strlen(json)), borrowed for
 * the call: "event" is required; "subject", "session_id", "transcript_path", "cwd", "turn_id",
 * "tool_call_id", "seq", "mcp_server", "mcp_tool", "permission_mode", "failed", "env_file",
 * "agent_id", "agent_type", "claude_transcript_path" and "claude_agent_path" are the members of
 * struct tl_event; "fields" is an object of the payload's other members.  Members that are null are
 * left out; any other member is an error.
 *
 * Returns a NUL-terminated JSON object, which the caller passes to free(): "verdict", "stop",
 * "reason", "stop_reason", "message", "context", "clear_context", "suppressed", "approved",
 * "changes" (by the names that hooks use), "hooks" (a report each, "us" in microseconds) and
 * "diagnostics".  NULL on failure: TL_E_PARSE or TL_E_INVAL, with line and column of the event, or
 * an error of tl_fire().  A host that cannot fire must not go on as if it had been allowed.
 */
TL_API char *tl_fire_json(struct tl_hooks *hooks, const char *json, size_t length,
			  struct tl_cancel *cancel, struct tl_err *err);

/*
 * The same for hosts with a loop of their own.  tl_fire() is written on these four.
 *
 *	job = tl_job_new(hooks, &event, &err);
 *	while (!tl_job_step(job, fds, n)) {
 *		n = tl_job_fds(job, fds, MAX, &timeout_ms);
 *		n = poll(fds, n, timeout_ms) < 0 ? 0 : n;
 *	}
 *	tl_job_finish(job, &outcome, &err);
 *
 * What *event borrows must live until tl_job_finish().
 */
TL_API struct tl_job *tl_job_new(struct tl_hooks *hooks, const struct tl_event *event,
				 struct tl_err *err);
/*
 * What to wait for: fills at most max entries and returns how many there are in all; when that is
 * more than max, come back with more room (tl_job_step() works all the same).  *ret_timeout_ms is
 * poll()'s.
 */
TL_API size_t tl_job_fds(const struct tl_job *job, struct pollfd *fds, size_t max,
			 int *ret_timeout_ms);
/*
 * Does what can be done without waiting.  fds as filled by tl_job_fds() and poll(), or NULL to try
 * everything.  Returns 1 when the job is done, else 0.
 */
TL_API int tl_job_step(struct tl_job *job, const struct pollfd *fds, size_t n);
/* Asks the running hooks to end; go on stepping. */
TL_API void tl_job_cancel(struct tl_job *job);
/*
 * Takes the outcome and frees the job.  A job that is not done is ended first (waits: its hooks get
 * SIGTERM, and 2 s later SIGKILL).
 */
TL_API int tl_job_finish(struct tl_job *job, struct tl_outcome **ret_outcome, struct tl_err *err);

/*
 * Cancel objects form a tree: firing a parent fires its children.  Any thread may call these.
 * tl_cancel_new() returns NULL when the process has no descriptor left.
 */
TL_API struct tl_cancel *tl_cancel_new(struct tl_cancel *parent);
/* Never waits.  Without children it is safe in a signal handler. */
TL_API void tl_cancel_fire(struct tl_cancel *cancel);
TL_API int tl_cancel_fired(struct tl_cancel *cancel);
TL_API void tl_cancel_free(struct tl_cancel *cancel); /* children first */

/*
 * Why, without running anything: an outcome whose reports say for each hook of the event
 * whether it would run and, if not, why.
 */
TL_API int tl_why(struct tl_hooks *hooks, const struct tl_event *event,
		  struct tl_outcome **ret_outcome, struct tl_err *err);

/* ---- outcome (section 4): its strings are borrowed from it ---- */

TL_API void tl_outcome_free(struct tl_outcome *o); /* NULL allowed; see tl_hooks_unref() */
TL_API enum tl_verdict tl_outcome_verdict(const struct tl_outcome *o);
/* Non-zero when a hook said continue:false.  To be looked at before the verdict. */
TL_API int tl_outcome_stopped(const struct tl_outcome *o);
/* For the agent: why it was denied (or asked), joined with line breaks; "" when neither. */
TL_API const char *tl_outcome_reason(const struct tl_outcome *o);
/* For the user: why it was stopped; "" when it was not. */
TL_API const char *tl_outcome_stop_reason(const struct tl_outcome *o);
/*
 * What hooks of the claude dialect want written to the user's terminal: whole OSC sequences that
 * set titles or show notices, and BEL, nothing else; "" when there is none.
 */
TL_API const char *tl_outcome_terminal_sequence(const struct tl_outcome *o);
/* systemMessages, joined; "" when there is none. */
TL_API const char *tl_outcome_message(const struct tl_outcome *o);
/* additionalContexts, joined, each cut at 10,000 characters, not escaped. */
TL_API const char *tl_outcome_context(const struct tl_outcome *o);
/* The same with < and > escaped, inside <hook_context> tags; "" when there is none. */
TL_API const char *tl_outcome_wrapped_context(const struct tl_outcome *o);

/* ---- what hooks say after their firing ---- */

/*
 * A background hook of the claude dialect (async, asyncRewake, or a first line {"async": true})
 * goes on after its firing; what it says when it has ended is for later.  With asyncRewake and exit
 * status 2 it wants the model to be asked again (tl_late_wakes()), with the text as the prompt;
 * otherwise the text is context for the next prompt.  Hooks that still run when the snapshot is
 * freed are left alone.
 *
 * 1 with the next one, 0 when there is none.  wait (waits): as long as one runs that may wake the
 * model, and until cancel (NULL allowed) is fired.
 */
struct tl_late;
TL_API int tl_late_get(struct tl_hooks *hooks, const char *session_id, int wait,
		       struct tl_cancel *cancel, struct tl_late **ret_late);
/*
 * For a host that has nothing to do: fills at most max of fds, and returns how many there are now
 * that may make tl_late_get() have something; none is read here.  *ret_timeout_ms: until when, -1 =
 * no limit.
 */
TL_API size_t tl_late_fds(struct tl_hooks *hooks, const char *session_id, struct pollfd *fds,
			  size_t max, int *ret_timeout_ms);
/* For the model; "" = nothing.  This and the following are borrowed from `late`. */
TL_API const char *tl_late_text(const struct tl_late *late);
/* As tl_outcome_wrapped_context(). */
TL_API const char *tl_late_wrapped_text(const struct tl_late *late);
/* For the user; "" = nothing. */
TL_API const char *tl_late_message(const struct tl_late *late);
/* Non-zero when the model is to be asked again, with the text as the prompt. */
TL_API int tl_late_wakes(const struct tl_late *late);
TL_API void tl_late_free(struct tl_late *late); /* NULL allowed */

enum tl_change {
	TL_CHANGE_TOOL_INPUT, /* BeforeTool: the arguments as all hooks together want them */
	TL_CHANGE_LLM_REQUEST, /* BeforeModel: the request, merged */
	/* BeforeModel: the answer instead of the model's; AfterModel: the chunk */
	TL_CHANGE_LLM_RESPONSE,
	TL_CHANGE_TOOL_CONFIG, /* BeforeToolSelection: {"mode":..., "allowedFunctionNames":[...]} */
	TL_CHANGE_TAIL_CALL, /* AfterTool: {"name":..., "args":{...}} */
	TL_CHANGE_TOOL_RESULT, /* AfterTool, claude dialect: text that replaces the result */
	/* PermissionRequest, with TL_VERDICT_ALLOW: what Claude Code calls updatedPermissions, an
	 * array; tools are called as the host calls them */
	TL_CHANGE_PERMISSIONS,
	TL_CHANGE_RETRY, /* PermissionDenied: true when the model may try the same call again */
	/* Elicitation, ElicitationResult: {"action":"accept", "content":{...}} */
	TL_CHANGE_ELICITATION,
	TL_CHANGE_DISPLAY, /* MessageDisplay: the text to show */
	TL_CHANGE_WATCH_PATHS, /* SessionStart, FileChanged: absolute paths, an array */
};
/*
 * The change as JSON (of TL_CHANGE_TOOL_RESULT and _DISPLAY as plain text), or NULL when no hook
 * asked for it.  A change to what was there already is none.
 */
TL_API const char *tl_outcome_change(const struct tl_outcome *o, enum tl_change which);
/* The index of the report of the hook that the change is from (the last that contributed), or -1.
 */
TL_API int tl_outcome_changed_by(const struct tl_outcome *o, enum tl_change which);
/* Non-zero when a hook that denied or stopped wants the conversation cleared. */
TL_API int tl_outcome_clear_context(const struct tl_outcome *o);
/* Non-zero when a hook said suppressOutput: the message is not to be shown. */
TL_API int tl_outcome_suppressed(const struct tl_outcome *o);
/* Non-zero when an allow also skips the host's confirmation (claude dialect only). */
TL_API int tl_outcome_approved(const struct tl_outcome *o);

/* What became of one hook in this firing; strings are borrowed from the outcome. */
struct tl_report {
	size_t size;
	enum tl_state state;
	const char *why; /* a sentence for every state but TL_STATE_RAN */
	enum tl_class how;
	enum tl_verdict
		verdict; /* with onFailure applied; in observe mode what it would have been */
	int stopped;
	int exit_code; /* -1 when it did not exit by itself */
	int signal; /* 0 = none */
	int64_t elapsed_us;
	const char *reason; /* of its denial, question or stop */
	const char *message; /* its systemMessage, or the warning about its failure */
	const char *output,
		*errors; /* what it printed on stdout and stderr (tail), "" when suppressed */
	size_t output_length, errors_length;
	/* The field that hooks before it had changed (tool_input, prompt...), as it saw it; its
	 * name is NULL when the hook saw what the host gave. */
	struct tl_field saw;
	const struct tl_hook *hook; /* lives as long as the outcome; its size says what it has */
	const char *said; /* of its denial, question, stop or comment: all that a user is to
			     read of it besides the message */
	int warm; /* its process had been started ahead of time */
};
#define TL_REPORT_INIT(...) TL_INIT(tl_report, __VA_ARGS__)

/* One report for every hook of the event, in run order. */
TL_API size_t tl_outcome_report_count(const struct tl_outcome *o);
/* Fills *ret_report, whose size the caller has set; returns 0 or -TL_E_NOTFOUND. */
TL_API int tl_outcome_report_get(const struct tl_outcome *o, size_t i,
				 struct tl_report *ret_report);
/* What the hooks' authors should know about this firing; as tl_hooks_diagnostic_get(). */
TL_API size_t tl_outcome_diagnostic_count(const struct tl_outcome *o);
TL_API int tl_outcome_diagnostic_get(const struct tl_outcome *o, size_t i,
				     struct tl_diagnostic *ret_diagnostic);
/*
 * The record of the firing as one line of JSON: the event, every hook considered and what became
 * of it, the outcome.  Secrets are redacted (docs/records.md).  The caller free()s it.  When no
 * hook ran, the outcome is shared by all such firings, and the record names the event and its
 * subject, but neither session nor turn.
 */
TL_API char *tl_outcome_record(const struct tl_outcome *o);

/* ---- trust ---- */

enum tl_trust_state { TL_TRUST_APPROVED, TL_TRUST_NEW, TL_TRUST_CHANGED, TL_TRUST_NOT_PROJECT };

/* Whether the i-th hook of tl_hooks_get() was approved, is new, or is not what was approved. */
TL_API enum tl_trust_state tl_hooks_trust(const struct tl_hooks *hooks, size_t i);
/*
 * What the approval of the i-th hook covers, for whoever is asked: its event, dialect, matcher,
 * command, arguments, variables and "if", a line each ("" unless it is a project's), and the k-th
 * file of the project that it starts ("" past the end).  Both live as long as the snapshot.
 */
TL_API const char *tl_hooks_definition(const struct tl_hooks *hooks, size_t i);
TL_API size_t tl_hooks_script_count(const struct tl_hooks *hooks, size_t i);
TL_API const char *tl_hooks_script_get(const struct tl_hooks *hooks, size_t i, size_t k);
/* Non-zero when the folder is trusted or folder trust is switched off. */
TL_API int tl_hooks_folder_trusted(const struct tl_hooks *hooks);
/*
 * Approves every hook of the project as this snapshot has it, and the folder: both are written to
 * the home directory.  The snapshot itself does not change; load again to have them run.  Returns
 * 0, or a negative code: -TL_E_BUSY when another process keeps the list locked.
 */
TL_API int tl_trust_approve(const struct tl_hooks *hooks, struct tl_err *err);
/*
 * Takes the approval of the folder and its hooks back; load again to have it heeded.  Returns how
 * many fingerprints were forgotten, or a negative code as above.
 */
TL_API int tl_trust_revoke(const struct tl_hooks *hooks, struct tl_err *err);
/*
 * The user does not trust the folder and is not to be asked again: revokes as above, and remembers
 * that; tl_trust_approve() ends it.  Returns what tl_trust_revoke() does.
 */
TL_API int tl_trust_refuse(const struct tl_hooks *hooks, struct tl_err *err);

/* ---- tables ---- */

/* The words that the tables use: "deny", "project", "timed-out", "no-match", "warning". */
TL_API const char *tl_verdict_name(enum tl_verdict v);
TL_API const char *tl_tier_name(enum tl_tier t);
TL_API const char *tl_class_name(enum tl_class c);
TL_API const char *tl_state_name(enum tl_state s);
TL_API const char *tl_severity_name(enum tl_severity s);

/* One row of the event table. */
struct tl_event_info {
	size_t size;
	const char *name;
	const char *subject; /* field that matchers look at, "" = none */
	const char *summary; /* when it fires */
	int can_block, advisory;
	const char
		*input; /* names of its fields besides the base fields, separated by blanks; "?" =
			      optional */
	const char *output; /* names of the hookSpecificOutput members that it honours */
	const char *
		subjects; /* the values that the subject can have, separated by blanks; "" = open */
};
#define TL_EVENT_INFO_INIT(...) TL_INIT(tl_event_info, __VA_ARGS__)
TL_API size_t tl_event_count(void);
/* Fills *ret_info, whose size the caller has set; returns 0 or -TL_E_NOTFOUND. */
TL_API int tl_event_get(size_t i, struct tl_event_info *ret_info);

/* One way of writing hooks: what its settings files call things. */
struct tl_dialect_info {
	size_t size;
	const char *name; /* "gemini", "claude" ... as in struct tl_source */
	int timeout_unit_ms; /* one unit of a hook's "timeout" */
	int timeout_ms; /* of a hook that has none */
	size_t nevents; /* see tl_dialect_event_get() */
	/* What its hooks expect of the host.  Non-zero: their allow skips its confirmation, their
	 * payload says the permission_mode, they read the claude_transcript_path. */
	int allow_approves, sends_mode, reads_transcript;
	const char *env_file; /* the variable that tl_event.env_file is in; "" = none */
};
#define TL_DIALECT_INFO_INIT(...) TL_INIT(tl_dialect_info, __VA_ARGS__)
TL_API size_t tl_dialect_count(void);
TL_API int tl_dialect_get(size_t i, struct tl_dialect_info *ret_info);
/* The one of this name, as tl_hook.dialect has it. */
TL_API int tl_dialect_find(const char *name, struct tl_dialect_info *ret_info);
/*
 * What the dialect calls its i-th event ("" past the end), and in *ret_moment (NULL allowed) the
 * host's event that it means, "" for one that never happens.
 */
TL_API const char *tl_dialect_event_get(size_t dialect, size_t i, const char **ret_moment);

/* ---- other agents ---- */

/* An agent whose hook a program can be: what it sends is understood, its words are spoken. */
struct tl_host_info {
	size_t size;
	const char *name; /* "claude", "codex" ...: for tl_host_fire() */
	const char *title; /* for people: "Claude Code" */
	unsigned timeout_ms; /* how long it waits for a hook unless told otherwise; 0 = for ever */
};
#define TL_HOST_INFO_INIT(...) TL_INIT(tl_host_info, __VA_ARGS__)
TL_API size_t tl_host_count(void);
/*
 * Fills *ret_info, whose size the caller has set, with constant texts; returns 0 or -TL_E_NOTFOUND.
 */
TL_API int tl_host_get(size_t i, struct tl_host_info *ret_info);

/* What the agent is to be told: bytes for stdout and stderr, and the exit status of its hook. */
struct tl_host_answer;

/*
 * (waits) Fires hooks for another agent, as `trotline hook AGENT` does: reads the agent's payload,
 * asks the hooks about every file and address of it, each in the dialect that it was written for,
 * and words their outcome as that agent takes it; what it cannot be told becomes a denial.  A
 * program that speaks an agent's hook protocol runs the hooks of all others so.  Any thread.
 *
 * `hooks` are as tl_hooks_load() made them; with tl_options.agent_reads those of trotline's own
 * files.  `agent` is a name of tl_host_get().  `event` is what the agent calls the event, for
 * payloads that do not say it (NULL = they do).  `payload` is one JSON object of `length` bytes
 * (0 = strlen(payload)), borrowed for the call.  `cancel` is as in tl_fire().
 *
 * *ret_answer is the caller's, who passes it to tl_host_answer_free().  It is set on success, and
 * on every failure but -TL_E_INVAL: then it denies, where the agent lets hooks deny, so that a
 * caller who passes it on never lets a call through because of an error.  -TL_E_PARSE: the payload
 * cannot be read; others are those of tl_fire().
 */
TL_API int tl_host_fire(struct tl_hooks *hooks, const char *agent, const char *event,
			const char *payload, size_t length, struct tl_cancel *cancel,
			struct tl_host_answer **ret_answer, struct tl_err *err);
/* For the hook's stdout, without a newline at the end; "" = nothing; kept with the answer. */
TL_API const char *tl_host_answer_out(const struct tl_host_answer *answer);
/* The same for its stderr. */
TL_API const char *tl_host_answer_err(const struct tl_host_answer *answer);
/* What the hook's process would exit with: 0, or 2. */
TL_API int tl_host_answer_status(const struct tl_host_answer *answer);
/* Non-zero when what the agent asked about is denied. */
TL_API int tl_host_answer_denied(const struct tl_host_answer *answer);
TL_API void tl_host_answer_free(struct tl_host_answer *answer); /* NULL allowed */

/* A settings file that may hold hooks; in this order single values override each other. */
struct tl_place {
	size_t size;
	enum tl_tier tier;
	const char *dialect;
	const char *path; /* below the home directory or the project; absolute for the system's */
	const char *override; /* variable of the environment that replaces the path, "" = none */
	int on_request; /* read only when hooksConfig.sources names the dialect */
};
#define TL_PLACE_INIT(...) TL_INIT(tl_place, __VA_ARGS__)
TL_API size_t tl_place_count(void);
TL_API int tl_place_get(size_t i, struct tl_place *ret_place);
/* Our name of what others call so: "run_shell_command" for "Bash"; NULL = not known. */
TL_API const char *tl_tool_called(const char *name);

/*
 * What a hook of the dialect (NULL = "gemini", or for an event that it does not have the host's own
 * words) reads on stdin when this event is fired, before
 * any hook has changed its field: one JSON object and a line break.  Nothing runs.  The
 * caller free()s it.  NULL with *err: the event cannot be fired, or the dialect
 * does not have it.
 */
TL_API char *tl_event_payload(struct tl_hooks *hooks, const struct tl_event *event,
			      const char *dialect, struct tl_err *err);
/*
 * The JSON Schema (draft 7) of what: "settings", or "input EVENT", "output EVENT"; "answers" is a
 * table in Markdown of what hooks may answer.  NULL for anything else.  The caller free()s it.
 */
TL_API char *tl_schema(const char *what);

#ifdef __cplusplus
}
#endif

#endif
