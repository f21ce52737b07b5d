/*
 * run_shell_command: a command of the shell, in its own session (os/task.h).  What it leaves
 * running when it ends, or was asked to leave running, becomes the session's (background.c).
 */
#include <stdio.h>

#include "base/json_pack.h"
#include "os/clock.h"
#include "os/fs.h"
#include "policy/shell.h"
#include "secrets/env_filter.h"
#include "settings/sandbox_rules.h"
#include "shell/shell.h"
#include "tools/background.h"
#include "tools/files.h"
#include "tools/registry.h"
#include "tools/shell_setup.h"

enum {
	COMMAND_MAX = (128 << 10) - 1, /* the kernel's limit of one argument */
	INACTIVITY_S = 300,
	BACKGROUND_MS = 200, /* enough for a command that cannot be started to say so */
	STRAGGLE_MS = 50, /* for the last words of what was just about to end, too */
	TRUNCATE_CHARS = 40000,
};
#define OUTPUT_MAX ((size_t)256 << 20)

enum stopped { NOT_STOPPED, STOPPED_CANCEL, STOPPED_SILENT, STOPPED_OUTPUT };

struct run {
	struct tool_call *call;
	struct tool_result *r;
	struct str command;
	const char *dir;
	const struct sandbox_rules *sandbox;
	struct task *task;
	struct spool spool;
	int64_t timeout_us; /* without output; 0 = none */
	enum stopped stopped;
	struct task_status status;
};

static double setting(const struct tool_call *call, const char *pointer, double dflt)
{
	return json_num_in_text(json_pointer(call->env->settings, str_from(pointer)), dflt);
}

/* ---- what is run ---- */

/* Over the entry of the same name, or behind all others. */
static void put_entry(const char **env, const char *entry)
{
	size_t n = (size_t)(strchr(entry, '=') - entry) + 1;

	while (*env && strncmp(*env, entry, n) != 0)
		env++;
	*env = entry;
}

/* Programs that would page or draw find out that they should not. */
static const char *const *make_env(const struct run *run)
{
	const struct tool_env *te = run->call->env;
	const struct json *rules =
		json_pointer(te->settings, STR("/security/environmentVariableRedaction"));
	const struct env_filter filter = {
		.enabled = json_is_true(json_getz(rules, "enabled")),
		.allowed = json_getz(rules, "allowed"),
		.blocked = json_getz(rules, "blocked"),
	};
	struct arena *a = run->call->arena;
	struct str pager =
		json_str(json_pointer(te->settings, STR("/tools/shell/pager")), STR("cat"));
	const char *const *from = sandbox_env(a, run->sandbox, env_filtered(a, te->env, &filter));
	const char *const vars[][2] = {
		{ "GEMINI_CLI", "1" },
		{ "TERM", "xterm-256color" },
		{ "PAGER", arena_z(a, pager) },
		{ "GIT_PAGER", arena_z(a, pager) },
		{ "PWD", run->dir },
	};
	const char **env;
	size_t n = 0;

	while (from[n])
		n++;
	env = ARENA_ARRAY(a, const char *, n + ARRAY_LEN(vars) + 2);
	memcpy(env, from, n * sizeof *env);
	for (size_t i = 0; i < ARRAY_LEN(vars); i++)
		put_entry(env, arena_printf(a, "%s=%s", vars[i][0], vars[i][1]).p);
	if (te->shell_setup > 0)
		put_entry(env, shell_setup_variable);
	return env;
}

static bool start(struct run *run)
{
	const char *const *env = make_env(run);
	const char *file = shell_find(run->call->arena, env);
	const char *command = arena_z(run->call->arena, run->command);
	const char *const argv[] = { strrchr(file, '/') + 1, "-c", command, NULL };
	const struct task_spec spec = { .file = file,
					.argv = argv,
					.envp = env,
					.cwd = run->dir,
					.sandbox = run->sandbox ? &run->sandbox->may : NULL,
					.extra_fd = run->call->env->shell_setup };
	struct err err;

	if (task_start(&spec, &run->task, &err) == 0)
		return true;
	tool_fail(run->call, run->r, "shell_execute_error", "The command was not started: %s",
		  err.text);
	return false;
}

