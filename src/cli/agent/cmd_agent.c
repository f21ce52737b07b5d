/*
 * trotline -p PROMPT: one prompt, one answer, and every hook of the project while it comes about.
 * cmd_agent() reads from top to bottom; what a run is made of stands in agent_run.h.
 */
#include "cli/agent/agent_run.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cli/chat/chat.h"
#include "cli/interrupt.h"
#include "workbench/reaper.h"

/* ---- a run's beginning and end ---- */

/* The same files give the same names with and without a terminal. */
static bool is_taken(void *data, struct str name)
{
	(void)data;
	return slash_is_known(name) || prompt_names_command(name);
}

/* The halt stays: a signal may still come. */
static void run_begin(struct run *r, const struct agent_options *args, const struct halt *halt)
{
	static const struct output_form *const forms[] = {
		[OUTPUT_TEXT] = &output_text,
		[OUTPUT_JSON] = &output_json,
		[OUTPUT_STREAM] = &output_stream,
	};
	char id[TRANSCRIPT_ID_SIZE];
	AUTO(free) char *cwd = getcwd(NULL, 0);
	int cwd_errno = errno;

	*r = (struct run){ .args = args,
			   .env = (const char *const *)environ,
			   .halt = halt,
			   .is_taken = is_taken };
	r->progress = args->screen_reader ? NULL : progress_new(stderr);
	output_init(&r->out,
		    &(struct output_options){ .form = forms[agent_options_format(args)],
					      .raw = args->raw_output || args->accept_raw_output,
					      .out = stdout,
					      .err = stderr,
					      .progress = r->progress,
					      .halt = halt });
	transcript_id_new(id);
	r->id = arena_z(&r->arena, str_from(args->session_id ? args->session_id : id));
	r->cwd_errno = cwd ? 0 : cwd_errno;
	r->cwd = cwd ? arena_z(&r->arena, str_from(cwd)) : NULL;
	output_session(&r->out, r->id);
}

static void run_done(struct run *r)
{
	output_done(&r->out);
	session_free(r->session);
	mcp_servers_free(r->mcp);
	provider_free(r->provider);
	policy_free(r->policy);
	if (r->telemetry)
		telemetry_free(r->telemetry);
	tl_hooks_unref(r->hooks);
	progress_free(r->progress);
	buf_done(&r->input);
	free(r->roots.p);
	free(r->muted.p);
	free(r->dotenv.p);
	arena_done(&r->commands_arena);
	arena_done(&r->arena);
}
DEFINE_AUTO(struct run, run_done)

/* ---- what cannot be done ---- */

