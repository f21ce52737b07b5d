/*
 * The leader is reaped as soon as it has ended; whether it left anybody behind is then seen by its
 * group, which costs one system call.  Only if there is somebody (or somebody has the pipe) is
 * /proc searched for the processes of the session.  A number that is in use as a session's id is
 * not given to a new process, so that a process of that number means that all of ours are gone.
 */
#include "os/task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "os/child.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/proc.h"
#include "os/spawn.h"

enum {
	GIVE_UP_MS = 5000, /* after SIGKILL: stuck in the kernel, or another user's */
	LOOK_MS = 10, /* between two looks at processes that are no children of ours */
	STAT_MAX = 512,
	EXITING = 4, /* PF_EXITING in the flags of /proc/N/stat */
};

struct task {
	struct child child;
	pid_t pid;
	int out; /* our end of the pipe, -1 once it has no writer */
	bool running, asked, told;
	size_t owed; /* bytes that the pipe held when the leader ended */
	int64_t kill_us, give_up_us; /* INT64_MAX until they are due to come */
	pthread_mutex_t lock; /* of what follows */
	enum task_state state;
	int code;
	bool left; /* somebody was left behind when the leader ended */
	/* of a detached one */
	bool detached;
	pthread_t thread;
	struct cancel *own, *cancel; /* fired by task_free(), by others */
	void (*sink)(void *data, struct str bytes);
	void *data;
};

/* ---- the processes of a session ---- */

