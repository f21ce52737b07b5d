/*
 * trotline mcp serve: the workbench of hooks as an MCP server on stdio (docs/mcp-serve.md).  One
 * thread polls the client, answers and signals; each call is a command with its own thread and
 * cancel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/mcp/mcp_serve_tools.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/proc.h"
#include "os/queue.h"
#include "os/thread.h"

enum {
	RUNNING_MAX = 4, /* commands at once; others wait */
	EOF_MS = 1000, /* what was asked before the input ended may take so long */
	OUT_MAX = 8 << 20, /* a client that does not read is not read from */
};

struct serve_args {
	const char *dir;
};

static const struct opt opts[] = {
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct serve_args, dir),
	  "the project to work in (default: the current directory)" },
};
const struct opt_set mcp_serve_opts = OPT_SET(opts, struct serve_args);

/* A call on its way: a command of the workbench in its own thread. */
struct job {
	struct message message; /* the last one: it has ended */
	struct server *server;
	struct serve_call *call;
	struct serve_command command;
	struct wb wb;
	int status;
	struct thread *thread; /* NULL = it waits */
	int64_t until_us; /* then it is cancelled */
	bool cancelled; /* the answer is not wanted any more */
	bool late;
};

struct server {
	struct serve serve;
	struct {
		struct job **p;
		size_t n, cap;
	} jobs;
	const char *dir; /* absolute */
	struct queue *done; /* jobs that have ended */
	const struct halt *halt;
	int out; /* the client; stdout itself is closed to all others */
	bool ended; /* the input has ended */
	bool gone; /* the client does not read any more */
	int64_t end_us; /* then everything is cancelled; INT64_MAX until the input has ended */
};

/* ---- calls ---- */

static int take_call(void *data, struct serve_call *call, struct err *err)
{
	struct server *s = data;
	struct serve_command command;
	struct job *job;
	int r = serve_command_make(call, &command, err);

	if (r < 0)
		return r;
	job = xcalloc(1, sizeof *job);
	job->call = call;
	job->command = command;
	call->data = job;
	*VEC_ADD(&s->jobs) = job;
	return 0;
}

static void job_cancel(struct job *job)
{
	job->cancelled = true;
	tl_cancel_fire(job->wb.cancel);
}

static void call_cancelled(void *data, struct serve_call *call)
{
	(void)data;
	job_cancel(call->data);
}

static void job_run(void *job_)
{
	struct job *job = job_;
	struct serve_command *c = &job->command;

	job->status = command_call(&job->wb, "trotline hooks", c->row, c->argc, (char **)c->argv);
	queue_push(job->server->done, &job->message);
}

/* The job is gone, and the call; why: there is no answer. */
static void job_end(struct server *s, struct job *job, const char *why)
{
	AUTO(buf_done) struct buf result = { 0 };
	size_t i = 0;

	thread_join(job->thread);
	while (s->jobs.p[i] != job)
		i++;
	s->jobs.n--;
	memmove(&s->jobs.p[i], &s->jobs.p[i + 1], (s->jobs.n - i) * sizeof(struct job *));
	if (job->cancelled) {
		serve_drop(&s->serve, job->call);
	} else {
		serve_result(&result, &job->wb, job->status, why);
		serve_answer(&s->serve, job->call, buf_str(&result));
	}
	tl_cancel_free(job->wb.cancel);
	wb_done(&job->wb);
	free(job);
}

/* What waits is started, what was cancelled before is not. */
static void jobs_start(struct server *s)
{
	size_t running = 0, i = 0;

	while (i < s->jobs.n) {
		struct job *job = s->jobs.p[i];

		if (!job->thread && job->cancelled) {
			job_end(s, job, NULL);
			continue;
		}
		if (!job->thread && running == RUNNING_MAX)
			return;
		if (!job->thread) {
			const char *dir = job->command.dir;

			job->server = s;
			job->wb = (struct wb){ .cwd = dir ? dir : s->dir,
					       .cancel = tl_cancel_new(NULL),
					       .input = &job->command.input,
					       .json = true,
					       .text = true,
					       .for_model = true };
			job->until_us = clock_us() + job->command.timeout_ms * 1000;
			job->thread = job->wb.cancel ? thread_start(job_run, job) : NULL;
		}
		if (job->thread) {
			running++;
			i++;
		} else {
			job_end(s, job, "The command cannot be started: out of resources.");
		}
	}
}

/* ---- the loop ---- */

enum { FD_HALT, FD_IN, FD_OUT, FD_DONE, FDS };