/* ---- while it runs ---- */

static enum task_event wait_piece(struct run *run, struct cancel *cancel, int64_t until_us)
{
	AUTO(buf_done) struct buf piece = { 0 };
	enum task_event event = task_wait(run->task, cancel, until_us, &piece);

	spool_add(&run->spool, buf_str(&piece));
	if (piece.n && run->call->env->output && run->call->id)
		run->call->env->output(run->call->env->progress_data, run->call->id,
				       buf_str(&piece));
	return event;
}

static void stop(struct run *run, enum stopped why)
{
	if (run->stopped == NOT_STOPPED)
		run->stopped = why;
	task_stop(run->task);
}

static int64_t silent_until(const struct run *run)
{
	if (run->timeout_us <= 0 || run->stopped)
		return INT64_MAX;
	return clock_us() + run->timeout_us;
}

/* Until the command has ended. */
static void wait_end(struct run *run)
{
	int64_t until = silent_until(run);

	for (;;) {
		switch (wait_piece(run, run->call->cancel, until)) {
		case TASK_OUTPUT:
			if (run->spool.total > OUTPUT_MAX)
				stop(run, STOPPED_OUTPUT);
			until = silent_until(run);
			break;
		case TASK_TIME:
			stop(run, STOPPED_SILENT);
			until = INT64_MAX;
			break;
		case TASK_ENDED:
		case TASK_SILENT:
			return;
		}
	}
}

/* Until the time at which it goes into the background; false when it has ended before. */
static bool wait_delay(struct run *run)
{
	int64_t ms = arg_int(run->call, "delay_ms", 0, BACKGROUND_MS);
	int64_t until = clock_us() + ms * 1000;

	for (;;) {
		switch (wait_piece(run, run->call->cancel, until)) {
		case TASK_OUTPUT:
			if (run->spool.total > OUTPUT_MAX)
				stop(run, STOPPED_OUTPUT);
			if (clock_us() >= until && !run->stopped)
				return true;
			break;
		case TASK_TIME:
			if (!run->stopped && !cancel_fired(run->call->cancel))
				return true;
			until = INT64_MAX;
			break;
		case TASK_ENDED:
		case TASK_SILENT:
			return false;
		}
	}
}

/* ---- what is said ---- */

static void answer_stopped(struct run *run, struct str output)
{
	struct str why = STR("The command was cancelled before it could complete.");
	struct arena *a = run->call->arena;

	if (run->stopped == STOPPED_OUTPUT)
		why = arena_printf(a, "The command was ended because it wrote more than %zu MiB.",
				   OUTPUT_MAX >> 20);
	if (run->stopped == STOPPED_SILENT)
		why = arena_printf(a,
				   "The command was ended because it exceeded the timeout of %.3g "
				   "minutes without output.",
				   (double)run->timeout_us / 60e6);
	if (output.n == 0) {
		why = arena_printf(a, "%.*s There was no output.", STR_ARG(why));
		tool_ok(run->call, run->r, why, why);
		return;
	}
	tool_ok(run->call, run->r,
		arena_printf(a, "%.*s Its output until then:\n%s", STR_ARG(why),
			     tool_untrusted(a, output).p),
		arena_printf(a, "%.*s\n%.*s", STR_ARG(output), STR_ARG(why)));
}

