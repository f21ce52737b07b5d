/*
 * Supervising one child process (contract section 6).  The same object serves the blocking and the
 * stepping form:
 *
 *	1. fill a struct proc_spec
 *	2. proc_start(): the process runs; on failure it never did, and the result says
 *	   PROC_NOT_STARTED
 *	3. until proc_step() returns true: poll what proc_fds() names, at most until
 *	   proc_deadline_us()
 *	4. read p->result; its buffers are the object's
 *	5. proc_done(): frees; a process that still runs is killed and reaped first (waits), unless
 *	   it belongs to another process (proc_is_ours())
 *
 * Stdin is written, stdout, stderr and the result pipe are read, the exit is noticed and the
 * deadline is kept in one poll: nothing blocks, whatever the child does.  The run is over when the
 * child itself has exited; what its pipes hold at that moment is read, and a grandchild that keeps
 * them open delays nothing.  Grandchildren live on after a normal end; a process that was asked to
 * end (deadline, cancel, too much output) takes its whole group with it.
 *
 * A process that lives on (spec.lines) is asked again and again: an input is a line, and each line
 * of stdout is a PROC_ANSWERED.  Then comes one of proc_next(), when this line answers nothing;
 * proc_again(), with the next input; proc_hang_up(), to let it end by itself.  Lines are told apart
 * by their order in the stream alone, so that it does not matter when we look: what follows a line
 * belongs to the next question, and what was written before the end is read.
 *
 * A process that is started ahead of its use (spec.waits) is PROC_WAITING until proc_ask() gives it
 * an input and a time.
 *
 * A process that announces (spec.announces) writes "exit N" and a line break to descriptor
 * PROC_NOTICE_FD when its exit status is decided, and waits there until we have closed our end.
 * Then the run is over before the process is: what the pipes hold is read, and
 * proc_result.announced is set.  What else is written there, or nothing, is no announcement.  Such
 * a process goes on with proc_go_on(), and proc_done() would kill it.
 *
 * The child leads its own session and group, starts with default signals and inherits no descriptor
 * but its pipes.  No signal handler is installed and no child of others is waited for.  In a host
 * that ignores SIGCHLD or reaps all children the kernel is asked how the child ended; where it
 * cannot tell, a shell that reports it is put between (if such a host says so: spec.host_reaps);
 * and if that does not help either, the result is PROC_UNKNOWN, never a hang.  Any number of
 * threads may each run their own struct proc.
 */
#pragma once

#include <poll.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"
#include "os/child.h"
#include "os/sandbox.h"
#include "os/spawn.h"
#include "os/watch.h"

/* What starts this program again: hooks that outlive us run under a process of our own. */
#define OWN_PROGRAM "/proc/self/exe"

enum {
	PROC_FDS_MAX = 7,
	PROC_RESULT_FD = 3, /* the number that the child sees */
	PROC_REPORT_FD = 4, /* that a process between us and the child sees */
	PROC_NOTICE_FD = 4, /* where there is none */
	PROC_GRACE_MS = 2000,
	PROC_GIVE_UP_MS = 5000, /* after SIGKILL: it is another user's, or stuck in the kernel */
};
#define PROC_STDOUT_MAX ((size_t)8 << 20)
#define PROC_STDERR_MAX ((size_t)64 << 10)

