/*
 * trotline -p PROMPT: one prompt, one answer, and the project's hooks on the way.  Read cmd_agent()
 * from top to bottom; agent_run.h lists what a run consists of.
 */
#include "cli/agent/agent_run.h"
#include "workbench/tool_names.h"

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
	return slash_find(name) || prompt_names_command(name);
}

void run_begin(struct run *r, const struct agent_options *args, const struct halt *halt,
	       const struct output_options *output)
{
	char id[TRANSCRIPT_ID_SIZE];
	AUTO(free) char *cwd = getcwd(NULL, 0);
	int cwd_errno = errno;

	*r = (struct run){ .args = args,
			   .env = (const char *const *)environ,
			   .halt = halt,
			   .is_taken = is_taken };
	r->progress = output->progress;
	output_init(&r->out, output);
	transcript_id_new(id);
	r->id = arena_z(&r->arena, str_from(args->session_id ? args->session_id : id));
	r->cwd_errno = cwd ? 0 : cwd_errno;
	r->cwd = cwd ? arena_z(&r->arena, str_from(cwd)) : NULL;
	output_session(&r->out, r->id);
}

void run_done(struct run *r)
{
	output_done(&r->out);
	hook_hosts_settle(r->hosts); /* what goes now must not be in use */
	session_free(r->session);
	mcp_servers_free(r->mcp);
	provider_free(r->provider);
	policy_free(r->policy);
	if (r->telemetry)
		telemetry_free(r->telemetry);
	tl_hooks_unref(r->hooks);
	tl_hooks_unref(r->unmuted);
	hook_hosts_free(r->hosts);
	progress_free(r->progress);
	buf_done(&r->input);
	free(r->roots.p);
	free(r->muted.p);
	free(r->dotenv.p);
	arena_done(&r->commands_arena);
	arena_done(&r->arena);
}
DEFINE_AUTO(struct run, run_done)

/* ---- refusals ---- */

static int refuse_modes(struct run *r)
{
	const struct agent_options *args = r->args;
	bool automated = run_env_is_true(r, "CI") || run_env_is_true(r, "GITHUB_ACTIONS");
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	const struct {
		bool given;
		const char *why;
	} unsupported[] = {
		{ args->worktree, "--worktree is not supported: run \"git worktree add\" and start "
				  "trotline in the new directory." },
		{ args->acp || args->experimental_acp,
		  "--acp is not supported: run trotline with -p and \"-o stream-json\", and continue "
		  "with --resume." },
	};

	if (!r->cwd)
		return run_fail(r, EXIT_USAGE, "Error", "Cannot find the current directory: %s",
				strerror(r->cwd_errno));
	if (args->prompt_interactive && !isatty(STDIN_FILENO))
		return run_fail(r, EXIT_INPUT, "FatalInputError",
				"Error: The --prompt-interactive flag cannot be used when input is "
				"piped from stdin.");
	for (size_t i = 0; i < ARRAY_LEN(unsupported); i++)
		if (unsupported[i].given)
			return run_fail(r, EXIT_USAGE, "Error", "%s", unsupported[i].why);
	if (args->list_sessions || args->delete_session || args->list_extensions)
		return EXIT_OK;
	/* In CI, as Gemini CLI has it, a terminal does not make a run interactive. */
	r->interactive = args->prompt_interactive ||
			 (!args->prompt && !args->init_only && terminal &&
			  (!automated || run_env_is_true(r, "GEMINI_CLI_INTEGRATION_TEST")));
	return EXIT_OK;
}

/* ---- the session ---- */

