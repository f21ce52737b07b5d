/*
 * The supervision: everything happens in proc_step(), driven by what poll() said and by the clock.
 * The states are few: running; running and asked to end (p->asked says why), with kill_us and
 * give_up_us to come; answered (a process that lives on waits for proc_again()); ended
 * (p->result.end is set, all descriptors are closed).
 */
#include "os/proc.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/fd.h"

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x100 /* Linux 6.18 */
#endif

enum {
	READ_MIN = 4096,
	READ_MAX = 64 << 10, /* what a pipe holds */
	HELD_MAX = 1 << 20, /* what one holds that was made larger */
	IOV_AT_ONCE = 16,
};

static bool is_running(const struct proc *p)
{
	return p->started && p->result.end == PROC_RUNNING;
}

/* It was started and not reaped. */
static bool is_there(const struct proc *p)
{
	return p->started && p->child.pid;
}

bool proc_is_ours(const struct proc *p)
{
	return !p->started || child_is_ours(&p->child);
}

/* Until a child is reaped its number is its own. */
static enum child_end reap(struct proc *p, int *ret_code)
{
	watch_remove(p->spec.watch, p->entry);
	return child_reap(&p->child, ret_code);
}

/* Of one that was started before a fork() of the host there is a copy here, and no more. */
static void abandon(struct proc *p)
{
	if (proc_is_ours(p))
		watch_remove(p->spec.watch, p->entry);
	child_abandon(&p->child);
}

/* Being asked twice changes nothing: the first reason is the result. */
static void ask_to_end(struct proc *p, enum proc_end why)
{
	if (p->asked != PROC_RUNNING)
		return;
	p->asked = why;
	child_signal(&p->child, SIGTERM);
	p->kill_us = clock_us() + (int64_t)p->spec.grace_ms * 1000;
}

/* Where the kernel has no flag against it, SIGPIPE is blocked in this thread, and taken. */
static ssize_t writev_masked(int fd, const struct iovec *iov, int n)
{
	const struct timespec no_wait = { 0 };
	sigset_t sigpipe, old, pending;
	ssize_t r;
	int saved;

	(void)sigemptyset(&pending);
	(void)sigemptyset(&sigpipe);
	(void)sigaddset(&sigpipe, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &sigpipe, &old);
	if (sigismember(&old, SIGPIPE)) /* else it would have been delivered */
		(void)sigpending(&pending);
	r = writev(fd, iov, n);
	saved = errno;
	/* The signal goes to the thread that wrote, so that it is there now or never. */
	if (r < 0 && saved == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&sigpipe, NULL, &no_wait) < 0 && errno == EINTR)
			continue;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}

ssize_t pipe_writev(int fd, const struct iovec *iov, int n)
{
	/* At the file's own position, -1 in two halves; musl has no function for it. */
	ssize_t r = syscall(SYS_pwritev2, fd, iov, (long)n, -1L, -1L, RWF_NOSIGNAL);

	/* An old kernel, or a sandbox that does not know the call. */
	if (r < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE)
		return writev_masked(fd, iov, n);
	return r;
}

bool pipe_drain(int fd, struct buf *left)
{
	enum { WRITE_MAX = 4096 };
	struct iovec part = { left->p, min_size(left->n, WRITE_MAX) };
	ssize_t n = left->n ? pipe_writev(fd, &part, 1) : 0;

	if (n > 0)
		buf_drop(left, (size_t)n);
	return n >= 0 || errno == EINTR || errno == EAGAIN;
}

/* The next unwritten parts of the input; 0 when all is written. */
static int next_input(const struct proc *p, struct iovec iov[IOV_AT_ONCE])
{
	size_t off = p->in_off;
	int n = 0;

	for (size_t i = p->in_part; i < p->spec.ninput && n < IOV_AT_ONCE; i++) {
		const struct iovec *part = &p->spec.input[i];

		if (part->iov_len > off) {
			iov[n].iov_base = (char *)part->iov_base + off;
			iov[n++].iov_len = part->iov_len - off;
		}
		off = 0;
	}
	return n;
}

