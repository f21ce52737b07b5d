/*
 * A command of which the output is wanted as it comes, and which may leave processes behind: what
 * the shell tool runs.  It differs from os/proc.h in that
 *
 *	- stdin is /dev/null (a pipe makes programs look for input there), stdout and stderr are
 *	  one pipe, so that they stay in order;
 *	- output is handed over piece by piece: memory does not grow with it;
 *	- the end of the process that was started, the leader, is not the end of the task: other
 *	  processes of its session may live on, write to the pipe, and are ended by task_free().
 *
 *	1. task_start()
 *	2. task_wait() until TASK_ENDED: the leader has ended, task_status() says how
 *	3. task_free(), or task_detach(): a thread of its own goes on with 2, whatever state it is
 *in
 *
 * A process that makes a session of its own (setsid, daemons) leaves the task.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

enum {
	TASK_GRACE_MS = 1000, /* between SIGTERM and SIGKILL */
	TASK_PIECE = 64 << 10, /* bytes that one task_wait() adds at most */
	TASK_MEMBERS_MAX = 64,
};

/* Strings are needed until task_start() returns. */
struct task_spec {
	const char *file; /* path of the program */
	const char *const *argv, *const *envp; /* NULL-terminated */
	const char *cwd;
	int extra_fd; /* what it finds as descriptor PROC_RESULT_FD; 0 = nothing */
	const struct sandbox *sandbox; /* NULL = it may do what we may */
};

struct task;

enum task_state {
	TASK_RUNNING,
	TASK_EXITED, /* code is the exit status */
	TASK_SIGNALLED, /* code is the signal */
	TASK_LOST, /* unknown */
};

struct task_status {
	enum task_state state; /* of the leader */
	int code;
	pid_t pid; /* of the leader; also the id of group and session */
	pid_t members[TASK_MEMBERS_MAX]; /* processes that it left behind; none while it runs */
	size_t nmembers;
};

enum task_event {
	TASK_TIME, /* until_us has come */
	TASK_OUTPUT, /* bytes were added */
	TASK_ENDED, /* the leader has ended, and what it wrote was handed over; told once */
	TASK_SILENT, /* after that: no process has the pipe open */
};

/* -E_SPAWN when it cannot be started. */
int task_start(const struct task_spec *spec, struct task **ret_task, struct err *err);
/*
 * (waits) Until one of the events.  A fired cancel (NULL allowed) ends all processes of the
 * session: SIGTERM, and SIGKILL after the grace time; go on until TASK_ENDED.
 */
enum task_event task_wait(struct task *t, struct cancel *cancel, int64_t until_us, struct buf *out);
/* The same as a fired cancel. */
void task_stop(struct task *t);
/* Any thread may ask. */
struct task_status task_status(struct task *t);
/*
 * From now on a thread waits: output goes to sink (in that thread), a fired cancel ends everything.
 * Both must outlive task_free().  A negative code when there is no thread to be had.
 */
int task_detach(struct task *t, struct cancel *cancel, void (*sink)(void *data, struct str bytes),
		void *data, struct err *err);
/* (waits) Ends all its processes. */
void task_free(struct task *t);

DEFINE_AUTO_PTR(struct task, task_free)