static void jobs_step(struct server *s)
{
	struct message *m;

	while ((m = queue_pop(s->done))) {
		struct job *job = (struct job *)m;
		AUTO(free) char *why = NULL;

		if (job->late)
			why = xasprintf("The command was ended: it took longer than %lld ms.",
					(long long)job->command.timeout_ms);
		job_end(s, job, why);
	}
	for (size_t i = 0; i < s->jobs.n; i++) {
		struct job *job = s->jobs.p[i];

		if (job->thread && !job->late && clock_us() >= job->until_us) {
			job->late = true;
			tl_cancel_fire(job->wb.cancel);
		}
	}
}

/* Can no answer reach the client any more? */
static bool is_over(const struct server *s)
{
	return s->gone || cancel_fired(s->halt->work);
}

/* (waits) Once. */
static void turn(struct server *s)
{
	bool reads = !s->ended && s->serve.out.n < OUT_MAX;
	struct pollfd fds[FDS] = {
		[FD_HALT] = { cancel_fd(s->halt->work), POLLIN, 0 },
		[FD_IN] = { reads ? STDIN_FILENO : -1, POLLIN, 0 },
		[FD_OUT] = { s->serve.out.n ? s->out : -1, POLLOUT, 0 },
		[FD_DONE] = { queue_fd(s->done), POLLIN, 0 },
	};
	int64_t until = clock_us() < s->end_us ? s->end_us : INT64_MAX;

	for (size_t i = 0; i < s->jobs.n; i++) {
		const struct job *job = s->jobs.p[i];

		if (job->thread && !job->late && !job->cancelled)
			until = until < job->until_us ? until : job->until_us;
	}
	if (is_over(s)) /* only for what is to end */
		fds[FD_HALT].fd = fds[FD_IN].fd = fds[FD_OUT].fd = -1;
	(void)fd_poll_until(fds, FDS, until);
	jobs_step(s);
	if (fds[FD_OUT].fd >= 0 && fds[FD_OUT].revents)
		s->gone |= !pipe_drain(s->out, &s->serve.out);
	if (fds[FD_IN].fd >= 0 && fds[FD_IN].revents) {
		char chunk[64 << 10];
		ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n > 0) {
			serve_feed(&s->serve, (struct str){ chunk, (size_t)n });
			return;
		}
		serve_end(&s->serve);
		s->ended = true;
		s->end_us = clock_us() + EOF_MS * 1000LL;
	}
}

/* ---- the command ---- */

static const char instructions[] =
	"Hooks are programs that watch over what an agent does in this project: they may observe, "
	"change, deny or stop it. Look with hooks_list, explain with hooks_why, check with "
	"hooks_lint after every change, try with hooks_run, and see what they did with "
	"hooks_report. Only the user can approve hooks of the project (trotline hooks trust).";

/* (waits) Until all jobs have ended, and all was said that can be. */
static int run(struct server *s)
{
	const struct serve_host host = {
		.name = "trotline",
		.title = "trotline: the workbench of hooks",
		.version = TL_VERSION,
		.instructions = instructions,
		.methods = serve_methods,
		.nmethods = serve_methods_n,
		.call = take_call,
		.cancelled = call_cancelled,
	};

	serve_init(&s->serve, &host, s);
	for (;;) {
		bool late = clock_us() >= s->end_us;

		for (size_t i = 0; (late || is_over(s)) && i < s->jobs.n; i++)
			if (!s->jobs.p[i]->cancelled)
				job_cancel(s->jobs.p[i]);
		jobs_start(s);
		if (!s->jobs.n && (is_over(s) || (s->ended && (late || !s->serve.out.n))))
			break;
		turn(s);
	}
	serve_done(&s->serve);
	queue_free(s->done, NULL);
	free(s->jobs.p);
	return cancel_fired(s->halt->work) ? interrupt_status() : EXIT_OK;
}

int cmd_mcp_serve(const void *args_, int n, char **rest)
{
	const struct serve_args *args = args_;
	static struct halt halt; /* of the signal handlers */
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *dir = fs_absolute(here ? here : "/", args->dir ? args->dir : ".");
	struct server s = { .halt = &halt, .dir = dir, .end_us = INT64_MAX };
	AUTO(close) int out = -1;

	(void)n;
	(void)rest;
	if (args->dir && !fs_is_dir(args->dir)) {
		complain("%s: no such directory", args->dir);
		return EXIT_USAGE;
	}
	if (isatty(STDIN_FILENO))
		(void)fputs("This is an MCP server: agents start it and talk to it on stdin.  Add "
			    "it to one:\n  trotline mcp add trotline trotline mcp serve\n"
			    "Ctrl-D ends it.\n",
			    stderr);
	/* Text that is printed on stdout from now on is no message. */
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FD_LOWEST);
	if (out >= 0)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	s.done = queue_new();
	if (out < 0 || !halt_init(&halt) || !s.done) {
		complain("out of file descriptors");
		return EXIT_USAGE;
	}
	s.out = out;
	interrupt_halt(&halt);
	return run(&s);
}