static void input_written(struct proc *p, size_t n)
{
	p->written += n;
	while (p->in_part < p->spec.ninput) {
		size_t left = p->spec.input[p->in_part].iov_len - p->in_off;

		if (n < left) {
			p->in_off += n;
			return;
		}
		n -= left;
		p->in_part++;
		p->in_off = 0;
	}
}

/* ---- pipes of ours ---- */

static void know_pipes(struct proc *p)
{
	p->in_pipe = fd_file(p->ends.in);
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		p->pipes[i] = fd_file(p->ends.from[i]);
}

/*
 * A host that closes a descriptor twice, or all that it does not know, closes ours, and its number
 * is somebody else's soon.  What was read there, or written, says nothing then.
 */
static bool has_pipe(struct proc *p, int *fd, uint64_t pipe)
{
	if (*fd >= 0 && !fd_is_of(*fd, pipe)) {
		p->result.pipe_errno = EBADF;
		*fd = -1;
	}
	return *fd >= 0;
}

static void close_pipe(struct proc *p, int *fd, uint64_t pipe)
{
	if (has_pipe(p, fd, pipe))
		fd_close(fd);
}

/*
 * Whether all that was written of this input is in the pipe still: it would be the last of it.  Of
 * a process that had waited we have the end of the pipe that it reads, too, as ours gets closed.
 */
static bool is_unread(const struct proc *p)
{
	int fd = p->spec.waits ? p->ends.child_in : p->ends.in, held = 0;

	return fd < 0 || (ioctl(fd, FIONREAD, &held) == 0 && (size_t)held >= p->written);
}

/*
 * A child that does not read its input has a right to do so: every error but EAGAIN is the end.
 * One that would read it, and cannot be given it, has not been asked.
 */
static void write_input(struct proc *p, ssize_t (*writer)(int, const struct iovec *, int))
{
	struct iovec iov[IOV_AT_ONCE];

	for (;;) {
		int n = next_input(p, iov);
		ssize_t r;

		if (n == 0) {
			if (!p->spec.lines)
				close_pipe(p, &p->ends.in, p->in_pipe);
			return;
		}
		if (!has_pipe(p, &p->ends.in, p->in_pipe)) {
			p->refused = true;
			return;
		}
		r = writer(p->ends.in, iov, n);
		if (r >= 0) {
			input_written(p, (size_t)r);
			continue;
		}
		if (errno == EAGAIN)
			return;
		if (errno == EINTR)
			continue;
		if (errno != EPIPE)
			p->result.pipe_errno = errno;
		p->refused = true;
		if (!p->again) /* else it matters whether it has read anything */
			close_pipe(p, &p->ends.in, p->in_pipe);
		return;
	}
}

static struct buf *stream_buf(struct proc *p, size_t stream)
{
	struct buf *const bufs[SPAWN_STREAMS] = { &p->result.out, &p->result.err, &p->result.result,
						  &p->report, &p->notice };

	return bufs[stream];
}

static void keep_tail(struct proc *p, size_t max)
{
	struct buf *b = &p->result.err;

	if (b->n <= max)
		return;
	p->result.err_lost += b->n - max;
	buf_drop(b, b->n - max);
}

static void too_big(struct proc *p, size_t stream, size_t max)
{
	stream_buf(p, stream)->n = max;
	fd_close(&p->ends.from[stream]);
	ask_to_end(p, PROC_TOO_BIG);
}

/* Of stderr twice the tail may pile up, so that moving it is cheap. */
static void limit_stream(struct proc *p, size_t stream)
{
	const size_t limits[SPAWN_STREAMS] = { p->spec.max_stdout, p->spec.max_stderr,
					       p->spec.max_result, READ_MIN, SIZE_MAX };
	struct buf *b = stream_buf(p, stream);
	size_t max = limits[stream];

	if (b->n <= max)
		return;
	if (stream == SPAWN_STDERR) {
		if (b->n / 2 >= max)
			keep_tail(p, max);
		return;
	}
	if (stream == SPAWN_STDOUT && p->spec.lines) /* find_line() sees to it */
		return;
	too_big(p, stream, max);
}