/* host.md E2.1 */
static bool is_interactive(const struct run *r)
{
	bool automated = run_env_is_true(r, "CI") || run_env_is_true(r, "GITHUB_ACTIONS");

	if (r->args->prompt || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return false;
	return !automated || run_env_is_true(r, "GEMINI_CLI_INTEGRATION_TEST");
}

static int refuse_modes(struct run *r)
{
	const struct agent_options *args = r->args;
	const struct {
		bool given;
		const char *why;
	} absent[] = {
		{ args->sandbox, "There is no --sandbox: hooks, policies and --approval-mode say "
				 "what tools may do. A container around trotline works as usual." },
		{ args->worktree, "There is no --worktree: make one with \"git worktree add\" and "
				  "start trotline in it." },
		{ args->acp || args->experimental_acp,
		  "There is no --acp: a program talks to trotline with -p and "
		  "\"-o stream-json\", and goes on with --resume." },
	};

	if (!r->cwd)
		return run_fail(r, EXIT_USAGE, "Error", "The current directory cannot be found: %s",
				strerror(r->cwd_errno));
	if (args->prompt_interactive && !isatty(STDIN_FILENO))
		return run_fail(r, EXIT_INPUT, "FatalInputError",
				"Error: The --prompt-interactive flag cannot be used when input is "
				"piped from stdin.");
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		if (absent[i].given)
			return run_fail(r, EXIT_USAGE, "Error", "%s", absent[i].why);
	r->interactive = !args->list_sessions && !args->delete_session && !args->list_extensions &&
			 (args->prompt_interactive || is_interactive(r));
	return EXIT_OK;
}

/* ---- the session ---- */

static int make_policy(struct run *r)
{
	struct err err;

	r->policy = run_policy(r, r->mode, &err);
	if (r->policy)
		return EXIT_OK;
	return run_fail(r, EXIT_CONFIG, "FatalConfigError", "%s", err.text);
}

static int make_session(struct run *r)
{
	struct err err;

	r->session = run_make_session(r, output_sink(&r->out), r->halt, &err);
	if (!r->session)
		return run_fail(r, EXIT_INPUT, "FatalInputError", "Error resuming session: %s",
				err.text);
	output_session(&r->out, session_id(r->session));
	return EXIT_OK;
}

static void say_debug(struct run *r)
{
	if (!r->args->debug)
		return;
	output_say(&r->out, "[DEBUG] session %s", session_id(r->session));
	output_say(&r->out, "[DEBUG] model %s (%s)", r->model, r->auth ? r->auth : "replayed");
	output_say(&r->out, "[DEBUG] project %s (%s)", r->project,
		   r->trusted ? "trusted" : "not trusted");
	for (size_t i = 0; *tl_hooks_file_get(r->hooks, i); i++)
		output_say(&r->out, "[DEBUG] settings %s", tl_hooks_file_get(r->hooks, i));
	output_say(&r->out, "[DEBUG] %zu hooks", tl_hooks_count(r->hooks));
	output_say(&r->out, "[DEBUG] transcript %s", session_transcript(r->session));
}

/* ---- the answer ---- */

static int end_cancelled(struct run *r)
{
	/* It was not the user: who closed stdout wants to hear nothing more. */
	if (r->out.closed || r->out.write_error)
		return EXIT_OK;
	return run_finish(r, EXIT_OK,
			  &(struct run_end){ .type = "FatalCancellationError",
					     .message = "Operation cancelled.",
					     .code = 128 + SIGINT });
}

static int end_failed(struct run *r, int http_status, const struct err *err)
{
	const char *whole = session_error(r->session);
	struct run_end end = {
		.type = http_status ? "ApiError" : "Error",
		.message = *whole ? whole : err->text,
		.code = http_status ? http_status : EXIT_USAGE,
	};

	return run_finish(r, EXIT_USAGE, &end);
}

static int end_limit(struct run *r)
{
	if (agent_options_format(r->args) == OUTPUT_STREAM)
		r->out.form->note(&r->out, NOTE_ERROR, STR("Maximum session turns exceeded"));
	return run_fail(r, EXIT_TURN_LIMIT, "FatalTurnLimitedError",
			"Reached max session turns for this session. Increase the number of turns "
			"by specifying maxSessionTurns in settings.json.");
}

/* host.md B12: of a loop the session has told people already; this is for programs. */
static void report_loop(struct run *r)
{
	struct str text = STR("Loop detected, stopping execution");

	if (r->out.form->note && agent_options_format(r->args) != OUTPUT_TEXT)
		(void)r->out.form->note(&r->out, NOTE_BLOCKED, text);
}

static int answer(struct run *r, struct str prompt, const struct provider *provider)
{
	static const struct run_end well, stands = { .stands = true };
	struct err err = { 0 };

	output_begin(&r->out, r->model);
	switch (prompt_send(r, prompt, &err)) {
	case END_CANCELLED:
		return end_cancelled(r);
	case END_LIMIT:
		return end_limit(r);
	case END_FAILED:
		return end_failed(r, provider->status, &err);
	case END_FATAL:
		return run_fail(r, EXIT_TOOL_FATAL, "FatalToolExecutionError", "%s", err.text);
	case END_LOOP:
		report_loop(r);
		break;
	case END_DONE:
		/* One prompt is all there is: what comes after it is idleness. */
		session_idle(r->session);
		return run_finish(r, EXIT_OK, &stands);
	case END_BROKEN:
		return run_finish(r, EXIT_OK,
				  &(struct run_end){ .broken = session_error(r->session) });
	case END_BLOCKED:
	case END_STOPPED:
		break;
	}
	return run_finish(r, EXIT_OK, &well);
}

/* It is one of ours, so that its name may be shown. */
static int refuse_command(struct run *r, struct str prompt)
{
	size_t n = 0;

	while (n < prompt.n && !strchr(" \t\r\n", prompt.p[n]))
		n++;
	return run_finish(r, EXIT_INPUT,
			  &(struct run_end){
				  .type = "FatalInputError",
				  .code = EXIT_INPUT,
				  .message = "Exiting due to command result that is not supported "
					     "in non-interactive mode.",
				  .hint = arena_printf(&r->arena,
						       "%.*s is a command of interactive sessions: "
						       "run trotline without -p.",
						       (int)n, prompt.p)
						  .p });
}

static int converse(struct run *r, const struct provider *provider)
{
	struct str prompt = prompt_make(r);

	session_start(r->session, r->resume_path ? "resume" : "startup");
	if (halt_fired(r->halt))
		return end_cancelled(r);
	if (!prompt.n && !session_has_context(r->session))
		return run_fail(r, EXIT_INPUT, "FatalInputError",
				"No input provided via stdin. Input can be provided by piping data "
				"into gemini or using the --prompt option.");
	if (prompt_is_command(prompt))
		return refuse_command(r, prompt);
	return answer(r, prompt, provider);
}

/* ---- the run ---- */

static int prepare(struct run *r)
{
	int (*const steps[])(struct run *) = {
		refuse_modes,
		setup_configuration,
		setup_skills,
		setup_mode,
	};
	int status = EXIT_OK;

	for (size_t i = 0; i < ARRAY_LEN(steps) && status == EXIT_OK; i++)
		status = steps[i](r);
	return status;
}

/* host.md E2.1a: words on a terminal are the first prompt of a conversation. */
static int chat(struct run *r)
{
	const char *first = r->args->prompt_interactive;

	if (!first && r->args->words && *r->args->words) {
		first = r->args->words;
		output_say(&r->out,
			   "Positional arguments now default to interactive mode. To run in "
			   "non-interactive mode, use the --prompt (-p) flag.");
	}
	return chat_run(r, first);
}

static int run_session(struct run *r)
{
	int (*const steps[])(struct run *) = { setup_model, setup_session, make_policy,
					       prompt_read_stdin };
	const struct provider *provider;
	int status = EXIT_OK;

	setup_roots(r);
	setup_sandbox(r);
	for (size_t i = 0; i < ARRAY_LEN(steps) && status == EXIT_OK; i++)
		status = steps[i](r);
	if (status != EXIT_OK)
		return status;
	if (halt_fired(r->halt))
		return end_cancelled(r);
	if (r->interactive)
		return chat(r);
	provider = r->provider;
	status = make_session(r);
	if (status != EXIT_OK)
		return status;
	say_debug(r);
	status = converse(r, provider);
	session_end(r->session, "exit");
	if (r->out.write_error) {
		output_say(&r->out, "Writing the answer failed: %s", strerror(r->out.write_error));
		status = EXIT_USAGE;
	}
	return status;
}

int cmd_agent(const struct agent_options *args)
{
	static struct halt halt; /* for the signal handler, until the program has ended */
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	AUTO(run_done) struct run r;
	int status;

	/* A closed pipe is an error of writing, not our end. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	if (halt_init(&halt))
		interrupt_halt(&halt);
	run_begin(&r, args, &halt);
	status = prepare(&r);
	if (status != EXIT_OK)
		return status;
	if (args->list_extensions)
		return list_extensions(&r);
	if (args->list_sessions)
		return list_sessions(&r);
	if (args->delete_session)
		return delete_session(&r, args->delete_session);
	return run_session(&r);
}