static void answer_ended(struct run *run, struct str output, const char *error)
{
	const struct task_status *s = &run->status;
	struct arena *a = run->call->arena;
	AUTO(buf_done) struct buf out = { 0 };
	struct str shown = output;

	buf_addf(&out, "Output: %.*s", STR_ARG(output.n ? output : STR("(empty)")));
	if (error)
		buf_addf(&out, "\nError: %s", error);
	run->r->ended = json_pack(a, s->state == TASK_EXITED ? "exit_code:i" : "signal:i", s->code);
	if (s->state == TASK_EXITED && s->code != 0) {
		buf_addf(&out, "\nExit Code: %d", s->code);
		if (shown.n == 0)
			shown = arena_printf(a, "Command exited with code: %d", s->code);
		run->r->metadata = json_pack(a, "exitCode:i isError:b", s->code, true);
	} else if (s->state == TASK_SIGNALLED) {
		struct str sig = arena_printf(a, "%d (%s)", s->code, strsignal(s->code));

		buf_addf(&out, "\nSignal: %s", sig.p);
		if (shown.n == 0)
			shown = arena_printf(a, "Command terminated by signal: %s", sig.p);
	}
	/* Which path it was refused only the command knows. */
	if (run->sandbox && !(s->state == TASK_EXITED && s->code == 0))
		buf_addf(&out, "\nSandbox: %s",
			 sandbox_words(a, &run->sandbox->may, run->call->env->home));
	for (size_t i = 0; i < s->nmembers; i++)
		buf_addf(&out, "%s%d", i ? ", " : "\nBackground PIDs: ", (int)s->members[i]);
	buf_addf(&out, "\nProcess Group PGID: %d", (int)s->pid);
	tool_ok(run->call, run->r, tool_untrusted(a, buf_str(&out)), shown);
}

static void answer_background(struct run *run)
{
	bool with_output = json_getz(run->call->args, "delay_ms") != NULL;
	struct arena *a = run->call->arena;
	int pid = (int)task_status(run->task).pid;
	struct str output = spool_text(&run->spool, a);
	struct str first;
	struct err err;

	if (!background_add(run->call->env->background, MOVE(run->task), &run->spool, run->command,
			    &err)) {
		tool_fail(run->call, run->r, "shell_execute_error",
			  "The command cannot run in the background: %s", err.text);
		return;
	}
	if (!with_output) {
		first = arena_printf(a,
				     "Command moved to background (PID: %d). Output hidden. Press "
				     "Ctrl+B to view.",
				     pid);
		tool_ok(run->call, run->r, first, first);
		run->r->left_pid = pid;
		return;
	}
	first = arena_printf(a, "Command is running in background. PID: %d. Initial output:", pid);
	tool_ok(run->call, run->r,
		arena_printf(a, "%s\n%s", first.p,
			     output.n ? tool_untrusted(a, output).p : "(empty)"),
		first);
	run->r->left_pid = pid;
}

/* ---- the tool ---- */

static bool check(struct tool_call *call, struct tool_result *r)
{
	struct str command = arg_str(call, "command");
	const char *wrong = NULL;

	if (str_trim(command).n == 0)
		wrong = "The command is empty.";
	else if (str_chr(command, '\0', 0) >= 0)
		wrong = "The command has a NUL character.";
	else if (command.n > COMMAND_MAX)
		wrong = "The command is longer than 128 KiB; write what is long to a file.";
	if (!wrong)
		return check_dir_path(call, r);
	tool_fail(call, r, "invalid_tool_params", "%s", wrong);
	return false;
}

static void go(struct run *run)
{
	const char *error = NULL;
	struct str output;
	struct err err;
	int64_t until;

	if (arg_bool(run->call, "is_background", false) && wait_delay(run)) {
		answer_background(run);
		return;
	}
	if (task_status(run->task).state == TASK_RUNNING)
		wait_end(run);
	until = clock_us() + (int64_t)STRAGGLE_MS * 1000;
	while (clock_us() < until)
		if (wait_piece(run, run->call->cancel, until) == TASK_SILENT)
			break;
	run->status = task_status(run->task);
	if (cancel_fired(run->call->cancel) && !run->stopped)
		run->stopped = STOPPED_CANCEL;
	/* Read before, since its file goes with the process. */
	output = spool_text(&run->spool, run->call->arena);
	if (run->status.nmembers && !background_add(run->call->env->background, MOVE(run->task),
						    &run->spool, run->command, &err)) {
		error = arena_printf(run->call->arena, "what it left running was ended: %s",
				     err.text)
				.p;
		run->status.nmembers = 0;
	}
	if (run->stopped)
		answer_stopped(run, output);
	else
		answer_ended(run, output, error);
	run->r->left_pid = run->status.nmembers ? (int)run->status.pid : 0;
}