/* One read of at most `want` bytes.  How many came; 0 when there is nothing, now or for ever. */
static size_t read_stream(struct proc *p, size_t stream, size_t want)
{
	struct buf *b = stream_buf(p, stream);
	int *fd = &p->ends.from[stream];
	ssize_t r;

	/* What is another process's there would be missed by who waits for it. */
	if (!has_pipe(p, fd, p->pipes[stream]))
		return 0;
	r = fd_read(*fd, b, want);
	if (r > 0) {
		limit_stream(p, stream);
		return (size_t)r;
	}
	if (r < 0 && r != -EAGAIN && stream != SPAWN_STDERR)
		p->result.pipe_errno = (int)-r;
	if (r != -EAGAIN)
		close_pipe(p, fd, p->pipes[stream]);
	return 0;
}

/*
 * What the pipe holds now and no more, since a grandchild may go on writing for ever.  What is not
 * told is guessed; what is told and then not there, somebody else has read.
 */
static void drain(struct proc *p, size_t stream)
{
	int *fd = &p->ends.from[stream], held = 0;
	bool told = *fd < 0 || ioctl(*fd, FIONREAD, &held) == 0;

	if (!told)
		held = HELD_MAX;
	while (held > 0 && *fd >= 0) {
		size_t n = read_stream(p, stream, min_size((size_t)held, READ_MAX));

		if (n == 0 && told && stream != SPAWN_STDERR && p->result.pipe_errno == 0)
			p->result.pipe_errno = EIO;
		if (n == 0)
			return;
		held -= (int)n;
	}
}

/* The same of the first n streams: most are empty, which one call tells of all. */
static void drain_all(struct proc *p, size_t n)
{
	struct pollfd fds[SPAWN_STREAMS];
	bool told;

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = p->ends.from[i], .events = POLLIN };
	told = poll(fds, n, 0) >= 0;
	for (size_t i = 0; i < n; i++)
		if (!told || fds[i].revents)
			drain(p, i);
}

static void set_end(struct proc *p, enum proc_end end, int code)
{
	p->result.end = p->asked == PROC_RUNNING ? end : p->asked;
	p->result.code = code;
	p->result.exited = end == PROC_EXITED;
	p->result.elapsed_us = clock_us() - p->start_us;
	close_pipe(p, &p->ends.in, p->in_pipe);
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		close_pipe(p, &p->ends.from[i], p->pipes[i]);
	spawn_close(&p->ends);
	keep_tail(p, p->spec.max_stderr);
}

static bool is_written(const struct proc *p)
{
	struct iovec iov[IOV_AT_ONCE];

	return next_input(p, iov) == 0;
}

/* The next line of a process that lives on. */
static void find_line(struct proc *p)
{
	size_t from = p->line_end < p->looked_at ? p->looked_at : p->line_end, n;
	struct buf *out = &p->result.out;
	const char *end;

	if (!p->spec.lines || !is_running(p) || p->asked != PROC_RUNNING)
		return;
	end = out->n > from ? memchr(out->p + from, '\n', out->n - from) : NULL;
	n = end ? (size_t)(end - out->p) : out->n;
	if (n > p->spec.max_stdout) {
		too_big(p, SPAWN_STDOUT, p->spec.max_stdout);
		return;
	}
	p->looked_at = n;
	if (!end && (n == p->line_end || (p->ends.from[SPAWN_STDOUT] >= 0 && !p->over)))
		return;
	p->result.line = (struct str){ out->p + p->line_end, n - p->line_end };
	p->result.early = p->line_end < p->before;
	p->line_end = end ? n + 1 : n;
	drain(p, SPAWN_STDERR);
	keep_tail(p, p->spec.max_stderr);
	p->result.end = PROC_ANSWERED;
	watch_set(p->spec.watch, p->entry, 0);
	p->result.elapsed_us = clock_us() - p->start_us;
}