static int make_policy(struct run *r)
{
	struct err err;
	AUTO(tool_names_done) struct tool_names names = { 0 };

	r->policy = run_policy(r, r->mode, &err);
	if (!r->policy)
		return run_fail(r, EXIT_CONFIG, "FatalConfigError", "%s", err.text);
	/* Rules about tools that do not exist: a denial that never denies is told, as is a slip. */
	tool_names_init(&names);
	for (size_t i = 0; i < policy_rule_count(r->policy); i++) {
		struct policy_rule rule = policy_rule_get(r->policy, i);
		bool option = strcmp(rule.source, "--allowed-tools") == 0;

		for (size_t k = 0; rule.tools && rule.tools[k] && !rule.server; k++) {
			struct str name = str_from(rule.tools[k]);
			const char *meant = NULL;

			if (str_chr(name, '*', 0) < 0 && !tool_is_called(&names, name))
				meant = tool_unknown(&r->arena, name);
			/* Others may be names of sub-agents. */
			if (meant && (option || tool_meant(&names, name)))
				output_warn(&r->out, "%s: %s",
					    rule.file ? arena_printf(&r->arena, "%s:%u", rule.file,
								     rule.line)
								.p
						      : rule.source,
					    meant);
		}
	}
	return EXIT_OK;
}

static int make_session(struct run *r)
{
	struct err err;

	r->session = run_make_session(r, output_sink(&r->out), r->halt, &err);
	if (!r->session)
		return run_fail(r, EXIT_INPUT, "FatalInputError", "Error resuming session: %s",
				err.text);
	output_session(&r->out, session_id(r->session));
	if (!r->args->debug)
		return EXIT_OK;
	output_say(&r->out, "[DEBUG] session %s", session_id(r->session));
	output_say(&r->out, "[DEBUG] model %s (%s)", r->model, r->auth ? r->auth : "replayed");
	output_say(&r->out, "[DEBUG] project %s (%s)", r->project,
		   r->trusted ? "trusted" : "not trusted");
	for (size_t i = 0; *tl_hooks_file_get(r->hooks, i); i++)
		output_say(&r->out, "[DEBUG] settings %s", tl_hooks_file_get(r->hooks, i));
	output_say(&r->out, "[DEBUG] %.*s", STR_ARG(hooks_summary(&r->arena, r->hooks)));
	output_say(&r->out, "[DEBUG] transcript %s", session_transcript(r->session));
	return EXIT_OK;
}

/* ---- the answer ---- */

static int end_cancelled(struct run *r)
{
	/* When the reader closed stdout, the user cancelled nothing. */
	if (r->out.closed || r->out.write_error)
		return EXIT_OK;
	return run_finish(r, EXIT_OK,
			  &(struct run_end){ .type = "FatalCancellationError",
					     .message = "Operation cancelled.",
					     .code = 128 + SIGINT });
}

/* A note for programs; people have been told otherwise. */
static void note_for_programs(struct run *r, enum note_kind kind, const char *text)
{
	if (r->out.form->note && r->out.form != &output_text)
		(void)r->out.form->note(&r->out, kind, str_from(text));
}

static int ask(struct run *r, struct str prompt, const struct provider *provider)
{
	struct run_end end = { 0 };
	struct err err = { 0 };
	const char *whole;

	output_begin(&r->out, r->model);
	switch (prompt_send(r, prompt, &err)) {
	case END_CANCELLED:
		return end_cancelled(r);
	case END_LIMIT:
		if (r->out.form == &output_stream)
			note_for_programs(r, NOTE_ERROR, "Maximum session turns exceeded");
		return run_fail(
			r, EXIT_TURN_LIMIT, "FatalTurnLimitedError",
			"Reached max session turns for this session. Increase the number of "
			"turns by specifying maxSessionTurns in settings.json.");
	case END_FAILED:
		whole = session_error(r->session);
		end = (struct run_end){ .type = provider->status ? "ApiError" : "Error",
					.message = *whole ? whole : err.text,
					.code = provider->status ? provider->status : EXIT_USAGE };
		return run_finish(r, EXIT_USAGE, &end);
	case END_FATAL:
		return run_fail(r, EXIT_TOOL_FATAL, "FatalToolExecutionError", "%s", err.text);
	case END_LOOP:
		note_for_programs(r, NOTE_BLOCKED, "Loop detected, stopping execution");
		break;
	case END_DONE:
		session_idle(r->session); /* the run has one prompt: idleness follows it */
		end.keeps_refused = true;
		break;
	case END_BROKEN:
		end.broken = session_error(r->session);
		break;
	case END_BLOCKED:
	case END_STOPPED:
		break;
	}
	return run_finish(r, EXIT_OK, &end);
}