/* After the leader was reaped: the processes of its session that are not about to be gone. */
static size_t find_left(pid_t session, pid_t *pids, size_t max)
{
	DIR *dir = opendir("/proc");
	size_t n = 0;

	for (struct dirent *e; dir && n < max && (e = readdir(dir));) {
		char path[32], stat[STAT_MAX], state;
		unsigned flags;
		int64_t pid;
		int sid;

		if (!str_to_int(str_from(e->d_name), &pid))
			continue;
		(void)snprintf(path, sizeof path, "%.20s/stat", e->d_name);
		AUTO(close) int fd = openat(dirfd(dir), path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? 0 : read(fd, stat, STAT_MAX - 1);
		stat[got > 0 ? got : 0] = '\0';
		const char *rest = strrchr(stat, ')'); /* the name before it may hold anything */

		if (rest &&
		    sscanf(rest + 1, " %c %*d %*d %d %*d %*d %u", &state, &sid, &flags) == 3 &&
		    sid == session && !strchr("ZXx", state) && !(flags & EXITING))
			pids[n++] = (pid_t)pid;
	}
	if (dir)
		(void)closedir(dir);
	for (size_t i = 0; i < n; i++)
		if (pids[i] == session) /* the number is another one's now */
			return 0;
	return n;
}

/* (waits) Until none is left; false after ms. */
static bool wait_gone(pid_t session, int ms)
{
	int64_t until = clock_us() + (int64_t)ms * 1000;
	pid_t pids[1];

	while (find_left(session, pids, ARRAY_LEN(pids)) > 0) {
		if (clock_us() >= until)
			return false;
		(void)poll(NULL, 0, LOOK_MS);
	}
	return true;
}

static void signal_left(pid_t session, int sig)
{
	pid_t pids[TASK_MEMBERS_MAX];
	size_t n = find_left(session, pids, ARRAY_LEN(pids));

	for (size_t i = 0; i < n; i++)
		(void)kill(pids[i], sig);
}

/* (waits) Again and again, since they may start others meanwhile. */
static void kill_left(pid_t session)
{
	for (int ms = 0; ms < GIVE_UP_MS; ms += LOOK_MS) {
		signal_left(session, SIGKILL);
		if (wait_gone(session, LOOK_MS))
			return;
	}
}

static void end_left(struct task *t)
{
	if (!t->left) /* no other thread writes it any longer */
		return;
	signal_left(t->pid, SIGTERM);
	if (!wait_gone(t->pid, TASK_GRACE_MS))
		kill_left(t->pid);
	pthread_mutex_lock(&t->lock);
	t->left = false;
	pthread_mutex_unlock(&t->lock);
}

/* ---- start ---- */

static int open_ends(struct spawn_ends *ends)
{
	int pipe_ends[2], r;

	*ends = SPAWN_NO_ENDS;
	if (pipe2(pipe_ends, O_CLOEXEC) < 0)
		return -errno;
	ends->from[SPAWN_STDOUT] = pipe_ends[0];
	ends->child_to[SPAWN_STDOUT] = pipe_ends[1];
	ends->child_in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (ends->child_in < 0)
		return -errno;
	r = fd_lift(&ends->from[SPAWN_STDOUT], FD_LOWEST);
	if (r == 0)
		r = fd_lift(&ends->child_to[SPAWN_STDOUT], FD_LOWEST);
	if (r == 0)
		r = fd_lift(&ends->child_in, FD_LOWEST);
	if (r == 0 && fcntl(ends->from[SPAWN_STDOUT], F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	return r;
}

static int spawn(struct task *t, const struct task_spec *spec)
{
	const struct proc_spec how = {
		.file = spec->file,
		.argv = spec->argv,
		.envp = spec->envp,
		.cwd = spec->cwd,
		.sandbox = spec->sandbox,
	};
	struct spawn_ends ends, both;
	int r = open_ends(&ends), pidfd;

	if (r == 0) {
		both = ends;
		both.child_to[SPAWN_STDERR] = ends.child_to[SPAWN_STDOUT];
		if (spec->extra_fd > 0) /* stays open here, and copied last overwrites nothing */
			both.child_to[SPAWN_RESULT] = spec->extra_fd;
		r = spawn_process(&how, &both, &t->pid, &pidfd);
	}
	spawn_close_child_ends(&ends);
	if (r == 0)
		r = child_watch(&t->child, t->pid, pidfd);
	if (r < 0)
		spawn_close(&ends);
	t->out = ends.from[SPAWN_STDOUT];
	return r;
}

int task_start(const struct task_spec *spec, struct task **ret_task, struct err *err)
{
	struct task *t;
	int r;

	if (spec->sandbox && sandbox_check(sandbox_abi(), err) < 0)
		return err_wrap(err, "cannot start %s", spec->file);
	t = xcalloc(1, sizeof *t);
	r = spawn(t, spec);

	if (r < 0) {
		free(t);
		return err_set(err, E_SPAWN, "cannot start %s: %s", spec->file, strerror(-r));
	}
	t->running = true;
	t->kill_us = t->give_up_us = INT64_MAX;
	(void)pthread_mutex_init(&t->lock, NULL);
	*ret_task = t;
	return 0;
}

/* ---- the run ---- */

void task_stop(struct task *t)
{
	if (t->asked)
		return;
	t->asked = true;
	if (!t->running) {
		end_left(t);
		fd_close(&t->out);
		return;
	}
	child_signal(&t->child, SIGTERM);
	t->kill_us = clock_us() + (int64_t)TASK_GRACE_MS * 1000;
}

static void set_ended(struct task *t, enum task_state state, int code, bool left)
{
	int held = 0;

	t->running = false;
	t->kill_us = t->give_up_us = INT64_MAX;
	/* And no more: who is left may go on writing for ever. */
	if (t->out >= 0 && ioctl(t->out, FIONREAD, &held) == 0)
		t->owed = (size_t)held;
	pthread_mutex_lock(&t->lock);
	t->state = state;
	t->code = code;
	t->left = left;
	pthread_mutex_unlock(&t->lock);
}

static void leader_ended(struct task *t)
{
	static const enum task_state states[] = {
		[CHILD_EXITED] = TASK_EXITED,
		[CHILD_SIGNALLED] = TASK_SIGNALLED,
		[CHILD_LOST] = TASK_LOST,
	};
	struct pollfd out = { .fd = t->out, .events = POLLIN }; /* hung up: it has no writer */
	enum child_end end;
	int code = 0;
	bool left;

	if (t->asked)
		child_signal(&t->child, SIGKILL);
	end = child_reap(&t->child, &code);
	left = kill(-t->pid, 0) == 0 || errno == EPERM ||
	       (t->out >= 0 && !(fd_poll(&out, 1, 0) > 0 && out.revents & POLLHUP));
	if (t->asked)
		kill_left(t->pid);
	set_ended(t, states[end], code, left && !t->asked);
}

/* How many bytes came; 0 when there is nothing, now or for ever. */
static size_t read_piece(struct task *t, struct buf *out, size_t want)
{
	ssize_t r = fd_read(t->out, out, want);

	if (r == 0 || (r < 0 && r != -EAGAIN))
		fd_close(&t->out);
	return r > 0 ? (size_t)r : 0;
}

enum { FD_CHILD, FD_OUT, FD_CANCEL, FD_OWN };

/* What remains to be told after the leader's end; false when nothing. */
static bool tell_end(struct task *t, struct buf *out, enum task_event *ret)
{
	if (t->owed > 0) {
		size_t n = t->out < 0 ? 0 : read_piece(t, out, min_size(t->owed, TASK_PIECE));

		t->owed = n ? t->owed - n : 0;
		*ret = TASK_OUTPUT;
		if (n)
			return true;
	}
	*ret = t->told ? TASK_SILENT : TASK_ENDED;
	if (t->told)
		return t->out < 0;
	t->told = true;
	return true;
}

enum task_event task_wait(struct task *t, struct cancel *cancel, int64_t until_us, struct buf *out)
{
	enum task_event event;
	int64_t now;

	for (;;) {
		if (!t->running && tell_end(t, out, &event))
			return event;
		int64_t next_us = t->kill_us < t->give_up_us ? t->kill_us : t->give_up_us;
		struct pollfd fds[] = {
			[FD_CHILD] = { t->running ? t->child.fd : -1, POLLIN, 0 },
			[FD_OUT] = { t->out, POLLIN, 0 },
			[FD_CANCEL] = { t->asked ? -1 : cancel_fd(cancel), POLLIN, 0 },
			[FD_OWN] = { t->asked ? -1 : cancel_fd(t->own), POLLIN, 0 },
		};
		(void)fd_poll_until(fds, ARRAY_LEN(fds), next_us < until_us ? next_us : until_us);
		if (fds[FD_CANCEL].revents || fds[FD_OWN].revents)
			task_stop(t);
		if (fds[FD_CHILD].revents) {
			leader_ended(t);
			continue;
		}
		now = clock_us();
		if (now >= t->kill_us) {
			child_signal(&t->child, SIGKILL);
			t->kill_us = INT64_MAX;
			t->give_up_us = now + (int64_t)GIVE_UP_MS * 1000;
		}
		if (now >= t->give_up_us) {
			child_abandon(&t->child);
			set_ended(t, TASK_LOST, 0, false);
		}
		if (fds[FD_OUT].revents && t->out >= 0 && read_piece(t, out, TASK_PIECE))
			return TASK_OUTPUT;
		if (until_us != INT64_MAX && clock_us() >= until_us && (t->running || t->told))
			return TASK_TIME;
	}
}

struct task_status task_status(struct task *t)
{
	struct task_status s = { .pid = t->pid };
	bool left;

	pthread_mutex_lock(&t->lock);
	s.state = t->state;
	s.code = t->code;
	left = t->left;
	pthread_mutex_unlock(&t->lock);
	if (left)
		s.nmembers = find_left(t->pid, s.members, ARRAY_LEN(s.members));
	return s;
}

/* ---- on its own ---- */

static void *go_on(void *arg)
{
	AUTO(buf_done) struct buf piece = { 0 };
	struct task *t = arg;
	enum task_event event;

	do {
		buf_clear(&piece);
		event = task_wait(t, t->cancel, INT64_MAX, &piece);
		if (piece.n)
			t->sink(t->data, buf_str(&piece));
	} while (event != TASK_SILENT);
	if (t->left && !t->asked) {
		struct pollfd fds[] = { { .fd = cancel_fd(t->cancel), .events = POLLIN },
					{ .fd = cancel_fd(t->own), .events = POLLIN } };

		while (!cancel_fired(t->cancel) && !cancel_fired(t->own))
			(void)fd_poll(fds, ARRAY_LEN(fds), -1);
		end_left(t);
	}
	return NULL;
}

int task_detach(struct task *t, struct cancel *cancel, void (*sink)(void *data, struct str bytes),
		void *data, struct err *err)
{
	sigset_t all, old;
	int r;

	t->own = cancel_new(NULL);
	if (!t->own)
		return err_errno(err, errno, "a background process");
	t->cancel = cancel;
	t->sink = sink;
	t->data = data;
	/* Signals are for the threads of the program. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&t->thread, NULL, go_on, t);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	t->detached = r == 0;
	return r == 0 ? 0 : err_errno(err, r, "a background process");
}

void task_free(struct task *t)
{
	AUTO(buf_done) struct buf ignored = { 0 };

	if (!t)
		return;
	if (t->detached) {
		cancel_fire(t->own);
		(void)pthread_join(t->thread, NULL);
	} else {
		task_stop(t);
		while (!t->told) {
			(void)task_wait(t, NULL, INT64_MAX, &ignored);
			buf_clear(&ignored);
		}
	}
	fd_close(&t->out);
	cancel_free(t->own);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}