/* PROC_UNHEARD, unless something was said before. */
static void look_unheard(struct proc *p)
{
	if (!p->again || !is_running(p) || p->asked != PROC_RUNNING ||
	    (!p->refused && p->ends.from[SPAWN_STDOUT] >= 0) || !is_unread(p))
		return;
	drain(p, SPAWN_STDOUT);
	find_line(p);
	if (is_running(p))
		p->result.end = PROC_UNHEARD;
}

/*
 * Lets it go, whoever else has our end (a host may have forked).  What it still says must not kill
 * it: so it is read.
 */
static void end_notice(struct proc *p)
{
	if (p->ends.from[SPAWN_NOTICE] >= 0)
		(void)shutdown(p->ends.from[SPAWN_NOTICE], SHUT_WR);
	p->deaf = true;
	buf_clear(&p->notice);
}

/* The end, as far as it is known before the process has ended: see finish(). */
static void hear_notice(struct proc *p)
{
	struct str text = buf_str(&p->notice);
	int64_t code;
	int notice;

	if (text.n == 0)
		return;
	if (p->deaf || p->asked != PROC_RUNNING || !str_starts(text, STR("exit ")) ||
	    !str_ends(text, STR("\n")) || !str_to_int(str_sub(text, 5, text.n - 1), &code) ||
	    code < 0 || code > 255) {
		end_notice(p);
		return;
	}
	drain_all(p, SPAWN_NOTICE);
	if (p->asked != PROC_RUNNING) /* it has said too much */
		return;
	p->result.announced = true;
	notice = p->ends.from[SPAWN_NOTICE];
	p->ends.from[SPAWN_NOTICE] = -1;
	set_end(p, p->spec.waits && is_unread(p) ? PROC_UNHEARD : PROC_EXITED, (int)code);
	p->ends.from[SPAWN_NOTICE] = notice;
}

void proc_go_on(struct proc *p)
{
	end_notice(p);
	if (!p->result.announced)
		return;
	p->result.announced = p->spec.waits = false;
	p->result.end = PROC_RUNNING;
}

/* Deadline, then the grace time, then the time to give up. */
static void keep_time(struct proc *p)
{
	int64_t now;

	if (proc_deadline_us(p) == INT64_MAX)
		return;
	now = clock_us();
	if (now >= p->deadline_us)
		ask_to_end(p, PROC_TIMED_OUT);
	if (now >= p->kill_us) {
		child_signal(&p->child, SIGKILL);
		p->kill_us = INT64_MAX;
		p->give_up_us = now + (int64_t)PROC_GIVE_UP_MS * 1000;
	}
	if (now >= p->give_up_us) {
		abandon(p);
		set_end(p, p->asked, 0);
	}
}

/* The process has ended.  It is reaped last, for until then its group id cannot be another's. */
static void finish(struct proc *p)
{
	static const enum proc_end ends[] = {
		[CHILD_EXITED] = PROC_EXITED,
		[CHILD_SIGNALLED] = PROC_SIGNALLED,
		[CHILD_LOST] = PROC_UNKNOWN,
	};
	int64_t status;
	bool unheard;
	int code = 0;

	if (!p->over)
		drain_all(p, SPAWN_STREAMS);
	p->over = true;
	find_line(p);
	if (!is_running(p)) /* its last words; proc_next() and proc_ended() see to the rest */
		return;
	unheard = (p->again || p->spec.waits) && p->asked == PROC_RUNNING && is_unread(p);
	if (p->asked != PROC_RUNNING)
		child_signal(&p->child, SIGKILL);
	enum child_end end = reap(p, &code);
	if (p->reports && !str_to_int(str_trim(buf_str(&p->report)), &status)) {
		end = CHILD_LOST;
	} else if (p->reports) { /* a shell tells of a signal by a number above 128 */
		end = status > 128 ? CHILD_SIGNALLED : CHILD_EXITED;
		code = (int)(status > 128 ? status - 128 : status);
	}
	set_end(p, unheard ? PROC_UNHEARD : ends[end], code);
}