static int converse(struct run *r, const struct provider *provider)
{
	struct str prompt = prompt_make(r), name, hint;

	session_start(r->session, r->resume_path ? "resume" : "startup");
	if (halt_fired(r->halt))
		return end_cancelled(r);
	if (r->args->init_only)
		return run_finish(r, EXIT_OK, &(struct run_end){ 0 });
	if (!prompt.n && !session_has_context(r->session))
		return run_fail(r, EXIT_INPUT, "FatalInputError",
				"No input provided via stdin. Input can be provided by piping data "
				"into trotline or using the --prompt option.");
	if (!prompt_is_command(r, prompt, &name))
		return ask(r, prompt, provider);
	hint = arena_printf(&r->arena,
			    "%.*s is a command of interactive sessions: run trotline without -p.",
			    STR_ARG(name));
	return run_finish(r, EXIT_INPUT,
			  &(struct run_end){ .type = "FatalInputError",
					     .code = EXIT_INPUT,
					     .message = "Exiting due to command result that is not "
							"supported in non-interactive mode.",
					     .hint = hint.p });
}

/* ---- the run ---- */

static int do_steps(struct run *r, int (*const *steps)(struct run *))
{
	int status = EXIT_OK;

	for (; *steps && status == EXIT_OK; steps++)
		status = (*steps)(r);
	return status;
}

static int run_session(struct run *r)
{
	static int (*const steps[])(struct run *) = { setup_sandbox,     setup_model,
						      setup_session,     make_policy,
						      prompt_read_stdin, NULL };
	const struct provider *provider;
	const char *first = r->args->prompt_interactive;
	int status;

	setup_roots(r);
	status = do_steps(r, steps);
	if (status != EXIT_OK)
		return status;
	if (halt_fired(r->halt))
		return end_cancelled(r);
	/* On a terminal, words are the first prompt of a conversation. */
	if (r->interactive && !first && r->args->words && *r->args->words) {
		first = r->args->words;
		output_say(&r->out,
			   "Positional arguments now default to interactive mode. To run in "
			   "non-interactive mode, use the --prompt (-p) flag.");
	}
	if (r->interactive)
		return chat_run(r, first);
	provider = r->provider; /* the session takes it */
	status = make_session(r);
	if (status != EXIT_OK)
		return status;
	status = converse(r, provider);
	session_end(r->session, "exit");
	if (r->out.write_error) {
		output_say(&r->out, "Cannot write the answer: %s", strerror(r->out.write_error));
		status = EXIT_USAGE;
	}
	return status;
}

int cmd_agent(const struct agent_options *args)
{
	static int (*const steps[])(struct run *) = { refuse_modes, setup_configuration,
						      setup_skills, setup_mode, NULL };
	static const struct output_form *const forms[] = {
		[OUTPUT_TEXT] = &output_text,
		[OUTPUT_JSON] = &output_json,
		[OUTPUT_STREAM] = &output_stream,
	};
	static struct halt halt; /* for the signal handler, until the program has ended */
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	AUTO(run_done) struct run r;
	int status;

	/* A closed pipe is a write error and does not end the program. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	if (halt_init(&halt))
		interrupt_halt(&halt);
	run_begin(&r, args, &halt,
		  &(struct output_options){ .form = forms[agent_options_format(args)],
					    .raw = args->raw_output || args->accept_raw_output,
					    .out = stdout,
					    .err = stderr,
					    .progress = args->screen_reader ? NULL
									    : progress_new(stderr),
					    .halt = &halt });
	status = do_steps(&r, steps);
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