/* Strings must live until proc_start() returns, the bytes and the array of input until the end. */
struct proc_spec {
	const char *file; /* path of the program, seen from cwd; PATH is not searched */
	const char *const *argv; /* NULL-terminated */
	const char *const *envp; /* NULL-terminated; NULL = the host's environment */
	const char *cwd; /* NULL = the host's */
	const struct iovec *input; /* written to stdin, then EOF */
	size_t ninput;
	size_t max_stdout; /* bytes, 0 = PROC_STDOUT_MAX; more ends the process: PROC_TOO_BIG */
	size_t max_stderr; /* bytes of the tail that is kept, 0 = PROC_STDERR_MAX */
	size_t max_result; /* bytes of the result pipe, 0 = as max_stdout */
	int64_t timeout_ms; /* from proc_start to the exit; 0 = none */
	int grace_ms; /* between SIGTERM and SIGKILL, 0 = PROC_GRACE_MS */
	bool result_pipe; /* the child gets a pipe as descriptor PROC_RESULT_FD */
	struct watch *watch; /* ends it should we be killed; NULL = none */
	atomic_int *ret_group; /* set by the child to its own number (proc_start() fills it in) */
	bool host_reaps; /* other code of the host waits for all children */
	bool lines; /* it lives on: stdin stays open, and a line of stdout is an answer */
	const struct sandbox *sandbox; /* NULL = it may do what we may */
	bool waits; /* for its input, which proc_ask() gives it; no input and no time here */
	bool may_stay; /* after us: its stdin is a file of the whole input, so that none is lost */
	bool announces; /* it tells its exit status when that is decided */
};

enum proc_end {
	PROC_RUNNING,
	PROC_EXITED, /* .code is the exit status */
	PROC_SIGNALLED, /* .code is the signal */
	PROC_UNKNOWN, /* ended, but the host took the exit status away */
	PROC_TIMED_OUT,
	PROC_CANCELLED,
	PROC_TOO_BIG,
	PROC_NOT_STARTED, /* .code is the errno */
	PROC_ANSWERED, /* .line has come; the process lives on, or was about to end anyway */
	/* A process that had answered before has ended, or closed its stdin or stdout, and has read
	 * nothing of this input: as if that had happened before it was asked.  Likewise one that
	 * had waited for its input, and ended without having read any of it. */
	PROC_UNHEARD,
	PROC_WAITING, /* for proc_ask() */
};

struct proc_result {
	enum proc_end end;
	int code;
	bool exited; /* code is the exit status, also where end says why it was asked to end */
	bool announced; /* the same before it has ended: proc_go_on() */
	/* PROC_ANSWERED: the line, in .out, without its end; what is not ended by a line break is a
	 * line when stdout is closed, or the process has ended. */
	struct str line;
	bool early; /* it came before the input was written */
	struct buf out; /* stdout, whole unless PROC_TOO_BIG (then its first max_stdout bytes) */
	struct buf err; /* the tail of stderr */
	struct buf result; /* what came through the result pipe */
	int pipe_errno; /* not 0: a part of its input, of .out or of .result is lost */
	size_t err_lost; /* bytes of stderr before the kept tail */
	int64_t elapsed_us; /* from proc_start to the end */
};

struct proc {
	struct proc_result result;
	/* private */
	struct proc_spec spec;
	struct child child;
	int entry; /* in spec.watch */
	struct spawn_ends ends; /* -1 when closed */
	uint64_t in_pipe, pipes[SPAWN_STREAMS]; /* which pipes they are of */
	size_t in_part, in_off; /* the first byte of spec.input that is not yet written */
	size_t written; /* bytes of the input */
	/* of spec.lines, offsets in result.out: */
	size_t line_end; /* where the next line begins */
	size_t looked_at; /* no end of a line between it and line_end */
	size_t before; /* what was there before the input */
	bool again; /* by proc_again(): it has answered before */
	bool refused; /* its stdin has no reader any longer */
	bool over; /* the child has ended, and its pipes were read */
	int64_t start_us, deadline_us; /* deadline: INT64_MAX = none */
	int64_t kill_us, give_up_us; /* INT64_MAX until they are due to come */
	enum proc_end asked; /* why it is being ended: TIMED_OUT, CANCELLED, TOO_BIG; or RUNNING */
	bool reports; /* a shell is between, whose report this is: */
	struct buf report;
	struct buf notice;
	bool deaf; /* to it */
	bool started; /* ends and child are to be freed */
};

/*
 * Starts the process.  Returns 0, or -E_SPAWN with p->result.end == PROC_NOT_STARTED; p need not be
 * initialised and must be passed to proc_done in both cases.  TROTLINE_NO_PIDFD
 * (any value) in its environment selects a waiting thread instead of a pidfd.
 */