static int64_t deadline_of(const struct proc *p)
{
	int64_t us;

	if (p->spec.timeout_ms <= 0 || __builtin_mul_overflow(p->spec.timeout_ms, 1000, &us) ||
	    __builtin_add_overflow(us, p->start_us, &us))
		return INT64_MAX;
	return us;
}

static bool is_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 && errno == ENOENT;
}

/* ENOENT has three causes, which look the same to the kernel. */
static int not_started(struct proc *p, int errnum, struct err *err)
{
	const struct proc_spec *spec = &p->spec;
	const char *why = strerror(errnum);

	watch_remove(p->spec.watch, p->entry);
	p->result.end = PROC_NOT_STARTED;
	p->result.code = errnum;
	p->result.elapsed_us = clock_us() - p->start_us;
	if (spec->sandbox && sandbox_check(sandbox_abi(), err) < 0)
		return err_wrap(err, "cannot start %s", spec->file);
	if (errnum == ENOENT && spec->cwd && is_missing(spec->cwd))
		return err_set(err, E_SPAWN, "cannot start %s: working directory %s: %s",
			       spec->file, spec->cwd, why);
	if (errnum == ENOENT && spec->file[0] == '/' && !is_missing(spec->file))
		return err_set(err, E_SPAWN, "cannot start %s: the interpreter that it names: %s",
			       spec->file, why);
	return err_set(err, E_SPAWN, "cannot start %s: %s", spec->file, why);
}

/*
 * A shell of its own group, and of the hook's, that outlives the signals to it and says nothing but
 * how the program ended.
 */
static int spawn_reporter(const struct proc *p, pid_t *ret_pid, int *ret_pidfd)
{
	static const char script[] = "exec 5>&2 2>/dev/null; trap : HUP INT QUIT TERM USR1 USR2\n"
				     "\"$@\" 2>&5 4>&- 5>&-; echo $? >&4";
	struct proc_spec between = p->spec;
	struct sandbox opened;
	AUTO(free) char *file =
		xasprintf("%s%s", strchr(between.file, '/') ? "" : "./", between.file);
	AUTO(free) char *program = spawn_path(&between);
	AUTO(free) const char **argv = NULL;
	size_t n = 0;

	while (between.argv[n])
		n++;
	argv = xcalloc(n + 6, sizeof *argv);
	memcpy(argv, (const char *[]){ "sh", "-c", script, "sh", file }, 5 * sizeof *argv);
	if (n > 1)
		memcpy(&argv[5], &between.argv[1], (n - 1) * sizeof *argv);
	if (between.sandbox) {
		opened = *between.sandbox;
		opened.program = program;
		between.sandbox = &opened;
	}
	between.file = "/bin/sh";
	between.argv = argv;
	return spawn_process(&between, &p->ends, ret_pid, ret_pidfd);
}

static void init(struct proc *p, const struct proc_spec *spec)
{
	*p = (struct proc){ .spec = *spec, .ends = SPAWN_NO_ENDS, .start_us = clock_us() };
	if (!p->spec.max_stdout)
		p->spec.max_stdout = PROC_STDOUT_MAX;
	if (!p->spec.max_stderr)
		p->spec.max_stderr = PROC_STDERR_MAX;
	if (!p->spec.max_result)
		p->spec.max_result = p->spec.max_stdout;
	if (p->spec.grace_ms <= 0)
		p->spec.grace_ms = PROC_GRACE_MS;
	p->deadline_us = deadline_of(p);
	p->kill_us = p->give_up_us = INT64_MAX;
}