static void run_shell_command(struct tool_call *call, struct tool_result *r)
{
	struct run run = { .call = call,
			   .r = r,
			   .command = arg_str(call, "command"),
			   /* Whoever types a command is not kept in. */
			   .sandbox = call->typed ? NULL : call->env->sandbox };
	double limit = setting(call, "/tools/truncateToolOutputThreshold", TRUNCATE_CHARS);
	double seconds = setting(call, "/tools/shell/inactivityTimeout", INACTIVITY_S);

	if (!check(call, r))
		return;
	/* Whoever types a command knows what it holds. */
	if (!call->typed && sh_substitutes(run.command)) {
		struct str text = STR(
			"Command injection detected: a command within a command, $(), ``, <() or "
			">(), is not run. Run the inner command by itself first, then put its "
			"output into the next command, or use a pipe or a file; single quotes make "
			"such text literal.");

		tool_ok(call, r, text,
			STR("Blocked: command substitution detected in shell command."));
		return;
	}
	run.dir = arg_dir(call, r, arg_str(call, "dir_path"));
	if (!run.dir)
		return;
	if (cancel_fired(call->cancel)) {
		run.stopped = STOPPED_CANCEL;
		answer_stopped(&run, STR(""));
		return;
	}
	spool_init(&run.spool, call->env->temp_dir,
		   limit >= 1 ? (size_t)(limit < 1e9 ? limit : 1e9) : 0);
	run.timeout_us = seconds > 0 ? (int64_t)((seconds < 1e9 ? seconds : 1e9) * 1e6) : 0;
	if (start(&run))
		go(&run);
	task_free(run.task);
	if (run.spool.path)
		r->saved = arena_z(call->arena, str_from(run.spool.path));
	if (run.spool.named) {
		r->long_bytes = run.spool.total;
		r->long_limit = run.spool.limit;
	}
	spool_done(&run.spool);
}

static const struct json *confirm(struct tool_call *call)
{
	struct arena *a = call->arena;
	struct str command = tool_clean(a, arg_str(call, "command"));

	return json_pack(a, "type:z title:z command:s rootCommand:s", "exec",
			 "Confirm Shell Command", command, shell_roots(a, command));
}

static struct str describe(struct tool_call *call)
{
	struct arena *a = call->arena;
	struct str command = tool_clean(a, arg_str(call, "command"));
	struct str dir = tool_clean(a, arg_str(call, "dir_path"));
	struct str about = tool_clean(a, arg_str(call, "description"));

	if (dir.n)
		command = arena_printf(a, "%s [in %s]", command.p, dir.p);
	if (about.n)
		command = arena_printf(a, "%s (%s)", command.p, about.p);
	return command;
}

const struct tool tool_run_shell_command = {
	.name = "run_shell_command",
	.display_name = "Shell",
	.description =
		"Runs a command with bash -c in its own process group and shows its output "
		"(stdout and stderr together), its exit code when that is not 0, the signal that "
		"ended it, and the processes that it left in the background. It has no input "
		"and no terminal. A command that writes nothing for some minutes is stopped. "
		"Command substitution is refused.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"command\":{\"type\":\"string\",\"description\":\"The command, as for bash "
		"-c.\"},"
		"\"description\":{\"type\":\"string\",\"description\":\"What it is for, in a "
		"sentence for the user.\"},"
		"\"dir_path\":{\"type\":\"string\",\"description\":\"Directory of the workspace to "
		"run it in (default: the working directory).\"},"
		"\"is_background\":{\"type\":\"boolean\",\"description\":\"Leave it running and "
		"go on: for servers and watchers.\"},"
		"\"delay_ms\":{\"type\":\"integer\",\"description\":\"With is_background: "
		"milliseconds to wait for its first output, which is shown then.\"}},"
		"\"required\":[\"command\"]}",
	.kind = TOOL_EXECUTE,
	.path_arg = "dir_path",
	.command_arg = "command",
	.example = "{\"command\":\"echo hello\"}",
	.check = check,
	.run = run_shell_command,
	.confirm = confirm,
	.describe = describe,
};