int proc_start(struct proc *p, const struct proc_spec *spec, struct err *err);
/*
 * False once the host has forked: what was started before belongs to the parent, who asks it and
 * reads its answers.  All that may be done with it here is proc_done(), which lets go of it.
 */
bool proc_is_ours(const struct proc *p);
/* What to poll now; returns how many, 0 once it has ended. */
size_t proc_fds(const struct proc *p, struct pollfd fds[PROC_FDS_MAX]);
/* When proc_step wants to be called at the latest (clock_us), or INT64_MAX. */
int64_t proc_deadline_us(const struct proc *p);
/*
 * Does what can be done without waiting.  fds are those of proc_fds() after poll(), or NULL to try
 * everything.  True once the process has ended and was reaped.
 */
bool proc_step(struct proc *p, const struct pollfd *fds, size_t n);
/* Asks the process group to end (SIGTERM, SIGKILL after the grace time); go on with proc_step. */
void proc_cancel(struct proc *p);
/*
 * Waits no longer for an announcement, and for the end of what has announced; go on with
 * proc_step().  The deadline stays the same.
 */
void proc_go_on(struct proc *p);
void proc_done(struct proc *p);

/*
 * The line was not the answer.  True when there is another one, or the process has ended, as from
 * proc_step(); else go on with that.
 */
bool proc_next(struct proc *p);
/* Whether the line was its last: it had ended when the line was found, and how. */
bool proc_spoke_last(const struct proc *p, enum child_end *ret_end, int *ret_code);
/*
 * The next input for a process that has answered (spec.lines).  False when it was not there to be
 * asked; one that has ended or cannot be asked any more is PROC_UNHEARD, after what it said.
 */
bool proc_again(struct proc *p, const struct iovec *input, size_t n, int64_t timeout_ms);
/*
 * Gives a process that waits its input, and timeout_ms from now (0 = any time).  False when it has
 * ended meanwhile; call proc_done() then.
 */
bool proc_ask(struct proc *p, const struct iovec *input, size_t n, int64_t timeout_ms);
/*
 * A process that waits can be lent to another process of ours (C6.14).  The lender passes these on,
 * lets go of its ends, and tells how it ended (child_borrow()).
 */
struct proc_loan {
	pid_t pid;
	int fds[6]; /* what it reads, both ends; its stdout, stderr, result pipe, announcements */
	size_t nfds; /* the last one is not always there */
};
/* False for one that cannot be lent. */
bool proc_loan(const struct proc *p, struct proc_loan *ret);
/* The lender has passed it on: what is left here is its child. */
void proc_lent(struct proc *p);
/* The borrower's: a process that waits, with what is the loan's from now on and a socket. */
void proc_borrow(struct proc *p, const struct proc_spec *spec, const struct proc_loan *loan,
		 int socket);
/* The borrower has what the process has announced, and leaves its end to the lender. */
void proc_bequeath(struct proc *p);
/*
 * Closes the stdin of a process that has answered, which tells it to end; go on with proc_step().
 * After timeout_ms it is asked to.
 */
void proc_hang_up(struct proc *p, int64_t timeout_ms);

/*
 * (waits) All of it; a fired cancel (NULL allowed) ends the process, or keeps it from starting.
 * p->result is filled; call proc_done.
 */
int proc_run(struct proc *p, const struct proc_spec *spec, struct cancel *cancel, struct err *err);

/*
 * (waits) Steps until the process has ended (true) or until_us of clock_us() has come (false; it
 * runs on).  INT64_MAX = no such time.  A fired cancel (NULL allowed) ends the process.
 */
bool proc_wait(struct proc *p, struct cancel *cancel, int64_t until_us);
/* As proc_done, but a process that still runs is left alone and not waited for. */
void proc_release(struct proc *p);

/* writev() to a pipe that cannot raise SIGPIPE in the host. */
ssize_t pipe_writev(int fd, const struct iovec *iov, int n);
/*
 * Writes as much of *left as a pipe that can be written to takes without blocking, and drops that;
 * false = the reader is gone.
 */
bool pipe_drain(int fd, struct buf *left);

DEFINE_AUTO(struct proc, proc_done)