/* In place of the pipe, whose rest would be lost with us.  Without memory the pipe stays. */
static void input_as_file(struct proc *p)
{
	AUTO(buf_done) struct buf whole = { 0 };
	int fd;

	for (size_t i = 0; i < p->spec.ninput; i++)
		buf_adds(&whole,
			 (struct str){ p->spec.input[i].iov_base, p->spec.input[i].iov_len });
	fd = fd_sealed("trotline-input", whole.p, whole.n);
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		fd_close(&fd);
		return;
	}
	fd_close(&p->ends.in);
	fd_close(&p->ends.child_in);
	p->ends.child_in = fd;
	p->in_pipe = fd_file(fd);
	p->in_part = p->spec.ninput;
	p->written = whole.n;
}

int proc_start(struct proc *p, const struct proc_spec *spec, struct err *err)
{
	int r, pidfd, unread = -1;
	pid_t pid;

	init(p, spec);
	watch_start(spec->watch);
	p->entry = watch_add(spec->watch, spec->waits ? 0 : p->deadline_us, &p->spec.ret_group);
	p->reports = child_is_lost(spec->host_reaps, spawn_is_old(spec));
	r = spawn_pipes(&p->ends, (spec->result_pipe ? 1u << SPAWN_RESULT : 0) |
					  (p->reports        ? 1u << SPAWN_REPORT
					   : spec->announces ? 1u << SPAWN_NOTICE
							     : 0));
	if (r < 0)
		return not_started(p, -r, err);
	know_pipes(p);
	/*
	 * Most inputs fit into the pipe: then the child never waits for us nor we for it.  We hold
	 * the read end still, so that no SIGPIPE can come of it.
	 */
	if (spec->may_stay)
		input_as_file(p);
	if (!spec->waits)
		write_input(p, writev);
	r = p->reports ? spawn_reporter(p, &pid, &pidfd)
		       : spawn_process(&p->spec, &p->ends, &pid, &pidfd);
	if (spec->waits) { /* is_unread() looks at it */
		unread = p->ends.child_in;
		p->ends.child_in = -1;
	}
	/* What the child was given are the other ends of these. */
	close_pipe(p, &p->ends.child_in, p->in_pipe);
	for (size_t i = 0; i < SPAWN_NOTICE; i++) /* a socket's are two files */
		close_pipe(p, &p->ends.child_to[i], p->pipes[i]);
	spawn_close_child_ends(&p->ends);
	p->ends.child_in = unread;
	if (r == 0)
		r = child_watch(&p->child, pid, pidfd);
	if (r < 0) {
		spawn_close(&p->ends);
		return not_started(p, -r, err);
	}
	p->started = true;
	if (spec->waits)
		p->result.end = PROC_WAITING;
	return 0;
}

size_t proc_fds(const struct proc *p, struct pollfd fds[PROC_FDS_MAX])
{
	size_t n = 0;

	if (!is_running(p))
		return 0;
	fds[n++] = (struct pollfd){ .fd = p->child.fd, .events = POLLIN };
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		if (p->ends.from[i] >= 0)
			fds[n++] = (struct pollfd){ .fd = p->ends.from[i], .events = POLLIN };
	if (p->ends.in >= 0 && !p->refused) {
		bool write = !p->spec.lines || !is_written(p);

		if (write || p->again) /* without events it tells of an error only */
			fds[n++] =
				(struct pollfd){ .fd = p->ends.in, .events = write ? POLLOUT : 0 };
	}
	return n;
}

int64_t proc_deadline_us(const struct proc *p)
{
	int64_t us = p->asked == PROC_RUNNING ? p->deadline_us : p->kill_us;

	if (!is_running(p))
		return INT64_MAX;
	return us < p->give_up_us ? us : p->give_up_us;
}

/* True when the process has ended. */
static bool fd_ready(struct proc *p, const struct pollfd *fd)
{
	if (fd->fd == p->child.fd)
		return true;
	if (fd->fd == p->ends.in && is_written(p))
		p->refused = true;
	else if (fd->fd == p->ends.in)
		write_input(p, pipe_writev);
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		if (fd->fd == p->ends.from[i]) {
			size_t n = stream_buf(p, i)->n;

			if (fd->revents & POLLIN)
				(void)read_stream(p, i, max_size(READ_MIN, min_size(n, READ_MAX)));
			else /* hung up and empty */
				close_pipe(p, &p->ends.from[i], p->pipes[i]);
		}
	return false;
}

bool proc_step(struct proc *p, const struct pollfd *fds, size_t n)
{
	struct pollfd own[PROC_FDS_MAX];
	bool ended = false;

	if (!is_running(p))
		return true;
	/* What has happened counts before the deadline does, however late we look. */
	if (!fds || clock_us() >= proc_deadline_us(p)) {
		n = proc_fds(p, own);
		(void)fd_poll(own, n, 0);
		fds = own;
	}
	/* Of what has ended the pipes are read once, by finish(): who else has them goes on writing
	 * into the room that a read makes. */
	for (size_t i = 0; i < n && !ended; i++)
		ended = fds[i].revents && fd_ready(p, &fds[i]);
	find_line(p);
	if (ended && is_running(p))
		finish(p);
	else if (is_running(p))
		hear_notice(p);
	if (is_running(p))
		keep_time(p);
	look_unheard(p);
	return !is_running(p);
}

void proc_cancel(struct proc *p)
{
	if (is_running(p))
		ask_to_end(p, PROC_CANCELLED);
}

bool proc_next(struct proc *p)
{
	if (p->result.end == PROC_ANSWERED)
		p->result.end = PROC_RUNNING;
	watch_set(p->spec.watch, p->entry, p->deadline_us);
	find_line(p);
	if (is_running(p) && p->over)
		finish(p);
	look_unheard(p);
	return !is_running(p);
}

bool proc_spoke_last(const struct proc *p, enum child_end *ret_end, int *ret_code)
{
	return p->over && child_peek(&p->child, ret_end, ret_code);
}

bool proc_again(struct proc *p, const struct iovec *input, size_t n, int64_t timeout_ms)
{
	if (!is_there(p) || p->result.end != PROC_ANSWERED)
		return false;
	p->refused |= !is_written(p); /* it would take the rest for the beginning */
	if (!p->over)
		drain_all(p, SPAWN_STREAMS);
	buf_drop(&p->result.out, p->line_end);
	buf_clear(&p->result.err); /* what it said meanwhile is about nothing */
	p->result.end = PROC_RUNNING;
	p->result.err_lost = 0;
	p->result.pipe_errno = 0;
	p->spec.input = input;
	p->spec.ninput = n;
	p->spec.timeout_ms = timeout_ms;
	p->in_part = p->in_off = p->written = p->looked_at = p->line_end = 0;
	p->before = p->result.out.n;
	p->again = true;
	p->start_us = clock_us();
	p->deadline_us = deadline_of(p);
	watch_set(p->spec.watch, p->entry, p->deadline_us);
	if (!p->refused)
		write_input(p, pipe_writev);
	find_line(p);
	look_unheard(p);
	return true;
}

bool proc_ask(struct proc *p, const struct iovec *input, size_t n, int64_t timeout_ms)
{
	enum child_end end;
	int code;

	if (!is_there(p) || p->result.end != PROC_WAITING || child_peek(&p->child, &end, &code))
		return false;
	p->result.end = PROC_RUNNING;
	p->spec.input = input;
	p->spec.ninput = n;
	p->spec.timeout_ms = timeout_ms;
	p->start_us = clock_us();
	p->deadline_us = deadline_of(p);
	watch_set(p->spec.watch, p->entry, p->deadline_us);
	write_input(p, pipe_writev);
	return true;
}

bool proc_loan(const struct proc *p, struct proc_loan *ret)
{
	const struct spawn_ends *e = &p->ends;

	*ret = (struct proc_loan){ p->child.pid,
				   { e->in, e->child_in, e->from[SPAWN_STDOUT],
				     e->from[SPAWN_STDERR], e->from[SPAWN_RESULT],
				     e->from[SPAWN_NOTICE] },
				   5 + (e->from[SPAWN_NOTICE] >= 0) };
	for (size_t i = 0; i < ret->nfds; i++)
		if (ret->fds[i] < 0)
			return false;
	return is_there(p) && p->result.end == PROC_WAITING && !p->reports;
}

void proc_lent(struct proc *p)
{
	spawn_close(&p->ends);
}

void proc_bequeath(struct proc *p)
{
	int64_t left_us = p->deadline_us == INT64_MAX ? INT64_MAX : p->deadline_us - clock_us();

	child_bequeath(&p->child, left_us / 1000);
	proc_release(p);
}

void proc_borrow(struct proc *p, const struct proc_spec *spec, const struct proc_loan *loan,
		 int socket)
{
	init(p, spec);
	p->spec.waits = true;
	p->ends = SPAWN_NO_ENDS;
	p->ends.in = loan->fds[0];
	p->ends.child_in = loan->fds[1];
	p->ends.from[SPAWN_STDOUT] = loan->fds[2];
	p->ends.from[SPAWN_STDERR] = loan->fds[3];
	p->ends.from[SPAWN_RESULT] = loan->fds[4];
	p->ends.from[SPAWN_NOTICE] = loan->nfds > 5 ? loan->fds[5] : -1;
	know_pipes(p);
	p->entry = -1;
	child_borrow(&p->child, loan->pid, socket);
	p->started = true;
	p->result.end = PROC_WAITING;
}

void proc_hang_up(struct proc *p, int64_t timeout_ms)
{
	if (!is_there(p) || is_running(p) || !proc_is_ours(p))
		return;
	fd_close(&p->ends.in);
	p->spec.lines = p->again = false;
	p->spec.timeout_ms = timeout_ms;
	p->result.end = PROC_RUNNING;
	p->start_us = clock_us();
	p->deadline_us = deadline_of(p);
}

void proc_done(struct proc *p)
{
	int code;

	if (is_there(p) && !proc_is_ours(p)) {
		spawn_close(&p->ends);
		abandon(p);
	} else if (is_there(p)) {
		/* First, so that the end of its input is nothing that it sees. */
		child_signal(&p->child, SIGKILL);
		spawn_close(&p->ends);
		if (child_wait(&p->child, PROC_GIVE_UP_MS))
			(void)reap(p, &code);
		else
			abandon(p);
	}
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		buf_done(stream_buf(p, i));
	*p = (struct proc){ 0 };
}

void proc_release(struct proc *p)
{
	if (is_there(p)) {
		spawn_close(&p->ends);
		abandon(p);
		p->started = false;
		p->result.end = PROC_UNKNOWN;
	}
	proc_done(p);
}

bool proc_wait(struct proc *p, struct cancel *cancel, int64_t until_us)
{
	struct pollfd fds[PROC_FDS_MAX + 1];
	int64_t wake_us;
	size_t n;

	while (is_running(p)) { /* a step may have seen its end already */
		n = proc_fds(p, fds);
		/* Readable for ever once fired: polled only until the process was asked to end. */
		fds[n] = (struct pollfd){ .fd = p->asked == PROC_RUNNING ? cancel_fd(cancel) : -1,
					  .events = POLLIN };
		wake_us = proc_deadline_us(p) < until_us ? proc_deadline_us(p) : until_us;
		(void)fd_poll_until(fds, n + 1, wake_us);
		if (proc_step(p, fds, n))
			return true;
		if (fds[n].revents)
			proc_cancel(p);
		if (until_us != INT64_MAX && clock_us() >= until_us)
			return false;
	}
	return true;
}

int proc_run(struct proc *p, const struct proc_spec *spec, struct cancel *cancel, struct err *err)
{
	int r;

	if (cancel_fired(cancel)) {
		*p = (struct proc){ .result.end = PROC_CANCELLED };
		return 0;
	}
	r = proc_start(p, spec, err);
	if (r == 0)
		(void)proc_wait(p, cancel, INT64_MAX);
	return r;
}
